"""The benchmark of DAE mode: plain iteration, ODE and DAE mode simulate the same chain, which an independent model confirms."""

import functools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from benchmarks import dae_mode
from modiapy import instantiate


def test_a_row_has_all_figures():
    row = dae_mode.row(4, repetitions=1)
    ways = ("iteration", "ode", "dae")
    assert [f"{way}_s" in row for way in (*ways, "auto")] == [True] * 4
    assert min(value for name, value in row.items() if name != "difference") > 0.0
    assert 0.0 < row["difference"] < 1e-4  # they are not the same run three times


@functools.cache
def simulations(n):
    """Results of plain iteration, ODE and DAE mode."""
    sim = instantiate(dae_mode.chain(n))
    with dae_mode.plain_iteration():
        plain = instantiate(dae_mode.chain(n))
    assert any("plain" in block.call.function.symbol for block in plain.sorted.blocks if hasattr(block, "call"))
    return [plain.simulate(1.0, mode="ode"), sim.simulate(1.0, mode="ode"), sim.simulate(1.0, mode="dae")]


def accelerations(q, w):
    """Of a chain of rods in the plane with absolute angles, by Lagrange's equations; dampers at the joints."""
    n = q.size
    absolute, rates = np.cumsum(q), np.cumsum(w)
    heavier = np.array([[n - max(i, j) - 1 for j in range(n)] for i in range(n)])  # links beyond both
    coupling = (heavier + 0.5) * dae_mode.MASS * dae_mode.LINK**2
    np.fill_diagonal(coupling, (np.arange(n)[::-1] + 0.25 + 1 / 12) * dae_mode.MASS * dae_mode.LINK**2)
    turn = absolute[:, None] - absolute
    gravity = -9.81 * dae_mode.MASS * dae_mode.LINK * (np.arange(n)[::-1] + 0.5) * np.cos(absolute)
    damper = -dae_mode.DAMPING * w
    torque = damper - np.append(damper[1:], 0.0)
    right = gravity + torque - (coupling * np.sin(turn)) @ rates**2
    return np.diff(np.linalg.solve(coupling * np.cos(turn), right), prepend=0.0)


def test_all_ways_agree_with_lagrange():
    n = 4
    exact = solve_ivp(
        lambda _, x: np.concatenate([x[n:], accelerations(x[:n], x[n:])]), (0.0, 1.0), np.zeros(2 * n), "DOP853",
        rtol=1e-10, atol=1e-10,
    ).y[:n, -1]  # fmt: skip
    for result in simulations(n):
        np.testing.assert_allclose([result[f"joint{k}.phi"][-1] for k in range(n)], exact, atol=2e-4)


@pytest.mark.parametrize("n", [3, 5, 8, 10, 30, 40])
def test_the_mass_matrix_costs_no_steps(n):
    """ODE mode makes no more steps than the plain iteration: its accelerations are not noisier (with noise 3 to 8 times).

    Nor does it depend on rounding errors: small chains begin at rest, where CVODE's own increments are as small as these.
    """
    plain, ode, dae = simulations(n)
    for work in ("steps", "rhs_evaluations"):
        assert ode.statistics[work] <= plain.statistics[work]
    assert dae_mode.difference([plain, ode, dae], n) < 2e-3
