"""Examples of Modelica.Blocks 4.0, rebuilt with the same parameters; references: scipy.signal, closed forms, logic by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from modiapy import Map, Model, ModelError, Result, Var, instantiate
from modiapy.library import blocks
from tests.modiapy.runs import simulated


def at(r: Result, name: str, times: list[float]) -> list[float]:
    """Values of a piecewise constant signal, away from its changes."""
    return r[name][np.searchsorted(r.time, times, side="right") - 1].tolist()


STEP = blocks.Step | Map(start_time=0.1, offset=0.1)
KINDS = ("critical_damping", "bessel", "butterworth", "chebyshev_i")


def prototype(kind: str, order: int) -> np.ndarray:
    """Poles of scipy's low pass, scaled to -3 dB (a factor 10**-0.15) at 1 rad/s."""
    if kind == "critical_damping":
        return np.full(order, -1 / np.sqrt(10 ** (0.3 / order) - 1))
    p = {
        "bessel": lambda: signal.bessel(order, 1, analog=True, output="zpk"),
        "butterworth": lambda: signal.butter(order, 1, analog=True, output="zpk"),
        "chebyshev_i": lambda: signal.cheby1(order, 0.5, 1, analog=True, output="zpk"),
    }[kind]()[1]
    if kind == "butterworth":
        return p
    w = np.linspace(0.3, 3.0, 270001)
    gain = np.abs(np.prod(p)) / np.prod(np.abs(1j * w[:, None] - p), axis=1)
    return p / w[np.flatnonzero(gain >= 10**-0.15)[-1]]


def responses(filter_type: str, order: int, **options: float) -> Result:
    filters = {
        kind: blocks.Filter(kind, filter_type, order, 2.0, steady_state=True, **options)
        for kind in KINDS  # type: ignore[arg-type]
    }
    return simulated(Model(step=STEP, connect=[("step.y", *(f"{kind}.u" for kind in KINDS))], **filters), 0.9)


@pytest.mark.parametrize(("filter_type", "order"), [("low_pass", 3), ("low_pass", 4), ("high_pass", 3)])
def test_filter(filter_type: str, order: int) -> None:
    r = responses(filter_type, order)
    t = np.maximum(r.time - 0.1, 0.0)
    grid = np.linspace(0.0, 0.8, 4001)
    for kind in KINDS:
        p = prototype(kind, order)
        w = 4 * np.pi
        if filter_type == "low_pass":
            zpk = ([], p * w, np.prod(-p * w).real)
        else:
            zpk = (np.zeros(order), w / p, 1.0)
        _, y = signal.step(signal.ZerosPolesGain(*zpk), T=grid)
        before = 0.1 if filter_type == "low_pass" else 0.0
        after = r.time > 0.1
        np.testing.assert_allclose(r[f"{kind}.y"][after], before + np.interp(t, grid, y)[after], atol=2e-4)
        np.testing.assert_allclose(r[f"{kind}.y"][r.time < 0.1], before, atol=1e-9)


def test_states_of_filters_are_those_of_modelica() -> None:
    """First values of the published result of Blocks.Examples.Filter."""
    r = responses("low_pass", 3)
    assert [r[f"bessel.x{k}"][0] for k in (1, 2, 3)] == pytest.approx([0.1, 0.104818016430916, 0.1], abs=1e-12)
    assert [r[f"butterworth.x{k}"][0] for k in (1, 2, 3)] == pytest.approx([0.1, 0.0577350269189625, 0.1], abs=1e-12)
    assert [r[f"chebyshev_i.x{k}"][0] for k in (1, 2, 3)] == pytest.approx([0.1, 0.0306507306941233, 0.1], abs=1e-12)


@pytest.mark.parametrize("filter_type", ["band_pass", "band_stop"])
def test_bands(filter_type: str) -> None:
    r = responses(filter_type, 2, f_min=0.5)
    design = {"band_pass": "bandpass", "band_stop": "bandstop"}[filter_type]
    b, a = signal.butter(2, [np.pi, 4 * np.pi], design, analog=True)
    grid = np.linspace(0.0, 0.8, 2001)
    _, y = signal.step((b, a), T=grid)
    after = r.time > 0.1
    rest = 0.1 if filter_type == "band_stop" else 0.0
    np.testing.assert_allclose(r["butterworth.y"][after], rest + np.interp(r.time[after] - 0.1, grid, y), atol=1e-4)


def test_a_filter_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ModelError, match="no filter"):
        blocks.Filter("butterworth", "band_pass", 2, 1.0)
    with pytest.raises(ModelError, match="no filter"):
        blocks.Filter("elliptic")  # type: ignore[arg-type]


def test_derivatives_of_a_filtered_signal() -> None:
    model = Model(
        step=STEP,
        bessel=blocks.Filter("bessel", "low_pass", 3, 2.0),
        der1=blocks.Der,
        der2=blocks.Der,
        der3=blocks.Der,
        connect=[("step.y", "bessel.u"), ("bessel.y", "der1.u"), ("der1.y", "der2.u"), ("der2.y", "der3.u")],
    )
    r = simulated(model, 0.9, 2000)
    t, once = np.unique(r.time, return_index=True)
    inner = (t > 0.12) & (t < 0.88)
    for lower, higher in (("bessel.y", "der1.y"), ("der1.y", "der2.y")):
        slope = np.gradient(r[lower][once], t)
        np.testing.assert_allclose(slope[inner], r[higher][once][inner], atol=5e-3 * np.ptp(r[higher]))


@pytest.mark.parametrize(("factor", "reached"), [(3, 0.947), (4, 0.986), (5, 0.996)])
def test_filter_with_rise_time(factor: int, reached: float) -> None:
    model = Model(
        step=blocks.Step | Map(start_time=1.0),
        filter=blocks.CriticalDamping(2, factor / (2 * np.pi * 2.0)),
        connect=[("step.y", "filter.u")],
    )
    assert simulated(model, 3.0)["filter.y"][-1] == pytest.approx(reached, abs=6e-4)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_critical_damping_passes_half_the_power(n: int) -> None:
    """As that of the Modelica library, whose `Filter` has -3 dB there; it may begin at rest."""
    made = blocks.CriticalDamping(n, 5.0, steady_state=True)
    model = Model(u=Var(input=True, start=2.0), filter=made, equations=["filter.u = u"])
    sim = instantiate(model)
    assert sim.simulate(0.1)["filter.y"] == pytest.approx(2.0, abs=1e-12)
    linear = sim.linearize(inputs=["u"], outputs=["filter.y"])
    G = linear.C @ np.linalg.solve(2j * np.pi * 5.0 * np.eye(n) - linear.A, linear.B) + linear.D
    assert abs(G.item()) ** 2 == pytest.approx(0.5, abs=1e-9)


def test_inverse_model() -> None:
    plant = blocks.FirstOrder | Map(T=0.3, y=Map(init=None))
    model = Model(
        sine=blocks.Sine | Map(f=2.0, offset=1.0, start_time=0.2),
        first_order1=plant,
        first_order2=plant,
        inverse=blocks.InverseBlockConstraints,
        feedback=blocks.Feedback,
        critical_damping=blocks.CriticalDamping(1, 100.0),
        initial_equations=["der(first_order1.y) = 0", "der(first_order2.y) = 0"],
        connect=[
            ("first_order1.y", "inverse.u2"),
            ("inverse.y2", "first_order1.u"),
            ("first_order2.y", "feedback.u1"),
            ("sine.y", "critical_damping.u", "feedback.u2"),
            ("critical_damping.y", "inverse.u1"),
            ("inverse.y1", "first_order2.u"),
        ],
    )
    r = simulated(model, 1.0)
    # the plant follows the filtered sine exactly; that lags by 1/w of the filter
    np.testing.assert_allclose(r["first_order2.y"], r["critical_damping.y"], atol=1e-6)
    assert np.abs(r["feedback.y"]).max() == pytest.approx(4 * np.pi / (200 * np.pi), rel=0.1)


def test_logical_sources_and_their_networks() -> None:
    model = Model(
        table=blocks.BooleanTable([2, 4, 6, 8]),
        const=blocks.BooleanConstant,
        step=blocks.BooleanStep | Map(start_time=4.0),
        pulse=blocks.BooleanPulse | Map(period=1.5),
        trigger=blocks.SampleTrigger | Map(period=0.5),
        both=blocks.And,
        count=blocks.TriggeredAdd | Map(u=1),
        connect=[("pulse.y", "both.u1"), ("step.y", "both.u2"), ("trigger.y", "count.trigger")],
    )
    r = simulated(model, 10.0)
    assert at(r, "table.y", [1, 3, 5, 7, 9]) == [0, 1, 0, 1, 0]
    assert at(r, "step.y", [3.9, 4.1]) == [0, 1]
    assert at(r, "pulse.y", [0.1, 0.7, 0.8, 1.4, 1.6, 9.1, 9.9]) == [1, 1, 0, 0, 1, 1, 0]
    assert at(r, "both.y", [0.1, 4.6, 5.2]) == [0, 1, 1]
    assert np.diff(at(r, "count.y", [0.2, 2.6, 9.9])).tolist() == [5, 14]


def test_logical_network() -> None:
    model = Model(
        table1=blocks.BooleanTable([2, 4, 6, 8]),
        table2=blocks.BooleanTable([1, 3, 5, 7]),
        not1=blocks.Not,
        and1=blocks.And,
        or1=blocks.Or,
        pre1=blocks.Pre,
        connect=[
            ("table2.y", "not1.u"),
            ("and1.y", "or1.u2"),
            ("table1.y", "or1.u1"),
            ("not1.y", "and1.u1"),
            ("pre1.y", "and1.u2"),
            ("or1.y", "pre1.u"),
        ],
    )
    r = simulated(model, 10.0)
    # a memory, set by table1 and kept while table2 is false
    assert at(r, "or1.y", [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]) == [0, 0, 1, 1, 1, 0, 1, 1, 1, 1]


def test_real_network() -> None:
    model = Model(
        add=blocks.MultiSum(2),
        sine=blocks.Sine | Map(amplitude=3.0, f=0.1),
        step=blocks.Step | Map(height=3.0, start_time=2.0),
        constant=blocks.Constant,
        product=blocks.MultiProduct(2),
        pulse1=blocks.BooleanPulse,
        pulse2=blocks.BooleanPulse | Map(period=2.0, width=80.0),
        switch=blocks.MultiSwitch([4, 6], 2),
        linear=blocks.LinearDependency | Map(y0=1.0, k1=2.0, k2=3.0),
        min_max=blocks.MinMax(2),
        connect=[
            ("pulse1.y", "switch.u1"),
            ("pulse2.y", "switch.u2"),
            ("sine.y", "add.u1"),
            ("step.y", "add.u2", "product.u1"),
            ("constant.y", "product.u2"),
            ("add.y", "linear.u1", "min_max.u1"),
            ("product.y", "linear.u2", "min_max.u2"),
        ],
    )
    r = simulated(model, 10.0)
    step = np.where(r.time >= 2.0, 3.0, 0.0)
    away = np.abs(r.time - 2.0) > 1e-9
    add = 3 * np.sin(0.2 * np.pi * r.time) + step
    np.testing.assert_allclose(r["add.y"][away], add[away], atol=1e-12)
    np.testing.assert_allclose(r["linear.y"][away], (1 + 2 * add + 3 * step)[away], atol=1e-12)
    np.testing.assert_allclose(r["min_max.y_min"][away], np.minimum(add, step)[away], atol=1e-12)
    np.testing.assert_allclose(r["min_max.y_max"][away], np.maximum(add, step)[away], atol=1e-12)
    assert at(r, "switch.y", [0.2, 0.7, 1.2, 1.55, 1.8]) == [4, 6, 4, 6, 2]


def test_integer_network() -> None:
    model = Model(
        sum=blocks.MultiSum(3, kind="Integer"),
        sine=blocks.Sine | Map(amplitude=3.0, f=0.1),
        to_integer=blocks.RealToInteger,
        step=blocks.IntegerStep | Map(height=3, start_time=2.0),
        constant=blocks.IntegerConstant,
        product=blocks.MultiProduct(2, kind="Integer"),
        add=blocks.TriggeredAdd,
        pulse1=blocks.BooleanPulse,
        connect=[
            ("sine.y", "to_integer.u"),
            ("to_integer.y", "sum.u1"),
            ("step.y", "sum.u2", "product.u2"),
            ("constant.y", "sum.u3", "add.u"),
            ("sum.y", "product.u1"),
            ("pulse1.y", "add.trigger"),
        ],
    )
    r = simulated(model, 10.0)
    times = [0.1, 0.5, 1.2, 2.5, 4.6, 5.1, 6.1, 7.5, 9.9]
    rounded = np.array([0, 1, 2, 3, 1, 0, -2, -3, 0])
    step = np.where(np.array(times) > 2.0, 3, 0)
    assert at(r, "to_integer.y", times) == rounded.tolist()
    assert at(r, "sum.y", times) == (rounded + step + 1).tolist()
    assert at(r, "product.y", times) == ((rounded + step + 1) * step).tolist()
    assert np.diff(at(r, "add.y", [0.1, 1.1, 2.1, 9.6])).tolist() == [1, 1, 7]


def test_boolean_network() -> None:
    model = Model(
        pulse1=blocks.BooleanPulse | Map(width=20.0),
        pulse2=blocks.BooleanPulse | Map(width=80.0),
        step=blocks.BooleanStep | Map(start_time=1.5),
        and1=blocks.MultiAnd(3),
        or1=blocks.MultiOr(2),
        xor1=blocks.MultiXor(2),
        nand1=blocks.MultiNand(2),
        nor1=blocks.MultiNor(2),
        on_delay=blocks.OnDelay,
        rising=blocks.RisingEdge,
        falling=blocks.FallingEdge,
        changing=blocks.Change,
        set1=blocks.MultiSwitch([False, True], False, use_pre_as_default=True, kind="Boolean"),
        table=blocks.BooleanTable([2, 4, 6, 6.5, 7, 9, 11]),
        add=blocks.TriggeredAdd | Map(u=2),
        flip_flop=blocks.RSFlipFlop,
        trigger_set=blocks.SampleTrigger | Map(period=0.5),
        trigger_reset=blocks.SampleTrigger | Map(period=0.5, start_time=0.3),
        connect=[
            ("pulse1.y", "and1.u1"),
            ("step.y", "and1.u2"),
            ("pulse2.y", "and1.u3", "or1.u2", "xor1.u2", "nand1.u2", "nor1.u2", "rising.u", "falling.u", "changing.u"),
            ("and1.y", "or1.u1"),
            ("or1.y", "xor1.u1"),
            ("xor1.y", "nand1.u1"),
            ("nand1.y", "nor1.u1"),
            ("rising.y", "set1.u1"),
            ("falling.y", "set1.u2"),
            ("table.y", "on_delay.u"),
            ("changing.y", "add.trigger"),
            ("trigger_set.y", "flip_flop.S"),
            ("trigger_reset.y", "flip_flop.R"),
        ],
    )
    r = simulated(model, 10.0)
    times = [0.1, 0.5, 0.9, 2.1, 2.5, 2.9]
    assert at(r, "and1.y", times) == [0, 0, 0, 1, 0, 0]
    assert at(r, "or1.y", times) == [1, 1, 0, 1, 1, 0]
    assert at(r, "xor1.y", times) == [0, 0, 0, 0, 0, 0]
    assert at(r, "nand1.y", times) == [1, 1, 1, 1, 1, 1]
    assert at(r, "nor1.y", times) == [0] * 6
    assert at(r, "set1.y", [2.5, 2.9, 3.1]) == [0, 1, 0]
    # true from 2, 6 and 7 on, for 2, 0.5 and 2 s
    assert at(r, "on_delay.y", [2.5, 3.5, 4.5, 6.3, 7.5, 8.5, 9.5]) == [0, 1, 0, 0, 0, 1, 0]
    assert np.diff(at(r, "add.y", [1.5, 2.5, 2.9])).tolist() == [4, 2]
    assert at(r, "flip_flop.Q", [0.6, 0.9, 1.1]) == [1, 0, 1]


def test_tables_of_time() -> None:
    """Interaction1: tables of integers, numbers and truth values."""
    model = Model(
        integers=blocks.IntegerTable([[0, 0], [1, 2], [2, 4], [3, 6], [4, 4], [6, 2]]),
        numbers=blocks.TimeTable | Map(table=[[0, 0], [1, 2.1], [2, 4.2], [3, 6.3], [4, 4.2], [6, 2.1]]),
        truths=blocks.BooleanTable([1, 2, 3, 4, 5, 6, 7, 8, 9]),
        jumps=blocks.CombiTimeTable([[0, 0, 1], [2, 0, 3], [2, 5, 3], [4, 7, 3]], extrapolation="hold"),
    )
    r = simulated(model, 8.0)
    assert at(r, "integers.y", [0.5, 1.5, 2.5, 3.5, 5.0, 7.0]) == [0, 2, 4, 6, 4, 2]
    assert at(r, "truths.y", [0.5, 1.5, 2.5, 7.5]) == [0, 1, 0, 1]
    assert np.interp([0.5, 2.5, 5.0], r.time, r["numbers.y"]) == pytest.approx([1.05, 5.25, 3.15], abs=1e-9)
    assert np.interp([1.0, 1.99, 2.01, 3.0, 6.0], r.time, r["jumps.y1"]) == pytest.approx([0, 0, 5.01, 6, 7], abs=1e-9)
    assert np.interp([1.0, 3.0], r.time, r["jumps.y2"]) == pytest.approx([2, 3], abs=1e-9)


def test_total_harmonic_distortion() -> None:
    fundamental = blocks.Sine | Map(f=50.0, amplitude=100 * 2**0.5, start_time=0.02)
    model = Model(
        sine1=fundamental,
        sine3=fundamental | Map(f=150.0, amplitude=20 * 2**0.5),
        voltage=blocks.Add,
        thd1=blocks.TotalHarmonicDistortion | Map(f=50.0),
        thd_rms=blocks.TotalHarmonicDistortion | Map(f=50.0, use_first_harmonic=False),
        mean=blocks.RectifiedMean,
        connect=[("sine1.y", "voltage.u1"), ("sine3.y", "voltage.u2"), ("voltage.y", "thd1.u", "thd_rms.u", "mean.u")],
    )
    r = simulated(model, 0.1)
    assert r["thd1.y"][-1] == pytest.approx(0.2, rel=1e-5)
    assert r["thd_rms.y"][-1] == pytest.approx(20 / np.hypot(100, 20), rel=1e-5)
    assert r["thd1.valid"][[0, -1]].tolist() == [0.0, 1.0]
    assert r["thd1.rms.y"][-1] == pytest.approx(np.hypot(100, 20), rel=1e-6)


def test_modulation() -> None:
    model = Model(
        amplitude=blocks.Sine | Map(amplitude=0.5, f=2.0, offset=1.0),
        frequency=blocks.Sine | Map(amplitude=50.0, f=2.0, offset=100.0),
        am=blocks.SineVariableFrequencyAndAmplitude | Map(f=100.0),
        fm=blocks.CosineVariableFrequencyAndAmplitude | Map(amplitude=1.0),
        connect=[("amplitude.y", "am.amplitude"), ("frequency.y", "fm.f")],
    )
    r = simulated(model, 0.2, 2000)
    t, w = r.time, 4 * np.pi
    np.testing.assert_allclose(r["am.y"], (1 + 0.5 * np.sin(w * t)) * np.sin(200 * np.pi * t), atol=1e-5)
    phi = 2 * np.pi * (100 * t + 50 / w * (1 - np.cos(w * t)))
    np.testing.assert_allclose(r["fm.y"], np.cos(phi), atol=1e-5)


def test_slew_rates() -> None:
    """Blocks.Examples.SlewRateLimiter: a position that follows a step with limited speed."""
    model = Model(
        step=blocks.Step | Map(start_time=0.1),
        limit=blocks.SlewRateLimiter | Map(rising=2.0, Td=1e-4),
        v=blocks.Der,
        connect=[("step.y", "limit.u"), ("limit.y", "v.u")],
    )
    r = simulated(model, 1.0)
    np.testing.assert_allclose(r["limit.y"], np.clip(2 * (r.time - 0.1), 0.0, 1.0), atol=2e-4)
    assert np.abs(r["v.y"]).max() == pytest.approx(2.0, rel=1e-6)


def test_sampled_blocks() -> None:
    model = Model(
        step=blocks.Step,
        ramp=blocks.ContinuousClock,
        transfer=blocks.DiscreteTransferFunction([1, 2], [1, -0.5, 0.06]) | Map(sample_period=1.0),
        first_order=blocks.FirstOrderHold | Map(sample_period=0.5),
        connect=[("step.y", "transfer.u"), ("ramp.y", "first_order.u")],
    )
    r = simulated(model, 5.4)
    _, (expected,) = signal.dstep(([1, 2], [1, -0.5, 0.06], 1.0), n=6)
    assert at(r, "transfer.y", [0.2, 1.2, 2.2, 3.2, 4.2, 5.2]) == pytest.approx(expected.ravel().tolist())
    late = r.time > 0.5
    np.testing.assert_allclose(r["first_order.y"][late], r.time[late], atol=1e-9)
    with pytest.raises(ModelError, match="discrete transfer function"):
        blocks.DiscreteTransferFunction([1, 2], [1])


def test_dead_time_and_statistics() -> None:
    model = Model(
        sine=blocks.Sine | Map(f=0.2),
        delay=blocks.PadeDelay(4),
        mean=blocks.ContinuousMean,
        deviation=blocks.StandardDeviation,
        connect=[("sine.y", "delay.u", "mean.u", "deviation.u")],
    )
    r = simulated(model, 10.0)
    late = r.time > 5.0
    np.testing.assert_allclose(r["delay.y"][late], np.sin(0.4 * np.pi * (r.time[late] - 1.0)), atol=1e-4)
    assert r["mean.y"][-1] == pytest.approx(0.0, abs=1e-6)
    assert r["deviation.y"][-1] == pytest.approx(2**-0.5, rel=1e-5)
