"""The README's Python examples run and give what they say."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.white_box

README = (Path(__file__).parent.parent / "README.md").read_text()


def run_example(number: int) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(re.findall(r"```python\n(.*?)```", README, re.DOTALL)[number], names)
    return names


def test_filter_charges() -> None:
    result = run_example(0)["result"]
    assert result["C.v"] == pytest.approx(10.0 * (1.0 - np.exp(-result.time)), abs=1e-4)


def test_commands_stand_between_the_marks_that_ci_reads() -> None:
    for mark in ("main command", "test command"):
        assert re.search(rf"<!-- {mark} -->\n```bash\n.+\n```\n<!-- end -->", README)


def test_the_readme_names_the_options_of_each_command_and_no_others() -> None:
    from modia3d.cli.main import COMMANDS, cli

    synopsis = re.search(r"```text\n(modia3d .*?)```", README, re.DOTALL)
    assert synopsis is not None
    told: dict[str, set[str]] = {}
    for entry in re.split(r"\n(?=\S)", synopsis[1]):
        heads = entry.removeprefix("modia3d ").split()[0].rstrip(":").split("|")
        for head in heads:
            told.setdefault(head, set()).update(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", entry))
    shared = told.pop("ANIMATION")
    for command in ("run", "view"):
        told[command] |= shared
    assert set(told) == set(COMMANDS)
    for command, names in told.items():
        options = [set(param.opts) for param in cli.commands[command].params if param.opts[0].startswith("-")]
        assert [option for option in options if not option & names] == [], command
        assert names <= set().union(*options), command
