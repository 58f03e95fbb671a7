"""What flows together at connections: specific values where nothing flows, and where the flow turns round."""

import itertools

import numpy as np
import pytest

from .conftest import Written

_PORTS = """
      connector Port
        Real p;
        flow Real m;
        Real h;
        flow Real H;
      end Port;
      model Tank
        Port a;
        parameter Real s = 1;
        Real m;
      equation
        a.m = m;
        a.H = semiLinear(a.m, a.h, s);
      end Tank;
      model Open
        Port a;
        parameter Real s = 1;
      equation
        a.p = 0;
        a.H = semiLinear(a.m, a.h, s);
      end Open;"""


def test_a_flow_that_turns_round_carries_the_value_of_its_source(written: Written) -> None:
    sim = written(f"""model M {_PORTS}
      Tank tank(s = 3);
      Open open(s = 5);
      Real E(start = 0, fixed = true);
    equation
      connect(tank.a, open.a);
      tank.m = sin(time);
      der(E) = tank.a.H;
    end M;""")
    result = sim.simulate(6.0, tolerance=1e-9)
    flow = np.sin(result.time)
    clear = np.abs(flow) > 1e-3
    np.testing.assert_allclose(result["open.a.h"][clear], np.where(flow > 0, 5, 3)[clear], atol=1e-9)
    np.testing.assert_allclose(result["tank.a.H"], np.where(flow > 0, 5, 3) * flow, atol=1e-6)
    energy = 5 * (1 - np.cos(3.141592653589793)) + 3 * (-1 - np.cos(6.0))
    assert result["E"][-1] == pytest.approx(energy, rel=1e-6)


def test_three_flows_mix_and_may_all_stop(written: Written) -> None:
    sim = written(f"""model M {_PORTS}
      Tank first(s = 2), second(s = 8);
      Open open(s = 5);
    equation
      connect(first.a, open.a);
      connect(second.a, open.a);
      first.m = -max(time - 1, 0);
      second.m = -3*max(time - 1, 0);
    end M;""")
    result = sim.simulate(2.0)
    assert np.isfinite(result["open.a.h"]).all()
    flows = result.time > 1.01
    np.testing.assert_allclose(result["open.a.h"][flows], (1 * 2 + 3 * 8) / 4, rtol=1e-9)
    np.testing.assert_allclose(result["open.a.H"][flows], 26 * (result.time[flows] - 1), rtol=1e-9)
    np.testing.assert_allclose(result["open.a.H"][result.time < 1], 0.0, atol=1e-12)


_PUMP = """
      model Pump
        Port a, b;
        Real m, s, Q;
      equation
        a.m + b.m = 0;
        a.m = m;
        Q = 0;
        a.H + b.H + Q = 0;
        a.H = semiLinear(a.m, a.h, s);
        b.H = semiLinear(b.m, b.h, s);
      end Pump;
      model Pipe
        extends Pump;
      equation
        a.p = b.p;
      end Pipe;"""


@pytest.mark.parametrize("pumps", [1, 3])
def test_what_stores_nothing_hands_on_the_value_of_one_end(written: Written, pumps: int) -> None:
    names = [f"pump{k}" for k in range(1, pumps + 1)]
    connections = [f"connect({a}.b, {b}.a);" for a, b in itertools.pairwise(names)]
    sim = written(f"""model M {_PORTS} {_PUMP}
      Open left(s = 3), right(s = 5);
      Pump pump1;
      {" ".join(f"Pipe {name};" for name in names[1:])}
    equation
      connect(left.a, pump1.a);
      connect({names[-1]}.b, right.a);
      {" ".join(connections)}
      pump1.m = if time < 1 then 0 else if time < 2 then time - 1 else if time < 3 then 0 else -2;
    end M;""")
    result = sim.simulate(4.0)
    for name in names:
        values, time = result[f"{name}.s"], result.time
        np.testing.assert_allclose(values[(time > 1.01) & (time < 1.99)], 3.0, rtol=1e-12)
        np.testing.assert_allclose(values[time > 3.01], 5.0, rtol=1e-12)
        at_rest = values[time < 0.99]
        assert at_rest[0] in (3.0, 5.0)
        np.testing.assert_allclose(at_rest, at_rest[0])
        np.testing.assert_allclose(result[f"{name}.b.H"][time > 3.01], 10.0, rtol=1e-12)


def test_a_pump_at_rest_before_a_branch_takes_the_value_of_a_store(written: Written) -> None:
    sim = written(f"""model M {_PORTS} {_PUMP}
      Open left(s = 3);
      Tank tank1(s = 7), tank2(s = 7);
      Pipe pump;
    equation
      connect(left.a, pump.a);
      connect(pump.b, tank1.a);
      connect(pump.b, tank2.a);
      tank1.m = max(time - 1, 0);
      tank2.m = 2*tank1.m;
    end M;""")
    result = sim.simulate(2.0)
    assert set(result["pump.s"][result.time < 0.99]) <= {3.0, 7.0}
    np.testing.assert_allclose(result["pump.s"][result.time > 1.01], 3.0, rtol=1e-12)
    np.testing.assert_allclose(result["tank2.a.H"], 6 * np.maximum(result.time - 1, 0), atol=1e-9)
