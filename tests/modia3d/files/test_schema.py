"""The JSON Schema takes what is shipped and refuses the misspelt keys that the reader refuses."""

import copy
import json
import random
from pathlib import Path

import jsonschema
import pytest
import yaml

from modia3d.batch.study_schema import study_schema
from modia3d.cli.main import main
from modia3d.files import read_scenario
from modia3d.files.registry import actions, constructors
from modia3d.files.schema import scenario_schema
from modia3d.files.yaml_tree import read_tree
from modiapy import ModiaError

from ..crane import CRANE

pytestmark = pytest.mark.white_box

FOLDER = Path(__file__).parents[3] / "scenarios"
FILES = sorted(FOLDER.glob("*/*.yaml"))
STUDIES = [file for file in FILES if "modia3d_study:" in file.read_text()]
SCENARIOS = [file for file in FILES if file not in STUDIES and "modia3d_task:" not in file.read_text()]


@pytest.fixture(scope="module")
def schema():
    made = scenario_schema()
    jsonschema.Draft7Validator.check_schema(made)
    return jsonschema.Draft7Validator(made)


def problems(schema, data):
    return [f"{list(error.absolute_path)}: {error.message[:200]}" for error in schema.iter_errors(data)]


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_shipped_scenarios_fit(schema, file):
    assert problems(schema, read_tree(file).plain()) == []


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_shipped_studies_fit_and_misspelt_keys_do_not(file):
    made = study_schema()
    jsonschema.Draft7Validator.check_schema(made)
    schema, data = jsonschema.Draft7Validator(made), read_tree(file).plain()
    assert problems(schema, data) == []
    for way in ways(data):
        if way[-1] not in data.get("quantities", {}) | data.get("factors", {}) | data.get("expect", {}) | data.get(
            "derived", {}
        ):
            assert problems(schema, misspelt(data, way)), way


def ways(data, here=()):
    """The ways to all keys."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        if isinstance(data, dict):
            yield (*here, key)
        yield from ways(value, (*here, key))


def misspelt(data, way):
    """The data with one letter of a key twice."""
    new = inner = copy.deepcopy(data)
    for key in way[:-1]:
        inner = inner[key]
    bad = way[-1] + way[-1][-1]
    items = [(bad if key == way[-1] else key, value) for key, value in inner.items()]
    inner.clear()
    inner.update(items)
    return new


def refused(folder, data, key):
    """Whether the reader refuses a key."""
    file = folder / "misspelt.yaml"
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    try:
        read_scenario(file)
    except ModiaError as error:
        return f"unknown key '{key}'" in str(error) or f"'{key}' is not known here" in str(error)
    return False


@pytest.mark.parametrize("name", ["bin", "brake_and_stop"])
def test_misspelt_keys_of_shipped_scenarios(tmp_path, name):
    file = FOLDER / name / f"{name}.yaml"
    schema, data = jsonschema.Draft7Validator(scenario_schema(file)), read_tree(file).plain()
    assert problems(schema, data) == []
    checked = 0
    for way in random.Random(1).sample(list(ways(data)), 30):
        changed = misspelt(data, way)
        if refused(tmp_path, changed, way[-1] + way[-1][-1]):
            checked += 1
            assert problems(schema, changed), way
    assert checked > 15


PLAIN = CRANE.replace("definitions:\n  Part:\n    Solid:\n", "").replace(
    "{Part: {}}", "{Solid: {shape: {Box: [0.2, 0.1, 0.1]}}}"
)
PLAIN = "\n".join(line for line in PLAIN.splitlines() if not line.startswith("      "))


def test_without_definitions_every_name_must_be_known(schema, tmp_path):
    data = yaml.safe_load(PLAIN.replace("pi/2", "1.5"))
    assert problems(schema, data) == []
    checked = 0
    for way in ways(data):
        changed = misspelt(data, way)
        if refused(tmp_path, changed, way[-1] + way[-1][-1]):
            checked += 1
            assert problems(schema, changed), way
    assert checked > 60


WRONG = {
    "number": ("mass_properties: {MassPropertiesFromShapeAndMass: {mass: 2.0}}", "mass_properties: {Box: [1, 1, 1]}"),
    "boolean": ("parent: world, lockable: true", "parent: world, lockable: [1, 2]"),
    "vector": ("translation: [0, 1, 0]", "translation: 1"),
    "too many": ("{Box: [0.2, 0.1, 0.1]}", "{Box: [0.2, 0.1, 0.1, 4]}"),
    "equation": ("  connect:\n", "  equations: [1]\n  connect:\n"),
    "connection": ("- [drive.flange, joint.flange]", "- drive.flange"),
    "action": ("- EventAfterPeriod: 1.0", "- EventAfterPeriod: {periode: 1.0}"),
    "step": ("- EventAfterPeriod: 1.0", "- repeat: {time: 3, do: []}"),
    "stop": ("stop_time: 2.0", "stop_time: two"),
    "tolerance": ("interval: 0.05", "tolerance: 2"),
    "version": ("modia3d: 1", "modia3d: 2"),
    "missing": ("simulation: {stop_time: 2.0, interval: 0.05}\n", ""),
    "definition": ("definitions:\n  Part:", "definitions:\n  Box:"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_wrong_types(schema, mistake):
    old, new = WRONG[mistake]
    assert old in CRANE
    assert problems(schema, yaml.safe_load(CRANE)) == []
    assert problems(schema, yaml.safe_load(CRANE.replace(old, new)))


def test_editors_find_every_name_with_its_text(schema):
    made = schema.schema["definitions"]
    assert set(made["call"]["properties"]) == set(constructors())
    assert set(made["step"]["properties"]) == {"For", *actions()}
    frame = made["arguments.Object3D"]
    assert "written Object3D by the user" in frame["description"]
    by_name = frame["anyOf"][0]["properties"]
    assert by_name["translation"]["description"] == "p_PF_P [m]."
    assert made["changes.rotational.Damper"]["description"].startswith("Linear damper")
    undescribed = [
        f"{name}.{field}"
        for name in constructors()
        for field, said in made.get(f"arguments.{name}", {}).get("anyOf", [{}])[0].get("properties", {}).items()
        if not said.get("description")
    ]
    assert undescribed == []


def test_units_turns_and_repeated_connections(schema):
    text = CRANE.replace("stop_time: 2.0", "stop_time: 2 min").replace("rotation: [0, pi/2, 0]", "rot: {y: 90 deg}")
    text = text.replace("  connect:\n", "  connect:\n    - {For: {index: i, count: 2, equations: ['connect(a[i], b[i])']}}\n")
    assert problems(schema, yaml.safe_load(text)) == []


def test_included_files_and_robots(schema, tmp_path):
    (tmp_path / "parts.yaml").write_text("modia3d: 1\ndefinitions: {Wall: {Solid: {shape: {Box: [1, 1, 1]}}}}\n")
    assert problems(schema, read_tree(tmp_path / "parts.yaml").plain()) == []
    including = yaml.safe_load(
        CRANE.replace("definitions:", "include: [parts.yaml]\ndefinitions:", 1).replace("{Part: {}}", "{Wall: {}}")
    )
    (tmp_path / "all.yaml").write_text(yaml.safe_dump(including))
    for known in (schema, jsonschema.Draft7Validator(scenario_schema(tmp_path / "all.yaml"))):
        assert problems(known, including) == []
        assert (
            problems(known, including | {"include": [{"Robot": {"file": "a.urdf", "flanges": "all", "positions": {"a": 1}}}]})
            == []
        )
        for alone in ("parts.yaml", {"Robot": "a.urdf"}):
            assert problems(known, including | {"include": alone}) == problems(known, including | {"include": [alone]})
        assert problems(known, including | {"include": 3})
        assert problems(known, including | {"include": [{"Robot": {"file": "a.urdf", "flange": "all"}}]})
        assert problems(known, including | {"include": [{"Robot": {"file": "a.urdf", "floating": "all"}}]})


def test_the_command(tmp_path, capsys):
    scenario, output = tmp_path / "crane.yaml", tmp_path / "crane.schema.json"
    scenario.write_text(CRANE)
    assert main(["schema", str(scenario), "-o", str(output)]) == 0
    made = jsonschema.Draft7Validator(json.loads(output.read_text()))
    assert problems(made, yaml.safe_load(CRANE)) == []
    assert problems(made, yaml.safe_load(CRANE.replace("{Part: {}}", "{Pert: {}}")))
    capsys.readouterr()
    assert main(["schema", "--study"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Study of modia3d"
    assert main(["schema", str(scenario), "-o", str(scenario)]) == 2
    assert "would overwrite the scenario" in capsys.readouterr().err
    assert scenario.read_text() == CRANE
    assert main(["schema", str(tmp_path / "none.yaml")]) == 2
