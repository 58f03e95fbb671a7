"""What connects the groups of a structure, as the kernel of the forest reads it; with loops cut where `cuts` says."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..dynamics.basics import layout
from .cuts import Choice, Cut, Edge, choose_cuts, rigid_joint
from .graph import RigidJoint, SceneGraph, rigid_pose
from .structure import Structure


class Edges(NamedTuple):
    """Joints, locks, and the groups and frames that they are between.

    Attributes:
        frame_group, frame_pose, frame_inverse, inertia: as in `SceneGraph`; behind them those of copies.
        joint_ints, root_ints: as in `SceneGraph`, with the present sequences; -1 as kind where a joint is rigid or cut.
        rigid: the joints that are rigid.
        ends: int64 (nj + n, 2), groups at both ends of joints, then of rigid connections.
        lock_frames, lock_poses: int64 (n, 2), float64 (n, 12): frames of the rigid connections, pose of the second one in the
            first; locks, then rigid joints.
    """

    frame_group: np.ndarray
    frame_pose: np.ndarray
    frame_inverse: np.ndarray
    inertia: np.ndarray
    joint_ints: np.ndarray
    root_ints: np.ndarray
    rigid: list[RigidJoint]
    ends: np.ndarray
    lock_frames: np.ndarray
    lock_poses: np.ndarray


def present_edges(graph: SceneGraph, structure: Structure) -> Edges:
    """All of them."""
    index, locks = graph.index, structure.locks
    joint_ints, root_ints, rigid = _present_joints(graph, structure)
    pairs = [(index[k.frame_a], index[k.frame_b]) for k in locks] + [graph.joints[j].frames for j, _ in rigid]
    rows = [k.pose for k in locks] + [np.array(pose) for _, pose in rigid]
    lock_frames = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    lock_poses = np.concatenate(rows).reshape(-1, 12) if rows else np.zeros((0, 12))
    ends = np.concatenate((graph.joint_ends, graph.frame_group[lock_frames]))
    return Edges(
        graph.frame_group, graph.frame_pose, graph.frame_inverse, graph.group_inertia, joint_ints, root_ints, rigid,
        ends, lock_frames, lock_poses,
    )  # fmt: skip


def _present_joints(graph: SceneGraph, structure: Structure) -> tuple[np.ndarray, np.ndarray, list[RigidJoint]]:
    """``joint_ints`` and ``root_ints`` of a structure, and the joints that are rigid in it."""
    if not structure.sequences and not structure.locked:
        return graph.joint_ints, graph.root_ints, list(graph.rigid_joints)
    joint_ints, root_ints = graph.joint_ints.copy(), graph.root_ints.copy()
    sequences = dict(structure.sequences)
    for table, owners in ((joint_ints, graph.joints), (root_ints, graph.assemblies)):
        for k in np.flatnonzero(table[:, -1]).tolist() if sequences else ():
            name = owners[k].name
            table[k, -2] = layout.SEQUENCES.index(sequences.get(name, "xyz"))
    rigid = list(graph.rigid_joints)
    for lock in structure.locked:
        j = graph.joint_number[lock.name]
        rigid.append((j, rigid_pose(graph.joints[j].joint, lock.q, layout.SEQUENCES[joint_ints[j, 2]])))
        joint_ints[j, 0] = -1
    return joint_ints, root_ints, sorted(rigid)


def cut_edges(graph: SceneGraph, structure: Structure, edges: Edges) -> tuple[Edges, tuple[Cut, ...]]:
    """The edges that are left, and the cuts, those of joints as these are declared, then those of locks."""
    choice = _chosen(graph, structure, edges)
    n_joints, n_locks = len(graph.joints), len(structure.locks)
    row_of = {j: n_locks + i for i, (j, _) in enumerate(edges.rigid)}
    cuts: dict[int, Cut] = {}
    joint_ints, dropped = edges.joint_ints.copy(), set[int]()
    for k in choice.edges:
        if k < n_joints and k not in row_of:
            edge = graph.joints[k]
            cuts[k] = Cut(edge.name, *edge.frames, edge.joint)
            joint_ints[k, 0] = -1
            continue
        row = row_of[k] if k < n_joints else k - n_joints
        one, two = edges.lock_frames[row].tolist()
        name = graph.joints[k].name if k < n_joints else str(structure.locks[row])
        cuts[k] = Cut(name, one, two, rigid_joint((graph.frames[one].name, graph.frames[two].name), edges.lock_poses[row]))
        dropped.add(row)
    left, welds = _split(graph, structure, edges._replace(joint_ints=joint_ints), choice, row_of)
    rows = np.array([row for row in range(len(left.lock_frames)) if row not in dropped], dtype=np.int64)
    ends = np.concatenate((left.ends[:n_joints], left.ends[n_joints + rows]))
    left = left._replace(ends=ends, lock_frames=left.lock_frames[rows], lock_poses=left.lock_poses[rows])
    cuts |= welds
    return left, tuple(cuts[k] for k in sorted(cuts))


def element_cuts(graph: SceneGraph) -> tuple[Cut, ...]:
    """The rows of constraint elements: those are never edges, so each of them is a cut."""
    return tuple(Cut(edge.name, *edge.frames, group) for edge in graph.elements for group in edge.element.groups())


def _chosen(graph: SceneGraph, structure: Structure, edges: Edges) -> Choice:
    """What is cut of joints (by their number) and locks (behind them) that are there."""
    is_rigid = {j for j, _ in edges.rigid}
    ends = edges.ends.tolist()
    known = [Edge((*ends[j],), j in is_rigid, edge.joint, edge.name) for j, edge in enumerate(graph.joints)]
    known += [Edge((*ends[len(known) + i],), True) for i in range(len(structure.locks))]
    choice = choose_cuts(known, graph.group_inertia, graph.frames[graph.world].group)
    if not structure.deleted:
        return choice
    there = [graph.assemblies[graph.group_assembly[edge.groups[0]]].name not in structure.deleted for edge in known]
    return Choice(tuple(k for k in choice.edges if there[k]), tuple(split for split in choice.splits if there[split.edge]))


def _split(
    graph: SceneGraph, structure: Structure, edges: Edges, choice: Choice, row_of: dict[int, int]
) -> tuple[Edges, dict[int, Cut]]:
    """Edges with bodies cut in two, and the welds by the number of the joint that ends at the copy.

    Args:
        row_of: of rigid joints, by their number: row in ``lock_frames``.
    """
    if not choice.splits:
        return edges, {}
    n_joints, inertia, ends = len(graph.joints), edges.inertia.copy(), edges.ends.copy()
    parts = {split.groups: 1.0 + sum(other.groups == split.groups for other in choice.splits) for split in choice.splits}
    for groups, count in parts.items():
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
    frame_group = np.concatenate((edges.frame_group, at))
    pairs = np.array(lock_frames, dtype=np.int64).reshape(-1, 2)
    return edges._replace(
        frame_group=frame_group,
        frame_pose=np.concatenate((edges.frame_pose, edges.frame_pose[copies_of])),
        frame_inverse=np.concatenate((edges.frame_inverse, edges.frame_inverse[copies_of])),
        inertia=np.concatenate((inertia, inertia[copied])),
        ends=np.concatenate((ends, frame_group[pairs[len(edges.lock_frames) :]])),
        lock_frames=pairs,
        lock_poses=edges.lock_poses[rows],
    ), welds


_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
