"""Relative motions of two frames that a joint does not allow: what it demands where it closes a loop.

With the joint's axes in both frames, R and p the pose of frame 2 in frame 1 and ``e`` the unit vectors: a direction is the
`POSITION` ``p[i]``, the `ANGLE` between axis ``i`` of frame 1 and axis ``j`` of frame 2, whose cosine ``e_i . R e_j`` is to be
zero, or the `LEAD` of a screw, ``h (R_10 cos(p_2/h) - R_00 sin(p_2/h))`` with the distance per angle h, which vanishes where
the angle about the third axis is ``p_2/h`` [m]. The `DISTANCE` of a rod of length h is ``(p.p - h^2)/(2 h)`` [m].

A wheel of radius h turns about the z axis of frame 2 and stands on the plane z = 0 of frame 1. Its `HEIGHT` is the distance of
its lowest point from the plane [m]; `ROLL` is the velocity of that point along the track (i = 0), or across it (i = 1) [m/s],
which is the derivative of nothing: such a direction is not holonomic.

A `CONTACT` is that of a rounded point of frame 2 with a rounded core of frame 1 (`constraints.kernels.contact_rows`): its gap
(i = NORMAL), its slip in two directions, the turning about its normal (TWIST), and the direction in which friction acts while
it slides (RUBBING), along which nothing is forbidden.
"""

from __future__ import annotations

POSITION, ANGLE, LEAD, DISTANCE, HEIGHT, ROLL, CONTACT = range(7)
NORMAL, SLIP_1, SLIP_2, TWIST, RUBBING = range(5)

Direction = tuple[int, int, int]
PLACE: tuple[Direction, ...] = ((POSITION, 0, 0), (POSITION, 1, 0), (POSITION, 2, 0))
"""The origins are together; the first two: one is on the z axis of the other."""
AXIS: tuple[Direction, ...] = ((ANGLE, 0, 2), (ANGLE, 1, 2))
"""The z axes are parallel."""
TURN: tuple[Direction, ...] = ((ANGLE, 0, 1), (ANGLE, 1, 2), (ANGLE, 2, 0))
"""All axes are parallel."""
TRACK: Direction = (ROLL, 0, 0)
SIDE: Direction = (ROLL, 1, 0)
"""A wheel slips neither along nor across its track."""


def is_holonomic(direction: Direction) -> bool:
    """Return whether it restricts positions, not speeds alone."""
    return direction[0] != ROLL and (direction[0] != CONTACT or direction[1] == NORMAL)


def direction_text(direction: Direction) -> str:
    """Return a direction for messages."""
    what, i, j = direction
    if what == CONTACT:
        return _OF_CONTACT[i]
    if what == POSITION:
        return f"position {'xyz'[i]}"
    if what == ANGLE:
        return f"angle of {'xyz'[i]} and {'xyz'[j]}"
    return ("slip along the track", "slip across the track")[i] if what == ROLL else _NAMES[what]


_OF_CONTACT = ("normal", "slip 1", "slip 2", "twist", "friction")
_NAMES = {LEAD: "lead", DISTANCE: "distance", HEIGHT: "height"}
