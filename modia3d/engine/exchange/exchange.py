"""Signals between the equations and the engine: forces whose values come from equations, sensors that equations use.

Forces enter affinely: the joints of the equations must exert ``M a + h - B f``, and accelerations of passive joints, of
frames and what cuts transmit are affine in ``(a, f)``. So a force may depend algebraically on an acceleration or a cut force. A
sensor's positions and velocities are calls with a `rate`, so that equations can differentiate them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from modiapy.acausal.segment import Trajectory
from modiapy.model.expression import Name

from ...constraints.kinds.cut_joint import CutJoint
from ...constraints.kinds.resting_contact import RestingContact
from ...forces.signal import LINE
from ...forces.table import SceneForce
from ...scene.sensors import Sensor, kinds
from ...scene.sensors.kinds import Stage
from ...topology.forest import DELETED, Forest
from ...topology.graph import JointEdge, SceneGraph
from ..contact.solids import ContactSolids
from ..memory import signal_layout
from .contact_rows import set_shapes
from .cuts import Cut, divide
from .declared import Finder
from .exchange_memory import ExchangeMemory, set_frames
from .passing import closing_factors, divided

_FUNCTIONS = {Stage.CONTACT: "sensed_contact", Stage.CUT: "cut"}
"""Functions that measure all quantities of a stage."""


class Exchange:
    """The force signals and sensors of a `Model3D`; false if there are none.

    Args:
        objects: all of the `Model3D`. graph: its frames and joints. solids: those that collide.
        closed: whether there may be closed loops.

    Attributes:
        forces: the scalar signals of all force elements.
        sensors: the sensors, by path.
        rows: what the sensors measure.
        closed: whether there may be closed loops.

    Raises:
        ModelError: a frame, joint or force that they name is unknown.
    """

    def __init__(self, objects: Mapping[str, object], graph: SceneGraph, solids: ContactSolids, closed: bool = False) -> None:
        self.closed, self._solids = closed, solids
        find = Finder(objects, graph, solids)
        self.forces = find.forces
        self.sensors = {name: made for name, made in objects.items() if isinstance(made, Sensor)}
        self.rows = tuple(row for name, made in self.sensors.items() for row in find.rows(name, made))

    def __bool__(self) -> bool:
        return bool(self.forces or self.sensors)

    @property
    def asked_of_forces(self) -> tuple[str, ...]:
        """Return the data that sensors need of internal forces besides their wrenches, see `ForceTable.prepare`."""
        asked = {quantity.kind for sensor in self.sensors.values() for quantity in sensor.measured()}
        energies = ("energy",) if asked.intersection(kinds.ENERGIES) else ()
        return (*energies, *(("loss", "outer_power") if asked & {kinds.POWER, *kinds.POWERS} else ()))

    # -- equations --------------------------------------------------------------------------------------------------------

    def function_of(self, kind: kinds.Kind) -> str:
        """Return the component function of a quantity that has one of its own."""
        if kind.stage in _FUNCTIONS:
            return _FUNCTIONS[kind.stage]
        return "sensed_acceleration" if len(kind.components) == 3 else "distance_acceleration"

    @property
    def signals(self) -> tuple[Name, ...]:
        """Variables of the force signals."""
        return tuple(signal.variable for signal in self.forces)

    @property
    def cuts(self) -> list[Cut]:
        """Return the cuts, in the order of the rows."""
        return [row.cut for row in self.rows if row.cut is not None]

    def exerted(self, group: str, edge: JointEdge) -> str:
        """Return the effect of the force signals on the flange of a joint, as the end of an equation."""
        return f" - {group}.g{edge.equation}" if self.forces else ""

    # -- segments ---------------------------------------------------------------------------------------------------------

    def observed(self) -> dict[str, tuple[int, list[int]]]:
        """Return for each function that sensors need: the most outputs that a call has, and the frames looked at."""
        found: dict[str, tuple[int, list[int]]] = {}
        for row in self.rows:
            name, n = (self.function_of(row.quantity.kind), len(row.variables)) if row.function else ("sensed_value", 1)
            most, frames = found.get(name, (0, []))
            touching = [solid.frame for solid in self._solids.solids] if row.of_contact else []
            found[name] = max(n, most), [*frames, *row.frames, *touching]
        return found

    def force_rows(self, forest: Forest) -> np.ndarray:
        """Return the table of the force signals (n_f, ROW_COLUMNS) in a forest."""
        rows = np.zeros((len(self.forces), signal_layout.ROW_COLUMNS))
        for row, signal in zip(rows, self.forces, strict=True):
            set_frames(row, forest, signal.frames)
            row[signal_layout.KIND], row[signal_layout.INDEX] = signal.column.kind, signal.column.axis
            if signal.column.kind == LINE and row[signal_layout.BODY_3] == DELETED:
                row[signal_layout.BODY_2] = DELETED
        return rows

    def values(self, trajectory: Trajectory) -> np.ndarray:
        """Return the values of the force signals over time, shape (nt, n_f)."""
        rows = [trajectory.read(signal.variable.name) for signal in self.forces]
        return np.ascontiguousarray(np.array(rows).reshape(-1, len(trajectory.time)).T)

    def memory(self, forest: Forest, inner: tuple[SceneForce, ...], n_held: int = 0) -> ExchangeMemory:
        """Return the tables and memory for a segment; ``inner`` are the forces inside the engine, ``n_held`` rows of contacts
        at rest.
        """
        divide_by = divided if self.closed else divide
        pieces = divide_by(forest, self.cuts, inner) if self.cuts else None
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
        """Write the shares of loop closures in the wrenches of cuts to the sensors' memory, in the order of the multipliers."""
        rows = [k for k, row in enumerate(self.rows) if row.cut is not None]
        if rows:
            memory.closing[rows] = closing_factors(forest, self.cuts, closing)
