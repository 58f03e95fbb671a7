"""Edges between the groups of a structure, as the kernel of the forest reads them; with loops cut where `cuts` says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.once import once

from ..dynamics.basics import layout
from .cuts import Choice, Cut, Edge, choose_cuts, rigid_joint, solid_groups
from .forest_layout import PARTS
from .graph import RigidJoint, SceneGraph, rigid_pose
from .structure import Structure

K = TypeVar("K")
V = TypeVar("V")

CAPACITY = 32
"""So many choices of cuts are remembered of a graph."""


@dataclass(eq=False)
class Parts:
    """Parts that are to be connected: groups, joints, roots. Not to be changed once they are made.

    Attributes:
        frame_group, frame_pose, frame_inverse, inertia, joint_ends: as in `SceneGraph`; behind them those of copies.
        joint_ints, root_ints: as in `SceneGraph`, with the present sequences; -1 as kind where a joint is rigid or cut.
        joint_parameter, joint_pose, root_group, root_pose, n_equation: as in `SceneGraph`.
    """

    frame_group: np.ndarray
    frame_pose: np.ndarray
    frame_inverse: np.ndarray
    inertia: np.ndarray
    joint_ends: np.ndarray
    joint_ints: np.ndarray
    root_ints: np.ndarray
    joint_parameter: np.ndarray
    joint_pose: np.ndarray
    root_group: np.ndarray
    root_pose: np.ndarray
    n_equation: int

    @once
    def sizes(self) -> dict[str, int]:
        """Return the numbers of frames, groups, joints, roots, and of bodies at most."""
        n_joints, n_roots = len(self.joint_ints), len(self.root_group)
        sizes = {"n_frames": len(self.frame_group), "n_groups": len(self.inertia), "n_joints": n_joints, "n_roots": n_roots}
        return {**sizes, "n_most": n_joints + n_roots}

    @once
    def record(self) -> np.ndarray:
        """Return the record `PARTS`."""
        sizes = {name: size for name, size in self.sizes.items() if name != "n_most"}
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return np.array(PARTS.head(**sizes, n_equation=self.n_equation, **arrays))

    @once
    def address(self) -> int:
        """Return the address of the record."""
        return data_address(self.record)

    def without_joints(self, cut: tuple[int, ...]) -> Parts:
        """Return the same where these joints are cut. Made once."""
        made = self._cut.get(cut)
        if made is None:
            joint_ints = self.joint_ints.copy()
            joint_ints[list(cut), 0] = -1
            made = _put(self._cut, cut, replace(self, joint_ints=joint_ints))
        return made

    @once
    def _cut(self) -> dict[tuple[int, ...], Parts]:
        return {}


def _put(known: dict[K, V], key: K, value: V) -> V:
    """Remember a value; where there are too many, nothing else."""
    if len(known) >= CAPACITY:
        known.clear()
    known[key] = value
    return value


class Edges(NamedTuple):
    """Joints, locks, and what they are between.

    Attributes:
        parts: see `Parts`.
        rigid: the joints that are rigid.
        lock_frames, lock_poses: int64 (n, 2), float64 (n, 12): frames of the rigid connections, pose of the second one in the
            first; locks, then rigid joints.
    """

    parts: Parts
    rigid: list[RigidJoint]
    lock_frames: np.ndarray
    lock_poses: np.ndarray


def _graph_parts(graph: SceneGraph) -> Parts:
    """Return the parts of a graph. They are not the graph's: addresses must not be copied or pickled with it."""
    parts = _PARTS.get(graph)
    if parts is None:
        parts = _PARTS[graph] = Parts(
            graph.frame_group, graph.frame_pose, graph.frame_inverse, graph.group_inertia, graph.joint_ends, graph.joint_ints,
            graph.root_ints, graph.joint_parameter, graph.joint_pose, graph.root_group, graph.root_pose, graph.n_equation,
        )  # fmt: skip
    return parts


_PARTS: WeakKeyDictionary[SceneGraph, Parts] = WeakKeyDictionary()


def present_edges(graph: SceneGraph, structure: Structure) -> Edges:
    """Return all of them."""
    index, locks = graph.index, structure.locks
    parts, rigid = _present_parts(graph, structure)
    if not (locks or rigid):
        return Edges(parts, rigid, _NO_PAIRS, _NO_POSES)
    frames = [*map(index.__getitem__, chain.from_iterable(map(_FRAMES, locks)))]  # nothing of Python for each lock
    poses = [*map(_POSE, locks)]
    for joint, pose in rigid:
        frames += graph.joints[joint].frames
        poses.append(np.array(pose))
    return Edges(parts, rigid, np.array(frames, np.int64).reshape(-1, 2), np.concatenate(poses).reshape(-1, 12))


_FRAMES, _POSE = attrgetter("frame_a", "frame_b"), attrgetter("pose")
_NO_PAIRS, _NO_POSES = np.zeros((0, 2), np.int64), np.zeros((0, 12))


def _present_parts(graph: SceneGraph, structure: Structure) -> tuple[Parts, list[RigidJoint]]:
    """Return the parts of a structure, and the joints that are rigid in it."""
    parts = _graph_parts(graph)
    if not structure.sequences and not structure.welded:
        return parts, list(graph.rigid_joints)
    joint_ints, root_ints = graph.joint_ints.copy(), graph.root_ints.copy()
    sequences = dict(structure.sequences)
    for table, owners in ((joint_ints, graph.joints), (root_ints, graph.assemblies)):
        for k in np.flatnonzero(table[:, -1]).tolist() if sequences else ():
            name = owners[k].name
            table[k, -2] = layout.SEQUENCES.index(sequences.get(name, "xyz"))
    rigid = list(graph.rigid_joints)
    for lock in structure.welded:
        j = graph.joint_number[lock.name]
        rigid.append((j, rigid_pose(graph.joints[j].joint, lock.q, layout.SEQUENCES[joint_ints[j, 2]])))
        joint_ints[j, 0] = -1
    return replace(parts, joint_ints=joint_ints, root_ints=root_ints), sorted(rigid)


def cut_edges(graph: SceneGraph, structure: Structure, edges: Edges) -> tuple[Edges, tuple[Cut, ...]]:
    """Return the edges that are left, and the cuts, those of joints as these are declared, then those of locks."""
    choice = _chosen(graph, structure, edges)
    n_joints, n_locks = len(graph.joints), len(structure.locks)
    row_of = {j: n_locks + i for i, (j, _) in enumerate(edges.rigid)}
    cuts: dict[int, Cut] = {}
    moving, dropped = list[int](), set[int]()
    for k in choice.edges:
        if k < n_joints and k not in row_of:
            cuts[k] = _connections(graph).cuts[k]
            moving.append(k)
            continue
        row = row_of[k] if k < n_joints else k - n_joints
        one, two = edges.lock_frames[row].tolist()
        name = graph.joints[k].name if k < n_joints else str(structure.locks[row])
        cuts[k] = Cut(name, one, two, rigid_joint((graph.frames[one].name, graph.frames[two].name), edges.lock_poses[row]))
        dropped.add(row)
    if moving:
        edges = Edges(edges.parts.without_joints(tuple(moving)), *edges[1:])
    left, welds = _split(graph, edges, choice, row_of) if choice.splits else (edges, dict[int, Cut]())
    if dropped:
        rows = [row for row in range(len(left.lock_frames)) if row not in dropped]
        left = left._replace(lock_frames=left.lock_frames[rows], lock_poses=left.lock_poses[rows])
    cuts |= welds
    return left, tuple(cuts[k] for k in sorted(cuts))


class _Connections(NamedTuple):
    """Connections of a graph that can be cut.

    Attributes:
        joints: as if all of them moved. cuts: what each of them is where it is cut.
        solid: whether each group has inertia of its own.
        chosen: what was cut, see `_chosen`.
    """

    joints: tuple[Edge, ...]
    cuts: tuple[Cut, ...]
    solid: tuple[bool, ...]
    chosen: dict[tuple[tuple[int, ...], bytes], Choice]


def _connections(graph: SceneGraph) -> _Connections:
    known = _CONNECTIONS.get(graph)
    if known is None:
        joints = tuple(Edge(edge.groups, False, edge.joint, edge.name) for edge in graph.joints)
        cuts = tuple(Cut(edge.name, *edge.frames, edge.joint) for edge in graph.joints)
        known = _CONNECTIONS[graph] = _Connections(joints, cuts, solid_groups(graph.group_inertia), {})
    return known


_CONNECTIONS: WeakKeyDictionary[SceneGraph, _Connections] = WeakKeyDictionary()


def element_cuts(graph: SceneGraph) -> tuple[Cut, ...]:
    """Return the rows of constraint elements: those are never edges, so each of them is a cut."""
    return tuple(Cut(edge.name, *edge.frames, group) for edge in graph.elements for group in edge.element.groups())


def _chosen(graph: SceneGraph, structure: Structure, edges: Edges) -> Choice:
    """Return the choice of cuts among joints (by their number) and locks (behind them).

    It depends on which joints are rigid and which frames are locked, not on any pose: a loop that is closed again is cut as it
    was. Joints of what was deleted are among them; no forest reaches these.
    """
    connections = _connections(graph)
    locks = edges.lock_frames[: len(structure.locks)]
    key = tuple([j for j, _ in edges.rigid]), locks.tobytes()
    known = connections.chosen.get(key)
    return _put(connections.chosen, key, _choose(graph, edges, locks)) if known is None else known


def _choose(graph: SceneGraph, edges: Edges, locks: np.ndarray) -> Choice:
    """See `_chosen`; ``locks`` are frames of the locks, shape (n, 2)."""
    connections, frames = _connections(graph), graph.frames
    known = [*connections.joints]
    for j, _ in edges.rigid:
        known[j] = known[j]._replace(rigid=True)
    known += [Edge((frames[one].group, frames[two].group), True) for one, two in locks.tolist()]
    return choose_cuts(known, graph.group_inertia, connections.solid, frames[graph.world].group)


def _split(graph: SceneGraph, edges: Edges, choice: Choice, row_of: dict[int, int]) -> tuple[Edges, dict[int, Cut]]:
    """Return the edges with bodies cut in two, and the welds by the number of the joint that ends at the copy.

    Args:
        row_of: of rigid joints, by their number: row in ``lock_frames``.
    """
    n_joints, parts = len(graph.joints), edges.parts
    inertia, ends = parts.inertia.copy(), parts.joint_ends.copy()
    shares = {split.groups: 1.0 + sum(other.groups == split.groups for other in choice.splits) for split in choice.splits}
    for groups, count in shares.items():
        inertia[list(groups)] /= count
    copied: list[int] = []
    frames: list[tuple[int, int]] = []
    lock_frames, rows = edges.lock_frames.tolist(), list[int](range(len(edges.lock_frames)))
    welds: dict[int, Cut] = {}

    def copy_of(frame: int, group: dict[int, int]) -> int:
        frames.append((frame, group[graph.frames[frame].group]))
        return len(graph.frames) + len(frames) - 1

    for split in choice.splits:
        copies = {group: len(inertia) + len(copied) + i for i, group in enumerate(split.groups)}
        copied += split.groups
        joint = graph.joints[split.edge]
        frame, name = joint.frames[split.side], graph.frames[joint.frames[split.side]].name
        welds[split.edge] = Cut(joint.name, frame, copy_of(frame, copies), rigid_joint((name, name), _IDENTITY))
        ends[split.edge, split.side] = copies[joint.groups[split.side]]
        for k in split.rigid:
            row = row_of[k] if k < n_joints else k - n_joints
            lock_frames.append([copy_of(end, copies) for end in lock_frames[row]])
            rows.append(row)
    copies_of, at = (np.array(column, dtype=np.int64) for column in zip(*frames, strict=True))
    more = replace(
        parts,
        frame_group=np.concatenate((parts.frame_group, at)),
        frame_pose=np.concatenate((parts.frame_pose, parts.frame_pose[copies_of])),
        frame_inverse=np.concatenate((parts.frame_inverse, parts.frame_inverse[copies_of])),
        inertia=np.concatenate((inertia, inertia[copied])),
        joint_ends=ends,
    )
    return Edges(more, edges.rigid, np.array(lock_frames, dtype=np.int64).reshape(-1, 2), edges.lock_poses[rows]), welds


_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
