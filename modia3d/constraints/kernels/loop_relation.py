"""What rows leave to the prescribed joints: an affine relation of fixed size between their accelerations and constraint forces.

Passive joints are eliminated first: rows that they can meet have their multipliers there (`reduce_prescribed`). The others,
and joints that are locked, remain as rows ``Y x = -g`` on ``x = L^T a`` with ``M_e = L L^T``. With the orthogonal projector P
on the span of Y, and ``f = L^-1 T`` of the constraint forces T, the relation is ``P x + (1 - P) f = -c``: one equation for each
joint whatever the rank, which is ``T = 0`` without rows. In the metric of the mass matrix its condition does not depend on
units.

Given values are the accelerations of prescribed joints, and minus the force signals behind them.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.layout import KIND, PRESCRIBED, ROLE, V_INDEX
from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.tolerances import AS_LARGE, TOLERANCE
from .loop_arrays import loop_arrays
from .loop_matrix import solve_backward, solve_forward

_NO_INERTIA = 1e-12
"""Part of an element of the mass matrix that must be left as a pivot; the metric is free where there is no inertia."""


@kernel
def give_way(ints, coupling, loops):
    """Make of ``B``, which has what prescribed joints feel of the multipliers, the rates of the rows for given values.

    ``coupling`` (n_given, passive speeds) is what passive joints feel of each given value.
    """
    L = loop_arrays(loops)
    n_e = L.n_e
    for i in range(L.n_cuts):
        for r in range(L.row_start[i], L.row_start[i + 1]):
            at = L.felt_start[i] + (r - L.row_start[i]) * L.path_length[i]
            for e in range(L.path_start[i], L.path_start[i + 1]):
                body = L.path[e]
                if ints[body, ROLE] == PRESCRIBED:
                    continue
                k, here = ints[body, V_INDEX] - n_e, at + L.path_at[e]
                for j in range(V_SIZE[ints[body, KIND]]):
                    s = L.scaled[here + j]
                    if s != 0.0:
                        for given in range(L.n_given):
                            L.B[given, r] -= coupling[given, k + j] * s


@kernel
def reduce_prescribed(mass, bias, loops):
    """Eliminate the rows that passive joints can meet: `reduced`, and what they add to ``mass`` and ``bias``."""
    L = loop_arrays(loops)
    m, n_e, last = L.m, L.n_e, L.n_given
    for given in range(last):
        for r in range(m):
            L.reduced[given, r] = L.B[given, r]
        solve_forward(loops, L.reduced[given])
    for r in range(m):
        L.reduced[last, r] = L.rest[r]
    solve_forward(loops, L.reduced[last])
    for i in range(n_e):
        for r in range(m):
            s = L.reduced[i, r] * L.inverse[r]
            if s != 0.0:
                bias[i] += s * L.reduced[last, r]
                for j in range(n_e):
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
    """Whether a row remains for the prescribed joints; behind those of cuts there is one for each joint that is locked."""
    L = loop_arrays(loops)
    return L.held[row - L.m] != 0 if row >= L.m else L.inverse[row] == 0.0


@kernel
def size_left(row, loops):
    """How much of a row is new, relative to its size."""
    L = loop_arrays(loops)
    total = 0.0
    for i in range(L.n_e):
        total += L.reduced[i, row] * L.reduced[i, row]
    return total**0.5 / (L.own[row - L.m] if row >= L.m else L.size[row])


@kernel
def take_locked_joints(loops):
    """The rows of locked joints, behind those of cuts."""
    L = loop_arrays(loops)
    for i in range(L.n_e):
        for k in range(L.n_given + 1):
            L.reduced[k, L.m + i] = 1.0 if k == i else 0.0


@kernel
def find_basis(loops):
    """`basis`, its ``offset`` for given values, and its size, from the rows that are left (Gram-Schmidt, the largest next)."""
    L = loop_arrays(loops)
    n_e, m, behind = L.n_e, L.m + L.n_e, L.n_given + 1 - L.n_e
    for row in range(m):
        if is_left(row, loops):
            total = 0.0
            for i in range(n_e):  # L^-1 of the row
                for k in range(i):
                    L.reduced[i, row] -= L.factor[i, k] * L.reduced[k, row]
                L.reduced[i, row] /= L.factor[i, i]
                total += L.reduced[i, row] * L.reduced[i, row]
            if row >= L.m:
                L.own[row - L.m] = total**0.5
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
        length = 0.0
        for i in range(n_e):
            length += L.reduced[i, chosen] * L.reduced[i, chosen]
        length = length**0.5
        for i in range(n_e):
            L.basis[rank, i] = L.reduced[i, chosen] / length
        for k in range(behind):
            L.offset[rank, k] = L.reduced[n_e + k, chosen] / length
        for row in range(m):
            if is_left(row, loops):
                part = 0.0
                for i in range(n_e):
                    part += L.reduced[i, row] * L.basis[rank, i]
                for i in range(n_e):
                    L.reduced[i, row] -= part * L.basis[rank, i]
                for k in range(behind):
                    L.reduced[n_e + k, row] -= part * L.offset[rank, k]
        rank += 1
    return rank


@kernel
def relation(rank, a, T, behind, out, loops):
    """``L (P x + (1 - P) f + c)`` of accelerations ``a`` and forces ``T`` (n_e,), with the other given values behind them."""
    L = loop_arrays(loops)
    n_e = L.n_e
    for i in range(n_e):
        out[i] = T[i]
    if rank == 0:
        return
    x, f = L.change, L.still_e
    for i in range(n_e):
        x[i] = 0.0
        for k in range(i, n_e):
            x[i] += L.factor[k, i] * a[k]
        f[i] = T[i]
        for k in range(i):
            f[i] -= L.factor[i, k] * f[k]
        f[i] /= L.factor[i, i]
    for r in range(rank):
        part = L.offset[r, L.n_given - n_e]
        for k in range(L.n_given - n_e):
            part += L.offset[r, k] * behind[k]
        for i in range(n_e):
            part += L.basis[r, i] * (x[i] - f[i])
        for i in range(n_e):
            step = L.basis[r, i] * part
            for k in range(i, n_e):
                out[k] += L.factor[k, i] * step


@kernel
def find_multipliers(given, first, loops):
    """The multipliers of rows that passive joints meet, for given values ``given[first:]``."""
    L = loop_arrays(loops)
    for r in range(L.m):
        total = 0.0
        if L.inverse[r] != 0.0:
            total = L.reduced[L.n_given, r]
            for k in range(L.n_given):
                total += L.reduced[k, r] * given[first + k]
        L.multipliers[r] = -total
    solve_backward(loops, L.multipliers)
