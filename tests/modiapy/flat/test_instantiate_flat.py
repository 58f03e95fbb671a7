"""Flat models written by hand are simulated as any other model."""

from __future__ import annotations

import dataclasses
import math

import pytest

from modiapy import Map, ModelError, Var, instantiate
from modiapy.flat import (
    Apply,
    Assertion,
    Assign,
    Break,
    Const,
    Equation,
    FlatModel,
    ForEquation,
    ForStatement,
    FunctionDefinition,
    IfEquation,
    IfStatement,
    Name,
    Variable,
    WhenBranch,
    WhenEquation,
    parse,
    parse_equation,
)


def equations(*texts):
    return tuple(map(parse_equation, texts))


def decay():
    return FlatModel("Decay", {"a.x": Variable("a.x", init=1.0)}, {"a.k": 2.0}, list(equations("der(a.x) = -a.k*a.x")))


def test_values_are_read_and_changed_without_new_machine_code():
    sim = instantiate(decay())
    assert sim.name == "Decay"
    assert sim.simulate(1.0, tolerance=1e-9)["a.x"][-1] == pytest.approx(math.exp(-2))
    result = sim.simulate(1.0, tolerance=1e-9, merge=Map(a=Map(k=3.0, x=Var(init=2.0))))
    assert sim.value("a.x") == result["a.x"][-1] == pytest.approx(2 * math.exp(-3))
    assert result.statistics["compilations_after_start"] == 0
    assert (sim.parameter("a.k"), sim.start("a.x"), sim.evaluated_parameters) == (3.0, 2.0, {"a.k": 3.0})
    sim.simulate(1.0)
    assert (sim.parameter("a.k"), sim.start("a.x")) == (2.0, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a.q": 1.0}, "a.q: there is no such parameter or variable"),
        ({"a.k": "fast"}, "a.k: the value is not a number; found 'fast'"),
        ({"a.x": 3.0}, "a.x: a variable is changed by something else than its attributes"),
        ({"a.x": Var(unit="m")}, "a.x: a variable is changed by something else than its attributes"),
        ({"a.k": [1.0, 2.0]}, "a.k: the value has the wrong number of dimensions"),
        ({3: 1.0}, "the name of an entry is not a text; found 3"),
    ],
)
def test_wrong_changes_are_named(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(decay()).simulate(1.0, merge=change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parameters": {"a.k": "2"}}, "a.k: the value is not a number; found '2'"),
        ({"parameters": {"a.k": 2.0, "a.x": 1.0}}, "a.x: the name of a variable is taken; found a variable and a parameter"),
        ({"arrays": {"A": [[1.0, 2.0], [3.0]]}}, "A: the value is not a number"),
        ({"variables": {"a.x": Variable("b.x")}}, "a.x: the name of a variable is taken; found the variable 'b.x'"),
        ({"variables": {"a.x": Variable("a.x", init="1")}}, "a.x.init: the value is not a number"),  # type: ignore[arg-type]
        ({"variables": {"a.x": Variable("a.x", type="real")}}, "a.x: unknown type 'real'.*Did you mean 'Real'"),
        ({"equations": ["der(a.x) = -a.x"]}, "this is not an equation.*parse_equation"),
        ({"equations": [*equations("der(a.x) = 1 if a.k == 'fast' else 2")]}, "'fast' in .* is text"),
    ],
)
def test_what_a_front_end_must_not_hand_over(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(dataclasses.replace(decay(), **change))


def test_branches_of_equal_length_follow_the_parameter_and_others_are_structure():
    flat = decay()
    flat.variables |= {"y": Variable("y"), "z": Variable("z")}
    flat.compound.append(IfEquation(((parse("a.k > 1"), equations("y = 1")),), equations("y = 2")))
    sim = instantiate(dataclasses.replace(flat, equations=[*flat.equations, *equations("z = 0")]))
    assert [sim.simulate(1.0, merge={"a.k": k})["y"][-1] for k in (3.0, 0.5)] == [1.0, 2.0]
    flat.compound.append(IfEquation(((parse("a.k > 1"), equations("z = 1")),), equations("z = 1", "der(y) = 0")))
    sim = instantiate(flat)
    with pytest.raises(ModelError, match="'merge' changes the structure"):
        sim.simulate(1.0, merge={"a.k": 0.5})


def test_everything_a_front_end_may_hand_over():
    """If-, for- and when-equations with elsewhen, an enumeration, an assertion, a function with two results and a loop."""
    squares = FunctionDefinition(
        "squares",
        ["n", "u"],
        ["total", "count"],
        [
            ForStatement(
                "k",
                parse("1"),
                parse("n"),
                [
                    Assign("total", parse("total + u*k**2")),
                    IfStatement([(parse("total > 10"), [Break()])]),
                    Assign("count", parse("count + 1")),
                ],
            )
        ],
    ).function()
    total, count = squares.call("squares", (Const(5.0), Name("x")))
    element = Apply("element", (Name("v"), Name("i")))
    flat = FlatModel(
        "All",
        {
            **{name: Variable(name) for name in ("y", "total", "count", "v[0]", "v[1]")},
            "x": Variable("x", init=0.0),
            "n": Variable("n", type="Integer", init=0),
            "mode": Variable("mode", type="Integer", literals=("off", "on"), init=0),
        },
        {"p": 1.0},
        [*equations("der(x) = 1"), Equation(Name("total"), total), Equation(Name("count"), count)],
        compound=[
            IfEquation(((parse("x > 0.5"), equations("y = 1")),), equations("y = 2")),
            ForEquation("i", Const(0), Const(1), (Equation(element, parse("x*i")),)),
            IfEquation(((parse("p > 0.5"), equations("mode = 1")),)),
        ],
        whens=[
            WhenEquation(
                (
                    WhenBranch((parse("x > 0.3"),), equations("n = pre(n) + 1")),
                    WhenBranch((parse("x > 0.6"),), equations("n = pre(n) + 10")),
                )
            )
        ],
        assertions=[Assertion(parse("x < 2"), "too far")],
    )
    result = instantiate(flat).simulate(1.0)
    last = {name: result[name][-1] for name in ("y", "total", "count", "v[0]", "v[1]", "n", "mode")}
    assert last == pytest.approx({"y": 1, "total": 14, "count": 2, "v[0]": 0, "v[1]": 1, "n": 11, "mode": 1}, abs=1e-6)
    assert result["y"][0] == 2.0
