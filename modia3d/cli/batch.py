"""``modia3d batch``: studies are carried out, followed, compared."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .options import as_json, permit
from .terminal import tell

REPORT, JUNIT = "report.html", "junit.xml"
NOT_WELL = 1
"""Exit status where a run failed or was not as expected, or studies differ."""


@click.command("batch")
@click.argument("study", required=False)
@click.option("--out", metavar="FOLDER", help="For rows, report and JUnit file (the name of the study without .yaml).")
@click.option("--workers", type=int, metavar="N", help="Processes (as many as processors); 0: this one, unprotected.")
@click.option("--scheduler", metavar="ADDRESS", help="Of Dask, in place of processes of this machine.")
@click.option("--resume", is_flag=True, help="Carry out what is missing in the folder.")
@as_json
@click.option("--watch", metavar="FOLDER", help="Follow a study that runs.")
@click.option("--compare", metavar="FOLDER FOLDER", nargs=2, help="Compare two studies run by run.")
@click.option("--relative", type=float, metavar="TOL", default=0.0, help="By how much quantities may differ (0).")
@click.option("--absolute", type=float, metavar="TOL", default=0.0, help="The same, absolutely (0).")
@permit
def batch(
    *, study: str | None, watch: str | None, compare: tuple[str, str] | None, relative: float, absolute: float, **options: Any
) -> int:
    """Carry out a study: many simulations with other values.

    Or look at studies that were carried out, by --watch or --compare. Exit status 0 where every run is as expected (or nothing
    differs), else 1.
    """
    from modiapy.model.errors import ModelError

    from ..batch.compare import compare as compared
    from ..batch.compare import comparison_table
    from ..batch.dataset import open_study
    from ..batch.progress import watch as watched
    from ..batch.table import study_table

    asked = [name for name, one in (("a study", study), ("--watch", watch), ("--compare", compare)) if one is not None]
    if len(asked) != 1:
        raise ModelError(
            "modia3d batch does one thing at a time",
            found=" and ".join(asked) or "nothing",
            expected="one of a study, --watch and --compare",
        )
    if watch is not None:
        print(study_table(watched(Path(watch), sys.stderr)))
        return 0
    if compare is not None:
        first, second = (open_study(Path(folder)) for folder in compare)
        found = compared(first, second, relative=relative, absolute=absolute)
        print(comparison_table(found))
        return 0 if found.is_equal else NOT_WELL
    assert study is not None
    return _carry_out(study, **options)


def _carry_out(
    file: str,
    *,
    out: str | None,
    workers: int | None,
    scheduler: str | None,
    resume: bool,
    as_json: bool,
    permitted: Sequence[str],
) -> int:
    from modiapy.model.errors import ModelError
    from modiapy.simulation.segments.interrupts import ALL, interrupted_once

    from ..batch.campaign import run_study
    from ..batch.junit import write_junit
    from ..batch.progress import Progress
    from ..batch.report import write_animations, write_report
    from ..batch.study_file import read_study
    from ..batch.table import figures, study_table

    if workers is not None and workers < 0:
        raise ModelError("--workers is wrong", found=str(workers), expected="a number from 0 on")
    study = read_study(file, permitted)
    folder = Path(out or study.name)
    progress = Progress(sys.stderr)
    try:
        with interrupted_once(ALL):
            dataset = run_study(study, folder, workers=workers, scheduler=scheduler, resume=resume, watcher=progress)
            animations = write_animations(study, dataset, study.animations)
            write_junit(dataset, folder / JUNIT)
            write_report(dataset, folder / REPORT, animations)
            found = figures(dataset) | {"translations": progress.translations}
            if as_json:
                print(json.dumps(found, indent=1))
            else:
                print(study_table(dataset))
                print(f"report: {folder / REPORT}")
    except KeyboardInterrupt:
        tell(f"\nmodia3d: {progress.line()} in {folder}; go on with --resume")
        raise
    return 0 if found["failed"] == found["unmet"] == 0 else NOT_WELL
