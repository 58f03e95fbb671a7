"""Tables: interpolation in one and two dimensions, as functions that equations call.

``Model(curve=Table1D([[0, 0], [1, 2], [3, 1]]), ..., equations=["y = curve(u)"])``. All tables are piecewise polynomials,
extrapolation included; one machine code serves them all. It gets the address of the coefficients as a parameter (the *handle*):
data of another size need no new machine code.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .constructors import constructor
from .errors import ModelError
from .expression import ZERO, Apply, Const, Expr, Name, Operator, add
from .interpolation import MODES, STRAIGHT, Extrapolation, Interpolation, checked_abscissas, degree_of, segments, surface

HEADER_1D, HEADER_2D = 4, 3

EVERY_ABSCISSA, BOTH_ENDS, NOWHERE = 2.0, 1.0, 0.0
"""Where a table in one dimension has *kinks*: its value or its slope jumps."""

LARGEST = sys.float_info.max
NEVER = 2.0**40
"""Number of a kink that no simulation reaches."""

ROUNDING = 1e-10
"""By how much of its range an argument may be outside of a table that refuses to extrapolate."""

_by_handle: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def table_at(handle: float) -> Any:
    """Return the table with this handle; None if there is none."""
    return _by_handle.get(int(handle)) if math.isfinite(handle) else None


class _OfTable:
    """Base of the operators that read a table."""

    shapes: ClassVar[tuple[()]] = ()

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return None: a table is not inverted."""
        return None


@dataclass(eq=False)
class _Table(_OfTable):
    """Base of all tables: kind of interpolation, coefficients at a stable address."""

    data: np.ndarray
    interpolation: Interpolation = "linear"
    extrapolation: Extrapolation = "linear"
    memory: np.ndarray = field(init=False, repr=False)
    outputs: int = field(default=1, init=False, repr=False)

    def _keep(self, memory: np.ndarray) -> None:
        self.memory = np.ascontiguousarray(memory, dtype=float)
        _by_handle[int(self.handle)] = self

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the data for pickle: the coefficients have another address in another process."""
        return type(self), (self.data, self.interpolation, self.extrapolation)

    @property
    def handle(self) -> float:
        """Address of the coefficients as a number; the value of the parameter by which equations refer to the table."""
        return float(self.memory.ctypes.data)

    @property
    def degree(self) -> int:
        """Degree of its polynomials: derivatives of a higher order are zero."""
        return degree_of(self.interpolation, self.extrapolation)

    @property
    def kind(self) -> tuple[str, int]:
        """Kind of the table: the equations that call it depend on it."""
        return self.interpolation, self.degree

    def __eq__(self, other: object) -> bool:
        """Return whether two tables are called by the same equations: their data are parameters, which do not count."""
        return type(self) is type(other) and isinstance(other, _Table) and self.kind == other.kind

    def __hash__(self) -> int:
        return hash((type(self), self.kind))

    @property
    def differentiable(self) -> bool:
        """The polynomials are differentiated."""
        return True

    def _checked_data(self, minimum: int) -> np.ndarray:
        try:
            data = np.array(self.data, dtype=float)
        except (ValueError, TypeError):
            data = np.zeros(0)
        if data.ndim != 2 or data.shape[0] < minimum or data.shape[1] < 2:
            raise ModelError(
                "the data of a table are a matrix",
                found=f"shape {np.shape(self.data)}" if data.size else repr(self.data),
                expected=f"at least {minimum} rows and 2 columns",
            )
        return data

    def _inside(self, u: float, x: np.ndarray) -> float:
        """Return ``u``, moved into the range of a periodic table: from above into (x[0], x[-1]], from below [x[0], x[-1])."""
        slack = ROUNDING * (x[-1] - x[0])
        if self.extrapolation == "error" and not x[0] - slack <= u <= x[-1] + slack:
            raise ValueError(f"{u!r} is outside of the table, which goes from {float(x[0])!r} to {float(x[-1])!r}")
        if self.extrapolation != "periodic" or x[0] <= u <= x[-1]:
            return u
        period = x[-1] - x[0]
        if u < x[0]:
            return float(min(u - period * math.floor((u - x[0]) / period), x[-1]))
        return float(max(u - period * math.ceil((u - x[-1]) / period), x[0]))


@dataclass(eq=False)
class LookupTable(_Table):
    """Interpolation in one dimension: ``y = table(u)``, or ``(y1, y2) = table(u)`` if there are several columns of results.

    Attributes:
        data: matrix, shape (n, 1 + m): abscissas u in the first column, increasing; results in the others. With
            ``interpolation="linear"`` or ``"constant"`` an abscissa may come twice: the result jumps there. At
            an end of the table the value is held beyond it then, as by the TimeTable of Modelica.
        interpolation: "linear"; "constant" (the value of the last abscissa that is not above u); the others are cubic with a
            continuous derivative: "akima" (Akima 1970), "makima" (modified: no overshoot beside level parts); "monotone"
            (Fritsch and Butland 1984, one-sided formulas at the ends), "fritsch_butland" (the same with the slope of the
            last secant at the ends), "steffen" (Steffen 1990): no overshoot at all.
        extrapolation: "linear" (with the slope at the end, which is 0 of a constant table), "secant" (through the last two
            points), "hold" (value at the end), "periodic", "error" (simulation stops).

    Raises:
        ModelError: data that are not such a matrix, abscissas that do not increase.
    """

    inputs: int = field(default=1, init=False, repr=False)
    symbol: str = field(default="modia.table1d", init=False, repr=False)
    hidden: int = field(default=3, init=False, repr=False)

    def __post_init__(self) -> None:
        data = self._checked_data(1 if self.extrapolation in ("hold", "linear") else 2)
        self.x, self.columns = checked_abscissas(data[:, 0], self.interpolation, self.extrapolation), data.shape[1] - 1
        c = segments(self.x, data[:, 1:], self.interpolation, self.extrapolation)
        self.coefficients = np.moveaxis(c, 2, 0)
        head = [MODES[self.extrapolation], len(self.x), self.columns, self._where_kinks_are()]
        self._keep(np.concatenate([head, self.x, self.coefficients.ravel()]))

    def _where_kinks_are(self) -> float:
        if self.interpolation in STRAIGHT:
            return EVERY_ABSCISSA
        return NOWHERE if self.extrapolation in ("linear", "error") else BOTH_ENDS

    @property
    def kinks(self) -> np.ndarray:
        """The abscissas of its kinks, of a periodic table those in one period."""
        x = {EVERY_ABSCISSA: self.x, BOTH_ENDS: self.x[[0, -1]], NOWHERE: self.x[:0]}[self._where_kinks_are()]
        return x[x < self.x[-1]] if self.extrapolation == "periodic" else x

    def kink(self, number: float) -> float:
        """Return the kink with this number, counted from 0, or from the one at the beginning of a periodic table; the largest
        number where there is none.
        """
        kinks = self.kinks
        cycle, k = divmod(int(number), len(kinks)) if self.extrapolation == "periodic" else (0, int(number))
        return float(kinks[k] + cycle * (self.x[-1] - self.x[0])) if k < len(kinks) else LARGEST

    def passed(self, u: float) -> float:
        """Return the number of the first kink above u."""
        kinks, period = self.kinks, self.x[-1] - self.x[0]
        cycle = np.floor((u - self.x[0]) / period) if self.extrapolation == "periodic" else 0.0
        return float(cycle * len(kinks) + np.searchsorted(kinks + cycle * period, u, side="right"))

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return all results of a call; ``name`` is the path of the table in the model."""
        operator = Operator(name, self)
        return [Apply(operator, (Name(name), Const(column), ZERO, *args)) for column in range(self.columns)]

    def timed(self, name: str, number: Expr, u: Expr) -> list[Expr]:
        """Return all results for an argument u that grows like time, where ``number`` is that of the next kink, see
        `_Timed`.
        """
        operator = Operator(name, _Timed(self.kind, self.degree))
        if self.degree == 0 and self.extrapolation != "error":
            u = number  # so that the result changes at events only
        return [Apply(operator, (Name(name), Const(column), ZERO, number, u)) for column in range(self.columns)]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return the derivative with respect to u."""
        return _next_order(operator, args, 2) if k == 3 else ZERO

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return the value or derivative: arguments handle, column, order of the derivative, u."""
        handle, column, order, u = args
        table = _by_handle[int(handle)]
        u = table._inside(u, table.x)
        c, start = table.coefficients[int(column)], np.concatenate([table.x[:1], table.x])
        k = int(np.searchsorted(table.x, u, side="right"))
        if order and table.extrapolation == "periodic":
            k = min(k, len(table.x) - 1)
        return (float(_derivative(c[k], int(order), u - start[k])),)


@dataclass(frozen=True)
class _Timed(_OfTable):
    """A table of time: it is evaluated between two kinks, the upper of which changes at time events.

    So neither a kink nor a jump lies inside a step of the integrator.
    """

    kind: tuple[str, int]
    degree: int

    symbol, hidden, inputs, outputs, differentiable = "modia.table1d.timed", 4, 1, 1, True

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return the call of the table in time; no user writes it, see `LookupTable.timed`."""
        return [Apply(Operator(name, self), tuple(args))]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return the derivative with respect to u."""
        return _next_order(operator, args, 2) if k == 4 else ZERO

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return the value or derivative: arguments handle, column, order of the derivative, number of the next kink, u."""
        handle, column, order, number, u = args
        table = _by_handle[int(handle)]
        n, below, above = len(table.x), table.kink(number - 1) if number > 0 else -LARGEST, table.kink(number)
        if table.extrapolation == "periodic":
            below = table.kink(number - 1)
            shift = math.floor((number - 1) / len(table.kinks)) * (table.x[-1] - table.x[0])
            u, below, above = u - shift, below - shift, min(above - shift, table.x[-1])
        else:
            table._inside(u, table.x)
        low, high = np.searchsorted(table.x, below, side="right"), np.searchsorted(table.x, above, side="left")
        k = int(np.clip(np.searchsorted(table.x, u, side="right"), min(low, n), high))
        return (float(_derivative(table.coefficients[int(column), k], int(order), u - table.x[max(k - 1, 0)])),)


@dataclass(frozen=True)
class _Kinks(_OfTable):
    """A property of the kinks of a table, as an operator: ``kink(number)`` or ``passed(u)`` of `LookupTable`."""

    what: str
    symbol: str

    hidden, inputs, outputs, differentiable = 1, 1, 1, True

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return the value as a call; ``name`` is the path of the table in the model."""
        return [Apply(Operator(f"{name}.{self.what}", self), (Name(name), *args))]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return zero: the value is piecewise constant."""
        return ZERO

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return the kink or its number, for the arguments handle and number, or handle and u."""
        return (getattr(_by_handle[int(args[0])], self.what)(args[1]),)


KINK, PASSED = _Kinks("kink", "modia.table1d.kink"), _Kinks("passed", "modia.table1d.passed")


@dataclass(eq=False)
class LookupTable2D(_Table):
    """Interpolation in two dimensions: ``y = table(u1, u2)``.

    Attributes:
        data: matrix, shape (1 + n1, 1 + n2): abscissas u1 in the first column, u2 in the first row (both increasing; the corner
            is not used), results in between.
        interpolation: "linear" (bilinear), "constant", "akima" (bicubic, Akima 1974), or another of one dimension, first along
            u1, then along u2 (bicubic, continuous derivatives).
        extrapolation: as for one dimension; "secant" beyond a constant table is bilinear, as in the cell at the border.

    Raises:
        ModelError: data that are not such a matrix, abscissas that do not increase.
    """

    inputs: int = field(default=2, init=False, repr=False)
    symbol: str = field(default="modia.table2d", init=False, repr=False)
    hidden: int = field(default=3, init=False, repr=False)

    def __post_init__(self) -> None:
        data = self._checked_data(3)
        if data.shape[1] < 3:
            raise ModelError(
                "the data of a table are a matrix", found=f"shape {data.shape}", expected="at least 3 rows and 3 columns"
            )
        how = self.interpolation, self.extrapolation
        x, y = checked_abscissas(data[1:, 0], *how), checked_abscissas(data[0, 1:], *how)
        self.x, self.y, self.coefficients = surface(x, y, data[1:, 1:], *how)  # of cell 1, cell 2, power 1, power 2
        head = [MODES[self.extrapolation], len(self.x), len(self.y)]
        self._keep(np.concatenate([head, self.x, self.y, self.coefficients.ravel()]))

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return the result of a call; ``name`` is the path of the table in the model."""
        return [Apply(Operator(name, self), (Name(name), ZERO, ZERO, *args))]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return the derivative with respect to u1 (k = 3) or u2 (k = 4)."""
        return _next_order(operator, args, k - 2) if k >= 3 else ZERO

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return the value or derivative: arguments handle, orders of the derivatives, u1, u2."""
        handle, order1, order2, u1, u2 = args
        table = _by_handle[int(handle)]
        u1, u2 = table._inside(u1, table.x), table._inside(u2, table.y)
        i = int(np.searchsorted(table.x, u1, side="right"))
        j = int(np.searchsorted(table.y, u2, side="right"))
        if table.extrapolation == "periodic":
            i, j = min(i, len(table.x) - 1) if order1 else i, min(j, len(table.y) - 1) if order2 else j
        c = table.coefficients[i, j]
        inner = np.array([_derivative(row, int(order2), u2 - table.y[max(j - 1, 0)]) for row in c])
        return (float(_derivative(inner, int(order1), u1 - table.x[max(i - 1, 0)])),)


Table1D = constructor(LookupTable, name="Table1D")
Table2D = constructor(LookupTable2D, name="Table2D")


def _next_order(operator: Operator, args: tuple[Expr, ...], position: int) -> Expr:
    """Return the same call with the order of its derivative, which is argument ``position``, one higher."""
    order = add(args[position], Const(1))
    assert type(order) is Const
    assert isinstance(operator.function, _Table | _Timed)
    if order.value > operator.function.degree:
        return ZERO
    return Apply(Operator(f"{operator}.derivative", operator.function), (*args[:position], order, *args[position + 1 :]))


def _derivative(c: np.ndarray, order: int, s: float) -> Any:
    """Return the derivative of a polynomial with coefficients c at s."""
    return np.polynomial.polynomial.polyval(s, np.polynomial.polynomial.polyder(c, order))
