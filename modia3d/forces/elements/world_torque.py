"""Torque from outside on a frame, constant or a function of time."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...scene.basics import checks
from ..basics.law import Law, laws3
from ..basics.layout import BODY_1
from .base import ForceElement
from .declaration import NOTHING, Declaration, Row
from .kernel import act, apply, dot, first_pose, kernel, law3, point_velocity, second_pose

ROW = Row(laws={"torque": 3}, of_time=True)


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrench of row ``k`` to its body."""
    _, point = first_pose(table, k, at.R, at.p)
    R_W2, _ = second_pose(table, k, at.R, at.p)
    act(int(table[k, BODY_1]), point, (0.0, 0.0, 0.0), apply(R_W2, law3(table, k, at.time)), at.R, at.p, wrenches)


@kernel
def power(table, k, at):
    """Return the power of the torque [W]."""
    _, point = first_pose(table, k, at.R, at.p)
    R_W2, _ = second_pose(table, k, at.R, at.p)
    _, w = point_velocity(int(table[k, BODY_1]), point, at.p, at.v_W, at.w_W)
    return dot(apply(R_W2, law3(table, k, at.time)), w)


@dataclass(frozen=True)
class ExternalTorque(ForceElement):
    """A torque from outside that acts on a frame; nothing feels its reaction.

    Attributes:
        obj: name of the frame it acts on.
        torque: its components [N.m], numbers or functions of time [s] (`Table1D`, `Formula` or Python functions).
        resolved_in: name of the frame that these refer to; "" is the world.
    """

    obj: str
    torque: Sequence[Law]
    resolved_in: str = ""

    declared: ClassVar[Declaration] = Declaration(
        "WorldTorque",
        row=ROW,
        wrench=add_wrenches,
        energy=NOTHING,
        loss=NOTHING,
        outer_power=power,
        needs_body="a torque",
        from_equations="torque",
        remedies={
            "objectApply": "Write obj=...",
            "objectCoord": "Write resolved_in=...",
            "torqueFunction": "Write torque=(Mx, My, Mz): each a number, function of time, Table1D, or expression.",
        },
    )

    def __post_init__(self) -> None:
        checks.frame_name("WorldTorque", "obj", self.obj)
        checks.text("WorldTorque", "resolved_in", self.resolved_in)
        object.__setattr__(self, "torque", laws3("WorldTorque", "torque", self.torque, negative=True))

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj, self.resolved_in
