"""Signal buses in YAML are those of Python, beside a mechanism too."""

from pathlib import Path

import numpy as np
import pytest

from modia3d.files import read_scenario
from modiapy import ModelError, instantiate

SCENARIO = """
modia3d: 1
simulation: {stop_time: 1.0, interval: 0.01}
definitions:
  Drive:
    Model:
      bus: {Bus: {angle: {Var: {unit: rad}}}}
      move: {rotational.Position: {}}
      sensor: {rotational.AngleSensor: {}}
      connect: [[bus.angle_ref, move.phi_ref], [move.flange, sensor.flange, bus.flange], [sensor.phi, bus.angle]]
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  link: {Object3D: {feature: {Solid: {shape: {Box: [1, 0.1, 0.1]}, solid_material: Steel}}}}
  joint: {RevoluteWithFlange: [world, link, z]}
  path: {Sine: {f: 0.5, phase: -pi/2, offset: 1.0}}
  bus: {Bus: {}}
  drive: {Drive: {}}
  connect:
    - [bus.axis1, drive.bus]
    - [path.y, bus.axis1.NAME]
    - [bus.axis1.flange, joint.flange]
"""


def test_a_joint_is_driven_over_a_bus(tmp_path: Path) -> None:
    file = tmp_path / "bus.yaml"
    file.write_text(SCENARIO.replace("NAME", "angle_ref"))
    result = instantiate(read_scenario(file).model).simulate(1.0)
    np.testing.assert_allclose(result["bus.axis1.angle"], 1 - np.cos(np.pi * result.time), atol=1e-6)
    np.testing.assert_array_equal(result["joint.phi"], result["drive.bus.angle"])


def test_a_name_that_nobody_writes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bus.yaml"
    file.write_text(SCENARIO.replace("NAME", "angle_reff"))
    with pytest.raises(ModelError, match=r"drive: nothing gives .*'drive.move.phi_ref'.*Did you mean 'angle_reff'"):
        instantiate(read_scenario(file).model)
