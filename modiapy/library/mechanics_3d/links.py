"""Common halves of rigid parts and joints: frames that are shifted, or turned, relative to each other."""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model, Var
from ..bond_graphs import J0, J1, TwoPort
from ..bond_graphs.impulses import with_impulses
from .elements import Lever, ToWorld
from .interfaces import Joined, matrix, vector

Shifted = Joined | Model(
    description="frame_b is parallel to frame_a, at the point r [m] of it",
    r=vector("m", description="from frame_a to frame_b, in both"),
    lever=Lever | Map(r=Var("r")),
    to_world=ToWorld | Map(R=Var("frame_a.P.R")),
    rotation=J1 | Map(n=3, n_in=1, n_out=2),
    translation=J0 | Map(n=3, n_in=2, n_out=1),
    equations=["frame_b.P.R = frame_a.P.R", "frame_b.P.x = frame_a.P.x + transpose(frame_a.P.R)@r"],
    connect=[
        ("from_a.rotation", "rotation.a[0]"),
        ("rotation.b[0]", "to_b.rotation"),
        ("rotation.b[1]", "lever.a"),
        ("lever.b", "to_world.a"),
        ("to_world.b", "translation.a[1]"),
        ("from_a.translation", "translation.a[0]"),
        ("translation.b[0]", "to_b.translation"),
    ],
)

Turned = Joined | Model(
    description="frame_b is turned relative to frame_a by R_rel, in the same place. Its transformer is written in the"
    " direction away from the root, so that its matrix is never inverted",
    R_rel=matrix(description="resolves vectors of frame_a in frame_b"),
    turn=TwoPort | Map(n=3),
    equations=[
        "frame_b.P.x = frame_a.P.x",
        If(
            "Connections.rooted(frame_a.P)",
            [
                "frame_b.P.R = R_rel@frame_a.P.R",
                *with_impulses("turn.f2 = R_rel@turn.f1", "turn.e1 = transpose(R_rel)@turn.e2"),
            ],
            otherwise=[
                "frame_a.P.R = transpose(R_rel)@frame_b.P.R",
                *with_impulses("turn.f1 = transpose(R_rel)@turn.f2", "turn.e2 = R_rel@turn.e1"),
            ],
        ),
    ],
    connect=[("from_a.translation", "to_b.translation"), ("from_a.rotation", "turn.a")],
)
