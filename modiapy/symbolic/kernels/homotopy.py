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
from numba import njit

from .linear_iteration import factorise, substitute
from .newton_memory import SCALARS, Header, Part

SIZE, ALL, COUNT, ITERATION = int(Header.SIZE), int(Header.ALL), int(Header.COUNT), int(Header.ITERATION)
PARTS = int(Part.LENGTH)
UNKNOWNS, RESIDUAL, NOMINAL = int(Part.UNKNOWNS), int(Part.RESIDUALS), int(Part.NOMINAL)
BASE, TANGENT, POINT = int(Part.BASE), int(Part.STEP), int(Part.TRIAL)
ROWS, COLUMNS, NOISE, PIVOTS = int(Part.ROWS), int(Part.COLUMNS), int(Part.NOISE), int(Part.PIVOTS)
ORIGIN, SCALES = int(Part.ORIGIN), int(Part.SCALES)
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


@njit(inline="always")
def _vector(header, memory, part):  # type: ignore[no-untyped-def]
    """One of the vectors, the number for the parameter included, shape (n + 1,)."""
    first = part * (header[ALL] + 1)
    return memory[first : first + header[SIZE] + 1]


@njit(inline="always")
def _scalars(header, memory):  # type: ignore[no-untyped-def]
    return memory[PARTS * (header[ALL] + 1) :]


@njit(cache=True)
def _bordered(header, memory, along):  # type: ignore[no-untyped-def]
    """The Jacobian becomes that of the path, with the tangent as its last row (the parameter if not ``along``), factorised."""
    n, m = header[SIZE], header[SIZE] + 1
    first = PARTS * (header[ALL] + 1) + SCALARS
    a = memory[first : first + m * m]
    scales, origin = _vector(header, memory, SCALES), _vector(header, memory, ORIGIN)
    tangent = _vector(header, memory, TANGENT)
    rows, columns = _vector(header, memory, ROWS), _vector(header, memory, COLUMNS)
    noise = _vector(header, memory, NOISE)
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, -1, -1):
            a[i * m + j] = a[i * n + j] * scales[j]
        a[i * m + n] = origin[i]
    for j in range(m):
        a[n * m + j] = tangent[j] if along else (1.0 if j == n else 0.0)
    columns[:] = 0.0
    noise[:] = 0.0
    residuals = _vector(header, memory, RESIDUAL)
    for i in range(m):
        top = 0.0
        for j in range(m):
            top = max(top, abs(a[i * m + j]))
        if not 0.0 < top < np.inf:
            return False
        for j in range(m):
            a[i * m + j] /= top
            columns[j] = max(columns[j], abs(a[i * m + j]))
        rows[i] = 1.0
        residuals[i] /= top
    return factorise(a, _vector(header, memory, PIVOTS).view(np.int64), rows, columns, noise, m)


@njit(cache=True)
def _solve(header, memory, v):  # type: ignore[no-untyped-def]
    m = header[SIZE] + 1
    first = PARTS * (header[ALL] + 1) + SCALARS
    substitute(memory[first : first + m * m], _vector(header, memory, PIVOTS).view(np.int64), v, m)


@njit(cache=True)
def _new_tangent(header, memory):  # type: ignore[no-untyped-def]
    """With the factors at hand; it goes on in the direction of the last one."""
    n, tangent = header[SIZE], _vector(header, memory, TANGENT)
    tangent[:] = 0.0
    tangent[n] = 1.0
    _solve(header, memory, tangent)
    length = 0.0
    for i in range(n + 1):
        length += tangent[i] ** 2
    for i in range(n + 1):
        tangent[i] /= np.sqrt(length)


@njit(cache=True)
def _go_to(header, memory):  # type: ignore[no-untyped-def]
    """Ask for the residuals at the point."""
    w, point = _vector(header, memory, UNKNOWNS), _vector(header, memory, POINT)
    scales = _vector(header, memory, SCALES)
    for i in range(header[SIZE]):
        w[i] = point[i] * scales[i]
    return GOES_ON


@njit(cache=True)
def _predict(header, memory, length):  # type: ignore[no-untyped-def]
    """A step of this length along the tangent, or of a shorter one that ends at p = 1."""
    n = header[SIZE]
    base, tangent = _vector(header, memory, BASE), _vector(header, memory, TANGENT)
    point = _vector(header, memory, POINT)
    numbers = _scalars(header, memory)
    numbers[FINAL] = 0.0
    if base[n] + length * tangent[n] >= 1.0:
        length, numbers[FINAL] = (1.0 - base[n]) / tangent[n], 1.0
    numbers[LENGTH], numbers[BEFORE] = length, np.inf
    header[ITERATION] = 0
    for i in range(n + 1):
        point[i] = base[i] + length * tangent[i]
    if numbers[FINAL]:
        point[n] = 1.0
    return _go_to(header, memory)


@njit(cache=True)
def begin_path(header, memory):  # type: ignore[no-untyped-def]
    """The path begins where residuals and Jacobian are now. Returns a `PathResult`, as `correct_on_path` does."""
    n = header[SIZE]
    w, r = _vector(header, memory, UNKNOWNS), _vector(header, memory, RESIDUAL)
    nominal = _vector(header, memory, NOMINAL)
    base, origin = _vector(header, memory, BASE), _vector(header, memory, ORIGIN)
    scales = _vector(header, memory, SCALES)
    r[n] = 0.0
    if not np.isfinite(r).all():
        return LOST
    for i in range(n):
        origin[i], scales[i] = r[i], max(abs(w[i]), nominal[i])
        base[i] = w[i] / scales[i]
    base[n] = 0.0
    if not _bordered(header, memory, False):
        return LOST
    _new_tangent(header, memory)
    header[COUNT] = 0
    _scalars(header, memory)[WANTED] = FIRST_STEP
    return _predict(header, memory, FIRST_STEP)


@njit(cache=True)
def _shorter(header, memory):  # type: ignore[no-untyped-def]
    numbers = _scalars(header, memory)
    numbers[WANTED] = 0.25 * numbers[LENGTH]
    return _predict(header, memory, numbers[WANTED]) if numbers[WANTED] >= SHORTEST_STEP else LOST


@njit(cache=True)
def _corrected(header, memory):  # type: ignore[no-untyped-def]
    """Newton's correction of the point; its length, infinite where there is none."""
    n = header[SIZE]
    r, origin = _vector(header, memory, RESIDUAL), _vector(header, memory, ORIGIN)
    point = _vector(header, memory, POINT)
    for i in range(n):
        r[i] = (1.0 - point[n]) * origin[i] - r[i]
    r[n] = 0.0
    if not np.isfinite(r).all() or not _bordered(header, memory, _scalars(header, memory)[FINAL] == 0.0):
        return np.inf
    _solve(header, memory, r)
    length = 0.0
    for i in range(n + 1):
        point[i] += r[i]
        length += r[i] ** 2
    return np.sqrt(length) if np.isfinite(length) else np.inf


@njit(cache=True)
def correct_on_path(header, memory, may_turn_back):  # type: ignore[no-untyped-def]
    """The next point, after an evaluation; ``may_turn_back``: whether the parameter may become smaller on the way."""
    numbers = _scalars(header, memory)
    length = _corrected(header, memory)
    first = header[ITERATION] == 0
    header[ITERATION] += 1
    if length > 0.7 * numbers[BEFORE] or (first and length > max(0.5 * numbers[LENGTH], 1e-3)) or length == np.inf:
        return _shorter(header, memory)
    numbers[BEFORE] = length
    if length > CLOSE:
        return _go_to(header, memory) if header[ITERATION] < MAX_CORRECTIONS else _shorter(header, memory)
    if numbers[FINAL]:
        _go_to(header, memory)
        return ARRIVED
    _vector(header, memory, BASE)[:] = _vector(header, memory, POINT)
    _new_tangent(header, memory)
    header[COUNT] += 1
    lost = header[COUNT] > MAX_STEPS or np.abs(_vector(header, memory, BASE)).max() > FARTHEST
    if lost or (_vector(header, memory, TANGENT)[header[SIZE]] <= 0.0 and not may_turn_back):
        return LOST
    if header[ITERATION] <= 3:
        numbers[WANTED] *= 2.0
    return _predict(header, memory, numbers[WANTED])
