"""The multibody engine as a predefined acausal component (Neumayr & Otter 2024, sections 4 and 5).

Its acausal part are four calls: `set_states` takes the coordinates of the joints with a flange and prepares ``M a + h``,
`generalized_forces` evaluates it, `finish` delivers the derivatives of the states that the equations never see (free bodies,
joints without flange), `references` evaluates the action program's paths. Structural actions change the locks between
frames; every change is a new spanning forest, never new machine code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
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
from modiapy.symbolic.state_incidence import prepare_colouring

from ..dynamics.layout import STATUS_SINGULAR
from ..forces.layout import FAILED, UNBALANCED
from ..forces.points import find_points, start_positions
from ..forces.table import find_forces, force_table, has_forces, next_force_event
from ..scene.initial_pose import InitialPose
from ..scene.joints import RevoluteJoint
from ..scene.shapes import Mark, Shape
from ..scene.solid import SolidFeature
from ..scene.visual import VisualFeature, VisualMaterial, visual_material
from ..topology.appearance import Appearance, Edited
from ..topology.forest import StateNames, spanning_forest
from ..topology.graph import build_graph
from ..topology.initial_pose import posed_joints
from ..topology.states import carry_state, initial_state, initial_structure, singular_sequences
from ..topology.structure import Structure
from . import functions
from .change import Change
from .configuration import Configuration, configuration, coordinate_names, read_joints
from .constraint_rows import constraint_rows, limit_rows
from .engine_state import EngineState, engine_data, read_segment, segment_data, structure_data
from .exchange import Exchange, place
from .guards import NO_GUARDS, Guards
from .jump import jump
from .program import DueAction, ReadSignal, schedule_of
from .segment import SegmentMemory
from .signals import GROUP, SegmentSignals, is_signal, prepare_signals, signal_names
from .sparsity import forest_sparsity

MANY_STATES = 700
"""States from which on matrices may be large: free bodies are blocks of 13 states."""

REFERENCE_QUANTITIES = ("position", "velocity", "acceleration")


class Multibody:
    """The component of a `Model3D`.

    Attributes:
        path: full path of the `Model3D`.
        graph: its frames, joints and assemblies.
        points: its massless points, see `modia3d.forces.points`.
        forces: its force elements.
        exchange: its force signals and sensors.
        schedule: its action program.
        structure: locks and deletions in the present segment.
        forest: the spanning forest of the present segment.
        coordinates: names of coordinate and speed of each joint with a flange.
    """

    def __init__(self, scope: ComponentScope) -> None:
        self.path = scope.path
        try:
            self.points = find_points(scope.objects)
            self.graph = build_graph({name: made for name, made in scope.objects.items() if name not in self.points})
            self.forces = find_forces(scope.objects, self.graph, self.points)
            self.exchange = Exchange(scope.objects, self.graph)
            self.schedule = schedule_of(scope.objects, self.graph, self.path)
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        self.guards = Guards(self.graph, self.schedule.locked_joints)
        self.coordinates = coordinate_names(self.graph)
        self.posed = self._posed(scope)
        self.structure = Structure()
        self.forest = spanning_forest(self.graph, self.structure)
        self._next: Change | None = None
        self._rest: tuple[DueAction, Structure] | None = None
        self._memory: SegmentMemory
        self._start_time = 0.0
        self._restored: EngineState | None = None
        self._saved: tuple[Structure, object] | None = None
        if sum(len(q) + len(v) for q, v in self.graph.state_names) >= MANY_STATES:
            prepare_colouring()
        if self.schedule.impulses:
            from ..dynamics import jacobian  # noqa: F401  (to be compiled now, not while a simulation runs)

    def _full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path and name else self.path or name

    def _posed(self, scope: ComponentScope) -> dict[str, tuple[float, float]]:
        """Initial coordinate and speed of the joints that follow from wanted poses of frames, by name."""
        poses = {name: made for name, made in scope.objects.items() if isinstance(made, InitialPose)}
        given = [(edge.name, names) for edge, names in zip(self.graph.equation_joints, self.coordinates, strict=True)]
        start = {name: tuple(float(scope.starts.get(key, 0.0)) for key in keys) for name, keys in given}
        try:
            return posed_joints(self.graph, poses, start)  # type: ignore[arg-type]
        except ModelError as error:
            error.path = self._full(error.path)
            raise

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

    def acausal_part(self) -> Model:
        """Variables under ``mechanics``, reference signals, the calls, and ``<joint>.flange.tau = ...`` (``.f = ...``)."""
        n = len(self.coordinates)
        forces = [f"f{i}" for i in range(n)]
        token, done = Name(f"{GROUP}.token"), Name(f"{GROUP}.done")
        accelerations: tuple[Expr, ...] = tuple(der(Name(speed)) for _, speed in self.coordinates)
        states = tuple(Name(names[k]) for k in (0, 1) for names in self.coordinates)
        set_states = functions.set_states_with_forces if has_forces(self.graph, self.forces) else functions.set_states
        set_states = functions.set_states_with_points if self.points else set_states
        equations: list[CallEquation | str] = [_call(set_states(n), states, (token,))]
        if n:
            outputs = tuple(Name(f"{GROUP}.{force}") for force in forces)
            equations.append(_call(functions.generalized_forces(n), (token, *accelerations), outputs))
        finish = _call(functions.finish(n), (token, *accelerations), (done,))
        equations.append(self.exchange.finish_call(GROUP, accelerations, done) if self.exchange.forces else finish)
        for edge, force in zip(self.graph.equation_joints, forces, strict=True):
            flow = "tau" if isinstance(edge.joint, RevoluteJoint) else "f"
            exerted = self.exchange.exerted(GROUP, edge)
            equations.append(f"{edge.name}.flange.{flow}{self.guards.flow_of(edge)} = {GROUP}.{force}{exerted}")
        group = Model(token=Var(), done=Var(), **{force: Var() for force in forces})
        part = Model(equations=equations, **{GROUP: group})
        self.guards.add_equations(part, GROUP, done)
        for edge, names in zip(self.graph.equation_joints, self.coordinates, strict=True):
            for name, value in zip(names, self.posed.get(edge.name, ()), strict=False):
                place(part, name, Var(init=value))
        self._add_references(part)
        if self.exchange:
            self.exchange.add_equations(part, GROUP, accelerations)
        return part

    def _add_references(self, part: Model) -> None:
        names = self.schedule.reference_names
        if not names:
            return
        signals = Model({name: Model({quantity: Var() for quantity in REFERENCE_QUANTITIES}) for name in names})
        *outer, last = self.schedule.name.split(".")
        level = part
        for key in outer:
            level = level.setdefault(key, Model())
        level[last] = signals
        outputs = tuple(Name(f"{self.schedule.name}.{name}.{quantity}") for quantity in REFERENCE_QUANTITIES for name in names)
        part["equations"].append(_call(functions.references(len(names), self.schedule.jerk_limited), (), outputs))

    # -- segments ---------------------------------------------------------------------------------------------------------

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """The forest of the segment, its memory, and ``x_var``: initial values, or what carries on the last motion."""
        info: dict[str, object] = {}
        if start.x is None:
            self.schedule.begin(start.time)
            self._start_time, self._restored = start.time, None
            self._next = self._rest = None
            x = self._initial_states(start.read)
        elif self._next is None:
            x = start.x.copy()
        else:
            change, self._next = self._next, None
            old = change.after or configuration(self.forest, self.coordinates, start.read, start.x)
            self.structure = change.structure
            self.forest = spanning_forest(self.graph, self.structure)
            if change.appearance is None:
                x = carry_state(old.forest, old.x, old.motion_of, self.forest)
            else:
                x = carry_state(old.forest, old.x, change.appearance.motion_of, self.forest, change.appearance.fresh)
            info |= change.info
            if change.acting:
                self.schedule.complete()
        forces = force_table(self.forest, self.forces, self._point_positions(start, x))
        guards = NO_GUARDS
        if self.guards.all:
            here = read_joints(self.coordinates, _or_nan(start.read))[0]
            guards = self.guards.table(self.forest, np.concatenate([here, x]))
        if self._restored is not None:
            self._restored.restore_bounds(guards)
        self._restored = None
        memory = self._memory = SegmentMemory(self.forest, self.schedule.paths, forces, guards, len(self.guards.switched))
        if self.exchange:
            memory.add_signals(self.exchange.memory(self.forest, self.forces))
        return SegmentLayout(
            names=StateNames(self.forest),
            x=x,
            n_z=self.forest.n_automatic + 2 * len(self.guards.all),
            data=memory.data,
            keep=memory,
            signals=SegmentSignals(self.forest, self.coordinates, forces, self.exchange),
            description=segment_data(self._structure_data(), forces),
            info={"dof": self.forest.dof} | info,
            sparsity=partial(forest_sparsity, self.forest, forces, self.exchange),
        )

    def _point_positions(self, start: SegmentStart, x: np.ndarray) -> dict[str, np.ndarray]:
        """Where the search for each massless point begins: where it was last; at the start near its springs."""
        if not self.points:
            return {}
        if self._restored is not None:
            return {name: self._restored.points.get(name, np.zeros(3)) for name in self.points}
        if start.x is not None:
            last = dict(zip(self._memory.forces.points, self._memory.points.copy(), strict=True))
            return {name: last.get(name, np.zeros(3)) for name in self.points}
        motion = configuration(self.forest, self.coordinates, start.read, x).motion_of
        return start_positions(self.points, self.graph, self.forces, motion)

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
        forest = spanning_forest(self.graph, structure)
        return SegmentSignals(forest, self.coordinates, force_table(forest, self.forces, positions), self.exchange)

    def restore(self, data: Mapping[str, object]) -> None:
        """Take what `snapshot` gave; the next `init_segment` begins in the segment where that was.

        Raises:
            ModelError: the program cannot have executed those steps.
            KeyError, TypeError, ValueError: the data are something else.
        """
        state = EngineState.read(data)
        self.structure, self._start_time = state.structure, state.start_time
        self.forest = spanning_forest(self.graph, self.structure)
        self.schedule.replay(state.start_time, state.log)
        self._next = self._rest = None
        self._restored = state

    def failure(self, status: int) -> str:
        """What a status of the engine's functions means, in words; "" if that is not known."""
        if status == STATUS_SINGULAR:
            return self._without_inertia()
        forces = self._memory.forces
        if UNBALANCED <= status < UNBALANCED + len(forces.points):
            name = self._full(forces.points[status - UNBALANCED])
            return f"the forces at the massless point '{name}' cannot be balanced from where it was"
        if FAILED <= status < FAILED + len(forces):
            return f"the force of '{self._full(forces.names[status - FAILED])}' is not a number"
        return ""

    def _without_inertia(self) -> str:
        from .massless import joints_without_inertia

        names = ", ".join(f"'{self._full(name)}'" for name in joints_without_inertia(self.forest, self._memory.q))
        if not names:
            return ""
        return (
            f"the acceleration of {names} is not determined: what moves there has no mass or inertia in one direction; "
            "give a Solid behind it mass properties, or lock that direction"
        )

    def _initial_states(self, read: Read) -> np.ndarray:
        """Start values of ``x_var``, and the structure and forest they belong to.

        A joint that the action program itself drives has no known coordinate yet. That is refused only where a state depends
        on it: where it is an ancestor of the root of a free tree.
        """
        failure: list[ModelError] = []

        def read_or_nan(name: str) -> float:
            try:
                return read(name)
            except ModelError as error:
                failure.append(error)
                return math.nan

        q, v = read_joints(self.coordinates, read_or_nan)
        joints = {edge.name: (q[i], v[i]) for i, edge in enumerate(self.graph.equation_joints)}
        joints = {name: state for name, state in self.posed.items() if name not in joints} | joints
        self.structure = initial_structure(self.graph, joints)
        self.forest = spanning_forest(self.graph, self.structure)
        x = initial_state(self.graph, self.forest, joints)
        if failure and not np.isfinite(x).all():
            raise failure[0]
        try:
            self.guards.check_start(self.forest, np.concatenate([q, x]))
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
            change = self._at_limits(start, now()) if self.guards.all else None
            return change or self._next_action(start, now)
        except ModiaError as error:
            error.path = self._full(error.path)
            raise

    def _next_action(self, start: SegmentStart, now: Callable[[], Configuration]) -> SegmentChange | None:
        """Let the program go on; where it comes to a structural action, carry that out."""
        while True:
            begun = self._rest
            action = begun[0] if begun is not None else self.schedule.advance(start.time, start.signal, now)
            self._memory.set_paths(self.schedule.paths)
            if action is None:
                return None
            try:
                return self._carry_out(action, start, now())
            except ModelError as error:
                self._next = None
                if not self.schedule.refused(error) or begun is not None:
                    raise

    def _at_limits(self, start: SegmentStart, present: Configuration) -> SegmentChange | None:
        """Joints that reach a limit stop there, those that are pulled off leave it."""
        found = self.guards.contacts(self.forest, present.q, present.v, self._memory.a, start.read, start.time)
        if found.struck:
            sides = found.holding | found.released | found.struck | found.resting | found.touching
            return self._change(start, present, self.structure.holding({}), np.zeros((0, self.forest.nv)), sides)
        if not found.resting and not found.released:
            return None
        structure = self.structure.holding(found.holding | found.resting)
        rows = constraint_rows(present, structure, held_only=True)
        return self._change(start, present, structure, rows, found.holding)

    def _carry_out(self, action: DueAction, start: SegmentStart, present: Configuration) -> SegmentChange:
        """The structure after an action; what still moves and must not any more is stopped by an impact.

        What is given up is given up before that, in a segment of its own: it takes part in no impact.
        """
        if self._rest is not None:
            edited, self._rest = Edited(self._rest[1], present), None
        else:
            edited = action.apply(self.structure, present)
        structure = edited.structure
        self.guards.check_lockable(structure)
        rows = constraint_rows(present, structure, held_only=not action.impulse)
        if action.impulse and (rows @ present.v).any():
            between = structure.without_new(self.structure)
            if between != self.structure:
                self._next, self._rest = Change(between, present), (action, structure)
                return SegmentChange(f"{action}: release")
        asked = self._change(start, present, structure, rows, self.guards.at_limits(self.forest, present.q), action)
        if isinstance(edited.present, Appearance):
            assert self._next is not None
            self._next = self._next.with_appearance(edited.present)
        return asked

    def _change(
        self,
        start: SegmentStart,
        present: Configuration,
        structure: Structure,
        rows: np.ndarray,
        sides: Mapping[str, int],
        action: DueAction | None = None,
    ) -> SegmentChange:
        """Ask for a new structure; where ``rows`` of speeds or the speeds into limits ``sides`` must vanish, by an impact."""
        change = Change(structure, present, acting=action is not None)
        texts, states = [str(action)] if action is not None else [], None
        stopped = np.vstack([rows, limit_rows(self.forest, sides)]) if sides else rows
        if len(stopped) and (stopped @ present.v).any():
            assert start.rates is not None
            outcome = jump(present, structure, rows, sides, self._memory, start.rates)
            change, states = change.with_jump(outcome), outcome.states
        texts += self.guards.changes(self.structure, change.structure)
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

    def check_signals(self, table: Collection[str]) -> None:
        """Refuse a program that waits for signals which do not exist; ``table`` has the variables of all equations."""

        def exists(name: str) -> bool:
            own = name.removeprefix(f"{self.path}.") if self.path else name
            return name in table or (self._full(own) == name and is_signal(self.graph, self.points, own))

        try:
            self.schedule.check_signals(exists, lambda: [*table, *map(self._full, signal_names(self.graph, self.points))])
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        if self.schedule.name:
            forces = has_forces(self.graph, self.forces)
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
