"""Impulses of contacts that strike: restitution, friction, sequences, against closed forms and a slow reference."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modia3d.constraints.contact_impulse import PARTING, Striking, contact_impulses
from tests.modia3d.constraints.contact_reference import routh
from tests.modia3d.constraints.rows import random_metric, seeds

pytestmark = pytest.mark.white_box


def striking(n, e=1.0, mu=0.0, slow=1e-3):
    """Contacts whose rows are normal, slip, slip, one contact after the other; without friction only normals."""
    rubs = np.ndim(mu) > 0 or mu > 0.0
    normal = np.arange(n) * (3 if rubs else 1)
    slips = normal[:, None] + [1, 2] if rubs else np.full((n, 2), -1)
    return Striking(normal, slips, np.broadcast_to(e, n), np.broadcast_to(mu, n), np.full(n, slow))


def after(M, G, v, contacts):
    """Speeds after the impact, and the impulses."""
    to_speeds = np.linalg.solve(M, G.T)
    p = contact_impulses(G @ to_speeds, G @ v, contacts)
    return v + to_speeds @ p, p


def neighbours(n):
    """Gaps between n bodies on a line: how fast each opens."""
    return np.eye(n - 1, n, 1) - np.eye(n - 1, n)


def corners(a, b, h):
    """Rows of the corners of a box (half lengths) that stands on a plane: normal, slip, slip; its speeds are (v, w)."""
    rows = []
    for x, y in ((a, b), (a, -b), (-a, -b), (-a, b)):
        J = np.hstack([np.eye(3), -np.cross(np.eye(3), [x, y, -h])])
        J[:, 3:] = np.array([[0.0, -h, -y], [h, 0.0, x], [y, -x, 0.0]])
        rows += [J[2], J[0], J[1]]
    return np.array(rows)


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ((1, 0, 0, 0, 0), (0, 0, 0, 0, 1)),
        ((0, 0, 0, 0, -1), (-1, 0, 0, 0, 0)),
        ((1, 1, 0, 0, 0), (0, 0, 0, 1, 1)),
        ((2, 1, 0, 0, 0), (0, 0, 0, 1, 2)),
        ((1, 0, 0, 0, -1), (-1, 0, 0, 0, 1)),
        ((1, 1, 1, 0, 0), (0, 0, 1, 1, 1)),
    ],
)
def test_a_cradle_hands_its_impulses_on_in_whatever_order_its_contacts_are_named(before, then):
    for order in permutations(range(4)):
        v, _ = after(np.eye(5), neighbours(5)[list(order)], np.array(before, dtype=float), striking(4))
        assert v == pytest.approx(then, abs=1e-12)


def test_contacts_that_seem_to_approach_by_rounding_do_not_act_at_once():
    v, _ = after(np.eye(3), neighbours(3), np.array([1.0, 1e-12, 0.0]), striking(2))
    assert v == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)


def test_a_body_that_strikes_two_at_once_strikes_both_alike():
    """Ball of mass 1 between two: momentum and energy; by symmetry there is one outcome (Bernoulli's problem, elastic)."""
    G = np.array([[-0.5 * 3**0.5, 1.0, 0.0], [-0.5 * 3**0.5, 0.0, 1.0]])  # along the lines of centres, 30 deg off
    v, _ = after(np.eye(3), G, np.array([1.0, 0.0, 0.0]), striking(2))
    assert v == pytest.approx([-0.2, 0.4 * 3**0.5, 0.4 * 3**0.5], abs=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_box_that_falls_flat_does_not_turn(e, mu):
    M = np.diag([3.0, 3.0, 3.0, 0.1, 0.2, 0.25])
    G = corners(0.3, 0.2, 0.1)
    v, p = after(M, G if mu else G[::3], np.array([0.0, 0.0, -2.0, 0.0, 0.0, 0.0]), striking(4, e, mu))
    assert v == pytest.approx([0.0, 0.0, 2.0 * e, 0.0, 0.0, 0.0], abs=1e-12)
    assert p[:: 3 if mu else 1] == pytest.approx(1.5 * (1.0 + e), abs=1e-11)  # shared alike


def test_what_approaches_slowly_does_not_bounce():
    for speed, then in ((-1.1e-3, 1.1e-3), (-0.9e-3, 0.0)):
        v, _ = after(np.eye(1), np.eye(1), np.array([speed]), striking(1))
        assert v == pytest.approx([then], abs=1e-15)


def test_a_ball_between_floor_and_falling_ball_comes_to_rest_with_both():
    """A light ball on the floor under a heavy one: an endless sequence, which ends where it is slow."""
    G, M = np.array([[1.0, 0.0], [-1.0, 1.0]]), np.diag([0.01, 1.0])
    v, _ = after(M, G, np.array([0.0, -1.0]), striking(2, 0.3))
    assert (G @ v >= -1e-12).all()
    assert 0.5 * v @ M @ v < 0.5
    assert np.abs(G @ v).max() < 0.5


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("mu", [0.05, 0.2, 1.0])
def test_a_ball_with_spin_leaves_a_wall_as_the_closed_form_says(e, mu):
    """Slip keeps its direction: the impulse of friction is mu (1 + e) m v_n, or less where the slip ends (J = 2/5 m r^2)."""
    m, r = 0.4, 0.05
    J = 0.4 * m * r**2
    G = np.zeros((3, 6))
    G[0, 2] = G[1, 0] = G[2, 1] = 1.0
    G[1, 4], G[2, 3] = -r, r
    v = np.array([1.0, -0.7, -2.0, 30.0, 25.0, 4.0])
    slip = G[1:] @ v
    friction = min(mu * (1.0 + e) * m * 2.0, 2.0 / 7.0 * m * np.hypot(*slip)) * -slip / np.hypot(*slip)
    then, p = after(np.diag([m, m, m, J, J, J]), G, v, striking(1, e, mu))
    assert p == pytest.approx([(1.0 + e) * m * 2.0, *friction], rel=1e-12)
    assert then[2] == pytest.approx(2.0 * e, abs=1e-13)


@given(seeds, st.floats(0.1, 1.4), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), st.floats(0.01, 1.5))
def test_a_rod_that_strikes_obliquely_agrees_with_the_phases_of_its_slip(seed, angle, e, mu):
    rng = np.random.default_rng(seed)
    x, z = -0.5 * np.cos(angle), -0.5 * np.sin(angle)
    G = np.array([[0.0, 1.0, -x], [1.0, 0.0, z]])
    A = G @ np.diag([1.0, 1.0, 12.0]) @ G.T
    w = np.array([-rng.uniform(0.1, 2.0), rng.normal()])
    full_A, full_w = np.zeros((3, 3)), np.zeros(3)
    full_A[:2, :2], full_w[:2], full_A[2, 2] = A, w, 1.0
    p = contact_impulses(full_A, full_w, striking(1, e, mu))
    assert p[:2] == pytest.approx(routh(A, w, e, mu), abs=2e-9)
    assert p[2] == 0.0


def by_small_steps(A, w, e, mu, parts=4000):
    """One contact in space: explicit steps of the normal impulse; slip that is a little is sticking."""
    h, p, work, stored = -w[0] / A[0, 0] / parts, np.zeros(3), 0.0, None
    for _ in range(400 * parts):
        s = w + A @ p
        d = np.array([h, 0.0, 0.0])
        size = np.hypot(*s[1:])
        hold = -np.linalg.solve(A[1:, 1:], s[1:] + A[1:, 0] * h)
        d[1:] = hold if np.hypot(*hold) <= mu * h else -mu * h * s[1:] / size if size > 0.0 else mu * h * hold / np.hypot(*hold)
        work += d[0] * (s[0] + 0.5 * (A @ d)[0])
        p += d
        if stored is None and (w + A @ p)[0] >= 0.0:
            stored = -work
        if stored is not None and work >= -(1.0 - e**2) * stored:
            return p
    raise AssertionError


@settings(max_examples=5)
@given(seeds, st.floats(0.2, 0.9), st.floats(0.1, 0.8))
def test_a_slip_that_turns_agrees_with_small_steps(seed, e, mu):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(3, 3))
    A, w = B @ B.T + 0.3 * np.eye(3), np.array([-1.0, *rng.normal(size=2)])
    p, slow = contact_impulses(A, w, striking(1, e, mu)), by_small_steps(A, w, e, mu)
    assert p == pytest.approx(slow, abs=5e-3 * slow[0])


sizes = st.tuples(st.integers(1, 5), st.integers(1, 8), st.integers(1, 8))


@settings(max_examples=40)
@example(2073, (1, 1, 1), False)  # parts by less than 1e-4 m/s after a bounce
@example(7, (5, 8, 6), True)  # two of five contacts do
@example(3, (5, 3, 3), True)  # friction wedges three of five contacts in three degrees of freedom
@given(seeds, sizes, st.booleans())
def test_energy_never_grows_and_nothing_is_pulled(seed, size, rubs):
    n, nv, rank = size
    rng = np.random.default_rng(seed)
    M, units = random_metric(rng, nv)
    m = 3 * n if rubs else n
    G = rng.normal(size=(m, min(rank, nv))) @ rng.normal(size=(min(rank, nv), nv)) * units
    v = np.linalg.solve(np.linalg.cholesky(M).T, rng.normal(size=nv))
    mu = rng.uniform(0.0, 1.5, n) * (rng.random(n) < 0.8) if rubs else 0.0
    contacts = striking(n, rng.choice([0.0, 0.5, 1.0, rng.random()], n), mu)
    v_after, p = after(M, G, v, contacts)
    before, then = v @ M @ v, v_after @ M @ v_after
    assert then <= before * (1.0 + 1e-9)
    s, normal = np.sqrt(np.einsum("ij,ij->i", G @ np.linalg.inv(M), G)), contacts.normal
    assert ((G @ v_after)[normal] >= -1e-6 * np.sqrt(before) * s[normal]).all()
    pulled = p[normal] < 0.0  # only what would part slowly, to end that
    assert (np.abs((G @ v_after)[normal][pulled]) <= 1e-9 + 1e-6 * np.sqrt(before) * s[normal][pulled]).all()
    if n == 1:
        assert p[0] * s[0] ** 2 >= -PARTING * (1.0 + 1e-9)
    if rubs:  # where slow parting is not ended, which takes some of the normal impulse back
        _, p = after(M, G, v, replace(contacts, slow=np.zeros(n)))
        slips = np.hypot(*p[contacts.tangential].T)
        assert (slips <= contacts.friction * p[normal] * (1.0 + 1e-9) + 1e-300).all()


@pytest.mark.parametrize("mu", [0.1, 0.4, 3.0])
def test_a_body_on_a_guide_may_be_wedged_by_friction(mu):
    """One freedom, so that friction works against the rebound: where mu tan >= 1 nothing comes back."""
    v, p = after(np.eye(1), np.array([[0.3], [0.9], [0.6]]), np.array([-1.0]), striking(1, 0.8, mu))
    slope = np.hypot(0.9, 0.6) / 0.3
    if mu * slope >= 1.0:
        assert v == pytest.approx([0.0], abs=1e-12)
        least = 1.0 / (0.3 + mu * 0.3 * slope)
        assert least * (1.0 - 1e-9) <= p[0] < 2.1 * least  # wedged, more of both does nothing: rounding decides how much
    else:
        part = (1.0 - mu * slope) / (1.0 + mu * slope)  # of the work that came in: friction takes it twice
        assert v == pytest.approx([0.8 * part**0.5], rel=1e-9)


def test_contacts_at_the_same_point_share_their_impulses():
    rng = np.random.default_rng(3)
    B = rng.normal(size=(3, 3))
    M, w = B @ B.T + np.eye(3), np.array([-1.0, 0.6, -0.4])
    once, _ = after(M, np.eye(3), w, striking(1, 0.6, 0.3))
    twice, p = after(M, np.vstack([np.eye(3)] * 2), w, striking(2, 0.6, 0.3))
    assert twice == pytest.approx(once, abs=2e-3)  # several contacts: larger steps
    assert p[0] == pytest.approx(p[3], rel=1e-9)


def test_slow_parting_ends_with_the_impact_and_fast_parting_goes_on():
    """What a plastic impact lets part slowly comes to rest with it: rows that hold a part of it would drive others together."""
    A = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.1], [0.2, 0.1, 1.0]])
    p = contact_impulses(A, np.array([-5e-4, 0.0, 0.3]), striking(3, 0.0))
    assert p[0] > 0.0
    w = np.array([-5e-4, 0.0, 0.3]) + A @ p
    assert w[0] == pytest.approx(0.0, abs=1e-15)
    assert w[1] > 1e-4  # not slow
    p = contact_impulses(A, np.array([-5e-5, 0.0, 0.3]), striking(3, 0.0))
    w = np.array([-5e-5, 0.0, 0.3]) + A @ p
    assert w[:2] == pytest.approx(0.0, abs=1e-15)
    assert w[2] > 0.29
