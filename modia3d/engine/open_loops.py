"""Loops that cannot be closed while a simulation runs, and drives that contradict each other there: for messages."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

import numpy as np

from modiapy.model.errors import ModelError, Reason

from ..constraints.joints import constraint_name
from ..constraints.kernels.loop_projection import SLOW
from ..constraints.kernels.loop_projection import STATUS_OPEN as STATUS_OPEN
from ..constraints.kernels.loop_projection import STATUS_SLIDES as STATUS_SLIDES
from ..constraints.kinds.cut_joint import CutJoint
from ..constraints.loops import Loops
from ..constraints.projection import project
from ..constraints.tables.loop_layout import GIVEN
from ..dynamics.basics.layout import KIND, LOCKED, ROLE, V_INDEX
from ..dynamics.joints.kinds import V_SIZE
from ..topology.graph import SceneGraph
from .motion.configuration import Configuration


def open_loops(loops: Loops, full: Callable[[str], str]) -> Reason:
    """Return which loops the last projection could not close, by how much they are open, and what does not give way there.

    Args:
        loops: of the segment.
        full: makes a path a full one: that of the reason, which is what closes the loop that is open most.
    """
    forest, free = loops.forest, np.ones(loops.forest.nv, dtype=bool)
    for row in loops.views["ints"][loops.views["ints"][:, ROLE] == LOCKED]:
        if row[V_INDEX] < forest.n_equation and loops.views["q_state"][row[V_INDEX]] != GIVEN:
            continue  # locked ones have given way
        free[row[V_INDEX] : row[V_INDEX] + V_SIZE[row[KIND]]] = False
    cuts = [cut for cut in loops.cuts if isinstance(cut, CutJoint)]
    q = loops.views["q"].copy()
    try:
        project(partial(Configuration, forest), cuts, q, np.zeros(forest.nv), free=(free, free))
    except ModelError as error:
        text = f"{error.message}; found {error.found}. {'' if free.all() else _REMEDY}".rstrip()
        return Reason(text, full(error.path))
    left, start = np.abs(loops.views["residual"]), loops.views["row_start"]
    sizes = [float(left[start[k] : start[k + 1]].max(initial=0.0)) for k in range(len(loops.cuts))]
    worst = max(cuts, key=lambda cut: sizes[loops.cuts.index(cut)])
    names = worst.joints(forest)
    fixed = [name for name in names if not free[forest.indices[name][2]]]
    text = (
        f"a loop cannot be followed any further; in the loop: {', '.join(names)}; fixed: {', '.join(fixed) or 'none'}. "
        "It has come to the end of what it can reach, or to a position in which the motion is not determined."
    )
    return Reason(text, full(worst.name))


def sliding_loops(loops: Loops, full: Callable[[str], str]) -> Reason:
    """Return along which row the last projection left most speed, relative to the pace of its bodies, and how much.

    Args:
        loops: of the segment.
        full: makes a path a full one: that of the reason, which is what has the row.
    """
    view = loops.views
    left = np.abs(view["speed"]) / (view["pace"] + SLOW) * (view["off"] == 0)
    row = int(np.argmax(left))
    cut = next(cut for cut, end in zip(loops.cuts, view["row_start"][1:], strict=True) if row < end)
    name = cut.row_names[row - int(view["row_start"][loops.cuts.index(cut)])]
    text = (
        f"the speeds violate a constraint: along '{name}' {view['speed'][row]:.3g} are left (SI units), where bodies move with "
        f"{view['pace'][row]:.3g}. Motions that equations prescribe contradict it there, or two constraints each other."
    )
    return Reason(text, full(cut.name))


_REMEDY = (
    "Joints are fixed by locks and by motions that equations prescribe: those of one loop must fit to each other, and lead to "
    "positions that can be reached."
)


def contradiction(graph: SceneGraph, unknowns: Collection[str], full: Callable[[str], str]) -> str:
    """Return the remedy where constraint forces of driven joints are not determined, or no force could do; "" elsewhere.

    Args:
        unknowns: variables of the equations that are singular, full paths.
        full: makes a path a full one.
    """
    named = {full(constraint_name(edge)): full(edge.name) for edge in graph.prescribed_joints}
    joints = [joint for force, joint in named.items() if force in unknowns]
    if len(joints) < len(set(unknowns)) or not joints:
        return ""
    return (
        f"The motions that equations or locks prescribe for {', '.join(joints)} contradict each other in a loop: prescribe "
        "fewer of them, or motions that fit to the loop."
    )
