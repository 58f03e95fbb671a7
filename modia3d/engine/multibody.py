"""The multibody engine as a predefined acausal component (Neumayr & Otter 2024, sections 4 and 5).

Its acausal part are four calls: `set_states` takes the coordinates of the joints with a flange and prepares ``M a + h``,
`generalized_forces` evaluates it, `finish` delivers the derivatives of the states that the equations never see (free bodies,
joints without flange), `references` evaluates the action program's paths. Structural actions change the locks between
frames; every change is a new spanning forest, never new machine code.
"""

from __future__ import annotations

import math

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
from modiapy.model.errors import ModelError
from modiapy.model.expression import Expr, Name, der
from modiapy.model.model import Model, Var

from ..dynamics import layout
from ..forces.table import find_forces, force_table, has_forces
from ..scene.joints import RevoluteJoint
from ..scene.shapes import Mark, Shape
from ..scene.solid import SolidFeature
from ..scene.visual import VisualFeature, VisualMaterial, visual_material
from ..topology.forest import spanning_forest
from ..topology.graph import build_graph
from ..topology.states import carry_state, initial_state, initial_structure, singular_sequences
from ..topology.structure import Structure
from . import functions
from .configuration import configuration, coordinate_names, read_joints
from .program import schedule_of
from .segment import SegmentMemory
from .signals import GROUP, SegmentSignals
from .sparsity import forest_sparsity

REFERENCE_QUANTITIES = ("position", "velocity", "acceleration")


class Multibody:
    """The component of a `Model3D`.

    Attributes:
        path: full path of the `Model3D`.
        graph: its frames, joints and assemblies.
        forces: its force elements.
        schedule: its action program.
        structure: locks and deletions in the present segment.
        forest: the spanning forest of the present segment.
        coordinates: names of coordinate and speed of each joint with a flange.
    """

    def __init__(self, scope: ComponentScope) -> None:
        self.path = scope.path
        try:
            self.graph = build_graph(scope.objects)
            self.forces = find_forces(scope.objects, self.graph)
            self.schedule = schedule_of(scope.objects, self.graph)
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        self.coordinates = coordinate_names(self.graph)
        self.structure = Structure()
        self.forest = spanning_forest(self.graph, self.structure)
        self._next: Structure | None = None
        self._acting = False

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

    def acausal_part(self) -> Model:
        """Variables under ``mechanics``, reference signals, the calls, and ``<joint>.flange.tau = ...`` (``.f = ...``)."""
        n = len(self.coordinates)
        forces = [f"f{i}" for i in range(n)]
        token, done = Name(f"{GROUP}.token"), Name(f"{GROUP}.done")
        accelerations: tuple[Expr, ...] = tuple(der(Name(speed)) for _, speed in self.coordinates)
        states = tuple(Name(names[k]) for k in (0, 1) for names in self.coordinates)
        set_states = functions.set_states_with_forces if has_forces(self.graph, self.forces) else functions.set_states
        equations: list[CallEquation | str] = [_call(set_states(n), states, (token,))]
        if n:
            outputs = tuple(Name(f"{GROUP}.{force}") for force in forces)
            equations.append(_call(functions.generalized_forces(n), (token, *accelerations), outputs))
        equations.append(_call(functions.finish(n), (token, *accelerations), (done,)))
        for edge, force in zip(self.graph.equation_joints, forces, strict=True):
            flow = "tau" if isinstance(edge.joint, RevoluteJoint) else "f"
            equations.append(f"{edge.name}.flange.{flow} = {GROUP}.{force}")
        group = Model(token=Var(), done=Var(), **{force: Var() for force in forces})
        part = Model(equations=equations, **{GROUP: group})
        self._add_references(part)
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
        part["equations"].append(_call(functions.references(len(names)), (), outputs))

    # -- segments ---------------------------------------------------------------------------------------------------------

    def init_segment(self, start: SegmentStart) -> SegmentLayout:
        """The forest of the segment, its memory, and ``x_var``: initial values, or what carries on the last motion."""
        if start.x is None:
            self.schedule.begin(start.time)
            self._next = None
            x = self._initial_states(start.read)
        elif self._next is None:
            x = start.x.copy()
        else:
            old = configuration(self.forest, self.coordinates, start.read, start.x)
            self.structure, self._next = self._next, None
            self.forest = spanning_forest(self.graph, self.structure)
            x = carry_state(old.forest, start.x, old.motion_of, self.forest)
            if self._acting:
                self.schedule.complete()
        forces = force_table(self.forest, self.forces)
        memory = SegmentMemory(self.forest, self.schedule.paths, forces)
        return SegmentLayout(
            names=self.forest.x_names,
            x=x,
            n_z=int(np.count_nonzero(self.forest.ints[:, layout.AUTOMATIC])),
            data=memory.data,
            keep=memory,
            signals=SegmentSignals(self.forest, self.coordinates, forces),
            info={"dof": self.forest.dof},
            sparsity=forest_sparsity(self.forest, forces),
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
        self.structure = initial_structure(self.graph, joints)
        self.forest = spanning_forest(self.graph, self.structure)
        x = initial_state(self.graph, self.forest, joints)
        if failure and not np.isfinite(x).all():
            raise failure[0]
        return x

    # -- events -----------------------------------------------------------------------------------------------------------

    def event(self, start: SegmentStart) -> SegmentChange | None:
        """Change Cardan sequences that are near their singularity, or carry out the structural action that is due.

        One action for each segment, with segments of zero length in between.
        """
        if start.x is None:
            return None
        sequences = singular_sequences(self.forest, start.x)
        if sequences:
            self._next, self._acting = self.structure.with_sequences(sequences), False
            return SegmentChange(", ".join(f"Cardan angles {sequence} of {name}" for name, sequence in sequences.items()))
        action = self.schedule.due(start.time)
        if action is None:
            return None
        present = configuration(self.forest, self.coordinates, start.read, start.x)
        try:
            self._next, self._acting = action.apply(self.structure, present), True
        except ModelError as error:
            error.path = self._full(error.path)
            raise
        return SegmentChange(str(action))

    def next_time_event(self, time: float) -> float:
        """Time of the next action, end of a wait, or jump of a reference acceleration [s]."""
        return self.schedule.next_event(time)

    def terminate(self, time: float) -> None:
        """To be called when the simulation has reached its stop time.

        Raises:
            SimulationError: a path of the action program is under way.
        """
        self.schedule.check_end(time, self._full(self.schedule.name))


def _call(function: ComponentFunction, inputs: tuple[Expr, ...], outputs: tuple[Name, ...]) -> CallEquation:
    return CallEquation(function, inputs, outputs)
