"""Penetration depth of two shapes with faces or lines on the whole, and its change as they move.

Seen along the normal, both shapes overlap where the depth ``d(u, v)`` is positive. With ``I_k``, the integral of ``d**k`` over
that area, the *mean depth* is ``I_4 / I_3``: the depth itself where a face lies flat, 4/5 of the largest depth on an edge, 2/3
on a corner, and continuous in between, with its derivatives. A force along its gradient that is a function of it has a
potential, so nothing is gained on any way through a contact. The gradient is what a motion of one of both shapes does while the
normal stays: heights of its surface change, and so does its outline where the depth is not zero there. It acts within the
area of contact.
A straight line of a round surface of radius r has the depth ``d - y**2 / (2 r)`` beside it; the integral over y is closed.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import kernel

from .clipping import DEPTH, area
from .features import ABOUT, BASE, FADE_U, OWNER, SLOPE_U, SLOPE_V, U, V

CUBE, FOURTH = 0, 1
"""Of the sums: ``I_3`` and ``I_4``; their gradients (force, torque about the origin, by the motion of one shape) follow."""
CUBE_TURN, FOURTH_TURN = 2, 8
LIFT = 14
"""By how much the shape that moves is rounded, along the normal [m]."""
VARIED = 15
"""1 where the first shape moves, -1 for the second one."""
WHOLE = 16
"""1 for all that a motion does; 0: the force is along the normal, where the shape is lifted. That is for normals that turn with
both shapes, as over round edges: there the mean depth changes as the largest one."""
SUMS = 17

_IN, _IN_WEIGHT = 0.44594849091596488632, 0.22338158967801146570
_OUT, _OUT_WEIGHT = 0.09157621350977074346, 0.10995174365532186764
"""Quadrature in a triangle: six points, exact up to degree 4 (Strang, Fix 1973)."""
_NODE, _SIDE, _CENTER = 0.5 * sqrt(0.6), 5.0 / 18.0, 4.0 / 9.0
"""Quadrature along an edge: three points about its middle, exact up to degree 5 (Gauss)."""
_NODES = (0.94910791234275852453, 0.74153118559939443986, 0.40584515137739716691)
_WEIGHTS = (0.12948496616886969327, 0.27970539148927666790, 0.38183005050511894495, 0.41795918367346938776)
_STEEP = 0.5
"""Part of the larger depth of a line below which the smaller one is too small for a quadrature along the line."""


@kernel
def _add(sums, at, factor, x, y, z, u, v, h):
    """Add a force at a point and its torque."""
    sums[at] += factor * x
    sums[at + 1] += factor * y
    sums[at + 2] += factor * z
    sums[at + 3] += factor * (v * z - h * y)
    sums[at + 4] += factor * (h * x - u * z)
    sums[at + 5] += factor * (u * y - v * x)


@kernel
def _add_depth(sums, mover, cube, fourth, u, v):
    """Add the effect of lifting the moving shape's surface by this much at a point."""
    s_u, s_v = mover[ABOUT, SLOPE_U], mover[ABOUT, SLOPE_V]
    h = mover[ABOUT, BASE] + s_u * u + s_v * v - sums[LIFT]
    if sums[WHOLE] == 0.0:
        s_u = s_v = 0.0
    _add(sums, CUBE_TURN, sums[VARIED] * cube, -s_u, -s_v, 1.0, u, v, h)
    _add(sums, FOURTH_TURN, sums[VARIED] * fourth, -s_u, -s_v, 1.0, u, v, h)


@kernel
def _add_outline(sums, mover, cube, fourth, x, y, u, v):
    """Add the effect of moving the moving shape's outline at a point, along x, y."""
    h = mover[ABOUT, BASE] + mover[ABOUT, SLOPE_U] * u + mover[ABOUT, SLOPE_V] * v - sums[LIFT]
    _add(sums, CUBE_TURN, cube, x, y, 0.0, u, v, h)
    _add(sums, FOURTH_TURN, fourth, x, y, 0.0, u, v, h)


@kernel
def _node(cell, k, i, a, weight, mover, sums):
    """Compute one point of a triangle: at ``1 - 2 a`` of corner ``i`` of those, ``a`` of the two others."""
    b = 1.0 - 2.0 * a
    p, q, r = (b, a, a) if i == 0 else ((a, b, a) if i == 1 else (a, a, b))
    u = p * cell[0, U] + q * cell[k - 1, U] + r * cell[k, U]
    v = p * cell[0, V] + q * cell[k - 1, V] + r * cell[k, V]
    d = p * cell[0, DEPTH] + q * cell[k - 1, DEPTH] + r * cell[k, DEPTH]
    square = weight * d * d
    sums[CUBE] += square * d
    sums[FOURTH] += square * d * d
    _add_depth(sums, mover, 3.0 * square, 4.0 * square * d, u, v)


@kernel
def add_face(cell, count, own, mover, fade, sums):
    """Add a cell with an area.

    Args:
        own: `OWNER` of edges that belong to the shape that moves.
        mover: polygon of that shape. fade: what part of itself the cell is.
    """
    if count < 3:
        return
    for k in range(2, count):
        u, v = cell[k - 1, U] - cell[0, U], cell[k - 1, V] - cell[0, V]
        size = 0.5 * abs(u * (cell[k, V] - cell[0, V]) - v * (cell[k, U] - cell[0, U])) * fade
        for i in range(3):
            _node(cell, k, i, _IN, size * _IN_WEIGHT, mover, sums)
            _node(cell, k, i, _OUT, size * _OUT_WEIGHT, mover, sums)
    if sums[WHOLE] == 0.0:
        return
    sign = fade if area(cell, count) >= 0.0 else -fade
    for k in range(count):
        if cell[k, OWNER] == own:
            after = k + 1 if k + 1 < count else 0
            du, dv, dd = cell[after, U] - cell[k, U], cell[after, V] - cell[k, V], cell[after, DEPTH] - cell[k, DEPTH]
            for i in range(3):
                t, weight = 0.5 + (i - 1) * _NODE, _CENTER if i == 1 else _SIDE
                d = cell[k, DEPTH] + t * dd
                cube = sign * weight * d * d * d
                _add_outline(sums, mover, cube, cube * d, dv, -du, cell[k, U] + t * du, cell[k, V] + t * dv)


@kernel
def _gauss(i):
    """Point and weight ``i`` of seven on a way from 0 to 1 (Gauss, exact up to degree 13)."""
    if i == 3:
        return 0.5, 0.5 * _WEIGHTS[3]
    k = min(i, 6 - i)
    x = _NODES[0] if k == 0 else (_NODES[1] if k == 1 else _NODES[2])
    w = _WEIGHTS[0] if k == 0 else (_WEIGHTS[1] if k == 1 else _WEIGHTS[2])
    return 0.5 * (1.0 + x) if i > 3 else 0.5 * (1.0 - x), 0.5 * w


@kernel
def add_line(cell, count, line, owned, radius, mover, fade, sums):
    """Add a cell that is a line of a round surface.

    Args:
        line: it, before it was cut. owned: whether it belongs to the shape that moves, see `add_face`.
        radius: of the surface [m].
    """
    u, v, e_u, e_v = line[0, U], line[0, V], line[1, U] - line[0, U], line[1, V] - line[0, V]
    square = e_u * e_u + e_v * e_v
    if count < 2 or not square > 0.0:
        return
    low, high, begin, end = 2.0, -1.0, 0, 0
    for k in range(count):
        t = ((cell[k, U] - u) * e_u + (cell[k, V] - v) * e_v) / square
        if t < low:
            low, begin = t, k
        if t > high:
            high, end = t, k
    if not high > low:
        return
    if cell[end, DEPTH] > cell[begin, DEPTH]:
        begin, end = end, begin
    deep, flat = cell[begin, DEPTH], cell[end, DEPTH]
    if not deep > 0.0:
        return
    flat = max(flat, 0.0)
    length, wide = sqrt(square) * (high - low), sqrt(2.0 * radius)
    part = flat / deep
    end_root, cube_all, fourth_all = sqrt(part), 0.0, 0.0
    for i in range(7):
        x, weight = _gauss(i)
        if part < _STEEP:  # the depth is s**2 of the larger one
            s = end_root + (1.0 - end_root) * x
            t = (1.0 - s * s) / (1.0 - part)
            weight *= 2.0 * s * (1.0 - end_root) / (1.0 - part)
        else:
            t = x
        d = deep + t * (flat - deep)
        size = weight * length * wide * d * d * sqrt(d)
        cube_all += 32.0 / 35.0 * size * d
        fourth_all += 256.0 / 315.0 * size * d * d
        at_u, at_v = cell[begin, U] + t * (cell[end, U] - cell[begin, U]), cell[begin, V] + t * (cell[end, V] - cell[begin, V])
        _add_depth(sums, mover, 3.2 * fade * size, 128.0 / 35.0 * fade * size * d, at_u, at_v)
    sums[CUBE] += fade * cube_all
    sums[FOURTH] += fade * fourth_all
    if not owned or sums[WHOLE] == 0.0:
        return
    for shift in range(2):  # turning away from the normal, and about it
        turn = line[ABOUT, FADE_U + shift]
        sums[CUBE_TURN + 3 + shift] += turn * cube_all
        sums[FOURTH_TURN + 3 + shift] += turn * fourth_all
    e_u, e_v = e_u / sqrt(square), e_v / sqrt(square)
    for k in range(2):  # its ends, where it was not cut
        for at in (begin, end):
            d = cell[at, DEPTH]
            if cell[at, U] == line[k, U] and cell[at, V] == line[k, V] and d > 0.0:
                size, sign = fade * wide * d * d * d * sqrt(d), 1.0 if k == 1 else -1.0
                cube, fourth = 32.0 / 35.0 * sign * size, 256.0 / 315.0 * sign * size * d
                _add_outline(sums, mover, cube, fourth, e_u, e_v, line[k, U], line[k, V])
