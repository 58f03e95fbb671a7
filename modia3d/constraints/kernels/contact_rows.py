"""Rows of contacts at rest in machine code: gaps of points, faces and edges in closed form.

Body 2 touches at a place of its core that the origin of frame 2 reaches by an ``arm`` a, which may move in the body. With the
normal n out of body 1 and the velocities v of that origin and w of frame 2, in frame 1, the gap has the derivatives
``g' = n V``, ``V = v + w x a``, and ``g'' = n (v' + w' x a + w x a') + n' V``. What touches depends on FEATURE:

- a point of frame 2 and a core of frame 1: a plane, or a box whose lengths may be zero: a line, a point. With the point at r, q
  the nearest point of the core and ``e = r - q`` it is ``n = e/|e|``, ``g = |e| - rounding``, a = 0. What moves in the
  directions in which q stays turns the normal, ``n' = (v_c - n (n v_c))/|e|``, with v_c the part of v in these directions:
  that is the curvature of what is at a constant distance from the core;
- the origin of frame 1 and the plane z = 0 of frame 2, whose outside is z > 0: ``n = -z_2``, ``g = n r - rounding``;
- two edges, the axes z of both frames, which cross at the distance d: ``n = z_1 x z_2`` by its length, ``g = n r - rounding``.
  The arm is ``s_2 z_2``, its end the point of the second edge that is nearest to the first one.

The solids touch at the end of the arm minus ``radius n``. The slip is the part of ``v + w x arm`` across n there; while it
vanishes, the rate of ``t . slip`` is that of its arm alone, whatever the turning of the direction t.
"""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import inf, sqrt

from modia3d.dynamics.basics.spatial import add, apply, cross, dot, kernel, load3, scale, subtract
from modia3d.scene.basics.directions import CONTACT, NORMAL, RUBBING, SLIP_1, SLIP_2

from ..tables.cut_directions import COUNT, TABLE
from ..tables.cut_table import CARRIED, DRIFT, EDGES, EXTENT, FACE, FEATURE, KIND, RADIUS, ROOM, ROUNDING, SLOW, SPAN

_NONE = (0.0, 0.0, 0.0)
_PARALLEL = 1e-12
"""Sine of the angle between two edges that do not cross."""


@kernel
def is_contact(cuts, i):
    """Return whether cut ``i`` is a contact."""
    return TABLE[int(cuts[i, KIND]), 0, 0] == CONTACT


@kernel
def beyond(x, half):
    """Return the part of a coordinate that is outside of the core."""
    return x - half if x > half else (x + half if x < -half else 0.0)


@kernel
def nearest(cuts, i, r, v, w, R_12):
    """Return the normal, gap and rate of the normal, arm and rate of the arm, in frame 1."""
    if cuts[i, FEATURE] == FACE:
        return _on_face(cuts, i, r, v, w, R_12)
    if cuts[i, FEATURE] >= EDGES:
        return _crossing(cuts, i, r, v, w, R_12)
    n, gap, rate = _at_core(cuts, i, r, v)
    return n, gap, rate, _NONE, _NONE


@kernel
def _on_face(cuts, i, r, v, w, R_12):
    """Return the origin of frame 1 and a plane of frame 2, see `nearest`."""
    n = scale(-1.0, (R_12[2], R_12[5], R_12[8]))
    d = dot(n, r)
    arm, rate = subtract(scale(d, n), r), cross(w, n)
    opening = dot(n, add(v, cross(w, arm)))
    return n, d - cuts[i, ROUNDING], rate, arm, subtract(add(scale(opening, n), scale(d, rate)), v)


@kernel
def _crossing(cuts, i, r, v, w, R_12):
    """Return two edges, see `nearest`; of the kind ROOM the gap is how far the place where they cross is from their ends."""
    first, second = (0.0, 0.0, 1.0), (R_12[2], R_12[5], R_12[8])
    turned = cross(w, second)
    length = max(sqrt(second[0] * second[0] + second[1] * second[1]), _PARALLEL)
    n, change = scale(1.0 / length, cross(first, second)), cross(first, turned)
    rate = scale(1.0 / length, subtract(change, scale(dot(n, change), n)))
    d = dot(n, r)
    along = -dot(r, cross(n, first)) / length
    arm = scale(along, second)
    if cuts[i, FEATURE] == ROOM:
        h_1, h_2, _ = load3(cuts, i, EXTENT)
        room = min(h_1 - abs(r[2] + arm[2]), h_2 - abs(along))
        return n, room - cuts[i, ROUNDING], rate, arm, _NONE
    across = subtract(add(v, cross(w, arm)), scale(d, rate))
    arm_rate = add(scale(dot(n, cross(across, first)) / length, second), scale(along, turned))
    return n, d - cuts[i, ROUNDING], rate, arm, arm_rate


@kernel
def _at_core(cuts, i, r, v):
    """Return the normal, gap and rate of the normal of a point of frame 2 at a core of frame 1, see `nearest`."""
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
    """Return one of two directions across n, both perpendicular to each other."""
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
    """Return the velocity of the point of contact across the normal."""
    moving = add(v, cross(w, arm))
    return subtract(moving, scale(dot(n, moving), n))


@kernel
def rubbing_direction(cuts, i, n, slip, R_12):
    """Return the direction of the slip, or of the slip to come; shorter than 1 where it has none."""
    drift = load3(cuts, i, DRIFT)
    if dot(drift, drift) > 0.0:
        if cuts[i, CARRIED] != 0.0:
            drift = apply(R_12, drift)
        drift = subtract(drift, scale(dot(n, drift), n))
        return scale(1.0 / max(sqrt(dot(drift, drift)), 1e-9), drift)
    return scale(1.0 / max(sqrt(dot(slip, slip)), cuts[i, SLOW]), slip)


@kernel
def evaluate_contact(cuts, i, r, v, w, a, alpha, R_1, R_12, first, coefficients, residual, speed, rest):
    """Compute the rows of contact ``i`` from ``first`` on, see `cut_joint.evaluate_rows`; all vectors are in frame 1."""
    kind = int(cuts[i, KIND])
    n, gap, rate, core, core_rate = nearest(cuts, i, r, v, w, R_12)
    radius = cuts[i, RADIUS]
    arm, arm_rate = subtract(core, scale(radius, n)), subtract(core_rate, scale(radius, rate))
    for j in range(COUNT[kind]):
        what = TABLE[kind, j, 1]
        c_v, c_w, own, g = n, _NONE, 0.0, 0.0
        if what == NORMAL:
            c_w, g = cross(core, n), gap
            own = dot(rate, add(v, cross(w, core))) + dot(n, cross(w, core_rate))
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
