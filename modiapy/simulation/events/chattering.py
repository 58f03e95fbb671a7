"""Detection of chattering: the same few events again and again, while nothing moves by more than integration errors.

`history.EventHistory` detects events whose distances vanish. Events that keep a distance may be intended, however many they
are: a comparator with a hysteresis, a switched converter. They are not intended if their indicators change from one event to
the next by less than the precision of the states. Each event then undoes the effect of the one before, and the simulation does
not come to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

import numpy as np

from ...acausal.protocol import Mode
from ...model.errors import NumericalError
from ..evaluation.machine import EvaluationFailure, Machine

MANY = 1000
"""So many state events in a row without one of another indicator are looked at."""

SOON = 1e-5
"""Part of the duration of the simulation below which their distance must be, on average: it would not come to its end."""


class Chattering:
    """State events of one simulation. One that goes on from a snapshot begins to count anew: counting changes no result.

    Args:
        machine: of the simulation.
        duration: of it [s].
        tolerance: absolute, of states.
        describe: text and path of a state event by its number.
    """

    def __init__(self, machine: Machine, duration: float, tolerance: float, describe: Callable[[int], tuple[str, str]]) -> None:
        self._machine, self._duration, self._tolerance, self._describe = machine, duration, tolerance, describe
        self._last: dict[int, int] = {}
        """For each indicator the number of its last event."""
        self._number = self._count = 0
        self._began, self._n = 0.0, -1

    def forget(self) -> None:
        """Begin to count anew: the cause of the repeated events has ended."""
        self._last, self._count = {}, 0

    def note(self, time: float, x: np.ndarray, roots: Sequence[int]) -> None:
        """Note a state event at the states x (n,), before anything changes there.

        Raises:
            NumericalError: it is one of events without end.
        """
        if self._n != self._machine.n_indicators:  # they have other numbers
            self._last, self._n = {}, self._machine.n_indicators
        self._number += 1
        if any(self._number - self._last.get(k, -MANY) > MANY for k in roots):
            self._count, self._began = 0, time
        self._last.update(dict.fromkeys(roots, self._number))
        self._count += 1
        if self._count <= MANY:
            return
        passed, self._count = time - self._began, 0
        distance, self._began = passed / MANY, time
        alternating = [k for k, number in self._last.items() if self._number - number < MANY]
        if distance < SOON * self._duration and not self._move(time, x, distance, alternating):
            raise self._error(time, passed, alternating)

    def _move(self, time: float, x: np.ndarray, distance: float, places: Sequence[int]) -> bool:
        """Return whether one of these indicators changes by more than errors until half way to the next event."""
        memory = self._machine.memory
        before = memory.put_aside()
        change = np.full(self._machine.n_indicators, np.inf)
        with suppress(EvaluationFailure):
            change = self._change(time, x, 0.5 * distance)
        memory.go_on_with(before)
        return bool((change[places] > self._tolerance).any())

    def _change(self, time: float, x: np.ndarray, step: float) -> np.ndarray:
        """Change of all indicators in a step [s] of Heun's method."""
        now = self._indicators(time, x)
        speeds = self._machine.derivatives.copy()
        self._machine.evaluate(time + step, x + step * speeds, Mode.DERIVATIVES)
        there = self._indicators(time + step, x + 0.5 * step * (speeds + self._machine.derivatives))
        return np.asarray(np.abs(there - now))

    def _indicators(self, time: float, x: np.ndarray) -> np.ndarray:
        self._machine.evaluate(time, x, Mode.INDICATORS)
        return self._machine.indicators.copy()

    def _error(self, time: float, passed: float, places: Sequence[int]) -> NumericalError:
        described = [self._describe(k) for k in sorted(places)]
        return NumericalError(
            "the same events come again and again, and nothing moves between them (chattering)",
            time=time,
            path=next((path for _, path in described if path), ""),
            found=f"{MANY} events within {passed:.2g} s: {_listed([text for text, _ in described])}",
            expected=f"changes from one to the next that are larger than the absolute tolerance, {self._tolerance:.2g}",
            remedy="What one of them does another one takes back: give a relation a hysteresis that is wider than errors; use "
            "a model of friction for what sticks; give joints that alternate between their stops damping, or lock one of them.",
        )


def _listed(texts: Collection[str]) -> str:
    names = [f"'{text}'" for text in dict.fromkeys(texts)]
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
