"""Machine code of tables: piecewise polynomials in memory of the layout that `modiapy.model.tables` writes.

It is imported when a model with a table is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ...acausal.native import float64_array, njit, types
from ...model.interpolation import DEGREE
from ...model.tables import BOTH_ENDS, HEADER_1D, HEADER_2D, LARGEST, NOWHERE, ROUNDING

_NUMBER = types.float64


@njit(cache=True)
def _position(mode, x, u):  # type: ignore[no-untyped-def]
    """Return the abscissa u, moved into the range of a periodic table, and how many abscissas are not above it.

    As in the Modelica Standard Library an end of the range stays where it is: what comes from above ends at the upper one.
    """
    n = len(x)
    if mode == 1.0 and u < x[0]:
        period = x[n - 1] - x[0]
        u = min(u - period * math.floor((u - x[0]) / period), x[n - 1])
    elif mode == 1.0 and u > x[n - 1]:
        period = x[n - 1] - x[0]
        u = max(u - period * math.ceil((u - x[n - 1]) / period), x[0])
    elif mode == 2.0 and not abs(u - 0.5 * (x[0] + x[n - 1])) <= (0.5 + ROUNDING) * (x[n - 1] - x[0]):
        raise ValueError
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if u < x[middle]:
            high = middle
        else:
            low = middle + 1
    return u, low


@njit(cache=True)
def _polynomial(c, first, order, s):  # type: ignore[no-untyped-def]
    """Return the derivative of the polynomial whose coefficients begin at ``c[first]``."""
    total = 0.0
    for power in range(DEGREE - 1, order - 1, -1):
        factor = 1.0
        for k in range(order):
            factor *= power - k
        total = total * s + factor * c[first + power]
    return total


@njit(_NUMBER(*[_NUMBER] * 4), cache=True)
def table1d(handle, column, order, u):  # type: ignore[no-untyped-def]
    """Return the derivative of order ``order`` of a table in one dimension."""
    head = float64_array(int(handle), HEADER_1D)
    n = int(head[1])
    size = HEADER_1D + n + int(head[2]) * (n + 1) * DEGREE
    memory = float64_array(int(handle), size)
    x = memory[HEADER_1D : HEADER_1D + n]
    u, k = _position(head[0], x, u)
    if head[0] == 1.0 and order > 0.0:
        k = min(k, n - 1)
    first = HEADER_1D + n + (int(column) * (n + 1) + k) * DEGREE
    return _polynomial(memory, first, int(order), u - x[max(k - 1, 0)])


@njit(cache=True)
def _kinks(head, x):  # type: ignore[no-untyped-def]
    """Return how many kinks there are (of a periodic table: in one period), and how many abscissas they lie apart."""
    n = len(x)
    if head[3] == NOWHERE:
        return 0, 1
    apart = n - 1 if head[3] == BOTH_ENDS and n > 1 else 1
    count = (n - 1) // apart + 1
    while head[0] == 1.0 and x[(count - 1) * apart] >= x[n - 1]:
        count -= 1  # the end of a period is the beginning of the next
    return count, apart


@njit(_NUMBER(*[_NUMBER] * 5), cache=True)
def table1d_timed(handle, column, order, number, u):  # type: ignore[no-untyped-def]
    """Evaluate as `table1d`, by the polynomials between the kink before that with this number, and that."""
    head = float64_array(int(handle), HEADER_1D)
    n = int(head[1])
    memory = float64_array(int(handle), HEADER_1D + n + int(head[2]) * (n + 1) * DEGREE)
    x = memory[HEADER_1D : HEADER_1D + n]
    count, apart = _kinks(head, x)
    low, high, at = 0, n, u
    if head[0] == 1.0 and count > 0:
        cycle = math.floor((number - 1.0) / count)
        at = u - cycle * (x[n - 1] - x[0])
        low = int(number - 1.0 - cycle * count) * apart + 1
        high = low if apart == 1 else n - 1
    elif count > 0:
        low = 0 if number < 1.0 else int(number - 1.0) * apart + 1
        high = 0 if number < 1.0 else min(int(number) * apart, n)
    _, k = _position(0.0 if count > 0 and head[0] == 1.0 else head[0], x, at)
    k = min(max(k, low), high)
    first = HEADER_1D + n + (int(column) * (n + 1) + k) * DEGREE
    return _polynomial(memory, first, int(order), at - x[max(k - 1, 0)])


@njit(cache=True)
def _kink(head, x, number):  # type: ignore[no-untyped-def]
    n = len(x)
    count, apart = _kinks(head, x)
    cycle = math.floor(number / count) if head[0] == 1.0 and count > 0 else 0.0
    k = number - cycle * count
    return x[int(k) * apart] + cycle * (x[n - 1] - x[0]) if k < count else LARGEST


@njit(_NUMBER(*[_NUMBER] * 2), cache=True)
def table1d_kink(handle, number):  # type: ignore[no-untyped-def]
    """Return the kink with this number."""
    head = float64_array(int(handle), HEADER_1D)
    return _kink(head, float64_array(int(handle), HEADER_1D + int(head[1]))[HEADER_1D:], number)


@njit(_NUMBER(*[_NUMBER] * 2), cache=True)
def table1d_passed(handle, u):  # type: ignore[no-untyped-def]
    """Return the number of the first kink above u."""
    head = float64_array(int(handle), HEADER_1D)
    n = int(head[1])
    x = float64_array(int(handle), HEADER_1D + n)[HEADER_1D:]
    count, _ = _kinks(head, x)
    first = math.floor((u - x[0]) / (x[n - 1] - x[0])) * count if head[0] == 1.0 and count > 0 else 0.0
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if _kink(head, x, first + middle) > u:
            high = middle
        else:
            low = middle + 1
    return first + low


@njit(_NUMBER(*[_NUMBER] * 5), cache=True)
def table2d(handle, order1, order2, u1, u2):  # type: ignore[no-untyped-def]
    """Return the derivative of orders ``order1`` and ``order2`` of a table in two dimensions."""
    head = float64_array(int(handle), HEADER_2D)
    n1, n2 = int(head[1]), int(head[2])
    data = HEADER_2D + n1 + n2
    memory = float64_array(int(handle), data + (n1 + 1) * (n2 + 1) * DEGREE * DEGREE)
    x, y = memory[HEADER_2D : HEADER_2D + n1], memory[HEADER_2D + n1 : data]
    u1, i = _position(head[0], x, u1)
    u2, j = _position(head[0], y, u2)
    if head[0] == 1.0:
        i, j = min(i, n1 - 1) if order1 > 0.0 else i, min(j, n2 - 1) if order2 > 0.0 else j
    s1, s2 = u1 - x[max(i - 1, 0)], u2 - y[max(j - 1, 0)]
    cell = data + (i * (n2 + 1) + j) * DEGREE * DEGREE
    total = 0.0
    for power in range(DEGREE - 1, int(order1) - 1, -1):
        factor = 1.0
        for k in range(int(order1)):
            factor *= power - k
        total = total * s1 + factor * _polynomial(memory, cell + power * DEGREE, int(order2), s2)
    return total


KERNELS: Mapping[str, Any] = {
    "modia.table1d": table1d,
    "modia.table1d.timed": table1d_timed,
    "modia.table1d.kink": table1d_kink,
    "modia.table1d.passed": table1d_passed,
    "modia.table2d": table2d,
}
"""By the external symbol that the generated code calls: the function, of numbers."""
