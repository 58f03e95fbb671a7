"""Farthest point of a core in a direction, and its motion when the direction turns.

A core is the convex hull of *features*: corners, circles (a cylinder is the hull of two of them) or one ellipsoid. Near a given
direction, the farthest point stays on one feature. So a search over directions becomes Newton's method as soon as the features
are known.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, apply_transposed, dot, kernel, negate, subtract
from modiapy.acausal.native import float64_array, int64_array

from ..tables import KIND, N_POINTS, NEIGHBOURS, POINTS, SIZE, Kind

_POINT, _LINE, _BOX, _ELLIPSOID = int(Kind.POINT), int(Kind.LINE), int(Kind.BOX), int(Kind.ELLIPSOID)
_CYLINDER, _CONE, _BEAM = int(Kind.CYLINDER), int(Kind.CONE), int(Kind.BEAM)
_FEW = 12
"""Points of a hull that are all looked at; of more the neighbours are climbed."""


@kernel
def circle(radius, x, y):
    """Return the point of a circle about the origin that is farthest along (x, y)."""
    length = sqrt(x * x + y * y)
    if length > 0.0:
        return radius * (x / length), radius * (y / length)
    return radius, 0.0


@kernel
def hull_feature(shapes, i, d, start):
    """Return the point of a hull that is farthest along ``d``; the search climbs from neighbour to neighbour."""
    count = int(shapes[i, N_POINTS])
    points = float64_array(int(shapes[i, POINTS]), (count, 3))
    if count <= _FEW:
        best, height = 0, dot(d, (points[0, 0], points[0, 1], points[0, 2]))
        for k in range(1, count):
            other = d[0] * points[k, 0] + d[1] * points[k, 1] + d[2] * points[k, 2]
            if other > height:
                best, height = k, other
        return best
    words = int64_array(int(shapes[i, NEIGHBOURS]), count + 1)
    links = int64_array(int(shapes[i, NEIGHBOURS]), words[count])
    best = start if start < count else 0
    height = d[0] * points[best, 0] + d[1] * points[best, 1] + d[2] * points[best, 2]
    rising = True
    while rising:
        rising = False
        for at in range(links[best], links[best + 1]):
            k = links[at]
            other = d[0] * points[k, 0] + d[1] * points[k, 1] + d[2] * points[k, 2]
            if other > height:
                best, height, rising = k, other, True
                break
    return best


@kernel
def feature(shapes, i, d, start):
    """Number of the feature with the farthest point along ``d``; a search may begin at ``start``."""
    kind = int(shapes[i, KIND])
    x, y, z = d
    if kind == _BOX:
        return (1 if x >= 0.0 else 0) + (2 if y >= 0.0 else 0) + (4 if z >= 0.0 else 0)
    if kind in (_LINE, _CYLINDER):
        return 1 if z >= 0.0 else 0
    if kind == _CONE:
        across = sqrt(x * x + y * y)
        return 1 if shapes[i, SIZE + 2] * z + (shapes[i, SIZE + 1] - shapes[i, SIZE]) * across > 0.0 else 0
    if kind == _BEAM:
        return (1 if x >= 0.0 else 0) + (2 if z >= 0.0 else 0)
    if kind in (_POINT, _ELLIPSOID):
        return 0
    return hull_feature(shapes, i, d, start)


@kernel
def on_feature(shapes, i, number, d):
    """Return the point of a feature that is farthest along ``d``."""
    kind = int(shapes[i, KIND])
    x, y, z = d
    u, v, w = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    if kind == _BOX:
        return (u if number & 1 else -u), (v if number & 2 else -v), (w if number & 4 else -w)
    if kind == _LINE:
        return 0.0, 0.0, (u if number else -u)
    if kind == _CYLINDER:
        px, py = circle(u, x, y)
        return px, py, (v if number else -v)
    if kind == _CONE:
        px, py = circle(v if number else u, x, y)
        return px, py, (w if number else 0.0)
    if kind == _BEAM:
        px, py = circle(v, x, y)
        return px + (u if number & 1 else -u), py, (w if number & 2 else -w)
    if kind == _ELLIPSOID:
        sx, sy, sz = u * x, v * y, w * z
        length = sqrt(sx * sx + sy * sy + sz * sz)
        return u * (sx / length), v * (sy / length), w * (sz / length)
    if kind == _POINT:
        return 0.0, 0.0, 0.0
    points = float64_array(int(shapes[i, POINTS]), (int(shapes[i, N_POINTS]), 3))
    return points[number, 0], points[number, 1], points[number, 2]


@kernel
def radius_of(shapes, i, number):
    """Return the radius of a feature that is a circle [m]; 0 for a corner, -1 for an ellipsoid."""
    kind = int(shapes[i, KIND])
    if kind == _CYLINDER:
        return shapes[i, SIZE]
    if kind == _CONE:
        return shapes[i, SIZE + 1] if number else shapes[i, SIZE]
    if kind == _BEAM:
        return shapes[i, SIZE + 1]
    return -1.0 if kind == _ELLIPSOID else 0.0


@kernel
def turning(shapes, i, number, d, s, t):
    """Return the motion of a feature's farthest point: ``s H s, s H t, t H t``.

    H are the second derivatives of the support function at the unit vector ``d``; s and t are normal to ``d``.
    """
    radius = radius_of(shapes, i, number)
    if radius > 0.0:
        x, y, _ = d
        across = sqrt(x * x + y * y)
        if across < 1e-300:
            return 1e300, 0.0, 1e300
        u, v = (x * s[1] - y * s[0]) / across, (x * t[1] - y * t[0]) / across
        return radius / across * u * u, radius / across * u * v, radius / across * v * v
    if radius == 0.0:
        return 0.0, 0.0, 0.0
    a, b, c = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    D_d, D_s, D_t = (a * d[0], b * d[1], c * d[2]), (a * s[0], b * s[1], c * s[2]), (a * t[0], b * t[1], c * t[2])
    square = dot(D_d, D_d)
    along_s, along_t, length = dot(D_d, D_s), dot(D_d, D_t), sqrt(square)
    ss = (dot(D_s, D_s) - along_s * along_s / square) / length
    st = (dot(D_s, D_t) - along_s * along_t / square) / length
    return ss, st, (dot(D_t, D_t) - along_t * along_t / square) / length


@kernel
def corner(shapes, i, j, R, p, n, S, row, near):
    """Write the point of ``A - B`` that is farthest along ``n`` to a row of the memory of a search.

    Args:
        i, j: shapes A and B. R, p: pose of B in A. n: in A.
        S, row: see `scratch`. near: row of a corner whose features are where a search of features begins.
    """
    m = negate(apply_transposed(R, n))
    number_a = feature(shapes, i, n, int(S[near, 9]))
    number_b = feature(shapes, j, m, int(S[near, 10]))
    a = on_feature(shapes, i, number_a, n)
    b = add(p, apply(R, on_feature(shapes, j, number_b, m)))
    c = subtract(a, b)
    for k in range(3):
        S[row, k], S[row, 3 + k], S[row, 6 + k] = c[k], a[k], b[k]
    S[row, 9], S[row, 10], S[row, 11], S[row, 12], S[row, 13] = number_a, number_b, 0.0, 0.0, 0.0
    return c
