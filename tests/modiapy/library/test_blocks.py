"""Blocks against closed forms and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import signal
from scipy.linalg import expm

from modiapy import Map, Model, ModelError, Result, Var, instantiate
from modiapy.library import blocks
from tests.modiapy.runs import simulated


def fed(block: Model, u: str = "2*sin(2*pi*time)", **more: str) -> Result:
    """A block with its input(s) given as functions of time."""
    inputs = {"u": u} | more if "u" in block else more
    return simulated(Model(b=block, equations=[f"b.{name} = {text}" for name, text in inputs.items()]), 2.0)


def close(actual: Any, expected: Any, away: Any = slice(None), tolerance: float = 1e-6) -> None:
    expected = np.broadcast_to(expected, actual.shape)
    np.testing.assert_allclose(actual[away], expected[away], atol=tolerance, rtol=0)


@pytest.mark.parametrize(
    ("name", "function", "u"),
    [
        ("Abs", np.abs, "sin(3*time)"),
        ("Sqrt", np.sqrt, "1 + time"),
        ("Sin", np.sin, "time"),
        ("Cos", np.cos, "time"),
        ("Tan", np.tan, "time/2"),
        ("Asin", np.arcsin, "time/3"),
        ("Acos", np.arccos, "time/3"),
        ("Atan", np.arctan, "time"),
        ("Sinh", np.sinh, "time"),
        ("Cosh", np.cosh, "time"),
        ("Tanh", np.tanh, "time"),
        ("Exp", np.exp, "time"),
        ("Log", np.log, "1 + time"),
        ("Log10", np.log10, "1 + time"),
        ("Power", np.exp, "time"),
    ],
)
def test_functions(name: str, function: Any, u: str) -> None:
    r = fed(getattr(blocks, name), u)
    close(r["b.y"], function(r["b.u"]), tolerance=1e-9)


def test_functions_of_two_and_three_inputs() -> None:
    u1, u2 = "sin(3*time)", "cos(2*time)"
    for name, function in (
        ("Product", lambda a, b: a * b),
        ("Min", np.minimum),
        ("Max", np.maximum),
        ("Atan2", np.arctan2),
        ("Add", lambda a, b: a + b),
        ("Feedback", lambda a, b: a - b),
    ):
        r = fed(getattr(blocks, name), u1=u1, u2=u2)
        close(r["b.y"], function(r["b.u1"], r["b.u2"]), tolerance=1e-9)
    r = fed(blocks.Division, u1=u1, u2="1 + time")
    close(r["b.y"], r["b.u1"] / (1 + r.time))
    r = fed(blocks.Add3 | Map(k1=2.0, k3=-1.0), u1=u1, u2=u2, u3="time")
    close(r["b.y"], 2 * r["b.u1"] + r["b.u2"] - r.time)


def test_nonlinear_blocks() -> None:
    r = fed(blocks.Limiter | Map(u_max=1.5, u_min=-0.5))
    close(r["b.y"], np.clip(r["b.u"], -0.5, 1.5))
    r = fed(blocks.DeadZone | Map(u_max=0.5))
    close(r["b.y"], r["b.u"] - np.clip(r["b.u"], -0.5, 0.5))
    r = fed(blocks.VariableLimiter, limit1="time", limit2="-0.5")
    close(r["b.y"], np.clip(r["b.u"], -0.5, r.time))
    r = fed(blocks.SlewRateLimiter | Map(rising=3.0, Td=1e-4), "1 if after(0.5) else 0")
    close(r["b.y"], np.clip(3 * (r.time - 0.5), 0.0, 1.0), tolerance=1e-3)


def test_integrator_with_limits() -> None:
    r = fed(blocks.LimIntegrator | Map(k=2.0, out_max=0.4, out_min=-0.1), "1 if time < 1 else -1")
    t = r.time
    close(r["b.y"], np.where(t < 1.0, np.minimum(2 * t, 0.4), np.maximum(0.4 - 2 * (t - 1.0), -0.1)))


def test_second_order_and_derivative() -> None:
    r = fed(blocks.SecondOrder | Map(w=5.0, D=0.3, k=2.0), "1")
    d = 5.0 * np.sqrt(1 - 0.09)
    t = r.time
    close(r["b.y"], 2.0 - 2.0 * np.exp(-1.5 * t) * (np.cos(d * t) + 1.5 / d * np.sin(d * t)))
    r = fed(blocks.Derivative | Map(k=2.0, T=0.1), "time")
    close(r["b.y"], 2.0 * (1 - np.exp(-r.time / 0.1)))
    r = fed(blocks.Der, "sin(3*time)")
    close(r["b.y"], 3 * np.cos(3 * r.time))


def test_pid_is_the_sum_of_its_parts() -> None:
    r = fed(blocks.PID | Map(k=3.0, Ti=0.5, Td=0.2, Nd=4.0), "time")
    t = r.time
    close(r["b.y"], 3.0 * (t + t**2 / 2 / 0.5 + 0.2 * (1 - np.exp(-t / 0.05))))


def test_limited_controllers_agree_where_nothing_is_limited() -> None:
    common = Map(k=2.0, y_max=1e3)
    inputs = {"u_s": "sin(time)", "u_m": "0.5*time", "u_ff": "0.1*time"}
    full = fed(blocks.LimPID | common | Map(Td=0.0), **inputs)
    close(full["b.y"], fed(blocks.LimPI | common, **inputs)["b.y"])
    slow = fed(blocks.LimPID | common | Map(Ti=1e12), **inputs)
    close(slow["b.y"], fed(blocks.LimPD | common, **inputs)["b.y"])
    p = fed(blocks.LimP | common, **inputs)
    close(p["b.y"], 2.0 * (np.sin(p.time) - 0.5 * p.time) + 0.1 * p.time)


def test_a_limited_controller_does_not_wind_up() -> None:
    """An error that the command cannot remove: the integrator stops growing, I' = (e + (y_max - u)/(k*Ni))/Ti."""
    r = fed(blocks.LimPI | Map(k=2.0, Ti=0.5, Ni=0.25, y_max=1.0), u_s="5", u_m="0")
    assert np.all(r["b.y"] == 1.0)
    close(r["b.I.y"][-1:], 1.0 / 2.0 + 0.25 * 5.0 - 5.0, tolerance=1e-4)


def test_point_to_point_motion() -> None:
    for deltaq, qd_max, qdd_max in ((2.0, 1.0, 2.5), (-0.3, 2.0, 1.0)):
        parameters = Map(deltaq=deltaq, qd_max=qd_max, qdd_max=qdd_max, start_time=0.2)
        r = simulated(
            Model(
                a=blocks.KinematicPTP | parameters,
                v=blocks.Integrator,
                s=blocks.Integrator,
                all=blocks.KinematicPTP2 | parameters | Map(q_begin=0.5),
                connect=[("a.y", "v.u"), ("v.y", "s.u")],
            ),
            4.0,
        )
        assert r["s.y"][-1] == pytest.approx(deltaq, abs=1e-8)
        assert r["v.y"][-1] == pytest.approx(0.0, abs=1e-8)
        assert np.abs(r["v.y"]).max() <= qd_max + 1e-8
        assert np.abs(r["a.y"]).max() == qdd_max
        close(r["all.q"], 0.5 + r["s.y"])
        close(r["all.qd"], r["v.y"])


def test_sources() -> None:
    r = simulated(
        Model(
            cosine=blocks.Cosine | Map(f=2.0, amplitude=3.0),
            damped=blocks.ExpSine | Map(f=2.0, damping=1.5),
            rise=blocks.Exponentials | Map(out_max=2.0, rise_time=0.5, rise_time_const=0.2, fall_time_const=0.4),
            clock=blocks.ContinuousClock | Map(start_time=0.5),
            table=blocks.TimeTable | Map(table=[[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]),
            wave=blocks.SineVariableFrequencyAndAmplitude | Map(f="1 + time", amplitude="time"),
        ),
        2.0,
    )
    t = r.time
    close(r["cosine.y"], 3 * np.cos(4 * np.pi * t))
    close(r["damped.y"], np.exp(-1.5 * t) * np.sin(4 * np.pi * t))
    top = 2 * (1 - np.exp(-2.5))
    close(r["rise.y"], np.where(t < 0.5, 2 * (1 - np.exp(-t / 0.2)), top * np.exp(-(t - 0.5) / 0.4)))
    close(r["clock.y"], np.maximum(t - 0.5, 0.0))
    close(r["table.y"], np.interp(t, [0, 1, 2], [0, 2, 1]))
    close(r["wave.y"], t * np.sin(2 * np.pi * (t + t**2 / 2)), tolerance=1e-5)


def test_periodic_sources() -> None:
    r = simulated(
        Model(
            pulse=blocks.Pulse | Map(period=0.5, width=20.0, amplitude=2.0, offset=1.0, start_time=0.1),
            few=blocks.Pulse | Map(period=0.5, nperiod=2),
            saw=blocks.SawTooth | Map(period=0.5, amplitude=3.0),
            trapezoid=blocks.Trapezoid | Map(rising=0.1, width=0.2, falling=0.1, period=0.5),
        ),
        2.0,
    )
    t = r.time
    phase = np.mod(t, 0.5)
    away = np.ones(t.shape, dtype=bool)
    for jump in (0.1, 0.2, 0.25, 0.5):
        away &= np.abs(np.mod(t - jump + 0.25, 0.5) - 0.25) > 1e-6
    close(r["pulse.y"], np.where((t > 0.1) & (np.mod(t - 0.1, 0.5) < 0.1), 3.0, 1.0), away)
    close(r["few.y"], np.where((t < 1.0) & (phase < 0.25), 1.0, 0.0), away)
    close(r["saw.y"], 6.0 * phase, away)
    close(r["trapezoid.y"], np.interp(phase, [0.0, 0.1, 0.3, 0.4, 0.5], [0.0, 1.0, 1.0, 0.0, 0.0]), away)


def test_logic() -> None:
    truth = {"a": "sin(7*time) > 0", "b": "cos(5*time) > 0.2"}
    names = ("And", "Or", "Xor", "Nand", "Nor")
    r = simulated(
        Model(
            a=Var(truth["a"], type="Boolean"),
            b=Var(truth["b"], type="Boolean"),
            **{name.lower() + "_": getattr(blocks, name) for name in names},
            not_=blocks.Not,
            connect=[
                *((("a", f"{name.lower()}_.u1")) for name in names),
                *((("b", f"{name.lower()}_.u2")) for name in names),
                ("a", "not_.u"),
            ],
        ),
        2.0,
    )
    a, b = r["a"] > 0.5, r["b"] > 0.5
    for name, expected in zip(names, (a & b, a | b, a ^ b, ~(a & b), ~(a | b)), strict=True):
        assert np.array_equal(r[f"{name.lower()}_.y"] > 0.5, expected), name
    assert np.array_equal(r["not_.y"] > 0.5, ~a)


def test_hysteresis_and_two_point_control() -> None:
    """A heated body, T' = 3*on - 1, kept between 0.95 and 1.05."""
    r = simulated(
        Model(
            body=blocks.Integrator | Map(y_start=0.5),
            control=blocks.OnOffController | Map(bandwidth=0.1, reference=1.0),
            power=blocks.BooleanToReal | Map(real_true=2.0, real_false=-1.0),
            hysteresis=blocks.Hysteresis | Map(u_low=0.7, u_high=0.9),
            connect=[("body.y", "control.u", "hysteresis.u"), ("control.y", "power.u"), ("power.y", "body.u")],
        ),
        2.0,
    )
    late = r.time > 0.3
    assert r["body.y"][late].max() == pytest.approx(1.05, abs=1e-8)
    assert r["body.y"][late].min() == pytest.approx(0.95, abs=1e-8)
    first = r.time[np.flatnonzero(r["hysteresis.y"] > 0.5)[0]]
    assert first == pytest.approx(0.2, abs=1e-8)


def test_switches_timer_and_flip_flop() -> None:
    r = simulated(
        Model(
            on=blocks.BooleanStep | Map(start_time=0.5),
            off=blocks.BooleanStep | Map(start_time=1.5),
            switch=blocks.Switch | Map(u1="1 + time", u3=-1.0),
            timer=blocks.Timer,
            flip=blocks.RSFlipFlop,
            greater=blocks.GreaterThreshold | Map(threshold=0.3, u="time"),
            connect=[("on.y", "switch.u2", "timer.u", "flip.S"), ("off.y", "flip.R")],
        ),
        2.0,
    )
    t = r.time
    away = (np.abs(t - 0.5) > 1e-9) & (np.abs(t - 1.5) > 1e-9) & (np.abs(t - 0.3) > 1e-9)
    close(r["switch.y"], np.where(t > 0.5, 1 + t, -1.0), away)
    close(r["timer.y"], np.maximum(t - 0.5, 0.0))
    close(r["flip.Q"], (t > 0.5) & (t < 1.5), away)
    close(r["flip.not_Q"], 1.0 - r["flip.Q"])
    close(r["greater.y"], t > 0.3, away)


def test_sampled_blocks() -> None:
    feed = Map(sample_period=0.25, u="time")
    r = simulated(
        Model(
            sampler=blocks.Sampler | feed,
            delay=blocks.UnitDelay | feed | Map(y_start=-1.0),
            triggered=blocks.TriggeredSampler | Map(u="2*time"),
            trigger=blocks.BooleanStep | Map(start_time=0.7),
            connect=[("trigger.y", "triggered.trigger")],
        ),
        2.0,
    )
    t = r.time
    away = (np.abs(np.mod(t + 0.1, 0.25) - 0.1) > 1e-6) & (np.abs(t - 0.7) > 1e-6)
    sampled = 0.25 * np.floor(t / 0.25)
    close(r["sampler.y"], sampled, away)
    close(r["delay.y"], np.where(t < 0.25, -1.0, sampled - 0.25), away)
    close(r["triggered.y"], np.where(t > 0.7, 1.4, 0.0), away)


def test_tables() -> None:
    r = fed(blocks.CombiTable1D | Map(table=[[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]]), "time")
    close(r["b.y"], np.interp(r.time, [0, 1, 3], [0, 2, 1]))
    r = fed(blocks.CombiTable2D | Map(table=[[0.0, 0.0, 2.0], [0.0, 0.0, 4.0], [2.0, 2.0, 6.0]]), u1="time", u2="time/2")
    close(r["b.y"], r.time + 2 * r.time / 2)


def test_an_input_that_nothing_feeds_is_named() -> None:
    with pytest.raises(ModelError, match=r"limiter\.u"):
        instantiate(Model(limiter=blocks.Limiter))


def test_state_space_of_any_order() -> None:
    rng = np.random.default_rng(1)
    A, B, C = rng.normal(size=(3, 3)) - 2 * np.eye(3), rng.normal(size=(3, 2)), rng.normal(size=(2, 3))
    u = np.array([1.0, -0.5])
    r = simulated(
        Model(
            system=blocks.StateSpace | Map(A=A, B=B, C=C, D=np.eye(2), x_start=[1.0, 0.0, 0.0], u=Map(start=u)),
        ),
        2.0,
    )
    whole = np.block([[A, (B @ u)[:, None]], [np.zeros((1, 4))]])
    expected = np.array([C @ (expm(whole * t) @ [1.0, 0.0, 0.0, 1.0])[:3] + u for t in r.time])
    np.testing.assert_allclose(r["system.y"], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("b", "a"), [([1.0], [2.0, 0.6, 4.0]), ([3.0, 1.0, 2.0], [2.0, 3.0, 5.0]), ([0.0, 4.0], [0.0, 1.0, 1.0])]
)
def test_transfer_functions_are_those_of_scipy(b: list[float], a: list[float]) -> None:
    r = fed(blocks.TransferFunction(b, a), "1")
    _, expected = signal.step((np.trim_zeros(b, "f"), np.trim_zeros(a, "f")), T=r.time)
    close(r["b.y"], expected, tolerance=1e-6)


def test_a_transfer_function_is_proper() -> None:
    with pytest.raises(ModelError, match="transfer function"):
        blocks.TransferFunction([1.0, 0.0], [3.0])


@pytest.mark.parametrize(
    "arguments",
    [
        {"order": 2.5},
        {"order": "2"},
        {"f_cut": 0.0},
        {"f_cut": -1.0},
        {"analog_filter": "chebyshev_i", "A_ripple": 0.0},
        {"filter_type": "band_pass", "f_min": 2.0},
        {"f_cut": "f"},
    ],
)
def test_what_is_no_filter_is_refused(arguments: dict[str, Any]) -> None:
    (name, value), *_ = reversed(arguments.items())
    with pytest.raises(ModelError, match=f"this is no filter.*{name}={value!r}"):
        blocks.Filter(**arguments)


def test_gains_and_instants_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ModelError, match=r"found \[1, 2\]; expected 3 numbers, one for each input"):
        blocks.MultiSum(3, k=[1, 2])
    with pytest.raises(ModelError, match=r"2\.5 inputs"):
        blocks.MultiProduct(2.5)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="ascending order"):
        blocks.BooleanTable([3.0, 1.0])
    with pytest.raises(ModelError, match="ascending order"):
        blocks.IntegerTable([[0, 1], [2, 2], [1, 3]])
    for table in ([], [[0]], [[0, 1], [2]]):
        with pytest.raises(ModelError, match="rows of a time"):
            blocks.IntegerTable(table)
