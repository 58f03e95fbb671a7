"""Functions with algorithms in flat models written by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modiapy import ModelError
from modiapy.flat import (
    Assign,
    Break,
    Equation,
    FlatModel,
    ForStatement,
    FunctionDefinition,
    IfStatement,
    Name,
    Return,
    Variable,
    WhileStatement,
    parse,
    parse_equation,
    sort_model,
)
from modiapy.model.expression import evaluate
from modiapy.symbolic.codegen.model import compile_model
from modiapy.symbolic.codegen.model_context import ModelContext
from modiapy.symbolic.interpreter.interpreter import interpret

from ..symbolic.sorted_models import value_in

pytestmark = pytest.mark.white_box


def assign(text):
    equation = parse_equation(text)
    assert isinstance(equation.lhs, Name)
    return Assign(equation.lhs.name, equation.rhs)


EXPONENTIAL = FunctionDefinition(
    "exponential",
    ["x", "n"],
    ["y", "last"],
    [
        assign("y = 1"),
        assign("last = 1"),
        ForStatement("k", parse("1"), parse("n"), [assign("last = last*x/k"), assign("y = y + last")]),
    ],
)
ROOT = FunctionDefinition(
    "root",
    ["a"],
    ["y"],
    [
        IfStatement([(parse("a <= 0"), [assign("y = 0"), Return()]), (parse("a > 1"), [assign("y = a")])], [assign("y = 1")]),
        WhileStatement(
            parse("True"),
            [
                assign("old = y"),
                assign("y = (y + a/y)/2"),
                assign("count = count + 1"),
                IfStatement([(parse("abs(y - old) < 1e-15*y or count > 50"), [Break()])]),
            ],
        ),
    ],
    local=["old", "count"],
    derivative=FunctionDefinition("root_slope", ["a", "da"], ["dy"], [assign("dy = da/(2*sqrt(a))")]),
    inverse={"a": FunctionDefinition("squared", ["y"], ["a"], [assign("a = y*y")])},
)


def model_of(equations, **variables):
    """Values at time 2 by the interpreter and by machine code."""
    flat = FlatModel("m", {n: Variable(n) for n in variables}, {}, equations)
    sorted_model = sort_model(flat)
    values = interpret(sorted_model, 2.0, [], {})
    compiled = compile_model(sorted_model)
    context = ModelContext(compiled)
    assert context.evaluate(2.0, np.zeros(0), np.zeros(0), mode=2) == 0
    for name, value in values.items():
        assert value_in(context, name, 2.0, np.zeros(0)) == pytest.approx(value, rel=1e-14)
    return values


def test_loops_branches_and_several_results():
    y, last = EXPONENTIAL.function().call("exponential", [Name("time"), parse("20")])
    (r,) = ROOT.function().call("root", [Name("time")])
    (none,) = ROOT.function().call("root", [parse("-time")])
    equations = [Equation(Name(n), e) for n, e in (("y", y), ("last", last), ("r", r), ("none", none))]
    values = model_of(equations, y=1, last=1, r=1, none=1)
    assert values["y"] == pytest.approx(math.exp(2.0), rel=1e-9)
    assert values["last"] == pytest.approx(2.0**20 / math.factorial(20))
    assert values["r"] == pytest.approx(math.sqrt(2.0), rel=1e-15)
    assert values["none"] == 0.0
    assert str(equations[0]) == "y = exponential(time, 20)[0]"


def test_inverse_and_derivative_are_used():
    (r,) = ROOT.function().call("root", [Name("x")])
    values = model_of([Equation(r, parse("3 + time"))], x=1)
    assert values["x"] == 25.0


@pytest.mark.parametrize("text", ["min(u, 2)", "max(u, -1)", "sign(u)", "1 if not u > 0 else 2", "(u > 0) + 1", "atan2(u, 2)"])
def test_expressions_mean_the_same_as_in_equations(text):
    definition = FunctionDefinition("f", ["u"], ["y"], [assign(f"y = {text}")])
    for u in (-1.5, 0.0, 3.0):
        assert definition.function().evaluate([u])[0] == evaluate(parse(text), {"u": u})


def define(**changes):
    given = {"name": "f", "inputs": ["u"], "outputs": ["y"], "body": [assign("y = u")]} | changes
    return lambda: FunctionDefinition(**given).function()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (define(body=[assign("u = 1")]), "'u' cannot be assigned; expected one of y"),
        (define(body=[assign("y = v")]), "unknown name 'v'"),
        (define(body=[assign("y = der(u)")]), "has no meaning in a function"),
        (define(body=[Break()]), "'break' stands in no repetition"),
        (define(inputs=["u", "u"]), "need different names"),
        (define(outputs=[]), "need different names"),
        (define(inputs=["__import__('os')"]), "is not a name"),
        (define(body=[ForStatement("k", parse("0"), parse("3"), [], step=0)]), "never ends"),
        (define(body=[ForStatement("u", parse("0"), parse("3"), [])]), "is a variable already"),
        (define(body=[ForStatement("k", parse("0"), parse("3"), [], step=0.5)]), "found 0.5; expected an integer"),
        (define(body=["y = u"]), "this is not a statement; found 'y = u'"),
        (define(derivative=FunctionDefinition("d", ["u"], ["dy"], [])), "does not fit"),
    ],
)
def test_mistakes_are_named(build, message):
    with pytest.raises(ModelError, match=message):
        build()


def test_names_of_python_do_not_matter():
    definition = FunctionDefinition("lambda_", ["int", "range"], ["abs"], [assign("abs = int - range")])
    assert definition.function().evaluate([3.0, 1.0]) == (2.0,)
