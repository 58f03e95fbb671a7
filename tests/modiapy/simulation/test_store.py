"""Results on disk: the same values as in memory, readable after the process was killed, and little memory."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from modiapy import Model, ModelError, SimulationInterrupted, Var, instantiate, read_result
from modiapy.simulation.results import store

from .result_files import put_together, taken_apart
from .test_save import STOP, rod, translated

pytestmark = pytest.mark.white_box

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
    monkeypatch.setattr(store, "BLOCK_BYTES", chunk)
    sim = translated()
    memory = sim.simulate(STOP, interval=0.01)
    stored = sim.simulate(STOP, interval=0.01, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5")
    for result in (stored, opened):
        assert_same(memory, result)
        assert result.status == "finished"
        assert result.statistics["steps"] == memory.statistics["steps"]
        assert repr(result) == repr(memory)
    assert_same(memory, read_result(tmp_path / "result.h5", sim))
    assert sim.value("x") == memory["x"][-1]
    memory.save(tmp_path / "saved.h5")
    stored.save(tmp_path / "again.h5")
    for file in ("saved.h5", "again.h5"):
        assert_same(memory, read_result(tmp_path / file, sim))


def test_components_and_segments(tmp_path):
    sim = instantiate(rod())
    memory = sim.simulate(60.0, interval=0.5)
    sim.simulate(60.0, interval=0.5, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5", instantiate(rod()))
    assert len(memory.segments) > 3
    assert_same(memory, opened)
    last = memory.segments[-1].index
    assert np.array_equal(memory.segment(last)["rod.T"], opened.segment(last)["rod.T"])
    alone = read_result(tmp_path / "result.h5")
    assert np.array_equal(memory["rod.T[3]"], alone["rod.T[3]"], equal_nan=True)
    with pytest.raises(ModelError, match=r"no signal 'rod.energy'.*need the model: read_result\(file, sim\)"):
        alone["rod.energy"]
    with pytest.raises(ModelError, match="belongs to another model") as caught:
        read_result(tmp_path / "result.h5", translated())
    assert caught.value.path == str(tmp_path / "result.h5")


def test_what_exists_in_some_segments_takes_memory_there_only(tmp_path):
    """A state of one segment adds its points of that segment to the file, and nothing else."""
    sim = instantiate(rod())
    result = sim.simulate(60.0, interval=0.5, output=tmp_path / "result.h5")
    states = [r.states_variant for r in result.segments]
    assert len(set(states)) > 1
    points = [result.segment(r.index).time.size for r in result.segments]
    assert taken_apart(tmp_path / "result.h5")["components"].size == sum(n * k for n, k in zip(states, points, strict=True))


def test_a_simulation_that_goes_on_continues_its_result(tmp_path):
    sim, file, folder = instantiate(rod()), tmp_path / "snapshot.npz", tmp_path / "result.h5"
    full = sim.simulate(60.0, interval=0.5)
    for stop in (20.0, 20.0, 20.5, 22.0, 45.0):  # more than once in a segment
        sim.simulate(stop, output=folder, save=file, **({} if folder.exists() else {"interval": 0.5}))
        sim.restore(file)
    assert_same(full, sim.simulate(60.0, output=folder))
    assert_same(full, read_result(folder, sim))


def test_a_file_that_misses_points_is_not_continued(tmp_path):
    """The simulation went on without it for a while, within a segment."""
    sim, file, output = translated(), tmp_path / "snapshot.npz", tmp_path / "result.h5"
    sim.simulate(1.0, interval=0.01, output=output, save=file)
    sim.restore(file)
    sim.simulate(1.5, save=file)
    sim.restore(file)
    message = r"the stored result does not reach as far as the snapshot; found \d+ points are missing. Write to another file"
    before = output.read_bytes()
    with pytest.raises(ModelError, match=message) as caught:
        sim.simulate(STOP, output=output)
    assert (caught.value.path, output.read_bytes()) == (str(output), before)
    assert {file.name for file in tmp_path.iterdir()} == {"snapshot.npz", "result.h5"}


def test_interrupted(tmp_path):
    sim = translated()
    full = sim.simulate(STOP, interval=1e-3)

    def interrupt(now):
        if now > 2.0:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(STOP, interval=1e-3, output=tmp_path / "result.h5", progress=interrupt)
    opened = read_result(tmp_path / "result.h5")
    assert opened.status == "interrupted"
    assert opened.time[-1] == caught.value.result.time[-1] >= 2.0
    assert np.array_equal(opened["y"], full["y"][: opened.time.size])


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_killed_while_it_runs_and_continued(tmp_path):
    """The process is killed in the middle; what is left can be read, and a new process goes on to the same bits."""
    folder, file = tmp_path / "result.h5", tmp_path / "snapshot.npz"
    code = (
        "from tests.modiapy.simulation.test_save import translated\n"
        f"translated().simulate(1e6, interval=0.05, output={str(folder)!r}, save={str(file)!r}, save_every=0.5)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT)
    try:
        for _ in range(1200):
            if file.exists() and read_result(folder).time.size > 200:
                break
            assert process.poll() is None
            time.sleep(0.05)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    left = read_result(folder)
    assert left.status == "interrupted"
    n, sim = left.time.size, translated()
    assert n > 100
    at = sim.restore(file)
    stop = at + 2.0
    rest = sim.simulate(stop, output=folder)
    full = sim.simulate(stop, interval=0.05)
    kept = min(n, int(np.searchsorted(full.time, at)))
    assert kept > 100
    for name in ("time", "x", "y", "held", "bounces"):
        assert np.array_equal(full[name], rest[name]), name
        assert np.array_equal(full[name][:kept], left[name][:kept]), name


def test_an_incomplete_last_line_is_no_damage(tmp_path):
    sim, file = translated(), tmp_path / "result.h5"
    whole = sim.simulate(STOP, output=file)["x"]
    parts = taken_apart(file)
    put_together(file, {**parts, "journal": parts["journal"][:-20]})
    left = read_result(file)
    assert left.status == "interrupted"
    np.testing.assert_array_equal(left["x"], whole)
    other = parts["states"].copy()
    other[7] += 1e-12
    for changed in ({"states": other}, {"states": other[:3]}, {"time": other[:, 0]}):
        put_together(file, {**parts, **changed})
        with pytest.raises(ModelError, match="damaged"):
            read_result(file)["x"]


def test_all_kinds_of_signals_are_read_as_they_were(tmp_path):
    """States, what is computed, constants, time; arrays, elements, derivatives and what is minus one of these."""
    model = Model(
        x=Var(init=1.0), r=Var(init=[1.0, 2.0]), M=np.array([[1.0, 2.0], [3.0, 4.0]]), k=2.5, u=Var(input=True, start=3.0),
        y=Var("x*k"), b=Var(), t=Var(), s=Var(), c=Var(), e=Var(), f=Var(start=[0.0, 0.0]), g=Var(start=[0.0, 0.0]), h=Var(),
        equations=["der(x) = -x", "der(r) = -M@r", "b = -x", "t = time", "s = -time", "c = -k", "e = -y", "f = -r", "g = -f",
                   "h = -u"],
    )  # fmt: skip
    sim = instantiate(model)
    memory = sim.simulate(1.0, interval=0.25)
    sim.simulate(1.0, interval=0.25, output=tmp_path / "x.h5")
    memory.save(tmp_path / "y.h5")
    time, r = memory.time, memory["r"]
    exact = {"t": time, "s": -time, "c": 0.0 * time - 2.5, "h": 0.0 * time - 3.0, "b": -memory["x"], "f": -r, "g": r}
    exact |= {"g[1]": r[:, 1], "f[0]": -r[:, 0], "der(f)[1]": -memory["der(r)"][:, 1], "M[1,0]": 0.0 * time + 3.0}
    for name, values in exact.items():
        np.testing.assert_array_equal(memory[name], values, err_msg=name)
    assert {"der(b)", "der(f)", "M", "s", "c"} <= set(memory)
    for read in (read_result(tmp_path / "x.h5"), read_result(tmp_path / "y.h5")):
        assert_same(memory, read)
        for name in ("r[1]", "M[1,0]", "g[0]", "f[1]", "der(f)[1]"):
            np.testing.assert_array_equal(memory[name], read[name], err_msg=name, strict=True)


def test_files_that_cannot_be_used(tmp_path):
    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(ModelError, match=r"suffix.*'\.txt'; expected \.h5 or \.hdf5"):
        sim.simulate(1.0, output=tmp_path / "mine.txt")
    with pytest.raises(ModelError, match=r"cannot be written.*no folder"):
        sim.simulate(1.0, output=tmp_path / "missing" / "x.h5")
    (tmp_path / "folder.h5").mkdir()
    with pytest.raises(ModelError, match="cannot be written"):
        sim.simulate(1.0, output=tmp_path / "folder.h5")
    with pytest.raises(ModelError, match="there is no result"):
        read_result(tmp_path / "x.h5")
    for content in (b"", b"{}", b"\x89HDF\r\n\x1a\n" + bytes(500)):
        (tmp_path / "x.h5").write_bytes(content)
        with pytest.raises(ModelError, match="damaged, or no result"):
            read_result(tmp_path / "x.h5")
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["time"] = np.arange(3.0)
    with pytest.raises(ModelError, match=r"damaged, or no result; found no dataset 'journal'"):
        read_result(tmp_path / "other.h5")


def test_what_a_result_is_one_of(tmp_path):
    sim = instantiate(
        Model(x=Var(init=1.0, unit="m"), v=Var(init=[1.0, 2.0], unit="m/s"), equations=["der(x) = -x", "der(v) = -v"])
    )
    sim.origin = {"file": "a.yaml", "scenario": "model: {}"}
    live = sim.simulate(1.0)
    live.save(tmp_path / "x.h5")
    read = read_result(tmp_path / "x.h5")
    for result in (live, read, pickle.loads(pickle.dumps(live)), pickle.loads(pickle.dumps(read))):
        assert (result.unit("x"), result.unit("v[1]"), result.unit("time"), result.unit("der(x)")) == ("m", "m/s", "s", "")
        assert result.origin == {"file": "a.yaml", "scenario": "model: {}"}
        assert set(result.about.versions) == {"modia3d", "numpy", "python"}
        assert result.about.checksums["model"] == live.about.checksums["model"]
    other = instantiate(Model(x=Var(init=1.0, unit="m"), v=Var(init=[1.0, 2.0]), equations=["der(x) = -2*x", "der(v) = -v"]))
    assert other.simulate(1.0).about.checksums["model"] != live.about.checksums["model"]
