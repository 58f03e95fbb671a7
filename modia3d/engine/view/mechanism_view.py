"""`MechanismView`: named arrays of a `Model3D` that runs, for controllers in a Python loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from modiapy.acausal.present import PresentPoint
from modiapy.model.errors import ModelError, nearest

from ...topology.forest import Forest
from ...topology.graph import SceneGraph
from ..motion.configuration import coordinate_names
from . import slots
from .drives import Drive, found_drives, given_drives
from .joints import relative_to, view_joints
from .places import MachineCode, Places, flange_states

if TYPE_CHECKING:
    from .mujoco_order import MujocoOrder

_empty = np.empty


class MechanismView:
    """View of a part of a `Model3D`: joints and frames below a path, at the present state of a simulation that is stepped.

    The sizes and the order of all arrays never change. What is not there at present keeps its place:

    - A joint that an action has locked has its constant coordinates and zero speeds. A base that is attached has the pose and
      the velocity of its frame. A joint that closes a loop has the coordinates at which its frames are. What was deleted, or is
      parked, has NaN; with a flange the value of its variable.
    - In matrices and generalized forces all of these (`locked`) are rigid: their rows and columns of the mass matrix are those
      of the identity, their columns of Jacobians, bias and gravity torques are zero. So ``tau = M a + h`` holds for the others.

    A joint at its limit is a joint like others. With closed loops ``M`` and ``h`` are those of the open tree: what its cuts
    exert comes besides, as all forces but uniform gravity do.

    Attributes:
        path: full path.
        joints: names of its joints, relative to the path; a base (an assembly that may move freely) has that of its root frame.
            Each tree from base to tips, branch by branch, in the order of the model.
        coordinates, speeds: full names of the elements of ``q`` and ``v``, as signals.
    """

    def __init__(
        self,
        graph: SceneGraph,
        forest: Callable[[], Forest],
        component: str,
        path: str,
        present: PresentPoint,
        joints: Sequence[str] | None = None,
        torque: Mapping[str, str] | None = None,
    ) -> None:
        """Make a view.

        Args:
            graph: of the `Model3D`.
            forest: gives that of the present segment.
            component: full path of the `Model3D`.
            path: of the part, relative to it.
            present: where the simulation stands.
            joints: names of joints and bases, relative to the path or in full, in this order; None: all.
            torque: name of the input that is the torque or force of a joint, by name of the joint; None: found by itself.

        Raises:
            ModelError: there is no such part, joint or input.
        """
        self._graph, self._forest, self._component, self._present, self._part = graph, forest, component, present, path
        self.path = self._full(path)
        self._joints = view_joints(graph, path, self._full, joints)
        self.joints = tuple(joint.short for joint in self._joints)
        names = [graph.state_names[joint.number] for joint in self._joints]
        self.coordinates = tuple(self._full(name) for q, _ in names for name in q)
        self.speeds = tuple(self._full(name) for _, v in names for name in v)
        self._flanges = flange_states([(self._full(q), self._full(v)) for q, v in coordinate_names(graph)], present)
        self._given = None if torque is None else given_drives(torque, self._joints, graph, present, self._full)
        self._own_q, self._own_v = np.zeros(len(self.coordinates)), np.zeros(len(self.speeds))
        self._q, self._v = _read_only(self._own_q), _read_only(self._own_v)
        self._version = self._structure = -1
        self._frames: dict[str, np.ndarray] = {}
        self._drives_found: tuple[Drive, ...] | None = None
        self._torque: np.ndarray | None = None
        self._block = np.zeros(slots.SIZE, np.int64)
        self._code = MachineCode(self._block)
        self._places: Places
        self._n = len(self.speeds)
        self.refresh()
        present.on_step(after=self.refresh)

    def __repr__(self) -> str:
        where = f" of {self.path}" if self.path else ""
        return f"<MechanismView{where}: {len(self.joints)} joints, {len(self.coordinates)} coordinates, {self._n} speeds>"

    def _full(self, name: str) -> str:
        return f"{self._component}.{name}" if self._component and name else self._component or name

    # -- state ------------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Gather the present state. Steppers do it after each step."""
        present = self._present
        if present.structure != self._structure:
            self._places = Places(
                self._forest(), self._joints, present, self._component, self._flanges, self._own_q, self._own_v, self._block,
                self._code.gather,
            )  # fmt: skip
            self._frames, self._structure = {}, present.structure
        self._places.gather()
        self._version = present.version

    @property
    def q(self) -> np.ndarray:
        """The present coordinates, shape (nq,) [rad, m], to be read only; always the same array, `copy` what is to be kept.

        A base has ``p_WB_W`` (3), then the quaternion w x y z of ``R_WB`` (4), or Cardan angles if its frame has these.
        Quaternions are normalised to the tolerance of the simulation.
        """
        if self._version != self._present.version:
            self.refresh()
        return self._q

    @property
    def v(self) -> np.ndarray:
        """The present speeds, shape (nv,) [rad/s, m/s], to be read only; always the same array.

        A base has ``v_WB_W`` (3), then ``w_WB_B`` (3).
        """
        if self._version != self._present.version:
            self.refresh()
        return self._v

    @property
    def locked(self) -> tuple[str, ...]:
        """Names of the joints and bases that cannot move by themselves at present: locked by an action, attached, closing a
        loop, or not there.
        """
        if self._version != self._present.version:
            self.refresh()
        return self._places.locked

    # -- inputs -----------------------------------------------------------------------------------------------------------

    @property
    def torque(self) -> np.ndarray:
        """The torques and forces of the `driven` joints from the next step on, shape (len(driven),) [N.m, N], to be written.

        Always the same array; positive where they accelerate the coordinate.

        Raises:
            ModelError: no joint has an input that drives it.
        """
        if self._torque is None:
            self._torque = self._torques()
        return self._torque

    @torque.setter
    def torque(self, values: Any) -> None:
        torque = self.torque
        given = np.asarray(values, dtype=np.float64)
        if given.shape not in ((), torque.shape):
            raise ModelError(
                "the torques have the wrong shape", path=self.path, found=f"shape {given.shape}",
                expected=f"shape {torque.shape}, of {', '.join(self.driven)}",
            )  # fmt: skip
        torque[:] = given

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the joints that inputs of the model drive, in the order of ``joints``."""
        return tuple(drive.joint.short for drive in self._drives)

    @property
    def drives(self) -> dict[str, str]:
        """Name of the input that drives each of these joints; "-u" where the input u is the opposite of the torque."""
        return {drive.joint.short: str(drive) for drive in self._drives}

    @property
    def driven_q(self) -> np.ndarray:
        """Places of the driven joints in `q`, shape (len(driven),)."""
        return np.array([drive.joint.coordinates.start for drive in self._drives], dtype=np.int64)

    @property
    def driven_v(self) -> np.ndarray:
        """Places of the driven joints in `v`, and in rows of `mass_matrix`, `bias`, `gravity`, shape (len(driven),)."""
        return np.array([drive.joint.speeds.start for drive in self._drives], dtype=np.int64)

    @property
    def _drives(self) -> tuple[Drive, ...]:
        if self._given is not None:
            return self._given
        if self._drives_found is None:
            self._drives_found = found_drives(self._joints, self._graph, self._present, self._full)
        return self._drives_found

    def _torques(self) -> np.ndarray:
        """Return the array of torques: the inputs themselves where they stand one behind the other, else one that is copied
        there before each step.
        """
        drives, inputs = self._drives, self._present.inputs
        if not drives:
            raise ModelError(
                "no joint of this view is driven by an input of the model", path=self.path,
                found=f"{len(self.joints)} joints, {len(self._present.input_names)} inputs",
                expected="an input that is the tau of a rotational.Torque (or the f of a translational.Force) at its flange",
                remedy='Name the inputs: view(..., torque={"joint": "input"}).',
            )  # fmt: skip
        places = np.array([drive.index for drive in drives])
        signs = np.array([drive.sign for drive in drives])
        first = int(places[0])
        if np.array_equal(places, range(first, first + places.size)) and (signs > 0.0).all():
            return inputs[first : first + places.size]
        torque = signs * inputs[places] + 0.0

        def send() -> None:
            inputs[places] = signs * torque

        def take() -> None:
            torque[:] = signs * inputs[places] + 0.0

        self._present.on_step(before=send, back=take)
        return torque

    # -- dynamics ---------------------------------------------------------------------------------------------------------

    def mass_matrix(self) -> np.ndarray:
        """Return the mass matrix ``M`` of these joints, shape (nv, nv), at the present coordinates; a new array."""
        if self._version != self._present.version:
            self.refresh()
        found = _empty((self._n, self._n))
        self._code.mass_matrix(found)
        return found

    def bias(self) -> np.ndarray:
        """Return ``h`` of ``tau = M a + h``: Coriolis, centrifugal and gravity torques, shape (nv,), at the present state."""
        if self._version != self._present.version:
            self.refresh()
        found = _empty(self._n)
        self._code.bias(found)
        return found

    def gravity(self) -> np.ndarray:
        """Return the torques that hold the mechanism at rest against uniform gravity, shape (nv,)."""
        if self._version != self._present.version:
            self.refresh()
        found = _empty(self._n)
        self._code.gravity(found)
        return found

    def jacobian(self, frame: str) -> np.ndarray:
        """Return the Jacobian ``J`` of a frame F, shape (6, nv): ``J v`` is ``v_WF_W`` [m/s], then ``w_WF_W`` [rad/s], as far
        as the joints of this view move it.

        Args:
            frame: name, relative to the path of the view or in full.

        Raises:
            ModelError: there is no such frame, or it is not there at present.
        """
        return self._of_frame(self._code.jacobian, frame, (6, self._n))

    def position(self, frame: str) -> np.ndarray:
        """Return the position ``p_WF_W`` of a frame F in world, shape (3,) [m]. Argument and errors as of `jacobian`."""
        return self._of_frame(self._code.position, frame, 3)

    def rotation(self, frame: str) -> np.ndarray:
        """Return ``R_WF``, shape (3, 3): coordinates in F to coordinates in world. Argument and errors as of `jacobian`."""
        return self._of_frame(self._code.rotation, frame, (3, 3))

    def velocity(self, frame: str) -> np.ndarray:
        """Return the velocity ``v_WF_W`` of F's origin in world, shape (3,) [m/s]. Argument and errors as of `jacobian`."""
        return self._of_frame(self._code.velocity, frame, 3)

    def angular_velocity(self, frame: str) -> np.ndarray:
        """Return ``w_WF_W`` of F in world, shape (3,) [rad/s]. Argument and errors as of `jacobian`."""
        return self._of_frame(self._code.angular_velocity, frame, 3)

    def _of_frame(self, quantity: Callable[[np.ndarray, np.ndarray], Any], frame: str, shape: Any) -> np.ndarray:
        """Return a quantity of a frame from machine code, in an array of a shape."""
        if self._version != self._present.version:
            self.refresh()
        found = _empty(shape)
        quantity(self._frames[frame] if frame in self._frames else self._frame(frame), found)
        return found

    def _frame(self, name: str) -> np.ndarray:
        """Return a frame as machine code wants it, and keep it as long as the structure is the same."""
        graph, part = self._graph, self._part
        meant = [f"{part}.{name}" if part else name]
        meant += [part] if name == relative_to(part, part) else []
        meant += [below] if self._full(below := name.removeprefix(f"{self._component}.")) == name else []
        index = next((graph.index[known] for known in meant if known in graph.index), None)
        if index is None:
            short = [found for node in graph.frames if (found := relative_to(part, node.name))]
            raise ModelError(
                f"there is no Object3D '{name}'", path=self.path, expected="the name of one, relative to the view or in full",
                remedy=nearest(name, short) or nearest(name, [self._full(node.name) for node in graph.frames]),
            )  # fmt: skip
        frame = self._places.frame(index)
        if frame is None:
            raise ModelError(
                "this Object3D is not in the scene at present", path=self._full(graph.frames[index].name),
                found="one of an assembly that is parked or was deleted",
            )  # fmt: skip
        self._frames[name] = frame
        return frame

    def mujoco_order(self, order: Any, rename: Mapping[str, str] | None = None) -> MujocoOrder:
        """Return the conversion between ``q, v`` of this view and MuJoCo's ``qpos, qvel``.

        Args:
            order: names of MuJoCo's joints in their order, or an ``mujoco.MjModel``.
            rename: name here, by name there, of joints that have different names.

        Raises:
            ModelError: there is no joint of one of these names, or it is of another kind.
        """
        from .mujoco_order import MujocoOrder

        def sequences() -> dict[str, str]:
            return dict(self._forest().structure.sequences)

        return MujocoOrder(self, self._joints, self._graph, sequences, order, rename or {})


def _read_only(array: np.ndarray) -> np.ndarray:
    """Return an array with the same elements that cannot be written."""
    shown = array.view()
    shown.flags.writeable = False
    return shown
