"""Machines of Mechanics3DwithImpulses against the same machines of the engine, `modia3d`, with rigid contacts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from modia3d import (
    ContactPair,
    MassProperties,
    Model3D,
    NoGravity,
    Object3D,
    Plane,
    Prismatic,
    Revolute,
    Scene,
    Solid,
    Sphere,
    Spherical,
    UniformGravity,
    Universal,
)
from modia3d.files import read_scenario
from modiapy import Map, Result, instantiate

from .test_impulses_examples import SCENARIOS, simulated

ORIGIN = (0.0, 0.0, 0.0)


def world(elasticity: float = 1.0, friction: float = 0.0, gravity: bool = True) -> Object3D:
    pairs = {"Steel, Steel": ContactPair(elasticity, friction)}
    field = UniformGravity(9.81, "-y") if gravity else NoGravity()
    return Object3D(feature=Scene(gravity=field, contact_response="rigid", contact_pairs=pairs))


def ground(height: float = 0.0) -> Object3D:
    solid = Solid(Plane("y"), contact_material="Steel", collision=True)
    return Object3D(parent="world", translation=(0.0, height, 0.0), feature=solid)


def ball(radius: float, mass: float, inertia: float, **fields: Any) -> Object3D:
    properties = MassProperties(mass, ORIGIN, inertia, inertia, inertia)
    solid = Solid(Sphere(2 * radius), mass_properties=properties, contact_material="Steel", collision=True)
    return Object3D(feature=solid, **fields)


def mass(mass: float, inertia: float, **fields: Any) -> Object3D:
    return Object3D(feature=Solid(mass_properties=MassProperties(mass, ORIGIN, inertia, inertia, inertia)), **fields)


def run(stop_time: float, **entries: Any) -> Result:
    return instantiate(Model3D(**entries)).simulate(stop_time, tolerance=1e-10, interval=0.02)


def assert_same(engine: Result, result: Result, pairs: dict[str, str], stop_time: float, tolerance: float = 1e-7) -> None:
    """Compare signals at the output times that both have and that are no events."""
    times = np.arange(1, round(stop_time / 0.02)) * 0.02
    for theirs, ours in pairs.items():
        values = [
            np.array([r[name][np.argmin(np.abs(r.time - t))] for t in times]) for r, name in ((engine, theirs), (result, ours))
        ]
        assert values[1] == pytest.approx(values[0], abs=tolerance), ours


def test_bouncing_pendulum() -> None:
    engine = run(
        2.0,
        world=world(),
        ground=ground(),
        pivot=Object3D(parent="world", translation=(0.0, 0.5, 0.0)),
        rod=Object3D(),
        bob=ball(0.05, 1.0, 0.001, parent="rod", translation=(-0.6, 0.0, 0.0)),
        joint=Revolute("pivot", "rod", "z", can_collide=True),
    )
    result = simulated("bouncing_pendulum")
    assert result["CollisionSphereSphere1.collisions"][result.time < 2.0][-1] >= 2
    assert_same(engine, result, {"joint.phi": "Revolute1.phi"}, 2.0)


def test_bouncing_spherical() -> None:
    engine = run(
        3.0,
        world=world(),
        ground=ground(-1.0),
        rod=Object3D(),
        bob=ball(0.2, 1.0, 0.001, parent="rod", translation=(-1.3, 0.0, 0.0)),
        joint=Spherical("world", "rod", angular_velocity=(0.0, np.radians(80), 0.0), can_collide=True),
    )
    result = simulated("bouncing_spherical")
    assert result["CollisionSphereSphere1.collisions"][result.time < 3.0][-1] >= 2
    assert_same(engine, result, {"bob.r_abs": "SimpleBody1.frame_a.P.x"}, 3.0, 1e-6)


def test_newtons_cradle() -> None:
    parts: dict[str, Any] = {}
    for k, phi in enumerate((-40, -40, 0, 0, 80)):
        parts |= {
            f"pivot{k}": Object3D(parent="world", translation=(0.5 * k, 0.0, 0.0)),
            f"rod{k}": Object3D(),
            f"bob{k}": ball(0.2499, 1.0, 0.01, parent=f"rod{k}", translation=(0.0, -2.0, 0.0)),
            f"joint{k}": Revolute(f"pivot{k}", f"rod{k}", "z", phi=np.radians(phi)),
        }
    engine = run(2.0, world=world(), **parts)
    result = simulated("newtons_cradle")
    assert_same(engine, result, {f"joint{k}.phi": f"Revolute{k + 1}.phi" for k in range(5)}, 2.0, 1e-6)


def test_bouncing_ball() -> None:
    engine = run(
        4.0,
        world=world(friction=0.1),
        ground=ground(),
        ball=ball(
            0.25,
            1.0,
            0.04,
            parent="world",
            fixed_to_parent=False,
            translation=(-2.0, 1.25, 0.0),
            angular_velocity=(0.0, 0.0, -8 * np.pi),
        ),
    )
    result = simulated("bouncing_ball")
    assert result["CollisionSpherePlane1.collisions"][result.time < 4.0][-1] == 4
    assert_same(engine, result, {"ball.r_abs": "SimpleBody2.frame_a.P.x", "ball.v_abs": "SimpleBody2.frame_a.P.v"}, 4.0, 1e-6)


def test_cue_striking_ball() -> None:
    """Newton's law of restitution (here) and Stronge's (there) agree while the surfaces slide: little friction."""
    engine = run(
        1.0,
        world=world(0.8, 0.02, gravity=False),
        cue=ball(
            0.03, 3.0, 0.02, parent="world", fixed_to_parent=False, translation=(-2.0, 0.05, 0.0), velocity=(4.0, 0.0, 0.0)
        ),
        tail=Object3D(
            parent="cue",
            translation=(-1.5, 0.0, 0.0),
            feature=Solid(mass_properties=MassProperties(6.0, ORIGIN, 0.02, 0.2, 0.2)),
        ),
        ball=ball(0.15, 4.0, 0.02, parent="world", fixed_to_parent=False),
    )
    scenario = read_scenario(SCENARIOS / "cue_striking_ball.yaml").instantiate()
    merge = Map(CollisionSphereSphere1=Map(mu_R=0.02))
    result = scenario.simulate(1.0, merge=merge, tolerance=1e-10, interval=0.02)
    pairs = {"ball.r_abs": "Body1.frame_a.P.x", "ball.v_abs": "Body1.frame_a.P.v", "cue.v_abs": "SimpleBody1.frame_a.P.v"}
    assert_same(engine, result, pairs, 1.0)


def test_four_bar_loop() -> None:
    engine = run(
        2.0,
        world=world(),
        ground=ground(),
        crank=Object3D(),
        crank_mass=mass(0.5, 0.05, parent="crank", translation=(0.0, 0.25, 0.05)),
        tip=ball(0.05, 1e-12, 1e-12, parent="crank", translation=(0.0, 0.5, 0.1)),
        bar=Object3D(),
        bar_mass=mass(0.5, 0.05, parent="bar", translation=(0.5, -0.15, -0.05)),
        bar_end=Object3D(parent="bar", translation=(1.0, -0.3, -0.1)),
        rail=Object3D(parent="world", translation=(1.2, 0.0, 0.0)),
        slider=Object3D(),
        slider_mass=mass(0.5, 0.05, parent="slider", translation=(0.0, 0.1, 0.0)),
        slider_end=Object3D(parent="slider", translation=(0.0, 0.2, 0.0)),
        drive=Revolute("world", "crank", "x", w=np.radians(300), fixed=True, can_collide=True),
        knee=Spherical("tip", "bar"),
        slide=Prismatic("rail", "slider", "x", s=-0.2),
        pin=Universal("slider_end", "bar_end", "z", "y"),
    )
    result = simulated("four_bar_loop")
    assert result["CollisionSpherePlane1.collisions"][result.time < 2.0][-1] >= 2
    assert_same(engine, result, {"drive.phi": "Revolute1.phi", "slide.s": "Prismatic1.s"}, 2.0, 1e-6)
