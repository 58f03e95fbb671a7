"""Where contacts act and how much: distances, impulses, forces at rest and in cuts, as closed forms say."""

import math

import numpy as np
import pytest

from modia3d import (
    AbsoluteSensor,
    Box,
    Cone,
    ContactPair,
    CutForceAndTorque,
    MassProperties,
    NoGravity,
    Object3D,
    Scene,
    Solid,
    Sphere,
)
from tests.modia3d.engine.test_rigid_contacts import DOWN, body, floor, free, impacts, run, world

pytestmark = pytest.mark.white_box

G = 9.81


@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_rounded_cone_begins_at_its_base_however_it_is_turned(axis):
    """Rounding moves the core into the cone; the base stays where it was."""
    turned = (0.4, -0.9, 0.7)
    cone = Solid(Cone(0.4, 0.6, axis), contact_material="Steel", smoothing_radius=0.05, collision=True)
    below = [-0.08 if axis == name else 0.01 for name in "xyz"]
    result = run(
        0.01,
        points=1,
        world=world(gravity=NoGravity()),
        holder=Object3D(parent="world", translation=(0.3, 0.2, 0.1), rotation=turned),
        cone=Object3D(parent="holder", feature=cone),
        ball=body(Sphere(0.1), parent="holder", fixed_to_parent=False, translation=below),
    )
    assert result["mechanics.contact[cone,ball].distance"] == pytest.approx([0.03, 0.03], abs=1e-9)


def test_without_contact_detection_everything_passes_through_everything():
    scene = Object3D(feature=Scene(gravity=DOWN, contact_response="rigid", enable_contact_detection=False))
    result = run(0.2, points=2, world=scene, floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.06)))
    assert result["ball.r_abs"][-1, 2] == pytest.approx(0.06 - 0.5 * G * 0.2**2, abs=1e-9)
    assert "ball.contact_force" not in set(result)


def test_the_impulse_of_a_face_is_the_change_of_momentum():
    """Four corners strike at once; together they turn the momentum round."""
    box = free(Box(0.4, 0.3, 0.2), (0.0, 0.0, 0.2), 10.0, (0.1, 0.2, 0.3))
    result = run(0.2, points=2, world=world(0.5), floor=floor(), box=box)
    ((_, row),) = impacts(result)
    expected = 10.0 * 1.5 * math.sqrt(2.0 * G * 0.1)
    assert row["impulse"] == pytest.approx([0.0, 0.0, expected], rel=1e-8, abs=1e-8)
    assert result.contacts[0]["impulse"] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("mass", [1e-3, 10.0])
def test_a_stack_at_rest_is_borne_below_its_middle_however_light_it_is(mass):
    """Each pair counts once in the contacts of the system, and twice in those of its solids."""
    names = ("floor", "lower", "upper")
    boxes = {name: free(Box(0.2, 0.2, 0.1), (0.3, -0.2, z), mass) for name, z in (("lower", 0.05), ("upper", 0.15))}
    result = run(0.1, points=2, world=world(0.0, 0.3), floor=floor(), **boxes)
    assert result["mechanics.contacts"][-1] == 2.0 == 0.5 * sum(result[f"{name}.contacts"][-1] for name in names)
    for one, other, load, z in (("floor", "lower", 2.0, 0.0), ("lower", "upper", 1.0, 0.1)):
        pair = f"mechanics.contact[{one},{other}]"
        assert result[f"{pair}.force"][-1] == pytest.approx([0.0, 0.0, load * mass * G], rel=1e-6, abs=1e-6 * mass)
        assert result[f"{pair}.point"][-1] == pytest.approx([0.3, -0.2, z], abs=1e-6)


def test_what_rests_keeps_its_force_while_others_bounce_beside_it():
    """Elastic contacts come and go within a segment; what rows hold in it is held to its end."""
    pairs = {"Steel, Steel": ContactPair(0.5, 0.3, response="rigid"), "Steel, Aluminium": ContactPair(0.5, 0.0)}
    ball = Solid(Sphere(0.1), "Aluminium", collision=True)
    result = run(
        0.2,
        tolerance=1e-8,
        world=Object3D(feature=Scene(gravity=DOWN, contact_pairs=pairs)),
        floor=floor(),
        box=free(Box(0.2, 0.2, 0.2), (0.0, 0.0, 0.1), 3.0),
        ball=Object3D(parent="world", fixed_to_parent=False, translation=(1.0, 0.0, 0.1), feature=ball),
    )
    assert result["ball.v_abs"][:, 2].max() > 0.1
    assert result["ball.contacts"].max() == 1.0
    assert result["ball.contacts"][result.time > result.segments[-1].start].max() == 1.0
    weight = np.tile([0.0, 0.0, 3.0 * G], (len(result.time) - 1, 1))
    assert result["box.contact_force"][1:] == pytest.approx(weight, abs=1e-7)


@pytest.mark.parametrize("shape", [Box(0.2, 0.2, 0.2), Sphere(0.2)])
@pytest.mark.parametrize("table_first", [False, True])
def test_what_rests_is_carried_whichever_solid_is_declared_first(shape, table_first):
    parts = {
        "table": body(Box(2.0, 2.0, 0.2), parent="world", translation=(0.0, 0.0, -0.1)),
        "load": free(shape, (0.0, 0.0, 0.1), 3.0),
    }
    names = sorted(parts, reverse=table_first)
    result = run(0.1, points=2, world=world(0.5, 0.3), **{name: parts[name] for name in names})
    assert result["load.contact_force"][-1] == pytest.approx([0.0, 0.0, 3.0 * G], abs=1e-7)
    assert result["table.contact_force"][-1] == pytest.approx([0.0, 0.0, -3.0 * G], abs=1e-7)
    for pair, sign in (("table,load", 1.0), ("load,table", -1.0)):
        force = result[f"mechanics.contact[{pair}].force"][-1]
        assert force == pytest.approx([0.0, 0.0, sign * 3.0 * G], abs=1e-7), pair


def test_a_foot_at_rest_feels_the_load_where_it_stands():
    """Its center of mass is beside the middle of the foot: its weight goes through the cut, and the moment of that."""
    foot = Solid(Box(0.6, 0.6, 0.1), contact_material="Steel", collision=True)
    result = run(
        0.1,
        points=2,
        world=world(0.5, 0.3),
        floor=floor(),
        load=free(Sphere(0.1), (0.3, -0.2, 0.5), 4.0),
        foot=Object3D(parent="load", translation=(-0.1, 0.05, -0.45), feature=foot),
    )
    weight = 4.0 * G
    assert result["load.r_abs"][-1] == pytest.approx([0.3, -0.2, 0.5], abs=1e-9)
    assert result["foot.cut_force"][1:] == pytest.approx(np.tile([0.0, 0.0, -weight], (len(result.time) - 1, 1)), abs=1e-7)
    moment = [0.05 * weight, 0.1 * weight, 0.0]
    assert result["foot.cut_torque"][1:] == pytest.approx(np.tile(moment, (len(result.time) - 1, 1)), abs=1e-7)


@pytest.mark.parametrize("order", [("floor", "load", "foot"), ("load", "foot", "floor")])
@pytest.mark.parametrize("angle", [0.1, 0.5], ids=["rests", "slides"])
def test_sensors_know_what_rows_hold(angle, order):
    """Accelerations, and what goes through cuts, of a body that slides down a slope on a foot, or sticks there."""
    foot = Solid(Box(1.2, 1.2, 0.1), contact_material="Steel", collision=True)
    down, up = np.array([math.cos(angle), 0.0, -math.sin(angle)]), np.array([math.sin(angle), 0.0, math.cos(angle)])
    parts = {
        "floor": floor(rotation=(0.0, angle, 0.0)),
        "load": body(Sphere(0.1), 3.0, parent="slope", fixed_to_parent=False, translation=(0.0, 0.1, 0.5)),
        "foot": Object3D(parent="load", translation=(0.0, 0.0, -0.45), feature=foot),
    }
    ear = Solid(mass_properties=MassProperties(1.0, (0.0,) * 3, 0.01, 0.01, 0.01))
    result = run(
        0.1,
        points=2,
        world=world(0.5, 0.3),
        slope=Object3D(parent="world", rotation=(0.0, angle, 0.0)),
        **{name: parts[name] for name in order},
        ear=Object3D(parent="load", translation=(0.0, -0.4, 0.0), feature=ear),
        moves=AbsoluteSensor("load", quantities=("v", "a", "z")),
        of_ear=CutForceAndTorque("ear", resolved_in="world"),
        of_foot=CutForceAndTorque("foot", resolved_in="world"),
    )

    def measured(name):
        return np.stack([result[f"{name}.{axis}"] for axis in "xyz"], axis=-1)[1:]

    rows = len(result.time) - 1
    a = max(0.0, G * (math.sin(angle) - 0.3 * math.cos(angle))) * down
    assert measured("moves.a") == pytest.approx(np.tile(a, (rows, 1)), abs=1e-8)
    assert measured("moves.z") == pytest.approx(np.zeros((rows, 3)), abs=1e-8)
    assert measured("moves.v")[-1] == pytest.approx(0.1 * a, abs=1e-8)
    needed = a + [0.0, 0.0, G]
    assert measured("of_ear.force") == pytest.approx(np.tile(needed, (rows, 1)), abs=1e-7)
    assert measured("of_ear.torque") == pytest.approx(np.zeros((rows, 3)), abs=1e-7)
    assert measured("of_foot.force") == pytest.approx(np.tile(-4.0 * needed, (rows, 1)), abs=1e-7)
    own = np.stack([down, [0.0, 1.0, 0.0], up])  # axes of the foot: of results they are the frame
    assert result["foot.cut_force"][1:] == pytest.approx(np.tile(own @ (-4.0 * needed), (rows, 1)), abs=1e-7)
    center = 0.45 * up - [0.0, 0.1, 0.0]  # of mass, from the foot
    assert measured("of_foot.torque") == pytest.approx(np.tile(np.cross(center, -4.0 * needed), (rows, 1)), abs=1e-7)
