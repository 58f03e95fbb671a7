"""What all force elements have in common: two frames and the numbers that their kernel needs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from modiapy.model.errors import ModelError

from ..scene.basics import checks
from .law import Law


class ForceElement(ABC):
    """A force that depends on the motion of two frames and on time only."""

    @property
    @abstractmethod
    def kind(self) -> int:
        """Place of the kernel in `modia3d.forces.layout`."""

    @property
    @abstractmethod
    def frames(self) -> tuple[str, str]:
        """Names of frames 1 and 2 as written; "" is the world."""

    @property
    @abstractmethod
    def parameters(self) -> tuple[float, ...]:
        """The laws and numbers of the element, in the order that its kernel reads."""

    @property
    def laws_of_time(self) -> Sequence[Law]:
        """Those of its laws that are functions of time."""
        return ()


def frame_name(owner: str, field: str, value: object) -> str:
    """``value``, which must be the name of an Object3D."""
    name = checks.text(owner, field, value)
    if not name:
        raise ModelError(f"{field} of {owner}", found="an empty name", expected="the name of an Object3D")
    return name
