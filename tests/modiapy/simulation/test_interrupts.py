"""Interrupts, by real signals: the first one ends a computation, once; what is written is written to its end."""

import signal
from contextlib import contextmanager, suppress

import pytest

from modiapy.simulation.segments.interrupts import (
    IMPATIENT,
    finish_first,
    interrupted_all_the_same,
    interrupted_once,
    undisturbed,
)


def press():
    signal.raise_signal(signal.SIGINT)


@contextmanager
def ended_by(kind):
    """The block is left by an exception of this kind."""
    try:
        yield
    except kind:
        return
    pytest.fail("nothing has ended it")


@pytest.fixture(autouse=True)
def handler():
    """As in a program that handles no signals itself; it is there again afterwards."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_the_first_one_ends_the_block_the_second_does_not_disturb_its_end_but_the_third():
    with interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            press()
        for _ in range(IMPATIENT - 2):
            press()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_what_is_undisturbed_ends_first():
    written = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        with undisturbed():
            press()
            written.append("all")
        written.append("too much")
    assert written == ["all"]


def test_a_second_one_is_not_raised_at_the_end_of_what_is_undisturbed_but_the_third():
    with interrupted_once():
        with pytest.raises(KeyboardInterrupt):
            press()
        for _ in range(IMPATIENT - 2):
            with undisturbed():
                press()
        with pytest.raises(KeyboardInterrupt), undisturbed():
            press()


def test_without_one_nothing_is_raised_and_earlier_ones_do_not_count():
    with interrupted_once():
        with suppress(KeyboardInterrupt):
            press()
        with undisturbed():
            pass


def test_an_error_in_what_is_undisturbed_is_that_error():
    with ended_by(ZeroDivisionError), interrupted_once(), undisturbed():
        press()
        raise ZeroDivisionError


def test_blocks_within_each_other_end_with_the_outer_one():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once(), undisturbed():
        with undisturbed():
            press()
        with interrupted_once():
            press()
        done.append("outer")
    assert done == ["outer"]


def test_what_asks_to_finish_first_ends_with_the_whole_block():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        finish_first()
        press()
        with undisturbed():
            press()
        done.append("all")
    assert done == ["all"]


def test_a_computation_within_another_does_not_make_that_one_wait():
    done = []
    with ended_by(KeyboardInterrupt), interrupted_once():
        with interrupted_all_the_same():
            finish_first()
        press()
        done.append("too much")
    assert not done


def test_signals_that_a_program_handles_itself_are_left_to_it():
    seen = []
    signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    with interrupted_once():
        press()
        press()
    assert seen == [signal.SIGINT] * 2
    signal.signal(signal.SIGINT, signal.default_int_handler)
