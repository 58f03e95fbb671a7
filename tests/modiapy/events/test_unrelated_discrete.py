"""A Boolean or an Integer in a model changes nothing for equations that have nothing to do with it."""

import itertools
import re

import numpy as np
import pytest

from modiapy import Model, Var, When, instantiate

UNRELATED = {
    "nothing": Model(),
    "Integer": Model(k=Var(type="Integer"), equations=["k = 3"]),
    "Boolean": Model(k=Var(type="Boolean"), z=Var(init=0.0), equations=["der(z) = 1", "k = z > 0.5"]),
    "parameter": Model(q=1.0, k=Var(type="Boolean"), equations=["k = q > 0.5"]),
    "memory": Model(k=Var(type="Integer", init=1), m=Var(type="Integer"), equations=["k = pre(k)", "m = k + 1"]),
}


def speed(t):
    return np.exp(-2.0 * t)


MODELS = {
    "constants": (
        {"p": 1.0}, ["c = 2*p if p > 0.5 else 3", "d = c", "s = d*time", "v = der(s)"],
        {"s": lambda t: 2.0 * t, "v": lambda t: 2.0 + 0.0 * t},
    ),
    "sums of constants": (
        {}, ["c = 2", "c + d = 0", "f - d = c*c", "s = f*d*time", "v = der(s)"],
        {"f": lambda t: 2.0 + 0.0 * t, "s": lambda t: -4.0 * t, "v": lambda t: -4.0 + 0.0 * t},
    ),
    "rotation": (
        {}, ["a = 0.6", "b = 0.8", "c = b", "d = 0.5*a", "f = a*c + b*d", "s = der(f) + f*time", "v = der(s)"],
        {"f": lambda t: 0.72 + 0.0 * t, "v": lambda t: 0.72 + 0.0 * t},
    ),
    "derivative of a constant": (
        {}, ["c = 2*3", "0 = d - c", "s = d*time + der(d)", "v = der(s)"],
        {"s": lambda t: 6.0 * t, "v": lambda t: 6.0 + 0.0 * t},
    ),
    "constraint": (
        {"x": Var(init=1.0)}, ["a = 2", "b = a*3", "x + s = a*b", "der(x) = -a*x", "v = der(s)"],
        {"s": lambda t: 12.0 - speed(t), "v": lambda t: 2.0 * speed(t)},
    ),
    "implicit constants": (
        {}, ["c + 2*d = 4", "c - d = 1", "s = c*d*time**2", "v = der(der(s))"],
        {"s": lambda t: 2.0 * t**2, "v": lambda t: 4.0 + 0.0 * t},
    ),
    "switched constant": (
        {}, ["c = 2 if time > 0.5 else 3", "s = c*time", "v = der(s)"],
        {"s": lambda t: np.where(t > 0.5, 2.0, 3.0) * t},
    ),
}  # fmt: skip


@pytest.mark.parametrize("beside", UNRELATED)
@pytest.mark.parametrize("name", MODELS)
def test_what_has_nothing_to_do_with_it_stays_as_it_is(name, beside):
    entries, equations, expected = MODELS[name]
    free = [n for n in "abcdfsv" if re.search(rf"\b{n}\b", " ".join(equations))]
    for rotated in (equations, equations[::-1]):
        model = Model(entries | {n: Var() for n in free}, equations=list(rotated)) | UNRELATED[beside]
        result = instantiate(model).simulate(1.0, tolerance=1e-9)
        away = np.abs(result.time - 0.5) > 1e-9
        for variable, function in expected.items():
            np.testing.assert_allclose(result[variable][away], function(result.time)[away], atol=1e-6, err_msg=variable)


@pytest.mark.parametrize("text", ["der(x) = n", "-n = der(x)", "der(x) - n = 0"])
def test_a_slope_that_changes_at_events_only_has_no_slope_itself(text):
    """The discrete variable is the derivative of x, and yet its own is zero, as far as there is one."""
    model = Model(
        x=Var(init=0.0), n=Var(init=1.0), a=Var(), equations=[text, "a = der(der(x))", When("time > 0.5", ["n = 2*pre(n)"])]
    )
    result, sign = instantiate(model).simulate(1.0), -1.0 if text.startswith("-") else 1.0
    assert result["x"][-1] == pytest.approx(sign * 1.5)
    np.testing.assert_array_equal(result["a"], 0.0)


def test_a_discrete_variable_carries_its_jumps_through_differentiated_equations():
    """The slope of s changes when an Integer does, and nothing else of it: in every order of the equations."""
    equations = ["n = 1 if time < 1 else 4", "g = n", "g + h = 0", "s = h*x", "der(x) = 1", "v = der(s)"]
    for order in itertools.islice(itertools.permutations(equations), 0, None, 97):
        variables = {"n": Var(type="Integer"), "x": Var(init=0.0)} | {name: Var() for name in "ghsv"}
        result = instantiate(Model(variables, equations=list(order))).simulate(2.0)
        before, after = result.time < 1.0, result.time > 1.0
        np.testing.assert_allclose(result["v"][before], -1.0, atol=1e-12)
        np.testing.assert_allclose(result["v"][after], -4.0, atol=1e-12)
        np.testing.assert_allclose(result["s"][after], -4.0 * result.time[after], atol=1e-9)
