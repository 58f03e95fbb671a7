"""What a command imports, and so how long it takes before anything is computed."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from modia3d.cli.main import COMMANDS, cli, main

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
RUN = "import sys; from modia3d.cli.main import main; main(['run', sys.argv[1], '--json', '--stop-time=2']); "
NOT_NEEDED = {
    *(f"modia3d.cli.{line.partition('.')[0]}" for name, line in COMMANDS.items() if name != "run"),
    "h5py",
    "modia3d.assemblies",
    "modia3d.engine.inverse_kinematics",
    "modia3d.scene.constraint_elements.rod",
    "modia3d.viewer",
    "modiapy.modelica",
    "modiapy.simulation.linear_model",
    "modiapy.simulation.results.recorder",
    "modiapy.symbolic.interpreter.interpreter",
    "rich",
    "sympy",
}
BY_NUMBA = {"numba", "numpy.ma", "scipy", "secrets"}
"""What is not needed either, only that kernels without installed machine code are compiled."""
MODULES = 600
"""Of this project: each takes about half a millisecond."""


def test_a_run_imports_what_it_needs() -> None:
    """The walking robot has no loops, no contacts, no files and no mistakes, so nothing is imported for them."""
    scenario = ROOT / "scenarios" / "mosar" / "mosar.yaml"
    done = subprocess.run(
        [sys.executable, "-c", RUN + "print(*sys.modules, file=sys.stderr)", str(scenario)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    imported = done.stderr.splitlines()[-1].split()
    forbidden = NOT_NEEDED if "numba" in imported else NOT_NEEDED | BY_NUMBA  # `test_installed_kernels` forbids numba itself
    assert sorted(forbidden.intersection(imported)) == []
    assert len([name for name in imported if name.partition(".")[0] in ("modia3d", "modiapy")]) <= MODULES


def test_all_commands_are_there() -> None:
    assert sorted(cli.commands) == sorted(COMMANDS)
    assert [cli.commands[name].name for name in COMMANDS] == list(COMMANDS)


def test_garbage_is_looked_for_as_before_when_a_command_has_ended(capsys: pytest.CaptureFixture[str]) -> None:
    before = gc.get_threshold()
    assert main(["run", "no_such.yaml"]) == 2
    assert gc.get_threshold() == before
