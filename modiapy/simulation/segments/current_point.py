"""`CurrentPoint`: time, states and segment of a simulation, and all variables there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...acausal.protocol import Mode
from ..evaluation.machine import Machine
from ..results.segment_result import Interval
from .present import present_signals
from .segment import Segment


class CurrentPoint:
    """Present point of a simulation: time, states and segment.

    Attributes:
        time: [s].
        segment: the present one; there is none before the first one begins, see `in_segment` and `enter`.
        x: all states, shape (n,); may be changed in place.
        unknowns: all variables as they were evaluated last, shape (n_unknowns,).
    """

    segment: Segment
    x: np.ndarray

    def __init__(self, machine: Machine, time: float) -> None:
        self._machine, self.time = machine, time
        self.unknowns = np.zeros(0)

    @property
    def in_segment(self) -> bool:
        """True if a segment has begun."""
        return "segment" in self.__dict__

    def enter(self, segment: Segment) -> None:
        """Enter a segment, at its states."""
        self.segment, self.x = segment, segment.x

    def value(self, name: str) -> Any:
        """Return the value of a variable of the equations as it was evaluated last."""
        return self._machine.table[name].value(self.time, self.x, self.unknowns)

    def signals(self) -> Callable[[str], Any]:
        """Read any signal as it was evaluated last, see `present_signals`."""
        return present_signals(self.segment, self.time, self.x, self.unknowns)

    def looked_at(self) -> Callable[[str], Any]:
        """Read any signal where the simulation pauses, without any influence on what follows."""
        memory = self._machine.memory
        before = memory.put_aside()
        self.evaluate()
        memory.go_on_with(before)
        return self.signals()

    def evaluate(self, mode: int = 0) -> None:
        """Evaluate all variables, for the components to read and to be stored."""
        self._machine.evaluate(self.time, self.x, Mode.OUTPUTS | mode)
        self.unknowns = self._machine.memory.unknowns.copy()

    def point(self) -> Interval:
        """Return the point to be stored, as it was evaluated last."""
        return Interval(np.array([self.time]), self.x[None, :].copy(), self.unknowns[None, :])

    def keep(self) -> Interval:
        """Store it as it was evaluated last."""
        point = self.point()
        self.segment.warn_of_gaps(point.time, point.x, point.unknowns)
        self.segment.keep(point)
        self._machine.stands_at(self.time, point.x[0])
        return point

    def store(self) -> None:
        """Evaluate and store it."""
        self.evaluate()
        self.keep()

    def look_once(self) -> None:
        """Store it as `store_once` does, without any influence on what follows."""
        memory, unknowns = self._machine.memory, self.unknowns
        before = memory.put_aside()
        self.store_once()
        memory.go_on_with(before)
        self.unknowns = unknowns

    def store_once(self) -> None:
        """Evaluate and store it, unless a point is stored at this time."""
        if self.segment.result.last_time != self.time:
            self.store()
