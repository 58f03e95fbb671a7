"""`instantiate` and `SimulationModel`: a translated model, ready to run; its parameters may still change."""

from __future__ import annotations

import math
import re
import sys
import time as clock
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..model.errors import ModelError, nearest
from ..model.expression import TIME
from ..model.model import Map, is_number
from ..symbolic.compilation_counter import compilations
from ..symbolic.diagnosis import errors_located
from ..symbolic.evaluate import EvaluatedModel, evaluated_parameters, parameter_at
from ..symbolic.flat_model import FlatModel
from ..symbolic.report import Incidence, Report, incidence
from ..symbolic.sorted_model import SortedModel
from .result import Result

DEFAULT_POINTS = 500
ABSOLUTE_TOLERANCE_FACTOR = 0.1
_SHOWN = 30
"""So many states, inputs and parameters are printed."""


def instantiate(
    model: Any, name: str | None = None, *, check_units: bool = False, log_evaluated_parameters: bool = False
) -> SimulationModel:
    """Translate a model to machine code: flatten, sort, compile, load.

    Args:
        model: a `Model`, or a `FlatModel` written by hand.
        name: of the model, for messages and tables ("Model" or that of the flat model if it is not given).
        check_units: refuse a model whose units do not agree (needs pint).
        log_evaluated_parameters: write all parameters with their values to stderr.

    Raises:
        ModelError: the model as written cannot be translated.
    """
    if check_units:
        from ..symbolic.units import check_units as messages_about_units

        messages = messages_about_units(model, name or "Model")
        if messages:
            raise ModelError("the units of the model do not agree", path=name or "", found="; ".join(messages))
    sim = SimulationModel(model, name or (model.name if isinstance(model, FlatModel) else "Model"))
    if log_evaluated_parameters:
        print(sim.evaluated_parameters, file=sys.stderr)
    return sim


class SimulationModel:
    """A translated model. `simulate` runs it, as often as wanted, with other parameters if wanted.

    Attributes:
        name: of the model.
        flat, sorted, compiled: the stages of the translation; each can be printed.
        translation_s: wall-clock time of the translation [s].
    """

    def __init__(self, model: Any, name: str) -> None:
        from ..symbolic.codegen import compile_model
        from ..symbolic.evaluate import evaluate
        from ..symbolic.flat_arrays import with_arrays
        from ..symbolic.flatten import flatten
        from ..symbolic.sort import sort_model

        began = clock.perf_counter()
        self.name = name
        self._model = model
        self._result: Result | None = None
        self._merged_model: EvaluatedModel | None = None
        with errors_located(model):
            self._evaluated = None if isinstance(model, FlatModel) else evaluate(model, name)
            self.flat: FlatModel = with_arrays(model) if self._evaluated is None else flatten(self._evaluated)
            self.sorted: SortedModel = sort_model(self.flat)
            self.compiled = compile_model(self.sorted)
            self._load()
        self._flat = self.flat
        self.translation_s = clock.perf_counter() - began

    def _load(self) -> None:
        """Bring everything into memory that a simulation calls, so that nothing is compiled later."""
        from .machine import Machine

        Machine(self.compiled, self.flat).problem(0, 0)
        self.compiled.outputs  # noqa: B018
        if self.compiled.initial is not None:
            self.compiled.initial.model  # noqa: B018

    def __repr__(self) -> str:
        report = self.report()
        return f"<SimulationModel {self.name}: {len(self.flat.equations)} equations, {report['states']} states>"

    def __str__(self) -> str:
        """What can be simulated: states, inputs and parameters with their values, and what to do with them."""
        start = {name: self.start(name) for name in self.states if name in self._flat.variables}
        inputs = {name: self.start(name) for name in self.sorted.inputs}
        parts = [("states", start), ("inputs", inputs), ("parameters", {**self._flat.parameters, **self._flat.arrays})]
        lines = [f"{self.name}: {len(self.flat.equations)} equations, translated in {self.translation_s:.2g} s"]
        for title, values in parts:
            items = [f"{name} = {0.0 if value is None else value!r}" for name, value in values.items()]
            more = [f"... and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
            lines += [f"  {title}:", *(f"    {item}" for item in [*items[:_SHOWN], *more])] if items else []
        return "\n".join(lines)

    @property
    def evaluated_parameters(self) -> Map:
        """Values of all parameters, those in force as of `parameter`, nested as the model is."""
        evaluated = self._merged_model or self._evaluated
        if evaluated is None:
            return Map(**self._flat.parameters, **self._flat.arrays)
        return evaluated_parameters(evaluated.tree)

    def parameter(self, path: str) -> Any:
        """Value of a parameter, e.g. ``"gear.ratio"``: a number, array, text or object; a `Map` of all if it is a submodel.

        It is the value of the last simulation, with what was merged then, or of the model if there was none. What
        ``simulate(merge=...)`` changes holds for that run only.

        Raises:
            ModelError: there is no such parameter.
        """
        evaluated = self._merged_model or self._evaluated
        if evaluated is not None:
            return parameter_at(evaluated.tree, path)
        values = {**self._flat.parameters, **self._flat.arrays}
        if path not in values:
            raise ModelError("there is no such parameter", path=path, remedy=nearest(path, values))
        return values[path]

    def start(self, path: str) -> Any:
        """Initial value of a variable or of an element of it: its ``init``, else its ``start``; None if it has neither.

        As of `parameter`, it is that of the last simulation.

        Raises:
            ModelError: there is no such variable.
        """
        whole, indices = (path, ()) if path in self._flat.variables else _element(path)
        variable = self._flat.variables.get(whole)
        value = None if variable is None else variable.start if variable.init is None else variable.init
        shape = self._flat.shapes.get(whole, ())
        if variable is None or (indices and not _inside(indices, shape)):
            raise ModelError("there is no such variable", path=path, remedy=nearest(path, self.flat.variables))
        if value is None or not indices:
            return value
        return np.broadcast_to(np.asarray(value), shape)[indices]

    def value(self, path: str) -> Any:
        """Value at the end of the last simulation, of whatever the result has; or value of a parameter.

        Raises:
            ModelError: there is no such variable or parameter, or nothing was simulated yet.
        """
        if self._result is not None and self._result.segments and path in self._result:
            return self._result[path][-1]
        if path not in self.flat.variables and path != TIME.name and _element(path)[0] not in self.flat.variables:
            try:
                return self.parameter(path)
            except ModelError as error:
                error.remedy = nearest(path, [*self.flat.variables, *self.flat.parameters])
                raise
        if self._result is None or not self._result.segments:
            raise ModelError("the variable has no value yet", path=path, remedy="Call simulate(...) before.")
        return self._result[path][-1]  # raises: no such element

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the equations."""
        return tuple(self.sorted.states)

    def report(self) -> Report:
        """Sizes before and after each pass of the translation, by name; ``print`` shows a table."""
        return Report(self.sorted)

    def incidence(self, *, plot: bool = True) -> Incidence:
        """The incidence matrix of equations and unknowns in the order of their evaluation, plotted unless ``plot`` is false.

        Raises:
            ModelError: matplotlib is not installed.
        """
        result = incidence(self.sorted)
        if plot:
            result.plot()
        return result

    def simulate(
        self,
        stop_time: float,
        *,
        start_time: float = 0.0,
        tolerance: float = 1e-6,
        absolute_tolerance: float | None = None,
        interval: float | None = None,
        merge: Mapping[str, Any] | None = None,
        solver: str = "cvode",
        mode: str = "auto",
        log: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Simulate from ``start_time`` to ``stop_time``.

        Args:
            stop_time, start_time: [s].
            tolerance: relative tolerance of the integrator.
            absolute_tolerance: the local error of a state is kept below ``tolerance*|x| + absolute_tolerance*nominal``; by
                default a tenth of ``tolerance``. A state has the attribute ``nominal`` of its variable, by default 1.
            interval: distance of output points [s]; by default 500 of them. Event points are stored in addition.
            merge: a `Map` with new values of parameters, initial values, or objects of components. The structure of the
                equations must stay, so that the same machine code runs.
            solver: "cvode", "sundae" or "scipy".
            mode: "ode" (linear systems for derivatives are solved in every evaluation), "dae" (large ones, and constraints
                without a static selection of states, are left to the integrator IDA) or "auto" (the faster of the two).
            log: write segments and state events to stderr.
            progress: called with the time reached [s], about every 1000 output points and at events.

        Returns:
            The result. It begins with the state after the initial event; nothing happens at ``stop_time`` but its output.

        Raises:
            ModelError: a wrong argument; ``merge`` does not fit or changes the structure.
            SimulationError: the simulation had to stop; ``error.result`` holds what was computed until then.
            SimulationInterrupted: the same after an interrupt from the keyboard.
        """
        from .machine import Machine
        from .simulate import Options, Simulation

        given: dict[str, float | None] = {"stop_time": stop_time, "start_time": start_time, "tolerance": tolerance}
        given |= {"absolute_tolerance": absolute_tolerance, "interval": interval}
        for argument, value in given.items():
            if not is_number(value) and not (value is None and argument in ("absolute_tolerance", "interval")):
                raise ModelError(f"simulate: {argument}", found=repr(value), expected="a number")
        if merge is not None and not isinstance(merge, Mapping):
            raise ModelError("simulate: merge", found=repr(merge), expected="a Map, for example merge=Map(R=100.0)")
        span = stop_time - start_time
        options = Options(
            start_time=float(start_time),
            stop_time=float(stop_time),
            tolerance=float(tolerance),
            absolute_tolerance=float(
                ABSOLUTE_TOLERANCE_FACTOR * tolerance if absolute_tolerance is None else absolute_tolerance
            ),
            interval=float(interval) if interval is not None else span / DEFAULT_POINTS if span > 0 else 1.0,
            solver=solver,
            log=log,
            progress=progress,
            dae=integrates_residuals(self.compiled, mode, solver),
        )
        check_options(options)
        evaluated, flat = self._merged(merge) if merge else (None, self.flat)
        self._merged_model, self._flat = evaluated, flat
        result = self._result = Result(self.name, options.stop_time)
        compiled_before = compilations()
        try:
            with errors_located(self._model):
                return Simulation(Machine(self.compiled, flat), options, result).run()
        finally:
            result.statistics["translation_s"] = self.translation_s
            result.statistics["compilations_after_start"] = compilations() - compiled_before

    def _merged(self, merge: Mapping[str, Any]) -> tuple[EvaluatedModel | None, FlatModel]:
        from ..symbolic.array_blocks import check_sizes
        from ..symbolic.array_flattening import align_elements
        from ..symbolic.control import expand_control
        from ..symbolic.evaluate import evaluate
        from ..symbolic.flat_arrays import with_arrays
        from ..symbolic.flat_merge import merged_flat
        from ..symbolic.flatten import flatten, same_structure
        from ..symbolic.singularities import check_assumptions

        evaluated = None
        if self._evaluated is None:
            flat = with_arrays(merged_flat(self._model, merge))
            difference = same_structure(expand_control(self.flat), expand_control(flat))
        else:
            evaluated = evaluate(self._model | merge, self.name)
            flat = flatten(evaluated)
            align_elements(self.flat, flat)
            difference = same_structure(self.flat, flat)
        if difference is not None:
            raise ModelError(
                "'merge' changes the structure of the equations",
                path=self.name,
                found=difference,
                expected="new values only",
                remedy="Merge before: instantiate(model | Map(...)).",
            )
        if flat.shapes:
            check_sizes(self.sorted, flat.shapes)
        check_assumptions(self.sorted, flat.parameters)
        return evaluated, flat


def _element(path: str) -> tuple[str, tuple[int, ...]]:
    """``"a.x[1,2]"`` as ``("a.x", (1, 2))``; no indices where there are none that can be read."""
    found = re.fullmatch(r"(.+)\[(\d+(?:,\d+)*)\]", path.replace(" ", ""))
    return (found[1], tuple(map(int, found[2].split(",")))) if found else (path, ())


def _inside(indices: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(indices) == len(shape) and all(k < n for k, n in zip(indices, shape, strict=True))


def integrates_residuals(compiled: Any, mode: str, solver: str) -> bool:
    """Whether a simulation integrates the residual form: ``mode`` of `SimulationModel.simulate`, decided.

    Raises:
        ModelError: there is no such mode, or the model cannot be integrated in it.
    """
    modes = ("auto", "dae", "ode")
    if mode not in modes:
        raise ModelError(
            "simulate: mode", found=repr(mode), expected=f"one of {', '.join(map(repr, modes))}", remedy=nearest(mode, modes)
        )
    from .solvers import check_dae_solver

    constraints = compiled.sorted.constraints
    if mode == "ode" and constraints:
        raise ModelError(
            "simulate: mode",
            found=repr(mode),
            expected="'dae' or 'auto'",
            remedy=f"The constraint '{constraints[0].equation}' allows no static selection of states; IDA keeps it.",
        )
    if mode == "dae" or constraints:
        check_dae_solver(solver)
        return True
    return mode == "auto" and solver != "scipy" and bool(compiled.has_residuals)


def check_options(options: Any) -> None:
    """Refuse arguments of `simulate` that cannot be meant.

    Raises:
        ModelError: names the argument.
    """
    from .solvers import create_solver, solver_names

    checks = [
        ("start_time", math.isfinite(options.start_time), "a finite time"),
        ("stop_time", options.start_time <= options.stop_time < math.inf, "a finite time, not before start_time"),
        ("tolerance", 0.0 < options.tolerance < 1.0, "a number between 0 and 1"),
        ("absolute_tolerance", 0.0 < options.absolute_tolerance < math.inf, "a positive number"),
        ("interval", 0.0 < options.interval < math.inf, "a positive number"),
    ]
    for name, good, expected in checks:
        if not good:
            raise ModelError(f"simulate: {name}", found=repr(getattr(options, name)), expected=expected)
    if options.solver not in solver_names():
        create_solver(options.solver, None, 0.0, None, 0.0, 0.0)  # type: ignore[arg-type]  # raises
