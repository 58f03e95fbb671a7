"""Which signals a result has: in memory and from a file the same, without what only the engine works with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.cli.main import main
from modia3d.files import read_scenario
from modiapy import ModelError, read_result

pytestmark = pytest.mark.white_box

SCENARIO = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  link: {Object3D: {feature: {Solid: {shape: {Box: [1, 0.1, 0.1]}, solid_material: Steel}}}}
  tip: {Object3D: {parent: link, translation: [0.5, 0, 0]}}
  top: {Object3D: {parent: link, translation: [-0.5, 0, 0]}}
  rev: {RevoluteWithFlange: {obj1: world, obj2: top, axis: y, phi: {Var: {init: 0.3}}}}
  drive: {rotational.Damper: {d: 0.1}}
  fixed: {rotational.Fixed: {}}
  connect: [[rev.flange, drive.flange_b], [drive.flange_a, fixed.flange]]
actions:
  - ActionWait: 0.05
simulation: {stop_time: 0.2, interval: 0.02}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "pendulum.yaml").write_text(SCENARIO)
    return tmp_path / "pendulum.yaml"


def test_a_file_gives_the_signals_of_the_result_in_memory(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Energies, frames without looks and forces are computed from the scenario in the file, wherever that is now."""
    sim = read_scenario(file).instantiate()
    there = sim.simulate(0.2, interval=0.02, output=file.with_suffix(".h5"))
    memory = sim.simulate(0.2, interval=0.02)
    known = set(memory.signals())
    assert known == set(there.signals())
    assert {"mechanics.kinetic_energy", "tip.r_abs", "tip.v_abs", "rev.phi", "rev.cut_force"} <= known
    assert not [name for name in known if name.split(".")[0] == "mechanics" and name.split(".")[1] in ("token", "done", "f0")]
    assert "mechanics.f0" in memory  # found by name all the same: the engine reads it so
    file.rename(file.with_suffix(".moved"))
    stored = read_result(file.with_suffix(".h5"))
    assert set(stored.signals()) == known
    assert set(stored.scalar_signals()) == set(memory.scalar_signals())
    for name in ("mechanics.kinetic_energy", "tip.v_abs", "rev.cut_force", "tip.r_abs"):
        np.testing.assert_allclose(stored[name], memory[name], rtol=1e-12, atol=1e-12)
        assert stored.shape(name) == memory.shape(name)
    assert stored.animate().bodies

    assert main(["signals", str(file.with_suffix(".h5")), "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows.keys() == known
    assert rows["tip.r_abs"] == {"name": "tip.r_abs", "unit": "m", "shape": [3]}
    assert rows["tip.R_abs"]["shape"] == [3, 3]
    assert rows["rev.phi"]["unit"] == "rad"
    assert main(["signals", str(file.with_suffix(".h5")), "tip.*", "mechanics.kinetic_energy"]) == 0
    text = capsys.readouterr().out.splitlines()
    assert [line.split() for line in text if line.startswith(("tip.v_abs", "mechanics"))] == [
        ["tip.v_abs", "3", "m/s"],
        ["mechanics.kinetic_energy", "1", "J"],
    ]
    assert main(["signals", str(file.with_suffix(".h5")), "nothing"]) == 2
    assert "there is no signal 'nothing'" in capsys.readouterr().err


def test_a_scenario_lists_what_its_result_has(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["signals", str(file), "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert set(names) == set(read_scenario(file).instantiate().simulate(0.01).signals())
    assert main(["signals", str(file.with_name("missing.yaml"))]) == 2
    assert main(["signals", str(file.with_name("missing.h5"))]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_scenario_that_is_another_model_now_is_not_used(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the file itself is there; what is not says why."""
    sim = read_scenario(file).instantiate()
    sim.simulate(0.2, interval=0.1, output=file.with_suffix(".h5"))
    import modia3d.files

    other = file.with_name("other.yaml")
    other.write_text(SCENARIO.replace("[1, 0.1, 0.1]", "[2, 0.1, 0.1]"))
    monkeypatch.setattr(modia3d.files, "model_of", lambda origin: read_scenario(other).instantiate())
    stored = read_result(file.with_suffix(".h5"))
    assert stored["link.r_abs"].shape[1:] == (3,)
    assert "rev.phi" in stored.signals()
    with pytest.raises(ModelError, match=r"read_result\(file, sim\).*scenario cannot be used.*another model"):
        stored["mechanics.kinetic_energy"]


def test_a_stepper_tells_logs_and_tables_while_it_runs(file: Path) -> None:
    sim = read_scenario(file).instantiate()
    whole = sim.simulate(0.2, interval=0.02)
    with sim.stepper(0.2, interval=0.02) as stepper:
        stepper.step(until=0.1)
        log = [dict(entry) for entry in stepper.result.program_log]
        assert log == [dict(entry) for entry in whole.program_log if entry["time"] <= 0.1] != []
        statistics = dict(stepper.result.statistics)
        assert 0 < statistics["steps"] <= whole.statistics["steps"]
        stepper.finish()
        assert stepper.result.program_log == whole.program_log
        assert stepper.result.statistics["steps"] == whole.statistics["steps"] >= statistics["steps"]


BALL = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  floor: {Object3D: {parent: world, feature: {Solid: {shape: {Plane: y}, contact_material: Steel, collision: true}}}}
  ball: {Object3D: {parent: world, fixed_to_parent: false, translation: [0, 0.06, 0],
    feature: {Solid: {shape: {Sphere: 0.1}, solid_material: Steel, collision: true}}}}
simulation: {stop_time: 0.2, interval: 0.02}
"""


def test_a_stepper_tells_contacts_while_it_runs(tmp_path: Path) -> None:
    (tmp_path / "ball.yaml").write_text(BALL)
    sim: Any = read_scenario(tmp_path / "ball.yaml").instantiate()
    whole = sim.simulate(0.2, interval=0.02)
    assert whole.contacts
    with sim.stepper(0.2, interval=0.02) as stepper:
        stepper.step(until=0.03)
        assert stepper.result.contacts == []
        stepper.step(until=0.15)
        assert stepper.result.contacts[0]["begin"] == whole.contacts[0]["begin"]
