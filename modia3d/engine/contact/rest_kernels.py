"""Machine code that watches contacts at rest: their indicators and forces, after the multipliers have been found."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt

from modia3d.collision.tables import DISTANCE
from modia3d.constraints.kernels.contact_rows import is_contact
from modia3d.constraints.kernels.contact_state import contact_state
from modia3d.constraints.kernels.loop_arrays import loop_arrays
from modia3d.constraints.tables.cut_directions import COUNT, TABLE
from modia3d.constraints.tables.cut_table import KIND, PAIR, SLOW, SPAN
from modia3d.dynamics.basics.spatial import OPTIONS, add, cross, dot, kernel, load3, scale, store3, subtract
from modia3d.forces.contact.layout import (
    ACTIVE,
    FEATURES,
    FORCE_NORMAL,
    FORCE_POINT,
    FORCE_SLIP,
    HELD,
    LIFT,
    MU_S,
    PHASE,
    Phase,
)
from modia3d.scene.basics.directions import NORMAL
from modiapy.acausal.native import cfunc, types

from ..contact_log.kernel import note_force
from ..memory.accessors import segment
from .contact_layout import DEEPER
from .kernels import contacts

_RESTING, _SLIPPING = float(Phase.RESTING), float(Phase.SLIPPING)
_ROUNDING, _LEAST = 1e-9, 1e-12
"""Part of a load, and a force [N], that is none."""
_ROOM = 2e-6
"""Part of the greatest friction that a pair which sticks may need more than that: less than at events, so that these end it."""
JAMMING = 1e-3
"""Determinant of the system of friction below which a contact is about to jam."""
LOST = 4.0
"""Slip, in units of that below which it has no direction, at which a contact that begins to slip does slide."""


@kernel
def bear(s, L, c):
    """Compute normal forces of all held pairs, where they act, their slips, and the least force of a point as an indicator."""
    z, cuts = s.z, L.cuts
    for i in range(L.n_cuts):
        if not is_contact(cuts, i) or TABLE[int(cuts[i, KIND]), 0, 1] != NORMAL:
            continue
        k, force = int(cuts[i, PAIR]), L.multipliers[L.row_start[i]]
        at = c.first_z + 2 * k
        _, _, point, slip, _ = contact_state(cuts, i, L.R, L.p, L.v_W, L.w_W)
        c.forces[k, FORCE_NORMAL] += force
        store3(c.forces, k, FORCE_POINT, add(load3(c.forces, k, FORCE_POINT), scale(force, point)))
        c.forces[k, FORCE_SLIP] = max(c.forces[k, FORCE_SLIP], sqrt(dot(slip, slip)) / cuts[i, SLOW])
        z[at] = min(z[at], force)


@kernel
def come_down(s, L, c):
    """Compute indicators of what touches besides: points of held pairs that are not held, and whatever else of flat faces."""
    z = s.z
    for i in range(c.n_idle):
        k = int(c.idle[i, PAIR])
        gap, _, _, _, _ = contact_state(c.idle, i, L.R, L.p, L.v_W, L.w_W)
        at = c.first_z + 2 * k
        z[at] = min(z[at], gap + c.margin[k])
    for k in range(c.n_pairs):
        if c.pairs[k, ACTIVE] == HELD and c.pairs[k, FEATURES] != 0.0:
            at = c.first_z + 2 * k
            z[at] = min(z[at], c.found[k, DISTANCE] + c.pairs[k, LIFT] + DEEPER * c.margin[k])


@kernel
def stick(s, L, c):
    """Compute indicators of friction where pairs stick: what is left of the greatest friction."""
    z, cuts = s.z, L.cuts
    for i in range(L.n_cuts):
        if not is_contact(cuts, i) or TABLE[int(cuts[i, KIND]), 0, 1] == NORMAL:
            continue
        k, r = int(cuts[i, PAIR]), L.row_start[i]
        load = c.forces[k, FORCE_NORMAL]
        _, n, point, _, _ = contact_state(cuts, i, L.R, L.p, L.v_W, L.w_W)
        x, y = L.multipliers[r], L.multipliers[r + 1]
        needed = x * x + y * y
        if COUNT[int(cuts[i, KIND])] == 3 and load > 0.0:
            force = add(scale(x, load3(L.coefficients, r, 0)), scale(y, load3(L.coefficients, r + 1, 0)))
            arm = subtract(point, scale(1.0 / load, load3(c.forces, k, FORCE_POINT)))
            turning = L.multipliers[r + 2] + dot(n, cross(arm, force)) / cuts[i, SPAN]
            needed += turning * turning
        z[c.first_z + 2 * k + 1] = c.pairs[k, MU_S] * load * (1.0 + _ROOM) + _LEAST - sqrt(needed)


@cfunc(types.int32(types.int64), **OPTIONS)
def watch_rests(context):
    """Return the event indicators of pairs that rows hold, and what is noted of all forces, after all accelerations."""
    s = segment(context)
    L = loop_arrays(s.loops)
    c = contacts(L.contacts)
    z, pairs = s.z, c.pairs
    for k in range(c.n_pairs):
        if pairs[k, ACTIVE] == HELD:
            z[c.first_z + 2 * k] = z[c.first_z + 2 * k + 1] = 1e300
            c.forces[k, FORCE_NORMAL] = c.forces[k, FORCE_SLIP] = 0.0
            store3(c.forces, k, FORCE_POINT, (0.0, 0.0, 0.0))
    bear(s, L, c)
    stick(s, L, c)
    for k in range(c.n_pairs):
        c.sums[k, 0] = 0.0
    for k in range(c.n_pairs):
        if pairs[k, ACTIVE] == 0.0:
            continue
        c.sums[c.alike[k], 0] += c.forces[k, FORCE_NORMAL]
        if pairs[k, ACTIVE] != HELD:
            continue
        at, load = c.first_z + 2 * k, max(c.forces[k, FORCE_NORMAL], 0.0)
        z[at] = z[at] + _ROUNDING * load + _LEAST
        if pairs[k, PHASE] == _RESTING:
            continue
        z[at] = min(z[at], (load + _LEAST) * (L.determinant[0] - JAMMING))
        if pairs[k, MU_S] == 0.0:
            z[at + 1] = 1.0
        elif pairs[k, PHASE] == _SLIPPING:
            z[at + 1] = c.forces[k, FORCE_SLIP] - 1.0
        else:
            z[at + 1] = LOST - c.forces[k, FORCE_SLIP]
    come_down(s, L, c)
    for k in range(c.n_pairs):
        if c.alike[k] == k:
            note_force(c.notes, k, s.time, c.sums[k, 0])
    return 0
