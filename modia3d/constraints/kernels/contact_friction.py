"""Multipliers of contacts at rest: those of least norm, and friction of those that slide.

`find_multipliers` has given redundant rows none. What they may be given besides are null vectors of the rows, of which
`find_freedoms` makes an orthonormal basis from the factors; `take_freedoms` takes their part away: of a box on a plane all four
corners bear what a soft floor would let them.

Where a contact slides, the multiplier of its normal brings ``mu`` times as much against the slip. A unit of friction
changes the multipliers of the rows that are kept by a vector X, found with the same factors; so the normal ones f obey the
small system ``f_i + sum_k X_k[i] mu_k f_k = f_i0``, which is not symmetric. Where its determinant, which is 1 without friction,
vanishes friction jams the contact (Painleve 1895).
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.layout import KIND, V_INDEX
from modia3d.dynamics.basics.spatial import kernel
from modia3d.dynamics.joints.kinds import V_SIZE

from ..tables.cut_table import FRICTION
from .loop_arrays import loop_arrays
from .loop_factors import solve_backward, solve_forward

_NOTHING = 1e-12


@kernel
def take_freedoms(loops, count, x):
    """Make multipliers ``x`` (m,) those of least norm."""
    L = loop_arrays(loops)
    for c in range(count):
        part = 0.0
        for k in range(L.m):
            part += L.freedoms[c, k] * x[k]
        for k in range(L.m):
            x[k] -= part * L.freedoms[c, k]


@kernel
def find_freedoms(loops):
    """Return `freedoms` of redundant rows of contacts; their number."""
    L = loop_arrays(loops)
    first, start, matrix, inverse, off, empty = L.first, L.start, L.matrix, L.inverse, L.off, L.empty
    count = 0
    for r in range(L.m):
        if L.of_contact[r] == 0 or off[r] != 0 or empty[r] != 0 or inverse[r] != 0.0:
            continue
        x = L.freedoms[count]
        for k in range(L.m):
            x[k] = 0.0
        x[r] = 1.0
        for step in range(r + 1):
            j = r - step
            if x[j] == 0.0:
                continue
            for k in range(first[j], j):
                if inverse[k] != 0.0:
                    x[k] -= matrix[start[j] + k] * x[j]
        total = 0.0
        for _ in range(2):
            take_freedoms(loops, count, x)
            total = 0.0
            for k in range(L.m):
                total += x[k] * x[k]
        if total > _NOTHING:
            for k in range(L.m):
                x[k] /= total**0.5
            count += 1
    return count


@kernel
def respond_to_row(ints, loops, i, row, x):
    """Compute ``x``: by how much the multipliers of rows that are kept change for a unit force along a ``row``, of cut
    ``i``.
    """
    L = loop_arrays(loops)
    path_start, path, path_at, tau, scaled, moved = L.path_start, L.path, L.path_at, L.tau, L.scaled, L.change
    at = L.tau_start[i] + (row - L.row_start[i]) * L.path_length[i]
    for k in range(L.n_v):
        moved[k] = 0.0
    for e in range(path_start[i], path_start[i + 1]):
        k = ints[path[e], V_INDEX]
        for j in range(V_SIZE[ints[path[e], KIND]]):
            moved[k + j] = scaled[at + path_at[e] + j]
    for other in range(L.n_cuts):
        length = L.path_length[other]
        for r in range(L.row_start[other], L.row_start[other + 1]):
            x[r] = 0.0
            if L.inverse[r] == 0.0:
                continue
            here = L.tau_start[other] + (r - L.row_start[other]) * length
            for e in range(path_start[other], path_start[other + 1]):
                k = ints[path[e], V_INDEX]
                for j in range(V_SIZE[ints[path[e], KIND]]):
                    x[r] -= moved[k + j] * tau[here + path_at[e] + j]
    solve_forward(loops, x)
    solve_backward(loops, x)


@kernel
def solve_small(A, n):
    """Return the solution of n equations in the last column of A (n, n + 1), in place; the determinant."""
    determinant = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            determinant = -determinant
            for j in range(n + 1):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        pivot = A[k, k]
        determinant *= pivot
        if abs(pivot) < 1e-9:
            pivot = 1e-9 if pivot >= 0.0 else -1e-9
        for i in range(n):
            if i != k:
                factor = A[i, k] / pivot
                for j in range(k, n + 1):
                    A[i, j] -= factor * A[k, j]
        for j in range(k + 1, n + 1):
            A[k, j] /= pivot
    return determinant


@kernel
def rub(ints, loops):
    """Compute the multipliers of contacts from those of rows that were needed, with friction of what slides; after
    `find_multipliers`. Without contacts there is nothing to do.
    """
    L = loop_arrays(loops)
    if L.n_freedoms == 0:
        return
    n, sliding, cut_of, cuts, multipliers = L.n_sliding, L.sliding, L.sliding_cut, L.cuts, L.multipliers
    count = find_freedoms(loops)
    take_freedoms(loops, count, multipliers)
    L.determinant[0] = 1.0
    if n == 0:
        return
    for k in range(n):
        respond_to_row(ints, loops, cut_of[k], sliding[k], L.rubbed[k])
        take_freedoms(loops, count, L.rubbed[k])
    for i in range(n):
        normal = sliding[i] - 1
        for k in range(n):
            L.jamming[i, k] = L.rubbed[k, normal] * cuts[cut_of[k], FRICTION]
        L.jamming[i, i] += 1.0
        L.jamming[i, n] = multipliers[normal]
    L.determinant[0] = solve_small(L.jamming, n)
    for k in range(n):
        friction = -cuts[cut_of[k], FRICTION] * L.jamming[k, n]
        for r in range(L.m):
            multipliers[r] += friction * L.rubbed[k, r]
    for k in range(n):
        multipliers[sliding[k]] = -cuts[cut_of[k], FRICTION] * L.jamming[k, n]
