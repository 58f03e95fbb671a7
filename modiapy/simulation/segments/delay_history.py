"""`DelayHistory`: passes the past of delayed expressions to the component that keeps it (`acausal.delays`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...acausal.delays import PARTS, DelaysRun
from ...acausal.protocol import ComponentRun, Mode
from ...model.errors import NumericalError

if TYPE_CHECKING:
    from ..evaluation.machine import Machine


_MAX_ITERATIONS = 200

_DEPTH = 8
"""So often a step is cut in halves at most."""

_BETWEEN = (0.1419, 0.6327)
"""Parts of a stretch where the polynomial is compared with the expression: no multiples of one another, or of the others."""


def _weights(part: float) -> list[float]:
    """Return the weights of the values at the five points of a stretch, at a part of it (Lagrange's polynomial)."""
    points = (0.0, *PARTS)
    return [math.prod((part - q) / (p - q) for q in points if q != p) for p in points]


_WEIGHTS = np.array([_weights(part) for part in _BETWEEN])


class DelayHistory:
    """Record of the steps and events of a simulation for its delays.

    Args:
        machine: of the simulation.
        runs: all components.
        tolerance: of the integration.
    """

    def __init__(self, machine: Machine, runs: Iterable[ComponentRun], tolerance: float = 1e-6) -> None:
        self._machine, self._tolerance = machine, tolerance
        self._runs = [run for run in runs if isinstance(run, DelaysRun)]
        table = {**machine.table, **machine.table.hidden} if self._runs else {}
        self._sources = [[table[name] for name in run.delays.followed] for run in self._runs]

    @property
    def wanted(self) -> bool:
        """True if there are delays."""
        return bool(self._runs)

    def begin(self, time: float, x: np.ndarray, settle: Callable[[], object]) -> None:
        """Solve the initial event by ``settle`` until what is looked up, the values before the start, are those at the start.

        Each time from the same memory and states ``x``, which ``settle`` may change.

        Raises:
            SimulationError: values depend on themselves by way of a delay and do not settle.
        """
        machine = self._machine
        memory, states = (machine.memory.arrays(), x.copy()) if self._runs else ({}, x)
        for _ in range(_MAX_ITERATIONS):
            settle()
            told = [run.begin(time, values) for run, values in self._values(time, states, machine.memory.unknowns)]
            if all(told):
                return
            machine.memory.restore(memory)
            x[:] = states
        raise NumericalError(
            "initialization: delayed values, which are those at the start before that, do not settle",
            time=time,
            found=", ".join(f"'{delay.text}'" for run in self._runs for delay in run.delays.delays),
            expected="initial values that do not depend on themselves by way of delays, or less and less",
            remedy="Prescribe the initial values by states, e.g. put a capacitor at the end of a line.",
        )

    def go_on(self, time: float, x: np.ndarray, unknowns: np.ndarray) -> None:
        """Record the values after an event."""
        for run, values in self._values(time, x, unknowns):
            run.go_on(time, values)

    def follow(self, begin: float, end: float, states: Callable[[float], np.ndarray]) -> None:
        """Record the values in a step of the integrator from its dense output.

        The integrator's error test knows nothing of an expression of time alone: where the polynomial through the values at
        five points of a stretch is wrong between them, it is cut in halves.
        """
        if not begin < end:
            return
        machine, before = self._machine, self._machine.memory.solutions()

        def at(time: float) -> np.ndarray:
            x = states(time)
            machine.evaluate(time, x, Mode.OUTPUTS)
            return np.concatenate([values for _, values in self._values(time, x, machine.memory.unknowns)])

        self._cut(begin, end, [at(begin + part * (end - begin)) for part in (0.0, *PARTS[:-1])] + [at(end)], at, _DEPTH)
        machine.memory.begin_from(before)

    def _cut(self, begin: float, end: float, values: list[np.ndarray], at: Callable[[float], np.ndarray], depth: int) -> None:
        """Record the values in a stretch, given the values at five points of it."""
        length = end - begin
        between = [at(begin + part * length) for part in _BETWEEN]
        error = np.abs(np.array(between) - _WEIGHTS @ np.array(values))[:, ::3]
        size = np.abs(np.array(values))[:, ::3].max(axis=0)
        largest = np.concatenate([run.largest for run in self._runs])
        if depth == 0 or length <= 1e-12 * abs(end) or not (error > self._tolerance * np.maximum(size, largest)).any():
            first = 0
            for run in self._runs:
                last = first + len(run.delays.followed)
                run.follow(begin, end, np.array(values[1:])[:, first:last])
                first = last
            return
        middle = begin + 0.5 * length
        a, b, c, d = (at(begin + part * length) for part in (0.125, 0.375, 0.625, 0.875))
        self._cut(begin, middle, [values[0], a, values[1], b, values[2]], at, depth - 1)
        self._cut(middle, end, [values[2], c, values[3], d, values[4]], at, depth - 1)

    def keep_from(self, time: float) -> None:
        """Keep the past from which values delayed at ``time`` [s] and later are evaluated."""
        for run in self._runs:
            run.kept_from = time

    @property
    def longest_step(self) -> float:
        """Return the longest step of the integrator [s]."""
        return min((run.longest_step for run in self._runs), default=np.inf)

    def _values(self, time: float, x: np.ndarray, unknowns: np.ndarray) -> list[tuple[DelaysRun, np.ndarray]]:
        values = ([source.value(time, x, unknowns) for source in sources] for sources in self._sources)
        return [(run, np.array(row, dtype=float)) for run, row in zip(self._runs, values, strict=True)]
