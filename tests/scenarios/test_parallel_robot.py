"""The Delta robot: its loops stay closed, its plate stays parallel, and it goes where formulas of its kinematics say."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "scenarios" / "parallel_robot"
BASE, ARM, ROD, PLATE, PIN = 0.330, 0.420, 1.055, 0.125, 0.09
AZIMUTHS = 2 * np.pi / 3 * np.arange(3)
PLACES = {"part1": (0.35, -0.1), "part2": (0.35, 0.1)}


@pytest.fixture(scope="module")
def result(simulated):
    return simulated("parallel_robot")


def in_plane_of_leg(p, azimuth):
    """Positions (n, 3) of the plate as seen from a hip, had the plate no size: outwards, along the axis of the hip, upwards."""
    c, s = np.cos(azimuth), np.sin(azimuth)
    return np.stack([p[:, 0] * c + p[:, 1] * s + PLATE - BASE, p[:, 1] * c - p[:, 0] * s, p[:, 2]], axis=1)


def inverse_kinematics(p):
    """Angles of the upper arms (n, 3), positive downwards, by the substitution t = tan(theta/2) in the length of a rod."""
    angles = []
    for azimuth in AZIMUTHS:
        x, y, z = in_plane_of_leg(p, azimuth).T
        E, F, G = -2 * ARM * x, 2 * ARM * z, x**2 + y**2 + z**2 + ARM**2 - ROD**2  # E cos + F sin + G = 0
        t = (-F - np.sqrt(E**2 + F**2 - G**2)) / (G - E)
        angles.append(2 * np.arctan(t))
    return np.stack(angles, axis=1)


def forward_kinematics(theta):
    """Position (3,) of the plate for three angles: the lower one of the points where three spheres meet."""
    out = np.stack([np.cos(AZIMUTHS), np.sin(AZIMUTHS), np.zeros(3)], axis=1)
    centres = out * (BASE - PLATE + ARM * np.cos(theta))[:, None] - ARM * np.sin(theta)[:, None] * [0.0, 0.0, 1.0]
    one, two, three = centres
    x = (two - one) / np.linalg.norm(two - one)
    i = x @ (three - one)
    y = (three - one - i * x) / np.linalg.norm(three - one - i * x)
    d, j = np.linalg.norm(two - one), y @ (three - one)
    u = d / 2
    v = (i**2 + j**2) / (2 * j) - i / j * u
    z = np.cross(x, y)
    return one + u * x + v * y - np.sign(z[2]) * np.sqrt(ROD**2 - u**2 - v**2) * z


def test_three_degrees_of_freedom_whatever_it_holds_and_nothing_is_compiled(result):
    assert [record.info["dof"] for record in result.segments] == [3 + 12, 3, 3, 3, 3, 3]
    assert {record.states_invariant for record in result.segments} == {9}  # hinge, speed and controller of each drive
    assert result.statistics["compilations_after_start"] == 0
    assert result.success


def test_rods_end_in_their_sockets(result):
    assert result["mechanics.constraint_residual"].max() < 1e-9
    for k in (1, 2, 3):
        for side in ("left", "right"):
            gap = result[f"leg{k}.{side}.end.r_abs"] - result[f"leg{k}.{side}_socket.r_abs"]
            assert np.abs(gap).max() < 1e-9
            length = result[f"leg{k}.{side}_socket.r_abs"] - result[f"leg{k}.{side}_knee.r_abs"]
            np.testing.assert_allclose(np.linalg.norm(length, axis=1), ROD, atol=1e-9)


def test_the_plate_stays_parallel_to_the_base(result):
    np.testing.assert_allclose(result["plate.R_abs"], np.broadcast_to(np.eye(3), result["plate.R_abs"].shape), atol=1e-9)
    assert np.abs(result["plate.w_abs"]).max() < 1e-8
    assert np.ptp(result["plate.r_abs"], axis=0).min() > 0.1  # it moves in all directions


def test_upper_arms_stand_where_the_position_of_the_plate_says(result):
    measured = np.stack([result[f"leg{k}.hinge.phi"] for k in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(measured, inverse_kinematics(result["plate.r_abs"]), atol=1e-9)


def test_the_plate_follows_the_path_of_the_references(result):
    references = np.stack([result[f"actions.hip{k}.position"] for k in (1, 2, 3)], axis=1)
    wanted = np.array([forward_kinematics(theta) for theta in references])
    np.testing.assert_allclose(inverse_kinematics(wanted), references, atol=1e-9)  # both formulas fit to each other
    away = np.linalg.norm(result["plate.r_abs"] - wanted, axis=1)
    assert away.max() < 0.005  # at 40 rad/s2, with 2 kg
    assert away[-1] < 1e-5


def test_power_of_the_drives_is_the_change_of_energy(result):
    """Constraint forces of the loops do no work: what the hinges get is kinetic and potential energy of the bodies."""
    for number in range(2, 7):
        segment = result.segment(number)
        energy = segment["mechanics.kinetic_energy"] + segment["mechanics.potential_energy"]
        power = sum(segment[f"leg{k}.hinge.flange.tau"] * segment[f"leg{k}.hinge.w"] for k in (1, 2, 3))
        work = np.cumsum(np.diff(segment.time) * (power[1:] + power[:-1]) / 2)
        assert np.ptp(work) > 10.0
        np.testing.assert_allclose(energy[1:] - energy[0], work, atol=0.01 * np.ptp(work))


def test_parts_stand_in_their_places(result):
    for name, (x, y) in PLACES.items():
        np.testing.assert_allclose(result[f"{name}.body.r_abs"][-1], [x, y, -1.12], atol=1e-3)
        np.testing.assert_allclose(result[f"{name}.body.R_abs"][-1], np.eye(3), atol=1e-8)


def test_the_scenario_holds_what_the_planner_computes(tmp_path):
    spec = importlib.util.spec_from_file_location("delta_plan", FOLDER / "plan.py")
    plan = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plan)
    copy = tmp_path / "parallel_robot.yaml"
    copy.write_text((FOLDER / "parallel_robot.yaml").read_text())
    plan.store(copy)
    assert copy.read_text() == (FOLDER / "parallel_robot.yaml").read_text()
