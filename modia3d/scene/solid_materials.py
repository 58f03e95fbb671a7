"""Solid materials by name: data only. Densities are handbook values at room temperature, rounded; woods at 12 % moisture."""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError, nearest


@dataclass(frozen=True)
class SolidMaterial:
    """Properties of a solid material.

    Attributes:
        density: [kg/m3].
        source: where the value comes from.
    """

    density: float
    source: str


_CRC = "CRC Handbook of Chemistry and Physics, density of the element"
_ENGINEERING = "usual value of engineering handbooks (Dubbel, Ashby)"
_WOOD = "USDA Wood Handbook, order of magnitude of softwood"

SOLID_MATERIALS: dict[str, SolidMaterial] = {
    "Aluminium": SolidMaterial(2700.0, _CRC),
    "Copper": SolidMaterial(8960.0, _CRC),
    "Titanium": SolidMaterial(4510.0, _CRC),
    "Steel": SolidMaterial(7850.0, _ENGINEERING),
    "CastIron": SolidMaterial(7200.0, _ENGINEERING),
    "Brass": SolidMaterial(8500.0, _ENGINEERING),
    "Glass": SolidMaterial(2500.0, _ENGINEERING),
    "Concrete": SolidMaterial(2400.0, _ENGINEERING),
    "Nylon": SolidMaterial(1140.0, _ENGINEERING),
    "Polyethylene": SolidMaterial(950.0, _ENGINEERING),
    "CarbonFibre": SolidMaterial(1600.0, _ENGINEERING),
    "Rubber": SolidMaterial(1100.0, _ENGINEERING),
    "BilliardBall": SolidMaterial(1750.0, "phenolic resin: 0.170 kg at a diameter of 57.15 mm"),
    "DryWood": SolidMaterial(500.0, _WOOD),
    "Water": SolidMaterial(1000.0, _CRC),
}


def solid_material(name: str) -> SolidMaterial:
    """The material called ``name``. Raises ModelError if there is none, with the nearest name."""
    material = SOLID_MATERIALS.get(name)
    if material is None:
        raise ModelError(
            f"unknown solid material '{name}'",
            expected=f"one of {', '.join(SOLID_MATERIALS)}",
            remedy=nearest(name, SOLID_MATERIALS),
        )
    return material
