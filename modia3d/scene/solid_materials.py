"""Solid materials: by name from the palette `materials/solid.toml`, or given as `SolidMaterial`."""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest

from . import checks
from .palette import BUILT_IN, read_tables


@dataclass(frozen=True)
class SolidMaterial:
    """Properties of a solid material.

    Attributes:
        density: [kg/m3].
        source: where the value comes from.
    """

    density: float
    source: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", checks.positive("SolidMaterial", "density", self.density))
        checks.text("SolidMaterial", "source", self.source)


SOLID_MATERIALS: dict[str, SolidMaterial] = {
    name: SolidMaterial(**fields) for name, fields in read_tables(BUILT_IN / "solid.toml")["solid"].items()
}


def solid_material(given: SolidMaterial | str) -> SolidMaterial:
    """The material itself, or the one of that name. Raises ModelError if there is none, with the nearest name."""
    if isinstance(given, SolidMaterial):
        return given
    material = SOLID_MATERIALS.get(checks.text("Solid", "solid_material", given))
    if material is None:
        raise ModelError(
            f"unknown solid material '{given}'",
            expected=f"one of {', '.join(SOLID_MATERIALS)}, or SolidMaterial(density, source)",
            remedy=nearest(given, SOLID_MATERIALS),
        )
    return material
