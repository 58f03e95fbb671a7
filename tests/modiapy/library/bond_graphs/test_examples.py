"""The introductory examples of MultiBondLib 1.3, scenarios/bond_graphs, against equations that are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from modia3d.files import read_scenario
from modiapy import Result

SCENARIOS = Path(__file__).parents[4] / "scenarios" / "bond_graphs"
G = 9.81


@cache
def simulated(name: str) -> Result:
    scenario = read_scenario(SCENARIOS / f"{name}.yaml")
    return scenario.instantiate().simulate(scenario.settings.stop_time, tolerance=1e-9, interval=0.1)


def integrated(rates: Callable[[float, np.ndarray], list[float]], x0: list[float], times: np.ndarray) -> np.ndarray:
    return solve_ivp(rates, (0.0, times[-1]), x0, "DOP853", times, rtol=1e-11, atol=1e-12).y


def test_electric_circuit() -> None:
    """C v' = i - G v, with the capacitance matrix of both nodes."""
    result = simulated("electric_circuit")
    capacitance = np.array([[0.02 + 0.025, -0.025], [-0.025, 0.05 + 0.025]])
    a = -np.linalg.solve(capacitance, np.diag([1 / 30, 1 / 75]))
    final = np.array([0.5 * 30, 0.0])
    exact = np.array([final - expm(a * t) @ final for t in result.time])
    for graph in ("single", "multi"):
        for k, side in enumerate(("left", "right")):
            assert result[f"V_{side}_{graph}"] == pytest.approx(exact[:, k], abs=1e-6)


def test_planar_pendulum() -> None:
    """L**2 phi'' = -g y'(phi), with x = cos(phi) - 3 sin(phi), y = -sin(phi) - 3 cos(phi), L**2 = 10."""
    result = simulated("planar_pendulum")
    phi, w = integrated(lambda t, x: [x[1], G * (np.cos(x[0]) - 3 * np.sin(x[0])) / 10], [0.0, 0.0], result.time)
    assert result["phi"] == pytest.approx(phi, abs=1e-6)
    assert result["vx"] == pytest.approx((-np.sin(phi) - 3 * np.cos(phi)) * w, abs=1e-5)
    assert result["vy"] == pytest.approx((-np.cos(phi) + 3 * np.sin(phi)) * w, abs=1e-5)
    energy = 0.5 * (result["vx"] ** 2 + result["vy"] ** 2) + G * (-np.sin(result["phi"]) - 3 * np.cos(result["phi"]))
    assert energy == pytest.approx(np.full_like(energy, -3 * G), abs=1e-5)


def crane_crab(t: float, x: np.ndarray) -> list[float]:
    """Lagrange's equations of two masses of 1 kg: x1, phi and their derivatives."""
    _, phi, v, w = x
    slope_x, slope_y = -np.sin(phi) - 3 * np.cos(phi), -np.cos(phi) + 3 * np.sin(phi)
    curvature_x = slope_y
    matrix = np.array([[2.0, slope_x], [slope_x, 10.0]])
    return [v, w, *np.linalg.solve(matrix, [-curvature_x * w**2, -G * slope_y])]


@pytest.mark.parametrize(("name", "shift"), [("crane_crab1", (1.0, 0.0)), ("crane_crab2", (1.0, -3.0))])
def test_crane_crab(name: str, shift: tuple[float, float]) -> None:
    """The frame of the originals is shifted by the vector of one more translation; the motion is the same."""
    result = simulated(name)
    x1, phi = integrated(crane_crab, [0.0, 0.0, 0.0, 0.0], result.time)[:2]
    assert result["x1"] == pytest.approx(x1, abs=1e-6)
    assert result["phi2"] == pytest.approx(phi, abs=1e-6)
    assert result["x2"] == pytest.approx(x1 + shift[0] + np.cos(phi) - 3 * np.sin(phi), abs=1e-5)
    assert result["y2"] == pytest.approx(shift[1] - np.sin(phi) - 3 * np.cos(phi), abs=1e-5)
    speed = result["mass1.f"][:, 0]
    momentum = speed + result["mass2.f"][:, 0]
    assert momentum == pytest.approx(np.zeros_like(momentum), abs=1e-6)  # nothing pushes along x
