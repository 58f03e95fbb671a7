"""Conditions of mating of two lock frames: origins together, z axes opposite, a mating position about z, no relative motion."""

from __future__ import annotations

import math
import operator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from modiapy.model.errors import ModelError

from ..scene.basics.checks import LARGEST
from ..scene.joints import JointState
from ..scene.scene_feature import MatingTolerance
from .graph import SceneGraph
from .motion import WORLD_AT_REST, FrameMotion

Vector = tuple[float, float, float]


@cache
def _relate() -> Any:
    """Return the kernel, which is imported when it is needed first."""
    from .forest_kernel import relate

    return relate.call


def _relation(a: FrameMotion, b: FrameMotion) -> list[float]:
    """See `forest_kernel.relate`. ``R_AB`` is orthonormal to rounding: else errors would double with every lock of a chain."""
    out = np.empty(14)
    _relate()(*a, *b, out)
    return out.tolist()  # type: ignore[no-any-return]


def relative_pose(a: FrameMotion, b: FrameMotion) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return ``R_AB`` (9, row-major, orthonormal to rounding) and ``p_AB_A`` (3) of two frames in motion."""
    numbers = _relation(a, b)
    return tuple(numbers[:9]), tuple(numbers[9:12])


def check_mating(
    tolerance: MatingTolerance, name_a: str, a: FrameMotion, name_b: str, b: FrameMotion
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Refuse two frames that do not mate.

    The twist is the angle of B's x axis about A's z axis: with opposite z axes ``R_AB = R_z(twist) R_x(pi)``.

    Returns:
        their `relative_pose`.

    Raises:
        ModelError: with both frames and all measured differences.
    """
    *numbers, speed, turning = _relation(a, b)
    R, p = tuple(numbers[:9]), tuple(numbers[9:])
    distance = math.hypot(*p)
    z_angle = math.atan2(math.hypot(R[2], R[5]), -R[8])
    twist = math.atan2(R[3], R[0])
    if tolerance.symmetry == 0:
        twist = 0.0
    else:
        step = 2.0 * math.pi / tolerance.symmetry
        twist = abs(twist - step * round(twist / step))
    measured = distance, z_angle, twist, speed, turning
    limits = tolerance.position, tolerance.z_angle, tolerance.twist_angle, tolerance.velocity, tolerance.angular_velocity
    if all(map(operator.le, measured, limits)):
        return R, p
    texts = (
        ("distance of the origins", "mm"),
        ("angle between the z axis of one and the opposite of the other", "mrad"),
        ("twist about z", "mrad"),
        ("relative velocity", "mm/s"),
        ("relative angular velocity", "mrad/s"),
    )
    found = [
        f"{what} {1e3 * value:.4g} {unit}" + ("" if value <= limit else f" (more than {1e3 * limit:.4g})")
        for (what, unit), value, limit in zip(texts, measured, limits, strict=True)
    ]
    symmetry = f", twist a multiple of {360.0 / tolerance.symmetry:g} deg" if tolerance.symmetry else ""
    raise ModelError(
        f"{name_a} and {name_b} do not mate",
        path=name_a,
        found=", ".join(found),
        expected=f"origins together, z axes opposite{symmetry}, no relative motion, within the tolerances of the scene",
        remedy="Bring them together before, or change Scene(mating=MatingTolerance(...)).",
    )


class Anywhere:
    """A present in which all frames are in one place and joints at rest as declared, for edits where only the structure
    matters; see `where_all_mates`."""

    def __init__(self, graph: SceneGraph) -> None:
        self._graph = graph

    def motion_of(self, name: str) -> FrameMotion:
        """See `Present`."""
        return WORLD_AT_REST

    def state_of(self, name: str) -> JointState:
        """See `Present`."""
        joint = self._graph.joints[self._graph.joint_index(name)].joint
        sequence = {"": "quaternion", "auto": "xyz"}.get(joint.orientation, joint.orientation)
        q, v = joint.start(sequence)
        return q, (0.0,) * len(v)


def where_all_mates(graph: SceneGraph) -> SceneGraph:
    """Return the graph with tolerances that all frames meet."""
    return replace(graph, scene=replace(graph.scene, mating=_ANYTHING))


_ANYTHING = MatingTolerance(position=LARGEST, z_angle=4.0, velocity=LARGEST, angular_velocity=LARGEST, symmetry=0)
