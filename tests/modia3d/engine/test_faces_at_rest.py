"""Boxes and meshes that rest, slide and tip on each other with faces, edges and corners do as closed forms say."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import Box, ContactPair, MassProperties, Mesh, Model3D, NoGravity, Object3D, Plane, Scene, Solid, UniformGravity
from modiapy import instantiate
from tests.modia3d.engine.test_rigid_contacts import body, floor, free, impacts, run, world
from tests.modia3d.scenes import causes

pytestmark = pytest.mark.white_box

G = 9.81
CUBE = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""
"""The unit cube as an OBJ file."""


def table(size=(1.0, 0.6, 0.2), at=(0.0, 0.0, -0.1), **fields):
    """A box that does not move; its upper face is at height 0 by default."""
    solid = Solid(Box(*size), contact_material="Steel", collision=True)
    return Object3D(parent="world", translation=at, feature=solid, **fields)


def box(at, size=(0.2, 0.2, 0.1), **fields):
    """2 kg, with a moment of inertia of 0.01 kg.m2 about each axis."""
    return free(Box(*size), at, 2.0, 0.01, **fields)


def energy(result, masses):
    """Of bodies over time: mass and moment of inertia by name, about all axes."""
    total = 0.0
    for name, (m, J) in masses.items():
        r, v, w = (result[f"{name}.{what}_abs"] for what in "rvw")
        total = total + 0.5 * m * (v**2).sum(axis=1) + 0.5 * J * (w**2).sum(axis=1) + m * G * r[:, 2]
    return total


# -- rest ------------------------------------------------------------------------------------------------------------------


def test_a_stack_of_ten_boxes_rests_exactly():
    """Each bears the weight of those above in its middle; nothing moves, and nothing happens any more."""
    boxes = {f"b{k}": box((0.0, 0.0, 0.05 + 0.1 * k)) for k in range(10)}
    result = run(10.0, world=world(0.3, 0.3), floor=floor(), **boxes)
    assert len(result.segments) == 2
    assert result.statistics["steps"] < 400
    for k in range(10):
        assert np.abs(result[f"b{k}.r_abs"] - [0.0, 0.0, 0.05 + 0.1 * k]).max() < 1e-11
        assert result[f"b{k}.contact_force"][-1] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-9)
    for k in range(9):
        assert result[f"mechanics.contact[b{k},b{k + 1}].force"][-1] == pytest.approx([0.0, 0.0, 2.0 * G * (9 - k)], abs=1e-9)
        middle = [0.0, 0.0, 0.1 + 0.1 * k]
        assert result[f"mechanics.contact[b{k},b{k + 1}].point"][-1] == pytest.approx(middle, abs=1e-9)


@pytest.mark.parametrize("turned", [0.0, 0.3, math.pi / 4.0])
def test_a_box_is_borne_below_its_middle_however_it_lies(turned):
    """Where faces overlap in a polygon of four to eight corners, and beyond the edge of the lower one."""
    upper = box((0.08, 0.03, 0.05), rotation=(0.0, 0.0, turned))
    result = run(0.5, world=world(0.3, 0.3), table=table((0.25, 0.25, 0.2)), upper=upper)
    assert result["upper.contact_force"][-1] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-9)
    assert result["mechanics.contact[table,upper].point"][-1] == pytest.approx([0.08, 0.03, 0.0], abs=1e-9)
    assert result["upper.r_abs"][-1] == pytest.approx([0.08, 0.03, 0.05], abs=1e-12)
    assert len(result.segments) == 2


@pytest.mark.parametrize("angle", [0.28, 0.31])
@pytest.mark.parametrize("first", ["table", "block"])
def test_a_block_sticks_on_an_inclined_box_and_slides_down_a_steeper_one(angle, first):
    """Whichever of both is declared first."""
    down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    block = body(Box(0.4, 0.3, 0.2), parent="table", fixed_to_parent=False, translation=(0.0, 0.0, 0.2), mass=2.0)
    parts = {"table": table((2.0, 2.0, 0.2), rotation=(0.0, angle, 0.0)), "block": block}
    order = parts if first == "table" else dict(reversed(parts.items()))
    result = run(0.5, world=world(0.0, 0.3), **order)
    a = max(0.0, G * (math.sin(angle) - 0.3 * math.cos(angle))) if angle > math.atan(0.3) else 0.0
    assert result["block.v_abs"][-1] == pytest.approx(0.5 * a * down, abs=1e-8)
    assert result["block.r_abs"][-1] - result["block.r_abs"][0] == pytest.approx(0.125 * a * down, abs=1e-8)
    friction = 2.0 * G * math.sin(angle) if a == 0.0 else 0.6 * G * math.cos(angle)
    assert result["block.contact_force"][-1] @ down == pytest.approx(-friction, abs=1e-8)


@pytest.mark.parametrize(("lower_mesh", "upper_mesh"), [(True, False), (True, True)])
def test_meshes_do_as_boxes_do(tmp_path, lower_mesh, upper_mesh):
    """One slides and turns over the edge of the other one, and tips."""
    file = tmp_path / "cube.obj"
    file.write_text(CUBE)

    def end(lower_mesh, upper_mesh):
        def made(is_mesh, size, at):
            """Shape, and where its frame is: a mesh has that in a corner."""
            corner = np.array(at) - 0.5 * np.array(size)
            return (Mesh(str(file), scale=size), corner.tolist()) if is_mesh else (Box(*size), at)

        (low, low_at), (up, up_at) = (
            made(lower_mesh, (1.0, 0.6, 0.2), (0.0, 0.0, -0.1)),
            made(upper_mesh, (0.2, 0.2, 0.1), (0.0,) * 3),
        )
        parts = {
            "table": Object3D(parent="world", translation=low_at, feature=Solid(low, contact_material="Steel", collision=True)),
            "b": Object3D(
                parent="world", fixed_to_parent=False, translation=(0.35, 0.0, 0.05), velocity=(1.0, 0.2, 0.0),
                angular_velocity=(0.0, 0.0, 2.0),
            ),
            "mass": Object3D(parent="b", feature=Solid(mass_properties=MassProperties(2.0, (0.0,) * 3, 0.01, 0.01, 0.01))),
            "shape": Object3D(parent="b", translation=up_at, feature=Solid(up, contact_material="Steel", collision=True)),
        }  # fmt: skip
        result = run(0.25, world=world(0.0, 0.1), **parts)
        return np.concatenate([result["b.r_abs"][-1], result["b.w_abs"][-1], result["b.v_abs"][-1]])

    expected = end(False, False)
    assert expected[4] > 0.5
    assert end(lower_mesh, upper_mesh) == pytest.approx(expected, abs=1e-6)


# -- sliding and tipping ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lower", "start", "velocity"),
    [
        ({}, (-0.3, 0.0), (1.0, 0.3)),
        ({}, (-0.45, 0.28), (1.0, 0.0)),  # beyond two edges of the table at first
        ({"size": (0.25, 0.25, 0.2), "rotation": (0.0, 0.0, 0.3)}, (-0.1, 0.0), (0.5, 0.2)),  # crossing its edges
    ],
    ids=["on it", "beyond its edges", "turned"],
)
def test_a_box_that_slides_on_a_box_stops_where_theory_says(lower, start, velocity):
    speed, at = math.hypot(*velocity), np.array([*start, 0.05])
    result = run(0.6, world=world(0.0, 0.3), table=table(**lower), b=box(at.tolist(), velocity=(*velocity, 0.0)))
    way = speed / (2.0 * 0.3 * G) * np.array([*velocity, 0.0])
    assert result["b.r_abs"][-1] == pytest.approx(at + way, abs=1e-8)
    assert [record.start for record in result.segments if "rest on" in record.cause] == pytest.approx(
        [speed / (0.3 * G)], abs=1e-5
    )
    slides = (result.time > 0.0) & (result.time < 0.9 * speed / (0.3 * G))
    assert result["b.contact_force"][slides] == pytest.approx(
        np.tile([-0.6 * G * velocity[0] / speed, -0.6 * G * velocity[1] / speed, 2.0 * G], (slides.sum(), 1)), abs=1e-7
    )
    assert np.abs(result["b.w_abs"]).max() < 1e-9
    assert len(result.segments) < 6


def test_a_box_on_a_box_that_is_free_takes_it_along():
    """Momentum is shared; they stop relative to each other after a way of ``v^2/(2 mu g (1 + m/M))``."""
    pairs = {"Steel, Steel": ContactPair(0.0, 0.3), "Steel, Water": ContactPair(0.0, 0.0)}
    scene = Object3D(feature=Scene(gravity=UniformGravity(G, "-z"), contact_response="rigid", contact_pairs=pairs))
    ice = Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Water", collision=True))
    low, up = free(Box(0.6, 0.4, 0.1), (0.0, 0.0, 0.05), 4.0, 0.05), box((-0.1, 0.0, 0.15), velocity=(0.8, 0.0, 0.0))
    result = run(0.6, world=scene, ice=ice, low=low, up=up)
    common = 2.0 * 0.8 / 6.0
    for name in ("low", "up"):
        assert result[f"{name}.v_abs"][-1] == pytest.approx([common, 0.0, 0.0], abs=1e-9)
    way = 0.8**2 / (2.0 * 0.3 * G * 1.5)
    assert result["up.r_abs"][-1] - result["low.r_abs"][-1] == pytest.approx([way - 0.1, 0.0, 0.1], abs=1e-8)
    assert 2.0 * result["up.v_abs"] + 4.0 * result["low.v_abs"] == pytest.approx(
        np.tile([1.6, 0.0, 0.0], (len(result.time), 1)), abs=1e-9
    )
    assert np.diff(energy(result, {"low": (4.0, 0.05), "up": (2.0, 0.01)})).max() < 1e-9


def test_a_box_that_is_pushed_over_an_edge_tips_when_its_middle_has_passed_it():
    """Without friction it goes on at its speed until then; then it turns, and its energy stays what it is."""
    result = run(0.29, world=world(0.0, 0.0), table=table(), b=box((0.3, 0.0, 0.05), velocity=(1.0, 0.0, 0.0)))
    (tips,) = [record for record in result.segments if "touch at 2 points" in record.cause]
    assert tips.start == pytest.approx(0.2, abs=1e-6)
    before = result.time < tips.start
    assert np.abs(result["b.w_abs"][before]).max() < 1e-12
    assert result["b.v_abs"][-1, 2] < -0.3
    assert result["b.w_abs"][-1, 1] > 2.0
    total = energy(result, {"b": (2.0, 0.01)})
    assert total == pytest.approx(np.full(len(total), total[0]), abs=1e-7)
    assert len(result.segments) < 6


@pytest.mark.parametrize("beyond", [-0.01, 0.01, 0.04])
@pytest.mark.parametrize("turned", [0.0, 0.3])
def test_a_box_tips_about_the_edge_of_the_box_below(beyond, turned):
    """If its middle is beyond that: it begins to turn as its weight about the edge makes it."""
    b = box((0.5 + beyond, 0.0, 0.05), rotation=(0.0, 0.0, turned))
    result = run(0.02, world=world(0.0, 2.0), table=table(), b=b)
    alpha = 2.0 * G * beyond / (0.01 + 2.0 * (beyond**2 + 0.05**2)) if beyond > 0.0 else 0.0
    assert result["b.z_abs"][1] == pytest.approx([0.0, alpha, 0.0], rel=1e-5, abs=1e-9)
    if beyond > 0.0:
        assert result["b.contact_force"][-1, 2] < 2.0 * G
        assert "touch" not in " ".join(causes(result))


@pytest.mark.parametrize("order", [("table", "b"), ("b", "table")])
def test_a_box_that_tips_slips_when_friction_along_its_face_does_not_suffice(order):
    """The normal of the edge on which it turns is that of the box's face, which turns with it."""
    parts = {"table": table(), "b": box((0.52, 0.0, 0.05))}
    ahead = Object3D(parent="b", translation=(1.0, 0.0, 0.0))
    result = run(0.3, world=world(0.0, 0.4), ahead=ahead, **{name: parts[name] for name in order})
    number = next(k for k, cause in enumerate(causes(result)) if "begin to slip" in cause)
    sticks = result.segment(number)
    along = sticks["ahead.r_abs"][-1] - sticks["b.r_abs"][-1]
    force = sticks["b.contact_force"][-1]
    assert along[2] < -0.05
    assert abs(force @ along) == pytest.approx(0.4 * (force @ [-along[2], 0.0, along[0]]), rel=1e-5)


def test_a_box_tips_about_its_own_edge_on_a_steep_box_or_slides_down():
    """Half as wide as high, at a slope of 0.55: with much friction it turns, with little it slides without turning."""
    angle = math.atan(0.55)
    for friction in (0.2, 2.0):
        upper = body(
            Box(0.1, 0.3, 0.2), parent="table", fixed_to_parent=False, translation=(0.0, 0.0, 0.2), mass=3.0, inertia=0.02
        )
        result = run(0.05, world=world(0.0, friction), table=table(rotation=(0.0, angle, 0.0)), upper=upper)
        c, s = math.cos(angle), math.sin(angle)
        alpha = 3.0 * G * (0.1 * s - 0.05 * c) / (0.02 + 3.0 * (0.1**2 + 0.05**2)) if friction > 1.0 else 0.0
        assert result["upper.z_abs"][1, 1] == pytest.approx(alpha, rel=1e-5, abs=1e-9)
        a = G * (s - friction * c) if friction < 1.0 else 0.0
        if a:
            assert result["upper.a_abs"][1] == pytest.approx([a * c, 0.0, -a * s], abs=1e-8)


# -- impacts ---------------------------------------------------------------------------------------------------------------


def settled(result, lower, upper):
    """Whether two boxes have come to rest on the floor, the one on the other, without gaining energy."""
    total = energy(result, {"low": (4.0, 0.05), "up": (2.0, 0.01)})
    assert np.diff(total).max() < 1e-5
    for name in ("low", "up"):
        assert np.abs(result[f"{name}.v_abs"][-1]).max() < 1e-7
    assert result["low.contact_force"][-1] + result["up.contact_force"][-1] == pytest.approx([0.0, 0.0, 6.0 * G], abs=1e-6)
    assert result["up.contact_force"][-1] == pytest.approx([0.0, 0.0, 2.0 * G], abs=1e-6)
    assert result["low.r_abs"][-1, 2] == pytest.approx(lower, abs=1e-6)
    assert result["up.r_abs"][-1, 2] == pytest.approx(upper, abs=1e-6)


@pytest.mark.parametrize("rotation", [(0.0, 0.0, 0.3), (0.3, 0.0, 0.0)], ids=["flat", "on an edge"])
def test_a_box_that_is_dropped_obliquely_onto_a_box_comes_to_rest(rotation):
    low, up = free(Box(0.4, 0.3, 0.1), (0.0, 0.0, 0.05), 4.0, 0.05), box((0.0, 0.0, 0.25), rotation=rotation)
    result = run(0.8, tolerance=1e-8, world=world(0.3, 0.3), floor=floor(), low=low, up=up)
    settled(result, 0.05, 0.15)
    assert len(result.segments) < 80


angles = st.floats(-0.5, 0.5)


@settings(max_examples=2, deadline=None, derandomize=True)
@given(rotation=st.tuples(angles, angles, angles), x=st.floats(-0.05, 0.05), e=st.sampled_from([0.0, 0.4]))
def test_a_box_that_is_dropped_anyhow_comes_to_rest(rotation, x, e):
    drop_anyhow(rotation, x, e)


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(rotation=st.tuples(angles, angles, angles), x=st.floats(-0.05, 0.05), e=st.sampled_from([0.0, 0.4]))
def test_boxes_that_are_dropped_anyhow_come_to_rest(rotation, x, e):
    drop_anyhow(rotation, x, e)


def drop_anyhow(rotation, x, e):
    low, up = free(Box(0.6, 0.5, 0.1), (0.0, 0.0, 0.05), 4.0, 0.05), box((x, 0.0, 0.25), rotation=rotation)
    result = run(1.5, tolerance=1e-7, world=world(e, 0.4), floor=floor(), low=low, up=up)
    settled(result, 0.05, 0.15)
    assert len(result.segments) < 1000


def test_what_strikes_while_it_rests_on_two_points_is_settled_at_once():
    """Plastic, with much friction: what one corner lets part slowly is taken away together with the others, not in turns."""
    up = free(
        Box(0.238, 0.165, 0.326), (-0.0753, -0.023, 0.3), 2.0, 0.01, rotation=(0.03546487, 1.35139109, -1.06752116),
        velocity=(-0.09, 0.05, -0.47),
    )  # fmt: skip
    low = free(Box(0.4, 0.3, 0.1), (0.0, 0.0, 0.05), 4.0, 0.05)
    result = run(0.4, tolerance=1e-7, points=40, world=world(0.0, 0.6), low=low, up=up, floor=floor())
    assert len(result.segments) < 100
    assert np.diff(energy(result, {"low": (4.0, 0.05), "up": (2.0, 0.01)})).max() < 1e-5


def test_two_boxes_that_strike_each_other_keep_momentum():
    """Face on edge, without weight: linear and angular momentum are what they were, and energy is lost to friction alone."""
    one = free(Box(0.4, 0.3, 0.1), (0.0, 0.0, 0.0), 4.0, 0.05, velocity=(0.2, 0.0, 0.5), angular_velocity=(0.0, 0.4, 0.0))
    other = box((0.05, 0.02, 0.2), rotation=(0.3, 0.0, 0.5), velocity=(0.0, 0.0, -1.0))
    result = run(0.5, world=world(0.5, 0.3, NoGravity()), one=one, other=other)
    assert impacts(result)
    p = 4.0 * result["one.v_abs"] + 2.0 * result["other.v_abs"]
    L = (
        4.0 * np.cross(result["one.r_abs"], result["one.v_abs"])
        + 2.0 * np.cross(result["other.r_abs"], result["other.v_abs"])
        + 0.05 * result["one.w_abs"]
        + 0.01 * result["other.w_abs"]
    )
    assert np.abs(p - p[0]).max() < 1e-8
    assert np.abs(L - L[0]).max() < 1e-8


# -- snapshots -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tipping():
    """A box that slides over an edge and tips, translated, and its uninterrupted result."""
    sim = instantiate(
        Model3D(
            world=world(0.3, 0.1),
            table=table((0.6, 0.6, 0.4), (0.0, 0.0, 0.2)),
            ground=floor(),
            lower=box((0.15, 0.0, 0.45), (0.3, 0.3, 0.1), rotation=(0.0, 0.0, 0.2)),
            upper=box((0.2, 0.0, 0.55), velocity=(1.2, 0.1, 0.0), angular_velocity=(0.0, 0.0, 1.0)),
        )
    )
    return sim, sim.simulate(0.6, tolerance=1e-8, interval=0.05)


@pytest.mark.parametrize("stop", [0.1, 0.25, 0.45])
def test_saved_while_a_box_slides_over_an_edge_and_tips_the_future_is_the_same(tipping, tmp_path, stop):
    file, (other, whole) = tmp_path / "saved", tipping
    other.simulate(stop, tolerance=1e-8, interval=0.05, save=file)
    other.restore(file)
    resumed = other.simulate(0.6)
    assert "touch at" in " ".join(causes(whole))
    for name in ("upper.r_abs", "upper.w_abs", "lower.r_abs", "upper.contact_force"):
        assert np.array_equal(resumed[name][-1], whole[name][-1]), name
