"""URDF: what each element becomes, and what a user is told about a file that is wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from modia3d import Model3D, Object3D, Scene, UniformGravity
from modia3d.files import import_urdf
from modia3d.files.importers.report import ImportedModel
from modiapy import ModelError, instantiate

from .robots import Machine

pytestmark = pytest.mark.white_box

INERTIAL = '<inertial><mass value="{mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'


def link(name: str, inside: str = "", mass: float = 1.0) -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass) if mass else ""}{inside}</link>\n'


def joint(name: str, kind: str, parent: str, child: str, inside: str = '<limit lower="-1" upper="2"/>') -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>\n'


def load(folder: Path, *parts: str, **options: Any) -> ImportedModel:
    file = folder / "robot.urdf"
    version = options.pop("version", "1.1")
    file.write_text(f'<robot name="r" version="{version}">\n' + "".join(parts) + "</robot>")
    return import_urdf(file, **options)


def test_inertia_is_turned_and_moved(tmp_path: Path) -> None:
    """The same body with its inertia in a turned frame, by a rotation about z by 90 degrees then x: figures by hand."""
    inertial = (
        '<inertial><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
        '<inertia ixx="0.3" iyy="0.5" izz="0.6" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>'
    )
    given = load(tmp_path, link("base", inertial, mass=0))["base"]["feature"]["mass_properties"]
    assert given["center_of_mass"] == [1.0, 2.0, 3.0]
    found = [given[name] for name in ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")]
    assert np.allclose(found, [0.5, 0.3, 0.6, -0.01, -0.03, 0.02], atol=1e-15)


def test_every_kind_of_joint(tmp_path: Path) -> None:
    model = load(
        tmp_path,
        link("world", mass=0), link("a"), link("b"), link("c"), link("d"), link("e"), link("f"),
        joint("j_floating", "floating", "world", "a", '<origin xyz="0 0 1"/>'),
        joint("j_revolute", "revolute", "a", "b", '<axis xyz="0 0 3"/><limit lower="-1" upper="2"/>'),
        joint("j_continuous", "continuous", "b", "c", '<origin rpy="0.1 0.2 0.3"/>'),
        joint("j_prismatic", "prismatic", "c", "d", '<axis xyz="0 1 0"/><limit lower="0.1" upper="0.3"/>'),
        joint("j_planar", "planar", "d", "e", '<axis xyz="0 0 1e200"/>'),
        joint("j_fixed", "fixed", "e", "f", '<origin xyz="0 1 0" rpy="0.5 0 0"/>'),
    )  # fmt: skip
    kinds = {n: type_of(model[n]) for n in ("j_revolute", "j_continuous", "j_prismatic", "j_planar")}
    assert list(kinds.values()) == ["RevoluteJoint", "RevoluteJoint", "PrismaticJoint", "PlanarJoint"]
    assert model["j_revolute"]["limits"] == [-1.0, 2.0]
    assert model["j_revolute"]["axis"] == [0.0, 0.0, 1.0]
    assert model["j_planar"]["axis"] == [0.0, 0.0, 1.0]
    assert "limits" not in model["j_continuous"]
    assert model["j_prismatic"]["s"] == pytest.approx(0.2)
    assert model["f"]["parent"] == "e"
    machine = Machine(model)
    assert machine.forest.free_roots == ("a",)
    assert machine.forest.nv == 6 + 3 + 3
    start = instantiate(model).simulate(0.0)
    assert np.allclose(start["a.r_abs"][0], (0.0, 0.0, 1.0))


def type_of(entry: Any) -> str:
    return str(entry["_constructor"].__name__)


def test_a_robot_is_a_part_of_a_model(tmp_path: Path) -> None:
    arm = load(tmp_path, link("base"), link("arm"), joint("j", "continuous", "base", "arm", ""), scene=False)
    gravity = UniformGravity(n=(0, 0, -1))
    cell = Model3D(world=Object3D(feature=Scene(gravity=gravity)), left=arm, right=load(tmp_path, link("base"), scene=False))
    machine = Machine(cell)
    assert machine.forest.body_names == ("left.j",)
    assert instantiate(cell).simulate(0.01)["left.arm.r_abs"].shape[1] == 3


def test_damping_acts_through_a_flange(tmp_path: Path) -> None:
    """A wheel on a fixed axle: w = w0 exp(-d t / J)."""
    parts = (
        link("base"),
        link("wheel"),
        joint("j", "continuous", "base", "wheel", '<axis xyz="0 0 1"/><dynamics damping="0.2"/>'),
    )
    model = load(tmp_path, *parts, flanges=["j"])
    model["j"]["w"]["init"] = 3.0
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert result["j.w"][-1] == pytest.approx(3.0 * np.exp(-0.2 / 0.1), rel=1e-6)
    free = load(tmp_path, *parts)
    assert any("damping of joints without a flange" in line for line in free.report)


def test_a_chain_of_mimics_moves_as_one(tmp_path: Path) -> None:
    """c = 3 b - 0.2 = 3 (2 a + 0.1) - 0.2; the energy of what is coupled is that of one coordinate."""
    parts = [link(name) for name in ("base", "p", "q", "r")]
    parts += [
        joint("a", "continuous", "base", "p", '<axis xyz="0 0 1"/>'),
        joint("b", "continuous", "base", "q", '<axis xyz="0 0 1"/><mimic joint="a" multiplier="2" offset="0.1"/>'),
        joint("c", "continuous", "base", "r", '<axis xyz="0 0 1"/><mimic joint="b" multiplier="3" offset="-0.2"/>'),
    ]
    model = load(tmp_path, *parts, flanges="all", positions={"a": 0.3})
    model["a"]["w"]["init"] = 0.5
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    a = result["a.phi"]
    assert a == pytest.approx(0.3 + 0.5 * result.time, abs=1e-7)
    assert result["b.phi"] == pytest.approx(2.0 * a + 0.1, abs=1e-9)
    assert result["c.phi"] == pytest.approx(6.0 * a + 0.1, abs=1e-9)


def test_shapes_colors_and_meshes(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "meshes" / "part.stl")
    shapes = (
        '<box size="1 2 3"/>', '<sphere radius="0.5"/>', '<cylinder radius="0.5" length="2"/>',
        '<mesh filename="meshes/part.stl" scale="0.1 -0.2 0.3"/>', '<mesh filename="package://mine/part.stl"/>',
    )  # fmt: skip
    visuals = "".join(f'<visual><geometry>{s}</geometry><material name="red"/></visual>' for s in shapes)
    red = '<material name="red"><color rgba="1 0 0 0.75"/></material>'
    model = load(tmp_path, red, link("base", visuals), roots={"mine": tmp_path / "meshes"})
    sim = instantiate(model)
    ((_, component),) = sim.flat.components.items()
    seen = component.visuals()
    sizes = [np.ptp(np.array(shape.bounding_box), axis=0) for _, shape, _ in seen]
    assert np.allclose(sizes, [(1, 2, 3), (1, 1, 1), (1, 1, 2), (0.1, 0.4, 0.9), (1, 2, 3)])
    assert {(material.rgb, material.transparency) for _, _, material in seen} == {((1.0, 0.0, 0.0), 0.25)}
    assert seen[3][1].volume == pytest.approx(0.036)


def test_names_are_made_valid_and_unique(tmp_path: Path) -> None:
    parts = link("base link"), link("base-link"), link("2nd"), link("lambda"), link("time")
    joints = [joint(n, "continuous", "base link", c, "") for n, c in (("2nd", "2nd"), ("j.1", "base-link"), ("in", "lambda"))]
    model = load(tmp_path, *parts, *joints, joint("_k", "fixed", "base link", "time", ""))
    assert model.links == {
        "base link": "base_link", "base-link": "base_link_link", "2nd": "n2nd_link", "lambda": "lambda_link",
        "time": "time_link",
    }  # fmt: skip
    assert model.joints == {"2nd": "n2nd", "j.1": "j_1", "in": "in_joint"}
    assert "renamed: link 'base-link' is called 'base_link_link'" in model.report
    instantiate(model)


TWO = link("a") + link("b")
BOMB = (
    '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    '<robot name="r"><link name="&b;"/></robot>'
)
J, K, MESH = "/robot/joint[j]", "/robot/joint[k]", "/robot/link[a]/visual/geometry/mesh"
AB = joint("j", "fixed", "a", "b")


def turning(inside: str) -> str:
    return joint("j", "continuous", "a", "b", inside)


def limited(inside: str) -> str:
    return joint("j", "revolute", "a", "b", inside)


WRONG: dict[str, tuple[str, str, list[str]]] = {
    "unknown type": (TWO + joint("j", "revolut", "a", "b"), J, ["unknown joint type", "'revolute'"]),
    "no such link": (TWO + joint("j", "fixed", "a", "c"), J + "/child", ["no such link", "found c"]),
    "two parents": (TWO + link("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c"), K, ["loop", "'j'"]),
    "loop": (TWO + AB + joint("k", "fixed", "b", "a"), K, ["loop", "a <- b <- a"]),
    "loop beside": (
        TWO + link("c") + AB + joint("k", "fixed", "b", "a"), K, ["loop", "a <- b <- a"],
    ),
    "two roots": (TWO, "/robot/link[b]", ["two root links", "'a'"]),
    "negative mass": (link("a", mass=-1), "/robot/link[a]/inertial/mass", ["mass is negative", "-1 kg"]),
    "no inertia": (link("a") + link("b", mass=0) + turning(""), "/robot/link[b]", ["no mass", "'j'"]),
    "inertial without mass": ('<link name="a"><inertial/></link>', "/robot/link[a]/inertial", ["<mass> is missing"]),
    "no limit": (TWO + limited(""), J, ["<limit> is missing", "continuous"]),
    "limits turned": (TWO + limited('<limit lower="2" upper="1"/>'), J + "/limit", ["lower 2"]),
    "axis": (TWO + turning('<axis xyz="0 0 0"/>'), J + "/axis", ["zero vector"]),
    "words": (TWO + joint("j", "fixed", "a", "b", '<origin xyz="0 one 0"/>'), J + "/origin", ["'xyz'", "3 finite"]),
    "infinite": (TWO + joint("j", "fixed", "a", "b", '<origin xyz="0 1e999 0"/>'), J + "/origin", ["3 finite"]),
    "misspelled": (TWO + joint("j", "fixed", "a", "b", "<orgin/>"), J + "/orgin", ["<orgin>", "'origin'"]),
    "twice": (link("a") + link("a"), "/robot/link[a]", ["two links have the same name"]),
    "missing mesh": (
        link("a", '<visual><geometry><mesh filename="no.stl"/></geometry></visual>'),
        MESH, ["no file", "no.stl"],
    ),
    "outside": (
        link("a", '<visual><geometry><mesh filename="../secret.stl"/></geometry></visual>'),
        MESH, ["outside of the permitted folders", "--root"],
    ),
    "out of a package": (
        link("a", '<visual><geometry><mesh filename="package://mine/../../secret.stl"/></geometry></visual>'),
        MESH, ["outside of the permitted folders"],
    ),
    "unknown package": (
        link("a", '<visual><geometry><mesh filename="package://other/part.stl"/></geometry></visual>'),
        MESH, ["package 'other' is not known", "--root other="],
    ),
    "from the net": (
        link("a", '<visual><geometry><mesh filename="http://x/part.stl"/></geometry></visual>'),
        MESH, ["not on this machine"],
    ),
    "no address": (
        link("a", '<visual><geometry><mesh filename="package://[/part.stl"/></geometry></visual>'),
        MESH, ["package '[' is not known"],
    ),
    "negative length": (
        link("a", '<visual><geometry><cylinder radius="0.1" length="-1"/></geometry></visual>'),
        "/robot/link[a]/visual/geometry/cylinder", ["'length'", "'-1'", "above zero"],
    ),
    "mimics nothing": (TWO + turning('<mimic joint="k"/>'), J, ["no such joint", "'k'"]),
    "mimics itself": (TWO + turning('<mimic joint="j"/>'), J, ["mimic each other"]),
    "mimics in a ring": (
        "".join(link(name) for name in "abcd")
        + joint("j", "continuous", "a", "b", '<mimic joint="k"/>')
        + joint("k", "continuous", "b", "c", '<mimic joint="l"/>')
        + joint("l", "continuous", "c", "d", '<mimic joint="j"/>'),
        J, ["mimic each other", "j -> k -> l -> j"],
    ),
    "mimics a ring": (
        "".join(link(name) for name in "abcd")
        + joint("j", "continuous", "a", "b", '<mimic joint="k"/>')
        + joint("k", "continuous", "b", "c", '<mimic joint="l"/>')
        + joint("l", "continuous", "c", "d", '<mimic joint="k"/>'),
        J, ["mimic each other", "j -> k -> l -> k"],
    ),
    "attribute": (TWO + joint("j", "fixed", "a", "b", '<origin xyz="0 0 1" rpv="0 0 1"/>'), J + "/origin",
                  ["unknown attribute 'rpv'", "'rpy'"]),
    "attribute of a shape": (
        link("a", '<visual><geometry><box sise="1 1 1" size="1 1 1"/></geometry></visual>'),
        "/robot/link[a]/visual/geometry/box", ["unknown attribute 'sise'", "'size'"],
    ),
    "attribute of a limit": (TWO + limited('<limit lower="-1" uper="1"/>'), J + "/limit", ["'uper'", "'upper'"]),
    "attribute of a joint": (TWO + turning("").replace("type=", 'typ="x" type='), J, ["'typ'", "'type'"]),
    "quaternion and angles": (
        TWO + joint("j", "fixed", "a", "b", '<origin rpy="0 0 1" quat_xyzw="0 0 0 1"/>'), J + "/origin", ["two orientations"],
    ),
    "no quaternion": (
        TWO + joint("j", "fixed", "a", "b", '<origin quat_xyzw="0 0 0 0"/>'), J + "/origin", ["'quat_xyzw'", "zeros"],
    ),
    "short quaternion": (
        TWO + joint("j", "fixed", "a", "b", '<origin quat_xyzw="0 0 1"/>'), J + "/origin", ["'quat_xyzw'", "4 finite"],
    ),
    "package without a name": (
        link("a", '<visual><geometry><mesh filename="package:///part.stl"/></geometry></visual>'),
        MESH, ["name of the package is missing", "visuals=False"],
    ),
    "xacro": ("<xacro:macro/>", "/robot/xacro:macro", ["Expand the file"]),
    "no links": ("", "/robot", ["has no links"]),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_file_line_and_element(tmp_path: Path, case: str) -> None:
    content, path, words = WRONG[case]
    folder = tmp_path / "robot"
    (folder / "mine").mkdir(parents=True)
    (tmp_path / "secret.stl").write_text("solid")
    with pytest.raises(ModelError) as caught:
        load(folder, content, roots={"mine": folder / "mine"})
    error = caught.value
    assert (error.path, error.file) == (path, str(folder / "robot.urdf"))
    lines = (folder / "robot.urdf").read_text().splitlines()
    assert error.line is not None
    assert re.search(rf"<{path.rpartition('/')[2].partition('[')[0]}\b", lines[error.line - 1])
    for word in words:
        assert word in str(error)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<robot><link name='a'></robot>", ["robot.urdf:1", "not well-formed", "mismatched tag"]),
        ("", ["not well-formed", "no element found"]),
        ("<sdf/>", ["/sdf", "no URDF file"]),
        (BOMB, ["robot.urdf:1", "entities are not read"]),
        ("<robot>" * 300 + "</robot>" * 300, ["nested too deeply"]),
        ("<robot encoding='\udcff'/>", ["not well-formed"]),
    ],
)
def test_text_that_is_no_urdf(tmp_path: Path, content: str, words: list[str]) -> None:
    (tmp_path / "robot.urdf").write_text(content, errors="surrogateescape")
    with pytest.raises(ModelError) as caught:
        import_urdf(tmp_path / "robot.urdf")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"flanges": "some"}, ["flanges", "'some'", "none, needed, all"]),
        ({"flanges": ["jj"]}, ["'jj' in flanges", "Did you mean 'j'?"]),
        ({"positions": {"a": 1.0}}, ["'a' in positions"]),
        ({"roots": {"mine": "/no/such/folder"}}, ["package 'mine'", "/no/such/folder"]),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        load(tmp_path, TWO, joint("j", "continuous", "a", "b", ""), **options)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", ["continuous", "prismatic", "revolute"])
@pytest.mark.parametrize("axis", ["", "<axis/>", '<axis xyz="0 2 0"/>'])
def test_a_joint_moves_along_x_where_no_axis_is_given(tmp_path: Path, kind: str, axis: str) -> None:
    limit = "" if kind == "continuous" else '<limit lower="-1" upper="1"/>'
    model = load(tmp_path, TWO, joint("j", kind, "a", "b", axis + limit))
    assert model["j"]["axis"] == ([0.0, 1.0, 0.0] if "xyz" in axis else [1.0, 0.0, 0.0])


VERSIONS = {"1.0": False, "1.1": True, "1.2": True}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("quaternion", ["0.1 0.2 -0.3 0.9", "2 0 0 2", "1e-200 0 0 1e-200"])
def test_a_quaternion_is_read_as_pinocchio_reads_it(tmp_path: Path, version: str, quaternion: str) -> None:
    """Of joints and inertias; urdfdom reads it from version 1.1 of URDF on."""
    import pinocchio

    origin = f'<origin xyz="0.1 0.2 1" quat_xyzw="{quaternion}"/>'
    inertial = INERTIAL.format(mass=2).replace("<mass", origin + "<mass").replace('ixx="0.1"', 'ixx="0.15"')
    parts = link("base"), link("arm", inertial, mass=0), joint("j", "continuous", "base", "arm", origin)
    model = load(tmp_path, *parts, version=version)
    machine = Machine(model)
    theirs = pinocchio.buildModelFromUrdf(str(tmp_path / "robot.urdf"))
    if "e-200" not in quaternion:  # squares of which are zero for Pinocchio
        R, p = machine.frames()["arm"]
        assert np.abs(R - theirs.jointPlacements[1].rotation).max() < 1e-12
        assert np.allclose(p, theirs.jointPlacements[1].translation)
        data: Any = theirs.createData()
        expected = pinocchio.crba(theirs, data, pinocchio.neutral(theirs))
        assert machine.mass_matrix() == pytest.approx(expected, rel=1e-12)
    told = any("quat_xyzw, which counts from <robot version='1.1'> on" in line for line in model.report)
    assert told != VERSIONS[version]


@pytest.mark.parametrize("version", ["x", "1.x", "", "-1.0", "1.1.1"])
def test_a_version_is_two_numbers(tmp_path: Path, version: str) -> None:
    with pytest.raises(ModelError, match="the attribute 'version' is wrong"):
        load(tmp_path, link("a"), version=version)
    assert "version 1.3 of URDF is read as 1.2" in load(tmp_path, link("a"), version="1.3").report


def test_what_is_not_read_is_reported(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="1"/>'
    model = load(
        tmp_path, TWO, link("c"), link("d").replace("<link", '<link concave="yes"'),
        joint("j", "continuous", "a", "b", limit + '<dynamics damping="0" mu_viscous="3"/>'),
        joint("k", "planar", "b", "c", limit), joint("l", "fixed", "c", "d", limit),
    )  # fmt: skip
    assert {line for line in model.report if "attribute" in line or "limits" in line} == {
        "left out: limits of position of continuous joints (joint j)",
        "left out: limits of position of planar joints (joint k)",
        "left out: attribute 'mu_viscous' of <dynamics> (/robot/joint[j]/dynamics)",
        "left out: attribute 'concave' of <link> (/robot/link[d])",
    }


@pytest.mark.parametrize("name", ["my mesh.stl", "50%25.stl", "a#1.stl", "a?b;c.stl", "ä.stl"])
@pytest.mark.parametrize("quoted", [True, False])
def test_names_of_meshes_may_be_written_as_addresses(tmp_path: Path, name: str, quoted: bool) -> None:
    from urllib.parse import quote
    from xml.sax.saxutils import quoteattr

    (tmp_path / "my robot").mkdir()
    trimesh.creation.box((1, 2, 3)).export(tmp_path / "my robot" / "box.stl")
    (tmp_path / "my robot" / "box.stl").rename(tmp_path / "my robot" / name)
    written = quote(name) if quoted else name
    for address in (f"package://p/{written}", f"package://p//{written}", f"file://{tmp_path}/my robot/{written}"):
        visual = f"<visual><geometry><mesh filename={quoteattr(address)}/></geometry></visual>"
        model = load(tmp_path, link("a", visual), roots={"p": tmp_path / "my robot"})
        assert model["a_visual"]["feature"]["shape"]["file"] == str(tmp_path / "my robot" / name)


def test_the_root_that_a_message_names_works(tmp_path: Path) -> None:
    """A package above the file, beside it, and one whose folder has a blank."""
    import shlex

    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    folder = tmp_path / "src" / "my_robot"
    for other in (folder, tmp_path / "src" / "their meshes", tmp_path / "elsewhere"):
        (other / "meshes").mkdir(parents=True)
        trimesh.creation.box().export(other / "meshes" / "box.stl")
    for address in (
        "package://my_robot/meshes/box.stl",
        "package://their meshes/meshes/box.stl",
        "../../elsewhere/meshes/box.stl",
    ):
        with pytest.raises(ModelError) as caught:
            load(folder, link("a", mesh.format(address)))
        assert "--no-visuals" in caught.value.remedy
        words = shlex.split(caught.value.remedy.replace("'meshes'", "").partition("--root ")[2])
        name, _, path = words[0].rstrip(",").partition("=")
        load(folder, link("a", mesh.format(address)), roots={name: path})
        load(folder, link("a", mesh.format(address)), visuals=False)
    with pytest.raises(ModelError, match="--root other=FOLDER"):
        load(folder, link("a", mesh.format("package://other/box.stl")))


def test_copies_of_meshes_bring_along_what_they_name(tmp_path: Path) -> None:
    """Materials, pictures and numbers; files of one name from two packages do not overwrite each other."""
    from PIL import Image

    meshes = []
    for k, color in enumerate([(255, 0, 0), (0, 255, 0)]):
        folder = tmp_path / f"p{k}"
        (folder / "textures").mkdir(parents=True)
        Image.new("RGB", (1, 1), color).save(folder / "textures" / "paint.png")
        (folder / "part.mtl").write_text("newmtl a\nmap_Kd textures/paint.png\n")
        square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nvt 0 0\nusemtl a\nf 1/1 2/1 3/1\n"
        (folder / "part.obj").write_text(f"mtllib part.mtl\n{square}")
        trimesh.creation.box((1, 2, 3)).export(folder / "numbers.gltf")
        trimesh.creation.box((1, 2, 3 + k)).export(folder / "plain.stl")
        meshes += [f"package://p{k}/{name}" for name in ("part.obj", "numbers.gltf", "plain.stl")]
    visuals = "".join(f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>' for mesh in meshes)
    roots = {f"p{k}": tmp_path / f"p{k}" for k in (0, 1)}
    model = load(tmp_path, link("a", visuals + visuals), roots=roots, copy_meshes=tmp_path / "copies")
    assert not [line for line in model.report if "looks" in line]
    for k in (0, 1):
        (tmp_path / f"p{k}").rename(tmp_path / f"gone{k}")
    ((_, component),) = instantiate(model).flat.components.items()
    shapes = [shape for _, shape, _ in component.visuals()]
    assert len(shapes) == 12
    assert len({shape.path for shape in shapes}) == 6
    colors = []
    for shape in shapes[:6]:
        assert shape.path.is_relative_to(tmp_path / "copies")
        pieces, readable = shape.pieces()
        assert readable
        if shape.path.suffix == ".obj":
            colors.append(pieces[0].visual.material.image.getpixel((0, 0)))
    assert colors == [(255, 0, 0), (0, 255, 0)]
    assert [shape.volume for shape in shapes if shape.path.suffix == ".stl"] == pytest.approx([6.0, 8.0, 6.0, 8.0])
