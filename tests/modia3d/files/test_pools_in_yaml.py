"""Pools, parked assemblies and actions given together in a scenario, and on the command line."""

import json

import pytest

from modia3d import Pool
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import instantiate

pytestmark = pytest.mark.white_box

SCENARIO = """
modia3d: 1
definitions:
  Module:
    Model:
      body: {Object3D: {feature: {Solid: {shape: {Box: [0.4, 0.4, 0.4]}, solid_material: Aluminium}}, parked: true}}
      foot: {Object3D: {parent: body, translation: [0, 0, -0.2], rotation: [3.141592653589793, 0, 0], lockable: true}}
      head: {Object3D: {parent: body, translation: [0, 0, 0.2], lockable: true}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  dock: {Object3D: {parent: world, lockable: true}}
  pool: {Pool: {model: {Module: {}}, size: 3}}
actions:
  - ActionAdd: {frame: pool.m0.foot, attach_to: dock}
  - ActionWait: 0.5
  - together:
      - ActionAdd: {frame: pool.m1.body, relative_to: pool.m0.head, translation: [0, 0, 0.2]}
      - ActionAttach: [pool.m1.foot, pool.m0.head]
  - ActionAdd: {frame: pool.m2.foot, translation: [3, 0, 1.5], rotation: [3.141592653589793, 0, 0], velocity: [-3, 0, 0]}
  - ActionWait: 0.2
  - ActionDelete: {frame: pool.m0.body, park: true}
simulation: {stop_time: 1.0}
"""


def test_a_pool_in_a_scenario(tmp_path):
    file = tmp_path / "pool.yaml"
    file.write_text(SCENARIO)
    scenario = read_scenario(file)
    assert scenario.model["pool"] == Pool(scenario.model["pool"]["m0"], size=3)
    result = instantiate(scenario.model).simulate(1.0)
    assert [record.info["dof"] for record in result.segments] == [0, 0, 0, 6, 12]


def test_figures_of_an_impact_on_the_command_line(tmp_path, capsys):
    crash = SCENARIO.replace("velocity: [-3, 0, 0]}", "velocity: [0, 0, -2]}").replace("[3, 0, 1.5]", "[0, 0, 0.8]")
    crash = crash.replace("  - ActionWait: 0.2\n", "  - ActionAttach: [pool.m2.foot, pool.m1.head, impulse]\n")
    file = tmp_path / "crash.yaml"
    file.write_text(crash)
    assert main(["run", str(file), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["segments"][4]
    mass = 0.4**3 * 2700.0
    assert abs(record["energy_lost"] - 0.5 * mass * 4.0) < 1e-9 * mass
    assert abs(record["impulse_from_outside"][2] - 2.0 * mass) < 1e-9 * mass
    assert main(["run", str(file)]) == 0
    assert " J lost" in capsys.readouterr().out
