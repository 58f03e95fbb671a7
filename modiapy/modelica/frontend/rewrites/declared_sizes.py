"""Sizes of arrays that a function declares itself: to the compiler ``size(a, 1)`` reads the array, which has no value yet.

``size`` of a result or local variable becomes the dimension that it is declared with.
"""

from __future__ import annotations

import re

from .texts import blanked, functions, substituted

_ALGORITHM = re.compile(r"\balgorithm\b|\bexternal\b")
_DECLARED = re.compile(
    r"(?:^|;|\bprotected\b)\s*(?:(input|output|constant|parameter)\s+)?"
    r"([A-Za-z_][\w.]*)\s*(\[[^\[\]]*\])?\s+([A-Za-z_]\w*)\s*(\[[^\[\]]*\])?\s*(?=[(=;])"
)
_SIZE = re.compile(r"\bsize\s*\(\s*([A-Za-z_]\w*)\s*,\s*(\d+)\s*\)")


def rewrite(text: str) -> str:
    """Return a file whose functions ask for no sizes that they declare."""
    if "function" not in text or "size" not in text:
        return text
    changes: list[tuple[int, int, str]] = []
    for body, place in functions(blanked(text)):
        dimensions = _dimensions(body)
        for found in _SIZE.finditer(body):
            known = dimensions.get(found[1], ())
            k = int(found[2])
            if k <= len(known):
                lines = "\n" * body.count("\n", *found.span())
                changes.append((found.start() + place, found.end() + place, f"({known[k - 1]}){lines}"))
    return substituted(text, changes)


def _dimensions(body: str) -> dict[str, list[str]]:
    """Return the declared dimensions of results and local variables; none if the size follows from the value."""
    algorithm = _ALGORITHM.search(body)
    found: dict[str, list[str]] = {}
    position = 0
    while algorithm and (match := _DECLARED.search(body, position, algorithm.start())):
        position = match.end()
        kind, _, before, name, after = match.groups()
        written = [part.strip("[]") for part in (after, before) if part]
        dimensions = [d.strip() for part in written for d in part.split(",")]
        if kind != "input" and dimensions and not any(":" in d or "(" in d or not d for d in dimensions):
            found[name] = dimensions
    return found
