"""States follow from what linear constraints say, not from how they are written; bodies on springs against closed forms."""

import math

import numpy as np
import pytest

from modiapy import Model, ModelError, Var, instantiate

TWICE = [
    "(x + x)",
    "-(-2*x)",
    "2*(x if on else y)",
    "(x + (x if on else y))",
    "((x if on else y) + x)",
    "(4*x if on else y)/2",
    "k*(y if off else (x if on else z))",
]
"""Ways to write two times x, where the parameter k is 2, on is true and off is false."""


def bodies(*constraints, stiffness=(1.0, 2.0, 3.0)):
    """Three bodies of mass one, each on a spring, that constraints between them hold together; a multiplier for each of these."""
    names = "xyz"
    forces = {f"p{k}": Var() for k in range(len(constraints))}
    equations = []
    for i, (name, c) in enumerate(zip(names, stiffness, strict=True)):
        on_it = "".join(f" + {row[i]}*p{k}" for k, (row, _) in enumerate(constraints))
        equations += [f"der({name}) = v{name}", f"der(v{name}) = -{c}*{name}{on_it}"]
    starts = {"x": Var(start=0.0), "y": Var(start=1.0), "z": Var(start=-1.0)}
    speeds = {f"v{name}": Var(start=0.0) for name in names}
    return Model(
        k=2.0,
        on=True,
        off=False,
        **starts,
        **speeds,
        **forces,
        equations=[*equations, *(f"{text} = 0" for _, text in constraints)],
    )


@pytest.mark.parametrize("twice", TWICE)
def test_one_body_is_at_rest_and_two_swing_against_each_other(twice):
    """x + y + z = 0 and 2 x + y + z = 0: x rests, and y = -z swing with the mean of their springs."""
    sim = instantiate(bodies(((1, 1, 1), "x + y + z"), ((2, 1, 1), f"{twice} + y + z")))
    assert len(sim.states) == 2
    result = sim.simulate(3.0, tolerance=1e-10)
    swing = np.cos(math.sqrt(2.5) * result.time)
    sign = np.sign(result["y"][0])
    assert result["x"] == pytest.approx(np.zeros(len(swing)), abs=1e-7)
    assert result["y"] == pytest.approx(sign * swing, abs=1e-7)
    assert result["z"] == pytest.approx(-sign * swing, abs=1e-7)


@pytest.mark.parametrize("twice", TWICE)
def test_constraints_that_say_the_same_are_found_to_do_so(twice):
    """The same condition as x + y + z = 0, in other units, is refused, however it is written."""
    with pytest.raises(ModelError, match="depends on other constraints"):
        instantiate(bodies(((1, 1, 1), "x + y + z"), ((1.4, 1.4, 1.4), f"0.7*{twice} + 1.4*y + 1.4*z")))
