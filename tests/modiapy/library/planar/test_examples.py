"""The introductory examples of PlanarMechanics against hand-derived equations and closed forms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.linalg import expm

from modiapy import Model, instantiate

from . import examples
from .independent import Mechanism, friction, integrated

PHI, PSI, S = sympy.symbols("phi psi s")
SIN, COS = sympy.sin, sympy.cos


@functools.cache
def ran(example: str, stop_time: float) -> Any:
    model: Model = getattr(examples, example)
    return instantiate(model, check_units=True).simulate(stop_time, tolerance=1e-12, interval=stop_time / 60)


def close(found: np.ndarray, expected: np.ndarray | float, tolerance: float = 1e-8) -> None:
    """Assert equality relative to the largest value, and to 1. Errors of chaotic motions grow: `CHAOS`."""
    expected = np.broadcast_to(expected, found.shape)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * max(1.0, np.abs(expected).max()))


CHAOS = 2e-7


def linear(A: list[list[float]], b: list[float], x: list[float], times: np.ndarray) -> np.ndarray:
    """Return the exact solution of x' = A x + b, shape (nt, n)."""
    n = len(x)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, b
    return np.array([(expm(whole * t) @ [*x, 1.0])[:n] for t in times])


def test_free_body_falls() -> None:
    r = ran("FREE_BODY", 3.0)
    close(r["body.r"], np.column_stack([0.0 * r.time, -4.905 * r.time**2]))


def test_pendulum() -> None:
    r = ran("PENDULUM", 3.0)
    pendulum = Mechanism([PHI], [(1.0, 0.1, COS(PHI), SIN(PHI), PHI)])
    x = pendulum.motion([0.0], [0.0], r.time)
    close(np.column_stack([r["revolute.phi"], r["revolute.w"]]), x)
    close(r["revolute.w"] ** 2, -2.0 * 9.81 / 1.1 * np.sin(r["revolute.phi"]))  # energy


def test_pendulum_under_a_force_along_its_own_axis() -> None:
    r = ran("PENDULUM_EXCITED", 3.0)

    def force(t: float) -> float:
        return -5.0 * np.sin(2.0 * np.pi * (t - 1.8)) if t >= 1.8 else 0.0

    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], (force(t) - 9.81 * np.cos(x[0])) / 1.1]

    x = integrated(rate, [0.0, 0.0], r.time, [1.8])
    close(np.column_stack([r["revolute.phi"], r["revolute.w"]]), x)
    radial = 9.81 * np.sin(x[:, 0]) - x[:, 1] ** 2
    close(r["cut_force.force"][:, 0], radial)


def test_double_pendulum() -> None:
    r = ran("DOUBLE_PENDULUM", 10.0)
    upper, lower = (COS(PHI), SIN(PHI)), (COS(PHI) + 0.4 * COS(PSI), SIN(PHI) + 0.4 * SIN(PSI))
    x = Mechanism([PHI, PSI], [(1.0, 0.1, *upper, PHI), (0.2, 0.01, *lower, PSI)]).motion([0.0, 0.0], [0.0, 0.0], r.time)
    close(r["revolute.phi"], x[:, 0], CHAOS)
    close(r["revolute1.phi"], x[:, 1] - x[:, 0], CHAOS)
    heights = 9.81 * (r["body.r"][:, 1] + 0.2 * r["body1.r"][:, 1])
    moving = 0.5 * (r["body.v"] ** 2).sum(axis=1) + 0.1 * (r["body1.v"] ** 2).sum(axis=1)
    turning = 0.05 * r["body.w"] ** 2 + 0.005 * r["body1.w"] ** 2
    close(heights + moving + turning, 0.0)


def test_sensors_on_a_double_pendulum() -> None:
    r = ran("MEASURE_DEMO", 10.0)
    upper, lower = (COS(PHI), SIN(PHI)), (COS(PHI) + 0.4 * COS(PSI), SIN(PHI) + 0.4 * SIN(PSI))
    machine = Mechanism([PHI, PSI], [(1.0, 0.1, *upper, PHI), (0.4, 0.02, *lower, PSI)])
    x = machine.motion([0.0, 0.0], [0.0, 0.0], r.time)
    z = np.array([machine.accelerations(row[:2], row[2:], [0.0, 0.0]) for row in x])
    (phi, psi, w1, w2), (z1, z2) = x.T, z.T
    close(r["revolute2.phi"], psi - phi, CHAOS)
    place = np.column_stack([np.cos(phi) + 0.4 * np.cos(psi), np.sin(phi) + 0.4 * np.sin(psi), psi])
    close(r["absolute_position.r"], place, CHAOS)
    close(r["relative_position.r_rel"], np.column_stack([0.4 * np.cos(psi), 0.4 * np.sin(psi), psi - phi]), CHAOS)
    turn = psi - phi
    close(r["absolute_velocity.v"], np.column_stack([w1 * np.sin(turn), w1 * np.cos(turn) + 0.4 * w2, w2]), CHAOS)
    a_x = -np.sin(phi) * z1 - np.cos(phi) * w1**2 - 0.4 * (np.sin(psi) * z2 + np.cos(psi) * w2**2)
    a_y = np.cos(phi) * z1 - np.sin(phi) * w1**2 + 0.4 * (np.cos(psi) * z2 - np.sin(psi) * w2**2)
    close(r["absolute_acceleration.a"], np.column_stack([a_x, a_y, z2]), CHAOS)
    w = w2 - w1
    close(r["relative_velocity.v_rel"], np.column_stack([0.0 * w, 0.4 * w, w]), CHAOS)
    close(r["relative_acceleration.a_rel"], np.column_stack([-0.4 * w**2, 0.4 * (z2 - z1), z2 - z1]), CHAOS)


def crab(mass: float, load: float, inertia: float, r: tuple[float, float], g: float = 9.81) -> Mechanism:
    """Return a trolley on the x axis with a pendulum, in the coordinates s and phi."""
    x, y = S + COS(PHI) * r[0] - SIN(PHI) * r[1], SIN(PHI) * r[0] + COS(PHI) * r[1]
    return Mechanism([S, PHI], [(mass, 0.0, S, 0, 0), (load, inertia, x, y, PHI)], g)


def coordinates(r: Any) -> np.ndarray:
    return np.column_stack([r[name] for name in ("prismatic.s", "revolute.phi", "prismatic.v", "revolute.w")])


def test_crane_crab() -> None:
    r = ran("CRANE_CRAB", 10.0)
    machine = crab(1.0, 0.5, 0.1, (0.0, -1.0))
    x = machine.motion([0.0, np.radians(150.0)], [0.0, 0.0], r.time, lambda t, q, v: [-10.0 * v[0], 0.0])
    close(coordinates(r), x)
    close(r["damper1_d.f"], 10.0 * x[:, 2])


def test_crane_crab_in_a_plane_that_moves_in_space() -> None:
    r = ran("CRANE_CRAB_TO_3D", 10.0)
    machine = crab(1.0, 0.5, 0.1, (0.0, -1.0), g=9.80665)
    x = machine.motion([0.0, np.radians(150.0)], [0.0, 0.0], r.time, lambda t, q, v: [-10.0 * v[0], 0.0])
    close(coordinates(r), x)
    along = 0.2 * r.time - 0.2
    close(r["planar_world.r_0"], np.column_stack([along, 0.0 * along, -along]) * [np.sqrt(0.5), 0.0, np.sqrt(0.5)])


def test_crane_crab_with_a_damper_and_sensors() -> None:
    r = ran("POWER_DISTANCE_DEMO", 6.0)
    machine = crab(1.0, 0.5, 0.1, (0.0, -1.0))
    x = machine.motion([1.0, np.radians(150.0)], [0.0, 0.0], r.time, lambda t, q, v: [-v[0], 0.0])
    close(coordinates(r), x)
    s, phi, v, w = x.T
    close(r["distance.distance"], np.hypot(s + np.sin(phi), np.cos(phi)))
    speed = np.column_stack([v + np.cos(phi) * w, np.sin(phi) * w])
    z = np.array([machine.accelerations(row[:2], row[2:], [-row[2], 0.0]) for row in x])
    a = np.column_stack([z[:, 0] + np.cos(phi) * z[:, 1] - np.sin(phi) * w**2, np.sin(phi) * z[:, 1] + np.cos(phi) * w**2])
    close(r["power.power"], 0.5 * (a * speed).sum(axis=1) + 0.5 * 9.81 * speed[:, 1] + 0.1 * z[:, 1] * w, CHAOS)


def test_controlled_crane_crab() -> None:
    """PID controller with the filtered derivative (x is its state): k (u + integral/Ti + Td (u - x)/T), T = Td/10."""
    r = ran("CONTROLLED_CRANE_CRAB", 3.0)
    machine, k = crab(250.0, 70.0, 0.0, (0.0, 2.5)), -320.0 * 9.81 * 5.0

    def rate(t: float, x: np.ndarray) -> list[float]:
        force = k * (x[1] + x[4] + 10.0 * (x[1] - x[5]))
        return [*x[2:4], *machine.accelerations(x[:2], x[2:4], [force, 0.0]), x[1] / 1e9, (x[1] - x[5]) / 0.02]

    x = integrated(rate, [0.0, np.radians(-20.0), 0.0, 0.0, 0.0, 0.0], r.time)
    close(coordinates(r), x[:, :4])
    assert abs(r["revolute.phi"][-1]) < 1e-3  # it stands


def test_inverted_crane_crab() -> None:
    """The angle is given: a ramp from -0.5 to 0 within 0.5 s behind a first order lag of 0.1 s; the trolley follows."""
    r = ran("INVERTED_CRANE_CRAB", 3.0)

    def angle(t: float) -> tuple[float, float, float]:
        value, rate, second = 0.0, 0.0, 0.0
        for sign, begin in ((1.0, 0.0), (-1.0, 0.5)):
            if t > begin or begin == 0.0:
                decay = np.exp(-(t - begin) / 0.1)
                value += sign * (t - begin - 0.1 * (1.0 - decay))
                rate += sign * (1.0 - decay)
                second += sign * 10.0 * decay
        return value - 0.5, rate, second

    def rate(t: float, x: np.ndarray) -> list[float]:
        phi, _, z = angle(t)
        return [x[1], (0.6 * z - 0.5 * 9.81 * np.sin(phi)) / (0.5 * np.cos(phi))]

    x = integrated(rate, [0.0, 0.0], r.time, [0.5])
    close(r["revolute.phi"], np.array([angle(t)[0] for t in r.time]))
    close(np.column_stack([r["prismatic.s"], r["prismatic.v"]]), x)


def test_spring_damper() -> None:
    r = ran("SPRING_DAMPER_DEMO", 5.0)
    A = [[0.0, 1.0], [-10.0, -2.0]]
    horizontal, vertical = linear(A, [0.0, -10.0], [1.0, 0.0], r.time), linear(A, [0.0, -9.81], [1.0, 0.0], r.time)
    close(r["body.r"], np.column_stack([horizontal[:, 0], vertical[:, 0]]))
    close(r["body.v"], np.column_stack([horizontal[:, 1], vertical[:, 1]]))


def test_spring_on_a_vertical_rail() -> None:
    """The load passes the fixed point, where the damper has no direction."""
    r = ran("SPRING_DEMO", 5.0)
    x = linear([[0.0, 1.0], [-20.0, -2.0]], [0.0, -10.0 - 9.81], [0.2, 0.0], r.time)
    close(np.column_stack([r["prismatic.s"], r["prismatic.v"]]), x)
    assert r["prismatic.s"].min() < 0.0 < r["prismatic.s"].max()


def test_counter_spin() -> None:
    """The wheel slides forward, turns backward, and rolls back at last; momentum about the contact stays the same."""
    r = ran("COUNTER_SPIN", 3.0)
    mu = friction(0.01, 0.03, 0.5, 0.15)

    def rate(t: float, x: np.ndarray) -> list[float]:
        force = -0.01 * 9.81 * mu(x[2] + 0.1 * x[3])
        return [x[2], x[3], force / 0.01, 0.1 * force / 0.0005]

    rolls = (15.0 * 0.1 + 2.0) / (0.15 * 9.81 * (1.0 + 0.01 * 0.01 / 0.0005)) - 0.03
    x = integrated(rate, [0.0, 0.0, 2.0, 15.0], r.time, [rolls, rolls + 0.1])
    names = ("x", "phi", "vx", "w")
    close(np.column_stack([r[f"slip_based_rolling.{name}"] for name in names]), x)
    momentum = 0.01 * r["slip_based_rolling.vx"] * 0.1 - 0.0005 * r["slip_based_rolling.w"]
    close(momentum, 0.01 * 2.0 * 0.1 - 0.0005 * 15.0, 1e-12)
    assert r["slip_based_rolling.vx"][-1] == pytest.approx(-0.55 / 0.6, abs=1e-9)


def test_pendulum_on_a_wheel_that_rolls() -> None:
    r = ran("WHEEL_BASED_CRANE_CRAB", 4.5)
    axle = (-0.3 * PHI, 0)
    load = (axle[0] + COS(PSI), SIN(PSI))
    machine = Mechanism([PHI, PSI], [(1.0, 0.1, *axle, PHI), (2.0, 0.2, *load, PSI)])
    x = machine.motion([0.0, np.radians(80.0)], [0.0, 0.0], r.time)
    close(r["ideal_rolling.phi"], x[:, 0], CHAOS)
    close(r["ideal_rolling.x"], -0.3 * x[:, 0], CHAOS)
    close(r["revolute.phi"], x[:, 1] - x[:, 0], CHAOS)


def test_kinematic_loop() -> None:
    """Two equal bars make an isosceles triangle on the rail: s = sin(phi); the load hangs from their joint."""
    r = ran("KINEMATIC_LOOP", 6.0)
    top = (SIN(PHI) / 2, -COS(PHI) / 2)
    machine = Mechanism([PHI, PSI], [(1.0, 0.1, top[0] + 0.6 * SIN(PSI), top[1] - 0.6 * COS(PSI), PSI)])

    def load(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        slope = np.cos(q[0])
        return [-(20.0 * (np.sin(q[0]) - 0.4) + 4.0 * slope * v[0]) * slope, 0.0]

    first = np.arcsin(0.4)
    x = machine.motion([first, first - np.radians(40.0)], [0.0, 0.0], r.time, load)
    close(r["revolute1.phi"], x[:, 0])
    close(r["prismatic1.s"], np.sin(x[:, 0]))
    close(r["revolute4.phi"], x[:, 1] - x[:, 0])
    close(r["revolute3.phi"], -x[:, 0])


def test_piston_engine() -> None:
    """Slider and crank; the speed follows from the kinetic energy alone."""
    r = ran("PISTON_ENGINE", 10.0)

    def slope(phi: float) -> float:
        return -0.3 * np.sin(phi) - 0.09 * np.sin(phi) * np.cos(phi) / np.sqrt(0.64 - 0.09 * np.sin(phi) ** 2)

    x = integrated(lambda t, x: [-2.5 * np.sqrt(0.1 / (0.1 + 3.0 * slope(x[0]) ** 2))], [0.0], r.time)
    phi = x[:, 0]
    close(r["revolute_drive.phi"], phi)
    place = 0.3 * np.cos(phi) + np.sqrt(0.64 - 0.09 * np.sin(phi) ** 2)
    close(r["body_piston.r"], np.column_stack([place, 0.0 * place]))
    close(r["prismatic.s"], -place)
