"""Memory of LU factors with pivots on the diagonal, as machine code sees it (plain Python, no numba). See `diagonal_lu`."""

from __future__ import annotations

from ...acausal.memory_layout import INT64, Field, Layout, elsewhere, size

WORD = 64
"""Bits of a word."""

N_KNOWN, N_FACTORS = 0, 1
"""Places in ``state``: entries for which there is an order, 0 where there is none; numbers that L has below its diagonal."""

_n, _entries, _room = size("n"), size("n_entries"), size("room")

DIAGONAL = Layout(
    Field("n", (), INT64),
    Field("n_entries", (), INT64),
    Field("room", (), INT64),
    Field("n_bits", (), INT64),
    Field("vector", (), INT64),
    elsewhere("starts", _n + 1, INT64),
    elsewhere("rows", _entries, INT64),
    elsewhere("values", _entries),
    elsewhere("gamma", 1),
    Field("state", 2, INT64),
    Field("order", _n, INT64),
    Field("step", _n, INT64),
    Field("degree", _n, INT64),
    Field("begins", _n + 1, INT64),
    Field("first", _n, INT64),
    Field("following", _n, INT64),
    Field("at", _n, INT64),
    Field("bits", size("n_bits"), INT64),
    Field("targets", _entries, INT64),
    Field("below", _room, INT64),
    Field("sorted", _room, INT64),
    Field("factors", _room * 2 + _n),
    Field("left", _n),
    Field("right", _n),
)
"""Unknowns, entries, room for L, words for all rows of bits; address of ``N_VGetArrayPointer``. First entry of each column and
rows of the entries J, their values, and gamma: the matrix is ``1 - gamma*J``.

``state`` (`N_KNOWN`, `N_FACTORS`); which unknown is eliminated in each step, and in which step each is; scratch; where each
column of L begins; scratch; the graph, a row of bits for each unknown; where each entry stands in the factors, -1 where it is
not known; steps below the diagonal in each column of L, ascending, which are those right of it in the row of U, too; scratch;
numbers of L, column by column, of U, row by row, of the diagonal; two vectors."""


def diagonal_words(n: int) -> int:
    """Return the words for the graph of n unknowns."""
    return n * ((n + WORD - 1) // WORD)
