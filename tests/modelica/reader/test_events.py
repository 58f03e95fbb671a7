"""Events of Modelica models happen when and as often as the language says."""

import math

import numpy as np
import pytest

from .conftest import Written


def test_a_ball_bounces(written: Written) -> None:
    sim = written("""model M
      parameter Real e = 0.7;
      Real h(start = 1, fixed = true), v(start = 0, fixed = true);
      discrete Integer n(start = 0, fixed = true);
    equation
      der(h) = v;
      der(v) = -9.81;
      when h <= 0 then
        reinit(v, -e*pre(v));
        n = pre(n) + 1;
      end when;
    end M;""")
    result = sim.simulate(1.0, tolerance=1e-9)
    first = math.sqrt(2 / 9.81)
    speed = 9.81 * first
    rest = 1.0 - first
    assert result["n"][-1] == 1
    assert result["h"][-1] == pytest.approx(0.7 * speed * rest - 0.5 * 9.81 * rest**2, rel=1e-6)


def test_samples_enumerations_and_the_order_of_branches(written: Written) -> None:
    sim = written("""model M
      type Mode = enumeration(low, high, off);
      Mode mode(start = Mode.off, fixed = true);
      discrete Real count(start = 5, fixed = true);
      discrete Real last(start = 0, fixed = true);
      Boolean up;
      Boolean first(start = false, fixed = true);
    equation
      up = time > 0.55;
      mode = if up then Mode.high else Mode.low;
      when {sample(0.1, 0.2), up} then
        count = pre(count) + 1;
      elsewhen time > 0.45 then
        count = pre(count) + 100;
      end when;
      when initial() then
        last = 7;
        first = true;
      end when;
    end M;""")
    result = sim.simulate(1.0)
    at = lambda name, t: result[name][np.searchsorted(result.time, t, side="right") - 1]  # noqa: E731
    assert [at("count", t) for t in (0.05, 0.25, 0.4, 0.47, 0.52, 0.58, 0.95)] == [5, 6, 7, 107, 108, 109, 111]
    assert [at("mode", t) for t in (0.5, 0.6)] == [1, 2]
    assert result["last"][0] == 7
    assert result["first"][0] == 1


def test_relations_of_functions_make_no_events(written: Written) -> None:
    sim = written("""model M
      function bend
        input Real u;
        output Real y;
      algorithm
        y := if u > 1 then 2*u - 1 else u;
      end bend;
      Real x(start = 0, fixed = true);
    equation
      der(x) = bend(2*time);
    end M;""")
    result = sim.simulate(1.0, tolerance=1e-8)
    assert result["x"][-1] == pytest.approx(0.25 + 1.5 - 0.5, rel=1e-5)
    assert not any(np.diff(result.time) == 0.0)


def test_initial_equations_fix_discrete_and_continuous_variables(written: Written) -> None:
    sim = written("""model M
      Real x(start = 3);
      discrete Real d;
      Real y(start = 1, fixed = true);
      Real z;
    equation
      der(x) = -x;
      z = x + y;
      der(y) = 0;
      when time > 0.5 then
        d = pre(d) + x;
      end when;
    initial equation
      z = 5;
      pre(d) = 2;
    end M;""")
    result = sim.simulate(1.0, tolerance=1e-9)
    assert result["x"][0] == pytest.approx(4.0)
    assert result["d"][0] == 2
    assert result["d"][-1] == pytest.approx(2.0 + 4.0 * math.exp(-0.5), rel=1e-6)


def test_an_assertion_says_what_is_written(written: Written) -> None:
    from modiapy import SimulationError

    sim = written("""model M
      Real x(start = 0, fixed = true);
    equation
      der(x) = 1;
      assert(x < 0.5, "x is too large");
    end M;""")
    with pytest.raises(SimulationError, match="x is too large"):
        sim.simulate(1.0)


def test_initial_equations_of_discrete_variables_are_followed_to_what_is_remembered(written: Written) -> None:
    sim = written("""model M
      Boolean active, local, new, old;
      Boolean never = false;
      Integer n(start = 0, fixed = true);
    equation
      local = pre(new);
      active = local;
      new = if time > 0.5 then false else pre(new);
      when never then
        old = active;
      end when;
      when not active then
        n = pre(n) + 1;
      end when;
    initial equation
      active = true;
      pre(old) = pre(local);
    end M;""")
    result = sim.simulate(1.0)
    assert result["active"][0] == 1
    assert result["active"][-1] == 0
    assert result["n"][-1] == 1


@pytest.mark.parametrize(("level", "above"), [(2.0, True), (0.5, False)])
def test_what_was_before_may_follow_from_parameters_through_connections(written: Written, level: float, above: bool) -> None:
    sim = written(f"""model M
      connector Input = input Real;
      model Port
        parameter Real height = 1;
        Input given = height;
        Input height2;
        Boolean above;
        parameter Real begin = {level};
        Real level(start = begin, fixed = true);
      equation
        connect(given, height2);
        der(level) = 0;
        above = level > height2 + 2 or pre(above) and level > height2 - 2;
      initial equation
        pre(above) = begin >= height2;
      end Port;
      Port port;
    end M;""")
    result = sim.simulate(1.0)
    np.testing.assert_array_equal(result["port.above"], above)


def test_an_assertion_of_a_when_is_looked_at_at_its_instant(written: Written) -> None:
    from modiapy import SimulationError

    text = """model M
      Real x(start = 0, fixed = true);
    equation
      der(x) = 1;
      when time > 0.5 then
        assert(x < LIMIT, "x is too large at 0.5");
      end when;
    end M;"""
    assert written(text.replace("LIMIT", "0.7")).simulate(1.0).time[-1] == 1.0
    with pytest.raises(SimulationError, match=r"time 0\.5.*x is too large at 0.5"):
        written(text.replace("LIMIT", "0.3")).simulate(1.0)


def test_a_limiter_with_feedback_jumps_where_its_solution_ends(written: Written) -> None:
    """It has the upper solution until the input is below half of that, and no other than the lower one after."""
    sim = written("""model M
      parameter Real gain = 1000;
      Real u, y(start = 1);
    equation
      u = 1 - time;
      y = smooth(0, noEvent(if gain*(u + 0.5*y) > 1 then 1 else if gain*(u + 0.5*y) < -1 then -1 else gain*(u + 0.5*y)));
    end M;""")
    result = sim.simulate(3.0)
    ends = 1.0 + 0.5 - 1e-3
    assert result["y"][result.time < ends - 1e-9] == pytest.approx(1.0)
    assert result["y"][result.time > ends + 1e-9] == pytest.approx(-1.0)
    assert result.statistics["events"] == 1
