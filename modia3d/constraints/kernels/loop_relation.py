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
    n_e_of, n_cuts, row_start, tau_start, path_length = L.n_e, L.n_cuts, L.row_start, L.tau_start, L.path_length
    path_start, path, path_at, scaled, n_given = L.path_start, L.path, L.path_at, L.scaled, L.n_given
    B = L.B
    n_e = n_e_of
    for i in range(n_cuts):
        for r in range(row_start[i], row_start[i + 1]):
            at = tau_start[i] + (r - row_start[i]) * path_length[i]
            for e in range(path_start[i], path_start[i + 1]):
                body = path[e]
                if ints[body, ROLE] == PRESCRIBED:
                    continue
                k, here = ints[body, V_INDEX] - n_e, at + path_at[e]
                for j in range(V_SIZE[ints[body, KIND]]):
                    s = scaled[here + j]
                    if s != 0.0:
                        for given in range(n_given):
                            B[given, r] -= coupling[given, k + j] * s


@kernel
def reduce_prescribed(mass, bias, loops):
    """Eliminate the rows that passive joints can meet: `reduced`, and what they add to ``mass`` and ``bias``."""
    L = loop_arrays(loops)
    m_all, n_e_of, n_given, reduced, B = L.m, L.n_e, L.n_given, L.reduced, L.B
    rest, inverse = L.rest, L.inverse
    m, n_e, last = m_all, n_e_of, n_given
    for given in range(last):
        for r in range(m):
            reduced[given, r] = B[given, r]
        solve_forward(loops, reduced[given])
    for r in range(m):
        reduced[last, r] = rest[r]
    solve_forward(loops, reduced[last])
    for i in range(n_e):
        for r in range(m):
            s = reduced[i, r] * inverse[r]
            if s != 0.0:
                bias[i] += s * reduced[last, r]
                for j in range(n_e):
                    mass[i, j] += s * reduced[j, r]


@kernel
def factorise_mass(mass, loops):
    """``factor``: L with ``mass = L L^T``; 1 where a joint moves nothing that has inertia."""
    L = loop_arrays(loops)
    n_e, factor = L.n_e, L.factor
    for i in range(n_e):
        for j in range(i + 1):
            total = mass[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if j < i:
                factor[i, j] = total / factor[j, j]
            elif total > _NO_INERTIA * mass[i, i]:
                factor[i, i] = total**0.5
            else:
                factor[i, i] = mass[i, i] ** 0.5 if mass[i, i] > 0.0 else 1.0


@kernel
def is_left(row, loops):
    """Return whether a row remains for the prescribed joints; behind those of cuts there is one for each joint that is
    locked.
    """
    L = loop_arrays(loops)
    locked, m, inverse = L.locked, L.m, L.inverse
    return locked[row - m] != 0 if row >= m else inverse[row] == 0.0


@kernel
def size_left(row, loops):
    """Return how much of a row is new by geometry, relative to its reach."""
    L = loop_arrays(loops)
    n_e, spread, width, m, reach = L.n_e, L.spread, L.width, L.m, L.reach
    total = 0.0
    for i in range(n_e):
        total += spread[i, row] * spread[i, row]
    return total**0.5 * (width[row - m] if row >= m else 1.0 / reach[row])


@kernel
def take_locked_joints(loops):
    """Compute the rows of locked joints, behind those of cuts."""
    L = loop_arrays(loops)
    n_e, n_given, reduced, m = L.n_e, L.n_given, L.reduced, L.m
    for i in range(n_e):
        for k in range(n_given + 1):
            reduced[k, m + i] = 1.0 if k == i else 0.0


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
    n_e_of, m_all, n_given, reduced, factor = L.n_e, L.m, L.n_given, L.reduced, L.factor
    basis, offset, chosen_of, shares = L.basis, L.offset, L.chosen, L.shares
    n_e, m = n_e_of, m_all + n_e_of
    for row in range(m):
        if is_left(row, loops):
            for i in range(n_e):
                L.spread[i, row] = reduced[i, row] / L.width[i]
            for i in range(n_e):  # L^-1 of the row
                for k in range(i):
                    reduced[i, row] -= factor[i, k] * reduced[k, row]
                reduced[i, row] /= factor[i, i]
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
        chosen_of[rank], length = chosen, 0.0
        for k in range(rank):
            part = 0.0
            for i in range(n_e):
                part += reduced[i, chosen] * basis[k, i]
            shares[chosen, k] += part
            for i in range(n_e):
                reduced[i, chosen] -= part * basis[k, i]
            reduced[n_given, chosen] -= part * offset[k]
        for i in range(n_e):
            length += reduced[i, chosen] * reduced[i, chosen]
        length = length**0.5
        for i in range(n_e):
            basis[rank, i] = reduced[i, chosen] / length
        offset[rank] = reduced[n_given, chosen] / length
        for row in range(m):
            if is_left(row, loops):
                part = 0.0
                for i in range(n_e):
                    part += reduced[i, row] * basis[rank, i]
                shares[row, rank] = part
                for i in range(n_e):
                    reduced[i, row] -= part * basis[rank, i]
                reduced[n_given, row] -= part * offset[rank]
        rank += 1
    return rank


@kernel
def relation(rank, a, T, out, loops):
    """Compute ``L (P x + (1 - P) f + c)`` of accelerations ``a`` and forces ``T`` (n_e,)."""
    L = loop_arrays(loops)
    n_e, change, still_e, factor, offset, basis = L.n_e, L.change, L.still_e, L.factor, L.offset, L.basis
    for i in range(n_e):
        out[i] = T[i]
    if rank == 0:
        return
    x, f = change, still_e
    for i in range(n_e):
        x[i] = 0.0
        for k in range(i, n_e):
            x[i] += factor[k, i] * a[k]
        f[i] = T[i]
        for k in range(i):
            f[i] -= factor[i, k] * f[k]
        f[i] /= factor[i, i]
    for r in range(rank):
        part = offset[r]
        for i in range(n_e):
            part += basis[r, i] * (x[i] - f[i])
        for i in range(n_e):
            step = basis[r, i] * part
            for k in range(i, n_e):
                out[k] += factor[k, i] * step


@kernel
def _demand(given, loops):
    """Compute what the rows that passive joints meet demand, minus the rates that they have for given values."""
    L = loop_arrays(loops)
    m, inverse, reduced, n_given, multipliers = L.m, L.inverse, L.reduced, L.n_given, L.multipliers
    for r in range(m):
        total = 0.0
        if inverse[r] != 0.0:
            total = reduced[n_given, r]
            for k in range(n_given):
                total += reduced[k, r] * given[k]
        multipliers[r] = -total


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
    m, n_e, inverse, multipliers = L.m, L.n_e, L.inverse, L.multipliers
    factor, basis, shares, chosen, f, of_chosen = L.factor, L.basis, L.shares, L.chosen, L.still_e, L.change
    rank, first, start_of, matrix, filled, count = L.rank[0], L.first_filled, L.start, L.matrix, L.filled, L.n_filled[0]
    _demand(given, loops)
    for r in range(m):
        multipliers[r] *= inverse[r]
    for i in range(n_e):
        f[i] = T[i]
        for k in range(i):
            f[i] -= factor[i, k] * f[k]
        f[i] /= factor[i, i]
    for step in range(rank):
        r = rank - 1 - step
        total = 0.0
        for i in range(n_e):
            total += basis[r, i] * f[i]
        for later in range(r + 1, rank):
            total -= shares[chosen[later], r] * of_chosen[later]
        of_chosen[r] = total / shares[chosen[r], r]
        if chosen[r] < m:
            multipliers[chosen[r]] = of_chosen[r]
    for step in range(count):
        a = count - 1 - step
        i = filled[a]
        for b in range(first[i], a):
            multipliers[filled[b]] -= matrix[start_of[i] + filled[b]] * multipliers[i]
