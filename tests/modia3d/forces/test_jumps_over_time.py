"""Forces over time that jump: a step of the integrator that ends at a jump sees the force before it."""

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    ActionDelete,
    ActionWait,
    Model3D,
    ModelActions,
    WorldForce,
    WorldTorque,
    addReferencePath,
    ptpJointSpace,
)
from modiapy import Table1D, Var, instantiate

from ..scenes import free, world

pytestmark = pytest.mark.white_box

JUMPS = [0.7, 1.1 / 3.0 + 0.7, 2.3]
CONSTANT = np.array([[0.0, 1.0], [JUMPS[0], -40.0], [JUMPS[1], 25.0], [JUMPS[2], 0.5]])
LINEAR = np.array([[0.0, 1.0], [JUMPS[0], 2.0], [JUMPS[0], -40.0], [JUMPS[1], 5.0], [JUMPS[1], 30.0], [JUMPS[2], 10.0]])


def area(points, kind, time):
    """Integral from 0 of a table that is held at its end."""
    end = np.vstack([points, [3.0, points[-1, 1]]])
    x, y = (end[:, 0], end[:, 1]) if kind == "linear" else (np.repeat(end[:, 0], 2)[1:], np.repeat(end[:, 1], 2)[:-1])
    sums = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(x) * (y[1:] + y[:-1]))])
    last = np.clip(np.searchsorted(x, time, side="right") - 1, 0, len(x) - 2)
    step = time - x[last]
    slope = np.where(np.diff(x) > 0.0, np.diff(y) / np.where(np.diff(x) > 0.0, np.diff(x), 1.0), 0.0)[last]
    return sums[last] + step * (y[last] + 0.5 * slope * step)


@pytest.mark.parametrize("solver", ["cvode", "sundae", "chebyshev"])
@pytest.mark.parametrize(("points", "kind"), [(CONSTANT, "constant"), (LINEAR, "linear")])
def test_momentum_is_the_area_under_the_force(points, kind, solver):
    table = Table1D(points, kind, "hold")
    model = Model3D(
        world=world(), box=free(mass=2.0, inertia=0.4), push=WorldForce("box", (table, 0.0, 0.0)),
        turn=WorldTorque("box", (0.0, 0.0, table)),
    )  # fmt: skip
    sim = instantiate(model)
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        result = sim.simulate(3.0, tolerance=tolerance, solver=solver)
        exact = area(points, kind, result.time)
        allowed = tolerance * np.abs(exact).max()
        assert result["mechanics.momentum"][:, 0] == pytest.approx(exact, abs=allowed)
        assert result["mechanics.angular_momentum"][:, 2] == pytest.approx(exact, abs=allowed)
        assert result.statistics["events_by_kind"] == {"time": 3}


def loaded(**actions):
    table = Table1D(CONSTANT, "constant", "hold")
    sensor = AbsoluteSensor("box", quantities="a")
    return Model3D(world=world(), box=free(mass=2.0), push=WorldForce("box", (table, 0.0, 0.0)), sensor=sensor, **actions)


@pytest.mark.parametrize("cut", [False, True], ids=["", "with a new segment"])
def test_at_an_event_results_are_those_before_the_jump_and_then_those_behind_it(cut):
    def program(actions):
        ActionWait(actions, JUMPS[1])
        ActionDelete(actions, "other")

    more = {"other": free(), "actions": ModelActions(program)} if cut else {}
    result = instantiate(loaded(**more)).simulate(3.0)
    assert len(result.segments) == (2 if cut else 1)
    for k, jump in enumerate(JUMPS):
        first, *_, last = np.flatnonzero(result.time == jump)
        before, behind = CONSTANT[k : k + 2, 1]
        assert result["sensor.a.x"][[first, last]] == pytest.approx([before / 2.0, behind / 2.0])
        assert result["box.a_abs"][[first, last], 0] == pytest.approx([before / 2.0, behind / 2.0])
        assert result["mechanics.momentum_rate"][[first, last], 0] == pytest.approx([before, behind])
        power = result["box.v_abs"][first, 0] * np.array([before, behind])
        assert result["mechanics.force_power"][[first, last]] == pytest.approx(power)


@pytest.mark.parametrize("stop", [0.4, 0.9, JUMPS[1], 2.9])
def test_a_simulation_that_goes_on_between_jumps_has_the_force_of_there(stop, tmp_path):
    sim, file = instantiate(loaded()), tmp_path / "snapshot"
    whole = sim.simulate(3.0, tolerance=1e-8)
    sim.simulate(stop, tolerance=1e-8, save=file)
    sim.restore(file)
    rest = sim.simulate(3.0, tolerance=1e-8)
    assert rest["box.v_abs"][-1] == pytest.approx(whole["box.v_abs"][-1], rel=1e-12)


def test_a_speed_that_follows_the_acceleration_of_a_path_is_that_of_the_path():
    """Trapezoids: the acceleration jumps where a phase ends."""

    def program(actions):
        addReferencePath(actions, ["a"], [0.0], v_max=[1.3], a_max=[3.0])
        for target in (1.0, 0.2, 3.0):
            ptpJointSpace(actions, [target])

    more = {"v": Var(init=0.0), "equations": ["der(v) = actions.a.acceleration"]}
    sim = instantiate(Model3D(world=world(), actions=ModelActions(program), **more))
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        result = sim.simulate(5.0, tolerance=tolerance)
        assert result["v"] == pytest.approx(result["actions.a.velocity"], abs=tolerance)
