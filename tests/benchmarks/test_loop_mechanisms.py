"""References of the benchmark of loops agree with formulas, published figures and each other; peers come near to them."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from benchmarks import loop_mechanisms as mechanisms
from benchmarks.loop_figures import POSITIONS
from benchmarks.loop_peers import Exudyn, Mujoco, Setting
from benchmarks.loop_reference import ClosedTree, grid, integrated, reference


@pytest.mark.parametrize("n", [1, 3])
def test_four_bars_are_a_pendulum(n):
    m = mechanisms.four_bars(n, 0.4)
    times = grid(m, 2)
    assert integrated(m, times, 1e-10) == pytest.approx(reference(m, times), abs=1e-8)


def test_the_squeezer_starts_as_published():
    """Accelerations of beta and Theta in the Test Set for IVP Solvers; all others are zero."""
    tree = ClosedTree(mechanisms.squeezer())
    q, v, a = tree.closed(np.zeros(7), np.zeros(7))
    assert np.abs(q).max() < 1e-12
    assert np.abs(v).max() == 0.0
    assert a[:2] == pytest.approx((14222.4439199541, -10666.8329399656), rel=1e-10)
    assert np.abs(a[2:]).max() < 1e-8


def slider_crank_angle(time):
    """The angle of the V6's crankshaft by energy: kinetic energy is J(phi) w^2/2 with each rod and piston by its formulas."""
    m = mechanisms.engine_v6()
    data = {body.name: body for body in m.bodies}
    radius, length = 0.1, 0.2

    def parts(phi):
        """Of all bodies mass, and derivatives of centres and angle with respect to phi; height of all weights."""
        shaft, c, s = data["crankshaft"], math.cos(phi), math.sin(phi)
        y, z = shaft.centre[1:]
        yield shaft.mass, shaft.inertia[0, 0], (-y * s - z * c, y * c - z * s), 1.0, y * c - z * s
        for k, (crank, cylinder) in enumerate(zip(mechanisms.CRANK_ANGLES, mechanisms.CYLINDER_ANGLES, strict=True)):
            b = math.radians(cylinder)
            theta = phi + math.radians(crank) - b
            psi = math.asin(-radius * math.sin(theta) / length)
            turn = -radius * math.cos(theta) / (length * math.cos(psi))
            rod, piston, part = data[f"rod{k}"], data[f"piston{k}"], 0.09 / length
            pin = radius * np.array((math.cos(theta), math.sin(theta)))
            pin_rate = radius * np.array((-math.sin(theta), math.cos(theta)))
            along, across = (
                length * np.array((math.cos(psi), math.sin(psi))),
                length * np.array((-math.sin(psi), math.cos(psi))),
            )
            up = np.array((math.cos(b), -math.sin(b)))
            yield rod.mass, rod.inertia[0, 0], pin_rate + part * turn * across, turn, (pin + part * along) @ up
            end = (pin + along)[0] + 0.05
            yield piston.mass, 0.0, ((pin_rate + turn * across)[0], 0.0), 0.0, end * up[0]

    def energy(phi):
        J = sum(mass * np.dot(rate, rate) + inertia * turn**2 for mass, inertia, rate, turn, _ in parts(phi))
        return J, 9.80665 * sum(mass * height for mass, _, _, _, height in parts(phi))

    J_0, V_0 = energy(0.0)
    start = 0.5 * J_0 * m.speed**2 + V_0

    def speed(_, phi):
        J, V = energy(phi[0])
        return [math.sqrt(2.0 * (start - V) / J)]

    return solve_ivp(speed, (0.0, time), [0.0], "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]


def test_the_engine_turns_as_slider_cranks_do():
    crank = POSITIONS["engine V6"][:, 0]
    for at in (0, 4, 9):
        phi = slider_crank_angle(0.1 * (at + 1))
        assert crank[at, 1:] == pytest.approx((0.1 * math.cos(phi), 0.1 * math.sin(phi)), abs=1e-10)


@pytest.mark.parametrize("case", ["Bricard", "arm"])
def test_figures_are_those_of_the_reference(case):
    m = mechanisms.CASES[case]()
    assert integrated(m, grid(m, 10)[:1], 1e-9)[0] == pytest.approx(POSITIONS[case][0], abs=1e-7)


SETTINGS = {
    "1 four-bars": (Setting("RK4", 64), Setting("trapezoidal", 256)),
    "squeezer": (Setting("RK4", 64, 0.3), Setting("alpha index 2", 256)),
    "Bricard": (Setting("RK4", 64), Setting("alpha index 3", 256)),
    "engine V6": (Setting("RK4", 16), Setting("trapezoidal", 128)),
    "arm": (Setting("RK4", 256), Setting("alpha index 2", 256)),
}


@pytest.mark.parametrize("case", SETTINGS)
@pytest.mark.parametrize("name", ["mujoco", "exudyn"])
def test_peers_simulate_the_same_mechanism(case, name):
    pytest.importorskip(name)
    m = mechanisms.four_bars(1, 1.0) if case == "1 four-bars" else mechanisms.CASES[case]()
    exact = reference(m, grid(m, 10))
    kind, setting = dict(zip(("mujoco", "exudyn"), zip((Mujoco, Exudyn), SETTINGS[case], strict=True), strict=True))[name]
    peer = kind(m, 10)
    assert peer.run(setting) > 0.0
    assert peer.found[-len(exact) :] == pytest.approx(exact, abs=1e-3 * m.size)
