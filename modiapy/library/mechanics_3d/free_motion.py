"""Joints of all six degrees of freedom, or of the three of a translation, relative to the world."""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model
from ..bond_graphs import Se, Sf
from ..bond_graphs.impulses import at_events, jump
from .interfaces import OneFrame, vector
from .orientation import BY_CARDAN_ANGLES, BY_QUATERNION, FIXED_ANGLES, FreeOrientation

_JUMP = at_events(jump("norm(force.g)", "reinit(v, v + force.g)"))

_Translation = OneFrame | Model(
    x_start=[0.0, 0.0, 0.0],
    v_start=[0.0, 0.0, 0.0],
    x=vector("m", start="x_start", state_select="prefer", description="position"),
    v=vector("m/s", start="v_start", state_select="prefer", description="velocity"),
    a=vector("m/s2", description="acceleration"),
    force=Se | Map(n=3, e0=0.0),
    equations=["a = der(v)"],
    connect=[("force.b", "to_b.translation")],
)

FreeTranslationalMovement = _Translation | Model(
    description="Motion without rotation: frame_b is parallel to the world at r + x [m]; x_start [m], v_start [m/s]",
    r=[0.0, 0.0, 0.0],
    angular_velocity=Sf | Map(n=3, f0=0.0),
    equations=[
        "Connections.root(frame_b.P)",
        "frame_b.P.R = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "frame_b.P.x = x + r",
        "frame_b.P.v = v",
        "der(x) = v",
        _JUMP,
    ],
    connect=[("angular_velocity.b", "to_b.rotation")],
)

_FreeBodyMovement = (
    _Translation | FreeOrientation | Model(torque=Se | Map(n=3, e0=0.0), connect=[("torque.b", "to_b.rotation")])
)

FreeBodyMovement = _FreeBodyMovement | Model(
    description="Motion with all six degrees of freedom: x_start [m], v_start [m/s]; phi_start [deg], Cardan angles about the"
    " axes sequence_angles; w_start [deg/s], in frame_b. Its states are a quaternion and the angular velocity or, without"
    " use_quaternions, Cardan angles and their derivatives.",
    equations=[
        "Connections.root(frame_b.P)",
        "frame_b.P.x = x",
        "frame_b.P.v = v",
        "frame_b.P.w = w",
        "der(x) = v",
        _JUMP,
        If(
            "use_quaternions",
            ["frame_b.P.R = quaternion.R", *BY_QUATERNION],
            otherwise=["frame_b.P.R = cardan.R", *BY_CARDAN_ANGLES],
        ),
    ],
)

PotentialFBM = _FreeBodyMovement | Model(
    description="FreeBodyMovement where no other part is the root of its tree of frames; elsewhere nothing: its own variables"
    " are zero then",
    equations=[
        "Connections.potential_root(frame_b.P)",
        If(
            "Connections.is_root(frame_b.P)",
            ["frame_b.P.x = x", "frame_b.P.v = v", "frame_b.P.w = w", "der(x) = v", _JUMP],
            otherwise=["x = [0, 0, 0]", "v = [0, 0, 0]", "w = [0, 0, 0]"],
        ),
        If(
            "Connections.is_root(frame_b.P) and use_quaternions",
            ["frame_b.P.R = quaternion.R", *BY_QUATERNION],
            elseif=[("Connections.is_root(frame_b.P)", ["frame_b.P.R = cardan.R", *BY_CARDAN_ANGLES])],
            otherwise=FIXED_ANGLES,
        ),
    ],
)
