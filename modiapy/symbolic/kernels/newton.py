"""Damped Newton iteration as a kernel that is called between evaluations of the equations.

Three methods are tried in turn. The first two accept steps by the natural monotonicity test, which does not depend on how
equations and unknowns are scaled: the simplified correction with the old Jacobian must be smaller than the step. The last
corrections use the old Jacobian where they converge fast, and only near where it was computed. The last one is always seen to
be as small as the tolerance: what the rate of those before lets expect is not true of equations that almost depend on each
other. Source: P. Deuflhard, Newton Methods for Nonlinear Problems (2004), algorithm NLEQ-ERR.

- The torn unknowns alone: the smallest system.
- The opened variables of the body as unknowns too (`NonlinearBlock`). An exponential or a bend is then met with its own
  argument as an unknown, from its last value, and not from where the body, or an input that has jumped, would throw it.
- A path from the starting point to the solution (`homotopy`). Between events it must not turn back: the solution would be
  another one.

Where the monotonicity test stops the iteration close to a solution (a bend of the equations, rounding errors), full steps
with the Jacobian at each point finish it: these converge at bends too (L. Qi, J. Sun, A nonsmooth version of Newton's method,
Math. Programming 58 (1993)), and what does not become smaller by them is rounding.

It is imported when a model with such a block is loaded. The layout of the memory is in
`newton_memory`.
"""

from __future__ import annotations

import numpy as np

from ...acausal.native import WITHOUT_OBJECTS, cfunc, part, types
from ...acausal.native_layout import field_array
from .homotopy import PathResult, begin_path, correct_on_path
from .linear_iteration import factorise, substitute
from .newton_memory import NEWTON, PRESENT, Header, Reason, Request
from .vectors import add, all_finite, assign, fill, largest

BEGIN, AT_BASE, AT_TRIAL, FULL_STEPS, PATH_BEGINS, ON_PATH = range(6)
TORN_ALONE, OPENED, PATH = range(3)
"""Methods, in the order in which they are tried."""

SIZE, PHASE, FREE, SOLVED = int(Header.SIZE), int(Header.PHASE), int(Header.FREE), int(Header.SOLVED)
ITERATION, ATTEMPT, REASON = int(Header.ITERATION), int(Header.ATTEMPT), int(Header.REASON)
SOLUTIONS, RESIDUALS, JACOBIANS = int(Header.SOLUTIONS), int(Header.RESIDUALS), int(Header.JACOBIANS)
TORN, ALL, STAGE, COUNT = int(Header.TORN), int(Header.ALL), int(Header.STAGE), int(Header.COUNT)
DAMPED = int(Header.DAMPED)
DAMPING, LENGTH_OF_STEP, BEST, DISTANCE = 0, 1, 2, 3
"""Numbers behind the vectors."""

ASK_RESIDUALS, DONE, ASK_JACOBIAN, FAILED = (int(r) for r in Request)
GOES_ON, ARRIVED = int(PathResult.GOES_ON), int(PathResult.ARRIVED)

NOT_A_NUMBER, SINGULAR, NO_CONVERGENCE = (int(r) for r in Reason)

TOLERANCE = 1e-12
"""Largest error of an unknown, relative to its magnitude (or a thousandth of its nominal value, where that is larger)."""

ACCEPTABLE = 1e-7
"""The same where rounding errors prevent any further progress."""

MAX_ITERATIONS = 200
MIN_DAMPING = 1e-5
MIN_DAMPING_TORN = 0.1
"""The same where opened variables may be unknowns too: their last values are better guides than many small steps."""

FAST = 0.1
"""Rate of convergence below which the Jacobian is kept."""

NEAR, NEAR_AFTER_DAMPING = 0.1, 1e-3
"""So far from where it was computed the Jacobian is believed. An exponential makes it large by orders of magnitude far from the
solution: all that has to become zero looks small beside it."""

MAX_FULL_STEPS = 12
MAX_STALLS = 3
"""Full steps, and those that do not halve the correction, after which the rest is rounding."""


header_at, scalars_at = field_array(NEWTON, "header"), field_array(NEWTON, "scalars")
(
    unknowns_at,
    residuals_at,
    last_at,
    start_at,
    nominal_at,
    base_at,
    step_at,
    trial_at,
    rows_at,
    columns_at,
    noise_at,
    pivots_at,
) = (
    field_array(NEWTON, name, PRESENT)
    for name in (
        *("unknowns", "residuals", "last", "start", "nominal", "base", "step", "trial"),
        *("rows", "columns", "noise", "pivots"),
    )
)
jacobian_at = field_array(NEWTON, "jacobian", PRESENT * PRESENT)


@part
def _size(step, at, nominal, n):  # type: ignore[no-untyped-def]
    """Return the largest component of ``step`` relative to the unknowns ``at``."""
    size = 0.0
    for i in range(n):
        size = max(size, abs(step[i]) / max(abs(at[i]), 1e-3 * nominal[i]))
    return size


@part
def _evaluate(header, phase, wanted):  # type: ignore[no-untyped-def]
    header[PHASE] = phase
    header[RESIDUALS] += 1
    header[JACOBIANS] += wanted == ASK_JACOBIAN
    return wanted


@part
def _begin(address):  # type: ignore[no-untyped-def]
    header = header_at(address)
    header[SOLUTIONS] += 1
    header[ATTEMPT] = header[ITERATION] = header[DAMPED] = 0
    header[STAGE], header[SIZE] = TORN_ALONE, header[TORN]
    assign(unknowns_at(address), last_at(address) if header[SOLVED] else start_at(address))
    return _evaluate(header, AT_BASE, ASK_JACOBIAN)


@part
def _finish(address):  # type: ignore[no-untyped-def]
    header = header_at(address)
    assign(last_at(address), unknowns_at(address))
    header[SOLVED] = 1
    return DONE


@part
def _place(address, free):  # type: ignore[no-untyped-def]
    """Set the unknowns to the beginning of the present attempt."""
    header = header_at(address)
    attempt, distance = header[ATTEMPT], 0.0
    if attempt > 1 or (attempt == 1 and (not free or header[SOLVED] == 0)):
        distance = (1e-3, 1e-3, -1e-3, 0.1, -0.1, 1.0, -1.0)[attempt - 1]
    at_start = header[SOLVED] == 0 or (attempt > 0 and free)
    w, nominal = unknowns_at(address), nominal_at(address)
    origin = start_at(address) if at_start else last_at(address)
    for i in range(header[SIZE]):
        w[i] = origin[i] + distance * nominal[i] * (1.0 + 0.1 * (i % 7))


@part
def _begin_again(address, reason):  # type: ignore[no-untyped-def]
    """Try the next method, or another starting point, or give up.

    Near a point without derivative, or with a singular one, it is left a little. At events the search begins anew at the start
    values; between events it does not, because it must not jump to another solution.
    """
    header = header_at(address)
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
    _place(address, free)
    header[ITERATION] = header[DAMPED] = 0
    return _evaluate(header, PATH_BEGINS if header[STAGE] == PATH else AT_BASE, ASK_JACOBIAN)


@part
def _try(address, damping):  # type: ignore[no-untyped-def]
    """Go ``damping`` times the step away from the base, to see the residuals there."""
    header = header_at(address)
    w, base, step = unknowns_at(address), base_at(address), step_at(address)
    for i in range(header[SIZE]):
        w[i] = base[i] + damping * step[i]
    scalars_at(address)[DAMPING] = damping
    return _evaluate(header, AT_TRIAL, ASK_RESIDUALS)


@part
def _try_step(address, damping, distance):  # type: ignore[no-untyped-def]
    """Return the present point, at this distance from where the Jacobian was computed, becomes the base."""
    header = header_at(address)
    w, step = unknowns_at(address), step_at(address)
    assign(base_at(address), w)
    size = _size(step, w, nominal_at(address), header[SIZE])
    scalars_at(address)[LENGTH_OF_STEP], scalars_at(address)[DISTANCE] = size, distance + size
    return _try(address, damping)


@part
def _factorised(address):  # type: ignore[no-untyped-def]
    """Factorise the Jacobian; whether it is regular.

    With opened variables, an exponential that is almost zero stands beside terms of order one: that its pivot is as small as
    their rounding errors says nothing.
    """
    header = header_at(address)
    n, a = header[SIZE], jacobian_at(address)
    rows, columns = rows_at(address), columns_at(address)
    noise = noise_at(address)
    fill(rows, 0.0)
    fill(columns, 0.0)
    fill(noise, 0.0)
    for i in range(n if header[STAGE] == TORN_ALONE else 0):
        for j in range(n):
            rows[i] = max(rows[i], abs(a[i * n + j]))
            columns[j] = max(columns[j], abs(a[i * n + j]))
    return factorise(a, pivots_at(address), rows, columns, noise, n)


@part
def _correction(address, v):  # type: ignore[no-untyped-def]
    """Compute the Newton's correction for the present residuals with the factors at hand, into v."""
    header = header_at(address)
    n = header[SIZE]
    r = residuals_at(address)
    for i in range(n):
        v[i] = -r[i]
    substitute(jacobian_at(address), pivots_at(address), v, n)


@part
def _new_step(address):  # type: ignore[no-untyped-def]
    """Compute Newton's step from the residuals and the Jacobian at the present point; 0, or the `Reason` why there is
    none.
    """
    if not (all_finite(residuals_at(address)) and all_finite(jacobian_at(address))):
        return NOT_A_NUMBER
    if not _factorised(address):
        return SINGULAR
    _correction(address, step_at(address))
    return 0


@part
def _at_base(address):  # type: ignore[no-untyped-def]
    """Compute the next step from residuals and Jacobian."""
    header = header_at(address)
    w, step = unknowns_at(address), step_at(address)
    if largest(residuals_at(address)) == 0.0 and all_finite(residuals_at(address)):
        return _finish(address)
    reason = _new_step(address)
    if reason != 0:
        return _begin_again(address, reason)
    if _size(step, w, nominal_at(address), header[SIZE]) <= TOLERANCE:
        add(w, step)
        return _finish(address)
    return _try_step(address, min(1.0, 4.0 * scalars_at(address)[DAMPING]) if header[ITERATION] else 1.0, 0.0)


@part
def _shortest(header):  # type: ignore[no-untyped-def]
    """Return the damping below which the next method is tried."""
    guided = header[STAGE] == TORN_ALONE and header[ALL] > header[TORN] and header[SOLVED] and not header[FREE]
    return MIN_DAMPING_TORN if guided else MIN_DAMPING


@part
def _at_trial(address):  # type: ignore[no-untyped-def]
    """Accept the step whose residuals are known, or make it shorter."""
    header = header_at(address)
    w, step, trial = unknowns_at(address), step_at(address), trial_at(address)
    damping, size = scalars_at(address)[DAMPING], scalars_at(address)[LENGTH_OF_STEP]
    correction = np.inf
    if all_finite(residuals_at(address)):
        _correction(address, trial)
        correction = _size(trial, base_at(address), nominal_at(address), header[SIZE])
    rate = correction / size
    near = scalars_at(address)[DISTANCE] <= (NEAR_AFTER_DAMPING if header[DAMPED] else NEAR)
    full = damping == 1.0 and near
    if full and correction <= TOLERANCE:
        add(w, trial)
        return _finish(address)
    if rate <= 1.0 - 0.25 * damping:
        header[ITERATION] += 1
        if header[ITERATION] > MAX_ITERATIONS:
            return _begin_again(address, NO_CONVERGENCE)
        if not (full and rate < FAST):
            return _evaluate(header, AT_BASE, ASK_JACOBIAN)
        assign(step, trial)
        return _try_step(address, 1.0, scalars_at(address)[DISTANCE])
    if size <= ACCEPTABLE:
        assign(w, base_at(address))
        return _full_steps(address)
    damping *= 0.5 if rate > 2.0 else 0.25
    header[DAMPED] = 1
    if damping < _shortest(header):
        return _begin_again(address, NO_CONVERGENCE)
    return _try(address, damping)


@part
def _full_steps(address):  # type: ignore[no-untyped-def]
    """Go on with full steps from the present point."""
    header = header_at(address)
    header[ITERATION] = header[COUNT] = 0
    scalars_at(address)[BEST] = np.inf
    return _evaluate(header, FULL_STEPS, ASK_JACOBIAN)


@part
def _full_step(address):  # type: ignore[no-untyped-def]
    """Make the next full step from residuals and Jacobian, or end with the point of the smallest correction."""
    header = header_at(address)
    w, step, base = unknowns_at(address), step_at(address), base_at(address)
    best = scalars_at(address)[BEST]
    size = np.inf
    if _new_step(address) == 0:
        size = _size(step, w, nominal_at(address), header[SIZE])
    if not size <= 0.5 * best:
        header[COUNT] += 1
    if size < best:
        assign(base, w)
        scalars_at(address)[BEST] = best = size
    if best <= TOLERANCE:
        add(w, step)
        return _finish(address)
    header[ITERATION] += 1
    if size < np.inf and header[COUNT] <= MAX_STALLS and header[ITERATION] <= MAX_FULL_STEPS:
        add(w, step)
        return _evaluate(header, FULL_STEPS, ASK_JACOBIAN)
    if best <= ACCEPTABLE:
        assign(w, base)
        return _finish(address)
    return _begin_again(address, NO_CONVERGENCE)


@part
def _on_path(address):  # type: ignore[no-untyped-def]
    """Go on from a point of the path, or beside it, whose residuals and Jacobian are known."""
    header = header_at(address)
    if header[PHASE] == PATH_BEGINS:
        result = begin_path(address)
    else:
        result = correct_on_path(address, header[FREE] != 0 or header[SOLVED] == 0)
    if result == GOES_ON:
        return _evaluate(header, ON_PATH, ASK_JACOBIAN)
    return _full_steps(address) if result == ARRIVED else _begin_again(address, NO_CONVERGENCE)


@cfunc(types.int32(types.int64), cache=True, **WITHOUT_OBJECTS)
def newton(address):  # type: ignore[no-untyped-def]
    """Return one step on the record `NEWTON` of a block at ``address``. Returns a `Request`."""
    header = header_at(address)
    if header[PHASE] == BEGIN:
        return _begin(address)
    if header[PHASE] == AT_BASE:
        return _at_base(address)
    if header[PHASE] == AT_TRIAL:
        return _at_trial(address)
    return _full_step(address) if header[PHASE] == FULL_STEPS else _on_path(address)
