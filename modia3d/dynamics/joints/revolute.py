"""Revolute joint about z: motion subspace S = (e_z, 0) for (angular, linear) motion of B's origin, in B."""

from __future__ import annotations

from ..basics.formula import formula
from ..basics.spatial import kernel, rotate_about_z


@kernel
def placement(R_PJ, p_PJ_P, phi):
    """Return ``R_PB`` and ``p_PB_P`` at the angle ``phi`` [rad]."""
    return rotate_about_z(R_PJ, phi), p_PJ_P


@formula
def motion(w, speed):
    """Return ``w_WB_B``, and the angular and linear acceleration that velocities cause across the joint.

    ``w`` is the parent's angular velocity in B. Derivative of the relative angular velocity, fixed in P: w x e_z speed.
    """
    return (w[0], w[1], w[2] + speed), (w[1] * speed, -w[0] * speed, 0.0), (0.0, 0.0, 0.0)


@formula
def accelerate(alpha, a, acceleration):
    """Return (alpha, a) + S acceleration"""
    return (alpha[0], alpha[1], alpha[2] + acceleration), a


@formula
def project(n, f):
    """Return S^T (n, f)"""
    return n[2]


@formula
def column(J, H, M):
    """Return the torque and force of the inertia times S."""
    return (J[4], J[5], J[2]), (H[6], H[7], H[8])
