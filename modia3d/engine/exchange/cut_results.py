"""Torques and forces in cuts over time, and which components of them are unique.

What closes a loop acts on both sides of a cut besides what moves beyond it, or is itself what is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from modiapy.acausal.memory import data_address

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.tables.tolerances import TOLERANCE
from ...dynamics.basics import layout
from ...forces.table import SceneForce
from ...topology.forest import Forest
from ..memory import signal_layout
from ..motion.motion import Motion
from .cuts import Cut, divide
from .exchange import Exchange
from .exchange_memory import ExchangeMemory, set_frames
from .passing import passing, turn


def cut_over_time(
    cut: Cut, forest: Forest, exchange: Exchange, inner: tuple[SceneForce, ...]
) -> Callable[[Motion], np.ndarray]:
    """Return the function that gives torque about the origin of the cut's frame and force (nt, 6), in that frame, for a motion.

    They are not a number where nothing determines them.

    Args:
        cut: the cut. forest: of the segment.
        exchange: the force signals.
        inner: forces inside the engine.
    """
    from ..kernels.cut_motion import cut_wrenches

    pieces = divide(forest, [cut], inner)
    row = np.zeros((1, signal_layout.ROW_COLUMNS))
    set_frames(row[0], forest, (cut.frame, cut.frame, cut.frame))
    row[0, signal_layout.COUNT], row[0, signal_layout.SIGN] = pieces.count[0], pieces.sign[0]
    rows = exchange.force_rows(pieces.forest)

    def of_pieces(motion: Motion) -> np.ndarray:
        """Return the wrenches that the bodies beyond each cut need for their motion, without those of closed loops."""
        inside = replace(pieces, forces=motion.in_pieces(pieces.forces, pieces.forest))
        memory = ExchangeMemory(forest, rows, row, 0, inside, rows)
        out = np.empty((len(motion.time), 6))
        R, p = motion.poses
        v_W, w_W = motion.velocities
        a_W, alpha_W = motion.body_accelerations
        f = motion.read_f()
        words = motion.record(R=R, p=p, v_W=v_W, w_W=w_W, a_W=a_W, alpha_W=alpha_W, f=f)
        cut_wrenches(data_address(words), memory.address, out)
        return out

    def wrench(motion: Motion) -> np.ndarray:
        acting = _acting(cut, forest, motion)
        if acting is None:
            return np.full((len(motion.time), 6), np.nan)
        out = np.zeros((len(motion.time), 6)) if acting.is_cut else of_pieces(motion)
        R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
        for one, factor in acting.parts:
            multipliers = one.sign * motion.multipliers.wrenches[:, one.number]
            force, torque = one.force + multipliers[:, :3], one.torque + multipliers[:, 3:]
            moment = torque + np.cross(one.point - p_WF, force)
            out[:, :3] += factor * np.einsum("tji,tj->ti", R_WF, moment)
            out[:, 3:] += factor * np.einsum("tji,tj->ti", R_WF, force)
        return out

    return wrench


def unique_components(cut: Cut, forest: Forest, motion: Motion) -> np.ndarray:
    """Return which components of `cut_over_time` are unique, shape (nt, 6): 1 where they are, 0 where others do as well,
    NaN where there are none.

    Multipliers p and p + n do the same where ``G^T n = 0``. A component is unique where no such n changes it (Garcia de Jalon
    and Gutierrez-Lopez 2013). What a connection beside a rigid one bears is not determined, so that what it could bear is not
    in the others of their ring either.
    """
    if not motion.cuts and (cut.element >= 0 or not forest.rigid_cuts):
        return np.full((len(motion.time), 6), np.nan if cut.element >= 0 else 1.0)
    acting = _acting(cut, forest, motion)
    if acting is None:
        return np.zeros((len(motion.time), 6))
    found = np.ones((len(motion.time), 6))
    R_WF, p_WF = motion.frame_pose(*forest.frame_pose(cut.frame))
    for k, (null, wrenches, rows) in enumerate(motion.multipliers.freedoms if acting.parts else ()):
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


def _acting(cut: Cut, forest: Forest, motion: Motion) -> _Acting | None:
    """Return None where nothing determines it, see `passing`."""
    found = passing(cut, forest, motion.cuts)
    if found is None:
        return None
    is_cut, factors = found
    parts = [(_closing(forest, motion, motion.cuts[k], k), float(factors[k])) for k in np.flatnonzero(factors).tolist()]
    return _Acting(parts, is_cut)


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
