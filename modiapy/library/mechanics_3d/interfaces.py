"""Frames, and the shells between them and bond graphs (thesis, 7.2.2).

A frame is a 1-junction of two multibonds: velocity and angular velocity are common to all that is connected, forces and torques
sum to zero. Position and orientation are signals beside them.
"""

from __future__ import annotations

from typing import Any

from ...model.model import Model, Var
from ..bond_graphs import BondIn, BondOut
from ..bond_graphs.impulses import at_events


def vector(unit: str = "", **attributes: Any) -> Var:
    """Return a variable of three elements, each an unknown of its own."""
    return Var(shape=3, elements=True, unit=unit, **attributes)


def matrix(**attributes: Any) -> Var:
    """Return a variable of 3 x 3 elements, each an unknown of its own."""
    return Var(shape=(3, 3), elements=True, **attributes)


SIZE = "3 if outer(impulses, False) else 0"
"""Number of elements of an impulse in space, which models with the parameter ``impulses=True`` have."""


def impulse(unit: str, **attributes: Any) -> Var:
    """Return an impulse or a jump of three elements in a model with impulses, of none elsewhere."""
    return Var(shape="n_impulse", elements=True, impulse=True, unit=unit, **attributes)


def unloaded(frame: str) -> list[Any]:
    """Return the equations of a frame to which a part contributes nothing: no force, torque or impulse."""
    zero = [f"{frame}.{load} = [0, 0, 0]" for load in "ftFT"]
    return [*zero[:2], at_events(*zero[2:])]


Potentials = Model(
    description="What connected frames have in common: position x [m] and velocity v [m/s] in the world, the matrix R that"
    " resolves vectors of the world in the frame, the angular velocity w [rad/s] in the frame",
    x=vector("m", potential=True, description="position, in the world"),
    R=matrix(potential=True, description="R@u resolves a vector u of the world in the frame"),
    v=vector("m/s", potential=True, description="velocity, in the world"),
    w=vector("rad/s", potential=True, description="angular velocity, in the frame"),
    equality_constraint=[
        "a.x[0] - b.x[0]",
        "a.x[1] - b.x[1]",
        "a.x[2] - b.x[2]",
        "dot(cross(a.R[0], a.R[1]), b.R[1])",
        "-dot(cross(a.R[0], a.R[1]), b.R[0])",
        "dot(a.R[1], b.R[0])",
    ],
)

Frame = Model(
    description="Frame: potentials P, cut force f [N] in the world, cut torque t [N.m] in the frame, positive where they act"
    " on the component",
    P=Potentials,
    n_impulse=SIZE,
    f=vector("N", flow=True, description="cut force, in the world"),
    t=vector("N.m", flow=True, description="cut torque, in the frame"),
    dv=impulse("m/s", potential=True, description="jump of the velocity, in the world"),
    dw=impulse("rad/s", potential=True, description="jump of the angular velocity, in the frame"),
    F=impulse("N.s", flow=True, description="impulse of the cut force, in the world"),
    T=impulse("N.m.s", flow=True, description="impulse of the cut torque, in the frame"),
)

ToBonds = Model(
    description="Shell of frame_a: its two multibonds, translation and rotation, with half arrows into the component",
    n=3,
    n_impulse=SIZE,
    frame=Frame,
    translation=BondOut,
    rotation=BondOut,
    equations=[
        "translation.e = frame.f",
        "translation.f = -frame.P.v",
        "rotation.e = frame.t",
        "rotation.f = -frame.P.w",
        at_events("translation.E = frame.F", "translation.g = -frame.dv", "rotation.E = frame.T", "rotation.g = -frame.dw"),
    ],
)

FromBonds = Model(
    description="Shell of frame_b: its two multibonds, translation and rotation, with half arrows out of the component",
    n=3,
    n_impulse=SIZE,
    frame=Frame,
    translation=BondIn,
    rotation=BondIn,
    equations=[
        "translation.e = -frame.f",
        "translation.f = frame.P.v",
        "rotation.e = -frame.t",
        "rotation.f = frame.P.w",
        at_events("translation.E = -frame.F", "translation.g = frame.dv", "rotation.E = -frame.T", "rotation.g = frame.dw"),
    ],
)

OneFrame = Model(
    description="Part at one frame",
    n_impulse=SIZE,
    frame_b=Frame,
    to_b=FromBonds,
    connect=[("to_b.frame", "frame_b")],
)

TwoFrames = Model(
    description="Part between two frames, with half arrows from frame_a to frame_b",
    n_impulse=SIZE,
    frame_a=Frame,
    frame_b=Frame,
    from_a=ToBonds,
    to_b=FromBonds,
    connect=[("frame_a", "from_a.frame"), ("to_b.frame", "frame_b")],
)

Joined = TwoFrames | Model(
    description="Part of the tree of frames: the position of frame_b follows from that of frame_a, or the other way round",
    equations=["Connections.branch(frame_a.P, frame_b.P)"],
)
