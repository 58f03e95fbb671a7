"""Cut forces in closed loops: what closes a loop acts on both sides, too, or is itself what is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.tables.tolerances import TOLERANCE
from ...dynamics.basics import layout
from ...topology.forest import Forest
from ..motion.motion import Motion
from .cuts import Cut
from .passing import passing, turn


def with_multipliers(cut: Cut, forest: Forest, motion: Motion, by_pieces: Callable[[Motion], np.ndarray]) -> np.ndarray:
    """Return the torque about the origin of the cut's frame and force (nt, 6), in that frame.

    Args:
        cut: the cut. forest, motion: of the segment.
        by_pieces: the same from what moves beyond the cut, without what closes loops.
    """
    closed = motion.closed
    if closed is None and cut.element < 0 and not forest.rigid_cuts:
        return by_pieces(motion)
    acting = _acting(cut, forest, motion, () if closed is None else closed.cuts)
    if acting is None:
        return np.full((len(motion.time), 6), np.nan)
    if closed is None:
        return by_pieces(motion)
    R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
    out = np.zeros((len(motion.time), 6)) if acting.is_cut else by_pieces(motion)
    for one, factor in acting.parts:
        force = one.force + one.sign * closed.multipliers[:, one.number, :3]
        torque = one.torque + one.sign * closed.multipliers[:, one.number, 3:]
        moment = torque + np.cross(one.point - p_WF, force)
        out[:, :3] += factor * np.einsum("tji,tj->ti", R_WF, moment)
        out[:, 3:] += factor * np.einsum("tji,tj->ti", R_WF, force)
    return out


def unique_components(cut: Cut, forest: Forest, motion: Motion) -> np.ndarray:
    """Return which components of `with_multipliers` are unique, shape (nt, 6): 1 where they are, 0 where others do as well,
    NaN where there are none.

    Multipliers p and p + n do the same where ``G^T n = 0``. A component is unique where no such n changes it (Garcia de Jalon
    and Gutierrez-Lopez 2013). What a connection beside a rigid one bears is not determined, so that what it could bear is not
    in the others of their ring either.
    """
    closed = motion.closed
    if closed is None and (cut.element >= 0 or not forest.rigid_cuts):
        return np.full((len(motion.time), 6), np.nan if cut.element >= 0 else 1.0)
    acting = _acting(cut, forest, motion, () if closed is None else closed.cuts)
    if acting is None:
        return np.zeros((len(motion.time), 6))
    found = np.ones((len(motion.time), 6))
    R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
    for k, (null, wrenches, rows) in enumerate(closed.freedoms if acting.parts and closed is not None else ()):
        C = np.zeros((6, len(wrenches)))
        for one, factor in acting.parts:
            C[:, rows[one.number]] += factor * one.sign * _about(R_WF[k], one.point[k] - p_WF[k], wrenches[rows[one.number]])
        found[k] = _unchanged(C, C @ null)
    if forest.rigid_cuts and not acting.is_cut:
        for k, point, wrenches in _of_rigid_cuts(cut, forest, motion):
            C = _about(R_WF[k], point - p_WF[k], wrenches)
            found[k] *= _unchanged(C, C)
    return found


def _about(R: np.ndarray, r: np.ndarray, wrenches: np.ndarray) -> np.ndarray:
    """Return the torques about the origin of a frame, and forces, in its axes (6, m), of forces and torques (m, 6) at r from
    there.
    """
    force, torque = wrenches[:, :3], wrenches[:, 3:]
    return np.vstack([R.T @ (torque + np.cross(r, force)).T, R.T @ force.T])


def _unchanged(C: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return which components of torque and force are zero in all columns of ``change``, of the size of ``C``."""
    left = np.linalg.norm(change, axis=1)
    return np.hstack([left[part] <= TOLERANCE * np.linalg.norm(C[part]) for part in (slice(0, 3), slice(3, 6))])


def _of_rigid_cuts(cut: Cut, forest: Forest, motion: Motion) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Generate the undetermined forces of connections beside rigid ones through a cut.

    For each time and connection: the number of the time, the point (3,), and forces and torques of its directions there, in
    world (m, 6).
    """
    from ...constraints.kernels.cut_joint import evaluate_rows

    beside = [CutJoint.of(forest.graph, one) for one in forest.rigid_cuts]
    found = passing(cut, forest, beside)
    assert found is not None
    (R, p), still = motion.poses, np.zeros((forest.n, 3))
    for number in np.flatnonzero(found[1]).tolist():
        table, m = beside[number].table_row(forest)[None, :], len(beside[number].row_names)
        points, wrenches, (residual, speed, rest) = np.zeros((1, 3)), np.zeros((m, 6)), np.zeros((3, m))
        for k in range(len(motion.time)):
            evaluate_rows(table, R[k], p[k], still, still, still, still, points, wrenches, residual, speed, rest)
            yield k, points[0], wrenches


class _Closing(NamedTuple):
    """Wrench of what closes a loop on the body of its second frame, in world, at a point.

    That is a force and a torque, and besides ``sign`` times the multipliers of the cut of this number.
    """

    point: np.ndarray
    number: int
    sign: float
    force: np.ndarray | float = 0.0
    torque: np.ndarray | float = 0.0


class _Acting(NamedTuple):
    """Loop constraint that acts through a cut besides what moves beyond it, with factors; whether it is itself the cut."""

    parts: list[tuple[_Closing, float]]
    is_cut: bool


def _acting(cut: Cut, forest: Forest, motion: Motion, cuts: Sequence[CutJoint | RestingContact]) -> _Acting | None:
    """Return None where nothing determines it, see `passing`."""
    found = passing(cut, forest, cuts)
    if found is None:
        return None
    is_cut, factors = found
    return _Acting(
        [(_closing(forest, motion, cuts[k], k), float(factors[k])) for k in np.flatnonzero(factors).tolist()], is_cut
    )


def _closing(forest: Forest, motion: Motion, cut: CutJoint | RestingContact, number: int) -> _Closing:
    _, point = motion.frame_pose(*forest.frame_pose(forest.graph.index[cut.frame_2]))
    if cut.copy < 0:
        return _Closing(point, number, 1.0)
    # the joint at the copy moves that, together with the weld
    force, torque = _needed(forest, motion, forest.frame_pose(cut.copy)[0], point)
    sign = turn(forest.graph, cut)
    return _Closing(point, number, -sign, sign * force, sign * torque)


def _needed(forest: Forest, motion: Motion, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the force and torque about a point (nt, 3), in world, that move a body as it moves and carry its weight."""
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
