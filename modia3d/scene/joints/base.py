"""Base of all joints: two frames, coordinates and speeds, and the motion that these mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar

import numpy as np

from modiapy.model.errors import ModelError

from ..basics import checks
from ..basics.directions import Direction

JointState = tuple[tuple[float, ...], tuple[float, ...]]
"""Coordinates and speeds of a joint."""


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Motion of frame 2 relative to frame 1.

    Attributes:
        R_12, p_12_1: pose, shapes (3, 3), (3,) [m].
        v_12_1: velocity of the origin of 2 seen from 1, in 1, shape (3,) [m/s].
        w_12_1: angular velocity relative to 1, in 1, shape (3,) [rad/s].
    """

    R_12: np.ndarray
    p_12_1: np.ndarray
    v_12_1: np.ndarray
    w_12_1: np.ndarray

    def inverse(self) -> RelativeMotion:
        """Return the motion of 1 relative to 2."""
        R_21 = self.R_12.T
        v_21 = R_21 @ (np.cross(self.w_12_1, self.p_12_1) - self.v_12_1)
        return RelativeMotion(R_21, -R_21 @ self.p_12_1, v_21, -R_21 @ self.w_12_1)


Vector = tuple[float, float, float]
Rotation = tuple[float, float, float, float, float, float, float, float, float]
"""Rows of a rotation matrix, one behind the other."""
Columns = tuple[tuple[Vector, Vector], ...]
"""Columns of a motion subspace: angular and linear."""


@dataclass(frozen=True)
class Kinematics:
    """Kinematics of a kind of joint for the dynamics; the functions are plain Python, from which kernels are made.

    Attributes:
        n_q, n_v: numbers of coordinates (with a quaternion, where an orientation is among them) and of speeds.
        pose: ``(q, k, parameter, orientation)`` -> ``R_JB`` and ``p_JB_J`` at the coordinates ``q[k:]``.
        columns: ``(R_JB, parameter)`` -> the motion subspace in J.
        orientation_at: where among coordinates and speeds those of an orientation begin (`layout.SEQUENCES`); -1: nowhere.
        turned_by: pairs (j, i): column j turns relative to J about column i, an axis fixed in J, as that moves. All other
            columns are fixed in J or in B.
    """

    n_q: int
    n_v: int
    pose: Callable[[Sequence[float], int, float, int], tuple[Rotation, Vector]]
    columns: Callable[[Rotation, float], Columns]
    orientation_at: int = -1
    turned_by: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class ElementaryMotion:
    """One of the motions of one coordinate that a joint consists of.

    Attributes:
        slides: a translation along the axis, else a rotation about it.
        axis: 0, 1, 2: axis of the joint frame J, as the motions before have turned it.
        coordinate, speed: names of both.
    """

    slides: bool
    axis: int
    coordinate: str
    speed: str


@dataclass(frozen=True)
class Joint(ABC):
    """A joint between the frames ``obj1`` and ``obj2``, which coincide where all coordinates are zero.

    Attributes:
        cut: in a loop of joints it is the one that is cut: no joint of the tree, but a constraint. Where no joint says so, the
            engine chooses, see `modia3d.topology.cuts`. A joint with a flange or limits is never cut.
        fixed: its initial coordinates and speeds are kept where loops are closed at the start; otherwise they are guesses. Not
            for joints with a flange: what has ``Var(init=...)`` is kept, ``Var(start=...)`` is a guess.
        can_collide: the two bodies that it joins directly may touch each other, see `modia3d.topology.neighbours`. None: what
            slides on something that is fixed in the world may, nothing else.
        kind: name of the kind (`modia3d.dynamics.joints.kinds`; "fixed" has no coordinates).
        kinematics: of the kind; None of those that have kernels of their own, or no coordinates.
        directions: what it demands where it closes a loop, see `modia3d.scene.basics.directions`.
        parallel: axes that have the same direction in both frames. The cosines of angles vanish where some are opposite, too.
        turns: whether it moves what has inertia, but no mass.
        angles: places of the coordinates that are angles: a full turn of one of them changes no pose.
        motions: the motions that it consists of, one after the other from obj1 to obj2; each has a flange where the joint has
            flanges (`modia3d.scene.flanges`). None: it cannot have any.
        shape: fields of a joint with flanges besides frames, coordinates and speeds, with their defaults there.
        note: what the documentation of the joint with flanges says besides.
        in_equations: what there is for equations that refer to a joint without flange.
    """

    obj1: str
    obj2: str
    cut: bool = field(default=False, kw_only=True)
    fixed: bool = field(default=False, kw_only=True)
    can_collide: bool | None = field(default=None, kw_only=True)

    kind: ClassVar[str]
    directions: ClassVar[tuple[Direction, ...]]
    parallel: ClassVar[tuple[int, ...]] = ()
    kinematics: ClassVar[Kinematics | None] = None
    turns: ClassVar[bool] = False
    angles: ClassVar[tuple[int, ...]] = ()
    motions: ClassVar[tuple[ElementaryMotion, ...]] = ()
    shape: ClassVar[Mapping[str, object]] = {}
    note: ClassVar[str] = ""
    in_equations: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.motions:
            name, flanges = cls.__name__.removesuffix("Joint"), ", ".join(cls.flanges().values())
            several = "s" if len(cls.motions) > 1 else ""
            variables = " and ".join([", ".join(s.coordinate for s in cls.motions), ", ".join(s.speed for s in cls.motions)])
            cls.in_equations = f"{name}WithFlange{several} has the connector{several} {flanges} and the variables {variables}."

    @classmethod
    def flanges(cls) -> dict[str, str]:
        """Return the coordinate -> name of its connector, in the joint with flanges."""
        if len(cls.motions) == 1:
            return {cls.motions[0].coordinate: "flange"}
        return {motion.coordinate: f"flange_{motion.coordinate}" for motion in cls.motions}

    @property
    def slides(self) -> bool:
        """Return whether the coordinate of a joint that has one is a distance, so that a flange exerts a force, or an angle."""
        return self.motions[0].slides

    def order(self) -> tuple[ElementaryMotion, ...]:
        """Return ``motions`` in the order in which this very joint makes them."""
        return self.motions

    def __post_init__(self) -> None:
        owner = type(self).__name__.removesuffix("Joint")
        for name in ("obj1", "obj2"):
            if not checks.text(owner, name, getattr(self, name)):
                raise ModelError(f"{name} of {owner} is wrong", found="an empty name", expected="the name of an Object3D")
        for name in ("cut", "fixed") if self.can_collide is None else ("cut", "fixed", "can_collide"):
            object.__setattr__(self, name, checks.truth(owner, name, getattr(self, name)))
        self.check(owner)
        if self.cut and self.always_in_tree:
            raise ModelError(
                f"{owner} cannot have cut=True",
                found=f"True, of a joint with {'a flange' if self.driven else 'limits'}",
                expected="False: such a joint is never cut",
                remedy="Cut another joint of the loop, or leave the choice to the engine.",
            )
        if self.fixed and self.driven:
            raise ModelError(
                f"{owner} cannot have fixed=True",
                found="True, of a joint with a flange",
                expected="False: its coordinate is a variable of the equations",
                remedy="Write its initial value as Var(init=...); Var(start=...) is a guess.",
            )

    @abstractmethod
    def check(self, owner: str) -> None:
        """Check the fields and bring them into their stored form."""

    @property
    def driven(self) -> bool:
        """True if the coordinate is a variable of the equations (a joint with a flange)."""
        return False

    @property
    def always_in_tree(self) -> bool:
        """True if it is never cut: its coordinate must be one, of the equations or for its limits."""
        return self.driven

    @property
    def orientation(self) -> str:
        """Return how the coordinates describe an orientation: "quaternion", a Cardan sequence, "auto"; "" where there is
        none.
        """
        return ""

    @property
    def parameter(self) -> float:
        """Number that the kind needs, see `modia3d.dynamics.basics.layout.PARAMETER`."""
        return 0.0

    def state_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names of the coordinates and of the speeds, relative to the joint: those of its motions, unless an
        orientation is described otherwise.
        """
        return tuple(motion.coordinate for motion in self.motions), tuple(motion.speed for motion in self.motions)

    @abstractmethod
    def axes(self) -> np.ndarray:
        """Return ``R_1J`` = ``R_2J`` (3, 3): axes of the joint frame J in both frames."""

    def start(self, sequence: str) -> JointState:
        """Return the initial coordinates and speeds, the fields of these names; ``sequence`` says how an orientation is
        described.
        """
        q, v = self.state_names()
        return tuple(getattr(self, name) for name in q), tuple(getattr(self, name) for name in v)

    @abstractmethod
    def motion(self, q: Sequence[float], v: Sequence[float], sequence: str) -> RelativeMotion:
        """Return the motion of ``obj2`` relative to ``obj1`` at coordinates and speeds."""

    @abstractmethod
    def state_from(self, motion: RelativeMotion, near: Sequence[float], sequence: str) -> JointState:
        """Return the coordinates and speeds of a motion that the joint allows: the inverse of `motion`.

        What the joint does not allow is left out. Of angles and quaternions that mean the same the ones nearest to ``near``.

        Args:
            motion: of ``obj2`` relative to ``obj1``.
            near: coordinates, described as ``sequence`` says, as the result.
            sequence: how an orientation is described.
        """

    def set_states(self, owner: str) -> None:
        """Store the initial coordinates and speeds as floats."""
        for name in chain(*self.state_names()):
            object.__setattr__(self, name, checks.number(owner, name, getattr(self, name)))

    def set_axis(self, owner: str, name: str = "axis") -> None:
        """Store an axis as a unit vector."""
        object.__setattr__(self, name, checks.unit_vector(owner, name, getattr(self, name)))
