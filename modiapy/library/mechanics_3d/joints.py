"""Joints of the tree of frames (thesis, 7.2.4)."""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model, Par, Var, redeclare
from ..bond_graphs import J0, Se, mSe
from ..bond_graphs.impulses import at_events, jump
from ..flanges import RotationalFlange, TranslationalFlange
from .elements import AlongAxis, AlongDirection
from .interfaces import Frame
from .links import Shifted, Turned
from .orientation import BY_CARDAN_ANGLES, BY_QUATERNION, FreeOrientation, PlanarRotation

_Axis = Model(n=Par([0, 0, 1], structural=True), e=Par("n/norm(n)", structural=True), along=AlongAxis | Map(e="e"))


def _jump(velocity: str) -> If:
    return at_events(jump("abs(along.a.g[0])", f"reinit({velocity}, {velocity} + along.a.g[0])"))


_Force = Model(drive=Se | Map(n=1, e0=0.0), connect=[("drive.b", "along.a")])
"""No force or torque along the axis of a joint."""

_RevoluteBody = (
    Turned
    | _Axis
    | Model(
        phi_offset=0.0,
        phi_start=0.0,
        w_start=0.0,
        phi=Var(start="phi_start*pi/180", unit="rad", state_select="prefer", description="angle"),
        w=Var(start="w_start*pi/180", unit="rad/s", state_select="prefer", description="angular velocity"),
        z=Var(unit="rad/s2", description="angular acceleration"),
        planar=PlanarRotation | Map(e="e", phi=Var("phi + phi_offset*pi/180", start="(phi_start + phi_offset)*pi/180")),
        rotation=J0 | Map(n=3, n_in=2, n_out=1),
        equations=["R_rel = planar.R", "w = along.a.f[0]", "w = der(phi)", "z = der(w)", _jump("w")],
        connect=[("turn.b", "rotation.a[0]"), ("along.b", "rotation.a[1]"), ("rotation.b[0]", "to_b.rotation")],
    )
)

_PrismaticBody = (
    Shifted
    | _Axis
    | Model(
        n=[1, 0, 0],
        s_offset=0.0,
        s_start=0.0,
        v_start=0.0,
        s=Var(start="s_start", unit="m", state_select="prefer", description="length"),
        v=Var(start="v_start", unit="m/s", state_select="prefer", description="its derivative"),
        a=Var(unit="m/s2", description="its second derivative"),
        translation=Map(n_in=3),
        along=redeclare(AlongDirection | Map(e=Var("transpose(frame_a.P.R)@e"))),
        equations=["r = (s + s_offset)*e", "v = along.a.f[0]", "v = der(s)", "a = der(v)", _jump("v")],
        connect=[("along.b", "translation.a[2]")],
    )
)

Revolute = (
    _RevoluteBody
    | _Force
    | Model(
        description="Revolute joint about the axis n: frame_b is turned by phi + phi_offset relative to frame_a; phi_offset,"
        " phi_start [deg], w_start [deg/s]"
    )
)

Prismatic = (
    _PrismaticBody
    | _Force
    | Model(
        description="Prismatic joint along the axis n: frame_b is shifted by s + s_offset [m] relative to frame_a; s_start [m],"
        " v_start [m/s]"
    )
)

ActuatedRevolute = _RevoluteBody | Model(
    description="Revolute whose torque acts at the flange axis; the flange bearing is at rest relative to frame_a",
    axis=RotationalFlange,
    bearing=RotationalFlange,
    drive=mSe | Map(n=1),
    equations=["drive.s[0] = axis.tau", "axis.phi = phi + phi_offset*pi/180", "bearing.phi = 0"],
    connect=[("drive.b", "along.a")],
)

ActuatedPrismatic = _PrismaticBody | Model(
    description="Prismatic whose force acts at the flange axis; the flange bearing is at rest relative to frame_a",
    axis=TranslationalFlange,
    bearing=TranslationalFlange,
    drive=mSe | Map(n=1),
    equations=["drive.s[0] = axis.f", "axis.s = s + s_offset", "bearing.s = 0"],
    connect=[("drive.b", "along.a")],
)

Spherical = (
    Turned
    | FreeOrientation
    | Model(
        description="Spherical joint; phi_start [deg], Cardan angles about the axes sequence_angles; w_start [deg/s], relative"
        " to frame_a and resolved in frame_b. Its states are a quaternion and the angular velocity or, without"
        " use_quaternions, Cardan angles and their derivatives.",
        rotation=J0 | Map(n=3, n_in=2, n_out=1),
        torque=Se | Map(n=3, e0=0.0),
        equations=[
            "w = torque.f",
            If(
                "use_quaternions",
                ["R_rel = quaternion.R", *BY_QUATERNION],
                otherwise=["R_rel = cardan.R", *BY_CARDAN_ANGLES],
            ),
        ],
        connect=[("turn.b", "rotation.a[0]"), ("torque.b", "rotation.a[1]"), ("rotation.b[0]", "to_b.rotation")],
    )
)

Universal = Model(
    description="Universal joint: frame_b turns about n_b of a cross that turns about n_a of frame_a. first and second are its"
    " two revolute joints.",
    n_a=[1, 0, 0],
    n_b=[0, 1, 0],
    first=Revolute | Map(n="n_a"),
    second=Revolute | Map(n="n_b"),
    frame_a=Frame,
    frame_b=Frame,
    connect=[("frame_a", "first.frame_a"), ("first.frame_b", "second.frame_a"), ("second.frame_b", "frame_b")],
)
