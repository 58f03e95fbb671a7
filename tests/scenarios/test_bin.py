"""Bin picking: what falls lies still in the bin, what is picked lies in the other one."""

import numpy as np
import pytest

PICKED, LEFT = ("cone", "egg", "brick"), ("ball", "pill", "log")
MIDDLE = {"source": np.array([0.5, 0.0]), "target": np.array([0.0, 0.5])}


@pytest.fixture
def result(simulated):
    return simulated("bin")


def is_in(result, name, bin_name, row):
    """Whether the origin of a thing is inside of a bin, above its bottom and below its rim."""
    r = result[f"{name}.r_abs"][row]
    return np.abs(r[:2] - MIDDLE[bin_name]).max() < 0.15 and -0.002 < r[2] < 0.12


def test_all_lie_in_the_bin_before_the_first_is_taken(result):
    row = int(np.searchsorted(result.time, 2.0)) - 1
    for name in (*PICKED, *LEFT):
        assert is_in(result, name, "source", row), name
    assert result["mechanics.contacts"][row] >= 6


def test_what_was_picked_lies_in_the_other_bin(result):
    assert result.verdict == "three objects picked"
    for name in PICKED:
        assert is_in(result, name, "target", -1), name
    for name in LEFT:
        assert is_in(result, name, "source", -1), name


def test_what_is_held_moves_with_the_tool(result):
    begins, ends = ([r for r in result.segments if action in r.cause] for action in ("ActionAttach", "ActionRelease"))
    assert [record.cause.split()[3].rstrip(";") for record in begins] == list(PICKED)
    for name, begin, end in zip(PICKED, begins, ends, strict=True):
        rows = (result.time > begin.start) & (result.time < end.start)
        distance = np.linalg.norm(result[f"{name}.r_abs"][rows] - result["tool.r_abs"][rows], axis=1)
        assert np.ptp(distance) < 1e-9
        assert distance[0] < 2e-3


def test_nothing_is_compiled(result):
    assert result.statistics["compilations_after_start"] == 0
