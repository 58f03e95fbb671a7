"""Spring and damper between two points."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.basics import checks
from .base import ForceElement, frame_name
from .law import Law, law, law_columns
from .layout import SPRING_DAMPER


@dataclass(frozen=True)
class SpringDamperForce(ForceElement):
    """Spring and damper in parallel on the line between the origins of two frames.

    With the distance s it pulls with ``nominal_force + stiffness(s - nominal_length) + damping(der(s))``. Where the origins
    coincide the line has no direction: there is no force then.

    Attributes:
        obj1, obj2: names of the two frames.
        stiffness: spring constant [N/m], at least 0, or the spring's force [N] as a function (a `Table1D`, a
            `Formula` or a Python function) of its deflection [m].
        damping: damper constant [N.s/m], at least 0, or the damper's force [N] as a function of ``der(s)`` [m/s].
        nominal_length: distance at which the spring's deflection is 0, at least 0 [m].
        nominal_force: pretension [N].
    """

    obj1: str
    obj2: str
    stiffness: Law = 0.0
    damping: Law = 0.0
    nominal_length: float = 0.0
    nominal_force: float = 0.0

    def __post_init__(self) -> None:
        owner = "SpringDamperPtP"
        frame_name(owner, "obj1", self.obj1)
        frame_name(owner, "obj2", self.obj2)
        for field in ("stiffness", "damping"):
            object.__setattr__(self, field, law(owner, field, getattr(self, field)))
        object.__setattr__(self, "nominal_length", checks.not_negative(owner, "nominal_length", self.nominal_length))
        object.__setattr__(self, "nominal_force", checks.number(owner, "nominal_force", self.nominal_force))

    @property
    def kind(self) -> int:
        return SPRING_DAMPER

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2

    @property
    def parameters(self) -> tuple[float, ...]:
        return (*law_columns((self.stiffness, self.damping)), self.nominal_length, self.nominal_force)
