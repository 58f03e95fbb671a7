"""A system of equations written with arrays and the same written with scalars: equal results, equal work.

Whether the matrix is constant, how large and how sparse it is, and who solves it in DAE mode follow from its elements alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationModel, Var, instantiate
from modiapy.simulation.evaluation.machine import Machine

pytestmark = pytest.mark.white_box

SIZES = {"LU": 14, "LAPACK": 44, "sparse LU": 240}
"""Sizes for which a matrix of the kind is solved like that."""


def matrix(solver: str) -> np.ndarray:
    """Full, or that of a lattice, which no choice of torn unknowns makes small; diagonally dominant."""
    n = SIZES[solver]
    if solver != "sparse LU":
        return np.random.default_rng(n).uniform(-1.0, 1.0, (n, n)) + n * np.eye(n)
    wide, a = 15, np.zeros((n, n))
    for i in range(n):
        for j in (i - wide, i + wide, i - 1 if i % wide else -1, i + 1 if (i + 1) % wide else -1):
            if 0 <= j < n:
                a[i, j] = -1.0 - 0.25 * np.sin(i + 2.0 * j)
    return a + 6.0 * np.eye(n)


def of_arrays(a: np.ndarray, varying: bool) -> Model:
    """``A(v)*der(v) = b - v``, or ``A*der(v) = b - v``."""
    n = len(a)
    factor = "(1 + 0.1*sin(time))*" if varying else ""
    return Model(
        A=a, b=np.linspace(1.0, 2.0, n), v=Var(init=np.zeros(n)), x=Var(init=np.zeros(n)),
        equations=[f"{factor}(A@der(v)) = b*cos(time) - v", "der(x) = v"],
    )  # fmt: skip


def of_scalars(a: np.ndarray, varying: bool) -> Model:
    """The same, one equation for each row."""
    n = len(a)
    factor = "(1 + 0.1*sin(time))*" if varying else ""
    parts: dict[str, Any] = {f"v{i}": Var(init=0.0) for i in range(n)} | {f"x{i}": Var(init=0.0) for i in range(n)}
    equations = [f"der(x{i}) = v{i}" for i in range(n)]
    for i, b in enumerate(np.linspace(1.0, 2.0, n)):
        row = " + ".join(f"{a[i, j]!r}*der(v{j})".replace("np.float64", "") for j in np.flatnonzero(a[i]))
        equations.append(f"{factor}({row}) = {float(b)!r}*cos(time) - v{i}")
    return Model(**parts, equations=equations)


@pytest.fixture(scope="module", params=SIZES)
def solver(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module", params=["constant", "varying"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pair(solver: str, kind: str) -> tuple[SimulationModel, SimulationModel]:
    a = matrix(solver)
    return instantiate(of_scalars(a, kind == "varying")), instantiate(of_arrays(a, kind == "varying"))


def test_the_same_solver_is_chosen(pair: tuple[SimulationModel, SimulationModel], solver: str, kind: str) -> None:
    for sim in pair:
        found = re.findall(r"  (linear.*): \d+ unknowns", str(sim.report()))
        assert found == [f"linear, constant, {solver}" if kind == "constant" else f"linear, {solver}"]


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_results_and_work_are_the_same(
    pair: tuple[SimulationModel, SimulationModel], solver: str, kind: str, mode: str
) -> None:
    scalars, arrays = (sim.simulate(1.0, mode=mode, tolerance=1e-7) for sim in pair)
    n = arrays["v"].shape[1]
    for name in "vx":
        one_by_one = np.column_stack([scalars[f"{name}{k}"] for k in range(n)])
        assert np.abs(arrays[name] - one_by_one).max() < 1e-9
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations", "events", "factorisations"):
        assert arrays.statistics[name] == scalars.statistics[name], name
    auto = [sim.simulate(1.0, tolerance=1e-7).statistics["steps"] for sim in pair]
    faster = "ode" if kind == "constant" and solver != "sparse LU" else "dae"
    assert (auto == [arrays.statistics["steps"]] * 2) == (mode == faster)


def test_a_matrix_that_varies_by_what_is_computed_on_the_way_to_the_residual_is_not_constant() -> None:
    """``w`` is no unknown of the system, its factor varies."""
    a, b = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([1.0, 2.0])
    equations = ["s = 1 + time", "w = A@x", "x + s*w = b"]
    sim = instantiate(Model(A=a, b=b, s=Var(), x=Var(shape=(2,)), w=Var(shape=(2,)), equations=equations))
    result = sim.simulate(1.0, interval=0.25)
    assert result["x"] == pytest.approx(
        np.array([np.linalg.solve(np.eye(2) + (1.0 + t) * a, b) for t in result.time]), rel=1e-12
    )


def test_a_constant_matrix_of_an_array_is_factorised_where_an_integration_begins_only() -> None:
    n = 200
    a = np.random.default_rng(1).normal(size=(n, n)) + n * np.eye(n)
    b = np.arange(1.0, n + 1.0)
    model = Model(A=a, b=b, x=Var(shape=(n,)), y=Var(init=np.zeros(n)), equations=["A@x = b*time", "der(y) = x"])
    sim = instantiate(model)
    result = sim.simulate(2.0)
    assert result.statistics["factorisations"] == 2  # the other one is that of the initial event
    assert result.statistics["rhs_evaluations"] > 20
    np.testing.assert_allclose(result["x"][-1], np.linalg.solve(a, b) * 2.0, rtol=1e-12)


@pytest.mark.parametrize(
    ("follows", "constant"),
    [("B@x", True), ("p*(B@x) + time", True), ("time*(B@x)", False), ("(1 + s)*(B@x)", False), ("B@x*s + b", False)],
)
def test_a_matrix_is_constant_if_what_follows_from_its_unknowns_does_so_by_constants(follows: str, constant: bool) -> None:
    a, b, c = np.array([[5.0, 1.0], [2.0, 7.0]]), np.array([[1.5, 0.5], [0.5, 1.0]]), np.array([1.0, 2.0])
    model = Model(A=a, B=b, b=c, p=2.0, s=Var(init=1.0), x=Var(shape=2), y=Var(shape=2))
    sim = instantiate(model | Model(equations=["der(s) = 1", "A@x + y = b", f"y = {follows}"]))
    assert ("linear, constant" in str(sim.report())) == constant
    result = sim.simulate(1.0)
    for k in (0, -1):
        x, known = result["x"][k], {"B": b, "b": c, "p": 2.0, "time": result.time[k], "s": result["s"][k], "x": result["x"][k]}
        np.testing.assert_allclose(a @ x + eval(follows, known), c, rtol=1e-9)


def test_new_values_of_a_constant_matrix_are_factorised_anew() -> None:
    a, b = np.array([[3.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0])
    sim = instantiate(Model(p=1.0, A=a, b=b, x=Var(shape=(2,)), equations=["p*(A@x) = b"]))
    for p, matrix_now in ((1.0, a), (2.0, a), (1.0, a + np.eye(2))):
        result = sim.simulate(0.0, merge=Map(p=p, A=matrix_now))
        np.testing.assert_allclose(result["x"][-1], np.linalg.solve(p * matrix_now, b), rtol=1e-14)


Lattice = Model(
    n=6,
    A=np.eye(6),
    v=Var(init=0.0, shape="n"),
    equations=["(2 + sin(time))*(A@der(v)) = cos(time) - v"],
)
"""Its matrix and its size are merged."""


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_solver_and_residual_form_follow_the_size_of_a_simulation(mode: str) -> None:
    sim = instantiate(Lattice)
    found = []
    for n, full in ((6, False), (30, False), (80, True), (80, False)):
        a = 4.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1) + (0.01 if full else 0.0)
        result = sim.simulate(1.0, merge=Map(n=n, A=a), mode=mode, tolerance=1e-8)
        scipy = sim.simulate(1.0, merge=Map(n=n, A=a), solver="scipy", tolerance=1e-9)
        assert np.abs(result["v"][-1] - scipy["v"][-1]).max() < 1e-6
        assert result.statistics["compilations_after_start"] == 0
        machine = Machine(sim.compiled, sim._merged(Map(n=n, A=a)).flat)
        found.append(str(machine._context.systems[0].solver))
        assert sim.compiled.has_residuals_with(machine.flat.shapes) == (n >= 12)
    assert found == ["LU", "LU", "LAPACK", "sparse LU"]


def test_residual_form_of_arrays_needs_no_solution() -> None:
    """At each evaluation the integrator supplies the derivatives; matrices are factorised where outputs are computed only."""
    a = matrix("LAPACK")
    sim = instantiate(of_arrays(a, varying=True))
    ode, dae = (sim.simulate(1.0, mode=mode, interval=1.0) for mode in ("ode", "dae"))
    assert ode.statistics["factorisations"] > ode.statistics["rhs_evaluations"]
    assert dae.statistics["factorisations"] < 12 < dae.statistics["rhs_evaluations"]
    auto = sim.simulate(1.0, interval=1.0)
    assert auto.statistics["rhs_evaluations"] == dae.statistics["rhs_evaluations"]


@pytest.mark.parametrize("form", [of_scalars, of_arrays])
def test_derivatives_behind_torn_ones_are_left_to_the_integrator(form: Callable[[np.ndarray, bool], Model]) -> None:
    """Rows ``der(u) + B*der(w) = ...`` are solved for ``der(u)``; those for ``der(w)`` contain what they did nevertheless."""
    n = 30
    if form is of_arrays:
        model = Model(
            A=4.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1),
            B=0.5 * np.roll(np.eye(n), 2, axis=1),
            u=Var(init=np.linspace(0.0, 1.0, n)),
            w=Var(init=np.linspace(2.0, 1.0, n)),
            equations=["der(u) + B@der(w) = -u + time", "(2 + cos(time))*(A@der(w)) + cos(time)*der(u) = -w"],
        )
    else:
        parts = {f"u{k}": Var(init=float(u)) for k, u in enumerate(np.linspace(0.0, 1.0, n))}
        parts |= {f"w{k}": Var(init=float(w)) for k, w in enumerate(np.linspace(2.0, 1.0, n))}
        beside = ["".join(f" - der(w{j})" for j in (k - 1, k + 1) if 0 <= j < n) for k in range(n)]
        equations = [f"der(u{k}) + 0.5*der(w{(k + 2) % n}) = -u{k} + time" for k in range(n)]
        equations += [f"(2 + cos(time))*(4*der(w{k}){beside[k]}) + cos(time)*der(u{k}) = -w{k}" for k in range(n)]
        model = Model(**parts, equations=equations)
    sim = instantiate(model)
    machine = Machine(sim.compiled, sim.flat)
    size = 2 * n
    machine.enter_segment({}, size, 0)
    problem = machine.problem(size, 0, dae=True)
    assert problem.residual is not None
    assert problem.incidence is not None
    x, rates, r = np.linspace(-1.0, 1.0, size), np.zeros(size), np.full(size, np.nan)
    assert problem.rhs(0.3, x, rates) == 0
    assert problem.residual(0.3, x, rates, r) == 0
    assert np.abs(r).max() < 1e-12
    entries = set(zip(problem.incidence.rows.tolist(), problem.incidence.columns.tolist(), strict=True))
    assert len(entries) == 6 * n - 2
    found = set[tuple[int, int]]()
    for k in range(size):
        moved = rates.copy()
        moved[k] += 1.0
        assert problem.residual(0.3, x, moved, r) == 0
        found |= {(int(i), k) for i in np.flatnonzero(np.abs(r) > 1e-9)}
    assert found == entries
    ode, dae = (sim.simulate(2.0, mode=mode, tolerance=1e-8) for mode in ("ode", "dae"))
    for name in sim.states:
        assert np.abs(ode[name] - dae[name]).max() < 1e-5


def masses(n: int) -> tuple[dict[str, Any], list[str]]:
    """n scalars with one linear system for their derivatives."""
    parts = {f"v{k}": Var(init=0.1 * k) for k in range(n)}
    equations = []
    for k in range(n):
        others = " + ".join(f"0.2*sin(v{k})*der(v{j})" for j in (k - 1, k + 1) if 0 <= j < n)
        equations.append(f"(2 + cos(v{k}))*der(v{k}) + {others} = -v{k}")
    return parts, equations


@pytest.mark.parametrize("mode", ["ode", "dae", "auto"])
def test_unrelated_arrays_do_not_change_how_scalars_are_solved(mode: str) -> None:
    parts, equations = masses(20)
    alone = Model(**parts, a0=Var(init=1.0), a1=Var(init=2.0), equations=[*equations, "der(a0) = -a0", "der(a1) = -a1"])
    beside = Model(**parts, unused=np.ones(3), a=Var(init=[1.0, 2.0]), equations=[*equations, "der(a) = -a"])
    scalars, arrays = (instantiate(model).simulate(2.0, mode=mode, interval=0.1) for model in (alone, beside))
    for k in range(20):
        assert np.array_equal(arrays[f"v{k}"], scalars[f"v{k}"])
    assert np.array_equal(arrays["a"], np.column_stack([scalars["a0"], scalars["a1"]]))
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations", "factorisations"):
        assert arrays.statistics[name] == scalars.statistics[name], name


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_a_system_of_scalars_and_arrays(mode: str) -> None:
    """A body of n elements and a scalar that share one system of equations."""
    n = 20
    scalar = Model(
        w=Var(init=1.0),
        **{f"v{k}": Var(init=0.0) for k in range(n)},
        equations=[
            *(f"(2 + cos(time))*der(v{k}) + (0.1 + 0.01*time)*der(w) = -v{k} + {k}" for k in range(n)),
            f"(3 + sin(time))*der(w) + (0.1 + 0.01*time)*({' + '.join(f'der(v{k})' for k in range(n))}) = -w",
        ],
    )
    mixed = Model(
        v=Var(init=np.zeros(n)),
        w=Var(init=1.0),
        k=np.arange(float(n)),
        equations=[
            "(2 + cos(time))*der(v) + (0.1 + 0.01*time)*der(w) = -v + k",
            "(3 + sin(time))*der(w) + (0.1 + 0.01*time)*sum(der(v)) = -w",
        ],
    )
    scalars, arrays = (instantiate(model).simulate(1.0, mode=mode, tolerance=1e-8) for model in (scalar, mixed))
    assert np.abs(arrays["w"] - scalars["w"]).max() < 1e-10
    assert np.abs(arrays["v"][:, 7] - scalars["v7"]).max() < 1e-10
    for name in ("steps", "rhs_evaluations", "jacobian_evaluations", "factorisations"):
        assert arrays.statistics[name] == scalars.statistics[name], name


def test_what_does_not_depend_on_the_unknowns_is_computed_once() -> None:
    """An exponential beside a matrix with 40 unknowns, of which the iteration evaluates the equations 42 times."""
    n = 40
    sim = instantiate(
        Model(
            A=np.ones((n, n)) + n * np.eye(n),
            b=np.ones(n),
            x=Var(shape=(n,)),
            equations=["(2 + sin(time))*(A@x) = exp(b*time)"],
        )
    )
    code = sim.compiled.code.ir
    assert code.count("call double @modia_exp") == 1
    assert code.index("call double @modia_exp") < code.index("\niterate")
    expected = np.exp(1.0) / (2.0 + np.sin(1.0)) / (2 * n)
    np.testing.assert_allclose(sim.simulate(1.0)["x"][-1], expected, rtol=1e-12)


def test_constraints_are_kept_beside_arrays() -> None:
    """A pendulum in Cartesian coordinates, and an array that has nothing to do with it."""
    parts: dict[str, Any] = {"x": Var(init=1.0), "y": Var(init=0.0), "vx": Var(init=0.0), "vy": Var(init=0.0), "f": Var()}
    motion = ["der(x) = vx", "der(y) = vy", "der(vx) = -f*x", "der(vy) = -f*y - 9.81", "x**2 + y**2 = 1"]
    alone = Model(**parts, a0=Var(init=1.0), a1=Var(init=2.0), equations=[*motion, "der(a0) = -a0", "der(a1) = -a1"])
    beside = Model(**parts, a=Var(init=[1.0, 2.0]), equations=[*motion, "der(a) = -a"])
    scalars, arrays = (instantiate(model).simulate(2.0) for model in (alone, beside))
    assert arrays.statistics["steps"] == scalars.statistics["steps"]
    assert np.array_equal(arrays["x"], scalars["x"])
    assert np.array_equal(arrays["a"][:, 1], scalars["a1"])


def test_constraints_between_arrays_are_refused_by_name() -> None:
    two = Model(
        x=Var(init=[1.0, 0.0]),
        y=Var(init=[0.0, -1.0]),
        vx=Var(init=[0.0, 0.0]),
        vy=Var(init=[0.0, 0.0]),
        f=Var(shape=(2,)),
        equations=["der(x) = vx", "der(y) = vy", "der(vx) = -f*x", "der(vy) = -f*y - 9.81", "x**2 + y**2 = 1"],
    )
    with pytest.raises(ModelError, match=r"between arrays.*'vx' of shape"):
        instantiate(two)


def test_nonlinear_systems_of_arrays_and_of_scalars_take_the_same_iterations() -> None:
    """Exponentials behind a body of assignments: torn alone, the iteration does not converge."""
    n = 3
    scalar = Model(
        **{f"{name}{k}": Var() for k in range(n) for name in "uij"},
        equations=[
            line
            for k in range(n)
            for line in (
                f"i{k} = 1e-12*(exp(u{k}/0.025) - 1)",
                f"j{k} = (10 + {k} + time - u{k})/0.01 - sin({'u2' if k == 0 else f'u{k - 1}'})",
                f"i{k} = j{k}",
            )
        ],
    )
    array = Model(
        u=Var(shape=(n,)),
        i=Var(shape=(n,)),
        j=Var(shape=(n,)),
        k=np.arange(float(n)),
        R=np.roll(np.eye(n), 1, axis=0),
        equations=["i = 1e-12*(exp(u/0.025) - 1)", "j = (10 + k + time - u)/0.01 - sin(R@u)", "i = j"],
    )
    found, counts = [], []
    for model in (scalar, array):
        sim = instantiate(model)
        assert sim.report()["nonlinear systems"] == 1
        machine = Machine(sim.compiled, sim.flat)
        _, failed = machine.outputs(np.linspace(0.0, 1.0, 5), np.zeros((5, 0)))
        assert failed < 0
        result = sim.simulate(1.0, interval=0.25)
        found.append(np.column_stack([result[f"u{k}"] for k in range(n)]) if model is scalar else result["u"])
        counts.append(machine._context.newton[0].header[7:10].tolist())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-10)
    assert counts[0] == counts[1]
