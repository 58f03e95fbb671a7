"""Events at the stop time happen: the last point holds the values after them, whatever rounding makes of the time."""

import numpy as np
import pytest

from modiapy import Model, Var, When, instantiate

COUNTER = Model(
    period=0.1,
    n=Var(init=0, type="Integer"),
    x=Var(init=0.0),
    equations=["der(x) = 1.0", When("sample(period, period)", ["n = pre(n) + 1"])],
)
STEP = Model(
    x=Var(init=0.0),
    y=Var(),
    k=Var(init=0, type="Integer"),
    equations=["der(x) = y", "y = 2 if time >= 1 else 0", When("time >= 1", ["k = pre(k) + 1"])],
)
CROSSING = Model(
    x=Var(init=0.0),
    y=Var(),
    k=Var(init=0, type="Integer"),
    equations=["der(x) = 1.0", "y = 2 if x >= 1 else 0", When("x >= 1", ["k = pre(k) + 1"])],
)
SOLVERS = [
    {"solver": "cvode"},
    {"solver": "cvode", "mode": "dae"},
    {"solver": "adams"},
    {"solver": "chebyshev"},
    {"solver": "sundae"},
    {"solver": "scipy"},
]


@pytest.fixture(scope="module")
def counter():
    return instantiate(COUNTER)


@pytest.mark.parametrize("period", [0.1, 0.3, 0.7, 1.0 / 3.0, 0.05])
def test_the_number_of_ticks_does_not_depend_on_rounding(counter, period):
    for k in (1, 3, 6, 7, 9):
        exact = k * period
        for stop in (np.nextafter(exact, 0.0), exact, np.nextafter(exact, 9.0), float(f"{exact:.15g}")):
            result = counter.simulate(float(stop), merge={"period": period})
            assert result["n"][-1] == k, (k, stop)
            assert result.time[-1] == stop
            assert (np.diff(result.time) >= 0.0).all()
        assert counter.simulate(exact * (1.0 - 1e-9), merge={"period": period})["n"][-1] == k - 1


@pytest.mark.parametrize("options", SOLVERS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("model", [STEP, CROSSING], ids=["time", "state"])
def test_the_last_point_is_after_the_event(model, options):
    sim = instantiate(model)
    for interval in (0.25, 0.3, 2.0):
        result = sim.simulate(1.0, interval=interval, **options)
        assert result["y"][-2:].tolist() == [0.0, 2.0]
        assert result["k"][-2:].tolist() == [0.0, 1.0]
        assert result.time[-2:].tolist() == [1.0, 1.0]
        assert result.statistics["events"] == 1
    assert sim.simulate(1.0 - 1e-9, **options)["y"][-1] == 0.0


@pytest.mark.parametrize("stop", [1.0, np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0)])
@pytest.mark.parametrize("model", [STEP, CROSSING], ids=["time", "state"])
def test_a_run_that_goes_on_neither_loses_nor_repeats_it(tmp_path, model, stop):
    sim, file = instantiate(model), tmp_path / "snapshot.npz"
    full = sim.simulate(2.0, interval=0.1)
    assert sim.simulate(stop, interval=0.1, save=file)["k"][-1] == 1
    sim.restore(file)
    assert sim.simulate(stop, save=file)["k"][-1] == 1
    sim.restore(file)
    rest = sim.simulate(2.0)
    assert rest["k"][-1] == full["k"][-1] == 1
    assert rest["x"][-1] == full["x"][-1]
    assert rest.statistics["events"] == full.statistics["events"] == 1


def test_several_events_that_rounding_separates_all_happen():
    ticks = [When(f"sample({first!r}, 10)", [f"n{k} = 1"]) for k, first in enumerate((0.3, 0.1 + 0.2, 3 * 0.1))]
    model = Model(**{f"n{k}": Var(init=0.0) for k in range(3)}, b=Var("1 if time >= 0.3 else 0"), equations=ticks)
    for stop in (np.nextafter(0.3, 0.0), 0.3, 0.1 + 0.2):
        result = instantiate(model).simulate(float(stop))
        assert [result[name][-1] for name in ("n0", "n1", "n2", "b")] == [1.0] * 4


def test_each_of_the_events_that_rounding_separates_is_counted():
    """Of two times that differ by the last bit the second one is an event as well as the first one."""
    model = Model(**{f"b{k}": Var(f"1 if time >= {first!r} else 0") for k, first in enumerate((0.3, 0.1 + 0.2))})
    statistics = instantiate(model).simulate(1.0).statistics
    assert statistics["events_by_kind"] == {"time": 2}


def test_a_simulation_of_no_length_has_its_initial_event_only(counter):
    assert counter.simulate(0.0)["n"][-1] == 0
    assert counter.simulate(0.1, start_time=0.1)["n"].tolist() == [1]
