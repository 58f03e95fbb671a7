"""Matching and strong components against scipy's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from modiapy.symbolic.structure.sorting import strong_components
from modiapy.symbolic.terms.matching import match, overdetermined, underdetermined

pytestmark = pytest.mark.white_box

graphs = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, n - 1), unique=True, max_size=4), min_size=n, max_size=n)
)


def matrix(rows):
    dense = np.zeros((len(rows), len(rows)), dtype=int)
    for r, columns in enumerate(rows):
        dense[r, columns] = 1
    return csr_matrix(dense)


@given(graphs)
def test_matching_is_a_matching_and_as_large_as_scipys(rows):
    matching = match(rows, len(rows))
    pairs = [(r, c) for r, c in enumerate(matching.column_of) if c >= 0]
    assert all(c in rows[r] and matching.row_of[c] == r for r, c in pairs)
    assert len({c for _, c in pairs}) == len(pairs)
    assert len(pairs) == np.count_nonzero(maximum_bipartite_matching(matrix(rows)) >= 0)


@given(graphs)
def test_overdetermined_part_has_too_many_rows_and_nothing_else(rows):
    matching = match(rows, len(rows))
    missing = sum(c < 0 for c in matching.column_of)
    over_rows, over_columns = overdetermined(rows, matching)
    assert set(over_columns) == {c for r in over_rows for c in rows[r]}
    assert len(over_rows) - len(over_columns) == missing
    under_rows, under_columns = underdetermined(rows, matching)
    assert set(under_rows) == {r for r, columns in enumerate(rows) if set(columns) & set(under_columns)}
    assert len(under_columns) - len(under_rows) == missing
    assert not set(over_rows) & set(under_rows)


@given(graphs)
def test_strong_components_are_scipys_in_the_order_of_evaluation(edges):
    components = strong_components(edges)
    count, labels = connected_components(matrix(edges), connection="strong")
    assert len(components) == count
    assert all(len({labels[n] for n in nodes}) == 1 for nodes in components)
    place = {n: k for k, nodes in enumerate(components) for n in nodes}
    assert all(place[other] <= place[n] for n, others in enumerate(edges) for other in others)


def test_long_chain_needs_no_recursion():
    n = 20_000
    assert len(strong_components([[k + 1] for k in range(n - 1)] + [[]])) == n
    rows = [[k, k + 1] for k in range(n - 1)] + [[0]]
    assert -1 not in match(rows, n).row_of
