"""LU factors of a sparse matrix ``1 - gamma*J`` with pivots on its diagonal, in an order in which few entries are added.

With the pivots on the diagonal the order follows from the structure alone: the unknown with the fewest neighbours is eliminated
first (minimum degree: A. George, J. W. H. Liu, The evolution of the minimum degree ordering algorithm, SIAM Review 31 (1989)),
together with those that have the same ones then. Neighbours are bits. Entries that are zero, of what does not touch now,
are none: there is a new order where one that was zero is so no longer, or where many have become zero.

L and U have the same structure, that of the matrix and its transpose. Column k of L and row k of U are computed together from
those before that have an entry there (W. F. Tinney, J. W. Walker, Direct solutions of sparse network equations by optimally
ordered triangular factorization, Proc. IEEE 55 (1967); lists of these as in sparse Cholesky factorisation).

Nothing is allocated: all functions work on a record `diagonal_memory.DIAGONAL` at an address.
"""

from __future__ import annotations

from ...acausal.native import WITHOUT_OBJECTS, njit, part, types
from ...acausal.native_layout import record
from .diagonal_memory import DIAGONAL, N_FACTORS, N_KNOWN, WORD

factors_at = record(DIAGONAL)

_FEWER = 0.75
"""There is a new order where fewer than this part of the entries that had one are left."""


@part
def count_bits(word):  # type: ignore[no-untyped-def]
    """Number of bits of a word."""
    word -= (word >> 1) & 0x5555555555555555
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (word * 0x0101010101010101) >> 56


@part
def _join(bits, width, i, j):  # type: ignore[no-untyped-def]
    """Make i a neighbour of j."""
    bits[i * width + j // WORD] |= 1 << (j % WORD)


@part
def _leave(bits, width, i, j):  # type: ignore[no-untyped-def]
    """Make i no neighbour of j."""
    bits[i * width + j // WORD] &= ~(1 << (j % WORD))


@part
def _degree(bits, width, i):  # type: ignore[no-untyped-def]
    """Number of neighbours of i, itself included."""
    total = 0
    for w in range(i * width, (i + 1) * width):
        if bits[w] != 0:
            total += count_bits(bits[w])
    return total


@part
def _add_neighbours(bits, width, i, j):  # type: ignore[no-untyped-def]
    """Make the neighbours of j those of i, too; how many are new."""
    new = 0
    for w in range(width):
        more = bits[j * width + w] & ~bits[i * width + w]
        if more != 0:
            bits[i * width + w] |= more
            new += count_bits(more)
    return new


@part
def _make_graph(address, all_entries):  # type: ignore[no-untyped-def]
    """Write who is whose neighbour, and how many each has; only by entries that are not zero, unless all are wanted."""
    r = factors_at(address)
    starts, rows, values, bits, degree, n = r.starts, r.rows, r.values, r.bits, r.degree, r.n
    width = r.n_bits // n
    for w in range(r.n_bits):
        bits[w] = 0
    for j in range(n):
        _join(bits, width, j, j)
        for e in range(starts[j], starts[j + 1]):
            if all_entries or values[e] != 0.0:
                _join(bits, width, rows[e], j)
                _join(bits, width, j, rows[e])
    for i in range(n):
        degree[i] = _degree(bits, width, i)


@part
def _write_neighbours(bits, width, i, below, count, room):  # type: ignore[no-untyped-def]
    """Write the neighbours of i but itself, as far as there is room; how many numbers there are then."""
    for w in range(width):
        word = bits[i * width + w]
        while word != 0:
            lowest = word & -word
            j = w * WORD + count_bits(lowest - 1)
            word ^= lowest
            if j != i:
                if count < room:
                    below[count] = j
                count += 1
    return count


@part
def _eliminate(address):  # type: ignore[no-untyped-def]
    """Find the order: ``order``, ``begins``, and unknowns (not yet steps) in ``below`` as far as there is room.

    Returns:
        How many numbers L has below its diagonal.
    """
    r = factors_at(address)
    bits, degree, order, begins, below, alike, n = r.bits, r.degree, r.order, r.begins, r.below, r.first, r.n
    width, k, count = r.n_bits // n, 0, 0
    while k < n:
        pivot, least = -1, n + 1
        for i in range(n):
            if 0 <= degree[i] < least:
                pivot, least = i, degree[i]
        row = pivot * width
        n_alike = 0
        for w in range(width):
            word = bits[row + w]
            while word != 0:
                lowest = word & -word
                i = w * WORD + count_bits(lowest - 1)
                word ^= lowest
                if i != pivot:
                    degree[i] += _add_neighbours(bits, width, i, pivot)
                    if degree[i] == least:
                        alike[n_alike] = i
                        n_alike += 1
        alike[n_alike] = pivot
        for m in range(n_alike, -1, -1):  # the pivot, and those that have the same neighbours now
            i = alike[m]
            order[k], begins[k], degree[i] = i, count, -1
            count = _write_neighbours(bits, width, i, below, count, below.size)
            for w in range(width):
                word = bits[i * width + w]
                while word != 0:
                    lowest = word & -word
                    j = w * WORD + count_bits(lowest - 1)
                    word ^= lowest
                    if j != i:
                        _leave(bits, width, j, i)
                        degree[j] -= 1
            k += 1
    begins[n] = count
    return count


@part
def _sort(address):  # type: ignore[no-untyped-def]
    """Sort the columns of L: unknowns become steps, ascending in each: by steps first, then by columns."""
    r = factors_at(address)
    begins, below, step, scratch, ends, n = r.begins, r.below, r.step, r.sorted, r.at, r.n
    for k in range(n):
        step[r.order[k]] = k
        ends[k] = 0
    for p in range(begins[n]):
        below[p] = step[below[p]]
        ends[below[p]] += 1
    total = 0
    for k in range(n):
        total += ends[k]
        ends[k] = total - ends[k]
    for k in range(n):
        for p in range(begins[k], begins[k + 1]):
            scratch[ends[below[p]]] = k
            ends[below[p]] += 1
    for k in range(n):
        r.first[k] = begins[k]
    begin = 0
    for k in range(n):
        for p in range(begin, ends[k]):
            column = scratch[p]
            below[r.first[column]] = k
            r.first[column] += 1
        begin = ends[k]


@part
def _find(below, begin, end, k):  # type: ignore[no-untyped-def]
    """Return the place of k in ascending numbers."""
    while begin < end - 1:
        middle = (begin + end) // 2
        if below[middle] <= k:
            begin = middle
        else:
            end = middle
    return begin


@part
def _aim(address, all_entries):  # type: ignore[no-untyped-def]
    """Write where each entry stands in the factors, and how many do."""
    r = factors_at(address)
    starts, rows, values, step, begins, below, targets = r.starts, r.rows, r.values, r.step, r.begins, r.below, r.targets
    room, known = r.room, 0
    for j in range(r.n):
        for e in range(starts[j], starts[j + 1]):
            targets[e] = -1
            if all_entries or values[e] != 0.0:
                row, column = step[rows[e]], step[j]
                known += 1
                if row == column:
                    targets[e] = 2 * room + row
                elif row > column:
                    targets[e] = _find(below, begins[column], begins[column + 1], row)
                else:
                    targets[e] = room + _find(below, begins[row], begins[row + 1], column)
    r.state[N_KNOWN], r.state[N_FACTORS] = known, begins[r.n]


@part
def _arrange(address):  # type: ignore[no-untyped-def]
    """Choose an order for the entries that are not zero now."""
    r = factors_at(address)
    values, targets, used = r.values, r.targets, 0
    known = r.state[N_KNOWN]
    fits = known > 0
    for e in range(values.size):
        if values[e] != 0.0:
            used += 1
            if targets[e] < 0:
                fits = False
    if fits and used >= _FEWER * known:
        return
    all_entries = False
    _make_graph(address, all_entries)
    if _eliminate(address) > r.room:
        all_entries = True
        _make_graph(address, all_entries)
        _eliminate(address)
    _sort(address)
    _aim(address, all_entries)


@njit(types.UniTuple(types.int64, 2)(types.int64), cache=True, **WITHOUT_OBJECTS)
def effort(address):  # type: ignore[no-untyped-def]
    """Return how many numbers L has below its diagonal, and the multiplications of both factors, for a matrix without zeros."""
    _make_graph(address, True)
    count = _eliminate(address)
    r, total = factors_at(address), 0
    begins = r.begins
    for k in range(r.n):
        total += (begins[k + 1] - begins[k]) ** 2
    return count, total


@part
def _take_values(address):  # type: ignore[no-untyped-def]
    """Write the matrix where its factors will be."""
    r = factors_at(address)
    values, targets, factors, room, gamma = r.values, r.targets, r.factors, r.room, r.gamma[0]
    used = r.state[N_FACTORS]
    for p in range(used):
        factors[p] = factors[room + p] = 0.0
    for k in range(r.n):
        factors[2 * room + k] = 1.0
    for e in range(values.size):
        if targets[e] >= 0:
            factors[targets[e]] -= gamma * values[e]


@part
def _divide(address):  # type: ignore[no-untyped-def]
    """Compute the factors in the place of the matrix; whether all pivots are good for something."""
    r = factors_at(address)
    begins, below, factors, room, n = r.begins, r.below, r.factors, r.room, r.n
    first, following, at, x, y = r.first, r.following, r.at, r.left, r.right
    for k in range(n):
        first[k] = -1
        x[k] = y[k] = 0.0
    for k in range(n):
        begin, end, pivot = begins[k], begins[k + 1], factors[2 * room + k]
        for p in range(begin, end):
            x[below[p]], y[below[p]] = factors[p], factors[room + p]
        column = first[k]
        while column >= 0:
            after, p, last = following[column], at[column], begins[column + 1]
            lower, upper = factors[p], factors[room + p]
            pivot -= lower * upper
            if lower != 0.0 or upper != 0.0:
                for q in range(p + 1, last):
                    i = below[q]
                    x[i] -= factors[q] * upper
                    y[i] -= factors[room + q] * lower
            if p + 1 < last:
                at[column] = p + 1
                following[column] = first[below[p + 1]]
                first[below[p + 1]] = column
            column = after
        if not 0.0 < abs(pivot) < 1e300:
            return False
        factors[2 * room + k] = pivot
        for p in range(begin, end):
            i = below[p]
            factors[p], factors[room + p] = x[i] / pivot, y[i]
            x[i] = y[i] = 0.0
        if begin < end:
            at[k] = begin
            following[k] = first[below[begin]]
            first[below[begin]] = k
    return True


@part
def factorise_on_diagonal(address):  # type: ignore[no-untyped-def]
    """Factorise the matrix; whether pivots are good for something."""
    _arrange(address)
    _take_values(address)
    return _divide(address)


@part
def substitute_on_diagonal(address):  # type: ignore[no-untyped-def]
    """Solve: ``left``, in the order of the unknowns, becomes the solution."""
    r = factors_at(address)
    begins, below, factors, order, room, n = r.begins, r.below, r.factors, r.order, r.room, r.n
    v, x = r.left, r.right
    for k in range(n):
        x[k] = v[order[k]]
    for k in range(n):
        known = x[k]
        if known != 0.0:
            for p in range(begins[k], begins[k + 1]):
                x[below[p]] -= factors[p] * known
    for k in range(n - 1, -1, -1):
        known = x[k]
        for p in range(begins[k], begins[k + 1]):
            known -= factors[room + p] * x[below[p]]
        x[k] = known / factors[2 * room + k]
        v[order[k]] = x[k]
