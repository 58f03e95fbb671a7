"""Sensors of frames. They are variables, not bonds: what is measured has no causality."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import SIZE, Frame, Joined, unloaded, vector

_Through = Joined | Model(
    equations=["frame_b.P.x = frame_a.P.x", "frame_b.P.R = frame_a.P.R"],
    connect=[("from_a.translation", "to_b.translation"), ("from_a.rotation", "to_b.rotation")],
)

CutForce = _Through | Model(
    description="Force [N] that frame_a exerts on frame_b, in the world", force=vector("N"), equations=["force = frame_a.f"]
)

CutTorque = _Through | Model(
    description="Torque [N.m] that frame_a exerts on frame_b, in the frame",
    torque=vector("N.m"),
    equations=["torque = frame_a.t"],
)

Power = _Through | Model(
    description="Power [W] that flows from frame_a to frame_b",
    power=Var("dot(frame_a.f, frame_a.P.v) + dot(frame_a.t, frame_a.P.w)", unit="W"),
)

AbsoluteSensor = Model(
    description="Position r_abs [m], velocity v_abs, acceleration a_abs, orientation R_abs, angular velocity w_abs [rad/s] and"
    " acceleration z_abs [rad/s2] of frame_a; all vectors in the world",
    n_impulse=SIZE,
    frame_a=Frame,
    r_abs=vector("m"),
    v_abs=vector("m/s"),
    a_abs=vector("m/s2"),
    R_abs=Var(shape=(3, 3), elements=True),
    w_abs=vector("rad/s"),
    z_abs=vector("rad/s2"),
    equations=[
        "r_abs = frame_a.P.x",
        "v_abs = frame_a.P.v",
        "a_abs = der(v_abs)",
        "R_abs = frame_a.P.R",
        "w_abs = transpose(frame_a.P.R)@frame_a.P.w",
        "z_abs = der(w_abs)",
        *unloaded("frame_a"),
    ],
)

RelativeSensor = Model(
    description="Of frame_b relative to frame_a: the vector r_rel [m] between them, its derivatives v_rel and a_rel, all in"
    " the world; the orientation R_rel; the angular velocity w_rel [rad/s], in frame_b, and its derivative z_rel",
    n_impulse=SIZE,
    frame_a=Frame,
    frame_b=Frame,
    r_rel=vector("m"),
    v_rel=vector("m/s"),
    a_rel=vector("m/s2"),
    R_rel=Var(shape=(3, 3), elements=True),
    w_rel=vector("rad/s"),
    z_rel=vector("rad/s2"),
    equations=[
        "r_rel = frame_b.P.x - frame_a.P.x",
        "v_rel = frame_b.P.v - frame_a.P.v",
        "a_rel = der(v_rel)",
        "R_rel = frame_b.P.R@transpose(frame_a.P.R)",
        "w_rel = frame_b.P.w - R_rel@frame_a.P.w",
        "z_rel = der(w_rel)",
        *unloaded("frame_a"),
        *unloaded("frame_b"),
    ],
)
