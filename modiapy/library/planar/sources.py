"""Forces and torques; after PlanarMechanics.Sources."""

from __future__ import annotations

from ...model.model import Map, Model, Var
from .interfaces import FORCES, TORQUES, Frame, TwoFrames, resolved, resolving, rotated

_X, _Y = rotated("force[0]", "force[1]", "phi_resolve")

WorldForce = resolving("frame_b", default="frame_b") | Model(
    description="Force (force[0], force[1]) [N] and torque force[2] [N.m] on frame_b, an input; the force is resolved in"
    " resolve_in_frame ('world', 'frame_b')",
    frame_b=Frame,
    force=Var(input=True, shape=3, elements=True, description="force along both axes, and torque"),
    equations=[f"frame_b.fx = -{_X}", f"frame_b.fy = -{_Y}", "frame_b.t = -force[2]"],
)

RelativeForce = (
    TwoFrames
    | resolving("frame_a", "frame_b", default="frame_a")
    | Model(
        description="Force (force[0], force[1]) [N] and torque force[2] [N.m] on frame_b and, with the opposite sign, on"
        " frame_a, an input; the force is resolved in resolve_in_frame ('world', 'frame_a', 'frame_b')."
        " No torque balances a force that is not along the line between the frames.",
        force=Var(input=True, shape=3, elements=True, description="force along both axes, and torque"),
        equations=[f"frame_b.fx = -{_X}", f"frame_b.fy = -{_Y}", "frame_b.t = -force[2]", *FORCES, TORQUES],
    )
)

_V = resolved("der(frame_b.x)", "der(frame_b.y)", "phi_resolve")

QuadraticSpeedDependentForce = (
    WorldForce
    | Map(force=Var(input=False))
    | Model(
        resolve_in_frame="world",
        description="Force on frame_b that grows with the square of each component of its velocity in resolve_in_frame"
        " ('world', 'frame_b') and has its sign: F_nominal [N] (below zero: it brakes) at v_nominal [m/s]; torque that grows"
        " with the square of its angular velocity: tau_nominal [N.m] at w_nominal [rad/s]",
        F_nominal=-1.0,
        v_nominal=1.0,
        tau_nominal=-1.0,
        w_nominal=1.0,
        u=Var(
            [f"{_V[0]}/v_nominal", f"{_V[1]}/v_nominal", "der(frame_b.phi)/w_nominal"],
            shape=3,
            elements=True,
            description="relative speeds",
        ),
        equations=["force = [F_nominal*u[0]*abs(u[0]), F_nominal*u[1]*abs(u[1]), tau_nominal*u[2]*abs(u[2])]"],
    )
)
