"""Results and local variables that only some branches of a function assign: the compiler wants values on all ways.

They get one at their declaration, which is taken out of the flat trees again.
"""

from __future__ import annotations

import re
from typing import Any

from .texts import blanked, functions, substituted

_ALGORITHM = re.compile(r"\balgorithm\b|\bexternal\b")
_DECLARED = re.compile(
    r"(?:(?<=;)|\bprotected\b|\bpublic\b|^)\s*(output\s+)?(Real|Integer|Boolean|(?:Modelica\.)?(?:Units\.)?SI\.\w+)\s*(\[[^\[\]]*\])?\s+"
    r"((?:[A-Za-z_]\w*\s*(?:\[[^\[\]]*\])?\s*,?\s*)+)(?=;)"
)
_NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[([^\[\]]*)\])?")
_ZERO, _FALSE = "1*0", "false and false"


def rewrite(text: str) -> str:
    """Return a file in which such variables have values."""
    if "function" not in text:
        return text
    changes = []
    for body, place in functions(blanked(text)):
        algorithm = _ALGORITHM.search(body)
        if not algorithm or algorithm[0] != "algorithm":
            continue
        for found in _DECLARED.finditer(body, body.find(";") if body[:1] == " " else 0, algorithm.start()):
            changes += [(end + place, end + place, value) for end, value in _values(found)]
    return substituted(text, changes)


def _values(found: re.Match[str]) -> list[tuple[int, str]]:
    """Return the values of the names of one declaration, and where they are to stand."""
    values = []
    zero = _FALSE if found[2] == "Boolean" else _ZERO
    for name in _NAME.finditer(found[4]):
        written = [part.strip("[]") for part in (name[2], found[3]) if part]
        dimensions = ", ".join(written)
        if ":" not in dimensions:
            value = f"fill({zero}, {dimensions})" if dimensions else zero
            values.append((found.start(4) + name.start() + len(name[0].rstrip()), f" = {value}"))
    return values


def restore(trees: dict[str, Any]) -> None:
    """Take these values away."""
    for function in trees["functions"].values():
        for variable in (*function["outputs"], *function["locals"]):
            if _is_made(variable.get("default")):
                variable["default"] = None


def _is_made(tree: Any) -> bool:
    if not isinstance(tree, dict):
        return False
    call = tree.get("BuiltinCall")
    if call and call["function"] == "Fill":
        return _is_made(call["args"][0])
    sides = tree.get("Binary")
    if not sides or sides["op"] not in ("Mul", "And"):
        return False
    literals = [sides[side].get("Literal", {}).get("value") for side in ("lhs", "rhs")]
    return literals in ([{"Integer": 1}, {"Integer": 0}], [{"Boolean": False}, {"Boolean": False}])
