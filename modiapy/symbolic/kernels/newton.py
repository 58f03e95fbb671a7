"""Damped Newton iteration as a kernel that is called between evaluations of the equations.

Three methods are tried in turn. The first two accept steps by the natural monotonicity test, which does not depend on how
equations and unknowns are scaled: the simplified correction with the old Jacobian must be smaller than the step. The last
corrections use the old Jacobian where they converge fast. Source: P. Deuflhard, Newton Methods for Nonlinear Problems (2004),
algorithm NLEQ-ERR.

- The torn unknowns alone: the smallest system.
- The opened variables of the body as unknowns too (`NonlinearBlock`). An exponential or a bend that lies behind a long body
  is then met with its own argument as an unknown, from its last value, and not from where the body would throw it.
- A path from the starting point to the solution (`homotopy`). Between events it must not turn back: the solution would be
  another one.

Where the monotonicity test stops the iteration close to a solution (a bend of the equations, rounding errors), full steps
with the Jacobian at each point finish it: these converge at bends too (L. Qi, J. Sun, A nonsmooth version of Newton's method,
Math. Programming 58 (1993)), and what does not become smaller by them is rounding.

This module imports numba; it is imported when a model with such a block is loaded. The layout of the memory is in
`newton_memory`.
"""

from __future__ import annotations

import numpy as np
from numba import cfunc, njit, types

from ...acausal.native import float64_array, int64_array
from .homotopy import PathResult, begin_path, correct_on_path
from .linear_iteration import factorise, substitute
from .newton_memory import SCALARS, Header, Part, Reason, Result

BEGIN, AT_BASE, AT_TRIAL, FULL_STEPS, PATH_BEGINS, ON_PATH = range(6)
TORN_ALONE, OPENED, PATH = range(3)
"""Methods, in the order in which they are tried."""

SIZE, PHASE, FREE, SOLVED = int(Header.SIZE), int(Header.PHASE), int(Header.FREE), int(Header.SOLVED)
ITERATION, ATTEMPT, REASON = int(Header.ITERATION), int(Header.ATTEMPT), int(Header.REASON)
SOLUTIONS, RESIDUALS, JACOBIANS = int(Header.SOLUTIONS), int(Header.RESIDUALS), int(Header.JACOBIANS)
TORN, ALL, STAGE, COUNT = int(Header.TORN), int(Header.ALL), int(Header.STAGE), int(Header.COUNT)
HEADER, PARTS = int(Header.LENGTH), int(Part.LENGTH)
UNKNOWNS, RESIDUAL, LAST, START = int(Part.UNKNOWNS), int(Part.RESIDUALS), int(Part.LAST), int(Part.START)
NOMINAL, BASE, STEP, TRIAL = int(Part.NOMINAL), int(Part.BASE), int(Part.STEP), int(Part.TRIAL)
ROWS, COLUMNS, NOISE, PIVOTS = int(Part.ROWS), int(Part.COLUMNS), int(Part.NOISE), int(Part.PIVOTS)
DAMPING, LENGTH_OF_STEP, BEST = 0, 1, 2
"""Numbers behind the vectors."""

ASK_RESIDUALS, DONE, ASK_JACOBIAN, FAILED = (int(r) for r in Result)
GOES_ON, ARRIVED = int(PathResult.GOES_ON), int(PathResult.ARRIVED)

NOT_A_NUMBER, SINGULAR, NO_CONVERGENCE = (int(r) for r in Reason)

TOLERANCE = 1e-12
"""Largest error of an unknown, relative to its magnitude (or a thousandth of its nominal value, where that is larger)."""

ACCEPTABLE = 1e-7
"""The same where rounding errors prevent any further progress."""

MAX_ITERATIONS = 200
MIN_DAMPING = 1e-5
FAST = 0.1
"""Rate of convergence below which the Jacobian is kept."""

MAX_FULL_STEPS = 12
MAX_STALLS = 3
"""Full steps, and those that do not halve the correction, after which the rest is rounding."""


@njit(inline="always")
def _vector(header, memory, part):  # type: ignore[no-untyped-def]
    first = part * (header[ALL] + 1)
    return memory[first : first + header[SIZE]]


@njit(inline="always")
def _scalars(header, memory):  # type: ignore[no-untyped-def]
    return memory[PARTS * (header[ALL] + 1) :]


@njit(inline="always")
def _matrix(header, memory):  # type: ignore[no-untyped-def]
    n, first = header[SIZE], PARTS * (header[ALL] + 1) + SCALARS
    return memory[first : first + n * n]


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
    header[SOLUTIONS] += 1
    header[ATTEMPT] = header[ITERATION] = 0
    header[STAGE], header[SIZE] = TORN_ALONE, header[TORN]
    _vector(header, memory, UNKNOWNS)[:] = _vector(header, memory, LAST if header[SOLVED] else START)
    return _evaluate(header, AT_BASE, ASK_JACOBIAN)


@njit(cache=True)
def _finish(header, memory):  # type: ignore[no-untyped-def]
    _vector(header, memory, LAST)[:] = _vector(header, memory, UNKNOWNS)
    header[SOLVED] = 1
    return DONE


@njit(cache=True)
def _place(header, memory, free):  # type: ignore[no-untyped-def]
    """Bring the unknowns to where the present attempt begins."""
    attempt, distance = header[ATTEMPT], 0.0
    if attempt > 1 or (attempt == 1 and (not free or header[SOLVED] == 0)):
        distance = (1e-3, 1e-3, -1e-3, 0.1, -0.1, 1.0, -1.0)[attempt - 1]
    at_start = header[SOLVED] == 0 or (attempt > 0 and free)
    w, nominal = _vector(header, memory, UNKNOWNS), _vector(header, memory, NOMINAL)
    origin = _vector(header, memory, START if at_start else LAST)
    for i in range(header[SIZE]):
        w[i] = origin[i] + distance * nominal[i] * (1.0 + 0.1 * (i % 7))


@njit(cache=True)
def _begin_again(header, memory, reason):  # type: ignore[no-untyped-def]
    """Try the next method, or another starting point, or give up.

    Near a point without derivative, or with a singular one, it is left a little. At events the search begins anew at the start
    values; between events it does not, because it must not jump to another solution.
    """
    free = header[FREE] != 0 or header[SOLVED] == 0
    if header[STAGE] == TORN_ALONE:
        header[REASON] = reason
    if header[STAGE] == TORN_ALONE and header[ALL] > header[TORN]:
        header[STAGE], header[SIZE] = OPENED, header[ALL]
    elif header[STAGE] != PATH:
        header[STAGE], header[SIZE] = PATH, header[ALL]
    else:
        header[ATTEMPT] += 1
        header[STAGE], header[SIZE] = TORN_ALONE, header[TORN]
        if header[ATTEMPT] > 7 or (header[REASON] == NO_CONVERGENCE and not free):
            return FAILED
    _place(header, memory, free)
    header[ITERATION] = 0
    return _evaluate(header, PATH_BEGINS if header[STAGE] == PATH else AT_BASE, ASK_JACOBIAN)


@njit(cache=True)
def _try(header, memory, damping):  # type: ignore[no-untyped-def]
    """Go ``damping`` times the step away from the base, to see the residuals there."""
    w, base, step = _vector(header, memory, UNKNOWNS), _vector(header, memory, BASE), _vector(header, memory, STEP)
    for i in range(header[SIZE]):
        w[i] = base[i] + damping * step[i]
    _scalars(header, memory)[DAMPING] = damping
    return _evaluate(header, AT_TRIAL, ASK_RESIDUALS)


@njit(cache=True)
def _try_step(header, memory, damping):  # type: ignore[no-untyped-def]
    """The present point becomes the base."""
    w, step = _vector(header, memory, UNKNOWNS), _vector(header, memory, STEP)
    _vector(header, memory, BASE)[:] = w
    nominal = _vector(header, memory, NOMINAL)
    _scalars(header, memory)[LENGTH_OF_STEP] = _size(step, w, nominal, header[SIZE])
    return _try(header, memory, damping)


@njit(cache=True)
def _factorised(header, memory):  # type: ignore[no-untyped-def]
    n, a = header[SIZE], _matrix(header, memory)
    rows, columns = _vector(header, memory, ROWS), _vector(header, memory, COLUMNS)
    noise = _vector(header, memory, NOISE)
    rows[:] = 0.0
    columns[:] = 0.0
    noise[:] = 0.0
    for i in range(n):
        for j in range(n):
            rows[i] = max(rows[i], abs(a[i * n + j]))
            columns[j] = max(columns[j], abs(a[i * n + j]))
    return factorise(a, _vector(header, memory, PIVOTS).view(np.int64), rows, columns, noise, n)


@njit(cache=True)
def _correction(header, memory, part):  # type: ignore[no-untyped-def]
    """Newton's correction for the present residuals with the factors at hand, into a vector of the memory."""
    n = header[SIZE]
    r, v = _vector(header, memory, RESIDUAL), _vector(header, memory, part)
    for i in range(n):
        v[i] = -r[i]
    substitute(_matrix(header, memory), _vector(header, memory, PIVOTS).view(np.int64), v, n)


@njit(cache=True)
def _new_step(header, memory):  # type: ignore[no-untyped-def]
    """Newton's step from the residuals and the Jacobian at the present point; 0, or the `Reason` why there is none."""
    if not (np.isfinite(_vector(header, memory, RESIDUAL)).all() and np.isfinite(_matrix(header, memory)).all()):
        return NOT_A_NUMBER
    if not _factorised(header, memory):
        return SINGULAR
    _correction(header, memory, STEP)
    return 0


@njit(cache=True)
def _at_base(header, memory):  # type: ignore[no-untyped-def]
    """Residuals and Jacobian are known: compute the next step."""
    w, step = _vector(header, memory, UNKNOWNS), _vector(header, memory, STEP)
    if not _vector(header, memory, RESIDUAL).any():
        return _finish(header, memory)
    reason = _new_step(header, memory)
    if reason != 0:
        return _begin_again(header, memory, reason)
    if _size(step, w, _vector(header, memory, NOMINAL), header[SIZE]) <= TOLERANCE:
        w += step
        return _finish(header, memory)
    return _try_step(header, memory, min(1.0, 4.0 * _scalars(header, memory)[DAMPING]) if header[ITERATION] else 1.0)


@njit(cache=True)
def _at_trial(header, memory):  # type: ignore[no-untyped-def]
    """The residuals at the end of the step are known: accept it, or make it shorter."""
    w, step, trial = _vector(header, memory, UNKNOWNS), _vector(header, memory, STEP), _vector(header, memory, TRIAL)
    damping, size = _scalars(header, memory)[DAMPING], _scalars(header, memory)[LENGTH_OF_STEP]
    correction = np.inf
    if np.isfinite(_vector(header, memory, RESIDUAL)).all():
        _correction(header, memory, TRIAL)
        correction = _size(trial, _vector(header, memory, BASE), _vector(header, memory, NOMINAL), header[SIZE])
    rate = correction / size
    full = damping == 1.0
    if full and (correction <= TOLERANCE or (rate < FAST and rate * correction <= 0.1 * TOLERANCE)):
        w += trial
        return _finish(header, memory)
    if rate <= 1.0 - 0.25 * damping:
        header[ITERATION] += 1
        if header[ITERATION] > MAX_ITERATIONS:
            return _begin_again(header, memory, NO_CONVERGENCE)
        if not (full and rate < FAST):
            return _evaluate(header, AT_BASE, ASK_JACOBIAN)
        step[:] = trial
        return _try_step(header, memory, 1.0)
    if size <= ACCEPTABLE:
        w[:] = _vector(header, memory, BASE)
        return _full_steps(header, memory)
    damping *= 0.5 if rate > 2.0 else 0.25
    if damping < MIN_DAMPING:
        return _begin_again(header, memory, NO_CONVERGENCE)
    return _try(header, memory, damping)


@njit(cache=True)
def _full_steps(header, memory):  # type: ignore[no-untyped-def]
    """Go on with full steps from the present point."""
    header[ITERATION] = header[COUNT] = 0
    _scalars(header, memory)[BEST] = np.inf
    return _evaluate(header, FULL_STEPS, ASK_JACOBIAN)


@njit(cache=True)
def _full_step(header, memory):  # type: ignore[no-untyped-def]
    """Residuals and Jacobian are known: the next full step, or the end with the point of the smallest correction."""
    w, step, base = _vector(header, memory, UNKNOWNS), _vector(header, memory, STEP), _vector(header, memory, BASE)
    best = _scalars(header, memory)[BEST]
    size = np.inf
    if _new_step(header, memory) == 0:
        size = _size(step, w, _vector(header, memory, NOMINAL), header[SIZE])
    if not size <= 0.5 * best:
        header[COUNT] += 1
    if size < best:
        base[:] = w
        _scalars(header, memory)[BEST] = best = size
    if best <= TOLERANCE:
        w += step
        return _finish(header, memory)
    header[ITERATION] += 1
    if size < np.inf and header[COUNT] <= MAX_STALLS and header[ITERATION] <= MAX_FULL_STEPS:
        w += step
        return _evaluate(header, FULL_STEPS, ASK_JACOBIAN)
    if best <= ACCEPTABLE:
        w[:] = base
        return _finish(header, memory)
    return _begin_again(header, memory, NO_CONVERGENCE)


@njit(cache=True)
def _on_path(header, memory):  # type: ignore[no-untyped-def]
    """Residuals and Jacobian are known at a point of the path, or beside it."""
    if header[PHASE] == PATH_BEGINS:
        result = begin_path(header, memory)
    else:
        result = correct_on_path(header, memory, header[FREE] != 0 or header[SOLVED] == 0)
    if result == GOES_ON:
        return _evaluate(header, ON_PATH, ASK_JACOBIAN)
    return _full_steps(header, memory) if result == ARRIVED else _begin_again(header, memory, NO_CONVERGENCE)


@njit(cache=True)
def newton_step(header, memory):  # type: ignore[no-untyped-def]
    """One step on the memory of a block: header, shape (Header.LENGTH,), and the doubles after it. Returns a `Result`."""
    if header[PHASE] == BEGIN:
        return _begin(header, memory)
    if header[PHASE] == AT_BASE:
        return _at_base(header, memory)
    if header[PHASE] == AT_TRIAL:
        return _at_trial(header, memory)
    return _full_step(header, memory) if header[PHASE] == FULL_STEPS else _on_path(header, memory)


@cfunc(types.int32(types.int64), cache=True)
def newton(address):  # type: ignore[no-untyped-def]
    """`newton_step` on the memory of a block at ``address``."""
    header = int64_array(address, HEADER)
    n = header[ALL] + 1
    return newton_step(header, float64_array(address + 8 * HEADER, PARTS * n + SCALARS + n * n))
