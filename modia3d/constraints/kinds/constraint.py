"""Declaration of a kind of constraint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np

from ...dynamics.basics.layout import work_shape
from ...topology.forest import Forest
from ...topology.motion import FrameMotion
from .row import Row, Rows


class Present(Protocol):
    """Forest with its coordinates and speeds at one instant."""

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


def jacobians(present: Present, bodies: Sequence[int], point: np.ndarray) -> np.ndarray:
    """Return the Jacobians of a point given in world, as one of each body (-1: the world): v, w in world, shape (n, 6, nv)."""
    from ...dynamics.jacobian import frame_jacobian

    forest, (R, p) = present.forest, (poses[0] for poses in present.poses)
    J, work = np.zeros((len(bodies), 6, forest.nv)), np.zeros(work_shape(forest.n))
    for k, body in enumerate(bodies):
        p_BF = R[body].reshape(3, 3).T @ (point - p[body]) if body >= 0 else np.zeros(3)
        frame_jacobian(forest.ints, forest.floats, present.q, R, p, body, p_BF, J[k], work)
    return J


def frame_jacobians(present: Present, names: Sequence[str], point: np.ndarray) -> np.ndarray:
    """Return the `jacobians` of a point as one of the body of each frame, by full names."""
    return jacobians(present, [present.forest.frame_pose(present.forest.graph.index[name])[0] for name in names], point)


def speed_rows(present: Present, joint: str, sign: float = 1.0) -> Iterator[tuple[str, np.ndarray]]:
    """Name and G of each speed of a joint; none where it is not in the forest."""
    forest = present.forest
    if joint in forest.indices:
        _, _, k = forest.indices[joint]
        for j, name in enumerate(forest.graph.state_names[forest.graph.joint_index(joint)][1]):
            G = np.zeros(forest.nv)
            G[k + j] = sign
            yield name, G
