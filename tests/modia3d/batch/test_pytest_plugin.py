"""Scenarios with ``expect:`` are collected as tests, where a pattern asks for it."""

from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]
SCENARIO = """modia3d: 1
model:
  world: {{Object3D: {{feature: {{Scene: {{}}}}}}}}
  x: {{Var: {{init: 1.0}}}}
  equations: ["der(x) = -x"]
simulation: {{stop_time: 1.0, tolerance: 1.0e-8}}
{expect}
"""
INSTALLED = any(point.value == "modia3d.batch.pytest_plugin" for point in entry_points(group="pytest11"))
PLUGIN = () if INSTALLED else ("-p", "modia3d.batch.pytest_plugin")
"""Of an installed package pytest finds the plugin itself, and refuses it a second time."""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> pytest.Pytester:
    """Four scenarios: one is well, one is not as expected, one expects nothing, one cannot be simulated."""
    good = "expect: {final(x): {value: 0.36787944, tolerance: 1.0e-6}}"
    for name, expect in (("good", good), ("bad", "expect: {final(x): {at_least: 0.4}}"), ("silent", "")):
        pytester.path.joinpath(f"{name}.yaml").write_text(SCENARIO.format(expect=expect))
    pytester.path.joinpath("broken.yaml").write_text(SCENARIO.format(expect=good).replace("-x", "-y"))
    pytester.path.joinpath("data.yaml").write_text("expect: nothing")
    return pytester


def run(folder: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return folder.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *arguments)


def test_scenarios_are_collected_where_a_pattern_asks_for_it(folder: pytest.Pytester) -> None:
    result = run(
        folder, "--scenarios", "good.yaml", "--scenarios", "bad.yaml", "--scenarios", "b*ken.yaml", "--scenarios", "s*.yaml"
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["*final(x) is 0.3678794*, expected at least 0.4"])
    result.stdout.fnmatch_lines(["*broken.yaml:*'y'*"])


def test_scenarios_with_either_suffix_of_yaml_are_collected_and_nothing_else(folder: pytest.Pytester) -> None:
    content = folder.path.joinpath("good.yaml").read_text()
    for name in ("short.yml", "other.txt", "other.json"):
        folder.path.joinpath(name).write_text(content)
    result = run(folder, "--collect-only", "-q", "--scenarios", "short.*", "--scenarios", "other.*", "--scenarios", "good.*")
    assert sorted(line for line in result.outlines if "::" in line) == ["good.yaml::expect", "short.yml::expect"]


def test_nothing_is_collected_without_a_pattern(folder: pytest.Pytester) -> None:
    run(folder).assert_outcomes()


def test_patterns_in_the_configuration_and_xdist(folder: pytest.Pytester) -> None:
    folder.makeini("[pytest]\nmodia3d_scenarios = good.yaml bad.yaml\n")
    result = folder.runpytest_subprocess(*PLUGIN, "-n", "2")
    result.assert_outcomes(passed=1, failed=1)
