"""Parameters of ``inner`` components that something gives another value than their class does.

Where an ``outer`` component stands in a condition, the compiler chooses the branch by the default of its class, and says
nothing. So a model that has such parameters is compiled once more, with their values as the defaults: in the same place, for
nothing else may move. Where there is no room for a value the default is blank; then the compiler takes the right one, too, but
may need much memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .texts import blanked

_INNER = re.compile(r"\binner\s+(?:(?:replaceable|parameter|final|outer)\s+)*[\w.]+\s+(\w+)")
_END = re.compile(r"[;,)]|\bannotation\b|\bif\b")


def with_inner_values(trees: Mapping[str, Any], texts: Mapping[int, bytes]) -> dict[int, bytes]:
    """Return the files with other defaults, by the number that spans give; those that change only.

    A default that another component still needs stays.

    Args:
        trees: what the compiler answered.
        texts: the files that it read, by the same numbers.
    """
    inner = {name for text in texts.values() if b"inner" in text for name in _INNER.findall(blanked(_text(text)))}
    values: dict[tuple[int, int], set[str | None]] = {}
    for name, variable in trees["variables"].items():
        span = variable["source_span"]
        if span is not None and _is_structural(variable):
            given = bool(variable["binding_from_modification"]) and not inner.isdisjoint(name.split(".")[:-1])
            value = _written(variable["binding"], trees["variable_type_names"].get(name, "")) if given else None
            values.setdefault((span["source"], span["end"]), set()).add(value)
    found: dict[int, bytes] = {}
    for (source, end), written in values.items():
        if None not in written and source in texts:
            text = _text(found.get(source, texts[source]))
            begin, after = _default(text, end)
            new = f"={next(iter(written))}" if len(written) == 1 and "" not in written else ""
            if begin < after:
                found[source] = (text[:begin] + _in_place(text[begin:after], new) + text[after:]).encode("latin-1")
    return found


def _written(tree: Any, enumeration: str) -> str:
    """Return a value in Modelica; "" if it is no literal."""
    ((kind, what),) = tree.items()
    if kind == "Literal" and (value := what["value"].get("Boolean", what["value"].get("Integer"))) is not None:
        return str(value).lower()
    if kind == "VarRef" and what["name"]["name"].split(".")[-2:-1] == enumeration.split(".")[-1:]:
        return f"{enumeration}.{what['name']['name'].rpartition('.')[2]}"
    return ""


def _in_place(old: str, new: str) -> str:
    """Return a text in the place of another one; blanks if it is longer. Lines stay."""
    blank = re.sub(r"[^\n]", " ", old)
    first = blank.find("\n")
    room = len(blank) if first < 0 else first
    for begin in (0, room + 1):
        if len(blank[begin:].split("\n", maxsplit=1)[0]) >= len(new) and begin < len(blank):
            return blank[:begin] + new + blank[begin + len(new) :]
    return blank


def _is_structural(variable: Mapping[str, Any]) -> bool:
    """Return whether it is a parameter by which branches are chosen."""
    variability = variable["variability"]
    return not isinstance(variability, str) and "Parameter" in variability and bool(variable["is_discrete_type"])


def _text(content: bytes) -> str:
    """Return a text whose characters are the bytes: spans count these."""
    return content.decode("latin-1")


def _default(text: str, end: int) -> tuple[int, int]:
    """Find ``= default "description"`` behind a declared name; twice the same place if there is none."""
    plain = blanked(text[end : end + 4000])
    begin = len(plain) - len(plain.lstrip())
    if plain[begin : begin + 1] == "(":
        begin = _closed(plain, begin)
        begin += len(plain[begin:]) - len(plain[begin:].lstrip())
    if plain[begin : begin + 1] != "=":
        return end, end
    k = begin + 1
    while k < len(plain) and not _END.match(plain, k):
        k = _closed(plain, k) if plain[k] in "([{" else k + 1
    return end + begin, end + k


def _closed(plain: str, k: int) -> int:
    """Return the place behind the bracket that closes the one at k."""
    depth = 0
    for i in range(k, len(plain)):
        depth += (plain[i] in "([{") - (plain[i] in ")]}")
        if depth == 0:
            return i + 1
    return len(plain)
