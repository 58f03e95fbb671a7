"""Visual feature: a shape with a visual material that is only seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest

from .basics import checks
from .basics.checks import Vector3
from .colors import rgb_of
from .palette import BUILT_IN, read_tables
from .shapes import MARKS, SHAPES, Mark, Shape


@dataclass(frozen=True)
class VisualMaterial:
    """Look of a surface.

    Attributes:
        color: a name of CSS as "SteelBlue", "#rrggbb", or red, green, blue in 0..1.
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
        visual_material: how it looks; the name of a visual material or a `VisualMaterial`. None: as the file of
            a mesh says, else light blue.
    """

    shape: Shape | Mark
    visual_material: VisualMaterial | str | None = None

    def __post_init__(self) -> None:
        checks.instance("Visual", "shape", self.shape, *SHAPES, *MARKS)
        if self.visual_material is not None:
            visual_material("Visual", self.visual_material)


def _fraction(name: str, value: object) -> float:
    result = checks.number("VisualMaterial", name, value)
    if not 0.0 <= result <= 1.0:
        remedy = "Divide 0..255 by 255, or write '#rrggbb'." if name == "color" and result > 1.0 else ""
        raise ModelError(
            f"{name} of VisualMaterial is wrong", found=repr(value), expected="a number from 0 to 1", remedy=remedy
        )
    return result


def _rgb(color: str | Sequence[float]) -> Vector3:
    if isinstance(color, str):
        return rgb_of(color)
    red, green, blue = color
    return red, green, blue


VISUAL_MATERIALS: dict[str, VisualMaterial] = {
    name: VisualMaterial(**fields) for name, fields in read_tables(BUILT_IN / "visual.toml")["visual"].items()
}


def visual_material(owner: str, given: VisualMaterial | str) -> VisualMaterial:
    """Return the material itself, or the one of that name. Raises ModelError if there is none, with the nearest name."""
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
