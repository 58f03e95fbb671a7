"""Actions that bring things to rest while joints are at their stops: who is held, locked and free afterwards."""

import math
from functools import partial

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionLock,
    ActionUnlock,
    ActionWait,
    ModelActions,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Spherical,
    WorldForce,
)
from modiapy import Table1D, Var
from tests.modia3d import scenes
from tests.modia3d.scenes import body, dofs, energy, free, world

pytestmark = pytest.mark.white_box

run = partial(scenes.run, points=100)
BOTH = pytest.mark.parametrize("kind", [Prismatic, PrismaticWithFlange])
TURNED, BACK = (0.0, math.pi / 2.0, 0.0), (0.0, -math.pi / 2.0, 0.0)


@BOTH
@pytest.mark.parametrize("speed", [3.0, -3.0])
def test_what_is_caught_pulls_a_joint_off_its_stop_or_stays_with_it(kind, speed):
    """A sled is pressed to its stop at zero; a body that flies away from it, or into it, is joined to it by an impact."""

    def program(actions):
        ActionWait(actions, 0.1)
        ActionAttach(actions, "hook", "grip", on_contact="impulse")

    result = run(
        0.2,
        world=world(),
        sled=body(1.0),
        joint=kind("world", "sled", "x", limits=(0.0, 9.0)),
        pressing=WorldForce("sled", force=(-0.5, 0.0, 0.0)),
        hook=Object3D(parent="sled", translation=(0.5, 0.0, 0.0), rotation=TURNED, lockable=True),
        load=free(mass=2.0, translation=(1.0 - 0.1 * speed, 0.0, 0.0), velocity=(speed, 0.0, 0.0)),
        grip=Object3D(parent="load", translation=(-0.5, 0.0, 0.0), rotation=BACK, lockable=True),
        actions=ModelActions(program),
    )
    after, record = result.segment(3), result.segments[2]
    together = 2.0 * speed / 3.0 if speed > 0.0 else 0.0
    assert dofs(result) == [7, 6, 1 if speed > 0.0 else 0]
    assert after["joint.v"][0] == pytest.approx(together, abs=1e-12)
    assert record.info["energy_lost"] == pytest.approx(0.5 * 2.0 * speed**2 - 0.5 * 3.0 * together**2, rel=1e-9)
    assert record.info["impulse_from_outside"] == pytest.approx([3.0 * together - 2.0 * speed, 0.0, 0.0], abs=1e-9)
    t = after.time - 0.1
    moved = together * t - 0.5 * (0.5 / 3.0) * t**2 if speed > 0.0 else 0.0 * t
    assert after["joint.s"] == pytest.approx(moved, abs=1e-9)


@BOTH
def test_a_joint_that_is_braked_at_its_stop_is_locked_there(kind):
    """Two slides in a row: one impact brakes the outer one; the inner one strikes nothing, and is locked at its stop."""

    def program(actions):
        ActionWait(actions, 0.25)
        with actions.together():
            ActionLock(actions, "inner", on_contact="impulse")
            ActionLock(actions, "outer", on_contact="impulse")
        ActionWait(actions, 0.25)
        ActionUnlock(actions, "inner")

    outer = {"v": 2.0} if kind is Prismatic else {"v": Var(init=2.0)}
    pull = Table1D([[0.0, -4.0], [0.3, -4.0], [0.31, 4.0], [1.0, 4.0]])
    result = run(
        0.75,
        world=world(),
        first=body(1.0),
        second=body(3.0),
        inner=kind("world", "first", "x", limits=(0.0, 9.0)),
        outer=kind("first", "second", "y", **outer),
        pull=WorldForce("first", force=(pull, 0.0, 0.0)),
        actions=ModelActions(program),
    )
    assert dofs(result) == [2, 1, 0, 1]
    assert result.segments[2].info["energy_lost"] == pytest.approx(0.5 * 3.0 * 4.0, rel=1e-9)
    locked, after = result.segment(3), result.segment(4)
    assert np.all(locked["inner.s"] == locked["inner.s"][0])
    t = after.time - 0.5
    assert after["inner.s"] == pytest.approx(0.5 * t**2, abs=1e-9)  # both together: 4 N, 4 kg


def test_two_brakes_close_at_once_in_an_oblique_chain():
    """Both speeds are gone after one impact, which takes what the kinetic energy loses."""

    def program(actions):
        ActionWait(actions, 0.3)
        with actions.together():
            ActionLock(actions, "elbow", on_contact="impulse")
            ActionLock(actions, "wrist", on_contact="impulse")

    links = {f"link{k}": body(1.0 + 0.3 * k, (0.1, 0.07, 0.13), (0.5, 0.1, -0.2)) for k in range(3)}
    tips = {f"tip{k}": Object3D(parent=f"link{k}", translation=(1.0, 0.1, 0.0), rotation=(0.3, 0.2, 0.7)) for k in range(2)}
    result = run(
        0.6,
        world=world(),
        **links,
        **tips,
        shoulder=Revolute("world", "link0", "y", phi=0.4, w=1.7),
        elbow=RevoluteWithFlange("tip0", "link1", "z", w=Var(init=-2.3), lockable=True),
        wrist=RevoluteWithFlange("tip1", "link2", "x", w=Var(init=0.9), lockable=True),
        actions=ModelActions(program),
    )
    before, after = result.segment(1), result.segment(2)
    assert np.abs(after["elbow.w"]).max() < 1e-12
    assert np.abs(after["wrist.w"]).max() < 1e-12
    lost = energy(before)[-1] - energy(after)[0]
    assert result.segments[1].info["energy_lost"] == pytest.approx(lost, rel=1e-8)
    assert lost > 0.01


def test_a_brake_takes_all_three_speeds_of_a_ball_joint():
    """A flying pair, connected by a ball joint, goes on as one body with the momenta it had."""

    def program(actions):
        ActionWait(actions, 0.2)
        ActionLock(actions, "ball", on_contact="impulse")

    result = run(
        0.5,
        world=world(),
        one=free(mass=2.0, inertia=(0.1, 0.2, 0.25), velocity=(0.3, 0.0, 0.1), angular_velocity=(0.2, 0.4, -0.3)),
        end=Object3D(parent="one", translation=(0.4, 0.1, 0.0)),
        two=body(1.5, (0.2, 0.1, 0.15), (0.3, 0.0, 0.1)),
        ball=Spherical("end", "two", angular_velocity=(1.0, -2.0, 1.5)),
        actions=ModelActions(program),
    )
    assert dofs(result) == [9, 6]
    before, after = result.segment(1), result.segment(2)
    for momentum in ("mechanics.momentum", "mechanics.angular_momentum"):
        assert after[momentum][0] == pytest.approx(before[momentum][-1], abs=1e-12)
    assert after["one.w_abs"] == pytest.approx(after["two.w_abs"], abs=1e-12)
    lost = energy(before)[-1] - energy(after)[0]
    assert result.segments[1].info["energy_lost"] == pytest.approx(lost, rel=1e-9)
    assert lost > 0.1


@BOTH
def test_one_impact_stops_a_row_that_rests_at_a_stop(kind):
    """The inner sled rests at its stop, nothing presses it; the outer one runs into its own stop and drives it there."""
    outer = {"v": 2.0} if kind is Prismatic else {"v": Var(init=2.0)}
    result = run(
        0.5,
        world=world(),
        first=body(1.0),
        second=body(3.0),
        inner=kind("world", "first", "x", limits=(-9.0, 0.0)),
        outer=kind("first", "second", "x", **outer, limits=(-1.0, 0.5)),
    )
    assert len(result.segments) == 2
    assert result.segments[1].info["energy_lost"] == pytest.approx(0.5 * 3.0 * 4.0, rel=1e-9)
    after = result.segment(2)
    for name, place in (("inner", 0.0), ("outer", 0.5)):
        assert np.abs(after[f"{name}.v"]).max() < 1e-12
        assert after[f"{name}.s"] == pytest.approx(place, abs=1e-9)


@BOTH
def test_stops_are_reached_and_left_one_by_one(kind):
    """Three sleds that are pressed and pulled at different times: each segment ends with one of them, the others stay."""
    pulls = {
        "a": [[0.0, -1.0], [0.6, -1.0], [1.0, 3.0], [2.0, 3.0]],  # released at 0.7
        "b": [[0.0, -1.0], [2.0, -1.0]],  # held all the time
        "c": [[0.0, 1.0], [0.2, 1.0], [0.4, -9.0], [2.0, -9.0]],  # free, comes to its stop at last
    }
    entries = {"world": world()}
    for name, table in pulls.items():
        entries[name] = body(1.0)
        entries[f"slide_{name}"] = kind("world", name, "x", limits=(0.0, 9.0))
        entries[f"pull_{name}"] = WorldForce(name, force=(Table1D(table), 0.0, 0.0))
    result = run(1.2, **entries)
    causes = [record.cause.split(";")[0] for record in result.segments[1:]]
    assert sorted(result.segments[1].cause.split("; ")) == [f"slide_{name} stops at its lower limit s = 0" for name in "ab"]
    assert sorted(causes[1:]) == ["slide_a leaves its lower limit s = 0", "slide_c stops at its lower limit s = 0"]
    assert [n for n in dofs(result) if n == 1]
    assert np.all(result["slide_b.s"] == 0.0)
    left = next(record for record in result.segments if "slide_a leaves" in record.cause)
    assert left.start == pytest.approx(0.7, abs=1e-9)
    t = result.time[result.time > 0.7] - 0.7
    force = 10.0 * np.minimum(t, 0.3), np.maximum(t - 0.3, 0.0)
    way = 10.0 / 6.0 * np.minimum(t, 0.3) ** 3 + 0.45 * force[1] + 1.5 * force[1] ** 2
    assert result["slide_a.s"][result.time > 0.7] == pytest.approx(way, abs=1e-8)


@BOTH
def test_a_joint_that_is_locked_at_its_stop_has_not_left_it(kind):
    """What a segment says of its cause is what happened: the brake closes, nothing else."""

    def program(actions):
        ActionWait(actions, 0.2)
        ActionLock(actions, "joint")
        ActionWait(actions, 0.2)
        ActionUnlock(actions, "joint")

    result = run(
        0.6,
        world=world(),
        sled=body(1.0),
        joint=kind("world", "sled", "x", limits=(0.0, 9.0)),
        pressing=WorldForce("sled", force=(-0.5, 0.0, 0.0)),
        actions=ModelActions(program),
    )
    stops = "joint stops at its lower limit s = 0"
    assert [record.cause for record in result.segments[1:]] == [stops, "ActionLock joint", "ActionUnlock joint", stops]
    assert dofs(result)[1:3] == [0, 0]
    assert np.all(result["joint.s"] == 0.0)


@pytest.mark.parametrize("joint", [Prismatic, PrismaticWithFlange])
@pytest.mark.parametrize(
    ("before", "after", "dof"),
    [
        ((2.0, -1.0), (0.0, 1.0), 1),  # the load leaves the stop on the cart, which would have to pull
        ((1.0, -2.0), (0.0, 0.0), 0),
        ((1.0, -6.0), (-0.5, 0.0), 1),  # the load takes the cart away from the wall
    ],
)
def test_two_stops_that_are_struck_at_once_push_and_never_pull(joint, before, after, dof):
    """A cart of 3 kg reaches a wall, a load of 1 kg on it a stop of the cart: the speeds of least energy that both permit."""

    def slide(one, two, speed, limits):
        if joint is Prismatic:
            return Prismatic(one, two, "x", s=0.0, v=speed, limits=limits)
        return PrismaticWithFlange(one, two, "x", s=Var(init=0.0), v=Var(init=speed), limits=limits)

    result = run(
        0.01,
        world=world(),
        cart=body(3.0),
        load=body(1.0),
        rail=slide("world", "cart", before[0], (-1.0, 0.0)),
        bed=slide("cart", "load", before[1], (0.0, 1.0)),
    )
    assert [result["rail.v"][-1], result["bed.v"][-1]] == pytest.approx(after, abs=1e-12)
    assert dofs(result)[-1] == dof
