"""Pairs that do not collide because of how they are connected, whatever their shapes.

- What is rigidly connected is one body of the forest, but for joints with a flange that are locked and for rigid connections
  that are cut where they close a loop: `rigid_bodies`.
- A joint (or a constraint element) that does not let them collide keeps the two rigid groups apart that it joins directly: not
  their bodies, so that locks change nothing about it. What is attached to the palm of a gripper still touches its fingers.
- A lock that was made without contact keeps both of its assemblies apart: `separate_groups`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from weakref import WeakKeyDictionary

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics import layout
from ..scene.joints import FixedJoint
from ..scene.solid import SolidFeature
from .cuts import Sets
from .forest import WORLD, Forest
from .graph import SceneGraph
from .lookup import assemblies_of
from .structure import Structure

Pair = tuple[int, int]


def rigid_bodies(forest: Forest) -> np.ndarray:
    """Return for each body the first one to which it is rigidly connected, itself or `WORLD`, int64 (n,)."""
    n = forest.n
    locked = [
        forest.indices[joint.name][0] for joint in forest.structure.locked if joint.side == 0 and joint.name in forest.indices
    ]
    pairs = [(int(forest.ints[body, layout.PARENT]), body) for body in locked]
    for cut in forest.cuts:
        if isinstance(cut.joint, FixedJoint):
            pairs.append((forest.frame_pose(cut.frame_1)[0], forest.frame_pose(cut.frame_2)[0]))
    first = np.arange(n)
    if not pairs:
        return first
    sets = Sets(n + 1)  # the world is behind the bodies, where index -1 finds it
    for one, two in pairs:
        sets.unite(one % (n + 1), two % (n + 1))
    found = [sets.find(body) for body in (n, *range(n))]
    least: dict[int, int] = {}
    for body, group in zip((WORLD, *range(n)), found, strict=True):
        least.setdefault(group, body)
    first[:] = [least[group] for group in found[1:]]
    return first


def separate_groups(graph: SceneGraph, structure: Structure) -> np.ndarray:
    """Return the pairs (i, j), i < j, of rigid groups whose solids do not collide, ascending, int64 (m, 2); groups of
    ``graph.frame_group`` that have a solid with collision.
    """
    always = _JOINED.get(graph)
    if always is None:
        always = _JOINED[graph] = _array(_joined(graph))
    locks = [assemblies_of(graph, lock) for lock in structure.locks if not lock.contact]
    if not locks:
        return always
    touching = _touching(graph)
    parted = {_ordered(i, j) for a, b in locks for i in touching.get(a, ()) for j in touching.get(b, ()) if i != j}
    return _array(parted.union(map(tuple, always.tolist())))


def touching_frames(graph: SceneGraph, names: tuple[str, str], scope: str = "", *, user: str = "") -> tuple[str, str]:
    """Return the full names of two frames whose solids may touch each other, in the order of their declaration.

    Args:
        names: as written in the model ``scope``. user: path of what refers to them, for messages.

    Raises:
        ModelError: a frame does not exist or has no solid with collision; the two are rigidly connected or joined.
    """
    one, two = sorted(graph.frame_index(name, scope, user=user) for name in names)
    nodes = graph.frames[one], graph.frames[two]
    for node in nodes:
        feature = node.frame.feature
        if not isinstance(feature, SolidFeature) or not feature.collision:
            raise ModelError(
                f"the Object3D '{node.name}' takes part in no contact",
                path=user,
                found="a Solid without collision" if isinstance(feature, SolidFeature) else "no Solid",
                expected="a solid that can touch others",
                remedy="Write collision=True in its Solid, and a contact_material where it has no solid_material.",
            )
    parts = _parts(graph)
    rigid = parts.find(nodes[0].group) == parts.find(nodes[1].group)
    joined = list(_ordered(nodes[0].group, nodes[1].group)) in separate_groups(graph, Structure()).tolist()
    if rigid or joined:
        raise ModelError(
            f"'{nodes[0].name}' and '{nodes[1].name}' never touch each other",
            path=user,
            found="a joint between them" if joined else "one rigid body",
            expected="solids that may collide",
            remedy="Write can_collide=True in the joint." if joined else "",
        )
    return nodes[0].name, nodes[1].name


_JOINED: WeakKeyDictionary[SceneGraph, np.ndarray] = WeakKeyDictionary()


def _ordered(i: int, j: int) -> Pair:
    return (i, j) if i < j else (j, i)


def _array(pairs: Iterable[Pair]) -> np.ndarray:
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _touching(graph: SceneGraph) -> dict[int, list[int]]:
    """Return the groups with a solid that may touch others, by their assemblies."""
    solid = (
        node.group for node in graph.frames if isinstance(node.frame.feature, SolidFeature) and node.frame.feature.collision
    )
    found: dict[int, list[int]] = {}
    for group in dict.fromkeys(solid):
        found.setdefault(graph.group_assembly[group], []).append(group)
    return found


def _parts(graph: SceneGraph) -> Sets:
    """Return the groups that fixed joints hold together."""
    parts = Sets(len(graph.group_inertia))
    for edge in graph.joints:
        if isinstance(edge.joint, FixedJoint):
            parts.unite(*edge.groups)
    return parts


def _joined(graph: SceneGraph) -> set[Pair]:
    """Return the pairs of groups that a joint joins directly; frames without a solid between two joints are part of both."""
    parts = _parts(graph)
    ground = parts.find(graph.frames[graph.world].group)
    ends = []
    for edge in graph.joints:
        one, two = (parts.find(group) for group in edge.groups)
        free = edge.joint.can_collide
        if free is None:  # a ball on a vertical slide falls onto the ground; a finger that slides in its palm does not touch it
            free = ground in (one, two) and any(motion.slides for motion in edge.joint.motions)
        ends.append((one, two, free))
    for element in graph.elements:
        one, two = (parts.find(graph.frames[frame].group) for frame in element.frames)
        ends.append((one, two, element.element.can_collide))
    around: dict[int, list[tuple[int, bool]]] = {}
    for a, b, can_collide in ends:
        if a != b:
            around.setdefault(a, []).append((b, can_collide))
            around.setdefault(b, []).append((a, can_collide))
    solid = {parts.find(node.group) for node in graph.frames if isinstance(node.frame.feature, SolidFeature)}
    solid.add(ground)
    members: dict[int, list[int]] = {}
    for groups in _touching(graph).values():
        for group in groups:
            members.setdefault(parts.find(group), []).append(group)
    pairs = set[Pair]()
    for part, own in members.items():
        for there in _beside(around, part, solid):
            pairs.update(_ordered(i, j) for i in own for j in members.get(there, ()) if there != part)
    return pairs


def _beside(around: Mapping[int, list[tuple[int, bool]]], part: int, solid: Collection[int]) -> Iterator[int]:
    """Generate the parts that are joined to a solid one, directly or by chains of parts that are not solid."""
    for there, can_collide in around.get(part, ()):
        before = part
        while not can_collide and there not in solid and len(around[there]) == 2:
            one, two = around[there]
            onwards = two if one[0] == before else one
            before, (there, can_collide) = there, onwards
        if not can_collide:
            yield there
