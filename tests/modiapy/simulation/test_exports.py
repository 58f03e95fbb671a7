"""Results in other programs: tables, figures, comparison."""

import os
import re
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas
import pyarrow.parquet
import pytest

from modiapy import Array, Map, Model, ModelError, Var, When, instantiate
from modiapy.acausal import SegmentChange
from modiapy.simulation.results.comparison import compare
from modiapy.simulation.results.exports import matching

from .test_components import Actor, model

pytestmark = pytest.mark.white_box

mpl.use("Agg")

SAW = Model(
    k=1.0,
    x=Var(init=0.0, unit="m"),
    y=Var(init=0.0, unit="m/s"),
    v=Var(init=[1.0, 2.0, 4.0], unit="m"),
    equations=["der(x) = k", "der(y) = -y + x", "der(v) = -v", When("x > 0.55", ["reinit(x, 0.0)"])],
)
"""``x`` falls to 0 at every 0.55 s."""


@pytest.fixture(scope="module")
def saw():
    return instantiate(SAW, "Saw")


@pytest.fixture(scope="module")
def result(saw):
    return saw.simulate(2.0, tolerance=1e-9)


def test_pandas_has_elements_and_units(result):
    frame = result.to_pandas()
    assert {"x", "y", "v[0]", "v[2]", "der(x)"} <= set(frame.columns)
    assert frame.index.name == "time"
    np.testing.assert_array_equal(frame["v[2]"], result["v"][:, 2])
    assert frame.attrs == {"model": "Saw", "units": {"x": "m", "y": "m/s", "v[0]": "m", "v[1]": "m", "v[2]": "m"}}
    assert list(result.to_pandas(["v"]).columns) == ["v[0]", "v[1]", "v[2]"]
    assert list(result.to_pandas(["?"]).columns) == ["x", "y", "v[0]", "v[1]", "v[2]", "k"]


def test_wildcards_stand_for_any_text_and_brackets_for_themselves():
    """With each part of each name left out, or one character; the reference is a regular expression."""
    cell = Model(v=Var(init=1.0), k=2.0, equations=["der(v) = -k*v"])
    result = instantiate(Model(R=Array(2, cell), v0=Var("R[0].v"), s=cell)).simulate(0.1, interval=0.1)
    names = result.signals()
    assert {"R[0].v", "R[1].k", "der(R[0].v)"} <= set(names)
    patterns = {f"{n[:i]}*{n[j:]}" for n in names for i in range(len(n)) for j in (i, i + 1, i + 2, len(n))}
    patterns |= {f"{n[:i]}?{n[i + 1 :]}" for n in names for i in range(len(n))}
    for pattern in sorted(patterns):
        expression = "".join({"*": ".*", "?": "."}.get(c, re.escape(c)) for c in pattern)
        assert matching(result, pattern) == [n for n in names if re.fullmatch(expression, n)], pattern


def test_xarray_has_arrays_units_and_segments(result):
    data = result.to_xarray(["x", "v"])
    assert data["v"].dims == ("time", "v_0")
    assert data["v"].attrs["units"] == "m"
    np.testing.assert_array_equal(data["x"].values, result["x"])
    assert set(data["segment"].values) == {1}
    assert data.attrs == {"model": "Saw", "status": "finished"}
    assert (data["time"].attrs, result.to_xarray(["k"])["k"].attrs) == ({"units": "s"}, {})


def test_tables_lose_nothing(result, tmp_path):
    result.to_csv(tmp_path / "x.csv")
    result.save(tmp_path / "x.parquet", ["x", "v"])
    text = pandas.read_csv(tmp_path / "x.csv")
    assert [*text.columns] == ["time", *result.to_pandas().columns]
    np.testing.assert_array_equal(text["time"], result.time)
    np.testing.assert_array_equal(text["x"], result["x"])
    np.testing.assert_array_equal(text["v[1]"], result["v[1]"])
    table = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert table.column_names == ["time", "x", "v[0]", "v[1]", "v[2]"]
    assert [table.schema.field(name).metadata for name in ("time", "x")] == [{b"unit": b"s"}, {b"unit": b"m"}]
    assert table.schema.metadata == {b"model": b"Saw"}
    np.testing.assert_array_equal(table["time"].to_numpy(), result.time)
    np.testing.assert_array_equal(table["v[0]"].to_numpy(), result["v"][:, 0])


def test_what_cannot_be_written_is_refused(result, tmp_path):
    with pytest.raises(ModelError, match=r"found '.npz'; expected .h5, .hdf5 \(everything\), .csv, .parquet"):
        result.save(tmp_path / "x.npz")
    with pytest.raises(ModelError, match=r"no signal 'w'"):
        result.to_csv(tmp_path / "x.csv", ["w"])
    with pytest.raises(ModelError, match=r"no signal of the result fits 'w\*'"):
        result.to_csv(tmp_path / "x.csv", ["w*"])
    with pytest.raises(ModelError, match="cannot be written"):
        result.to_csv(tmp_path / "missing" / "x.csv")
    with pytest.raises(ModelError, match="cannot hold a part of a result"):
        result.save(tmp_path / "x.h5", ["x"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("package", "what", "call"),
    [
        ("pandas", "to_pandas", lambda result, file: result.to_pandas()),
        ("xarray", "to_xarray", lambda result, file: result.to_xarray(["x"])),
        ("pyarrow", "A Parquet file", lambda result, file: result.save(file)),
    ],
)
def test_a_package_that_is_missing_is_named(result, tmp_path, monkeypatch, package, what, call):
    monkeypatch.setitem(sys.modules, package, None)
    message = f"^{what} needs {package}, which is not installed. Install it with 'pip install {package}'.$"
    with pytest.raises(ModelError, match=message):
        call(result, tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError("no space left")])
@pytest.mark.parametrize("kind", ["h5", "csv", "parquet"])
def test_a_file_is_written_whole_or_stays_as_it_was(result, tmp_path, monkeypatch, kind, failure):
    file = tmp_path / f"x.{kind}"
    file.write_text("before")

    def fail(*_):
        raise failure

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        patch.setattr(Path, "replace", fail)
        with pytest.raises(ModelError if isinstance(failure, OSError) else KeyboardInterrupt):
            result.save(file)
    assert [(left.name, left.read_text()) for left in tmp_path.iterdir()] == [(file.name, "before")]
    result.save(file)
    assert [left.name for left in tmp_path.iterdir()] == [file.name]
    assert file.read_bytes()[:6] != b"before"


def test_figures_have_units_labels_and_one_diagram_for_each_unit(result):
    figure = result.plot("?", ("v", "y", "v"))
    labels = [axis.get_ylabel() for axis in figure.axes]
    assert labels == ["[m]", "y [m/s]", "k", "[m, m/s]"]
    lines = [[line.get_label() for line in axis.get_lines()] for axis in figure.axes]
    assert lines[0] == ["x", "v.x", "v.y", "v.z"]
    assert lines[3] == ["v.x", "v.y", "v.z", "y"]
    np.testing.assert_array_equal(figure.axes[0].get_lines()[2].get_ydata(), result["v"][:, 1])
    with pytest.raises(ModelError, match="nothing to plot"):
        result.plot()


@pytest.fixture(scope="module")
def changing():
    """Three segments, with a matrix of 25 elements."""
    changes = [0.25, 0.75]

    def event(start):
        return SegmentChange("next") if changes and start.time == changes[0] and changes.pop(0) else None

    part = model({"a": Actor(event, (0.25, 0.75))}, x=Var(init=1.0), M=Var(init=np.eye(5)), r=Var(init=[1.0, 2.0, 3.0]))
    rules = ["der(x) = -x", "der(M) = -M", "der(r) = -r"]
    return instantiate(part | Model(equations=rules), "Changing").simulate(1.0, interval=0.25)


def test_figures_have_a_title_the_time_below_and_marks_where_segments_begin(changing):
    figure = changing.plot("x", "M", "r", ("x", "M[0,0]"))
    for axis, labels in zip(
        figure.axes, ([], [], ["r.x", "r.y", "r.z"], ["x", "M[0,0]"]), strict=True
    ):  # 25 labels would hide the diagram
        marks = [line.get_xdata() for line in axis.get_lines() if line.get_linestyle() == ":"]
        assert [list(mark) for mark in marks] == [[0.25, 0.25], [0.75, 0.75]]
        legend = axis.get_legend()
        assert [text.get_text() for text in legend.get_texts()] == labels if labels else legend is None
        for line in axis.get_lines():
            if line.get_linestyle() != ":":
                np.testing.assert_array_equal(line.get_xdata(), changing.time)
    assert [axis.get_title() for axis in figure.axes] == ["Changing", "", "", ""]
    assert [axis.get_xlabel() for axis in figure.axes] == ["", "", "", "time [s]"]


def test_tables_have_the_number_of_the_segment_of_each_point(changing):
    numbers = changing.to_xarray(["x"])["segment"].values
    assert [*dict.fromkeys(numbers)] == [1, 2, 3]
    for k in (1, 2, 3):
        np.testing.assert_array_equal(changing.time[numbers == k], changing.segment(k).time)


# -- comparison -------------------------------------------------------------------------------------------------------------


def test_the_same_run_with_other_output_points_is_the_same(saw, result):
    """Its events have two points in both."""
    other = saw.simulate(2.0, tolerance=1e-9, interval=0.0137)
    assert other.time.size != result.time.size
    found = compare(result, other)
    assert found.same
    assert {d.name for d in found.differences} >= {"x", "y", "v[2]"}


def test_what_differs_is_told_where_it_is_worst(saw, result):
    found = compare(result, saw.simulate(2.0, tolerance=1e-9, merge=Map(k=1.0 + 1e-3)), ["x", "y"], relative=0.01, absolute=0.0)
    assert not found.same
    worst = found.differences[0]
    assert worst.name == "x"  # between the two falls it is wrong by all of it
    assert worst.time % 0.55 == pytest.approx(0.55, abs=0.01)
    assert worst.distance == pytest.approx(0.55, rel=0.01)
    assert found.differences[1].name == "y"
    assert not found.differences[1].differs


def test_events_may_be_shifted(saw, result):
    other = saw.simulate(2.0, tolerance=1e-9, merge=Map(k=1.0 + 1e-4))
    assert not compare(result, other, ["x"], relative=1e-3).same
    assert compare(result, other, ["x"], relative=1e-3, time_tolerance=1e-3).same
    assert not compare(result, saw.simulate(2.0, merge=Map(k=1.1)), ["x"], relative=1e-3, time_tolerance=1e-3).same


def test_values_before_and_after_an_event_are_compared_with_their_like(saw):
    step = Model(u=Var("2.0 if time >= 1.0 else 1.0"), x=Var(init=0.0), equations=["der(x) = u"])
    a = instantiate(step).simulate(2.0, interval=0.5)
    b = instantiate(step | Map(u=Var("2.0 if time > 1.0 else 1.0"))).simulate(2.0, interval=0.3)
    assert compare(a, b, relative=1e-6).same


def test_results_of_other_lengths_and_signals_differ(saw, result):
    found = compare(result, saw.simulate(1.0, tolerance=1e-9))
    assert [d.name for d in found.differences if d.differs] == ["time"]
    other = instantiate(Model(x=Var(init=0.0), z=Var(init=1.0), equations=["der(x) = 1", "der(z) = 1"])).simulate(2.0)
    found = compare(result, other)
    assert "z" in found.only_b
    assert "y" in found.only_a
    assert not found.same
    found = compare(result, other, ["x", "?"])
    assert (found.only_a, found.only_b) == (("y", "v", "k"), ("z",))
    assert [d.name for d in found.differences if d.name != "time"] == ["x"]
    assert not compare(result, other, ["x", "z"], relative=10.0).same
    assert compare(result, other, ["x"], relative=10.0).same
    with pytest.raises(ModelError, match="the argument 'relative' of compare is wrong"):
        compare(result, other, relative=-1.0)
    with pytest.raises(ModelError, match="no signal 'w'"):
        compare(result, other, ["w"])


@pytest.fixture(scope="module")
def matrices():
    M, N = np.arange(1.0, 5.0).reshape(2, 2), np.arange(1.0, 7.0).reshape(2, 3)
    return instantiate(Model(M=Var(init=M), N=Var(init=N), equations=["der(M) = -M", "der(N) = -N"]), "Matrices")


def test_columns_of_matrices_are_their_elements(matrices):
    result = matrices.simulate(1.0)
    frame = result.to_pandas()
    for name, shape in (("M", (2, 2)), ("N", (2, 3))):
        assert [c for c in frame.columns if c.startswith(f"{name}[")] == [f"{name}[{i},{j}]" for i, j in np.ndindex(shape)]
        for i, j in np.ndindex(shape):
            np.testing.assert_array_equal(frame[f"{name}[{i},{j}]"], result[name][:, i, j])


@pytest.mark.parametrize("element", ["M[0,0]", "M[0,1]", "M[1,1]"])
def test_the_element_that_differs_is_named(matrices, element):
    i, j = int(element[2]), int(element[4])
    changed = np.arange(1.0, 5.0).reshape(2, 2)
    changed[i, j] += 0.5
    found = compare(matrices.simulate(1.0), matrices.simulate(1.0, merge=Map(M=Var(init=changed))), ["M", "N"])
    assert [d.name for d in found.differences if d.differs] == [element]
    assert len(found.differences) == 10
    worst = found.differences[0]
    assert worst.b - worst.a == pytest.approx(0.5)
    assert worst.time == 0.0


def test_elements_that_one_array_has_more_of_are_told():
    results = [
        instantiate(Model(v=Var(init=np.ones(n)), equations=["der(v) = -v"])).simulate(1.0, interval=0.5) for n in (2, 3)
    ]
    shorter, longer = compare(*results), compare(*results[::-1])
    assert (shorter.only_a, shorter.only_b) == ((), ("v[2]", "der(v)[2]"))
    assert (longer.only_a, longer.only_b) == (shorter.only_b, shorter.only_a)
    assert not shorter.same
    assert {d.name for d in shorter.differences} == {"v[0]", "v[1]", "der(v)[0]", "der(v)[1]"}
