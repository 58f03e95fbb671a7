"""Pairs that do not collide: those of one body, of joined bodies, of sets that are kept apart."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from modia3d.collision.filter import named, pair_filter
from modia3d.collision.kernels.allowed import is_listed, may_collide, sort_pairs

from .shape_rows import seeds

pytestmark = pytest.mark.white_box


@njit
def _may(table, i, j):
    return may_collide(table, i, j)


@njit
def _sorted_and_listed(pairs, i, j):
    sort_pairs(pairs, pairs.shape[0])
    return is_listed(pairs, pairs.shape[0], i, j)


@given(seeds, st.integers(1, 12), st.integers(0, 6), st.integers(0, 5))
def test_filter_is_the_plain_rule(seed: int, count: int, n_joined: int, n_apart: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = rng.integers(-2, 6, count)
    joined = [tuple(pair) for pair in rng.integers(-1, 8, (n_joined, 2)).tolist()]
    apart = [(rng.random(count) < 0.3, np.flatnonzero(rng.random(count) < 0.3)) for _ in range(n_apart)]
    table = pair_filter(bodies, joined, apart)
    body = np.maximum(bodies, -1)
    for i, j in combinations(range(count), 2):
        kept = body[i] == body[j] or {(body[i], body[j]), (body[j], body[i])} & set(joined)
        kept = kept or any((a[i] and j in b) or (a[j] and i in b) for a, b in apart)
        assert _may(table, i, j) == _may(table, j, i) == (not kept)


def test_size_of_the_filter_grows_with_shapes_and_joints_only() -> None:
    bodies = np.arange(2000)
    joined = [(k - 1, k) for k in range(2000)]
    table = pair_filter(bodies, joined, [(bodies < 1000, bodies >= 1000)])
    assert len(table) < 6 * 2000
    assert _may(table, 3, 5)
    assert not _may(table, 3, 4)
    assert not _may(table, 3, 1000)


def test_a_set_kept_apart_from_itself_and_numbers_for_masks() -> None:
    table = pair_filter([0, 1, 2], apart=[([0, 1], [0, 1])])
    assert not _may(table, 0, 1)
    assert _may(table, 0, 2)
    assert np.array_equal(pair_filter([0, 1, 2], apart=[(np.array([True, True, False]), [0, 1])]), table)


def test_no_shapes() -> None:
    assert len(pair_filter([])) > 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [("fingers", [0, 2]), ("arm", [0, 1]), ("arm.hand", [0]), ("arm.h", []), ("table", [3]), ("nobody", [])],
)
def test_names_mean_groups_frames_and_submodels(name: str, expected: list[int]) -> None:
    names, groups = ["arm.hand.pad", "arm.elbow", "tool", "table"], ["fingers", "", "fingers", ""]
    assert np.flatnonzero(named(name, names, groups)).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30), st.integers(0, 6), st.integers(0, 6))
def test_pairs_are_sorted_and_found(pairs: list[tuple[int, int]], i: int, j: int) -> None:
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    assert _sorted_and_listed(table, i, j) == ((i, j) in pairs)
    assert [tuple(pair) for pair in table.tolist()] == sorted(pairs)
