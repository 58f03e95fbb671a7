"""The examples of docs/gym.md."""

import re
from pathlib import Path

import numpy as np

from modia3d.gym import read_task, register

from .tasks import DOCKING

GUIDE = Path(__file__).parents[3] / "docs" / "gym.md"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_run_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    register()
    (tmp_path / "docking.yaml").write_text((DOCKING.parent / "docking.yaml").read_text())
    (tmp_path / "docking_task.yaml").write_text(blocks("yaml")[0])
    names = {}
    for example in blocks("python"):
        exec(example, names)
    assert names["observations"].shape == (4, 5)
    assert np.isfinite(names["observations"]).all()
    assert names["info"]["time"] > 0.0


def test_the_program_of_the_guide_is_that_of_the_scenario():
    program = " ".join(blocks("yaml")[1].split())
    for piece in ("while: not flags.held", "wait_until: grip", "ActionReleaseAndAttach: [top, hand]", "ActionWait: 0.1"):
        assert piece in program
        assert piece in (DOCKING.parent / "docking.yaml").read_text()


def test_the_task_of_the_guide_rewards_what_the_shipped_one_does(tmp_path):
    (tmp_path / "docking.yaml").write_text((DOCKING.parent / "docking.yaml").read_text())
    (tmp_path / "docking_task.yaml").write_text(blocks("yaml")[0])
    ours, shipped = read_task(tmp_path / "docking_task.yaml"), read_task(DOCKING)
    assert (ours.reward, ours.quantities, ours.factors) == (shipped.reward, shipped.quantities, shipped.factors)
