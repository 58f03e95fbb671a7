"""Properties of what the passes deliver, whatever the equations look like: constraints, coefficients, closed forms, events."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Function, Map, Model, ModelError, SimulationError, Var, When, instantiate
from modiapy.flat import parse, sort_model
from modiapy.model.expression import evaluate
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import Assignment, Call, LinearBlock, NonlinearBlock

from .flat_models import call, flat_model, function

pytestmark = pytest.mark.white_box

seeds = st.integers(0, 10**9)
WAVES = [(1.0, 0.7), (0.6, 1.9), (-1.2, 1.1), (0.8, 2.3), (1.4, 0.4)]
"""Amplitude and frequency of the solutions ``a*sin(f*time)``."""


def wave(k: int, t: float, order: int = 0) -> float:
    amplitude, frequency = WAVES[k]
    return amplitude * frequency**order * math.sin(frequency * t + order * math.pi / 2)


def term(coefficient: float, name: str, choice: random.Random) -> str:
    """``coefficient*name`` in one of many forms; ``zero`` is a parameter with the value 0, ``p`` one with the value 2."""
    c = repr(float(coefficient))
    forms = (
        "({c})*{x}",
        "-(-({c})*{x})",
        "(({c})*p*{x})/p",
        "(p + ({c}))*{x} - {x}*p",
        "p*(({c})/p*{x} if p > 1 else 5*{x}) + zero*({x} if p < 1 else 3*{x})",
        "({c})*{x} + zero*{x}",
        "noEvent(2)*{x}*({c})/2",
    )
    return choice.choice(forms).format(c=c, x=name)


# -- states and constraints ---------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(seed=seeds, n=st.integers(2, 5), m=st.integers(1, 3))
def test_states_are_chosen_such_that_the_constraints_determine_the_others(seed: int, n: int, m: int) -> None:
    """``der(x) = f(t) + G^T r``, ``G x = g(t)`` with many dependent columns in G: x and r are known functions of time."""
    choice, m = random.Random(seed), min(m, n - 1)
    while True:
        matrix = np.array([[choice.choice((0.0, 0.0, 1.0, 1.0, -1.5, 2.5)) for _ in range(n)] for _ in range(m)])
        if m == 0 or np.linalg.svd(matrix, compute_uv=False)[-1] > 0.3:
            break
    equations = []
    for i in range(m):
        left = " + ".join(term(matrix[i, k], f"x{k}", choice) for k in range(n) if matrix[i, k] or choice.random() < 0.3)
        right = " + ".join(f"({float(matrix[i, k])!r})*({WAVES[k][0]!r})*sin({WAVES[k][1]!r}*time)" for k in range(n))
        equations.append(f"{left} = {right}")
    for k in range(n):
        forces = " + ".join(f"({float(matrix[i, k])!r})*r{i}" for i in range(m))
        rate = f"({WAVES[k][0] * WAVES[k][1]!r})*cos({WAVES[k][1]!r}*time)"
        multipliers = " + ".join(f"({float(matrix[i, k])!r})*{i + 1}" for i in range(m))
        equations.append(f"der(x{k}) = {rate} + {forces} - ({multipliers})")
    choice.shuffle(equations)
    names = [f"x{k}" for k in range(n)] + [f"r{i}" for i in range(m)]
    choice.shuffle(names)
    model = sort_model(flat_model(equations, names, {"p": 2.0, "zero": 0.0}))
    assert len(model.states) == n - m
    assert not any(isinstance(block, NonlinearBlock) for block in model.blocks)
    t = 0.37
    values = interpret(model, t, [wave(int(s[1:]), t) for s in model.states], {"p": 2.0, "zero": 0.0})
    for k in range(n):
        assert values[f"x{k}"] == pytest.approx(wave(k, t), rel=1e-9, abs=1e-9)
    for i in range(m):
        assert values[f"r{i}"] == pytest.approx(i + 1, rel=1e-8)


@settings(max_examples=30)
@given(seed=seeds, n=st.integers(2, 4), m=st.integers(1, 2))
def test_constraints_between_positions_determine_positions_speeds_and_accelerations(seed: int, n: int, m: int) -> None:
    """``der(der(x)) = f(t) + G^T r``, ``G x = g(t)``: x, its derivatives and r are known functions of time."""
    choice, m = random.Random(seed), min(m, n - 1)
    while True:
        matrix = np.array([[choice.choice((0.0, 1.0, 1.0, -1.5)) for _ in range(n)] for _ in range(m)])
        if np.linalg.svd(matrix, compute_uv=False)[-1] > 0.3:
            break
    equations = []
    for i in range(m):
        left = " + ".join(term(matrix[i, k], f"x{k}", choice) for k in range(n) if matrix[i, k])
        right = " + ".join(f"({float(matrix[i, k]) * WAVES[k][0]!r})*sin({WAVES[k][1]!r}*time)" for k in range(n))
        equations.append(f"{left} = {right}")
    for k in range(n):
        forces = " + ".join(f"({float(matrix[i, k])!r})*(r{i} - {i + 1})" for i in range(m))
        acceleration = f"({-WAVES[k][0] * WAVES[k][1] ** 2!r})*sin({WAVES[k][1]!r}*time)"
        if choice.random() < 0.5:
            equations += [f"der(x{k}) = v{k}", f"der(v{k}) = {acceleration} + {forces}"]
        else:
            equations += [f"v{k} = der(x{k})", f"der(der(x{k})) = {acceleration} + {forces}"]
    choice.shuffle(equations)
    names = [*[f"x{k}" for k in range(n)], *[f"v{k}" for k in range(n)], *[f"r{i}" for i in range(m)]]
    choice.shuffle(names)
    model = sort_model(flat_model(equations, names, {"p": 2.0, "zero": 0.0}))
    t = 0.37

    def exact(name: str) -> float:
        derivatives, base = name.count("der("), name.replace("der(", "").rstrip(")")
        return float(int(base[1:]) + 1) if base[0] == "r" else wave(int(base[1:]), t, derivatives + (base[0] == "v"))

    assert len(model.states) == 2 * (n - m)
    values = interpret(model, t, [exact(name) for name in model.states], {"p": 2.0, "zero": 0.0})
    for name in names:
        assert values[name] == pytest.approx(exact(name), rel=1e-8, abs=1e-8), name


def test_a_variable_that_must_be_a_state_lets_others_follow_also_by_changing_coefficients() -> None:
    equations = ["der(a) = f", "der(c) = g", "der(d) = -d", "a*exp(d) + c = sin(time)", "g = 1"]
    declared = {"a": {}, "c": {"state_select": "always"}, "d": {"init": 0.2}, "f": {}, "g": {}}
    model = sort_model(flat_model(equations, declared))
    assert set(model.states) == {"c", "d"}
    values = interpret(model, 0.3, [{"c": 0.4, "d": 0.2}[name] for name in model.states], {})
    assert values["a"] == pytest.approx((math.sin(0.3) - 0.4) / math.exp(0.2))
    # der(a)*exp(d) + a*exp(d)*der(d) + der(c) = cos(time)
    assert values["f"] == pytest.approx((math.cos(0.3) - 1) / math.exp(0.2) + values["a"] * 0.2)


@pytest.mark.parametrize(
    "form",
    [
        "zero*(x if p < 1 else 3*x)",
        "zero*x/p",
        "p*x - 2*x",
        "(p - 2)*x",
        "(x if p > 1 else 5*x) - x",
        "(x if p > 1 else 5*x) + (zero*x - x)*p/2",
        "-(x - p*(x/2)) - x + x",
    ],
)
def test_a_constraint_is_not_solved_for_a_variable_with_the_coefficient_zero(form: str) -> None:
    """x would be computed from others as it is declared last, but only y can be."""
    equations = [f"{form} + y = sin(time)", "der(y) = s", "der(x) = r", "r + x = time"]
    model = sort_model(flat_model(equations, ["y", "s", "x", "r"], {"p": 2.0, "zero": 0.0}))
    assert list(model.states) == ["x"]
    values = interpret(model, 0.3, [0.7], {"p": 2.0, "zero": 0.0})
    assert values["y"] == pytest.approx(math.sin(0.3))
    assert values["s"] == pytest.approx(math.cos(0.3))
    assert values["r"] == pytest.approx(-0.4)


def test_constraints_are_not_solved_for_combinations_that_both_have() -> None:
    """x + 3*y is in both, so that z follows from them, and not the two variables declared last."""
    constraints = ["0.1*x + 0.3*y + z = sin(time)", "0.2*x + 0.6*y - z = cos(time)"]
    equations = [*constraints, "der(x) = r", "der(y) = s", "der(z) = q", "r - s = x"]
    model = sort_model(flat_model(equations, ["z", "x", "y", "r", "s", "q"]))
    assert list(model.states) == ["x"]
    t, x = 0.3, 0.4
    values = interpret(model, t, [x], {})
    both, rate = (math.sin(t) + math.cos(t)) / 0.3, (math.cos(t) - math.sin(t)) / 0.3
    assert values["y"] == pytest.approx((both - x) / 3)
    assert values["z"] == pytest.approx(math.sin(t) - 0.1 * both)
    # r + 3*s = rate, r - s = x
    assert values["s"] == pytest.approx((rate - x) / 4)


def test_small_coefficients_do_not_determine_variables() -> None:
    """Solved for x, the constraint would amplify errors a billion times."""
    equations = ["1e-9*x + y + z = sin(time)", "x + y - z + w = cos(time)", "der(x) = r", "der(y) = -s", "der(z) = s - r"]
    model = sort_model(flat_model([*equations, "der(w) = -x - w"], ["x", "y", "z", "w", "r", "s"]))
    assert "x" in model.states or "w" in model.states
    states = {"x": 0.3, "w": 0.1, "y": 0.7, "z": -0.2}
    values = interpret(model, 0.5, [states[name] for name in model.states], {})
    assert max(abs(values["y"]), abs(values["z"])) < 10


@pytest.mark.parametrize("first", [0, 1, 2])
def test_of_equal_wishes_the_one_declared_first_is_the_state(first: int) -> None:
    names = ["a", "b", "c"][first:] + ["a", "b", "c"][:first]
    equations = ["der(a) = f", "der(b) = g", "der(c) = h", "a + 2*b - c = sin(time)", "a - b + 3*c = 1", "f + g = time"]
    model = sort_model(flat_model(equations, [*names, "f", "g", "h"]))
    assert list(model.states) == names[:1]


@settings(max_examples=25)
@given(seed=seeds)
def test_a_wish_to_be_a_state_counts_more_than_the_order_of_equations(seed: int) -> None:
    choice = random.Random(seed)
    names = ["a", "b", "c", "d"]
    equations = [f"der({name}) = {name}_v" for name in names]
    equations += ["a + 2*b - c*exp(d) = sin(time)", "a_v + b_v + c_v = d", "d_v = -a", "b_v - a_v = 1"]
    choice.shuffle(equations)
    wanted = choice.choice(["a", "b", "c"])
    declared = {name: {"state_select": "always"} if name == wanted else {} for name in names}
    model = sort_model(flat_model(equations, {**declared, **{f"{name}_v": {} for name in names}}))
    assert wanted in model.states
    assert len(model.states) == 3


def test_what_is_reinitialised_is_a_state_also_where_others_come_first() -> None:
    model = Model(
        a=Var(init=0.0),
        b=Var(init=None),
        equations=["der(a) = 1", "b = 2*a", "v = der(b)", When("time > 0.5", ["reinit(b, 0)"])],
        v=Var(),
    )
    result = instantiate(model).simulate(1.0)
    assert result["b"][-1] == pytest.approx(1.0, rel=1e-6)
    assert result["a"][-1] == pytest.approx(0.5, rel=1e-6)


# -- systems of equations -----------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(seed=seeds, n=st.integers(2, 5))
def test_linear_systems_in_any_form_have_their_solution(seed: int, n: int) -> None:
    """Factors, quotients, conditions, terms that cancel; the matrix is constant, although nothing looks like it."""
    choice = random.Random(seed)
    matrix = np.array([[choice.choice((0.0, 1.0, -2.0, 0.5)) for _ in range(n)] for _ in range(n)]) + 9.0 * np.eye(n)
    matrix = matrix[choice.sample(range(n), n)]
    right = [choice.uniform(-2, 2) for _ in range(n)]
    equations = [
        " + ".join(term(c, f"x{k}", choice) for k, c in enumerate(row) if c or choice.random() < 0.3) + f" = {b!r}*s"
        for row, b in zip(matrix, right, strict=True)
    ]
    flat = flat_model([*equations, "s = 1 + 0.5*time"], [*[f"x{k}" for k in range(n)], "s"], {"p": 2.0, "zero": 0.0})
    values = interpret(sort_model(flat), 0.6, [], flat.parameters)
    expected = np.linalg.solve(matrix, np.array(right) * 1.3)
    assert [values[f"x{k}"] for k in range(n)] == pytest.approx(list(expected), rel=1e-9, abs=1e-9)


def test_a_matrix_that_changes_is_factorised_anew() -> None:
    model = Model(
        x=Var(init=0.2),
        equations=["der(x) = a + b - x", "a + (2 + x)*b = 1", "(3 + time)*a - b + c = 2", "a + b*c0 + 4*c = x"],
        a=Var(),
        b=Var(),
        c=Var(),
        c0=0.5,
    )
    result = instantiate(model).simulate(1.0)
    for k in (0, len(result.time) // 2, -1):
        x, t = result["x"][k], result.time[k]
        expected = np.linalg.solve([[1, 2 + x, 0], [3 + t, -1, 1], [1, 0.5, 4]], [1, 2, x])
        assert [result[name][k] for name in "abc"] == pytest.approx(list(expected), rel=1e-8)


def test_an_unknown_that_cancels_is_computed_after_the_others() -> None:
    values = interpret(sort_model(flat_model(["x + y - y*(2 - 1) = 3", "y - exp(x) = x*0*y"], ["x", "y"])), 0.0, [], {})
    assert (values["x"], values["y"]) == pytest.approx((3.0, math.exp(3.0)))


def test_an_equation_in_which_its_unknown_cancels_is_refused() -> None:
    with pytest.raises(ModelError, match=r"does not determine 'x': it cancels"):
        sort_model(flat_model(["(p + 0.0)*x - x*p = sin(time)"], ["x"], {"p": 2.0}))


@pytest.mark.parametrize(("right", "solvable"), [("0", True), ("1 - n", True), ("1", False)])
def test_where_a_condition_takes_an_unknown_away_only_zero_equals_zero_is_solved(right: str, solvable: bool) -> None:
    model = Model(n=Var("0 if time < 0.5 else 1"), x=Var(), equations=[f"(1 if time < 0.5 else 0)*x = {right}"])
    if not solvable:
        with pytest.warns(UserWarning, match="x"):
            assert not np.isfinite(instantiate(model).simulate(1.0)["x"][-1])
    else:
        assert instantiate(model).simulate(1.0)["x"][-1] == 0.0


# -- closed forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "solution"),
    [
        ("exp(x) - 3 = u", lambda u: math.log(u + 3)),
        ("3 - exp(x) = u", lambda u: math.log(3 - u)),
        ("exp(2*x)/5 = u", lambda u: math.log(5 * u) / 2),
        ("5/exp(x) = u", lambda u: math.log(5 / u)),
        ("x**3 = -u", lambda u: -(u ** (1 / 3))),
        ("4*x*abs(x) = -u", lambda u: -math.sqrt(u / 4)),
        ("u*(2*x*(abs(x)*u)) = 3", lambda u: math.sqrt(1.5) / u),
        ("log(x) + 1 = u", lambda u: math.exp(u - 1)),
        ("2 - log10(x)*3 = u", lambda u: 10 ** ((2 - u) / 3)),
        ("sinh(x - 1) = u", lambda u: math.asinh(u) + 1),
        ("-asinh(x) = u", lambda u: math.sinh(-u)),
    ],
)
def test_equations_with_one_solution_are_solved_in_closed_form(equation: str, solution) -> None:
    model = sort_model(flat_model([equation, "u = 0.7 + time"], ["x", "u"]))
    assert all(isinstance(block, Assignment) for block in model.blocks)
    for t in (0.0, 0.9):
        assert interpret(model, t, [], {})["x"] == pytest.approx(solution(0.7 + t), rel=1e-12)


@pytest.mark.parametrize(
    "equation",
    ["x**2 = 4", "x**4 = 16", "x*x = 4", "abs(x) = 2", "x*abs(x)*x = 8", "abs(x)*2*x*x = 16", "3*abs(x)*abs(x) = 12"],
)
def test_equations_with_two_solutions_are_left_to_the_iteration(equation: str) -> None:
    """The start value decides which one it is."""
    model = Model(x=Var(start=-3.0), equations=[equation])
    assert instantiate(model).simulate(0.1)["x"][-1] == pytest.approx(-2.0, rel=1e-6)


# -- functions of components and of users in nonlinear systems ---------------------------------------------------------------


def curve(a: float, b: float) -> float:
    return a * a * a + 2.0 * a + b


@settings(max_examples=25)
@given(seed=seeds)
def test_jacobians_are_exact_along_all_directions(seed: int) -> None:
    """The directional derivatives of a block, against differences of its residuals."""
    choice = random.Random(seed)
    numbers = [round(choice.uniform(0.3, 1.5), 3) for _ in range(6)]
    equations = [
        f"{numbers[0]}*x + sin(y) + z*z = 1",
        f"y = {numbers[1]}*x*z + exp({numbers[2]}*x)/3",
        f"z + {numbers[3]}*y*x + atan2(z, 2 + x) = {numbers[4]}",
        f"w = max(x*y, {numbers[5]}*z) + sqrt(1 + w*w)/2",
    ]
    choice.shuffle(equations)
    names = ["x", "y", "z", "w"]
    choice.shuffle(names)
    model = sort_model(flat_model(equations, {name: {"start": 0.4} for name in names}))
    for block in (b for b in model.blocks if isinstance(b, NonlinearBlock)):
        known = {name: 0.3 + 0.1 * k for k, name in enumerate(names)}

        def residuals(torn: dict[str, float], block: NonlinearBlock = block, known: dict[str, float] = known) -> np.ndarray:
            values = {**known, **torn}
            for step in block.body:
                assert isinstance(step, Assignment)
                values[step.variable] = evaluate(step.expr, values)
            return np.array([evaluate(r, values) for r in block.residuals])

        point = {name: known[name] for name in block.unknowns}
        for direction in block.unknowns:
            values = {**known, **{f"{name}'": float(name == direction) for name in block.unknowns}}
            for step, slope in zip(block.body, block.directional_derivatives, strict=True):
                assert isinstance(step, Assignment)
                assert isinstance(slope, Assignment)
                values[step.variable] = evaluate(step.expr, values)
            for slope in block.directional_derivatives:
                assert isinstance(slope, Assignment)
                values[slope.variable] = evaluate(slope.expr, values)
            column = [evaluate(e, values) for e in block.residual_derivatives]
            h = 1e-6
            ends = [residuals({**point, direction: point[direction] + step}) for step in (h, -h)]
            assert column == pytest.approx(list((ends[0] - ends[1]) / (2 * h)), rel=1e-6, abs=1e-7)


def test_a_product_of_unknown_vectors_is_not_linear() -> None:
    turned = np.array([[1.0, 0.5, 0.0], [0.0, 2.0, 0.3], [0.4, 0.0, 3.0]])
    b = np.array([1.0, -2.0, 0.5])
    model = Model(A=turned, b=b, x=Var(shape=(3,), start=b), equations=["x + 0.3*cross(x, A @ x) = (1 + time)*b"])
    result = instantiate(model).simulate(0.5)
    for k in (0, -1):
        x = result["x"][k]
        assert x + 0.3 * np.cross(x, turned @ x) == pytest.approx((1 + result.time[k]) * b, abs=1e-8)


def test_variables_that_depend_on_the_torn_ones_nonlinearly_can_be_opened() -> None:
    """Where the iteration fails, these become unknowns, too, and so does what they depend on; the rest follows linearly."""
    equations = ["y = exp(x)", "z = 2*x + 1", "v = 3*x - 2", "w = z*z", "x + y + w + v + log(w) = 3"]
    model = sort_model(flat_model(equations, {"x": {"start": 0.1}, "y": {}, "z": {}, "v": {}, "w": {"start": 1.0}}))
    (block,) = (b for b in model.blocks if isinstance(b, NonlinearBlock))
    assert (block.unknowns, set(block.opened)) == (("x",), {"y", "z", "w"})


def test_a_users_function_without_derivative_in_a_nonlinear_system() -> None:
    model = Model(
        f=Function(curve, derivative=None),
        x=Var(start=0.5),
        y=Var(start=0.5),
        equations=["f(x, y) = 2 + time", "y = 0.3*x + x*y/4"],
    )
    result = instantiate(model).simulate(1.0)
    for k in (0, -1):
        x, y = result["x"][k], result["y"][k]
        assert curve(x, y) == pytest.approx(2 + result.time[k], rel=1e-8)
        assert y == pytest.approx(0.3 * x + x * y / 4, rel=1e-8)


# -- aliases ------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(seed=seeds, n=st.integers(2, 7))
def test_chains_of_aliases_of_derivatives_keep_their_signs(seed: int, n: int) -> None:
    """x is a wave; others are plus or minus it, its first and its second derivative, by equations in any order."""
    choice = random.Random(seed)
    orders: dict[str, tuple[int, int]] = {"x": (0, 1), "v": (1, choice.choice((-1, 1)))}
    orders["a"] = (2, orders["v"][1] * (turn := choice.choice((-1, 1))))
    equations = [f"v = {'-' if orders['v'][1] < 0 else ''}der(x)", f"a = {'-' if turn < 0 else ''}der(v)"]
    for k in range(n):
        other = choice.choice(list(orders))
        sign = choice.choice((-1, 1))
        order, own = orders[other]
        if order < 2 and choice.random() < 0.4:
            order, other = order + 1, f"der({other})"
        form = choice.choice(("{y} = {s}{o}", "{y} - ({s}{o}) = 0", "-({s}{o}) = -{y}"))
        equations.append(form.format(y=f"y{k}", s="-" if sign < 0 else "", o=other))
        orders[f"y{k}"] = (order, own * sign)
    second = choice.choice([name for name, (order, _) in orders.items() if order == 2])
    first = choice.choice([name for name, (order, _) in orders.items() if order == 0])
    equations.append(f"{second} = {-4 * orders[second][1] * orders[first][1]}*{first}")
    names = list(orders)
    choice.shuffle(equations)
    choice.shuffle(names)
    model = sort_model(flat_model(equations, names))
    t = 0.3
    exact = [math.sin(2 * t), 2 * math.cos(2 * t), -4 * math.sin(2 * t)]

    def value(name: str) -> float:
        inner, extra = name, 0
        while inner.startswith("der("):
            inner, extra = inner[4:-1], extra + 1
        order, sign = orders[inner]
        return sign * exact[order + extra]

    values = interpret(model, t, [value(name) for name in model.states], {})
    for name in names:
        assert values[name] == pytest.approx(value(name), rel=1e-9, abs=1e-12), name


# -- initial values -----------------------------------------------------------------------------------------------------


def test_of_states_that_nothing_fixes_those_with_a_start_value_keep_it() -> None:
    model = Model(
        x=Var(),
        y=Var(start=2.0),
        s=Var(init=5.0),
        equations=["der(x) = -x", "der(y) = -y", "s = x + y"],
    )
    result = instantiate(model).simulate(0.1)
    assert (result["x"][0], result["y"][0]) == pytest.approx((3.0, 2.0))


def test_what_follows_from_other_initial_values_is_checked() -> None:
    model = Model(x=Var(init=1.0), y=Var(init=2.0), s=Var(init=3.0), equations=["der(x) = -x", "der(y) = -y", "s = x + y"])
    assert instantiate(model).simulate(0.1)["s"][0] == pytest.approx(3.0)
    with pytest.raises(SimulationError, match=r"found init=4.0; expected 3.0"):
        instantiate(model | Map(s=Var(init=4.0))).simulate(0.1)


def test_the_initial_value_of_a_discrete_variable_is_that_before_the_first_event() -> None:
    model = Model(
        n=Var(type="Integer", init=3),
        x=Var(),
        equations=["n = pre(n) + (1 if initial() else 0)", "der(x) = n - x"],
        initial_equations=["der(x) = 0"],
    )
    result = instantiate(model).simulate(0.1)
    assert (result["n"][0], result["x"][0]) == pytest.approx((4.0, 4.0))


def test_relations_in_initial_equations_make_no_events() -> None:
    sim = instantiate(Model(x=Var(), equations=["der(x) = -1"], initial_equations=["x = 2 if time < 1 else 3"]))
    assert sim.report()["states"] == 1
    assert len(sim.sorted.indicators) == len(sim.sorted.time_events) == 0
    assert sim.simulate(0.5)["x"][-1] == pytest.approx(1.5)


def test_initial_equations_may_need_derivatives_that_the_model_does_not() -> None:
    motion = Model(x=Var(), v=Var(start=1.5), y=Var(), equations=["der(x) = v", "der(v) = -x", "y = x*v"])
    model = motion | Model(initial_equations=["der(y) = 3", "x = 1"])
    result = instantiate(model).simulate(0.01)
    x, v = result["x"][0], result["v"][0]
    assert x == pytest.approx(1.0)
    assert v * v - x * x == pytest.approx(3.0)


# -- events -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", ["time", "2*time", "-time", "3 - time"])
@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_a_relation_of_time_holds_where_it_says(left: str, op: str) -> None:
    model = Model(y=Var(), n=Var(type="Integer", init=1), equations=[f"y = 1 if {left} {op} n*0.5 else -1", "n = pre(n)"])
    result = instantiate(model).simulate(2.0, interval=0.13)
    for t, y in zip(result.time, result["y"], strict=True):
        value = evaluate(parse(left), {"time": t})
        if abs(value - 0.5) > 1e-9:
            assert y == (1.0 if eval(f"{value} {op} 0.5") else -1.0)


def test_relations_with_the_same_difference_are_told_apart() -> None:
    equations = ["der(x) = 1", "up = 1 if x > 0 else 0", "down = 1 if x < 0 else 0"]
    model = Model(x=Var(init=-1.0), up=Var(), down=Var(), equations=equations)
    result = instantiate(model).simulate(2.0)
    assert (result["up"][0], result["down"][0]) == (0.0, 1.0)
    assert (result["up"][-1], result["down"][-1]) == (1.0, 0.0)


@settings(max_examples=20)
@given(start=st.floats(-2.3, 2.3), rate=st.sampled_from([-1.0, 1.0, -7.3, 4.1]), turn=st.booleans())
def test_floor_has_the_value_of_the_mathematical_function(start: float, rate: float, turn: bool) -> None:
    motion = f"{start!r} + {rate!r}*sin(3*time)" if turn else f"{start!r} + {rate!r}*time"
    model = Model(x=Var(motion), n=Var("floor(x)"))
    result = instantiate(model).simulate(1.0, interval=0.05)
    for x, n in zip(result["x"], result["n"], strict=True):
        assert n == math.floor(x) or abs(x - round(x)) < 1e-6


def test_edge_is_true_at_one_event_only() -> None:
    model = Model(
        b=Var("sin(5*time) > 0.3", type="Boolean"),
        n=Var(type="Integer", init=0),
        equations=["n = pre(n) + (1 if edge(b) else 0)"],
    )
    assert instantiate(model).simulate(3.0)["n"][-1] == 3


def test_smooth_of_order_zero_makes_events_and_of_order_one_none() -> None:
    def indicators(order: int) -> int:
        sim = instantiate(Model(x=Var(init=-1.0), y=Var(), equations=["der(x) = 1", f"y = smooth({order}, x if x > 0 else 0)"]))
        return len(sim.sorted.indicators)

    assert (indicators(0), indicators(1), indicators(2)) == (1, 0, 0)


@pytest.mark.parametrize(
    ("value", "discrete"),
    [
        ("1 if x > 0 else 2", True),
        ("noEvent(1 if x > 0 else 2)", False),
        ("smooth(0, 1 if x > 0 else 2)", True),
        ("smooth(1, 1 if x > 0 else 2)", False),
        ("pre(m) + 1", True),
        ("x", False),
        ("floor(x)", True),
    ],
)
def test_an_integer_takes_only_what_changes_at_events(value: str, discrete: bool) -> None:
    model = Model(
        x=Var(init=-1.0), m=Var(type="Integer", init=0), n=Var(), k=Var(type="Integer"),
        equations=["der(x) = 1", "m = 1 if x > 0.5 else 0", f"n = {value}", "k = n"],
    )  # fmt: skip
    if discrete:
        assert instantiate(model).simulate(0.4)["k"][-1] == instantiate(model).simulate(0.4)["n"][-1]
    else:
        with pytest.raises(ModelError, match=r"k|n"):
            instantiate(model)


def test_a_quotient_is_no_integer() -> None:
    model = Model(k=Var(type="Integer"), m=Var(type="Integer", init=3), equations=["m = pre(m)", "k = m/2"])
    with pytest.raises(ModelError, match="whole number"):
        instantiate(model)


def test_a_discrete_variable_on_both_sides_of_a_sum_is_not_determined_by_it() -> None:
    model = Model(x=Var(init=1.0), y=Var(), b=Var(type="Boolean"), equations=["der(x) = -1", "y + x = 3 - y", "b = y > 1.2"])
    result = instantiate(model).simulate(1.0)
    assert result["y"] == pytest.approx((3 - result["x"]) / 2)
    assert (result["b"][0], result["b"][-1]) == (0.0, 1.0)


def test_a_sign_before_what_is_reinitialised_counts() -> None:
    model = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1", "y = -x", When("x > 0.5", ["reinit(y, 2)"])])
    assert instantiate(model).simulate(1.0)["x"][-1] == pytest.approx(-1.5, abs=1e-6)


# -- functions of components --------------------------------------------------------------------------------------------


def test_the_derivative_of_a_function_gets_its_inputs_and_then_their_derivatives() -> None:
    rate = function("rate", 4, 1)
    f = function("f", 2, 1, derivative=rate)
    equations = [call(f, ["x", "2*y"], ["z"]), "w = der(z)", "x = sin(time)", "der(y) = -y"]
    model = sort_model(flat_model(equations, ["x", "y", "z", "w"]))
    steps = [step for b in model.blocks for step in (b.body if isinstance(b, LinearBlock | NonlinearBlock) else [b])]
    calls = [step.call for step in steps if isinstance(step, Call)]
    (derivative,) = (c for c in calls if c.function is rate)
    assert [str(e) for e in derivative.inputs] == ["x", "2*y", "der(x)", "2*der(y)"]
