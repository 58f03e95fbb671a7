"""Cut forces in closed loops: what closes a loop acts on both sides, too, or is itself what is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...constraints.kinds.cut_joint import CutJoint
from ...dynamics.basics import layout
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
    R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
    name = graph.joints[cut.joint].name if cut.joint >= 0 else graph.elements[cut.element].name if cut.element >= 0 else ""
    if any(one.name == name for one in forest.rigid_cuts):
        return np.full((len(motion.time), 6), np.nan)  # beside a rigid connection nothing determines it
    closing = list(_closing(forest, motion, closed.cuts, closed.multipliers))
    if any(one.name == name for one in closing):
        acting, out = [(one, 1.0) for one in closing if one.name == name], np.zeros((len(motion.time), 6))
    elif cut.element >= 0:
        return np.full((len(motion.time), 6), np.nan)
    else:
        side, sign = side_of(forest, cut)
        inside = [(side[one.frames[0]], side[one.frames[1]]) for one in closing]
        pairs = zip(closing, inside, strict=True)
        acting = [(one, sign * (float(first) - float(second))) for one, (first, second) in pairs if first != second]
        out = by_pieces(motion)
    for one, factor in acting:
        moment = one.torque + np.cross(one.point - p_WF, one.force)
        out[:, :3] += factor * np.einsum("tji,tj->ti", R_WF, moment)
        out[:, 3:] += factor * np.einsum("tji,tj->ti", R_WF, one.force)
    return out


class _Closing(NamedTuple):
    """What closes a loop: between which frames, and what it exerts on the body of the second one, in world, at a point."""

    name: str
    frames: tuple[int, int]
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray


def _closing(forest: Forest, motion: Motion, cuts: Sequence[CutJoint], multipliers: np.ndarray) -> Iterator[_Closing]:
    graph = forest.graph
    for k, cut in enumerate(cuts):
        frames = graph.index[cut.frame_1], graph.index[cut.frame_2]
        _, point = motion.frame_pose(*forest.frame_pose(frames[1]))
        force, torque = multipliers[:, k, :3], multipliers[:, k, 3:]
        if cut.copy >= 0:  # the joint at the copy moves that, together with the weld
            needed = _needed(forest, motion, forest.frame_pose(cut.copy)[0], point)
            joint = graph.joints[graph.joint_number[cut.name]]
            sign = 1.0 if joint.frames[1] == frames[1] else -1.0
            frames, force, torque = joint.frames, sign * (needed[0] - force), sign * (needed[1] - torque)
        yield _Closing(cut.name, frames, point, force, torque)


def _needed(forest: Forest, motion: Motion, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Force and torque about a point (nt, 3), in world, that move a body as it moves and carry its weight."""
    mass, moment = forest.floats[body, layout.MASS], forest.floats[body, layout.MOMENT : layout.MOMENT + 3]
    I_xx, I_yy, I_zz, I_xy, I_xz, I_yz = forest.floats[body, layout.INERTIA : layout.INERTIA + 6]
    inertia = np.array(((I_xx, I_xy, I_xz), (I_xy, I_yy, I_yz), (I_xz, I_yz, I_zz)))
    R, origin = motion.frame_pose(body, np.eye(3), np.zeros(3))
    a, alpha, w = (np.einsum("tji,tj->ti", R, x) for x in (
        motion.body_accelerations[0][:, body] - forest.gravity, motion.body_accelerations[1][:, body],
        motion.velocities[1][:, body],
    ))  # fmt: skip
    force = mass * a + np.cross(alpha, moment) + np.cross(w, np.cross(w, moment))
    torque = alpha @ inertia + np.cross(w, w @ inertia) + np.cross(moment, a)
    force, torque = (np.einsum("tij,tj->ti", R, x) for x in (force, torque))
    return force, torque + np.cross(origin - point, force)
