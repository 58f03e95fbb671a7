"""Weights of the corners of a cell.

Edges count by their lengths, and give half to both ends. Where the depth changes fast, edges count by their depth too, and give
all to the deeper end: a shape that stands on an edge or a corner is supported there as by one point.

A corner at which the outline hardly bends passes what it got on to its neighbours, to the nearer one more, as do these: for a
straight line as if the corner were not there. Without that two boxes of one size on each other, whose edges cross somewhere
between the corners for the slightest turn, would feel each turn.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import kernel

from .clipping import DEPTH
from .features import U, V

SHARE = 4
"""Column of a cell: weight of the corner."""
_LENGTH = 5
"""Column: of the edge that begins at the corner [m]."""
_KEPT = 6
"""Column: part of what a corner gets that it keeps."""
_FLOW = 7
"""Columns: through a corner flows what stands in the first one, and the second one times what flows through the next one."""
_RETURN = 8

_FLAT, _STEEP = 0.1, 0.3
"""Slopes of the depth below which an edge lies on the other shape, and above which it stands on its deeper end."""
_BEND = 0.2
"""Sine of the bend from which on a corner keeps all. Of no more than 31 corners one at least bends by so much."""


@kernel
def flatness(slope):
    """Return 1 for small slopes, 0 for large ones."""
    x = min(1.0, max(0.0, (_STEEP - slope) / (_STEEP - _FLAT)))
    return x * x * (3.0 - 2.0 * x)


@kernel
def join_corners(cell, count, together):
    """Remove corners that are too near to the one before; return the number of remaining corners.

    Writes the lengths of edges.
    """
    kept = 0
    for k in range(count):
        if kept > 0:
            du, dv = cell[k, U] - cell[kept - 1, U], cell[k, V] - cell[kept - 1, V]
            length = sqrt(du * du + dv * dv)
            if length <= together:
                continue
            cell[kept - 1, _LENGTH] = length
        for column in range(DEPTH + 1):
            cell[kept, column] = cell[k, column]
        kept += 1
    while kept > 1:
        du, dv = cell[0, U] - cell[kept - 1, U], cell[0, V] - cell[kept - 1, V]
        cell[kept - 1, _LENGTH] = sqrt(du * du + dv * dv)
        if cell[kept - 1, _LENGTH] > together:
            break
        kept -= 1
    return kept


@kernel
def _write_bends(cell, count):
    """Write the part that each corner keeps; return the number of one that keeps all, negative if all do."""
    last, whole, straight = count - 1, 0, False
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        u, v = cell[k, U] - cell[last, U], cell[k, V] - cell[last, V]
        du, dv = cell[after, U] - cell[k, U], cell[after, V] - cell[k, V]
        lengths = cell[last, _LENGTH] * cell[k, _LENGTH]
        kept = 1.0
        if u * du + v * dv > 0.0:
            kept = min(1.0, abs(u * dv - v * du) / (_BEND * lengths))
        cell[k, _KEPT] = kept
        straight = straight or kept < 1.0
        if kept > cell[whole, _KEPT]:
            whole = k
        last = k
    return whole if straight else -1


@kernel
def _passed(cell, k, before, forward):
    """Return the part of the flow through corner ``k`` that goes to the next one, or back to the one before."""
    behind, ahead = cell[before, _LENGTH], cell[k, _LENGTH]
    return (1.0 - cell[k, _KEPT]) * (behind if forward else ahead) / (behind + ahead)


@kernel
def _pass_on(cell, count):
    """Distribute the weights of corners that hardly bend anew: solve a tridiagonal system for the flows through corners."""
    whole = _write_bends(cell, count)
    if whole < 0:
        return
    cell[whole, _KEPT] = 1.0
    cell[whole, _FLOW], cell[whole, _RETURN] = 0.0, 0.0
    before, earlier = whole, whole
    for step in range(1, count):
        k = whole + step if whole + step < count else whole + step - count
        after = k + 1 if k + 1 < count else 0
        given = _passed(cell, before, earlier, True)
        pivot = 1.0 - given * cell[before, _RETURN]
        cell[k, _FLOW] = (cell[k, SHARE] + given * cell[before, _FLOW]) / pivot
        cell[k, _RETURN] = _passed(cell, after, k, False) / pivot
        earlier, before = before, k
    for step in range(count - 2, 0, -1):
        k = whole + step if whole + step < count else whole + step - count
        cell[k, _FLOW] += cell[k, _RETURN] * cell[before, _FLOW]
        before = k
    first = whole + 1 if whole + 1 < count else 0
    last = whole - 1 if whole > 0 else count - 1
    cell[whole, SHARE] += _passed(cell, first, whole, False) * cell[first, _FLOW]
    cell[whole, SHARE] += _passed(cell, last, last - 1 if last > 0 else count - 1, True) * cell[last, _FLOW]
    for k in range(count):
        if k != whole:
            cell[k, SHARE] = cell[k, _KEPT] * cell[k, _FLOW]


@kernel
def share(cell, count, flat, most):
    """Distribute a cell, whose corners are joined, among these; return the sum of the shares.

    Args:
        flat: 1 where edges count by their lengths, 0 where by their depth too. most: largest flatness of an edge.
    """
    deepest, total = 0.0, 0.0
    for k in range(count):
        deepest = max(deepest, cell[k, DEPTH])
        cell[k, SHARE] = 0.0
    if not deepest > 0.0 or count < 2:
        return 0.0
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        length, x, y = cell[k, _LENGTH], cell[k, DEPTH], cell[after, DEPTH]
        part, first = length * flat, 0.5
        if x + y > 0.0:
            level = min(most, flatness(abs(x - y) / length))
            part = length * (flat + (1.0 - flat) * (x + y) / (2.0 * deepest))
            first = 0.5 * level + (1.0 - level) * x / (x + y)
        cell[k, SHARE] += part * first
        cell[after, SHARE] += part * (1.0 - first)
        total += part
    if count > 2:
        _pass_on(cell, count)
    return total
