"""Cut forces in closed loops: what closes a loop acts on both sides, too, or is itself what is cut."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...topology.forest import Forest
from ..motion.motion import Motion
from .cuts import Cut, side_of


def with_multipliers(cut: Cut, forest: Forest, motion: Motion, by_pieces: Callable[[Motion], np.ndarray]) -> np.ndarray:
    """Torque about the origin of the cut's frame and force (nt, 6), in that frame.

    Args:
        cut: the cut. forest, motion: of the segment.
        by_pieces: the same from what moves beyond the cut, without what closes loops.
    """
    closed, graph = motion.closed, forest.graph
    if closed is None and cut.element < 0:
        return by_pieces(motion)
    if closed is None:  # one of its frames was deleted
        return np.full((len(motion.time), 6), np.nan)
    multipliers, cuts = closed.multipliers, closed.cuts
    R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
    name = graph.joints[cut.joint].name if cut.joint >= 0 else graph.elements[cut.element].name if cut.element >= 0 else ""
    if any(one.name == name for one in forest.rigid_cuts):
        return np.full((len(motion.time), 6), np.nan)  # beside a rigid connection nothing determines it
    if any(one.name == name for one in cuts):
        acting, out = [(k, 1.0) for k, one in enumerate(cuts) if one.name == name], np.zeros((len(motion.time), 6))
    elif cut.element >= 0:
        return np.full((len(motion.time), 6), np.nan)
    else:
        side, sign = side_of(forest, cut)
        inside = [(side[graph.index[one.frame_1]], side[graph.index[one.frame_2]]) for one in cuts]
        acting = [(k, sign * (float(first) - float(second))) for k, (first, second) in enumerate(inside) if first != second]
        out = by_pieces(motion)
    for k, factor in acting:
        _, point = motion.frame_pose(*forest.frame_pose(graph.index[cuts[k].frame_2]))
        force, torque = multipliers[:, k, :3], multipliers[:, k, 3:]
        moment = torque + np.cross(point - p_WF, force)
        out[:, :3] += factor * np.einsum("tji,tj->ti", R_WF, moment)
        out[:, 3:] += factor * np.einsum("tji,tj->ti", R_WF, force)
    return out
