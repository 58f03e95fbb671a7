"""Share of loop constraints that goes through a cut, and what equations need to know of it besides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...dynamics.basics import layout
from ...forces.table import SceneForce
from ...topology.forest import Forest
from ...topology.graph import SceneGraph
from ..memory.signal_layout import PIECE_COLUMNS
from .cuts import Cut, Pieces, divide, side_of


def passing(cut: Cut, forest: Forest, closing: Sequence[CutJoint | RestingContact]) -> tuple[bool, np.ndarray] | None:
    """Return whether a cut goes through what closes a loop itself, and how much of what each of these exerts goes through it
    (n,).

    That is what acts on the body of the second frame of the joint, lock or element. None where nothing determines the cut
    force: beside a rigid connection, or where a frame of an element was deleted.
    """
    graph = forest.graph
    name = graph.joints[cut.joint].name if cut.joint >= 0 else graph.elements[cut.element].name if cut.element >= 0 else ""
    own = np.array([float(one.name == name) for one in closing])
    if own.any():
        return True, own
    if cut.element >= 0 or any(one.name == name for one in forest.rigid_cuts):
        return None
    if not closing:
        return False, own
    side, sign = side_of(forest, cut)
    ends = [_ends(graph, one) for one in closing]
    return False, np.array([sign * (float(side[first]) - float(side[second])) for first, second in ends])


def _ends(graph: SceneGraph, cut: CutJoint | RestingContact) -> tuple[int, int]:
    """Return the frames that it joins; of a joint that ends at the copy of a body its own."""
    if cut.copy >= 0:
        return graph.joints[graph.joint_number[cut.name]].frames
    return graph.index[cut.frame_1], graph.index[cut.frame_2]


def turn(graph: SceneGraph, cut: CutJoint | RestingContact) -> float:
    """Return 1, or -1 of a joint whose first frame is that of the copy of a body."""
    return 1.0 if graph.index[cut.frame_2] == _ends(graph, cut)[1] else -1.0


def divided(forest: Forest, cuts: Sequence[Cut], forces: tuple[SceneForce, ...]) -> Pieces:
    """`divide` for what equations know: without what moves beyond a cut that closes a loop itself, but with what is needed to
    move the copies of bodies that are cut in two, which their joints do together with the welds."""
    made, graph = divide(forest, cuts, forces), forest.graph
    closing = [CutJoint.of(graph, one) for one in forest.cuts]
    rows, signs = list(made.rows), list(made.sign)
    first, members = np.array(made.first, dtype=np.int64), []
    for k, cut in enumerate(cuts):
        found = passing(cut, forest, closing)
        own, factors = found or (False, np.zeros(len(closing)))
        of_cut = [] if own else made.members[first[k] : first[k] + made.count[k]].tolist()
        signs[k] = np.nan if found is None else 1.0 if own else signs[k]
        for one, factor in zip(closing, factors.tolist(), strict=True):
            if one.copy >= 0 and factor:
                body = forest.frame_pose(one.copy)[0]
                inertia = forest.floats[body, layout.MASS : layout.INERTIA + 6]
                of_cut.append(len(rows))
                rows.append(np.concatenate([[body], factor * signs[k] * turn(graph, one) * inertia]))
        members.append(of_cut)
    count = tuple(map(len, members))
    flat = np.array([piece for of_cut in members for piece in of_cut], dtype=np.int64)
    starts = tuple(sum(count[:k]) for k in range(len(cuts)))
    return replace(
        made, rows=np.array(rows).reshape(-1, PIECE_COLUMNS), members=flat, first=starts, count=count, sign=tuple(signs)
    )


def closing_factors(forest: Forest, cuts: Sequence[Cut], closing: Sequence[CutJoint | RestingContact]) -> np.ndarray:
    """Return how much of each multiplier's wrench goes through each cut, shape (number of cuts, number of loops), see
    `divided`.
    """
    found = np.zeros((len(cuts), len(closing)))
    for row, cut in zip(found, cuts, strict=True):
        through = passing(cut, forest, closing)
        row[:] = np.nan if through is None else through[1]
    return found * np.array([-turn(forest.graph, one) if one.copy >= 0 else 1.0 for one in closing])
