"""Bushing: springs and dampers in three directions and about three axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from ..scene.basics import checks
from .base import ForceElement, frame_name
from .law import Law, law_columns, laws3
from .layout import BUSHING

LAWS = ("stiffness", "damping", "rotational_stiffness", "rotational_damping")
NOMINAL = ("nominal_force", "nominal_torque")


@dataclass(frozen=True)
class BushingForce(ForceElement):
    """Springs and dampers along and about the axes of ``obj1``, which act on ``obj2`` at its origin.

    The displacement is the position of ``obj2`` in ``obj1``. For the rotation there are three laws:

    - small angles (the default): the angles are the elements (3, 2), (1, 3), (2, 1) of ``R_12``, their rates the relative
      angular velocity, and the moments act about x, y, z of ``obj1``. Good below about 10 degrees.
    - ``large_angles``: Cardan angles (about x, then the new y, then the new z; the second one below a right angle), and each
      moment acts about the axis that its angle turns about. This and the law above are those of Modia3D's Bushing.
    - ``large_angles`` and ``work_conjugate``: the torque has the power ``sum of m_i * der(angle_i)`` with the moments m_i, so
      that springs keep the energy at any angle (the other laws do so for small angles only).

    Attributes:
        obj1, obj2: names of the two frames.
        stiffness, damping: along x, y, z [N/m, N.s/m], at least 0, or the forces [N] as functions of displacement [m] and
            velocity [m/s]: `Table1D`, `Formula` or Python functions.
        rotational_stiffness, rotational_damping: about x, y, z [N.m/rad, N.m.s/rad], at least 0, or the moments [N.m] as
            functions of angle [rad] and rate [rad/s].
        nominal_force, nominal_torque: what the springs pull with at zero displacement and rotation [N, N.m].
        large_angles, work_conjugate: see above.
    """

    obj1: str
    obj2: str
    stiffness: Sequence[Law] = (0.0, 0.0, 0.0)
    damping: Sequence[Law] = (0.0, 0.0, 0.0)
    rotational_stiffness: Sequence[Law] = (0.0, 0.0, 0.0)
    rotational_damping: Sequence[Law] = (0.0, 0.0, 0.0)
    nominal_force: Sequence[float] = (0.0, 0.0, 0.0)
    nominal_torque: Sequence[float] = (0.0, 0.0, 0.0)
    large_angles: bool = False
    work_conjugate: bool = False

    def __post_init__(self) -> None:
        owner = "Bushing"
        frame_name(owner, "obj1", self.obj1)
        frame_name(owner, "obj2", self.obj2)
        for name in LAWS:
            object.__setattr__(self, name, laws3(owner, name, getattr(self, name)))
        for name in NOMINAL:
            object.__setattr__(self, name, checks.vector3(owner, name, getattr(self, name)))
        for name in ("large_angles", "work_conjugate"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        if self.work_conjugate and not self.large_angles:
            raise ModelError(
                "work_conjugate of Bushing",
                found="True with large_angles=False",
                expected="a law for Cardan angles",
                remedy="Set large_angles=True.",
            )

    @property
    def kind(self) -> int:
        return BUSHING

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2

    @property
    def parameters(self) -> tuple[float, ...]:
        laws = [law for name in LAWS for law in getattr(self, name)]
        mode = float(self.large_angles) + float(self.work_conjugate)
        return (*law_columns(laws), *self.nominal_force, *self.nominal_torque, mode)
