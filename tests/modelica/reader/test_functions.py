"""Functions and algorithms have the values that their statements give, one after the other."""

import math

import pytest

from modiapy import ModelError

from .conftest import Written


def value(written: Written, functions: str, formula: str) -> float:
    """``formula`` of x = 2 with these functions."""
    sim = written(f"""model M
      {functions}
      Real x(start = 1, fixed = true);
      Real y;
    equation
      der(x) = 1;
      y = {formula};
    end M;""")
    return float(sim.simulate(1.0, tolerance=1e-10)["y"][-1])


def test_defaults_names_and_several_results(written: Written) -> None:
    functions = """function both
        input Real u;
        input Real k = 3;
        output Real a;
        output Real b;
      protected
        Real h = 2*u;
      algorithm
        a := h*k;
        b := h + a;
      end both;
      function second
        input Real u;
        input Real k;
        output Real b;
      protected
        Real a;
      algorithm
        (a, b) := both(u, k);
      end second;"""
    assert value(written, functions, "both(x) + 100*both(k = 5, u = x)") == pytest.approx(12 + 2000)
    assert value(written, functions, "second(x, 10)") == pytest.approx(44)


def test_repetitions_and_branches(written: Written) -> None:
    functions = """function polynomial
        input Real u;
        input Real c[:];
        output Real y;
      algorithm
        y := 0;
        for i in 1:size(c, 1) loop
          y := y + c[i];
        end for;
        if u > 1.5 then
          y := y*u;
        elseif u > 1 then
          y := -1;
        else
          y := 0;
        end if;
      end polynomial;"""
    assert value(written, functions, "polynomial(x, {1, 2, 3})") == pytest.approx(12)
    assert value(written, functions, "polynomial(x - 0.8, {1, 2, 3})") == pytest.approx(-1)


def test_records_go_in_and_come_out(written: Written) -> None:
    functions = """record R
        Real a;
        Real b[2];
      end R;
      function double
        input R r;
        output R s;
      algorithm
        s.a := 2*r.a;
        s.b := 2*r.b;
      end double;
      function total
        input R r;
        output Real y;
      algorithm
        y := r.a + sum(r.b);
      end total;"""
    assert value(written, functions, "total(double(R(x, {1, x})))") == pytest.approx(10)


def test_what_an_inlined_function_gives_is_differentiated(written: Written) -> None:
    sim = written("""model M
      function position
        input Real t;
        output Real s;
      algorithm
        s := sin(2*t);
      end position;
      Real s, v, a;
    equation
      s = position(time);
      v = der(s);
      a = der(v);
    end M;""")
    result = sim.simulate(1.0)
    assert result["v"][-1] == pytest.approx(2 * math.cos(2))
    assert result["a"][-1] == pytest.approx(-4 * math.sin(2))


def test_an_algorithm_of_a_model_gives_its_variables_their_values(written: Written) -> None:
    sim = written("""model M
      Real x(start = 0, fixed = true);
      Real y;
    equation
      der(x) = 1;
    algorithm
      if x > 0.5 then
        y := 2*x;
      else
        y := -x;
      end if;
    end M;""")
    result = sim.simulate(1.0)
    assert result["y"][-1] == pytest.approx(2.0)
    assert result["y"][result.time < 0.5][-1] == pytest.approx(-0.5, abs=0.01)


def test_a_when_of_an_algorithm_counts(written: Written) -> None:
    sim = written("""model M
      Integer n(start = 0, fixed = true);
    algorithm
      when sample(0.1, 0.25) then
        n := pre(n) + 2;
      end when;
    end M;""")
    assert sim.simulate(1.0)["n"][-1] == 8


def test_a_function_that_repeats_until_a_condition_is_called_at_run_time(written: Written) -> None:
    sim = written("""model M
      function position
        input Real u;
        input Real edges[:];
        output Integer n;
      algorithm
        n := 1;
        while n < size(edges, 1) and edges[n] <= u loop
          n := n + 1;
        end while;
      end position;
      parameter Real edges[4] = {0.2, 0.4, 0.9, 2};
      discrete Real n(start = 0, fixed = true);
    equation
      when sample(0.05, 0.1) then
        n = position(time, edges);
      end when;
    end M;""")
    for changes, found in (({}, 4), ({"edges": [0.2, 0.99, 1.5, 2.0]}, 2)):
        assert sim.simulate(1.0, merge=changes)["n"][-1] == found


def test_a_function_of_scalars_is_called_with_arrays(written: Written) -> None:
    functions = """function power
        input Real u;
        input Real p = 2;
        output Real y;
      algorithm
        y := u^p;
      end power;"""
    assert value(written, functions, "sum(power({x, 3})) + sum(power({x, 3}, {1, 3}))") == pytest.approx(4 + 9 + 2 + 27)


SUBSTRING = """package Modelica package Utilities package Strings
  function substring
    input String string;
    input Integer startIndex, endIndex;
    output String result;
  external "C" result = ModelicaStrings_substring(string, startIndex, endIndex);
  end substring;
end Strings; end Utilities; end Modelica;
model M
  constant String group = "Dy05";
  parameter String second = Modelica.Utilities.Strings.substring(group, 2, LAST);
  Real y = if second == "y0" then 3 else 4;
end M;
"""


@pytest.mark.parametrize(("last", "wanted"), [(3, 3.0), (2, 4.0), (1, 4.0)])
def test_a_part_of_a_text_is_compared(written: Written, last: int, wanted: float) -> None:
    assert written(SUBSTRING.replace("LAST", str(last))).simulate(1.0)["y"][-1] == wanted


def test_a_part_outside_of_a_text_is_refused(written: Written) -> None:
    with pytest.raises(ModelError, match=r"a part of a text lies outside of it.*2 to 9 of 'Dy05'"):
        written(SUBSTRING.replace("LAST", "9"))
