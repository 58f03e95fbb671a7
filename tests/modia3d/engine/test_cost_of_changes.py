"""What a change of structure costs, counted where a clock would be unreliable: calls of Python functions, and memory."""

import cProfile
import pstats
import tracemalloc

from benchmarks.switch_scenes import PERIOD, our_boxes
from modiapy import instantiate


def calls_of_a_change(bodies):
    """Calls of functions for one more change, from runs that differ in the number of changes only."""
    counts = []
    for changes in (4, 8):
        simulation = instantiate(our_boxes(bodies, changes))
        simulation.simulate((changes + 1) * PERIOD, interval=PERIOD)
        profile = cProfile.Profile()
        profile.runcall(simulation.simulate, (changes + 1) * PERIOD, interval=PERIOD)
        counts.append(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]
    return (counts[1] - counts[0]) / 4


def test_a_change_calls_hardly_more_functions_in_a_larger_scene():
    small, large = calls_of_a_change(30), calls_of_a_change(90)
    assert small < 4000
    assert large < 2 * small


def test_memory_of_many_changes_is_that_of_their_results():
    bodies, used = 10, []
    for changes in (10, 110):
        simulation = instantiate(our_boxes(bodies, changes))
        simulation.simulate(3 * PERIOD, interval=PERIOD)
        tracemalloc.start()
        result = simulation.simulate((changes + 1) * PERIOD, interval=PERIOD)
        used.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        assert len(result.segments) == changes + 1
    points, states = 3, 13 * bodies
    tables = 8 * (32 + 8 + 7 * 4) * bodies  # of bodies and frames, for result signals
    assert (used[1] - used[0]) / 100 < 3 * (8 * points * states + tables) + 12_000
