"""Rigid contacts at rest are rows of constraints: they bear, stick, slide, roll, tip and part as closed forms say."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionRelease,
    Box,
    Capsule,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Plane,
    Solid,
    Sphere,
    UniformGravity,
    WorldForce,
)
from modiapy import instantiate
from tests.modia3d.engine.test_rigid_contacts import body, floor, free, impacts, run, world
from tests.modia3d.scenes import causes

pytestmark = pytest.mark.white_box

G = 9.81


def slope(angle):
    solid = Solid(Plane("z"), contact_material="Steel", collision=True)
    return Object3D(parent="world", rotation=(0.0, angle, 0.0), feature=solid)


def on_slope(shape, height, **fields):
    return body(shape, parent="floor", fixed_to_parent=False, translation=(0.0, 0.0, height), **fields)


def axes(angle):
    """Normal of a slope, and the direction down."""
    return np.array([math.sin(angle), 0.0, math.cos(angle)]), np.array([math.cos(angle), 0.0, -math.sin(angle)])


# -- blocks ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 0.1, 0.28])
def test_a_block_rests_on_a_slope_below_the_friction_angle(angle):
    n, down = axes(angle)
    block = on_slope(Box(0.4, 0.3, 0.2), 0.1, mass=2.0)
    result = run(2.0, world=world(0.5, 0.3), floor=slope(angle), block=block)
    force = result["block.contact_force"][-1]
    assert force @ n == pytest.approx(2.0 * G * math.cos(angle), rel=1e-8)
    assert force @ down == pytest.approx(-2.0 * G * math.sin(angle), abs=1e-8)
    assert result["block.r_abs"][-1] == pytest.approx(0.1 * n, abs=1e-12)
    assert len(result.segments) < 5
    assert result["mechanics.contact[floor,block].phase"][-1] == 2.0


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_block_slides_down_a_steeper_slope(friction):
    n, down = axes(0.5)
    result = run(1.0, world=world(0.5, friction), floor=slope(0.5), block=on_slope(Box(0.4, 0.3, 0.2), 0.1, mass=2.0))
    a = G * (math.sin(0.5) - friction * math.cos(0.5))
    assert result["block.v_abs"][-1] == pytest.approx(a * down, abs=1e-8)
    assert result["block.r_abs"][-1] == pytest.approx(0.1 * n + 0.5 * a * down, abs=1e-8)
    force = result["block.contact_force"][-1]
    assert force @ n == pytest.approx(2.0 * G * math.cos(0.5), rel=1e-8)
    assert force @ down == pytest.approx(-friction * 2.0 * G * math.cos(0.5), abs=1e-8)
    assert len(result.segments) < 6
    assert result["mechanics.contact[floor,block].phase"][-1] == 1.0
    word = "slide" if friction else "rest"  # without friction both are the same
    assert causes(result)[-1] == f"floor, block {word} on each other"


def test_static_friction_decides_whether_a_block_slides():
    for angle, moves in ((0.44, False), (0.48, True)):  # tan: 0.471, 0.521
        result = run(
            0.5, world=world(0.5, 0.3, static_friction=0.5), floor=slope(angle), block=on_slope(Box(0.4, 0.3, 0.2), 0.1)
        )
        speed = np.linalg.norm(result["block.v_abs"][-1])
        assert speed == pytest.approx(0.5 * G * (math.sin(angle) - 0.3 * math.cos(angle)) if moves else 0.0, abs=1e-8)


def test_a_block_that_is_thrown_stops_where_its_energy_is_used_up():
    block = free(Box(0.4, 0.3, 0.1), (0.0, 0.0, 0.05), 2.0, 0.05, velocity=(1.2, 0.5, 0.0))
    result = run(1.0, world=world(0.5, 0.3), floor=floor(), block=block)
    way = 1.3**2 / (2.0 * 0.3 * G)
    assert result["block.r_abs"][-1] == pytest.approx([way * 1.2 / 1.3, way * 0.5 / 1.3, 0.05], abs=1e-9)
    center = result["mechanics.contact[floor,block].point"] - result["block.r_abs"]  # friction at the floor tips it forward
    slides = (result.time > 0.0) & (result.time < 0.4)
    assert center[slides] == pytest.approx(np.tile([0.015 * 1.2 / 1.3, 0.015 * 0.5 / 1.3, -0.05], (slides.sum(), 1)), abs=1e-8)
    stop = [record.start for record in result.segments if "rest on" in record.cause]
    assert stop == pytest.approx([1.3 / (0.3 * G)], abs=1e-5)
    assert np.abs(result["block.v_abs"][-1]).max() == 0.0
    assert len(result.segments) < 6


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("off", "push"), [(0.0, "5.885 + time"), (0.05, "5.884 + time"), (0.15, "5.8 + 0.1*time")])
def test_a_block_begins_to_turn_as_it_is_pushed(off, push, side):
    """Beside its middle, just harder than friction holds it: from the first instant on as later, whatever was small then."""
    block = free(Box(0.4, 0.3, 0.2), (0.0, 0.0, 0.1), 2.0)
    hook = Object3D(parent="block", translation=(0.0, off * side, 0.0))
    result = run(
        0.01, points=20, tolerance=1e-8, world=world(0.0, 0.3), floor=floor(), block=block, hook=hook,
        push=WorldForce("hook", (push, "0", "0")),
    )  # fmt: skip
    turns, speed = side * result["block.w_abs"][:, 2], np.linalg.norm(result["block.v_abs"], axis=1)
    assert turns.max() < 1e-10
    moves = speed > 1e-5
    assert moves.sum() > 5
    ratio = turns[moves] / speed[moves]
    assert ratio == pytest.approx([ratio[-1]] * moves.sum(), rel=0.02, abs=1e-6)
    assert (ratio[-1] < -0.1) == (off > 0.0)


@pytest.mark.parametrize(("below", "above"), [((30.0, 0.0), (0.0, 8.0)), ((14.0, 0.0), (3.0, 6.5))])
def test_two_pairs_that_begin_to_slip_together_do_so_each_with_the_friction_of_the_other(below, above):
    """A block on a block, pulled in different directions: from the first instant on as later, and by Newton's law for points,
    from which blocks differ by less than 0.05 N of 4 to 30 N: their loads are not even, so that they turn a little, too."""
    low, up = free(Box(0.6, 0.6, 0.1), (0.0, 0.0, 0.05), 3.0), free(Box(0.3, 0.3, 0.1), (0.0, 0.0, 0.15), 2.0)
    pulls = {name: WorldForce(name, (*map(str, pull), "0")) for name, pull in (("low", below), ("up", above))}
    result = run(
        0.001, points=10, tolerance=1e-9, world=world(0.0, 0.3), floor=floor(), low=low, up=up,
        **{f"pull_{name}": pull for name, pull in pulls.items()},
    )  # fmt: skip
    first = np.flatnonzero(result.time == 0.0)[-1]
    a, b = ([result[f"{name}.a_abs"][k, :2] for name in ("low", "up")] for k in (first, -1))
    assert np.concatenate(a) == pytest.approx(np.concatenate(b), rel=1e-4)
    on_floor, between = a[0] / np.linalg.norm(a[0]), (a[1] - a[0]) / np.linalg.norm(a[1] - a[0])
    assert 3.0 * a[0] == pytest.approx(below - 0.3 * 5.0 * G * on_floor + 0.3 * 2.0 * G * between, abs=0.05)
    assert 2.0 * a[1] == pytest.approx(above - 0.3 * 2.0 * G * between, abs=0.05)


def test_a_block_that_is_shaken_sticks_and_slips_again_and_again():
    """Each period of a force is like the last one; sliding, friction is the normal force times its coefficient, against the
    motion, and never more than static friction allows."""
    shake = WorldForce("block", ("14*sin(8*pi*time)", "0", "0"))
    block = free(Box(0.4, 0.3, 0.2), (0.0, 0.0, 0.1), 2.0)
    result = run(3.0, points=600, world=world(0.5, 0.3, static_friction=0.5), floor=floor(), block=block, shake=shake)
    assert sum("begin to slip" in cause for cause in causes(result)) == 24
    v, force, t = result["block.v_abs"][:, 0], result["block.contact_force"], result.time
    slides, rests = np.abs(v) > 1e-3, t > 0.0
    friction = -np.sign(v[slides]) * force[slides, 0]
    assert friction == pytest.approx(0.3 * force[slides, 2], rel=1e-9)
    assert np.abs(force[rests, 0]).max() < 0.5 * 2.0 * G * (1.0 + 1e-4)
    fastest = [np.abs(v[(t > 0.25 * k) & (t < 0.25 * (k + 1))]).max() for k in range(4, 12)]
    assert fastest == pytest.approx([fastest[0]] * 8, rel=1e-4)


def test_a_box_tips_about_its_edge_where_the_slope_is_steep():
    """Half as wide as high: at a slope of 0.5 its weight passes the edge; the moment about that makes it turn."""
    for tangent, tips in ((0.49, False), (0.55, True)):
        angle = math.atan(tangent)
        box = on_slope(Box(0.1, 0.3, 0.2), 0.1, mass=3.0, inertia=0.02)
        result = run(0.05, world=world(0.0, 2.0), floor=slope(angle), box=box)
        alpha = 3.0 * G * (0.1 * math.sin(angle) - 0.05 * math.cos(angle)) / (0.02 + 3.0 * (0.1**2 + 0.05**2))
        found = result["box.z_abs"][:, 1]
        assert found[1] == pytest.approx(alpha if tips else 0.0, rel=1e-5, abs=1e-9)
        if tips:
            assert result["mechanics.contact[floor,box].force"][-1] @ axes(angle)[0] > 0.0


@pytest.mark.parametrize("part", [0.999, 1.00001, 1.0001, 1.001])
def test_a_block_slips_from_its_friction_angle_on(part):
    angle = math.atan(0.3 * part)
    result = run(0.3, world=world(0.0, 0.3), floor=slope(angle), block=on_slope(Box(0.4, 0.3, 0.2), 0.1, mass=2.0))
    speed = np.linalg.norm(result["block.v_abs"][-1])
    assert speed == pytest.approx(max(0.3 * G * (math.sin(angle) - 0.3 * math.cos(angle)), 0.0), abs=1e-8)


@pytest.mark.parametrize("friction", [0.2, 0.4])
def test_a_rod_that_slides_on_its_end_has_the_normal_force_of_theory(friction):
    """Friction turns it, and so changes the normal force that causes it."""
    m, L, start = 2.0, 1.0, 1.2
    J = m * L**2 / 12.0
    c, s = 0.5 * L * math.cos(start), 0.5 * L * math.sin(start)
    rod = free(
        Capsule(1e-6, L, axis="x"), (0.0, 0.0, s + 5e-7), m, (1e-3, J, J), rotation=(0.0, start, 0.0), velocity=(1.0, 0.0, 0.0)
    )
    result = run(1e-3, world=world(0.0, friction), floor=floor(), rod=rod)
    force = result["rod.contact_force"][1]
    n = G / (1.0 / m + c * c / J - friction * c * s / J)
    assert force[0] == pytest.approx(-friction * force[2], rel=1e-9)
    assert force[2] == pytest.approx(n, rel=1e-4)
    a = result["rod.a_abs"][1]
    assert m * a == pytest.approx(force - [0.0, 0.0, m * G], abs=1e-8)


def test_a_heavy_box_rocks_without_sinking_in():
    """Ten tons on one edge, then on the other one: however great the load is, the other edge strikes where the floor is."""
    box = free(Box(0.4, 0.3, 0.8), (0.0, 0.0, 0.42), 1e4, (600.0, 600.0, 200.0), rotation=(0.0, 0.08, 0.0))
    corners = {
        f"corner{k}": Object3D(parent="box", translation=(x, y, -0.4))
        for k, (x, y) in enumerate(((0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)))
    }
    result = run(3.0, tolerance=1e-8, points=100, world=world(0.0, 1.0), floor=floor(), box=box, **corners)
    lowest = min(result[f"{name}.r_abs"][:, 2].min() for name in corners)
    assert lowest > -2e-8
    assert len(impacts(result)) > 3
    assert np.abs(result["box.v_abs"][-1]).max() < 1e-9
    assert len(result.segments) < 200


# -- balls -----------------------------------------------------------------------------------------------------------------


def test_a_ball_with_backspin_slides_and_then_rolls():
    m, r, v, w, mu = 2.0, 0.1, 2.0, -10.0, 0.2
    ball = free(Sphere(2.0 * r), (0.0, 0.0, r), m, 0.4 * m * r**2, velocity=(v, 0.0, 0.0), angular_velocity=(0.0, w, 0.0))
    result = run(2.0, world=world(0.5, mu), floor=floor(), ball=ball)
    rolling = (5.0 * v + 2.0 * r * w) / 7.0
    time = 2.0 / 7.0 * (v - r * w) / (mu * G)
    assert result["ball.v_abs"][-1] == pytest.approx([rolling, 0.0, 0.0], abs=1e-9)
    assert result["ball.w_abs"][-1] == pytest.approx([0.0, rolling / r, 0.0], abs=1e-8)
    assert [record.start for record in result.segments if "rest on" in record.cause] == pytest.approx([time], abs=1e-5)
    way = v * time - 0.5 * mu * G * time**2 + rolling * (2.0 - time)
    assert result["ball.r_abs"][-1] == pytest.approx([way, 0.0, r], abs=1e-8)


@pytest.mark.parametrize(("angle", "rolls"), [(0.3, True), (0.9, False)])
def test_a_ball_rolls_down_a_slope_or_slides(angle, rolls):
    """Rolling takes friction of 2/7 of the slope's tangent."""
    _, down = axes(angle)
    m, r, mu = 2.0, 0.1, 0.3
    ball = on_slope(Sphere(2.0 * r), r, mass=m, inertia=0.4 * m * r**2)
    result = run(1.0, world=world(0.5, mu), floor=slope(angle), ball=ball)
    a = 5.0 / 7.0 * G * math.sin(angle) if rolls else G * (math.sin(angle) - mu * math.cos(angle))
    assert result["ball.v_abs"][-1] == pytest.approx(a * down, abs=1e-8)
    assert len(result.segments) < 6


@pytest.mark.parametrize("big", [Sphere(2.0), Capsule(2.0, 1.0, axis="y")], ids=["sphere", "capsule"])
def test_a_ball_leaves_another_one_where_the_closed_form_says(big):
    """Without friction at a cosine of 2/3 of the height at rest."""
    start = 0.1
    at = np.array([1.1 * math.sin(start), 0.0, 1.1 * math.cos(start)])
    ball = free(Sphere(0.2), at.tolist(), 2.0, 0.01)
    hill = Object3D(parent="world", feature=Solid(big, contact_material="Steel", collision=True))
    result = run(2.0, world=world(0.0, 0.0), hill=hill, ball=ball)
    (part,) = [record for record in result.segments if "part" in record.cause]
    first = result.segment(1 + list(result.segments).index(record_before(result, part)))
    height = first["ball.r_abs"][-1, 2] / 1.1
    assert height == pytest.approx(2.0 / 3.0 * math.cos(start), abs=1e-7)


def record_before(result, record):
    return result.segments[list(result.segments).index(record) - 1]


def test_a_ball_rolls_over_the_edge_of_a_table():
    """Slowly: it turns about the edge, with the curvature of that, until it leaves; energy is constant all the while."""
    m, r = 2.0, 0.1
    table = Object3D(parent="world", feature=Solid(Box(1.0, 1.0, 0.2), contact_material="Steel", collision=True))
    ball = free(
        Sphere(2.0 * r), (0.45, 0.0, 0.2), m, 0.4 * m * r**2, velocity=(0.2, 0.0, 0.0), angular_velocity=(0.0, 2.0, 0.0)
    )
    result = run(0.6, world=world(0.0, 1.0), table=table, ball=ball)
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    (part,) = [record for record in result.segments if "part" in record.cause]
    before = result.time < part.start
    assert energy[before] == pytest.approx(energy[0], rel=1e-7) or "slip" in " ".join(causes(result))
    arm = result["ball.r_abs"] - [0.5, 0.0, 0.1]
    turned = before & (arm[:, 0] > 0.0)
    assert turned.sum() > 3
    assert np.linalg.norm(arm[turned], axis=1) == pytest.approx(r, abs=1e-9)


def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    """A uniform rod without friction."""
    m, length, r, start = 3.0, 2.0, 0.02, 1.1
    c, s = 0.5 * length * math.cos(start), 0.5 * length * math.sin(start)
    wall = Object3D(parent="world", feature=Solid(Plane("x"), contact_material="Steel", collision=True))
    rod = free(
        Capsule(2.0 * r, length, axis="x"), (c + r, 0.0, s + r), m, (0.001, m * length**2 / 12.0, m * length**2 / 12.0),
        rotation=(0.0, start, 0.0),
    )  # fmt: skip
    result = run(1.0, world=world(0.0, 0.0), floor=floor(), wall=wall, rod=rod)
    part = next(record for record in result.segments if "wall, rod part" in record.cause)
    last = result.segment(list(result.segments).index(part))
    assert (last["rod.r_abs"][-1, 2] - r) / s == pytest.approx(2.0 / 3.0, abs=1e-7)


# -- many ------------------------------------------------------------------------------------------------------------------


def test_boxes_at_rest_cost_a_bounded_number_of_events():
    boxes = {f"b{k}": free(Box(0.2, 0.2, 0.1), (0.5 * k, 0.0, 0.05), 2.0, 0.01) for k in range(6)}
    result = run(10.0, world=world(0.3, 0.3), floor=floor(), **boxes)
    assert len(result.segments) < 5
    assert result.statistics["steps"] < 200
    for k in range(6):
        assert result[f"b{k}.r_abs"][-1] == pytest.approx([0.5 * k, 0.0, 0.05], abs=1e-12)
        assert result[f"b{k}.contact_force"][-1] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-8)


def test_reactions_of_four_points_are_those_of_least_norm_and_redundancy_is_told():
    result = run(0.5, world=world(0.3, 0.3), floor=floor(), table=free(Box(0.6, 0.4, 0.3), (0.0, 0.0, 0.15), 4.0, 0.1))
    redundant = result.segments[-1].info["redundant"]
    assert [text for text in redundant if "normal" in text]
    assert result["mechanics.contact[floor,table].point"][-1] == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)


def test_momentum_changes_by_weight_and_contact_forces_alone():
    block = free(Box(0.4, 0.3, 0.1), (0.0, 0.0, 0.05), 2.0, 0.05, velocity=(1.0, 0.3, 0.0), angular_velocity=(0.0, 0.0, 4.0))
    result = run(0.8, world=world(0.5, 0.3), floor=floor(), block=block)
    force = result["block.contact_force"] - [0.0, 0.0, 2.0 * G]
    assert result["mechanics.momentum_rate"] == pytest.approx(force, abs=1e-7)
    assert 2.0 * result["block.a_abs"] == pytest.approx(force, abs=1e-7)
    energy = result["mechanics.kinetic_energy"]
    assert np.diff(energy).max() < 1e-9
    assert np.abs(result["block.w_abs"][-1]).max() < 1e-9


def test_what_rests_without_weight_is_not_held():
    result = run(0.5, world=world(0.5, 0.3, NoGravity()), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.05)))
    assert len(result.segments) == 1


def test_gravity_that_pulls_away_opens_a_contact_at_once():
    up = UniformGravity(9.81, "z")
    result = run(0.5, world=world(0.5, 0.3, up), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.05)))
    assert result["ball.r_abs"][-1, 2] == pytest.approx(0.05 + 0.5 * G * 0.25, abs=1e-9)


# -- changes of structure, snapshots ---------------------------------------------------------------------------------------


def test_what_rests_on_something_that_is_deleted_falls():
    def program(actions):
        EventAfterPeriod(actions, 0.2)
        ActionDelete(actions, "table")

    model = Model3D(
        world=world(0.5, 0.3),
        table=body(Box(1.0, 1.0, 0.1), parent="world", fixed_to_parent=False, translation=(0.0, 0.0, 0.05)),
        floor=floor(),
        ball=free(Sphere(0.1), (0.0, 0.0, 0.15)),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.24, tolerance=1e-10, interval=0.01)
    assert result["ball.r_abs"][result.time < 0.2, 2] == pytest.approx(0.15, abs=1e-12)
    assert result["ball.r_abs"][-1, 2] == pytest.approx(0.15 - 0.5 * G * 0.04**2, abs=1e-9)


def test_what_is_attached_is_carried_by_what_rests():
    """A weight that is attached to a block at rest: the contact bears both from then on, and one of them after the release."""

    def program(actions):
        EventAfterPeriod(actions, 0.2)
        ActionAttach(actions, "grip", "hook")
        EventAfterPeriod(actions, 0.2)
        ActionRelease(actions, "grip")

    stool = body(Sphere(0.2), parent="world", fixed_to_parent=False, translation=(0.5, 0.0, 0.1), mass=2.0)
    model = Model3D(
        world=world(0.5, 0.3),
        floor=floor(),
        block=free(Box(0.4, 0.4, 0.2), (0.0, 0.0, 0.1), 3.0),
        hook=Object3D(parent="block", translation=(0.2, 0.0, 0.0), lockable=True),
        stool=stool,
        grip=Object3D(parent="stool", translation=(-0.3, 0.0, 0.0), rotation=(math.pi, 0.0, 0.0), lockable=True),
        actions=ModelActions(program),
    )
    result = instantiate(model).simulate(0.6, tolerance=1e-10, interval=0.05)
    total = result["block.contact_force"] + result["stool.contact_force"]
    assert total[1:] == pytest.approx(np.tile([0.0, 0.0, 5.0 * G], (len(total) - 1, 1)), abs=1e-7)
    assert result["block.r_abs"][-1] == pytest.approx([0.0, 0.0, 0.1], abs=1e-10)
    assert result["stool.r_abs"][-1] == pytest.approx([0.5, 0.0, 0.1], abs=1e-10)


@pytest.fixture(scope="module")
def rolling():
    """A ball with backspin rolls over the edge of a table, a box is thrown beside it: translated, and the result."""
    slab = Solid(Box(2.0, 2.0, 1.0), contact_material="Steel", collision=True)
    sim = instantiate(
        Model3D(
            world=world(0.4, 0.2),
            table=Object3D(parent="world", translation=(0.0, 0.5, -0.5), feature=slab),
            ground=floor(translation=(0.0, 0.0, -1.0)),
            ball=free(Sphere(0.2), (0.0, 0.5, 0.1), 2.0, 0.008, velocity=(2.0, 0.0, 0.0), angular_velocity=(0.0, -10.0, 0.0)),
            box=free(
                Box(0.4, 0.3, 0.1),
                (0.0, -1.0, -0.95),
                2.0,
                0.05,
                velocity=(1.0, 0.2, 0.0),
                angular_velocity=(0.0, 0.0, 3.0),
            ),
        )
    )
    return sim, sim.simulate(1.6, tolerance=1e-8, interval=0.1)


@pytest.mark.parametrize("stop", [0.1, 0.3, 0.7, 1.4])
def test_saved_while_it_slides_rolls_and_flies_the_future_is_the_same(rolling, tmp_path, stop):
    file, (other, whole) = tmp_path / "saved", rolling
    other.simulate(stop, tolerance=1e-8, interval=0.1, save=file)
    other.restore(file)
    resumed = other.simulate(1.6)
    for name in ("ball.r_abs", "ball.w_abs", "box.r_abs", "box.contact_force"):
        assert np.array_equal(resumed[name][-1], whole[name][-1]), name
