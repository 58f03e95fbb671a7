"""Initial values from wanted poses, without a simulation: what holds for every one."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.basics.rotations import sequence_sine
from modia3d.scene.frame import Frame
from modia3d.scene.initial_pose import InitialPose
from modia3d.scene.joints import PrismaticJoint, RevoluteJoint
from modia3d.scene.joints.screw import ScrewJoint
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.initial_pose import are_met, check_met, posed_states
from modia3d.topology.motion import relative_motion
from modia3d.topology.states import initial_motion, initial_structure
from modiapy import ModelError

from .scenes import solid, world
from .test_joints import chain

pytestmark = pytest.mark.white_box

PLACES = st.floats(-3.0, 3.0)


@given(
    start=PLACES, ends=st.tuples(PLACES, PLACES).map(sorted).filter(lambda ends: ends[1] - ends[0] > 1e-3), side=st.booleans()
)
@settings(max_examples=12)
def test_a_joint_that_begins_at_its_limit_is_not_a_bit_beyond_it(start, ends, side):
    """The pose is beyond the limit by rounding errors."""
    limit = ends[side]
    objects = {
        "world": world(),
        "car": Frame(feature=solid()),
        "slide": PrismaticJoint("world", "car", "x", s=float(np.clip(start, *ends)), limits=tuple(ends)),
    }
    pose = InitialPose("car", translation=(limit + (2e-11 if side else -2e-11), None, None))
    ((s,), _) = posed_states(build_graph(objects), {"pose": pose}, {}).states["slide"]
    assert ends[0] <= s <= ends[1]
    assert s == pytest.approx(limit, abs=1e-9)


def masked(rng, vector):
    """Some of the components, at least one."""
    kept = rng.random(3) < 0.6
    kept[rng.integers(3)] = True
    return [float(x) if keep else None for x, keep in zip(vector, kept, strict=True)]


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_pose_is_met_or_told_by_what_is_missing(seed, free):
    """What frames do at the start, as the declarations say, meets every pose that wants just that, and no other."""
    graph, rng = build_graph(chain(seed, n=5, free=free)), np.random.default_rng(seed)
    motion = initial_motion(graph, {})
    base = str(rng.choice(["", "b1", "a2"]))
    seen = relative_motion(motion(base or "world"), motion("b4"))
    fields = {
        "translation": masked(rng, seen.p_12_1),
        "rotation": seen.R_12.tolist(),
        "velocity": masked(rng, seen.v_12_1),
        "angular_velocity": masked(rng, seen.w_12_1),
    }

    def judged(**given):
        poses = {"robot.pose": InitialPose("b4", **given, relative_to=base)}
        met = are_met(graph, poses, {})
        try:
            check_met(graph, poses, motion, "Mend it.")
        except ModelError as error:
            return met, error.path, error.found, error.remedy
        return met, None, None, None

    assert judged(**fields) == (True, None, None, None)
    for name, values in fields.items():
        assert judged(**{name: values})[0]
        if name == "rotation":
            turned = np.array(values) @ [[1.0, 0.0, 0.0], [0.0, np.cos(0.01), -np.sin(0.01)], [0.0, np.sin(0.01), np.cos(0.01)]]
            changes = [turned.tolist()]
        else:
            steps = [(k, step) for k in range(3) if values[k] is not None for step in (0.01, -0.01)]
            changes = [[x if i != k else x + step for i, x in enumerate(values)] for k, step in steps]
        for change in changes:
            met, path, found, remedy = judged(**fields | {name: change})
            assert not met
            assert (path, remedy) == ("robot.pose", "Mend it.")
            left, slow = (float(part.split()[0]) for part in found.split(" and "))
            moving = name in ("velocity", "angular_velocity")
            assert (left, slow) == pytest.approx((0.0, 0.01) if moving else (0.01, 0.0), abs=1e-9)


ONE = {"revolute": RevoluteJoint, "prismatic": PrismaticJoint, "screw": lambda a, b, n: ScrewJoint(a, b, n, pitch=0.3)}


def fork(rng):
    """A trunk of two joints and two branches of two, of one coordinate each; tips ``l`` and ``r``."""
    objects = {"world": world()}
    for name, before in (("t0", "world"), ("t1", "t0"), ("l0", "t1"), ("l", "l0"), ("r0", "t1"), ("r", "r0")):
        objects[name] = Frame(feature=solid())
        objects[f"{name}.at"] = Frame(parent=before, translation=tuple(rng.normal(size=3)), rotation=tuple(rng.normal(size=3)))
        kind = ONE[str(rng.choice([*ONE]))]
        objects[f"{name}.j"] = kind(*(f"{name}.at", name)[:: int(rng.choice([1, -1]))], tuple(rng.normal(size=3)))
    return build_graph(objects)


@pytest.mark.parametrize("seed", range(10))
def test_poses_are_reached_and_what_they_leave_free_is_named_once(seed):
    """Each of them sees some of the joints; what can still move is what the numerical Jacobian of all of them leaves."""
    rng = np.random.default_rng(seed)
    graph = fork(rng)
    joints = [edge.name for edge in graph.joints]

    def at(q):
        return initial_motion(graph, {name: ((float(x),), (0.0,)) for name, x in zip(joints, q, strict=True)})

    there = at(0.4 * rng.normal(size=6))
    wanted, rows = {}, []
    for k, (frame, base) in enumerate([("l", "world"), ("r", "l"), ("r", "t1"), ("t1", "world")]):
        if rng.random() < 0.6 or (k == 3 and not wanted):
            values = masked(rng, relative_motion(there(base), there(frame)).p_12_1)
            both = ["l0.j", "l.j", "r0.j", "r.j"] if base == "l" else []
            wanted[f"pose{k}"] = InitialPose(frame, values, joints=both, relative_to="" if base == "world" else base)
            rows.append((frame, base, values))
    order = [str(name) for name in rng.permutation([*wanted])]
    posed = posed_states(graph, {name: wanted[name] for name in order}, {})
    q = np.array([posed.states[name][0][0] if name in posed.states else 0.0 for name in joints])

    def errors(x):
        motion = at(x)
        found = []
        for frame, base, values in rows:
            p = relative_motion(motion(base), motion(frame)).p_12_1
            found += [p[i] - value for i, value in enumerate(values) if value is not None]
        return np.array(found)

    assert np.abs(errors(q)).max() < 1e-8
    J = np.array([errors(q + step) - errors(q - step) for step in 1e-5 * np.eye(6)]).T / 2e-5
    used = [k for k, name in enumerate(joints) if name in posed.states]
    _, sigma, Vt = np.linalg.svd(J[:, used])
    rank = int((sigma > 1e-6).sum())
    free = {joints[k] for place, k in enumerate(used) if np.abs(Vt[rank:, place]).max(initial=0.0) > 1e-5}
    assert len(set(posed.undetermined)) == len(posed.undetermined)
    assert set(posed.undetermined) == free


@pytest.mark.parametrize("seed", range(12))
def test_automatic_sequences_suit_the_orientations_at_the_start(seed):
    """Of joints, and of the root of a free tree, whichever of its frames says how it starts."""
    objects = chain(seed, n=5, kinds=("revolute", "spherical auto", "spherical auto", "spherical"), free=True)
    objects["b0"] = Frame(parent="world", fixed_to_parent=False, rotation=(0.3, 1.5, -0.4), feature=solid())
    objects["b4"] = Frame(feature=solid(), assembly_root=True, orientation="auto")
    graph = build_graph(objects)
    motion = initial_motion(graph, {})
    structure = initial_structure(graph, {})
    forest, found = spanning_forest(graph, structure), dict(structure.sequences)
    automatic = {edge.name: edge for edge in graph.joints if edge.joint.orientation == "auto"}
    assert set(found) == {"b4", *automatic}
    for name, sequence in found.items():
        if name == "b4":
            R = motion("b4").R_WF
        else:
            one, two = (motion(graph.frames[k].name) for k in automatic[name].frames)
            R = relative_motion(one, two).R_12
        assert sequence_sine(sequence, R) < 0.8
        assert forest.sequence(forest.indices[name][0]) == sequence
    others = structure.with_sequences(dict.fromkeys(found, "zxy"))
    assert {spanning_forest(graph, others).sequence(forest.indices[name][0]) for name in found} == {"zxy"}


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3, 1e7])
def test_a_pose_is_reached_whatever_the_size_of_the_mechanism(length):
    objects = {"world": world(), "upper": Frame(feature=solid()), "lower": Frame(feature=solid())}
    objects |= {f"{name}.end": Frame(parent=name, translation=(length, 0.0, 0.0)) for name in ("upper", "lower")}
    objects |= {"shoulder": RevoluteJoint("world", "upper", phi=0.1), "elbow": RevoluteJoint("upper.end", "lower", phi=0.3)}
    graph = build_graph(objects)
    for x in np.linspace(0.4, 1.4, 12).tolist():
        pose = InitialPose("lower.end", translation=(x * length, 0.7 * length, None))
        states = posed_states(graph, {"pose": pose}, {}).states
        assert np.cos(states["elbow"][0][0]) == pytest.approx((x**2 + 0.7**2) / 2.0 - 1.0, abs=1e-6)


LENGTHS = np.array([0.7, 1.0, 0.8, 0.6])


def planar_arm(rng):
    """Four links in a plane, angles and limits of their joints; the tip is ``l3.end``."""
    objects, q_0, limits = {"world": world()}, rng.uniform(-0.6, 0.6, 4), []
    for k, length in enumerate(LENGTHS.tolist()):
        limits.append((float(q_0[k] - rng.uniform(0.05, 1.2)), float(q_0[k] + rng.uniform(0.05, 1.2))))
        objects[f"l{k}"] = Frame(feature=solid())
        objects[f"l{k}.end"] = Frame(parent=f"l{k}", translation=(length, 0.0, 0.0))
        objects[f"j{k}"] = RevoluteJoint(f"l{k - 1}.end" if k else "world", f"l{k}", phi=float(q_0[k]), limits=limits[k])
    return build_graph(objects), q_0, np.array(limits).T


def grid(lower, upper, n):
    """Points (m, ...) that divide each range evenly."""
    return np.stack(np.meshgrid(*np.linspace(lower, upper, n).T), axis=-1).reshape(-1, len(lower))


def tips(q):
    """Places of the tip in the plane, shape (..., 2), of angles (..., k) of the first links."""
    angles, lengths = np.cumsum(q, axis=-1), LENGTHS[: np.shape(q)[-1]]
    return np.stack([(np.cos(angles) * lengths).sum(axis=-1), (np.sin(angles) * lengths).sum(axis=-1)], axis=-1)


def solutions(target, first):
    """Angles (n, 4) with the tip at the target, for given ones of the first two links; those of the others in closed form."""
    (a, b), found = LENGTHS[2:].tolist(), []
    left = target - tips(first)
    cosine = ((left**2).sum(axis=-1) - a**2 - b**2) / (2.0 * a * b)
    near = np.abs(cosine) <= 1.0
    for side in (1.0, -1.0):
        last = side * np.arccos(cosine[near])
        upper = np.arctan2(left[near, 1], left[near, 0]) - np.arctan2(b * np.sin(last), a + b * np.cos(last))
        found.append(np.column_stack([first[near], upper - first[near].sum(axis=-1), last]))
    return np.concatenate(found)


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 6, 7])
def test_within_their_limits_joints_change_the_least(seed):
    """Of all angles of an arm with two joints too many that reach the target, tried one by one."""
    rng = np.random.default_rng(seed)
    graph, q_0, (lower, upper) = planar_arm(rng)
    target = tips(rng.uniform(lower, upper))
    posed = posed_states(graph, {"pose": InitialPose("l3.end", (*target.tolist(), None))}, {})
    q = np.array([posed.states[f"j{k}"][0][0] for k in range(4)])
    assert tips(q) == pytest.approx(target, abs=1e-8)
    assert ((lower <= q) & (q <= upper)).all()
    others = solutions(target, grid(lower[:2], upper[:2], 401))
    others = (others - q_0 + np.pi) % (2.0 * np.pi) - np.pi + q_0
    others = others[((lower <= others) & (others <= upper)).all(axis=-1)]
    assert np.linalg.norm(q - q_0) <= np.linalg.norm(others - q_0, axis=-1).min() + 1e-6


@pytest.mark.parametrize("seed", [1, 2, 3, 6, 7])
def test_what_is_told_of_a_pose_out_of_reach_is_the_nearest_there_is(seed):
    """Between the limits of an arm; every joint at one of them is said to be there."""
    rng = np.random.default_rng(seed)
    graph, _, (lower, upper) = planar_arm(rng)
    every, target = tips(grid(lower, upper, 21)), rng.uniform(-3.0, 3.0, 2)
    while (nearest := float(np.linalg.norm(every - target, axis=-1).min())) < 0.1:
        target *= 1.5
    with pytest.raises(ModelError, match="cannot be reached") as caught:
        posed_states(graph, {"pose": InitialPose("l3.end", (*target.tolist(), None))}, {})
    told, values = caught.value.found.split(", at ")
    assert float(told.removeprefix("nearest: ").split()[0]) <= nearest * (1.0 + 1e-3)
    q = np.array([float(part.split()[2]) for part in values.split(", ")])
    missing = target - tips(q)
    for axis, value in zip("xy", missing.tolist(), strict=True):
        (listed,) = re.findall(rf"[(, ]{axis} (\S+) m", told)
        assert float(listed) == pytest.approx(value, rel=1e-3, abs=1e-4)
    at_limit = [part.endswith("(limit)") for part in values.split(", ")]
    assert at_limit == (np.minimum(q - lower, upper - q) < 1e-5).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_speeds_change_the_least_and_angles_only_where_a_pose_says_so(seed):
    rng = np.random.default_rng(seed)
    graph, q, _ = planar_arm(rng)
    w, wanted = rng.normal(size=(2, 4))
    start = {f"j{k}": ((float(q[k]),), (float(w[k]),)) for k in range(4)}
    pose = InitialPose("l3.end", velocity=(float(wanted[0]), float(wanted[1]) if seed % 2 else None, None))
    posed = posed_states(graph, {"pose": pose}, start)
    J = np.array([tips(q + step) - tips(q - step) for step in 1e-6 * np.eye(4)]).T[: 1 + seed % 2] / 2e-6
    expected = w + np.linalg.pinv(J) @ (wanted[: 1 + seed % 2] - J @ w)
    assert [posed.states[f"j{k}"][0][0] for k in range(4)] == q.tolist()
    assert [posed.states[f"j{k}"][1][0] for k in range(4)] == pytest.approx(expected, abs=1e-8)
    assert posed.undetermined == ()


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("joints", "told"),
    [
        (["j1"], "an initial pose would move a joint that another one keeps fixed"),
        ([], "every joint that could move the Object3D"),
    ],
)
def test_what_another_pose_holds_is_told_by_both_names(order, joints, told):
    graph, _, _ = planar_arm(np.random.default_rng(0))
    held = InitialPose("l3.end", translation=(1.0, None, None), fixed=["j1"])
    moving = InitialPose("l1", translation=(0.5, None, None), joints=joints, relative_to="l0")
    poses = dict([("holds", held), ("moves", moving)][::order])
    with pytest.raises(ModelError) as caught:
        posed_states(graph, poses, {})
    assert (caught.value.path, caught.value.found) == ("moves", "j1 (fixed in holds)")
    assert told in caught.value.message


def test_what_each_of_several_poses_holds_is_told_where_they_are_out_of_reach():
    graph, _, _ = planar_arm(np.random.default_rng(0))
    poses = {
        name: InitialPose("l3.end", translation=place, fixed=[joint])
        for name, place, joint in (("one", (9.0, None, None), "j2"), ("two", (None, 9.0, None), "j0"))
    }
    with pytest.raises(ModelError, match="one, two: the initial poses cannot be reached together") as caught:
        posed_states(graph, poses, {})
    assert caught.value.found.endswith("; fixed: j0, j2")


@pytest.mark.parametrize("name", ["m.hand", "m.arm"])
def test_a_free_tree_is_named_by_its_root_and_by_the_frame_that_says_how_it_starts(name):
    objects = {"world": world(), "m.hand": Frame(feature=solid(), assembly_root=True)}
    objects |= {"m.arm": Frame(parent="world", fixed_to_parent=False, feature=solid()), "m.wrist": RevoluteJoint("arm", "hand")}
    pose = InitialPose("hand", translation=(1.0, 2.0, 3.0), joints=[name.removeprefix("m.")])
    ((found, (q, _)),) = posed_states(build_graph(objects), {"m.pose": pose}, {}).states.items()
    assert found == "m.hand"
    assert q[:3] == pytest.approx((1.0, 2.0, 3.0), abs=1e-9)
