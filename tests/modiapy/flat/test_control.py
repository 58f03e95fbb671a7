"""If- and for-equations: in the language, and in flat models written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import For, If, Map, Model, ModelError, Var, instantiate
from modiapy.flat import (
    Apply,
    Const,
    Equation,
    FlatModel,
    ForEquation,
    IfEquation,
    Name,
    Variable,
    parse,
    parse_equation,
    sort_model,
)
from modiapy.model.expression import der, neg, sub
from modiapy.symbolic.interpreter.interpreter import interpret

pytestmark = pytest.mark.white_box

Choice = Model(
    u=Var("time"),
    y=Var(),
    z=Var(),
    equations=[
        If("u > 0.5", ["y = 1", "z - 1 = u"], elseif=[("u > 0.2", ["y = 3", "z = u"])], otherwise=["y = 2", "z = 0"]),
    ],
)


def test_balanced_branches_switch_during_the_simulation():
    result = instantiate(Choice | Model(s=Var(init=0.0), equations=["der(s) = y"])).simulate(1.0)
    t = result.time
    away = (np.abs(t - 0.2) > 1e-9) & (np.abs(t - 0.5) > 1e-9)
    np.testing.assert_allclose(result["y"][away], np.select([t > 0.5, t > 0.2], [1, 3], 2)[away])
    np.testing.assert_allclose(result["z"][away], np.select([t > 0.5, t > 0.2], [t + 1, t], 0)[away], atol=1e-12)
    assert result["s"][-1] == pytest.approx(0.2 * 2 + 0.3 * 3 + 0.5 * 1, abs=1e-6)


def test_branches_may_define_their_variables_in_any_order():
    model = Model(y=Var(), z=Var(), equations=[If("time > 0.5", ["y = 1", "z = 2"], otherwise=["z = 3", "y = 4"])])
    result = instantiate(model).simulate(1.0)
    assert [result["y"][0], result["z"][0], result["y"][-1], result["z"][-1]] == [4, 3, 1, 2]


def test_parameters_choose_between_branches_of_different_length():
    model = Model(
        order=2,
        x=Var(init=1.0),
        v=Var(),
        equations=[
            If(
                "order == 2",
                ["der(x) = v", "v = -x"],
                elseif=[("order == 1", [If("x > 10", ["der(x) = 0"], otherwise=["der(x) = 1"]), "v = 0"])],
            )
        ],
    )
    assert instantiate(model).simulate(1.0)["x"][-1] == pytest.approx(np.exp(-1), rel=1e-4)
    assert instantiate(model | Map(order=1)).simulate(1.0)["x"][-1] == pytest.approx(2.0, rel=1e-5)


def test_repetition_with_bounds_that_are_parameters():
    model = Model(
        n=4,
        p=[1.0, 2.0, 4.0, 8.0],
        total=Var(),
        x=Var(shape=4),
        equations=[For("i", "n", ["x[i] = p[i]*time"]), "total = sum(x)"],
    )
    result = instantiate(model).simulate(1.0)
    np.testing.assert_allclose(result["x"][-1], [1, 2, 4, 8])
    np.testing.assert_allclose(result["total"], 15 * result.time)


def test_nested_repetition_and_computed_index():
    rows = For("i", 2, [For("j", 1, ["y = p[i, j] + p[n - 1, 0]*q"], first="i + 1")], first=0)
    with pytest.raises(ModelError, match=r"no element \[1,2\]"):
        instantiate(Model(n=2, q=1.0, p=np.eye(2), y=Var(), equations=[rows]))
    model = Model(k=1, p=[3.0, 5.0, 7.0], y=Var("p[k + 1] + p[2*k - 2]"))
    assert instantiate(model).simulate(1.0)["y"][-1] == 10.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            Choice | Model(equations=[If("u > 1", ["y = 1"], otherwise=["y = 2", "z = 3"])]),
            "different numbers of equations; found 1, 2",
        ),
        (Choice | Model(equations=[If("u > 1", ["y = 1"])]), "different numbers of equations; found 1, 0"),
        (Model(n=2.5, y=Var(), equations=[For("i", "n", ["y = i"])]), "an index in .* is not known; found 'n' = 2.5"),
        (Model(y=Var(), equations=[For("i", "y", ["y = i"])]), "is not known; found 'y'; expected an integer of parameters"),
        (Model(p=[1.0, 2.0], y=Var(), equations=[For("i", 3, ["y = p[i]"])]), r"there is no element \[2\]"),
        (Model(p=[1.0, 2.0], y=Var("p[time]")), "an index in 'y = p\\[time\\]' is not known"),
        (Model(y=Var(), equations=[If("time > 1", ["connect(y, y)"], otherwise=["y = 1"])]), "cannot stand in"),
    ],
)
def test_mistakes_are_named(model, message):
    with pytest.raises(ModelError, match=message):
        instantiate(model)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: If("a", "b = 1"), "the equations are not a list"),
        (lambda: If(1, ["b = 1"]), "the condition is not a text"),
        (lambda: For("2i", 3, ["b = 1"]), "the index is not a name"),
    ],
)
def test_wrong_arguments_are_refused_at_once(build, message):
    with pytest.raises(ModelError, match=message):
        build()


# -- flat models written by hand ---


def element(name, index):
    return Apply("element", (Name(name), parse(index)))


def chain(n):
    variables = {f"x[{k}]": Variable(f"x[{k}]", init=float(k)) for k in range(n)} | {"y": Variable("y")}
    return FlatModel(
        "chain",
        variables,
        {"n": float(n), "T": 2.0},
        [Equation(der(Name("x[0]")), neg(Name("x[0]")))],
        compound=[
            ForEquation(
                "i",
                Const(1),
                parse("n - 1"),
                (Equation(der(element("x", "i")), sub(element("x", "i - 1"), element("x", "i"))),),
            ),
            IfEquation(((parse("T > 1"), (Equation(Name("y"), Name("x[1]")),)),), (parse_equation("y = 0"),)),
        ],
    )


def test_flat_model_written_by_hand_is_printed_and_evaluated():
    flat = chain(4)
    text = str(flat)
    assert "for i in 1 to n - 1:\n      der(x[i]) = x[i - 1] - x[i]" in text
    assert "if T > 1:\n      y = x[1]\n  else:\n      y = 0" in text
    model = sort_model(flat)
    values = interpret(model, 0.0, [1.0, 2.0, 4.0, 8.0], flat.parameters)
    assert [values[f"der(x[{k}])"] for k in range(4)] == [-1.0, -1.0, -2.0, -4.0]
    assert values["y"] == 2.0
    assert (len(flat.compound), len(flat.equations)) == (2, 1)  # what was written stays as it is


def test_element_that_does_not_exist_is_named():
    flat = chain(4)
    flat.parameters["n"] = 6.0
    with pytest.raises(ModelError, match=r"there is no 'x\[4\]'"):
        sort_model(flat)


def test_nested_if_in_for_with_unequal_branches_is_chosen_by_the_index():
    inner = IfEquation(
        ((parse("i == 0"), (Equation(element("x", "i"), Const(7.0)),)),),
        (Equation(element("x", "i"), element("x", "i - 1")), Equation(element("y", "i"), element("x", "i"))),
    )
    names = ["x[0]", "x[1]", "x[2]", "y[1]", "y[2]"]
    flat = FlatModel("m", {n: Variable(n) for n in names}, {}, [], compound=[ForEquation("i", Const(0), Const(2), (inner,))])
    model = sort_model(flat)
    values = interpret(model, 0.0, [], {})
    assert [values[n] for n in names] == [7.0] * 5


def test_branches_that_define_elements_of_an_array():
    """Their equations are those of the elements, so that they are gathered into one for the array."""
    branches = If("time > 0.5", [For("i", 2, ["y[i] = i*time"])], otherwise=["y[1] = 5", "y[0] = time"])
    result = instantiate(Model(y=Var(shape=2), equations=[branches])).simulate(1.0)
    late = result.time > 0.5 + 1e-9
    np.testing.assert_allclose(result["y"][late], np.outer(result.time[late], [0.0, 1.0]))
    early = result.time < 0.5 - 1e-9
    np.testing.assert_allclose(result["y"][early, 0], result.time[early])
    np.testing.assert_allclose(result["y"][early, 1], 5.0)


def test_an_index_within_an_index_of_the_same_name():
    """It hides the outer one, and what else has that name, as long as its own equations last."""
    inside = For("i", 2, ["x[i] = 10*i"])
    model = Model(i=5.0, x=Var(shape=3), y=Var(), equations=[For("i", 1, [inside, "x[i + 1] = 7*i"], first=1), "y = i"])
    result = instantiate(model).simulate(0.1)
    assert result["x"][-1].tolist() == [0.0, 10.0, 7.0]
    assert result["y"][-1] == 5.0
