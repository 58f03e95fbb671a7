"""A robot as URDF and MJCF have it: links and joints of a tree, and what closes loops of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np

from modiapy.model.errors import ModelError
from modiapy.model.model import Par

from ...scene import constructors as make
from ...scene.basics.rotations import coordinates_of

WORLD = "world"


SHAPES: Mapping[str, tuple[Callable[..., Par], int]] = {
    "box": (make.Box, 3),
    "sphere": (make.Sphere, 1),
    "ellipsoid": (make.Ellipsoid, 3),
    "cylinder": (partial(make.Cylinder, axis="z"), 2),
    "capsule": (partial(make.Capsule, axis="z"), 2),
}
"""Shape by its name, and how many sizes it has [m]: edges of a box; diameters, then the length along z."""


def visual_material(red: float, green: float, blue: float, opacity: float) -> Par:
    """Return a color; each part is a number from 0 to 1."""
    return make.VisualMaterial(color=[red, green, blue], **({"transparency": 1.0 - opacity} if opacity != 1.0 else {}))


class SourceLocation(Protocol):
    """Place of something in a file."""

    def error(self, message: str, **details: Any) -> ModelError:
        """Return an error at this place."""


@dataclass(frozen=True)
class Place:
    """Place in a file whose lines are not known: the path of an element."""

    file: str
    path: str

    def error(self, message: str, **details: Any) -> ModelError:
        """Return an error at this element."""
        return ModelError(message, **{"path": self.path, "file": self.file, **details})


@dataclass(frozen=True)
class Pose:
    """``R_AB`` (3, 3) and ``p_AB_A`` (3,) of a frame B in a frame A."""

    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.p + self.R @ other.p)

    def inverse(self) -> Pose:
        """Return the pose of A in B."""
        return Pose(self.R.T, -self.R.T @ self.p)

    def fields(self) -> dict[str, Any]:
        """Return the fields ``translation`` and ``rotation`` of an `Object3D`; what is zero is left out."""
        rotation = [] if np.array_equal(self.R, np.eye(3)) else list(coordinates_of("xyz", self.R))
        values = {"translation": self.p.tolist(), "rotation": rotation}
        return {key: [float(x) + 0.0 for x in value] for key, value in values.items() if any(value)}


@dataclass(eq=False)
class Inertial:
    """Mass [kg], center of mass in the link frame [m] and inertia matrix about it, resolved in the link frame [kg.m2]."""

    mass: float
    center: np.ndarray
    matrix: np.ndarray


@dataclass(eq=False)
class Visual:
    """A shape that is seen on a link: a call of its constructor, its pose in the link frame, its material."""

    shape: Par
    pose: Pose
    material: Par | None


@dataclass(eq=False)
class Collision:
    """A shape of a link that collides: as `Visual`; its name in the file, "" if it has none; its group, "" if it needs none."""

    shape: Par
    pose: Pose
    name: str = ""
    group: str = ""


@dataclass(eq=False)
class Link:
    """A rigid body with a frame. ``frames`` are further frames on it, by name."""

    name: str
    location: SourceLocation
    inertial: Inertial | None = None
    visuals: list[Visual] = field(default_factory=list)
    collisions: list[Collision] = field(default_factory=list)
    frames: dict[str, Pose] = field(default_factory=dict)


@dataclass(eq=False)
class Mimic:
    """The coordinate of a joint is ``ratio`` times that of the joint ``leader`` plus ``offset``."""

    leader: str
    ratio: float
    offset: float


@dataclass(eq=False)
class RobotJoint:
    """Joint of the tree of links of a robot.

    Attributes:
        kind: "fixed", "revolute", "prismatic", "spherical", "planar" or "floating".
        pose: of the joint frame in the parent link.
        anchor: origin of the joint frame in the child link, whose axes are parallel to it at the coordinate zero [m].
        axis: in the joint frame.
        limits: of the coordinate [rad or m]; None: none.
        start: initial coordinate.
        damping, stiffness, rest: coefficients of a torque (force) ``-w*(d1 + d2*|w| + ...)`` and of one
            ``-x*(k1 + k2*x + ...)`` with ``x = phi - rest``.
        armature: inertia that belongs to the joint's coordinate.
        yields: whether the spring becomes longer for ever beyond a force, which no model has.
        mimic: what the coordinate follows.
        can_collide: whether the shapes of both links collide with each other.
    """

    name: str
    kind: str
    parent: str
    child: str
    location: SourceLocation
    pose: Pose = field(default_factory=Pose)
    anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    limits: tuple[float, float] | None = None
    start: float = 0.0
    damping: Sequence[float] = ()
    stiffness: Sequence[float] = ()
    rest: float = 0.0
    armature: float = 0.0
    yields: bool = False
    mimic: Mimic | None = None
    can_collide: bool = False

    @property
    def acted_on(self) -> list[str]:
        """Elements that act on the coordinate and take a flange to act there."""
        return acting(self) + (["mimic"] if self.mimic else [])


@dataclass(eq=False)
class Tendon:
    """A force along a sum of coordinates of joints, each times its ratio.

    Attributes:
        ratios: of revolute and prismatic joints, by name.
        stiffness, damping: coefficients, as those of a `RobotJoint`, of the sum and its derivative.
        rest: the spring is without force from the first length to the second.
        armature: inertia that belongs to the sum.
    """

    name: str
    location: SourceLocation
    ratios: dict[str, float]
    stiffness: Sequence[float] = ()
    damping: Sequence[float] = ()
    rest: tuple[float, float] = (0.0, 0.0)
    armature: float = 0.0


def acting(one: RobotJoint | Tendon) -> list[str]:
    """Return the elements that act on the coordinate of a joint or along a tendon, in words."""
    return [name for name in ("damping", "stiffness", "armature") if np.any(getattr(one, name))]


@dataclass(eq=False)
class LoopConstraint:
    """Loop constraint: two frames stay together, "fixed", or their origins alone, "spherical".

    Attributes:
        links: that have the frames. poses: of the frames in them.
    """

    name: str
    kind: str
    links: tuple[str, str]
    poses: tuple[Pose, Pose]


@dataclass(eq=False)
class Robot:
    """Links and joints; ``root`` is the link that is no joint's child. ``gravity`` in the root's frame [m/s2].

    ``no_contact`` are pairs of groups of shapes that do not collide.
    """

    name: str
    root: str
    links: dict[str, Link]
    joints: list[RobotJoint]
    gravity: Sequence[float] = (0.0, 0.0, -9.81)
    loops: Sequence[LoopConstraint] = ()
    no_contact: Sequence[tuple[str, str]] = ()
    tendons: Sequence[Tendon] = ()


def tree_order(robot: Robot) -> list[str]:
    """Return the names of all links, parents first."""
    children: dict[str, list[str]] = {name: [] for name in robot.links}
    for joint in robot.joints:
        children[joint.parent].append(joint.child)
    order = [robot.root]
    for name in order:
        order += children[name]
    return order
