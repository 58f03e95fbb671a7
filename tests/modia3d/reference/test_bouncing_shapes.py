"""Shapes that bounce on a plate on edges, corners and round ends, beside an independent integration of the same law.

That takes the depth of the lowest point, as Modia3D does; ours is a mean depth, 2/3 to 1 of it (docs/contact.md). A capsule
has the same in both. Others agree as contacts become hard, where restitution and friction at the point are left of the law.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d import Beam, Capsule, Cone, Model3D, Object3D, Plane, Scene, Solid, UniformGravity
from modia3d.scene.shapes import BeamShape, CapsuleShape, ConeShape
from modiapy import instantiate

from .bouncing import BouncingBody, hertz

pytestmark = pytest.mark.white_box

UP = np.array([0.0, 0.0, 1.0])
DENSITY, MODULUS, POISSON, RESTITUTION, FRICTION, ROLLING = 700.0, 1.1e10, 0.4, 0.6, 0.3, 0.001
"""Of Modia3D's dry wood."""
SHAPES = {
    "capsule": (Capsule(0.4, 1.0), CapsuleShape(0.4, 1.0), 0.2),
    "frustum": (Cone(0.4, 1.0, "z", 0.3), ConeShape(0.4, 1.0, "z", 0.3), 0.175),
    "beam": (Beam(1.0, 0.4, 0.2, "z"), BeamShape(1.0, 0.4, 0.2, "z"), 0.1),
}


def both(name, hardness, stop_time, lean):
    """Position, velocity and angular velocity of the centre of mass at the end: ours, and of the independent integration."""
    shape, geometry, radius = SHAPES[name]
    R = Rotation.from_euler("x", lean).as_matrix()
    velocity, spin = np.array([2.0, 0.0, 0.0]), R @ [0.0, 0.0, 2.0]
    center = np.array(geometry.centroid)
    material = "Modia3D.DryWood"
    model = Model3D(
        world=Object3D(
            feature=Scene(
                gravity=UniformGravity(9.81, "-z"), contact_damping="flores", elastic_contact_reduction_factor=hardness
            )
        ),
        plate=Object3D(parent="world", feature=Solid(Plane("z"), contact_material=material, collision=True)),
        body=Object3D(
            parent="world", fixed_to_parent=False, translation=(0.0, 0.0, 1.0), rotation=(lean, 0.0, 0.0),
            velocity=tuple(velocity), angular_velocity=tuple(spin), feature=Solid(shape, material, collision=True),
        ),
        middle=Object3D(parent="body", translation=tuple(center)),
    )  # fmt: skip
    result = instantiate(model).simulate(stop_time, tolerance=1e-9, interval=stop_time)
    assert len(result.contacts) > 1
    ours = np.concatenate([result[f"{frame}_abs"][-1] for frame in ("middle.r", "middle.v", "body.w")])

    def nearest(r, R):
        p = r + R @ (geometry.support(R.T @ -UP) - center)
        return p, p[2], UP

    mass = DENSITY * geometry.volume
    inertia, stiffness = mass * np.array(geometry.inertia_per_mass), hardness * hertz(MODULUS, POISSON, radius)
    alone = BouncingBody(mass, inertia, UP, stiffness, RESTITUTION, FRICTION, ROLLING * radius, nearest)
    place = UP + R @ center
    return ours, alone.simulated(stop_time, place, velocity + np.cross(spin, R @ center), R, spin)


def test_a_capsule_does_what_the_law_says():
    ours, alone = both("capsule", 1.0, 0.9, -1.2)
    np.testing.assert_allclose(ours, alone, atol=1e-5)


@pytest.mark.parametrize("name", ["frustum", "beam"])
def test_mean_depth_and_lowest_point_agree_as_contacts_become_hard(name):
    """What they differ by falls as the depth does."""
    soft, hard = (np.abs(np.subtract(*both(name, hardness, 0.9, -0.9))) for hardness in (1.0, 1e4))
    assert hard[:3].max() < 1e-4
    assert hard.max() < 0.1 * soft.max()
    assert hard.max() < 5e-3
