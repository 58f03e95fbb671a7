"""Solids whose contact is rigid: they bounce, rub, hand impulses on and come to rest, alone and in mechanisms."""

import functools
import math

import numpy as np
import pytest

from modia3d import (
    Box,
    Capsule,
    ContactPair,
    GravityPool,
    MassProperties,
    NoGravity,
    Object3D,
    Plane,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import Map, ModelError, SimulationError, Var
from modiapy.library import translational
from tests.modia3d import scenes
from tests.modia3d.constraints.contact_reference import routh

pytestmark = pytest.mark.white_box

DOWN = UniformGravity(9.81, "-z")


def world(restitution=0.8, friction=0.0, gravity=DOWN, response="rigid", **fields):
    pairs = {"Steel, Steel": ContactPair(restitution, friction, **fields)}
    return Object3D(feature=Scene(gravity=gravity, contact_response=response, contact_pairs=pairs))


def floor(**fields):
    solid = Solid(Plane("z"), contact_material="Steel", collision=True)
    return Object3D(**{"parent": "world", **fields}, feature=solid)


def body(shape, mass=1.0, inertia=0.1, **fields):
    """A solid of steel that collides; its moments of inertia are equal, or three."""
    properties = MassProperties(mass, (0.0, 0.0, 0.0), *((inertia,) * 3 if np.isscalar(inertia) else inertia))
    solid = Solid(shape, mass_properties=properties, contact_material="Steel", collision=True)
    return Object3D(feature=solid, **fields)


def free(shape, at, mass=1.0, inertia=0.1, **fields):
    return body(shape, mass, inertia, parent="world", fixed_to_parent=False, translation=at, **fields)


run = functools.partial(scenes.run, points=200)


def impacts(result):
    """What the records of segments say of impacts, in their order."""
    return [(record, row) for record in result.segments for row in record.info.get("impacts", ())]


def sums(result, masses, g=0.0):
    """Momentum, angular momentum about the origin (n, 3) and energy (n,) of bodies; masses and moments of inertia by name."""
    p, L, E = 0.0, 0.0, 0.0
    for name, (m, J) in masses.items():
        r, v, w = (result[f"{name}.{what}_abs"] for what in "rvw")
        p, L = p + m * v, L + np.cross(r, m * v) + J * w
        E = E + 0.5 * m * (v**2).sum(axis=1) + 0.5 * J * (w**2).sum(axis=1) + m * g * r[:, 2]
    return p, L, E


# -- bouncing and rest -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_a_ball_reaches_the_square_of_restitution_of_its_height_each_time(e):
    result = run(3.5, world=world(e), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 1.05)))
    speeds = [row["approach"] for _, row in impacts(result)]
    times = [record.start for record, _ in impacts(result)]
    assert len(speeds) >= 3
    assert speeds[0] == pytest.approx(math.sqrt(2.0 * 9.81 * 1.0), rel=1e-9)
    heights = np.array(speeds) ** 2 / (2.0 * 9.81)
    assert heights == pytest.approx(e ** (2.0 * np.arange(len(heights))), rel=1e-7, abs=1e-9)
    assert np.diff(times) == pytest.approx(2.0 * e * np.array(speeds[:-1]) / 9.81, rel=1e-7, abs=2e-8)


def test_a_ball_that_bounces_comes_to_rest():
    """Impacts end where it is slow, with one that is plastic."""
    result = run(4.0, tolerance=1e-8, world=world(0.6), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.3)))
    count = math.log(math.sqrt(2.0 * 9.81 * 0.25) / 0.01) / -math.log(0.6)
    assert len(impacts(result)) == math.ceil(count) + 1
    assert result["ball.r_abs"][-1] == pytest.approx([0.0, 0.0, 0.05], abs=2e-6)
    assert np.abs(result["ball.v_abs"][-1]).max() < 1e-9
    assert len(result.segments) < 20


def test_a_plastic_impact_ends_at_once():
    result = run(1.0, world=world(0.0), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.3)))
    assert [row["approach"] for _, row in impacts(result)] == pytest.approx([math.sqrt(2.0 * 9.81 * 0.25)], rel=1e-9)
    assert result["ball.r_abs"][-1, 2] == pytest.approx(0.05, abs=2e-6)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_box_that_falls_flat_bounces_flat(friction):
    """All four corners strike at once, and nothing turns."""
    box = free(Box(0.4, 0.3, 0.2), (0.0, 0.0, 1.1), 10.0, (0.1, 0.2, 0.3))
    result = run(1.2, world=world(0.5, friction), floor=floor(), box=box)
    speeds = [row["approach"] for _, row in impacts(result)]
    assert len(speeds) >= 2
    assert speeds == pytest.approx(speeds[0] * 0.5 ** np.arange(len(speeds)), rel=1e-7)
    assert np.abs(result["box.w_abs"]).max() < 1e-9


@pytest.mark.parametrize("spin", [(0.0, 2.0, 0.0), (0.0, -2.0, 0.0), (1.5, 0.0, 0.0), (-1.5, 0.7, 0.0)])
def test_the_approach_of_an_impact_is_that_of_the_fastest_point(spin):
    box = free(Box(0.4, 0.3, 0.2), (0.0, 0.0, 0.1), 10.0, (0.1, 0.2, 0.3), velocity=(0.2, 0.1, -1.0), angular_velocity=spin)
    result = run(0.01, world=world(0.5, 0.3), floor=floor(), box=box)
    record, row = impacts(result)[0]
    assert record.start == 0.0
    fastest = 1.0 + 0.2 * abs(spin[1]) + 0.15 * abs(spin[0])
    assert row["approach"] == pytest.approx(fastest, rel=1e-9)
    assert f"strike each other at {fastest:.6g} m/s" in record.cause


def test_a_box_that_topples_onto_a_face_strikes_it():
    """It stands on an edge, which touches already, when the face comes down; then it rocks to rest."""
    box = free(Box(0.3, 0.2, 0.1), (0.0, 0.0, 0.25), 10.0, (0.05, 0.1, 0.12), rotation=(0.0, 0.9, 0.0))
    result = run(2.0, tolerance=1e-7, world=world(0.6, 0.3), floor=floor(), box=box)
    strikes = impacts(result)
    assert len(strikes) > 5
    assert result["box.r_abs"][-1, 2] == pytest.approx(0.05, abs=1e-5)
    assert np.abs(result["box.v_abs"][-1]).max() < 1e-6
    total = sums(result, {"box": (10.0, 0.1)}, 9.81)[2]
    assert (np.diff(total) < 1e-5 * total[0]).all()


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_boxes_that_fall_upon_each_other_come_to_rest_as_a_stack(friction):
    """Impacts run through the stack; what parts by rounding only touches again, and nothing falls through."""
    boxes = {f"b{k}": free(Box(0.2, 0.2, 0.1), (0.0, 0.0, 0.06 + 0.11 * k), 2.0, 0.01) for k in range(3)}
    result = run(1.0, tolerance=1e-7, world=world(0.3, friction), floor=floor(), **boxes)
    assert len(impacts(result)) >= 5
    for k in range(3):
        assert result[f"b{k}.r_abs"][-1] == pytest.approx([0.0, 0.0, 0.05 + 0.1 * k], abs=2e-5)
        assert np.abs(result[f"b{k}.v_abs"][-1]).max() < 1e-6


def test_the_table_of_contacts_has_impacts():
    result = run(1.0, tolerance=1e-8, world=world(0.5), floor=floor(), ball=free(Sphere(0.1), (0.0, 0.0, 0.15), 2.0))
    *struck, resting = result.contacts
    assert [row["impulse"] for row in struck] == pytest.approx([row["impulse"][2] for _, row in impacts(result)])
    assert [row["begin"] for row in struck] == [record.start for record, _ in impacts(result)]
    assert resting["end"] is None
    assert resting["impulse"] == pytest.approx(2.0 * 9.81 * (1.0 - resting["begin"]), rel=1e-2)


def test_a_pair_of_materials_may_be_rigid_where_the_scene_is_elastic():
    pairs = {"Steel, Steel": ContactPair(0.5, 0.0, response="rigid"), "Steel, Aluminium": ContactPair(0.5, 0.0)}
    scene = Object3D(feature=Scene(gravity=DOWN, contact_pairs=pairs))
    other = Solid(Sphere(0.1), "Aluminium", collision=True)
    result = run(
        0.5,
        world=scene,
        floor=floor(),
        one=free(Sphere(0.1), (0.0, 0.0, 0.2)),
        two=Object3D(parent="world", fixed_to_parent=False, translation=(1.0, 0.0, 0.2), feature=other),
    )
    assert {row["pair"] for _, row in impacts(result)} == {"floor, one"}
    assert result["two.v_abs"][:, 2].max() == pytest.approx(result["one.v_abs"][:, 2].max(), rel=0.02)


def test_what_rests_elsewhere_has_no_part_in_an_impact():
    result = run(
        0.4,
        world=world(0.5, 0.3),
        floor=floor(),
        ball=free(Sphere(0.1), (0.0, 0.0, 0.3)),
        box=free(Box(0.2, 0.2, 0.2), (1.0, 0.0, 0.1)),
    )
    ((record, row),) = impacts(result)
    assert row["pair"] == "floor, ball"
    assert record.info["impulse_from_outside"] == pytest.approx(row["impulse"], rel=1e-9)


# -- friction --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [0.1, 0.6])
def test_a_ball_with_spin_strikes_a_wall_as_the_closed_form_says(friction):
    """The impulse of friction is mu (1 + e) m v_n against the slip, or 2/7 m of the slip where that ends."""
    m, r, e = 2.0, 0.1, 0.7
    J = 0.4 * m * r**2
    v, w = np.array([1.0, -0.7, -2.0]), np.array([30.0, 25.0, 4.0])
    ball = free(Sphere(2.0 * r), (0.0, 0.0, 0.2), m, J, velocity=v.tolist(), angular_velocity=w.tolist())
    result = run(0.2, world=world(e, friction, NoGravity()), floor=floor(), ball=ball)
    arm = np.array([0.0, 0.0, -r])
    slip = (v + np.cross(w, arm)) * [1.0, 1.0, 0.0]
    size = np.linalg.norm(slip)
    impulse = -slip / size * min(friction * (1.0 + e) * m * 2.0, 2.0 / 7.0 * m * size)
    impulse[2] = (1.0 + e) * m * 2.0
    assert result["ball.v_abs"][-1] == pytest.approx(v + impulse / m, abs=1e-9)
    assert result["ball.w_abs"][-1] == pytest.approx(w + np.cross(arm, impulse) / J, abs=1e-8)
    ((_, row),) = impacts(result)
    assert row["impulse"] == pytest.approx(impulse.tolist(), abs=1e-9)


@pytest.mark.parametrize("e", [0.6, 1.0])
def test_elastic_contacts_of_stiff_solids_do_the_same(e):
    """A ball with spin: slip, spin and speed after an impact that is computed, and after one that is integrated."""
    ball = free(Sphere(0.1), (0.0, 0.0, 0.1), 2.0, 0.002, velocity=(1.0, -0.7, -2.0), angular_velocity=(30.0, 25.0, 4.0))
    after = []
    for response in ("rigid", "elastic"):
        result = run(0.1, world=world(e, 0.2, NoGravity(), response), floor=floor(), ball=ball)
        after.append([*result["ball.v_abs"][-1], *(0.05 * result["ball.w_abs"][-1])])
    assert after[0] == pytest.approx(after[1], abs=2e-3)


def test_a_rod_that_strikes_obliquely_agrees_with_its_elastic_contact():
    """Its slip reverses on the way; without damping the elastic contact gives all its energy back: what e = 1 means."""
    rod = free(
        Capsule(0.1, 1.0, axis="x"), (0.0, 0.0, 0.8), 1.0, (0.002, 0.09, 0.09),
        rotation=(0.0, 1.0, 0.0), velocity=(0.6, 0.0, -2.0),
    )  # fmt: skip
    after = []
    for response in ("rigid", "elastic"):
        result = run(0.25, world=world(1.0, 0.1, NoGravity(), response), floor=floor(), rod=rod)
        after.append([result["rod.v_abs"][-1, 0], result["rod.v_abs"][-1, 2], result["rod.w_abs"][-1, 1]])
        assert result["rod.v_abs"][-1, 2] > 0.0
    assert after[0] == pytest.approx(after[1], abs=1e-2)


@pytest.mark.parametrize("friction", [1.5, 3.0])
def test_painleves_rod_is_thrown_up_as_by_its_elastic_contact(friction):
    """It slides on its lower end, and friction drives it into the floor until the slip ends: an impact without an approach."""
    rod = free(
        Capsule(0.04, 1.0, axis="x"), (0.0, 0.0, 0.5 * math.sin(1.05) + 0.02), 1.0, (0.0005, 1.0 / 12.0, 1.0 / 12.0),
        rotation=(0.0, 1.05, 0.0), velocity=(3.0, 0.0, 0.0),
    )  # fmt: skip
    after = []
    for response in ("rigid", "elastic"):
        result = run(0.02, tolerance=1e-8, world=world(0.5, friction, response=response), floor=floor(), rod=rod)
        after.append([*result["rod.v_abs"][-1], *result["rod.w_abs"][-1]])
        assert result["rod.v_abs"][-1, 2] > 0.5
    assert after[0] == pytest.approx(after[1], abs=2e-2)


# -- many contacts ---------------------------------------------------------------------------------------------------------


def cradle(n, gap, lifted, length=1.0):
    """Balls on rods, a little apart or touching; those in ``lifted`` begin aside."""
    entries = {}
    for k in range(n):
        entries[f"hook{k}"] = Object3D(parent="world", translation=(k * (0.1 + gap), 0.0, 0.0))
        entries[f"ball{k}"] = body(Sphere(0.1), 1.0, 0.001)
        entries[f"top{k}"] = Object3D(parent=f"ball{k}", translation=(0.0, 0.0, length))
        entries[f"joint{k}"] = Revolute(f"hook{k}", f"top{k}", "y", phi=lifted.get(k, 0.0))
    return entries


@pytest.mark.parametrize("gap", [0.0, 1e-5])
@pytest.mark.parametrize("lifted", [{0: 0.4}, {0: 0.4, 1: 0.4}, {3: -0.4}])
def test_newtons_cradle_lets_as_many_go_as_have_come(gap, lifted):
    """Balls that touch are struck at once, others one after the other; from either side."""
    result = run(1.6, points=400, world=world(1.0), **cradle(4, gap, lifted))
    largest = [max(abs(result[f"joint{k}.phi"].min()), result[f"joint{k}.phi"].max()) for k in range(4)]
    moving = {*lifted, *(3 - k for k in lifted)}
    for k in range(4):
        if k in moving:
            assert largest[k] == pytest.approx(0.4, abs=1e-3 if gap == 0.0 else 5e-3)
        else:
            assert largest[k] < (1e-6 if gap == 0.0 else 5e-3)


def test_momentum_of_what_nothing_holds_is_constant():
    """Three balls meet with spin and friction."""
    entries = {
        "a": free(Sphere(0.2), (0.0, 0.0, 0.0), 1.0, 0.004, velocity=(1.0, 0.1, 0.0), angular_velocity=(3.0, -20.0, 5.0)),
        "b": free(Sphere(0.2), (0.6, 0.05, 0.02), 2.0, 0.008),
        "c": free(Sphere(0.2), (1.0, 0.08, 0.02), 0.5, 0.002, velocity=(-1.0, 0.0, 0.1), angular_velocity=(9.0, 7.0, 0.0)),
    }
    result = run(1.5, world=world(0.9, 0.3, NoGravity()), **entries)
    assert len(impacts(result)) >= 2
    momentum, angular, total = sums(result, {"a": (1.0, 0.004), "b": (2.0, 0.008), "c": (0.5, 0.002)})
    assert np.abs(momentum - momentum[0]).max() < 1e-8
    assert np.abs(angular - angular[0]).max() < 1e-8
    lost = sum(record.info.get("energy_lost", 0.0) for record in result.segments)
    assert total[0] - total[-1] == pytest.approx(lost, rel=1e-7)
    assert lost > 0.01


def test_a_gravity_pool_may_be_a_collision_pool():
    """Balls that attract each other meet again and again; all of them may collide with each other."""
    places = {k: (math.cos(2.1 * k), 0.8 * math.sin(1.7 * k), 0.3 * k) for k in range(4)}
    balls = {f"b{k}": free(Sphere(0.3), at, 1.0, 0.009) for k, at in places.items()}
    result = run(3.0, world=world(0.9, 0.2, GravityPool(G=0.3)), **balls)
    assert len(impacts(result)) >= 3
    assert np.abs(sums(result, dict.fromkeys(balls, (1.0, 0.009)))[0]).max() < 1e-8
    distances = [
        np.linalg.norm(result[f"b{i}.r_abs"] - result[f"b{j}.r_abs"], axis=1).min() for i in range(4) for j in range(i)
    ]
    assert min(distances) > 0.3 - 1e-5


# -- mechanisms ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("friction", [0.0, 0.2])
def test_a_chain_strikes_the_floor_through_its_joints(friction):
    """A sled that carries a rod on a hinge, whose end strikes: 2 by 2 mass matrix, impulse (1 + e) v / (G M^-1 G^T)."""
    m, J, L, e = 2.0, 0.3, 0.7, 0.6
    result = run(
        0.4,
        world=world(e, friction, NoGravity()),
        floor=floor(),
        start=Object3D(parent="world", translation=(0.0, 0.0, 0.5)),
        sled=Object3D(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(3.0, (0.0, 0.0, 0.0), 1.0, 1.0, 1.0))),
        rail=Prismatic("start", "sled", "x", v=0.4),
        rod=Object3D(feature=Solid(Box(L, 0.01, 0.01), mass_properties=MassProperties(m, (0.5 * L, 0.0, 0.0), J, J, J))),
        hinge=Revolute("sled", "rod", "y", w=2.0),
        tip=Object3D(
            parent="rod", translation=(L, 0.0, 0.0), feature=Solid(Sphere(0.1), contact_material="Steel", collision=True)
        ),
    )
    _, row = impacts(result)[0]
    before = result.segment(1)  # begins where both are near each other
    phi, v, w = (before[name][-1] for name in ("hinge.phi", "rail.v", "hinge.w"))
    assert phi == pytest.approx(math.asin(0.45 / L), abs=1e-9)
    c, s = math.cos(phi), math.sin(phi)
    M = np.array([[3.0 + m, -m * 0.5 * L * s], [-m * 0.5 * L * s, J + m * (0.5 * L) ** 2]])
    G = np.array([[0.0, -L * c], [1.0, -L * s - 0.05]])  # of the point of the ball that touches: up, along
    impulse = routh(G @ np.linalg.solve(M, G.T), G @ [v, w], e, friction)
    assert row["impulse"] == pytest.approx([impulse[1], 0.0, impulse[0]], rel=1e-7, abs=1e-9)


def test_what_the_equations_couple_to_a_joint_takes_its_part():
    """A ball on a slide, to whose flange equations connect another mass: both give up their momentum, and bounce together."""
    result = run(
        0.3,
        world=world(0.5, gravity=NoGravity()),
        floor=floor(),
        start=Object3D(parent="world", translation=(0.0, 0.0, 0.25)),
        ball=body(Sphere(0.1), 2.0),
        slide=PrismaticWithFlange("start", "ball", "z", v=Var(init=-1.0), can_collide=True),
        load=translational.Mass | Map(m=3.0),
        connect=[("slide.flange", "load.flange_a")],
    )
    ((record, row),) = impacts(result)
    assert record.start == pytest.approx(0.2, abs=1e-10)
    assert row["impulse"] == pytest.approx([0.0, 0.0, 5.0 * 1.5], rel=1e-9)
    assert record.info["energy_lost"] == pytest.approx(0.5 * 5.0 * (1.0 - 0.25), rel=1e-9)
    assert result["load.v"][-1] == pytest.approx(0.5, rel=1e-9)


def test_a_loop_strikes_and_stays_closed():
    rod = Object3D(feature=Solid(Box(1.0, 0.02, 0.02), "Steel"))
    ends = {
        f"{name}_{end}": Object3D(parent=name, translation=(sign * 0.5, 0.0, 0.0))
        for name in ("crank", "bar", "rocker")
        for end, sign in (("end", 1.0), ("start", -1.0))
    }
    result = run(
        1.5,
        tolerance=1e-8,
        world=world(0.7, 0.3),
        far=Object3D(parent="world", translation=(1.0, 0.0, 0.0)),
        crank=rod, bar=rod, rocker=rod, **ends,
        motor=Revolute("world", "crank_start", "y", phi=-1.5, w=1.0),
        knee=Revolute("crank_end", "bar_start", "y", phi=1.5),
        pivot=Revolute("far", "rocker_start", "y", phi=-1.5),
        pin=Revolute("bar_end", "rocker_end", "y"),
        knob=Object3D(parent="bar", feature=Solid(Sphere(0.1), contact_material="Steel", collision=True)),
        ground=floor(translation=(0.0, 0.0, 0.5)),
    )  # fmt: skip
    assert len(impacts(result)) >= 3
    assert result["mechanics.constraint_residual"].max() < 1e-10
    assert result["mechanics.constraint_speed"].max() < 1e-10
    assert result["knob.r_abs"][:, 2].min() > 0.55 - 1e-4
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert np.diff(energy).max() < 1e-5 * np.ptp(energy)


# -- messages --------------------------------------------------------------------------------------------------------------


def test_what_nothing_can_stop_is_refused_by_name():
    """A piston whose motion is prescribed strikes the floor."""
    with pytest.raises((ModelError, SimulationError)) as caught:
        run(
            0.5,
            world=world(),
            floor=floor(),
            start=Object3D(parent="world", translation=(0.0, 0.0, 0.25)),
            piston=body(Sphere(0.1)),
            slide=PrismaticWithFlange("start", "piston", "z", can_collide=True),
            drive=translational.Position,
            connect=[("slide.flange", "drive.flange")],
            equations=["drive.s_ref = -time"],
        )
    assert "piston" in str(caught.value)
    assert "cannot be stopped" in str(caught.value)
