"""Structurally singular models: the equations and variables left over are named, and no others."""

import pytest

from modiapy import ModelError
from modiapy.flat import sort_model

from .flat_models import call, flat_model, function

pytestmark = pytest.mark.white_box

GOOD = ["der(z) = -z + q", "q = sin(time)"]


def message(equations, names):
    with pytest.raises(ModelError, match="structurally singular") as error:
        sort_model(flat_model([*equations, *GOOD], [*names, "z", "q"]))
    assert "der(z)" not in str(error.value)
    assert "q = sin(time)" not in str(error.value)
    return error.value


def test_missing_equation_names_the_variables():
    error = message([("motor", "motor.u = motor.i*sin(motor.phi)")], ["motor.u", "motor.i", "motor.phi"])
    for text in ("too few equations (2 missing)", "'motor.u'", "'motor.i'", "'motor.phi'", "motor.u = motor.i*sin(motor.phi)"):
        assert text in str(error)
    assert "too many" not in str(error)
    assert "3 equations for 5 unknowns" in str(error)
    assert error.path == "motor"


def test_variable_without_any_equation():
    assert "'a.free'" in str(message([], ["a.free"]))


def test_too_many_equations_names_the_equations():
    assert message([("a", "x = sin(time)"), ("a", "x**2 = cos(time)")], ["x"]).path == "a"
    error = message([("a", "x = sin(time)"), ("b", "x**2 = cos(time)")], ["x"])
    assert error.path == ""
    for text in ("too many equations for 'x'", "a: x = sin(time)", "b: x**2 = cos(time)"):
        assert text in str(error)
    assert "too few" not in str(error)


def test_balanced_but_singular():
    error = message(["x + sin(y) = time", "sin(x) + y = 2*time", "x*y = 3", "a*b = time"], ["x", "y", "a", "b"])
    text = str(error)
    over, under = text.split("too few")
    assert all(e in over for e in ("x + sin(y) = time", "sin(x) + y = 2*time", "x*y = 3"))
    assert "a*b = time" in under
    assert "'a'" in under
    assert "'x'" not in under


def test_equation_of_parameters_and_time_only():
    assert "for no unknown" in str(message(["2*time = 1"], []))


def test_state_of_two_equations_for_one_derivative():
    assert "der(x) = 1" in str(message(["der(x) = 1", "der(x) = 2*time"], ["x"]))


def test_output_that_two_functions_compute():
    f, g = function("f", 0, 1), function("g", 0, 1)
    error = message([call(f, [], ["y"], "c1"), call(g, [], ["y"], "c2")], ["y"])
    assert "c1: (y) = f()" in str(error)
    assert "c2: (y) = g()" in str(error)


def test_long_lists_are_cut():
    text = str(message([], [f"unused{k}" for k in range(100)]))
    assert "and 88 more" in text
    assert len(text) < 1000
