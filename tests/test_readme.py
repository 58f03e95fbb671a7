"""The README's Python examples run and give what they say."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
