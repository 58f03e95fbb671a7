"""What a result says about a simulation: names, numbers of events and steps, files, warnings, going on."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterator

import numpy as np
import pytest

from modiapy import Assert, Clock, Model, SimulationError, SimulationInterrupted, Var, When, instantiate, read_result
from modiapy.simulation.results import store

from .result_files import taken_apart
from .test_save import rod
from .test_store import assert_same

pytestmark = pytest.mark.white_box


def test_derivatives_of_eliminated_variables_have_their_sign() -> None:
    model = Model(
        x=Var(init=1.0),
        back=Var(),
        forth=Var(),
        same=Var(),
        equations=["der(x) = -2*x", "back = -x", "forth = -back", "same = x"],
    )
    result = instantiate(model).simulate(1.0)
    rate = -2.0 * result["x"]
    for name, sign in (("x", 1.0), ("back", -1.0), ("forth", 1.0), ("same", 1.0)):
        assert result[name] == pytest.approx(sign * result["x"])
        assert result[f"der({name})"] == pytest.approx(sign * rate), name


def test_events_are_counted_by_their_kind() -> None:
    model = Model(
        clock=Clock(0.4), x=Var(init=0.0), n=Var(start=0.0, type="Real"), y=Var(),
        equations=["der(x) = 1", "n = sample(x, clock)", "y = (1 if x > 0.55 else 0) + (1 if after(0.7) else 0)"],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    assert result.statistics["events_by_kind"] == {"clock": 2, "state": 1, "time": 1}
    assert result.statistics["events"] == sum(result.statistics["events_by_kind"].values())
    assert sum(r.events for r in result.segments) == result.statistics["events"]


def test_work_is_that_of_all_segments() -> None:
    result = instantiate(rod()).simulate(30.0)
    assert len(result.segments) > 3
    assert all(r.steps > 0 for r in result.segments[1:])
    assert result.statistics["steps"] == sum(r.steps for r in result.segments)


def test_the_order_is_the_highest_of_all_segments() -> None:
    """Also where the last one has only begun, with steps of first order."""
    sim = instantiate(rod())
    last = sim.simulate(30.0).segments[-1].start
    before, after = (sim.simulate(stop, interval=0.5).statistics["order"] for stop in (last - 1e-6, last + 1e-9))
    assert len(sim.last.result.segments) > 3
    assert 1 < before == after


def test_a_file_has_the_number_of_the_segment_of_each_point(tmp_path) -> None:  # type: ignore[no-untyped-def]
    result = instantiate(rod()).simulate(30.0)
    result.save(tmp_path / "rod.h5")
    expected = [r.index for r in result.segments for _ in result.segment(r.index).time]
    assert taken_apart(tmp_path / "rod.h5")["segment"].tolist() == expected == result.segment_numbers.tolist()


def test_the_absolute_tolerance_is_the_one_that_is_given() -> None:
    """Of a state of 1e-6 an error of 1e-7 is a tenth; a smaller absolute tolerance makes all its digits right."""
    sim = instantiate(Model(x=Var(init=1e-6, nominal=1.0), equations=["der(x) = -3*x"]))
    errors = [
        abs(sim.simulate(1.0, tolerance=1e-6, absolute_tolerance=a)["x"][-1] / (1e-6 * np.exp(-3.0)) - 1.0)
        for a in (1e-7, 1e-13)
    ]
    assert errors[1] < 1e-4 < errors[0]


def test_what_is_not_finite_is_warned_of_once() -> None:
    """Whatever the number of output points, of events and of stretches between them."""
    model = Model(x=Var(init=0.0), y=Var(), equations=["der(x) = 1", "y = sqrt(0.25 - x) + (1 if x > 0.6 else 0)"])
    for interval in (0.1, 0.0004):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = instantiate(model).simulate(1.0, interval=interval)
        assert len([w for w in warned if "Not finite there: 'y'" in str(w.message)]) == 1
        assert np.isnan(result["y"]).any()


def test_an_assertion_names_the_first_point_where_it_does_not_hold_each_time() -> None:
    condition = "noEvent(abs(x - 0.5) < 0.22)"
    model = Model(
        x=Var(init=0.0), equations=["der(x) = 1", Assert(condition, "outside", level="warning"), "y = x > 0.5"], y=Var()
    )
    with pytest.warns(UserWarning, match="outside") as warned:
        instantiate(model).simulate(1.0, interval=0.1)
    assert [str(w.message).split(" s ")[0] for w in warned] == ["at time 0", "at time 0.8"]


BALL = Model(
    h=Var(init=1.0), v=Var(init=0.0), n=Var(init=0, type="Integer"),
    equations=["der(h) = v", "der(v) = -9.81", When("h < 0", ["reinit(v, -0.7*pre(v))", "n = pre(n) + 1"])],
)  # fmt: skip
"""The last of its infinitely many bounces is at 2.5581 s."""


@pytest.mark.parametrize("stop", [1.0, 2.5, 2.558, 2.5581057])
def test_a_history_of_accumulating_events_is_saved(tmp_path, stop) -> None:  # type: ignore[no-untyped-def]
    """A run that goes on is refused at the same bounce, with the same words and after the same steps."""
    sim, file = instantiate(BALL), tmp_path / "snapshot.npz"
    with pytest.raises(SimulationError, match="faster and faster") as full:
        sim.simulate(4.0, interval=0.1)
    sim.simulate(stop, interval=0.1, save=file)
    sim.restore(file)
    with pytest.raises(SimulationError, match="faster and faster") as rest:
        sim.simulate(4.0)
    assert (rest.value.time, str(rest.value)) == (full.value.time, str(full.value))
    one, other = full.value.result.statistics, rest.value.result.statistics
    for name in ("events_by_kind", "steps", "rhs_evaluations"):
        assert one[name] == other[name], name


@pytest.mark.parametrize("chunk", [1, 4000])
def test_what_was_stored_after_a_snapshot_is_forgotten_where_it_is_gone_on_from(tmp_path, monkeypatch, chunk) -> None:  # type: ignore[no-untyped-def]
    """Also where the structure has changed since, in the files and in what they are read as later."""
    monkeypatch.setattr(store, "BLOCK_BYTES", chunk)
    sim, file, folder = instantiate(rod()), tmp_path / "snapshot.npz", tmp_path / "result.h5"
    full = sim.simulate(60.0, interval=0.01)
    sim.simulate(12.0, interval=0.01, save=file)
    sim.simulate(30.0, interval=0.01, output=folder)
    assert len(read_result(folder).segments) > 3
    for _ in range(2):
        sim.restore(file)
        rest = sim.simulate(60.0, output=folder)
        assert rest.stop_time == 60.0
        assert_same(full, rest)
        assert_same(full, read_result(folder, sim))


def test_a_result_can_be_read_while_the_simulation_runs(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """What was computed so long ago that it must have been written is there, however little it is."""
    monkeypatch.setattr(store, "BLOCK_SECONDS", 0.0)
    sim, folder, reached = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])), tmp_path / "result.h5", []

    def look(time: float) -> None:
        opened = read_result(folder)
        assert opened.status == "interrupted"
        reached.append((time, opened.time[-1], opened["x"][-1]))

    sim.simulate(5.0, interval=0.001, output=folder, progress=look)
    assert len(reached) > 3
    for time, last, x in reached:
        assert last == pytest.approx(time)
        assert x == pytest.approx(np.exp(-last), rel=1e-4)


def test_a_result_that_is_continued_has_no_end_yet(tmp_path) -> None:  # type: ignore[no-untyped-def]
    sim, folder, file = (
        instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])),
        tmp_path / "result.h5",
        tmp_path / "snapshot",
    )
    sim.simulate(1.0, interval=0.001, output=folder, save=file)
    assert read_result(folder).status == "finished"
    statuses: list[str] = []
    sim.restore(file)
    sim.simulate(4.0, output=folder, progress=lambda time: statuses.append(read_result(folder).status))
    assert set(statuses) == {"interrupted"}
    assert read_result(folder).status == "finished"


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A process in the background ignores interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_simulation_leaves_the_handler_of_interrupts_as_it_was() -> None:
    def interrupt(time: float) -> None:
        signal.raise_signal(signal.SIGINT)

    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(SimulationInterrupted):
        sim.simulate(1.0, interval=1e-4, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert sim.simulate(1.0).status == "finished"
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


@pytest.mark.usefixtures("interruptible")
def test_a_second_interrupt_does_nothing_and_a_third_ends_what_swallowed_the_first() -> None:
    outcomes: list[bool] = []

    def swallow(time: float) -> None:
        for _ in range(4):
            try:
                signal.raise_signal(signal.SIGINT)
                outcomes.append(False)
            except KeyboardInterrupt:
                outcomes.append(True)

    sim = instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"]))
    with pytest.raises(KeyboardInterrupt):  # what was swallowed is not forgotten
        sim.simulate(0.1, interval=0.02, progress=swallow)
    assert outcomes == [True, False, True, True]


def test_a_result_reaches_as_far_as_a_snapshot_that_is_saved_beside_it(tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Whenever its chunks would be written otherwise, so that a killed process can be gone on with."""
    monkeypatch.setattr(store, "BLOCK_SECONDS", 1e9)
    monkeypatch.setattr(store, "BLOCK_COST", 1e9)
    model = Model(x=Var(init=1.0), u=Var("1 if after(1.0) else 2"), equations=["der(x) = -u*x"])
    sim, folder, file, reached = instantiate(model), tmp_path / "result.h5", tmp_path / "snapshot.npz", []

    def save(time: float) -> None:
        sim.save(file)
        reached.append(read_result(folder).time)

    full = sim.simulate(4.0, interval=0.0005, output=folder, progress=save)
    assert len(reached) > 4
    assert reached[-1][-1] >= 1.0
    for time in reached:
        assert np.array_equal(time, full.time[: time.size])


def test_arrays_that_are_eliminated_have_their_sign() -> None:
    model = Model(
        q=Var(init=[1.0, 2.0, 4.0]), back=Var(start=[0.0] * 3), w=Var(start=[0.0] * 3), neg=Var(start=[0.0] * 3),
        equations=["der(q) = -q", "back = -q", "w = q*time", "neg = -w"],
    )  # fmt: skip
    sim = instantiate(model)
    result = sim.simulate(1.0, tolerance=1e-9)
    q = np.exp(-result.time)[:, None] * [1.0, 2.0, 4.0]
    for name, values in (("q", q), ("back", -q), ("w", q * result.time[:, None]), ("neg", -q * result.time[:, None])):
        assert result[name] == pytest.approx(values, abs=1e-7), name
        assert result[f"{name}[2]"] == pytest.approx(values[:, 2], abs=1e-7), name
        assert sim.value(f"{name}[1]") == pytest.approx(values[-1, 1], abs=1e-7), name


def test_what_is_minus_an_input_or_a_parameter_has_its_value():
    model = Model(
        u=Var(input=True, start=3.0), k=2.0, p=[1.0, 2.0], v=Var(), w=Var(), q=Var(), x=Var(init=0.0),
        equations=["v = -u", "w = -v", "q = -k", "der(x) = v"],
    )  # fmt: skip
    result = instantiate(model).simulate(1.0)
    assert [result[name][-1] for name in "vwqx"] == pytest.approx([-3.0, 3.0, -2.0, -3.0])
