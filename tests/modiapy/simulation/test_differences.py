"""Jacobians by differences against matrices that are known."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy.simulation.solvers.interface import Problem
from modiapy.simulation.solvers.jacobian import Differences, full_incidence

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize("cj", [0.0, 7.0, 1e4])
def test_an_implicit_one_has_both_parts(cj: float) -> None:
    """``F(x, xdot) = A x + M xdot`` has the matrix ``A + cj*M``, whatever the sizes of the states are."""
    rng, n = np.random.default_rng(1), 4
    A, M = rng.standard_normal((2, n, n))

    def residual(t: float, x: np.ndarray, xdot: np.ndarray, out: np.ndarray) -> int:
        out[:] = A @ x + M @ xdot
        return 0

    x, xdot, r = np.array([1e-8, 0.3, -20.0, 0.0]), rng.standard_normal(n), np.zeros(n)
    residual(0.0, x, xdot, r)
    problem = Problem(n, 0, 0, 0, 0, lambda *_: 0, lambda *_: 0, residual=residual)
    found, before = np.zeros(n * n), (x.copy(), xdot.copy())
    assert Differences(problem, full_incidence(n), 1e-4, 1e-5).implicit(0.0, cj, x, xdot, r, found) == 0
    np.testing.assert_allclose(found.reshape(n, n).T, A + cj * M, rtol=1e-7, atol=1e-7)
    np.testing.assert_array_equal(np.array([x, xdot]), np.array(before))
