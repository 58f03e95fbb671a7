"""Force from outside on a frame, constant or a function of time."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...scene.basics import checks
from ..basics.law import Law, laws3
from ..basics.layout import BODY_1
from .base import ForceElement
from .declaration import NOTHING, AtPoints, Declaration, Row
from .kernel import act, apply, dot, first_pose, kernel, law3, point_velocity, second_pose

ROW = Row(laws={"force": 3}, of_time=True)


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrench of row ``k`` to its body."""
    _, point = first_pose(table, k, at.R, at.p)
    R_W2, _ = second_pose(table, k, at.R, at.p)
    act(int(table[k, BODY_1]), point, apply(R_W2, law3(table, k, at.time)), (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def power(table, k, at):
    """Return the power of the force [W]."""
    _, point = first_pose(table, k, at.R, at.p)
    R_W2, _ = second_pose(table, k, at.R, at.p)
    v, _ = point_velocity(int(table[k, BODY_1]), point, at.p, at.v_W, at.w_W)
    return dot(apply(R_W2, law3(table, k, at.time)), v)


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

    declared: ClassVar[Declaration] = Declaration(
        "WorldForce",
        row=ROW,
        wrench=add_wrenches,
        energy=NOTHING,
        loss=NOTHING,
        outer_power=power,
        at_points=AtPoints.LOAD,
        from_equations="force",
        remedies={
            "objectApply": "Write obj=...",
            "objectCoord": "Write resolved_in=...",
            "forceFunction": "Write force=(Fx, Fy, Fz): each a number, function of time, Table1D, or expression of the model.",
        },
    )

    def __post_init__(self) -> None:
        checks.frame_name("WorldForce", "obj", self.obj)
        checks.text("WorldForce", "resolved_in", self.resolved_in)
        object.__setattr__(self, "force", laws3("WorldForce", "force", self.force, negative=True))

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj, self.resolved_in
