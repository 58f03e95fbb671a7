"""The scenario in numbers: lock frames of the platform and of the modules, and the stages of the two halves of the sequence."""

from __future__ import annotations

import numpy as np
from clearance import HALF, Situation
from kinematics import Array, inverse, mated, pose, rotation
from search import Stage

GRID = 0.4
NEAR = 0.1  # m, straight motion off and onto a face


def platform(i: int, j: int) -> Array:
    """Pose of the lock frame `platform.XiYj`."""
    return pose(p=(GRID * i, GRID * j, 0.0))


def module_place(i: int, j: int, k: int) -> Array:
    """Pose of the module `boxXiYjZk` where its name says, k = 1 on the platform."""
    return pose(p=(GRID * i, GRID * j, GRID * (k - 0.5)))


def _frame(x: Array, z: Array) -> Array:
    return np.stack([x, np.cross(z, x), z], axis=1)


def face(name: str) -> Array:
    """Pose of a module's lock frame, "Xpos" ... "Zneg", in the module."""
    axis = "XYZ".index(name[0])
    z = np.eye(3)[axis] * (1.0 if name.endswith("pos") else -1.0)
    return pose(_frame(np.eye(3)[1 if axis == 0 else 0], z), HALF * z)


BOXES = {name: module_place(int(name[4]), int(name[6]), int(name[8])) for name in (
    "boxX1Y1Z1", "boxX1Y1Z2", "boxX1Y2Z1", "boxX1Y2Z2", "boxX5Y1Z1", "boxX5Y2Z1")}  # fmt: skip
TURNED = pose(rotation("y", np.pi))  # a module upside down, its Xpos face towards -x


def turned_place(i: int, j: int, k: int) -> Array:
    """Pose of a module turned over that stands at place i, j, k."""
    return module_place(i, j, k) @ TURNED


def shifted(T: Array, *p: float) -> Array:
    """A pose moved by `p` in the world."""
    out = T.copy()
    out[:3, 3] += p
    return out


def over(
    carried: Array, y: tuple[float, ...], angles: tuple[float, ...], x: tuple[float, ...], z: tuple[float, ...]
) -> list[Array]:
    """Poses of the free end on the way over the top: the module's centre at x, y, z, turned about y (0: upright)."""
    return [
        pose(rotation("y", a), (cx, cy, cz)) @ inverse(carried)
        for a in angles for cx in x for cy in y for cz in z
    ]  # fmt: skip


def without(modules: dict[str, Array], *names: str) -> dict[str, Array]:
    """The modules but those named."""
    return {name: T for name, T in modules.items() if name not in names}


def _carry(
    base: str, T_base: Array, source: str, target: Array, quarter: int, y_off: float, standing: dict[str, Array]
) -> tuple[list[Stage], list[Stage]]:
    """Stages up to the grasp of a module, and from there to its place and off it."""
    grasp = mated(BOXES[source] @ face("Xpos"), quarter)
    carried = inverse(grasp) @ BOXES[source]  # module in the free end's lock frame
    place = target @ inverse(carried)
    rest = without(standing, source)
    side = y_off * NEAR * 0.7
    up = NEAR * 0.7 if y_off else NEAR
    empty = Situation(base, T_base, standing)
    onto = Situation(base, T_base, standing, touching=frozenset({source}))
    near = Situation(base, T_base, rest, carried, frozenset(rest))
    free = Situation(base, T_base, rest, carried)
    placed = {**rest, source: target}
    off = Situation(base, T_base, placed, touching=frozenset({source}))
    first = [
        Stage("before the grasp", [shifted(grasp, NEAR, 0, 0)], empty),
        Stage("grasp", [grasp], onto),
    ]
    y = float(BOXES[source][1, 3])
    ys = (y, y - 0.15) if y < 0.6 else (y - 0.1, y, y + 0.15)
    second = [
        Stage("lifted", [shifted(grasp, 0, side, up)], near),
        Stage("over the top", over(carried, ys, (np.pi / 3, np.pi / 2, 2 * np.pi / 3), (1.0, 1.2, 1.4), (1.2, 1.35)), free),
        Stage("before the place", [shifted(place, 0, side, up)], free),
        Stage("place", [place], near),
        Stage("retreat", [shifted(place, -NEAR, 0, 0)], off),
    ]
    return first, second


def rest_poses(y: float) -> list[Array]:
    """Free poses of the end effector from which the sequence starts or at which it ends: pointing to -x, up, or to +x."""
    return [pose(rotation("y", a), (x, y, z)) for a in (-np.pi / 2, 0.0, np.pi / 2) for x in (0.9, 1.2) for z in (0.9, 1.2)]


def first_half(quarter: int) -> list[Stage]:
    """Stages while the blue end stands on `platform.X2Y2`: module boxX1Y1Z2, then the step to `platform.X3Y2`."""
    base = mated(platform(2, 2))
    target = turned_place(5, 1, 2)
    grasp, carry = _carry("blue", base, "boxX1Y1Z2", target, quarter, -1.0, BOXES)
    after = {**BOXES, "boxX1Y1Z2": target}
    lands = [mated(platform(3, 2), k) for k in range(4)]
    return [
        Stage("start", rest_poses(0.6), Situation("blue", base, BOXES)),
        *grasp,
        *carry,
        Stage("before the step", [shifted(T, 0, 0, NEAR) for T in lands], Situation("blue", base, after), weight=3.0),
        Stage("step", lands, Situation("blue", base, after, touching=frozenset({"platform"})), weight=3.0),
    ]


def second_half(quarter: int, T_W_blue: Array, T_W_green: Array) -> list[Stage]:
    """Stages while the green end stands on `platform.X3Y2`, from the ends' poses there: module boxX1Y2Z2, then away."""
    base = T_W_green
    target = turned_place(5, 2, 2)
    standing = {**BOXES, "boxX1Y1Z2": turned_place(5, 1, 2)}
    grasp, carry = _carry("green", base, "boxX1Y2Z2", target, quarter, 1.0, standing)
    lifting = Situation("green", base, standing, touching=frozenset({"platform"}))
    final = Situation("green", base, {**standing, "boxX1Y2Z2": target})
    return [
        Stage("stand", [T_W_blue], lifting),
        Stage("lifted off", [shifted(T_W_blue, 0, 0, NEAR)], lifting),
        *grasp,
        *carry,
        Stage("end", rest_poses(0.8), final),
    ]
