"""Initial equations of arrays."""

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.model.errors import StructureError

pytestmark = pytest.mark.white_box

A3 = np.array([[-2.0, 1.0, 0.0], [0.5, -3.0, 1.0], [0.0, 0.3, -1.0]])
Plant = Model(
    A=[[-2.0, 1.0], [0.5, -3.0]],
    b=[1.0, 2.0],
    x=Var(start=[0.0, 0.0]),
    q=Var("sum(x)"),
    equations=["der(x) = A@x + b"],
    initial_equations=["der(x) = 0"],
)


def test_steady_state_of_any_order():
    sim = instantiate(Plant)
    for a, b in ((np.array(Plant["A"]), np.array([1.0, 2.0])), (A3, np.array([1.0, -1.0, 2.0]))):
        result = sim.simulate(1.0, merge=Map(A=a, b=b, x=Var(start=np.zeros(b.size))))
        np.testing.assert_allclose(result["x"], np.broadcast_to(np.linalg.solve(a, -b), result["x"].shape), rtol=1e-9)
        assert result.statistics["compilations_after_start"] == 0


def test_steady_state_of_a_nonlinear_plant():
    """Radiation and conduction: 0 = q - T^4 - g (T - mean)."""
    model = Model(
        q=[1.0, 16.0],
        g=0.5,
        T=Var(start=[1.0, 1.0]),
        mean=Var(),
        equations=["der(T) = q - T**4 - g*(T - mean)", "mean = sum(T)/2"],
        initial_equations=["der(T) = 0"],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-8)
    T = result["T"][0]
    np.testing.assert_allclose(np.array([1.0, 16.0]) - T**4 - 0.5 * (T - T.mean()), 0.0, atol=1e-9)
    np.testing.assert_allclose(result["T"][-1], T, rtol=1e-6)


def test_elements_are_gathered():
    model = Model(
        c=2.0,
        x=Var(start=[0.0, 0.0, 0.0]),
        v=Var(init=[1.0, 2.0, 3.0]),
        equations=["der(x) = -x", "der(v) = x"],
        initial_equations=["x[0] = c", "x[1:] = [c*v[1], exp(v[0])]"],
    )
    np.testing.assert_allclose(instantiate(model).simulate(0.0)["x"][0], [2.0, 4.0, np.e])


def test_array_and_scalar_conditions_together():
    """A scalar that stands in both: der(x) = 0 for all elements, and one number says what the sum of x and s is."""
    model = Model(
        A=np.diag([-1.0, -3.0]),
        x=Var(start=[0.0, 0.0]),
        s=Var(start=1.0),
        equations=["der(x) = A@x + s", "der(s) = -s"],
        initial_equations=["der(x) = 0", "sum(x) + s = 7"],
    )
    sim = instantiate(model)
    result = sim.simulate(0.0)
    np.testing.assert_allclose(result["x"][0], [3.0, 1.0], rtol=1e-9)
    assert result["s"][0] == pytest.approx(3.0)
    bigger = sim.simulate(0.0, merge=Map(A=np.diag([-1.0, -2.0, -4.0]), x=Var(start=np.zeros(3))))
    assert bigger["s"][0] == pytest.approx(7.0 / 2.75)


def test_init_of_an_array_that_is_no_state():
    model = Model(
        M=[[2.0, 0.0], [1.0, 1.0]], x=Var(start=[0.0, 0.0]), y=Var(init=[4.0, 5.0]), equations=["der(x) = -x", "y = M@x"]
    )
    sim = instantiate(model)
    np.testing.assert_allclose(sim.simulate(0.0)["x"][0], [2.0, 3.0])
    m = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    result = sim.simulate(0.0, merge=Map(M=m, x=Var(start=np.zeros(3)), y=Var(init=[1.0, 2.0, 3.0])))
    np.testing.assert_allclose(result["x"][0], np.linalg.solve(m, [1.0, 2.0, 3.0]))


def test_start_values_hold_where_nothing_else_does():
    model = Plant | Model(v=Var(start=[7.0, 8.0]), equations=["der(v) = x"])
    sim = instantiate(model)
    np.testing.assert_allclose(sim.simulate(0.0)["v"][0], [7.0, 8.0])
    assert sim.report()["states fixed by start"] == 1


def test_wrong_shapes_are_refused_by_name():
    with pytest.raises(ModelError) as error:
        instantiate(Plant | Map(initial_equations=["x = [1, 2, 3]"]))
    assert "'x = [1, 2, 3]'" in str(error.value)
    assert "(2,) = (3,)" in str(error.value)
    with pytest.raises(ModelError) as error:
        instantiate(Plant).simulate(1.0, merge=Map(b=[1.0, 2.0, 3.0]))
    assert "different shapes" in str(error.value)


def test_initial_equations_are_solved_for_what_has_their_shape_only():
    """Also when sizes change later."""
    model = Model(M=2.0 * np.eye(2), c=[1.0, 2.0], x=Var(start=[0.0, 0.0]), equations=["der(x) = -x"])
    sim = instantiate(model | Model(initial_equations=["M@x = c"]))
    larger = Map(M=4.0 * np.eye(3), c=[1.0, 2.0, 3.0], x=Var(start=np.zeros(3)))
    np.testing.assert_allclose(sim.simulate(0.0, merge=larger)["x"][0], [0.25, 0.5, 0.75])
    with pytest.raises(StructureError, match=r"x: with these sizes .* 'M@x = c' .*found shape \(2,\); expected shape \(3,\)"):
        sim.simulate(0.0, merge=Map(M=np.ones((2, 3)), x=Var(start=np.zeros(3))))
