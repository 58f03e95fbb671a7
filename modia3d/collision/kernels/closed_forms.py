"""Distances of cores in closed form: lines and points, a point and a box, cylinder or beam, a plane and any core.

All return the signed distance of the cores, the normal out of A, and the nearest points on both, in the frame of A.
"""

from __future__ import annotations

from math import copysign, sqrt

from modia3d.dynamics.basics.spatial import (
    add,
    apply,
    apply_transposed,
    columns,
    cross,
    dot,
    kernel,
    negate,
    scale,
    subtract,
)

from ..tables import KIND, SIZE, Kind
from .refine import across, unit
from .support import feature, on_feature

_POINT, _BOX, _CYLINDER = int(Kind.POINT), int(Kind.BOX), int(Kind.CYLINDER)
_PARALLEL = 1e-14
"""Squared sine of the angle between lines below which the middle of what they share is taken."""
_NONE = 1e-15
"""Distance in relation to the size that is none."""


@kernel
def _clamp(t, half):
    return min(max(t, -half), half)


@kernel
def lines(shapes, i, j, R, p, size):
    """Return the distance of lines along z, which are points if their length is 0."""
    half_a = 0.0 if shapes[i, KIND] == _POINT else shapes[i, SIZE]
    half_b = 0.0 if shapes[j, KIND] == _POINT else shapes[j, SIZE]
    v = (R[2], R[5], R[8])
    c, along_a, along_b = v[2], p[2], dot(p, v)
    sine = v[0] * v[0] + v[1] * v[1]
    s, t = 0.0, 0.0
    if half_a == 0.0:
        t = _clamp(-along_b, half_b)
    elif half_b == 0.0:
        s = _clamp(along_a, half_a)
    elif sine <= _PARALLEL:
        low, high = max(-half_a, along_a - half_b), min(half_a, along_a + half_b)
        s = 0.5 * (low + high) if low < high else _clamp(along_a, half_a)
        t = _clamp(s * c - along_b, half_b)
    else:
        s = _clamp((along_a - c * along_b) / sine, half_a)
        t = _clamp(s * c - along_b, half_b)
        s = _clamp(along_a + t * c, half_a)
        t = _clamp(s * c - along_b, half_b)
    a, b = (0.0, 0.0, s), add(p, scale(t, v))
    r = subtract(b, a)
    d = sqrt(dot(r, r))
    if d > _NONE * size:
        return d, scale(1.0 / d, r), a, b
    n = cross((0.0, 0.0, 1.0), v)
    if half_a == 0.0 or sine <= _PARALLEL:
        n, _ = across(v)
    if half_b == 0.0 and half_a > 0.0:
        n = (1.0, 0.0, 0.0)
    return 0.0, unit(n), a, b


@kernel
def _point_box(u, x, y, z):
    """Return the signed distance of a point (x, y, z) from a box with half edges ``u``, normal out of the box, point on the
    box.
    """
    a = (_clamp(x, u[0]), _clamp(y, u[1]), _clamp(z, u[2]))
    r = (x - a[0], y - a[1], z - a[2])
    square = dot(r, r)
    if square > 0.0:
        d = sqrt(square)
        return d, scale(1.0 / d, r), a
    d_x, d_y, d_z = abs(x) - u[0], abs(y) - u[1], abs(z) - u[2]
    if d_x >= d_y and d_x >= d_z:
        return d_x, (copysign(1.0, x), 0.0, 0.0), (copysign(u[0], x), y, z)
    if d_y >= d_z:
        return d_y, (0.0, copysign(1.0, y), 0.0), (x, copysign(u[1], y), z)
    return d_z, (0.0, 0.0, copysign(1.0, z)), (x, y, copysign(u[2], z))


@kernel
def box_and_point(shapes, i, j, R, p):
    """Return the distance of a box and a point, in any order."""
    if shapes[i, KIND] == _BOX:
        d, n, a = _point_box((shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]), p[0], p[1], p[2])
        return d, n, a, p
    x, y, z = negate(apply_transposed(R, p))
    d, m, b = _point_box((shapes[j, SIZE], shapes[j, SIZE + 1], shapes[j, SIZE + 2]), x, y, z)
    return d, negate(apply(R, m)), (0.0, 0.0, 0.0), add(p, apply(R, b))


@kernel
def _point_prism(half, radius, height, x, y, z):
    """Return the signed distance of a point from a disc or two half discs (with centres at -half and half on the x axis) that
    is extruded to both sides along z, normal out of it, point on it.
    """
    middle = _clamp(x, half)
    u, top = x - middle, copysign(1.0, z)
    length = sqrt(u * u + y * y)
    out = (u / length, y / length, 0.0) if length > 0.0 else (0.0, 1.0, 0.0)
    aside, above = length - radius, abs(z) - height
    rim = (middle + radius * out[0], radius * out[1], z)
    if aside > 0.0 and above > 0.0:
        d = sqrt(aside * aside + above * above)
        return d, (aside / d * out[0], aside / d * out[1], above / d * top), (rim[0], rim[1], height * top)
    if aside > above:
        return aside, out, rim
    return above, (0.0, 0.0, top), (x, y, height * top)


@kernel
def _prism(shapes, i, x, y, z):
    """Do the same for a cylinder or a beam of the table."""
    if shapes[i, KIND] == _CYLINDER:
        return _point_prism(0.0, shapes[i, SIZE], shapes[i, SIZE + 1], x, y, z)
    return _point_prism(shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2], x, y, z)


@kernel
def prism_and_point(shapes, i, j, R, p):
    """Return the distance of a cylinder or a beam and a point, in any order."""
    if shapes[j, KIND] == _POINT:
        d, n, a = _prism(shapes, i, p[0], p[1], p[2])
        return d, n, a, p
    x, y, z = negate(apply_transposed(R, p))
    d, m, b = _prism(shapes, j, x, y, z)
    return d, negate(apply(R, m)), (0.0, 0.0, 0.0), add(p, apply(R, b))


@kernel
def plane_and_any(shapes, i, j, R, p):
    """Return the distance if A is a plane."""
    direction = (-R[6], -R[7], -R[8])
    b = add(p, apply(R, on_feature(shapes, j, feature(shapes, j, direction, 0), direction)))
    return b[2], (0.0, 0.0, 1.0), (b[0], b[1], 0.0), b


@kernel
def any_and_plane(shapes, i, j, R, p):
    """Return the distance if B is a plane."""
    _, _, m = columns(R)
    n = negate(m)
    a = on_feature(shapes, i, feature(shapes, i, n, 0), n)
    d = dot(m, subtract(a, p))
    return d, n, a, add(a, scale(d, n))
