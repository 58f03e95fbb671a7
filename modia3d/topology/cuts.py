"""Choice of joints and locks that are cut in loops: those left over by a minimal spanning forest (Kruskal 1956).

Groups are joined one edge after the other, in this order, and what would join two groups that are joined already is cut:

1. rigid connections (fixed and locked joints, locks) of what has no inertia of its own: it would be left alone;
2. joints with a flange, whose coordinates are variables of the equations, and joints with limits;
3. all other rigid connections;
4. all other joints, those first that move something without inertia, then those of few freedoms: a cut spherical joint is
   three constraints, a cut revolute one five;
5. joints with ``cut=True``.

Within each of them joints come as they are declared, then locks by the names of their frames. So the choice depends on the
graph and the structure alone.

A loop of joints 2 alone leaves none to cut. There a *body* is cut in two: its heaviest one gets a copy that takes half of the
inertia, at which one of its joints of the loop ends instead; the cut welds both halves together. That is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.constraint_elements.base import RowGroup
from ..scene.joints import FixedJoint, Joint

LIGHT_RIGID, KEPT, RIGID, FREE, ASKED = range(5)
"""First part of an edge's weight, as in the list above."""


@dataclass(frozen=True, eq=False)
class Cut:
    """Cut that closes a loop of a forest: a constraint between two frames of one tree; or rows of a constraint element.

    Attributes:
        name: full name of the joint or the element, or the lock as a text.
        frame_1, frame_2: indices of the frames, see `Forest.frame_pose`; frame 2 of a body that is cut in two is the copy's.
        joint: what may move. Of a rigid connection a `FixedJoint` at its pose.
    """

    name: str
    frame_1: int
    frame_2: int
    joint: Joint | RowGroup


class Edge(NamedTuple):
    """A joint or lock between two groups.

    Attributes:
        groups: on both sides.
        rigid: whether it cannot move.
        joint: what it is a joint of; None of a lock. name: of the joint, for messages.
    """

    groups: tuple[int, int]
    rigid: bool
    joint: Joint | None = None
    name: str = ""


class Split(NamedTuple):
    """A body that is cut in two.

    Attributes:
        edge: the joint that ends at the copy. side: its end there, 0 or 1.
        groups: what the body consists of. rigid: edges that hold these together.
    """

    edge: int
    side: int
    groups: tuple[int, ...]
    rigid: tuple[int, ...]


class Choice(NamedTuple):
    """Choice of the edges and bodies that are cut."""

    edges: tuple[int, ...]
    splits: tuple[Split, ...]


def solid_groups(inertia: np.ndarray) -> tuple[bool, ...]:
    """Return for each group whether it has inertia of its own; ``inertia`` of all groups, float64 (ng, 10), see `inertia`."""
    return tuple(np.any(inertia[:, [0, 4, 5, 6]] != 0.0, axis=1).tolist())


def choose_cuts(edges: Sequence[Edge], inertia: np.ndarray, solid: Sequence[bool], world: int) -> Choice:
    """Return a cut for each loop.

    Args:
        edges: joints as declared, then locks.
        inertia, solid: of all groups, see `solid_groups`.
        world: the group of the world, which cannot be cut.

    Raises:
        ModelError: a joint of list item 2 connects the world with itself.
    """
    bodies = _light_bodies(edges, solid, world)
    weights = [_weight(edge, k, bodies) for k, edge in enumerate(edges)]
    sets, kept = Sets(len(inertia)), Tree()
    cut: list[int] = []
    splits: list[Split] = []
    for k in sorted(range(len(edges)), key=weights.__getitem__):
        if sets.unite(*edges[k].groups):
            if weights[k][0] <= KEPT:
                kept.add(k, edges[k].groups)
        elif weights[k][0] == KEPT:
            split = _split(edges, kept.path(*edges[k].groups), k, bodies, inertia[:, 0])
            if split.edge != k:
                kept.remove(split.edge, edges[split.edge].groups)
                kept.add(k, edges[k].groups)
            splits.append(split)
        else:
            cut.append(k)
    return Choice(tuple(sorted(cut)), tuple(sorted(splits)))


class Sets:
    """Disjoint sets of groups, united one after the other."""

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def find(self, group: int) -> int:
        """Return the representative of the set of a group."""
        parent = self._parent
        while parent[group] != group:
            parent[group] = group = parent[parent[group]]
        return group

    def unite(self, one: int, two: int) -> bool:
        """Unite two sets; whether they were different."""
        one, two = self.find(one), self.find(two)
        self._parent[two] = one
        return one != two


class Tree:
    """Edges between groups that form no loop."""

    def __init__(self) -> None:
        self._around: dict[int, dict[int, int]] = {}

    def add(self, edge: int, groups: tuple[int, int]) -> None:
        """Add an edge by its number."""
        for here, there in (groups, groups[::-1]):
            self._around.setdefault(here, {})[edge] = there

    def remove(self, edge: int, groups: tuple[int, int]) -> None:
        """Take it away again."""
        for group in groups:
            del self._around[group][edge]

    def path(self, start: int, end: int) -> list[int]:
        """Return the edges between one group and another one, which must be connected."""
        came: dict[int, tuple[int, int]] = {start: (-1, start)}
        queue = [start]
        for group in queue:
            for edge, there in self._around.get(group, {}).items():
                if there not in came:
                    came[there] = edge, group
                    queue.append(there)
        found = []
        while end != start:
            edge, end = came[end]
            found.append(edge)
        return found


class Bodies(NamedTuple):
    """Groups that belong together because some of them have no inertia.

    Attributes:
        of: the body of each group, named by one of its groups.
        solid: whether each body has inertia, by group; the world has.
        rigid: the edges that hold them together.
        world: the body of the world.
    """

    of: Sequence[int]
    solid: Sequence[bool]
    rigid: frozenset[int]
    world: int


def _light_bodies(edges: Sequence[Edge], groups: Sequence[bool], world: int) -> Bodies:
    """Return the bodies of groups, of which it is known whether they are solid."""
    sets, rigid, solid = Sets(len(groups)), set(), [*groups]
    solid[world] = True
    for k, edge in enumerate(edges):
        if edge.rigid and not (edge.joint is not None and edge.joint.cut):
            one, two = map(sets.find, edge.groups)
            if one != two and not (solid[one] and solid[two]):
                solid[one] = solid[one] or solid[two]
                sets.unite(one, two)
                rigid.add(k)
    of = [*map(sets.find, range(len(solid)))] if rigid else range(len(solid))
    return Bodies(of, [solid[body] for body in of], frozenset(rigid), of[world])


def _weight(edge: Edge, k: int, bodies: Bodies) -> tuple[int, int, int]:
    """Return the weight that edges are sorted by."""
    one, two = edge.groups
    joint = edge.joint
    if k in bodies.rigid:
        return LIGHT_RIGID, 0, 0
    if joint is not None and joint.cut:
        return ASKED, 0, 0
    if edge.rigid or joint is None:
        return RIGID, 0, 0
    if joint.always_in_tree:
        return KEPT, 0, 0
    return FREE, int(bodies.solid[one] and bodies.solid[two]), 6 - len(joint.directions)


def _split(edges: Sequence[Edge], path: Sequence[int], closing: int, bodies: Bodies, mass: np.ndarray) -> Split:
    """Return the body to be cut in the loop of a path of edges and the edge ``closing``.

    Raises:
        ModelError: there is none but the world.
    """
    ends: dict[int, list[tuple[int, int]]] = {}
    for k in sorted({*path, closing} - bodies.rigid):
        for side, group in enumerate(edges[k].groups):
            ends.setdefault(bodies.of[group], []).append((k, side))
    ends.pop(bodies.world, None)
    if not ends:
        joint = edges[closing].joint
        assert joint is not None
        raise ModelError(
            "both frames of the joint are fixed to the world",
            path=edges[closing].name,
            found=f"{joint.obj1} and {joint.obj2}, of what has no inertia",
            expected="something with mass between it and the world",
        )
    members = dict[int, tuple[int, ...]]()
    for group, body in enumerate(bodies.of):
        members[body] = (*members.get(body, ()), group)
    chosen = min(ends, key=lambda body: (-float(mass[list(members[body])].sum()), members[body]))
    groups = members[chosen]
    rigid = tuple(k for k in sorted(bodies.rigid) if bodies.of[edges[k].groups[0]] == chosen) if len(groups) > 1 else ()
    return Split(*ends[chosen][-1], groups, rigid)


def rigid_joint(frames: tuple[str, str], pose: np.ndarray) -> FixedJoint:
    """Return a rigid connection of two frames, by their names, at the pose ``R_12, p_12_1`` (12,)."""
    return FixedJoint(*frames, translation=tuple(pose[9:].tolist()), rotation=pose[:9].reshape(3, 3).tolist())
