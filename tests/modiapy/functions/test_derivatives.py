"""Derivatives of users' functions: exact whatever their form is, or refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from modiapy import Function, Map, Model, ModelError, Var, instantiate

GIVEN = ("q", "qd", "qdd")


def position(q, qd, qdd, t):
    return q


def speed(q, qd, qdd, t, dt):
    return qd


def acceleration(q, qd, qdd, t, dt, dt_again, ddt):
    return qdd


Position = Function(position, derivative=Function(speed, derivative=acceleration, no_derivative=GIVEN), no_derivative=GIVEN)
Bare = Function(
    lambda q, qd, qdd: q,
    derivative=Function(lambda q, qd, qdd: qd, derivative=lambda q, qd, qdd: qdd, no_derivative=GIVEN),
    no_derivative=GIVEN,
)


@pytest.mark.parametrize(("function", "call"), [(Position, "f(q, qd, qdd, time)"), (Bare, "f(q, qd, qdd)")])
@pytest.mark.parametrize("as_input", [True, False])
def test_arguments_that_are_derivatives_of_others(function: Any, call: str, as_input: bool) -> None:
    """`Move` of the Modelica library: position, speed and acceleration come from outside; nothing of it is differentiated."""
    mass = Model(
        f=function,
        q=Var(input=True, start=0.25),
        qd=Var(input=True, start=2.0),
        qdd=Var(input=True, start=3.0),
        s=Var(call),
        v=Var("der(s)"),
        force=Var("4*der(v)"),
    )
    if as_input:
        result = instantiate(mass).simulate(1.0)
        assert (result["s"][-1], result["v"][-1], result["force"][-1]) == (0.25, 2.0, 12.0)
    else:
        moved = mass | Map(q=Var("sin(3*time)"), qd=Var("3*cos(3*time)"), qdd=Var("-9*sin(3*time)"))
        result = instantiate(moved).simulate(1.0)
        np.testing.assert_allclose(result["v"], 3 * np.cos(3 * result.time), atol=1e-12)
        np.testing.assert_allclose(result["force"], -36 * np.sin(3 * result.time), atol=1e-12)


def product(q, qd):
    return q * q * (1 + qd)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda q, qd, dq, dqd: 2 * q * (1 + qd) * dq + q * q * dqd,
        lambda q, qd, dq, dqd: 2 * q * (1 + qd) * qd + q * q * dqd,  # qd is the derivative of q: dq is not needed
        lambda q, qd, dq, dqd: 2 * q * (1 + qd) * qd - q * q * q,  # and q'' = -q
        lambda q, qd, dq, dqd: q * (1 + qd) * (dq + qd) + q * q * (dqd - q) / 2,
    ],
)
def test_every_form_of_the_exact_derivative_counts(derivative: Any) -> None:
    model = Model(
        f=Function(product, derivative=derivative),
        q=Var(init=0.8),
        qd=Var(init=0.3),
        y=Var("f(q, qd)"),
        rate=Var("der(y)"),
        exact=Var("2*q*(1 + qd)*qd - q**3"),
        equations=["der(q) = qd", "der(qd) = -q"],
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    np.testing.assert_allclose(result["rate"], result["exact"], rtol=1e-12, atol=1e-12)


def test_such_a_function_in_a_constraint_and_in_an_iteration() -> None:
    """The speed follows from the constraint; the equation for z needs partial derivatives, which it does not give."""
    given = Function(lambda q, t: q + 100 * t, derivative=lambda q, t, dq, dt: dq + 100.0)
    model = Model(
        f=given, x=Var(), v=Var("der(x)"), z=Var(start=1.0), equations=["f(x, time) = sin(time)", "f(z, time)*z = 6 + time"]
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-8)
    t = result.time
    np.testing.assert_allclose(result["x"], np.sin(t) - 100 * t, atol=1e-5)
    np.testing.assert_allclose(result["v"], np.cos(t) - 100, atol=1e-7)
    np.testing.assert_allclose(result["z"], -50 * t + np.sqrt(2500 * t * t + 6 + t), rtol=1e-8)


def test_functions_of_arrays() -> None:
    still = ("q", "qd")
    model = Model(
        f=Function(lambda q, qd: 1.0 * q, shapes="q", derivative=lambda q, qd: 1.0 * qd, no_derivative=still),
        g=Function(lambda q, s: s * q, shapes="q", derivative=lambda q, s, dq: s * dq, zero_derivative="s"),
        k=5.0,
        q=Var("[time, time**2]"),
        qd=Var("[1, 2*time]"),
        y=Var("f(q, qd)"),
        rate=Var("der(y)"),
        scaled=Var("g(q, k)"),
        fast=Var("der(scaled)"),
    )
    result = instantiate(model).simulate(1.0)
    expected = np.stack([np.ones_like(result.time), 2 * result.time], axis=1)
    np.testing.assert_allclose(result["rate"], expected, atol=1e-12)
    np.testing.assert_allclose(result["fast"], 5 * expected, atol=1e-12)


def test_a_second_derivative_that_counts_on_the_first_one_is_refused() -> None:
    """It would get the derivative of x and unit vectors in its place."""
    second = Function(lambda x, u: 2 * x * u, derivative=lambda x, u, du: 2 * u * u + 2 * x * du, no_derivative="x")
    with pytest.raises(ModelError, match=r"is not told how x change.*gets unit vectors.*all arguments"):
        instantiate(Model(f=Function(lambda x: x * x, derivative=second), y=Var("f(time)")))


def test_arguments_that_must_not_change() -> None:
    power = Function(lambda u, n: u**n, derivative=lambda u, n, du: n * u ** (n - 1) * du, zero_derivative="n")
    result = instantiate(Model(f=power, n=3.0, y=Var("f(time, n)"), rate=Var("der(y)"))).simulate(1.0)
    np.testing.assert_allclose(result["rate"], 3 * result.time**2, atol=1e-12)
    with pytest.raises(ModelError, match=r"'n', which may change.* zero_derivative"):
        instantiate(Model(f=power, n=Var("1 + time"), y=Var("f(time, n)"), rate=Var("der(y)")))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Function(lambda u: u, derivative=lambda u, du: du * du), ["'<lambda>' is not affine", "f:", "no_derivative"]),
        (lambda: Function(lambda u: u, derivative=lambda u, du: math.sqrt(abs(du))), ["is not affine"]),
    ],
)
@pytest.mark.parametrize("shapes", [(), "u"])
def test_what_is_no_derivative_is_refused(make: Any, words: list[str], shapes: Any) -> None:
    function = make() | Map(shapes=shapes) if shapes else make()
    if shapes:
        function = function | Map(function=lambda u: u, derivative=lambda u, du: du * du)
    argument = "[time, 2*time]" if shapes else "time"
    with pytest.raises(ModelError) as error:
        instantiate(Model(f=function, x=Var(argument), y=Var("f(x)"), rate=Var("der(y)")))
    assert all(word in str(error.value) for word in words)


def test_mistakes() -> None:
    with pytest.raises(ModelError, match="no_derivative") as error:
        Function(position, noDerivative="q")
    assert "no_derivative=(names" in str(error.value)
    for wrong, words in (
        (
            Function(position, derivative=speed, no_derivative=("q", "qd", "ddq")),
            "'no_derivative' of 'position'.*'ddq'.*Did you mean 'qdd'",
        ),
        (Function(position, derivative=speed), "8 arguments .those of 'position', then the derivatives of q, qd, qdd, t."),
        (Function(position, derivative=speed, no_derivative=("q", "qd")), "6 arguments .*derivatives of qdd, t"),
    ):
        with pytest.raises(ModelError, match=words):
            instantiate(Model(f=wrong, y=Var("f(time, 1, 0, time)")))
