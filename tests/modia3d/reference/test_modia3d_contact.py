"""Collisions of Modia3D.jl, beside the final states that its tests require (test/Collision; figures typed in)."""

import math

import pytest

from modia3d import (
    Box,
    MassPropertiesFromShapeAndMass,
    Model3D,
    Object3D,
    Prismatic,
    Revolute,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import Model, instantiate


def world(down):
    """With the damping that Modia3D has."""
    return Object3D(feature=Scene(gravity=UniformGravity(9.81, down), contact_damping="flores"))


def test_bouncing_sphere():
    model = Model3D(
        world=world((0.0, -1.0, 0.0)),
        ground=Object3D(
            parent="world", translation=(0.0, -0.15, 0.0), feature=Solid(Box(4.0, 0.1, 0.7), "Modia3D.Steel", collision=True)
        ),
        sphere=Object3D(
            feature=Solid(Sphere(0.2), "Modia3D.Steel", mass_properties=MassPropertiesFromShapeAndMass(0.001), collision=True)
        ),
        prism=Prismatic("world", "sphere", "y", s=1.0),
    )
    result = instantiate(model).simulate(2.2, tolerance=1e-8)
    final = result["prism.v"][-1], result["prism.s"][-1]
    assert final == pytest.approx((-0.4417983315849275, 0.0003869217525311367), abs=1e-5)


def test_newtons_cradle():
    diameter = 0.02
    pitch = diameter + diameter / 100.0
    pendulum = Model(
        wire=Object3D(),
        hinge=Object3D(parent="wire", translation=(0.0, 0.0, 0.075)),
        end=Object3D(parent="wire", translation=(0.0, 0.0, -0.075)),
        sphere=Object3D(
            parent="end",
            feature=Solid(Sphere(diameter), "Modia3D.Steel", collision=True, contact_material="Modia3D.BilliardBall"),
        ),
    )
    parts = {"world": world((0.0, 0.0, -1.0))}
    for i in range(1, 6):
        parts[f"frame{i}"] = Object3D(parent="world", translation=(0.0, (i - 3) * pitch, 0.0))
        parts[f"pendulum{i}"] = pendulum
        phi = -math.pi / 3.0 if i == 1 else 0.0
        parts[f"rev{i}"] = Revolute(f"frame{i}", f"pendulum{i}.hinge", "x", phi=phi, can_collide=True)
    result = instantiate(Model3D(**parts)).simulate(5.0, tolerance=1e-8)
    expected = {
        "rev1": (-1.180791527568564, -1.033934458288708),
        "rev2": (0.04982982739055273, 0.018466029517559813),
        "rev3": (0.049844032881367094, 0.018471344490359712),
        "rev4": (0.04986127142907837, 0.018476465719447804),
        "rev5": (0.04987561416137295, 0.018481494292598495),
    }
    for name, (speed, angle) in expected.items():
        assert result[f"{name}.phi"][-1] == pytest.approx(angle, abs=1e-4), name
        assert result[f"{name}.w"][-1] == pytest.approx(speed, abs=1e-4), name
