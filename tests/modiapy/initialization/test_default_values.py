"""Initial values of equal variables: those of users count more than what components found, and these more than defaults."""

from itertools import product

import pytest

from modiapy import Model, ModelError, Var, instantiate
from modiapy.model.model import DefaultInit, FoundInit

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
