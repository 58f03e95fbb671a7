"""Forces and torques on one frame, and between two frames, that are written as sources of effort (thesis, 7.2.4)."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from ..bond_graphs import J0, R, Se, mSe
from .elements import ToWorld
from .interfaces import OneFrame, TwoFrames, vector


def _on_frame(name: str, unit: str, port: str, rest: str, resolved: str, turn: str = "") -> Model:
    """Return a source of a force or torque on frame_b.

    Args:
        name, unit: of the input.
        port: multibond at which it acts; the effort of the other one, ``rest``, is zero.
        resolved: says in what the input is resolved.
        turn: matrix that resolves vectors of the bond in that; none where both are the same.
    """
    turned = {"turned": ToWorld | Map(R=Var(turn))} if turn else {}
    acts = [("source.b", "turned.a"), ("turned.b", f"to_b.{port}")] if turn else [("source.b", f"to_b.{port}")]
    return OneFrame | Model(
        description=f"{name.capitalize()} [{unit}] on frame_b, resolved in {resolved}",
        **{name: vector(unit, input=True)},
        source=mSe | Map(n=3, s=Var(name)),
        none=Se | Map(n=3, e0=0.0),
        **turned,
        connect=[*acts, ("none.b", f"to_b.{rest}")],
    )


WorldForce = _on_frame("force", "N", "translation", "rotation", "the world")
BodyForce = _on_frame("force", "N", "translation", "rotation", "it", "frame_b.P.R")
WorldTorque = _on_frame("torque", "N.m", "rotation", "translation", "the world", "transpose(frame_b.P.R)")
BodyTorque = _on_frame("torque", "N.m", "rotation", "translation", "it")

_ForceBetween = TwoFrames | Model(
    translation=J0 | Map(n=3, n_in=2, n_out=1),
    rotation=J0 | Map(n=3, n_in=2, n_out=1),
    no_torque=Se | Map(n=3, e0=0.0),
    connect=[
        ("from_a.translation", "translation.a[0]"),
        ("translation.b[0]", "to_b.translation"),
        ("from_a.rotation", "rotation.a[0]"),
        ("no_torque.b", "rotation.a[1]"),
        ("rotation.b[0]", "to_b.rotation"),
    ],
)
"""One force for both frames, and no torques."""

_ModulatedForce = _ForceBetween | Model(
    source=mSe | Map(n=3),
    f=vector("N", description="force on frame_b, in the world"),
    equations=["source.s = f"],
    connect=[("source.b", "translation.a[1]")],
)

_LineForce = _ModulatedForce | Model(
    s_small=1e-4,
    d=Var("frame_a.P.x - frame_b.P.x", shape=3, elements=True, unit="m", description="from frame_b to frame_a"),
    s=Var("norm(d)", unit="m", description="distance of the frames"),
    direction=Var(
        "d/(s if s >= s_small else s_small)", shape=3, elements=True, description="unit vector; shorter than s_small [m]"
    ),
)

Spring = _LineForce | Model(
    description="Linear spring c [N/m] of the unstretched length s0 [m] along the line between both frames",
    c=0.0,
    s0=0.0,
    equations=["f = c*(d - s0*direction)"],
)

Damping = _ForceBetween | Model(
    description="Damper d [N.s/m] of the relative velocity of both frames in all directions, with equal and opposite forces",
    d=0.0,
    damper=R | Map(n=3, R="d"),
    translation=Map(n_in=1, n_out=2),
    connect=[("translation.b[1]", "damper.a")],
)

SpringDamper = _LineForce | Model(
    description="Linear spring c [N/m] of the unstretched length s0 [m] and damper d [N.s/m], both along the line between the"
    " frames",
    c=0.0,
    d_line=0.0,
    s0=0.0,
    v=Var("dot(direction, frame_a.P.v - frame_b.P.v)", unit="m/s", description="derivative of the distance"),
    equations=["f = c*(d - s0*direction) + d_line*v*direction"],
)

Force = _ModulatedForce | Model(
    description="Force [N] on frame_b, resolved in frame_a, and its opposite on frame_a",
    force=vector("N", input=True),
    equations=["f = transpose(frame_a.P.R)@force"],
)

Torque = TwoFrames | Model(
    description="Torque [N.m] on frame_b, resolved in frame_a, and its opposite on frame_a",
    torque=vector("N.m", input=True),
    source=mSe | Map(n=3, s=Var("torque")),
    rotation=J0 | Map(n=3, n_in=2, n_out=1),
    to_world=ToWorld | Map(R=Var("frame_a.P.R")),
    to_body=ToWorld | Map(R=Var("transpose(frame_b.P.R)")),
    no_force=Se | Map(n=3, e0=0.0),
    translation=J0 | Map(n=3, n_in=2, n_out=1),
    connect=[
        ("from_a.rotation", "rotation.a[0]"),
        ("source.b", "rotation.a[1]"),
        ("rotation.b[0]", "to_world.a"),
        ("to_world.b", "to_body.a"),
        ("to_body.b", "to_b.rotation"),
        ("from_a.translation", "translation.a[0]"),
        ("no_force.b", "translation.a[1]"),
        ("translation.b[0]", "to_b.translation"),
    ],
)

SoftImpuls_SphereSphere = _LineForce | Model(
    description="Soft impact of two spheres of radii ra, rb [m] about both frames: a spring c [N/m] while they overlap",
    c=0.0,
    ra=1.0,
    rb=1.0,
    equations=["f = (c*(s - ra - rb)*direction if s < ra + rb else [0, 0, 0])"],
)
