"""`PowerSensor` of the whole system: closed forms, balances of elements of every kind, a controller that uses it, mistakes."""

from pathlib import Path

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    ActionAdd,
    Bushing,
    Distance,
    EnergySensor,
    EventAfterPeriod,
    GravityPool,
    LineForce,
    Model3D,
    ModelActions,
    Object3D,
    PowerSensor,
    Prismatic,
    PrismaticWithFlange,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    SpringDamperPtP,
    UniformGravity,
    UserGravity,
    WorldForce,
    WorldTorque,
)
from modia3d.files import read_scenario
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import rotational, translational

from ..scenes import body, free, world

pytestmark = pytest.mark.white_box

DOWN = UniformGravity(n="-y")


def run(stop_time=1.0, tolerance=1e-10, mode="ode", **entries):
    model = Model3D(
        p=PowerSensor(),
        e=EnergySensor(),
        work=Var(init=0.0),
        **entries | {"equations": [*entries.get("equations", ()), "der(work) = p.power"]},
    )
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=stop_time / 50, mode=mode)


def lost(result):
    """Energy minus the work of everything."""
    return result["e.kinetic"] + result["e.potential"] - result["work"]


def assert_balance(result, tolerance=1e-6):
    left = lost(result)
    assert left == pytest.approx(np.full(len(left), left[0]), abs=tolerance)
    for own, name in {
        "power": "power",
        "drive": "drive_power",
        "force": "force_power",
        "dissipated": "dissipated_power",
    }.items():
        assert result[f"p.{own}"] == pytest.approx(result[f"mechanics.{name}"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_each_share_is_force_times_velocity(mode):
    """A sledge with motor and brake at its flange, a damper and two forces, one of them inside the engine."""
    result = run(
        mode=mode,
        world=world(DOWN),
        wall=Object3D(parent="world", translation=(-1.0, 0.0, 0.0)),
        box=body(2.0),
        slide=PrismaticWithFlange("world", "box", axis="x", v=Var(init=0.4)),
        motor=translational.ConstantForce | Map(f_constant=3.0),
        brake=translational.Damper | Map(d=0.5),
        base=translational.Fixed,
        connect=[("motor.flange", "slide.flange"), ("base.flange", "brake.flange_a"), ("brake.flange_b", "slide.flange")],
        oil=SpringDamperPtP("wall", "box", stiffness=4.0, damping=1.5, nominal_length=1.0),
        push=WorldForce("box", ("2*sin(3*time)", 5, 0)),
        gust=WorldForce("box", (0.7, -3.0, 0.0)),
        twist=WorldTorque("box", (1.0, 2.0, 3.0)),
    )
    v, t = result["slide.v"], result.time
    assert result["p.drive"] == pytest.approx(3.0 * v - 0.5 * v**2, abs=1e-6)
    assert result["p.force"] == pytest.approx((2.0 * np.sin(3.0 * t) + 0.7) * v, abs=1e-6)
    assert result["p.dissipated"] == pytest.approx(1.5 * v**2, abs=1e-6)
    assert result["p.power"] == pytest.approx(result["p.drive"] + result["p.force"] - result["p.dissipated"], abs=1e-9)
    assert_balance(result, 1e-6 if mode == "ode" else 1e-5)
    assert np.ptp(v) > 0.5


BUSHING = {
    "stiffness": (20, 30, 10),
    "damping": (0.5, 1, 0.2),
    "rotational_stiffness": (2, 1, 3),
    "rotational_damping": (0.1, 0.2, 0.3),
    "nominal_force": (1, 0, -1),
    "nominal_torque": (0.1, 0.2, 0),
}


@pytest.mark.parametrize("angles", [{}, {"large_angles": True}, {"large_angles": True, "work_conjugate": True}])
def test_bushings_with_large_angles(angles):
    """Whatever a bushing makes of its angles, power and energy balance; with ``work_conjugate`` the dampers only take."""
    result = run(
        world=world(),
        one=free(angular_velocity=(0.3, 0.0, -1.0)),
        two=free(translation=(0.1, 0.2, 0.0), rotation=(0.4, 0.3, 0.5), angular_velocity=(0.5, 1.0, 2.0)),
        bushing=Bushing("one", "two", **BUSHING, **angles),
    )
    assert_balance(result)
    assert np.ptp(result["p.dissipated"]) > 0.1
    if "work_conjugate" in angles:
        assert (result["p.dissipated"] >= 0.0).all()


WIND = UserGravity(("0.5*y", "-0.3*x - 2", "z"))
DECLARED = UserGravity(("-2*x", "-3*y", "0"), potential="x*x + 1.5*y*y")


@pytest.mark.parametrize("gravity", [WIND, DECLARED, GravityPool(G=0.3)], ids=["no potential", "potential", "pool"])
def test_gravity_without_potential_does_work(gravity):
    parts = {"one": free(center=(0.1, 0.2, 0.0), angular_velocity=(0.3, 0.2, 0.1)), "two": free(translation=(1.0, 0.5, 0.2))}
    result = run(world=world(gravity), **parts)
    assert_balance(result)
    assert (np.abs(result["p.power"]).max() > 0.1) == (gravity is WIND)


def test_joints_that_strike_a_stop_do_no_work():
    """The impact loses energy at one moment; before and after it, while the stop holds and when it lets go, all is balanced."""
    result = run(
        1.5,
        world=world(DOWN),
        arm=body(center=(0.3, 0.0, 0.0)),
        tip=Object3D(parent="arm", translation=(0.6, 0.0, 0.0)),
        rod=body(center=(0.2, 0.1, 0.0)),
        hinge=RevoluteWithFlange("world", "arm", "z", limits=(-0.4, 2.0)),
        elbow=Revolute("tip", "rod", "z", w=2.0, limits=(-1.0, 1.0)),
        motor=rotational.ConstantTorque | Map(tau_constant=1.0),
        connect=[("motor.flange", "hinge.flange")],
    )
    left, starts = lost(result), [segment.start for segment in result.segments]
    assert len(starts) > 2
    for low, high in zip(starts, [*starts[1:], 1.5], strict=True):
        part = left[(result.time > low + 1e-9) & (result.time < high - 1e-9)]
        if len(part):
            assert part == pytest.approx(np.full(len(part), part[0]), abs=1e-6)
    assert left[0] - left[-1] == pytest.approx(sum(s.info.get("energy_lost", 0.0) for s in result.segments), rel=1e-6)
    assert left[0] - left[-1] > 0.1


def test_a_controller_that_keeps_the_power():
    """The equations find the force for a power of 6 W: ``m v^2 / 2`` grows by 6 J/s."""
    result = run(
        world=world(),
        box=body(2.0),
        slide=Prismatic("world", "box", "x", v=1.0),
        push=WorldForce("box"),
        equations=["p.power = 6", "push.force.y = 0", "push.force.z = 0"],
    )
    speed = result["box.v_abs"][:, 0]
    assert speed == pytest.approx(np.sqrt(1.0 + 6.0 * result.time), rel=1e-7)
    assert result["push.force.x"] == pytest.approx(6.0 / speed, rel=1e-6)


def test_the_power_of_each_force_has_all_its_components():
    """Forces that depend on an angle, which the equations know, on a body that moves at random: force times velocity."""
    parts = {
        "world": world(DOWN),
        "box": free(mass=2.0, velocity=(0.3, -0.2, 0.5), angular_velocity=(1.0, 2.0, -0.5)),
        "a": Var("0.2*time"),
        "one": WorldForce("box", ("3*sin(a)", "1 + a", "-2*a")),
        "two": WorldTorque("box", ("a", "-0.3", "2*cos(a)")),
        "s": PowerSensor("one"),
        "t": PowerSensor("two"),
    }
    result = run(**parts)
    a = 0.2 * result.time
    force = np.column_stack([3.0 * np.sin(a), 1.0 + a, -2.0 * a])
    torque = np.column_stack([a, np.full_like(a, -0.3), 2.0 * np.cos(a)])
    assert result["s.power"] == pytest.approx((force * result["box.v_abs"]).sum(axis=1), abs=1e-9)
    assert result["t.power"] == pytest.approx((torque * result["box.w_abs"]).sum(axis=1), abs=1e-9)
    assert result["p.force"] == pytest.approx(result["s.power"] + result["t.power"], abs=1e-9)


def test_a_line_force_feeds_what_its_spring_gives():
    result = run(
        world=world(),
        one=free(),
        two=free(translation=(1.0, 0.2, 0.0), velocity=(0.0, 0.5, 0.3)),
        line=LineForce("one", "two"),
        spring=translational.Spring | Map(c=9.0, s_rel0=0.5),
        connect=[("line.flange_a", "spring.flange_a"), ("line.flange_b", "spring.flange_b")],
    )
    assert result["p.force"] == pytest.approx(-9.0 * (result["line.line.s"] - 0.5) * result["line.line.v"], abs=1e-7)
    assert_balance(result)


def test_a_parked_arm_is_no_part_of_the_system():
    """Its drive pulls at a joint that is held; from the moment when it appears, all is balanced."""

    def program(actions):
        EventAfterPeriod(actions, 0.4)
        ActionAdd(actions, "upper", translation=(0.0, 1.0, 0.0), angular_velocity=(0.0, 0.0, 0.5))

    result = run(
        world=world(),
        other=free(angular_velocity=(0.1, 0.2, 0.3)),
        upper=body(2.0, parked=True),
        lower=body(center=(0.2, 0.0, 0.1)),
        hinge=RevoluteWithFlange("upper", "lower", "y", phi=Var(init=0.4)),
        drive=rotational.SpringDamper | Map(c=30.0, d=0.3),
        wall=rotational.Fixed,
        connect=[("wall.flange", "drive.flange_a"), ("drive.flange_b", "hinge.flange")],
        actions=ModelActions(program),
    )
    left, parked = lost(result), result.time < 0.4
    assert result["p.power"][parked] == pytest.approx(np.zeros(parked.sum()), abs=1e-12)
    assert np.abs(result["hinge.flange.tau"][parked]).min() > 1.0
    there = result.time > 0.4
    assert left[there] == pytest.approx(np.full(there.sum(), left[-1]), abs=1e-6)
    assert np.abs(result["p.drive"][there]).max() > 1.0


def test_yaml_says_the_same(tmp_path: Path):
    file = tmp_path / "power.yaml"
    file.write_text(
        """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  ball: {Object3D: {feature: {Solid: {mass_properties: {MassProperties: [2, [0, 0, 0], 1, 1, 1]}}},
         parent: world, fixed_to_parent: false}}
  push: {WorldForce: {obj: ball, force: ["4*time", 0, 0]}}
  all: {PowerSensor: {}}
  one: {PowerSensor: push}
  work: {Var: {init: 0}}
  equations: ["der(work) = all.power"]
simulation: {stop_time: 1.0, tolerance: 1.0e-9}
"""
    )
    result = instantiate(read_scenario(file).model).simulate(1.0, tolerance=1e-9)
    assert result["work"][-1] == pytest.approx(1.0, rel=1e-7)
    assert result["one.power"] == pytest.approx(result["all.force"], abs=1e-9)
    assert result["mechanics.power"][-1] == pytest.approx(4.0, rel=1e-7)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (lambda: {"s": PowerSensor("gust")}, ["s", "power of 'gust' alone", "stays inside the engine", "PowerSensor()"]),
        (lambda: {"s": PowerSensor("gst")}, ["no force from the equations 'gst'", "Did you mean 'gust'"]),
        (lambda: {"s": PowerSensor(3.0)}, ["force of PowerSensor", "3.0"]),
        (lambda: {"x": Var("mechanics.power")}, ["unknown name 'mechanics.power'", "PowerSensor(), s.power"]),
        (lambda: {"x": Var("mechanics.kinetic_energy")}, ["EnergySensor(), s.kinetic"]),
        (lambda: {"x": Var("ball.r_abs[0]")}, ["AbsoluteSensor('ball', quantities='r'), s.r.x"]),
        (lambda: {"x": Var("ball.R_abs")}, ["AbsoluteSensor('ball', quantities='R'), s.R.xx"]),
        (lambda: {"x": Var("part.cut_torque[1]")}, ["CutForceAndTorque('part'), s.torque.x"]),
        (lambda: {"x": Var("mechanics.momentum[0]")}, ["a result that equations do not know"]),
        (lambda: {"x": Var("hinge.phi")}, ["unknown name 'hinge.phi'", "joint with a flange"]),
        (lambda: {"s": AbsoluteSensor("ball"), "x": Var("s.w.z")}, ["unknown name 's.w.z'", "quantities=('r', 'w')"]),
        (lambda: {"s": EnergySensor("kinetic"), "x": Var("s.potential")}, ["quantities=('kinetic', 'potential')"]),
        (
            lambda: {"s": AbsoluteSensor("ball"), "x": Var("s.r[0]")},
            ["'s.r' in 'x = s.r[0]' is a model", "s.r.x, s.r.y, s.r.z"],
        ),
        (lambda: {"s": Distance("ball", "ball")}, ["obj2 of Distance", "obj1, too"]),
        (lambda: {"s": RelativeSensor("ball", "ball")}, ["obj2 of RelativeSensor", "obj1, too"]),
    ],
)
def test_mistakes_are_named(entries, words):
    parts = {
        "world": world(),
        "ball": free(),
        "part": Object3D(parent="ball"),
        "rod": body(),
        "hinge": Revolute("ball", "rod"),
        "gust": WorldForce("ball", (1.0, 0.0, 0.0)),
    }
    with pytest.raises(ModelError) as caught:
        instantiate(Model3D(**parts, **entries()))
    for word in words:
        assert word in str(caught.value)


def test_a_result_of_a_robot_inside_a_model_is_named():
    robot = Model3D(world=world(), ball=free())
    with pytest.raises(ModelError, match=r"EnergySensor\(\), s.kinetic"):
        instantiate(Model(robot=robot, x=Var("robot.mechanics.kinetic_energy")))
