"""``modia3d run``: a simulation, its table of segments, and the files that are asked for."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from modiapy.model.errors import ModelError, ModiaError, NumericalError, SimulationError
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from .animations import AnimationOptions, LiveView, animation_options
from .options import Seconds, as_json, given_series, inputs_over_time, libraries, modelica_class, overrides, permit, read_files
from .progress import Bar, both, progress_bar
from .terminal import attempt, tell

if TYPE_CHECKING:
    from ..files.scenario import Scenario, SimulationSettings
    from .source import ModelicaFile

NO_SUCCESS = 1
"""Exit status where a program ended the simulation with a verdict that is no success."""


@dataclass(frozen=True)
class _Options:
    scenario: str
    as_json: bool
    view: bool
    output: str | None
    stop_time: float | None
    tolerance: float | None
    log: bool
    contacts: bool
    save: str | None
    resume: str | None
    model: str | None
    permitted: Sequence[str]
    overrides: Sequence[str]
    libraries: Sequence[str]
    input_files: Sequence[str]
    interpolation: str | None


_STATUS = """\b
Exit status:
  0    the simulation reached its end
  1    an action program ended it without success
  2    a mistake: in the scenario, its program, an option, or an assertion that does not hold
  3    numerical failure: the equations could not be solved or integrated any further; the last
       states and the last event are told on stderr, those states first that change fastest
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP)
"""


@click.command("run", epilog=_STATUS)
@click.argument("scenario")
@as_json
@animation_options
@click.option("--view", is_flag=True, help="Show it in a window of the browser, while it is simulated and afterwards.")
@click.option("--output", metavar="FILE", help="Write the result: .h5 (everything, while it runs), .csv, .parquet (signals).")
@click.option("--stop-time", type=Seconds(), metavar="S", help="End of the simulation [s] instead of the scenario's.")
@click.option("--tolerance", type=float, metavar="TOL", help="Relative tolerance instead of the scenario's.")
@click.option("--log", is_flag=True, help="Print every step of the action program with its time and outcome.")
@click.option("--contacts", is_flag=True, help="Print every contact, and show contact forces in animations.")
@click.option("--save", metavar="FILE", help="Write a snapshot at the end, from which --resume goes on.")
@click.option("--resume", metavar="FILE", help="Go on from a snapshot until the stop time.")
@modelica_class
@permit
@overrides
@libraries
@inputs_over_time
def run(**given: Any) -> int:
    """Simulate a scenario and print its segments.

    SCENARIO is a YAML file, or Modelica source (.mo). A simulation that fails or is interrupted still prints and writes what it
    computed.
    """
    shown = AnimationOptions.taken(given, window=given["view"])
    options = _Options(**given)
    animations: list[Any] = []
    window = LiveView(shown, lambda text: _say(text, options)) if options.view else None
    try:
        with interrupted_once(ALL):
            status = _simulate_and_write(options, shown, window, animations)
        if window is not None:
            window.finish(animations[0])
    finally:
        if window is not None:
            window.close()
    return status


def _simulate_and_write(options: _Options, shown: AnimationOptions, window: LiveView | None, animations: list[Any]) -> int:
    """Exit status; ``animations`` gets the animation if it is asked for."""
    from .outputs import Outputs
    from .source import read_source
    from .starting import started

    with progress_bar() as bar:
        bar.step(f"reading {Path(options.scenario).name}")
        scenario = read_source(
            options.scenario, options.permitted, options.overrides, model=options.model, libraries=options.libraries
        )
        settings = _settings(scenario.settings, options)
        bar.step(f"translating {Path(options.scenario).name}")
        simulation = scenario.instantiate()
        outputs = Outputs(save=options.save, output=options.output, animations=shown.files)
        snapshot = {} if options.resume is None else {os.path.realpath(options.resume): "the snapshot that is resumed"}
        series = given_series(simulation, options.input_files, options.interpolation)
        outputs.check(scenario.inputs(simulation) | snapshot | read_files(options.input_files))
        title = scenario.file.stem
        follow = None if window is None else window.follow(simulation, title=title, stop_time=settings.stop_time)
        started()
        asked = {"inputs": series, "output": outputs.streamed}
        result, failure = _simulate(scenario, simulation, settings, options, asked, bar, follow)
    finish_first()
    closed = attempt(lambda: _print(scenario, result, failure, options))

    def animation() -> Any:
        if not animations:
            animations.append(shown.animation(result, simulation.flat.components, title, options.contacts))
        return animations[0]

    told: list[OSError] = []
    say = lambda text: told.extend(attempt(lambda: _say(text, options)))  # noqa: E731
    errors = outputs.write(simulation, result, lambda kind, file: shown.write(animation(), kind, file), say)
    if options.view:
        animation()
    for unwritten in errors[:-1] if failure is None else errors:
        tell(f"modia3d: {unwritten}")
    for problem in [failure, *errors[-1:], *closed, *told]:
        if problem is not None:
            raise problem
    return NO_SUCCESS if result.success is False else 0


def _simulate(
    scenario: Scenario | ModelicaFile,
    simulation: Any,
    settings: SimulationSettings,
    options: _Options,
    asked: dict[str, Any],
    bar: Bar,
    follow: Callable[[float], None] | None,
) -> tuple[Any, SimulationError | None]:
    """Return the result, and why it is not complete."""
    given: dict[str, Any] = {name: getattr(settings, name) for name in ("start_time", "tolerance", "interval")}
    start = settings.start_time
    if options.resume is not None:
        if options.tolerance is not None:
            raise ModiaError("--tolerance cannot be given with --resume", remedy="The snapshot has its own.")
        start, given = simulation.restore(options.resume), {}
    bar.begin(simulation, start, settings.stop_time)
    try:
        with scenario.located():
            progress = both(bar.reached if bar.shows else None, follow)
            return simulation.simulate(settings.stop_time, **given, **asked, progress=progress), None
    except SimulationError as error:
        if error.result is None:
            raise
        return error.result, error


def _settings(settings: SimulationSettings, options: _Options) -> SimulationSettings:
    changes = {name: value for name in ("stop_time", "tolerance") if (value := getattr(options, name)) is not None}
    try:
        return replace(settings, **changes)
    except ModelError as error:
        option = error.path.partition(".")[2].replace("_", "-")
        raise ModiaError(f"--{option} is wrong", found=error.found, expected=error.expected) from None


def _print(scenario: Scenario | ModelicaFile, result: Any, failure: BaseException | None, options: _Options) -> None:
    from .table import contact_summary, contact_table, figures, program_table, segment_table

    data = figures(result)
    if not options.as_json:
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
    if isinstance(failure, NumericalError):
        data["fastest_states"] = [_as_data(state) for state in failure.fastest_states]
        data["last_event"] = failure.last_event
    print(json.dumps(data, indent=1))


def _as_data(state: Any) -> dict[str, Any]:
    """Return its fields; what is no number is null, for JSON knows no NaN."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in vars(state).items()}


def _say(text: str, options: _Options) -> None:
    print(text, file=sys.stderr if options.as_json else sys.stdout)
