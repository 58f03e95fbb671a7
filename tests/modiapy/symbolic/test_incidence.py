"""Sparsity of matrices: what is found by machine code is what is found without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy.acausal import SegmentLayout, Sparsity
from modiapy.symbolic.kernels import incidence
from modiapy.symbolic.structure.segment_incidence import SegmentIncidence

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


@settings(max_examples=100, deadline=None)
@given(entries)
def test_blocks_are_what_depends_on_each_other_and_come_after_what_they_depend_on(pairs: list[tuple[int, int]]) -> None:
    n = 12
    rows, columns = np.array(pairs).T
    order, ends, places, size = incidence.incidence_of(n, rows, columns).blocks
    assert sorted(order.tolist()) == list(range(n))
    reached = np.eye(n, dtype=bool)
    reached[rows, columns] = True
    for k in range(n):
        reached |= np.outer(reached[:, k], reached[k])
    block = np.empty(n, dtype=int)
    block[order] = np.searchsorted(ends, np.arange(n), side="right")
    mutual = reached & reached.T
    assert np.array_equal(mutual, block[:, None] == block)
    assert (block[rows] >= block[columns]).all()
    sizes = np.diff(ends, prepend=0)
    assert size == sizes @ sizes
    assert places.size == np.unique(rows * n + columns).size + n
    diagonal = places[-n:][order]
    begins = np.cumsum(sizes**2) - sizes**2
    assert diagonal.tolist() == [begin + k * (m + 1) for begin, m in zip(begins, sizes, strict=True) for k in range(m)]


@pytest.mark.parametrize("width", [3, 61, 62, 63, 150])
def test_so_many_colours_as_a_row_has_entries_are_found_however_many_these_are(width: int) -> None:
    """In a band each column takes the first colour that none of the ``width - 1`` columns before it has."""
    n = 2 * width + 3
    rows, columns = np.nonzero(np.tri(n, k=width - 1, dtype=bool) & ~np.tri(n, k=-1, dtype=bool))
    incidence.prepare_colouring()
    found = incidence.incidence_of(n, rows, columns)
    assert np.array_equal(found.colours, np.arange(n) % width)
    order, ends = found.by_colour
    assert np.array_equal(order, np.argsort(np.arange(n) % width, kind="stable"))
    assert np.array_equal(ends, np.cumsum(np.bincount(np.arange(n) % width)))


def test_states_of_components_that_equations_do_not_join() -> None:
    """Those of one that says nothing depend on each other; those of the other one on what it says; nothing joins them."""
    said = Sparsity(np.array([0, 1, 3]), np.array([1, 0, 1]))
    layouts = {"a": SegmentLayout(np.zeros(1), np.zeros(3)), "b": SegmentLayout(np.zeros(1), np.zeros(2), sparsity=said)}
    found = SegmentIncidence([0b1], []).within(layouts)
    pairs = set(zip(found.rows.tolist(), found.columns.tolist(), strict=True))
    dense = {(i, j) for i in (1, 2, 3) for j in (1, 2, 3)}
    assert pairs - {(k, k) for k in range(6)} == (dense | {(4, 5), (5, 4)}) - {(k, k) for k in range(6)}
