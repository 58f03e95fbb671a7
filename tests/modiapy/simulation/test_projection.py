"""States that a component keeps on constraints: the pendulum in Cartesian coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Model, instantiate

from .pendulums import GRAVITY, energy, pendulum, residuals

WAYS: dict[str, dict[str, str]] = {
    "cvode": {},
    "ida": {"mode": "dae"},
    "scipy": {"solver": "scipy"},
    "sundae": {"solver": "sundae"},
    "sundae dae": {"solver": "sundae", "mode": "dae"},
}
NAMES = ("x", "y", "vx", "vy")


def states(result: Any, path: str = "p") -> np.ndarray:
    """x, y, vx, vy of all stored points, shape (nt, 4)."""
    return np.stack([result[f"{path}.{name}"] for name in NAMES], axis=1)


def angles(times: np.ndarray, length: Any = lambda t: (1.0, 0.0), angle: float = 2.0, speed: float = 0.0) -> np.ndarray:
    """The pendulum in its angle, to 1e-11, shape (nt,)."""

    def rates(t: float, s: np.ndarray) -> list[float]:
        now, rate = length(t)
        return [s[1], -(GRAVITY * np.sin(s[0]) + 2.0 * rate * s[1]) / now]

    found = solve_ivp(rates, (0.0, times[-1]), [angle, speed], "DOP853", rtol=1e-12, atol=1e-12, dense_output=True)
    return np.asarray(found.sol(times)[0])


@pytest.mark.parametrize("own", [True, False], ids=["own states", "states of the equations"])
@pytest.mark.parametrize("way", WAYS)
def test_states_stay_on_the_constraints_and_energy_is_kept(way: str, own: bool) -> None:
    results = [
        instantiate(Model(p=pendulum(projects=projects, own=own))).simulate(40.0, interval=0.1, tolerance=1e-8, **WAYS[way])
        for projects in (True, False)
    ]
    kept, left = (states(result) for result in results)
    assert np.abs(residuals(kept)).max() <= 4e-15
    assert np.abs(residuals(left)).max() >= 1e-6
    errors = [np.abs(energy(s) - energy(s)[0]).max() for s in (kept, left)]
    assert errors[0] < min(1e-4, 0.5 * errors[1])
    steps = [result.statistics["steps"] for result in results]
    assert steps[0] < 1.1 * steps[1]
    expected = angles(results[0].time)
    assert np.abs(kept[:, 0] - np.sin(expected)).max() < 2e-4
    assert (results[0].statistics["projections"] > 500, results[1].statistics["projections"]) == (True, 0)
    assert results[0].statistics["compilations_after_start"] == 0
