"""Names that users of other languages write by habit, and how they are written here."""

from __future__ import annotations

import re

_HABITS: tuple[tuple[str, str], ...] = (
    (r"^\s*when\b", "Among the equations: When('condition', ['x = 1', 'reinit(v, 0)'])."),
    (r"^\s*if\b.*\bthen\b[^=]*=", "Among the equations: If('condition', ['x = 1'], otherwise=['x = 2'])."),
    (r"^\s*for\b.*\bloop\b", "Among the equations: For('i', n, ['x[i] = ...']); i begins with 0."),
    (r"^\s*assert\s*\(", "Among the equations: Assert('condition', 'message')."),
    (r"^\s*algorithm\b", "There are equations only; an algorithm is a Python function: Function(f)."),
    (r":=|:\s*$", "Write '=' between the two sides of an equation."),
    (r"\belse?if\b|\bthen\b|\bend\b", "Write 'a if condition else b'."),
    (r"\?", "Write 'a if condition else b'."),
    (r"^\s*[^=<>!]*==[^=]*$", "Write '=' between the two sides of an equation; '==' compares discrete quantities."),
    (r"\^", "Write ** for a power."),
    (r"&&|\|\|", "Write 'and' and 'or'."),
    (r"!(?!=)", "Write 'not'."),
    (r"<>", "Write '!='."),
    (r";", "Write each equation as a text of its own, without ';'."),
    (r"[<>]=?[^<>]*[<>]", "Write two comparisons, 'a < b and b < c'."),
    (r"\bif\b(?!.*\belse\b)", "An if-expression has two values, 'a if condition else b'; under a condition: If(...)."),
    (r"^\s*(When|Assert|If|For)\(", "It is no text: write it without quotation marks among the equations."),
    (r"^\s*(reinit|terminate)\(", "It stands in a when clause: When(\"condition\", [\"reinit(x, value)\"])."),
    (r"\w'", "Write der(x) for a derivative."),
    (r"\bder\s+\w", "Write der(x) for a derivative."),
    (r"\d+:\d+", "Indices count from 0, and the end of a slice is not included: x[0:2] has two elements."),
    (r"(?<![\w.])\d+(\.\d*)?\s*[A-DF-Za-df-z_(]", "Write the sign of a product: 2*x."),
    (r"\)\s*\(|\)\s*[A-Za-z_]", "Write the sign of a product: a*b."),
    (r"//|/\*|#", "Comments do not belong to an equation."),
)  # fmt: skip
"""Pattern of a text that cannot be read -> what mends it; the first that is found counts."""


def remedy_for(text: str) -> str:
    """Return how to mend a text that is not part of the language ("" if it has none of the known habits)."""
    return next((remedy for pattern, remedy in _HABITS if re.search(pattern, text)), "")
