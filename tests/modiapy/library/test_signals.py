"""Statistics, spectra, routing and sources by expression: closed forms and numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, Result, SimulationError, Var, When, instantiate
from modiapy.library import blocks
from modiapy.library.blocks.statistics import fft_sample_points


def simulated(model: Model, stop_time: float = 1.0, **options: float) -> Result:
    return instantiate(model).simulate(stop_time, tolerance=1e-9, interval=0.002, **options)


def test_mean_and_variance_of_a_wave_since_the_beginning() -> None:
    """Of 2 + sin(2*pi*t) from 0 to T, also where the simulation begins elsewhere; the mean may begin later."""
    names = ("mean", "variance", "deviation", "late")
    model = Model(
        begin=0.0,
        u=Var("100 + sin(2*pi*(time - begin))"),
        mean=blocks.ContinuousMean,
        variance=blocks.Variance,
        deviation=blocks.StandardDeviation,
        late=blocks.ContinuousMean | Map(start_time="begin + 0.5"),
        equations=[f"{name}.u = u" for name in names],
    )
    for begin in (0.0, -3.0, 7.0):
        r = simulated(model, begin + 2.0, start_time=begin, merge=Map(begin=begin))  # type: ignore[arg-type]
        t = r.time - begin
        t = t[t > 0.1]
        mean = (1 - np.cos(2 * np.pi * t)) / (2 * np.pi * t)
        variance = 0.5 - np.sin(4 * np.pi * t) / (8 * np.pi * t) - mean**2
        part = slice(-len(t), None)
        np.testing.assert_allclose(r["mean.y"][part], 100 + mean, atol=1e-5)
        np.testing.assert_allclose(r["variance.y"][part], variance, atol=1e-5)
        np.testing.assert_allclose(r["deviation.y"][part], np.sqrt(variance), atol=1e-5)
        assert r["late.y"][-1] == pytest.approx(100.0 - 2 / (2 * np.pi * 1.5), abs=1e-5)


@pytest.mark.parametrize("begin", [0.0, 0.37])
def test_extrema_sampled_and_continuous(begin: float) -> None:
    model = Model(
        u=Var(f"cos(5*(time - {begin})) + (2 if time >= {begin} + 0.8 else 0)"),
        sampled=blocks.SignalExtrema | Map(Ts=0.1),
        continuous=blocks.ContinuousSignalExtrema,
        equations=["sampled.u = u", "continuous.u = u"],
    )
    r = simulated(model, begin + 1.0, start_time=begin)
    samples = [math.cos(0.5 * k) + (2 if k >= 8 else 0) for k in range(11)]
    last = [float(r[name][-1]) for name in ("sampled.y_min", "sampled.y_max", "sampled.t_min", "sampled.t_max")]
    lowest, highest = int(np.argmin(samples)), int(np.argmax(samples))
    assert last == pytest.approx([min(samples), max(samples), begin + 0.1 * lowest, begin + 0.1 * highest], abs=1e-6)
    assert r["continuous.y_min"][-1] == pytest.approx(-1.0, abs=1e-4)
    assert r["continuous.t_min"][-1] == pytest.approx(begin + np.pi / 5, abs=1e-2)
    assert r["continuous.y_max"][-1] == pytest.approx(2.0 + math.cos(5.0), abs=1e-6)
    middle = np.searchsorted(r.time, begin + 0.75)
    assert r["continuous.y_max"][middle] == 1.0


def test_wrapped_angles_are_between_their_limits_and_jump_at_events() -> None:
    model = Model(
        u=Var("20*time - 10"),
        plain=blocks.WrapAngle,
        upward=blocks.WrapAngle | Map(positive_range=True),
        work=Var(init=0.0),
        equations=["plain.u = u", "upward.u = u", "der(work) = plain.y"],
    )
    r = simulated(model)
    away = np.abs((r["u"] + np.pi) % (2 * np.pi)) > 1e-6
    np.testing.assert_allclose(r["plain.y"][away], np.angle(np.exp(1j * r["u"]))[away], atol=1e-9)
    zero = np.abs((r["u"] + np.pi) % (2 * np.pi) - np.pi) > 1e-6
    np.testing.assert_allclose(r["upward.y"][zero], (r["u"] % (2 * np.pi))[zero], atol=1e-9)
    assert r["work"][-1] == pytest.approx(0.0, abs=1e-7)  # an odd function over a symmetric interval


def test_spectrum_is_that_of_numpy() -> None:
    wave = "0.7 + 2*cos(2*pi*time + 0.5) + 0.3*sin(2*pi*2.5*time)"
    model = Model(u=Var(wave), fft=blocks.RealFFT(4.0, 0.5), equations=["fft.u = u"])
    r = simulated(model, 2.0)
    n = 80  # the smallest even product of 2, 3 and 5 that is not below 2*4*5/0.5
    t = 2.0 * np.arange(n) / n
    spectrum = np.fft.rfft(0.7 + 2 * np.cos(2 * np.pi * t + 0.5) + 0.3 * np.sin(5 * np.pi * t))[:9] * 2 / n
    np.testing.assert_allclose(r["fft.amplitude"][-1][1:], np.abs(spectrum[1:]), atol=1e-9)
    assert r["fft.amplitude"][-1][0] == pytest.approx(0.7, abs=1e-12)
    np.testing.assert_allclose(r["fft.phase"][-1][[2, 5]], np.degrees(np.angle(spectrum[[2, 5]])), atol=1e-7)
    assert r["fft.phase"][-1][[0, 1, 3, 4, 6]].tolist() == [0.0] * 5
    with pytest.raises(SimulationError, match="before all 80 samples"):
        simulated(model, 1.9)
    with pytest.raises(ModelError, match="frequencies of a transform"):
        blocks.RealFFT(1.0, 2.0)


def test_number_of_samples_is_that_of_the_library() -> None:
    assert [fft_sample_points(*a) for a in ((170, 0.3), (400, 0.4), (7, 1), (20, 0.1))] == [5760, 10000, 72, 2000]


def test_signals_are_joined_and_taken_apart() -> None:
    model = Model(
        x=2.0,
        joined=blocks.Multiplex([1, 2, 1]),
        parted=blocks.DeMultiplex([2, 1, 1]),
        copies=blocks.Replicator(3),
        one=blocks.Extractor(4),
        expression=blocks.RealExpression | Map(y=Var("x*time")),
        truth=blocks.BooleanExpression | Map(y=Var("x*time > 1")),
        number=blocks.IntegerExpression | Map(y=Var("floor(4*time)")),
        back=blocks.RealPassThrough,
        equations=["joined.u1 = time", "joined.u2 = [2*time, 3*time]", "joined.u3 = 4*time", "one.index = number.y"],
        connect=[("joined.y", "parted.u", "one.u"), ("expression.y", "copies.u", "back.u")],
    )
    r = simulated(model)
    t = r.time
    np.testing.assert_allclose(r["parted.y1"], np.stack([t, 2 * t], axis=1), atol=1e-12)
    np.testing.assert_allclose(r["parted.y2"], 3 * t, atol=1e-12)
    np.testing.assert_allclose(r["parted.y3"], 4 * t, atol=1e-12)
    np.testing.assert_allclose(r["copies.y"], np.stack([2 * t] * 3, axis=1), atol=1e-12)
    np.testing.assert_allclose(r["back.y"], 2 * t, atol=1e-12)
    np.testing.assert_allclose(r["one.y"], r["number.y"] * t, atol=1e-12)
    assert r["truth.y"][[0, -1]].tolist() == [0.0, 1.0]
    with pytest.raises(ModelError, match="signals of a vector"):
        blocks.Multiplex([2, 0])


def test_radio_buttons_release_each_other() -> None:
    """`Interaction1`: three buttons, of which one is on from the first press on."""
    times = ([0.1, 0.7], [0.3], [0.5])
    names = [f"b{k}" for k in range(3)]
    others = [(j, k, i + 1) for j in range(3) for i, k in enumerate(x for x in range(3) if x != j)]
    model = Model(
        **{name: blocks.RadioButtonSource(t, 2) for name, t in zip(names, times, strict=True)},
        equations=[f"b{j}.reset{i} = b{k}.on" for j, k, i in others],
    )
    r = simulated(model)
    at = np.searchsorted(r.time, [0.05, 0.2, 0.4, 0.6, 0.8])
    assert [[int(r[f"{name}.on"][k]) for name in names] for k in at] == [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
    ]


def test_delays_crossings_and_ends_of_truth_values() -> None:
    """Reference: the equations of Logical.LogicalDelay and ZeroCrossing."""
    model = Model(
        wave=Var("cos(2*pi*time)"),
        table=blocks.BooleanTable([0.2, 0.5, 0.6, 0.65]),
        delay=blocks.LogicalDelay | Map(delay_time=0.1),
        crossing=blocks.ZeroCrossing,
        on=Var("time < 0.9", type="Boolean"),
        n=Var(type="Integer", init=0),
        end=blocks.TerminateSimulation("it is over"),
        equations=[
            "crossing.u = wave",
            "crossing.enable = on",
            "end.condition = time >= 1.5",
            When("crossing.y", ["n = pre(n) + 1"]),
        ],
        connect=[("table.y", "delay.u")],
    )
    r = instantiate(model).simulate(3.0, interval=0.01)
    t = r.time
    away = np.abs(t[:, None] - [0.2, 0.3, 0.5, 0.6, 0.65, 0.75]).min(axis=1) > 1e-9
    y1 = (t > 0.2) & (t < 0.75)
    assert r["delay.y1"][away].tolist() == y1[away].tolist()
    assert r["delay.y2"][away].tolist() == ((t > 0.3) & (t < 0.5))[away].tolist()
    assert (r.terminated, r.time[-1]) == ("it is over", 1.5)
    assert r["n"][-1] == 2  # at 0.25 s and 0.75 s; not at 1.25 s, and not where it is switched off


def test_triangles_and_moving_averages() -> None:
    model = Model(
        hypotenuse=blocks.Pythagoras,
        leg=blocks.Pythagoras | Map(u1_is_hypotenuse=True),
        mean=blocks.MovingAverage(4),
        equations=["hypotenuse.u1 = 3*time", "hypotenuse.u2 = 4*time", "leg.u1 = 5*time", "leg.u2 = 2", "mean.u = time"],
    )
    r = simulated(model)
    np.testing.assert_allclose(r["hypotenuse.y"], 5 * r.time, atol=1e-12)
    away = np.abs(r.time - 0.4) > 1e-6
    exists = r.time >= 0.4
    np.testing.assert_allclose(r["leg.y"], np.sqrt(np.maximum(25 * r.time**2 - 4, 0)), atol=1e-7)  # root of rounding
    assert r["leg.valid"][away].tolist() == exists[away].tolist()
    for time, mean in ((0.05, 0.0), (0.15, 0.1 / 4), (0.35, 0.15), (0.75, 0.55)):
        assert r["mean.y"][np.searchsorted(r.time, time)] == pytest.approx(mean, abs=1e-12)
