"""The cost of one change of structure beside MuJoCo and Exudyn: `python -m benchmarks.switch [--json]`.

Free boxes, of which two are joined and parted again, in scenes of 10 to 1000 bodies, and the walking robot on its platform with
its six modules attached, of which the last is parted and joined again (`switch_scenes`). Medians over the changes, times in ms:
  rows               one for each scene of boxes:
    bodies             number of boxes
    event_ms           ours, all that a user waits for: from the end of the last step before the event to the end of the first
                       one after it (stored points, votes, actions, snapshot, the change, integrator, first step); nothing is
                       remembered of structures that were there before
    event_again_ms     the same where both structures alternate and are remembered
    rebuild_ms         the part of event_ms from the evaluation at the event to the integrator that is ready to go on
    rebuild_again_ms   that part of event_again_ms
    first_step_ms      the part of event_ms that is the first step of the new integrator
    step_us            ours: a step of the integrator in a long segment [us], the smallest of the repetitions
    mujoco_exact_ms    MuJoCo: `MjSpec` edited and compiled anew
    mujoco_weld_ms     MuJoCo: a soft weld switched, and the forward dynamics; the scene stays as it is
    mujoco_weld_drift  how far the welded boxes leave each other [m] while they turn with 2 rad/s for 1 s
    exudyn_ms          Exudyn: `Assemble` and the solver started again; null where Exudyn is not installed
  exponent           of rebuild_ms as a power of the number of bodies; event_exponent: of event_ms
  arm                event_ms, event_again_ms, rebuild_ms, first_step_ms and mujoco_exact_ms of the walking robot
All are measured in one process, so that their ratios hold on a busy machine, too.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from .common import at_least, seconds
from .switch_scenes import PERIOD, Exudyn, MujocoArm, MujocoSpec, MujocoWeld, our_arm, our_boxes

BODIES = (10, 30, 100, 300, 1000)
Row = dict[str, float | int | None]


@contextmanager
def first_steps() -> Iterator[list[tuple[float, float]]]:
    """Of all integrators in the context, wall-clock times [ms] from the last step before to the end of the first step, and of
    the first step alone."""
    from modiapy.simulation.solvers.step_loop import StepLoop
    from modiapy.simulation.solvers.steps import Outcome

    original, times, last = StepLoop.advance, [], math.nan

    def timed(self: StepLoop) -> Outcome:
        nonlocal last
        first = not self.begin < self.end
        if first:
            self.steps = 1
        start = time.perf_counter()
        try:
            return original(self)
        finally:
            now = time.perf_counter()
            if first:
                times.append((1e3 * (now - last), 1e3 * (now - start)))
            last = now

    StepLoop.advance = timed  # type: ignore[method-assign]
    try:
        yield times
    finally:
        StepLoop.advance = original  # type: ignore[method-assign]


@contextmanager
def all_new() -> Iterator[None]:
    """In the context every structure is one that never was before."""
    from modia3d.engine import forests
    from modiapy.simulation.evaluation import problems

    kept = forests.CAPACITY, problems._same
    forests.CAPACITY, problems._same = 0, lambda *_: False
    try:
        yield
    finally:
        forests.CAPACITY, problems._same = kept


def ours(simulation: Any, stop_time: float, skip: int, repetitions: int) -> tuple[float, float, float]:
    """Medians of the events, of the changes in them and of the first steps after them [ms], but for the first ``skip``."""
    simulation.simulate(stop_time)
    changes, events = [], []
    for _ in range(repetitions):
        with first_steps() as times:
            result = simulation.simulate(stop_time, interval=stop_time)
        changes += [record.change_ms for record in result.segments[skip:]]
        events += times[-len(result.segments[skip:]) :]
    whole, first = zip(*events, strict=True)
    return statistics.median(whole), statistics.median(changes), statistics.median(first)


def step_us(bodies: int, repetitions: int) -> float:
    """Wall-clock time of an integrator's step [us]: 10 s without any change."""
    from modiapy import instantiate

    simulation = instantiate(our_boxes(bodies, 0))
    runs = [simulation.simulate(10.0, interval=10.0).segments[0] for _ in range(repetitions + 1)]
    return min(1e6 * record.wall_s / record.steps for record in runs[1:])


def peer(make: Callable[[], Any], changes: int) -> tuple[float, Any]:
    """Median of the changes of a peer [ms], and the peer."""
    scene = make()
    times = [1e3 * seconds(change) for _ in range(changes // 2 + 1) for change in (scene.join, scene.part)]
    return statistics.median(times[2:]), scene


def row_of(bodies: int, repetitions: int, changes: int = 20) -> Row:
    """One scene of boxes."""
    from modiapy import instantiate

    simulation, stop_time = instantiate(our_boxes(bodies, changes)), (changes + 1) * PERIOD
    with all_new():
        event, rebuild, first = ours(simulation, stop_time, 3, repetitions)
    event_again, rebuild_again, _ = ours(simulation, stop_time, 3, repetitions)
    weld, welded = peer(lambda: MujocoWeld(bodies), changes)
    has_exudyn = importlib.util.find_spec("exudyn") is not None
    return {
        "bodies": bodies,
        "event_ms": event,
        "event_again_ms": event_again,
        "rebuild_ms": rebuild,
        "rebuild_again_ms": rebuild_again,
        "first_step_ms": first,
        "step_us": step_us(bodies, repetitions),
        "mujoco_exact_ms": peer(lambda: MujocoSpec(bodies), changes)[0],
        "mujoco_weld_ms": weld,
        "mujoco_weld_drift": welded.drift(),
        "exudyn_ms": peer(lambda: Exudyn(bodies), changes)[0] if has_exudyn else None,
    }


def arm_row(repetitions: int, changes: int = 20) -> Row:
    """The walking robot."""
    from modiapy import instantiate

    model, attached = our_arm(changes)
    simulation, stop_time, skip = instantiate(model), (changes + 2) * PERIOD, attached + 3
    with all_new():
        event, rebuild, first = ours(simulation, stop_time, skip, repetitions)
    return {
        "event_ms": event,
        "event_again_ms": ours(simulation, stop_time, skip, repetitions)[0],
        "rebuild_ms": rebuild,
        "first_step_ms": first,
        "mujoco_exact_ms": peer(lambda: MujocoArm(model), changes)[0],
    }


def exponent(rows: Sequence[Row], column: str = "rebuild_ms") -> float:
    """Slope of the straight line through the logarithms of a column over those of ``bodies``."""
    bodies, times = (np.log([float(row[name] or 0.0) for row in rows]) for name in ("bodies", column))
    return float(np.polyfit(bodies, times, 1)[0])


def measure(sizes: Sequence[int], repetitions: int) -> dict[str, Any]:
    """All figures."""
    arm = arm_row(4 * repetitions)  # a run takes milliseconds
    rows = [row_of(n, repetitions, changes=20 if n <= 100 else 6) for n in sizes]
    return {"rows": rows, "exponent": exponent(rows), "event_exponent": exponent(rows, "event_ms"), "arm": arm}


def table(figures: dict[str, Any]) -> str:
    """The figures as a text."""
    lines = ["  ".join(f"{name:>17}" for name in figures["rows"][0])]
    for row in figures["rows"]:
        lines.append("  ".join(f"{'not installed' if value is None else f'{value:.4g}':>17}" for value in row.values()))
    arm = ", ".join(f"{name} {value:.4g}" for name, value in figures["arm"].items())
    exponents = f"exponents: rebuild {figures['exponent']:.3g}, event {figures['event_exponent']:.3g}"
    return "\n".join([*lines, exponents, f"walking robot: {arm}"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.switch", description="The cost of a change of structure.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--bodies", type=at_least(2), nargs="+", default=BODIES, help="sizes of the scenes")
    parser.add_argument("--repetitions", type=at_least(1), default=5, help="runs of each of our simulations")
    options = parser.parse_args()
    if importlib.util.find_spec("mujoco") is None:
        sys.exit("This benchmark needs MuJoCo: pip install 'modia3d[benchmark]'")
    figures = measure(options.bodies, options.repetitions)
    print(json.dumps(figures) if options.json else table(figures))


if __name__ == "__main__":
    main()
