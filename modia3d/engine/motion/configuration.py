"""A forest at one point in time: its coordinates and speeds, and the motion of any frame."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from modiapy.acausal.reading import read_all
from modiapy.acausal.segment import SignalReader

from ...dynamics.basics.layout import INERTIA, MASS, MOMENT, work_shape
from ...scene.joints import JointState
from ...topology.forest import Forest
from ...topology.graph import JointEdge, SceneGraph
from ...topology.motion import FrameMotion
from ...topology.states import cut_state, present_sequence
from .motion import motion_kernels


class Configuration:
    """A forest with coordinates and speeds.

    Attributes:
        forest: the forest.
        q, v: coordinates (nq,) and speeds (nv,).
    """

    def __init__(self, forest: Forest, q: np.ndarray, v: np.ndarray) -> None:
        self.forest, self.q, self.v = forest, q, v
        self._motion: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None

    @property
    def _bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """``R_WB`` (1, n, 9), ``p_WB_W``, ``v_WB_W`` and ``w_WB_W`` (1, n, 3) of all bodies."""
        if self._motion is None:
            forest, kernels, q = self.forest, motion_kernels(), self.q[None, :]
            n = forest.n
            R, (p, v_W, w_W) = np.empty((1, n, 9)), np.empty((3, 1, n, 3))
            kernels.poses(forest.ints, forest.floats, q, R, p)
            kernels.velocities(forest.ints, forest.floats, q, self.v[None, :], R, p, v_W, w_W, np.empty(work_shape(n)))
            self._motion = R, p, v_W, w_W
        return self._motion

    @property
    def bodies(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """``R_WB`` (n, 9), ``p_WB_W``, ``v_WB_W`` and ``w_WB_W`` (n, 3) of all bodies."""
        R, p, v_W, w_W = self._bodies
        return R[0], p[0], v_W[0], w_W[0]

    @property
    def x(self) -> np.ndarray:
        """The engine's states ``(q_h, v_h)``, shape (n_x,)."""
        n_e = self.forest.n_equation
        return np.concatenate([self.q[n_e:], self.v[n_e:]])

    @property
    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """``R_WB`` (1, n, 9) and ``p_WB_W`` (1, n, 3) of all bodies."""
        return self._bodies[:2]

    @property
    def velocities(self) -> tuple[np.ndarray, np.ndarray]:
        """``v_WB_W`` and ``w_WB_W`` (1, n, 3) of all bodies."""
        return self._bodies[2:]

    @property
    def momentum(self) -> np.ndarray:
        """Linear and angular momentum about the world's origin, in world, shape (6,) [N.s, N.m.s]."""
        total = np.zeros(6)
        R, p, v_W, w_W = self._bodies
        for row, R_WB, p_WB, v, w in zip(self.forest.floats, R[0].reshape(-1, 3, 3), p[0], v_W[0], w_W[0], strict=True):
            xx, yy, zz, xy, xz, yz = row[INERTIA : INERTIA + 6]
            moment = R_WB @ row[MOMENT : MOMENT + 3]
            linear = row[MASS] * v + np.cross(w, moment)
            spin = R_WB @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R_WB.T @ w
            total += np.concatenate([linear, spin + np.cross(moment, v) + np.cross(p_WB, linear)])
        return total

    def motion_of(self, name: str) -> FrameMotion:
        """Return the motion of a frame by its full name."""
        forest, out = self.forest, np.empty((1, 18))
        motion_kernels().frame_motion(
            forest.ints, forest.floats, self.q, self.v, forest.frame_body, forest.frame_R, forest.frame_p,
            forest.graph.index[name], out,
        )  # fmt: skip
        row = out[0]
        return FrameMotion(row[:9].reshape(3, 3), row[9:12], row[12:15], row[15:])

    def state_of(self, name: str) -> JointState:
        """Return the coordinates and speeds of a joint by its full name; of a locked one those it is locked at.

        Those of a joint that is cut follow from the motion of its frames.
        """
        forest = self.forest
        locked = forest.structure.welded_state(name)
        if locked is not None:
            return locked
        j = forest.graph.joint_index(name)
        equation = forest.graph.joints[j].equation
        if equation >= 0:
            return (float(self.q[equation]),), (float(self.v[equation]),)
        coordinates, speeds = forest.graph.state_names[j]
        if any(cut.name == name for cut in (*forest.cuts, *forest.rigid_cuts)):
            edge = forest.graph.joints[j]
            return cut_state(forest.graph, edge, self.motion_of, present_sequence(forest.graph, forest.structure, edge))
        if name not in forest.indices:
            return (0.0,) * len(coordinates), (0.0,) * len(speeds)
        _, q, v = forest.indices[name]
        return tuple(self.q[q : q + len(coordinates)].tolist()), tuple(self.v[v : v + len(speeds)].tolist())


CoordinateNames = tuple[tuple[str, str], ...]
_NO_JOINTS = np.zeros((2, 0))


def coordinate_names(graph: SceneGraph) -> CoordinateNames:
    """Return the names of the variables that are coordinate and speed of each joint with a flange, e.g. ``("rev.phi",
    "rev.w")``.
    """
    names = ((edge.name, edge.joint.state_names()) for edge in graph.prescribed_joints)
    return tuple((f"{name}.{coordinates[0]}", f"{name}.{speeds[0]}") for name, (coordinates, speeds) in names)


def flange_force_name(edge: JointEdge) -> str:
    """Name of the variable that is what the flange of a joint exerts, e.g. ``"rev.flange.tau"``."""
    return f"{edge.name}.flange.{'f' if edge.joint.slides else 'tau'}"


@lru_cache
def _one_after_the_other(names: CoordinateNames) -> tuple[str, ...]:
    """Return the names of the coordinates, then those of the speeds."""
    return (*(coordinate for coordinate, _ in names), *(speed for _, speed in names))


def read_joints(names: CoordinateNames, read: SignalReader) -> np.ndarray:
    """Return the coordinates and speeds of the joints with a flange, shape (2, n_e)."""
    return read_all(read, _one_after_the_other(names)).reshape(2, -1) if names else _NO_JOINTS


def configuration(forest: Forest, names: CoordinateNames, read: SignalReader, x: np.ndarray) -> Configuration:
    """Return the configuration where the equations have the values that ``read`` gives, and the engine the states ``x``
    (n_x,).
    """
    q_e, v_e = read_joints(names, read)
    passive = forest.nq - forest.n_equation
    if not names:
        return Configuration(forest, x[:passive].copy(), x[passive:].copy())
    return Configuration(forest, np.concatenate((q_e, x[:passive])), np.concatenate((v_e, x[passive:])))
