"""Friction of elastic contacts: sliding, sticking without creep, breaking loose, rolling; events, energy, symmetries."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from modia3d.collision.tables import FOUND_COLUMNS, NORMAL, POINT_COLUMNS
from modia3d.forces.contact import phases
from modia3d.forces.contact.layout import (
    ACTIVE,
    CONTACT_FORCE_COLUMNS,
    DAMPING,
    FORCE,
    FORCE_ENERGY,
    FORCE_LOSS,
    FORCE_NEXT,
    FORCE_NORMAL,
    MU_K,
    ROLLING,
    STIFFNESS,
    V_SMALL,
    W_SMALL,
    Phase,
)

from .contact_bodies import Bodies, add_contact, ball_on_plane, box_on_plane, row_of, start, write_push

pytestmark = pytest.mark.white_box

G = 9.81
HALF = (0.1, 0.1, 0.05)
BOX_INERTIA = (0.0125 / 3.0, 0.0125 / 3.0, 0.02 / 3.0)


def box(slope=0.0, **entries):
    """A box of 1 kg on a slope that falls along x, as deep in it as it rests; and that height."""
    given = {key: entries.pop(key) for key in ("mu", "mu_s", "e", "rolling") if key in entries}
    gravity = G * math.sin(slope), 0.0, -G * math.cos(slope)
    bodies = Bodies(row_of(**given), box_on_plane(HALF), inertia=BOX_INERTIA, gravity=gravity, **entries)
    return bodies, 0.05 - (G * math.cos(slope) / 1e9) ** (2.0 / 3.0)


def ball(slope=0.0, **given):
    """The same with a ball."""
    gravity = G * math.sin(slope), 0.0, -G * math.cos(slope)
    return Bodies(row_of(**given), ball_on_plane(), gravity=gravity), 0.1 - (G / 1e9) ** (2.0 / 3.0)


def phases_of(bodies):
    return [what for _, what in bodies.events]


# -- sliding and sticking ---------------------------------------------------------------------------------------------------


def test_a_box_below_the_friction_angle_does_not_drift():
    bodies, height = box(math.atan(0.4), mu=0.5)
    t, states = bodies.simulate(start((0.0, 0.0, height)), 0.8, 1e-7)
    late = states[t > 0.4]
    assert np.ptp(late[:, 0]) < 1e-10
    assert np.abs(late[-1, 7:13]).max() < 1e-10
    assert abs(late[-1, 0]) < 1e-5
    assert len(bodies.events) < 12


def test_a_box_slides_down_a_steeper_slope():
    slope = math.atan(0.6)
    bodies, height = box(slope, mu=0.5)
    _, states = bodies.simulate(start((0.0, 0.0, height)), 0.5, 1e-7)
    assert states[-1, 7] == pytest.approx(0.5 * G * (math.sin(slope) - 0.5 * math.cos(slope)), rel=2e-2)
    late = states[-1, 7] - states[len(states) // 2, 7]
    assert late > 0.0
    assert phases_of(bodies)[-1] == "SLIDING"


@pytest.mark.parametrize("slope", [0.0, math.atan(0.49)])
def test_a_box_stops_where_theory_says_and_stays_there(slope):
    bodies, height = box(slope, mu=0.5)
    deceleration = G * (0.5 * math.cos(slope) - math.sin(slope))
    speed = math.sqrt(2.0 * deceleration * 0.05)
    _, states = bodies.simulate(start((0.0, 0.0, height), (speed, 0.0, 0.0)), speed / deceleration + 0.2, 1e-7)
    assert states[-1, 0] == pytest.approx(0.05, rel=2e-2)
    assert np.abs(states[-1, 7:13]).max() < 1e-9
    assert len(bodies.events) < 10
    assert max(bodies.jumps) < 1e-2


def test_a_spinning_box_comes_to_rest_in_a_few_events():
    bodies, height = box(mu=0.5)
    _, states = bodies.simulate(start((0.0, 0.0, height), (0.2, 0.1, 0.0), (0.0, 0.0, 4.0)), 0.6, 1e-7)
    assert np.abs(states[-1, 7:13]).max() < 1e-9
    assert len(bodies.events) < 10


def test_a_box_breaks_loose_at_the_static_coefficient_and_slides_with_the_other_one():
    bodies, height = box(mu=0.3, mu_s=0.5, push=lambda t: (10.0 * t, 0.0, 0.0))
    t, states = bodies.simulate(start((0.0, 0.0, height)), 0.6, 1e-7)
    began = t[np.argmax(states[:, 7] > 1e-3)]
    assert 10.0 * began == pytest.approx(0.5 * G, rel=2e-2)
    change = states[-1, 7] - np.interp(0.55, t, states[:, 7])
    assert change == pytest.approx(10.0 * 0.575 * 0.05 - 0.3 * G * 0.05, rel=1e-2)
    assert phases_of(bodies) == ["begin", "STUCK", "BREAKING", "SLIDING"]


def test_a_push_that_comes_back_leaves_the_box_stuck_with_what_friction_holds():
    """Loose for a moment only: what the spring kept carries the load where it stops, without a drift back."""
    bodies, height = box(mu=0.5, push=lambda t: (5.2 * math.sin(math.pi * t) if t < 1.0 else 0.0, 0.0, 0.0))
    t, states = bodies.simulate(start((0.0, 0.0, height)), 1.2, 1e-7)
    assert "BREAKING" in phases_of(bodies)
    assert np.ptp(states[t > 1.1, 0]) < 1e-9
    assert 1e-4 < states[-1, 0] < 0.1
    assert len(bodies.events) < 12


# -- rolling ---------------------------------------------------------------------------------------------------------------


def test_a_thrown_ball_ends_rolling_with_five_sevenths_of_its_speed():
    bodies, height = ball(mu=0.5)
    _, states = bodies.simulate(start((0.0, 0.0, height), (1.0, 0.0, 0.0)), 0.4, 1e-7)
    assert states[-1, 7] == pytest.approx(5.0 / 7.0, rel=1e-3)
    assert states[-1, 11] * 0.1 == pytest.approx(states[-1, 7], rel=1e-4)
    assert phases_of(bodies) == ["begin"]
    assert states[-1, 13] == pytest.approx(0.5 * 2.0 / 7.0, rel=1e-3)


def test_rolling_resistance_brings_a_ball_to_rest():
    bodies, height = ball(mu=0.5, rolling=0.05)
    speed, deceleration = 0.2, 0.05 * G / 1.4
    w = (0.0, speed / 0.1, 0.0)
    _, states = bodies.simulate(start((0.0, 0.0, height), (speed, 0.0, 0.0), w), speed / deceleration + 0.5, 1e-7)
    assert states[-1, 0] == pytest.approx(0.5 * speed**2 / deceleration, rel=1e-2)
    assert np.abs(states[-1, 7:13]).max() < 1e-5
    assert len(bodies.events) < 8


@pytest.mark.parametrize(("slope", "held"), [(0.008, True), (0.02, False)])
def test_rolling_resistance_holds_a_ball_on_a_slope(slope, held):
    bodies, height = ball(slope, mu=0.5, rolling=0.01)
    t, states = bodies.simulate(start((0.0, 0.0, height)), 1.0, 1e-7)
    if held:
        assert np.ptp(states[t > 0.5, 0]) < 1e-9
    else:
        assert states[-1, 7] == pytest.approx(G * (math.sin(slope) - 0.01) / 1.4, rel=2e-2)
        assert phases_of(bodies)[-1] == "SLIDING"
    assert max(bodies.jumps) < 1e-2


def test_a_ball_without_resistance_rolls_on():
    bodies, height = ball(mu=0.5)
    _, states = bodies.simulate(start((0.0, 0.0, height), (5e-4, 0.0, 0.0), (0.0, 5e-3, 0.0)), 5.0, 1e-7)
    assert states[-1, 7] == pytest.approx(5e-4, rel=1e-4)
    assert len(bodies.events) < 8


# -- energy and symmetries -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("e", "tilt", "w"), [(0.3, (0.3, 0.1), (1.0, -2.0, 3.0)), (0.9, (-0.2, 0.4), (-1.0, 0.5, 0.0))])
def test_what_energy_a_tumbling_box_loses_becomes_heat(e, tilt, w):
    bodies, _ = box(mu=0.4, e=e, rolling=0.002)
    y = start((0.0, 0.0, 0.125), (0.5, -0.3, -0.5), w, Rotation.from_euler("xy", tilt).as_quat())
    t, states = bodies.simulate(y, 0.1, 1e-7)
    assert "begin" in phases_of(bodies)
    assert np.all(np.diff(states[:, 13]) >= -1e-12)
    assert states[-1, 13] > 0.01
    bodies.table[0, ACTIVE] = 0.0
    first = bodies.energy(0.0, states[0])
    bodies.table[0, ACTIVE] = float(phases_of(bodies)[-1] != "end")
    assert bodies.energy(t[-1], states[-1]) + states[-1, 13] + bodies.dropped == pytest.approx(first, abs=1e-4)


def random_contact(rng, n, phase=Phase.SLIDING):
    """Two bodies that touch at n points: arguments of `add_contact`."""
    table = row_of(one=0, two=1, mu=0.4, mu_s=0.6, rolling=0.01)[None].copy()
    R = Rotation.random(2, random_state=rng).as_matrix().reshape(2, 9)
    p, v, w = rng.normal(size=(3, 2, 3)) * np.array([1.0, 0.01, 0.01])[:, None, None]
    found, points = np.zeros((1, FOUND_COLUMNS)), np.zeros((n, POINT_COLUMNS))
    normal = rng.normal(size=3)
    found[0, NORMAL : NORMAL + 3] = normal / np.linalg.norm(normal)
    points[:, :3], points[:, 3], points[:, 4] = rng.normal(size=(n, 3)), rng.uniform(1e-6, 1e-4, n), rng.dirichlet(np.ones(n))
    write_push(found[0], points)
    phases.begin(table[0], 0.5)
    forces, wrenches = np.zeros((1, CONTACT_FORCE_COLUMNS)), np.zeros((2, 6))
    if phase is not Phase.SLIDING:
        v, w = 1e-2 * v, 1e-2 * w
        arguments = table, 0, found, points, n, R, p, v, w
        add_contact(*arguments, np.zeros((2, 6)), forces)
        for one in (Phase.STUCK, phase):
            forces[0, FORCE_NEXT] = one
            phases.advance(table[0], forces[0], found[0, NORMAL : NORMAL + 3], (R[0], p[0]), (R[1], p[1]))
            p = p + 1e-6 * rng.normal(size=(2, 3))
            add_contact(table, 0, found, points, n, R, p, v, w, np.zeros((2, 6)), forces)
    return (table, 0, found, points, n, R, p, v, w, wrenches, forces)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), phase=st.sampled_from(list(Phase)))
@settings(max_examples=60, deadline=None)
def test_both_bodies_feel_the_same(seed, n, phase):
    arguments = random_contact(np.random.default_rng(seed), n, phase)
    add_contact(*arguments)
    R, p, wrenches = arguments[5].reshape(2, 3, 3), arguments[6], arguments[9]
    force = np.einsum("bij,bj->bi", R, wrenches[:, 3:])
    torque = np.einsum("bij,bj->bi", R, wrenches[:, :3]) + np.cross(p, force)
    size = np.abs(force).max()
    assert size > 0.0
    assert np.abs(force.sum(axis=0)).max() < 1e-12 * size
    assert np.abs(torque.sum(axis=0)).max() < 1e-11 * size


@given(seed=st.integers(0, 10**6), phase=st.sampled_from(list(Phase)))
@settings(max_examples=40, deadline=None)
def test_nothing_depends_on_how_the_world_is_turned(seed, phase):
    arguments = random_contact(np.random.default_rng(seed), 3, phase)
    table, _, found, points, n, R, p, v, w, wrenches, forces = arguments
    add_contact(*arguments)
    T = Rotation.random(random_state=seed).as_matrix()
    turned_found, turned_points, turned_forces = found.copy(), points.copy(), forces.copy()
    turned_found[0, NORMAL : NORMAL + 3] = T @ found[0, NORMAL : NORMAL + 3]
    turned_points[:, :3] = points[:, :3] @ T.T
    write_push(turned_found[0], turned_points)
    turned_R = np.einsum("ij,bjk->bik", T, R.reshape(2, 3, 3)).reshape(2, 9)
    turned, moved = np.zeros((2, 6)), [np.ascontiguousarray(a @ T.T) for a in (p, v, w)]
    add_contact(table, 0, turned_found, turned_points, n, turned_R, *moved, turned, turned_forces)
    size = np.abs(wrenches).max()
    assert np.allclose(turned, wrenches, rtol=0.0, atol=1e-7 * size)  # depths of 1e-6 of arms of 1 m
    for column in (FORCE_NORMAL, FORCE_LOSS, FORCE_ENERGY, FORCE_NEXT):
        assert turned_forces[0, column] == pytest.approx(forces[0, column], rel=1e-6)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_sliding_friction_is_that_of_the_formulas(seed, n):
    arguments = random_contact(np.random.default_rng(seed), n)
    add_contact(*arguments)
    table, _, found, points, _, R, p, v, w, wrenches, forces = arguments
    row, normal = table[0], found[0, NORMAL : NORMAL + 3]

    def reg(x, small):
        return x if x >= small else x * x / small * (1.0 - x / (3.0 * small)) + small / 3.0

    total, torque, load, heat = np.zeros(3), np.zeros(3), 0.0, 0.0
    for point in points:
        relative = v[1] + np.cross(w[1], point[:3] - p[1]) - v[0] - np.cross(w[0], point[:3] - p[0])
        rate = -relative @ normal
        elastic = row[STIFFNESS] * point[4] * point[3] ** 1.5
        f_n = elastic * max(0.0, 1.0 + row[DAMPING] * rate)
        slip = relative + rate * normal
        f_t = -row[MU_K] * f_n * slip / reg(np.linalg.norm(slip), row[V_SMALL])
        total, load = total + f_n * normal + f_t, load + f_n
        torque = torque + np.cross(point[:3] - p[1], f_n * normal + f_t)
        heat += (f_n - elastic) * rate - f_t @ slip
    spin = w[1] - w[0]
    rolling = -row[ROLLING] * load * spin / reg(np.linalg.norm(spin), row[W_SMALL])
    assert np.allclose(forces[0, FORCE : FORCE + 3], total, rtol=1e-12, atol=1e-12 * load)
    assert forces[0, FORCE_NORMAL] == pytest.approx(load, rel=1e-12)
    assert forces[0, FORCE_LOSS] == pytest.approx(heat - rolling @ spin, rel=1e-10)
    assert np.allclose(R[1].reshape(3, 3) @ wrenches[1, :3], torque + rolling, rtol=1e-10, atol=1e-10 * np.linalg.norm(torque))
