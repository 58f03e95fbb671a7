"""Spring and damper between two points."""

# mypy: disallow-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from ...scene.basics import checks
from ..basics.law import Law
from ..basics.law import law as checked_law
from ..basics.layout import BODY_1, BODY_2
from .base import ForceElement
from .declaration import NOTHING, AtPoints, Declaration, Row
from .kernel import act, dot, first_pose, integral, kernel, law, negate, point_velocity, scale, second_pose, subtract

ROW = Row(laws={"stiffness": 1, "damping": 1}, numbers={"nominal_length": 1, "nominal_force": 1})
SPRING, DAMPER = ROW.law("stiffness"), ROW.law("damping")
LENGTH, FORCE = ROW.column("nominal_length"), ROW.column("nominal_force")


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrenches of row ``k`` to its bodies."""
    one, two = int(table[k, BODY_1]), int(table[k, BODY_2])
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    r = subtract(p_2, p_1)
    length = sqrt(dot(r, r))
    if length > 0.0:
        e = scale(1.0 / length, r)
        v_1, _ = point_velocity(one, p_1, at.p, at.v_W, at.w_W)
        v_2, _ = point_velocity(two, p_2, at.p, at.v_W, at.w_W)
        pull = table[k, FORCE] + law(table, k, SPRING, length - table[k, LENGTH])
        force = scale(pull + law(table, k, DAMPER, dot(e, subtract(v_2, v_1))), e)
        act(one, p_1, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)
        act(two, p_2, negate(force), (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J], zero at the nominal length."""
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    r = subtract(p_2, p_1)
    longer = sqrt(dot(r, r)) - table[k, LENGTH]
    return longer * table[k, FORCE] + integral(table, k, SPRING, longer)


@kernel
def loss(table, k, at):
    """Return the power that the damper takes [W]."""
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    v_1, _ = point_velocity(int(table[k, BODY_1]), p_1, at.p, at.v_W, at.w_W)
    v_2, _ = point_velocity(int(table[k, BODY_2]), p_2, at.p, at.v_W, at.w_W)
    r = subtract(p_2, p_1)
    length = sqrt(dot(r, r))
    if length == 0.0:
        return 0.0
    rate = dot(r, subtract(v_2, v_1)) / length
    return law(table, k, DAMPER, rate) * rate


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

    declared: ClassVar[Declaration] = Declaration(
        "SpringDamperPtP",
        row=ROW,
        wrench=add_wrenches,
        energy=energy,
        loss=loss,
        outer_power=NOTHING,
        at_points=AtPoints.LINE,
        remedies={"springForceLaw": "Write stiffness=...", "damperForceLaw": "Write damping=..."},
    )

    def __post_init__(self) -> None:
        owner = "SpringDamperPtP"
        checks.frame_name(owner, "obj1", self.obj1)
        checks.frame_name(owner, "obj2", self.obj2)
        for field in ("stiffness", "damping"):
            object.__setattr__(self, field, checked_law(owner, field, getattr(self, field)))
        object.__setattr__(self, "nominal_length", checks.not_negative(owner, "nominal_length", self.nominal_length))
        object.__setattr__(self, "nominal_force", checks.number(owner, "nominal_force", self.nominal_force))

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2
