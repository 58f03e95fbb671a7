"""The memory of the contacts of one segment between engine and kernels (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Field, Layout, elsewhere, size

from ...collision.tables import FOUND_COLUMNS, MOST_POINTS, POINT_COLUMNS, SHAPE_COLUMNS
from ...collision.tree import BOX_COLUMNS
from ...constraints.tables import cut_table
from ...forces.contact.layout import CONTACT_COLUMNS, CONTACT_FORCE_COLUMNS, MEMORY
from ...forces.elements.declaration import Row
from ..contact_log.history import EVENT_MEMORY
from ..contact_log.notes import DEPTH_COLUMNS, NOTE_COLUMNS

_n_s, _n_p = size("n_shapes"), size("n_pairs")

ROW = Row(numbers={"record": 1})
RECORD = ROW.column("record")
"""The row of the table of forces that stands for all contacts has the address of this memory."""

EVENT_COLUMNS = EVENT_MEMORY + CONTACT_COLUMNS - MEMORY
"""Columns of what happened in a segment that is over, see `contact_log.history`: time, pair, what it remembers from then on."""

CONTACTS = Layout(
    Field("n_shapes", (), INT64),
    Field("n_pairs", (), INT64),
    Field("n_filter", (), INT64),
    Field("n_boxes", (), INT64),
    Field("n_tree", (), INT64),
    Field("n_events", (), INT64),
    Field("n_bodies", (), INT64),
    Field("first_z", (), INT64),
    Field("n_held", (), INT64),
    Field("n_idle", (), INT64),
    elsewhere("idle", (size("n_idle"), cut_table.COLUMNS)),
    elsewhere("shapes", (_n_s, SHAPE_COLUMNS)),
    elsewhere("near", (_n_p, 2), INT64),
    elsewhere("pairs", (_n_p, CONTACT_COLUMNS)),
    elsewhere("alike", _n_p, INT64),
    elsewhere("filter", size("n_filter"), INT64),
    elsewhere("boxes", (size("n_boxes"), BOX_COLUMNS)),
    elsewhere("tree", size("n_tree"), INT64),
    elsewhere("events", (size("n_events"), EVENT_COLUMNS)),
    Field("bounds", 2),
    Field("margin", _n_p),
    Field("R", (_n_s, 9)),
    Field("p", (_n_s, 3)),
    Field("found", (_n_p, FOUND_COLUMNS)),
    Field("forces", (_n_p, CONTACT_FORCE_COLUMNS)),
    Field("rates", _n_p),
    Field("notes", (_n_p, NOTE_COLUMNS)),
    Field("depths", (_n_p, DEPTH_COLUMNS)),
    Field("sums", (_n_p, 2)),
    Field("recalled", 2),
    Field("points", (MOST_POINTS, POINT_COLUMNS)),
    Field("wrenches", (size("n_bodies"), 6)),
)
"""Its address is the parameter of the row of all contacts in the table of forces.

Shapes; near pairs of them, ascending, their rows, see `modia3d.forces.contact.layout`, and of each the first one of the same
solids; what the broad phase works with; of a segment that is over what happened in it, and how much of that is recalled, until
when [s]. How far boxes are looked at [m] and how fast velocities may change [m/s2]; below which distance a pair touches [m].
``n_held`` pairs are held by rows, ``idle`` are their points that are not.
What evaluations find: poses of the shapes, distances, forces; how fast distances shrink at events [m/s]; what is noted for the
table of contacts and of depths, see `contact_log.notes`; scratch.
"""

HORIZON, ACCELERATION = 0, 1
DEEPER = 0.5
"""What comes down on a solid that faces hold has reached it at this depth, in margins: so deep nothing is by rounding."""
