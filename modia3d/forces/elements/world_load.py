"""Force and torque from outside on a frame, constant or functions of time."""

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


@kernel
def load(table, k, at):
    """Return the body that row ``k`` acts on, the point in world, and its force or torque in world."""
    _, point = first_pose(table, k, at.R, at.p)
    R_W2, _ = second_pose(table, k, at.R, at.p)
    return int(table[k, BODY_1]), point, apply(R_W2, law3(table, k, at.time))


@kernel
def add_force(table, k, at, wrenches):
    """Add the force of row ``k`` to what acts on its body."""
    body, point, force = load(table, k, at)
    act(body, point, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def add_torque(table, k, at, wrenches):
    """Add the torque of row ``k`` to what acts on its body."""
    body, point, torque = load(table, k, at)
    act(body, point, (0.0, 0.0, 0.0), torque, at.R, at.p, wrenches)


@kernel
def power_of_force(table, k, at):
    """Return the power of the force [W]."""
    body, point, force = load(table, k, at)
    v, _ = point_velocity(body, point, at.p, at.v_W, at.w_W)
    return dot(force, v)


@kernel
def power_of_torque(table, k, at):
    """Return the power of the torque [W]."""
    body, point, torque = load(table, k, at)
    _, w = point_velocity(body, point, at.p, at.v_W, at.w_W)
    return dot(torque, w)


class _OnFrame:
    """Fields that a force and a torque on one frame share: the law is the field that may also come from the equations."""

    declared: ClassVar[Declaration]
    obj: str
    resolved_in: str

    def __post_init__(self) -> None:
        name, field = self.declared.name, self.declared.from_equations
        checks.frame_name(name, "obj", self.obj)
        checks.text(name, "resolved_in", self.resolved_in)
        object.__setattr__(self, field, laws3(name, field, getattr(self, field), negative=True))

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj, self.resolved_in


@dataclass(frozen=True)
class ExternalForce(_OnFrame, ForceElement):
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
        row=Row(laws={"force": 3}, of_time=True),
        wrench=add_force,
        energy=NOTHING,
        loss=NOTHING,
        outer_power=power_of_force,
        at_points=AtPoints.LOAD,
        from_equations="force",
        remedies={
            "objectApply": "Write obj=...",
            "objectCoord": "Write resolved_in=...",
            "forceFunction": "Write force=(Fx, Fy, Fz): each a number, function of time, Table1D, or expression of the model.",
        },
    )


@dataclass(frozen=True)
class ExternalTorque(_OnFrame, ForceElement):
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
        row=Row(laws={"torque": 3}, of_time=True),
        wrench=add_torque,
        energy=NOTHING,
        loss=NOTHING,
        outer_power=power_of_torque,
        needs_body="a torque",
        from_equations="torque",
        remedies={
            "objectApply": "Write obj=...",
            "objectCoord": "Write resolved_in=...",
            "torqueFunction": "Write torque=(Mx, My, Mz): each a number, function of time, Table1D, or expression.",
        },
    )
