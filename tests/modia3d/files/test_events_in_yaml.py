"""When clauses, assertions and clocks in YAML are those of Python."""

from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario
from modiapy import SimulationError

SCENARIO = """
modia3d: 1
simulation: {stop_time: 1.0, interval: 0.01}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  ball:
    Model:
      e: 0.7
      h: {Var: {init: 1.0}}
      v: {Var: {init: 0.0}}
      n: {Var: {init: 0, type: Integer}}
      big: {Var: {init: 0, type: Integer}}
      fast: {Clock: 0.1}
      slow: {Clock: {interval: fast, factor: 2}}
      hs: {Var: {init: 0.0}}
      ticks: {Var: {init: 0.0}}
      equations:
        - der(h) = v
        - der(v) = -9.81
        - When:
            condition: h < 0
            equations: ["reinit(v, -e*pre(v))", "n = pre(n) + 1"]
            elsewhen:
              - ["v > 2", ["big = pre(big) + 1"]]
        - Assert: {condition: h < LIMIT, message: out of the hall}
        - hs = sample(h, fast)
        - ticks = previous(ticks) + sample(1, slow)
"""


def scenario(folder: Path, limit: float) -> Path:
    file = folder / "ball.yaml"
    file.write_text(SCENARIO.replace("LIMIT", str(limit)))
    return file


def test_events_and_clocks(tmp_path: Path) -> None:
    result = read_scenario(scenario(tmp_path, 2.0)).instantiate().simulate(1.0)
    assert (result["ball.n"][-1], result["ball.big"][-1], result["ball.ticks"][-1]) == (1, 1, 6)
    fall = np.sqrt(2 / 9.81)
    s, speed = 1.0 - fall, 0.7 * 9.81 * fall
    assert result["ball.h"][-1] == pytest.approx(speed * s - 0.5 * 9.81 * s**2, abs=1e-4)
    row = np.flatnonzero(np.isclose(result.time, 0.9, rtol=0, atol=1e-9))[-1]
    assert result["ball.hs"][row] == pytest.approx(result["ball.h"][row])


def test_an_assertion(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="out of the hall") as error:
        read_scenario(scenario(tmp_path, 0.5)).instantiate().simulate(1.0)
    assert error.value.path == "ball"
