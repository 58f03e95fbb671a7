"""What is rigid is the limit of what is elastic as contacts become stiff; a mesh at rest is held as a box of its size is."""

import math

import numpy as np
import pytest

from modia3d import (
    Box,
    ContactPair,
    MassProperties,
    Mesh,
    Model3D,
    Object3D,
    Plane,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import instantiate

G = 9.81
CUBE = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""
"""The unit cube as an OBJ file."""


def on_floor(shape, at, response, stiffness=1.0, angle=0.0, restitution=0.6, offset=(0.0, 0.0, 0.0), **fields):
    """A body of 2 kg on a plane of which z is the normal; it is inclined by an angle."""
    pair = {"Steel, Steel": ContactPair(restitution, 0.3)}
    scene = Scene(
        gravity=UniformGravity(G, "-z"),
        contact_response=response,
        contact_pairs=pair,
        elastic_contact_reduction_factor=stiffness,
    )
    solid = Solid(
        shape,
        contact_material="Steel",
        collision=True,
        mass_properties=MassProperties(2.0, offset, Ixx=0.02, Iyy=0.02, Izz=0.02),
    )
    model = Model3D(
        world=Object3D(feature=scene),
        floor=Object3D(
            parent="world",
            rotation=(0.0, angle, 0.0),
            feature=Solid(Plane("z"), contact_material="Steel", collision=True),
        ),
        body=Object3D(parent="floor", fixed_to_parent=False, translation=at, feature=solid, **fields),
    )
    return instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.1)


def test_bounces_become_rigid_as_stiffness_grows():
    """A ball with spin, after three bounces: an impact lasts as long as k to the power -2/5, and so far its place is off."""
    throw = {"velocity": (1.0, 0.0, 0.0), "angular_velocity": (0.0, -20.0, 0.0)}

    def end(response, stiffness):
        result = on_floor(Sphere(0.2), (0.0, 0.0, 0.35), response, stiffness, **throw)
        return np.concatenate([result["body.r_abs"][-1], result["body.v_abs"][-1]])

    rigid = end("rigid", 1.0)
    off = [np.abs(end("elastic", stiffness) - rigid).max() for stiffness in (1e-4, 1e-2, 1.0)]
    assert off[0] > 4.0 * off[1] > 16.0 * off[2]
    assert off[2] < 5e-3


@pytest.mark.parametrize("angle", [0.2, 0.5])
def test_a_mesh_sticks_on_a_slope_and_slides_down_a_steep_one(tmp_path, angle):
    """As the box of its size does, which a closed form describes; its origin is at a corner."""
    file = tmp_path / "cube.obj"
    file.write_text(CUBE)
    middle = (0.2, 0.15, 0.1)
    mesh = on_floor(Mesh(str(file), scale=(0.4, 0.3, 0.2)), (-0.2, -0.15, 0.0), "rigid", angle=angle, offset=middle)
    box = on_floor(Box(0.4, 0.3, 0.2), (0.0, 0.0, 0.1), "rigid", angle=angle)
    down = np.array([math.cos(angle), 0.0, -math.sin(angle)])
    a = max(0.0, G * (math.sin(angle) - 0.3 * math.cos(angle)))
    for result in (mesh, box):
        assert result["body.v_abs"][-1] == pytest.approx(a * down, abs=1e-7)
        assert result["body.r_abs"][-1] - result["body.r_abs"][0] == pytest.approx(0.5 * a * down, abs=1e-7)
        assert len(result.segments) < 6
    assert mesh["body.contact_force"][-1] == pytest.approx(box["body.contact_force"][-1], abs=1e-7)


@pytest.mark.parametrize(("sides", "rests"), [(24, True), (25, False)])
def test_a_mesh_rests_by_rows_that_has_no_more_than_48_corners(sides, rests, tmp_path):
    """Others are held by elastic forces."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    lines = [f"v {math.cos(a)} {math.sin(a)} {z}" for z in (0.0, 1.0) for a in angles]
    around = [(k + 1, (k + 1) % sides + 1) for k in range(sides)]
    lines += [f"f {a} {b} {b + sides} {a + sides}" for a, b in around]
    lines += [
        "f " + " ".join(str(k + 1) for k in reversed(range(sides))),
        "f " + " ".join(str(sides + k + 1) for k in range(sides)),
    ]
    (tmp_path / "drum.obj").write_text("\n".join(lines))
    result = on_floor(Mesh(str(tmp_path / "drum.obj"), scale=(0.2, 0.2, 0.1)), (0.0, 0.0, 0.0), "rigid", restitution=0.0)
    assert any("rest on each other" in record.cause for record in result.segments) == rests
    assert result["body.contact_force"][-1, 2] == pytest.approx(2.0 * G, rel=1e-3)
