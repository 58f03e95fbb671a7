"""What functions assert is looked at where they are called: for inlined and compiled bodies, in whens, for parameters."""

import warnings

import numpy as np
import pytest

from modiapy import Map, ModelError, SimulationError

from .conftest import Written

_ROOT = """function root
  input Real x;
  output Real y;
algorithm
  assert(x > 0.5, "x is too small");
  y := sqrt(x);
end root;
"""
_REPEATED = """function steps
  input Real x;
  output Real y;
protected
  Real left;
algorithm
  left := x;
  y := 0;
  while left > 0.1 loop
    assert(y < 4.5, "too many steps");
    left := left - 0.1;
    y := y + 1;
  end while;
end steps;
"""
_DECAY = "Real x(start = 1, fixed = true); equation der(x) = -x;"


def test_an_assertion_of_an_inlined_function_ends_the_simulation(written: Written) -> None:
    sim = written(f"{_ROOT}model M Real y; {_DECAY} y = root(x); end M;")
    assert sim.simulate(0.6, interval=0.01).time[-1] == 0.6
    with pytest.raises(SimulationError, match=r"x is too small .*'root', .*m\.mo:5:3.*'x > 0\.5'") as error:
        sim.simulate(2.0, interval=0.01)
    assert error.value.time == pytest.approx(0.70)


def test_an_assertion_of_a_compiled_function_ends_the_simulation(written: Written) -> None:
    sim = written(f"{_REPEATED}model M Real x, y; equation x = time; y = steps(x); end M;")
    assert sim.simulate(0.58, interval=0.01)["y"][-1] == 5.0
    with pytest.raises(SimulationError, match=r"too many steps .*'steps', .*m\.mo:10:5"):
        sim.simulate(1.0, interval=0.01)


def test_a_compiled_function_looks_at_what_the_functions_that_it_calls_assert(written: Written) -> None:
    sim = written(
        _ROOT
        + """function total
        input Real x;
        output Real y;
      protected
        Real left;
      algorithm
        left := x;
        y := 0;
        while left > 0.1 loop
          if left > 0.3 then
            y := y + root(left + 0.15);
          end if;
          left := left - 0.25;
        end while;
      end total;
      model M Real x, y; equation x = 2 - time; y = total(x); end M;"""
    )
    taken = 1.91 - 0.25 * np.arange(7)
    assert sim.simulate(0.09, interval=0.01)["y"][-1] == pytest.approx(np.sqrt(taken + 0.15).sum())
    with pytest.raises(SimulationError, match="'root'") as error:
        sim.simulate(0.5, interval=0.01)
    assert error.value.time == pytest.approx(0.15, abs=0.011)  # 2 - 0.15 - 6*0.25 + 0.15 = 0.5


def test_a_warning_only_warns(written: Written) -> None:
    sim = written(_ROOT.replace('small"', 'small", AssertionLevel.warning') + f"model M Real y; {_DECAY} y = root(x); end M;")
    with pytest.warns(UserWarning, match="x is too small"):
        result = sim.simulate(2.0, interval=0.01)
    assert result.time[-1] == 2.0


@pytest.mark.parametrize(
    "call",
    [
        "if x > 0.5 then root(x) else 0",
        "guarded(x)",
        "ending(x)",
        "if initial() then root(x) elseif x > 0.5 then root(x) else 1",
    ],
)
def test_a_call_that_is_not_reached_asserts_nothing(written: Written, call: str) -> None:
    sim = written(
        _ROOT
        + """function guarded
        input Real x;
        output Real y;
      algorithm
        y := 0;
        if x > 0.5 then
          y := root(x);
        end if;
      end guarded;
      function ending
        input Real x;
        output Real y;
      algorithm
        y := 0;
        for i in 1:2 loop
          if x <= 0.5 then
            y := 2;
            break;
          end if;
          y := root(x);
        end for;
      end ending;
      """
        + f"model M Real y; {_DECAY} y = {call}; end M;"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sim.simulate(2.0, interval=0.01).time[-1] == 2.0


def test_in_a_when_it_is_looked_at_when_that_becomes_active(written: Written) -> None:
    sim = written(
        f"{_ROOT}model M Real y(start = 0, fixed = true); {_DECAY} when time > 0.6 then y = root(x); end when; end M;"
    )
    assert sim.simulate(2.0)["y"][-1] == pytest.approx(np.exp(-0.3), rel=1e-4)
    late = written(
        f"{_ROOT}model M Real y(start = 0, fixed = true); {_DECAY} when time > 0.8 then y = root(x); end when; end M;"
    )
    with pytest.raises(SimulationError, match="x is too small") as error:
        late.simulate(2.0)
    assert error.value.time == pytest.approx(0.8)


def test_at_the_beginning_only_for_an_initial_equation(written: Written) -> None:
    sim = written(
        f"{_ROOT}model M parameter Real x0 = 1; Real x; initial equation x = root(x0 + x/2); equation der(x) = -x; end M;"
    )
    assert sim.simulate(3.0)["x"][0] == pytest.approx((0.5 + np.sqrt(0.25 + 4.0)) / 2.0)


def test_the_value_of_a_parameter_is_asserted_when_the_model_is_read(written: Written) -> None:
    with pytest.raises(ModelError, match="x is too small"):
        written(f"{_ROOT}model M parameter Real p = root(0.25); Real x = p*time; end M;")


def test_assertions_make_no_events_and_change_no_result(written: Written) -> None:
    plain = _ROOT.replace('assert(x > 0.5, "x is too small");', "")
    results = [
        written(f"{text}model M Real y; {_DECAY} y = root(x); end M;").simulate(0.69, merge=Map()) for text in (plain, _ROOT)
    ]
    assert results[0].statistics["events"] == results[1].statistics["events"]
    assert np.array_equal(results[0]["y"], results[1]["y"])


@pytest.mark.parametrize(
    "loop",
    [
        "while y >= 0 loop y := y + 1; end while;",
        "while true loop y := y/2 + 1; end while;",
        "for i in 1:n loop y := y + 1/i; end for;",
    ],
)
def test_a_loop_that_does_not_end_is_an_error_when_its_time_has_come(written: Written, loop: str) -> None:
    """Until 0.5 s there is nothing to repeat; then it would last for ever, or for a billion repetitions."""
    sim = written(f"""
        function f
          input Real x;
          input Integer n;
          output Real y;
        algorithm
          y := x;
          if x > 0.5 then {loop} end if;
        end f;
        model M parameter Integer n = 1000*1000*1000; Real y; {_DECAY} y = f(time, n); end M;""")
    with pytest.raises(
        SimulationError, match=r"at time 0.55 s a loop of the function 'f' does not end within 10000000 repetitions \(.*m.mo:8"
    ):
        sim.simulate(1.0, interval=0.05)
