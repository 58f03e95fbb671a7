"""What moves without inertia is named by its joint when the simulation starts."""

import pytest

from modia3d import MassProperties, Model3D, Object3D, Revolute, RevoluteWithFlange, Scene, Solid, Spherical, Universal
from modiapy import Model, SimulationError, instantiate


def point(**fields):
    return Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0)), **fields)


def rod():
    return Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0.5, 0.0, 0.0), 0.1, 0.2, 0.2)))


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        # a point mass on a rod without inertia may spin about the rod
        (
            {"hub": Object3D(), "mass": point(parent="hub", translation=(1.0, 0.0, 0.0)), "ball": Spherical("world", "hub")},
            "ball",
        ),
        ({"rod": rod(), "mass": point(), "inner": Revolute("world", "rod"), "outer": Revolute("rod", "mass")}, "outer"),
        (
            {"rod": rod(), "mass": point(), "inner": RevoluteWithFlange("world", "rod"), "outer": Universal("rod", "mass")},
            "outer",
        ),
    ],
)
def test_the_joint_is_named(parts, name):
    model = Model(robot=Model3D(world=Object3D(feature=Scene()), **parts))
    with pytest.raises(SimulationError, match=rf"the acceleration of 'robot\.{name}' is not determined.*mass properties"):
        instantiate(model).simulate(0.1)
