"""Kinematics of the symmetric seven-joint arm: forward from either end, inverse in closed form.

The arm is a spherical-revolute-spherical chain: roll, pitch, roll meet in the shoulder, roll, pitch, roll in the wrist, the
elbow is in between. At zero angles it is stretched along z from the blue tip (origin of link 0) to the green tip. Poses are 4x4
homogeneous matrices `T_AB` that take coordinates in B to coordinates in A. Lengths in m, angles in rad.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

TIP = 0.2  # from a tip to the nearest pitch axis
ARM = 0.6  # from a pitch axis to the elbow
JOINT_HEIGHTS = (0.1, 0.2, 0.5, 0.8, 1.1, 1.4, 1.5)  # of the joints above the blue tip, stretched arm
AXES = "zyzyzyz"
N_JOINTS = 7
LENGTH = 2.0 * (TIP + ARM)


def rotation(axis: str, angle: float | Array) -> Array:
    """Rotation matrices (..., 3, 3) about "x", "y" or "z" by `angle` (...,)."""
    angle = np.asarray(angle, dtype=float)
    c, s = np.cos(angle), np.sin(angle)
    R = np.zeros((*angle.shape, 3, 3))
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    R[..., i, i] = 1.0
    R[..., j, j] = R[..., k, k] = c
    R[..., k, j] = s
    R[..., j, k] = -s
    return R


def pose(R: Array | None = None, p: Array | tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    """Homogeneous matrix of rotation `R` (3, 3; default: none) and position `p` (3,)."""
    T = np.eye(4)
    if R is not None:
        T[:3, :3] = R
    T[:3, 3] = p
    return T


def inverse(T: Array) -> Array:
    """Inverse of homogeneous matrices (..., 4, 4)."""
    out = np.zeros_like(T)
    Rt = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, :3] = Rt
    out[..., :3, 3] = -np.einsum("...ij,...j->...i", Rt, T[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out


TURN = pose(rotation("x", np.pi))  # a mating frame seen from its partner
BLUE_LOCK = TURN  # lock frame of the blue end in link 0: z out of the arm
GREEN_LOCK = pose(p=(0.0, 0.0, LENGTH - JOINT_HEIGHTS[-1]))  # lock frame of the green end in link 7


def mated(T_WA: Array, quarter: int = 0) -> Array:
    """Pose `T_WB` of a lock frame B that mates with lock frame A, turned by `quarter` quarter turns about the common normal."""
    return T_WA @ TURN @ pose(rotation("z", quarter * np.pi / 2))


def link_poses(q: Array) -> Array:
    """Poses of the links 0..7 in link 0, (..., 8, 4, 4), for joint angles `q` (..., 7).

    A link's origin is at its joint on the blue side, that of link 0 at the blue tip.
    """
    q = np.asarray(q, dtype=float)
    T = np.zeros((*q.shape[:-1], 8, 4, 4))
    T[...] = np.eye(4)
    for k in range(N_JOINTS):
        step = np.zeros((*q.shape[:-1], 4, 4))
        step[..., :3, :3] = rotation(AXES[k], q[..., k])
        step[..., 2, 3] = JOINT_HEIGHTS[k] - (JOINT_HEIGHTS[k - 1] if k else 0.0)
        step[..., 3, 3] = 1.0
        T[..., k + 1, :, :] = T[..., k, :, :] @ step
    return T


def forward(q: Array, base: str, T_W_base: Array) -> Array:
    """Poses of the links 0..7 in the world, (..., 8, 4, 4).

    The arm stands on the end `base` ("blue" or "green"), whose lock frame has the pose `T_W_base`.
    """
    T = link_poses(q)
    if base == "blue":
        T_W0 = T_W_base @ inverse(BLUE_LOCK)
    else:
        T_W0 = T_W_base @ inverse(T[..., 7, :, :] @ GREEN_LOCK)
    return T_W0[..., None, :, :] @ T


def end_pose(T_links: Array, end: str) -> Array:
    """Pose of the lock frame of `end` ("blue" or "green") from the poses of the links (..., 8, 4, 4)."""
    return T_links[..., 0, :, :] @ BLUE_LOCK if end == "blue" else T_links[..., 7, :, :] @ GREEN_LOCK


def relative_target(base: str, T_W_base: Array, T_W_free: Array) -> Array:
    """Pose of the green lock frame in link 0 when `base` stands at `T_W_base` and the other end at `T_W_free`."""
    T_W_blue, T_W_green = (T_W_base, T_W_free) if base == "blue" else (T_W_free, T_W_base)
    return inverse(T_W_blue @ inverse(BLUE_LOCK)) @ T_W_green


def solve(T_0G: Array, swivel: Array) -> Array:
    """All joint angles that bring the green lock frame to `T_0G` in link 0.

    `swivel` (m,): angles of the elbow about the line from shoulder to wrist. Returns (8 m, 7): two signs of each pitch angle
    for each swivel angle, all in (-pi, pi]; empty where out of reach.
    """
    R, p = T_0G[:3, :3], T_0G[:3, 3]
    shoulder = np.array([0.0, 0.0, TIP])
    line = p - TIP * R[:, 2] - shoulder
    d = float(np.linalg.norm(line))
    if not 1e-3 < d < 2 * ARM - 1e-9:
        return np.empty((0, 7))
    u = line / d
    a = np.cross(u, np.eye(3)[int(np.argmin(np.abs(u)))])
    a /= np.linalg.norm(a)
    b = np.cross(u, a)
    height = np.sqrt(ARM**2 - d**2 / 4)
    upper = (d / 2 * u + height * (np.cos(swivel)[:, None] * a + np.sin(swivel)[:, None] * b)) / ARM
    fore = line / ARM - upper
    elbow = np.arccos(np.clip(d**2 / (2 * ARM**2) - 1, -1, 1))
    solutions = [branch(R, upper, fore, float(elbow), signs) for signs in itertools.product((1.0, -1.0), repeat=3)]
    return np.concatenate(solutions)


def branch(R: Array, upper: Array, fore: Array, elbow: float, signs: tuple[float, ...]) -> Array:
    """Joint angles (m, 7) for directions of upper arm and forearm (m, 3) and the signs of the three pitch angles."""
    s2, s4, s6 = signs
    q = np.empty((len(upper), 7))
    q[:, 1] = s2 * np.arctan2(np.hypot(upper[:, 0], upper[:, 1]), upper[:, 2])
    q[:, 0] = np.arctan2(s2 * upper[:, 1], s2 * upper[:, 0])
    R2 = rotation("z", q[:, 0]) @ rotation("y", q[:, 1])
    f = np.einsum("nji,nj->ni", R2, fore)
    q[:, 3] = s4 * elbow
    q[:, 2] = np.arctan2(s4 * f[:, 1], s4 * f[:, 0])
    R4 = R2 @ rotation("z", q[:, 2]) @ rotation("y", q[:, 3])
    Rw = np.swapaxes(R4, 1, 2) @ R
    q[:, 5] = s6 * np.arctan2(np.hypot(Rw[:, 0, 2], Rw[:, 1, 2]), Rw[:, 2, 2])
    q[:, 4] = np.arctan2(s6 * Rw[:, 1, 2], s6 * Rw[:, 0, 2])
    # From what the first two angles leave over: exact also where the wrist is straight and they are arbitrary.
    rest = np.swapaxes(rotation("z", q[:, 4]) @ rotation("y", q[:, 5]), 1, 2) @ Rw
    q[:, 6] = np.arctan2(rest[:, 1, 0], rest[:, 0, 0])
    return q


def pose_error(T_a: Array, T_b: Array) -> tuple[float, float]:
    """Distance (m) and angle (rad) between two poses."""
    R = T_a[:3, :3].T @ T_b[:3, :3]
    sine = 0.5 * np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.linalg.norm(T_a[:3, 3] - T_b[:3, 3])), float(np.arctan2(sine, 0.5 * (np.trace(R) - 1)))
