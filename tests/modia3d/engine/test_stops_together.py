"""Joints that meet their stops at one instant: what holds, with which forces, is one problem, and it has an end."""

import itertools
import math
from functools import partial

import numpy as np
import pytest

from modia3d import (
    ActionLock,
    ActionUnlock,
    ActionWait,
    ModelActions,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    UniformGravity,
    WorldForce,
)
from modia3d.files import import_urdf
from modiapy import Map, Var
from modiapy.library import rotational, translational
from tests.modia3d import scenes
from tests.modia3d.scenes import body, energy, world

pytestmark = pytest.mark.white_box

DOWN, G = UniformGravity(9.81, "-z"), 9.81
run = partial(scenes.run, points=50)
BOTH = pytest.mark.parametrize("kind", [Prismatic, PrismaticWithFlange])


def slide(kind, one, two, s=0.0, v=0.0, limits=(0.0, 1.0), axis="z"):
    start = (lambda x: Var(init=x)) if kind is PrismaticWithFlange else float
    return kind(one, two, axis, s=start(s), v=start(v), limits=limits)


def events(result):
    return sum(result.statistics["events_by_kind"].values())


def causes(result):
    return [record.cause.split("; ")[0] for record in result.segments][1:]


def lost(result):
    return sum(record.info.get("energy_lost", 0.0) for record in result.segments)


@BOTH
@pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("masses", [(0.5, 0.7), (0.015, 0.015)])
def test_fingers_on_one_hand_throw_each_other_off_until_both_rest(kind, tolerance, masses):
    """A hand of 1 kg is pulled up; each impact of one finger throws the other one off, lower each time."""
    a, b = masses
    result = run(
        0.4,
        tolerance,
        world=world(DOWN),
        hand=body(1.0),
        one=body(a),
        other=body(b),
        arm=Prismatic("world", "hand", "z"),
        left=slide(kind, "hand", "one", 0.01, limits=(0.0, 0.04)),
        right=slide(kind, "hand", "other", 0.015, limits=(0.0, 0.04)),
        pull=WorldForce("hand", force=(0.0, 0.0, 50.0)),
    )
    assert events(result) < 20
    together = 50.0 / (1.0 + a + b)  # as one body, and so what presses each finger to its stop
    assert result["left.constraint_force"][-1] == pytest.approx(a * together, rel=1e-9)
    assert result["right.constraint_force"][-1] == pytest.approx(b * together, rel=1e-9)
    for name in ("left", "right"):
        assert result[f"{name}.s"][-1] == pytest.approx(0.0, abs=1e-8)
        assert result[f"{name}.v"][-1] == pytest.approx(0.0, abs=1e-15)
    pulled = energy(result) - 50.0 * result["arm.s"]
    assert pulled[0] - pulled[-1] == pytest.approx(lost(result), abs=100.0 * tolerance)
    assert result["arm.v"][-1] == pytest.approx((together - G) * 0.4, rel=1e-9 + tolerance)


GRIPPER = """<robot name="gripper">
<link name="base"/>
<link name="hand"><inertial><mass value="0.7"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="1 0 0"/>
<limit effort="1" velocity="1" lower="-1.5" upper="1.2"/></joint>
{fingers}
</robot>"""
FINGER = """<link name="{name}"><inertial><mass value="0.015"/>
<inertia ixx="2e-6" iyy="2e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{name}_joint" type="prismatic"><parent link="hand"/><child link="{name}"/><origin xyz="0 0 0.2"/>
<axis xyz="0 {side} 0"/><limit effort="1" velocity="1" lower="0" upper="0.04"/><dynamics damping="0.3"/></joint>"""


def test_passive_fingers_of_an_imported_gripper_come_to_rest(tmp_path):
    """The hand falls over and hits the stop of the wrist: one finger rests at its upper limit then, the other at its lower."""
    file = tmp_path / "gripper.urdf"
    file.write_text(GRIPPER.format(fingers="".join(FINGER.format(name=n, side=s) for n, s in (("left", 1), ("right", -1)))))
    gripper = import_urdf(file, scene=False, positions={"wrist": 0.3})
    result = run(2.0, 1e-6, world=world(DOWN), gripper=gripper)
    assert events(result) < 60
    assert result["gripper.wrist.phi"][-1] == pytest.approx(1.2, abs=1e-8) == -result["gripper.wrist.phi"][-1] + 2.4
    press = 0.015 * G * math.sin(1.2)  # along the fingers, in the hand turned by the upper limit
    forces = [result[f"gripper.{side}_joint.constraint_force"][-1] for side in ("left", "right")]
    assert np.abs(forces) == pytest.approx([press, press], rel=1e-9)
    assert sorted(round(result[f"gripper.{side}_joint.s"][-1], 6) for side in ("left", "right")) == [0.0, 0.04]


@BOTH
@pytest.mark.parametrize("seed", range(4))
def test_what_holds_at_rest_is_the_solution_of_one_problem(kind, seed):
    """Sleds in a row, each at a limit of the one before, with a force on each: all sets of stops that hold are tried."""
    rng = np.random.default_rng(seed)
    n = 4
    masses, forces, sides = rng.uniform(0.5, 3.0, n), rng.normal(size=n) * 5.0, rng.choice([-1, 1], n)
    entries = {"world": world()}
    for k in range(n):
        limits = (0.0, 1.0) if sides[k] < 0 else (-1.0, 0.0)
        entries[f"sled{k}"] = body(masses[k])
        entries[f"on{k}"] = slide(kind, "world" if k == 0 else f"sled{k - 1}", f"sled{k}", limits=limits, axis="x")
        entries[f"push{k}"] = WorldForce(f"sled{k}", force=(float(forces[k]), 0.0, 0.0))
    result = run(0.01, **entries)
    behind = np.triu(np.ones((n, n)))  # sled k is moved by joints up to k
    M, tau = behind @ np.diag(masses) @ behind.T, behind @ forces
    for held in itertools.product([False, True], repeat=n):
        held, free = np.flatnonzero(held), np.flatnonzero(~np.array(held))
        a, f = np.zeros(n), np.zeros(n)
        a[free] = np.linalg.solve(M[np.ix_(free, free)], tau[free]) if len(free) else []
        f[held] = (M @ a - tau)[held]
        if (-sides * f >= 0.0).all() and (-sides * a >= 0.0).all():
            break
    assert len(result.segments) == 1 + bool(len(held))  # none stops and leaves at the same instant
    for k in range(n):
        assert result[f"on{k}.constraint_force"][-1] == pytest.approx(f[k], abs=1e-9)
        assert result[f"on{k}.v"][-1] == pytest.approx(0.01 * a[k], abs=1e-9)


@BOTH
def test_where_there_is_a_loop_an_impact_throws_a_joint_off_its_stop_as_elsewhere(kind):
    """The loop hangs somewhere else: 3 kg with 2 m/s pull 1 kg off its stop, 1.5 J are lost."""
    loop = {
        "ring": body(1.0),
        "far": Object3D(parent="world", translation=(5.0, 0.0, 0.0)),
        "end": Object3D(parent="ring", translation=(0.0, 0.0, 0.0)),
        "hinge": Revolute("far", "ring", "z"),
        "again": Revolute("far", "end", "z", cut=True),
    }
    for extra in ({}, loop):
        result = run(
            0.5,
            world=world(),
            first=body(1.0),
            second=body(3.0),
            inner=slide(kind, "world", "first", limits=(0.0, 9.0), axis="x"),
            outer=slide(kind, "first", "second", 0.0, 2.0, (-1.0, 0.5), "x"),
            press=WorldForce("first", force=(-1.0, 0.0, 0.0)),
            **extra,
        )
        assert causes(result)[1:] == ["inner leaves its lower limit s = 0"]
        assert lost(result) == pytest.approx(1.5, rel=1e-9)
        assert result["inner.v"][-1] == pytest.approx(1.5 - 0.25 * 0.25, abs=1e-9)


def test_two_that_arrive_at_one_instant_rest_on_each_other():
    """A falls onto its stop when B, that falls with it and goes down on it, reaches its own."""
    arrival = math.sqrt(2.0 * 0.5 / G)
    result = run(
        1.0,
        world=world(DOWN),
        a=body(1.0),
        b=body(2.0),
        below=slide(Prismatic, "world", "a", 0.5),
        above=slide(Prismatic, "a", "b", arrival, -1.0, (0.0, 2.0)),
    )
    assert events(result) <= 2
    assert result.segments[-1].start == pytest.approx(arrival, abs=1e-8)
    assert [result[f"{name}.constraint_force"][-1] for name in ("below", "above")] == pytest.approx([3 * G, 2 * G], rel=1e-12)
    v = arrival * G
    assert lost(result) == pytest.approx(0.5 * v**2 + 0.5 * 2.0 * (v + 1.0) ** 2, rel=1e-7)


@BOTH
def test_joints_that_begin_at_their_stops_with_speeds_into_them(kind):
    result = run(
        0.2,
        world=world(DOWN),
        a=body(1.0),
        b=body(2.0),
        below=slide(kind, "world", "a", 0.0, -0.5),
        above=slide(kind, "a", "b", 0.0, -0.7),
    )
    assert [len(result.segments), events(result)] == [2, 0]
    assert lost(result) == pytest.approx(0.5 * 0.5**2 + 0.5 * 2.0 * 1.2**2, rel=1e-12)
    assert [result[f"{name}.constraint_force"][-1] for name in ("below", "above")] == pytest.approx([3 * G, 2 * G], rel=1e-12)


@pytest.mark.parametrize("play", [1e-11, 1e-9, 1e-6])
@BOTH
def test_next_to_no_play_between_two_stops(kind, play):
    """A sled between stops that are nearly one is pushed to and fro: it bears the force, in one direction and the other."""
    push = {"drive": translational.Force, "connect": [("drive.flange", "at.flange")], "equations": ["drive.f = 5*sin(6*time)"]}
    if kind is Prismatic:
        push = {"push": WorldForce("sled", force=("5*sin(6*time)", 0.0, 0.0))}
    result = run(
        2.0, 1e-8, world=world(), sled=body(1.0), at=slide(kind, "world", "sled", limits=(0.0, play), axis="x"), **push
    )
    assert events(result) <= 8
    borne = result["at.constraint_force"]
    pressed = np.abs(np.sin(6.0 * result.time)) > 0.1  # elsewhere it may be on the way from one to the other
    assert borne[pressed] == pytest.approx(-5.0 * np.sin(6.0 * result.time[pressed]), abs=1e-9)
    assert np.abs(result["at.s"]).max() < play + 1e-8


def test_a_stop_beside_a_lock():
    """Of two sleds that rest on each other one is locked for a while, then the other: forces are those of statics."""

    def program(actions):
        for name in ("below", "above"):
            yield ActionWait(actions, 0.1)
            yield ActionLock(actions, name)
            yield ActionWait(actions, 0.1)
            yield ActionUnlock(actions, name)

    for kind in (Prismatic, PrismaticWithFlange):
        result = run(
            0.6,
            world=world(DOWN),
            a=body(1.0),
            b=body(2.0),
            below=slide(kind, "world", "a"),
            above=slide(kind, "a", "b"),
            actions=ModelActions(program),
        )
        assert causes(result)[0] == "below stops at its lower limit s = 0"
        assert result.segments[0].start == result.segments[1].start == 0.0 < result.segments[2].start
        for record in result.segments[1:]:
            held = result.segment(record.index)
            if len(held.time) > 2:
                for name, mass in (("below", 3.0), ("above", 2.0)):
                    assert not held[f"{name}.v"].any()
                    if kind is PrismaticWithFlange:  # of a passive joint that is locked the bodies are one
                        assert held[f"{name}.constraint_force"] == pytest.approx(mass * G, rel=1e-12)


def test_a_stop_and_dry_friction_hold_together():
    """Friction bears up to 1 N.m, the stop only pushes; together they bear the torque until it has turned and is more."""
    result = run(
        1.0,
        1e-8,
        world=world(),
        rod=body(1.0, 0.1),
        at=RevoluteWithFlange("world", "rod", "z", phi=Var(init=0.5), w=Var(init=0.0), limits=(-0.5, 0.5)),
        drive=rotational.Torque,
        friction=rotational.BearingFriction | Map(tau_pos=[[0.0, 1.0]], peak=1.0),
        connect=[("drive.flange", "at.flange"), ("friction.flange_a", "at.flange")],
        equations=["drive.tau = 3*sin(4*time)"],
    )
    drive, held = 3.0 * np.sin(4.0 * result.time), result["at.phi"] > 0.5 - 1e-7
    pushes, rubs = result["at.constraint_torque"][held], result["friction.tau"][held]
    assert rubs - pushes == pytest.approx(drive[held], abs=1e-6)
    assert pushes.max() < 1e-6
    assert np.abs(rubs).max() < 1.0 + 1e-6
    assert pushes.min() == pytest.approx(-2.0, abs=0.01)
    slides = (math.pi + math.asin(1.0 / 3.0)) / 4.0
    assert result.time[np.flatnonzero(~held)[0]] == pytest.approx(slides, abs=0.03)
    assert events(result) < 12


@BOTH
def test_a_force_that_turns_slowly_lets_go_once(kind):
    """1e-3 N/s: B on A leaves neither its stop nor stops again; both move as one."""
    result = run(
        3.0,
        world=world(),
        a=body(1.0),
        b=body(1.0),
        below=slide(PrismaticWithFlange, "world", "a"),
        above=slide(kind, "a", "b"),
        drive=translational.Force,
        connect=[("drive.flange", "below.flange")],
        equations=["drive.f = 1e-3*(time - 1)"],
    )
    assert events(result) <= 2
    assert result["below.s"][-1] == pytest.approx(1e-3 * 2.0**3 / 6.0 / 2.0, rel=1e-5)
    assert result["above.s"][-1] == pytest.approx(0.0, abs=1e-9)


def test_two_systems_whose_stops_are_reached_at_once_do_the_same():
    def robot(name):
        return {
            f"hand{name}": body(1.0),
            f"one{name}": body(0.015),
            f"other{name}": body(0.02),
            f"arm{name}": Prismatic("world", f"hand{name}", "z"),
            f"left{name}": slide(Prismatic, f"hand{name}", f"one{name}", 0.01, limits=(0.0, 0.04)),
            f"right{name}": slide(Prismatic, f"hand{name}", f"other{name}", 0.015, limits=(0.0, 0.04)),
            f"pull{name}": WorldForce(f"hand{name}", force=(0.0, 0.0, 50.0)),
        }

    result = run(0.2, 1e-8, world=world(DOWN), **robot("A"), **robot("B"))
    assert events(result) < 10
    for name in ("arm", "left", "right"):
        assert result[f"{name}A.v"] == pytest.approx(result[f"{name}B.v"], abs=1e-12)
    assert result["leftA.constraint_force"][-1] == pytest.approx(0.015 * 50.0 / 1.035, rel=1e-9)


@pytest.mark.parametrize("seed", [3, 10, 13, 22])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-7])
def test_trees_at_random_come_to_an_end_and_lose_what_impacts_take(seed, tolerance):
    """Bodies from a gram to thirty kilograms, hinges and slides with play from a nanometre on, many at their stops."""
    rng = np.random.default_rng(seed)
    entries = {"world": world(UniformGravity(9.81, rng.normal(size=3).tolist()))}
    for k in range(5):
        mass, turns, driven = 10.0 ** rng.uniform(-3.0, 1.5), rng.random() < 0.5, rng.random() < 0.3
        lower, upper = -0.2 * abs(rng.normal()) - 1e-3, 0.2 * abs(rng.normal()) + 1e-3
        if rng.random() < 0.2:
            lower, upper = -1e-9 * rng.random() - 1e-12, 0.0
        place, speed = rng.choice([lower, upper, 0.5 * (lower + upper)]), rng.choice([0.0, rng.normal()])
        one = "world" if k == 0 else f"body{rng.integers(k)}"
        inertia = tuple(0.02 * mass * rng.uniform(0.8, 1.2, 3))
        entries[f"body{k}"] = body(mass, inertia, tuple(rng.uniform(-0.1, 0.1, 3)))
        where = {"translation": tuple(rng.uniform(-0.2, 0.2, 3)), "rotation": tuple(rng.uniform(-1.0, 1.0, 3))}
        entries[f"at{k}"] = Object3D(parent=one, **where)
        kinds = (Revolute, RevoluteWithFlange) if turns else (Prismatic, PrismaticWithFlange)
        start = [Var(init=float(x)) if driven else float(x) for x in (place, speed)]
        states = dict(zip(("phi", "w") if turns else ("s", "v"), start, strict=True))
        entries[f"joint{k}"] = kinds[driven](f"at{k}", f"body{k}", "xyz"[rng.integers(3)], limits=(lower, upper), **states)
    result = run(1.0, tolerance, **entries)
    assert events(result) < 200
    total = energy(result)
    assert total[0] - total[-1] == pytest.approx(
        lost(result), rel=100.0 * tolerance, abs=100.0 * tolerance * np.abs(total).max()
    )


@pytest.mark.parametrize("sticks", [True, False])
@pytest.mark.parametrize("strikes", [True, False])
def test_dry_friction_that_sticks_in_an_impact_is_told(sticks, strikes, recwarn):
    """A load strikes a stop on a sled; the friction of the sled, or of one that slides, has no part in the impulse."""
    speed = 0.0 if sticks else 0.5
    result = run(
        0.2,
        1e-8,
        world=world(),
        first=body(1.0),
        second=body(3.0),
        inner=slide(PrismaticWithFlange, "world", "first", 0.0, speed, (-5.0, 9.0), "x"),
        outer=slide(Prismatic, "first", "second", 0.0, 2.0, (-1.0, 0.1 if strikes else 9.0), "x"),
        friction=translational.SupportFriction | Map(f_pos=[[0.0, 1e-3]], peak=1.0),
        connect=[("friction.flange_a", "inner.flange")],
    )
    told = [str(warning.message) for warning in recwarn if "dry friction" in str(warning.message)]
    assert bool(told) == (sticks and strikes)
    assert all("friction.sa" in text for text in told)
    if strikes and not sticks:
        assert lost(result) == pytest.approx(0.5 * (1.0 * 3.0 / 4.0) * 2.0**2, rel=1e-2)
    assert len(result.segments) == 1 + strikes


@pytest.mark.parametrize("locked", ["at", "other"])
def test_a_joint_that_dry_friction_holds_can_be_locked(locked):
    """At its stop and elsewhere: all three bear the torque together."""

    def program(actions):
        yield ActionWait(actions, 0.3)
        yield ActionLock(actions, locked)
        yield ActionWait(actions, 0.2)
        yield ActionUnlock(actions, locked)

    entries = {"world": world(), "equations": [], "connect": []}
    for name, place in (("at", 0.5), ("other", 0.1)):
        entries[f"rod_{name}"] = body(1.0, 0.1)
        start = {"phi": Var(init=place), "w": Var(init=0.0)}
        entries[name] = RevoluteWithFlange("world", f"rod_{name}", "z", limits=(-0.5, 0.5), **start)
        entries[f"drive_{name}"] = rotational.Torque
        entries[f"friction_{name}"] = rotational.BearingFriction | Map(tau_pos=[[0.0, 1.0]], peak=1.0)
        entries["connect"] += [(f"drive_{name}.flange", f"{name}.flange"), (f"friction_{name}.flange_a", f"{name}.flange")]
        entries["equations"].append(f"drive_{name}.tau = 0.8*sin(4*time)")
    result = run(1.0, 1e-8, actions=ModelActions(program), **entries)
    assert causes(result) == [f"ActionLock {locked}", f"ActionUnlock {locked}"]
    for name in ("at", "other"):
        assert np.ptp(result[f"{name}.phi"]) == 0.0
        borne = result[f"friction_{name}.tau"] - result[f"{name}.constraint_torque"]
        assert borne == pytest.approx(0.8 * np.sin(4.0 * result.time), abs=1e-9)
