"""A planar four-bar loop in a tilted plane, closed by three equations in space, against mechanics in one coordinate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from modiapy import Map, Model, ModelError, Var, When, instantiate
from modiapy.flat import Variable, sort_model
from modiapy.symbolic.flattening.flatten import flatten

from ..symbolic.flat_models import call, function

pytestmark = pytest.mark.white_box

CRANK, COUPLER, ROCKER, BASE = 0.3, 1.0, 0.6, 0.9
INERTIA = np.array([0.1, 0.2, 0.3])
WEIGHT = 9.81 * np.array([0.15, 0.5, 0.3])
FIRST, SECOND = np.array([2.0, 1.0, 2.0]) / 3.0, np.array([-2.0, 2.0, 1.0]) / 3.0
"""Axes of the plane."""


def four_bar(positions: bool) -> Model:
    """Angles from the first axis and the forces at the cut between coupler and rocker.

    Args:
        positions: whether the ends of coupler and rocker are variables of their own.
    """
    entries: dict[str, object] = {f"u{i}": float(FIRST[i]) for i in range(3)} | {f"v{i}": float(SECOND[i]) for i in range(3)}
    entries |= {f"f{i}": Var() for i in range(3)}
    entries |= {"p1": Var(init=0.5), "p2": Var(start=0.5), "p3": Var(start=1.5)}
    along = [" + ".join(f"{axis}{i}*f{i}" for i in range(3)) for axis in "uv"]
    equations = [
        f"{INERTIA[k]}*der(der(p{k + 1})) = -{WEIGHT[k]}*cos(p{k + 1})"
        f" {sign} {length}*(cos(p{k + 1})*({along[1]}) - sin(p{k + 1})*({along[0]}))"
        for k, (length, sign) in enumerate([(CRANK, "-"), (COUPLER, "-"), (ROCKER, "+")])
    ]
    for i in range(3):
        coupler = f"u{i}*({CRANK}*cos(p1) + {COUPLER}*cos(p2)) + v{i}*({CRANK}*sin(p1) + {COUPLER}*sin(p2))"
        rocker = f"u{i}*({ROCKER}*cos(p3) + {BASE}) + v{i}*{ROCKER}*sin(p3)"
        if positions:
            entries |= {f"a{i}": Var(), f"b{i}": Var()}
            equations += [f"a{i} = {coupler}", f"b{i} = {rocker}", f"a{i} = b{i}"]
        else:
            equations.append(f"{coupler} = {rocker}")
    return Model(entries | {"equations": equations})


def others(crank: float, guess: np.ndarray) -> np.ndarray:
    """Angles of coupler and rocker from that of the crank."""
    pivot = np.array([BASE - CRANK * np.cos(crank), -CRANK * np.sin(crank)])

    def gap(rocker: float) -> float:
        return float(np.hypot(*(pivot + ROCKER * np.array([np.cos(rocker), np.sin(rocker)]))) - COUPLER)

    rocker = brentq(gap, guess[1] - 0.5, guess[1] + 0.5, xtol=1e-15)
    end = pivot + ROCKER * np.array([np.cos(rocker), np.sin(rocker)])
    return np.array([np.arctan2(end[1], end[0]), rocker])


def motion(times: np.ndarray, coupler: float, rocker: float) -> np.ndarray:
    """The three angles, shape (3, nt), by the equation of motion M(p1) der(w) + dM/dp1 w**2 / 2 = torque."""

    def slopes(p: np.ndarray) -> np.ndarray:
        """dp/dp1 from the closed loop."""
        matrix = np.array([[-COUPLER * np.sin(p[1]), ROCKER * np.sin(p[2])], [COUPLER * np.cos(p[1]), -ROCKER * np.cos(p[2])]])
        right = CRANK * np.array([np.sin(p[0]), -np.cos(p[0])])
        return np.array([1.0, *np.linalg.solve(matrix, right)])

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        p, w = y[:3], y[3]
        s = slopes(p)
        bend = (slopes(p + 1e-5 * s) - slopes(p - 1e-5 * s)) / 2e-5
        acceleration = -(s @ (WEIGHT * np.cos(p)) + s @ (INERTIA * bend) * w**2) / (s @ (INERTIA * s))
        return np.array([*(s * w), acceleration])

    start = [0.5, coupler, rocker, 0.0]
    return solve_ivp(rates, (0.0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-11).y[:3]


@pytest.mark.parametrize("positions", [False, True])
def test_of_three_closure_equations_one_is_removed(positions: bool) -> None:
    with pytest.warns(UserWarning, match=r"f\d set to 0, because nothing determines it: the constraint .* follows from others"):
        sim = instantiate(four_bar(positions), "FourBar")
    result = sim.simulate(1.0, tolerance=1e-9, absolute_tolerance=1e-10)
    first = [result[f"p{k}"][0] for k in (1, 2, 3)]
    assert first[0] == 0.5
    assert first[1:] == pytest.approx(others(0.5, np.array(first[1:])), abs=1e-9)
    expected = motion(result.time, first[1], first[2])
    assert np.ptp(expected[0]) > 0.1  # it moves
    for k in range(3):
        assert np.abs(result[f"p{k + 1}"] - expected[k]).max() < 1e-5


@pytest.mark.parametrize(
    "beside",
    [
        ["der(q) = 1", "s = 2*q"],
        ["der(q) = s", "q = s - 1"],
        ["der(s) = q", "q + s = sin(time)"],
        ["s*p1 = q + 2*s", "der(q) = -q"],
    ],
)
def test_a_state_and_what_follows_from_it_are_not_open(beside: list[str]) -> None:
    """In an equation without derivatives both may change without a change of its value, but the integrator gives the state."""
    model = Model(q=Var(start=0.5), s=Var(start=0.3), equations=beside)
    with pytest.warns(UserWarning, match=r": f\d set to 0, because nothing determines it"):
        both, alone = (instantiate(m).simulate(0.3, interval=0.1) for m in (four_bar(False) | model, four_bar(False)))
    expected = instantiate(model).simulate(0.3, interval=0.1) if "p1" not in beside[0] else None
    np.testing.assert_allclose(both["p1"], alone["p1"], atol=1e-6)
    for name in "qs" if expected is not None else "":
        np.testing.assert_allclose(both[name], expected[name], atol=1e-4)


def test_the_warning_names_what_was_removed_here_and_nothing_that_followed_from_others_before() -> None:
    model = Model(a=Var(), b=Var(), equations=["a + b = 1", "2*a + 2*b = 2", "a = time*b"])
    with pytest.warns(UserWarning, match="follows from others") as caught:
        sim = instantiate(four_bar(False) | model)
    assert "2*a + 2*b" not in str(caught[0].message)
    removed = [line for line in str(sim.report()).splitlines() if line.startswith("removed, because it follows from others: ")]
    assert len(removed) == 2
    assert "2*a + 2*b = 2" in removed[0]
    assert "cos(p3)" in removed[1]


@pytest.mark.parametrize("force", range(3))
def test_a_force_with_an_initial_value_is_not_set_to_zero(force: int, recwarn: pytest.WarningsRecorder) -> None:
    instantiate(four_bar(False) | Map({f"f{force}": Var(init=2.0)}))
    assert not recwarn.list


@pytest.mark.parametrize("force", range(3))
def test_a_force_that_more_than_sums_depends_on_is_not_set_to_zero(force: int, recwarn: pytest.WarningsRecorder) -> None:
    """An event, or a function of a component."""
    watched = Model(n=Var(init=0.0), equations=[When(f"f{force} > 1000", ["n = 1"])])
    instantiate(four_bar(False) | watched)
    flat = flatten(four_bar(False))
    seen = call(function("watch", 1, 1), [f"f{force}"], ["seen"])
    variables = {**flat.variables, "seen": Variable("seen")}
    sort_model(replace(flat, equations=[*flat.equations, seen], variables=variables))
    assert not recwarn.list


def test_values_with_which_the_removed_equation_does_not_follow_are_refused() -> None:
    with pytest.warns(UserWarning, match="follows from others"):
        sim = instantiate(four_bar(False))
    with pytest.raises(ModelError, match="was removed, because"):
        sim.simulate(0.1, merge=Map(u0=0.6))
