"""Rope: it pulls where it is taut, and does nothing where it is slack."""

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
from .declaration import NOTHING, Declaration, Row
from .kernel import act, dot, first_pose, integral, kernel, law, negate, point_velocity, scale, second_pose, subtract

ROW = Row(laws={"stiffness": 1}, numbers={"length": 1, "dissipation": 1})
TENSION, LENGTH, DISSIPATION = ROW.law("stiffness"), ROW.column("length"), ROW.column("dissipation")


@kernel
def line(table, k, at):
    """Return both ends, the unit vector from the first to the second, how much longer the rope is, and its rate."""
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    r = subtract(p_2, p_1)
    s = sqrt(dot(r, r))
    e = scale(1.0 / s if s > 0.0 else 0.0, r)
    v_1, _ = point_velocity(int(table[k, BODY_1]), p_1, at.p, at.v_W, at.w_W)
    v_2, _ = point_velocity(int(table[k, BODY_2]), p_2, at.p, at.v_W, at.w_W)
    return p_1, p_2, e, s - table[k, LENGTH], dot(e, subtract(v_2, v_1))


@kernel
def add_wrenches(table, k, at, wrenches):
    """Add the wrenches of row ``k`` to its bodies."""
    p_1, p_2, e, longer, rate = line(table, k, at)
    if longer > 0.0:
        force = scale(law(table, k, TENSION, longer) * max(1.0 + table[k, DISSIPATION] * rate, 0.0), e)
        act(int(table[k, BODY_1]), p_1, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)
        act(int(table[k, BODY_2]), p_2, negate(force), (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    """Return the potential energy of row ``k`` [J], zero where it is slack."""
    _, _, _, longer, _ = line(table, k, at)
    return integral(table, k, TENSION, longer) if longer > 0.0 else 0.0


@kernel
def loss(table, k, at):
    """Return the power that turns into heat in the rope [W]."""
    _, _, _, longer, rate = line(table, k, at)
    return law(table, k, TENSION, longer) * max(table[k, DISSIPATION] * rate, -1.0) * rate if longer > 0.0 else 0.0


@dataclass(frozen=True)
class RopeForce(ForceElement):
    """Rope, cable or tether between the origins of two frames: it pulls, and never pushes.

    With the distance s and ``x = s - length`` it pulls with ``stiffness(x)*max(1 + dissipation*der(s), 0)`` where x > 0, else
    not at all. So the force begins and ends at zero whatever the speed, which that of a damper does not. The law is that of
    Hunt and Crossley (Coefficient of Restitution Interpreted as Damping in Vibroimpact, 1975): a rope of constant stiffness
    that becomes taut at the speed v becomes slack at about ``v*(1 - 2/3*dissipation*v)`` for small ``dissipation*v``.

    Attributes:
        obj1, obj2: names of the two frames.
        length: of the rope without load, at least 0 [m].
        stiffness: [N/m], at least 0 (of Young's modulus E and section A: ``E*A/length``), or the force [N] as a function
            (a `Table1D`, a `Formula` or a Python function) of the elongation [m], at least 0 and 0 at 0.
        dissipation: of energy while it is taut, at least 0 [s/m].
    """

    obj1: str
    obj2: str
    length: float
    stiffness: Law
    dissipation: float = 0.0

    declared: ClassVar[Declaration] = Declaration(
        "Rope", row=ROW, wrench=add_wrenches, energy=energy, loss=loss, outer_power=NOTHING, needs_body="what is slack at times"
    )

    def __post_init__(self) -> None:
        checks.frame_name("Rope", "obj1", self.obj1)
        checks.frame_name("Rope", "obj2", self.obj2)
        object.__setattr__(self, "stiffness", checked_law("Rope", "stiffness", self.stiffness))
        for name in ("length", "dissipation"):
            object.__setattr__(self, name, checks.not_negative("Rope", name, getattr(self, name)))

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2
