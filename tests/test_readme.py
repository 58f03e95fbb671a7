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


def test_sling_releases_the_stone_on_its_tangent(capsys: pytest.CaptureFixture[str]) -> None:
    result = run_example(1)["result"]
    assert "ActionRelease grip" in capsys.readouterr().out
    assert [s.info["dof"] for s in result.segments] == [7, 1, 7]
    flight = result.segment(3)
    velocity = flight["stone.v_abs"]
    assert velocity == pytest.approx(np.broadcast_to(velocity[0], velocity.shape), abs=1e-7)
    assert np.linalg.norm(velocity[0]) == pytest.approx(2.2, abs=1e-5)


def test_commands_stand_between_the_marks_that_ci_reads() -> None:
    for mark in ("main command", "test command"):
        assert re.search(rf"<!-- {mark} -->\n```bash\n.+\n```\n<!-- end -->", README)
