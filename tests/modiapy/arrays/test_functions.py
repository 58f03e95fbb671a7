"""Users' functions of arrays: values against Python, derivatives, sizes, mistakes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Function, Map, Model, SimulationError, Var, instantiate
from modiapy.symbolic.interpreter.interpreter import interpret
from tests.modiapy.runs import refusal

pytestmark = pytest.mark.white_box


def direction(v):
    return v / np.sqrt(np.sum(v * v))


def applied(A, v, s):
    return s * (A @ v), np.sum(v)


def applied_slope(A, v, s, dA, dv, ds):
    return s * (dA @ v + A @ dv) + ds * (A @ v), np.sum(dv)


def turned(A):
    return A.T.copy()


def reaction(T, k):
    rate = np.empty_like(T)
    for i in range(T.size):
        rate[i] = -k * T[i] ** 2
    return rate


def failing(v):
    if v[0] < 0.5:
        raise ValueError("too small")
    return v


Plant = Model(
    applied=Function(applied, shapes=["A@v", ""], derivative=applied_slope),
    turned=Function(turned, shapes="transpose(A)"),
    A=[[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]],
    s=Var("2 + time"),
    x=Var(init=[1.0, 2.0]),
    y=Var(),
    n=Var(),
    B=Var("turned(A)"),
    w=Var("der(y)"),
    equations=["der(x) = -x", "(y, n) = applied(A, x, s)"],
)


def test_values_derivatives_and_sizes():
    sim = instantiate(Plant)
    bigger = np.arange(20.0).reshape(4, 5)
    for a, merge in ((np.array(Plant["A"]), None), (bigger, Map(A=bigger, x=Var(init=np.arange(1.0, 6.0))))):
        result = sim.simulate(1.0, tolerance=1e-9, merge=merge)
        x, s = result["x"], result["s"]
        np.testing.assert_allclose(result["y"], s[:, None] * (x @ a.T), rtol=1e-12)
        np.testing.assert_allclose(result["n"], x.sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose(result["w"], (1.0 - s)[:, None] * (x @ a.T), rtol=1e-12)
        np.testing.assert_array_equal(result["B"][0], a.T)
        assert result.statistics["compilations_after_start"] == 0


def test_an_array_that_is_zero_keeps_its_shape():
    model = Model(f=Function(applied, shapes=["A@v", ""]), A=np.eye(3), x=Var(shape=3), y=Var(), n=Var())
    sim = instantiate(model | Model(equations=["x = 0", "(y, n) = f(A, x, 1)"]))
    assert sim.simulate(1.0)["y"].shape[1:] == (3,)


def test_reaction_in_every_cell():
    """der(T) = -k T^2 has the solution T0/(1 + k T0 t)."""
    model = Model(rate=Function(reaction, shapes="T"), k=0.5, T=Var(init=[1.0, 2.0]), equations=["der(T) = rate(T, k)"])
    start = np.linspace(0.5, 4.0, 40)
    result = instantiate(model).simulate(3.0, tolerance=1e-9, merge=Map(T=Var(init=start)))
    np.testing.assert_allclose(result["T"][-1], start / (1 + 0.5 * start * 3.0), rtol=1e-6)


def test_functions_without_derivative_in_nonlinear_equations():
    model = Model(
        direction=Function(direction, shapes="v"),
        b=[3.0, 1.0, 2.0],
        y=Var(start=[1.0, 1.0, 1.0]),
        equations=["2*y + direction(y) = b"],
    )
    sim = instantiate(model)
    for b in (np.array(model["b"]), np.array([4.0, -3.0])):
        y = sim.simulate(0.0, merge=Map(b=b, y=Var(start=np.ones(b.size))))["y"][0]
        length = np.linalg.norm(b)  # y is parallel to b: 2|y| + 1 = |b|
        np.testing.assert_allclose(y, b / length * (length - 1) / 2, rtol=1e-10)


@settings(max_examples=15)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=2), st.floats(-2, 2))
def test_machine_code_and_interpreter_agree(x, s):
    sim = _compiled()
    result = sim.simulate(0.0, merge=Map(x=Var(init=x), s=s))
    interpreted = interpret(sim.sorted, 0.0, x, {**sim.flat.parameters, "s": s})
    np.testing.assert_allclose(interpreted["y"], result["y"][0], rtol=1e-14)
    assert interpreted["n"] == pytest.approx(result["n"][0], rel=1e-14)


def _compiled(memory=[]):  # noqa: B006
    if not memory:
        memory.append(instantiate(Model(**{k: v for k, v in Plant.items() if k not in ("s", "w")}, s=1.0)))
    return memory[0]


@pytest.mark.parametrize(
    ("entry", "equation", "parts"),
    [
        (lambda: Function(direction), "y = f(x)", ["'f' was given an array", "'x' of shape (2,)", "shapes=..."]),
        (lambda: Function(direction, shapes="u"), "y = f(x)", ["refers to 'u'", "an expression of v"]),
        (lambda: Function(direction, shapes=[(0,)]), "y = f(x)", ["one or two positive integers"]),
        (lambda: Function(direction, shapes="v", inverse={"v": direction}), "y = f(x)", ["cannot have an inverse"]),
        (lambda: Function(direction, shapes="v"), "y = der(f(x))", ["cannot be differentiated", "derivative"]),
        (lambda: Function(direction, shapes="transpose(v)"), "y = f(x)", ["f(x)", "'x' of shape (2,)", "'transpose(v)'"]),
        (lambda: Function(direction, shapes=3), "y = f(x) + x", ["different shapes", "(3,) and (2,)"]),
        (lambda: Function(lambda v: v.nothing, shapes="v"), "y = f(x)", ["f: ", "cannot be compiled", "a vector"]),
    ],
)
def test_mistakes_are_named(entry, equation, parts):
    message = refusal(Model(f=entry(), x=Var(init=[1.0, 2.0]), y=Var(), equations=["der(x) = -x", equation]))
    for part in parts:
        assert part in message, message


def test_a_failure_ends_the_simulation_with_its_words():
    model = Model(f=Function(failing, shapes="v"), x=Var(init=[1.0, 2.0]), y=Var(), equations=["der(x) = -y", "y = f(x)"])
    with pytest.raises(SimulationError, match="too small"):
        instantiate(model).simulate(2.0)


def test_a_result_of_another_shape_ends_the_simulation():
    model = Model(
        f=Function(turned, shapes="A"), A=np.ones((2, 3)), y=Var("f(A)"), x=Var(init=1.0), equations=["der(x) = -sum(y[0])"]
    )
    with pytest.raises(SimulationError, match=r"shape \(3, 2\) instead of \(2, 3\)"):
        instantiate(model).simulate(1.0)


def exponentials(u):
    y = np.empty_like(u)
    for i in range(u.size):
        y[i] = math.exp(u[i]) + math.exp(2.0 * u[i])
    return y


@pytest.mark.parametrize("scale", [1e6, 1.0, 1e-6])
def test_differences_of_a_function_of_arrays_keep_to_the_size_of_its_arguments(scale):
    """Whatever the unknown is multiplied with: a step that is small for it may be large for the argument."""
    model = Model(
        f=Function(exponentials, shapes=["u"]),
        k=scale,
        p=np.array([1.0, -0.5]),
        a=Var(start=np.zeros(2), nominal=1.0 / scale),
        equations=["f(k*a*p) = [2 + time, 2]"],
    )
    result = instantiate(model).simulate(1.0, interval=0.1)
    argument = np.log(0.5 * (np.sqrt(1.0 + 4.0 * (2.0 + result.time)) - 1.0))
    np.testing.assert_allclose(scale * result["a"][:, 0], argument, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(scale * result["a"][:, 1], 0.0, atol=1e-10)
