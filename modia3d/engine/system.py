"""System of a `Model3D`, the same in all simulations, and the memory that a segment of any of them works on."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from types import MappingProxyType

import numpy as np

from modiapy.acausal.protocol import ComponentScope
from modiapy.acausal.segment import SegmentLayout, SegmentStart, SignalReader, Sparsity, StateProjection
from modiapy.model.errors import ModelError

from ..constraints.joints import NO_LIMITS, LockableJoints
from ..constraints.kinds.resting_contact import RestingContact
from ..constraints.loops import Loops
from ..constraints.tables import limit_table
from ..forces.ends import check_ends
from ..forces.points import find_points
from ..forces.table import ForceTable, SceneForce, find_forces, force_table, laws_of_time, prepare_forces
from ..topology.build import build_graph
from ..topology.check_structure import check_structure
from ..topology.edits import check_loops
from ..topology.forest import Forest, StateNames
from ..topology.structure import Structure
from .contact.contacts import CONTACT_FORCES, Remembered, SegmentContacts
from .contact.solids import ContactSolids
from .contact_signals import ContactSignals
from .engine_state import NO_NEAR, EngineState, read_segment, segment_data
from .exchange.exchange import Exchange
from .exchange.functions import project_states
from .forests import Forests
from .housings import check_housings
from .initial_states import InitialStates
from .motion.configuration import configuration, coordinate_names, read_joints
from .points import Points
from .program import PackedPaths, schedule_of
from .segment import SegmentMemory
from .signals import GROUP, SegmentSignals
from .sparsity import NO_PAIRS


class System:
    """The parts of a `Model3D`.

    Attributes:
        path: full path of the `Model3D`.
        graph: its frames, joints and assemblies.
        points: its massless points, see `modia3d.forces.points`.
        solids: those that collide.
        forces: its force elements. laws_of_time: of them.
        exchange: its force signals and sensors.
        schedule: its action program.
        lockable: its joints that can be locked.
        may_close: whether there may be closed loops, or contacts at rest, which are rows as well.
        coordinates: names of coordinate and speed of each joint with a flange.
        initial: what it begins with.
        forests: spanning forests of its structures.
    """

    def __init__(self, scope: ComponentScope) -> None:
        self.path = scope.path
        try:
            points = find_points(scope.objects)
            self.graph = build_graph({name: made for name, made in scope.objects.items() if name not in points})
            self.solids = ContactSolids(self.graph)
            self.forces = find_forces(scope.objects, self.graph, points)
            if self.solids:
                from .contact.element import ContactForces  # here: its kernels, which only solids that collide need

                self.forces += (SceneForce(CONTACT_FORCES, ContactForces(), (self.graph.world, self.graph.world)),)
            self.points = Points(points, self.graph, self.forces)
            check_ends(scope.objects, self.graph, points, self.path)
            self.schedule = schedule_of(scope.objects, self.graph, self.path)
            self.may_close = self.graph.has_loops or bool(self.graph.elements) or self.schedule.closes_loops
            self.may_close = self.may_close or self.solids.rigid
            self.exchange = Exchange(scope.objects, self.graph, self.solids, closed=self.may_close)
            check_housings(scope.objects, scope.connections, self.graph)
        except ModelError as error:
            error.path = self.full(error.path)
            raise
        self.laws_of_time = laws_of_time(self.forces)
        self.lockable = LockableJoints(self.graph, self.schedule.locked_joints)
        self.coordinates = coordinate_names(self.graph)
        self.initial = InitialStates(self.graph, self.coordinates, scope, self.full)
        self.forests = Forests(self.graph, self.exchange, self.may_close)
        self.prepare()
        if self.solids:
            try:
                self.solids.check_materials(self.forests.of(Structure()))
            except ModelError as error:
                error.path = self.full(error.path)
                raise

    def prepare(self) -> None:
        """Compile everything that a simulation may call, and make the first forest."""
        self.forests.of(Structure())
        if self.schedule.impulses or self.solids.rigid:
            from ..dynamics import jacobian  # noqa: F401
        if self.may_close:
            project_states()
        if self.solids:
            from .contact import kernels  # noqa: F401

            prepare_forces(self.graph, self.forces, "wrench")
        if self.solids.rigid:
            from .contact import impact_kernels, rest_kernels  # noqa: F401

    def full(self, name: str) -> str:
        """Return the full path of a name that is relative to the `Model3D`."""
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def check_structure(self, structure: Structure) -> None:
        """Refuse one that does not fit, in a file. Raises ModelError."""
        check_structure(self.graph, structure)
        self.check_loops(Structure(), structure)
        self.lockable.check_lockable(structure)

    def check_loops(self, before: Structure, after: Structure) -> None:
        """Refuse a change that closes a loop where there must be none. Raises ModelError."""
        if not self.may_close:
            check_loops(self.graph, before, after)

    # -- segments ---------------------------------------------------------------------------------------------------------

    def layout(
        self,
        forest: Forest,
        x: np.ndarray,
        start: SegmentStart,
        paths: PackedPaths,
        last: SegmentMemory | None,
        restored: EngineState | None = None,
        rests: Remembered = MappingProxyType({}),
        yielding: frozenset[tuple[int, int]] = frozenset(),
    ) -> SegmentLayout:
        """Return the layout with which a forest is evaluated; `SegmentLayout.keep` is its `SegmentMemory`.

        Args:
            forest: of the segment.
            x: the states it begins with.
            start: what is known otherwise.
            paths: the reference paths.
            last: memory of the segment before; None where there is none.
            restored: from a snapshot, what the segment began with then.
            rests: what some pairs of shapes remember in the place of what they did in the segment before.
            yielding: rigid pairs that are elastic now, see `contact.contact_chattering`.
        """
        positions = self._point_positions(forest, start, x, last, restored)
        forces = force_table(forest, self.forces, positions)
        if len(forces):
            forces.prepare(*self.exchange.asked_of_forces)
        lockable = NO_LIMITS
        if self.lockable.all:
            here = read_joints(self.coordinates, _or_nan(start))[0]
            lockable = self.lockable.table(forest, np.concatenate([here, x]))
        if restored is not None:
            restored.restore_bounds(lockable)
        memory = SegmentMemory(forest, paths, forces, lockable, len(self.lockable.prescribed), len(self.exchange.forces))
        n_z = forest.n_automatic + 2 * len(self.lockable.all)
        held: list[RestingContact] = []
        if self.solids:
            memory.add_contacts(self._contacts(forest, x, start, last, restored, rests, yielding))
            assert memory.contacts is not None
            n_z += memory.contacts.n_z
            held = memory.contacts.held
        exchanged = self.exchange.memory(forest, self.forces, len(held)) if self.exchange else None
        if exchanged is not None:
            memory.add_signals(exchanged)
        if memory.contacts is not None and exchanged is not None and exchanged.pieces is not None:
            pieces = exchanged.pieces
            memory.contacts.act_on_pieces(pieces.forest, pieces.forces, len(pieces.rows))
        projection = self._close(forest, memory, held, x, start, restored) if self.may_close else None
        at_limits = partial(self.lockable.indicator, n_z - 2 * len(self.lockable.all))
        return SegmentLayout(StateNames(forest), x, n_z, memory.data, memory, projection=projection, indicator=at_limits)

    def _contacts(
        self,
        forest: Forest,
        x: np.ndarray,
        start: SegmentStart,
        last: SegmentMemory | None,
        restored: EngineState | None,
        rests: Remembered,
        yielding: frozenset[tuple[int, int]],
    ) -> SegmentContacts:
        """Return the near pairs of solids where a segment begins, with what those of the last one remember."""
        motion = configuration(forest, self.coordinates, _or_nan(start), x).bodies
        known: Remembered = {}
        if restored is not None:
            known = restored.remembered
        elif last is not None and last.contacts is not None:
            known = {**last.contacts.remembered(), **rests}
        near = None if restored is None else restored.near
        if near is not None:
            self.solids.check_pairs(near, forest)
        return SegmentContacts(self.solids, forest, motion, known, near, yielding, forest.n_automatic)

    def _close(
        self,
        forest: Forest,
        memory: SegmentMemory,
        held: Sequence[RestingContact],
        x: np.ndarray,
        start: SegmentStart,
        restored: EngineState | None,
    ) -> StateProjection | None:
        """Set the loops in the memory of a segment, and the locked joints in the equations."""
        table = memory.lockable
        locked = [
            joint.name for joint, row in zip(self.lockable.prescribed, table, strict=False) if row[limit_table.LOCKED] != 0.0
        ]
        if not forest.cuts and not locked and not held:
            return None
        places = [(start.state_index(q), start.state_index(v)) for q, v in self.coordinates]
        loops = Loops(forest, held, len(self.coordinates) + len(self.exchange.forces), places, locked)
        memory.add_loops(loops)
        if memory.signals is not None:
            self.exchange.close(memory.signals, forest, loops.cuts)
        if not loops.cuts:
            return None
        if restored is not None:
            at = restored.loop_coordinates(forest.nq)
        else:
            at = np.concatenate([read_joints(self.coordinates, _or_nan(start))[0], x[: forest.nq - forest.n_equation]])
        loops.measure(at, memory.measured_loops)
        if not held:
            loops.follow_rank()
        elif memory.contacts is not None:
            from .contact.rest_kernels import watch_rests

            assert watch_rests.address is not None
            loops.watch(watch_rests.address, memory.contacts.memory.address)
        if restored is not None and restored.passages is not None and loops.passages is not None:
            loops.passages.restore(restored.passages)
        return StateProjection(project_states(), evaluate=loops.needs_equations)

    @cached_property
    def shown(self) -> tuple[str, ...]:
        """Frames that have something to be seen, or may be attached to others: result files tell where their bodies are."""
        frames = ((node.name, node.frame) for node in self.graph.frames)
        shown = [name for name, frame in frames if frame.lockable or getattr(frame.feature, "shape", None) is not None]
        return tuple(dict.fromkeys(shown))

    def described(self, layout: SegmentLayout, info: Mapping[str, object]) -> SegmentLayout:
        """Return the layout with result signals, figures and the sparsity, as a segment begins with it."""
        memory = layout.keep
        assert isinstance(memory, SegmentMemory)
        forest, forces = memory.forest, memory.forces
        pairs = NO_NEAR if memory.contacts is None else memory.contacts.memory.near
        layout.signals = signals = self.signals(forest, forces, pairs)
        layout.poses = partial(signals.poses, self.shown)
        layout.description = partial(segment_data, forest.structure, forces, pairs)
        layout.info = {"dof": forest.dof, **info}
        loops = memory.loops
        if loops is not None and len(loops.cuts):
            measured = {"constraints": loops.rank, "condition": loops.condition, "redundant": list(loops.redundant)}
            measured["unique"] = list(loops.unique)
            layout.info |= {"dof": forest.dof - loops.rank, **measured}
        self.note_touching(layout)
        return layout

    def note_touching(self, layout: SegmentLayout) -> None:
        """Set the sparsity to that of the bodies that touch now."""
        memory = layout.keep
        assert isinstance(memory, SegmentMemory)
        layout.sparsity = partial(self._sparsity, memory)

    def _sparsity(self, memory: SegmentMemory) -> Sparsity:
        touching, held = NO_PAIRS, NO_PAIRS
        if memory.contacts is not None:
            touching, held = memory.contacts.touching_bodies, memory.contacts.held_bodies
        return self.forests.sparsity(memory.forest, memory.forces, touching, held)

    def signals(self, forest: Forest, forces: ForceTable, near: np.ndarray) -> SegmentSignals:
        """Return the result signals of a segment with this forest, in which these pairs of shapes were near each other."""
        contacts = ContactSignals(self.solids, forest, near, GROUP) if self.solids else None
        return SegmentSignals(forest, self.coordinates, forces, self.exchange, contacts)

    def stored_signals(self, description: Mapping[str, object]) -> SegmentSignals:
        """Return the result signals of a segment from `SegmentLayout.description`. Raises ModelError, KeyError, TypeError,
        ValueError.
        """
        structure, positions, near = read_segment(description)
        self.check_structure(structure)
        forest = self.forests.of(structure)
        self.solids.check_pairs(near, forest)
        return self.signals(forest, force_table(forest, self.forces, positions), near)

    def _point_positions(
        self, forest: Forest, start: SegmentStart, x: np.ndarray, last: SegmentMemory | None, restored: EngineState | None
    ) -> dict[str, np.ndarray]:
        """Return where the search for each massless point begins."""
        if not self.points:
            return {}
        if restored is not None:
            return dict(restored.points)
        return self.points.starts(forest, self.coordinates, start, x, last)


def _or_nan(start: SegmentStart) -> SignalReader:
    """Return a reader of variables that gives NaN where one is not known yet."""
    if start.x is not None:
        return start.read

    def found(name: str) -> float:
        try:
            return start.read(name)
        except ModelError:
            return math.nan

    return found
