"""Examples of Modelica.Mechanics: published results, closed forms, balances of energy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library import blocks, rotational, translational
from tests.modiapy.runs import integral, simulated

from . import examples_of_mechanics as examples


def test_gear_and_bearing_stuck_together_agree_with_the_published_result() -> None:
    """Their torques are not unique while both are stuck, but the motion is; reference: Dymola, MAP-LIB_ReferenceResults."""
    r = simulated(examples.LOSSY_GEAR_DEMO2, 0.5)
    for time, phi, w in (
        (0.2, -0.000559046139, 0.0),
        (0.25, -0.000556063170, 0.000420504274),
        (0.27, -0.000540347410, 0.001122882303),
        (0.3, -0.000505122040, 0.000746185083),
    ):
        assert np.interp(time, r.time, r["inertia2.phi"]) == pytest.approx(phi, abs=5e-9)
        assert np.interp(time, r.time, r["inertia2.w"]) == pytest.approx(w, abs=5e-9)
    for name in ("gear.mode", "bearing_friction.mode"):
        changes = r.time[1:][np.diff(r[name]) != 0.0]
        np.testing.assert_allclose(changes[-3:], [0.230374015885, 0.308306846, 0.47273836], atol=2e-7)
        assert r[name][np.searchsorted(r.time, [0.15, 0.25, 0.4, 0.49])].tolist() == [0.0, 1.0, 0.0, -1.0]


def two_brakes(load: float, **second: float) -> Model:
    """Two brakes of 1 N.m and 2 N.m on one shaft, against a torque."""
    return Model(
        drive=rotational.TorqueStep | Map(step_torque=load, start_time=0.5),
        shaft=rotational.Inertia | examples.AT_REST,
        brake1=rotational.Brake | Map(fn_max=2.0, f_normalized=1.0),
        brake2=rotational.Brake | Map(fn_max=4.0, f_normalized=1.0) | Map(second),
        connect=[("drive.flange", "shaft.flange_a"), ("shaft.flange_b", "brake1.flange_a", "brake2.flange_a")],
    )


def test_brakes_in_parallel_hold_what_they_can_hold_together() -> None:
    held = simulated(two_brakes(2.9), 1.0)
    np.testing.assert_allclose(held["shaft.w"], 0.0, atol=1e-14)
    late = held.time > 0.5
    np.testing.assert_allclose((held["brake1.tau"] + held["brake2.tau"])[late], 2.9, rtol=1e-9)
    assert max(np.abs(held["brake1.tau"]).max() - 1.0, np.abs(held["brake2.tau"]).max() - 2.0) <= 1e-9
    slides = simulated(two_brakes(3.5), 1.0)
    np.testing.assert_allclose(slides["shaft.w"], 0.5 * np.maximum(slides.time - 0.5, 0.0), atol=1e-7)


def test_a_singular_system_without_solution_is_named() -> None:
    model = Model(
        k=1.0,
        x=Var(start=0.0),
        y=Var(start=0.0),
        z=Var(init=0.0),
        equations=["der(z) = 1", "x + k*y = 1 + z", "k*x + y = 1 - z"],
    )
    with pytest.raises(SimulationError, match="singular"):
        instantiate(model).simulate(1.0)


def test_heat_of_a_drive_train_with_all_kinds_of_friction() -> None:
    r = simulated(examples.HEAT_LOSSES, 1.0, 10000)
    work, heat = integral(r, r["torque.tau"] * r["inertia1.w"]), integral(r, r["convection.Q_flow"])
    kinetic = sum(r[f"inertia{k}.w"][-1] ** 2 for k in range(1, 7))
    springs = 5e3 * (r["spring_damper.phi_rel"][-1] ** 2 + r["spring3.phi_rel"][-1] ** 2)
    springs += r["elasto_backlash.tau_c"][-1] ** 2 / 2e5
    assert work == pytest.approx(heat + kinetic + springs, rel=1e-4)
    assert set(r["clutch.mode"][r.time > 0.0]) == {-1.0, 0.0, 1.0}
    assert r["clutch.mode"][0] == 2.0  # free: there is no normal force yet
    assert r["one_way_clutch.w_rel"].min() > -1e-9


def test_disengaged_free_wheel() -> None:
    r = simulated(examples.ONE_WAY_CLUTCH_DISENGAGED, 2.0)
    assert r["one_way_clutch.w_rel"].min() > -1e-9
    assert np.all(r["one_way_clutch.tau"][r["one_way_clutch.stuck"] == 0.0] == 0.0)
    # torques of 0.3 N.m on both sides cancel; the free wheel transmits impulses only
    momentum = -0.5 + 10.0 / (4 * np.pi) * (1 - np.cos(4 * np.pi * r.time))
    np.testing.assert_allclose(r["inertia_in.w"] + r["inertia_out.w"], momentum, atol=1e-6)


def test_braking_torques_in_closed_form() -> None:
    r = simulated(examples.COMPARE_BRAKING_TORQUE, 0.9)
    t = r.time
    np.testing.assert_allclose(r["inertia1.w"], 100.0 - 100.0 * t, atol=1e-6)
    np.testing.assert_allclose(r["inertia2.w"], 100.0 * np.exp(-t), atol=1e-5)
    np.testing.assert_allclose(r["inertia3.w"], 100.0 / (1.0 + t), atol=1e-5)
    early = t < 0.45
    np.testing.assert_allclose(r["inertia4.w"][early], 100.0 * np.sqrt(1 - 2 * t[early]), atol=1e-4)


def test_direction_of_speed_dependent_torques() -> None:
    """As in Modelica the torque has the same direction at both directions of rotation, unless torque_direction is False."""
    for direction, final in ((True, -np.exp(0.5)), (False, -np.exp(-0.5))):
        model = Model(
            shaft=rotational.Inertia | Map(phi=Map(init=0.0), w=Map(init=-1.0)),
            torque=rotational.LinearSpeedDependentTorque | Map(torque_direction=direction),
            connect=[("torque.flange", "shaft.flange_a")],
        )
        r = simulated(model, 0.5, 10)
        assert r["shaft.w"][-1] == pytest.approx(final, rel=1e-7)


@pytest.mark.parametrize(("model", "speed"), [("EDDY_CURRENT_TORQUE", "inertia.w"), ("EDDY_CURRENT_FORCE", "mass.v")])
def test_eddy_current_brakes_heat_up(model: str, speed: str) -> None:
    r = simulated(getattr(examples, model), 1.0)
    np.testing.assert_allclose(r["heat_capacitor.T"] - 293.15, 200.0 - r[speed] ** 2 / 2, atol=1e-5)

    def rate(t: float, x: np.ndarray) -> list[float]:
        n = x[0] / (10.0 * (1.0 + examples.ALPHA_COPPER * (200.0 - x[0] ** 2 / 2)))
        return [-2.0 * 1e3 * np.clip(t - 0.1, 0.0, 0.1) * n / (1.0 + n * n)]

    exact = solve_ivp(rate, (0.0, 1.0), [20.0], rtol=1e-10, atol=1e-12, max_step=0.01)
    assert r[speed][-1] == pytest.approx(exact.y[0, -1], rel=1e-5)


def test_sign_conventions_of_translations() -> None:
    r = simulated(examples.SIGN_CONVENTION, 1.0)
    for k in (1, 2, 3):
        np.testing.assert_allclose(r[f"mass{k}.s"], r.time**2 / 2, atol=1e-9)
    r = simulated(examples.WHY_ARROWS, 1.0)
    assert r["position_sensor2.s"][-1] == r["position_sensor3.s"][-1] == -r["position_sensor1.s"][-1] == 1.0
    np.testing.assert_allclose(r["mass1.s"], -0.9 * (1 - np.cos(np.sqrt(11.0) * r.time)), atol=1e-6)
    np.testing.assert_allclose(r["inertia2.s"], r["mass1.s"], atol=1e-9)


def test_dampers_and_spring_dampers() -> None:
    r = simulated(examples.DAMPER, 1.0)
    np.testing.assert_allclose(r["mass1.v"], 10.0 * np.exp(-25.0 * r.time), atol=1e-6)
    a = np.array([[0.0, 1.0], [-1.0, -25.0]])
    exact = np.array([expm(a * t) @ [0.0, 10.0] for t in r.time[::20]])
    np.testing.assert_allclose(r["mass2.s"][::20] - 3.0, exact[:, 0], atol=1e-6)
    np.testing.assert_allclose(r["mass3.s"], r["mass2.s"], atol=1e-8)


def test_brakes_with_and_without_support() -> None:
    r = simulated(examples.BRAKES, 2.0)
    for k in (1, 2):
        np.testing.assert_allclose(r[f"mass{k}.v"], np.clip(1.1 - r.time, 0.0, 1.0), atol=1e-8)
        assert np.all(r[f"mass{k}.v"][r.time > 1.1001] == 0.0)
    np.testing.assert_allclose(r["fixed.flange.f"], r["brake1.f"], atol=1e-12)


def test_stribeck_friction_as_function_and_as_table_and_a_stop() -> None:
    r = simulated(examples.FRICTION, 5.0)
    np.testing.assert_allclose(r["mass.v"], r["stop1.v"], atol=0.01 * np.ptp(r["stop1.v"]))
    assert r["stop2.s"].min() == pytest.approx(-0.9 + 0.5, abs=1e-12)
    assert r["stop2.s"].max() <= 0.4 + 1e-12
    energy = 0.5 * r["stop2.v"] ** 2 + 250.0 * (r["stop2.s"] - 0.5 + 0.75) ** 2
    assert np.all(np.diff(energy) <= 1e-6)
    assert r["stop2.v"][-1] == 0.0


def test_sensors_of_translations() -> None:
    r = simulated(examples.SENSORS, 1.0)
    w = 8 * np.pi
    np.testing.assert_allclose(r["speed_sensor.v"], 10.0 / w * (1 - np.cos(w * r.time)), atol=1e-6)
    np.testing.assert_allclose(r["acc_sensor.a"], 10.0 * np.sin(w * r.time), atol=1e-9)
    np.testing.assert_allclose(r["position_sensor2.s"] - r["position_sensor1.s"], 1.0, atol=1e-12)
    np.testing.assert_allclose(r["force_sensor.f"], r["multi_sensor.f"], atol=1e-12)
    np.testing.assert_allclose(r["multi_sensor.power"], r["multi_sensor.f"] * r["mass.v"], atol=1e-9)


def test_heat_of_translations_with_stops() -> None:
    r = simulated(examples.TRANSLATIONAL_HEAT_LOSSES, 2.0, 8000)
    heats = sum(
        r[f"{name}.loss_power"]
        for name in ("spring_damper", "damper", "elasto_gap", "support_friction", "brake", "spring_damper1", "stop")
    )
    np.testing.assert_allclose(r["convection.Q_flow"], heats, atol=1e-9)
    work = integral(r, r["force.f"] * r["mass1.v"])
    springs = 50.0 * (r["spring_damper.s_rel"][-1] ** 2 + r["spring.s_rel"][-1] ** 2)
    gap = max(-0.02 - r["elasto_gap.s_rel"][-1], 0.0)
    stored = sum(0.5 * r[f"{name}.v"][-1] ** 2 for name in ("mass1", "mass2", "mass3", "stop"))
    stored += springs + 50.0 * gap**2 + 5e3 * r["spring_damper1.s_rel"][-1] ** 2
    assert work >= integral(r, heats) + stored - 1e-3  # impacts at the stop lose energy, too
    assert r["stop.s"].max() <= 0.4 - 0.05 + 1e-9


def vehicles() -> Model:
    """Translational.Examples.Vehicle; its table, which jumps, with the time in the first column."""
    car = translational.Vehicle | Map(m=100.0, J=0.0, R=0.25, A=1.0, Cd=0.5, cr=0.01, inclination=Var(input=True))
    v_nominal = 25 / 3.5
    nominal = 0.5 * 1.18 * v_nominal**2 / 2 + 0.01 * 100.0 * 9.80665
    rows = [(0, 0, 0), (5, 0, 0), (5, 5.6, 0), (10.8, 5.6, 0), (10.8, 1, 0), (20, 1, 0), (20, 2.8, 0.05), (25, 2.8, 0.05)]
    rows += [(25, 1, 0), (50, 1, 0), (50, -5, 0), (55, -5, 0), (55, 0, 0), (60, 0, 0)]
    at_rest = Map(s=Map(init=0.0), v=Map(init=0.0))
    return Model(
        vehicle=car | at_rest,
        vehicle1=car | at_rest,
        trailer=car,
        multi_sensor=translational.MultiSensor,
        table=blocks.CombiTimeTable([list(row) for row in rows], extrapolation="hold"),
        torque=rotational.Torque,
        torque1=rotational.Torque,
        gain=blocks.Gain | Map(k=nominal * 0.25),
        gain1=blocks.Gain | Map(k=2.0),
        connect=[
            ("table.y1", "gain.u"),
            ("table.y2", "vehicle.inclination", "vehicle1.inclination", "trailer.inclination"),
            ("gain.y", "torque.tau", "gain1.u"),
            ("gain1.y", "torque1.tau"),
            ("torque.flange", "vehicle.flange_r"),
            ("torque1.flange", "vehicle1.flange_r"),
            ("vehicle1.flange_t", "multi_sensor.flange_a"),
            ("multi_sensor.flange_b", "trailer.flange_t"),
        ],
    )


def test_vehicle_and_trailer() -> None:
    r = simulated(vehicles(), 60.0)
    np.testing.assert_allclose(r["vehicle1.v"], r["vehicle.v"], atol=1e-7)
    # the trailer takes half of the driving force
    np.testing.assert_allclose(r["multi_sensor.f"], r["vehicle.f_drive"], atol=1e-6)

    def rate(t: float, v: np.ndarray) -> list[float]:
        drive, slope = np.interp(t, [0, 5, 5, 10.8, 10.8, 20], [0, 0, 5.6, 5.6, 1, 1]), 0.0
        if t >= 20.0:
            drive, slope = (2.8, 0.05) if t < 25 else (1.0, 0.0)
        resistance = 0.01 * 980.665 * np.cos(np.arctan(slope)) * np.clip(v[0] / 1e-3, -1, 1)
        nominal = 0.295 * (25 / 3.5) ** 2 + 9.80665
        drag = 0.5 * 1.2 / 2 * v[0] * abs(v[0])
        return [(drive * nominal - resistance - drag - 980.665 * np.sin(np.arctan(slope))) / 100.0]

    exact = solve_ivp(rate, (5.0, 30.0), [0.0], "Radau", rtol=1e-8, atol=1e-10, max_step=0.05, dense_output=True)
    times = np.array([8.0, 15.0, 22.0, 30.0])
    np.testing.assert_allclose(np.interp(times, r.time, r["vehicle.v"]), exact.sol(times)[0], atol=2e-3)
