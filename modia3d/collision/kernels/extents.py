"""Extents of shapes in a direction, and their bounding boxes."""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, apply_transposed, dot, kernel, load3, load9, negate

from ..tables import BODY, HALF, KIND, MIDDLE, REACH, ROUND, SIZE, Kind
from ..tree import HIGH, HIGH_RATE, LOW, LOW_RATE

_PLANE, _POINT, _LINE, _BOX = int(Kind.PLANE), int(Kind.POINT), int(Kind.LINE), int(Kind.BOX)
_ELLIPSOID, _CYLINDER, _CONE, _BEAM = int(Kind.ELLIPSOID), int(Kind.CYLINDER), int(Kind.CONE), int(Kind.BEAM)


@kernel
def height(shapes, i, d):
    """Return the extent of shape ``i`` from the origin of its frame along a unit vector in that frame [m].

    Exact except for hulls, which are replaced by the part of their box inside the ball about its middle.
    """
    kind = int(shapes[i, KIND])
    x, y, z = abs(d[0]), abs(d[1]), abs(d[2])
    a, b, c, r = shapes[i, SIZE], shapes[i, SIZE + 1], shapes[i, SIZE + 2], shapes[i, ROUND]
    if kind == _POINT:
        return r
    if kind == _LINE:
        return a * z + r
    if kind == _BOX:
        return a * x + b * y + c * z + r
    if kind == _ELLIPSOID:
        return sqrt(a * a * x * x + b * b * y * y + c * c * z * z) + r
    across = sqrt(x * x + y * y)
    if kind == _CYLINDER:
        return a * across + b * z + r
    if kind == _CONE:
        return max(a * across, b * across + c * d[2]) + r
    if kind == _BEAM:
        return a * x + b * across + c * z + r
    box = shapes[i, HALF] * x + shapes[i, HALF + 1] * y + shapes[i, HALF + 2] * z
    return dot(d, load3(shapes, i, MIDDLE)) + min(box, shapes[i, REACH])


@kernel
def world_height(shapes, R, p, i, d):
    """Return the extent of shape ``i`` from the world's origin along a unit vector in world [m]."""
    return dot(d, load3(p, i, 0)) + height(shapes, i, apply_transposed(load9(R, i, 0), d))


@kernel
def middle(shapes, R, p, i):
    """Return the middle of the shape's box in world [m]."""
    return add(load3(p, i, 0), apply(load9(R, i, 0), load3(shapes, i, MIDDLE)))


@kernel
def is_plane(shapes, i):
    """Return whether a shape is a plane, which has no bounding box."""
    return int(shapes[i, KIND]) == _PLANE


@kernel
def bound_shapes(shapes, R, p, boxes):
    """Write the bounding boxes of all shapes but planes."""
    for i in range(shapes.shape[0]):
        if not is_plane(shapes, i):
            for k in range(3):
                d = (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)
                boxes[i, LOW + k] = -world_height(shapes, R, p, i, negate(d))
                boxes[i, HIGH + k] = world_height(shapes, R, p, i, d)


@kernel
def motion(shapes, R, p, i, p_bodies, v_W, w_W):
    """Return the velocity of the middle of shape ``i`` in world, and the largest speed of its points relative to that [m/s]."""
    body = int(shapes[i, BODY])
    if body < 0:
        return (0.0, 0.0, 0.0), 0.0
    w_x, w_y, w_z = load3(w_W, body, 0)
    m_x, m_y, m_z = middle(shapes, R, p, i)
    x, y, z = m_x - p_bodies[body, 0], m_y - p_bodies[body, 1], m_z - p_bodies[body, 2]
    v_x, v_y, v_z = load3(v_W, body, 0)
    turning = sqrt(w_x * w_x + w_y * w_y + w_z * w_z) * shapes[i, REACH]
    return (v_x + w_y * z - w_z * y, v_y + w_z * x - w_x * z, v_z + w_x * y - w_y * x), turning


@kernel
def bound_rates(shapes, R, p, p_bodies, v_W, w_W, boxes):
    """Write upper bounds for the speeds of the faces of the bounding boxes."""
    for i in range(shapes.shape[0]):
        if not is_plane(shapes, i):
            (x, y, z), turning = motion(shapes, R, p, i, p_bodies, v_W, w_W)
            boxes[i, LOW_RATE], boxes[i, LOW_RATE + 1], boxes[i, LOW_RATE + 2] = x - turning, y - turning, z - turning
            boxes[i, HIGH_RATE], boxes[i, HIGH_RATE + 1], boxes[i, HIGH_RATE + 2] = x + turning, y + turning, z + turning


@kernel
def thickness(shapes, i):
    """Return half of the least length of the bounding box: less than what must be crossed to pass through a shape [m]."""
    return min(shapes[i, HALF], min(shapes[i, HALF + 1], shapes[i, HALF + 2]))
