"""What flows together at connections: specific values where nothing flows, and where the flow turns round."""

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
