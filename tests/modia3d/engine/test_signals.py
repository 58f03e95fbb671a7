"""Forces whose values come from equations: against closed forms, other elements, balances of energy and momentum."""

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    ActionDelete,
    Distance,
    EnergySensor,
    EventAfterPeriod,
    Force,
    ForceAndTorque,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PowerSensor,
    PrismaticWithFlange,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Spherical,
    SpringDamperPtP,
    Torque,
    Universal,
    WorldForce,
    WorldTorque,
)
from modia3d.files import read_scenario
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import translational
from tests.modia3d import scenes
from tests.modia3d.scenes import run

pytestmark = pytest.mark.white_box

WEIGHTLESS = Object3D(feature=Scene(gravity=NoGravity()))
EARTH = Object3D(feature=Scene())
INERTIA = (0.1, 0.2, 0.15)
body, free = partial(scenes.body, inertia=INERTIA), partial(scenes.free, inertia=INERTIA)


def chain(**more):
    """A driven joint, a passive one, a ball joint and a universal joint behind each other, and a free body."""
    parts = {
        "world": EARTH,
        "a": body(center=(0.3, 0.0, 0.0)),
        "b": body(center=(0.2, 0.1, 0.0)),
        "c": body(center=(0.0, 0.1, 0.3)),
        "d": body(center=(0.0, -0.2, 0.1)),
        "a_end": Object3D(parent="a", translation=(0.5, 0.1, 0.0), rotation=(0.3, -0.2, 0.5)),
        "b_end": Object3D(parent="b", translation=(0.4, 0.2, 0.1), rotation=(-0.1, 0.4, 0.2)),
        "tip": Object3D(parent="d", translation=(0.1, -0.4, 0.2), rotation=(0.5, 0.6, 0.7)),
        "rev": RevoluteWithFlange("world", "a", axis="z"),
        "passive": Revolute("a_end", "b", axis=(1.0, 1.0, 0.0), w=0.5),
        "ball": Spherical("b_end", "c", angular_velocity=(0.2, -0.3, 0.4)),
        "cross": Universal("c", "d", w_a=0.3),
        "loose": free(translation=(1.0, 0.5, -0.3), angular_velocity=(0.3, 0.2, -0.5)),
    }
    return parts | more


def test_a_constant_signal_is_a_constant_force():
    inside = run(**chain(push=WorldForce("tip", (1.0, -2.0, 0.5), resolved_in="b"), turn=WorldTorque("c", (0.1, 0.2, -0.3))))
    signals = run(
        **chain(
            push=WorldForce("tip", ("1", "-2.0", "0.5"), resolved_in="b"),
            turn=WorldTorque("c", torque=("0.1", "0.2", "-0.3")),
        )
    )
    for name in ("rev.phi", "tip.r_abs", "tip.v_abs", "mechanics.momentum_rate", "tip.a_abs"):
        assert signals[name][-1] == pytest.approx(inside[name][-1], abs=1e-7)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_work_of_signals_is_what_the_energy_gains(mode):
    result = run(
        mode=mode,
        tolerance=1e-9,
        **chain(
            push=WorldForce("tip", ("3*sin(5*time)", 1, "-0.4*speed.v.x")),
            pull=ForceAndTorque("tip", "loose", "a", force=("time", 0.2, "cos(time)"), torque=(0.1, "0.2*sin(time)", 0)),
            speed=AbsoluteSensor("tip", quantities="v"),
            energy=EnergySensor(),
            power_1=PowerSensor("push"),
            power_2=PowerSensor("pull"),
            work=Var(init=0.0),
            equations=["der(work) = power_1.power + power_2.power"],
        ),
    )
    energy = result["energy.kinetic"] + result["energy.potential"]
    assert np.ptp(energy) > 1.0
    assert energy - result["work"] == pytest.approx(np.full(len(energy), energy[0]), abs=1e-6)
    assert result["energy.kinetic"] == pytest.approx(result["mechanics.kinetic_energy"], abs=1e-12)
    assert result["energy.potential"] == pytest.approx(result["mechanics.potential_energy"], abs=1e-12)


def test_without_passive_joints_both_modes_agree():
    parts = {
        "world": EARTH,
        "a": body(center=(0.3, 0.0, 0.0)),
        "b": body(center=(0.2, 0.1, 0.0)),
        "a_end": Object3D(parent="a", translation=(0.5, 0.1, 0.0)),
        "one": RevoluteWithFlange("world", "a", axis="z"),
        "two": RevoluteWithFlange("a_end", "b", axis="x", w=Var(init=1.0)),
        "push": WorldForce("b", ("-0.3*s.a.x", "sin(3*time)", "-0.1*s.v.z"), resolved_in="a"),
        "s": AbsoluteSensor("b", quantities=("v", "a")),
    }
    ode, dae = run(mode="ode", **parts), run(mode="dae", tolerance=1e-9, **parts)
    for name in ("one.phi", "two.w", "s.a.x"):
        assert dae[name][-1] == pytest.approx(ode[name][-1], rel=1e-5, abs=1e-6)


def test_forces_between_bodies_keep_the_momenta():
    result = run(
        world=WEIGHTLESS,
        one=free(angular_velocity=(1.0, 2.0, 3.0)),
        two=free(translation=(1.0, 0.5, 0.2), velocity=(0.1, 0.0, 0.0)),
        pull=Force("one", "two", force=("sin(9*time)", "time", 2)),
        twist=Torque("one", "two", resolved_in="", torque=(1, "cos(time)", "-time")),
    )
    for name in ("mechanics.momentum", "mechanics.angular_momentum"):
        assert result[name] == pytest.approx(np.tile(result[name][0], (len(result.time), 1)), abs=1e-7)
    assert np.abs(result["one.v_abs"][-1]).max() > 0.1
    assert result["mechanics.momentum_rate"] == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-10)


def test_the_resolving_frame_only_renames_components():
    """A force given in the world, and the same force resolved by the matrix of another frame in the equations."""
    plain = run(**chain(push=WorldForce("tip", ("time", 1, "sin(time)"))))
    matrix = "push.force.{0} = R.R.x{0}*time + R.R.y{0} + R.R.z{0}*sin(time)"
    other = run(
        **chain(
            push=WorldForce("tip", resolved_in="b_end"),
            R=AbsoluteSensor("b_end", quantities="R"),
            equations=[matrix.format(c) for c in "xyz"],
        )
    )
    for name in ("rev.phi", "tip.r_abs"):
        assert other[name][-1] == pytest.approx(plain[name][-1], abs=1e-7)


def test_a_spring_of_equations_is_a_spring():
    spring = run(**chain(spring=SpringDamperPtP("tip", "loose", stiffness=5.0, damping=0.3, nominal_length=0.4)))
    pull = "pull.force.{0} = -(5*(s.s - 0.4) + 0.3*s.v)*r.r.{0}/s.s"
    equations = run(
        **chain(
            pull=Force("tip", "loose", resolved_in="tip"),
            s=Distance("tip", "loose"),
            r=RelativeSensor("tip", "loose"),
            equations=[pull.format(c) for c in "xyz"],
        )
    )
    for name in ("rev.phi", "tip.r_abs", "loose.r_abs"):
        assert equations[name][-1] == pytest.approx(spring[name][-1], abs=1e-7)


def test_a_force_that_depends_on_acceleration_is_added_mass():
    result = run(
        world=WEIGHTLESS,
        ball=free(),
        push=WorldForce("ball", ("4 - 3*s.a.x", "2*s.a.z", "1 - 3*s.a.z")),
        s=AbsoluteSensor("ball", quantities="a"),
    )
    t = result.time
    assert result["ball.r_abs"] == pytest.approx(np.outer(t**2, [0.5, 0.25, 0.125]), abs=1e-8)


def test_a_controller_with_sensors_holds_a_pendulum_like_a_servo():
    pendulum = {
        "world": EARTH,
        "rod": body(center=(0.5, 0.0, 0.0)),
        "rev": RevoluteWithFlange("world", "rod", axis="z", phi=Var(init=0.4)),
    }
    servo = run(
        **pendulum,
        drive=Model(
            flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
            equations=["flange.tau = 40*flange.phi + 8*der(flange.phi) + 2*sin(7*time)"],
        ),
        connect=[("drive.flange", "rev.flange")],
    )
    sensors = run(
        **pendulum,
        s=AbsoluteSensor("rod", quantities="angles"),
        disturbance=WorldTorque("rod", torque=(0, 0, "-2*sin(7*time)")),
        motor=WorldTorque("rod", torque=(0, 0, "-(40*s.angles.z + 8*der(s.angles.z))")),
    )
    assert sensors["rev.phi"] == pytest.approx(servo["rev.phi"], abs=1e-8)
    assert abs(sensors["rev.phi"][-1]) < 0.2


def test_a_mass_on_a_distance_is_a_flange():
    """A mass of the translational library whose position is the distance of a ball from the world: both move as one."""
    result = run(
        world=WEIGHTLESS,
        ball=free(translation=(1.0, 0.0, 0.0), velocity=(0.5, 0.0, 0.0)),
        origin=Object3D(parent="world"),
        s=Distance("origin", "ball"),
        line=Model(flange=translational.Flange, s=Var(), f=Var(), equations=["flange.s = s", "flange.f = f"]),
        mass=translational.Mass | Map(m=3.0, L=0.0),
        pull=Force("origin", "ball", resolved_in=""),
        push=translational.ConstantForce | Map(f_constant=8.0),
        connect=[("line.flange", "mass.flange_a"), ("push.flange", "mass.flange_b")],
        equations=[
            "line.s = s.s",
            "pull.force.x = line.f",
            "pull.force.y = 0",
            "pull.force.z = 0",
        ],
    )
    t = result.time
    assert result["ball.r_abs"][:, 0] == pytest.approx(1.0 + 0.5 * t + t**2, abs=1e-7)


def test_a_slider_feels_the_component_along_its_axis():
    result = run(
        world=EARTH,
        box=body(mass=2.0),
        slide=PrismaticWithFlange("world", "box", axis="x"),
        push=WorldForce("box", ("6*time", 100, "time")),
    )
    assert result["slide.s"][-1] == pytest.approx(0.5, abs=1e-8)


def test_what_acts_on_a_deleted_body_acts_no_more():
    def program(actions):
        EventAfterPeriod(actions, 0.5)
        ActionDelete(actions, "two")

    result = run(
        world=WEIGHTLESS,
        one=free(assembly_root=True),
        two=free(translation=(1.0, 0.0, 0.0), assembly_root=True),
        pull=Force("one", "two", force=(-2, 0, 0)),
        actions=ModelActions(program),
    )
    speed = result["one.v_abs"][:, 0]
    assert speed[-1] == pytest.approx(1.0, abs=1e-8)
    assert result.statistics["compilations_after_start"] == 0


def test_yaml_says_the_same(tmp_path: Path):
    file = tmp_path / "push.yaml"
    file.write_text(
        """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  ball: {Object3D: {feature: {Solid: {shape: {Sphere: {diameter: 0.1}}, 
         mass_properties: {MassProperties: [2, [0, 0, 0], 1, 1, 1]}}},
         parent: world, fixed_to_parent: false}}
  push: {WorldForce: {obj: ball, force: ["4*time", 0, "-2*s.v.z"]}}
  pull: {Force: {obj1: world, obj2: ball, resolved_in: "", force: [0, 1, 0]}}
  s: {AbsoluteSensor: {obj: ball, quantities: [v]}}
simulation: {stop_time: 1.0, tolerance: 1.0e-9}
"""
    )
    result = instantiate(read_scenario(file).model).simulate(1.0, tolerance=1e-9)
    assert result["ball.v_abs"][-1] == pytest.approx([1.0, 0.5, 0.0], abs=1e-8)


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        (lambda: {"push": WorldForce("bal", ("time", 0, 0))}, ["push", "no Object3D 'bal'", "ball"]),
        (lambda: {"push": WorldForce("ball", ("time", 0))}, ["force of WorldForce", "three numbers or expressions"]),
        (lambda: {"push": Force("world", "ball", force=(0, math.nan, 0))}, ["force of Force", "nan", "a list of numbers"]),
        (lambda: {"push": WorldForce("ball", ("sin(times)", 0, 0))}, ["times"]),
        (lambda: {"push": WorldForce("ball")}, ["push.force"]),
        (lambda: {"p": PowerSensor("push")}, ["p", "no force from the equations 'push'"]),
        (lambda: {"s": AbsoluteSensor("ball", quantities=("rr",))}, ["quantities of AbsoluteSensor", "'rr'"]),
        (
            lambda: {"s": AbsoluteSensor("ball", quantities="a"), "x": Var("der(s.a.x)")},
            ["sensed_acceleration", "cannot be differentiated"],
        ),
    ],
)
def test_mistakes_are_named(entries, words):
    with pytest.raises(ModelError) as caught:
        instantiate(Model3D(world=WEIGHTLESS, ball=free(), **entries()))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("kind", [WorldForce, WorldTorque])
def test_values_that_a_map_gives_are_those_where_the_map_is_written(kind):
    """The part has a `c` of its own, and so has the model of the map: that one is meant."""
    name, quantity = ("force", "momentum_rate") if kind is WorldForce else ("torque", "angular_momentum_rate")
    part = Model(c=5.0, block=free(), push=kind("block", **{name: ["c", "0", "2*c"]}))
    given = part | Map(push=Map(**{name: ["c", "0", "2*c"]}))
    with pytest.warns(UserWarning, match="'c' = 3.0 is meant"):
        result = run(0.1, points=1, world=WEIGHTLESS, c=3.0, own=part, given=given)
    total = np.array([5.0 + 3.0, 0.0, 2.0 * (5.0 + 3.0)])
    assert result[f"mechanics.{quantity}"] == pytest.approx(np.tile(total, (2, 1)), rel=1e-8)
