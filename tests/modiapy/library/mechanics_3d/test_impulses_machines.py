"""Examples of Mechanics3DwithImpulses with friction, a closed loop, and added energy: energy, momentum, closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d.files import read_scenario
from modiapy import Result

from .test_impulses_examples import SCENARIOS, simulated

G = 9.81


def test_bouncing_ball() -> None:
    """It slides during two impacts and holds in the third one; its last speed follows from the momentum about the floor."""
    result = simulated("bouncing_ball")
    m, r, inertia, mu, vx, w = 1.0, 0.25, 0.04, 0.1, 0.0, -4 * 2 * np.pi
    normal = 2 * m * np.sqrt(2 * G * 1.0)
    count = result["CollisionSpherePlane1.collisions"]
    for k in range(1, int(count[-1]) + 1):
        slip = vx + r * w
        push = np.clip(-slip / (1 / m + r * r / inertia), -mu * normal, mu * normal)
        vx, w = vx + push / m, w + r * push / inertia
        now = np.flatnonzero(count == k)[0]
        assert result["FreeBodyMovement1.v"][now] == pytest.approx([vx, normal / 2, 0], abs=1e-7)
        assert result["FreeBodyMovement1.w"][now] == pytest.approx([0, 0, w], abs=1e-7)
        assert -result["CollisionSpherePlane1.F_last"][now] == pytest.approx([push, normal, 0], abs=1e-7)
    assert count[-1] == 11
    assert vx == pytest.approx(inertia / (inertia + m * r * r) * 4 * 2 * np.pi * r)


def test_cue_striking_ball() -> None:
    """A cue of 9 kg in two lumps strikes a ball: law of impact with friction in the plane, written by hand."""
    result = simulated("cue_striking_ball")
    after = -1
    centre = result["Body1.frame_a.P.x"][0]
    touch = np.flatnonzero(result["CollisionSphereSphere1.collisions"] == 1)[0]
    tip = result["SimpleBody1.frame_a.P.x"][touch]
    normal = (centre - tip) / np.linalg.norm(centre - tip)
    assert np.linalg.norm(centre - tip) == pytest.approx(0.18, abs=1e-9)
    mass, cue = 9.0, np.array([-1.0, 0.0])  # two thirds of the mass are 1.5 m behind the tip
    inertia = 0.02 + 0.2 + 3 * 1.0**2 + 6 * 0.5**2
    tangent = np.array([-normal[1], normal[0]])
    arms = np.array([0.03 * normal[:2] - cue, -0.15 * normal[:2]])

    def row(direction: np.ndarray) -> np.ndarray:
        """Speed of the ball relative to the cue in the point of contact along a direction, per vx, vy, w of both."""
        turn = [a[0] * direction[1] - a[1] * direction[0] for a in arms]
        return np.array([*-direction, -turn[0], *direction, turn[1]])

    g_n, g_t = row(normal[:2]), row(tangent)
    inverse = 1 / np.array([mass, mass, inertia, 4.0, 4.0, 0.02])
    before = np.array([4.0, 0, 0, 0, 0, 0])
    slip = g_t @ before
    friction = g_n - 0.2 * np.sign(slip) * g_t  # the law of Coulomb while it slides
    push = -1.8 * (g_n @ before) / (g_n @ (inverse * friction))
    v = before + inverse * friction * push
    if slip * (g_t @ v) < 0:  # it would turn round: it holds
        both = np.array([g_n, g_t])
        wanted = [-1.8 * (g_n @ before), -slip]
        v = before + inverse * (np.linalg.solve(both @ (inverse * both).T, wanted) @ both)
    ball_v, ball_w = result["Body1.frame_a.P.v"][after], result["Body1.frame_a.P.w"][after]
    assert ball_v == pytest.approx([v[3], v[4], 0], abs=1e-7)
    assert ball_w == pytest.approx([0, 0, v[5]], abs=1e-6)
    assert result["SimpleBody1.frame_a.P.w"][after] == pytest.approx([0, 0, v[2]], abs=1e-7)
    momentum = sum(m * result[f"{b}.frame_a.P.v"] for m, b in ((3, "SimpleBody1"), (6, "SimpleBody3"), (4, "Body1")))
    assert momentum == pytest.approx(np.tile([36.0, 0, 0], (len(momentum), 1)), abs=1e-6)


def changed(folder: Path, text: str) -> Any:
    file = folder / "changed.yaml"
    file.write_text(text)
    return read_scenario(file)


def kinetic_energy(result: Result, body: str, m: float, inertia: float) -> np.ndarray:
    v, w = result[f"{body}.frame_a.P.v"], result[f"{body}.frame_a.P.w"]
    return 0.5 * m * (v**2).sum(axis=1) + 0.5 * inertia * (w**2).sum(axis=1)


def test_four_bar_loop() -> None:
    """One degree of freedom: its energy stays, and an elastic impact turns its speed round, whatever the loop is."""
    result = simulated("four_bar_loop")
    bodies = [f"Body{k}" for k in (1, 2, 3)]
    energy = sum(kinetic_energy(result, b, 0.5, 0.05) + 0.5 * G * result[f"{b}.frame_a.P.x"][:, 1] for b in bodies)
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-6)
    w, count = result["Revolute1.w"], result["CollisionSpherePlane1.collisions"]
    hits = np.flatnonzero(np.diff(count))
    assert len(hits) == count[-1] > 10
    assert w[hits + 1] == pytest.approx(-w[hits], abs=1e-8)
    assert np.abs(w[hits]).min() > 1.0
    bar = result["FixedTranslation3.frame_b.P.x"] - result["FixedTranslation3.frame_a.P.x"]
    assert np.linalg.norm(bar, axis=1) == pytest.approx(np.full(len(bar), np.linalg.norm([1, -0.3, -0.1])), abs=1e-7)
    assert result["FixedTranslation3.frame_b.P.v"] == pytest.approx(result["Revolute6.frame_b.P.v"], abs=1e-7)
    assert result["FixedTranslation3.frame_b.P.w"] == pytest.approx(result["Revolute6.frame_b.P.w"], abs=1e-6)


def test_piston_engine() -> None:
    """Each ignition adds 2 J to crank and piston; between them, energy stays in the spring and the motion."""
    result = simulated("piston_engine")
    s, phi, w = result["prismatic.s"], result["Revolute1.phi"], result["Revolute1.w"]
    assert s == pytest.approx(0.4 + 0.1 * np.sin(phi) - np.sqrt(0.0625 - 0.01 * np.cos(phi) ** 2), abs=1e-7)
    v = w * (0.1 * np.cos(phi) - 0.01 * np.cos(phi) * np.sin(phi) / np.sqrt(0.0625 - 0.01 * np.cos(phi) ** 2))
    energy = 0.5 * 0.3 * w**2 + 0.5 * v**2 + 20 * (s - 0.18) ** 2
    ignitions = np.cumsum(np.concatenate([[0], (np.diff(result["ignition"]) > 0)]))
    assert ignitions[-1] > 10
    assert energy - energy[0] == pytest.approx(2.0 * ignitions, abs=1e-5)


def test_a_loop_that_an_element_closes_moves_as_one_that_closes_by_itself(tmp_path: Path) -> None:
    text = (SCENARIOS / "four_bar_loop.yaml").read_text()
    direct = "- [Revolute6.frame_b, FixedTranslation3.frame_b]"
    assert direct in text
    by_element = "- [CloseLoop1.frame_a, FixedTranslation3.frame_b]\n    - [CloseLoop1.frame_b, Revolute6.frame_b]"
    text = text.replace(direct, by_element).replace("  connect:\n", "  CloseLoop1: {mechanics_3d.CloseLoop: {}}\n  connect:\n")
    result = changed(tmp_path, text).instantiate().simulate(2.0, tolerance=1e-10, interval=0.02)
    other = simulated("four_bar_loop")
    count = result["CollisionSpherePlane1.collisions"]
    assert count[-1] >= 2
    assert result["Revolute1.phi"] == pytest.approx(other["Revolute1.phi"][: len(count)], abs=1e-7)
    assert result["CollisionSpherePlane1.F_last"][-1] == pytest.approx(
        other["CollisionSpherePlane1.F_last"][len(count) - 1], abs=1e-6
    )


def test_a_spherical_joint_by_its_quaternion_moves_as_by_cardan_angles(tmp_path: Path) -> None:
    text = (SCENARIOS / "bouncing_spherical.yaml").read_text().replace(", use_quaternions: false", "")
    assert "quaternions" not in text
    result = changed(tmp_path, text).instantiate().simulate(3.0, tolerance=1e-10, interval=0.02)
    other = simulated("bouncing_spherical")
    x, count = result["SimpleBody1.frame_a.P.x"], result["CollisionSphereSphere1.collisions"]
    assert count[-1] >= 2
    assert x == pytest.approx(other["SimpleBody1.frame_a.P.x"][: len(x)], abs=1e-6)
