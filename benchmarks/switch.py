"""The cost of one change of structure beside MuJoCo and Exudyn: `python -m benchmarks.switch [--json]`.

Free boxes, of which two are joined and parted again, in scenes of 10 to 1000 bodies (`switch_scenes`), and the walking robot with its six
modules attached, of which the last is parted and joined again. ``rows``, medians over the changes, times in ms:
  bodies             boxes in the scene, or 0: the walking robot (its MuJoCo model has the same links, joints and modules)
  rebuild_ms         ours: from the evaluation at the event to the integrator that is ready to go on
  first_step_ms      ours: the first step of that integrator
  mujoco_exact_ms    MuJoCo: `MjSpec` edited and compiled anew
  mujoco_weld_ms     MuJoCo: a soft weld switched, and the forward dynamics
  mujoco_weld_drift  how far the welded boxes leave each other [m] while they turn with 2 rad/s for 1 s
  exudyn_ms          Exudyn: `Assemble` and the solver started again; null where Exudyn is not installed
``arm`` is the row of the robot, ``exponent`` that of rebuild_ms as a power of the number of bodies.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .common import seconds
from .switch_scenes import Exudyn, MujocoSpec, MujocoWeld, our_boxes

BODIES = (10, 30, 100, 300, 1000)
Row = dict[str, float | int | None]


@contextmanager
def first_steps() -> Iterator[list[float]]:
    """Wall-clock times [ms] of the first steps of all integrators in the context."""
    from modiapy.simulation.solvers.sundials import SundialsSolver

    original, times = SundialsSolver._first_step, []

    def timed(self: Any, *arguments: Any) -> Any:
        start = time.perf_counter()
        try:
            return original(self, *arguments)
        finally:
            times.append(1e3 * (time.perf_counter() - start))

    SundialsSolver._first_step = timed  # type: ignore[method-assign]
    try:
        yield times
    finally:
        SundialsSolver._first_step = original  # type: ignore[method-assign]


def ours(simulation: Any, stop_time: float, skip: int, repetitions: int) -> tuple[float, float]:
    """Median of the changes and of first steps after them [ms], the first ``skip`` segments of each run left out."""
    simulation.simulate(stop_time)
    changes, steps = [], []
    for _ in range(repetitions):
        with first_steps() as times:
            result = simulation.simulate(stop_time, interval=stop_time)
        changes += [record.change_ms for record in result.segments[skip:]]
        steps += times[-len(result.segments[skip:]) :]
    return statistics.median(changes), statistics.median(steps)


def peer(make: Callable[[], Any], changes: int) -> tuple[float, Any]:
    """Median of the changes of a peer [ms], and the peer."""
    scene = make()
    times = [1e3 * seconds(change) for _ in range(changes // 2 + 1) for change in (scene.join, scene.part)]
    return statistics.median(times[2:]), scene


def row_of(bodies: int, repetitions: int) -> Row:
    """One scene of boxes."""
    from modiapy import instantiate

    from .switch_scenes import PERIOD

    changes = 10 if bodies > 100 else 20
    rebuild, first = ours(instantiate(our_boxes(bodies, changes)), (changes + 1) * PERIOD, 3, repetitions)
    weld, welded = peer(lambda: MujocoWeld(bodies), changes)
    exact = peer(lambda: MujocoSpec(bodies), 6 if bodies > 100 else changes)[0]
    has_exudyn = importlib.util.find_spec("exudyn") is not None
    return {
        "bodies": bodies,
        "rebuild_ms": rebuild,
        "first_step_ms": first,
        "mujoco_exact_ms": exact,
        "mujoco_weld_ms": weld,
        "mujoco_weld_drift": welded.drift(),
        "exudyn_ms": peer(lambda: Exudyn(bodies), changes)[0] if has_exudyn else None,
    }
