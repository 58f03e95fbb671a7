"""Additions of forces and sensors to the equations: their variables, and the calls that deliver these."""

from __future__ import annotations

from collections.abc import Sequence

from modiapy.acausal.protocol import CallEquation, ComponentFunction
from modiapy.model.expression import Const, Expr, Name, add, rewrite, sub
from modiapy.model.model import Model, Var
from modiapy.model.parser import parse
from modiapy.model.scoping import levels_of, moved_in

from ...constraints.joints import constraint_name
from ...scene.sensors import kinds
from ...scene.sensors.kinds import Stage
from ...topology.graph import SceneGraph
from ..motion.configuration import flange_force_name
from . import functions
from .exchange import Exchange
from .part import add_variable, level


class ExchangeEquations:
    """The equations of the signals of a `Model3D`.

    Args:
        exchange: the signals. graph: the frames and joints.
        part: acausal part of the engine.
        group: name of the engine's own variables; ``token`` there is what `set_states` computes.
        accelerations: of the joints with a flange.
    """

    def __init__(self, exchange: Exchange, graph: SceneGraph, part: Model, group: str, accelerations: tuple[Expr, ...]) -> None:
        self._exchange, self._graph = exchange, graph
        self._part, self._group, self._accelerations = part, group, accelerations

    def add(self, closed: Name | None = None) -> None:
        """Add variables of forces and sensors, what the forces are equal to, and the calls.

        Args:
            closed: what is there when loops are closed; None where there cannot be any.
        """
        ready = self._token("ready")
        self._call(functions.prepare_signals(), (Name(f"{self._group}.token"),), (ready,))
        self._add_forces(closed or ready)
        self._add_sensors(ready)
        for k, row in enumerate(self._exchange.rows):
            if row.of_contact:
                for variable in row.variables:
                    add_variable(self._part, variable.name, Var(unit=row.quantity.unit))
                function = functions.sensed_contact(len(row.variables))
                self._call(function, (ready, Const(float(k))), row.variables)
        self._add_affine_sensors(closed or ready)
        self._add_system(ready)

    def _add_forces(self, ready: Name) -> None:
        for signal in self._exchange.forces:
            value, inside = signal.column.value, signal.column.variable.count(".") + 1
            outside = levels_of(value) > 0  # names of a model further out than the element
            binding = moved_in(value, inside) if outside else None
            add_variable(self._part, signal.variable.name, Var(binding, unit=signal.column.unit))
            if value is not None and not outside:
                scope, _, short = signal.element.rpartition(".")
                text = f"{short}.{signal.column.variable} = {value}"
                level(self._part, scope).setdefault("equations", []).append(text)
        signals = self._exchange.signals
        if signals and self._accelerations:
            n = len(self._accelerations)
            outputs = tuple(self._token(f"g{i}") for i in range(n))
            self._call(functions.signal_forces(n, len(signals)), (ready, *signals), outputs)

    def _add_sensors(self, ready: Name) -> None:
        """Add the measurements of positions and velocities by sensors."""
        rows = [row for row in self._exchange.rows if not row.function]
        if not rows:
            return
        sensed, i = self._token("sensed"), 0
        self._call(functions.sense(), (ready,), (sensed,))
        for row in rows:
            for k, variable in enumerate(row.variables):
                add_variable(self._part, variable.name, Var(unit=row.quantity.unit))
                rate = _inside(row.sensor, row.quantity.rates[k]) if row.quantity.rates else None
                inputs = (sensed, Const(float(i)))
                self._call(functions.sensed_value(), inputs, (variable,), rate=rate)
                i += 1
        for name in dict.fromkeys(row.sensor for row in rows if row.signal >= 0):
            terms = [f"{row.variables[0]}*{self._exchange.forces[row.signal].variable}" for row in rows if row.sensor == name]
            add_variable(self._part, f"{name}.power", Var(unit="W"))
            self._part["equations"].append(f"{name}.power = {' + '.join(terms)}")

    def _add_affine_sensors(self, ready: Name) -> None:
        """Add the measurements of accelerations and cut forces by sensors."""
        n, n_f, given = len(self._accelerations), len(self._exchange.forces), (*self._accelerations, *self._exchange.signals)
        pieces = ready
        if self._exchange.cuts:
            pieces = self._token("pieces")
            self._call(functions.prepare_cuts(), (ready,), (pieces,))
        for k, row in enumerate(self._exchange.rows):
            if row.affine:
                for variable in row.variables:
                    add_variable(self._part, variable.name, Var(unit=row.quantity.unit))
                cut = row.cut is not None
                edges = self._graph.prescribed_joints if cut and self._exchange.closed else ()
                forces = tuple(Name(constraint_name(edge)) for edge in edges)
                name, before = self._exchange.function_of(row.quantity.kind), pieces if cut else ready
                function = functions.sensed_accelerations(name, n, n_f + len(forces), len(row.variables))
                self._call(function, (before, Const(float(k)), *given, *forces), row.variables)

    def _add_system(self, ready: Name) -> None:
        """Add energy and power of the whole system."""
        measured = [(name, quantity) for name, sensor in self._exchange.sensors.items() for quantity in sensor.measured()]
        wanted = {f"{name}.{quantity.name}": quantity for name, quantity in measured if quantity.kind.stage is Stage.SYSTEM}
        asked = {quantity.kind for quantity in wanted.values()}
        values: dict[kinds.Kind, Expr] = {}

        def call(function: ComponentFunction, inputs: tuple[Expr, ...], results: Sequence[kinds.Kind]) -> None:
            outputs = tuple(self._token(f"{kind.name}_now") for kind in results)
            self._call(function, (ready, *inputs), outputs)
            values.update(zip(results, outputs, strict=True))

        if asked.intersection(kinds.ENERGIES):
            call(functions.energies(), (), kinds.ENERGIES)
        if asked & {kinds.POWER, *kinds.POWERS}:
            flanges = tuple(Name(flange_force_name(edge)) for edge in self._graph.prescribed_joints)
            call(functions.powers(len(flanges), len(self._exchange.forces)), (*self._exchange.signals, *flanges), kinds.POWERS)
            drive, force, dissipated = (values[kind] for kind in kinds.POWERS)
            values[kinds.POWER] = sub(add(drive, force), dissipated)
        for variable, quantity in wanted.items():
            add_variable(self._part, variable, Var(unit=quantity.unit))
            self._part["equations"].append(f"{variable} = {values[quantity.kind]}")

    def _token(self, name: str) -> Name:
        add_variable(self._part, f"{self._group}.{name}", Var())
        return Name(f"{self._group}.{name}")

    def _call(
        self, function: ComponentFunction, inputs: tuple[Expr, ...], outputs: tuple[Name, ...], rate: Expr | None = None
    ) -> None:
        self._part["equations"].append(CallEquation(function, inputs, outputs, rate=rate))


def _inside(path: str, text: str) -> Expr:
    """Return an expression of variables of the model ``path`` as one of full names."""

    def change(node: Expr) -> Expr | None:
        return Name(f"{path}.{node.name}") if type(node) is Name else None

    return rewrite(parse(text), change)
