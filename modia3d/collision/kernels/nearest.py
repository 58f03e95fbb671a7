"""Point of a simplex that is nearest to the origin, and the reduced simplex that contains it."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import add, cross, dot, kernel, load3, scale, subtract

from .scratch import CORNER_COLUMNS, PART

_FLAT = 1e-22
"""Squared sine of an angle that is none."""
ENCLOSED = 5
"""Number of corners that is returned where the simplex holds the origin."""


@kernel
def copy_corner(S, source, target):
    """Copy a row of corners."""
    if source != target:
        for k in range(CORNER_COLUMNS):
            S[target, k] = S[source, k]


@kernel
def on_segment(a, b):
    """Return the barycentric coordinates of the point of a segment that is nearest to the origin, and its distance squared."""
    edge = subtract(b, a)
    square = dot(edge, edge)
    t = min(max(-dot(a, edge) / square, 0.0), 1.0) if square > 0.0 else 0.0
    v = add(a, scale(t, edge))
    return 1.0 - t, t, dot(v, v)


@kernel
def on_triangle(a, b, c):
    """Return the same for a triangle."""
    ab, bc, ca = subtract(b, a), subtract(c, b), subtract(a, c)
    n = cross(ab, bc)
    u, v, w = dot(n, cross(b, bc)), dot(n, cross(c, ca)), dot(n, cross(a, ab))
    if u > 0.0 and v > 0.0 and w > 0.0:
        square = dot(n, n)
        height = dot(n, a)
        total = u + v + w
        return u / total, v / total, w / total, height * height / square
    p, q, best = on_segment(a, b)
    u, v, w = p, q, 0.0
    p, q, other = on_segment(b, c)
    if other < best:
        u, v, w, best = 0.0, p, q, other
    p, q, other = on_segment(c, a)
    if other < best:
        u, v, w, best = q, 0.0, p, other
    return u, v, w, best


@kernel
def outside(a, b, c, d):
    """Return whether a face of a tetrahedron may be nearest to the origin.

    ``d`` is the fourth corner. Every face of a flat tetrahedron may be nearest.
    """
    n, r = cross(subtract(b, a), subtract(c, a)), subtract(d, a)
    mine, other = -dot(n, a), dot(n, r)
    return mine * other <= 0.0 or other * other <= _FLAT * dot(n, n) * dot(r, r)


@kernel
def _tetrahedron(S, first):
    """Write the weights of the four corners to column PART; return whether the origin is outside."""
    a, b, c, d = load3(S, first, 0), load3(S, first + 1, 0), load3(S, first + 2, 0), load3(S, first + 3, 0)
    best, found = 1e300, False
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    if outside(a, b, c, d):
        u, v, w, square = on_triangle(a, b, c)
        if square < best:
            best, found, p, q, r, s = square, True, u, v, w, 0.0
    if outside(a, b, d, c):
        u, v, w, square = on_triangle(a, b, d)
        if square < best:
            best, found, p, q, r, s = square, True, u, v, 0.0, w
    if outside(a, c, d, b):
        u, v, w, square = on_triangle(a, c, d)
        if square < best:
            best, found, p, q, r, s = square, True, u, 0.0, v, w
    if outside(b, c, d, a):
        u, v, w, square = on_triangle(b, c, d)
        if square < best:
            best, found, p, q, r, s = square, True, 0.0, u, v, w
    S[first, PART], S[first + 1, PART], S[first + 2, PART], S[first + 3, PART] = p, q, r, s
    return found


@kernel
def reduce(S, first, m):
    """Reduce ``m`` corners from row ``first`` on to those whose hull contains the point nearest to the origin.

    Returns:
        Their number, or `ENCLOSED`; that point.
    """
    if m == 1:
        S[first, PART] = 1.0
    elif m == 2:
        u, v, _ = on_segment(load3(S, first, 0), load3(S, first + 1, 0))
        S[first, PART], S[first + 1, PART] = u, v
    elif m == 3:
        u, v, w, _ = on_triangle(load3(S, first, 0), load3(S, first + 1, 0), load3(S, first + 2, 0))
        S[first, PART], S[first + 1, PART], S[first + 2, PART] = u, v, w
    elif not _tetrahedron(S, first):
        return ENCLOSED, (0.0, 0.0, 0.0)
    kept, v = 0, (0.0, 0.0, 0.0)
    for k in range(m):
        if S[first + k, PART] > 0.0:
            copy_corner(S, first + k, first + kept)
            v = add(v, scale(S[first + kept, PART], load3(S, first + kept, 0)))
            kept += 1
    return kept, v
