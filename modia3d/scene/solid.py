"""A solid: what has mass, and may have a shape that is seen and touched."""

from __future__ import annotations

from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .basics import checks
from .mass_properties import (
    AnyMassProperties,
    Inertia,
    MassProperties,
    MassPropertiesFromShape,
    MassPropertiesFromShapeAndMass,
)
from .shapes import SHAPES, Shape
from .solid_materials import SolidMaterial, solid_material
from .visual import VisualMaterial, visual_material


@dataclass(frozen=True)
class SolidFeature:
    """A rigid piece of matter, fixed in its frame.

    Attributes:
        shape: the shape, in its frame. None: only mass.
        solid_material: name of a material (of ``modia3d/scene/materials/solid.toml``) or a `SolidMaterial`; "" if none.
        mass_properties: None means from shape and material where both are given, else no mass.
        visual_material: how it looks, the name of a visual material or a `VisualMaterial`; None is the viewer's default.
        collision: whether it takes part in collision handling.

    Raises:
        ModelError: unknown material, or mass properties that need a shape or a material which is not there.
    """

    shape: Shape | None = None
    solid_material: SolidMaterial | str = ""
    mass_properties: AnyMassProperties | None = None
    visual_material: VisualMaterial | str | None = None
    collision: bool = False

    def __post_init__(self) -> None:
        kinds = (MassProperties, MassPropertiesFromShape, MassPropertiesFromShapeAndMass)
        if self.shape is not None:
            checks.instance("Solid", "shape", self.shape, *SHAPES)
        if self.mass_properties is not None:
            checks.instance("Solid", "mass_properties", self.mass_properties, *kinds)
        if self.visual_material is not None:
            visual_material("Solid", self.visual_material)
        if self.solid_material != "":
            solid_material(self.solid_material)
        object.__setattr__(self, "collision", checks.truth("Solid", "collision", self.collision))
        if self.collision and self.shape is None:
            raise ModelError("collision of Solid", found="collision=True without a shape", expected="a shape")
        self.inertia()

    def inertia(self) -> Inertia | None:
        """Mass properties in the frame of the solid; None if it has no mass."""
        if self.mass_properties is not None:
            return self.mass_properties.inertia(self.shape, self.solid_material)
        if self.shape is not None and self.solid_material:
            return MassPropertiesFromShape().inertia(self.shape, self.solid_material)
        return None
