"""State space systems of any order run the same machine code; references are matrix exponentials."""

import numpy as np
import pytest
from scipy.linalg import expm

from modiapy import Map, Model, Var, instantiate, read_result
from modiapy.symbolic.codegen.compilation_counter import compilations

pytestmark = pytest.mark.white_box

StateSpace = Model(
    A=[[0.0, 1.0], [-1.0, -2.0]],
    B=[[0.0], [1.0]],
    C=[[1.0, 0.0]],
    D=[[0.0]],
    u=Var(input=True, start=[1.0]),
    x=Var(init=[0.0, 0.0]),
    y=Var(output=True),
    equations=["der(x) = A@x + B@u", "y = C@x + D@u"],
)


@pytest.fixture(scope="module")
def sim():
    return instantiate(StateSpace, "StateSpace")


def exact(a, bu, x0, t):
    """x(t) of der(x) = a x + bu with constant bu."""
    n = len(x0)
    whole = expm(t * np.block([[a, bu[:, None]], [np.zeros((1, n + 1))]]))
    return whole[:n, :n] @ x0 + whole[:n, n]


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_any_order_runs_the_same_machine_code(sim, n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(n, n)) / np.sqrt(n) - np.eye(n), rng.normal(size=(n, 2))
    c, d = rng.normal(size=(3, n)), rng.normal(size=(3, 2))
    u, x0 = rng.normal(size=2), rng.normal(size=n)
    compiled, code = sim.compiled, sim.compiled.code_bytes
    before = compilations()
    result = sim.simulate(2.0, tolerance=1e-10, merge=Map(A=a, B=b, C=c, D=d, x=Var(init=x0), u=Var(start=u)))
    assert compilations() == before
    assert result.statistics["compilations_after_start"] == 0
    assert sim.compiled is compiled
    assert sim.compiled.code_bytes == code
    assert result["x"].shape == (result.time.size, n)
    assert result["y"].shape == (result.time.size, 3)
    for k in (0, 250, -1):
        x = exact(a, b @ u, x0, result.time[k])
        np.testing.assert_allclose(result["x"][k], x, rtol=1e-7, atol=1e-8)
        np.testing.assert_allclose(result["y"][k], c @ x + d @ u, rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(result["der(x)"][k], a @ x + b @ u, rtol=1e-7, atol=1e-7)


def test_elements_and_parameters_are_signals(sim):
    result = sim.simulate(1.0)
    np.testing.assert_array_equal(result["x[1]"], result["x"][:, 1])
    np.testing.assert_array_equal(result["der(x)[0]"], result["der(x)"][:, 0])
    np.testing.assert_array_equal(result["A"][7], StateSpace["A"])
    assert set(result["A[1,0]"]) == {-1.0}
    assert result.segment(1).states == ("x[0]", "x[1]")
    assert "x[2]" not in result
    assert "x[0,0]" not in result


def test_results_are_written_with_their_shapes(sim, tmp_path):
    result = sim.simulate(1.0)
    result.save(tmp_path / "result.h5")
    np.testing.assert_array_equal(read_result(tmp_path / "result.h5")["x"], result["x"])


@pytest.mark.parametrize("solver", ["sundae", "scipy"])
def test_all_solvers_take_arrays(sim, solver):
    reference = sim.simulate(3.0, tolerance=1e-9)["x"][-1]
    np.testing.assert_allclose(sim.simulate(3.0, tolerance=1e-9, solver=solver)["x"][-1], reference, rtol=1e-6)


def test_systems_in_a_row_with_different_orders():
    """A second order system drives one of third order through the connection of an output array with an input array."""
    model = Model(
        first=StateSpace | Map(u=Var(start=[1.0])),
        second=StateSpace
        | Map(A=-np.diag([1.0, 2.0, 3.0]), B=np.ones((3, 1)), C=np.ones((1, 3)), D=np.zeros((1, 1)), x=Var(init=np.zeros(3))),
        connect=[("first.y", "second.u")],
    )
    result = instantiate(model).simulate(40.0, tolerance=1e-9)
    np.testing.assert_allclose(result["first.y"][-1], [1.0], atol=1e-7)
    np.testing.assert_allclose(result["second.x"][-1], 1.0 / np.array([1.0, 2.0, 3.0]), atol=1e-6)


def test_autonomous_system_changes_its_size():
    """Two and three decoupled decays (a behaviour of Modia: the size of A and x changes with the parameters)."""
    model = Model(A=[[-1.0, 0.0], [0.0, -2.0]], x=Var(init=[1.0, 2.0]), equations=["der(x) = A@x"])
    sim = instantiate(model)
    np.testing.assert_allclose(sim.simulate(2.0, tolerance=1e-9)["x"][-1], np.array([1, 2]) * np.exp([-2, -4]), rtol=1e-6)
    merge = Map(A=np.diag([-1.0, -2.0, -3.0]), x=Var(init=[1.1, 2.1, 3.1]))
    final = sim.simulate(2.0, tolerance=1e-9, merge=merge)["x"][-1]
    np.testing.assert_allclose(final, np.array([1.1, 2.1, 3.1]) * np.exp([-2.0, -4.0, -6.0]), rtol=1e-6)


def test_matrix_differential_equation():
    """The transition matrix itself is a state."""
    a = np.array([[0.0, 1.0], [-2.0, -0.3]])
    sim = instantiate(Model(A=a, X=Var(init=np.eye(2)), equations=["der(X) = A@X"]))
    result = sim.simulate(1.5, tolerance=1e-10)
    np.testing.assert_allclose(result["X"][-1], expm(1.5 * a), rtol=1e-7)
    np.testing.assert_array_equal(result["X[1,0]"], result["X"][:, 1, 0])
    b = np.diag([-1.0, -2.0, -3.0])
    final = sim.simulate(1.0, tolerance=1e-10, merge=Map(A=b, X=Var(init=np.eye(3))))["X"][-1]
    np.testing.assert_allclose(final, expm(b), atol=1e-8)


def test_scalars_keep_their_places_beside_arrays():
    model = StateSpace | Model(z=Var(init=1.0), w=Var(), s=Var(), equations=["der(z) = -z", "w = 2*z + x[0]", "s = sum(x)"])
    sim = instantiate(model)
    assert sim.states == ("z", "x")
    result = sim.simulate(1.0, tolerance=1e-9, merge=Map(x=Var(init=[3.0, 4.0])))
    np.testing.assert_allclose(result["z"], np.exp(-result.time), rtol=1e-6)
    np.testing.assert_allclose(result["w"], 2 * result["z"] + result["x"][:, 0])
    np.testing.assert_allclose(result["s"], result["x"].sum(axis=1))
