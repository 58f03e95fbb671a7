"""The walking robot beside MuJoCo stepping a servo arm of the same links: `python -m benchmarks.mosar [--json]`.

Figures (times in s unless the name says otherwise, errors in rad):
  simulation_s      86 s of the scenario, compiled, relative tolerance 1e-6, output at 100 Hz; median
  change_ms_median  a change of the structure, median over the changes of all runs
  process_warm_s    `modia3d run scenarios/mosar/mosar.yaml --json` as a process, caches filled; median
  process_cold_s    the same with an empty cache folder
  mujoco_s          86 s of the servo arm in steps of 2 ms (Euler), the quicker of two ways to step it; median
  error             largest error of a joint angle against our own solution at tolerance 1e-10
  mujoco_error      the same for MuJoCo against its exact solution, the reference held as long
  work_precision    a list of who, setting, seconds, error: ours at several tolerances, MuJoCo with each of its integrators and
                    several steps (those that are unstable are left out); each against its own exact solution
  differences       what differs between both models
The two simulations take turns, so that other work on the machine disturbs both.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .common import at_least, report, seconds
from .mosar_servo import INTEGRATORS, N_JOINTS, STEP, Array, ServoArm

SCENARIO = Path(__file__).parents[1] / "scenarios" / "mosar" / "mosar.yaml"
CONVERGED = 1e-10
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
STEPS = (0.01, 0.004, 0.002, 0.001)
"""Of MuJoCo [s]."""
LOST = 0.1
"""Error of an angle [rad] from which on a simulation is unstable."""
DIFFERENCES = (
    "ours walks on a platform with six modules, 13 changes of structure and 49 degrees of freedom at first; MuJoCo's arm is"
    " fixed at one end, carries nothing and keeps its structure",
    "our drives have a motor, an elastic gear and a PI controller with states; MuJoCo's are position servos without states, and"
    " the motor's inertia is armature",
    "our reference is a function of time; MuJoCo's is held for each step, also in its exact solution, which makes its error"
    " smaller than it is to who wants the path",
    "our time includes the evaluation and storage of all variables at 100 Hz; MuJoCo's the storage of its state at each step",
)
ANGLES = [f"joint{k}.phi" for k in range(1, N_JOINTS + 1)]


class Ours:
    """The scenario, instantiated."""

    def __init__(self) -> None:
        from modia3d.files import read_scenario

        self.scenario = read_scenario(SCENARIO)
        self.settings = self.scenario.settings
        self.simulation = self.scenario.instantiate()

    def simulate(self, tolerance: float | None = None) -> Any:
        """Return the result of the scenario, at its own tolerance unless another is given."""
        settings = self.settings
        return self.simulation.simulate(
            settings.stop_time, tolerance=tolerance or settings.tolerance, interval=settings.interval
        )

    def reference(self) -> tuple[Array, Array]:
        """Return the positions and velocities of the reference at the beginning of each of MuJoCo's steps, both (n_steps,
        7).
        """
        from modia3d.actions.program import ActionProgram
        from modia3d.actions.timeline import lay_out

        steps, _ = ActionProgram(self.scenario.model["actions"]["program"]).prepared()
        timeline = lay_out(steps)
        path = timeline.paths[0]
        times = np.arange(round(self.settings.stop_time / STEP)) * STEP
        samples = np.array([path.evaluate(t)[:2] for t in times])
        return samples[:, 0], samples[:, 1]


def joint_angles(result: Any, interval: float) -> Array:
    """Return the joint angles at the output points (n, 7), without the points at events, whose number differs from run to
    run.
    """
    time = np.asarray(result.time)
    ticks = np.round(time / interval)
    on_grid = np.abs(time - ticks * interval) < 1e-9
    _, last = np.unique(ticks[on_grid][::-1], return_index=True)
    rows = np.flatnonzero(on_grid)[::-1][last]
    return np.stack([np.asarray(result[name])[rows] for name in ANGLES], axis=1)


def process_seconds(cache: str | None) -> float:
    """Return the wall-clock time of the command line on the scenario, with the user's cache or the folder `cache`."""
    environment = dict(os.environ)
    if cache is not None:
        environment["MODIA_CACHE_DIR"] = cache
    command = [sys.executable, "-m", "modia3d", "run", str(SCENARIO), "--json"]

    def run() -> None:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stderr}")

    return seconds(run)


def work_precision(ours: Ours, arm: ServoArm, repetitions: int) -> list[dict[str, Any]]:
    """Return the time and error of both, with several settings."""
    interval, points = ours.settings.interval or 0.01, []

    def add(who: str, setting: str, run: Callable[[], Any], error: float) -> None:
        if error < LOST:
            times = [seconds(run) for _ in range(repetitions)]
            points.append({"who": who, "setting": setting, "seconds": statistics.median(times), "error": error})

    exact = joint_angles(ours.simulate(CONVERGED), interval)
    for tolerance in TOLERANCES:
        run = functools.partial(ours.simulate, tolerance)
        add("ours", f"tolerance {tolerance:g}", run, float(np.abs(joint_angles(run(), interval) - exact).max()))
    for integrator in INTEGRATORS:
        for step in STEPS:
            with arm.with_steps(integrator, step) as (rollout, angles):
                found = rollout()
                error = float(np.abs(found - angles).max()) if found.shape == angles.shape else np.inf
                add("MuJoCo", f"{integrator}, {1e3 * step:g} ms", rollout, error)
    return points


def measure(repetitions: int) -> dict[str, Any]:
    """Return all figures."""
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
    curve = work_precision(ours, mujoco, min(repetitions, 3))
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
        "mujoco_error": next(p["error"] for p in curve if p["setting"] == f"Euler, {1e3 * STEP:g} ms"),
        "work_precision": curve,
        "differences": list(DIFFERENCES),
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
    figures = measure(options.repetitions)
    if options.json:
        report(figures, True)
        return
    curve, differences = figures.pop("work_precision"), figures.pop("differences")
    report(figures, False)
    for point in curve:
        print(f"{point['who']:<8}{point['setting']:<24}{point['seconds']:8.3f} s  error {point['error']:.2g} rad")
    print("What differs:", *differences, sep="\n- ")


if __name__ == "__main__":
    main()
