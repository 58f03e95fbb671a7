"""The insulated rod: heat conduction against closed forms and scipy, energy across changes of the grid."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp
from scipy.special import erfc

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library.heat_transfer import FixedHeatFlow, FixedTemperature, HeatCapacitor
from modiapy.library.insulated_rod import InsulatedRod
from modiapy.library.insulated_rod.grid import Grid, coarsened, merge, refined, split

COPPER = 400.0 / (8960.0 * 385.0)  # thermal diffusivity of the default parameters [m2/s]
UNIT = Map(area=1.0, conductivity=1.0, density=1.0, specific_heat=1.0)  # diffusivity 1 m2/s


def between(rod: Model, a: float, b: float) -> Model:
    """The rod between fixed temperatures [K]."""
    ends = {"a": FixedTemperature | Map(T=a), "b": FixedTemperature | Map(T=b)}
    return Model(rod=rod, **ends, connect=[("a.port", "rod.port_a"), ("b.port", "rod.port_b")])


def alone(rod: Model) -> Model:
    """The rod with insulated ends."""
    ends = {"a": FixedHeatFlow | Map(Q_flow=0.0), "b": FixedHeatFlow | Map(Q_flow=0.0)}
    return Model(rod=rod, **ends, connect=[("a.port", "rod.port_a"), ("b.port", "rod.port_b")])


@pytest.fixture(scope="module")
def heated() -> Any:
    return instantiate(between(InsulatedRod | Map(max_level=5, n=20), 393.15, 293.15))


def volumes(result: Any) -> list[int]:
    return [s.info["volumes"] for s in result.segments]


def last(result: Any, name: str = "rod") -> tuple[np.ndarray, np.ndarray]:
    """Centres and temperatures at the end."""
    segment = result.segment(result.segments[-1].index)
    return segment[f"{name}.position"][-1], segment[f"{name}.T"][-1]


def test_step_in_temperature_at_the_end_of_a_long_rod(heated: Any) -> None:
    """Semi-infinite solid, H. S. Carslaw, J. C. Jaeger, Conduction of Heat in Solids, section 2.4."""
    result = heated.simulate(100.0)
    x, temperature = last(result)
    exact = 293.15 + 100.0 * erfc(x / (2.0 * np.sqrt(COPPER * 100.0)))
    adaptive = np.abs(temperature - exact).max()
    assert adaptive < 0.2
    assert result.statistics["compilations_after_start"] == 0
    assert x.size < 70  # 640 equal volumes are as narrow
    coarse = heated.simulate(100.0, merge=Map(rod=Map(n=x.size, max_level=0)))
    early = heated.simulate(0.5), heated.simulate(0.5, merge=Map(rod=Map(n=x.size, max_level=0)))
    assert coarse.statistics["compilations_after_start"] == 0
    assert volumes(coarse) == [x.size]
    errors = []
    for run in early:
        x, temperature = last(run)
        errors.append(np.abs(temperature - 293.15 - 100.0 * erfc(x / (2.0 * np.sqrt(COPPER * 0.5)))).max())
    assert errors[0] < 1.0 < 10.0 * errors[0] < errors[1]


def test_the_first_segment_has_no_length_and_the_grid_is_narrow_where_the_temperature_jumps(heated: Any) -> None:
    result = heated.simulate(1.0)
    assert [s.start for s in result.segments[:2]] == [0.0, 0.0]
    assert volumes(result)[:2] == [20, 25]
    widths = np.diff(result.segment(2)["rod.position"][0])
    assert (widths[1:] >= widths[:-1] * (1 - 1e-12)).all()
    assert all(s.cause.startswith("rod: ") and s.cause.endswith("volumes") for s in result.segments[1:])


def test_step_in_a_short_rod_agrees_with_the_fourier_series_until_it_is_stationary() -> None:
    model = between(InsulatedRod | UNIT | Map(max_level=3, n=16, refine_above=4.0, T_start=0.0), 100.0, 0.0)
    result = instantiate(model).simulate(1.0)
    k = np.arange(1, 200)[:, None]
    for index in range(6, len(result.segments) + 1):
        segment = result.segment(index)
        if segment.time[-1] < 1e-3:
            continue
        x = segment["rod.position"][-1]
        decay = np.exp(-((np.pi * k) ** 2) * segment.time[-1])
        series = 100.0 * (1.0 - x) - (200.0 / (np.pi * k) * decay * np.sin(np.pi * k * x)).sum(axis=0)
        assert np.abs(segment["rod.T"][-1] - series).max() < 0.5
    assert max(volumes(result)) > 20
    assert volumes(result)[-1] > 16  # 100 K over 16 volumes: 6 K over each of them are too much
    assert np.diff(last(result)[1]) == pytest.approx(-100.0 * np.diff(last(result)[0]), abs=1e-3)


def means_of_sine(edges: np.ndarray) -> np.ndarray:
    return -np.diff(np.cos(np.pi * edges)) / (np.pi * np.diff(edges))


def error_of_decay(n: int, **parameters: Any) -> float:
    """Largest error of the profile sin(pi x), which decays with the rate pi**2, at the time 0.1."""
    start = 100.0 * means_of_sine(np.linspace(0.0, 1.0, n + 1))
    model = between(InsulatedRod | UNIT | Map(n=n, T_start=start, **parameters), 0.0, 0.0)
    result = instantiate(model).simulate(0.1, tolerance=1e-9)
    x, temperature = last(result)
    assert (np.ptp(np.diff(x)) > 1e-3 * np.diff(x)[0]) == ("max_level" in parameters)
    return float(np.abs(temperature - 100.0 * np.exp(-(np.pi**2) * 0.1) * np.sin(np.pi * x)).max())


@pytest.mark.parametrize("parameters", [{}, {"max_level": 1}])
def test_the_profile_is_accurate_of_second_order(parameters: dict[str, Any]) -> None:
    """Equal volumes, and volumes that were halved at the ends, where the profile is steepest, in proportion to n."""
    errors = []
    for n in (10, 20, 40):
        threshold = {"refine_above": 240.0 / n, "coarsen_below": 20.0 / n} if parameters else {}
        errors.append(error_of_decay(n, **parameters, **threshold))
    orders = [np.log2(a / b) for a, b in itertools.pairwise(errors)]
    assert min(orders) > 1.8
    assert errors[-1] < 0.03


def test_equal_volumes_agree_with_scipy() -> None:
    n = 12
    start = np.linspace(300.0, 350.0, n) ** 1.01
    model = between(InsulatedRod | UNIT | Map(n=n, T_start=start), 400.0, 310.0)
    result = instantiate(model).simulate(0.3, tolerance=1e-10)

    def rates(_: float, temperature: np.ndarray) -> np.ndarray:
        inner = n * np.diff(temperature)
        flows = np.concatenate([[2 * n * (temperature[0] - 400.0)], inner, [2 * n * (310.0 - temperature[-1])]])
        return n * np.diff(flows)

    exact = solve_ivp(rates, (0.0, 0.3), start, method="Radau", rtol=1e-10, atol=1e-10).y[:, -1]
    assert last(result)[1] == pytest.approx(exact, rel=1e-7)


def test_energy_is_conserved_to_rounding_while_the_grid_is_refined_and_coarsened() -> None:
    start = np.where(np.arange(10) < 5, 400.0, 300.0)
    result = instantiate(alone(InsulatedRod | Map(n=10, max_level=4, refine_above=4.0, T_start=start))).simulate(3000.0)
    counts = volumes(result)
    assert max(counts) > 50
    assert counts[-1] == counts[0] == 10
    energy = result["rod.energy"]
    assert energy == pytest.approx(np.full(energy.size, 8960.0 * 385.0 * 1e-4 * 350.0), rel=1e-14)
    for index in range(1, len(counts)):
        before, after = result.segment(index), result.segment(index + 1)
        assert after["rod.energy"][0] == pytest.approx(before["rod.energy"][-1], rel=4e-16 * counts[index])
        assert after["rod.T"][0].max() <= before["rod.T"][-1].max() + 1e-12  # no new extremum
        assert after["rod.T"][0].min() >= before["rod.T"][-1].min() - 1e-12
    assert result["rod.volumes"][-1] == 10
    assert result["rod.T"].shape == (result.time.size, max(counts))


def test_a_periodic_check_changes_the_grid_at_these_times_only() -> None:
    rod = InsulatedRod | Map(n=10, max_level=4, check_period=7.0)
    result = instantiate(between(rod, 393.15, 293.15)).simulate(100.0)
    starts = [s.start for s in result.segments[1:]]
    assert len(starts) > 4
    assert all(t / 7.0 == pytest.approx(round(t / 7.0), abs=1e-12) for t in starts)
    assert result.statistics["events_by_kind"] == {"time": 14}
    x, temperature = last(result)
    exact = 293.15 + 100.0 * erfc(x / (2.0 * np.sqrt(COPPER * 100.0)))
    assert np.abs(temperature - exact).max() < 1.0


@pytest.mark.parametrize("solver", ["sundae", "scipy"])
def test_other_integrators_change_the_grid_too(heated: Any, solver: str) -> None:
    reference, other = (heated.simulate(20.0, solver=s, tolerance=1e-8) for s in ("cvode", solver))
    assert volumes(other) == volumes(reference)
    assert last(other)[1] == pytest.approx(last(reference)[1], rel=1e-6)


def test_the_same_simulation_twice_gives_the_same_bits(heated: Any) -> None:
    first, second = heated.simulate(5.0), heated.simulate(5.0)
    assert volumes(first) == volumes(second)
    assert np.array_equal(first["rod.T"], second["rod.T"], equal_nan=True)


def test_a_rod_that_is_saved_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    rods = Model(one=InsulatedRod | Map(max_level=5), two=InsulatedRod | Map(max_level=3, check_period=3.0))
    ends = Model(hot=FixedTemperature | Map(T=393.15), cold=FixedTemperature)
    connect = [("hot.port", "one.port_a"), ("one.port_b", "two.port_a"), ("two.port_b", "cold.port")]
    model = rods | ends | Model(connect=connect)
    sim, other = instantiate(model), instantiate(model)

    def save(time: float) -> None:
        if time < 25.0:
            sim.save(tmp_path / "rod")

    whole = sim.simulate(60.0, interval=0.5, progress=save)
    assert 15.0 < other.restore(tmp_path / "rod") < 25.0
    rest = other.simulate(60.0)
    for name in ("one", "two"):
        assert last(rest, name)[1].tolist() == last(whole, name)[1].tolist()
        assert last(rest, name)[0].tolist() == last(whole, name)[0].tolist()
    assert [s.start for s in rest.segments][1:] == [s.start for s in whole.segments][-len(rest.segments) + 1 :]


def test_many_volumes_are_integrated_with_a_band_matrix_also_with_a_profile_at_the_beginning() -> None:
    start = 100.0 * means_of_sine(np.linspace(0.0, 1.0, 1001))
    model = between(InsulatedRod | UNIT | Map(n=1000, T_start=start), 0.0, 0.0)
    result = instantiate(model).simulate(0.1, interval=0.1)
    assert result.statistics["rhs_evaluations"] < 1000  # one dense matrix alone takes 1000
    assert last(result)[1].max() == pytest.approx(100.0 * np.exp(-(np.pi**2) * 0.1), rel=1e-4)


def test_two_rods_in_series_and_two_bodies_change_each_on_its_own() -> None:
    body = HeatCapacitor | Map(C=200.0)
    model = Model(
        hot=body | Map(T=Var(init=400.0)),
        one=InsulatedRod | Map(n=5, max_level=4, T_start=300.0),
        two=InsulatedRod | Map(n=8, max_level=3, T_start=300.0, check_period=3.0, conductivity=50.0),
        cold=body | Map(T=Var(init=300.0)),
        connect=[("hot.port", "one.port_a"), ("one.port_b", "two.port_a"), ("two.port_b", "cold.port")],
    )
    sim = instantiate(model)
    result = sim.simulate(900.0)
    causes = [s.cause for s in result.segments]
    assert any(c.startswith("one") for c in causes)
    assert any(c.startswith("two") for c in causes)
    energy = 200.0 * (result["hot.T"] + result["cold.T"]) + result["one.energy"] + result["two.energy"]
    assert energy == pytest.approx(np.full(energy.size, energy[0]), rel=1e-9)
    assert result.statistics["compilations_after_start"] == 0
    for index in range(1, len(causes)):
        before, after = result.segment(index), result.segment(index + 1)
        assert before["hot.T"][-1] == after["hot.T"][0]
        if "one" not in causes[index]:
            assert np.array_equal(before["one.T"][-1], after["one.T"][0])  # to the last bit
        if "two" not in causes[index]:
            assert np.array_equal(before["two.T"][-1], after["two.T"][0])
    fixed = sim.simulate(900.0, merge=Map(one=Map(n=80, max_level=0), two=Map(n=80, max_level=0)))
    assert result["hot.T"][-1] == pytest.approx(fixed["hot.T"][-1], abs=0.05)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 0}, "rod.n: .*found 0; expected a whole number of volumes, at least 1"),
        ({"n": 2.5}, "rod.n: .*found 2.5"),
        ({"max_level": 30}, "rod.max_level: .*from 0 to 20"),
        ({"length": -1.0}, "rod.length: .*positive"),
        ({"coarsen_below": 3.0}, "rod.coarsen_below: .*at most refine_above/2"),
        ({"check_period": -1.0}, "rod.check_period"),
    ],
)
def test_a_parameter_that_cannot_be_meant_is_refused_by_name(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        instantiate(alone(InsulatedRod | Map(**parameters)))


# -- the grid -------------------------------------------------------------------------------------------------------------


def grid_with(n: int, max_level: int, choices: list[int]) -> tuple[Grid, np.ndarray]:
    """A grid that volumes were split in, one after the other, and a profile of fixed means on it."""
    grid, values = Grid.uniform(n, max_level), np.linspace(1.0, 2.0, n)
    for choice in choices:
        marked = np.zeros(values.size, dtype=bool)
        marked[choice % values.size] = bool(grid.splittable[choice % values.size])
        grid, values = split(grid, values, (0.9, 2.1), marked)
    return grid, values


@settings(max_examples=60)
@given(n=st.integers(1, 6), choices=st.lists(st.integers(0, 200), max_size=12), seed=st.integers(0, 2**31))
def test_splitting_and_merging_keep_energy_range_and_the_ratio_of_neighbours(n: int, choices: list[int], seed: int) -> None:
    grid, _ = grid_with(n, 5, choices)
    random = np.random.default_rng(seed)
    values = random.uniform(-1.0, 1.0, grid.levels.size)
    ends = (float(random.uniform(-1.0, 1.0)), float(random.uniform(-1.0, 1.0)))
    changed = [
        split(grid, values, ends, grid.splittable & random.choice([True, False], values.size)),
        merge(grid, values, grid.mergeable & random.choice([True, False], values.size)),
        refined(grid, values, ends, 0.5),
        coarsened(grid, values, ends, 0.2),
    ]
    for new, means in changed:
        assert new.widths.sum() == pytest.approx(1.0, rel=1e-14)
        assert means @ new.widths == pytest.approx(values @ grid.widths, abs=1e-15 * values.size)
        assert np.abs(np.diff(new.levels)).max(initial=0) <= 1
        low, high = min(values.min(), *ends), max(values.max(), *ends)
        assert low - 1e-12 <= means.min() <= means.max() <= high + 1e-12
    new, means = changed[2]
    assert (new.variations(means, ends)[new.splittable] < 0.5).all()


def test_a_straight_line_stays_straight_whatever_is_split() -> None:
    grid, _ = grid_with(4, 4, [0, 3, 1, 7, 2])
    centres = np.cumsum(grid.widths) - 0.5 * grid.widths
    new, means = split(grid, 3.0 * centres, (0.0, 3.0), grid.splittable)
    assert means == pytest.approx(3.0 * (np.cumsum(new.widths) - 0.5 * new.widths), abs=1e-14)


def test_splitting_a_parabola_is_accurate_of_third_order() -> None:
    errors = []
    for n in (16, 32):
        edges = np.linspace(0.0, 1.0, n + 1)
        _, means = split(Grid.uniform(n, 1), np.diff(np.exp(edges)) * n, (1.0, np.e), np.ones(n, dtype=bool))
        edges = np.linspace(0.0, 1.0, 2 * n + 1)
        errors.append(np.abs(means - np.diff(np.exp(edges)) * 2 * n)[2:-2].max())
    assert np.log2(errors[0] / errors[1]) > 2.8
