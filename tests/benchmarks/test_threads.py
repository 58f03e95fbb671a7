"""The benchmark of threads."""

import pytest

from benchmarks import threads


def test_both_ways_simulate_and_threads_lose_little():
    figures = threads.measure(2)
    assert figures["ratio"] == pytest.approx(figures["two_s"] / figures["one_s"])
    assert figures["one_s"] > 0.0
    assert figures["process_ratio"] > 0.3  # two processes cannot be three times as fast as one
    assert 0.3 < figures["cpu_ratio"] < 1.6  # two simulations each, so neither way left one out
