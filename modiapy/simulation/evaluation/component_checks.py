"""Checks of a component's layout of a segment before memory is accessed with it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from itertools import repeat
from numbers import Integral
from operator import is_
from typing import Any

import numpy as np

from ...acausal.component_methods import begun_run
from ...acausal.protocol import CONTEXT_SLOTS, AcausalComponent, ComponentRun, Slot
from ...acausal.segment import SegmentChange, SegmentLayout, Sparsity, StateProjection
from ...model.errors import ModelError
from ...symbolic.kernels.incidence import are_compressed_rows
from ..results.signals import relative_name
from .finite import all_finite


def begin_runs(components: Mapping[str, AcausalComponent]) -> dict[str, ComponentRun]:
    """Begin the run of each component at the start of a simulation; return them by path. Raises ModelError."""
    return {path: begun_run(component, path) for path, component in components.items()}


def check_layout(path: str, layout: Any) -> SegmentLayout:
    """Check the layout of a segment; return it with its states as a vector of doubles.

    Raises:
        ModelError: it contradicts itself; names the component and the state.
    """
    if not isinstance(layout, SegmentLayout):
        raise ModelError(
            "init_segment of the component returns no SegmentLayout", path=path, found=repr(layout), expected="a SegmentLayout"
        )
    layout.x = np.ascontiguousarray(layout.x, dtype=np.float64)
    if layout.x.shape != (len(layout.names),):
        found = f"{len(layout.names)} names and values of shape {layout.x.shape}"
        raise ModelError("the component's states are inconsistent", path=path, found=found, expected="one value per name")
    if not all_finite(layout.x):
        name = relative_name(path, layout.names[int(np.argmin(np.isfinite(layout.x)))])
        raise ModelError(f"the initial value of state '{name}' is not a number", path=path)
    if (type(layout.n_z) is not int and not isinstance(layout.n_z, Integral)) or layout.n_z < 0:
        message = "the number of event indicators of the component"
        raise ModelError(message, path=path, found=repr(layout.n_z), expected="a whole number, not negative")
    if layout.projection is not None and not isinstance(layout.projection, StateProjection):
        found, message = repr(layout.projection), "the projection of the component"
        raise ModelError(message, path=path, found=found, expected="a StateProjection, or None")
    _check_data(path, layout)
    if isinstance(layout.sparsity, Sparsity):
        _check_sparsity(path, layout.sparsity, layout.x.size)
    return layout


def _check_data(path: str, layout: SegmentLayout) -> None:
    room = CONTEXT_SLOTS - Slot.DATA
    if len(layout.data) > room:
        raise ModelError(
            "the component's data do not fit its context",
            path=path,
            found=f"{len(layout.data)} values",
            expected=f"at most {room}",
            remedy="Put the numbers into an array, hand over its address (array.ctypes.data), and keep the array in 'keep'.",
        )
    if not {*map(type, layout.data)} <= {int} and not all(isinstance(value, Integral) for value in layout.data):
        wrong = next(value for value in layout.data if not isinstance(value, Integral))
        raise ModelError(
            "the component's data must be sizes and addresses",
            path=path,
            found=repr(wrong),
            expected="whole numbers",
            remedy="Put other numbers into an array, hand over its address (array.ctypes.data), and keep the array in 'keep'.",
        )


def ask_sparsity(path: str, layout: SegmentLayout, checked: deque[Sparsity]) -> None:
    """Replace a sparsity that is given as a function by its result, and add it to those that have been checked.

    Raises:
        ModelError: it contradicts itself.
    """
    if callable(layout.sparsity):
        layout.sparsity = made = layout.sparsity()
        if not any(map(is_, checked, repeat(made))):
            _check_sparsity(path, made, layout.x.size)
            checked.append(made)


def _check_sparsity(path: str, sparsity: Sparsity, n: int) -> None:
    starts, columns = np.asarray(sparsity.starts), np.asarray(sparsity.columns)
    numbers = []
    if not are_compressed_rows(starts, columns, n):
        if starts.shape != (n + 1,) or starts[0] != 0 or starts[-1] != columns.size or (starts[1:] < starts[:-1]).any():
            found = f"starts of shape {starts.shape} for {columns.size} columns"
            raise _inconsistent(path, found, f"shape {(n + 1,)}, from 0 to the number of columns")
        numbers.append(("columns", columns))
    for column, given in ((0, sparsity.inputs), (1, sparsity.outputs)):
        if any(map(len, given.values())):
            present = ((name, np.asarray(pairs, dtype=int).reshape(-1, 2)) for name, pairs in given.items() if len(pairs))
            numbers += [(name, pairs[:, column]) for name, pairs in present]
    for name, states in numbers:
        if states.size and (states.min() < 0 or states.max() >= n):
            found = f"{name}: state {states.min() if states.min() < 0 else states.max()}"
            raise _inconsistent(path, found, f"a number from 0 to {n - 1}")


def _inconsistent(path: str, found: str, expected: str) -> ModelError:
    return ModelError("the sparsity of the component's states is inconsistent", path=path, found=found, expected=expected)


def check_change(path: str, change: Any, n_inv: int) -> SegmentChange | None:
    """Check the change that a component asks for, and return it.

    Raises:
        ModelError: it is none, or the impact does not fit the states of the equations.
    """
    if change is not None and not isinstance(change, SegmentChange):
        raise ModelError(
            "event of the component returns no SegmentChange",
            path=path,
            found=repr(change),
            expected="a SegmentChange, or None",
        )
    if change is not None and change.impact is not None and np.shape(change.impact) != (n_inv,):
        found = f"shape {np.shape(change.impact)}"
        raise ModelError(
            "the impact on the states of the equations has the wrong shape",
            path=path,
            found=found,
            expected=f"shape {(n_inv,)}",
        )
    return change


def check_time(path: str, time: Any) -> float:
    """Check the time of a component's next event, and return it [s].

    Raises:
        ModelError: it is no number.
    """
    if type(time) is float and time == time:
        return time
    if isinstance(time, bool) or not isinstance(time, float | int | np.number) or math.isnan(time):
        raise ModelError(
            "next_time_event of the component returns no time",
            path=path,
            found=repr(time),
            expected="a time, or math.inf if there is none",
        )
    return float(time)
