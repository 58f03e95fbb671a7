"""What a component remembers within a segment reaches its signals, and what it tells besides signals becomes tables."""

import json
import math
import pickle

import numpy as np
import pytest

from modiapy import Model, ModelError, SimulationInterrupted, Var, instantiate, read_result
from modiapy.acausal import AcausalComponent, ComponentRun, Saves, SegmentChange, SegmentLayout, StoresSignals
from modiapy.simulation.files.archive import packed_text
from modiapy.simulation.results import store

from .result_files import lines, put_together, relinked, taken_apart

pytestmark = pytest.mark.white_box

SHIFTS = (0.25, 0.5, 0.75, 1.25, 1.75)
"""When a higher gear is taken [s]."""
NEW_SEGMENT = 1.25
"""Then there is a new segment, too."""
STOP = 2.0


def speed(trajectory):
    """Gear times time, with the gear that was in at each point."""
    gear = np.full(trajectory.time.size, np.nan)
    firsts = [first for first, _ in trajectory.history]
    assert firsts == sorted(firsts)
    gears = [entry["gear"] for _, entry in trajectory.history]
    assert gears == list(range(gears[0], gears[0] + len(gears))), "each shift once"
    for first, entry in trajectory.history:
        gear[first:] = entry["gear"]
    return gear * trajectory.time


class Gearbox(AcausalComponent, StoresSignals):
    def acausal_part(self):
        return Model(u=Var(), equations=["u = 2*time"])

    def begin_run(self):
        return Shifting()

    def stored_signals(self, description):
        assert description == {"teeth": 7}
        return {"speed": speed}


class Shifting(ComponentRun, Saves):
    def __init__(self):
        self.shifts, self.changed = [], False

    @property
    def gear(self):
        return 1 + len(self.shifts)

    def init_segment(self, start):
        self.layout = SegmentLayout([], np.zeros(0), signals={"speed": speed}, description={"teeth": 7})
        self.layout.history.append({"gear": self.gear})
        return self.layout

    def event(self, start):
        if start.time in SHIFTS and start.time not in self.shifts:
            self.shifts.append(start.time)
            self.layout.history.append({"gear": self.gear})
            assert start.signal("g.speed") == self.gear * start.time
        if start.time == NEW_SEGMENT and not self.changed:
            self.changed = True
            return SegmentChange("because")
        return None

    def next_time_event(self, time):
        return min((t for t in SHIFTS if t > time), default=math.inf)

    def tables(self, time):
        ends = [*self.shifts[1:], time]
        return {"gears": [{"gear": 2 + k, "end": end} for k, end in enumerate(ends[: len(self.shifts)])]}

    def snapshot(self):
        return {"shifts": list(self.shifts), "changed": self.changed}

    def restore(self, data):
        self.shifts, self.changed = list(data["shifts"]), bool(data["changed"])


def gearbox():
    part = Model(g=Model(_component=lambda scope: Gearbox()), x=Var(init=1.0), equations=["der(x) = -x"])
    return instantiate(part)


TABLE = [{"gear": 2, "end": 0.5}, {"gear": 3, "end": 0.75}, {"gear": 4, "end": 1.25}, {"gear": 5, "end": 1.75}]
TABLE.append({"gear": 6, "end": STOP})


def assert_speed(result, first=0.0):
    """The two points of an event have the gears before and after it."""
    time = result.time
    gear = 1.0 + np.searchsorted(SHIFTS, time, side="right")
    for event in (e for e in SHIFTS if e > first):
        before, after = np.flatnonzero(time == event)
        gear[before] -= 1.0
        assert after == before + 1
    np.testing.assert_array_equal(result["g.speed"], gear * time)


def test_signals_know_what_held_at_each_point():
    result = gearbox().simulate(STOP, interval=0.1)
    assert len(result.segments) == 2
    assert_speed(result)
    assert result.tables == {"gears": TABLE}
    assert json.loads(json.dumps(result.to_json()))["tables"] == {"gears": TABLE}
    assert result.contacts == []


@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_the_same_on_disk_and_pickled(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(store, "BLOCK_BYTES", chunk)
    sim = gearbox()
    memory = sim.simulate(STOP, interval=0.1)
    stored = sim.simulate(STOP, interval=0.1, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5", gearbox())
    for result in (stored, opened, pickle.loads(pickle.dumps(memory)), pickle.loads(pickle.dumps(opened))):
        assert_speed(result)
        np.testing.assert_array_equal(result["g.speed"], memory["g.speed"])
        assert result.tables == {"gears": TABLE}
    assert read_result(tmp_path / "result.h5").tables == {"gears": TABLE}


def test_while_it_runs_the_signal_is_there(tmp_path):
    sim, seen = gearbox(), []
    sim.simulate(STOP, interval=0.1, output=tmp_path / "r.h5", progress=lambda now: seen.append(sim.value("g.speed") / now))
    assert seen[0] == 1.0
    assert seen[-1] == 6.0


@pytest.mark.parametrize("stored", [False, True])
def test_a_simulation_that_goes_on(tmp_path, stored):
    """From within a segment, at an event: what held before is known, or is not part of the result."""
    sim, file, at = gearbox(), tmp_path / "snapshot", tmp_path / "result.h5" if stored else None
    full = sim.simulate(STOP, interval=0.1)

    def interrupt(now):
        if now > 0.6:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(STOP, interval=0.1, progress=interrupt, output=at)
    broken = caught.value.result
    assert broken.tables == {"gears": [TABLE[0], {"gear": 3, "end": broken.time[-1]}]}
    if at is not None:
        assert read_result(at).tables == broken.tables
    sim.save(file)
    sim.restore(file)
    rest = sim.simulate(STOP, output=at)
    assert rest.tables == full.tables
    n = rest.time.size
    np.testing.assert_array_equal(rest["g.speed"], full["g.speed"][-n:])
    if at is not None:
        assert n == full.time.size
        opened = read_result(at, sim)
        np.testing.assert_array_equal(opened["g.speed"], full["g.speed"])
        assert opened.tables == full.tables


def test_a_simulation_that_goes_on_from_a_past_that_was_stored(tmp_path):
    """What was remembered after the snapshot is forgotten with the points that are simulated anew."""
    sim, file, folder = gearbox(), tmp_path / "snapshot", tmp_path / "result.h5"

    def save(now):
        if now < 0.7:
            sim.save(file)

    full = sim.simulate(STOP, interval=0.1, output=folder, progress=save)
    assert sim.restore(file) == 0.25
    assert_speed(sim.simulate(STOP, output=folder))
    assert_speed(read_result(folder, sim))
    assert read_result(folder).tables == full.tables


def test_tables_are_there_while_it_runs_and_after_it_was_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BLOCK_BYTES", 1)
    sim, file, seen = gearbox(), tmp_path / "result.h5", []
    sim.simulate(STOP, interval=0.1, output=file, progress=lambda now: seen.append((now, read_result(file).tables["gears"])))
    assert len(seen) > 3
    for now, rows in seen:
        assert len(rows) >= sum(shift < now for shift in SHIFTS)
        assert rows[:-1] == TABLE[: len(rows) - 1] if rows else now <= SHIFTS[0]


def test_a_history_of_somebody_else_is_refused(tmp_path):
    sim, file = gearbox(), tmp_path / "result.h5"
    sim.simulate(STOP, output=file)
    parts = taken_apart(file)
    journal = relinked(parts["header"], [*lines(parts), packed_text({"history": [1, {"h": [[0, 1]]}]}).encode()])
    put_together(file, {**parts, "journal": journal})
    with pytest.raises(ModelError, match=r"damaged.*a history of a component that is not there"):
        read_result(file)
