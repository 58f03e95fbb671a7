"""Machine code of impacts: where a pair touches, and where rows hold one; loaded where a scene has rigid contacts."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.collision.kernels.poses import shape_poses
from modia3d.collision.tables import NORMAL
from modia3d.constraints.kernels.contact_state import contact_state
from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, load3, store3
from modia3d.forces.contact.layout import SHAPE_2
from modiapy.acausal.native import njit, types

from .kernels import contacts, find, touch


@njit(types.int64(types.int64, types.int64, types.float64, MATRIX, MATRIX), **OPTIONS)
def points_of_pair(address, i, allowance, R, p):
    """Return the points where a pair would touch if the second shape were nearer, in the memory of the contacts: their number.

    Args:
        address: of `CONTACTS`. i: place of the pair.
        allowance: by how much nearer [m]: where surfaces lie on each other, all corners touch in spite of rounding.
        R, p: poses of all bodies.
    """
    c = contacts(address)
    shape_poses(c.shapes, R, p, c.R, c.p)
    find(c, i)
    normal, j = load3(c.found, i, NORMAL), int(c.pairs[i, SHAPE_2])
    for k in range(3):
        c.p[j, k] -= allowance * normal[k]
    n = touch(c, i)
    for k in range(3):
        c.p[j, k] += allowance * normal[k]
    find(c, i)
    return n


@njit(types.void(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def states_of(cuts, R, p, v_W, w_W, states):
    """Write normal and point, in world, and gap of rows of contacts to ``states`` (n, 7).

    Args:
        cuts: see `constraints.tables.cut_table`. R, p, v_W, w_W: of all bodies.
    """
    for i in range(cuts.shape[0]):
        gap, n, point, _, _ = contact_state(cuts, i, R, p, v_W, w_W)
        store3(states, i, 0, n)
        store3(states, i, 3, point)
        states[i, 6] = gap
