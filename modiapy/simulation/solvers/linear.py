"""Which matrix an integrator takes for its Newton iteration, from the incidence of the states."""

from __future__ import annotations

import numpy as np

from .interface import Problem

SMALL = 32
"""States below which CVODE's own dense differences are taken."""

BAND_FRACTION = 3
"""A band matrix is used where its diagonals are fewer than this part of the states."""


def band(problem: Problem) -> tuple[int, int] | None:
    """Upper and lower bandwidth, where a band matrix pays."""
    if problem.incidence is None or problem.n < SMALL:
        return None
    upper, lower = problem.incidence.bandwidths
    return (upper, lower) if BAND_FRACTION * (upper + lower + 1) < problem.n else None


def groups(problem: Problem) -> list[np.ndarray] | None:
    """Columns that are differenced together; None where CVODE's own dense differences serve as well."""
    if problem.n < SMALL:
        return None
    incidence = problem.incidence
    if incidence is not None and 2 * (int(incidence.colours.max()) + 1) < problem.n:
        return [np.flatnonzero(incidence.colours == c) for c in range(int(incidence.colours.max()) + 1)]
    return [np.array([k]) for k in range(problem.n)] if problem.solves_large_systems else None
