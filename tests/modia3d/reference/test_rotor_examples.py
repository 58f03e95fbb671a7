"""`Modelica.Mechanics.MultiBody.Examples.Rotational3DEffects`: a shaft is a body on a joint, or a rotor of one dimension.

Each example has the same machine in both ways; their motions have to be equal.
"""

import math

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    BevelGear,
    Box,
    Cylinder,
    MassProperties,
    Model3D,
    Mounting,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    RevoluteWithSupport,
    Rotor,
    Solid,
    SolidMaterial,
    Spherical,
    Torque,
    UniformGravity,
)
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import rotational
from modiapy.library.blocks import Sine

from ..scenes import energy, run, world

pytestmark = pytest.mark.white_box

STEEL = SolidMaterial(density=7700.0)


def cylinder(diameter, length, **fields):
    return Object3D(feature=Solid(Cylinder(diameter, length, axis="x"), STEEL), **fields)


def gyroscope():
    """A rod on a ball joint; at its end, turned by 45 degrees, the bearing of a shaft."""
    return {
        "world": world(UniformGravity(9.80665, "-y")),
        "start": Object3D(),
        "rod": cylinder(0.05, 0.25, parent="start", translation=(0.125, 0.0, 0.0)),
        "bearing": Object3D(parent="start", translation=(0.25, 0.0, 0.0), rotation=(0.0, math.radians(45.0), 0.0)),
        "ball": Spherical("world", "start"),
    }


def test_gyroscopic_effects():
    """The centre of the shaft lies in its bearing: from -0.1 m to 0.1 m."""
    bodies = run(5.0, **gyroscope(), shaft=cylinder(0.1, 0.2), revolute=Revolute("bearing", "shaft", "x", w=10.0))
    J = 7700.0 * math.pi * 0.05**2 * 0.2 * 0.05**2 / 2.0
    rotor = run(
        5.0,
        **gyroscope(),
        shaft=cylinder(0.1, 0.2, parent="bearing"),
        rotor=Rotor("bearing", "x", J=J, phi=Var(init=0.0), w=Var(init=10.0)),
    )
    for name in ("rod.r_abs", "rod.v_abs", "rod.w_abs"):
        assert rotor[name] == pytest.approx(bodies[name], abs=1e-6)
    assert rotor["rotor.w"] == pytest.approx(bodies["revolute.w"], abs=1e-6)
    assert rotor["ball.cut_force"] == pytest.approx(bodies["ball.cut_force"], abs=1e-4)
    assert np.ptp(rotor["rotor.w"]) > 0.5
    assert np.ptp(rotor["rod.r_abs"][:, 2]) > 0.03


SOURCES = {
    "tau": Sine | Map(amplitude=1.0, f=1.0),
    "angle": Sine | Map(amplitude=2.0, f=1.0),
    "drive": Model(phi=Var(input=True), flange=rotational.Flange, equations=["flange.phi = phi"]),
    "r1": RevoluteWithFlange("world", "link", "y", phi=Var(), w=Var()),
    "world": world(),
}
FOLLOWS = [("angle.y", "drive.phi"), ("drive.flange", "r1.flange")]
SHAFT = Solid(Cylinder(0.1, 0.5, axis="x"), mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), 2.0, 1.5, 1.5))


def test_moving_actuated_drive():
    """A shaft of 2 kg.m2 about x on a link that is turned about y."""
    bodies = run(
        1.1,
        tolerance=1e-9,
        **SOURCES,
        link=Object3D(),
        body=Object3D(feature=SHAFT),
        revolute=Revolute("link", "body", "x"),
        motor=Torque("link", "body", "link", torque=("tau.y", 0, 0)),
        connect=FOLLOWS,
    )
    rotor = run(
        1.1,
        tolerance=1e-9,
        **SOURCES,
        link=Object3D(feature=SHAFT),
        rotor=Rotor("link", "x", J=2.0, phi=Var(init=0.0), w=Var(init=0.0)),
        mount=Mounting("link", "x"),
        motor=rotational.Torque2,
        connect=[
            *FOLLOWS,
            ("tau.y", "motor.tau"),
            ("mount.flange", "motor.flange_a"),
            ("motor.flange_b", "rotor.flange_a"),
        ],
    )
    assert rotor["rotor.w"] == pytest.approx(bodies["revolute.w"], abs=1e-6)
    assert rotor["drive.flange.tau"] == pytest.approx(bodies["drive.flange.tau"], abs=1e-5)
    t = rotor.time
    assert rotor["rotor.w"] == pytest.approx((1.0 - np.cos(2.0 * math.pi * t)) / (4.0 * math.pi), abs=1e-6)
    assert rotor["r1.phi"] == pytest.approx(2.0 * np.sin(2.0 * math.pi * t), abs=1e-8)


def test_actuated_drive():
    """A shaft of 2 kg.m2 on the ground, driven by a sine: closed form, and the published angle after 1.1 s."""
    result = run(
        1.1,
        world=world(),
        tau=Sine | Map(amplitude=1.0, f=1.0),
        body=Object3D(feature=SHAFT),
        revolute=Revolute("world", "body", "x"),
        torque=Torque("world", "body", torque=("tau.y", 0, 0)),
        rotor=Rotor("world", "x", J=2.0, phi=Var(init=0.0), w=Var(init=0.0)),
        mount=Mounting("world", "x"),
        motor=rotational.Torque2,
        connect=[
            ("tau.y", "motor.tau"),
            ("mount.flange", "motor.flange_a"),
            ("motor.flange_b", "rotor.flange_a"),
        ],
    )
    t, omega = result.time, 2.0 * math.pi
    for name in ("revolute", "rotor"):
        assert result[f"{name}.w"] == pytest.approx((1.0 - np.cos(omega * t)) / (2.0 * omega), abs=1e-8)
        assert result[f"{name}.phi"] == pytest.approx((t - np.sin(omega * t) / omega) / (2.0 * omega), abs=1e-8)
        assert result[f"{name}.phi"][-1] == pytest.approx(0.0800890021625252, rel=3e-5)
    assert result["mount.flange.tau"] == pytest.approx(-np.sin(2.0 * math.pi * result.time), abs=1e-9)


JOINT = {"phi": Var(init=0.0), "w": Var(init=0.0)}
JOINTS = range(1, 4)


def turned_body(**drive):
    """`BevelGear1D`: a cube at the end of three joints that sines turn; ``drive`` is mounted on it, ``motor`` is its drive."""
    cube = Solid(Box(0.1, 0.1, 0.1), STEEL)
    connect = [(f"tau{k}.y", f"torque{k}.tau") for k in JOINTS] + [("tau4.y", "motor.tau")]
    connect += [(f"torque{k}.flange", f"revolute{k}.flange") for k in JOINTS]
    return {
        "world": world(UniformGravity(9.80665, "-y")),
        "one": Object3D(),
        "two": Object3D(),
        "body": Object3D(),
        "box": Object3D(parent="body", translation=(0.05 / math.sqrt(3.0),) * 3, feature=cube),
        "revolute1": RevoluteWithFlange("world", "one", "x", **JOINT),
        "revolute2": RevoluteWithFlange("one", "two", "y", **JOINT),
        "revolute3": RevoluteWithFlange("two", "body", "z", **JOINT),
        **{f"tau{k}": Sine | Map(amplitude=100.0 + 10.0 * k, f=4.0 + k) for k in range(1, 5)},
        **{f"torque{k}": rotational.Torque for k in JOINTS},
        **drive,
        "connect": connect + drive["connect"],
    }


def bevel_gear_of_rotors():
    return {
        "inertia1": Rotor("body", "x", J=1.1, **JOINT),
        "inertia2": Rotor("body", "y", J=18.2),
        "gear": BevelGear("body", "x", "y", ratio=10.0),
        "mount": Mounting("body", "x"),
        "motor": rotational.Torque2,
        "connect": [
            ("mount.flange", "motor.flange_a"),
            ("motor.flange_b", "inertia1.flange_a"),
            ("inertia1.flange_b", "gear.flange_a"),
            ("gear.flange_b", "inertia2.flange_a"),
        ],
    }


def shaft(J, axis):
    inertia = [J / 2.0 + J / 2.0 * (k == axis) for k in range(3)]
    return Solid(Cylinder(0.1, 0.1), mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), *inertia))


def test_bevel_gear_is_that_of_shafts_on_joints():
    """The flanges of joints exert the torques of the gear on the body by themselves."""
    bodies = turned_body(
        shaft1=Object3D(feature=shaft(1.1, 0)),
        shaft2=Object3D(feature=shaft(18.2, 1)),
        inertia1=RevoluteWithFlange("body", "shaft1", "x", **JOINT),
        inertia2=RevoluteWithFlange("body", "shaft2", "y", phi=Var(), w=Var()),
        gear=rotational.IdealGear | Map(ratio=10.0),
        motor=rotational.Torque,
        connect=[
            ("motor.flange", "inertia1.flange"),
            ("inertia1.flange", "gear.flange_a"),
            ("gear.flange_b", "inertia2.flange"),
        ],
    )
    at_rest = {
        "shaft1": Object3D(parent="body", feature=shaft(1.1, 0)),
        "shaft2": Object3D(parent="body", feature=shaft(18.2, 1)),
    }
    expected, result = run(0.4, **bodies), run(0.4, **(turned_body(**bevel_gear_of_rotors()) | at_rest))
    for name in ("revolute1", "revolute2", "revolute3", "inertia2"):
        assert result[f"{name}.phi"] == pytest.approx(expected[f"{name}.phi"], abs=1e-6), name
    assert np.ptp(result["inertia2.w"]) > 0.1


def test_bevel_gear_in_the_body_of_the_example():
    """The published start, before the singular position in which it becomes chaotic; power of the gear, work of the motors."""
    torques = "+".join(f"torque{k}.flange.tau*revolute{k}.w" for k in JOINTS)
    gear = "(s.w.x + der(gear.flange_a.phi))*gear.flange_a.tau + (s.w.y + der(gear.flange_b.phi))*gear.flange_b.tau"
    result = run(
        0.2,
        **turned_body(**bevel_gear_of_rotors()),
        s=AbsoluteSensor("body", "body", "w"),
        power=Var(f"{gear} - s.w.x*gear.reaction.torque.x - s.w.y*gear.reaction.torque.y"),
        work=Var(init=0.0),
        equations=[f"der(work) = motor.tau*inertia1.w - ({torques})"],
    )
    published = {
        0.008: (3.17937e-05, 0.0117783672, 0.00424728, 1.45922613, -0.00242043, -0.81046627, 0.0166041968, 6.5141743),
        0.016: (0.00024780685, 0.0457064778, 0.0358496751, 8.03041128, -0.0174981365, -3.2942272, 0.1398235464, 26.2687777),
    }
    names = [f"{name}.{signal}" for name in ("inertia2", "revolute1", "revolute2", "revolute3") for signal in ("phi", "w")]
    for time, values in published.items():
        now = [result[name][np.abs(result.time - time).argmin()] for name in names]
        assert now == pytest.approx(values, rel=5e-4)
    assert np.abs(result["power"]).max() < 1e-6
    rotors = 0.0
    for name, J, axis in (("inertia1", 1.1, 0), ("inertia2", 18.2, 1)):
        w = np.einsum("tji,tj->ti", result["body.R_abs"], result["body.w_abs"])[:, axis]
        rotors = rotors + 0.5 * J * ((result[f"{name}.w"] + w) ** 2 - w**2)  # the body has no inertia of rotors at rest
    total = energy(result) + rotors
    assert total - total[0] == pytest.approx(result["work"], abs=1e-6 * np.ptp(total))


def test_bevel_gear_takes_no_more_work_than_in_other_integrators():
    """Behind the singular position the cube turns with up to 1500 rad/s; nothing is stiff, and there are no events.

    The angle at the end is that of an explicit method of order 8 with a tolerance of 1e-12 (scipy's DOP853).
    """
    sim = instantiate(Model3D(**turned_body(**bevel_gear_of_rotors())))
    for tolerance, error in ((1e-6, 3e-3), (1e-8, 1e-4)):
        bdf, lsoda = (sim.simulate(0.4, tolerance=tolerance, solver=solver) for solver in ("cvode", "scipy"))
        assert bdf["revolute2.phi"][-1] == pytest.approx(-0.2174533034, abs=error)
        assert bdf.statistics["events"] == 0
        assert bdf.statistics["rhs_evaluations"] < 1.2 * lsoda.statistics["rhs_evaluations"]
        assert 1000.0 < np.abs(bdf["revolute3.w"]).max() < 2000.0


def test_gear_constraint():
    """Two shafts in bearings of the ground with a gear between them: a tree with a gear between two flanges."""
    tau = Sine | Map(amplitude=2.0, f=1.0)
    small, large = 7700.0 * math.pi * 0.05**2 * 0.4 * 0.05**2 / 2.0, 7700.0 * math.pi * 0.1**2 * 0.4 * 0.1**2 / 2.0
    result = run(
        5.0,
        world=world(),
        tau=tau,
        cyl1=cylinder(0.1, 0.4),
        cyl2=cylinder(0.2, 0.4),
        shaft1=RevoluteWithFlange("world", "cyl1", "x", phi=Var(), w=Var()),
        shaft2=RevoluteWithFlange("world", "cyl2", "x", phi=Var(init=0.0), w=Var(init=0.0)),
        gear=rotational.IdealGear | Map(ratio=10.0),
        torque1=Torque("world", "cyl1", torque=("tau.y", 0, 0)),
        inertia1=rotational.Inertia | Map(J=small, phi=Var(init=0.0), w=Var(init=0.0)),
        inertia2=rotational.Inertia | Map(J=large),
        ideal=rotational.IdealGear | Map(ratio=10.0),
        torque2=rotational.Torque,
        connect=[
            ("shaft1.flange", "gear.flange_a"),
            ("gear.flange_b", "shaft2.flange"),
            ("tau.y", "torque2.tau"),
            ("torque2.flange", "inertia1.flange_a"),
            ("inertia1.flange_b", "ideal.flange_a"),
            ("ideal.flange_b", "inertia2.flange_a"),
        ],
    )
    assert result["shaft2.w"] == pytest.approx(result["inertia2.w"], abs=1e-8)
    expected = 2.0 * 10.0 / (100.0 * small + large) * (1.0 - np.cos(2.0 * math.pi * result.time)) / (2.0 * math.pi)
    assert result["shaft2.w"] == pytest.approx(expected, abs=1e-7)
    assert result["shaft1.w"] == pytest.approx(10.0 * result["shaft2.w"], abs=1e-9)


def test_a_bevel_gear_at_the_flange_of_a_joint_of_its_body_is_refused():
    """The joint exerts the torque of its side on the body already; one with a support does not."""

    def model(joint):
        return {
            "world": world(),
            "body": cylinder(0.1, 0.2, parent="world", fixed_to_parent=False),
            "arm": cylinder(0.1, 0.2),
            "joint": joint("body", "arm", "y", phi=Var(init=0.0), w=Var(init=0.0)),
            "rotor": Rotor("body", "x", J=0.1, phi=Var(), w=Var()),
            "gear": BevelGear("body", "x", "y", ratio=5.0),
            "motor": rotational.Torque2,
            "mount": Mounting("body", "x"),
            "equations": ["motor.tau = 1"],
            "connect": [
                ("mount.flange", "motor.flange_a"),
                ("motor.flange_b", "rotor.flange_a"),
                ("rotor.flange_b", "gear.flange_a"),
                ("gear.flange_b", "joint.flange"),
            ],
        }

    with pytest.raises(ModelError, match=r"'gear' on 'body' would count twice.*RevoluteWithSupport"):
        run(1.0, **model(RevoluteWithFlange))
    result = run(0.5, **model(RevoluteWithSupport))
    R = result["body.R_abs"]
    w = np.einsum("tji,tj->ti", R, result["body.w_abs"])
    spin = 0.1 * result["rotor.w"][:, None] * R[:, :, 0]  # the rotor's angular momentum beyond that of its inertia at rest
    assert result["mechanics.angular_momentum"] + spin == pytest.approx(np.zeros((len(w), 3)), abs=1e-8)
    assert np.abs(result["mechanics.angular_momentum"]).max() > 0.1
