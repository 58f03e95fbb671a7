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
        visual_material: how it looks, the name of a visual material or a `VisualMaterial`; None: as
            the file of a mesh says, else light blue.
        collision: whether it collides with other solids that do so.
        contact_material: how it behaves in contact: name of a material or a `SolidMaterial`; "" is that of solid_material.
        contact_sphere_radius: radius of curvature that a contact reckons with [m]; None: from the shape, see docs/contact.md.
        smoothing_radius: radius by which edges and corners are rounded where shapes touch [m].
        contact_group: name of a group of solids; ``Scene(no_contact=...)`` says which groups do not collide.

    Raises:
        ModelError: unknown material, mass properties that need a shape or a material which is not there, or a collision
            without a shape or a material.
    """

    shape: Shape | None = None
    solid_material: SolidMaterial | str = ""
    mass_properties: AnyMassProperties | None = None
    visual_material: VisualMaterial | str | None = None
    collision: bool = False
    contact_material: SolidMaterial | str = ""
    contact_sphere_radius: float | None = None
    smoothing_radius: float = 0.0
    contact_group: str = ""

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
        self._check_contact()
        self.inertia()

    def _check_contact(self) -> None:
        if self.contact_material != "":
            solid_material(self.contact_material, "contact_material")
        if self.contact_sphere_radius is not None:
            radius = checks.positive("Solid", "contact_sphere_radius", self.contact_sphere_radius)
            object.__setattr__(self, "contact_sphere_radius", radius)
        smoothing = checks.not_negative("Solid", "smoothing_radius", self.smoothing_radius)
        object.__setattr__(self, "smoothing_radius", smoothing)
        checks.text("Solid", "contact_group", self.contact_group)
        if not self.collision:
            return
        if self.shape is None:
            raise ModelError("collision of Solid is wrong", found="collision=True without a shape", expected="a shape")
        if self.contact_material == "" and self.solid_material == "":
            raise ModelError(
                "collision of Solid is wrong",
                found="collision=True without a material",
                expected="a solid_material, or a contact_material for contact only",
                remedy='Give contact_material="Steel" or another one; mass properties do not depend on it.',
            )

    @property
    def surface_material(self) -> SolidMaterial:
        """The material of its surface, for contacts. Raises ModelError if it has none."""
        return solid_material(self.contact_material or self.solid_material, "contact_material")

    def inertia(self) -> Inertia | None:
        """Return the mass properties in the frame of the solid; None if it has no mass."""
        if self.mass_properties is not None:
            return self.mass_properties.inertia(self.shape, self.solid_material)
        if self.shape is not None and self.solid_material:
            return MassPropertiesFromShape().inertia(self.shape, self.solid_material)
        return None
