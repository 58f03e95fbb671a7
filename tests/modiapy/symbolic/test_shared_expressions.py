"""Expressions that share parts: all passes visit what is shared once. Written out they had 2**60 operations and more."""

import copy
import math
import pickle
import random
import re

import numpy as np
import pytest

from benchmarks import translation
from modiapy import instantiate
from modiapy.flat import Apply, Const, Equation, Expr, FlatModel, Name, Variable, sort_model
from modiapy.model.calculus import differentiate, linear_in, partial
from modiapy.model.expression import ONE, ZERO, evaluate, names, postorder, rewrite, substitute, tree_size, walk
from modiapy.symbolic.codegen.model import generate
from modiapy.symbolic.flattening.flat_arrays import with_arrays
from modiapy.symbolic.interpreter.interpreter import interpret
from modiapy.symbolic.sorted.parts import expressions_of
from modiapy.symbolic.terms.affine import coefficients
from modiapy.symbolic.terms.arrays import evaluate_arrays

pytestmark = pytest.mark.white_box

DEPTH = 64
X = Name("x")


def op(name: str, *args: Expr) -> Expr:
    """An operation that is not simplified."""
    return Apply(name, args)


HALF = Const(0.5)
STEPS = {
    "sum": lambda e: op("*", op("+", e, op("sin", e)), HALF),
    "right": lambda e: op("*", HALF, op("+", op("cos", e), e)),
    "difference": lambda e: op("-", op("*", e, HALF), op("exp", op("neg", op("*", e, e)))),
    "quotient": lambda e: op("/", e, op("+", ONE, op("*", e, e))),
    "branch": lambda e: op("if", op("noEvent", op("<", e, Const(0.3))), op("+", e, Const(0.4)), op("*", e, HALF)),
    "power": lambda e: op("sqrt", op("+", op("**", e, Const(2.0)), op("*", Const(0.01), e))),
}


def shared(step: str, depth: int = DEPTH, inside: Expr = X) -> Expr:
    """A new expression whose tree has more than 2**depth operations."""
    e = inside
    for _ in range(depth):
        e = STEPS[step](e)
    return e


def linear(depth: int, start: Expr) -> Expr:
    """``2**depth * start``, as sums of equal parts."""
    e = start
    for _ in range(depth):
        e = Apply("+", (e, e))
    return e


def value(step: str, x: float) -> tuple[float, float]:
    """Value of `shared` and its derivative, one step after the other, with differences that are exact by complex steps."""
    z, h = complex(x, 1e-30), 1e-30
    for _ in range(DEPTH):
        if step == "sum":
            z = (z + np.sin(z)) * 0.5
        elif step == "right":
            z = 0.5 * (np.cos(z) + z)
        elif step == "difference":
            z = z * 0.5 - np.exp(-z * z)
        elif step == "quotient":
            z = z / (1.0 + z * z)
        elif step == "branch":
            z = z + 0.4 if z.real < 0.3 else z * 0.5
        else:
            z = np.sqrt(z**2 + 0.01 * z)
    return z.real, z.imag / h


@pytest.mark.parametrize("step", STEPS)
def test_values_and_derivatives_of_what_is_shared(step):
    e = shared(step)
    assert tree_size(e) >= 2**60
    assert len(postorder(e)) <= 10 * DEPTH
    assert names(e) == {"x"}
    expected, slope = value(step, 0.7)
    assert evaluate(e, {"x": 0.7}) == pytest.approx(expected, rel=1e-12)
    derivative = partial(e, "x")
    assert len(postorder(derivative)) <= 30 * DEPTH  # grows with the distinct operations
    assert evaluate(derivative, {"x": 0.7}) == pytest.approx(slope, rel=1e-9)


@pytest.mark.parametrize("step", STEPS)
def test_what_is_shared_stays_shared_and_is_visited_once(step):
    e = shared(step, inside=Name("x"))
    visits: list[Expr] = []

    def change(node: Expr) -> Expr | None:
        visits.append(node)
        return other if node == X else None

    other = Name("y")
    moved = rewrite(e, change)
    assert len(visits) <= 10 * DEPTH
    assert len(postorder(moved)) == len(postorder(e))
    assert moved == shared(step, inside=Name("y"))  # two copies are compared in the same time
    assert moved != shared(step, DEPTH - 1, Name("y"))
    assert substitute(e, {"z": ONE}) is e
    assert len(str(e)) < 1e5
    assert sum(1 for _ in walk(e)) <= 10 * DEPTH
    differentiated: list[Expr] = []

    def leaf(node: Expr) -> Expr | None:
        differentiated.append(node)
        return ONE if node == X else None

    differentiate(e, leaf)
    assert len(differentiated) <= 20 * DEPTH


def test_linear_expressions_that_are_shared():
    e = Apply("-", (linear(60, Apply("+", (X, Name("a")))), linear(59, Name("y"))))
    assert evaluate(linear_in(e, "x")[0], {}) == 2.0**60
    found = coefficients(e, {"x", "y"})
    assert {name: evaluate(c, {}) for name, c in found.items()} == {"x": 2.0**60, "y": -(2.0**59)}
    assert coefficients(shared("sum"), {"x"}) is None
    assert evaluate(linear_in(e, "x")[1], {"a": 1.0, "y": 2.0}) == 0.0


def model(step: str, order: int = 1) -> FlatModel:
    """der(x) = -x, where y and z, a root of a nonlinear equation, are shared expressions, differentiated and with events."""
    e = shared(step)
    relation = Apply(">", (e, Const(0.0)))
    equations = [
        Equation(Name("y"), e),
        Equation(Apply("der", (X,)), Apply("neg", (X,))),
        Equation(Name("w"), Apply("der", (Name("y"),))),
        Equation(op("+", Name("z"), shared("sum", inside=Name("z"))), op("+", shared("sum", inside=Name("y")), Name("y"))),
        Equation(Name("s"), Apply("if", (relation, e, ZERO))),
        Equation(linear(60, Name("v")), linear(60, Name("x"))),
    ]
    variables = {name: Variable(name, init=0.7 if name == "x" else None) for name in "xywzsv"}
    return FlatModel("Shared", variables, {}, equations[::order])


@pytest.mark.parametrize("step", ["sum", "difference", "quotient", "branch"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_model_whose_equations_written_out_fill_no_memory(step, order):
    result = instantiate(model(step, order)).simulate(0.5, tolerance=1e-9)
    for k in (0, len(result.time) // 2, -1):
        x = 0.7 * math.exp(-result.time[k])
        assert result["x"][k] == pytest.approx(x, abs=1e-7)
        assert result["v"][k] == pytest.approx(result["x"][k], rel=1e-14)
        y, slope = value(step, result["x"][k])
        assert result["y"][k] == pytest.approx(y, rel=1e-9, abs=1e-12)
        assert result["w"][k] == pytest.approx(-slope * result["x"][k], rel=1e-6, abs=1e-9)
        assert result["z"][k] == pytest.approx(y, rel=1e-7, abs=1e-7)  # z + f(z) = y + f(y), where f rises
        assert result["s"][k] == pytest.approx(max(y, 0.0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("step", STEPS)
def test_what_is_nested_deeply_needs_no_recursion(step):
    depth = 5000
    e = shared(step, depth)
    assert math.isfinite(evaluate(e, {"x": 0.7}))
    assert math.isfinite(evaluate(partial(e, "x"), {"x": 0.7}))
    assert substitute(e, {"x": Name("z")}) == shared(step, depth, Name("z"))
    assert linear_in(e, "y") == (ZERO, e)
    assert copy.deepcopy(e) is e
    assert str(e).endswith("operations>")
    assert str(shared("right", 300, X).args[1]).endswith("operations>")  # 300 levels, too


def test_a_model_of_deeply_nested_and_shared_expressions_is_pickled():
    flat = model("sum")
    flat.equations.append(Equation(Name("u"), shared("branch", 5000)))
    flat.variables["u"] = Variable("u")
    copied = pickle.loads(pickle.dumps(flat))
    assert copied.equations == flat.equations
    assert copied.variables == flat.variables
    assert len(list(walk(*(e.rhs for e in copied.equations)))) == len(list(walk(*(e.rhs for e in flat.equations))))


def ladder(steps: int, every: int = 10) -> FlatModel:
    """der(x) = -x, and variables that are each tenth of the expressions that follow from one another, written out."""
    e: Expr = X
    equations = [Equation(Apply("der", (X,)), Apply("neg", (X,)))]
    for k in range(1, steps + 1):
        e = STEPS["sum"](e)
        if k % every == 0:
            equations.append(Equation(Name(f"y{k}"), e))
            equations.append(Equation(Name(f"b{k}"), Apply("if", (Apply(">", (e, Const(0.2))), e, ZERO))))
    variables = {
        name: Variable(name, init=0.7 if name == "x" else None) for name in ("x", *(str(e.lhs) for e in equations[1:]))
    }
    return FlatModel("Ladder", variables, {}, equations)


def test_what_equations_share_is_translated_and_computed_once():
    steps = 400
    found = sort_model(ladder(steps))
    operations = len(postorder(ladder(steps).equations[-2].rhs))
    blocks = [e for block in found.blocks for e in expressions_of(block)]
    assert sum(len(postorder(e)) for e in blocks) <= 2 * operations
    ir = generate(found).ir
    assert len(re.findall(r"call double @modia_sin", ir)) == steps
    result = instantiate(ladder(steps)).simulate(0.1, tolerance=1e-9)
    z = result["x"][-1]
    for k in range(1, steps + 1):
        z = 0.5 * (z + math.sin(z))
        if k % 10 == 0:
            assert result[f"y{k}"][-1] == pytest.approx(z, rel=1e-12)
            assert result[f"b{k}"][-1] == pytest.approx(z if z > 0.2 else 0.0, rel=1e-12)
    assert not [name for name in result if "shared" in name]


def test_work_grows_with_the_operations_and_not_with_the_equations_that_share_them(monkeypatch):
    visits = 0

    def counted(self: Apply, op: str, args: tuple[Expr, ...]) -> None:
        nonlocal visits
        visits += 1
        made(self, op, args)

    made = Apply.__init__
    monkeypatch.setattr(Apply, "__init__", counted)
    sizes, work = [200, 400, 800, 1600], []
    for steps in sizes:
        flat, visits = ladder(steps), 0
        generate(sort_model(flat))
        work.append(visits)
    assert translation.exponent(sizes, work) < 1.1


def grown(choice: random.Random, leaves: list[Expr], operations: int) -> list[Expr]:
    """Expressions that share parts, each larger than those before."""
    pool = list(leaves)
    for _ in range(operations):
        a, b = (choice.choice([*pool[-4:], leaves[0]]) for _ in range(2))
        pool.append(choice.choice((op("+", op("sin", a), b), op("-", a, op("*", HALF, b)), op("*", op("cos", a), b))))
    return pool


@pytest.mark.parametrize("seed", range(20))
def test_what_is_shared_has_the_value_that_it_has_written_out(seed: int) -> None:
    """Scalars and arrays, constants, what changes in time, and what has a value in one branch of a condition only."""
    choice = random.Random(seed)
    p, v = Name("p"), Name("v")
    moving, of_arrays, constant = (grown(choice, leaves, 14) for leaves in ([X, Name("time"), p], [v, X, p], [p]))
    within = grown(choice, [op("sqrt", op("-", X, ONE))], 8)[-1]
    expressions = dict[str, Expr]()
    for k in range(12):
        e = op("+", choice.choice(moving[-5:]), choice.choice(constant[-3:]))
        kind = choice.choice("sbba")
        if kind == "b":
            e = op("+", e, op("if", op("noEvent", op(">", X, ONE)), op("sin", within), choice.choice(moving[-5:])))
        expressions[f"{kind}{k}"] = op("*", choice.choice(of_arrays[-4:]), e) if kind == "a" else e
    x, array = choice.choice((0.3, 1.7)), np.array([0.2, 0.9])
    states = {"x": Variable("x", init=x), "v": Variable("v", init=array)}
    equations = [Equation(Apply("der", (X,)), ZERO), Equation(Apply("der", (v,)), op("*", ZERO, v))]
    equations += [Equation(Name(name), e) for name, e in expressions.items()]
    shapes = {name: (2,) for name in expressions if name[0] == "a"}
    flat = FlatModel("Shared", states | {n: Variable(n) for n in expressions}, {"p": 0.8}, equations, shapes=shapes)
    values = interpret(sort_model(with_arrays(flat)), 0.6, [x, *array], {"p": 0.8})
    for name, e in expressions.items():
        assert values[name] == pytest.approx(evaluate_arrays(e, {"x": x, "v": array, "time": 0.6, "p": 0.8}), rel=1e-12), name


@pytest.mark.parametrize("wish", ["avoid", "default"])
def test_what_the_passes_name_is_no_state(wish: str) -> None:
    """Also where the constraint between the states of the user is linear in it, and nobody wants these."""
    y = Name("y")
    e: Expr = y
    for k in range(25):
        e = op("+", e, op("*", Const(0.01 * k), y))
    variables = {name: Variable(name, state_select=wish) for name in "yzw"} | {"f": Variable("f")}
    equations = [Equation(op("der", y), Name("f")), Equation(Name("z"), op("+", e, Name("time")))]
    equations += [Equation(op("der", Name("z")), op("*", HALF, Name("z"))), Equation(Name("w"), op("*", e, HALF))]
    model = sort_model(FlatModel("Linear", variables, {}, equations))
    assert any("shared" in name for name in model.unknowns)
    assert model.states in (["y"], ["z"])
