"""Components of circuits for which no results are published: definitions, closed forms, and equality of what is the same."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from modiapy import Map, Model, ModelError, Result, SimulationError, Var, instantiate
from modiapy.library import blocks, electric, heat_transfer

K_Q = 1.380649e-23 / 1.602176634e-19


def simulated(model: Model, stop_time: float = 1.0, interval: float = 1e-3, tolerance: float = 1e-9) -> Result:
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=interval)


def loaded(source: Model, load: Model = electric.Resistor) -> Model:
    return Model(
        source=source,
        load=load,
        ground=electric.Ground,
        connect=[("source.p", "load.p"), ("ground.p", "source.n", "load.n")],
    )


TIMING: dict[str, Any] = {"offset": 0.5, "start_time": 0.2}
SOURCES = {
    "Step": ("height", {}),
    "Ramp": ("height", {"duration": 0.3}),
    "Sine": ("amplitude", {"f": 3.0, "phase": 0.4}),
    "Cosine": ("amplitude", {"f": 3.0, "phase": 0.4}),
    "ExpSine": ("amplitude", {"f": 3.0, "phase": 0.4, "damping": 2.0}),
    "Pulse": ("amplitude", {"period": 0.3, "width": 30.0, "nperiod": 2}),
    "SawTooth": ("amplitude", {"period": 0.3, "nperiod": 2}),
    "Trapezoid": ("amplitude", {"period": 0.3, "rising": 0.05, "width": 0.1, "falling": 0.07, "nperiod": 2}),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_the_signal_of_its_name(name: str) -> None:
    amplitude, parameters = SOURCES[name]
    signal = getattr(blocks, name) | Map({amplitude: 3.0} | TIMING | parameters)
    model = loaded(getattr(electric, f"{name}Voltage") | Map(V=3.0, **TIMING, **parameters)) | Model(
        signal=signal,
        current=getattr(electric, f"{name}Current") | Map(I=3.0, **TIMING, **parameters),
        other=electric.Resistor,
        connect=[("current.p", "other.p"), ("current.n", "other.n", "ground.p")],
    )
    r = simulated(model)
    np.testing.assert_allclose(r["load.v"], r["signal.y"], atol=1e-12)
    np.testing.assert_allclose(r["other.v"], -r["signal.y"], atol=1e-12)
    assert np.ptp(r["signal.y"]) > 2.0


def test_exponential_and_table_sources() -> None:
    rising = electric.ExponentialsVoltage | Map(
        v_max=2.0, rise_time=0.3, rise_time_const=0.2, fall_time_const=0.1, start_time=0.1
    )
    table = electric.TableVoltage | Map(table=[[0.0, 1.0], [0.5, 2.0], [1.0, 0.0]], start_time=0.25, offset=1.0)
    r = simulated(loaded(rising))
    t = r.time - 0.1
    top = 2.0 * (1 - np.exp(-0.3 / 0.2))
    expected = np.where(t < 0.3, 2.0 * (1 - np.exp(-np.maximum(t, 0.0) / 0.2)), top * np.exp(-(t - 0.3) / 0.1))
    np.testing.assert_allclose(r["load.v"], np.where(t < 0, 0.0, expected), atol=1e-9)
    r = simulated(loaded(table))
    away = np.abs(r.time - 0.25) > 1e-9
    expected = 1.0 + np.where(r.time > 0.25, np.interp(r.time - 0.25, [0.0, 0.5, 1.0], [1.0, 2.0, 0.0]), 0.0)
    np.testing.assert_allclose(r["load.v"][away], expected[away], atol=1e-9)


@pytest.mark.parametrize("kind", ["Sine", "Cosine"])
def test_a_wave_of_variable_frequency_and_amplitude(kind: str) -> None:
    source = getattr(electric, f"{kind}VoltageVariableFrequencyAndAmplitude")
    model = loaded(source | Map(offset=0.3)) | Model(
        f=blocks.Ramp | Map(height=10.0, duration=1.0),
        amplitude=blocks.Ramp | Map(height=2.0, duration=1.0, offset=1.0),
        connect=[("f.y", "source.f"), ("amplitude.y", "source.V")],
    )
    r = simulated(model)
    wave = {"Sine": np.sin, "Cosine": np.cos}[kind](2 * pi * 5.0 * r.time**2)
    np.testing.assert_allclose(r["load.v"], 0.3 + (1 + 2 * r.time) * wave, atol=1e-6)


@pytest.mark.parametrize("approximation", ["Heidler", "DoubleExp"])
@pytest.mark.parametrize(("rise", "decay"), [(10e-6, 350e-6), (1.2e-6, 50e-6), (0.25e-6, 100e-6)])
def test_a_lightning_impulse_is_what_its_times_say(approximation: str, rise: float, decay: float) -> None:
    """Examples.DemonstrateLightning, and the first and the following stroke of IEC 62305."""
    source = electric.LightningImpulseCurrent | Map(approximation=approximation, I=100e3, T1=rise, T2=decay)
    r = simulated(loaded(source), 1.5 * decay, rise / 200, 1e-6)
    t, y = r.time, -r["load.v"]
    peak = int(y.argmax())
    assert y[peak] == pytest.approx(100e3, rel=1e-5)
    t10, t90 = (np.interp(level * 100e3, y[: peak + 1], t[: peak + 1]) for level in (0.1, 0.9))
    half = np.interp(-50e3, -y[peak:], t[peak:])
    assert (t90 - t10) / 0.8 == pytest.approx(rise, rel=1e-4)
    assert half - (t10 - 0.1 * rise) == pytest.approx(decay, rel=1e-4)


def test_a_double_exponential_impulse_does_not_rise_slowly() -> None:
    source = electric.LightningImpulseVoltage | Map(approximation="DoubleExp", T1=8e-6, T2=20e-6)
    with pytest.raises(SimulationError, match="less than a fifth of T2"):
        simulated(loaded(source), 1e-5)


def test_a_power_supply_has_three_ranges() -> None:
    """Examples.DemoPowerSupply: a conductance from 1 mS to 1 kS."""
    model = loaded(electric.DCPowerSupply, electric.VariableConductor) | Model(
        ramp=blocks.Ramp | Map(height=6.0, duration=1.0, offset=-3.0),
        power10=blocks.Power | Map(base=10.0),
        connect=[("ramp.y", "power10.u"), ("power10.y", "load.G")],
    )
    r = simulated(model)
    g, v, i = r["load.G"], r["load.v"], r["load.i"]
    cv, cc = 60.0 / (1 + 1e-3 * g), 50.0 / (g + 1e-3)
    expected = np.minimum(np.minimum(cv, np.sqrt(1200.0 / g)), cc)
    away = np.abs(np.diff(expected / cv, prepend=1.0)) < 1.0
    np.testing.assert_allclose(v[away], expected[away], rtol=1e-6)
    assert (v * i).max() == pytest.approx(1200.0, rel=1e-9)
    assert r["source.power"] == pytest.approx(-v * i, rel=1e-12)


def test_a_power_supply_feeds_a_buffer_and_takes_no_current() -> None:
    """Examples.DemoPowerSupplyWithBuffer; without the diode the pulses drive a current back."""

    def circuit(diode: Model) -> Model:
        return Model(
            supply=electric.DCPowerSupply | Map(Gcc=0.01, Rcv=0.01, i_back=0.1),
            cable=electric.Resistor | Map(R=1e-3),
            diode=diode,
            buffer=electric.Capacitor | Map(C=0.1, v=Map(init=0.0)),
            load=electric.PulseCurrent | Map(I=50.0, offset=-25.0, period=1e-3, start_time=0.5),
            step=electric.StepCurrent | Map(I=25.0, start_time=0.5),
            rest=electric.ConstantCurrent | Map(I=0.0),
            ground=electric.Ground,
            connect=[
                ("supply.p", "cable.p"),
                ("cable.n", "diode.p"),
                ("diode.n", "buffer.p", "load.p", "step.n", "rest.p"),
                ("ground.p", "supply.n", "buffer.n", "load.n", "step.p", "rest.n"),
            ],
        )

    model = circuit(electric.IdealDiode | Map(Goff=0.0))
    model["step"] = electric.ConstantCurrent | Map(I=-25.0)
    r = simulated(model, 0.6, 1e-4, 1e-8)
    assert r["supply.i"].max() <= 1e-6
    assert r["supply.i"].min() >= -50.0
    before = r.time < 0.5
    assert r["buffer.v"][before].max() == pytest.approx(60.0, rel=1e-4)
    # first the buffer is charged with the constant current, then with the constant power
    early = r.time < 0.02
    np.testing.assert_allclose(-r["supply.i"][early], 50.0 - 0.01 * r["supply.v"][early], rtol=1e-6)


def test_a_supply_of_two_voltages() -> None:
    model = Model(
        supply=electric.SupplyVoltage | Map(V_ps=12.0, V_ns=-5.0),
        high=electric.Resistor | Map(R=4.0),
        low=electric.Resistor | Map(R=5.0),
        ground=electric.Ground,
        connect=[("supply.pin_p", "high.p"), ("supply.pin_n", "low.p"), ("ground.p", "supply.ground", "high.n", "low.n")],
    )
    r = simulated(model)
    assert r["high.i"][-1] == pytest.approx(3.0)
    assert r["low.i"][-1] == pytest.approx(-1.0)
    assert r["supply.ground.i"][-1] == pytest.approx(2.0)


@pytest.mark.parametrize("controlled", [False, True])
def test_switches_with_several_ways(controlled: bool) -> None:
    """10 V at p1 and 20 V at p2: straight until 0.5 s, then crossed. Goff lets 1e-5 of the voltage difference through."""
    kind = "Controlled" if controlled else ""
    model = Model(
        v1=electric.ConstantVoltage | Map(V=10.0),
        v2=electric.ConstantVoltage | Map(V=20.0),
        ways=getattr(electric, f"{kind}IdealIntermediateSwitch"),
        two=getattr(electric, f"{kind}IdealTwoWaySwitch"),
        r1=electric.Resistor,
        r2=electric.Resistor,
        r3=electric.Resistor | Map(R=2.0),
        r4=electric.Resistor | Map(R=5.0),
        ground=electric.Ground,
        control=electric.StepVoltage | Map(start_time=0.5) if controlled else blocks.BooleanStep | Map(start_time=0.5),
        connect=[
            ("v1.p", "ways.p1", "two.p"),
            ("v2.p", "ways.p2"),
            ("ways.n1", "r1.p"),
            ("ways.n2", "r2.p"),
            ("two.n1", "r3.p"),
            ("two.n2", "r4.p"),
            ("ground.p", "v1.n", "v2.n", "r1.n", "r2.n", "r3.n", "r4.n", *(["control.n"] if controlled else [])),
            (f"control.{'p' if controlled else 'y'}", "ways.control", "two.control"),
        ],
    )
    r = simulated(model)
    first, last = ([r[f"r{k}.i"][n] for k in (1, 2, 3, 4)] for n in (0, -1))
    assert first == pytest.approx([10.0, 20.0, 5.0, 0.0], abs=5e-4)
    assert last == pytest.approx([20.0, 10.0, 0.0, 2.0], abs=5e-4)
    assert r["ways.p1.i"][-1] == pytest.approx(10.0, abs=1e-3)
    lost = sum(r[f"v{k}.p.i"] * r[f"v{k}.v"] for k in (1, 2)) + sum(r[f"r{k}.loss_power"] for k in (1, 2, 3, 4))
    np.testing.assert_allclose(r["ways.loss_power"] + r["two.loss_power"], -lost, atol=1e-9)


def test_conversion_to_seven_bits_and_back() -> None:
    """Examples.AD_DA_conversion: what comes back is the voltage at the last tick, to half of a step of 10 V/127."""
    bits = 7
    model = Model(
        ad=electric.AD_Converter(bits),
        da=electric.DA_Converter(bits),
        trigger=blocks.BooleanPulse | Map(period=1e-3, width=1.0),
        source=electric.SineVoltage | Map(V=5.0, f=10.0, offset=5.0),
        resistor=electric.Resistor,
        ground=electric.Ground,
        connect=[
            ("source.p", "ad.p", "resistor.p"),
            ("resistor.n", "da.p"),
            ("trigger.y", "ad.trig", "da.trig"),
            ("ground.p", "source.n", "ad.n", "da.n"),
            *((f"ad.y{k}", f"da.x{k}") for k in range(1, bits + 1)),
        ],
    )
    r = simulated(model, 0.2, 1e-4)
    # nothing is converted at the beginning, where the trigger is true but does not become so
    between = (np.abs(r.time / 1e-3 - np.round(r.time / 1e-3)) > 0.05) & (r.time > 1e-3)
    assert r["da.v_out"][r.time < 1e-3].max() == 0.0
    t = r.time[between]
    sampled = 5.0 + 5.0 * np.sin(2 * pi * 10.0 * np.floor(t / 1e-3) * 1e-3)
    np.testing.assert_allclose(r["da.v_out"][between], sampled, atol=0.5 * 10.0 / 127 + 1e-9)
    np.testing.assert_allclose(r["da.v_out"][between] * 12.7, np.round(sampled * 12.7), atol=1e-9)
    np.testing.assert_allclose(r["ad.p.i"], r["source.v"] * 1e-6, atol=1e-15)
    with pytest.raises(ModelError, match="bits"):
        electric.AD_Converter(0)


def diode_current(v: float) -> float:
    """Diode2 at 293.15 K by its definition, solved for the voltage of the junction."""
    vt = K_Q * 293.15

    def junction(vd: float) -> float:
        if vd < -50.0:
            return -1e-13 * (np.exp(-(vd + 100.0) / vt) + 1 - 2 * np.exp(-100.0 / (2 * vt)))
        if vd < 0.7 + vt:
            return 1e-13 * np.expm1(vd / vt)
        top = np.exp((0.7 + vt) / vt)
        return 1e-13 * (top - 1) + (vd - 0.7 - vt) * 1e-13 * top / vt

    vd = brentq(lambda x: x + 16.0 * junction(x) - v, -102.0, 5.0, xtol=1e-14, rtol=1e-14)
    return (v - vd) / 16.0 + v * 1e-6


@pytest.mark.parametrize("v", [-101.0, -60.0, -10.0, 0.3, 0.7, 3.0, 20.0])
def test_a_diode_with_ohmic_resistance(v: float) -> None:
    model = loaded(electric.RampVoltage | Map(V=v, duration=1.0), electric.Diode2)
    assert simulated(model)["load.i"][-1] == pytest.approx(diode_current(v), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("plain", "sign"), [("NMOS", 1.0), ("PMOS", -1.0)])
@pytest.mark.parametrize("temperature", [300.15, 350.0])
def test_field_effect_transistors_at_a_temperature(plain: str, sign: float, temperature: float) -> None:
    """At its temperature a heating transistor is a plain one with Beta, Vt and K2 of that temperature."""
    beta, vt, k2, kvt, kk2 = {"NMOS": (0.041e-3, 0.8, 1.144, -6.96e-3, 6e-4), "PMOS": (0.0105e-3, -1.0, 0.41, -2.9e-3, 6.2e-4)}[
        plain
    ]
    above = temperature - 300.15
    hot = {"Beta": beta * (temperature / 300.15) ** -1.5, "Vt": vt * (1 + above * kvt), "K2": k2 * (1 + above * kk2)}
    model = Model(
        plain=getattr(electric, plain) | Map(hot),
        heating=getattr(electric, f"Heating{plain}"),
        room=heat_transfer.FixedTemperature | Map(T=temperature),
        drain=electric.ConstantVoltage | Map(V=sign * 3.0),
        gate=electric.RampVoltage | Map(V=sign * 5.0, duration=1.0),
        bulk=electric.ConstantVoltage | Map(V=-sign * 0.5),
        ground=electric.Ground,
        connect=[
            ("drain.p", "plain.D", "heating.D"),
            ("gate.p", "plain.G", "heating.G"),
            ("bulk.p", "plain.B", "heating.B"),
            ("heating.heat_port", "room.port"),
            ("ground.p", "drain.n", "gate.n", "bulk.n", "plain.S", "heating.S"),
        ],
    )
    r = simulated(model)
    np.testing.assert_allclose(r["heating.D.i"], r["plain.D.i"], rtol=1e-12)
    assert sign * r["plain.D.i"][-1] > 1e-6
    np.testing.assert_allclose(r["room.port.Q_flow"], r["heating.loss_power"], rtol=1e-12)
    np.testing.assert_allclose(r["heating.loss_power"], r["heating.D.i"] * r["drain.v"], rtol=1e-12)


@pytest.mark.parametrize(("plain", "sign"), [("NPN", 1.0), ("PNP", -1.0)])
def test_bipolar_transistors_at_a_temperature(plain: str, sign: float) -> None:
    temperature = 330.0
    ratio, vt = temperature / 300.15, K_Q * temperature
    hot = Map(Vt=vt, Is=1e-16 * ratio**3 * np.exp((ratio - 1) * 1.11 / vt), Bf=50.0 * ratio**1.5, Br=0.1 * ratio**1.5)
    model = Model(
        plain=getattr(electric, plain) | hot,
        heating=getattr(electric, f"Heating{plain}") | Map(XTB=1.5),
        room=heat_transfer.FixedTemperature | Map(T=temperature),
        collector=electric.ConstantVoltage | Map(V=sign * 5.0),
        base=electric.RampVoltage | Map(V=sign * 0.7, duration=1e-3),
        ground=electric.Ground,
        connect=[
            ("collector.p", "plain.C", "heating.C"),
            ("base.p", "plain.B", "heating.B"),
            ("heating.heat_port", "room.port"),
            ("ground.p", "collector.n", "base.n", "plain.E", "heating.E"),
        ],
    )
    r = simulated(model, 2e-3, 1e-5)
    for pin in "CBE":
        np.testing.assert_allclose(r[f"heating.{pin}.i"], r[f"plain.{pin}.i"], rtol=1e-9, atol=1e-18)
    assert sign * r["plain.C.i"][-1] > 1e-5
    np.testing.assert_allclose(r["room.port.Q_flow"], r["heating.loss_power"], rtol=1e-12)


def test_resistances_depend_on_the_temperature() -> None:
    def hot(component: Model) -> Model:
        return component | Map(alpha=4e-3, T_ref=300.0, T=350.0)

    model = Model(
        source=electric.ConstantVoltage | Map(V=12.0),
        resistor=hot(electric.Resistor | Map(R=10.0)),
        conductor=hot(electric.Conductor | Map(G=0.1)),
        pot=hot(electric.Potentiometer | Map(R=10.0, r=0.25)),
        end=electric.Potentiometer | Map(R=10.0, r=1.5),
        tap=electric.PotentialSensor,
        ground=electric.Ground,
        connect=[
            ("source.p", "resistor.p", "conductor.p", "pot.pin_p", "end.pin_p"),
            ("pot.contact", "tap.p"),
            ("ground.p", "source.n", "resistor.n", "conductor.n", "pot.pin_n", "end.pin_n"),
        ],
    )
    r = simulated(model)
    for name in ("resistor.i", "conductor.i", "pot.pin_p.i"):
        assert r[name][-1] == pytest.approx(12.0 / (10.0 * 1.2))
    assert r["tap.phi"][-1] == pytest.approx(3.0)
    assert r["resistor.loss_power"][-1] == pytest.approx(12.0**2 / 12.0)
    assert r["end.contact.v"][-1] == pytest.approx(12.0)  # the contact stays on the resistor
    assert r["end.pin_p.i"][-1] == pytest.approx(1.2)


@pytest.mark.parametrize(
    "component", [electric.Resistor, electric.Conductor, electric.Diode, electric.ZDiode, electric.Diode2, electric.IdealDiode]
)
def test_losses_heat_what_is_behind_the_heat_port(component: Model) -> None:
    """Heat is the electric energy, whatever the component does with its temperature."""
    model = loaded(electric.SineVoltage | Map(V=0.5, f=1.0), component | electric.WithHeatPort) | Model(
        oven=heat_transfer.HeatCapacitor | Map(C=0.3, T=Map(init=293.15)), connect=[("load.heat_port", "oven.port")]
    )
    model["load"] = model["load"] | Model(energy=Var(init=0.0), equations=["der(energy) = p.i*(p.v - n.v)"])
    r = simulated(model, 1.0, 1e-2)
    np.testing.assert_allclose(0.3 * (r["oven.T"] - 293.15), r["load.energy"] - r["load.energy"][0], rtol=1e-4, atol=1e-9)
    assert r["load.energy"][-1] > 0.0


def test_a_line_of_one_wire_is_a_lossy_line() -> None:
    values = {"r": 2.0, "l": 0.4, "g": 0.05, "c": 0.3}
    one = electric.M_OLine(4, 1) | Map(length=1.5, **{name: [value] for name, value in values.items()})
    model = loaded(electric.StepVoltage, electric.OLine(4) | Map(length=1.5, **values))
    model["connect"] = [
        ("source.p", "load.p1", "wires.p1"),
        ("load.p2", "r1.p"),
        ("wires.n1", "r2.p"),
        ("ground.p", "source.n", "load.p3", "wires.ref_pin", "r1.n", "r2.n"),
    ]
    r = simulated(model | Model(wires=one, r1=electric.Resistor, r2=electric.Resistor), 10.0, 0.01)
    np.testing.assert_allclose(r["r2.v"], r["r1.v"], atol=1e-7)
    assert 0.2 < r["r1.v"][-1] < 1 / (1 + 2.0 * 1.5)
    with pytest.raises(ModelError, match="segments"):
        electric.M_OLine(1, 2)


def test_coupled_wires() -> None:
    """Sum and difference of two equal wires travel as on single lines, with l11 + l12 and l11 - l12, c and c + 2*c12."""
    n, wires = 3, {"r": [0.5, 0.5], "l": [0.4, 0.1, 0.4], "g": [0.02, 0.03, 0.02], "c": [0.3, 0.05, 0.3]}
    model = Model(
        source=electric.StepVoltage,
        line=electric.M_OLine(n, 2) | Map(length=1.0, **wires),
        r1=electric.Resistor,
        r2=electric.Resistor,
        ground=electric.Ground,
        connect=[
            ("source.p", "line.p1"),
            ("line.n1", "r1.p"),
            ("line.n2", "r2.p"),
            ("ground.p", "source.n", "line.p2", "line.ref_pin", "r1.n", "r2.n"),
        ],
    )
    r = simulated(model, 5.0, 0.01)
    for sign, inductance, conductance, capacitance in ((1, 0.5, 0.02, 0.3), (-1, 0.3, 0.02 + 2 * 0.03, 0.3 + 2 * 0.05)):
        single = electric.OLine(n) | Map(length=1.0, r=0.5, l=inductance, g=conductance, c=capacitance)
        mode = loaded(electric.StepVoltage, single)
        mode["connect"] = [("source.p", "load.p1"), ("load.p2", "end.p"), ("ground.p", "source.n", "load.p3", "end.n")]
        expected = simulated(mode | Model(end=electric.Resistor), 5.0, 0.01)["end.v"]
        np.testing.assert_allclose(r["r1.v"] + sign * r["r2.v"], expected, atol=1e-6)


def test_a_sensor_of_everything() -> None:
    model = Model(
        source=electric.SineVoltage | Map(V=10.0, f=1.0),
        sensor=electric.MultiSensor,
        power=electric.PowerSensor,
        load=electric.Resistor | Map(R=4.0),
        ground=electric.Ground,
        connect=[
            ("source.p", "sensor.pc", "sensor.pv", "power.pv"),
            ("sensor.nc", "power.pc"),
            ("power.nc", "load.p"),
            ("ground.p", "source.n", "load.n", "sensor.nv", "power.nv"),
        ],
    )
    r = simulated(model)
    v = 10.0 * np.sin(2 * pi * r.time)
    np.testing.assert_allclose(r["sensor.v"], v, atol=1e-12)
    np.testing.assert_allclose(r["sensor.i"], v / 4.0, atol=1e-12)
    np.testing.assert_allclose(r["sensor.power"], v**2 / 4.0, atol=1e-12)
    np.testing.assert_allclose(r["power.power"], r["sensor.power"], atol=1e-12)


def test_a_transformer_of_merged_inductances() -> None:
    """Windings whose inductances are merged into a compiled model: three coupled circuits by the matrix exponential."""
    model = Model(
        source=electric.ConstantVoltage,
        transformer=electric.M_Transformer(3),
        r2=electric.Resistor,
        r3=electric.Resistor,
        ground=electric.Ground,
        connect=[
            ("source.p", "transformer.p1"),
            ("transformer.p2", "r2.p"),
            ("transformer.p3", "r3.p"),
            ("ground.p", "source.n", "transformer.n1", "transformer.n2", "transformer.n3", "r2.n", "r3.n"),
        ],
    )
    sim = instantiate(model)
    for upper in ([1.0, 0.1, 0.2, 2.0, 0.3, 3.0], [2.0, 0.5, 0.1, 1.0, 0.2, 4.0]):
        a, b, c, d, e, f = upper
        inverse = np.linalg.inv([[a, b, c], [b, d, e], [c, e, f]])
        augmented = np.zeros((4, 4))
        augmented[:3, :3], augmented[:3, 3] = -inverse @ np.diag([0.0, 1.0, 1.0]), inverse @ [1.0, 0.0, 0.0]
        r = sim.simulate(2.0, merge=Map(transformer=Map(L=upper)), tolerance=1e-9)
        exact = (expm(augmented * 2.0) @ [0.0, 0.0, 0.0, 1.0])[:3]
        assert [r[f"transformer.i{k}"][-1] for k in (1, 2, 3)] == pytest.approx(exact, abs=1e-6)


def test_capacitances_and_inductances_stay_above_their_limits() -> None:
    model = Model(
        v=electric.SineVoltage | Map(V=2.0, f=1.0),
        i=electric.SineCurrent | Map(I=2.0, f=1.0),
        c=electric.VariableCapacitor | Map(C_min=0.5, C=0.1),
        l=electric.VariableInductor | Map(L_min=0.25, L=0.1),
        ground=electric.Ground,
        connect=[("v.p", "c.p"), ("i.p", "l.n"), ("ground.p", "v.n", "c.n", "i.n", "l.p")],
    )
    r = simulated(model)
    rate = 2.0 * 2 * pi * np.cos(2 * pi * r.time)
    np.testing.assert_allclose(r["c.i"], 0.5 * rate, atol=1e-9)
    np.testing.assert_allclose(r["l.v"], 0.25 * rate * (1 if r["l.i"][250] > 0 else -1), atol=1e-9)
