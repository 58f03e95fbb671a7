"""Tables, choices, repetition and texts in YAML are those of Python."""

from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario
from modiapy import ModiaError

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


REPLACED = """
modia3d: 1
simulation: {stop_time: 1.0}
definitions:
  Grows: {Model: {x: {Var: {init: 1.0}}, equations: ["der(x) = 2"]}}
  Plant: {Model: {part: {Model: {x: {Var: {init: 1.0}}, equations: ["der(x) = -x"]}}}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  plant: {Plant: {NAME: {redeclare: {Grows: {x: {init: 3.0}}}}}}
"""


def test_a_submodel_is_replaced_in_a_scenario(tmp_path: Path) -> None:
    file = tmp_path / "plant.yaml"
    file.write_text(REPLACED.replace("NAME", "part"))
    result = read_scenario(file).instantiate().simulate(1.0)
    np.testing.assert_allclose(result["plant.part.x"], 3.0 + 2.0 * result.time)
    file.write_text(REPLACED.replace("NAME", "prt"))
    with pytest.raises(ModiaError, match="unknown key 'prt' in Plant") as error:
        read_scenario(file)
    assert error.value.line == 9
    file.write_text(REPLACED.replace("NAME", "part").replace("{Grows: {x: {init: 3.0}}}", "[1, 2]"))
    with pytest.raises(ModiaError, match="redeclare") as error:
        read_scenario(file)
    assert error.value.line == 9


INITIAL = """
modia3d: 1
simulation: {stop_time: 1.0}
definitions:
  Tank: {Model: {h: {Var: {start: 1.0}}, equations: ["der(h) = 1 - h"]}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  a: {Tank: {initial_equations: ["der(h) = 0.5"]}}
  b: {Tank: {}}
"""


def test_a_definition_gets_initial_equations(tmp_path: Path) -> None:
    file = tmp_path / "tanks.yaml"
    file.write_text(INITIAL)
    result = read_scenario(file).instantiate().simulate(1.0)
    assert (result["a.h"][0], result["b.h"][0]) == (0.5, 1.0)
    file.write_text(INITIAL.replace('["der(h) = 0.5"]', '"der(h) = 0.5"'))
    with pytest.raises(ModiaError, match=r"tanks.yaml:8:33: a: 'initial_equations' is wrong.*a list of equations"):
        read_scenario(file)


def test_a_name_of_several_libraries_is_refused_with_both(tmp_path: Path) -> None:
    file = tmp_path / "tanks.yaml"
    file.write_text(INITIAL.replace("b: {Tank: {}}", "b: {Damper: {}}"))
    with pytest.raises(
        ModiaError, match=r"'Damper' is not known here.*Write planar.Damper or rotational.Damper or translational.Damper"
    ):
        read_scenario(file)
