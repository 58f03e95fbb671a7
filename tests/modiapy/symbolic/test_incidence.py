"""Sparsity of matrices: what is found by machine code is what is found without."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy.acausal import SegmentLayout, Sparsity
from modiapy.symbolic.kernels import incidence
from modiapy.symbolic.structure.segment_incidence import CallIncidence, SegmentIncidence

pytestmark = pytest.mark.white_box

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


def drawn(choice: random.Random, n: int, m: int, share: float) -> np.ndarray:
    """Which of n things depend on which of m."""
    return np.array([[choice.random() < share for _ in range(m)] for _ in range(n)], dtype=bool).reshape(n, m)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), share=st.sampled_from((0.0, 0.1, 0.4, 0.9)))
def test_states_depend_on_those_of_components_by_outputs_and_these_on_others_by_inputs(seed: int, share: float) -> None:
    """Against products of full matrices; what a component does not say is dense."""
    choice = random.Random(seed)
    n, own = choice.randint(0, 4), {path: choice.randint(0, 4) for path in "abc"[: choice.randint(1, 3)]}
    first, size = dict(zip(own, n + np.cumsum([0, *own.values()]), strict=False)), n + sum(own.values())
    silent = {path for path in own if choice.random() < 0.3}
    calls = [(choice.choice(list(own)), choice.randint(0, 3), choice.randint(0, 3)) for _ in range(choice.randint(0, 4))]
    n_outputs = sum(n_out for _, _, n_out in calls)
    columns = iter(choice.sample(range(n, n + n_outputs), n_outputs))
    shown = np.zeros((n_outputs, size), dtype=bool)  # states that outputs depend on
    through = np.zeros((size, n + n_outputs), dtype=bool)  # states of the equations, and outputs, that states depend on
    through[:n] = drawn(choice, n, n + n_outputs, share)
    made, said = [], {path: ({}, {}) for path in own}
    for k, (path, n_in, n_out) in enumerate(calls):
        m, at = own[path], first[path]
        driven, seen, used = (
            drawn(choice, m, n_in, share),
            drawn(choice, n_out, m, share),
            drawn(choice, n_in, n + n_outputs, share),
        )
        for told, matrix in zip(said[path], (driven, seen), strict=True):
            if path in silent or choice.random() < 0.2:
                matrix[:] = True
            else:
                told[f"f{k}"] = np.argwhere(matrix)
        outputs = tuple(next(columns) for _ in range(n_out))
        shown[np.array(outputs, dtype=int) - n, at : at + m] = seen
        through[at : at + m] |= driven @ used
        made.append(CallIncidence(path, f"f{k}", tuple(map(as_set, used)), outputs))
    layouts, expected = {}, through[:, n:] @ shown | np.eye(size, dtype=bool)
    expected[:, :n] |= through[:, :n]
    for path, m in own.items():
        inside = drawn(choice, m, m, 1.0 if path in silent else share)
        starts, members = np.cumsum([0, *inside.sum(axis=1)]), np.ascontiguousarray(np.nonzero(inside)[1])
        sparsity = None if path in silent else Sparsity(starts, members, *said[path])
        layouts[path] = SegmentLayout(np.zeros(1), np.zeros(m), sparsity=sparsity)
        expected[first[path] : first[path] + m, first[path] : first[path] + m] |= inside
    found = SegmentIncidence(list(map(as_set, through[:n])), made).within(layouts)
    matrix = np.eye(size, dtype=bool)
    matrix[found.rows, found.columns] = True
    np.testing.assert_array_equal(matrix, expected)


def as_set(row: np.ndarray) -> int:
    """The positions where something is true, as the bits of an integer."""
    return sum(1 << int(k) for k in np.flatnonzero(row))
