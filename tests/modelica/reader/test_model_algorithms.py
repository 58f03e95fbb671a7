"""Algorithm sections of models: statements are executed one after the other, each reads what those before it have assigned."""

import numpy as np
import pytest

from modiapy import ModelError, SimulationError, SimulationModel

from .conftest import Written


def at(sim: SimulationModel, stop: float, name: str, times: list[float]) -> list[float]:
    """Values of a signal at times, those of events before them."""
    result = sim.simulate(stop, tolerance=1e-8)
    return [float(result[name][np.searchsorted(result.time, t, side="right") - 1]) for t in times]


def test_elements_are_assigned_one_after_the_other_and_read(written: Written) -> None:
    """A register that is shifted, with a parity that is computed of its elements."""
    sim = written("""model M
      type L = enumeration(zero, one, unknown);
      parameter Integer n = 3;
      L register[n](each start = L.unknown, each fixed = true);
      Integer ones(start = -1, fixed = true);
      Integer weight(start = 0, fixed = true);
      Integer ticks(start = 0, fixed = true);
      Integer value;
    algorithm
      when {initial(), sample(0.5, 1)} then
        ticks := if initial() then 0 else pre(ticks) + 1;
        for i in n:-1:2 loop
          register[i] := register[i - 1];
        end for;
        register[1] := if mod(ticks, 2) == 0 then L.zero else L.one;
        ones := 0;
        weight := 0;
        for i in 1:n loop
          weight := 2*weight "shifted, (all) of it;";
          if register[i] == L.one then
            ones := ones + 1;
            weight := weight + 1;
          elseif register[i] == L.zero then
            weight := weight + 0;
          else
            ones := ones + 100;
          end if;
        end for;
      end when;
      value := 10*ones;
      value := value + ticks;
      if initial() then
        assert(n > 2, "too short");
      end if;
    end M;""")
    times = [0.1, 0.6, 1.6, 2.6]
    # at the start 0 ? ?, then 1 0 ?, 0 1 0, 1 0 1
    assert at(sim, 3.0, "ones", times) == [200, 101, 1, 2]
    assert at(sim, 3.0, "weight", times) == [0, 4, 2, 5]
    assert at(sim, 3.0, "value", times) == [2000, 1011, 12, 23]
    assert at(sim, 3.0, "register[3]", times) == [3, 3, 1, 2]


def test_loops_within_loops_go_through_their_values_in_order(written: Written) -> None:
    """Digits are appended: their order is that of the passes, the inner loop is empty in the last."""
    sim = written("""model M
      Real x, y;
    algorithm
      x := 0;
      for i in 3:-1:1 loop
        for j in 1:i - 1 loop
          x := 10*x + j;
        end for;
        x := 10*x + i;
      end for;
      if time > 0.5 then
        x := x + 1;
      elseif time > 0.3 then
        x := x + 3;
      else
        x := x + 2;
      end if;
    equation
      y = 2*x;
    end M;""")
    assert at(sim, 1.0, "y", [0.2, 0.4, 0.8]) == [2 * 123_121 + extra for extra in (4, 6, 2)]


def test_break_ends_the_innermost_loop(written: Written) -> None:
    """The first element above a bound that rises: the rest of that row counts no more, the next row does."""
    sim = written("""model M
      parameter Real a[2, 3] = [0.1, 0.6, 0.3; 0.7, 0.2, 0.8];
      Real found[2], y;
      Integer looked;
    algorithm
      looked := 0;
      for i in 1:2 loop
        found[i] := -1;
        for j in 1:3 loop
          looked := looked + 1;
          if a[i, j] > time then
            found[i] := a[i, j];
            break;
          end if;
          found[i] := found[i] - 1;
        end for;
        found[i] := 10*found[i];
      end for;
    equation
      y = found[1];
    end M;""")
    times = [0.05, 0.15, 0.65, 0.75, 0.9]
    assert at(sim, 1.0, "y", times) == pytest.approx([1, 6, -40, -40, -40])
    assert at(sim, 1.0, "found[2]", times) == pytest.approx([7, 7, 7, 8, -40])
    assert at(sim, 1.0, "looked", times) == [2, 3, 4, 6, 6]


def test_when_statements_with_branches_and_several_results(written: Written) -> None:
    sim = written("""function split
      input Integer k;
      output Integer tens, units;
    algorithm
      tens := div(k, 10);
      units := k - 10*tens;
    end split;
    model M
      Integer k(start = 8, fixed = true), a(start = 0, fixed = true), b(start = 0, fixed = true);
      Integer last[2](each start = 0, each fixed = true);
      Real v(start = 1, fixed = true);
      Boolean late = time > 2.2;
    algorithm
      when sample(0.5, 1) then
        k := pre(k) + 1;
        (a, b) := split(k);
        last[1] := k;
        last[2] := last[1] + 1;
        reinit(v, a + pre(v));
        assert(k < 100, "too many: " + String(k));
      elsewhen late then
        last[1] := -k;
      end when;
    equation
      der(v) = 0;
    end M;""")
    times = [0.6, 1.6, 2.1, 2.3, 2.6]
    assert at(sim, 3.0, "a", times) == [0, 1, 1, 1, 1]
    assert at(sim, 3.0, "b", times) == [9, 0, 0, 0, 1]
    assert at(sim, 3.0, "last[1]", times) == [9, 10, 10, -10, 11]
    assert at(sim, 3.0, "last[2]", times) == [10, 11, 11, 11, 12]
    assert at(sim, 3.0, "v", times) == [1, 2, 2, 2, 3]


def test_sections_of_several_instances_and_of_a_base(written: Written) -> None:
    sim = written("""partial model Base
      parameter Integer n = 2;
      Integer fib[n];
    algorithm
      fib[1] := 1;
      fib[2] := 1;
      for i in 3:n loop
        fib[i] := fib[i - 1] + fib[i - 2];
      end for;
    end Base;
    model Part
      extends Base;
      Integer total[2];
    algorithm
      total[1] := fib[n];
      total[2] := total[1] + 1;
    end Part;
    model M
      Part a(n = 5), b[2](n = {6, 7});
      Real y = a.total[2] + 100*b[1].total[2] + 10000*b[2].total[2];
    end M;""")
    assert at(sim, 1.0, "y", [0.5]) == [6 + 100 * 9 + 10000 * 14]


def test_initial_algorithms(written: Written) -> None:
    sim = written("""model M
      parameter Integer n = 4;
      Real x[n];
      Integer count[n](each start = 0, each fixed = true);
    initial algorithm
      x[1] := 1;
      for i in 2:n loop
        x[i] := 2*x[i - 1];
        if i > 3 then
          x[i] := x[i] + 0.5;
        end if;
      end for;
    algorithm
      when time > 0.5 then
        for i in 1:n loop
          count[i] := i;
          count[i] := count[i] + 1;
        end for;
      end when;
    equation
      der(x) = ones(n);
    end M;""")
    assert at(sim, 1.0, "count[4]", [0.2, 0.8]) == [0, 5]
    assert at(sim, 1.0, "x[3]", [0.0, 1.0]) == pytest.approx([4, 5])
    assert at(sim, 1.0, "x[4]", [0.0, 1.0]) == pytest.approx([8.5, 9.5])


def test_chains_of_discrete_elements_and_numbers_of_enumeration_values(written: Written) -> None:
    sim = written("""connector In = input Integer;
    connector Out = output Integer;
    block Source
      Out y;
    equation
      y = integer(time);
    end Source;
    block Sum
      In x[3];
      Out y;
    equation
      y = x[1] + 10*x[2] + 100*x[3];
    end Sum;
    model M
      type L = enumeration(low, high);
      Source source;
      Sum sum[2];
      L state = if time > 1.5 then L.high else L.low;
      Integer k;
    equation
      k = 5*Integer(state);
      for i in 1:2 loop
        connect(source.y, sum[i].x[1]);
        connect(source.y, sum[i].x[3]);
      end for;
      connect(sum[1].y, sum[2].x[2]);
      connect(source.y, sum[1].x[2]);
    end M;""")
    assert at(sim, 3.0, "sum[1].y", [0.5, 1.2, 2.5]) == [0, 111, 222]
    assert at(sim, 3.0, "sum[2].y", [0.5, 1.2, 2.5]) == [0, 1 + 1110 + 100, 2 * (1 + 1110 + 100)]
    assert at(sim, 3.0, "k", [0.5, 1.2, 2.5]) == [5, 5, 10]


def test_what_is_refused_in_an_algorithm_is_said_with_its_line(written: Written) -> None:
    with pytest.raises(ModelError) as caught:
        written("""model M
          parameter Integer n = 2;
          discrete Real x[n];
          Real v(start = 1, fixed = true);
        algorithm
          when time > 0.5 then
            for i in 1:n loop
              x[i] := i;
              x[i] := x[i] + 1;
            end for;
            if x[1] > v then
              reinit(v, 0);
            end if;
          end when;
        equation
          der(v) = 1;
        end M;""")
    assert "m.mo:12" in str(caught.value)
    assert "reinit" in str(caught.value)


def test_a_discrete_equation_in_every_branch_of_an_if_equation(written: Written) -> None:
    """Next to an algorithm that has to be veiled, so that the equations are given in other words, too."""
    sim = written("""type L = enumeration(low, high, off);
    block Pulse
      parameter L quiet = L.off;
      parameter L pulse = L.high;
      parameter Integer n = 2;
      Integer k(start = 0, fixed = true);
      discrete Real begun(start = 0, fixed = true);
      output L y;
    protected
      Boolean active;
    equation
      active = n <> 0 and (n >= pre(k) or n < 0);
      when active and sample(0.1, 0.2) then
        begun = time;
        k = if n > 0 then pre(k) + 1 else pre(k);
      end when;
      if active then
        // before
        y = if time < 0.1 or time >= begun + 0.1 then quiet else pulse "it (is); active";
      else
        y = quiet;
      end if;
    end Pulse;
    model M
      Pulse a;
      Pulse b(quiet = L.low, n = -1);
      discrete Integer k[2](each start = 0, each fixed = true);
      L late;
    equation
      if a.y == L.high then
        late = a.y;
      elseif time < 0.5 then
        late = L.low;
      else
        late = L.off;
      end if;
    algorithm
      when time > 0.6 then
        for i in 1:2 loop
          k[i] := i;
          k[i] := k[i] + 2;
        end for;
      end when;
    end M;""")
    times = [0.05, 0.15, 0.25, 0.35, 0.55, 0.65, 0.75]
    assert at(sim, 1.0, "a.y", times) == [3, 2, 3, 2, 3, 3, 3]
    assert at(sim, 1.0, "b.y", times) == [1, 2, 1, 2, 2, 1, 2]
    assert at(sim, 1.0, "late", times) == [1, 2, 1, 2, 3, 3, 3]


def test_what_a_when_of_an_algorithm_asserts_is_looked_at_then(written: Written) -> None:
    text = """model M
      Real x(start = 0, fixed = true);
      Integer n(start = 0, fixed = true);
    equation
      der(x) = 1;
    algorithm
      when time > 0.5 then
        n := n + 1;
        if n > 0 then
          assert(x < LIMIT, "x is too large at 0.5");
        end if;
      end when;
    end M;"""
    assert written(text.replace("LIMIT", "0.7")).simulate(1.0)["n"][-1] == 1
    with pytest.raises(SimulationError, match=r"time 0\.5.*x is too large at 0.5"):
        written(text.replace("LIMIT", "0.3")).simulate(1.0)
