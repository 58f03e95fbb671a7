"""Parts of the models of these tests, and what their results must keep."""

import numpy as np

from modia3d import Box, MassProperties, Model3D, NoGravity, Object3D, Scene, Solid
from modiapy import instantiate


def world(gravity=None):
    """The world, by default without gravity."""
    return Object3D(feature=Scene(gravity=NoGravity() if gravity is None else gravity))


def body(mass=1.0, inertia=0.1, center=(0.0, 0.0, 0.0), **fields):
    """A body; its moments of inertia are equal, or three to six numbers."""
    properties = MassProperties(mass, center, *((inertia,) * 3 if np.isscalar(inertia) else inertia))
    return Object3D(feature=Solid(shape=Box(0.1, 0.1, 0.1), mass_properties=properties), **fields)


def free(**fields):
    """A body that can move freely in the world."""
    return body(parent="world", fixed_to_parent=False, **fields)


def run(stop_time=1.0, tolerance=1e-10, points=50, mode="auto", **entries):
    """The result of a `Model3D` at the beginning and ``points`` times after it."""
    return instantiate(Model3D(**entries)).simulate(stop_time, tolerance=tolerance, interval=stop_time / points, mode=mode)


def energy(result):
    """Energy of the system over time."""
    return result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]


def dofs(result):
    """Degrees of freedom in each segment."""
    return [record.info["dof"] for record in result.segments]


def assert_constant(values, tolerance):
    """All values are equal to ``tolerance`` of the largest one (at least of 1)."""
    drift = np.abs(values - values[0]).max() / max(1.0, np.abs(values).max())
    assert drift <= tolerance
