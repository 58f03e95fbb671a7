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
All are measured in one process and in turns: our simulation with new structures, the same with known ones, each peer, and
again from the first one on. So their ratios hold on a busy machine, too.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import json
import math
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .common import at_least, seconds
from .switch_scenes import PERIOD, Exudyn, MujocoArm, MujocoSpec, MujocoWeld, our_arm, our_boxes

BODIES = (10, 30, 100, 300, 1000)
MOST_OFTEN, ENOUGH = 8, 300
"""A scene takes so many times as many turns as the largest ones, at most; turns times bodies that are enough."""
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


class Events:
    """Times of our events [ms], one entry for each: all that a user waits for, the change in it, the first step after it."""

    def __init__(self) -> None:
        self.whole: list[float] = []
        self.change: list[float] = []
        self.first: list[float] = []

    def add(self, simulation: Any, stop_time: float, skip: int) -> None:
        """Simulate, and add all events but the first ones: those that begin the segments behind the first ``skip``."""
        with first_steps() as times:
            result = simulation.simulate(stop_time, interval=stop_time)
        records = result.segments[skip:]
        self.change += [record.change_ms for record in records]
        whole, first = zip(*times[-len(records) :], strict=True)
        self.whole += whole
        self.first += first


@dataclass(frozen=True)
class Scene:
    """One scene, in our engine and in the peers.

    Attributes:
        simulation: ours. stop_time: of one simulation [s]. skip: segments in it before the first change that counts.
        peers: by name.
        changes: in one turn.
    """

    simulation: Any
    stop_time: float
    skip: int
    peers: dict[str, Any]
    changes: int

    def measure(self, turns: int) -> tuple[Events, Events, dict[str, float]]:
        """Return the our events with new structures and with known ones, and the median of the changes of each peer [ms].

        All of them take turns, so that what else the machine does meets all alike; the garbage of other scenes is gone before.
        """
        new, again = Events(), Events()
        others: dict[str, list[float]] = {name: [] for name in self.peers}
        with all_new():
            self.simulation.simulate(self.stop_time)
        for peer in self.peers.values():
            peer.join()
            peer.part()
        gc.collect()
        for _ in range(turns):
            with all_new():
                new.add(self.simulation, self.stop_time, self.skip)
            again.add(self.simulation, self.stop_time, self.skip)
            for name, peer in self.peers.items():
                for _ in range(self.changes // 2):
                    others[name] += [1e3 * seconds(peer.join), 1e3 * seconds(peer.part)]
        return new, again, {name: statistics.median(times) for name, times in others.items()}


def turns_of(bodies: int, repetitions: int) -> int:
    """Return how often a scene is measured: more often, where a turn takes milliseconds."""
    return repetitions * max(1, min(MOST_OFTEN, ENOUGH // bodies))


def step_us(bodies: int, repetitions: int) -> float:
    """Return the wall-clock time of an integrator's step [us]: 10 s without any change."""
    from modiapy import instantiate

    simulation = instantiate(our_boxes(bodies, 0))
    runs = [simulation.simulate(10.0, interval=10.0).segments[0] for _ in range(repetitions + 1)]
    return min(1e6 * record.wall_s / record.steps for record in runs[1:])


def row_of(bodies: int, repetitions: int, changes: int = 20) -> Row:
    """Return one scene of boxes."""
    from modiapy import instantiate

    simulation, stop_time = instantiate(our_boxes(bodies, changes)), (changes + 1) * PERIOD
    weld = MujocoWeld(bodies)
    peers = {"mujoco_exact_ms": MujocoSpec(bodies), "mujoco_weld_ms": weld}
    if importlib.util.find_spec("exudyn") is not None:
        peers["exudyn_ms"] = Exudyn(bodies)
    new, again, others = Scene(simulation, stop_time, 3, peers, changes).measure(turns_of(bodies, repetitions))
    return {
        "bodies": bodies,
        "event_ms": statistics.median(new.whole),
        "event_again_ms": statistics.median(again.whole),
        "rebuild_ms": statistics.median(new.change),
        "rebuild_again_ms": statistics.median(again.change),
        "first_step_ms": statistics.median(new.first),
        "step_us": step_us(bodies, repetitions),
        "mujoco_exact_ms": others["mujoco_exact_ms"],
        "mujoco_weld_ms": others["mujoco_weld_ms"],
        "mujoco_weld_drift": weld.drift(),
        "exudyn_ms": others.get("exudyn_ms"),
    }


def arm_row(repetitions: int, changes: int = 20) -> Row:
    """Return the walking robot."""
    from modiapy import instantiate

    model, attached = our_arm(changes)
    scene = Scene(instantiate(model), (changes + 2) * PERIOD, attached + 3, {"mujoco_exact_ms": MujocoArm(model)}, changes)
    new, again, others = scene.measure(turns_of(1, repetitions))
    return {
        "event_ms": statistics.median(new.whole),
        "event_again_ms": statistics.median(again.whole),
        "rebuild_ms": statistics.median(new.change),
        "first_step_ms": statistics.median(new.first),
        "mujoco_exact_ms": others["mujoco_exact_ms"],
    }


def exponent(rows: Sequence[Row], column: str = "rebuild_ms") -> float:
    """Return the slope of the straight line through the logarithms of a column over those of ``bodies``."""
    bodies, times = (np.log([float(row[name] or 0.0) for row in rows]) for name in ("bodies", column))
    return float(np.polyfit(bodies, times, 1)[0])


def measure(sizes: Sequence[int], repetitions: int) -> dict[str, Any]:
    """Return all figures."""
    arm = arm_row(repetitions)
    rows = [row_of(n, repetitions, changes=20 if n <= 100 else 6) for n in sizes]
    return {"rows": rows, "exponent": exponent(rows), "event_exponent": exponent(rows, "event_ms"), "arm": arm}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a text."""
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
    parser.add_argument(
        "--repetitions", type=at_least(1), default=5, help="turns of the largest scenes; small ones take eight times as many"
    )
    options = parser.parse_args()
    if importlib.util.find_spec("mujoco") is None:
        sys.exit("This benchmark needs MuJoCo: pip install 'modia3d[benchmark]'")
    figures = measure(options.bodies, options.repetitions)
    print(json.dumps(figures) if options.json else table(figures))


if __name__ == "__main__":
    main()
