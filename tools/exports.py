"""Writes what type checkers and editors see of the packages: the files ``__init__.pyi`` of those that users import from.

    python -m tools.exports

The packages load their names when they are first used, and a constructor takes the fields of its dataclass, for a number also
an expression: no type checker can find that out. Here each constructor is a function with a parameter for each field;
all other names are imported from where they are. Run it after a change of a field or of a name; a test compares.
"""

from __future__ import annotations

import importlib
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from modiapy.model.fields import field_hints
from modiapy.model.model import Var

ROOT = Path(__file__).parent.parent
PACKAGES = (
    "modiapy",
    "modiapy.acausal",
    "modiapy.modelica",
    "modia3d",
    "modia3d.batch",
    "modia3d.dynamics",
    "modia3d.files",
    "modia3d.forces",
    "modia3d.gym",
    "modia3d.topology",
)
"""Those that load their names when they are first used (`modiapy.model.lazy_exports`)."""

WIDTH = 128

_SOURCES = {
    "collections.abc": ("Callable", "Mapping", "Sequence"),
    "typing": ("Any", "Literal"),
    "modiapy.model.constructors": ("Array", "Boolean", "Matrix", "Number", "Object", "String", "Vector"),
    "modiapy.model.model": ("Model", "Par"),
}
"""Where the names of types come from."""

_SCALARS = {
    float: "Number",
    int: "Number",
    bool: "Boolean",
    str: "String",
    types.NoneType: "None",
    Any: "Any",
    object: "object",
    Var: "Var",
}


_CONTAINED = {
    "Number": ("Object", "String", "Var"),
    "String": ("Object", "Par"),
    "Matrix": ("Vector", "Array", "Par"),
    "Vector": ("Array", "Par"),
}
"""Types of `modiapy.model.constructors` -> what they admit anyway."""


def given_type(*hints: Any) -> str:
    """Return the type of the values that a field with one of these annotations accepts, as text of a stub.

    Raises:
        TypeError: an annotation that nothing is known about.
    """
    parts = list(dict.fromkeys(part for hint in hints for part in _alternatives(hint)))
    admitted = {inner for part in parts for inner in _CONTAINED.get(part, ())}
    return " | ".join(sorted((part for part in parts if part not in admitted), key="None".__eq__))


def _alternatives(hint: Any) -> Sequence[str]:
    if isinstance(hint, str):
        raise TypeError(f"the annotation {hint!r} cannot be resolved: import its names at run time, too")
    origin, args = typing.get_origin(hint), [a for a in typing.get_args(hint) if a is not Ellipsis]
    if hint in _SCALARS:
        return (_SCALARS[hint],)
    if origin in (typing.Union, types.UnionType):
        return [part for member in args for part in _alternatives(member)]
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(_quoted, args))}]", "Par"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return ("Mapping[Any, Any]" if args[0] is Any else "Mapping[str, Any]",)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        elements = given_type(*args)
        if elements in _ARRAYS:
            return (_ARRAYS[elements],)
        return f"Sequence[{elements}]", "Array" if "Number" in elements else "Par"
    if origin is Callable:
        taken = "..." if len(args) == 1 else f"[{', '.join(a.__name__ for a in args[0])}]"
        return (f"Callable[{taken}, {args[-1].__name__}]",)
    if isinstance(hint, type):
        return ("Matrix" if hint is np.ndarray else "Object",)
    raise TypeError(f"no type is known for the annotation {hint!r}")


_ARRAYS = {"Number": "Vector", "Vector": "Matrix"}


def _quoted(value: Any) -> str:
    return repr(value).replace("'", '"')


def default_text(value: Any) -> str:
    """Return a default as text where a reader can use it, else ``...``: a field that is required may also be merged in."""
    simple = value is None or isinstance(value, bool | int | float | str)
    if simple or (isinstance(value, tuple) and all(isinstance(item, float | str) for item in value)):
        return _quoted(value)
    return "..."


def _parameters(made: Any) -> Iterator[str]:
    hints = _hints(made) or {}
    starred = False
    for name, parameter in inspect.signature(made).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        hint = given_type(hints[name])
        if parameter.default is None and not hint.endswith("None"):
            hint += " | None"
        required = parameter.default is parameter.empty and not hasattr(made, "dataclass")
        yield f"{name}: {hint}" if required else f"{name}: {hint} = {default_text(parameter.default)}"


def _hints(made: Any) -> Mapping[str, Any] | None:
    """Return the annotations of the parameters of a constructor; None for what is none, or is written as a function."""
    return field_hints(made.dataclass) if hasattr(made, "dataclass") else getattr(made, "hints", None)


def _summary(made: Any) -> str:
    """Return the first paragraph of a docstring, on one line that fits."""
    text = " ".join((inspect.getdoc(made) or "").split("\n\n")[0].split())
    return text if len(text) <= WIDTH - 10 else f"{text[: WIDTH - 14].rsplit(' ', 1)[0]} ..."


def constructor_stub(name: str, made: Any) -> str:
    """Return a constructor as a function of its fields."""
    parameters = list(_parameters(made))
    kind = "Par" if hasattr(made, "dataclass") else "Model"
    line = f"def {name}({', '.join(parameters)}) -> {kind}:"
    if len(line) > WIDTH:
        line = "\n    ".join([f"def {name}(", *(f"{p}," for p in parameters)]) + f"\n) -> {kind}:"
    return f'{line}\n    """{_summary(made)}"""\n'


def stub_file(package: str) -> Path:
    """Return where ``__init__.pyi`` of a package is."""
    return ROOT.joinpath(*package.split("."), "__init__.pyi")


def stub(package: str) -> str:
    """Return the text of ``__init__.pyi``."""
    module = importlib.import_module(package)
    homes: Mapping[str, str] = module.HOMES
    made = {name: getattr(module, name) for name in sorted(homes)}
    imported = [name for name, value in made.items() if _hints(value) is None]
    body = "\n".join(constructor_stub(name, value) for name, value in made.items() if name not in imported)
    standard: list[str] = []
    project: list[str] = []
    for source, names in _SOURCES.items():
        used = [name for name in names if re.search(rf"(?<![\w.\"]){name}\b(?!\()", body) and name not in homes]
        if used:
            (project if source.startswith("modiapy") else standard).append(f"from {source} import {', '.join(used)}")
    for name in imported:
        project.append(f"from {homes[name]} import {name} as {name}")
    head = '"""Written by ``python -m tools.exports``, which says why; not to be edited."""'
    project.sort(key=_import_order)
    return "\n\n".join(part for part in (head, "\n".join(standard), "\n".join(project), body.strip()) if part) + "\n"


def _import_order(line: str) -> tuple[str, int, str]:
    """Return the place of an import as ruff sorts them: by module; then constants, classes, and all others."""
    _, module, _, name, *_ = line.split()
    return module, 0 if name.isupper() else 1 if name[0].isupper() else 2, name


def main() -> None:
    for package in PACKAGES:
        stub_file(package).write_text(stub(package), encoding="utf-8")


if __name__ == "__main__":
    main()
