"""Joints of loops and constraint elements: no joints of the spanning forest, because both frames have bodies already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np

from modiapy.acausal.once import once
from modiapy.model.errors import ModelError

from ...dynamics.basics.layout import INERTIA, MASS, PARENT, work_shape
from ...scene.basics.directions import ANGLE, Direction, direction_text, is_holonomic
from ...scene.constraint_elements.base import RowGroup
from ...scene.joints import Joint
from ...topology.cuts import Cut
from ...topology.forest import DELETED, Forest
from ...topology.graph import SceneGraph
from ..tables import cut_table
from ..tables.cut_directions import COUNT, KINDS
from .constraint import Constraint, Present, jacobians
from .row import Row


@dataclass(frozen=True)
class CutJoint(Constraint):
    """A joint of a loop that the forest leaves out, or rows of a constraint element.

    Attributes:
        name: of the joint or the element.
        frame_1, frame_2: full names of the frames that it joins.
        joint: what it allows.
        copy: where a body is cut in two, index of the copy of frame 2 (`Forest.halves`); -1: it is the frame itself.
    """

    name: str
    frame_1: str
    frame_2: str
    joint: Joint | RowGroup
    copy: int = -1

    @classmethod
    def of(cls, graph: SceneGraph, cut: Cut) -> CutJoint:
        """Return a cut of a forest of the graph."""
        copy = cut.frame_2 if cut.frame_2 >= len(graph.frames) else -1
        two = cut.frame_1 if copy >= 0 else cut.frame_2
        return cls(cut.name, graph.frames[cut.frame_1].name, graph.frames[two].name, cut.joint, copy)

    def table_row(self, forest: Forest) -> np.ndarray:
        """Return its row for the kernels, shape (cut_table.COLUMNS,)."""
        row = np.zeros(cut_table.COLUMNS)
        row[cut_table.KIND], row[cut_table.PARAMETER] = KINDS.index(self.joint.kind), self.joint.parameter
        first, second = self._axes
        index = forest.graph.index
        for body_at, at, frame, (R_FJ, p_FJ) in (
            (cut_table.BODY_1, cut_table.FRAME_1, index[self.frame_1], first),
            (cut_table.BODY_2, cut_table.FRAME_2, self.copy if self.copy >= 0 else index[self.frame_2], second),
        ):
            body, R_BF, p_BF = forest.frame_pose(frame)
            row[body_at], row[at : at + 9], row[at + 9 : at + 12] = body, (R_BF @ R_FJ).ravel(), p_BF + R_BF @ p_FJ
        return row

    @once
    def _axes(self) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
        """Return the joint's axes in both frames: rotation and position; where they coincide, all coordinates are zero."""
        if isinstance(self.joint, RowGroup):
            return (self.joint.axes_1, np.zeros(3)), (self.joint.axes_2, np.zeros(3))
        if self.joint.kind == "fixed":
            pose = self.joint.motion((), (), "quaternion")
            return (pose.R_12, pose.p_12_1), (np.eye(3), np.zeros(3))
        axes = self.joint.axes(), np.zeros(3)
        return axes, axes

    def rows(self, present: Present) -> Iterator[Row]:
        """Generate a row for each direction that the joint does not allow, in its axes in frame 1."""
        forest = present.forest
        if any(forest.frame_body[forest.graph.index[name]] == DELETED for name in (self.frame_1, self.frame_2)):
            return
        cut = self.table_row(forest)
        residual, G, gamma = evaluate_cuts(present, cut[None, :])
        linear, angular = _references(present, cut)
        for direction, g, row, rest in zip(self.joint.directions, residual, G, gamma, strict=True):
            reference, unit = (angular, "rad") if direction[0] == ANGLE else (linear, "m")
            yield Row(
                self.name, direction_text(direction), row, residual=float(g), unit=unit, gamma=float(rest),
                holonomic=is_holonomic(direction), reference=reference,
            )  # fmt: skip

    @property
    def owner(self) -> str:
        return self.name

    def joints(self, forest: Forest) -> tuple[str, ...]:
        """Return the names of those of its loop, from frame 1 to frame 2."""
        cut = self.table_row(forest)
        one, two = (_way(forest, int(cut[at])) for at in (cut_table.BODY_1, cut_table.BODY_2))
        loop = [*(body for body in one if body not in two), *(body for body in reversed(two) if body not in one)]
        return tuple(forest.body_names[body] for body in loop)

    @property
    def row_names(self) -> tuple[str, ...]:
        """Return the names of its rows."""
        return _texts(self.joint.directions)

    @property
    def is_holonomic(self) -> bool:
        """True if all its rows restrict positions."""
        return all(map(is_holonomic, self.joint.directions))

    def check_branch(self, present: Present) -> None:
        """Refuse axes that are to be parallel and are opposite: the cosines that vanish do so at half a turn, too."""
        cut = self.table_row(present.forest)
        (R_1, _), (R_2, _) = (_end(present, cut, *end) for end in _ENDS)
        R_12 = R_1.T @ R_2
        for axis in self.joint.parallel:
            if R_12[axis, axis] < 0.0:
                raise ModelError(
                    "the axes of a joint that closes a loop point in opposite directions",
                    path=self.name,
                    found=f"opposite {'xyz'[axis]} axes of the joint in {self.frame_1} and {self.frame_2}",
                    expected="the same direction",
                    remedy="Begin nearer to the closed position.",
                )


@lru_cache(maxsize=256)
def _texts(directions: tuple[Direction, ...]) -> tuple[str, ...]:
    return tuple(map(direction_text, directions))


_KNOWN: WeakKeyDictionary[Forest, tuple[tuple[CutJoint, ...], np.ndarray]] = WeakKeyDictionary()


def cuts_of(forest: Forest) -> tuple[tuple[CutJoint, ...], np.ndarray]:
    """Return the cut joints of a forest, and the table of their rows, see `CutJoint.table_row`; made once, not to be
    written.
    """
    known = _KNOWN.get(forest)
    if known is None:
        cuts = tuple([_joint_of(forest.graph, cut) for cut in forest.cuts])
        known = _KNOWN[forest] = cuts, np.array([cut.table_row(forest) for cut in cuts]).reshape(-1, cut_table.COLUMNS)
    return known


_JOINTS: WeakKeyDictionary[Cut, CutJoint] = WeakKeyDictionary()


def _joint_of(graph: SceneGraph, cut: Cut) -> CutJoint:
    """See `CutJoint.of`; the cut of a joint is the same in all forests of the graph, and so is this."""
    known = _JOINTS.get(cut)
    if known is None:
        known = _JOINTS[cut] = CutJoint.of(graph, cut)
    return known


_ENDS = (cut_table.BODY_1, cut_table.FRAME_1), (cut_table.BODY_2, cut_table.FRAME_2)


def _end(present: Present, cut: np.ndarray, body_at: int, at: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation and position in world of the joint's axes at one of its frames."""
    body, R_BJ, p_BJ = int(cut[body_at]), cut[at : at + 9].reshape(3, 3), cut[at + 9 : at + 12]
    if body < 0:
        return R_BJ, p_BJ
    R, p = (poses[0, body] for poses in present.poses)
    return R.reshape(3, 3) @ R_BJ, p + R.reshape(3, 3) @ p_BJ


def openings(present: Present, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the residuals (m,) of cut joints, whose table is ``cuts`` (n, cut_table.COLUMNS), and their rates."""
    from ..kernels.cut_joint import evaluate_rows

    (R, p), (v_W, w_W), still = present.poses, present.velocities, np.zeros((present.forest.n, 3))
    residual, speed, rest = np.zeros((3, int(COUNT[cuts[:, cut_table.KIND].astype(np.int64)].sum())))
    coefficients, points = np.zeros((residual.size, 6)), np.zeros((len(cuts), 3))
    evaluate_rows(cuts, R[0], p[0], v_W[0], w_W[0], still, still, points, coefficients, residual, speed, rest)
    return residual, speed


def evaluate_cuts(present: Present, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the residuals (m,), rows (m, nv) and ``dG/dt v`` (m,) of cut joints, whose table is ``cuts`` (n,
    cut_table.COLUMNS).
    """
    from ...dynamics.accelerations import body_accelerations
    from ...dynamics.kinematics import body_velocities
    from ..kernels.cut_joint import evaluate_rows, rows_of_cuts

    forest, (R, p) = present.forest, (poses[0] for poses in present.poses)
    n, arrays = forest.n, (forest.ints, forest.floats, present.q)
    v_W, w_W, a_W, alpha_W = np.zeros((4, n, 3))
    work = np.zeros(work_shape(n))
    body_velocities(*arrays, present.v, R, p, v_W, w_W, work)
    body_accelerations(*arrays, present.v, np.zeros(forest.nv), R, p, w_W, a_W, alpha_W, work)
    m = int(COUNT[cuts[:, cut_table.KIND].astype(np.int64)].sum())
    residual, speed, gamma = np.zeros((3, m))
    G, coefficients, points = np.zeros((m, forest.nv)), np.zeros((m, 6)), np.zeros((len(cuts), 3))
    evaluate_rows(cuts, R, p, v_W, w_W, a_W, alpha_W, points, coefficients, residual, speed, gamma)
    rows_of_cuts(*arrays, R, p, cuts, points, coefficients, G, work)
    return residual, G, gamma


def _references(present: Present, cut: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the references by which linear and angular rows are judged, shapes (12, nv), (6, nv).

    Velocities of frame 2 that the joints of the loop cause, as a point of either body. Where linear ones vanish because the
    point is on an axis, that is small beside what turning does to the length of the loop.
    """
    forest, p = present.forest, present.poses[1][0]
    _, point = _end(present, cut, *_ENDS[1])
    bodies = [int(cut[body_at]) for body_at, _ in _ENDS]
    J, ways = jacobians(present, bodies, point), [_way(forest, body) for body in bodies]
    linear, angular = J[:, :3].reshape(6, -1), J[:, 3:].reshape(6, -1)
    loop = sorted(set(ways[0]) ^ set(ways[1]))
    length = max((_extent(forest, body, p[body] - point) for body in loop), default=0.0)
    return np.vstack([linear, length * angular]), angular


def _way(forest: Forest, body: int) -> list[int]:
    """Return the bodies from one to the world."""
    found = []
    while body >= 0:
        found.append(body)
        body = int(forest.ints[body, PARENT])
    return found


def _extent(forest: Forest, body: int, arm: np.ndarray) -> float:
    """Return the distance of a body's origin, or the radius of gyration where that is larger [m]."""
    mass, inertia = forest.floats[body, MASS], forest.floats[body, INERTIA : INERTIA + 3].sum()
    return max(float(np.linalg.norm(arm)), float(np.sqrt(0.5 * inertia / mass)) if mass > 0.0 else 0.0)
