"""What the choice of a root or of a body's frame must not change."""

from __future__ import annotations

import numpy as np
import pytest

from modia3d.dynamics.accelerations import body_accelerations
from modia3d.dynamics.basics.layout import FREE, P_PJ, PRISMATIC, R_PJ, REVOLUTE, work_shape
from modia3d.dynamics.forward_dynamics import forward_dynamics
from modia3d.dynamics.kinematics import body_poses, body_velocities
from modiapy.acausal import STATUS_OK

from .forests import Forest, assert_close, inertia_seen_from, quaternion_of, random_forest, random_rotation, turn_about_z

pytestmark = pytest.mark.white_box

TURN = np.diag([1.0, -1.0, -1.0])


def accelerations(forest: Forest, tau: np.ndarray) -> np.ndarray:
    """a of forward dynamics."""
    f, a = forest, np.zeros(forest.nv)
    assert forward_dynamics(f.ints, f.floats, f.gravity, f.q, f.v, tau, a, np.zeros(work_shape(f.n))) == STATUS_OK
    return a


def motion_in_world(forest: Forest, a: np.ndarray) -> list[np.ndarray]:
    """R, p, v_W, w_W, a_W, alpha_W of all bodies."""
    R, p = np.zeros((forest.n, 9)), np.zeros((forest.n, 3))
    v_W, w_W, a_W, alpha_W = (np.zeros((forest.n, 3)) for _ in range(4))
    body_poses(forest.ints, forest.floats, forest.q, R, p)
    work = np.zeros(work_shape(forest.n))
    body_velocities(forest.ints, forest.floats, forest.q, forest.v, R, p, v_W, w_W, work)
    body_accelerations(forest.ints, forest.floats, forest.q, forest.v, a, R, p, w_W, a_W, alpha_W, work)
    return [R, p, v_W, w_W, a_W, alpha_W]


def place(row: np.ndarray, R: np.ndarray, p: np.ndarray) -> None:
    """Set R_PJ and p_PJ_P."""
    row[R_PJ : R_PJ + 9], row[P_PJ : P_PJ + 3] = R.ravel(), p


def placement(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R_PJ and p_PJ_P."""
    return row[R_PJ : R_PJ + 9].reshape(3, 3), row[P_PJ : P_PJ + 3]


def reversed_chain(forest: Forest) -> Forest:
    """A free chain of bodies 0 .. n-1, described from its other end in the same state; joint i keeps its place in q and v.

    Seen from the other end, joint i carries body i-1; that body's frame is the joint's frame with the opposite axis.
    """
    n = forest.n
    ints, floats = forest.ints.copy(), np.zeros_like(forest.floats)
    frames = [(R @ TURN, p) for R, p in map(placement, forest.floats[1:])] + [(np.eye(3), np.zeros(3))]
    q, v = forest.q.copy(), forest.v.copy()
    for row in range(n):
        i = n - 1 - row
        R, p = frames[i]
        floats[row] = inertia_seen_from(forest.floats[i], R, p)
        joint = i + 1 if i < n - 1 else 0
        ints[row] = forest.ints[joint]
        ints[row, 0] = row - 1
        if row == 0:
            place(floats[row], np.eye(3), np.zeros(3))
        else:
            R, p = frames[i + 1]
            place(floats[row], R.T @ TURN, -R.T @ p)
    R_W, p_W, v_W, w_W, _, _ = motion_in_world(forest, forest.a)
    frame = R_W[-1].reshape(3, 3)
    k, l = ints[0, 2], ints[0, 3]
    q[k : k + 7] = np.concatenate([p_W[-1], quaternion_of(frame)])
    v[l : l + 6] = np.concatenate([v_W[-1], frame.T @ w_W[-1]])
    return Forest(ints, floats, forest.gravity, q, v, forest.a)


@pytest.mark.parametrize("seed", range(6))
def test_a_free_chain_accelerates_alike_from_either_end(seed: int) -> None:
    forward = random_forest(seed, 8, free=1.0, root=0.0, chain=1.0)
    backward = reversed_chain(forward)
    tau = np.random.default_rng(seed).normal(size=forward.nv)
    k = forward.ints[0, 3]
    tau[k : k + 6] = 0.0
    a, b = accelerations(forward, tau), accelerations(backward, tau)
    joints = [i for i in range(forward.nv) if not k <= i < k + 6]
    assert_close(b[joints], a[joints])
    ahead, back = motion_in_world(forward, a), motion_in_world(backward, b)
    assert_close(back[0][0], ahead[0][-1])
    assert_close(back[4][0], ahead[4][-1])  # the last body's frame is the same in both
    assert_close(back[5], ahead[5][::-1])


def with_other_frames(forest: Forest, rng: np.random.Generator) -> Forest:
    """The same bodies and state with other frames B, as far as the joints' axes leave a choice."""
    floats, q, v = forest.floats.copy(), forest.q.copy(), forest.v.copy()
    R_W, _, _, w_W, _, _ = motion_in_world(forest, forest.a)
    change: list[tuple[np.ndarray, np.ndarray]] = []
    for i, (parent, kind, j, k) in enumerate(forest.ints[:, :4]):
        R, p = turn_about_z(rng.uniform(-3.0, 3.0)), rng.normal(size=3)
        if kind == REVOLUTE:
            p[:2] = 0.0
        elif kind == FREE:
            R, frame = random_rotation(rng), R_W[i].reshape(3, 3)
            q[j : j + 3] += frame @ p
            q[j + 3 : j + 7] = quaternion_of(frame @ R)
            v[k : k + 3] += np.cross(w_W[i], frame @ p)
            v[k + 3 : k + 6] = R.T @ v[k + 3 : k + 6]
        change.append((R, p))
        floats[i] = inertia_seen_from(floats[i], R, p)
        if kind != FREE:
            R_J, p_J = placement(forest.floats[i])
            R_P, p_P = change[parent] if parent >= 0 else (np.eye(3), np.zeros(3))
            place(floats[i], R_P.T @ R_J @ R, R_P.T @ (p_J + R_J @ p - p_P))
    return Forest(forest.ints, floats, forest.gravity, q, v, forest.a)


@pytest.mark.parametrize("seed", range(6))
def test_joints_accelerate_alike_whatever_the_bodies_frames(seed: int) -> None:
    first = random_forest(seed, 10, free=0.5)
    second = with_other_frames(first, np.random.default_rng(seed))
    tau = np.random.default_rng(seed).normal(size=first.nv)
    joints = np.ones(first.nv, bool)
    for kind, k in first.ints[:, [1, 3]]:
        if kind == FREE:
            tau[k : k + 6], joints[k : k + 6] = 0.0, False
    a, b = accelerations(first, tau), accelerations(second, tau)
    assert_close(b[joints], a[joints], 1e-9)
    assert_close(motion_in_world(second, b)[5], motion_in_world(first, a)[5], 1e-9)


def test_a_pendulum_swings_as_in_the_textbook() -> None:
    """Compound pendulum about z with gravity along -y, hanging along x at phi = 0: I phi'' = -m g l cos(phi)."""
    f = random_forest(0, 1, free=0.0, prismatic=0.0)
    place(f.floats[0], np.eye(3), np.array([3.0, 2.0, 1.0]))
    f.floats[0, 12:22] = 2.0, 2.0 * 0.7, 0.0, 0.0, 1.0, 1.0, 1.5, 0.0, 0.0, 0.0
    f.gravity[:] = 0.0, -9.81, 0.0
    f.q[0], f.v[0] = 0.4, 3.0
    assert_close(accelerations(f, np.zeros(1)), [-2.0 * 9.81 * 0.7 * np.cos(0.4) / 1.5])


def test_a_slide_on_a_turntable_feels_the_centrifugal_force() -> None:
    """Turntable about z, slide along its x axis: s'' = s w^2, and the torque for constant speed is 2 m s s' w."""
    f = random_forest(0, 2, free=0.0, root=0.0, chain=1.0, prismatic=0.0, passive=0.0)
    f.ints[:, :4] = (-1, REVOLUTE, 0, 0), (0, PRISMATIC, 1, 1)
    place(f.floats[0], np.eye(3), np.zeros(3))
    place(f.floats[1], np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]]), np.zeros(3))
    f.floats[:, 12:22] = [0.0] * 6 + [1.0] + [0.0] * 3, [2.0] + [0.0] * 9
    f.floats[0, 12:22] = 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0
    f.gravity[:] = 0.0
    f.q[:], f.v[:] = (0.3, 0.5), (4.0, 0.2)
    torque = 2.0 * 2.0 * 0.5 * 0.2 * 4.0
    assert_close(accelerations(f, np.array([torque, 0.0])), [0.0, 0.5 * 16.0])
