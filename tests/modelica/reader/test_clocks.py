"""Clocked equations: when clocks tick, and what sample, hold, previous and conversions deliver then."""

import math

import numpy as np
import pytest

from modiapy import ModelError, Result

from .conftest import Written


def _at(result: Result, name: str, time: float) -> float:
    """The value after the last event that is not later than a time."""
    return float(result[name][np.searchsorted(result.time, time, side="right") - 1])


def test_a_sampled_controller_is_its_difference_equation(written: Written) -> None:
    """A plant ``der(x) = u`` with ``u = -k*x`` at ticks: x is multiplied by ``1 - k*T`` from tick to tick."""
    sim = written("""model M
      parameter Real k = 2;
      Real x(start = 1, fixed = true), s, u(start = 5), held;
      Clock c = Clock(0.25);
    equation
      der(x) = held;
      s = sample(x, c);
      u = -k*s;
      held = hold(u);
    end M;""")
    result = sim.simulate(1.2, tolerance=1e-9)
    for n in range(5):
        assert _at(result, "x", 0.25 * n) == pytest.approx(0.5**n, rel=1e-6)
        assert _at(result, "u", 0.25 * n + 0.1) == pytest.approx(-2 * 0.5**n, rel=1e-6)


def test_previous_and_conversions_between_clocks(written: Written) -> None:
    sim = written("""model M
      Clock c = Clock(1, 10);
      Clock late = shiftSample(c, 3, 2);
      Clock fast = superSample(c, 5);
      Real n(start = 2), sampled;
      Real slow, shifted(start = 9), back(start = 7), quick(start = 0), again, ticks(start = 0);
      Boolean first;
      Real T, Tslow;
      discrete Real y_slow, y_back, y_quick, y_shifted, y_late, y_fast;
      Real lates(start = 0), fasts(start = 0);
    equation
      sampled = sample(time, c);
      n = previous(n) + (if sampled > -1 then 1 else 0);
      slow = subSample(n, 2);
      shifted = shiftSample(n, 2, 1);
      back = backSample(shifted, 1);
      again = superSample(n, 2);
      quick = previous(quick) + again;
      when late then
        lates = previous(lates) + 1;
      end when;
      when fast then
        fasts = previous(fasts) + 1;
      end when;
      when c then
        ticks = previous(ticks) + 1;
        first = firstTick();
        T = interval(n);
      end when;
      Tslow = interval(slow);
      y_slow = hold(slow);
      y_back = hold(back);
      y_quick = hold(quick);
      y_shifted = hold(shifted);
      y_late = hold(lates);
      y_fast = hold(fasts);
    end M;""")
    result = sim.simulate(0.52)
    inside = [0.01 + 0.05 * k for k in range(11)]
    ticks = [math.floor(t / 0.1 + 1e-9) for t in inside]
    assert [_at(result, "n", t) for t in inside] == [3 + k for k in ticks]
    assert [_at(result, "y_slow", t) for t in inside] == [3 + k - k % 2 for k in ticks]
    assert [_at(result, "y_shifted", t) for t in inside] == [9 if k < 2 else 3 + k for k in ticks]
    assert [_at(result, "y_back", t) for t in inside] == [7 if k < 1 else 9 if k < 2 else 3 + k for k in ticks]
    assert [_at(result, "y_quick", t) for t in inside] == list(np.cumsum([3 + k for k in ticks]))
    assert [_at(result, "y_late", t) for t in inside] == [max(math.floor((t - 0.15) / 0.1 + 1 + 1e-9), 0) for t in inside]
    assert [_at(result, "y_fast", t) for t in inside] == [math.floor(t / 0.02 + 1e-9) + 1 for t in inside]
    assert [_at(result, "first", t) for t in inside] == [k == 0 for k in ticks]
    assert _at(result, "T", 0.3) == pytest.approx(0.1)
    assert _at(result, "Tslow", 0.3) == pytest.approx(0.2)


def test_a_clock_of_events_and_its_intervals(written: Written) -> None:
    """It ticks where ``sin(t)`` rises through zero: at each full turn, with what was so just before."""
    sim = written("""model M
      Real x(start = 0, fixed = true);
      Boolean up = sin(time) > 0.5;
      Clock c = Clock(up, 0.125);
      Real s, T, n(start = 0);
      discrete Real y, yT, yn;
    equation
      der(x) = 1;
      s = sample(x, c);
      n = previous(n) + (if s > -1 then 1 else 0);
      T = interval(s);
      y = hold(s);
      yT = hold(T);
      yn = hold(n);
    end M;""")
    result = sim.simulate(15.0, tolerance=1e-9)
    first = math.pi / 6
    assert [_at(result, "yn", t) for t in (0.1, 1.0, 6.5, 7.0, 14.0)] == [0, 1, 1, 2, 3]
    assert _at(result, "y", 1.0) == pytest.approx(first, rel=1e-6)
    assert _at(result, "y", 14.0) == pytest.approx(first + 4 * math.pi, rel=1e-6)
    assert [_at(result, "yT", t) for t in (1.0, 14.0)] == pytest.approx([0.125, 2 * math.pi], rel=1e-6)


def test_clocks_that_meet_in_one_partition_are_refused(written: Written) -> None:
    with pytest.raises(ModelError, match="clock"):
        written("""model M
          Clock c = Clock(0.25);
          Clock d = Clock(0.5);
          Real a, b, m, y;
        equation
          a = sample(time, c);
          b = sample(time, d);
          m = a + b;
          y = hold(m);
        end M;""")
