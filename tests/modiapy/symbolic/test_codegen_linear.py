"""Linear equation iteration: solutions, constant matrices, singular systems, size of the code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy.acausal import ComponentFunction, Mode
from modiapy.symbolic.codegen.model import generate
from modiapy.symbolic.kernels.linear_memory import PROBE, STATUS_SINGULAR
from modiapy.symbolic.sorted.sorted_model import SortedModel

from .sorted_models import Run, assign, call, change_parameters, component_function, linear, sorted_model

pytestmark = pytest.mark.white_box


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODIA_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "codegen"))


def dense_model(a: np.ndarray, b: np.ndarray, constant: bool) -> SortedModel:
    """A w = (1 + time) b, with the products of the rows as variables of the block."""
    n = len(b)
    body = [assign(f"s[{i}] = {' + '.join(f'A[{i},{j}]*w[{j}]' for j in range(n))}") for i in range(n)]
    block = linear([f"w[{i}]" for i in range(n)], body, [f"s[{i}] - (1 + time)*b[{i}]" for i in range(n)], constant)
    parameters = {f"A[{i},{j}]": float(a[i, j]) for i in range(n) for j in range(n)}
    parameters |= {f"b[{i}]": float(b[i]) for i in range(n)}
    return sorted_model([block, assign("after_block = w[0] + s[0]")], parameters=parameters)


def chain_model(n: int) -> SortedModel:
    """Drives of n joints, coupled by one component function that is affine in the accelerations."""
    function = component_function(f"chain{n}", n, n, lambda c, i, o: 0)
    body = [assign(f"motor[{i}].a = ratio*a[{i}]") for i in range(n)]
    body += [assign(f"gear[{i}].tau = J*motor[{i}].a - torque*time") for i in range(n)]
    forces = call(function, [f"a[{i}]" for i in range(n)], [f"f[{i}]" for i in range(n)])
    block = linear([f"a[{i}]" for i in range(n)], [*body, forces], [f"f[{i}] + ratio*gear[{i}].tau" for i in range(n)])
    return sorted_model([block], parameters={"ratio": 105.0, "J": 1e-4, "torque": 2.0}, components=["c"])


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_the_solution_is_that_of_a_dense_solver(n: int, constant: bool) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(n, n)), rng.normal(size=n) * 1e4
    run = Run(dense_model(a, b, constant))
    for t in (0.0, 0.5, -3.0):
        values = run.outputs(t)
        w = np.array([values[f"w[{i}]"] for i in range(n)])
        expected = np.linalg.solve(a, (1 + t) * b)
        np.testing.assert_allclose(w, expected, rtol=0, atol=1e-13 * np.linalg.cond(a) * np.abs(expected).max())
        assert values["s[0]"] == pytest.approx((1 + t) * b[0], rel=1e-11)
        assert values["after_block"] == values["w[0]"] + values["s[0]"]


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(-8, 8), st.integers(-8, 8))
def test_badly_scaled_regular_systems_are_solved(seed: int, row: int, column: int) -> None:
    rng = np.random.default_rng(seed)
    a, solution = rng.normal(size=(3, 3)) + 4 * np.eye(3), rng.normal(size=3)
    scaled = a * np.array([10.0**row, 1.0, 1.0])[:, None] * np.array([1.0, 10.0**column, 1.0])
    expected = solution / np.array([1.0, 10.0**column, 1.0])
    values = Run(dense_model(scaled, scaled @ expected, False)).outputs()
    np.testing.assert_allclose([values[f"w[{i}]"] for i in range(3)], expected, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2])
def test_large_right_hand_sides_do_not_spoil_the_solution(n: int) -> None:
    """Columns of A are differences of residuals of size 1e6; the residual of the solution is nevertheless rounding error."""
    a = np.array([[0.3, 0.1], [0.1, 0.7]])[:n, :n]
    b = np.array([1e6 / 3, 1e6 / 7])[:n]
    values = Run(dense_model(a, b, False)).outputs()
    residual = a @ [values[f"w[{i}]"] for i in range(n)] - b
    assert np.abs(residual).max() <= 4 * np.finfo(float).eps * np.abs(b).max()


def counting(log: list[float]) -> ComponentFunction:
    """f(w, p) = (p*w[i] + w[0]) that notes how often it is called."""

    def code(context: object, inputs: list[float], outputs: list[float]) -> int:
        log.append(1.0)
        for i in range(3):
            outputs[i] = inputs[3] * inputs[i] + inputs[0]
        return 0

    return component_function("counting", 4, 3, code)


def test_a_constant_matrix_is_factorised_once_and_again_after_a_change_of_parameters() -> None:
    log: list[float] = []
    names = [f"w[{i}]" for i in range(3)]
    body = [call(counting(log), [*names, "p"], ["f[0]", "f[1]", "f[2]"])]
    residuals = [f"f[{i}] - b*{i + 1}" for i in range(3)]
    changing = Run(sorted_model([linear(names, body, residuals)], parameters={"p": 2.0, "b": 6.0}, components=["c"]))
    constant = Run(sorted_model([linear(names, body, residuals, True)], parameters={"p": 2.0, "b": 6.0}, components=["c"]))

    def calls(run: Run, mode: int = 0) -> int:
        log.clear()
        assert run.outputs(0.0, (), mode) == {"w[0]": 2.0, "w[1]": 5.0, "w[2]": 8.0, "f[0]": 6.0, "f[1]": 12.0, "f[2]": 18.0}
        return len(log)

    assert [calls(changing), calls(changing)] == [5, 5]  # b, three columns, the solution
    assert [calls(constant, Mode.INITIAL), calls(constant), calls(constant)] == [5, 2, 2]
    change_parameters(constant.context, {"p": 5.0})
    assert constant.outputs()["w[0]"] == 1.0
    change_parameters(constant.context, {"p": 2.0})
    assert [calls(constant), calls(constant)] == [5, 2]


def test_one_unknown_is_a_division_without_a_call_of_the_equation_solver() -> None:
    for constant, factorised_once in ((False, [3, 3]), (True, [3, 2])):
        log: list[float] = []

        def code(context: object, inputs: list[float], outputs: list[float], log: list[float] = log) -> int:
            log.append(1.0)
            outputs[0] = 4 * inputs[0]
            return 0

        body = [call(component_function("four", 1, 1, code), ["w"], ["f"])]
        model = sorted_model([linear(["w"], body, ["f - time"], constant)], components=["c"])
        assert "@linear_iteration" not in generate(model).ir
        run, counts = Run(model), []
        for _ in range(2):
            log.clear()
            assert run.outputs(6.0)["w"] == 1.5
            counts.append(len(log))
        assert counts == factorised_once


def test_what_does_not_depend_on_the_unknowns_is_evaluated_once() -> None:
    block = linear(["w"], [assign("u = (sin(time) + exp(p))*w")], ["u - cos(time)*tan(p) + 3*w"])
    ir = generate(sorted_model([block], parameters={"p": 1.0})).ir
    assert all(ir.index(f"call double @modia_{name}") < ir.index("iterate") for name in ("sin", "exp", "cos", "tan"))


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("constant", [False, True])
def test_a_singular_system_is_reported_and_the_next_evaluation_is_unharmed(n: int, constant: bool) -> None:
    a = np.full((n, n), 0.1)
    a[-1] = a[0] * (3.0 if n > 1 else 0.0)
    run = Run(dense_model(a, np.ones(n), constant))
    assert run.status() == STATUS_SINGULAR
    assert run.context.failed_block == 0
    change_parameters(run.context, {f"A[{i},{j}]": float(i == j) for i in range(n) for j in range(n)})
    assert [run.outputs(2.0)[f"w[{i}]"] for i in range(n)] == [3.0] * n


def test_a_failure_in_the_middle_of_an_iteration_leaves_nothing_behind() -> None:
    fail = [False]

    def code(context: object, inputs: list[float], outputs: list[float]) -> int:
        outputs[0], outputs[1] = 2 * inputs[0], 4 * inputs[1]
        return 9 if fail[0] and inputs[0] == PROBE else 0

    body = [call(component_function("sometimes", 2, 2, code), ["v", "w"], ["f", "g"])]
    run = Run(sorted_model([linear(["v", "w"], body, ["f - 6", "g - 8"])], components=["c"]))
    for fail[0], status in ((False, 0), (True, 9), (False, 0)):
        assert run.status() == status
    assert run.outputs() == {"v": 3.0, "w": 2.0, "f": 6.0, "g": 8.0}


def test_several_systems_in_sequence_keep_their_memory_apart() -> None:
    blocks = [
        linear(["a", "b"], [], ["a + b - 3", "a - b - 1"], True),
        linear(["c"], [], ["2*c - a*b"], True),
        linear(["d", "e"], [], ["d + c*e - 5", "d - e"]),
    ]
    run = Run(sorted_model(blocks))
    for _ in range(3):
        assert run.outputs() == {"a": 2.0, "b": 1.0, "c": 1.0, "d": 2.5, "e": 2.5}


def test_the_code_of_a_linear_system_grows_linearly_with_its_size() -> None:
    sizes = [1, 7, 14, 28, 56]
    lengths = [generate(chain_model(n)).linear_iteration_bytes for n in sizes]
    exponent = np.polyfit(np.log(sizes), np.log(lengths), 1)[0]
    per_joint = np.polyfit(np.log(sizes[1:]), np.log(lengths[1:]), 1)[0]
    assert exponent <= 1.1
    assert per_joint <= 1.1
    assert math.isclose(lengths[4] - lengths[3], 2 * (lengths[3] - lengths[2]), rel_tol=0.1)
