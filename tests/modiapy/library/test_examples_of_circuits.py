"""Examples of Modelica.Electrical.Analog 4.0 and their components: closed forms and independent integrations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library import blocks, celsius, electric, heat_transfer
from tests.modiapy.runs import simulated

GROUND = electric.Ground
RESISTOR = electric.Resistor
F = 10.0
_AMPLIFIER = electric.IdealizedOpAmpLimited | Map(V_ps=15.0)


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


def ladder(n: int, r: float, inductance: float, g: float, c: float, load: float, time: np.ndarray) -> np.ndarray:
    """Voltage of the load of a line of n segments of the length 1, to which 1 V is switched: exact, shape (nt,).

    States: the currents of n + 1 branches (half as long at both ends), then the voltages of the n nodes between them.
    """
    share = np.full(n + 1, 1.0 / n)
    share[[0, -1]] /= 2
    resistance = r * share
    resistance[-1] += load
    size = 2 * n + 2
    a = np.zeros((size, size))
    for k in range(n + 1):
        a[k, k] = -resistance[k] / (inductance * share[k])
        if k > 0:
            a[k, n + k] = 1 / (inductance * share[k])
        if k < n:
            a[k, n + 1 + k] = -1 / (inductance * share[k])
            a[n + 1 + k, k], a[n + 1 + k, k + 1] = n / c, -n / c
            a[n + 1 + k, n + 1 + k] = -g / c
    a[0, -1] = 1 / (inductance * share[0])  # the source, a state that stays 1
    start = np.zeros(size)
    start[-1] = 1.0
    step, states = expm(a * (time[1] - time[0])), [start]
    for _ in time[1:]:
        states.append(step @ states[-1])
    return np.array(states)[:, n] * load


def test_lines() -> None:
    def loaded(line: Model) -> Model:
        return Model(
            source=electric.StepVoltage | Map(start_time=0.0),
            line=line,
            load=RESISTOR,
            ground=GROUND,
            connect=[("source.p", "line.p1"), ("line.p2", "load.p"), ("ground.p", "source.n", "line.p3", "load.n")],
        )

    time = np.linspace(0.0, 3.0, 301)
    r = simulated(loaded(electric.OLine(40) | Map(r=0.1, l=1.0, g=0.2, c=1.0)), 3.0, 300)
    np.testing.assert_allclose(np.interp(time, r.time, r["load.v"]), ladder(40, 0.1, 1.0, 0.2, 1.0, 1.0, time), atol=1e-5)
    # the step arrives after length*sqrt(l*c) = 1 s
    assert np.interp(0.8, r.time, r["load.v"]) < 0.01
    r = simulated(loaded(electric.ULine(20) | Map(r=1.0, c=1.0)), 3.0, 300)
    almost_none = ladder(20, 1.0, 1e-7, 0.0, 1.0, 1.0, time)
    np.testing.assert_allclose(np.interp(time, r.time, r["load.v"])[20:], almost_none[20:], atol=1e-5)
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
