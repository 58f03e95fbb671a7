"""The benchmark bicycle: eigenvalues over the speed, by bonds and by the engine.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab: Linearized dynamics equations for the balance and steer of a
bicycle: a benchmark and review, Proc. R. Soc. A 463 (2007). There x points forward and z
down; here the bicycle goes to -x, and y is up.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from modia3d import MassProperties, Model3D, Object3D, Revolute, RollingConstraint, Scene, Solid, UniformGravity
from modiapy import Map, Model, instantiate
from modiapy.library import mechanics_3d as bonds

TILT = math.pi / 10  # of the steering axis
TRAIL, BASE = 0.08, 1.02
HEAD = np.array([-(BASE + TRAIL), 0, 0]) + 0.9 * np.array([math.sin(TILT), math.cos(TILT), 0])  # a point of the steering axis
AXIS = [math.sin(TILT), math.cos(TILT), 0.0]
REAR_WHEEL, FRONT_WHEEL = np.array([0, 0.3, 0]), np.array([-BASE, 0.35, 0])
REAR_MASS, FRONT_MASS = np.array([-0.3, 0.9, 0]), np.array([-0.9, 0.7, 0])

# the matrices of the publication, with all their digits
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0.0, 76.59734589573222], [0.0, 2.65431523794604]]
C1 = [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
"""The published speeds between which the bicycle is stable."""


def published(v):
    """Return the four eigenvalues of the published equations at the speed v."""
    inverse = np.linalg.inv(M)
    stiffness, damping = inverse @ (9.81 * np.array(K0) + v**2 * np.array(K2)), inverse @ np.array(C1) * v
    return np.sort_complex(np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness, -damping]])))


def of_motion(linear):
    """Return the four largest eigenvalues; the others are those of cyclic coordinates, zero."""
    values = np.linalg.eigvals(linear.A)
    values = values[np.argsort(-abs(values))]
    assert abs(values[4:]).max() < 1e-4  # the root of rounding errors: double zeros
    return np.sort_complex(values[:4])


def rod(begin, end):
    return bonds.FixedTranslation | Map(r=list(end - begin))


ALWAYS = Map(state_select="always")

BICYCLE_OF_BONDS = Model(
    v=5.0,
    world3D=bonds.World3D,
    RWheel=bonds.Wheel
    | Map(m=2.0, I_11=0.0603, I_22=0.0603, I_33=0.12, r=0.3, w_start="[0, 0, v/0.3*180/pi]", x_a=ALWAYS, x_b=ALWAYS)
    | Map(body=Map(motion=Map(phi=ALWAYS, phi_d=ALWAYS))),
    RWRevolute=bonds.Revolute,
    to_mass=rod(REAR_WHEEL, REAR_MASS),
    rear=bonds.SimpleBody | Map(m=85.0, I_11=9.2, I_22=2.8, I_33=11.0, I_21=2.4),
    to_head=rod(REAR_WHEEL, HEAD),
    Steering=bonds.Revolute | Map(n=AXIS, phi=ALWAYS),
    to_wheel=rod(HEAD, FRONT_WHEEL),
    to_front=rod(HEAD, FRONT_MASS),
    front=bonds.SimpleBody | Map(m=4.0, I_11=0.05892, I_22=0.00708, I_33=0.06, I_21=-0.00756),
    FWRevolute=bonds.Revolute | Map(phi=ALWAYS),
    contact=bonds.WheelJoint | Map(r=0.35),
    wheel=bonds.SimpleBody | Map(m=3.0, I_11=0.1405, I_22=0.1405, I_33=0.28),
    connect=[
        ("RWheel.frame_b", "RWRevolute.frame_a"),
        ("RWRevolute.frame_b", "to_mass.frame_a", "to_head.frame_a"),
        ("to_mass.frame_b", "rear.frame_a"),
        ("to_head.frame_b", "Steering.frame_a"),
        ("Steering.frame_b", "to_wheel.frame_a", "to_front.frame_a"),
        ("to_front.frame_b", "front.frame_a"),
        ("to_wheel.frame_b", "FWRevolute.frame_a"),
        ("FWRevolute.frame_b", "contact.frame_b", "wheel.frame_a"),
    ],
)


def solid(mass, inertia, centre=(0.0, 0.0, 0.0), I_xy=0.0):
    return Solid(mass_properties=MassProperties(mass, tuple(centre), *inertia, Ixy=I_xy))


BICYCLE_OF_THE_ENGINE = Model3D(
    v=5.0,
    world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n="-y"))),
    rear=Object3D(
        parent="world",
        fixed_to_parent=False,
        assembly_root=True,
        translation=tuple(REAR_WHEEL),
        velocity=("-v", 0.0, 0.0),
        orientation="yxz",
        feature=solid(85.0, (9.2, 2.8, 11.0), REAR_MASS - REAR_WHEEL, 2.4),
    ),
    RWheel=Object3D(feature=solid(2.0, (0.0603, 0.0603, 0.12))),
    head=Object3D(parent="rear", translation=tuple(HEAD - REAR_WHEEL)),
    front=Object3D(feature=solid(4.0, (0.05892, 0.00708, 0.06), FRONT_MASS - HEAD, -0.00756)),
    fork=Object3D(parent="front", translation=tuple(FRONT_WHEEL - HEAD)),
    FWheel=Object3D(feature=solid(3.0, (0.1405, 0.1405, 0.28))),
    RWRevolute=Revolute("rear", "RWheel", "z", w="v/0.3"),
    Steering=Revolute("head", "front", tuple(AXIS)),
    FWRevolute=Revolute("fork", "FWheel", "z", w="v/0.35"),
    rear_contact=RollingConstraint("world", "RWheel", 0.3, "z", "y"),
    front_contact=RollingConstraint("world", "FWheel", 0.35, "z", "y"),
)


@pytest.fixture(scope="module", params=["bonds", "engine"])
def bicycle(request):
    return instantiate(BICYCLE_OF_BONDS if request.param == "bonds" else BICYCLE_OF_THE_ENGINE)


@pytest.mark.parametrize("v", [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
def test_eigenvalues_are_the_published_ones(bicycle, v):
    """To 2e-9 of the largest: the linearisation is a difference of function values."""
    expected = published(v)
    found = of_motion(bicycle.linearize(merge=Map(v=v)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-9 * abs(expected).max())


@pytest.mark.parametrize("v", [WEAVE, CAPSIZE])
def test_bicycle_becomes_stable_and_unstable_at_the_published_speeds(bicycle, v):
    def growth(speed):
        return of_motion(bicycle.linearize(merge=Map(v=speed))).real.max()

    assert abs(growth(v)) < 1e-7
    assert growth(v - 1e-3) * growth(v + 1e-3) < 0
    assert growth(5.0) < 0
