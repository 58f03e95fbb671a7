"""A concave mesh is decomposed into convex parts, where the package for that is installed."""

import sys

import numpy as np
import pytest
import trimesh

from modia3d.collision.shapes import shape_rows
from modia3d.scene.shapes import MeshShape
from modiapy import ModelError

pytestmark = pytest.mark.white_box


@pytest.fixture
def corner(tmp_path):
    """An L of two bars, 2 m long and 1 m wide, extruded by 1 m: its hull is a sixth larger than it."""
    outline = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], dtype=float)
    low, high = (np.column_stack([outline, np.full(6, z)]) for z in (0.0, 1.0))
    caps = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    triangles = [face[::-1] for face in caps] + [tuple(i + 6 for i in face) for face in caps]
    for i in range(6):
        j = (i + 1) % 6
        triangles += [(i, j, j + 6), (i, j + 6, i + 6)]
    file = tmp_path / "corner.obj"
    trimesh.Trimesh(np.concatenate([low, high]), triangles).export(file)
    return str(file)


def test_parts_fill_a_concave_mesh_and_leave_its_hollow(corner):
    pytest.importorskip("coacd")
    shape = MeshShape(corner, scale=0.5, decompose=True)
    assert len(shape_rows(shape).table) > 1
    volume = sum(trimesh.convex.convex_hull(points).volume for points in shape.convex_points())
    assert volume == pytest.approx(3.0 / 8.0, rel=0.03)
    again = MeshShape(corner, scale=0.5, decompose=True).convex_points()
    assert all(np.array_equal(one, other) for one, other in zip(shape.convex_points(), again, strict=True))


def test_without_the_package_its_name_is_told(corner, monkeypatch):
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(ModelError, match=r"modia3d\[decompose\]"):
        MeshShape(corner, scale=0.25, decompose=True).convex_points()


def test_parts_are_given_or_found(corner):
    with pytest.raises(ModelError, match="decompose of Mesh"):
        MeshShape(corner, convex_parts=[corner], decompose=True)
    with pytest.raises(ModelError, match="decompose of Mesh"):
        MeshShape(corner, decompose="yes")
