"""Base of all sensors: quantities with scalar variables, which the engine computes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest

from ..basics import checks
from .kinds import Kind


@dataclass(frozen=True)
class Quantity:
    """A scalar, vector or matrix that a sensor makes a variable of.

    Attributes:
        name: of the group of variables, e.g. "r" of ``r.x``.
        kind: see `kinds`.
        frames: names of frames 1, 2, 3 as written; "" is the world.
        rates: the time derivative of each component as an expression of variables of the sensor; empty where
            there is none.
        subject: name of what is cut, or of the force whose power is measured, as written.
    """

    name: str
    kind: Kind
    frames: tuple[str, str, str] = ("", "", "")
    rates: tuple[str, ...] = ()
    subject: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the scalar variables, relative to the sensor."""
        return tuple(f"{self.name}.{c}" if c else self.name for c in self.kind.components)

    @property
    def unit(self) -> str:
        """Unit of all components."""
        return self.kind.unit


class Sensor(ABC):
    """Something that measures without acting.

    Attributes:
        rest_when_deleted: frames that were deleted count as fixed in the world's origin, so that equations can go on with the
            values; otherwise these are NaN.
    """

    rest_when_deleted: bool = False

    @abstractmethod
    def measured(self) -> tuple[Quantity, ...]:
        """Return the quantities, those that only serve as derivatives of others included."""


def chosen(owner: str, quantities: object, known: Sequence[str]) -> tuple[str, ...]:
    """Return the field ``quantities``: names among ``known``, each once.

    Raises:
        ModelError: another name, or none at all.
    """
    names = (quantities,) if isinstance(quantities, str) else quantities
    if not isinstance(names, list | tuple) or not names:
        raise ModelError(f"quantities of {owner} are wrong", found=repr(quantities), expected=f"some of {', '.join(known)}")
    for name in names:
        if name not in known:
            raise ModelError(
                f"quantities of {owner} are wrong",
                found=repr(name),
                expected=f"some of {', '.join(known)}",
                remedy=nearest(str(name), known),
            )
    return tuple(name for name in known if name in names)


def two_frames(owner: str, one: object, two: object) -> None:
    """Check the fields ``obj1`` and ``obj2``. Raises ModelError where they are no names, or the same."""
    checks.frame_name(owner, "obj1", one)
    if checks.frame_name(owner, "obj2", two) == one:
        raise ModelError(f"obj2 of {owner} is wrong", found=f"{two!r}, which is obj1, too", expected="another Object3D")
