"""What holds for every scenario of this repository."""

from pathlib import Path

import pytest

from modia3d.files import read_scenario

ROOT = Path(__file__).parents[2]
NAMES = sorted({file.parent.name for file in (ROOT / "scenarios").glob("*/*.yaml")} - {"studies"})


@pytest.mark.parametrize("name", NAMES)
def test_the_file_has_the_name_of_its_folder_and_stands_in_the_readme(name):
    scenario = read_scenario(ROOT / "scenarios" / name / f"{name}.yaml")
    assert len(scenario.description) > 40
    assert f"(scenarios/{name}/{name}.yaml)" in (ROOT / "README.md").read_text()
