"""Whatever the engine refuses, or stops at, is told with the full path of what is wrong, wherever the `Model3D` stands."""

import math
import re
import warnings

import pytest

from modia3d import (
    AbsoluteSensor,
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionLock,
    ActionRelease,
    ActionWait,
    Box,
    ContactPair,
    ContactSensor,
    CutForce,
    Distance,
    Force,
    InitialPose,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    PowerSensor,
    Read,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Sphere,
    SpringDamperPtP,
    WaitUntil,
    WorldForce,
    addReferencePath,
    ptpJointSpace,
)
from modiapy import Model, ModiaError, Var, instantiate

MASS = MassProperties(1.0, (0.2, 0.0, 0.0), 0.1, 0.1, 0.1)


def body(**fields):
    return Object3D(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MASS), **fields)


def free(**fields):
    return body(parent="world", fixed_to_parent=False, **fields)


def colliding(material="Steel", at=(0.0, 0.0, 0.0)):
    solid = Solid(Sphere(0.2), solid_material="Steel", contact_material=material, collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=at, feature=solid)


def frame(parent, x, **fields):
    return Object3D(parent=parent, translation=(x, 0.0, 0.0), **fields)


def scene(**entries):
    return {"world": Object3D(feature=Scene()), "ball": free(), "end": frame("ball", 0.3), **entries}


def does(*steps, **entries):
    def program(actions):
        yield ActionWait(actions, 0.01)
        for step in steps:
            yield step(actions)

    ports = {"port": frame("ball", 0.5, lockable=True), "dock": frame("world", 3.0, lockable=True)}
    return scene(**ports, actions=ModelActions(program), **entries)


def loop(rocker=1.0, **joints):
    """Four bars of 1 m but for one, which are closed at the start."""
    bars = {name: body() for name in ("crank", "coupler", "rocker")}
    given = {
        "motor": Revolute("world", "crank", "z", phi=1.0),
        "knee": Revolute("crank_tip", "coupler", "z", phi=-1.0),
        "pivot": Revolute("far", "rocker", "z", phi=1.0),
        "pin": Revolute("coupler_tip", "rocker_tip", "z"),
    }
    tips = {"crank_tip": frame("crank", 1.0), "coupler_tip": frame("coupler", 1.0), "rocker_tip": frame("rocker", rocker)}
    return {"world": Object3D(feature=Scene()), "far": frame("world", 1.0), **bars, **tips, **given, **joints}


def flange(one, two, phi, **more):
    return RevoluteWithFlange(one, two, "z", phi=Var(**phi), **more)


RIGID = Scene(contact_pairs={"Steel, Steel": ContactPair(0.5, 0.1, response="rigid")})
PATH = {"a": lambda actions: addReferencePath(actions, ["a"], [0.0], v_max=[1], a_max=[1])}
MISTAKES = {
    "a force on nothing": scene(push=WorldForce("bal", (0.0, 1.0, 0.0))),
    "a force between nothing": scene(pull=Force("ball", "nobody", force=(0, 1, 0))),
    "a spring on nothing": scene(spring=SpringDamperPtP("ball", "en", stiffness=1.0)),
    "a sensor of nothing": scene(s=AbsoluteSensor("bal")),
    "a distance of nothing": scene(s=Distance("world", "bal")),
    "a cut through nothing": scene(cut=CutForce("balls")),
    "a cut where nothing holds": scene(cut=CutForce("ball")),
    "the power of nothing": scene(p=PowerSensor("push")),
    "the contact of what does not collide": scene(s=ContactSensor("ball", "end"), a=colliding(), b=colliding(at=(1, 0, 0))),
    "the contact of one that does not": scene(s=ContactSensor("a", "end"), a=colliding(), b=colliding(at=(1, 0, 0))),
    "the force of a rigid contact": scene(
        world=Object3D(feature=RIGID), a=colliding(), b=colliding(at=(1.0, 0.0, 0.0)), s=ContactSensor("a", "b")
    ),
    "a result in equations": scene(x=Var(), equations=["x = ball.r_abs[0]"]),
    "a quantity that is not asked for": scene(s=AbsoluteSensor("ball", quantities="v"), x=Var("s.r.x")),
    "a result of the whole": scene(x=Var("mechanics.kinetic_energy")),
    "two programs": scene(one=ModelActions(lambda actions: None), two=ModelActions(lambda actions: None)),
    "a parent that is not there": scene(foot=frame("nowhere", 0.1)),
    "a joint to nothing": scene(hinge=Revolute("ball", "nobody", "z")),
    "a loop that cannot be closed": loop(rocker=5.0),
    "a loop that initial equations open": loop(
        motor=flange("world", "crank", {}),
        pivot=flange("far", "rocker", {}),
        initial_equations=["motor.phi = 1", "pivot.phi = 0.4"],
    ),
    "a pose out of reach": loop() | {"pin": None, "wanted": InitialPose("coupler_tip", translation=(9.0, 0.0, 0.0))},
    "a pose that equations leave": scene(
        arm=body(),
        hinge=flange("world", "arm", {}),
        wanted=InitialPose("arm", rotation=(0.0, 0.0, 0.3)),
        initial_equations=["hinge.phi = 0.4"],
    ),
    "a start beyond a limit": scene(arm=body(), hinge=Revolute("world", "arm", "z", phi=2.0, limits=(-1.0, 1.0))),
    "a driven start beyond a limit": scene(arm=body(), hinge=flange("world", "arm", {"init": 2.0}, limits=(-1.0, 1.0))),
    "a start that is none": scene(arm=body(), hinge=flange("world", "arm", {"init": math.inf})),
    "a passive joint that moves nothing": scene(arm=Object3D(), hinge=Revolute("world", "arm", "z")),
    "a driven joint that moves nothing": scene(arm=Object3D(), hinge=flange("world", "arm", {"init": 0.0})),
    "a passive joint that turns a point": scene(
        first=body(),
        tip=frame("first", 0.5),
        hinge=Revolute("world", "first", "z"),
        second=Object3D(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(1.0, (0.2, 0.0, 0.0), 0.0, 0.0, 0.0))),
        spin=Revolute("tip", "second", "x"),
    ),
    "a driven joint that turns a point": scene(
        first=body(),
        tip=frame("first", 0.5),
        hinge=flange("world", "first", {"init": 0.0}),
        second=Object3D(feature=Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(1.0, (0.2, 0.0, 0.0), 0.0, 0.0, 0.0))),
        spin=RevoluteWithFlange("tip", "second", "x", phi=Var(init=0.0)),
    ),
    "a force without a value": scene(push=WorldForce("ball", ("log(0.05 - time)", 0, 0))),
    "ports that do not mate": does(lambda actions: ActionAttach(actions, "port", "dock")),
    "a port that is none": does(lambda actions: ActionAttach(actions, "end", "dock")),
    "a release of what is not attached": does(lambda actions: ActionRelease(actions, "port")),
    "a lock of what moves": does(
        lambda actions: ActionLock(actions, "hinge"), arm=Object3D(feature=Solid(Box(1, 1, 1), mass_properties=MASS)),
        hinge=flange("world", "arm", {"init": 0.0}),
    ),
    "an appearance of what is there": does(lambda actions: ActionAdd(actions, "port", translation=(0, 0, 0))),
    "two deletions": does(lambda actions: ActionDelete(actions, "port"), lambda actions: ActionDelete(actions, "port")),
    "a condition of nothing": does(lambda actions: WaitUntil("zoo.xx > 1")),
    "a reading of nothing": does(lambda actions: Read("zoo.xx")),
    "positions of other joints": does(PATH["a"], lambda actions: ptpJointSpace(actions, [1.0, 2.0])),
}  # fmt: skip


TEXTS = {
    "a force on nothing": (
        "push: there is no Object3D 'bal'; expected the name of an Object3D, looked up in 'the Model3D'. Did you mean 'ball'?"
    ),
    "a force between nothing": (
        "pull: there is no Object3D 'nobody'; expected the name of an Object3D, looked up in 'the Model3D'"
    ),
    "a spring on nothing": (
        "spring: there is no Object3D 'en'; expected the name of an Object3D, looked up in 'the Model3D'. Did you mean 'end'?"
    ),
    "a sensor of nothing": (
        "s: there is no Object3D 'bal'; expected the name of an Object3D, looked up in 'the Model3D'. Did you mean 'ball'?"
    ),
    "a distance of nothing": (
        "s: there is no Object3D 'bal'; expected the name of an Object3D, looked up in 'the Model3D'. Did you mean 'ball'?"
    ),
    "a cut through nothing": (
        "cut: there is no joint and no Object3D 'balls'; expected the name of a joint, or of an Object3D that "
        "is fixed to its parent. Did you mean 'ball'?"
    ),
    "a cut where nothing holds": (
        "cut: the cut force at 'ball' cannot be measured: no joint and no parent connects it; "
        "found an Object3D that is not fixed to a parent; "
        "expected the name of a joint, or of an Object3D that is fixed to its parent. Put an Object3D "
        "between, or name the joint."
    ),
    "the power of nothing": (
        "p: there is no force from the equations 'push'; expected the name of a force from the equations, "
        "looked up in 'the Model3D'"
    ),
    "the contact of what does not collide": (
        "s: 'ball' has no Solid that collides; expected one of a, b. Write Solid(..., collision=True)."
    ),
    "the force of a rigid contact": (
        "s: the force of a contact is not known to equations where contacts may be rigid; found rigid "
        "contacts in the Scene, or in its contact_pairs; expected elastic contacts. Measure what goes through "
        "a joint behind the solid (CutForce), or take quantities='contacts'."
    ),
    "a result in equations": (
        "unknown name 'ball.r_abs[0]' in 'x = ball.r_abs[0]'. It is a result; equations need a sensor: s = "
        "AbsoluteSensor('ball', quantities='r'), s.r.x."
    ),
    "a quantity that is not asked for": ("unknown name 's.r.x' in 'x = s.r.x'. Ask the sensor for it: quantities=('r', 'v')."),
    "a result of the whole": (
        "unknown name 'mechanics.kinetic_energy' in 'x = mechanics.kinetic_energy'. It is a result; equations "
        "need a sensor: s = EnergySensor(), s.kinetic."
    ),
    "two programs": "a Model3D has at most one action program; found one, two; expected one ModelActions",
    "a parent that is not there": (
        "foot: there is no Object3D 'nowhere'; expected the name of an Object3D, looked up in 'the Model3D'"
    ),
    "a joint to nothing": (
        "hinge: there is no Object3D 'nobody'; expected the name of an Object3D, looked up in 'the Model3D'"
    ),
    "a loop that cannot be closed": (
        "pin: a loop cannot be closed; found what is left after the nearest approach: pin (position y) "
        "1.98608 m; in the loop: knee, motor, pivot; expected at most 1e-09. Begin nearer to a closed "
        "position, or change the lengths."
    ),
    "a loop that initial equations open": (
        "pin: at time 0 s a loop cannot be closed; found what is left after the nearest approach: pin "
        "(position x) 0.452875 m; in the loop: knee, motor, pivot; fixed: motor, pivot; expected at most "
        "1e-09. Begin nearer to a closed position, fix less, or change the lengths."
    ),
    "a pose out of reach": (
        "wanted: the initial pose cannot be reached; found nearest: 7 m and 0 rad away (x 7 m, y # m "
        "missing), at motor = #, knee = #; expected a pose within reach of the joints and their limits. Give "
        "fewer conditions, more joints, or initial values of the joints nearer to it."
    ),
    "a pose that equations leave": (
        "wanted: at time 0 s the initial pose cannot be reached; found nearest: 0 m and 0.1 rad away; the "
        "equations determine hinge = 0.4; expected a pose within reach of the joints and their limits. Give "
        "fewer conditions, more joints, or initial values of the joints nearer to it."
    ),
    "a start beyond a limit": (
        "hinge: at time 0 s the joint starts outside of its limits; found phi = 2; expected between -1 and 1"
    ),
    "a driven start beyond a limit": (
        "hinge: at time 0 s the joint starts outside of its limits; found phi = 2; expected between -1 and 1"
    ),
    "a start that is none": "hinge.phi: the initial value of a joint is not a finite number; "
    "found inf; expected a finite number",
    "a passive joint that moves nothing": (
        "hinge: the joint moves an assembly without mass. Give a Solid of it a material or mass_properties, "
        "or the Object3D a parent or a joint."
    ),
    "a driven joint that moves nothing": (
        "hinge.flange: at time 0 s the linear equations for der(hinge.w) are singular: hinge.flange: "
        "hinge.flange.tau = 0 [not connected]; expected equations that determine all unknowns. Nothing that "
        "has inertia moves with 'hinge', which moves 'arm': give that, or what it carries, mass properties, "
        "or connect an inertia to the flange."
    ),
    "a force without a value": (
        "at time 0.05 s 'push.force.x' cannot be computed from 'push.force.x = log(0.05 - time)' (math domain "
        "error); found push.force.x = log(0.05 - time) with time = #; expected a finite value"
    ),
    "ports that do not mate": (
        "dock: at time 0.01 s the step 'ActionAttach port -> dock' is refused: dock and port do not mate; "
        "found distance of the origins 2500 mm (more than 1), angle between the z axis of one and the "
        "opposite of the other 3142 mrad (more than 1), twist about z 0 mrad, relative velocity 98.1 mm/s "
        "(more than 1), relative angular velocity 0 mrad/s; expected origins together, z axes opposite, twist "
        "a multiple of 90 deg, no relative motion, within the tolerances of the scene. Bring them together "
        "before, or change Scene(mating=MatingTolerance(...))."
    ),
    "a port that is none": (
        "end: at time 0.01 s the step 'ActionAttach end -> dock' is refused: this Object3D is not lockable; "
        "expected a frame with lockable=True, in its assembly: port"
    ),
    "a release of what is not attached": (
        "port: at time 0.01 s the step 'ActionRelease port' is refused: this Object3D is not attached; "
        "expected a frame of a lock: there is none"
    ),
    "a lock of what moves": (
        "hinge: at time 0.01 s the step 'ActionLock hinge' is refused: the joint moves, it cannot be locked "
        "without a jump; found w = -0.140143; expected at most 0.001 m/s and 0.001 rad/s. Lock it at rest, by "
        'an impact (on_contact="impulse"), or change Scene(mating=MatingTolerance(...)).'
    ),
    "an appearance of what is there": (
        "port: at time 0.01 s the step 'ActionAdd port' is refused: the assembly is in the scene already; found the assembly "
        "ball in the scene; expected a frame of an assembly that is parked or deleted"
    ),
    "two deletions": (
        "port: at time 0.01 s the step 'ActionDelete port' is refused: this Object3D was deleted; found the "
        "deleted assembly ball. ActionAdd lets it appear."
    ),
    "a condition of nothing": (
        "actions: at time 0.01 s there is no signal 'zoo.xx' now; expected a variable of the equations, or a "
        "signal of what exists at this time"
    ),
    "a reading of nothing": (
        "actions: at time 0.01 s the step 'read zoo.xx': there is no signal 'zoo.xx' now; expected a variable "
        "of the equations, or a signal of what exists at this time"
    ),
    "positions of other joints": (
        "actions: at time 0.01 s the step 'addReferencePath a': this path was not declared before the "
        "simulation began; found a. Yield addReferencePath before all other steps of the first program."
    ),
    "the contact of one that does not": (
        "s: 'end' has no Solid that collides; expected one of a, b. Write Solid(..., collision=True)."
    ),
    "a passive joint that turns a point": (
        "spin: at time 0 s the acceleration of 'spin' is not determined: what moves there has no mass or inertia in one "
        "direction; give a Solid behind it mass properties, or lock that direction"
    ),
    "a driven joint that turns a point": (
        "spin.flange: at time 0 s the linear equations for der(spin.w) are singular: spin.flange: spin.flange.tau = 0 "
        "[not connected]; expected equations that determine all unknowns. Nothing that has inertia moves with 'spin', which "
        "moves 'second': give that, or what it carries, mass properties, or connect an inertia to the flange."
    ),
}
"""What is said of each; "#" is a number that rounding decides."""


def run(model):
    instantiate(model, "Scene").simulate(0.1)


def mistake(model):
    """The error at translation or in a simulation, and the warnings before."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(ModiaError) as caught:
            run(model)
    return caught.value, [short(str(w.message)) for w in warned]


def short(text):
    """Without places in this file and the path of the `Model3D`."""
    return re.sub(r"\S+\.py:\d+: ", "", text).replace("outer.inner.", "").replace("outer.inner: ", "")


@pytest.mark.parametrize("name", MISTAKES)
def test_errors_have_the_full_path(name):
    entries = {entry: made for entry, made in MISTAKES[name].items() if made is not None}
    (alone, said), (within, said_within) = (
        mistake(Model3D(**entries)), mistake(Model(outer=Model(inner=Model3D(**entries))))
    )  # fmt: skip
    number = r"-?[\d.]+(?:e-\d+)?"
    assert re.fullmatch(re.escape(TEXTS[name]).replace(r"\#", number), short(str(alone)))
    assert short(str(within)) == short(str(alone))
    assert "outer.inner" in str(within)
    assert within.path == f"outer.inner.{alone.path}" if alone.path else within.path in ("outer.inner", "")
    assert said_within == said
