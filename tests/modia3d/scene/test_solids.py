"""Shapes and mass properties against integrals over the volume, and what a user gets wrong about them."""

import math

import numpy as np
import pytest

from modia3d import (
    Box,
    Cylinder,
    MassProperties,
    MassPropertiesFromShape,
    MassPropertiesFromShapeAndMass,
    Object3D,
    Solid,
    Sphere,
    Visual,
    VisualMaterial,
)
from modia3d.scene.shapes import BoxShape, CylinderShape, SphereShape
from modiapy import ModelError
from tests.modia3d.scenes import made

pytestmark = pytest.mark.white_box


def inside(shape, points):
    x, y, z = points
    if isinstance(shape, BoxShape):
        return (abs(x) < shape.length_x / 2) & (abs(y) < shape.length_y / 2) & (abs(z) < shape.length_z / 2)
    if isinstance(shape, SphereShape):
        return x * x + y * y + z * z < shape.diameter**2 / 4
    along, *across = {"x": (x, y, z), "y": (y, x, z), "z": (z, x, y)}[shape.axis]
    return (abs(along) < shape.length / 2) & (across[0] ** 2 + across[1] ** 2 < shape.diameter**2 / 4)


@pytest.mark.parametrize(
    "shape",
    [
        BoxShape(0.3, 0.5, 0.9),
        CylinderShape(0.4, 1.0, "x"),
        CylinderShape(0.4, 1.0, "y"),
        CylinderShape(1.0, 0.3, "z"),
        SphereShape(0.8),
    ],
)
def test_volume_and_inertia_are_the_integrals_over_the_points_inside(shape):
    n = 120
    low, high = np.array(shape.bounding_box)
    steps = (high - low) / n
    axes = [low[k] + steps[k] * (np.arange(n) + 0.5) for k in range(3)]
    points = np.meshgrid(*axes, indexing="ij")
    x, y, z = (p[inside(shape, points)] for p in points)
    cell = float(np.prod(steps))
    assert shape.volume == pytest.approx(len(x) * cell, rel=2e-3)
    assert np.allclose([x.mean(), y.mean(), z.mean()], shape.centroid, atol=1e-3)
    moments = [(y * y + z * z).mean(), (x * x + z * z).mean(), (x * x + y * y).mean()]
    assert np.allclose(moments, shape.inertia_per_mass, rtol=4e-3)
    assert np.allclose([x.max(), y.max(), z.max()], high, atol=1.1 * steps.max())


def test_an_aluminium_cube():
    solid = made(Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Aluminium"))
    inertia = solid.inertia()
    assert inertia.mass == pytest.approx(2.7)
    assert inertia.moments == pytest.approx((2.7 * 0.01 / 6,) * 3)


def test_mass_from_shape_and_mass_ignores_the_density():
    solid = made(Solid(Sphere(0.2), "Steel", MassPropertiesFromShapeAndMass(3.0)))
    assert solid.inertia().mass == 3.0
    assert solid.inertia().moments == pytest.approx((2 / 5 * 3.0 * 0.01,) * 3)


def test_given_mass_properties_stay_as_they_are():
    given = MassProperties(mass=2.0, center_of_mass=(0.1, 0, 0), Ixx=0.3, Iyy=0.4, Izz=0.5, Ixy=0.01, Ixz=-0.02, Iyz=0.03)
    inertia = made(Solid(mass_properties=given)).inertia()
    assert (inertia.mass, inertia.center_of_mass) == (2.0, (0.1, 0.0, 0.0))
    assert inertia.moments == (0.3, 0.4, 0.5)
    assert inertia.products == (0.01, -0.02, 0.03)


def test_a_shape_without_material_has_no_mass():
    assert made(Solid(shape=Box(1, 1, 1))).inertia() is None


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (lambda: Solid(shape=Box(length_x=-1.0)), ["length_x of Box", "-1.0", "greater than 0"]),
        (lambda: Solid(shape=Cylinder(axis="w")), ["axis of Cylinder", "'w'"]),
        (lambda: Solid(shape=Sphere(math.inf)), ["diameter", "finite"]),
        (lambda: Solid(shape=Box(), solid_material="Aluminum"), ["part", "'Aluminum'", "Did you mean 'Aluminium'?"]),
        (lambda: Solid(shape=3.0), ["shape of Solid", "Box, Cylinder, Sphere"]),
        (lambda: Solid(mass_properties=MassPropertiesFromShape()), ["needs the shape"]),
        (lambda: Solid(shape=Box(), mass_properties=MassPropertiesFromShape()), ["needs the solid_material"]),
        (lambda: Solid(mass_properties=MassPropertiesFromShapeAndMass(1.0)), ["needs the shape"]),
        (lambda: Solid(collision=True), ["without a shape"]),
        (lambda: MassProperties(mass=-1.0), ["mass of MassProperties", "at least 0"]),
        (lambda: MassProperties(mass=1.0, Ixx=1.0, Iyy=1.0, Izz=3.0), ["principal moments 1, 1, 3"]),
        (lambda: MassProperties(mass=1.0, Ixx=1.0, Iyy=1.0, Izz=1.0, Ixy=2.0), ["not positive semidefinite"]),
        (lambda: Visual(Box(), VisualMaterial(color="Blu")), ["'Blu'", "Did you mean 'Blue'?"]),
        (lambda: Visual(Box(), VisualMaterial(color=(0, 0, 255))), ["color", "0 to 1"]),
        (lambda: Visual(Box(), VisualMaterial(transparency=2)), ["transparency", "0 to 1"]),
        (lambda: Object3D(feature=Box()), ["feature of Object3D", "Scene, Solid, Visual"]),
    ],
)
def test_a_mistake_is_named_with_what_was_found_and_expected(entry, words):
    with pytest.raises(ModelError) as caught:
        made(entry())
    for word in words:
        assert word in str(caught.value)


def test_colors_may_be_names_hexadecimal_or_numbers():
    for color, rgb in (("Red", (1, 0, 0)), ("#0000ff", (0, 0, 1)), ((0.5, 0.25, 1), (0.5, 0.25, 1))):
        assert made(VisualMaterial(color=color)).rgb == rgb
