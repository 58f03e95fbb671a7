"""Nothing is lost: files are checked before the run, written whole or not at all, and each on its own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from modia3d.cli.main import main
from modiapy import Model, ModelError, SimulationError, Var, instantiate, read_result
from modiapy.simulation.segments.interrupts import ALL, finish_first, interrupted_once

from ..crane import write_crane

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]
LONG = ("stop_time: 2.0", "stop_time: 1.0e+6"), ("interval: 0.05", "interval: 0.2")


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("it was computed")


@pytest.mark.parametrize("option", ["--output", "--save", "--html"])
def test_paths_are_checked_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setattr("modiapy.simulation.simulate.Simulation.run", refuse)
    file = write_crane(tmp_path)
    assert main(["run", str(file), option, str(tmp_path / "missing" / "x.h5")]) == 2
    assert re.search(r"missing/x\.h5: .* cannot be written; found No such file", capsys.readouterr().err)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.parametrize("option", ["--save", "--html"])
def test_an_output_never_overwrites_the_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str) -> None:
    file = write_crane(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(file)
    before = file.read_bytes()
    for name in (file, link):
        assert main(["run", str(file), option, str(name)]) == 2
        assert f"{option} would overwrite the scenario" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_an_output_never_overwrites_a_mesh_a_snapshot_that_is_resumed_or_another_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import trimesh

    mesh, snapshot = tmp_path / "hull.stl", tmp_path / "state.h5"
    trimesh.creation.box((0.1, 0.1, 0.1)).export(mesh)
    change = ("model:\n", "model:\n  hull: {Object3D: {parent: world, feature: {Visual: {shape: {Mesh: hull.stl}}}}}\n")
    file = write_crane(tmp_path, change)
    assert main(["run", str(file), "--save", str(snapshot)]) == 0
    for options, what in (
        (["--html", str(mesh)], "--html would overwrite a mesh of the scenario"),
        (["--resume", str(snapshot), "--output", str(snapshot)], "--output would overwrite the snapshot that is resumed"),
        (["--output", str(tmp_path / "a.h5"), "--save", str(tmp_path / "a.h5")], "--output would overwrite what --save"),
    ):
        assert main(["run", str(file), *options]) == 2
        assert what in capsys.readouterr().err


def test_one_output_that_fails_does_not_cost_the_others_or_the_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("modiapy.simulation.results.result.Result.save", fail)
    names = [str(tmp_path / name) for name in ("state.npz", "signals.csv", "page.html")]
    options = [part for pair in zip(("--save", "--output", "--html"), names, strict=True) for part in pair]
    assert main(["run", str(write_crane(tmp_path)), *options]) == 2
    streams = capsys.readouterr()
    assert "ActionAttach foot -> dock" in streams.out
    assert f"{names[1]}: the result cannot be written; found No space left" in streams.err
    assert Path(names[0]).exists()
    assert "const HEAD" in Path(names[2]).read_text()
    assert len(list(tmp_path.iterdir())) == 3  # no temporary file stays


def test_a_terminal_that_is_gone_does_not_cost_the_files(tmp_path: Path) -> None:
    file = write_crane(tmp_path)
    command = [sys.executable, "-m", "modia3d", "run", str(file), "--output", str(tmp_path / "x.h5")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=full, check=False, cwd=ROOT)
    assert done.returncode == 2
    assert read_result(tmp_path / "x.h5").time[-1] == 2.0


@pytest.mark.parametrize("name", ["x.h5", "x.csv", "x.parquet"])
def test_what_was_there_stays_where_a_file_cannot_be_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    result = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])).simulate(1.0)
    file = tmp_path / name
    result.save(file)
    before = file.read_bytes()
    for what in ("results.store.Store.put", "results.exports.columns"):
        monkeypatch.setattr(f"modiapy.simulation.{what}", refuse)
    with pytest.raises(AssertionError):
        result.save(file)
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_variables_may_have_any_name(tmp_path: Path) -> None:
    names = ("file", "segment", "args", "header", "journal", "components")
    model = Model(**{name: Var(init=float(k)) for k, name in enumerate(names)}, equations=[f"der({n}) = 1.0" for n in names])
    result = instantiate(model).simulate(1.0)
    result.save(tmp_path / "x.h5")
    read = read_result(tmp_path / "x.h5")
    for name in names:
        np.testing.assert_array_equal(read[name], result[name])


def test_a_snapshot_that_cannot_be_written_does_not_cost_the_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match="cannot be written"):
        simulation.simulate(1.0, save=tmp_path / "missing" / "x.npz", progress=refuse)

    def full(*_: object) -> None:
        raise ModelError("the file cannot be written", found="No space left on device")

    monkeypatch.setattr("modiapy.simulation.snapshots.snapshot.write_archive", full)
    with pytest.raises(SimulationError, match="cannot be written") as caught:
        simulation.simulate(1.0, save=tmp_path / "x.npz")
    assert caught.value.result is not None
    assert caught.value.result["x"][-1] == pytest.approx(np.exp(-1.0), rel=1e-5)


# -- interrupts -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_run_and_keeps_what_was_computed(tmp_path: Path, name: str) -> None:
    """A second one, while the first is dealt with, takes nothing away."""
    file, output = write_crane(tmp_path, *LONG), tmp_path / "x.h5"
    command = [sys.executable, "-m", "modia3d", "run", str(file), "--output", str(output), "--save", str(tmp_path / "s.npz")]
    number = getattr(signal, name)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # the tests may run under nohup
    )
    try:
        while not (output.exists() and output.stat().st_size > 1_000_000):
            assert process.poll() is None
            time.sleep(0.05)
        for _ in range(2):
            process.send_signal(number)
            time.sleep(0.002)
        out, err = process.communicate(timeout=100)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "the simulation was interrupted" in err
    assert "Traceback" not in err
    assert "initialization" in out
    assert read_result(output).time[-1] > 2.0
    assert (tmp_path / "s.npz").exists()


def _write_after_interrupts(happened: list[str], *, waiting: bool) -> None:
    with interrupted_once():
        try:
            if waiting:
                finish_first()
            os.kill(os.getpid(), signal.SIGINT)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            happened.append("written")


@pytest.mark.parametrize("waiting", [False, True])
def test_the_first_interrupt_is_raised_and_the_next_one_waits(waiting: bool) -> None:
    """Where something is written already, both wait, and are raised in the end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    happened: list[str] = []
    try:
        with pytest.raises(KeyboardInterrupt):
            _write_after_interrupts(happened, waiting=waiting)
        assert happened == ["written"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGHUP")
def test_signals_that_are_ignored_stay_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupted_once(ALL):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    ("command", "what"),
    [(["schema", "-o"], "the schema"), (["new"], "the scenario")],
)
def test_the_message_names_the_file_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], what: str
) -> None:
    file = tmp_path / "missing" / "file.yaml"
    assert main([*command, str(file)]) == 2
    assert capsys.readouterr().err == f"modia3d: {file}: {what} cannot be written; found No such file or directory\n"
