"""Sparsity of array models: the incidence of the elements, from the sizes of a simulation, against numerical Jacobians."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Function, Map, Model, Var, instantiate
from modiapy.simulation.evaluation.machine import Machine
from modiapy.symbolic.structure.state_incidence import state_incidence

pytestmark = pytest.mark.white_box

Rod = Model(
    N=10,
    a=0.01,
    T=Var(init=0.0, shape="N"),
    g=Var("a*N**2"),
    equations=[
        "der(T[0]) = g*(2 - 3*T[0] + T[1])",
        "der(T[1:-1]) = g*(T[:-2] - 2*T[1:-1] + T[2:])",
        "der(T[-1]) = g*(T[-2] - 3*T[-1])",
    ],
)


def pattern(sim, merge=None):
    """The incidence as a matrix of 0 and 1, and a numerical Jacobian, at a random point."""
    flat = sim._merged(merge).flat if merge else sim.flat
    machine = Machine(sim.compiled, flat)
    found = state_incidence(sim.sorted, flat).alone
    n = machine.layout.n_states
    matrix = np.zeros((n, n))
    matrix[found.rows, found.columns] = 1.0
    problem, x = machine.problem(n, 0), np.random.default_rng(n).uniform(0.5, 1.5, n)
    jacobian, low, high = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for j, e in enumerate(1e-6 * np.eye(n)):
        assert problem.rhs(0.0, x - e, low) == problem.rhs(0.0, x + e, high) == 0
        jacobian[:, j] = (high - low) / 2e-6
    return matrix, np.abs(jacobian) > 1e-7


def test_a_rod_of_thousand_volumes_has_a_band_matrix():
    sim = instantiate(Rod)
    assert sim.simulate(0.1).statistics["compilations_after_start"] == 0
    flat = sim._merged(Map(N=1000)).flat
    found = state_incidence(sim.sorted, flat).alone
    assert found.bandwidths == (1, 1)
    assert found.n_colours == 3
    result = sim.simulate(1.0, merge=Map(N=1000))
    work = result.statistics
    assert (
        work["rhs_evaluations"] < work["steps"] * 2 + 10 * work["jacobian_evaluations"] + 100
    )  # dense: 1000 for each Jacobian
    scipy = sim.simulate(1.0, merge=Map(N=50), solver="scipy")["T"][-1]
    np.testing.assert_allclose(sim.simulate(1.0, merge=Map(N=50))["T"][-1], scipy, atol=1e-4)


@settings(max_examples=25)
@given(st.integers(4, 9), st.integers(0, 1000))
def test_no_dependence_is_missed(n, seed):
    sim = _compiled()
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3)
    merge = Map(A=a, D=np.diag(rng.uniform(1, 2, n)), **{v: Var(init=np.ones(n)) for v in "xz"}, y=Var(start=np.ones(n)))
    matrix, jacobian = pattern(sim, merge)
    assert not (jacobian & (matrix == 0)).any()


def _compiled(memory=[]):  # noqa: B006
    if not memory:
        eye = np.eye(4)
        model = Model(
            A=eye,
            D=eye,
            x=Var(init=np.ones(4)),
            z=Var(init=np.ones(4)),
            s=Var(init=1.0),
            y=Var(start=np.ones(4)),
            u=Var(),
            b=Var(),
            equations=[
                "D@y + y**3 = x + concat(s, z[1:])",
                "u = transpose(A)@x*z[::-1]",
                "b = concat(x[1:], cross(x[:3], z[:3])[0])",
                "D@der(x) = -y + x[0]",
                "der(z) = u - b + (x if s > 0.2 else z)",
                "der(s) = -sum(z*z) + x@A@z",
            ],
        )
        memory.append(instantiate(model))
    return memory[0]


def test_zeros_of_a_matrix_of_parameters_count():
    model = Model(A=np.eye(3), x=Var(init=np.ones(3)), equations=["der(x) = 2*A@x"])
    tridiagonal = np.eye(40) - 0.5 * np.eye(40, k=1) - 0.5 * np.eye(40, k=-1)
    matrix, jacobian = pattern(instantiate(model), Map(A=tridiagonal, x=Var(init=np.ones(40))))
    np.testing.assert_array_equal(matrix, jacobian)


@pytest.mark.parametrize("seed", range(4))
def test_products_with_matrices_of_parameters_pass_on_what_stands_beside_their_nonzero_elements(seed):
    """Vectors before and behind them, products of matrices, rows and columns: nothing is missed, nothing is too much."""
    n, rng = 5, np.random.default_rng(seed)
    a, b = (rng.uniform(0.5, 1.5, (n, n)) * (rng.uniform(size=(n, n)) < 0.4) for _ in range(2))
    a[3], b[2], b[:, 1] = 1.0, 1.0, 0.0
    matrix, jacobian = pattern(_products(), Map(A=a, B=b))
    np.testing.assert_array_equal(matrix != 0, jacobian | np.eye(6 * n, dtype=bool))


def _products(memory=[]):  # noqa: B006
    if not memory:
        ones = np.ones((5, 5))
        states = {name: Var(init=np.ones(5)) for name in "uvwxyz"}
        right = {"u": "A@v", "v": "w@A", "w": "A@(B@x)", "x": "(A@B)@y", "y": "transpose(A)@z", "z": "u@B + (y@A)[0]"}
        memory.append(instantiate(Model(A=ones, B=ones, **states, equations=[f"der({x}) = {e}" for x, e in right.items()])))
    return memory[0]


def test_a_system_that_falls_into_parts_stays_sparse():
    model = Model(x=Var(init=np.ones(3)), y=Var(start=np.ones(3)), equations=["der(x) = -y", "y + exp(y) = x"])
    matrix, jacobian = pattern(instantiate(model), Map(x=Var(init=np.ones(35)), y=Var(start=np.zeros(35))))
    np.testing.assert_array_equal(matrix, np.eye(35))
    np.testing.assert_array_equal(jacobian, np.eye(35))


def scaled(v):
    return v * np.sum(v)


def test_functions_depend_on_all_their_arguments():
    model = Model(f=Function(scaled, shapes="v"), x=Var(init=np.ones(4)), equations=["der(x) = -f(x)"])
    matrix, jacobian = pattern(instantiate(model))
    assert matrix.all()
    assert jacobian.all()


@pytest.mark.parametrize("n", [40, 100])
def test_array_rod_equals_the_rod_in_scalars(n):
    equations = ["der(T0) = g*(2 - 3*T0 + T1)", f"der(T{n - 1}) = g*(T{n - 2} - 3*T{n - 1})"]
    equations += [f"der(T{k}) = g*(T{k - 1} - 2*T{k} + T{k + 1})" for k in range(1, n - 1)]
    scalars = Model(g=0.01 * n**2, **{f"T{k}": Var(init=0.0) for k in range(n)}, equations=equations)
    one = instantiate(Rod).simulate(1.0, merge=Map(N=n), tolerance=1e-8)
    other = instantiate(scalars).simulate(1.0, tolerance=1e-8)
    np.testing.assert_allclose(one["T"][-1], [other[f"T{k}"][-1] for k in range(n)], atol=1e-6)
    assert one.statistics["rhs_evaluations"] == pytest.approx(other.statistics["rhs_evaluations"], rel=0.3)
