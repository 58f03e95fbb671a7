"""Joints that close kinematic loops (thesis, 7.2.5). No states, no branches of the tree of frames."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from ..bond_graphs.impulses import at_events
from .elements import IN_PLANE
from .interfaces import SIZE, Frame

PlanarRevolute = Model(
    description="Cut joint of planar loops: the axes n through frame_a and frame_b coincide where other joints keep them"
    " parallel. It transmits no torque and no force along n; so nothing is determined twice.",
    n=Par([0, 0, 1], structural=True),
    e=Par("n/norm(n)", structural=True),
    **{name: Par(value, structural=True) for name, value in IN_PLANE.items()},
    n_impulse=SIZE,
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
        at_events(
            "dot(frame_a.P.R@(frame_b.dv - frame_a.dv), e_a) = 0",
            "dot(frame_a.P.R@(frame_b.dv - frame_a.dv), e_b) = 0",
            "dot(frame_a.P.R@frame_a.F, e) = 0",
            "frame_a.T = [0, 0, 0]",
            "frame_b.T = [0, 0, 0]",
            "frame_a.F + frame_b.F = [0, 0, 0]",
        ),
    ],
)

CloseLoop = Model(
    description="Rigid connection that closes a loop: what a connection does that is cut",
    n_impulse=SIZE,
    frame_a=Frame,
    frame_b=Frame,
    equations=[
        "frame_a.P.x = frame_b.P.x",
        "dot(cross(frame_a.P.R[0], frame_a.P.R[1]), frame_b.P.R[1]) = 0",
        "dot(cross(frame_a.P.R[0], frame_a.P.R[1]), frame_b.P.R[0]) = 0",
        "dot(frame_a.P.R[1], frame_b.P.R[0]) = 0",
        "frame_a.f + frame_b.f = [0, 0, 0]",
        "frame_a.t + frame_b.t = [0, 0, 0]",
        at_events(
            "frame_a.dv = frame_b.dv",
            "frame_a.dw = frame_b.dw",
            "frame_a.F + frame_b.F = [0, 0, 0]",
            "frame_a.T + frame_b.T = [0, 0, 0]",
        ),
    ],
)
