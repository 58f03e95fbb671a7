"""The normal force of a pair is noted at each accepted step (see `notes`)."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from modia3d.dynamics.basics.spatial import kernel

from .notes import (
    BEGIN_FORCE,
    BEGIN_IMPULSE,
    BEGIN_LARGEST,
    BEGIN_TIME,
    END_FORCE,
    END_IMPULSE,
    END_LARGEST,
    END_TIME,
    MIDDLE_FORCE,
    MIDDLE_TIME,
    NEXT_FORCE,
    NEXT_TIME,
)


@kernel
def note_force(notes, i, time, force):
    """Note the normal force [N] of pair ``i`` where event indicators are evaluated at ``time`` [s].

    What is not later than the last note is the search for a crossing within the last step: it tells nothing new. Only the value
    right after an event replaces the one that `end_notes` or `begin_notes` took from before it.
    """
    if not time > notes[i, NEXT_TIME]:
        if time == notes[i, END_TIME] and notes[i, BEGIN_TIME] == time:
            notes[i, BEGIN_FORCE] = notes[i, MIDDLE_FORCE] = notes[i, END_FORCE] = notes[i, NEXT_FORCE] = force
            notes[i, END_LARGEST] = max(notes[i, END_LARGEST], force)
            notes[i, BEGIN_LARGEST] = notes[i, END_LARGEST]
        return
    if notes[i, NEXT_TIME] == notes[i, END_TIME]:
        notes[i, NEXT_TIME] = time
        notes[i, NEXT_FORCE] = force
        return
    begin, middle, end = notes[i, END_TIME], notes[i, NEXT_TIME], time
    at_begin, inside = notes[i, END_FORCE], notes[i, NEXT_FORCE]
    notes[i, BEGIN_TIME], notes[i, MIDDLE_TIME], notes[i, END_TIME], notes[i, NEXT_TIME] = begin, middle, end, end
    notes[i, BEGIN_FORCE], notes[i, MIDDLE_FORCE], notes[i, END_FORCE], notes[i, NEXT_FORCE] = at_begin, inside, force, force
    notes[i, BEGIN_IMPULSE] = notes[i, END_IMPULSE]
    notes[i, BEGIN_LARGEST] = notes[i, END_LARGEST]
    a, length = middle - begin, end - begin
    slope = (inside - at_begin) / a
    bend = ((force - at_begin) / length - slope) / (end - middle)
    notes[i, END_IMPULSE] += length * (at_begin + length * (slope / 2.0 + bend * (length / 3.0 - a / 2.0)))
    largest = max(notes[i, END_LARGEST], max(inside, force))
    if bend < 0.0:
        vertex = 0.5 * a - 0.5 * slope / bend
        if 0.0 < vertex < length:
            largest = max(largest, at_begin + vertex * (slope + bend * (vertex - a)))
    notes[i, END_LARGEST] = largest
