"""The walking robot beside MuJoCo stepping a servo arm of the same links: `python -m benchmarks.mosar [--json]`.

Figures (times in s unless the name says otherwise, errors in rad):
  simulation_s      86 s of the scenario, compiled, relative tolerance 1e-6, output at 100 Hz; median
  change_ms_median  a change of the structure, median over the changes of all runs
  process_warm_s    `modia3d run scenarios/mosar/mosar.yaml --json` as a process, caches filled; median
  process_cold_s    the same with an empty cache folder
  mujoco_s          86 s of the servo arm in steps of 2 ms, the quicker of two ways to step it; median
  error             largest error of a joint angle against our own solution at tolerance 1e-10
  mujoco_error      the same for MuJoCo against steps 32 times smaller, the reference held as long
The two simulations take turns, so that other work on the machine disturbs both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from .common import at_least, report, seconds
from .mosar_servo import N_JOINTS, STEP, Array, ServoArm

SCENARIO = Path(__file__).parents[1] / "scenarios" / "mosar" / "mosar.yaml"
REFINEMENT = 32
CONVERGED = 1e-10
ANGLES = [f"joint{k}.phi" for k in range(1, N_JOINTS + 1)]


class Ours:
    """The scenario, instantiated."""

    def __init__(self) -> None:
        from modia3d.files.reader import read_scenario

        self.scenario = read_scenario(SCENARIO)
        self.settings = self.scenario.settings
        self.simulation = self.scenario.instantiate()

    def simulate(self, tolerance: float | None = None) -> Any:
        """The result of the scenario, at its own tolerance unless another is given."""
        settings = self.settings
        return self.simulation.simulate(
            settings.stop_time, tolerance=tolerance or settings.tolerance, interval=settings.interval
        )

    def reference(self) -> tuple[Array, Array]:
        """Positions and velocities of the reference at the beginning of each of MuJoCo's steps, both (n_steps, 7)."""
        from modia3d.actions.program import ActionProgram, lay_out

        timeline = lay_out(ActionProgram(self.scenario.model["actions"]["program"]).recorded())
        path = timeline.paths[0]
        times = np.arange(round(self.settings.stop_time / STEP)) * STEP
        samples = np.array([path.evaluate(t)[:2] for t in times])
        return samples[:, 0], samples[:, 1]


def joint_angles(result: Any, interval: float) -> Array:
    """Joint angles at the output points (n, 7), without the points at events, whose number differs from run to run."""
    time = np.asarray(result.time)
    ticks = np.round(time / interval)
    on_grid = np.abs(time - ticks * interval) < 1e-9
    _, last = np.unique(ticks[on_grid][::-1], return_index=True)
    rows = np.flatnonzero(on_grid)[::-1][last]
    return np.stack([np.asarray(result[name])[rows] for name in ANGLES], axis=1)


def process_seconds(cache: str | None) -> float:
    """Wall-clock time of the command line on the scenario, with the user's cache or the folder `cache`."""
    environment = dict(os.environ)
    if cache is not None:
        environment["MODIA_CACHE_DIR"] = cache
    command = [sys.executable, "-m", "modia3d", "run", str(SCENARIO), "--json"]

    def run() -> None:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")

    return seconds(run)


def measure(repetitions: int) -> dict[str, float]:
    """All figures."""
    ours = Ours()
    mujoco = ServoArm(ours.scenario.model, *ours.reference())
    quickest = min((mujoco.rollout, mujoco.step_in_python), key=lambda way: min(seconds(way) for _ in range(3)))
    ours.simulate()
    ours_s, mujoco_s, changes = [], [], []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = ours.simulate()
        ours_s.append(time.perf_counter() - start)
        changes += [float(record.change_ms) for record in result.segments[1:]]
        mujoco_s.append(seconds(quickest))
    interval = ours.settings.interval or 0.01
    error = np.abs(joint_angles(result, interval) - joint_angles(ours.simulate(CONVERGED), interval)).max()
    mujoco_error = np.abs(mujoco.rollout() - mujoco.converged(REFINEMENT)).max()
    process_seconds(None)
    warm = statistics.median(process_seconds(None) for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        cold = process_seconds(folder)
    return {
        "simulation_s": statistics.median(ours_s),
        "change_ms_median": statistics.median(changes),
        "process_warm_s": warm,
        "process_cold_s": cold,
        "mujoco_s": statistics.median(mujoco_s),
        "error": float(error),
        "mujoco_error": float(mujoco_error),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mosar", description="The walking robot beside MuJoCo.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repetitions", type=at_least(1), default=7, help="runs of each simulation")
    options = parser.parse_args()
    try:
        import mujoco  # noqa: F401
    except ImportError:
        sys.exit("This benchmark needs MuJoCo: pip install 'modia3d[benchmark]'")
    report(measure(options.repetitions), options.json)


if __name__ == "__main__":
    main()
