"""Linear systems: the torn and sorted equations have the solution of the original ones."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Model, ModelError, SimulationError, Var, instantiate
from modiapy.flat import sort_model
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Assignment, LinearBlock, NonlinearBlock

from .flat_models import flat_model, residual

pytestmark = pytest.mark.white_box


def blocks(model):
    return [b for b in model.blocks if isinstance(b, LinearBlock)]


@st.composite
def linear_systems(draw):
    """Sparse, diagonally dominant: well posed. Rows and unknowns are shuffled, some coefficients are parameters."""
    n = draw(st.integers(2, 9))
    random = draw(st.randoms(use_true_random=False))
    matrix = np.zeros((n, n))
    for i in range(n):
        for j in random.sample(range(n), min(n, 3)):
            matrix[i, j] = random.choice([-2.0, -1.0, 1.0, 0.5])
        matrix[i, i] = 4.0 * random.choice([-1.0, 1.0])
    right = [random.uniform(-3.0, 3.0) for _ in range(n)]
    order = random.sample(range(n), n)
    return matrix[order][:, random.sample(range(n), n)], right


@settings(max_examples=60)
@given(linear_systems(), st.sampled_from(["number", "parameter", "time"]))
def test_random_linear_systems(system, kind):
    matrix, right = system
    n = len(right)
    scale = {"number": "1", "parameter": "p", "time": "(1 + time)"}[kind]
    equations = [
        " + ".join(f"{float(matrix[i, j])!r}*{scale}*x{j}" for j in range(n) if matrix[i, j]) + f" = {right[i]!r}"
        for i in range(n)
    ]
    flat = flat_model(equations, [f"x{j}" for j in range(n)], {"p": 1.5})
    model = sort_model(flat)
    values = interpret(model, 0.5, [], flat.parameters)
    assert max(abs(residual(model, e, {**values, "time": 0.5})) for e in flat.equations) < 1e-9
    factor = 1.0 if kind == "number" else 1.5
    np.testing.assert_allclose([values[f"x{j}"] for j in range(n)], np.linalg.solve(matrix * factor, right), atol=1e-10)
    assert all(b.constant == (kind != "time") for b in blocks(model))
    assert all(len(b.unknowns) == len(b.residuals) == len(b.equations) for b in blocks(model))


def resistor_network(edges, conductances, currents):
    """Node potentials of a network with injected currents, node 0 grounded, as a user would connect resistors."""
    n = len(currents)
    names = [f"v{k}" for k in range(n)]
    equations = ["v0 = 0"]
    flows = [[] for _ in range(n)]
    for k, (a, b) in enumerate(edges):
        names += [f"R{k}.u", f"R{k}.i"]
        equations += [f"R{k}.u = v{a} - v{b}", f"R{k}.u = R{k}.R*R{k}.i"]
        flows[a].append(f"- R{k}.i")
        flows[b].append(f"+ R{k}.i")
    equations += [f"J{k} {' '.join(flows[k])} = 0" for k in range(1, n)]
    parameters = {f"R{k}.R": 1.0 / g for k, g in enumerate(conductances)} | {f"J{k}": c for k, c in enumerate(currents)}
    return flat_model(equations, names, parameters)


@settings(max_examples=30)
@given(st.integers(3, 8), st.randoms(use_true_random=False))
def test_resistor_networks_against_the_laplacian(n, random):
    edges = [(k, random.randrange(k)) for k in range(1, n)] + [tuple(random.sample(range(n), 2)) for _ in range(n)]
    conductances = [random.choice([0.01, 0.1, 1.0, 5.0]) for _ in edges]
    currents = [0.0] + [random.uniform(-1.0, 1.0) for _ in range(n - 1)]
    flat = resistor_network(edges, conductances, currents)
    model = sort_model(flat)
    laplacian = np.zeros((n, n))
    for (a, b), g in zip(edges, conductances, strict=True):
        laplacian[[a, b], [a, b]] += g
        laplacian[[a, b], [b, a]] -= g
    expected = np.linalg.solve(laplacian[1:, 1:], currents[1:])
    values = interpret(model, 0.0, [], flat.parameters)
    np.testing.assert_allclose([values[f"v{k}"] for k in range(1, n)], expected, rtol=1e-9, atol=1e-9)
    assert all(block.constant for block in blocks(model))
    # the choice is a heuristic that also limits the amplification of rounding errors: below the branches, often below the nodes
    assert sum(len(block.unknowns) for block in blocks(model)) < len(edges)


def test_long_ladder_network_keeps_its_accuracy():
    n = 60  # shooting from one end would amplify rounding errors by 2.6**60
    edges = [(k, k - 1) for k in range(1, n)] + [(k, 0) for k in range(2, n)]
    flat = resistor_network(edges, [1.0] * len(edges), [0.0] * (n - 1) + [1.0])
    values = interpret(sort_model(flat), 0.0, [], flat.parameters)
    # far from its ends an infinite ladder of 1 Ohm resistors attenuates by the square of the golden ratio
    assert values[f"v{n // 2}"] / values[f"v{n // 2 - 1}"] == pytest.approx(((1.0 + math.sqrt(5.0)) / 2.0) ** 2, rel=1e-6)


def test_rc_circuit_is_its_closed_form():
    equations = """R.v = R.p - R.n; R.v = R.R*R.i; C.v = C.p - C.n; C.C*der(C.v) = C.i; V.v = V.p - V.n; V.v = V.V
        V.p = R.p; R.n = C.p; C.n = V.n; C.n = g; g = 0; V.i + R.i = 0; C.i - R.i = 0; gi - C.i - V.i = 0"""
    names = [f"{c}.{q}" for c in "RCV" for q in ("v", "p", "n", "i")] + ["g", "gi"]
    parameters = {"R.R": 2.0, "C.C": 3.0, "V.V": 10.0}
    model = sort_model(flat_model([e.strip() for e in equations.replace("\n", ";").split(";")], names, parameters))
    assert model.states == ["C.v"]
    assert not blocks(model)
    values = interpret(model, 0.0, [4.0], parameters)
    assert values["der(C.v)"] == pytest.approx((10.0 - 4.0) / (2.0 * 3.0))
    assert values["gi"] == pytest.approx(0.0)
    assert values["V.i"] == -3.0


def test_loop_broken_by_a_switch_is_torn_at_what_may_vanish():
    # ideal switch: u = 0 or i = 0; neither may be divided by
    equations = ["0 = i if noEvent(time < 1) else u", "u + R*i = U"]
    flat = flat_model(equations, ["u", "i"], {"R": 2.0, "U": 6.0})
    model = sort_model(flat)
    open_, closed = (interpret(model, t, [], flat.parameters) for t in (0.0, 2.0))
    assert (open_["u"], open_["i"]) == (6.0, 0.0)
    assert (closed["u"], closed["i"]) == (0.0, 3.0)
    assert not blocks(model)[0].constant


def test_parameter_that_is_zero_is_not_divided_by():
    equations = ["J*a = t1 + t2", "t2 = -d*a - k*t1", "t1 = 5 - a"]
    flat = flat_model(equations, ["a", "t1", "t2"], {"J": 0.0, "d": 0.0, "k": 0.5})
    values = interpret(sort_model(flat), 0.0, [], flat.parameters)
    assert (values["a"], values["t1"]) == pytest.approx((5.0, 0.0))


def test_parameters_change_without_sorting_again():
    equations = ["J*a = t1 + t2", "t2 = -d*a - k*t1", "t1 = 5 - a"]
    model = sort_model(flat_model(equations, ["a", "t1", "t2"], {"J": 1.0, "d": 1.0, "k": 0.5}))
    other = {"J": 3.0, "d": 2.0, "k": 0.25}
    assert interpret(model, 0.0, [], other)["a"] == pytest.approx(0.75 * 5.0 / (3.0 + 2.0 + 0.75))


def test_sequence_is_explicit_where_nothing_is_coupled():
    model = sort_model(flat_model(["z = 2*y", "y = 3*x + time", "x = sin(time)"], ["x", "y", "z"]))
    assert [b.variable for b in model.blocks if isinstance(b, Assignment)] == ["x", "y", "z"]
    assert model.unknowns == ["x", "y", "z"]
    assert interpret(model, 1.0, [], {})["z"] == pytest.approx(2.0 * (3.0 * math.sin(1.0) + 1.0))


def test_thousands_of_equations_need_no_recursion():
    n = 3000
    chain = [f"x{k} + sin(x{k + 1}) = time" for k in range(n)] + [f"x{n} = time"]
    ladder = [f"i{k} = u{k} - u{k + 1}" for k in range(n)] + [
        f"der(u{k}) = {f'i{k - 1}' if k else '1'} - i{k}" for k in range(n)
    ]
    names = [f"{q}{k}" for k in range(n) for q in "xiu"] + [f"x{n}", f"u{n}"]
    model = sort_model(flat_model([*chain, *ladder, f"u{n} = 0"], names))
    assert len(model.states) == n
    assert set(model.aliases) == {f"u{n}", f"i{n - 1}"}
    assert len(model.unknowns) == 3 * n
    assert interpret(model, 0.0, [0.0] * n, {})["x0"] == 0.0


@pytest.mark.parametrize("equations", [["0.5*sin(x) + y = 1", "x + y = 2*time"], ["x*y + x = 1", "x + y = 2*time"]])
def test_nonlinear_system_has_one_torn_unknown(equations):
    flat = flat_model(equations, ["x", "y"])
    model = sort_model(flat)
    [block] = model.blocks
    assert isinstance(block, NonlinearBlock)
    assert len(block.unknowns) == len(block.residuals) == len(block.body) == len(block.directional_derivatives) == 1
    values = {**interpret(model, 1.5, [], {}), "time": 1.5}
    assert max(abs(residual(model, e, values)) for e in flat.equations) < 1e-11


def test_code_of_the_jacobian_grows_linearly():
    """A chain of n nonlinear resistors: one torn unknown, and as many slopes as equations."""
    for n in (10, 40):
        equations = [f"u{k} - u{k + 1} = i + tanh(i)" for k in range(n)] + ["u0 = time", f"u{n} = 2*i"]
        [block] = [b for b in sort_model(flat_model(equations, [*(f"u{k}" for k in range(n + 1)), "i"])).blocks if
                   isinstance(b, NonlinearBlock)]  # fmt: skip
        assert len(block.unknowns) == 1
        assert len(block.directional_derivatives) == len(block.body) == n


def test_where_the_coefficient_vanishes_any_number_is_a_solution_or_none_is():
    """0*y = 0 has the smallest of all numbers; 0*y = 1 has none, and nothing is made up for it."""
    for right, value in (("0 if x >= 0.5 else 2", 0.0), ("2", np.inf)):
        model = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1", f"(1 if x < 0.5 else 0)*y = {right}"])
        said = pytest.warns(UserWarning, match="'y' cannot be computed") if np.isinf(value) else nullcontext()
        with said:
            result = instantiate(model).simulate(1.0)
        assert [result["y"][0], result["y"][-1]] == [2.0, value]


def test_unknown_that_cancels_is_named():
    with pytest.raises(ModelError, match="cancels"):
        sort_model(flat_model(["2*x = 2*x + time"], ["x"]))


def test_singular_linear_system_is_named_with_its_values():
    flat = flat_model([("a", "x + k*y = time"), ("b", "2*x + 6*y = 1")], ["x", "y"], {"k": 2.0})
    model = sort_model(flat)
    with pytest.raises(SimulationError, match="singular") as error:
        interpret(model, 0.5, [], {"k": 3.0})
    assert "k = 3.0" in str(error.value)
    assert "x + k*y = time" in str(error.value)
    assert error.value.time == 0.5


def test_failed_assignment_is_named_with_its_values():
    model = sort_model(flat_model([("pump", "p = sqrt(h)"), "der(h) = -p"], ["p", "h"]))
    with pytest.raises(SimulationError, match="'p' cannot be computed from 'p = sqrt\\(h\\)'") as error:
        interpret(model, 3.0, [-1.0], {})
    assert "h = -1.0" in error.value.found
    assert error.value.path == "pump"
    with pytest.raises(SimulationError, match="division"):
        interpret(sort_model(flat_model(["p*h = 1", "der(h) = -p"], ["p", "h"])), 0.0, [0.0], {})
