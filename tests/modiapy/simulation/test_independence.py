"""Steps and the times of events depend on the model and the tolerance: not on output points, stop times or saves."""

import functools

import numpy as np
import pytest

from modiapy import Map, Model, Table1D, Var, When, instantiate
from modiapy.library.rotational import BearingFriction, Inertia, Torque

from .test_crossings import event_times
from .test_save import assert_same_future, changing_pivots

pytestmark = pytest.mark.white_box

STOP = 2.0
MANY_POINTS = 0.0007
"""Distance of output points [s] with which they are evaluated in between, not only at events (1000 at a time)."""

BALL = Model(
    h=Var(init=1.0), w=Var(init=0.0), equations=["der(h) = w", "der(w) = -9.81", When("h < 0", ["reinit(w, -0.8*pre(w))"])]
)

NONLINEAR = Model(
    x=Var(init=1.0),
    v=Var(init=0.0),
    y=Var(start=0.3),
    u=Var("1 if x > 0.2 else -1"),
    equations=["der(x) = v", "der(v) = -40*x - 0.1*u - 0.2*y", "y + 0.3*sin(y) + 0.1*y**3 = x*cos(time)"],
)
"""Newton's method begins at its last solution, which must not be that of an output point."""

DIODES = Model(
    u=Var(init=0.0),
    a=Var(),
    b=Var(),
    i=Var(),
    on=Var("1 if u > 0.5 else 0"),
    equations=[
        "i = 1e-9*(exp((5*sin(7*time) - a)/0.025) - 1)",
        "i = 1e-7*(exp((a - b)/0.04) - 1) + a/1e3",
        "b = u + 100*(i - a/1e3)",
        "1e-3*der(u) = i - a/1e3 - u/200",
    ],
)
"""Newton's method ends within its tolerance, at other last bits for every beginning."""

STICK_SLIP = Model(
    J=Inertia | Map(J=1.0, phi=Var(init=0.0), w=Var(init=0.0)),
    friction=BearingFriction | Map(tau_pos=[[0.0, 1.0], [1.0, 1.0]]),
    torque=Torque,
    connect=[("torque.flange", "J.flange_a"), ("J.flange_b", "friction.flange_a")],
    equations=["torque.tau = 1.8*sin(6*time)"],
)

ZERO_AT_THE_START = Model(
    x=Var(init=1.0),
    v=Var(init=0.0),
    u=Var("1 if x > 1 else 0"),
    late=Var("1 if after(0.7) else 0"),
    equations=["der(x) = v", "der(v) = 30*(0.5 - x) + 10*late"],
)
"""The relation is decided by the value a moment later, and a time event lies between the points."""

MODELS = {
    "ball": BALL,
    "nonlinear": NONLINEAR,
    "diodes": DIODES,
    "stick_slip": STICK_SLIP,
    "zero_at_the_start": ZERO_AT_THE_START,
}
INTEGRATORS = [{"mode": "ode"}, {"mode": "dae"}, {"solver": "scipy"}, {"solver": "sundae"}, {"solver": "sundae", "mode": "dae"}]
WORK = ("steps", "rhs_evaluations", "jacobian_evaluations", "events_by_kind")


@functools.cache
def translated(name):
    return instantiate(MODELS[name], name)


def states(result, time):
    """All states at a time [s]: the last point that is stored there."""
    index = int(np.flatnonzero(result.time == time)[-1])
    return {name: float(result[name][index]).hex() for name in result.segment(1).states}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", INTEGRATORS, ids=lambda options: "-".join(options.values()))
def test_whatever_the_output_points_and_the_stop_time(name, options):
    sim = translated(name)
    intervals = [0.01, 0.007, 0.5, None] + [MANY_POINTS] * (name == "diodes")
    first, *others = [sim.simulate(STOP, interval=interval, **options) for interval in intervals]
    others.append(sim.simulate(STOP, interval=0.003, progress=lambda time: None, **options))
    expected = event_times(first)
    assert expected.size > 1
    for result in others:
        assert event_times(result).tolist() == expected.tolist()
        assert states(result, STOP) == states(first, STOP)
        assert [result.statistics[work] for work in WORK] == [first.statistics[work] for work in WORK]
    for stop in (0.6 * STOP, 1.2 * STOP):  # the default distance of output points is another one
        result = sim.simulate(stop, **options)
        both = min(stop, STOP)
        found = event_times(result)
        assert found[found <= both].tolist() == expected[expected <= both].tolist()
    longer = sim.simulate(1.2 * STOP, interval=0.1, **options)
    assert states(longer, STOP) == states(first, STOP)


def test_pivots_are_not_those_of_an_output_point():
    """Where they are another choice, the unknowns have other last bits, and so has what is integrated.

    Who is told of progress has points evaluated every ten of them.
    """
    sim = changing_pivots()
    few, *many = (sim.simulate(1.0, interval=interval, progress=lambda time: None) for interval in (0.5, 1e-2, 7e-3))
    for result in many:
        assert states(result, 1.0) == states(few, 1.0)
        assert [result.statistics[work] for work in WORK] == [few.statistics[work] for work in WORK]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", INTEGRATORS[:4], ids=lambda options: "-".join(options.values()))
def test_a_run_that_is_saved_and_goes_on_with_default_output_points(tmp_path, name, options):
    """The interval is that of the first run; that of the run in one piece is another one."""
    sim, file = translated(name), tmp_path / "snapshot.npz"
    full = sim.simulate(STOP, **options)
    first = sim.simulate(0.55 * STOP, save=file, **options)
    at = sim.restore(file)
    rest = sim.simulate(STOP)
    expected, found = event_times(full), np.union1d(event_times(first), event_times(rest))
    assert found[found > at].tolist() == expected[expected > at].tolist()
    assert states(rest, STOP) == states(full, STOP)


def test_a_stop_just_before_an_event_changes_nothing(tmp_path):
    """The integrator goes beyond the stop time; the event that it finds there waits for the run that goes on."""
    sim, file = translated("ball"), tmp_path / "snapshot.npz"
    full = sim.simulate(STOP, interval=0.1)
    bounce = event_times(full)[0]
    for stop in (np.nextafter(bounce, 0.0), bounce - 1e-9, bounce - 1e-3, bounce, np.nextafter(bounce, 1.0)):
        sim.simulate(float(stop), interval=0.1, save=file)
        sim.restore(file)
        assert_same_future(full, sim.simulate(STOP))


@pytest.mark.parametrize("options", INTEGRATORS, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize(
    ("equation", "value"),
    [("der(x) = -0.5/sqrt(1 - time)", 0.0), ("der(x) = -log(1 - time)", 2.0), ("der(x) = 1/(1.0000001 - time)", None)],
)
def test_a_model_that_is_not_defined_beyond_the_stop_time(options, equation, value):
    """Steps that go beyond it fail; then they do not go beyond."""
    sim = instantiate(Model(x=Var(init=1.0), u=Var("1 if x > 5 else 0"), equations=[equation]))
    result = sim.simulate(0.999, **options)
    assert result.status == "finished"
    assert result.time[-1] == 0.999
    if value is not None:
        t = 0.999
        exact = np.sqrt(1 - t) if value == 0.0 else 1.0 + t + (1 - t) * np.log(1 - t)
        assert result["x"][-1] == pytest.approx(exact, abs=1e-4)


def test_a_table_that_ends_at_the_stop_time():
    ends = Model(curve=Table1D([[0, 0], [1, 2], [2, 3]]), x=Var(init=0.0), equations=["der(x) = curve(time)"])
    assert instantiate(ends).simulate(2.0)["x"][-1] == pytest.approx(3.5, abs=1e-5)
