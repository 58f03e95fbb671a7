"""The planar and spatial examples of MultiBondLib 1.3 as bond graphs, each against something that knows nothing of bonds."""

from __future__ import annotations

import math
from pathlib import Path

import machines_in_space as machines
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d.files import read_scenario
from modiapy import Map, check_units, instantiate

FOLDER = Path(__file__).parents[2] / "scenarios" / "bond_graphs"
TIGHT = 1e-12


def run(name, stop_time=10.0, tolerance=TIGHT):
    scenario = read_scenario(FOLDER / f"{name}.yaml")
    assert scenario.settings.stop_time == 10.0  # that of the original
    return scenario.instantiate().simulate(stop_time, tolerance=tolerance)


def assert_same_path(actual, expected, name):
    """Check that two paths agree to 1e-7 of their size, at least of 1 m or 1 rad."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-7 * max(1.0, np.abs(expected).max()), err_msg=name)


@pytest.mark.parametrize(
    ("name", "twin", "signals"),
    [
        ("four_bar_loop", machines.FOUR_BAR_LOOP, {"Prismatic1.s": "Prismatic1.s", "Revolute4.phi": "Revolute4.phi"}),
        ("gyroscopic_effect", machines.gyroscope("yzx"), {"Body1.frame_a.P.x": "centre.r_abs"}),
        ("planar_loop", machines.PLANAR_LOOP, {"Prismatic1.s": "Prismatic1.s", "Revolute3.phi": "Revolute3.phi"}),
        ("centrifugal_force", machines.CENTRIFUGAL_FORCE, {"Prismatic1.s": "Prismatic1.s", "Revolute3.w": "Revolute3.w"}),
        ("double_pendulum", machines.DOUBLE_PENDULUM, {name: name for name in ("Revolute1.phi", "Revolute3.phi")}),
        ("free_body", machines.FREE_BODY, {"Body1.frame_a.P.x": "Body1.r_abs"}),
        (
            "kinematic_loop2",
            machines.PLANAR_LOOP,
            {"actuatedPrismatic.s": "Prismatic1.s", "Revolute4.phi": "Revolute3.phi"},
        ),
        ("crane_crab3", machines.CRANE_CRAB, {name: name for name in ("Prismatic1.s", "Revolute1.phi")}),
        ("three_body_system", machines.THREE_BODY_SYSTEM, {f"Body{k}.frame_a.P.x": f"Body{k}.r_abs" for k in (1, 2, 3)}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_bond_graph_moves_as_the_machine_of_the_engine(name, twin, signals):
    bonds, engine = run(name), instantiate(twin).simulate(10.0, tolerance=TIGHT)
    for one, other in signals.items():
        assert_same_path(bonds[one], engine[other], one)


@pytest.mark.parametrize("name", ["bicycle", "bicycle2"])
def test_the_bicycle_rides_as_that_of_the_engine(name):
    """At 1e-11: the projection of the engine onto the contacts has no room below. The joints have the opposite directions."""
    bonds = run(name, tolerance=1e-11)
    begin = (-bonds[key][0] for key in ("RWRevolute.phi", "RWRevolute.w", "Steering.w", "FWRevolute.w"))
    engine = instantiate(machines.bicycle(*begin)).simulate(10.0, tolerance=1e-11)
    assert_same_path(bonds["RWheel.frame_b.P.x"], engine["RWheel.r_abs"], "rear wheel")
    assert_same_path(bonds["FWRevolute.frame_b.P.x"], engine["FWheel.r_abs"], "front wheel")
    assert_same_path(-bonds["Steering.phi"], engine["Steering.phi"], "steering")


@pytest.mark.parametrize(
    ("name", "angle", "stop_time", "acceleration"),
    [
        # four masses of 1 kg at 1 m, three of which turn; up to the position in which all rods are in line, which is singular
        ("kinematic_loop", "Revolute1.phi", 0.55, lambda phi, w: -4 * 9.81 * np.cos(phi) / (4 + 3 * 0.001)),
        # 1 kg at (1, 3), a damper of 5 N.m.s/rad
        (
            "damped_pendulum",
            "actuatedRevolute1.phi",
            10.0,
            lambda phi, w: (-9.81 * (np.cos(phi) - 3 * np.sin(phi)) - 5 * w) / 10,
        ),
    ],
)
def test_pendulums_of_one_degree_of_freedom(name, angle, stop_time, acceleration):
    result = run(name, stop_time, tolerance=1e-10)
    solution = solve_ivp(
        lambda _, y: [y[1], acceleration(*y)],
        (0, stop_time),
        [0, 0],
        rtol=1e-12,
        atol=1e-13,
        method="DOP853",
        t_eval=result.time,
    )
    np.testing.assert_allclose(result[angle], solution.y[0], rtol=0, atol=1e-7)


def test_parallelogram_swings_through_its_singular_position():
    """Where all rods are in line the motion is not unique; the step in which that is met decides how exactly it goes on."""
    angle = run("kinematic_loop", tolerance=1e-7)["Revolute1.phi"]
    assert -math.pi - 0.05 < angle.min() < -math.pi + 0.05
    assert -0.05 < angle[len(angle) // 2 :].max() < 0.05


def test_marble_swings_harmonically_in_the_plane():
    """A rolling ball is as heavy as m + I/r**2; the spring to the origin pulls its centre, the plane bears the rest."""
    result = run("rolling_marble")
    omega = np.sqrt(5.0 / (2.0 + 0.02 / 0.3**2))
    c, s = np.cos(omega * result.time), np.sin(omega * result.time)
    path = np.stack([2 * c, 0.3 + 0 * c, 6 / omega * s - 2 * c], axis=1)
    np.testing.assert_allclose(result["Marble2.frame_b.P.x"], path, rtol=0, atol=1e-7)
    np.testing.assert_allclose(result["Marble2.joint.f_n"], 2 * 9.81 + 5 * 0.3, rtol=1e-9)
    # no slip: the velocity of the point below the centre, from the angular velocity in the world
    turn = np.einsum("tji,tj->ti", result["Marble2.frame_b.P.R"], result["Marble2.frame_b.P.w"])
    slip = result["Marble2.frame_b.P.v"] + np.cross(turn, [0, -0.3, 0])
    np.testing.assert_allclose(slip, 0, atol=1e-9)


def spherical_spring(_, y):
    """Return the rates of Q (x, y, z, w) and L about the pivot, in the world."""
    x, y_, z, w = Q = y[:4]
    R = np.array(
        [
            [w * w + x * x - y_ * y_ - z * z, 2 * (x * y_ - w * z), 2 * (x * z + w * y_)],
            [2 * (x * y_ + w * z), w * w - x * x + y_ * y_ - z * z, 2 * (y_ * z - w * x)],
            [2 * (x * z - w * y_), 2 * (y_ * z + w * x), w * w - x * x - y_ * y_ + z * z],
        ]
    ) / (Q @ Q)
    r = np.array([2.0, 0.0, 2.0])
    J = 0.1 - 0.09 * np.eye(3) + 2 * (r @ r * np.eye(3) - np.outer(r, r))
    turn = R @ np.linalg.solve(J, R.T @ y[4:])
    p = R @ r
    v = np.cross(turn, p)
    d = np.array([1.5, 0.0, 0.5]) - p
    force = 10 * (1 - 1 / np.linalg.norm(d)) * d - 0.5 * v + [0, -2 * 9.81, 0]
    a, b, c = turn
    rate = np.array([a * w + b * z - c * y_, b * w + c * x - a * z, c * w + a * y_ - b * x, -a * x - b * y_ - c * z])
    return [*(rate / 2), *np.cross(p, force)]


def test_body_on_a_ball_joint_follows_the_equations_of_its_momentum():
    result = run("spherical_spring")
    solution = solve_ivp(
        spherical_spring, (0, 10), [0, 0, 0, 1, 0, 0, 0], rtol=1e-11, atol=1e-12, method="DOP853", t_eval=result.time
    )
    x, y, z, w = solution.y[:4]
    n = x * x + y * y + z * z + w * w
    height = 2 * (2 * (x * y + w * z) + 2 * (y * z - w * x)) / n  # second row of R times (2, 0, 2)
    np.testing.assert_allclose(result["Body1.frame_a.P.x"][:, 1], height, rtol=0, atol=1e-7)


def test_four_bar_loop_keeps_its_energy():
    result = run("four_bar_loop")
    energy = 0
    for name in ("Body1", "Body2", "Body3"):
        x, v, w = (result[f"{name}.frame_a.P.{key}"] for key in "xvw")
        energy = energy + 0.25 * (v**2).sum(1) + 0.025 * (w**2).sum(1) + 0.5 * 9.81 * x[:, 1]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)


def cradle(_, y):
    """Return the rates of the angles and angular velocities of five pendulums of 2 m with springs between spheres."""
    phi, w = y[:5], y[5:]
    x, h = 0.5 * np.arange(5) + 2 * np.sin(phi), -2 * np.cos(phi)
    force = np.zeros((5, 2))
    for k in range(4):
        d = np.array([x[k + 1] - x[k], h[k + 1] - h[k]])
        s = np.linalg.norm(d)
        if s < 0.5:
            push = 1e9 * (0.5 - s) * d / s
            force[k] -= push
            force[k + 1] += push
    force[:, 1] -= 2 * 9.81
    return [*w, *((force[:, 0] * np.cos(phi) + force[:, 1] * np.sin(phi)) / 4)]


def test_cradle_collides_as_five_pendulums():
    """Through the first collisions: a contact lasts 0.1 ms, and later ones amplify errors."""
    result = run("newtons_cradle_weak", 1.2, tolerance=1e-11)
    begin = [-np.pi / 6, -np.pi / 6, 0, 0, 0, 0, 0, 0, 0, 0]
    solution = solve_ivp(cradle, (0, 1.2), begin, rtol=1e-10, atol=1e-12, max_step=2e-5, t_eval=[1.2])
    for k in range(5):
        assert result[f"Revolute{k + 1}.phi"][-1] == pytest.approx(solution.y[k, -1], abs=1e-5)


@pytest.mark.parametrize("name", ["bicycle", "centrifugal_force", "free_body", "rolling_marble", "three_body_system"])
def test_units_fit(name):
    check_units(read_scenario(FOLDER / f"{name}.yaml").model)


def test_marble_rolls_in_the_same_way_with_a_quaternion():
    model = read_scenario(FOLDER / "rolling_marble.yaml").model | Map(Marble2=Map(use_quaternions=True))
    sim = instantiate(model)
    assert "Marble2.body.motion.Q[3]" in sim.states
    result = sim.simulate(3.0, tolerance=1e-10)
    omega = np.sqrt(5.0 / (2.0 + 0.02 / 0.3**2))
    np.testing.assert_allclose(result["Marble2.frame_b.P.x"][:, 0], 2 * np.cos(omega * result.time), rtol=0, atol=1e-7)
