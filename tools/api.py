"""The public surface (`MODULES`), its reference, made of the docstrings, and checks of both.

    python -m tools.api

Prints names that are exported twice, private names in guides and tutorials, docstrings that leave out a parameter, and names in
backticks that nothing public has. ``python -m tools.docs`` makes the pages of the reference a part of the site.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
import sys
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MODULES = (
    "modiapy",
    "modiapy.acausal",
    "modiapy.flat",
    "modiapy.modelica",
    "modia3d",
    "modia3d.batch",
    "modia3d.dynamics",
    "modia3d.files",
    "modia3d.forces",
    "modia3d.gym",
    "modia3d.topology",
)
"""The public surface: the names in ``__all__`` of these modules, and the libraries. Everything else is private."""

LIBRARIES = "modiapy.library"
"""Packages below it are public, too: they hold models, which ``docs/library.md`` describes."""

FOR_CONTRIBUTORS = ("architecture.md", "CONTRIBUTING.md")
"""Pages that name what is private."""


def exported() -> dict[str, Any]:
    """Return each public object by its full name, methods and properties of classes included."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = found[f"{module_name}.{name}"] = getattr(module, name)
            if inspect.isclass(value):
                members = {key: member for cls in reversed(value.__mro__) if _ours(cls) for key, member in vars(cls).items()}
                found |= {f"{module_name}.{name}.{key}": m for key, m in members.items() if _is_public_member(key, m)}
    return found


def _ours(cls: type) -> bool:
    return cls.__module__.split(".")[0] in ("modiapy", "modia3d")


def _is_public_member(name: str, member: Any) -> bool:
    kinds = (types.FunctionType, property, classmethod, staticmethod)
    return not name.startswith("_") and isinstance(member, kinds)


def _parameters(value: Any) -> list[str]:
    """Return the parameters that a docstring has to describe."""
    if inspect.isclass(value) and not dataclasses.is_dataclass(value):
        return []
    return [name for name in inspect.signature(value).parameters if name != "actions"]


def _described(text: str) -> set[str]:
    """Return the names with a line of their own in the sections of a docstring, or in backticks in its text."""
    listed = re.findall(r"^ +((?:\w+, )*\w+):", text, re.MULTILINE)
    return {name for names in listed for name in names.split(", ")} | set(re.findall(r"``(\w+)``", text))


def undocumented() -> list[str]:
    """Return public names without docstring; functions, constructors and dataclasses that leave out a parameter."""
    missing = []
    for name, value in exported().items():
        if not (
            inspect.isclass(value) or inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod)
        ):
            continue  # a value: described where it stands
        text = inspect.getdoc(value) or ""
        if len(text.split()) < 3:
            missing.append(name)
        if re.search(r"^\s*\[[^\]]*\]:", text, re.MULTILINE):
            missing.append(f"{name}: a line that begins with '[m]:' is lost, as it defines a link in Markdown")
        if name.rpartition(".")[0] in MODULES:
            missing += [f"{name}: {parameter}" for parameter in _parameters(value) if parameter not in _described(text)]
    return missing


def unknown_references() -> list[str]:
    """Return the names in single backticks in public docstrings that nobody can look up."""
    objects = exported()
    known = {part for name in objects for part in (name, name.split(".", 1)[1], *_ends(name))} | set(MODULES)
    unknown = []
    for name, value in objects.items():
        text = re.sub(r"``.*?``", "", inspect.getdoc(value) or "", flags=re.DOTALL)
        unknown += [f"{name}: `{word}`" for word in re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", text) if word not in known]
    return unknown


def _ends(name: str) -> Iterator[str]:
    parts = name.split(".")
    yield from (".".join(parts[i:]) for i in range(1, len(parts)))


def exported_twice() -> list[str]:
    """Return the names that more than one module of the surface exports."""
    places: dict[str, list[str]] = {}
    for module_name in MODULES:
        for name in importlib.import_module(module_name).__all__:
            places.setdefault(name, []).append(module_name)
    return [f"{name}: {', '.join(modules)}" for name, modules in places.items() if len(modules) > 1]


def is_public(dotted: str) -> bool:
    """Return whether a full name is a public module, or leads to a public name (``modia3d.Box``) or one of its members."""
    parts = dotted.split(".")
    if dotted.removesuffix(".*") in MODULES or ".".join(parts[:2]) == LIBRARIES:
        return True
    module = max((name for name in MODULES if dotted.startswith(f"{name}.")), key=len, default="")
    return bool(module) and parts[module.count(".") + 1] in importlib.import_module(module).__all__


def private_imports(code: str) -> list[str]:
    """Return the private modules and names of ours that a piece of Python imports, in full."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.split(".")[0] in ("modiapy", "modia3d") and not is_public(name)]


def documented_private() -> list[str]:
    """Return the private names in the code and the backticks of README, guides and tutorials, with their pages."""
    found = []
    for page in _guides():
        text = page.read_text(encoding="utf-8")
        imports = re.findall(r"^ *(from modia\S+ import (?:\([^)]*\)|.*)|import modia.*)$", text, re.MULTILINE)
        names = [name for line in imports for name in private_imports(line)]
        names += [name for name in re.findall(r"`((?:modiapy|modia3d)(?:\.\w+)+)", text) if not is_public(name)]
        found += [f"{page.relative_to(ROOT)}: {name}" for name in names]
    return found


def _guides() -> Iterable[Path]:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in pages if page.name not in FOR_CONTRIBUTORS]


def pages() -> dict[str, str]:
    """Return the text of each page of the reference by its name, for Sphinx."""
    result = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        summary = (inspect.getdoc(module) or "").split("\n\n")[0]
        lines = [f".. py:module:: {module_name}", "", module_name, "=" * len(module_name), "", summary, ""]
        for name in sorted(module.__all__, key=str.lower):
            value, full = getattr(module, name), f"{module_name}.{name}"
            if inspect.isclass(value):
                lines += [f".. autoclass:: {full}", f"   :members: {', '.join(_members(value))}", ""]
            else:
                lines += [f".. autofunction:: {full}" if callable(value) else f".. py:data:: {name}", ""]
        result[module_name] = "\n".join(lines)
    return result


def _members(cls: type) -> list[str]:
    """Return the public methods and properties, also those of bases of our own."""
    own = {key: member for base in reversed(cls.__mro__) if _ours(base) for key, member in vars(base).items()}
    return [key for key, member in own.items() if _is_public_member(key, member)]


def main() -> None:
    faults = {
        "exported twice": exported_twice(),
        "not public": documented_private(),
        "not described": undocumented(),
        "refers to a name that is not public": unknown_references(),
    }
    for what, found in faults.items():
        for name in found:
            print(f"{name}: {what}", file=sys.stderr)
    sys.exit(1 if any(faults.values()) else 0)


if __name__ == "__main__":
    main()
