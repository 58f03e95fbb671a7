"""The table of cut joints, as the kernels read it (plain Python, no numba)."""

from __future__ import annotations

COLUMNS = 42
KIND, BODY_1, BODY_2 = range(3)
"""Place in `cut_directions.KINDS`; body of each frame, -1 the world."""
FRAME_1, FRAME_2 = 3, 15
"""12 columns each: ``R_BJ`` row-major and ``p_BJ_B`` [m] of the joint's axes in the body of each frame."""
PARAMETER = 27
"""Screw: distance per angle [m/rad]; rod: length, wheel: radius [m]."""
EXTENT = 28
"""Of a contact, where all that follows is used: half lengths of the core of frame 1 (3) [m]; infinite ones: a plane z = 0; of
two edges half of their lengths (2)."""
ROUNDING, RADIUS = 31, 32
"""Sum of the radii by which core and point are rounded; that of the point [m]."""
FRICTION, SLOW = 33, 34
"""Coefficient of sliding friction; slip below which friction has no direction of its own [m/s]."""
DRIFT = 35
"""Where the point begins to slip, in frame 1, or in frame 2 (3); zero where friction follows the slip."""
SPAN = 38
"""Length of the arm by which turning about the normal is multiplied [m]: so the multiplier is a force."""
PAIR = 39
"""Place in the list of near pairs."""
CARRIED = 40
"""1: the drift is given in frame 2."""
FEATURE = 41
"""What touches: POINT of frame 2 at the core of frame 1; the origin of frame 1 on a FACE, the plane z = 0 of frame 2; two EDGES
along z that cross."""
POINT, FACE, EDGES = 0.0, 1.0, 2.0
ROOM = 3.0
"""Not what touches, but how far the place where two edges cross is from their ends, as a gap."""
