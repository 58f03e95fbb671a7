"""Places of the coordinates of a view in one structure, and the memory with which its machine code works there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.present import PresentPoint

from ...dynamics.array_calls import bound
from ...dynamics.basics.layout import work_shape
from ...topology.forest import Forest
from ...topology.states import free_state
from ..motion.configuration import Configuration
from . import kernels, slots
from .joints import ViewJoint


class MachineCode:
    """Functions of a view that are machine code, see `kernels`; they work on the memory that ``block`` tells of."""

    def __init__(self, block: np.ndarray) -> None:
        self.gather = bound(kernels.gather, block)
        self.mass_matrix = bound(kernels.mass_matrix_of_view, block)
        self.bias = bound(kernels.bias_of_view, block)
        self.gravity = bound(kernels.gravity_of_view, block)
        self.jacobian = bound(kernels.jacobian_of_view, block)
        self.position = bound(kernels.position, block)
        self.rotation = bound(kernels.rotation, block)
        self.velocity = bound(kernels.velocity, block)
        self.angular_velocity = bound(kernels.angular_velocity, block)


@dataclass(frozen=True)
class FlangeStates:
    """Coordinates and speeds of all joints with a flange, those of a forest first.

    Attributes:
        sources, factors, offsets: shape (2, n_e): each is ``factor x[source] + offset``, or evaluated where the source is -1.
        evaluated: row, column and full path of those that are.
    """

    sources: np.ndarray
    factors: np.ndarray
    offsets: np.ndarray
    evaluated: tuple[tuple[int, int, str], ...]


def flange_states(names: Sequence[tuple[str, str]], present: PresentPoint) -> FlangeStates:
    """Return where the coordinate and speed of each joint with a flange are, by their full paths."""
    shape = 2, len(names)
    found = FlangeStates(np.full(shape, -1), np.ones(shape), np.zeros(shape), ())
    evaluated = []
    for k, pair in enumerate(names):
        for row, name in enumerate(pair):
            place = present.affine(name)
            if place is None:
                evaluated.append((row, k, name))
            else:
                found.sources[row, k], found.factors[row, k], found.offsets[row, k] = place
    return FlangeStates(found.sources, found.factors, found.offsets, tuple(evaluated))


class Places:
    """Memory of a view in one structure.

    Args:
        forest: of the structure.
        joints: of the view.
        present: where the simulation stands.
        path: of the component.
        flanges: states of the joints with a flange.
        q, v: coordinates and speeds of the view; those that do not change within this structure are written at once.
        block: memory of the machine code, which works on this structure from now on.
        gather: that machine code.

    Attributes:
        locked: names, short, of joints and bases that cannot move by themselves.
        gather: writes ``q`` and ``v``.
    """

    def __init__(
        self,
        forest: Forest,
        joints: Sequence[ViewJoint],
        present: PresentPoint,
        path: str,
        flanges: FlangeStates,
        q: np.ndarray,
        v: np.ndarray,
        block: np.ndarray,
        gather: Callable[[], object],
    ) -> None:
        self._forest, self._present, self._flanges, self._q, self._v, self._gather = forest, present, flanges, q, v, gather
        self._derived: list[ViewJoint] = []
        n, nq, nv, n_e = forest.n, forest.nq, forest.nv, forest.n_equation
        self._states = np.zeros(nq + nv)
        sources, factors, offsets = np.empty(nq + nv, np.int64), np.ones(nq + nv), np.zeros(nq + nv)
        for row, first in enumerate((0, nq)):
            of_flanges = slice(first, first + n_e)
            sources[of_flanges], factors[of_flanges] = flanges.sources[row], flanges.factors[row]
            offsets[of_flanges] = flanges.offsets[row]
        own = present.component_states(path)
        sources[n_e:nq] = range(own.start, own.start + nq - n_e)
        sources[nq + n_e :] = range(own.start + nq - n_e, own.stop)
        coordinates, speeds, columns, self.locked = self._places_of(joints)
        self._arrays = kept = {
            slots.INTS: forest.ints, slots.FLOATS: forest.floats, slots.GRAVITY: forest.gravity, slots.STATES: self._states,
            slots.REST: np.zeros(nv), slots.H: np.zeros(nv), slots.MASS_MATRIX: np.zeros((nv, nv)),
            slots.JACOBIAN: np.zeros((6, nv)), slots.WORK: np.zeros(work_shape(n)), slots.R_WB: np.zeros((n, 9)),
            slots.P_WB: np.zeros((n, 3)), slots.V_WB: np.zeros((n, 3)), slots.W_WB: np.zeros((n, 3)), slots.X: present.x,
            slots.SOURCES: sources, slots.FACTORS: factors, slots.OFFSETS: offsets, slots.COORDINATES: coordinates,
            slots.VIEW_Q: q, slots.SPEEDS: speeds, slots.COLUMNS: columns, slots.VIEW_V: v,
        }  # fmt: skip
        block[[*kept]] = [data_address(array) for array in kept.values()]
        block[[slots.BODIES, slots.NQ, slots.NV, slots.N_COORDINATES, slots.N_SPEEDS]] = n, nq, nv, q.size, v.size
        self.gather: Callable[[], object] = self._gather_more if flanges.evaluated or self._derived else gather

    def _places_of(self, joints: Sequence[ViewJoint]) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
        """Return where in the forest each coordinate and speed and each column of matrices is, and which joints are locked."""
        forest, q, v, locked = self._forest, self._q, self._v, []
        coordinates, speeds, columns = np.full(q.size, -1), np.full(v.size, -1), np.full(v.size, -1)
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
        return coordinates, speeds, columns, tuple(locked)

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
        for row, column, name in self._flanges.evaluated:
            self._states[row * forest.nq + column] = self._present.value(name)
        self._gather()
        now = Configuration(forest, self._states[: forest.nq], self._states[forest.nq :])
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
