"""Tables, choices, repetition and texts in YAML are those of Python."""

from pathlib import Path

import numpy as np

from modia3d.files.reader import read_scenario

SCENARIO = """
modia3d: 1
simulation: {stop_time: 2.0}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  part:
    Model:
      kind: {Par: {value: fast, choices: [slow, fast]}}
      curve: {Table1D: {data: [[0, 0], [1, 3], [2, 3]], extrapolation: hold}}
      area: {Table2D: [[[0, 0, 1], [0, 1, 2], [1, 3, 4]]]}
      p: [1.0, 2.0, 4.0]
      x: {Var: {shape: 3}}
      y: {Var: {}}
      z: {Var: "area(0.5, 0.5)"}
      k: {Var: "10 if kind == 'fast' else 1"}
      equations:
        - For: {index: i, count: 3, equations: ["x[i] = p[i]*time"]}
        - If: {condition: time > 1, equations: ["y = 7"], otherwise: ["y = curve(time)"]}
"""


def test_scenario_with_tables_and_choices(tmp_path: Path) -> None:
    file = tmp_path / "part.yaml"
    file.write_text(SCENARIO)
    result = read_scenario(file).instantiate().simulate(2.0)
    np.testing.assert_allclose(result["part.x"][-1], [2, 4, 8])
    t = result.time
    away = np.abs(t - 1) > 1e-9
    np.testing.assert_allclose(result["part.y"][away], np.where(t > 1, 7.0, 3 * t)[away])
    assert (result["part.z"][-1], result["part.k"][-1]) == (2.5, 10.0)
