"""``modia3d run``: a simulation, its table of segments, and the files that are asked for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from modiapy.model.errors import ModelError, ModiaError, SimulationError
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from .options import as_json, libraries, overrides, permit
from .progress import Bar, progress_bar
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
    html: str | None
    view: bool
    listen: str
    output: str | None
    stop_time: float | None
    tolerance: float | None
    log: bool
    contacts: bool
    save: str | None
    resume: str | None
    store: str | None
    model: str | None
    permitted: Sequence[str]
    overrides: Sequence[str]
    libraries: Sequence[str]


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
@click.option("--html", metavar="FILE", help="Write the animation as one self-contained HTML file.")
@click.option("--view", is_flag=True, help="Show the animation in a meshcat window of the browser.")
@click.option(
    "--listen", metavar="ADDRESS", default="127.0.0.1", help="Address for --view instead of this machine only (127.0.0.1)."
)
@click.option("--output", metavar="FILE", help="Write all signals to a file of numpy (.npz).")
@click.option("--stop-time", type=float, metavar="S", help="End of the simulation [s] instead of the scenario's.")
@click.option("--tolerance", type=float, metavar="TOL", help="Relative tolerance instead of the scenario's.")
@click.option("--log", is_flag=True, help="Print every step of the action program with its time and outcome.")
@click.option("--contacts", is_flag=True, help="Print every contact, and show contact forces in animations.")
@click.option("--save", metavar="FILE", help="Write a snapshot at the end, from which --resume goes on.")
@click.option("--resume", metavar="FILE", help="Go on from a snapshot until the stop time.")
@click.option("--store", metavar="FOLDER", help="Write the result to a folder while the simulation runs.")
@click.option("--model", metavar="NAME", help="The class to simulate, where the file is Modelica source (.mo).")
@permit
@overrides
@libraries
def run(**given: Any) -> int:
    """Simulate a scenario and print its segments.

    SCENARIO is a YAML file, or Modelica source (.mo). A simulation that fails or is interrupted still prints and writes what it
    computed.
    """
    options = _Options(**given)
    animations: list[Any] = []
    with interrupted_once(ALL):
        status = _simulate_and_write(options, animations)
    if options.view:
        _view(animations[0], options)
    return status


def _simulate_and_write(options: _Options, animations: list[Any]) -> int:
    """Exit status; ``animations`` gets the animation if it is asked for."""
    from .outputs import Outputs
    from .source import read_source

    with progress_bar() as bar:
        bar.step(f"reading {options.scenario}")
        scenario = read_source(
            options.scenario, options.permitted, options.overrides, model=options.model, libraries=options.libraries
        )
        settings = _settings(scenario.settings, options)
        bar.step(f"translating {options.scenario}")
        simulation = scenario.instantiate()
        outputs = Outputs(save=options.save, output=options.output, html=options.html)
        snapshot = {} if options.resume is None else {os.path.realpath(options.resume): "the snapshot that is resumed"}
        outputs.check(scenario.inputs(simulation) | snapshot)
        result, failure = _simulate(scenario, simulation, settings, options, bar)
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


def _simulate(
    scenario: Scenario | ModelicaFile, simulation: Any, settings: SimulationSettings, options: _Options, bar: Bar
) -> tuple[Any, SimulationError | None]:
    """The result, and why it is not complete."""
    given: dict[str, Any] = {name: getattr(settings, name) for name in ("start_time", "tolerance", "interval")}
    start = settings.start_time
    if options.resume is not None:
        if options.tolerance is not None:
            raise ModiaError("--tolerance cannot be given with --resume", remedy="The snapshot has its own.")
        start, given = simulation.restore(options.resume), {}
    bar.begin(simulation, start, settings.stop_time)
    try:
        with scenario.located():
            progress = bar.reached if bar.shows else None
            return simulation.simulate(settings.stop_time, **given, store=options.store, progress=progress), None
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
    print(json.dumps(data, indent=1))


def _animation(scenario: Scenario | ModelicaFile, simulation: Any, result: Any, contacts: bool | None) -> Any:
    from ..viewer.animation import animate

    return animate(result, simulation.flat.components.items(), title=scenario.file.stem, contacts=contacts)


def _view(animation: Any, options: _Options) -> None:
    from ..viewer.live import show

    window = show(animation, address=options.listen)
    _say(f"viewer: {window.url}", options)
    if sys.stdin.isatty():
        input("Press Enter to close the viewer. ")


def _say(text: str, options: _Options) -> None:
    print(text, file=sys.stderr if options.as_json else sys.stdout)
