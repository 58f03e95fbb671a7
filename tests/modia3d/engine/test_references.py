"""Reference paths of an action program as signals of the equations: they drive joints, and end with the simulation."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import (
    ActionWait,
    Box,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    RevoluteWithFlange,
    Scene,
    Solid,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.actions.program import ActionProgram
from modia3d.actions.timeline import lay_out
from modiapy import Model, Var, instantiate

pytestmark = pytest.mark.white_box

INERTIA, STIFFNESS, DAMPING = 0.2, 20.0, 3.0


def program(actions):
    addReferencePath(actions, names=["a", "unused"], position=[0.2, 0.0], v_max=[1.0, 1.0], a_max=[2.0, 2.0])
    ActionWait(actions, 0.25)
    ptpJointSpace(actions, [[1.0, 0.0], [0.5, 0.0]])


PATH = lay_out(ActionProgram(program).prepared()[0]).paths[0]
END = PATH.trajectories[-1].end_time


def reference(time):
    return tuple(float(values[0]) for values in PATH.evaluate(time))


def rotor(**more):
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        body=Object3D(
            feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(mass=1.0, Ixx=0.1, Iyy=0.1, Izz=INERTIA))
        ),
        rev=RevoluteWithFlange(obj1="world", obj2="body", axis="z", phi=Var(init=0.2)),
        actions=ModelActions(program),
        **more,
    )


SERVO = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
    phi_ref=Var(input=True),
    w_ref=Var(input=True),
    w=Var(),
    c=STIFFNESS,
    d=DAMPING,
    equations=["w = der(flange.phi)", "flange.tau = c*(flange.phi - phi_ref) + d*(w - w_ref)"],
)


def servo():
    return rotor(
        servo=SERVO,
        equations=["servo.phi_ref = actions.a.position", "servo.w_ref = actions.a.velocity"],
        connect=[("servo.flange", "rev.flange")],
    )


@pytest.mark.parametrize("start_time", [0.0, 100.0])
def test_servo_follows_the_path_as_an_independent_integration_says(start_time):
    result = instantiate(servo()).simulate(start_time + 4.0, start_time=start_time, tolerance=1e-10)
    for quantity, k in (("position", 0), ("velocity", 1)):
        expected = [reference(t - start_time)[k] for t in result.time]
        assert result[f"actions.a.{quantity}"] == pytest.approx(expected, abs=1e-11)
    assert result.segments[0].info["dof"] == 1
    assert len(result.segments) == 1

    def derivative(time, x):
        position, velocity, _ = reference(time)
        return x[1], (STIFFNESS * (position - x[0]) + DAMPING * (velocity - x[1])) / INERTIA

    x, breaks = (
        np.array([0.2, 0.0]),
        sorted({0.0, 4.0, *(t for trajectory in PATH.trajectories for t in trajectory.breakpoints)}),
    )
    for begin, end in itertools.pairwise(breaks):
        x = solve_ivp(derivative, (begin, end), x, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert result["rev.phi"][-1] == pytest.approx(x[0], abs=1e-7)
    assert result["rev.w"][-1] == pytest.approx(x[1], abs=1e-7)


def test_every_jump_of_the_acceleration_is_an_event():
    result = instantiate(servo()).simulate(4.0, interval=0.5)
    repeated = result.time[1:][np.diff(result.time) == 0.0]
    expected = sorted({t for trajectory in PATH.trajectories for t in trajectory.breakpoints})
    assert set(expected) <= set(repeated.tolist())


def test_prescribed_motion_takes_the_torque_that_inertia_needs():
    flange = Model(phi=Var(potential=True), tau=Var(flow=True))
    model = rotor(
        drive=Model(flange=flange, phi_ref=Var(input=True), equations=["flange.phi = phi_ref"]),
        equations=["drive.phi_ref = actions.a.position"],
        connect=[("drive.flange", "rev.flange")],
    ) | Model(rev=RevoluteWithFlange(obj1="world", obj2="body", axis="z", phi=Var(), w=Var()))
    result = instantiate(model).simulate(3.0)
    inside = [
        i
        for i, t in enumerate(result.time)
        if all(abs(t - b) > 1e-9 for trajectory in PATH.trajectories for b in trajectory.breakpoints)
    ]
    expected = np.array([INERTIA * reference(t)[2] for t in result.time[inside]])
    assert result["rev.flange.tau"][inside] == pytest.approx(expected, abs=1e-10)
    assert np.abs(expected).max() > 0.1


def test_a_path_that_ends_with_the_simulation_is_noted():
    simulation = instantiate(servo())
    assert simulation.simulate(END).time[-1] == END
    component = simulation.last.components[""]
    component.terminate(END)
    assert component.notes(True) == []
    component.terminate(0.5 * END)
    (note,) = component.notes(True)
    assert (note["time"], note["end"]) == (0.5 * END, pytest.approx(END))
    assert f"the program takes {END:.9g} s" in note["text"]
    assert component.notes(True) == []
