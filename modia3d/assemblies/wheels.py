"""Wheels that roll on a plane: `RollingWheel`, `RollingWheelSet`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from modiapy.library.flanges import RotationalFlange
from modiapy.model.arguments import arguments_checked
from modiapy.model.model import Model, Var

from ..scene.basics import checks
from ..scene.basics.rotations import axis_rotation, matrix_of
from ..scene.constructors import Cylinder, MassProperties, Object3D, Planar, RevoluteWithFlange, RollingConstraint, Solid
from .parts import assembled, place

THIN = 0.1
"""Width of a wheel that is seen over its radius."""


@arguments_checked(typed=True)
def RollingWheel(
    obj1: str,
    radius: float,
    m: float,
    I_axis: float,
    I_long: float,
    x: float = 0.0,
    y: float = 0.0,
    angles: Sequence[float] = (0.0, 0.0, 0.0),
    der_angles: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    orientation: str = "quaternion",
) -> Model:
    """A wheel that rolls without slip on the plane z = 0 of ``obj1``: five coordinates of positions, three of speeds.

    It begins on the plane, without slip.

    Args:
        obj1: name of the frame of the plane, "world" for the ground.
        radius: of the wheel [m].
        m: its mass [kg].
        I_axis, I_long: moments of inertia about its axis and about a diameter [kg.m2].
        x, y: where its centre begins [m].
        angles: how it begins: turned about z, then about the new y, its axis, then about the new x [rad].
        der_angles: their derivatives at the start [rad/s].
        orientation: how states describe the orientation, see `Object3D`.

    Returns:
        A model with the Object3D ``frame_a`` in the centre, its y axis along that of the wheel, and the constraint ``rolling``.
    """
    owner = "RollingWheel"
    radius = checks.positive(owner, "radius", radius)
    (phi, theta, lean), rates = checks.vector3(owner, "angles", angles), checks.vector3(owner, "der_angles", der_angles)
    R = matrix_of("zyx", (phi, theta, lean))
    e_z, e_y, e_x = np.array((0.0, 0.0, 1.0)), axis_rotation((0.0, 0.0, 1.0), phi)[:, 1], R[:, 0]
    w = rates[0] * e_z + rates[1] * e_y + rates[2] * e_x
    down = (e_z @ R[:, 1]) * R[:, 1] - e_z
    arm = radius * down / max(float(np.linalg.norm(down)), 1e-12)
    centre = (checks.number(owner, "x", x), checks.number(owner, "y", y), -float(arm[2]))
    wheel = Object3D(
        parent=obj1,
        fixed_to_parent=False,
        translation=centre,
        rotation=tuple(map(tuple, R.tolist())),
        velocity=tuple((-np.cross(w, arm)).tolist()),
        angular_velocity=tuple(w.tolist()),
        orientation=orientation,
        feature=_disc(radius, m, I_axis, I_long),
    )
    return assembled(owner, {"frame_a": wheel, "rolling": RollingConstraint(obj1, "frame_a", radius)}, obj1=obj1)


def _disc(radius: float, m: float, I_axis: float, I_long: float) -> object:
    """Return a wheel about y."""
    inertia = MassProperties(mass=m, Ixx=I_long, Iyy=I_axis, Izz=I_long)
    return Solid(shape=Cylinder(axis="y", diameter=2.0 * radius, length=THIN * radius), mass_properties=inertia)


@arguments_checked(typed=True)
def RollingWheelSet(
    obj1: str,
    R_wheel: float,
    m_wheel: float,
    I_axis: float,
    I_long: float,
    track: float,
    x: float = 0.0,
    y: float = 0.0,
    phi: float = 0.0,
    theta1: float = 0.0,
    theta2: float = 0.0,
    der_theta1: float = 0.0,
    der_theta2: float = 0.0,
) -> Model:
    """Two wheels on one axle that roll without slip on the plane z = 0 of ``obj1``: five coordinates of positions, two of
    speeds.

    It begins without slip.

    Args:
        obj1: name of the frame of the plane, "world" for the ground.
        R_wheel, m_wheel, I_axis, I_long: radius [m], mass [kg] and moments of inertia of a wheel about its axis and about a
            diameter [kg.m2].
        track: distance of the wheels [m].
        x, y, phi: where the middle of the axle begins [m], and the angle of its x axis [rad].
        theta1, theta2: angles of both wheels at the start [rad].
        der_theta1, der_theta2: their derivatives at the start [rad/s].

    Returns:
        A model with the Object3Ds ``frame_middle`` (y along the axle, z upwards), ``frame1`` in the left wheel (at positive y)
        and ``frame2`` in the right one; the connectors ``axis1`` and ``axis2`` drive the wheels, ``support`` is for the
        housings of
        drives; the angles ``theta1`` and ``theta2``; the joint ``planar`` and the constraints ``rolling1`` and ``rolling2``.
    """
    owner = "RollingWheelSet"
    R, b = checks.positive(owner, "R_wheel", R_wheel), checks.positive(owner, "track", track)
    rates = [checks.number(owner, f"der_theta{i}", rate) for i, rate in ((1, der_theta1), (2, der_theta2))]
    heading, speed = checks.number(owner, "phi", phi), 0.5 * R * (rates[0] + rates[1])
    parts = {
        "plane": place(obj1, (0.0, 0.0, R)),
        "frame_middle": Object3D(),
        "planar": Planar(
            "plane",
            "frame_middle",
            "z",
            "x",
            s_x=x,
            s_y=y,
            phi=heading,
            v_x=speed * math.cos(heading),
            v_y=speed * math.sin(heading),
            w=R * (rates[1] - rates[0]) / b,
        ),
        "support": RotationalFlange,
        "equations": ["support.phi = 0"],
        "connect": [],
    }
    for i, (side, theta, rate) in enumerate(((0.5, theta1, rates[0]), (-0.5, theta2, rates[1])), start=1):
        start = checks.number(owner, f"theta{i}", theta)
        parts |= {
            f"bearing{i}": place("frame_middle", (0.0, side * b, 0.0)),
            f"frame{i}": Object3D(feature=_disc(R, m_wheel, I_axis, I_long)),
            f"revolute{i}": RevoluteWithFlange(f"bearing{i}", f"frame{i}", "y", Var(init=start), Var(init=rate)),
            f"rolling{i}": RollingConstraint(obj1, f"frame{i}", R, upright=True, lateral=i == 1),
            f"axis{i}": RotationalFlange,
            f"theta{i}": Var(f"revolute{i}.phi"),
        }
        parts["connect"].append((f"axis{i}", f"revolute{i}.flange"))
    return assembled(owner, parts, obj1=obj1)
