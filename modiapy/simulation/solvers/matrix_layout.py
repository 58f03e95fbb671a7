"""The memory of a matrix of differences, as machine code sees it (plain Python, no numba)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...acausal.memory_layout import INT64, Field, Layout, elsewhere, size

_n, _entries, _blocks = size("n"), size("n_entries"), size("n_blocks")

MATRIX = Layout(
    Field("n", (), INT64),
    Field("n_entries", (), INT64),
    Field("n_colours", (), INT64),
    Field("n_blocks", (), INT64),
    Field("n_factors", (), INT64),
    Field("rhs", (), INT64),
    Field("user", (), INT64),
    Field("vector", (), INT64),
    Field("evaluations", (), INT64),
    elsewhere("starts", _n + 1, INT64),
    elsewhere("rows", _entries, INT64),
    elsewhere("by_colour", _n, INT64),
    elsewhere("colour_ends", size("n_colours"), INT64),
    elsewhere("states", _n, INT64),
    elsewhere("block_ends", _blocks, INT64),
    elsewhere("places", _entries + _n, INT64),
    Field("gamma", 1),
    Field("rtol", 1),
    Field("atol", _n),
    Field("step", _n),
    Field("values", _entries),
    Field("left", _n),
    Field("part", _n),
    Field("pivots", _n, INT64),
    Field("factors", size("n_factors")),
)
"""States, entries of df/dx, colours, diagonal blocks and their elements; addresses of the right-hand side, of its last argument
and of ``N_VGetArrayPointer``; evaluations of the model so far, counted here.

First entry of each column and rows of the entries; columns colour by colour, and where each colour ends; of matrices in blocks
the states block by block, where each block ends, where each entry and then each element of the diagonal stands in ``factors``
(`symbolic.kernels.block_kernel`).

gamma, tolerances, increments, entries; of matrices in blocks what is left of the right side, that of one block, interchanges of
rows, factors."""


_RTOL, _ATOL = MATRIX.offset("rtol"), MATRIX.offset("atol")


def matrix_record(
    sizes: Mapping[str, int], tables: Mapping[str, np.ndarray | int], rtol: float, atol: float | np.ndarray, **addresses: int
) -> np.ndarray:
    """Return the record `MATRIX`, int64; the tables, arrays or their addresses, have to be kept.

    Args:
        sizes, tables, addresses: fields by name. rtol, atol: tolerances, the latter a number or shape (n,).
    """
    head, numbers = MATRIX.head(**sizes, **addresses, **tables), np.zeros(MATRIX.words(**{"n_factors": 0, **sizes}))
    memory = numbers.view(np.int64)
    memory[: len(head)] = head
    numbers[_RTOL], numbers[_ATOL : _ATOL + sizes["n"]] = rtol, atol
    return memory
