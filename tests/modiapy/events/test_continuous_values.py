"""What changes at events only cannot have a continuous value; ``init`` of a Boolean or Integer is its value before."""

from __future__ import annotations

import pytest

from modiapy import Assert, Model, ModelError, Var, When, instantiate

RAMP = Model(x=Var(init=0.0), equations=["der(x) = 1"])


@pytest.mark.parametrize("rule", ["n = x", "n = 2*x", "2*x = n", "n = time", "n = not x"])
@pytest.mark.parametrize("kind", ["Integer", "Boolean"])
def test_discrete_variables_refuse_continuous_values(rule, kind):
    with pytest.raises(ModelError, match=f"the {kind} 'n' cannot have the continuous value .*'{rule.replace('*', '.')}'"):
        instantiate(RAMP | Model(n=Var(type=kind, init=0), equations=[rule]))


@pytest.mark.parametrize("rule", [When("x", ["n = 1"]), Assert("x", "no condition")])
def test_conditions_are_relations(rule):
    n = {"n": Var(type="Integer", init=0)} if isinstance(rule, When) else {}
    with pytest.raises(ModelError, match=r"'x' in .* is continuous; found x changes between events; expected a condition"):
        instantiate(RAMP | Model(**n, equations=[rule]))


def test_relations_and_what_depends_on_them_are_accepted():
    model = RAMP | Model(
        b=Var(type="Boolean", init=False),
        n=Var(type="Integer", init=0),
        m=Var(type="Integer", init=0),
        trusted=Var(type="Boolean", init=False),
        equations=["b = x > 0.5", "n = 3 if b else 1", "m = 2*n", "trusted = noEvent(x > 0.7)"],
    )
    result = instantiate(model).simulate(1.0)
    assert [result[v][-1] for v in ("b", "n", "m", "trusted")] == [1, 3, 6, 1]


def test_init_of_a_constant_boolean_is_its_value_before_the_initial_event():
    model = Model(b=Var(type="Boolean", init=False), n=Var(type="Integer", init=0), equations=["b = True", "n = 2"])
    result = instantiate(model).simulate(1.0)
    assert (result["b"][0], result["n"][-1]) == (1.0, 2.0)


def test_what_makes_no_events_is_continuous_in_smooth_too():
    """Relations inside of smooth(1, ...) make no events; those inside of smooth(0, ...) do."""

    def model(order):
        return RAMP | Model(n=Var(type="Integer", init=0), equations=[f"n = smooth({order}, 1 if x > 0.5 else 0)"])

    with pytest.raises(ModelError, match="the Integer 'n' cannot have the continuous value"):
        instantiate(model(1))
    result = instantiate(model(0)).simulate(1.0)
    assert result["n"][result.time < 0.499].max() == 0
    assert result["n"][result.time > 0.501].min() == 1
    assert result.statistics["events"] == 1
