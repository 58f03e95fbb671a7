"""Frame, what resolves vectors, and bases of components with two frames."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.model import Model, Par, Var

Frame = Model(
    description="Coordinate system in the plane, with a cut force and a cut torque; all resolved in the planar world",
    x=Var(potential=True, unit="m", description="position along the x axis of the planar world"),
    y=Var(potential=True, unit="m", description="position along the y axis of the planar world"),
    phi=Var(potential=True, unit="rad", description="angle, counter-clockwise"),
    fx=Var(flow=True, unit="N", description="cut force along x"),
    fy=Var(flow=True, unit="N", description="cut force along y"),
    t=Var(flow=True, unit="N.m", description="cut torque, counter-clockwise"),
)

TwoFrames = Model(description="Base of components with two frames", frame_a=Frame, frame_b=Frame)

TOGETHER = ("frame_b.x = frame_a.x", "frame_b.y = frame_a.y")
"""Both frames have the same origin."""

FORCES = ("frame_a.fx + frame_b.fx = 0", "frame_a.fy + frame_b.fy = 0")
"""Balance of the forces of a component without mass."""

TORQUES = "frame_a.t + frame_b.t = 0"
"""Balance of torques where the origins coincide, or where forces act along the line between them."""


def free(frame: str) -> list[str]:
    """Return the equations of a frame that feels neither force nor torque."""
    return [f"{frame}.{flow} = 0" for flow in ("fx", "fy", "t")]


def rotated(x: str, y: str, phi: str) -> list[str]:
    """Return the components in the world of a vector whose components in a frame with the angle ``phi`` are given."""
    return [f"(cos({phi})*{x} - sin({phi})*{y})", f"(sin({phi})*{x} + cos({phi})*{y})"]


def resolved(x: str, y: str, phi: str) -> list[str]:
    """Return the components in a frame with the angle ``phi`` of a vector whose components in the world are given."""
    return [f"(cos({phi})*{x} + sin({phi})*{y})", f"(cos({phi})*{y} - sin({phi})*{x})"]


def chosen(parameter: str, frames: Sequence[str]) -> str:
    """Return the angle of the frame that a parameter names, 0 for the world."""
    angle = "0"
    for frame in frames:
        angle = f"({frame}.phi if {parameter} == '{frame}' else {angle})"
    return angle


def resolving(*frames: str, default: str) -> Model:
    """Return the choice of the frame in which vectors are resolved: parameter resolve_in_frame, angle phi_resolve."""
    angle = chosen("resolve_in_frame", frames)
    return Model(
        resolve_in_frame=Par(default, choices=("world", *frames)),
        phi_resolve=Var(angle, unit="rad", description="angle of the frame in which vectors are resolved"),
    )


WithFrameResolve = Model(
    description="To be merged with a sensor or a force (planar.CutForce | WithFrameResolve): vectors are resolved in the frame"
    " frame_resolve, whatever resolve_in_frame is",
    frame_resolve=Frame,
    phi_resolve=Var("frame_resolve.phi"),
    equations=free("frame_resolve"),
)
