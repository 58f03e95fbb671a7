"""Jacobians of many states: banded and sparse matrices, what components say of theirs, no matrix with n x n numbers."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.acausal import SegmentLayout, SegmentStart, Sparsity
from modiapy.library.heat_transfer import FixedTemperature, HeatCapacitor
from modiapy.simulation.evaluation.component_checks import begin_runs
from modiapy.simulation.evaluation.machine import Machine
from modiapy.simulation.segments.segment import begin_components
from modiapy.simulation.solvers import Problem, create_solver, linear

from .test_segments import UNIT

pytestmark = pytest.mark.white_box


def problem_of(model: Model, dae: bool = False):  # type: ignore[no-untyped-def]
    """The model of the first segment as integrators see it, and its states."""
    sim = instantiate(model)
    machine = Machine(sim.compiled, sim.flat)
    known = {name: v.init for name, v in sim.flat.variables.items()}
    starts = {path: SegmentStart(0.0, None, known.__getitem__) for path in sim.flat.components}
    layouts = begin_components(begin_runs(sim.flat.components), starts)
    x = np.concatenate([sim.sorted.initial_states(), *(layout.x for layout in layouts.values())])
    machine.enter_segment(layouts, x.size, 0)
    return machine.problem(x.size, 0, dae), x, machine


def jacobian(problem, x: np.ndarray) -> np.ndarray:  # type: ignore[no-untyped-def]
    """df/dx, one column after the other."""
    f, g = np.empty(x.size), np.empty(x.size)
    assert problem.rhs(0.0, x, f) == 0
    columns = []
    for k in range(x.size):
        shifted = x.copy()
        shifted[k] += 1.0
        assert problem.rhs(0.0, shifted, g) == 0
        columns.append(g - f)
    return np.array(columns).T


def between_sources(n: int) -> Model:
    return Model(
        rod=UNIT | Map(n=n),
        left=FixedTemperature | Map(T=400.0),
        right=FixedTemperature | Map(T=300.0),
        connect=[("left.port", "rod.port_a"), ("right.port", "rod.port_b")],
    )


def between_bodies(n: int) -> Model:
    bodies = {name: HeatCapacitor | Map(T=Var(init=t)) for name, t in (("hot", 390.0), ("cold", 310.0))}
    return Model(rod=UNIT | Map(n=n), **bodies, connect=[("hot.port", "rod.port_a"), ("rod.port_b", "cold.port")])


def saying(sparsity: Sparsity | None, model: Model) -> Model:
    """The model, its rod with this sparsity in the place of its own."""
    make = model["rod"]["_component"]

    def component(scope):  # type: ignore[no-untyped-def]
        rod = make(scope)
        begin_run = rod.begin_run

        def saying_run():  # type: ignore[no-untyped-def]
            run = begin_run()
            begin = run.init_segment

            def init_segment(start) -> SegmentLayout:  # type: ignore[no-untyped-def]
                layout = begin(start)
                layout.sparsity = sparsity
                return layout

            run.init_segment = init_segment
            return run

        rod.begin_run = saying_run
        return rod

    model["rod"]["_component"] = component
    return model


def conduction(side: int) -> Model:
    """Heat conduction in a square plate, the temperature at two sides given."""
    parts, equations = {}, []
    for i in range(side):
        for j in range(side):
            near = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
            terms = [f"(T{a}_{b} - T{i}_{j})" for a, b in near if 0 <= a < side and 0 <= b < side]
            terms += [f"(1 - T{i}_{j})"] * (i == 0) + [f"(0 - T{i}_{j})"] * (i == side - 1)
            parts[f"T{i}_{j}"] = Var(init=0.0)
            equations.append(f"der(T{i}_{j}) = {' + '.join(terms)}")
    return Model(**parts, equations=equations)


def test_rod_of_2000_volumes_has_a_band_matrix_and_the_temperature_of_the_heat_equation() -> None:
    n = 2000
    problem, _, _ = problem_of(between_sources(n))
    assert problem.incidence.bandwidths == (1, 1)
    assert linear.band(problem) == (1, 1)
    sim = instantiate(between_sources(n))
    tracemalloc.start()
    result = sim.simulate(4.0, interval=2.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * n / 2  # not even half a matrix of numbers
    x = (np.arange(n) + 0.5) / n
    k = np.arange(1, 40)[:, None]  # Fourier series of the rod that is 300 K warm at first, then 400 K at its left end
    decay = np.exp(-((np.pi * k) ** 2) * 2.0 / 3.0 * result.time[-1])
    series = 400.0 - 100.0 * x - (200.0 / (np.pi * k) * decay * np.sin(np.pi * k * x)).sum(axis=0)
    assert np.abs(result["rod.T"][-1] - series).max() < 1e-3
    assert result.statistics["rhs_evaluations"] < 1000


def test_incidence_of_rod_and_bodies_covers_the_jacobian_and_is_hardly_larger() -> None:
    problem, x, _ = problem_of(between_bodies(160))
    incidence = problem.incidence
    found = np.zeros((x.size, x.size), dtype=bool)
    found[incidence.rows, incidence.columns] = True
    true = np.abs(jacobian(problem, x)) > 1e-9
    assert not (true & ~found).any()
    assert incidence.rows.size <= np.count_nonzero(true) + 16
    assert incidence.n_colours <= 8


def test_a_component_that_says_nothing_is_dense() -> None:
    model = saying(None, between_bodies(160))
    problem, _, _ = problem_of(model)
    rows = problem.incidence.rows.size
    assert rows >= 160 * 160
    assert linear.band(problem) is None
    assert linear.sparse(problem) is None


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_plate_is_integrated_with_a_sparse_matrix_without_memory_for_a_dense_one(mode: str) -> None:
    side = 20
    sim = instantiate(conduction(side))
    problem = Machine(sim.compiled, sim.flat).problem(side * side, 0, mode == "dae")
    assert linear.band(problem) == (side, side)
    assert linear.sparse(problem) is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "WIDE_BAND", 1)
        assert linear.sparse(problem) is problem.incidence
        solver = create_solver("cvode", problem, 0.0, np.zeros(side * side), 1e-8, 1e-9, dae=mode == "dae")
        states = np.empty((2, side * side))
        solver.advance(np.array([1.0, 2000.0]), 2000.0, states)
        statistics = solver.statistics()
        solver.close()
    rows = 1.0 - (np.arange(side) + 1.0) / (side + 1)
    assert np.abs(states[1].reshape(side, side) - rows[:, None]).max() < 1e-6
    banded = sim.simulate(1.0, interval=1.0, tolerance=1e-8, mode=mode)
    last = [banded[f"T{i}_{j}"][-1] for i in range(side) for j in range(side)]
    assert np.abs(states[0] - last).max() < 1e-6
    assert statistics.rhs_evaluations < 1500


def test_residuals_depend_on_derivatives_that_the_integrator_supplies() -> None:
    """Masses coupled by inertia only: the derivatives depend on nothing, the residuals on each other's accelerations."""
    n = 60
    equations = [f"der(x{k}) = v{k}" for k in range(n)]
    for k in range(n):
        others = "".join(f" + {0.1 * (1 + k % 3)}*cos(time)*der(v{j})" for j in (k - 1, k + 1) if 0 <= j < n)
        equations.append(f"(2 + sin(time))*der(v{k}){others} = sin(time)")
    states = {f"{name}{k}": Var(init=0.0) for k in range(n) for name in "xv"}
    model = Model(**states, equations=equations)
    problem, _, machine = problem_of(model, dae=True)
    assert machine.compiled.has_residuals
    names = list(machine.sorted.states)
    entries = set(zip(problem.incidence.rows.tolist(), problem.incidence.columns.tolist(), strict=True))
    row = names.index("v7")
    assert {(row, names.index(f"v{k}")) for k in (6, 7, 8)} <= entries
    assert (row, names.index("v20")) not in entries
    ode, dae = (instantiate(model).simulate(3.0, mode=mode, tolerance=1e-8) for mode in ("ode", "dae"))
    assert dae["x7"][-1] == pytest.approx(ode["x7"][-1], abs=1e-6)
    assert dae.statistics["rhs_evaluations"] < 4000


def test_a_sparsity_with_an_input_that_a_function_does_not_have_is_refused() -> None:
    sparsity = Sparsity(np.arange(201), np.arange(200), inputs={"balance": np.array([[0, 0], [199, 2]])})
    model = saying(sparsity, between_sources(200))
    with pytest.raises(SimulationError, match=r"rod: .*sparsity.*found input 2 of 'balance'; expected a number below 2"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize(
    ("sparsity", "found"),
    [
        (Sparsity(np.array([0, 1]), np.array([0])), "starts of shape"),
        (Sparsity(np.arange(5), np.array([0, 1, 2, 9])), "9"),
        (Sparsity(np.arange(5), np.arange(4), inputs={"balance": np.array([[4, 0]])}), "balance"),
    ],
)
def test_a_contradictory_sparsity_is_refused_with_the_component(sparsity: Sparsity, found: str) -> None:
    model = saying(sparsity, between_sources(4))
    with pytest.raises(SimulationError, match=f"rod: .*sparsity.*{found}"):
        instantiate(model).simulate(1.0)


@pytest.mark.parametrize("said", [(True, True), (True, False), (False, True), (False, False)])
def test_of_several_components_each_has_its_own_states(said: tuple[bool, bool]) -> None:
    """Two rods of different length in series, of which each says what its states depend on, or nothing: then it is dense."""
    rods = {"one": UNIT | Map(n=30), "two": UNIT | Map(n=40)}
    model = Model(
        **{
            name: rod if says else saying(None, Model(rod=rod))["rod"]
            for (name, rod), says in zip(rods.items(), said, strict=True)
        },
        middle=HeatCapacitor | Map(T=Var(init=350.0)),
        left=FixedTemperature | Map(T=400.0),
        right=FixedTemperature | Map(T=300.0),
        connect=[
            ("left.port", "one.port_a"),
            ("one.port_b", "middle.port"),
            ("middle.port", "two.port_a"),
            ("two.port_b", "right.port"),
        ],
    )
    problem, x, _ = problem_of(model)
    found = np.zeros((x.size, x.size), dtype=bool)
    found[problem.incidence.rows, problem.incidence.columns] = True
    needed = np.abs(jacobian(problem, x)) > 1e-9
    assert found[needed].all()
    if all(said):
        np.testing.assert_array_equal(found[1:, 1:], (needed | np.eye(x.size, dtype=bool))[1:, 1:])
    for name, own in (("one", slice(1, 31)), ("two", slice(31, 71))):
        assert found[own, own].all() == (not dict(zip(rods, said, strict=True))[name])
    assert not found[1:31, 31:].any()
    assert not found[31:, 1:31].any()


@pytest.mark.parametrize(
    "equations",
    [
        ["der(x) = x[2] - x", "der(y) = z*y", "der(z) = y[-1] + x[0]", "der(w) = x - w"],
        [
            "der(x) + 0.1*der(y) + 0.3*der(w) = -x",
            "der(y) + 0.2*der(x) + 0.4*der(w) = x - y",
            "der(w) + 0.1*der(x) - 0.2*der(y) = w - y",
            "der(z) = x[3] - z",
        ],
    ],
    ids=["explicit", "implicit"],
)
def test_incidence_of_states_that_are_arrays_is_that_of_their_elements(equations: list[str]) -> None:
    """Also where a system of equations has arrays of unknowns: each element goes with its like only."""
    arrays = {name: Var(init=float(k), shape=25) for k, name in enumerate("xyw", 1)}
    model = Model(**arrays, z=Var(init=3.0), equations=equations)
    problem, x, _ = problem_of(model)
    found = np.zeros((x.size, x.size), dtype=bool)
    found[problem.incidence.rows, problem.incidence.columns] = True
    needed = (np.abs(jacobian(problem, x)) > 1e-9) | np.eye(x.size, dtype=bool)
    np.testing.assert_array_equal(found | np.eye(x.size, dtype=bool), needed)


def test_a_problem_is_the_same_where_sizes_and_sparsity_are() -> None:
    """Equal ones are one object, for which an integrator waits; what differs in one entry is another."""
    problem, x, machine = problem_of(between_bodies(160))
    (layout,) = machine.layouts.values()
    said = layout.sparsity
    assert isinstance(said, Sparsity)

    def entered(n_z: int = 0, dae: bool = False, **changes: Any) -> Problem:
        parts = {name: getattr(said, name) for name in ("starts", "columns", "inputs", "outputs")} | changes
        copied = {
            name: {key: np.array(pairs) for key, pairs in part.items()} if isinstance(part, Mapping) else part.copy()
            for name, part in parts.items()
        }
        new = SegmentLayout(**(vars(layout) | {"sparsity": Sparsity(**copied), "n_z": n_z}))
        machine.enter_segment({"rod": new}, x.size, n_z)
        return machine.problem(x.size, n_z, dae)

    def without_last(part: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: pairs[:-1] if len(pairs) else pairs for name, pairs in part.items()}

    assert entered() is problem
    columns = said.columns.copy()
    columns[2] = 9
    others = [
        entered(columns=columns),
        entered(inputs=without_last(said.inputs)),
        entered(outputs=without_last(said.outputs)),
        entered(outputs={}),
        entered(n_z=1),
        entered(dae=True),
    ]
    assert len({id(other) for other in (problem, *others)}) == len(others) + 1
    found = [set(zip(p.incidence.rows.tolist(), p.incidence.columns.tolist(), strict=True)) for p in (problem, *others)]
    assert found[0] - found[1]
    assert found[0] > found[2]
    assert found[0] > found[3]
    assert found[5] == found[0]
    assert [other.n_z for other in others] == [0, 0, 0, 0, 1, 0]
    assert others[5].residual is not None
    assert entered() is problem
