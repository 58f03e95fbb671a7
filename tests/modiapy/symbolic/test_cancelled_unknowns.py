"""An unknown that cancels in an equation of a system may be computed after that equation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from modiapy import Model, Var, instantiate

EQUATIONS = [
    "i + x/2 + a + b = 0",  # what flows into one pin of a node flows out of another one
    "i = tanh(y) - 0.1*y",
    "s = y*i/(u - w)",
    "u = 15 + x",
    "w = x - 15",
    "y = x + 3*i + time",
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(len(EQUATIONS))))[::97])
def test_the_system_is_solved_in_any_order_of_its_equations(order: tuple[int, ...]) -> None:
    model = Model({name: Var() for name in "abisxyuw"}) | Model(equations=["a = s", "b = -s", *(EQUATIONS[k] for k in order)])
    r = instantiate(model).simulate(1.0)
    i, x, y, s = (r[name] for name in "ixys")
    np.testing.assert_allclose(i, -x / 2, atol=1e-12)
    np.testing.assert_allclose(i, np.tanh(y) - 0.1 * y, atol=1e-12)
    np.testing.assert_allclose(y, x + 3 * i + r.time, atol=1e-12)
    np.testing.assert_allclose(s, y * i / 30.0, atol=1e-12)
    np.testing.assert_allclose(r["a"] + r["b"], 0.0, atol=1e-15)
