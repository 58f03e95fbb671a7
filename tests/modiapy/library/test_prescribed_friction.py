"""Friction whose surfaces move as something else prescribes: while they are stuck, nothing determines the friction."""

import numpy as np
import pytest

from modiapy import Map, Model, Var, instantiate
from modiapy.library import blocks, rotational

BEARING = rotational.BearingFriction | Map(tau_pos=[[0.0, 2.0], [1.0, 3.0]], peak=1.5)


def prescribed(source, output):
    return Model(
        path=source,
        drive=rotational.Position,
        bearing=BEARING,
        connect=[(f"path.{output}", "drive.phi_ref"), ("drive.flange", "bearing.flange_a")],
    )


def test_a_path_with_rests():
    """At rest the torque is the smallest, none; when the path begins it breaks loose at once, whatever peak is."""
    path = blocks.KinematicPTP2 | Map(deltaq=1.0, qd_max=1.0, qdd_max=2.0, start_time=0.5)
    result = instantiate(prescribed(path, "q")).simulate(3.0, interval=0.01)
    w = np.interp(result.time, [0.0, 0.5, 1.0, 1.5, 2.0, 3.0], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    assert result["bearing.w"] == pytest.approx(w, abs=1e-11)
    moves = (result.time > 0.501) & (result.time < 1.999)
    assert result["drive.flange.tau"][moves] == pytest.approx(-(2.0 + w[moves]), abs=1e-9)
    rests = (result.time < 0.499) | (result.time > 2.001)
    assert np.all(result["bearing.tau"][rests] == 0.0)
    assert np.all(result["bearing.mode"][rests] == 0)


def test_a_swing_that_turns_round_without_rest():
    result = instantiate(prescribed(blocks.Sine | Map(f=1.0), "y")).simulate(2.0, interval=0.01)
    w = 2.0 * np.pi * np.cos(2.0 * np.pi * result.time)
    slides = np.abs(w) > 0.01
    assert result["bearing.tau"][slides] == pytest.approx((np.sign(w) * 2.0 + w)[slides], abs=1e-9)
    assert result.statistics["events_by_kind"]["state"] >= 4


def test_a_stuck_shaft_begins_in_the_equilibrium_that_loads_the_friction_least():
    """The motor of a cascade carries the load alone; friction and motor together had infinitely many ways to do it."""
    model = Model(
        integral=Var(description="integral part of a controller"),
        motor=rotational.Torque,
        rotor=rotational.Inertia | Map(J=0.1, phi=Var(init=0.0), w=Var(init=0.0)),
        bearing=BEARING,
        load=rotational.ConstantTorque | Map(tau_constant=-1.0),
        initial_equations=["der(rotor.w) = 0"],
        equations=["der(integral) = -rotor.w", "motor.tau = integral"],
        connect=[
            ("motor.flange", "rotor.flange_a"),
            ("rotor.flange_b", "bearing.flange_a"),
            ("bearing.flange_b", "load.flange"),
        ],
    )
    result = instantiate(model).simulate(1.0)
    assert result["integral"] == pytest.approx(np.ones_like(result.time))
    assert np.all(result["bearing.tau"] == 0.0)
    assert np.all(result["rotor.w"] == 0.0)
