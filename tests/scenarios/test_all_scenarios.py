"""What holds for every scenario of this repository."""

from pathlib import Path

import pytest

from modia3d.files import read_scenario

ROOT = Path(__file__).parents[2]
COLLECTIONS = ("bond_graphs", "gym")
NAMES = sorted({file.parent.name for file in (ROOT / "scenarios").glob("*/*.yaml")} - {"studies", *COLLECTIONS})


@pytest.mark.parametrize("name", NAMES)
def test_the_file_has_the_name_of_its_folder_and_stands_in_the_readme(name):
    scenario = read_scenario(ROOT / "scenarios" / name / f"{name}.yaml")
    assert len(scenario.description) > 40
    assert f"(scenarios/{name}/{name}.yaml)" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("folder", COLLECTIONS)
def test_a_folder_of_several_scenarios_stands_in_the_readme(folder):
    files = [file for file in (ROOT / "scenarios" / folder).rglob("*.yaml") if not file.stem.endswith("_task")]
    for file in files:
        assert len(read_scenario(file).description) > 40
    assert f"(scenarios/{folder})" in (ROOT / "README.md").read_text()
