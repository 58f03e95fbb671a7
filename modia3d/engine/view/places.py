"""Places of the coordinates of a view in one structure, and the memory with which its machine code works there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.present import PresentPoint

from ...dynamics.array_calls import bound
from ...dynamics.basics.layout import work_shape
from ...topology.forest import Forest
from ...topology.states import free_state
from ..motion.configuration import Configuration, CoordinateNames
from . import kernels, slots
from .joints import ViewJoint


class Places:
    """Memory of a view in one structure.

    Args:
        forest: of the structure.
        joints: of the view.
        present: where the simulation stands.
        path: of the component.
        names: full paths of coordinate and speed of each joint with a flange.
        q, v: coordinates and speeds of the view; those that do not change within this structure are written at once.

    Attributes:
        locked: names, short, of joints and bases that cannot move by themselves.
        mass_matrix, bias, gravity, jacobian, position, rotation, velocity, angular_velocity: machine code, see `kernels`.
    """

    def __init__(
        self,
        forest: Forest,
        joints: Sequence[ViewJoint],
        present: PresentPoint,
        path: str,
        names: CoordinateNames,
        q: np.ndarray,
        v: np.ndarray,
    ) -> None:
        self._forest, self._present, self._q, self._v = forest, present, q, v
        n, nq, nv, n_e = forest.n, forest.nq, forest.nv, forest.n_equation
        self.states = np.zeros(nq + nv)
        sources, factors, offsets = np.full(nq + nv, -1), np.ones(nq + nv), np.zeros(nq + nv)
        own = present.component_states(path)
        sources[n_e:nq] = range(own.start, own.start + nq - n_e)
        sources[nq + n_e :] = range(own.start + nq - n_e, own.stop)
        self._evaluated = []
        for k, pair in enumerate(names):
            for place, name in zip((k, nq + k), pair, strict=True):
                found = present.affine(name)
                if found is None:
                    self._evaluated.append((place, name))
                else:
                    sources[place], factors[place], offsets[place] = found
        coordinates, speeds, columns = np.full(q.size, -1), np.full(v.size, -1), np.full(v.size, -1)
        self._derived: list[ViewJoint] = []
        locked = []
        for joint in joints:
            at, to = joint.coordinates, joint.speeds
            equation = -1 if joint.base else forest.graph.joints[joint.number].equation
            welded = forest.structure.welded_state(joint.name)
            if equation >= 0:
                coordinates[at], speeds[to] = equation, equation
                if joint.name in forest.indices and forest.structure.side_of(joint.name) != 0:
                    columns[to] = equation
                    continue
            elif joint.name in forest.indices:
                _, first_q, first_v = forest.indices[joint.name]
                coordinates[at] = range(first_q, first_q + at.stop - at.start)
                speeds[to] = columns[to] = range(first_v, first_v + to.stop - to.start)
                continue
            elif welded is not None:
                q[at], v[to] = welded
            elif self._is_deleted(joint):
                q[at], v[to] = np.nan, np.nan
            else:
                self._derived.append(joint)
            locked.append(joint.short)
        self.locked = tuple(locked)
        self._arrays = (
            forest, sources, factors, offsets, coordinates, speeds, columns, np.zeros(nv), np.zeros(nv), np.zeros((nv, nv)),
            np.zeros((6, nv)), np.zeros(work_shape(n)), np.zeros((n, 9)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)),
            present.x,
        )  # fmt: skip
        _, _, _, _, _, _, _, rest, h, M, J, work, R, p, v_W, w_W, x = self._arrays
        block = np.zeros(slots.SIZE, np.int64)
        block[slots.BODIES : slots.NV + 1] = n, nq, nv
        for slot, array in (
            (slots.INTS, forest.ints), (slots.FLOATS, forest.floats), (slots.GRAVITY, forest.gravity),
            (slots.STATES, self.states), (slots.REST, rest), (slots.H, h), (slots.MASS_MATRIX, M), (slots.JACOBIAN, J),
            (slots.WORK, work), (slots.R_WB, R), (slots.P_WB, p), (slots.V_WB, v_W), (slots.W_WB, w_W), (slots.X, x),
            (slots.SOURCES, sources), (slots.FACTORS, factors), (slots.OFFSETS, offsets), (slots.COORDINATES, coordinates),
            (slots.VIEW_Q, q), (slots.SPEEDS, speeds), (slots.COLUMNS, columns), (slots.VIEW_V, v),
        ):  # fmt: skip
            block[slot] = data_address(array)
        block[slots.N_COORDINATES], block[slots.N_SPEEDS] = q.size, v.size
        self._gather = bound(kernels.gather, block)
        self.mass_matrix = bound(kernels.mass_matrix_of_view, block)
        self.bias, self.gravity = bound(kernels.bias_of_view, block), bound(kernels.gravity_of_view, block)
        self.jacobian = bound(kernels.jacobian_of_view, block)
        self.position, self.rotation = bound(kernels.position, block), bound(kernels.rotation, block)
        self.velocity, self.angular_velocity = bound(kernels.velocity, block), bound(kernels.angular_velocity, block)
        self.gather: Callable[[], object] = self._gather_more if self._evaluated or self._derived else self._gather

    def _is_deleted(self, joint: ViewJoint) -> bool:
        graph = self._forest.graph
        if joint.base:
            return joint.name in self._forest.structure.deleted
        return (
            graph.assemblies[graph.group_assembly[graph.joints[joint.number].groups[0]]].name in self._forest.structure.deleted
        )

    def _gather_more(self) -> None:
        """Gather all, where some coordinates are no states."""
        forest = self._forest
        for place, name in self._evaluated:
            self.states[place] = self._present.value(name)
        self._gather()
        now = Configuration(forest, self.states[: forest.nq], self.states[forest.nq :])
        for joint in self._derived:
            if joint.base:
                orientation = forest.graph.orientation_of(joint.number)
                sequence = dict(forest.structure.sequences).get(joint.name, "xyz") if orientation == "auto" else orientation
                state = free_state(now.motion_of(joint.name), sequence)
            else:
                state = now.state_of(joint.name)
            self._q[joint.coordinates], self._v[joint.speeds] = state

    def frame(self, index: int) -> np.ndarray | None:
        """Return a frame as machine code wants it, shape (`slots.FRAME_SIZE`,), by its index in the graph; None where it is not
        there.
        """
        forest = self._forest
        body = int(forest.frame_body[index])
        if body < -1:
            return None
        return np.array([body, *forest.frame_p[index], *forest.frame_R[index]])
