"""Bushing: springs and dampers in three directions and about three axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from ..scene import checks
from .base import ForceElement, frame_name
from .layout import BUSHING


@dataclass(frozen=True)
class BushingForce(ForceElement):
    """Springs and dampers along and about the axes of ``obj1``, which act on ``obj2`` at its origin.

    The displacement is the position of ``obj2`` in ``obj1``, the rotation its Cardan angles about x, y, z; the second
    one must stay below a right angle. The torque has the power
    ``sum of m_i * der(angle_i)`` with the moments m_i of spring and damper, so that springs keep the energy at any angle.

    Attributes:
        obj1, obj2: names of the two frames.
        stiffness, damping: along x, y, z [N/m, N.s/m], at least 0.
        rotational_stiffness, rotational_damping: about x, y, z [N.m/rad, N.m.s/rad], at least 0.
        nominal_force, nominal_torque: what the springs pull with at zero displacement and rotation [N, N.m].
    """

    obj1: str
    obj2: str
    stiffness: Sequence[float] = (0.0, 0.0, 0.0)
    damping: Sequence[float] = (0.0, 0.0, 0.0)
    rotational_stiffness: Sequence[float] = (0.0, 0.0, 0.0)
    rotational_damping: Sequence[float] = (0.0, 0.0, 0.0)
    nominal_force: Sequence[float] = (0.0, 0.0, 0.0)
    nominal_torque: Sequence[float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        frame_name("Bushing", "obj1", self.obj1)
        frame_name("Bushing", "obj2", self.obj2)
        for field in fields(self)[2:]:
            values = checks.vector3("Bushing", field.name, getattr(self, field.name))
            if not field.name.startswith("nominal"):
                for value in values:
                    checks.not_negative("Bushing", field.name, value)
            object.__setattr__(self, field.name, values)

    @property
    def kind(self) -> int:
        return BUSHING

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2

    @property
    def parameters(self) -> tuple[float, ...]:
        translation = (*self.stiffness, *self.damping, *self.nominal_force)
        return (*translation, *self.rotational_stiffness, *self.rotational_damping, *self.nominal_torque)
