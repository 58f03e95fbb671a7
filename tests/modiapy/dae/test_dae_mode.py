"""DAE mode: the integrator solves for derivatives; ODE and DAE mode must give the same motion."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.dae_mode import chain
from modiapy import Map, Model, ModelError, Var, When, instantiate
from modiapy.simulation.evaluation.machine import Machine
from modiapy.simulation.solvers import create_solver, linear
from modiapy.simulation.solvers.jacobian import Differences, full_incidence

pytestmark = pytest.mark.white_box

N = 52


@pytest.fixture(scope="module")
def links():  # type: ignore[no-untyped-def]
    """A chain with more links than a linear system must have to be left to the integrator."""
    return instantiate(chain(N), "Chain")


def masses(n: int) -> Model:
    """n masses in a row; inertial coupling makes one linear system for all accelerations."""
    parts = {f"x{k}": Var(init=0.1 * k) for k in range(n)} | {f"v{k}": Var(init=0.0) for k in range(n)}
    equations = [f"der(x{k}) = v{k}" for k in range(n)]
    for k in range(n):
        neighbours = [j for j in (k - 1, k + 1) if 0 <= j < n]
        coupling = " + ".join(f"c*sin(x{k})*der(v{j})" for j in neighbours)
        equations.append(f"(2 + cos(x{k}))*der(v{k}) + {coupling} = -k*x{k} - d*v{k} + u")
    return Model(**parts, k=4.0, d=0.3, c=0.2, u=Var(), equations=[*equations, "u = 1 if time > 0.7 else 0"])


@pytest.mark.parametrize("solver", ["cvode", "sundae"])
def test_both_modes_give_the_same_motion_of_a_chain(links, solver: str) -> None:  # type: ignore[no-untyped-def]
    ode = links.simulate(0.2, tolerance=1e-8, mode="ode")
    dae = links.simulate(0.2, tolerance=1e-8, mode="dae", solver=solver)
    for k in (0, N // 2, N - 1):
        assert np.abs(ode[f"joint{k}.phi"] - dae[f"joint{k}.phi"]).max() < 1e-5
        assert np.abs(ode[f"joint{k}.w"] - dae[f"joint{k}.w"]).max() < 1e-3


def test_accelerations_of_the_result_solve_the_linear_system(links) -> None:  # type: ignore[no-untyped-def]
    result = links.simulate(0.1, mode="dae")
    times, w = result.time, result["joint3.w"]
    numeric = np.gradient(w, times)[5:-5]
    assert np.abs(result["der(joint3.w)"][5:-5] - numeric).max() < 1e-2 * np.abs(numeric).max()


def test_automatic_choice(links) -> None:  # type: ignore[no-untyped-def]
    assert links.compiled.has_residuals
    auto, dae = (links.simulate(0.05, mode=mode).statistics["steps"] for mode in ("auto", "dae"))
    assert auto == dae
    small = instantiate(chain(5))
    assert not small.compiled.has_residuals
    auto, ode = (small.simulate(0.05, mode=mode).statistics["rhs_evaluations"] for mode in ("auto", "ode"))
    assert auto == ode


def test_equations_alone_with_time_event_and_state_event() -> None:
    model = masses(60) | Map(n=Var(init=0.0), equations=[When("x59 < 5.5", ["n = pre(n) + 1", "reinit(v3, 1.0)"])])
    sim = instantiate(model)
    assert sim.compiled.has_residuals
    ode, dae = (sim.simulate(1.5, tolerance=1e-9, mode=mode) for mode in ("ode", "dae"))
    assert dae.statistics["events"] == ode.statistics["events"] >= 2
    assert ode["n"][-1] == dae["n"][-1] == 1.0
    for name in ("x0", "x3", "x59", "v3", "v59"):
        assert dae[name][-1] == pytest.approx(ode[name][-1], abs=1e-6)
    jump = int(np.flatnonzero(dae["v3"] == 1.0)[0])
    assert dae.time[jump] == pytest.approx(ode.time[int(np.flatnonzero(ode["v3"] == 1.0)[0])], abs=1e-7)


def test_residuals_vanish_for_the_derivatives_of_the_ode() -> None:
    sim = instantiate(masses(60))
    machine = Machine(sim.compiled, sim.flat)
    x = np.linspace(-1.0, 1.0, len(sim.states))
    machine.enter_segment({}, x.size, machine.n_relations)
    problem = machine.problem(x.size, machine.n_relations, dae=True)
    rates, r = np.zeros(x.size), np.full(x.size, np.nan)
    assert problem.rhs(0.0, x, rates) == 0
    assert problem.residual is not None
    assert problem.residual(0.0, x, rates, r) == 0
    assert np.abs(r).max() < 1e-12
    disturbed = rates.copy()
    disturbed[7] += 1.0
    assert problem.residual(0.0, x, disturbed, r) == 0
    assert np.abs(r).max() > 0.5


def test_dae_mode_of_a_small_model_is_the_same_equation() -> None:
    sim = instantiate(Model(x=Var(init=1.0), y=Var(init=0.0), equations=["der(x) = y", "der(y) = -x"]))
    result = sim.simulate(5.0, mode="dae", tolerance=1e-9, absolute_tolerance=1e-10)
    assert np.abs(result["x"] - np.cos(result.time)).max() < 1e-6


def test_a_model_without_states_runs_in_dae_mode() -> None:
    result = instantiate(Model(y=Var("2*time"))).simulate(1.0, mode="dae")
    assert result["y"][-1] == pytest.approx(2.0)


def test_unknown_mode_is_refused_with_the_nearest_name() -> None:
    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match="mode") as error:
        sim.simulate(1.0, mode="dea")
    assert "dae" in str(error.value)


def ladder(n: int) -> Model:
    """RC ladder in per-unit numbers."""
    parts = {f"v{k}": Var(init=0.0) for k in range(n)}
    equations = [
        f"der(v{k}) = {f'v{k - 1}' if k else '1'} - v{k}" + (f" - (v{k} - v{k + 1})" if k < n - 1 else "") for k in range(n)
    ]
    return Model(**parts, equations=equations)


def test_ladder_takes_a_band_matrix_and_is_right() -> None:
    from scipy.linalg import expm

    n = 60
    sim = instantiate(ladder(n))
    problem = Machine(sim.compiled, sim.flat).problem(n, 0)
    assert problem.incidence.bandwidths == (1, 1)
    assert int(problem.incidence.colours.max()) + 1 == 3
    assert linear.band(problem) == (1, 1)
    A = np.diag([-2.0] * (n - 1) + [-1.0]) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    exact = (np.eye(n) - expm(50.0 * A)) @ np.linalg.solve(-A, np.eye(n)[0])
    for mode in ("ode", "dae"):
        result = sim.simulate(50.0, tolerance=1e-8, mode=mode)
        assert np.abs([result[f"v{k}"][-1] - exact[k] for k in range(n)]).max() < 1e-6
    assert sim.simulate(50.0).statistics["rhs_evaluations"] < 400


def test_coloured_jacobian_equals_the_dense_one() -> None:
    n = 40
    rng = np.random.default_rng(5)
    equations = []
    for i in range(n):
        others = rng.choice(n, 3, replace=False)
        equations.append(f"der(x{i}) = -x{i}**3" + "".join(f" + {rng.normal():.3f}*sin(x{j})" for j in others))
    sim = instantiate(Model(**{f"x{k}": Var(init=0.1) for k in range(n)}, equations=equations))
    problem = Machine(sim.compiled, sim.flat).problem(n, 0)
    entries = linear.coloured(problem)
    assert entries is not None
    assert entries.n_colours < n // 2
    x, f = rng.normal(size=n), np.zeros(n)
    problem.rhs(0.0, x, f)
    coloured, every = np.zeros(entries.rows.size), np.zeros(n * n)
    Differences(problem, entries, 1e-6, 1e-7).explicit(0.0, x, f, coloured)
    Differences(problem, full_incidence(n), 1e-6, 1e-7).explicit(0.0, x, f, every)
    dense = every.reshape(n, n)  # a row for each column of the Jacobian
    found = np.zeros((n, n))
    found[entries.columns, entries.rows] = coloured
    assert np.array_equal(found, dense)
    out = np.zeros(n)
    for j in range(n):
        shifted = x.copy()
        shifted[j] += 1e-6
        problem.rhs(0.0, shifted, out)
        assert np.abs((out - f) / 1e-6 - dense[j]).max() < 1e-4


def test_integration_failure_in_dae_mode_names_the_state() -> None:
    from modiapy import SimulationError

    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = x**2"]))
    with pytest.raises(SimulationError, match="x"):
        sim.simulate(2.0, mode="dae")


def test_dae_solvers_are_made_by_name() -> None:
    sim = instantiate(ladder(3))
    problem = Machine(sim.compiled, sim.flat).problem(3, 0, dae=True)
    for name in ("cvode", "sundae"):
        solver = create_solver(name, problem, 0.0, np.zeros(3), 1e-6, 1e-7, dae=True)
        out = np.zeros((1, 3))
        assert solver.advance(np.array([1.0]), 1.0, out).count == 1
        assert solver.statistics().rhs_evaluations > 0
        solver.close()
