"""Expressions of sympy where a text may stand: they mean the same there and back, and what the language lacks is refused."""

import math
import subprocess
import sys

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modiapy import Assert, For, If, Map, Model, ModelError, Par, Var, When, instantiate
from modiapy.flat import parse
from modiapy.model.expression import evaluate
from modiapy.model.sympy_bridge import expression_of, sympy_of

pytestmark = pytest.mark.white_box

x, y = sp.symbols("x y")
t = sp.Symbol("t")


LEAVES = ("x", "y", "body.z", "0", "1", "2", "3", "0.5", "0.125", "1.25")
OF_ONE = ("sin", "cos", "tan", "atan", "tanh", "exp", "sqrt", "abs", "sign", "floor", "ceil", "asinh", "erf", "log", "log10")
OF_TWO = ("min", "max", "mod", "rem", "div")


@st.composite
def numbers(draw: st.DrawFn, depth: int = 3) -> str:
    """Texts of random numbers and expressions, relations and choices of the language."""
    form = draw(st.integers(0, 6 if depth else 0))
    if form == 0:
        return draw(st.sampled_from(LEAVES))
    a, b = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    match form:
        case 1:
            return f"{draw(st.sampled_from(OF_ONE))}({a})"
        case 2:
            return f"({a}) {draw(st.sampled_from('+-*/'))} ({b})"
        case 3:
            return f"({a})**{draw(st.sampled_from(['2', '3', '(-1)', '0.5', '(-0.5)']))}"
        case 4:
            return f"{draw(st.sampled_from(OF_TWO))}({a}, {b})"
        case 5:
            return f"(({a}) if {draw(truths(depth - 1))} else ({b}))"
    return f"({draw(truths(depth - 1))})"


@st.composite
def truths(draw: st.DrawFn, depth: int) -> str:
    relation = f"({draw(numbers(depth))}) {draw(st.sampled_from(['<', '<=', '>', '>=']))} ({draw(numbers(depth))})"
    if draw(st.booleans()):
        return relation
    other = f"({draw(numbers(depth))}) >= ({draw(numbers(depth))})"
    return f"({relation}) {draw(st.sampled_from(['and', 'or']))} not ({other})"


VALUES = st.fixed_dictionaries({name: st.integers(-24, 24).map(lambda n: n / 8.0) for name in ("x", "y", "body.z")})


def value(text: str, values: dict[str, float]) -> float:
    return evaluate(parse(text), {**values, "pi": math.pi})


@settings(max_examples=60, deadline=None)
@given(numbers(), VALUES)
def test_expressions_mean_the_same_there_and_back(text: str, values: dict[str, float]) -> None:
    """Ours, sympy's by its own arithmetic, and ours made of sympy's, where the value does not hang on the last bit."""
    try:
        expected = value(text, values)
        near = [value(text, {name: v * (1.0 + e) + e for name, v in values.items()}) for e in (1e-9, -1e-9)]
        made = sympy_of(parse(text))
    except (ModelError, ValueError, ArithmeticError):
        assume(False)
    assume(not made.has(sp.zoo, sp.nan, sp.I))  # of a branch without a value that is not evaluated
    assume(abs(expected) < 1e6 and all(abs(v - expected) <= 1e-5 * (1.0 + abs(expected)) for v in near))
    back = str(expression_of(made))
    assert evaluate(parse(back), {**values, "pi": math.pi}) == pytest.approx(expected, rel=1e-7, abs=1e-7)
    try:
        theirs = made.subs({sp.Symbol(name, real=True): sp.Float(v) for name, v in values.items()})
    except TypeError:  # sympy evaluates the branches that are not taken, too
        assume(False)
    number = float(theirs) if theirs not in (sp.true, sp.false) else float(theirs == sp.true)
    assert number == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_a_model_of_sympy_expressions_is_that_of_texts() -> None:
    R, u = sp.symbols("R u")
    q = sp.Function("q")(t)
    written = Model(
        R=Par(sp.pi / 2),
        u=Var(sp.sin(sp.Symbol("time")) + R, start=sp.Rational(1, 2)),
        q=Var(init=sp.Integer(1)),
        v=Var(init=0.0, shape=2),
        w=Var(init=0.0),
        n=Var(init=0, type="Integer"),
        equations=[
            sp.Eq(R * q.diff(t), -q + sp.Function("u")(t)),
            sp.Eq(sp.Matrix(sp.symbols("der(v[0]) der(v[1])")), sp.Matrix([u, sp.IndexedBase("v")[0] / 3])),
            If(sp.Eq(sp.Symbol("n"), 0), [sp.Eq(sp.Symbol("der(w)"), 1)], otherwise=[sp.Eq(sp.Symbol("der(w)"), x)]),
            For("i", sp.Integer(1), [sp.Eq(x, sp.Abs(u))]),
            When(sp.Symbol("time") >= sp.Rational(1, 2), [sp.Eq(sp.Symbol("n"), sp.Function("pre")(sp.Symbol("n")) + 1)]),
            Assert(sp.Symbol("w") < 100, "w is small"),
        ],
    )
    texts = Model(
        R=math.pi / 2,
        u=Var("sin(time) + R", start=0.5),
        q=Var(init=1),
        v=Var(init=0.0, shape=2),
        w=Var(init=0.0),
        n=Var(init=0, type="Integer"),
        equations=[
            "R*der(q) = -q + u",
            "[der(v[0]), der(v[1])] = [u, v[0]/3]",
            If("n == 0", ["der(w) = 1"], otherwise=["der(w) = x"]),
            For("i", 1, ["x = abs(u)"]),
            When("time >= 0.5", ["n = pre(n) + 1"]),
            Assert("w < 100", "w is small"),
        ],
    )
    x_missing = {"x": Var()}
    one = instantiate(written | Model(**x_missing)).simulate(1.0)
    other = instantiate(texts | Model(**x_missing)).simulate(1.0)
    assert one["n"][-1] == 1.0
    for name in ("q", "v", "w", "x", "u", "n"):
        assert one[name][-1] == pytest.approx(other[name][-1], rel=1e-9), name
    assert isinstance(written["R"]["value"], float)
    assert all(not isinstance(entry, sp.Basic) for entry in written["equations"])


def test_maps_and_merges_take_expressions() -> None:
    model = Model(a=2.0, inner=Model(b=1.0), x=Var(init=0.0), equations=["der(x) = inner.b"])
    sim = instantiate(model | Map(inner=Map(b=sp.Symbol("a") ** 2)))
    assert sim.simulate(1.0)["x"][-1] == pytest.approx(4.0)
    assert sim.simulate(1.0, merge=Map(a=sp.sqrt(2)))["x"][-1] == pytest.approx(2.0)
    assert (model | {"a": sp.Rational(3, 2)})["a"] == 1.5


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (x**2 / y, "x**2/y"),
        (sp.sqrt(x) / (2 * y), "sqrt(x)/(2*y)"),
        (sp.sec(x), "1/cos(x)"),
        (sp.atan2(y, x), "atan2(y, x)"),
        (sp.ITE(x > 1, y > 1, y > 2), "y > 1 if x > 1 else y > 2"),
        (sp.Function("der")(x) + sp.Function("table")(y), "der(x) + table(y)"),
        (sp.Function("q")(t).diff(t, 2) + t, "time + der(der(q))"),
        (t + x, "t + x"),
        (sp.Piecewise((x, x > y), (0, True)), "x if x > y else 0"),
        (sp.Eq(x, y) & (x > 1), "x == y and x > 1"),
        (sp.MatrixSymbol("A", 2, 2) * sp.MatrixSymbol("v", 2, 1), "[A[0,0]*v[0] + A[0,1]*v[1], A[1,0]*v[0] + A[1,1]*v[1]]"),
        (sp.Matrix([[1, x], [y, 0]]), "[[1, x], [y, 0]]"),
        (sp.Max(x, y, 1), "max(max(1, x), y)"),
        (sp.ceiling(x) + sp.Mod(x, y), "mod(x, y) + ceil(x)"),
    ],
)
def test_texts(written: sp.Basic, text: str) -> None:
    assert str(expression_of(written)) == text
    parse(text)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (sp.gamma(x), "sympy's 'gamma' is not part of the expression language"),
        (sp.Integral(sp.sin(x), x), "sympy's 'Integral'"),
        (sp.I * x, "'I' is no number of the language"),
        (sp.Piecewise((x, x > 0)), "the Piecewise does not say what holds otherwise"),
        (sp.Symbol("a + b"), "the symbol 'a + b' is no name"),
        (sp.Symbol("lambda"), "the symbol 'lambda' is no name"),
        (sp.Derivative(sp.Function("f")(x), x), "is no derivative by time"),
        (sp.IndexedBase("v")[sp.Symbol("i")], "has an index that is no number"),
    ],
)
def test_what_the_language_does_not_have_is_refused_by_name(written: sp.Basic, message: str) -> None:
    with pytest.raises(ModelError, match=message.replace("(", r"\(").replace("+", r"\+")):
        Model(y=Var(written))


def test_an_equation_that_says_nothing_is_refused() -> None:
    with pytest.raises(ModelError, match="sympy made True of an equation"):
        Model(x=Var(), equations=[sp.Eq(x, x)])


def test_arrays_become_arrays_of_their_elements() -> None:
    made = sympy_of(parse("A @ v + 2*sin(v)"), lambda name: {"A": (2, 2), "v": (2,)}.get(name, ()))
    A, v = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.3, -0.2])
    known = {sp.Symbol(f"A[{i},{j}]", real=True): A[i, j] for i in range(2) for j in range(2)}
    known |= {sp.Symbol(f"v[{i}]", real=True): v[i] for i in range(2)}
    assert [float(e.subs(known)) for e in made] == pytest.approx(A @ v + 2.0 * np.sin(v))


@pytest.mark.parametrize("text", ["2 if x else 3", "2 if not x else 3", "2 if x and y else 3", "x + (y > 1)"])
@pytest.mark.parametrize("values", [{"x": a, "y": b} for a in (0.0, 1.0) for b in (0.0, 2.0)])
def test_numbers_are_truth_values_and_these_are_numbers(text: str, values: dict[str, float]) -> None:
    made = sympy_of(parse(text)).subs({sp.Symbol(name, real=True): v for name, v in values.items()})
    assert float(made) == evaluate(parse(text), values)


def test_models_are_made_without_sympy() -> None:
    code = "import sys; from modiapy import Model, Var, instantiate; m = Model(x=Var(init=1.0), equations=['der(x) = -x']); "
    code += "instantiate(m).simulate(1.0); print('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"
