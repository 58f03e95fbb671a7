"""Rotation matrices and angular velocities of a planar rotation, of Cardan angles, and of quaternions (thesis, 7.1.2, 7.1.3).

All matrices resolve vectors of the first system in the second one; angular velocities are resolved in the second one.
"""

from __future__ import annotations

from ...model.control import If
from ...model.model import Map, Model, Par, Var
from ..bond_graphs.impulses import at_events, jump
from .interfaces import SIZE, matrix, vector

PlanarRotation = Model(
    description="Rotation by the angle phi [rad] about the unit vector e, which has the same components in both systems",
    e=Par([0, 0, 1], structural=True),
    ee=Par("[e[0]*e, e[1]*e, e[2]*e]", structural=True),
    phi=Var(unit="rad"),
    R=matrix(),
    equations=[
        "R[0] = [ee[0,0] + (1 - ee[0,0])*cos(phi), ee[0,1]*(1 - cos(phi)) + e[2]*sin(phi),"
        " ee[0,2]*(1 - cos(phi)) - e[1]*sin(phi)]",
        "R[1] = [ee[1,0]*(1 - cos(phi)) - e[2]*sin(phi), ee[1,1] + (1 - ee[1,1])*cos(phi),"
        " ee[1,2]*(1 - cos(phi)) + e[0]*sin(phi)]",
        "R[2] = [ee[2,0]*(1 - cos(phi)) + e[1]*sin(phi), ee[2,1]*(1 - cos(phi)) - e[0]*sin(phi),"
        " ee[2,2] + (1 - ee[2,2])*cos(phi)]",
    ],
)

AxisRotation = Model(
    description="Rotation by the angle phi [rad] about the x, y or z axis (axis is 1, 2 or 3)",
    axis=1,
    i="axis - 1",
    j="mod(axis, 3)",
    k="mod(axis + 1, 3)",
    phi=Var(unit="rad"),
    phi_d=Var(unit="rad/s"),
    R=matrix(),
    w=vector("rad/s"),
    equations=[
        "R[i,i] = 1",
        "R[i,j] = 0",
        "R[i,k] = 0",
        "R[j,i] = 0",
        "R[k,i] = 0",
        "R[j,j] = cos(phi)",
        "R[j,k] = sin(phi)",
        "R[k,j] = -sin(phi)",
        "R[k,k] = cos(phi)",
        "w[i] = phi_d",
        "w[j] = 0",
        "w[k] = 0",
    ],
)

CardanAngles = Model(
    description="Rotation by three angles phi [rad] about the axes sequence_angles in turn, each the axis of the system turned"
    " so far; singular where the first and the third axis are parallel",
    sequence_angles=[1, 2, 3],
    phi=vector("rad"),
    phi_d=vector("rad/s"),
    first=AxisRotation | Model(axis="sequence_angles[0]"),
    second=AxisRotation | Model(axis="sequence_angles[1]"),
    third=AxisRotation | Model(axis="sequence_angles[2]"),
    R=matrix(),
    w=vector("rad/s"),
    equations=[
        "first.phi = phi[0]",
        "second.phi = phi[1]",
        "third.phi = phi[2]",
        "first.phi_d = phi_d[0]",
        "second.phi_d = phi_d[1]",
        "third.phi_d = phi_d[2]",
        "R = third.R@(second.R@first.R)",
        "w = third.w + third.R@(second.w + second.R@first.w)",
    ],
)

Quaternion = Model(
    description="Rotation by the quaternion Q, its real part last. Its length has no influence on R. rate [1/s] is its"
    " derivative at the angular velocity w [rad/s]",
    Q=Var(shape=4),
    w=vector("rad/s"),
    rate=Var(shape=4, unit="1/s"),
    R=matrix(),
    equations=[
        "rate = [Q[3]*w[0] - Q[2]*w[1] + Q[1]*w[2], Q[2]*w[0] + Q[3]*w[1] - Q[0]*w[2],"
        " -Q[1]*w[0] + Q[0]*w[1] + Q[3]*w[2], -Q[0]*w[0] - Q[1]*w[1] - Q[2]*w[2]]/2",
        "R[0] = [Q[3]**2 + Q[0]**2 - Q[1]**2 - Q[2]**2, 2*(Q[0]*Q[1] + Q[3]*Q[2]), 2*(Q[0]*Q[2] - Q[3]*Q[1])]/dot(Q, Q)",
        "R[1] = [2*(Q[0]*Q[1] - Q[3]*Q[2]), Q[3]**2 - Q[0]**2 + Q[1]**2 - Q[2]**2, 2*(Q[1]*Q[2] + Q[3]*Q[0])]/dot(Q, Q)",
        "R[2] = [2*(Q[0]*Q[2] + Q[3]*Q[1]), 2*(Q[1]*Q[2] - Q[3]*Q[0]), Q[3]**2 - Q[0]**2 - Q[1]**2 + Q[2]**2]/dot(Q, Q)",
    ],
)


def _unit(k: int) -> str:
    """Return the expression of the unit vector along the axis of the angle k."""
    return "[" + ", ".join(f"1 if sequence_angles[{k}] == {axis} else 0" for axis in (1, 2, 3)) + "]"


FreeOrientation = Model(
    description="An orientation that anything may have, by a quaternion or, without use_quaternions, by Cardan angles about"
    " the axes sequence_angles; at first phi_start [deg] with w_start [deg/s], which is resolved in the frame that turns",
    use_quaternions=True,
    sequence_angles=[1, 2, 3],
    phi_start=[0.0, 0.0, 0.0],
    w_start=[0.0, 0.0, 0.0],
    half="phi_start*pi/360",
    e1=_unit(0),
    e2=_unit(1),
    e3=_unit(2),
    c12="cos(half[0])*cos(half[1]) - dot(e1, e2)*sin(half[0])*sin(half[1])",
    u12="cos(half[0])*sin(half[1])*e2 + cos(half[1])*sin(half[0])*e1 + sin(half[0])*sin(half[1])*cross(e1, e2)",
    Q_start="concat(c12*sin(half[2])*e3 + cos(half[2])*u12 + sin(half[2])*cross(u12, e3),"
    " c12*cos(half[2]) - sin(half[2])*dot(u12, e3))",
    w_rad="w_start*pi/180",
    u="cos(2*half[2])*w_rad + sin(2*half[2])*cross(e3, w_rad) + (1 - cos(2*half[2]))*dot(e3, w_rad)*e3",
    e1_turned="cos(2*half[1])*e1 - sin(2*half[1])*cross(e2, e1) + (1 - cos(2*half[1]))*dot(e2, e1)*e2",
    d="dot(e1_turned, cross(e2, e3))",
    p1="dot(u, cross(e2, e3))/d if abs(d) > 1e-9 else 0",
    phi_d_start="[p1, dot(u - p1*e1_turned, e2), dot(u - p1*e1_turned, e3)]",
    Q=Var(start="Q_start", description="quaternion, its real part last"),
    phi=vector("rad", start="phi_start*pi/180", state_select="prefer", description="Cardan angles"),
    phi_d=vector("rad/s", start="phi_d_start", state_select="prefer", description="their derivatives"),
    phi_dd=vector("rad/s2", description="their second derivatives"),
    w=vector(
        "rad/s",
        start="w_rad",
        state_select="'prefer' if use_quaternions and n_impulse > 0 else 'default'",
        description="angular velocity",
    ),
    z=vector("rad/s2", description="angular acceleration"),
    n_impulse=SIZE,
    dphi_d=Var(
        shape="0 if use_quaternions else n_impulse", elements=True, impulse=True, unit="rad/s", description="jump of phi_d"
    ),
    cardan=CardanAngles | Map(sequence_angles="sequence_angles", phi=Var("phi"), phi_d=Var("phi_d")),
    quaternion=Quaternion | Map(Q=Var("Q"), w=Var("w")),
    equations=["z = der(w)", "phi_d = der(phi)", "phi_dd = der(phi_d)"],
)

BY_QUATERNION = [
    "der(Q) = quaternion.rate",
    "phi[0] = 0",
    "phi[1] = 0",
    "phi[2] = 0",
    at_events(jump("norm(torque.g)", "reinit(w, w + torque.g)")),
]
"""Equations of a free orientation by its quaternion. Their number differs from that of the others, so that the choice is made
when a model is translated.
"""

BY_CARDAN_ANGLES = [
    "w = cardan.w",
    "Q = [0, 0, 0, 1]",
    at_events(
        "torque.g = dphi_d[2]*e3 + cardan.third.R@(dphi_d[1]*e2 + cardan.second.R@(dphi_d[0]*e1))",
        jump("norm(dphi_d)", "reinit(phi_d, phi_d + dphi_d)"),
    ),
]
"""Equations of a free orientation by its Cardan angles."""

FIXED_ANGLES = ["phi = [0, 0, 0]", "Q = [0, 0, 0, 1]", If("n_impulse > 0 and not use_quaternions", ["dphi_d = [0, 0, 0]"])]
"""Equations in their place where the orientation is not free."""
