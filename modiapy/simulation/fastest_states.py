"""The states that change fastest: a hint at the cause where a simulation could not go on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..acausal.protocol import Mode
from .evaluation.machine import EvaluationFailure
from .segments.segment import Segment

MOST = 6
"""So many states are told."""


@dataclass(frozen=True)
class FastState:
    """A state where a simulation could not go on.

    Attributes:
        name: its full path.
        value: there.
        rate: its derivative there [1/s]; NaN where it cannot be computed.
        before, since: the value at the last point that was stored before, and the time of that point [s].
    """

    name: str
    value: float
    rate: float
    before: float
    since: float

    def __str__(self) -> str:
        value, before = f"{self.value:.6g}", f"{self.before:.6g}"
        rate = f"derivative {self.rate:.6g}/s" if np.isfinite(self.rate) else "its derivative cannot be computed"
        changed = f" ({before} at {self.since:.9g} s)" if before != value else ""
        return f"{self.name} = {value}{changed}, {rate}"


def fastest_states(segment: Segment, time: float) -> tuple[FastState, ...]:
    """Return the states of a segment whose integrator is at ``time`` [s], at most `MOST`, the fastest first.

    Fast is a large derivative beside the state and its ``nominal``; where derivatives cannot be computed, a large difference
    from the last point that was stored.
    """
    machine, x = segment.machine, segment.solver_states()
    if not x.size:
        return ()
    stored = segment.result.time
    since, before = (float(stored[-1]), segment.result.x[-1]) if stored.size else (time, x)
    try:
        machine.evaluate(time, x, Mode.DERIVATIVES)
        rates = machine.derivatives[: x.size].copy()
    except EvaluationFailure:
        rates = np.full(x.size, np.nan)
    magnitudes = machine.scales(x.size)
    scale = np.abs(before) + (1.0 if magnitudes is None else magnitudes)
    speed = np.abs(rates if np.isfinite(rates).any() else x - before) / scale
    order = np.argsort(np.where(np.isfinite(speed), -speed, -np.inf), kind="stable")[:MOST]
    names = segment.result.states
    return tuple(FastState(names[k], float(x[k]), float(rates[k]), float(before[k]), since) for k in order)
