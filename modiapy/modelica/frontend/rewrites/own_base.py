"""A model that extends a class declared within itself, as masses with friction and stop do: the compiler mixes up both scopes.

What the inner class declares is declared by the outer one instead, which means the same.
"""

from __future__ import annotations

import re

from .texts import blanked, substituted

_INNER = re.compile(r"\bencapsulated\s+partial\s+model\s+(\w+)")
_IMPORT = re.compile(r"\bimport\s+Modelica\s*;")
_ANNOTATION = re.compile(r"\bannotation\s*\(")
_SECTION = re.compile(r"\bequation\b")


def rewrite(text: str) -> str:
    """Return a file without such models."""
    if "encapsulated" not in text:
        return text
    plain = blanked(text)
    changes: list[tuple[int, int, str]] = []
    for inner in _INNER.finditer(plain):
        name = inner[1]
        extends = re.compile(rf"\bextends\s+{name}\s*;").search(plain)
        end = re.compile(rf"\bend\s+{name}\s*;").search(plain, inner.end())
        section = _SECTION.search(plain, inner.end(), end.start()) if end else None
        if extends and end and section:
            head = text[inner.end() :].lstrip()
            described = len(text) - inner.end() - len(head) + (head.index('"', 1) + 1 if head.startswith('"') else 0)
            changes.append((inner.start(), inner.end() + described, _lines(text[inner.start() : inner.end() + described])))
            last = list(_ANNOTATION.finditer(plain, section.end(), end.start()))
            begin = last[-1].start() if last else end.start()
            changes.append((begin, end.end(), "public" + _lines(text[begin : end.end()])))
            changes.append((*extends.span(), ""))
            changes += [(*found.span(), "") for found in _IMPORT.finditer(plain, inner.end(), end.start())]
    return substituted(text, changes)


def _lines(text: str) -> str:
    return "\n" * text.count("\n")
