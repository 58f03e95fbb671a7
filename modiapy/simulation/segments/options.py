"""Arguments of `SimulationModel.simulate`, checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from ...model.errors import ModelError, nearest
from ...model.model import is_number
from ..files.schema import Check, finite, text
from ..solvers.watching.instants import precision

KEPT: Mapping[str, Check] = {
    "start_time": finite,
    "tolerance": finite,
    "absolute_tolerance": finite,
    "interval": finite,
    "solver": text,
}
"""Arguments that a simulation that goes on from a snapshot has from there."""

DEFAULT_POINTS = 500
MAX_POINTS = 10_000_000
"""More output points in memory are a mistake: with ten variables they take a gigabyte."""
MAX_STORED_POINTS = 1_000_000_000
"""The same for results on disk."""
TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE_FACTOR = 0.1


@dataclass(frozen=True)
class Options:
    """See `modiapy.simulation.model.SimulationModel.simulate`; ``dae``: the residual form is integrated."""

    start_time: float
    stop_time: float
    tolerance: float
    absolute_tolerance: float
    interval: float
    solver: str
    log: bool = False
    progress: Callable[[float], None] | None = None
    dae: bool = False
    save: str | PathLike[str] | None = None
    save_every: float = math.inf

    @cached_property
    def rounding(self) -> float:
        """Largest distance [s] from the stop time that is only rounding."""
        return min(precision(self.start_time, self.stop_time), 1e-3 * (self.stop_time - self.start_time))

    @cached_property
    def kept(self) -> Mapping[str, Any]:
        """Return the options that a snapshot holds."""
        return {name: getattr(self, name) for name in (*KEPT, "dae")}

    @property
    def latest(self) -> float:
        """Time until which events count as events at the stop time [s]."""
        return self.stop_time + self.rounding


def new_options(given: Mapping[str, Any], compiled: Any, mode: str | None, stored: bool = False) -> Options:
    """Check the arguments of a simulation and return its options; None means the default.

    ``stored``: whether the result goes to disk.

    Raises:
        ModelError: an argument that cannot be meant.
    """
    check_types(given)
    values: dict[str, Any] = {"start_time": 0.0, "tolerance": TOLERANCE, "solver": "cvode"}
    values |= {name: value for name, value in given.items() if value is not None}
    span = values["stop_time"] - values["start_time"]
    values.setdefault("absolute_tolerance", ABSOLUTE_TOLERANCE_FACTOR * values["tolerance"])
    values.setdefault("interval", span / DEFAULT_POINTS if span > 0 else 1.0)
    for name in ("start_time", "stop_time", "tolerance", "absolute_tolerance", "interval"):
        values[name] = float(values[name])
    options = Options(**values, dae=integrates_residuals(compiled, mode or "auto", values["solver"]))
    check_options(options, stored)
    return options


def continued_options(
    given: Mapping[str, Any], compiled: Any, had: Mapping[str, Any], begins: float, stored: bool = False
) -> Options:
    """Return the options of a simulation that continues from a snapshot at ``begins`` [s]: ``had``, with a new stop time.

    Raises:
        ModelError: an argument is given that is another one than the snapshot has, or that cannot be meant.
    """
    check_types(given)
    for name in (*KEPT, "mode", "merge"):
        if given[name] is None or (name in KEPT and given[name] == had[name]):
            continue
        raise wrong_argument(
            name,
            found=repr(given[name]),
            expected=f"{had[name]!r}, or no value" if name in KEPT else "no value",
            remedy="The simulation goes on from a snapshot with what it had."
            + (" Give the merged parameters to restore(file, merge=...)." if name == "merge" else ""),
        )
    new = {name: value for name, value in given.items() if value is not None and name not in ("mode", "merge")}
    options = Options(**new | dict(had))
    check_options(options, stored)
    integrates_residuals(compiled, "dae" if options.dae else "ode", options.solver)  # raises where the model cannot be
    if options.latest < begins:
        raise wrong_argument(
            "stop_time",
            found=repr(options.stop_time),
            expected=f"at least {begins!r} s, the snapshot's time",
        )
    return options


def wrong_argument(name: str, **details: Any) -> ModelError:
    """Return the error that an argument of `SimulationModel.simulate` is wrong, with ``found``, ``expected`` and ``remedy``."""
    return ModelError(f"the argument '{name}' of simulate is wrong", **details)


def window_of(record: Any, in_file: bool) -> float:
    """Return how long the points of a result are kept [s], by the argument ``record`` of a stepper.

    Raises:
        ModelError: it is no such time, or the result is stored ``in_file`` and not to have all points.
    """
    if in_file and record is not True:
        raise wrong_argument("record", found=repr(record), expected="True with output=..., which stores all points")
    if isinstance(record, bool | np.bool_):
        return math.inf if record else 0.0
    if is_number(record) and 0.0 < record < math.inf:
        return float(record)
    raise wrong_argument("record", found=repr(record), expected="True, False or a positive time [s]")


def check_types(given: Mapping[str, Any]) -> None:
    """Refuse arguments of a wrong type: no number, no name or no function. Raises ModelError."""
    for name in ("stop_time", "start_time", "tolerance", "absolute_tolerance", "interval", "save_every"):
        value = given.get(name)
        wrong = not is_number(value) or isinstance(value, bool | np.bool_)
        if wrong and (value is not None or name == "stop_time"):
            raise wrong_argument(name, found=repr(value), expected="a number")
    solver, progress = given.get("solver"), given.get("progress")
    if not isinstance(solver, str | None):
        raise wrong_argument("solver", found=repr(solver), expected="a name, for example 'cvode'")
    if progress is not None and not callable(progress):
        raise wrong_argument("progress", found=repr(progress), expected="a function of the time reached [s]")


def integrates_residuals(compiled: Any, mode: str, solver: str) -> bool:
    """Decide whether a simulation integrates the residual form, by ``mode`` of `SimulationModel.simulate`.

    Raises:
        ModelError: there is no such mode, or the model cannot be integrated in it.
    """
    modes = ("auto", "dae", "ode")
    if mode not in modes:
        raise wrong_argument(
            "mode",
            found=repr(mode),
            expected=f"one of {', '.join(map(repr, modes))}",
            remedy=nearest(mode, modes),
        )
    from ..solvers import check_dae_solver, has_jacobian

    constraints = compiled.sorted.constraints
    if mode == "ode" and constraints:
        raise wrong_argument(
            "mode",
            found=repr(mode),
            expected="'dae' or 'auto'",
            remedy=f"The constraint '{constraints[0].equation}' allows no static selection of states; IDA keeps it.",
        )
    if mode == "dae" or constraints:
        check_dae_solver(solver)
        return True
    from ...symbolic.codegen.systems import residuals_are_faster

    return mode == "auto" and solver != "scipy" and has_jacobian(solver) and residuals_are_faster(compiled.systems)


def check_options(options: Options, stored: bool = False) -> None:
    """Refuse impossible arguments of `simulate`.

    Raises:
        ModelError: names the argument.
    """
    from ..solvers import create_solver, solver_names

    span = options.stop_time - options.start_time
    most = MAX_STORED_POINTS if stored else MAX_POINTS
    checks = [
        ("start_time", math.isfinite(options.start_time), "a finite time"),
        ("stop_time", options.start_time <= options.stop_time < math.inf, "a finite time, not before start_time"),
        ("tolerance", 0.0 < options.tolerance < 1.0, "a number between 0 and 1"),
        ("absolute_tolerance", 0.0 < options.absolute_tolerance < math.inf, "a positive number"),
        ("interval", 0.0 < options.interval < math.inf, "a positive number"),
        ("interval", span < most * options.interval, f"at least {span / most:g} s, or results have no room"),
        ("save_every", options.save_every >= 0.0, "a time of at least 0 s"),
        ("save_every", options.save is not None or options.save_every == math.inf, "a file to save to: save=..."),
    ]
    for name, good, expected in checks:
        if not good:
            raise wrong_argument(name, found=repr(getattr(options, name)), expected=expected)
    if options.solver not in solver_names():
        create_solver(options.solver, None, 0.0, None, 0.0, 0.0)  # type: ignore[arg-type]  # raises
