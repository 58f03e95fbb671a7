"""Motion of frames, and how it is composed from the motion of the bodies that carry them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from ..scene.joints import JointState, RelativeMotion


class FrameMotion(NamedTuple):
    """Pose and velocity of a frame F in the world W.

    Attributes:
        R_WF: rotation, shape (3, 3); columns are the axes of F in W.
        p_WF: position of the origin in W [m], shape (3,).
        v_WF_W: velocity of the origin, in W [m/s], shape (3,).
        w_WF_W: angular velocity, in W [rad/s], shape (3,).
    """

    R_WF: np.ndarray
    p_WF: np.ndarray
    v_WF_W: np.ndarray
    w_WF_W: np.ndarray

    def carried(self, R_FG: np.ndarray, p_FG: np.ndarray) -> FrameMotion:
        """Return the motion of a frame G fixed in F, at the pose ``R_FG`` (3, 3), ``p_FG`` (3,)."""
        R_WF, p_WF, v_WF_W, w_WF_W = self
        arm = R_WF.dot(p_FG)
        return FrameMotion(R_WF.dot(R_FG), p_WF + arm, v_WF_W + _cross(w_WF_W, arm), w_WF_W)

    def moved(self, R_FG: np.ndarray, p_FG: np.ndarray, v_FG_F: np.ndarray, w_FG_F: np.ndarray) -> FrameMotion:
        """Return the motion of a frame G that moves relative to F with the velocities ``v_FG_F``, ``w_FG_F``, both in F."""
        rigid = self.carried(R_FG, p_FG)
        return FrameMotion(rigid.R_WF, rigid.p_WF, rigid.v_WF_W + self.R_WF @ v_FG_F, rigid.w_WF_W + self.R_WF @ w_FG_F)


def _cross(w: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """Return the cross product of two vectors (3,); `numpy.cross`, which is for many, takes ten times as long."""
    (a, b, c), (x, y, z) = w.tolist(), arm.tolist()
    return np.array((b * z - c * y, c * x - a * z, a * y - b * x))


def relative_motion(one: FrameMotion, two: FrameMotion) -> RelativeMotion:
    """Return the motion of the second frame relative to the first one."""
    R_1W, arm = one.R_WF.T, two.p_WF - one.p_WF
    velocity = two.v_WF_W - one.v_WF_W - _cross(one.w_WF_W, arm)
    return RelativeMotion(R_1W @ two.R_WF, R_1W @ arm, R_1W @ velocity, R_1W @ (two.w_WF_W - one.w_WF_W))


WORLD_AT_REST = FrameMotion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
"""Motion of the world."""

MotionOf = Callable[[str], FrameMotion]
"""Motion of a frame by its full name."""


class Present(Protocol):
    """The state of a system at one moment, as structural actions need it."""

    def motion_of(self, name: str) -> FrameMotion:
        """Return the motion of a frame by its full name."""

    def state_of(self, name: str) -> JointState:
        """Return the coordinates and speeds of a joint by its full name; of a locked one those it is locked at."""
