"""Choice of the matrix for an integrator's Newton iteration, from the incidence of the states."""

from __future__ import annotations

from ...symbolic.kernels.incidence import Incidence
from .block_matrix import has_blocks
from .interface import Problem

SMALL = 32
"""States below which it is of no use to know which entries of a Jacobian are zero."""

BLOCK_FRACTION = 0.5
"""A block matrix is used where at least this part of its diagonal blocks are entries: others have better ways to be sparse."""

BAND_FRACTION = 3
"""A band matrix is used where its diagonals are fewer than this part of the states."""

SPARSE_STATES = 160
"""States from which on a matrix may be sparse. Measured, whole simulations of heat conduction in a square (band as wide as the
square) with IDA [ms], sparse, band and dense: 24, 7 and 27 for 289 states; 68, 52 and 780 for 900; 240, 320 and - for 3025.
Steps of free bodies with CVODE [us], sparse and dense: 56 and 79 for 195 states, 67 and 115 for 260."""

SPARSE_FRACTION = 10
"""A sparse matrix is used where its entries are fewer than this part of all."""

WIDE_BAND = 20
"""A band with more diagonals than this for each entry of a mean column gives way to a sparse matrix (22 for 3025 states)."""


def in_blocks(problem: Problem) -> bool:
    """Return whether a block matrix is worthwhile: its blocks are dense."""
    incidence = problem.incidence
    if incidence is None or not problem.may_have_blocks or not has_blocks():
        return False
    return BLOCK_FRACTION * incidence.block_elements <= incidence.rows.size


def band(problem: Problem) -> tuple[int, int] | None:
    """Return the upper and lower bandwidth if a band matrix is worthwhile, else None."""
    incidence = problem.incidence
    if incidence is None or problem.n < SMALL:
        return None
    upper, lower = incidence.bandwidths
    width = upper + lower + 1
    if BAND_FRACTION * width >= problem.n:
        return None
    wide = problem.n >= SPARSE_STATES and width * problem.n > WIDE_BAND * incidence.rows.size
    return None if wide else (upper, lower)


def sparse(problem: Problem) -> Incidence | None:
    """Return the entries of a sparse matrix if it is worthwhile and a band matrix is not, else None."""
    incidence, n = problem.incidence, problem.n
    if incidence is None or n < SPARSE_STATES or band(problem) is not None:
        return None
    return incidence if SPARSE_FRACTION * incidence.rows.size < n * n else None


def coloured(problem: Problem) -> Incidence | None:
    """Return the entries of a dense matrix that coloured differences compute; None if CVODE's own differences are as good."""
    incidence = problem.incidence
    if problem.n < SMALL or incidence is None:
        return None
    return incidence if 2 * incidence.n_colours < problem.n else None
