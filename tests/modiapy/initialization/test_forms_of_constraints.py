"""States follow from what linear constraints say, not from how they are written; bodies on springs against closed forms."""

import math

import numpy as np
import pytest
from scipy.linalg import null_space

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


STIFFNESS = (1.0, 2.0, 3.0, 4.0)


def bodies(*constraints):
    """Bodies of mass one, each on a spring, that constraints (row of coefficients, text) hold together by forces."""
    n = len(constraints[0][0])
    names, swing = "xyzw"[:n], null_space(np.array([row for row, _ in constraints]))[:, 0]
    equations = []
    for i, (name, c) in enumerate(zip(names, STIFFNESS, strict=False)):
        on_it = "".join(f" + {row[i]}*p{k}" for k, (row, _) in enumerate(constraints))
        equations += [f"der({name}) = v{name}", f"der(v{name}) = -{c}*{name}{on_it}"]
    return Model(
        {name: Var(start=float(part)) for name, part in zip(names, swing, strict=True)},
        k=2.0,
        on=True,
        off=False,
        **{f"v{name}": Var(start=0.0) for name in names},
        **{f"p{k}": Var() for k in range(len(constraints))},
        equations=[*equations, *(f"{text} = 0" for _, text in constraints)],
    )


def assert_swing(*constraints):
    """One motion is left: along the null space of all rows, with the mean of the springs."""
    sim = instantiate(bodies(*constraints))
    assert len(sim.states) == 2
    result = sim.simulate(3.0, tolerance=1e-10)
    swing = null_space(np.array([row for row, _ in constraints]))[:, 0]
    c = float(swing**2 @ STIFFNESS[: len(swing)])
    for name, part in zip("xyzw", swing, strict=False):
        assert result[name] == pytest.approx(part * np.cos(math.sqrt(c) * result.time), abs=1e-7)


@pytest.mark.parametrize("twice", TWICE)
def test_one_body_is_at_rest_and_two_swing_against_each_other(twice):
    """x + y + z = 0 and 2 x + y + z = 0."""
    assert_swing(((1, 1, 1), "x + y + z"), ((2, 1, 1), f"{twice} + y + z"))


@pytest.mark.parametrize("order", [1, -1])
def test_a_small_coefficient_makes_no_constraints_alike(order):
    """To eliminate with it would leave rows that differ in their last digits only."""
    rows = [row[::order] for row in ((1e-13, 1, 1, 1), (1, 2, 1, 1), (1, 1, 3, 1))]
    assert_swing(*((row, " + ".join(f"{a!r}*{name}" for a, name in zip(row, "xyzw", strict=True))) for row in rows))


@pytest.mark.parametrize("twice", TWICE)
def test_constraints_that_say_the_same_are_found_to_do_so(twice):
    """The same condition as x + y + z = 0, in other units, is refused, however it is written."""
    with pytest.raises(ModelError, match="depends on other constraints"):
        instantiate(bodies(((1, 1, 1), "x + y + z"), ((1.4, 1.4, 1.4), f"0.7*{twice} + 1.4*y + 1.4*z")))
