"""The sets of directions that constraint elements consist of, by name; light to import."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from ..basics.directions import (
    ANGLE,
    AXIS,
    CONTACT,
    DISTANCE,
    HEIGHT,
    NORMAL,
    PLACE,
    RUBBING,
    SIDE,
    SLIP_1,
    SLIP_2,
    TRACK,
    TURN,
    TWIST,
    Direction,
)


@dataclass(frozen=True)
class RowSet:
    """Directions that are forbidden together.

    Attributes:
        directions: see `modia3d.scene.basics.directions`.
        parallel: axes that have the same direction in both frames, as `Joint.parallel`.
    """

    directions: tuple[Direction, ...]
    parallel: tuple[int, ...] = ()


def place(locked: str) -> str:
    """Name of the set that keeps the origins together along some of the axes "xyz"."""
    return f"place {locked}"


_TURNING = {"axis": RowSet(AXIS, (2,)), "turn": RowSet(TURN, (0, 1, 2)), "perpendicular": RowSet(((ANGLE, 2, 2),))}

ROW_SETS = {
    **{
        place("".join(axes)): RowSet(tuple(PLACE["xyz".index(axis)] for axis in axes))
        for n in (1, 2, 3)
        for axes in combinations("xyz", n)
    },
    **_TURNING,
    **{f"place xyz, {name}": RowSet((*PLACE, *rows.directions), rows.parallel) for name, rows in _TURNING.items()},
    "rod": RowSet(((DISTANCE, 0, 0),)),
    "wheel": RowSet(((HEIGHT, 2, 2), TRACK, SIDE)),
    "upright wheel": RowSet((TRACK, SIDE)),
    "upright wheel that may slip aside": RowSet((TRACK,)),
    "contact": RowSet(((CONTACT, NORMAL, 0),)),
    "sliding contact": RowSet(((CONTACT, NORMAL, 0), (CONTACT, RUBBING, 0))),
    "sticking point": RowSet(((CONTACT, SLIP_1, 0), (CONTACT, SLIP_2, 0))),
    "sticking face": RowSet(((CONTACT, SLIP_1, 0), (CONTACT, SLIP_2, 0), (CONTACT, TWIST, 0))),
    "touching point": RowSet(((CONTACT, NORMAL, 0), (CONTACT, SLIP_1, 0), (CONTACT, SLIP_2, 0))),
}
"""All sets; the kernels number them in this order, behind the joints."""
