"""Signals between the equations and the engine as they are declared: those of forces, and what sensors measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from modiapy.model.errors import ModelError
from modiapy.model.expression import Name

from ...forces.elements.base import ForceElement
from ...forces.gravity import has_field
from ...forces.signal import SignalColumn, SignalElement
from ...scene.frame import Frame
from ...scene.sensors import Quantity, Sensor
from ...scene.sensors.cut import OWN_FRAME
from ...scene.sensors.kinds import Stage
from ...topology.graph import SceneGraph, resolve
from ..contact.solids import ContactSolids
from .contact_rows import check_solids
from .cuts import Cut, find_cut
from .exchange_memory import Frames


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
        """Variable of the equations that it is."""
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
        """Variables of the equations that it has."""
        if self.signal >= 0:
            return (Name(f"{self.sensor}.velocities.u{self.signal}"),)
        return tuple(Name(f"{self.sensor}.{name}") for name in self.quantity.variables)

    @property
    def affine(self) -> bool:
        """True if it is affine in accelerations and force signals."""
        return self.quantity.kind.affine

    @property
    def of_contact(self) -> bool:
        """True if it is about what touches a solid."""
        return self.quantity.kind.stage is Stage.CONTACT

    @property
    def function(self) -> bool:
        """True if a function of its own measures it."""
        return self.affine or self.of_contact


class Finder:
    """Finder of the frames, forces and solids that the signals of a `Model3D` name.

    Args:
        objects: all of the `Model3D`. graph: its frames. solids: those that collide.

    Attributes:
        forces: the scalar signals of all force elements.
    """

    def __init__(self, objects: Mapping[str, object], graph: SceneGraph, solids: ContactSolids) -> None:
        self._graph, self._solids = graph, solids
        self._points = {name for name, made in objects.items() if isinstance(made, Frame)} - graph.index.keys()
        self._inner = dict.fromkeys(name for name, made in objects.items() if isinstance(made, ForceElement))
        self.forces = tuple(
            ForceSignal(name, column, self._indices(made.frames, name))
            for name, made in objects.items()
            if isinstance(made, SignalElement)
            for column in made.columns
        )

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

    def rows(self, name: str, sensor: Sensor) -> Iterator[SensorRow]:
        """Generate the rows of what a sensor measures. Raises ModelError where it names what is unknown, or cannot be known."""
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
