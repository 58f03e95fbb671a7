"""Views of a model that is stepped, against Pinocchio, MuJoCo, other functions of ours, and finite differences."""

import math

import mujoco
import numpy as np
import pinocchio
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    ActionWait,
    FreeMotion,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    PrismaticWithFlange,
    Revolute,
    RevoluteWithFlange,
    Spherical,
    UniformGravity,
)
from modia3d.dynamics import Dynamics
from modia3d.files import import_mjcf, import_urdf
from modia3d.topology import forest_of
from modiapy import Map, Model, ModelError, Var, instantiate
from modiapy.library.rotational import Flange, IdealGear, Position, Torque
from modiapy.library.translational import Force
from tests.modia3d import scenes
from tests.modia3d.files.importers.robots import robot_folder
from tests.modia3d.files.importers.test_mjcf import ARM, BALLS, FREE

pytestmark = pytest.mark.white_box

DOWN = UniformGravity(9.81, "-z")
ROBOTS = robot_folder() / "robots"
UR5 = ROBOTS / "ur_description/urdf/ur5_robot.urdf"
ACTIVE = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
START = dict(zip(ACTIVE, [0.3, -1.2, 1.0, 0.4, -0.7, 0.2], strict=True))


def driven(part, joints, inputs, **more):
    """A part in a `Model3D` named ``cell``; the expressions ``inputs`` are the torques of its joints."""
    drives = {f"drive{k}": Torque for k in range(len(joints))}
    return Model(
        cell=Model3D(world=scenes.world(DOWN), arm=part),
        **drives,
        equations=[f"drive{k}.tau = {text}" for k, text in enumerate(inputs)],
        connect=[(f"drive{k}.flange", f"cell.arm.{name}.flange") for k, name in enumerate(joints)],
        **more,
    )


@pytest.fixture(scope="module")
def ur5():
    """UR5; its inputs are in another order than its joints, as scalars and a vector, some with the opposite sign."""
    part = import_urdf(UR5, flanges="all", scene=False, visuals=False, positions=START)
    inputs = ["u[1]", "-u[0]", "lone", "-u[3]", "u[2]", "-other"]
    more = {"u": Var(input=True, start=np.zeros(4)), "other": Var(input=True, start=0.0), "lone": Var(input=True, start=0.0)}
    return instantiate(driven(part, ACTIVE, inputs, **more))


class Peer:
    """The UR5 of Pinocchio."""

    def __init__(self):
        self.model = pinocchio.buildModelFromUrdf(str(UR5))
        self.data = self.model.createData()
        assert list(self.model.names)[1:] == ACTIVE

    def jacobian(self, q, frame):
        pinocchio.computeJointJacobians(self.model, self.data, q)
        place = self.model.getFrameId(frame)
        return pinocchio.getFrameJacobian(self.model, self.data, place, pinocchio.LOCAL_WORLD_ALIGNED)


def test_an_arm_is_that_of_pinocchio_wherever_it_is(ur5):
    """Closed forms of another program at six points of one motion; both are exact, what differs is rounding."""
    peer, push = Peer(), np.array([4.0, 60.0, -3.0, 2.0, 1.0, -0.5])
    with ur5.stepper(1.0) as stepper:
        arm = stepper.view("cell.arm")
        assert arm.joints == arm.driven == tuple(ACTIVE)
        assert np.array_equal(arm.q, [*START.values()])
        seen = []
        while stepper.running and stepper.time < 0.5:
            q, v = arm.q, arm.v
            assert np.array_equal(q, [stepper[name] for name in arm.coordinates])
            assert np.array_equal(v, [stepper[name] for name in arm.speeds])
            model, data = peer.model, peer.data
            M = pinocchio.crba(model, data, q)
            M = np.triu(M) + np.triu(M, 1).T
            assert np.allclose(arm.mass_matrix(), M, rtol=0.0, atol=1e-12)
            assert np.allclose(arm.bias(), pinocchio.nonLinearEffects(model, data, q, v), rtol=0.0, atol=1e-10)
            assert np.allclose(arm.gravity(), pinocchio.computeGeneralizedGravity(model, data, q), rtol=0.0, atol=1e-10)
            for frame in ("tool0", "forearm_link", "base_link"):
                J = peer.jacobian(q, frame)
                assert np.allclose(arm.jacobian(frame), J, rtol=0.0, atol=1e-12)
                pinocchio.framesForwardKinematics(model, data, q)
                pose = data.oMf[model.getFrameId(frame)]
                assert np.allclose(arm.position(frame), pose.translation, rtol=0.0, atol=1e-12)
                assert np.allclose(arm.rotation(frame), pose.rotation, rtol=0.0, atol=1e-12)
                assert np.allclose(arm.velocity(frame), J[:3] @ v, rtol=0.0, atol=1e-11)
                assert np.allclose(arm.angular_velocity(frame), J[3:] @ v, rtol=0.0, atol=1e-11)
            arm.torque[:] = push
            seen.append(q.copy())
            stepper.step(0.1)
            assert arm.q is q
            assert not np.array_equal(q, seen[-1])
    assert len(seen) >= 5


def test_torques_reach_their_joints(ur5):
    """After an instant the speeds are what the inverse of Pinocchio's mass matrix makes of each torque, besides gravity."""
    peer, dt = Peer(), 1e-5
    for k in range(6):
        with ur5.stepper(1.0, tolerance=1e-10) as stepper:
            arm = stepper.view("cell.arm")
            arm.torque[:] = arm.gravity()
            arm.torque[k] += 10.0
            stepper.step(dt)
            expected = 10.0 * dt * np.linalg.inv(arm.mass_matrix())[:, k]
            assert np.allclose(arm.v, expected, rtol=0.0, atol=1e-3 * np.abs(expected).max())
            assert stepper["cell.arm.elbow_joint.flange.tau"] == pytest.approx(arm.torque[2], abs=1e-12)
    assert peer.model.nv == 6


def test_gravity_torques_hold_an_arm_where_it_is(ur5):
    with ur5.stepper(1.0, tolerance=1e-9) as stepper:
        arm = stepper.view("cell.arm")
        begin = arm.q.copy()
        for _ in range(20):
            arm.torque = arm.gravity()
            stepper.step(0.01)
        assert np.abs(arm.q - begin).max() < 1e-9
        arm.torque += 1.0
        stepper.step(0.1)
        assert np.abs(arm.q - begin).max() > 1e-3


def test_a_part_is_a_block_of_the_whole():
    """Two arms on one sledge: each view has the columns of its own joints."""

    def arm(x):
        return Model(
            shoulder=Object3D(parent="table", translation=(x, 0.0, 0.0)),
            upper=scenes.body(2.0, (0.1, 0.2, 0.15), (0.3, 0.0, 0.1)),
            elbow_frame=Object3D(parent="upper", translation=(0.6, 0.0, 0.0)),
            lower=scenes.body(1.0, 0.05, (0.2, 0.1, 0.0)),
            tip=Object3D(parent="lower", translation=(0.4, 0.0, 0.1), rotation=(0.2, 0.3, 0.0)),
            lift=RevoluteWithFlange("shoulder", "upper", "y", phi=Var(init=0.3), w=Var(init=1.0)),
            elbow=Revolute("elbow_frame", "lower", (0.0, 1.0, 1.0), phi=-0.5, w=0.7),
        )

    model = Model3D(
        world=scenes.world(DOWN),
        table=scenes.body(5.0),
        left=arm(-0.5),
        right=arm(0.5),
        slide=Prismatic("world", "table", "x", v=0.4),
    )
    forest = forest_of(model)
    with instantiate(model).stepper(1.0, tolerance=1e-9) as stepper:
        stepper.step(0.2)
        left, right, whole = stepper.view("left"), stepper.view("right"), stepper.view()
        assert (left.joints, right.joints) == (("lift", "elbow"), ("lift", "elbow"))
        assert whole.joints == ("slide", "left.lift", "left.elbow", "right.lift", "right.elbow")
        assert left.coordinates == ("left.lift.phi", "left.elbow.phi")
        d = Dynamics(forest.ints, forest.floats, forest.gravity)
        order_q, order_v = ([forest.indices[name][k] for name in whole.joints] for k in (1, 2))
        d.q[order_q], d.v[order_v] = whole.q, whole.v
        d.bias(), d.mass_matrix()
        M = d.M[np.ix_(order_v, order_v)]
        assert np.allclose(whole.mass_matrix(), M, rtol=0.0, atol=1e-13)
        assert np.allclose(whole.bias(), d.h[order_v], rtol=0.0, atol=1e-12)
        body, _, p = forest.frame_pose(forest.graph.index["left.tip"])
        J = d.frame_jacobian(body, p)[:, order_v]
        assert np.allclose(whole.jacobian("left.tip"), J, rtol=0.0, atol=1e-13)
        for view, at in ((left, [1, 2]), (right, [3, 4])):
            assert np.array_equal(view.q, whole.q[at])
            assert np.array_equal(view.v, whole.v[at])
            assert np.allclose(view.mass_matrix(), M[np.ix_(at, at)], rtol=0.0, atol=1e-13)
            assert np.allclose(view.bias(), d.h[order_v][at], rtol=0.0, atol=1e-12)
            assert np.allclose(view.jacobian("left.tip"), J[:, at], rtol=0.0, atol=1e-13)  # by its full name
        assert np.array_equal(left.position("tip"), whole.position("left.tip"))
        assert not np.any(right.jacobian("left.tip"))
        assert np.allclose(left.velocity("tip"), J[:3] @ whole.v, rtol=0.0, atol=1e-13)
        few = stepper.view("left", joints=["elbow", "left.lift"])
        assert np.array_equal(few.q, left.q[::-1])
        assert np.array_equal(few.mass_matrix(), left.mass_matrix()[::-1, ::-1])
        assert np.array_equal(few.jacobian("tip"), left.jacobian("tip")[:, ::-1])


def floating():
    """A ship in free motion, a ball joint and a slide on it, nothing with a flange."""
    return Model3D(
        world=scenes.world(DOWN),
        robot=Model(
            ship=scenes.body(3.0, (0.4, 0.3, 0.5), (0.1, 0.0, 0.05), parent="world", fixed_to_parent=False,
                             translation=(1.0, 2.0, 3.0), rotation=(0.3, -0.2, 0.5), velocity=(0.1, 0.2, -0.1),
                             angular_velocity=(0.5, -1.0, 0.7)),
            mast=Object3D(parent="ship", translation=(0.0, 0.2, 0.4)),
            boom=scenes.body(1.0, (0.1, 0.15, 0.06), (0.0, 0.0, 0.4)),
            top=Object3D(parent="boom", translation=(0.1, 0.0, 0.8), rotation=(0.4, 0.0, 0.2)),
            cart=scenes.body(0.5, 0.01),
            ball=Spherical("mast", "boom", rotation=(0.2, 0.1, -0.4), angular_velocity=(0.3, 0.8, -0.5)),
            slide=Prismatic("cart", "top", (1.0, 0.0, 1.0), s=0.2, v=-0.3),
        ),
    )  # fmt: skip


def test_a_floating_robot_moves_as_its_jacobian_says():
    """Position and orientation by central differences over the motion; energies and gravity by the signals of the result."""
    h = 1e-3
    with instantiate(floating()).stepper(1.0, tolerance=1e-12) as stepper:
        robot = stepper.view("robot")
        assert robot.joints == ("ship", "ball", "slide")
        assert (robot.q.shape, robot.v.shape) == ((12,), (10,))
        assert robot.q[:3] == pytest.approx([1.0, 2.0, 3.0])
        assert robot.v[:3] == pytest.approx([0.1, 0.2, -0.1])
        found = []
        for k in range(3):
            stepper.step(until=0.3 + (k - 1) * h)
            found.append((robot.position("cart"), robot.rotation("cart"), robot.jacobian("cart") @ robot.v, robot.v.copy()))
            if k == 1:
                assert 0.5 * robot.v @ robot.mass_matrix() @ robot.v == pytest.approx(stepper["mechanics.kinetic_energy"])
                assert np.allclose(robot.jacobian("cart")[:3] @ robot.v, robot.velocity("cart"), rtol=0.0, atol=1e-13)
                assert np.allclose(robot.jacobian("cart")[3:] @ robot.v, robot.angular_velocity("cart"), rtol=0.0, atol=1e-13)
                solids = ("ship", 3.0, (0.1, 0.0, 0.05)), ("boom", 1.0, (0.0, 0.0, 0.4)), ("cart", 0.5, (0.0, 0.0, 0.0))
                weights = sum(weight(robot, name, mass, center) for name, mass, center in solids)
                assert np.allclose(robot.gravity(), weights, rtol=0.0, atol=1e-12)
                M, bias = robot.mass_matrix(), robot.bias()
    (p0, R0, _, v0), (_, R1, moved, _), (p2, R2, _, v2) = found
    assert np.allclose((p2 - p0) / (2 * h), moved[:3], rtol=0.0, atol=5e-6)
    W = (R2 - R0) / (2 * h) @ R1.T
    assert np.allclose([W[2, 1], W[0, 2], W[1, 0]], moved[3:], rtol=0.0, atol=5e-6)
    assert np.allclose(M @ (v2 - v0) / (2 * h), -bias, rtol=0.0, atol=5e-5)  # no torques: M a + h = 0


def weight(robot, name, mass, center):
    """The generalized forces that hold a mass whose center has these coordinates in a frame."""
    up, J = np.array([0.0, 0.0, 9.81 * mass]), robot.jacobian(name)
    return up @ J[:3] + np.cross(robot.rotation(name) @ center, up) @ J[3:]


def coupling(law, slope):
    """A mechanism without power of its own by which one angle is a function of another one."""
    equations = [f"flange_b.phi = {law}", f"flange_a.tau = -({slope})*flange_b.tau"]
    return Model(flange_a=Flange, flange_b=Flange, equations=equations)


def test_coordinates_that_are_no_states():
    """A gear, a coupling with an offset, a cam, a motion that is given: all as their signals are."""
    arms = {f"arm{k}": scenes.body(1.0, 0.1, (0.3, 0.0, 0.0)) for k in range(6)}
    joints = {f"joint{k}": RevoluteWithFlange("world", f"arm{k}", "y", phi=Var(), w=Var()) for k in range(1, 6)}
    model = Model3D(
        world=scenes.world(DOWN),
        **arms,
        joint0=RevoluteWithFlange("world", "arm0", "y", phi=Var(init=0.4), w=Var(init=0.3)),
        **joints,
        gear=IdealGear | Map(ratio=-2.5),
        shifted=coupling("0.2 + 3*flange_a.phi", "3"),
        doubled=coupling("2*flange_a.phi", "2"),
        cam=coupling("sin(flange_a.phi)", "cos(flange_a.phi)"),
        motion=Position,
        equations=["motion.phi_ref = sin(time)"],
        connect=[
            ("gear.flange_a", "joint0.flange"),
            ("gear.flange_b", "joint1.flange"),
            ("shifted.flange_a", "joint0.flange"),
            ("shifted.flange_b", "joint2.flange"),
            ("doubled.flange_a", "joint2.flange"),
            ("doubled.flange_b", "joint5.flange"),
            ("cam.flange_a", "joint0.flange"),
            ("cam.flange_b", "joint3.flange"),
            ("motion.flange", "joint4.flange"),
        ],
    )
    with instantiate(model).stepper(1.0) as stepper:
        view = stepper.view()
        for _ in range(3):
            stepper.step(0.1)
            q, v = view.q, view.v
            assert np.allclose(q, [stepper[name] for name in view.coordinates], rtol=0.0, atol=1e-14)
            assert np.allclose(v, [stepper[name] for name in view.speeds], rtol=0.0, atol=1e-13)
            assert q[0] == pytest.approx(-2.5 * q[1])
            assert q[2:4] == pytest.approx([0.2 + 3 * q[0], math.sin(q[0])])
            assert (q[5], v[5]) == pytest.approx((2 * q[2], 6 * v[0]))
            assert (q[4], v[4]) == pytest.approx((math.sin(stepper.time), math.cos(stepper.time)))
            assert np.allclose(view.gravity(), -9.81 * 0.3 * np.cos(q), rtol=0.0, atol=1e-12)
        assert not np.array_equal(q[:1], [0.4])


def test_a_closed_loop():
    """A four-bar linkage: all angles are those of its frames, whichever joint is cut; the tip moves as the Jacobian says."""
    bar = {"mass": 1.0, "inertia": (0.02, 0.05, 0.05)}
    model = Model3D(
        world=scenes.world(DOWN),
        support=Object3D(parent="world", translation=(1.0, 0.0, 0.0)),
        crank=scenes.body(**bar),
        crank_end=Object3D(parent="crank", translation=(0.0, 0.0, 0.4)),
        rod=scenes.body(**bar),
        rod_end=Object3D(parent="rod", translation=(1.0, 0.0, 0.0)),
        rocker=scenes.body(**bar),
        rocker_end=Object3D(parent="rocker", translation=(0.0, 0.0, 0.4)),
        turn=Revolute("world", "crank", "y", phi=0.3, w=0.8, fixed=True),
        bend=Revolute("crank_end", "rod", "y", phi=-0.3),
        swing=Revolute("support", "rocker", "y", phi=0.3),
        closes=Revolute("rod_end", "rocker_end", "y", phi=0.3),
    )
    with instantiate(model).stepper(1.0, tolerance=1e-10) as stepper:
        view = stepper.view()
        for _ in range(5):
            stepper.step(0.1)
            q = dict(zip(view.joints, view.q, strict=True))
            v = dict(zip(view.joints, view.v, strict=True))
            assert len(view.locked) == 1
            angle, speed = q["turn"], v["turn"]  # a parallelogram: the rod does not turn
            expected = {"turn": angle, "bend": -angle, "swing": angle, "closes": angle}
            assert q == pytest.approx(expected, abs=1e-7)
            assert v == pytest.approx({"turn": speed, "bend": -speed, "swing": speed, "closes": speed}, abs=1e-7)
            assert view.position("rod_end") == pytest.approx(
                [1.0 + 0.4 * math.sin(angle), 0.0, 0.4 * math.cos(angle)], abs=1e-7
            )
            assert view.jacobian("rod_end")[:3] @ view.v == pytest.approx(view.velocity("rod_end"), abs=1e-12)
        assert abs(speed) > 0.1


def test_a_part_without_joints():
    with instantiate(floating()).stepper(1.0) as stepper:
        mast = stepper.view("robot.mast")
        assert (mast.joints, mast.q.shape, mast.mass_matrix().shape, mast.jacobian("mast").shape) == ((), (0,), (0, 0), (6, 0))
        assert np.array_equal(mast.position("mast"), stepper.view("robot").position("mast"))
        ball = stepper.view("robot.ball")
        assert (ball.joints, ball.q.shape) == (("ball",), (4,))


def changes(actions):
    ActionAttach(actions, "robot.port", "wall")
    ActionWait(actions, 0.1)
    ActionLock(actions, "robot.elbow", on_contact="impulse")
    ActionWait(actions, 0.1)
    ActionLock(actions, "robot.lift", on_contact="impulse")
    ActionWait(actions, 0.1)
    ActionUnlock(actions, "robot.lift")
    ActionUnlock(actions, "robot.elbow")
    ActionWait(actions, 0.1)
    ActionRelease(actions, "robot.port")
    ActionWait(actions, 0.1)
    ActionLock(actions, "robot.lift", on_contact="impulse")
    ActionDelete(actions, "robot.base", park=True)


def changing():
    """A base that floats, with a driven joint and a free one; it holds a wall, is locked, lets go, and is deleted."""
    return Model3D(
        world=scenes.world(),
        wall=Object3D(parent="world", translation=(0.0, 0.0, 1.0), rotation=(math.pi, 0.0, 0.0), lockable=True),
        robot=Model(
            base=scenes.body(3.0, 0.4, parent="world", fixed_to_parent=False),
            port=Object3D(parent="base", translation=(0.0, 0.0, 1.0), lockable=True),
            upper=scenes.body(2.0, (0.1, 0.2, 0.15), (0.3, 0.0, 0.1)),
            elbow_frame=Object3D(parent="upper", translation=(0.6, 0.0, 0.0)),
            lower=scenes.body(1.0, 0.05, (0.2, 0.1, 0.0)),
            lift=RevoluteWithFlange("base", "upper", "y", phi=Var(init=0.3), lockable=True),
            elbow=Revolute("elbow_frame", "lower", (0.0, 1.0, 1.0), phi=-0.5),
        ),
        drive=Torque,
        torque=Var(input=True, start=0.0),
        equations=["drive.tau = torque"],
        connect=[("drive.flange", "robot.lift.flange")],
        actions=ModelActions(changes),
    )


def test_arrays_keep_their_size_when_the_structure_changes():
    """What is locked keeps its place and is rigid in matrices. The rest is that of the whole tree with the others held."""
    model = changing()
    forest, names = forest_of(model), ("robot.base", "robot.lift", "robot.elbow")
    tree = Dynamics(forest.ints, forest.floats, forest.gravity)
    at_q = [forest.indices[name][1] + k for name, n in zip(names, (7, 1, 1), strict=True) for k in range(n)]
    at_v = [forest.indices[name][2] + k for name, n in zip(names, (6, 1, 1), strict=True) for k in range(n)]
    body, _, p = forest.frame_pose(forest.graph.index["robot.lower"])
    seen = {}
    with instantiate(model).stepper(0.6, tolerance=1e-10) as stepper:
        view = stepper.view("robot")
        q, v, torque = view.q, view.v, view.torque
        assert view.joints == ("base", "lift", "elbow")
        while stepper.running and stepper.time < 0.55:
            torque[:] = 0.5
            stepper.step(0.01)
            seen.setdefault(view.locked, (stepper.time, q.copy()))
            held = [k for k, name in enumerate(["base"] * 6 + ["lift", "elbow"]) if name in view.locked]
            moving = [k for k in range(8) if k not in held]
            M, J = view.mass_matrix(), view.jacobian("lower") if stepper.time < 0.495 else np.zeros((6, 8))
            assert (view.q is q, view.v is v, view.torque is torque) == (True, True, True)
            assert (q.shape, v.shape, M.shape, J.shape) == ((9,), (8,), (8, 8), (6, 8))
            assert np.array_equal(M[np.ix_(held, held)], np.eye(len(held)))
            assert not np.any(M[np.ix_(held, moving)])
            assert not np.any(np.concatenate([view.bias()[held], view.gravity()[held], J[:, held].ravel()]))
            if stepper.time > 0.495:
                continue
            assert not np.any(v[held])
            tree.q[at_q], tree.v[at_v] = q, v
            tree.mass_matrix(), tree.bias()
            some = np.ix_(moving, moving)
            assert np.allclose(M[some], tree.M[np.ix_(at_v, at_v)][some], rtol=0.0, atol=1e-12)
            assert np.allclose(view.bias()[moving], tree.h[at_v][moving], rtol=0.0, atol=1e-11)
            whole = tree.frame_jacobian(body, p)[:, at_v]
            assert np.allclose(J[:, moving], whole[:, moving], rtol=0.0, atol=1e-12)
            assert np.allclose(whole @ v, [*view.velocity("lower"), *view.angular_velocity("lower")], rtol=0.0, atol=1e-12)
            assert np.allclose(view.position("lower"), stepper["robot.lower.r_abs"], rtol=0.0, atol=1e-12)
        assert [*seen] == [("base",), ("base", "elbow"), ("base", "lift", "elbow"), ()]
        assert view.locked == ("base", "lift", "elbow")
        assert seen["base",][1][:7] == pytest.approx([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], abs=1e-12)
        assert np.array_equal(np.isnan(q), [*[True] * 7, False, True])  # the lift is a variable of the equations
        with pytest.raises(ModelError, match="not in the scene"):
            view.position("lower")


def moving_free():
    """Motion with which the bodies of `FREE` begin."""
    return Map(ship=Map(velocity=(0.3, -0.2, 0.5), angular_velocity=(0.4, 1.0, -0.6)), hinge=Map(phi=0.4, w=1.5),
               other=Map(angular_velocity=(1.0, 0.2, 0.3)))  # fmt: skip


@pytest.mark.parametrize(
    ("content", "change", "frames"),
    [
        (ARM, Map(shoulder=Map(phi=0.3, w=-0.5), elbow=Map(phi=-0.2, w=0.9)), ("upper", "lower", "hand")),
        (FREE, moving_free(), ("ship", "boom", "other")),
        (BALLS, Map(b1=Map(rotation=(0.1, 0.5, -0.3)), b2=Map(angular_velocity=(1.0, 0.3, -0.2))), ("a", "b")),
        (BALLS, Map(b1=Map(rotation=(0.1, 0.5, -0.3), orientation="zxy"), b2=Map(orientation="auto")), ("a", "b")),
    ],
    ids=["hinges", "free", "balls", "Cardan angles"],
)
def test_mujoco_is_where_the_view_is(tmp_path, content, change, frames):
    """Poses, velocities, mass matrix and bias of MuJoCo at our converted state, at some points of a motion."""
    file = tmp_path / "robot.xml"
    file.write_text(f"<mujoco>{content}</mujoco>")
    other = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(other)
    with instantiate(import_mjcf(file) | change).stepper(1.0, tolerance=1e-9) as stepper:
        view = stepper.view()
        order = view.mujoco_order(other)
        places = [np.flatnonzero([speed.startswith(f"{name}.") for speed in view.speeds]) for name in order.joints]
        rows = np.concatenate(places)
        for _ in range(3):
            stepper.step(0.1)
            data.qpos[:], data.qvel[:] = order.to_mujoco()
            mujoco.mj_forward(other, data)
            for name in frames:
                assert np.allclose(data.body(name).xpos, view.position(name), rtol=0.0, atol=1e-9)
                assert np.allclose(data.body(name).xmat.reshape(3, 3), view.rotation(name), rtol=0.0, atol=1e-9)
                velocity = np.zeros(6)
                mujoco.mj_objectVelocity(other, data, mujoco.mjtObj.mjOBJ_XBODY, data.body(name).id, velocity, 0)
                assert np.allclose(velocity[3:], view.velocity(name), rtol=0.0, atol=1e-9)
                assert np.allclose(velocity[:3], view.angular_velocity(name), rtol=0.0, atol=1e-9)
            M = np.zeros((other.nv, other.nv))
            mujoco.mj_fullM(other, M, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(other, data, M)
            assert np.allclose(M, view.mass_matrix()[np.ix_(rows, rows)], rtol=1e-9, atol=1e-9)
            assert np.allclose(data.qfrc_bias, view.bias()[rows], rtol=1e-9, atol=1e-8)
            q, v = order.from_mujoco(data.qpos, data.qvel)
            back = order.to_mujoco(q, v)
            assert np.allclose(back[0], data.qpos, rtol=0.0, atol=1e-12)
            assert np.allclose(v, view.v, rtol=0.0, atol=1e-12)
            assert np.allclose(np.abs(q), np.abs(view.q), rtol=0.0, atol=1e-9)


def test_names_alone_give_mujocos_order():
    with instantiate(floating()).stepper(1.0) as stepper:
        stepper.step(0.1)
        robot = stepper.view("robot")
        order = robot.mujoco_order(["slider", "ball", "root"], rename={"slider": "slide", "root": "ship"})
        assert (order.joints, order.nq, order.nv) == (("slide", "ball", "ship"), 12, 10)
        qpos, qvel = order.to_mujoco()
        expected = robot.q[[11, 7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6]]
        assert np.linalg.norm(qpos[1:5]) == pytest.approx(1.0, abs=1e-15)
        assert np.linalg.norm(qpos[8:]) == pytest.approx(1.0, abs=1e-15)
        assert np.allclose(qpos, expected, rtol=0.0, atol=1e-6)  # quaternions here are normalised to the tolerance
        assert np.array_equal(qvel, robot.v[[9, 6, 7, 8, 0, 1, 2, 3, 4, 5]])
        few = robot.mujoco_order(["slide"])
        q, v = few.from_mujoco([0.7], [0.1])
        assert (q[11], v[9]) == (0.7, 0.1)
        assert np.array_equal(q[:11], robot.q[:11])


def two_cells():
    """Two multibody systems in one model: a lifted table with a force, a pendulum with two torques on its flange."""
    table = Model3D(world=scenes.world(DOWN), plate=scenes.body(2.0), rise=PrismaticWithFlange("world", "plate", "z"))
    swing = Model3D(
        world=scenes.world(DOWN),
        rod=scenes.body(1.0, 0.1, (0.3, 0.0, 0.0)),
        hook=Object3D(parent="rod", translation=(0.6, 0.0, 0.0)),
        hinge=RevoluteWithFlange("world", "rod", "y"),
        tail=scenes.body(0.5, 0.01, (0.1, 0.0, 0.0)),
        knee=Revolute("hook", "tail", "y"),
    )
    return Model(
        table=table,
        swing=swing,
        push=Force,
        one=Torque,
        two=Torque,
        up=Var(input=True, start=0.0),
        a=Var(input=True, start=0.0),
        b=Var(input=True, start=0.0),
        equations=["push.f = up", "one.tau = a", "two.tau = b"],
        connect=[
            ("push.flange", "table.rise.flange"),
            ("one.flange", "swing.hinge.flange"),
            ("two.flange", "swing.hinge.flange"),
        ],
    )


@pytest.fixture(scope="module")
def cells():
    return instantiate(two_cells())


def test_one_of_two_systems(cells):
    with cells.stepper(1.0, tolerance=1e-9) as stepper:
        table, swing = stepper.view("table"), stepper.view("swing", torque={"hinge": "-b"})
        assert (table.joints, swing.joints) == (("rise",), ("hinge", "knee"))
        assert (table.drives, swing.drives) == ({"rise": "up"}, {"hinge": "-b"})
        assert (swing.driven_q.tolist(), swing.driven_v.tolist()) == ([0], [0])
        for _ in range(10):
            table.torque[0] = table.gravity()[0] + 2.0 * 0.5  # m a
            swing.torque[:] = -3.0
            stepper.step(0.1)
            assert stepper.inputs["b"] == 3.0
        assert table.q == pytest.approx([0.25], abs=1e-7)
        assert table.gravity() == pytest.approx([2.0 * 9.81])
        assert swing.velocity("hook") == pytest.approx(swing.jacobian("hook")[:3] @ swing.v, abs=1e-12)


def test_a_drive_that_turns_the_other_way():
    """Its flange has minus the angle of the joint; one that exerts twice the input is not taken for a torque."""
    double = Model(tau=Var(input=True), flange=Flange, equations=["flange.tau = -2*tau"])
    model = Model3D(
        world=scenes.world(),
        one=scenes.body(1.0, 0.5),
        two=scenes.body(1.0, 0.5),
        first=RevoluteWithFlange("world", "one", "z"),
        second=RevoluteWithFlange("world", "two", "z"),
        turned=coupling("-flange_a.phi", "-1"),
        motor=Torque,
        double=double,
        u=Var(input=True, start=[0.0, 0.0]),
        equations=["motor.tau = u[0]", "double.tau = u[1]"],
        connect=[
            ("motor.flange", "turned.flange_a"),
            ("turned.flange_b", "first.flange"),
            ("double.flange", "second.flange"),
        ],
    )
    with instantiate(model).stepper(1.0) as stepper:
        view = stepper.view()
        assert view is stepper.view()
        assert view.drives == {"first": "-u[0]"}
        view.torque[:] = 2.0
        stepper.step(0.5)
        assert view.v == pytest.approx([2.0 / 0.5 * 0.5, 0.0], abs=1e-6)


def test_looking_changes_nothing(cells):
    """The same results to the last bit with views and without."""
    results = []
    for looks in (False, True):
        with cells.stepper(1.0) as stepper:
            view = stepper.view("swing") if looks else None
            for _ in range(50):
                if view is not None:
                    assert np.isfinite(view.mass_matrix() @ view.v + view.bias() + view.gravity()).all()
                    assert np.isfinite(view.jacobian("hook")).all()
                stepper.step(0.02)
        results.append(stepper.result)
    for name in ("swing.hinge.phi", "swing.knee.w", "table.rise.s"):
        assert np.array_equal(*(result[name] for result in results))


def test_what_users_get_wrong(cells):
    def refusal(call, *args, **options):
        with pytest.raises(ModelError) as error:
            call(*args, **options)
        return str(error.value)

    with cells.stepper(0.1) as stepper:
        assert "table, swing" in refusal(stepper.view)
        assert "Did you mean 'swing'" in refusal(stepper.view, "swin")
        assert "there is no part" in (text := refusal(stepper.view, "swing.hok"))
        assert "Did you mean 'swing.hook'" in text
        view = stepper.view("swing")
        for function in (view.jacobian, view.position, view.rotation, view.velocity, view.angular_velocity):
            assert "there is no Object3D 'hok'" in (text := refusal(function, "hok"))
            assert "Did you mean 'hook'" in text
        assert "no joint or base 'kne'" in (text := refusal(stepper.view, "swing", joints=["hinge", "kne"]))
        assert "Did you mean 'knee'" in text
        assert "chosen twice" in refusal(stepper.view, "swing", joints=["hinge", "swing.hinge"])
        assert "two inputs act on one joint" in (text := refusal(lambda: view.torque))
        assert "a and b" in text
        assert "driven by an input" in refusal(lambda: stepper.view("swing", joints=["knee"]).torque)
        assert "Did you mean 'hinge'" in refusal(stepper.view, "swing", torque={"hing": "a"})
        assert "no input 'c'" in refusal(stepper.view, "swing", torque={"hinge": "c"})
        assert "a joint without a flange" in refusal(stepper.view, "swing", torque={"knee": "a"})
        view = stepper.view("swing", torque={"hinge": "a"})
        assert "shape (2,)" in refusal(setattr, view, "torque", [1.0, 2.0])
        view.torque = 2.0
        assert view.torque.tolist() == [2.0]
        for array in (view.q, view.v):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0
        assert "no joint 'kneee'" in (text := refusal(view.mujoco_order, ["kneee"]))
        assert "Did you mean 'knee'" in text
        assert "MuJoCo has no joint 'x'" in refusal(view.mujoco_order, ["hinge"], rename={"x": "knee"})
        assert "two places" in refusal(view.mujoco_order, ["hinge", "other"], rename={"other": "hinge"})
        order = view.mujoco_order(["knee", "hinge"])
        assert "shape (3,)" in refusal(order.from_mujoco, np.zeros(3), np.zeros(2))
        assert "shape (1,)" in refusal(order.to_mujoco, [0.0])
        ball = mujoco.MjModel.from_xml_string(
            '<mujoco><worldbody><body><joint name="knee" type="ball"/><geom size="1"/></body></worldbody></mujoco>'
        )
        assert "another kind" in refusal(view.mujoco_order, ball)
    assert "has ended" in refusal(stepper.view, "swing")
    sailor = instantiate(Model3D(world=scenes.world(), ship=scenes.free(), cup=scenes.body(), rides=FreeMotion("ship", "cup")))
    with sailor.stepper(0.1) as stepper:
        assert "no joint of this kind" in refusal(stepper.view().mujoco_order, ["rides"])
    with instantiate(Model(x=Var(init=1.0), equations=["der(x) = -x"])).stepper(0.1) as stepper:
        assert "nothing in the model has views" in refusal(stepper.view)


def test_a_view_has_no_other_options(ur5) -> None:
    with ur5.stepper(1.0) as stepper, pytest.raises(ModelError, match="a view has no option 'torques'"):
        stepper.view(torques={})
