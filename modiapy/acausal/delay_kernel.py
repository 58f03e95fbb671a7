"""Machine code of the operator ``delay``: values of the past from the stretches that `delays` stores.

Context: slot 16 address of a table, shape (number of delays, 3): address of the stretches, first and last but one row that may
be looked up. A row is a stretch: its beginning and end [s], and values at `PARTS` of it, through which a polynomial goes.
"""

from __future__ import annotations

from .native import component_function, float64_array, int64_array, part
from .protocol import Slot

COLUMNS = 7
"""Of a row: beginning, end, five values."""

BEYOND = 2.0
"""So many times its length a stretch is continued at most."""

_TABLE = int(Slot.DATA)


@part
def _row_at(rows, first, last, time):  # type: ignore[no-untyped-def]
    """Return the last stretch that has begun at a time, of the rows from ``first`` to before ``last``."""
    while last - first > 1:
        middle = (first + last) // 2
        if rows[COLUMNS * middle] <= time:
            first = middle
        else:
            last = middle
    return first


@part
def _place(rows, row, time):  # type: ignore[no-untyped-def]
    """Return the place of a time in a stretch: 0 at its beginning, 1 at its end."""
    begin, end = rows[COLUMNS * row], rows[COLUMNS * row + 1]
    return min(max((time - begin) / (end - begin), 0.0), BEYOND)


@part
def _differences(rows, row):  # type: ignore[no-untyped-def]
    """Return the value at the beginning of a stretch, and forward differences of the first to the fourth order there."""
    v = COLUMNS * row + 2
    a, b, c, d = rows[v + 1] - rows[v], rows[v + 2] - rows[v + 1], rows[v + 3] - rows[v + 2], rows[v + 4] - rows[v + 3]
    return rows[v], a, b - a, c - 2.0 * b + a, d - 3.0 * c + 3.0 * b - a


@component_function
def delayed(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(number of the delay, time) -> the value then: Newton's polynomial of forward differences."""
    k = 3 * int(inputs[0])
    table = int64_array(context[_TABLE], k + 3)
    rows = float64_array(table[k], COLUMNS * table[k + 2])
    row = _row_at(rows, table[k + 1], table[k + 2], inputs[1])
    x = 4.0 * _place(rows, row, inputs[1])
    value, a, b, c, d = _differences(rows, row)
    outputs[0] = value + x * (a + (x - 1.0) / 2.0 * (b + (x - 2.0) / 3.0 * (c + (x - 3.0) / 4.0 * d)))
    return 0


@component_function
def delayed_rate(context, inputs, outputs):  # type: ignore[no-untyped-def]
    """(number of the delay, time, 0, rate of that time) -> derivative of the value then."""
    k = 3 * int(inputs[0])
    table = int64_array(context[_TABLE], k + 3)
    rows = float64_array(table[k], COLUMNS * table[k + 2])
    row = _row_at(rows, table[k + 1], table[k + 2], inputs[1])
    begin, end = rows[COLUMNS * row], rows[COLUMNS * row + 1]
    x = 4.0 * _place(rows, row, inputs[1])
    _, a, b, c, d = _differences(rows, row)
    third = c + (x - 3.0) / 4.0 * d
    second = b + (x - 2.0) / 3.0 * third
    slope = third / 3.0 + (x - 2.0) / 3.0 * d / 4.0
    slope = second / 2.0 + (x - 1.0) / 2.0 * slope
    slope = a + (x - 1.0) / 2.0 * second + x * slope
    inside = begin <= inputs[1] and x < 4.0 * BEYOND
    outputs[0] = 4.0 * slope / (end - begin) * inputs[3] if inside else 0.0
    return 0
