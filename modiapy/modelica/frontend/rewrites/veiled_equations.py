"""Equations of discrete variables that the compiler's next stage does not take, veiled as statements are (`model_algorithms`).

These are chains of connections with elements of arrays, and numbers of enumeration values (``Integer(e)``). A connection of
signals is an equation. A connector that is more than a scalar or an array of scalars is refused by the compiler then,
so that flows are never made equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .texts import blanked, substituted
from .veiled_statements import EQUATION

_CONNECT = re.compile(r"\s*connect\s*\(([^(),;]+),([^(),;]+)\)[^;]*")
_EQUALS = re.compile(r"(?<![<>:=])=(?!=)")
_NUMBER = re.compile(r"(?<![\w.])Integer\s*\(")
_SECTION = re.compile(r"\b(initial\s+)?(equation|algorithm)\b")
_HEAD = re.compile(r"\s*(?:for\b[^;]*?\bloop\b|if\b|when\b|else\b|elseif\b|elsewhen\b|end\b)")
_CLASS = re.compile(r"\s*(?:public|protected|annotation)\b")


def rewrite(text: str) -> str:
    """Return a file in which such equations are veiled; those under conditions stay."""
    if "connect" not in text and not _NUMBER.search(text):
        return text
    plain = blanked(text)
    changes = []
    for found in _SECTION.finditer(plain):
        if not found[1] and found[2] == "equation":
            for begin, end in _unconditional(plain, found.end()):
                new = _veiled(text, plain, begin, end)
                if new:
                    changes.append((begin, end, new + "\n" * (text.count("\n", begin, end) - new.count("\n"))))
    return substituted(text, changes)


def _veiled(text: str, plain: str, begin: int, end: int) -> str:
    """Return an equation or connection in other words; "" if it is to stay."""
    connection = _CONNECT.fullmatch(plain, begin, end)
    if connection and "[" in connection[0]:
        spans = [connection.span(1), connection.span(2)]
    elif not connection and _NUMBER.search(plain, begin, end):
        equals = [found for found in _EQUALS.finditer(plain, begin, end) if _depth(plain, begin, found.start()) == 0]
        if len(equals) != 1:
            return ""
        last = begin + len(plain[begin:end].rstrip())
        spans = [(begin, equals[0].start()), (equals[0].end(), last)]
    else:
        return ""
    sides = ", ".join(text[a:b] for a, b in spans)
    return f' assert(size({{{sides}}},1)==2, "{EQUATION}")'


def _unconditional(plain: str, position: int) -> Iterator[tuple[int, int]]:
    """Generate the places of the unconditional equations of a section, from their first character to their semicolon."""
    conditions = 0
    while True:
        head = _HEAD.match(plain, position)
        end = plain.find(";", position)
        if end < 0 or _CLASS.match(plain, position) or _SECTION.match(plain, position + _blanks(plain, position)):
            return
        word = head[0].split()[0] if head else ""
        if word == "for":
            position = head.end()  # type: ignore[union-attr]
            continue
        if word == "end":
            closed = plain[head.end() : end].split()  # type: ignore[union-attr]
            if closed not in (["for"], ["if"], ["when"]):
                return
            conditions -= closed != ["for"]
        elif word in ("if", "when"):
            conditions += 1
        elif not word and not conditions:
            yield position, end
        position = end + 1


def _blanks(plain: str, position: int) -> int:
    rest = plain[position:]
    return len(rest) - len(rest.lstrip())


def _depth(plain: str, begin: int, end: int) -> int:
    part = plain[begin:end]
    return sum(map(part.count, "([{")) - sum(map(part.count, ")]}"))
