"""Sensors; they change nothing in what they measure. After PlanarMechanics.Sensors."""

from __future__ import annotations

from ...model.model import Model, Par, Var
from .interfaces import FORCES, TOGETHER, TORQUES, Frame, TwoFrames, chosen, free, resolved, resolving, rotated

_A = " in resolve_in_frame ('world', 'frame_a')"
_AB = " in resolve_in_frame ('world', 'frame_a', 'frame_b')"


def _in(x: str, y: str, third: str) -> list[str]:
    """Return a vector of the world, resolved in the chosen frame, and what the turning of a frame does not change."""
    return [*resolved(x, y, "phi_resolve"), third]


_Absolute = resolving("frame_a", default="frame_a") | Model(frame_a=Frame, equations=free("frame_a"))

AbsolutePosition = _Absolute | Model(
    description="Measures the position (r[0], r[1]) [m] of frame_a" + _A + ", and its angle r[2] [rad] relative to that frame",
    r=Var(_in("frame_a.x", "frame_a.y", "frame_a.phi - phi_resolve"), shape=3, elements=True, output=True),
)

AbsoluteVelocity = _Absolute | Model(
    description="Measures the velocity (v[0], v[1]) [m/s] of frame_a, resolved"
    + _A
    + ", and its angular velocity v[2] [rad/s]",
    v=Var(_in("der(frame_a.x)", "der(frame_a.y)", "der(frame_a.phi)"), shape=3, elements=True, output=True),
)

AbsoluteAcceleration = _Absolute | Model(
    description="Measures the acceleration (a[0], a[1]) [m/s2] of frame_a, resolved"
    + _A
    + ", and its angular acceleration a[2]"
    " [rad/s2]",
    a=Var(_in("der(der(frame_a.x))", "der(der(frame_a.y))", "der(der(frame_a.phi))"), shape=3, elements=True, output=True),
)

_SEEN = resolved("(frame_b.x - frame_a.x)", "(frame_b.y - frame_a.y)", "frame_a.phi")

_Relative = (
    TwoFrames
    | resolving("frame_a", "frame_b", default="frame_a")
    | Model(
        s=Var(_SEEN, shape=2, elements=True, unit="m", description="position of frame_b along the axes of frame_a"),
        phi_rel=Var("frame_b.phi - frame_a.phi", unit="rad", description="angle of frame_b relative to frame_a"),
        equations=[*free("frame_a"), *free("frame_b")],
    )
)


def _seen(x: str, y: str, third: str) -> list[str]:
    """Return a vector along the axes of frame_a, resolved in the chosen frame, and what its turning does not change."""
    return [*rotated(x, y, "(frame_a.phi - phi_resolve)"), third]


RelativePosition = _Relative | Model(
    description="Measures the position (r_rel[0], r_rel[1]) [m] of frame_b relative to frame_a, resolved" + _AB + ", and its"
    " angle r_rel[2] [rad] relative to frame_a",
    r_rel=Var(_seen("s[0]", "s[1]", "phi_rel"), shape=3, elements=True, output=True),
)

RelativeVelocity = _Relative | Model(
    description="Measures the velocity (v_rel[0], v_rel[1]) [m/s] of frame_b as seen by an observer who moves with"
    " frame_a, resolved" + _AB + ", and its relative angular velocity v_rel[2] [rad/s]",
    v_rel=Var(_seen("der(s[0])", "der(s[1])", "der(phi_rel)"), shape=3, elements=True, output=True),
)

RelativeAcceleration = _Relative | Model(
    description="Measures the acceleration (a_rel[0], a_rel[1]) [m/s2] of frame_b as seen by an observer who moves with"
    " frame_a, resolved" + _AB + ", and its relative angular acceleration a_rel[2] [rad/s2]",
    a_rel=Var(_seen("der(der(s[0]))", "der(der(s[1]))", "der(der(phi_rel))"), shape=3, elements=True, output=True),
)

_L2 = "((frame_b.x - frame_a.x)**2 + (frame_b.y - frame_a.y)**2)"

Distance = TwoFrames | Model(
    description="Measures the distance [m] of the origins of frame_a and frame_b, smooth where it is less than s_small [m]",
    s_small=1e-10,
    distance=Var(
        f"smooth(1, sqrt({_L2}) if noEvent({_L2} > s_small**2) else {_L2}/(2*s_small)*(3 - {_L2}/s_small**2))",
        output=True,
        unit="m",
    ),
    equations=[*free("frame_a"), *free("frame_b")],
)

_Through = TwoFrames | Model(equations=[*TOGETHER, "frame_b.phi = frame_a.phi", *FORCES, TORQUES])

_Cut = _Through | Model(positive_sign=True, csign="1 if positive_sign else -1")
_SIGN = "; positive_sign=False changes the sign"

_FORCE = resolving("frame_a", default="frame_a") | Model(
    force=Var(
        [f"csign*{f}" for f in resolved("frame_a.fx", "frame_a.fy", "phi_resolve")],
        shape=2,
        elements=True,
        output=True,
        unit="N",
    )
)
_TORQUE = Model(torque=Var("csign*frame_a.t", output=True, unit="N.m"))

CutForce = _Cut | _FORCE | Model(description="Measures the force [N] that frame_a passes on to frame_b, resolved" + _A + _SIGN)

CutTorque = _Cut | _TORQUE | Model(description="Measures the torque [N.m] that frame_a passes on to frame_b" + _SIGN)

CutForceAndTorque = (
    _Cut
    | _FORCE
    | _TORQUE
    | Model(
        description="Measures the force [N], resolved" + _A + ", and torque [N.m] that frame_a passes on to frame_b" + _SIGN
    )
)

Power = _Through | Model(
    description="Measures the power [W] that flows from frame_a to frame_b",
    power=Var("frame_a.fx*der(frame_a.x) + frame_a.fy*der(frame_a.y) + frame_a.t*der(frame_a.phi)", output=True, unit="W"),
)


def _transforming(*frames: str) -> Model:
    """Return the output r_out: the input r_in, given in frame_r_in (one of these frames, or the world), in frame_r_out."""
    before, after = (chosen(f"frame_r_{way}", frames) for way in ("in", "out"))
    turned = rotated("r_in[0]", "r_in[1]", "phi_out")
    return Model(
        frame_r_in=Par("frame_a", choices=("world", *frames)),
        frame_r_out=Par("frame_a", choices=("world", *frames)),
        phi_out=Var(f"{before} - {after}", unit="rad", description="angle by which the components turn"),
        r_in=Var(input=True, shape=3, elements=True, description="a vector, and what the turning of a frame does not change"),
        r_out=Var([*turned, "r_in[2]"], shape=3, elements=True, output=True),
        equations=[equation for frame in frames for equation in free(frame)],
    )


TransformAbsoluteVector = (
    Model(frame_a=Frame)
    | _transforming("frame_a")
    | Model(
        description="Resolves the vector (r_in[0], r_in[1]), given in frame_r_in ('world', 'frame_a'), in frame_r_out;"
        " r_in[2] is passed on"
    )
)

TransformRelativeVector = (
    TwoFrames
    | _transforming("frame_a", "frame_b")
    | Model(
        description="Resolves the vector (r_in[0], r_in[1]), given in frame_r_in ('world', 'frame_a', 'frame_b'), in"
        " frame_r_out; r_in[2] is passed on"
    )
)
