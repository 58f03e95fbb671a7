"""Impulses of bilateral and unilateral constraints: complementary, and of one outcome whatever order, copies and units."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d.constraints.impulse import solve_impulses
from tests.modia3d.constraints.rows import random_metric, random_rows, seeds

pytestmark = pytest.mark.white_box

sizes = st.tuples(st.integers(1, 7), st.integers(1, 6), st.integers(1, 6))


def made(seed, size):
    """Rows, their responses A, speeds before, which are unilateral, and the mass matrix; all in their own units."""
    m, n, rank = size
    rng = np.random.default_rng(seed)
    M, units = random_metric(rng, n)
    G = random_rows(rng, m, n, min(rank, n)) * units
    v = np.linalg.solve(np.linalg.cholesky(M).T, rng.normal(size=n))
    return G, np.linalg.solve(M, G.T), v, rng.random(m) < 0.6, M


def slow(A, w, unilateral):
    """Some impulses that solve the problem, found by trying which unilateral constraints act."""
    size = np.sqrt(np.diag(A))
    A, w = A / np.outer(size, size), w / size
    for choice in product((False, True), repeat=int(unilateral.sum())):
        acts = ~unilateral
        acts[unilateral] = choice
        p = np.zeros(len(w))
        if acts.any():
            p[acts] = np.linalg.lstsq(A[np.ix_(acts, acts)], -w[acts], rcond=1e-10)[0]
        after = w + A @ p
        if (np.abs(after[acts]) < 1e-7).all() and (after[unilateral] > -1e-7).all() and (p[unilateral] > -1e-7).all():
            return p / size
    return None


@given(seeds, sizes)
def test_impulses_are_complementary_and_lose_energy(seed, size):
    G, responses, v, unilateral, M = made(seed, size)
    A, w = G @ responses, G @ v
    p = solve_impulses(A, w, unilateral)
    after, size = v + responses @ p, np.sqrt(np.diag(A))
    speeds, pushes, scale = G @ after / size, p * size, np.sqrt(v @ M @ v)
    assert np.abs(speeds[~unilateral]).max(initial=0.0) < 1e-6 * scale
    assert speeds[unilateral].min(initial=0.0) > -1e-6 * scale
    assert pushes[unilateral].min(initial=0.0) >= 0.0
    assert np.abs(pushes * speeds)[unilateral].max(initial=0.0) < 1e-6 * scale**2
    lost = 0.5 * (v @ M @ v - after @ M @ after)
    assert lost == pytest.approx(-0.5 * p @ (w + G @ after), abs=1e-8 * scale**2)
    assert lost > -1e-8 * scale**2
    moved = after - v  # momentum: what changes it is G^T p
    assert np.linalg.norm(np.linalg.solve(np.linalg.cholesky(M), M @ moved - G.T @ p)) < 1e-8 * scale


@given(seeds, sizes)
def test_the_speeds_after_are_those_of_a_slow_search(seed, size):
    G, responses, v, unilateral, M = made(seed, size)
    A, w = G @ responses, G @ v
    known = slow(A, w, unilateral)
    if known is not None:
        L, difference = np.linalg.cholesky(M), responses @ (solve_impulses(A, w, unilateral) - known)
        assert np.abs(L.T @ difference).max() < 1e-5 * np.sqrt(v @ M @ v)


@given(seeds, sizes)
def test_neither_order_nor_copies_nor_units_matter(seed, size):
    G, responses, v, unilateral, M = made(seed, size)
    rng, L = np.random.default_rng(seed + 1), np.linalg.cholesky(M)
    after = v + responses @ solve_impulses(G @ responses, G @ v, unilateral)
    order, units = rng.permutation(len(G)), 10.0 ** rng.uniform(-6, 6, len(G))
    again = np.append(np.arange(len(G)), order[0])
    for chosen, factor in ((order, np.ones(len(G))), (again, np.ones(len(again))), (np.arange(len(G)), units)):
        H = G[chosen] * factor[:, None]
        R = responses[:, chosen] * factor
        other = v + R @ solve_impulses(H @ R, H @ v, unilateral[chosen])
        assert np.abs(L.T @ (other - after)).max() < 1e-5 * np.sqrt(v @ M @ v)


def test_two_equal_stops_share_the_impulse():
    assert solve_impulses(np.full((2, 2), 0.5), np.array([-3.0, -3.0]), np.ones(2, dtype=bool)) == pytest.approx([3.0, 3.0])


def test_what_answers_to_nothing_gets_no_impulse():
    assert solve_impulses(np.zeros((1, 1)), np.array([2.0]), np.zeros(1, dtype=bool)).tolist() == [0.0]
