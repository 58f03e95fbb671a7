"""Many episodes in one process: the memory does not grow, and the bits are those of the first time."""

import gc
import sys
from pathlib import Path

import numpy as np
import pytest

from .tasks import cart

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

PAGE_KB = 4
BEFORE = 200
"""So many resets until all pools are full."""


def memory_kb():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_KB


def episode(environment, seed, steps):
    """The last observation of an episode, and all rewards."""
    environment.reset(seed=seed)
    environment.action_space.seed(seed)
    found = [environment.step(environment.action_space.sample())[:2] for _ in range(steps)]
    return [*found[-1][0], *(reward for _, reward in found)]


def grows(resets, steps, before=BEFORE):
    """Carry out episodes; return how much the memory has grown for each of them [kB], after some at the beginning."""
    environment = cart(stop_time=1e6, factors={"m": {"uniform": [1.0, 3.0]}}, observations={"x": {"signal": "x", "noise": 0.1}})
    first = episode(environment, 1, steps)
    for seed in range(before):
        episode(environment, seed, 2)
    kept = memory_kb()
    for seed in range(resets):
        episode(environment, seed, steps)
    grown = (memory_kb() - kept) / resets
    assert np.array_equal(episode(environment, 1, steps), first)
    return grown


def test_a_reset_keeps_no_memory():
    """An integrator of SUNDIALS that is not given back takes 14 kB."""
    assert grows(400, 2) < 3.0


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_ten_thousand_resets_and_a_million_steps_keep_no_memory():
    assert grows(10_000, 100) < 0.5
