"""Friction with stiction: closed-form motions, energy, exact rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modiapy import Map, Model, Result
from modiapy.library import blocks, rotational, translational
from tests.modiapy.runs import simulated


def rises(result: Result, name: str, value: float) -> float:
    """When a signal first has a value [s]."""
    return float(result.time[np.flatnonzero(result[name] == value)[0]])


@settings(max_examples=8)
@given(w0=st.floats(0.5, 20.0), j=st.floats(0.2, 3.0), fn=st.floats(1.0, 20.0), forward=st.booleans())
def test_a_brake_stops_a_shaft_and_holds_it_at_exactly_zero(w0: float, j: float, fn: float, forward: bool) -> None:
    stop = w0 * j / (0.5 * fn)
    w0 = w0 if forward else -w0
    r = simulated(
        Model(
            shaft=rotational.Inertia | Map(J=j, w=Map(init=w0), phi=Map(init=0.0)),
            brake=rotational.Brake | Map(fn_max=fn, f_normalized=1.0),
            connect=[("shaft.flange_b", "brake.flange_a")],
        ),
        2.0 * stop,
    )
    assert rises(r, "brake.mode", 0.0) == pytest.approx(stop, rel=1e-6)
    stuck = r["brake.locked"] > 0.5
    assert np.all(r["brake.w"][stuck] == 0.0)
    assert np.all(r["shaft.w"][stuck] == 0.0)
    assert np.ptp(r["shaft.phi"][stuck]) == 0.0
    np.testing.assert_allclose(r["shaft.phi"][-1], w0 * stop / 2, rtol=1e-6)


def coupled(**clutch: Any) -> Model:
    """Two inertias, 1 and 2 kg.m2, at 0 and 9 rad/s, coupled by a clutch."""
    return Model(
        a=rotational.Inertia | Map(J=1.0, phi=Map(init=0.0), w=Map(init=0.0)),
        clutch=rotational.Clutch | Map(clutch),
        b=rotational.Inertia | Map(J=2.0, phi=Map(init=0.0), w=Map(init=9.0)),
        connect=[("a.flange_b", "clutch.flange_a"), ("clutch.flange_b", "b.flange_a")],
    )


def test_a_clutch_synchronises_and_loses_the_energy_of_an_inelastic_collision() -> None:
    r = simulated(
        coupled(fn_max=12.0, f_normalized=1.0) | Model(lost=blocks.Integrator, connect=[("clutch.loss_power", "lost.u")]), 3.0
    )
    assert rises(r, "clutch.mode", 0.0) == pytest.approx(9.0 / (6.0 / 1.0 + 6.0 / 2.0), rel=1e-6)
    np.testing.assert_allclose(r["a.w"][-1], 6.0, rtol=1e-8)
    assert np.all(r["clutch.w_rel"][r["clutch.locked"] > 0.5] == 0.0)
    energy = 0.5 * r["a.w"] ** 2 + r["b.w"] ** 2
    np.testing.assert_allclose(energy + r["lost.y"], 81.0, rtol=1e-7)
    np.testing.assert_allclose(r["lost.y"][-1], 0.5 * (1.0 * 2.0 / 3.0) * 81.0, rtol=1e-7)


def test_an_open_clutch_transmits_nothing_and_closes_in_motion() -> None:
    r = simulated(
        coupled(fn_max=12.0) | Model(step=blocks.Step | Map(start_time=1.0), connect=[("step.y", "clutch.f_normalized")]), 3.0
    )
    before = r.time < 1.0
    assert np.all(r["clutch.mode"][before] == 2.0)
    assert np.all(r["clutch.tau"][before] == 0.0)
    np.testing.assert_allclose(r["b.w"][before], 9.0)
    assert rises(r, "clutch.mode", 0.0) == pytest.approx(2.0, rel=1e-6)


def test_a_table_of_friction_over_speed_is_followed() -> None:
    """Torque 1 + 0.5*w: w' = -(1 + 0.5*w) until rest."""
    r = simulated(
        Model(
            shaft=rotational.Inertia | Map(w=Map(init=4.0), phi=Map(init=0.0)),
            bearing=rotational.BearingFriction | Map(tau_pos=[[0.0, 1.0], [2.0, 2.0]]),
            connect=[("shaft.flange_b", "bearing.flange_a")],
        ),
        4.0,
    )
    expected = np.maximum(6.0 * np.exp(-0.5 * r.time) - 2.0, 0.0)
    np.testing.assert_allclose(r["shaft.w"], expected, atol=1e-7)


def test_static_friction_holds_until_its_peak_is_exceeded() -> None:
    r = simulated(
        Model(
            drive=blocks.Ramp | Map(height=6.0, duration=6.0),
            torque=rotational.Torque,
            shaft=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=0.0)),
            bearing=rotational.BearingFriction | Map(tau_pos=[[0.0, 2.0]], peak=1.5),
            connect=[("drive.y", "torque.tau"), ("torque.flange", "shaft.flange_a"), ("shaft.flange_b", "bearing.flange_a")],
        ),
        5.0,
    )
    assert rises(r, "bearing.mode", 1.0) == pytest.approx(3.0, abs=1e-6)
    held = r.time < 3.0 - 1e-6
    assert np.all(r["shaft.w"][held] == 0.0)
    np.testing.assert_allclose(r["bearing.tau"][held], r.time[held], atol=1e-9)
    late = r.time > 3.0
    t = r.time[late] - 3.0
    np.testing.assert_allclose(r["shaft.w"][late], t + t**2 / 2, atol=1e-6)


def test_an_oscillator_with_friction_loses_energy_only_by_friction_and_comes_to_rest() -> None:
    """Amplitudes of a spring and mass with Coulomb friction shrink by 2*F/c each half period."""
    c, f, s0 = 100.0, 3.0, 0.5
    model = Model(
        wall=translational.Fixed,
        spring=translational.Spring | Map(c=c),
        mass=translational.Mass | Map(m=1.0, s=Map(init=s0), v=Map(init=0.0)),
        friction=translational.SupportFriction | Map(f_pos=[[0.0, f]]),
        lost=blocks.Integrator,
        connect=[
            ("wall.flange", "spring.flange_a"),
            ("spring.flange_b", "mass.flange_a"),
            ("mass.flange_b", "friction.flange_a"),
            ("friction.loss_power", "lost.u"),
        ],
    )
    r = simulated(model, 4.0)
    energy = 0.5 * r["mass.v"] ** 2 + 0.5 * c * r["mass.s"] ** 2
    np.testing.assert_allclose(energy + r["lost.y"], 0.5 * c * s0**2, atol=1e-5)
    amplitudes = np.abs(s0 - 2 * f / c * np.arange(20))
    rest = amplitudes[np.flatnonzero(amplitudes <= f / c)[0]]
    assert abs(r["mass.s"][-1]) == pytest.approx(rest, abs=1e-6)
    assert np.all(r["mass.v"][r.time > 3.5] == 0.0)


def test_more_frictions_than_degrees_of_freedom() -> None:
    """A brake on each side of a clutch: three relative speeds of which two are states."""
    r = simulated(
        Model(
            brake1=rotational.Brake | Map(fn_max=10.0),
            a=rotational.Inertia | Map(w=Map(init=5.0), phi=Map(init=0.0)),
            clutch=rotational.Clutch | Map(fn_max=4.0, f_normalized=1.0),
            b=rotational.Inertia | Map(w=Map(init=0.0), phi=Map(init=0.0)),
            brake2=rotational.Brake | Map(fn_max=10.0),
            on=blocks.Step | Map(start_time=2.0, height=0.2),
            off=blocks.Constant | Map(k=0.0),
            connect=[
                ("off.y", "brake1.f_normalized"),
                ("brake1.flange_b", "a.flange_a"),
                ("a.flange_b", "clutch.flange_a"),
                ("clutch.flange_b", "b.flange_a"),
                ("b.flange_b", "brake2.flange_a"),
                ("on.y", "brake2.f_normalized"),
            ],
        ),
        10.0,
    )
    assert rises(r, "clutch.mode", 0.0) == pytest.approx(1.25, abs=1e-6)
    assert rises(r, "brake2.mode", 0.0) == pytest.approx(7.0, abs=1e-6)
    np.testing.assert_allclose(r["a.w"][-1], 0.0, atol=1e-12)


def test_a_free_wheel_lets_turn_one_way_only() -> None:
    """The drive pushes for one second, then brakes: the load goes on alone."""
    r = simulated(
        Model(
            drive=blocks.Step | Map(offset=2.0, height=-4.0, start_time=1.0),
            torque=rotational.Torque,
            a=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=0.0)),
            free=rotational.OneWayClutch | Map(fn_max=1.0, f_normalized=0.0),
            b=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=0.0)),
            connect=[
                ("drive.y", "torque.tau"),
                ("torque.flange", "a.flange_a"),
                ("a.flange_b", "free.flange_a"),
                ("free.flange_b", "b.flange_a"),
            ],
        ),
        2.0,
    )
    first = r.time <= 1.0
    assert np.all(r["free.w_rel"][first] == 0.0)
    np.testing.assert_allclose(r["b.w"], np.minimum(r.time, 1.0), atol=1e-4)
    np.testing.assert_allclose(r["a.w"][-1], 1.0 - 2.0, atol=1e-4)


def geared(loss_table: list[list[float]], tau: float, load: float) -> Result:
    return simulated(
        Model(
            drive=rotational.ConstantTorque | Map(tau_constant=tau),
            a=rotational.Inertia | Map(J=0.1, phi=Map(init=0.0), w=Map(init=0.0)),
            gear=rotational.LossyGear | Map(ratio=4.0, loss_table=loss_table),
            b=rotational.Inertia | Map(J=2.0, phi=Map(start=None), w=Map(start=None)),
            load=rotational.ConstantTorque | Map(tau_constant=load),
            connect=[
                ("drive.flange", "a.flange_a"),
                ("a.flange_b", "gear.flange_a"),
                ("gear.flange_b", "b.flange_a"),
                ("b.flange_b", "load.flange"),
            ],
        ),
        1.0,
    )


@pytest.mark.parametrize(("tau", "load", "eta"), [(10.0, -8.0, 0.8), (0.5, -20.0, 1 / 0.7)])
def test_a_gear_with_losses_has_the_efficiency_of_the_driving_side(tau: float, load: float, eta: float) -> None:
    r = geared([[0.0, 0.8, 0.7, 0.0, 0.0]], tau, load)
    moving = r["gear.mode"] != 0.0
    np.testing.assert_allclose(r["gear.flange_b.tau"][moving], -4.0 * eta * r["gear.flange_a.tau"][moving], rtol=1e-9)
    assert r["gear.loss_power"].min() >= -1e-12
    w = (4.0 * eta * tau + load) / (2.0 + 16.0 * eta * 0.1) * r.time
    np.testing.assert_allclose(r["b.w"], w, atol=1e-6)


def test_a_gear_with_losses_is_locked_where_neither_side_can_drive() -> None:
    r = geared([[0.0, 0.8, 0.7, 1.0, 1.0]], 3.0, -10.0)
    assert np.all(r["gear.w_a"] == 0.0)
    np.testing.assert_allclose(r["gear.flange_a.tau"], 3.0, atol=1e-9)
    np.testing.assert_allclose(r["gear.flange_b.tau"], -10.0, atol=1e-9)


def test_a_stop_is_hit_with_the_end_of_the_mass() -> None:
    r = simulated(
        Model(
            push=translational.ConstantForce | Map(f_constant=5.0),
            mass=translational.MassWithStopAndFriction
            | Map(L=0.4, s_max=1.0, s_min=-1.0, F_prop=0.0, F_Coulomb=1.0, F_Stribeck=0.0, s=Map(init=0.0), v=Map(init=0.0)),
            connect=[("push.flange", "mass.flange_a")],
        ),
        2.0,
    )
    hit = np.sqrt(2 * 0.8 / 4.0)
    assert rises(r, "mass.stopped", 1.0) == pytest.approx(hit, abs=1e-6)
    late = r.time > hit + 1e-6
    assert np.all(r["mass.s"][late] == 1.0 - 0.2)
    assert np.all(r["mass.v"][late] == 0.0)


def test_a_gear_shift_with_a_planetary_gear() -> None:
    """The brake holds the ring: ratio 1/(1 + 1.5). Then the clutch joins ring and sun: ratio 1."""
    r = simulated(
        Model(
            drive=rotational.TorqueStep | Map(start_time=0.5, step_torque=20.0),
            engine=rotational.Inertia,
            planetary=rotational.IdealPlanetary | Map(ratio=1.5),
            load=rotational.Inertia | Map(J=10.0, phi=Map(init=0.0), w=Map(init=0.0)),
            clutch=rotational.Clutch | Map(cgeo=2.0, fn_max=100.0, phi_rel=Map(init=0.0), w_rel=Map(init=0.0)),
            brake=rotational.Brake | Map(cgeo=2.0, fn_max=100.0),
            release=blocks.Feedback | Map(u1=1.0),
            shift=blocks.Ramp | Map(start_time=2.0, duration=0.1),
            connect=[
                ("drive.flange", "engine.flange_a"),
                ("engine.flange_b", "planetary.sun", "clutch.flange_a"),
                ("planetary.ring", "clutch.flange_b", "brake.flange_a"),
                ("planetary.carrier", "load.flange_a"),
                ("shift.y", "clutch.f_normalized", "release.u2"),
                ("release.y", "brake.f_normalized"),
            ],
        ),
        5.0,
    )
    first, last = r.time < 2.0, r.time > 4.0
    np.testing.assert_allclose(r["load.w"][first], r["engine.w"][first] / 2.5, atol=1e-9)
    np.testing.assert_allclose(r["load.w"][first][-1], (2.5 * 20.0 / (10.0 + 2.5**2)) * 1.5, rtol=0.02)
    np.testing.assert_allclose(r["load.w"][last], r["engine.w"][last], atol=1e-12)
    assert np.all(r["brake.w"][first] == 0.0)
    assert np.all(r["clutch.w_rel"][last] == 0.0)
