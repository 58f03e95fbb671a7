"""The tables of the standard library (external objects of ``ModelicaStandardTables``) as tables of the core.

Their data are numbers in the equations: a table cannot get others without being read again. Tables in files are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.expression import TIME, ZERO, Apply, Const, Expr, Name, add, apply, mul, rewrite, sub
from ...model.tables import KINK, LARGEST, PASSED, LookupTable, LookupTable2D
from ...symbolic.flattening.time_tables import Argument, argument_of_time
from .terms.context import Context
from .terms.refusals import Refusal
from .terms.values import Value, array_of, integer, scalars

_SMOOTHNESS = {1: "linear", 2: "akima", 3: "constant", 4: "fritsch_butland", 5: "steffen", 6: "makima"}
_EXTRAPOLATION = {1: "hold", 2: "linear", 3: "periodic", 4: "error"}
_OF_TWO_INPUTS = ("linear", "akima", "constant")

_CHAIN = 5
"""So many variables that equations define by each other are followed to time."""

_ROUNDING = Const(2.0**-49)
"""More than what a few operations lose of a number, relative to it."""


@dataclass(frozen=True, eq=False)
class ExternalTable:
    """A table that equations refer to by ``name``.

    Attributes:
        table: its columns of results are those selected.
        start: before which the value is 0 (tables of time).
        shift: by which time is later than the abscissas.
        counts: which of two inputs it depends on, for tables of one row or column; None for both.
        ends: its smallest and largest abscissas, one each for each input.
    """

    name: str
    table: Any
    start: Expr = ZERO
    shift: Expr = ZERO
    counts: int | None = None
    ends: Any = None


def _numbers(reading: Context, value: Value) -> np.ndarray:
    known = reading.interpreter.known(value)
    return np.array([item.value for item in scalars(known)]).reshape(np.shape(value))


def _checked(reading: Context, args: Sequence[Value]) -> None:
    table, file, data = args[:3]
    if table not in ("NoName", "") or file not in ("NoName", ""):
        raise Refusal("a table in a file is not read", found=f"'{table}' in '{file}'", expected="its data in the model")
    if not np.size(data):
        raise Refusal("the table has no data")


def _how(reading: Context, smoothness: Value, extrapolation: Value) -> tuple[Any, Any]:
    """Return the words of the core. Beyond steps the library goes on straight through the last two points."""
    k, e = (integer(reading.interpreter.known(v)) for v in (smoothness, extrapolation))
    if k not in _SMOOTHNESS or e not in _EXTRAPOLATION:
        raise Refusal("this interpolation of a table is not read", found=f"Smoothness {k}, Extrapolation {e}")
    beyond = _EXTRAPOLATION[e]
    return _SMOOTHNESS[k], "secant" if (k, beyond) == (3, "linear") else beyond


def _one_input(data: np.ndarray, interpolation: Any, extrapolation: Any) -> LookupTable:
    """Return a table of one input; of a single row it is constant, and so are steps beyond two rows that are alike."""
    if len(data) == 1:
        return LookupTable(data, "linear", "hold")
    if extrapolation == "secant" and (data[0, 1:] == data[1, 1:]).all() and (data[-1, 1:] == data[-2, 1:]).all():
        extrapolation = "hold"
    return LookupTable(data, interpolation, extrapolation)


def _strictly(x: np.ndarray) -> None:
    if not (np.diff(x) > 0.0).all():
        raise Refusal("the abscissas of the table do not increase", found=str(x.tolist())[:80])


def _columns(data: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the abscissas, and the selected columns, which count from 1."""
    numbers = columns.ravel().astype(int)
    if not ((numbers >= 1) & (numbers <= data.shape[1])).all():
        raise Refusal("the table has no such column", found=f"columns {numbers.tolist()}", expected=f"1 to {data.shape[1]}")
    return np.column_stack([data[:, 0], data[:, numbers - 1]])


def _made(reading: Context, table: Any, ends: Sequence[np.ndarray], **more: Any) -> list[Value]:
    low, high = (array_of([Const(float(x[k])) for x in ends]) for k in (0, -1))
    return [ExternalTable(reading.tables.add(table), table, ends=(low, high), **more)]


def _time_table(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data = _columns(_numbers(reading, args[2]), _numbers(reading, args[4]))
    table = _one_input(data, *_how(reading, args[5], args[6]))
    return _made(reading, table, [data[:, 0]], start=args[3], shift=args[7] if len(args) > 7 else ZERO)


def _table_1d(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data = _columns(_numbers(reading, args[2]), _numbers(reading, args[3]))
    _strictly(data[:, 0])
    table = _one_input(data, *_how(reading, args[4], args[5] if len(args) > 5 else Const(2)))
    return _made(reading, table, [data[:, 0]])


def _table_2d(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data = _numbers(reading, args[2])
    how = _how(reading, args[3], args[4] if len(args) > 4 else Const(2))
    if how[0] not in _OF_TWO_INPUTS:
        raise Refusal("the library has no such interpolation of two inputs", found=how[0], expected=", ".join(_OF_TWO_INPUTS))
    if min(data.shape) < 2:
        raise Refusal("the table of two inputs has less than two rows or two columns", found=f"shape {data.shape}")
    ends = data[1:, 0], data[0, 1:]
    for x in ends:
        _strictly(x)
    if min(data.shape) > 2:
        return _made(reading, LookupTable2D(data, *how), ends)
    counts = int(data.shape[0] == 2)
    values = data[1:, 1] if counts == 0 else data[1, 1:]
    return _made(reading, _one_input(np.column_stack([ends[counts], values]), *how), ends, counts=counts)


def _table(value: Value) -> ExternalTable:
    if not isinstance(value, ExternalTable):
        raise Refusal("this is no table", found=str(value)[:80])
    return value


# -- values -------------------------------------------------------------------------------------------------------------


def _value_1d(reading: Context, args: Sequence[Value]) -> list[Value]:
    table, column, u = _table(args[0]), integer(reading.interpreter.known(args[1])), args[2]
    return [table.table.call(table.name, [u])[column - 1]]


def _value_2d(reading: Context, args: Sequence[Value]) -> list[Value]:
    table = _table(args[0])
    inputs = list(args[1:3])
    return [table.table.call(table.name, inputs if table.counts is None else [inputs[table.counts]])[0]]


def _value_of_time(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return the value between the last and the next kink, which are counted (`TimeTables`); 0 before the start."""
    table, column = _table(args[0]), integer(reading.interpreter.known(args[1]))
    scaled = _in_time(reading, args[2])
    now = argument_of_time(scaled, reading.is_parametric)
    u = sub(scaled, table.shift)
    if now is None:
        return [apply("if", apply(">=", scaled, table.start), table.table.call(table.name, [u])[column - 1], ZERO)]

    def instant(value: Expr) -> Expr:
        """Return when the scaled time has a value, by the operations with which the library computes its next event."""
        if type(scaled) is Apply and scaled.op == "/" and scaled.args[0] == TIME:
            return mul(value, scaled.args[1])
        return now.instant(value)

    argument = Argument(u, lambda kink: instant(add(kink, table.shift)), sub(table.start, table.shift), now.rises)
    place = f"{reading.component}.{table.name}".lstrip("."), reading.component, f"{table.name} of time"
    value = reading.tables.in_time.results(table.table, table.name, argument, place)[column - 1]
    started = apply(">=", TIME, instant(table.start)) if now.rises is None else apply(">=", scaled, table.start)
    return [apply("if", started, value, ZERO)]


def _in_time(reading: Context, expr: Expr) -> Expr:
    """Return an expression with what equations say of its variables put in, as ``timeScaled = time/timeScale``."""

    def leaf(node: Expr) -> Expr | None:
        return reading.tables.definition(node.name) if type(node) is Name else None

    for _ in range(_CHAIN):
        expr = rewrite(expr, leaf)
    return expr


def _next_time_event(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return the instant of the first kink behind now: kinks that rounding cannot tell from now are not behind it."""
    table, time = _table(args[0]), args[1]

    def beyond(value: Expr, *sizes: Expr) -> Expr:
        for size in sizes:
            value = add(value, mul(_ROUNDING, apply("abs", size)))
        return value

    number = PASSED.call(table.name, [beyond(sub(time, table.shift), time, table.shift)])[0]
    kink = KINK.call(table.name, [number])[0]
    following = apply("if", apply("<", kink, Const(LARGEST)), add(kink, table.shift), Const(LARGEST))
    return [apply("if", apply("<", beyond(time, time), table.start), table.start, following)]


def _end(which: int) -> Callable[[Context, Sequence[Value]], list[Value]]:
    return lambda reading, args: [_table(args[0]).ends[which][0]]


def _end_2d(which: int) -> Callable[[Context, Sequence[Value]], list[Value]]:
    """Return the function for an end of the input whose number follows, see `rewrites.two_inputs`."""
    return lambda reading, args: [_table(args[0]).ends[which][integer(reading.interpreter.known(args[1])) - 1]]


_TYPES, _INTERNAL = "Modelica.Blocks.Types", "Modelica.Blocks.Tables.Internal"
_VARIANTS = ("", "NoDer", "NoDer2")

FUNCTIONS: dict[str, Callable[[Context, Sequence[Value]], list[Value]]] = {
    f"{_TYPES}.ExternalCombiTimeTable": _time_table,
    f"{_TYPES}.ExternalCombiTable1D": _table_1d,
    f"{_TYPES}.ExternalCombiTable2D": _table_2d,
    **{f"{_INTERNAL}.getTable1DValue{variant}": _value_1d for variant in _VARIANTS},
    **{f"{_INTERNAL}.getTable2DValue{variant}": _value_2d for variant in _VARIANTS},
    **{f"{_INTERNAL}.getTimeTableValue{variant}": _value_of_time for variant in _VARIANTS},
    f"{_INTERNAL}.getNextTimeEvent": _next_time_event,
    f"{_INTERNAL}.getTable1DAbscissaUmin": _end(0),
    f"{_INTERNAL}.getTable1DAbscissaUmax": _end(1),
    f"{_INTERNAL}.getTable2DAbscissaUmin": _end_2d(0),
    f"{_INTERNAL}.getTable2DAbscissaUmax": _end_2d(1),
    f"{_INTERNAL}.getTimeTableTmin": _end(0),
    f"{_INTERNAL}.getTimeTableTmax": _end(1),
}
