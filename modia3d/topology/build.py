"""Construction and checks of the graph of a scene; see `graph.build_graph`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics import layout
from ..dynamics.joints.kinds import KINDS
from ..scene.basics.rotations import rotation_matrix
from ..scene.constraint_elements.base import ConstraintElement
from ..scene.frame import Frame
from ..scene.joints import FixedJoint, FreeMotionJoint, Joint
from ..scene.scene_feature import SceneFeature
from ..scene.solid import SolidFeature
from . import inertia
from .cuts import Edge, Sets, choose_cuts, solid_groups
from .graph import Assembly, ElementEdge, FrameNode, JointEdge, SceneGraph, TreeEdge, resolve

Pose = tuple[np.ndarray, np.ndarray]


class GraphBuilder:
    """The steps from the user's objects to a `SceneGraph`; each step needs the ones before it."""

    def __init__(self, objects: Mapping[str, object]) -> None:
        self.frames: dict[str, Frame] = {name: o for name, o in objects.items() if isinstance(o, Frame)}
        joints: dict[str, Joint] = {name: o for name, o in objects.items() if isinstance(o, Joint)}
        self.names = list(self.frames)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.world = self._find_world()
        self.parents = [self._parent(name, frame) for name, frame in self.frames.items()]
        self.group_roots: list[int] = []
        self.groups, self.poses = self._merge_rigid()
        self.inertias = self._group_inertias()
        self.edges = self._joint_edges(joints)
        self.elements = self._element_edges(objects)
        self.assemblies = self._assemblies()
        self.group_assembly = [0] * len(self.group_roots)
        for k, assembly in enumerate(self.assemblies):
            for group in assembly.groups:
                self.group_assembly[group] = k

    def graph(self) -> SceneGraph:
        """Return the finished graph."""
        for assembly in self.assemblies:
            check_mass(assembly, self.edges, self.inertias, self.group_poses(assembly))
        nodes = [
            FrameNode(name, self.frames[name], parent, group)
            for name, parent, group in zip(self.names, self.parents, self.groups, strict=True)
        ]
        scene = self.frames[self.names[self.world]].feature
        assert isinstance(scene, SceneFeature)
        return SceneGraph(
            frames=tuple(nodes),
            joints=tuple(self.edges),
            elements=tuple(self.elements),
            assemblies=tuple(self.assemblies),
            index=self.index,
            group_assembly=tuple(self.group_assembly),
            start_order=self._start_order(),
            scene=scene,
            n_equation=sum(edge.equation >= 0 for edge in self.edges),
            frame_group=np.array(self.groups, dtype=np.int64),
            frame_pose=np.array([flat(pose) for pose in self.poses]),
            frame_inverse=np.array([flat(inverse(pose)) for pose in self.poses]),
            group_inertia=np.array(self.inertias),
            joint_ints=np.array(
                [(_kind(e.joint), e.equation, *orientation_code(e.joint.orientation)) for e in self.edges], dtype=np.int64
            ).reshape(-1, 4),
            joint_parameter=np.array([e.joint.parameter for e in self.edges]),
            joint_ends=np.array([edge.groups for edge in self.edges], dtype=np.int64).reshape(-1, 2),
            joint_pose=np.array([self._joint_poses(edge) for edge in self.edges]).reshape(-1, 24),
            root_group=np.array([self.groups[assembly.root] for assembly in self.assemblies], dtype=np.int64),
            root_pose=np.array([flat(inverse(self.poses[assembly.root])) for assembly in self.assemblies]),
            root_ints=np.array(
                [orientation_code(self.frames[assembly.name].orientation) for assembly in self.assemblies], dtype=np.int64
            ),
            state_names=self._state_names(),
        )

    # -- frames ---------------------------------------------------------------------------------------------------------

    def _find_world(self) -> int:
        worlds = [name for name, frame in self.frames.items() if frame.is_world]
        if len(worlds) != 1:
            raise ModelError(
                "a Model3D needs exactly one world",
                path=worlds[1] if worlds else "",
                found=f"Object3D with feature=Scene(): {', '.join(worlds) or 'none'}",
                expected="one",
                remedy="" if worlds else "Add world = Object3D(feature=Scene()).",
            )
        return self.index[worlds[0]]

    def _parent(self, name: str, frame: Frame) -> int:
        if not frame.parent:
            return -1
        return self.index[resolve(self.index, frame.parent, name.rpartition(".")[0], user=name)]

    def is_group_root(self, frame: int) -> bool:
        """Return whether a frame is not fixed to a parent."""
        return self.parents[frame] < 0 or not self.frames[self.names[frame]].fixed_to_parent

    def _merge_rigid(self) -> tuple[list[int], list[Pose]]:
        """Return the group of each frame, and its pose there."""
        poses = [(np.eye(3), np.zeros(3))] * len(self.names)
        done = [False] * len(self.names)
        for start in range(len(self.names)):
            chain: list[int] = []
            frame = start
            while frame >= 0 and not done[frame]:
                if frame in chain:
                    cycle = [*chain[chain.index(frame) :], frame]
                    raise ModelError(
                        "frames are each other's parents",
                        path=self.names[frame],
                        found=" -> ".join(self.names[i] for i in cycle),
                        expected="a chain of parents that ends at the world or at a frame without parent",
                    )
                chain.append(frame)
                frame = self.parents[frame]
            for frame in reversed(chain):
                done[frame] = True
                if not self.is_group_root(frame):
                    user = self.frames[self.names[frame]]
                    local = rotation_matrix(user.rotation), np.array(user.translation)
                    poses[frame] = compose(poses[self.parents[frame]], local)
        self.group_roots = [i for i in range(len(self.names)) if self.is_group_root(i)]
        number = {root: group for group, root in enumerate(self.group_roots)}
        groups = []
        for frame in range(len(self.names)):
            root = frame
            while not self.is_group_root(root):
                root = self.parents[root]
            groups.append(number[root])
        return groups, poses

    def _group_inertias(self) -> list[np.ndarray]:
        inertias = [np.zeros(10) for _ in self.group_roots]
        for name, group, (R, p) in zip(self.names, self.groups, self.poses, strict=True):
            feature = self.frames[name].feature
            own = feature.inertia() if isinstance(feature, SolidFeature) else None
            if own is not None:
                inertias[group] = inertias[group] + inertia.moved_to(R, p, inertia.about_origin(own))
        return inertias

    # -- joints ---------------------------------------------------------------------------------------------------------

    def _joint_edges(self, joints: Mapping[str, Joint]) -> list[JointEdge]:
        edges: list[JointEdge] = []
        n_equation = 0
        for name, joint in joints.items():
            ends = self._ends("a joint", name, joint.obj1, joint.obj2)
            groups = [self.groups[i] for i in ends]
            edges.append(JointEdge(name, joint, (ends[0], ends[1]), (groups[0], groups[1]), n_equation if joint.driven else -1))
            n_equation += joint.driven
        return edges

    def _element_edges(self, objects: Mapping[str, object]) -> list[ElementEdge]:
        elements = {name: made for name, made in objects.items() if isinstance(made, ConstraintElement)}
        return [
            ElementEdge(name, made, self._ends("a constraint", name, made.obj1, made.obj2)) for name, made in elements.items()
        ]

    def _ends(self, what: str, name: str, obj1: str, obj2: str) -> tuple[int, int]:
        """Return the indices of the frames that something is between. Raises ModelError where they cannot move relative to each
        other.
        """
        scope = name.rpartition(".")[0]
        one, two = (self.index[resolve(self.index, reference, scope, user=name)] for reference in (obj1, obj2))
        if self.groups[one] == self.groups[two]:
            root = self.names[self.group_roots[self.groups[one]]]
            raise ModelError(
                f"{what} between two frames of one rigid body",
                path=name,
                found=f"{self.names[one]} and {self.names[two]}, both fixed to {root}",
                expected="frames that can move relative to each other",
            )
        return one, two

    def _joint_poses(self, edge: JointEdge) -> np.ndarray:
        """Return the rows of ``joint_pose``; against the direction of a joint of one axis, half a turn about x negates the
        axis.
        """
        along = edge.joint.axes()
        against = along * (1.0, -1.0, -1.0) if _kind(edge.joint) in (layout.REVOLUTE, layout.PRISMATIC) else along
        rows = []
        for (here, there), R_FJ in ((edge.frames, along), (edge.frames[::-1], against)):
            X_FJ = R_FJ, np.zeros(3)
            rows.append(flat(compose(self.poses[here], X_FJ)))
            rows.append(flat(inverse(compose(self.poses[there], X_FJ))))
        return np.concatenate(rows)

    # -- assemblies -----------------------------------------------------------------------------------------------------

    def _assemblies(self) -> list[Assembly]:
        closing = self._closing()
        neighbours: list[list[TreeEdge]] = [[] for _ in self.group_roots]
        for j, edge in enumerate(self.edges):
            if j not in closing:
                one, two = edge.groups
                neighbours[one].append(TreeEdge(j, one, two, False))
                neighbours[two].append(TreeEdge(j, two, one, True))
        assemblies, seen = [], set()
        for frame in [self.world, *range(len(self.names))]:
            if self.groups[frame] in seen:
                continue
            reached, _ = spanning_tree(neighbours, self.groups[frame])
            seen.update(reached)
            root, start = self._root_and_start(set(reached), is_world=frame == self.world)
            groups, tree = spanning_tree(neighbours, self.groups[start])
            members = set(groups)
            joints = tuple(j for j, edge in enumerate(self.edges) if edge.groups[0] in members)
            driven = tuple(self.edges[j].name for j in joints if self.edges[j].equation >= 0)
            is_world = frame == self.world
            assemblies.append(Assembly(self.names[root], root, start, tuple(groups), tuple(tree), joints, is_world, driven))
        return assemblies

    def _closing(self) -> set[int]:
        """Return the joints that are in no tree, because they close loops; the choice is that of the first forest."""
        connected = Sets(len(self.group_roots))
        if all(connected.unite(*edge.groups) for edge in self.edges):
            return set()
        edges = [Edge(edge.groups, isinstance(edge.joint, FixedJoint), edge.joint, edge.name) for edge in self.edges]
        inertia = np.array(self.inertias)
        choice = choose_cuts(edges, inertia, solid_groups(inertia), self.groups[self.world])
        return {*choice.edges, *(split.edge for split in choice.splits)}

    def _root_and_start(self, groups: set[int], is_world: bool) -> tuple[int, int]:
        members = [i for i in range(len(self.names)) if self.groups[i] in groups]
        frames = {i: self.frames[self.names[i]] for i in members}
        free = [i for i in members if not frames[i].fixed_to_parent]
        for i in free:
            parent = self.parents[i]
            if is_world or (parent >= 0 and self.groups[parent] in groups):
                raise ModelError(
                    "an Object3D with fixed_to_parent=False is connected to its parent or the world by joints",
                    path=self.names[i],
                    expected="the joint alone; its coordinates say how it starts",
                    remedy="Leave parent and fixed_to_parent out.",
                )
        placed = [i for i in members if self.is_group_root(i) and i not in free and i != self.world and frames[i].is_displaced]
        starts = [*free, *placed]
        if (is_world and placed) or len(starts) > 1:
            raise ModelError(
                "the pose of an Object3D is given twice: by joints, and by its own translation, rotation or velocity",
                path=self.names[starts[-1]],
                found=f"connected by joints to {self.names[self.world] if is_world else self.names[starts[0]]}",
                expected="no translation, rotation or velocity where a joint says how it starts",
                remedy="Put a frame fixed to it at the joint, and give that frame the translation and rotation.",
            )
        roots = [i for i in members if frames[i].assembly_root]
        if len(roots) > 1:
            raise ModelError(
                "two frames of one assembly have assembly_root=True",
                path=self.names[roots[1]],
                found=", ".join(self.names[i] for i in roots),
                expected="at most one",
            )
        parked = [i for i in members if frames[i].parked]
        if is_world and parked:
            raise ModelError(
                "an assembly that joints or parents connect to the world cannot be parked",
                path=self.names[parked[0]],
                expected="an assembly that can move freely",
            )
        root = self.world if is_world else (roots or free or members)[0]
        described = [i for i in members if frames[i].orientation != "quaternion" and i != root]
        if described or (frames[root].orientation != "quaternion" and is_world):
            raise ModelError(
                "'orientation' is given for an Object3D that is not the root of a free assembly",
                path=self.names[described[0] if described else root],
                found="the assembly of the world" if is_world else f"the root of the assembly is {self.names[root]}",
                expected="orientation given for the root of a free assembly only",
                remedy="" if is_world else "Give orientation there, or set assembly_root=True here.",
            )
        if is_world:
            return self.world, self.world
        return root, (starts or [self._group_root_of(root)])[0]

    def _group_root_of(self, frame: int) -> int:
        return self.group_roots[self.groups[frame]]

    def _start_order(self) -> tuple[int, ...]:
        order, state = [], [0] * len(self.assemblies)

        def visit(k: int, trail: list[str]) -> None:
            start = self.assemblies[k].start
            trail = [*trail, self.names[start]]
            if state[k] == 1:
                raise ModelError(
                    "the initial poses of assemblies depend on each other in a circle",
                    path=self.names[start],
                    found=" -> ".join(trail),
                )
            if state[k] == 0:
                state[k] = 1
                if self.parents[start] >= 0:
                    visit(self.group_assembly[self.groups[self.parents[start]]], trail)
                state[k] = 2
                order.append(k)

        for k in range(len(self.assemblies)):
            visit(k, [])
        return tuple(order)

    def _state_names(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """Return the names of coordinates and speeds of each joint, then of each assembly's free root."""
        owners = [(edge.name, edge.joint.state_names()) for edge in self.edges]
        for assembly in self.assemblies:
            free = FreeMotionJoint("world", "root", orientation=self.frames[assembly.name].orientation)
            owners.append((assembly.name, free.state_names()))
        return tuple(
            (tuple(f"{name}.{q}" for q in coordinates), tuple(f"{name}.{v}" for v in speeds))
            for name, (coordinates, speeds) in owners
        )

    def group_poses(self, assembly: Assembly) -> dict[int, Pose]:
        """Return the pose of each group in the first group of an assembly, all coordinates zero."""
        result = {assembly.groups[0]: (np.eye(3), np.zeros(3))}
        for edge in assembly.tree:
            one, two = (self.poses[i] for i in self.edges[edge.joint].frames)
            joint = self.edges[edge.joint].joint
            between = np.eye(3), np.zeros(3)
            if isinstance(joint, FixedJoint):
                rigid = joint.motion((), (), "")
                between = rigid.R_12, rigid.p_12_1
            parent, child = (two, one) if edge.reversed else (one, two)
            between = inverse(between) if edge.reversed else between
            result[edge.child_group] = compose(compose(compose(result[edge.parent_group], parent), between), inverse(child))
        return result


def compose(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return the pose of C in A."""
    return X_AB[0] @ X_BC[0], X_AB[1] + X_AB[0] @ X_BC[1]


def inverse(X_AB: Pose) -> Pose:
    """Return the pose of A in B."""
    return X_AB[0].T, -X_AB[0].T @ X_AB[1]


def flat(pose: Pose) -> np.ndarray:
    """Return the rotation row-major and position as one row of 12."""
    return np.concatenate([pose[0].ravel(), pose[1]])


def _kind(joint: Joint) -> int:
    return -1 if isinstance(joint, FixedJoint) else KINDS.index(joint.kind)


def orientation_code(orientation: str) -> tuple[int, int]:
    """Place in `layout.SEQUENCES` ("auto" begins as "xyz"), and 1 if the sequence is automatic."""
    if orientation == "auto":
        return layout.SEQUENCES.index("xyz"), 1
    return (layout.SEQUENCES.index(orientation) if orientation else 0), 0


def spanning_tree(neighbours: list[list[TreeEdge]], start: int) -> tuple[list[int], list[TreeEdge]]:
    """Return the groups reached from ``start`` over joints, breadth first, and the joints that reach them."""
    groups, tree, seen = [start], [], {start}
    for group in groups:
        for edge in neighbours[group]:
            if edge.child_group not in seen:
                seen.add(edge.child_group)
                groups.append(edge.child_group)
                tree.append(edge)
    return groups, tree


def check_mass(assembly: Assembly, edges: list[JointEdge], inertias: list[np.ndarray], poses: Mapping[int, Pose]) -> None:
    """Refuse bodies without definite acceleration because they have no mass.

    Raises:
        ModelError: a free assembly without mass or without inertia about some axis, or a passive joint that moves no mass.
            To turn, inertia is enough; whether it is one about the axis is seen when the mass matrix is factorised.
    """
    beyond = {group: inertia.moved_to(*poses[group], inertias[group]) for group in assembly.groups}
    for edge in reversed(assembly.tree):
        beyond[edge.parent_group] = beyond[edge.parent_group] + beyond[edge.child_group]
    total = beyond[assembly.groups[0]]
    remedy = "Give a Solid of it a material or mass_properties, or the Object3D a parent or a joint."
    if not assembly.is_world:
        if total[0] <= 0.0:
            raise ModelError("an assembly that can move freely has no mass", path=assembly.name, remedy=remedy)
        low, _, high = inertia.central_moments(total)
        rounding = 1e-14 * total[4:7].max()  # of moments about the first group, from which the central ones are computed
        if low <= max(1e-12 * max(high, total[0] * 1e-12), rounding):
            raise ModelError(
                "an assembly that can move freely has no moment of inertia about some axis",
                path=assembly.name,
                remedy=f"{remedy} A point mass on which no torque acts moves with any inertia as it does without.",
            )
    for edge in assembly.tree:
        joint = edges[edge.joint]
        sides = [beyond[edge.child_group], total - beyond[edge.child_group]][: 1 if assembly.is_world else 2]
        for side in sides if joint.equation < 0 and not isinstance(joint.joint, FixedJoint) else ():
            turns = joint.joint.turns and side[4:].max() > 1e-14 * total[4:].max()
            if side[0] <= 1e-14 * total[0] and not turns:
                raise ModelError("the joint moves an assembly without mass", path=joint.name, remedy=remedy)


def build_graph(objects: Mapping[str, object]) -> SceneGraph:
    """Return the graph of what a user declared.

    Args:
        objects: instances of the scene's dataclasses by path relative to the `Model3D`, in the order of declaration; all
            but `Frame` and joints are ignored.

    Raises:
        ModelError: no world or two; an unknown frame; frames that are each other's parents; a joint within one rigid group;
            two ``assembly_root`` or two start poses in one assembly; a free frame that joints connect to the world or to its
            parent; a movable assembly without mass or inertia.
    """
    return GraphBuilder(objects).graph()
