"""Defaults and signs of the Modelica library 4.0: figures from its sources, motions in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from modiapy import Map, Model, Result, Var, instantiate
from modiapy.library import blocks, electric, rotational, translational

DEFAULTS: list[tuple[Model, dict[str, Any]]] = [
    (electric.PMOS, {"W": 20e-6, "L": 6e-6, "Beta": 0.0105e-3}),
    (electric.NMOS, {"W": 20e-6, "L": 6e-6, "Beta": 0.041e-3}),
    (blocks.Power, {"base": "e"}),
    (blocks.Ramp, {"height": 1.0, "duration": 2.0}),
    (blocks.ExpSine, {"f": 2.0, "damping": 1.0}),
    (blocks.Sine, {"f": 1.0, "continuous": False}),
    (blocks.TotalHarmonicDistortion, {"f": 1.0, "use_first_harmonic": True}),
    (blocks.Harmonic, {"f": 50.0, "k": 1.0, "use_conjugate_complex": False}),
    (blocks.TriggeredTrapezoid, {"rising": 0.0, "falling": "rising"}),
    (rotational.SignTorque, {"w0": 0.1}),
    (translational.SignForce, {"v0": 0.1}),
    (translational.RollingResistance, {"cr": 0.01, "v0": 0.1}),
    (rotational.InverseSpeedDependentTorque, {"w0": 0.1, "torque_direction": True}),
    (translational.InverseSpeedDependentForce, {"v0": 0.1, "force_direction": True}),
    (electric.RampVoltage, {"duration": 2.0}),
    (electric.ExpSineVoltage, {"f": 2.0}),
]


@pytest.mark.parametrize(("model", "values"), DEFAULTS)
def test_defaults_are_those_of_the_library(model: Model, values: dict[str, Any]) -> None:
    assert {name: model[name] for name in values} == values


def simulated(stop_time: float = 1.0, **entries: Any) -> Result:
    return instantiate(Model(**entries)).simulate(stop_time, tolerance=1e-9, interval=stop_time / 200)


@pytest.mark.parametrize("k", [1, 3])
def test_angle_of_a_harmonic_has_the_sign_of_the_library(k: int) -> None:
    """The means of u*cos and u*sin are real and imaginary part: minus the phase of a cosine, or the phase where conjugated."""
    r = simulated(
        0.1,
        u=Var(f"3*cos(2*pi*50*time + 0.3) + 2*cos(2*pi*{k}*50*time + 0.7) - 2*cos(2*pi*50*time + 0.7)"),
        plain=blocks.Harmonic | Map(k=float(k)),
        conjugate=blocks.Harmonic | Map(k=float(k), use_conjugate_complex=True),
        equations=["plain.u = u", "conjugate.u = u"],
    )
    amplitude, phase = (3.0, 0.3) if k == 1 else (2.0, 0.7)
    assert r["plain.y_rms"][-1] == pytest.approx(amplitude / math.sqrt(2.0), rel=1e-6)
    assert r["plain.y_arg"][-1] == pytest.approx(-phase, abs=1e-6)
    assert r["conjugate.y_arg"][-1] == pytest.approx(phase, abs=1e-6)


@pytest.mark.parametrize("pull", [-0.5, -1e-3, 0.0])
def test_friction_without_normal_force_is_free_and_says_so(pull: float) -> None:
    """Surfaces with a normal force below zero do not begin to slide: the library asks for that only while they are stuck."""
    parts = {
        "clutch": rotational.Clutch,
        "brake": rotational.Brake,
        "way": rotational.OneWayClutch,
        "track": translational.Brake,
    }
    torques = [f"{name}.f_normalized = {pull}" for name in parts]
    shaft = rotational.Inertia | Map(phi=Var(init=0.0), w=Var(init=1.0))
    r = simulated(
        0.5,
        torque=rotational.ConstantTorque,
        shaft=shaft,
        other=shaft | Map(w=Var(init=0.0)),
        third=shaft | Map(w=Var(init=0.5)),
        mass=translational.Mass | Map(s=Var(init=0.0), v=Var(init=1.0)),
        **parts,
        equations=torques,
        connect=[
            ("torque.flange", "shaft.flange_a"),
            ("shaft.flange_b", "brake.flange_a", "clutch.flange_a", "way.flange_b"),
            ("clutch.flange_b", "other.flange_a"),
            ("third.flange_b", "way.flange_a"),
            ("mass.flange_b", "track.flange_a"),
        ],
    )
    np.testing.assert_allclose(r["shaft.w"], 1.0 + r.time, atol=1e-7)
    np.testing.assert_allclose(r["mass.v"], 1.0, atol=1e-9)
    after = r.time > 0.0
    for name in ("clutch", "brake", "track"):
        assert r[f"{name}.free"].all()
        assert not r[f"{name}.locked"].any()
        assert set(r[f"{name}.mode"][after]) == {2.0}
        assert not r[f"{name}.start_forward"][after].any()
        assert not r[f"{name}.start_backward"][after].any()
    assert not r["way.start_forward"][after].any()


@pytest.mark.parametrize(
    ("reg", "form"),
    [
        ("exp", lambda x: 2.0 / (1.0 + np.exp(-x / 0.01)) - 1.0),
        ("sine", lambda x: np.where(np.abs(x) >= 1.0, np.sign(x), np.sin(np.pi / 2 * x))),
        ("linear", lambda x: np.clip(x, -1.0, 1.0)),
        ("cosine", lambda x: np.where(np.abs(x) >= 1.0, np.sign(x), np.sign(x) * (1.0 - np.cos(np.pi / 2 * x)))),
    ],
)
def test_signs_are_regularized_as_in_the_library(reg: str, form: Any) -> None:
    r = simulated(
        2.0,
        torque=rotational.SignTorque | Map(tau_nominal=-3.0, w0=0.5, reg=reg),
        force=translational.SignForce | Map(f_nominal=2.0, v0=0.5, reg=reg),
        rolling=translational.RollingResistance | Map(f_weight=10.0, v0=0.5, inclination=0.75, reg=reg),
        turn=rotational.Position,
        move=translational.Position,
        equations=["turn.phi_ref = (time - 1)**3/3", "move.s_ref = (time - 1)**3/3 - time/4"],
        connect=[("torque.flange", "turn.flange"), ("force.flange", "rolling.flange", "move.flange")],
    )
    w = (r.time - 1.0) ** 2
    np.testing.assert_allclose(r["torque.tau"], -3.0 * form(w / 0.5), atol=1e-9)
    np.testing.assert_allclose(r["force.f"], 2.0 * form((w - 0.25) / 0.5), atol=1e-9)
    np.testing.assert_allclose(r["rolling.f"], -0.01 * 10.0 * 0.8 * form((w - 0.25) / 0.5), atol=1e-9)


def test_torque_of_constant_power_has_one_direction_or_follows_the_speed() -> None:
    one = rotational.InverseSpeedDependentTorque | Map(tau_nominal=-2.0, w_nominal=3.0, w0=0.25)
    r = simulated(
        2.0,
        one=one,
        both=one | Map(torque_direction=False),
        turn=rotational.Position,
        equations=["turn.phi_ref = (time - 1)**2/2"],
        connect=[("one.flange", "both.flange", "turn.flange")],
    )
    w = r.time - 1.0
    np.testing.assert_allclose(r["one.tau"], -6.0 / np.maximum(np.abs(w), 0.25), atol=1e-9)
    slow = np.abs(w) < 0.25
    np.testing.assert_allclose(r["both.tau"], np.where(slow, -6.0 * w / 0.0625, -6.0 / np.where(slow, 1.0, w)), atol=1e-9)


@pytest.mark.parametrize("excitation", [0.0, 0.5, 1.0])
def test_excitation_of_an_eddy_current_brake_counts_by_its_square(excitation: float) -> None:
    r = simulated(
        brake=rotational.EddyCurrentTorque | Map(tau_nominal=4.0, w_nominal=2.0, excitation=Var(input=True)),
        rail=translational.EddyCurrentForce | Map(f_nominal=4.0, v_nominal=2.0, excitation=excitation),
        turn=rotational.Position,
        move=translational.Position,
        equations=["turn.phi_ref = 2*time**2", "move.s_ref = 2*time**2", f"brake.excitation = {excitation}*cos(time)"],
        connect=[("brake.flange", "turn.flange"), ("rail.flange", "move.flange")],
    )
    x = 2.0 * r.time
    np.testing.assert_allclose(r["rail.f"], -8.0 * excitation**2 * x / (1 + x**2), atol=1e-9)
    np.testing.assert_allclose(r["brake.tau"], -8.0 * (excitation * np.cos(r.time)) ** 2 * x / (1 + x**2), atol=1e-9)


def test_filters_of_prescribed_motions_begin_with_their_reference() -> None:
    """A constant reference stays, whatever it is; a step of the speed is followed exponentially."""
    r = simulated(
        turn=rotational.FilteredPosition,
        move=translational.FilteredPosition,
        spin=rotational.FilteredSpeed | Map(f_crit=1.0),
        slide=translational.FilteredSpeed | Map(f_crit=1.0),
        shaft=rotational.Inertia,
        body=translational.Mass,
        equations=[
            "turn.phi_ref = 2.5",
            "move.s_ref = -1.5",
            "spin.w_ref = 3 if time >= 0.5 else 1",
            "slide.v_ref = 3 if time >= 0.5 else 1",
        ],
        connect=[("spin.flange", "shaft.flange_a"), ("slide.flange", "body.flange_a")],
    )
    np.testing.assert_allclose(r["turn.flange.phi"], 2.5, atol=1e-9)
    np.testing.assert_allclose(r["move.flange.s"], -1.5, atol=1e-9)
    late = np.maximum(r.time - 0.5, 0.0)
    for name in ("shaft.w", "body.v"):
        np.testing.assert_allclose(r[name], 3.0 - 2.0 * np.exp(-2 * np.pi * late), atol=1e-6)


def test_waves_may_be_continuous_at_their_beginning() -> None:
    wave = Map(amplitude=2.0, start_time=0.5, offset=1.0, continuous=True)
    r = simulated(
        sine=blocks.Sine | wave | Map(phase=0.4),
        cosine=blocks.Cosine | wave | Map(phase=0.4),
        sinc=blocks.Sinc | wave,
        plain=blocks.Sine | wave | Map(phase=0.4, continuous=False),
    )
    t = np.maximum(r.time - 0.5, 0.0)
    np.testing.assert_allclose(r["sine.y"], 1.0 + 2.0 * np.sin(2 * np.pi * t + 0.4), atol=1e-9)
    np.testing.assert_allclose(r["cosine.y"], 1.0 + 2.0 * np.cos(2 * np.pi * t + 0.4), atol=1e-9)
    np.testing.assert_allclose(r["sinc.y"], 1.0 + 2.0 * np.sinc(2 * t), atol=1e-9)
    np.testing.assert_allclose(r["plain.y"][r.time < 0.5], 1.0)
