"""The multibody engine as a predefined acausal component (Neumayr & Otter 2024, sections 4 and 5).

Its acausal part are four calls: `set_states` takes the coordinates of the joints with a flange and prepares ``M a + h``,
`generalized_forces` evaluates it, `finish` delivers the derivatives of the states that the equations never see (free bodies,
joints without flange), `references` evaluates the action program's paths. Structural actions change the locks between
frames; every change is a new spanning forest, never new machine code.

What stands here is the same in all simulations. One of them: `multibody_run`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from modiapy.acausal.abilities import Equations, KnowsEquations, NamesSignals, StoresSignals
from modiapy.acausal.protocol import AcausalComponent, CallEquation, ComponentScope
from modiapy.model.errors import ModelError, Reason
from modiapy.model.expression import Expr, Name, der
from modiapy.model.model import Model, Var

from ..dynamics.basics.layout import STATUS_SINGULAR
from ..forces.basics.layout import FAILED, UNBALANCED
from ..forces.table import has_forces, prepare_forces
from ..scene.shapes import Mark, Shape
from ..scene.visual import VisualMaterial
from .constraint_equations import add_constraint_equations, add_loop_equations, flow_of
from .exchange import functions
from .exchange.equations import ExchangeEquations
from .exchange.part import add_variable
from .motion.configuration import flange_force_name
from .multibody_run import MultibodyRun
from .reference_signals import add_references
from .remedies import of_program, of_result, of_sensor
from .segment import SegmentMemory
from .signals import GROUP, UNITS, SegmentSignals, is_signal, prepare_signals, signal_names, state_units
from .system import System
from .visuals import visuals


class Multibody(AcausalComponent, KnowsEquations, StoresSignals, NamesSignals):
    """The component of a `Model3D`.

    Attributes:
        system: what the `Model3D` consists of.
    """

    reserved_names = (GROUP,)

    def __init__(self, scope: ComponentScope) -> None:
        self.system = System(scope)

    def __str__(self) -> str:
        """Return the text of its frames, and of the joints of each assembly."""
        graph = self.system.graph
        return f"Multibody: {len(graph.frames)} frames, {len(graph.joints)} joints\n{graph}"

    @property
    def most_states(self) -> int:
        """See `AcausalComponent`."""
        graph = self.system.graph
        names = [*(names for names, joint in zip(graph.state_names, graph.joints, strict=False) if joint.equation < 0)]
        names += graph.state_names[len(graph.joints) :]
        return sum(len(q) + len(v) for q, v in names)

    def prepare_many_states(self) -> None:
        """See `AcausalComponent`."""
        from .kernels import sparsity  # noqa: F401

    def begin_run(self) -> MultibodyRun:
        """See `AcausalComponent`."""
        return MultibodyRun(self.system)

    def visuals(self) -> list[tuple[str, Shape | Mark, VisualMaterial | None]]:
        """See `engine.visuals`."""
        return visuals(self.system.graph)

    # -- equations --------------------------------------------------------------------------------------------------------

    def acausal_part(self) -> Model:
        """Return the variables under ``mechanics``, reference signals, the calls, and ``<joint>.flange.tau = ...`` (``.f =
        ...``).
        """
        system = self.system
        n = len(system.coordinates)
        forces = [f"f{i}" for i in range(n)]
        token, done = Name(f"{GROUP}.token"), Name(f"{GROUP}.done")
        accelerations: tuple[Expr, ...] = tuple(der(Name(speed)) for _, speed in system.coordinates)
        states = tuple(Name(names[k]) for k in (0, 1) for names in system.coordinates)
        set_states = functions.set_states_with_forces if has_forces(system.graph, system.forces) else functions.set_states
        function = set_states(n)
        if system.points:
            of_points = system.points.states
            function, states = functions.set_states_with_points(n, len(of_points) // 3), (*states, *of_points)
        equations: list[CallEquation | str] = [CallEquation(function, states, (token,))]
        closed = Name(f"{GROUP}.closed") if system.may_close else None
        ready = closed or token
        if n:
            outputs = tuple(Name(f"{GROUP}.{force}") for force in forces)
            equations.append(CallEquation(functions.generalized_forces(n), (ready, *accelerations), outputs))
        signals = system.exchange.signals
        before = Name(f"{GROUP}.ready") if signals and not closed else ready
        equations.append(CallEquation(functions.finish(n, len(signals)), (before, *accelerations, *signals), (done,)))
        for edge, force in zip(system.graph.prescribed_joints, forces, strict=True):
            exerted = system.exchange.exerted(GROUP, edge)
            equations.append(f"{flange_force_name(edge)}{flow_of(system, edge)} = {GROUP}.{force}{exerted}")
        group = Model(token=Var(), done=Var(), **{force: Var() for force in forces})
        part = Model(equations=equations, **{GROUP: group})
        add_constraint_equations(system, part, GROUP, done)
        if system.may_close:
            add_loop_equations(system, part, GROUP, accelerations)
        system.points.add_equations(part, GROUP)
        for name, value in system.initial.first.values.items():
            add_variable(part, name, Var(init=value))
        add_references(part, system.schedule)
        if system.exchange:
            ExchangeEquations(system.exchange, system.graph, part, GROUP, accelerations).add(closed)
        return part

    def introduce(self, equations: Equations) -> None:
        """Find joints whose motion is prescribed; refuse a program that waits for signals which do not exist."""
        system, path = self.system, self.system.path
        own = {name.removeprefix(f"{path}.") for name in equations.explicit} if path else equations.explicit
        system.lockable.note_explicit(own)
        names = _Names(system, equations.names)
        try:
            system.schedule.check_signals(names.exists, names.all)
        except ModelError as error:
            error.path = system.full(error.path)
            raise
        if system.schedule.name:
            forces = partial(prepare_forces, system.graph, system.forces) if has_forces(system.graph, system.forces) else None
            read, exchange = system.schedule.signals_read(), system.exchange
            prepare_signals(read, forces=forces, signals=bool(exchange), contacts=bool(system.solids))

    # -- messages ---------------------------------------------------------------------------------------------------------

    def failure(self, status: int, keep: Any) -> str:
        """See `AcausalComponent`."""
        if not isinstance(keep, SegmentMemory):
            return ""
        full, forces = self.system.full, keep.forces
        if status == STATUS_SINGULAR:
            from .massless import reason

            return reason(keep.forest, keep.q, full)
        from .open_loops import STATUS_OPEN, STATUS_SLIDES, open_loops, sliding_loops

        if status == STATUS_OPEN and keep.loops is not None:
            return open_loops(keep.loops, full)
        if status == STATUS_SLIDES and keep.loops is not None:
            return sliding_loops(keep.loops, full)
        if UNBALANCED <= status < UNBALANCED + len(forces.points):
            name = full(forces.points[status - UNBALANCED])
            return Reason(f"the forces at the massless point '{name}' cannot be balanced from where it was", name)
        if FAILED <= status < FAILED + len(forces):
            name = full(forces.names[status - FAILED])
            return Reason(f"the force of '{name}' is not a number", name)
        return ""

    def undetermined(self, unknowns: Sequence[str], keep: Any) -> str:
        """Return which joints with a flange move nothing with inertia, or contradict each other in a loop, if that is the
        reason.
        """
        if not isinstance(keep, SegmentMemory):
            return ""
        from .massless import remedy_at_flanges
        from .open_loops import contradiction

        system = self.system
        conflict = contradiction(system.graph, unknowns, system.full) if system.may_close else ""
        if conflict:
            return conflict
        speeds = {speed: edge for edge, (_, speed) in zip(system.graph.prescribed_joints, system.coordinates, strict=True)}
        asked = {edge.name for speed, edge in speeds.items() if f"der({system.full(speed)})" in unknowns}
        return remedy_at_flanges(keep.forest, keep.q, asked, system.full)

    def remedy_in_equations(self, name: str) -> str:
        """Return the name that equations can use in place of this unknown one; "" if none is known."""
        system = self.system
        sensed = of_sensor(system.exchange.sensors, name) or of_result(system.graph, system.points.frames, name)
        return sensed or of_program(system.schedule.name, system.schedule.reference_names, name)

    # -- results ----------------------------------------------------------------------------------------------------------

    def stored_signals(self, description: Mapping[str, object]) -> SegmentSignals:
        """Return the signals of a segment from `SegmentLayout.description`."""
        return self.system.stored_signals(description)

    def has_signal(self, name: str) -> bool:
        """Return whether there may be a signal of this name in some segment."""
        return is_signal(self.system.graph, self.system.points.frames, name)

    def signal_names(self) -> list[str]:
        """Return the names of signals, for messages."""
        return list(signal_names(self.system.graph, self.system.points.frames))

    def flags(self) -> frozenset[str] | None:
        """Return the names of the flags that the program sets, None of one whose steps are not known before it runs."""
        return self.system.schedule.flags()

    def units(self) -> Mapping[str, str]:
        """Return the units of the motion of frames, of forces, energies and of joints' states."""
        return UNITS | state_units(self.system.graph)


class _Names:
    """Full paths of all signals: of the variables of the equations, and of the engine's own."""

    def __init__(self, system: System, variables: Collection[str]) -> None:
        self._system, self._variables = system, variables

    def exists(self, name: str) -> bool:
        """Return whether there may be a signal of this full path."""
        system = self._system
        own = name.removeprefix(f"{system.path}.")
        return name in self._variables or (system.full(own) == name and is_signal(system.graph, system.points.frames, own))

    def all(self) -> list[str]:
        """Return all of them, for messages."""
        system = self._system
        return [*self._variables, *map(system.full, signal_names(system.graph, system.points.frames))]
