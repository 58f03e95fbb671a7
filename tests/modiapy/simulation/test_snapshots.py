"""Snapshots: what does not fit is told with its place, several components go on each with its own, what cannot be written."""

from __future__ import annotations

import ctypes
import shutil
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modiapy import Assert, Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.acausal import CallEquation, ComponentRun, Saves, SegmentLayout, Slot
from modiapy.flat import Name
from modiapy.library.heat_transfer import FixedTemperature, HeatCapacitor
from modiapy.library.insulated_rod import InsulatedRod
from modiapy.simulation.files.archive import read_archive, write_archive
from tests.hostile import edited

from ..symbolic.sorted_models import component_function
from .test_components import Acting, Actor, model, quiet
from .test_save import rod, translated

pytestmark = pytest.mark.white_box

STOP = 5.0


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """A model, and the content of a snapshot of it, at an event after its first."""
    sim, file = instantiate(rod()), tmp_path_factory.mktemp("saved") / "snapshot"
    sim.simulate(STOP, start_time=1.0, interval=0.5, save=file)
    return sim, read_archive(file)


def test_the_content_that_all_tests_spoil_is_right(saved: tuple[Any, Any], tmp_path: Path) -> None:
    sim, content = saved
    write_archive(tmp_path / "s", content)
    assert sim.restore(tmp_path / "s") == content["snapshot"]["time"] > 1.0
    assert sim.simulate(STOP + 1.0).status == "finished"
    assert content["snapshot"]["segment"]["index"] > 1


def told(content: Any, way: tuple[Any, ...]) -> Any:
    for key in way:
        content = content[key]
    return content


@pytest.mark.parametrize(
    ("way", "change", "text"),
    [
        (("format",), lambda _: "modiapy result", "the file is not a snapshot of a simulation"),
        (("version",), lambda v: v - 1, "the format of the snapshot is not known; found {new}; expected {old}"),
        (("snapshot", "time"), lambda _: 0.5, "snapshot.time: 0.5 s is before the start"),
        (("snapshot", "segment", "start"), lambda _: 99.0, "s is before the start"),
        (("snapshot", "options", "start_time"), lambda _: 98.0, "s is before the start"),
        (("snapshot", "time"), lambda _: np.inf, "snapshot.time: expected a finite number, found inf"),
        (("snapshot", "points"), lambda _: -1, "snapshot.points: expected a whole number, not negative, found -1"),
        (("snapshot", "work", "steps"), lambda _: 0.5, "snapshot.work.steps: expected a whole number, not negative"),
        (("snapshot", "options", "dae"), lambda _: 1, "snapshot.options.dae: expected true or false, found 1"),
        (("snapshot", "parts"), lambda _: {"other": 8}, "parts: expected those of rod"),
        (("snapshot", "x"), lambda x: x[:-1], "x: expected {size} numbers, found ndarray"),
        (("snapshot", "unknowns"), lambda u: np.append(u, 0.0), "unknowns: expected"),
        (("snapshot", "x"), lambda x: np.where(np.arange(x.size) == 3, np.nan, x), "x: expected finite numbers"),
        (("snapshot", "segment", "index"), lambda _: 0, "segment: expected {invariant} and {variant} states, and a number of"),
        (("snapshot", "segment", "states_variant"), lambda n: n + 1, "segment: expected {invariant} and {variant} states"),
        (("snapshot", "segment", "states_invariant"), lambda n: n + 1, "segment: expected {invariant} and {variant} states"),
        (("snapshot", "memory", "modes"), lambda m: np.append(m, 1.0), "memory.modes: expected"),
        (("snapshot", "memory", "bands"), lambda m: np.append(m, 0.0), "memory.bands: expected"),
        (("snapshot", "components"), lambda _: {}, "rod"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(
    saved: tuple[Any, Any], tmp_path: Path, way: tuple[str, ...], change: Any, text: str
) -> None:
    sim, content = saved
    old = told(content, way)
    new, segment = change(old), content["snapshot"]["segment"]
    write_archive(tmp_path / "s", edited(content, way, new))
    text = text.format(
        new=new, old=old, size=np.size(old), invariant=segment["states_invariant"], variant=segment["states_variant"]
    )

    def goes_on() -> None:
        sim.restore(tmp_path / "s")
        sim.simulate(STOP + 1.0)

    with pytest.raises((ModelError, SimulationError)) as caught:
        goes_on()
    assert text in str(caught.value)


def test_what_switches_is_on_or_off(tmp_path: Path) -> None:
    sim, file, seen = translated(), tmp_path / "s", 0
    sim.simulate(1.0, save=file)
    content = read_archive(file)
    for name in ("modes", "after", "flags", "solved"):
        way = ("snapshot", "memory", name)
        for wrong in (0.5, 2.0, -1.0, np.nan):
            write_archive(file, edited(content, way, told(content, way) * 0.0 + wrong))
            sim.restore(file)
            if told(content, way).size:
                with pytest.raises((ModelError, SimulationError), match=rf"memory\.{name}: expected zeros and ones"):
                    sim.simulate(2.0)
                seen += 1
    assert seen >= 8


def test_several_components_go_on_each_with_its_own_states(tmp_path: Path) -> None:
    """Two rods of other lengths and numbers of volumes, that are refined where it becomes hot, at times of their own."""
    rods = {
        "one": InsulatedRod | Map(n=8, max_level=3, refine_above=4.0, length=0.2),
        "two": InsulatedRod | Map(n=5, max_level=2, refine_above=6.0, length=0.1, check_period=2.0),
    }
    ends = {"hot": FixedTemperature | Map(T=360.0), "middle": HeatCapacitor | Map(T=Var(init=300.0)), "cold": FixedTemperature}
    model = Model(
        **rods,
        **ends,
        connect=[
            ("hot.port", "one.port_a"),
            ("one.port_b", "middle.port", "two.port_a"),
            ("two.port_b", "cold.port"),
        ],
    ) | Map(cold=Map(T=350.0))
    sim, file = instantiate(model), tmp_path / "snapshot"
    full = sim.simulate(12.0, interval=0.5)
    assert len(full.segments) > 4
    for stop in (0.4, 7.0):
        sim.simulate(stop, interval=0.5, save=file)
        sim.restore(file)
        rest = sim.simulate(12.0)
        for name in rest:
            found, expected = rest[name], full[name][-rest.time.size :]
            columns = found.shape[1:] and (slice(None), slice(found.shape[1]))  # as many as were ever needed
            np.testing.assert_array_equal(found, expected[columns] if columns else expected, err_msg=name)
        for before, after in zip(full.segments[rest.segments[0].index - 1 :], rest.segments, strict=True):
            for name in ("index", "start", "cause", "states_variant", "info", "events", "steps"):
                assert getattr(before, name) == getattr(after, name), name


def test_a_snapshot_that_cannot_be_written_at_the_end_costs_nothing_else(tmp_path: Path) -> None:
    """The error has the whole result; of a simulation that had an error of its own, it is that error."""

    def simulate(*rules: Any) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        sim = instantiate(Model(x=Var(init=0.0), equations=["der(x) = 1", *rules]))
        sim.simulate(2.0, save=folder / "s", progress=lambda now: shutil.rmtree(folder, ignore_errors=True))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(SimulationError, match="the file cannot be written") as caught:
            simulate()
    assert (caught.value.time, caught.value.path) == (2.0, str(tmp_path / "folder" / "s"))
    assert caught.value.result.status == "finished"
    assert caught.value.result["x"][-1] == pytest.approx(2.0)
    with (
        pytest.warns(UserWarning, match="the file cannot be written"),
        pytest.raises(SimulationError, match="too far") as other,
    ):
        simulate(Assert("x < 1.5", "too far"))
    assert other.value.time == pytest.approx(1.5)


class Ramps(Actor):
    """Its n states have the derivatives n, n + 1, ...; it keeps what it is told where a segment begins."""

    def __init__(self, n: int) -> None:
        super().__init__(quiet, (0.5,))
        self.n, self.told = n, list[Any]()

        def ramp(context: Any, inputs: Any, outputs: Any) -> int:
            outputs[0] = inputs[0]
            (ctypes.c_double * n).from_address(context[Slot.DER])[:] = [float(n + k) for k in range(n)]
            return 0

        self.functions = (component_function("ramp", 1, 1, ramp, sink=True),)

    def acausal_part(self) -> Model:
        call = CallEquation(self.functions[0], (Name("x"),), (Name("f"),))
        return Model(x=Var(init=2.0), f=Var(), equations=["der(x) = 1", call])

    def begin_run(self) -> ComponentRun:
        return Ramp(self)


class Ramp(Acting, Saves):
    def init_segment(self, start: Any) -> SegmentLayout:
        x, f = start.read("x"), None if start.x is None else start.read("f")
        actor = self._actor
        assert isinstance(actor, Ramps)
        actor.told.append((start.time, None if start.x is None else start.x.copy(), x, f))
        return SegmentLayout([f"s{k}" for k in range(actor.n)], np.zeros(actor.n) if start.x is None else start.x)

    def snapshot(self) -> dict[str, Any]:
        return {}

    def restore(self, data: Any) -> None:
        """Its structure is always the same."""


def test_components_that_go_on_are_told_their_own_states_and_what_they_read(tmp_path: Path) -> None:
    actors = {"one": Ramps(2), "none": Ramps(0), "two": Ramps(3)}
    sim = instantiate(model(actors, y=Var(init=9.0), equations=["der(y) = 0"]))
    full = sim.simulate(1.5, interval=0.25)
    sim.simulate(1.0, interval=0.25, save=tmp_path / "s")
    for actor in actors.values():
        actor.told.clear()
    assert sim.restore(tmp_path / "s") == 0.5
    rest = sim.simulate(1.5)
    for name, actor in actors.items():
        ((time, x, read, computed),) = actor.told
        assert (time, read, computed) == (0.5, pytest.approx(2.5), pytest.approx(2.5))
        assert x == pytest.approx(0.5 * (actor.n + np.arange(actor.n)))
        for k in range(actor.n):
            np.testing.assert_array_equal(rest[f"{name}.s{k}"], full[f"{name}.s{k}"][-rest.time.size :])
