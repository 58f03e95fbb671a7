"""The tables of the standard library (external objects of ``ModelicaStandardTables``) as tables of the core.

Their data are numbers in the equations: a table cannot get others without being read again. Tables in files are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model.expression import ONE, ZERO, Apply, Const, Expr, add, apply, sub
from ...model.tables import KINK, LARGEST, PASSED, LookupTable, LookupTable2D
from .terms.context import Context
from .terms.refusals import Refusal
from .terms.values import Value, integer, scalars

_SMOOTHNESS = {1: "linear", 2: "akima", 3: "constant", 4: "monotone"}
_EXTRAPOLATION = {1: "hold", 2: "linear", 3: "periodic", 4: "error"}


@dataclass(frozen=True, eq=False)
class ExternalTable:
    """A table that equations refer to by ``name``.

    Attributes:
        table: its columns of results are those selected.
        start: before which the value is 0 (tables of time).
        shift: by which time is later than the abscissas.
    """

    name: str
    table: Any
    start: Expr = ZERO
    shift: Expr = ZERO


def _numbers(reading: Context, value: Value) -> np.ndarray:
    known = reading.interpreter.known(value)
    return np.array([item.value for item in scalars(known)]).reshape(np.shape(value))


def _checked(reading: Context, args: Sequence[Value]) -> None:
    table, file, data = args[:3]
    if table not in ("NoName", "") or file not in ("NoName", ""):
        raise Refusal("a table in a file is not read", found=f"'{table}' in '{file}'", expected="its data in the model")
    if not np.size(data):
        raise Refusal("a table without data")


def _how(reading: Context, smoothness: Value, extrapolation: Value) -> tuple[Any, Any]:
    k, e = (integer(reading.interpreter.known(v)) for v in (smoothness, extrapolation))
    if k not in _SMOOTHNESS:
        raise Refusal("this interpolation of a table is not read", found=f"Smoothness {k}", expected="one of the first four")
    return _SMOOTHNESS[k], _EXTRAPOLATION[e]


def _made(reading: Context, make: Callable[[], Any], **more: Any) -> list[Value]:
    table = make()
    return [ExternalTable(reading.tables.add(table), table, **more)]


def _columns(data: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the abscissas, and the selected columns, which count from 1."""
    return np.column_stack([data[:, 0], data[:, columns.astype(int) - 1]])


def _time_table(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data, columns = _numbers(reading, args[2]), _numbers(reading, args[4])
    how = _how(reading, args[5], args[6])
    shift = args[7] if len(args) > 7 else ZERO
    return _made(reading, lambda: LookupTable(_columns(data, columns), *how), start=args[3], shift=shift)


def _table_1d(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data, columns = _numbers(reading, args[2]), _numbers(reading, args[3])
    how = _how(reading, args[4], args[5] if len(args) > 5 else Const(2))
    return _made(reading, lambda: LookupTable(_columns(data, columns), *how))


def _table_2d(reading: Context, args: Sequence[Value]) -> list[Value]:
    _checked(reading, args)
    data = _numbers(reading, args[2])
    how = _how(reading, args[3], args[4] if len(args) > 4 else Const(2))
    return _made(reading, lambda: LookupTable2D(data, *how))


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
    return [table.table.call(table.name, list(args[1:3]))[0]]


def _value_of_time(reading: Context, args: Sequence[Value]) -> list[Value]:
    """Return the evaluated between the last and the next kink, so that neither lies in a step; 0 before the start."""
    table, column, time, following = _table(args[0]), integer(reading.interpreter.known(args[1])), args[2], args[3]
    passed = PASSED.call(table.name, [sub(following, table.shift)])[0]
    last = apply("if", Apply("noEvent", (Apply("<", (following, Const(LARGEST))),)), sub(passed, ONE), passed)
    value = table.table.timed(table.name, last, sub(time, table.shift))[column - 1]
    return [apply("if", apply(">=", time, table.start), value, ZERO)]


def _next_time_event(reading: Context, args: Sequence[Value]) -> list[Value]:
    table, time = _table(args[0]), args[1]
    number = PASSED.call(table.name, [sub(time, table.shift)])[0]
    kink = KINK.call(table.name, [number])[0]
    following = apply("if", apply("<", kink, Const(LARGEST)), add(kink, table.shift), Const(LARGEST))
    return [apply("if", apply("<", time, table.start), table.start, following)]


def _end(which: int) -> Callable[[Context, Sequence[Value]], list[Value]]:
    def function(reading: Context, args: Sequence[Value]) -> list[Value]:
        return [Const(_table(args[0]).table.x[which])]

    return function


def _end_2d(which: int) -> Callable[[Context, Sequence[Value]], list[Value]]:
    def function(reading: Context, args: Sequence[Value]) -> list[Value]:
        from .terms.values import array_of

        table = _table(args[0]).table
        return [array_of([Const(table.x[which]), Const(table.y[which])])]

    return function


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
    f"{_INTERNAL}.getTable1DAbscissaUmax": _end(-1),
    f"{_INTERNAL}.getTable2DAbscissaUmin": _end_2d(0),
    f"{_INTERNAL}.getTable2DAbscissaUmax": _end_2d(-1),
    f"{_INTERNAL}.getTimeTableTmin": _end(0),
    f"{_INTERNAL}.getTimeTableTmax": _end(-1),
}
