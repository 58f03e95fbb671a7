"""Derivatives of expressions, ``der(a - 2*b)``: the compiler's next stage takes those of variables only.

They are calls of a function to it, whose meaning the reader knows. Those of a list, ``der({x, y})``, are written as the list
of the derivatives.
"""

from __future__ import annotations

import re
from typing import Any

from .texts import blanked, substituted

DECLARATION = 'function modia_der input Real u; output Real y; external "C" y = modia_der(u); end modia_der;'
_DERIVATIVE = re.compile(r"(?<![\w.])der(\s*)\((?!\s*\.?[A-Za-z_][\w.]*\s*(?:\[[^()]*\][\w.]*)*\s*\))(?=[^(){}]*\))")
"""Not of a variable, and without calls and lists within."""
_OF_LIST = re.compile(r"(?<![\w.])der\s*\(\s*\{([^(){}]*)\}\s*\)")
_ELEMENT = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")


def rewrite(text: str) -> str:
    """Return a file in which such derivatives are calls."""
    if "der" not in text:
        return text
    text = substituted(text, [change for found in _OF_LIST.finditer(blanked(text)) for change in _distributed(found)])
    found = _DERIVATIVE.finditer(blanked(text))
    return substituted(text, [(m.start(), m.start() + 3, "modia_der") for m in found])


def _distributed(found: re.Match[str]) -> list[tuple[int, int, str]]:
    """Return the changes that take the derivative of each element of a list instead of that of the list."""
    begin, end = found.span(1)
    lines = "\n" * found.string.count("\n", found.start(), begin), "\n" * found.string.count("\n", end, found.end())
    changes = [(found.start(), begin, lines[0] + "{"), (end, found.end(), "}" + lines[1])]
    for element in _ELEMENT.finditer(found.string, begin, end):
        changes += [(element.start(), element.start(), "der("), (element.end(), element.end(), ")")]
    return changes


def restore(trees: dict[str, Any]) -> None:
    """Leave the function out: the reader knows it."""
    trees["functions"].pop("modia_der", None)
