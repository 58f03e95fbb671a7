"""The normal force and the depth of a pair are noted at each accepted step (see `notes`)."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.spatial import MATRIX, OPTIONS, kernel
from modiapy.acausal.native import njit, types

from .notes import (
    BEFORE_DEPTH,
    BEFORE_TIME,
    BEGIN_FORCE,
    BEGIN_IMPULSE,
    BEGIN_LARGEST,
    BEGIN_TIME,
    DEEPEST,
    DEEPEST_TIME,
    END_FORCE,
    END_IMPULSE,
    END_LARGEST,
    END_TIME,
    LAST_DEPTH,
    LAST_TIME,
    MIDDLE_FORCE,
    MIDDLE_TIME,
    NEXT_FORCE,
    NEXT_TIME,
)


@kernel
def note_depth(depths, i, time, depth):
    """Note how deep pair ``i`` is at an instant; the last two are given up where an event is looked for before them."""
    if time > depths[i, LAST_TIME]:
        if depths[i, BEFORE_DEPTH] > depths[i, DEEPEST]:
            depths[i, DEEPEST_TIME], depths[i, DEEPEST] = depths[i, BEFORE_TIME], depths[i, BEFORE_DEPTH]
        depths[i, BEFORE_TIME], depths[i, BEFORE_DEPTH] = depths[i, LAST_TIME], depths[i, LAST_DEPTH]
    elif time <= depths[i, BEFORE_TIME]:
        depths[i, BEFORE_TIME], depths[i, BEFORE_DEPTH] = time, 0.0
    depths[i, LAST_TIME], depths[i, LAST_DEPTH] = time, depth


@kernel
def panel(notes, i, s):
    """Return the parabola of the last panel of pair ``i`` from its begin on for a time ``s``: its end, integral and largest
    value.
    """
    begin = notes[i, BEGIN_FORCE]
    a, length = notes[i, MIDDLE_TIME] - notes[i, BEGIN_TIME], notes[i, END_TIME] - notes[i, BEGIN_TIME]
    slope = (notes[i, MIDDLE_FORCE] - begin) / a
    bend = ((notes[i, END_FORCE] - begin) / length - slope) / (length - a)
    force = begin + s * (slope + bend * (s - a))
    largest = max(begin, force)
    if bend < 0.0:
        vertex = 0.5 * a - 0.5 * slope / bend
        if 0.0 < vertex < s:
            largest = max(largest, begin + vertex * (slope + bend * (vertex - a)))
    return force, s * (begin + s * (slope / 2.0 + bend * (s / 3.0 - a / 2.0))), largest


@kernel
def stand(notes, i, time, force):
    """Pair ``i`` begins again at ``time`` [s], after what was integrated before."""
    notes[i, BEGIN_TIME] = notes[i, MIDDLE_TIME] = notes[i, END_TIME] = notes[i, NEXT_TIME] = time
    notes[i, BEGIN_FORCE] = notes[i, MIDDLE_FORCE] = notes[i, END_FORCE] = notes[i, NEXT_FORCE] = force
    notes[i, END_LARGEST] = max(notes[i, END_LARGEST], force)
    notes[i, BEGIN_IMPULSE], notes[i, BEGIN_LARGEST] = notes[i, END_IMPULSE], notes[i, END_LARGEST]


@kernel
def note_force(notes, i, time, force):
    """Note the normal force [N] of pair ``i`` where event indicators are evaluated at ``time`` [s].

    What is not later than the last note is the search for a crossing within the last step: it tells nothing new. Only the value
    right after an event replaces the one that `end_notes` took from before it.
    """
    if not time > notes[i, NEXT_TIME]:
        if time == notes[i, END_TIME] and notes[i, BEGIN_TIME] == time:
            stand(notes, i, time, force)
        return
    if notes[i, NEXT_TIME] == notes[i, END_TIME]:
        notes[i, NEXT_TIME], notes[i, NEXT_FORCE] = time, force
        return
    notes[i, BEGIN_TIME], notes[i, BEGIN_FORCE] = notes[i, END_TIME], notes[i, END_FORCE]
    notes[i, MIDDLE_TIME], notes[i, MIDDLE_FORCE] = notes[i, NEXT_TIME], notes[i, NEXT_FORCE]
    notes[i, END_TIME], notes[i, END_FORCE] = time, force
    notes[i, NEXT_TIME], notes[i, NEXT_FORCE] = time, force
    notes[i, BEGIN_IMPULSE], notes[i, BEGIN_LARGEST] = notes[i, END_IMPULSE], notes[i, END_LARGEST]
    _, impulse, largest = panel(notes, i, time - notes[i, BEGIN_TIME])
    notes[i, END_IMPULSE] += impulse
    notes[i, END_LARGEST] = max(notes[i, END_LARGEST], max(notes[i, MIDDLE_FORCE], largest))


@njit(types.void(MATRIX, types.float64), **OPTIONS)
def end_notes(notes, time):
    """Forget what lies behind an event at ``time`` [s], which is in the last panel, and begin again there, in all rows."""
    for i in range(notes.shape[0]):
        force, begin, end = notes[i, END_FORCE], notes[i, BEGIN_TIME], notes[i, END_TIME]
        if end > begin:
            force, impulse, largest = panel(notes, i, min(max(time, begin), end) - begin)
            notes[i, END_IMPULSE] = notes[i, BEGIN_IMPULSE] + impulse
            notes[i, END_LARGEST] = max(notes[i, BEGIN_LARGEST], largest)
        stand(notes, i, time, max(force, 0.0))
