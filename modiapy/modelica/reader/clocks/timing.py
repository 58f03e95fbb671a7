"""Times at which the clocks of partitions tick: each is a part of the ticks of a base clock that related ones share.

Source: Modelica Language Specification 3.6, sections 16.3, 16.5.2 and 16.7.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from ....model.expression import ONE, ZERO, Apply, Const, Expr, Name
from ..terms.refusals import Refusal
from .operators import BACK, CLOCK, SHIFT, SUB, SUPER
from .partitions import Conversion, Partitions


@dataclass(frozen=True)
class Base:
    """Base clock: it ticks every ``unit`` seconds times a number, or whenever ``condition`` becomes true.

    Attributes:
        unit: seconds; an expression of parameters.
        condition: a Boolean; None for a periodic clock.
        first: ``interval`` of an event clock at its first tick.
    """

    unit: Expr = ONE
    condition: Expr | None = None
    first: Expr = ZERO


@dataclass(frozen=True)
class Times:
    """Ticks of one clock: number ``begin``, ``begin + every``, ... of the base clock, in its units."""

    base: Base
    every: Fraction
    begin: Fraction = Fraction(0)


def times_of(partitions: Partitions) -> dict[str, Times]:
    """Return the ticks of all clocked partitions.

    Raises:
        Refusal: clocks that contradict each other, or that nothing determines.
    """
    found: dict[str, Times] = {}
    for partition, definitions in partitions.definitions.items():
        for definition in definitions:
            _agree(found, partition, _defined(definition, partitions))
    _spread(found, partitions)
    results = {c.result for c in partitions.conversions}
    for partition in sorted(partitions.clocked, key=lambda p: (p in results, p)):
        if partition not in found and not _is_undetermined(partition, partitions, found):
            found[partition] = Times(Base(), Fraction(1))  # what nothing determines ticks each second
            _spread(found, partitions)
    missing = sorted(partitions.clocked - found.keys())
    if missing:
        raise Refusal("the factor between two clocks is not known", path=missing[0], remedy="Write it, or give both a clock.")
    return found


def _spread(found: dict[str, Times], partitions: Partitions) -> None:
    """Follow all conversions whose numbers are known, in both directions."""
    changed = True
    while changed:
        changed = False
        for c in partitions.conversions:
            if _is_inferred(c):
                continue
            if c.source in found:
                changed |= _agree(found, c.result, _converted(found[c.source], c, 1))
            elif c.result in found:
                changed |= _agree(found, c.source, _converted(found[c.result], c, -1))


def _is_undetermined(partition: str, partitions: Partitions, found: Mapping[str, Times]) -> bool:
    """Return whether a conversion without a factor relates a partition to one that has a clock."""
    return any(
        (c.source == partition and c.result in found) or (c.result == partition and c.source in found)
        for c in partitions.conversions
        if _is_inferred(c)
    )


def _is_inferred(c: Conversion) -> bool:
    return c.op in (SUB, SUPER) and (not c.numbers or c.numbers[0] == 0)


def _converted(times: Times, c: Conversion, direction: int) -> Times:
    if c.op in (SUB, SUPER):
        factor = Fraction(c.numbers[0]) ** (direction if c.op == SUB else -direction)
        return Times(times.base, times.every * factor, times.begin)
    shift = Fraction(c.numbers[0], c.numbers[1] if len(c.numbers) > 1 else 1) * times.every
    sign = direction if c.op == SHIFT else -direction
    begin = times.begin + sign * shift
    if begin < 0:
        raise Refusal(f"'{BACK}' begins before the clock does", path=c.result, found=f"{float(begin):g}")
    return Times(times.base, times.every, begin)


def _agree(found: dict[str, Times], partition: str, times: Times) -> bool:
    """Set the ticks of a partition; return whether they are new."""
    known = found.setdefault(partition, times)
    if known != times:
        raise Refusal(
            "two clocks meet in one partition",
            path=partition,
            found=f"{_said(known)}, and {_said(times)}",
            remedy="Connect them by a conversion, or by hold and sample.",
        )
    return known is times


def _said(times: Times) -> str:
    every = f"every {times.every} of {times.base.condition or f'{times.base.unit} s'}"
    return f"{every} from {times.begin}" if times.begin else every


def _defined(definition: Apply, partitions: Partitions) -> Times:
    """Return the ticks of ``Clock(...)``."""
    first, *more = definition.args
    if partitions.kind(first) == "Boolean":
        return Times(Base(condition=first, first=more[0] if more else ZERO), Fraction(1))
    if type(first) is not Const:
        if more or (type(first) is Name and first.name in partitions.flat.variables):
            raise Refusal(f"'{definition}': the interval of a clock that changes is not read")
        return Times(Base(unit=first), Fraction(1))
    every = Fraction(repr(float(first.value)))
    if more:
        if type(more[0]) is not Const:
            raise Refusal(f"'{CLOCK}({definition})': the resolution must be a number")
        every /= Fraction(int(more[0].value))
    if every <= 0:
        raise Refusal("the interval of a clock is not positive", found=f"{float(every):g}")
    return Times(Base(), every)


def step_of(times: list[Times]) -> Fraction:
    """Return the largest step of a base clock of which all ticks of these clocks are multiples."""
    parts = [part for t in times for part in (t.every, t.begin) if part]
    return Fraction(gcd(*(p.numerator * (_common(parts) // p.denominator) for p in parts)), _common(parts))


def _common(parts: list[Fraction]) -> int:
    return lcm(*(p.denominator for p in parts))
