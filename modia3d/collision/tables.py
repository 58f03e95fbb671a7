"""Tables that the kernels of collision detection read and write (no numba).

A shape is a *core* (a point, a line, a box, ...) and a radius by which it is rounded: a sphere is a rounded point, a capsule a
rounded line. Distances are those of the cores minus both radii.
"""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Kinds of cores; SIZE holds the sizes of each kind."""

    PLANE = 0
    """Everything below the plane z = 0."""
    POINT = 1
    LINE = 2
    """Along z: half length."""
    BOX = 3
    """Half lengths along x, y, z."""
    ELLIPSOID = 4
    """Half axes along x, y, z."""
    CYLINDER = 5
    """Along z: radius, half length."""
    CONE = 6
    """Along z, from 0 on: radius of the base, radius of the top, length."""
    BEAM = 7
    """Half length along x, radius of the ends (in the plane x, y), half thickness along z."""
    HULL = 8
    """Convex hull of points."""


# Shapes: float64 (n_shapes, SHAPE_COLUMNS).
KIND = 0
BODY = 1
"""Of the forest; negative: the world."""
R_BS = 2
"""Pose of the shape in its body, row by row (9), then P_BS (3) [m]; kinds along z or x are turned so by it."""
P_BS = 11
SIZE = 14
"""Up to six numbers, see `Kind` [m]."""
ROUND = 20
"""Radius by which the core is rounded [m]."""
INNER = 21
"""A point well inside, in the frame of the shape (3) [m]."""
MIDDLE = 24
"""Of the bounding box in the frame of the shape, rounding included (3), then HALF, half of its lengths (3) [m]."""
HALF = 27
REACH = 30
"""Radius of a ball about MIDDLE that holds the shape [m]; infinite for a plane."""
POINTS = 31
"""Of a hull: address of its points, float64 (N_POINTS, 3), and their number."""
N_POINTS = 32
NEIGHBOURS = 33
"""Of a hull: address of int64: for each point where its neighbours begin (N_POINTS + 1 numbers), then the neighbours."""
FACES = 34
"""Of a hull: address of int64: number of faces, where each begins (one number more), then the points of each, counter-clockwise
from outside."""
SHAPE_COLUMNS = 40

# What is found about a pair: float64 (n_pairs, FOUND_COLUMNS).
DISTANCE = 0
"""Signed: negative where the shapes penetrate each other [m]."""
NORMAL = 1
"""Unit vector in world, out of the first shape towards the second one (3)."""
POINT_1 = 4
"""Nearest (or deepest) points of both surfaces in world (3 each) [m]: ``POINT_2 = POINT_1 + DISTANCE * NORMAL``."""
POINT_2 = 7
MEAN_DEPTH = 10
"""Of shapes that penetrate each other, on the whole, see `kernels.penetration` [m]."""
PUSH = 11
"""What a unit of force that grows with that does to the second shape: force in world (3), torque in world about the middle
between the deepest points (3) [m]. It is the gradient of the mean depth by motions of the first shape; a single point has the
normal."""
FOUND_COLUMNS = 17

# Points of one contact: float64 (MOST_POINTS, POINT_COLUMNS).
POSITION = 0
"""In world, in the middle between both surfaces (3) [m]."""
DEPTH = 3
"""Penetration there, at least 0 [m]."""
WEIGHT = 4
"""Part of the contact; the weights of all points are 1 together."""
POINT_COLUMNS = 5
MOST_POINTS = 32

# What a search returns.
FOUND = 0
UNSETTLED = 1
"""The search did not end within its iterations; what was found last stands in the table."""
