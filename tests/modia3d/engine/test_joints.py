"""All joints in simulations: against closed forms, against chains of simple joints, whatever describes the orientation."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    ActionWait,
    Box,
    Cylindrical,
    Fix,
    FreeMotion,
    MassProperties,
    ModelActions,
    Object3D,
    PinSlot,
    Planar,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Screw,
    Solid,
    Spherical,
    UniformGravity,
    Universal,
)
from modiapy import ModelError, SimulationError, Var
from tests.modia3d import scenes
from tests.modia3d.scenes import dofs, run, world

pytestmark = pytest.mark.white_box

DOWN = UniformGravity(n="-z")
SEQUENCES = ("xyz", "yzx", "zxy", "xzy", "yxz", "zyx")


def body(mass=2.0, **fields):
    return scenes.body(mass, (0.3, 0.2, 0.4, 0.01, 0.02, -0.01), (0.1, 0.0, 0.05), **fields)


def at_output_points(result, name, stop_time=1.0):
    """Values at the regular output points, without those that events added."""
    points = np.linspace(0.0, stop_time, 51)
    return np.array([result[name][int(np.argmin(np.abs(result.time - t)))] for t in points])


def assert_alike(one, other, pairs, tolerance=2e-6):
    for first, second in pairs:
        for quantity in ("r_abs", "R_abs", "v_abs", "w_abs"):
            a, b = (at_output_points(r, f"{name}.{quantity}") for r, name in ((one, first), (other, second)))
            assert a == pytest.approx(b, abs=tolerance), quantity


BETWEEN = Object3D()
SWING = {"world": world(DOWN), "arm": body(), "rod": Revolute("world", "arm", "y", phi=0.3, w=2.0)}
AT = {"at": Object3D(parent="arm", translation=(0.4, 0.1, 0.0), rotation=(0.2, 0.3, 0.4)), "load": body(1.0)}
COMPOUND = {
    "universal": (
        {"joint": Universal("at", "load", "z", "x", phi_a=0.2, phi_b=-0.4, w_a=3.0, w_b=1.0)},
        {
            "mid": BETWEEN,
            "j1": Revolute("at", "mid", "z", phi=0.2, w=3.0),
            "j2": Revolute("mid", "load", "x", phi=-0.4, w=1.0),
        },
    ),
    "cylindrical": (
        {"joint": Cylindrical("at", "load", "y", s=0.1, phi=0.3, v=0.2, w=4.0)},
        {"mid": BETWEEN, "j1": Prismatic("at", "mid", "y", s=0.1, v=0.2), "j2": Revolute("mid", "load", "y", phi=0.3, w=4.0)},
    ),
    "planar": (
        {"joint": Planar("at", "load", "z", s_x=0.1, s_y=0.2, phi=0.3, v_x=0.4, v_y=-0.2, w=4.0)},
        {
            "mid": BETWEEN,
            "mid2": BETWEEN,
            "j1": Prismatic("at", "mid", "x", s=0.1, v=0.4),
            "j2": Prismatic("mid", "mid2", "y", s=0.2, v=-0.2),
            "j3": Revolute("mid2", "load", "z", phi=0.3, w=4.0),
        },
    ),
    "pin slot": (
        {"joint": PinSlot("at", "load", (1.0, 2.0, 2.0), "x", s=0.1, phi=0.3, v=0.4, w=4.0)},
        {
            "mid": BETWEEN,
            "j1": Prismatic("at", "mid", (8.0, -2.0, -2.0), s=0.1, v=0.4),
            "j2": Revolute("mid", "load", (1.0, 2.0, 2.0), phi=0.3, w=4.0),
        },
    ),
    "screw without pitch": (
        {"joint": Screw("at", "load", "y", phi=0.3, w=4.0)},
        {"joint": Revolute("at", "load", "y", phi=0.3, w=4.0)},
    ),
    "fix": (
        {"joint": Fix("at", "load", (0.1, 0.0, 0.2), (0.3, 0.0, 0.0))},
        {"joint": Revolute("at", "load", "y", phi=0.3, w=4.0)},
    ),
}


@pytest.mark.parametrize("kind", [kind for kind in COMPOUND if kind != "fix"])
def test_a_compound_joint_moves_as_its_parts(kind):
    one, parts = COMPOUND[kind]
    assert_alike(run(**SWING, **AT, **one), run(**SWING, **AT, **parts), [("arm", "arm"), ("load", "load")])


def test_a_fixed_load_moves_as_one_that_is_declared_on_the_arm():
    one = run(**SWING, **AT, joint=Fix("at", "load", (0.1, 0.0, 0.2), (0.3, 0.0, 0.0)))
    load = body(1.0, parent="at", translation=(0.1, 0.0, 0.2), rotation=(0.3, 0.0, 0.0))
    assert_alike(one, run(**SWING, at=AT["at"], load=load), [("arm", "arm"), ("load", "load")])
    backwards = Fix("load", "at2", (0.0, 0.0, 0.0))
    at2 = Object3D(parent="at", translation=(0.1, 0.0, 0.2), rotation=(0.3, 0.0, 0.0))
    assert_alike(one, run(**SWING, **AT, at2=at2, joint=backwards), [("arm", "arm"), ("load", "load")])


def test_a_nut_falls_along_its_thread():
    """(I + m h^2) phi'' = -m g h with the distance per angle h."""
    nut = Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=MassProperties(mass=2.0, Ixx=0.2, Iyy=0.2, Izz=0.3)))
    result = run(world=world(DOWN), nut=nut, joint=Screw("world", "nut", "z", pitch=0.5, phi=0.1, w=2.0))
    h = 0.5 / (2.0 * math.pi)
    phi = 0.1 + 2.0 * result.time - 0.5 * 2.0 * 9.81 * h / (0.3 + 2.0 * h**2) * result.time**2
    assert result["joint.phi"] == pytest.approx(phi, abs=1e-8)
    assert result["nut.r_abs"][:, 2] == pytest.approx(h * phi, abs=1e-8)


def test_a_free_body_flies_alike_whatever_it_is_measured_against():
    start = {"translation": (1.0, 0.2, 0.3), "rotation": (0.3, 0.4, 0.5)}
    flight = body(fixed_to_parent=False, velocity=(1.0, 2.0, 3.0), angular_velocity=(3.0, 1.0, 2.0), **start)
    alone = run(world=world(DOWN), load=flight)
    motion = {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (3.0, 1.0, 2.0)}
    for orientation in ("quaternion", "auto", "zyx"):
        joint = FreeMotion("world", "load", orientation=orientation, **start, **motion)
        to_world = run(world=world(DOWN), load=body(), joint=joint)
        assert_alike(to_world, alone, [("load", "load")])
    # Against the swinging arm; its start relative to the arm is taken from where both are.
    joint = FreeMotion("arm", "load", (0.5, 0.1, 0.2), (0.2, 0.1, 0.3), (0.3, 0.1, 0.2), (1.0, 0.5, 2.0))
    relative = run(**SWING, load=body(), joint=joint)
    R, r, v, w = (relative[f"load.{name}"][0] for name in ("R_abs", "r_abs", "v_abs", "w_abs"))
    free = body(fixed_to_parent=False, translation=r, rotation=R, velocity=v, angular_velocity=w)
    assert_alike(relative, run(**SWING, load=free), [("arm", "arm"), ("load", "load")])


def top(orientation, joint=None):
    """A heavy top on a spherical joint."""
    start = {"rotation": (0.5, 0.2, 0.1), "angular_velocity": (1.0, -2.0, 15.0)}
    joint = Spherical("world", "load", orientation=orientation, **start) if joint is None else joint
    return run(world=world(DOWN), load=body(), joint=joint)


@pytest.mark.parametrize("orientation", [*SEQUENCES, "auto"])
def test_a_top_spins_alike_whatever_describes_its_orientation(orientation):
    assert_alike(top(orientation), top("quaternion"), [("load", "load")])


def test_a_top_keeps_energy_and_vertical_angular_momentum():
    result = top("quaternion")
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-6)
    vertical = result["mechanics.angular_momentum"][:, 2]
    assert vertical == pytest.approx(np.full_like(vertical, vertical[0]), abs=1e-6)
    norm = np.linalg.norm([result[f"joint.q[{i}]"] for i in range(4)], axis=0)
    assert norm == pytest.approx(np.ones_like(norm), abs=1e-8)


@pytest.mark.parametrize("orientation", ["quaternion", "yzx", "auto"])
def test_a_joint_declared_from_the_body_to_the_world_means_the_inverse_motion(orientation):
    forward = top("quaternion")
    R, w = forward["load.R_abs"][0], forward["load.w_abs"][0]
    backward = top("", Spherical("load", "world", rotation=R.T, angular_velocity=-R.T @ w, orientation=orientation))
    assert_alike(backward, forward, [("load", "load")])


def test_a_tumbling_body_goes_through_many_sequences():
    solid = Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=MassProperties(mass=2.0, Ixx=0.2, Iyy=0.35, Izz=0.5))
    start = {"rotation": (0.1, 0.2, 0.3), "angular_velocity": (9.0, 7.0, 3.0), "fixed_to_parent": False}
    tumbling = {
        o: run(10.0, 1e-12, world=world(), load=Object3D(feature=solid, orientation=o, **start)) for o in ("quaternion", "auto")
    }
    auto = tumbling["auto"]
    changes = [record.cause for record in auto.segments if "Cardan angles" in record.cause]
    assert len(changes) >= 20
    a, b = (at_output_points(tumbling[o], "load.R_abs", 10.0) for o in ("auto", "quaternion"))
    assert np.abs(a - b).max() < 1e-8
    assert auto.statistics["compilations_after_start"] == 0


def test_a_joint_is_locked_and_unlocked():
    """A slide on a swinging arm: locked, arm and slide are one pendulum; unlocked, the slide moves again."""

    def program(actions):
        ActionLock(actions, "slide")
        ActionWait(actions, 0.5)
        ActionUnlock(actions, "slide")

    entries = SWING | AT | {"slide": Prismatic("at", "load", "x", s=0.2)}
    result = run(**entries, actions=ModelActions(program))
    assert dofs(result) == [2, 1, 2]
    assert [record.cause for record in result.segments][1:] == ["ActionLock slide", "ActionUnlock slide"]
    locked = (result.time > 0.0) & (result.time < 0.5)
    assert np.all(result["slide.s"][locked] == 0.2)
    assert np.all(result["slide.v"][locked] == 0.0)
    assert abs(result["slide.s"][-1] - 0.2) > 1e-3
    rigid = run(**SWING, **AT, slide=Fix("at", "load", (0.2, 0.0, 0.0)))
    points = np.linspace(0.0, 0.5, 26)[1:-1]
    for t in points:
        k, l = (int(np.argmin(np.abs(r.time - t))) for r in (result, rigid))
        assert result["load.r_abs"][k] == pytest.approx(rigid["load.r_abs"][l], abs=1e-7)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-6)


def test_what_cannot_be_locked_is_refused():
    def model(joint, name="joint"):
        return {**SWING, **AT, "joint": joint, "actions": ModelActions(lambda actions: ActionLock(actions, name))}

    with pytest.raises(SimulationError, match="the joint moves") as error:
        run(**model(Revolute("at", "load", "x", w=1.0)))
    assert error.value.path == "joint"
    with pytest.raises(SimulationError, match=r"the joint moves.*w = 1") as error:
        run(**model(RevoluteWithFlange("at", "load", "x", w=Var(init=1.0))))
    assert error.value.path == "joint"
    with pytest.raises(ModelError, match="there is no joint 'joimt'"):
        run(**model(Revolute("at", "load", "x"), "joimt"))


def test_a_passive_joint_between_driven_ones_gives_way():
    """A motor behind a spherical joint: the whole conserves what a free system conserves."""
    entries = {
        "world": world(),
        "arm": body(),
        "load": body(1.0),
        "wheel": body(0.5),
        "first": RevoluteWithFlange("world", "arm", "y"),
        "at": AT["at"],
        "ball": Spherical("load", "at", rotation=(0.1, 0.2, 0.3), angular_velocity=(1.0, 2.0, 0.5)),
        "motor": RevoluteWithFlange("load", "wheel", "x"),
    }
    result = run(**entries)
    energy = result["mechanics.kinetic_energy"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-7)
    assert np.abs(result["motor.w"]).max() > 0.02


def test_a_released_body_flies_on_with_cardan_angles():
    """Locked to an arm while it turns, the body comes free in any orientation: near the singularity too."""

    def program(actions):
        ActionAttach(actions, "grip", "dock")
        ActionWait(actions, 0.5)
        ActionRelease(actions, "grip")

    def fly(orientation):
        start = {"fixed_to_parent": False, "translation": (0.0, 0.0, 1.0), "orientation": orientation}
        return run(
            tolerance=1e-11,
            world=world(),
            arm=body(),
            swing=RevoluteWithFlange("world", "arm", "y", w=Var(init=math.pi)),
            dock=Object3D(parent="arm", translation=(0.0, 0.0, 0.5), lockable=True),
            load=body(**start, velocity=(math.pi, 0.0, 0.0), angular_velocity=(0.0, math.pi, 0.0)),
            grip=Object3D(parent="load", translation=(0.0, 0.0, -0.5), rotation=(math.pi, 0.0, 0.0), lockable=True),
            actions=ModelActions(program),
        )

    quaternion, auto = fly("quaternion"), fly("auto")
    assert_alike(auto, quaternion, [("load", "load")])
    assert_alike(fly("zxy"), quaternion, [("load", "load")])
    spin = quaternion["load.w_abs"][-1]
    assert np.linalg.norm(spin) > 1.0
