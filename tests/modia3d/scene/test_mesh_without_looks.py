"""The geometry of meshes is read whatever becomes of their looks; what of these is lost is told."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from modia3d.files import import_urdf
from modia3d.scene.shapes.mesh import MeshShape
from modia3d.viewer.mesh_materials import mesh_materials
from modiapy import ModelError

pytestmark = pytest.mark.white_box

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
SQUARES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
INPUTS = {"VERTEX": "v", "NORMAL": "n", "TEXCOORD": "t"}


def source(name: str, values: list[tuple[float, ...]], axes: str) -> str:
    numbers = " ".join(str(x) for row in values for x in row)
    params = "".join(f'<param name="{axis}" type="float"/>' for axis in axes)
    accessor = f'<accessor source="#{name}a" count="{len(values)}" stride="{len(axes)}">{params}</accessor>'
    array = f'<float_array id="{name}a" count="{len(values) * len(axes)}">{numbers}</float_array>'
    return f'<source id="{name}">{array}<technique_common>{accessor}</technique_common></source>'


def faces(kind: str, order: str = "VERTEX NORMAL TEXCOORD") -> str:
    """The faces of a cube; the index of the normal and of the place in the texture are others than that of the point."""
    polygons = [
        square if kind in ("polylist", "polygons") else part
        for square in SQUARES
        for part in ((square[0], *square[1:3]), (square[0], *square[2:4]))[: 1 if kind in ("polylist", "polygons") else 2]
    ]
    offsets = {semantic: place for place, semantic in enumerate(order.split())}
    rows = [" ".join(str({"VERTEX": i, "NORMAL": k % 6, "TEXCOORD": 0}[s]) for i in polygon for s in order.split())
            for k, polygon in enumerate(polygons)]  # fmt: skip
    inputs = "".join(f'<input semantic="{s}" source="#{INPUTS[s]}@" offset="{offsets[s]}"/>' for s in order.split())
    if kind in ("polygons", "tristrips", "trifans"):
        content = "".join(f"<p>{row}</p>" for row in rows)
    else:
        content = f"<p>{' '.join(rows)}</p>"
    count = f"<vcount>{' '.join('4' for _ in polygons)}</vcount>" if kind == "polylist" else ""
    return f'<{kind} material="s@" count="{len(polygons)}">{inputs}{count}{content}</{kind}>'


def cube(number: int, kind: str = "triangles", order: str = "VERTEX NORMAL TEXCOORD") -> str:
    normals = [(0.0, 0.0, 1.0)] * 6
    text = source("p@", CORNERS, "XYZ") + source("n@", normals, "XYZ") + source("t@", [(0.5, 0.5)], "ST")
    text += '<vertices id="v@"><input semantic="POSITION" source="#p@"/></vertices>' + faces(kind, order)
    return f'<geometry id="g@"><mesh>{text}</mesh></geometry>'.replace("@", str(number))


LAMBERT = "<technique sid='c'><lambert><diffuse>{}</diffuse></lambert></technique>"
RED = f"<profile_COMMON>{LAMBERT.format('<color>1 0 0 1</color>')}</profile_COMMON>"
TEXTURE = LAMBERT.format('<texture texture="sam" texcoord="UV"/>')
PICTURE = '<newparam sid="sur"><surface type="2D"><init_from>im</init_from></surface></newparam>'
SAMPLER = '<newparam sid="sam"><sampler2D><source>sur</source></sampler2D></newparam>'


def document(
    effect: str = RED, kind: str = "triangles", order: str = "VERTEX NORMAL TEXCOORD", images: str = "", unit: str = "1"
) -> str:
    """Two cubes of 1 m3 beside each other, of which the first one is red and the second one looks as ``effect`` says."""
    effects = f'<effect id="e0">{RED}</effect><effect id="e1">{effect}</effect>'
    materials = "".join(f'<material id="m{i}"><instance_effect url="#e{i}"/></material>' for i in (0, 1))
    bound = (
        '<bind_material><technique_common><instance_material symbol="s{0}" target="#m{0}"/></technique_common></bind_material>'
    )
    nodes = "".join(
        f'<node id="o{i}"><translate>{3 * i} 0 0</translate><instance_geometry url="#g{i}">{bound.format(i)}'
        "</instance_geometry></node>"
        for i in (0, 1)
    )
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">'
        f'<asset><unit meter="{unit}"/><up_axis>Z_UP</up_axis></asset>{images}<library_effects>{effects}</library_effects>'
        f"<library_materials>{materials}</library_materials><library_geometries>{cube(0, kind, order)}{cube(1, kind, order)}"
        f'</library_geometries><library_visual_scenes><visual_scene id="S">{nodes}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#S"/></scene></COLLADA>'
    )


def library(text: str) -> str:
    return f"<library_images>{text}</library_images>"


GOOD = document()
BROKEN = {
    "no surface": document(f"<profile_COMMON>{SAMPLER}{TEXTURE}</profile_COMMON>"),
    "no sampler": document(f"<profile_COMMON>{TEXTURE}</profile_COMMON>"),
    "no image": document(f"<profile_COMMON>{PICTURE}{SAMPLER}{TEXTURE}</profile_COMMON>"),
    "no file of the image": document(
        f"<profile_COMMON>{PICTURE}{SAMPLER}{TEXTURE}</profile_COMMON>",
        images=library('<image id="im"><init_from>no.png</init_from></image>'),
    ),
    "image without a name": document(
        f"<profile_COMMON>{PICTURE}{SAMPLER}{TEXTURE}</profile_COMMON>", images=library('<image id="im"/>')
    ),
    "empty effect": document(""),
    "empty profile": document("<profile_COMMON/>"),
    "color of words": document(f"<profile_COMMON>{LAMBERT.format('<color>red</color>')}</profile_COMMON>"),
    "no effect": GOOD.replace('url="#e1"', 'url="#nothing"'),
    "effect elsewhere": GOOD.replace('url="#e1"', 'url="other.dae#e1"'),
    "no material": GOOD.replace('target="#m1"', 'target="#nothing"'),
    "empty target": GOOD.replace('target="#m1"', 'target=""'),
    "empty symbol": GOOD.replace('symbol="s1"', 'symbol=""').replace('material="s1"', 'material=""'),
    "no library of materials": re.sub(r"<library_materials>.*</library_materials>", "", GOOD),
    "no library of effects": re.sub(r"<library_effects>.*</library_effects>", "", GOOD),
    "no normals": GOOD.replace('source="#n1"', 'source="#nothing"'),
    "normals of words": GOOD.replace(source("n1", [(0.0, 0.0, 1.0)] * 6, "XYZ"), source("n1", [("x",) * 3] * 6, "XYZ")),
    "too few normals": GOOD.replace(source("n1", [(0.0, 0.0, 1.0)] * 6, "XYZ"), source("n1", [(0.0, 0.0, 1.0)], "XYZ")),
    "no places in the texture": GOOD.replace('source="#t1"', 'source="#nothing"'),
    "no camera": GOOD.replace('<node id="o1">', '<node id="o1"><instance_camera url="#no"/>'),
    "no light": GOOD.replace('<node id="o1">', '<node id="o1"><instance_light url="#no"/>'),
    "lines": GOOD.replace("</vertices><triangles", '</vertices><linestrips count="1"/><triangles'),
    "curves that are not shown": GOOD.replace('<geometry id="g0">', '<geometry id="c"><spline/></geometry><geometry id="g0">'),
}  # fmt: skip


def written(folder: Path, text: str) -> MeshShape:
    (folder / "two.dae").write_text(text)
    return MeshShape(str(folder / "two.dae"))


def is_two_cubes(shape: MeshShape) -> None:
    assert shape.volume == pytest.approx(2.0)
    assert shape.centroid == pytest.approx((2.0, 0.5, 0.5))
    assert shape.bounding_box == ((0.0, 0.0, 0.0), (4.0, 1.0, 1.0))
    assert shape.inertia_per_mass[0] == pytest.approx(1.0 / 6.0)


@pytest.mark.parametrize("case", BROKEN)
def test_geometry_of_collada_is_whole(tmp_path: Path, case: str) -> None:
    assert BROKEN[case] != GOOD
    shape = written(tmp_path, BROKEN[case])
    is_two_cubes(shape)
    pieces, lost = mesh_materials(shape)
    if pieces:
        assert sum(len(piece.faces) for piece in pieces) == 24
        assert pieces[0].look is not None
        assert pieces[0].look.color == pytest.approx((1.0, 0.0, 0.0))
    no_looks = ("camera", "light", "line", "curve", "empty symbol", "empty profile", "places", "normals")
    assert lost or any(word in case for word in no_looks)


@pytest.mark.parametrize("case", ["no surface", "no material", "no normals"])
def test_what_is_lost_stands_in_the_report_of_an_import(tmp_path: Path, case: str) -> None:
    written(tmp_path, BROKEN[case])
    mesh = '<visual><geometry><mesh filename="two.dae"/></geometry>{}</visual>'
    color = '<material name="blue"><color rgba="0 0 1 1"/></material>'
    for material in ("", color):
        (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a">{mesh.format(material)}</link></robot>')
        model = import_urdf(tmp_path / "robot.urdf")
        told = [line for line in model.report if "left out: looks of meshes" in line]
        assert len(told) == (case != "no normals" and material == "")
        assert all("'two.dae'" in line for line in told)


@pytest.mark.parametrize("kind", ["triangles", "polylist", "polygons", "tristrips", "trifans"])
@pytest.mark.parametrize("order", ["VERTEX NORMAL TEXCOORD", "TEXCOORD NORMAL VERTEX", "NORMAL VERTEX"])
def test_all_kinds_of_faces(tmp_path: Path, kind: str, order: str) -> None:
    is_two_cubes(written(tmp_path, document(kind=kind, order=order)))


def test_nodes_and_instances(tmp_path: Path) -> None:
    """A node of the library that is shown twice, turned and scaled."""
    node = '<library_nodes><node id="part"><instance_geometry url="#g0"/></node></library_nodes><library_visual_scenes>'
    text = GOOD.replace("<library_visual_scenes>", node)
    places = '<node><scale>2 2 2</scale><instance_node url="#part"/></node>'
    places += '<node><translate>5 0 0</translate><rotate>0 0 1 90</rotate><instance_node url="#part"/></node>'
    shape = written(tmp_path, re.sub(r'<node id="o0">.*</node>', places, text))
    assert shape.volume == pytest.approx(9.0)
    assert np.allclose(shape.bounding_box, ((0, 0, 0), (5, 2, 2)), atol=1e-6)


WRONG = {
    "no geometry": (GOOD.replace('url="#g1"', 'url="#nothing"'), "nothing not found"),
    "no points": (GOOD.replace('source="#p1"', 'source="#nothing"'), "cannot be read"),
    "point too far": (GOOD.replace("<p>0 ", "<p>99 "), "cannot be read"),
    "skeleton": (GOOD.replace('<node id="o1">', '<node id="o1"><instance_controller url="#c"/>'), "bent by a skeleton"),
    "no scene": (GOOD.replace("<scene>", "<nothing>").replace("</scene>", "</nothing>"), "cannot be read"),
    "entities": (GOOD.replace("<COLLADA", '<!DOCTYPE COLLADA [<!ENTITY a "a">]><COLLADA'), "entities are not read"),
    "not XML": (GOOD.replace("</asset>", ""), "not well-formed"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_geometry_that_is_lost_is_no_mesh(tmp_path: Path, case: str, encoding: str) -> None:
    text, words = WRONG[case]
    assert text != GOOD
    (tmp_path / "two.dae").write_bytes(text.replace('<?xml version="1.0"?>', "").encode(encoding))
    with pytest.raises(ModelError, match=words):
        MeshShape(str(tmp_path / "two.dae"))


def test_a_unit_is_told_by_the_import(tmp_path: Path) -> None:
    """COLLADA in millimetres: scaled here, not in other programs."""
    assert written(tmp_path, document(unit="0.001")).volume == pytest.approx(2e-9)
    mesh = '<visual><geometry><mesh filename="two.dae"/></geometry></visual>'
    (tmp_path / "robot.urdf").write_text(f'<robot name="r"><link name="a">{mesh}{mesh}</link></robot>')
    told = [line for line in import_urdf(tmp_path / "robot.urdf").report if "units of" in line]
    assert told == ["meshes in units of 0.001 m are scaled to metres (not by coal and trimesh)"]


def gltf() -> dict[str, Any]:
    """Two cubes, one with a texture, in a document with data inside."""
    from PIL import Image

    scene = trimesh.Scene()
    picture = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.new("RGB", (2, 2), (255, 0, 0)))
    for number in (0, 1):
        box = trimesh.creation.box((1, 1, 1))
        box.apply_translation((0.5 + 3 * number, 0.5, 0.5))
        if number:
            box.visual = trimesh.visual.TextureVisuals(uv=np.zeros((8, 2)), material=picture)
        scene.add_geometry(box, geom_name=f"g{number}")
    files = trimesh.exchange.gltf.export_gltf(scene, include_normals=True)
    found: dict[str, Any] = json.loads(files["model.gltf"])
    for buffer in found["buffers"]:
        data = base64.b64encode(files[buffer["uri"]]).decode()
        buffer["uri"] = f"data:application/octet-stream;base64,{data}"
    return found


def attribute(name: str) -> Any:
    def change(document: dict[str, Any]) -> None:
        document["meshes"][1]["primitives"][0]["attributes"][name] = 99

    return change


def material(document: dict[str, Any]) -> None:
    document["meshes"][1]["primitives"][0]["material"] = 99


GLTF = {
    "as it is": (lambda document: None, 0),
    "no material": (material, 1),
    "no materials": (lambda document: document.pop("materials"), 1),
    "no textures": (lambda document: document.pop("textures"), 1),
    "no images": (lambda document: document.pop("images"), 1),
    "no file of the image": (lambda document: document.update(images=[{"uri": "no.png"}]), 1),
    "no normals": (attribute("NORMAL"), 1),
    "no places in the texture": (attribute("TEXCOORD_0"), 1),
    "materials of another kind": (lambda document: document.update(materials="none"), 1),
}


@pytest.mark.parametrize("case", GLTF)
@pytest.mark.parametrize("suffix", ["gltf", "glb"])
def test_geometry_of_gltf_is_whole(tmp_path: Path, case: str, suffix: str) -> None:
    change, told = GLTF[case]
    found = gltf()
    change(found)
    text = json.dumps(found).encode()
    if suffix == "glb":
        text += b" " * (-len(text) % 4)
        text = b"glTF" + np.array([2, 20 + len(text), len(text), 0x4E4F534A], dtype="<u4").tobytes() + text
    (tmp_path / f"two.{suffix}").write_bytes(text)
    shape = MeshShape(str(tmp_path / f"two.{suffix}"))
    is_two_cubes(shape)
    pieces, lost = mesh_materials(shape)
    assert not pieces or sum(len(piece.faces) for piece in pieces) == 24
    assert len(lost) == told or (suffix == "glb" and case == "no file of the image")


@pytest.mark.parametrize(
    "materials", ["", "newmtl a\nmap_Kd no.png\n", "newmtl a\nKd x y z\n", "newmtl a\nmap_Kd bad.png\n", "\xff"]
)
def test_geometry_of_obj_is_whole(tmp_path: Path, materials: str) -> None:
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    squares = "".join(f"f {' '.join(str(i + 1) + '/9/9' for i in square)}\n" for square in SQUARES)
    (tmp_path / "bad.png").write_bytes(b"no picture")
    (tmp_path / "one.mtl").write_text(materials, encoding="latin-1")
    (tmp_path / "one.obj").write_text(f"mtllib one.mtl\n{points}usemtl a\n{squares}")
    assert MeshShape(str(tmp_path / "one.obj")).volume == pytest.approx(1.0)
    (tmp_path / "one.mtl").unlink()
    shape = MeshShape(str(tmp_path / "one.obj"))
    assert shape.volume == pytest.approx(1.0)
    assert "there is no 'one.mtl'" in "".join(mesh_materials(shape)[1])


def test_sizes_of_many_orders_keep_the_extent(tmp_path: Path) -> None:
    """A convex hull of points 1e13 apart loses corners of the near ones."""
    ball = trimesh.creation.icosphere(1)
    points = np.array(ball.vertices)
    points[5, 1] = 3.5e13
    trimesh.Trimesh(points, ball.faces, process=False).export(tmp_path / "ball.stl")
    shape = MeshShape(str(tmp_path / "ball.stl"))
    far = np.concatenate([np.diag(shape._farthest(np.eye(3))), np.diag(shape._farthest(-np.eye(3)))])
    assert far == pytest.approx(np.concatenate([shape.bounding_box[1], shape.bounding_box[0]]))
