"""The user's graph: frames in rigid groups, joints between groups, assemblies of groups connected by joints.

It is built once and never changes. Locks and deletions are a `Structure` beside it (`edits.py`); what a segment computes
with is the `Forest` made of both (`forest.py`).

`graph.py`: `build_graph(objects) -> SceneGraph`, immutable: frames, definition-level rigid groups, joints,
assemblies. `forest.py`: `spanning_forest(graph, structure) -> Forest`; where there are loops `cuts.py` chooses what is
left out of it, and `edges.py` has the arrays of what is left. `check_structure.py`: whether a saved one fits
the graph. `edits.py`: all structural edits, pure functions `Structure -> Structure`, with the contract of
`docs/structural_change.md`; names are looked up in `lookup.py`, paths over locks in `lock_paths.py`. What appears
(`ActionAdd`, `placement.py`) has a motion before a forest carries it: `appearance.py` puts it into the `Present` in
which later edits of the same change, mating and the states of the next segment find it (`Edited`). Parked assemblies
are deleted at the start. `Structure` holds the locks (`Lock(frame_a, frame_b, R_AB, p_AB_A)`), the deleted
assemblies, the welded joints (`JointWeld(name, q)`) and the present Cardan sequences of automatic orientations. A
`Fix` and a locked joint are for the forest what a lock is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ..scene.basics.checks import Vector3
from ..scene.constraint_elements.base import ConstraintElement
from ..scene.frame import Frame
from ..scene.gravity import UniformGravity
from ..scene.joints import Joint
from ..scene.scene_feature import SceneFeature


@dataclass(frozen=True)
class FrameNode:
    """Node of the scene graph: an `Object3D`.

    Attributes:
        name: path relative to the `Model3D`.
        frame: what the user wrote.
        parent: index of the parent frame, -1 if there is none.
        group: index of its rigid group.
    """

    name: str
    frame: Frame
    parent: int
    group: int


@dataclass(frozen=True)
class JointEdge:
    """Edge of the scene graph: a joint between two frames.

    Attributes:
        name: path relative to the `Model3D`.
        joint: what the user wrote.
        frames: indices of the frames ``obj1`` and ``obj2``.
        groups: indices of their rigid groups.
        equation: place among the joints with a flange (its index in q and v), -1 for a passive joint.
    """

    name: str
    joint: Joint
    frames: tuple[int, int]
    groups: tuple[int, int]
    equation: int


@dataclass(frozen=True)
class ElementEdge:
    """A constraint element of the graph.

    Attributes:
        name: path relative to the `Model3D`.
        element: what the user wrote.
        frames: indices of the frames ``obj1`` and ``obj2``.
    """

    name: str
    element: ConstraintElement
    frames: tuple[int, int]


@dataclass(frozen=True)
class TreeEdge:
    """A joint in the tree of an assembly; ``reversed``: the child is the group of ``obj1``."""

    joint: int
    parent_group: int
    child_group: int
    reversed: bool


@dataclass(frozen=True)
class Assembly:
    """Groups connected by joints, without locks; what stays together whatever is released.

    Attributes:
        name: name of its root frame.
        root: index of the frame whose motion are the states when the assembly is free: the one with ``assembly_root``, else the
            one that is not fixed to its parent, else the first one declared. The world frame in the assembly of the world.
        start: index of the frame whose translation, rotation and velocities say how the assembly starts.
        groups: indices of its groups, parents in ``tree`` first; the first one is the group of ``start``.
        tree: joints of a spanning tree, parents first, seen from the group of ``start``.
        joints: indices of all its joints: those of the tree, and those that close loops.
        is_world: the assembly of the world.
        prescribed_joints: names of the joints with a flange.
    """

    name: str
    root: int
    start: int
    groups: tuple[int, ...]
    tree: tuple[TreeEdge, ...]
    joints: tuple[int, ...]
    is_world: bool
    prescribed_joints: tuple[str, ...]

    @property
    def loops(self) -> tuple[int, ...]:
        """The joints that close loops, ascending."""
        return tuple(sorted(set(self.joints).difference(edge.joint for edge in self.tree)))


@dataclass(frozen=True, eq=False)
class SceneGraph:
    """Frames, rigid groups, joints and assemblies; all arrays in C order, not to be written.

    A group G has the frame of its first member (the one that is not fixed to a parent).

    Attributes:
        frames, joints, elements: in the order of declaration; a frame's index is its place here.
        assemblies: the assembly of the world first, the others in the order of their first frame.
        index: frame name -> index.
        group_assembly: assembly of each group.
        start_order: indices of the assemblies such that the assembly of a start frame's parent comes first.
        scene: the feature of the world.
        n_equation: number of joints with a flange.
        frame_group: int64 (nf,). frame_pose: float64 (nf, 12), ``R_GF`` row-major and ``p_GF_G``; frame_inverse: its inverse.
        group_inertia: float64 (ng, 10), see `inertia`.
        joint_ints: int64 (nj, 4): kind (-1: fixed), equation, place of the orientation in `layout.SEQUENCES`, 1 if automatic.
            joint_parameter: float64 (nj,), see `layout.PARAMETER`. joint_ends: int64 (nj, 2), groups of obj1 and obj2.
        joint_pose: float64 (2 nj, 24), two rows for each joint, as seen from obj1 and from obj2: pose of the joint frame J in
            this group, and of the other group in the body frame B, which is J at the coordinate zero.
        root_group, root_pose: int64 (na,), float64 (na, 12): group of each assembly's root, pose of the group in the root.
            root_ints: int64 (na, 2): orientation, automatic, as in joint_ints.
        state_names: of each joint, then of each assembly's free root: names of its coordinates, names of its speeds.
    """

    frames: tuple[FrameNode, ...]
    joints: tuple[JointEdge, ...]
    elements: tuple[ElementEdge, ...]
    assemblies: tuple[Assembly, ...]
    index: Mapping[str, int]
    group_assembly: tuple[int, ...]
    start_order: tuple[int, ...]
    scene: SceneFeature
    n_equation: int
    frame_group: np.ndarray
    frame_pose: np.ndarray
    frame_inverse: np.ndarray
    group_inertia: np.ndarray
    joint_ints: np.ndarray
    joint_parameter: np.ndarray
    joint_ends: np.ndarray
    joint_pose: np.ndarray
    root_group: np.ndarray
    root_pose: np.ndarray
    root_ints: np.ndarray
    state_names: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]

    @property
    def world(self) -> int:
        """Index of the world frame."""
        return self.assemblies[0].root

    @property
    def parked(self) -> tuple[Assembly, ...]:
        """The assemblies that are not there at the start."""
        names = {self.assembly_of(i) for i, node in enumerate(self.frames) if node.frame.parked}
        return tuple(self.assemblies[k] for k in sorted(names))

    @property
    def gravity(self) -> Vector3:
        """The gravity acceleration in world that is the same everywhere [m/s2]; other fields are force elements."""
        gravity = self.scene.gravity
        return gravity.acceleration if isinstance(gravity, UniformGravity) else (0.0, 0.0, 0.0)

    @cached_property
    def gravity_vector(self) -> np.ndarray:
        """`gravity` as an array, shape (3,)."""
        return np.array(self.gravity)

    @cached_property
    def has_automatic(self) -> bool:
        """True if there are orientations whose Cardan sequence is changed near its singularity."""
        return bool(self.joint_ints[:, -1].any() or self.root_ints[:, -1].any())

    @cached_property
    def has_loops(self) -> bool:
        """True if joints form loops."""
        return any(assembly.loops for assembly in self.assemblies)

    @property
    def prescribed_joints(self) -> tuple[JointEdge, ...]:
        """The joints with a flange, in the order of their coordinates."""
        return tuple(edge for edge in self.joints if edge.equation >= 0)

    def frame_index(self, reference: str, scope: str = "", *, user: str = "") -> int:
        """Return the index of the frame that ``reference`` means in the model ``scope``.

        Args:
            reference: name as written.
            scope: path of the model where it stands, relative to the `Model3D`.
            user: path of what refers to it, for the message.

        Raises:
            ModelError: there is no such frame.
        """
        return self.index[resolve(self.index, reference, scope, user=user)]

    def orientation_of(self, k: int) -> str:
        """Return how the states ``state_names[k]`` (of a joint, then of an assembly's root) describe an orientation, as
        declared.
        """
        n = len(self.joints)
        return self.joints[k].joint.orientation if k < n else self.frames[self.assemblies[k - n].root].frame.orientation

    def joint_index(self, reference: str, scope: str = "", *, user: str = "") -> int:
        """Return the index of the joint that ``reference`` means in the model ``scope``; arguments and errors as
        `frame_index`.
        """
        return self.joint_number[resolve(self.joint_number, reference, scope, user=user, what="joint")]

    @cached_property
    def joint_number(self) -> dict[str, int]:
        """Joint name -> index."""
        return {edge.name: i for i, edge in enumerate(self.joints)}

    @cached_property
    def state_number(self) -> dict[str, int]:
        """Name of a joint or of the root of an assembly -> index in ``state_names``."""
        return self.joint_number | {assembly.name: len(self.joints) + k for k, assembly in enumerate(self.assemblies)}

    @cached_property
    def rigid_joints(self) -> tuple[RigidJoint, ...]:
        """The joints that are always rigid."""
        fixed = np.flatnonzero(self.joint_ints[:, 0] < 0).tolist()
        return tuple((j, rigid_pose(self.joints[j].joint, (), "quaternion")) for j in fixed)

    @cached_property
    def frame_assembly(self) -> list[int]:
        """Index of the assembly of each frame."""
        return [int(self.group_assembly[node.group]) for node in self.frames]

    @cached_property
    def lockable_frames(self) -> list[list[str]]:
        """Names of the lockable frames of each assembly."""
        names: list[list[str]] = [[] for _ in self.assemblies]
        for node, assembly in zip(self.frames, self.frame_assembly, strict=True):
            if node.frame.lockable:
                names[assembly].append(node.name)
        return names

    def assembly_of(self, frame: int) -> int:
        """Return the index of the assembly of a frame."""
        return self.frame_assembly[frame]

    def __str__(self) -> str:
        lines = []
        for assembly in self.assemblies:
            lines.append(f"assembly {assembly.name}{' (world)' if assembly.is_world else ''}")
            for group in assembly.groups:
                names = [node.name for node in self.frames if node.group == group]
                lines.append(f"  {self.group_inertia[group, 0]:10.6g} kg  {', '.join(names)}")
            for edge in assembly.tree:
                joint = self.joints[edge.joint]
                ends = " -> ".join(self.frames[i].name for i in joint.frames)
                lines.append(f"  {joint.name}: {ends}{' (reversed)' if edge.reversed else ''}")
            for j in assembly.loops:
                ends = " -> ".join(self.frames[i].name for i in self.joints[j].frames)
                lines.append(f"  {self.joints[j].name}: {ends} (closes a loop)")
        return "\n".join(lines)


RigidJoint = tuple[int, tuple[float, ...]]
"""Index of a fixed or locked joint, and the row ``R_12, p_12_1`` (12) of its constant pose."""


def rigid_pose(joint: Joint, q: tuple[float, ...], sequence: str) -> tuple[float, ...]:
    """Return the row ``R_12, p_12_1`` (12) of a joint that is held at the coordinates ``q``."""
    motion = joint.motion(q, (0.0,) * len(joint.state_names()[1]), sequence)
    return *motion.R_12.ravel().tolist(), *motion.p_12_1.tolist()


def resolve(names: Iterable[str], reference: str, scope: str = "", *, user: str = "", what: str = "Object3D") -> str:
    """Return the full name of what ``reference`` means in the model ``scope``: looked up there, then in the enclosing models.

    Raises:
        ModelError: it is in none of them; the nearest names are proposed.
    """
    known = names if isinstance(names, (dict, Mapping)) else set(names)  # most are dicts, which is quicker to see
    place = scope
    while place:
        if f"{place}.{reference}" in known:
            return f"{place}.{reference}"
        place = place.rpartition(".")[0]
    if reference in known:
        return reference
    article = "an" if what[0] in "AEIOU" else "a"
    raise ModelError(
        f"there is no {what} '{reference}'",
        path=user,
        expected=f"the name of {article} {what}, looked up in '{scope or 'the Model3D'}'{' and outwards' if scope else ''}",
        remedy=nearest(f"{scope}.{reference}" if scope else reference, known) or nearest(reference, known),
    )
