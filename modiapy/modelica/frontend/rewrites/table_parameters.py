"""Parameters whose value is looked up in a table object (friction coefficients at rest, in clutches, brakes, gears).

The compiler flattens them, but takes the table apart where it goes on. They are passed through as parameters of an initial
equation, and become in the flat trees again what they were: parameters with a binding.
"""

from __future__ import annotations

import re
from typing import Any

from .texts import blanked, section_at, substituted

_LOOKED_UP = re.compile(
    r"\b(final\s+)?parameter\s+([\w.]+)\s+(\w+)\s*(\((?:[^()=]|=[^()]*?)*\))?\s*="
    r"(?=(?:(?!;|\bparameter\b).)*?\bgetTable1DValue\w*\s*\()(.*?);",
    re.DOTALL,
)
_MARK = "modia binding"


def rewrite(text: str) -> str:
    """Return a file in which such parameters have initial equations."""
    if "getTable1DValue" not in text:
        return text
    plain, changes = blanked(text), []
    for match in _LOOKED_UP.finditer(plain):
        final, kind, name, modifiers, written = match.groups()
        begin, end = match.span(5)
        stripped = written.rstrip()  # its description is blank
        lines = text[match.start(3) : begin].count("\n") + text[begin + len(stripped) : end].count("\n")
        inside = f"{text[match.start(4) + 1 : match.end(4) - 1]}, " if modifiers else ""
        mark = f'"{_MARK}{" final" if final else ""}"'
        declared = f"parameter {kind} {name}({inside}fixed=false) {mark}; initial equation {name} = ({stripped});"
        changes.append((match.start(), match.end(), f"{declared} {section_at(plain, match.start())}" + "\n" * lines))
    return substituted(text, changes)


def restore(trees: dict[str, Any]) -> None:
    """Give such parameters of flat trees the bindings that were written."""
    marked = {name: entry for name, entry in trees["variables"].items() if str(entry["description"]).startswith(_MARK)}
    kept = []
    for equation in trees["initial_equations"]:
        sides = equation["residual"].get("Binary", {})
        name = sides.get("lhs", {}).get("VarRef", {}).get("name", {}).get("name")
        if name not in marked:
            kept.append(equation)
            continue
        entry = marked.pop(name)
        if entry["description"].endswith(" final"):
            trees["variable_final_flags"][name] = True
        entry.update(binding=sides["rhs"], fixed=None, description=None)
    trees["initial_equations"] = kept
