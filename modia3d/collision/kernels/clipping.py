"""Clipping of convex polygons in the plane of a contact along straight lines (Sutherland and Hodgman, Commun. ACM 17, 1974)."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import kernel

from .features import OWNER, U, V

DEPTH = 3
"""Column of a polygon: penetration at the corner [m]."""
_CUT = 4
"""Number of columns that are linear along edges."""
SURFACE, CUTTER = 1.0, 2.0
"""Owners of edges that were cut: nobody (there the depth is zero), the polygon that cut."""


@kernel
def _copy(source, i, target, k):
    for column in range(_CUT):
        target[k, column] = source[i, column]
    target[k, OWNER] = source[i, OWNER]


@kernel
def _cut(source, i, j, x, y, owner, target, k):
    """Write the intersection between corners ``i`` and ``j``, where a linear function is zero; the same from both sides.

    x and y are the values of the function at the corners. Beyond the first corner an edge begins that belongs to ``owner``,
    else it is the old one.
    """
    target[k, OWNER] = source[i, OWNER] if x < 0.0 else owner
    if x > y:
        i, j, x, y = j, i, y, x
    part = x / (x - y)
    for column in range(_CUT):
        target[k, column] = source[i, column] + part * (source[j, column] - source[i, column])


@kernel
def cut_line(source, count, a, b, c, target):
    """Write the part of a polygon where ``a u + b v + c >= 0``; return the number of its corners."""
    kept, last = 0, count - 1
    x = a * source[last, U] + b * source[last, V] + c if count > 0 else 0.0
    for k in range(count):
        y = a * source[k, U] + b * source[k, V] + c
        if (x < 0.0) != (y < 0.0):
            _cut(source, last, k, x, y, CUTTER, target, kept)
            kept += 1
        if not y < 0.0:
            _copy(source, k, target, kept)
            kept += 1
        last, x = k, y
    return kept


@kernel
def cut_depth(source, count, target):
    """Write the part of a polygon that penetrates; return the number of its corners."""
    kept, last = 0, count - 1
    for k in range(count):
        x, y = source[last, DEPTH], source[k, DEPTH]
        if (x < 0.0) != (y < 0.0):
            _cut(source, last, k, x, y, SURFACE, target, kept)
            target[kept, DEPTH] = 0.0
            kept += 1
        if not y < 0.0:
            _copy(source, k, target, kept)
            kept += 1
        last = k
    return kept


@kernel
def area(polygon, count):
    """Return the area of a polygon [m2], positive where its corners run counter-clockwise."""
    twice = 0.0
    for k in range(2, count):
        u, v = polygon[k - 1, U] - polygon[0, U], polygon[k - 1, V] - polygon[0, V]
        twice += u * (polygon[k, V] - polygon[0, V]) - v * (polygon[k, U] - polygon[0, U])
    return 0.5 * twice


@kernel
def cut_polygon(polygon, count, other, corners, spare):
    """Write the part of a polygon within another one; return the number of its corners. ``spare`` is memory of the same
    size.
    """
    sign = 1.0 if area(other, corners) >= 0.0 else -1.0
    for k in range(corners):
        after = k + 1 if k + 1 < corners else 0
        du, dv = sign * (other[after, U] - other[k, U]), sign * (other[after, V] - other[k, V])
        count = cut_line(polygon, count, -dv, du, dv * other[k, U] - du * other[k, V], spare)
        for i in range(count):
            _copy(spare, i, polygon, i)
    return count
