"""Test that a depth found by Newton's method is the smallest one, without a search of all other sides."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import add, cross, dot, kernel, load3, scale, subtract

from ..tables import KIND, SIZE, Kind
from .portal import inside
from .refine import across, unit
from .scratch import FIXED_A, FIXED_B, HULL, TRIED
from .support import corner

_ELLIPSOID = int(Kind.ELLIPSOID)
_WIDE, _NARROW = 0.35, 0.1
"""Tangents of the angle by which directions about a normal are turned, to see how far a face reaches, and where it is round."""
_FLAT = 1e-12
"""How far the corners of a face may be from its plane, in relation to the size."""


@kernel
def _clear(v, a, b, depth):
    """Return whether the side (v, a, b) of a pyramid is farther from the origin than ``depth``; a and b are
    counter-clockwise.
    """
    n = cross(subtract(b, v), subtract(a, v))
    square, height = dot(n, n), dot(n, v)
    return square == 0.0 or (height > 0.0 and height * height > depth * depth * square)


@kernel
def _curvature(shapes, i):
    """Return the smallest radius of curvature of an ellipsoid [m]; 0 for other cores."""
    if shapes[i, KIND] != _ELLIPSOID:
        return 0.0
    a, b, c = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2]
    least = min(a, min(b, c))
    return least * least / max(a, max(b, c))


@kernel
def is_least(shapes, i, j, R, p, size, S, m, n, d):
    """Return whether a depth is the smallest one.

    It is if it is less than the radius of curvature, or if a pyramid in ``A - B`` leaves no other side.
    """
    if -d < _curvature(shapes, i) + _curvature(shapes, j):
        return True
    v = inside(shapes, i, j, R, p, S)
    if m == 3:
        a, b, c = load3(S, TRIED, 0), load3(S, TRIED + 1, 0), load3(S, TRIED + 2, 0)
        if dot(cross(subtract(b, a), subtract(c, a)), n) < 0.0:
            a, b = b, a
        if _clear(v, a, b, -d) and _clear(v, b, c, -d) and _clear(v, c, a, -d):
            return True
    flat = True
    for k in range(TRIED, TRIED + m):
        flat = flat and S[k, FIXED_A] != 0.0 and S[k, FIXED_B] != 0.0
    s, t = across(n)
    tilt = _WIDE if flat else _NARROW
    s, t = scale(tilt, s), scale(tilt, t)
    a = corner(shapes, i, j, R, p, unit(add(n, s)), S, HULL + 1, TRIED)
    b = corner(shapes, i, j, R, p, unit(add(n, t)), S, HULL + 2, TRIED)
    if not _clear(v, a, b, -d):
        return False
    c = corner(shapes, i, j, R, p, unit(subtract(n, s)), S, HULL + 3, TRIED)
    e = corner(shapes, i, j, R, p, unit(subtract(n, t)), S, HULL + 4, TRIED)
    if flat and min(min(dot(n, a), dot(n, b)), min(dot(n, c), dot(n, e))) < -d - _FLAT * size:
        return False
    return _clear(v, b, c, -d) and _clear(v, c, e, -d) and _clear(v, e, a, -d)
