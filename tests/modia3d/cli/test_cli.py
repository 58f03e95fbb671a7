"""The command line: what a user sees when all goes well, and when it does not."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from modia3d.cli.main import cli, main
from modiapy import read_result

from ..crane import line_of, write_crane

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]


def test_run_prints_a_table_and_writes_the_animation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "crane.html"
    assert main(["run", str(write_crane(tmp_path)), "--html", str(page), "--output", str(tmp_path / "crane.h5")]) == 0
    out = capsys.readouterr().out
    assert "initialization" in out
    assert "ActionAttach foot -> dock" in out
    text = page.read_text()
    assert "MeshCat.Viewer" in text
    assert "http-equiv" not in text
    assert 'src="http' not in text
    assert read_result(tmp_path / "crane.h5").time[-1] == 2.0


def test_json_has_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(write_crane(tmp_path)), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert [s["dof"] for s in figures["segments"]] == [13, 7]
    assert [s["states_variant"] for s in figures["segments"]] == [26, 13]
    assert {s["states_invariant"] for s in figures["segments"]} == {5}
    assert figures["stop_time"] == 2.0
    assert figures["compilations_after_start"] == 0
    assert {"simulation_s", "translation_s", "steps", "rhs_evaluations"} <= set(figures)


def test_a_stop_time_may_have_a_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given in ("0.25", "250 ms"):
        assert main(["run", str(write_crane(tmp_path)), "--json", "--stop-time", given]) == 0
        assert json.loads(capsys.readouterr().out)["stop_time"] == 0.25


def test_check_does_not_simulate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(write_crane(tmp_path))]) == 0
    assert "can be simulated" in capsys.readouterr().out


BAD_INPUT = {
    "unknown key": (("parent: world", "parnet: world"), "parnet", "unknown key 'parnet'.*'parent'"),
    "wrong type": (("lockable: true}}\n  post", "lockable: maybe}}\n  post"), "maybe", "maybe"),
    "no such frame": (("[foot, dock]", "[foot, dokc]"), "dokc", "'dokc'.*'dock'"),
    "joint in one body": (("obj2: arm", "obj2: foot"), "joint:", "joint"),
    "two roots": (("hand: {Object3D: {", "hand: {Object3D: {assembly_root: true, "), "hand:", "assembly_root"),
    "out of tolerance": (("translation: [0, 0, 0.2], feature", "translation: [0, 0, 0.203], feature"), "ActionAttach", "3.*mm"),
    "delete driven": (
        ("[foot, dock]\n", "[foot, dock]\n  - ActionDelete: hand\n"),
        "ActionDelete",
        "joints with a flange: joint",
    ),
    "too short": (("  - EventAfterPeriod: 1.0\n", "  - EventAfterPeriod: 0.1\n"), "EventAfterPeriod", "too late"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str) -> None:
    change, piece, words = BAD_INPUT[case]
    file = write_crane(tmp_path, change)
    assert main(["run", str(file)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"modia3d: {file}:{line_of(file, piece)}:")
    assert message.count("\n") == 1
    assert re.search(words, message)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--stop-time=inf", "--stop-time is wrong; found inf; expected a finite time, at least 0 s"),
        (
            "--stop-time=2s",
            "--stop-time is no number; found '2s'; expected such as 2, '1500 ms' or '90 deg'. A unit stands behind a blank.",
        ),
        ("--stop-time=2 kg", "the unit of --stop-time measures something else; found '2 kg'; expected a quantity in s"),
        ("--stop-time=2 xs", "the unit of --stop-time is not known; found '2 xs'"),
        ("--stop-time=-1", "--stop-time is wrong; found -1"),
        ("--tolerance=2", "--tolerance is wrong; found 2; expected a number between 0 and 1"),
        ("--resume=", "there is no such file"),
        ("--html=", "the animation cannot be written"),
        ("--output=nowhere/x.h5", "nowhere/x.h5: the result cannot be written; found No such file or directory"),
    ],
)
def test_bad_options_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, words: str) -> None:
    assert main(["run", str(write_crane(tmp_path)), option]) == 2
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1


def test_a_warning_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spring = "  spring: {SpringDamperPtP: {obj1: world, obj2: dock, stiffness: 1}}\n  connect:\n"
    assert main(["check", str(write_crane(tmp_path, ("  connect:\n", spring)))]) == 0
    assert re.fullmatch(r"modia3d: warning: spring: 'world' and 'dock' are fixed to each other.*\n", capsys.readouterr().err)


def test_the_name_of_the_file_of_signals_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in (".h5", ".csv", ".parquet"):
        file = tmp_path / f"out{suffix}"
        assert main(["run", str(write_crane(tmp_path)), "--output", str(file)]) == 0
        assert f"result: {file}" in capsys.readouterr().out
        assert file.is_file()
    assert main(["run", str(write_crane(tmp_path)), "--output", str(tmp_path / "out.npz")]) == 2
    assert (
        "the suffix of the file is not known; found '.npz'; expected .h5, .hdf5 (everything), .csv" in capsys.readouterr().err
    )


def test_more_output_points_than_memory_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_crane(tmp_path, ("interval: 0.05", "interval: 1e-300"))
    assert main(["run", str(file)]) == 2
    assert re.search(
        r"the argument 'interval' of simulate is wrong; found 1e-300; expected at least 2e-07 s", capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("palette", "mistake"),
    [
        ("a\\0b", "is not a file that can be read; found 'a\\x00b'"),
        ("loop", "is not a file that can be read; found 'loop'"),
        ("x" * 5000, "is not a file that can be read; found 'xxx"),
        (".", "does not exist; found '.'"),
        ("../crane.yaml", "is outside of the permitted folders; found '../crane.yaml'"),
        ("none.toml", "does not exist; found 'none.toml'"),
    ],
)
def test_files_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str], palette: str, mistake: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    file = write_crane(tmp_path, ("modia3d: 1\n", f'modia3d: 1\npalettes: ["{palette}"]\n'))
    assert main(["run", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"modia3d: {file}:2:12: an entry of 'palettes' {mistake}")
    assert main(["run", str(tmp_path / "loop")]) == 2
    assert "the file cannot be read" in capsys.readouterr().err


def test_output_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    file = write_crane(tmp_path)
    command = [sys.executable, "-m", "modia3d", "check", str(file)]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "modia3d: [Errno 28] No space left on device\n")


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nowhere/none.yaml"]) == 2
    assert "nowhere/none.yaml: there is no such file" in capsys.readouterr().err


def test_a_stop_time_within_a_path_is_told_in_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_crane(tmp_path, ("  - EventAfterPeriod: 1.0\n", ""), ("stop_time: 2.0", "stop_time: 0.3"))
    assert main(["run", str(file)]) == 0
    streams = capsys.readouterr()
    assert re.search(
        r"^ +0\.3 s  the path of \w+ \(action \d+\) ends with the simulation, not at its target", streams.out, re.M
    )
    assert streams.err == ""


def test_refused_action_keeps_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write_crane(tmp_path, ("EventAfterPeriod: 1.0\n", "EventAfterPeriod: 1.0\n  - ActionAttach: [handle, hand]\n"))
    assert main(["run", str(file), "--json", "--output", str(tmp_path / "part.h5")]) == 2
    streams = capsys.readouterr()
    assert "handle" in json.loads(streams.out)["error"]
    assert f"{file}:{line_of(file, '[handle, hand]')}" in streams.err
    assert read_result(tmp_path / "part.h5").time[-1] == pytest.approx(1.0)


def test_interrupt_keeps_the_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(bar: object, now: float) -> None:
        if now > 0.5:
            raise KeyboardInterrupt

    monkeypatch.setattr("modia3d.cli.progress.TerminalBar.reached", reached)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["run", str(write_crane(tmp_path)), "--output", str(tmp_path / "part.h5")]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert 0.0 < read_result(tmp_path / "part.h5").time[-1] < 2.0


def test_no_traceback_in_a_real_process(tmp_path: Path) -> None:
    file = write_crane(tmp_path, ("parent: world", "parnet: world"))
    done = subprocess.run([sys.executable, "-m", "modia3d", "run", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_help_is_light_and_complete() -> None:
    """Every command says what it does, and nothing is imported for it that takes time."""
    code = "import sys; from modia3d.cli.main import main; status = main(['--help']); "
    code += "print(status, [m for m in ('numpy', 'scipy', 'numba', 'yaml', 'rich', 'meshcat') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
    for name, command in cli.commands.items():
        assert re.search(rf"^  {name} +\S", done.stdout, re.MULTILINE)
        assert command.get_short_help_str(200) in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnu"], "modia3d: No such command 'rnu'. Did you mean 'run'? See 'modia3d --help'."),
        (["run"], "modia3d run: Missing argument 'SCENARIO'. See 'modia3d run --help'."),
        (
            ["run", "x", "--outptu=y"],
            "modia3d run: No such option '--outptu'. Did you mean '--output'? See 'modia3d run --help'.",
        ),
        (["check", "x.yaml", "y.yaml"], "modia3d check: Got unexpected extra argument (y.yaml). See 'modia3d check --help'."),
    ],
)
def test_what_is_no_command_is_one_message(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.splitlines() == [message]


@pytest.mark.parametrize(("words", "found"), [("modia3d ru", "run"), ("modia3d run --ht", "--html")])
def test_shells_complete_commands_and_options(words: str, found: str) -> None:
    asked = {"_MODIA3D_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-m", "modia3d"], env=os.environ | asked, capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert f"plain,{found}" in done.stdout.splitlines()
    source = subprocess.run(
        [sys.executable, "-m", "modia3d"],
        env=os.environ | {"_MODIA3D_COMPLETE": "bash_source"},
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert "complete -o nosort" in source.stdout
