"""Damped Newton iteration as a kernel that is called between evaluations of the equations.

Steps are accepted by the natural monotonicity test, which does not depend on how equations and unknowns are scaled: the
simplified correction with the old Jacobian must be smaller than the step. The last corrections use the old Jacobian where they
converge fast. Source: P. Deuflhard, Newton Methods for Nonlinear Problems (2004), algorithm NLEQ-ERR.

This module imports numba; it is imported when a model with such a block is loaded. The layout of the memory is in
`newton_memory`.
"""

from __future__ import annotations

import numpy as np
from numba import cfunc, njit, types

from ..acausal.native import float64_array, int64_array
from .linear_iteration import factorise, substitute
from .newton_memory import SCALARS, Header, Part, Reason, Result

BEGIN, AT_BASE, AT_TRIAL = 0, 1, 2
SIZE, PHASE, FREE, SOLVED = int(Header.SIZE), int(Header.PHASE), int(Header.FREE), int(Header.SOLVED)
ITERATION, ATTEMPT, REASON = int(Header.ITERATION), int(Header.ATTEMPT), int(Header.REASON)
SOLUTIONS, RESIDUALS, JACOBIANS = int(Header.SOLUTIONS), int(Header.RESIDUALS), int(Header.JACOBIANS)
HEADER, PARTS = int(Header.LENGTH), int(Part.LENGTH)
UNKNOWNS, RESIDUAL, LAST, START = int(Part.UNKNOWNS), int(Part.RESIDUALS), int(Part.LAST), int(Part.START)
NOMINAL, BASE, STEP, TRIAL = int(Part.NOMINAL), int(Part.BASE), int(Part.STEP), int(Part.TRIAL)
ROWS, COLUMNS, NOISE, PIVOTS = int(Part.ROWS), int(Part.COLUMNS), int(Part.NOISE), int(Part.PIVOTS)
ASK_RESIDUALS, DONE, ASK_JACOBIAN, FAILED = (int(r) for r in Result)

NOT_A_NUMBER, SINGULAR, NO_CONVERGENCE = (int(r) for r in Reason)

TOLERANCE = 1e-12
"""Largest error of an unknown, relative to its magnitude (or a thousandth of its nominal value, where that is larger)."""

ACCEPTABLE = 1e-7
"""The same where rounding errors prevent any further progress."""

MAX_ITERATIONS = 200
MIN_DAMPING = 1e-5
FAST = 0.1
"""Rate of convergence below which the Jacobian is kept."""


@njit(inline="always")
def _vector(memory, n, part):  # type: ignore[no-untyped-def]
    return memory[part * n : (part + 1) * n]


@njit(cache=True)
def _size(step, at, nominal, n):  # type: ignore[no-untyped-def]
    """Largest component of ``step`` relative to the unknowns ``at``."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(step[i]) / max(abs(at[i]), 1e-3 * nominal[i]))
    return largest


@njit(cache=True)
def _evaluate(header, phase, wanted):  # type: ignore[no-untyped-def]
    header[PHASE] = phase
    header[RESIDUALS] += 1
    header[JACOBIANS] += wanted == ASK_JACOBIAN
    return wanted


@njit(cache=True)
def _begin(header, memory):  # type: ignore[no-untyped-def]
    n = header[SIZE]
    header[SOLUTIONS] += 1
    header[ITERATION] = header[ATTEMPT] = 0
    _vector(memory, n, UNKNOWNS)[:] = _vector(memory, n, LAST if header[SOLVED] else START)
    return _evaluate(header, AT_BASE, ASK_JACOBIAN)


@njit(cache=True)
def _finish(header, memory):  # type: ignore[no-untyped-def]
    n = header[SIZE]
    _vector(memory, n, LAST)[:] = _vector(memory, n, UNKNOWNS)
    header[SOLVED] = 1
    return DONE


@njit(cache=True)
def _begin_again(header, memory, reason):  # type: ignore[no-untyped-def]
    """Try another starting point, or give up.

    Near a point without derivative, or with a singular one, it is left a little. At events the search begins anew at the start
    values; between events it does not, because it must not jump to another solution.
    """
    n = header[SIZE]
    header[REASON] = reason
    attempt = header[ATTEMPT] + 1
    header[ATTEMPT] = attempt
    free = header[FREE] != 0 or header[SOLVED] == 0
    if attempt > 7 or (reason == NO_CONVERGENCE and not free):
        return FAILED
    distance = 0.0
    if attempt > 1 or not free or header[SOLVED] == 0:
        distance = (1e-3, 1e-3, -1e-3, 0.1, -0.1, 1.0, -1.0)[attempt - 1]
    w, nominal, origin = _vector(memory, n, UNKNOWNS), _vector(memory, n, NOMINAL), _vector(memory, n, START if free else LAST)
    for i in range(n):
        w[i] = origin[i] + distance * nominal[i] * (1.0 + 0.1 * (i % 7))
    header[ITERATION] = 0
    return _evaluate(header, AT_BASE, ASK_JACOBIAN)


@njit(cache=True)
def _try(header, memory, damping):  # type: ignore[no-untyped-def]
    """Go ``damping`` times the step away from the base, to see the residuals there."""
    n = header[SIZE]
    w, base, step = _vector(memory, n, UNKNOWNS), _vector(memory, n, BASE), _vector(memory, n, STEP)
    for i in range(n):
        w[i] = base[i] + damping * step[i]
    memory[PARTS * n] = damping
    return _evaluate(header, AT_TRIAL, ASK_RESIDUALS)


@njit(cache=True)
def _try_step(header, memory, damping):  # type: ignore[no-untyped-def]
    """The present point becomes the base."""
    n = header[SIZE]
    w, step = _vector(memory, n, UNKNOWNS), _vector(memory, n, STEP)
    _vector(memory, n, BASE)[:] = w
    memory[PARTS * n + 1] = _size(step, w, _vector(memory, n, NOMINAL), n)
    return _try(header, memory, damping)


@njit(cache=True)
def _factorised(header, memory):  # type: ignore[no-untyped-def]
    n = header[SIZE]
    rows, columns, noise = _vector(memory, n, ROWS), _vector(memory, n, COLUMNS), _vector(memory, n, NOISE)
    a = memory[PARTS * n + SCALARS :]
    rows[:] = 0.0
    columns[:] = 0.0
    noise[:] = 0.0
    for i in range(n):
        for j in range(n):
            rows[i] = max(rows[i], abs(a[i * n + j]))
            columns[j] = max(columns[j], abs(a[i * n + j]))
    return factorise(a, _vector(memory, n, PIVOTS).view(np.int64), rows, columns, noise, n)


@njit(cache=True)
def _correction(header, memory, part):  # type: ignore[no-untyped-def]
    """Newton's correction for the present residuals with the factors at hand, into a vector of the memory."""
    n = header[SIZE]
    r, v = _vector(memory, n, RESIDUAL), _vector(memory, n, part)
    for i in range(n):
        v[i] = -r[i]
    substitute(memory[PARTS * n + SCALARS :], _vector(memory, n, PIVOTS).view(np.int64), v, n)


@njit(cache=True)
def _at_base(header, memory):  # type: ignore[no-untyped-def]
    """Residuals and Jacobian are known: compute the next step."""
    n = header[SIZE]
    w, r, step = _vector(memory, n, UNKNOWNS), _vector(memory, n, RESIDUAL), _vector(memory, n, STEP)
    if not r.any():
        return _finish(header, memory)
    if not (np.isfinite(r).all() and np.isfinite(memory[PARTS * n + SCALARS :]).all()):
        return _begin_again(header, memory, NOT_A_NUMBER)
    if not _factorised(header, memory):
        return _begin_again(header, memory, SINGULAR)
    _correction(header, memory, STEP)
    if _size(step, w, _vector(memory, n, NOMINAL), n) <= TOLERANCE:
        for i in range(n):
            w[i] += step[i]
        return _finish(header, memory)
    return _try_step(header, memory, min(1.0, 4.0 * memory[PARTS * n]) if header[ITERATION] else 1.0)


@njit(cache=True)
def _at_trial(header, memory):  # type: ignore[no-untyped-def]
    """The residuals at the end of the step are known: accept it, or make it shorter."""
    n = header[SIZE]
    w, step, trial = _vector(memory, n, UNKNOWNS), _vector(memory, n, STEP), _vector(memory, n, TRIAL)
    damping, size = memory[PARTS * n], memory[PARTS * n + 1]
    finite = np.isfinite(_vector(memory, n, RESIDUAL)).all()
    correction = np.inf
    if finite:
        _correction(header, memory, TRIAL)
        correction = _size(trial, _vector(memory, n, BASE), _vector(memory, n, NOMINAL), n)
    rate = correction / size
    full = damping == 1.0
    if full and (correction <= TOLERANCE or (rate < FAST and rate * correction <= 0.1 * TOLERANCE)):
        for i in range(n):
            w[i] += trial[i]
        return _finish(header, memory)
    if rate <= 1.0 - 0.25 * damping:
        header[ITERATION] += 1
        if header[ITERATION] > MAX_ITERATIONS:
            return _begin_again(header, memory, NO_CONVERGENCE)
        if not (full and rate < FAST):
            return _evaluate(header, AT_BASE, ASK_JACOBIAN)
        step[:] = trial
        return _try_step(header, memory, 1.0)
    if size <= ACCEPTABLE and finite:
        return _finish(header, memory)
    damping *= 0.5 if rate > 2.0 else 0.25
    if damping < MIN_DAMPING:
        return _begin_again(header, memory, NO_CONVERGENCE)
    return _try(header, memory, damping)


@njit(cache=True)
def newton_step(header, memory):  # type: ignore[no-untyped-def]
    """One step on the memory of a block: header, shape (Header.LENGTH,), and the doubles after it. Returns a `Result`."""
    if header[PHASE] == BEGIN:
        return _begin(header, memory)
    return _at_base(header, memory) if header[PHASE] == AT_BASE else _at_trial(header, memory)


@cfunc(types.int32(types.int64), cache=True)
def newton(address):  # type: ignore[no-untyped-def]
    """`newton_step` on the memory of a block at ``address``."""
    header = int64_array(address, HEADER)
    n = header[SIZE]
    return newton_step(header, float64_array(address + 8 * HEADER, PARTS * n + SCALARS + n * n))
