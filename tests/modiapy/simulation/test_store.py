"""Results on disk: the same values as in memory, readable after the process was killed, and little memory."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from modiapy import Model, ModelError, Result, SimulationInterrupted, Var, instantiate
from modiapy.simulation.results import stored_segment

from .test_save import STOP, rod, translated

ROOT = Path(__file__).parents[3]


def assert_same(one, other):
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name, strict=True)
    assert [(r.index, r.start, r.cause, r.events, r.steps, r.info) for r in one.segments] == [
        (r.index, r.start, r.cause, r.events, r.steps, r.info) for r in other.segments
    ]


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_the_same_on_disk(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(stored_segment, "CHUNK_BYTES", chunk)
    sim = translated()
    memory = sim.simulate(STOP, interval=0.01)
    stored = sim.simulate(STOP, interval=0.01, store=tmp_path / "result")
    opened = Result.open(tmp_path / "result")
    for result in (stored, opened):
        assert_same(memory, result)
        assert result.status == "finished"
        assert result.statistics["steps"] == memory.statistics["steps"]
        assert repr(result) == repr(memory)
    assert_same(memory, Result.open(tmp_path / "result", sim))
    assert sim.value("x") == memory["x"][-1]
    stored.write(tmp_path / "signals.npz")
    assert np.array_equal(np.load(tmp_path / "signals.npz")["x"], memory["x"])


def test_components_and_segments(tmp_path):
    sim = instantiate(rod())
    memory = sim.simulate(60.0, interval=0.5)
    sim.simulate(60.0, interval=0.5, store=tmp_path / "result")
    opened = Result.open(tmp_path / "result", instantiate(rod()))
    assert len(memory.segments) > 3
    assert_same(memory, opened)
    last = memory.segments[-1].index
    assert np.array_equal(memory.segment(last)["rod.T"], opened.segment(last)["rod.T"])
    alone = Result.open(tmp_path / "result")
    assert np.array_equal(memory["rod.T[3]"], alone["rod.T[3]"], equal_nan=True)
    with pytest.raises(ModelError, match=r"no signal 'rod.energy'.*need the model: Result.open\(folder, sim\)"):
        alone["rod.energy"]
    with pytest.raises(ModelError, match="one of another model"):
        Result.open(tmp_path / "result", translated())


def test_what_exists_in_some_segments_takes_memory_there_only(tmp_path):
    """A state of one segment adds its points of that segment to the file, and nothing else."""
    sim = instantiate(rod())
    result = sim.simulate(60.0, interval=0.5, store=tmp_path / "result")
    unknowns = len(sim.sorted.unknowns)
    columns = [1 + r.states_invariant + r.states_variant + unknowns for r in result.segments]
    assert len(set(columns)) > 1
    points = [result.segment(r.index).time.size for r in result.segments]
    size = sum(8 * c * n for c, n in zip(columns, points, strict=True))
    assert (tmp_path / "result" / "data.bin").stat().st_size == size


def test_a_simulation_that_goes_on_continues_its_result(tmp_path):
    sim, file, folder = instantiate(rod()), tmp_path / "snapshot.npz", tmp_path / "result"
    full = sim.simulate(60.0, interval=0.5)
    sim.simulate(20.0, interval=0.5, store=folder, save=file)
    sim.restore(file)
    assert_same(full, sim.simulate(60.0, store=folder))
    assert_same(full, Result.open(folder, sim))


def test_interrupted(tmp_path):
    sim = translated()
    full = sim.simulate(STOP, interval=1e-3)

    def interrupt(now):
        if now > 2.0:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(STOP, interval=1e-3, store=tmp_path / "result", progress=interrupt)
    opened = Result.open(tmp_path / "result")
    assert opened.status == "interrupted"
    assert opened.time[-1] == caught.value.result.time[-1] >= 2.0
    assert np.array_equal(opened["y"], full["y"][: opened.time.size])


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_while_it_runs_and_continued(tmp_path):
    """The process is killed in the middle; what is left can be read, and a new process goes on to the same bits."""
    folder, file = tmp_path / "result", tmp_path / "snapshot.npz"
    code = (
        "from modiapy.simulation.results import stored_segment; stored_segment.CHUNK_BYTES = 10000\n"
        "from tests.modiapy.simulation.test_save import translated\n"
        f"translated().simulate(1e6, interval=0.05, store={str(folder)!r}, save={str(file)!r}, save_every=0.5)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    try:
        index = folder / "index.jsonl"
        for _ in range(1200):
            if index.exists() and index.read_bytes().count(b"\n") > 8 and file.exists():
                break
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    left = Result.open(folder)
    assert left.status == "interrupted"
    n, sim = left.time.size, translated()
    assert n > 100
    at = sim.restore(file)
    stop = at + 2.0
    rest = sim.simulate(stop, store=folder)
    full = sim.simulate(stop, interval=0.05)
    kept = min(n, int(np.searchsorted(full.time, at)))
    assert kept > 100
    for name in ("time", "x", "y", "held", "bounces"):
        assert np.array_equal(full[name], rest[name]), name
        assert np.array_equal(full[name][:kept], left[name][:kept]), name


def test_an_incomplete_last_line_is_no_damage(tmp_path):
    sim, folder = translated(), tmp_path / "result"
    sim.simulate(STOP, store=folder)
    index = (folder / "index.jsonl").read_bytes()
    (folder / "index.jsonl").write_bytes(index[:-20])
    assert Result.open(folder)["x"].size > 100
    (folder / "index.jsonl").write_bytes(index)
    (folder / "data.bin").write_bytes(b"")
    with pytest.raises(ModelError, match="damaged"):
        Result.open(folder)


def test_folders_that_cannot_be_used(tmp_path):
    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(ModelError, match=r"in use.*mine.txt"):
        sim.simulate(1.0, store=tmp_path)
    with pytest.raises(ModelError, match="cannot be written"):
        sim.simulate(1.0, store=tmp_path / "mine.txt")
    with pytest.raises(ModelError, match="there is no result"):
        Result.open(tmp_path)
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(ModelError, match="damaged, or no result"):
        Result.open(tmp_path)
