"""Signals between the equations and the engine: forces whose values come from equations, sensors that equations use.

Forces enter affinely: the joints of the equations must exert ``M a + h - B f``, and accelerations of passive joints, of
frames and what cuts transmit are affine in ``(a, f)``. So a force may depend algebraically on an acceleration or a cut force. A
sensor's positions and velocities are calls with a `rate`, so that equations can differentiate them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from modiapy.acausal.memory import data_address
from modiapy.acausal.protocol import CallEquation, ComponentFunction, Trajectory
from modiapy.model.errors import ModelError
from modiapy.model.expression import Const, Expr, Name, add, rewrite, sub
from modiapy.model.model import Model, Var
from modiapy.model.parser import parse
from modiapy.model.scoping import levels_of, moved_in

from ...constraints.joints import constraint_name
from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...forces.elements.base import ForceElement
from ...forces.gravity import has_field
from ...forces.signal import LINE, SignalColumn, SignalElement
from ...forces.table import SceneForce
from ...scene.frame import Frame
from ...scene.sensors import Quantity, Sensor, kinds
from ...scene.sensors.cut import OWN_FRAME
from ...scene.sensors.kinds import Stage
from ...topology.forest import DELETED, Forest
from ...topology.graph import JointEdge, SceneGraph, resolve
from ..contact.solids import ContactSolids
from ..memory import signal_layout
from ..motion.configuration import flange_force_name
from ..motion.motion import Motion
from . import functions
from .closed_cuts import with_multipliers
from .contact_rows import check_solids, set_shapes
from .cuts import Cut, divide, find_cut
from .exchange_memory import ExchangeMemory, Frames, set_frames
from .passing import closing_factors, divided


@dataclass(frozen=True)
class ForceSignal:
    """A scalar signal of a force element.

    Attributes:
        element: path of the element.
        column: what it is.
        frames: indices of frames 1, 2, 3.
    """

    element: str
    column: SignalColumn
    frames: Frames

    @property
    def variable(self) -> Name:
        """Its variable."""
        return Name(f"{self.element}.{self.column.variable}")


@dataclass(frozen=True)
class SensorRow:
    """A row of the table of sensors.

    Attributes:
        sensor: path of the sensor.
        quantity: what it measures.
        frames: indices of frames 1, 2, 3.
        signal: force signal whose power is measured, -1 if it is none.
        cut: what is cut, if anything is.
    """

    sensor: str
    quantity: Quantity
    frames: Frames
    signal: int = -1
    cut: Cut | None = None

    @property
    def variables(self) -> tuple[Name, ...]:
        """Its variables."""
        if self.signal >= 0:
            return (Name(f"{self.sensor}.velocities.u{self.signal}"),)
        return tuple(Name(f"{self.sensor}.{name}") for name in self.quantity.variables)

    @property
    def affine(self) -> bool:
        """Whether it is affine in accelerations and force signals."""
        return self.quantity.kind.affine

    @property
    def of_contact(self) -> bool:
        """Whether it is about what touches a solid."""
        return self.quantity.kind.stage is Stage.CONTACT

    @property
    def function(self) -> bool:
        """Whether a function of its own measures it."""
        return self.affine or self.of_contact


class Exchange:
    """The force signals and sensors of a `Model3D`; false if there are none.

    Args:
        closed: whether there may be closed loops.
        solids: those that collide.

    Attributes:
        forces: the scalar signals of all force elements.
        sensors: the sensors, by path.
        rows: what the sensors measure.

    Raises:
        ModelError: a frame, joint or force that they name is unknown.
    """

    def __init__(self, objects: Mapping[str, object], graph: SceneGraph, solids: ContactSolids, closed: bool = False) -> None:
        self._graph, self._closed, self._solids = graph, closed, solids
        self._points = {name for name, made in objects.items() if isinstance(made, Frame)} - graph.index.keys()
        self._inner = dict.fromkeys(name for name, made in objects.items() if isinstance(made, ForceElement))
        elements = {name: made for name, made in objects.items() if isinstance(made, SignalElement)}
        self.forces = tuple(
            ForceSignal(name, column, self._indices(made.frames, name))
            for name, made in elements.items()
            for column in made.columns
        )
        self.sensors = {name: made for name, made in objects.items() if isinstance(made, Sensor)}
        self.rows = tuple(row for name, made in self.sensors.items() for row in self._rows(name, made))

    def __bool__(self) -> bool:
        return bool(self.forces or self.sensors)

    @property
    def asked_of_forces(self) -> tuple[str, ...]:
        """What sensors ask of the forces inside the engine besides their wrenches, see `ForceTable.prepare`."""
        asked = {quantity.kind for sensor in self.sensors.values() for quantity in sensor.measured()}
        energies = ("energy",) if asked.intersection(kinds.ENERGIES) else ()
        return (*energies, *(("loss", "outer_power") if asked & {kinds.POWER, *kinds.POWERS} else ()))

    def _indices(self, frames: tuple[str, str, str], user: str) -> Frames:
        one, two, three = (self._index(reference, user) for reference in frames)
        return one, two, three

    def _index(self, reference: str, user: str) -> int:
        if not reference:
            return self._graph.world
        scope = user.rpartition(".")[0]
        known = self._graph.index if not self._points else dict.fromkeys([*self._graph.index, *self._points])
        name = resolve(known, reference, scope, user=user)
        if name in self._points:
            raise ModelError(
                f"'{name}' is a massless point, which neither sensors nor forces from equations can refer to",
                path=user,
                expected="an Object3D of a body",
                remedy=f"Results are {name}.r_abs and {name}.v_abs. Give it a Solid with mass; or let what is in series stand"
                " between both flanges of one LineForce.",
            )
        return self._graph.index[name]

    def _rows(self, name: str, sensor: Sensor) -> Iterator[SensorRow]:
        for quantity in sensor.measured():
            stage = quantity.kind.stage
            if quantity.kind.of_gravity:
                self._check_gravity(name)
            if stage is Stage.SYSTEM:
                continue
            if stage is Stage.SIGNALS:
                found = self._measured_force(quantity.subject, name)
                for k, signal in enumerate(self.forces):
                    if signal.element == found:
                        yield SensorRow(name, quantity, signal.frames, k)
            elif stage is Stage.CUT:
                cut = find_cut(self._graph, quantity.subject, name)
                three = cut.frame if quantity.frames[2] == OWN_FRAME else self._index(quantity.frames[2], name)
                yield SensorRow(name, quantity, (cut.frame, cut.frame, three), cut=cut)
            else:
                row = SensorRow(name, quantity, self._indices(quantity.frames, name))
                if row.of_contact:
                    check_solids(self._solids, self._graph, row.frames, quantity.kind, name)
                yield row

    def _measured_force(self, reference: str, user: str) -> str:
        known = dict.fromkeys(signal.element for signal in self.forces) | self._inner
        found = resolve(known, reference, user.rpartition(".")[0], user=user, what="force from the equations")
        if found in self._inner:
            raise ModelError(
                f"equations cannot know the power of '{found}' alone",
                path=user,
                found="an element that stays inside the engine",
                expected="a force from the equations",
                remedy="PowerSensor() knows the power of all forces together; or write one component of a force as text.",
            )
        return found

    def _check_gravity(self, user: str) -> None:
        gravity = self._graph.scene.gravity
        if has_field(self._graph):
            raise ModelError(
                "equations can know gravity only where it is the same everywhere",
                path=user,
                found=type(gravity).__name__,
                expected="UniformGravity or NoGravity",
                remedy="Give the masses on a line bodies of their own, e.g. by a Prismatic joint along the line.",
            )

    # -- equations --------------------------------------------------------------------------------------------------------

    def add_equations(self, part: Model, group: str, accelerations: tuple[Expr, ...], closed: Name | None = None) -> None:
        """Variables of forces and sensors, what the forces are equal to, and the calls.

        Args:
            part: acausal part of the engine.
            group: name of the engine's own variables; ``token`` there is what `set_states` computes.
            accelerations: of the joints with a flange.
            closed: what is there when loops are closed; None where there cannot be any.
        """
        ready = _token(part, group, "ready")
        part["equations"].append(CallEquation(functions.prepare_signals(), (Name(f"{group}.token"),), (ready,)))
        self._add_forces(part, group, closed or ready, len(accelerations))
        self._add_sensors(part, group, ready)
        for k, row in enumerate(self.rows):
            if row.of_contact:
                for variable in row.variables:
                    place(part, variable.name, Var(unit=row.quantity.unit))
                function = functions.sensed_contact(len(row.variables))
                part["equations"].append(CallEquation(function, (ready, Const(float(k))), row.variables))
        self._add_affine_sensors(part, group, closed or ready, accelerations)
        self._add_system(part, group, ready)

    def _add_forces(self, part: Model, group: str, ready: Name, n: int) -> None:
        for signal in self.forces:
            value, inside = signal.column.value, signal.column.variable.count(".") + 1
            outside = levels_of(value) > 0  # names of a model further out than the element
            binding = moved_in(value, inside) if outside else None
            place(part, signal.variable.name, Var(binding, unit=signal.column.unit))
            if value is not None and not outside:
                scope, _, short = signal.element.rpartition(".")
                text = f"{short}.{signal.column.variable} = {value}"
                level(part, scope).setdefault("equations", []).append(text)
        signals = self.signals
        if signals and n:
            outputs = tuple(_token(part, group, f"g{i}") for i in range(n))
            part["equations"].append(CallEquation(functions.signal_forces(n, len(signals)), (ready, *signals), outputs))

    def _add_sensors(self, part: Model, group: str, ready: Name) -> None:
        """What sensors measure of positions and velocities."""
        rows = [row for row in self.rows if not row.function]
        if not rows:
            return
        sensed, i = _token(part, group, "sensed"), 0
        part["equations"].append(CallEquation(functions.sense(), (ready,), (sensed,)))
        for row in rows:
            for k, variable in enumerate(row.variables):
                place(part, variable.name, Var(unit=row.quantity.unit))
                rate = _inside(row.sensor, row.quantity.rates[k]) if row.quantity.rates else None
                inputs = (sensed, Const(float(i)))
                part["equations"].append(CallEquation(functions.sensed_value(), inputs, (variable,), rate=rate))
                i += 1
        for name in dict.fromkeys(row.sensor for row in rows if row.signal >= 0):
            terms = [f"{row.variables[0]}*{self.forces[row.signal].variable}" for row in rows if row.sensor == name]
            place(part, f"{name}.power", Var(unit="W"))
            part["equations"].append(f"{name}.power = {' + '.join(terms)}")

    def _add_affine_sensors(self, part: Model, group: str, ready: Name, accelerations: tuple[Expr, ...]) -> None:
        """What sensors measure of accelerations and cut forces."""
        n, n_f, given = len(accelerations), len(self.forces), (*accelerations, *self.signals)
        pieces = ready
        if self._cuts:
            pieces = _token(part, group, "pieces")
            part["equations"].append(CallEquation(functions.prepare_cuts(), (ready,), (pieces,)))
        for k, row in enumerate(self.rows):
            if row.affine:
                for variable in row.variables:
                    place(part, variable.name, Var(unit=row.quantity.unit))
                cut = row.cut is not None
                edges = self._graph.prescribed_joints if cut and self._closed else ()
                forces = tuple(Name(constraint_name(edge)) for edge in edges)
                name, before = self._function(row.quantity.kind), pieces if cut else ready
                function = functions.sensed_accelerations(name, n, n_f + len(forces), len(row.variables))
                part["equations"].append(CallEquation(function, (before, Const(float(k)), *given, *forces), row.variables))

    def _add_system(self, part: Model, group: str, ready: Name) -> None:
        """Energy and power of the whole system."""
        measured = [(name, quantity) for name, sensor in self.sensors.items() for quantity in sensor.measured()]
        wanted = {f"{name}.{quantity.name}": quantity for name, quantity in measured if quantity.kind.stage is Stage.SYSTEM}
        asked = {quantity.kind for quantity in wanted.values()}
        values: dict[kinds.Kind, Expr] = {}

        def call(function: ComponentFunction, inputs: tuple[Expr, ...], results: Sequence[kinds.Kind]) -> None:
            outputs = tuple(_token(part, group, f"{kind.name}_now") for kind in results)
            part["equations"].append(CallEquation(function, (ready, *inputs), outputs))
            values.update(zip(results, outputs, strict=True))

        if asked.intersection(kinds.ENERGIES):
            call(functions.energies(), (), kinds.ENERGIES)
        if asked & {kinds.POWER, *kinds.POWERS}:
            flanges = tuple(Name(flange_force_name(edge)) for edge in self._graph.prescribed_joints)
            call(functions.powers(len(flanges), len(self.forces)), (*self.signals, *flanges), kinds.POWERS)
            drive, force, dissipated = (values[kind] for kind in kinds.POWERS)
            values[kinds.POWER] = sub(add(drive, force), dissipated)
        for variable, quantity in wanted.items():
            place(part, variable, Var(unit=quantity.unit))
            part["equations"].append(f"{variable} = {values[quantity.kind]}")

    def _function(self, kind: kinds.Kind) -> str:
        """The component function of a quantity that has one of its own."""
        name = "sensed_acceleration" if len(kind.components) == 3 else "distance_acceleration"
        if kind.stage is Stage.CONTACT:
            return "sensed_contact"
        name = "cut" if kind.stage is Stage.CUT else name
        return f"{name}{functions.CLOSED}" if self._closed else name

    @property
    def signals(self) -> tuple[Name, ...]:
        """Variables of the force signals."""
        return tuple(signal.variable for signal in self.forces)

    @property
    def _cuts(self) -> list[Cut]:
        return [row.cut for row in self.rows if row.cut is not None]

    def exerted(self, group: str, edge: JointEdge) -> str:
        """What is left to the flange of a joint by the signals, as the end of an equation."""
        return f" - {group}.g{edge.equation}" if self.forces else ""

    def finish_call(self, group: str, accelerations: tuple[Expr, ...], done: Name) -> CallEquation:
        """What delivers the derivatives of the engine's states where force signals act."""
        signals = self.signals
        function = functions.finish_with_signals(len(accelerations), len(signals))
        return CallEquation(function, (Name(f"{group}.ready"), *accelerations, *signals), (done,))

    # -- segments ---------------------------------------------------------------------------------------------------------

    def observed(self) -> dict[str, tuple[int, list[int]]]:
        """For each function that delivers what sensors measure: the most outputs that a call has, and the frames looked at."""
        found: dict[str, tuple[int, list[int]]] = {}
        for row in self.rows:
            name, n = (self._function(row.quantity.kind), len(row.variables)) if row.function else ("sensed_value", 1)
            most, frames = found.get(name, (0, []))
            touching = [solid.frame for solid in self._solids.solids] if row.of_contact else []
            found[name] = max(n, most), [*frames, *row.frames, *touching]
        return found

    def force_rows(self, forest: Forest) -> np.ndarray:
        """Table of the force signals (n_f, ROW_COLUMNS) in a forest."""
        rows = np.zeros((len(self.forces), signal_layout.ROW_COLUMNS))
        for row, signal in zip(rows, self.forces, strict=True):
            set_frames(row, forest, signal.frames)
            row[signal_layout.KIND], row[signal_layout.INDEX] = signal.column.kind, signal.column.axis
            if signal.column.kind == LINE and row[signal_layout.BODY_3] == DELETED:
                row[signal_layout.BODY_2] = DELETED
        return rows

    def values(self, trajectory: Trajectory) -> np.ndarray:
        """Values of the force signals over time, shape (nt, n_f)."""
        rows = [trajectory.read(signal.variable.name) for signal in self.forces]
        return np.ascontiguousarray(np.array(rows).reshape(-1, len(trajectory.time)).T)

    def memory(self, forest: Forest, inner: tuple[SceneForce, ...], n_held: int = 0) -> ExchangeMemory:
        """Tables and memory for a segment; ``inner`` are the forces inside the engine, ``n_held`` rows of contacts at rest."""
        divide_by = divided if self._closed else divide
        pieces = divide_by(forest, self._cuts, inner) if self._cuts else None
        sensors = np.zeros((len(self.rows), signal_layout.ROW_COLUMNS))
        first = cut = 0
        for row, sensor in zip(sensors, self.rows, strict=True):
            set_frames(row, forest, sensor.frames, self.sensors[sensor.sensor].rest_when_deleted)
            row[signal_layout.KIND], row[signal_layout.INDEX] = kinds.number_of(sensor.quantity.kind), first
            row[signal_layout.COUNT] = len(sensor.variables) if sensor.signal < 0 else sensor.signal
            if sensor.cut is not None and pieces is not None:
                row[signal_layout.INDEX], row[signal_layout.COUNT] = pieces.first[cut], pieces.count[cut]
                row[signal_layout.SIGN] = pieces.sign[cut]
                cut += 1
            if sensor.of_contact:
                set_shapes(row, self._solids, forest, sensor.frames)
            first += 0 if sensor.function else len(sensor.variables)
        piece_forces = self.force_rows(pieces.forest) if pieces is not None else np.zeros((0, signal_layout.ROW_COLUMNS))
        n_closing = len(forest.cuts) + n_held if pieces is not None else 0
        return ExchangeMemory(forest, self.force_rows(forest), sensors, first, pieces, piece_forces, n_closing)

    def close(self, memory: ExchangeMemory, forest: Forest, closing: Sequence[CutJoint | RestingContact]) -> None:
        """Tell sensors in the memory of a segment what closes its loops, in the order of the multipliers."""
        rows = [k for k, row in enumerate(self.rows) if row.cut is not None]
        if rows:
            memory.closing[rows] = closing_factors(forest, self._cuts, closing)


def cut_over_time(
    cut: Cut, forest: Forest, exchange: Exchange, inner: tuple[SceneForce, ...]
) -> Callable[[Motion], np.ndarray]:
    """Function that gives torque about the origin of the cut's frame and force (nt, 6), in that frame, for a motion.

    Args:
        inner: forces inside the engine.
    """
    from ..kernels.cut_motion import cut_wrenches

    pieces = divide(forest, [cut], inner)
    row = np.zeros((1, signal_layout.ROW_COLUMNS))
    set_frames(row[0], forest, (cut.frame, cut.frame, cut.frame))
    row[0, signal_layout.COUNT], row[0, signal_layout.SIGN] = pieces.count[0], pieces.sign[0]
    rows = exchange.force_rows(pieces.forest)

    def wrench(motion: Motion) -> np.ndarray:
        inside = replace(pieces, forces=motion.in_pieces(pieces.forces, pieces.forest))
        memory = ExchangeMemory(forest, rows, row, 0, inside, rows)
        out = np.empty((len(motion.time), 6))
        R, p = motion.poses
        v_W, w_W = motion.velocities
        a_W, alpha_W = motion.body_accelerations
        f = motion.read_f()
        words = motion.record(R=R, p=p, v_W=v_W, w_W=w_W, a_W=a_W, alpha_W=alpha_W, f=f)
        cut_wrenches(data_address(words), memory.address, out)
        return out

    return lambda motion: with_multipliers(cut, forest, motion, wrench)


def _inside(path: str, text: str) -> Expr:
    """An expression of variables of the model ``path`` as one of full names."""

    def change(node: Expr) -> Expr | None:
        return Name(f"{path}.{node.name}") if type(node) is Name else None

    return rewrite(parse(text), change)


def _token(part: Model, group: str, name: str) -> Name:
    """A new variable of the engine's own."""
    place(part, f"{group}.{name}", Var())
    return Name(f"{group}.{name}")


def level(part: Model, path: str) -> Model:
    """The submodel ``path`` of an acausal part, made if it is missing."""
    here = part
    for key in path.split(".") if path else ():
        here = here.setdefault(key, Model())
    return here


def place(part: Model, path: str, variable: Var) -> None:
    """Put a variable into an acausal part."""
    scope, _, name = path.rpartition(".")
    level(part, scope)[name] = variable
