"""Forces and their energies at many time points; compiled where somebody asks for one of them."""

from __future__ import annotations

from modia3d.forces.kernels.evaluate import energy_of_forces, wrenches_of_forces
from modiapy.acausal.native import njit

from .motion import CUBE, MATRIX, VECTOR


@njit(f"void({MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def add_force_energies(table, time, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Add the potential energy of the forces to out[nt, 1]."""
    for i in range(out.shape[0]):
        out[i, 1] += energy_of_forces(table, time[i], R[i], p[i], v_W[i], w_W[i])


@njit(f"void({MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE})", cache=True)
def wrenches(table, time, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Compute the wrenches of the forces on all bodies, out[nt, n, 6], at time[nt]."""
    for i in range(out.shape[0]):
        wrenches_of_forces(table, time[i], R[i], p[i], v_W[i], w_W[i], out[i])
