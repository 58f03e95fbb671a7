"""`instantiate` and `SimulationModel`: a translated model, ready to run; its parameters may still change."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping
from typing import Any

from ..model.errors import ModelError
from ..symbolic.compilation_counter import compilations
from ..symbolic.flat_model import FlatModel
from ..symbolic.sorted_model import SortedModel
from .result import Result

DEFAULT_POINTS = 500
ABSOLUTE_TOLERANCE_FACTOR = 0.1


def instantiate(model: Any, name: str | None = None) -> SimulationModel:
    """Translate a model to machine code: flatten, sort, compile, load.

    Args:
        model: a `Model`.
        name: of the model, for messages and tables ("Model" if it is not given).

    Raises:
        ModelError: the model as written cannot be translated.
    """
    return SimulationModel(model, name or "Model")


class SimulationModel:
    """A translated model. `simulate` runs it, as often as wanted, with other parameters if wanted.

    Attributes:
        name: of the model.
        flat, sorted, compiled: the stages of the translation; each can be printed.
        translation_s: wall-clock time of the translation [s].
    """

    def __init__(self, model: Any, name: str) -> None:
        from ..symbolic.codegen import compile_model
        from ..symbolic.flatten import flatten
        from ..symbolic.sort import sort_model

        began = clock.perf_counter()
        self.name = name
        self._model = model
        self.flat: FlatModel = flatten(model, name)
        self.sorted: SortedModel = sort_model(self.flat)
        self.compiled = compile_model(self.sorted)
        self._load()
        self.translation_s = clock.perf_counter() - began

    def _load(self) -> None:
        """Bring everything into memory that a simulation calls, so that nothing is compiled later."""
        from .machine import Machine

        Machine(self.compiled, self.flat).problem(0, 0)
        self.compiled.outputs  # noqa: B018

    @property
    def states(self) -> tuple[str, ...]:
        """Names of the states of the equations."""
        return tuple(self.sorted.states)

    def report(self) -> dict[str, int]:
        """Sizes before and after each pass of the translation."""
        return dict(self.sorted.report)

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
        log: bool = False,
        progress: Callable[[float], None] | None = None,
    ) -> Result:
        """Simulate from ``start_time`` to ``stop_time``.

        Args:
            stop_time, start_time: [s].
            tolerance: relative tolerance of the integrator.
            absolute_tolerance: the local error of a state is kept below ``tolerance*|x| + absolute_tolerance``; by
                default a tenth of ``tolerance``, right for states whose magnitude is about 1 in SI units.
            interval: distance of output points [s]; by default 500 of them. Event points are stored in addition.
            merge: a `Map` with new values of parameters, initial values, or objects of components. The structure of the
                equations must stay, so that the same machine code runs.
            solver: "cvode", "sundae" or "scipy".
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
        )
        check_options(options)
        flat = self.flat if not merge else self._merged(merge)
        result = Result(self.name, options.stop_time)
        compiled_before = compilations()
        try:
            return Simulation(Machine(self.compiled, flat), options, result).run()
        finally:
            result.statistics["translation_s"] = self.translation_s
            result.statistics["compilations_after_start"] = compilations() - compiled_before

    def _merged(self, merge: Mapping[str, Any]) -> FlatModel:
        from ..symbolic.flatten import flatten, same_structure

        flat = flatten(self._model | merge, self.name)
        difference = same_structure(self.flat, flat)
        if difference is not None:
            raise ModelError(
                "'merge' changes the structure of the equations",
                path=self.name,
                found=difference,
                expected="new values only",
                remedy="Merge before: instantiate(model | Map(...)).",
            )
        return flat


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
