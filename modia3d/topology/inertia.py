"""Rigid-body inertia as ten numbers: mass, first moment (3), Ixx, Iyy, Izz, Ixy, Ixz, Iyz about the origin of a frame.

In this form inertias of the same frame are added. The numba kernel of the forest has its own version of `moved_to`.
"""

from __future__ import annotations

import numpy as np

from ..scene.mass_properties import Inertia


def symmetric(values: np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) of xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = values
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def moved_to(R_GF: np.ndarray, p_GF: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the ten numbers (10,) of frame G of an inertia given in frame F, ``R_GF`` (3, 3), ``p_GF`` (3,).

    With r = p + r' in the sum of m (r.r 1 - r r^T): the parallel axis theorem for any pair of points.
    """
    mass, h = values[0], R_GF @ values[1:4]
    outer = np.outer(p_GF, h)
    inertia = R_GF @ symmetric(values[4:]) @ R_GF.T - outer - outer.T - mass * np.outer(p_GF, p_GF)
    inertia += (2.0 * (p_GF @ h) + mass * (p_GF @ p_GF)) * np.eye(3)
    return np.concatenate([[mass], h + mass * p_GF, inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]])


def about_origin(inertia: Inertia) -> np.ndarray:
    """Return the ten numbers (10,) of a solid in its own frame."""
    central = np.array([inertia.mass, 0.0, 0.0, 0.0, *inertia.moments, *inertia.products])
    return moved_to(np.eye(3), np.array(inertia.center_of_mass), central)


def central_moments(values: np.ndarray) -> np.ndarray:
    """Return the principal moments about the center of mass (3,), ascending [kg.m2]; the mass must not be zero."""
    center = values[1:4] / values[0]
    matrix = symmetric(values[4:]) - values[0] * ((center @ center) * np.eye(3) - np.outer(center, center))
    return np.linalg.eigvalsh(matrix)
