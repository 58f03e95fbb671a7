"""Whatever ends a simulation, its result file opens and holds what was computed until 2 s before."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
import types
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from modiapy import Model, SimulationError, Var, instantiate, read_result
from modiapy.simulation.results import store
from modiapy.simulation.results.result_file import ResultWriter

from .test_save import rod
from .test_store import assert_same

pytestmark = pytest.mark.white_box

ROOT = Path(__file__).parents[3]

SLOW = """
import sys, types
from modiapy import Function, Model, Var, instantiate
from modiapy.simulation.results import store
now, told = 0.0, open(sys.argv[2], "w")
def clock():
    global now
    now += float(sys.argv[3])
    return now
def tell(reached):
    print(reached, clock(), file=told, flush=True)
store.clock = types.SimpleNamespace(monotonic=clock)
model = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1.0", "y = sin(x)"])
instantiate(model).simulate(1e5, interval=0.01, output=sys.argv[1], progress=tell)
"""
"""It says how far it is, and when, on a clock of its own: each look at it takes so many seconds."""

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


@needs_signals
@pytest.mark.parametrize(("number", "look"), [("SIGKILL", "0.01"), ("SIGKILL", "0.1"), ("SIGTERM", "0.01")])
def test_a_killed_process_leaves_what_it_had(tmp_path, number, look):
    file, told = tmp_path / "run.h5", tmp_path / "told"
    process = subprocess.Popen([sys.executable, "-c", SLOW, str(file), str(told), look], cwd=ROOT)
    try:
        while len(history(told)) < 4 or history(told)[-1][1] < 10.0:
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.send_signal(getattr(signal, number))
        process.wait()
    left = read_result(file)
    assert left.status == "interrupted"
    killed = history(told)[-1][1]
    due = max(reached for reached, at in history(told) if at <= killed - 2.0)
    assert due > 0.0
    assert left.time[-1] >= due
    assert_right(left)


def history(told):
    """How far the process was, and when; a line that is not whole yet does not count."""
    text = told.read_text() if told.exists() else ""
    return [tuple(map(float, line.split())) for line in text.splitlines(keepends=True) if line.endswith("\n")]


MODEL = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1.0", "y = sin(x)"])


def assert_right(left):
    np.testing.assert_allclose(left["x"], left.time, rtol=1e-6)
    np.testing.assert_allclose(left["y"], np.sin(left["x"]), atol=1e-12)


def oscillation(file):
    return instantiate(MODEL).simulate(1e4, interval=0.001, output=file)


def check_what_is_left(file, error):
    assert "the result cannot be written" in str(error)
    assert "free" in str(error)
    for left in (read_result(file), error.result):
        assert left.time.size > 1000
        assert_right(left)
    assert read_result(file).time.size == error.result.time.size
    assert read_result(file).status == "interrupted"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs RLIMIT_FSIZE")
def test_a_file_that_must_not_grow_any_more_ends_the_simulation(tmp_path):
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8_000_000, before[1]))
    try:
        with pytest.raises(SimulationError) as caught:
            oscillation(tmp_path / "run.h5")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    check_what_is_left(tmp_path / "run.h5", caught.value)


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(disk)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("needs to mount a small disk")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="mounts a tmpfs")
def test_a_full_disk_ends_the_simulation(small_disk):
    with pytest.raises(SimulationError) as caught:
        oscillation(small_disk / "run.h5")
    check_what_is_left(small_disk / "run.h5", caught.value)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits files by RLIMIT_FSIZE")
def test_a_disk_that_refuses_without_notice_costs_the_last_block_only(tmp_path, monkeypatch):
    """As by a quota: HDF5 itself meets the error, and the process ends without harm."""
    code = f"""
import resource, shutil, types
from modiapy import SimulationError
from modiapy.simulation.results.result_file import ResultWriter
from tests.modiapy.simulation.test_streaming import oscillation
ResultWriter._check_room = lambda *_: None
written = ResultWriter.append
def append(self, rows, lines, *, last=False):
    if self.file["time"].shape[0] > 20000:
        import os
        os.dup2(os.open("/dev/full", os.O_RDWR), self.file.id.get_vfd_handle())
    written(self, rows, lines, last=last)
ResultWriter.append = append
try:
    oscillation({os.fspath(tmp_path / "run.h5")!r})
except SimulationError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "the result cannot be written" in done.stdout
    left = read_result(tmp_path / "run.h5")
    assert left.time.size > 20000
    assert_right(left)


@pytest.mark.parametrize(
    ("free", "saves", "ends"), [(1 << 30, True, True), (500_000, False, True), (500_000, True, False), (100_000, False, False)]
)
def test_what_was_begun_can_be_ended_with_less_room_than_is_needed_to_go_on(tmp_path, monkeypatch, free, saves, ends):
    """A block in between, before a snapshot, is not begun where the last lines would have no room behind it."""
    monkeypatch.setattr(store, "BLOCK_SECONDS", 1e9)
    monkeypatch.setattr(store, "BLOCK_COST", 1e9)
    answers = iter([1 << 30])  # where the file is begun
    monkeypatch.setattr(shutil, "disk_usage", lambda path: types.SimpleNamespace(free=next(answers, free)))
    sim, file = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])), tmp_path / "run.h5"
    progress = (lambda reached: sim.save(tmp_path / "snapshot")) if saves else None
    with nullcontext() if ends else pytest.raises(SimulationError, match=f"cannot be written; found .*: {free} bytes are free"):
        sim.simulate(1.0, interval=0.5, output=file, progress=progress)
    left = read_result(file)
    assert (left.status, left.time.tolist()) == (("finished", [0.0, 0.5, 1.0]) if ends else ("interrupted", []))


def test_wherever_writing_ends_error_and_file_have_the_same_points(tmp_path, monkeypatch):
    """Between two segments, too, and at the last block, when the simulation has reached its end."""
    monkeypatch.setattr(store, "BLOCK_SECONDS", 0.0)
    left, written = 0, ResultWriter.append

    def append(self, rows, lines, *, last=False):
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(errno.ENOSPC, "No space")
        written(self, rows, lines, last=last)

    monkeypatch.setattr(ResultWriter, "append", append)
    sim = instantiate(rod())
    whole = sim.simulate(60.0, interval=20.0)
    for blocks in range(1000):
        left, file = blocks, tmp_path / "run.h5"
        try:
            sim.simulate(60.0, interval=20.0, output=file)
        except SimulationError as error:
            had, opened, told = error.result, read_result(file), error.message
            assert opened.status == "interrupted"
            assert [record.index for record in had.segments][: len(opened.segments)] == [r.index for r in opened.segments]
            for one in (had, opened):
                np.testing.assert_array_equal(one.time, whole.time[: one.time.size])
            assert had.time.size == opened.time.size
        else:
            break
    assert blocks > len(whole.segments) > 2
    assert had.status == "finished"
    assert "the result cannot be written" in told
    assert_same(whole, had)
