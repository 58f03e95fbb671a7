"""Clearances of the arm and the module it carries: spheres along the arm against boxes, boxes against boxes.

All functions are vectorised over samples of a path. A clearance is a lower bound of the distance in m; negative means
penetration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from kinematics import ARM, JOINT_HEIGHTS, LENGTH, TIP, Array, end_pose, forward

HALF = 0.2  # half an edge of a module
RIM_RADIUS = 0.06  # of the flat face of an end effector
SPACING = 0.03  # of the spheres along the arm


@dataclass(frozen=True)
class Spheres:
    """Spheres fixed to links.

    Attributes, for n spheres: number of the link, centre in the link (n, 3) [m], radius [m], part of the arm (0 blue end
    effector, 1 and 2 the arm up to and from the elbow, 3 green end effector), height above the blue tip when stretched [m].
    """

    link: Array
    centre: Array
    radius: Array
    part: Array
    height: Array


def _arm_spheres() -> Spheres:
    """Spheres that cover the arm: end effectors, tubes, and the housings of the pitch joints."""
    rows: list[tuple[int, float, float, float, int]] = []  # link, height, offset along y, radius, part

    def tube(low: float, high: float, radius: float, part: int) -> None:
        count = int(np.ceil((high - low) / SPACING)) + 1
        heights = np.linspace(low, high, count)
        grown = float(np.hypot(radius, (heights[1] - heights[0]) / 2))
        rows.extend((sum(h > j + 1e-9 for j in JOINT_HEIGHTS), float(h), 0.0, grown, part) for h in heights)

    elbow = LENGTH / 2
    tube(0.075, TIP, 0.065, 0)
    tube(TIP, elbow, 0.055, 1)
    tube(elbow, elbow + ARM, 0.055, 2)
    tube(elbow + ARM, LENGTH - 0.075, 0.065, 3)
    for joint, part in ((1, 1), (3, 1), (5, 2)):
        rows.extend((joint, JOINT_HEIGHTS[joint], y, 0.075, part) for y in (-0.05, -0.025, 0.0, 0.025, 0.05))
    origin = (0.0, *JOINT_HEIGHTS)
    return Spheres(
        np.array([r[0] for r in rows]),
        np.array([[0.0, r[2], r[1] - origin[r[0]]] for r in rows]),
        np.array([r[3] for r in rows]),
        np.array([r[4] for r in rows]),
        np.array([r[1] for r in rows]),
    )


SPHERES = _arm_spheres()


def _self_pairs() -> tuple[Array, Array]:
    """Pairs of spheres that must not meet: of parts that are not neighbours, or of neighbours far from their common joint."""
    i, j = np.triu_indices(len(SPHERES.part), 1)
    gap = SPHERES.part[j] - SPHERES.part[i]
    joint = np.array([TIP, LENGTH / 2, LENGTH - TIP])[np.minimum(np.minimum(SPHERES.part[i], SPHERES.part[j]), 2)]
    near = np.minimum(np.abs(SPHERES.height[i] - joint), np.abs(SPHERES.height[j] - joint)) < 0.2
    keep = (np.abs(gap) >= 2) | ((np.abs(gap) == 1) & ~near)
    return i[keep], j[keep]


SELF_PAIRS = _self_pairs()


def point_box(points: Array, T_WB: Array) -> Array:
    """Signed distance of points (..., 3) from a module with pose `T_WB` (4, 4) or (..., 4, 4), broadcast."""
    local = np.einsum("...ji,...j->...i", T_WB[..., :3, :3], points - T_WB[..., :3, 3])
    outside = np.abs(local) - HALF
    return np.linalg.norm(np.maximum(outside, 0.0), axis=-1) + np.minimum(outside.max(axis=-1), 0.0)


def box_box(T_WA: Array, T_WB: Array) -> Array:
    """Largest gap (...,) between modules A (..., 4, 4) and B (4, 4) over 15 separating axes; negative: penetration."""
    R = np.swapaxes(T_WA[..., :3, :3], -1, -2) @ T_WB[:3, :3]
    p = np.einsum("...ji,...j->...i", T_WA[..., :3, :3], T_WB[:3, 3] - T_WA[..., :3, 3])
    eye = np.broadcast_to(np.eye(3), R.shape)
    columns = [eye[..., i] for i in range(3)] + [R[..., i] for i in range(3)]
    axes = columns + [np.cross(columns[i], columns[3 + j]) for i in range(3) for j in range(3)]
    best = np.full(R.shape[:-2], -np.inf)
    for axis in axes:
        norm = np.linalg.norm(axis, axis=-1)
        usable = norm > 1e-6
        n = axis / np.where(usable, norm, 1.0)[..., None]
        reach = HALF * (np.abs(n).sum(axis=-1) + np.abs(np.einsum("...ji,...j->...i", R, n)).sum(axis=-1))
        gap = np.abs((p * n).sum(axis=-1)) - reach
        best = np.where(usable, np.maximum(best, gap), best)
    return best


def box_platform(T_WB: Array) -> Array:
    """Height of the lowest corner of a module above the platform."""
    return T_WB[..., 2, 3] - HALF * np.abs(T_WB[..., 2, :3]).sum(axis=-1)


@dataclass(frozen=True)
class Situation:
    """What stands where during a leg.

    Attributes:
        base: end of the arm that stands, "blue" or "green".
        T_W_base: pose of its lock frame.
        modules: poses of the modules that stand.
        carried: pose of the carried module in the lock frame of the free end.
        touching: names of modules (or "platform") that the free end or the carried module touches at an end of the leg; there a
            clearance of zero is allowed.
    """

    base: str
    T_W_base: Array
    modules: dict[str, Array]
    carried: Array | None = None
    touching: frozenset[str] = frozenset()

    @property
    def free(self) -> str:
        """The end of the arm that does not stand."""
        return "green" if self.base == "blue" else "blue"


@dataclass(frozen=True)
class Clearance:
    """Smallest clearances (m) per sample: `apart` of what must stay apart, `contact` of what may touch."""

    apart: Array
    contact: Array


def clearances(q: Array, situation: Situation) -> Clearance:
    """Clearances (n,) of the arm at joint angles `q` (n, 7) in a situation."""
    T = forward(q, situation.base, situation.T_W_base)
    on_link = T[:, SPHERES.link]
    centres = np.einsum("nsij,sj->nsi", on_link[..., :3, :3], SPHERES.centre) + on_link[..., :3, 3]
    tip = end_pose(T, situation.free)
    angles = np.arange(8) * np.pi / 4
    rim = np.stack([RIM_RADIUS * np.cos(angles), RIM_RADIUS * np.sin(angles), np.zeros(8)], axis=1)
    rim_W = np.einsum("nij,kj->nki", tip[:, :3, :3], rim) + tip[:, None, :3, 3]
    standing = 0 if situation.base == "blue" else 3
    tip_part = SPHERES.part == 3 - standing
    bare = (SPHERES.part != standing) & ~tip_part

    i, j = SELF_PAIRS
    between = np.linalg.norm(centres[:, i] - centres[:, j], axis=-1) - SPHERES.radius[i] - SPHERES.radius[j]
    apart = [between.min(axis=1), (centres[:, bare, 2] - SPHERES.radius[bare]).min(axis=1)]
    contact: list[Array] = []
    group = contact if "platform" in situation.touching else apart
    group.append((centres[:, tip_part, 2] - SPHERES.radius[tip_part]).min(axis=1))
    group.append(rim_W[:, :, 2].min(axis=1))
    for name, T_WB in situation.modules.items():
        gaps = point_box(centres, T_WB) - SPHERES.radius
        apart.append(gaps[:, ~tip_part].min(axis=1))
        group = contact if name in situation.touching else apart
        group.append(gaps[:, tip_part].min(axis=1))
        group.append(point_box(rim_W, T_WB).min(axis=1))
    if situation.carried is not None:
        T_WC = tip @ situation.carried
        apart.append((point_box(centres[:, ~tip_part], T_WC[:, None]) - SPHERES.radius[~tip_part]).min(axis=1))
        apart.append(box_platform(T_WC))
        for name, T_WB in situation.modules.items():
            (contact if name in situation.touching else apart).append(box_box(T_WC, T_WB))
    nothing = np.full(len(q), np.inf)
    return Clearance(np.min(apart, axis=0), np.min(contact, axis=0) if contact else nothing)


def on_leg(start: Array, end: Array, situation: Situation, step: float = 0.01) -> tuple[float, float]:
    """Smallest clearances `(apart, contact)` [m] on the straight line in joint space.

    It is sampled so that no joint moves by more than `step` rad from one sample to the next.
    """
    count = max(2, int(np.ceil(np.abs(end - start).max() / step)) + 1)
    found = clearances(start + np.linspace(0, 1, count)[:, None] * (end - start), situation)
    return float(found.apart.min()), float(found.contact.min())
