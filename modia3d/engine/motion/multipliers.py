"""Multipliers of closed loops over time, from the accelerations that they cause."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ...constraints.kinds.resting_contact import RestingContact
from ...constraints.loops import Loops
from ...constraints.tables.tolerances import TOLERANCE
from ...dynamics.basics.layout import KIND, LOCKED, ROLE, V_INDEX, work_shape
from ...dynamics.joints.kinds import V_SIZE
from ...topology.forest import Forest

_NOTHING = 1e-9
"""Part of the largest effect on a speed below which an effect is rounding."""

ROWS = ("points", "coefficients", "residual", "speed", "rest")
"""Fields of the memory of loops that `evaluate_rows` computes."""


class Multipliers:
    """Forces and torques of what closes the loops of a segment, and which of them are not unique.

    Args:
        loops: what closes them, with the sizes of its rows.
        q: coordinates (nt, nq). poses: of all bodies, see `Motion.poses`.
        caused: accelerations of all joints that the multipliers cause (nt, nv).
        exerted: what contacts at rest exert (nt, n_cuts, 12), see `Motion.exerted`.
    """

    def __init__(
        self, loops: Loops, q: np.ndarray, poses: tuple[np.ndarray, np.ndarray], caused: np.ndarray, exerted: np.ndarray
    ) -> None:
        self._loops, self._q, self._poses, self._caused, self._exerted = loops, q, poses, caused, exerted
        self._rows_of_cuts = [slice(*pair) for pair in itertools.pairwise(loops.views["row_start"].tolist())]

    @cached_property
    def wrenches(self) -> np.ndarray:
        """Force and torque that each cut exerts on the body of its frame 2, at its origin, in world, shape (nt, n, 6) [N, N.m].

        Where multipliers are not unique, they are those of least norm, see `constraints.elimination`.
        """
        view = self._loops.views
        found = np.zeros((len(self._q), len(self._loops.table), 6))
        for k, (G, M, moving) in enumerate(self._rows()):
            pushed = M @ self._caused[k][moving]
            wrenches, own = np.zeros((len(view["size"]), 6)), view["of_contact"] == 0
            if not own.all():
                pushed = pushed - self._pushed_by_contacts(k)[moving]
            if own.any():
                values = _least_norm(G[own], view["size"][own], view["reach"][own], pushed)
                wrenches[own] = values[:, None] * view["coefficients"][own]
            for i, rows in enumerate(self._rows_of_cuts):
                found[k, i] = wrenches[rows].sum(axis=0)
        (R, p), forest = self._poses, self._loops.forest
        for i, cut in enumerate(self._loops.cuts):
            if isinstance(cut, RestingContact):
                body, _, p_BF_B = forest.frame_pose(forest.graph.index[cut.frame_2])
                origin = p_BF_B if body < 0 else p[:, body] + R[:, body].reshape(-1, 3, 3) @ p_BF_B
                force, torque, point, _ = np.split(self._exerted[:, i], 4, axis=1)
                found[:, i] = np.hstack([force, torque + np.cross(point - origin, force)])
        return found

    def _pushed_by_contacts(self, k: int) -> np.ndarray:
        """Return the generalized forces (nv,) of what contacts exert at a time; after `_rows` has come to it."""
        view = self._loops.views
        coefficients = np.zeros_like(view["coefficients"])
        for i, rows in enumerate(self._rows_of_cuts):
            if isinstance(self._loops.cuts[i], RestingContact):
                coefficients[rows.start] = self._exerted[k, i, :6]
        return np.asarray(self._generalized(k, coefficients).sum(axis=0))

    def _generalized(self, k: int, coefficients: np.ndarray) -> np.ndarray:
        """Return the rows of all joints (m, nv) at a time, from forces and torques at the points of the cuts (m, 6)."""
        from ...constraints.kernels.cut_joint import rows_of_cuts

        loops, (R, p) = self._loops, self._poses
        forest, G = loops.forest, np.zeros((len(coefficients), loops.forest.nv))
        work = np.zeros(work_shape(forest.n))
        rows_of_cuts(
            forest.ints, forest.floats, self._q[k], R[k], p[k], loops.table, loops.views["points"], coefficients, G, work
        )  # fmt: skip
        return G

    @property
    def freedoms(self) -> Iterator[tuple[np.ndarray, np.ndarray, list[slice]]]:
        """Multipliers that change nothing, for each time.

        An orthonormal basis (m, k) of them, in units of the sizes of rows; force and torque of such a unit of each row, in
        world, shape (m, 6); the rows of each cut.
        """
        view = self._loops.views
        for G, _, _ in self._rows():
            null = _solutions(G, view["size"], view["reach"])[1]
            yield null, view["coefficients"] / view["size"][:, None], self._rows_of_cuts

    def _rows(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Generate for each time the rows G of the joints that move, shape (m, n), their mass matrix, and which speeds they
        have.

        The memory of the loops has the coefficients of the rows then.
        """
        from ...constraints.kernels.cut_joint import evaluate_rows
        from ...dynamics.mass_matrix import mass_matrix

        forest, view, (R, p) = self._loops.forest, self._loops.views, self._poses
        moving = np.ones(forest.nv, dtype=bool)
        for row in forest.ints[forest.ints[:, ROLE] == LOCKED]:
            moving[row[V_INDEX] : row[V_INDEX] + V_SIZE[row[KIND]]] = False
        moving[np.setdiff1d(np.arange(forest.nv), _speeds(forest))] = False
        work, M, still = np.zeros(work_shape(forest.n)), np.zeros((forest.nv, forest.nv)), np.zeros((forest.n, 3))
        for k, q in enumerate(self._q):
            evaluate_rows(self._loops.table, R[k], p[k], still, still, still, still, *(view[name] for name in ROWS))
            M[:] = 0.0
            mass_matrix(forest.ints, forest.floats, q, M, work)
            yield self._generalized(k, view["coefficients"])[:, moving], M[np.ix_(moving, moving)], moving


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
