"""Joints that are held, by limits and by locks at once, many of them, and while impacts take place elsewhere."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionDelete,
    ActionLock,
    ActionRefused,
    ActionUnlock,
    ActionWait,
    Model3D,
    ModelActions,
    Prismatic,
    PrismaticWithFlange,
    RevoluteWithFlange,
    UniformGravity,
    WorldForce,
)
from modiapy import Map, Model, SimulationError, Table1D, Var, instantiate
from modiapy.library import rotational, translational
from tests.modia3d import scenes
from tests.modia3d.engine.test_closed_loops import four_bars
from tests.modia3d.scenes import body, dofs, free, world

pytestmark = pytest.mark.white_box

run = partial(scenes.run, points=100)
DOWN = UniformGravity(n="-z")


def slide(kind, name, **fields):
    """A joint along x between the world and a body, with or without a flange."""
    if kind is PrismaticWithFlange:
        fields = {key: Var(init=value) if key in ("s", "v") else value for key, value in fields.items()}
    return kind("world", name, "x", **fields)


def test_the_degrees_of_freedom_of_several_systems_add_up():
    """Two multibody systems in one model; in one of them the structure changes."""

    def program(actions):
        ActionWait(actions, 0.5)
        ActionDelete(actions, "second")

    pendulum = Model3D(world=world(), rod=body(), hinge=RevoluteWithFlange("world", "rod", "y", w=Var(init=1.0)))
    loose = Model3D(world=world(), first=free(), second=free(), actions=ModelActions(program))
    result = instantiate(Model(left=pendulum, right=loose)).simulate(1.0)
    assert dofs(result) == [1 + 12, 1 + 6]
    assert [record.states_variant for record in result.segments] == [26, 13]


sides = st.tuples(
    st.sampled_from([Prismatic, PrismaticWithFlange]),
    st.floats(-1.0, 1.0),  # where it starts
    st.floats(0.2, 2.0),  # its speed
    st.sampled_from([-1.0, 1.0]),  # which way
    st.floats(0.05, 1.5),  # how far the limit is on this way
    st.floats(0.1, 2.0),  # and on the other one
)


@settings(max_examples=10)
@given(st.lists(sides, min_size=2, max_size=5))
def test_every_joint_stops_at_its_own_limit(slides):
    """Bodies that slide without forces: each stops where its limit is, and loses its own energy there."""
    entries, expected = {"world": world()}, {}
    for k, (kind, start, speed, way, room, other) in enumerate(slides):
        limits = sorted((start + way * room, start - way * other))
        entries[f"body{k}"] = body(1.0 + k)
        entries[f"slide{k}"] = slide(kind, f"body{k}", s=start, v=way * speed, limits=tuple(limits))
        expected[f"slide{k}"] = (room / speed, start + way * room, 0.5 * (1.0 + k) * speed**2)
    result = run(3.0, **entries)
    stops = [record for record in result.segments if " stops " in record.cause]
    for name, (time, place, _) in expected.items():
        mine = [record.start for record in stops if f"{name} stops" in record.cause]
        if time < 3.0 - 1e-6:
            assert mine == [pytest.approx(time, abs=1e-8)]
            assert result[f"{name}.s"][-1] == pytest.approx(place, abs=1e-8)
            assert result[f"{name}.v"][-1] == 0.0
        else:
            assert mine == []
    lost = sum(record.info.get("energy_lost", 0.0) for record in stops)
    assert lost == pytest.approx(sum(e for t, _, e in expected.values() if t < 3.0 - 1e-6), rel=1e-7, abs=1e-12)
    assert result.segments[-1].info["dof"] == len(slides) - sum(t < 3.0 - 1e-6 for t, _, _ in expected.values())


@pytest.mark.parametrize("kind", [Prismatic, PrismaticWithFlange])
def test_a_joint_at_its_limit_is_locked_and_let_go_again(kind):
    """Pressed to its limit, locked there, pulled away in vain; unlocked it goes on at rest, pulled with force - weight."""

    def program(actions):
        ActionWait(actions, 0.5)
        ActionLock(actions, "joint")
        ActionWait(actions, 0.5)
        ActionUnlock(actions, "joint")

    entries = {"world": world(), "sled": body(2.0), "joint": slide(kind, "sled", s=0.5, limits=(-1.0, 0.5))}
    pull = WorldForce("sled", force=(Table1D([[0.0, 4.0], [2.0, -12.0]]), 0.0, 0.0))
    result = run(1.5, **entries, pull=pull, actions=ModelActions(program))
    assert dofs(result) == [1, 0, 0, 1]
    assert [record.cause.partition(" ")[0] for record in result.segments[1:]] == ["joint", "ActionLock", "ActionUnlock"]
    assert result.segments[3].start == 1.0
    locked = result.segment(3)
    assert np.all(locked["joint.s"] == locked["joint.s"][0])
    after = result.segment(4)
    t = after.time - 1.0
    assert after["joint.s"] == pytest.approx(0.5 + (-4.0 * t**2 / 2.0 - 8.0 * t**3 / 6.0) / 2.0, abs=1e-8)


@pytest.mark.parametrize("inner", [Prismatic, PrismaticWithFlange])
@pytest.mark.parametrize("outer", [Prismatic, PrismaticWithFlange])
def test_what_a_limit_holds_is_pulled_off_by_an_impact(inner, outer):
    """The inner slide is pressed to its stop and held; the outer one runs into its own stop and pulls it off."""
    entries = {
        "world": world(),
        "first": body(1.0),
        "second": body(3.0),
        "inner": slide(inner, "first", limits=(0.0, 9.0)),
        "pressing": WorldForce("first", force=(-0.3, 0.0, 0.0)),
    }
    joint = Prismatic("first", "second", "x", v=2.0, limits=(-1.0, 0.5))
    if outer is PrismaticWithFlange:
        joint = PrismaticWithFlange("first", "second", "x", v=Var(init=2.0), limits=(-1.0, 0.5))
    result = run(0.4, **entries, outer=joint)
    assert result.segments[1].cause == "inner stops at its lower limit s = 0"
    assert set(result.segments[2].cause.split("; ")) == {
        "inner leaves its lower limit s = 0",
        "outer stops at its upper limit s = 0.5",
        "1.5 J lost",
    }
    after = result.segment(3)
    assert after["inner.v"][0] == pytest.approx(1.5, rel=1e-9)
    assert after["mechanics.momentum"][0] == pytest.approx([6.0, 0.0, 0.0], rel=1e-9)
    assert result.segments[2].info["energy_lost"] == pytest.approx(0.5 * 0.75 * 4.0, rel=1e-8)


def test_an_impact_that_would_need_a_force_that_saturates_is_refused():
    """The torque of the drive depends on the acceleration, and saturates: an impulse has no meaning there."""

    def program(actions):
        ActionWait(actions, 0.3)
        ActionLock(actions, "hinge", on_contact="impulse")

    with pytest.raises(SimulationError, match=r"not affine in the forces.*relation that is an event"):
        run(
            0.5,
            world=world(DOWN),
            rod=body(2.0, 0.5, (0.5, 0.0, 0.0)),
            hinge=RevoluteWithFlange("world", "rod", "y"),
            drive=rotational.Torque,
            inertia=rotational.Inertia | Map(J=0.1),
            equations=["drive.tau = -0.5*tanh(inertia.a)"],
            connect=[("drive.flange", "inertia.flange_a"), ("inertia.flange_b", "hinge.flange")],
            actions=ModelActions(program),
        )


def test_a_stop_is_left_and_met_again_at_the_same_place():
    """A motor presses a slide alternately to both stops: they stay where they are, however often."""
    result = run(
        6.0,
        world=world(),
        sled=body(1.0),
        joint=slide(PrismaticWithFlange, "sled", limits=(-0.2, 0.3)),
        drive=translational.Force,
        equations=["drive.f = 5*cos(pi*time)"],
        connect=[("drive.flange", "joint.flange")],
    )
    held = [k for k, record in enumerate(result.segments, 1) if "stops at" in record.cause]
    for k in held:
        segment, upper = result.segment(k), "upper" in result.segments[k - 1].cause
        assert np.ptp(segment["joint.s"]) == 0.0
        assert segment["joint.s"][0] == pytest.approx(0.3 if upper else -0.2, abs=1e-9)
        force = 5.0 * np.cos(math.pi * segment.time)
        assert segment["joint.constraint_force"] == pytest.approx(-force, abs=1e-9)
    assert len(held) >= 4
    assert {("upper" in result.segments[k - 1].cause) for k in held} == {True, False}


def test_a_refused_impact_leaves_what_limits_hold():
    """The lock of a joint whose motion is prescribed is refused; the slide that is pressed to its stop stays there."""
    refused = []

    def program(actions):
        yield ActionWait(actions, 0.3)
        try:
            yield ActionLock(actions, "hinge", on_contact="impulse")
        except ActionRefused as error:
            refused.append(str(error))
        yield ActionWait(actions, 0.3)

    result = run(
        0.6,
        world=world(),
        first=body(1.0),
        inner=Prismatic("world", "first", "x", limits=(0.0, 9.0)),
        pressing=WorldForce("first", force=(-0.3, 0.0, 0.0)),
        rod=body(2.0),
        hinge=RevoluteWithFlange("world", "rod", "y", w=Var(init=2.0), lockable=True),
        drive=rotational.Position,
        connect=[("drive.flange", "hinge.flange")],
        equations=["drive.phi_ref = 2*time"],
        actions=ModelActions(program),
    )
    assert len(refused) == 1
    assert "prescribed" in refused[0]
    assert np.all(result["inner.s"] == 0.0)
    assert result["inner.constraint_force"][-1] == pytest.approx(0.3, rel=1e-12)
    assert result.segments[-1].info["dof"] == 1


@pytest.mark.parametrize(("given", "refused"), [({}, False), ({"phi": 0.5}, False), ({"phi": 0.0}, True)])
def test_the_default_start_of_a_joint_gives_way_to_a_prescribed_motion(given, refused):
    """What the user says of the start holds or is refused; what nobody says is no claim."""
    entries = {
        "world": world(),
        "rod": body(2.0),
        "hinge": RevoluteWithFlange("world", "rod", "y", **given),
        "drive": rotational.Position,
        "connect": [("drive.flange", "hinge.flange")],
        "equations": ["drive.phi_ref = 0.5 + 2*time"],
    }
    if refused:
        with pytest.raises(SimulationError, match=r"contradicts the equations; found init=0\.0; expected 0\.5"):
            run(**entries)
    else:
        assert run(**entries)["hinge.phi"][-1] == pytest.approx(2.5, abs=1e-12)


@pytest.mark.parametrize("loop", [False, True], ids=["alone", "beside a loop"])
@pytest.mark.parametrize("pressing", [-1.0, "-1.0 + 0.0*time"], ids=["inside", "from equations"])
@pytest.mark.parametrize("outer", [Prismatic, PrismaticWithFlange])
def test_what_is_pressed_to_a_stop_on_a_moving_carrier_leaves_it_where_the_sum_of_forces_vanishes(outer, pressing, loop):
    """A carrier of 3 kg, drawn by ``6 - 10 t`` N, with a sled of 1 kg that 1 N presses to its stop: as long as both move
    together, the stop gives the sled ``1 + (5 - 10 t)/4`` N."""
    pull = {"pull": WorldForce("carrier", force=(Table1D([[0.0, 6.0], [2.0, -14.0]]), 0.0, 0.0))}
    if outer is PrismaticWithFlange:
        pull = {
            "drive": translational.Force,
            "equations": ["drive.f = 6 - 10*time"],
            "connect": [("drive.flange", "rail.flange")],
        }
    parts = Model3D(
        world=world(),
        carrier=body(3.0),
        rail=slide(outer, "carrier"),
        sled=body(1.0),
        inner=Prismatic("carrier", "sled", "x", limits=(0.0, 9.0)),
        pressing=WorldForce("sled", force=(pressing, 0.0, 0.0)),
        **pull,
    )
    result = instantiate(four_bars(1) | parts if loop else parts).simulate(1.2, tolerance=1e-9, interval=0.1)
    leaves = [record.start for record in result.segments if "inner leaves its lower limit s = 0" in record.cause]
    assert leaves == pytest.approx([0.9], abs=1e-7)
    assert "inner stops at its lower limit s = 0" in result.segments[1].cause
    both = (result.time > 0.0) & (result.time < 0.85)
    assert not result["inner.s"][both].any()
    t, s = result.time[-1] - 0.9, result["inner.s"][-1]
    assert s == pytest.approx(10.0 / 18.0 * t**3, abs=1e-7)  # the carrier is drawn by -3 - 10 t N, the sled by -1 N
    assert result["rail.s"][both] == pytest.approx((2.5 * result.time**2 - 10.0 / 6.0 * result.time**3)[both] / 4.0, abs=1e-7)


@pytest.mark.parametrize("pressing", [-1.0, "-1.0 + 0.0*time"], ids=["inside", "from equations"])
def test_what_is_pressed_to_a_stop_leaves_it_where_a_drive_beyond_it_pushes_it_off(pressing):
    """A sled of 1 kg, which 1 N presses to its stop, carries a mass that a drive accelerates away with ``6 - 10 t`` N."""
    model = Model3D(
        world=world(),
        sled=body(1.0),
        inner=Prismatic("world", "sled", "x", limits=(0.0, 9.0)),
        mass=body(3.0),
        rail=PrismaticWithFlange("sled", "mass", "x"),
        drive=translational.Force,
        equations=["drive.f = 6 - 10*time"],
        connect=[("drive.flange", "rail.flange")],
        pressing=WorldForce("sled", force=(pressing, 0.0, 0.0)),
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.1)
    leaves = [record.start for record in result.segments if "inner leaves its lower limit s = 0" in record.cause]
    assert leaves == pytest.approx([0.7], abs=1e-7)
    assert result["inner.s"][-1] == pytest.approx(10.0 / 6.0 * 0.3**3, abs=1e-7)
