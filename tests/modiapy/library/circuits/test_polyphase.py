"""Modelica.Electrical.Polyphase.Examples against their published results, and laws of symmetric systems."""

from __future__ import annotations

from math import pi, sin, sqrt

import numpy as np
import pytest

from modiapy import Map, Model, ModelError, instantiate
from modiapy.library import blocks, electric
from modiapy.library.electric import polyphase

from ...reference.agreement import assert_agreement
from . import polyphase_points


def at_rest(*phases: int) -> Map:
    return Map({f"inductor{k}": Map(i=Map(init=0.0)) for k in phases})


def transformer(ratio: float) -> Model:
    """Source, ideal transformer and its resistances and leakages on the secondary side, a load of 1 Ohm."""
    return Model(
        sine_voltage=polyphase.SineVoltage() | Map(f=5.0),
        star_s=polyphase.Star(),
        ideal_transformer=polyphase.IdealTransformer() | Map(n=ratio),
        star_t1=polyphase.Star(),
        transformer_r=polyphase.Resistor() | Map(R=0.05 / ratio**2),
        transformer_l=polyphase.Inductor() | Map(L=0.003 / ratio**2, inductor1=Map(i=Map(start=None))) | at_rest(2, 3),
        load_r=polyphase.Resistor(),
        star_l=polyphase.Star(),
        ground=electric.Ground,
        connect=[
            ("star_s.plug_p", "sine_voltage.plug_n"),
            ("sine_voltage.plug_p", "ideal_transformer.plug_p1"),
            ("ideal_transformer.plug_n1", "star_t1.plug_p"),
            ("ideal_transformer.plug_p2", "transformer_r.plug_p"),
            ("transformer_r.plug_n", "transformer_l.plug_p"),
            ("transformer_l.plug_n", "load_r.plug_p"),
            ("load_r.plug_n", "star_l.plug_p"),
            ("ground.p", "star_s.pin_n", "star_t1.pin_n"),
        ],
    )


TRANSFORMER_YY = transformer(1.0) | Model(
    description="Polyphase.Examples.TransformerYY",
    star_t2=polyphase.Star(),
    connect=[("ideal_transformer.plug_n2", "star_t2.plug_p"), ("star_t2.pin_n", "ground.p")],
)

TRANSFORMER_YD = (transformer(1 / sqrt(3.0)) | Map(transformer_l=at_rest(1))) | Model(
    description="Polyphase.Examples.TransformerYD",
    delta_t2=polyphase.Delta(),
    connect=[
        ("transformer_l.plug_n", "delta_t2.plug_p"),
        ("delta_t2.plug_n", "ideal_transformer.plug_n2"),
        ("star_l.pin_n", "ground.p"),
    ],
)

_V_DC = 2 * sin(pi / 3) * sqrt(2.0) * sin(pi / 6) / (pi / 6) * 100.0

RECTIFIER = Model(
    description="Polyphase.Examples.Rectifier",
    sine_voltage=polyphase.SineVoltage() | Map(V=100.0 * sqrt(2.0), f=50.0),
    star_s=polyphase.Star(),
    supply_l=polyphase.Inductor()
    | Map(
        L=1e-4, inductor1=Map(i=Map(start=None)), inductor2=Map(i=Map(init=-_V_DC / 2)), inductor3=Map(i=Map(init=_V_DC / 2))
    ),
    ideal_diode1=polyphase.IdealDiode(),
    star1=polyphase.Star(),
    ideal_diode2=polyphase.IdealDiode(),
    star2=polyphase.Star(),
    load_r=electric.Resistor | Map(R=2.0),
    c_dc1=electric.Capacitor | Map(C=0.01, v=Map(init=_V_DC / 2)),
    c_dc2=electric.Capacitor | Map(C=0.01, v=Map(init=_V_DC / 2)),
    power_sensor_space_phasor=polyphase.ElectricalPowerSensor(),
    aron_sensor=polyphase.AronSensor(),
    power_sensor=polyphase.PowerSensor(),
    reactive_power_sensor=polyphase.ReactivePowerSensor(),
    ground=electric.Ground,
    connect=[
        ("star_s.plug_p", "sine_voltage.plug_n", "power_sensor.nv", "power_sensor_space_phasor.plug_nv"),
        ("sine_voltage.plug_p", "supply_l.plug_p"),
        ("supply_l.plug_n", "power_sensor.pc", "power_sensor.pv"),
        ("power_sensor.nc", "power_sensor_space_phasor.plug_p"),
        ("power_sensor_space_phasor.plug_ni", "aron_sensor.plug_p"),
        ("aron_sensor.plug_n", "reactive_power_sensor.plug_p"),
        ("reactive_power_sensor.plug_n", "ideal_diode1.plug_p", "ideal_diode2.plug_n"),
        ("ideal_diode1.plug_n", "star1.plug_p"),
        ("ideal_diode2.plug_p", "star2.plug_p"),
        ("star1.pin_n", "load_r.p", "c_dc1.p"),
        ("star2.pin_n", "load_r.n", "c_dc2.n"),
        ("ground.p", "c_dc1.n", "c_dc2.p"),
    ],
)

_R = 1 / sqrt(2.0)

TEST_SENSORS = Model(
    description="Polyphase.Examples.TestSensors",
    sine_voltage=polyphase.SineVoltage() | Map(V=100.0 * sqrt(2.0), f=50.0),
    star=polyphase.Star(),
    resistor=polyphase.Resistor() | Map(R=_R),
    inductor=polyphase.Inductor() | Map(L=_R / (100 * pi), inductor1=Map(i=Map(start=None))) | at_rest(2, 3),
    star_load=polyphase.Star(),
    current_quasi_rms_sensor=polyphase.CurrentQuasiRMSSensor(),
    voltage_quasi_rms_sensor=polyphase.VoltageQuasiRMSSensor(),
    power_sensor=polyphase.PowerSensor(),
    power_sensor_space_phasor=polyphase.ElectricalPowerSensor(),
    aron_sensor=polyphase.AronSensor(),
    reactive_power_sensor=polyphase.ReactivePowerSensor(),
    ground=electric.Ground,
    connect=[
        ("star.pin_n", "ground.p"),
        ("star.plug_p", "sine_voltage.plug_n", "voltage_quasi_rms_sensor.plug_n"),
        ("sine_voltage.plug_p", "voltage_quasi_rms_sensor.plug_p", "current_quasi_rms_sensor.plug_p"),
        ("current_quasi_rms_sensor.plug_n", "power_sensor_space_phasor.plug_p"),
        ("power_sensor_space_phasor.plug_ni", "reactive_power_sensor.plug_p"),
        ("reactive_power_sensor.plug_n", "aron_sensor.plug_p"),
        ("aron_sensor.plug_n", "power_sensor.pc", "power_sensor.pv"),
        ("power_sensor.nc", "resistor.plug_p"),
        ("resistor.plug_n", "inductor.plug_p"),
        ("inductor.plug_n", "star_load.plug_p", "power_sensor.nv", "power_sensor_space_phasor.plug_nv"),
    ],
)


@pytest.mark.parametrize("name", ["TRANSFORMER_YY", "TRANSFORMER_YD", "TEST_SENSORS", "RECTIFIER"])
def test_agrees_with_the_published_result(name: str) -> None:
    assert_agreement(globals()[name], getattr(polyphase_points, name), 2e-5, points=20000)


def test_sensors_of_power() -> None:
    """In the end 100 V drive 100 A through 1 Ohm with a power factor of 1/sqrt(2); all sensors agree at any time."""
    r = instantiate(TEST_SENSORS).simulate(0.3, tolerance=1e-10, interval=1e-3)
    end = r.time > 0.25
    active = reactive = 3 * 100.0 * 100.0 / sqrt(2.0)
    assert r["voltage_quasi_rms_sensor.V"] == pytest.approx(100.0, rel=1e-12)
    assert r["current_quasi_rms_sensor.I"][end] == pytest.approx(100.0, rel=1e-6)
    assert r["power_sensor.power"][end] == pytest.approx(active, rel=1e-6)
    assert r["reactive_power_sensor.reactive_power"][end] == pytest.approx(reactive, rel=1e-6)
    for own in ("aron_sensor.power", "power_sensor_space_phasor.P"):
        np.testing.assert_allclose(r[own], r["power_sensor.power"], atol=1e-6 * active)
    np.testing.assert_allclose(
        r["power_sensor_space_phasor.Q"], r["reactive_power_sensor.reactive_power"], atol=1e-6 * reactive
    )


def test_power_that_flows_into_a_rectifier() -> None:
    """Behind the inductors the power of the phases is that of the losses, the load and what the capacitors store."""
    r = instantiate(RECTIFIER).simulate(0.1, tolerance=1e-9, interval=1e-5)
    diodes = [f"ideal_diode{n}.ideal_diode{k}.loss_power" for n in (1, 2) for k in (1, 2, 3)]
    stored = (r["c_dc1.v"] ** 2 + r["c_dc2.v"] ** 2) * 0.01 / 2
    used = np.trapezoid(r["load_r.loss_power"] + sum(r[name] for name in diodes), r.time)
    for name in ("power_sensor.power", "aron_sensor.power", "power_sensor_space_phasor.P"):
        assert np.trapezoid(r[name], r.time) == pytest.approx(used + stored[-1] - stored[0], rel=1e-5)


@pytest.mark.parametrize("m", [2, 3, 5, 6, 9, 12])
def test_voltages_of_symmetric_systems(m: int) -> None:
    """The squares of the voltages of a symmetric system have a constant sum; loads of stars carry the same power."""
    model = Model(
        source=polyphase.SineVoltage(m) | Map(V=2.0, f=50.0, phase=0.3),
        star=polyphase.Star(m),
        sensor=polyphase.VoltageQuasiRMSSensor(m),
        multi=polyphase.MultiSensor(m),
        load=polyphase.Resistor(m) | Map(R=4.0),
        neutral=polyphase.Star(m),
        ground=electric.Ground,
        connect=[
            ("source.plug_n", "star.plug_p", "sensor.plug_n", "multi.nv"),
            ("source.plug_p", "sensor.plug_p", "multi.pc", "multi.pv"),
            ("multi.nc", "load.plug_p"),
            ("load.plug_n", "neutral.plug_p"),
            ("star.pin_n", "neutral.pin_n", "ground.p"),
        ],
    )
    r = instantiate(model).simulate(0.04, interval=1e-3)
    np.testing.assert_allclose(r["sensor.V"], sqrt(2.0), rtol=1e-12)
    np.testing.assert_allclose(r["multi.power_total"], m * 2.0**2 / 2 / 4.0, rtol=1e-12)
    first = 2.0 * np.sin(100 * pi * r.time + 0.3)
    np.testing.assert_allclose(r["multi.v1"], first, atol=1e-12)
    if polyphase.base_systems(m) == 1 and m > 2:
        np.testing.assert_allclose(r["multi.v2"], 2.0 * np.sin(100 * pi * r.time + 0.3 - 2 * pi / m), atol=1e-12)


def test_a_rectifier_of_two_systems_has_twelve_pulses() -> None:
    """Polyphase.Examples.PolyphaseRectifier: two bridges in parallel, whose systems are shifted by 30 degrees.

    Without load each bridge gives the largest voltage between two of its phases; the mean of a six-pulse bridge is
    3*sqrt(6)/pi times the effective phase voltage, and its ripple has six times the frequency.
    """
    m, systems = 6, (1, 2)
    parts: dict[str, Model] = {}
    connections: list[tuple[str, ...]] = []
    for s in systems:
        parts |= {
            f"diode{s}": polyphase.IdealDiode() | Map(Ron=1e-6, Goff=1e-6),
            f"back{s}": polyphase.IdealDiode() | Map(Ron=1e-6, Goff=1e-6),
            f"star{s}": polyphase.Star(),
            f"back_star{s}": polyphase.Star(),
            f"choke{s}": electric.Inductor | Map(L=3e-3, i=Map(init=0.0)),
        }
        connections += [
            (f"split.plugs_n{s}", f"diode{s}.plug_p", f"back{s}.plug_n"),
            (f"diode{s}.plug_n", f"star{s}.plug_p"),
            (f"back{s}.plug_p", f"back_star{s}.plug_p"),
            (f"star{s}.pin_n", f"choke{s}.p"),
        ]
    model = Model(
        source=polyphase.SineVoltage(m) | Map(V=100.0 * sqrt(2.0), f=50.0),
        centres=polyphase.MultiStarResistance(m) | Map(R=1e5),
        split=polyphase.SplitToSubsystems(m),
        load=electric.Resistor,
        ground=electric.Ground,
        connect=[
            *connections,
            ("source.plug_n", "centres.plug"),
            ("source.plug_p", "split.plug_p"),
            ("load.p", "choke1.n", "choke2.n"),
            ("ground.p", "centres.pin", "load.n", "back_star1.pin_n", "back_star2.pin_n"),
        ],
        **parts,
    )
    r = instantiate(model).simulate(0.06, tolerance=1e-8, interval=1e-5)
    late = r.time >= 0.04
    time = r.time[late]
    mean = np.trapezoid(r["load.v"][late], time) / np.ptp(time)
    assert mean == pytest.approx(3 * sqrt(6.0) / pi * 100.0, rel=1e-3)
    # each bridge conducts half of the current, and what is left of the ripple after both has twelve pulses in a period
    np.testing.assert_allclose(r["choke1.i"][late].mean(), mean / 2, rtol=0.01)
    spectrum = np.abs(np.fft.rfft(np.interp(np.arange(0.04, 0.06, 1e-5), time, r["load.v"][late])))
    assert int(np.argmax(spectrum[3:30])) + 3 == 12


def test_a_delta_and_a_multi_delta() -> None:
    """The voltage between neighbouring phases of m phases is 2*sin(pi/m) times the phase voltage."""
    for step, delta in ((1, polyphase.Delta(5)), (2, polyphase.MultiDelta(5, 2))):
        model = Model(
            source=polyphase.CosineVoltage(5),
            star=polyphase.Star(5),
            load=polyphase.Resistor(5),
            delta=delta,
            ground=electric.Ground,
            connect=[
                ("source.plug_p", "load.plug_p", "delta.plug_p"),
                ("load.plug_n", "delta.plug_n"),
                ("source.plug_n", "star.plug_p"),
                ("star.pin_n", "ground.p"),
            ],
        )
        r = instantiate(model).simulate(1.0, interval=1e-3)
        amplitude = 2 * sin(step * pi / 5)
        for k in range(5):
            here, following = (np.cos(2 * pi * r.time - 2 * pi * n / 5) for n in (k, k + step))
            np.testing.assert_allclose(r[f"load.resistor{k + 1}.v"], here - following, atol=1e-12)
            assert r[f"load.resistor{k + 1}.v"].max() == pytest.approx(amplitude, rel=1e-4)


def test_single_pins_thyristors_and_what_is_different_in_a_phase() -> None:
    model = Model(
        source=polyphase.ConstantVoltage() | Map(V=10.0, constant_voltage2=Map(V=20.0)),
        star=polyphase.Star(),
        switch=polyphase.IdealClosingSwitch() | Map(Ron=0.0),
        load=polyphase.Resistor() | Map(R=5.0, resistor3=Map(R=2.0)),
        neutral=polyphase.Star(),
        tap=polyphase.PlugToPin_p(3, 2),
        tapped=electric.Resistor | Map(R=4.0),
        ground=electric.Ground,
        step=blocks.BooleanStep | Map(start_time=0.5),
        never=blocks.BooleanStep | Map(start_time=10.0),
        connect=[
            ("source.plug_n", "star.plug_p"),
            ("source.plug_p", "switch.plug_p", "tap.plug_p"),
            ("switch.plug_n", "load.plug_p"),
            ("load.plug_n", "neutral.plug_p"),
            ("tap.pin_p", "tapped.p"),
            ("ground.p", "star.pin_n", "neutral.pin_n", "tapped.n"),
            ("step.y", "switch.control1", "switch.control3"),
            ("never.y", "switch.control2"),
        ],
    )
    r = instantiate(model).simulate(1.0)
    assert [r[f"load.resistor{k}.i"][-1] for k in (1, 2, 3)] == pytest.approx([2.0, 2e-4, 5.0], rel=1e-3)
    assert [r[f"load.resistor{k}.i"][0] for k in (1, 2, 3)] == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    assert r["tapped.i"][-1] == pytest.approx(5.0)
    with pytest.raises(ModelError, match="no such pin"):
        polyphase.PlugToPin_n(3, 4)
    with pytest.raises(ModelError, match="phases"):
        polyphase.Star(0)
