"""What ``modia3d new`` writes runs, holds what it expects, and fits the schema."""

from pathlib import Path

import jsonschema
import pytest

from modia3d.cli.main import main
from modia3d.files import read_scenario
from modia3d.files.schema import scenario_schema
from modia3d.files.starter import starters
from modia3d.files.yaml_tree import read_tree
from modiapy.simulation.results.quantities import Quantity

pytestmark = pytest.mark.white_box


@pytest.mark.parametrize("name", starters())
def test_a_starter_runs_and_holds_what_it_expects(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.yaml", "--template", name]) == 0
    assert "modia3d run mine.yaml" in capsys.readouterr().out
    text = (tmp_path / "mine.yaml").read_text()
    assert text.count("mine.yaml") == 3
    assert "{file}" not in text
    assert (
        list(jsonschema.Draft7Validator(scenario_schema("mine.yaml")).iter_errors(read_tree(Path("mine.yaml")).plain())) == []
    )
    scenario = read_scenario("mine.yaml")
    simulation = scenario.instantiate()
    result = simulation.simulate(scenario.settings.stop_time, interval=scenario.settings.interval)
    assert len(scenario.expect) == 2
    assert [expected.unmet(Quantity(expected.quantity).value(result)) for expected in scenario.expect] == ["", ""]


def test_the_arm_is_where_starting_means_to_begin(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new"]) == 0
    assert read_scenario("scenario.yaml").description == "An arm with one drive"
    capsys.readouterr()
    assert main(["new", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(starters())
    assert all(len(line.split()) > 4 for line in lines)


def test_nothing_is_overwritten(tmp_path, capsys):
    file = tmp_path / "a.yaml"
    file.write_text("mine")
    assert main(["new", str(file)]) == 2
    assert "there is such a file already" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert main(["new", str(tmp_path / "b.txt")]) == 2
    assert main(["new", str(tmp_path / "b.yaml"), "--template", "arn"]) == 2
    assert "'arm'" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "no" / "b.yaml")]) == 2
