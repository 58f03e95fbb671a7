"""Poses of shapes in world, from the poses of their bodies."""

from __future__ import annotations

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, add, apply, load3, load9, multiply, store3, store9
from modiapy.acausal.native import njit, types

from ..tables import BODY, P_BS, R_BS


@njit(types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def shape_poses(shapes, R_bodies, p_bodies, R, p):
    """Compute the world poses of all shapes.

    Args:
        shapes: see `tables`. R_bodies, p_bodies: poses of the bodies in world, shapes (n_bodies, 9) and (n_bodies, 3) [m].
        R, p: get the poses of the shapes in world, shapes (n_shapes, 9) and (n_shapes, 3) [m].
    """
    for i in range(shapes.shape[0]):
        body = int(shapes[i, BODY])
        R_S, p_S = load9(shapes, i, R_BS), load3(shapes, i, P_BS)
        if body < 0:
            store9(R, i, 0, R_S)
            store3(p, i, 0, p_S)
        else:
            R_WB = load9(R_bodies, body, 0)
            store9(R, i, 0, multiply(R_WB, R_S))
            store3(p, i, 0, add(load3(p_bodies, body, 0), apply(R_WB, p_S)))
