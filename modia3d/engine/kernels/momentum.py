"""Energies and momenta of all bodies at many time points; compiled where somebody asks for one of them."""

from __future__ import annotations

from modia3d.dynamics.energy import kinetic_energy, momentum, momentum_rates, potential_energy
from modiapy.acausal.native import njit

from .motion import CUBE, MATRIX, VECTOR


@njit(f"void({MATRIX}, {VECTOR}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def energies(floats, gravity, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Compute the kinetic and potential energy, out[nt, 2]."""
    for i in range(out.shape[0]):
        out[i, 0] = kinetic_energy(floats, R[i], v_W[i], w_W[i])
        out[i, 1] = potential_energy(floats, gravity, R[i], p[i])


@njit(f"void({MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def momenta(floats, R, p, v_W, w_W, out):  # type: ignore[no-untyped-def]
    """Compute the linear and angular momentum, out[nt, 6]."""
    for i in range(out.shape[0]):
        momentum(floats, R[i], p[i], v_W[i], w_W[i], out[i])


@njit(f"void({MATRIX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", cache=True)
def momenta_rates(floats, R, p, w_W, a_W, alpha_W, out):  # type: ignore[no-untyped-def]
    """Compute the derivatives of the momenta, out[nt, 6]."""
    for i in range(out.shape[0]):
        momentum_rates(floats, R[i], p[i], w_W[i], a_W[i], alpha_W[i], out[i])
