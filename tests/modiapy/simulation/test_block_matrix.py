"""Matrices in blocks: the machine code that SUNDIALS calls, against numpy; what is done where it fails."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from modiapy.simulation.solvers import create_solver
from modiapy.simulation.solvers.block_matrix import BlockMatrix, has_blocks
from modiapy.simulation.solvers.interface import IntegrationFailure, Problem
from modiapy.simulation.solvers.jacobian import Differences
from modiapy.simulation.solvers.libraries.sundials_library import D, I, P, libraries
from modiapy.simulation.solvers.linear import in_blocks
from modiapy.simulation.solvers.matrix_layout import MATRIX
from modiapy.symbolic.kernels.incidence import Incidence, incidence_of

pytestmark = pytest.mark.white_box

SIZES = (3, 1, 5, 1, 1, 4, 2, 12, 7)
"""Of the blocks."""


def dependences(rng: np.random.Generator) -> tuple[Incidence, np.ndarray]:
    """Blocks, each a ring and more, that depend on some earlier ones, their states in any order; entries of a matrix there."""
    ends = np.cumsum(SIZES)
    n, entries = int(ends[-1]), np.zeros((ends[-1], ends[-1]), dtype=bool)
    for end, size in zip(ends, SIZES, strict=True):
        ring = np.roll(np.eye(size, dtype=bool), 1, axis=1)
        entries[end - size : end, end - size : end] = ring | (rng.random((size, size)) < 0.4)
        entries[end - size : end, : end - size] = rng.random((size, end - size)) < 0.15
    shuffled = rng.permutation(n)
    entries = entries[shuffled][:, shuffled]
    return incidence_of(n, *np.nonzero(entries)), np.where(entries, rng.standard_normal((n, n)), 0.0)


def linear_problem(incidence: Incidence, A: np.ndarray, fails: bool = False) -> tuple[Problem, object]:
    """``der(x) = A @ x``; the callback is to be kept. Where it ``fails``, it cannot be evaluated after 0.1 s."""
    n, c = incidence.n, libraries()
    assert c is not None

    @ctypes.CFUNCTYPE(I, D, P, P, P)
    def called(t: float, y: int, ydot: int, _: int) -> int:
        x, out = (np.ctypeslib.as_array((D * n).from_address(c.N_VGetArrayPointer(v))) for v in (y, ydot))
        out[:] = A @ x
        return -1 if fails and t > 0.1 else 0

    def rhs(t: float, x: np.ndarray, out: np.ndarray) -> int:
        out[:] = A @ x
        return 0

    address = ctypes.cast(called, P).value
    assert address is not None
    return Problem(n, 0, address, 0, 0, rhs, lambda *_: 0, incidence=incidence, may_have_blocks=True), called


@pytest.mark.parametrize("seed", range(5))
def test_it_is_factorised_and_solved_as_numpy_does(seed: int) -> None:
    rng, c = np.random.default_rng(seed), libraries()
    assert c is not None
    assert has_blocks()
    incidence, A = dependences(rng)
    problem, _kept = linear_problem(incidence, A)
    assert in_blocks(problem)
    context, n = P(), incidence.n
    c.SUNContext_Create(0, ctypes.byref(context))
    arrays = [np.zeros(n) for _ in range(6)]
    vectors = [c.N_VMake_Serial(n, array.ctypes.data, context) for array in arrays]
    made = BlockMatrix(c, problem, 1e-6, 1e-7, context)
    form = ctypes.CFUNCTYPE(I, D, P, P, P, I, P, D, P, P, P, P)(made.form)
    current, (y, fy, *_) = I(), arrays
    for known, gamma in ((0, 0.7), (1, 0.3)):
        y[:] = rng.standard_normal(n)
        fy[:] = A @ y
        assert form(0.0, *vectors[:2], made.matrix, known, ctypes.byref(current), gamma, None, *vectors[2:4], None) == 0
        assert current.value == 1 - known
        if not known:  # differences in Python, to the last bit
            expected = np.zeros(incidence.rows.size)
            Differences(problem, incidence, 1e-6, 1e-7).explicit(0.0, y, fy, expected)
            values = MATRIX.view(made._record, "values", n=n, n_entries=incidence.rows.size)
            np.testing.assert_array_equal(values, expected)
        assert c.SUNLinSolSetup(made.linear, made.matrix) == 0
        arrays[4][:] = b = rng.standard_normal(n)
        assert c.SUNLinSolSolve(made.linear, made.matrix, vectors[5], vectors[4], 0.0) == 0
        M = np.eye(n) - gamma * A
        assert np.abs(M @ arrays[5] - b).max() < 1e-7 * np.linalg.cond(M)
        assert made.evaluations == incidence.n_colours
    made.close()
    for vector in vectors:
        c.N_VDestroy(vector)
    c.SUNContext_Free(ctypes.byref(context))


def test_a_singular_block_is_reported_as_something_that_a_shorter_step_may_mend() -> None:
    c = libraries()
    assert c is not None
    n = 40
    problem, _kept = linear_problem(incidence_of(n, np.arange(n), np.arange(n)), 2.0 * np.eye(n))
    context = P()
    c.SUNContext_Create(0, ctypes.byref(context))
    made = BlockMatrix(c, problem, 1e-6, 1e-6, context)
    arrays = [np.ones(n), np.full(n, 2.0), np.zeros(n), np.zeros(n)]
    vectors = [c.N_VMake_Serial(n, array.ctypes.data, context) for array in arrays]
    form = ctypes.CFUNCTYPE(I, D, P, P, P, I, P, D, P, P, P, P)(made.form)
    assert form(0.0, *vectors[:2], made.matrix, 0, ctypes.byref(I()), 0.5, None, *vectors[2:], None) == 0
    assert c.SUNLinSolSetup(made.linear, made.matrix) > 0
    made.close()
    for vector in vectors:
        c.N_VDestroy(vector)
    c.SUNContext_Free(ctypes.byref(context))


def test_an_integrator_with_it_follows_the_exponential_and_says_where_the_model_fails() -> None:
    rng = np.random.default_rng(7)
    incidence, A = dependences(rng)
    A = A - 6.0 * np.eye(incidence.n)
    values, vectors = np.linalg.eig(A)
    x0 = rng.standard_normal(incidence.n)
    problem, _kept = linear_problem(incidence, A)
    solver, out = create_solver("cvode", problem, 0.0, x0, 1e-9, 1e-10), np.empty((1, incidence.n))
    assert solver.advance(np.array([1.0]), np.inf, out).time == 1.0
    exact = (vectors @ (np.exp(values) * np.linalg.solve(vectors, x0.astype(complex)))).real
    assert np.abs(out[0] - exact).max() < 1e-6
    assert solver.statistics().jacobian_evaluations > 0
    solver.close()
    problem, _kept = linear_problem(incidence, A, fails=True)
    solver = create_solver("cvode", problem, 0.0, x0, 1e-9, 1e-10)
    with pytest.raises(IntegrationFailure, match="could not be evaluated"):
        solver.advance(np.array([1.0]), np.inf, out)
    solver.close()
