"""Flat models with arrays, written by hand."""

import numpy as np
import pytest
from scipy.linalg import expm

from modiapy import Function, Map, ModelError, Var, instantiate
from modiapy.flat import (
    Apply,
    Const,
    Equation,
    FlatModel,
    ForEquation,
    Name,
    Variable,
    WhenBranch,
    WhenEquation,
    parse,
    parse_equation,
)

A2 = np.array([[0.0, 1.0], [-2.0, -0.3]])
A3 = np.array([[-1.0, 0.2, 0.0], [0.0, -2.0, 0.4], [0.1, 0.0, -3.0]])


def equations(*texts):
    return list(map(parse_equation, texts))


def plant():
    return FlatModel(
        "Plant",
        {"p.x": Variable("p.x", init=[1.0, 2.0]), "y": Variable("y"), "z": Variable("z"), "w": Variable("w", start=[0.0, 0.0])},
        {"k": 2.0},
        equations("der(p.x) = p.A@p.x", "y = k*p.x[0] + sum(p.x)", "z = p.x + 1", "w + exp(w) = p.x"),
        arrays={"p.A": A2},
    )


def test_simulation_and_sizes():
    sim = instantiate(plant())
    for a, x, merge in (
        (A2, [1.0, 2.0], None),
        (A3, [1.0, 2.0, 3.0], {"p.A": A3, "p.x": Var(init=[1, 2, 3]), "w": Var(start=np.zeros(3))}),
    ):
        result = sim.simulate(1.5, tolerance=1e-10, merge=merge)
        final = expm(1.5 * a) @ x
        np.testing.assert_allclose(result["p.x"][-1], final, rtol=1e-6)
        assert result["y"][-1] == pytest.approx(2 * final[0] + final.sum(), rel=1e-6)
        np.testing.assert_allclose(result["z"][-1], final + 1.0, rtol=1e-6)
        np.testing.assert_allclose(result["w"] + np.exp(result["w"]), result["p.x"], rtol=1e-9)
        assert result.statistics["compilations_after_start"] == 0
    np.testing.assert_array_equal(sim.flat.arrays["p.A"], A2)


def test_nested_changes():
    result = instantiate(plant()).simulate(0.0, merge=Map(p=Map(A=2 * A2), k=3.0))
    np.testing.assert_allclose(result["der(p.x)"][0], 2 * A2 @ [1.0, 2.0])
    assert result["y"][0] == 6.0


def test_printed_form_reads_back():
    flat = plant()
    text = str(instantiate(flat).flat)
    assert "parameter p.A = [[0.0, 1.0], [-2.0, -0.3]]" in text
    assert "p.x[2]  (init=[1.0, 2.0])" in text
    assert "z[2]" in text
    lines = text.split("equations\n")[1].splitlines()
    assert [parse_equation(line.strip()) for line in lines] == flat.equations


def test_events_initial_equations_functions_and_repetition():
    element = Apply("element", (Name("v"), Name("i")))
    flat = FlatModel(
        "All",
        {
            "x": Variable("x", init=np.array([2.0, 1.0])),
            "s": Variable("s", start=[0.0, 0.0]),
            "n": Variable("n", type="Integer", init=[0.0, 0.0]),
            "v": Variable("v"),
            "y": Variable("y"),
        },
        {"n_max": 1.0},
        [
            *equations("der(x) = -x", "der(s) = [1, 2] - s"),
            Equation(
                Name("y"),
                Function(lambda v: 2 * v, shapes="v")["_constructor"](lambda v: 2 * v, shapes="v").call("f", [Name("x")])[0],
            ),
        ],
        compound=[ForEquation("i", Const(0), Name("n_max"), (Equation(element, Apply("element", (Name("x"), Name("i")))),))],
        initial_equations=equations("der(s) = 0"),
        whens=[
            WhenEquation(
                (WhenBranch((parse("x[0] < 1"),), tuple(equations("n = pre(n) + [1, 3]")), ((Name("x"), parse("[4, 5]")),)),)
            )
        ],
        shapes={"v": (2,)},
    )
    result = instantiate(flat).simulate(1.0, tolerance=1e-9)
    np.testing.assert_allclose(result["s"], np.broadcast_to([1.0, 2.0], result["s"].shape), atol=1e-8)
    np.testing.assert_array_equal(result["n"][-1], [1.0, 3.0])
    np.testing.assert_allclose(result["x"][-1], np.array([4.0, 5.0]) * np.exp(np.log(2) - 1), rtol=1e-6)
    np.testing.assert_allclose(result["v"], result["x"])
    np.testing.assert_allclose(result["y"], 2 * result["x"])


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"p.A": A3}, ["'p.A' of shape (3, 3) and 'p.x' of shape (2,)"]),
        ({"p.A": 3.0}, ["p.A: the value has the wrong number of dimensions", "expected a matrix"]),
        ({"p.A": "fast"}, ["p.A: the value is not a number"]),
        ({"p.x": Var(init=[1.0, 2.0, 3.0])}, ["(2, 2)", "(3,)"]),
        ({"p.B": 1.0}, ["p.B: there is no such parameter or variable"]),
    ],
)
def test_wrong_values_are_refused(change, parts):
    with pytest.raises(ModelError) as error:
        instantiate(plant()).simulate(1.0, merge=change)
    for part in parts:
        assert part in str(error.value)


def test_wrong_shapes_are_refused_when_the_model_is_instantiated():
    flat = plant()
    flat.equations += equations("p.x = [1, 2, 3]")
    with pytest.raises(ModelError, match=r"\(2,\) = \(3,\)"):
        instantiate(flat)
    flat = plant()
    flat.shapes["p.A"] = (3, 3)
    with pytest.raises(ModelError, match=r"p.A: the parameter does not have its shape; found \(2, 2\); expected \(3, 3\)"):
        instantiate(flat)


def test_what_expressions_share_is_looked_at_once() -> None:
    """Beside an array each scalar expression is checked for its shape; this one has 2**60 leaves written out."""
    shared = Apply("sin", (Name("time"),))
    for _ in range(60):
        shared = Apply("*", (Const(0.5), Apply("+", (shared, shared))))
    flat = FlatModel(
        name="Shared",
        variables={"v": Variable("v"), "y": Variable("y")},
        parameters={},
        equations=[Equation(Name("v"), Apply("array", (Name("time"), Const(2.0)))), Equation(Name("y"), shared)],
        shapes={"v": (2,)},
    )
    assert instantiate(flat).simulate(1.0)["y"][-1] == pytest.approx(np.sin(1.0))
