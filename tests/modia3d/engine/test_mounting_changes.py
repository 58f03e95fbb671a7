"""Drives mounted on bodies whose connections change, and joints with a support: nothing is lost, nothing counts twice."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    EnergySensor,
    EventAfterPeriod,
    MassProperties,
    MatingTolerance,
    Model3D,
    ModelActions,
    Mounting,
    NoGravity,
    Object3D,
    PowerSensor,
    Revolute,
    RevoluteWithFlange,
    RevoluteWithSupport,
    Rotor,
    Scene,
    Solid,
    SpringDamperPtP,
)
from modia3d.files import read_scenario, write_scenario
from modiapy import Map, ModelError, Var, instantiate
from modiapy.library import rotational as rot

J, C = 0.05, 2.0
WIDE = MatingTolerance(position=1e9, z_angle=4.0, symmetry=0)
WORLD = Object3D(feature=Scene(gravity=NoGravity(), mating=WIDE))


def solid(mass=2.0, center=(0.05, 0.02, -0.03)):
    return Solid(mass_properties=MassProperties(mass, center, 0.3, 0.4, 0.5))


def free(mass, **fields):
    return Object3D(parent="world", fixed_to_parent=False, assembly_root=True, feature=solid(mass), **fields)


def ports(parent):
    return {
        f"{parent}_near": Object3D(
            parent=parent, translation=(-0.4, 0.1, 0.0), rotation=(0.0, -math.pi / 2, 0.0), lockable=True
        ),
        f"{parent}_far": Object3D(parent=parent, translation=(0.4, 0.0, 0.2), rotation=(0.0, math.pi / 2, 0.0), lockable=True),
    }


def run(program, stop_time=0.6, **more):
    """Two bodies, on one of them a rotor on a spring."""
    parts = {
        "world": WORLD,
        "body": free(2.0, velocity=(0.1, 0.0, 0.0), angular_velocity=(0.2, 0.5, -0.3)),
        "other": free(3.0, translation=(1.0, 0.2, 0.0), angular_velocity=(0.0, 0.4, 0.6)),
        "mount": Mounting("body", "x"),
        "rotor": Rotor("body", "x", J=J, w=Var(init=3.0)),
        "spring": rot.Spring | Map(c=C, phi_rel0=0.5),
        "connect": [("mount.flange", "spring.flange_a"), ("spring.flange_b", "rotor.flange_a")],
        "actions": ModelActions(program),
    }
    model = Model3D(**parts | ports("body") | ports("other") | more)
    return instantiate(model).simulate(stop_time, tolerance=1e-10, interval=0.02)


def along(result):
    """The rotor's axis in world, and the speed of the body about it."""
    e = result["body.R_abs"][:, :, 0]
    return e, np.einsum("ti,ti->t", e, result["body.w_abs"])


def momentum(result):
    """Of all bodies and of the rotor."""
    e, _ = along(result)
    spin = np.nan_to_num(J * result["rotor.w"][:, None] * e)
    return np.hstack([result["mechanics.momentum"], result["mechanics.angular_momentum"] + spin])


def energy(result):
    """Of bodies, rotor and spring."""
    w, (_, w_body) = result["rotor.w"], along(result)
    return result["mechanics.kinetic_energy"] + J * (0.5 * w**2 + w * w_body) + 0.5 * C * (result["rotor.phi"] - 0.5) ** 2


def test_momentum_goes_through_impact_release_and_flip():
    def program(actions):
        EventAfterPeriod(actions, 0.1)
        ActionAttach(actions, "body_near", "other_far", on_contact="impulse")
        EventAfterPeriod(actions, 0.1)
        ActionFlipChain(actions, "tip", "other_near", release="body_near", on_contact="impulse")
        EventAfterPeriod(actions, 0.1)
        ActionRelease(actions, "tip")

    tail = {
        "tail": Object3D(feature=solid(1.0)),
        "tip": Object3D(parent="tail", translation=(0.3, 0.0, 0.0), rotation=(0.0, math.pi / 2, 0.0), lockable=True),
        "hinge": Revolute("body_far", "tail", "y", w=0.6),
    }
    result = run(program, **tail)
    kept = momentum(result)
    assert kept == pytest.approx(np.tile(kept[0], (len(kept), 1)), abs=1e-7)
    assert np.abs(np.diff(result["mechanics.angular_momentum"], axis=0)).max() > 1e-3
    left, lost = energy(result), [segment.info.get("energy_lost", 0.0) for segment in result.segments]
    assert sum(value > 1e-6 for value in lost) == 2
    assert left[0] - left[-1] == pytest.approx(sum(lost), rel=1e-6)


@pytest.mark.parametrize("park", [False, True])
def test_a_rotor_of_a_deleted_body_goes_on_as_if_that_rested(park):
    """Nothing acts on what is left; a body that appears again brings its rotor with the speed it has by then."""

    def program(actions):
        EventAfterPeriod(actions, 0.2)
        ActionDelete(actions, "body", park=park)
        EventAfterPeriod(actions, 0.2)
        if park:
            ActionAdd(actions, "body", translation=(0.0, 1.0, 0.0), angular_velocity=(0.1, 0.2, 0.3))

    result = run(program)
    gone = (result.time > 0.2) & (result.time < 0.4 - 1e-9)
    oscillation = 0.5 * J * result["rotor.w"] ** 2 + 0.5 * C * (result["rotor.phi"] - 0.5) ** 2
    assert oscillation[gone] == pytest.approx(np.full(gone.sum(), oscillation[gone][0]), abs=1e-8)
    kept = momentum(result)
    assert np.ptp(kept[gone], axis=0) == pytest.approx(np.zeros(6), abs=1e-8)
    back = result.time > 0.4 + 1e-9
    assert np.ptp(kept[back], axis=0) == pytest.approx(np.zeros(6), abs=1e-8)
    if park:
        assert np.ptp(energy(result)[back]) < 1e-7
        assert np.ptp(result["body.w_abs"][back], axis=0).max() > 1e-3


# -- joints with a support ------------------------------------------------------------------------------------------------

GEARED = [
    ("joint.support", "motor.flange_a"),
    ("motor.flange_b", "rotor.flange_a"),
    ("rotor.flange_b", "gear.flange_a"),
    ("gear.flange_b", "joint.flange"),
    ("gear.support", "joint.support"),
]


def geared(axis=(0.3, -0.2, 0.9), n=10.0, **more):
    """A free body that carries motor, rotor and gear of an arm."""
    return {
        "world": WORLD,
        "body": free(2.0, angular_velocity=(0.2, -0.1, 0.3)),
        "arm": Object3D(feature=solid(1.0, (0.2, 0.0, 0.1))),
        "joint": RevoluteWithSupport("body", "arm", axis, w=Var(init=0.2)),
        "rotor": Rotor("body", axis, J=0.01),
        "gear": rot.IdealGearWithSupport | Map(ratio=n),
        "motor": rot.Torque2,
        "equations": ["motor.tau = 0.3*sin(3*time)"],
        "connect": GEARED,
    } | more


def spin(result, axis):
    e = np.array(axis) / np.linalg.norm(axis)
    return 0.01 * result["rotor.w"][:, None] * (result["body.R_abs"] @ e)


def test_a_geared_arm_on_a_free_body_keeps_momentum_and_energy():
    axis = (0.3, -0.2, 0.9)
    model = Model3D(
        **geared(axis, work=Var(init=0.0), p=PowerSensor(), e=EnergySensor(), fed=Var(init=0.0))
        | {"equations": ["motor.tau = 0.3*sin(3*time)", "der(work) = p.power", "der(fed) = motor.tau*rotor.w"]}
    )
    result = instantiate(model).simulate(2.0, tolerance=1e-10)
    kept = np.hstack([result["mechanics.momentum"], result["mechanics.angular_momentum"] + spin(result, axis)])
    assert kept == pytest.approx(np.tile(kept[0], (len(kept), 1)), abs=1e-7)
    e = result["body.R_abs"] @ (np.array(axis) / np.linalg.norm(axis))
    w, w_body = result["rotor.w"], np.einsum("ti,ti->t", e, result["body.w_abs"])
    mechanics = result["e.kinetic"] + result["e.potential"]
    assert mechanics - result["work"] == pytest.approx(np.full(len(w), mechanics[0]), abs=1e-7)
    whole = mechanics + 0.01 * (0.5 * w**2 + w * w_body)
    assert whole - result["fed"] == pytest.approx(np.full(len(w), whole[0]), abs=1e-7)
    assert np.ptp(result["fed"]) > 0.1


def test_a_drive_without_support_needs_none():
    """What acts between joint.support and joint.flange is what acts at the flange of a joint that has no support."""
    parts = {
        "world": WORLD,
        "body": free(2.0, angular_velocity=(0.2, -0.1, 0.3)),
        "arm": Object3D(feature=solid(1.0, (0.2, 0.0, 0.1))),
    }
    drive = rot.SpringDamper | Map(c=5.0, d=0.1, phi_rel0=0.7)
    mounted = Model3D(
        joint=RevoluteWithSupport("body", "arm", "y"), drive=drive,
        connect=[("joint.support", "drive.flange_a"), ("drive.flange_b", "joint.flange")], **parts,
    )  # fmt: skip
    plain = Model3D(
        joint=RevoluteWithFlange("body", "arm", "y"), drive=drive, wall=rot.Fixed,
        connect=[("wall.flange", "drive.flange_a"), ("drive.flange_b", "joint.flange")], **parts,
    )  # fmt: skip
    one, two = (instantiate(model).simulate(1.0, tolerance=1e-10, interval=0.05) for model in (mounted, plain))
    for name in ("joint.phi", "joint.w", "body.r_abs", "body.w_abs"):
        assert one[name] == pytest.approx(two[name], abs=1e-7)


def test_a_joint_with_support_can_be_locked_and_strike_a_stop():
    def program(actions):
        EventAfterPeriod(actions, 0.8)
        ActionLock(actions, "joint", on_contact="impulse")
        EventAfterPeriod(actions, 0.3)
        ActionUnlock(actions, "joint")

    axis = (0.0, 0.0, 1.0)
    parts = geared(axis, actions=ModelActions(program), rope=SpringDamperPtP("body", "arm", stiffness=2.0, nominal_length=0.1))
    parts["joint"] = RevoluteWithSupport("body", "arm", axis, w=Var(init=0.5), limits=(-1.0, 0.2))
    result = instantiate(Model3D(**parts)).simulate(1.6, tolerance=1e-10)
    kept = np.hstack([result["mechanics.momentum"], result["mechanics.angular_momentum"] + spin(result, axis)])
    assert kept == pytest.approx(np.tile(kept[0], (len(kept), 1)), abs=1e-6)
    assert len(result.segments) >= 4
    held = (result.time > 0.8 + 1e-6) & (result.time < 1.1 - 1e-6)
    assert np.ptp(result["joint.phi"][held]) < 1e-9


def test_a_joint_with_support_can_be_written_as_yaml(tmp_path):
    parts = {
        "world": WORLD,
        "body": free(2.0, angular_velocity=(0.2, -0.1, 0.3)),
        "arm": Object3D(feature=solid(1.0)),
        "joint": RevoluteWithSupport("body", "arm", "y", w=Var(init=0.3), limits=(-1.0, 2.0)),
        "drive": rot.SpringDamper | Map(c=5.0, d=0.1, phi_rel0=0.7),
        "connect": [("joint.support", "drive.flange_a"), ("drive.flange_b", "joint.flange")],
    }
    write_scenario(Model3D(**parts), tmp_path / "arm.yaml")
    again = read_scenario(tmp_path / "arm.yaml").model
    one, two = (instantiate(model).simulate(0.5, interval=0.1) for model in (Model3D(**parts), again))
    assert two["joint.phi"] == pytest.approx(one["joint.phi"], abs=1e-12)
    assert np.ptp(one["joint.phi"]) > 0.1


PLAIN = {"joint": RevoluteWithFlange("body", "arm", "z"), "mount": Mounting("body", "z")}
MOUNTED = [tuple(end.replace("joint.support", "mount.flange") for end in ends) for ends in GEARED]


def test_a_support_on_a_mounting_beside_the_joint_is_refused():
    with pytest.raises(ModelError) as caught:
        instantiate(Model3D(**geared((0.0, 0.0, 1.0)) | PLAIN | {"connect": MOUNTED}))
    for word in (
        "mount: the reaction of 'gear' on 'body' would count twice",
        "'joint'",
        "RevoluteWithSupport",
        "joint.support",
    ):
        assert word in str(caught.value)


@pytest.mark.parametrize("where", ["part", "world"])
def test_which_mountings_count_twice(where):
    """A mounting on another part of the same body counts twice, too; in the world, which takes any reaction, none does harm."""
    parts = {
        "world": WORLD,
        "body": free(2.0),
        "part": Object3D(parent="body", translation=(0.1, 0.0, 0.0)),
        "arm": Object3D(feature=solid(1.0, (0.2, 0.0, 0.1))),
        "joint": RevoluteWithFlange("world" if where == "world" else "body", "arm", "z"),
        "mount": Mounting(where, "z"),
        "motor": rot.Torque2,
        "connect": [("mount.flange", "motor.flange_a"), ("motor.flange_b", "joint.flange")],
        "equations": ["motor.tau = 0.1"],
    }
    if where == "world":
        assert instantiate(Model3D(**parts)).simulate(0.1)["joint.w"][-1] > 0.0
        return
    with pytest.raises(ModelError, match="the reaction of 'motor' on 'part' would count twice"):
        instantiate(Model3D(**parts))


def test_axis_and_bodies_of_the_joint_are_checked():
    with pytest.raises(ModelError, match=r"axis of RevoluteWithSupport is wrong; found 'q'"):
        RevoluteWithSupport("body", "arm", "q")
    with pytest.raises(ModelError, match="there is no Object3D 'bdy'"):
        instantiate(Model3D(**geared() | {"joint": RevoluteWithSupport("bdy", "arm", "z")}))
    passive = Revolute("body", "arm", "z")
    with pytest.raises(ModelError, match="joint"):
        instantiate(Model3D(**geared() | {"joint": passive}))


@pytest.mark.parametrize("order", [1, -1])
def test_a_reaction_counts_twice_however_the_connections_are_written(order):
    """Connected in pairs, in either order, through a junction that is no component: the same sets of connectors."""
    pairs = [("mount.flange", "spring.flange_a"), ("spring.flange_a", "motor.flange_a")]
    pairs += [("spring.flange_b", "motor.flange_b"), ("motor.flange_b", "rotor.flange_a"), ("rotor.flange_a", "joint.flange")]
    parts = {
        "world": WORLD,
        "body": free(2.0),
        "arm": Object3D(feature=solid(1.0, (0.2, 0.0, 0.1))),
        "joint": RevoluteWithFlange("body", "arm", "z"),
        "mount": Mounting("body", "z"),
        "spring": rot.Spring | Map(c=1.0),
        "motor": rot.Torque2,
        "rotor": rot.Inertia | Map(J=0.1),
        "connect": pairs[::order],
        "equations": ["motor.tau = 0.1"],
    }
    with pytest.raises(ModelError, match=r"mount: the reaction of '(motor|spring)' on 'body' would count twice"):
        instantiate(Model3D(**parts))
