"""Parts of Modelica texts that rewrites look for. Everything works on texts in which strings and comments are blanked."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BLANKED = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_FUNCTION = re.compile(r"\bfunction\s+(?:extends\s+)?(\w+)\b(?!\s*[=.(,;)])")
_CLASS = re.compile(
    r"(?<!\bend )\b(?:package|model|block|class|connector|type|(?:operator\s+)?(?:function|record)|operator)\s+(?:extends\s+)?"
    r"([A-Za-z_]\w*)\b(?!\s*[=.(,;)])"
)
_WITHIN = re.compile(r"\s*within\s+([\w.]+)\s*;")
_SECTION = re.compile(r"\b(public|protected)\b")


def blanked(text: str) -> str:
    """Return the text with blanks in place of strings and comments: nothing else moves."""
    return _BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def functions(plain: str) -> Iterator[tuple[str, int]]:
    """Generate the functions with a body: what stands from their name to their ``end``, without functions within them, and
    where.
    """
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
    """Return the section that declarations at a place of a class belong to: ``public`` or ``protected``."""
    found = "public"
    for match in _SECTION.finditer(plain, 0, position):
        found = match[1]
    return found


def substituted(text: str, changes: list[tuple[int, int, str]]) -> str:
    """Return a text with parts replaced: (begin, end, what stands there then)."""
    for begin, end, new in sorted(changes, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


def closed_at(plain: str, position: int) -> int:
    """Find the end of the parenthesis that was opened before a place."""
    depth = 1
    for k in range(position, len(plain)):
        depth += {"(": 1, ")": -1}.get(plain[k], 0)
        if depth == 0:
            return k + 1
    return position


def class_spans(plain: str) -> Iterator[tuple[str, int, str]]:
    """Generate the classes with a body: name, where the body begins, and the body; blanks stand in it for the classes
    within.
    """
    spans = _spans(plain)
    for name, _, begin, end in spans:
        body = plain[begin:end]
        for _, inner, _, tail in spans:
            if begin < inner and tail < end:
                body = body[: inner - begin] + " " * (tail - inner) + body[tail - begin :]
        yield name, begin, body


def owners_at(plain: str, position: int) -> list[str]:
    """Return the classes that a place of a file is in, from the outside, with those that its ``within`` names."""
    within = _WITHIN.match(plain)
    owners = within[1].split(".") if within else []
    return owners + [name for name, _, begin, end in _spans(plain) if begin <= position < end]


def _spans(plain: str) -> list[tuple[str, int, int, int]]:
    """Return the classes with a body: name, where the class, its body, and its ``end`` begin."""
    spans = []
    for head in _CLASS.finditer(plain):
        tail = re.compile(rf"\bend\s+{head[1]}\s*;").search(plain, head.end())
        if tail:
            spans.append((head[1], head.start(), head.end(), tail.start()))
    return spans
