"""The spanning forest of a segment: bodies and joints in the order in which the kernels go over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dynamics import layout
from .graph import RigidJoint, SceneGraph, rigid_pose
from .structure import Structure

WORLD, DELETED = -1, -2
"""Values of ``frame_body``: fixed in the world, not there any more."""


_Q_SIZE, _V_SIZE = np.array(layout.Q_SIZE), np.array(layout.V_SIZE)


class StatePlaces(NamedTuple):
    """Where the states of hidden joints and free roots are; all arrays int64, one entry for each, in the order of the states.

    Attributes:
        body: number of the body.
        key: index in ``graph.state_names``.
        orientation: how it is described, see `layout.SEQUENCES`.
        q, n_q: first place of the coordinates in ``x_var``, and how many. v, n_v: the same of the speeds.
    """

    body: np.ndarray
    key: np.ndarray
    orientation: np.ndarray
    q: np.ndarray
    n_q: np.ndarray
    v: np.ndarray
    n_v: np.ndarray


def ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """``first[0], first[0] + 1, ...`` (``count[0]`` numbers), then those from ``first[1]`` on, and so on."""
    behind = np.cumsum(count) - count
    return np.repeat(first - behind, count) + np.arange(count.sum())


@dataclass(frozen=True, eq=False)
class Forest:
    """Bodies in an order where parents come first, and the frames they carry. Arrays as in ``docs/architecture.md``, Dynamics.

    Attributes:
        graph, structure: what it was made of.
        ints: int64 (n, 8). floats: float64 (n, 32). gravity: float64 (3,), see `modia3d.dynamics.layout`.
        body_joint: int64 (n,), index of the joint that moves the body in ``graph.joints``; ``-1 - k`` for the free root of
            ``graph.assemblies[k]``.
        reversed: bool (n,), the joint is traversed from obj2 to obj1, so the body carries obj1.
        frame_body: int64 (nf,), body that carries each frame, `WORLD` or `DELETED`.
        frame_R: float64 (nf, 9), ``R_BF``; frame_p: float64 (nf, 3), ``p_BF_B``; B is W for frames of the world;
            zero for deleted frames.
        nq, nv: number of coordinates and speeds, equation joints included; nv are the degrees of freedom.
        n_equation: number of equation joints; they are the first in q and v.
        loops: loop constraints; always empty.
    """

    graph: SceneGraph
    structure: Structure
    ints: np.ndarray
    floats: np.ndarray
    gravity: np.ndarray
    body_joint: np.ndarray
    reversed: np.ndarray
    frame_body: np.ndarray
    frame_R: np.ndarray
    frame_p: np.ndarray
    nq: int
    nv: int
    n_equation: int
    loops: tuple[()] = ()

    @property
    def n(self) -> int:
        """Number of bodies."""
        return len(self.ints)

    @property
    def dof(self) -> int:
        """Degrees of freedom; joints that are held have none."""
        return self.nv - len(self.structure.held)

    @property
    def n_x(self) -> int:
        """Number of states ``x_var = (q_h, v_h)``."""
        return self.nq + self.nv - 2 * self.n_equation

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Name of the joint, or of the free root frame, that each body's coordinates belong to."""
        graph = self.graph
        return tuple(graph.joints[j].name if j >= 0 else graph.assemblies[-1 - j].name for j in self.body_joint.tolist())

    @cached_property
    def x_names(self) -> tuple[str, ...]:
        """Names of ``x_var``: coordinates (``<root>.r[i]``, ``<root>.q[i]``, ``<joint>.phi``), speeds (``<root>.v[i]``)."""
        names = [self.graph.state_names[k] for _, k in self.hidden]
        return tuple(name for q, _ in names for name in q) + tuple(name for _, v in names for name in v)

    @cached_property
    def hidden(self) -> tuple[tuple[int, int], ...]:
        """Bodies whose coordinates are in ``x_var``, in the order of these: (body, index in ``graph.state_names``)."""
        joints, n_joints = self.body_joint.tolist(), len(self.graph.joints)
        roles = self.ints[:, layout.ROLE].tolist()
        return tuple(
            (body, j if j >= 0 else n_joints - 1 - j)
            for body, (j, role) in enumerate(zip(joints, roles, strict=True))
            if role != layout.EQUATION
        )

    @cached_property
    def state_places(self) -> StatePlaces:
        """`hidden` with the places in ``x_var``, as arrays."""
        ints, n_e = self.ints, self.n_equation
        bodies = np.flatnonzero(ints[:, layout.ROLE] != layout.EQUATION)
        joint, rows = self.body_joint[bodies], ints[bodies]
        key = np.where(joint >= 0, joint, len(self.graph.joints) - 1 - joint)
        orientation = rows[:, layout.ORIENTATION]
        n_q = _Q_SIZE[rows[:, layout.KIND]] - (orientation > 0)
        first_v = self.nq - n_e + rows[:, layout.V_INDEX] - n_e
        return StatePlaces(bodies, key, orientation, rows[:, layout.Q_INDEX] - n_e, n_q, first_v, _V_SIZE[rows[:, layout.KIND]])

    @cached_property
    def place(self) -> dict[str, tuple[int, int, int]]:
        """Body, first index in q and in v of each joint and free root, by name."""
        columns = self.ints[:, [layout.Q_INDEX, layout.V_INDEX]].tolist()
        return {name: (body, *columns[body]) for body, name in enumerate(self.body_names)}

    def sequence(self, body: int) -> str:
        """How the coordinates of a body describe an orientation; "quaternion" also where there is none."""
        return layout.SEQUENCES[self.ints[body, layout.ORIENTATION]]

    @cached_property
    def free_roots(self) -> tuple[str, ...]:
        """Names of the root frames of all free trees, in the order of their bodies."""
        names = self.body_names
        return tuple(names[body] for body, j in enumerate(self.body_joint.tolist()) if j < 0)

    @cached_property
    def reversed_joints(self) -> frozenset[str]:
        """Names of the joints that are traversed against their direction."""
        return frozenset(name for name, flag in zip(self.body_names, self.reversed.tolist(), strict=True) if flag)

    def frame_pose(self, frame: int) -> tuple[int, np.ndarray, np.ndarray]:
        """Body, ``R_BF`` (3, 3) and ``p_BF_B`` (3,) of a frame."""
        return int(self.frame_body[frame]), self.frame_R[frame].reshape(3, 3), self.frame_p[frame]

    def __str__(self) -> str:
        names, kinds = self.body_names, layout.KINDS
        lines = [f"{self.n} bodies, {self.dof} degrees of freedom"]
        for body, row in enumerate(self.ints):
            parent = "world" if row[layout.PARENT] < 0 else names[row[layout.PARENT]]
            notes = ("equation", "hidden", "held")[row[layout.ROLE]]
            notes += ", reversed" if self.reversed[body] else ""
            mass = self.floats[body, layout.MASS]
            lines.append(f"{body:4d} {names[body]} <- {parent}: {kinds[row[layout.KIND]]}, {notes}, {mass:.6g} kg")
        return "\n".join(lines)


class StateNames(Sequence[str]):
    """The names of a forest's ``x_var``, made when the first one is asked for; only their number is known at once."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return self._forest.n_x

    def __getitem__(self, index: Any) -> Any:
        return self._forest.x_names[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._forest.x_names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def spanning_forest(graph: SceneGraph, structure: Structure) -> Forest:
    """Breadth first from the world over joints and locks, then from the root of each assembly that was not reached.

    Locked groups become one body with one inertia. A joint that is met from its ``obj2`` is reversed: its axis is negated, so
    that its coordinate keeps its meaning. A tree that does not hang on the world gets a free joint; its root is the root
    frame of the assembly declared first among those locked together. Fixed and locked joints are like locks. The
    work is linear in frames, groups, joints and locks.

    Equal arguments give bit-identical arrays.
    """
    from .forest_kernel import NOT_REACHED, grow

    n_max, n_frames, n_groups = len(graph.joints) + len(graph.assemblies), len(graph.frames), len(graph.group_inertia)
    index, locks = graph.index, structure.locks
    joint_ints, root_ints, rigid = _present_joints(graph, structure)
    pairs = [(index[k.frame_a], index[k.frame_b]) for k in locks] + [graph.joints[j].frames for j, _ in rigid]
    rows = [k.R_AB + k.p_AB_A for k in locks] + [pose for _, pose in rigid]
    lock_frames = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    lock_poses = np.array(rows, dtype=np.float64).reshape(-1, 12)
    ends = np.concatenate((graph.joint_ends, graph.frame_group[lock_frames]))
    alive = np.ones(len(graph.assemblies), dtype=np.int64)
    if structure.deleted:
        alive[:] = [assembly.name not in structure.deleted for assembly in graph.assemblies]

    ints = np.zeros((n_max, layout.INT_COLUMNS), dtype=np.int64)
    floats = np.zeros((n_max, layout.FLOAT_COLUMNS))
    body_joint, turned = np.empty(n_max, dtype=np.int64), np.zeros(n_max, dtype=np.int64)
    frame_body, frame_pose = np.empty(n_frames, dtype=np.int64), np.zeros((n_frames, 12))
    first, following = np.full(n_groups, -1, dtype=np.int64), np.empty(ends.size, dtype=np.int64)
    group_body, group_pose = np.full(n_groups, NOT_REACHED, dtype=np.int64), np.empty((n_groups, 12))
    n, nq, nv = grow(
        graph.frame_group, graph.frame_pose, graph.frame_inverse, graph.group_inertia, joint_ints, graph.joint_parameter,
        graph.joint_pose, graph.root_group, graph.root_pose, root_ints, alive, ends, lock_frames, lock_poses, graph.n_equation,
        ints, floats, body_joint, turned, frame_body, frame_pose,
        first, following, group_body, group_pose, np.empty((2 * len(lock_frames), 12)), np.empty((1, 12)),
    )  # fmt: skip
    for body in range(n) if structure.held else ():
        joint = body_joint[body]
        if joint >= 0 and joint_ints[joint, 1] < 0 and structure.side_of(graph.joints[joint].name) is not None:
            ints[body, layout.ROLE] = layout.HELD
    return Forest(
        graph, structure, ints[:n], floats[:n], np.array(graph.gravity), body_joint[:n], turned[:n].astype(bool), frame_body,
        np.ascontiguousarray(frame_pose[:, :9]), np.ascontiguousarray(frame_pose[:, 9:]), nq, nv, graph.n_equation,
    )  # fmt: skip


def _present_joints(graph: SceneGraph, structure: Structure) -> tuple[np.ndarray, np.ndarray, list[RigidJoint]]:
    """``joint_ints`` and ``root_ints`` of a structure, and the joints that are rigid in it."""
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
