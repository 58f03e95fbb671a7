"""Large sparse linear systems: coloured probing, sparse factors, what happens when they are bad; all against dense solvers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import instantiate
from modiapy.flat import sort_model
from modiapy.symbolic.codegen.model import generate
from modiapy.symbolic.flattening.flatten import flatten
from modiapy.symbolic.kernels.linear_memory import STATUS_SINGULAR
from modiapy.symbolic.kernels.sparse_memory import SPARSE_SIZE
from modiapy.symbolic.sorted.parts import LinearBlock
from modiapy.symbolic.sorted.sorted_model import SortedModel
from modiapy.symbolic.structure.state_incidence import block_incidence

from .sorted_models import Run, call, change_parameters, component_function, linear, sorted_model
from .test_large_models import grid

pytestmark = pytest.mark.white_box


def sparse_model(a: np.ndarray, b: np.ndarray, constant: bool = False) -> SortedModel:
    """A w = (1 + time) b with one term for each entry."""
    n = len(b)
    rows = [" + ".join(f"A_{i}_{j}*w{j}" for j in np.flatnonzero(a[i])) for i in range(n)]
    block = linear([f"w{i}" for i in range(n)], [], [f"{row} - (1 + time)*b{i}" for i, row in enumerate(rows)], constant)
    parameters = {f"A_{i}_{j}": float(a[i, j]) for i, j in zip(*np.nonzero(a), strict=True)}
    return sorted_model([block], parameters=parameters | {f"b{i}": float(b[i]) for i in range(n)})


def random_matrix(n: int, per_row: int, seed: int) -> np.ndarray:
    """Some entries in each row besides a permutation: nothing is near the diagonal."""
    rng = np.random.default_rng(seed)
    a = np.zeros((n, n))
    for i in range(n):
        a[i, rng.permutation(n)[:per_row]] = rng.normal(size=per_row)
    a[np.arange(n), rng.permutation(n)] = 3.0 + rng.random(n)
    return a


def solution(run: Run, t: float = 0.0) -> np.ndarray:
    return np.array(list(run.outputs(t).values()))


@settings(max_examples=10)
@given(st.integers(SPARSE_SIZE, 90), st.integers(0, 4), st.integers(0, 10**6), st.booleans(), st.integers(-6, 6))
def test_random_sparse_systems_are_solved_like_dense_ones(n: int, per_row: int, seed: int, constant: bool, power: int) -> None:
    a = random_matrix(n, per_row, seed)
    a[n // 2] *= 10.0**power
    b = np.random.default_rng(seed + 1).normal(size=n)
    model = sparse_model(a, b, constant)
    assert generate(model).sparse
    run = Run(model)
    scaled = a / np.abs(a).max(axis=1)[:, None]
    for t in (0.0, 1.5, -4.0):
        expected = np.linalg.solve(a, (1 + t) * b)
        error = np.abs(solution(run, t) - expected).max()
        assert error <= 1e-13 * np.linalg.cond(scaled) * max(np.abs(expected).max(), 1e-300)


def test_few_evaluations_find_the_columns_and_none_a_constant_matrix() -> None:
    """A tridiagonal system takes one evaluation for the right-hand side, three for the columns and one for the solution."""
    n, log = 60, []

    def code(context: object, inputs: list[float], outputs: list[float]) -> int:
        log.append(1)
        outputs[0] = inputs[0]
        return 0

    counter = call(component_function("count", 1, 1, code), ["time"], ["c"])
    names = [f"w{i}" for i in range(n)]
    residuals = [f"4*w{i}" + "".join(f" - w{j}" for j in (i - 1, i + 1) if 0 <= j < n) + f" - {i} + 0*c - c" for i in range(n)]
    matrix = 4 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    for constant, counts in ((False, [6, 6]), (True, [6, 3])):  # and one more, because a large solution is corrected
        run = Run(sorted_model([linear(names, [counter], residuals, constant)], components=["c"]))
        found = []
        for t in (1.0, 2.0):
            log.clear()
            values = run.outputs(t)
            found.append(len(log))
            expected = np.linalg.solve(matrix, np.arange(n) + t)
            np.testing.assert_allclose([values[name] for name in names], expected, rtol=1e-13)
        assert found == counts


def test_pivots_that_were_good_once_are_replaced_when_they_are_bad() -> None:
    """At time 0 the diagonal dominates, later it vanishes: only other pivots give an accurate solution."""
    n = 64
    names = [f"w{i}" for i in range(n)]
    residuals = [f"time*w{i} + (1 + {i}/64)*w{(i + 1) % n} + 0.1*w{(i + 9) % n} - 1" for i in range(n)]
    run = Run(sorted_model([linear(names, [], residuals)]))
    eye = np.eye(n)
    off = np.diag(1 + np.arange(n) / 64) @ np.roll(eye, 1, axis=1) + 0.1 * np.roll(eye, 9, axis=1)
    for t in (1e6, 1e-9, 0.0, 1e3, 0.5):
        expected = np.linalg.solve(t * eye + off, np.ones(n))
        np.testing.assert_allclose(solution(run, t), expected, atol=1e-12 * np.abs(expected).max())


def test_factors_with_too_many_entries_are_left_to_the_dense_solver() -> None:
    """An expander-like pattern fills completely; the result is that of LAPACK."""
    n = 80
    a = random_matrix(n, 18, 3)
    b = np.random.default_rng(4).normal(size=n)
    run = Run(sparse_model(a, b))
    for t in (0.0, 2.0):
        np.testing.assert_allclose(solution(run, t), np.linalg.solve(a, (1 + t) * b), atol=1e-11)


@pytest.mark.parametrize("constant", [False, True])
def test_a_singular_sparse_system_is_reported_and_the_next_evaluation_is_unharmed(constant: bool) -> None:
    n = 50
    a = 4 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    a[11] = a[10] + a[12]
    run = Run(sparse_model(a, np.ones(n), constant))
    assert run.status() == STATUS_SINGULAR
    a[11, 11] += 1.0
    change_parameters(run.context, {"A_11_11": float(a[11, 11])})
    np.testing.assert_allclose(solution(run), np.linalg.solve(a, np.ones(n)), rtol=1e-9, atol=1e-9)


def test_small_and_full_systems_stay_dense() -> None:
    few = SPARSE_SIZE - 1
    assert not generate(sparse_model(random_matrix(few, 1, 0), np.ones(few))).sparse
    assert not generate(sparse_model(np.ones((50, 50)) + 9 * np.eye(50), np.ones(50))).sparse


def test_grid_of_resistors_with_576_nodes_is_solved_by_sparse_factors() -> None:
    n = 24
    sim = instantiate(grid(n))
    assert sim.compiled.code.sparse
    block = max((b for b in sim.sorted.blocks if isinstance(b, LinearBlock)), key=lambda b: len(b.unknowns))
    incidence = block_incidence(sim.sorted, sim.flat, block)
    assert incidence.n_colours < incidence.n / 3
    laplacian = np.zeros((n * n, n * n))
    for i in range(n):
        for j in range(n):
            for a, b in ((i + 1, j), (i, j + 1)):
                if a < n and b < n:
                    edge = np.ix_((i * n + j, a * n + b), (i * n + j, a * n + b))
                    laplacian[edge] += [[1.0, -1.0], [-1.0, 1.0]]
    inside = np.arange(1, n * n - 1)
    potentials = np.linalg.solve(laplacian[np.ix_(inside, inside)], -laplacian[inside, 0])
    current = laplacian[0, 0] + laplacian[0, inside] @ potentials
    assert sim.simulate(0.0)["V.i"][0] == pytest.approx(-current, rel=1e-9)


def test_incidence_of_a_block_follows_the_variables_of_its_body() -> None:
    model = sort_model(flatten(grid(5)))
    block = next(b for b in model.blocks if isinstance(b, LinearBlock))
    incidence = block_incidence(model, model.flat, block)
    assert incidence.n == len(block.unknowns)
    assert set(incidence.rows.tolist()) == set(range(incidence.n)) == set(incidence.columns.tolist())
    for k in range(incidence.n_colours):
        rows = incidence.rows[incidence.colours[incidence.columns] == k]
        assert rows.size == np.unique(rows).size
