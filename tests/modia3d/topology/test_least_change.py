"""Changes without full turns."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d.topology.least_change import without_turns

pytestmark = pytest.mark.white_box


def three(smallest, largest):
    return st.lists(st.floats(smallest, largest), min_size=3, max_size=3)


@given(x=three(-40.0, 40.0), below=three(0.0, 30.0), above=three(0.0, 30.0))
def test_of_all_numbers_of_turns_within_the_bounds_the_shortest_is_taken(x, below, above):
    """Of angles; what is no angle keeps its value."""
    values = np.array(x)
    lower, upper = values - below, values + above
    found = without_turns(values, [0, 2], lower, upper)
    assert found[1] == values[1]
    assert np.array_equal(values, x)
    for k in (0, 2):
        turns = (values[k] - found[k]) / (2.0 * math.pi)
        assert abs(turns - round(turns)) < 1e-9
        assert lower[k] - 1e-9 <= found[k] <= upper[k] + 1e-9
        others = values[k] - 2.0 * math.pi * np.arange(-20, 21)
        allowed = others[(others >= lower[k] + 1e-9) & (others <= upper[k] - 1e-9)]
        assert abs(found[k]) <= np.abs(allowed).min(initial=np.inf) + 1e-9
