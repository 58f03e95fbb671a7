"""Studies in YAML: what may stand there, and what is said where something else does."""

import math
from pathlib import Path

import pytest

from modia3d.batch import read_study
from modia3d.files import read_scenario
from modiapy import ModiaError

ROOT = Path(__file__).parents[3]
SCENARIO = """modia3d: 1
model:
  gain: 2.0
  part: {Model: {k: 3.0}}
  x: {Var: {init: 1.0}}
  equations: ["der(x) = -gain*part.k*x"]
simulation: {stop_time: 0.5, tolerance: 1.0e-8}
expect:
  final(x): {at_most: 1}
"""
STUDY = """modia3d_study: 1
scenario: decay.yaml
factors:
  k: {path: part.k, uniform: [1, 2]}
  gain: {list: [1, 2]}
sampling: {method: sobol, samples: 4, seed: 3}
quantities:
  x: final(x)
  scaled: k*final(x)
expect:
  x: {at_least: 0}
  minimum(x): {value: 0.5, tolerance: 0.5}
limits: {wall_time: 10, memory: 300, retries: 1}
"""


def written(folder: Path, study: str = STUDY, scenario: str = SCENARIO) -> Path:
    (folder / "decay.yaml").write_text(scenario)
    file = folder / "study.yaml"
    file.write_text(study)
    return file


def test_a_study_is_read(tmp_path: Path) -> None:
    study = read_study(written(tmp_path))
    assert study.design.runs == 8
    assert study.paths == {"k": ("part.k",), "gain": ("gain",)}
    assert (study.sampling.method, study.limits.retries) == ("sobol", 1)
    assert [e.quantity for e in study.expectations(0)] == ["x", "minimum(x)"]
    assert study.models[0].settings.tolerance == 1e-8


def test_factors_have_units(tmp_path: Path) -> None:
    scenario = SCENARIO.replace("part: {", "rod: {Model: {d: {Par: {value: 5, unit: mm}}, l: 1 m}}\n  part: {")
    factors = "  d: {path: rod.d, grid: [1 cm, 2 cm, 3]}\n  rod.l: {uniform: [10 cm, 2]}\n  gain: {list: [1, 2 rpm]}\n"
    sampled = STUDY.replace(
        "  k: {path: part.k, uniform: [1, 2]}\n  gain: {list: [1, 2]}\n", factors + "  k: {path: part.k, list: [1]}\n"
    )
    study = read_study(written(tmp_path, sampled, scenario))
    assert study.factors["d"].given == pytest.approx([10, 20, 3])
    assert study.factors["rod.l"].given == pytest.approx([0.1, 2])
    assert study.factors["gain"].given == pytest.approx([1, 2 * math.pi / 30])
    wrong = sampled.replace("[1 cm, 2 cm", "[1 cm, 2 kg")
    with pytest.raises(ModiaError, match=r"study.yaml:4:.*unit of factor 'd' measures something else; found '2 kg'.*in mm"):
        read_study(written(tmp_path, wrong, scenario))


def test_what_a_scenario_expects_holds_where_no_factor_makes_it_another_one(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, "modia3d_study: 1\nscenario: decay.yaml\nexpect: {segments(): 1}\n"))
    assert [e.quantity for e in study.expectations(0)] == ["final(x)", "segments()"]


def test_arguments_of_simulate_and_patterns(tmp_path: Path) -> None:
    text = STUDY.replace("scenario: decay.yaml", 'scenarios: ["*.yaml"]\nsimulation: {tolerance: 1.0e-4}')
    (tmp_path / "other.yaml").write_text(SCENARIO)
    study = read_study(written(tmp_path, text))
    assert [(each.name, each.settings.tolerance) for each in study.models] == [("decay", 1e-4), ("other", 1e-4)]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("sampling:", "samplign:", 6, "Did you mean 'sampling'"),
        ("uniform: [1, 2]", "unifrom: [1, 2]", 4, "Did you mean 'uniform'"),
        ("uniform: [1, 2]", "uniform: [2, 1]", 4, r"expected \[low, high\]"),
        ("part.k", "part.kk", 4, "'part' has no 'kk'"),
        ("gain: {list", "gian: {list", 5, "Did you mean 'gain'"),
        ("final(x)\n  scaled", "finl(x)\n  scaled", 8, "Did you mean 'final'"),
        ("k*final(x)", "l*final(x)", 9, "not one number"),
        ("at_least: 0", "at_lest: 0", 11, "Did you mean 'at_least'"),
        (
            "minimum(x): {value: 0.5, tolerance: 0.5}",
            "minimum(x): {tolerance: 0.5}",
            12,
            "the expectation of a quantity has no value and no bounds",
        ),
        ("value: 0.5, tolerance: 0.5", "value: 0.5, tolerance: true", 12, "tolerance of 'minimum.x.' is wrong; found True"),
        ("memory: 300", "memory: much", 13, "a number, more than 0"),
        ("retries: 1", "retry: 1", 13, "Did you mean 'retries'"),
        ("method: sobol", "method: sobel", 6, "one of random, latin_hypercube, sobol"),
        ("seed: 3", "seed: 3.5", 6, "whole number"),
        ("decay.yaml", "decoy.yaml", 2, "there is no file"),
        ("decay.yaml", "../decay.yaml", 2, "outside of the permitted folders"),
        ("modia3d_study: 1", "modia3d_study: 2", 1, "version"),
    ],
)
def test_mistakes_have_file_and_line(tmp_path: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in STUDY
    with pytest.raises(ModiaError, match=message) as error:
        read_study(written(tmp_path, STUDY.replace(old, new)))
    assert Path(error.value.file).name == "study.yaml"
    assert error.value.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  final(x): {at_mst: 1}", "Did you mean 'at_most'"),
        ("  final(x): [1]", "a number"),
        ("  finl(x): 1", "Did you mean 'final'"),
        ("  x: 1", "at each time"),
    ],
)
def test_mistakes_in_what_scenarios_expect(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "decay.yaml"
    file.write_text(SCENARIO.replace("  final(x): {at_most: 1}", text))
    with pytest.raises(ModiaError, match=message) as error:
        read_scenario(file)
    assert error.value.line == 9


def test_what_a_scenario_expects_is_read(tmp_path: Path) -> None:
    scenario = read_scenario(written(tmp_path).with_name("decay.yaml"))
    (expected,) = scenario.expect
    assert (expected.quantity, expected.at_most) == ("final(x)", 1)
    assert expected.unmet(math.exp(-3.0)) == ""


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "scenarios" / "studies").glob("*.yaml")))
def test_shipped_studies_are_read(name: str) -> None:
    study = read_study(ROOT / "scenarios" / "studies" / name, [ROOT / "scenarios"])
    assert len(study.description) > 40
    assert study.design.runs == {"two_stage_rocket": 1000, "walking_robot": 200}.get(study.name, len(study.models))
