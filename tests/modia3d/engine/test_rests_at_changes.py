"""What rests, slides and tips goes on as before where the program flips chains, attaches and releases."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionFlipChain,
    ActionRelease,
    Box,
    EventAfterPeriod,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    Revolute,
    Solid,
    Sphere,
)
from modiapy import Map, instantiate
from tests.modia3d.engine.test_rigid_contacts import body, floor, free, world
from tests.modia3d.scenes import causes

pytestmark = pytest.mark.white_box

G = 9.81
DOWN = (math.pi, 0.0, 0.0)


def chain(program, friction=0.3, height=1.0, axis="z", **bodies):
    """Two bars of 1 m in a row along x with a hinge between, their middles at a height, their upper faces 0.05 m higher.

    Docks are at both ends; the left one is attached.
    """

    def bar(**fields):
        return body(Box(1.0, 0.4, 0.1), 5.0, (0.1, 0.5, 0.5), **fields)

    def run(actions):
        ActionAttach(actions, "left_end", "dock0")
        program(actions)

    return instantiate(
        Model3D(
            world=world(0.0, friction),
            floor=floor(),
            dock0=Object3D(parent="world", translation=(-1.0, 0.0, height), rotation=DOWN, lockable=True),
            dock1=Object3D(parent="world", translation=(1.0, 0.0, height), rotation=DOWN, lockable=True),
            left=bar(parent="world", fixed_to_parent=False, translation=(-0.5, 0.0, height)),
            left_end=Object3D(parent="left", translation=(-0.5, 0.0, 0.0), lockable=True),
            left_hinge=Object3D(parent="left", translation=(0.5, 0.0, 0.0)),
            right=bar(),
            right_end=Object3D(parent="right", translation=(0.5, 0.0, 0.0), lockable=True),
            right_hinge=Object3D(parent="right", translation=(-0.5, 0.0, 0.0)),
            hinge=Revolute("left_hinge", "right_hinge", axis),
            actions=ModelActions(run),
            **bodies,
        )
    )


def flips(actions):
    EventAfterPeriod(actions, 0.2)
    ActionFlipChain(actions, "right_end", "dock1")
    EventAfterPeriod(actions, 0.2)
    ActionFlipChain(actions, "left_end", "dock0")


def nothing(actions):
    EventAfterPeriod(actions, 0.2)


def test_what_rests_on_a_chain_stays_at_rest_where_that_flips():
    """Boxes, a ball and a box across a corner: places, forces, rows and the table of contacts are what they were."""
    bodies = {
        "box": free(Box(0.2, 0.2, 0.1), (-0.5, 0.05, 1.1), 2.0, 0.01),
        "upper": free(Box(0.2, 0.2, 0.1), (-0.45, 0.05, 1.2), 2.0, 0.01, rotation=(0.0, 0.0, 0.3)),
        "overhanging": free(Box(0.2, 0.2, 0.1), (0.6, 0.15, 1.1), 2.0, 0.01, rotation=(0.0, 0.0, 0.4)),
        "ball": free(Sphere(0.1), (0.2, 0.0, 1.1), 1.0, 0.001),
    }
    result = chain(flips, **bodies).simulate(0.6, tolerance=1e-10, interval=0.05)
    weights = {"box": 2.0 * G, "upper": 2.0 * G, "overhanging": 2.0 * G, "ball": G}
    later = result.time > 0.0
    for name, weight in weights.items():
        assert np.abs(result[f"{name}.r_abs"] - result[f"{name}.r_abs"][0]).max() < 1e-11
        force = result[f"{name}.contact_force"][later]
        assert force == pytest.approx(np.tile([0.0, 0.0, weight], (len(force), 1)), abs=1e-8)
    assert result["mechanics.contact[left,box].force"][-1] == pytest.approx([0.0, 0.0, 4.0 * G], abs=1e-8)
    assert not any("strike" in cause or "part" in cause for cause in causes(result))
    assert {row["end"] for row in result.contacts} == {None}
    assert len(result.contacts) == 4
    assert sum("ActionFlipChain" in cause for cause in causes(result)) == 2
    redundant = [
        {text for text in record.info["redundant"] if "normal" in text}
        for record in result.segments
        if "redundant" in record.info
    ]
    held = [texts for texts in redundant if texts]
    assert held
    assert all(texts == held[0] for texts in held)


@pytest.mark.parametrize(("friction", "height"), [(0.0, 1.0), (0.2, 0.05)], ids=["in the air", "on the floor"])
def test_what_slides_on_a_chain_goes_on_where_that_flips(friction, height):
    """Over both bars, while it turns, as without the flips: the trajectory is the same."""
    bodies = {
        "box": free(
            Box(0.2, 0.2, 0.1),
            (-0.7, 0.0, height + 0.1),
            2.0,
            0.01,
            velocity=(1.5, 0.05, 0.0),
            angular_velocity=(0.0, 0.0, 0.5),
        )
    }
    with_flips, without = (
        chain(program, friction, height, "z" if height == 1.0 else "y", **bodies).simulate(0.6, tolerance=1e-10, interval=0.05)
        for program in (flips, nothing)
    )
    assert without["box.r_abs"][-1][0] > -0.2
    for signal in ("box.r_abs", "box.v_abs", "box.w_abs"):
        assert with_flips[signal][-1] == pytest.approx(without[signal][-1], abs=2e-8)
    assert with_flips["box.contact_force"][-1][2] == pytest.approx(2.0 * G, abs=1e-8)
    assert not any("strike" in cause for cause in causes(with_flips))


def test_what_tips_over_a_bar_goes_on_where_the_chain_flips():
    """It turns about the bar's edge, where edges cross, while that happens: no impact, no loss, nothing found anew."""

    def soon(actions):
        EventAfterPeriod(actions, 0.1)
        ActionFlipChain(actions, "right_end", "dock1")

    tips = {"box": free(Box(0.3, 0.3, 0.1), (-0.4, 0.21, 1.1), 2.0, 0.03, rotation=(0.0, 0.0, 0.3))}
    result = chain(soon, 0.0, **tips).simulate(0.25, tolerance=1e-10, interval=0.01)
    assert np.abs(result["box.w_abs"][-1]).max() > 0.3
    assert "ActionFlipChain right_end -> dock1" in causes(result)
    assert not any("strike" in cause or "touch at" in cause for cause in causes(result))
    energy = (result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"])[result.time > 0.0]
    assert energy == pytest.approx(np.full(len(energy), energy[0]), rel=1e-9)
    at = np.flatnonzero(np.isclose(result.time, 0.1, rtol=0.0, atol=1e-12))
    assert len(at) > 1
    for signal in ("box.r_abs", "box.v_abs", "box.w_abs"):
        assert np.abs(result[signal][at] - result[signal][at[0]]).max() < 1e-9
    force = result["box.contact_force"][at]
    assert force == pytest.approx(np.tile(force[0], (len(at), 1)), rel=0.05)


def test_a_chain_that_rests_itself_flips_on_what_bears_it():
    """Both bars lie on the floor; which end is locked changes nothing but who bears."""

    def program(actions):
        EventAfterPeriod(actions, 0.1)
        ActionFlipChain(actions, "right_end", "dock1")
        EventAfterPeriod(actions, 0.1)
        ActionRelease(actions, "right_end")

    result = chain(program, height=0.05, axis="y").simulate(0.4, tolerance=1e-10, interval=0.05)
    for name, x in (("left", -0.5), ("right", 0.5)):
        assert np.abs(result[f"{name}.r_abs"] - [x, 0.0, 0.05]).max() < 1e-9
    total = result["left.contact_force"] + result["right.contact_force"]
    assert total[-1] == pytest.approx([0.0, 0.0, 10.0 * G], abs=1e-7)
    assert result["left.contact_force"][-1][2] == pytest.approx(5.0 * G, abs=1e-6)
    assert not any("strike" in cause for cause in causes(result))


def test_a_box_that_is_attached_to_the_one_below_is_borne_again_when_it_is_released():
    """While both are one body there is no contact between them; the floor bears both all the while."""

    def program(actions):
        EventAfterPeriod(actions, 0.1)
        ActionAttach(actions, "hook", "eye")
        EventAfterPeriod(actions, 0.1)
        ActionRelease(actions, "hook")

    model = Model3D(
        world=world(0.0, 0.3),
        floor=floor(),
        low=free(Box(0.3, 0.3, 0.1), (0.0, 0.0, 0.05), 4.0, 0.05),
        up=free(Box(0.2, 0.2, 0.1), (0.12, 0.0, 0.15), 2.0, 0.01),
        eye=Object3D(parent="low", translation=(0.1, 0.0, 0.05), lockable=True),
        hook=Object3D(parent="up", translation=(-0.02, 0.0, -0.05), rotation=DOWN, lockable=True),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.3, tolerance=1e-10, interval=0.02)
    one_body = (result.time > 0.11) & (result.time < 0.19)
    between = result["mechanics.contact[low,up].force"]
    assert between[(result.time > 0.01) & (result.time < 0.09)][:, 2] == pytest.approx(2.0 * G, abs=1e-8)
    assert between[result.time > 0.21][:, 2] == pytest.approx(2.0 * G, abs=1e-8)
    assert not np.nan_to_num(between[one_body]).any()
    for name, at in (("low", [0.0, 0.0, 0.05]), ("up", [0.12, 0.0, 0.15])):
        assert np.abs(result[f"{name}.r_abs"] - at).max() < 1e-11
    events = np.isin(np.round(result.time, 9), [0.0, 0.1, 0.2])
    below = result["mechanics.contact[low,floor].force"][~events]
    assert np.abs(below[:, 2]) == pytest.approx(6.0 * G, abs=1e-7)
    assert not any("strike" in cause for cause in causes(result))


@pytest.mark.parametrize("ground", ["plane", "box"])
@pytest.mark.parametrize("speed", [0.0, 1.0], ids=["rests", "slides"])
@pytest.mark.parametrize("fall", [-1.0, 2.0], ids=["down", "up"])
def test_what_is_joined_to_a_block_by_an_impact_presses_it_on_its_ground_or_lifts_it(ground, speed, fall):
    """The ground takes the impulse of what comes down, whatever the restitution is; it does not hold what is drawn up."""
    at, mu, m, load = 0.1, 0.3, 3.0, 2.0
    now = max(speed - mu * G * at, 0.0)
    slab = body(Box(4.0, 4.0, 0.2), parent="world", translation=(0.0, 0.0, -0.1))

    def program(actions):
        EventAfterPeriod(actions, at)
        ActionAttach(actions, "eye", "top", on_contact="impulse")

    anywhere = Map(feature=Map(mating=MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)))
    properties = MassProperties(load, (0.0,) * 3, 0.01, 0.01, 0.01)
    model = Model3D(
        world=world(0.5, mu) | anywhere,
        ground=floor() if ground == "plane" else slab,
        block=free(Box(1.0, 1.0, 0.1), (0.0, 0.0, 0.05), m, velocity=(speed, 0.0, 0.0)),
        top=Object3D(parent="block", translation=(0.0, 0.0, 0.05), lockable=True),
        load=Object3D(
            parent="world",
            fixed_to_parent=False,
            translation=(0.5 * (speed + now) * at - now * at, 0.0, 0.5 - (fall + 0.5 * G * at) * at),
            velocity=(now, 0.0, fall + G * at),
            feature=Solid(mass_properties=properties),
        ),
        eye=Object3D(parent="load", lockable=True, rotation=DOWN),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.2, tolerance=1e-9, interval=0.05)
    (number,) = [k for k, cause in enumerate(causes(result)) if "ActionAttach" in cause]
    info = result.segments[number].info
    outside = m_up = 0.0
    if fall < 0.0:
        outside, lost = -load * fall, 0.5 * load * fall**2
    else:
        m_up, lost = load * fall / (m + load), 0.5 * fall**2 * m * load / (m + load)
    assert info["impulse_from_outside"] == pytest.approx([0.0, 0.0, outside], abs=1e-8)
    assert info["energy_lost"] == pytest.approx(lost, abs=1e-8)
    after = result.segment(number + 1)
    assert after["block.v_abs"][0] == pytest.approx([now, 0.0, m_up], abs=1e-8)
    assert np.abs(after["block.w_abs"][0]).max() < 1e-8
    slows = 0.1 if fall < 0.0 else 0.0
    down = G * 0.1 if fall > 0.0 else 0.0
    expected = [max(now - mu * G * slows, 0.0), 0.0, m_up - down]
    assert result["block.v_abs"][-1] == pytest.approx(expected, abs=1e-7)
    assert causes(result)[1:number] == [f"ground, block {'slide' if speed else 'rest'} on each other"]
    assert len(result.segments) == number + 1  # what it lies on is not found anew
    (contact,) = result.contacts
    weights = m * G * at + ((m + load) * G * 0.1 if fall < 0.0 else 0.0)
    assert contact["impulse"] == pytest.approx(weights + outside, rel=1e-7)
    assert contact["end"] == (None if fall < 0.0 else pytest.approx(at))


def test_what_comes_to_its_limit_on_a_block_at_rest_presses_that_on_its_ground():
    """All momentum goes to the ground, in the end with both weights; the stop is an event of its own."""
    m, load, gap, stop = 3.0, 2.0, 0.05, 0.3
    result = instantiate(
        Model3D(
            world=world(0.0, 0.3),
            ground=floor(),
            block=free(Box(1.0, 1.0, 0.1), (0.0, 0.0, 0.05), m),
            load=Object3D(feature=Solid(mass_properties=MassProperties(load, (0.0,) * 3, 0.01, 0.01, 0.01))),
            slide=Prismatic("block", "load", "z", s=gap, limits=(0.0, 1.0)),
        )
    ).simulate(stop, tolerance=1e-10, interval=0.01)
    (number,) = [k for k, cause in enumerate(causes(result)) if "slide stops at its lower limit" in cause]
    assert result.segments[number].start == pytest.approx(math.sqrt(2.0 * gap / G), rel=1e-8)
    assert result.segments[number].info["energy_lost"] == pytest.approx(load * G * gap, rel=1e-7)
    (contact,) = result.contacts
    assert contact["impulse"] == pytest.approx((m + load) * G * stop, rel=1e-7)
