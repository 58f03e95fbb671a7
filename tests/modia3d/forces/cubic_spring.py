"""A force element from outside of the package, in one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from modia3d.forces import (
    BODY_1,
    BODY_2,
    NOTHING,
    Declaration,
    ForceElement,
    Row,
    act,
    add_element,
    dot,
    first_pose,
    kernel,
    negate,
    scale,
    second_pose,
    subtract,
)

ROW = Row(numbers={"stiffness": 1})
STIFFNESS = ROW.column("stiffness")


@kernel
def add_wrenches(table, k, at, wrenches):
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    r = subtract(p_2, p_1)
    force = scale(table[k, STIFFNESS] * dot(r, r), r)
    act(int(table[k, BODY_1]), p_1, force, (0.0, 0.0, 0.0), at.R, at.p, wrenches)
    act(int(table[k, BODY_2]), p_2, negate(force), (0.0, 0.0, 0.0), at.R, at.p, wrenches)


@kernel
def energy(table, k, at):
    _, p_1 = first_pose(table, k, at.R, at.p)
    _, p_2 = second_pose(table, k, at.R, at.p)
    r = subtract(p_2, p_1)
    return 0.25 * table[k, STIFFNESS] * dot(r, r) ** 2


@dataclass(frozen=True)
class CubicSpringForce(ForceElement):
    """It pulls with ``stiffness*s**3``.

    Attributes:
        obj1, obj2: full names of the two Object3Ds.
        stiffness: [N/m3].
    """

    obj1: str
    obj2: str
    stiffness: float

    declared: ClassVar[Declaration] = Declaration(
        "CubicSpring", row=ROW, wrench=add_wrenches, energy=energy, loss=NOTHING, outer_power=NOTHING
    )

    @property
    def frames(self) -> tuple[str, str]:
        return self.obj1, self.obj2


CubicSpring = add_element(CubicSpringForce)
