"""The block of memory that the machine code of a view works on (plain Python, no numba)."""

from __future__ import annotations

(
    BODIES, NQ, NV, INTS, FLOATS, GRAVITY, STATES, REST, H, MASS_MATRIX, JACOBIAN, WORK, _, _ARRAY, _DOUBLE, _,
    R_WB, P_WB, V_WB, W_WB, POSED, MOVING,
    X, SOURCES, FACTORS, OFFSETS, N_COORDINATES, COORDINATES, VIEW_Q, N_SPEEDS, SPEEDS, COLUMNS, VIEW_V,
) = range(33)  # fmt: skip
"""Slots. The forest: its sizes, the addresses of its arrays, of its coordinates and speeds (one behind the other), of zero
speeds, of results and scratch memory; two that `modia3d.dynamics.array_calls` writes. Poses and velocities of bodies, and
whether they are computed. Address of all states; where in these each coordinate and speed of the forest is (-1: others write
it), its factor, and what is added. The view: where in the forest each coordinate and speed is (-1: nowhere), the same for the
columns of matrices; addresses of its coordinates and speeds."""

SIZE = VIEW_V + 1
"""Number of slots."""

FRAME_SIZE = 13
"""Numbers that describe a frame: its body (-1 is the world), ``p_BF_B`` (3), ``R_BF`` row-major (9)."""
