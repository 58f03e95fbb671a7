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
