"""`instantiate` and `SimulationModel`: a translated model, ready to run; its parameters may still change."""

from __future__ import annotations

import dataclasses
import math
import pickle
import sys
import time as clock
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..acausal.picklable import packed
from ..model.arguments import arguments_checked
from ..model.errors import ModelError, nearest
from ..model.expression import TIME
from ..model.model import Map
from ..model.tables import table_at
from ..symbolic.analysis.error_places import errors_located
from ..symbolic.analysis.report import Report, SortedIncidence, incidence
from ..symbolic.codegen.compilation_counter import compilations
from ..symbolic.flat.flat_model import FlatModel
from ..symbolic.sorted.sorted_model import SortedModel
from .analyses import Analyses
from .evaluation.component_checks import begin_runs
from .files.archive import check_target
from .merging import merged
from .results.result import Result
from .run import LastRun, Run, active, active_run
from .segment_loop import SegmentLoop
from .segments.interrupts import interrupted_once
from .segments.options import continued_options, new_options, window_of, wrong_argument
from .shown_model import shown
from .simulate import Simulation
from .snapshots.snapshot import read_snapshot, saved_components
from .values import Values, element_of

if TYPE_CHECKING:
    from ..symbolic.analysis.equations import Equations
    from .inputs.time_series import TimeSeries
    from .stepper import Stepper

_OF_MODIA = {
    "requiredFinalStates": "Compare result['name'][-1] with what you expect.",
    "dtmax": "Steps are as long as the tolerance permits; interval=... is the distance of output points.",
    **dict.fromkeys(("logStates", "logEvents"), "log=True shows segments and events."),
    "logParameters": "print(sim.evaluated_parameters) shows the parameters.",
    "unitless": "Units are documentation; check_units=True compares them.",
    "FloatType": "Numbers are floats; for uncertain ones simulate with different values, merge=Map(...).",
}
"""What arguments of Modia.jl are here."""


@arguments_checked(_OF_MODIA)
def instantiate(
    model: Any, name: str | None = None, *, check_units: bool = False, log_evaluated_parameters: bool = False
) -> SimulationModel:
    """Translate a model to machine code: flatten, sort, compile, load.

    Args:
        model: a `Model`, or a ``FlatModel`` written by hand.
        name: of the model, for messages and tables ("Model" or that of the flat model if it is not given).
        check_units: refuse a model whose units do not agree (needs pint).
        log_evaluated_parameters: write all parameters with their values to stderr.

    Raises:
        ModelError: the model as written cannot be translated.
    """
    if check_units:
        from ..symbolic.analysis.units import check_units as messages_about_units

        messages = messages_about_units(model, name or "Model")
        if messages:
            raise ModelError("the units of the model do not agree", path=name or "", found="; ".join(messages))
    sim = SimulationModel(model, name or (model.name if isinstance(model, FlatModel) else "Model"))
    if log_evaluated_parameters:
        print(sim.evaluated_parameters, file=sys.stderr)
    return sim


class SimulationModel(Analyses):
    """A translated model. `simulate` runs it, as often as wanted, with other parameters if wanted.

    What the translation made does not change any more: any number of simulations may run at once, in different threads or from
    ``progress`` of one another, and each gives the bits that it gives alone. Where something is said of *the last simulation*
    (`parameter`, `start`, `value`, `save`) that is the one that this thread is in (within ``progress``), else the one that has
    begun or ended last in any thread; what is wanted of a certain one is found in its `Result`.

    It can be copied and pickled (for other processes, say); functions of the user must stand at the top level of a module for
    that. A copy has the model's own values and no last simulation.

    Attributes:
        name: of the model. written: the model as it was given.
        flat, sorted, compiled: the stages of the translation; each can be printed.
        translation_s: wall-clock time of the translation [s].
        series: values of inputs over time, by name, that hold in each simulation unless its ``inputs`` say others.
        origin: where the model comes from, as plain data for result files (`Result.origin`); large ones as functions that
            give them.
    """

    def __init__(self, model: Any, name: str) -> None:
        from ..symbolic.codegen.model import compile_model
        from ..symbolic.flattening.evaluate import evaluate
        from ..symbolic.flattening.flat_arrays import with_arrays
        from ..symbolic.flattening.flatten import flatten
        from ..symbolic.structure.sort import sort_model

        began = clock.perf_counter()
        self.name = name
        self.origin: dict[str, Any] = {}
        self.series: dict[str, TimeSeries] = {}
        self.written = model
        with errors_located(model):
            evaluated = None if isinstance(model, FlatModel) else evaluate(model, name)
            self.flat: FlatModel = with_arrays(model) if evaluated is None else flatten(evaluated)
            self.sorted: SortedModel = sort_model(self.flat)
            self.compiled = compile_model(self.sorted)
            self._load()
        self._values = Values(self.flat, evaluated)
        self._last = LastRun(self._values)
        self.translation_s = clock.perf_counter() - began

    def _load(self) -> None:
        """Load everything that a simulation calls, so that nothing is compiled later."""
        from ..acausal.native import prepare_kernels
        from .evaluation.machine import Machine
        from .evaluation.problems import prepare_integrators
        from .segments.present import introduce_equations

        machine = Machine(self.compiled, self.flat)
        machine.problem(0, 0)
        introduce_equations(machine)
        begin_runs(self.flat.components)
        prepare_integrators(self.compiled, self.flat)
        self.compiled.outputs  # noqa: B018
        if self.compiled.initial is not None:
            self.compiled.initial.model  # noqa: B018
        prepare_kernels()

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the model as it was written, for pickle; it is translated again there, with the compiled code of the cache."""
        values = self.written.parameters.items() if isinstance(self.written, FlatModel) else ()
        tables = {name: table for name, value in values if (table := table_at(value)) is not None}
        from .results.about import plain

        state = {"series": self.series, "origin": plain(self.origin)}
        return _translated, (packed((self.written, tables), "the model"), self.name), state

    def __copy__(self) -> SimulationModel:
        """Return a copy that shares the translation and has no simulation yet."""
        other = type(self).__new__(type(self))
        own = {"series": dict(self.series), "origin": dict(self.origin), "_last": LastRun(self._values)}
        vars(other).update(vars(self) | own)
        return other

    def __deepcopy__(self, memo: object) -> SimulationModel:
        return self.__copy__()

    def __repr__(self) -> str:
        report = self.report()
        return f"<SimulationModel {self.name}: {len(self.flat.equations)} equations, {report['states']} states>"

    def __str__(self) -> str:
        """Return a summary: states, inputs, parameters with values, components with joints, segments of the last simulation."""
        return shown(self, self.last)

    @property
    def last(self) -> Run:
        """The last simulation, as is said above; before the first one the model's own values."""
        return active_run(self) or self._last.run

    @property
    def values(self) -> Values:
        """Parameters, initial values and components of the last simulation."""
        return self.last.values

    @property
    def evaluated_parameters(self) -> Map:
        """Values of all parameters, those in force as of `parameter`, nested as the model is."""
        return self.last.values.evaluated_parameters

    def parameter(self, path: str) -> Any:
        """Return the value of a parameter, e.g. ``"gear.ratio"``: a number, array, text or object; a `Map` of all if it is a
        submodel.

        It is the value of the last simulation, with what was merged then, or of the model if there was none. What
        ``simulate(merge=...)`` changes holds for that run only.

        Raises:
            ModelError: there is no such parameter.
        """
        return self.last.values.parameter(path)

    def start(self, path: str) -> Any:
        """Return the initial value of a variable or of an element of it: its ``init``, else its ``start``; None if it has
        neither.

        As of `parameter`, it is that of the last simulation.

        Raises:
            ModelError: there is no such variable.
        """
        return self.last.values.start(path)

    def value(self, path: str) -> Any:
        """Return the value at the end of the last simulation, of whatever the result has; or value of a parameter.

        Raises:
            ModelError: there is no such variable or parameter, or nothing was simulated yet.
        """
        last = self.last
        if last.has(path):
            return last.value(path)
        if path not in self.flat.variables and path != TIME.name and element_of(path)[0] not in self.flat.variables:
            try:
                return last.values.parameter(path)
            except ModelError as error:
                error.remedy = nearest(path, [*self.flat.variables, *self.flat.parameters])
                raise
        return last.value(path)  # raises: there is none yet, or no such element

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the equations."""
        return tuple(self.sorted.states)

    @property
    def equations(self) -> Equations:
        """The equations as objects of sympy, flat and sorted; notebooks show them as LaTeX."""
        from ..symbolic.analysis.equations import Equations

        return Equations(self.sorted)

    def report(self) -> Report:
        """Return the sizes before and after each pass of the translation, by name; ``print`` shows a table."""
        return Report(self.sorted, {system.index: str(system.solver) for system in self.compiled.systems})

    def incidence(self, *, plot: bool = True) -> SortedIncidence:
        """Return the incidence matrix of equations and unknowns in the order of their evaluation, plotted unless ``plot`` is
        false.

        Raises:
            ModelError: matplotlib is not installed.
        """
        result = incidence(self.sorted)
        if plot:
            result.plot()
        return result

    @arguments_checked(_OF_MODIA)
    def simulate(
        self,
        stop_time: float | None = None,
        *,
        start_time: float | None = None,
        tolerance: float | None = None,
        absolute_tolerance: float | None = None,
        interval: float | None = None,
        merge: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        solver: str | None = None,
        mode: str | None = None,
        log: bool = False,
        progress: Callable[[float], None] | None = None,
        save: str | PathLike[str] | None = None,
        save_every: float | None = None,
        output: str | PathLike[str] | None = None,
    ) -> Result:
        """Simulate from ``start_time`` to ``stop_time``; after `restore`, go on from there instead.

        Args:
            stop_time, start_time: [s]; by default from 0. A model read from Modelica has defaults for these, for ``tolerance``
                and for ``interval``: those of its experiment annotation.
            tolerance: relative tolerance of the integrator, by default 1e-6.
            absolute_tolerance: the local error of a state is kept below ``tolerance*|x| + absolute_tolerance*nominal``; by
                default a tenth of ``tolerance``. ``nominal`` is that of its variable; by default what is known of it, or 1.
            interval: distance of output points [s]; by default 500 of them. Event points are stored in addition.
            merge: a `Map` with new values of parameters, initial values, or objects of components. The structure of the
                equations must stay, so that the same machine code runs.
            inputs: values over time of the model's inputs, by full name: a pair ``(times, values)``, interpolated linearly, a
                `TimeSeries`, a pandas Series over time, or a number (for an input that is an array, an array). A DataFrame has
                one in each column. Inputs that are not given keep their ``start``; before the first and after the last time the
                value there is held. A simulation that goes on from a snapshot keeps the inputs that it had but for these.
            solver: "cvode" (the default), "adams" (for smooth motion that is not stiff), "chebyshev" (for many
                states that damping makes stiff, and many events), "sundae" or "scipy".
            mode: "ode" (linear systems for derivatives are solved in every evaluation), "dae" (large ones, and constraints
                without a static selection of states, are left to the integrator IDA) or "auto" (the faster of the two; the
                default).
            log: write segments and state events to stderr.
            progress: called with the time reached [s], every 50 to 1000 output points (so that it is not long) and at events.
            save: a file to which a snapshot is written when the simulation ends, however it ends; see `save`.
            save_every: write it also while the simulation runs, at the first event after so much simulated time [s].
            output: a file (.h5) to which the result is written while the simulation runs, in place of memory; `read_result`
                reads it. An earlier result there is replaced, or, by a simulation that goes on, continued.

        Returns:
            The result. It begins with the state after the initial event and ends with that after the events at ``stop_time``.
            That of a simulation that goes on begins with the snapshot.

        Raises:
            ModelError: a wrong argument; ``merge`` does not fit or changes the structure; a snapshot cannot be written.
            SimulationError: the simulation had to stop; ``error.result`` holds what was computed until then.
            SimulationInterrupted: the same after an interrupt from the keyboard.
        """
        given: dict[str, Any] = {"stop_time": stop_time, "start_time": start_time, "tolerance": tolerance, "solver": solver}
        given |= {"absolute_tolerance": absolute_tolerance, "interval": interval}
        given = self._with_defaults(given)
        given |= {"log": log, "progress": progress, "save": save, "save_every": save_every}
        run = self._simulate(given, mode, merge, output, inputs=inputs)
        assert run.result is not None
        return run.result

    def _with_defaults(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with those of the experiment of a model read from Modelica, unless a snapshot has them."""
        if self._last.run.begins_from is not None:
            return given
        return given | {name: value for name, value in self.flat.defaults.items() if given.get(name) is None}

    def _simulate(
        self,
        given: dict[str, Any],
        mode: str | None,
        merge: Mapping[str, Any] | None,
        output: str | PathLike[str] | None = None,
        at_end: Callable[[SegmentLoop], None] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> Run:
        run, complete = self._prepared(given, mode, merge, output, at_end, inputs)
        assert run.simulation is not None
        with ExitStack() as within:
            self._enter(run, within)
            within.callback(complete)
            run.simulation.run()
        return run

    def _enter(self, run: Run, within: ExitStack) -> None:
        """Enter the contexts in which a simulation runs."""
        within.enter_context(active(self, run))
        within.enter_context(interrupted_once())
        within.enter_context(errors_located(self.written))

    def _prepared(
        self,
        given: dict[str, Any],
        mode: str | None,
        merge: Mapping[str, Any] | None,
        output: str | PathLike[str] | None,
        at_end: Callable[[SegmentLoop], None] | None,
        inputs: Mapping[str, Any] | None,
        window: float = math.inf,
    ) -> tuple[Run, Callable[[], None]]:
        """Return a simulation that is ready to begin, and the function to be called at its end."""
        compiled_before = compilations()
        from .evaluation.machine import Machine
        from .inputs.given import check_range, series_of, with_values
        from .results.about import About, about_model
        from .segments.present import introduce_equations

        if merge is not None and not isinstance(merge, Mapping):
            raise wrong_argument("merge", found=repr(merge), expected="a Map, for example merge=Map(R=100.0)")
        if output is not None:
            from .results.stored_result import check_path, new_result

            check_path(output)
        before = self._last.run
        snapshot, save, stored = before.begins_from, given.get("save"), output is not None
        if snapshot is None:
            options = new_options(given, self.compiled, mode, stored)
            if self.flat.start_time not in (None, options.start_time):
                expected = f"{self.flat.start_time!r}, on which the equations are built"
                raise wrong_argument("start_time", found=repr(options.start_time), expected=expected)
            run = Run(self._merged(merge) if merge else self._values)
        else:
            asked = given | {"mode": mode, "merge": merge or None}
            options = continued_options(asked, self.compiled, snapshot.options, snapshot.time, stored)
            run = Run(before.values)
        flat = run.values.flat
        before_it = {} if snapshot is None else snapshot.series()
        series = series_of(self.series, flat) | before_it | series_of(inputs, flat)
        begin = options.start_time if snapshot is None else snapshot.time
        check_range(series, begin, options.stop_time)
        if save is not None:
            saved_components(begin_runs(flat.components))
            check_target(save)
        machine = Machine(self.compiled, with_values(flat, series, begin), series)
        if flat is not self.flat:
            introduce_equations(machine)
        if not self._last.take(before):
            return self._prepared(given, mode, merge, output, at_end, inputs, window)

        def about(values: Values = run.values, origin: Mapping[str, Any] = dict(self.origin)) -> About:
            return about_model(self.name, values.flat, values.fingerprint, origin)

        run.result, run.about = Result(self.name, about, options.stop_time, window), about
        if output is not None:
            reached = None if snapshot is None else (snapshot.segment["index"], snapshot.points)
            points = int((options.stop_time - options.start_time) / options.interval) + 1
            run.result = new_result(output, about(), flat, machine.table, options.stop_time, points=points, reached=reached)
        write = None if save is None else lambda: self._write(run, save)
        run.simulation = Simulation(machine, options, run.result, snapshot, write, at_end)
        self._last.run = run
        return run, partial(self._complete, run, compiled_before)

    @arguments_checked(_OF_MODIA)
    def stepper(
        self,
        stop_time: float,
        *,
        start_time: float | None = None,
        tolerance: float | None = None,
        absolute_tolerance: float | None = None,
        interval: float | None = None,
        merge: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
        solver: str | None = None,
        mode: str | None = None,
        log: bool = False,
        save: str | PathLike[str] | None = None,
        output: str | PathLike[str] | None = None,
        record: bool | float = True,
    ) -> Stepper:
        """Return a simulation that goes on step by step, for controllers in Python; it stands after its initial event.

        Args:
            stop_time: it goes no farther [s]; it may end before.
            inputs: at the beginning, and as long as the stepper sets no other value.
            record: whether the result keeps all points, or the last one (False: for long loops), or those of so long ago [s].
            start_time, tolerance, absolute_tolerance, interval, merge, solver, mode, log, save, output: as of `simulate`.

        Raises:
            ModelError, SimulationError: as of `simulate`.
        """
        from .stepper import Stepper

        given: dict[str, Any] = {"stop_time": stop_time, "start_time": start_time, "tolerance": tolerance, "solver": solver}
        given |= {"absolute_tolerance": absolute_tolerance, "interval": interval, "log": log, "save": save}
        given, window = self._with_defaults(given), window_of(record, output is not None)
        run, complete = self._prepared(given, mode, merge, output, None, inputs, window)
        return Stepper(run, partial(self._enter, run), complete, partial(run.begin_result, output is None))

    def _complete(self, run: Run, compiled_before: int) -> None:
        """Complete the result of a simulation that has ended, whatever the reason."""
        self._last.run, result = run, run.result
        assert result is not None
        result.statistics["translation_s"] = self.translation_s
        result.statistics["compilations_after_start"] = compilations() - compiled_before
        result.close()

    def save(self, file: str | PathLike[str]) -> None:
        """Write a snapshot of the last simulation, or of the one that runs (from ``progress``), to a file.

        Whether the simulation reached its stop time, failed or was interrupted, `restore` and another `simulate` go on as if
        nothing had been: to the same bits. The snapshot is the state after the last event; the steps since then are computed
        again. The file is replaced as a whole.

        Raises:
            ModelError: nothing was simulated, a component cannot be saved, the file cannot be written.
        """
        self._write(self.last, file)

    def _write(self, run: Run, file: str | PathLike[str]) -> None:
        """Write a snapshot of a simulation to a file. Errors as of `save`."""
        snapshot = run.snapshot()
        if snapshot is None:
            raise ModelError("there is no result to save yet", path=self.name, remedy="Call simulate(...) before.")
        saved_components(begin_runs(run.values.flat.components))
        snapshot.write(file, run.values.fingerprint)

    def restore(self, file: str | PathLike[str], *, merge: Mapping[str, Any] | None = None) -> float:
        """Read a snapshot: the next `simulate` goes on from there, with the tolerance, solver and output points of that run.

        Args:
            file: that `save` wrote, in this process or another.
            merge: what that simulation had merged.

        Returns:
            Time of the snapshot [s].

        Raises:
            ModelError: the file cannot be read, is damaged or is a snapshot of another model; the message tells what differs.
        """
        values = self._merged(merge) if merge else self._values
        saved_components(begin_runs(values.flat.components))
        snapshot = read_snapshot(file, values.fingerprint)
        self._last.run = Run(values, snapshot)
        return snapshot.time

    def _merged(self, merge: Mapping[str, Any]) -> Values:
        return merged(self.written, self.name, self._values, self.sorted, merge)


def _translated(model: bytes, name: str) -> SimulationModel:
    """Return the model of this name, pickled with the tables that parameters of a flat model refer to by their address."""
    made, tables = pickle.loads(model)
    if tables:
        made = dataclasses.replace(made, parameters={**made.parameters, **{name: t.handle for name, t in tables.items()}})
    return SimulationModel(made, name)
