"""Throughput of batches with one and with two workers, beside a plain loop of ``simulate(merge=...)`` in one process.

``python -m benchmarks.batch [--json] [--runs N]``. The model is the two-stage rocket with scattered masses. Rates are those
from the first rows on disk to the last ones: what is before (processes, imports, the translation) is ``startup_s`` and does
not grow with the runs. ``overhead_ms`` is the difference of the times of a run; ``translations`` are those of one worker.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import at_least, report
from modia3d.batch import Study, run_study
from modia3d.batch.campaign import Watcher
from modia3d.batch.execution import Row
from modia3d.files import read_scenario
from modia3d.files.overrides import changes

ROCKET = Path(__file__).parent.parent / "scenarios" / "two_stage_rocket" / "two_stage_rocket.yaml"
MASSES = {f"mass_{k}": f"stage{k}.body.feature.mass_properties.mass" for k in (1, 2)}


def study(runs: int) -> Study:
    """Return the rocket with other masses."""
    factors = {name: {"path": path, "normal": [100.0, 3.0]} for name, path in MASSES.items()}
    quantities = {"height": "final(stage2.body.r_abs[1])", "speed": "maximum(stage2.body.v_abs[1])"}
    return Study(ROCKET, factors, quantities, {"method": "sobol", "samples": runs, "seed": 1})


class Clock(Watcher):
    """Notes when rows come."""

    def __init__(self) -> None:
        self.translations = self.runs = self.first = 0
        self.came_at: list[float] = []

    def came(self, rows: Sequence[Row]) -> None:
        """See `Watcher`."""
        self.runs += len(rows)
        self.first = self.first or self.runs
        self.came_at.append(time.perf_counter())

    def translated(self, number: int) -> None:
        """See `Watcher`."""
        self.translations += number

    @property
    def seconds(self) -> float:
        """Time of a run, as it comes out of the workers together [s]."""
        return (self.came_at[-1] - self.came_at[0]) / (self.runs - self.first)


def loop(runs: int) -> float:
    """Return the time of all runs, one after the other in this process [s]."""
    scenario = read_scenario(ROCKET)
    sim = scenario.instantiate()
    design = study(runs).design
    values = [{MASSES[name]: value for name, value in design.values(run).items()} for run in range(runs)]
    settings: dict[str, Any] = vars(scenario.settings)
    sim.simulate(**settings, merge=changes(values[0]))
    began = time.perf_counter()
    for each in values:
        sim.simulate(**settings, merge=changes(each))
    return time.perf_counter() - began


def batch(runs: int, workers: int) -> tuple[Clock, float]:
    """What the clock says, and the time of everything [s]."""
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        run_study(study(runs), Path(folder) / "study", workers=workers, watcher=clock)
        return clock, time.perf_counter() - began


def figures(runs: int) -> dict[str, float | int]:
    """Return all figures."""
    loop_s = loop(runs)
    one, one_s = batch(runs, 1)
    two, two_s = batch(runs, 2)
    return {
        "runs": runs,
        "models": 1,
        "translations": one.translations,
        "loop_s": loop_s,
        "batch_s": one_s,
        "batch_2_s": two_s,
        "startup_s": one_s - one.seconds * runs,
        "run_ms": 1e3 * loop_s / runs,
        "overhead_ms": 1e3 * (one.seconds - loop_s / runs),
        "speedup_2": one.seconds / two.seconds,
    }


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--runs", type=at_least(50), default=1500, help="simulations of each kind (1500)")
    options = parser.parse_args()
    report(figures(options.runs), options.json)


if __name__ == "__main__":
    main()
