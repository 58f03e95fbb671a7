"""Parts of the models of these tests, and what their results must keep."""

import math

import numpy as np

from modia3d import Box, MassProperties, Model3D, NoGravity, Object3D, Scene, Solid
from modiapy import Model, instantiate
from modiapy.symbolic.flattening.evaluate import evaluate


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


def made(entry, **parameters):
    """What the constructor of ``entry`` makes in a model with these parameters."""
    return evaluate(Model(**parameters, part=entry)).objects["part"]


def run(stop_time=1.0, tolerance=1e-10, points=50, mode="auto", **entries):
    """The result of a `Model3D` at the beginning and ``points`` times after it."""
    return instantiate(Model3D(**entries)).simulate(stop_time, tolerance=tolerance, interval=stop_time / points, mode=mode)


def energy(result):
    """Energy of the system over time."""
    return result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]


def causes(result):
    """Cause of each segment."""
    return [record.cause for record in result.segments]


def value(segment, name, k):
    """First or last value of a signal in a segment; NaN where it does not exist."""
    found = segment.find(name)
    return np.asarray(math.nan if found is None else found[k])


def vector(result, name):
    """A quantity of a sensor over time (n, 3), whose components are signals."""
    return np.stack([result[f"{name}.{axis}"] for axis in "xyz"], axis=-1)


def dofs(result):
    """Degrees of freedom in each segment."""
    return [record.info["dof"] for record in result.segments]


def assert_constant(values, tolerance):
    """All values are equal to ``tolerance`` of the largest one (at least of 1)."""
    drift = np.abs(values - values[0]).max() / max(1.0, np.abs(values).max())
    assert drift <= tolerance
