"""Machine code of tables: piecewise polynomials in memory of the layout that `modiapy.model.tables` writes.

This module imports numba; it is imported when a model with a table is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from numba import njit

from ..acausal.native import float64_array
from ..model.tables import DEGREE, HEADER_1D, HEADER_2D, LARGEST, ROUNDING


@njit(cache=True)
def _position(mode, x, u):  # type: ignore[no-untyped-def]
    """The abscissa u, moved into the range of a periodic table, and how many abscissas are not above it."""
    n = len(x)
    if mode == 1.0:
        period = x[n - 1] - x[0]
        u = x[0] + (u - x[0]) - period * math.floor((u - x[0]) / period)
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
    """Derivative of the polynomial whose coefficients begin at ``c[first]``."""
    total = 0.0
    for power in range(DEGREE - 1, order - 1, -1):
        factor = 1.0
        for k in range(order):
            factor *= power - k
        total = total * s + factor * c[first + power]
    return total


@njit(cache=True)
def table1d(handle, column, order, u):  # type: ignore[no-untyped-def]
    """Derivative of order ``order`` of a table in one dimension."""
    head = float64_array(int(handle), HEADER_1D)
    n = int(head[1])
    size = HEADER_1D + n + int(head[2]) * (n + 1) * DEGREE
    memory = float64_array(int(handle), size)
    x = memory[HEADER_1D : HEADER_1D + n]
    u, k = _position(head[0], x, u)
    first = HEADER_1D + n + (int(column) * (n + 1) + k) * DEGREE
    return _polynomial(memory, first, int(order), u - x[max(k - 1, 0)])


@njit(cache=True)
def table1d_timed(handle, column, order, following, u):  # type: ignore[no-untyped-def]
    """As `table1d`, by the polynomial that ends at the abscissa ``following``."""
    head = float64_array(int(handle), HEADER_1D)
    n = int(head[1])
    memory = float64_array(int(handle), HEADER_1D + n + int(head[2]) * (n + 1) * DEGREE)
    x = memory[HEADER_1D : HEADER_1D + n]
    _position(head[0], x, u)
    low, high = 0, n
    while low < high:
        k = (low + high) // 2
        if x[k] < following:
            low = k + 1
        else:
            high = k
    first = HEADER_1D + n + (int(column) * (n + 1) + low) * DEGREE
    return _polynomial(memory, first, int(order), u - x[max(low - 1, 0)])


@njit(cache=True)
def table1d_following(handle, u):  # type: ignore[no-untyped-def]
    """The first abscissa above u; the largest number if there is none."""
    n = int(float64_array(int(handle), HEADER_1D)[1])
    x = float64_array(int(handle), HEADER_1D + n)[HEADER_1D:]
    u, k = _position(0.0, x, u)
    return x[k] if k < n else LARGEST


@njit(cache=True)
def table2d(handle, order1, order2, u1, u2):  # type: ignore[no-untyped-def]
    """Derivative of orders ``order1`` and ``order2`` of a table in two dimensions."""
    head = float64_array(int(handle), HEADER_2D)
    n1, n2 = int(head[1]), int(head[2])
    data = HEADER_2D + n1 + n2
    memory = float64_array(int(handle), data + (n1 + 1) * (n2 + 1) * DEGREE * DEGREE)
    x, y = memory[HEADER_2D : HEADER_2D + n1], memory[HEADER_2D + n1 : data]
    u1, i = _position(head[0], x, u1)
    u2, j = _position(head[0], y, u2)
    s1, s2 = u1 - x[max(i - 1, 0)], u2 - y[max(j - 1, 0)]
    cell = data + (i * (n2 + 1) + j) * DEGREE * DEGREE
    total = 0.0
    for power in range(DEGREE - 1, int(order1) - 1, -1):
        factor = 1.0
        for k in range(int(order1)):
            factor *= power - k
        total = total * s1 + factor * _polynomial(memory, cell + power * DEGREE, int(order2), s2)
    return total


KERNELS: Mapping[str, tuple[Any, int]] = {
    "modia.table1d": (table1d, 4),
    "modia.table1d.timed": (table1d_timed, 5),
    "modia.table1d.following": (table1d_following, 2),
    "modia.table2d": (table2d, 5),
}
"""By the external symbol that the generated code calls: the function, and how many numbers it takes."""
