"""Initial equations of values before the beginning."""

import pytest

from modiapy import Clock, Map, Model, ModiaError, Var, When, instantiate

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


@pytest.mark.parametrize("equation", ["previous(y) = 3", "3 = previous(y)"])
def test_a_value_before_the_first_tick(equation):
    counted = Model(tick=Clock(0.5), x=Var("2"), y=Var(), equations=["y = previous(y) + sample(x, tick)"])
    assert instantiate(counted | Model(initial_equations=[equation])).simulate(1.2)["y"][-1] == 9.0


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


@pytest.mark.parametrize("kind", ["Real", "Integer"])
@pytest.mark.parametrize(("given", "sign"), [("x", 1), ("x", -1), ("y", 1), ("y", -1)])
def test_an_initial_value_is_that_before_the_beginning_of_all_that_are_equal(kind: str, given: str, sign: int) -> None:
    """And contradicts no equation, whichever of them stands for the other."""
    declared = {name: Var(type=kind, **({"init": 3} if name == given else {})) for name in "xy"}
    equations = ["der(z) = 1", "x = 5 if z > 0.5 else 4", f"y = {'-' * (sign < 0)}x", When("initial()", ["m = pre(y)"])]
    for turn in (1, -1):
        model = Model(**dict(list(declared.items())[::turn]), m=Var(), z=Var(init=0.0), equations=equations)
        result = instantiate(model).simulate(1.0)
        assert result["m"][-1] == (3 if given == "y" else 3 * sign)
        assert result["y"][[0, -1]].tolist() == [4 * sign, 5 * sign]
