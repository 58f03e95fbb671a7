"""Examples of Modelica.Electrical.Analog.Examples.OpAmps against their published results."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
import pytest

from modiapy import Map, Model, instantiate
from modiapy.library import blocks, electric

from ...reference.agreement import assert_agreement
from . import op_amp_circuits, op_amp_points

_TRAPEZOIDS = electric.TrapezoidVoltage | Map(
    V=10.0, offset=-5.0, rising=0.02, width=0.03, falling=0.02, period=0.1, start_time=-0.035
)

ADDER = Model(
    description="Analog.Examples.OpAmps.Adder",
    v_in1=electric.SineVoltage | Map(V=5.0, f=10.0),
    v_in2=electric.ConstantVoltage | Map(V=5.0),
    v_out=electric.VoltageSensor,
    add=op_amp_circuits.ADD,
    ground=electric.Ground,
    connect=[
        ("v_in1.p", "add.p1"),
        ("v_in2.p", "add.p1_2"),
        ("add.p2", "v_out.n"),
        ("add.n2", "v_out.p"),
        ("ground.p", "add.n1", "v_in2.n", "v_in1.n"),
    ],
)

SUBTRACTER = Model(
    description="Analog.Examples.OpAmps.Subtracter",
    v_in1=electric.SineVoltage | Map(V=5.0, f=10.0),
    v_in2=electric.ConstantVoltage | Map(V=5.0),
    v_out=electric.VoltageSensor,
    feedback=op_amp_circuits.FEEDBACK,
    ground=electric.Ground,
    connect=[
        ("v_in1.p", "feedback.p1"),
        ("v_in2.p", "feedback.p1_2"),
        ("feedback.p2", "v_out.n"),
        ("feedback.n2", "v_out.p"),
        ("ground.p", "feedback.n1", "v_in2.n", "v_in1.n"),
    ],
)

COMPARATOR = Model(
    description="Analog.Examples.OpAmps.Comparator",
    op_amp=electric.OpAmpLimited,
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    potentiometer=electric.Potentiometer | Map(R=1000.0, r=((0 - -15) / (15.0 - -15))),
    supply_voltage=electric.SupplyVoltage,
    ground=electric.Ground,
    connect=[
        ("v_in.p", "op_amp.in_p"),
        ("op_amp.out", "v_out.p"),
        ("potentiometer.contact", "op_amp.in_n"),
        ("potentiometer.pin_p", "supply_voltage.pin_p"),
        ("potentiometer.pin_n", "supply_voltage.pin_n"),
        ("ground.p", "v_out.n", "v_in.n", "supply_voltage.ground"),
    ],
)

DIFFERENTIATOR = Model(
    description="Analog.Examples.OpAmps.Differentiator",
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    der_=op_amp_circuits.DER | Map(k=2.0, f=10.0),
    ground=electric.Ground,
    connect=[
        ("v_in.p", "der_.p1"),
        ("der_.p2", "v_out.p"),
        ("der_.n2", "v_out.n"),
        ("ground.p", "v_in.n", "der_.n1"),
    ],
)

HIGH_PASS = Model(
    description="Analog.Examples.OpAmps.HighPass",
    v_out=electric.VoltageSensor,
    derivative=op_amp_circuits.DERIVATIVE | Map(T=1 / (2 * pi * (10 / 10))),
    v_in=_TRAPEZOIDS | Map(V=5.0, offset=0.0),
    ground=electric.Ground,
    connect=[
        ("derivative.p2", "v_out.p"),
        ("derivative.n2", "v_out.n"),
        ("v_in.p", "derivative.p1"),
        ("ground.p", "derivative.n1", "v_in.n"),
    ],
)

INTEGRATOR = Model(
    description="Analog.Examples.OpAmps.Integrator",
    v_out=electric.VoltageSensor,
    integrator=op_amp_circuits.INTEGRATOR | Map(k=2.0, f=10.0),
    v_in=_TRAPEZOIDS,
    ground=electric.Ground,
    connect=[
        ("integrator.p2", "v_out.p"),
        ("integrator.n2", "v_out.n"),
        ("v_in.p", "integrator.p1"),
        ("ground.p", "integrator.n1", "v_in.n"),
    ],
)

INVERTING_AMPLIFIER = Model(
    description="Analog.Examples.OpAmps.InvertingAmplifier",
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    gain=op_amp_circuits.GAIN | Map(k=2.0),
    ground=electric.Ground,
    connect=[
        ("v_in.p", "gain.p1"),
        ("gain.n2", "v_out.n"),
        ("gain.p2", "v_out.p"),
        ("ground.p", "gain.n1", "v_in.n"),
    ],
)

NON_INVERTING_AMPLIFIER = Model(
    description="Analog.Examples.OpAmps.NonInvertingAmplifier",
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    buffer=op_amp_circuits.BUFFER | Map(k=2.0),
    ground=electric.Ground,
    connect=[
        ("v_in.p", "buffer.p1"),
        ("buffer.p2", "v_out.p"),
        ("buffer.n2", "v_out.n"),
        ("ground.p", "v_in.n", "buffer.n1"),
    ],
)

INVERTING_SCHMITT_TRIGGER = Model(
    description="Analog.Examples.OpAmps.InvertingSchmittTrigger",
    op_amp=electric.OpAmpLimited,
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    r1=electric.Resistor | Map(R=1000.0),
    r2=electric.Resistor | Map(R=((1 - (1 / 15.0)) / (1 / 15.0) * 1000)),
    ground=electric.Ground,
    connect=[
        ("r2.n", "r1.p", "op_amp.in_p"),
        ("op_amp.out", "r2.p", "v_out.p"),
        ("v_in.p", "op_amp.in_n"),
        ("ground.p", "r1.n", "v_in.n", "v_out.n"),
    ],
)

SCHMITT_TRIGGER = Model(
    description="Analog.Examples.OpAmps.SchmittTrigger",
    op_amp=electric.OpAmpLimited,
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    r1=electric.Resistor | Map(R=1000.0),
    r2=electric.Resistor | Map(R=(1000 / (1 / 15.0))),
    ground=electric.Ground,
    connect=[
        ("op_amp.out", "v_out.p", "r2.n"),
        ("r2.p", "op_amp.in_p", "r1.n"),
        ("r1.p", "v_in.p"),
        ("ground.p", "v_in.n", "v_out.n", "op_amp.in_n"),
    ],
)

LC_OSCILLATOR = Model(
    description="Analog.Examples.OpAmps.LCOscillator",
    op_amp=electric.OpAmpLimited,
    r=electric.Resistor | Map(R=10000.0),
    r2=electric.Resistor | Map(R=((1.001 - 1) * 10000.0)),
    r1=electric.Resistor | Map(R=10000.0),
    c=electric.Capacitor | Map(C=(1 / ((2 * pi * 1000) ** 2 * 0.001)), v=Map(init=10.0)),
    l=electric.Inductor | Map(L=0.001, i=Map(init=0.0)),
    v_out=electric.VoltageSensor,
    ground=electric.Ground,
    connect=[
        ("op_amp.out", "r.p", "r2.p"),
        ("r2.n", "r1.p", "op_amp.in_n"),
        ("r.n", "op_amp.in_p", "l.p", "c.p", "v_out.p"),
        ("ground.p", "r1.n", "l.n", "c.n", "v_out.n"),
    ],
)

LOW_PASS = Model(
    description="Analog.Examples.OpAmps.LowPass",
    v_out=electric.VoltageSensor,
    first_order=op_amp_circuits.FIRST_ORDER | Map(T=1 / (2 * pi * (10 / 10))),
    v_in=_TRAPEZOIDS | Map(V=5.0, offset=0.0),
    ground=electric.Ground,
    connect=[
        ("first_order.p2", "v_out.p"),
        ("first_order.n2", "v_out.n"),
        ("v_in.p", "first_order.p1"),
        ("ground.p", "first_order.n1", "v_in.n"),
    ],
)

VOLTAGE_FOLLOWER = Model(
    description="Analog.Examples.OpAmps.VoltageFollower",
    op_amp=electric.OpAmpLimited,
    v_in=_TRAPEZOIDS,
    v_out=electric.VoltageSensor,
    ri=electric.Resistor | Map(R=1.0),
    rl=electric.Resistor | Map(R=1.0),
    ground=electric.Ground,
    connect=[
        ("op_amp.out", "v_out.p", "op_amp.in_n", "rl.p"),
        ("v_in.p", "ri.p"),
        ("ri.n", "op_amp.in_p"),
        ("ground.p", "v_in.n", "v_out.n", "rl.n"),
    ],
)

MULTIVIBRATOR = Model(
    description="Analog.Examples.OpAmps.Multivibrator",
    op_amp=electric.IdealizedOpAmpLimited | Map(begin_limited=-1),
    v_out=electric.VoltageSensor,
    r1=electric.Resistor | Map(R=1000.0),
    r2=electric.Resistor | Map(R=1000.0),
    r=electric.Resistor | Map(R=1000.0),
    c=electric.Capacitor | Map(C=(1 / 10 / (2 * 1000 * log(1 + 2 * 1000 / 1000))), v=Map(init=1.0)),
    ground=electric.Ground,
    connect=[
        ("op_amp.out", "v_out.p", "r.p", "r2.p"),
        ("r.n", "op_amp.in_n", "c.p"),
        ("r2.n", "op_amp.in_p", "r1.p"),
        ("ground.p", "r1.n", "v_out.n", "c.n"),
    ],
)

SIGNAL_GENERATOR = Model(
    description="Analog.Examples.OpAmps.SignalGenerator",
    op_amp1=electric.IdealizedOpAmpLimited | Map(begin_limited=-1),
    r2=electric.Resistor | Map(R=(1000 * 15.0 / 10)),
    r1=electric.Resistor | Map(R=1000.0),
    op_amp2=electric.IdealizedOpAmpLimited,
    c=electric.Capacitor | Map(C=(15.0 / 10 / (4 * 10 * 1000)), v=Map(init=0.0)),
    r=electric.Resistor | Map(R=1000.0),
    v_out_rectangle=electric.VoltageSensor,
    v_out_triangle=electric.VoltageSensor,
    ground=electric.Ground,
    connect=[
        ("op_amp1.out", "r2.n", "r.p", "v_out_rectangle.p"),
        ("op_amp1.in_p", "r2.p", "r1.p"),
        ("r.n", "c.n", "op_amp2.in_n"),
        ("c.p", "op_amp2.out", "r1.n", "v_out_triangle.p"),
        ("ground.p", "op_amp1.in_n", "op_amp2.in_p", "v_out_rectangle.n", "v_out_triangle.n"),
    ],
)

CONTROL_CIRCUIT = Model(
    description="Analog.Examples.OpAmps.ControlCircuit",
    step_a=electric.StepVoltage | Map(V=10.0, start_time=0.1),
    feedback_a=op_amp_circuits.FEEDBACK,
    pia=op_amp_circuits.PI | Map(k=(0.01 / (2 * 0.01)), T=0.01),
    first_order1a=op_amp_circuits.FIRST_ORDER | Map(T=0.01),
    add_a=op_amp_circuits.ADD,
    step1a=electric.StepVoltage | Map(V=1.0, start_time=0.5),
    first_order2a=op_amp_circuits.FIRST_ORDER | Map(T=0.01),
    step_b=blocks.Step | Map(height=10.0, start_time=0.1),
    feedback_b=blocks.Feedback,
    pib=blocks.PI | Map(k=(0.01 / (2 * 0.01)), T=0.01),
    first_order1b=blocks.FirstOrder | Map(T=0.01),
    add_b=blocks.Add,
    step1b=blocks.Step | Map(height=1.0, start_time=0.5),
    first_order2b=blocks.FirstOrder | Map(T=0.01),
    ground=electric.Ground,
    connect=[
        ("feedback_a.p2", "pia.p1"),
        ("feedback_a.n2", "pia.n1"),
        ("pia.p2", "first_order1a.p1"),
        ("pia.n2", "first_order1a.n1"),
        ("step_b.y", "feedback_b.u1"),
        ("feedback_b.y", "pib.u"),
        ("pib.y", "first_order1b.u"),
        ("first_order1b.y", "add_b.u1"),
        ("add_b.y", "first_order2b.u"),
        ("step1b.y", "add_b.u2"),
        ("first_order2b.y", "feedback_b.u2"),
        ("step_a.p", "feedback_a.p1_2"),
        ("first_order2a.p2", "feedback_a.p1"),
        ("first_order1a.n2", "add_a.n1"),
        ("first_order1a.p2", "add_a.p1"),
        ("step1a.p", "add_a.p1_2"),
        ("add_a.p2", "first_order2a.p1"),
        ("add_a.n2", "first_order2a.n1"),
        ("ground.p", "step_a.n", "feedback_a.n1", "step1a.n"),
    ],
)

DIFFERENTIAL_AMPLIFIER = Model(
    description="Analog.Examples.OpAmps.DifferentialAmplifier",
    source_voltage1=electric.SineVoltage | Map(V=sqrt(2 / 3) * 400.0, phase=1.0471975511966, f=50.0),
    source_voltage2=electric.SineVoltage | Map(V=sqrt(2 / 3) * 400.0, phase=-1.0471975511966, f=50.0),
    resistance_load=electric.Resistor | Map(R=10.0),
    voltage_sensor_source=electric.VoltageSensor,
    gain=blocks.Gain | Map(k=-1 / 100.0),
    resistor_ground=electric.Resistor | Map(R=100e3),
    op_amp=electric.OpAmpLimited | electric.WithSupply | Map(V0=10e3),
    resistor1=electric.Resistor | Map(R=100e3),
    resistor2=electric.Resistor | Map(R=100e3),
    resistor3=electric.Resistor | Map(R=1e3),
    resistor4=electric.Resistor | Map(R=1e3),
    positive_supply=electric.ConstantVoltage | Map(V=15.0),
    negative_supply=electric.ConstantVoltage | Map(V=-15.0),
    resistance_instrument=electric.Resistor | Map(R=100e3),
    voltage_sensor=electric.VoltageSensor,
    root_mean_square=blocks.RootMeanSquare | Map(f=50.0),
    ground=electric.Ground,
    connect=[
        ("voltage_sensor.v", "root_mean_square.u"),
        ("resistor4.n", "resistor_ground.n", "resistance_instrument.n", "voltage_sensor.n"),
        ("resistor4.n", "positive_supply.n", "negative_supply.n"),
        ("negative_supply.p", "op_amp.s_n"),
        ("op_amp.s_p", "positive_supply.p"),
        ("source_voltage1.p", "resistor1.p", "voltage_sensor_source.p", "resistance_load.p"),
        ("source_voltage2.p", "resistor2.p", "voltage_sensor_source.n", "resistance_load.n"),
        ("voltage_sensor_source.v", "gain.u"),
        ("resistor3.n", "resistance_instrument.p", "voltage_sensor.p", "op_amp.out"),
        ("resistor1.n", "resistor3.p", "op_amp.in_n"),
        ("resistor2.n", "resistor4.p", "op_amp.in_p"),
        ("ground.p", "source_voltage1.n", "source_voltage2.n", "resistor_ground.p"),
    ],
)


ROUGH = {"LC_OSCILLATOR": 5e-4, "MULTIVIBRATOR": 1e-3, "DIFFERENTIAL_AMPLIFIER": 1e-4}
"""Where the published results are themselves less accurate, for they add up errors of many periods; see the tests below."""


@pytest.mark.parametrize(
    "name",
    [
        "ADDER",
        "SUBTRACTER",
        "COMPARATOR",
        "DIFFERENTIATOR",
        "HIGH_PASS",
        "INTEGRATOR",
        "INVERTING_AMPLIFIER",
        "NON_INVERTING_AMPLIFIER",
        "INVERTING_SCHMITT_TRIGGER",
        "SCHMITT_TRIGGER",
        "LC_OSCILLATOR",
        "LOW_PASS",
        "VOLTAGE_FOLLOWER",
        "MULTIVIBRATOR",
        "SIGNAL_GENERATOR",
        "CONTROL_CIRCUIT",
        "DIFFERENTIAL_AMPLIFIER",
    ],
)
def test_agrees_with_the_published_result(name: str) -> None:
    assert_agreement(globals()[name], getattr(op_amp_points, name), ROUGH.get(name, 1e-5))


def test_the_multivibrator_switches_at_its_thresholds() -> None:
    """The capacitor is charged to 15 V and -15 V in turn, up to the voltages at which the output leaves its limit."""
    result = instantiate(MULTIVIBRATOR).simulate(1.0, tolerance=1e-8, interval=1e-3)
    rc, threshold = 0.1 / (2 * log(3)), 7.5 - 15.0 / 15000.0
    first = rc * log((15.0 + 1.0) / (15.0 - threshold))
    half = rc * log((15.0 + threshold) / (15.0 - threshold))
    out = result["op_amp.v_out"]
    switches = result.time[1:][np.abs(np.diff(out)) > 20.0]
    np.testing.assert_allclose(switches, first + half * np.arange(len(switches)), rtol=0, atol=1e-7)
    assert len(switches) == 20


def test_the_oscillator_is_the_exact_solution() -> None:
    """The amplifier is linear: its output is A*v, and v'' = (A - 1)/(R*C)*v' - v/(L*C)."""
    result = instantiate(LC_OSCILLATOR).simulate(0.01, tolerance=1e-10, interval=1e-5)
    gain = 15000.0 / (1 + 15000.0 * 10000.0 / (10000.0 + 10.0))
    damping, w0 = (1 - gain) / (2 * 10000.0) * (2 * pi * 1000.0) ** 2 * 0.001, 2 * pi * 1000.0
    w = sqrt(w0**2 - damping**2)
    t = result.time
    # at the beginning the current of the inductor is zero: v' = (A - 1)/(R*C)*v
    exact = 10.0 * np.exp(-damping * t) * (np.cos(w * t) - damping / w * np.sin(w * t))
    np.testing.assert_allclose(result["c.v"], exact, rtol=0, atol=2e-6 * 10.0)


def test_measure_rise_time() -> None:
    """OpAmps.MeasureRiseTime: a voltage follower whose amplified voltage follows with the time constant V0/log(9)*1 ms."""
    model = Model(
        op_amp=electric.OpAmpLimitedFirstOrder | Map(Tau=15000.0 / log(9) * 1e-3),
        v_in=electric.StepVoltage | Map(V=10.0, start_time=1e-3),
        load=electric.Resistor,
        ground=electric.Ground,
        connect=[
            ("v_in.p", "op_amp.in_p"),
            ("op_amp.out", "op_amp.in_n", "load.p"),
            ("ground.p", "v_in.n", "load.n"),
        ],
    )
    result = instantiate(model).simulate(0.01, tolerance=1e-9, interval=1e-5)
    follower = 15000.0 / 15001.0
    expected = 10.0 * follower * (1 - np.exp(-(result.time - 1e-3) * log(9) / 1e-3 / follower))
    np.testing.assert_allclose(result["load.v"], np.where(result.time > 1e-3, expected, 0.0), atol=1e-6)


@pytest.mark.parametrize(("begins", "value"), [("UpperLimit", 15.0), ("LowerLimit", -15.0), ("Linear", -9.0)])
def test_where_an_amplifier_with_a_time_constant_begins(begins: str, value: float) -> None:
    model = Model(
        op_amp=electric.OpAmpLimitedFirstOrder | Map(V0=10.0, Tau=1e-3, init_op_amp=begins),
        v_in=electric.ConstantVoltage | Map(V=-0.9),
        load=electric.Resistor,
        ground=electric.Ground,
        connect=[("v_in.p", "op_amp.in_p"), ("op_amp.out", "load.p"), ("ground.p", "op_amp.in_n", "v_in.n", "load.n")],
    )
    result = instantiate(model).simulate(0.02, tolerance=1e-9)
    assert result["op_amp.v_int"][0] == pytest.approx(value)
    assert result["load.v"][-1] == pytest.approx(-9.0, abs=1e-6)
