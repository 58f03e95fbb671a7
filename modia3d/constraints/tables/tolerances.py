"""Tolerances beyond which rows count as dependent (plain Python, no numba)."""

from __future__ import annotations

TOLERANCE = 1e-4
"""A row is needed if this part of its reach is new. Smaller parts are those of a point a little off the constraints, where rows
that depend on each other look independent (1e-3 to 1e-6 find the same rank in the mechanisms that were tried, 1e-8 fails)."""
AS_LARGE = 1e-6
"""Rows whose new parts differ by less are as large as each other, and the first one is chosen."""
NOTHING = 1e-12
"""A row of which passive joints feel less than this part of its size is rounding, as what acts across the plane of a planar
loop: it need not be compared with other rows."""
LOST = 1e-6
"""Part of a diagonal element of the matrix of loops below which a pivot has lost digits, as light bodies cause it."""
