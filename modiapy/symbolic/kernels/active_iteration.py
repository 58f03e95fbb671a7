"""Linear iteration for systems of impulses, of which only a part acts at an event.

What may collide makes one system of equations, in which most unknowns are zero: ``F = 0`` where nothing touches. The right
side is zero at most times, and so is the solution then. Otherwise the unknowns that a row determines alone are substituted,
rows are grouped by the unknowns that they share, and of the groups only those with a right side are factorised together.
"""

from __future__ import annotations

from ...acausal.native import WITHOUT_OBJECTS, cfunc, int32_array, part, types
from ...acausal.native_layout import field_array
from . import linear_memory as memory
from .linear_iteration import (
    address_of_matrix,
    address_of_pivots,
    column_scales_at,
    factorise,
    factorise_lapack,
    header_at,
    matrix_at,
    pivots_at,
    residuals_at,
    right_side_at,
    row_scales_at,
    smallest_solution,
    substitute,
    substitute_lapack,
    unknowns_at,
)
from .linear_memory import ACTIVE

rows_at, places_at, sizes_at = (field_array(ACTIVE, name) for name in ("rows", "places", "sizes"))

_KNOWN = -1
"""Mark of a row or column that is out of the system."""


@part
def _substitute_known(a, b, w, rows, places, n):  # type: ignore[no-untyped-def]
    """Solve the rows of one unknown, one after the other; both are marked, and the right sides of the others follow."""
    again = True
    while again:
        again = False
        for i in range(n):
            if rows[i] == _KNOWN:
                continue
            found, count = -1, 0
            for j in range(n):
                if places[j] != _KNOWN and a[i * n + j] != 0.0:
                    found = j
                    count += 1
                    if count > 1:
                        break
            if count != 1:
                continue
            again = True
            w[found] = b[i] / a[i * n + found]
            rows[i] = places[found] = _KNOWN
            if w[found] != 0.0:
                for k in range(n):
                    if rows[k] != _KNOWN:
                        b[k] -= a[k * n + found] * w[found]


@part
def _drop_at_rest(a, b, w, rows, places, n):  # type: ignore[no-untyped-def]
    """Mark the groups of rows, joined by unknowns that they share, whose right sides are all zero: their unknowns are."""
    for i in range(n):
        if rows[i] != _KNOWN:
            rows[i] = 1 if b[i] != 0.0 else 0
    for j in range(n):
        if places[j] != _KNOWN:
            places[j] = 0
    again = True
    while again:  # what acts spreads from rows to their unknowns, and from these to their rows
        again = False
        for i in range(n):
            if rows[i] == 1:
                rows[i] = 2
                for j in range(n):
                    if places[j] == 0 and a[i * n + j] != 0.0:
                        places[j] = again = True
                        for k in range(n):
                            if rows[k] == 0 and a[k * n + j] != 0.0:
                                rows[k] = 1
    for i in range(n):
        if rows[i] == 0:
            rows[i] = _KNOWN
    for j in range(n):
        if places[j] == 0:
            places[j] = _KNOWN
            w[j] = 0.0


@part
def _compress(a, b, rows, places, scales, columns, r, n):  # type: ignore[no-untyped-def]
    """Move the rows and columns that are left to the front; ``places`` lists their columns. Return how many there are, -1 if
    there are not as many unknowns as rows.
    """
    m = 0
    for j in range(n):
        if places[j] != _KNOWN:
            places[m] = j
            columns[m] = columns[j]
            m += 1
    p = 0
    for i in range(n):
        if rows[i] == _KNOWN:
            continue
        if p == m:
            return -1
        for q in range(m):
            a[p * m + q] = a[i * n + places[q]]
        b[p], scales[p], r[p] = b[i], scales[i], r[i]
        p += 1
    return m if p == m else -1


@part
def _store_column(a, b, r, scales, columns, j, n):  # type: ignore[no-untyped-def]
    """Store column j of the matrix, of which the residuals r follow where unknown j is `PROBE`, and its magnitudes."""
    columns[j] = 0.0
    for i in range(n):
        value = (r[i] + b[i]) / memory.PROBE
        a[i * n + j] = value
        scales[i] = max(scales[i], abs(value))
        columns[j] = max(columns[j], abs(value))


@part
def _solve(address):  # type: ignore[no-untyped-def]
    """Solve what acts of a system whose matrix and right side are known; return the same as `active_iteration`."""
    header = header_at(address)
    n = header[memory.SIZE]
    w, r, b = unknowns_at(address), residuals_at(address), right_side_at(address)
    scales, columns, a = row_scales_at(address), column_scales_at(address), matrix_at(address)
    rows, places = rows_at(address), places_at(address)
    for i in range(n):
        rows[i] = places[i] = 0
        r[i] = abs(b[i]) / memory.PROBE
    _substitute_known(a, b, w, rows, places, n)
    _drop_at_rest(a, b, w, rows, places, n)
    m = _compress(a, b, rows, places, scales, columns, r, n)
    header[memory.ENTRIES] = max(header[memory.ENTRIES], m)
    if m <= 0:
        return memory.SOLVED if m == 0 else memory.STATUS_SINGULAR
    if header[memory.DEFICIENT] != 0:
        if not smallest_solution(a, b, r, sizes_at(address), scales, columns, m):
            return memory.STATUS_SINGULAR
    else:
        header[memory.FACTORISATIONS] += 1
        if m >= memory.LAPACK_SIZE and header[memory.LAPACK] != 0:
            places_of = address_of_matrix(address), address_of_pivots(address)
            regular = factorise_lapack(header[memory.LAPACK], *places_of, scales, columns, r, m)
        else:
            regular = factorise(a, pivots_at(address), scales, columns, r, m)
        if not regular:  # its factors have replaced the matrix, which is computed again
            header[memory.DEFICIENT], header[memory.PHASE] = 1, memory.COMPUTE_B
            for i in range(n):
                w[i] = 0.0
            return memory.ITERATE
        for i in range(m):
            r[i] = b[i]
        if m >= memory.LAPACK_SIZE and header[memory.LAPACK] != 0:
            substitute_lapack(a, int32_array(address_of_pivots(address), m), r, m)
        else:
            substitute(a, pivots_at(address), r, m)
    for i in range(m):
        w[places[i]] = r[i]
    return memory.SOLVED


@cfunc(types.int32(types.int64), cache=True, **WITHOUT_OBJECTS)
def active_iteration(address):  # type: ignore[no-untyped-def]
    """Return one step on the memory of a system at ``address``: ITERATE, SOLVED or STATUS_SINGULAR."""
    header = header_at(address)
    n = header[memory.SIZE]
    w, r, b = unknowns_at(address), residuals_at(address), right_side_at(address)
    scales, columns, a = row_scales_at(address), column_scales_at(address), matrix_at(address)

    phase = header[memory.PHASE]
    if phase == memory.BEGIN:
        for i in range(n):
            w[i] = 0.0
        header[memory.PHASE] = memory.COMPUTE_B
        header[memory.DEFICIENT] = 0
        return memory.ITERATE
    if phase == memory.COMPUTE_B:
        acts = False
        for i in range(n):
            b[i] = -r[i]
            acts = acts or r[i] != 0.0
            scales[i] = 0.0
        if not acts:
            return memory.SOLVED
        header[memory.COLUMN] = 0
        w[0] = memory.PROBE
        header[memory.PHASE] = memory.COMPUTE_A
        return memory.ITERATE

    j = header[memory.COLUMN]
    _store_column(a, b, r, scales, columns, j, n)
    w[j] = 0.0
    if j + 1 < n:
        header[memory.COLUMN] = j + 1
        w[j + 1] = memory.PROBE
        return memory.ITERATE
    return _solve(address)
