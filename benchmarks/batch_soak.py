"""A batch for a long time: memory and open files of all its processes.

``python -m benchmarks.batch_soak [--json] [--minutes M] [--workers N]``. Variants of the two-stage rocket are carried out
until the time is over. Each process is looked at every two seconds; figures are those of the first and of the last quarter of
the time, so that what grows is seen.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from benchmarks.batch import study
from benchmarks.common import at_least, report
from modia3d.batch import run_study
from modia3d.batch.campaign import Watcher
from modia3d.batch.execution import Row

MANY = 10_000_000
"""More runs than there is time for."""


class Over(Exception):
    """The time is over."""


class Looking(Watcher):
    """Looks at the processes while rows come, and ends the study when the time is over.

    Args:
        seconds: how long it goes on.
    """

    def __init__(self, seconds: float) -> None:
        self.began = self.looked = time.monotonic()
        self.until = self.began + seconds
        self.runs = 0
        self.seen: list[tuple[float, float, float, int, int]] = []

    def came(self, rows: Sequence[Row]) -> None:
        """See `Watcher`."""
        self.runs += len(rows)
        now = time.monotonic()
        if self.runs and now - self.looked > 2.0:
            self.looked = now
            self.seen.append((now, *memory_and_files()))
        if now > self.until:
            raise Over


def memory_and_files() -> tuple[float, float, int, int]:
    """Return the memory of this process and the largest of its others [MB], open files of this one and of all others."""
    this = psutil.Process()
    others = []
    for child in this.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            others.append((child.memory_info().rss / 1e6, child.num_fds()))
    largest = max((rss for rss, _ in others), default=0.0)
    return this.memory_info().rss / 1e6, largest, this.num_fds(), sum(files for _, files in others)


def figures(minutes: float, workers: int) -> dict[str, float | int]:
    """Return all figures."""
    looking = Looking(60.0 * minutes)
    before = psutil.Process().num_fds()
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(Over):
        given = study(2)
        factors = {name: {"path": factor.paths, "normal": factor.given} for name, factor in given.factors.items()}
        many = type(given)(
            given.models,
            factors,
            given.quantities,
            {"method": "random", "samples": MANY},
            limits={"wall_time": 60, "memory": 1000},
        )
        run_study(many, Path(folder) / "study", workers=workers, watcher=looking)
    quarter = max(1, len(looking.seen) // 4)
    found: dict[str, float | int] = {"minutes": minutes, "runs": looking.runs}
    for name, rows in (("first", looking.seen[:quarter]), ("last", looking.seen[-quarter:])):
        found[f"own_mb_{name}"] = sum(row[1] for row in rows) / len(rows)
        found[f"worker_mb_{name}"] = sum(row[2] for row in rows) / len(rows)
        found[f"own_files_{name}"] = max(row[3] for row in rows)
        found[f"worker_files_{name}"] = max(row[4] for row in rows)
    found["files_left"] = psutil.Process().num_fds() - before
    found["processes_left"] = len([child for child in psutil.Process().children(recursive=True) if child.status() != "zombie"])
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long (60)")
    parser.add_argument("--workers", type=at_least(1), default=2, help="processes (2)")
    options = parser.parse_args()
    report(figures(options.minutes, options.workers), options.json)


if __name__ == "__main__":
    main()
