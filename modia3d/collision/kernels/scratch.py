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

FACE_COLUMNS = 12
"""Of a face of the polytope: its corners (3), counter-clockwise from outside; normal outwards (3)."""
HEIGHT = 6
"""Distance from the origin; infinite of what is no face any more."""
CLOSED = 7
"""1 if nothing is nearer there."""
ACROSS = 8
"""Faces across the edges from each corner to the next one (3)."""
GONE = 11
"""1 if the corner that is added sees the face."""
MOST_FACES = 320
EDGE_COLUMNS = 4
"""What a new corner sees: a face; the edges around: from, to, the face that stays."""
NEW = 15
"""Column of a corner: the new face whose edge begins there."""

corner_memory = stack_block(CORNERS * CORNER_COLUMNS)
face_memory = stack_block(MOST_FACES * FACE_COLUMNS)
edge_memory = stack_block(MOST_FACES * EDGE_COLUMNS)
