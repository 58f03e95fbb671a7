"""Initial equations of values before the beginning."""

import pytest

from modiapy import Map, Model, ModiaError, Var, When, instantiate

COUNTER = Model(
    first=3,
    n=Var(type="Integer"),
    x=Var(init=0.0),
    equations=["der(x) = n", When("sample(0.5, 1)", ["n = pre(n) + 1"])],
)


@pytest.mark.parametrize(("equation", "first"), [("pre(n) = 3", 3), ("2*first + 1 = pre(n)", 7), ("pre(n) = 0", 0)])
def test_a_value_before_the_beginning(equation, first):
    result = instantiate(COUNTER | Map(initial_equations=[equation])).simulate(2.0)
    assert result["n"][[0, -1]].tolist() == [first, first + 2]
    assert result["x"][-1] == pytest.approx(0.5 * first + (first + 1) + 0.5 * (first + 2))


def test_its_parameters_may_be_merged():
    sim = instantiate(COUNTER | Map(initial_equations=["pre(n) = first"]))
    assert [sim.simulate(0.2, merge=Map(first=k))["n"][-1] for k in (5, 8)] == [5, 8]


def test_booleans_and_submodels():
    part = Model(
        b=Var(type="Boolean"), equations=[When("sample(1, 1)", ["b = not pre(b)"])], initial_equations=["pre(b) = True"]
    )
    result = instantiate(Model(part=part, x=Var(init=0.0), equations=["der(x) = 1 if part.b else 0"])).simulate(2.5)
    assert result["x"][-1] == pytest.approx(1.0 + 0.5)


def test_a_contradiction_is_refused():
    with pytest.raises(ModiaError, match=r"n: two values before the beginning.*init=1\.0 and 'pre\(n\) = 3'"):
        instantiate(COUNTER | Map(n=Var(init=1), initial_equations=["pre(n) = 3"]))
    assert instantiate(COUNTER | Map(n=Var(init=3), initial_equations=["pre(n) = 3"])).simulate(0.2)["n"][-1] == 3
