"""Sparse matrices with their pivots on the diagonal: the machine code that SUNDIALS calls, against numpy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from modiapy.simulation.solvers import create_solver
from modiapy.simulation.solvers.block_matrix import MOST_STATES, SparseMatrix, on_diagonal
from modiapy.simulation.solvers.interface import IntegrationFailure
from modiapy.simulation.solvers.libraries.sundials_library import D, I, P, libraries
from modiapy.symbolic.kernels.diagonal_memory import DIAGONAL, N_FACTORS, diagonal_words
from modiapy.symbolic.kernels.incidence import Incidence, incidence_of

from .test_block_matrix import linear_problem

pytestmark = pytest.mark.white_box


def chain(rng: np.random.Generator, bodies: int = 60, size: int = 4) -> tuple[Incidence, np.ndarray]:
    """Bodies of some states each, that touch those next to them and some others, in any order; entries of a matrix there."""
    together = np.eye(bodies, dtype=bool) | np.eye(bodies, k=1, dtype=bool) | (rng.random((bodies, bodies)) < 0.5 / bodies)
    entries = np.kron(together | together.T, np.ones((size, size), dtype=bool)) & (rng.random((bodies * size,) * 2) < 0.8)
    np.fill_diagonal(entries, True)
    shuffled = rng.permutation(bodies * size)
    entries = entries[shuffled][:, shuffled]
    return incidence_of(len(entries), *np.nonzero(entries)), np.where(entries, rng.standard_normal(entries.shape), 0.0)


class Matrix:
    """A matrix of ``der(x) = A @ x`` with its solver, as SUNDIALS has them."""

    def __init__(self, incidence: Incidence, A: np.ndarray) -> None:
        c = libraries()
        assert c is not None
        self.c, self.A, n = c, A, incidence.n
        self.problem, self._kept = linear_problem(incidence, A)
        self.context = P()
        c.SUNContext_Create(0, ctypes.byref(self.context))
        self.arrays = [np.zeros(n) for _ in range(6)]
        self.vectors = [c.N_VMake_Serial(n, array.ctypes.data, self.context) for array in self.arrays]
        self.made = SparseMatrix(c, self.problem, 1e-6, 1e-7, self.context)
        self._form = ctypes.CFUNCTYPE(I, D, P, P, P, I, P, D, P, P, P, P)(self.made.form)

    def factorise(self, gamma: float, x: np.ndarray, known: bool = False) -> int:
        """Status of the factorisation, at a point."""
        self.arrays[0][:], self.arrays[1][:] = x, self.A @ x
        arguments = self.made.matrix, int(known), ctypes.byref(I()), gamma, None, *self.vectors[2:4], None
        assert self._form(0.0, *self.vectors[:2], *arguments) == 0
        return int(self.c.SUNLinSolSetup(self.made.linear, self.made.matrix))

    def solve(self, b: np.ndarray) -> np.ndarray:
        """The solution."""
        self.arrays[4][:] = b
        assert self.c.SUNLinSolSolve(self.made.linear, self.made.matrix, self.vectors[5], self.vectors[4], 0.0) == 0
        return self.arrays[5].copy()

    @property
    def size(self) -> int:
        """Numbers that L has below its diagonal."""
        n = self.problem.n
        return int(DIAGONAL.view(self.made._factors, "state", n=n)[N_FACTORS])

    def close(self) -> None:
        """Free all."""
        self.made.close()
        for vector in self.vectors:
            self.c.N_VDestroy(vector)
        self.c.SUNContext_Free(ctypes.byref(self.context))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(3)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_factorised_and_solved_as_numpy_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = Matrix(*chain(rng))
    n, x = matrix.problem.n, rng.standard_normal(matrix.problem.n)
    for known, gamma in ((False, 0.1), (True, 0.03), (False, 0.2)):
        assert matrix.factorise(gamma, x, known) == 0
        b, M = rng.standard_normal(n), np.eye(n) - gamma * matrix.A
        assert np.abs(M @ matrix.solve(b) - b).max() < 1e-7 * np.linalg.cond(M)
    matrix.close()


def test_what_touches_and_parts_is_solved_and_leaves_the_factors_small(rng: np.random.Generator) -> None:
    """Entries that are zero cost nothing; one that is so no longer has its place."""
    incidence, A = chain(rng)
    n, x, full = incidence.n, rng.standard_normal(incidence.n), A.copy()
    matrix = Matrix(incidence, A)
    sizes = []
    for part in (1.0, 0.2, 1.0, 0.5, 0.3):  # the fourth in the order of the first, as one of its own adds more than that
        kept = np.eye(n, dtype=bool) | (rng.random((n, n)) < part)
        A[:] = np.where(kept, full, 0.0)
        assert matrix.factorise(0.1, x) == 0
        b, M = rng.standard_normal(n), np.eye(n) - 0.1 * A
        assert np.abs(M @ matrix.solve(b) - b).max() < 1e-7 * np.linalg.cond(M)
        sizes.append(matrix.size)
    assert sizes[0] == sizes[2] == sizes[3] > sizes[4] > sizes[1]
    matrix.close()


def test_few_entries_are_added_to_an_arrow(rng: np.random.Generator) -> None:
    """Its point is eliminated last, wherever it is: nothing is added. First, it would make the matrix dense."""
    n = 200
    rows, columns = np.concatenate([[np.arange(n), np.arange(n)], [np.zeros(n, int), np.arange(n)]], axis=1)
    incidence = incidence_of(n, np.concatenate([rows, columns]), np.concatenate([columns, rows]))
    matrix = Matrix(incidence, np.where(incidence_mask(incidence), rng.standard_normal((n, n)), 0.0))
    assert matrix.factorise(0.01, rng.standard_normal(n)) == 0
    assert matrix.size == n - 1
    assert on_diagonal(incidence) == n - 1
    matrix.close()


def incidence_mask(incidence: Incidence) -> np.ndarray:
    """Where its entries are."""
    mask = np.zeros((incidence.n, incidence.n), dtype=bool)
    mask[incidence.rows, incidence.columns] = True
    return mask


def test_what_was_before_has_no_influence_once_it_is_forgotten(rng: np.random.Generator) -> None:
    """A simulation that goes on from a snapshot has the same bits."""
    incidence, A = chain(rng)
    n, x, b, full = incidence.n, rng.standard_normal(incidence.n), rng.standard_normal(incidence.n), A.copy()
    present = np.where(rng.random((n, n)) < 0.9, full, 0.0)
    before, fresh = Matrix(incidence, A), Matrix(incidence, A)
    assert before.factorise(0.1, x) == 0
    A[:] = present
    assert before.factorise(0.1, x) == fresh.factorise(0.1, x) == 0
    assert before.size > fresh.size
    before.made.forget()
    assert before.factorise(0.1, x) == 0
    assert before.size == fresh.size
    np.testing.assert_array_equal(before.solve(b), fresh.solve(b))
    before.close()
    fresh.close()


@pytest.mark.parametrize("error", [0.0, 1e-15])
def test_pivots_that_are_good_for_nothing_are_something_that_a_shorter_step_may_mend(error: float) -> None:
    """Of pairs ``[[p, -c], [c, 1]]``, regular whatever p is, which is zero or rounding at this gamma and 1 at a small one."""
    n = 200
    A = np.kron(np.eye(n // 2), np.array([[2.0 * (1.0 - error), 1.4], [-1.4, 0.0]]))
    ring = np.roll(np.eye(n), 1, axis=1)
    matrix = Matrix(incidence_of(n, *np.nonzero((A != 0.0) | (ring != 0.0) | np.eye(n, dtype=bool))), A)
    assert matrix.factorise(0.5, np.zeros(n)) > 0  # where differences are exact
    assert matrix.factorise(0.001, np.zeros(n)) == 0
    matrix.close()


def test_an_integrator_with_it_follows_the_exponential_and_says_where_the_model_fails(rng: np.random.Generator) -> None:
    incidence, A = chain(rng, bodies=100)
    A = 0.5 * A - 4.0 * np.eye(incidence.n)
    values, vectors = np.linalg.eig(A)
    x0 = rng.standard_normal(incidence.n)
    problem, _kept = linear_problem(incidence, A)
    solver, out = create_solver("cvode", problem, 0.0, x0, 1e-9, 1e-10), np.empty((1, incidence.n))
    assert isinstance(solver._iteration, SparseMatrix)  # type: ignore[attr-defined]
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


def test_the_graph_of_bits_covers_all_unknowns() -> None:
    assert [diagonal_words(n) for n in (1, 64, 65)] == [1, 64, 130]
    n = MOST_STATES + 1
    assert on_diagonal(incidence_of(n, np.arange(n), np.arange(n))) is None
