"""Joints with several flanges against those without, under the same forces; power balance; motion that is prescribed."""

import inspect
import math
from pathlib import Path

import numpy as np
import pytest
import yaml

import modia3d
from modia3d import (
    AbsoluteSensor,
    ActionLock,
    Box,
    Cylindrical,
    CylindricalWithFlanges,
    EventAfterPeriod,
    Force,
    FreeMotion,
    FreeMotionWithFlanges,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    PinSlot,
    PinSlotWithFlanges,
    Planar,
    PlanarWithFlanges,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Screw,
    ScrewWithFlange,
    Solid,
    Spherical,
    SphericalWithFlanges,
    Torque,
    UniformGravity,
    Universal,
    UniversalWithFlanges,
)
from modia3d.dynamics.joints.kinds import KINDS
from modia3d.files import read_scenario
from modia3d.files.registry import constructors
from modia3d.files.writer import scenario_text
from modia3d.scene import joints
from modia3d.scene.basics.rotations import axis_rotation
from modia3d.scene.joint_names import FILES, JOINTS, WITH_FLANGES, joint_class
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library import blocks, rotational, translational

pytestmark = pytest.mark.white_box

BODY = Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.3, Iyy=0.2, Izz=0.4, center_of_mass=(0.2, 0.1, -0.1)))
AXIS = (1.0, 2.0, 2.0)
STARTS = {
    "cylindrical": {"s": 0.2, "phi": 0.3, "v": -0.4, "w": 1.5},
    "universal": {"phi_a": 0.2, "phi_b": 0.3, "w_a": -0.4, "w_b": 1.5},
    "planar": {"s_x": 0.2, "s_y": 0.1, "phi": 0.3, "v_x": -0.4, "v_y": 0.7, "w": 1.5},
    "screw": {"phi": 0.3, "w": 1.5},
    "pin slot": {"s": 0.2, "phi": 0.3, "v": -0.4, "w": 1.5},
}
WITHOUT = {
    "cylindrical": Cylindrical("arm", "body", AXIS, **STARTS["cylindrical"]),
    "universal": Universal("arm", "body", "y", "z", **STARTS["universal"]),
    "planar": Planar("arm", "body", AXIS, "x", **STARTS["planar"]),
    "screw": Screw("arm", "body", AXIS, 0.7, **STARTS["screw"]),
    "pin slot": PinSlot("arm", "body", AXIS, "y", **STARTS["pin slot"]),
}
WITH = {
    "cylindrical": CylindricalWithFlanges("arm", "body", AXIS, **STARTS["cylindrical"]),
    "universal": UniversalWithFlanges("arm", "body", "y", "z", **STARTS["universal"]),
    "planar": PlanarWithFlanges("arm", "body", AXIS, "x", **STARTS["planar"]),
    "screw": ScrewWithFlange("arm", "body", AXIS, 0.7, **STARTS["screw"]),
    "pin slot": PinSlotWithFlanges("arm", "body", AXIS, "y", **STARTS["pin slot"]),
}
ANGLES, RATES = {"x": 0.2, "y": -0.4, "z": 0.5}, {"x": 1.5, "y": -0.4, "z": 0.7}
ORDERS = ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx")


def scene(**entries):
    """A joint on an arm that turns itself."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(n=(0, 0, -1)))),
        arm=Object3D(feature=Solid(Box(0.5, 0.1, 0.1), "Aluminium")),
        hinge=Revolute("world", "arm", "x", w=0.5),
        body=Object3D(feature=BODY),
        **entries,
    )


def left_open(kind):
    """Flanges on which nothing acts."""
    return scene(joint=WITH[kind])


@pytest.mark.parametrize("kind", WITH)
def test_with_free_flanges_a_joint_moves_as_without(kind):
    one = instantiate(left_open(kind)).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(scene(joint=WITHOUT[kind])).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert one["body.r_abs"] == pytest.approx(other["body.r_abs"], abs=1e-7)
    assert one["body.R_abs"] == pytest.approx(other["body.R_abs"], abs=1e-7)
    for name in STARTS[kind]:
        assert one[f"joint.{name}"] == pytest.approx(other[f"joint.{name}"], abs=1e-7)


def turned(order, angles=ANGLES):
    """``R_12`` of Cardan angles, and the axis of each of them in frame 1."""
    R, axes = np.eye(3), {}
    for axis in order:
        axes[axis] = R[:, "xyz".index(axis)]
        R = R @ axis_rotation(np.eye(3)["xyz".index(axis)], angles[axis])
    return R, axes


def spherical(order):
    """A spherical joint with flanges and the same without."""
    R, axes = turned(order)
    given = {f"phi_{axis}": ANGLES[axis] for axis in "xyz"} | {f"w_{axis}": RATES[axis] for axis in "xyz"}
    w = sum(RATES[axis] * axes[axis] for axis in "xyz")
    return SphericalWithFlanges("arm", "body", order, **given), Spherical("arm", "body", R.tolist(), w.tolist())


def free(order):
    """A free motion with flanges and the same without."""
    R, axes = turned(order)
    given = {f"phi_{axis}": ANGLES[axis] for axis in "xyz"} | {f"w_{axis}": RATES[axis] for axis in "xyz"}
    given |= {"s_x": 0.1, "s_y": -0.2, "s_z": 0.3, "v_x": 0.3, "v_y": 0.2, "v_z": -0.1}
    w = sum(RATES[axis] * axes[axis] for axis in "xyz")
    passive = FreeMotion("arm", "body", (0.1, -0.2, 0.3), R.tolist(), (0.3, 0.2, -0.1), w.tolist())
    return FreeMotionWithFlanges("arm", "body", order, **given), passive


@pytest.mark.parametrize("pair", [*map(spherical, ORDERS), free("xyz"), free("zxy")], ids=[*ORDERS, "free xyz", "free zxy"])
def test_with_free_flanges_cardan_angles_describe_the_same_motion(pair):
    with_flanges, without = pair
    one = instantiate(scene(joint=with_flanges)).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(scene(joint=without)).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert one["body.r_abs"] == pytest.approx(other["body.r_abs"], abs=1e-7)
    assert one["body.R_abs"] == pytest.approx(other["body.R_abs"], abs=1e-7)
    assert max(np.abs(one[f"joint.phi_{axis}"] - ANGLES[axis]).max() for axis in "xyz") > 0.5


def test_torques_at_cardan_flanges_are_the_components_of_a_torque_about_their_axes():
    """Axes in frame 1: z, then x turned about z, then y of frame 2; the torque is given in frame 1."""
    torque = (1.0, 2.0, -0.5)
    axes = {
        "z": ("0", "0", "1"),
        "x": ("cos(joint.phi_z)", "sin(joint.phi_z)", "0"),
        "y": ("-sin(joint.phi_z)*cos(joint.phi_x)", "cos(joint.phi_z)*cos(joint.phi_x)", "sin(joint.phi_x)"),
    }
    sources = {f"source_{a}": rotational.Torque for a in "xyz"}
    texts = {a: " + ".join(f"({t!r})*({e})" for t, e in zip(torque, axes[a], strict=True)) for a in "xyz"}
    with_flanges, without = spherical("zxy")
    model = scene(
        joint=with_flanges,
        **sources,
        **{f"turn_{a}": Var(f"source_{a}.flange.tau*joint.w_{a}") for a in "xyz"},
        equations=[f"source_{a}.tau = {texts[a]}" for a in "xyz"],
        connect=[(f"source_{a}.flange", f"joint.flange_phi_{a}") for a in "xyz"],
    )
    one = instantiate(model).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(scene(joint=without, turn=Torque("arm", "body", "arm", torque))).simulate(
        1.0, interval=0.05, tolerance=1e-10
    )
    assert one["body.R_abs"] == pytest.approx(other["body.R_abs"], abs=1e-7)
    assert one["arm.R_abs"] == pytest.approx(other["arm.R_abs"], abs=1e-7)
    power = sum(one[f"joint.flange_phi_{a}.tau"] * one[f"joint.w_{a}"] for a in "xyz")
    assert one["mechanics.drive_power"] == pytest.approx(power, abs=1e-9)
    assert power == pytest.approx(other["mechanics.force_power"], abs=1e-6)
    assert np.ptp(power) > 1.0


def test_forces_at_the_flanges_of_a_free_motion_are_forces_on_its_frame():
    with_flanges, without = free("xyz")
    model = scene(
        joint=with_flanges,
        **{f"push_{a}": translational.ConstantForce | Map(f_constant=f) for a, f in zip("xyz", (3.0, -2.0, 25.0), strict=True)},
        connect=[(f"push_{a}.flange", f"joint.flange_s_{a}") for a in "xyz"],
    )
    one = instantiate(model).simulate(1.0, interval=0.05, tolerance=1e-10)
    pushed = scene(joint=without, push=Force("arm", "body", "arm", (3.0, -2.0, 25.0)))
    other = instantiate(pushed).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert one["body.r_abs"] == pytest.approx(other["body.r_abs"], abs=1e-6)
    assert one["arm.R_abs"] == pytest.approx(other["arm.R_abs"], abs=1e-6)


def lifted(first="world", second="nut", **given):
    """A nut of mass 2 on an upright spindle with 0.2 m for each turn; 5 N.m at the flange."""
    nut = Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.3, Iyy=0.3, Izz=0.4))
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n=(0, 0, -1)))),
        nut=Object3D(feature=nut),
        joint=ScrewWithFlange(first, second, "z", 0.2, **given),
        drive=rotational.ConstantTorque | Map(tau_constant=5.0),
        connect=[("drive.flange", "joint.flange")],
    )


LEAD = 0.2 / (2 * math.pi)
ACCELERATION = (5.0 - 2.0 * 9.81 * LEAD) / (0.4 + 2.0 * LEAD**2)


@pytest.mark.parametrize(("first", "second", "sign"), [("world", "nut", 1.0), ("nut", "world", -1.0)])
def test_a_screw_lifts_what_its_flange_turns(first, second, sign):
    """``(J + m h^2) der(w) = tau - m g h``; where obj1 and obj2 change places the torque turns the nut backwards."""
    result = instantiate(lifted(first, second)).simulate(1.0, tolerance=1e-10)
    acceleration = (5.0 - sign * 2.0 * 9.81 * LEAD) / (0.4 + 2.0 * LEAD**2)
    assert result["joint.phi"] == pytest.approx(acceleration * result.time**2 / 2, abs=1e-7)
    assert result["nut.r_abs"][:, 2] == pytest.approx(sign * LEAD * result["joint.phi"], abs=1e-9)
    assert result["mechanics.drive_power"] == pytest.approx(5.0 * result["joint.w"], abs=1e-9)


def test_the_flange_of_a_screw_can_be_moved_and_feels_the_weight():
    """Both steadily and with a wanted acceleration: the torque at the flange is that of the closed form."""
    nut = Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.3, Iyy=0.3, Izz=0.4))
    model = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=9.81, n=(0, 0, -1)))),
        nut=Object3D(feature=nut),
        joint=ScrewWithFlange("world", "nut", "z", 0.2, phi=Var(start=0.0), w=Var(start=0.0)),
        drive=rotational.Position,
        wave=blocks.Sine | Map(amplitude=0.5, f=1.0),
        connect=[("wave.y", "drive.phi_ref"), ("drive.flange", "joint.flange")],
    )
    result = instantiate(model).simulate(1.0, interval=0.01, tolerance=1e-9)
    acceleration = -0.5 * (2 * math.pi) ** 2 * np.sin(2 * math.pi * result.time)
    expected = (0.4 + 2.0 * LEAD**2) * acceleration + 2.0 * 9.81 * LEAD
    assert result["joint.flange.tau"] == pytest.approx(expected, abs=1e-6)


def test_a_screw_with_a_flange_stops_at_its_limit():
    """The stop bears what the drive has left over; until then the closed form holds."""
    result = instantiate(lifted(limits=(-1.0, 2.0))).simulate(1.0, tolerance=1e-9)
    assert len(result.segments) == 2
    assert result.segments[1].start == pytest.approx(math.sqrt(4.0 / ACCELERATION), abs=1e-7)
    assert result["joint.phi"][-1] == pytest.approx(2.0, abs=1e-8)
    assert result["joint.w"][-1] == 0.0
    assert result["joint.constraint_torque"][-1] == pytest.approx(2.0 * 9.81 * LEAD - 5.0, abs=1e-9)


def test_passive_joints_on_both_sides_of_a_screw_with_a_flange():
    """A pendulum on a screw on a pendulum, with a force from the equations at the end: energy is balanced."""
    sim = instantiate(
        scene(
            joint=WITH["screw"],
            tip=Object3D(feature=BODY),
            swing=Revolute("body", "tip", "y", w=0.7),
            damper=rotational.Damper | Map(d=0.3),
            ground=rotational.Fixed,
            push=Force("", "tip", "", ("2*cos(3*time)", 0.0, "-0.5*speed")),
            sensor=AbsoluteSensor("tip", quantities=("v",)),
            speed=Var("sensor.v.z"),
            connect=[("ground.flange", "damper.flange_a"), ("damper.flange_b", "joint.flange")],
        )
    )
    result = sim.simulate(1.0, interval=1.0 / 4000, tolerance=1e-10)
    power = result["mechanics.drive_power"] + result["mechanics.force_power"]
    assert result["mechanics.drive_power"] == pytest.approx(-0.3 * result["joint.w"] ** 2, abs=1e-9)
    fed = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.time))])
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy - energy[0] == pytest.approx(fed, abs=1e-5)
    assert np.ptp(energy) > 0.5


def test_the_joints_of_a_chain_end_at_limits_and_are_locked_as_asked_of_the_whole():
    joint = PinSlotWithFlanges("arm", "body", "x", "y", v=1.0, limits={"s": (-1.0, 0.1)}, at_limit="error")
    with pytest.raises(SimulationError, match=r"joint\.prismatic.*reaches its upper limit s = 0\.1"):
        instantiate(scene(joint=joint)).simulate(1.0)
    for lockable in (False, True):
        joint = PinSlotWithFlanges("arm", "body", "x", "y", lockable=lockable)
        flat = instantiate(scene(joint=joint)).flat
        found = {name for name in flat.variables if name.endswith(("constraint_force", "constraint_torque"))}
        asked = {"joint.prismatic.constraint_force", "joint.revolute.constraint_torque"}
        assert found == (asked if lockable else set())


def test_one_angle_of_a_spherical_joint_may_be_locked():
    def program(actions):
        EventAfterPeriod(actions, 0.3)
        ActionLock(actions, "joint.revolute_y", on_contact="impulse")
        EventAfterPeriod(actions, 0.3)

    result = instantiate(scene(joint=spherical("xyz")[0], actions=ModelActions(program))).simulate(0.6, tolerance=1e-9)
    held = result.time > 0.3
    assert np.ptp(result["joint.phi_y"][held]) < 1e-9
    assert np.ptp(result["joint.phi_x"][held]) > 0.01
    assert np.ptp(result["joint.phi_z"][held]) > 0.01
    assert np.ptp(result["joint.phi_y"][~held]) > 0.05


def driven():
    """A cylindrical joint with a spring along its axis and a damper about it, and a torque that varies."""
    return scene(
        joint=WITH["cylindrical"],
        spring=translational.Spring | Map(c=40.0, s_rel0=0.1),
        wall=translational.Fixed,
        damper=rotational.Damper | Map(d=0.3),
        ground=rotational.Fixed,
        motor=rotational.Torque,
        wave=blocks.Sine | Map(amplitude=2.0, f=1.0),
        connect=[
            ("wall.flange", "spring.flange_a"), ("spring.flange_b", "joint.flange_s"),
            ("ground.flange", "damper.flange_a"), ("damper.flange_b", "joint.flange_phi"),
            ("wave.y", "motor.tau"), ("motor.flange", "joint.flange_phi"),
        ],
    )  # fmt: skip


def loaded():
    """The same joint as the engine's, with the same forces along and about its axis between its bodies."""
    from modia3d import RelativeSensor

    e = np.array(AXIS) / 3.0
    along = " + ".join(f"({float(x)!r})*sensor.r.{c}" for x, c in zip(e, "xyz", strict=True))
    about = " + ".join(f"({float(x)!r})*sensor.w.{c}" for x, c in zip(e, "xyz", strict=True))
    return scene(
        joint=WITHOUT["cylindrical"],
        sensor=RelativeSensor("arm", "body", quantities=("r", "w")),
        push=Force("arm", "body", "arm", tuple(f"({float(x)!r})*(-40*(s - 0.1))" for x in e)),
        turn=Torque("arm", "body", "arm", tuple(f"({float(x)!r})*(2*sin(2*pi*time) - 0.3*rate)" for x in e)),
        s=Var(along),
        rate=Var(about),
    )


def test_forces_at_both_flanges_move_it_as_the_same_forces_between_its_bodies():
    one = instantiate(driven()).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(loaded()).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert np.ptp(one["joint.s"]) > 0.1
    assert np.ptp(one["joint.phi"]) > 0.5
    for name in ("joint.s", "joint.phi", "joint.v", "joint.w", "hinge.phi"):
        assert one[name] == pytest.approx(other[name], abs=1e-6)


def test_what_both_flanges_feed_is_what_the_bodies_gain():
    result = instantiate(driven()).simulate(1.0, interval=1.0 / 4000, tolerance=1e-10)
    power = result["joint.flange_s.f"] * result["joint.v"] + result["joint.flange_phi.tau"] * result["joint.w"]
    assert result["mechanics.drive_power"] == pytest.approx(power, abs=1e-9)
    fed = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.time))])
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy - energy[0] == pytest.approx(fed, abs=1e-5)
    assert np.abs(result["joint.flange_s.f"] * result["joint.v"]).max() > 1.0
    assert np.abs(result["joint.flange_phi.tau"] * result["joint.w"]).max() > 0.5


def test_one_flange_may_be_prescribed_while_the_other_is_free():
    model = scene(
        joint=CylindricalWithFlanges("arm", "body", "x", s=Var(start=0.0), v=Var(start=0.0)),
        position=translational.Position,
        wave=blocks.Sine | Map(amplitude=0.1, f=1.0),
        connect=[("wave.y", "position.s_ref"), ("position.flange", "joint.flange_s")],
    )
    result = instantiate(model).simulate(1.0, interval=0.01, tolerance=1e-8)
    assert result["joint.s"] == pytest.approx(0.1 * np.sin(2 * math.pi * result.time), abs=1e-12)
    assert np.ptp(result["joint.phi"]) > 0.1


def test_a_limit_of_one_coordinate_holds():
    model = scene(joint=CylindricalWithFlanges("arm", "body", "x", v=1.0, limits={"s": (-1.0, 0.2)}))
    result = instantiate(model).simulate(0.5, interval=0.01)
    assert result["joint.s"].max() == pytest.approx(0.2, abs=1e-6)
    assert len(result.segments) > 1
    with pytest.raises(ModelError, match=r"limits of CylindricalWithFlanges.*'x'.*expected some of s, phi"):
        CylindricalWithFlanges("arm", "body", limits={"x": (0, 1)})


def test_names_of_its_own_parts_are_refused():
    with pytest.raises(ModelError, match=r"obj1 of CylindricalWithFlanges.*'revolute'"):
        CylindricalWithFlanges("revolute", "body")


def test_initial_values_are_expressions_of_the_model_where_the_joint_stands():
    part = Model(
        height=0.25,
        joint=CylindricalWithFlanges("arm", "body", "x", s="height", phi=Var(init="2*height")),
    )
    result = instantiate(scene(part=part)).simulate(0.01)
    assert result["part.joint.s"][0] == 0.25
    assert result["part.joint.phi"][0] == 0.5


TEXT = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  body: {Object3D: {feature: {Solid: {mass_properties: {MassProperties: {mass: 2, Ixx: 1, Iyy: 1, Izz: 0.5}}}}}}
  joint: {CylindricalWithFlanges: {obj1: world, obj2: body, axis: z, s: 0.1}}
  push: {translational.ConstantForce: {f_constant: 3.0}}
  turn: {rotational.ConstantTorque: {tau_constant: 2.0}}
  connect:
    - [push.flange, joint.flange_s]
    - [turn.flange, joint.flange_phi]
simulation: {stop_time: 1.0}
"""


def test_in_a_scenario_both_flanges_drive_it(tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text(TEXT)
    scenario = read_scenario(file)
    result = instantiate(scenario.model).simulate(1.0, tolerance=1e-9)
    t = result.time
    assert result["joint.s"] == pytest.approx(0.1 + 3.0 / 2.0 * t**2 / 2, abs=1e-8)
    assert result["joint.phi"] == pytest.approx(2.0 / 0.5 * t**2 / 2, abs=1e-8)
    file.write_text(scenario_text(scenario.model))
    assert "CylindricalWithFlanges" in file.read_text()
    assert read_scenario(file).model == scenario.model


CALLS = [
    RevoluteWithFlange("a", "b", (1, 2, 2), 0.1, limits=(-1.0, "2*q0"), lockable=True),
    PrismaticWithFlange("a", "b", s="q0", at_limit="error", limits=(0.0, 1.0)),
    ScrewWithFlange("a", "b", "-x", "pitch", Var(start=0.2), w=0.3),
    CylindricalWithFlanges("a", "b", [0, 1, 1], 0.1, v="2*q0", limits={"s": (0.0, "q0")}),
    UniversalWithFlanges("a", "b", "y", "z", w_b=Var(init=1.0, nominal=10.0), lockable=True),
    PlanarWithFlanges("a", "b", "x", np.array([0.0, 1.0, 0.0]), phi=0.3),
    SphericalWithFlanges("a", "b", "zyx", phi_z=0.3, limits={"phi_z": (-1, 1), "phi_x": (-2, 2)}, at_limit="error"),
    FreeMotionWithFlanges("a", "b", s_z=0.3, w_x="q0"),
    PinSlotWithFlanges("a", "b", axis_x="y", s=0.1),
]


@pytest.mark.parametrize("joint", CALLS, ids=list(WITH_FLANGES))
def test_a_scenario_has_the_call_that_made_a_joint(joint, tmp_path):
    name = list(WITH_FLANGES)[[repr(each) for each in CALLS].index(repr(joint))]
    model = Model3D(
        world=Object3D(feature=Scene()),
        a=Object3D(parent="world"),
        b=Object3D(feature=BODY),
        q0=0.5,
        pitch=0.1,
        joint=joint,
    )
    file = tmp_path / "scene.yaml"
    file.write_text(scenario_text(model))
    entry = yaml.safe_load(file.read_text())["model"]["joint"]
    assert list(entry) == [name]
    assert set(entry[name]) <= set(inspect.signature(getattr(modia3d, name)).parameters)
    again = read_scenario(file).model
    same = str.maketrans("[]", "()")  # YAML has lists only
    assert repr(again["joint"]).translate(same) == repr(joint).translate(same)
    assert instantiate(again).simulate(0.01).status == "finished"


def test_a_chain_that_was_changed_is_written_as_what_it_is(tmp_path):
    """A value of one of its parts is an argument of the call; an equation of its own is not."""
    file = tmp_path / "scene.yaml"

    def written(joint):
        model = Model3D(world=Object3D(feature=Scene()), body=Object3D(feature=BODY), joint=joint)
        file.write_text(scenario_text(model))
        assert repr(instantiate(read_scenario(file).model).simulate(0.01)["joint.phi"]) == repr(
            instantiate(model).simulate(0.01)["joint.phi"]
        )
        return yaml.safe_load(file.read_text())["model"]["joint"]

    joint = CylindricalWithFlanges("world", "body", "y")
    assert written(joint)["CylindricalWithFlanges"] == {"obj1": "world", "obj2": "body", "axis": "y"}
    turning = written(joint | Map(revolute=Map(w=Var(init=2.0))))
    assert list(turning["CylindricalWithFlanges"]) == ["obj1", "obj2", "axis", "w"]
    more = written(joint | Model(power=Var("flange_s.f*v")))
    assert list(more) == ["Model"]
    assert set(more["Model"]) >= {"prismatic", "revolute", "frame_1", "power"}


def test_a_chain_takes_the_place_of_another_one():
    """They are no modifications of each other, though both have parts of the same names."""
    model = scene(joint=CylindricalWithFlanges("arm", "body", "x", phi=0.4))
    other = model | Model(joint=PlanarWithFlanges("arm", "body", "y"))
    assert repr(other["joint"]) == repr(PlanarWithFlanges("arm", "body", "y"))
    assert repr((model | Model(joint=CylindricalWithFlanges("arm", "body", "z")))["joint"]) == repr(
        CylindricalWithFlanges("arm", "body", "z")
    )


def test_all_joints_that_move_have_flanges():
    assert set(WITH_FLANGES.values()) == set(JOINTS) - {"Fix"}
    for name, joint in WITH_FLANGES.items():
        cls, make = joint_class(joint), getattr(modia3d, name)
        assert FILES[joint][1] == len(cls.motions)
        assert name.endswith("WithFlange") == (len(cls.motions) == 1)
        assert {motion.coordinate for motion in cls.motions} <= set(inspect.signature(make).parameters)
        model = make("a", "b")
        assert set(cls.flanges().values()) <= set(model)
        assert all(field in make.__doc__ for field in inspect.signature(make).parameters)


def test_a_joint_is_known_everywhere_by_its_line_in_the_list():
    """No other list has to be kept: the folder, Python, scenarios, the kinds of the dynamics and the guide agree with it."""
    files = {file.stem: file.read_text(encoding="utf-8") for file in Path(joints.__file__).parent.glob("*.py")}
    assert {name for name, text in files.items() if "    kind: ClassVar[str] = " in text} == set(JOINTS.values())
    guide = (Path(__file__).parents[3] / "docs" / "joints.md").read_text(encoding="utf-8")
    for name in (*JOINTS, *WITH_FLANGES):
        assert name in modia3d.__all__
        assert name in constructors()
        assert f"`{name}" in guide
    assert {joint_class(name).kind for name in JOINTS} | {"free"} == {*KINDS, "fixed"}


def test_the_start_of_a_joint_is_what_was_given():
    """Whatever its coordinates are called: each field of that name is the initial value."""
    for name, joint in WITH_FLANGES.items():
        cls = joint_class(joint)
        if "orientation" in cls.shape:  # other coordinates without flanges
            continue
        names = [*(motion.coordinate for motion in cls.motions), *(motion.speed for motion in cls.motions)]
        made = cls("a", "b", **{field: 0.1 + k for k, field in enumerate(names)})
        assert made.state_names() == (tuple(names[: len(names) // 2]), tuple(names[len(names) // 2 :])), name
        assert [*made.start("")[0], *made.start("")[1]] == [0.1 + k for k in range(len(names))], name


def test_calls_that_make_no_joint():
    with pytest.raises(ModelError, match="orientation of SphericalWithFlanges is wrong; found 'auto'; expected xyz"):
        SphericalWithFlanges("a", "b", "auto")
    with pytest.raises(ModelError, match=r"SphericalWithFlanges has no argument 'phi'.*Did you mean 'phi_"):
        SphericalWithFlanges("a", "b", phi=1.0)
    with pytest.raises(TypeError, match=r"ScrewWithFlange\(\): missing a required argument: 'obj2'"):
        ScrewWithFlange("a")
    connect = [("drive.flange", "joint.flange_phi_x")]
    with pytest.raises(ModelError, match=r"SphericalWithFlanges has the connectors flange_phi_x, .*variables phi_x, "):
        instantiate(scene(drive=rotational.ConstantTorque, joint=Spherical("arm", "body"), connect=connect))
