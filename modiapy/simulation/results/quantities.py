"""Quantities of a simulation: numbers computed from signals over time, such as ``maximum(hinge.phi) - final(hinge.phi)``.

They are expressions of the language. A reduction (`OVER_TIME`) computes one number from an expression of signals. `OF_RESULTS`
returns how the simulation ended. Operators and functions combine them with numbers and with constants (factors of a study).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model.errors import ModelError, nearest
from ...model.expression import CONSTANTS, RELATIONS, TIME, Apply, Const, Expr, Name
from ...model.parser import parse
from ...symbolic.terms.arrays import evaluate_arrays
from .result import Result

if TYPE_CHECKING:
    from .known_signals import Signals

FLAGS = "flags."
"""Names of flags of action programs begin with this."""

Value = float | str

OVER_TIME = {
    "final": "value at the end",
    "start": "value at the beginning",
    "maximum": "largest value",
    "minimum": "smallest value",
    "mean": "integral divided by the time",
    "integral": "over time, by the trapezoidal rule over the stored points",
    "event_time": "when a condition becomes true first [s]; nan: never",
    "count": "how often a condition becomes true",
    "at": "at(x, t): value at the time t [s], between points linearly",
}
"""Reductions of an expression over time: what each gives."""

OF_RESULTS: dict[str, Callable[[Result], Value]] = {
    "verdict": lambda result: result.verdict,
    "terminated": lambda result: result.terminated,
    "success": lambda result: math.nan if result.success is None else float(result.success),
    "end_time": lambda result: float(result.time[-1]) if len(result.time) else math.nan,
    "segments": lambda result: float(len(result.segments)),
    "events": lambda result: float(result.statistics["events"]),
    "steps": lambda result: float(result.statistics["steps"]),
    "contacts": lambda result: float(len(result.contacts)),
}
"""What is asked of the result as a whole; the first two are texts and stand alone."""

_TEXTS = ("verdict", "terminated")


class Quantity:
    """An expression that has one value for each simulation.

    Args:
        text: as written.
        constants: names that may stand outside of reductions; their values are given to `value`.

    Attributes:
        is_text: whether the value is a text, else a number.

    Raises:
        ModelError: it cannot be read, or is not one value.
    """

    def __init__(self, text: str, constants: tuple[str, ...] = ()) -> None:
        self.text = text
        self._constants = constants
        try:
            self.expr = parse(text)
        except ModelError as error:
            if any(f"{name}(" in text for name in ("max", "min")):
                error.remedy = "The largest and the smallest value over time are maximum(x) and minimum(x)."
            raise
        self.is_text = type(self.expr) is Apply and self.expr.op == "call" and _called(self.expr) in _TEXTS
        if not self.is_text:
            self._check(self.expr)

    def __repr__(self) -> str:
        return f"Quantity({self.text!r})"

    def value(self, result: Result, constants: Mapping[str, float] | None = None) -> Value:
        """Return the value.

        Args:
            result: of the simulation.
            constants: values of the names that may stand outside of reductions.

        Raises:
            ModelError: there is no such signal, or no one number.
        """
        if self.is_text:
            assert type(self.expr) is Apply
            return OF_RESULTS[_called(self.expr)](result)
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(evaluate_arrays(self._reduced(self.expr, result, constants or {}), {}), dtype=float)
        except (ValueError, ArithmeticError):
            return math.nan
        if found.ndim:
            raise ModelError(f"'{self.text}' is no number", found=f"an array of shape {found.shape}", remedy="Name an element.")
        return float(found)

    def check(self, model: Signals) -> None:
        """Refuse unknown signals and flags, and reductions of conditions whose argument is no condition.

        Raises:
            ModelError: names the signal and those like it.
        """
        for condition in _conditions(self.expr):
            number = type(condition) is Name and not condition.name.startswith(FLAGS) and model.is_number(condition.name)
            if number or (type(condition) is Apply and condition.op in ("+", "-", "*", "/", "^", "der")):
                remedy = f"Write {condition} > 0, or with the value that matters."
                raise ModelError(f"'{self.text}': '{condition}' is no condition", expected="true or false", remedy=remedy)
        for name in sorted(_read_by(self.expr) - {*self._constants, *CONSTANTS, TIME.name}):
            flag = name.removeprefix(FLAGS) if name.startswith(FLAGS) else ""
            if model.has(name) or (flag and (model.flags is None or flag in model.flags)):
                if model.is_array(name):
                    raise ModelError(f"'{self.text}': '{name}' is an array", expected="a number", remedy=f"Write {name}[0].")
                continue
            known = [*model.names(), *self._constants, *(FLAGS + other for other in model.flags or ())]
            what = f"no program sets the flag '{flag}'" if flag else f"there is no signal '{name}'"
            raise ModelError(f"'{self.text}': {what}", remedy=nearest(name, known))

    def _check(self, expr: Expr) -> None:
        """Refuse an expression that is not one number."""
        if type(expr) is Name:
            if expr.name not in self._constants and expr.name not in CONSTANTS:
                known = (*self._constants, *OF_RESULTS)
                found = f"'{expr.name}', which has a value at each time"
                remedy = nearest(expr.name, known) or f"Write final({expr.name}), maximum({expr.name}), ..."
                raise ModelError(f"'{self.text}' is not one number", found=found, remedy=remedy)
            return
        if type(expr) is not Apply:
            return
        if expr.op != "call":
            for arg in expr.args:
                self._check(arg)
            return
        name, args = _called(expr), expr.args[1:]
        expected = 0 if name in OF_RESULTS else 2 if name == "at" else 1
        if name not in OVER_TIME and (name not in OF_RESULTS or name in _TEXTS):
            what = "a text, which stands alone" if name in _TEXTS else f"unknown function '{name}'"
            remedy = "" if name in _TEXTS else nearest(name, [*OVER_TIME, *OF_RESULTS])
            raise ModelError(f"'{self.text}': {what}", expected=f"one of {', '.join([*OVER_TIME, *OF_RESULTS])}", remedy=remedy)
        if len(args) != expected:
            raise ModelError(f"'{name}' in '{self.text}'", found=f"{len(args)} arguments", expected=str(expected))

    def _reduced(self, expr: Expr, result: Result, constants: Mapping[str, float]) -> Expr:
        """Replace the reductions in the expression by their values, and return it."""
        if type(expr) is Name:
            return Const(float(constants[expr.name] if expr.name in constants else CONSTANTS[expr.name]))
        if type(expr) is not Apply:
            return expr
        if expr.op != "call":
            return Apply(expr.op, tuple(self._reduced(arg, result, constants) for arg in expr.args))
        name = _called(expr)
        if name in OF_RESULTS:
            return Const(float(OF_RESULTS[name](result)))
        if not len(result.time):
            return Const(math.nan)
        signals = {**constants, **{n: _signal(result, n, self.text) for n in _names(expr.args[1]) if n not in constants}}
        if name == "event_time":
            return Const(_event_time(expr.args[1], signals, result.time))
        x = _over_time(expr.args[1], signals, result.time)
        if name == "at":
            (moment,) = np.atleast_1d(evaluate_arrays(self._reduced(expr.args[2], result, constants), {}))
            return Const(_at(x, result.time, float(moment)))
        return Const(float(_REDUCTIONS[name](x, result.time)))


def _read_by(expr: Expr) -> set[str]:
    """Return the names of the signals that the reductions in an expression read."""
    if type(expr) is not Apply:
        return set()
    if expr.op == "call":
        return set().union(*map(_names, expr.args[1:2])) if _called(expr) in OVER_TIME else set()
    return set().union(*map(_read_by, expr.args))


def _conditions(expr: Expr) -> Iterator[Expr]:
    """Generate the conditions of `event_time` and `count` in an expression."""
    if type(expr) is Apply and expr.op == "call":
        yield from expr.args[1:2] if _called(expr) in ("event_time", "count") else ()
    elif type(expr) is Apply:
        for arg in expr.args:
            yield from _conditions(arg)


def _called(expr: Apply) -> str:
    name = expr.args[0]
    return name.name if type(name) is Name else ""


def _names(expr: Expr) -> set[str]:
    if type(expr) is Name:
        return {expr.name}
    return set().union(*map(_names, expr.args)) if type(expr) is Apply else set()


def _signal(result: Result, name: str, text: str) -> Any:
    if name in CONSTANTS and name not in result:
        return CONSTANTS[name]
    whole, bracket, index = name.rpartition("[")
    if name == TIME.name:
        return result.time
    if name.startswith(FLAGS) and name not in result:
        from .flags import flag_over_time  # few ask for flags

        return flag_over_time(result.program_log, name.removeprefix(FLAGS), result.time)
    if name in result or not bracket:
        values = _found(result, name, text)
    else:
        values = _found(result, whole, text)
        try:
            indices: tuple[Any, ...] = (slice(None), *map(int, index.rstrip("]").split(",")))
            values = values[indices]
        except (IndexError, ValueError):
            raise ModelError(f"'{text}': '{whole}' has no such element", found=name, expected=f"{values.shape[1:]}") from None
    if values.ndim > 1:
        raise ModelError(f"'{text}': '{name}' is an array", found=f"shape {values.shape[1:]}", remedy=f"Write {name}[0].")
    return values


def _found(result: Result, name: str, text: str) -> np.ndarray:
    try:
        return result[name]
    except ModelError as error:
        raise ModelError(f"'{text}': there is no signal '{name}'", remedy=error.remedy) from None


def _over_time(expr: Expr, signals: Mapping[str, Any], time: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(evaluate_arrays(expr, signals), dtype=float), time.shape)


def _extreme(function: Callable[[np.ndarray], float]) -> Callable[[np.ndarray, np.ndarray], float]:
    """Return a function that applies a reduction to the points with a value; it returns nan if there is none."""
    return lambda x, time: function(x[~np.isnan(x)]) if not np.isnan(x).all() else math.nan


def _integral(x: np.ndarray, time: np.ndarray) -> float:
    """Return the integral over the intervals with values at both ends."""
    areas = 0.5 * (x[1:] + x[:-1]) * np.diff(time)
    return math.fsum(areas[~np.isnan(areas)].tolist())


def _mean(x: np.ndarray, time: np.ndarray) -> float:
    spans = np.diff(time)[~np.isnan(x[1:] + x[:-1])]
    total = math.fsum(spans.tolist())
    return _integral(x, time) / total if total else float(x[-1])


def _count(x: np.ndarray, time: np.ndarray) -> float:
    true = np.nan_to_num(x) != 0.0
    return float(true[0]) + float(np.count_nonzero(true[1:] & ~true[:-1]))


_REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "final": lambda x, time: x[-1],
    "start": lambda x, time: x[0],
    "maximum": _extreme(np.max),
    "minimum": _extreme(np.min),
    "mean": _mean,
    "integral": _integral,
    "count": _count,
}


def _event_time(condition: Expr, signals: Mapping[str, Any], time: np.ndarray) -> float:
    """Return the time at which a condition becomes true, linear between points; flags jump."""
    true = np.nan_to_num(_over_time(condition, signals, time)) != 0.0
    if not true.any():
        return math.nan
    k = int(np.argmax(true))
    jumps = any(name.startswith(FLAGS) for name in _names(condition))
    if k == 0 or jumps or type(condition) is not Apply or condition.op not in RELATIONS:
        return float(time[k])
    left, right = (_over_time(side, signals, time)[k - 1 : k + 1] for side in condition.args)
    before, after = left - right
    fraction = before / (before - after) if np.isfinite(before) and before != after else 1.0
    return float(time[k - 1] + min(max(fraction, 0.0), 1.0) * (time[k] - time[k - 1]))


def _at(x: np.ndarray, time: np.ndarray, moment: float) -> float:
    """Return the value at a time, after its events."""
    if not time[0] <= moment <= time[-1]:
        return math.nan
    k = int(np.searchsorted(time, moment, side="right"))
    if time[k - 1] == moment or k == len(time):
        return float(x[k - 1])
    fraction = (moment - time[k - 1]) / (time[k] - time[k - 1])
    return float(x[k - 1] + fraction * (x[k] - x[k - 1]))
