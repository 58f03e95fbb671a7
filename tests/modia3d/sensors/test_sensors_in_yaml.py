"""All sensors in a scenario: the same variables as in Python, known to equations and recorded."""

from pathlib import Path

import pytest

from modia3d import (
    AbsoluteSensor,
    CutForce,
    CutForceAndTorque,
    CutTorque,
    Distance,
    EnergySensor,
    GravitySensor,
    Model3D,
    Object3D,
    PowerSensor,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    UniformGravity,
    WorldForce,
)
from modia3d.files import read_scenario
from modiapy import Var, instantiate, read_result

from ..scenes import body, world

pytestmark = pytest.mark.white_box

YAML = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: -y}}}}}}
  arm: {Object3D: {feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]},
        mass_properties: {MassProperties: [1, [0.3, 0, 0], 0.1, 0.1, 0.1]}}}}}
  tip: {Object3D: {parent: arm, translation: [0.6, 0, 0], rotation: [0.1, 0.2, 0.3]}}
  rod: {Object3D: {feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]},
        mass_properties: {MassProperties: [1, [0.2, 0.1, 0], 0.1, 0.1, 0.1]}}}}}
  rev: {RevoluteWithFlange: {obj1: world, obj2: arm, axis: z, w: {Var: {init: 1}}}}
  hinge: {Revolute: {obj1: tip, obj2: rod, axis: [1, 1, 0], w: 0.5}}
  push: {WorldForce: {obj: rod, force: ["sin(time)", 1, "-0.1*absolute.v.z"]}}
  absolute: {AbsoluteSensor: {obj: rod, resolved_in: tip, quantities: [r, v, w, a, z, R, angles, quaternion]}}
  relative: {RelativeSensor: {obj1: tip, obj2: rod, resolved_in: world, quantities: [r, w]}}
  apart: {Distance: {obj1: world, obj2: rod}}
  both: {CutForceAndTorque: {at: hinge, resolved_in: tip}}
  pull: {CutForce: tip}
  bend: {CutTorque: {at: rev, resolved_in: ""}}
  g: {GravitySensor: {}}
  energy: {EnergySensor: {}}
  all: {PowerSensor: {}}
  one: {PowerSensor: push}
  x: {Var: "sum_of_all + der(apart.s) + der(relative.w.y)"}
  sum_of_all: {Var: "energy.kinetic + all.power + one.power + both.torque.x + pull.force.z + bend.torque.y + g.g.y"}
simulation: {stop_time: 0.5, tolerance: 1.0e-9}
"""


def test_scenario_and_python_agree(tmp_path: Path):
    file = tmp_path / "sensors.yaml"
    file.write_text(YAML)
    model = Model3D(
        world=world(UniformGravity(n="-y")),
        arm=body(center=(0.3, 0.0, 0.0)),
        tip=Object3D(parent="arm", translation=(0.6, 0.0, 0.0), rotation=(0.1, 0.2, 0.3)),
        rod=body(center=(0.2, 0.1, 0.0)),
        rev=RevoluteWithFlange("world", "arm", "z", w=Var(init=1.0)),
        hinge=Revolute("tip", "rod", (1.0, 1.0, 0.0), w=0.5),
        push=WorldForce("rod", ("sin(time)", 1, "-0.1*absolute.v.z")),
        absolute=AbsoluteSensor("rod", "tip", ("r", "v", "w", "a", "z", "R", "angles", "quaternion")),
        relative=RelativeSensor("tip", "rod", "world", ("r", "w")),
        apart=Distance("world", "rod"),
        both=CutForceAndTorque("hinge", "tip"),
        pull=CutForce("tip"),
        bend=CutTorque("rev", ""),
        g=GravitySensor(),
        energy=EnergySensor(),
        all=PowerSensor(),
        one=PowerSensor("push"),
        x=Var("sum_of_all + der(apart.s) + der(relative.w.y)"),
        sum_of_all=Var("energy.kinetic + all.power + one.power + both.torque.x + pull.force.z + bend.torque.y + g.g.y"),
    )
    read, written = (
        instantiate(made).simulate(0.5, tolerance=1e-9, interval=0.05) for made in (read_scenario(file).model, model)
    )
    sensors = ("absolute", "relative", "apart", "both", "pull", "bend", "g", "energy", "all", "one", "x", "sum_of_all")
    names = [name for name in written.signals() if name.partition(".")[0] in sensors]
    assert len(names) == len([name for name in read.signals() if name.partition(".")[0] in sensors]) > 60
    for name in names:
        assert read[name] == pytest.approx(written[name], rel=1e-9, abs=1e-12), name
    folder = tmp_path / "result.h5"
    simulation = instantiate(model)
    simulation.simulate(0.5, tolerance=1e-9, interval=0.05, output=folder)
    stored = read_result(folder, simulation)
    assert stored["mechanics.power"] == pytest.approx(written["all.power"], abs=1e-9)
    assert stored["hinge.cut_force"] == pytest.approx(written["hinge.cut_force"], abs=1e-9)
