"""The table of the joints that may be locked, as the kernels read it (plain Python, no numba)."""

from __future__ import annotations

COLUMNS = 6
LOCKED, SIDE, BODY, Q, LOWER, UPPER = range(COLUMNS)
"""Columns: 1 while locked; -1, 1 if a limit holds it; body and index in q (-1: not there); limits with their margins (infinite:
none)."""
MARGIN = 1e-10
"""How far a coordinate goes beyond a limit before that is an event [rad or m]: leaving it is none."""
REST = 1e-9
"""Speeds and accelerations into a limit, and forces off it, below this are none [rad/s, rad/s2, N.m or m/s, m/s2, N]."""
