"""A path to the solution of nonlinear equations, followed by arc length.

Newton's homotopy ``H(w, p) = r(w) - (1 - p) r(w0)`` has the solution ``w0`` for ``p = 0``, and for ``p = 1`` that of
``r(w) = 0``; on the curve between, predictor steps along the tangent alternate with Newton's method across it. p is an unknown
like the others, so that the curve may turn back. Unknowns are measured relative to their magnitude at the beginning, or to
their nominal value. Source: E. L. Allgower, K. Georg, Introduction to Numerical Continuation Methods (2003), chapters 3, 6.

The functions run between evaluations of residuals and Jacobian, in the memory of the block (`newton_memory`).
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from ...acausal.native import part
from ...acausal.native_layout import field_array
from .linear_iteration import factorise, substitute
from .newton_memory import NEWTON, PRESENT, Header
from .vectors import all_finite, assign, fill, largest

SIZE, COUNT, ITERATION = int(Header.SIZE), int(Header.COUNT), int(Header.ITERATION)
LENGTH, WANTED, BEFORE, FINAL = range(4)
"""Numbers behind the vectors: the step made and the one wanted, the last correction, whether the step ends at p = 1."""

FIRST_STEP, SHORTEST_STEP = 0.1, 1e-7
CLOSE = 1e-6
"""Correction from which on a point is on the path."""

MAX_STEPS, MAX_CORRECTIONS = 400, 6
FARTHEST = 1e8
"""Distance from the beginning where the path is left."""


class PathResult(IntEnum):
    """Residuals and Jacobian are wanted at the unknowns; these are near the solution; the path does not lead there."""

    GOES_ON = 0
    ARRIVED = 1
    LOST = 2


GOES_ON, ARRIVED, LOST = (int(r) for r in PathResult)


header_at, scalars_at = field_array(NEWTON, "header"), field_array(NEWTON, "scalars")
unknowns_at, residuals_at, nominal_at, base_at, tangent_at, point_at, rows_at, columns_at, noise_at, pivots_at = (
    field_array(NEWTON, name, PRESENT + 1)
    for name in ("unknowns", "residuals", "nominal", "base", "step", "trial", "rows", "columns", "noise", "pivots")
)
origin_at, scales_at = field_array(NEWTON, "origin", PRESENT + 1), field_array(NEWTON, "scales", PRESENT + 1)
matrix_at = field_array(NEWTON, "jacobian", (PRESENT + 1) * (PRESENT + 1))
"""Vectors, the number for the parameter included; the tangent is where steps are otherwise, the point where trials are."""


@part
def _bordered(address, along):  # type: ignore[no-untyped-def]
    """Factorise the Jacobian of the path, with the tangent as its last row (the parameter if not ``along``)."""
    header = header_at(address)
    n, m = header[SIZE], header[SIZE] + 1
    a = matrix_at(address)
    scales, origin = scales_at(address), origin_at(address)
    tangent = tangent_at(address)
    rows, columns = rows_at(address), columns_at(address)
    noise = noise_at(address)
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            a[i * m + j] = a[i * n + j] * scales[j]
        a[i * m + n] = origin[i]
    for j in range(m):
        a[n * m + j] = tangent[j] if along else (1.0 if j == n else 0.0)
    fill(columns, 0.0)
    fill(noise, 0.0)
    residuals = residuals_at(address)
    for i in range(m):
        top = 0.0
        for j in range(m):
            top = max(top, abs(a[i * m + j]))
        if not 0.0 < top < np.inf:
            return False
        for j in range(m):
            a[i * m + j] /= top
        rows[i] = 0.0
        residuals[i] /= top
    return factorise(a, pivots_at(address), rows, columns, noise, m)


@part
def _solve(address, v):  # type: ignore[no-untyped-def]
    header = header_at(address)
    m = header[SIZE] + 1
    substitute(matrix_at(address), pivots_at(address), v, m)


@part
def _new_tangent(address):  # type: ignore[no-untyped-def]
    """Compute the tangent with the factors at hand; it goes on in the direction of the last one."""
    header = header_at(address)
    n, tangent = header[SIZE], tangent_at(address)
    fill(tangent, 0.0)
    tangent[n] = 1.0
    _solve(address, tangent)
    length = 0.0
    for i in range(n + 1):
        length += tangent[i] ** 2
    for i in range(n + 1):
        tangent[i] /= np.sqrt(length)


@part
def _go_to(address):  # type: ignore[no-untyped-def]
    """Ask for the residuals at the point."""
    header = header_at(address)
    w, point = unknowns_at(address), point_at(address)
    scales = scales_at(address)
    for i in range(header[SIZE]):
        w[i] = point[i] * scales[i]
    return GOES_ON


@part
def _predict(address, length):  # type: ignore[no-untyped-def]
    """Return a step of this length along the tangent, or of a shorter one that ends at p = 1."""
    header = header_at(address)
    n = header[SIZE]
    base, tangent = base_at(address), tangent_at(address)
    point = point_at(address)
    numbers = scalars_at(address)
    numbers[FINAL] = 0.0
    if base[n] + length * tangent[n] >= 1.0:
        length, numbers[FINAL] = (1.0 - base[n]) / tangent[n], 1.0
    numbers[LENGTH], numbers[BEFORE] = length, np.inf
    header[ITERATION] = 0
    for i in range(n + 1):
        point[i] = base[i] + length * tangent[i]
    if numbers[FINAL]:
        point[n] = 1.0
    return _go_to(address)


@part
def begin_path(address):  # type: ignore[no-untyped-def]
    """Begin a path where residuals and Jacobian are now. Returns a `PathResult`, as `correct_on_path` does."""
    header = header_at(address)
    n = header[SIZE]
    w, r = unknowns_at(address), residuals_at(address)
    nominal = nominal_at(address)
    base, origin = base_at(address), origin_at(address)
    scales = scales_at(address)
    r[n] = 0.0
    if not all_finite(r):
        return LOST
    for i in range(n):
        origin[i], scales[i] = r[i], max(abs(w[i]), nominal[i])
        base[i] = w[i] / scales[i]
    base[n] = 0.0
    if not _bordered(address, False):
        return LOST
    _new_tangent(address)
    header[COUNT] = 0
    scalars_at(address)[WANTED] = FIRST_STEP
    return _predict(address, FIRST_STEP)


@part
def _shorter(address):  # type: ignore[no-untyped-def]
    numbers = scalars_at(address)
    numbers[WANTED] = 0.25 * numbers[LENGTH]
    return _predict(address, numbers[WANTED]) if numbers[WANTED] >= SHORTEST_STEP else LOST


@part
def _corrected(address):  # type: ignore[no-untyped-def]
    """Move the point by Newton's correction, and return its length, infinite where there is none."""
    header = header_at(address)
    n = header[SIZE]
    r, origin = residuals_at(address), origin_at(address)
    point = point_at(address)
    for i in range(n):
        r[i] = (1.0 - point[n]) * origin[i] - r[i]
    r[n] = 0.0
    if not all_finite(r) or not _bordered(address, scalars_at(address)[FINAL] == 0.0):
        return np.inf
    _solve(address, r)
    length = 0.0
    for i in range(n + 1):
        point[i] += r[i]
        length += r[i] ** 2
    return np.sqrt(length) if np.isfinite(length) else np.inf


@part
def correct_on_path(address, may_turn_back):  # type: ignore[no-untyped-def]
    """Return the next point, after an evaluation; ``may_turn_back``: whether the parameter may become smaller on the way."""
    header = header_at(address)
    numbers = scalars_at(address)
    length = _corrected(address)
    first = header[ITERATION] == 0
    header[ITERATION] += 1
    if length > 0.7 * numbers[BEFORE] or (first and length > max(0.5 * numbers[LENGTH], 1e-3)) or length == np.inf:
        return _shorter(address)
    numbers[BEFORE] = length
    if length > CLOSE:
        return _go_to(address) if header[ITERATION] < MAX_CORRECTIONS else _shorter(address)
    if numbers[FINAL]:
        _go_to(address)
        return ARRIVED
    assign(base_at(address), point_at(address))
    _new_tangent(address)
    header[COUNT] += 1
    lost = header[COUNT] > MAX_STEPS or largest(base_at(address)) > FARTHEST
    if lost or (tangent_at(address)[header[SIZE]] <= 0.0 and not may_turn_back):
        return LOST
    if header[ITERATION] <= 3:
        numbers[WANTED] *= 2.0
    return _predict(address, numbers[WANTED])
