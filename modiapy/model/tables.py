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
from typing import Any, ClassVar, Literal

import numpy as np

from .constructors import constructor
from .errors import ModelError
from .expression import ZERO, Apply, Const, Expr, Name, Operator, add

Interpolation = Literal["linear", "constant", "akima", "monotone"]
Extrapolation = Literal["linear", "hold", "periodic", "error"]
MODES = {"linear": 0.0, "hold": 0.0, "periodic": 1.0, "error": 2.0}
"""What the machine code has to do outside of the table; 0: nothing, as there are polynomials for it."""

HEADER_1D, HEADER_2D = 4, 3
ORDERS = {"linear": 1, "constant": 0, "akima": 3, "monotone": 3}
"""Degree of the polynomials of each kind of interpolation."""

EVERY_ABSCISSA, BOTH_ENDS, NOWHERE = 2.0, 1.0, 0.0
"""Where a table in one dimension has *kinks*: its value or its slope jumps."""

DEGREE = 4
"""Coefficients of one polynomial in memory."""

LARGEST = sys.float_info.max
NEVER = 2.0**40
"""Number of a kink that no simulation reaches."""

ROUNDING = 1e-10
"""By how much of its range an argument may be outside of a table that refuses to extrapolate."""

_by_handle: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def table_at(handle: float) -> Any:
    """Return the table with this handle; None if there is none."""
    return _by_handle.get(int(handle)) if math.isfinite(handle) else None


@dataclass(eq=False)
class _Table:
    """Base of all tables: kind of interpolation, coefficients at a stable address."""

    data: np.ndarray
    interpolation: Interpolation = "linear"
    extrapolation: Extrapolation = "linear"
    memory: np.ndarray = field(init=False, repr=False)
    outputs: int = field(default=1, init=False, repr=False)
    shapes: ClassVar[tuple[()]] = ()

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

    def __eq__(self, other: object) -> bool:
        """Return whether two tables are called by the same equations: their data are parameters, which do not count."""
        return type(self) is type(other) and isinstance(other, _Table) and self.interpolation == other.interpolation

    def __hash__(self) -> int:
        return hash((type(self), self.interpolation))

    @property
    def differentiable(self) -> bool:
        """The polynomials are differentiated."""
        return True

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return None: a table is not inverted."""
        return None

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
        """Return ``u``, moved into the range if the table is periodic."""
        slack = ROUNDING * (x[-1] - x[0])
        if self.extrapolation == "error" and not x[0] - slack <= u <= x[-1] + slack:
            raise ValueError(f"{u!r} is outside of the table, which goes from {float(x[0])!r} to {float(x[-1])!r}")
        return x[0] + (u - x[0]) % (x[-1] - x[0]) if self.extrapolation == "periodic" else u


@dataclass(eq=False)
class LookupTable(_Table):
    """Interpolation in one dimension: ``y = table(u)``, or ``(y1, y2) = table(u)`` if there are several columns of results.

    Attributes:
        data: matrix, shape (n, 1 + m): abscissas u in the first column, increasing; results in the others. With
            ``interpolation="linear"`` or ``"constant"`` an abscissa may come twice: the result jumps there. At
            an end of the table the value is held beyond it then, as by the TimeTable of Modelica.
        interpolation: "linear"; "constant" (the value of the last abscissa that is not above u); "akima" (Akima 1970: cubic,
            continuous derivative); "monotone" (Fritsch and Butland 1984: cubic, continuous derivative, no overshoot).
        extrapolation: "linear" (with the slope at the end), "hold" (value at the end), "periodic", "error" (simulation stops).

    Raises:
        ModelError: data that are not such a matrix, abscissas that do not increase.
    """

    inputs: int = field(default=1, init=False, repr=False)
    symbol: str = field(default="modia.table1d", init=False, repr=False)
    hidden: int = field(default=3, init=False, repr=False)

    def __post_init__(self) -> None:
        data = self._checked_data(1 if self.extrapolation in ("hold", "linear") else 2)
        self.x, self.columns = _abscissas(data[:, 0], self.interpolation, self.extrapolation), data.shape[1] - 1
        c = segments(self.x, data[:, 1:], self.interpolation, self.extrapolation)
        self.coefficients = np.moveaxis(c, 2, 0)
        head = [MODES[self.extrapolation], len(self.x), self.columns, self._where_kinks_are()]
        self._keep(np.concatenate([head, self.x, self.coefficients.ravel()]))

    def _where_kinks_are(self) -> float:
        if self.interpolation in ("linear", "constant"):
            return EVERY_ABSCISSA
        return BOTH_ENDS if self.extrapolation in ("hold", "periodic") else NOWHERE

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
        operator = Operator(name, _Timed(self))
        if self.interpolation == "constant" and self.extrapolation != "error":
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
        return (float(_derivative(c[k], int(order), u - start[k])),)


class _Timed:
    """A table of time: it is evaluated between two kinks, the upper of which changes at time events.

    So neither a kink nor a jump lies inside a step of the integrator.
    """

    symbol, hidden, inputs, outputs, differentiable, shapes = "modia.table1d.timed", 4, 1, 1, True, ()

    def __init__(self, table: LookupTable) -> None:
        self.interpolation = table.interpolation

    def __eq__(self, other: object) -> bool:
        return type(other) is _Timed and self.interpolation == other.interpolation

    def __hash__(self) -> int:
        return hash(self.interpolation)

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return the call of the table in time; no user writes it, see `LookupTable.timed`."""
        return [Apply(Operator(name, self), tuple(args))]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return the derivative with respect to u."""
        return _next_order(operator, args, 2) if k == 4 else ZERO

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return None: a table is not inverted."""
        return None

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


class _Kinks:
    """A property of the kinks of a table, as an operator: ``kink(number)`` or ``passed(u)`` of `LookupTable`."""

    hidden, inputs, outputs, differentiable, shapes = 1, 1, 1, True, ()

    def __init__(self, what: str) -> None:
        self.what, self.symbol = what, f"modia.table1d.{what}"

    def __eq__(self, other: object) -> bool:
        return type(other) is _Kinks and self.what == other.what

    def __hash__(self) -> int:
        return hash(self.what)

    def call(self, name: str, args: Sequence[Expr]) -> list[Expr]:
        """Return the value as a call; ``name`` is the path of the table in the model."""
        return [Apply(Operator(f"{name}.{self.what}", self), (Name(name), *args))]

    def partial(self, operator: Operator, args: tuple[Expr, ...], k: int) -> Expr:
        """Return zero: the value is piecewise constant."""
        return ZERO

    def inverse_of(self, operator: Operator, args: tuple[Expr, ...], k: int, value: Expr) -> Expr | None:
        """Return None: the table has no inverse."""
        return None

    def evaluate(self, args: Sequence[float]) -> Sequence[float]:
        """Return the arguments handle, number or u."""
        return (getattr(_by_handle[int(args[0])], self.what)(args[1]),)


KINK, PASSED = _Kinks("kink"), _Kinks("passed")


@dataclass(eq=False)
class LookupTable2D(_Table):
    """Interpolation in two dimensions: ``y = table(u1, u2)``.

    Attributes:
        data: matrix, shape (1 + n1, 1 + n2): abscissas u1 in the first column, u2 in the first row (both increasing; the corner
            is not used), results in between.
        interpolation: "linear" (bilinear), "constant", "akima" or "monotone" (bicubic, continuous derivatives).
        extrapolation: as for one dimension.

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
        self.x, self.y = _abscissas(data[1:, 0], *how), _abscissas(data[0, 1:], *how)
        along_x = segments(self.x, data[1:, 1:], *how)
        c = segments(self.y, np.moveaxis(along_x, 2, 0), *how)
        self.coefficients = np.ascontiguousarray(np.transpose(c, (2, 0, 3, 1)))  # cell 1, cell 2, power 1, power 2
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
    if order.value > ORDERS[operator.function.interpolation]:
        return ZERO
    return Apply(Operator(f"{operator}.derivative", operator.function), (*args[:position], order, *args[position + 1 :]))


def _abscissas(x: np.ndarray, interpolation: str, extrapolation: str) -> np.ndarray:
    for what, given, known in (
        ("interpolation", interpolation, ("linear", "constant", "akima", "monotone")),
        ("extrapolation", extrapolation, tuple(MODES)),
    ):
        if given not in known:
            raise ModelError(f"unknown {what} of a table", found=repr(given), expected=f"one of {', '.join(known)}")
    steps = np.diff(x)
    may_jump = interpolation in ("linear", "constant")
    wrong = np.flatnonzero(~(steps >= 0.0) if may_jump else ~(steps > 0.0))
    if (
        len(wrong)
        or not np.isfinite(x).all()
        or (len(x) > 1 and x[0] == x[-1] and (not may_jump or extrapolation == "periodic"))
    ):
        k = int(wrong[0]) if len(wrong) else 0
        raise ModelError(
            "the abscissas of a table must increase",
            found=f"{float(x[k])!r} and then {float(x[min(k + 1, len(x) - 1)])!r}",
            expected="increasing finite numbers",
        )
    return x


def segments(x: np.ndarray, y: np.ndarray, interpolation: str, extrapolation: str) -> np.ndarray:
    """Return the coefficients of the polynomials below x[0], between all x, and above x[-1].

    Args:
        x: abscissas, shape (n,).
        y: values, shape (n, ...).
        interpolation, extrapolation: see `LookupTable`.

    Returns:
        Coefficients of ``1, s, s**2, s**3``, where s is the distance from the abscissa on the left (below x[0]: from x[0]),
        shape (n + 1, 4, ...).
    """
    n = len(x)
    c = np.zeros((n + 1, DEGREE, *y.shape[1:]))
    c[0, 0], c[1:, 0] = y[0], y
    h = np.diff(x).reshape(-1, *(1,) * (y.ndim - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        secant = np.where(h > 0.0, np.diff(y, axis=0) / h, 0.0)
    ends: tuple[Any, Any] = (0.0, 0.0)
    if interpolation == "linear" and n > 1:
        c[1:n, 1] = secant
        ends = secant[0], secant[-1]
    elif interpolation in ("akima", "monotone") and n > 1:
        slope = _akima(secant) if interpolation == "akima" else _monotone(h, secant)
        left, right = slope[:-1], slope[1:]
        c[1:n, 1], c[1:n, 2], c[1:n, 3] = left, (3 * secant - 2 * left - right) / h, (left + right - 2 * secant) / h**2
        ends = slope[0], slope[-1]
    if extrapolation == "linear":
        c[0, 1], c[n, 1] = ends
    return c


def _akima(secant: np.ndarray) -> np.ndarray:
    """Return the slopes at the abscissas from the secants between them (Akima 1970, with his extrapolation at the ends)."""
    if len(secant) == 1:
        return np.concatenate([secant, secant])
    before, after = 2 * secant[0] - secant[1], 2 * secant[-1] - secant[-2]
    m = np.stack([2 * before - secant[0], before, *secant, after, 2 * after - secant[-1]])
    change = np.abs(np.diff(m, axis=0))
    left, right = change[2:], change[:-2]
    total = left + right
    flat = total <= 1e-9 * np.max(total, initial=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        weighted = (left * m[1:-2] + right * m[2:-1]) / total
    return np.where(flat, 0.5 * (m[1:-2] + m[2:-1]), weighted)


def _monotone(h: np.ndarray, secant: np.ndarray) -> np.ndarray:
    """Return the slopes that keep the interpolation monotone (Fritsch and Butland 1984; one-sided formulas at the ends)."""
    if len(secant) == 1:
        return np.concatenate([secant, secant])
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 + w2) / (w1 / secant[:-1] + w2 / secant[1:])
    inner = np.where(secant[:-1] * secant[1:] > 0.0, mean, 0.0)
    first = _end_slope(h[0], h[1], secant[0], secant[1])
    last = _end_slope(h[-1], h[-2], secant[-1], secant[-2])
    return np.concatenate([first[None], inner, last[None]])


def _end_slope(h0: np.ndarray, h1: np.ndarray, m0: np.ndarray, m1: np.ndarray) -> np.ndarray:
    slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    slope = np.where(np.sign(slope) != np.sign(m0), 0.0, slope)
    return np.where((np.sign(m0) != np.sign(m1)) & (np.abs(slope) > 3 * np.abs(m0)), 3 * m0, slope)


def _derivative(c: np.ndarray, order: int, s: float) -> Any:
    """Return the derivative of a polynomial with coefficients c at s."""
    return np.polynomial.polynomial.polyval(s, np.polynomial.polynomial.polyder(c, order))
