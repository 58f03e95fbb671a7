"""Cut forces and torques: closed forms, Newton and Euler of the part beyond the cut, chains with elements of all kinds."""

import functools

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    Box,
    CutForce,
    CutForceAndTorque,
    Cylindrical,
    EventAfterPeriod,
    Fix,
    Force,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PointGravity,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Spherical,
    SpringDamperPtP,
    Torque,
    UniformGravity,
    Universal,
    WorldForce,
)
from modiapy import Model, ModelError, Var, instantiate

from .. import scenes
from ..scenes import vector

pytestmark = pytest.mark.white_box

G = 9.81


def solid(mass=1.0, inertia=(0.1, 0.2, 0.15), center=(0.0, 0.0, 0.0)):
    return Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=MassProperties(mass, center, *inertia))


run = functools.partial(scenes.run, mode="ode", points=400)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_pendulum(mode):
    """A point-like mass at the end of a rod: tension m (g cos + l w^2), and the weight of the second mass in the rod."""
    result = run(
        0.5,
        mode=mode,
        world=Object3D(feature=Scene()),
        rod=Object3D(),
        half=Object3D(parent="rod", translation=(0.0, -0.5, 0.0), feature=solid(2.0, (0.0, 0.0, 0.0))),
        end=Object3D(parent="half", translation=(0.0, -0.5, 0.0), feature=solid(3.0, (0.0, 0.0, 0.0))),
        rev=RevoluteWithFlange("world", "rod", axis="z", phi=Var(init=0.6)),
        hinge=CutForceAndTorque("rev"),
        middle=CutForceAndTorque("end"),
    )
    phi, w = result["rev.phi"], result["rev.w"]
    assert result["middle.force.y"] == pytest.approx(3.0 * (G * np.cos(phi) + w**2), rel=1e-5)
    hinge = 5.0 * G * np.cos(phi) + (2.0 * 0.5 + 3.0) * w**2
    assert result["hinge.force.y"] == pytest.approx(hinge, rel=1e-5)
    for component in ("hinge.torque.x", "hinge.torque.y", "hinge.torque.z", "middle.torque.z"):
        assert result[component] == pytest.approx(np.zeros(len(phi)), abs=1e-6)


def chain(gravity, seed, **more):
    """A tree with merged frames, a reversed joint, joints of five kinds, springs, and signals, with random numbers."""
    rng = np.random.default_rng(seed)

    def some(scale=0.4):
        return tuple(rng.uniform(-scale, scale, 3))

    def body(**fields):
        return Object3D(feature=solid(rng.uniform(0.5, 2.0), tuple(rng.uniform(0.2, 0.3, 3)), some()), **fields)

    def frame(parent):
        return Object3D(parent=parent, translation=some(), rotation=some())

    return {
        "world": Object3D(feature=Scene(gravity=gravity)),
        "b": body(),
        "b_part": body(parent="b", translation=some(), rotation=some()),
        "b_end": frame("b_part"),
        "c": body(),
        "c_end": frame("c"),
        "d": body(),
        "e": body(),
        "f": body(),
        "f_end": frame("f"),
        "rev": RevoluteWithFlange("world", "b", axis=some(), w=Var(init=0.8)),
        "second": Revolute("c", "b_end", axis=some(), w=0.7),
        "ball": Spherical("c_end", "d", angular_velocity=some(1.0)),
        "cross": Universal("c", "e", w_a=0.4, w_b=-0.3),
        "slide": Cylindrical("b_part", "f", axis=some(), v=0.2, w=0.3),
        "tail": Fix("f_end", "g", rotation=some()),
        "g": body(),
        "spring": SpringDamperPtP("d", "b_part", stiffness=20.0, damping=1.0, nominal_length=0.3),
        "anchor": SpringDamperPtP("world", "g", stiffness=5.0),
        "push": WorldForce("d", ("sin(9*time)", 1, "time")),
        "pull": Force("e", "b", force=(1, "cos(5*time)", -2)),
        "turn": Torque("f", "e", torque=(0.3, "time", 0.1)),
    } | more


@pytest.mark.parametrize("seed", [1, 2])
def test_random_trees(seed):
    """Newton and Euler of each body with all its cuts: what goes in minus what goes out moves the body."""
    places = ("rev", "second", "ball", "cross", "slide", "tail", "b_part")
    cuts = {f"at_{name}": CutForceAndTorque(name, resolved_in="") for name in places}
    model = Model3D(**chain(UniformGravity(), seed, **cuts))
    result = instantiate(model).simulate(0.3, tolerance=1e-10, interval=0.3 / 20)
    for name in places:
        joint = model[name]
        frame = joint.get("obj2", name)
        R = result[f"{frame}.R_abs"]
        for sensor, signal in (("force", "cut_force"), ("torque", "cut_torque")):
            in_world = np.einsum("tij,tj->ti", R, result[f"{name}.{signal}"])
            assert in_world == pytest.approx(vector(result, f"at_{name}.{sensor}"), abs=1e-6)

    def carried(cut, frame, sign=1.0):
        """Force and torque about the world's origin."""
        f = sign * vector(result, f"at_{cut}.force")
        return f, sign * vector(result, f"at_{cut}.torque") + np.cross(result[f"{frame}.r_abs"], f)

    hinge = carried("rev", "b")
    outer = vector(result, "push.force"), np.cross(result["d.r_abs"], vector(result, "push.force"))
    line = result["world.r_abs"] - result["g.r_abs"]
    spring = 5.0 * line, np.cross(result["g.r_abs"], 5.0 * line)
    features = [part["feature"] for part in model.values() if isinstance(part, dict) and "feature" in part]
    mass = sum(feature["mass_properties"]["mass"] for feature in features if "mass_properties" in feature)
    weight = np.array([0.0, -G * mass, 0.0])
    total = hinge[0] + outer[0] + spring[0] + weight
    assert total == pytest.approx(result["mechanics.momentum_rate"], abs=1e-6)
    free_of_axis = np.einsum(
        "tij,j->ti", result["b.R_abs"], np.array(model["rev"]["axis"]) / np.linalg.norm(model["rev"]["axis"])
    )
    about_axis = np.einsum("ti,ti->t", vector(result, "at_rev.torque"), free_of_axis)
    assert about_axis == pytest.approx(np.zeros(len(result.time)), abs=1e-6)
    assert vector(result, "at_ball.torque") == pytest.approx(np.zeros((len(result.time), 3)), abs=1e-6)
    slide_axis = np.einsum(
        "tij,j->ti", result["f.R_abs"], np.array(model["slide"]["axis"]) / np.linalg.norm(model["slide"]["axis"])
    )
    assert np.einsum("ti,ti->t", vector(result, "at_slide.force"), slide_axis) == pytest.approx(
        np.zeros(len(result.time)), abs=1e-6
    )


@pytest.mark.filterwarnings("ignore:.*it moves nothing")
def test_newton_of_a_part_inside_a_merged_body():
    """The part beyond the cut has its own mass, hangs on nothing else, and feels a spring and a signal."""
    result = run(
        0.5,
        world=Object3D(feature=Scene()),
        base=Object3D(feature=solid(5.0)),
        part=Object3D(parent="base", translation=(0.3, 0.2, -0.1), feature=solid(2.0, center=(0.1, 0.0, 0.2))),
        joint=Revolute("world", "base", axis=(1.0, 2.0, 3.0), w=1.5),
        tip=Object3D(parent="part", translation=(0.1, 0.3, 0.0)),
        inner=SpringDamperPtP("tip", "base", stiffness=30.0),
        push=WorldForce("tip", (1, "20*time", 0)),
        cut=CutForceAndTorque("part", resolved_in=""),
    )
    pull = 30.0 * (result["base.r_abs"] - result["tip.r_abs"])
    center = 2.0 * (
        result["part.a_abs"]
        + np.cross(result["part.z_abs"], arm(result))
        + np.cross(result["part.w_abs"], np.cross(result["part.w_abs"], arm(result)))
    )
    needed = center + np.array([0.0, 2.0 * G, 0.0]) - pull - vector(result, "push.force")
    assert vector(result, "cut.force") == pytest.approx(needed, abs=1e-8)


def arm(result):
    return np.einsum("tij,j->ti", result["part.R_abs"], [0.1, 0.0, 0.2])


def test_the_side_of_the_world_is_never_summed():
    """A table that stands on the world below its own root: the cut carries the weight of what stands on it, with its sign."""
    result = run(
        0.1,
        world=Object3D(feature=Scene()),
        leg=Object3D(parent="world", feature=solid(4.0)),
        top=Object3D(parent="leg", translation=(0.0, 1.0, 0.0), feature=solid(6.0)),
        foot=Object3D(),
        load=Object3D(parent="foot", translation=(2.0, 0.0, 0.0), feature=solid(1.0)),
        fixed=Fix("foot", "top"),
        leg_cut=CutForce("leg", resolved_in=""),
        top_cut=CutForceAndTorque("top", resolved_in=""),
        fixed_cut=CutForce("fixed", resolved_in=""),
        s=Prismatic("world", "moving"),
        moving=Object3D(feature=solid()),
    )
    assert result["leg_cut.force.y"][-1] == pytest.approx(11.0 * G)
    assert result["top_cut.force.y"][-1] == pytest.approx(7.0 * G)
    assert result["top_cut.torque.z"][-1] == pytest.approx(2.0 * G)
    assert result["fixed_cut.force.y"][-1] == pytest.approx(-G)


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_a_name_means_what_stands_nearest(depth):
    """In a part of a part: a joint there, else that of the part around it, else that of the whole."""

    def pendulum(mass):
        return {"rod": Object3D(feature=solid(mass)), "hinge": Revolute("world", "rod", "z")}

    inner = Model(**{"sensor": CutForce("hinge")} | (pendulum(3.0) if depth == 2 else {}))
    part = Model(inner=inner, **(pendulum(2.0) if depth else {}))
    result = run(0.01, world=Object3D(feature=Scene(gravity=UniformGravity(G, "-z"))), part=part, **pendulum(1.0))
    assert result["part.inner.sensor.force.z"] == pytest.approx((1.0 + depth) * G, abs=1e-8)


def test_a_force_may_depend_on_a_cut_force():
    """A support that takes half of what the hanger carries: F = c / 2 with c = m g - F."""
    result = run(
        0.1,
        world=Object3D(feature=Scene()),
        lift=Object3D(),
        box=Object3D(parent="lift", feature=solid(3.0)),
        s=Revolute("world", "lift", axis="y"),
        cut=CutForce("box", resolved_in=""),
        help=WorldForce("box", (0, "0.5*cut.force.y", 0)),
    )
    assert result["cut.force.y"][-1] == pytest.approx(3.0 * G / 1.5)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_a_controller_limits_a_cut_force(mode):
    """An engine of 5 kg pulls a load of 2 kg, to which it is fixed rigidly: the controller integrates up to 6 N in between.

    ``F' = k (6 - 2/7 F)``, hence ``F = 21 (1 - exp(-2/7 k t))``, and 2/7 of it in the cut.
    """
    result = run(
        0.5,
        mode=mode,
        tolerance=1e-9,
        world=Object3D(feature=Scene(gravity=NoGravity())),
        engine=Object3D(feature=solid(5.0)),
        load=Object3D(parent="engine", translation=(-0.4, 0.1, 0.0), rotation=(0.3, 0.5, -1.0), feature=solid(2.0)),
        rail=Prismatic("world", "engine", "x"),
        thrust=Var(init=0.0),
        drive=WorldForce("engine", ("thrust", 0, 0)),
        cut=CutForce("load", resolved_in="world"),
        equations=["der(thrust) = 30*(6 - cut.force.x)"],
    )
    thrust = 21.0 * (1.0 - np.exp(-60.0 / 7.0 * result.time))
    assert result["thrust"] == pytest.approx(thrust, abs=2e-6)
    assert result["cut.force.x"] == pytest.approx(2.0 / 7.0 * thrust, abs=2e-6)


def test_point_gravity_acts_on_the_part_beyond_the_cut():
    result = run(
        0.1,
        world=Object3D(feature=Scene(gravity=PointGravity(mu=10.0))),
        post=Object3D(parent="world", translation=(2.0, 0.0, 0.0), feature=solid(3.0, (0.0, 0.0, 0.0))),
        moving=Object3D(feature=solid(), parent="world", fixed_to_parent=False, translation=(0.0, 5.0, 0.0)),
        cut=CutForce("post"),
    )
    assert result["cut.force.x"][-1] == pytest.approx(3.0 * 10.0 / 4.0)


def test_a_deleted_cut_is_nan():
    def program(actions):
        EventAfterPeriod(actions, 0.2)
        ActionDelete(actions, "box")

    result = run(
        0.5,
        world=Object3D(feature=Scene(gravity=NoGravity())),
        box=Object3D(feature=solid(), parent="world", fixed_to_parent=False, assembly_root=True),
        part=Object3D(parent="box", feature=solid(2.0)),
        other=Object3D(feature=solid(), parent="world", fixed_to_parent=False, translation=(1.0, 0.0, 0.0)),
        push=WorldForce("box", ("3", 0, 0)),
        cut=CutForce("part"),
        actions=ModelActions(program),
    )
    assert result["cut.force.x"][result.time < 0.2] == pytest.approx(2.0)
    assert np.isnan(result["cut.force.x"][result.time > 0.2]).all()


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("boxx", ["cut", "no joint and no Object3D 'boxx'", "box"]),
        ("box", ["cut", "cannot be measured", "not fixed to a parent"]),
        ("world", ["cut", "cannot be measured"]),
    ],
)
def test_what_cannot_be_cut_is_named(at, words):
    model = Model3D(
        world=Object3D(feature=Scene()), box=Object3D(feature=solid(), parent="world", fixed_to_parent=False), cut=CutForce(at)
    )
    with pytest.raises(ModelError) as caught:
        instantiate(model)
    for word in words:
        assert word in str(caught.value)
