"""The changes of structure that components ask for at one instant, as one."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import numpy as np

from ...acausal.segment import SegmentChange
from ...model.errors import SimulationError
from ..results.signals import SignalTable, relative_name

_ROUNDING = 256.0 * sys.float_info.epsilon
"""What an impact leaves of a state below this fraction of the impact is zero but for rounding."""


def joined(asked: Mapping[str, SegmentChange]) -> SegmentChange:
    """Return the votes as one change of the states of the equations; ``asked`` by paths of components, at least one."""
    if len(asked) == 1:
        (change,) = asked.values()
        if not change.reinit:
            return change
    reinit = {relative_name(path, name): x for path, change in asked.items() for name, x in change.reinit.items()}
    impacts = [change.impact for change in asked.values() if change.impact is not None]
    cause, calms = "; ".join(change.cause for change in asked.values()), any(change.calms for change in asked.values())
    return SegmentChange(cause, reinit, impacts[0] if impacts else None, calms)


def states_after(change: SegmentChange, x_inv: np.ndarray, table: SignalTable, time: float) -> np.ndarray:
    """Return the equations' states after a change.

    Args:
        change: of all components, see `joined`.
        x_inv: before it, shape (n_inv,). table: where states are found. time: [s].

    Raises:
        SimulationError: something that is no state is to be re-initialised.
    """
    x_inv = x_inv.copy()
    for name, value in change.reinit.items():
        x_inv[_state_index(table, name, time)] = value
    if change.impact is not None:
        x_inv += change.impact
        x_inv[np.abs(x_inv) <= _ROUNDING * np.abs(change.impact)] = 0.0
    return x_inv


def _state_index(table: SignalTable, name: str, time: float) -> int:
    source = table.get(name)
    if source is None or source.kind != "state" or source.factor != 1.0:
        raise SimulationError(f"'{name}' is to be re-initialised, but it is not a state of the equations", time=time)
    return source.index
