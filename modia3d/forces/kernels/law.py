"""Value, slope and integral of a law: linear, constant, a table, or a user's function (`modia3d.forces.basics.layout`)."""

from __future__ import annotations

from math import sqrt
from typing import Any

from modia3d.dynamics.basics.spatial import kernel
from modiapy.acausal.native import Deferred, float64_array
from modiapy.model.tables import HEADER_1D

from ..basics.layout import CONSTANT, LINEAR, PARAMETERS, TABLE
from .calls import call_1_1

# made of modiapy/symbolic/kernels/table_kernels.py


def _table1d() -> Any:
    from modiapy.symbolic.kernels.table_kernels import table1d

    return table1d.by_numba


table1d: Any = Deferred(_table1d)
"""Imported with the machine code of tables where a law is compiled, not where a scenario is read."""

GAUSS_X = (-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640)
GAUSS_W = (0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891)
"""Gauss-Legendre points and weights on (-1, 1)."""


@kernel
def law(table, k, j, u):
    """Return the value at ``u`` of the ``j``-th law of row ``k``."""
    kind, number = table[k, PARAMETERS + 2 * j], table[k, PARAMETERS + 2 * j + 1]
    if kind == LINEAR:
        return number * u
    if kind == CONSTANT:
        return number
    if kind == TABLE:
        return table1d(number, 0.0, 0.0, u)
    return call_1_1(int(number), (u,))


@kernel
def slope(table, k, j, u):
    """Return the derivative at ``u`` of the ``j``-th law of row ``k``; of a function by differences."""
    kind, number = table[k, PARAMETERS + 2 * j], table[k, PARAMETERS + 2 * j + 1]
    if kind == LINEAR:
        return number
    if kind == CONSTANT:
        return 0.0
    if kind == TABLE:
        return table1d(number, 0.0, 1.0, u)
    h = 1e-6 * (abs(u) + 1e-3)
    return (call_1_1(int(number), (u + h,)) - call_1_1(int(number), (u - h,))) / (2.0 * h)


@kernel
def _table_integral(handle, low, high):
    """Return the integral of a table between ``low < high``; exact, as it goes from abscissa to abscissa."""
    n = int(float64_array(int(handle), HEADER_1D)[1])
    x = float64_array(int(handle), HEADER_1D + n)
    total, left = 0.0, low
    for i in range(n + 1):
        right = min(max(x[HEADER_1D + i], low), high) if i < n else high
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        offset = half / sqrt(3.0)
        total += half * (table1d(handle, 0.0, 0.0, middle - offset) + table1d(handle, 0.0, 0.0, middle + offset))
        left = right
    return total


@kernel
def _function_integral(address, u):
    """Return the integral of a function from 0 to ``u``, by more and more panels; they are finer at 0, where roots have no
    derivative.
    """
    last, panels = 0.0, 4
    while True:
        total = 0.0
        for i in range(panels):
            for x, w in zip(GAUSS_X, GAUSS_W):  # noqa: B905  (numba knows no `strict`)
                s = (i + 0.5 + 0.5 * x) / panels
                total += 0.5 * w / panels * 3.0 * s * s * call_1_1(address, (u * s * s * s,))
        if not abs(total - last) > 1e-13 * abs(total) or panels >= 4096:
            return u * total
        last, panels = total, 2 * panels


@kernel
def integral(table, k, j, u):
    """Return the integral from 0 to ``u`` of the ``j``-th law of row ``k``: the energy of a spring."""
    kind, number = table[k, PARAMETERS + 2 * j], table[k, PARAMETERS + 2 * j + 1]
    if kind == LINEAR:
        return 0.5 * number * u * u
    if kind == CONSTANT:
        return number * u
    if kind == TABLE:
        return _table_integral(number, 0.0, u) if u > 0.0 else -_table_integral(number, u, 0.0)
    return _function_integral(int(number), u)


@kernel
def law3(table, k, u):
    """Return the values at ``u`` of the first three laws of row ``k``."""
    return law(table, k, 0, u), law(table, k, 1, u), law(table, k, 2, u)
