"""Springs and dampers; equations after PlanarMechanics.Parts."""

from __future__ import annotations

from ...model.model import Model, Var
from ...model.when import Assert
from .interfaces import FORCES, TORQUES, TwoFrames

_Compliant = TwoFrames | Model(
    s_small=1e-10,
    enable_assert=True,
    s_relx=Var(start=0.0, unit="m", description="position of frame_b relative to frame_a along x of the planar world"),
    s_rely=Var(start=0.0, unit="m", description="position of frame_b relative to frame_a along y of the planar world"),
    length=Var("sqrt(s_relx**2 + s_rely**2)", unit="m", description="distance of the origins"),
    equations=[
        "s_relx = frame_b.x - frame_a.x",
        "s_rely = frame_b.y - frame_a.y",
        *FORCES,
        Assert("not enable_assert or noEvent(length > s_small)", "both frames are at the same place", level="warning"),
    ],
)
_SMALL = " enable_assert: warn where the origins are closer than s_small [m]."

_Along = _Compliant | Model(
    c_x=1.0,
    c_y=1.0,
    s_relx0=0.0,
    s_rely0=0.0,
    phi_rel=Var(start=0.0, unit="rad", description="angle of frame_b relative to frame_a"),
    f_x=Var(unit="N", description="force along x on frame_b"),
    f_y=Var(unit="N", description="force along y on frame_b"),
    equations=["phi_rel = frame_b.phi - frame_a.phi", "frame_b.fx = f_x", "frame_b.fy = f_y", TORQUES],
)

Spring = _Along | Model(
    description="Two linear springs along the axes of the planar world with the constants c_x, c_y [N/m], unstretched at"
    " s_relx0, s_rely0 [m]. No torque acts on its frames, also where the force is not along the line between them." + _SMALL,
    equations=["f_x = c_x*(s_relx - s_relx0)", "f_y = c_y*(s_rely - s_rely0)", "frame_b.t = 0"],
)

SpringDamper = _Along | Model(
    description="Linear springs c_x, c_y [N/m], c_phi [N.m/rad] along the axes of the planar world and about their normal,"
    " unstretched at s_relx0, s_rely0 [m], phi_rel0 [rad], and dampers d_x, d_y [N.s/m], d_phi [N.m.s/rad] beside them."
    + _SMALL,
    c_phi=1e5,
    d_x=1.0,
    d_y=1.0,
    d_phi=1.0,
    phi_rel0=0.0,
    v_relx=Var("der(s_relx)", unit="m/s", description="velocity of frame_b relative to frame_a along x"),
    v_rely=Var("der(s_rely)", unit="m/s", description="velocity of frame_b relative to frame_a along y"),
    w_rel=Var("der(phi_rel)", start=0.0, unit="rad/s", description="angular velocity of frame_b relative to frame_a"),
    tau=Var("c_phi*(phi_rel - phi_rel0) + d_phi*w_rel", unit="N.m", description="torque on frame_b"),
    loss_power=Var("d_x*v_relx**2 + d_y*v_rely**2 + d_phi*w_rel**2", unit="W", description="heat"),
    equations=["f_x = c_x*(s_relx - s_relx0) + d_x*v_relx", "f_y = c_y*(s_rely - s_rely0) + d_y*v_rely", "frame_b.t = tau"],
)

Damper = _Compliant | Model(
    description="Linear damper d [N.s/m] along the line between the origins; its force fades where they are closer than s_small"
    " [m]. enable_assert: warn there.",
    d=1.0,
    enable_assert=False,
    d0_x=Var("s_relx/noEvent(max(length, s_small))", description="direction from frame_a to frame_b, along x"),
    d0_y=Var("s_rely/noEvent(max(length, s_small))", description="direction from frame_a to frame_b, along y"),
    v=Var("d0_x*der(s_relx) + d0_y*der(s_rely)", unit="m/s", description="speed at which the frames move apart"),
    f=Var("-d*v", unit="N", description="force that draws frame_a to frame_b, below zero where the damper is drawn out"),
    loss_power=Var("-f*v", unit="W", description="heat"),
    equations=["frame_a.fx = d0_x*f", "frame_a.fy = d0_y*f", "frame_a.t = 0", TORQUES],
)
