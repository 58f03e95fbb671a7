"""Two frames that a lock joins: neither moves relative to the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...topology.forest import DELETED
from .constraint import Constraint, Present, frame_jacobians
from .row import Row

_DIRECTIONS = ("velocity x", "velocity y", "velocity z", "angular velocity x", "angular velocity y", "angular velocity z")


@dataclass(frozen=True)
class LockedFrames(Constraint):
    """A rigid connection of two frames.

    Attributes:
        frame_a, frame_b: full names.
    """

    frame_a: str
    frame_b: str

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate the velocity of the origin of B as a point of B, minus that of the same point as one of A; angular alike; in
        world.
        """
        forest = present.forest
        names = self.frame_a, self.frame_b
        if all(forest.frame_body[forest.graph.index[name]] != DELETED for name in names):
            J_a, J_b = frame_jacobians(present, names, present.motion_of(self.frame_b).p_WF)
            for direction, G in zip(_DIRECTIONS, J_b - J_a, strict=True):
                yield Row(f"{self.frame_a} - {self.frame_b}", direction, G, gamma=np.nan)
