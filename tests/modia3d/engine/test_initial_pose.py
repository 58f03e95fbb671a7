"""Initial values of joints and free bodies from the pose and velocity of a frame."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from modia3d import (
    ActionAttach,
    Actions,
    Box,
    InitialPose,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Spherical,
    UniformGravity,
    addReferencePath,
)
from modia3d.files import read_scenario
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library.rotational import Damper, Fixed, IdealGear, Inertia, Position, Spring

STEEL = 7850.0
BODY = Object3D(feature=Solid(shape=Box(0.3, 0.1, 0.1), solid_material="Steel"))


def arm(elbow=None, **entries):
    """Two links of length 1 in the x-z plane: the shoulder has a flange, the elbow none."""
    model = {
        "world": Object3D(feature=Scene(gravity=NoGravity())),
        "upper": BODY,
        "lower": BODY,
        "middle": Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        "tool": Object3D(parent="lower", translation=(1.0, 0.0, 0.0)),
        "shoulder": RevoluteWithFlange("world", "upper", "y", phi=Var(init=0.1)),
        "elbow": elbow or Revolute("middle", "lower", "y", phi=0.3, limits=(0.0, 3.0)),
    }
    return Model3D(**(model | entries))


def begin(model):
    result = instantiate(model).simulate(1e-3, tolerance=1e-10)
    return {name: result[name][0] for name in ("tool.r_abs", "tool.R_abs", "tool.v_abs", "shoulder.phi", "elbow.phi")}


def test_position_and_velocity_are_reached():
    start = begin(arm(pose=InitialPose("tool", translation=(1.2, 0.0, -0.7), velocity=(0.1, 0.0, 0.2))))
    assert start["tool.r_abs"] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)
    assert start["tool.v_abs"] == pytest.approx([0.1, 0.0, 0.2], abs=1e-9)
    assert start["elbow.phi"] == pytest.approx(math.acos((1.2**2 + 0.7**2) / 2.0 - 1.0), abs=1e-9)


def test_the_guess_and_the_limits_choose_among_the_solutions():
    wanted = InitialPose("tool", translation=(1.2, 0.0, -0.7))
    down = Revolute("middle", "lower", "y", phi=-0.3, limits=(-3.0, 0.0))
    other_guess = Revolute("middle", "lower", "y", phi=-0.3)
    bend = begin(arm(pose=wanted))["elbow.phi"]
    with_flange = RevoluteWithFlange("middle", "lower", "y", phi=Var(init=None, start=-0.3))
    for elbow in (down, other_guess, with_flange):
        start = begin(arm(elbow, pose=wanted))
        assert start["elbow.phi"] == pytest.approx(-bend, abs=1e-9)
        assert start["tool.r_abs"] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)


def test_relative_to_another_frame_with_named_joints_and_an_orientation():
    pose = InitialPose("tool", rotation=(0.0, 0.7, 0.0), relative_to="upper", joints=["elbow"])
    start = begin(arm(pose=pose))
    assert start["elbow.phi"] == pytest.approx(0.7, abs=1e-9)
    assert start["shoulder.phi"] == 0.1


def test_what_is_connected_to_the_flange_starts_with_it():
    gear = {
        "gear": IdealGear | Map(ratio=30.0),
        "rotor": Inertia | Map(J=1e-4),
        "connect": [("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "shoulder.flange")],
    }
    result = instantiate(arm(pose=InitialPose("tool", (1.2, 0.0, -0.7), velocity=(0.0, 0.0, 0.1)), **gear)).simulate(1e-3)
    assert result["rotor.phi"][0] == pytest.approx(30.0 * result["shoulder.phi"][0], rel=1e-12)
    assert result["rotor.w"][0] == pytest.approx(30.0 * result["shoulder.w"][0], rel=1e-12)
    assert abs(result["shoulder.w"][0]) > 0.01
    assert result["tool.r_abs"][0] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"translation": (3.0, 0.0, 0.0)}, r"cannot be reached; found nearest: 1 m and 0 rad away"),
        (
            {"translation": (1.0, 0.0, 0.0), "joints": ["elbwo"]},
            "no joint or free Object3D 'elbwo'.*Did you mean 'elbow'",
        ),
        ({"translation": (1.0, 0.0, 0.0), "velocity": (0.0, 1.0, 0.0)}, "initial velocity cannot be reached; found 1 "),
        ({"translation": (0.0, 0.0, 0.0), "joints": ["ball"]}, "'ball' does not move 'tool'.*expected some of shoulder, elbow"),
        ({"translation": (0.5, 0.3, 0.5)}, r"0.3 m and 0 rad away \(y 0.3 m missing\), at shoulder = .*, elbow = "),
        ({"translation": (1.2, None, 0.7), "fixed": ["shoulder"]}, "cannot be reached.*at elbow = 0 .limit.; fixed: shoulder"),
        (
            {"translation": (1.2, None, None), "fixed": ["shoulder", "elbow"]},
            r"every joint that could move the Object3D to its initial pose is fixed; found shoulder"
            r".*Take it out of joints=\[...\] or of fixed=\[...\]",
        ),
        (
            {"translation": (1.2, None, None), "joints": ["elbow"], "fixed": ["elbow"]},
            "an initial pose would move a joint that another one keeps fixed",
        ),
        ({"translation": (1.2, None, None), "fixed": ["world"]}, "there is no joint or free Object3D 'world'"),
        ({"translation": (None, None, None)}, "InitialPose has no target"),
        ({"translation": (1.0, 2.0)}, r"translation of InitialPose is wrong; found \(1.0, 2.0\); expected three numbers; None"),
        ({"rotation": (0.0, None, 0.0)}, "rotation of InitialPose is wrong; found None"),
        ({"translation": (1.0, 0.0, 0.0), "relative_to": "middl"}, "there is no Object3D 'middl'.*Did you mean 'middle'"),
        ({"translation": (1.0, 0.0, 0.0), "relative_to": "lower"}, "no joint can move the Object3D to its initial pose"),
        (
            {"translation": (1.0, 0.0, 0.0), "relative_to": "spare"},
            "that is not in the scene at the start; found spare, which is parked",
        ),
        ({}, "InitialPose has no target"),
    ],
)
def test_what_cannot_be_is_refused_by_name(fields, words):
    spare = BODY | Map(parent="world", fixed_to_parent=False, parked=True)
    more = {"wrist": BODY, "ball": Spherical("tool", "wrist"), "spare": spare}
    with pytest.raises(ModelError, match=words) as caught:
        instantiate(arm(pose=InitialPose("tool", **fields), **more))
    if caught.value.path:
        with pytest.raises(ModelError, match=words) as inner:
            instantiate(Model(robot=arm(pose=InitialPose("tool", **fields), **more)))
        assert inner.value.path == f"robot.{caught.value.path}"


@pytest.mark.parametrize("across", [1e-6, -1e-3, 2.0])
def test_a_velocity_across_the_plane_of_the_arm_is_refused_however_small(across):
    with pytest.raises(ModelError, match=f"initial velocity cannot be reached; found {abs(across):.4g} .* left"):
        instantiate(arm(pose=InitialPose("tool", (1.2, None, None), velocity=(0.1, across, 0.2))))


@pytest.mark.parametrize("n", [12, 13])
def test_of_the_joints_of_a_pose_out_of_reach_twelve_are_listed(n):
    links = {"world": Object3D(feature=Scene(gravity=NoGravity()))}
    for k in range(n):
        links |= {
            f"end{k}": Object3D(parent=f"link{k - 1}" if k else "world", translation=(1.0, 0.0, 0.0)),
            f"link{k}": BODY,
            f"joint{k}": Prismatic(f"end{k}", f"link{k}", "y", limits=(-0.1, 0.1)),
        }
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        instantiate(Model3D(**links, pose=InitialPose(f"link{n - 1}", (None, 9.0, None))))
    listed, _, others = caught.value.found.partition(" and ")[2].partition(", at ")[2].partition(" and ")
    assert len(listed.split(", ")) == min(n, 12)
    assert others.partition(" others")[0] == (str(n - 12) if n > 12 else "")


def test_poses_that_contradict_each_other_are_named():
    poses = {"near": InitialPose("tool", (1.2, None, None)), "far": InitialPose("tool", (1.3, None, None))}
    with pytest.raises(ModelError, match=r"near, far: the initial poses cannot be .* together; found nearest: near 0.05 m"):
        instantiate(arm(**poses))


def test_a_component_of_a_position_with_the_least_change():
    result = instantiate(arm(pose=InitialPose("tool", ("reach", None, None)), reach=1.2)).simulate(0.0)
    expected = minimize(
        lambda q: (q[0] - 0.1) ** 2 + (q[1] - 0.3) ** 2, (0.5, 0.5), method="SLSQP", options={"ftol": 1e-15},
        constraints={"type": "eq", "fun": lambda q: math.cos(q[0]) + math.cos(q[0] + q[1]) - 1.2},
    ).x  # fmt: skip
    assert (result["shoulder.phi"][0], result["elbow.phi"][0]) == pytest.approx(expected, abs=1e-6)
    assert result["tool.r_abs"][0, 0] == pytest.approx(1.2, abs=1e-9)
    assert result.segments[0].info["least_change"] == ["shoulder", "elbow"]


def crosses(poses):
    """Two crosses of slides, and poses of what they carry."""
    slides = {}
    for name in ("one", "two"):
        slides |= {
            f"{name}_x": BODY,
            f"{name}_y": BODY,
            f"{name}_along": Prismatic("world", f"{name}_x", "x"),
            f"{name}_up": Prismatic(f"{name}_x", f"{name}_y", "y"),
        }
    named = {f"pose{k}": pose for k, pose in poses.items()}
    return instantiate(Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), **slides, **named)).simulate(0.0)


HEIGHTS = (InitialPose("one_y", translation=(None, 0.3, None)), InitialPose("two_y", translation=(None, 0.2, None)))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_a_pose_between_two_others_is_met_with_both(order):
    """A height for each of them, and a distance that both share: half of the way each."""
    poses = (*HEIGHTS, InitialPose("one_y", relative_to="two_y", translation=(0.5, None, None)))
    result = crosses({k: poses[k] for k in order})
    assert result["one_y.r_abs"][0] == pytest.approx([0.25, 0.3, 0.0], abs=1e-8)
    assert result["two_y.r_abs"][0] == pytest.approx([-0.25, 0.2, 0.0], abs=1e-8)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_poses_leave_free_is_named_whichever_pose_does(order):
    result = crosses({k: HEIGHTS[k] for k in order})
    assert result.segments[0].info["least_change"] == [("one_along", "two_along")[k] for k in order]


def test_a_wanted_velocity_takes_nothing_from_the_accuracy_of_the_position():
    for velocity in (None, (1e6, 0.0, 2e6)):
        model = arm(pose=InitialPose("tool", translation=(1.2, 0.0, -0.7), velocity=velocity))
        assert instantiate(model).simulate(0.0)["tool.r_abs"][0] == pytest.approx([1.2, 0.0, -0.7], abs=1e-10)


def test_what_is_fixed_stays_and_what_is_determined_is_not_named():
    result = instantiate(arm(pose=InitialPose("tool", (1.2, None, None), fixed=["shoulder"]))).simulate(0.0)
    assert result["shoulder.phi"][0] == 0.1
    assert result["elbow.phi"][0] == pytest.approx(math.acos(1.2 - math.cos(0.1)) - 0.1, abs=1e-9)
    assert "least_change" not in result.segments[0].info


def test_the_nearest_of_several_solutions_from_a_stretched_arm():
    straight = {"elbow": Revolute("middle", "lower", "y"), "shoulder": RevoluteWithFlange("world", "upper", "y")}
    start = begin(arm(**straight, pose=InitialPose("tool", (1.2, None, 0.0))))
    assert start["tool.r_abs"] == pytest.approx([1.2, 0.0, 0.0], abs=1e-9)
    assert abs(start["elbow.phi"]) == pytest.approx(2.0 * math.acos(0.6), abs=1e-9)


FLOATING = {
    "base": BODY | Map(parent="world", fixed_to_parent=False, translation=(0.0, 2.0, 0.0), angular_velocity=(0.0, 0.5, 0.0)),
    "shoulder": RevoluteWithFlange("base", "upper", "y", phi=Var(init=0.1)),
}


def test_a_free_tree_is_moved_or_not():
    tool = InitialPose("tool", (1.2, 2.0, -0.7), fixed=["base"])
    start = instantiate(arm(**FLOATING, pose=tool)).simulate(0.0)
    assert start["base.r_abs"][0] == pytest.approx([0.0, 2.0, 0.0], abs=0.0)
    moved = InitialPose("tool", (5.0, -2.0, 0.7), (0.1, 0.2, 0.3), joints=["base"], velocity=(0.0, 0.0, 1.0))
    start = instantiate(arm(**FLOATING, pose=moved)).simulate(0.0)
    assert (start["shoulder.phi"][0], start["elbow.phi"][0]) == (0.1, 0.3)
    assert start["tool.r_abs"][0] == pytest.approx([5.0, -2.0, 0.7], abs=1e-9)
    assert start["tool.v_abs"][0] == pytest.approx([0.0, 0.0, 1.0], abs=1e-9)
    assert np.linalg.norm(start["base.r_abs"][0] - start["tool.r_abs"][0]) > 1.0


def test_the_angular_velocity_of_a_free_body_keeps_its_direction_where_it_is_turned():
    turned = instantiate(arm(**FLOATING, pose=InitialPose("base", rotation=(1.0, 0.0, 0.0)))).simulate(0.0)
    assert turned["base.w_abs"][0] == pytest.approx([0.0, 0.5, 0.0], abs=1e-12)
    assert turned["base.r_abs"][0] == pytest.approx([0.0, 2.0, 0.0], abs=0.0)


def test_a_part_begins_in_the_hand_and_is_attached_at_once():
    def program(actions):
        ActionAttach(actions, "end", "tool")

    part = {
        "part": BODY | Map(parent="world", fixed_to_parent=False),
        "end": Object3D(parent="part", lockable=True, translation=(0.0, 0.0, 0.2)),
        "tool": Object3D(parent="lower", lockable=True, translation=(1.0, 0.0, 0.0)),
        "place": InitialPose("tool", (1.2, 0.0, -0.7), velocity=(0.1, None, None)),
        "grasp": InitialPose("end", (0, 0, 0), (math.pi, 0, 0), (0, 0, 0), (0, 0, 0), relative_to="tool"),
    }
    result = instantiate(arm(**part, actions=ModelActions(program))).simulate(0.3)
    assert result["tool.r_abs"][0] == pytest.approx([1.2, 0.0, -0.7], abs=1e-9)
    assert result["end.r_abs"] == pytest.approx(result["tool.r_abs"], abs=1e-9)
    assert result.segments[-1].info["dof"] == 2


def test_what_it_is_relative_to_stays_where_it_is():
    left = {
        "left": BODY,
        "hinge": Revolute("world", "left", "z", phi=0.2),
        "hand": Object3D(parent="left", translation=(1.5, 0.0, 0.0)),
    }
    result = instantiate(arm(**left, meet=InitialPose("hand", (None, 0.1, None), relative_to="tool"))).simulate(0.0)
    assert (result["shoulder.phi"][0], result["elbow.phi"][0]) == (0.1, 0.3)
    assert result["hand.r_abs"][0, 1] == pytest.approx(0.1, abs=1e-9)


def drive(p, **shoulder):
    return arm(
        shoulder=RevoluteWithFlange("world", "upper", "y", **shoulder), motor=Position, pose=p,
        connect=[("motor.flange", "shoulder.flange")], equations=["motor.phi_ref = 0.5 + 2*time"],
    )  # fmt: skip


def test_a_joint_that_equations_move_keeps_its_motion():
    pose = InitialPose("tool", (1.2, None, None), velocity=(0.3, None, None), fixed=["shoulder"])
    result = instantiate(drive(pose, phi=Var(), w=Var())).simulate(0.0)
    assert result["shoulder.phi"][0] == pytest.approx(0.5, abs=1e-12)
    assert result["tool.r_abs"][0, 0] == pytest.approx(1.2, abs=1e-9)
    assert result["tool.v_abs"][0, 0] == pytest.approx(0.3, abs=1e-9)
    with pytest.raises(SimulationError, match=r"shoulder.phi: .*contradicts the equations"):
        instantiate(drive(InitialPose("tool", (1.2, None, None)))).simulate(0.0)


def test_a_pose_that_depends_on_what_is_not_known_yet_is_refused():
    """The position of a reference path is known when the simulation has begun, that of the elbow is needed before."""
    servo = Model(flange=Model(phi=Var(potential=True), tau=Var(flow=True)), u=Var(input=True), equations=["flange.phi = u"])
    driven = arm(
        shoulder=RevoluteWithFlange("world", "upper", "y", phi=Var(), w=Var()),
        servo=servo,
        actions=ModelActions([addReferencePath(Actions(), ["ref"], [0.5], v_max=[2.0], a_max=[8.0])]),
        connect=[("servo.flange", "shoulder.flange"), ("actions.ref.position", "servo.u")],
    )
    assert instantiate(driven).simulate(0.0)["shoulder.phi"][0] == pytest.approx(0.5)
    pose = InitialPose("tool", (1.2, None, None), joints=["elbow"])
    with pytest.raises(SimulationError, match=r"initial value of 'shoulder\.phi' is not known"):
        instantiate(driven | Model3D(pose=pose)).simulate(0.0)


def on_a_path(start, **shoulder):
    """The shoulder follows a reference path from its first moment on."""
    servo = Model(flange=Model(phi=Var(potential=True), tau=Var(flow=True)), u=Var(input=True), equations=["flange.phi = u"])
    return arm(
        shoulder=RevoluteWithFlange("world", "upper", "y", **shoulder),
        servo=servo,
        actions=ModelActions([addReferencePath(Actions(), ["ref"], [start], v_max=[2.0], a_max=[8.0])]),
        connect=[("servo.flange", "shoulder.flange"), ("actions.ref.position", "servo.u")],
    )


def test_a_pose_is_met_with_what_a_path_says_or_refused():
    """Where nobody says where the path begins, the pose was computed with another value."""
    pose = InitialPose("tool", (1.2, None, None), joints=["elbow"])
    with pytest.raises(SimulationError, match=r"pose: .*is not met.*Give these.*: shoulder\.phi = 0\.5\.") as error:
        instantiate(on_a_path(0.5) | Model3D(pose=pose)).simulate(0.0)
    missing = float(str(error.value).split("found ")[1].split()[0])
    taken = instantiate(on_a_path(0.0) | Model3D(pose=pose)).simulate(0.0)["elbow.phi"][0]  # with the shoulder at zero
    assert missing == pytest.approx(abs(1.2 - math.cos(0.5) - math.cos(0.5 + taken)), rel=1e-3)
    result = instantiate(on_a_path(0.5, phi=Var(init=0.5)) | Model3D(pose=pose)).simulate(0.0)
    assert result["tool.r_abs"][0, 0] == pytest.approx(1.2, abs=1e-9)
    assert result["shoulder.phi"][0] == 0.5


def test_a_wanted_velocity_is_met_with_the_speeds_that_equations_give_or_refused():
    """The shoulder turns with a speed that its own initial value does not tell."""
    pose = InitialPose("tool", velocity=(0.3, None, None), joints=["elbow"])
    moved = Model(flange=Model(phi=Var(potential=True), tau=Var(flow=True)), u=Var(input=True), v=Var(input=True))
    model = arm(
        shoulder=RevoluteWithFlange("world", "upper", "y"),
        servo=moved | Model(s=Var(init=0.0), equations=["der(s) = v", "flange.phi = s"]),
        actions=ModelActions([addReferencePath(Actions(), ["ref"], [0.7], v_max=[2.0], a_max=[8.0])]),
        connect=[("servo.flange", "shoulder.flange"), ("actions.ref.position", "servo.v"), ("actions.ref.position", "servo.u")],
        pose=pose,
    )
    with pytest.raises(SimulationError, match=r"pose: .*is not met.*Give these initial values: shoulder\.w = 0\.7\."):
        instantiate(model).simulate(0.0)
    with pytest.raises(SimulationError) as caught:
        instantiate(Model(cell=model)).simulate(0.0)
    assert caught.value.path == "cell.pose"
    beside = InitialPose("tool", relative_to="upper", angular_velocity=(None, 0.4, None), joints=["elbow"])
    result = instantiate(model | Model3D(pose=beside)).simulate(0.0)  # what the shoulder does is nothing to it
    assert [result[f"{name}.w"][0] for name in ("shoulder", "elbow")] == pytest.approx([0.7, 0.4])


def test_out_of_reach_of_what_equations_move():
    pose = InitialPose("tool", (None, None, -1.9), joints=["elbow"])
    with pytest.raises(SimulationError, match=r"pose: .*cannot be reached.*the equations determine shoulder = 0.5"):
        instantiate(drive(pose, phi=Var(start=1.2), w=Var())).simulate(0.0)


def test_initial_equations_and_poses_are_met_together():
    """The weight of the forearm, whose place follows from the pose, decides where the shoulder is in equilibrium."""
    hung = {
        "world": Object3D(feature=Scene(gravity=UniformGravity(n="-z"))),
        "weight": BODY | Map(parent="lower", translation=(0.5, 0.0, 0.0)),
        "shoulder": RevoluteWithFlange("world", "upper", "y", phi=Var(init=None, start=0.1)),
        "spring": Spring | Map(c=500.0),
        "ground": Fixed,
        "connect": [("ground.flange", "spring.flange_a"), ("spring.flange_b", "shoulder.flange")],
        "initial_equations": ["der(shoulder.w) = 0"],
    }
    result = instantiate(arm(**hung, pose=InitialPose("tool", (1.2, None, None), fixed=["shoulder"]))).simulate(0.0)
    a, b = result["shoulder.phi"][0], result["shoulder.phi"][0] + result["elbow.phi"][0]
    assert math.cos(a) + math.cos(b) == pytest.approx(1.2, abs=1e-9)
    assert abs(result["der(shoulder.w)"][0]) < 1e-9
    mass, g = 0.3 * 0.1 * 0.1 * STEEL, 9.81
    inertia = 2.0 * mass * (0.3**2 + 0.1**2) / 12.0 + 0.25 * mass
    falls = mass * g * 0.5 * math.cos(b) / inertia  # the forearm, about the elbow
    force = (-0.5 * mass * falls * math.sin(b), 2.0 * mass * g - 0.5 * mass * falls * math.cos(b))
    assert 500.0 * a == pytest.approx(force[0] * math.sin(a) + force[1] * math.cos(a), rel=1e-8)


def test_the_tip_of_a_double_pendulum():
    """Modelica.Mechanics.MultiBody.Examples.Elementary.DoublePendulumInitTip: x = 0.7, y = 0.3, at rest."""
    bar = Object3D(
        feature=Solid(shape=Box(0.5, 0.06, 0.06), mass_properties=MassProperties(mass=13.86, Ixx=1.0, Iyy=1.0, Izz=1.0))
    )
    model = Model3D(
        world=Object3D(feature=Scene()),
        bar1=bar,
        bar2=bar,
        **{f"start{k}": Object3D(parent=f"bar{k}", translation=(-0.25, 0.0, 0.0)) for k in (1, 2)},
        end1=Object3D(parent="bar1", translation=(0.25, 0.0, 0.0)),
        tip=Object3D(parent="bar2", translation=(0.25, 0.0, 0.0)),
        revolute1=RevoluteWithFlange("world", "start1", "z", w=Var(init=1.0)),
        revolute2=Revolute("end1", "start2", "z", w=-1.0),
        damper=Damper | Map(d=0.1),
        ground=Fixed,
        connect=[("ground.flange", "damper.flange_a"), ("damper.flange_b", "revolute1.flange")],
        init=InitialPose("tip", (0.7, 0.3, None), velocity=(0.0, 0.0, None)),
        lost=Var(init=0.0),
        equations=["der(lost) = 0.1*revolute1.w**2"],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9)
    assert result["tip.r_abs"][0] == pytest.approx([0.7, 0.3, 0.0], abs=1e-9)
    assert np.abs(result["tip.v_abs"][0]).max() < 1e-12
    phi2 = math.acos((0.7**2 + 0.3**2 - 0.5) / 0.5)
    sign = math.copysign(1.0, result["revolute2.phi"][0])
    assert result["revolute2.phi"][0] == pytest.approx(sign * phi2, abs=1e-9)
    assert result["revolute1.phi"][0] == pytest.approx(math.atan2(0.3, 0.7) - sign * 0.5 * phi2, abs=1e-9)
    assert abs(result["revolute1.w"][0]) + abs(result["revolute2.w"][0]) < 1e-12
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"] + result["lost"]
    assert energy == pytest.approx(np.full_like(energy, energy[0]), abs=1e-4)


def test_new_poses_by_merge():
    sim = instantiate(arm(pose=InitialPose("tool", (1.2, None, None))))
    for wanted in ((1.5, None, None), (None, None, -1.1)):
        result = sim.simulate(0.0, merge=Map(pose=Map(translation=wanted)))
        reached = result["tool.r_abs"][0]
        assert [x for x, w in zip(reached, wanted, strict=True) if w is not None] == pytest.approx(
            [w for w in wanted if w is not None], abs=1e-9
        )


def test_a_prismatic_joint_in_yaml(tmp_path):
    file = tmp_path / "pose.yaml"
    file.write_text(
        """
modia3d: 1
simulation: {stop_time: 0.01}
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: }}}}}
  sled: {Object3D: {feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]}, solid_material: Steel}}}}
  rail: {PrismaticWithFlange: {obj1: world, obj2: sled, axis: [1, 1, 0]}}
  part:
    Object3D: {parent: world, fixed_to_parent: false, feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]}, solid_material: Steel}}}
  start: {InitialPose: {obj: sled, translation: [0.3, null, null], velocity: [null, 0.0, null]}}
  load: {InitialPose: {obj: part, translation: [0, 0, 0.1], rotation: [0, 0, 0.5], relative_to: sled}}
"""
    )
    result = read_scenario(file).instantiate().simulate(0.01)
    assert result["rail.s"][0] == pytest.approx(0.3 * math.sqrt(2.0), abs=1e-12)
    assert np.ptp(result["rail.s"]) < 1e-12
    assert result["part.r_abs"][0] == pytest.approx([0.3, 0.3, 0.1], abs=1e-12)
    assert result["part.R_abs"][0, :, 0] == pytest.approx([math.cos(0.5), math.sin(0.5), 0.0], abs=1e-12)


def test_without_flange_too():
    model = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        sled=BODY,
        rail=Prismatic("world", "sled", "z"),
        start=InitialPose("sled", translation=(0.0, 0.0, 0.4), velocity=(0.0, 0.0, 2.0)),
    )
    result = instantiate(model).simulate(0.5)
    assert (result["rail.s"][0], result["rail.v"][0]) == pytest.approx((0.4, 2.0), abs=1e-12)
    assert result["rail.s"][-1] == pytest.approx(1.4, abs=1e-8)


def test_a_wanted_velocity_changes_the_speeds_that_are_given_least():
    """One slide on another: 1 m/s and nothing are given, 2 m/s wanted; half of what is missing comes from each."""
    slides = {
        "one": BODY,
        "two": BODY,
        "first": PrismaticWithFlange("world", "one", "x", v=Var(start=1.0)),
        "second": PrismaticWithFlange("one", "two", "x"),
        "pose": InitialPose("two", velocity=(2.0, None, None)),
    }
    result = instantiate(Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), **slides)).simulate(1e-3)
    assert [result["first.v"][0], result["second.v"][0]] == pytest.approx([1.5, 0.5], abs=1e-9)
