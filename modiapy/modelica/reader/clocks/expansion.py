"""Clocked equations without clocks: memory that changes at ticks, from which the other equations compute constants.

What ``sample``, ``previous`` and conversions to slower clocks deliver is memory; a tick is an event at which a counter of the
base clock says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ....model.expression import ONE, TIME, Apply, Const, Equation, Expr, Name, add, apply, mul, rewrite, sub, walk
from ....symbolic.flat.flat_model import Variable, WhenBranch, WhenEquation
from ..terms.refusals import Refusal
from .operators import BACK, FIRST, HOLD, INTERVAL, NO_CLOCK, PREVIOUS, SAMPLE, SHIFT, SUB, SUPER, has_clocks
from .partitions import Clocked, Partitions
from .timing import Base, Times, step_of, times_of

if TYPE_CHECKING:
    from ..terms.context import Context


def expand_clocks(reading: Context, blocks: Sequence[Clocked]) -> None:
    """Take clocks, and the operators of clocked equations, out of the flat model that is read.

    Raises:
        Refusal: partitions whose clocks contradict each other or are not known, or what is not read.
    """
    flat = reading.flat
    given = [e for e in flat.equations if isinstance(e, Equation)]
    if not (reading.clocks or blocks or any(has_clocks(n) for e in given for n in walk(e.lhs, e.rhs))):
        return
    partitions = Partitions(flat, reading.clocks)
    partitions.find(given, blocks)
    _Expansion(reading, partitions).run()


@dataclass
class _Ticks:
    """The ticks of one partition: a Boolean that is true at them, their number, what changes at them."""

    times: Times
    flag: Name
    count: Name
    memory: dict[str, Expr] = field(default_factory=dict)


class _Expansion:
    def __init__(self, reading: Context, partitions: Partitions) -> None:
        self.reading, self.flat, self.partitions = reading, reading.flat, partitions
        self.times = times_of(partitions)
        self.ticks: dict[str, _Ticks] = {}
        self.made: list[Equation] = []

    def run(self) -> None:
        """Replace the equations of the flat model."""
        self._tickers()
        self._forget_initial_values()
        changed = [self._changed(e) for e in self.partitions.equations]
        self.flat.equations = [*changed, *self.made]
        for number, ticks in enumerate(self.ticks.values()):
            ticks.memory[ticks.count.name] = add(_pre(ticks.count), ONE)
            equations = tuple(Equation(Name(name), value, "") for name, value in ticks.memory.items())
            self.flat.whens.append(WhenEquation((WhenBranch((ticks.flag,), equations),), "", f"tick of clock {number + 1}"))

    def _variable(self, name: str, kind: str, start: float = 0.0) -> Name:
        self.flat.variables[name] = Variable(name, init=start, type=kind)
        return Name(name)

    # -- ticks ----------------------------------------------------------------------------------------------------------

    def _tickers(self) -> None:
        groups: dict[Base, list[str]] = {}
        for partition, times in self.times.items():
            groups.setdefault(times.base, []).append(partition)
        alike: dict[Times, _Ticks] = {}
        for base, members in groups.items():
            step = step_of([self.times[m] for m in members])
            if base.condition is not None and step.denominator != 1:
                raise Refusal(
                    "ticks between those of an event clock are not read",
                    path=members[0],
                    found=f"{SUPER}, or a part of a shift",
                )
            number = len(alike) + 1
            flag = self._variable(f"clock({number}).base", "Boolean")
            self.made.append(Equation(flag, self._base(base, step), "", f"ticks of the base clock {number}"))
            for member in members:
                times = self.times[member]
                if times not in alike:
                    alike[times] = self._part(times, flag, step, len(alike) + 1)
                self.ticks[member] = alike[times]
        self.by_partition, self.ticks = self.ticks, {t.count.name: t for t in alike.values()}

    def _base(self, base: Base, step: Fraction) -> Expr:
        if base.condition is None:
            begin = self.flat.defaults.get("start_time", 0.0)
            self.flat.start_time = begin
            return Apply("sample", (Const(begin), mul(Const(float(step)), base.unit)))
        return Apply("edge", (base.condition,))

    def _part(self, times: Times, base: Name, step: Fraction, number: int) -> _Ticks:
        """Return the ticks that are some of those of the base clock: a counter goes from 1 to ``every``, and says so at 1."""
        count = self._variable(f"clock({number}).ticks", "Integer")
        every, begin = times.every / step, times.begin / step
        if every == 1 and begin == 0:
            return _Ticks(times, base, count)
        place = self._variable(f"clock({number}).place", "Integer", -float(begin))
        following = apply("if", Apply(">=", (_pre(place), Const(float(every)))), ONE, add(_pre(place), ONE))
        when = WhenBranch((base,), (Equation(place, following, ""),))
        self.flat.whens.append(WhenEquation((when,), "", f"ticks of the base clock of clock {number}"))
        flag = self._variable(f"clock({number}).tick", "Boolean")
        value = apply("and", base, Apply("==", (place, ONE)))
        self.made.append(Equation(flag, value, "", f"ticks of clock {number}"))
        return _Ticks(times, flag, count)

    def _forget_initial_values(self) -> None:
        """Forget the initial values of clocked variables: they are those of ``previous``, whose equations hold at the
        start, too.
        """
        for name, variable in self.flat.variables.items():
            if (
                name in self.partitions._sets.parent
                and self.partitions.of(name) in self.by_partition
                and variable.init is not None
            ):
                self.flat.variables[name] = replace(variable, init=None, start=variable.init)
                bound = self.reading.parameters.bindings.pop(f"{name}.init", None)
                if bound is not None:
                    self.reading.parameters.bindings[f"{name}.start"] = bound

    # -- equations ------------------------------------------------------------------------------------------------------

    def _changed(self, equation: Equation) -> Equation:
        partition = self.partitions.of_equation(equation)
        own = None if partition is None else self.by_partition.get(partition)

        def change(node: Expr) -> Expr | None:
            if type(node) is not Apply:
                return None
            if own is not None and node.op == "der":
                raise Refusal(f"'{node}' in a clocked partition is not read", path=equation.path)
            if not has_clocks(node):
                return None
            if node.op == HOLD:
                return self._held(node.args[0])
            if own is None:
                raise Refusal(f"'{node}' belongs to no clock", path=equation.path)
            return self._operator(node, own)

        lhs, rhs = rewrite(equation.lhs, change), rewrite(equation.rhs, change)
        return Equation(lhs, rhs, equation.path, str(equation))

    def _operator(self, node: Apply, own: _Ticks) -> Expr:
        if node.op == FIRST:
            return Apply("<=", (self._of(node, own).count, ONE))
        if node.op == INTERVAL:
            return self._interval(self._of(node, own))
        operand = node.args[0]
        assert type(operand) is Name
        if node.op == SAMPLE:
            return self._memory(own, f"sample({operand})", operand, _pre(operand))
        if node.op == PREVIOUS:
            again = apply("if", Apply("<=", (own.count, ONE)), self._start(operand), _pre(operand))
            return self._memory(own, f"previous({operand})", operand, again)
        if node.op == SUPER:
            return operand
        if node.op in (SUB, SHIFT):
            return self._memory(own, f"{node.op}({operand})", operand, operand)
        assert node.op in (BACK, NO_CLOCK)
        return self._memory(own, f"{node.op}({operand})", operand, self._held(operand))

    def _of(self, node: Apply, own: _Ticks) -> _Ticks:
        """Return the clock of the operand, or of the equation."""
        if node.args and type(node.args[0]) is Name:
            return self.by_partition.get(self.partitions.of(node.args[0].name), own)
        return own

    def _memory(self, ticks: _Ticks, text: str, operand: Name, value: Expr) -> Name:
        """Return a variable that gets a value at ticks, and begins with the start value of the operand."""
        name = f"{text} of {ticks.count.name.partition('.')[0]}"
        if name not in ticks.memory:
            variable = self.flat.variables[operand.name]
            self.flat.variables[name] = Variable(name, init=float(variable.start or 0.0), type=variable.type)
            bound = self.reading.parameters.bindings.get(f"{operand.name}.start")
            if bound is not None:
                self.reading.parameters.bindings[f"{name}.init"] = bound
            ticks.memory[name] = value
        return Name(name)

    def _start(self, operand: Name) -> Expr:
        bound = self.reading.parameters.bindings.get(f"{operand.name}.start")
        return bound if bound is not None else Const(float(self.flat.variables[operand.name].start or 0.0))

    def _held(self, operand: Expr) -> Expr:
        """Return a clocked variable, or its start value before the first tick."""
        assert type(operand) is Name
        ticks = self.by_partition[self.partitions.of(operand.name)]
        return apply("if", Apply(">=", (ticks.count, ONE)), operand, self._start(operand))

    def _interval(self, ticks: _Ticks) -> Expr:
        base = ticks.times.base
        if base.condition is None:
            return mul(Const(float(ticks.times.every)), base.unit)
        prefix = ticks.count.name.partition(".")[0]
        last, interval = f"{prefix}.time", f"{prefix}.interval"
        if interval not in ticks.memory:
            self._variable(last, "Real")
            self._variable(interval, "Real")
            since = sub(TIME, _pre(Name(last)))
            ticks.memory[interval] = apply("if", Apply("<=", (ticks.count, ONE)), base.first, since)
            ticks.memory[last] = TIME
        return Name(interval)


def _pre(name: Name) -> Expr:
    return Apply("pre", (name,))
