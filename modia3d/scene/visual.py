"""What is only seen: a shape with a visual material."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from modiapy.model.errors import ModelError, nearest

from . import checks
from .checks import Vector3
from .palette import BUILT_IN, read_tables
from .shapes import MARKS, SHAPES, Mark, Shape

COLORS: dict[str, Vector3] = {
    "Black": (0.0, 0.0, 0.0),
    "Blue": (0.0, 0.0, 1.0),
    "Brown": (0.647, 0.165, 0.165),
    "DarkBlue": (0.0, 0.0, 0.545),
    "DarkGrey": (0.33, 0.33, 0.33),
    "DarkGreen": (0.0, 0.392, 0.0),
    "Gold": (1.0, 0.843, 0.0),
    "Green": (0.0, 0.502, 0.0),
    "Grey": (0.502, 0.502, 0.502),
    "LightBlue": (0.678, 0.847, 0.902),
    "LightGreen": (0.565, 0.933, 0.565),
    "LightGrey": (0.827, 0.827, 0.827),
    "Orange": (1.0, 0.647, 0.0),
    "Purple": (0.502, 0.0, 0.502),
    "Red": (1.0, 0.0, 0.0),
    "Silver": (0.753, 0.753, 0.753),
    "White": (1.0, 1.0, 1.0),
    "Yellow": (1.0, 1.0, 0.0),
}
"""Red, green, blue in 0..1 (names and values of CSS, in camel case)."""


@dataclass(frozen=True)
class VisualMaterial:
    """How a surface looks.

    Attributes:
        color: a name of `COLORS`, "#rrggbb", or red, green, blue in 0..1.
        transparency: 0 (opaque) to 1 (invisible).
        wireframe: show the edges only.
        metalness, roughness: parameters of physically based rendering, 0 to 1.
    """

    color: str | Sequence[float] = "LightBlue"
    transparency: float = 0.0
    wireframe: bool = False
    metalness: float = 0.1
    roughness: float = 0.6

    def __post_init__(self) -> None:
        for name in ("transparency", "metalness", "roughness"):
            object.__setattr__(self, name, _fraction(name, getattr(self, name)))
        object.__setattr__(self, "wireframe", checks.truth("VisualMaterial", "wireframe", self.wireframe))
        if not isinstance(self.color, str):
            rgb = checks.vector3("VisualMaterial", "color", self.color)
            object.__setattr__(self, "color", tuple(_fraction("color", part) for part in rgb))
        _rgb(self.color)

    @property
    def rgb(self) -> Vector3:
        """Red, green, blue in 0..1."""
        return _rgb(self.color)


@dataclass(frozen=True)
class VisualFeature:
    """A shape that is seen and has neither mass nor contact.

    Attributes:
        shape: the shape, or a mark.
        visual_material: how it looks; a name of `VISUAL_MATERIALS` or a `VisualMaterial`.
    """

    shape: Shape | Mark
    visual_material: VisualMaterial | str = field(default_factory=VisualMaterial)

    def __post_init__(self) -> None:
        checks.instance("Visual", "shape", self.shape, *SHAPES, *MARKS)
        visual_material("Visual", self.visual_material)


def _fraction(name: str, value: object) -> float:
    result = checks.number("VisualMaterial", name, value)
    if not 0.0 <= result <= 1.0:
        raise ModelError(f"{name} of VisualMaterial", found=repr(value), expected="a number from 0 to 1")
    return result


def _rgb(color: str | Sequence[float]) -> Vector3:
    if not isinstance(color, str):
        red, green, blue = color
        return red, green, blue
    if color in COLORS:
        return COLORS[color]
    digits = color.removeprefix("#")
    try:
        if len(digits) == 6 and color.startswith("#"):
            return int(digits[0:2], 16) / 255.0, int(digits[2:4], 16) / 255.0, int(digits[4:6], 16) / 255.0
    except ValueError:
        pass
    raise ModelError(
        f"unknown color '{color}'", expected=f"#rrggbb or one of {', '.join(COLORS)}", remedy=nearest(color, COLORS)
    )


VISUAL_MATERIALS: dict[str, VisualMaterial] = {
    name: VisualMaterial(**fields) for name, fields in read_tables(BUILT_IN / "visual.toml")["visual"].items()
}


def visual_material(owner: str, given: VisualMaterial | str) -> VisualMaterial:
    """The material itself, or the one of that name. Raises ModelError if there is none, with the nearest name."""
    if not isinstance(given, str):
        checks.instance(owner, "visual_material", given, VisualMaterial)
        return given
    material = VISUAL_MATERIALS.get(given)
    if material is None:
        raise ModelError(
            f"unknown visual material '{given}'",
            expected=f"one of {', '.join(VISUAL_MATERIALS)}, or VisualMaterial(...)",
            remedy=nearest(given, VISUAL_MATERIALS),
        )
    return material
