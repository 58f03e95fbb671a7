"""Functions some of whose branches assign too little have the values of those that are executed."""

import pytest

from modiapy import ModelError

from .conftest import Written

_FUNCTION = """function f
  input Real u;
  input Integer n = 2;
  output Real y;
  output Real z[n];
protected
  Real a, b[n, 2] "both; of them";
  Boolean large;
algorithm
  large := u > 1;
  if large then
    y := u;
    a := 3;
    b := fill(a*u, n, 2);
    z := b[:, 1];
  else
    y := -u;
    z := fill(u, n);
  end if;
  if large then
    y := y + b[1, 2] + a;
  end if;
end f;
"""


def test_what_no_branch_reads_needs_no_value(written: Written) -> None:
    sim = written(f"""{_FUNCTION}
    model M
      Real y, z[2];
    equation
      (y, z) = f(2*time);
    end M;""")
    result = sim.simulate(1.0)
    assert result["y"][0] == pytest.approx(0)
    assert result["y"][-1] == pytest.approx(2 + 6 + 3)
    assert result["z[2]"][-1] == pytest.approx(6)


def test_a_result_that_gets_no_value_is_still_refused(written: Written) -> None:
    with pytest.raises(ModelError, match="gets no value"):
        written("""function g
          input Real u;
          output Real y;
        protected
          Real a;
        algorithm
          if false then
            y := u;
          end if;
          a := u;
        end g;
        model M
          Real y = g(time);
        end M;""")
