"""Tables of time: every jump and kink is a time event, in every period, whatever rounding does to the times."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, Table1D, Var, When, instantiate
from modiapy.model.tables import LookupTable

pytestmark = pytest.mark.white_box

PLAIN = [[0.0, 0.0], [0.1, 1.0], [0.3, 0.0], [0.6, 2.0], [0.7, 2.5]]
JUMPS = [[-0.2, 0.5], [-0.2, 2.0], [0.1, 1.0], [0.1, 3.0], [0.5, 1.0], [0.5, 0.0]]
KINDS = [
    (interpolation, extrapolation, data)
    for interpolation in ("linear", "constant", "akima", "monotone")
    for extrapolation in ("linear", "hold", "periodic")
    for data in (PLAIN, JUMPS)
    if data is PLAIN or interpolation in ("linear", "constant")
]
NODES, WEIGHTS = (0.5 + 0.5 * np.polynomial.legendre.leggauss(3)[0], 0.5 * np.polynomial.legendre.leggauss(3)[1])
"""Exact for the cubic polynomials between abscissas."""


def reference(data: list[list[float]], interpolation: Any, extrapolation: Any, u: np.ndarray) -> np.ndarray:
    """Values by the definition of periods, and by the table for any argument."""
    x = np.array(data)[:, 0]
    table = LookupTable(np.array(data), interpolation, "hold" if extrapolation == "periodic" else extrapolation)
    inside = x[0] + (u - x[0]) % (x[-1] - x[0]) if extrapolation == "periodic" else u
    return np.array([table.evaluate([table.handle, 0, 0, v])[0] for v in inside])


@pytest.mark.parametrize(("interpolation", "extrapolation", "data"), KINDS)
def test_values_do_not_depend_on_rounding_of_the_instants(interpolation: Any, extrapolation: Any, data: Any) -> None:
    """``k*0.1 - shift`` falls short of an abscissa for some k and shift: the event must go on to the next one all the same."""
    sim = instantiate(
        Model(
            shift=0.0,
            scale=0.5,
            t=Table1D(data, interpolation=interpolation, extrapolation=extrapolation),
            y=Var("t(time - shift)"),
            fast=Var("t(2*time - shift)"),
            slow=Var("t((time - shift)*scale)"),
        )
    )
    x = np.array(data)[:, 0]
    for shift in (-1.0, 0.15, 0.7):
        for begin in (-2.0, 0.3, 0.7999999999999999):
            r = sim.simulate(begin + 2.0, start_time=begin, interval=0.05, merge=Map(shift=shift))
            for name, u in (("y", r.time - shift), ("fast", 2 * r.time - shift), ("slow", 0.5 * (r.time - shift))):
                inside = (u - x[0]) % (x[-1] - x[0]) + x[0] if extrapolation == "periodic" else u
                away = np.abs(inside[:, None] - x).min(axis=1) > 1e-9
                expected = reference(data, interpolation, extrapolation, u)
                np.testing.assert_allclose(r[name][away], expected[away], atol=1e-9, err_msg=f"{name}, {shift=}, {begin=}")


@pytest.mark.parametrize(("interpolation", "extrapolation", "data"), KINDS)
def test_integral_of_a_table_is_exact_at_the_default_tolerance(interpolation: Any, extrapolation: Any, data: Any) -> None:
    """No jump is stepped over: piecewise integrals of the definition are the reference."""
    model = Model(
        t=Table1D(data, interpolation=interpolation, extrapolation=extrapolation),
        z=Var(init=0.0),
        equations=["der(z) = t(time)"],
    )
    r = instantiate(model).simulate(1.5, start_time=-1.0)
    x = np.array(data)[:, 0]
    cycles = (x[-1] - x[0]) * np.arange(-6, 7)[:, None] if extrapolation == "periodic" else np.zeros((1, 1))
    at = np.unique(np.clip((x + cycles).round(12).ravel(), -1.0, 1.5))
    grid = [-1.0, *at, 1.5]
    exact = sum(
        float((reference(data, interpolation, extrapolation, a + (b - a) * NODES) @ WEIGHTS) * (b - a))
        for a, b in itertools.pairwise(grid)
        if b - a > 1e-9
    )
    assert r["z"][-1] == pytest.approx(exact, rel=2e-4, abs=2e-4)
    jumps = interpolation in ("linear", "constant")
    events = at[(at > -1.0) & (at < 1.5)] if jumps or extrapolation != "linear" else []
    for event in events if jumps else [e for e in events if abs((e - x[0]) % (x[-1] - x[0])) < 1e-9]:
        assert np.sum(np.abs(r.time - event) < 1e-9) == 2, f"no event at {event}"


def test_constant_table_of_time_is_discrete() -> None:
    """It may set an Integer, be compared without zero crossings, and trigger a when clause each period."""
    model = Model(
        t=Table1D([[0, 0], [0.2, 1], [0.5, 0]], interpolation="constant", extrapolation="periodic"),
        on=Var(type="Boolean"),
        n=Var(type="Integer", init=0),
        y=Var("t(time)"),
        equations=["on = y == 1", When("on", ["n = pre(n) + 1"])],
    )
    r = instantiate(model).simulate(1.6)
    assert r["n"][-1] == 3
    np.testing.assert_allclose(r.time[1:][np.diff(r["n"]) > 0], [0.2, 0.7, 1.2], atol=1e-12)


def test_next_kink_is_a_signal() -> None:
    model = Model(t=Table1D([[0, 0], [0.25, 1], [1, 0]], extrapolation="periodic"), y=Var("t(time)"))
    r = instantiate(model).simulate(2.6, interval=0.1)
    for time, following in ((0.12, 0.25), (0.32, 1.0), (1.12, 1.25), (1.32, 2.0), (2.52, 3.0)):
        assert r["t.next"][np.searchsorted(r.time, time)] == following


def test_table_is_differentiated_between_its_kinks() -> None:
    model = Model(t=Table1D([[0, 0], [0.5, 1], [1, 0]], extrapolation="periodic"), y=Var("t(time)"), v=Var("der(y)"))
    r = instantiate(model).simulate(3.0, interval=0.1)
    away = np.abs((r.time + 0.25) % 0.5 - 0.25) > 1e-9
    np.testing.assert_allclose(r["v"][away], np.where((r.time % 1.0) < 0.5, 2.0, -2.0)[away], atol=1e-9)


@pytest.mark.parametrize("scale", [2.0, 0.0, -2.0])
def test_an_argument_may_rise_or_fall_as_a_parameter_says(scale: float) -> None:
    """Kinks are events where it rises."""
    y = "t(scale*time + offset)"
    model = Model(scale=1.0, offset=0.0, t=Table1D(PLAIN), y=Var(y), z=Var(init=0.0), equations=[f"der(z) = {y}"])
    r = instantiate(model).simulate(0.25, interval=0.01, merge=Map(scale=scale, offset=0.6 if scale < 0 else 0.1))
    u, x = scale * r.time + (0.6 if scale < 0 else 0.1), np.array(PLAIN)
    np.testing.assert_allclose(r["y"], np.interp(u, *x.T), atol=1e-12)
    events = r.time[:-1][np.diff(r.time) == 0]
    assert bool(np.isclose(events, 0.1).any()) == (scale > 0)
