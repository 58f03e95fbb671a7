"""Solid materials: by name from the palette `materials/solid.toml`, or given as `SolidMaterial`."""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest

from .basics import checks
from .palette import BUILT_IN, read_tables


@dataclass(frozen=True)
class SolidMaterial:
    """Properties of a solid material.

    Attributes:
        density: [kg/m3].
        source: where the value comes from.
        youngs_modulus: [Pa]; None: not known.
        poisson_ratio: -1 to 0.5; None: not known.
        name: by which pairs of materials in contact refer to it; those of a palette have theirs.
    """

    density: float
    source: str = ""
    youngs_modulus: float | None = None
    poisson_ratio: float | None = None
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "density", checks.positive("SolidMaterial", "density", self.density))
        checks.text("SolidMaterial", "source", self.source)
        checks.text("SolidMaterial", "name", self.name)
        if self.youngs_modulus is not None:
            modulus = checks.positive("SolidMaterial", "youngs_modulus", self.youngs_modulus)
            object.__setattr__(self, "youngs_modulus", modulus)
        if self.poisson_ratio is not None:
            ratio = checks.number("SolidMaterial", "poisson_ratio", self.poisson_ratio)
            if not -1.0 < ratio <= 0.5:
                raise ModelError(
                    "poisson_ratio of SolidMaterial is wrong", found=repr(ratio), expected="more than -1, at most 0.5"
                )
            object.__setattr__(self, "poisson_ratio", ratio)


SOLID_MATERIALS: dict[str, SolidMaterial] = {
    name: SolidMaterial(**fields, name=name) for name, fields in read_tables(BUILT_IN / "solid.toml")["solid"].items()
}


def solid_material(given: SolidMaterial | str, field: str = "solid_material") -> SolidMaterial:
    """Return the material itself, or the one of that name. Raises ModelError if there is none, with the nearest name."""
    if isinstance(given, SolidMaterial):
        return given
    material = SOLID_MATERIALS.get(checks.text("Solid", field, given))
    if material is None:
        raise ModelError(
            f"unknown solid material '{given}'",
            expected=f"one of {', '.join(SOLID_MATERIALS)}, or SolidMaterial(density, source)",
            remedy=nearest(given, SOLID_MATERIALS),
        )
    return material
