"""Derivatives of expressions, ``der(a - 2*b)``: the compiler's next stage takes those of variables only.

They are calls of a function to it, whose meaning the reader knows.
"""

from __future__ import annotations

import re
from typing import Any

from .texts import blanked, substituted

DECLARATION = 'function modia_der input Real u; output Real y; external "C" y = modia_der(u); end modia_der;'
_DERIVATIVE = re.compile(r"(?<![\w.])der(\s*)\((?!\s*\.?[A-Za-z_][\w.]*\s*(?:\[[^()]*\][\w.]*)*\s*\))(?=[^(){}]*\))")
"""Not of a variable, and without calls and lists within."""


def rewrite(text: str) -> str:
    """A file in which such derivatives are calls."""
    found = list(_DERIVATIVE.finditer(blanked(text))) if "der" in text else []
    return substituted(text, [(m.start(), m.start() + 3, "modia_der") for m in found])


def restore(trees: dict[str, Any]) -> None:
    """Leave the function out: the reader knows it."""
    trees["functions"].pop("modia_der", None)
