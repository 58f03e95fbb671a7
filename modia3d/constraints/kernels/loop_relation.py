"""Relation of fixed size that rows leave to the prescribed joints, affine in their accelerations and constraint forces.

Passive joints are eliminated first: rows that they can meet have their multipliers there (`reduce_prescribed`). The others,
and joints that are locked, remain as rows ``Y x = -g`` on ``x = L^T a`` with ``M_e = L L^T``. With the orthogonal projector P
on the span of Y, and ``f = L^-1 T`` of the constraint forces T, the relation is ``P x + (1 - P) f = -c``: one equation for each
joint whatever the rank, which is ``T = 0`` without rows. In the metric of the mass matrix its condition does not depend on
units.

Given values are the accelerations of prescribed joints, and minus the force signals behind them. The rows that are left do not
depend on these: a signal moves passive joints, and of a row that they feel nothing new of, nothing is left when the others are
eliminated (what the signal does to row i is a product with its new part, whose square is the pivot).
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.layout import KIND, PRESCRIBED, ROLE, V_INDEX
from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.tolerances import AS_LARGE, TOLERANCE
from .loop_arrays import loop_arrays
from .loop_factors import solve_backward, solve_forward

_NO_INERTIA = 1e-12
"""Part of an element of the mass matrix that must be left as a pivot; the metric is free where there is no inertia."""


@kernel
def give_way(ints, coupling, loops):
    """Make of ``B``, which has what prescribed joints feel of the multipliers, the rates of the rows for given values.

    ``coupling`` (n_given, passive speeds) is what passive joints feel of each given value.
    """
    L = loop_arrays(loops)
    for i in range(L.n_cuts):
        for r in range(L.row_start[i], L.row_start[i + 1]):
            at = L.tau_start[i] + (r - L.row_start[i]) * L.path_length[i]
            for e in range(L.path_start[i], L.path_start[i + 1]):
                body = L.path[e]
                if ints[body, ROLE] == PRESCRIBED:
                    continue
                k, here = ints[body, V_INDEX] - L.n_e, at + L.path_at[e]
                for j in range(V_SIZE[ints[body, KIND]]):
                    s = L.scaled[here + j]
                    if s != 0.0:
                        for given in range(L.n_given):
                            L.B[given, r] -= coupling[given, k + j] * s


@kernel
def reduce_prescribed(mass, bias, loops):
    """Eliminate the rows that passive joints can meet: `reduced`, and what they add to ``mass`` and ``bias``."""
    L = loop_arrays(loops)
    for given in range(L.n_given):
        for r in range(L.m):
            L.reduced[given, r] = L.B[given, r]
        solve_forward(loops, L.reduced[given])
    for r in range(L.m):
        L.reduced[L.n_given, r] = L.rest[r]
    solve_forward(loops, L.reduced[L.n_given])
    for i in range(L.n_e):
        for r in range(L.m):
            s = L.reduced[i, r] * L.inverse[r]
            if s != 0.0:
                bias[i] += s * L.reduced[L.n_given, r]
                for j in range(L.n_e):
                    mass[i, j] += s * L.reduced[j, r]


@kernel
def factorise_mass(mass, loops):
    """``factor``: L with ``mass = L L^T``; 1 where a joint moves nothing that has inertia."""
    L = loop_arrays(loops)
    for i in range(L.n_e):
        for j in range(i + 1):
            total = mass[i, j]
            for k in range(j):
                total -= L.factor[i, k] * L.factor[j, k]
            if j < i:
                L.factor[i, j] = total / L.factor[j, j]
            elif total > _NO_INERTIA * mass[i, i]:
                L.factor[i, i] = total**0.5
            else:
                L.factor[i, i] = mass[i, i] ** 0.5 if mass[i, i] > 0.0 else 1.0


@kernel
def is_left(row, loops):
    """Return whether a row remains for the prescribed joints; behind those of cuts there is one for each joint that is
    locked.
    """
    L = loop_arrays(loops)
    return L.locked[row - L.m] != 0 if row >= L.m else L.inverse[row] == 0.0


@kernel
def size_left(row, loops):
    """Return how much of a row is new by geometry, relative to its reach."""
    L = loop_arrays(loops)
    total = 0.0
    for i in range(L.n_e):
        total += L.spread[i, row] * L.spread[i, row]
    return total**0.5 * (L.width[row - L.m] if row >= L.m else 1.0 / L.reach[row])


@kernel
def take_locked_joints(loops):
    """Compute the rows of locked joints, behind those of cuts."""
    L = loop_arrays(loops)
    for i in range(L.n_e):
        for k in range(L.n_given + 1):
            L.reduced[k, L.m + i] = 1.0 if k == i else 0.0


@kernel
def spread_along(chosen, loops):
    """Take away from `spread` of the rows that are left what they have along a chosen one."""
    L = loop_arrays(loops)
    n_e, spread, total = L.n_e, L.spread, 0.0
    for i in range(n_e):
        total += spread[i, chosen] * spread[i, chosen]
    for row in range(L.m + n_e):
        if row != chosen and is_left(row, loops):
            part = 0.0
            for i in range(n_e):
                part += spread[i, row] * spread[i, chosen]
            for i in range(n_e):
                spread[i, row] -= part / total * spread[i, chosen]
    for i in range(n_e):
        spread[i, chosen] = 0.0


@kernel
def find_basis(loops):
    """Return `basis`, its ``offset``, and its size, from the rows that are left (Gram-Schmidt, by geometry the largest next).

    Direction k is that of row ``chosen[k]``, made orthogonal twice; `shares` are the parts of each row along these directions.
    """
    L = loop_arrays(loops)
    n_e, m = L.n_e, L.m + L.n_e
    for row in range(m):
        if is_left(row, loops):
            for i in range(n_e):
                L.spread[i, row] = L.reduced[i, row] / L.width[i]
            for i in range(n_e):  # L^-1 of the row
                for k in range(i):
                    L.reduced[i, row] -= L.factor[i, k] * L.reduced[k, row]
                L.reduced[i, row] /= L.factor[i, i]
    rank = 0
    while rank < n_e:
        best, chosen = TOLERANCE, -1
        for row in range(m):
            if is_left(row, loops):
                new = size_left(row, loops)
                if new * (1.0 - AS_LARGE) > best:
                    best, chosen = new, row
        if chosen < 0:
            break
        spread_along(chosen, loops)
        L.chosen[rank], length = chosen, 0.0
        for k in range(rank):
            part = 0.0
            for i in range(n_e):
                part += L.reduced[i, chosen] * L.basis[k, i]
            L.shares[chosen, k] += part
            for i in range(n_e):
                L.reduced[i, chosen] -= part * L.basis[k, i]
            L.reduced[L.n_given, chosen] -= part * L.offset[k]
        for i in range(n_e):
            length += L.reduced[i, chosen] * L.reduced[i, chosen]
        length = length**0.5
        for i in range(n_e):
            L.basis[rank, i] = L.reduced[i, chosen] / length
        L.offset[rank] = L.reduced[L.n_given, chosen] / length
        for row in range(m):
            if is_left(row, loops):
                part = 0.0
                for i in range(n_e):
                    part += L.reduced[i, row] * L.basis[rank, i]
                L.shares[row, rank] = part
                for i in range(n_e):
                    L.reduced[i, row] -= part * L.basis[rank, i]
                L.reduced[L.n_given, row] -= part * L.offset[rank]
        rank += 1
    return rank


@kernel
def relation(rank, a, T, out, loops):
    """Compute ``L (P x + (1 - P) f + c)`` of accelerations ``a`` and forces ``T`` (n_e,)."""
    L = loop_arrays(loops)
    for i in range(L.n_e):
        out[i] = T[i]
    if rank == 0:
        return
    for i in range(L.n_e):
        L.change[i] = 0.0
        for k in range(i, L.n_e):
            L.change[i] += L.factor[k, i] * a[k]
        L.still_e[i] = T[i]
        for k in range(i):
            L.still_e[i] -= L.factor[i, k] * L.still_e[k]
        L.still_e[i] /= L.factor[i, i]
    for r in range(rank):
        part = L.offset[r]
        for i in range(L.n_e):
            part += L.basis[r, i] * (L.change[i] - L.still_e[i])
        for i in range(L.n_e):
            step = L.basis[r, i] * part
            for k in range(i, L.n_e):
                out[k] += L.factor[k, i] * step


@kernel
def _demand(given, loops):
    """Compute what the rows that passive joints meet demand, minus the rates that they have for given values."""
    L = loop_arrays(loops)
    for r in range(L.m):
        total = 0.0
        if L.inverse[r] != 0.0:
            total = L.reduced[L.n_given, r]
            for k in range(L.n_given):
                total += L.reduced[k, r] * given[k]
        L.multipliers[r] = -total


@kernel
def find_multipliers(given, loops):
    """Compute the multipliers of rows that passive joints meet, for given values."""
    _demand(given, loops)
    solve_backward(loops, loop_arrays(loops).multipliers)


@kernel
def find_all_multipliers(given, T, loops):
    """Compute `find_multipliers`, and those of the rows left to the prescribed joints, by their constraint forces ``T`` (n_e,).

    Of rows that depend on one another only `chosen` ones have a multiplier.
    """
    L = loop_arrays(loops)
    rank, first, start_of, matrix, filled, count = L.rank[0], L.first_filled, L.start, L.matrix, L.filled, L.n_filled[0]
    _demand(given, loops)
    for r in range(L.m):
        L.multipliers[r] *= L.inverse[r]
    for i in range(L.n_e):
        L.still_e[i] = T[i]
        for k in range(i):
            L.still_e[i] -= L.factor[i, k] * L.still_e[k]
        L.still_e[i] /= L.factor[i, i]
    for step in range(rank):
        r = rank - 1 - step
        total = 0.0
        for i in range(L.n_e):
            total += L.basis[r, i] * L.still_e[i]
        for later in range(r + 1, rank):
            total -= L.shares[L.chosen[later], r] * L.change[later]
        L.change[r] = total / L.shares[L.chosen[r], r]
        if L.chosen[r] < L.m:
            L.multipliers[L.chosen[r]] = L.change[r]
    for step in range(count):
        a = count - 1 - step
        i = filled[a]
        for b in range(first[i], a):
            L.multipliers[filled[b]] -= matrix[start_of[i] + filled[b]] * L.multipliers[i]
