"""Prismatic joint along z: motion subspace S = (0, e_z) for (angular, linear) motion of B's origin, in B."""

from __future__ import annotations

from ..basics.algebra import add
from ..basics.formula import formula


@formula
def placement(R_PJ, p_PJ_P, s):
    """Return ``R_PB`` and ``p_PB_P`` at the displacement ``s`` [m]."""
    return R_PJ, add(p_PJ_P, (s * R_PJ[2], s * R_PJ[5], s * R_PJ[8]))


@formula
def motion(w, speed):
    """Return ``w_WB_B``, and the angular and linear acceleration that velocities cause across the joint.

    ``w`` is the parent's angular velocity in B. The Coriolis acceleration is 2 w x e_z speed.
    """
    return w, (0.0, 0.0, 0.0), (2.0 * w[1] * speed, -2.0 * w[0] * speed, 0.0)


@formula
def accelerate(alpha, a, acceleration):
    """Return (alpha, a) + S acceleration"""
    return alpha, (a[0], a[1], a[2] + acceleration)


@formula
def project(n, f):
    """Return S^T (n, f)"""
    return f[2]


@formula
def column(J, H, M):
    """Return the torque and force of the inertia times S."""
    return (H[2], H[5], H[8]), (M[4], M[5], M[2])
