"""`Pose`: the wanted pose of a frame, as a value in place of joint positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from modiapy.model.errors import ModelError

from .checks import rotation_value, three_numbers

FREE_ROTATION = "free"


@dataclass(frozen=True)
class Pose:
    """Wanted pose of a frame; joint positions follow by inverse kinematics, see `modia3d.inverse_kinematics`.

    Attributes:
        frame: name of the frame, e.g. of a gripper.
        translation: where its origin is to be [m]; None: where it is.
        rotation: how it is to be turned: Cardan angles x, y, z [rad] or a 3x3 matrix, as `rot` makes them; None: as it is;
            "free": any way.
        relative_to: name of the frame in which both are given, as it is at that moment; "": the world.

    Raises:
        ModelError: a field has the wrong type, or nothing is wanted.
    """

    frame: str
    translation: Sequence[float] | None = None
    rotation: Sequence[Any] | str | None = None
    relative_to: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.frame, str) or not self.frame:
            raise ModelError("frame of Pose must be the name of a frame", found=repr(self.frame), expected="a text")
        if not isinstance(self.relative_to, str):
            raise ModelError(
                "relative_to of Pose must be the name of a frame", found=repr(self.relative_to), expected="the name of a frame"
            )
        if self.translation is not None:
            object.__setattr__(self, "translation", three_numbers("translation of Pose", self.translation))
        object.__setattr__(self, "rotation", wanted_rotation("rotation of Pose", self.rotation))
        if self.translation is None and self.rotation in (None, FREE_ROTATION):
            raise ModelError("Pose has no target", expected="a translation, a rotation, or both")

    def __str__(self) -> str:
        where = "where it is" if self.translation is None else f"at ({', '.join(f'{x:g}' for x in self.translation)}) m"
        return f"{self.frame} {where}{f' in {self.relative_to}' if self.relative_to else ''}"


def wanted_rotation(name: str, value: Any) -> Any:
    """Check a wanted rotation by `rotation_value` and return it; None and "free" stay as they are."""
    return value if value is None or (isinstance(value, str) and value == FREE_ROTATION) else rotation_value(name, value)
