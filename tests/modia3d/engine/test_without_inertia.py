"""What moves without inertia is named by its joint when the simulation starts."""

import pytest

from modia3d import (
    MassProperties,
    Model3D,
    Object3D,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Spherical,
    Universal,
)
from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library import rotational


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
    said = rf"the acceleration of 'robot\.{name}' is not determined.*mass properties"
    with pytest.raises(SimulationError, match=said) as error:
        instantiate(model).simulate(0.1)
    assert error.value.path == f"robot.{name}"


def test_of_several_joints_the_first_is_the_path():
    """A hub without mass between two hinges on one line may spin."""
    parts = {"hub": Object3D(), "rod": rod(), "inner": Revolute("world", "hub"), "outer": Revolute("hub", "rod")}
    said = r"the acceleration of 'robot\.inner', 'robot\.outer' is not determined"
    with pytest.raises(SimulationError, match=said) as error:
        instantiate(Model(robot=Model3D(world=Object3D(feature=Scene()), **parts))).simulate(0.1)
    assert error.value.path == "robot.inner"


FLANGE = RevoluteWithFlange("world", "link")


@pytest.mark.parametrize(
    ("parts", "joint"),
    [
        ({"link": Object3D(), "joint": FLANGE}, "joint"),
        ({"link": point(), "joint": FLANGE}, "joint"),
        ({"link": Object3D(), "joint": RevoluteWithFlange("link", "world")}, "joint"),
        ({"link": Object3D(), "joint": PrismaticWithFlange("world", "link", "x")}, "joint"),
        ({"link": Object3D(), "joint": RevoluteWithFlange("world", "link", lockable=True)}, "joint"),
        # the rod cannot be accelerated by the link, about the same axis
        ({"link": Object3D(), "rod": rod(), "joint": FLANGE, "free": Revolute("link", "rod")}, "joint"),
        (
            {
                "link": Object3D(),
                "joint": FLANGE,
                "damper": rotational.Damper | Map(d=1.0),
                "wall": rotational.Fixed,
                "connect": [("damper.flange_b", "joint.flange"), ("wall.flange", "damper.flange_a")],
            },
            "joint",
        ),
    ],
)
def test_a_flange_that_moves_nothing_with_inertia_is_named_with_what_it_moves(parts, joint):
    """Also where another engine, in which nothing is wrong, stands before it."""
    sound = Model3D(world=Object3D(feature=Scene()), link=rod(), joint=Revolute("world", "link"))
    model = Model(first=sound, robot=Model3D(world=Object3D(feature=Scene()), **parts))
    match = rf"Nothing that has inertia moves with 'robot\.{joint}', which moves 'robot\.link'.*mass properties.*the flange"
    with pytest.raises(SimulationError, match=match):
        instantiate(model).simulate(0.1)


def test_an_inertia_at_the_flange_is_enough():
    parts = {"link": Object3D(), "joint": RevoluteWithFlange("world", "link", w=Var(init=0.5))}
    parts |= {"rotor": rotational.Inertia | Map(J=2.0), "connect": [("rotor.flange_a", "joint.flange")]}
    result = instantiate(Model3D(world=Object3D(feature=Scene()), **parts)).simulate(1.0)
    assert result["joint.phi"][-1] == pytest.approx(0.5)
