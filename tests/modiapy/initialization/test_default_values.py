"""Initial values of equal variables: those of users count more than what components found, and these more than defaults."""

from itertools import product

import pytest

from modiapy import Model, ModelError, Var, instantiate
from modiapy.model.model import DefaultInit, FoundInit

pytestmark = pytest.mark.white_box

WEIGHT = {DefaultInit: 0, FoundInit: 1, float: 2}


def made(values, sign, state, observed):
    """``x`` and ``y`` are equal but for the sign; one of them is differentiated."""
    variables = {name: Var(init=value) for name, value in values.items()}
    minus = "-" if sign < 0 else ""
    equations = [f"der({state}) = -{state}", f"x = {minus}y", f"z = 2*{observed}"]
    return instantiate(Model(**variables, z=Var(), equations=equations))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("of_x", "of_y"), [pair for pair in product(WEIGHT, WEIGHT) if pair != (float, float)])
def test_the_value_that_counts_more_is_that_of_both(of_x, of_y, sign):
    counts = "x" if WEIGHT[of_x] > WEIGHT[of_y] else "y"
    for order, state in product((("x", "y"), ("y", "x")), "xy"):
        values = {name: {"x": of_x(1.0), "y": of_y(3.0)}[name] for name in order}
        result = made(values, sign, state, order[0]).simulate(0.1)
        if of_x is of_y:
            assert result["x"][0] in (1.0, 3.0 * sign)
        else:
            assert result[counts][0] == values[counts]
        assert result["y"][0] == sign * result["x"][0]


@pytest.mark.parametrize("sign", [1, -1])
def test_two_values_of_users_agree_or_are_refused(sign):
    assert made({"x": 1.0, "y": 1.0 * sign}, sign, "x", "y").simulate(0.1)["y"][0] == sign
    with pytest.raises(ModelError, match="contradict each other"):
        made({"x": 1.0, "y": 3.0}, sign, "x", "y")


@pytest.mark.parametrize("other", [[], ["der(z) = 1"]])
@pytest.mark.parametrize("kind", [DefaultInit, FoundInit])
def test_what_a_user_says_of_another_variable_counts_more_than_the_default_of_a_state(kind, other):
    entries = [("x", Var(init=kind(1.0))), ("y", Var(init=6.0)), *([("z", Var(init=0.25))] if other else [])]
    for turn in (1, -1):
        model = Model(dict(entries[::turn]) | {"equations": ["der(x) = -x", f"y = 2*x{' + z' if other else ''}", *other]})
        result = instantiate(model).simulate(0.0)
        assert [result["x"][0], result["y"][0]] == [2.875 if other else 3.0, 6.0]
