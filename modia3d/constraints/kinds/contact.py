"""A point where two bodies touch: they may part there, may slip, and what holds them can only push."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...scene.basics.rotations import frame_with_z
from .constraint import Constraint, Present, jacobians
from .row import Row

NORMAL = "normal"
"""`Row.direction` of what may open."""


def slip_axes(normal: np.ndarray) -> np.ndarray:
    """Return both directions of slip in world as columns, shape (3, 2)."""
    return frame_with_z(normal.tolist())[:, :2]


@dataclass(frozen=True, eq=False)
class Contact(Constraint):
    """A point of a contact for a moment.

    Attributes:
        name: of the pair, for messages.
        body_1, body_2: of the forest; -1 is the world.
        point: where they touch, in world, shape (3,) [m].
        normal: unit vector in world, out of the first body towards the second one, shape (3,).
        restitution, friction: coefficients.
        slow: approach from which on it bounces [m/s].
        driven: approach from which an impact begins although there is none: friction jams it [m/s].
    """

    name: str
    body_1: int
    body_2: int
    point: np.ndarray
    normal: np.ndarray
    restitution: float = 0.0
    friction: float = 0.0
    slow: float = 0.0
    driven: float = 0.0

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate the velocity of the second body relative to the first one there: along the normal; with friction, the slip
        in two directions.
        """
        J = jacobians(present, (self.body_1, self.body_2), self.point)
        apart = J[1, :3] - J[0, :3]
        yield Row(self.name, NORMAL, self.normal @ apart, unilateral=True, gamma=np.nan)
        if self.friction > 0.0:
            for k, axis in enumerate(slip_axes(self.normal).T):
                yield Row(self.name, f"slip {k + 1}", axis @ apart, gamma=np.nan)

    @property
    def owner(self) -> str:
        return self.name
