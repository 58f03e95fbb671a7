"""Segments: states and indicators of changing number, between states of the equations that stay, with the library's rod."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.acausal import SegmentChange
from modiapy.library.heat_transfer import FixedHeatFlow, HeatCapacitor
from modiapy.library.insulated_rod import InsulatedRod
from modiapy.library.insulated_rod.component import Rod, RodRun

UNIT = InsulatedRod | Map(area=1.0, conductivity=2.0, density=3.0, specific_heat=1.0, T_start=300.0)
Insulation = FixedHeatFlow | Map(Q_flow=0.0)


def between_bodies(**rod: Any) -> Model:
    """A hot body, the rod, a cold body: nothing goes in or out."""
    return Model(
        hot=HeatCapacitor | Map(C=5.0, T=Var(init=390.0)),
        rod=UNIT | Map(**rod),
        cold=HeatCapacitor | Map(T=Var(init=300.0)),
        connect=[("hot.port", "rod.port_a"), ("rod.port_b", "cold.port")],
    )


@pytest.fixture(scope="module")
def changing() -> Any:
    return instantiate(between_bodies(n=4, max_level=4, refine_above=6.0), "rod")


def test_states_and_indicators_resize_without_compilation(changing: Any) -> None:
    result = changing.simulate(20.0, tolerance=1e-8)
    table = [(s.start, s.states_variant, s.info["volumes"]) for s in result.segments]
    assert [volumes for _, _, volumes in table] == [s for _, s, _ in table]
    numbers = [s for _, s, _ in table]
    assert numbers[0] == numbers[-1] == 4
    assert max(numbers) > 15
    assert {result.segment(k).layouts["rod"].n_z for k in range(1, len(table) + 1)} == {1, 2}
    assert result.segments[0].cause == "initialization"
    assert {s.states_invariant for s in result.segments} == {2}
    assert result.statistics["compilations_after_start"] == 0
    assert result.segment(1).time.tolist() == [0.0]  # zero length


def test_energy_is_conserved_across_segments(changing: Any) -> None:
    result = changing.simulate(20.0, tolerance=1e-9)
    energy = 5.0 * result["hot.T"] + result["cold.T"] + result["rod.energy"]
    assert energy == pytest.approx(np.full(energy.size, energy[0]), rel=1e-9)
    assert result["hot.T"][-1] == pytest.approx(energy[0] / 9.0, abs=1.0)


def test_states_of_the_equations_are_untouched_by_a_change(changing: Any) -> None:
    result = changing.simulate(5.0)
    for index in range(1, len(result.segments)):
        before, after = result.segment(index), result.segment(index + 1)
        assert before.time[-1] == after.time[0] == result.segments[index].start
        for name in ("hot.T", "cold.T"):
            assert before[name][-1] == after[name][0]


def test_a_steady_state_is_that_of_the_last_segment(changing: Any) -> None:
    """The number of volumes has changed on the way; all have the mean temperature of what was hot and cold."""
    steady = changing.steady_state(20.0)
    volumes = changing.simulate(20.0).segments[-1].states_variant
    assert {name for name in steady if name.startswith("rod.T[")} >= {f"rod.T[{k}]" for k in range(volumes)}
    mean = (5.0 * 390.0 + 4.0 * 300.0) / 9.0
    for name in ("hot.T", "cold.T", *(f"rod.T[{k}]" for k in range(volumes))):
        assert steady[name] == pytest.approx(mean, rel=1e-6), name


def test_a_signal_is_nan_where_it_does_not_exist(changing: Any) -> None:
    result = changing.simulate(5.0)
    row = 0
    for index in range(1, len(result.segments) + 1):
        segment = result.segment(index)
        part = result["rod.T[4]"][row : row + segment.time.size]
        assert np.isfinite(part).all() == (segment.record.states_variant > 4)
        assert np.isnan(part).all() == (segment.record.states_variant <= 4)
        row += segment.time.size
    assert result["rod.T"].shape == (result.time.size, max(s.states_variant for s in result.segments))


def test_state_event_of_the_component_is_located(changing: Any) -> None:
    """Where volumes are split, the temperature over one of them has reached the threshold, and was below before."""
    result = changing.simulate(0.5, tolerance=1e-9)
    found = 0
    for index in range(2, len(result.segments)):
        segment = result.segment(index)
        if result.segments[index].states_variant < segment.record.states_variant or segment.time.size < 3:
            continue
        widths = 1.0 / 4.0 / 2.0 ** np.round(-np.log2(4.0 * _widths(segment["rod.position"][0])))
        assert widths.sum() == pytest.approx(1.0)
        flows = _gradients(segment, widths)
        largest = (widths * np.maximum(np.abs(flows[:, :-1]), np.abs(flows[:, 1:])))[:, widths > 1.0 / 64 * 1.01].max(axis=1)
        assert largest[-1] == pytest.approx(6.0, rel=1e-6)
        assert (largest[:-1] < 6.0).all()
        found += 1
    assert found > 2


def _widths(centres: np.ndarray) -> np.ndarray:
    """Widths of volumes that fill the rod, from their centres."""
    edges = [0.0]
    for centre in centres:
        edges.append(2.0 * centre - edges[-1])
    return np.diff(edges)


def _gradients(segment: Any, widths: np.ndarray) -> np.ndarray:
    ends = np.column_stack([segment["rod.port_a.T"], segment["rod.T"], segment["rod.port_b.T"]])
    half = np.concatenate([[0.0], 0.5 * widths, [0.0]])
    return np.asarray(np.diff(ends, axis=1) / (half[:-1] + half[1:]))


def test_the_same_simulation_twice_gives_the_same_bits(changing: Any) -> None:
    first, second = (changing.simulate(5.0) for _ in range(2))
    assert np.array_equal(first["hot.T"], second["hot.T"])


@pytest.mark.parametrize("solver", ["sundae", "scipy"])
def test_other_integrators_resize_too(changing: Any, solver: str) -> None:
    reference = changing.simulate(2.0, tolerance=1e-8)
    other = changing.simulate(2.0, tolerance=1e-8, solver=solver)
    assert [s.states_variant for s in other.segments] == [s.states_variant for s in reference.segments]
    assert other["hot.T"][-1] == pytest.approx(reference["hot.T"][-1], rel=1e-6)


def test_merge_reaches_the_component_without_compilation(changing: Any) -> None:
    insulated = changing.simulate(5.0, merge=Map(rod=Map(conductivity=1e-9, max_level=0)))
    assert insulated["hot.T"] == pytest.approx(np.full(insulated.time.size, 390.0), abs=1e-4)
    assert insulated.statistics["compilations_after_start"] == 0
    assert insulated["rod.conductivity"] == pytest.approx(1e-9)


def test_two_components_that_change_at_the_same_time_make_one_new_segment() -> None:
    changing = Map(max_level=3, refine_above=6.0, check_period=0.1)
    model = Model(
        hot=HeatCapacitor | Map(C=5.0, T=Var(init=390.0)),
        one=UNIT | Map(n=3, length=0.5) | changing,
        two=UNIT | Map(n=5, length=0.5) | changing,
        end=Insulation,
        connect=[("hot.port", "one.port_a"), ("one.port_b", "two.port_a"), ("two.port_b", "end.port")],
    )
    result = instantiate(model).simulate(5.0, tolerance=1e-9)
    assert any(s.cause.count("volumes") == 2 and "; two: " in s.cause for s in result.segments)
    assert len({s.start for s in result.segments[1:]}) == len(result.segments) - 1
    energy = 5.0 * result["hot.T"] + result["one.energy"] + result["two.energy"]
    assert energy == pytest.approx(np.full(energy.size, energy[0]), rel=1e-9)


class Refused(RodRun):
    """A rod whose event is refused after one second, as an attach out of tolerance is."""

    def event(self, start: Any) -> Any:
        if start.time >= 1.0:
            raise ModelError("the frames do not mate", path="rod.a", found="3 mm", expected="1 mm")
        return super().event(start)

    def next_time_event(self, time: float) -> float:
        return 1.0 if time < 1.0 else math.inf


class Restless(Refused):
    """A rod that asks for a change for ever."""

    def event(self, start: Any) -> Any:
        return SegmentChange("because") if start.time >= 1.0 else None


def with_run(model: Any, run: type[RodRun]) -> Any:
    """The same with other runs of its rod."""
    model["rod"]["_component"] = type("OtherRod", (Rod,), {"begin_run": lambda rod: run(rod)})
    return model


def test_an_error_of_a_component_keeps_the_results() -> None:
    model = with_run(between_bodies(n=4), Refused)
    with pytest.raises(SimulationError, match=r"rod.a: at time 1 s the frames do not mate; found 3 mm; exp") as caught:
        instantiate(model).simulate(2.0)
    assert caught.value.time == 1.0
    assert caught.value.result.time[-1] == 1.0
    assert caught.value.result.status == "failed"
    assert caught.value.result["hot.T"][-1] < 390.0


def test_endless_changes_at_one_point_are_refused_with_their_cause() -> None:
    model = with_run(between_bodies(n=2), Restless)
    with pytest.raises(SimulationError, match="more than 1000 changes at one point in time; found because"):
        instantiate(model).simulate(2.0)
