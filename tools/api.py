"""The API reference: HTML pages of all that is exported, made of the docstrings.

    python -m tools.api [FOLDER]

Writes into ``build/api`` by default; begin with ``index.html``. Needs pdoc (extra ``docs``). What pdoc warns of is an error, as
are links that lead nowhere, a docstring that leaves out a parameter, and a name in backticks that nothing public has.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
import sys
import types
import warnings
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parent.parent
MODULES = (
    "modiapy",
    "modiapy.acausal",
    "modia3d",
    "modia3d.actions",
    "modia3d.dynamics",
    "modia3d.files",
    "modia3d.topology",
)
"""What users and authors of components import from. The libraries are values, which ``docs/library.md`` describes."""


def exported() -> dict[str, Any]:
    """Each public object by its full name, methods and properties of classes included."""
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
    """Parameters that a docstring has to describe."""
    if inspect.isclass(value) and not dataclasses.is_dataclass(value):
        return []
    return [name for name in inspect.signature(value).parameters if name != "actions"]


def _described(text: str) -> set[str]:
    """Names with a line of their own in the sections of a docstring, or in backticks in its text."""
    listed = re.findall(r"^ +((?:\w+, )*\w+):", text, re.MULTILINE)
    return {name for names in listed for name in names.split(", ")} | set(re.findall(r"``(\w+)``", text))


def undocumented() -> list[str]:
    """What has no docstring with content; functions, constructors and dataclasses whose docstring leaves out a parameter."""
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
    """Names in single backticks in public docstrings that nobody can look up."""
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


def write(folder: Path) -> list[Path]:
    """Write the pages of all modules, an index and what the search needs; returns the pages. A warning is an error."""
    from pdoc import doc, doc_pyi, render

    loaded = {name: importlib.import_module(name) for name in MODULES}
    for module in loaded.values():  # pdoc sees what is there, not what is loaded when it is first used
        vars(module).update({name: getattr(module, name) for name in module.__all__})
    # What type checkers see says that a number may also be an expression, for each field anew; a reader wants the docstring.
    no_stubs = mock.patch.object(doc_pyi, "include_typeinfo_from_stub_files", return_value=None)
    with warnings.catch_warnings(), no_stubs:
        warnings.simplefilter("error")
        render.configure(docformat="google", show_source=False)
        modules = {name: doc.Module(module) for name, module in loaded.items()}
        pages = {f"{name.replace('.', '/')}.html": render.html_module(module, modules) for name, module in modules.items()}
        pages |= {"index.html": render.html_index(modules)}
        search = render.search_index(modules)
    for path, text in {**pages, "search.js": search}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return [folder / path for path in pages]


class _Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id" and value:
                self.anchors.add(value)
            elif key == "href" and tag == "a" and value:
                self.links.append(value)


def broken_links(pages: list[Path]) -> list[str]:
    """Links between the pages whose file or anchor is not there."""
    read = {page.resolve(): _Page(page) for page in pages}
    broken = []
    for file, page in read.items():
        for link in page.links:
            path, _, anchor = link.partition("#")
            target = (file.parent / path).resolve() if path else file
            if re.match(r"[a-z]+:", link) is None and (target not in read or (anchor and anchor not in read[target].anchors)):
                broken.append(f"{file.name}: {link}")
    return broken


def missing(pages: list[Path]) -> list[str]:
    """Public names that have no place on the page of their module."""
    anchors = {
        page.stem if page.parent.name not in ("modiapy", "modia3d") else f"{page.parent.name}.{page.stem}": _Page(page).anchors
        for page in pages
    }
    return [
        f"{module}.{name}"
        for module in MODULES
        for name in importlib.import_module(module).__all__
        if name not in anchors[module]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "api", metavar="FOLDER")
    folder = parser.parse_args().folder
    pages = write(folder)
    faults = {
        "not described": undocumented(),
        "refers to what is not public": unknown_references(),
        "a link that leads nowhere": broken_links(pages),
        "not in the reference": missing(pages),
    }
    for what, found in faults.items():
        for name in found:
            print(f"{name}: {what}", file=sys.stderr)
    if any(faults.values()):
        sys.exit(1)
    print(folder / "index.html")


if __name__ == "__main__":
    main()
