"""Force from outside on a frame, constant or a function of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..scene.basics import checks
from .base import ForceElement, frame_name
from .law import CONSTANT, Law, law_columns, laws3
from .layout import WORLD_FORCE


@dataclass(frozen=True)
class ExternalForce(ForceElement):
    """A force from outside that acts at the origin of a frame; nothing feels its reaction.

    Attributes:
        obj: name of the frame it acts on.
        force: its components [N], numbers or functions of time [s] (`Table1D`, `Formula` or Python functions).
        resolved_in: name of the frame that these refer to; "" is the world.
    """

    obj: str
    force: Sequence[Law]
    resolved_in: str = ""

    def __post_init__(self) -> None:
        frame_name("WorldForce", "obj", self.obj)
        checks.text("WorldForce", "resolved_in", self.resolved_in)
        object.__setattr__(self, "force", laws3("WorldForce", "force", self.force, negative=True))

    @property
    def kind(self) -> int:
        return WORLD_FORCE

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj, self.resolved_in

    @property
    def parameters(self) -> tuple[float, ...]:
        return law_columns(self.force, CONSTANT)

    @property
    def laws_of_time(self) -> Sequence[Law]:
        return self.force
