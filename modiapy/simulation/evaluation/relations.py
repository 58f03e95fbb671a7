"""Relations at events: which values they take, also where what they compare is exactly equal."""

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
    """The relations of a machine, and what was decided of those whose indicators are exactly zero.

    Args:
        machine: in whose memory they have their values.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._decided = np.full(machine.n_relations, np.nan)

    def update(self, time: float, x: np.ndarray, mode: int, *, near: bool = False, one_at_a_time: bool = False) -> np.ndarray:
        """Evaluate at an event; relations and ``after`` take the values they have from now on.

        An indicator that is exactly zero decides by its value a moment later (`moment_at`), so that no event need follow when
        it leaves zero; that decision is kept until `forget_decisions`.

        Args:
            time, x, mode: of the evaluation.
            near: an indicator counts as zero, too, if it is smaller than its change in this moment: rounding errors
                decide nothing.
            one_at_a_time: only the first relation changes of those that want to.

        Returns:
            Numbers of the relations, then of the time events, that changed.
        """
        machine, memory = self._machine, self._machine.memory
        modes, after = memory.modes.copy(), memory.after.copy()
        machine.evaluate(time, x, Mode.EVENT | Mode.INDICATORS | mode)
        zero = machine.indicators[: machine.n_relations] == 0.0
        if zero.any() or (near and machine.n_relations):
            now, found = machine.indicators[: machine.n_relations].copy(), memory.modes.copy()
            if near or np.isnan(self._decided[zero]).any():
                if near:
                    memory.modes[:] = modes  # those that the indicators were computed with
                self._look_ahead(time, x, moment_at(time, x, machine.derivatives, machine.magnitudes(x.size)))
                zero = zero | (near & (abs(now) <= abs(machine.indicators[: machine.n_relations] - now)))
                self._decided = np.where(zero & np.isnan(self._decided), memory.modes, self._decided)
            memory.modes[:] = np.where(zero, self._decided, found)
        if one_at_a_time:
            later = np.flatnonzero(memory.modes != modes)[1:]
            memory.modes[later] = modes[later]
        memory.after[:] = time >= memory.time_events
        return np.flatnonzero(np.concatenate([memory.modes != modes, memory.after != after]))

    def note_rest(self, time: float, x: np.ndarray, crossed: Sequence[int], again: bool, moving: Collection[int]) -> list[int]:
        """Return the relations that crossed zero and rest there, but for noise; from now on that is no event any more.

        What rests (a brake that holds: a speed that is a difference of two states) leaves zero by rounding errors and those of
        the integrator. Its relation keeps its value until the indicator leaves a band, which becomes ten times as wide each
        time that it did.

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
        """Return the indicators of all relations, and which of them stand still, shape (n_relations,). Raises
        EvaluationFailure.
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
        """Let indicators that are exactly zero be decided anew; True if there was any."""
        decided = not np.isnan(self._decided).all()
        self._decided = np.full(self._machine.n_relations, np.nan)
        return decided

    def keep_left_limits(self, time: float, x: np.ndarray, continuous: np.ndarray) -> None:
        """Keep the present values of continuous variables as those before the event.

        Those of discrete ones are remembered since the last event; what changes because of that one, as after the initial
        event, does so in an iteration, with all that follows from it.

        Args:
            continuous: for each remembered value whether it is one of a continuous variable.
        """
        memory = self._machine.memory
        modes = memory.modes.copy()
        self._machine.evaluate(time, x, Mode.EVENT)
        memory.modes[:] = modes
        memory.pre[continuous] = memory.current[continuous]

    def _look_ahead(self, time: float, x: np.ndarray, step: float) -> None:
        machine, memory = self._machine, self._machine.memory
        kept = [(array, array.copy()) for array in (memory.time_events, memory.current, memory.reinits, memory.array_reinits)]
        machine.evaluate(time + step, x + step * machine.derivatives, Mode.EVENT | Mode.INDICATORS)
        for array, values in kept:
            array[:] = values
