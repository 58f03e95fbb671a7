"""Declaration of a force element: its row in the table of forces, its kernels, and where it may act.

A kernel is a function for numba (decorated by `kernel.kernel`) of the row ``k`` of ``table`` and of ``at``, the motion of all
bodies (`kernels.shell.BodyMotion`): ``wrench(table, k, at, wrenches)`` adds what the element does to its bodies, the others
return what they are called. Their machine code is made when a table with such a row is, and kept on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from modiapy.acausal.native import Callback
from modiapy.model.errors import ModelError

from ..basics import layout
from ..basics.law import CONSTANT, LINEAR, Law, law_columns


class Nothing:
    """Declaration that an element has no energy, takes nothing out of the bodies, or brings nothing in from outside."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = Nothing()


class AtPoints(IntEnum):
    """Behaviour of an element at a massless point, see `modia3d.forces.kernels.massless`."""

    REFUSED = layout.REFUSED
    """It needs a body."""
    LINE = layout.LINE
    """Pull along the line between both frames: the row begins with the laws of a spring and a damper, then has the length at
    which the spring is at rest and the force there."""
    LOAD = layout.LOAD
    """A force on frame 1 with the components in frame 2 as functions of time: the first three laws."""


class Row:
    """The part of a row that an element fills: its laws, two columns each, then its numbers."""

    def __init__(
        self, laws: Mapping[str, int] | None = None, numbers: Mapping[str, int] | None = None, *, of_time: bool = False
    ) -> None:
        """Name the fields, each with the number of its components, in their order.

        Args:
            laws: fields that are laws, see `modia3d.forces.basics.law.Law`.
            numbers: fields that are numbers, truths or vectors.
            of_time: whether the laws are functions of time; a number is a constant then, else a factor.
        """
        self.laws, self.numbers = dict(laws or {}), dict(numbers or {})
        self.of_time = of_time

    @property
    def size(self) -> int:
        """Number of columns."""
        return 2 * sum(self.laws.values()) + sum(self.numbers.values())

    def law(self, name: str) -> int:
        """Number of the first law of a field, for the kernel `law`."""
        names = list(self.laws)
        return sum(self.laws[before] for before in names[: names.index(name)])

    def offset(self, name: str) -> int:
        """Place of a number among the parameters of the row, for the kernel `parameter3`."""
        names = list(self.numbers)
        return 2 * sum(self.laws.values()) + sum(self.numbers[before] for before in names[: names.index(name)])

    def column(self, name: str) -> int:
        """Return the column of a number in the table."""
        return layout.PARAMETERS + self.offset(name)

    def laws_of(self, element: object) -> list[Law]:
        """Return the laws that an element has, in their order."""
        return [law for name, size in self.laws.items() for law in _components(getattr(element, name), size)]

    def parameters_of(self, element: object) -> tuple[float, ...]:
        """Return the columns for an element. Raises ModelError if a function among its laws cannot be compiled."""
        numbers = (float(x) for name, size in self.numbers.items() for x in _components(getattr(element, name), size))
        return (*law_columns(self.laws_of(element), CONSTANT if self.of_time else LINEAR), *numbers)


def _components(value: Any, size: int) -> Sequence[Any]:
    return (value,) if size == 1 else tuple(value)


class Declaration:
    """A force element, declared. All kernels have to be named; `NOTHING` says that there is none to name.

    Attributes:
        name: what users call it.
        row: its part of a row.
        at_points: what it is at a massless point.
        needs_body: what it is that a massless point cannot bear, for the message.
        from_equations: field that may also be an expression of the equations; "" if none may.
        remedies: fields that users of other languages write -> what is written here.
    """

    def __init__(
        self,
        name: str,
        *,
        row: Row | None = None,
        wrench: Any = None,
        energy: Any = None,
        loss: Any = None,
        outer_power: Any = None,
        at_points: AtPoints = AtPoints.REFUSED,
        needs_body: str = "",
        from_equations: str = "",
        remedies: Mapping[str, str] | None = None,
    ) -> None:
        """Declare an element.

        Args:
            name, row, at_points, needs_body, from_equations, remedies: see the attributes.
            wrench: ``(table, k, at, wrenches)``, adds forces and torques to the bodies.
            energy: ``(table, k, at)``, potential energy [J].
            loss: ``(table, k, at)``, what it takes out of the bodies for good [W]: ``-(P + E')``, P the power of its forces.
            outer_power: ``(table, k, at)``, power that comes from outside of the system [W].

        Raises:
            ModelError: something is missing, or the row is too long.
        """
        kernels = {"wrench": wrench, "energy": energy, "loss": loss, "outer_power": outer_power}
        missing = [what for what, given in ({"row": row} | kernels).items() if given is None]
        if missing:
            raise ModelError(
                f"force element '{name}' is not declared completely",
                found=f"nothing about {', '.join(missing)}",
                expected="a Row, and for wrench, energy, loss and outer_power a kernel each",
                remedy=f"Write {missing[-1]}=NOTHING if it has none." if missing[-1] not in ("row", "wrench") else "",
            )
        assert row is not None
        if row.size > layout.LARGEST_ROW:
            raise ModelError(
                f"the row of force element '{name}' is too long",
                found=f"{row.size} columns",
                expected=f"<= {layout.LARGEST_ROW}",
            )
        self.name, self.row = name, row
        self.at_points, self.needs_body = at_points, needs_body or f"a {name}"
        self.from_equations, self.remedies = from_equations, dict(remedies or {})
        self._kernels = {what: given for what, given in kernels.items() if given is not NOTHING}
        self._addresses: dict[str, int] = {}

    def has(self, what: str) -> bool:
        """Return whether there is a kernel of "wrench", "energy", "loss" or "outer_power"."""
        return what in self._kernels

    def prepare(self, *what: str) -> None:
        """Compile kernels now, so that nothing is compiled while a simulation runs."""
        for each in what:
            if each in self._kernels and each not in self._addresses:
                self._addresses[each] = self.code(each).address

    def code(self, what: str) -> Callback:
        """Return the machine code of a kernel that there is."""
        from ..kernels.shell import machine_code

        return machine_code(self._kernels[what], what, self.name)

    def address(self, what: str) -> float:
        """Return the address of a kernel for the table of forces; -1: there is none, 0: it has not been compiled."""
        if what not in self._kernels:
            return layout.ABSENT
        return float(self._addresses.get(what, 0))
