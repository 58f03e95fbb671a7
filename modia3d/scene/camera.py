"""Camera from which a scene is looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .basics import checks


@dataclass(frozen=True)
class Camera:
    """First view of an animation; whoever watches may turn the scene. What is not given follows from what is seen.

    Attributes:
        position: of the camera in world coordinates [m]; None: such that all is seen.
        target: point that it looks at in world coordinates [m]; None: the middle of what is seen.
        follow: name of an Object3D; the camera moves along with its origin. "": it stays where it is.
        field_of_view: vertical opening angle [rad].
        up: direction in world coordinates that is upwards in the picture; None: against gravity, or z where there is none.
        floor: whether a floor is drawn below everything; None: where gravity is the same everywhere and no plane is seen.
    """

    position: Sequence[float] | None = None
    target: Sequence[float] | None = None
    follow: str = ""
    field_of_view: float = 0.8
    up: Sequence[float] | None = None
    floor: bool | None = None

    def __post_init__(self) -> None:
        for name in ("position", "target", "up"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, checks.vector3("Camera", name, getattr(self, name)))
        if self.up is not None and not any(self.up):
            raise ModelError("up of Camera is wrong", found=repr(self.up), expected="a direction, not zero")
        if self.position is not None and self.position == self.target:
            raise ModelError(
                "position of Camera is its target", found=repr(self.position), expected="another point than the target"
            )
        if not isinstance(self.follow, str):
            raise ModelError("follow of Camera is wrong", found=repr(self.follow), expected="the name of an Object3D")
        angle = checks.positive("Camera", "field_of_view", self.field_of_view)
        if angle > 0.9 * math.pi:
            raise ModelError(
                "field_of_view of Camera is too large", found=f"{angle:g} rad", expected=f"at most {0.9 * math.pi:.2f} rad"
            )
        object.__setattr__(self, "field_of_view", angle)
        if self.floor is not None:
            object.__setattr__(self, "floor", checks.truth("Camera", "floor", self.floor))
