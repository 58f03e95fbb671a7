"""Heat conduction in a rod of N cells: the number of cells is a parameter, the machine code is the same."""

import numpy as np
import pytest

from modiapy import Map, Model, Var, instantiate
from modiapy.symbolic.codegen.compilation_counter import compilations

pytestmark = pytest.mark.white_box

Common = Model(N=10, L=1.0, k=1.0, c=1.0, T_left=1.0, T_right=0.0, T=Var(init=0.0, shape="N"))

ByFlows = Common | Model(
    q=Var(),
    energy=Var(),
    equations=[
        "q = concat(2*k*(T_left - T[0]), k*(T[:-1] - T[1:]), 2*k*(T[-1] - T_right))*N/L",
        "c*L/N*der(T) = q[:-1] - q[1:]",
        "energy = c*L/N*sum(T)",
    ],
)
ByElements = Common | Model(
    g=Var("k/c*(N/L)**2"),
    equations=[
        "der(T[0]) = g*(2*T_left - 3*T[0] + T[1])",
        "der(T[1:-1]) = g*(T[:-2] - 2*T[1:-1] + T[2:])",
        "der(T[-1]) = g*(2*T_right - 3*T[-1] + T[-2])",
    ],
)


def exact(x, t):
    """Temperature of the rod, 1 at x = 0, 0 at x = 1 and at the beginning (Fourier series)."""
    n = np.arange(1, 200)[:, None]
    return 1 - x - (2 / (n * np.pi) * np.sin(n * np.pi * x) * np.exp(-((n * np.pi) ** 2) * t)).sum(axis=0)


@pytest.mark.parametrize("model", [ByFlows, ByElements], ids=["flows", "elements"])
def test_number_of_cells_changes_without_new_code(model):
    sim = instantiate(model)
    errors = []
    for n in (10, 20, 40, 2):
        before = compilations()
        result = sim.simulate(0.05, tolerance=1e-8, merge=Map(N=n))
        assert compilations() == before
        assert result["T"].shape == (result.time.size, n)
        errors.append(np.abs(result["T"][-1] - exact((np.arange(n) + 0.5) / n, 0.05)).max())
    assert errors[0] > 3.5 * errors[1] > 3.5**2 * errors[2]  # second order in the width of the cells
    assert errors[2] < 1e-3


def test_energy_is_what_flows_in():
    result = instantiate(ByFlows).simulate(1.0, tolerance=1e-9)
    q, t = result["q"], result.time
    net = q[:, 0] - q[:, -1]
    supplied = np.concatenate([[0.0], np.cumsum(np.diff(t) * 0.5 * (net[1:] + net[:-1]))])
    np.testing.assert_allclose(result["energy"], supplied, atol=2e-3)
    np.testing.assert_allclose(result["energy"][-1], 0.5, atol=1e-3)


def test_rod_of_one_cell_has_no_inner_cells():
    result = instantiate(ByFlows).simulate(5.0, tolerance=1e-9, merge=Map(N=1))
    np.testing.assert_allclose(result["T"][-1], [0.5], atol=1e-6)
    assert result["q"].shape[1] == 2
