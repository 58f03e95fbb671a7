"""MJCF against MuJoCo's own mass matrix and poses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh

from modia3d.files import import_mjcf
from modia3d.files.importers.report import ImportedModel
from modia3d.scene.basics.rotations import matrix_of
from modiapy import ModelError, instantiate

from .robots import Machine

pytestmark = pytest.mark.white_box

ARM = """<compiler angle="degree"/><default><joint axis="0 1 0"/><geom size="0.05"/>
 <default class="light"><geom density="200"/></default></default>
<worldbody><geom type="plane" size="1 1 0.1"/>
 <body name="upper" pos="0 0 1" euler="10 20 30"><joint name="shoulder" range="-90 45"/>
  <geom type="capsule" fromto="0 0 0 0.4 0.1 0"/>
  <body name="lower" pos="0.4 0.1 0"><joint name="elbow" pos="0 0.02 0.03" axis="0 1 1" ref="20"/>
   <geom class="light" type="cylinder" fromto="0 0 0 0.3 0 0.1"/>
  <geom type="box" size="0.1 0.2 0.05" pos="0.3 0 0" euler="0 0 40"/>
   <body name="hand" pos="0.3 0 0.1" axisangle="1 0 0 90"><geom type="ellipsoid" size="0.1 0.05 0.02"/>
  <site name="tip" pos="0 0 0.1"/>
</body></body></body></worldbody>"""
FREE = """<compiler angle="radian" inertiafromgeom="true"/><worldbody>
 <body name="ship" pos="1 2 3" quat="1 0.2 0.3 0.4"><freejoint name="motion"/>
  <inertial pos="0 0 0" mass="99" diaginertia="9 9 9"/>
  <geom type="sphere" size="0.3" pos="0.1 0 0" mass="3"/>
  <body name="boom" pos="0 0 0.4"><joint name="hinge" axis="1 0 0"/><geom type="capsule" size="0.05 0.4" pos="0 0 0.4"/></body>
 </body>
 <body name="other"><joint name="loose" type="free"/>
  <inertial pos="0.1 0.2 0.3" mass="2" fullinertia="0.3 0.2 0.25 0.01 0.02 0.03"/>
 </body></worldbody>"""
BALLS = """<worldbody><body name="a" pos="0 0 2"><joint name="b1" type="ball" pos="0.1 0.2 0"/><geom size="0.1"/>
 <body name="b" pos="0.5 0 0" euler="20 0 0"><joint name="b2" type="ball"/>
  <geom type="box" size="0.1 0.2 0.3" pos="0.2 0 0"/></body>
 </body></worldbody>"""
SEVERAL = """<worldbody><body name="a" pos="0.1 0.2 0.3" euler="10 20 30">
 <joint name="h1" axis="0 1 1" pos="0.1 0 0.05"/><joint name="s" type="slide" axis="1 0 0.3"/>
  <joint name="h2" axis="1 0 0" pos="0 -.2 .1"/>
 <geom type="box" size="0.2 0.1 0.3" pos="0.1 0.1 0"/>
 <body name="b" pos="0.3 0 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="ball" type="ball" pos="0.02 0.01 0"/>
 <geom size="0.1" pos="0.05 0.1 0"/></body></body></worldbody>"""
MODELS = {"arm": ARM, "free": FREE, "balls": BALLS, "several joints": SEVERAL}


def load(folder: Path, content: str, **options: Any) -> tuple[ImportedModel, Any]:
    file = folder / "robot.xml"
    file.write_text(f'<mujoco model="robot">\n{content}\n</mujoco>')
    return import_mjcf(file, **options), mujoco.MjModel.from_xml_path(str(file))


def configure(machine: Machine, model: ImportedModel, theirs: Any, q: np.ndarray) -> np.ndarray:
    """Set our coordinates, normalise ``q``, and return T with MuJoCo's speeds ``T v``."""
    T = np.zeros((theirs.nv, theirs.nv))
    for j in range(theirs.njnt):
        kind, i, k = theirs.jnt_type[j], theirs.jnt_qposadr[j], theirs.jnt_dofadr[j]
        body = mujoco.mj_id2name(theirs, int(mujoco.mjtObj.mjOBJ_BODY), int(theirs.jnt_bodyid[j]))
        name = mujoco.mj_id2name(theirs, int(mujoco.mjtObj.mjOBJ_JOINT), j)
        _, own_q, own_v = machine.forest.indices[model.joints.get(name) or model.links[body]]
        n_q, n_v = {0: (7, 6), 1: (4, 3)}.get(int(kind), (1, 1))
        if n_q > 1:
            q[i + n_q - 4 : i + n_q] /= np.linalg.norm(q[i + n_q - 4 : i + n_q])
        zero = theirs.qpos0[i] if n_q == 1 else 0.0
        machine.dynamics.q[own_q : own_q + n_q] = q[i : i + n_q] - zero
        T[k : k + n_v, own_v : own_v + n_v] = np.eye(n_v)
    return T


@pytest.mark.parametrize("name", MODELS)
def test_mass_matrix_and_poses_are_mujocos(tmp_path: Path, name: str) -> None:
    model, theirs = load(tmp_path, MODELS[name])
    machine, data, rng = Machine(model), mujoco.MjData(theirs), np.random.default_rng(5)
    assert machine.forest.nv == theirs.nv
    assert np.allclose(machine.forest.gravity, theirs.opt.gravity)
    for _ in range(5):
        q = rng.normal(size=theirs.nq)
        T = configure(machine, model, theirs, q)
        data.qpos[:] = q
        mujoco.mj_forward(theirs, data)
        full = full_mass_matrix(theirs, data)
        expected = T.T @ full @ T
        assert np.abs(machine.mass_matrix() - expected).max() < 1e-10 * np.abs(expected).max()
        poses = machine.frames()
        for i in range(1, theirs.nbody):
            R, p = poses[model.links[mujoco.mj_id2name(theirs, int(mujoco.mjtObj.mjOBJ_BODY), i)]]
            assert np.abs(p - data.xpos[i]).max() < 1e-10
            assert np.abs(R - data.xmat[i].reshape(3, 3)).max() < 1e-10
        for i in range(theirs.nsite):
            assert np.abs(poses["tip"][1] - data.site_xpos[i]).max() < 1e-10


def full_mass_matrix(theirs: Any, data: Any) -> np.ndarray:
    """``mj_fullM``, whose arguments changed between versions of MuJoCo."""
    full = np.zeros((theirs.nv, theirs.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(theirs, full, data.qM)
    else:
        mujoco.mj_fullM(theirs, data, full)
    return full


SPEEDS = {
    "free": {"ship": ((0.3, -0.2, 1.0), (1.0, -2.0, 3.0)), "hinge": 4.0, "other": ((-0.5, 0.1, 2.0), (3.0, 1.0, -2.0))},
    "balls": {"b1": (2.0, -3.0, 1.0), "b2": (-1.0, 4.0, 5.0)},
    "arm": {"shoulder": 2.0, "elbow": -3.0},
}
"""Initial speeds: of free bodies in the world, of balls about their rest position [m/s, rad/s]."""


@pytest.mark.parametrize("name", SPEEDS)
def test_it_moves_as_in_mujoco(tmp_path: Path, name: str) -> None:
    """Everything moves and rotates from the beginning."""
    model, theirs = load(tmp_path, MODELS[name], limits=False)
    theirs.opt.timestep, theirs.opt.integrator = 1e-4, int(mujoco.mjtIntegrator.mjINT_RK4)
    theirs.opt.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    for joint_or_body, speed in SPEEDS[name].items():
        j = mujoco.mj_name2id(theirs, int(mujoco.mjtObj.mjOBJ_JOINT), joint_or_body)
        if isinstance(speed, float):
            model[model.joints[joint_or_body]]["w"] = speed
            data.qvel[theirs.jnt_dofadr[j]] = speed
        elif isinstance(speed[0], float):
            model[model.joints[joint_or_body]]["angular_velocity"] = list(speed)
            data.qvel[theirs.jnt_dofadr[j] :][:3] = speed
        else:
            body = mujoco.mj_name2id(theirs, int(mujoco.mjtObj.mjOBJ_BODY), joint_or_body)
            frame, place = model[model.links[joint_or_body]], theirs.body_dofadr[body]
            frame["velocity"], frame["angular_velocity"] = (list(part) for part in speed)
            data.qvel[place : place + 3] = speed[0]
            data.qvel[place + 3 : place + 6] = data.xmat[body].reshape(3, 3).T @ speed[1]
    start = data.xmat.copy()
    result = instantiate(model).simulate(0.2, tolerance=1e-9)
    mujoco.mj_step(theirs, data, 2000)
    mujoco.mj_forward(theirs, data)
    for body, frame in model.links.items():
        i = mujoco.mj_name2id(theirs, int(mujoco.mjtObj.mjOBJ_BODY), body)
        if i:
            assert np.abs(data.xmat[i] - start[i]).max() > 0.1
        assert np.abs(result[f"{frame}.r_abs"][-1] - data.xpos[i]).max() < 1e-7
        assert np.abs(result[f"{frame}.R_abs"][-1] - data.xmat[i].reshape(3, 3)).max() < 1e-7


def test_what_acts_on_a_joint_acts_through_its_flange(tmp_path: Path) -> None:
    """A wheel with rotor, spring and damper swings as J phi'' = -c (phi - rest) - d phi'; the limits are degrees."""
    content = """<option gravity="0 0 0"/><worldbody><body name="wheel">
  <joint name="j" damping="0.2" stiffness="8" springref="57.29577951308232"
      armature="0.5" range="-180 180"/><inertial pos="0 0 0" mass="1" diaginertia="1.5 1.5 1.5"/></body></worldbody>"""
    model, _ = load(tmp_path, content, flanges="needed")
    assert model["j"]["limits"] == pytest.approx((-np.pi, np.pi))
    result = instantiate(model).simulate(2.0, tolerance=1e-9)
    decay, t = 0.2 / 4.0, result.time
    w = np.sqrt(8 / 2 - decay**2)
    expected = 1.0 - np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    assert np.abs(result["j.phi"] - expected).max() < 1e-6


def test_a_mesh_stands_where_its_file_says(tmp_path: Path) -> None:
    wedge = trimesh.Trimesh([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
    (tmp_path / "meshes").mkdir()
    wedge.export(tmp_path / "meshes" / "wedge.stl")
    content = """<compiler meshdir="meshes"/><asset><mesh name="w" file="wedge.stl" scale="0.1 0.1 0.2"/></asset><worldbody>
      <body name="a" pos="0 0 1"><joint name="j"/><geom type="mesh" mesh="w" pos="0.1 0.2 0.3" euler="0 0 90"/></body>
  </worldbody>"""
    model, theirs = load(tmp_path, content)
    frame = model["a_visual"]
    R, p = Machine(model).frames()["a_visual"]
    corner = R @ np.array([0.1, 0.0, 0.0]) + p
    assert frame["feature"]["shape"]["scale"] == [0.1, 0.1, 0.2]
    assert np.allclose(p, (0.1, 0.2, 1.3), atol=1e-7)
    assert np.allclose(corner, (0.1, 0.3, 1.3), atol=1e-7)
    data = mujoco.MjData(theirs)
    mujoco.mj_forward(theirs, data)
    assert np.allclose(matrix_of("quaternion", data.xquat[1]), np.eye(3))


REFUSED = {
    "equality": ('<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
                 '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
                 '<equality><tendon name="e" tendon1="t"/></equality>',
                 "/mujoco/equality[e]", "this kind of equality constraint cannot be imported; found tendon"),
    "polynomial": ('<worldbody><body><joint name="a"/><joint name="b" axis="1 0 0"/><geom size="1"/></body></worldbody>'
                   '<equality><joint name="e" joint1="b" joint2="a" polycoef="0 1 0.5 0 0"/></equality>',
                   "/mujoco/equality[e]", "found polycoef 0 1 0.5 0 0; expected joint2, and zeros but for the "
                   "first two of polycoef. Remove the constraint, and write equations for both."),
    "constant joint": ('<worldbody><body><joint name="a"/><geom size="1"/></body></worldbody>'
                       '<equality><joint name="e" joint1="a" polycoef="0.5 0 0 0 0"/></equality>',
                       "/mujoco/equality[e]", "found a constant position; expected joint2, and zeros but for the "
                       "first two of polycoef. Remove the constraint, and the joint."),
    "spatial tendon": ('<worldbody><site name="r"/><body name="a"><joint/><geom size="1"/><site name="s"/></body></worldbody>'
                       '<tendon><spatial name="t" stiffness="0 0 3"><site site="r"/><site site="s"/></spatial></tendon>',
                       "/mujoco/tendon[t]", "spatial tendons cannot be imported; found its stiffness"),
    "limits of a tendon": ('<worldbody><body name="a"><joint name="j"/><geom size="1"/></body></worldbody>'
                           '<tendon><fixed name="t" range="-1 1"><joint joint="j" coef="1"/></fixed></tendon>',
                           "/mujoco/tendon[t]", "limits of tendons cannot be imported"),
    "gravcomp": ('<worldbody><body name="a" gravcomp="1"><joint/><geom size="1"/></body></worldbody>',
                 "/mujoco/body[a]", "gravcomp"),
    "medium": ('<option density="1.2"/><worldbody/>', "/mujoco", "a medium with density"),
    "plugin": ('<worldbody><body><plugin plugin="x"/></body></worldbody>', "/mujoco/worldbody/body/plugin",
               "plugins cannot be imported but for those of sensors"),
    "massless": ('<worldbody><body name="a"><joint/></body></worldbody>', "", "MuJoCo refuses the file"),
    "negative mass": ('<worldbody><body><joint/><geom size="1" mass="-1"/></body></worldbody>', "", "MuJoCo refuses the file"),
    "unknown": ('<worldbody><body><joint type="screw"/></body></worldbody>', "", "MuJoCo refuses the file"),
    "missing mesh": ('<asset><mesh name="m" file="no.stl"/></asset>', "/mujoco/asset/mesh[m]", "no file"),
    "mesh outside": ('<compiler meshdir="../"/><asset><mesh name="m" file="secret.stl"/></asset>',
                     "/mujoco/asset/mesh[m]", "outside"),
    "include outside": ('<include file="../secret.stl"/>', "/mujoco/include", "outside of the permitted folders"),
    "include itself": ('<include file="robot.xml"/>', "/mujoco/include", "include each other"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_imported_is_named(tmp_path: Path, case: str) -> None:
    content, path, words = REFUSED[case]
    (tmp_path / "robot").mkdir()
    (tmp_path / "secret.stl").write_text("solid")
    with pytest.raises(ModelError) as caught:
        load(tmp_path / "robot", content)
    assert caught.value.file == str(tmp_path / "robot" / "robot.xml") or case == "include itself"
    assert caught.value.path == path
    assert words in str(caught.value)


def test_the_report_names_what_is_left_out(tmp_path: Path) -> None:
    content = ARM + '<actuator><motor joint="elbow"/></actuator><sensor><jointpos joint="elbow"/></sensor>'
    report = "\n".join(load(tmp_path, content)[0].report)
    for words in (
        "<actuator>",
        "<sensor>",
        "contact of geoms",
        "plane",
        "coordinate of joint 'elbow' is that of MuJoCo less 0.349",
    ):
        assert words in report


def test_an_included_file_cannot_lead_outside(tmp_path: Path) -> None:
    for folder in ("robot", "secret"):
        (tmp_path / folder).mkdir()
        trimesh.creation.box().export(tmp_path / folder / "box.stl")
    (tmp_path / "robot" / "more.xml").write_text('<mujoco><compiler meshdir="../secret"/></mujoco>')
    content = """<asset><mesh name="m" file="box.stl"/></asset><include file="more.xml"/>
        <worldbody><body><freejoint/><geom type="mesh" mesh="m"/></body></worldbody>"""
    with pytest.raises(ModelError, match=r"outside of the permitted folders; found '.*secret/box\.stl'"):
        load(tmp_path / "robot", content)


SEEN = """<compiler meshdir="{folder}" texturedir="{folder}"/>
<asset><texture name="tx" type="2d" file="paint.png"/><material name="m" texture="tx" rgba="1 0 0 1"/>
<mesh name="w" file="wedge.stl"/></asset><worldbody><geom type="mesh" mesh="w" contype="0" conaffinity="0"/>
<body name="b"><joint name="j" axis="0 1 0"/>{inertial}<geom name="g" type="mesh" mesh="w" material="m"/>
<geom name="ball" size="0.1" material="m" pos="1 0 0" mass="2"/></body></worldbody>
<contact><pair geom1="g" geom2="ball"/></contact><sensor><framepos objtype="geom" objname="g"/></sensor>"""
INERTIAL = '<inertial pos="0.5 0 0" mass="1" diaginertia="1 1 1"/>'


def test_what_is_only_seen_may_be_missing_without_visuals(tmp_path: Path) -> None:
    """The message says so."""
    with pytest.raises(ModelError, match=r"no file .*--no-visuals, visuals=False"):
        load(tmp_path, SEEN.format(folder=".", inertial=INERTIAL))
    (tmp_path / "robot.xml").write_text(f"<mujoco>{SEEN.format(folder='.', inertial=INERTIAL)}</mujoco>")
    model = import_mjcf(tmp_path / "robot.xml", visuals=False)
    assert instantiate(model).simulate(0.1)["b.r_abs"].shape[1] == 3
    assert model["b"]["feature"]["mass_properties"]["mass"] == 1.0
    with pytest.raises(ModelError, match=r"wedge\.stl.*no file") as caught:
        import_mjcf(tmp_path / "robot.xml", visuals=False, contacts=True)
    (tmp_path / "robot.xml").write_text(f"<mujoco>{SEEN.format(folder='.', inertial='')}</mujoco>")
    with pytest.raises(ModelError, match=r"wedge\.stl.*no file") as caught:  # its mass is needed
        import_mjcf(tmp_path / "robot.xml", visuals=False)
    assert "--no-visuals" not in str(caught.value)


def test_masses_are_the_same_without_visuals(tmp_path: Path) -> None:
    from PIL import Image

    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "wedge.stl")
    Image.new("RGB", (2, 2)).save(tmp_path / "paint.png")
    for inertial in ("", INERTIAL):
        with_visuals, _ = load(tmp_path, SEEN.format(folder=".", inertial=inertial))
        without, _ = load(tmp_path, SEEN.format(folder=".", inertial=inertial), visuals=False)
        assert "b_visual" in with_visuals
        assert "b_visual" not in without
        assert without["b"] == with_visuals["b"]


def test_files_elsewhere_are_not_read_without_visuals(tmp_path: Path) -> None:
    """What is needed must be permitted; the root that the message names works."""
    for folder in ("robot", "other files"):
        (tmp_path / folder).mkdir()
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "other files" / "wedge.stl")
    text = SEEN.format(folder="../other files", inertial="").replace('<texture name="tx" type="2d" file="paint.png"/>', "")
    text = text.replace(' texture="tx"', "")
    with pytest.raises(ModelError, match=r"outside of the permitted folders.*--root 'other files=.*/other files'") as caught:
        load(tmp_path / "robot", text, visuals=False)
    assert "--no-visuals" not in str(caught.value)
    load(tmp_path / "robot", text, visuals=False, roots={"other files": tmp_path / "other files"})


PLUGINS = {
    "sensor": """<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><worldbody><body name="b"><joint name="j"/>
<geom size="1"/><site name="s"/></body></worldbody><sensor><plugin name="t" plugin="mujoco.sensor.touch_grid" objtype="site"
 objname="s"><config key="size" value="7 7"/><config key="fov" value="45 45"/><config key="gamma" value="0"/>
<config key="nchannel" value="3"/></plugin></sensor>""",
    "actuator": """<extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="4"/></instance></plugin>
</extension><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>
<actuator><plugin joint="j" plugin="mujoco.pid" instance="i"/></actuator>""",
}


@pytest.mark.parametrize("kind", PLUGINS)
def test_plugins_that_are_sensors_or_actuators_are_left_out(tmp_path: Path, kind: str) -> None:
    model, _ = load(tmp_path, PLUGINS[kind])
    assert f"left out: <{kind}> (line" in "\n".join(model.report)
    assert list(model.joints) == ["j"]
