"""Inputs as a user gives them: a mapping or a table, by name of input, to numbers, pairs or time series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.errors import ModelError, UnknownName, nearest
from ...model.model import is_number
from ...symbolic.flat.flat_model import FlatModel, Variable
from .time_series import TimeSeries

_EXPECTED = "a number (of an array a list of numbers), a pair (times, values), a TimeSeries or a pandas Series over time"


def series_of(inputs: Any, flat: FlatModel) -> dict[str, TimeSeries]:
    """Return the time series of ``inputs``, by full name of a top-level input, checked against the model.

    Args:
        inputs: see `SimulationModel.simulate`.
        flat: the model with the sizes of this simulation.

    Raises:
        ModelError: no such input, wrong shape, or nothing that tells values over time; names the input.
    """
    if inputs is None:
        return {}
    if hasattr(inputs, "columns") and hasattr(inputs, "index"):
        inputs = {str(name): inputs[name] for name in inputs.columns}
    if not isinstance(inputs, Mapping):
        raise ModelError(
            "the argument 'inputs' of simulate is wrong",
            found=repr(inputs),
            expected="a mapping from names of inputs to time series",
        )
    found: dict[str, TimeSeries] = {}
    for name, given in inputs.items():
        variable = input_named(str(name), flat)
        try:
            series = _series(given, variable, flat.shapes.get(variable.name, ()))
            _check(series, variable, flat.shapes.get(variable.name, ()))
        except ModelError as error:
            error.path = error.path or variable.name
            raise
        found[variable.name] = series
    return found


def input_named(name: str, flat: FlatModel) -> Variable:
    """Return the top-level input of this name. Raises ModelError where there is none."""
    variable = flat.variables.get(name)
    if variable is not None and variable.input:
        return variable
    known = [n for n, v in flat.variables.items() if v.input]
    remedy = nearest(name, known)
    if variable is not None:
        remedy = remedy or "Declare it as Var(input=True) and leave out the equation, or the connection, that determines it."
    raise UnknownName(
        f"'{name}' is no input of the model" if variable is not None else f"the model has no input '{name}'",
        path=name,
        expected=f"one of {', '.join(known)}" if known else "an input (the model has none): Var(input=True) at the top level",
        remedy=remedy,
    )


def check_range(series: Mapping[str, TimeSeries], begin: float, end: float) -> None:
    """Refuse a simulation between two times [s] that leaves the times of a series with ``extrapolation="error"``."""
    for name, one in series.items():
        first, last = float(one.times[0]), float(one.times[-1])
        slack = 1e-9 * max(end - begin, abs(begin), abs(end))
        if one.extrapolation == "error" and not (first <= begin + slack and end <= last + slack):
            raise ModelError(
                "the simulation goes beyond the times of an input",
                path=name,
                found=f"a simulation from {begin!r} s to {end!r} s",
                expected=f"times from {first!r} s to {last!r} s",
                remedy='Give more values, or extrapolation="hold".',
            )


def with_values(flat: FlatModel, series: Mapping[str, TimeSeries], time: float) -> FlatModel:
    """Return the flat model whose inputs begin with their values at a time [s]."""
    if not series:
        return flat
    at = {name: replace(flat.variables[name], start=one.at(time)) for name, one in series.items()}
    return replace(flat, variables={**flat.variables, **at})


def finite_array(given: Any, shape: tuple[int, ...], what: str, path: str) -> np.ndarray:
    """Return a present value as an array of a shape; ``what`` it is, such as "an input", is for the message.

    Raises:
        ModelError: it has another shape, or is not a finite number (names the path).
    """
    try:
        value = np.array(given, dtype=float)
    except (TypeError, ValueError):
        value = np.array(np.nan)
    if value.shape != shape or not np.isfinite(value).all():
        expected = f"an array of shape {shape}" if shape else "a finite number"
        raise ModelError(f"the value of {what} is wrong", path=path, found=repr(given), expected=expected)
    return value


def value_of(given: Any, variable: Variable, flat: FlatModel) -> TimeSeries:
    """Convert a present value of an input to a series of one point. Raises ModelError: a wrong shape, not a number."""
    shape = flat.shapes.get(variable.name, ())
    value = finite_array(given, shape, "an input", variable.name)
    series = TimeSeries(np.zeros(1), value[None, ...])
    try:
        _check(series, variable, shape)
    except ModelError as error:
        error.path = variable.name
        raise
    return series


def _series(given: Any, variable: Variable, shape: tuple[int, ...]) -> TimeSeries:
    if isinstance(given, TimeSeries):
        return given
    discrete = variable.type != "Real"
    if hasattr(given, "index") and hasattr(given, "to_numpy"):
        return TimeSeries(_seconds(given.index), given.to_numpy(), "constant" if discrete else "linear")
    if is_number(given) or isinstance(given, bool | np.bool_):
        return TimeSeries(np.zeros(1), np.full((1, *shape), float(given)))
    if callable(given):
        raise ModelError(
            "an input over time cannot be a function",
            found=f"{getattr(given, '__name__', repr(given))}",
            expected=_EXPECTED,
            remedy="Sample it, (times, f(times)), or write an equation: expressions of time belong into the model.",
        )
    if shape and (value := _array(given)) is not None and value.shape == shape:  # no pair: its values have one axis more
        return TimeSeries(np.zeros(1), value[None, ...])
    if isinstance(given, tuple | list) and len(given) == 2:
        return TimeSeries(_seconds(given[0]), given[1], "constant" if discrete else "linear")
    raise ModelError("an input over time cannot be read", found=_told(given), expected=_EXPECTED)


def _array(given: Any) -> np.ndarray | None:
    """Convert an array, or lists of numbers, to an array; return None for anything else."""
    if not isinstance(given, np.ndarray | list | tuple) or (isinstance(given, np.ndarray) and given.dtype == object):
        return None
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return None


def _seconds(times: Any) -> Any:
    """Convert times to numbers [s]; time differences (of pandas or numpy) become seconds."""
    kind = getattr(getattr(times, "dtype", None), "kind", "")
    if kind == "m":
        return np.asarray(times, dtype="timedelta64[ns]").astype(np.int64) * 1e-9
    if kind == "M":
        raise ModelError(
            "the times of a time series must be numbers, not dates",
            found="dates",
            expected="numbers [s], or distances in time",
            remedy="Subtract the date at which the simulation begins: series.index -= series.index[0].",
        )
    return times


def _check(series: TimeSeries, variable: Variable, shape: tuple[int, ...]) -> None:
    if series.values.shape[1:] != shape:
        raise ModelError(
            "the values of a time series have the wrong shape",
            found=f"values of shape {series.values.shape}",
            expected=f"(n, {', '.join(map(str, shape))})" if shape else "(n,): the input is a number",
        )
    if variable.type != "Real":
        if series.interpolation != "constant" and len(series.times) > 1:
            raise ModelError(
                f"an input of type {variable.type} can only change by jumps",
                found=f"interpolation={series.interpolation!r}",
                expected='interpolation="constant"',
            )
        whole = series.values == np.round(series.values)
        if not whole.all() or (variable.type == "Boolean" and not np.isin(series.values, (0.0, 1.0)).all()):
            expected = "0 or 1 (false or true)" if variable.type == "Boolean" else "whole numbers"
            bad = series.values[~whole] if not whole.all() else series.values[~np.isin(series.values, (0.0, 1.0))]
            raise ModelError(
                f"a value of an input of type {variable.type} is wrong", found=repr(float(bad[0])), expected=expected
            )


def _told(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= 80 else f"{text[:77]}..."
