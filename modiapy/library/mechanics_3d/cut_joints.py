"""Joints that close kinematic loops (thesis, 7.2.5). No states, no branches of the tree of frames."""

from __future__ import annotations

from ...model.model import Model, Var
from .interfaces import Frame

PlanarRevolute = Model(
    description="Cut joint of planar loops: the axes n through frame_a and frame_b coincide where other joints keep them"
    " parallel. It transmits no torque and no force along n; so nothing is determined twice.",
    n=[0, 0, 1],
    e="n/norm(n)",
    other="[0, 1, 0] if abs(e[0]) > 0.1 else ([0, 0, 1] if abs(e[1]) > 0.1 else [1, 0, 0])",
    e_a="cross(e, other)/norm(cross(e, other))",
    e_b="cross(e_a, e)",
    frame_a=Frame,
    frame_b=Frame,
    d=Var("frame_a.P.R@(frame_b.P.x - frame_a.P.x)", shape=3, unit="m"),
    equations=[
        "dot(d, e_a) = 0",
        "dot(d, e_b) = 0",
        "dot(frame_a.P.R@frame_a.f, e) = 0",
        "frame_a.t = [0, 0, 0]",
        "frame_b.t = [0, 0, 0]",
        "frame_a.f + frame_b.f = [0, 0, 0]",
    ],
)

CloseLoop = Model(
    description="Rigid connection that closes a loop: what a connection does that is cut",
    frame_a=Frame,
    frame_b=Frame,
    equations=[
        "frame_a.P.x = frame_b.P.x",
        "dot(cross(frame_a.P.R[0], frame_a.P.R[1]), frame_b.P.R[1]) = 0",
        "dot(cross(frame_a.P.R[0], frame_a.P.R[1]), frame_b.P.R[0]) = 0",
        "dot(frame_a.P.R[1], frame_b.P.R[0]) = 0",
        "frame_a.f + frame_b.f = [0, 0, 0]",
        "frame_a.t + frame_b.t = [0, 0, 0]",
    ],
)
