"""The experiment annotation of a class: what its author recommends for a simulation. The compiler does not pass it on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...model.errors import ModelError
from .rewrites.texts import blanked

_KINDS = r"(?:package|model|block|class|connector|record|type|(?:operator\s+)?function|operator)"
_EXPERIMENT = re.compile(r"\bannotation\b.*?\bexperiment\s*\(((?:[^()]|\([^()]*\))*)\)", re.DOTALL)
_ENTRY = re.compile(r"(?<![\w.])(\w+)\s*=\s*([^,()]+)")
_FIELDS = {"StartTime": "start_time", "StopTime": "stop_time", "Interval": "interval", "Tolerance": "tolerance"}


@dataclass(frozen=True)
class Experiment:
    """Recommended settings of a simulation; None where the class says nothing.

    Attributes:
        start_time, stop_time: [s].
        interval: between stored points [s].
        tolerance: relative.
    """

    start_time: float | None = None
    stop_time: float | None = None
    interval: float | None = None
    tolerance: float | None = None


def class_span(text: str, names: list[str]) -> tuple[int, int] | None:
    """Find a class in a text, from its keyword to the end of its ``end Name``; None if it is not there.

    Args:
        text: with strings and comments blanked.
        names: the classes around it from the outside, then its own name.
    """
    begin, end = 0, len(text)
    for name in names:
        head = re.compile(rf"\b{_KINDS}\s+(?:extends\s+)?{re.escape(name)}\b(?!\s*\.)").search(text, begin, end)
        if head is None:
            return None
        short = re.compile(r"\s*=").match(text, head.end())
        tail = re.compile(r";" if short else rf"\bend\s+{re.escape(name)}\s*;").search(text, head.end(), end)
        if tail is None:
            return None
        begin, end = head.start(), tail.end()
    return begin, end


def experiment_of(text: str, names: list[str], file: str = "") -> Experiment:
    """Return the experiment annotation of a class in a text.

    Raises:
        ModelError: a value is no number.
    """
    plain = blanked(text)
    span = class_span(plain, names)
    match = None if span is None else _EXPERIMENT.search(plain, *span)
    values: dict[str, float] = {}
    for name, written in _ENTRY.findall(match[1]) if match else ():
        if name in _FIELDS:
            try:
                values[_FIELDS[name]] = float(written)
            except ValueError:
                line = plain.count("\n", 0, match.start(1) if match else 0) + 1
                raise ModelError(
                    f"{name} of the experiment annotation is no number",
                    path=".".join(names),
                    found=repr(written.strip()),
                    expected="a number such as 1.5",
                    file=file,
                    line=line,
                ) from None
    return Experiment(**values)
