"""A second predefined acausal component: states and indicators of changing number, through the same compiler as the engine."""

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate

from .rod import HeatPort, insulated_rod

Body = Model(C=1.0, port=HeatPort, T=Var(init=300.0), equations=["T = port.T", "C*der(T) = port.Q"])
Source = Model(T=400.0, port=HeatPort, equations=["port.T = T"])
Isolation = Model(port=HeatPort, equations=["port.Q = 0"])


def between_bodies(**rod):
    """A hot body, the rod, a cold body: nothing goes in or out."""
    return Model(
        hot=Body | Map(C=5.0, T=Var(init=390.0)),
        rod=insulated_rod(**rod),
        cold=Body,
        connect=[("hot.port", "rod.a"), ("rod.b", "cold.port")],
    )


@pytest.fixture(scope="module")
def changing():
    rod = {"n": 8, "at_times": [(0.1, 4), (0.1, 5), (2.0, 20)], "thresholds": [(330.0, 3), (345.0, 12)]}
    return instantiate(between_bodies(**rod), "rod")


def test_states_and_indicators_resize_without_compilation(changing):
    result = changing.simulate(20.0, tolerance=1e-8)
    table = [(s.start, s.states_variant, s.info["volumes"]) for s in result.segments]
    assert [volumes for _, _, volumes in table] == [s for _, s, _ in table]
    assert [row[:2] for row in table[:3]] == [(0.0, 8), (0.1, 4), (0.1, 5)]
    assert sorted(s for _, s, _ in table[3:]) == [3, 12, 20]
    assert result.segments[0].cause == "initialization"
    assert {s.states_invariant for s in result.segments} == {2}
    assert result.statistics["compilations_after_start"] == 0
    assert result.segment(2).time.tolist() == [0.1]  # zero length


def test_energy_is_conserved_across_segments(changing):
    result = changing.simulate(20.0, tolerance=1e-9)
    energy = 5.0 * result["hot.T"] + result["cold.T"] + result["rod.energy"]
    assert energy == pytest.approx(energy[0], rel=1e-10)
    assert result["hot.T"][-1] == pytest.approx(energy[0] / 9.0, abs=1.0)


def test_states_of_the_equations_are_untouched_by_a_change(changing):
    result = changing.simulate(5.0)
    for index in range(1, len(result.segments)):
        before, after = result.segment(index), result.segment(index + 1)
        assert before.time[-1] == after.time[0] == result.segments[index].start
        for name in ("hot.T", "cold.T"):
            assert before[name][-1] == after[name][0]


def test_a_signal_is_nan_where_it_does_not_exist(changing):
    result = changing.simulate(5.0)
    row = 0
    for index in range(1, len(result.segments) + 1):
        segment = result.segment(index)
        part = result["rod.T[4]"][row : row + segment.time.size]
        assert np.isfinite(part).all() == (segment.record.states_variant > 4)
        assert np.isnan(part).all() == (segment.record.states_variant <= 4)
        row += segment.time.size
    assert result["rod.T"].shape == (result.time.size, max(s.states_variant for s in result.segments))


def test_state_event_of_the_component_is_located(changing):
    result = changing.simulate(20.0, tolerance=1e-9)
    crossing = next(s for s in result.segments if "330" in s.cause)
    before = result.segment(crossing.index - 1)
    middle = before[f"rod.T[{before.record.states_variant // 2}]"]
    assert middle[-1] == pytest.approx(330.0, abs=1e-5)
    assert (middle[:-1] < 330.0).all()


def test_the_same_simulation_twice_gives_the_same_bits(changing):
    first, second = (changing.simulate(5.0) for _ in range(2))
    assert np.array_equal(first["hot.T"], second["hot.T"])


@pytest.mark.parametrize("solver", ["sundae", "scipy"])
def test_other_integrators_resize_too(changing, solver):
    reference = changing.simulate(5.0, tolerance=1e-9)
    other = changing.simulate(5.0, tolerance=1e-9, solver=solver)
    assert [s.states_variant for s in other.segments] == [s.states_variant for s in reference.segments]
    assert other["hot.T"][-1] == pytest.approx(reference["hot.T"][-1], rel=1e-6)


def test_slowest_mode_of_a_fine_rod_agrees_with_the_heat_equation():
    model = Model(
        rod=insulated_rod(n=60, G=2.0, C=3.0, T0=300.0),
        left=Source | Map(T=400.0),
        right=Source | Map(T=400.0),
        connect=[("left.port", "rod.a"), ("right.port", "rod.b")],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-8)
    mean = 400.0 - result["rod.energy"] / 3.0
    odd = np.arange(1, 60, 2)[:, None]  # Fourier series of the mean temperature of a rod with fixed ends
    series = 100.0 * (8.0 / (np.pi * odd) ** 2 * np.exp(-((np.pi * odd) ** 2) * 2.0 / 3.0 * result.time)).sum(axis=0)
    late = result.time > 0.05
    assert mean[late] == pytest.approx(series[late], rel=2e-3)


def test_merge_reaches_the_component_without_compilation(changing):
    insulated = changing.simulate(5.0, merge=Map(rod=Map(G=1e-9)))
    assert insulated["hot.T"] == pytest.approx(390.0, abs=1e-4)
    assert insulated.statistics["compilations_after_start"] == 0
    assert insulated["rod.G"] == pytest.approx(1e-9)


def test_two_rods_side_by_side():
    model = Model(
        hot=Body | Map(C=5.0, T=Var(init=390.0)),
        one=insulated_rod(n=3, at_times=[(1.0, 7)]),
        two=insulated_rod(n=5, at_times=[(1.0, 2), (3.0, 4)]),
        end=Isolation,
        connect=[("hot.port", "one.a"), ("one.b", "two.a"), ("two.b", "end.port")],
    )
    result = instantiate(model).simulate(5.0, tolerance=1e-9)
    assert [s.states_variant for s in result.segments] == [8, 9, 11]
    assert [s.info["volumes"] for s in result.segments] == [8, 9, 11]
    assert result.segments[1].cause == "7 volumes; 2 volumes"
    energy = 5.0 * result["hot.T"] + result["one.energy"] + result["two.energy"]
    assert energy == pytest.approx(energy[0], rel=1e-10)


class Refusing:
    """A component whose event is refused after one second, as an attach out of tolerance is."""

    def __init__(self, rod, error):
        self.rod, self.error = rod, error

    def __getattr__(self, name):
        return getattr(self.rod, name)

    def event(self, start):
        if start.time >= 1.0:
            raise self.error
        return self.rod.event(start)

    def next_time_event(self, time):
        return 1.0 if time < 1.0 else np.inf


def test_an_error_of_a_component_keeps_the_results():
    model = between_bodies(n=4)
    make = model["rod"]["_component"]
    error = ModelError("the frames do not mate", path="rod.a", found="3 mm", expected="1 mm")
    model["rod"]["_component"] = lambda scope: Refusing(make(scope), error)
    with pytest.raises(SimulationError, match=r"rod.a: at time 1 s the frames do not mate; found 3 mm; exp") as caught:
        instantiate(model).simulate(2.0)
    assert caught.value.time == 1.0
    assert caught.value.result.time[-1] == 1.0
    assert caught.value.result.status == "failed"
    assert caught.value.result["hot.T"][-1] < 390.0


class Restless(Refusing):
    """A component that asks for a change for ever."""

    def event(self, start):
        from modiapy.acausal.protocol import SegmentChange

        return SegmentChange("because") if start.time >= 1.0 else None


def test_endless_changes_at_one_point_are_refused_with_their_cause():
    model = between_bodies(n=2)
    make = model["rod"]["_component"]
    model["rod"]["_component"] = lambda scope: Restless(make(scope), None)
    with pytest.raises(SimulationError, match="more than 1000 changes at one point in time; found because"):
        instantiate(model).simulate(2.0)
