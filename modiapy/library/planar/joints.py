"""Joints, and wheels that roll on the x axis; equations after PlanarMechanics.Joints."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from ..flanges import RotationalFlange, TranslationalFlange
from .interfaces import FORCES, TOGETHER, TORQUES, Frame, TwoFrames, free, rotated
from .tyres import triple_s

_Revolute = TwoFrames | Model(
    phi=Var(start=0.0, unit="rad", state_select="prefer", description="angle of frame_b relative to frame_a"),
    w=Var("der(phi)", start=0.0, unit="rad/s", state_select="prefer", description="angular velocity"),
    z=Var("der(w)", unit="rad/s2", description="angular acceleration"),
    t=Var(unit="N.m", description="torque that drives the joint"),
    equations=[*TOGETHER, "frame_b.phi = frame_a.phi + phi", *FORCES, TORQUES, "frame_a.t = t"],
)

Revolute = _Revolute | Model(description="Revolute joint: frame_b turns by phi [rad] relative to frame_a", t=Var("0"))

RevoluteWithFlange = _Revolute | Model(
    description="Revolute joint whose flange_a turns by phi [rad] relative to support; what acts on support acts on the world,"
    " not on frame_a",
    flange_a=RotationalFlange,
    support=RotationalFlange,
    equations=["phi = flange_a.phi", "t = flange_a.tau", "support.phi = 0"],
)

_Prismatic = TwoFrames | Model(
    r=Par([1.0, 0.0], unit="m"),
    l="norm(r)",
    e=["r[0]/l", "r[1]/l"],
    s=Var(start=0.0, unit="m", state_select="prefer", description="distance of frame_b from frame_a"),
    v=Var("der(s)", start=0.0, unit="m/s", state_select="prefer", description="speed"),
    a=Var("der(v)", unit="m/s2", description="acceleration"),
    f=Var(unit="N", description="force that drives the joint"),
    e0=Var(rotated("e[0]", "e[1]", "frame_a.phi"), shape=2, elements=True, description="direction in the planar world"),
    equations=[
        "frame_b.x = frame_a.x + s*e0[0]",
        "frame_b.y = frame_a.y + s*e0[1]",
        "frame_b.phi = frame_a.phi",
        *FORCES,
        "frame_a.t + frame_b.t + s*(e0[0]*frame_b.fy - e0[1]*frame_b.fx) = 0",
        "frame_a.fx*e0[0] + frame_a.fy*e0[1] = f",
    ],
)

Prismatic = _Prismatic | Model(
    description="Prismatic joint: frame_b slides by s [m] along the direction r, along the axes of frame_a", f=Var("0")
)

PrismaticWithFlange = _Prismatic | Model(
    description="Prismatic joint whose flange_a slides by s [m] along the direction r, along the axes of frame_a, relative to"
    " support; what acts on support acts on the world, not on frame_a",
    flange_a=TranslationalFlange,
    support=TranslationalFlange,
    equations=["s = flange_a.s", "f = flange_a.f", "support.s = 0"],
)

FreeMotion = TwoFrames | Model(
    description="No joint: s_x, s_y [m] and phi [rad] are the position, along the axes of frame_a, and the angle of frame_b"
    " relative to frame_a, and are states",
    s_x=Var(start=0.0, unit="m", state_select="always", description="position along x of frame_a"),
    s_y=Var(start=0.0, unit="m", state_select="always", description="position along y of frame_a"),
    phi=Var(start=0.0, unit="rad", state_select="always", description="angle relative to frame_a"),
    v_x=Var("der(s_x)", start=0.0, unit="m/s", state_select="always", description="velocity along x of frame_a"),
    v_y=Var("der(s_y)", start=0.0, unit="m/s", state_select="always", description="velocity along y of frame_a"),
    w=Var("der(phi)", start=0.0, unit="rad/s", state_select="always", description="angular velocity relative to frame_a"),
    equations=[
        "frame_b.x = frame_a.x + " + rotated("s_x", "s_y", "frame_a.phi")[0],
        "frame_b.y = frame_a.y + " + rotated("s_x", "s_y", "frame_a.phi")[1],
        "frame_b.phi = frame_a.phi + phi",
        *free("frame_a"),
        *free("frame_b"),
    ],
)

_Rolling = Model(
    R=1.0,
    frame_a=Frame,
    x=Var("frame_a.x", start=0.0, unit="m", description="position of the axle"),
    vx=Var("der(x)", start=0.0, unit="m/s", description="speed of the axle"),
    phi=Var("frame_a.phi", start=0.0, unit="rad", description="angle of the wheel"),
    w=Var("der(phi)", start=0.0, unit="rad/s", description="angular velocity"),
    z=Var("der(w)", unit="rad/s2", description="angular acceleration"),
    equations=["frame_a.y = R", "frame_a.t = R*frame_a.fx"],
)

IdealRolling = _Rolling | Model(
    description="Wheel of radius R [m] that rolls on the x axis without slip", equations=["vx = -R*w"]
)

DryFrictionBasedRolling = _Rolling | Model(
    description="Wheel of radius R [m] on the x axis with dry friction: its coefficient is largest, mu_A, at the speed of slip"
    " v_adhesion, and falls to mu_S until v_slide [m/s]",
    v_adhesion=0.01,
    v_slide=0.03,
    mu_A=0.5,
    mu_S=0.15,
    N=Var("-frame_a.fy", unit="N", description="normal force"),
    v_slip=Var("vx + w*R", unit="m/s", description="speed of slip"),
    mu=Var(triple_s("v_slip", "v_adhesion", "v_slide"), description="coefficient of friction in the direction of slip"),
    loss_power=Var("frame_a.fx*v_slip", unit="W", description="heat"),
    equations=["frame_a.fx = N*mu"],
)
