"""Bodies and rigid connections; equations after PlanarMechanics.Parts."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from .interfaces import FORCES, TOGETHER, TORQUES, Frame, TwoFrames, rotated

Body = Model(
    description="Rigid body with mass m [kg] and moment of inertia I [kg.m2] about the origin of frame_a, its centre of mass."
    " enable_gravity: whether the gravity g [m/s2] of planar_world acts on it",
    m=1.0,
    I=1.0,
    enable_gravity=True,
    g=Par("[planar_world.constant_gravity[0], planar_world.constant_gravity[1]]", unit="m/s2"),
    frame_a=Frame,
    r=Var(["frame_a.x", "frame_a.y"], shape=2, elements=True, start=0.0, unit="m", description="position"),
    v=Var("der(r)", shape=2, elements=True, start=0.0, unit="m/s", description="velocity"),
    a=Var("der(v)", shape=2, elements=True, unit="m/s2", description="acceleration"),
    phi=Var("frame_a.phi", start=0.0, unit="rad", description="angle"),
    w=Var("der(phi)", start=0.0, unit="rad/s", description="angular velocity"),
    z=Var("der(w)", unit="rad/s2", description="angular acceleration"),
    equations=[
        "m*a = [frame_a.fx, frame_a.fy] + (m*g if enable_gravity else 0*g)",
        "I*z = frame_a.t",
    ],
)

WithGravityInput = Model(
    description="To be merged with Body (planar.Body | WithGravityInput): its gravity g [m/s2] is an input",
    g=Var(input=True, shape=2, elements=True, unit="m/s2"),
)

Fixed = Model(
    description="Frame fixed in the planar world at the position r [m] and the angle phi [rad]",
    r=[0.0, 0.0],
    phi=0.0,
    frame=Frame,
    equations=["frame.x = r[0]", "frame.y = r[1]", "frame.phi = phi"],
)

FixedTranslation = TwoFrames | Model(
    description="Rigid rod without mass from frame_a to frame_b; r [m] is its length along the axes of frame_a",
    r=Par([1.0, 0.0], unit="m"),
    l="norm(r)",
    r0=Var(rotated("r[0]", "r[1]", "frame_a.phi"), shape=2, elements=True, unit="m", description="length in the planar world"),
    equations=[
        "frame_b.x = frame_a.x + r0[0]",
        "frame_b.y = frame_a.y + r0[1]",
        "frame_b.phi = frame_a.phi",
        *FORCES,
        "frame_a.t + frame_b.t + r0[0]*frame_b.fy - r0[1]*frame_b.fx = 0",
    ],
)

FixedRotation = TwoFrames | Model(
    description="Rigid connection of two frames with one origin; frame_b is turned by alpha [rad]",
    alpha=0.0,
    equations=[*TOGETHER, "frame_b.phi = frame_a.phi + alpha", *FORCES, TORQUES],
)
