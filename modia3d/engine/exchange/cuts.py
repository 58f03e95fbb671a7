"""Cuts through joints and rigid connections: which parts of which bodies are on which side of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ...forces.table import ForceTable, SceneForce, force_table
from ...scene.solid import SolidFeature
from ...topology import inertia
from ...topology.forest import DELETED, WORLD, Forest
from ...topology.graph import SceneGraph
from ..memory import signal_layout


@dataclass(frozen=True)
class Cut:
    """Cut at which a sensor measures force and torque: through a joint, or a rigid connection.

    Attributes:
        frame: index of the frame beyond it: of ``obj2``, or the `Object3D` itself. The torque is about its origin.
        joint: index of the joint it goes through; -1: through the connection of the frame with its parent.
        element: index of the constraint element it goes through, which is no part of the tree; -1: through none.
    """

    frame: int
    joint: int
    element: int = -1


def find_cut(graph: SceneGraph, reference: str, user: str) -> Cut:
    """Return the cut that a name means in the model where ``user`` stands.

    Raises:
        ModelError: there is no joint, constraint element or `Object3D` of that name; the `Object3D` is not fixed to a parent.
    """
    scope = user.rpartition(".")[0]
    joints = {edge.name: i for i, edge in enumerate(graph.joints)}
    elements = {edge.name: i for i, edge in enumerate(graph.elements)}
    while True:
        name = f"{scope}.{reference}" if scope else reference
        if name in joints:
            return Cut(graph.joints[joints[name]].frames[1], joints[name])
        if name in elements:
            return Cut(graph.elements[elements[name]].frames[1], -1, elements[name])
        if name in graph.index:
            break
        if not scope:
            known = [*joints, *elements, *graph.index]
            raise ModelError(
                f"there is no joint and no Object3D '{reference}'",
                path=user,
                expected="the name of a joint, or of an Object3D that is fixed to its parent",
                remedy=nearest(reference, known),
            )
        scope = scope.rpartition(".")[0]
    frame = graph.index[name]
    node = graph.frames[frame]
    if node.parent < 0 or graph.frames[node.parent].group != node.group:
        raise ModelError(
            f"the cut force at '{name}' cannot be measured: no joint and no parent connects it",
            path=user,
            found="an Object3D that is not fixed to a parent",
            expected="the name of a joint, or of an Object3D that is fixed to its parent",
            remedy="Put an Object3D between, or name the joint.",
        )
    return Cut(frame, -1)


def all_cuts(graph: SceneGraph) -> dict[str, Cut]:
    """Return the cut at each joint, constraint element, and `Object3D` that is fixed to its parent, by name."""
    rigid = (
        (node.name, Cut(i, -1))
        for i, node in enumerate(graph.frames)
        if node.parent >= 0 and graph.frames[node.parent].group == node.group
    )
    joints = {edge.name: Cut(edge.frames[1], j) for j, edge in enumerate(graph.joints)}
    return dict(rigid) | joints | {edge.name: Cut(edge.frames[1], -1, k) for k, edge in enumerate(graph.elements)}


@dataclass(frozen=True, eq=False)
class Pieces:
    """Bodies divided by cuts.

    Attributes:
        rows: (n, PIECE_COLUMNS), see `signal_layout`.
        members: pieces on the side of each cut, one cut after the other, int64.
        first, count, sign: of each cut: its members, and -1 if these are on the side that exerts the force.
        forest: the forest with pieces in the place of bodies.
        forces: the forces inside the engine with pieces in the place of bodies.
    """

    rows: np.ndarray
    members: np.ndarray
    first: tuple[int, ...]
    count: tuple[int, ...]
    sign: tuple[float, ...]
    forest: Forest
    forces: ForceTable


def divide(forest: Forest, cuts: Sequence[Cut], forces: tuple[SceneForce, ...]) -> Pieces:
    """Return the pieces of a forest."""
    graph = forest.graph
    neighbours = _neighbours(forest)
    sides, signs = [], []
    for one in cuts:
        side, sign = _side(graph, neighbours, one)
        sides.append(side)
        signs.append(sign)
    keys: dict[tuple[int, tuple[bool, ...]], int] = {}
    frame_piece = np.full(len(graph.frames), DELETED, dtype=np.int64)
    inertias: list[np.ndarray] = []
    for frame, body in enumerate(forest.frame_body.tolist()):
        if body == DELETED:
            continue
        where = tuple(bool(side[frame]) for side in sides)
        if body == WORLD and not any(where):
            frame_piece[frame] = WORLD
            continue
        piece = frame_piece[frame] = keys.setdefault((body, where), len(keys))
        if piece == len(inertias):
            inertias.append(np.zeros(10))
        inertias[piece] += _own_inertia(forest, frame)
    rows = np.zeros((len(keys), signal_layout.PIECE_COLUMNS))
    for (body, _), row, values in zip(keys, rows, inertias, strict=True):
        row[0], row[1:] = body, values
    members = [[piece for (_, where), piece in keys.items() if where[k]] for k in range(len(cuts))]
    count = tuple(len(m) for m in members)
    first = tuple(sum(count[:k]) for k in range(len(cuts)))
    divided = replace(forest, frame_body=frame_piece)
    flat = np.array([piece for m in members for piece in m], dtype=np.int64)
    return Pieces(rows, flat, first, count, tuple(signs), divided, force_table(divided, forces))


def side_of(forest: Forest, cut: Cut) -> tuple[np.ndarray, float]:
    """Return the frames on that side of a cut which does not contain the world, and the sign of what they show."""
    return _side(forest.graph, _neighbours(forest), cut)


def _own_inertia(forest: Forest, frame: int) -> np.ndarray:
    feature = forest.graph.frames[frame].frame.feature
    own = feature.inertia() if isinstance(feature, SolidFeature) else None
    if own is None:
        return np.zeros(10)
    return inertia.moved_to(forest.frame_R[frame].reshape(3, 3), forest.frame_p[frame], inertia.about_origin(own))


def _neighbours(forest: Forest) -> list[list[tuple[int, tuple[str, int]]]]:
    """Return the frames that each frame is connected with, and by what: its parent, a joint, a lock; what closes loops is left
    out.
    """
    graph = forest.graph
    closing = {cut.name for cut in (*forest.cuts, *forest.rigid_cuts)}
    found: list[list[tuple[int, tuple[str, int]]]] = [[] for _ in graph.frames]

    def connect(a: int, b: int, by: tuple[str, int]) -> None:
        found[a].append((b, by))
        found[b].append((a, by))

    for frame, node in enumerate(graph.frames):
        if node.parent >= 0 and graph.frames[node.parent].group == node.group:
            connect(frame, node.parent, ("frame", frame))
    for j, edge in enumerate(graph.joints):
        if edge.name not in closing:
            connect(*edge.frames, ("joint", j))
    for k, lock in enumerate(forest.structure.locks):
        if str(lock) in closing:
            continue
        connect(graph.index[lock.frame_a], graph.index[lock.frame_b], ("lock", k))
    return found


def _side(graph: SceneGraph, neighbours: list[list[tuple[int, tuple[str, int]]]], cut: Cut) -> tuple[np.ndarray, float]:
    """Return the frames on that side of a cut which does not contain the world, and the sign of what they show."""
    if cut.element >= 0:  # it holds nothing together
        return np.zeros(len(graph.frames), dtype=bool), 1.0
    through = ("frame", cut.frame) if cut.joint < 0 else ("joint", cut.joint)
    parent = graph.frames[cut.frame].parent if cut.joint < 0 else graph.joints[cut.joint].frames[0]
    side = _reached(neighbours, cut.frame, through)
    return (_reached(neighbours, parent, through), -1.0) if side[graph.world] else (side, 1.0)


def _reached(neighbours: list[list[tuple[int, tuple[str, int]]]], start: int, without: tuple[str, int]) -> np.ndarray:
    reached = np.zeros(len(neighbours), dtype=bool)
    reached[start] = True
    queue = [start]
    for frame in queue:
        for other, by in neighbours[frame]:
            if by != without and not reached[other]:
                reached[other] = True
                queue.append(other)
    return reached
