"""Each kind of direction in machine code: residual, rate and what its own change makes of the second derivative.

R and p are the pose of frame 2 in frame 1, v the velocity of its origin seen from frame 1, w its angular velocity relative to
frame 1, both in frame 1. A direction's residual g has the rate ``g' = c_v v + c_w w``; of one that is not holonomic there is
only this, and g is zero. See `modia3d.scene.basics.directions`.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from modia3d.dynamics.basics.spatial import add, cross, dot, kernel, scale, subtract
from modia3d.scene.basics.directions import ANGLE, DISTANCE, HEIGHT, LEAD, POSITION

_NONE = (0.0, 0.0, 0.0)
_FLAT = 1e-12
"""Least sine of the angle between the axis of a wheel and the normal: a wheel that lies flat has no lowest point."""


@kernel
def unit(i):
    """Return the unit vector i."""
    return (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)


@kernel
def column_of(R, j):
    """Return the column j of a matrix."""
    return (
        R[0] if j == 0 else R[1] if j == 1 else R[2],
        R[3] if j == 0 else R[4] if j == 1 else R[5],
        R[6] if j == 0 else R[7] if j == 1 else R[8],
    )


@kernel
def lead(h, R, p, v, w):
    """Return the residual of a screw, its coefficients, and what they contribute to gamma."""
    x, s, c = column_of(R, 0), sin(p[2] / h), cos(p[2] / h)
    rate, curvature = cross(w, x), cross(w, cross(w, x))
    along = -(x[1] * s + x[0] * c)
    c_w = scale(h, subtract(scale(c, cross(x, (0.0, 1.0, 0.0))), scale(s, cross(x, (1.0, 0.0, 0.0)))))
    own = h * (curvature[1] * c - curvature[0] * s)
    own -= 2.0 * (rate[1] * s + rate[0] * c) * v[2] + (x[1] * c - x[0] * s) * v[2] * v[2] / h
    return h * (x[1] * c - x[0] * s), (0.0, 0.0, along), c_w, own


@kernel
def wheel(what, i, radius, R, p, v, w):
    """Return the motion of the lowest point of a wheel, whose arm from the centre is d: ``u (v + w x d)`` with u normal to
    the plane (its height), along or across the track.
    """
    a = column_of(R, 2)
    rate = cross(w, a)
    s = max(sqrt(a[0] * a[0] + a[1] * a[1]), _FLAT)
    s_rate = (a[0] * rate[0] + a[1] * rate[1]) / s
    up, up_rate = _in_plane_of_wheel(a, rate, s, s_rate)
    arm, arm_rate = scale(-radius, up), scale(-radius, up_rate)
    along = (-a[1] / s, a[0] / s, 0.0)
    along_rate = ((-rate[1] - along[0] * s_rate) / s, (rate[0] - along[1] * s_rate) / s, 0.0)
    if what == HEIGHT:
        u, u_rate, g = (0.0, 0.0, 1.0), _NONE, p[2] - radius * s
    elif i == 0:
        u, u_rate, g = along, along_rate, 0.0
    else:
        u, u_rate, g = (along[1], -along[0], 0.0), (along_rate[1], -along_rate[0], 0.0), 0.0
    c_w_rate = add(cross(arm_rate, u), cross(arm, u_rate))
    return g, u, cross(arm, u), dot(u_rate, v) + dot(c_w_rate, w)


@kernel
def _in_plane_of_wheel(a, rate, s, s_rate):
    """Return the unit vector in the plane of a wheel that points away from the ground, and its rate; ``a`` is the axis."""
    up = scale(1.0 / s, (-a[2] * a[0], -a[2] * a[1], 1.0 - a[2] * a[2]))
    turned = add(scale(-rate[2], a), scale(-a[2], rate))
    return up, scale(1.0 / s, subtract(turned, scale(s_rate, up)))


@kernel
def direction(what, i, j, h, R, p, v, w):
    """Return the residual of a direction, ``c_v, c_w``, and what they contribute to gamma by their own change."""
    if what == POSITION:
        return p[i], unit(i), _NONE, 0.0
    if what == ANGLE:
        axis, other = unit(i), column_of(R, j)
        c_w = cross(other, axis)
        return dot(axis, other), _NONE, c_w, dot(cross(cross(w, other), axis), w)
    if what == LEAD:
        return lead(h, R, p, v, w)
    if what == DISTANCE:
        return (dot(p, p) - h * h) / (2.0 * h), scale(1.0 / h, p), _NONE, dot(v, v) / h
    return wheel(what, i, h, R, p, v, w)
