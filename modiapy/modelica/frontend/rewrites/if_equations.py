"""Equations under conditions that change, for one variable in every branch: the compiler loses the condition of some.

They become one equation with a conditional expression, which means the same.
"""

from __future__ import annotations

import re

from .texts import blanked, functions, substituted

_EQUATION = r"\s*([A-Za-z_][\w.]*(?:\[\w+\])?)\s*=(?!=)([^;]*);\s*"
_CONDITION = r"((?:(?!\b(?:if|then)\b)[^;])*)\bthen\b"
_WHOLE = re.compile(
    rf"(?<![\w.])if\b{_CONDITION}{_EQUATION}((?:elseif\b{_CONDITION}{_EQUATION})*)else\b{_EQUATION}end\s+if\s*;", re.DOTALL
)
_BRANCH = re.compile(rf"elseif\b{_CONDITION}{_EQUATION}", re.DOTALL)


def rewrite(text: str) -> str:
    """Return a file in which such equations are single ones."""
    plain = blanked(text)
    bodies = [(place, place + len(body)) for body, place in functions(plain)]
    changes = []
    for found in _WHOLE.finditer(plain):
        branches = [*_BRANCH.finditer(plain, found.start(4), found.end(4))]
        names = {found[2], found[8], *(branch[2] for branch in branches)}
        if len(names) > 1 or any(begin <= found.start() < end for begin, end in bodies):
            continue

        def part(match: re.Match[str], group: int) -> str:
            """Return the text of a group, without comments and descriptions."""
            written = match[group].rstrip()
            original = text[match.start(group) : match.start(group) + len(written)]
            return original if '"' in original else written

        value = f"if {part(found, 1)} then ({part(found, 3)}) "
        value += "".join(f"elseif {part(branch, 1)} then ({part(branch, 3)}) " for branch in branches)
        new = f"{found[2]} = {value}else ({part(found, 9)});"
        changes.append((*found.span(), new + "\n" * (found[0].count("\n") - new.count("\n"))))
    return substituted(text, changes)
