"""Linear equation iteration where LAPACK factorises, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.symbolic.kernels.linear_memory import LAPACK_SIZE

pytestmark = pytest.mark.white_box


def dense_system(n: int, seed: int, constant: bool) -> tuple[Model, np.ndarray, np.ndarray]:
    """``A y = b`` with full rows, as equations; the matrix and the right side at time 0."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)), rng.normal(size=n)
    rows = A.tolist()
    factor = "" if constant else "*(1 + s)"
    equations = [" + ".join(f"{rows[i][j]!r}{factor}*y{j}" for j in range(n)) + f" = {float(b[i])!r}" for i in range(n)]
    variables = {f"y{k}": Var() for k in range(n)}
    return Model(s=Var(init=0.0), **variables, equations=[*equations, "der(s) = 1"]), A, b


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("n", [LAPACK_SIZE - 5, LAPACK_SIZE + 5])
def test_large_systems_are_solved_like_numpy(n: int, constant: bool) -> None:
    model, A, b = dense_system(n, n, constant)
    result = instantiate(model).simulate(1.0)
    exact = np.linalg.solve(A, b)
    scale = np.abs(exact).max()
    for point, factor in ((0, 1.0), (-1, 1.0 if constant else 2.0)):
        found = np.array([result[f"y{k}"][point] for k in range(n)])
        assert np.abs(found - exact / factor).max() < 1e-10 * scale


def test_a_large_system_that_becomes_singular_is_refused_by_name() -> None:
    n = LAPACK_SIZE + 3
    model, _, _ = dense_system(n, 1, False)
    with pytest.raises(SimulationError, match="singular"):
        instantiate(model | Map(s=Var(init=-1.0))).simulate(1.0)
