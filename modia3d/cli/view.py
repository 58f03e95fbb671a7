"""``modia3d view``: a scenario is simulated, or a result read, to be looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from modiapy.model.errors import ModelError, ModiaError, SimulationError
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from .animations import AnimationOptions, LiveView, animation_options
from .drawings import Drawings, drawing_options
from .options import given_series, inputs_over_time, libraries, modelica_class, overrides, permit, read_files
from .progress import both, progress_bar
from .terminal import tell

RESULTS = (".h5", ".hdf5")


@click.command("view")
@click.argument("file")
@animation_options
@drawing_options
@click.option("--contacts", is_flag=True, help="Show contact forces, whatever the scene says.")
@modelica_class
@permit
@overrides
@libraries
@inputs_over_time
def view(**given: Any) -> int:
    """Look at a simulation.

    FILE is a scenario, Modelica source (.mo), or a result (.h5). Without --html, --gltf, --png or --video it is shown in a
    window of the browser, a simulation while it runs. With --diagram or --bond-graph alone, the model is drawn.
    """
    from .outputs import Outputs

    drawings = Drawings.taken(given)
    options = AnimationOptions.taken(given, window=False if drawings.files else None)
    if drawings.files:
        _draw(drawings, alone=not options.files, **given)
        if not options.files:
            return 0
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


def _draw(drawings: Drawings, *, alone: bool, file: str, **source: Any) -> None:
    """Draw the model of a scenario, of Modelica source, or of a result."""
    from .source import read_source

    for name, value in (("--contacts", source["contacts"]), ("--inputs", source["input_files"])):
        if alone and value:
            raise ModelError(f"{name} has no effect", expected="a simulation: --html FILE")
    names = {name: source[name] for name in ("permitted", "overrides", "model", "libraries")}
    with ExitStack() as kept:
        stored = os.path.splitext(file)[1].lower() in RESULTS
        read = kept.enter_context(_origin(file, names, kept))[0] if stored else read_source(file, **names)
        with read.located():
            drawings.write(read.model, read.file.stem, print)


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
    from .outputs import Outputs

    names = {name: source[name] for name in ("permitted", "overrides", "model", "libraries")}
    with _origin(file, names, kept) as (read, elsewhere):
        simulation = read.instantiate()
    Outputs(animations=options.files).check(read.inputs(simulation) | {os.path.realpath(file): "the result"})
    return options.animation(_with_signals(file, simulation, elsewhere), simulation.flat.components, read.file.stem, contacts)


@contextmanager
def _origin(file: str, names: dict[str, Any], kept: ExitStack) -> Iterator[tuple[Any, bool]]:
    """Give the scenario of a result file, and whether it is not there any more, but in the file; errors inside say so.

    ``names`` are arguments of `read_source`; ``kept`` keeps the files of the scenario.
    """
    from modiapy import read_result

    from ..files.embedded import restored
    from .source import read_source

    origin = read_result(file).origin
    scenario, permitted = str(origin.get("file", "")), names["permitted"]
    elsewhere = not os.path.isfile(scenario)
    if elsewhere:
        place, folder = kept.enter_context(restored(origin))
        scenario, permitted = os.fspath(place), [*permitted, os.fspath(folder)]
    given = [f"{path}={value}" for path, value in origin.get("overrides", {}).items()]
    try:
        read = read_source(scenario, **names | {"permitted": permitted, "overrides": [*given, *names["overrides"]]})
        yield read, elsewhere
    except ModiaError as error:
        if elsewhere:
            more = f"The scenario was '{origin['file']}'; the result file may not have all files that it names."
            error.remedy = f"{error.remedy} {more}".lstrip()
        raise


def _with_signals(file: str, simulation: Any, elsewhere: bool) -> Any:
    """Return the result with all signals; with those of the file alone where files of the model have other names now."""
    from modiapy import read_result

    try:
        return read_result(file, simulation)
    except ModelError:
        if not elsewhere:
            raise
        return read_result(file)
