"""Three ways to say how heavy a solid is; all end in one `Inertia`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modiapy.model.errors import ModelError

from .basics import checks
from .basics.checks import Vector3
from .shapes import Shape
from .solid_materials import SolidMaterial, solid_material


@dataclass(frozen=True)
class Inertia:
    """Mass properties in the frame F of a solid.

    Attributes:
        mass: [kg].
        center_of_mass: ``p_FC_F`` [m].
        moments: Ixx, Iyy, Izz about the center of mass, in F [kg.m2].
        products: Ixy, Ixz, Iyz, off-diagonal elements of the same matrix [kg.m2].
    """

    mass: float
    center_of_mass: Vector3
    moments: Vector3
    products: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class MassProperties:
    """Mass properties as given.

    Attributes:
        mass: [kg].
        center_of_mass: in the frame of the solid [m].
        Ixx, Iyy, Izz, Ixy, Ixz, Iyz: elements of the inertia matrix about the center of mass, resolved in the
            frame of the solid [kg.m2] (Ixy is an element of the matrix, so minus the integral of x*y).
        as_given: accept also an inertia that no real body has. Files of robots have such parts where only the sum over what is
            rigidly connected is right.

    Raises:
        ModelError: no real body has this inertia (not positive semidefinite, or one principal moment is
            greater than the sum of the other two).
    """

    mass: float = 0.0
    center_of_mass: Sequence[float] = (0.0, 0.0, 0.0)
    Ixx: float = 0.0
    Iyy: float = 0.0
    Izz: float = 0.0
    Ixy: float = 0.0
    Ixz: float = 0.0
    Iyz: float = 0.0
    as_given: bool = False

    def __post_init__(self) -> None:
        owner = "MassProperties"
        object.__setattr__(self, "mass", checks.not_negative(owner, "mass", self.mass))
        object.__setattr__(self, "center_of_mass", checks.vector3(owner, "center_of_mass", self.center_of_mass))
        for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"):
            object.__setattr__(self, name, checks.number(owner, name, getattr(self, name)))
        object.__setattr__(self, "as_given", checks.truth(owner, "as_given", self.as_given))
        if not self.as_given:
            _refuse_impossible(self)

    def inertia(self, shape: Shape | None, material: SolidMaterial | str) -> Inertia:
        """Return these values as an inertia; shape and material do not matter."""
        center = checks.vector3("MassProperties", "center_of_mass", self.center_of_mass)
        return Inertia(self.mass, center, (self.Ixx, self.Iyy, self.Izz), (self.Ixy, self.Ixz, self.Iyz))


@dataclass(frozen=True)
class MassPropertiesFromShape:
    """Homogeneous body: mass from the volume of the shape and the density of the solid's material."""

    def inertia(self, shape: Shape | None, material: SolidMaterial | str) -> Inertia:
        """Raise ModelError if the solid has no shape or no material."""
        if shape is None or not material:
            missing = "shape" if shape is None else "solid_material"
            raise ModelError(f"MassPropertiesFromShape needs the {missing} of the Solid", remedy=f"Give {missing}=...")
        return _homogeneous(shape, solid_material(material).density * shape.volume)


@dataclass(frozen=True)
class MassPropertiesFromShapeAndMass:
    """Homogeneous body of a given mass with the shape of the solid.

    Attributes:
        mass: [kg].
    """

    mass: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", checks.positive("MassPropertiesFromShapeAndMass", "mass", self.mass))

    def inertia(self, shape: Shape | None, material: SolidMaterial | str) -> Inertia:
        """Raise ModelError if the solid has no shape."""
        if shape is None:
            raise ModelError("MassPropertiesFromShapeAndMass needs the shape of the Solid", remedy="Give shape=...")
        return _homogeneous(shape, self.mass)


AnyMassProperties = MassProperties | MassPropertiesFromShape | MassPropertiesFromShapeAndMass


def _homogeneous(shape: Shape, mass: float) -> Inertia:
    x, y, z = shape.inertia_per_mass
    xy, xz, yz = shape.products_per_mass
    moments, products = (mass * x, mass * y, mass * z), (mass * xy, mass * xz, mass * yz)
    return Inertia(mass, shape.centroid, moments, products)


_AS_GIVEN = "as_given=True accepts it, where only the sum over what is rigidly connected is that of a body."


def _refuse_impossible(given: MassProperties) -> None:
    import numpy as np

    matrix = [[given.Ixx, given.Ixy, given.Ixz], [given.Ixy, given.Iyy, given.Iyz], [given.Ixz, given.Iyz, given.Izz]]
    low, middle, high = np.linalg.eigvalsh(np.array(matrix))
    slack = 1e-6 * max(abs(high), abs(low))
    if low < -slack:
        raise ModelError(
            "the inertia matrix of MassProperties is not positive semidefinite",
            found=f"principal moment {low:.6g} kg.m2",
            remedy=_AS_GIVEN,
        )
    if high > low + middle + slack:
        raise ModelError(
            "the inertia of MassProperties is impossible",
            found=f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg.m2",
            expected="each at most the sum of the other two",
            remedy=_AS_GIVEN,
        )
