"""Numbers with units in scenarios: what they become, where, and what is refused."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from modia3d.files import read_scenario
from modiapy import ModiaError

SCENARIO = """\
modia3d: 1
definitions:
  Arm:
    Model:
      length: 1.0
      angle: {Par: {value: 0.0, unit: rad}}
      gap: {Par: {value: 1.0, unit: mm}}
      body: {Object3D: {feature: {Solid: {shape: {Box: [length, 0.05, 0.05]}, solid_material: Steel}}}}
      top: {Object3D: {parent: body, translation: ["-length/2", 0, 0]}}
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {n: "-z"}}}}}}
  arm: {Arm: {length: 0.8}}
  hinge: {RevoluteWithFlange: {obj1: world, obj2: arm.top, axis: y, phi: {Var: {init: 0.3}}}}
  motor: {rotational.ConstantSpeed: {w_fixed: 1.0}}
actions:
  - ActionWait: 0.1
  - wait_until: {condition: time > 3, timeout: 0.2}
  - retry: {times: 2, pause: 0.1, do: [{ActionWait: 0.1}]}
simulation: {stop_time: 2.0}
expect:
  final(hinge.phi): {value: 1.0, tolerance: 10}
"""


def read(folder: Path, old: str = "", new: str = "") -> Any:
    assert old in SCENARIO
    file = folder / "arm.yaml"
    file.write_text(SCENARIO.replace(old, new, 1))
    return read_scenario(file)


@pytest.mark.parametrize(
    ("old", "new", "path", "expected"),
    [
        ("{Arm: {length: 0.8}}", "{Arm: {length: 12 cm}}", "arm.length", 0.12),
        ("length: 1.0", "length: 2.5 km", "arm.length", 0.8),
        ("{length: 0.8}", "{angle: 90 deg}", "arm.angle.value", math.pi / 2),
        ("{length: 0.8}", "{gap: 3 cm}", "arm.gap.value", 30.0),
        ("{length: 0.8}", "{gap: {Par: {min: 1 cm}}}", "arm.gap.min", 10.0),
        ("value: 1.0, unit: mm", "value: 1 m, unit: mm", "arm.gap.value", 1000.0),
        ("init: 0.3", "init: -30 deg", "hinge.phi.init", -math.pi / 6),
        ("[length, 0.05, 0.05]", "[length, 5 cm, 2 in]", "arm.body.feature.shape.length_z", 0.0508),
        ("Box: [length, 0.05, 0.05]", "Sphere: 5 cm", "arm.body.feature.shape.diameter", 0.05),
        ('["-length/2", 0, 0]', '["-length/2", 3 mm, 0]', "arm.top.translation.1", 0.003),
        ("parent: body,", "parent: body, rotation: [0, 90 deg, 0],", "arm.top.rotation.1", math.pi / 2),
        ("w_fixed: 1.0", "w_fixed: 30 rpm", "motor.w_fixed", math.pi),
        ("w_fixed: 1.0", "w_fixed: 1e3 deg/s", "motor.w_fixed", 1e3 * math.pi / 180),
        ('{n: "-z"}', '{n: "-z", g: 100 cm/s^2}', "world.feature.gravity.g", 1.0),
        ("solid_material: Steel", "solid_material: {SolidMaterial: {density: 2 g/cm^3}}", 
         "arm.body.feature.solid_material.density", 2e3),
        ("phi: {Var: {init: 0.3}}}}", "phi: {Var: {init: 0.3}}}}\n  more: {Arm: {body: {translation: [0, 1 cm, 0]}}}",
         "more.body.translation.1", 0.01),
    ],
)  # fmt: skip
def test_a_quantity_becomes_a_number_in_the_unit_that_is_expected(
    tmp_path: Path, old: str, new: str, path: str, expected: float
) -> None:
    value: Any = read(tmp_path, old, new).model
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else value[name]
    assert value == pytest.approx(expected, rel=1e-12)
    assert isinstance(value, float)


def test_times_of_programs_and_settings(tmp_path: Path) -> None:
    assert read(tmp_path, "stop_time: 2.0", "stop_time: 5 min, interval: 20 ms").settings.stop_time == 300.0
    for old, new in (
        ("ActionWait: 0.1", "ActionWait: 100 ms"),
        ("timeout: 0.2", "timeout: 200 ms"),
        ("pause: 0.1", "pause: 100 ms"),
    ):
        plain, written = (repr(read(tmp_path, old, text).model["actions"]) for text in (old, new))
        assert plain == written
    assert read(tmp_path, "value: 1.0, tolerance", "value: 180 deg, tolerance").expect[0].value == pytest.approx(math.pi)


def test_other_values_have_units_too(tmp_path: Path) -> None:
    read(tmp_path)
    given = [
        "arm.length=12 cm",
        "hinge.phi.init=30 deg",
        "simulation.stop_time=1 min",
        "arm.gap=1 cm",
        "arm.top.translation=[1 cm, 0, 0]",
    ]
    scenario = read_scenario(tmp_path / "arm.yaml", overrides=given)
    model = scenario.model
    assert scenario.settings.stop_time == 60.0
    assert model["hinge"]["phi"]["init"] == pytest.approx(math.pi / 6)
    assert (model["arm"]["length"], model["arm"]["gap"]["value"], model["arm"]["top"]["translation"][0]) == (0.12, 10.0, 0.01)
    with pytest.raises(ModiaError, match=r"--set hinge.phi.init=3 cm: .*measures something else.*'3 cm'.*rad"):
        read_scenario(tmp_path / "arm.yaml", overrides=["hinge.phi.init=3 cm"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("init: 0.3", "init: 12 cm", r"arm.yaml:13:.*phi of RevoluteWithFlange measures something else; found '12 cm';.* rad"),
        ("{length: 0.8}", "{angle: 3 kg}", r"arm.yaml:12:.*Arm.angle measures something else; found '3 kg'; expected .* rad"),
        ('["-length/2", 0, 0]', "[90 deg, 0, 0]", r"arm.yaml:9:.*translation of Object3D.*'90 deg'.* m"),
        ("[length, 0.05, 0.05]", "[length, 5 kg, 0.05]", r"arm.yaml:8:.*length_y of Box.*'5 kg'.* m"),
        ("{length: 0.8}", "{angle: 90deg}", r"arm.yaml:12:.*Arm.angle is no number; found '90deg'. A blank stands.*: 90 deg"),
        ("{length: 0.8}", "{angle: 3 xyz}", r"arm.yaml:12:.*unit of Arm.angle is not known; found '3 xyz'.*90 deg"),
        ("{length: 0.8}", "{angle: 3 a**b}", r"arm.yaml:12:.*not known"),
        ("stop_time: 2.0", "stop_time: 2 m", r"arm.yaml:19:.*simulation.stop_time measures something else.*'2 m'"),
        ("stop_time: 2.0", "stop_time: 2s", r"stop_time"),
        ("pause: 0.1", "pause: 1 m", r"arm.yaml:18:.*pause of retry"),
        ("translation: [", "angular_velocity: [50 Hz, 0, 0], translation: [", r"'50 Hz'.*rad/s.*turn/s"),
    ],
)  # fmt: skip
def test_what_measures_something_else_is_refused_by_name(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(ModiaError) as caught:
        read(tmp_path, old, new)
    assert re.search(words, str(caught.value)), caught.value


def test_text_stays_text(tmp_path: Path) -> None:
    model = read(tmp_path, "model:\n", "model:\n  description: 3 m\n  name: {Par: {value: 3 m, type: String}}\n").model
    assert (model["description"], model["name"]["value"]) == ("3 m", "3 m")


def test_pint_is_imported_where_a_unit_is_written_only(tmp_path: Path) -> None:
    read(tmp_path)
    code = "import sys; from modia3d.files import read_scenario; read_scenario('arm.yaml', overrides=sys.argv[1:]); "
    code += "print('pint' in sys.modules)"
    for given, expected in (["arm.length=2"], "False"), (["arm.length=2 m"], "True"):
        done = subprocess.run([sys.executable, "-c", code, *given], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected
