"""Sparsity of matrices: what is found by machine code is what is found without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy.symbolic.kernels import incidence

entries = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), min_size=1, max_size=60)


@settings(max_examples=50, deadline=None)
@given(entries)
def test_machine_code_and_python_find_the_same_wherever_the_entries_lie(pairs: list[tuple[int, int]]) -> None:
    """Entries may be columns of a table, whose elements do not lie side by side, and may occur several times."""
    table = np.array(pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incidence, "_kernels", None)
        slow = incidence.incidence_of(12, table[:, 0], table[:, 1])
        incidence.prepare_colouring()
        fast = incidence.incidence_of(12, table[:, 0], table[:, 1])
    assert list(zip(slow.rows.tolist(), slow.columns.tolist(), strict=True)) == sorted(set(pairs), key=lambda pair: pair[::-1])
    for name in ("rows", "columns", "starts"):
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name
