"""Power of the forces inside the engine at many time points; compiled where somebody asks for it."""

from __future__ import annotations

from modia3d.forces.kernels.evaluate import powers_of_forces
from modiapy.acausal.native import njit

from .motion import CUBE, MATRIX, VECTOR


@njit(f"void({MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def force_powers(table, time, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Compute the power of what acts from outside, and what dampers take, out[nt, 2]; see `powers_of_forces`."""
    for i in range(out.shape[0]):
        out[i, 0], out[i, 1] = powers_of_forces(table, time[i], R[i], p[i], v_W[i], w_W[i])
