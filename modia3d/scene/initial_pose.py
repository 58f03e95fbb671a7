"""A wanted pose of a frame at the start, from which initial values of joints follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from . import checks


@dataclass(frozen=True)
class InitialPose:
    """Pose and velocity of a frame at the start of the simulation; the initial values of joints are computed from them.

    Attributes:
        obj: name of the frame.
        translation: position of its origin, in ``relative_to`` [m]; None: any.
        rotation: its orientation there: Cardan angles about x, the new y and the new z [rad], or the matrix; None: any.
        velocity, angular_velocity: relative to ``relative_to``, and resolved in it [m/s, rad/s]; None: the joints' speeds are
            used as they are.
        joints: names of the joints whose values are computed; their own initial values are the first guess. Empty: all joints
            of one coordinate between ``relative_to`` and ``obj``.
        relative_to: name of a frame; "" is the world.

    Raises:
        ModelError: a field has the wrong type or value; nothing is wanted.
    """

    obj: str
    translation: Sequence[float] | None = None
    rotation: Sequence[float] | Sequence[Sequence[float]] | None = None
    velocity: Sequence[float] | None = None
    angular_velocity: Sequence[float] | None = None
    joints: Sequence[str] = ()
    relative_to: str = ""

    def __post_init__(self) -> None:
        owner = "InitialPose"
        if not checks.text(owner, "obj", self.obj):
            raise ModelError("obj of InitialPose", found="an empty name", expected="the name of an Object3D")
        checks.text(owner, "relative_to", self.relative_to)
        for name in ("translation", "velocity", "angular_velocity"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.vector3(owner, name, getattr(self, name)))
        if self.rotation is not None:
            object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        if isinstance(self.joints, str) or not all(isinstance(name, str) and name for name in self.joints):
            raise ModelError("joints of InitialPose", found=repr(self.joints), expected="a list of names of joints")
        object.__setattr__(self, "joints", tuple(self.joints))
        if all(wanted is None for wanted in (self.translation, self.rotation, self.velocity, self.angular_velocity)):
            raise ModelError("InitialPose wants nothing", expected="translation, rotation, velocity or angular_velocity")
