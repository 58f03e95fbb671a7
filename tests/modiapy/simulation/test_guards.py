"""What keeps a simulation from going on for ever, or past what cannot be solved: properties of the guards themselves.

Simulations that take so many steps would take minutes.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Model, Var, instantiate
from modiapy.simulation.evaluation.approach import SHORTEST, approach
from modiapy.simulation.solvers.watching.progress import MOST_AGAIN, RARELY, Progress

pytestmark = pytest.mark.white_box

END = 100.0


def failure(progress: Progress, step: float, order: int, count: int, calls: int = 100, begin: float = 1.0) -> int | None:
    """So many steps of this length [s] and order, in some calls; after how many the guard says that they are too short."""
    for k in range(1, calls + 1):
        if progress.failure(count // calls, begin + k * step * (count // calls), order, END):
            return k * (count // calls)
    return None


@pytest.mark.parametrize("begin", [0.0, 1.0])
@pytest.mark.parametrize(
    ("step", "order", "fails"),
    [
        (1e-17, 2, True),  # the time stands still
        (5e-7, 1, True),  # a derivative jumps back and forth
        (5e-7, 2, False),  # a fast oscillation
        (5e-6, 1, False),
        (1e-9, 5, True),  # 1e11 steps would be left
    ],
)
def test_steps_without_progress_are_noticed_and_short_steps_are_not(begin: float, step: float, order: int, fails: bool) -> None:
    assert (failure(Progress(begin), step, order, 400_000, begin=begin) is not None) == fails


def test_an_integrator_that_begins_again_is_judged_anew() -> None:
    """Events that come after fewer steps than are allowed do not add up."""
    progress = Progress(1.0)
    for k in range(5):
        assert failure(progress, 1e-7, 1, 150_000, begin=1.0 + k) is None
        progress.begin(2.0 + k)
    assert failure(progress, 1e-7, 1, 250_000, begin=6.0) is not None


def test_steps_of_higher_order_in_between_are_progress_of_their_own() -> None:
    progress = Progress(1.0)
    for k in range(6):
        time = 1.0 + 0.02 * k
        assert failure(progress, 1e-7, 1, 150_000, begin=time) is None
        assert not progress.failure(1, time + 0.018, 2, END)


def test_one_long_step_among_short_ones_pays_for_them() -> None:
    progress = Progress(1.0)
    for k in range(3):
        assert failure(progress, 1e-8, 1, 190_000, begin=1.0 + k) is None
        assert not progress.failure(10_000, 2.0 + k, 1, END)


def test_steps_that_are_made_again_are_refused_where_they_are_many() -> None:
    progress = Progress(0.0)
    assert [bool(progress.goes_back(0.0)) for _ in range(MOST_AGAIN)] == [False] * (MOST_AGAIN - 1) + [True]
    often, rare, forward = Progress(0.0), Progress(0.0), Progress(0.0)
    outcomes: dict[str, list[str]] = {"often": [], "rare": [], "forward": []}
    for k in range(3 * MOST_AGAIN):
        often.failure(RARELY // 2, 0.1 * k, 2, END)
        outcomes["often"].append(often.goes_back(1.0 + 1e-9 * k))
        rare.failure(2 * RARELY, 0.1 * k, 2, END)
        outcomes["rare"].append(rare.goes_back(1.0 + 1e-9 * k))
        outcomes["forward"].append(forward.goes_back(0.1 * k))
    assert any(outcomes["often"])
    assert not any(outcomes["rare"])
    assert not any(outcomes["forward"])


@pytest.mark.parametrize("begin", [0.0, 1.0])
@pytest.mark.parametrize(("step", "fails"), [(1e-13, True), (1e-8, False)])
def test_steps_that_are_tried_in_vain_are_noticed_sooner(begin: float, step: float, fails: bool) -> None:
    """One of two, where the model cannot be evaluated a little later; an integrator that begins again counts anew."""

    def failure(progress: Progress, most: int) -> int | None:
        done = (k for k in range(100, most, 100) if progress.failure(100, begin + k * step, 5, END, k // 2))
        return next(done, None)

    progress = Progress(begin)
    assert (failure(progress, 2_000) is not None) == fails
    for _ in range(3):
        progress.begin(begin)
        assert failure(progress, 300) is None


@settings(max_examples=30)
@given(st.floats(1e-3, 0.9), st.floats(-5.0, 5.0), st.floats(0.01, 3.0))
def test_an_approach_keeps_to_the_straight_line_and_to_steps_that_succeed(longest: float, t0: float, length: float) -> None:
    """The model can be evaluated where it is near enough to the last point that could: as Newton's method."""
    x0, x1 = np.array([1.0, -2.0]), np.array([3.0, 5.0])
    reached, asked = 0.0, []

    def evaluate(time: float, x: np.ndarray) -> bool:
        nonlocal reached
        part = (time - t0) / length
        assert x == pytest.approx(x0 + part * (x1 - x0), abs=1e-9)
        asked.append(part)
        if abs(part - reached) > longest:
            return False
        reached = part
        return True

    assert approach(evaluate, (t0, x0), (t0 + length, x1))
    assert reached == pytest.approx(1.0, abs=1e-9)
    assert len(asked) < 10.0 + 8.0 / longest


def test_short_steps_grow_again_behind_a_bend() -> None:
    """Steps of 0.001 as far as 0.02, any length behind; without growth 500 steps would follow."""
    reached, asked = 0.0, 0

    def evaluate(time: float, x: np.ndarray) -> bool:
        nonlocal reached, asked
        asked += 1
        if time - reached > (1e-3 if reached < 0.02 else 1.0):
            return False
        reached = time
        return True

    assert approach(evaluate, (0.0, np.zeros(1)), (1.0, np.ones(1)))
    assert asked < 100


@pytest.mark.parametrize("wall", [0.3, 0.7, 0.9999])
def test_an_approach_ends_before_a_wall(wall: float) -> None:
    passed = [0.0]

    def evaluate(time: float, x: np.ndarray) -> bool:
        if time < wall:
            passed.append(time)
        return time < wall

    assert not approach(evaluate, (0.0, np.zeros(1)), (1.0, np.ones(1)))
    assert wall - 8.0 * SHORTEST < passed[-1] < wall
    assert not approach(evaluate, None, (1.0, np.ones(1)))
    assert not approach(evaluate, (0.0, np.zeros(2)), (1.0, np.ones(1)))


@settings(max_examples=30)
@given(
    stretches=st.lists(st.integers(2, 60), min_size=MOST_AGAIN, max_size=2 * MOST_AGAIN),
    parts=st.integers(2, 7),
    begin=st.floats(0.5, 2.0),
)
def test_steps_count_the_same_in_one_call_and_in_several(stretches: list[int], parts: int, begin: float) -> None:
    """Between steps that are made again: whether these are rare is a matter of all steps since."""
    one, several, time = Progress(begin), Progress(begin), begin
    for steps in stretches:
        for k in range(parts):
            share = steps * (k + 1) // parts - steps * k // parts
            assert not several.failure(share, time + 1e-9 * (k + 1), 2, END)
        time += 1e-9 * parts
        assert not one.failure(steps, time, 2, END)
        assert one.goes_back(time) == several.goes_back(time)


@pytest.mark.parametrize("mode", ["ode", "dae"])
def test_a_fast_oscillation_is_progress_however_many_steps_it_takes(mode: str) -> None:
    """More short steps in turn than may be of first order."""
    model = Model(x=Var(init=0.0), w=1e8, equations=["der(x) = w*cos(w*time)"])
    result = instantiate(model).simulate(5e-4, interval=1e-5, tolerance=1e-5, mode=mode)
    assert result.status == "finished"
    assert result.statistics["steps"] > 250_000
