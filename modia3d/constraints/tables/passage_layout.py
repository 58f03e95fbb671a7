"""The memory in which a segment notes how near its closed loops come to singular positions (plain Python, no numba)."""

from __future__ import annotations

from modiapy.acausal.memory_layout import INT64, Field, Layout, size

NEAR, AWAY = 1e-2, 2e-2
"""A position is nearly singular from where less than this part of a needed row is new, until more than the second one is."""
LOOKED_AT = 0.1
"""Below this part, the rows are ordered anew to find how much is new of the last of them."""
MOST_ORDERED = 48
"""So many rows at most are ordered anew."""
MOST_NOTES = 32
"""So many passages are remembered until they are read."""

RISE, BEGIN, NEAREST, END, SMALLEST, RANK, NEEDED, TURNED = range(8)
NOTE_COLUMNS = 8
"""Columns of a note: whether the rank rose; begin, nearest point and end of the neighbourhood [s]; the smallest part of a row
that was new; the smallest rank in it, and the number of needed rows before; the angle between the motion of its loops
before and after, in the metric of the mass matrix [rad]."""

_m, _cuts, _square = size("m"), size("n_cuts"), size("n_square")

PASSAGES = Layout(
    Field("m", (), INT64),
    Field("n_cuts", (), INT64),
    Field("n_q", (), INT64),
    Field("n_v", (), INT64),
    Field("n_square", (), INT64),
    Field("count", 1, INT64),
    Field("inside", 1, INT64),
    Field("known", 1, INT64),
    Field("needed", _m, INT64),
    Field("lowest", _cuts, INT64),
    Field("concerned", (MOST_NOTES, _cuts), INT64),
    Field("times", 3),
    Field("squares", 3),
    Field("present", NOTE_COLUMNS),
    Field("notes", (MOST_NOTES, NOTE_COLUMNS)),
    Field("coordinates", (3, size("n_q"))),
    Field("v_now", size("n_v")),
    Field("v_before", (2, size("n_v"))),
    Field("v_masked", size("n_v")),
    Field("square", (_square, _square)),
)
"""``count``: of notes so far, of which the last ones are in ``notes``, with the cuts that each concerns. Of the last ``known``
points, the oldest first: ``times``, ``squares`` of the smallest part of a ``needed`` row that is new, ``coordinates``.
``inside``: 1 in the neighbourhood of a singular position; ``present`` is then the note of it, ``lowest`` are its cuts.
``v_now``: present speeds; ``v_before``: those at the last two points before. ``v_masked``, ``square``: scratch."""
