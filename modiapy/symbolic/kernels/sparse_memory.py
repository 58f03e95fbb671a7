"""Memory of large sparse linear systems: what stands behind that of a dense one (`linear_memory`), and when it is there."""

from __future__ import annotations

import numpy as np

from .incidence import Incidence

SPARSE_SIZE = 40
"""Unknowns from which on a system may be sparse."""

SPARSE_DENSITY = 0.25
"""Part of the entries up to which a system is sparse."""

# Header of eight-byte integers behind the memory of a dense system.
ENTRIES, COLOURS, FACTORS = range(3)
TAIL_HEADER = 4

NOTHING, SPARSE, DENSE = range(3)
"""Values of FACTORS: what is in the place of the matrix; DENSE stays, because the factors have too many entries."""


def is_sparse(incidence: Incidence) -> bool:
    """Whether a system with this incidence of residuals and unknowns is solved by sparse factors."""
    n = incidence.n
    return n >= SPARSE_SIZE and incidence.rows.size <= SPARSE_DENSITY * n * n


def sparse_words(incidence: Incidence) -> int:
    """Eight-byte words behind the memory of a dense system of the same size.

    They are: header; first entry of each column (n + 1), rows of the entries, columns sorted by colour (n), first of each
    colour (colours + 1), order of the columns (n); then what the kernel changes: place of each row (n), first entry of each
    column of L and U (n + 1 each), stacks (2 n), marks (n), values of the entries, pivots (n), a vector (n).
    """
    n, entries = incidence.n, incidence.rows.size
    return TAIL_HEADER + 3 * (n + 1) + 2 * entries + 8 * n + incidence.n_colours + 1


def write_pattern(words: np.ndarray, incidence: Incidence) -> None:
    """Fill the constant part of the ``words`` of `sparse_words`, int64."""
    n = incidence.n
    words[ENTRIES], words[COLOURS], words[FACTORS] = incidence.rows.size, incidence.n_colours, NOTHING
    by_colour = np.argsort(incidence.colours, kind="stable")
    first = np.searchsorted(incidence.colours[by_colour], np.arange(incidence.n_colours + 1))
    parts = (incidence.starts, incidence.rows, by_colour, first, _column_order(incidence))
    values = np.concatenate(parts)
    assert values.size == 3 * n + 1 + incidence.rows.size + incidence.n_colours + 1
    words[TAIL_HEADER : TAIL_HEADER + values.size] = values


def _column_order(incidence: Incidence) -> np.ndarray:
    """An order of the columns in which factors have few entries: COLAMD, as SuperLU of scipy computes it.

    Source: T. A. Davis et al., A column approximate minimum degree ordering algorithm, ACM TOMS 30 (2004). It depends on the
    structure only; the values are random ones. A structurally singular matrix keeps its order.
    """
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    values = np.random.default_rng(0).uniform(1.0, 2.0, incidence.rows.size)
    matrix = csc_array((values, incidence.rows, incidence.starts), shape=(incidence.n, incidence.n))
    try:
        place = splu(matrix, permc_spec="COLAMD", options={"SymmetricMode": False}).perm_c
    except RuntimeError:
        return np.arange(incidence.n)
    return np.argsort(place)
