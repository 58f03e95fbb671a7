"""Streams: what flows together is mixed by mass, and what flows back has what stands on the other side."""

import numpy as np
import pytest

from .conftest import Written

PARTS = """
  connector Port Real p; flow Real m; stream Real h; end Port;
  model Boundary
    Port port; Real p; parameter Real h;
  equation
    port.p = p; port.h = h;
  end Boundary;
  model Pipe
    Port a; Port b; parameter Real k = 1;
  equation
    a.m + b.m = 0; a.m = k*(a.p - b.p); a.h = inStream(b.h); b.h = inStream(a.h);
  end Pipe;
"""


@pytest.mark.parametrize(("p", "q"), [(2.0, 3.0), (0.5, 4.0)])
def test_two_flows_are_mixed_by_mass(written: Written, p: float, q: float) -> None:
    result = written(f"""
        model M {PARTS}
          Boundary s(p = {p}, h = 5), u(p = {q}, h = 9), t(p = 1, h = 7); Pipe x, y, z(k = 3);
          Real into = inStream(z.a.h), through = actualStream(z.b.h);
        equation
          connect(s.port, x.a); connect(u.port, y.a); connect(x.b, z.a); connect(y.b, z.a); connect(z.b, t.port);
        end M;""").simulate(1.0)
    middle = (p + q + 3) / 5
    flows = np.array([p - middle, q - middle])
    mixed = flows.clip(0) @ [5, 9] / flows.clip(0).sum()
    assert result["z.a.m"][-1] == pytest.approx(3 * (middle - 1))
    assert result["into"][-1] == pytest.approx(mixed, rel=1e-6)
    assert result["through"][-1] == pytest.approx(mixed, rel=1e-6)


def test_a_flow_that_turns_round_carries_what_is_on_its_other_side(written: Written) -> None:
    result = written(f"""
        model M {PARTS}
          Boundary a(p = 1, h = 5), v(p = 1 + sin(time), h = 8); Pipe pipe; Real carried = actualStream(pipe.b.h);
        equation
          connect(a.port, pipe.a); connect(pipe.b, v.port);
        end M;""").simulate(6.0)
    flow, carried = result["pipe.a.m"], result["carried"]
    assert np.allclose(carried[flow > 1e-3], 5)
    assert np.allclose(carried[flow < -1e-3], 8)
    assert (flow > 1e-3).any()
    assert (flow < -1e-3).any()
