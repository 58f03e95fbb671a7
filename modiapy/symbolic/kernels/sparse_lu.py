"""LU factors of a sparse matrix whose structure stays, in columns.

`factorise_sparse` finds structure and pivots column by column (J. R. Gilbert, T. Peierls, Sparse partial pivoting in time
proportional to arithmetic operations, SIAM J. Sci. Stat. Comput. 9 (1988)); `refactorise_sparse` takes both from there, as
KLU does (T. A. Davis, E. Palamadai Natarajan, ACM TOMS 37 (2010)). Both allocate nothing: they work on the record of a system
(`sparse_memory.SPARSE`) at an address. Half of the dense matrix's place is for L, half for U: rows (as steps), then values,
both without the diagonal.
"""

from __future__ import annotations

from ...acausal.native import float64_array, int64_array, part
from ...acausal.native_layout import field_array
from .linear_iteration import address_of_matrix, column_scales_at, header_at, residuals_at, row_scales_at
from .linear_memory import EPSILON, SIZE
from .sparse_memory import SPARSE

REGULAR, BAD_PIVOT, NO_ROOM = 0, 1, 2

_PREFER_DIAGONAL = 0.1
"""The diagonal is taken as pivot if it is at least this part of the largest candidate."""

_KEEP_PIVOT = 1e-3
"""A pivot of an earlier matrix is kept if it is at least this part of the largest candidate."""

starts_at, rows_at, values_at, order_at = (field_array(SPARSE, name) for name in ("starts", "rows", "values", "order"))
places_at, stack_at, marks_at = (field_array(SPARSE, name) for name in ("places", "stack", "marks"))
lower_starts_at, upper_starts_at = field_array(SPARSE, "lower_starts"), field_array(SPARSE, "upper_starts")
diagonal_at, vector_at = field_array(SPARSE, "diagonal"), field_array(SPARSE, "vector")


@part
def _lower(address):  # type: ignore[no-untyped-def]
    """Return the rows and values of L."""
    n = header_at(address)[SIZE]
    room, first = n * n // 4, address_of_matrix(address)
    return int64_array(first, room), float64_array(first + 8 * room, room)


@part
def _upper(address):  # type: ignore[no-untyped-def]
    """Return the rows and values of U."""
    n = header_at(address)[SIZE]
    room, first = n * n // 4, address_of_matrix(address)
    return int64_array(first + 16 * room, room), float64_array(first + 24 * room, room)


@part
def _reach(row, k, place, l_start, l_rows, stack, mark, top, n):  # type: ignore[no-untyped-def]
    """Put the rows that ``row`` has an influence on, through finished columns of L, before ``top`` in topological order."""
    head = 0
    stack[0] = row
    while head >= 0:
        i = stack[head]
        j = place[i]
        if mark[i] != k:
            mark[i] = k
            stack[n + head] = 0 if j < 0 else l_start[j]
        done = True
        end = 0 if j < 0 else l_start[j + 1]
        for p in range(stack[n + head], end):
            below = l_rows[p]
            if mark[below] != k:
                stack[n + head] = p + 1
                head += 1
                stack[head] = below
                done = False
                break
        if done:
            head -= 1
            top -= 1
            stack[top] = i
    return top


@part
def _choose(column, k, place, stack, mark, top, x, n):  # type: ignore[no-untyped-def]
    """Return the row of the pivot; -1 if all candidates are zero."""
    pivot, largest = -1, 0.0
    for t in range(top, n):
        i = stack[t]
        if place[i] < 0 and abs(x[i]) > largest:
            pivot, largest = i, abs(x[i])
    if mark[column] == k and place[column] < 0 and abs(x[column]) >= _PREFER_DIAGONAL * largest > 0.0:
        return column
    return pivot


@part
def factorise_sparse(address):  # type: ignore[no-untyped-def]
    """Factorise with threshold pivoting.

    Returns:
        REGULAR, BAD_PIVOT (nothing but rounding error, see `linear_iteration.factorise`), or NO_ROOM for the factors.
    """
    starts, rows, values, order = starts_at(address), rows_at(address), values_at(address), order_at(address)
    (l_rows, l_values), (u_rows, u_values) = _lower(address), _upper(address)
    l_start, u_start, pivots = lower_starts_at(address), upper_starts_at(address), diagonal_at(address)
    place, stack, mark, x = places_at(address), stack_at(address), marks_at(address), vector_at(address)
    row_scale, column_scale, noise = row_scales_at(address), column_scales_at(address), residuals_at(address)
    n, n_l, n_u = order.size, 0, 0
    for i in range(n):
        place[i] = mark[i] = -1
    for k in range(n):
        column, top = order[k], n
        l_start[k], u_start[k] = n_l, n_u
        for p in range(starts[column], starts[column + 1]):
            if mark[rows[p]] != k:
                top = _reach(rows[p], k, place, l_start, l_rows, stack, mark, top, n)
        if n_l + n - top > l_rows.size or n_u + n - top > u_rows.size:
            return NO_ROOM
        for t in range(top, n):
            x[stack[t]] = 0.0
        for p in range(starts[column], starts[column + 1]):
            x[rows[p]] = values[p]
        for t in range(top, n):
            j = place[stack[t]]
            if j >= 0:
                factor = x[stack[t]]
                u_rows[n_u], u_values[n_u] = j, factor
                n_u += 1
                for p in range(l_start[j], l_start[j + 1]):
                    x[l_rows[p]] -= l_values[p] * factor
        i = _choose(column, k, place, stack, mark, top, x, n)
        if i < 0 or abs(x[i]) <= EPSILON * max(n * min(row_scale[i], column_scale[column]), 2.0 * noise[i]):
            return BAD_PIVOT
        pivots[k], place[i] = x[i], k
        for t in range(top, n):
            if place[stack[t]] < 0:
                l_rows[n_l], l_values[n_l] = stack[t], x[stack[t]] / pivots[k]
                n_l += 1
        l_start[k + 1] = n_l
    u_start[n] = n_u
    for p in range(n_l):
        l_rows[p] = place[l_rows[p]]
    return REGULAR


@part
def refactorise_sparse(address):  # type: ignore[no-untyped-def]
    """Factorise with structure and pivots of the last matrix, see `factorise_sparse`. False where a pivot is no longer good."""
    starts, rows, values, order = starts_at(address), rows_at(address), values_at(address), order_at(address)
    (l_rows, l_values), (u_rows, u_values) = _lower(address), _upper(address)
    l_start, u_start, pivots = lower_starts_at(address), upper_starts_at(address), diagonal_at(address)
    place, x = places_at(address), vector_at(address)
    row_scale, column_scale, noise = row_scales_at(address), column_scales_at(address), residuals_at(address)
    n = order.size
    for i in range(n):
        x[i] = 0.0
    for k in range(n):
        column, scale = order[k], 0.0
        for p in range(starts[column], starts[column + 1]):
            x[place[rows[p]]] = values[p]
            if place[rows[p]] == k:
                scale = max(n * min(row_scale[rows[p]], column_scale[column]), 2.0 * noise[rows[p]])
        for p in range(u_start[k], u_start[k + 1]):
            j = u_rows[p]
            factor = x[j]
            u_values[p], x[j] = factor, 0.0
            for q in range(l_start[j], l_start[j + 1]):
                x[l_rows[q]] -= l_values[q] * factor
        pivot, largest = x[k], 0.0
        x[k] = 0.0
        for p in range(l_start[k], l_start[k + 1]):
            largest = max(largest, abs(x[l_rows[p]]))
        if not abs(pivot) > max(_KEEP_PIVOT * largest, EPSILON * max(scale, n * column_scale[column])):
            return False
        pivots[k] = pivot
        for p in range(l_start[k], l_start[k + 1]):
            l_values[p] = x[l_rows[p]] / pivot
            x[l_rows[p]] = 0.0
    return True


@part
def substitute_sparse(address, v):  # type: ignore[no-untyped-def]
    """Solve with the factors: v becomes the solution of A x = v."""
    (l_rows, l_values), (u_rows, u_values) = _lower(address), _upper(address)
    l_start, u_start, pivots = lower_starts_at(address), upper_starts_at(address), diagonal_at(address)
    place, order, x = places_at(address), order_at(address), vector_at(address)
    n = order.size
    for i in range(n):
        x[place[i]] = v[i]
    for k in range(n):
        for p in range(l_start[k], l_start[k + 1]):
            x[l_rows[p]] -= l_values[p] * x[k]
    for k in range(n - 1, -1, -1):
        x[k] /= pivots[k]
        for p in range(u_start[k], u_start[k + 1]):
            x[u_rows[p]] -= u_values[p] * x[k]
        v[order[k]] = x[k]
