"""Switching circuits, amplifiers and machines against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model
from modiapy.library import blocks, electric, heat_transfer, rotational
from tests.modiapy.runs import simulated


@settings(max_examples=8)
@given(load=st.floats(1.0, 100.0), capacity=st.floats(1e-4, 1e-2), knee=st.floats(0.0, 2.0), phase=st.floats(-3.0, 3.0))
def test_a_rectifier_never_conducts_backwards(load: float, capacity: float, knee: float, phase: float) -> None:
    r = simulated(
        Model(
            source=electric.SineVoltage | Map(V=10.0, f=50.0, phase=phase),
            inner=electric.Resistor | Map(R=0.1),
            diode=electric.IdealDiode | Map(Vknee=knee),
            C=electric.Capacitor | Map(C=capacity, v=Map(init=0.0)),
            R=electric.Resistor | Map(R=load),
            ground=electric.Ground,
            connect=[
                ("source.p", "inner.p"),
                ("inner.n", "diode.p"),
                ("diode.n", "C.p", "R.p"),
                ("source.n", "C.n", "R.n", "ground.p"),
            ],
        ),
        0.06,
    )
    leak = 1e-5 * (20.0 + knee)
    assert r["diode.i"].min() >= -leak
    assert r["C.v"].min() >= -leak * load
    assert r["C.v"].max() <= 10.0
    conducting = r["diode.off"] < 0.5
    np.testing.assert_allclose(r["diode.v"][conducting], knee, atol=1e-2)
    assert np.all(r["diode.v"][~conducting] <= knee + 1e-6)


def test_a_half_wave_without_capacitor() -> None:
    r = simulated(
        Model(
            source=electric.SineVoltage | Map(V=10.0, f=1.0),
            diode=electric.IdealDiode | Map(Ron=0.0, Goff=0.0),
            R=electric.Resistor | Map(R=5.0),
            ground=electric.Ground,
            connect=[("source.p", "diode.p"), ("diode.n", "R.p"), ("source.n", "R.n", "ground.p")],
        ),
        2.0,
    )
    np.testing.assert_allclose(r["R.i"], np.maximum(2.0 * np.sin(2 * np.pi * r.time), 0.0), atol=1e-9)


def test_a_switch_with_a_free_wheeling_diode() -> None:
    """The inductor is charged while the switch is closed, then its current decays through the diode."""
    r = simulated(
        Model(
            source=electric.ConstantVoltage | Map(V=10.0),
            switch=electric.IdealOpeningSwitch,
            open=blocks.BooleanStep | Map(start_time=0.5),
            R=electric.Resistor | Map(R=2.0),
            L=electric.Inductor | Map(L=1.0, i=Map(init=0.0)),
            diode=electric.IdealDiode,
            ground=electric.Ground,
            connect=[
                ("open.y", "switch.control"),
                ("source.p", "switch.p"),
                ("switch.n", "R.p", "diode.n"),
                ("R.n", "L.p"),
                ("source.n", "L.n", "diode.p", "ground.p"),
            ],
        )
    )
    t, peak = r.time, 5.0 * (1 - np.exp(-1.0))
    expected = np.where(t < 0.5, 5.0 * (1 - np.exp(-2 * t)), peak * np.exp(-2 * (t - 0.5)))
    np.testing.assert_allclose(r["L.i"], expected, atol=2e-4)


def test_a_thyristor_waits_until_it_is_fired() -> None:
    r = simulated(
        Model(
            source=electric.SineVoltage | Map(V=10.0, f=1.0),
            thyristor=electric.IdealThyristor,
            fire=blocks.BooleanStep | Map(start_time=0.2),
            R=electric.Resistor | Map(R=1.0),
            ground=electric.Ground,
            connect=[
                ("fire.y", "thyristor.fire"),
                ("source.p", "thyristor.p"),
                ("thyristor.n", "R.p"),
                ("source.n", "R.n", "ground.p"),
            ],
        ),
        0.9,
    )
    t = r.time
    on = (t > 0.2) & (t < 0.5)
    np.testing.assert_allclose(r["R.v"][on], 10.0 * np.sin(2 * np.pi * t[on]), atol=1e-3)
    np.testing.assert_allclose(r["R.v"][(t < 0.2) | (t > 0.5)], 0.0, atol=1e-3)


def inverting(amplifier: Model, gain: float) -> Model:
    return Model(
        source=electric.SineVoltage | Map(V=1.0, f=1.0),
        R1=electric.Resistor | Map(R=1e3),
        R2=electric.Resistor | Map(R=1e3 * gain),
        amplifier=amplifier,
        ground=electric.Ground,
        connect=[
            ("source.p", "R1.p"),
            ("R1.n", "R2.p", "amplifier.in_n"),
            ("R2.n", "amplifier.out"),
            ("source.n", "amplifier.in_p", "ground.p"),
        ],
    )


def test_an_operational_amplifier_inverts_and_is_limited_by_its_supply() -> None:
    r = simulated(inverting(electric.IdealOpAmp3Pin, 5.0))
    np.testing.assert_allclose(r["amplifier.out.v"], -5.0 * np.sin(2 * np.pi * r.time), atol=1e-9)
    supply = Model(
        plus=electric.ConstantVoltage | Map(V=3.0),
        minus=electric.ConstantVoltage | Map(V=-4.0),
        connect=[
            ("plus.p", "amplifier.V_max"),
            ("minus.p", "amplifier.V_min"),
            ("plus.n", "minus.n", "ground.p"),
        ],
    )
    r = simulated(inverting(electric.IdealOpAmpLimited, 5.0) | supply)
    np.testing.assert_allclose(r["amplifier.out.v"], np.clip(-5.0 * np.sin(2 * np.pi * r.time), -4.0, 3.0), atol=1e-6)


def test_the_losses_of_a_heating_resistor_heat_its_body() -> None:
    r = simulated(
        Model(
            source=electric.ConstantVoltage | Map(V=10.0),
            R=electric.HeatingResistor | Map(R=10.0, T_ref=300.0, alpha=0.01),
            body=heat_transfer.HeatCapacitor | Map(C=2.0, T=Map(init=300.0)),
            ground=electric.Ground,
            connect=[("source.p", "R.p"), ("source.n", "R.n", "ground.p"), ("R.heat_port", "body.port")],
        )
    )
    rise = (np.sqrt(1.0 + 2 * 0.01 * 5.0 * r.time) - 1.0) / 0.01  # T' = V**2/(R*C*(1 + alpha*(T - T_ref)))
    np.testing.assert_allclose(r["body.T"] - 300.0, rise, atol=1e-6)


def test_a_transformer_without_load_has_the_ratio_of_its_inductances() -> None:
    r = simulated(
        Model(
            source=electric.SineVoltage | Map(V=1.0, f=2.0),
            inner=electric.Resistor | Map(R=1e-6),
            T=electric.Transformer | Map(L1=1.0, L2=4.0, M=1.9),
            load=electric.Resistor | Map(R=1e9),
            ground=electric.Ground,
            connect=[
                ("source.p", "inner.p"),
                ("inner.n", "T.p1"),
                ("source.n", "T.n1", "T.n2", "load.n", "ground.p"),
                ("T.p2", "load.p"),
            ],
        )
    )
    np.testing.assert_allclose(r["load.v"], 1.9 * np.sin(4 * np.pi * r.time), atol=1e-4)


def test_a_machine_runs_up_to_its_nominal_point() -> None:
    machine = electric.DCPermanentMagnet | Map(Va_nominal=100.0, Ia_nominal=10.0, w_nominal=200.0, Ra=0.5, La=1e-3, Jr=1e-3)
    k = (100.0 - 0.5 * 10.0) / 200.0
    r = simulated(
        Model(
            source=electric.ConstantVoltage | Map(V=100.0),
            machine=machine,
            load=rotational.ConstantTorque | Map(tau_constant=-10.0 * k),
            ground=electric.Ground,
            connect=[
                ("source.p", "machine.pin_ap"),
                ("source.n", "machine.pin_an", "ground.p"),
                ("machine.flange", "load.flange"),
            ],
        )
    )
    assert r["machine.rotor.w"][-1] == pytest.approx(200.0, rel=1e-6)
    assert r["machine.pin_ap.i"][-1] == pytest.approx(10.0, rel=1e-6)


def test_pulses_of_voltage() -> None:
    r = simulated(
        Model(
            source=electric.PulseVoltage | Map(V=2.0, width=25.0, period=0.2, start_time=0.1, offset=1.0),
            R=electric.Resistor,
            ground=electric.Ground,
            connect=[("source.p", "R.p"), ("source.n", "R.n", "ground.p")],
        )
    )
    phase = np.mod(r.time - 0.1, 0.2)
    away = (phase > 1e-6) & (np.abs(phase - 0.05) > 1e-6) & (np.abs(phase - 0.2) > 1e-6)
    expected = np.where((r.time > 0.1) & (phase < 0.05), 3.0, 1.0)
    np.testing.assert_allclose(r["R.v"][away], expected[away])
