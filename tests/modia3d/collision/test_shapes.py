"""Rows of the table of shapes: hulls, smoothing, convex parts, planes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from modia3d.collision.hull import convex_hull
from modia3d.collision.shapes import shape_rows
from modia3d.collision.tables import HALF, INNER, MIDDLE, P_BS, REACH, ROUND
from modia3d.files import read_scenario
from modia3d.scene.shapes import (
    BeamShape,
    BoxShape,
    CapsuleShape,
    ConeShape,
    CylinderShape,
    EllipsoidShape,
    MeshShape,
    PlaneShape,
    SphereShape,
)
from modia3d.scene.solid import SolidFeature
from modia3d.viewer.surfaces import surface
from modiapy import ModelError

from .pairs import Placed, assert_proven, at, between, directions, placed
from .test_distance import random_pair

pytestmark = pytest.mark.white_box

pytest.importorskip("trimesh")

SHAPES: list[Any] = [
    SphereShape(0.6), EllipsoidShape(1.0, 0.6, 0.4), BoxShape(1.0, 0.6, 0.4), CylinderShape(0.8, 1.0, "x"),
    ConeShape(0.8, 1.0, "y"), ConeShape(0.5, 1.0, "x", 0.9), CapsuleShape(0.5, 1.0, "y"), BeamShape(1.0, 0.5, 0.3, "z"),
]  # fmt: skip


def mesh(folder: Path, points: np.ndarray, name: str = "hull.obj", **more: Any) -> MeshShape:
    """The mesh of a convex hull as a file."""
    hull = ConvexHull(points)
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in points]
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = points[face]
        turned = np.cross(b - a, c - a) @ plane[:3] < 0.0
        lines.append("f " + " ".join(str(k + 1) for k in (face[::-1] if turned else face)))
    (folder / name).write_text("\n".join(lines))
    return MeshShape(str(folder / name), **more)


@pytest.mark.parametrize("count", [4, 9, 60, 300])
def test_distances_of_hulls_are_proven(tmp_path: Path, count: int) -> None:
    """A few points are all looked at, of many the neighbours are climbed."""
    hull = mesh(tmp_path, directions(count, count) * (0.5, 0.4, 0.3))
    for seed, other in enumerate([*SHAPES, hull, PlaneShape("y")]):
        for gap in (0.5, -1e-3, -0.05):
            for pair in (random_pair(hull, other, seed, gap), random_pair(other, hull, seed, gap)):
                assert_proven(*pair, between(*pair))


def test_a_mesh_like_a_box_has_its_distances(tmp_path: Path) -> None:
    box = BoxShape(1.0, 0.6, 0.4)
    corners = np.array(np.meshgrid([-0.5, 0.5], [-0.3, 0.3], [-0.2, 0.2])).reshape(3, -1).T
    hull = mesh(tmp_path, corners)
    for seed, other in enumerate(SHAPES):
        for gap in (0.3, -0.01):
            first, second = random_pair(box, other, seed, gap)
            assert between(first, second).d == pytest.approx(between(Placed(hull, first.R, first.p), second).d, abs=1e-13)


def test_triangles_in_one_plane_are_one_face() -> None:
    corners = np.array(np.meshgrid([0.0, 1.0], [0.0, 2.0], [0.0, 3.0])).reshape(3, -1).T
    hull = convex_hull(np.concatenate([corners, [(0.5, 1.0, 1.0)]]), "box")
    count = int(hull.faces[0])
    starts = hull.faces[1 : count + 2]
    assert len(hull.points) == 8
    assert count == 6
    assert np.diff(starts).tolist() == [4] * 6
    assert hull.centroid == pytest.approx([0.5, 1.0, 1.5], abs=1e-14)
    for k in range(count):
        face = hull.points[hull.faces[starts[k] : starts[k + 1]]]
        normal = np.cross(face[1] - face[0], face[2] - face[1])
        assert normal @ (face.mean(axis=0) - hull.centroid) > 0.0
        assert np.abs((face - face[0]) @ normal).max() < 1e-12


@pytest.mark.parametrize("shape", SHAPES)
def test_a_bounding_box_and_a_ball_hold_the_shape(shape: Any) -> None:
    row = shape_rows(shape, smoothing_radius=0.0 if isinstance(shape, ConeShape) else 0.03).table[0]
    points = shape.support(directions(2000)) @ np.eye(3)
    local = (points - row[P_BS : P_BS + 3]) @ row[2:11].reshape(3, 3) - row[MIDDLE : MIDDLE + 3]
    assert np.all(np.abs(local) <= row[HALF : HALF + 3] + 1e-12)
    assert np.abs(local).max(axis=0) == pytest.approx(row[HALF : HALF + 3], rel=0.05)
    inner = row[P_BS : P_BS + 3] + row[2:11].reshape(3, 3) @ row[INNER : INNER + 3]
    assert np.all(np.einsum("ij,ij->i", directions(2000), points - inner) > 0.05)
    sharp = shape_rows(shape).table[0]
    assert np.linalg.norm(local, axis=1).max() <= sharp[REACH] + 1e-12


SHARP = [
    BoxShape(1.0, 0.6, 0.4), CylinderShape(0.8, 1.0, "x"), BeamShape(1.0, 0.5, 0.3), ConeShape(0.8, 1.0),
    ConeShape(0.4, 1.0, "y", 0.9),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHARP)
@pytest.mark.parametrize("radius", [0.01, 0.1])
def test_smoothing_leaves_the_faces_and_rounds_the_edges(shape: Any, radius: float) -> None:
    """On the faces nothing changes; nowhere does the smooth shape reach beyond the sharp one."""
    for n in directions(200):
        plane = Placed(PlaneShape(), np.array([*np.linalg.svd(n[None])[2][1:], n]).T, -2.0 * n)
        sharp, smooth = between(plane, at(shape)), between(plane, at(shape, smoothing=radius))
        assert smooth.d >= sharp.d - 1e-13
        assert smooth.d - sharp.d < 1.75 * radius
    face = np.eye(3)["xyz".index(getattr(shape, "axis", "z"))]
    plane = Placed(PlaneShape(), np.array([*np.linalg.svd(face[None])[2][1:], face]).T, -2.0 * face)
    assert between(plane, at(shape, smoothing=radius)).d == pytest.approx(between(plane, at(shape)).d, abs=1e-13)


def test_smoothing_of_a_mesh_moves_no_face(tmp_path: Path) -> None:
    corners = np.array(np.meshgrid([-0.5, 0.5], [-0.3, 0.3], [-0.2, 0.2])).reshape(3, -1).T
    hull, box = mesh(tmp_path, corners), BoxShape(1.0, 0.6, 0.4)
    for seed in range(20):
        one, two = placed(hull, seed, smoothing=0.05), placed(SphereShape(0.2), 1, directions(1, seed)[0])
        assert between(one, two).d == pytest.approx(between(placed(box, seed, smoothing=0.05), two).d, abs=1e-12)


@pytest.mark.parametrize(
    "shape", [BoxShape(1.0, 0.6, 0.4), CylinderShape(0.4, 1.0), BeamShape(1.0, 0.5, 0.3), ConeShape(0.5, 1.0)]
)
def test_smoothing_that_leaves_nothing_is_refused(shape: Any) -> None:
    with pytest.raises(ModelError, match=r"(?s)smoothing_radius of a Solid.*less than"):
        shape_rows(shape, smoothing_radius=0.25)


def test_a_flat_mesh_cannot_collide(tmp_path: Path) -> None:
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3")
    with pytest.raises(ModelError, match=r"(?s)flat\.obj' cannot collide.*Take a thin Box"):
        shape_rows(MeshShape(str(tmp_path / "flat.obj")))


def test_a_concave_mesh_collides_as_its_convex_parts(tmp_path: Path) -> None:
    """A corner of two walls: what lies in it touches neither, though it is inside of the convex hull."""
    wall = np.array(np.meshgrid([0.0, 0.1], [0.0, 1.0], [0.0, 1.0])).reshape(3, -1).T
    mesh(tmp_path, wall, "wall.obj")
    mesh(tmp_path, wall[:, [1, 0, 2]], "other.obj")
    whole = mesh(tmp_path, np.concatenate([wall, wall[:, [1, 0, 2]]]), "corner.obj")
    shape = MeshShape(whole.file, convex_parts=[str(tmp_path / "wall.obj"), str(tmp_path / "other.obj")])
    assert len(shape_rows(whole).table) == 1
    table = shape_rows(shape).table
    assert len(table) == 2
    assert np.isclose(table[0, HALF : HALF + 3], [0.05, 0.5, 0.5]).all()
    assert np.isclose(table[1, HALF : HALF + 3], [0.5, 0.05, 0.5]).all()
    with pytest.raises(ModelError, match="convex_parts of Mesh"):
        MeshShape(whole.file, convex_parts="wall.obj")


def test_a_plane_has_no_mass() -> None:
    with pytest.raises(ModelError, match=r"(?s)a Plane has no volume.*contact_material"):
        SolidFeature(shape=PlaneShape(), solid_material="Steel")


@pytest.mark.parametrize("axis", "xyz")
def test_the_axis_of_a_plane_points_out_of_it(axis: str) -> None:
    found = between(at(PlaneShape(axis)), at(SphereShape(0.4), (1.0, 2.0, 3.0)))
    height = 1.0 + "xyz".index(axis)
    assert found.d == pytest.approx(height - 0.2, abs=1e-15)
    assert found.normal.tolist() == np.eye(3)["xyz".index(axis)].tolist()
    assert math.isinf(shape_rows(PlaneShape(axis)).table[0, REACH])
    assert shape_rows(PlaneShape(axis)).table[0, ROUND] == 0.0


def scenario(folder: Path, mesh_text: str) -> Path:
    path = folder / "scene" / "corner.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"""\
modia3d: 1
model:
  world: {{Object3D: {{feature: {{Scene: {{}}}}}}}}
  floor: {{Object3D: {{parent: world, feature: {{Visual: {{shape: {{Plane: {{axis: y}}}}}}}}}}}}
  corner: {{Object3D: {{parent: world, feature: {{Visual: {{shape: {{Mesh: {mesh_text}}}}}}}}}}}
simulation: {{stop_time: 1.0}}
""")
    return path


def test_planes_and_convex_parts_are_read_from_scenarios(tmp_path: Path) -> None:
    """Parts are looked for where the mesh is, and nowhere outside of the scenario's folder."""
    (tmp_path / "scene").mkdir()
    points = directions(20)
    mesh(tmp_path / "scene", points, "whole.obj")
    mesh(tmp_path / "scene", points, "part.obj")
    mesh(tmp_path, points, "outside.obj")
    found = read_scenario(scenario(tmp_path, "{file: whole.obj, convex_parts: [part.obj]}")).instantiate().flat.objects
    assert found["floor"].feature.shape == PlaneShape("y")
    assert len(found["corner"].feature.shape.convex_points()) == 1
    with pytest.raises(ModelError, match=r"outside\.obj"):
        read_scenario(scenario(tmp_path, "{file: whole.obj, convex_parts: [../outside.obj]}")).instantiate()


def test_a_plane_is_drawn_as_a_plate_below_its_origin() -> None:
    vertices, faces = surface(PlaneShape("y"))
    assert vertices[:, 1].max() == 0.0
    assert np.ptp(vertices, axis=0) == pytest.approx([20.0, 0.02, 20.0])
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", np.cross(b - a, c - a), a) / 6.0 == pytest.approx(20.0 * 20.0 * 0.02)
