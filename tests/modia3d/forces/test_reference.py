"""Examples of the Modelica library (MultiBody.Examples.Elementary) and tests of Modia3D, against their published results.

Those were computed with a tolerance of 1e-6, these here with 1e-10; where they differ by more than 1e-4 it is the former that
are off (checked for PointGravity and FreeShaft with scipy's DOP853 at 1e-12).
"""

import math

import numpy as np
import pytest

from modia3d import (
    Beam,
    Box,
    MassProperties,
    Object3D,
    PointGravity,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Solid,
    SolidMaterial,
    SpringDamperPtP,
    UniformGravity,
)
from modia3d.scene.rotations import rotation_matrix
from modiapy import Map, Model, Var
from modiapy.library.rotational import Damper, Fixed

from .scenes import assert_constant, body, free, run, world


def down():
    return world(UniformGravity(n="-y"))


def damped(joint, d):
    """A damper between the ground and a joint with a flange."""
    connect = [("damper.flange_a", "ground.flange"), ("damper.flange_b", f"{joint}.flange")]
    return {"damper": Damper | Map(d=d), "ground": Fixed, "connect": connect}


def flange(obj1, obj2, phi=0.0):
    return RevoluteWithFlange(obj1, obj2, "z", phi=Var(init=phi), w=Var(init=0.0))


def test_pendulum():
    pendulum = body(center=(0.5, 0.0, 0.0), inertia=0.001)
    result = run(5.0, world=down(), pendulum=pendulum, rev=flange("world", "pendulum"), **damped("rev", 0.1))
    assert (result["rev.phi"][-1], result["rev.w"][-1]) == pytest.approx((-1.679634642, -2.318147029), abs=5e-3)


def test_double_pendulum():
    steel = SolidMaterial(density=7700.0)
    bar = Model(
        start=Object3D(),
        box=Object3D(parent="start", feature=Solid(Box(0.5, 0.06, 0.06), steel), translation=(0.25, 0, 0)),
        end=Object3D(parent="start", translation=(0.5, 0.0, 0.0)),
    )
    result = run(
        1.17,
        world=down(),
        bar1=bar,
        bar2=bar,
        revolute1=flange("world", "bar1.start"),
        revolute2=Revolute("bar1.end", "bar2.start", "z"),
        **damped("revolute1", 0.1),
    )
    names = "revolute1.phi", "revolute1.w", "revolute2.phi", "revolute2.w"
    end = [result[name][-1] for name in names]
    assert end == pytest.approx([-2.255743212, 4.851621355, -1.45609043, -2.787609785], abs=1e-2)


def test_pendulum_with_spring_and_damper():
    result = run(
        10.0,
        world=down(),
        bar1=Object3D(parent="world", translation=(0.3, 0.0, 0.0)),
        arm=Object3D(),
        body1=body(inertia=1.0),
        revolute=Revolute("bar1", "arm", "z"),
        prismatic=Prismatic("arm", "body1", "x", s=0.5),
        spring1=SpringDamperPtP("bar1", "body1", stiffness=20.0, nominal_length=0.2),
        damper1=SpringDamperPtP("bar1", "body1", damping=1.0),
    )
    end = [result[name][-1] for name in ("prismatic.s", "prismatic.v", "revolute.phi", "revolute.w")]
    assert end == pytest.approx([0.746849622, -0.303725712, -1.332907701, 0.5279165497], abs=5e-3)


def test_spring_damper_system():
    result = run(
        10.0,
        world=down(),
        bar1=Object3D(parent="world", translation=(0.3, 0.0, 0.0)),
        bar2=Object3D(parent="bar1", translation=(0.6, 0.0, 0.0)),
        body1=free(center=(0, -0.2, 0), translation=(0.3, -0.2, 0.0), angular_velocity=(0.0, 0.0, 0.03490658503988659)),
        body2=body(inertia=0.001),
        p2=Prismatic("bar2", "body2", (0, -1, 0), s=0.1),
        spring2=SpringDamperPtP("bar2", "body2", stiffness=30.0, nominal_length=0.1),
        spring1=SpringDamperPtP("bar1", "body1", stiffness=30.0, nominal_length=0.1),
        damper1=SpringDamperPtP("bar1", "body1", damping=2.0),
    )
    assert result["body1.r_abs"][-1] == pytest.approx([0.3005915201, -0.4269005793, 0.0], abs=2e-3)
    assert result["body1.v_abs"][-1] == pytest.approx([-0.00682479048, 8.730940073e-05, 0.0], abs=2e-3)
    assert result["body1.w_abs"][-1] == pytest.approx([0.0, 0.0, -0.003013133562], abs=5e-4)
    assert (result["p2.s"][-1], result["p2.v"][-1]) == pytest.approx((0.4936176194, -1.752568695), abs=2e-3)


def test_free_body():
    ten = math.radians(10.0)
    result = run(
        10.0,
        world=down(),
        bar2=Object3D(parent="world", translation=(0.8, 0.0, 0.0)),
        body=free(inertia=1.0, center=(0.2, 0, 0), translation=(0.2, -0.5, 0.1), rotation=(ten, ten, ten)),
        end=Object3D(parent="body", translation=(0.4, 0.0, 0.0)),
        spring1=SpringDamperPtP("world", "body", stiffness=20.0),
        spring2=SpringDamperPtP("bar2", "end", stiffness=20.0),
    )
    assert result["body.r_abs"][-1] == pytest.approx([0.196093624, -0.4625703835, 0.08060990966], abs=2e-3)
    assert result["body.v_abs"][-1] == pytest.approx([0.02486475491, 0.4843897049, -0.141620034], abs=2e-3)
    w = np.einsum("ji,j->i", result["body.R_abs"][-1], result["body.w_abs"][-1])
    assert w == pytest.approx([0.0, 0.2678625471, 0.2637931128], abs=2e-3)


def test_point_gravity():
    result = run(
        5.0,
        world=world(PointGravity(1.0)),
        body1=free(translation=(0.0, 0.6, 0.0), velocity=(1.0, 0.0, 0.0)),
        body2=free(translation=(0.6, 0.6, 0.0), velocity=(0.6, 0.0, 0.0)),
    )
    assert result["body1.r_abs"][-1] == pytest.approx([-0.2693035788, 0.4835613742, 0.0], abs=2e-3)
    assert result["body1.v_abs"][-1] == pytest.approx([0.789324065, 0.8107412228, 0.0], abs=2e-3)
    assert result["body2.r_abs"][-1] == pytest.approx([0.7868481799, 0.4785897931, 0.0], abs=2e-3)
    assert result["body2.v_abs"][-1] == pytest.approx([0.07954391037, -0.4090264597, 0.0], abs=2e-3)


def test_six_rigidly_connected_point_masses_in_point_gravity():
    """PointGravityWithPointMasses2: inertia from six point masses; angular momentum about the centre and energy are kept."""
    dot = MassProperties(1.0, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
    arms = {"x": (1, 0, 0), "x_": (-1, 0, 0), "y": (0, 1, 0), "y_": (0, -1, 0), "z": (0, 0, 1), "z_": (0, 0, -1)}
    masses = {
        f"mass_{name}": Object3D(parent="hub", translation=arm, feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=dot))
        for name, arm in arms.items()
    }
    hub = Object3D(parent="world", fixed_to_parent=False, translation=(2.0, 0.0, 0.0), velocity=(0.0, 0.0, -1.0))
    result = run(3.0, world=world(PointGravity(5.0)), hub=hub, **masses)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert_constant(energy, 1e-7)
    momentum = result["mechanics.angular_momentum"]
    assert_constant(momentum, 1e-7)
    assert energy[0] == pytest.approx(3.0 - 5.0 * (1 / 3 + 1 / 1 + 4 / math.sqrt(5.0)))


def test_free_shaft_of_modia3d():
    """Final states of Modia3D (tolerance 1e-6): position, velocity, Cardan angles, angular velocity in world."""
    properties = MassProperties(84.7154, (0.0, 0.0, 0.0), 7.2711, 7.2711, 0.4230)
    angles = tuple(math.radians(a) for a in (30.0, 20.0, 10.0))
    start = rotation_matrix(angles)
    shaft = Object3D(
        parent="world",
        fixed_to_parent=False,
        feature=Solid(Box(0.2, 0.2, 1.0), mass_properties=properties),
        rotation=angles,
        velocity=(0.0, 0.1, 0.6),
        angular_velocity=start @ (1.0, 2.0, 3.0),
    )
    result = run(5.0, world=world(UniformGravity(0.3, "-z")), shaft=shaft)
    assert result["shaft.r_abs"][-1] == pytest.approx([0.0, 0.5, -0.75], abs=1e-6)
    assert result["shaft.v_abs"][-1] == pytest.approx([0.0, 0.1, -0.9], abs=1e-6)
    expected = rotation_matrix((12.518049845080435, -0.901864379852841, 13.979844149553378))
    assert result["shaft.R_abs"][-1] == pytest.approx(expected, abs=2e-3)
    assert result["shaft.w_abs"][-1] == pytest.approx([-1.556318674959713, 1.9667313208626755, 2.776623306112369], abs=2e-3)


def test_double_pendulum_with_dampers_of_modia3d():
    bar = Model(
        frame0=Object3D(feature=Solid(shape=Beam(1.0, 0.2, 0.2, "x"), solid_material="Aluminium")),
        frame1=Object3D(parent="frame0", translation=(-0.5, 0.0, 0.0)),
        frame2=Object3D(parent="frame0", translation=(0.5, 0.0, 0.0)),
    )
    result = run(
        10.0,
        world=down(),
        bar1=bar,
        bar2=bar,
        rev1=flange("world", "bar1.frame1", 1.0),
        rev2=flange("bar1.frame2", "bar2.frame1"),
        damper1=Damper | Map(d=20.0),
        damper2=Damper | Map(d=20.0),
        fixed=Fixed,
        connect=[
            ("damper1.flange_b", "rev1.flange"),
            ("damper2.flange_b", "rev2.flange"),
            ("damper1.flange_a", "damper2.flange_a", "fixed.flange"),
        ],
    )
    end = [result[name][-1] for name in ("rev1.phi", "rev1.w", "rev2.phi", "rev2.w")]
    assert end == pytest.approx([-0.9608496178685947, 1.0258202272580021, -6.0828664801544345, -0.11676963250128454], rel=1e-3)
