"""Loops with a condition, ``break`` and ``return`` in functions: flattened well, but refused by what the compiler does next.

They are passed through as what it accepts, and become in the flat trees again what they were: ``while c loop`` is a ``for``
loop over ``modia_while`` that begins with ``modia_condition := c``; ``break`` and ``return`` are assignments to
``modia_flow``. ``Streams.error(message)`` is ``assert(false, message)``. A local number or a result that only
some branches assign gets a value at its declaration, which nothing reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .texts import blanked, functions, substituted

_WORDS = re.compile(r"\b(end\s+while|while|loop|break|return|algorithm|protected)\b")
_LOCAL = re.compile(
    r"^[ \t]*(output[ \t]+)?(Real|Integer|Boolean|(?:Modelica\.)?(?:Units\.)?SI\.\w+)[ \t]+(\w+)(?=[ \t]*(?:$|;))", re.MULTILINE
)
_ERROR = re.compile(r"\b(?:Modelica\.)?(?:Utilities\.)?Streams\.error\s*\(")
_FLOW = ("", "Break", "Return")
_BARE_ERROR = re.compile(r"(?<![\w.])error\s*\(")
_IMPORTED = re.compile(r"\bimport\s+Modelica\.Utilities\.Streams\.error\s*;")
_DECLARED = (
    "protected function modia_opaque input Integer u; output Integer y; "
    'external "C" y = modia_opaque(u) annotation(Include="modia"); end modia_opaque; '
    "Boolean modia_condition=false; Integer modia_flow=0; algorithm modia_flow := modia_opaque(0);"
)
"""The compiler evaluates functions of parameters itself, to choose branches. What it was given instead would give it other
values; what it does not know keeps it from that."""


def rewrite(text: str, kept: Callable[[str], bool] = lambda body: False) -> str:
    """Return a file whose functions have none of these statements.

    Args:
        text: the file.
        kept: which functions stay as they are written, by what stands in them.
    """
    if "function" not in text or "loop" not in text:
        return text
    plain = blanked(text)
    changes: list[tuple[int, int, str]] = []
    for body, place in functions(plain):
        if kept(body):
            continue
        changes += [(begin + place, end + place, new) for begin, end, new in _changes(body)]
        changes += [(place + found.start(), place + found.end(), "assert(false, ") for found in _ERROR.finditer(body)]
        if _IMPORTED.search(body):
            changes += [(place + found.start(), place + found.end(), "assert(false, ") for found in _BARE_ERROR.finditer(body)]
    return substituted(text, changes)


def _changes(plain: str) -> list[tuple[int, int, str]]:
    words = list(_WORDS.finditer(plain))
    kinds = [" ".join(word[1].split()) for word in words]
    if kinds.count("algorithm") != 1 or not {"loop", "break", "return"} & set(kinds):
        return []
    found: list[tuple[int, int, str]] = []
    opened = False
    for word, kind in zip(words, kinds, strict=True):
        if kind == "algorithm" and {"while", "break", "return"} & set(kinds):
            found.append((*word.span(), _DECLARED))
        elif kind == "while":
            found.append((*word.span(), "for modia_while in 1:1 loop modia_condition :="))
            opened = True
        elif kind == "loop" and opened:
            found.append((*word.span(), ";"))
            opened = False
        elif kind == "end while":
            found.append((*word.span(), "end for"))
        elif kind in ("break", "return"):
            found.append((*word.span(), f"modia_flow := {_FLOW.index(kind.capitalize())}"))
    algorithm = words[kinds.index("algorithm")].start()
    hidden = next((word.end() for word, kind in zip(words, kinds, strict=True) if kind == "protected"), algorithm)
    for local in _LOCAL.finditer(plain, 0, algorithm):
        if local[1] is None and local.start() < hidden - 1:
            continue
        found.append((local.end(), local.end(), "=false" if local[2] == "Boolean" else "=0"))
    return found


def restore(trees: dict[str, Any]) -> None:
    """Give functions of flat trees the statements that were written."""
    for name in [name for name in trees["functions"] if name.endswith(".modia_opaque")]:
        del trees["functions"][name]
    for function in trees["functions"].values():
        function["body"] = _restored(function["body"])
        function["locals"] = [entry for entry in function["locals"] if not entry["name"].startswith("modia_")]


def _restored(node: Any) -> Any:
    if isinstance(node, list):
        return [_statement(entry) for entry in node if not _is_opaque(entry)]
    if isinstance(node, dict):
        return {name: _restored(entry) for name, entry in node.items()}
    return node


def _statement(node: Any) -> Any:
    if not isinstance(node, dict):
        return _restored(node)
    if "Assignment" in node:
        assigned = node["Assignment"]
        if assigned["comp"]["parts"][0]["ident"] == "modia_flow":
            return {_FLOW[assigned["value"]["Literal"]["value"]["Integer"]]: {"span": assigned.get("span")}}
    if "For" in node and node["For"]["indices"][0]["ident"] == "modia_while":
        condition, *rest = node["For"]["equations"]
        return {"While": {"block": {"cond": condition["Assignment"]["value"], "stmts": _restored(rest)}}}
    return _restored(node)


def _is_opaque(node: Any) -> bool:
    """Return whether it is the statement that keeps the compiler from evaluating a function, or one that means nothing."""
    if not isinstance(node, dict) or "Assignment" not in node:
        return False
    assigned = node["Assignment"]
    name = assigned["comp"]["parts"][0]["ident"]
    return bool(name == "modia_nothing" or (name == "modia_flow" and "FunctionCall" in assigned["value"]))
