"""Meshes with small holes: mass properties near those of the whole, where the user allows it, and how far off they may be."""

import re
import warnings

import numpy as np
import pytest

from modia3d.scene.shapes import MeshShape
from modiapy import ModelError

pytestmark = pytest.mark.white_box

trimesh = pytest.importorskip("trimesh")
OFFSET = np.array([5.0, -2.0, 1.0])


def sphere(tmp_path, remove, name="sphere.stl"):
    """A sphere of 0.3 m far from the origin without some of its 5120 triangles."""
    mesh = trimesh.creation.icosphere(4, 0.3)
    mesh.apply_translation(OFFSET)
    keep = np.ones(len(mesh.faces), dtype=bool)
    keep[list(remove)] = False
    mesh.update_faces(keep)
    mesh.export(tmp_path / name)
    return str(tmp_path / name)


def percent(text, what):
    return float(re.search(rf"{what}.*?([\d.e-]+) %", text)[1])


def test_mass_properties_are_those_of_the_whole_within_what_the_warning_says(tmp_path):
    """A cap of the sphere is cut off; the integrals do not depend on how far the origin is."""
    whole = MeshShape(sphere(tmp_path, (), "whole.stl"))
    mesh = trimesh.creation.icosphere(4, 0.3)
    cap = np.flatnonzero(mesh.triangles_center[:, 2] > 0.285)
    assert len(cap) > 20
    cut = MeshShape(sphere(tmp_path, cap), watertight=False)
    with pytest.warns(UserWarning, match="holes of") as caught:
        volume = cut.volume
    text = str(caught[0].message)
    assert percent(text, "holes of") == pytest.approx(100.0 * mesh.area_faces[cap].sum() / mesh.area, rel=0.1)
    wrong = abs(volume / whole.volume - 1.0)
    assert 0.0 < 100.0 * wrong < percent(text, "uncertain by about")
    np.testing.assert_allclose(cut.centroid, whole.centroid, atol=2e-3)
    np.testing.assert_allclose(cut.inertia_per_mass, whole.inertia_per_mass, rtol=2e-2)


def test_single_missing_triangles_change_nothing(tmp_path):
    whole = MeshShape(sphere(tmp_path, (), "whole.stl"))
    cut = MeshShape(sphere(tmp_path, (7, 900, 3000)), watertight=False)
    with pytest.warns(UserWarning, match=r"0\.0\d+ % of its surface"):
        assert cut.volume == pytest.approx(whole.volume, rel=1e-6)
    assert cut.products_per_mass == pytest.approx(whole.products_per_mass, abs=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert whole.volume > 0.0
        assert MeshShape(whole.file, watertight=False).volume == whole.volume
        assert cut.volume > 0.0  # told once


def test_holes_are_refused_without_permission_and_where_they_are_large(tmp_path):
    file = sphere(tmp_path, range(40))
    with pytest.raises(ModelError, match=r"surface with holes.*watertight=False"):
        _ = MeshShape(file).volume
    half = sphere(tmp_path, range(2500), "half.stl")
    with pytest.raises(ModelError, match=r"holes of .* % of the surface; expected at most 10 %"):
        _ = MeshShape(half, watertight=False).volume


def test_walls_that_meet_in_an_edge_are_no_holes(tmp_path):
    """Two cubes that share an edge: four triangles meet there, and every edge has as many on one side as on the other."""
    one, two = trimesh.creation.box((1.0, 1.0, 1.0)), trimesh.creation.box((1.0, 1.0, 1.0))
    two.apply_translation((1.0, 1.0, 0.0))
    both = trimesh.util.concatenate([one, two])
    both.merge_vertices()
    assert not both.is_watertight
    both.export(tmp_path / "both.obj")
    with pytest.raises(ModelError, match=r"edges at which more than two triangles meet.*watertight=False"):
        _ = MeshShape(str(tmp_path / "both.obj")).volume
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MeshShape(str(tmp_path / "both.obj"), watertight=False).volume == pytest.approx(2.0, rel=1e-12)
