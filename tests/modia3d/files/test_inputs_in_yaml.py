"""Inputs over time from files and scenarios, through the command line: a mass is pushed, a vector and a number are kept."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from modia3d.batch import Study, run_study
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modia3d.files.schema import scenario_schema
from modiapy import ModiaError, Result, read_result

pytestmark = pytest.mark.white_box

SCENARIO = """\
modia3d: 1
model:
  world: {{Object3D: {{feature: {{Scene: {{gravity: {{NoGravity: {{}}}}}}}}}}}}
  m: 2.0
  force: {{Var: {{input: true, start: 0.0, unit: N}}}}
  wind: {{Var: {{input: true, start: [0.0, 0.0]}}}}
  on: {{Var: {{input: true, type: Boolean, start: false}}}}
  x: {{Var: {{init: 0.0}}}}
  v: {{Var: {{init: 0.0}}}}
  y: {{Var: {{init: [0.0, 0.0]}}}}
  kept: {{Var: {{}}}}
  equations:
    - der(x) = v
    - m*der(v) = force
    - der(y) = wind
    - kept = 1 if on else 0
{inputs}
simulation: {{stop_time: 2.0, interval: 0.1, tolerance: 1e-9}}
"""
RAMP = "time,force\n0,0\n1,4\n2,4\n"
"""A force that rises for one second: x(2) = 1/3 + 1 + 1."""
PUSHED = 1.0 / 3.0 + 1.0 + 1.0


def written(folder: Path, inputs: str = "", **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    scenario = folder / "pushed.yaml"
    scenario.write_text(SCENARIO.format(inputs=inputs))
    return scenario


def ran(folder: Path, scenario: Path, *options: str) -> Result:
    out = folder / "pushed.h5"
    assert main(["run", str(scenario), "--json", "--output", str(out), *options]) == 0
    return read_result(out)


IN_PLACE = {
    "points": "inputs:\n  force: {times: [0, 1, 2], values: [0, 4, 4]}",
    "units": "inputs:\n  force: {times: [0, 1000 ms, 2], values: [0, 0.004 kN, 4]}",
    "file of all": "inputs: ramp.csv",
    "file of one": "inputs:\n  force: {file: ramp.csv}",
    "file with units": "inputs: units.csv",
}


@pytest.mark.parametrize("inputs", IN_PLACE.values(), ids=IN_PLACE)
def test_a_scenario_has_its_inputs(inputs: str, tmp_path: Path) -> None:
    units = "time [ms],force [kN]\n# a remark\n0,0\n\n1000,0.004\n2000,0.004\n"
    result = ran(tmp_path, written(tmp_path, inputs, ramp=RAMP, units=units))
    assert result["x"][-1] == pytest.approx(PUSHED, abs=1e-7)


def test_the_command_line_gives_others(tmp_path: Path) -> None:
    scenario = written(tmp_path, "inputs: {force: 1.0}", ramp=RAMP)
    assert ran(tmp_path, scenario)["x"][-1] == pytest.approx(1.0, abs=1e-7)
    assert ran(tmp_path, scenario, "--inputs", str(tmp_path / "ramp.csv"))["x"][-1] == pytest.approx(PUSHED, abs=1e-7)
    steps = ran(tmp_path, scenario, "--inputs", str(tmp_path / "ramp.csv"), "--interpolation", "constant")
    assert steps["x"][-1] == pytest.approx(1.0, abs=1e-7)  # nothing for a second, then 2 m/s2


@pytest.mark.parametrize("kind", ["linear", "constant", "akima", "monotone"])
def test_kinds_of_interpolation_are_those_of_python(kind: str, tmp_path: Path) -> None:
    times, values = [0.0, 0.5, 1.0, 1.5, 2.0], [0.0, 3.0, 1.0, 2.0, 2.0]
    inputs = f"inputs:\n  force: {{times: {times}, values: {values}, interpolation: {kind}}}"
    scenario = read_scenario(written(tmp_path, inputs))
    (series,) = scenario.instantiate().series.values()
    assert series.interpolation == kind
    text = "time,force\n" + "".join(f"{t},{v}\n" for t, v in zip(times, values, strict=True))
    plain = written(tmp_path, points=text)
    by_file = ran(tmp_path, plain, "--inputs", str(tmp_path / "points.csv"), "--interpolation", kind)
    result = ran(tmp_path, written(tmp_path, inputs))
    np.testing.assert_array_equal(by_file["x"], result["x"])
    assert result["force"][np.isclose(result.time, 0.7)][-1] == pytest.approx(series.at(0.7), abs=1e-12)


def test_truth_values_jump_and_arrays_have_a_column_for_each_element(tmp_path: Path) -> None:
    table = 'time,on,"wind[0]",wind[1]\n0,false,1,0\n1.5,true,1,2\n2,true,1,2\n'
    result = ran(tmp_path, written(tmp_path, "inputs: table.csv", table=table))
    assert result["kept"][result.time == 1.5].tolist() == [0.0, 1.0]
    np.testing.assert_allclose(result["y"][-1], [2.0, 0.5 * 1.5 * 2.0 + 0.5 * 2.0], atol=1e-7)


def test_a_table_that_was_written_is_an_input(tmp_path: Path) -> None:
    first = ran(tmp_path, written(tmp_path, "inputs: ramp.csv", ramp=RAMP))
    first.to_csv(tmp_path / "again.csv", ["force"])
    again = ran(tmp_path, written(tmp_path), "--inputs", str(tmp_path / "again.csv"))
    assert again["x"][-1] == pytest.approx(PUSHED, abs=1e-7)


WRONG = {
    "unknown": ("time,forec\n0,0\n", "bad.csv:1: forec: the model has no input 'forec'", "Did you mean 'force'?"),
    "no input": ("time,x\n0,0\n", "bad.csv:1: x: 'x' is no input of the model", "one of"),
    "nan": ("time,force\n0,0\n1,nan\n", "bad.csv:3: force: this is no number; found 'nan'", "Leave out the line"),
    "empty": ("time,force\n0,0\n1,\n", "bad.csv:3: force: this is no number; found nothing", "Leave out the line"),
    "text": ("time,force\n0,high\n", "bad.csv:2: force: this is no number; found 'high'", "a finite number"),
    "back": ("time,force\n0,0\n\n2,1\n1,1\n", "bad.csv:5: the time goes back; found 1.0 s after 2.0 s", "Sort the lines"),
    "thrice": (
        "time,force\n0,0\n1,1\n1,2\n1,3\n",
        "bad.csv:5: the same time stands in too many lines; found 1.0 s",
        "a jump",
    ),
    "ragged": (
        "time,force\n0,0\n1\n",
        "bad.csv:3: the line has another number of cells than the first",
        "2, as in line 1",
    ),
    "no names": ("0,0\n1,4\n", "bad.csv:1: the first line does not name the columns; found '0'", "time, then inputs"),
    "semicolons": ("time;force\n0;0\n", "bad.csv:1: the first line does not name the columns", "divided by commas"),
    "twice": ("time,force,force\n0,0,0\n", "bad.csv:1: there are two columns 'force'", ""),
    "no values": ("time,force\n", "bad.csv: the file of inputs has no values", "a line with a time"),
    "unit": ("time,force [m]\n0,0\n", "bad.csv:1: force: the unit of the column measures something else; found 'm'", "in N"),
    "no unit": ("time,force [Nn]\n0,0\n", "bad.csv:1: force: the unit of the column is not known; found 'Nn'", "Units are"),
    "unit of time": ("time [m],force\n0,0\n", "bad.csv:1: the unit of the time measures something else", "in s"),
    "half a vector": ("time,wind[0]\n0,0\n", "bad.csv:1: wind: there is no column 'wind[1]'", "Did you mean 'wind[0]'?"),
    "no truth": ("time,on\n0,2\n", "bad.csv:1: on: a value of an input of type Boolean is wrong; found 2.0", "0 or 1"),
    "binary": ("time,force\n0,\udcff\n", "bad.csv: the file of inputs cannot be read", "UTF-8"),
}


@pytest.mark.parametrize(("table", "place", "more"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("command", [["check"], ["run", "--json"]], ids=["check", "run"])
def test_a_wrong_file_is_one_message_with_its_line(
    command: list[str], table: str, place: str, more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = written(tmp_path)
    (tmp_path / "bad.csv").write_bytes(table.encode(errors="surrogateescape"))
    assert main([*command, str(scenario), "--inputs", str(tmp_path / "bad.csv")]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert f"{tmp_path}/{place}" in message
    assert more in message


WRONG_IN_YAML = {
    "unknown": ("  forec: 1.0", "the model has no input 'forec'", "Did you mean 'force'?"),
    "nan": ("  force: {times: [0, 1], values: [0, .nan]}", "", ""),
    "back": ("  force: {times: [1, 0], values: [0, 1]}", "the times of a time series do not increase", "Sort"),
    "sizes": ("  force: {times: [0, 1], values: [0]}", "the times and values of a time series do not fit", "n values"),
    "key": ("  force: {times: [0, 1], value: [0, 1]}", "unknown key 'value'", "Did you mean 'values'?"),
    "no values": ("  force: {times: [0, 1]}", "the input 'force' is wrong; found times", "times and values, or a file"),
    "kind": ("  force: {times: [0], values: [0], interpolation: cubic}", "interpolation of the input 'force'", "akima"),
    "unit": ("  force: 3 m", "the unit of the input 'force' measures something else", "in N"),
    "text": ("  force: high", "the input 'force' is wrong", "a number, or times with values"),
    "no file": ("  force: {file: none.csv}", "the file of inputs does not exist; found 'none.csv'", "an existing file"),
}


@pytest.mark.parametrize(("entry", "text", "more"), WRONG_IN_YAML.values(), ids=WRONG_IN_YAML)
def test_what_is_wrong_in_a_scenario_has_its_line(
    entry: str, text: str, more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = written(tmp_path, f"inputs:\n{entry}")
    assert main(["check", str(scenario)]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    line = next(k for k, each in enumerate(scenario.read_text().splitlines(), start=1) if each == entry)
    assert f"{scenario}:{line}" in message
    assert text in message
    assert more in message


def test_files_outside_of_the_folder_need_a_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "ramp.csv").write_text(RAMP)
    scenario = written(folder, "inputs: ../ramp.csv")
    assert main(["run", str(scenario)]) == 2
    assert "outside of the permitted folders" in capsys.readouterr().err
    assert ran(tmp_path, scenario, "--permit", str(tmp_path))["x"][-1] == pytest.approx(PUSHED, abs=1e-7)


def test_a_file_of_inputs_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, table = written(tmp_path, "inputs: ramp.csv", ramp=RAMP), str(tmp_path / "ramp.csv")
    assert main(["run", str(scenario), "--output", table]) == 2
    assert "--output would overwrite the inputs of the scenario" in capsys.readouterr().err
    assert main(["run", str(written(tmp_path)), "--inputs", table, "--output", table]) == 2
    assert "--output would overwrite the inputs of the run" in capsys.readouterr().err
    assert Path(table).read_text() == RAMP


def test_studies_pickles_and_snapshots_have_the_inputs(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path, "inputs: ramp.csv", ramp=RAMP))
    study = Study(scenario, factors={"m": {"list": [1.0, 2.0]}}, quantities={"x": "final(x)"})
    found = run_study(study, tmp_path / "study", workers=0).table(["x"])
    assert sorted(found["x"].to_pylist()) == pytest.approx([PUSHED, 2 * PUSHED], abs=1e-6)
    simulation = scenario.instantiate()
    copied = pickle.loads(pickle.dumps(simulation))
    assert copied.simulate(2.0, tolerance=1e-9)["x"][-1] == pytest.approx(PUSHED, abs=1e-6)
    simulation.simulate(1.0, tolerance=1e-9)
    simulation.save(tmp_path / "half.snapshot")
    simulation.restore(tmp_path / "half.snapshot")
    assert simulation.simulate(2.0)["x"][-1] == pytest.approx(PUSHED, abs=1e-6)
    assert simulation.simulate(2.0, tolerance=1e-9, inputs={"force": 1.0})["x"][-1] == pytest.approx(1.0, abs=1e-6)


def test_the_schema_knows_inputs(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from modia3d.files.yaml_tree import read_tree

    schema = scenario_schema()
    for inputs in IN_PLACE.values():
        jsonschema.validate(read_tree(written(tmp_path, inputs)).plain(), schema)
    for wrong in (
        "  force: {times: [0, 1]}",
        "  force: {file: a.csv, kind: linear}",
        "  force: {file: a.csv, interpolation: b}",
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(read_tree(written(tmp_path, f"inputs:\n{wrong}")).plain(), schema)


def test_interpolation_needs_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(written(tmp_path)), "--interpolation", "akima"]) == 2
    assert "expected --inputs FILE.csv" in capsys.readouterr().err
    with pytest.raises(ModiaError, match="no input"):
        read_scenario(written(tmp_path, "inputs: {no: 1.0}")).instantiate()
