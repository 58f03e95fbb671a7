"""The initial solution of a model with `homotopy` is the one that continues that of the simplified expressions."""

import pytest

from .conftest import Written

_TRIGGER = """model M
  model Amplifier
    parameter Real first;
    Real u, y;
  equation
    y = homotopy(
      actual = smooth(0, noEvent(if 1e4*u > 15 then 15 else if 1e4*u < -15 then -15 else 1e4*u)),
      simplified = first);
  end Amplifier;
  Amplifier a(first = FIRST);
  Real v(start = 0, fixed = true) "of a capacitor that the amplifier charges";
equation
  a.u = 0.5*a.y - v;
  0.1*der(v) = a.y - v;
end M;"""


@pytest.mark.parametrize("first", [-15, 15])
def test_an_amplifier_with_feedback_begins_where_its_simplified_expression_says(written: Written, first: int) -> None:
    result = written(_TRIGGER.replace("FIRST", str(first))).simulate(0.5, tolerance=1e-8)
    assert result["a.y"][0] == first
    assert {-15.0, 15.0} <= set(result["a.y"].round(9)), "it oscillates"


def test_the_value_of_homotopy_is_the_actual_one(written: Written) -> None:
    result = written("""model M
      Real x(start = 1, fixed = true), y;
    equation
      der(x) = homotopy(-x, -5);
      y = homotopy(actual = 2*x, simplified = 3);
    end M;""").simulate(1.0, tolerance=1e-9)
    assert (result["y"][0], result["x"][-1]) == pytest.approx((2.0, 0.36787944117))
