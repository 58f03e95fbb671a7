"""Functions of a user in equations: values against Python, derivatives, inverses, mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modiapy import Function, Map, Model, ModelError, SimulationError, Var, instantiate


def wave(u, amplitude):
    return amplitude * math.sin(u)


def polar(x, y):
    return math.hypot(x, y), math.atan2(y, x)


def collatz(n):
    steps = 0
    while n > 1.5:
        n = n / 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def square(u):
    return u * u


def square_slope(u, du):
    return 2 * u * du


def too_large(u):
    if u > 0.5:
        raise ValueError("too large")
    return u


def test_values_are_those_of_python():
    model = Model(
        f=Function(wave),
        polar=Function(polar, outputs=2),
        collatz=Function(collatz),
        y=Var("f(2*time, 3) + 1"),
        r=Var(),
        phi=Var(),
        n=Var("collatz(27)"),
        equations=["(r, phi) = polar(cos(time), 2*sin(time))"],
    )
    result = instantiate(model).simulate(1.0)
    t = result.time
    np.testing.assert_allclose(result["y"], 3 * np.sin(2 * t) + 1, rtol=1e-14)
    np.testing.assert_allclose(result["r"], np.hypot(np.cos(t), 2 * np.sin(t)), rtol=1e-14)
    np.testing.assert_allclose(result["phi"], np.arctan2(2 * np.sin(t), np.cos(t)), rtol=1e-14)
    assert result["n"][-1] == 111  # published length of the sequence that begins with 27


def test_function_is_visible_in_submodels_and_in_parameters():
    inner = Model(k="f(2, 3)", y=Var("f(k, 1)"))
    sim = instantiate(Model(f=Function(wave), inner=inner))
    assert sim.parameter("inner.k") == pytest.approx(3 * math.sin(2))
    assert sim.simulate(1.0)["inner.y"][-1] == pytest.approx(math.sin(3 * math.sin(2)))


def test_own_function_hides_that_of_the_enclosing_model():
    inner = Model(f=Function(square), y=Var("f(3)"))
    result = instantiate(Model(f=Function(square_slope), inner=inner, y=Var("f(3, 1)"))).simulate(1.0)
    assert (result["inner.y"][-1], result["y"][-1]) == (9.0, 6.0)


def test_function_of_a_submodel_is_called_by_its_path():
    assert instantiate(Model(lib=Model(sq=Function(square)), y=Var("lib.sq(4)"))).simulate(1.0)["y"][-1] == 16.0


def test_unwanted_result_is_left_out():
    result = instantiate(Model(p=Function(polar, outputs=2), r=Var(), equations=["(r, _) = p(3, 4)"])).simulate(1.0)
    assert result["r"][-1] == 5.0


def test_closures_keep_their_own_values():
    def times(k):
        def f(u):
            return k * u

        return f

    model = Model(f=Function(times(2.0)), g=Function(times(3.0)), y=Var("f(1)"), z=Var("g(1)"))
    result = instantiate(model).simulate(1.0)
    assert (result["y"][-1], result["z"][-1]) == (2.0, 3.0)


def test_function_without_a_file_works_too():
    names = {}
    exec("def typed(u):\n    return u + 1", names)  # as in an interactive session
    assert instantiate(Model(f=Function(names["typed"]), y=Var("f(2)"))).simulate(1.0)["y"][-1] == 3.0


def test_functions_that_look_alike_are_told_apart():
    model = Model(f=Function(lambda u: u + 1), g=Function(lambda u: u + 2), y=Var("f(0)"), z=Var("g(0)"))
    result = instantiate(model).simulate(1.0)
    assert (result["y"][-1], result["z"][-1]) == (1.0, 2.0)


def test_equation_is_solved_by_the_inverse_function():
    model = Model(
        sq=Function(square, derivative=square_slope, inverse={"u": lambda y: math.sqrt(y)}),
        x=Var(),
        z=Var(init=0.0),
        equations=["sq(2*x) = 1 + time", "der(z) = x"],
    )
    sim = instantiate(model)
    assert sim.report()["blocks"] == 2  # two assignments: nothing is iterated
    result = sim.simulate(1.0)
    np.testing.assert_allclose(result["x"], np.sqrt(1 + result.time) / 2, rtol=1e-12)


def test_constraint_of_a_state_by_a_function():
    model = Model(
        sq=Function(square, derivative=square_slope), x=Var(start=1.0), y=Var(), equations=["sq(x) = 1 + time", "y = der(x)"]
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-8)
    np.testing.assert_allclose(result["x"], np.sqrt(1 + result.time), rtol=1e-6)
    np.testing.assert_allclose(result["y"], 0.5 / np.sqrt(1 + result.time), rtol=1e-5)


@pytest.mark.parametrize("derivative", [None, square_slope])
def test_nonlinear_equation_is_solved_with_and_without_derivative(derivative):
    model = Model(sq=Function(square, derivative=derivative), x=Var(start=1.0), equations=["sq(x) + x = 2 + time"])
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["x"], (-1 + np.sqrt(9 + 4 * result.time)) / 2, rtol=1e-7)


def test_derivative_is_used_by_index_reduction():
    """A mass whose position is prescribed: its acceleration comes from the second derivative of the function."""

    def second(u, du, v, dv):
        return 2 * v * du + 2 * u * dv

    model = Model(
        sq=Function(square, derivative=Function(square_slope, derivative=second)),
        s=Var(),
        v=Var(),
        f=Var(),
        equations=["s = sq(time)", "der(s) = v", "3*der(v) = f"],
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["v"], 2 * result.time, atol=1e-12)
    np.testing.assert_allclose(result["f"], 6.0, rtol=1e-12)


def test_state_equation_with_a_function_is_integrated():
    result = instantiate(Model(sq=Function(square), x=Var(init=1.0), equations=["der(x) = -sq(x)"])).simulate(
        2.0, tolerance=1e-9
    )
    np.testing.assert_allclose(result["x"], 1 / (1 + result.time), rtol=1e-7)


def test_new_parameters_need_no_new_machine_code():
    sim = instantiate(Model(f=Function(wave), a=2.0, y=Var("f(1, a)")))
    result = sim.simulate(1.0, merge=Map(a=5.0))
    assert result["y"][-1] == pytest.approx(5 * math.sin(1))
    assert result.statistics["compilations_after_start"] == 0


def test_exception_of_the_function_stops_the_simulation_with_its_words():
    model = Model(f=Function(too_large), y=Var("f(time)"), x=Var(init=0.0), equations=["der(x) = y"])
    with pytest.raises(SimulationError, match="ValueError: too large") as error:
        instantiate(model).simulate(1.0)
    assert error.value.time == pytest.approx(0.5, abs=0.05)


def test_division_by_zero_in_the_function_stops_the_simulation():
    model = Model(f=Function(lambda u: 1 / (u - u)), y=Var("f(time)"), x=Var(init=0.0), equations=["der(x) = y"])
    with pytest.raises(SimulationError, match="ZeroDivisionError"):
        instantiate(model).simulate(1.0)


def add_text(u):
    return u + "a"


def pair(u):
    return u, u


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda: Model(f=Function(add_text), y=Var("f(time)")), "f: the function 'add_text' cannot be compiled"),
        (lambda: Model(f=Function(pair), y=Var("f(time)")), "cannot be compiled"),
        (lambda: Model(f=Function(pair, outputs=2), y=Var("f(time)")), "has 2 results.*Write \\(a, b\\) = f"),
        (lambda: Model(f=Function(pair, outputs=2), y=Var(), equations=["(y,) = f(time)"]), "1 left sides; expected 2 results"),
        (lambda: Model(y=Var(), z=Var(), equations=["(y, z) = time"]), "several left sides"),
        (lambda: Model(f=Function(square), y=Var("f(time, 1)")), "found 2 arguments; expected 1"),
        (lambda: Model(f=Function(square, inputs=2), y=Var("f(time)")), "'square' has 1 arguments; expected inputs=2"),
        (lambda: Model(f=Function(square, outputs=0), y=Var("f(time)")), "has no result"),
        (lambda: Model(f=Function(square, derivative=square)), "the derivative of 'square' does not fit"),
        (lambda: Model(f=Function(square, inverse={"v": square})), "no such argument"),
        (lambda: Model(f=Function(math.sin), y=Var("f(time)")), "made from a Python function"),
        (lambda: Model(f=Function(lambda *u: 1.0), y=Var("f(time)")), "cannot be used in equations"),
        (lambda: Model(wave=Function(wave), y=Var("wav(time, 1)")), "unknown function 'wav'.*Did you mean 'wave'"),
        (lambda: Model(f=2.0, y=Var("f(time)")), "'f' is not a function"),
        (
            lambda: Model(f=Function(square), x=Var(), y=Var(), equations=["x = f(time)", "y = der(x)"]),
            "cannot be differentiated",
        ),
    ],
)
def test_mistakes_are_named(model, message):
    with pytest.raises(ModelError, match=message):
        instantiate(model())


def test_unknown_field_is_refused_at_once():
    with pytest.raises(ModelError, match="'derivativ'"):
        Function(square, derivativ=square_slope)


def test_a_function_whose_result_is_no_real_number_names_its_equation():
    root = Function(lambda u: (u - 2.0) ** 0.5)
    model = Model(root=root, x=Var(init=1.0), equations=["der(x) = root(x)"])
    with pytest.raises(SimulationError, match=r"'der\(x\) = root\(x\)' \(.* returned \(.*j\)\)"):
        instantiate(model).simulate(1.0)
