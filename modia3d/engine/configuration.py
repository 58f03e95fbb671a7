"""A forest at one point in time: coordinates and speeds, the motion of any frame, and what becomes of them in another forest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from modiapy.acausal.protocol import Read

from ..dynamics.layout import FREE, KIND
from ..topology.forest import Forest
from ..topology.graph import SceneGraph
from ..topology.motion import WORLD_AT_REST, FrameMotion
from .motion import Motion


@dataclass(frozen=True, eq=False)
class Configuration:
    """A forest with its coordinates and speeds.

    Attributes:
        forest: the forest.
        q, v: coordinates (nq,) and speeds (nv,).
    """

    forest: Forest
    q: np.ndarray
    v: np.ndarray

    @cached_property
    def _motion(self) -> Motion:
        forest = self.forest
        return Motion(
            forest.ints,
            forest.floats,
            forest.gravity,
            self.q[None, :],
            self.v[None, :],
            lambda: np.zeros((1, forest.n_equation)),
        )

    def motion_of(self, name: str) -> FrameMotion:
        """Motion of a frame by its full name."""
        body, R_BF, p_BF = self.forest.frame_pose(self.forest.graph.index[name])
        if body < 0:
            return WORLD_AT_REST.carried(R_BF, p_BF)
        (R_WF, p_WF), (v_WF, w_WF) = self._motion.frame_pose(body, R_BF, p_BF), self._motion.frame_velocity(body, p_BF)
        return FrameMotion(R_WF[0], p_WF[0], v_WF[0], w_WF[0])

    @cached_property
    def states(self) -> dict[str, float]:
        """The states ``x_var`` by name."""
        n_e = self.forest.n_equation
        x = np.concatenate([self.q[n_e:], self.v[n_e:]])
        return dict(zip(self.forest.x_names, x.tolist(), strict=True))


def coordinate_names(graph: SceneGraph) -> tuple[tuple[str, str], ...]:
    """Names of the variables that are coordinate and speed of each joint with a flange, e.g. ``("rev.phi", "rev.w")``."""
    return tuple((f"{e.name}.{e.joint.coordinates[0]}", f"{e.name}.{e.joint.coordinates[1]}") for e in graph.equation_joints)


def configuration(forest: Forest, names: Sequence[tuple[str, str]], read: Read, x: np.ndarray) -> Configuration:
    """The configuration where the equations have the values ``read`` gives and the engine the states ``x`` (n_x,)."""
    hidden = forest.nq - forest.n_equation
    q = np.concatenate([[read(phi) for phi, _ in names], x[:hidden]])
    v = np.concatenate([[read(w) for _, w in names], x[hidden:]])
    return Configuration(forest, q, v)


def carried_states(old: Configuration, new: Forest) -> np.ndarray:
    """States ``x_var`` of ``new`` that mean the same motion as ``old``, shape (n_x,).

    A state that exists on both sides is kept to the last bit; the free motion of a root that has become free is that of
    its frame at this moment.
    """
    kept = old.states
    fresh: dict[str, float] = {}
    for body, _ in new.hidden:
        if new.ints[body, KIND] == FREE:
            root = new.body_names[body]
            if f"{root}.r[0]" not in kept:
                fresh |= free_states(root, old.motion_of(root))
    return np.array([kept[name] if name in kept else fresh[name] for name in new.x_names])


def free_states(root: str, motion: FrameMotion) -> dict[str, float]:
    """States of a free root frame that moves as given."""
    quaternion = quaternion_of_rotation(motion.R_WF)
    groups = (("r", motion.p_WF), ("q", quaternion), ("v", motion.v_WF_W), ("w", motion.R_WF.T @ motion.w_WF_W))
    return {f"{root}.{letter}[{i}]": float(value) for letter, values in groups for i, value in enumerate(values)}


def quaternion_of_rotation(R: np.ndarray) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation matrix (3, 3); w is not negative.

    The largest of the four is computed from the diagonal, the others from it, so that nothing is divided by a small number
    (Shepperd, J. Guidance and Control 1 (1978)).
    """
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = np.array([trace, R[0, 0], R[1, 1], R[2, 2]])
    k = int(np.argmax(squares))
    if k == 0:
        Q = np.array([1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, l = k - 1, k % 3, (k + 1) % 3
        Q = np.empty(4)
        Q[0] = R[l, j] - R[j, l]
        Q[1 + i] = 1.0 + 2.0 * R[i, i] - trace
        Q[1 + j] = R[j, i] + R[i, j]
        Q[1 + l] = R[l, i] + R[i, l]
    Q /= np.linalg.norm(Q)
    return Q if Q[0] >= 0.0 else -Q
