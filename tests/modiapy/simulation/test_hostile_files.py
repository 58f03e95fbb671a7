"""Snapshots and results of strangers: whatever an edit makes of them, there is a named error or the same result."""

import functools
import hashlib
import json
import re
import tempfile
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Model, ModelError, SimulationError, Var, instantiate, read_result
from modiapy.simulation.files.archive import read_archive, unpacked_text, write_archive
from modiapy.simulation.run import Run
from tests.hostile import REMOVED, edited, edits, places, value_at

from .result_files import lines, put_together, relinked, taken_apart
from .test_save import rod, translated

pytestmark = pytest.mark.white_box

ROD_STOP, STOP = 5.0, 2.0


@functools.cache
def rods():
    return instantiate(rod())


@functools.cache
def snapshot(which):
    """Content of the file, the model and a later time."""
    sim, stop = (rods(), ROD_STOP) if which == "rod" else (translated(), STOP)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "snapshot.npz")
        sim.simulate(stop, interval=0.05 * stop, save=file)
        return file.read_bytes(), read_archive(file), sim, 1.05 * stop


def goes_on(sim, file, stop):
    """The result of a simulation that goes on, or the text of the error."""
    try:
        sim.restore(file)
        return sim.simulate(stop)
    except (ModelError, SimulationError) as error:
        return str(error)
    finally:
        sim._last.run = Run(sim._last.run.values)


@pytest.mark.parametrize("which", ["equations", "rod"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_edit_of_a_snapshot_ends_in_a_named_error_or_a_simulation(which, data):
    """The checksum is that of the edited data: what is wrong is found by the schema and by the sizes of the model."""
    _, content, sim, stop = snapshot(which)
    way = data.draw(st.sampled_from([way for way in places(content) if way[0] != "model"]))
    value = data.draw(st.sampled_from([REMOVED, *edits(value_at(content, way)), np.arange(3.0), [{"a": np.zeros(2)}]]))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "edited.npz")
        try:
            write_archive(file, edited(content, way, value))
        except ModelError:
            return
        answer = goes_on(sim, file, stop)
    assert answer.strip() if isinstance(answer, str) else answer.status == "finished"


STRANGE = [np.arange(3.0), np.zeros((2, 2)), [1, 2], {"a": np.arange(2.0)}, None, 2, "text", {"a": {"b": [1]}}]


@pytest.mark.parametrize("value", STRANGE, ids=str)
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_something_else_in_the_place_of_what_tells_the_model_from_others_is_told(tmp_path, depth, value):
    _, content, sim, stop = snapshot("equations")
    for group in ("parameter", "variable", "package", "equation"):
        entries = content["model"][group]
        way = ("model", group, next(iter(entries)))[:depth]
        write_archive(tmp_path / "edited.npz", edited(content, way, value))
        answer = goes_on(sim, tmp_path / "edited.npz", stop)
        assert isinstance(answer, str), (way, value)
        assert "the snapshot is damaged" in answer or "another model" in answer


@pytest.mark.parametrize("value", STRANGE, ids=str)
@pytest.mark.parametrize("name", ["format", "version", "snapshot"])
def test_something_else_in_the_place_of_the_format_is_told(tmp_path, name, value):
    _, content, sim, stop = snapshot("equations")
    write_archive(tmp_path / "edited.npz", edited(content, (name,), value))
    answer = goes_on(sim, tmp_path / "edited.npz", stop)
    assert isinstance(answer, str)
    assert "snapshot" in answer


SIZES = [
    ("x", lambda x: x[:-1]),
    ("x", lambda x: x[:0]),
    ("x", lambda x: np.append(x, 0.0)),
    ("unknowns", lambda u: u[:-1]),
    ("parts", lambda parts: {"rod": parts.get("rod", 0) - 1}),
    ("parts", lambda parts: {"rod": -1}),
]


@pytest.mark.parametrize(("name", "change"), SIZES)
@pytest.mark.parametrize("which", ["equations", "rod"])
def test_vectors_of_other_sizes_than_the_models_are_refused(tmp_path, which, name, change):
    _, content, sim, stop = snapshot(which)
    new = edited(content, ("snapshot", name), change(content["snapshot"][name]))
    write_archive(tmp_path / "edited.npz", new)
    assert "damaged" in goes_on(sim, tmp_path / "edited.npz", stop)


@pytest.mark.parametrize("levels", [[0] * 7, [1] * 16, [1, 1] + [0] * 7])
def test_states_of_a_component_that_do_not_fit_its_structure_are_refused(tmp_path, levels):
    """The total number of states is that of the snapshot, the component has others."""
    _, content, sim, stop = snapshot("rod")
    new = edited(content, ("snapshot", "components", "rod", "levels"), np.array(levels))
    write_archive(tmp_path / "edited.npz", new)
    answer = goes_on(sim, tmp_path / "edited.npz", stop)
    assert isinstance(answer, str)
    assert "rod" in answer


def test_an_edit_of_the_header_alone_is_found_by_the_checksum(tmp_path):
    """A plausible number in the place of another one."""
    content, data, sim, stop = snapshot("equations")
    file = tmp_path / "snapshot.npz"
    file.write_bytes(content)
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    at = data["snapshot"]["time"]
    members["header.json"] = members["header.json"].replace(repr(at).encode(), repr(at - 0.01).encode(), 1)
    with zipfile.ZipFile(file, "w") as archive:
        for name, part in members.items():
            archive.writestr(name, part)
    assert "another checksum" in goes_on(sim, file, stop)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_every_flipped_bit_or_cut_of_a_snapshot_is_refused_or_changes_nothing(data):
    content, _, sim, stop = snapshot("equations")
    at = data.draw(st.integers(0, len(content) - 1))
    bit = data.draw(st.integers(-1, 7))
    new = content[:at] if bit < 0 else content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "damaged.npz")
        file.write_bytes(content)
        whole = goes_on(sim, file, stop)
        file.write_bytes(new)
        answer = goes_on(sim, file, stop)
    if isinstance(answer, str):
        assert "damaged" in answer or "cannot be read" in answer
    else:
        np.testing.assert_array_equal(answer["x"], whole["x"])


# -- results on disk --------------------------------------------------------------------------------------------------------


@functools.cache
def stored():
    """The datasets of the file of a result with several segments, its bytes, and its signals."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result.h5")
        result = rods().simulate(60.0, interval=2.0, output=file)
        return taken_apart(file), file.read_bytes(), {name: result[name] for name in result}


def read_all(content, with_model=True):
    """All signals of a result with these datasets or bytes, or the text of the error."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "result.h5")
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            put_together(file, content)
        try:
            result = read_result(file, rods() if with_model else None)
            return {name: result[name] for name in result} | {"status": result.status}
        except (ModelError, SimulationError) as error:
            return str(error)


def test_what_was_not_changed_is_read():
    parts, content, signals = stored()
    again = {**parts, "journal": relinked(parts["header"], lines(parts))}
    assert again["journal"] == parts["journal"]
    for values in (read_all(again), read_all(content)):
        assert values.pop("status") == "finished"
        for name, value in signals.items():
            np.testing.assert_array_equal(values[name], value)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_edit_of_a_result_ends_in_a_named_error_or_a_result(data):
    """The checksums are right: what is wrong is found by the schema and by what there is."""
    parts, _, _ = stored()
    contents = lines(parts)
    which = data.draw(st.integers(-1, len(contents) - 1))
    old = json.loads(parts["header"] if which < 0 else contents[which])
    way = data.draw(st.sampled_from(list(places(old))))
    new = json.dumps(edited(old, way, data.draw(st.sampled_from([REMOVED, *edits(value_at(old, way))])))).encode()
    header = new if which < 0 else parts["header"]
    journal = relinked(header, [new if k == which else line for k, line in enumerate(contents)])
    for with_model in (True, False):
        left = read_all({**parts, "header": header, "journal": journal}, with_model)  # raises nothing else
        if isinstance(left, str):
            assert "result.h5" in left or "the result is damaged" in left
        else:
            assert left.pop("status") in ("finished", "failed", "interrupted")
            assert all(isinstance(value, np.ndarray) for value in left.values())


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("overrides", [1]), ("overrides", {"x": [1]}), ("file", 3), ("scenario", {}), ("included", {"a": 1}), ("files", ["a"]),
        ("visualizers", {"kind": "shape"}), ("visualizers", [{"kind": "shape"}]),
        ("visualizers", [{"path": "a", "kind": "shape", "what": "box", "values": {"r": "x"}}]),
    ],
)  # fmt: skip
def test_something_else_in_the_place_of_where_a_result_came_from_is_told(entry, value):
    parts, _, _ = stored()
    header = json.loads(parts["header"])
    header["origin"][entry] = value
    new = json.dumps(header).encode()
    answer = read_all({**parts, "header": new, "journal": relinked(new, lines(parts))}, False)
    assert f"header.origin.{entry}" in answer


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_changed_array_of_a_result_is_refused(data):
    parts, _, _ = stored()
    name = data.draw(st.sampled_from(["time", "unknowns", "components"]))
    other = parts[name].copy()
    other.ravel()[data.draw(st.integers(0, other.size - 1))] += 1.0
    change = data.draw(st.sampled_from([other, parts[name][:-1], parts[name].astype(np.float32), parts[name][:, None]]))
    assert "damaged" in read_all({**parts, name: change})


def test_every_flipped_bit_or_cut_of_a_result_is_refused_or_changes_no_number():
    """Also where HDF5 itself has to notice it."""
    _, content, signals = stored()
    rng = np.random.default_rng(5)
    for k in range(60):
        at, bit = int(rng.integers(len(content))), int(rng.integers(8))
        new = content[:at] if k % 5 == 0 else content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]
        values = read_all(new)
        if isinstance(values, str):
            assert "damaged" in values or "no result" in values or "another model" in values
            continue
        for signal, value in values.items():
            if signal != "status":
                np.testing.assert_array_equal(value, signals[signal][tuple(map(slice, value.shape))], err_msg=signal)


@pytest.mark.parametrize("kind", ["segment", "finished"])
def test_a_line_about_a_segment_that_is_not_there_is_told_with_the_file(kind):
    parts, _, _ = stored()
    contents = lines(parts)
    which, old = next((k, found) for k, found in enumerate(map(json.loads, contents)) if kind in found[0])
    new = json.dumps(edited(old, (0, kind, "index"), 99)).encode()
    journal = relinked(parts["header"], [new if k == which else line for k, line in enumerate(contents)])
    text = read_all({**parts, "journal": journal})
    assert re.search(r"result\.h5: there is no such segment; found \d+; expected a number from \d+ to \d+", text)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"version": 2}, r"version 2 of the format, expected 1$"),
        ({"format": "tables"}, "header.format"),
        ({"units": 3}, "header.units"),
    ],
)
def test_a_file_of_another_format_is_told_as_such(change, found):
    parts, _, _ = stored()
    header = json.dumps(json.loads(parts["header"]) | change).encode()
    text = read_all({**parts, "header": header, "journal": relinked(header, lines(parts))})
    assert re.search(rf"result\.h5: the result is damaged, or no result; found .*{found}", text)


def test_lines_of_the_journal_that_are_exchanged_or_left_out_are_found():
    parts, _, _ = stored()
    rows = parts["journal"].splitlines(keepends=True)
    for others in ([*rows[:2], rows[3], rows[2], *rows[4:]], rows[1:], [*rows[:3], *rows[4:]]):
        assert "another checksum" in read_all({**parts, "journal": b"".join(others)})


def test_what_is_elsewhere_or_packed_is_not_read(tmp_path):
    """Links to other files, filters (whose code HDF5 would load), and datasets that claim what is not there."""
    parts, _, _ = stored()
    file = tmp_path / "x.h5"
    put_together(tmp_path / "other.h5", {"time": parts["time"]})
    rest = {name: part for name, part in parts.items() if name != "time"}
    for change, found in (
        (lambda f: f.__setitem__("time", h5py.ExternalLink("other.h5", "/time")), "no dataset 'time'"),
        (lambda f: f.create_dataset("time", data=parts["time"], compression="gzip"), "'time' is something else"),
        (lambda f: f.create_dataset("time", (10**12,), "f8", chunks=(10**4,)), "damaged"),
    ):
        put_together(file, rest)
        with h5py.File(file, "r+") as opened:
            change(opened)
        with pytest.raises(ModelError, match=rf"damaged.*{found}" if found != "damaged" else found):
            read_result(file)["rod.T[3]"]


@pytest.mark.parametrize(
    "text",
    [
        '[{"$array": -1}, ["<f8", [1.0], [1]]]',
        '[{"$array": 0}, ["O", [1], [1]]]',
        '[{"$array": 0}, ["<f8", [], [99999999999]]]',
    ],
)
def test_arrays_of_strangers(text):
    """Negative numbers of arrays, objects and shapes that claim what is not there."""
    with pytest.raises(ValueError, match="array"):
        unpacked_text(text)


def test_an_array_that_claims_more_than_there_is_takes_no_memory(tmp_path):
    file = tmp_path / "claims.npz"
    write_archive(file, {"x": np.zeros(3)})
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["0.npy"] = members["0.npy"].replace(b"(3,), }          ", b"(30000000000,), }")
    assert b"30000000000" in members["0.npy"]
    parts = {name: content for name, content in members.items() if name != "checksum.txt"}
    digests = "".join(f"{name} {hashlib.sha256(parts[name]).hexdigest()}\n" for name in sorted(parts))
    members["checksum.txt"] = hashlib.sha256(digests.encode()).hexdigest().encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ModelError, match=r"damaged.*an array of the shape \(30000000000,\)"):
        read_archive(file)


def test_a_source_of_a_signal_that_is_not_in_the_data_is_refused(tmp_path):
    """The table of signals is that of the file; a source beyond the columns is refused."""
    sim, file = instantiate(Model(x=Var(init=1.0), y=Var(), equations=["der(x) = -x", "y = 2*x"])), tmp_path / "x.h5"
    sim.simulate(1.0, output=file)
    parts = taken_apart(file)
    header = json.loads(parts["header"])
    for index in (-1, 5):
        header["table"]["sources"]["x"][1] = index
        text = json.dumps(header).encode()
        put_together(file, {**parts, "header": text, "journal": relinked(text, lines(parts))})
        with pytest.raises(ModelError, match=r"damaged.*sources\.x"):
            read_result(file)
