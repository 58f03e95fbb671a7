"""Closed mechanisms beside MuJoCo and Exudyn: `python -m benchmarks.loops [--json]`.

The mechanisms are those of `loop_mechanisms`; the error of a simulation is the largest distance of a point of the mechanism
from its reference (`loop_reference`) at ten times (of the squeezer: at the end), in parts of the length of a link. Ours runs at
one tolerance with one solver, by default Adams' formulas; of the settings of a peer (`loop_peers`) it is the quickest one that
is at least as exact, or its best one where none is. Medians; times of a simulation do not include what is made before it
(equations, compilation, XML).
  rows              one for each mechanism:
    case              its name
    ours_s            wall-clock time of our simulation [s]
    mujoco_s, exudyn_s   of the peers; null where it is not installed, or cannot simulate the mechanism
    error, mujoco_error, exudyn_error   see above
    residual          ours: by how much joints are open, at most [m, rad]
    tolerance, solver   ours
    mujoco_setting, exudyn_setting   what was chosen
  exponent          of ours_s of the four-bars as a power of their number
  close_ms, open_ms   all that a user waits for where the arm's second end is attached, and where it is released: as `event_ms`
                    of `benchmarks.switch`; structures are new each time, but it is known which joint is cut where these
                    two frames are attached, for that depends on no pose
  event_ms          the same of a change of its tree: a module is attached to the arm, and released
The peers' searches end after a number of seconds each.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib.util
import json
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from . import loop_mechanisms as mechanisms
from .common import at_least
from .loop_mechanisms import Array, Mechanism
from .loop_model import PERIOD, Ours, held_arm
from .loop_peers import Exudyn, Mujoco, Setting
from .loop_reference import grid, reference
from .switch import all_new, first_steps

WINDOWS = (1, 3, 10, 30, 100)
TOLERANCE = 1e-8
SOLVER = "adams"
POINTS = 10
TURNS = 8
"""So many times as often as a mechanism the changes of the arm are measured, which take milliseconds."""
Row = dict[str, Any]


class Peer(Protocol):
    """A peer with a mechanism."""

    found: Array

    def settings(self) -> Iterator[Setting]:
        """What it may be set to, from the quickest to the slowest."""

    def run(self, setting: Setting) -> float:
        """Simulate: wall-clock time [s]; the positions of the probes are ``found``."""


def error(found: Array, exact: Array, size: float) -> float:
    """Return the largest distance of a point from its reference, which may have the last times only; infinite where it was
    lost.
    """
    worst = float(np.linalg.norm(found[-len(exact) :] - exact, axis=-1).max()) / size
    return worst if math.isfinite(worst) else math.inf


@dataclass(frozen=True)
class Trial:
    """A simulation by a peer."""

    setting: Setting
    seconds: float
    error: float


def best(peer: Peer, exact: Array, size: float, target: float, patience: float) -> Trial | None:
    """Return the quickest simulation whose error is at most the target, or that of the smallest error; None if all were lost.

    Numbers of steps are doubled until one is good enough (twice more, as other methods may be quicker with more steps), and
    halved between the quickest and the one before, three times.
    """
    trials: list[Trial] = []

    def attempt(setting: Setting) -> Trial:
        time_s = peer.run(setting)
        trials.append(Trial(setting, time_s, error(peer.found, exact, size)))
        return trials[-1]

    enough = math.inf
    for setting in peer.settings():
        if setting.steps > enough or sum(trial.seconds for trial in trials) > patience:
            break
        if attempt(setting).error <= target:
            enough = min(enough, 4 * setting.steps)
    good = [trial for trial in trials if trial.error <= target]
    if not good:
        return min((trial for trial in trials if math.isfinite(trial.error)), key=lambda trial: trial.error, default=None)
    chosen = min(good, key=lambda trial: trial.seconds).setting
    low, high = chosen.steps // 2, chosen.steps
    for _ in range(3):
        middle = (low + high) // 2
        if low < middle < high and attempt(replace(chosen, steps=middle)).error <= target:
            high = middle
        else:
            low = middle
    again = [attempt(replace(chosen, steps=high)) for _ in range(3)]
    return replace(again[-1], seconds=statistics.median(trial.seconds for trial in again))


def installed(name: str) -> bool:
    """Return whether a package is there."""
    return importlib.util.find_spec(name) is not None


def row_of(mechanism: Mechanism, tolerance: float, repetitions: int, patience: float, solver: str = SOLVER) -> Row:
    """Return one mechanism."""
    exact = reference(mechanism, grid(mechanism, POINTS))
    ours = Ours(mechanism, POINTS)
    ours.run(tolerance, solver)
    ours_s = statistics.median(ours.run(tolerance, solver) for _ in range(repetitions))
    target = error(ours.found, exact, mechanism.size)
    row: Row = {"case": mechanism.case, "ours_s": ours_s, "error": target, "residual": ours.residual}
    row |= {"tolerance": tolerance, "solver": solver}
    for name, kind in (("mujoco", Mujoco), ("exudyn", Exudyn)):
        found = best(kind(mechanism, POINTS), exact, mechanism.size, target, patience) if installed(name) else None
        row |= {
            f"{name}_s": found and found.seconds,
            f"{name}_error": found and found.error,
            f"{name}_setting": found and str(found.setting),
        }
    return row


def event_ms(models: Sequence[Any], changes: int, repetitions: int) -> list[tuple[float, float]]:
    """Of each model the medians of all that a user waits for at an attachment and at a release [ms]; they take turns."""
    from modiapy import instantiate

    simulations, stop_time = [instantiate(model) for model in models], (changes + 1) * PERIOD
    whole: list[tuple[list[float], list[float]]] = [([], []) for _ in simulations]
    with all_new():
        for simulation in simulations:
            simulation.simulate(stop_time)
        gc.collect()
        for _ in range(repetitions):
            for simulation, found in zip(simulations, whole, strict=True):
                with first_steps() as times:
                    simulation.simulate(stop_time, interval=stop_time)
                for k, (event, _) in enumerate(times[-changes:]):
                    if k > 1:
                        found[k % 2].append(event)
    return [(statistics.median(attached), statistics.median(released)) for attached, released in whole]


def exponent(rows: Sequence[Row]) -> float | None:
    """Return the slope of the straight line through the logarithms of ours_s over those of the number of windows; None of one
    alone.
    """
    pairs = [(int(row["case"].split()[0]), row["ours_s"]) for row in rows if row["case"].endswith("four-bars")]
    return float(np.polyfit(*np.log(np.array(pairs, dtype=float)).T, 1)[0]) if len(pairs) > 1 else None


def measure(
    windows: Sequence[int], cases: Sequence[str], tolerance: float, repetitions: int, patience: float, solver: str = SOLVER
) -> dict[str, Any]:
    """Return all figures."""
    made = [functools.partial(mechanisms.four_bars, n) for n in windows] + [mechanisms.CASES[case] for case in cases]
    rows = [row_of(make(), tolerance, repetitions, patience, solver) for make in made]
    models = [held_arm(20, loop=loop) for loop in (True, False)]
    (close_ms, open_ms), tree = event_ms(models, 20, TURNS * repetitions)
    changes = {"close_ms": close_ms, "open_ms": open_ms, "event_ms": statistics.mean(tree)}
    return {"rows": rows, "exponent": exponent(rows), **changes}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as a text."""
    columns = ("case", "ours_s", "mujoco_s", "exudyn_s", "error", "mujoco_error", "exudyn_error", "residual")
    lines = ["  ".join(f"{name:>12}" for name in columns)]
    for row in figures["rows"]:
        values = [row[name] for name in columns]
        texts = ("-" if v is None else v if isinstance(v, str) else f"{v:.3g}" for v in values)
        lines.append("  ".join(f"{text:>12}" for text in texts))
        lines.append(f"{'':14}MuJoCo: {row['mujoco_setting'] or '-'}; Exudyn: {row['exudyn_setting'] or '-'}")
    slope = figures["exponent"]
    lines += [] if slope is None else [f"exponent {slope:.3g}"]
    close, open_, tree = (figures[name] for name in ("close_ms", "open_ms", "event_ms"))
    return "\n".join([*lines, f"close {close:.3g} ms, open {open_:.3g} ms, change of the tree {tree:.3g} ms"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.loops", description="Closed mechanisms beside MuJoCo and Exudyn."
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--windows", type=at_least(1), nargs="*", default=WINDOWS, help="numbers of four-bars")
    parser.add_argument("--cases", nargs="*", choices=list(mechanisms.CASES), default=list(mechanisms.CASES), help="the others")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="of our simulations")
    parser.add_argument("--solver", default=SOLVER, help="of our simulations, see docs/simulation.md")
    parser.add_argument("--repetitions", type=at_least(1), default=5, help="runs of each of our simulations")
    parser.add_argument("--patience", type=float, default=20.0, help="of the search for a setting of a peer [s]")
    options = parser.parse_args()
    if not installed("mujoco"):
        sys.exit("This benchmark needs MuJoCo: pip install 'modia3d[benchmark]'")
    figures = measure(options.windows, options.cases, options.tolerance, options.repetitions, options.patience, options.solver)
    print(json.dumps(figures) if options.json else table(figures))


if __name__ == "__main__":
    main()
