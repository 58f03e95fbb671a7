"""Whether numbers are finite is told of few and of many, in one dimension or two."""

import numpy as np
import pytest

from modiapy.simulation.evaluation.finite import ALONE, all_finite

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize("shape", [(3,), (ALONE,), (ALONE + 1,), (ALONE, 2)])
def test_one_number_decides(shape):
    values = np.ones(shape)
    assert all_finite(values)
    for bad in (np.nan, np.inf, -np.inf):
        changed = values.copy()
        changed.reshape(-1)[-1] = bad
        assert not all_finite(changed)
