"""Contacts in machine code: what they do to bodies, their event indicators, what events look at."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import inf

from modia3d.collision.kernels.broad import longest_step_of, near_pairs, smallest_gap  # noqa: F401  (for Python)
from modia3d.collision.kernels.distance import signed_distance
from modia3d.collision.kernels.manifold import contact_points
from modia3d.collision.kernels.poses import shape_poses
from modia3d.collision.tables import DISTANCE, NORMAL, POINT_1, POINT_2
from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, add, dot, kernel, load3, scale
from modia3d.forces.basics.layout import FORCE_COLUMNS as ROW_COLUMNS
from modia3d.forces.contact.kernels import add_contact, relative_motion
from modia3d.forces.contact.layout import (
    ACTIVE,
    CONTACT_COLUMNS,
    FORCE_ENERGY,
    FORCE_FRICTION,
    FORCE_LOSS,
    FORCE_NORMAL,
    FORCE_RATE,
    HELD,
    LIFT,
    MEMORY,
    RESPONSE,
    RIGID,
    SHAPE_1,
    SHAPE_2,
    V_SMALL,
)
from modia3d.forces.kernels.shell import SIGNATURE
from modiapy.acausal.native import cfunc, float64_array, njit, types
from modiapy.acausal.native_layout import record

from ..contact_log.history import EVENT_MEMORY, EVENT_PAIR, EVENT_TIME
from ..contact_log.kernel import note_depth, note_force
from .contact_layout import ACCELERATION, CONTACTS, HORIZON, RECORD

contacts = record(CONTACTS)


@kernel
def recall(c, time):
    """Restore the memory that all pairs of a past segment had at a time [s], after the events there."""
    if c.n_events == 0:
        return
    if time < c.recalled[1]:
        for i in range(c.n_pairs):
            for column in range(MEMORY, CONTACT_COLUMNS):
                c.pairs[i, column] = 0.0
        c.recalled[0] = 0.0
    e = int(c.recalled[0])
    while e < c.n_events and c.events[e, EVENT_TIME] <= time:
        remember(c, e)
        e += 1
    c.recalled[0], c.recalled[1] = float(e), time


@kernel
def remember(c, e):
    """Set the memory of a pair to that after event ``e``."""
    i = int(c.events[e, EVENT_PAIR])
    for column in range(MEMORY, CONTACT_COLUMNS):
        c.pairs[i, column] = c.events[e, EVENT_MEMORY + column - MEMORY]


@kernel
def find(c, i):
    """Find distance, normal and nearest points of pair ``i``."""
    signed_distance(c.shapes, c.R, c.p, int(c.pairs[i, SHAPE_1]), int(c.pairs[i, SHAPE_2]), i, c.found)


@kernel
def touch(c, i):
    """Return the same, and the points of contact; their number."""
    find(c, i)
    return contact_points(c.shapes, c.R, c.p, int(c.pairs[i, SHAPE_1]), int(c.pairs[i, SHAPE_2]), c.found, i, c.points)


@kernel
def begin(table, k, at):
    """Return the memory of the contacts of row ``k``, with shapes where they are."""
    c = contacts(int(table[k, RECORD]))
    recall(c, at.time)
    shape_poses(c.shapes, at.R, at.p, c.R, c.p)
    return c


@kernel
def add_contacts(table, k, at, wrenches):
    """Add the forces of all contacts to their bodies."""
    if table[k, RECORD] == 0.0:
        return
    c = begin(table, k, at)
    for i in range(c.n_pairs):
        if c.pairs[i, ACTIVE] == 1.0:
            n = touch(c, i)
            add_contact(c.pairs, i, c.found, c.points, n, at.R, at.p, at.v_W, at.w_W, wrenches, c.forces)


@kernel
def sum_of_contacts(table, k, at, column):
    """Sum of a column of the forces of all contacts."""
    total = 0.0
    if table[k, RECORD] == 0.0:
        return total
    c = contacts(int(table[k, RECORD]))
    add_contacts(table, k, at, c.wrenches)
    for i in range(c.n_pairs):
        if c.pairs[i, ACTIVE] == 1.0:
            total += c.forces[i, column]
    return total


@kernel
def energy_of_contacts(table, k, at):
    """Return the energy that is stored in all contacts [J]."""
    return sum_of_contacts(table, k, at, FORCE_ENERGY)


@kernel
def loss_of_contacts(table, k, at):
    """Compute the power that becomes heat in all contacts [W]."""
    return sum_of_contacts(table, k, at, FORCE_LOSS)


@cfunc(SIGNATURE, **OPTIONS)
def indicate_contacts(table, k, n, time, R, p, v_W, w_W, z):
    """Compute the event indicators of all near pairs -> ``z``.

    Forces and poses are those that `add_contacts` has just left.
    """
    rows = float64_array(table, (k + 1, ROW_COLUMNS))
    if rows[k, RECORD] == 0.0:
        return 0.0
    c = contacts(int(rows[k, RECORD]))
    out = float64_array(z, c.first_z + 2 * c.n_pairs + 1)
    for i in range(c.n_pairs):
        c.sums[i, 0] = c.sums[i, 1] = 0.0
    for i in range(c.n_pairs):
        at = c.first_z + 2 * i
        if c.pairs[i, ACTIVE] == HELD:
            find(c, i)
        elif c.pairs[i, ACTIVE] != 0.0:
            c.sums[c.alike[i], 0] += c.forces[i, FORCE_NORMAL]
            c.sums[c.alike[i], 1] = max(c.sums[c.alike[i], 1], -c.found[i, DISTANCE])
            out[at] = 2.0 * c.margin[i] - c.found[i, DISTANCE]
            if c.pairs[i, RESPONSE] == RIGID:  # a body that stands on an edge may come down on a face
                out[at] = min(out[at], c.pairs[i, V_SMALL] - c.forces[i, FORCE_RATE])
            out[at + 1] = c.forces[i, FORCE_FRICTION]
        else:
            find(c, i)
            out[at] = c.found[i, DISTANCE] + c.pairs[i, LIFT]
            out[at + 1] = 1.0
    for i in range(c.n_pairs):
        if c.alike[i] == i:
            note_depth(c.depths, i, time, c.sums[i, 1])
            if c.n_held == 0:  # with what is held: `rest_kernels`
                note_force(c.notes, i, time, c.sums[i, 0])
    out[c.first_z + 2 * c.n_pairs] = smallest_gap(
        c.shapes, c.R, c.p, c.filter, c.near, c.n_pairs, c.bounds[HORIZON], c.boxes, c.tree
    )
    return 0.0


@cfunc(SIGNATURE, **OPTIONS)
def bound_step(table, k, n, time, R, p, v_W, w_W, z):
    """Return how long the next step may be [s], where `indicate_contacts` has just found what is near."""
    rows = float64_array(table, (k + 1, ROW_COLUMNS))
    if rows[k, RECORD] == 0.0:
        return inf
    c = contacts(int(rows[k, RECORD]))
    bodies = n, 3
    return longest_step_of(
        c.shapes, c.R, c.p, c.filter, c.near, c.n_pairs, c.found, float64_array(p, bodies), float64_array(v_W, bodies),
        float64_array(w_W, bodies), c.bounds[ACCELERATION], c.boxes, c.tree,
    )  # fmt: skip


@njit(types.float64(types.int64, MATRIX, MATRIX, MATRIX, MATRIX), **OPTIONS)
def look(address, R, p, v_W, w_W):
    """Find distances of all near pairs, how fast they shrink, and forces of those that touch; the smallest gap of others [m].

    Args:
        address: of `CONTACTS`. R, p, v_W, w_W: of all bodies, see `BodyMotion`.
    """
    c = contacts(address)
    shape_poses(c.shapes, R, p, c.R, c.p)
    for i in range(c.n_pairs):
        if c.pairs[i, ACTIVE] == 1.0:
            n = touch(c, i)
            add_contact(c.pairs, i, c.found, c.points, n, R, p, v_W, w_W, c.wrenches, c.forces)
        else:
            find(c, i)
        middle = scale(0.5, add(load3(c.found, i, POINT_1), load3(c.found, i, POINT_2)))
        v, _ = relative_motion(c.pairs, i, middle, p, v_W, w_W)
        c.rates[i] = -dot(v, load3(c.found, i, NORMAL))
    return smallest_gap(c.shapes, c.R, c.p, c.filter, c.near, c.n_pairs, c.bounds[HORIZON], c.boxes, c.tree)
