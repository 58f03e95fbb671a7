"""Declaration of a kind of constraint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from ...topology.forest import Forest
from ...topology.motion import FrameMotion
from .row import Row, Rows


class Present(Protocol):
    """A forest at one moment."""

    @property
    def forest(self) -> Forest:
        """Return the forest at present."""

    @property
    def q(self) -> np.ndarray:
        """Return the coordinates, shape (nq,)."""

    @property
    def v(self) -> np.ndarray:
        """Return the speeds, shape (nv,)."""

    @property
    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """``R_WB`` (1, n, 9) and ``p_WB_W`` (1, n, 3) of all bodies."""

    @property
    def velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """``v_WB_W`` and ``w_WB_W`` (1, n, 3) of all bodies."""

    def motion_of(self, name: str) -> FrameMotion:
        """Return the motion of a frame by its full name."""


class Constraint(ABC):
    """Something that restricts the motion of a forest.

    What carries its multipliers follows from what it acts on: a prescribed joint has an unknown of the equations for that
    (`joints.constraint_name`), at passive joints it is what the elimination of the engine finds.
    """

    @abstractmethod
    def rows(self, present: Present) -> Iterator[Row]:
        """Generate its rows; none where what it acts on is not in the forest."""

    @property
    def owner(self) -> str:
        """`Row.owner` of its rows; "" where that is not known."""
        return ""

    def joints(self, forest: Forest) -> tuple[str, ...]:
        """Return the names of the joints and free roots that it acts on together; none where that is not known."""
        return ()

    def check_branch(self, present: Present) -> None:  # noqa: B027  (most constraints have one branch)
        """Refuse a present in which the residuals vanish, but not where they are meant to. Raises ModelError."""


def rows_of(constraints: Iterable[Constraint], present: Present) -> Rows:
    """Return the rows of constraints, one after the other."""
    return Rows((row for constraint in constraints for row in constraint.rows(present)), present.forest.nv)


def speed_rows(present: Present, joint: str, sign: float = 1.0) -> Iterator[tuple[str, np.ndarray]]:
    """Name and G of each speed of a joint; none where it is not in the forest."""
    forest = present.forest
    if joint in forest.indices:
        _, _, k = forest.indices[joint]
        for j, name in enumerate(forest.graph.state_names[forest.graph.joint_index(joint)][1]):
            G = np.zeros(forest.nv)
            G[k + j] = sign
            yield name, G
