"""Files of robots and meshes with mistakes in them: each is read or refused in words, after little work in little memory."""

import re
import warnings
from contextlib import suppress
from random import Random

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.files import import_mjcf, import_urdf
from modia3d.scene.shapes.mesh import MeshShape
from modia3d.topology.build import build_graph
from modiapy import ModelError, ModiaError
from modiapy.symbolic.flattening.evaluate import evaluate
from tests.effort import effort

from .test_mjcf import ARM, BALLS, FREE

pytestmark = pytest.mark.white_box

EVIL = ["0", "-1", "999999999", "1e308", "-1e308", "1e-320", "nan", "inf", "x", "", "1 2", "1e400", "world", "4294967295", "é"]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
VALUE = re.compile(r'="([^"]*)"')
SEEDS = st.integers(0, 2**32)
FORMATS = [".dae", ".obj", ".stl", ".glb", ".gltf"]
LINK = """<link name="{0}"><inertial><origin xyz="0 0 0.1" rpy="0 0.1 0"/><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<visual><origin xyz="0 0 1"/><geometry>{1}</geometry><material name="m"/></visual></link>"""
URDF = f"""<robot name="r"><material name="m"><color rgba="1 0 0 1"/></material>
{LINK.format("a", '<box size="1 2 3"/>')}{LINK.format("b", '<cylinder radius="0.1" length="1"/>')}
{LINK.format("c", '<mesh filename="brick.stl" scale="1 1 1"/>')}
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 1" rpy="0 0 0.3"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="0.1" friction="0"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 1"/>
<limit lower="-1" upper="1"/><mimic joint="j" multiplier="2" offset="0.1"/></joint></robot>"""
MJCF = [f"<mujoco>{text}</mujoco>" for text in (ARM, FREE, BALLS)]


def damaged_text(text, random):
    """Values replaced, attributes and elements left out or repeated, elements renamed."""
    for _ in range(random.randint(1, 3)):
        kind = random.choice(["value", "value", "value", "attribute", "element", "tag"])
        pattern = {"value": VALUE.pattern, "attribute": r'\s\w+="[^"]*"', "element": r"<[^<>]*/>", "tag": r"<(\w+)"}[kind]
        found = list(re.finditer(pattern, text))
        if not found:
            continue
        one, other = random.choice(found), random.choice(found)
        if kind == "value":
            words = one[1].split()
            if len(words) > 1 and random.random() < 0.5:
                words[random.randrange(len(words))] = random.choice(EVIL)
                new = " ".join(words)
            else:
                new = random.choice(EVIL)
            text = text[: one.start(1)] + new + text[one.end(1) :]
        elif kind == "tag":
            text = text[: one.start(1)] + other[1] + text[one.end(1) :]
        else:
            new = "" if kind == "attribute" or random.random() < 0.5 else one[0] + other[0]
            text = text[: one.start()] + new + text[one.end() :]
    return text


def damaged_bytes(content, random):
    """Numbers replaced, parts left out or repeated, bytes changed."""
    data = bytearray(content)
    for _ in range(random.randint(1, 3)):
        kind, at = random.random(), random.randrange(max(len(data), 1))
        until = min(len(data), at + random.randint(1, 60))
        if kind < 0.5:
            found = list(re.finditer(NUMBER.pattern.encode(), bytes(data)))
            if found:
                one = random.choice(found)
                data[one.start() : one.end()] = random.choice(EVIL).encode()
        elif kind < 0.65:
            del data[at:until]
        elif kind < 0.8:
            data[at:at] = data[at:until]
        elif data:
            for _ in range(random.randint(1, 4)):
                data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    for suffix in FORMATS:
        for name, mesh in (("brick", trimesh.creation.box((0.2, 0.4, 0.6))), ("ball", trimesh.creation.icosphere(1))):
            mesh.export(folder / f"{name}{suffix}")
    MeshShape(str(folder / "brick.stl"))  # what is imported for the first mesh is not counted
    return folder


def read_or_refused(read):
    """Nothing but a message, after little work and in little memory."""
    with effort() as spent, warnings.catch_warnings(), suppress(ModiaError):
        warnings.simplefilter("ignore")
        read()
    assert spent.calls < 1e7
    assert spent.memory < 500e6


@settings(max_examples=100)
@given(seed=SEEDS, kind=st.sampled_from(["urdf", "mjcf"]), flanges=st.sampled_from(["none", "all", "needed"]))
def test_a_damaged_robot_is_read_or_refused(folder, seed, kind, flanges):
    random, file = Random(seed), folder / f"robot.{kind}"
    file.write_text(damaged_text(URDF if kind == "urdf" else random.choice(MJCF), random))
    importer = import_urdf if kind == "urdf" else import_mjcf
    read_or_refused(lambda: build_graph(evaluate(importer(file, flanges=flanges)).objects))


@settings(max_examples=150)
@given(seed=SEEDS, suffix=st.sampled_from(FORMATS), name=st.sampled_from(["brick", "ball"]))
def test_a_damaged_mesh_is_read_or_refused(folder, seed, suffix, name):
    file = folder / f"damaged{suffix}"
    file.write_bytes(damaged_bytes((folder / f"{name}{suffix}").read_bytes(), Random(seed)))

    def read():
        shape = MeshShape(str(file), watertight=False)
        corners = np.array(shape.bounding_box)
        assert np.isfinite(corners).all()
        farthest = shape._farthest(np.eye(3))
        assert np.diag(farthest) == pytest.approx(corners[1], rel=1e-9, abs=1e-12)
        assert shape.volume > 0.0
        assert np.isfinite(shape.inertia_per_mass).all()

    read_or_refused(read)


@pytest.mark.parametrize(
    ("suffix", "old", "new", "message"),
    [
        (".dae", 'count="24"', 'count="999999999"', 'count="999999999" in line .*more than the file can hold'),
        (".dae", 'offset="0"', 'offset="999999999"', 'offset="999999999" in line .*more than the file can hold'),
        (".dae", 'stride="3"', 'stride="-3"', 'stride="-3" in line .*no size'),
        (".gltf", '"count":36', '"count":999999999', r"10000000\d\d vertices and indices are declared, at most 20000000"),
    ],
)
def test_sizes_that_cannot_be_are_told(tmp_path, suffix, old, new, message):
    file = tmp_path / f"brick{suffix}"
    trimesh.creation.box((0.2, 0.4, 0.6)).export(file)
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ModelError, match=message):
        MeshShape(str(file))


def test_triangles_that_an_stl_file_does_not_hold_are_told(tmp_path):
    file = tmp_path / "brick.stl"
    trimesh.creation.box((0.2, 0.4, 0.6)).export(file)
    content = bytearray(file.read_bytes())
    content[80:84] = (999999999).to_bytes(4, "little")
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"999999999 triangles are declared and 12 are there"):
        MeshShape(str(file))


@pytest.mark.parametrize("suffix", [".obj", ".stl"])
def test_comments_in_older_encodings_are_read(tmp_path, suffix):
    """With no package that guesses encodings."""
    file = tmp_path / f"brick{suffix}"
    mesh = trimesh.creation.box((0.2, 0.4, 0.6))
    text = mesh.export(file_type="obj") if suffix == ".obj" else mesh.export(file_type="stl_ascii")
    text = f"# Gehäuse\n{text}" if suffix == ".obj" else text.replace("solid ", "solid Gehäuse", 1)
    file.write_bytes(text.encode("latin-1"))
    assert MeshShape(str(file)).volume == pytest.approx(0.048)


@pytest.mark.parametrize(
    ("points", "message"),
    [("v 0 0\nv 1 0\nv 0 1\n", "2 coordinates|cannot be read"), ("v 0 0 0\nv 1 0 inf\nv 0 1 0\n", "not finite|no triangles")],
)
def test_points_are_three_finite_numbers(tmp_path, points, message):
    file = tmp_path / "points.obj"
    file.write_text(points + "f 1 2 3\n")
    with pytest.raises(ModelError, match=message):
        MeshShape(str(file))


def test_a_flat_surface_has_an_extent(tmp_path):
    file = tmp_path / "flat.obj"
    file.write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n")
    shape = MeshShape(str(file))
    assert shape.bounding_box == ((0.0, 0.0, 0.0), (2.0, 1.0, 0.0))
    assert shape._farthest(np.array([[1.0, 0.0, 0.0]])).tolist() == [[2.0, 0.0, 0.0]]
