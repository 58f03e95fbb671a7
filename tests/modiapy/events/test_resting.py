"""Relations that rest at zero but for noise, and those that are true for one iteration of an event only."""

import numpy as np
import pytest

from modiapy import Model, SimulationError, Var, When, instantiate

NOISE = "4e-14*sin(1e4*time)"


def test_noise_about_zero_makes_few_events_and_the_next_crossing_is_found():
    # thousands of crossings of rounding size, then a pulse that rises from 0.5 s on and falls through zero at 0.7 s
    pulse = "max(time - 0.5, 0) - 2*max(time - 0.6, 0)"
    model = Model(
        z=Var(),
        up=Var(type="Integer", init=0),
        down=Var(init=0.0),
        equations=[
            f"z = {NOISE} + {pulse}",
            When("z > 1e-3", ["up = pre(up) + 1"]),
            When("z < 0 and time > 0.6", ["down = time"]),
        ],
    )
    result = instantiate(model).simulate(1.0)
    assert result.statistics["events"] < 30
    assert result["up"][-1] == 1
    assert result["down"][-1] == pytest.approx(0.7, abs=1e-12)


def test_what_moves_does_not_rest_however_small_it_is():
    # crossings of the same size, but of something that moves: each of them is an event
    model = Model(
        x=Var(init=0.0),
        v=Var(init=1e-3),
        n=Var(type="Integer", init=0),
        equations=["der(x) = v", "der(v) = -1e6*x", When("x > 0", ["n = pre(n) + 1"])],
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-9)
    assert abs(result["x"]).max() < 2e-6
    assert result["n"][-1] == pytest.approx(0.5 * 1e3 / (2 * np.pi), abs=1.0)


def test_a_clutch_goes_on_to_slip_with_less_torque_than_it_began_with():
    # at 1.1 the clutch slips; the torque on it is 1 less then, so that nothing but having begun keeps it slipping
    model = Model(
        w=Var(init=0.0),
        u=Var(),
        a=Var(),
        s=Var(),
        slips=Var(type="Boolean", init=False),
        equations=[
            "u = time",
            "s = u - (1 if slips else 0)",
            "slips = s > 1.1 or pre(slips) and s > -0.5",
            "a = s if slips else 0",
            "der(w) = a",
        ],
    )
    result = instantiate(model).simulate(2.0)
    begins = result.time[np.flatnonzero(np.diff(result["slips"]))]
    assert begins == pytest.approx([1.1])
    assert result["w"][-1] == pytest.approx((1.0**2 - 0.1**2) / 2, rel=1e-6)


def test_what_happens_at_an_event_happens_once_however_its_relations_settle():
    # the tick lets the torque jump, so that in its second iteration the clutch has to be remembered as slipping
    rules = ["n = pre(n) + 1", "level = 1.5", "reinit(w, pre(w) + 1)"]
    equations = [
        "u = pre(level) + 0.01*time",
        "s = u - (1 if slips else 0)",
        "slips = s > 1.1 or pre(slips) and s > -0.5",
        "a = s if slips else 0",
        "der(w) = a",
        When("sample(0.5, 10)", rules),
    ]
    known = {"w": Var(init=0.0), "n": Var(type="Integer", init=0), "level": Var(init=0.5)}
    model = Model(**known, u=Var(), a=Var(), s=Var(), slips=Var(type="Boolean", init=False), equations=equations)
    result = instantiate(model).simulate(1.0, interval=0.25, tolerance=1e-9)
    assert result["n"].tolist() == result["slips"].tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert result["w"][3:] == pytest.approx([1.0, 1.0 + 0.125 + 0.005 * 0.3125, 1.0 + 0.25 + 0.005 * 0.75], rel=1e-6)
    assert result.statistics["events_by_kind"] == {"clock": 1}


def test_one_that_nothing_remembers_still_does_not_settle():
    model = Model(
        s=Var(), slips=Var(type="Boolean", init=False), equations=["s = time - (1 if slips else 0)", "slips = s > 1.1"]
    )
    with pytest.raises(SimulationError, match="do not settle"):
        instantiate(model).simulate(2.0)
