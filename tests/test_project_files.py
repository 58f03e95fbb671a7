"""One place says what another one relies on: versions of the linters, commands of CI, the changelog's version."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import words as plain

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CI = (ROOT / ".ci" / "run").read_text()


def pinned(words: list[str]) -> dict[str, str]:
    """Name of each package with the version it is pinned to ("" where it is not), of what only lints and checks types."""
    parts = (word.partition("==") for word in words)
    return {name: version for name, _, version in parts if name in ("ruff", "mypy", "types-PyYAML", "numpy")}


def of_ci() -> dict[str, str]:
    (installed,) = re.findall(r'^ *"\$work/lint/bin/pip" install --quiet (.*)$', CI, re.MULTILINE)
    return pinned(installed.split())


def hooks() -> dict[str, dict[str, Any]]:
    (local,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    return {hook["id"]: hook for hook in local["hooks"]}


def workflow() -> dict[str, Any]:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert isinstance(jobs, dict)
    return jobs


def test_linters_have_one_version() -> None:
    ci = of_ci()
    assert ci["ruff"]
    assert ci["mypy"]
    assert pinned(PROJECT["optional-dependencies"]["dev"]) == {name: v for name, v in ci.items() if name != "numpy"}
    used: dict[str, str] = {}
    for hook in hooks().values():
        for name, version in pinned(hook["additional_dependencies"]).items():
            assert used.setdefault(name, version) == version
    assert used == ci


def test_pre_commit_does_what_ci_does_before_the_tests() -> None:
    commands = re.findall(r'^ *"\$work/lint/bin/(?!pip)(.*?)"(.*)$', CI, re.MULTILINE)
    assert [hook["entry"] for hook in hooks().values()] == [f"{program}{rest}" for program, rest in commands]
    assert not any(hook["pass_filenames"] for hook in hooks().values())


def test_the_workflow_runs_ci_and_the_readme_s_tests() -> None:
    jobs = workflow()
    assert [step["run"] for step in jobs["ci"]["steps"] if "run" in step] == [".ci/run"]
    assert jobs["ci"]["strategy"]["matrix"]["python"][0] == PROJECT["requires-python"].removeprefix(">=")
    (command,) = re.findall(r"<!-- test command -->\n```bash\n(.*?)\n```", (ROOT / "README.md").read_text(), re.DOTALL)
    extras, tests = re.findall(r"install --quiet (\S+) && \.venv/bin/python -m (pytest .*)$", command)[0]
    runs = [step["run"] for step in jobs["tests"]["steps"] if "run" in step]
    assert runs == [f"python -m pip install --quiet {extras}", f"python -m {tests}"]


def test_the_changelog_has_the_version_of_the_package() -> None:
    versions = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert PROJECT["version"] in versions


def test_contributing_names_every_tool() -> None:
    """Commands under ``tools``, benchmarks' command, the linters and the test command's marks."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    tools = [path.stem for path in (ROOT / "tools").glob("*.py") if not path.stem.startswith("_")]
    assert [name for name in tools if f"python -m tools.{name}" not in text] == []
    for name in re.findall(r"python -m tools\.(\w+)", text):
        assert name in tools
    for word in ("pre-commit install", ".ci/run", "python -m benchmarks."):
        assert word in text


def test_docstrings_begin_with_verbs_and_nouns() -> None:
    assert plain.all_mistakes() == []


@pytest.mark.parametrize(
    ("source", "refused"),
    [
        ('def f():\n    """Return the number of bodies."""\n', False),
        ('def f():\n    """What `prepare_kernels` would have."""\n', True),
        ('def f():\n    """Returns the number of bodies."""\n', True),
        ('def f():\n    """Return it."""\n', True),
        ('def f():\n    """Return what the joint remembers of it."""\n', True),
        ('class A:\n    """How a flange acts on a body."""\n', True),
        (
            'class A:\n    """Flange on a body."""\n\n    @property\n    def n(self):\n        """Number of bodies."""\n',
            False,
        ),
        ('"""Where things are."""\n', True),
        ('def Box():\n    """Box with three lengths."""\n', False),
    ],
)
def test_a_docstring_that_begins_with_a_riddle_is_refused(tmp_path: Path, source: str, refused: bool) -> None:
    file = tmp_path / "file.py"
    file.write_text(source)
    assert bool(list(plain.mistakes(file))) == refused
