"""Periodic sources: closed forms for every start of the signal and of the simulation, and no edges that are not there."""

from __future__ import annotations

import numpy as np
import pytest

from modiapy import Map, Model, instantiate
from modiapy.library import blocks, electric

PERIOD = 0.7
PERIODIC = Map(period=PERIOD, start_time="start", nperiod="n")
SHORT = Map(width=30.0)
EDGES = Map(rising=0.14, width=0.21, falling=0.07)

SOURCES = instantiate(
    Model(
        start=0.0,
        n=-1,
        pulse=blocks.Pulse | PERIODIC | SHORT | Map(amplitude=2.0, offset=0.5),
        saw=blocks.SawTooth | PERIODIC,
        trapezoid=blocks.Trapezoid | PERIODIC | EDGES,
        truth=blocks.BooleanPulse | Map(period=PERIOD, start_time="start") | SHORT,
        V=electric.PulseVoltage | PERIODIC | SHORT,
        I=electric.PulseCurrent | PERIODIC | SHORT,
        VS=electric.SawToothVoltage | PERIODIC,
        IS=electric.SawToothCurrent | PERIODIC,
        ground=electric.Ground,
        R=electric.Resistor,
        RS=electric.Resistor,
        connect=[
            ("V.p", "R.p"),
            ("V.n", "R.n", "ground.p", "RS.n", "VS.n", "IS.n", "I.n"),
            ("I.p", "IS.p", "VS.p", "RS.p"),
        ],
    )
)


def expected(t: np.ndarray, start: float, n: int) -> dict[str, np.ndarray]:
    """The signals by their definition: functions of the time since the beginning of the present period."""
    count = np.floor((t - start) / PERIOD)
    s = t - start - count * PERIOD
    always = t >= start
    on = always & ((n < 0) | (count < n))
    pulse, saw = on & (s < 0.3 * PERIOD), on * s / PERIOD
    trapezoid = on * np.interp(s, [0.0, 0.14, 0.35, 0.42, PERIOD], [0.0, 1.0, 1.0, 0.0, 0.0])
    signals = {"pulse.y": 0.5 + 2.0 * pulse, "saw.y": saw, "trapezoid.y": trapezoid, "truth.y": always & (s < 0.3 * PERIOD)}
    return signals | {"V.v": pulse, "I.i": pulse, "VS.v": saw, "IS.i": saw}


@pytest.mark.parametrize("n", [-1, 0, 1, 3])
@pytest.mark.parametrize("start", [-3.7, 0.0, 0.3, 2.3])
def test_sources_are_where_they_would_be_if_they_had_always_run(start: float, n: int) -> None:
    for begin in (-2.0, 0.0, start, start + 2 * PERIOD, 5.3):
        t = SOURCES.simulate(begin + 4.0, start_time=begin, interval=0.013, merge=Map(start=start, n=n))
        s = (t.time - start) % PERIOD
        steps = np.array([0.0, 0.3 * PERIOD, PERIOD])
        away = np.abs(s[:, None] - steps).min(axis=1) > 1e-9
        for name, values in expected(t.time[away], start, n).items():
            np.testing.assert_allclose(t[name][away], values, atol=1e-9, err_msg=f"{name} from {begin} on")


def test_first_period_that_begins_with_the_simulation_begins_at_its_first_point() -> None:
    """Also where the instant is not a number: 0.3 is 3*0.1 up to rounding only."""
    model = Model(
        pulse=blocks.Pulse | Map(period=0.1),
        truth=blocks.BooleanPulse | Map(period=0.1),
        saw=blocks.SawTooth | Map(period=0.1),
    )
    for begin in (0.0, 0.3, 0.7, 1.9, 1e4 + 0.3):
        r = instantiate(model).simulate(begin + 0.02, start_time=begin)
        assert r["pulse.y"].tolist() == r["truth.y"].tolist() == [1.0] * len(r.time)
        np.testing.assert_allclose(r["saw.y"], 10 * (r.time - begin), atol=1e-9)


def test_what_is_true_from_the_beginning_on_is_no_edge() -> None:
    """As in Modelica: a when clause fires where its condition becomes true, and this one was never false."""
    model = Model(
        pulse=blocks.BooleanPulse | Map(period=0.2),
        one=blocks.IntegerConstant,
        add=blocks.TriggeredAdd,
        connect=[("pulse.y", "add.trigger"), ("one.y", "add.u")],
    )
    r = instantiate(model).simulate(0.55, interval=0.01)
    assert [r["add.y"][np.searchsorted(r.time, t)] for t in (0.05, 0.15, 0.25, 0.35, 0.45)] == [0, 0, 1, 1, 2]


@pytest.mark.parametrize("begin", [0.0, -0.4])
def test_delay_and_trapezoid_of_an_input_that_is_true_from_the_beginning_on(begin: float) -> None:
    """The library delays and ramps edges only; reference: equations of MathBoolean.OnDelay, Logical.TriggeredTrapezoid."""
    model = Model(
        table=blocks.BooleanTable([begin + 0.5, begin + 1.0], start_value=True),
        delay=blocks.OnDelay | Map(delay_time=0.3),
        trapezoid=blocks.TriggeredTrapezoid | Map(rising=0.2, amplitude=2.0, offset=1.0),
        true=blocks.BooleanConstant,
        up=blocks.TriggeredTrapezoid | Map(rising=0.2, amplitude=2.0, offset=1.0),
        connect=[("table.y", "delay.u", "trapezoid.u"), ("true.y", "up.u")],
    )
    r = instantiate(model).simulate(begin + 2.0, start_time=begin, interval=0.01)
    t = r.time - begin
    away = np.abs(t[:, None] - [0.5, 1.3]).min(axis=1) > 1e-9
    assert r["delay.y"][away].tolist() == ((t < 0.5) | (t > 1.3))[away].tolist()
    np.testing.assert_allclose(r["trapezoid.y"], np.interp(t, [0.5, 0.7, 1.0, 1.2], [3.0, 1.0, 1.0, 3.0]), atol=1e-9)
    np.testing.assert_allclose(r["up.y"], 3.0, atol=1e-12)


def test_samples_of_a_simulation_that_begins_between_two_of_them() -> None:
    """The library samples at the beginning, too; a hold has the right limit of an input that jumps at the sample."""
    model = Model(
        clock=blocks.ContinuousClock,
        step=blocks.Step | Map(start_time=0.3),
        sampler=blocks.Sampler,
        zoh=blocks.ZeroOrderHold,
        late=blocks.ZeroOrderHold | Map(start_time=0.2, y_start=7.0),
        held_step=blocks.ZeroOrderHold,
        again=blocks.ZeroOrderHold,
        connect=[
            ("clock.y", "sampler.u", "zoh.u", "late.u"),
            ("step.y", "held_step.u"),
            ("held_step.y", "again.u"),
        ],
    )
    r = instantiate(model).simulate(0.6, start_time=0.04, interval=0.02)

    def at(name: str, *times: float) -> list[float]:
        return [float(r[name][np.searchsorted(r.time, t) - 1]) for t in times]

    for name in ("sampler.y", "zoh.y"):
        assert at(name, 0.07, 0.15, 0.45) == pytest.approx([0.04, 0.1, 0.4], abs=1e-12)
    assert at("late.y", 0.07, 0.15, 0.25) == pytest.approx([7.0, 7.0, 0.2], abs=1e-12)
    assert at("held_step.y", 0.29, 0.35, 0.45) == [0.0, 1.0, 1.0]
    assert at("again.y", 0.29, 0.35, 0.45) == [0.0, 0.0, 1.0]


def test_means_count_their_periods_from_the_beginning_of_the_simulation() -> None:
    model = Model(u=blocks.ContinuousClock, mean=blocks.Mean | Map(f=5.0), connect=[("u.y", "mean.u")])
    r = instantiate(model).simulate(1.03, start_time=0.03, interval=0.01, tolerance=1e-9)
    count = np.floor((r.time - 0.03) / 0.2)
    away = np.abs((r.time - 0.03 + 0.1) % 0.2 - 0.1) > 1e-9
    np.testing.assert_allclose(r["mean.y"][away], np.where(count > 0, 0.03 + 0.2 * count - 0.1, 0.0)[away], atol=1e-7)


@pytest.mark.parametrize("begin", [-1.0, 0.0, 0.35, 2.0])
def test_tables_of_truth_values_and_integers_begin_anywhere(begin: float) -> None:
    """Reference: the definitions of Sources.BooleanTable and IntegerTable, with their extrapolations."""
    model = Model(
        once=blocks.BooleanTable([0.1, 0.3, 0.6]),
        again=blocks.BooleanTable([0.1, 0.3, 0.6], start_value=True, extrapolation="periodic"),
        late=blocks.BooleanTable([0.1], start_value=False) | Map(start_time=0.5, shift_time=-1.0),
        number=blocks.IntegerTable([[0.1, 3], [0.3, -2], [0.6, 5]]) | Map(shift_time=0.2),
        cycle=blocks.IntegerTable([[0.0, 3], [0.3, -2], [0.5, 9]], extrapolation="periodic") | Map(start_time=0.4),
    )
    r = instantiate(model).simulate(begin + 2.0, start_time=begin, interval=0.013)
    t = r.time
    away = np.abs(t[:, None] * 10 - np.round(t[:, None] * 10)).min(axis=1) > 1e-9
    s, c = 0.1 + (t - 0.1) % 0.5, t % 0.5
    expected = {
        "once.y": ((t >= 0.1) & (t < 0.3)) | (t >= 0.6),
        "again.y": s >= 0.3,
        "late.y": t >= 0.5,
        "number.y": np.select([t < 0.5, t < 0.8], [3, -2], 5),
        "cycle.y": np.where(t >= 0.4, np.where(c < 0.3, 3, -2), 0),
    }
    for name, values in expected.items():
        assert r[name][away].tolist() == values[away].tolist(), name
