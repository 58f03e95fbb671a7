"""Shapes of any dimensions against integrals over their sections and against the triangles that the viewer shows."""

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from modia3d import Beam, Capsule, Cone, CoordinateSystem, Cylinder, Ellipsoid, GearWheel, Grid, Solid, Text, Visual
from modia3d import SpringShape as Coil
from modia3d.scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    GearWheelShape,
    MeshShape,
    SphereShape,
    SpringShape,
)
from modia3d.viewer.surfaces import surface
from modiapy import ModelError
from tests.modia3d.scenes import made

pytestmark = pytest.mark.white_box

lengths = st.floats(0.05, 5.0)
ratios = st.just(0.0) | st.floats(0.05, 0.95)
axes = st.sampled_from("xyz")
sphere = st.builds(SphereShape, lengths)
ellipsoid = st.builds(EllipsoidShape, lengths, lengths, lengths)
cylinder = st.builds(lambda d, l, a, r: CylinderShape(d, l, a, r * d), lengths, lengths, axes, ratios)
cone = st.builds(ConeShape, lengths, lengths, axes, st.just(0.0) | lengths)
capsule = st.builds(CapsuleShape, lengths, lengths, axes)
beam = st.builds(BeamShape, lengths, lengths, lengths, axes)


def section(shape, s):
    """Area and integrals of u**2 and v**2 over the section at s along the axis (u, v: the next two axes), by handbook."""
    if isinstance(shape, BeamShape):
        half, r = shape.length / 2, shape.width / 2
        width = 2 * np.sqrt(max(r**2 - max(abs(s) - half, 0.0) ** 2, 0.0))
        t = shape.thickness
        return width * t, width**3 * t / 12, width * t**3 / 12
    if isinstance(shape, EllipsoidShape):
        scale = max(1 - (2 * s / shape.length_z) ** 2, 0.0)
        a, b = shape.length_x / 2, shape.length_y / 2
        return np.pi * a * b * scale, np.pi / 4 * a**3 * b * scale**2, np.pi / 4 * a * b**3 * scale**2
    inner = 0.0
    if isinstance(shape, CylinderShape):
        outer, inner = shape.diameter / 2, shape.inner_diameter / 2
    elif isinstance(shape, ConeShape):
        outer = (shape.diameter + (shape.top_diameter - shape.diameter) * s / shape.length) / 2
    else:
        length = shape.length if isinstance(shape, CapsuleShape) else 0.0
        outer = np.sqrt(max(shape.diameter**2 / 4 - max(abs(s) - length / 2, 0.0) ** 2, 0.0))
    square = np.pi / 4 * (outer**4 - inner**4)
    return np.pi * (outer**2 - inner**2), square, square


@given(shape=sphere | ellipsoid | cylinder | cone | capsule | beam)
@settings(max_examples=150)
def test_volume_centroid_and_inertia_are_the_integrals_over_the_sections(shape):
    k = "xyz".index(getattr(shape, "axis", "z"))
    low, high = (corner[k] for corner in shape.bounding_box)
    kinks = [at for at in (-shape.length / 2, shape.length / 2) if low < at < high] if hasattr(shape, "length") else None

    def integral(function):
        return quad(function, low, high, points=kinks or None, epsabs=0.0, epsrel=1e-10, limit=200)[0]

    volume = integral(lambda s: section(shape, s)[0])
    assert shape.volume == pytest.approx(volume, rel=1e-8)
    center = low + integral(lambda s: (s - low) * section(shape, s)[0]) / volume
    expected = np.zeros(3)
    expected[k] = center
    assert np.allclose(shape.centroid, expected, atol=1e-8 * (high - low))
    along2 = integral(lambda s: (s - center) ** 2 * section(shape, s)[0]) / volume
    u2 = integral(lambda s: section(shape, s)[1]) / volume
    v2 = integral(lambda s: section(shape, s)[2]) / volume
    inertia = np.roll([u2 + v2, along2 + v2, along2 + u2], k)
    assert np.allclose(shape.inertia_per_mass, inertia, rtol=1e-7)
    assert shape.products_per_mass == (0.0, 0.0, 0.0)


@given(shape=sphere | ellipsoid | cylinder | cone | capsule | beam)
@settings(max_examples=60)
def test_what_is_shown_is_what_is_weighed(shape):
    shown = trimesh.Trimesh(*surface(shape, segments=200))
    assert shown.is_watertight
    assert shown.volume == pytest.approx(shape.volume, rel=2e-3)
    size = np.ptp(np.array(shape.bounding_box), axis=0)
    assert np.allclose(shown.center_mass, shape.centroid, atol=2e-3 * size.max())
    assert np.allclose(np.diag(shown.moment_inertia / shown.volume), shape.inertia_per_mass, rtol=4e-3)
    assert np.all(np.abs(shown.bounds - np.array(shape.bounding_box)) <= 1e-3 * size + 1e-12)


box = st.builds(BoxShape, lengths, lengths, lengths)
directions = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).filter(lambda d: np.linalg.norm(d) > 1e-3)


@given(shape=box | sphere | ellipsoid | cylinder | cone | capsule | beam, seed=st.integers(0, 99), own=directions)
@settings(max_examples=150)
def test_no_point_of_the_surface_lies_beyond_the_support_point(shape, seed, own):
    d = np.concatenate([[own], np.random.default_rng(seed).normal(size=(20, 3)), np.eye(3), -np.eye(3)])
    points = shape.support(d)
    unit = d / np.linalg.norm(d, axis=1, keepdims=True)
    reached = np.sum(points * unit, axis=1)
    low, high = np.array(shape.bounding_box)
    size = np.linalg.norm(high - low)
    assert np.all(points >= low - 1e-12 * size)
    assert np.all(points <= high + 1e-12 * size)
    assert np.allclose(reached[-6:-3], high, atol=1e-12 * size)
    assert np.allclose(reached[-3:], -low, atol=1e-12 * size)
    corners = np.array(np.meshgrid(*np.array(shape.bounding_box).T)).reshape(3, -1).T
    vertices = corners if isinstance(shape, BoxShape) else surface(shape, segments=96)[0]
    beyond = vertices @ unit.T - reached
    assert beyond.max() < 1e-12 * size
    assert np.all(beyond.max(axis=0) > -2e-3 * size)
    assert np.allclose(shape.support(d[0]), points[0], atol=1e-12 * size)
    assert np.allclose(shape.support(7.0 * d), points, atol=1e-9 * size)


@given(seed=st.integers(0, 999), scale=st.floats(0.1, 3.0))
@settings(max_examples=20)
def test_the_support_point_of_a_mesh_is_that_of_its_convex_hull(seed, scale, tmp_path_factory):
    rng = np.random.default_rng(seed)
    bumpy = trimesh.creation.icosphere(1)
    bumpy.vertices *= rng.uniform(0.3, 1.0, size=(len(bumpy.vertices), 1))
    file = tmp_path_factory.mktemp("mesh") / "bumpy.obj"
    bumpy.export(file)
    shape = MeshShape(str(file), scale)
    d = rng.normal(size=(2, 5, 3))
    points = shape.support(d)
    assert points.shape == d.shape
    heights = d @ np.asarray(shape.surface().vertices).T
    assert np.allclose(np.sum(points * d, axis=-1), heights.max(axis=-1))


@pytest.mark.parametrize("direction", [(0.0, 0.0, 0.0), (1.0, 2.0), (np.nan, 0.0, 1.0)])
def test_a_direction_of_support_must_be_one(direction):
    with pytest.raises(ModelError, match="a direction of support is wrong"):
        SphereShape(1.0).support(direction)


@st.composite
def gears(draw):
    diameter, teeth = draw(lengths), draw(st.integers(3, 60))
    hole = draw(ratios) * diameter * (1 - 2 / teeth)
    return GearWheelShape(diameter, draw(lengths), teeth, draw(axes), hole)


@st.composite
def springs(draw):
    coil = draw(lengths)
    return SpringShape(draw(lengths), coil, draw(st.floats(0.01, 0.3)) * coil, draw(st.floats(0.5, 9.0)), draw(axes))


@given(mark=gears() | springs())
@settings(max_examples=40)
def test_marks_are_closed_surfaces_that_look_outward(mark):
    shown = trimesh.Trimesh(*surface(mark))
    assert shown.is_watertight
    assert shown.is_winding_consistent
    assert shown.volume > 0.0
    along = np.ptp(shown.vertices, axis=0)["xyz".index(mark.axis)]
    assert mark.length - 1e-9 <= along <= mark.length + getattr(mark, "wire_diameter", 1e-9)


def test_a_tooth_stands_out_by_one_module():
    vertices, _ = surface(GearWheelShape(diameter=1.0, teeth=20, inner_diameter=0.4))
    radii = np.hypot(vertices[:, 0], vertices[:, 1])
    assert (radii.max(), radii.min()) == pytest.approx((0.55, 0.2))
    assert np.any(np.isclose(radii, 0.45))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (lambda: Ellipsoid(1.0, -2.0), ["length_y of Ellipsoid", "-2.0", "greater than 0"]),
        (
            lambda: Cylinder(0.1, 1.0, inner_diameter=0.2),
            ["inner_diameter of Cylinder", "found 0.2", "less than the diameter, 0.1"],
        ),
        (lambda: Cylinder(0.1, 1.0, inner_diameter=0.1), ["inner_diameter of Cylinder"]),
        (lambda: Cylinder(0.1, 1.0, inner_diameter=-0.1), ["inner_diameter of Cylinder", "at least 0"]),
        (lambda: Cone(length=0.0), ["length of Cone", "greater than 0"]),
        (lambda: Cone(top_diameter=-0.1), ["top_diameter of Cone", "at least 0"]),
        (lambda: Capsule(axis="X"), ["axis of Capsule", "'X'", "'x', 'y' or 'z'"]),
        (lambda: Beam(width="wide"), ["part.width", "wide"]),
        (lambda: Beam(thickness=-1), ["thickness of Beam", "-1.0"]),
        (
            lambda: Coil(coil_diameter=0.1, wire_diameter=0.2),
            ["wire_diameter of SpringShape", "less than the coil_diameter, 0.1"],
        ),
        (lambda: Coil(windings=1e9), ["windings of SpringShape", "at most 1000"]),
        (lambda: GearWheel(teeth=2), ["teeth of GearWheel", "whole number from 3"]),
        (lambda: GearWheel(teeth=12.5), ["teeth of GearWheel", "12.5"]),
        (lambda: GearWheel(diameter=1.0, inner_diameter=0.95), ["inner_diameter of GearWheel", "0.9"]),
        (lambda: Grid(distance=1e-9), ["distance of Grid", "1/2000"]),
        (lambda: CoordinateSystem(0), ["length of CoordinateSystem"]),
        (lambda: Text(text="two\nlines"), ["text of Text", "1 to 60"]),
        (lambda: Text(text="x", height=0), ["height of Text", "greater than 0"]),
        (lambda: Solid(shape=Text(text="x")), ["shape of Solid", "found Text"]),
        (lambda: Solid(shape=Coil()), ["shape of Solid", "found SpringShape", "Box, Cylinder"]),
        (lambda: Visual(shape=7.0), ["shape of Visual", "Grid"]),
    ],
)
def test_a_mistake_is_named_with_what_was_found_and_expected(entry, words):
    with pytest.raises(ModelError) as caught:
        made(entry())
    for word in words:
        assert word in str(caught.value)
