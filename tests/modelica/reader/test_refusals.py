"""What is not read is refused by name, with the place in the Modelica source."""

import pytest

from modiapy import ModelError

from .conftest import Written


def test_an_external_function_is_refused_with_its_place(written: Written) -> None:
    with pytest.raises(ModelError, match=r"m\.mo:9: .*the external function 'outside' is not read \(column") as caught:
        written("""model M
      function outside
        input Real u;
        output Real y;
      external "C" y = outside(u);
      end outside;
      Real x;
    equation
      x = outside(time);
    end M;""")
    assert caught.value.file.endswith("m.mo")
    assert caught.value.line == 9


def test_a_branch_that_the_front_end_loses_is_refused(written: Written) -> None:
    """It writes a branch without its condition where branches have different numbers of equations, or refuses them."""
    lost = r"a branch of an if-equation was lost by the front end.*found no trace of 'ideal'"
    with pytest.raises(ModelError, match=rf"{lost}|branches have mismatched equation counts.*conditions \[ideal\]"):
        written("""model M
      function same
        input Real M1[:, :];
        input Real M2[:, :];
        output Boolean equal;
      protected
        Integer n = size(M1, 1);
        Integer i = 1;
      algorithm
        equal := false;
        if size(M1, 1) == size(M2, 1) then
          equal := true;
          while i <= n loop
            if abs(M1[i, 1] - M2[i, 1]) > 1e-9 then
              equal := false;
              i := n;
            end if;
            i := i + 1;
          end while;
        end if;
      end same;
      parameter Real table[:, 2] = [0, 2];
      Boolean ideal;
      Real x[1, 2];
    equation
      ideal = same(table, [0, 1]);
      if ideal then
        x = [1, 2];
      else
        for i in 1:2 loop
          x[1, i] = 3*i;
        end for;
      end if;
    end M;""")


@pytest.mark.parametrize("subscript", ["0", "k", "4", "k + 4", "-1"])
@pytest.mark.parametrize("place", ["equation", "function"])
def test_subscripts_count_from_one(written: Written, subscript: str, place: str) -> None:
    """There is no element 0, nor one from the end: neither of a number, nor of what a parameter says, nor in a function."""
    function = """function of
        input Real u[3];
        input Integer k;
        output Real y;
      algorithm
        y := u[SUBSCRIPT];
      end of;"""
    value = "a[SUBSCRIPT]" if place == "equation" else "of(a, k)"
    text = f"""model M
      {function if place == "function" else ""}
      parameter Integer k = 0;
      parameter Real a[3] = {{1, 2, 3}};
      Real x;
    equation
      x = {value};
    end M;""".replace("SUBSCRIPT", subscript)
    with pytest.raises(ModelError, match=r"subscript|[Oo]ut.of.(bounds|range)|index"):
        written(text).simulate(0.1)
    in_range = text.replace("k = 0", "k = 2").replace(f"[{subscript}]", "[k]")
    assert written(in_range).simulate(0.1)["x"][-1] == 2.0
