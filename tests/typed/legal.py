"""Calls that type checkers must admit: mypy finds nothing in this file, and it runs, see ``tests/test_exports.py``."""

from collections.abc import Callable
from typing import assert_type

import numpy as np

import modia3d
import modiapy
from modia3d import (
    ActionAdd,
    ActionAttach,
    Actions,
    Box,
    Bushing,
    EventAfterPeriod,
    Fix,
    Formula,
    IfElse,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Prismatic,
    Repeat,
    Revolute,
    RevoluteWithFlange,
    Scene,
    ScrewWithFlange,
    Set,
    Solid,
    SphericalWithFlanges,
    SpringDamperPtP,
    StopPath,
    Together,
    UserGravity,
    VisualMaterial,
    WaitUntil,
    WorldForce,
    moveLinear,
)
from modia3d.actions.structural.attach import Attach
from modia3d.files import read_scenario
from modiapy import Bus, Clock, Function, Map, Model, Par, Result, Table1D, Var, When, instantiate, redeclare
from modiapy.library import blocks, electric, heat_transfer, rotational, translational

# values of a field: number, expression, parameter, attributes of a variable, array, call of a constructor, name of an entry
assert_type(Box(0.1, 2, length_z="L/2"), Par)
Box(length_x=Par(1.0, min=0.0), length_y=Var(init=0.1), length_z=np.float32(0.5))
Object3D(parent="body", translation=(1.0, "L", 0), rotation=np.eye(3), velocity=np.zeros(3), lockable="is_lockable")
Object3D(translation="p", angular_velocity=["w", 0, Par(1.0)], feature="box")
Object3D(
    fixed_to_parent=False, translation=Var(init=(1, 2, 3)), feature=Solid(Box(), "Steel", visual_material=VisualMaterial("Red"))
)
Solid(shape=Box(), mass_properties=MassProperties(mass="m", center_of_mass=[0, 0, "h"]), solid_material="alloy")
Revolute("a", "b", axis=[0, 1, 1], phi="phi0", limits=("-limit", 1.5), at_limit="error")
Revolute() | Map(obj1="a", obj2="b")  # what a constructor needs may be merged in
Prismatic(obj1="a", obj2="b", axis=np.array([0.0, 0.0, 1.0]), s=Par(0.1))
assert_type(ScrewWithFlange("a", "b", pitch="p", phi=Var(init=0.1), limits=(-1, "limit")), Model)
SphericalWithFlanges("a", "b", "zyx", phi_y="angle", limits={"phi_y": (-1.5, 1.5)}, lockable=True)
Fix("a", "b", rotation=[[1, 0, 0], [0, 1, 0], [0, 0, "one"]])
SpringDamperPtP("a", "b", stiffness=lambda s: 100.0 * s**3, damping=Table1D([[0, 0], [1, 2]]))
Bushing("a", "b", stiffness=(100.0, "k", Formula("100*u")), damping=np.ones(3), large_angles=True)
WorldForce("b", ("F", 0.0, lambda time: 2.0 * time))
UserGravity(acceleration=("0", "-9.81*(1 - 2*y/6.4e6)", "0"), potential="9.81*y")
UserGravity(lambda x, y, z: (0.0, -9.81, 0.0))
Table1D(np.array([[0.0, 0.0], [1.0, 2.0]]), "akima", extrapolation="hold")
Clock(Clock("T"), factor=10)
Function(lambda x: x**2, derivative=Function(lambda x, dx: 2 * x * dx))

# variables, parameters, models
assert_type(Var(), Var)
Var("2*x", unit="m", start=[1.0, 2.0], shape=("n", 2), state_select="prefer", output=True)
Var(type=("open", "closed"), init="closed")
Par("PI", choices=("P", "PI"), type="String")
assert_type(Par(3.0, min=0, max="largest") | Map(max=4.0), Par)
assert_type(Model({"x": Var(init=1.0)}, equations=["der(x) = -x", When("x < 0.1", ["terminate('small')"])]), Model)
assert_type(electric.Resistor | Map(R=2.0), Model)
assert_type(rotational.Inertia, Model)
assert_type(Bus | Model(speed=Var()), Model)
assert_type(redeclare(translational.Mass), Model)
Map(load=redeclare(heat_transfer.HeatCapacitor), block=blocks.PI)


# programs
def program(actions: Actions) -> None:
    ActionAttach(actions, "grip", "tip")
    EventAfterPeriod(actions, 1.0)
    ActionAdd(actions, "stone", translation=np.zeros(3), rotation=[0, 0, 1])
    moveLinear(actions, "hand", translation=(0.1, 0, 0), v_max=1)


ModelActions(program)
ModelActions([Attach("grip", "tip"), WaitUntil("phi > 1", timeout=2), Repeat([StopPath(["path"])], times=3)])
IfElse("phi > 1", [Together([Attach("a", "b"), Attach("c", "d")])], otherwise=[Set(p=1.0)])

# results
pendulum = Model3D(
    world=Object3D(feature=Scene(gravity=NoGravity())),
    bar=Object3D(feature=Solid(shape=Box(1.0, 0.1, 0.1), solid_material="Aluminium")),
    joint=RevoluteWithFlange("world", "bar", axis="z", phi=0.1, w=Var(init=1.0)),
)
assert_type(pendulum, Model)
result = instantiate(pendulum).simulate(0.1, merge=Map(joint=Map(w=Var(init=2.0))))
assert_type(result, Result)
assert_type(result["joint.phi"], np.ndarray)
assert_type(modia3d.Sphere("d"), modiapy.Par)
reader: Callable[[str], object] = read_scenario
