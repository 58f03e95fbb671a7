"""Relative motion of a frame at the start, by the joints and free trees that lie between it and another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..scene.joints import FreeMotionJoint, Joint, JointState
from .build import Pose, compose, inverse
from .graph import SceneGraph


@dataclass(frozen=True, eq=False)
class Link:
    """A joint, or the start of a free tree relative to its parent, on the way from the world to a frame.

    Attributes:
        name: of the joint, or of the root of the free tree.
        joint: the motion; of a free tree a free motion of its start frame relative to the parent.
        reversed: the way goes from ``obj2`` to ``obj1``.
        before: pose of the joint's frame on the world's side in the body there.
        after: pose of the body behind in the joint's other frame.
    """

    name: str
    joint: Joint
    reversed: bool
    before: Pose
    after: Pose

    def motion(self, q: tuple[float, ...]) -> tuple[Pose, np.ndarray]:
        """Return the pose of the frame behind the joint in the one before it, and its velocities there for unit speeds, shape
        (6, n).
        """
        n = len(self.joint.state_names()[1])
        motions = [self.joint.motion(q, unit, "quaternion") for unit in np.eye(n).tolist() or [[]]]
        if self.reversed:
            motions = [motion.inverse() for motion in motions]
        columns = np.array([(*m.v_12_1, *m.w_12_1) for m in motions[:n]]).reshape(n, 6).T
        return (motions[0].R_12, motions[0].p_12_1), columns


@dataclass(frozen=True, eq=False)
class Seen:
    """Motion of a frame F as seen from a frame B, in B.

    Attributes:
        R, p: ``R_BF`` (3, 3) and ``p_BF_B`` (3,) [m].
        columns: velocity and angular velocity for unit speeds of each link, (6, n) by name.
        twist: velocity and angular velocity, shape (6,).
    """

    R: np.ndarray
    p: np.ndarray
    columns: Mapping[str, np.ndarray]
    twist: np.ndarray


def way_to(graph: SceneGraph, frame: int) -> tuple[Link, ...]:
    """Return the links from the world to a frame, through the parents of free trees, too."""
    return tuple(_outwards(graph, frame))[::-1]


def _outwards(graph: SceneGraph, frame: int) -> Iterator[Link]:
    assembly = graph.assemblies[graph.assembly_of(frame)]
    above = {edge.child_group: edge for edge in assembly.tree}
    group = graph.frames[frame].group
    while group in above:
        edge = above[group]
        joint = graph.joints[edge.joint]
        here, there = joint.frames[::-1] if edge.reversed else joint.frames
        yield Link(joint.name, joint.joint, edge.reversed, _pose(graph, here), inverse(_pose(graph, there)))
        group = edge.parent_group
    if assembly.is_world:
        return
    node = graph.frames[assembly.start]
    user = node.frame
    free = FreeMotionJoint(
        "parent", "start", translation=user.translation, rotation=user.rotation,
        velocity=user.velocity, angular_velocity=user.angular_velocity,
    )  # fmt: skip
    parent = node.parent if node.parent >= 0 else graph.world
    yield Link(assembly.name, free, False, _pose(graph, parent), inverse(_pose(graph, assembly.start)))
    yield from _outwards(graph, parent)


class Chain:
    """Joints and free trees between two frames.

    Attributes:
        frame_links, base_links: the links that carry the frame but not the base, and the other way round.
    """

    def __init__(self, graph: SceneGraph, frame: int, base: int) -> None:
        one, two = way_to(graph, frame), way_to(graph, base)
        common = 0
        while common < min(len(one), len(two)) and one[common].name == two[common].name:
            common += 1
        self.frame_links, self.base_links = one[common:], two[common:]
        self._ends = _pose(graph, frame), _pose(graph, base)

    @property
    def links(self) -> tuple[Link, ...]:
        """All links of the chain."""
        return *self.frame_links, *self.base_links

    def seen(self, states: Mapping[str, JointState]) -> Seen:
        """Return the motion of the frame as seen from the base, at the states of all links."""
        (R_F, p_F), frame_columns = _carried(self.frame_links, self._ends[0], states)
        (R_B, p_B), base_columns = _carried(self.base_links, self._ends[1], states)
        to_B, sizes = np.zeros((6, 6)), [S.shape[1] for S in (*frame_columns, *base_columns)]
        to_B[:3, :3] = to_B[3:, 3:] = R_B.T
        both = [np.hstack([np.zeros((6, 0)), *columns]) for columns in (frame_columns, base_columns)]
        both[1][:3] += _cross(both[1][3:], (p_F - p_B)[:, None])
        J, ends = to_B @ np.hstack([both[0], -both[1]]), np.cumsum(sizes)
        columns = {link.name: J[:, end - n : end] for link, n, end in zip(self.links, sizes, ends, strict=True)}
        speeds = [speed for link in self.links for speed in states[link.name][1]]
        return Seen(R_B.T @ R_F, R_B.T @ (p_F - p_B), columns, J @ np.array(speeds))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the vector products of columns, shape (3, n)."""
    return a[[1, 2, 0]] * b[[2, 0, 1]] - a[[2, 0, 1]] * b[[1, 2, 0]]


def _carried(links: tuple[Link, ...], end: Pose, states: Mapping[str, JointState]) -> tuple[Pose, list[np.ndarray]]:
    """Return the pose of a frame behind links, and its velocities for unit speeds of each link, in the body before the first
    one.
    """
    here: Pose = np.eye(3), np.zeros(3)
    moved = []
    for link in links:
        R, p = compose(here, link.before)
        pose, S = link.motion(states[link.name][0])
        across = compose((R, p), pose)
        moved.append((R @ S[:3], R @ S[3:], across[1]))
        here = compose(across, link.after)
    R, p = compose(here, end)
    return (R, p), [np.vstack([v + _cross(w, (p - at)[:, None]), w]) for v, w, at in moved]


def _pose(graph: SceneGraph, frame: int) -> Pose:
    row = graph.frame_pose[frame]
    return row[:9].reshape(3, 3), row[9:]
