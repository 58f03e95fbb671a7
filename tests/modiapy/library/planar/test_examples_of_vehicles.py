"""The examples of vehicles and gears of PlanarMechanics against hand-derived equations and closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

from modiapy import Map, Model, instantiate

from . import examples_of_gears, examples_of_vehicles
from .independent import Mechanism, friction, integrated
from .test_examples import CHAOS, close

COS, SIN = sympy.cos, sympy.sin


def ran(model: Model, stop_time: float) -> Any:
    return instantiate(model, check_units=True).simulate(stop_time, tolerance=1e-12, interval=stop_time / 40)


def test_ideal_wheel_on_a_circle() -> None:
    """A torque of 2 N.m drives a wheel of 0.3 m at the end of an arm of 1 m, with a constant acceleration."""
    r = ran(examples_of_vehicles.TEST_IDEAL_WHEEL, 10.0)
    rolls = 2.0 / (1.0 + 0.3**2 * (10.0 + 1.0))
    close(r["inertia.w"], rolls * r.time)
    close(r["revolute.phi"], -0.3 * rolls * r.time**2 / 2)
    close(r["prismatic.s"], 1.0)
    close(r["ideal_wheel_joint.v_long"], 0.3 * rolls * r.time)
    lateral = r["ideal_wheel_joint.f_lat"]
    close(lateral, 10.0 * r["ideal_wheel_joint.v_long"] ** 2)  # the ground holds the body on its circle


@pytest.mark.parametrize("slips", [False, True])
def test_wheel_with_friction_on_an_arm(slips: bool) -> None:
    """Polar coordinates s, phi of the body, and the angle of the wheel."""
    model = examples_of_vehicles.TEST_SLIP_BASED_WHEEL if slips else examples_of_vehicles.TEST_DRY_FRICTION_WHEEL
    r = ran(model, 20.0)

    def rate(t: float, x: np.ndarray) -> list[float]:
        s, _, _, v_lat, w, roll = x
        slip = -s * w - 0.3 * roll
        total = np.hypot(slip, v_lat) + 1e-4
        adhesion, slide = (max(0.04 * abs(0.3 * roll), 0.05), max(0.12 * abs(0.3 * roll), 0.15)) if slips else (0.1, 0.3)
        mu = friction(adhesion, slide, 0.8, 0.4)(total) * 100.0 / total
        radial = s * w**2 - mu * v_lat / 10.0
        turning = (mu * slip * s - 20.0 * s * v_lat * w) / (10.0 * s**2 + 1.0)
        return [v_lat, w, roll, radial, turning, 2.0 + 0.3 * mu * slip]

    x = integrated(rate, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], r.time, stiff=True)
    found = [r[name] for name in ("prismatic.s", "revolute.phi", "inertia.phi", "prismatic.v", "revolute.w", "inertia.w")]
    close(np.column_stack(found), x, 1e-7)


def test_a_wheel_bears_its_own_load_and_what_is_put_on_it() -> None:
    """Half of the load by the input changes nothing; a wheel that is lifted has no friction, and its engine turns it freely."""
    model = examples_of_vehicles.TEST_SLIP_BASED_WHEEL
    half = Map(slip_based_wheel_joint=Map(N=60.0))
    r, shared = ran(model, 2.0), ran(model | half | Map(const=Map(k=40.0)), 2.0)
    close(shared["inertia.w"], r["inertia.w"])
    lifted = ran(model | half | Map(const=Map(k=-60.0 - 1.0)), 2.0)
    close(lifted["inertia.w"], 2.0 * lifted.time)
    close(lifted["slip_based_wheel_joint.f"], 0.0)


def test_drag_of_the_air() -> None:
    r = ran(examples_of_vehicles.TEST_AIR_DRAG, 10.0)
    k = 0.5 * 1.2 * 1.18 * 0.5
    speed = 10.0 / (1.0 + 10.0 * 4.0 * k / 41.0 * r.time)
    close(r["sensor_absolute_velocity.v"], np.column_stack([speed, 0.0 * speed, -speed / 2.0]))
    close(r["air_drag.f_drag"], k * speed**2, 1e-7)


X, Y, PHI, STEER = sympy.symbols("x y phi delta")
BACK = (X, Y)
AHEAD = (-SIN(PHI), COS(PHI))
STEERED = (-SIN(PHI + STEER), COS(PHI + STEER))


def test_single_track_vehicle() -> None:
    """Two wheels that cannot move sideways constrain the velocities of a chassis with a trailing front wheel."""
    r = ran(examples_of_vehicles.SINGLE_TRACK_WITH_ENGINE, 6.0)
    q = [X, Y, PHI, STEER]
    pivot = [BACK[k] + AHEAD[k] for k in (0, 1)]
    front = [pivot[k] - 0.1 * STEERED[k] for k in (0, 1)]
    aside = [sympy.Matrix([[COS(PHI), SIN(PHI)]]) * sympy.Matrix(BACK).jacobian(q)]
    aside.append(sympy.Matrix([[COS(PHI + STEER), SIN(PHI + STEER)]]) * sympy.Matrix(front).jacobian(q))
    machine = Mechanism(q, [(10.0, 0.1, *BACK, PHI), (2.0, 0.1, *front, PHI + STEER)], 0.0, [list(row.row(0)) for row in aside])

    def rate(t: float, x: np.ndarray) -> list[float]:
        v, (ax, ay) = x[4:8], (-np.sin(x[2]), np.cos(x[2]))
        speed = v[0] * ax + v[1] * ay
        push = 2.0 / 0.3 - (0.5 * 0.4 * 2.0 * 1.18 * speed**2 if speed >= 1e-3 else 0.0)
        return [*v, *machine.accelerations(x[:4], v, [push * ax, push * ay, 0.0, 0.0])]

    steer = np.radians(40.0)
    x = integrated(rate, [0.0, 0.0, 0.0, steer, 0.0, 0.0, 0.0, 0.0], r.time)
    close(r["body_rear.r"], x[:, :2], CHAOS)
    close(r["body_rear.phi"], x[:, 2], CHAOS)
    close(r["revolute.phi"], x[:, 3], CHAOS)
    along = -np.sin(x[:, 2]) * x[:, 4] + np.cos(x[:, 2]) * x[:, 5]
    close(0.3 * r["ideal_wheel_rear.w_roll"], along, CHAOS)
    close(r["air_resistance.f_drag"], 0.5 * 0.4 * 2.0 * 1.18 * along**2, CHAOS)


def test_two_track_vehicle_with_a_differential_gear() -> None:
    """Chassis, two steered wheels with one steering angle, four wheels with friction; the engine drives both rear wheels."""
    r = ran(examples_of_vehicles.TWO_TRACK_WITH_DIFFERENTIAL_GEAR, 10.0)
    q = [X, Y, PHI, STEER]

    def at(side: float, ahead: float, trail: float = 0.0) -> list[Any]:
        right = (COS(PHI), SIN(PHI))
        return [BACK[k] + side * right[k] + ahead * AHEAD[k] - trail * STEERED[k] for k in (0, 1)]

    places = {1: at(-0.75, 2.0, 0.05), 2: at(-0.75, 0.0), 3: at(0.75, 0.0), 4: at(0.75, 2.0, 0.05)}
    machine = Mechanism(
        q,
        [(300.0, 0.1, *BACK, PHI), (100.0, 1.0, *places[1], PHI + STEER), (100.0, 1.0, *places[4], PHI + STEER)],
        0.0,
    )
    jacobians = {k: sympy.lambdify(q, sympy.Matrix(place).jacobian(q)) for k, place in places.items()}
    mu = friction(0.1, 0.3, 1.0, 0.7)
    loads = {1: 1000.0, 2: 1500.0, 3: 1500.0, 4: 1000.0}

    def rate(t: float, x: np.ndarray) -> list[float]:
        place, v, roll = x[:4], x[8:12], dict(zip((1, 2, 3, 4), x[12:16], strict=True))
        pulse = -2.0 if t % 2.0 >= 1.0 and t % 2.0 < 1.6 else 0.0
        Q, turning = np.array([0.0, 0.0, 0.0, -pulse]), []
        for k, J in jacobians.items():
            jacobian, angle = J(*place), place[2] + (place[3] if k in (1, 4) else 0.0)
            velocity = jacobian @ v
            ahead, aside = np.array([-np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
            slip = np.array([velocity @ ahead - 0.25 * roll[k], velocity @ aside])
            total = np.hypot(*slip) + 1e-4
            force = -loads[k] * mu(total) * slip / total
            Q = Q + jacobian.T @ (force[0] * ahead + force[1] * aside)
            turning.append((12.5 if k in (2, 3) else 0.0) - 0.25 * force[0])
        return [*v, *x[12:16], *machine.accelerations(place, v, Q), *turning]

    start = [0.0, 0.0, 0.0, np.radians(25.0), *[0.0] * 12]
    x = integrated(rate, start, r.time, [k + part for k in range(1, 10, 2) for part in (0.0, 0.6)], stiff=True)
    close(r["body1.r"], x[:, :2], CHAOS)
    close(r["body1.phi"], x[:, 2], CHAOS)
    close(-r["revolute2.phi"], x[:, 3], CHAOS)
    close(np.column_stack([r[f"{name}.w"] for name in ("inertia", "inertia1", "inertia2", "inertia3")]), x[:, 12:16], CHAOS)


def test_spur_gear() -> None:
    r = ran(examples_of_gears.SPUR_GEAR, 10.0)
    close(r["gear_a_bearing.phi"], r.time)
    close(r["gear_b.phi"], -r.time)
    close(np.abs(r["gearwheel_external.F_n"]), 10.0)
    close(r["gear_a_bearing.t"] * r["gear_a_bearing.w"] + r["gear_b_bearing.t"] * r["gear_b_bearing.w"], 0.0)  # power


def test_planetary_gear() -> None:
    """The sun turns with a constant speed, so that the carrier is the only coordinate; speeds by Willis' equation."""
    r = ran(examples_of_gears.PLANETARY_GEAR, 10.0)
    inertia = 1e-3 * (4.0 / 3.0) ** 2 + 1e-3 + 1.0 * 2.0**2 + 1e-3 * 2.0**2

    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], (4.0 / 3.0 - 9.81 * 2.0 * np.cos(x[0])) / inertia]

    x = integrated(rate, [0.0, 0.5], r.time)
    close(r["planetary.carrier.phi"], x[:, 0], CHAOS)
    close(r["planetary.ring.w"], (4.0 * x[:, 1] - 1.0) / 3.0, CHAOS)
    close(r["planetary.planet.w"], 2.0 * x[:, 1] - 1.0, CHAOS)
    close(r["heat_capacitor.T"], 293.15, 1e-12)
