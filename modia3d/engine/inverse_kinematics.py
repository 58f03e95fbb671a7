"""Inverse kinematics of one frame by some joints, while everything else stays where it is: damped least squares.

The damping goes to zero with the square of the error, so that the iteration converges quadratically and stays bounded near
singularities (Sugihara, *Solvability-Unconcerned Inverse Kinematics by the Levenberg-Marquardt Method*, IEEE T-RO 27, 2011).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics.layout import work_shape
from ..scene.basics.rotations import rotation_about, rotation_matrix, rotation_vector
from ..scene.joints import LimitedJoint
from ..topology.graph import JointEdge, SceneGraph
from .motion.configuration import Configuration

__all__ = ["Reach", "load_kernels", "movable_joints", "rotation_about", "rotation_matrix", "rotation_vector"]

TOLERANCE = 1e-11
"""Error of position [m] and orientation [rad] that counts as none, relative to one plus the size of the mechanism."""
MAX_ITERATIONS = 60
MAX_STEP = 0.5
"""Largest step of a joint in one iteration (rad or m)."""


def movable_joints(graph: SceneGraph, names: Sequence[str], scope: str) -> tuple[JointEdge, ...]:
    """Return the joints of these names, looked up in ``scope`` first.

    Raises:
        ModelError: there is no such joint, or it does not have one coordinate.
    """
    edges = tuple(graph.joints[graph.joint_index(name, scope)] for name in names)
    for edge in edges:
        if not isinstance(edge.joint, LimitedJoint):
            raise ModelError(
                "inverse kinematics cannot move this joint", path=edge.name, found=edge.joint.kind,
                expected="a joint of one coordinate: revolute, prismatic or screw",
            )  # fmt: skip
    return edges


def load_kernels() -> None:
    """Load what `Reach` computes with, so that nothing is compiled later, while a simulation runs."""
    from ..dynamics import jacobian, kinematics  # noqa: F401


class Reach:
    """Pose of a frame F by the coordinates q of some joints, in the present configuration of all others.

    Attributes:
        edges: the joints.
        lower, upper: their limits, shape (n,) (rad or m).
    """

    def __init__(self, present: Configuration, frame: int, edges: Sequence[JointEdge], *, turns: bool) -> None:
        """Take the frame and joints; ``turns``: whether the orientation of the frame matters, besides its position."""
        from ..dynamics import jacobian, kinematics

        forest = present.forest
        for edge in edges:
            if edge.name not in forest.indices or forest.structure.side_of(edge.name) is not None:
                raise ModelError("this joint cannot move the frame now", path=edge.name, found="it is locked, held or deleted")
        self.edges, self.turns = tuple(edges), turns
        self._forest, self._q = forest, present.q.copy()
        self._kernels = kinematics.body_poses, jacobian.frame_jacobian
        self._body, self._R_BF, self._p_BF = forest.frame_pose(frame)
        places = [forest.indices[edge.name] for edge in edges]
        self._index, self._columns = [q for _, q, _ in places], [v for _, _, v in places]
        limits = [getattr(edge.joint, "limits", None) or (-np.inf, np.inf) for edge in edges]
        self.lower, self.upper = (np.array([pair[k] for pair in limits], dtype=float) for k in (0, 1))
        self._R, self._p = np.empty((forest.n, 9)), np.empty((forest.n, 3))

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``R_WF`` (3, 3) and ``p_WF`` (3,) at the coordinates ``q`` (n,)."""
        forest = self._forest
        self._q[self._index] = q
        self._kernels[0](forest.ints, forest.floats, self._q, self._R, self._p)
        if self._body < 0:
            return self._R_BF, self._p_BF
        R_WB = self._R[self._body].reshape(3, 3)
        return R_WB @ self._R_BF, self._p[self._body] + R_WB @ self._p_BF

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Return the velocity and angular velocity of F in world for unit speeds, shape (6, n); (3, n) if the orientation is
        free.
        """
        self.pose(q)
        return self._present_jacobian()

    def linearised(self, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return `error` and `jacobian`, its decrease for small changes of ``q``."""
        return self.error(q, R, p), self._present_jacobian()

    def _present_jacobian(self) -> np.ndarray:
        """Return the Jacobian where `pose` was asked for last."""
        forest = self._forest
        J, work = np.empty((6, forest.nv)), np.empty(work_shape(forest.n))
        p_BF = np.ascontiguousarray(self._p_BF, dtype=float)
        self._kernels[1](forest.ints, forest.floats, self._q, self._R, self._p, self._body, p_BF, J, work)
        return J[: 6 if self.turns else 3, self._columns]

    def error(self, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Return the distance to the pose ``R_WF, p_WF``: way [m] and rotation vector [rad] in world, shape (6,) or (3,)."""
        R_WF, p_WF = self.pose(q)
        return np.concatenate([p - p_WF, rotation_vector(R @ R_WF.T)]) if self.turns else p - p_WF

    def solve(self, q: np.ndarray, R: np.ndarray, p: np.ndarray) -> np.ndarray | None:
        """Return the coordinates near ``q`` at which F has the pose ``R, p``; None if none are found."""
        tolerance = TOLERANCE * (1.0 + float(np.abs(p).max()))
        for _ in range(MAX_ITERATIONS):
            error = self.error(q, R, p)
            if np.abs(error).max() <= tolerance:
                return q
            u, sigma, vt = np.linalg.svd(self.jacobian(q), full_matrices=False)
            damped = sigma / (sigma**2 + min(float(error @ error), 1e-2) + 1e-24)
            step = vt.T @ (damped * (u.T @ error))
            q = q + step * min(1.0, MAX_STEP / max(float(np.abs(step).max()), 1e-300))
        return None

    def slope(self, q: np.ndarray, twist: np.ndarray) -> np.ndarray:
        """Return the smallest speeds (n,) that give F the velocity ``twist``: (6,) or (3,)."""
        slope: np.ndarray = np.linalg.lstsq(self.jacobian(q), twist, rcond=1e-9)[0]
        return slope

    def manipulability(self, q: np.ndarray) -> float:
        """Return the smallest singular value of the Jacobian divided by the largest; lengths are divided by the reach of the
        joints.
        """
        J = self.jacobian(q).copy()
        reach = float(np.linalg.norm(J[:3], axis=0).max())
        if reach > 0.0:
            J[:3] /= reach
        sigma = np.linalg.svd(J, compute_uv=False)
        return float(sigma[-1] / sigma[0]) if sigma[0] > 0.0 else 0.0
