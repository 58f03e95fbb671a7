"""Examples of Modelica.Electrical.Analog 4.0 and their components: closed forms and independent integrations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from modiapy import Map, Model, Result, Var, instantiate
from modiapy.library import blocks, celsius, electric, heat_transfer
from modiapy.model.errors import ModelError


def simulated(model: Model, stop_time: float, points: int = 1000, tolerance: float = 1e-8) -> Result:
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=stop_time / points)


GROUND = electric.Ground
RESISTOR = electric.Resistor
F, V_IN = 10.0, 5.0
_AMPLIFIER = electric.IdealizedOpAmpLimited | Map(V_ps=15.0)
_V_IN = electric.TableVoltage | Map(
    table=[[0.0, 5.0], [0.015, 5.0], [0.035, -5.0], [0.065, -5.0], [0.085, 5.0], [0.1, 5.0]],
    signal_source=Map(values=Map(extrapolation="periodic")),
)


def amplifier(**parts: Model) -> Model:
    """Inverting amplifier: the branches z1 from the input and z2 from the output, of Examples.OpAmps; periodic trapezoids."""
    second = [name for name in parts if name.startswith("z2")]
    return Model(
        op_amp=_AMPLIFIER,
        ground=GROUND,
        v_in=_V_IN,
        v_out=electric.VoltageSensor,
        **parts,
        connect=[
            ("v_in.p", "z1.p"),
            ("z1.n", "op_amp.in_n", *(f"{name}.n" for name in second)),
            ("op_amp.out", "v_out.p", *(f"{name}.p" for name in second)),
            ("ground.p", "op_amp.in_p", "v_in.n", "v_out.n"),
        ],
    )


def test_inverting_amplifier_integrator_and_low_pass() -> None:
    r = simulated(amplifier(z1=RESISTOR | Map(R=1e3), z2=RESISTOR | Map(R=2e3)), 0.2)
    np.testing.assert_allclose(r["v_out.v"], -2.0 * r["v_in.v"], rtol=3e-4, atol=1e-12)
    capacitor = electric.Capacitor | Map(C=1 / (2.0 * 2 * np.pi * F * 1e3), v=Map(init=0.0))
    r = simulated(amplifier(z1=RESISTOR | Map(R=1e3), z2=capacitor), 0.2, 4000)
    charge = np.concatenate([[0.0], np.cumsum(np.diff(r.time) * (r["v_in.v"][1:] + r["v_in.v"][:-1]) / 2)])
    np.testing.assert_allclose(r["v_out.v"], -2.0 * 2 * np.pi * F * charge, atol=5e-3)
    low = amplifier(
        z1=RESISTOR | Map(R=1e3),
        z2=RESISTOR | Map(R=1e3),
        z2c=electric.Capacitor | Map(C=1 / (2 * np.pi * F / 10 * 1e3), v=Map(init=0.0)),
    )
    r = simulated(low, 0.2, 2000)
    w = 2 * np.pi * F / 10
    exact = solve_ivp(lambda t, y: w * (-np.interp(t, r.time, r["v_in.v"]) - y), (0, 0.2), [0.0], rtol=1e-8, max_step=1e-3)
    assert r["v_out.v"][-1] == pytest.approx(exact.y[0, -1], rel=1e-3)


def test_differentiator() -> None:
    model = amplifier(z1=electric.Capacitor | Map(C=1.0 / (2 * np.pi * F * 1e3), v=Map(start=5.0)), z2=RESISTOR | Map(R=1e3))
    r = simulated(model, 0.2)
    falling = (r.time > 0.016) & (r.time < 0.034)
    np.testing.assert_allclose(r["v_out.v"][falling], 1.0 / (2 * np.pi * F) * 10.0 / 0.02, rtol=1e-3)


def test_signal_generator_begins_at_the_limit_that_is_asked_for() -> None:
    """The capacitor is not charged: without begin_limited the comparator stays in its unstable equilibrium."""
    model = Model(
        op_amp1=_AMPLIFIER | Map(begin_limited=-1),
        op_amp2=_AMPLIFIER,
        r1=RESISTOR | Map(R=1e3),
        r2=RESISTOR | Map(R=1.5e3),
        r=RESISTOR | Map(R=1e3),
        c=electric.Capacitor | Map(C=1.5 / (4 * F * 1e3), v=Map(init=0.0)),
        ground=GROUND,
        connect=[
            ("op_amp1.out", "r2.n", "r.p"),
            ("op_amp1.in_p", "r2.p", "r1.p"),
            ("r.n", "c.n", "op_amp2.in_n"),
            ("c.p", "op_amp2.out", "r1.n"),
            ("ground.p", "op_amp1.in_n", "op_amp2.in_p"),
        ],
    )
    sim = instantiate(model)
    r = sim.simulate(1.0, tolerance=1e-8, interval=1e-3)
    out = r["op_amp1.v_out"]
    assert out[0] == -15.0
    rises = r.time[1:][(out[1:] > 0.0) & (out[:-1] <= 0.0)]
    np.testing.assert_allclose(np.diff(rises), 0.1, rtol=1e-3)
    assert [r["c.v"].min(), r["c.v"].max()] == pytest.approx([-10.0, 10.0], rel=2e-4)
    begins_high = sim.simulate(0.01, merge=Map(op_amp1=Map(begin_limited=1)))
    assert begins_high["op_amp1.v_out"][0] == 15.0


def circuit_with(switch: Model) -> Model:
    """Half of Examples.ControlledSwitchWithArc: 50 V, 0.1 H, 1 Ohm; the control is a sine of 1 Hz."""
    return Model(
        source=electric.ConstantVoltage | Map(V=50.0),
        inductor=electric.Inductor | Map(L=0.1, i=Map(init=0.0)),
        resistor=RESISTOR | Map(R=1.0),
        switch=switch,
        ground=GROUND,
        control=electric.SineVoltage | Map(V=1.0, f=1.0),
        connect=[
            ("source.p", "switch.p"),
            ("switch.n", "inductor.p"),
            ("inductor.n", "resistor.p"),
            ("ground.p", "resistor.n", "source.n", "control.n"),
            ("control.p", "switch.control"),
        ],
    )


def test_switch_with_and_without_arc() -> None:
    r = simulated(circuit_with(electric.ControlledCloserWithArc), 1.0, 4000)
    closed = (r.time > 1 / 12) & (r.time < 5 / 12)
    np.testing.assert_allclose(r["switch.i"][closed], 50 * (1 - np.exp(-10 * (r.time[closed] - 1 / 12))), rtol=1e-4, atol=1e-3)
    arc = (r.time > 5 / 12 + 1e-5) & (r["switch.quenched"] == 0.0)
    expected = np.minimum(60.0, 30.0 + 1e4 * (r.time[arc] - 5 / 12))
    np.testing.assert_allclose(r["switch.v"][arc], expected, atol=2e-2)
    i0 = 50 * (1 - np.exp(-10 / 3))
    late = arc & (r.time > 0.43)
    t = r.time[late]
    # from 3 ms on the arc has 60 V: i' = (50 - 60 - i)/0.1
    start = np.interp(0.43, r.time, r["switch.i"])
    np.testing.assert_allclose(r["switch.i"][late], (start + 10) * np.exp(-10 * (t - 0.43)) - 10, atol=5e-3)
    assert start < i0
    assert r["switch.quenched"][-1] == 1.0
    ideal = simulated(circuit_with(electric.ControlledIdealClosingSwitch), 1.0)
    opened = (ideal.time > 0.42) & (ideal.time < 1.0)
    np.testing.assert_allclose(ideal["switch.i"][opened], 50e-5, rtol=1e-4)


@pytest.mark.parametrize("closes", [True, False])
def test_switches_controlled_by_truth_values(closes: bool) -> None:
    model = circuit_with(electric.CloserWithArc if closes else electric.OpenerWithArc)
    model = model | Map(control=None) | Model(step=blocks.BooleanStep | Map(start_time=0.5, start_value=not closes))
    model["connect"] = [*model["connect"][:3], ("ground.p", "resistor.n", "source.n"), ("step.y", "switch.control")]
    r = simulated(model, 1.0)
    np.testing.assert_allclose(r["switch.i"][(r.time > 0.01) & (r.time < 0.5)], 50.0 * 1e-5, rtol=1e-4)
    assert r["switch.i"][-1] == pytest.approx(50 * (1 - np.exp(-5.0)), rel=1e-4)


def test_commuting_switch_potentiometer_and_heat() -> None:
    model = Model(
        source=electric.ConstantVoltage | Map(V=10.0),
        step=blocks.BooleanStep | Map(start_time=0.5),
        switch=electric.IdealCommutingSwitch,
        potentiometer=electric.Potentiometer | Map(R=100.0, r=0.3),
        sensor=electric.PotentialSensor,
        heater=RESISTOR | electric.WithHeatPort | Map(R=10.0),
        oven=heat_transfer.HeatCapacitor | Map(C=10.0, T=Map(init=293.15)),
        thermometer=celsius.TemperatureSensor,
        to_kelvin=celsius.ToKelvin,
        ground=GROUND,
        connect=[
            ("source.p", "switch.p"),
            ("switch.n1", "potentiometer.pin_p"),
            ("potentiometer.contact", "sensor.p"),
            ("switch.n2", "heater.p"),
            ("heater.heat_port", "oven.port", "thermometer.port"),
            ("thermometer.T", "to_kelvin.u"),
            ("ground.p", "source.n", "potentiometer.pin_n", "heater.n"),
            ("step.y", "switch.control"),
        ],
    )
    r = simulated(model, 1.0)
    first = r.time < 0.5
    np.testing.assert_allclose(r["sensor.phi"][first], 3.0, rtol=1e-5)
    np.testing.assert_allclose(r["potentiometer.loss_power"][first], 1.0, rtol=1e-5)
    np.testing.assert_allclose(r["thermometer.T"], 20.0 + np.maximum(r.time - 0.5, 0.0), atol=1e-4)
    np.testing.assert_allclose(r["to_kelvin.y"], r["oven.T"], atol=1e-12)


def test_ideal_thyristors() -> None:
    """Examples.CharacteristicThyristors."""
    model = Model(
        thyristor=electric.IdealThyristor | Map(Vknee=5.0),
        gto=electric.IdealGTOThyristor,
        source=electric.SineVoltage | Map(V=10.0),
        fire=blocks.BooleanStep | Map(start_time=1.25),
        r1=RESISTOR | Map(R=1e-3),
        r3=RESISTOR | Map(R=1e-3),
        ground=GROUND,
        connect=[
            ("source.p", "thyristor.p", "gto.p"),
            ("thyristor.n", "r3.p"),
            ("gto.n", "r1.p"),
            ("ground.p", "source.n", "r1.n", "r3.n"),
            ("fire.y", "thyristor.fire", "gto.fire"),
        ],
    )
    r = simulated(model, 2.0)
    away = np.abs(r.time - 1.25) > 1e-6
    v, conducts = r["source.v"][away], r.time[away] > 1.25
    np.testing.assert_allclose(r["gto.i"][away], np.where(conducts & (v > 0), v / 1.01e-3, 1e-5 * v), atol=1e-3)
    np.testing.assert_allclose(r["thyristor.i"][away], np.where(conducts & (v > 5), (v - 5) / 1.01e-3, 1e-5 * v), atol=2e-3)


def transistor(model: Model, sign: float) -> Model:
    """Collector resistor of 1 kOhm at 10 V, base resistor of 100 kOhm at 2 V; all potentials times ``sign``."""
    return Model(
        supply=electric.ConstantVoltage | Map(V=10.0 * sign),
        base=electric.ConstantVoltage | Map(V=2.0 * sign),
        rc=RESISTOR | Map(R=1e3),
        rb=RESISTOR | Map(R=1e5),
        q=model,
        ground=GROUND,
        connect=[
            ("supply.p", "rc.p"),
            ("rc.n", "q.C"),
            ("base.p", "rb.p"),
            ("rb.n", "q.B"),
            ("ground.p", "supply.n", "base.n", "q.E"),
        ],
    )


def test_bipolar_transistors_amplify_the_base_current() -> None:
    npn = simulated(transistor(electric.NPN, 1.0), 2e-3, tolerance=1e-7)
    vbe = brentq(lambda v: (2.0 - v) / 1e5 - 1e-16 * (np.exp(v / 0.02585) - 1) / 50.0, 0.5, 0.9)
    transfer = 50.0 * (2.0 - vbe) / 1e5
    collector = brentq(lambda i: i - transfer * (1 - (vbe - 10.0 + 1e3 * i) * 0.02), 0.0, 1e-2)
    assert npn["q.B.v"][-1] == pytest.approx(vbe, abs=1e-5)
    assert npn["q.C.i"][-1] == pytest.approx(collector, rel=1e-4)
    pnp = simulated(transistor(electric.PNP, -1.0), 2e-3, tolerance=1e-7)
    assert pnp["q.C.i"][-1] == pytest.approx(-npn["q.C.i"][-1], rel=1e-6)
    assert npn["q.loss_power"][-1] == pytest.approx(npn["q.C.i"][-1] * npn["q.C.v"][-1] + (2 - vbe) / 1e5 * vbe, rel=1e-4)


def test_nand_gate_of_field_effect_transistors() -> None:
    """Examples.NandGate: two p-channel transistors in parallel, two n-channel ones in series, loaded with a capacitor."""
    pulse = electric.PulseVoltage | Map(V=3.5, period=40e-9, width=50.0)
    model = Model(
        vdd=electric.ConstantVoltage | Map(V=5.0),
        v1=pulse | Map(start_time=20e-9),
        v2=pulse | Map(start_time=10e-9),
        p1=electric.PMOS | Map(W=6.5e-6, L=3.1e-6),
        p2=electric.PMOS | Map(W=6.5e-6, L=3.1e-6),
        n1=electric.NMOS | Map(W=6.5e-6, L=3.1e-6, Beta=0.041e-3),
        n2=electric.NMOS | Map(W=6.5e-6, L=3.1e-6, Beta=0.041e-3),
        c4=electric.Capacitor | Map(C=0.4e-13, v=Map(init=0.0)),
        c7=electric.Capacitor | Map(C=0.4e-13, v=Map(init=0.0)),
        ground=GROUND,
        connect=[
            ("vdd.p", "p1.S", "p1.B", "p2.S", "p2.B"),
            ("p1.D", "p2.D", "n1.D", "c4.p"),
            ("n1.S", "n2.D", "c7.p"),
            ("v1.p", "p1.G", "n1.G"),
            ("v2.p", "p2.G", "n2.G"),
            ("ground.p", "vdd.n", "v1.n", "v2.n", "n1.B", "n2.S", "n2.B", "c4.n", "c7.n"),
        ],
    )
    r = simulated(model, 1e-7, tolerance=1e-6)
    y = np.interp([9e-9, 19e-9, 29e-9, 39e-9, 49e-9, 69e-9], r.time, r["c4.v"])
    assert y[[0, 1, 3, 4]].min() > 3.5
    assert y[[2, 5]].max() < 1.5
    steady = r.time < 9e-9
    assert r["n2.loss_power"][steady].min() >= -1e-12


def test_zener_diode_and_operational_amplifier_with_smooth_limits() -> None:
    model = Model(
        source=electric.SineVoltage | Map(V=10.0),
        r=RESISTOR | Map(R=100.0),
        z=electric.ZDiode,
        op_amp=electric.OpAmp | Map(slope=100.0),
        high=electric.ConstantVoltage | Map(V=15.0),
        low=electric.ConstantVoltage | Map(V=-15.0),
        load=RESISTOR,
        ground=GROUND,
        connect=[
            ("source.p", "r.p", "op_amp.in_p"),
            ("r.n", "z.p"),
            ("op_amp.out", "load.p"),
            ("high.p", "op_amp.V_max"),
            ("low.p", "op_amp.V_min"),
            ("ground.p", "source.n", "z.n", "op_amp.in_n", "high.n", "low.n", "load.n"),
        ],
    )
    r = simulated(model, 1.0)
    for volts in (10.0, -10.0):
        exact = brentq(
            lambda v, u=volts: (u - v) / 100 - 1e-6 * np.expm1(v / 0.04) + 0.7 * np.exp(-(v + 5.1) / 0.0296) - v / 1e8, -6, 0.6
        )
        assert r["z.v"][np.argmin(np.abs(r["source.v"] - volts))] == pytest.approx(exact, abs=1e-6)
    v = r["source.v"]
    np.testing.assert_allclose(r["load.v"], 100 * v / (1 + 100 * np.abs(v) / 15), atol=1e-9)


def test_amplifier_by_its_data_sheet() -> None:
    """Examples.AmplifierWithOpAmpDetailed with half of its amplification: -1."""
    model = Model(
        op_amp=electric.OpAmpDetailed,
        r=RESISTOR | Map(R=1e4),
        r1=RESISTOR | Map(R=1e4),
        r2=RESISTOR | Map(R=1e4),
        source=electric.SineVoltage | Map(V=12.0, f=1000.0),
        high=electric.ConstantVoltage | Map(V=15.0),
        low=electric.ConstantVoltage | Map(V=-15.0),
        ground=GROUND,
        connect=[
            ("source.p", "r.p"),
            ("r.n", "op_amp.m", "r1.p"),
            ("r1.n", "op_amp.outp", "r2.p"),
            ("op_amp.p_supply", "high.p"),
            ("op_amp.m_supply", "low.p"),
            ("ground.p", "op_amp.p", "source.n", "r2.n", "high.n", "low.n"),
        ],
    )
    r = simulated(model, 3e-3, tolerance=1e-6)
    late = r.time > 1e-3
    # a bandwidth of 1 MHz and offsets of the input
    np.testing.assert_allclose(r["r2.v"][late], -r["source.v"][late], atol=0.06)


def test_lines() -> None:
    def loaded(line: Model) -> Model:
        return Model(
            source=electric.StepVoltage | Map(start_time=0.0),
            line=line,
            load=RESISTOR,
            ground=GROUND,
            connect=[("source.p", "line.p1"), ("line.p2", "load.p"), ("ground.p", "source.n", "line.p3", "load.n")],
        )

    r = simulated(loaded(electric.OLine(40) | Map(r=1e-6, l=1.0, g=1e-6, c=1.0)), 3.0)
    # matched to sqrt(l/c): the step arrives after length*sqrt(l*c) = 1 s
    assert np.interp(0.8, r.time, r["load.v"]) < 0.01
    assert np.interp([1.5, 3.0], r.time, r["load.v"]) == pytest.approx([1.0, 1.0], abs=0.1)
    r = simulated(loaded(electric.ULine(20) | Map(r=1.0, c=1.0)), 10.0)
    # diffusion: in the end half of the voltage; slowest time constant from tan(k) = -k
    assert r["load.v"][-1] == pytest.approx(0.5, abs=1e-6)
    k = brentq(lambda x: np.tan(x) + x, np.pi / 2 + 1e-6, np.pi)
    mid = (r.time > 0.6) & (r.time < 1.2)
    slope = np.polyfit(r.time[mid], np.log(0.5 - r["load.v"][mid]), 1)[0]
    assert -slope == pytest.approx(k**2, rel=0.02)
    with pytest.raises(ModelError, match="segments"):
        electric.OLine(0)


def test_transformer_with_three_windings() -> None:
    load = {f"r{k}": RESISTOR for k in (2, 3)}
    model = Model(
        source=electric.SineVoltage | Map(f=0.5),
        transformer=electric.M_Transformer(3, [1.0, 0.1, 0.2, 2.0, 0.3, 3.0]),
        ground=GROUND,
        connect=[
            ("source.p", "transformer.p1"),
            ("transformer.p2", "r2.p"),
            ("transformer.p3", "r3.p"),
            ("ground.p", "source.n", "transformer.n1", "transformer.n2", "transformer.n3", "r2.n", "r3.n"),
        ],
        **load,
    )
    r = simulated(model, 3.0)
    inverse = np.linalg.inv([[1.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 3.0]])
    exact = solve_ivp(
        lambda t, i: inverse @ [np.sin(np.pi * t), -i[1], -i[2]], (0, 3), [0, 0, 0], rtol=1e-10, atol=1e-12, t_eval=[3.0]
    )
    assert [r[f"transformer.i{k}"][-1] for k in (1, 2, 3)] == pytest.approx(exact.y[:, -1], abs=1e-6)
    with pytest.raises(ModelError, match="inductances"):
        electric.M_Transformer(2, [1.0, 0.1])


def test_celsius_sources() -> None:
    model = Model(
        room=celsius.FixedTemperature | Map(T=20.0),
        wall=heat_transfer.ThermalConductor | Map(G=2.0),
        outside=celsius.PrescribedTemperature | Map(T=Var("time", input=False)),
        back=celsius.FromKelvin | Map(u=300.15),
        connect=[("room.port", "wall.port_a"), ("wall.port_b", "outside.port")],
    )
    r = simulated(model, 10.0)
    np.testing.assert_allclose(r["wall.Q_flow"], 2.0 * (20.0 - r.time), atol=1e-9)
    assert r["back.y"][0] == pytest.approx(27.0)
