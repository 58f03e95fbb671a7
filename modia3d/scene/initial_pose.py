"""A wanted pose of a frame at the start, from which initial values of joints and free bodies follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .basics import checks

Components = Sequence[float | None]
"""Three numbers, None for one that may be anything."""


@dataclass(frozen=True)
class InitialPose:
    """Pose and velocity of a frame at the start of the simulation; initial values of joints and free bodies follow from them.

    Attributes:
        obj: name of the frame.
        translation: position of its origin, in ``relative_to`` [m]; a component that is None is free, None alone all three.
        rotation: its orientation there: Cardan angles about x, the new y and the new z [rad], or the matrix; None: any.
        velocity, angular_velocity: relative to ``relative_to``, and resolved in it [m/s, rad/s]; components may be None; None
            alone: the speeds of joints and free bodies stay.
        joints: names of the joints, and of the Object3Ds that are free, whose values are computed. Empty: all that carry
            ``obj`` but not ``relative_to`` (all that carry ``relative_to`` but not ``obj`` where there are none).
        fixed: names of those among them that keep their own initial values, also for other poses.
        relative_to: name of a frame; "" is the world.

    Raises:
        ModelError: a field has the wrong type or value; nothing is wanted.
    """

    obj: str
    translation: Components | None = None
    rotation: Sequence[float] | Sequence[Sequence[float]] | None = None
    velocity: Components | None = None
    angular_velocity: Components | None = None
    joints: Sequence[str] = ()
    relative_to: str = ""
    fixed: Sequence[str] = ()

    def __post_init__(self) -> None:
        owner = "InitialPose"
        if not checks.text(owner, "obj", self.obj):
            raise ModelError("obj of InitialPose is wrong", found="an empty name", expected="the name of an Object3D")
        checks.text(owner, "relative_to", self.relative_to)
        for name in ("translation", "velocity", "angular_velocity"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _components(name, getattr(self, name)))
        if self.rotation is not None:
            object.__setattr__(self, "rotation", checks.rotation(owner, "rotation", self.rotation))
        for name in ("joints", "fixed"):
            names = getattr(self, name)
            if (
                isinstance(names, str)
                or not isinstance(names, Sequence)
                or not all(isinstance(item, str) and item for item in names)
            ):
                expected = "a list of names of joints or of free Object3Ds"
                raise ModelError(f"{name} of InitialPose is wrong", found=repr(names), expected=expected)
            object.__setattr__(self, name, tuple(names))
        vectors = (self.translation, self.velocity, self.angular_velocity)
        if self.rotation is None and all(vector is None or vector == (None,) * 3 for vector in vectors):
            raise ModelError("InitialPose has no target", expected="translation, rotation, velocity or angular_velocity")


def _components(field: str, value: object) -> tuple[float | None, ...]:
    """Return ``value`` as a tuple of three finite floats or None."""
    owner, expected = "InitialPose", "three numbers; None (null) for one that may be anything"
    if isinstance(value, str) or not hasattr(value, "__iter__") or len(items := tuple(value)) != 3:
        raise ModelError(f"{field} of {owner} is wrong", found=repr(value), expected=expected)
    return tuple(None if item is None else checks.number(owner, field, item) for item in items)
