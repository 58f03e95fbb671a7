"""Contacts at many time points of a segment that is over, for result signals; compiled where somebody asks for one of them."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import nan

from modia3d.collision.kernels.poses import shape_poses
from modia3d.collision.tables import DISTANCE, NORMAL
from modia3d.dynamics.basics.spatial import OPTIONS, kernel, load3, store3
from modia3d.forces.contact.kernels import add_contact
from modia3d.forces.contact.layout import (
    ACTIVE,
    FORCE,
    FORCE_NORMAL,
    FORCE_POINT,
    HELD,
    PHASE,
)
from modiapy.acausal.native import njit

from ..contact.kernels import contacts, find, remember, touch
from .motion import CUBE, MATRIX

# Columns of a pair at one time; SIGNALS of them.
PUSH, PLACE, OUTWARD, GAP, STATE, PRESSURE = 0, 3, 6, 9, 10, 11
SIGNAL_COLUMNS = 12

_INDEX = "int64[::1]"


@kernel
def advance(c, first, e, k):
    """Update the memory of pairs to time point ``k``; ``e`` events were before. Return the new number of events."""
    while e < c.n_events and first[e] <= k:
        remember(c, e)
        e += 1
    return e


@kernel
def push(c, i, R, p, v_W, w_W):
    """Compute the forces of pair ``i``, which touches -> ``c.forces``."""
    n = touch(c, i)
    add_contact(c.pairs, i, c.found, c.points, n, R, p, v_W, w_W, c.wrenches, c.forces)


@njit(f"void(int64, {_INDEX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE})", **OPTIONS)
def pairs_over_time(address, first, R, p, v_W, w_W, out):
    """Compute all near pairs at all times: out[nt, n_pairs, SIGNAL_COLUMNS].

    Args:
        address: of `CONTACTS`, with the events of the segment. first: for each event the time point from which on it holds.
        R, p, v_W, w_W: of all bodies, [nt, n, 9] and [nt, n, 3].
    """
    c = contacts(address)
    e = 0
    for k in range(out.shape[0]):
        e = advance(c, first, e, k)
        shape_poses(c.shapes, R[k], p[k], c.R, c.p)
        for i in range(c.n_pairs):
            if c.pairs[i, ACTIVE] == HELD:  # its forces are those of rows
                find(c, i)
                store3(out[k], i, PUSH, (0.0, 0.0, 0.0))
                store3(out[k], i, PLACE, (0.0, 0.0, 0.0))
                out[k, i, STATE] = 1.0 + c.pairs[i, PHASE]
                out[k, i, PRESSURE] = 0.0
            elif c.pairs[i, ACTIVE] != 0.0:
                push(c, i, R[k], p[k], v_W[k], w_W[k])
                store3(out[k], i, PUSH, load3(c.forces, i, FORCE))
                store3(out[k], i, PLACE, load3(c.forces, i, FORCE_POINT))
                out[k, i, STATE] = 1.0 + c.pairs[i, PHASE]
                out[k, i, PRESSURE] = c.forces[i, FORCE_NORMAL]
            else:
                find(c, i)
                store3(out[k], i, PUSH, (0.0, 0.0, 0.0))
                store3(out[k], i, PLACE, (nan, nan, nan))
                out[k, i, STATE] = 0.0
                out[k, i, PRESSURE] = 0.0
            store3(out[k], i, OUTWARD, load3(c.found, i, NORMAL))
            out[k, i, GAP] = c.found[i, DISTANCE]


@njit(f"void(int64, {_INDEX}, {_INDEX}, {_INDEX}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {CUBE}, {MATRIX})", **OPTIONS)
def solids_over_time(address, first, one, other, R, p, v_W, w_W, forces, numbers):
    """Compute the forces of all contacts on each solid, in world, and the number of contacts, at all times.

    Args:
        address, first: as of `pairs_over_time`.
        one, other: of each near pair the solids of both shapes, [n_pairs].
        R, p, v_W, w_W: of all bodies, [nt, n, 9] and [nt, n, 3].
        forces, numbers: are added to: [nt, n_solids, 3]; [nt, n_solids + 1], the last one of all pairs of solids.
    """
    c = contacts(address)
    last = forces.shape[1]
    e = 0
    for k in range(numbers.shape[0]):
        e = advance(c, first, e, k)
        shape_poses(c.shapes, R[k], p[k], c.R, c.p)
        for i in range(c.n_pairs):
            if c.pairs[i, ACTIVE] == 0.0:
                continue
            if c.pairs[i, ACTIVE] != HELD:
                push(c, i, R[k], p[k], v_W[k], w_W[k])
                for axis in range(3):
                    forces[k, one[i], axis] -= c.forces[i, FORCE + axis]
                    forces[k, other[i], axis] += c.forces[i, FORCE + axis]
            counted = False
            for j in range(c.alike[i], i):
                if c.alike[j] == c.alike[i] and c.pairs[j, ACTIVE] != 0.0:
                    counted = True
            if not counted:
                numbers[k, one[i]] += 1.0
                numbers[k, other[i]] += 1.0
                numbers[k, last] += 1.0
