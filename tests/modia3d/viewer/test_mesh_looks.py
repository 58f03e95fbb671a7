"""Colours and textures of the files of meshes are kept, or it is said that they are lost."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from modia3d import Mesh, Model3D, Object3D, Scene, Visual, VisualMaterial
from modia3d.viewer.animation import animate
from modia3d.viewer.html import page
from modia3d.viewer.mesh_materials import SurfaceMaterial, _piece
from modia3d.viewer.objects import Part, _part, parts_of
from modiapy import instantiate

from .pages import head_of

pytestmark = pytest.mark.white_box

SQUARE = """mtllib square.mtl
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl painted
f 1/1 2/2 3/3
usemtl plain
f 1/1 3/3 4/4
"""
COLORS = """newmtl painted
Kd 1 1 1
map_Kd paint.png
newmtl plain
Kd 0.2 0.4 0.6
d 0.5
"""


def shown(file: Path, scale: float = 1.0, **look: Any) -> tuple[list[Part], list[str]]:
    mesh = Object3D(parent="world", feature=Visual(Mesh(str(file), scale), **look))
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), mesh=mesh))
    (frame,) = animate(sim.simulate(0.1), sim.flat.components.items()).seen
    return parts_of(frame)


@pytest.fixture
def square(tmp_path: Path) -> Path:
    from PIL import Image

    (tmp_path / "square.obj").write_text(SQUARE)
    (tmp_path / "square.mtl").write_text(COLORS)
    picture = Image.new("RGB", (2, 2), (255, 0, 0))
    picture.putpixel((0, 0), (0, 255, 0))  # the upper left corner
    picture.save(tmp_path / "paint.png")
    return tmp_path / "square.obj"


def test_colors_and_textures_of_obj(square: Path) -> None:
    parts, lost = shown(square)
    assert lost == []
    (painted,), (plain,) = (
        [part for part in parts if (part.look.texture is not None) == textured] for textured in (True, False)
    )
    assert plain.look.color == pytest.approx((0.2, 0.4, 0.6), abs=0.01)
    assert plain.look.opacity == pytest.approx(0.5, abs=0.01)
    assert painted.coordinates is not None
    for point, place in zip(painted.points, painted.coordinates, strict=True):
        assert place == pytest.approx([point[0], 1.0 - point[1]])  # from the upper left corner


def test_a_material_of_the_scenario_replaces_those_of_the_file(square: Path) -> None:
    (part,), lost = shown(square, visual_material=VisualMaterial(color="Red"))
    assert part.look.color == (1.0, 0.0, 0.0)
    assert part.look.texture is None
    assert lost == []


def test_what_is_missing_is_told_in_the_page_and_by_a_warning(square: Path) -> None:
    (square.parent / "paint.png").unlink()
    parts, lost = shown(square)
    assert lost == ["a texture of the mesh 'square.obj' is lost: there is no 'paint.png'"]
    assert len(parts) == 2
    (square.parent / "square.mtl").unlink()
    _, lost = shown(square)
    assert lost == ["the colours of the mesh 'square.obj' are lost: there is no 'square.mtl'"]
    sim = instantiate(
        Model3D(world=Object3D(feature=Scene()), mesh=Object3D(parent="world", feature=Visual(Mesh(str(square)))))
    )
    with pytest.warns(UserWarning, match=r"there is no 'square\.mtl'"):
        text = page(animate(sim.simulate(0.1), sim.flat.components.items()))
    assert head_of(text)["lost"] == lost


@pytest.mark.parametrize("suffix", ["glb", "dae", "obj"])
def test_colors_of_several_objects_are_where_the_objects_are(tmp_path: Path, suffix: str) -> None:
    """Written by trimesh: a red cube on the left, a blue one on the right; all is scaled."""
    scene = trimesh.Scene()
    for x, color in ((-1.0, (255, 0, 0, 255)), (1.0, (0, 0, 255, 255))):
        cube = trimesh.creation.box((1.0, 1.0, 1.0))
        cube.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(baseColorFactor=color))
        if suffix == "obj":
            cube.visual = trimesh.visual.TextureVisuals(
                uv=np.zeros((len(cube.vertices), 2)), material=trimesh.visual.material.SimpleMaterial(diffuse=color)
            )
        cube.apply_translation((x, 0.0, 0.0))
        scene.add_geometry(cube, node_name=f"cube{x}", geom_name=f"cube{x}")
    file = tmp_path / f"cubes.{suffix}"
    if suffix == "dae":
        meshes = list(scene.geometry.values())
        file.write_bytes(trimesh.exchange.dae.export_collada(meshes))
    else:
        scene.export(file)
    parts, lost = shown(file, scale=2.0)
    assert lost == []
    found = {tuple(np.round(part.look.color, 2)): float(part.points[:, 0].mean()) for part in parts}
    assert found == {(1.0, 0.0, 0.0): pytest.approx(-2.0), (0.0, 0.0, 1.0): pytest.approx(2.0)}


def test_colors_of_vertices_and_faces(tmp_path: Path) -> None:
    cube = trimesh.creation.box((1.0, 1.0, 1.0))
    cube.visual.vertex_colors = [(255, 0, 0, 255) if x < 0 else (0, 255, 0, 255) for x, *_ in cube.vertices]
    cube.export(tmp_path / "cube.glb")
    (part,), _ = shown(tmp_path / "cube.glb")
    assert part.colors is not None
    for point, color in zip(part.points, part.colors, strict=True):
        assert color == pytest.approx((1.0, 0.0, 0.0) if point[0] < 0.0 else (0.0, 1.0, 0.0))


@pytest.mark.parametrize("kind", ["vertex colors", "face colors", "texture", "plain"])
@pytest.mark.parametrize("flat", [[(0, 0, 1)], [(0, 1, 2), (3, 3, 3)], [(0, 4, 0), (5, 5, 6)]])
def test_triangles_without_area_leave_as_many_normals_as_points(tmp_path: Path, kind: str, flat: list[Any]) -> None:
    """Of points, normals, colours and places in the texture there are equal numbers, and those left belong together."""
    from PIL import Image

    cube = trimesh.creation.box((1.0, 1.0, 1.0))
    ends = [(0.0, 0.0, 2.0), (0.5, 0.0, 2.0), (1.0, 0.0, 2.0), (3.0, 3.0, 3.0)]
    points = np.concatenate([cube.vertices, ends])
    faces = np.concatenate([[[8, 9, 10]], cube.faces[:5], np.array(flat) + 8 * (np.array(flat) < 4), cube.faces[5:]])
    mesh = trimesh.Trimesh(points, faces, process=False)
    if kind == "vertex colors":
        mesh.visual.vertex_colors = [(255 * (x > 0), 255 * (y > 0), 255 * (z > 0), 255) for x, y, z in points]
    elif kind == "face colors":
        mesh.visual.face_colors = [(20 * i, 0, 255 - 20 * i, 255) for i in range(len(faces))]
    elif kind == "texture":
        material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.new("RGB", (2, 2), (255, 0, 0)))
        mesh.visual = trimesh.visual.TextureVisuals(uv=0.5 + 0.5 * points[:, :2], material=material)
    file = tmp_path / f"cube.{'ply' if kind == 'face colors' else 'glb'}"
    mesh.export(file)
    if kind == "face colors":
        piece = _piece(trimesh.load_mesh(file, process=False), "cube.ply", [])
        parts = [_part(piece, SurfaceMaterial((1.0, 1.0, 1.0)))]
    else:
        parts, _ = shown(file)
    assert sum(len(part.triangles) for part in parts if part.triangles is not None) == 12
    for part in parts:
        assert part.triangles is not None
        assert part.normals is not None
        assert part.triangles.max() < len(part.points) == len(part.normals)
        assert np.linalg.norm(part.normals, axis=1) == pytest.approx(1.0, abs=1e-5)
        for values in (part.colors, part.coordinates):
            assert values is None or len(values) == len(part.points)
        corners = part.points[part.triangles]
        flats = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        flats /= np.linalg.norm(flats, axis=1)[:, None]
        assert np.einsum("ij,ikj->ik", flats, part.normals[part.triangles]).min() > 0.9
        if kind == "vertex colors":
            assert part.colors is not None
            assert part.colors == pytest.approx((part.points > 0.0).astype(float))
        if kind == "texture" and part.coordinates is not None:
            assert part.coordinates[:, 0] == pytest.approx(0.5 + 0.5 * part.points[:, 0], abs=1e-6)


def test_a_mesh_of_triangles_without_area_alone_is_seen_as_nothing(tmp_path: Path) -> None:
    mesh = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], process=False)
    mesh.visual.vertex_colors = [(255, 0, 0, 255), (0, 255, 0, 255), (0, 0, 255, 255)]
    mesh.export(tmp_path / "line.glb")
    for part in shown(tmp_path / "line.glb")[0]:
        assert part.normals is not None
        assert len(part.points) == len(part.normals)
        assert part.triangles is not None
        assert len(part.triangles) == 0
