"""A multibody system in one simulation: its present structure, and what it decides at events."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from modiapy.acausal.abilities import Assembles, Jumps, Notes, OffersViews, Saves, Waits
from modiapy.acausal.present import PresentPoint
from modiapy.acausal.protocol import ComponentRun
from modiapy.acausal.segment import SegmentChange, SegmentLayout, SegmentStart, SignalReader
from modiapy.model.errors import ModelError, ModiaError, nearest

from ..constraints.added import added_constraints
from ..constraints.impact import Stage, check_stoppable, impact
from ..constraints.kinds.constraint import Constraint, rows_of
from ..constraints.kinds.contact import Contact
from ..constraints.kinds.joint_limit import JointLimit
from ..constraints.limits import find_limits, settle_limits, structure_after
from ..forces.basics.law import next_kink
from ..topology.appearance import Appearance
from ..topology.forest import Forest
from ..topology.states import singular_sequences, transfer_state
from ..topology.structure import Structure
from .action_loops import with_closed_loops
from .change import Change
from .contact_run import ContactRun, warn_of_friction
from .engine_state import EngineState, Saved, engine_data
from .motion.configuration import Configuration, configuration
from .program import DueAction, ReadSignal, ScheduleRun
from .segment import SegmentMemory
from .system import System

if TYPE_CHECKING:
    from .view.mechanism_view import MechanismView


_VIEW_OPTIONS = ("joints", "torque")


class MultibodyRun(ComponentRun, Assembles, Jumps, Notes, OffersViews, Saves, Waits):
    """A `Model3D` while it is simulated.

    Args:
        system: what it consists of.

    Attributes:
        forest: the spanning forest of the present segment; its structure are the locks and deletions there.
        schedule: the action program at work; there is none before the simulation begins.
        memory: of the present segment; there is none before the first one begins.
    """

    schedule: ScheduleRun
    memory: SegmentMemory

    def __init__(self, system: System) -> None:
        self._system = system
        self.forest: Forest = system.forests.of(Structure())
        self._start_time = 0.0
        self._restored: EngineState | None = None
        self._expected: np.ndarray | None = None
        self._set: frozenset[str] = frozenset()  # joints whose states have been set from outside since the last event
        self._assembly = system.initial.first
        self._contacts = ContactRun(system)
        self._unfinished: list[dict[str, Any]] = []

    @property
    def structure(self) -> Structure:
        """Locks and deletions in the present segment."""
        return self.forest.structure

    # -- segments ---------------------------------------------------------------------------------------------------------

    @property
    def assembles(self) -> bool:
        """See `Assembles`."""
        return self._system.initial.follows

    def assembled(self, read: SignalReader) -> Mapping[str, float]:
        """See `Assembles`."""
        self._assembly = self._system.initial.again(self._assembly, read)
        return self._assembly.values

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """Return the forest of the segment, its memory, and ``x_var``: initial values, or what carries on the last motion."""
        info: dict[str, object] = {}
        if start.x is None:
            self._start_time, self.schedule = start.time, self._system.schedule.begin(start.time)
            x = self._initial_states(start)
            info |= self._assembly.info
        elif isinstance(start.change, Change):
            x = self._carry_out_change(start.change, start, start.x)
            self._contacts.chattering.yielding |= start.change.yielding
            info |= start.change.info
        else:
            x = start.x.copy()
            if x.size != self.forest.n_x:  # of a snapshot: kernels trust it
                found, expected, path = f"{x.size} states", f"{self.forest.n_x}", self._system.full("")
                raise ModelError("saved states do not fit the structure", path=path, found=found, expected=expected)
        rests = start.change.rests if isinstance(start.change, Change) else {}
        layout = self._system.layout(
            self.forest,
            x,
            start,
            self.schedule.paths,
            self._last_memory,
            self._restored,
            rests,
            self._contacts.chattering.yielding,
        )
        goes_on, self._restored = self._restored is not None, None
        self.memory = layout.keep
        described = self._system.described(layout, info)
        self._contacts.begin_segment(described, start.time, goes_on)
        return described

    def _initial_states(self, start: SegmentStart) -> np.ndarray:
        """Start values of ``x_var``; the forest they belong to is the present one then."""
        self.forest, self._expected, x = self._system.initial.begin(start.read, self._assembly)
        return x

    def _carry_out_change(self, change: Change, start: SegmentStart, x: np.ndarray) -> np.ndarray:
        """Return the states of the next forest, which is the present one then."""
        for pair, impulse in change.pushes:
            self._contacts.log.strike(pair, impulse, start.time)
        old = change.after or configuration(self.forest, self._system.coordinates, start.read, x)
        self.forest = change.forest or self._system.forests.of(change.structure)
        if change.begin is not None:
            x = change.begin
        elif change.appearance is None:
            x = transfer_state(old.forest, old.x, old.motion_of, self.forest)
        else:
            x = transfer_state(old.forest, old.x, change.appearance.motion_of, self.forest, change.appearance.fresh)
        if change.acting:
            self.schedule.complete()
        return x

    @property
    def _last_memory(self) -> SegmentMemory | None:
        """Return the memory of the segment that ends; None where the first one begins."""
        return self.__dict__.get("memory")

    # -- snapshots --------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Callable[[], dict[str, Any]]:
        """Return the data besides the states that determine the future.

        These are the structure, the executed steps of the program, and the last positions of massless points.
        """
        data = engine_data(self.structure, self._start_time, self.schedule, self.memory)
        if not self._system.solids:
            return Saved(self.structure, data)
        known = self._contacts.data()
        return lambda: {**data(), **known()}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Restore the data of `snapshot`; the next `init_segment` begins in the segment of the snapshot.

        Raises:
            ModelError: the program cannot have executed those steps.
            KeyError, TypeError, ValueError: the data are something else.
        """
        state = EngineState.read(data)
        if self._system.solids:
            self._contacts.restore(data)
        self._system.check_structure(state.structure)
        self.forest, self._start_time = self._system.forests.of(state.structure), state.start_time
        self.schedule = self._system.schedule.replay(state.start_time, state.log)
        self._restored = state

    def before_states(self, names: Collection[str]) -> SegmentChange | None:
        """See `ComponentRun`: joints leave their limits, and contacts at rest end; both are decided anew afterwards."""
        locked = {joint.name for joint in self.structure.locked if not joint.side}
        for name in names:
            if (joint := name.rpartition(".")[0]) in locked:
                path, remedy = self._system.full(joint), "Unlock it before, by an action."
                raise ModelError("a locked joint has no states to be set", path=path, found=name, remedy=remedy)
        limited = {f"{joint.name}.{joint.edge.joint.state_names()[0][0]}": joint.name for joint in self._system.lockable.all}
        self._set = frozenset(limited[name] for name in names if name in limited)
        rests = self._contacts.resting
        if not rests and not any(joint.side for joint in self.structure.locked):
            return None
        return Change("states are set", structure=self.structure.with_limits({}), rests=rests)

    def goes_back(self, data: Any) -> bool:
        """See `ComponentRun`: within a structure without a program, contacts, loops and massless points, only states change."""
        memory = self.memory
        if type(self.schedule) is not ScheduleRun or self._system.solids or memory.loops or memory.forces.points:
            return False
        structure = data.structure if isinstance(data, Saved) else EngineState.read(data).structure
        return structure is self.structure or structure == self.structure

    # -- events -----------------------------------------------------------------------------------------------------------

    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Change Cardan sequences near their singularity, hold or release joints at limits, or carry out an action that is due.

        One action for each segment, with segments of zero length in between.
        """
        if start.x is None:
            return None
        sequences = singular_sequences(self.forest, start.x)
        if sequences:
            cause = ", ".join(f"Cardan angles {sequence} of {name}" for name, sequence in sequences.items())
            return Change(cause, structure=self.structure.with_sequences(sequences))
        x = start.x
        found: list[Configuration] = []

        def now() -> Configuration:
            if not found:
                found.append(configuration(self.forest, self._system.coordinates, start.read, x))
            return found[0]

        try:
            if self._expected is not None:
                # only now is known what initial equations determine
                self._system.initial.check_poses(self._expected, now())
                self._system.lockable.check_start(self.forest, now().q)
                self._expected = None
            if self._set:
                asked, self._set = self._set, frozenset()
                self._system.lockable.check_start(self.forest, now().q, asked)
            change = self._contacts.event(start, now)
            if change is None and self._system.lockable.all:
                change = self._at_limits(start, now())
            return change or self._next_action(start, now)
        except ModiaError as error:
            error.path = self._system.full(error.path)
            raise

    def _next_action(self, start: SegmentStart, now: Callable[[], Configuration]) -> SegmentChange | None:
        """Continue the program; if it comes to a structural action, carry that out."""
        while True:
            action = self.schedule.advance(start.time, start.signal, now)
            self.memory.set_paths(self.schedule.paths)
            if action is None:
                return None
            try:
                return self._carry_out(action, start, now())
            except ModelError as error:
                if not self.schedule.refused(error):
                    raise

    def _at_limits(self, start: SegmentStart, present: Configuration) -> Change | None:
        """Return the joints that reach a limit stop there, those that are pulled off leave it."""
        memory = self.memory
        found = find_limits(self._system.lockable, present, memory.a, memory.lockable, start.read, start.time)
        assert start.rates is not None
        stage = Stage(present, memory, start.rates)
        if found.struck or found.returning:
            kept = found.returning if found.struck else found.returning | found.holding
            change = self._change(stage, self.structure.with_limits({}), [], found.all, returning=kept)
            return None if not found.struck and change.structure == self.structure else change
        if not found.resting and not found.released:
            return None
        holding = settle_limits(stage, found)
        structure = self.structure.with_limits(holding)
        added = added_constraints(self.structure, structure, kept_states=True)
        kept = {name: side for name, side in found.holding.items() if name in holding}
        return self._change(stage, structure, added, kept)

    def _carry_out(self, action: DueAction, start: SegmentStart, present: Configuration) -> Change:
        """Return the structure after an action; what still moves and must not any more is stopped by an impact.

        What is given up is given up before that and takes part in no impact. Whatever is refused, nothing has been changed.
        """
        assert start.rates is not None
        edited = action.apply(self.structure, present)
        structure, stage = edited.structure, Stage(present, self.memory, start.rates)
        self._system.lockable.check_lockable(structure)
        self._system.check_loops(self.structure, structure)
        added = added_constraints(self.structure, structure, kept_states=not action.impulse)
        if action.impulse and rows_of(added, present).move(present.v):
            assemblies = {a.name: a.prescribed_joints for a in self._system.graph.assemblies}
            between = structure.without_new(self.structure, assemblies)
            if between != self.structure:
                stage = self._given_up(start, present, between)
                added = added_constraints(between, structure)
        at_limits = self._system.lockable.at_limits(stage.present.forest, stage.present.q)
        asked = self._change(stage, structure, added, at_limits, action)
        if isinstance(edited.present, Appearance):
            asked = asked.with_appearance(edited.present)
        if not self._system.may_close or not (asked.appearance or added_constraints(self.structure, asked.structure)):
            return asked
        return with_closed_loops(asked, self._system.forests.of(asked.structure), self._system.coordinates, start.state_index)

    def _given_up(self, start: SegmentStart, present: Configuration, structure: Structure) -> Stage:
        """Return the present in a structure that holds less together."""
        forest = self._system.forests.of(structure)
        x = transfer_state(present.forest, present.x, present.motion_of, forest)
        layout = self._system.layout(forest, x, start, self.schedule.paths, self.memory)
        assert start.rates is not None
        there = configuration(forest, self._system.coordinates, start.read, x)
        return Stage(there, layout.keep, start.rates.with_layout(layout))

    def _change(
        self,
        stage: Stage,
        structure: Structure,
        added: Sequence[Constraint],
        sides: Mapping[str, int],
        action: DueAction | None = None,
        returning: Collection[str] = (),
    ) -> Change:
        """Ask for a new structure; where speeds of ``added`` constraints or into limits ``sides`` must vanish, by an impact.

        Joints that are ``returning`` to their limits are held there.
        """
        present, lockable = stage.present, self._system.lockable
        assert isinstance(present, Configuration)
        texts = [str(action)] if action is not None else []
        constraints = [*added, *(JointLimit(name, side) for name, side in sides.items())]
        outcome, pressed = None, list[tuple[tuple[str, str], Contact]]()
        if constraints and rows_of(constraints, present).move(present.v):
            contacts = stage.memory.contacts if isinstance(stage.memory, SegmentMemory) else None
            pressed = [] if contacts is None else contacts.pressed(present.bodies)
            constraints += [contact for _, contact in pressed]
            with stage.memory.without_rests() if isinstance(stage.memory, SegmentMemory) else nullcontext():
                outcome = impact(stage, constraints, returning)
            structure = structure_after(structure, sides, outcome.closed)
            warn_of_friction(stage, outcome)
        check_stoppable(stage, structure, lockable.imposed)
        texts += lockable.changes(self.structure, structure)
        if outcome is not None:
            texts.append(f"{outcome.energy_lost:.6g} J lost")
        change = Change("; ".join(texts), structure=structure, after=present, acting=action is not None)
        if outcome is None:
            return change
        change = change.with_impact(outcome, structure)
        rests = self._contacts.torn(change.after) if present.forest is self.forest else {}
        impulses = outcome.impulses[len(outcome.impulses) - len(pressed) :].tolist()  # one row each, behind all others
        pushes = tuple((pair, push) for (pair, _), push in zip(pressed, impulses, strict=True) if push > 0.0)
        return replace(change, rests=rests, pushes=pushes)

    def arrive(self, time: float) -> None:
        """See `Jumps`: of forces over time and reference paths."""
        self.memory.hold_until(math.inf)

    def next_time_event(self, time: float) -> float:
        """Return the time of the next action, end of a wait, jump of a reference acceleration, or kink of a force [s].

        Asked before the integrator goes on: it is to see what jumps then as it is before that, also at the end of its step.
        """
        following, laws = self.schedule.next_event(time), self._system.laws_of_time
        following = min(following, next_kink(laws, time)) if laws else following
        self.memory.hold_until(following)
        return following

    def ignores_samples(self) -> bool:
        """See `ComponentRun`: no joint is held at a limit, and no rigid contact can be at rest; forces release them."""
        held = any(joint.side for joint in self.structure.locked)
        return self._expected is None and not held and not self._contacts.may_rest

    @property
    def watching(self) -> bool:
        """True if the program waits for a condition."""
        return self.schedule.watching

    def awaited(self, time: float, signal: ReadSignal) -> bool:
        """Return whether a condition that the program waits for holds at ``time`` [s]."""
        try:
            return self.schedule.awaited(time, signal)
        except ModiaError as error:
            error.path = self._system.full(error.path)
            raise

    def notes(self, ending: bool) -> list[dict[str, Any]]:
        """Return the singular positions of closed loops, solids that penetrate each other deeply, paths that end with the
        simulation.
        """
        memory = self._last_memory
        loops = None if memory is None else memory.loops
        noted = [] if loops is None or loops.passages is None else loops.passages.notes(ending)
        unfinished, self._unfinished = self._unfinished, []
        return [*noted, *self._contacts.depths.notes(), *unfinished]

    @property
    def program_log(self) -> list[dict[str, Any]]:
        """The steps of the program that were executed, see `program`; none before it begins."""
        return self.schedule.log() if "schedule" in self.__dict__ else []

    def tables(self, time: float) -> dict[str, list[dict[str, Any]]]:
        """Return the table of contacts, see `ContactLog.table`; none where nothing can touch."""
        return {"contacts": self._contacts.log.table(time)} if self._system.solids else {}

    def terminate(self, time: float) -> None:
        """End the simulation: note a path of the action program that is under way."""
        self._unfinished = self.schedule.unfinished(time)

    def view(self, path: str, present: PresentPoint, **options: Any) -> MechanismView:
        """Return a view of a part, see `MechanismView`; its options are ``joints`` and ``torque``."""
        from .view.mechanism_view import MechanismView

        component = self._system.path
        for name in options.keys() - set(_VIEW_OPTIONS):
            remedy = nearest(name, _VIEW_OPTIONS)
            raise ModelError(f"a view has no option '{name}'", path=path, expected=", ".join(_VIEW_OPTIONS), remedy=remedy)

        def forest() -> Forest:
            run = present.component(component)
            assert isinstance(run, MultibodyRun)
            return run.forest

        return MechanismView(self._system.graph, forest, component, path, present, **options)
