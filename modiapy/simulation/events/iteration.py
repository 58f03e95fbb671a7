"""Iteration at one instant: relations settle, states are re-initialised, ``pre(v)`` becomes v, until nothing changes.

Source of the semantics: Modelica Language Specification 3.6, section 8.6 (event iteration), 8.3.6 (reinit), 16 (clocks).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...acausal.protocol import Mode
from ...model.errors import NumericalError, SimulationError
from ...model.expression import evaluate
from ...symbolic.hybrid.discrete import FLAGS_PER_TICKER, Ticker
from ...symbolic.hybrid.when import Reinit
from ..evaluation.explanation import explain
from ..evaluation.machine import EvaluationFailure, Machine
from ..evaluation.relations import Relations
from ..files.schema import each, real, record, whole

MAX_ITERATIONS = 200
"""Number of iterations, of relations or of discrete variables, from which on an event is considered not to settle."""

MAX_TICKS = 1e8
"""Number of ticks of one clock from which on the interval is considered a mistake: the events would take a day."""

EXACT = 5
"""After so many iterations an indicator that is nearly zero counts as zero, see `Relations.update`."""

SIMULTANEOUS = 20
"""So often all relations change at once; after that the first one that wants to, which ends more often but takes longer."""


class Unsettled(NumericalError):
    """Relations or discrete variables that make one another change for ever."""


class EventIteration:
    """Iterations at events, on the memory of a machine.

    Args:
        machine: its memory is set to the beginning of the simulation.
        start_time: of the simulation [s]; clocks count from here.
        mode_name: description of a relation or time event by its number.

    Attributes:
        resetting: numbers of the relations that have re-initialised states when they crossed zero.
        continuous: for each remembered value whether it is one of a continuous variable.
        remembers: whether there is anything to iterate but relations.
    """

    def __init__(self, machine: Machine, start_time: float, mode_name: Callable[[int], str]) -> None:
        self.machine, self.relations, self.mode_name = machine, Relations(machine), mode_name
        self.discrete = machine.sorted.discrete
        self.tickers = [_Ticks(ticker, machine, start_time) for ticker in self.discrete.tickers]
        self._near = math.nan
        self._crossed: Sequence[int] = ()
        self.resetting: set[int] = set()
        discrete = self.discrete
        self.remembers = bool(machine.memory.pre.size or discrete.reinits or discrete.array_reinits or self.tickers)
        sizes = np.diff([*machine.layout.remembered.values(), machine.memory.pre.size])
        self.continuous = np.repeat([not m.discrete for m in (*discrete.memory, *discrete.array_memory)], sizes).astype(bool)
        self._reinits = [(r, *machine.state_elements(r.state)) for r in discrete.reinits]
        self._array_reinits = [(r, *machine.state_elements(r.state)) for r in discrete.array_reinits]
        if self.remembers:
            machine.memory.pre[:] = machine.sorted.initial_memory(machine.flat.variables, machine.flat.shapes)
            machine.memory.flags[:] = 0.0

    def check_ticks(self, stop_time: float) -> None:
        """Refuse a clock with more ticks until ``stop_time`` [s] than a simulation can carry out.

        Raises:
            SimulationError: names the clock.
        """
        for ticks, ticker in zip(self.tickers, self.discrete.tickers, strict=True):
            distance = ticks.interval * ticks.factor
            if stop_time - ticks.next_time > MAX_TICKS * distance:
                raise SimulationError(
                    f"'{ticker.clock or f'sample({ticker.start}, {ticker.interval})'}' ticks too often",
                    time=ticks.next_time,
                    found=f"{(stop_time - ticks.next_time) / distance:.2g} ticks at distances of {distance:g} s",
                    expected=f"at most {MAX_TICKS:g} ticks",
                    remedy="Check the unit of the interval (seconds), or simulate a shorter time.",
                )

    def state(self) -> dict[str, Any]:
        """Return the data of this event that later events need, for `restore`."""
        return {
            "ticks": [ticks.count for ticks in self.tickers],
            "near": self._near,
            "resetting": sorted(self.resetting),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` returned. Raises Damaged if it is something else."""
        record(ticks=each(whole, len(self.tickers)), near=real, resetting=each(whole))(state, "iteration")
        self.put_back(state)

    def put_back(self, state: Mapping[str, Any]) -> None:
        """Restore what `state` of this iteration returned."""
        for ticks, count in zip(self.tickers, state["ticks"], strict=True):
            ticks.count = count
        self._near = state["near"]
        self.resetting = set(state["resetting"])

    def next_tick(self) -> float:
        """Return the time of the next tick [s]; infinite if there are no tickers."""
        return min((ticks.next_time for ticks in self.tickers), default=math.inf) if self.tickers else math.inf

    def ticks(self, time: float) -> bool:
        """Return whether a ticker ticks now."""
        return any(ticks.is_due(time) for ticks in self.tickers)

    def note_rest(self, time: float, x: np.ndarray, crossed: Sequence[int], again: bool) -> list[int]:
        """See `Relations.note_rest`; relations that have re-initialised states when they crossed zero do not rest."""
        self._crossed = crossed
        return self.relations.note_rest(time, x, crossed, again, self.resetting)

    @property
    def decides(self) -> bool:
        """True if equations may have to decide something at an event: there are relations, time events or remembered values."""
        return bool(self.remembers or self.machine.n_relations or self.machine.memory.after.size)

    def begin(self, time: float, x: np.ndarray, *, ticking: bool = True, arriving: bool = True) -> None:
        """Begin an event: remember the left limits of all variables; if ``ticking``, let tickers tick that are due.

        Args:
            time, x: of the event.
            ticking: let tickers tick that are due.
            arriving: relations may cross zero here. At the initial event they do not: they begin there.
        """
        if self.remembers:
            self.relations.keep_left_limits(time, x, self.continuous)
        if arriving:
            self.relations.arrive(time, x, self._crossed, remembered=self.remembers)
        for k, ticks in enumerate(self.tickers):
            if ticking and ticks.is_due(time):
                ticks.count += 1
                self.machine.memory.flags[FLAGS_PER_TICKER * k] = 1.0

    def leaving(self, time: float, x: np.ndarray) -> tuple[list[int], list[bool], bool]:
        """See `Relations.leaving`."""
        return self.relations.leaving(time, x)

    def run(self, time: float, x: np.ndarray, mode: int = Mode.DERIVATIVES) -> bool:
        """Iterate until nothing changes; return whether anything did. ``x`` is changed if states are re-initialised.

        At the initial event (INITIAL mode) ``pre(v)`` becomes v once, at its end.

        Raises:
            SimulationError: it does not settle; names the relations or variables. A user's function raised an exception.
        """
        machine = self.machine
        if not (self.remembers or machine.n_indicators or machine.memory.after.size or mode & Mode.INITIAL):
            return False
        memory = machine.memory
        begin = [(array, array.copy()) for array in (memory.modes, memory.after, memory.pre, memory.flags, x)]
        try:
            return self._run(time, x, mode)
        except Unsettled:
            if mode & Mode.INITIAL or not self.remembers:
                raise
            for array, values in begin:
                array[:] = values
            if not self._run_together(time, x, mode):
                raise
            return True

    def _run_together(self, time: float, x: np.ndarray, mode: int) -> bool:
        """Iterate with relations and remembered values that change at once; return False if they do not settle.

        A relation that is true for one iteration only is then seen by the equations that remember it. Example: a clutch slips
        because the torque has reached its limit. It remembers that it began to slip, and continues although the torque is
        smaller then.
        """
        for _ in range(MAX_ITERATIONS):
            self.relations.forget_decisions()
            changed = self.relations.update(time, x, mode)
            self._check_functions(time, x, mode)
            if not self._advance(x) and not changed.size:
                return True
        return False

    def _run(self, time: float, x: np.ndarray, mode: int) -> bool:
        """Iterate, and let relations settle before any value is remembered."""
        changed = self._settle_relations(time, x, mode).size > 0
        self._check_functions(time, x, mode)
        if mode & Mode.INITIAL:
            return bool(self._advance(x)) or changed
        different: list[str] = []
        relations = np.zeros(0, dtype=int)
        for iteration in range(MAX_ITERATIONS):
            different = self._advance(x)
            if not self.relations.forget_decisions() and not different:
                return changed
            relations = self._settle_relations(time, x, mode)
            self._check_functions(time, x, mode)
            if not relations.size and not different:
                return changed
            if iteration == SIMULTANEOUS and not different:
                self._leap(time, x, mode)
            changed = True
        if not different:
            raise self._unsettled_relations(time, relations)
        raise Unsettled(
            f"the discrete variables do not settle in {MAX_ITERATIONS} iterations at an event",
            time=time,
            path=next((name for name in different if name in self.machine.table), ""),
            found=f"changes of {', '.join(different)}",
            expected="values that stay when pre(...) has become the present value",
            remedy="Each change makes another one; break the chain between them.",
        )

    def _check_functions(self, time: float, x: np.ndarray, mode: int) -> None:
        """Refuse a value that is missing because a user's function raised an exception: it would be remembered from now on.

        The same holds for new values of states, whatever the reason.
        """
        machine = self.machine
        unset = next(self._unset(), None)
        if unset is None and not (np.isnan(machine.memory.current) > np.isnan(machine.memory.pre)).any():
            return
        reason = explain(machine, time, x, initial=bool(mode & Mode.INITIAL))
        if reason is not None and (unset is not None or reason.__cause__ is not None):
            raise reason
        if unset is not None:
            message = f"the state '{unset.state}' gets no finite value by '{unset.text}'"
            raise SimulationError(message, time=time, path=unset.path)

    def _unset(self) -> Iterator[Reinit]:
        """Generate the re-initialisations that are due, with values that are not finite."""
        machine = self.machine
        if not np.isfinite(machine.memory.reinits).all():
            for (reinit, *_), (active, value) in zip(self._reinits, machine.memory.reinits.reshape(-1, 2), strict=True):
                if active and not math.isfinite(value):
                    yield reinit
        if not np.isfinite(machine.memory.array_reinits).all():
            for (reinit, place, _), first in zip(self._array_reinits, machine.layout.reinits, strict=True):
                values = machine.memory.array_reinits[first + 1 : first + 1 + place.stop - place.start]
                if machine.memory.array_reinits[first] and not np.isfinite(values).all():
                    yield reinit

    def _advance(self, x: np.ndarray) -> list[str]:
        """Begin the next iteration: re-initialise states, make the present values the previous ones; return the changes."""
        machine = self.machine
        both_missing = np.isnan(machine.memory.current) & np.isnan(machine.memory.pre)
        changed = np.flatnonzero((machine.memory.current != machine.memory.pre) & ~both_missing)
        different = [machine.remembered[k] for k in changed]
        before = len(different)
        for (reinit, place, sign), (active, value) in zip(self._reinits, machine.memory.reinits.reshape(-1, 2), strict=True):
            if active:
                x[place] = sign * value
                different.append(reinit.text)
        for (reinit, place, sign), first in zip(self._array_reinits, machine.layout.reinits, strict=True):
            if machine.memory.array_reinits[first]:
                x[place] = sign * machine.memory.array_reinits[first + 1 : first + 1 + place.stop - place.start]
                different.append(reinit.text)
        if len(different) > before:
            self.resetting.update(k for k in self._crossed if k < machine.n_relations)
        machine.memory.pre[:] = machine.memory.current
        ticking = machine.memory.flags[::FLAGS_PER_TICKER]
        for k in np.flatnonzero(ticking):
            machine.memory.flags[FLAGS_PER_TICKER * k + 1] = 1.0
            different.append(self.discrete.tickers[k].clock or "sample(...)")
        ticking[:] = 0.0
        return different

    def _settle_relations(self, time: float, x: np.ndarray, mode: int) -> np.ndarray:
        """Evaluate while relations may change, until none does; return the numbers of those that changed last."""
        machine, initial = self.machine, bool(mode & Mode.INITIAL) and self.remembers
        self.relations.forget_decisions()
        last = changed = np.zeros(0, dtype=int)
        for iteration in range(MAX_ITERATIONS):
            if iteration == EXACT:
                self._near = time
            near, one = self._near == time, iteration >= SIMULTANEOUS
            try:
                changed = self.relations.update(time, x, mode, near=near, one_at_a_time=one)
            except EvaluationFailure:
                changed = self._escape(time, x, mode)
                if not changed.size:
                    raise
            stays = not changed.size
            if initial:
                begin = machine.memory.current[self.continuous]
                stays = stays and np.array_equal(begin, machine.memory.pre[self.continuous], equal_nan=True)
                machine.memory.pre[self.continuous] = begin
            if stays:
                return last
            last = changed
        leap = self._leap(time, x, mode)
        if not leap.size:
            raise self._unsettled_relations(time, changed)
        return leap

    def _leap(self, time: float, x: np.ndarray, mode: int) -> np.ndarray:
        """Change one more relation so that all hold, if relations only make one another change; return its number (or none).

        A comparator with feedback (Schmitt trigger) leaves one limit and has its only solution at the other limit. In its
        linear range in between, no combination of relations holds.
        """
        machine = self.machine
        self.relations.forget_decisions()
        bases = [machine.memory.modes.copy()]
        self.relations.update(time, x, mode)
        bases.append(machine.memory.modes.copy())
        for base in bases:
            for k in range(min(machine.n_relations, MAX_ITERATIONS)):
                machine.memory.modes[:] = base
                machine.memory.modes[k] = 1.0 - base[k]
                try:
                    if not self.relations.update(time, x, mode).size:
                        return np.array([k])
                except EvaluationFailure:
                    continue
        machine.memory.modes[:] = bases[0]
        return np.zeros(0, dtype=int)

    def _escape(self, time: float, x: np.ndarray, mode: int) -> np.ndarray:
        """Change one relation so that the model can be evaluated; return its number (none if there is no such relation).

        With ideal switches, some intermediate combinations of modes are singular.
        """
        machine = self.machine
        modes = machine.memory.modes.copy()
        for k in range(min(machine.n_relations, MAX_ITERATIONS)):
            machine.memory.modes[:] = modes
            machine.memory.modes[k] = 1.0 - modes[k]
            kept = machine.memory.modes.copy()
            try:
                machine.evaluate(time, x, Mode.EVENT | mode)
            except EvaluationFailure:
                continue
            machine.memory.modes[:] = kept
            return np.array([k])
        machine.memory.modes[:] = modes
        return np.zeros(0, dtype=int)

    def _unsettled_relations(self, time: float, changed: np.ndarray) -> Unsettled:
        machine = self.machine
        return Unsettled(
            f"relations do not settle in {MAX_ITERATIONS} iterations at an event",
            time=time,
            path=next((path for k in changed if k < machine.n_relations and (path := machine.sorted.relation_texts[k][1])), ""),
            found=", ".join(self.mode_name(int(k)) for k in changed),
            remedy="Each of them makes another one change; remove the algebraic loop between relations. If the derivative of x "
            "changes its sign at x = 0 so that x is driven back to 0, use a hysteresis or a model of friction.",
        )


class _Ticks:
    """The instants of one ticker; they are counted, so that they are exact."""

    def __init__(self, ticker: Ticker, machine: Machine, start_time: float) -> None:
        self.count = 0
        if ticker.clock:
            phase, self.interval, self.factor = machine.flat.clocks[ticker.clock].ticks()
            self.first = start_time + phase
            return
        self.factor = 1
        parameters = machine.flat.parameters
        self.first, self.interval = evaluate(ticker.start, parameters), evaluate(ticker.interval, parameters)
        if not 0.0 < self.interval < math.inf:
            raise SimulationError(
                f"the interval of sample({ticker.start}, {ticker.interval}) is not positive",
                time=start_time,
                found=repr(self.interval),
            )
        if self.first < start_time:
            self.count = math.floor((start_time - self.first) / self.interval)
            if not self.is_due(start_time):
                self.count += 1

    @property
    def next_time(self) -> float:
        """Time of the next tick [s]."""
        return self.first + (self.count * self.factor) * self.interval

    def is_due(self, time: float) -> bool:
        """Return whether the next tick is now: the two times cannot be told apart."""
        return abs(self.next_time - time) <= 16.0 * sys.float_info.epsilon * max(abs(time), abs(self.first), self.interval)
