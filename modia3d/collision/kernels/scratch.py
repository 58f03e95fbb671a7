"""Memory of a search, on the stack: nothing is allocated, and threads do not share it."""

from __future__ import annotations

from .stack import stack_block

CORNER_COLUMNS = 16
"""Of a row for a point of the Minkowski difference ``A - B``; all in the frame of shape A."""
C = 0
"""The point (3), and the points of A and of B that it comes from (3 each): ``C = ON_A - ON_B``."""
ON_A = 3
ON_B = 6
FEATURE_A = 9
FEATURE_B = 10
"""What of each core it belongs to, see `support`."""
PART = 11
"""Barycentric coordinate of the point nearest to the origin."""
FIXED_A = 12
FIXED_B = 13
"""1 if the point stays where it is on A, on B, when the direction changes."""

FIRST = 0
"""Rows of the simplex (4)."""
TRIED = 4
"""Rows of corners that are refined (4)."""
KEPT = 8
"""Rows of the refined corners that are the answer (4)."""
HULL = 12
"""Rows of the corners of the polytope."""
MOST_CORNERS = 116
CORNERS = HULL + MOST_CORNERS

FACE_COLUMNS = 8
"""Of a face of the polytope: its corners (3), normal outwards (3), distance from the origin, 1 if nothing is nearer there."""
HEIGHT = 6
CLOSED = 7
MOST_FACES = 256
EDGE_COLUMNS = 2
MOST_EDGES = 3 * MOST_FACES

corner_memory = stack_block(CORNERS * CORNER_COLUMNS)
face_memory = stack_block(MOST_FACES * FACE_COLUMNS)
edge_memory = stack_block(MOST_EDGES * EDGE_COLUMNS)
