"""What cannot be evaluated is explained in the modes in which it happened: branches, time events, memory."""

import pytest

from modiapy import Model, SimulationError, Var, instantiate

FALLING = {"x": Var(init=1.0), "z": Var(init=0.0), "y": Var()}


@pytest.mark.parametrize(
    "y",
    [
        "(sqrt(x - 0.5) if after(0.25) else 0.0) + (1.0 if x > 10.0 else 0.0)",
        "(0.0 if after(2.0) else sqrt(x - 0.5)) + (1.0 if x < 10.0 else 0.0)",
        "(sqrt(x - 0.5) if x < 0.75 else 0.0) + (1.0 if after(2.0) else 0.0)",
    ],
)
def test_the_branch_that_fails_is_named_with_its_values(y):
    """Relations and time events of which one holds and the other does not."""
    model = Model(**FALLING, equations=["der(x) = -1", f"y = {y}", "der(z) = y"])
    with pytest.raises(SimulationError, match=r"'y' cannot be computed from .*math domain error.* with x = 0\.49") as caught:
        instantiate(model).simulate(1.0)
    assert caught.value.time == pytest.approx(0.5, abs=0.01)
