"""Notes of force and depth between solids near each other while a segment lasts (plain Python, no numba).

Event indicators are evaluated inside and at the end of each accepted step of an integrator, whatever the output points are.
Three instants in a row, the end of one step, one inside the next and its end, are a *panel*: the parabola through their forces
is integrated, and its vertex counts as largest force if it lies within. The last panel is kept as it was found, because an
event may turn out to lie within it.
"""

from __future__ import annotations

# Of near pairs of shapes, the first one of each two solids: float64 (n_pairs, NOTE_COLUMNS). Times in s, forces in N.
BEGIN_TIME, BEGIN_FORCE, MIDDLE_TIME, MIDDLE_FORCE, END_TIME, END_FORCE = range(6)
"""The last panel; all three times are the same where there is none since the last event."""
BEGIN_IMPULSE, END_IMPULSE = 6, 7
"""Integral of the normal force since the contact began [N.s]."""
BEGIN_LARGEST, END_LARGEST = 8, 9
"""The largest normal force since the contact began [N]."""
NEXT_TIME, NEXT_FORCE = 10, 11
"""An instant behind the last panel, which becomes the middle of the next one; END_TIME where there is none."""
NOTE_COLUMNS = 12

# Of the same pairs: float64 (n_pairs, DEPTH_COLUMNS). How deep solids penetrate each other at all of these instants [s, m].
DEEPEST_TIME, DEEPEST = 0, 1
"""The deepest one that is over: an integrator has gone on from it."""
BEFORE_TIME, BEFORE_DEPTH, LAST_TIME, LAST_DEPTH = 2, 3, 4, 5
"""The last two: an event may turn out to lie before them."""
DEPTH_COLUMNS = 6
