"""``modia3d view``: a scenario is simulated, or a result read, to be looked at."""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import Any

import click

from modiapy.model.errors import ModelError, ModiaError, SimulationError
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from .animations import AnimationOptions, LiveView, animation_options
from .options import given_series, inputs_over_time, libraries, modelica_class, overrides, permit, read_files
from .progress import both, progress_bar
from .terminal import tell

RESULTS = (".h5", ".hdf5")


@click.command("view")
@click.argument("file")
@animation_options
@click.option("--contacts", is_flag=True, help="Show contact forces, whatever the scene says.")
@modelica_class
@permit
@overrides
@libraries
@inputs_over_time
def view(**given: Any) -> int:
    """Look at a simulation.

    FILE is a scenario, Modelica source (.mo), or a result (.h5). Without --html, --gltf, --png or --video it is shown in a
    window of the browser, a simulation while it runs.
    """
    from .outputs import Outputs

    options = AnimationOptions.taken(given)
    window = None if options.files else LiveView(options, print)
    with ExitStack() as kept:
        if window is not None:
            kept.callback(window.close)
        with interrupted_once(ALL):
            animation, failure = _animation(options, window, kept, **given)
            finish_first()
            write = lambda kind, file: options.write(animation, kind, file)  # noqa: E731
            errors: list[ModiaError] = Outputs(animations=options.files).write(None, None, write, print)
        if window is not None:
            window.finish(animation)
    for unwritten in errors[:-1] if failure is None else errors:
        tell(f"modia3d: {unwritten}")
    for problem in [failure, *errors[-1:]]:
        if problem is not None:
            raise problem
    return 0


def _animation(
    options: AnimationOptions, window: LiveView | None, kept: ExitStack, *, file: str, contacts: bool, **source: Any
) -> tuple[Any, ModiaError | None]:
    """Return the animation, and the reason why it is not complete."""
    from .outputs import Outputs
    from .source import read_source

    if os.path.splitext(file)[1].lower() in RESULTS:
        if source["input_files"]:
            raise ModelError(
                "--inputs cannot be given for a result", path=file, remedy="It has the inputs that it was simulated with."
            )
        return _stored(options, file, contacts, source, kept), None
    names = {"permitted": source["permitted"], "overrides": source["overrides"]}
    with progress_bar() as bar:
        bar.step(f"reading {os.path.basename(file)}")
        read = read_source(file, **names, model=source["model"], libraries=source["libraries"])
        bar.step(f"translating {read.file.name}")
        simulation, settings = read.instantiate(), read.settings
        Outputs(animations=options.files).check(read.inputs(simulation) | read_files(source["input_files"]))
        failure: SimulationError | None = None
        follow = None if window is None else window.follow(simulation, title=read.file.stem, stop_time=settings.stop_time)
        times = {name: getattr(settings, name) for name in ("start_time", "tolerance", "interval")}
        series = given_series(simulation, source["input_files"], source["interpolation"])
        bar.begin(simulation, settings.start_time, settings.stop_time)
        progress = both(bar.reached if bar.shows else None, follow)
        try:
            with read.located():
                result = simulation.simulate(settings.stop_time, **times, inputs=series, progress=progress)
        except SimulationError as error:
            if error.result is None:
                raise
            failure, result = error, error.result
    return options.animation(result, simulation.flat.components, read.file.stem, contacts), failure


def _stored(options: AnimationOptions, file: str, contacts: bool, source: dict[str, Any], kept: ExitStack) -> Any:
    """Return the animation of a result file; its scenario, there or in the file, says how what moves looks.

    ``kept`` keeps what the animation reads when it is written.
    """
    from modiapy import read_result

    from ..files.embedded import restored
    from .outputs import Outputs
    from .source import read_source

    origin = read_result(file).origin
    scenario, permitted = str(origin.get("file", "")), source["permitted"]
    elsewhere = not os.path.isfile(scenario)
    if elsewhere:
        place, folder = kept.enter_context(restored(origin))
        scenario, permitted = os.fspath(place), [*permitted, os.fspath(folder)]
    given = [f"{path}={value}" for path, value in origin.get("overrides", {}).items()]
    try:
        read = read_source(
            scenario, permitted, [*given, *source["overrides"]], model=source["model"], libraries=source["libraries"]
        )
        simulation = read.instantiate()
    except ModiaError as error:
        if elsewhere:
            more = f"The scenario was '{origin['file']}'; the result file may not have all files that it names."
            error.remedy = f"{error.remedy} {more}".lstrip()
        raise
    Outputs(animations=options.files).check(read.inputs(simulation) | {os.path.realpath(file): "the result"})
    return options.animation(_with_signals(file, simulation, elsewhere), simulation.flat.components, read.file.stem, contacts)


def _with_signals(file: str, simulation: Any, elsewhere: bool) -> Any:
    """Return the result with all signals; with those of the file alone where files of the model have other names now."""
    from modiapy import read_result

    try:
        return read_result(file, simulation)
    except ModelError:
        if not elsewhere:
            raise
        return read_result(file)
