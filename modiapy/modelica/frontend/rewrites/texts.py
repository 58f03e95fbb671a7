"""Parts of Modelica texts that rewrites look for. Everything works on texts in which strings and comments are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANKED = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_FUNCTION = re.compile(r"\bfunction\s+(?:extends\s+)?(\w+)\b(?!\s*[=.(,;)])")
_SECTION = re.compile(r"\b(public|protected)\b")


def blanked(text: str) -> str:
    """The text with blanks in place of strings and comments: nothing else moves."""
    return _BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def functions(plain: str) -> Iterator[tuple[str, int]]:
    """Functions with a body: what stands from their name to their ``end``, without functions within them, and where."""
    spans = []
    for head in _FUNCTION.finditer(plain):
        tail = re.compile(rf"\bend\s+{head[1]}\s*;").search(plain, head.end())
        if tail:
            spans.append((head.end(), tail.start()))
    for begin, end in spans:
        body = plain[begin:end]
        for inner, tail_of_inner in spans:
            if begin < inner and tail_of_inner < end:
                body = body[: inner - begin] + " " * (tail_of_inner - inner) + body[tail_of_inner - begin :]
        yield body, begin


def section_at(plain: str, position: int) -> str:
    """Whether declarations at a place of a class are ``public`` or ``protected``."""
    found = "public"
    for match in _SECTION.finditer(plain, 0, position):
        found = match[1]
    return found


def substituted(text: str, changes: list[tuple[int, int, str]]) -> str:
    """A text with parts replaced: (begin, end, what stands there then)."""
    for begin, end, new in sorted(changes, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def closed_at(plain: str, position: int) -> int:
    """Where the parenthesis that was opened before a place is closed."""
    depth = 1
    for k in range(position, len(plain)):
        depth += {"(": 1, ")": -1}.get(plain[k], 0)
        if depth == 0:
            return k + 1
    return position
