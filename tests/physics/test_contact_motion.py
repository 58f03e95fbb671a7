"""Bodies in contact against closed forms: what slides stops where friction says, what rolls rolls, what tips tips."""

import functools

import numpy as np
import pytest

from modia3d import (
    Beam,
    Box,
    Capsule,
    Cone,
    ContactPair,
    Cylinder,
    Ellipsoid,
    MassProperties,
    MassPropertiesFromShapeAndMass,
    NoGravity,
    Object3D,
    Plane,
    Prismatic,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import Var
from tests.modia3d import scenes
from tests.modia3d.scenes import energy

pytestmark = pytest.mark.white_box

G = 9.81


def pair(friction=0.5, restitution=0.0, **more):
    return {"Steel, Steel": ContactPair(restitution, friction, **more)}


def ground(pairs, slope=0.0, **scene):
    """The world and a plane z = 0; gravity leans by an angle towards x, as on an inclined plane that falls to x."""
    direction = (np.sin(slope), 0.0, -np.cos(slope))
    return {
        "world": Object3D(feature=Scene(gravity=UniformGravity(G, direction), contact_pairs=pairs, **scene)),
        "floor": Object3D(parent="world", feature=Solid(Plane(), contact_material="Steel", collision=True)),
    }


def free(shape, mass=1.0, **fields):
    """A body of steel of this mass that may move freely."""
    solid = Solid(shape, "Steel", MassPropertiesFromShapeAndMass(mass), collision=True)
    return Object3D(parent="world", fixed_to_parent=False, feature=solid, **fields)


run = functools.partial(scenes.run, tolerance=1e-7, points=200)


def assert_energy_falls(result, tolerance=1e-6):
    values = energy(result)
    assert np.diff(values).max() < tolerance * max(1.0, np.abs(values).max())


@pytest.mark.parametrize(("speed", "friction"), [(2.0, 0.3), (1.0, 0.6)])
def test_a_block_slides_until_friction_stops_it_and_stays_there(speed, friction):
    block = free(Box(0.2, 0.1, 0.05), translation=(0, 0, 0.025), velocity=(speed, 0, 0))
    result = run(2.0, **ground(pair(friction)), block=block)
    x = result["block.r_abs"][:, 0]
    assert x[-1] == pytest.approx(speed**2 / (2.0 * friction * G), rel=1e-2)
    at_rest = result.time > 1.2 * speed / (friction * G)
    assert np.ptp(x[at_rest]) < 1e-6
    assert_energy_falls(result)


@pytest.mark.parametrize(("slope", "friction"), [(0.3, 0.1), (0.6, 0.4)])
def test_a_block_slides_down_a_slope(slope, friction):
    result = run(1.0, **ground(pair(friction), slope), block=free(Box(0.2, 0.2, 0.05), translation=(0, 0, 0.025)))
    a = G * (np.sin(slope) - friction * np.cos(slope))
    assert result["block.v_abs"][-1, 0] == pytest.approx(a * 1.0, rel=1e-2)
    assert np.abs(result["block.v_abs"][-1, 1:]).max() < 1e-3


def test_a_block_rests_on_a_slope_that_is_not_steep_enough():
    result = run(10.0, **ground(pair(0.5), 0.3), block=free(Box(0.2, 0.2, 0.05), translation=(0, 0, 0.025)))
    assert np.abs(result["block.r_abs"][:, :2] - result["block.r_abs"][0, :2]).max() < 1e-4
    late = result.time > 1.0
    assert np.ptp(result["block.r_abs"][late], axis=0).max() < 1e-6
    assert len(result.contacts) <= 3


@pytest.mark.parametrize(("tangent", "tips"), [(0.25, False), (0.4, True)])
def test_a_tall_box_tips_where_the_slope_is_steeper_than_it_is_slim(tangent, tips):
    tower = free(Box(0.1, 0.1, 0.3), translation=(0, 0, 0.15))
    result = run(1.0, **ground(pair(0.9), np.arctan(tangent)), tower=tower)
    leaning = np.arccos(np.clip(result["tower.R_abs"][:, 2, 2], -1.0, 1.0))
    assert leaning.max() > 1.0 if tips else leaning.max() < 1e-3


@pytest.mark.parametrize(("slope", "friction"), [(0.3, 0.5), (0.5, 0.05)])
def test_a_ball_rolls_or_slips_down_a_slope(slope, friction):
    radius = 0.05
    result = run(1.0, **ground(pair(friction), slope), ball=free(Sphere(2 * radius), translation=(0, 0, radius)))
    rolls = friction > 2.0 / 7.0 * np.tan(slope)
    a = 5.0 / 7.0 * G * np.sin(slope) if rolls else G * (np.sin(slope) - friction * np.cos(slope))
    alpha = a / radius if rolls else 2.5 * friction * G * np.cos(slope) / radius
    assert result["ball.v_abs"][-1, 0] == pytest.approx(a, rel=1e-2)
    assert result["ball.w_abs"][-1, 1] == pytest.approx(alpha, rel=1e-2)


def test_a_ball_with_backspin_returns():
    """Friction takes the spin before the speed: at the end it rolls back with ``(5 v - 2 R w)/7``."""
    radius, speed, spin = 0.05, 2.0, 150.0
    ball = free(Sphere(2 * radius), translation=(0, 0, radius), velocity=(speed, 0, 0), angular_velocity=(0, -spin, 0))
    result = run(3.0, **ground(pair(0.3)), ball=ball)
    v, w = result["ball.v_abs"][-1, 0], result["ball.w_abs"][-1, 1]
    assert v == pytest.approx((5.0 * speed - 2.0 * radius * spin) / 7.0, rel=1e-2)
    assert w * radius == pytest.approx(v, rel=1e-2)
    assert result["ball.r_abs"][:, 0].max() > 0.3
    assert_energy_falls(result)


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_two_balls_that_meet_part_with_the_speeds_of_the_law_of_restitution(restitution):
    masses, speeds = (2.0, 0.5), (1.5, -0.5)
    world = Object3D(feature=Scene(gravity=NoGravity(), contact_pairs=pair(0.0, restitution)))
    balls = {
        name: free(Sphere(0.1), mass, translation=(x, 0, 0), velocity=(v, 0, 0))
        for name, mass, x, v in zip("ab", masses, (-0.2, 0.2), speeds, strict=True)
    }
    result = run(0.5, world=world, **balls)
    common = sum(m * v for m, v in zip(masses, speeds, strict=True)) / sum(masses)
    parting = restitution * (speeds[0] - speeds[1])
    found = [result[f"{name}.v_abs"][-1, 0] for name in "ab"]
    assert found[1] - found[0] == pytest.approx(parting, abs=2e-2 * (speeds[0] - speeds[1]))
    assert sum(m * v for m, v in zip(masses, found, strict=True)) == pytest.approx(common * sum(masses), rel=1e-8)


def test_momentum_of_bodies_that_hit_and_rub_each_other_is_kept():
    world = Object3D(feature=Scene(gravity=NoGravity(), contact_pairs=pair(0.6, 0.5)))
    brick = free(Box(0.3, 0.2, 0.1), 2.0, translation=(0.3, 0.02, 0.03), velocity=(-1, 0, 0), angular_velocity=(1, 2, 3))
    ball = free(Sphere(0.2), 1.0, translation=(-0.3, 0, 0), velocity=(1, 0.1, 0), angular_velocity=(0, 0, 20))
    pill = free(Capsule(0.1, 0.3, "x"), 1.5, translation=(0, 0.5, 0.02), velocity=(0, -1.2, 0))
    result = run(1.0, tolerance=1e-9, world=world, brick=brick, ball=ball, pill=pill)
    assert len(result.contacts) >= 2
    for name in ("momentum", "angular_momentum"):
        values = result[f"mechanics.{name}"]
        assert np.abs(values - values[0]).max() < 1e-8
    assert_energy_falls(result)
    assert energy(result)[-1] < 0.95 * energy(result)[0]


def test_the_rattleback_reverses():
    """Its axes of inertia are turned by 5 degrees against those of its shape; spun the wrong way, it rattles and turns back."""
    turn = np.radians(-5.0)
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    matrix = R @ np.diag([5.864306e-7, 7.623598e-6, 7.623598e-6]) @ R.T
    properties = MassProperties(0.01466, (0, 0, 0), matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1])
    solid = Solid(Ellipsoid(0.1, 0.02, 0.02), "DryWood", properties, collision=True)
    stone = Object3D(
        parent="world", fixed_to_parent=False, translation=(0, 0, 0.01), angular_velocity=(0, 0.1, 5), feature=solid
    )
    entries = ground({"DryWood, DryWood": ContactPair(0.0, 0.6, 0.6)})
    entries["floor"] = Object3D(parent="world", feature=Solid(Plane(), contact_material="DryWood", collision=True))
    result = run(6.0, **entries, stone=stone)
    spin = result["stone.w_abs"][:, 2]
    assert spin[0] == 5.0
    assert spin.min() < -0.5
    assert_energy_falls(result)


SHAPES = {
    "cone": lambda axis: Cone(0.4, 1.0, axis),
    "frustum": lambda axis: Cone(0.4, 1.0, axis, 0.3),
    "capsule": lambda axis: Capsule(0.4, 1.0, axis),
    "cylinder": lambda axis: Cylinder(0.4, 1.0, axis),
    "beam": lambda axis: Beam(1.0, 0.4, 0.2, axis),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_body_along_each_axis_bounces_the_same_and_gains_no_energy(name):
    """Three bodies of one shape along x, y, z, leaning in the same way: what falls does not know how its frame lies."""
    cyclic = {"z": np.eye(3), "x": np.roll(np.eye(3), 1, axis=0), "y": np.roll(np.eye(3), 2, axis=0)}
    lean = np.array([[1, 0, 0], [0, 0.5, 0.75**0.5], [0, -(0.75**0.5), 0.5]])
    bodies = {
        f"along_{axis}": free(
            SHAPES[name](axis), 10.0, translation=(2.0 * k, 0, 1.0), rotation=(lean @ turn.T).tolist(), velocity=(0.3, 0.2, 0)
        )
        for k, (axis, turn) in enumerate(cyclic.items())
    }
    result = run(0.9, **ground(pair(0.3, 0.5)), **bodies)
    assert_energy_falls(result)
    assert len(result.contacts) >= 3
    first = result["along_z.r_abs"]
    for k, axis in enumerate("xy", 1):
        offset = result[f"along_{axis}.r_abs"] - first
        np.testing.assert_allclose(offset, np.broadcast_to([2.0 * k, 0, 0], offset.shape), atol=1e-4)


@pytest.mark.parametrize("response", ["elastic", "rigid"])
@pytest.mark.parametrize("part", [0.5, 0.9, 1.1, 2.0])
def test_two_fingers_hold_a_box_by_its_faces_from_the_friction_on_that_bears_it(response, part):
    """One finger is fixed, the other one slides towards it: gravity leans towards the fixed one, presses it with the weight of
    box and finger, the box with that of the finger, and pulls the box down along both faces."""
    slope, finger, mass = 0.6, 2.0, 0.5
    least = mass * np.cos(slope) / ((2.0 * finger + mass) * np.sin(slope))
    solid = Solid(Box(0.02, 0.06, 0.06), "Steel", MassPropertiesFromShapeAndMass(finger), collision=True)
    soft = {} if response == "rigid" else {"elastic_contact_reduction_factor": 1e-3, "maximum_contact_damping": 100.0}
    pairs, gravity = pair(part * least), UniformGravity(G, (-np.sin(slope), 0.0, -np.cos(slope)))
    result = run(
        0.3 if part > 1.0 else 0.1,
        world=Object3D(feature=Scene(gravity=gravity, contact_pairs=pairs, contact_response=response, **soft)),
        left=Object3D(parent="world", translation=(-0.05, 0, 0), feature=solid),
        right=Object3D(feature=solid),
        slide=Prismatic("world", "right", axis="x", s=Var(init=0.05), v=Var(init=0.0)),
        box=free(Box(0.08, 0.04, 0.04), mass),
    )
    z, speed, late = result["box.r_abs"][:, 2], result["box.v_abs"][:, 2], result.time > 0.5 * result.time[-1]
    if part > 1.0:
        assert np.abs(z).max() < (1e-9 if response == "rigid" else 5e-4)  # soft faces press together first
        assert np.ptp(z[late]) < 1e-8
    else:
        fall = np.polyfit(result.time[late], speed[late], 1)[0]
        assert fall == pytest.approx(-G * np.cos(slope) * (1.0 - part), rel=1e-6 if response == "rigid" else 1e-2)
