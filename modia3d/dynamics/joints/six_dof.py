"""Free motion relative to another body: q = (``p_JB_J``, description of ``R_JB``), v = (der(``p_JB_J``), ``w_JB_B``)."""

from __future__ import annotations

from ..basics.orientation import rotation
from ..basics.records import store_column
from ..basics.spatial import kernel
from . import spherical


@kernel
def pose(orientation, q, k):
    """``R_JB`` and ``p_JB_J``."""
    return rotation(orientation, q, k + 3), (q[k], q[k + 1], q[k + 2])


@kernel
def columns(work, i, R):
    """Motion subspace in J."""
    store_column(work, i, 0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    store_column(work, i, 1, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    store_column(work, i, 2, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    spherical.columns(work, i, 3, R)
