"""The one-arm servo of Neumayr & Otter (2024), listing 1: ramp, P-PI controller, motor inertia, ideal gear, joint, one body."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import MassProperties, Model3D, Object3D, RevoluteWithFlange, Scene, Solid
from modiapy import Map, Model, Var, instantiate
from modiapy.library.blocks import PI, Feedback, Gain, Ramp
from modiapy.library.drives import RigidDrive
from modiapy.library.rotational import AngleSensor, IdealGear, Inertia, SpeedSensor, Torque
from modiapy.symbolic.codegen.systems import Solver
from modiapy.symbolic.sorted.parts import Assignment, Call, LinearBlock

pytestmark = pytest.mark.white_box

MASS, LENGTH, I_BODY, G = 4.0, 0.5, 0.12, 9.81
J_BODY = I_BODY + MASS * LENGTH**2
RATIO, J_MOTOR, K_P, K_PI, T_PI = 105.0, 1.3e-3, 9.0, 0.4, 0.15
HEIGHT, DURATION, START = 0.8, 0.6, 0.2
STOP = 1.5
EXACT = 1e-8

ARM = Model3D(
    world=Object3D(feature=Scene()),
    arm=Object3D(),
    body=Object3D(
        parent="arm",
        translation=(LENGTH, 0.0, 0.0),
        feature=Solid(mass_properties=MassProperties(mass=MASS, Ixx=0.03, Iyy=0.1, Izz=I_BODY)),
    ),
    rev=RevoluteWithFlange(obj1="world", obj2="arm", axis="z", phi=Var(init=0.0), w=Var(init=0.0)),
    ramp=Ramp | Map(height=HEIGHT, duration=DURATION, start_time=START),
)

CONTROLLER = Model(
    ref=Var(input=True),
    phi=Var(input=True),
    w=Var(input=True),
    tau=Var("pi.y", output=True),
    position=Feedback,
    p=Gain | Map(k=K_P * RATIO),
    speed=Feedback,
    pi=PI | Map(k=K_PI, T=T_PI),
    connect=[
        ("ref", "position.u1"),
        ("phi", "position.u2"),
        ("position.y", "p.u"),
        ("p.y", "speed.u1"),
        ("w", "speed.u2"),
        ("speed.y", "pi.u"),
    ],
)

FROM_PARTS = ARM | Model(
    ppi=CONTROLLER,
    torque=Torque,
    w_sensor=SpeedSensor,
    phi_sensor=AngleSensor,
    motor_inertia=Inertia | Map(J=J_MOTOR),
    gear=IdealGear | Map(ratio=RATIO),
    tau_motor=Var("torque.tau"),
    connect=[
        ("ramp.y", "ppi.ref"),
        ("phi_sensor.phi", "ppi.phi"),
        ("w_sensor.w", "ppi.w"),
        ("ppi.tau", "torque.tau"),
        ("torque.flange", "motor_inertia.flange_a"),
        ("motor_inertia.flange_b", "gear.flange_a", "w_sensor.flange"),
        ("gear.flange_b", "rev.flange", "phi_sensor.flange"),
    ],
)

FROM_THE_LIBRARY = ARM | Model(
    drive=RigidDrive | Map(ratio=RATIO, J_motor=J_MOTOR, k_p=K_P, k_pi=K_PI, T_pi=T_PI),
    tau_motor=Var("drive.torque.tau"),
    connect=[("ramp.y", "drive.phi_ref"), ("drive.flange", "rev.flange")],
    equations=["drive.w_ref = 0"],
)


@pytest.fixture(scope="module", params=[FROM_PARTS, FROM_THE_LIBRARY], ids=["parts", "library"])
def servo(request):
    return instantiate(request.param, "Servo")


@pytest.fixture(scope="module")
def result(servo):
    return servo.simulate(STOP, tolerance=1e-12, interval=0.01)


def test_there_is_one_linear_equation_solved_by_a_division(servo):
    blocks = [block for block in servo.sorted.blocks if isinstance(block, LinearBlock)]
    assert [len(block.unknowns) for block in blocks] == [1]
    assert len(blocks[0].residuals) == 1
    assert len(servo.states) == 3
    assert {system.solver for system in servo.compiled.systems} == {Solver.DIVISION}
    assert "linear_iteration" not in servo.compiled.code.ir
    assert "fdiv" in servo.compiled.code.ir


def test_the_equation_is_that_of_inertias_coupled_by_the_gear(servo):
    """Motor, gear and multibody system are in the loop; the controller is not."""
    (block,) = (block for block in servo.sorted.blocks if isinstance(block, LinearBlock))
    computed = {inner.variable for inner in block.body if isinstance(inner, Assignment)}
    called = [inner.call.function.name for inner in block.body if isinstance(inner, Call)]
    assert called == ["generalized_forces"]
    assert any(name.startswith(("motor_inertia.", "drive.motor.")) for name in computed)
    assert not any(part in name for name in computed for part in ("ppi.", "controller.", "ramp."))


def test_acceleration_is_that_of_the_closed_form(result):
    torque = RATIO * result["tau_motor"] - MASS * G * LENGTH * np.cos(result["rev.phi"])
    expected = torque / (J_MOTOR * RATIO**2 + J_BODY)
    scale = np.abs(expected).max()
    assert scale > 1.0
    assert np.abs(result["der(rev.w)"] - expected).max() <= 1e-12 * scale


def test_torque_in_the_flange_accelerates_the_body_alone(result):
    expected = J_BODY * result["der(rev.w)"] + MASS * G * LENGTH * np.cos(result["rev.phi"])
    np.testing.assert_allclose(result["rev.flange.tau"], expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


def reference(time):
    """Angle, speed and controller state from an independent integration of the closed loop, shape (3, nt)."""

    def derivative(t, x):
        ref = HEIGHT * min(max((t - START) / DURATION, 0.0), 1.0)
        error = K_P * RATIO * (ref - x[0]) - RATIO * x[1]
        tau = K_PI * (x[2] + error)
        a = (RATIO * tau - MASS * G * LENGTH * math.cos(x[0])) / (J_MOTOR * RATIO**2 + J_BODY)
        return x[1], a, error / T_PI

    values, x = np.empty((3, time.size)), np.zeros(3)
    breaks = [0.0, START, START + DURATION, STOP]
    for begin, end in itertools.pairwise(breaks):
        rows = (time >= begin) & (time <= end)
        solution = solve_ivp(derivative, (begin, end), x, "DOP853", rtol=1e-13, atol=1e-14, dense_output=True)
        values[:, rows], x = solution.sol(time[rows]), solution.y[:, -1]
    return values


def test_motion_is_that_of_an_independent_integration(result):
    x = next(name for name in result.segment(1).states if name.lower().endswith("pi.x"))
    phi, w, integral = reference(result.time)
    assert phi.max() > 0.7
    assert np.abs(result["rev.phi"] - phi).max() <= EXACT
    assert np.abs(result["rev.w"] - w).max() <= EXACT * max(1.0, np.abs(w).max())
    assert np.abs(result[x] - integral).max() <= EXACT * max(1.0, np.abs(integral).max())


def test_motor_turns_ratio_times_as_fast(servo, result):
    motor = "motor_inertia" if "motor_inertia.a" in result else "drive.motor"
    for quantity, joint in (("phi", "rev.phi"), ("w", "rev.w"), ("a", "der(rev.w)")):
        np.testing.assert_allclose(result[f"{motor}.{quantity}"], RATIO * result[joint], rtol=1e-13, atol=1e-13)
    assert {"rev.phi", "rev.w"} <= set(servo.states)
