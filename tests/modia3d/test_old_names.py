"""Names that have another one by now: the old ones are understood, and one warning tells of the new one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import modia3d
from modia3d.files import registry
from modia3d.files.schema import scenario_schema
from modia3d.scene.old_names import RENAMED

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[2]

SCENARIO = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {}}}}
  coil: {Object3D: {parent: world, feature: {Visual: {shape: {Spring: {windings: 7}}}}}}
  other: {Object3D: {parent: world, feature: {Visual: {shape: {Spring: {}}}}}}
simulation: {stop_time: 0.1}
"""


def carried_out(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=ROOT, timeout=600, check=False)


@pytest.mark.parametrize("program", ["from modia3d import Spring", "import modia3d\nSpring = modia3d.Spring\nmodia3d.Spring"])
def test_an_old_name_works_in_python_with_one_warning(program: str, tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(f"{program}\nimport modia3d\nassert Spring is modia3d.SpringShape\nprint(Spring(windings=7)['windings'])\n")
    done = carried_out("-W", "always", str(file))
    assert done.stdout == "7\n", done.stderr
    warnings = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert len(warnings) == 1
    line = 1 if program.startswith("from") else 2
    assert warnings[0].startswith(f"{file}:{line}: DeprecationWarning: 'Spring' is called 'SpringShape' since version 0.1.0;")


def test_actions_load_from_where_they_were(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("from modia3d.actions import ActionAttach\nimport modia3d\nassert ActionAttach is modia3d.ActionAttach\n")
    done = carried_out("-W", "always", str(file))
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "Warning" in line]
    assert warning.startswith(
        f"{file}:1: DeprecationWarning: 'modia3d.actions.ActionAttach' is called 'modia3d.ActionAttach' since"
    )
    with pytest.raises(ImportError, match="Box"):
        exec("from modia3d.actions import Box")


def test_an_old_name_works_in_a_scenario_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "old.yaml"
    file.write_text(SCENARIO)
    done = carried_out("-m", "modia3d", "check", str(file))
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "warning" in line]
    new, since, until = RENAMED["Spring"]
    assert told == [
        f"modia3d: warning: 'Spring' is called '{new}' since version {since}; the old name goes away in version {until}"
    ]
    file.write_text(SCENARIO.replace("Spring", "SpringShape"))
    assert "warning" not in carried_out("-m", "modia3d", "check", str(file)).stderr


@pytest.mark.parametrize("old", RENAMED)
def test_an_old_name_is_none_of_those_that_there_are(old: str) -> None:
    new = RENAMED[old][0]
    known = set(registry.constructors())
    assert new in known
    assert old not in known
    assert old not in modia3d.__all__
    assert old not in scenario_schema()["definitions"]["call"]["properties"]
    registry._current.cache_clear()  # each name is told of once
    with pytest.warns(FutureWarning, match=re.escape(f"'{old}' is called '{new}'")):
        found = registry.constructors()[old]
    assert found == registry.constructors()[new]


def test_the_guides_use_new_names_only() -> None:
    shapes = re.compile(r"(?<![\w.])Spring\(")
    for file in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        assert shapes.search(file.read_text(encoding="utf-8")) is None, file
