"""The scene: gravity, and when two lock frames are taken to mate. The frame that carries it is the world."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

from modiapy.model.errors import ModelError

from .basics import checks
from .gravity import Gravity, GravityPool, NoGravity, PointGravity, UniformGravity, UserGravity


@dataclass(frozen=True)
class MatingTolerance:
    """How far two lock frames may be from the exact mating pose when they are attached.

    Attributes:
        position: distance of the origins [m].
        z_angle: angle between one z axis and the opposite of the other [rad].
        twist_angle: angle about z to the nearest multiple of 360 deg / ``symmetry`` [rad].
        velocity: relative velocity of the origins [m/s].
        angular_velocity: relative angular velocity [rad/s].
        symmetry: number of mating positions in a full turn about z; 0 means any angle.
    """

    position: float = 1e-3
    z_angle: float = 1e-3
    twist_angle: float = 1e-3
    velocity: float = 1e-3
    angular_velocity: float = 1e-3
    symmetry: int = 4

    def __post_init__(self) -> None:
        for item in fields(self)[:-1]:
            object.__setattr__(self, item.name, checks.not_negative("MatingTolerance", item.name, getattr(self, item.name)))
        symmetry = checks.not_negative("MatingTolerance", "symmetry", self.symmetry)
        if symmetry != int(symmetry):
            raise ModelError("symmetry of MatingTolerance", found=repr(self.symmetry), expected="a whole number")
        object.__setattr__(self, "symmetry", int(symmetry))


@dataclass(frozen=True)
class SceneFeature:
    """Global properties of a scene; its `Object3D` is the world.

    Attributes:
        gravity: gravity field, in world coordinates.
        mating: tolerances for attaching two lock frames.
    """

    gravity: Gravity = field(default_factory=UniformGravity)
    mating: MatingTolerance = field(default_factory=MatingTolerance)

    def __post_init__(self) -> None:
        fields_of_gravity = UniformGravity, NoGravity, PointGravity, UserGravity, GravityPool
        checks.instance("Scene", "gravity", self.gravity, *fields_of_gravity)
        checks.instance("Scene", "mating", self.mating, MatingTolerance)
