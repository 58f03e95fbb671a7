"""Statements of an algorithm section in Modelica text: where each begins and ends, and of which parts it consists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_GOES_ON = re.compile(r"(?:[-+*/^<>=,({\[]|\b(?:then|else|and|or|not))$")
_ENDS = {
    "end",
    "else",
    "elseif",
    "elsewhen",
    "equation",
    "algorithm",
    "initial",
    "public",
    "protected",
    "annotation",
    "external",
}
_OPEN = {"if": "then", "when": "then", "for": "loop"}


class Unparsed(Exception):
    """The text is no statement that is known here."""


@dataclass
class Branch:
    """A part of a compound statement.

    Attributes:
        head: where its keyword stands (``if``, ``elseif``, ``else``, ``for``, ``when``, ``elsewhen``).
        condition: where its condition, or what stands between ``for`` and ``loop``, is; empty for ``else``.
        opened: where the keyword ``then`` or ``loop`` begins and ends; ``else`` itself for that branch.
        body: its statements.
    """

    head: tuple[int, int]
    condition: tuple[int, int]
    opened: tuple[int, int]
    body: list[Statement] = field(default_factory=list)


@dataclass
class Statement:
    """One statement.

    Attributes:
        kind: ``if``, ``for``, ``when``, ``break``, ``set`` (``a := b``), ``call``, ``results`` (``(a, b) := f(x)``).
        span: all of it, with its semicolon.
        parts: of simple statements: what is assigned and the value; the name of a function and its arguments.
        branches: of compound ones.
        last: of compound ones: ``end if;`` and so on.
    """

    kind: str
    span: tuple[int, int]
    parts: list[tuple[int, int]] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    last: tuple[int, int] = (0, 0)


def statements_at(plain: str, position: int) -> tuple[list[Statement], int]:
    """Return the statements that begin at a place, and where something else stands.

    Args:
        plain: text in which strings and comments are blank.
        position: where the first one may begin.

    Raises:
        Unparsed: something there is not known.
    """
    found: list[Statement] = []
    while True:
        begin = _next(plain, position)
        word = _WORD.match(plain, begin)
        if begin == len(plain) or (word and word[0] in _ENDS):
            return found, begin
        if word and word[0] in _OPEN:
            found.append(_compound(plain, begin, word[0]))
        elif word and word[0] in ("while", "return"):
            raise Unparsed(word[0])
        elif word and word[0] == "break":
            found.append(Statement("break", (begin, _at_depth(plain, begin, ";") + 1)))
        else:
            found.append(_simple(plain, begin))
        position = found[-1].span[1]


def names_assigned(plain: str, statements: list[Statement]) -> Iterator[str]:
    """Generate the names of what simple statements assign, without subscripts at their end."""
    for statement in statements:
        if statement.kind in ("set", "results"):
            targets = statement.parts[:-1] if statement.kind == "results" else statement.parts[:1]
            for begin, end in targets:
                name = plain[begin:end].strip()
                if name:
                    yield re.sub(r"\s*\[[^\[\]]*\]$", "", name)
        for branch in statement.branches:
            yield from names_assigned(plain, branch.body)


def _compound(plain: str, begin: int, kind: str) -> Statement:
    statement = Statement(kind, (begin, begin))
    position, word = begin, kind
    while True:
        head = (position, position + len(word))
        if word == "else":
            branch = Branch(head, (head[1], head[1]), head)
        else:
            opened = _keyword(plain, head[1], _OPEN[kind])
            branch = Branch(head, (head[1], opened[0]), opened)
        statement.branches.append(branch)
        branch.body, position = statements_at(plain, branch.opened[1])
        found = _WORD.match(plain, position)
        word = found[0] if found else ""
        if word not in ("else", "elseif", "elsewhen"):
            break
    end = re.compile(rf"end\s+{kind}\s*;").match(plain, position)
    if not end:
        raise Unparsed(kind)
    statement.last, statement.span = end.span(), (begin, end.end())
    return statement


def _simple(plain: str, begin: int) -> Statement:
    end = _at_depth(plain, begin, ";")
    assigned = _at_depth(plain, begin, ":=", end)
    span = (begin, end + 1)
    if assigned < end and plain[begin] == "(":
        closed = plain.rindex(")", begin, assigned)
        return Statement("results", span, [*_list(plain, begin + 1, closed), _value(plain, assigned + 2, end)])
    if assigned < end:
        return Statement("set", span, [(begin, assigned), _value(plain, assigned + 2, end)])
    opened = plain.find("(", begin, end)
    if opened < 0:
        raise Unparsed(plain[begin:end])
    closed = plain.rindex(")", begin, end)
    return Statement("call", span, [(begin, opened), *_list(plain, opened + 1, closed)])


def _list(plain: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return the spans that commas separate."""
    found = []
    while True:
        comma = _at_depth(plain, begin, ",", end)
        found.append((begin, comma))
        if comma >= end:
            return found
        begin = comma + 1


def _at_depth(plain: str, begin: int, wanted: str, end: int | None = None) -> int:
    """Find a mark outside of parentheses; return ``end`` if there is none."""
    depth = 0
    for k in range(begin, len(plain) if end is None else end):
        if depth == 0 and plain.startswith(wanted, k):
            return k
        depth += _DEPTH.get(plain[k], 0)
    if end is None:
        raise Unparsed(f"no '{wanted}'")
    return end


def _keyword(plain: str, begin: int, wanted: str) -> tuple[int, int]:
    """Find the keyword that ends a condition: ``then`` of an expression within is another one."""
    depth = 0
    for word in _WORD.finditer(plain, begin):
        if word[0] == wanted and depth == 0:
            return word.span()
        depth += {"if": 1, "elseif": 1, "then": -1}.get(word[0], 0) if wanted == "then" else 0
    raise Unparsed(f"no '{wanted}'")


def _next(plain: str, position: int) -> int:
    while position < len(plain) and plain[position].isspace():
        position += 1
    return position


def _value(plain: str, begin: int, end: int) -> tuple[int, int]:
    """Return a value without the description behind it; a text that belongs to it is blank, too."""
    text = plain[begin:end].rstrip()
    return begin, end if not text or _GOES_ON.search(text) else begin + len(text)
