"""Examples of the Modelica Standard Library, rebuilt by reading the documentation only, against closed forms and oracles."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modiapy import Map, Model, instantiate
from modiapy.library import blocks, electric, heat_transfer, rotational, translational


def at(r, name: str, *times: float) -> list[float]:
    return [float(np.interp(t, r.time, r[name])) for t in times]


def test_simple_gear_shift():
    """Ratio 1/(1 + 75/50) with the ring braked, 1 with ring and sun coupled."""
    model = Model(
        step=rotational.TorqueStep | Map(start_time=0.5, step_torque=20.0),
        engine=rotational.Inertia | Map(J=1.0),
        planet=rotational.IdealPlanetary | Map(ratio=75 / 50),
        load=rotational.Inertia | Map(J=10.0, phi=Map(init=0.0), w=Map(init=0.0)),
        fan=rotational.QuadraticSpeedDependentTorque | Map(w_nominal=10.471975511966, tau_nominal=-20.0),
        clutch=rotational.Clutch | Map(cgeo=2.0, fn_max=100.0, phi_rel=Map(init=0.0), w_rel=Map(init=0.0)),
        brake=rotational.Brake | Map(cgeo=2.0, fn_max=100.0),
        feedback=blocks.Feedback,
        one=blocks.Constant | Map(k=1.0),
        ramp=blocks.Ramp | Map(height=1.0, start_time=2.0, duration=0.1),
        connect=[
            ("step.flange", "engine.flange_a"),
            ("fan.flange", "load.flange_b"),
            ("feedback.y", "brake.f_normalized"),
            ("engine.flange_b", "planet.sun", "clutch.flange_a"),
            ("planet.ring", "clutch.flange_b", "brake.flange_a"),
            ("planet.carrier", "load.flange_a"),
            ("one.y", "feedback.u1"),
            ("ramp.y", "clutch.f_normalized", "feedback.u2"),
        ],
    )
    r = instantiate(model).simulate(5.0, tolerance=1e-8)
    for time, ratio in ((1.9, 0.4), (5.0, 1.0)):
        assert at(r, "load.w", time)[0] / at(r, "engine.w", time)[0] == pytest.approx(ratio, abs=1e-9)
    # before the shift: (J_load + J_engine/0.4**2) a = 20/0.4 - 20 (w/w_nominal)**2
    k = 20 / 10.471975511966**2
    steady = np.sqrt(20 / 0.4 / k)
    assert at(r, "load.w", 1.9)[0] == pytest.approx(steady * np.tanh(np.sqrt(20 / 0.4 * k) / (10 + 1 / 0.16) * 1.4), rel=1e-5)


def test_lever_with_an_elastic_support():
    model = Model(
        sine=blocks.Sine | Map(amplitude=10.0, f=5.0),
        force=translational.Force,
        mass1=translational.Mass | Map(m=0.1),
        lever=translational.IdealLeverWithSupport | Map(ratio=1.6),
        mass2=translational.Mass | Map(m=7.0, s=Map(init=0.0), v=Map(init=0.0)),
        fixed=translational.Fixed,
        spring=translational.SpringDamper | Map(c=800.0, d=50.0, s_rel=Map(init=0.0), v_rel=Map(init=0.0)),
        connect=[
            ("sine.y", "force.f"),
            ("force.flange", "mass1.flange_a"),
            ("mass1.flange_b", "lever.flange_a"),
            ("lever.flange_b", "mass2.flange_a"),
            ("fixed.flange", "spring.flange_a"),
            ("spring.flange_b", "lever.support"),
        ],
    )
    r = instantiate(model).simulate(1.0, tolerance=1e-8)
    jacobian = np.array([1.6, -0.6])  # of the position of mass1 in that of mass2 and of the support
    inertia = 0.1 * np.outer(jacobian, jacobian) + np.diag([7.0, 0.0])

    def lagrange(t: float, y: np.ndarray) -> list[float]:
        forces = jacobian * 10 * np.sin(10 * np.pi * t) - np.array([0.0, 800 * y[1] + 50 * y[3]])
        return [*y[2:], *np.linalg.solve(inertia, forces)]

    exact = solve_ivp(lagrange, (0, 1), np.zeros(4), method="Radau", rtol=1e-9, atol=1e-11).y[:, -1]
    assert [r["mass2.s"][-1], r["spring.s_rel"][-1]] == pytest.approx([*exact[:2]], abs=1e-7)
    fixed = Map(lever=Map(ratio=-2.0), spring=Map(c=1e9, d=1e4))
    stiff = instantiate(model).simulate(0.2, tolerance=1e-8, merge=fixed)
    assert stiff["mass1.s"][-1] == pytest.approx(-2.0 * stiff["mass2.s"][-1], abs=1e-6)


def test_ideal_triac_lets_half_waves_pass_from_its_ignition_on():
    model = Model(
        V=electric.SineVoltage | Map(V=5.0, f=2.0),
        R=electric.Resistor | Map(R=20.0),
        triac=electric.IdealTriac | Map(Cdis=1e-9),
        g=electric.Ground,
        pulse=blocks.BooleanPulse | Map(width=50.0, period=0.25, start_time=0.1),
        connect=[("V.p", "R.p"), ("R.n", "triac.n"), ("triac.p", "V.n", "g.p"), ("pulse.y", "triac.fire1")],
    )
    r = instantiate(model).simulate(0.5, tolerance=1e-8)
    wave = 5 * np.sin(4 * np.pi * np.array([0.05, 0.15, 0.3, 0.4]))
    expected = [0.0, (wave[1] - 0.8) / 20, 0.0, (wave[3] + 0.8) / 20]
    assert at(r, "R.i", 0.05, 0.15, 0.3, 0.4) == pytest.approx(expected, abs=1e-4)
    assert r["triac.v"] == pytest.approx(-(r["V.v"] - r["R.v"]), abs=1e-9)


def test_characteristics_of_thyristors():
    model = Model(
        V=electric.SineVoltage | Map(V=10.0, f=1.0),
        g=electric.Ground,
        r1=electric.Resistor | Map(R=1e-3),
        r2=electric.Resistor | Map(R=1e-3),
        ideal=electric.IdealThyristor | Map(Vknee=5.0),
        gto=electric.IdealGTOThyristor,
        fire=blocks.BooleanStep | Map(start_time=1.25),
        connect=[
            ("V.p", "ideal.p", "gto.p"),
            ("ideal.n", "r1.p"),
            ("gto.n", "r2.p"),
            ("r1.n", "r2.n", "V.n", "g.p"),
            ("fire.y", "ideal.fire", "gto.fire"),
        ],
    )
    r = instantiate(model).simulate(2.0)
    wave = 10 * np.sin(2 * np.pi * 1.3)
    assert at(r, "ideal.i", 0.25, 1.3, 1.75) == pytest.approx([1e-4, (wave - 5) / 1.01e-3, -1e-4], rel=1e-3)
    assert at(r, "gto.i", 0.25, 1.3, 1.75) == pytest.approx([1e-4, wave / 1.01e-3, -1e-4], rel=1e-3)


def test_difference_amplifier():
    """Both transistors have equal surroundings but for the signal; the sum of the currents is that of the source."""
    transistor = Model(
        rtb=electric.Resistor | Map(R=0.05),
        rtc=electric.Resistor | Map(R=0.1),
        ct=electric.Capacitor | Map(C=1e-10, v=Map(init=0.0)),
        Tr=electric.NPN | Map(Bf=50.0, Br=0.1, Is=1e-16, Vak=0.02, Tauf=1.2e-10, Taur=5e-9, Ccs=1e-12, Cje=4e-13, Cjc=5e-13),
        g=electric.Ground,
        c=electric.Pin,
        b=electric.Pin,
        e=electric.Pin,
        connect=[("rtb.n", "Tr.B"), ("rtc.n", "Tr.C"), ("Tr.E", "e"), ("rtc.p", "ct.p", "c"), ("ct.n", "g.p"), ("rtb.p", "b")],
    )
    resistor, capacitor = electric.Resistor, electric.Capacitor | Map(C=1e-10, v=Map(init=0.0))
    model = Model(
        V1=electric.ExpSineVoltage | Map(V=0.2, f=0.2e9, damping=0.1e8),
        V2=electric.RampVoltage | Map(V=15.0, duration=1e-9),
        I1=electric.RampCurrent | Map(I=0.16, duration=1e-9),
        R1=resistor | Map(R=1e-4),
        R2=resistor | Map(R=100.0),
        R3=resistor | Map(R=1e-4),
        R4=resistor | Map(R=100.0),
        C1=capacitor, C2=capacitor, C3=capacitor, C4=capacitor, C5=capacitor,
        g=electric.Ground, T1=transistor, T2=transistor,
        connect=[
            ("V1.n", "C1.n", "I1.n", "C5.n", "C3.n", "R3.n", "C2.n", "C4.p", "V2.n", "g.p"),
            ("I1.p", "C5.p", "T1.e", "T2.e"),
            ("R1.p", "V1.p"),
            ("R2.p", "R4.p", "V2.p"),
            ("R1.n", "T1.b", "C1.p"),
            ("T1.c", "C2.p", "R2.n"),
            ("T2.b", "R3.p", "C3.p"),
            ("C4.n", "T2.c", "R4.n"),
        ],
    )  # fmt: skip
    sim = instantiate(model)
    r = sim.simulate(1e-8, tolerance=1e-7)
    currents = r["T1.e.i"] + r["T2.e.i"] + r["I1.i"] + r["C5.i"]
    assert np.abs(currents).max() < 1e-9
    assert np.abs(r["R2.n.v"] - r["R4.n.v"]).max() > 0.5
    still = sim.simulate(1e-8, tolerance=1e-7, merge=Map(V1=Map(V=0.0)))
    assert np.abs(still["R2.n.v"] - still["R4.n.v"]).max() < 1e-6


OPAMP = electric.IdealizedOpAmpLimited | Map(V0=15e3)


@pytest.mark.parametrize(
    ("parts", "connect", "expected"),
    [
        ({}, [("V.p", "o.in_p"), ("V.n", "g.p"), ("o.in_n", "o.out")], lambda v: v),
        (
            {"r1": 1e3, "r2": 2e3},
            [("V.p", "o.in_p"), ("V.n", "g.p", "r1.n"), ("r1.p", "r2.n", "o.in_n"), ("r2.p", "o.out")],
            lambda v: 3 * v,
        ),
        (
            {"r1": 1e3, "r2": 2e3, "r3": 1e3, "r4": 2e3},
            [("V.n", "g.p", "r4.n"), ("V.p", "r3.p"), ("r3.n", "r4.p", "o.in_p"), ("g.p", "r1.p")]
            + [("r1.n", "r2.p", "o.in_n"), ("r2.n", "o.out")],
            lambda v: 2 * v,
        ),
    ],
)  # fmt: skip
def test_follower_and_amplifiers(parts, connect, expected):
    resistors = {name: electric.Resistor | Map(R=R) for name, R in parts.items()}
    model = Model(V=electric.SineVoltage | Map(V=2.0, f=1.0), o=OPAMP, g=electric.Ground, **resistors, connect=connect)
    r = instantiate(model).simulate(1.0)
    assert r["o.out.v"] == pytest.approx(expected(r["V.v"]), abs=2e-3)


def test_schmitt_trigger_switches_at_its_thresholds():
    model = Model(
        V=electric.SineVoltage | Map(V=10.0, f=1.0),
        o=OPAMP,
        g=electric.Ground,
        r1=electric.Resistor | Map(R=1e3),
        r2=electric.Resistor | Map(R=2e3),
        connect=[("V.n", "g.p", "o.in_n"), ("V.p", "r1.p"), ("r1.n", "r2.p", "o.in_p"), ("r2.n", "o.out")],
    )
    r = instantiate(model).simulate(2.0)
    up = np.flatnonzero((r["o.out.v"][1:] > 14.9) & (r["o.out.v"][:-1] < -14.9))
    down = np.flatnonzero((r["o.out.v"][1:] < -14.9) & (r["o.out.v"][:-1] > 14.9))
    assert len(up) >= 1
    assert len(down) == 2
    assert r["V.v"][up] == pytest.approx(7.5, abs=0.02)
    assert r["V.v"][down] == pytest.approx(-7.5, abs=0.02)


def test_variable_resistor_resonance_and_overvoltage_protection():
    variable = Model(
        V=electric.SineVoltage | Map(V=1.0, f=1.0),
        R=electric.Resistor | Map(R=1.0),
        r=electric.VariableResistor,
        ramp=blocks.Ramp | Map(height=5.0, duration=5.0, offset=2.0),
        g=electric.Ground,
        connect=[("V.p", "R.p"), ("R.n", "r.p"), ("r.n", "V.n", "g.p"), ("ramp.y", "r.R")],
    )
    r = instantiate(variable).simulate(5.0)
    assert r["r.v"] == pytest.approx(np.sin(2 * np.pi * r.time) * (2 + r.time) / (3 + r.time), abs=1e-12)
    resonance = Model(
        V=electric.SineVoltage | Map(V=1.0, f=1 / (2 * np.pi)),
        r=electric.Resistor | Map(R=0.5),
        L=electric.Inductor | Map(L=1.0, i=Map(init=0.0)),
        C=electric.Capacitor | Map(C=1.0, v=Map(init=0.0)),
        g=electric.Ground,
        connect=[("V.p", "r.p"), ("r.n", "L.p"), ("L.n", "C.p"), ("C.n", "V.n", "g.p")],
    )
    r = instantiate(resonance).simulate(60.0, tolerance=1e-7, interval=0.01)
    late = r.time > 45.0
    assert np.abs(r["L.i"][late]).max() == pytest.approx(2.0, rel=1e-3)
    assert np.abs(r["C.v"][late]).max() == pytest.approx(2.0, rel=1e-3)
    protection = Model(
        V=electric.SineVoltage | Map(V=10.0, f=5.0),
        Rv=electric.Resistor | Map(R=20.0),
        RL=electric.Resistor | Map(R=2000.0),
        CL=electric.Capacitor | Map(C=1e-7, v=Map(init=0.0)),
        z1=electric.ZDiode,
        z2=electric.ZDiode,
        g=electric.Ground,
        connect=[("V.p", "Rv.p"), ("Rv.n", "z2.p", "RL.p", "CL.p"), ("z2.n", "z1.n"), ("z1.p", "RL.n", "CL.n", "V.n", "g.p")],
    )
    r = instantiate(protection).simulate(0.4)
    assert r["RL.v"].max() == pytest.approx(-r["RL.v"].min(), abs=1e-3)
    assert 5.1 < r["RL.v"].max() < 6.0
    small = np.abs(r["V.v"]) < 4.0
    assert r["RL.v"][small] == pytest.approx(r["V.v"][small] * 2000 / 2020, abs=2e-3)


def test_rectifier_heats_a_capacity():
    """All energy of the source is in the capacitor, the resistor or the heat."""
    model = Model(
        V=electric.SineVoltage | Map(V=1.0, f=1.0),
        d=electric.Diode | electric.WithHeatPort,
        C=electric.Capacitor | Map(C=1.0, v=Map(init=0.0)),
        R=electric.Resistor | Map(R=1.0),
        g=electric.Ground,
        capacity=heat_transfer.HeatCapacitor | Map(C=1.0, T=Map(init=293.15)),
        conductor=heat_transfer.ThermalConductor | Map(G=10.0),
        connect=[
            ("V.p", "d.p"),
            ("d.n", "C.p", "R.p"),
            ("C.n", "R.n", "V.n", "g.p"),
            ("d.heat_port", "conductor.port_a"),
            ("conductor.port_b", "capacity.port"),
        ],
    )
    r = instantiate(model).simulate(5.0, tolerance=1e-9, interval=1e-3)
    given = np.trapezoid(-r["V.v"] * r["V.i"] - r["R.v"] * r["R.i"], r.time)
    assert given == pytest.approx(0.5 * r["C.v"][-1] ** 2 + r["capacity.T"][-1] - 293.15, abs=1e-4)
    assert (np.diff(r["capacity.T"]) > -1e-9).all()


@pytest.mark.parametrize(("mu_pos", "peak"), [([[0, 0.5]], 1.1), ([[0, 0.5], [1, 0.3], [50, 0.4]], 1.0), ([[0, 0.4]], 2.0)])
def test_coupled_clutches_with_other_friction(mu_pos, peak):
    """Inner torques change no angular momentum; what energy is lost is heat."""
    clutch = rotational.Clutch | Map(fn_max=20.0, mu_pos=mu_pos, peak=peak)
    inertia = rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=0.0))
    model = Model(
        J1=inertia | Map(w=Map(init=10.0)), J2=inertia, J3=inertia, J4=inertia, c1=clutch, c2=clutch, c3=clutch,
        torque=rotational.Torque,
        sine1=blocks.Sine | Map(amplitude=10.0, f=5.0),
        sine2=blocks.Sine | Map(amplitude=1.0, f=0.2, phase=np.pi / 2),
        step1=blocks.Step | Map(start_time=0.5),
        step2=blocks.Step | Map(start_time=0.9),
        connect=[
            ("sine1.y", "torque.tau"),
            ("torque.flange", "J1.flange_a"),
            ("J1.flange_b", "c1.flange_a"),
            ("c1.flange_b", "J2.flange_a"),
            ("J2.flange_b", "c2.flange_a"),
            ("c2.flange_b", "J3.flange_a"),
            ("J3.flange_b", "c3.flange_a"),
            ("c3.flange_b", "J4.flange_a"),
            ("sine2.y", "c1.f_normalized"),
            ("step1.y", "c2.f_normalized"),
            ("step2.y", "c3.f_normalized"),
        ],
    )  # fmt: skip
    r = instantiate(model).simulate(1.5, tolerance=1e-8, interval=1e-3)
    momentum = sum(r[f"J{k}.w"] for k in (1, 2, 3, 4))
    assert momentum == pytest.approx(10 + (1 - np.cos(10 * np.pi * r.time)) / np.pi, abs=1e-4)
    energy = sum(0.5 * r[f"J{k}.w"] ** 2 for k in (1, 2, 3, 4))
    losses = sum(r[f"c{k}.loss_power"] for k in (1, 2, 3))
    assert (losses > -1e-9).all()
    power = r["J1.flange_a.tau"] * r["J1.w"] - losses
    assert energy[-1] - energy[0] == pytest.approx(np.trapezoid(power, r.time), abs=2e-3)
    assert r["J3.w"][-1] == pytest.approx(r["J4.w"][-1], abs=1e-9)  # stuck at the end


def test_tables_of_time_that_end_with_a_doubled_row_hold_their_value():
    table = [[0, 0], [1, 2.1], [2, 4.2], [3, 6.3], [4, 4.2], [6, 2.1], [6, 2.1]]
    model = Model(
        real=blocks.TimeTable | Map(table=table),
        slope=blocks.TimeTable | Map(table=table[:-1]),
        jump=blocks.TimeTable | Map(table=[[0, 0], [1, 0], [1, 1], [2, 4], [3, 9], [4, 16]]),
    )
    r = instantiate(model).simulate(10.0)
    assert at(r, "real.y", 2.5, 5.0, 8.0, 10.0) == pytest.approx([5.25, 3.15, 2.1, 2.1])
    assert r["slope.y"][-1] == pytest.approx(2.1 - 4 * 1.05)
    assert at(r, "jump.y", 0.9, 1.5, 5.0) == pytest.approx([0.0, 2.5, 23.0], abs=1e-9)
