"""Calls of functions with several results in ``when`` equations, which the compiler takes in algorithms only.

A ``when`` of one such call means the same in an algorithm.
"""

from __future__ import annotations

import re

from .texts import blanked, substituted

_WHEN = re.compile(r"\bwhen\b[^;]*?\bthen\s*\([^()=:;]*\)\s*(=)(?!=)[^;]*;\s*end\s+when\s*;")


def rewrite(text: str) -> str:
    """Return a file in which such calls stand in algorithms."""
    changes = []
    for found in _WHEN.finditer(blanked(text)):
        changes += [
            (found.start(), found.start(), "algorithm "),
            (*found.span(1), ":="),
            (found.end(), found.end(), " equation"),
        ]
    return substituted(text, changes)
