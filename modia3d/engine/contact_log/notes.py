"""What is noted of the normal force between solids near each other while a segment lasts (plain Python, no numba).

Event indicators are evaluated inside and at the end of each accepted step of an integrator, whatever the output points are.
Three instants in a row, the end of one step, one inside the next and its end, are a *panel*: the parabola through their forces
is integrated, and its vertex counts as largest force if it lies within. The last panel is kept as it was found, because an
event may turn out to lie within it.
"""

from __future__ import annotations

import numpy as np

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

_TIMES = BEGIN_TIME, MIDDLE_TIME, END_TIME, NEXT_TIME
_FORCES = BEGIN_FORCE, MIDDLE_FORCE, END_FORCE, NEXT_FORCE


def begin_notes(notes: np.ndarray, time: float, force: float | np.ndarray = 0.0) -> None:
    """Begin at ``time`` [s] with a normal force [N] in each row of ``notes``, after what was integrated before."""
    for column in _TIMES:
        notes[:, column] = time
    for column in _FORCES:
        notes[:, column] = force
    notes[:, END_LARGEST] = np.maximum(notes[:, END_LARGEST], force)
    notes[:, BEGIN_IMPULSE], notes[:, BEGIN_LARGEST] = notes[:, END_IMPULSE], notes[:, END_LARGEST]


def end_notes(notes: np.ndarray, time: float) -> None:
    """Forget what lies behind an event at ``time`` [s], which is in the last panel, and begin again there."""
    begin, middle, end = (notes[:, column] for column in (BEGIN_TIME, MIDDLE_TIME, END_TIME))
    inside = end > begin
    with np.errstate(all="ignore"):
        slope = (notes[:, MIDDLE_FORCE] - notes[:, BEGIN_FORCE]) / (middle - begin)
        other = (notes[:, END_FORCE] - notes[:, BEGIN_FORCE]) / (end - begin)
        bend = (other - slope) / (end - middle)
        s = np.clip(time, begin, end) - begin
        # f = begin + slope*s + bend*s*(s - (middle - begin))
        force = notes[:, BEGIN_FORCE] + s * (slope + bend * (s - (middle - begin)))
        impulse = s * (notes[:, BEGIN_FORCE] + s * (slope / 2.0 + bend * (s / 3.0 - (middle - begin) / 2.0)))
        vertex = 0.5 * (middle - begin) - 0.5 * slope / bend
        peak = notes[:, BEGIN_FORCE] + vertex * (slope + bend * (vertex - (middle - begin)))
    inner = inside & (bend < 0.0) & (vertex > 0.0) & (vertex < s)
    largest = np.maximum(notes[:, BEGIN_LARGEST], np.maximum(notes[:, BEGIN_FORCE], force))
    largest = np.where(inner, np.maximum(largest, peak), largest)
    notes[:, END_IMPULSE] = np.where(inside, notes[:, BEGIN_IMPULSE] + impulse, notes[:, END_IMPULSE])
    notes[:, END_LARGEST] = np.where(inside, largest, notes[:, END_LARGEST])
    begin_notes(notes, time, np.maximum(np.where(inside, force, notes[:, END_FORCE]), 0.0))
