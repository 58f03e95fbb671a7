"""What the subcommands do."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from modiapy.model.errors import ModiaError, SimulationError
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from ..files.reader import read_scenario
from ..files.scenario import Scenario, SimulationSettings
from .modelica import ModelicaFile, modelica
from .outputs import Outputs
from .table import contact_summary, contact_table, program_table, segment_table
from .terminal import attempt, tell

NO_SUCCESS = 1
"""Exit status where a program ended the simulation with a verdict that is no success."""


def run(options: argparse.Namespace) -> int:
    """``modia3d run``: simulate, print the table of segments, write what was asked for.

    A simulation that fails or is interrupted still prints and writes what it computed; the error is raised afterwards. The exit
    status is that of the verdict with which a program ended the simulation.
    """
    animations: list[Any] = []
    with interrupted_once(ALL):
        status = _simulate_and_write(options, animations)
    if options.view:
        _view(animations[0], options)
    return status


def _simulate_and_write(options: argparse.Namespace, animations: list[Any]) -> int:
    """Exit status; ``animations`` gets the animation if it is asked for."""
    scenario = _input(options)
    settings = _settings(scenario.settings, options)
    simulation = scenario.instantiate()
    outputs = Outputs(options)
    snapshot = {} if options.resume is None else {os.path.realpath(options.resume): "the snapshot that is resumed"}
    outputs.check(scenario.inputs(simulation) | snapshot)
    failure: BaseException | None = None
    given: dict[str, Any] = {name: getattr(settings, name) for name in ("start_time", "tolerance", "interval")}
    if options.resume is not None:
        if options.tolerance is not None:
            raise ModiaError("--tolerance cannot be given with --resume", remedy="The snapshot has its own.")
        simulation.restore(options.resume)
        given = {}
    try:
        with scenario.located():
            result = simulation.simulate(
                settings.stop_time,
                **given,
                store=options.store,
                progress=_progress(settings.stop_time) if sys.stderr.isatty() else None,
            )
    except SimulationError as error:
        if error.result is None:
            raise
        failure, result = error, error.result
    finish_first()
    closed = attempt(lambda: _print(scenario, result, failure, options))

    def animation() -> Any:
        if not animations:
            animations.append(_animation(scenario, simulation, result, True if options.contacts else None))
        return animations[0]

    told: list[OSError] = []
    errors = outputs.write(simulation, result, animation, lambda text: told.extend(attempt(lambda: _say(text, options))))
    if options.view:
        animation()
    for unwritten in errors[:-1] if failure is None else errors:
        tell(f"modia3d: {unwritten}")
    for problem in [failure, *errors[-1:], *closed, *told]:
        if problem is not None:
            raise problem
    return NO_SUCCESS if result.success is False else 0


def _input(options: argparse.Namespace) -> Scenario | ModelicaFile:
    """What is simulated: a scenario, or a class of a Modelica file."""
    if options.scenario.endswith(".mo"):
        return ModelicaFile(options.scenario, options.model, options.library)
    if options.model is not None or options.library:
        raise ModiaError("--model and --library are for Modelica files", found=repr(options.scenario), expected="a file .mo")
    return read_scenario(options.scenario, options.permit)


def check(options: argparse.Namespace) -> int:
    """``modia3d check``: read and translate, and say what was found."""
    scenario = read_scenario(options.scenario, options.permit)
    simulation = scenario.instantiate()
    sizes = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in simulation.report().items())
    print(f"{scenario.file}: this scenario can be simulated ({sizes})")
    return 0


def import_robot(options: argparse.Namespace) -> int:
    """``modia3d import``: write a robot's file as a scenario, and say on stderr what became of it.

    Without ``-o`` the scenario goes to stdout, and meshes are named where they are.
    """
    from ..files.importers.formats import import_robot_file
    from ..files.writer import scenario_text, write_scenario

    output = Path(options.output) if options.output else None
    if output is not None and output.resolve() == Path(options.robot).resolve():
        raise ModiaError("--output would overwrite the robot's file", path=str(output), expected="another file")
    flanges = options.flanges if options.flanges in ("none", "needed", "all") else options.flanges.split(",")
    model = import_robot_file(
        options.robot,
        roots=_roots(options.root),
        flanges=flanges,
        floating=options.floating,
        limits=not options.no_limits,
        visuals=not options.no_visuals,
        contacts=options.contacts is not None,
        contact_material=options.contacts or "Steel",
        show_contacts=options.show_contacts,
        copy_meshes=None if output is None else output.parent / f"{output.stem}_meshes",
    )
    description = f"Imported from {Path(options.robot).name}"
    if output is None:
        sys.stdout.write(scenario_text(model, description=description))
    else:
        write_scenario(model, output, description=description)
    for line in model.report:
        print(f"{options.robot}: {line}", file=sys.stderr)
    if output is not None:
        print(f"scenario: {output}")
    return 0


def _roots(given: Sequence[str]) -> dict[str, str]:
    """Folders of packages from ``NAME=FOLDER``."""
    for item in given:
        if not all(item.partition("=")):
            raise ModiaError("--root is wrong", found=f"'{item}'", expected="NAME=FOLDER")
    return dict(item.split("=", 1) for item in given)  # type: ignore[misc]


def batch(options: argparse.Namespace) -> int:
    """``modia3d batch``, see `cli.batch`; what it needs is imported where it is asked for."""
    from .batch import batch

    return batch(options)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "run": run,
    "check": check,
    "import": import_robot,
    "batch": batch,
    "modelica": modelica,
}


def figures(result: Any) -> dict[str, Any]:
    """The figures of a run as plain data: the segments, contacts if there were any, statistics of the whole simulation."""
    stop = float(result.time[-1]) if len(result.time) else None
    verdict = {} if result.success is None else {"verdict": result.verdict, "success": result.success}
    contacts = {"contacts": result.contacts} if result.contacts else {}
    segments = [record.to_json() for record in result.segments]
    return {"segments": segments, "stop_time": stop, **verdict, **contacts, **result.statistics}


def _settings(settings: SimulationSettings, options: argparse.Namespace) -> SimulationSettings:
    changes = {name: value for name in ("stop_time", "tolerance") if (value := getattr(options, name)) is not None}
    settings = replace(settings, **changes)
    if not 0.0 < settings.tolerance < 1.0:
        raise ModiaError("--tolerance is wrong", found=f"{settings.tolerance:g}", expected="a number between 0 and 1")
    if not settings.start_time <= settings.stop_time < math.inf:
        expected = f"a finite time, at least {settings.start_time:g} s"
        raise ModiaError("--stop-time is wrong", found=f"{settings.stop_time:g} s", expected=expected)
    return settings


def _print(scenario: Scenario | ModelicaFile, result: Any, failure: BaseException | None, options: argparse.Namespace) -> None:
    data = figures(result)
    if not options.json:
        print(segment_table(data, title=str(scenario.file)))
        if options.log:
            print(program_table(result.program_log))
        if result.contacts:
            print(contact_summary(result.contacts))
            if options.contacts:
                print(contact_table(result.contacts))
        return
    if options.log:
        data["program_log"] = result.program_log
    if failure is not None:
        data["error"] = str(failure)
    print(json.dumps(data, indent=1))


def _animation(scenario: Scenario | ModelicaFile, simulation: Any, result: Any, contacts: bool | None) -> Any:
    from ..viewer.animation import animate

    return animate(result, simulation.flat.components.items(), title=scenario.file.stem, contacts=contacts)


def _view(animation: Any, options: argparse.Namespace) -> None:
    from ..viewer.live import show

    window = show(animation, address=options.listen)
    _say(f"viewer: {window.url}", options)
    if sys.stdin.isatty():
        input("Press Enter to close the viewer. ")


def _say(text: str, options: argparse.Namespace) -> None:
    print(text, file=sys.stderr if options.json else sys.stdout)


def _progress(stop: float) -> Callable[[float], None]:
    """Shows simulated time on a terminal, at most ten times per second."""
    shown = [time.perf_counter()]

    def report(now: float) -> None:
        clock = time.perf_counter()
        if clock - shown[0] > 0.1:
            shown[0] = clock
            print(f"\r{now:10.3f} s of {stop:g} s", end="\r", file=sys.stderr, flush=True)

    return report
