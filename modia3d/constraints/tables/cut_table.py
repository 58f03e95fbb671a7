"""The table of cut joints, as the kernels read it (plain Python, no numba)."""

from __future__ import annotations

COLUMNS = 28
KIND, BODY_1, BODY_2 = range(3)
"""Place in `cut_directions.KINDS`; body of each frame, -1 the world."""
FRAME_1, FRAME_2 = 3, 15
"""12 columns each: ``R_BJ`` row-major and ``p_BJ_B`` [m] of the joint's axes in the body of each frame."""
PARAMETER = 27
"""Screw: distance per angle [m/rad]; rod: length, wheel: radius [m]."""
