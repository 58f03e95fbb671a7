"""Accelerations and multipliers of closed loops over time, from coordinates, speeds and what acts on the joints."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.loops import Loops
from ...constraints.tables.tolerances import TOLERANCE
from ...dynamics.basics.layout import KIND, LOCKED, PASSIVE, PRESCRIBED, ROLE, V_INDEX, work_shape
from ...dynamics.joints.kinds import V_SIZE
from ...topology.forest import Forest
from .motion import Motion

_NOTHING = 1e-9
"""Part of the largest effect on a speed below which an effect is rounding."""


class ClosedMotion:
    """Accelerations and multipliers of a motion with closed loops.

    All joints take part alike, also those of the equations: what their flanges exert is known here.

    Args:
        forest: of the segment.
        held: gives the rows of contacts at rest.
        motion: of it.
    """

    def __init__(self, forest: Forest, held: Callable[[], Sequence[RestingContact]], motion: Motion) -> None:
        self._motion = motion
        ints = forest.ints.copy()
        for row, name in zip(ints, forest.body_names, strict=True):
            if row[ROLE] == PRESCRIBED:
                row[ROLE] = LOCKED if forest.structure.side_of(name) is not None else PASSIVE
        self._forest = replace(forest, ints=ints, n_equation=0)
        self._n_e = forest.n_equation
        self._loops = Loops(self._forest, held(), 0, ())

    @cached_property
    def _accelerations(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        from ..kernels.closed_motion import closed_accelerations

        motion, forest = self._motion, self._forest
        free, a = np.zeros_like(motion.v), np.zeros_like(motion.v)
        tau = np.zeros_like(motion.v)
        tau[:, : self._n_e] = np.nan_to_num(motion.read_tau()) if self._n_e else 0.0
        wrenches = np.ascontiguousarray(motion.wrenches)
        self._loops.views["q"][:] = motion.q[0]
        exerted = np.zeros((len(motion.q), len(self._loops.table), 12))
        closed_accelerations(
            forest.ints, forest.floats, forest.gravity, motion.q, motion.v, tau, wrenches, self._loops.address, free, a,
            exerted,
        )  # fmt: skip
        return free, a, exerted

    @property
    def exerted(self) -> tuple[list[RestingContact], np.ndarray]:
        """The rows of contacts at rest, and what each exerts on the body of its second frame, in world: force, torque, where
        the force acts, and where the solids touch, shape (nt, n, 12) [N, N.m, m, m]."""
        of = [k for k, cut in enumerate(self._loops.cuts) if isinstance(cut, RestingContact)]
        return [cut for cut in self._loops.cuts if isinstance(cut, RestingContact)], self._accelerations[2][:, of]

    @property
    def accelerations(self) -> np.ndarray:
        """Return the accelerations of all joints, shape (nt, nv)."""
        return self._accelerations[1]

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Force and torque that each cut exerts on the body of its frame 2, at its origin, in world, shape (nt, n, 6) [N, N.m].

        Where multipliers are not unique, they are those of least norm, see `constraints.elimination`.
        """
        view = self._loops.views
        free, a, exerted = self._accelerations
        found = np.zeros((len(self._motion.q), len(self._loops.table), 6))
        for k, (G, M, moving) in enumerate(self._rows()):
            pushed = M @ (a[k] - free[k])[moving]
            wrenches, own = np.zeros((len(view["size"]), 6)), view["of_contact"] == 0
            if not own.all():
                pushed = pushed - self._pushed_by_contacts(k, exerted[k])[moving]
            if own.any():
                values = _least_norm(G[own], view["size"][own], view["reach"][own], pushed)
                wrenches[own] = values[:, None] * view["coefficients"][own]
            for i, rows in enumerate(self._rows_of_cuts):
                found[k, i] = wrenches[rows].sum(axis=0)
        for i, cut in enumerate(self._loops.cuts):
            if not isinstance(cut, RestingContact):
                continue
            _, origin = self._motion.frame_pose(*self._forest.frame_pose(self._forest.graph.index[cut.frame_2]))
            force, torque, point, _ = np.split(exerted[:, i], 4, axis=1)
            found[:, i] = np.hstack([force, torque + np.cross(point - origin, force)])
        return found

    def _pushed_by_contacts(self, k: int, exerted: np.ndarray) -> np.ndarray:
        """Return the generalized forces (nv,) of what contacts exert (n, 12) at a time; after `_rows` has come to it."""
        from ...constraints.kernels.cut_joint import rows_of_cuts

        forest, view, motion = self._forest, self._loops.views, self._motion
        coefficients, G = np.zeros_like(view["coefficients"]), np.zeros((len(view["size"]), forest.nv))
        for i, rows in enumerate(self._rows_of_cuts):
            if isinstance(self._loops.cuts[i], RestingContact):
                coefficients[rows.start] = exerted[i, :6]
        (R, p), work = motion.poses, np.zeros(work_shape(forest.n))
        table = self._loops.table
        rows_of_cuts(forest.ints, forest.floats, motion.q[k], R[k], p[k], table, view["points"], coefficients, G, work)
        return np.asarray(G.sum(axis=0))

    @property
    def freedoms(self) -> Iterator[tuple[np.ndarray, np.ndarray, list[slice]]]:
        """Multipliers that change nothing, for each time.

        An orthonormal basis (m, k) of them, in units of the sizes of rows; force and torque of such a unit of each row, in
        world, shape (m, 6); the rows of each cut.
        """
        for G, _, _ in self._rows():
            view = self._loops.views
            null = _solutions(G, view["size"], view["reach"])[1]
            yield null, view["coefficients"] / view["size"][:, None], self._rows_of_cuts

    @property
    def _rows_of_cuts(self) -> list[slice]:
        return [slice(first, end) for first, end in itertools.pairwise(self._loops.views["row_start"].tolist())]

    def _rows(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Generate for each time the rows G of the joints that move, shape (m, n), their mass matrix, and which speeds they
        have.

        The memory of the loops has the coefficients of the rows then."""
        from ...constraints.kernels.cut_joint import evaluate_rows, rows_of_cuts
        from ...dynamics.mass_matrix import mass_matrix

        self._accelerations  # noqa: B018  (measures the sizes)
        forest, view, motion = self._forest, self._loops.views, self._motion
        nv, m, n = forest.nv, len(view["residual"]), forest.n
        moving = np.ones(nv, dtype=bool)
        for row in forest.ints[forest.ints[:, ROLE] == LOCKED]:
            moving[row[V_INDEX] : row[V_INDEX] + V_SIZE[row[KIND]]] = False
        moving[np.setdiff1d(np.arange(nv), _speeds(forest))] = False
        cuts, work, M, G = self._loops.table, np.zeros(work_shape(n)), np.zeros((nv, nv)), np.zeros((m, nv))
        (R, p), still = motion.poses, np.zeros((n, 3))
        for k, q in enumerate(motion.q):
            evaluate_rows(
                cuts, R[k], p[k], still, still, still, still,
                view["points"], view["coefficients"], view["residual"], view["speed"], view["rest"],
            )  # fmt: skip
            rows_of_cuts(forest.ints, forest.floats, q, R[k], p[k], cuts, view["points"], view["coefficients"], G, work)
            M[:] = 0.0
            mass_matrix(forest.ints, forest.floats, q, M, work)
            yield G[:, moving], M[np.ix_(moving, moving)], moving

    @cached_property
    def residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """The largest residual of positions and of speeds of all rows, shapes (nt,) [m or 1, m/s or 1/s]."""
        from ...constraints.kernels.cut_joint import evaluate_rows

        view, (R, p), (v_W, w_W) = self._loops.views, self._motion.poses, self._motion.velocities
        still, found = np.zeros((self._forest.n, 3)), np.zeros((2, len(self._motion.q)))
        for k in range(found.shape[1]):
            evaluate_rows(
                self._loops.table, R[k], p[k], v_W[k], w_W[k], still, still,
                view["points"], view["coefficients"], view["residual"], view["speed"], view["rest"],
            )  # fmt: skip
            found[:, k] = np.abs(view["residual"]).max(), np.abs(view["speed"]).max()
        return found[0], found[1]

    @property
    def cuts(self) -> list[CutJoint | RestingContact]:
        """The cuts, in the order of `multipliers`."""
        return list(self._loops.cuts)


def _speeds(forest: Forest) -> np.ndarray:
    """Return the indices of the speeds of joints that are there."""
    rows = forest.ints[:, [V_INDEX, KIND]].tolist()
    return np.array([k for first, kind in rows for k in range(first, first + V_SIZE[kind])], dtype=np.int64)


def _solutions(G: np.ndarray, size: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix (m, n) that makes multipliers of forces ``G^T p``, and an orthonormal basis (m, k) of those that do
    nothing.

    Both are in units of ``size`` (m,); the rank is that of the rows G (m, n), whatever the masses, with their ``reach``.
    """
    width = np.linalg.norm(G, axis=0)
    width = np.fmax(width, _NOTHING * width.max(initial=0.0))
    width[width == 0.0] = 1.0
    U, s, Vt = np.linalg.svd((G / width).T / reach)
    rank = int(np.sum(s > TOLERANCE * s.max(initial=0.0)))
    scale = (size / reach)[:, None]
    return scale * (Vt[:rank].T / s[:rank] @ U[:, :rank].T) / width, np.linalg.qr(scale * Vt[rank:].T)[0]


def _least_norm(G: np.ndarray, size: np.ndarray, reach: np.ndarray, pushed: np.ndarray) -> np.ndarray:
    """Return the multipliers (m,) with ``G^T p = pushed`` of least norm, in units of ``size`` (m,)."""
    inverse, null = _solutions(G, size, reach)
    p = inverse @ pushed
    return np.asarray((p - null @ (null.T @ p)) / size)
