"""Declaration of kinds of unilateral constraints, and the conditions under which they begin and end to hold, alike for all.

A gap ``g >= 0`` and a multiplier ``p >= 0`` that can only push, one of which is zero (Signorini's condition). A kind says both
as plain functions, of which the machine code of its event indicators is made, too, and as row the speed that opens the gap.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import ClassVar

import numpy as np

from ..tables.limit_table import REST
from .constraint import Constraint
from .row import Row


class Phase(Enum):
    """Phase of a unilateral constraint whose gap is closed."""

    HOLDING = "holding"
    """It holds, and pushes."""
    RELEASED = "released"
    """It holds, and would have to pull."""
    STRUCK = "struck"
    """The gap closes with a speed."""
    RESTING = "resting"
    """It does not hold, and the gap would begin to close."""
    TOUCHING = "touching"
    """It does not hold, and need not."""
    LEAVING = "leaving"
    """The gap opens."""
    RETURNING = "returning"
    """The gap opens so slowly that it closes again before it could be seen: it has not opened."""


UNSEEN = 1e-9
"""A gap that opens less than this before it closes again [rad or m] is not seen: ten times the margin of limits."""


class Unilateral(Constraint):
    """A kind of unilateral constraint.

    Attributes:
        gap: the distance that must not become negative, at a place of the kind's own coordinates.
        push: the multiplier, from what the equations or the elimination have found.
    """

    gap: ClassVar[Callable[..., float]]
    push: ClassVar[Callable[..., float]]


def indicator(active: bool, gap: float, push: float) -> float:
    """Return a number that becomes negative where the constraint begins to hold or, if it is active, where it lets go."""
    return REST + push if active else gap


def phase_of(row: Row, v: np.ndarray, a: np.ndarray, push: float, *, beyond: bool = False) -> Phase:
    """Return the phase of a constraint with a closed gap.

    Args:
        row: its speed.
        v, a: speeds and accelerations, shape (nv,).
        push: the multiplier, of one that is active.
        beyond: the gap is negative, by more than where it began to open: what opens is less than errors of integration.
    """
    if row.active:
        return Phase.HOLDING if push > -REST else Phase.RELEASED
    closing, pressed = -float(row.G @ v), -(float(row.G @ a) + row.gamma)
    if closing > REST:
        return Phase.STRUCK
    if closing < -REST:
        returns = pressed > REST and (beyond or closing**2 <= 2.0 * pressed * UNSEEN)
        return Phase.RETURNING if returns else Phase.LEAVING
    return Phase.RESTING if pressed > REST else Phase.TOUCHING
