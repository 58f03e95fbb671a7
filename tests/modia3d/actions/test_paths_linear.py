"""Straight lines of a frame: deviation, limits of the frame and of the joints, closed-form inverse kinematics, refusals."""

import functools
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.polynomial import polyder, polyval
from scipy.spatial.transform import Rotation

from modia3d import Fix, MassProperties, Model3D, Object3D, Prismatic, Revolute, Scene, Solid, Sphere
from modia3d.actions.ik import check_names
from modia3d.actions.paths import PathLimits, interrupt
from modia3d.actions.paths_curve import Curve
from modia3d.actions.paths_linear import Route, find_route, plan_linear
from modia3d.actions.paths_values import MoveLinear
from modia3d.engine.motion.configuration import Configuration
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.structure import JointLock, Structure
from modiapy import ModelError
from modiapy.library.motion_profiles import MotionLimits
from modiapy.symbolic.flattening.evaluate import evaluate
from tests.modia3d.path_checks import check_continuity, check_limits

pytestmark = pytest.mark.white_box

MASS = MassProperties(mass=1.0, Ixx=0.1, Iyy=0.1, Izz=0.1)


def body():
    return Object3D(feature=Solid(Sphere(0.1), mass_properties=MASS))


def chain(joints):
    """A model with joints in series: (name, axis, place of the next one in the frame of the moved body)."""
    model, last, place = Model3D(world=Object3D(feature=Scene())), "world", (0.0, 0.0, 0.0)
    for name, kind, axis, after in joints:
        model |= Model3D(**{
            f"{name}_base": Object3D(parent=last, translation=place),
            f"{name}_body": body(),
            name: kind(obj1=f"{name}_base", obj2=f"{name}_body", axis=axis, **LIMITED.get(name, {})),
        })  # fmt: skip
        last, place = f"{name}_body", after
    return model | Model3D(tool=Object3D(parent=last, translation=place), aside=Object3D(parent="world", translation=(1, 2, 3)))


LIMITED = {"elbow": {"limits": (-2.8, 2.8)}}
SIX = chain([
    ("base", Revolute, "z", (0.0, 0.0, 0.4)),
    ("shoulder", Revolute, "y", (0.0, 0.0, 0.5)),
    ("elbow", Revolute, "y", (0.5, 0.0, 0.0)),
    ("roll", Revolute, "x", (0.1, 0.0, 0.0)),
    ("pitch", Revolute, "y", (0.1, 0.0, 0.0)),
    ("turn", Revolute, "x", (0.1, 0.0, 0.0)),
])  # fmt: skip
SIX_JOINTS = ("base", "shoulder", "elbow", "roll", "pitch", "turn")
SIX_START = (0.1, 0.3, 0.4, 0.2, 0.6, -0.1)
SIX_LIMITS = PathLimits((2.0,) * 6, (5.0,) * 6, (50.0,) * 6)
PLANAR = chain([("first", Revolute, "z", (1.0, 0.0, 0.0)), ("second", Revolute, "z", (0.7, 0.0, 0.0))])


@functools.cache
def forest_of(key):
    return spanning_forest(build_graph(evaluate(MODELS[key]).objects), Structure())


MODELS = {}


def at(model, joints, q):
    MODELS[id(model)] = model
    forest = forest_of(id(model))
    x = np.zeros(forest.nq)
    for name, value in zip(joints, q, strict=True):
        x[forest.indices[name][1]] = value
    return Configuration(forest, x, np.zeros(forest.nv))


def pose(model, joints, q, frame="tool"):
    motion = at(model, joints, q).motion_of(frame)
    return motion.R_WF, motion.p_WF


def plan(action, model=SIX, joints=SIX_JOINTS, start=SIX_START, limits=SIX_LIMITS, **more):
    route = find_route(action, joints, start, at(model, joints, [0.3] * len(joints)))
    return plan_linear(1.0, start, route, limits, action.v_max, action.a_max, **more)


def along(trajectory, model, joints, n=60):
    """Times, and R, p of the tool there."""
    times = np.linspace(trajectory.start_time, trajectory.end_time, n)
    poses = [pose(model, joints, trajectory.evaluate(t)[0]) for t in times]
    return times, np.array([R for R, _ in poses]), np.array([p for _, p in poses])


target = st.tuples(*[st.floats(-0.25, 0.25)] * 3)


@settings(max_examples=12)
@given(target, st.tuples(*[st.floats(-0.4, 0.4)] * 3), st.floats(0.1, 2.0), st.floats(0.2, 5.0))
def test_the_frame_keeps_to_the_line_and_turns_about_one_axis_within_all_limits(way, turn, v_max, a_max):
    R0, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    R1, p1 = R0 @ Rotation.from_rotvec(turn).as_matrix(), p0 + way
    if np.linalg.norm(way) < 1e-2:
        return
    trajectory = plan(MoveLinear("tool", p1, R1.tolist(), v_max=v_max, a_max=a_max))
    check_limits(trajectory, SIX_LIMITS)
    check_continuity(trajectory, SIX_LIMITS)
    assert trajectory.start == pytest.approx(SIX_START)
    times, R, p = along(trajectory, SIX, SIX_JOINTS)
    u = (p1 - p0) / np.linalg.norm(p1 - p0)
    progress = (p - p0) @ u
    assert np.abs((p - p0) - progress[:, None] * u).max() < 1.2e-5
    assert R[-1] == pytest.approx(R1, abs=1e-9)
    assert p[-1] == pytest.approx(p1, abs=1e-9)
    turned = Rotation.from_matrix(R @ R0.T).as_rotvec()
    whole = Rotation.from_matrix(R1 @ R0.T).as_rotvec()
    assert turned == pytest.approx(np.outer(progress / np.linalg.norm(p1 - p0), whole), abs=1.2e-3)
    speed = np.diff(progress) / np.diff(times)
    assert speed.max() <= v_max * (1.0 + 1e-6) + 1e-4
    assert speed.min() >= -1e-4


def test_the_frame_has_the_wanted_velocity_and_acceleration_where_joints_permit():
    _, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    action = MoveLinear("tool", p0 + (0.0, 0.2, 0.0), v_max=0.1, a_max=0.4)
    trajectory = plan(action, limits=PathLimits((50.0,) * 6, (500.0,) * 6))
    assert trajectory.duration == pytest.approx(0.2 / 0.1 + 0.1 / 0.4, rel=1e-9)
    slow = plan(action, limits=PathLimits((0.05,) * 6, (500.0,) * 6))
    assert slow.duration > 2.0 * trajectory.duration
    check_limits(slow, PathLimits((0.05,) * 6, (500.0,) * 6))


def test_planar_arm_follows_the_closed_form_of_its_inverse_kinematics():
    l1, l2, start = 1.0, 0.7, (0.4, 1.3)
    _, p0 = pose(PLANAR, ("first", "second"), start)
    goal = np.array([0.2, 1.1, 0.0])
    trajectory = plan(
        MoveLinear("tool", goal, "free", tolerance=1e-8), PLANAR, ("first", "second"), start, PathLimits((2.0,) * 2, (9.0,) * 2)
    )
    for t in np.linspace(trajectory.start_time, trajectory.end_time, 40):
        q, _, _ = trajectory.evaluate(t)
        x, y = l1 * np.cos(q[0]) + l2 * np.cos(q.sum()), l1 * np.sin(q[0]) + l2 * np.sin(q.sum())
        second = math.acos((x**2 + y**2 - l1**2 - l2**2) / (2.0 * l1 * l2))
        first = math.atan2(y, x) - math.atan2(l2 * math.sin(second), l1 + l2 * math.cos(second))
        s = np.dot((x, y) - p0[:2], goal[:2] - p0[:2]) / np.dot(goal[:2] - p0[:2], goal[:2] - p0[:2])
        assert np.array([x, y]) == pytest.approx(p0[:2] + s * (goal[:2] - p0[:2]), abs=2e-8)
        assert q == pytest.approx([first, second], abs=1e-9)
    assert pose(PLANAR, ("first", "second"), trajectory.end)[1] == pytest.approx(goal, abs=1e-9)


def test_a_gantry_follows_a_line_at_the_speed_of_its_slowest_axis():
    model = chain([(n, Prismatic, n[-1], (0.0, 0.0, 0.0)) for n in ("to_x", "to_y", "to_z")])
    limits = PathLimits((1.0, 0.5, 2.0), (2.0,) * 3)
    trajectory = plan(MoveLinear("tool", (0.0, 4.0, 3.0)), model, ("to_x", "to_y", "to_z"), (0.0, 0.0, 0.0), limits)
    assert trajectory.end == pytest.approx((0.0, 4.0, 3.0), abs=1e-9)
    assert trajectory.duration == pytest.approx(4.0 / 0.5 + 0.5 / 2.0, rel=1e-6)


def test_a_single_slide_follows_a_line_along_its_axis():
    model = chain([("to_x", Prismatic, "x", (0.0, 0.0, 0.0))])
    trajectory = plan(MoveLinear("tool", (2.0, 0.0, 0.0)), model, ("to_x",), (0.0,), PathLimits((1.0,), (2.0,)))
    assert trajectory.end == pytest.approx((2.0,), abs=1e-9)


@pytest.mark.parametrize("size", [1e-5, 1e5])
def test_the_size_of_an_arm_does_not_decide_whether_a_line_is_singular(size):
    """With the orientation given, too, where lengths stand beside angles."""
    arms = [
        chain([(name, Revolute, "z", (length, 0.0, 0.0)) for name, length in zip("abc", lengths, strict=True)])
        for lengths in ((1.0, 0.7, 0.2), (size, 0.7 * size, 0.2 * size))
    ]
    start, limits = (0.4, 1.3, -0.5), PathLimits((2.0,) * 3, (9.0,) * 3)
    ends = []
    for arm, unit in zip(arms, (1.0, size), strict=True):
        way = np.array([-0.1, 0.05, 0.0]) * unit
        action = MoveLinear("tool", way, rotation=(0.0, 0.0, 0.1), relative_to="tool", tolerance=1e-4 * unit)
        ends.append(plan(action, arm, ("a", "b", "c"), start, limits).end)
    assert ends[1] == pytest.approx(ends[0], abs=1e-4)


def test_a_pure_rotation_keeps_the_origin_and_limits_the_angular_velocity():
    R0, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    trajectory = plan(
        MoveLinear("tool", rotation=(0.5, 0.0, 0.0), relative_to="tool", v_max=0.2), limits=PathLimits((9.0,) * 6, (90.0,) * 6)
    )
    assert trajectory.duration == pytest.approx(0.5 / 0.2, rel=0.05)
    _, R, p = along(trajectory, SIX, SIX_JOINTS)
    assert p == pytest.approx(np.tile(p0, (len(p), 1)), abs=1.2e-5)
    assert R[-1] == pytest.approx(R0 @ Rotation.from_euler("x", 0.5).as_matrix(), abs=1e-9)


def test_the_orientation_may_deviate_by_a_hundred_times_the_tolerance():
    """A gantry with a wrist whose axes meet in the tool: its origin keeps to its place exactly."""
    slides = [(name, Prismatic, name[-1], (0.0, 0.0, 0.0)) for name in ("to_x", "to_y", "to_z")]
    wrist = [(f"about_{axis}", Revolute, axis, (0.0, 0.0, 0.0)) for axis in "zyx"]
    model, joints, start = chain([*slides, *wrist]), tuple(name for name, *_ in (*slides, *wrist)), (0.0,) * 6
    R0, p0 = pose(model, joints, start)
    turn = np.array([0.9, -0.6, 0.8])
    target = (R0 @ Rotation.from_rotvec(turn).as_matrix()).tolist()

    def route(tolerance):
        return find_route(MoveLinear("tool", p0, target, tolerance=tolerance), joints, start, at(model, joints, start))

    coarse = route(0.1)
    fractions, deviations = np.linspace(0.0, 1.0, 401), list[float]()
    for fraction in fractions:
        R, _ = pose(model, joints, coarse.curve().at(fraction * coarse.length))
        deviations.append((Rotation.from_matrix(R) * Rotation.from_rotvec(fraction * turn).inv()).magnitude())
    permitted = max(deviations) / 100.0
    assert permitted > 1e-9
    assert len(route(1.02 * permitted).positions) == len(coarse.positions)
    assert len(route(0.5 * permitted).positions) > len(coarse.positions)


def test_bounds_of_a_curve_are_reached_and_not_exceeded():
    """In the first derivatives, also where these are of third degree and largest inside."""
    rng = np.random.default_rng(3)
    for degree in (1, 2, 3, 4):
        curve = Curve(np.array([0.0, 1.5]), rng.uniform(-1.0, 1.0, (1, degree + 1, 200)))
        assert curve.bounds.shape == (3, 1, 200)
        for order in (1, 2, 3):
            found = np.abs(polyval(np.linspace(0.0, 1.5, 1501), polyder(curve.coefficients[0], order))).max(axis=1)
            assert found == pytest.approx(curve.bounds[order - 1, 0], rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("jerk", [False, True])
@pytest.mark.parametrize("wanted", [False, True])
def test_along_any_curve_all_limits_are_kept_and_one_of_them_is_reached(jerk, wanted):
    """Whatever the profile: with the largest velocity, acceleration and jerk of the way at the worst place of each bound."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        pieces, degree, n = (int(k) for k in rng.integers((1, 1, 1), (4, 5, 4)))
        knots = np.cumsum([0.0, *rng.uniform(0.2, 2.0, pieces)])
        scale = 10.0 ** rng.uniform(-2.0, 2.0, 5)[: degree + 1, None]
        curve = Curve(knots, rng.normal(size=(pieces, degree + 1, n)) * scale)
        limits = PathLimits(*(tuple(rng.uniform(0.1, 10.0, n)) for _ in range(3 if jerk else 2)))
        way = MotionLimits(*rng.uniform(0.1, 10.0, 2)) if wanted else MotionLimits(math.inf, math.inf)
        inside = [np.linspace(0.0, length, 401) for length in np.diff(knots)]
        q1, q2, q3 = (
            np.array([np.abs(polyval(s, polyder(c, k))).max(axis=1) for s, c in zip(inside, curve.coefficients, strict=True)])
            for k in (1, 2, 3)
        )
        found = curve.limits(limits, way)
        v, a = found.velocity, found.acceleration
        v_max, a_max, j_max = limits.arrays
        used = [(q1 * v / v_max).max(), ((q1 * a + q2 * v**2) / a_max).max(), v / way.velocity, a / way.acceleration]
        if jerk:
            used.append(((q1 * found.jerk + 3.0 * q2 * v * a + q3 * v**3) / j_max).max())
        assert max(used) == pytest.approx(1.0, rel=1e-3)


def test_a_curve_is_travelled_slower_in_proportion():
    """Where curvature asks for it, the motion is a slower one of the same shape: time is stretched."""
    rng = np.random.default_rng(6)
    coefficients = rng.normal(size=(2, 5, 3))
    limits = PathLimits((1.0,) * 3, (1.0,) * 3, (1.0,) * 3)
    line, bent = (Curve(np.array([0.0, 1.0, 2.0]), coefficients * weight) for weight in (np.eye(5)[:, :2].sum(1)[:, None], 1.0))
    straight = [float((limit / np.abs(coefficients[:, 1])).min()) for limit in limits.arrays]
    found = line.limits(limits, MotionLimits(math.inf, math.inf))
    assert [found.velocity, found.acceleration, found.jerk] == pytest.approx(straight)
    q1 = bent.bounds[0]
    free = [float((limit / q1).min()) for limit in limits.arrays]
    found = bent.limits(limits, MotionLimits(math.inf, math.inf))
    stretch = free[0] / found.velocity
    assert stretch > 1.1
    assert [found.acceleration, found.jerk] == pytest.approx([free[1] / stretch**2, free[2] / stretch**3])


def test_target_relative_to_other_frames():
    R0, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    own = plan(MoveLinear("tool", (0.1, 0.0, 0.0), relative_to="tool"))
    assert pose(SIX, SIX_JOINTS, own.end)[1] == pytest.approx(p0 + 0.1 * R0[:, 0], abs=1e-9)
    assert pose(SIX, SIX_JOINTS, own.end)[0] == pytest.approx(R0, abs=1e-9)  # kept, as no other is given
    aside = plan(MoveLinear("tool", p0 - (1, 2, 3.1), relative_to="aside"))
    assert pose(SIX, SIX_JOINTS, aside.end)[1] == pytest.approx(p0 - (0, 0, 0.1), abs=1e-9)


def test_other_joints_stay_where_they_are():
    goal_joints = SIX_JOINTS[1:]
    present = at(SIX, SIX_JOINTS, (0.8, *SIX_START[1:]))
    p0 = present.motion_of("tool").p_WF
    radial = np.array([math.cos(0.8), math.sin(0.8), 0.0])
    route = find_route(MoveLinear("tool", p0 - 0.1 * radial, "free"), goal_joints, SIX_START[1:], present)
    end = present.q.copy()
    end[[present.forest.indices[n][1] for n in goal_joints]] = route.positions[-1]
    moved = Configuration(present.forest, end, present.v).motion_of("tool").p_WF
    assert moved == pytest.approx(p0 - 0.1 * radial, abs=1e-9)


def test_looking_for_a_route_moves_nothing():
    present = at(SIX, SIX_JOINTS, [0.3] * 6)
    before = present.q.tobytes(), present.v.tobytes()
    find_route(MoveLinear("tool", pose(SIX, SIX_JOINTS, SIX_START)[1] + 0.1), SIX_JOINTS, SIX_START, present)
    assert (present.q.tobytes(), present.v.tobytes()) == before


def test_a_joint_that_is_held_moves_no_frame():
    free = at(SIX, SIX_JOINTS, SIX_START)
    forest = spanning_forest(free.forest.graph, Structure(locked=(JointLock("elbow", 1),)))
    with pytest.raises(ModelError, match=r"elbow: this joint cannot move the frame now.*held"):
        find_route(MoveLinear("tool", (0.5, 0.1, 0.9)), SIX_JOINTS, SIX_START, Configuration(forest, free.q, free.v))


def test_a_route_survives_json_and_gives_the_same_trajectory():
    _, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    route = find_route(MoveLinear("tool", p0 + 0.1), SIX_JOINTS, SIX_START, at(SIX, SIX_JOINTS, SIX_START))
    again = Route.of(json.loads(json.dumps(route.data())))
    assert again == route
    trajectories = [plan_linear(0.0, SIX_START, r, SIX_LIMITS) for r in (route, again)]
    for a, b in zip(trajectories[0].rows, trajectories[1].rows, strict=True):
        assert a.t0 == b.t0
        assert np.array_equal(a.coefficients, b.coefficients)


@settings(max_examples=15)
@given(st.floats(0.01, 0.99))
def test_an_interrupted_line_brakes_on_the_line(fraction):
    _, p0 = pose(SIX, SIX_JOINTS, SIX_START)
    goal = p0 + (0.1, 0.2, -0.1)
    trajectory = plan(MoveLinear("tool", goal, v_max=0.4, a_max=2.0))
    cut = interrupt(trajectory, trajectory.start_time + fraction * trajectory.duration)
    check_limits(cut, SIX_LIMITS)
    check_continuity(cut, SIX_LIMITS)
    u = (goal - p0) / np.linalg.norm(goal - p0)
    away = pose(SIX, SIX_JOINTS, cut.end)[1] - p0
    assert np.abs(away - (away @ u) * u).max() < 1.2e-5
    assert cut.end_time <= trajectory.end_time + 1e-9


def test_no_way_is_no_motion():
    trajectory = plan(MoveLinear("tool", (0, 0, 0), relative_to="tool"), number=7)
    assert (trajectory.segments, trajectory.end, trajectory.number) == ((), SIX_START, 7)
    assert plan(MoveLinear("tool", (0.1, 0, 0), relative_to="tool"), number=7).number == 7


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (MoveLinear("tool", (3.0, 0.0, 0.0)), r"moveLinear tool: .*(out of reach|singular).* % of the way"),
        (MoveLinear("tol", (1.0, 0.0, 0.0)), r"tol.*tool"),
        (MoveLinear("tool", (1.0, 0.0, 0.0), relative_to="asid"), r"asid.*aside"),
        (MoveLinear("aside", (1.0, 0.0, 0.0)), r"moveLinear aside: .*singular"),
    ],
)
def test_what_cannot_be_reached_is_refused_by_name(action, message):
    with pytest.raises(ModelError, match=message):
        plan(action)


def test_a_line_through_the_stretched_arm_is_refused():
    joints, limits = ("first", "second"), PathLimits((2.0,) * 2, (9.0,) * 2)
    with pytest.raises(ModelError, match=r"singular configuration.*at 0 %"):
        plan(MoveLinear("tool", (1.0, 0.5, 0.0), "free"), PLANAR, joints, (0.0, 0.0), limits)
    with pytest.raises(ModelError, match=r"(singular|out of reach).*in the world.*ptpJointSpace"):
        plan(MoveLinear("tool", (1.8, 0.0, 0.0), "free"), PLANAR, joints, (0.5, -1.0), limits)
    with pytest.raises(ModelError, match=r"the line leads to a singular configuration; found at 12.5 %"):
        plan(MoveLinear("tool", 1.03 * pose(PLANAR, joints, (0.5, -0.02))[1], "free"), PLANAR, joints, (0.5, -0.02), limits)
    with pytest.raises(ModelError, match=r"the line leads through a singular configuration; found at 100 %"):
        plan(MoveLinear("tool", (1.7, 0.0, 0.0), "free"), PLANAR, joints, (0.5, -1.0), limits)
    with pytest.raises(ModelError, match=r'out of reach.*rotation="free"'):
        plan(MoveLinear("tool", (0.9, 0.9, 0.0)), PLANAR, joints, (0.4, 1.3), limits)


def test_a_line_that_no_curve_keeps_to_is_refused_with_the_place_of_the_worst():
    start, goal = (0.4, 1.3), np.array([1.5, 0.2, 0.0])
    with pytest.raises(ModelError, match="moveLinear tool: the joints cannot follow") as caught:
        plan(
            MoveLinear("tool", goal, "free", tolerance=1e-17),
            PLANAR,
            ("first", "second"),
            start,
            PathLimits((2.0,) * 2, (9.0,) * 2),
        )
    words = r"(\S+) m beside the line, at (\S+) % of the way, at \((\S+), (\S+), 0\) m in the world"
    beside, percent, *place = (float(x) for x in re.fullmatch(words, caught.value.found).groups())
    _, p0 = pose(PLANAR, ("first", "second"), start)
    assert 1e-17 < beside < 1e-9
    assert place == pytest.approx((p0 + percent / 100.0 * (goal - p0))[:2], abs=2e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_line_beyond_the_limits_of_a_joint_is_refused(side):
    model = chain([(n, Prismatic, n[-1], (0.0, 0.0, 0.0)) for n in ("to_x", "to_y", "to_z")])
    model |= Model3D(to_x=Prismatic(obj1="to_x_base", obj2="to_x_body", axis="x", limits=sorted((-1.0 * side, 0.2 * side))))
    with pytest.raises(ModelError, match=r"to_x.*exceed its limits.*0\.5"):
        plan(
            MoveLinear("tool", (0.5 * side, 0.0, 0.0)),
            model,
            ("to_x", "to_y", "to_z"),
            (0.0,) * 3,
            PathLimits((1.0,) * 3, (1.0,) * 3),
        )


def test_names_are_checked_when_the_program_is_loaded():
    graph = build_graph(evaluate(SIX | Model3D(stay=body(), fixed=Fix(obj1="world", obj2="stay"))).objects)
    check_names("moveLinear", ("tool", ""), SIX_JOINTS, graph, "")
    with pytest.raises(ModelError, match=r"elbo.*addReferencePath"):
        check_names("moveLinear", ("tool", ""), ("elbo",), graph, "")
    with pytest.raises(ModelError, match=r"fixed.*one coordinate"):
        check_names("moveLinear", ("tool", ""), ("fixed",), graph, "")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "has no target"),
        ({"rotation": "free"}, "has no target"),
        ({"translation": (1, 2)}, "translation of moveLinear.*three"),
        ({"rotation": "fre"}, "rotation of moveLinear"),
        ({"rotation": [[1, 0, 0], [0, 1, 0], [0, 1, 0]]}, "orthogonal unit vectors"),
        ({"translation": (1, 2, 3), "v_max": 0.0}, "v_max of moveLinear"),
        ({"translation": (1, 2, 3), "a_max": "fast"}, "a_max of moveLinear"),
        ({"translation": (1, 2, 3), "tolerance": -1.0}, "tolerance of moveLinear"),
    ],
)
def test_wrong_values_are_refused(values, message):
    with pytest.raises(ModelError, match=message):
        MoveLinear("tool", **values)
