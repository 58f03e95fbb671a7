"""Equations of rotations: how many unknowns their loops need, and states whose derivatives follow from a constraint."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Model, Var, instantiate


def test_a_loop_of_rotations_is_torn_to_its_angles():
    """Two arms, and seven rotations by known angles behind them: the elbow follows from two unknown angles."""
    turns = [0.3, -0.2, 0.5, 0.1, -0.4, 0.2, 0.3]
    entries = {"a": Var(start=0.4), "b": Var(start=0.9), "c0": Var("cos(a)"), "s0": Var("sin(a)")}
    steps = ["b", *(f"{turn}*cos(time)" for turn in turns)]
    for k, angle in enumerate(steps):
        entries[f"c{k + 1}"] = Var(f"c{k}*cos({angle}) - s{k}*sin({angle})")
        entries[f"s{k + 1}"] = Var(f"s{k}*cos({angle}) + c{k}*sin({angle})")
    end = len(steps)
    model = Model(**entries, equations=[f"c0 + c{end} = 1.2", f"s0 + s{end} = 0.9"])
    sim = instantiate(model)
    assert sim.report()["unknowns of nonlinear systems"] == 2
    result = sim.simulate(1.0)
    half = np.arccos(0.75)  # two arms of length 1, and the distance 1.5
    np.testing.assert_allclose(result["a"], np.arctan2(0.9, 1.2) - half, atol=1e-9)
    np.testing.assert_allclose(
        result["a"] + result["b"] + sum(turns) * np.cos(result.time), np.arctan2(0.9, 1.2) + half, atol=1e-9
    )


def test_the_derivative_of_a_state_may_follow_from_a_constraint_with_changing_coefficients():
    """A knife edge steered by a mass that slides on it: the angle is a state, its derivative is not."""
    model = Model(
        a=Var(start=0.2, state_select="always"),
        v=Var(start=1.0, state_select="always"),
        w=Var("der(a)"),
        pull=Var(),
        equations=[
            "der(v) = 1 - pull*cos(a)",
            "2*der(w) = pull*(2 + cos(a))",
            "der(a)*(2 + cos(a)) = v*cos(a)",
        ],
    )
    sim = instantiate(model)
    assert sorted(sim.states) == ["a", "v"]
    result = sim.simulate(3.0, tolerance=1e-9)

    def rate(_, y):
        a, v = y
        w = v * np.cos(a) / (2 + np.cos(a))
        # the derivative of the constraint, with both accelerations in terms of pull
        free = -w * np.sin(a) * w + v * np.sin(a) * w - np.cos(a)
        pull = -free / ((2 + np.cos(a)) ** 2 / 2 + np.cos(a) ** 2)
        return [w, 1 - pull * np.cos(a)]

    end = solve_ivp(rate, (0, 3), [0.2, 1.0], rtol=1e-11, atol=1e-12).y[:, -1]
    assert [result["a"][-1], result["v"][-1]] == pytest.approx(end, rel=1e-6)
