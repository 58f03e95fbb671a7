"""Random rows of constraints in a random metric, some of them dependent."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from modia3d.constraints.kinds.row import Row, Rows

seeds = st.integers(0, 2**32 - 1)


def random_metric(rng, n):
    """A mass matrix whose speeds have units of very different sizes."""
    B = rng.normal(size=(n, n))
    units = 10.0 ** rng.uniform(-3, 3, n)
    return (B @ B.T + 0.5 * np.eye(n)) * np.outer(units, units), units


def random_rows(rng, m, n, rank):
    """Rows (m, n) of at most this rank, in units of their own."""
    G = rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))
    return G * 10.0 ** rng.uniform(-3, 3, (m, 1))


def rows_of(G, unilateral=(), **fields):
    """`Rows` of a matrix, named r0, r1, ..."""
    return Rows((Row(f"r{k}", "x", g, unilateral=k in unilateral, **fields) for k, g in enumerate(G)), G.shape[1])


def permuted(rows, order):
    """The same rows in another order."""
    return Rows((replace(rows[k]) for k in order), rows.G.shape[1])
