"""Flat faces and straight lines of a shape that point towards the other shape of a contact.

They are given in the frame of the contact: u, v in the plane of contact, h along its normal, which points from the first shape
to the second one. A polygon consists of the corners of a face or the ends of a line, one per row, and a last row about the
whole. Rounding lifts everything by its radius along the normal. This is right for a face that is parallel to the contact, and
for the deepest points of all others.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import apply, cross, dot, kernel
from modiapy.acausal.native import float64_array, int64_array

from ..tables import FACES, KIND, N_POINTS, POINTS, ROUND, SIZE, Kind

_LINE, _BOX, _CYLINDER, _CONE = int(Kind.LINE), int(Kind.BOX), int(Kind.CYLINDER), int(Kind.CONE)
_BEAM, _HULL = int(Kind.BEAM), int(Kind.HULL)

U, V, H = 0, 1, 2
"""Columns of a polygon [m]; the next ones belong to `clipping` and `weights`."""
ABOUT = 63
"""Row about the whole polygon: the height of its plane, or of its line, is ``BASE + SLOPE_U u + SLOPE_V v``."""
SLOPE_U, SLOPE_V, BASE = 0, 1, 2
RADIUS = 3
"""Of the round surface on which a line lies [m]; of a face `STRAIGHT` or `BENT`, as its outline is."""
STRAIGHT, BENT = -1.0, -2.0
FADE = 4
"""What part of itself a face or line is: less than 1 on its way to where there is none, or another one."""
FADE_U, FADE_V = 5, 6
"""How that changes as the shape turns about u and v while the normal stays."""
OWNER = 9
"""Column of a polygon: whose edge begins at the corner; of one that was not cut its own."""
OUTLINE = 0.0
CORNERS = 64
"""Rows of a polygon. Corners of a face: half as many at most, so that two can be cut with each other."""
CORNER_COLUMNS = 10
_MOST = 24

_STEEP = 1e-6
"""Cosine of the angle to the contact below which a face is none: what it adds is as small in relation to others."""
_COS, _SIN, _DIRECTIONS = sqrt(0.75), 0.5, 12
"""A circle is seen as twelve corners."""
_UPRIGHT = 1e-9
"""A corner of a half circle at its end is one with the end: an edge between them would have no direction."""


@kernel
def feature_count(shapes, i):
    """Number of faces and lines of a shape; of two opposite faces only one counts."""
    kind = int(shapes[i, KIND])
    if kind in (_BOX, _CYLINDER, _CONE):
        return 3
    if kind == _BEAM:
        return 4
    if kind == _HULL:
        return int64_array(int(shapes[i, FACES]), 1)[0]
    return 1 if kind == _LINE else 0


@kernel
def _put(polygon, k, M, t, lift, x):
    """Write a point of the shape as corner ``k``."""
    u, v, h = apply(M, x)
    polygon[k, U], polygon[k, V], polygon[k, H] = u + t[0], v + t[1], h + t[2] + lift
    polygon[k, OWNER] = OUTLINE


@kernel
def _face(polygon, count, M, normal, outline):
    """Evaluate the last row about a face; return the number of its corners, 0 if it points away from the other shape."""
    n_u, n_v, n_h = apply(M, normal)
    if abs(n_h) < _STEEP:
        return 0
    slope_u, slope_v = -n_u / n_h, -n_v / n_h
    polygon[ABOUT, SLOPE_U], polygon[ABOUT, SLOPE_V] = slope_u, slope_v
    polygon[ABOUT, BASE] = polygon[0, H] - slope_u * polygon[0, U] - slope_v * polygon[0, V]
    polygon[ABOUT, RADIUS], polygon[ABOUT, FADE] = outline, 1.0
    polygon[ABOUT, FADE_U] = polygon[ABOUT, FADE_V] = 0.0
    return count


@kernel
def _line(polygon, M, t, lift, a, b, radius, fade):
    """Make a polygon of the line from ``a`` to ``b``; return the number of its corners, 0 if it appears as a point."""
    _put(polygon, 0, M, t, lift, a)
    _put(polygon, 1, M, t, lift, b)
    u, v, h = polygon[1, U] - polygon[0, U], polygon[1, V] - polygon[0, V], polygon[1, H] - polygon[0, H]
    square = u * u + v * v
    if not square > 1e-18 * h * h or not fade > 1e-9:
        return 0
    slope_u, slope_v = h * u / square, h * v / square
    polygon[ABOUT, SLOPE_U], polygon[ABOUT, SLOPE_V] = slope_u, slope_v
    polygon[ABOUT, BASE] = polygon[0, H] - slope_u * polygon[0, U] - slope_v * polygon[0, V]
    polygon[ABOUT, RADIUS], polygon[ABOUT, FADE] = radius, fade
    polygon[ABOUT, FADE_U] = polygon[ABOUT, FADE_V] = 0.0
    return 2


@kernel
def _rectangle(polygon, M, t, lift, center, a, b):
    """Compute four corners about a center."""
    for k in range(4):
        s, r = (1.0 if k == 0 or k == 3 else -1.0), (1.0 if k < 2 else -1.0)
        x = center[0] + s * a[0] + r * b[0], center[1] + s * a[1] + r * b[1], center[2] + s * a[2] + r * b[2]
        _put(polygon, k, M, t, lift, x)


@kernel
def _outline(polygon, M, t, lift, half, radius, z, c, s):
    """Write the outline of two half circles about ``x = half`` and ``x = -half``, or of one circle.

    The outline consists of points in twelve directions from ``(c, s)`` on.
    """
    count = 0
    for _ in range(_DIRECTIONS):
        x = -half if c < 0.0 else half
        if not half > 0.0 or abs(c) > _UPRIGHT:
            _put(polygon, count, M, t, lift, (x + radius * c, radius * s, z))
            count += 1
        after_c, s = c * _COS - s * _SIN, s * _COS + c * _SIN
        if half > 0.0 and (c < 0.0) != (after_c < 0.0):
            y = -radius if after_c >= 0.0 else radius
            _put(polygon, count, M, t, lift, (x, y, z))
            _put(polygon, count + 1, M, t, lift, (-x, y, z))
            count += 2
        c = after_c
    return count


@kernel
def _across(d):
    """Return the unit vector of a direction's part along x and y, and the length of that part."""
    length = sqrt(d[0] * d[0] + d[1] * d[1])
    if not length > 0.0:
        return 1.0, 0.0, 0.0
    return d[0] / length, d[1] / length, length


@kernel
def _end(polygon, M, t, lift, half, radius, z, d, depth, deepest):
    """Write a flat face with a round outline.

    While the whole face penetrates, the approximating polygon turns with the shape, since there is no deepest point when the
    face lies flat. Otherwise it begins with the deepest point. In between there are both, each with a part of the area.
    """
    e_x, e_y, length = _across(d)
    part = min(1.0, 2.0 * length * radius / depth)
    if not deepest:
        e_x, e_y, part = 1.0, 0.0, 1.0 - part
    if not part > 0.0:
        return 0
    count = _face(polygon, _outline(polygon, M, t, lift, half, radius, z, e_x, e_y), M, (0.0, 0.0, 1.0), BENT)
    polygon[ABOUT, FADE] = part
    return count


@kernel
def _hull_face(shapes, i, f, d, M, t, lift, polygon):
    words = int64_array(int(shapes[i, FACES]), f + 3)
    begin, end = words[f + 1], words[f + 2]
    corners = int64_array(int(shapes[i, FACES]), end)
    points = float64_array(int(shapes[i, POINTS]), (int(shapes[i, N_POINTS]), 3))
    a, b, c = corners[begin], corners[begin + (end - begin) // 3], corners[begin + 2 * (end - begin) // 3]
    first = points[b, 0] - points[a, 0], points[b, 1] - points[a, 1], points[b, 2] - points[a, 2]
    second = points[c, 0] - points[a, 0], points[c, 1] - points[a, 1], points[c, 2] - points[a, 2]
    normal = cross(first, second)
    length = sqrt(dot(normal, normal))
    if not dot(normal, d) > _STEEP * length:
        return 0
    every, count = (end - begin + _MOST - 1) // _MOST, 0
    for at in range(begin, end, every):
        k = corners[at]
        _put(polygon, count, M, t, lift, (points[k, 0], points[k, 1], points[k, 2]))
        count += 1
    return _face(polygon, count, M, (normal[0] / length, normal[1] / length, normal[2] / length), STRAIGHT)


@kernel
def _box_face(shapes, i, f, d, M, t, lift, polygon):
    a, b, c = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    if f == 0:
        x, y, z, normal = (a if d[0] >= 0.0 else -a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c), (1.0, 0.0, 0.0)
    elif f == 1:
        x, y, z, normal = (0.0, b if d[1] >= 0.0 else -b, 0.0), (0.0, 0.0, c), (a, 0.0, 0.0), (0.0, 1.0, 0.0)
    else:
        x, y, z, normal = (0.0, 0.0, c if d[2] >= 0.0 else -c), (a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, 1.0)
    _rectangle(polygon, M, t, lift, x, y, z)
    return _face(polygon, 4, M, normal, STRAIGHT)


@kernel
def _cone_feature(shapes, i, f, d, depth, M, t, lift, polygon, base, top, low, high):
    """End and side of a cylinder or cone between ``z = low`` and ``z = high``."""
    if f < 2:
        radius, z = (top, high) if d[2] >= 0.0 else (base, low)
        return _end(polygon, M, t, lift, 0.0, radius, z, d, depth, f == 1) if radius > 0.0 else 0
    e_x, e_y, length = _across(d)
    round_ = max(base, top) + shapes[i, ROUND]
    count = _line(polygon, M, t, lift, (base * e_x, base * e_y, low), (top * e_x, top * e_y, high), round_, length)
    if count > 0:
        polygon[ABOUT, FADE_U], polygon[ABOUT, FADE_V] = -M[8] * M[5] / length, M[8] * M[2] / length
    return count


@kernel
def _beam_feature(shapes, i, f, d, depth, M, t, lift, polygon):
    half, radius, thick = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    if f < 2:
        return _end(polygon, M, t, lift, half, radius, thick if d[2] >= 0.0 else -thick, d, depth, f == 1)
    if f == 2:
        y = radius if d[1] >= 0.0 else -radius
        _rectangle(polygon, M, t, lift, (0.0, y, 0.0), (half, 0.0, 0.0), (0.0, 0.0, thick))
        return _face(polygon, 4, M, (0.0, 1.0, 0.0), STRAIGHT)
    e_x, e_y, length = _across(d)
    x, y = (-half if d[0] < 0.0 else half) + radius * e_x, radius * e_y
    count = _line(polygon, M, t, lift, (x, y, -thick), (x, y, thick), radius + shapes[i, ROUND], length * abs(e_x))
    if count > 0:
        polygon[ABOUT, FADE_U], polygon[ABOUT, FADE_V] = (M[3], -M[0]) if M[6] >= 0.0 else (-M[3], M[0])
    return count


@kernel
def feature(shapes, i, f, side, M, t, depth, polygon):
    """Write face or line ``f`` of a shape: the number of its corners, 0 if it has no part in the contact.

    Args:
        side: 1 for the first shape of the contact, -1 for the second one.
        M, t: pose of the shape in the frame of the contact, whose origin is in the middle between the deepest points.
        depth: penetration [m].
    """
    kind = int(shapes[i, KIND])
    d, lift = (side * M[6], side * M[7], side * M[8]), side * shapes[i, ROUND]
    a, b, c = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    if kind == _BOX:
        count = _box_face(shapes, i, f, d, M, t, lift, polygon)
    elif kind == _LINE:
        count = _line(polygon, M, t, lift, (0.0, 0.0, -a), (0.0, 0.0, a), shapes[i, ROUND], 1.0)
    elif kind == _CYLINDER:
        count = _cone_feature(shapes, i, f, d, depth, M, t, lift, polygon, a, a, -b, b)
    elif kind == _CONE:
        count = _cone_feature(shapes, i, f, d, depth, M, t, lift, polygon, a, b, 0.0, c)
    elif kind == _BEAM:
        count = _beam_feature(shapes, i, f, d, depth, M, t, lift, polygon)
    else:
        count = _hull_face(shapes, i, f, d, M, t, lift, polygon)
    for k in range(count):
        if side * polygon[k, H] >= -0.5 * depth:
            return count
    return 0
