"""Tables 7.1 to 7.3 of D. Zimmer: A Modelica library for multibond graphs and its application in 3D-mechanics (2006)."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path

import machines_in_space as machines
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d.files import read_scenario
from modiapy import Map, Model, instantiate
from modiapy.library.mechanics_3d import Fixed, FixedTranslation, Revolute, SimpleBody, World3D

FOLDER = Path(__file__).parents[2] / "scenarios" / "bond_graphs"

KINDS = {
    "good angles": ("yzx", Map()),
    "quaternion": ("quaternion", Map(Spherical1=Map(use_quaternions=True))),
    "bad angles": ("xyz", Map(Spherical1=Map(sequence_angles=[1, 2, 3]))),
}


@functools.cache
def height():
    """Return the height of the disc after 2.7 s, by two methods: the angular momentum and the axis of a heavy top."""
    mass, length, spin = 2.0, 2.0, 0.12 * 80 * math.pi
    across = 0.06 + mass * length**2

    def rates(_, y):
        axis, momentum = y[:3], y[3:]
        turn = (momentum - (momentum @ axis) * axis) / across
        return [*np.cross(turn, axis), *np.cross(length * axis, [0, -mass * 9.81, 0])]

    begin = [1, 0, 0, spin, 0, 0]
    one = solve_ivp(rates, (0, 2.7), begin, method="DOP853", rtol=1e-13, atol=1e-14).y[1, -1]
    other = solve_ivp(rates, (0, 2.7), begin, method="Radau", rtol=1e-12, atol=1e-14).y[1, -1]
    assert one == pytest.approx(other, abs=1e-12)
    return length * one


@functools.cache
def disc(kind, by):
    orientation, change = KINDS[kind]
    if by == "bonds":
        return instantiate(read_scenario(FOLDER / "gyroscopic_effect.yaml").model | change), "Body1.frame_a.P.x"
    return instantiate(machines.gyroscope(orientation)), "centre.r_abs"


@pytest.mark.long
@pytest.mark.parametrize("by", ["bonds", "engine"])
@pytest.mark.parametrize(
    ("kind", "solver", "tolerance", "error", "steps"),
    [
        # with the tolerances of the table
        ("good angles", "scipy", 1e-4, 4.9e-4, 2.9e3),
        ("good angles", "scipy", 1e-6, 9.7e-6, 6.2e3),
        ("good angles", "scipy", 1e-8, 1.2e-7, 1.4e4),
        ("good angles", "scipy", 1e-10, 1.2e-7, 2.3e4),
        # DASSL takes twice as many steps for a tolerance: smaller ones need fewer steps than it for its errors
        ("quaternion", "scipy", 1e-5, 5.0e-3, 2.6e4),
        ("quaternion", "scipy", 1e-7, 3.1e-4, 4.8e4),
        ("quaternion", "scipy", 1e-8, 1.1e-5, 8.4e4),
        ("quaternion", "scipy", 1e-10, 1.1e-6, 1.4e5),
        ("bad angles", "adams", 1e-4, 1.8, 5.4e4),
        ("bad angles", "adams", 4e-8, 2.9e-4, 9.5e4),
        ("bad angles", "adams", 1e-9, 3.5e-5, 2.0e5),
        ("bad angles", "adams", 1e-10, 3.0e-6, 4.4e5),
    ],
)
def test_gyroscope_has_at_most_the_errors_and_steps_of_table_7_1(kind, solver, tolerance, error, steps, by):
    sim, signal = disc(kind, by)
    found = sim.simulate(2.7, tolerance=tolerance, solver=solver)[signal][-1, 1]
    assert abs(found - height()) < error
    assert sim.simulate(10.0, tolerance=tolerance, solver=solver).statistics["steps"] < steps


def sizes(sim):
    """Return the sizes after tearing of the linear and of the nonlinear systems; one linear unknown is a division."""
    linear, nonlinear = [], []
    for line in str(sim.report()).splitlines():
        found = re.match(r"\s*(nonlinear|linear).* (\d+) torn", line)
        if found and found[1] == "nonlinear":
            nonlinear.append(int(found[2]))
        elif found and int(found[2]) > 1:
            linear.append(int(found[2]))
    return linear, nonlinear


def pendulum(n):
    """Return a chain of ``n`` rods of 1 m on hinges; its bodies do not move of their own."""
    parts, connect, last = {"world3D": World3D, "wall": Fixed}, [], "wall.frame_b"
    for k in range(n):
        parts |= {f"hinge{k}": Revolute, f"rod{k}": FixedTranslation, f"body{k}": SimpleBody}
        connect += [
            (last, f"hinge{k}.frame_a"),
            (f"hinge{k}.frame_b", f"rod{k}.frame_a"),
            (f"rod{k}.frame_b", f"body{k}.frame_a"),
        ]
        last = f"rod{k}.frame_b"
    return Model(**parts, connect=connect)


def example(name):
    return read_scenario(FOLDER / f"{name}.yaml").model


@pytest.mark.parametrize(
    ("model", "linear", "nonlinear"),
    [
        (lambda: pendulum(1), [], []),
        (lambda: pendulum(2), [3], []),  # the thesis has 2: the choice of torn unknowns is greedy
        (lambda: example("crane_crab3"), [4], []),
        (lambda: example("centrifugal_force"), [16, 2, 2], [2, 2]),
        (lambda: example("four_bar_loop"), [9, 5, 2], [5]),
        (lambda: example("bicycle"), [15, 3], [1]),
    ],
    ids=["pendulum", "double pendulum", "crane crab", "centrifugal experiment", "four bar loop", "bicycle"],
)
def test_systems_of_equations_are_at_most_as_large_as_in_table_7_2(model, linear, nonlinear):
    """The largest system, and the sum of all sizes, of the column Mechanics3D."""
    here = sizes(instantiate(model()))
    for found, expected in zip(here, (linear, nonlinear), strict=True):
        assert max(found, default=0) <= max(expected, default=0)
    assert sum(map(sum, here)) <= sum(linear) + sum(nonlinear)


def test_planar_loop_has_no_more_unknowns_in_its_systems_than_in_table_7_3():
    linear, nonlinear = sizes(instantiate(example("planar_loop")))
    assert sum(linear) <= 6 + 2 + 2
    assert sum(nonlinear) <= 2
