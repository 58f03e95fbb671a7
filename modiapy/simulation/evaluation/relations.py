"""Values of relations at events, including those whose two operands are exactly equal.

A relation then has the value that its operands give (0 > 0 is false). If it has another value a moment later, this is an event
of its own at the same time (`Relations.leaving`). But if a relation crosses zero, the event is the crossing: the relation takes
the value behind the crossing at once, so that rounding errors of the located time decide nothing.

Source of the semantics: Modelica Language Specification 3.6, section 8.5 (events) and 8.6 (initialization).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress

import numpy as np

from ...acausal.protocol import Mode
from ..solvers.beginning import MOMENT, moment_at
from .machine import EvaluationFailure, Machine

AHEAD = 1e4
"""So many moments ahead is looked whether an indicator rests: states change by up to 1e-5 of their magnitude."""

RESTING = 1e-4 * MOMENT
"""What one that rests changes by until then, at most."""

WIDER, LEAST = 10.0, 1e-18
"""How many times the noise that was seen is not looked at, and the least that is seen."""


class Relations:
    """Relations of a machine, and the decisions about those that cross zero and are exactly zero.

    Args: machine: its memory holds the values of the relations.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._decided = np.full(machine.n_relations, np.nan)
        self._strict = np.array([machine.sorted.is_strict(k) for k in range(machine.memory.after.size)], dtype=bool)
        self._crossing = np.zeros(machine.n_relations, dtype=bool)
        self._passing = False
        self._any_zero = False

    def arrive(self, time: float, x: np.ndarray, crossed: Sequence[int], *, remembered: bool) -> None:
        """Note at the beginning of an event which relations cross zero, and which times ``t`` of ``time > t`` are reached.

        Relations that cross are those that the integrator found, and those that are zero and on their way through zero before
        anything changes.
        """
        machine, memory = self._machine, self._machine.memory
        self._crossing[:], self._passing = not remembered, bool((self._strict & (memory.time_events == time)).any())
        self._crossing[[k for k in crossed if k < self._crossing.size]] = True
        if remembered:
            self._crossing |= self._changing(time, x) != 0.0
        for pair in map(list, machine.sorted.limits):
            self._crossing[pair] = self._crossing[pair].any()

    def leaving(self, time: float, x: np.ndarray) -> tuple[list[int], list[bool], bool]:
        """Return the relations that are exactly at zero and have another value a moment later, and how they leave it:
        upwards or not.

        Args:
            time, x: at the end of an event.

        Returns:
            Numbers of the relations, for each of them whether its indicator becomes positive, and whether a relation
            ``time > t`` is among what changes.
        """
        memory = self._machine.memory
        passing = self._strict & (memory.after == 0.0) & (memory.time_events == time)
        if not self._any_zero:
            return [], [], bool(passing.any())
        self._machine.evaluate(time, x, Mode.INDICATORS)
        signs = self._changing(time, x)
        leaving = np.flatnonzero(signs * self._machine.decided() < 0.0)
        return leaving.tolist(), (signs[leaving] > 0.0).tolist(), bool(passing.any())

    def _changing(self, time: float, x: np.ndarray) -> np.ndarray:
        """Return the signs that indicators have a moment later if they are exactly zero now; 0 for all others."""
        machine = self._machine
        zero = machine.indicators[: machine.n_relations] == 0.0
        if not zero.any():
            return np.zeros(machine.n_relations)
        aside, modes = machine.memory.put_aside(), machine.memory.modes.copy()
        with suppress(EvaluationFailure):
            self._look_ahead(time, x, moment_at(time, x, machine.derivatives, machine.magnitudes(x.size)))
        machine.memory.modes[:] = modes
        machine.memory.go_on_with(aside)
        return np.where(zero, np.sign(np.nan_to_num(machine.indicators[: machine.n_relations])), 0.0)

    def update(self, time: float, x: np.ndarray, mode: int, *, near: bool = False, one_at_a_time: bool = False) -> np.ndarray:
        """Evaluate at an event, and set the values that relations and ``after`` have from now on.

        Where an indicator crosses and is exactly zero, its value a moment later decides (`moment_at`); that decision is kept
        until `forget_decisions`.

        Args:
            time, x, mode: of the evaluation.
            near: an indicator that is smaller than its change in this moment counts as one that crosses and is zero: rounding
                errors decide nothing.
            one_at_a_time: only the first relation changes of those that want to.

        Returns:
            Numbers of the relations, then of the time events, that changed.
        """
        machine, memory = self._machine, self._machine.memory
        modes, after = memory.modes.copy(), memory.after.copy()
        machine.evaluate(time, x, Mode.EVENT | Mode.INDICATORS | mode)
        at_zero = machine.indicators[: machine.n_relations] == 0.0
        self._any_zero = bool(at_zero.any())
        zero = at_zero & self._crossing
        if zero.any() or (near and machine.n_relations):
            now, found = machine.indicators[: machine.n_relations].copy(), memory.modes.copy()
            if near or np.isnan(self._decided[zero]).any():
                if near:
                    memory.modes[:] = modes  # those that the indicators were computed with
                self._look_ahead(time, x, moment_at(time, x, machine.derivatives, machine.magnitudes(x.size)))
                zero = zero | (near & ~at_zero & (abs(now) <= abs(machine.indicators[: machine.n_relations] - now)))
                self._decided = np.where(zero & np.isnan(self._decided), memory.modes, self._decided)
            memory.modes[:] = np.where(zero, self._decided, found)
        if one_at_a_time:
            later = np.flatnonzero(memory.modes != modes)[1:]
            memory.modes[later] = modes[later]
        memory.after[:] = (time > memory.time_events) | ((time == memory.time_events) & (~self._strict | self._passing))
        return np.flatnonzero(np.concatenate([memory.modes != modes, memory.after != after]))

    def note_rest(self, time: float, x: np.ndarray, crossed: Sequence[int], again: bool, moving: Collection[int]) -> list[int]:
        """Find relations that crossed zero but rest there apart from noise; from now on their crossings are no events.

        A quantity that rests (a brake that holds: a speed that is a difference of two states) leaves zero only by rounding and
        integration errors. Its relation keeps its value until the indicator leaves a band. The band becomes ten times as wide
        each time the indicator left it.

        Args:
            time, x: of the event, before anything changes.
            crossed: numbers of the indicators.
            again: whether one of them did so shortly before, or often: only then, or where one rested, any is looked at.
            moving: those that never rest: a ball would fall through the ground where its bounces are as small as noise.
        """
        if not crossed:
            return []
        relations = np.array([k for k in crossed if k < self._machine.n_relations], dtype=int)
        bands, rests = self._machine.memory.bands, np.zeros(relations.size, dtype=bool)
        if relations.size and (again or bands[relations].any()):
            with suppress(EvaluationFailure):
                now, still = self.present(time, x)
                rests = still[relations] & ~np.isin(relations, [*moving])
                bands[relations] = WIDER * np.maximum(np.maximum(abs(now[relations]), bands[relations]), LEAST)
        bands[relations[~rests]] = 0.0
        return relations[rests].tolist()

    def present(self, time: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the indicators of all relations, and which of them do not change, shape (n_relations,).

        Raises EvaluationFailure.
        """
        now = self._indicators_at(time, x)
        return now, abs(self._indicators_ahead(time, x) - now) <= RESTING

    def _indicators_ahead(self, time: float, x: np.ndarray) -> np.ndarray:
        """Return the indicators a short time later, with speeds and accelerations (Heun's method)."""
        machine = self._machine
        speeds = machine.derivatives.copy()
        step = AHEAD * moment_at(time, x, speeds, machine.magnitudes(x.size))
        machine.evaluate(time + step, x + step * speeds, Mode.DERIVATIVES)
        return self._indicators_at(time + step, x + 0.5 * step * (speeds + machine.derivatives))

    def _indicators_at(self, time: float, x: np.ndarray) -> np.ndarray:
        self._machine.evaluate(time, x, Mode.INDICATORS)
        return self._machine.indicators[: self._machine.n_relations].copy()

    def forget_decisions(self) -> bool:
        """Discard the decisions about indicators that are exactly zero; return whether there were any."""
        decided = not np.isnan(self._decided).all()
        self._decided = np.full(self._machine.n_relations, np.nan)
        return decided

    def keep_left_limits(self, time: float, x: np.ndarray, continuous: np.ndarray) -> None:
        """Keep the present values of continuous variables as their values before the event.

        Values of discrete variables before the event are those since the last event. Changes because of the present event, as
        after the initial event, happen in an iteration, with everything that follows from them.

        Args:
            continuous: for each remembered value whether it is one of a continuous variable.
        """
        memory = self._machine.memory
        modes = memory.modes.copy()
        try:
            self._machine.evaluate(time, x, Mode.EVENT | Mode.INDICATORS)
        except EvaluationFailure:  # an indicator that is not a number is told when relations are to settle
            self._machine.evaluate(time, x, Mode.EVENT)
        memory.modes[:] = modes
        memory.pre[continuous] = memory.current[continuous]

    def _look_ahead(self, time: float, x: np.ndarray, step: float) -> None:
        machine, memory = self._machine, self._machine.memory
        kept = [(array, array.copy()) for array in (memory.time_events, memory.current, memory.reinits, memory.array_reinits)]
        machine.evaluate(time + step, x + step * machine.derivatives, Mode.EVENT | Mode.INDICATORS)
        for array, values in kept:
            array[:] = values
