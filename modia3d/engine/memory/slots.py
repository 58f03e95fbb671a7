"""What the engine writes into its slots of the component's context (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.protocol import Slot

(
    N_BODIES,
    N_Q,
    N_V,
    N_E,
    INTS,
    FLOATS,
    GRAVITY,
    MEMORY,
    PATHS,
    N_FORCES,
    FORCES,
    SIGNALS,
    N_HOLDABLE,
    N_SWITCHES,
    HOLDABLE,
    N_POINTS,
    N_DAMPED,
    DAMPED,
) = range(Slot.DATA, Slot.DATA + 18)
"""Sizes (bodies; coordinates; speeds; joints whose acceleration comes from the equations) and addresses of arrays."""

PATH_HEADER = 7
"""Entries of the array at PATHS, which is rewritten when a path goes on with another leg, see `program.PackedPaths.header`."""
PATH_COLUMNS = 4
"""Columns of the table of paths: first output, number of joints, first row, number of rows."""


def memory_size(n: int, nq: int, nv: int, n_e: int, columns: int) -> int:
    """Number of doubles at MEMORY: q, v, tau, a, M_e, h_e, coupling and the workspace of the dynamics, in this order.

    ``columns`` are those of the workspace. Where there are forces, R, p, v_W, w_W and wrenches of bodies and massless points
    follow, then the workspace of the search for the points.
    """
    return nq + 3 * nv + n_e * n_e + n_e + n_e * (nv - n_e) + n * columns
