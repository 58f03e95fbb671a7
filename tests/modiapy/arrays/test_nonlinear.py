"""Nonlinear systems with arrays among their unknowns; scipy and models written out in scalars are the references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import root

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.symbolic.interpreter.interpreter import interpret

pytestmark = pytest.mark.white_box

System = Model(
    A=[[4.0, 1.0], [1.0, 5.0]],
    x=Var(init=[1.0, 2.0]),
    y=Var(start=[0.1, 0.1]),
    z=Var(start=0.5),
    w=Var(),
    equations=["der(x) = -y", "A@y + exp(y) + w = x", "z + 0.1*sum(y) + sin(z)/2 = sum(x)", "w = z*x/4"],
)


@pytest.fixture(scope="module")
def sim():
    return instantiate(System)


@pytest.mark.parametrize("n", [2, 1, 7])
def test_any_size_runs_the_same_machine_code(sim, n):
    rng = np.random.default_rng(n)
    a, x = rng.normal(size=(n, n)) + 5 * np.eye(n), rng.uniform(0, 1, n)
    result = sim.simulate(0.5, tolerance=1e-9, merge=Map(A=a, x=Var(init=x), y=Var(start=np.zeros(n))))
    assert result.statistics["compilations_after_start"] == 0

    def residual(unknowns, x):
        y, z = unknowns[:n], unknowns[n]
        return [*(a @ y + np.exp(y) + z * x / 4 - x), z + 0.1 * y.sum() + np.sin(z) / 2 - x.sum()]

    for k in (0, 250, -1):
        solution = root(residual, [*result["y"][k], result["z"][k]], args=(result["x"][k],), tol=1e-13).x
        np.testing.assert_allclose(result["y"][k], solution[:n], atol=1e-10)
        assert result["z"][k] == pytest.approx(solution[n], abs=1e-10)


def test_interpreter_agrees(sim):
    result = sim.simulate(0.0)
    interpreted = interpret(sim.sorted, 0.0, [1.0, 2.0], sim.flat.parameters)
    for name in ("y", "z", "w"):
        np.testing.assert_allclose(interpreted[name], result[name][0], rtol=1e-10, atol=1e-12)


def test_start_chooses_among_solutions_element_by_element():
    model = Model(y=Var(start=[1.0, -1.0, 2.0]), c=[4.0, 9.0, 16.0], equations=["y**2 = c"])
    sim = instantiate(model)
    np.testing.assert_allclose(sim.simulate(0.0)["y"][0], [2.0, -3.0, 4.0], rtol=1e-12)
    merge = Map(y=Var(start=[-1.0, 1.0]), c=[1.0, 25.0])
    np.testing.assert_allclose(sim.simulate(0.0, merge=merge)["y"][0], [-1.0, 5.0], rtol=1e-12)


@settings(max_examples=10)
@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.floats(0.1, 2.0))
def test_array_model_equals_the_model_in_scalars(x, c):
    arrays, scalars = _pair()
    merge = {f"x{k}": Var(init=v) for k, v in enumerate(x)}
    one = arrays.simulate(0.3, tolerance=1e-9, merge=Map(x=Var(init=x), c=c))
    other = scalars.simulate(0.3, tolerance=1e-9, merge=Map(c=c, **merge))
    for k in range(3):
        np.testing.assert_allclose(one["y"][:, k], other[f"y{k}"], rtol=1e-6, atol=1e-7)


def _pair(memory=[]):  # noqa: B006
    """y + c*y^3 + (sum of y)/10 = x, der(x) = -y."""
    if not memory:
        model = Model(c=1.0, x=Var(init=[0.0, 0.0, 0.0]), y=Var(), equations=["der(x) = -y", "y + c*y**3 + 0.1*sum(y) = x"])
        parts = {f"x{k}": Var(init=0.0) for k in range(3)} | {f"y{k}": Var() for k in range(3)}
        equations = [f"y{k} + c*y{k}**3 + 0.1*(y0 + y1 + y2) = x{k}" for k in range(3)] + [
            f"der(x{k}) = -y{k}" for k in range(3)
        ]
        memory += [instantiate(model), instantiate(Model(c=1.0, **parts, equations=equations))]
    return memory


def test_a_system_without_solution_is_named_with_elements():
    sim = instantiate(Model(c=[1.0, 4.0], y=Var(start=[1.0, 1.0]), x=Var(init=0.0), equations=["y**2 = c", "der(x) = y[0]"]))
    with pytest.raises(SimulationError) as error:
        sim.simulate(1.0, merge=Map(c=[4.0, -1.0]))
    message = str(error.value)
    assert "no solution was found of the nonlinear equations for y" in message
    assert "y**2 = c" in message
    assert "y[1] = " in message


def test_sizes_that_do_not_fit_are_refused(sim):
    with pytest.raises(ModelError) as error:
        sim.simulate(1.0, merge=Map(A=np.eye(3)))
    assert "'A' of shape (3, 3) and 'y' of shape (2,)" in str(error.value)
    with pytest.raises(ModelError) as error:
        sim.simulate(1.0, merge=Map(y=Var(start=[1.0, 2.0, 3.0])))
    assert "found" in str(error.value)
