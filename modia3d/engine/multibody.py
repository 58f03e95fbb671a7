"""The multibody engine as a predefined acausal component (Neumayr & Otter 2024, sections 4 and 5).

Its acausal part are four calls: `set_states` takes the coordinates of the joints with a flange and prepares ``M a + h``,
`generalized_forces` evaluates it, `finish` delivers the derivatives of the states that the equations never see (free bodies,
joints without flange), `references` evaluates the action program's paths. Structural actions change the locks between
frames; every change is a new spanning forest, never new machine code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from modiapy.acausal.protocol import (
    CallEquation,
    ComponentFunction,
    ComponentScope,
    Read,
    SegmentChange,
    SegmentLayout,
    SegmentStart,
)
from modiapy.model.errors import ModelError, ModiaError
from modiapy.model.expression import Expr, Name, der
from modiapy.model.model import Model, Var
from modiapy.simulation.solvers.jacobian import prepare_differences
from modiapy.symbolic.kernels.incidence import prepare_colouring

from ..constraints.added import added_constraints
from ..constraints.contacts import find_contacts, structure_after
from ..constraints.impact import Stage, check_stoppable, impact
from ..constraints.joints import NO_LIMITS, HoldableJoints
from ..constraints.kinds.constraint import Constraint, rows_of
from ..constraints.kinds.joint_limit import JointLimit
from ..dynamics.basics.layout import STATUS_SINGULAR
from ..forces.basics.layout import FAILED, UNBALANCED
from ..forces.ends import check_ends
from ..forces.points import find_points
from ..forces.table import find_forces, force_table, has_forces, next_force_event, prepare_forces
from ..scene.shapes import Mark, Shape
from ..scene.solid import SolidFeature
from ..scene.visual import VisualFeature, VisualMaterial, visual_material
from ..topology.appearance import Appearance
from ..topology.build import build_graph
from ..topology.check_structure import check_structure
from ..topology.forest import Forest, StateNames
from ..topology.states import carry_state, singular_sequences
from ..topology.structure import Structure
from .change import Change
from .constraint_equations import add_constraint_equations, flow_of
from .engine_state import EngineState, engine_data, read_segment, segment_data, structure_data
from .exchange import functions
from .exchange.exchange import Exchange, place
from .forests import Forests
from .housings import check_housings
from .initial_states import InitialStates
from .motion.configuration import Configuration, configuration, coordinate_names, flange_force_name, read_joints
from .points import Points
from .program import DueAction, ReadSignal, schedule_of
from .reference_signals import add_references
from .remedies import of_program, of_result, of_sensor
from .segment import SegmentMemory
from .signals import GROUP, SegmentSignals, is_signal, prepare_signals, signal_names

MANY_STATES = 150
"""States from which on matrices may be sparse: free bodies are blocks of 13 states."""


class Multibody:
    """The component of a `Model3D`.

    Attributes:
        path: full path of the `Model3D`.
        graph: its frames, joints and assemblies.
        points: its massless points, see `modia3d.forces.points`.
        forces: its force elements.
        exchange: its force signals and sensors.
        initial: what it begins with.
        schedule: its action program.
        structure: locks and deletions in the present segment.
        forest: the spanning forest of the present segment.
        coordinates: names of coordinate and speed of each joint with a flange.
    """

    def __init__(self, scope: ComponentScope) -> None:
        self.path = scope.path
        try:
            points = find_points(scope.objects)
            self.graph = build_graph({name: made for name, made in scope.objects.items() if name not in points})
            self.forces = find_forces(scope.objects, self.graph, points)
            self.points = Points(points, self.graph, self.forces)
            check_ends(scope.objects, self.graph, points, self.path)
            self.exchange = Exchange(scope.objects, self.graph)
            check_housings(scope.objects, scope.connections, self.graph)
            self.schedule = schedule_of(scope.objects, self.graph, self.path)
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        self.holdable = HoldableJoints(self.graph, self.schedule.locked_joints)
        self.coordinates = coordinate_names(self.graph)
        self.initial = InitialStates(self.graph, self.coordinates, scope, self._full)
        self.structure = Structure()
        self._forests = Forests(self.graph, self.exchange)
        self.forest = self._forests.of(self.structure)
        self._next: Change | None = None
        self._memory: SegmentMemory
        self._start_time = 0.0
        self._restored: EngineState | None = None
        self._saved: tuple[Structure, object] | None = None
        if sum(len(q) + len(v) for q, v in self.graph.state_names) >= MANY_STATES:
            from .kernels import sparsity as sparsity_kernel  # noqa: F401  (to be compiled now, not while a simulation runs)

            prepare_colouring()
            prepare_differences()
        if self.schedule.impulses:
            from ..dynamics import jacobian  # noqa: F401  (to be compiled now, not while a simulation runs)

    def _full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def visuals(self) -> list[tuple[str, Shape | Mark, VisualMaterial | None]]:
        """What is to be seen: (name of the frame, shape, material or None for the viewer's default)."""

        def look(given: VisualMaterial | str | None) -> VisualMaterial | None:
            return None if given is None else visual_material("Object3D", given)

        features = ((node.name, node.frame.feature) for node in self.graph.frames)
        return [
            (name, feature.shape, look(feature.visual_material))
            for name, feature in features
            if isinstance(feature, SolidFeature | VisualFeature) and feature.shape is not None
        ]

    # -- equations --------------------------------------------------------------------------------------------------------

    reserved_names = (GROUP,)

    def acausal_part(self) -> Model:
        """Variables under ``mechanics``, reference signals, the calls, and ``<joint>.flange.tau = ...`` (``.f = ...``)."""
        n = len(self.coordinates)
        forces = [f"f{i}" for i in range(n)]
        token, done = Name(f"{GROUP}.token"), Name(f"{GROUP}.done")
        accelerations: tuple[Expr, ...] = tuple(der(Name(speed)) for _, speed in self.coordinates)
        states = tuple(Name(names[k]) for k in (0, 1) for names in self.coordinates)
        set_states = functions.set_states_with_forces if has_forces(self.graph, self.forces) else functions.set_states
        function = set_states(n)
        if self.points:
            of_points = self.points.states
            function, states = functions.set_states_with_points(n, len(of_points) // 3), (*states, *of_points)
        equations: list[CallEquation | str] = [_call(function, states, (token,))]
        if n:
            outputs = tuple(Name(f"{GROUP}.{force}") for force in forces)
            equations.append(_call(functions.generalized_forces(n), (token, *accelerations), outputs))
        finish = _call(functions.finish(n), (token, *accelerations), (done,))
        equations.append(self.exchange.finish_call(GROUP, accelerations, done) if self.exchange.forces else finish)
        for edge, force in zip(self.graph.equation_joints, forces, strict=True):
            exerted = self.exchange.exerted(GROUP, edge)
            equations.append(f"{flange_force_name(edge)}{flow_of(self.holdable, edge)} = {GROUP}.{force}{exerted}")
        group = Model(token=Var(), done=Var(), **{force: Var() for force in forces})
        part = Model(equations=equations, **{GROUP: group})
        add_constraint_equations(self.holdable, part, GROUP, done)
        self.points.add_equations(part, GROUP)
        for edge, names in zip(self.graph.equation_joints, self.coordinates, strict=True):
            for name, (value,) in zip(names, self.initial.posed.states.get(edge.name, ()), strict=False):
                place(part, name, Var(init=value))
        add_references(part, self.schedule)
        if self.exchange:
            self.exchange.add_equations(part, GROUP, accelerations)
        return part

    # -- segments ---------------------------------------------------------------------------------------------------------

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """The forest of the segment, its memory, and ``x_var``: initial values, or what carries on the last motion."""
        info: dict[str, object] = {}
        if start.x is None:
            self.schedule.begin(start.time)
            self._start_time, self._restored, self._next = start.time, None, None
            x = self._initial_states(start.read)
            info |= self.initial.info
        elif self._next is None:
            x = start.x.copy()
            if x.size != self.forest.n_x:  # of a snapshot: kernels trust it
                found, expected = f"{x.size} states", f"{self.forest.n_x}"
                raise ModelError("saved states do not fit the structure", path=self._full(""), found=found, expected=expected)
        else:
            change, self._next = self._next, None
            old = change.after or configuration(self.forest, self.coordinates, start.read, start.x)
            self.structure = change.structure
            self.forest = self._forests.of(self.structure)
            if change.appearance is None:
                x = carry_state(old.forest, old.x, old.motion_of, self.forest)
            else:
                x = carry_state(old.forest, old.x, change.appearance.motion_of, self.forest, change.appearance.fresh)
            info |= change.info
            if change.acting:
                self.schedule.complete()
        layout = self._layout(self.forest, x, start)
        self._memory, self._restored = layout.keep, None
        forces = self._memory.forces
        layout.signals = SegmentSignals(self.forest, self.coordinates, forces, self.exchange)
        layout.description = segment_data(self._structure_data(), forces)
        layout.info = {"dof": self.forest.dof, **info}
        layout.sparsity = partial(self._forests.sparsity, self.forest, forces)
        return layout

    def _layout(self, forest: Forest, x: np.ndarray, start: SegmentStart) -> SegmentLayout:
        """What a forest with the states ``x`` is evaluated with; `SegmentLayout.keep` is its `SegmentMemory`."""
        forces = force_table(forest, self.forces, self._point_positions(forest, start, x))
        forces.prepare(*self.exchange.asked_of_forces)
        guards = NO_LIMITS
        if self.holdable.all:
            here = read_joints(self.coordinates, _or_nan(start.read))[0]
            guards = self.holdable.table(forest, np.concatenate([here, x]))
        if self._restored is not None:
            self._restored.restore_bounds(guards)
        memory = SegmentMemory(forest, self.schedule.paths, forces, guards, len(self.holdable.prescribed))
        if self.exchange:
            memory.add_signals(self.exchange.memory(forest, self.forces))
        n_z = forest.n_automatic + 2 * len(self.holdable.all)
        return SegmentLayout(StateNames(forest), x, n_z, memory.data, memory)

    def _point_positions(self, forest: Forest, start: SegmentStart, x: np.ndarray) -> dict[str, np.ndarray]:
        """Where the search for each massless point begins."""
        if not self.points:
            return {}
        if self._restored is not None:
            return dict(self._restored.points)
        return self.points.starts(forest, self.coordinates, start, x, self._memory if start.x is not None else None)

    # -- snapshots --------------------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, object]:
        """What determines the future besides the states: structure, executed steps of the program, points of last solutions."""
        return engine_data(self._structure_data(), self._start_time, self.schedule.log(), self._memory)

    def _structure_data(self) -> object:
        if self._saved is None or self._saved[0] is not self.structure:
            self._saved = self.structure, structure_data(self.structure)
        return self._saved[1]

    def stored_signals(self, description: Mapping[str, object]) -> SegmentSignals:
        """The signals of a segment from `SegmentLayout.description`."""
        structure, positions = read_segment(description)
        self._check_structure(structure)
        forest = self._forests.of(structure)
        return SegmentSignals(forest, self.coordinates, force_table(forest, self.forces, positions), self.exchange)

    def restore(self, data: Mapping[str, object]) -> None:
        """Take what `snapshot` gave; the next `init_segment` begins in the segment where that was.

        Raises:
            ModelError: the program cannot have executed those steps.
            KeyError, TypeError, ValueError: the data are something else.
        """
        state = EngineState.read(data)
        self._check_structure(state.structure)
        self.structure, self._start_time = state.structure, state.start_time
        self.forest = self._forests.of(self.structure)
        self.schedule.replay(state.start_time, state.log)
        self._next, self._restored = None, state

    def _check_structure(self, structure: Structure) -> None:
        """Refuse one that does not fit, in a file. Raises ModelError."""
        check_structure(self.graph, structure)
        self.holdable.check_lockable(structure)

    def failure(self, status: int) -> str:
        """What a status of the engine's functions means, in words; "" if that is not known."""
        if status == STATUS_SINGULAR:
            from .massless import reason

            return reason(self.forest, self._memory.q, self._full)
        forces = self._memory.forces
        if UNBALANCED <= status < UNBALANCED + len(forces.points):
            name = self._full(forces.points[status - UNBALANCED])
            return f"the forces at the massless point '{name}' cannot be balanced from where it was"
        if FAILED <= status < FAILED + len(forces):
            return f"the force of '{self._full(forces.names[status - FAILED])}' is not a number"
        return ""

    def remedy_in_equations(self, name: str) -> str:
        """What equations can use where they have this name, which leads nowhere; "" if that is not known."""
        sensed = of_sensor(self.exchange.sensors, name) or of_result(self.graph, self.points.frames, name)
        return sensed or of_program(self.schedule.name, self.schedule.reference_names, name)

    def undetermined(self, unknowns: Sequence[str]) -> str:
        """Which joints with a flange move nothing with inertia, where their accelerations are among these unknowns."""
        from .massless import remedy_at_flanges

        speeds = {speed: edge for edge, (_, speed) in zip(self.graph.equation_joints, self.coordinates, strict=True)}
        asked = {edge.name for speed, edge in speeds.items() if f"der({self._full(speed)})" in unknowns}
        return remedy_at_flanges(self.forest, self._memory.q, asked, self._full)

    def _initial_states(self, read: Read) -> np.ndarray:
        """Start values of ``x_var``, and the structure and forest they belong to."""
        self.forest, q, x = self.initial.begin(read)
        self.structure = self.forest.structure
        try:
            self.holdable.check_start(self.forest, np.concatenate([q, x]))
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        return x

    # -- events -----------------------------------------------------------------------------------------------------------

    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Change Cardan sequences near their singularity, hold or release joints at limits, or carry out an action that is due.

        One action for each segment, with segments of zero length in between.
        """
        if start.x is None:
            return None
        sequences = singular_sequences(self.forest, start.x)
        if sequences:
            self._next = Change(self.structure.with_sequences(sequences))
            return SegmentChange(", ".join(f"Cardan angles {sequence} of {name}" for name, sequence in sequences.items()))
        x = start.x
        found: list[Configuration] = []

        def now() -> Configuration:
            if not found:
                found.append(configuration(self.forest, self.coordinates, start.read, x))
            return found[0]

        try:
            change = self._at_limits(start, now()) if self.holdable.all else None
            return change or self._next_action(start, now)
        except ModiaError as error:
            error.path = self._full(error.path)
            raise

    def _next_action(self, start: SegmentStart, now: Callable[[], Configuration]) -> SegmentChange | None:
        """Let the program go on; where it comes to a structural action, carry that out."""
        while True:
            action = self.schedule.advance(start.time, start.signal, now)
            self._memory.set_paths(self.schedule.paths)
            if action is None:
                return None
            try:
                return self._carry_out(action, start, now())
            except ModelError as error:
                self._next = None
                if not self.schedule.refused(error):
                    raise

    def _at_limits(self, start: SegmentStart, present: Configuration) -> SegmentChange | None:
        """Joints that reach a limit stop there, those that are pulled off leave it."""
        found = find_contacts(self.holdable, self.forest, present.q, present.v, self._memory.a, start.read, start.time)
        assert start.rates is not None
        stage = Stage(present, self._memory, start.rates)
        if found.struck:
            sides = found.holding | found.released | found.struck | found.resting | found.touching
            return self._change(stage, self.structure.holding({}), [], sides)
        if not found.resting and not found.released:
            return None
        structure = self.structure.holding(found.holding | found.resting)
        added = added_constraints(self.structure, structure, kept_states=True)
        return self._change(stage, structure, added, found.holding)

    def _carry_out(self, action: DueAction, start: SegmentStart, present: Configuration) -> SegmentChange:
        """The structure after an action; what still moves and must not any more is stopped by an impact.

        What is given up is given up before that and takes part in no impact. Whatever is refused, nothing has been changed.
        """
        assert start.rates is not None
        edited = action.apply(self.structure, present)
        structure, stage = edited.structure, Stage(present, self._memory, start.rates)
        self.holdable.check_lockable(structure)
        added = added_constraints(self.structure, structure, kept_states=not action.impulse)
        if action.impulse and (rows_of(added, present).G @ present.v).any():
            between = structure.without_new(self.structure, {a.name: a.equation_joints for a in self.graph.assemblies})
            if between != self.structure:
                stage = self._given_up(start, present, between)
                added = added_constraints(between, structure)
        asked = self._change(stage, structure, added, self.holdable.at_limits(stage.present.forest, stage.present.q), action)
        if isinstance(edited.present, Appearance):
            assert self._next is not None
            self._next = self._next.with_appearance(edited.present)
        return asked

    def _given_up(self, start: SegmentStart, present: Configuration, structure: Structure) -> Stage:
        """The present in a structure that holds less together."""
        forest = self._forests.of(structure)
        x = carry_state(present.forest, present.x, present.motion_of, forest)
        layout = self._layout(forest, x, start)

        def rates() -> np.ndarray:
            assert start.rates is not None
            kept, self.forest, self._memory = (self.forest, self._memory), forest, layout.keep  # for `failure`
            try:
                return start.rates(layout)
            finally:
                self.forest, self._memory = kept

        return Stage(configuration(forest, self.coordinates, start.read, x), layout.keep, rates)

    def _change(
        self,
        stage: Stage,
        structure: Structure,
        added: Sequence[Constraint],
        sides: Mapping[str, int],
        action: DueAction | None = None,
    ) -> SegmentChange:
        """Ask for a new structure; where speeds of ``added`` constraints or into limits ``sides`` must vanish, by an impact."""
        present = stage.present
        assert isinstance(present, Configuration)
        change = Change(structure, present, acting=action is not None)
        texts, states = [str(action)] if action is not None else [], None
        constraints = [*added, *(JointLimit(name, side) for name, side in sides.items())]
        if (rows_of(constraints, present).G @ present.v).any():
            outcome = impact(stage, constraints)
            change, states = change.with_impact(outcome, structure_after(structure, sides, outcome.closed)), outcome.states
        check_stoppable(stage, change.structure, self.holdable.imposed)
        texts += self.holdable.changes(self.structure, change.structure)
        if states is not None:
            texts.append(f"{change.info['energy_lost']:.6g} J lost")
        self._next = change
        return SegmentChange("; ".join(texts), jump=states)

    def next_time_event(self, time: float) -> float:
        """Time of the next action, end of a wait, jump of a reference acceleration, or kink of a force [s]."""
        return min(self.schedule.next_event(time), next_force_event(self.forces, time))

    @property
    def watching(self) -> bool:
        """Whether the program waits for a condition."""
        return self.schedule.watching

    def awaited(self, time: float, signal: ReadSignal) -> bool:
        """Whether a condition that the program waits for holds at ``time`` [s]."""
        return self.schedule.awaited(time, signal)

    def note_explicit(self, names: Collection[str]) -> None:
        """Find the joints whose motion is prescribed; ``names`` are the variables that are computed outside of systems."""
        self.holdable.note_explicit({name.removeprefix(f"{self.path}.") for name in names} if self.path else names)

    def check_signals(self, table: Collection[str]) -> None:
        """Refuse a program that waits for signals which do not exist; ``table`` has the variables of all equations."""

        def exists(name: str) -> bool:
            own = name.removeprefix(f"{self.path}.") if self.path else name
            return name in table or (self._full(own) == name and is_signal(self.graph, self.points.frames, own))

        try:
            known = partial(signal_names, self.graph, self.points.frames)
            self.schedule.check_signals(exists, lambda: [*table, *map(self._full, known())])
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        if self.schedule.name:
            forces = partial(prepare_forces, self.graph, self.forces) if has_forces(self.graph, self.forces) else None
            prepare_signals(self.schedule.signals_read(), forces=forces, signals=bool(self.exchange))

    @property
    def program_log(self) -> list[dict[str, Any]]:
        """The steps of the program that were executed, see `program`."""
        return self.schedule.log()

    def terminate(self, time: float) -> None:
        """To be called when the simulation has reached its stop time.

        Raises:
            SimulationError: a path of the action program is under way.
        """
        self.schedule.check_end(time, self._full(self.schedule.name))


def _or_nan(read: Read) -> Read:
    """The same, NaN where a value is not known yet."""

    def found(name: str) -> float:
        try:
            return read(name)
        except ModelError:
            return math.nan

    return found


def _call(function: ComponentFunction, inputs: tuple[Expr, ...], outputs: tuple[Name, ...]) -> CallEquation:
    return CallEquation(function, inputs, outputs)
