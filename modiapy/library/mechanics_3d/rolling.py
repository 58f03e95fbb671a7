"""Wheels and marbles that roll on a plane without slip (thesis, 7.3).

The velocity at the point of contact is zero: two constraints of velocities that have no integral. The third one, along the
normal, is the derivative of a constraint of positions, which takes its place.
"""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..bond_graphs import J0, ActiveOnePort
from ..bond_graphs.impulses import at_events
from .elements import IN_PLANE, AlongAxis, Lever, ToWorld
from .interfaces import SIZE, Frame, ToBonds, vector
from .parts import MASS_PROPERTIES, Body

_Plane = Model(
    r=1.0,
    n=[0, 1, 0],
    d=0.0,
    e="n/norm(n)",
    **IN_PLANE,
)
"""Radius r of what rolls, and the plane at the distance d from the origin, with two directions in it."""

_RollingJoint = _Plane | Model(
    n_impulse=SIZE,
    frame_b=Frame,
    from_b=ToBonds,
    to_world=ToWorld | Map(R=Var("frame_b.P.R")),
    lever=Lever | Map(r=Var("r_cp")),
    contact=J0 | Map(n=3, n_in=3, n_out=0),
    normal=AlongAxis | Map(e="-e"),
    source=ActiveOnePort | Map(n=1),
    r_cp=vector("m", description="from the centre to the point of contact, in the world"),
    f_n=Var(unit="N", description="normal force of the plane"),
    equations=["source.e[0] = f_n", "dot(frame_b.P.x, e) = d - dot(r_cp, e)", at_events("source.g = 0*source.E")],
    connect=[
        ("frame_b", "from_b.frame"),
        ("from_b.translation", "contact.a[0]"),
        ("from_b.rotation", "to_world.a"),
        ("to_world.b", "lever.a"),
        ("lever.b", "contact.a[1]"),
        ("source.b", "normal.a"),
        ("normal.b", "contact.a[2]"),
    ],
)

MarbleJoint = _RollingJoint | Model(
    description="Contact of a sphere of radius r [m] about frame_b that rolls without slip on the plane dot(x, n) = d",
    equations=["r_cp = -r*e"],
)

WheelJoint = _RollingJoint | Model(
    description="Contact of a thin wheel of radius r [m] about the z axis of frame_b that rolls without slip on the plane"
    " dot(x, n) = d",
    axis=Var("frame_b.P.R[2]", shape=3, elements=True, description="axis of the wheel, in the world"),
    down=Var("dot(e, axis)*axis - e", shape=3, elements=True, description="e without its part along the axis, downwards"),
    equations=["r_cp = r*down/norm(down)"],
)

_Rolling = _Plane | Model(
    **MASS_PROPERTIES,
    x_start=[0.0, 0.0, 0.0],
    phi_start=[0.0, 0.0, 0.0],
    w_start=[0.0, 0.0, 0.0],
    use_quaternions=False,
    sequence_angles=[2, 1, 3],
    frame_b=Frame,
    body=Body
    | Map(
        **{name: name for name in MASS_PROPERTIES},
        x_start="x_start + (d + r - dot(x_start, e))*e",
        phi_start="phi_start",
        w_start="w_start",
        use_quaternions="use_quaternions",
        sequence_angles="sequence_angles",
    ),
    x_a=Var("dot(frame_b.P.x, e_a)", start="dot(x_start, e_a)", unit="m", state_select="prefer"),
    x_b=Var("dot(frame_b.P.x, e_b)", start="dot(x_start, e_b)", unit="m", state_select="prefer"),
    v_a=Var("dot(frame_b.P.v, e_a)", unit="m/s"),
    v_b=Var("dot(frame_b.P.v, e_b)", unit="m/s"),
    w_n=Var("dot(frame_b.P.R@e, frame_b.P.w)", unit="rad/s", description="angular velocity about the normal"),
    connect=[("body.frame_a", "frame_b"), ("joint.frame_b", "frame_b")],
)

Marble = _Rolling | Model(
    description="Marble of radius r [m] that rolls on the plane dot(x, n) = d: MarbleJoint and Body",
    joint=MarbleJoint | Map(r="r", n="n", d="d"),
)

Wheel = _Rolling | Model(
    description="Wheel of radius r [m] about its z axis that rolls on the plane dot(x, n) = d: WheelJoint and Body",
    joint=WheelJoint | Map(r="r", n="n", d="d"),
)
