"""Models that stand between flanges of joints: ideal gears, and forces along a sum of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from modiapy.library import rotational, translational
from modiapy.model.model import Model, Var

from .robot import Mimic, Tendon

FLANGES: dict[str, tuple[Any, str, str]] = {
    "revolute": (rotational.Flange, "phi", "tau"), "prismatic": (translational.Flange, "s", "f"),
}  # fmt: skip
"""Connector, coordinate and force of each kind of joint."""


def gear(mimic: Mimic, leader: str, follower: str) -> Model:
    """Return an ideal gear between joints of two kinds: positions in a fixed ratio, power is neither stored nor lost."""
    (flange_a, p_a, f_a), (flange_b, p_b, f_b) = FLANGES[leader], FLANGES[follower]
    return Model(
        ratio=mimic.ratio,
        offset=mimic.offset,
        flange_a=flange_a,
        flange_b=flange_b,
        equations=[f"flange_b.{p_b} = ratio*flange_a.{p_a} + offset", f"0 = flange_a.{f_a} + ratio*flange_b.{f_b}"],
    )


def pull(tendon: Tendon, kinds: Sequence[str]) -> Model:
    """Return a force along the sum of the coordinates of joints of these kinds, which is called ``length``."""
    entries: dict[str, Any] = {}
    lengths, forces = [], []
    for number, (kind, ratio) in enumerate(zip(kinds, tendon.ratios.values(), strict=True), 1):
        connector, coordinate, force = FLANGES[kind]
        entries |= {f"ratio_{number}": ratio, f"flange_{number}": connector}
        lengths.append(f"ratio_{number}*flange_{number}.{coordinate}")
        forces.append(f"flange_{number}.{force} = ratio_{number}*force")
    entries |= {f"k_{i}": value for i, value in enumerate(tendon.stiffness, 1) if value}
    entries |= {f"d_{i}": value for i, value in enumerate(tendon.damping, 1) if value}
    stiffness = [f"k_{i}*stretch**{i}" for i, value in enumerate(tendon.stiffness, 1) if value]
    powers = {1: "speed", 2: "abs(speed)*speed", 3: "speed**3"}
    damping = [f"d_{i}*{powers[i]}" for i, value in enumerate(tendon.damping, 1) if value]
    inertia = ["armature*der(speed)"] if tendon.armature else []
    entries |= {"armature": tendon.armature} if inertia else {}
    variables, equations = ["length", "force"], [f"length = {' + '.join(lengths)}"]
    if stiffness:
        lower, upper = tendon.rest
        entries |= {"lower": lower} if lower == upper else {"lower": lower, "upper": upper}
        slack = "length - upper if length > upper else length - lower if length < lower else 0.0"
        variables.append("stretch")
        equations.append(f"stretch = {'length - lower' if lower == upper else slack}")
    if damping or inertia:
        variables.append("speed")
        equations.append("speed = der(length)")
    equations += [f"force = {' + '.join(stiffness + damping + inertia)}", *forces]
    return Model(**entries, **{name: Var() for name in variables}, equations=equations)
