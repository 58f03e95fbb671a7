"""``modia3d batch``: studies are carried out, followed, compared."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from modiapy.model.errors import ModelError
from modiapy.simulation.segments.interrupts import ALL, interrupted_once

from ..batch.campaign import run_study
from ..batch.compare import compare, comparison_table
from ..batch.dataset import open_study
from ..batch.junit import write_junit
from ..batch.progress import Progress, watch
from ..batch.report import write_animations, write_report
from ..batch.study_file import read_study
from ..batch.table import figures, study_table
from .terminal import tell

REPORT, JUNIT = "report.html", "junit.xml"
NOT_WELL = 1
"""Exit status where a run failed or was not as expected, or studies differ."""


def batch(options: argparse.Namespace) -> int:
    """Do what the options say.

    Returns:
        Exit status: 0 where every run is as expected (or nothing differs), else 1.

    Raises:
        ModelError: something is wrong with the study or the options.
    """
    asked = [name for name in ("study", "watch", "compare") if getattr(options, name) is not None]
    if len(asked) != 1:
        raise ModelError("modia3d batch", found=" and ".join(asked) or "nothing", expected="a study, --watch or --compare")
    if options.watch is not None:
        print(study_table(watch(Path(options.watch), sys.stderr)))
        return 0
    if options.compare is not None:
        first, second = (open_study(folder) for folder in options.compare)
        found = compare(first, second, relative=options.relative, absolute=options.absolute)
        print(comparison_table(found))
        return 0 if found.is_equal else NOT_WELL
    return _carry_out(options)


def _carry_out(options: argparse.Namespace) -> int:
    if options.workers is not None and options.workers < 0:
        raise ModelError("--workers is wrong", found=str(options.workers), expected="a number from 0 on")
    study = read_study(options.study, options.permit)
    folder = Path(options.out or study.name)
    progress = Progress(sys.stderr)
    try:
        with interrupted_once(ALL):
            dataset = run_study(
                study,
                folder,
                workers=options.workers,
                scheduler=options.scheduler,
                resume=options.resume,
                watcher=progress,
            )
    except KeyboardInterrupt:
        tell(f"\nmodia3d: {progress.line()} in {folder}; go on with --resume")
        raise
    animations = write_animations(study, dataset, study.animations)
    write_junit(dataset, folder / JUNIT)
    write_report(dataset, folder / REPORT, animations)
    found = figures(dataset) | {"translations": progress.translations}
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        print(study_table(dataset))
        print(f"report: {folder / REPORT}")
    return 0 if found["failed"] == found["unmet"] == 0 else NOT_WELL
