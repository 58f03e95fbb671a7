"""The table of contacts from forces that are known in closed form, at the instants an integrator would tell."""

import copy

import numpy as np
import pytest
from numba import njit

from modia3d.engine.contact_log.history import EVENT_MEMORY, entry, joined
from modia3d.engine.contact_log.kernel import note_force
from modia3d.engine.contact_log.log import ContactLog
from modia3d.engine.contact_log.notes import END_IMPULSE, NOTE_COLUMNS
from modiapy import ModelError
from modiapy.simulation.solvers.crossings import INSIDE

pytestmark = pytest.mark.white_box

PAIR = "ball", "floor"
T, PEAK = 2e-3, 700.0
"""Duration and largest force of a half sine."""
IMPULSE = 2.0 / np.pi * PEAK * T


@njit
def tell(notes, i, times, forces):
    for k in range(times.size):
        note_force(notes, i, times[k], forces[k])


def half_sine(t):
    return PEAK * np.maximum(np.sin(np.pi * t / T), 0.0)


def step_instants(n, seed, until):
    """Begin, then a point inside and the end of steps of different lengths, the last one beyond ``until``."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.uniform(0.3, 1.7, n))
    ends *= 1.03 * until / ends[-1]
    begins = np.concatenate([[0.0], ends[:-1]])
    return np.sort(np.concatenate([[0.0], begins + INSIDE * (ends - begins), ends]))


def begun(*pairs, at=0.0, touching=()):
    """A log with these near pairs, some of which touch; its notes."""
    log, notes = ContactLog(lambda name: f"m.{name}"), np.zeros((len(pairs), NOTE_COLUMNS))
    log.begin_segment(pairs, notes, at)
    log.settle(np.isin(np.arange(len(pairs)), touching), at)
    return log, notes


def bounce(log, notes, at, n, seed):
    """A contact from ``at`` on, told at the instants of n steps, with a search for its end in the last one."""
    log.arrive(at)
    log.settle(np.arange(len(notes)) == 0, at)
    t = step_instants(n, seed, T)
    search = np.linspace(t[-3], t[-1], 7)[[1, 5, 2, 4, 3]]
    times = np.concatenate([t, search])
    tell(notes, 0, at + times, half_sine(times))
    log.arrive(at + T)
    log.settle(np.zeros(len(notes), dtype=bool), at + T)


@pytest.mark.parametrize("seed", range(5))
def test_impulse_and_largest_force_of_a_bounce(seed):
    log, notes = begun(PAIR)
    bounce(log, notes, 1.0, 12, seed)
    (row,) = log.table(5.0)
    assert row["pair"] == ["m.ball", "m.floor"]
    assert (row["begin"], row["end"]) == (1.0, 1.0 + T)
    assert row["impulse"] == pytest.approx(IMPULSE, rel=2e-3)
    assert row["largest_force"] == pytest.approx(PEAK, rel=2e-3)


def test_a_parabola_is_integrated_exactly_wherever_it_is_cut():
    def force(t):
        return 3.0 + 5.0 * t - 2.0 * t * t

    times = np.array([0.0, 0.4, 1.0, 1.3, 2.0])
    for cut in (1.1, 1.3, 1.9, 2.0):
        log, notes = begun(PAIR, touching=[0])
        tell(notes, 0, times, force(times))
        log.arrive(cut)
        tell(notes, 0, np.array([cut, cut + 0.1, cut + 0.3]), force(np.array([cut, cut + 0.1, cut + 0.3])))
        (row,) = log.table(cut + 0.2)
        end = cut + 0.2
        assert row["impulse"] == pytest.approx(3.0 * end + 2.5 * end**2 - 2.0 / 3.0 * end**3, rel=1e-13)
        assert row["largest_force"] == pytest.approx(force(1.25) if end > 1.25 else force(end), rel=1e-13)
        assert row["end"] is None


NAMES = ["m.ball", "m.floor"]


def test_each_contact_of_a_pair_has_its_own_figures_and_they_stand_as_they_began():
    """Two bounces while another pair touches all the while, which began before them and ends after them."""
    log, notes = begun(PAIR, ("a", "b"))
    log.settle(np.array([False, True]), 0.25)
    for seed, at in enumerate((1.0, 1.5)):
        log.arrive(at)
        log.settle(np.array([True, True]), at)
        t = step_instants(12, seed, T)
        tell(notes, 0, at + t, (1.0 + seed) * half_sine(t))
        log.arrive(at + T)
        log.settle(np.array([False, True]), at + T)
    log.strike(PAIR, 0.125, 2.0)
    log.arrive(3.0)
    log.settle(np.array([False, False]), 3.0)
    rows = log.table(5.0)
    assert [(row["pair"][0], row["begin"], row["end"]) for row in rows] == [
        ("m.a", 0.25, 3.0),
        ("m.ball", 1.0, 1.0 + T),
        ("m.ball", 1.5, 1.5 + T),
        ("m.ball", 2.0, 2.0),
    ]
    assert [row["impulse"] for row in rows[1:]] == pytest.approx([IMPULSE, 2.0 * IMPULSE, 0.125], rel=3e-3)
    assert [row["largest_force"] for row in rows[1:]] == pytest.approx([PEAK, 2.0 * PEAK, 0.0], rel=3e-3)


def test_a_contact_goes_on_in_the_next_segment_at_another_place_of_the_list():
    log, notes = begun(("a", "b"), PAIR, touching=[1])
    tell(notes, 1, np.array([0.0, 0.3, 1.0]), np.full(3, 4.0))
    notes = np.zeros((2, NOTE_COLUMNS))
    log.begin_segment([PAIR, ("c", "d")], notes, 1.0)
    tell(notes, 0, np.array([1.0, 1.1, 2.0]), np.full(3, 4.0))
    assert notes[0, END_IMPULSE] == pytest.approx(8.0)
    log.begin_segment([("c", "d")], np.zeros((1, NOTE_COLUMNS)), 2.0)
    assert log.table(3.0) == [{"pair": NAMES, "begin": 0.0, "end": 2.0, "largest_force": 4.0, "impulse": 8.0}]


def test_solids_of_several_shapes_are_one_pair():
    log, notes = begun(("a", "b"), PAIR, PAIR, touching=[2])
    tell(notes, 1, np.array([0.0, 0.3, 1.0]), np.full(3, 4.0))
    log.arrive(1.0)
    log.settle(np.array([False, True, False]), 1.0)
    log.settle(np.array([False, False, False]), 1.5)
    assert log.table(3.0) == [{"pair": NAMES, "begin": 0.0, "end": 1.5, "largest_force": 4.0, "impulse": 4.0}]


def test_impacts_add_impulse_only():
    log, notes = begun(PAIR)
    log.arrive(1.0)
    log.strike(PAIR, 2.5, 1.0)
    once = {"pair": NAMES, "begin": 1.0, "end": 1.0, "largest_force": 0.0, "impulse": 2.5}
    assert log.table(2.0) == [once]
    log.settle(np.array([True]), 1.0)
    tell(notes, 0, np.array([1.0, 1.5, 2.0]), np.full(3, 4.0))
    log.arrive(2.0)
    log.strike(PAIR, 0.5, 2.0)
    tell(notes, 0, np.array([2.0, 2.5, 3.0]), np.full(3, 4.0))
    assert log.table(3.0) == [once, {"pair": NAMES, "begin": 1.0, "end": None, "largest_force": 4.0, "impulse": 8.5}]


def test_saved_and_restored_within_a_contact():
    """The same numbers as without an interruption."""

    def go_on(log, notes):
        times = np.array([0.0, 0.2, 0.5])
        tell(notes, 0, 1.0 + times, half_sine(times * T))
        return log.table(1.4)

    pairs = [PAIR, ("a", "b")]
    log, notes = begun(*pairs)
    bounce(log, notes, 0.5, 10, 1)
    log.settle(np.array([False, True]), 0.6)
    log.settle(np.array([True, True]), 0.7)
    tell(notes, 0, np.array([0.7, 0.8, 1.2]), np.array([0.0, 3.0, 1.0]))
    log.arrive(1.0)
    give = log.data()
    saved = copy.deepcopy(give())
    other, again = ContactLog(lambda name: f"m.{name}"), np.zeros_like(notes)
    other.restore(saved)
    assert other.table(1.0) == log.table(1.0)
    other.begin_segment(pairs, again, 1.0)
    assert go_on(other, again) == go_on(log, notes)
    log.settle(np.array([False, False]), 1.5)
    np.testing.assert_equal(give(), saved)  # also where it is asked for after that
    with pytest.raises((ValueError, KeyError, TypeError)):
        other.restore({"over": [{"pair": ["a"], "begin": 1.0}], "touching": []})


def test_a_history_is_joined_in_order_and_checked():
    table = np.arange(12.0).reshape(3, 4)
    history = [(0, entry(0.0, [0, 2], table)), (4, entry(0.5, [], table)), (7, entry(0.5, [2], 2.0 * table).tolist())]
    firsts, rows = joined(history, 3, 4)
    assert firsts.tolist() == [0, 0, 7]
    np.testing.assert_array_equal(rows[:, :EVENT_MEMORY], [[0.0, 0.0], [0.0, 2.0], [0.5, 2.0]])
    np.testing.assert_array_equal(rows[:, EVENT_MEMORY:], [table[0], table[2], 2.0 * table[2]])
    for damaged in (
        [(0, [[0.0, 3.0, 1.0, 1.0, 1.0, 1.0]])],
        [(0, [[0.0, 0.5, 1.0, 1.0, 1.0, 1.0]])],
        history[::-1],
        [(-1, entry(0.0, [0], table))],
    ):
        with pytest.raises(ModelError, match="memory of contacts is damaged"):
            joined(damaged, 3, 4)
    assert joined([], 3, 4)[1].shape == (0, 6)
