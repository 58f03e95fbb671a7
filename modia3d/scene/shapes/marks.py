"""Shapes that are only seen: spring, gear wheel, coordinate system, grid, text. They have no mass; a `Visual` carries them."""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError

from ..basics import checks
from .base import check_axis
from .rounded import inner_diameter


@dataclass(frozen=True)
class SpringShape:
    """A coil spring from the origin of its frame in the positive direction of the axis.

    Attributes:
        length: [m].
        coil_diameter: of the middle of the wire about the axis [m].
        wire_diameter: [m].
        windings: number of turns, whole or not.
        axis: "x", "y" or "z".
    """

    length: float = 1.0
    coil_diameter: float = 0.2
    wire_diameter: float = 0.02
    windings: float = 8.0
    axis: str = "z"

    def __post_init__(self) -> None:
        for name in ("length", "coil_diameter", "wire_diameter", "windings"):
            object.__setattr__(self, name, checks.positive("SpringShape", name, getattr(self, name)))
        check_axis("SpringShape", self.axis)
        if self.wire_diameter >= self.coil_diameter:
            raise ModelError(
                "wire_diameter of SpringShape",
                found=repr(self.wire_diameter),
                expected=f"less than the coil_diameter, {self.coil_diameter!r}",
            )
        if self.windings > 1000.0:
            raise ModelError("windings of SpringShape", found=repr(self.windings), expected="at most 1000")


@dataclass(frozen=True)
class GearWheelShape:
    """A spur gear centered in its frame.

    Attributes:
        diameter: of the pitch circle [m]; teeth stand out and go in by one module, ``diameter/teeth``, at most.
        length: along the axis [m].
        teeth: their number, 3 to 1000.
        axis: "x", "y" or "z".
        inner_diameter: of the hole along the axis [m]; 0: none.
    """

    diameter: float = 1.0
    length: float = 0.1
    teeth: int = 20
    axis: str = "z"
    inner_diameter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("diameter", "length"):
            object.__setattr__(self, name, checks.positive("GearWheel", name, getattr(self, name)))
        check_axis("GearWheel", self.axis)
        teeth = checks.number("GearWheel", "teeth", self.teeth)
        if teeth != int(teeth) or not 3 <= teeth <= 1000:
            raise ModelError("teeth of GearWheel is wrong", found=repr(self.teeth), expected="a whole number from 3 to 1000")
        object.__setattr__(self, "teeth", int(teeth))
        object.__setattr__(self, "inner_diameter", inner_diameter("GearWheel", self.inner_diameter, self.root_diameter))

    @property
    def root_diameter(self) -> float:
        """Diameter of the circle between the teeth [m]."""
        return self.diameter * (1.0 - 2.0 / self.teeth)


@dataclass(frozen=True)
class CoordinateSystemShape:
    """The axes of its frame, x red, y green, z blue.

    Attributes:
        length: of the axes [m].
    """

    length: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", checks.positive("CoordinateSystem", "length", self.length))


@dataclass(frozen=True)
class GridShape:
    """Lines in a plane through the origin of its frame.

    Attributes:
        length: of the edges of the square that they fill [m].
        distance: between lines [m]; lines pass through the origin.
        axis: "x", "y" or "z": normal of the plane.
    """

    length: float = 10.0
    distance: float = 1.0
    axis: str = "z"

    def __post_init__(self) -> None:
        for name in ("length", "distance"):
            object.__setattr__(self, name, checks.positive("Grid", name, getattr(self, name)))
        check_axis("Grid", self.axis)
        if self.length / self.distance > 2000.0:
            raise ModelError(
                "distance of Grid is too small",
                found=repr(self.distance),
                expected=f"at least 1/2000 of the length, {self.length!r}",
            )


@dataclass(frozen=True)
class TextShape:
    """Text on a transparent plate that is centered in its frame and seen from both sides.

    Attributes:
        text: one line, 1 to 60 characters; the letters are black, of the visual material only the transparency counts.
        height: of the letters [m]; the plate is as wide as the text, whose base line passes through the origin.
        axis: "x", "y" or "z": normal of the plate, to the reader. The text runs along the next axis in the cycle x, y, z,
            its letters stand along the third one.
    """

    text: str = ""
    height: float = 0.1
    axis: str = "z"

    def __post_init__(self) -> None:
        checks.text("Text", "text", self.text)
        if not 1 <= len(self.text) <= 60 or not self.text.isprintable():
            raise ModelError(
                "text of Text is wrong", found=repr(self.text), expected="one line of 1 to 60 printable characters"
            )
        object.__setattr__(self, "height", checks.positive("Text", "height", self.height))
        check_axis("Text", self.axis)
