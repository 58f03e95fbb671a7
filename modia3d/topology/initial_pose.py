"""Initial values of joints from wanted poses of frames: inverse kinematics by damped least squares (Levenberg, Marquardt).

Poses and velocities are those of `states.initial_motion`, so that everything that starts relative to something else is
respected. The Jacobian is exact: its columns are the velocities for unit speeds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.initial_pose import InitialPose
from ..scene.joints import LimitedJoint
from ..scene.rotations import coordinates_of, rotation_matrix
from .graph import JointEdge, SceneGraph
from .motion import FrameMotion
from .states import JointStart, initial_motion

TOLERANCE = 1e-10
"""Largest error of position [m] and orientation [rad] that counts as reached, relative to the size of the mechanism."""
MAX_ITERATIONS = 200
GUESSES = 12
"""The first guess are the joints' own initial values, the others are spread at random (always the same) between the limits."""


def posed_joints(graph: SceneGraph, poses: Mapping[str, InitialPose], start: JointStart) -> dict[str, tuple[float, float]]:
    """Initial coordinate and speed of all joints that wanted poses determine.

    Args:
        graph: the graph.
        poses: by path; they are met one after the other.
        start: of the joints with a flange, as the user gives them.

    Raises:
        ModelError: an unknown frame or joint, a joint that cannot be computed, or a pose out of reach.
    """
    found: dict[str, tuple[float, float]] = {}
    for name, pose in poses.items():
        try:
            found |= _Reach(graph, name, pose, dict(start) | found).solve()
        except ModelError as error:
            error.path = error.path or name
            raise
    return found


@dataclass(frozen=True, eq=False)
class _Error:
    """Differences in world: of the pose (m,), and of the velocity (n,); what is not wanted is left out."""

    pose: np.ndarray
    velocity: np.ndarray


class _Reach:
    """One wanted pose."""

    def __init__(self, graph: SceneGraph, name: str, pose: InitialPose, start: dict[str, tuple[float, float]]) -> None:
        scope = name.rpartition(".")[0]
        self.graph, self.wanted, self.start = graph, pose, start
        frame = graph.frame_index(pose.obj, scope, user=name)
        base = graph.frame_index(pose.relative_to, scope, user=name) if pose.relative_to else graph.world
        self.frame, self.base = graph.frames[frame].name, graph.frames[base].name
        joints = [graph.joints[graph.joint_index(j, scope, user=name)] for j in pose.joints]
        self.joints = joints or list(_between(graph, frame, base))
        for edge in self.joints:
            if not isinstance(edge.joint, LimitedJoint):
                raise ModelError(
                    "the initial value of this joint cannot be computed from a pose",
                    path=edge.name,
                    found=edge.joint.kind,
                    expected="a revolute, prismatic or screw joint",
                    remedy="Name the joints as joints=[...].",
                )
        if not self.joints:
            raise ModelError(
                "no joint of one coordinate moves it",
                path=name,
                found=f"no revolute, prismatic or screw joint between {self.base} and {self.frame}",
                remedy="Give other joints and free Object3Ds their own initial values (translation, rotation, ...).",
            )
        limits = [edge.joint.limits or (-math.inf, math.inf) for edge in self.joints]  # type: ignore[attr-defined]
        self.lower, self.upper = np.array(limits).T

    def solve(self) -> dict[str, tuple[float, float]]:
        """Coordinates and speeds by name."""
        guess, speeds = (np.array(values) for values in zip(*map(self._given, self.joints), strict=True))
        q = self._coordinates(np.clip(guess, self.lower, self.upper))
        if self.wanted.velocity is not None or self.wanted.angular_velocity is not None:
            speeds = self._speeds(q)
        return {edge.name: (float(a), float(b)) for edge, a, b in zip(self.joints, q, speeds, strict=True)}

    def _given(self, edge: JointEdge) -> tuple[float, float]:
        if edge.name in self.start:
            return self.start[edge.name]
        (q,), (v,) = edge.joint.start("quaternion")
        return q, v

    def _coordinates(self, guess: np.ndarray) -> np.ndarray:
        best, smallest = guess, math.inf
        for q in self._guesses(guess):
            q, error = self._descend(q)
            if error < smallest:
                best, smallest = q, error
            if smallest <= TOLERANCE * self._size():
                return best
        reached = self._error(best, np.zeros_like(best)).pose
        rows = 0 if self.wanted.translation is None else 3
        position, angle = (float(np.linalg.norm(part)) for part in (reached[:rows], reached[rows:]))
        raise ModelError(
            "the initial pose cannot be reached",
            found=f"nearest: {position:.4g} m and {angle:.4g} rad away, at "
            + ", ".join(f"{e.name} = {x:.6g}" for e, x in zip(self.joints, best, strict=True)),
            expected="a pose within reach of the joints and their limits",
            remedy="Give fewer conditions, more joints, or initial values of the joints nearer to it.",
        )

    def _guesses(self, first: np.ndarray) -> Iterator[np.ndarray]:
        yield first
        random = np.random.default_rng(0)
        lower = np.where(np.isfinite(self.lower), self.lower, first - math.pi)
        upper = np.where(np.isfinite(self.upper), self.upper, first + math.pi)
        for _ in range(GUESSES - 1):
            yield random.uniform(lower, upper)

    def _descend(self, q: np.ndarray) -> tuple[np.ndarray, float]:
        """The nearest minimum of the error from a guess, within the limits, and the error there."""
        damping = 1e-3
        error = self._error(q, np.zeros_like(q)).pose
        for _ in range(MAX_ITERATIONS):
            if np.linalg.norm(error) <= 1e-3 * TOLERANCE:
                break
            J = self._jacobian(q)[0]
            J[:, ((q <= self.lower) & (J.T @ error < 0.0)) | ((q >= self.upper) & (J.T @ error > 0.0))] = 0.0
            step = np.linalg.solve(J.T @ J + damping**2 * np.eye(len(q)), J.T @ error)
            tried = np.clip(q + step, self.lower, self.upper)
            left = self._error(tried, np.zeros_like(q)).pose
            if np.linalg.norm(left) < np.linalg.norm(error):
                q, error, damping = tried, left, damping / 5.0
            elif damping > 1e3:
                break
            else:
                damping *= 4.0
        return q, float(np.linalg.norm(error))

    def _speeds(self, q: np.ndarray) -> np.ndarray:
        J, wanted = self._jacobian(q)[1], self._error(q, np.zeros_like(q)).velocity
        speeds: np.ndarray = np.linalg.lstsq(J, wanted, rcond=1e-10)[0]
        left = float(np.linalg.norm(J @ speeds - wanted))
        if left > 1e-8 * (1.0 + float(np.linalg.norm(wanted))):
            raise ModelError(
                "the initial velocity cannot be reached",
                found=f"{left:.4g} (m/s, rad/s) left",
                expected="a velocity that the joints can give",
                remedy="Give fewer conditions, or more joints.",
            )
        return speeds

    def _size(self) -> float:
        motion = self._relative(np.zeros(len(self.joints)), np.zeros(len(self.joints)))[0]
        return 1.0 + float(np.linalg.norm(motion.p_WF))

    def _relative(self, q: np.ndarray, v: np.ndarray) -> tuple[FrameMotion, FrameMotion]:
        values = {edge.name: (float(a), float(b)) for edge, a, b in zip(self.joints, q, v, strict=True)}
        motion = initial_motion(self.graph, self.start | values)
        return motion(self.frame), motion(self.base)

    def _error(self, q: np.ndarray, v: np.ndarray) -> _Error:
        """What is missing to the wanted pose and velocity."""
        frame, base = self._relative(q, v)
        wanted, R = self.wanted, base.R_WF
        arm = frame.p_WF - base.p_WF
        pose, velocity = [], []
        if wanted.translation is not None:
            pose.append(base.p_WF + R @ wanted.translation - frame.p_WF)
        if wanted.rotation is not None:
            pose.append(_rotation_vector(R @ rotation_matrix(wanted.rotation) @ frame.R_WF.T))
        if wanted.velocity is not None:
            velocity.append(R @ wanted.velocity - (frame.v_WF_W - base.v_WF_W - np.cross(base.w_WF_W, arm)))
        if wanted.angular_velocity is not None:
            velocity.append(R @ wanted.angular_velocity - (frame.w_WF_W - base.w_WF_W))
        return _Error(*(np.concatenate([np.zeros(0), *parts]) for parts in (pose, velocity)))

    def _jacobian(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Columns for each joint: of what the pose wants, and of what the velocity wants."""
        rest, columns = self._twist(q, np.zeros_like(q)), []
        for k in range(len(q)):
            unit = np.zeros_like(q)
            unit[k] = 1.0
            columns.append(self._twist(q, unit) - rest)
        J, wanted = np.array(columns).T, self.wanted
        linear, angular = np.repeat([True, False], 3), np.repeat([False, True], 3)
        choices = ((wanted.translation, wanted.rotation), (wanted.velocity, wanted.angular_velocity))
        first, second = ((linear & (a is not None)) | (angular & (b is not None)) for a, b in choices)
        return J[first], J[second]

    def _twist(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        frame, base = self._relative(q, v)
        linear = frame.v_WF_W - base.v_WF_W - np.cross(base.w_WF_W, frame.p_WF - base.p_WF)
        return np.concatenate([linear, frame.w_WF_W - base.w_WF_W])


def _rotation_vector(R: np.ndarray) -> np.ndarray:
    """Axis times angle [rad] of a rotation."""
    w, *axis = coordinates_of("quaternion", R)
    length = math.hypot(*axis)
    if length == 0.0:
        return np.zeros(3)
    angle = 2.0 * math.atan2(length, w)
    return np.array(axis) * ((angle - 2.0 * math.pi if angle > math.pi else angle) / length)


def _between(graph: SceneGraph, frame: int, base: int) -> Iterator[JointEdge]:
    """The joints of one coordinate between two frames of an assembly, or between the start of an assembly and a frame."""
    group, end = graph.frames[frame].group, graph.frames[base].group
    assembly = graph.assemblies[graph.assembly_of(frame)]
    above = {edge.child_group: edge for edge in assembly.tree}

    def way(g: int) -> list[int]:
        joints = []
        while g in above:
            joints.append(above[g].joint)
            g = above[g].parent_group
        return joints

    one, two = way(group), way(end) if graph.assembly_of(base) == graph.assembly_of(frame) else []
    for j in (*one, *two):
        edge = graph.joints[j]
        if (j in one) != (j in two) and isinstance(edge.joint, LimitedJoint):
            yield edge
