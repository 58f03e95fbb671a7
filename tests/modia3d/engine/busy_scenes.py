"""Scenes in which as much as possible happens in half a second, for what must be true of all models."""

import functools
import math

from modia3d import (
    AbsoluteSensor,
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionLock,
    ActionRefused,
    ActionRelease,
    ActionUnlock,
    ActionWait,
    Box,
    ContactPair,
    ContactSensor,
    CutForceAndTorque,
    EnergySensor,
    ForceAndTorque,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Plane,
    Pool,
    PowerSensor,
    Read,
    RelativeSensor,
    Revolute,
    RevoluteWithFlange,
    RodConstraint,
    Scene,
    Solid,
    Sphere,
    Spherical,
    SpringDamperPtP,
    UniformGravity,
    WaitUntil,
    WorldForce,
    addReferencePath,
    in_contact,
    ptpJointSpace,
)
from modiapy import Map, Model, Var, instantiate
from modiapy.library.rotational import Fixed, Position, SpringDamper

DOWN = UniformGravity(9.81, "-z")
STOP, OPTIONS = 0.33, {"interval": 0.05, "tolerance": 1e-8}
PAIRS = {
    "Steel, Steel": ContactPair(0.6, 0.3, response="rigid"),
    "Steel, Aluminium": ContactPair(0.5, 0.3),
    "Aluminium, Aluminium": ContactPair(0.4, 0.2),
}


def of_solid(mass):
    """Mass, center and elements of the inertia; the center is beside the origin."""
    return mass, (0.02, -0.01, 0.03), 0.1 * mass, 0.12 * mass, 0.15 * mass, 0.0, 0.01, 0.0


def of_bar(length):
    """The same of a rod along x with a joint at its origin; its center is not in the middle of it."""
    return 1.0, (0.4 * length, 0.03, 0.05), 0.01, 0.2, 0.2, 0.0, 0.01, 0.0


OF_BALL = 2.0, (0.0, 0.0, 0.0), 0.02, 0.02, 0.02, 0.0, 0.0, 0.0


def solid(mass=1.0, shape=None, material="Steel", *, collides=False):
    properties = MassProperties(*of_solid(mass))
    return Solid(shape or Box(0.3, 0.1, 0.2), mass_properties=properties, contact_material=material, collision=collides)


def ball(at, material, radius=0.1, **fields):
    feature = Solid(Sphere(2 * radius), mass_properties=MassProperties(*OF_BALL), contact_material=material, collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=at, feature=feature, **fields)


def port(parent, x, turn=math.pi / 2):
    return Object3D(parent=parent, translation=(x, 0.0, 0.0), rotation=(0.0, turn, 0.0), lockable=True)


def yard_program(actions):
    """Moves, waits for contacts, adds, attaches and deletes; something is refused; a path is under way at the end."""
    yield addReferencePath(actions, ["swing"], [0.0], v_max=[2], a_max=[20])

    def arm():
        yield ptpJointSpace(actions, [0.15])
        yield Read("hinge.phi")
        yield WaitUntil(in_contact("floor", "hard"), timeout=0.3)
        yield ptpJointSpace(actions, [1.5])

    def modules():
        yield WaitUntil("soft.v_abs[2] > 0.05 or time > 100", timeout=0.25)
        yield ActionAdd(actions, "pool.m0.near", translation=(1.0, 1.0, 1.0), velocity=(0.1, 0.0, 0.2))
        yield ActionWait(actions, 0.04)
        try:
            yield ActionAttach(actions, "pool.m0.near", "shelf")
        except ActionRefused:
            yield ActionDelete(actions, "pool.m0.near")
        yield ActionLock(actions, "flap", on_contact="impulse")
        yield ActionWait(actions, 0.05)
        yield ActionUnlock(actions, "flap")

    yield Parallel(arm, modules)


def yard(**more):
    """Hard and soft balls and a box on a floor, an arm that a reference moves, a flap that falls on its stop."""
    return Model3D(
        **{
            "world": Object3D(feature=Scene(gravity=DOWN, contact_pairs=PAIRS)),
            "floor": Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Steel", collision=True)),
            "shelf": Object3D(parent="world", translation=(0.0, 3.0, 0.0), lockable=True),
            "hard": ball((0.0, 0.0, 0.2), "Steel", velocity=(0.3, 0.1, 0.0)),
            "soft": Object3D(parent="world", fixed_to_parent=False, translation=(1.0, 0.0, 0.25),
                             angular_velocity=(0.0, 2.0, 1.0)),
            "skin": ball((0.0, 0.0, 0.0), "Aluminium") | Map(parent="soft", fixed_to_parent=True, rotation=(0.3, 0.2, 0.1)),
            "other": ball((1.05, 0.0, 0.55), "Aluminium"),
            "box": Object3D(parent="world", fixed_to_parent=False, translation=(-1.0, 0.0, 0.1), velocity=(0.5, 0.0, 0.0),
                            feature=solid(2.0, Box(0.4, 0.4, 0.2), collides=True)),
            "post": Object3D(parent="world", translation=(0.0, -2.0, 1.0)),
            "upper": Object3D(feature=solid()),
            "elbow": Object3D(parent="upper", translation=(0.4, 0.0, 0.0)),
            "lower": Object3D(feature=solid(0.5)),
            "hinge": RevoluteWithFlange("post", "upper", "y", phi=Var(init=0.2)),
            "flap": Revolute("elbow", "lower", "y", phi=0.3, w=0.5, limits=(-0.6, 0.6)),
            "position": Position,
            "drive": SpringDamper | Map(c=300.0, d=5.0),
            "pool": Pool(Model(body=Object3D(feature=solid(2.0), parked=True), near=port("body", 0.3)), size=1),
            "rope": SpringDamperPtP("post", "hard", stiffness=3.0, damping=0.1, nominal_length=1.0),
            "feel": ContactSensor("hard", "floor", quantities="contacts"),
            "cut": CutForceAndTorque("flap"),
            "under": CutForceAndTorque("skin"),
            "sees": RelativeSensor("upper", "lower", quantities=("r", "v", "w")),
            "joules": EnergySensor(),
            "watts": PowerSensor(),
            "actions": ModelActions(yard_program),
            "connect": [("actions.swing.position", "position.phi_ref"), ("position.flange", "drive.flange_a"),
                        ("drive.flange_b", "hinge.flange")],
        }
        | more
    )  # fmt: skip


def linkage_program(actions):
    """A second loop is closed and opened again, joints in the first one are locked: without and with a flange."""
    yield ActionWait(actions, 0.1)
    yield ActionAttach(actions, "hand", "grip", on_contact="impulse")
    yield ActionWait(actions, 0.1)
    yield ActionRelease(actions, "hand")
    yield ActionLock(actions, "knee", on_contact="impulse")
    yield ActionWait(actions, 0.06)
    yield ActionUnlock(actions, "knee")
    yield ActionLock(actions, "motor", on_contact="impulse")
    yield ActionWait(actions, 0.05)
    yield ActionUnlock(actions, "motor")


def bar(length, **fields):
    return Object3D(feature=Solid(Box(length, 0.05, 0.05), mass_properties=MassProperties(*of_bar(length))), **fields)


def linkage_parts():
    """Four bars, one driven, with a body on a rod, forces from equations, and a ball joint beside."""
    return {
        "world": Object3D(feature=Scene(gravity=DOWN, mating=MatingTolerance(position=1e9, z_angle=4.0, symmetry=0))),
        "foot": Object3D(parent="world", translation=(0.0, 0.0, 0.5)),
        "far": Object3D(parent="world", translation=(2.0, 0.0, 0.5)),
        "crank": bar(1.0),
        "crank_tip": Object3D(parent="crank", translation=(1.0, 0.0, 0.0)),
        "coupler": bar(2.0),
        "coupler_tip": Object3D(parent="coupler", translation=(2.0, 0.0, 0.0)),
        "middle": Object3D(parent="coupler", translation=(1.0, 0.0, 0.1)),
        "rocker": bar(1.0),
        "rocker_tip": Object3D(parent="rocker", translation=(1.0, 0.0, 0.0)),
        "motor": RevoluteWithFlange("foot", "crank", "y", phi=Var(init=-1.1), w=Var(init=0.4), lockable=True),
        "knee": Revolute("crank_tip", "coupler", "y", phi=1.1, lockable=True),
        "pivot": Revolute("far", "rocker", "y", phi=-1.1),
        "pin": Revolute("coupler_tip", "rocker_tip", "y"),
        "wall": Fixed,
        "brake": SpringDamper | Map(c=2.0, d=0.3),
        "bob": Object3D(feature=solid(0.5)),
        "hook": Spherical("middle", "bob", angular_velocity=(0.5, 0.2, 1.0)),
        "kite": Object3D(parent="world", fixed_to_parent=False, translation=(0.2, 1.0, 1.5), feature=solid(1.5)),
        "leash": RodConstraint("far", "kite"),
        "grip": port("kite", 0.2),
        "hand": port("stone", 0.2, -math.pi / 2),
        "stone": Object3D(parent="world", fixed_to_parent=False, translation=(0.7, 1.2, 1.4), feature=solid(0.7)),
        "push": WorldForce("bob", ("2*sin(9*motor.phi)", "-motor.w", "0.3")),
        "pull": ForceAndTorque("kite", "coupler", "kite", force=(0.1, "0.2*speed.v.x", 0.0), torque=(0.0, 0.02, 0.0)),
        "speed": AbsoluteSensor("bob", quantities=("v", "w")),
        "through": CutForceAndTorque("pin", resolved_in="coupler"),
        "power": PowerSensor("push"),
        "actions": ModelActions(linkage_program),
        "connect": [("wall.flange", "brake.flange_a"), ("brake.flange_b", "motor.flange")],
    }  # fmt: skip


def linkage():
    return Model3D(**linkage_parts())


def press():
    """Four bars on a sole that lies on the floor: rows of contacts and of a loop in one mechanism."""
    sole = solid(30.0, Box(2.6, 0.8, 0.2), collides=True)
    beside = ("kite", "leash", "grip", "hand", "stone", "pull", "actions", "wall", "brake", "connect")
    return Model3D(
        **{name: part for name, part in linkage_parts().items() if name not in beside}
        | {
            "world": Object3D(feature=Scene(gravity=DOWN, contact_pairs=PAIRS)),
            "floor": Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Steel", collision=True)),
            "sole": Object3D(parent="world", fixed_to_parent=False, translation=(0.0, 0.0, 0.1), feature=sole),
            "foot": Object3D(parent="sole", translation=(-1.0, 0.0, 0.4)),
            "far": Object3D(parent="sole", translation=(1.0, 0.0, 0.4)),
            "motor": Revolute("foot", "crank", "y", phi=-1.1, w=0.4),
            "push": WorldForce("bob", ("-2*speed.v.x", "0.1", "0.3")),
        }
    )


SCENES = {"yard": yard, "linkage": linkage, "press": press}
BODIES = {
    "yard": {"hard": OF_BALL, "skin": OF_BALL, "other": OF_BALL, "box": of_solid(2.0), "upper": of_solid(1.0),
             "lower": of_solid(0.5), "pool.m0.body": of_solid(2.0)},
    "linkage": {"crank": of_bar(1.0), "coupler": of_bar(2.0), "rocker": of_bar(1.0), "bob": of_solid(0.5),
                "kite": of_solid(1.5), "stone": of_solid(0.7)},
    "press": {"sole": of_solid(30.0), "crank": of_bar(1.0), "coupler": of_bar(2.0), "rocker": of_bar(1.0),
              "bob": of_solid(0.5)},
}  # fmt: skip
"""Mass, center and elements of the inertia of all that has some."""
JOINTS = {
    "yard": {"hinge": ("", "upper", "post", "upper"), "flap": ("upper", "lower", "elbow", "lower"),
             "skin": ("", "skin", "soft", "skin")},
    "linkage": {"motor": ("", "crank", "foot", "crank"), "knee": ("crank", "coupler", "crank_tip", "coupler"),
                "pivot": ("", "rocker", "far", "rocker"), "pin": ("coupler", "rocker", "coupler_tip", "rocker_tip"),
                "hook": ("coupler", "bob", "middle", "bob"), "leash": ("", "kite", "far", "kite")},
}  # fmt: skip
"""Bodies that each joint, or frame, connects ("": the world, or nothing), and its frames."""
ON_SOLE = {name: ("sole" if one == "" else one, *rest) for name, (one, *rest) in JOINTS["linkage"].items() if name != "leash"}
JOINTS["press"] = ON_SOLE


@functools.cache
def translated(name):
    return instantiate(SCENES[name](), "Scene")


@functools.cache
def simulated(name):
    return translated(name).simulate(STOP, **OPTIONS)
