"""Rank, multipliers and projection of rows: against dense references, and what units, order and copies must not change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d.constraints.elimination import Elimination
from modia3d.constraints.kinds.row import Row, Rows
from modia3d.constraints.rank import find_rank
from modiapy import ModelError
from tests.modia3d.constraints.rows import permuted, random_metric, random_rows, rows_of, seeds

pytestmark = pytest.mark.white_box

sizes = st.tuples(st.integers(1, 9), st.integers(1, 7), st.integers(1, 7))


def made(seed, size):
    """Random rows G (m, n) with the metric M, divided by the units of the speeds."""
    m, n, rank = size
    rng = np.random.default_rng(seed)
    M, units = random_metric(rng, n)
    return random_rows(rng, m, n, min(rank, n)) * units, M


def normal(G, M):
    """The rows in coordinates in which M is the identity, each of length one."""
    Y = np.linalg.solve(np.linalg.cholesky(M), G.T).T
    return Y / np.linalg.norm(Y, axis=1, keepdims=True)


def clear(G, M, tolerance=1e-4):
    """Whether no singular value is near the tolerance, where a rank is a matter of taste."""
    s = np.linalg.svd(normal(G, M), compute_uv=False)
    return not ((s > 1e-3 * tolerance) & (s < 1e3 * tolerance)).any()


@given(seeds, sizes)
def test_the_rank_is_numpys(seed, size):
    G, M = made(seed, size)
    rank = Elimination(rows_of(G), M).rank
    if clear(G, M):
        assert len(rank) == np.linalg.matrix_rank(normal(G, M), tol=1e-4)
    Y = normal(G, M)
    assert np.abs(rank.combination @ Y[rank.needed] - Y[rank.redundant]).max(initial=0.0) < 1e-3


@given(seeds, sizes)
def test_a_multiplier_is_unique_where_its_row_is_needed_for_the_rank(seed, size):
    G, M = made(seed, size)
    if not clear(G, M):
        return
    unique = Elimination(rows_of(G), M).rank.unique
    for k, alone in enumerate(unique):
        others = np.delete(normal(G, M), k, axis=0)
        lower = np.linalg.matrix_rank(others, tol=1e-4) < np.linalg.matrix_rank(normal(G, M), tol=1e-4) if len(others) else True
        assert alone == lower


@given(seeds, sizes)
def test_the_least_change_is_that_of_a_dense_reference(seed, size):
    """Minimise d M d / 2 with G d = w by Lagrange's multipliers, solved as one dense system."""
    G, M = made(seed, size)
    if not clear(G, M):
        return
    rng = np.random.default_rng(seed + 1)
    v = np.linalg.solve(np.linalg.cholesky(M).T, rng.normal(size=len(M)))
    w = G @ v
    one = Elimination(rows_of(G), M)
    d = one.change(w)
    chosen = one.rank.needed
    W = normal(G, M)[chosen]
    L = np.linalg.cholesky(M)
    reference = np.linalg.solve(L.T, np.linalg.pinv(W) @ W @ (L.T @ v))
    size_of = np.sqrt(v @ M @ v)
    assert np.abs(L.T @ (d - reference)).max() < 1e-7 * size_of
    p = one.multipliers(w)
    assert np.abs(L.T @ (np.linalg.solve(M, G.T @ p) - d)).max() < 1e-7 * size_of
    rest = one.removed(v)
    assert np.abs(normal(G, M) @ (L.T @ rest)).max() < 1e-7 * size_of
    assert rest @ M @ rest <= v @ M @ v * (1.0 + 1e-12)


@given(seeds, sizes)
def test_neither_order_nor_copies_nor_units_matter(seed, size):
    G, M = made(seed, size)
    if not clear(G, M):
        return
    rng = np.random.default_rng(seed + 2)
    v = np.linalg.solve(np.linalg.cholesky(M).T, rng.normal(size=len(M)))
    rows, length = rows_of(G), np.sqrt(v @ M @ v)
    first, L = Elimination(rows, M), np.linalg.cholesky(M)
    order = rng.permutation(len(G))
    shuffled = Elimination(permuted(rows, order), M)
    copied = Elimination(rows_of(np.vstack([G, -3.0 * G[order[:1]]])), M)
    row_units, speed_units = 10.0 ** rng.uniform(-6, 6, (len(G), 1)), 10.0 ** rng.uniform(-6, 6, len(M))
    scaled = Elimination(rows_of(row_units * G / speed_units), 1e9 * M / np.outer(speed_units, speed_units))
    for other, here in ((shuffled, v), (copied, v), (scaled, v * speed_units)):
        assert len(other.rank) == len(first.rank)
        there = other.removed(here) / (speed_units if other is scaled else 1.0)
        assert np.abs(L.T @ (there - first.removed(v))).max() < 1e-7 * length
    p, q = first.multipliers(G @ v), shuffled.multipliers(G[order] @ v)
    assert (q * first.size[order]) == pytest.approx((p * first.size)[order], abs=1e-6 * length)
    assert not copied.rank.unique[-1]
    assert not copied.rank.unique[order[0]]


def test_copies_share_their_multiplier():
    rows = rows_of(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    both = Elimination(rows, np.diag([2.0, 1.0]))
    assert both.multipliers(np.array([1.0, 1.0, 4.0])) == pytest.approx([1.0, 1.0, 1.0])
    assert both.rank.unique.tolist() == [False, False, True]
    assert both.rank.redundant.tolist() == [1]


def test_what_is_left_of_a_reference_is_rounding():
    """The difference of two velocities of metres per radian that agree but for 1e-9 is no condition."""
    arms = np.array([[3.0, 4.0], [3.0, 4.0 + 1e-9]])
    row = Row("door", "velocity z", arms[1] - arms[0], reference=arms)
    assert len(Elimination(Rows([row], 2), np.eye(2)).rank) == 0
    assert len(Elimination(Rows([Row("door", "velocity z", arms[1] - arms[0])], 2), np.eye(2)).rank) == 1


def test_accelerations_are_those_nearest_to_the_free_ones():
    """A pendulum as a point with a rod: the rod pulls with the weight and the centrifugal force."""
    m, g, length, w, phi = 2.0, 9.81, 0.5, 3.0, 0.4
    position = length * np.array([np.sin(phi), -np.cos(phi)])
    speed = length * w * np.array([np.cos(phi), np.sin(phi)])
    rod = rows_of(position[None, :] / length)
    a, (pull,) = Elimination(rod, m * np.eye(2)).acceleration(np.array([0.0, -g]), np.array([speed @ speed / length]))
    assert pull == pytest.approx(-m * (g * np.cos(phi) + length * w**2))
    assert a @ speed == pytest.approx(-g * np.sin(phi) * length * w)


def test_contradictions_are_refused_by_name():
    rows = Rows(
        [Row("upper hinge", "position z", np.array([2.0, 0.0])), Row("lower hinge", "position z", np.array([4.0, 0.0]))], 2
    )
    door = Elimination(rows, np.eye(2))
    door.check(np.array([0.1, 0.2]), 1e-9, "positions")
    with pytest.raises(ModelError, match=r"lower hinge \(position z\) differs by 0\.1 from what upper hinge \(position z\)"):
        door.check(np.array([0.1, 0.3]), 1e-9, "positions")


@pytest.mark.parametrize("M", [np.diag([1.0, 0.0]), np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]]), np.ones((2, 2))])
def test_what_has_no_inertia_is_named(M):
    with pytest.raises(ModelError, match=r"none behind .*joint 1"):
        Elimination(rows_of(np.eye(2)), M, lambda k: f"joint {k}")


def test_nothing_follows_from_no_rows():
    none = Elimination(rows_of(np.zeros((0, 3))), np.eye(3))
    assert len(none.rank) == 0
    assert none.removed(np.arange(3.0)) == pytest.approx(np.arange(3.0))
    assert none.condition == 1.0


def test_the_first_of_equal_rows_is_needed():
    """Equal but for rounding."""
    assert find_rank(np.array([[0.0, 1.0 - 1e-9], [0.0, -1.0], [1.0, 0.0]])).needed.tolist() == [0, 2]
