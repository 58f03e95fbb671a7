"""A multibody system with inputs over time, and stepped by a controller in Python, while its structure changes."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import ActionLock, ActionUnlock, ActionWait, Model3D, ModelActions, RevoluteWithFlange, UniformGravity
from modiapy import ModelError, TimeSeries, Var, instantiate
from modiapy.library.rotational import Torque
from modiapy.symbolic.terms.arrays import element_name
from tests.modia3d import scenes
from tests.modia3d.engine.busy_scenes import OPTIONS, STOP, translated

pytestmark = pytest.mark.white_box

LENGTH, MASS, INERTIA = 0.5, 2.0, 0.2
WHOLE = INERTIA + MASS * LENGTH**2
WEIGHT = MASS * 9.81 * LENGTH


def brake(actions):
    ActionWait(actions, 0.5)
    ActionLock(actions, "hinge", on_contact="impulse")
    ActionWait(actions, 0.3)
    ActionUnlock(actions, "hinge")


def arm(**more):
    """A rod on a hinge; its torque is an input of the whole model."""
    return instantiate(
        Model3D(
            world=scenes.world(UniformGravity(n="-z")),
            rod=scenes.body(MASS, (0.1, INERTIA, 0.25), (LENGTH, 0.0, 0.0)),
            **{"hinge": RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0)), **more},
            drive=Torque,
            tau=Var(input=True, unit="N.m"),
            connect=[("drive.flange", "hinge.flange"), ("tau", "drive.tau")],
        ),
        "arm",
    )


def falls(phi, w, tau, duration):
    """Angle and speed after a time with a constant torque, by another integrator."""
    rates = solve_ivp(
        lambda t, x: [x[1], (tau + WEIGHT * np.cos(x[0])) / WHOLE], (0.0, duration), [phi, w], rtol=1e-11, atol=1e-12
    )
    return rates.y[:, -1]


@pytest.fixture(scope="module")
def braked():
    return arm(actions=ModelActions(brake))


def test_a_torque_over_time():
    times, values = np.array([0.0, 0.4, 1.0]), np.array([-WEIGHT, -4.0, 3.0])
    result = arm().simulate(1.0, inputs={"tau": (times, values)}, tolerance=1e-9)
    reference = solve_ivp(
        lambda t, x: [x[1], (np.interp(t, times, values) + WEIGHT * np.cos(x[0])) / WHOLE],
        (0.0, 1.0),
        [0.0, 0.0],
        rtol=1e-10,
        atol=1e-12,
        max_step=0.01,
    )
    assert result["hinge.phi"][-1] == pytest.approx(reference.y[0, -1], abs=1e-6)
    assert np.allclose(result["tau"], np.interp(result.time, times, values), atol=1e-14)
    assert np.array_equal(result["drive.tau"], result["tau"])


def test_a_joint_at_its_stop_stays_or_leaves_by_the_torque_of_that_time():
    """It is asked with the torque that there is now, not with an earlier or a later one."""
    pull, press, leave = -2.0 * WEIGHT, 5.0, 2.0
    made = arm(hinge=RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), limits=(-1.0, 0.3)))
    steps = TimeSeries([0.0, 0.1, leave], [pull, press, pull], interpolation="constant")
    result = made.simulate(2.2, inputs={"tau": steps}, tolerance=1e-9)
    _, stopped, left = result.segments
    assert stopped.cause.startswith("hinge stops at its upper limit")
    assert left.cause.startswith("hinge leaves its upper limit")
    assert left.start == leave
    assert np.all(result.segment(2)["hinge.w"] == 0.0)
    assert result["hinge.phi"][-1] == pytest.approx(falls(0.3, 0.0, pull, 0.2)[0], abs=1e-7)


def test_a_controller_and_a_program(braked):
    """Sample by sample as the exact motion with the torque held; the brake closes and opens between samples."""
    dt, x, held = 0.02, np.zeros(2), []
    with braked.stepper(1.2, tolerance=1e-9) as stepper:
        while stepper.running:
            assert [stepper["hinge.phi"], stepper["hinge.w"]] == pytest.approx(x, abs=2e-6)
            tau = float(-WEIGHT * np.cos(x[0]) + 20.0 * (0.5 - x[0]) - 5.0 * x[1])
            stepper.inputs["tau"] = tau
            k = round(stepper.time / dt)
            stepper.step(until=(k + 1) * dt)
            locked = 25 <= k < 40
            x = np.array([x[0], 0.0]) if locked else falls(*x, tau, dt)
            if k == 24:  # the impulse of the brake
                x[1] = 0.0
            held.append(tau)
    result = stepper.result
    assert [record.cause.partition(";")[0] for record in result.segments][1:] == ["ActionLock hinge", "ActionUnlock hinge"]
    assert scenes.dofs(result) == [1, 0, 1]
    assert result.statistics["compilations_after_start"] == 0
    assert result["hinge.phi"][-1] == pytest.approx(x[0], abs=2e-6)
    assert len(set(held)) > 40


def test_steps_of_a_loop_change_nothing(braked):
    whole = braked.simulate(1.2, inputs={"tau": -3.0}, interval=0.01)
    with braked.stepper(1.2, inputs={"tau": -3.0}, interval=0.01) as stepper:
        while stepper.step(0.0437):
            stepper["rod.r_abs"]
    assert np.array_equal(stepper.result.time, whole.time)
    for name in ("hinge.phi", "hinge.w", "rod.r_abs", "hinge.constraint_torque"):
        assert np.array_equal(stepper.result[name], whole[name], equal_nan=True)
    assert [r.cause for r in stepper.result.segments] == [r.cause for r in whole.segments]


@pytest.mark.parametrize("name", ["linkage", "press"])
def test_at_a_pause_every_signal_and_element_is_what_is_stored_there(name):
    """Also where a loop, a lock and contacts at rest hold; there are no other elements."""
    at, seen = 3 * OPTIONS["interval"], {}
    with translated(name).stepper(STOP, **OPTIONS) as stepper:
        stepper.step(until=at)
        names = stepper.result.segment(stepper.result.segments[-1].index).signals()
        for signal in names:
            seen[signal] = value = np.asarray(stepper[signal])
            for place in np.ndindex(value.shape):
                if value.ndim:
                    assert stepper[element_name(signal, place)] == pytest.approx(value[place], abs=0.0, nan_ok=True)
            if value.ndim:
                for wrong in ((-1,), (0, 0, 0), value.shape, (0,) * (value.ndim - 1) + (value.shape[-1],)):
                    with pytest.raises(ModelError, match="there is no signal"):
                        stepper[element_name(signal, wrong)]
        stepper.finish()
    row = int(np.flatnonzero(stepper.result.time == at)[-1])
    for signal, value in seen.items():
        np.testing.assert_allclose(stepper.result[signal][row], value, rtol=1e-9, atol=1e-9, err_msg=signal)
