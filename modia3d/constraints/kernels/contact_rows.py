"""Rows of contacts at rest in machine code: a rounded point of frame 2 at a rounded core of frame 1, in closed form.

The core is a plane, or a box whose lengths may be zero: a line, a point. With the point at r in frame 1, q the nearest point of
the core and ``e = r - q``, the normal is ``n = e/|e|``, the gap ``g = |e| - rounding``. What moves in the directions in which q
stays turns the normal, ``n' = (v_c - n (n . v_c))/|e|``, with v_c the part of the velocity in these directions: that is the
curvature of what is at a constant distance from the core. So ``g' = n . v`` and ``g'' = n . a + n' . v``.

The solids touch at ``r - radius n``. Its slip is the part of ``v + w x arm`` across n, ``arm = -radius n``; while it vanishes,
the rate of ``t . slip`` is that of its arm alone, whatever the turning of the direction t.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import inf, sqrt

from modia3d.dynamics.basics.spatial import add, apply, cross, dot, kernel, load3, scale, subtract
from modia3d.scene.basics.directions import CONTACT, NORMAL, RUBBING, SLIP_1, SLIP_2

from ..tables.cut_directions import COUNT, TABLE
from ..tables.cut_table import CARRIED, DRIFT, EXTENT, KIND, RADIUS, ROUNDING, SLOW, SPAN

_NONE = (0.0, 0.0, 0.0)


@kernel
def is_contact(cuts, i):
    """Whether cut ``i`` is a contact."""
    return TABLE[int(cuts[i, KIND]), 0, 0] == CONTACT


@kernel
def beyond(x, half):
    """What of a coordinate is outside of the core."""
    return x - half if x > half else (x + half if x < -half else 0.0)


@kernel
def nearest(cuts, i, r, v):
    """Normal, gap and rate of the normal, in frame 1."""
    h_x, h_y, h_z = load3(cuts, i, EXTENT)
    if h_x == inf:
        return (0.0, 0.0, 1.0), r[2] - cuts[i, ROUNDING], _NONE
    e = beyond(r[0], h_x), beyond(r[1], h_y), beyond(r[2], h_z)
    distance = sqrt(dot(e, e))
    if distance == 0.0:  # the point is in the core: far deeper than what rests
        return (0.0, 0.0, 1.0), -cuts[i, ROUNDING], _NONE
    n = scale(1.0 / distance, e)
    moving = (v[0] if e[0] != 0.0 else 0.0, v[1] if e[1] != 0.0 else 0.0, v[2] if e[2] != 0.0 else 0.0)
    rate = scale(1.0 / distance, subtract(moving, scale(dot(n, moving), n)))
    return n, distance - cuts[i, ROUNDING], rate


@kernel
def tangent(n, second):
    """One of two directions across n, both perpendicular to each other."""
    x, y, z = n
    if abs(z) > 0.6:
        length = sqrt(y * y + z * z)
        t = (0.0, z / length, -y / length)
    else:
        length = sqrt(x * x + y * y)
        t = (-y / length, x / length, 0.0)
    if second:
        return cross(n, t)
    return t


@kernel
def slip_of(n, arm, v, w):
    """Velocity of the point of contact across the normal."""
    moving = add(v, cross(w, arm))
    return subtract(moving, scale(dot(n, moving), n))


@kernel
def rubbing_direction(cuts, i, n, slip, R_12):
    """Direction of the slip, or of the slip to come; shorter than 1 where it has none."""
    drift = load3(cuts, i, DRIFT)
    if dot(drift, drift) > 0.0:
        if cuts[i, CARRIED] != 0.0:
            drift = apply(R_12, drift)
        drift = subtract(drift, scale(dot(n, drift), n))
        return scale(1.0 / max(sqrt(dot(drift, drift)), 1e-9), drift)
    return scale(1.0 / max(sqrt(dot(slip, slip)), cuts[i, SLOW]), slip)


@kernel
def evaluate_contact(cuts, i, r, v, w, a, alpha, R_1, R_12, first, coefficients, residual, speed, rest):
    """Rows of contact ``i`` from ``first`` on, see `cut_joint.evaluate_rows`; all vectors are in frame 1."""
    kind = int(cuts[i, KIND])
    n, gap, rate = nearest(cuts, i, r, v)
    arm, arm_rate = scale(-cuts[i, RADIUS], n), scale(-cuts[i, RADIUS], rate)
    for j in range(COUNT[kind]):
        what = TABLE[kind, j, 1]
        c_v, c_w, own, g = n, _NONE, 0.0, 0.0
        if what == NORMAL:
            own, g = dot(rate, v), gap
        elif what in (SLIP_1, SLIP_2):
            c_v = tangent(n, what == SLIP_2)
            c_w, own = cross(arm, c_v), dot(c_v, cross(w, arm_rate))
        elif what == RUBBING:
            c_v = rubbing_direction(cuts, i, n, slip_of(n, arm, v, w), R_12)
            c_w = cross(arm, c_v)
        else:
            c_v, c_w, own = _NONE, scale(cuts[i, SPAN], n), cuts[i, SPAN] * dot(rate, w)
        residual[first + j] = g
        forbids = 0.0 if what == RUBBING else 1.0
        speed[first + j] = forbids * (dot(c_v, v) + dot(c_w, w))
        rest[first + j] = forbids * (dot(c_v, a) + dot(c_w, alpha) + own)
        c_v, c_w = apply(R_1, c_v), apply(R_1, c_w)
        for k in range(3):
            coefficients[first + j, k], coefficients[first + j, 3 + k] = c_v[k], c_w[k]
