"""`MujocoOrder`: coordinates and speeds of a view as MuJoCo's ``qpos`` and ``qvel``, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from modiapy.model.errors import ModelError, nearest

from ...scene.basics.rotations import coordinates_of, matrix_of
from ...topology.graph import SceneGraph
from .joints import ViewJoint

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's types of joints, ``mjtJoint``."""
_KINDS = {"free": FREE, "six-dof": FREE, "spherical": BALL, "prismatic": SLIDE, "revolute": HINGE}
_WORDS = ("a free joint", "a ball joint", "a slide joint", "a hinge joint")
_SIZES = ((7, 6), (4, 3), (1, 1), (1, 1))
_ORIENTATION = (3, 0)
"""Where the quaternion of a free joint and of a ball joint begins."""


@dataclass(frozen=True)
class _Joint:
    """Joint of MuJoCo: name, type (-1: not known), first places in qpos and qvel, name of its body, coordinate at our zero."""

    name: str
    type: int = -1
    qpos: int = -1
    qvel: int = -1
    body: str = ""
    zero: float = 0.0


class States(Protocol):
    """Coordinates and speeds at present, of a `MechanismView`."""

    path: str

    @property
    def q(self) -> np.ndarray: ...
    @property
    def v(self) -> np.ndarray: ...


class MujocoOrder:
    """Conversion between ``q, v`` of a view and ``qpos, qvel`` of MuJoCo, in MuJoCo's order.

    Of a hinge or a slide both are the same numbers (but for ``ref``, of which only an ``MjModel`` knows). A free joint has the
    position of its body's frame in world, and the quaternion w x y z; its speeds are the linear velocity in world and the
    angular velocity in the body: that is what a base has here, so its root frame must be the frame of MuJoCo's body. A ball
    joint has the quaternion and the angular velocity in the child body, as `Spherical`. Cardan angles here become quaternions
    there.

    Attributes:
        nq, nv: lengths of qpos and qvel.
        joints: names of the joints of the view that have a place there, in MuJoCo's order.
    """

    def __init__(
        self,
        view: States,
        known: Sequence[ViewJoint],
        graph: SceneGraph,
        sequences: Callable[[], Mapping[str, str]],
        order: Any,
        rename: Mapping[str, str],
    ) -> None:
        """Match joints by their names.

        Args:
            view: the view, with the joints ``known``.
            graph: of the `Model3D`.
            sequences: gives the present sequences of Cardan angles of orientations that are "auto", by name.
            order, rename: see `MechanismView.mujoco_order`.

        Raises:
            ModelError: see `MechanismView.mujoco_order`.
        """
        self._view, self._graph, self._sequences = view, graph, sequences
        there = _of_model(order) if hasattr(order, "jnt_qposadr") else [_Joint(str(name)) for name in order]
        unknown = [name for name in rename if name not in (joint.name for joint in there)]
        if unknown:
            raise ModelError(
                f"MuJoCo has no joint '{unknown[0]}' that could be renamed", expected=", ".join(joint.name for joint in there),
                remedy=nearest(unknown[0], [joint.name for joint in there]),
            )  # fmt: skip
        q: list[tuple[int, int]] = []
        v: list[tuple[int, int]] = []
        zeros: list[float] = []
        self._turned: list[tuple[ViewJoint, int, int]] = []
        matched: list[ViewJoint] = []
        n_q = n_v = 0
        for joint in there:
            own = self._match(joint, known, rename)
            type = self._type(own, joint)
            size_q, size_v = _SIZES[type]
            to_q, to_v = (joint.qpos, joint.qvel) if joint.qpos >= 0 else (n_q, n_v)
            n_q, n_v = max(n_q, to_q + size_q), max(n_v, to_v + size_v)
            copied = size_q if type >= SLIDE else _ORIENTATION[type]
            q += [(own.coordinates.start + k, to_q + k) for k in range(copied)]
            zeros += [joint.zero] * copied
            v += [(own.speeds.start + k, to_v + k) for k in range(size_v)]
            if type < SLIDE:
                self._turned.append((own, own.coordinates.start + copied, to_q + copied))
            matched.append(own)
        twice = [own.short for k, own in enumerate(matched) if own in matched[:k]]
        if twice:
            raise ModelError("a joint has two places in MuJoCo's order", found=twice[0], expected="each of them once")
        self.nq, self.nv, self.joints = n_q, n_v, tuple(own.short for own in matched)
        self._q, self._qpos = np.array(q, dtype=np.int64).reshape(-1, 2).T
        self._v, self._qvel = np.array(v, dtype=np.int64).reshape(-1, 2).T
        self._zeros = np.array(zeros)

    def to_mujoco(self, q: Any = None, v: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return ``qpos`` (nq,) and ``qvel`` (nv,), new arrays.

        Args:
            q, v: coordinates and speeds of the view; None: the present ones.

        Raises:
            ModelError: an array of another shape.
        """
        view = self._view
        q, v = self._given("q", q, view.q), self._given("v", v, view.v)
        qpos, qvel = np.zeros(self.nq), np.zeros(self.nv)
        qpos[self._qpos], qvel[self._qvel] = q[self._q] + self._zeros, v[self._v]
        for joint, at, to in self._turned:
            sequence = self._sequence(joint)
            if sequence == "quaternion":
                quaternion = q[at : at + 4]
                qpos[to : to + 4] = quaternion / np.sqrt(quaternion @ quaternion)
            else:
                qpos[to : to + 4] = coordinates_of("quaternion", matrix_of(sequence, q[at : at + 3]))
        return qpos, qvel

    def from_mujoco(self, qpos: Any, qvel: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return ``q`` and ``v`` of the view, new arrays; joints that MuJoCo has not got keep their present values.

        ``stepper.set_state(dict(zip(view.coordinates + view.speeds, [*q, *v])))`` begins there.

        Args:
            qpos, qvel: shapes (nq,), (nv,).

        Raises:
            ModelError: an array of another shape.
        """
        view = self._view
        qpos, qvel = self._given("qpos", qpos, np.empty(self.nq)), self._given("qvel", qvel, np.empty(self.nv))
        q, v = view.q.copy(), view.v.copy()
        q[self._q], v[self._v] = qpos[self._qpos] - self._zeros, qvel[self._qvel]
        for joint, at, to in self._turned:
            sequence = self._sequence(joint)
            quaternion = qpos[to : to + 4]
            found = quaternion if sequence == "quaternion" else coordinates_of(sequence, matrix_of("quaternion", quaternion))
            q[at : at + len(found)] = found
        return q, v

    def _given(self, name: str, given: Any, present: np.ndarray) -> np.ndarray:
        if given is None:
            return present
        array = np.asarray(given, dtype=np.float64)
        if array.shape != present.shape:
            raise ModelError(
                f"{name} has the wrong shape",
                path=self._view.path,
                found=f"shape {array.shape}",
                expected=f"shape {present.shape}",
            )
        return array

    def _sequence(self, joint: ViewJoint) -> str:
        """Return how the coordinates of a joint describe its orientation."""
        declared = self._graph.orientation_of(joint.number)
        return self._sequences().get(joint.name, "xyz") if declared == "auto" else declared

    def _match(self, joint: _Joint, known: Sequence[ViewJoint], rename: Mapping[str, str]) -> ViewJoint:
        """Return the joint of the view that a joint of MuJoCo is."""
        name = rename.get(joint.name, joint.name)
        names = {key: own for own in known for key in (f"{self._view.path}.{own.short}", own.short)}
        bases = [own for own in known if own.base]
        if name in names:
            return names[name]
        if joint.type == FREE and joint.name not in rename:
            if joint.body in names:
                return names[joint.body]
            if len(bases) == 1:
                return bases[0]
        raise ModelError(
            f"the view has no joint '{name}'", path=self._view.path, expected=", ".join(own.short for own in known),
            remedy=nearest(name, names) or f"Say which one it is: rename={{{joint.name!r}: ...}}.",
        )  # fmt: skip

    def _type(self, own: ViewJoint, joint: _Joint) -> int:
        """Return MuJoCo's type of a joint."""
        edge = None if own.base else self._graph.joints[own.number]
        found = "free" if edge is None else edge.joint.kind
        type = _KINDS.get(found, -1)
        if edge is not None and type == FREE and edge.frames[0] != self._graph.world:
            type = -1  # MuJoCo's are relative to the world
        if type < 0 or joint.type not in (-1, type):
            raise ModelError(
                "MuJoCo has another kind of joint" if joint.type >= 0 else "MuJoCo has no joint of this kind", path=own.name,
                found=f"{found}, there {_WORDS[joint.type]}" if joint.type >= 0 else found, expected=", ".join(_KINDS),
            )  # fmt: skip
        return type


def _of_model(model: Any) -> list[_Joint]:
    """Return the joints of an ``MjModel``."""
    joints = []
    for k in range(int(model.njnt)):
        type, at = int(model.jnt_type[k]), int(model.jnt_qposadr[k])
        body = str(model.body(int(model.jnt_bodyid[k])).name)
        zero = float(model.qpos0[at]) if type >= SLIDE else 0.0
        joints.append(_Joint(str(model.joint(k).name), type, at, int(model.jnt_dofadr[k]), body, zero))
    return joints
