"""What acts on joints of MJCF files, against MuJoCo: polynomials, tendons, actuators without control, flags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import pytest

from modia3d.files import import_mjcf, read_scenario, write_scenario
from modia3d.files.importers.report import ImportedModel
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library import rotational

pytestmark = pytest.mark.white_box

PENDULUM = '<body><joint name="j" axis="0 1 0" {}/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body>'
SLED = '<body pos="0 1 0"><joint name="s" type="slide" axis="1 0 0.5" {}/><geom type="box" size=".1 .1 .1" mass="3"/></body>'
CHAIN = PENDULUM.replace("</body>", f"{SLED}</body>")


def load(folder: Path, bodies: str, rest: str = "", **options: Any) -> tuple[ImportedModel, Any]:
    file = folder / "robot.xml"
    file.write_text(f"<mujoco><worldbody>{bodies}</worldbody>{rest}</mujoco>")
    theirs = mujoco.MjModel.from_xml_path(str(file))
    theirs.opt.timestep, theirs.opt.integrator = 2e-4, int(mujoco.mjtIntegrator.mjINT_RK4)
    return import_mjcf(file, **options), theirs


def moves_alike(model: ImportedModel, theirs: Any, time: float = 1.0) -> None:
    """All coordinates of joints are MuJoCo's at the end, and have changed."""
    data = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, data, round(time / theirs.opt.timestep))
    result = instantiate(model).simulate(time, tolerance=1e-9)
    for name, ours in model.joints.items():
        j = mujoco.mj_name2id(theirs, int(mujoco.mjtObj.mjOBJ_JOINT), name)
        turns = int(theirs.jnt_type[j]) == int(mujoco.mjtJoint.mjJNT_HINGE)
        q = int(theirs.jnt_qposadr[j])
        assert abs(data.qpos[q] - theirs.qpos0[q]) > 1e-3
        expected = data.qpos[q] - theirs.qpos0[q]
        assert result[f"{ours}.{'phi' if turns else 's'}"][-1] == pytest.approx(expected, rel=1e-6, abs=1e-6)


JOINTS = {
    "damping of three coefficients": ('damping="0.1 3 0.5"', ""),
    "spring of three coefficients": ('stiffness="3 20 40" springref="-20"', 'damping="1" stiffness="50"'),
    "cubes alone": ('stiffness="0 0 40" damping="0 0 2"', 'stiffness="0 0 5000"'),
    "squares alone": ('damping="0 2"', 'damping="0 5" stiffness="0 300" armature="0.2"'),
    "rest and zero": ('stiffness="5 3" springref="30" ref="10"', 'stiffness="100 50" springref="0.1" ref="0.05"'),
    "linear": ('stiffness="5" damping="0.3" armature="0.1"', 'stiffness="100" damping="3"'),
}


@pytest.mark.parametrize("case", JOINTS)
def test_springs_and_dampers_of_joints(tmp_path: Path, case: str) -> None:
    hinge, slide = JOINTS[case]
    moves_alike(*load(tmp_path, PENDULUM.format(hinge) + SLED.format(slide), flanges="all"))


@pytest.mark.parametrize("case", ["squares alone", "linear"])
def test_a_written_scenario_moves_alike(tmp_path: Path, case: str) -> None:
    hinge, slide = JOINTS[case]
    model, _ = load(tmp_path, PENDULUM.format(hinge) + SLED.format(slide), flanges="needed")
    again = read_scenario(write_scenario(model, tmp_path / "robot.yaml")).instantiate().simulate(1.0, tolerance=1e-9)
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert again["s.s"][-1] == pytest.approx(result["s.s"][-1], abs=1e-9)


ACTUATORS = {
    "damping and armature": ('<general joint="j" gear="10" armature="0.05" damping="2"/>', PENDULUM.format("")),
    "polynomial": ('<general joint="j" gear="-3" damping="0.1 0.2 0.3"/>', PENDULUM.format('damping="0.1 0 0.2"')),
    "two actuators": (
        '<motor joint="j" gear="2" damping="0.5"/><motor jointinparent="j" gear="3" damping="0 0.2" armature="0.1"/>',
        PENDULUM.format('armature="0.2"'),
    ),
    "of a tendon": (
        '<motor tendon="t" gear="2" damping="0.5 0.1" armature="0.2"/>',
        CHAIN.format("", 'damping="2"'),
    ),
}
TENDON = '<tendon><fixed name="t" {}><joint joint="j" coef="2"/><joint joint="s" coef="-0.5"/></fixed></tendon>'


@pytest.mark.parametrize("case", ACTUATORS)
def test_actuators_act_without_control(tmp_path: Path, case: str) -> None:
    actuators, bodies = ACTUATORS[case]
    tendon = TENDON.format("") if "tendon" in actuators else ""
    model, theirs = load(tmp_path, bodies, f"{tendon}<actuator>{actuators}</actuator>", flanges="needed")
    assert "act without control: they count as its joint's or tendon's" in "\n".join(model.report)
    moves_alike(model, theirs)


@pytest.mark.parametrize(
    "fields",
    [
        'stiffness="2 3 5" damping="0.1 0.2 0.3"',
        'stiffness="20" springlength="0.3 0.6"',
        'stiffness="20" springlength="-0.1"',
        'damping="0 3 0.5" armature="0.3"',
        'armature="0.3"',
    ],
)
def test_fixed_tendons(tmp_path: Path, fields: str) -> None:
    """Along one branch: between branches MuJoCo 4.0 leaves out the inertia that an armature couples."""
    bodies = CHAIN.format('ref="20"', 'damping="2" ref="0.1"')
    moves_alike(*load(tmp_path, bodies, TENDON.format(fields), flanges="needed"))


def test_a_tendon_of_joints_without_flanges_is_told(tmp_path: Path) -> None:
    model, _ = load(tmp_path, PENDULUM.format("") + SLED.format(""), TENDON.format('stiffness="0 0 3"'), flanges=["j"])
    assert "t" not in model
    assert any("stiffness of tendons with joints without a flange" in line and "tendon t" in line for line in model.report)


FLAGS = {
    "limit": (PENDULUM.format('range="-10 10"'), ""),
    "constraint": (PENDULUM.format('range="-10 10"'), '<equality><joint joint1="j" polycoef="0.1 0 0 0 0"/></equality>'),
    "equality": (PENDULUM.format(""), '<equality><joint joint1="j" polycoef="0.1 0 0 0 0"/></equality>'),
    "spring": (PENDULUM.format('stiffness="50 20 3"'), ""),
    "damper": (PENDULUM.format('damping="5 2"'), '<actuator><motor joint="j" gear="5" damping="3" armature="0.1"/></actuator>'),
    "gravity": (
        '<body gravcomp="1"><joint name="j" axis="0 1 0" stiffness="20" springref="40"/><geom pos="1 0 0" size=".1"/></body>',
        "",
    ),
    "frictionloss": (PENDULUM.format('frictionloss="20"'), ""),
    "actuation": (PENDULUM.format(""), '<actuator><position joint="j" kp="50"/></actuator>'),
}  # fmt: skip


@pytest.mark.parametrize("flag", FLAGS)
def test_flags_switch_off(tmp_path: Path, flag: str) -> None:
    bodies, rest = FLAGS[flag]
    options = f'<compiler autolimits="true"/><option><flag {flag}="disable"/></option>'
    model, theirs = load(tmp_path, bodies, options + rest, flanges="needed")
    moves_alike(model, theirs, 0.5)
    if flag != "actuation":
        assert f"switched off by <flag> of the file: {flag}" in model.report
    assert not any("dry friction" in line or "without control (servos" in line for line in model.report)


def test_a_weld_that_lets_rotations_free(tmp_path: Path) -> None:
    """With torquescale 0 a weld is a ball joint."""
    body = '<body name="b"><freejoint/><geom type="capsule" fromto="0 0 0 0.5 0.1 0" size=".05"/></body>'
    model, theirs = load(tmp_path, body, '<equality><weld name="e" body1="b" torquescale="0"/></equality>')
    theirs.eq_solref[:], theirs.eq_solimp[:] = (4e-4, 1.0), (0.9999, 0.9999, 1e-3, 0.5, 2.0)
    data = mujoco.MjData(theirs)
    mujoco.mj_step(theirs, data, 2500)
    turned = instantiate(model).simulate(0.5, tolerance=1e-9)["b.R_abs"][-1]
    assert turned[0, 0] < 0.5
    assert turned.ravel() == pytest.approx(data.xmat[1], abs=1e-3)


def test_servos_and_springs_that_yield_are_told(tmp_path: Path) -> None:
    servo = '<actuator><position name="p" joint="j" kp="5"/><motor name="m" joint="j"/></actuator>'
    model, _ = load(tmp_path, PENDULUM.format('stiffness="10" springyield="2"'), servo)
    report = "\n".join(model.report)
    assert "forces of actuators that act without control (servos, muscles) (p)" in report
    with pytest.raises(ModelError, match=r"joint\[j\]: a spring that yields cannot be imported"):
        load(tmp_path, PENDULUM.format('stiffness="10" springyield="2"'), flanges="needed")
    load(tmp_path, PENDULUM.format('damping="1" springyield="2"'), flanges="needed")


def test_what_acts_on_other_joints_is_told(tmp_path: Path) -> None:
    ball = (
        '<body><joint name="b" type="ball" damping="0 1" stiffness="0 0 2" range="0 40"/><geom pos="1 0 0" size=".1"/></body>'
    )
    report = "\n".join(load(tmp_path, ball, '<actuator><motor joint="b" armature="1"/></actuator>')[0].report)
    for what in ("damping", "stiffness", "armature", "limits"):
        assert f"left out: {what} of joints with more than one coordinate (joint b)" in report


def test_a_torque_is_added_to_a_flange_that_is_connected(tmp_path: Path) -> None:
    """An equation for the flange is one too many: the message says what to do, and that works as MuJoCo's motor does."""
    model, theirs = load(
        tmp_path, PENDULUM.format('damping="1"'), '<actuator><motor name="m" joint="j"/></actuator>', flanges="needed"
    )
    with pytest.raises(ModelError, match=r"'j.flange' is connected to 'j_damper.flange_b' already.*connect a source") as caught:
        instantiate(model | Map(u=Var(input=True), equations=["j.flange.tau = u"]))
    assert "Remove one of these" not in str(caught.value)
    drive = Map(drive=rotational.Torque, equations=["drive.tau = 15.0"], connect=[("drive.flange", "j.flange")])
    data = mujoco.MjData(theirs)
    data.ctrl[:] = 15.0
    mujoco.mj_step(theirs, data, 2500)
    result = instantiate(model | drive).simulate(0.5, tolerance=1e-9)
    assert result["j.phi"][-1] == pytest.approx(data.qpos[0], abs=1e-6)
    free, _ = load(tmp_path, PENDULUM.format(""), flanges="all")
    with pytest.raises(ModelError, match=r"Nothing is connected to the connector of 'j.flange.tau'.*connect it"):
        instantiate(free | Map(equations=["j.flange.tau = 15.0*time"]))
