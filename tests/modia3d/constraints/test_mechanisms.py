"""Closed mechanisms: which rows are redundant, where they can be closed, what holds them together."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import (
    Cylindrical,
    Fix,
    FreeMotion,
    Model3D,
    Object3D,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from modia3d.constraints.kinds.cut_joint import CutJoint
from modia3d.constraints.kinds.locked_joint import LockedJoint
from modia3d.constraints.projection import project
from modia3d.dynamics import Dynamics
from modia3d.engine.motion.configuration import Configuration
from modia3d.scene.basics.rotations import matrix_of
from modia3d.scene.joints import FixedJoint, RevoluteJoint
from modia3d.scene.joints.pin_slot import PinSlotJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.topology import forest_of
from modia3d.topology.cuts import Cut
from modia3d.topology.states import initial_state
from modiapy import ModelError
from tests.modia3d.scenes import body, free, world

pytestmark = pytest.mark.white_box

angles = st.floats(-3.0, 3.0)
turns = st.tuples(angles, angles, angles)


def bar(length, mass=1.0, unit=1.0, **fields):
    """A slender rod along x, from its joint to its tip."""
    mass, length = mass * unit, length * unit
    J = mass * length**2 / 12.0
    return body(mass, (0.01 * J, J, J), (length / 2.0, 0.0, 0.0), **fields)


def four_bar(rotation=(0.0, 0.0, 0.0), unit=1.0, axis="z", tip=1.5, boom=0.0):
    """Crank, coupler and rocker in a plane; the pin between coupler and rocker is cut."""

    def at(x):
        return (x * unit, 0.0, 0.0)

    entries = {
        "world": world(),
        "base": Object3D(parent="world", rotation=rotation, translation=(0.1, 0.2, 0.3)),
        "far": Object3D(parent="base", translation=at(2.0)),
        "crank": bar(0.5, unit=unit),
        "crank_tip": Object3D(parent="crank", translation=at(0.5)),
        "coupler": bar(2.0, unit=unit),
        "coupler_tip": Object3D(parent="coupler", translation=at(2.0)),
        "rocker": bar(1.5, unit=unit),
        "rocker_tip": Object3D(parent="rocker", translation=at(tip)),
        "motor": Revolute("base", "crank", "z"),
        "knee": Revolute("crank_tip", "coupler", "z"),
        "pivot": Revolute("far", "rocker", "z"),
    }
    if boom:
        entries |= {
            "carrier": body(1e3, 1e3, (boom, 0.0, 0.0)),
            "base": Object3D(parent="carrier", translation=(boom, 0.2, 0.3)),
            "swing": Revolute("world", "carrier", "y"),
        }
    pin = CutJoint("pin", "coupler_tip", "rocker_tip", RevoluteJoint("coupler_tip", "rocker_tip", axis))
    return forest_of(Model3D(**entries)), [pin]


def placed(forest, **values):
    """Coordinates (nq,) by the names of joints with one coordinate."""
    q = Dynamics(forest.ints, forest.floats, forest.gravity).q.copy()
    for name, value in values.items():
        q[forest.indices[name][1]] = value
    return q


def closed(forest, constraints, q, v=None):
    """`project` from there."""
    return project(partial(Configuration, forest), constraints, q, np.zeros(forest.nv) if v is None else v)


START = {"motor": 1.0, "knee": -0.6, "pivot": 1.6}
IN_PLANE = {"pin (position z)", "pin (angle of x and z)", "pin (angle of y and z)"}


@settings(max_examples=20)
@given(turns, st.sampled_from([1.0, 1e3, 1e-3]))
def test_three_rows_of_a_planar_loop_are_redundant_in_any_plane_and_unit(rotation, unit):
    forest, pin = four_bar(rotation, unit)
    found = closed(forest, pin, placed(forest, **START))
    rank = found.elimination.rank
    assert {str(found.elimination.rows[k]) for k in rank.redundant} == IN_PLANE
    assert forest.nv - len(rank) == 1
    assert rank.unique.tolist() == [True, True, False, False, False]
    assert found.residual < 1e-13 * max(unit, 1.0)
    reference = four_bar()
    expected = closed(reference[0], reference[1], placed(reference[0], **START))
    assert found.q == pytest.approx(expected.q, abs=1e-9)
    assert found.elimination.condition == pytest.approx(expected.elimination.condition, rel=1e-6)


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.5, 2.5, 3.1])
def test_scotch_yoke(angle):
    """The pin of a crank in the slot of a yoke: that moves as the cosine of the angle, and turns nothing else."""
    forest = forest_of(
        Model3D(
            world=world(),
            base=Object3D(parent="world", rotation=(0.3, 0.7, -0.2)),
            crank=bar(0.5),
            pin=Object3D(parent="crank", translation=(0.5, 0.0, 0.0)),
            yoke=body(2.0),
            motor=Revolute("base", "crank", "z"),
            guide=Prismatic("base", "yoke", "x"),
        )
    )
    slot = [CutJoint("slot", "yoke", "pin", PinSlotJoint("yoke", "pin", "z", "y"))]
    turning = placed(forest, motor=1.0)
    found = closed(forest, slot, placed(forest, motor=angle, guide=0.5 * math.cos(angle) + 0.1), turning)
    q, s = (float(found.q[forest.indices[name][1]]) for name in ("motor", "guide"))
    assert s == pytest.approx(0.5 * math.cos(q), abs=1e-12)
    w, v = (float(found.v[forest.indices[name][2]]) for name in ("motor", "guide"))
    assert v == pytest.approx(-0.5 * math.sin(q) * w, abs=1e-12)
    assert {str(found.elimination.rows[k]) for k in found.elimination.rank.redundant} == {
        "slot (position z)", "slot (angle of x and z)", "slot (angle of y and z)"
    }  # fmt: skip


def test_two_hinges_of_a_door():
    """All rows of the second one are redundant; where it is 1 cm beside the first one's axis, they contradict each other."""
    door = {
        "world": world(),
        "frame": Object3D(parent="world", rotation=(0.3, 0.7, -0.2)),
        "upper_frame": Object3D(parent="frame", translation=(0.0, 0.0, 1.0)),
        "door": body(20.0, (4.0, 5.0, 3.0), (0.4, 0.0, 0.5)),
        "upper_door": Object3D(parent="door", translation=(0.0, 0.0, 1.0)),
        "bent": Object3D(parent="door", translation=(0.0, 0.01, 1.0)),
        "lower": Revolute("frame", "door", "z", phi=0.4),
    }
    forest, hinge = forest_of(Model3D(**door)), RevoluteJoint("upper_frame", "upper_door", "z")
    q = placed(forest, lower=0.4)
    rank = closed(forest, [CutJoint("upper", "upper_frame", "upper_door", hinge)], q).elimination.rank
    assert len(rank) == 0
    assert not rank.unique.any()
    with pytest.raises(ModelError, match=r"upper: a loop cannot be closed.*upper \(position [xy]\).* m"):
        closed(forest, [CutJoint("upper", "upper_frame", "bent", hinge)], q)


def test_bricards_mechanism_moves():
    """Six hinges in a loop along the edges of a cube: four of five rows are needed, one degree of freedom is left."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    edges = np.roll(points, -1, axis=0) - points
    axes = [tuple(np.cross(edges[k - 1], edges[k])) for k in range(6)]
    entries, before = {"world": world()}, "world"
    entries["last"] = Object3D(parent="world", translation=tuple(points[5]))
    for k in range(5):
        inertia = np.diag((np.eye(3) - np.outer(edges[k], edges[k])) / 12.0) + 1e-4
        entries[f"link{k}"] = body(1.0, tuple(inertia), tuple(edges[k] / 2.0))
        entries[f"hinge{k}"] = Revolute(before, f"link{k}", axes[k])
        before = f"tip{k}"
        entries[before] = Object3D(parent=f"link{k}", translation=tuple(edges[k]))
    forest = forest_of(Model3D(**entries))
    cut = [CutJoint("hinge5", "tip4", "last", RevoluteJoint("tip4", "last", axes[5]))]
    found = closed(forest, cut, placed(forest))
    assert len(found.elimination.rank) == 4
    free_motion = found.elimination.removed(np.arange(1.0, 6.0))
    away = closed(forest, cut, found.q + 0.3 * free_motion / np.abs(free_motion).max())
    assert len(away.elimination.rank) == 4
    assert np.abs(away.q - found.q).max() > 0.2


@settings(max_examples=20)
@given(st.floats(0.0, 6.0), st.lists(st.floats(-0.1, 0.1), min_size=3, max_size=3))
def test_a_loop_is_closed_by_the_least_change(crank, away):
    """To second order it is that of the linearised loop; the speeds are exactly the nearest ones."""
    forest, pin = four_bar((0.3, -0.5, 1.1))
    here = closed(forest, pin, placed(forest, **START))
    for _ in range(int(10 * crank)):
        turned = here.q.copy()
        turned[forest.indices["motor"][1]] += 0.1
        here = closed(forest, pin, turned)
    q, v = here.q + np.array(away), np.array([1.0, -2.0, 0.5])
    found = closed(forest, pin, q, v)
    assert found.residual < 1e-13
    assert sum(abs(part[0]) for part in found.moved.values()) == pytest.approx(np.abs(found.q - q).sum(), abs=1e-12)
    linear = here.elimination.removed(np.array(away)) - np.array(away)
    size = np.abs(away).max() * max(1.0, here.elimination.condition)
    assert found.q - q == pytest.approx(linear, abs=30.0 * size**2 + 1e-12)
    assert found.elimination.rows.G @ found.v == pytest.approx(np.zeros(5), abs=1e-12)
    again = closed(forest, pin, found.q, found.v)
    assert again.q == pytest.approx(found.q, abs=1e-13)
    assert again.v == pytest.approx(found.v, abs=1e-12)


@pytest.mark.parametrize("orientation", ["quaternion", "xyz", "zyx"])
def test_a_free_body_is_brought_to_its_place(orientation):
    forest = forest_of(
        Model3D(
            world=world(),
            place=Object3D(parent="world", translation=(0.4, -0.2, 0.3), rotation=(0.5, -0.3, 0.8)),
            part=free(orientation=orientation),
        )
    )
    weld = [CutJoint("weld", "place", "part", FixedJoint("place", "part", translation=(0.1, 0.0, 0.2)))]
    found = closed(forest, weld, placed(forest), np.arange(1.0, 7.0))
    part, place = (Configuration(forest, found.q, found.v).motion_of(name) for name in ("part", "place"))
    assert part.p_WF == pytest.approx(place.p_WF + place.R_WF @ (0.1, 0.0, 0.2), abs=1e-12)
    assert np.abs(part.R_WF - place.R_WF).max() < 1e-12
    assert found.v == pytest.approx(np.zeros(6), abs=1e-12)
    assert matrix_of(orientation, found.q[3:]) == pytest.approx(place.R_WF, abs=1e-12)


def test_what_is_closed_the_wrong_way_round_is_refused():
    """Half a turn about an axis makes the same cosines vanish."""
    forest = forest_of(Model3D(world=world(), part=free()))
    q = placed(forest)
    q[3:] = (0.0, 1.0, 0.0, 0.0)
    with pytest.raises(
        ModelError, match=r"weld: the axes of a joint that closes a loop point in opposite directions; found opposite y axes"
    ):
        closed(forest, [CutJoint("weld", "world", "part", FixedJoint("world", "part"))], q)


def test_a_loop_that_is_too_short_is_named_with_its_gap():
    forest, pin = four_bar(tip=0.2)
    with pytest.raises(
        ModelError, match=r"pin: a loop cannot be closed.*what is left after the nearest approach: pin \(position"
    ):
        closed(forest, pin, placed(forest, motor=math.pi, knee=0.5, pivot=0.3))


def test_locked_joints_are_rows_beside_the_loop():
    """A four-bar with a locked crank is rigid; a second lock is redundant, and what it demands may conflict."""
    forest, pin = four_bar()
    start = closed(forest, pin, placed(forest, **START)).q
    rigid = closed(forest, [*pin, LockedJoint("motor")], start).elimination
    assert len(rigid.rank) == forest.nv
    twice = closed(forest, [*pin, LockedJoint("motor"), LockedJoint("pivot")], start).elimination
    assert len(twice.rank) == forest.nv
    assert len(twice.rank.redundant) == 4
    turning = np.zeros(7)
    turning[5] = 1.0  # of the motor, while the pivot stands
    with pytest.raises(ModelError, match=r"constraints contradict each other: speeds.*(motor|pivot|pin)") as caught:
        twice.check(turning, 1e-9, "speeds")
    assert all(name in str(caught.value) for name in ("motor", "pivot", "pin"))


def test_forces_of_constraints_do_no_work_and_the_loop_stays_closed():
    """A slider-crank and a ball-jointed rod in gravity: accelerations of the constrained mechanism."""
    entries = {
        "world": world(),
        "crank": bar(0.3),
        "crank_tip": Object3D(parent="crank", translation=(0.3, 0.0, 0.0)),
        "rod": bar(1.0, 0.7),
        "rod_tip": Object3D(parent="rod", translation=(1.0, 0.0, 0.0)),
        "piston": body(0.4, 0.01),
        "turn": Revolute("world", "crank", "z"),
        "ball": Spherical("crank_tip", "rod"),
        "slide": Prismatic("world", "piston", "x"),
    }
    forest = forest_of(Model3D(**entries))
    cuts = [CutJoint("wrist", "rod_tip", "piston", SphericalJoint("rod_tip", "piston"))]
    found = closed(forest, cuts, placed(forest, turn=0.8, slide=1.1), np.arange(1.0, 1.0 + forest.nv))
    assert forest.nv - len(found.elimination.rank) == 2  # the rod spins about its axis
    dynamics = Dynamics(forest.ints, forest.floats, np.array([0.0, -9.81, 0.0]))
    rows, M = found.elimination.rows, dynamics.mass_matrix(found.q)
    h = dynamics.bias(found.q, found.v)
    a, p = found.elimination.acceleration(np.linalg.solve(M, -h), rows.gamma)
    assert rows.G @ a + rows.gamma == pytest.approx(np.zeros(3), abs=1e-10)
    assert M @ a + h == pytest.approx(rows.G.T @ p, abs=1e-10)
    assert p @ (rows.G @ found.v) == pytest.approx(0.0, abs=1e-10)
    assert np.abs(p).max() > 1.0


JOINTS = {
    "revolute": lambda one, two, q: Revolute(one, two, (1.0, 2.0, 0.5), phi=q[0]),
    "prismatic": lambda one, two, q: Prismatic(one, two, (1.0, 2.0, 0.5), s=q[0]),
    "screw": lambda one, two, q: Screw(one, two, (1.0, 2.0, 0.5), pitch=0.1, phi=4.0 * q[0]),
    "cylindrical": lambda one, two, q: Cylindrical(one, two, (1.0, 2.0, 0.5), s=q[0], phi=q[1]),
    "universal": lambda one, two, q: Universal(one, two, "y", "z", phi_a=q[0], phi_b=q[1]),
    "planar": lambda one, two, q: Planar(one, two, (1.0, 2.0, 0.5), s_x=q[0], s_y=q[1], phi=q[2]),
    "spherical": lambda one, two, q: Spherical(one, two, rotation=q),
    "six-dof": lambda one, two, q: FreeMotion(one, two, translation=q, rotation=q),
    "fixed": lambda one, two, q: Fix(one, two, translation=q, rotation=q),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_a_cut_joint_beside_the_joint_that_it_repeats(kind):
    """It is closed wherever that is, and no row is needed: a joint of the forest leaves exactly what the cut joint demands."""
    joint = JOINTS[kind]("base", "tip", (0.7, -0.4, 0.9))
    entries = {
        "world": world(),
        "base": Object3D(parent="world", translation=(0.2, 0.1, -0.3), rotation=(0.3, 0.7, -0.2)),
        "part": body(1.3, (0.1, 0.2, 0.25), (0.1, 0.0, 0.2)),
        "tip": Object3D(parent="part", translation=(0.1, 0.4, 0.2), rotation=(-0.3, 0.2, 1.1)),
        "joint": joint,
        "beyond": body(0.5, 0.1),
        "elbow": Revolute("part", "beyond", "x", phi=0.4),
    }
    forest = forest_of(Model3D(**entries))
    states = initial_state(forest.graph, forest, {})
    edge = forest.graph.joints[forest.graph.joint_index("joint")]
    cut = CutJoint.of(forest.graph, Cut(edge.name, *edge.frames, edge.joint))
    q, v = states[: forest.nq], np.linspace(1.0, 2.0, forest.nv)
    found = closed(forest, [cut], q, v)
    assert found.residual < 1e-13
    assert len(found.elimination.rank) == 0
    assert found.q == pytest.approx(q, abs=1e-12)
    assert found.v == pytest.approx(v, abs=1e-12)
    assert found.elimination.rows.gamma == pytest.approx(np.zeros(len(found.elimination.rows)), abs=1e-10)


def test_what_carries_the_whole_loop_does_not_matter():
    """A four-bar at the end of a boom of 100 km: what the boom moves is no part of the loop."""
    forest, pin = four_bar(boom=1e5)
    near, there = four_bar(), placed(forest, **START)
    rank = project(partial(Configuration, forest), pin, there, np.zeros(forest.nv), tolerance=1e-8).elimination.rank
    assert len(rank) == len(closed(near[0], near[1], placed(near[0], **START)).elimination.rank) == 2
