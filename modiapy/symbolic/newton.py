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
ASK_RESIDUALS, DONE, ASK_JACOBIAN, FAILED = (int(r) for r in Result)

NOT_A_NUMBER, SINGULAR, NO_CONVERGENCE = (int(r) for r in Reason)

TOLERANCE = 1e-12
"""Largest error of an unknown, relative to its magnitude (or a thousandth of its nominal value, where that is larger)."""

ACCEPTABLE = 1e-7
"""The same where rounding errors prevent any further progress."""

MAX_ITERATIONS = 60
MIN_DAMPING = 1e-5
FAST = 0.1
"""Rate of convergence below which the Jacobian is kept."""


@njit(cache=True)
def _size(step, at, nominal, n):  # type: ignore[no-untyped-def]
    """Largest component of ``step`` relative to the unknowns ``at``."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(step[i]) / max(abs(at[i]), 1e-3 * nominal[i]))
    return largest


@njit(cache=True)
def _finish(header, w, last, n):  # type: ignore[no-untyped-def]
    for i in range(n):
        last[i] = w[i]
    header[SOLVED] = 1
    return DONE


@njit(cache=True)
def _evaluate(header, phase, wanted):  # type: ignore[no-untyped-def]
    header[PHASE] = phase
    header[RESIDUALS] += 1
    header[JACOBIANS] += wanted == ASK_JACOBIAN
    return wanted


@njit(cache=True)
def _begin_again(header, w, last, start, nominal, reason, n):  # type: ignore[no-untyped-def]
    """Try another starting point, or give up.

    Near a point without derivative, or with a singular one, it is left a little. At events the search begins anew at the start
    values; between events it does not, because it must not jump to another solution.
    """
    header[REASON] = reason
    attempt = header[ATTEMPT] + 1
    header[ATTEMPT] = attempt
    free = header[FREE] != 0 or header[SOLVED] == 0
    if attempt > 7 or (reason == NO_CONVERGENCE and not free):
        return FAILED
    distance = 0.0
    if attempt > 1 or not free or header[SOLVED] == 0:
        distance = (1e-3, 1e-3, -1e-3, 0.1, -0.1, 1.0, -1.0)[attempt - 1]
    for i in range(n):
        origin = start[i] if free else last[i]
        w[i] = origin + distance * nominal[i] * (1.0 + 0.1 * (i % 7))
    header[ITERATION] = 0
    return _evaluate(header, AT_BASE, ASK_JACOBIAN)


@njit(cache=True)
def newton_step(header, memory):  # type: ignore[no-untyped-def]
    """One step on the memory of a block: header, shape (Header.LENGTH,), and the doubles after it. Returns a `Result`."""
    n = header[SIZE]
    w, r = memory[:n], memory[n : 2 * n]
    last, start, nominal = memory[2 * n : 3 * n], memory[3 * n : 4 * n], memory[4 * n : 5 * n]
    base, step, trial = memory[5 * n : 6 * n], memory[6 * n : 7 * n], memory[7 * n : 8 * n]
    rows, columns, noise = memory[8 * n : 9 * n], memory[9 * n : 10 * n], memory[10 * n : 11 * n]
    pivots = memory[11 * n : 12 * n].view(np.int64)
    scalars = memory[PARTS * n : PARTS * n + SCALARS]
    a = memory[PARTS * n + SCALARS :]

    if header[PHASE] == BEGIN:
        header[SOLUTIONS] += 1
        header[ITERATION] = 0
        header[ATTEMPT] = 0
        for i in range(n):
            w[i] = last[i] if header[SOLVED] else start[i]
        return _evaluate(header, AT_BASE, ASK_JACOBIAN)

    finite, zero = True, True
    for i in range(n):
        finite = finite and np.isfinite(r[i])
        zero = zero and r[i] == 0.0

    if header[PHASE] == AT_BASE:
        if zero:
            return _finish(header, w, last, n)
        for i in range(n * n):
            finite = finite and np.isfinite(a[i])
        if not finite:
            return _begin_again(header, w, last, start, nominal, NOT_A_NUMBER, n)
        rows[:] = 0.0
        columns[:] = 0.0
        noise[:] = 0.0
        for i in range(n):
            for j in range(n):
                rows[i] = max(rows[i], abs(a[i * n + j]))
                columns[j] = max(columns[j], abs(a[i * n + j]))
        if not factorise(a, pivots, rows, columns, noise, n):
            return _begin_again(header, w, last, start, nominal, SINGULAR, n)
        for i in range(n):
            step[i] = -r[i]
        substitute(a, pivots, step, n)
        size = _size(step, w, nominal, n)
        if size <= TOLERANCE:
            for i in range(n):
                w[i] += step[i]
            return _finish(header, w, last, n)
        damping = min(1.0, 4.0 * scalars[0]) if header[ITERATION] else 1.0
    else:
        damping, size = scalars[0], scalars[1]
        correction = np.inf
        if finite:
            for i in range(n):
                trial[i] = -r[i]
            substitute(a, pivots, trial, n)
            correction = _size(trial, base, nominal, n)
        rate = correction / size
        full = damping == 1.0
        if full and (correction <= TOLERANCE or (rate < FAST and rate * correction <= 0.1 * TOLERANCE)):
            for i in range(n):
                w[i] += trial[i]
            return _finish(header, w, last, n)
        if rate <= 1.0 - 0.25 * damping:
            header[ITERATION] += 1
            if header[ITERATION] > MAX_ITERATIONS:
                return _begin_again(header, w, last, start, nominal, NO_CONVERGENCE, n)
            if not (full and rate < FAST):
                return _evaluate(header, AT_BASE, ASK_JACOBIAN)
            for i in range(n):
                step[i] = trial[i]
            size = correction
        elif size <= ACCEPTABLE and finite:
            return _finish(header, w, last, n)
        else:
            damping *= 0.5 if rate > 2.0 or not finite else 0.25
            if damping < MIN_DAMPING:
                return _begin_again(header, w, last, start, nominal, NO_CONVERGENCE, n)
            for i in range(n):
                w[i] = base[i] + damping * step[i]
            scalars[0] = damping
            return _evaluate(header, AT_TRIAL, ASK_RESIDUALS)

    for i in range(n):
        base[i] = w[i]
        w[i] = base[i] + damping * step[i]
    scalars[0], scalars[1] = damping, size
    return _evaluate(header, AT_TRIAL, ASK_RESIDUALS)


@cfunc(types.int32(types.int64), cache=True)
def newton(address):  # type: ignore[no-untyped-def]
    """`newton_step` on the memory of a block at ``address``."""
    header = int64_array(address, HEADER)
    n = header[SIZE]
    return newton_step(header, float64_array(address + 8 * HEADER, PARTS * n + SCALARS + n * n))
