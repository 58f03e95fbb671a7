"""Servo drives and the youBot of Modia3D's tests (folders Robot, Segmented) against the final states written there.

The meshes of its arm are not here. What depends on them (inertia, centres of mass, torques that balance them) is not compared.
"""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionReleaseAndAttach,
    ActionWait,
    Box,
    EventAfterPeriod,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    Object3D,
    PrismaticWithFlange,
    RevoluteWithFlange,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
    addReferencePath,
    ptpJointSpace,
)
from modiapy import Map, Model, instantiate
from modiapy.library import translational

from .test_modia3d import CONTROLLER, DRIVE

pytestmark = pytest.mark.white_box

SERVO = DRIVE | Map(ramp=None, connect=None) | Model(connect=DRIVE["connect"][1:])
"""Controller, motor and gear without a reference."""


def degrees(*angles):
    return tuple(math.radians(angle) for angle in angles)


def arm(mass, center, end, drive, **more):
    """A body whose frame `end` turns about z in the world, driven by a servo."""
    body = Solid(Box(0.1, 0.1, 0.1), mass_properties=MassProperties(mass, (center, 0.0, 0.0), 3e-3, 3e-3, 3e-3))
    model = Model3D(
        world=Object3D(feature=Scene()),
        body=Object3D(feature=body),
        end=end,
        rev=RevoluteWithFlange("world", "end", "z"),
        **more,
    )
    return model | drive | Model(connect=[("gear.flange_b", "rev.flange")])


def test_servo_with_path():
    """Two seconds after the path the controller still settles with its time constant, 1 s: so w = -(phi - phi_ref).

    The lever of the weight, 0.0857 m, is what the state of the PI controller says; the angle follows from it.
    """

    def program(actions):
        addReferencePath(actions, ["angle"], [0.0], v_max=[2.68512], a_max=[1.5])
        ptpJointSpace(actions, [[0.0], [0.3], [0.0]])

    end = Object3D(parent="body", translation=(0.155, 0.0, 0.0))
    model = arm(1.318, 0.0692845, end, SERVO, actions=ModelActions(program))
    result = instantiate(model | Model(connect=[("actions.angle.position", "ppi.outer.u")])).simulate(4.0, tolerance=1e-10)
    assert result["rev.phi"][-1] == pytest.approx(2.1923247415673457e-7, rel=0.02)
    assert result["rev.w"][-1] == pytest.approx(-2.1923342072392868e-7, rel=0.02)
    assert result["ppi.PI.x"][-1] == pytest.approx(-0.06934863003447111, rel=1e-4)
    assert result["rev.phi"].max() == pytest.approx(0.3, abs=5e-4)


def test_servo_with_ramp_and_mesh():
    end = Object3D(parent="body", translation=(0.033, 0.0, 0.0), rotation=degrees(180, 0, 0))
    result = instantiate(arm(1.390, 0.0035362, end, DRIVE)).simulate(4.0, tolerance=1e-10)
    assert 2.95 - result["rev.phi"][-1] == pytest.approx(2.95 - 2.949999509178657, rel=0.03)
    assert result["rev.w"][-1] == pytest.approx(4.908194611512363e-7, rel=0.03)
    assert result["ppi.PI.x"][-1] == pytest.approx(0.02159751818019237, rel=1e-4)


def servo(ratio, J):
    return SERVO | Map(ppi=Map(outer=Map(k=ratio)), motor=Map(J=J), gear=Map(ratio=ratio))


FINGER_SERVO = Model(
    ppi=CONTROLLER | Map(outer=Map(k=1.0), PI=Map(k=10.0)),
    force=translational.Force,
    v=translational.SpeedSensor,
    s=translational.PositionSensor,
    motor=translational.Mass | Map(m=0.1),
    connect=[
        ("s.s", "ppi.angle.u2"),
        ("v.v", "ppi.speed.u2"),
        ("ppi.PI.y", "force.f"),
        ("force.flange", "v.flange", "s.flange", "motor.flange_a"),
    ],
)
MOTORS = ((156.0, 1.3909e-5), (156.0, 1.3909e-5), (100.0, 1.3571e-5), (71.0, 9.321e-6), (71.0, 3.571e-6))
LINKS = (  # mass, centre of mass (estimated), end, rotation of the joint in the link before
    (1.390, (0.015, 0.0, -0.03), (0.033, 0.0, 0.0), (180, 0, 0)),
    (1.318, (0.0775, 0.0, -0.02), (0.155, 0.0, 0.0), (90, 0, -90)),
    (0.821, (0.0, 0.0675, 0.02), (0.0, 0.135, 0.0), (0, 0, -90)),
    (0.769, (0.0, 0.05, 0.0), (0.0, 0.11316, 0.0), (0, 0, 0)),
    (0.687, (0.0, 0.0, 0.03), (0.0, 0.0, 0.05716), (-90, 0, 0)),
)
SIZE, OPEN, CLOSED = 0.05, 0.06, 0.048
"""Of the ball or box, and distances of the fingers [m]."""


def solid(mass, center=(0.0, 0.0, 0.0), inertia=4e-4):
    return Solid(Box(0.05, 0.05, 0.05), mass_properties=MassProperties(mass, center, *(inertia * mass,) * 3))


def link(parent, mass, center, end, rotation):
    return Model(
        obj1=Object3D(parent=parent, rotation=degrees(*rotation)),
        body=Object3D(feature=solid(mass, center)),
        obj2=Object3D(parent="body", translation=end),
    )


def youbot(thing, program):
    """The youBot takes a thing from its own plate; what is attached need not mate in Modia3D, hence the tolerances."""
    lenient = MatingTolerance(0.1, math.pi, math.pi, 10.0, 10.0, symmetry=0)

    def all_actions(actions):
        addReferencePath(actions, [*NAMES, "finger"], [0.0] * 6, **LIMITS)
        ActionAttach(actions, "thing.lock", "plate")
        EventAfterPeriod(actions, 1e-10)
        program(actions)

    parts = {
        "world": Object3D(feature=Scene(gravity=UniformGravity(n="-z"), mating=lenient)),
        "thing": Model(
            body=Object3D(fixed_to_parent=False, assembly_root=True, translation=(-0.78, 0.0, 0.1792), feature=thing),
            lock=Object3D(parent="body", lockable=True, translation=(0.0, SIZE / 2.0, 0.0)),
        ),
        "base": Object3D(parent="world", translation=(-0.569, 0.0, 0.084)),
        "plate": Object3D(parent="base", lockable=True, translation=(-0.19, 0.0, 0.0702)),
        "grip": Object3D(parent="right", lockable=True, translation=(0.006, 0.005, 0.0225)),
        "actions": ModelActions(all_actions),
    }
    return Model3D(**parts) | driven_arm()


NAMES = [f"angle{k}" for k in range(1, 6)]
LIMITS = {"v_max": [2.68512, 2.68512, 4.8879, 5.8997, 5.8997, 2.0], "a_max": [1.5] * 5 + [0.5]}


def driven_arm():
    """The arm on a frame "base", its fingers, and the servos that the references of "actions" drive."""
    parts = {
        "arm": Object3D(parent="base", translation=(0.143 + 0.024, 0.0, 0.046 + 0.115)),
        "hand": Object3D(parent="link5.obj2", rotation=degrees(0, 0, -180), feature=solid(0.199)),
        "right": Object3D(parent="hand", translation=(0.0, -0.03, 0.0), feature=solid(0.010)),
        "left": Object3D(feature=solid(0.010)),
        "prism": PrismaticWithFlange("right", "left", "y"),
        "servo6": FINGER_SERVO,
    }
    connect = [("servo6.motor.flange_b", "prism.flange"), ("actions.finger.position", "servo6.ppi.outer.u")]
    for k, (data, motor) in enumerate(zip(LINKS, MOTORS, strict=True), 1):
        parts[f"link{k}"] = link(f"link{k - 1}.obj2" if k > 1 else "arm", *data)
        parts[f"rev{k}"] = RevoluteWithFlange(f"link{k}.obj1", f"link{k}.body", "z")
        parts[f"servo{k}"] = servo(*motor)
        connect += [
            (f"servo{k}.gear.flange_b", f"rev{k}.flange"),
            (f"actions.{NAMES[k - 1]}.position", f"servo{k}.ppi.outer.u"),
        ]
    return Model(**parts, connect=connect)


def rows(angle4, *wanted):
    """Rows of a path: (over the plate or lifted, distance of the fingers)."""
    poses = {
        "above": (math.pi, math.pi / 4, math.pi / 4, 0.0, 0.0),
        "plate": (math.pi, math.pi / 4, math.pi / 4, angle4, 0.0),
        "lifted": (math.pi, 0.0, math.pi / 2, 0.0, 0.0),
    }
    return [[*poses[pose], finger] for pose, finger in wanted]


def fix_sphere(actions):
    ptpJointSpace(actions, rows(1.04, ("above", OPEN), ("plate", OPEN), ("plate", CLOSED)))
    ActionReleaseAndAttach(actions, "thing.lock", "grip")
    ptpJointSpace(actions, rows(1.04, ("lifted", CLOSED), ("plate", CLOSED), ("plate", OPEN)))
    ActionReleaseAndAttach(actions, "thing.lock", "plate")
    ptpJointSpace(actions, rows(1.04, ("lifted", OPEN), ("plate", OPEN), ("plate", CLOSED)))
    ActionReleaseAndAttach(actions, "thing.lock", "grip")
    ptpJointSpace(actions, rows(1.04, ("lifted", CLOSED)))


def fix_box(actions):
    ptpJointSpace(actions, rows(1.057, ("plate", OPEN)))
    for k in range(5):
        ActionReleaseAndAttach(actions, "thing.lock", ("grip", "plate")[k % 2])
        ActionWait(actions, 0.1)  # waitingPeriod
        ptpJointSpace(actions, rows(1.057, ("lifted", CLOSED), ("plate", OPEN)))


YOUBOT = {  # program, thing, stop time; angles and speeds of the joints, distance and speed of the finger
    "YouBotFixSphere": (
        *(fix_sphere, Solid(Sphere(SIZE), "Modia3D.DryWood"), 13.5),
        [3.1415926520586592, 0.06412362163909635, 1.50666605638018, 0.08493911074550455, -2.2152092866639697e-8],
        [5.686031281508212e-9, -0.3805226293938952, 0.3805172766429968, -0.5038817608300088, 1.3239270185771387e-8],
        (0.04800059578682383, -5.955842412850578e-7),
    ),
    "YouBotFixBox": (
        *(fix_box, Solid(Box(SIZE, SIZE, SIZE), "Modia3D.DryWood"), 11.0),
        [3.1415926496583433, 0.20679231560743255, 1.364001110627563, 0.2783310416711431, -1.926685342755406e-8],
        [1.0042133974314075e-8, -0.678611893171294, 0.6786007884442663, -0.9132639724487994, 1.424354415442874e-8],
        (0.051154674365589244, -0.010363185451413967),
    ),
}


@pytest.mark.parametrize("name", YOUBOT)
def test_youbot(name):
    """The file's own tolerance is 2e-3. The simulation ends in the middle of the last path, which is said."""
    program, thing, stop_time, phi, w, finger = YOUBOT[name]
    result = instantiate(youbot(thing, program)).simulate(stop_time, tolerance=1e-8)
    assert [note["kind"] for note in result.notes if note["kind"] != "small states"] == ["unfinished path"]
    ends = np.array([[result[f"rev{k}.phi"][-1], result[f"rev{k}.w"][-1]] for k in range(1, 6)])
    np.testing.assert_allclose(ends, np.transpose([phi, w]), atol=1e-5)
    assert (result["prism.s"][-1], result["prism.v"][-1]) == pytest.approx(finger, abs=1e-6)
    assert result.statistics["compilations_after_start"] == 0
    held = result.segment(len(result.segments))
    offset = np.einsum("tji,tj->ti", held["grip.R_abs"], held["thing.body.r_abs"] - held["grip.r_abs"])
    assert np.ptp(offset, axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def carry(actions):
    """From the plate of the robot to a table."""
    quarter, half = math.pi / 4, math.pi / 2
    addReferencePath(actions, [*NAMES, "finger"], [0.0] * 6, **LIMITS)
    ptpJointSpace(actions, [[0.0] * 6, *([math.pi, quarter, quarter, a, 0.0, f] for a, f in (
        (0.0, OPEN), (1.04, OPEN), (1.04, CLOSED), (0.0, CLOSED)
    ))])  # fmt: skip
    ptpJointSpace(actions, [[0.0, a, half - 0.3, 0.0, 0.0, f] for a, f in ((0.0, CLOSED), (0.3, CLOSED), (0.3, OPEN))])
    ptpJointSpace(actions, [[0.0, 0.0, half, 0.0, 0.0, OPEN], [0.0] * 5 + [0.03]])


def test_youbot_grips_a_ball_carries_it_and_puts_it_down():
    """YouBotGripping.jl with boxes for fingers: friction holds the ball. The file's own tolerance is 1e-3. With meshes for
    fingers (not here) its contacts are 90 times as stiff as documented: it divides depths by 0.05 m, see bouncing.py."""
    wood = {"contact_material": "Modia3D.DryWood", "collision": True}

    def pad(x, y, z):
        return Solid(Box(x, y, z), mass_properties=MassProperties(1e-9, Ixx=1e-15, Iyy=1e-15, Izz=1e-15), **wood)

    scene = Scene(
        gravity=UniformGravity(9.81, "-z"), contact_damping="flores", maximum_contact_damping=1000.0,
        elastic_contact_reduction_factor=1e-3,
    )  # fmt: skip
    model = Model3D(
        world=Object3D(feature=scene),
        table=Object3D(parent="world", translation=(0.0, 0.0, 0.355), feature=Solid(Box(0.3, 0.3, 0.01), **wood)),
        ball=Object3D(
            parent="world", fixed_to_parent=False, translation=(-0.799, 0.005, 0.1842),
            feature=Solid(Sphere(SIZE), "Modia3D.DryWood", collision=True),
        ),
        base=Object3D(parent="world", translation=(-0.585, 0.0, 0.084)),
        plate=Object3D(parent="base", translation=(-0.16, 0.0, 0.0702), feature=pad(0.22, 0.22, 0.01)),
        right_pad=Object3D(parent="right", translation=(0.0, -0.0051, 0.0135), feature=pad(0.012, 0.01, 0.045)),
        left_pad=Object3D(parent="left", translation=(0.0, 0.0051, 0.0135), feature=pad(0.012, 0.01, 0.045)),
        actions=ModelActions(carry),
    )  # fmt: skip
    result = instantiate(model | driven_arm()).simulate(14.0, tolerance=1e-7, interval=0.05)
    place = [-0.0034273855231864306, -0.005096473590029367, 0.38499191752542034]
    np.testing.assert_allclose(result["ball.r_abs"][-1], place, atol=1e-3)
    assert np.abs(result["ball.v_abs"][-1]).max() < 1e-6
    assert (result["prism.s"][-1], result["prism.v"][-1]) == pytest.approx(
        (0.029699457641467846, 0.0003004755441908893), abs=1e-3
    )
    held = (result.time > 5.5) & (result.time < 10.0)
    grip = np.einsum("tji,tj->ti", result["right.R_abs"], result["ball.r_abs"] - result["right.r_abs"])[held]
    assert np.abs(grip[:, 0]).max() < 0.006  # it may roll between the pads, not out of them
    assert np.ptp(grip[:, 1:], axis=0).max() < 1e-3
