"""The examples of Mechanics3DwithImpulses (MultiBondLib 1.3), scenarios/bond_graphs/impulses, against equations by hand."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario
from modiapy import Result

from .events_by_hand import System, motion

SCENARIOS = Path(__file__).parents[4] / "scenarios" / "bond_graphs" / "impulses"
G = 9.81


@cache
def simulated(name: str, stop_time: float = 10.0) -> Result:
    return read_scenario(SCENARIOS / f"{name}.yaml").instantiate().simulate(stop_time, tolerance=1e-10, interval=0.02)


def test_mixed_model() -> None:
    """A point mass at a spring of 12 N/m and 0.5 m; its pivot is at the height 1 m, the floor at 0.05 m."""
    result = simulated("mixed_model")
    pivot = np.array([0.0, 1.0])

    def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        d = pivot - q
        return 12.0 * (d - 0.5 * d / np.linalg.norm(d)) - [0.0, G]

    ball = System(lambda q: np.eye(2), forces, [lambda q: q[1] - 0.05], [lambda q: np.array([0.0, 1.0])])
    q, v, hits = motion(ball, [0.2, 0.5], [0.0, 0.0], result.time)
    assert len(hits) == result["CollisionSphereSphere1.collisions"][-1] > 10
    away = away_from(hits, result.time)
    assert result["x"][away, :2] == pytest.approx(q[away], abs=1e-6)
    assert result["v"][away, :2] == pytest.approx(v[away], abs=1e-5)


def away_from(hits: list[float], times: np.ndarray) -> np.ndarray:
    """Return which of the times are no collisions; there the results have both values."""
    return np.array([min((abs(t - hit) for hit in hits), default=1.0) > 1e-6 for t in times])


def test_bouncing_pendulum() -> None:
    result = simulated("bouncing_pendulum")
    pendulum = System(
        lambda q: np.array([[0.36 + 0.001]]),
        lambda q, v: np.array([0.6 * G * np.cos(q[0])]),
        [lambda q: 0.45 - 0.6 * np.sin(q[0])],
        [lambda q: np.array([-0.6 * np.cos(q[0])])],
    )
    q, v, hits = motion(pendulum, [0.0], [0.0], result.time)
    assert len(hits) == result["CollisionSphereSphere1.collisions"][-1] > 10
    away = away_from(hits, result.time)
    assert result["Revolute1.phi"][away] == pytest.approx(q[away, 0], abs=1e-6)
    assert result["Revolute1.w"][away] == pytest.approx(v[away, 0], abs=1e-5)


def test_newtons_cradle() -> None:
    """Five pendulums with 4.01 kg.m2 about their pivots; their balls are 0.2 mm apart."""
    result = simulated("newtons_cradle")

    def place(q: np.ndarray, k: int) -> np.ndarray:
        return np.array([0.5 * k + 2 * np.sin(q[k]), -2 * np.cos(q[k])])

    def gap(q: np.ndarray, k: int) -> float:
        return float(np.linalg.norm(place(q, k + 1) - place(q, k))) - 0.4998

    def slope(q: np.ndarray, k: int) -> np.ndarray:
        normal = place(q, k + 1) - place(q, k)
        normal /= np.linalg.norm(normal)
        found = np.zeros(5)
        found[k] = -2 * normal @ [np.cos(q[k]), np.sin(q[k])]
        found[k + 1] = 2 * normal @ [np.cos(q[k + 1]), np.sin(q[k + 1])]
        return found

    cradle = System(
        lambda q: 4.01 * np.eye(5),
        lambda q, v: -2 * G * np.sin(q),
        [lambda q, k=k: gap(q, k) for k in range(4)],
        [lambda q, k=k: slope(q, k) for k in range(4)],
    )
    q, _, hits = motion(cradle, np.radians([-40, -40, 0, 0, 80]), [0.0] * 5, result.time)
    angles = np.column_stack([result[f"Revolute{k}.phi"] for k in range(1, 6)])
    speeds = np.column_stack([result[f"Revolute{k}.w"] for k in range(1, 6)])
    away = away_from(hits, result.time)
    assert len(hits) == sum(result[f"CollisionSphereSphere{k}.collisions"][-1] for k in range(1, 5)) > 30
    assert angles[away] == pytest.approx(q[away], abs=1e-4)
    energy = 4.01 * (speeds**2).sum(axis=1) / 2 - 2 * G * np.cos(angles).sum(axis=1)
    assert energy == pytest.approx(np.full_like(energy, energy[0]), rel=1e-7)


def test_bullet_on_pendulum() -> None:
    """Both have 1 kg; the pendulum turns round and hits the ball from behind."""
    result = simulated("bullet_on_pendulum")

    def bob(q: np.ndarray) -> np.ndarray:
        return np.array([1 + 2 * np.sin(q[2]), -2 * np.cos(q[2])])

    def slope(q: np.ndarray) -> np.ndarray:
        normal = (bob(q) - q[:2]) / np.linalg.norm(bob(q) - q[:2])
        return np.array([*-normal, 2 * normal @ [np.cos(q[2]), np.sin(q[2])]])

    both = System(
        lambda q: np.diag([1.0, 1.0, 4.001]),
        lambda q, v: np.zeros(3),
        [lambda q: float(np.linalg.norm(bob(q) - q[:2])) - 0.5],
        [slope],
    )
    q, v, hits = motion(both, [-2, -2, 0], [4, 0, 0], result.time)
    assert hits[0] == pytest.approx(0.625, abs=1e-9)
    assert len(hits) == result["CollisionSphereSphere1.collisions"][-1] == 2
    away = away_from(hits, result.time)
    assert result["SimpleBody1.frame_a.P.x"][away, :2] == pytest.approx(q[away, :2], abs=1e-6)
    assert result["Revolute2.w"][away] == pytest.approx(v[away, 2], abs=1e-7)
    after = result["FreeTranslationalMovement1.v"][np.searchsorted(result.time, 1.0), 0]
    assert after == pytest.approx(4 * (1 - 1.00025) / 2.00025, abs=1e-9)  # 4.001/2**2: the mass of the pendulum at its bob


def test_bouncing_spherical() -> None:
    """Point of 1 kg at 1.3 m with 0.001 kg.m2, which turns with the rod: rotation about its axis does not matter here."""
    result = simulated("bouncing_spherical")
    x, v = result["SimpleBody1.frame_a.P.x"], result["SimpleBody1.frame_a.P.v"]
    inertia = 1.69 + 0.001

    def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Elevation and azimuth of the rod; gravity along -y."""
        t, _ = q
        return np.array(
            [
                -inertia * v[1] ** 2 * np.sin(t) * np.cos(t) - 1.3 * G * np.cos(t),
                2 * inertia * v[0] * v[1] * np.sin(t) * np.cos(t),
            ]
        )

    rod = System(
        lambda q: inertia * np.diag([1.0, np.cos(q[0]) ** 2]),
        forces,
        [lambda q: 1.3 * np.sin(q[0]) + 0.8],
        [lambda q: np.array([1.3 * np.cos(q[0]), 0.0])],
    )
    q, _, hits = motion(rod, [0.0, 0.0], [0.0, np.radians(80)], result.time)
    assert len(hits) == result["CollisionSphereSphere1.collisions"][-1] > 5
    away = away_from(hits, result.time)
    assert x[away, 1] == pytest.approx(1.3 * np.sin(q[away, 0]), abs=1e-6)
    assert x[away, 0] == pytest.approx(-1.3 * np.cos(q[away, 0]) * np.cos(q[away, 1]), abs=1e-6)
    assert x[away, 2] == pytest.approx(1.3 * np.cos(q[away, 0]) * np.sin(q[away, 1]), abs=1e-6)
    energy = 0.5 * inertia / 1.69 * (v**2).sum(axis=1) + G * x[:, 1]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-6)


@pytest.mark.parametrize(("name", "height"), [("cp1", -0.2), ("cp2", 0.0)])
def test_collision_pool(name: str, height: float) -> None:
    """Five spheres of 1e10 kg attract each other; each of the ten pairs may collide. Each grows errors tenfold."""
    result = simulated(name, 3.0)
    x0 = np.array([[-1, 0, 0], [1, 1, 0], [1, 0, -0.5], [0, height, 0.8 if name == "cp1" else 1.0], [0, -1, -0.8]])
    pairs = list(itertools.combinations(range(5), 2))

    def forces(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        x, found = q.reshape(5, 3), np.zeros((5, 3))
        for i, j in pairs:
            d = x[j] - x[i]
            pull = 6.6743e-11 * 1e10 * d / np.linalg.norm(d) ** 3
            found[i] += pull
            found[j] -= pull
        return found.ravel()

    def slope(q: np.ndarray, i: int, j: int) -> np.ndarray:
        x, found = q.reshape(5, 3), np.zeros((5, 3))
        found[j] = (x[j] - x[i]) / np.linalg.norm(x[j] - x[i])
        found[i] = -found[j]
        return found.ravel()

    def gap(q: np.ndarray, i: int, j: int) -> float:
        x = q.reshape(5, 3)
        return float(np.linalg.norm(x[j] - x[i])) - 0.2

    spheres = System(
        lambda q: np.eye(15),
        forces,
        [lambda q, i=i, j=j: gap(q, i, j) for i, j in pairs],
        [lambda q, i=i, j=j: slope(q, i, j) for i, j in pairs],
    )
    q, _, hits = motion(spheres, x0.ravel(), [0.0] * 15, result.time)
    assert len(hits) == sum(result[f"collision_pool.pair{i}_{j}.collisions"][-1] for i, j in pairs) > 3
    away = away_from(hits, result.time)
    x = np.column_stack([result[f"Body{k}.frame_a.P.x"] for k in range(1, 6)])
    assert x[away] == pytest.approx(q[away], abs=1e-4)
    assert result.statistics["impulses"] <= 12
