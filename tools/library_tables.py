"""Writes the tables of ``docs/library.md``: a row for each model and function of each library.

    python -m tools.library_tables

Names, arguments and descriptions are those of the libraries, in the order in which they are defined. What stands between the
tables is written by hand, and so are the diagrams: one is kept as long as its inputs, outputs and connectors are those of the
model. Run it after a change of a library; a test compares.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path

from modiapy.library import functions_in, library_names, models_in
from modiapy.model.array import Array
from modiapy.model.model import Model, Var

DOCUMENT = Path(__file__).parent.parent / "docs" / "library.md"
HEAD = "| model | diagram | description |\n|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(\|.*\n)*")


def written(text: str) -> str:
    """Return the document with all tables written anew; a library or file without one gets it behind the others."""
    for library in library_names():
        found = re.search(rf"^## {re.escape(library)}\n(?:(?!## ).*\n)*", text, re.MULTILINE)
        part = found[0] if found else f"\n## {library}\n\n"
        new = part
        for file, names in _files(library).items():
            head = f"### {file}\n" if file else f"## {library}\n"
            new = new if head in new else f"{new}{head}\n"
            before, _, rest = new.partition(head)
            section = rest.partition("\n##")[0]
            old = TABLE.search(section)
            start, end = old.span() if old else (len(section), len(section))
            rows = HEAD + "".join(_row(library, name, rest[start:end]) for name in names)
            new = before + head + rest[:start] + rows + ("" if old else "\n") + rest[end:]
        text = text.replace(part, new, 1) if found else text + new.rstrip() + "\n"
    return text


def _files(library: str) -> dict[str, list[str]]:
    """Return the names of a library by the file that defines them, "" for its ``__init__``."""
    package = importlib.import_module(f"modiapy.library.{library}")
    places = dict.fromkeys((*models_in(library), *functions_in(library)), "")
    for node in ast.parse(inspect.getsource(package)).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            places |= {alias.name: str(node.module) for alias in node.names if alias.name in places}
    files = {file: vars(importlib.import_module(f"{package.__name__}.{file}".rstrip("."))) for file in places.values()}
    return {file: [name for name in defined if places.get(name) == file] for file, defined in files.items()}


def _row(library: str, name: str, old: str) -> str:
    """Return the row of a model or function, with the diagram of its ``old`` row as long as that fits."""
    found = re.search(rf"^\| `{name}\W.*?\| `(.*?)` \|", old, re.MULTILINE)
    diagram = found[1].replace("\\|", "|") if found else f"[ {name} ]"
    model = models_in(library).get(name)
    if model is None:
        function = functions_in(library)[name]
        name = f"{name}({', '.join(inspect.signature(function).parameters)})"
        description = " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].split())
    else:
        description = str(model["description"])
        ends = _ends(model)
        fits = _named(diagram) == {end for each in ends for end in each}
        diagram = "o" if _has_flow(model) else diagram if fits else _drawn(name, *ends)
    return f"| `{name}` | `{_cell(diagram)}` | {_cell(description)} |\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _ends(model: Model) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the inputs, connectors and outputs of a model; those of a connector are none of its own."""
    variables = {name: entry for name, entry in model.items() if isinstance(entry, Var)}
    inputs, outputs = ([name for name, entry in variables.items() if entry.get(role)] for role in ("input", "output"))
    return inputs, [name for name, entry in model.items() if _is_connector(entry)], outputs


def _is_connector(entry: object) -> bool:
    """Return whether an entry is a connector, an array of connectors, or consists of connectors only."""
    model = entry["element"] if isinstance(entry, Array) else entry
    if not isinstance(model, Model):
        return False
    inner = [value for key, value in model.items() if key != "description"]
    return _has_flow(model) or (bool(inner) and all(map(_is_connector, inner)))


def _has_flow(model: Model) -> bool:
    return any(isinstance(entry, Var) and "flow" in entry for entry in model.values())


def _named(diagram: str) -> set[str]:
    """Return the inputs, connectors and outputs of a diagram: all but the symbol and the marks of connectors."""
    outside = diagram.partition("[")[0] + " " + diagram.rpartition("]")[2]
    return set(re.findall(r"\w+", re.sub("--o|o--", " ", outside)))


def _drawn(name: str, inputs: list[str], connectors: list[str], outputs: list[str]) -> str:
    """Return a diagram without symbol: the first of several connectors is on the left."""
    left, right = connectors[: len(connectors) > 1], connectors[len(connectors) > 1 :]
    parts = [f"{', '.join(inputs)} -> " if inputs else "", *(f"{end} o--" for end in left), f"[ {name} ]"]
    parts += [f"--o {', '.join(right)}" if right else "", f" -> {', '.join(outputs)}" if outputs else ""]
    return "".join(parts)


def main() -> None:
    DOCUMENT.write_text(written(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
