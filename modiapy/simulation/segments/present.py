"""Signals at one time as components see them, and conditions that the integrator watches for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...acausal.abilities import Equations, KnowsEquations, Waits
from ...acausal.protocol import Mode
from ...model.errors import ModiaError
from ...symbolic.sorted.parts import Assignment
from ..evaluation.machine import EvaluationFailure
from ..results.segment_result import Interval, SegmentResult
from ..solvers import ConditionMonitor, IntegrationFailure, ModelFailure

if TYPE_CHECKING:
    from ..evaluation.machine import Machine
    from .segment import Segment


def present_signals(segment: Segment, time: float, x: np.ndarray, unknowns: np.ndarray) -> Callable[[str], Any]:
    """Return a reader of any signal at one time of a segment: a number or an array; KeyError for an unknown name.

    Args:
        time: [s].
        x: all states, shape (n,).
        unknowns: all computed variables, shape (n_unknowns,).
    """
    table, made = segment.machine.table, segment.result
    points: list[SegmentResult] = []

    def find(name: str) -> np.ndarray | None:
        if not points:
            points.append(SegmentResult(made.record, table, made.layouts))
            points[0].append(Interval(np.array([time]), x[None, :].copy(), unknowns[None, :].copy()))
        return points[0].find(name)

    def read(name: str) -> Any:
        source = table.get(name)
        if source is not None:
            return source.value(time, x, unknowns)
        values = find(name)
        if values is not None:
            return values[0]
        whole, bracket, index = name.rpartition("[")
        values = find(whole) if bracket else None
        try:
            place = tuple(int(k) for k in index.removesuffix("]").split(","))
            if values is None or len(place) != values.ndim - 1 or min(place) < 0:
                raise KeyError(name)
            return float(values[(0, *place)])
        except (ValueError, IndexError):
            raise KeyError(name) from None

    return read


def watch_of(segment: Segment, components: Iterable[Waits]) -> ConditionMonitor | None:
    """Return a function of time and states that tells whether a condition of components holds; None without conditions.

    It raises IntegrationFailure if the condition cannot be evaluated, with the explanation of the component as its reason.
    """
    machine = segment.machine
    waiting = [component for component in components if component.watching]
    if not waiting:
        return None

    def holds(time: float, x: np.ndarray) -> bool:
        before = machine.memory.solutions()
        try:
            machine.evaluate(time, x, Mode.OUTPUTS)
        except EvaluationFailure as failure:
            raise IntegrationFailure(str(failure), time, at=ModelFailure(time, x)) from None
        signal = present_signals(segment, time, x, machine.memory.unknowns)
        machine.memory.begin_from(before)
        try:
            return any(component.awaited(time, signal) for component in waiting)
        except ModiaError as error:
            raise IntegrationFailure("a condition failed", time, reason=error) from error

    return holds


def introduce_equations(machine: Machine) -> None:
    """Pass the equations to the components, which refuse to wait for signals that do not exist. Raises ModelError."""
    explicit = frozenset(block.variable for block in machine.sorted.blocks if isinstance(block, Assignment))
    for component in machine.flat.components.values():
        if isinstance(component, KnowsEquations):
            component.introduce(Equations(machine.table, explicit))
