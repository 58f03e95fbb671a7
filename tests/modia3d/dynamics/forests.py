"""Random forests of bodies, and slow, plain numpy mechanics of them to compare the kernels with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modia3d.dynamics.basics.layout import (
    FLOAT_COLUMNS,
    FREE,
    INERTIA,
    INT_COLUMNS,
    MASS,
    MOMENT,
    ORIENTATION,
    P_PJ,
    PARAMETER,
    PASSIVE,
    PRESCRIBED,
    PRISMATIC,
    R_PJ,
    REVERSED,
    REVOLUTE,
    SEQUENCES,
)
from modia3d.dynamics.joints.kinds import KINDS, V_SIZE, q_size

SCREW, CYLINDRICAL, UNIVERSAL, PLANAR, SPHERICAL, SIX_DOF, PIN_SLOT = (
    KINDS.index(name) for name in ("screw", "cylindrical", "universal", "planar", "spherical", "six-dof", "pin-slot")
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
        """Number of speeds that the equations have."""
        return sum(V_SIZE[kind] for kind in self.ints[self.ints[:, 4] == PRESCRIBED, 1])

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
    seed: int,
    n: int,
    *,
    free: float = 0.3,
    root: float = 0.2,
    passive: float = 0.5,
    chain: float = 0.5,
    prismatic: float = 0.4,
    general: float = 0.0,
    cardan: float = 0.5,
) -> Forest:
    """A forest of ``n`` bodies: branching trees, fixed and free bases, PRESCRIBED and PASSIVE joints in any order.

    Args:
        free: fraction of the roots that move freely. root: fraction of bodies that are roots. passive: fraction of the joints
            that are PASSIVE. chain: fraction of bodies that continue a chain. prismatic: fraction of the joints.
        general: fraction of the joints that are of the other kinds, half of them reversed. cardan: fraction of their
            orientations that are Cardan angles.
    """
    rng = np.random.default_rng(seed)
    ints, floats = np.zeros((n, INT_COLUMNS), np.int64), np.zeros((n, FLOAT_COLUMNS))
    for i in range(n):
        is_root = i == 0 or rng.random() < root
        parent = -1 if is_root else i - 1 if rng.random() < chain else int(rng.integers(i))
        kind = FREE if is_root and rng.random() < free else PRISMATIC if rng.random() < prismatic else REVOLUTE
        if general and kind != FREE and rng.random() < general:
            kind = int(rng.integers(SCREW, len(KINDS)))
        role = PASSIVE if kind in (FREE, SPHERICAL, SIX_DOF) or rng.random() < passive else PRESCRIBED
        floats[i] = random_body(rng)
        if kind == FREE:
            floats[i, R_PJ : R_PJ + 9], floats[i, P_PJ : P_PJ + 3] = np.eye(3).ravel(), 0.0
        ints[i, :5] = parent, kind, 0, 0, role
        if general and kind >= FREE:
            ints[i, REVERSED] = kind > FREE and rng.random() < 0.5
            if kind in (FREE, SPHERICAL, SIX_DOF) and rng.random() < cardan:
                ints[i, ORIENTATION] = rng.integers(1, len(SEQUENCES))
            floats[i, PARAMETER] = rng.uniform(-0.5, 0.5) if kind == SCREW else 0.0
    equation = np.flatnonzero(ints[:, 4] == PRESCRIBED)
    order = [*rng.permutation(equation), *np.flatnonzero(ints[:, 4] == PASSIVE)]
    nq = nv = 0
    for i in order:
        ints[i, 2:4] = nq, nv
        nq, nv = nq + q_size(ints[i, 1], ints[i, ORIENTATION]), nv + V_SIZE[ints[i, 1]]
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


def turn(axis: int, angle: Any) -> Array:
    """Rotation about axis 0, 1 or 2; the angle may be complex."""
    return np.roll(turn_about_z(angle), axis + 1, axis=(0, 1))


def oriented(orientation: int, q: Array) -> Array:
    """Rotation matrix of a quaternion or of Cardan angles."""
    if orientation == 0:
        return matrix_of_quaternion(q[:4])
    axes = ["xyz".index(letter) for letter in SEQUENCES[orientation]]
    return turn(axes[0], q[0]) @ turn(axes[1], q[1]) @ turn(axes[2], q[2])


@dataclass
class Step:
    """A part of a joint: translation ``p`` then rotation ``R``, with the twists of its speeds.

    Attributes:
        R, p: from the frame before to the frame after, coordinates of the frame before.
        twists: (index in v, angular, linear) of a unit speed, coordinates of the frame before, of the frame after's origin.
    """

    R: Array
    p: Array
    twists: list[tuple[int, Array, Array]]

    def inverted(self) -> Step:
        """The same part seen from the frame after."""
        twists = [(k, -self.R.T @ w, self.R.T @ (np.cross(w, self.p) - v)) for k, w, v in self.twists]
        return Step(self.R.T, -self.R.T @ self.p, twists)


def steps(forest: Forest, i: int, q: Array) -> list[Step]:
    """The joint of body ``i`` as elementary motions, from the parent to the body."""
    _, kind, j, k = forest.ints[i, :4]
    orientation, turned = forest.ints[i, [ORIENTATION, REVERSED]]
    e, none, unit = np.eye(3), np.zeros(3), np.eye(3)

    def revolute(axis: int, at: int) -> Step:
        return Step(turn(axis, q[j + at]), none, [(k + at, e[axis], none)])

    def prismatic(axis: int, at: int) -> Step:
        return Step(unit, q[j + at] * e[axis], [(k + at, none, e[axis])])

    def ball(at: int) -> Step:
        R = oriented(orientation, q[j + at :])
        return Step(R, none, [(k + at + a, R[:, a], none) for a in range(3)])

    def screw() -> Step:
        h = forest.floats[i, PARAMETER]
        return Step(turn(2, q[j]), h * q[j] * e[2], [(k, e[2], h * e[2])])

    parts = {
        REVOLUTE: lambda: [revolute(2, 0)],
        PRISMATIC: lambda: [prismatic(2, 0)],
        FREE: lambda: [prismatic(0, 0), prismatic(1, 1), prismatic(2, 2), ball(3)],
        SCREW: lambda: [screw()],
        CYLINDRICAL: lambda: [prismatic(2, 0), revolute(2, 1)],
        UNIVERSAL: lambda: [revolute(0, 0), revolute(1, 1)],
        PIN_SLOT: lambda: [prismatic(0, 0), revolute(2, 1)],
        PLANAR: lambda: [prismatic(0, 0), prismatic(1, 1), revolute(2, 2)],
        SPHERICAL: lambda: [ball(0)],
        SIX_DOF: lambda: [prismatic(0, 0), prismatic(1, 1), prismatic(2, 2), ball(3)],
    }[kind]()
    parts = [part.inverted() for part in reversed(parts)] if turned else parts
    fixed = Step(forest.floats[i, R_PJ : R_PJ + 9].reshape(3, 3), forest.floats[i, P_PJ : P_PJ + 3], [])
    return [fixed, *parts]


def poses(forest: Forest, q: Array) -> tuple[list[Array], list[Array]]:
    """R_WB and p_WB_W of all bodies; ``q`` may be complex."""
    R: list[Array] = []
    p: list[Array] = []
    for i, parent in enumerate(forest.ints[:, 0]):
        R_B, p_B = (R[parent], p[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        for step in steps(forest, i, q):
            R_B, p_B = R_B @ step.R, p_B + R_B @ step.p
        R.append(R_B)
        p.append(p_B)
    return R, p


def jacobians(forest: Forest, q: Array) -> list[tuple[Array, Array]]:
    """For every body the matrices that take v to the velocity of its origin and to its angular velocity, in world."""
    R, p = poses(forest, q)
    # Of every body the twists in world that its joint adds: (index in v, angular, linear, point that has the linear velocity).
    twists: list[list[tuple[int, Array, Array, Array]]] = []
    for i, parent in enumerate(forest.ints[:, 0]):
        R_B, p_B = (R[parent], p[parent]) if parent >= 0 else (np.eye(3), np.zeros(3))
        own = []
        for step in steps(forest, i, q):
            p_B = p_B + R_B @ step.p
            own += [(k, R_B @ w, R_B @ v, p_B) for k, w, v in step.twists]
            R_B = R_B @ step.R
        twists.append(own)
    result = []
    for i in range(forest.n):
        J_v, J_w = np.zeros((3, forest.nv), q.dtype), np.zeros((3, forest.nv), q.dtype)
        j = i
        while j >= 0:
            for k, w, v, point in twists[j]:
                J_w[:, k], J_v[:, k] = w, v + np.cross(w, p[i] - point)
            j = forest.ints[j, 0]
        result.append((J_v, J_w))
    return result


def coordinate_rates(forest: Forest, q: Array, v: Array) -> Array:
    """der(q) from v."""
    rates = np.zeros(len(q))
    for kind, j, k, _, orientation in forest.ints[:, 1:6]:
        straight = {FREE: 3, SPHERICAL: 0, SIX_DOF: 3}.get(kind, V_SIZE[kind])
        rates[j : j + straight] = v[k : k + straight]
        if straight == V_SIZE[kind]:
            continue
        j, w = j + straight, v[k + straight : k + straight + 3]
        if orientation == 0:
            Q = q[j : j + 4]
            E = np.array([[-Q[1], -Q[2], -Q[3]], [Q[0], -Q[3], Q[2]], [Q[3], Q[0], -Q[1]], [-Q[2], Q[1], Q[0]]])
            rates[j : j + 4] = 0.5 * E @ w
        else:
            a, b, c = ("xyz".index(letter) for letter in SEQUENCES[orientation])
            second, third = turn(b, q[j + 1]), turn(c, q[j + 2])
            e = np.eye(3)
            rates[j : j + 3] = np.linalg.solve(np.column_stack([(second @ third).T @ e[a], third.T @ e[b], e[c]]), w)
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
