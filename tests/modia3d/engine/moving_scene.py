"""A scene for changes while things move.

A boom that a reference moves exactly, a free servo arm that another one moves, flying bodies, a parked module with a drive.
"""

import math

from modia3d import (
    Box,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Pool,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    addReferencePath,
)
from modiapy import Map, Model, Var
from modiapy.library.rotational import Fixed, Position, SpringDamper

TURNED, BACK = (0.0, math.pi / 2, 0.0), (0.0, -math.pi / 2, 0.0)
MATES = MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)
"""Any two frames mate, wherever they are; only their velocities matter."""


def solid(mass=2.0):
    properties = MassProperties(mass, (0.05, 0.02, -0.03), 0.1 * mass, 0.12 * mass, 0.15 * mass, 0.0, 0.01, 0.0)
    return Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=properties)


def free(mass, position, velocity):
    return Object3D(parent="world", fixed_to_parent=False, translation=position, velocity=velocity, feature=solid(mass))


def lock_frame(parent, x, rotation):
    return Object3D(parent=parent, translation=(x, 0.0, 0.0), rotation=rotation, lockable=True)


MODULE = Model(
    base=Object3D(feature=solid(), parked=True),
    plug=lock_frame("base", -0.3, BACK),
    arm=Object3D(feature=solid(1.0)),
    rev=RevoluteWithFlange("base", "arm", "x", phi=Var(init=0.3)),
    spring=SpringDamper | Map(c=5.0, d=1.0),
    wall=Fixed,
    connect=[("wall.flange", "spring.flange_a"), ("spring.flange_b", "rev.flange")],
)
"""An assembly with a drive, parked at the start."""


def declare(actions):
    """The reference paths of the scene; programs begin with `yield from declare(actions)`."""
    for name in ("bend", "turn"):
        yield addReferencePath(actions, [name], [0.0], v_max=[1.0], a_max=[2.0])


def moving_scene(program):
    """The model."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity(), mating=MATES)),
        dock=Object3D(parent="world", translation=(0.0, 0.0, 1.0), lockable=True),
        boom=Object3D(feature=solid()),
        hinge=RevoluteWithFlange("world", "boom", "z", phi=Var(), w=Var(), lockable=True),
        exact=Position,
        hand=lock_frame("boom", 1.0, TURNED),
        heel=lock_frame("boom", -1.0, BACK),
        upper=free(2.0, (0.0, 2.0, 0.0), (0.1, 0.0, 0.0)),
        foot=lock_frame("upper", -0.5, BACK),
        end=Object3D(parent="upper", translation=(0.5, 0.0, 0.0)),
        lower=Object3D(feature=solid(1.0)),
        shoulder=RevoluteWithFlange("end", "lower", "y", lockable=True),
        motor=SpringDamper | Map(c=200.0, d=20.0),
        servo=Position,
        tip=Object3D(parent="lower", translation=(0.4, 0.0, 0.0)),
        finger=Object3D(feature=solid(0.5)),
        wrist=Revolute("tip", "finger", "z", phi=0.2, w=0.6),
        claw=lock_frame("finger", 0.2, TURNED),
        box=free(1.0, (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        left=lock_frame("box", -0.5, BACK),
        right=lock_frame("box", 0.5, TURNED),
        stone=free(3.0, (4.0, 0.0, 0.0), (0.2, -1.0, 0.1)),
        grip=lock_frame("stone", -0.5, BACK),
        knob=lock_frame("stone", 0.5, TURNED),
        pool=Pool(MODULE),
        equations=["exact.phi_ref = actions.turn.position", "servo.phi_ref = actions.bend.position"],
        connect=[("exact.flange", "hinge.flange"), ("servo.flange", "motor.flange_a"), ("motor.flange_b", "shoulder.flange")],
        actions=ModelActions(program),
    )
