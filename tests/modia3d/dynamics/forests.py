"""Random forests of bodies, and slow, plain numpy mechanics of them to compare the kernels with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modia3d.dynamics.layout import (
    EQUATION,
    FLOAT_COLUMNS,
    FREE,
    HIDDEN,
    INERTIA,
    INT_COLUMNS,
    MASS,
    MOMENT,
    P_PJ,
    PRISMATIC,
    Q_SIZE,
    R_PJ,
    REVOLUTE,
    V_SIZE,
)

Array = np.ndarray[Any, Any]


def random_rotation(rng: np.random.Generator) -> Array:
    """A rotation matrix, uniformly distributed."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0.0 else -Q


@dataclass
class Forest:
    """Arrays of a forest and a state of it."""

    ints: Array
    floats: Array
    gravity: Array
    q: Array
    v: Array
    a: Array

    @property
    def n(self) -> int:
        return len(self.ints)

    @property
    def n_e(self) -> int:
        return int(np.sum(self.ints[:, 4] == EQUATION))

    @property
    def nv(self) -> int:
        return len(self.v)

    def inertia(self, i: int) -> tuple[float, Array, Array]:
        """Mass, first moment, inertia about the origin of body ``i``."""
        f = self.floats[i]
        xx, yy, zz, xy, xz, yz = f[INERTIA : INERTIA + 6]
        return float(f[MASS]), f[MOMENT : MOMENT + 3], np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def random_body(rng: np.random.Generator) -> Array:
    """Row of ``floats``: any placement, any mass distribution of three mass points and a ball."""
    row = np.zeros(FLOAT_COLUMNS)
    row[R_PJ : R_PJ + 9] = random_rotation(rng).ravel()
    row[P_PJ : P_PJ + 3] = rng.uniform(-0.5, 0.5, 3)
    masses, points = rng.uniform(0.1, 2.0, 3), rng.uniform(-0.4, 0.4, (3, 3))
    inertia = 0.02 * np.eye(3) + sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points, strict=True))
    row[MASS] = masses.sum()
    row[MOMENT : MOMENT + 3] = masses @ points
    row[INERTIA : INERTIA + 6] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return row


def random_forest(
    seed: int, n: int, *, free: float = 0.3, root: float = 0.2, hidden: float = 0.5, chain: float = 0.5, prismatic: float = 0.4
) -> Forest:
    """A forest of ``n`` bodies: branching trees, fixed and free bases, EQUATION and HIDDEN joints in any order.

    Args:
        free: fraction of the roots that move freely. root: fraction of bodies that are roots. hidden: fraction of the joints
            that are HIDDEN. chain: fraction of bodies that continue a chain. prismatic: fraction of the joints.
    """
    rng = np.random.default_rng(seed)
    ints, floats = np.zeros((n, INT_COLUMNS), np.int64), np.zeros((n, FLOAT_COLUMNS))
    for i in range(n):
        is_root = i == 0 or rng.random() < root
        parent = -1 if is_root else i - 1 if rng.random() < chain else int(rng.integers(i))
        kind = FREE if is_root and rng.random() < free else PRISMATIC if rng.random() < prismatic else REVOLUTE
        role = HIDDEN if kind == FREE or rng.random() < hidden else EQUATION
        floats[i] = random_body(rng)
        if kind == FREE:
            floats[i, R_PJ : R_PJ + 9], floats[i, P_PJ : P_PJ + 3] = np.eye(3).ravel(), 0.0
        ints[i, :5] = parent, kind, 0, 0, role
    equation = np.flatnonzero(ints[:, 4] == EQUATION)
    order = [*rng.permutation(equation), *np.flatnonzero(ints[:, 4] == HIDDEN)]
    nq = nv = 0
    for i in order:
        ints[i, 2:4] = nq, nv
        nq, nv = nq + Q_SIZE[ints[i, 1]], nv + V_SIZE[ints[i, 1]]
    return Forest(ints, floats, rng.normal(size=3) * 5.0, rng.normal(size=nq), rng.normal(size=nv), rng.normal(size=nv))


def inertia_seen_from(row: Array, R: Array, p: Array) -> Array:
    """A body's row of ``floats`` for another frame on it: axes are the columns of ``R``, origin is ``p``, both in B."""
    xx, yy, zz, xy, xz, yz = row[INERTIA : INERTIA + 6]
    mass, c = row[MASS], row[MOMENT : MOMENT + 3] / row[MASS]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (c @ c * np.eye(3) - np.outer(c, c))
    d = c - p
    inertia = R.T @ (inertia + mass * (d @ d * np.eye(3) - np.outer(d, d))) @ R
    row = row.copy()
    row[MOMENT : MOMENT + 3] = R.T @ (mass * d)
    row[INERTIA : INERTIA + 6] = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return row


def quaternion_of(R: Array) -> Array:
    """Quaternion w x y z of a rotation matrix, from the largest of its elements."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    full = K + np.triu(K, 1).T + np.eye(4)
    return full[np.argmax(np.diag(full))] / np.linalg.norm(full[np.argmax(np.diag(full))])


def turn_about_z(angle: Any) -> Array:
    """R_z(angle); the angle may be complex."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def matrix_of_quaternion(Q: Array) -> Array:
    """Rotation matrix of the normalised quaternion w x y z, whose elements may be complex."""
    w, r = Q[0], Q[1:]
    cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
    return np.eye(3) + 2.0 * (w * cross + cross @ cross) / np.sum(Q * Q)


def poses(forest: Forest, q: Array) -> tuple[list[Array], list[Array]]:
    """R_WB and p_WB_W of all bodies; ``q`` may be complex."""
    R: list[Array] = []
    p: list[Array] = []
    for i, (parent, kind, k) in enumerate(forest.ints[:, :3]):
        if kind == FREE:
            R_PB, p_PB = matrix_of_quaternion(q[k + 3 : k + 7]), q[k : k + 3]
        else:
            R_PB, p_PB = forest.floats[i, R_PJ : R_PJ + 9].reshape(3, 3), forest.floats[i, P_PJ : P_PJ + 3]
            if kind == REVOLUTE:
                R_PB = R_PB @ turn_about_z(q[k])
            else:
                p_PB = p_PB + q[k] * R_PB[:, 2]
        R.append(R[parent] @ R_PB if parent >= 0 else R_PB)
        p.append(p[parent] + R[parent] @ p_PB if parent >= 0 else p_PB)
    return R, p


def jacobians(forest: Forest, q: Array) -> list[tuple[Array, Array]]:
    """For every body the matrices that take v to the velocity of its origin and to its angular velocity, in world."""
    R, p = poses(forest, q)
    result = []
    for i in range(forest.n):
        J_v, J_w = np.zeros((3, forest.nv), q.dtype), np.zeros((3, forest.nv), q.dtype)
        j = i
        while j >= 0:
            kind, k = forest.ints[j, 1], forest.ints[j, 3]
            if kind == FREE:
                J_v[:, k : k + 3] = np.eye(3)
                J_w[:, k + 3 : k + 6] = R[j]
                J_v[:, k + 3 : k + 6] = np.cross(R[j].T, p[i] - p[j]).T
            elif kind == REVOLUTE:
                J_w[:, k], J_v[:, k] = R[j][:, 2], np.cross(R[j][:, 2], p[i] - p[j])
            else:
                J_v[:, k] = R[j][:, 2]
            j = forest.ints[j, 0]
        result.append((J_v, J_w))
    return result


def coordinate_rates(forest: Forest, q: Array, v: Array) -> Array:
    """der(q) from v."""
    rates = np.zeros(len(q))
    for _, kind, j, k in forest.ints[:, :4]:
        if kind == FREE:
            rates[j : j + 3] = v[k : k + 3]
            w, x, y, z = q[j + 3 : j + 7]
            rates[j + 3 : j + 7] = 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]) @ v[k + 3 : k + 6]
        else:
            rates[j] = v[k]
    return rates


def equations_of_motion(forest: Forest) -> tuple[Array, Array]:
    """M and h of ``M a + h = tau`` by Jacobians of all bodies (principle of d'Alembert); their rates by the complex step."""
    h_step = 1e-30
    J = jacobians(forest, forest.q)
    rates = coordinate_rates(forest, forest.q, forest.v)
    J_step = jacobians(forest, forest.q + 1j * h_step * rates)
    R, _ = poses(forest, forest.q)
    M, h = np.zeros((forest.nv, forest.nv)), np.zeros(forest.nv)
    for i in range(forest.n):
        mass, moment, inertia = forest.inertia(i)
        moment, inertia = R[i] @ moment, R[i] @ inertia @ R[i].T
        lever = np.array([[0, -moment[2], moment[1]], [moment[2], 0, -moment[0]], [-moment[1], moment[0], 0]])
        spatial = np.block([[mass * np.eye(3), -lever], [lever, inertia]])
        A = np.vstack(J[i])
        w = J[i][1] @ forest.v
        product = np.vstack(J_step[i]).imag @ forest.v / h_step - np.concatenate([forest.gravity, np.zeros(3)])
        M += A.T @ spatial @ A
        h += A.T @ (spatial @ product + np.concatenate([np.cross(w, np.cross(w, moment)), np.cross(w, inertia @ w)]))
    return M, h


def assert_close(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Difference at most ``tolerance`` of the largest expected magnitude (at least 1)."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    if expected.size:
        assert np.max(np.abs(found - expected)) <= tolerance * max(1.0, np.max(np.abs(expected)))
