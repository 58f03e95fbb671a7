"""Sensors of contact in machine code; imported where a model has some."""

from __future__ import annotations

from math import nan

from modia3d.dynamics.basics.spatial import add, apply_transposed, load3, scale
from modia3d.forces.contact.layout import ACTIVE, FORCE, FORCE_NORMAL, HELD, SHAPE_1, SHAPE_2
from modia3d.forces.kernels.frames import frame_pose
from modia3d.scene.sensors import kinds
from modiapy.acausal.native import component_function, float64_array
from modiapy.acausal.native_layout import record

from ..memory import signal_layout as layout
from ..memory.accessors import exchanged, segment
from .contact_layout import CONTACTS, RECORD

contacts = record(CONTACTS)

_KIND, _BODY_1, _BODY_2, _BODY_3, _R_3 = layout.KIND, layout.BODY_1, layout.BODY_2, layout.BODY_3, layout.R_3
_SHAPES, _COUNT = layout.SHAPES, layout.COUNT
_FORCE, _NORMAL = kinds.number_of(kinds.CONTACT_FORCE), kinds.number_of(kinds.CONTACT_NORMAL_FORCE)


@component_function
def sensed_contact(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """Compute (ready, row) -> components of what is known of a solid's contacts, whose forces `set_states` has just left."""
    s = segment(context)
    e = exchanged(s.signals)
    k, table = int(float64_array(inputs, 2)[1]), e.sensors
    n, kind = int(table[k, _COUNT]), int(table[k, _KIND])
    values = float64_array(outputs, n)
    if table[k, _BODY_1] < -1.0 or table[k, _BODY_2] < -1.0 or table[k, _BODY_3] < -1.0:
        for i in range(n):
            values[i] = nan
        return 0
    first, last, other, end = table[k, _SHAPES], table[k, _SHAPES + 1], table[k, _SHAPES + 2], table[k, _SHAPES + 3]
    force, normal, count = (0.0, 0.0, 0.0), 0.0, 0.0
    if s.contact_code != 0:
        c = contacts(int(s.forces[s.contact_row, RECORD]))
        for i in range(c.n_pairs):
            one, two = c.pairs[i, SHAPE_1], c.pairs[i, SHAPE_2]
            from_one = first <= one < last and other <= two < end
            if c.pairs[i, ACTIVE] == 0.0 or not (from_one or (first <= two < last and other <= one < end)):
                continue
            if c.pairs[i, ACTIVE] != HELD:
                force = add(force, scale(-1.0 if from_one else 1.0, load3(c.forces, i, FORCE)))
                normal += c.forces[i, FORCE_NORMAL]
            is_first = 1.0
            for j in range(c.alike[i], i):  # of the same two solids, which may consist of several shapes
                if c.alike[j] == c.alike[i] and c.pairs[j, ACTIVE] != 0.0:
                    is_first = 0.0
            count += is_first
    if kind == _FORCE:
        R_W3, _ = frame_pose(table, k, _BODY_3, _R_3, e.R, e.p)
        force = apply_transposed(R_W3, force)
        values[0], values[1], values[2] = force[0], force[1], force[2]
    else:
        values[0] = normal if kind == _NORMAL else count
    return 0
