"""Further examples of the Modelica Standard Library: closed forms, balances and what their documentation says of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from modiapy import Map
from tests.modiapy.runs import integral, simulated

from . import models, more_models

PERIOD = 0.1
"""Of the signal generators [s]."""


def test_first_agrees_with_the_matrix_exponential() -> None:
    """The published result of First was computed with the tolerance 1e-6; this is the exact solution."""
    r, w = simulated(models.FIRST, 1.0), 10 * np.pi
    # inertias seen from the gear's output: 2 + 10**2*0.1, torque 10*10*sin(w*t)
    a = np.zeros((6, 6))
    a[0, 1] = a[2, 3] = 1.0
    a[1, 0], a[1, 1], a[1, 2], a[1, 4] = -1e4 / 12, -10 / 12, 1e4 / 12, 100 / 12
    a[3, 0], a[3, 2] = 5e3, -5e3
    a[4, 5], a[5, 4] = w, -w
    exact = np.array([expm(a * t) @ [0, 0, 0, 0, 0, 1] for t in r.time[::50]])
    np.testing.assert_allclose(r["inertia3.w"][::50], exact[:, 3], atol=2e-6)
    np.testing.assert_allclose(r["damper.w_rel"][::50], -exact[:, 1], atol=2e-6)


def test_first_grounded_is_first() -> None:
    grounded, first = simulated(more_models.FIRST_GROUNDED, 1.0), simulated(models.FIRST, 1.0)
    for name in ("inertia2.phi", "inertia3.w", "damper.phi_rel"):
        np.testing.assert_allclose(grounded[name], first[name], atol=1e-8)


def test_elastic_bearing_passes_on_all_torque() -> None:
    r = simulated(more_models.ELASTIC_BEARING, 10.0)
    # the torque acts back on the ground, so the impulse of the whole is that of torque and bearing
    momentum = r["shaft.w"] + 50.0 * r["load.w"] + 5.0 * r["housing.w"]
    outer = integral(r, r["torque.tau"] - r["spring_damper.tau"])
    assert momentum[-1] == pytest.approx(outer, rel=1e-4)
    np.testing.assert_allclose(
        r["shaft.phi"] - r["housing.phi"], 3 * (r["ideal_gear.flange_b.phi"] - r["housing.phi"]), atol=1e-9
    )
    np.testing.assert_allclose(r["multi_sensor.power"], r["multi_sensor.tau"] * r["housing.w"], atol=1e-9)


def test_backlash_never_pulls() -> None:
    r = simulated(more_models.BACKLASH, 1.0, 5000)
    # the first one is a damped oscillator
    decay, w = 50.0 / 10.0, np.sqrt(20e3 / 5 - 25.0)
    exact = np.pi / 2 * np.exp(-decay * r.time) * (np.cos(w * r.time) + decay / w * np.sin(w * r.time))
    np.testing.assert_allclose(r["inertia1.phi"], exact, atol=1e-6)
    for k, name in ((2, "elasto_backlash"), (3, "elasto_backlash2")):
        phi, tau = r[f"inertia{k}.phi"], r[f"{name}.tau"]
        assert np.all(tau[np.abs(phi) < np.pi / 8 - 1e-9] == 0.0)
        assert np.all(tau * np.sign(phi) >= -1e-6)  # of 2e4 N.m, at the instants of release
        energy = 2.5 * r[f"inertia{k}.w"] ** 2 + 10e3 * np.maximum(np.abs(phi) - np.pi / 8, 0.0) ** 2
        assert np.all(np.diff(energy) <= 1e-6 * energy[0])


def test_lossy_gear_takes_all_modes_and_half_of_the_power() -> None:
    r = simulated(more_models.LOSSY_GEAR_DEMO1, 0.5)
    power_a, power_b = r["gear.flange_a.tau"] * r["inertia1.w"], r["gear.flange_b.tau"] * r["inertia2.w"]
    np.testing.assert_allclose(power_a + power_b, r["gear.loss_power"], atol=1e-12)
    assert set(r["gear.mode"]) == {-1.0, 0.0, 1.0}
    rolls = (r["gear.mode"] != 0.0) & (np.abs(power_a) > 1e-9)
    np.testing.assert_allclose(np.minimum(power_a, power_b)[rolls], -0.5 * np.maximum(power_a, power_b)[rolls], rtol=1e-9)


def test_lossy_gear_whose_driving_side_is_not_obvious() -> None:
    r = simulated(more_models.LOSSY_GEAR_DEMO3, 1.0)
    w = r["gear.w_a"]
    assert w[0] == 10.0
    assert np.all(np.diff(w[r.time < 0.5]) <= 1e-12)
    # neither its own inertia nor the load of 1 N.m from t = 0.5 s moves it: it locks itself (0.25*1 < 2.5)
    assert np.all(w[r.time > 0.1] == 0.0)


def test_one_way_clutch_disengages_and_never_turns_backwards() -> None:
    r = simulated(more_models.ONE_WAY_CLUTCH, 2.0)
    w_rel = r["one_way_clutch.w_rel"]
    assert w_rel.min() > -1e-9
    assert np.all(w_rel[r["one_way_clutch.stuck"] == 1.0] < 1e-9)
    momentum = r["inertia_in.w"] + r["inertia_out.w"]
    np.testing.assert_allclose(momentum, -0.5 + 10.0 / (6 * np.pi) * (1 - np.cos(6 * np.pi * r.time)), atol=1e-6)


def test_rolling_wheel_approaches_its_equilibrium() -> None:
    r = simulated(more_models.ROLLING_WHEEL, 5.0)
    # 2*v' = 10*(1 - (v/5)**2)
    np.testing.assert_allclose(r["mass.v"], 5.0 * np.tanh(np.maximum(r.time - 0.1, 0.0)), atol=1e-7)
    np.testing.assert_allclose(r["inertia.phi"], r["mass.s"], atol=1e-12)


def test_accelerated_mass() -> None:
    r = simulated(more_models.ACCELERATE, 1.0)
    np.testing.assert_allclose(r["mass.s"], 0.5 + r.time**2 / 2, atol=1e-9)
    np.testing.assert_allclose(r["accelerate.flange.f"], -1.0)


def test_braked_mass_stops_and_stays() -> None:
    r = simulated(more_models.BRAKE, 2.0)
    # friction coefficient 0.5, normal force 2 N: -1 m/s2 from t = 0.1 s on
    np.testing.assert_allclose(r["mass1.v"], np.clip(1.1 - r.time, 0.0, 1.0), atol=1e-9)
    assert np.all(r["mass1.v"][r.time > 1.1001] == 0.0)
    assert r["mass1.s"][-1] == pytest.approx(0.6, abs=1e-8)


def test_initial_conditions_at_rest_and_out_of_rest() -> None:
    r = simulated(more_models.INITIAL_CONDITIONS, 5.0)
    np.testing.assert_allclose(r["m3.s"], 4.5, atol=1e-12)
    np.testing.assert_allclose(r["m4.s"], 12.5, atol=1e-12)
    assert (r["m1.s"][0], r["m2.s"][0]) == pytest.approx((0.0, 2.5))
    # about the equilibrium m1.s = 0.5, m2.s = 3: masses 1 kg, springs 1000 and 111 N/m, damper 1 N.s/m
    a = np.array([[0, 1, 0, 0], [-1111, -1, 111, 1], [0, 0, 0, 1], [111, 1, -111, -1]], dtype=float)
    exact = np.array([expm(a * t) @ [-0.5, 0, -0.5, 0] for t in r.time[::20]])
    np.testing.assert_allclose(r["m1.s"][::20], 0.5 + exact[:, 0], atol=1e-5)
    np.testing.assert_allclose(r["m2.s"][::20], 3.0 + exact[:, 2], atol=1e-5)


def test_preloaded_spool_holds_its_position_until_the_force_exceeds_the_preload() -> None:
    r = simulated(more_models.PRE_LOAD, 100.0, 10000)
    force, s = r["force.f"], r["spool.s"]
    centre = -0.0955 + 0.0305 / 2 + 0.095
    # beyond the preload the spring of 20 kN/m yields, one contact in series with it: about its stiffness
    for sign in (1.0, -1.0):
        beyond = (sign * force > 130.0) & (r.time > 10.0)
        slope = np.polyfit(force[beyond], s[beyond], 1)[0]
        assert 1 / slope == pytest.approx(20e3, rel=0.25)
        assert np.all(sign * (s[beyond] - centre) > 0.004)


def test_grounded_gear_comes_to_its_equilibrium() -> None:
    r = simulated(more_models.GEAR_GROUNDED | Map(ramp=Map(height=0.0)), 20.0)
    # at rest: the support takes 10 N - 16 N, the spring of mass2 16 N
    s_support = (10.0 - 16.0) / 800.0
    assert r["support.s_rel"][-1] == pytest.approx(s_support, rel=1e-6)
    assert r["mass2.s"][-1] == pytest.approx(0.0, abs=1e-8)
    assert r["mass1.s"][-1] == pytest.approx(s_support * (1 - 1.6), rel=1e-5)


def test_chua_circuit() -> None:
    """Against an independent integration, for the time before chaos; afterwards it stays on its attractor."""
    r = simulated(more_models.CHUA_CIRCUIT, 5e4, 5000)

    def rates(_t: float, x: np.ndarray) -> list[float]:
        v1, v2, i = x
        diode = -0.757576 * np.clip(v1, -1, 1) - 0.409091 * (v1 - np.clip(v1, -1, 1))
        return [(0.565 * (v2 - v1) - diode) / 10.0, (0.565 * (v1 - v2) - i) / 100.0, (v2 - 12.5e-3 * i) / 18.0]

    times = np.arange(0.0, 1001.0, 10.0)
    exact = solve_ivp(rates, (0.0, 1000.0), [4.0, 0.0, 0.0], "DOP853", rtol=1e-11, atol=1e-12, t_eval=times)
    for row, name in enumerate(("C1.v", "C2.v")):
        np.testing.assert_allclose(r[name][np.searchsorted(r.time, times - 1e-6)], exact.y[row], atol=1e-4)
    assert np.abs(r["C1.v"]).max() < 6.0
    assert r["C1.v"].min() < 0.0 < r["C1.v"].max()


def test_heating_resistor() -> None:
    r = simulated(more_models.HEATING_RESISTOR, 5.0)
    dT, v = r["thermal_conductor.dT"], 220.0 * np.sin(2 * np.pi * r.time)
    # 50*dT = v**2/(100*(1 + 1e-3*dT))
    np.testing.assert_allclose(50.0 * dT * 100.0 * (1 + 1e-3 * dT), v**2, atol=1e-3)


def test_transformers_with_the_same_magnetization_agree() -> None:
    r = simulated(more_models.COMPARE_TRANSFORMERS, 1.0)
    for k in (1, 2):
        np.testing.assert_allclose(r[f"resistor1{k}.i"], r[f"resistor2{k}.i"], atol=1e-10)
    # the direct voltage is not transformed: 0.1 V/0.01 Ohm in the end, with L1/R1 = 16 s
    r = simulated(more_models.COMPARE_TRANSFORMERS, 160.0, 20000)
    assert r["resistor11.i"][-200:].mean() == pytest.approx(10.0, rel=5e-3)


def test_characteristics_of_ideal_diodes() -> None:
    r = simulated(more_models.CHARACTERISTIC_IDEAL_DIODES, 1.0)
    assert np.all(r["ideal.v"] * r["ideal.i"] == 0.0)
    np.testing.assert_allclose(r["ideal.i"], np.maximum(r["source2.v"], 0.0) / 1e-3, atol=1e-6)
    for name, ron, goff, knee in (("with_Ron_Goff", 0.1, 0.1, 0.0), ("with_Vknee", 0.2, 0.2, 5.0)):
        v = r[f"{name}.v"]
        np.testing.assert_allclose(r[f"{name}.i"], np.where(v > knee, goff * knee + (v - knee) / ron, goff * v), atol=1e-9)


def test_saturating_inductor() -> None:
    r = simulated(more_models.SHOW_SATURATING_INDUCTOR, 2 * np.pi)
    np.testing.assert_allclose(r["saturating.psi"], 1.25 * np.sin(r.time), atol=1e-6)
    np.testing.assert_allclose(r["inductance.i"], 1.25 * np.sin(r.time), atol=1e-6)
    # psi(i = I_nom) = L_nom*I_nom, dpsi/di at i = 0 is L_zer
    assert np.interp(1.0, r["saturating.psi"][:250], r["saturating.i"][:250]) == pytest.approx(1.0, abs=1e-4)
    assert r["saturating.psi"][1] / r["saturating.i"][1] == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize(("model", "output"), [("MULTIVIBRATOR", "op_amp.v_out"), ("SIGNAL_GENERATOR", "op_amp1.v_out")])
def test_signal_generators_have_the_period_of_their_components(model: str, output: str) -> None:
    r = simulated(getattr(more_models, model), 1.0)
    v, t = r[output], r.time
    rises = t[1:][(v[1:] > 0.0) & (v[:-1] <= 0.0)]
    periods = np.diff(rises)
    if model == "MULTIVIBRATOR":
        limit = 7.5 - 15.0 / 15000.0  # less the input voltage at which the amplifier leaves its limit
        exact = PERIOD / np.log(3.0) * np.log((15.0 + limit) / (15.0 - limit))
    else:
        limit = 10.0 - (1 + 1 / 1.5) * 15.0 / 15000.0
        exact = PERIOD
    assert len(periods) >= 7
    np.testing.assert_allclose(periods, exact, rtol=5e-4)
    assert np.abs(r["c.v"]).max() == pytest.approx(limit, rel=2e-4)
    assert set(np.round(v[t > 0.3], 6)) == {-15.0, 15.0}


def test_controlled_temperature_stays_in_its_band() -> None:
    r = simulated(more_models.CONTROLLED_TEMPERATURE, 10.0)
    T, reference, on = r["heat_capacitor.T"], r["ramp.y"], r["on_off_controller.y"] == 1.0
    inside = r.time > 0.7
    assert np.all(np.abs(T - reference)[inside] <= 1.0 + 1e-6)
    assert np.count_nonzero(np.diff(on)) >= 10
    heat = np.where(on, 100.0 / (10.0 * (1 + (T - 293.15) / 255.0)), 0.0)
    np.testing.assert_allclose(r["resistor.loss_power"], heat, atol=1e-3)
    assert T[-1] - T[0] == pytest.approx(integral(r, heat - 0.1 * (T - 293.15)), abs=2e-2)


def test_motor_with_periodic_losses() -> None:
    r = simulated(more_models.MOTOR, 7200.0, 7200)
    winding, core = r["winding.T"], r["core.T"]
    losses = r["winding_loss.y"] * (1 + 3.03e-3 * (winding - 368.15)) + 500.0
    stored = 2500.0 * (winding[-1] - winding[0]) + 25000.0 * (core[-1] - core[0])
    assert stored == pytest.approx(integral(r, losses - 25.0 * (core - 293.15)), rel=1e-4)
    # periodic in the end
    last, before = r.time >= 6600.0, (r.time >= 6000.0) & (r.time < 6600.0)
    assert winding[last].max() == pytest.approx(winding[before].max(), rel=2e-3)
