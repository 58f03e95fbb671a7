"""Drive trains mounted on moving bodies: reactions, gyroscopic torques, conservation of the whole."""

import math

import numpy as np
import pytest

from modia3d import (
    Box,
    MassProperties,
    Model3D,
    Mounting,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Rotor,
    Scene,
    Solid,
    Torque,
)
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library import rotational as rot


def body(**fields):
    properties = MassProperties(2.0, (0.0, 0.0, 0.0), 0.3, 0.4, 0.5, 0.0, 0.0, 0.0)
    return Object3D(feature=Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=properties), **fields)


WORLD = Object3D(feature=Scene(gravity=NoGravity()))
SPRING = {
    "spring": rot.Spring | Map(c=2.0, phi_rel0=0.5),
    "connect": [("mount.flange", "spring.flange_a"), ("spring.flange_b", "rotor.flange_a")],
}


def inertia(I):
    return Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), I, I, I)))


@pytest.mark.parametrize("axis", ["x", (1.0, 1.0, 0.5)])
def test_angular_momentum_and_energy_of_body_and_rotor_are_conserved(axis):
    J = 0.05
    model = Model3D(
        world=WORLD,
        body=body(angular_velocity=(0.2, 0.5, -0.3)),
        mount=Mounting("body", axis),
        rotor=Rotor("body", axis, J=J, w=Var(init=3.0)),
        **SPRING,
    )
    result = instantiate(model).simulate(3.0, tolerance=1e-10)
    e = np.array((1.0, 0.0, 0.0) if axis == "x" else axis)
    e_W = result["body.R_abs"] @ (e / np.linalg.norm(e))
    w, along = result["rotor.w"], np.einsum("ti,ti->t", result["body.w_abs"], e_W)
    momentum = result["mechanics.angular_momentum"] + J * w[:, None] * e_W
    assert momentum == pytest.approx(np.tile(momentum[0], (len(w), 1)), abs=1e-8)
    kinetic = result["mechanics.kinetic_energy"] + 0.5 * J * w**2 + J * w * along
    energy = kinetic + 0.5 * 2.0 * (result["rotor.phi"] - 0.5) ** 2
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-7)
    assert np.ptp(np.linalg.norm(result["mechanics.angular_momentum"], axis=1)) > 0.05
    assert np.ptp(w) > 1.0


def test_a_motor_turns_its_housing_the_other_way():
    """Closed form about one axis: torque tau between housing (inertia I with the rotor's at rest) and rotor J."""
    tau, I, J = 0.4, 0.3, 0.05
    model = Model3D(
        world=WORLD,
        body=body(),
        bearing=Revolute("world", "body", "x"),
        mount=Mounting("body"),
        rotor=Rotor("body", J=J),
        motor=rot.Torque2,
        equations=["motor.tau = 0.4"],
        connect=[("mount.flange", "motor.flange_a"), ("motor.flange_b", "rotor.flange_a")],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert result["bearing.w"][-1] == pytest.approx(-tau / (I - J), rel=1e-8)
    assert result["rotor.w"][-1] + result["bearing.w"][-1] == pytest.approx(tau / J, rel=1e-8)


def test_a_geared_drive_of_a_joint_conserves_angular_momentum():
    """Motor, rotor and gear in a body that turns freely about z, driving a rod on it: as docs/multibody.md says."""
    tau, I, I_rod, J, n = 1.0, 2.0, 0.4, 0.05, 10.0
    model = Model3D(
        world=WORLD,
        body=inertia(I),
        rod=inertia(I_rod),
        bearing=Revolute("world", "body", "z"),
        joint=RevoluteWithFlange("body", "rod", "z"),
        mount=Mounting("body", "z"),
        rotor=Rotor("body", "z", J=J),
        motor=rot.Torque2,
        gear=rot.IdealGear | Map(ratio=n),
        housing=Torque("", "body", torque=(0, 0, "gear.flange_a.tau")),
        equations=["motor.tau = 1.0"],
        connect=[
            ("mount.flange", "motor.flange_a"),
            ("motor.flange_b", "rotor.flange_a"),
            ("rotor.flange_b", "gear.flange_a"),
            ("gear.flange_b", "joint.flange"),
        ],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    momentum = result["mechanics.angular_momentum"][:, 2] + J * result["rotor.w"]
    assert momentum == pytest.approx(np.zeros_like(momentum), abs=1e-9)
    # Lagrange: T = (I w^2 + I_rod (w + u)^2 + J (n u)^2 + 2 J w n u) / 2, u the speed of the joint; tau does the work n tau u.
    M = np.array([[I + I_rod, I_rod + J * n], [I_rod + J * n, I_rod + J * n * n]])
    speeds = np.linalg.solve(M, [0.0, n * tau])
    assert [result["bearing.w"][-1], result["joint.w"][-1]] == pytest.approx(list(speeds), rel=1e-7)


def test_axis_and_frame_are_checked():
    with pytest.raises(ModelError, match=r"axis of Mounting is wrong; found 'q'"):
        Mounting("body", "q")
    with pytest.raises(ModelError, match="there is no Object3D 'bdy'"):
        instantiate(Model3D(world=WORLD, body=body(), mount=Mounting("bdy")))


def test_a_tilted_axis_needs_no_unit_length():
    assert math.isclose(Rotor("body", (0.0, 0.0, 2.0), J=0.1)["J"], 0.1)
