"""Columns of the table of forces, ``float64[m, FORCE_COLUMNS]``, one row per element (plain Python, no numba).

Bodies B1 and B2 carry the frames F1 and F2; body -1 is the world. All numbers are floats, addresses and bodies too.
"""

from __future__ import annotations

from modia3d.dynamics.basics.layout import Size

WRENCH = 0
"""Address of the machine code that adds what the element does to its bodies, see `kernels.shell`."""
BODY_1, BODY_2 = 1, 2
R_1, R_2 = 3, 15
"""9 columns each, ``R_BF`` row-major; the 3 columns behind are ``p_BF_B`` [m]."""
PARAMETERS = 27
LARGEST_ROW = 31
"""Columns at most from PARAMETERS on: the laws of the element, two columns each (kind and number), then its numbers."""
ENERGY, LOSS, OUTER_POWER = PARAMETERS + LARGEST_ROW, PARAMETERS + LARGEST_ROW + 1, PARAMETERS + LARGEST_ROW + 2
"""Addresses of machine code: potential energy [J], what it takes for good, what it brings in from outside [W]."""
AT_POINTS = OUTER_POWER + 1
"""What the element is at a massless point, see `declaration.AtPoints`."""
FORCE_COLUMNS = AT_POINTS + 1

ABSENT = -1.0
"""In the place of an address: the element says that it has none. 0 is an address that nobody has asked for yet."""
REFUSED, LINE, LOAD = range(3)

LINEAR, CONSTANT, TABLE, FUNCTION = range(4)
"""Kinds of laws. Their number: factor of the argument, value, address of a table's memory, address of machine code."""

FAILED, UNBALANCED = 1_000_000, 2_000_000
"""Status of an evaluation: the force of row ``status - FAILED`` is no number; the forces at the massless point
``status - UNBALANCED`` cannot be balanced."""


POINT_COLUMNS = 4
"""Columns of the table of damped massless points, whose positions are states: the place that displacements count from [m], and
the number of the point among those of the segment (-1: it is not there)."""


def point_work_shape(m: Size) -> tuple[Size, Size]:
    """Return the shape of the workspace that ``m`` massless points take."""
    return 12 * m + 6, 3 * m
