"""Meshes from files: mass properties, units, where a file may be, and broken files."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh

from modia3d import Box, MassProperties, MassPropertiesFromShapeAndMass, Mesh, Model3D, Object3D, Scene, Solid
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import ModelError, ModiaError, instantiate
from tests.modia3d.scenes import made

pytestmark = pytest.mark.white_box

R = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])


def brick(file: Path, *, scale: float = 1.0) -> Path:
    """A turned and shifted cuboid of 0.2 m x 0.4 m x 0.6 m in a file."""
    mesh = trimesh.creation.box((0.2, 0.4, 0.6))
    mesh.apply_transform(R)
    mesh.apply_translation((1.0, 2.0, 3.0))
    mesh.apply_scale(scale)
    file.parent.mkdir(exist_ok=True)
    mesh.export(file)
    return file


def test_a_mesh_may_be_scaled_and_mirrored_along_each_axis(tmp_path):
    file = brick(tmp_path / "brick.stl")
    plain, mirrored = made(Mesh(str(file))), made(Mesh(str(file), scale=(1.0, -2.0, 3.0)))
    assert mirrored.volume == pytest.approx(6.0 * plain.volume)
    assert np.allclose(mirrored.centroid, np.array(plain.centroid) * (1.0, -2.0, 3.0))


def test_the_unit_of_a_collada_file_counts(tmp_path):
    file = brick(tmp_path / "brick.dae", scale=100.0)
    text = file.read_text()
    file.write_text(text.replace("</asset>", '<unit name="centimeter" meter="0.01"/></asset>'))
    assert made(Mesh(str(file))).volume == pytest.approx(0.2 * 0.4 * 0.6, rel=1e-5)
    file.write_text('<!DOCTYPE COLLADA [<!ENTITY a "a">]>' + text)
    with pytest.raises(ModelError, match="entities are not read"):
        made(Mesh(str(file)))


@pytest.mark.parametrize("scale", [(1.0, 0.0, 1.0), (1.0, 2.0), "big", -1.0])
def test_a_wrong_scale_is_named(tmp_path, scale):
    with pytest.raises(ModelError, match="scale"):
        made(Mesh(str(brick(tmp_path / "brick.stl")), scale=scale))


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".glb", ".gltf", ".STL", ".dae"])
def test_a_cuboid_in_a_file_weighs_what_a_box_weighs(tmp_path, suffix):
    file = brick(tmp_path / f"brick{suffix.lower()}", scale=1000.0)
    file = file.rename(tmp_path / f"brick{suffix}")
    solid = made(Solid(shape=Mesh(str(file), scale=0.001), solid_material="Aluminium"))
    inertia = solid.inertia()
    box = made(Box(0.2, 0.4, 0.6))
    assert inertia.mass == pytest.approx(2700 * box.volume, rel=1e-5)
    assert inertia.center_of_mass == pytest.approx((1.0, 2.0, 3.0), rel=1e-5)
    xy, xz, yz = inertia.products
    matrix = np.diag(inertia.moments) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
    expected = inertia.mass * R[:3, :3] @ np.diag(box.inertia_per_mass) @ R[:3, :3].T
    assert np.allclose(matrix, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


def test_the_bounding_box_is_that_of_the_vertices(tmp_path):
    shape = made(Mesh(str(brick(tmp_path / "brick.stl"))))
    assert np.array_equal(shape.bounding_box, shape.surface().bounds)


def test_a_surface_that_looks_inward_is_turned(tmp_path):
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.5)
    mesh.invert()
    mesh.export(tmp_path / "ball.stl")
    shape = made(Mesh(str(tmp_path / "ball.stl")))
    assert shape.volume == pytest.approx(np.pi / 6, rel=5e-3)
    assert shape.inertia_per_mass == pytest.approx((0.1,) * 3, rel=5e-3)


def test_a_surface_with_holes_is_refused_unless_its_mass_is_given(tmp_path):
    mesh = trimesh.creation.box((1, 1, 1))
    mesh.update_faces(np.arange(len(mesh.faces)) > 0)
    mesh.export(tmp_path / "open.obj")
    shape = Mesh(str(tmp_path / "open.obj"))
    with pytest.raises(ModelError, match=r"no volume; found a surface with holes of 9.1 % of it; .*MassProperties"):
        made(Solid(shape=shape, mass_properties=MassPropertiesFromShapeAndMass(1.0)))
    assert made(Solid(shape=shape, mass_properties=MassProperties(mass=1.0))).inertia().mass == 1.0


def test_a_changed_file_is_read_again(tmp_path):
    file = brick(tmp_path / "brick.stl")
    before = made(Mesh(str(file))).volume
    brick(file, scale=2.0)
    assert made(Mesh(str(file))).volume == pytest.approx(8 * before, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("hull.stl", None, ["part", "file of Mesh", "'hull.stl'", "no file"]),
        ("hull.step", b"", ["'hull.step'", ".obj, .stl, .gltf, .glb"]),
        ("hull.glb", b"nonsense", ["cannot be read"]),
        ("hull.obj", b"v 0 0 0\n", ["hull.obj"]),
        ("", None, ["file of Mesh"]),
    ],
)
def test_a_wrong_file_is_named(tmp_path, monkeypatch, name, content, words):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(ModelError) as caught:
        made(Mesh(name))
    for word in words:
        assert word in str(caught.value)


def test_without_trimesh_the_extra_is_named(tmp_path, monkeypatch):
    file = brick(tmp_path / "brick.stl")
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ModelError, match=r"pip install modia3d\[mesh\]"):
        made(Mesh(str(file)))


def test_trimesh_is_imported_for_meshes_only():
    code = "import sys, modia3d; modia3d.Model3D; modia3d.Mesh; print('trimesh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


# -- scenarios ---------------------------------------------------------------------------------------------------------

SCENARIO = """\
modia3d: 1
definitions:
  Part: {Solid: {shape: {Mesh: brick.stl}, solid_material: Steel}}
model:
  world: {Object3D: {feature: {Scene: {}}}}
  body:
    Object3D: {fixed_to_parent: false, feature: FEATURE}
simulation: {stop_time: 0.1}
"""


def scenario(folder: Path, feature: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "scene.yaml"
    file.write_text(SCENARIO.replace("FEATURE", feature))
    return file


def test_a_path_begins_at_the_folder_of_the_scenario(tmp_path, monkeypatch):
    brick(tmp_path / "scene" / "brick.stl")
    file = scenario(tmp_path / "scene", "{Part: {}}")
    monkeypatch.chdir(tmp_path)
    result = read_scenario("scene/scene.yaml").instantiate().simulate(0.1)
    assert result["body.v_abs"][-1, 1] == pytest.approx(-0.981, rel=1e-6)
    assert read_scenario(file).instantiate() is not None


@pytest.mark.parametrize("how", ["relative", "absolute", "link", "modified"])
def test_a_file_outside_is_refused_unless_its_folder_is_permitted(tmp_path, how):
    outside = brick(tmp_path / "other" / "brick.stl")
    brick(tmp_path / "scene" / "brick.stl")
    name = {"absolute": str(outside), "link": "link.stl"}.get(how, "../other/brick.stl")
    if how == "link":
        (tmp_path / "scene" / "link.stl").symlink_to(outside)
    solid = f"{{Solid: {{shape: {{Mesh: '{name}'}}, solid_material: Steel}}}}"
    file = scenario(tmp_path / "scene", f"{{Part: {{shape: {{file: '{name}'}}}}}}" if how == "modified" else solid)
    with pytest.raises(ModelError) as caught:
        read_scenario(file).instantiate()
    for word in ("body", "outside of the permitted folders", name, "--permit"):
        assert word in str(caught.value)
    assert caught.value.line is not None
    read_scenario(file, permitted=[tmp_path / "other"]).instantiate()


@pytest.mark.parametrize(
    "feature",
    [
        "{Solid: {shape: {Mesh: {file: ../other/brick.stl, folders: ['/']}}, solid_material: Steel}}",
        "{Part: {shape: {file: ../other/brick.stl, folders: ['/']}}}",
    ],
)
def test_a_scenario_cannot_permit_folders_to_itself(tmp_path, feature):
    brick(tmp_path / "other" / "brick.stl")
    brick(tmp_path / "scene" / "brick.stl")
    with pytest.raises(ModiaError, match=r"outside of the permitted folders|unknown key 'folders'"):
        read_scenario(scenario(tmp_path / "scene", feature)).instantiate()


def test_a_gltf_file_cannot_fetch_its_data_from_outside(tmp_path):
    brick(tmp_path / "scene" / "brick.gltf")
    assert made(Mesh(str(tmp_path / "scene" / "brick.gltf"))).volume > 0.0
    text = (tmp_path / "scene" / "brick.gltf").read_text()
    for data in list((tmp_path / "scene").glob("*.bin")):
        text = text.replace(f'"{data.name}"', f'"../{data.name}"')
        data.rename(tmp_path / data.name)
    (tmp_path / "scene" / "brick.gltf").write_text(text)
    with pytest.raises(ModelError, match="cannot be read"):
        made(Mesh(str(tmp_path / "scene" / "brick.gltf")))


def test_the_command_line_permits_folders(tmp_path, capsys):
    brick(tmp_path / "other" / "brick.stl")
    file = scenario(tmp_path / "scene", "{Solid: {shape: {Mesh: ../other/brick.stl}, solid_material: Steel}}")
    text = file.read_text()
    file.write_text("\n".join(line for line in text.splitlines() if not line.startswith(("definitions", "  Part"))))
    assert main(["check", str(file)]) != 0
    assert "outside of the permitted folders" in capsys.readouterr().err
    assert main(["check", str(file), "--permit", str(tmp_path / "other")]) == 0


def test_a_mesh_falls_like_any_body(tmp_path):
    solid = Solid(shape=Mesh(str(brick(tmp_path / "brick.obj"))), solid_material="Steel")
    model = Model3D(world=Object3D(feature=Scene()), body=Object3D(fixed_to_parent=False, feature=solid))
    result = instantiate(model).simulate(1.0)
    assert result["body.r_abs"][-1, 1] == pytest.approx(-0.5 * 9.81, rel=1e-5)
