"""Memory of large sparse linear systems: that of a dense one (`linear_memory`) and more, and which systems are sparse."""

from __future__ import annotations

import numpy as np

from ...acausal.memory_layout import INT64, Field, size
from .incidence import Incidence
from .linear_memory import COLOURS, ENTRIES, FACTORS, LINEAR

SPARSE_SIZE = 40
"""Unknowns from which on a system may be sparse."""

SPARSE_DENSITY = 0.25
"""Part of the entries up to which a system is sparse."""

NOTHING, SPARSE_FACTORS, DENSE = range(3)
"""Values of FACTORS: what is in the place of the matrix; DENSE stays, because the factors have too many entries."""

_n, _entries, _colours = size("n"), size("entries"), size("colours")
SPARSE = LINEAR.followed_by(
    # the structure of the matrix
    Field("starts", _n + 1, INT64),
    Field("rows", _entries, INT64),
    Field("by_colour", _n, INT64),
    Field("first_of_colour", _colours + 1, INT64),
    Field("order", _n, INT64),
    # what the kernel changes
    Field("places", _n, INT64),
    Field("lower_starts", _n + 1, INT64),
    Field("upper_starts", _n + 1, INT64),
    Field("stack", 2 * _n, INT64),
    Field("marks", _n, INT64),
    Field("values", _entries),
    Field("diagonal", _n),
    Field("vector", _n),
    stored={"entries": ENTRIES, "colours": COLOURS},
)
"""First entry of each column and rows of the entries; columns sorted by colour and the first of each colour; order in which
columns are eliminated. Step in which each row is eliminated; first entry of each column of L and of U; stacks, marks; values of
the entries; diagonal of U; a vector. Rows and values of L and U stand in the place of the dense matrix."""


def is_sparse(incidence: Incidence) -> bool:
    """Return whether a system with this incidence of residuals and unknowns is solved by sparse factors."""
    n = incidence.n
    return n >= SPARSE_SIZE and incidence.rows.size <= SPARSE_DENSITY * n * n


def sparse_sizes(incidence: Incidence) -> dict[str, int]:
    """Return the sizes of `SPARSE`."""
    return {"n": incidence.n, "entries": int(incidence.rows.size), "colours": incidence.n_colours}


def write_pattern(memory: np.ndarray, incidence: Incidence) -> None:
    """Fill the constant part of a record `SPARSE`, int64."""
    memory[ENTRIES], memory[COLOURS], memory[FACTORS] = incidence.rows.size, incidence.n_colours, NOTHING
    by_colour = np.argsort(incidence.colours, kind="stable")
    first = np.searchsorted(incidence.colours[by_colour], np.arange(incidence.n_colours + 1))
    values = {"starts": incidence.starts, "rows": incidence.rows, "by_colour": by_colour, "first_of_colour": first}
    for name, row in {**values, "order": _column_order(incidence)}.items():
        SPARSE.view(memory, name, **sparse_sizes(incidence))[:] = row


def _column_order(incidence: Incidence) -> np.ndarray:
    """Return an order of the columns in which factors have few entries: COLAMD, as SuperLU of scipy computes it.

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
