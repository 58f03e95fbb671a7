"""Vector equations between scalars, and tuples in when clauses, mean what their elements mean."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Function, Map, Model, ModelError, Var, When, instantiate


def circle(a, b):
    return np.array([a * a + b * b - 25.0, a - b - 1.0])


def turned(a, b):
    return np.array([-b, a])


Circle = Function(circle, shapes=[(2,)])
Turned = Function(turned, shapes=[(2,)])


@pytest.mark.parametrize("equation", ["[0, 0] = g(a, b)", "g(a, b) = [0, 0]", "g(a, b) - [0, time - time] = [0, 0]"])
def test_residuals_determine_scalars(equation: str) -> None:
    result = instantiate(Model(g=Circle, a=Var(start=5.0), b=Var(start=2.0), equations=[equation])).simulate(0.1)
    assert (result["a"][-1], result["b"][-1]) == pytest.approx((4.0, 3.0), rel=1e-12)


@pytest.mark.parametrize(
    "equations",
    [
        ["[a, b] = 2*x", "x = [1, time]"],
        ["2*x = [a, b]", "x = [1, time]"],
        ["x = [1, time]", "[a, b] = M@x"],
        ["[a, b + a - 2] = 2*x", "x = [1, time]"],
        ["x = [a, b]/2", "[a, b] = [2, 2*time]"],
    ],
)
def test_a_list_of_scalars_takes_a_vector_apart(equations: list[str]) -> None:
    model = Model(M=[[2.0, 0.0], [0.0, 2.0]], a=Var(), b=Var(), x=Var(shape=2), equations=equations)
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["a"], 2.0, atol=1e-12)
    np.testing.assert_allclose(result["b"], 2 * result.time, atol=1e-12)
    np.testing.assert_allclose(result["x"], np.stack([np.ones_like(result.time), result.time], axis=1), atol=1e-12)


def test_derivatives_and_initial_equations() -> None:
    model = Model(
        f=Turned,
        g=Circle,
        a=Var(start=5.0),
        b=Var(start=2.0),
        equations=["[der(a), der(b)] = f(a, b)"],
        initial_equations=["[0, 0] = g(a, b)"],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    np.testing.assert_allclose(result["a"], 4 * np.cos(result.time) - 3 * np.sin(result.time), atol=1e-6)
    np.testing.assert_allclose(result["b"], 3 * np.cos(result.time) + 4 * np.sin(result.time), atol=1e-6)


def test_vectors_stay_vectors() -> None:
    model = Model(x=Var(init=[1.0, 2.0]), y=Var(), equations=["der(x) = -x", "y = [2*x[0], x[1]]"])
    sim = instantiate(model)
    assert sim.simulate(0.1)["y"].shape[1] == 2
    assert "y" in sim.flat.shapes


def test_too_many_scalars_are_told() -> None:
    with pytest.raises(ModelError, match="singular"):
        instantiate(Model(g=Circle, a=Var(), b=Var(), c=Var(), equations=["[0, 0] = g(a, b)"]))


@pytest.mark.parametrize("assignment", ["(a, b) = f(time)", "[a, b] = [2*time, time]"])
def test_several_assignments_in_a_when(assignment: str) -> None:
    model = Model(
        f=Function(lambda u: (2 * u, u), outputs=2),
        a=Var(init=0.0),
        b=Var(init=0.0),
        equations=[When("sample(0.25, 0.25)", [assignment])],
    )
    result = instantiate(model).simulate(1.1)
    assert (result["a"][-1], result["b"][-1]) == pytest.approx((2.0, 1.0))
    inside = (result.time > 0.3) & (result.time < 0.45)
    np.testing.assert_allclose(result["a"][inside], 0.5)
    one = model | Map(equations=None, b=None) | Model(b=Var(), equations=[When("time > 0.5", ["(a, _) = f(time)"]), "b = 1"])
    assert instantiate(one).simulate(1.0)["a"][-1] == pytest.approx(1.0)


@pytest.mark.parametrize("text", ["(a, b) = g(time)", "[a, b] = [1, 2, 3]", "(a, 2*b) = f(time)", "(a, b) = 2"])
def test_mistakes_in_a_when(text: str) -> None:
    model = Model(f=Function(lambda u: (2 * u, u), outputs=2), a=Var(init=0.0), b=Var(init=0.0))
    with pytest.raises(ModelError):
        instantiate(model | Model(equations=[When("time > 0.5", [text])]))
