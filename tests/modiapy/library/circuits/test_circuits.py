"""Examples of Modelica.Electrical.Analog with linear elements, variable elements and converters, against their results."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from modiapy import Map, Model, instantiate
from modiapy.library import blocks, celsius, electric, heat_transfer

from ...reference.agreement import assert_agreement
from . import circuit_points

_L = (1.304, 0.8586)
_C = (1.072, 1 / (1.704992**2 * _L[0]), 1.682, 1 / (1.179945**2 * _L[1]), 0.7262)
_STEP = electric.StepVoltage | Map(V=1.0, start_time=1.0)


def switched_capacitor(inverted: bool = False) -> Model:
    """Utilities.SwitchedCapacitor with the clock 0.1 s: a resistor of 1 Ohm, or of -1 Ohm if its charge is inverted."""
    control = ("not_.y", "switch1.control") if inverted else ("pulse.y", "switch1.control")
    return Model(
        p=electric.Pin,
        n=electric.Pin,
        pulse=blocks.BooleanPulse | Map(period=0.1),
        not_=blocks.Not,
        capacitor=electric.Capacitor | Map(C=0.1, v=Map(init=0.0)),
        switch1=electric.IdealTwoWaySwitch,
        switch2=electric.IdealTwoWaySwitch,
        ground=electric.Ground,
        connect=[
            ("pulse.y", "switch2.control", "not_.u"),
            control,
            ("p", "switch1.n1"),
            ("switch1.p", "capacitor.p"),
            ("capacitor.n", "switch2.p"),
            ("n", "switch2.n1"),
            ("ground.p", "switch1.n2", "switch2.n2"),
        ],
    )


_SWITCHED, _INVERTED = switched_capacitor(), switched_capacitor(inverted=True)

CAUER_LOW_PASS_OPV = Model(
    description="Analog.Examples.CauerLowPassOPV",
    c1=electric.Capacitor | Map(C=1.072 + (1 / (1.704992**2 * 1.304)), v=Map(init=0.0)),
    c2=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304)), v=Map(init=0.0)),
    c3=electric.Capacitor | Map(C=1.304, v=Map(init=0.0)),
    c4=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586)), v=Map(init=0.0)),
    c5=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304))),
    r1=electric.Resistor | Map(R=1.0),
    r2=electric.Resistor | Map(R=1.0),
    r3=electric.Resistor | Map(R=1.0),
    op1=electric.IdealOpAmp3Pin,
    r4=electric.Resistor | Map(R=-1.0),
    r5=electric.Resistor | Map(R=-1.0),
    op2=electric.IdealOpAmp3Pin,
    op3=electric.IdealOpAmp3Pin,
    r6=electric.Resistor | Map(R=1.0),
    r7=electric.Resistor | Map(R=1.0),
    c6=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304)) + 1.682 + (1 / (1.179945**2 * 0.8586))),
    r8=electric.Resistor | Map(R=-1.0),
    r9=electric.Resistor | Map(R=-1.0),
    r10=electric.Resistor | Map(R=1.0),
    op4=electric.IdealOpAmp3Pin,
    op5=electric.IdealOpAmp3Pin,
    c7=electric.Capacitor | Map(C=0.8586, v=Map(init=0.0)),
    c8=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586))),
    c9=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586)) + 0.7262),
    r11=electric.Resistor | Map(R=1.0),
    v=electric.StepVoltage | Map(start_time=1.0, V=1.0),
    ground=electric.Ground,
    connect=[
        ("r1.n", "op1.in_n", "c2.n", "r2.n", "c1.p", "r3.p"),
        ("c1.n", "r3.n", "op1.out", "r4.p", "c5.p"),
        ("r4.n", "op2.in_n", "c3.p", "r5.n"),
        ("r5.p", "c2.p", "c6.n", "op3.out", "r9.p", "c8.p"),
        ("c3.n", "op2.out", "r2.p", "r7.p"),
        ("r7.n", "op3.in_n", "c5.n", "r6.n", "c6.p", "c4.n"),
        ("c4.p", "r8.p", "r11.n", "c9.n", "op5.out"),
        ("r8.n", "r9.n", "op4.in_n", "c7.p"),
        ("c7.n", "r6.p", "op4.out", "r10.p"),
        ("c9.p", "r11.p", "r10.n", "op5.in_n", "c8.n"),
        ("v.n", "r1.p"),
        ("ground.p", "op1.in_p", "op2.in_p", "op3.in_p", "op4.in_p", "op5.in_p", "v.p"),
    ],
)

CAUER_LOW_PASS_SC = Model(
    description="Analog.Examples.CauerLowPassSC",
    c1=electric.Capacitor | Map(C=1.072 + (1 / (1.704992**2 * 1.304)), v=Map(init=0.0)),
    c2=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304)), v=Map(init=0.0)),
    c3=electric.Capacitor | Map(C=1.304, v=Map(init=0.0)),
    c4=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586)), v=Map(init=0.0)),
    c5=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304))),
    op1=electric.IdealOpAmp3Pin,
    op2=electric.IdealOpAmp3Pin,
    op3=electric.IdealOpAmp3Pin,
    c6=electric.Capacitor | Map(C=(1 / (1.704992**2 * 1.304)) + 1.682 + (1 / (1.179945**2 * 0.8586))),
    op4=electric.IdealOpAmp3Pin,
    op5=electric.IdealOpAmp3Pin,
    c7=electric.Capacitor | Map(C=0.8586, v=Map(init=0.0)),
    c8=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586))),
    c9=electric.Capacitor | Map(C=(1 / (1.179945**2 * 0.8586)) + 0.7262),
    v=electric.StepVoltage | Map(start_time=1.0, V=1.0),
    r4=_INVERTED,
    r5=_INVERTED,
    r8=_INVERTED,
    r9=_INVERTED,
    r1=_SWITCHED,
    r2=_SWITCHED,
    r3=_SWITCHED,
    rp1=_SWITCHED,
    r7=_SWITCHED,
    r10=_SWITCHED,
    r11=_SWITCHED,
    ground=electric.Ground,
    connect=[
        ("op1.in_n", "c2.n", "c1.p", "r1.n", "r2.n", "r3.p"),
        ("c1.n", "op1.out", "c5.p", "r4.p", "r3.n"),
        ("op2.in_n", "c3.p", "r4.n", "r5.n"),
        ("c2.p", "c6.n", "op3.out", "c8.p", "r5.p", "r9.p"),
        ("c3.n", "op2.out", "r2.p", "r7.p"),
        ("op3.in_n", "c5.n", "c6.p", "c4.n", "rp1.n", "r7.n"),
        ("c4.p", "c9.n", "op5.out", "r8.p", "r11.n"),
        ("op4.in_n", "c7.p", "r8.n", "r9.n"),
        ("c7.n", "op4.out", "rp1.p", "r10.p"),
        ("c9.p", "op5.in_n", "c8.n", "r10.n", "r11.p"),
        ("r1.p", "v.n"),
        ("ground.p", "op1.in_p", "op2.in_p", "op3.in_p", "op4.in_p", "op5.in_p", "v.p"),
    ],
)

PARALLEL_RESONANCE = Model(
    description="Analog.Examples.ParallelResonance",
    sine_current=electric.SineCurrentVariableFrequencyAndAmplitude | Map(I=1.0),
    resistor1=electric.Resistor | Map(R=0.5),
    inductor1=electric.Inductor | Map(i=Map(init=0.0), L=0.1 / (2 * pi)),
    capacitor1=electric.Capacitor | Map(v=Map(init=0.0), C=0.001 / (2 * pi)),
    voltage_sensor1=electric.VoltageSensor,
    ramp=blocks.Ramp | Map(height=200.0, duration=1.0, offset=0.0, start_time=0.0),
    cosine_current=electric.CosineCurrentVariableFrequencyAndAmplitude | Map(I=1.0),
    resistor2=electric.Resistor | Map(R=0.5),
    inductor2=electric.Inductor | Map(i=Map(init=0.0), L=0.1 / (2 * pi)),
    capacitor2=electric.Capacitor | Map(v=Map(init=0.0), C=0.001 / (2 * pi)),
    voltage_sensor2=electric.VoltageSensor,
    ground=electric.Ground,
    connect=[
        ("ramp.y", "sine_current.f", "cosine_current.f"),
        ("sine_current.n", "resistor1.p", "capacitor1.p", "voltage_sensor1.p"),
        ("resistor1.n", "inductor1.p"),
        ("cosine_current.n", "resistor2.p", "capacitor2.p", "voltage_sensor2.p"),
        ("resistor2.n", "inductor2.p"),
        (
            "ground.p",
            "sine_current.p",
            "inductor1.n",
            "capacitor1.n",
            "voltage_sensor1.n",
            "cosine_current.p",
            "inductor2.n",
            "capacitor2.n",
            "voltage_sensor2.n",
        ),
    ],
)

SERIES_RESONANCE = Model(
    description="Analog.Examples.SeriesResonance",
    sine_voltage=electric.SineVoltageVariableFrequencyAndAmplitude | Map(V=1.0),
    resistor1=electric.Resistor | Map(R=0.5),
    inductor1=electric.Inductor | Map(i=Map(init=0.0), L=0.1 / (2 * pi)),
    capacitor1=electric.Capacitor | Map(v=Map(init=0.0), C=0.001 / (2 * pi)),
    current_sensor1=electric.CurrentSensor,
    ramp=blocks.Ramp | Map(height=200.0, duration=1.0, offset=0.0, start_time=0.0),
    cosine_voltage=electric.CosineVoltageVariableFrequencyAndAmplitude | Map(V=1.0),
    resistor2=electric.Resistor | Map(R=0.5),
    inductor2=electric.Inductor | Map(i=Map(init=0.0), L=0.1 / (2 * pi)),
    capacitor2=electric.Capacitor | Map(v=Map(init=0.0), C=0.001 / (2 * pi)),
    current_sensor2=electric.CurrentSensor,
    ground=electric.Ground,
    connect=[
        ("sine_voltage.p", "inductor1.p"),
        ("inductor1.n", "capacitor1.p"),
        ("capacitor1.n", "resistor1.p"),
        ("current_sensor1.p", "resistor1.n"),
        ("ramp.y", "sine_voltage.f", "cosine_voltage.f"),
        ("cosine_voltage.p", "inductor2.p"),
        ("inductor2.n", "capacitor2.p"),
        ("capacitor2.n", "resistor2.p"),
        ("current_sensor2.p", "resistor2.n"),
        ("ground.p", "sine_voltage.n", "current_sensor1.n", "cosine_voltage.n", "current_sensor2.n"),
    ],
)

AMPLIFIER_WITH_OP_AMP_DETAILED = Model(
    description="Analog.Examples.AmplifierWithOpAmpDetailed",
    op_amp=electric.OpAmpDetailed | Map(q_fp1=Map(init=0.0), q_fr1=Map(init=0.0), q_fr2=Map(init=0.0), q_fr3=Map(init=0.0)),
    resistor=electric.Resistor | Map(R=10000.0),
    resistor1=electric.Resistor | Map(R=20000.0),
    resistor2=electric.Resistor | Map(R=10000.0, i=Map(init=0.0)),
    sine_voltage=electric.SineVoltage | Map(V=12.0, f=1000.0),
    constant_voltage=electric.ConstantVoltage | Map(V=15.0),
    constant_voltage1=electric.ConstantVoltage | Map(V=-15.0),
    ground=electric.Ground,
    connect=[
        ("resistor.n", "op_amp.m", "resistor1.p"),
        ("resistor1.n", "resistor2.p", "op_amp.outp"),
        ("resistor.p", "sine_voltage.p"),
        ("op_amp.p_supply", "constant_voltage.p"),
        ("op_amp.m_supply", "constant_voltage1.p"),
        ("ground.p", "sine_voltage.n", "op_amp.p", "resistor2.n", "constant_voltage.n", "constant_voltage1.n"),
    ],
)

RESISTOR = Model(
    description="Analog.Examples.Resistor",
    resistor=electric.Resistor | electric.WithHeatPort | Map(R=100.0, alpha=1e-3, T_ref=293.15),
    sine_voltage1=electric.SineVoltage | Map(V=220.0, f=1.0),
    thermal_conductor=heat_transfer.ThermalConductor | Map(G=50.0),
    fixed_temperature=celsius.FixedTemperature | Map(T=20.0),
    ground=electric.Ground,
    connect=[
        ("resistor.heat_port", "thermal_conductor.port_a"),
        ("sine_voltage1.p", "resistor.p"),
        ("thermal_conductor.port_b", "fixed_temperature.port"),
        ("ground.p", "sine_voltage1.n", "resistor.n"),
    ],
)

SHOW_SATURATING_INDUCTOR = Model(
    description="Analog.Examples.ShowSaturatingInductor",
    sine_voltage1=electric.SineVoltage | Map(V=1.25, phase=(pi / 2), f=(1 / (2 * pi))),
    saturating_inductance1=electric.SaturatingInductor | Map(L_zer=2.0, L_nom=1.0, I_nom=1.0, L_inf=0.5, i=Map(init=0.0)),
    inductance1=electric.Inductor | Map(L=1.0, i=Map(init=0.0)),
    ground=electric.Ground,
    connect=[
        ("saturating_inductance1.p", "sine_voltage1.p", "inductance1.p"),
        ("ground.p", "sine_voltage1.n", "saturating_inductance1.n", "inductance1.n"),
    ],
)

SHOW_VARIABLE_RESISTOR = Model(
    description="Analog.Examples.ShowVariableResistor",
    variable_resistor=electric.VariableResistor,
    r1=electric.Resistor | Map(R=1.0),
    r2=electric.Resistor | Map(R=1.0),
    r3=electric.Resistor | Map(R=1.0),
    r4=electric.Resistor | Map(R=1.0),
    r5=electric.Resistor | Map(R=1.0),
    sine_voltage1=electric.SineVoltage | Map(V=1.0, f=1.0),
    ramp1=blocks.Ramp | Map(height=5.0, offset=2.0, duration=2.0),
    ground=electric.Ground,
    connect=[
        ("r1.n", "r2.p"),
        ("r2.n", "r3.p"),
        ("r4.n", "variable_resistor.p"),
        ("variable_resistor.n", "r5.p"),
        ("sine_voltage1.n", "r1.p", "r4.p"),
        ("ramp1.y", "variable_resistor.R"),
        ("ground.p", "r3.n", "r5.n", "sine_voltage1.p"),
    ],
)

RESONANCE_CIRCUITS = Model(
    description="Analog.Examples.ResonanceCircuits without the adaptors that cut them into parts",
    current1=electric.SineCurrent | Map(f=50.0 / pi),
    inductor1=electric.Inductor | Map(L=0.01, i=Map(init=0.0)),
    conductor1=electric.Conductor,
    capacitor1=electric.Capacitor | Map(C=0.01, v=Map(init=0.0)),
    voltage2=electric.SineVoltage | Map(f=50.0 / pi),
    inductor2=electric.Inductor | Map(L=0.01, i=Map(init=0.0)),
    resistor2=electric.Resistor,
    capacitor2=electric.Capacitor | Map(C=0.01, v=Map(init=0.0)),
    ground=electric.Ground,
    connect=[
        ("current1.n", "inductor1.p", "conductor1.p", "capacitor1.p"),
        ("voltage2.p", "inductor2.p"),
        ("inductor2.n", "resistor2.p"),
        ("resistor2.n", "capacitor2.p"),
        ("ground.p", "current1.p", "inductor1.n", "conductor1.n", "capacitor1.n", "voltage2.n", "capacitor2.n"),
    ],
)


@pytest.mark.parametrize(
    "name",
    [
        "CAUER_LOW_PASS_OPV",
        "PARALLEL_RESONANCE",
        "SERIES_RESONANCE",
        "AMPLIFIER_WITH_OP_AMP_DETAILED",
        "RESISTOR",
        "SHOW_SATURATING_INDUCTOR",
        "SHOW_VARIABLE_RESISTOR",
        "RESONANCE_CIRCUITS",
    ],
)
def test_agrees_with_the_published_result(name: str) -> None:
    assert_agreement(globals()[name], getattr(circuit_points, name), 3e-5, points=20000)


def test_filter_of_switched_capacitors() -> None:
    """1200 events: all published points lie near some of them, between which the voltages are constant."""
    result = instantiate(CAUER_LOW_PASS_SC).simulate(60.0, tolerance=1e-6, interval=1e-3)
    times = circuit_points.CAUER_LOW_PASS_SC["time"]
    for name, values in circuit_points.CAUER_LOW_PASS_SC.items():
        if name != "time":
            np.testing.assert_allclose(np.interp(times, result.time, result[name]), values, rtol=0, atol=2e-5, err_msg=name)
