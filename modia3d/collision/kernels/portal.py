"""Tetrahedron in ``A - B`` for deep penetrations: a ray from an inner point through the origin leaves it by the portal.

This is the first half of Minkowski portal refinement (Snethen 2008; Neumayr and Otter 2017). It finds the side of deep
penetrations without a search of the others. If the origin lies in the middle or on the ray to a corner, the ray is turned
slightly, so that no portal is degenerate.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, cross, dot, kernel, load3, negate, scale, subtract

from ..tables import HALF, INNER
from .nearest import copy_corner
from .refine import across, unit
from .scratch import HULL
from .support import corner

_ITERATIONS = 40
INTERIOR = 14
"""Column of a corner: 1 if it is the point inside."""


@kernel
def _thin(shapes, i):
    """Return half of the smallest extent of a shape [m]."""
    return min(shapes[i, HALF], min(shapes[i, HALF + 1], shapes[i, HALF + 2]))


@kernel
def inside(shapes, i, j, R, p, S):
    """Write the inner point to row HULL."""
    a, b = load3(shapes, i, INNER), add(p, apply(R, load3(shapes, j, INNER)))
    c, least = subtract(a, b), 1e-3 * (_thin(shapes, i) + _thin(shapes, j))
    if dot(c, c) < least * least:
        move = (0.48 * least, 0.6 * least, 0.64 * least)
        a, c = add(a, move), add(c, move)
    for k in range(3):
        S[HULL, k], S[HULL, 3 + k], S[HULL, 6 + k] = c[k], a[k], b[k]
    S[HULL, 9], S[HULL, 10], S[HULL, INTERIOR] = 0.0, 0.0, 1.0
    return c


@kernel
def _swap(S):
    copy_corner(S, HULL + 1, HULL + 4)
    copy_corner(S, HULL + 2, HULL + 1)
    copy_corner(S, HULL + 4, HULL + 2)


@kernel
def portal(shapes, i, j, R, p, size, S):
    """Write the corners of the tetrahedron to rows HULL to HULL + 3; return False if ``A - B`` is flat.

    The first one is the inner point, the others are the portal, counter-clockwise from outside.
    """
    v = inside(shapes, i, j, R, p, S)
    n = unit(negate(v))
    a = corner(shapes, i, j, R, p, n, S, HULL + 1, HULL)
    n = cross(a, v)
    tiny = 1e-14 * size * size
    if dot(n, n) <= tiny * tiny:
        n, _ = across(unit(v))
    n = unit(n)
    b = corner(shapes, i, j, R, p, n, S, HULL + 2, HULL + 1)
    n = cross(subtract(a, v), subtract(b, v))
    if dot(n, v) > 0.0:
        _swap(S)
        a, b, n = b, a, negate(n)
    for _ in range(_ITERATIONS):
        length = sqrt(dot(n, n))
        if not length > 0.0:
            return False
        c = corner(shapes, i, j, R, p, scale(1.0 / length, n), S, HULL + 3, HULL + 1)
        if dot(cross(a, c), v) < 0.0 and dot(cross(subtract(c, v), subtract(a, v)), subtract(b, c)) != 0.0:
            copy_corner(S, HULL + 3, HULL + 2)
            b = c
        elif dot(cross(c, b), v) < 0.0:
            copy_corner(S, HULL + 3, HULL + 1)
            a = c
        else:
            break
        n = cross(subtract(a, v), subtract(b, v))
    for k in range(HULL + 1, HULL + 4):
        S[k, INTERIOR] = 0.0
    c, tetrahedron = load3(S, HULL + 3, 0), dot(cross(subtract(a, v), subtract(b, v)), subtract(load3(S, HULL + 3, 0), v))
    if tetrahedron < 0.0:
        _swap(S)
    return abs(tetrahedron) > 0.0 and dot(c, c) < 1e300
