"""The spanning forest: its arrays, merged inertias, reversed joints, and random structures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.constraint_elements.cut_joints import SphericalConstraint
from modia3d.scene.constraint_elements.rod import RodConstraint
from modia3d.scene.frame import Frame
from modia3d.scene.gravity import UniformGravity
from modia3d.scene.joints import PrismaticJoint, RevoluteJoint
from modia3d.scene.scene_feature import SceneFeature
from modia3d.topology import edits, inertia
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.motion import FrameMotion
from modia3d.topology.states import initial_motion, initial_state, transfer_state
from modia3d.topology.structure import Structure
from modiapy import ModelError

from .scenes import arm, arrays, box, coordinates, difference, kinematics, platform, solid, world

pytestmark = pytest.mark.white_box

ANYTHING = {"position": 1e9, "z_angle": 4.0, "velocity": 1e9, "angular_velocity": 1e9, "symmetry": 0}
"""Tolerances with which everything mates."""


def kinetic_energy(forest, q, v):
    """Sum over bodies of m v.v / 2 + v.(w x m c) + w.I w / 2 in the body's frame."""
    energy = 0.0
    by_body = {}
    motions = kinematics(forest, q, v)
    for i, node in enumerate(forest.graph.frames):
        by_body.setdefault(int(forest.frame_body[i]), (i, motions.get(node.name)))
    for body, (frame, motion) in by_body.items():
        if body < 0:
            continue
        _, R_BF, p_BF = forest.frame_pose(frame)
        mass, moment, J = forest.floats[body, 12], forest.floats[body, 13:16], inertia.symmetric(forest.floats[body, 16:22])
        R_BW = R_BF @ motion.R_WF.T
        w = R_BW @ motion.w_WF_W
        velocity = R_BW @ motion.v_WF_W - np.cross(w, p_BF)
        energy += 0.5 * mass * velocity @ velocity + velocity @ np.cross(w, moment) + 0.5 * w @ J @ w
    return energy


def test_layout_of_a_free_arm_beside_a_driven_one():
    objects = {"world": Frame(feature=SceneFeature(gravity=UniformGravity(n="-z")))}
    objects |= arm("free", 2, with_flange=False) | arm("driven", 2, prismatic=(2,))
    forest = spanning_forest(build_graph(objects), Structure())
    assert forest.body_names == ("free.link0", "free.rev1", "free.rev2", "driven.link0", "driven.rev1", "driven.rev2")
    assert forest.ints[:, :5].tolist() == [
        [-1, 2, 2, 2, 1],
        [0, 0, 9, 8, 1],
        [1, 0, 10, 9, 1],
        [-1, 2, 11, 10, 1],
        [3, 0, 0, 0, 0],
        [4, 1, 1, 1, 0],
    ]
    assert (forest.nq, forest.nv, forest.dof, forest.n_equation, forest.n_x) == (18, 16, 16, 2, 30)
    assert forest.gravity.tolist() == [0, 0, -9.81]
    assert len(forest.x_names) == forest.n_x
    assert forest.x_names[7:9] == ("free.rev1.phi", "free.rev2.phi")
    assert forest.x_names[16:18] == ("free.link0.v[0]", "free.link0.v[1]")
    owners = ["driven.rev1", "driven.rev2", *["free.link0"] * 6, "free.rev1", "free.rev2", *["driven.link0"] * 6]
    assert [forest.joint_of_speed(k) for k in range(forest.nv)] == owners
    assert not forest.ints[:, 5:].any()
    assert not forest.floats[:, 22:].any()


def test_the_joint_frame_has_the_axis_as_z_and_the_frames_coincide_at_zero():
    axis = np.array([1.0, -2.0, 2.0]) / 3.0
    objects = {
        "world": world(),
        "at": Frame(parent="world", translation=(1, 2, 3), rotation=(0.1, 0.2, 0.3)),
        "link": Frame(feature=solid()),
        "to": Frame(parent="link", translation=(0, 0, 1), rotation=(0.5, 0, 0)),
        "rev": RevoluteJoint("at", "to", axis=axis.tolist()),
    }
    graph = build_graph(objects)
    forest = spanning_forest(graph, Structure())
    at = initial_motion(graph, {})("at")
    assert np.allclose(forest.floats[0, :9].reshape(3, 3)[:, 2], at.R_WF @ axis)
    assert np.allclose(forest.floats[0, 9:12], at.p_WF)
    motions = kinematics(forest, np.zeros(1), np.zeros(1))
    assert difference(motions["at"], motions["to"]) < 1e-15
    turned = kinematics(forest, np.array([0.4]), np.array([2.0]))
    assert np.allclose(turned["to"].w_WF_W, at.R_WF @ axis * 2.0)
    assert difference(turned["link"], initial_motion(graph, {"rev": ((0.4,), (2.0,))})("link")) < 1e-14


@pytest.mark.parametrize("kind", [RevoluteJoint, PrismaticJoint])
def test_a_joint_declared_the_other_way_round_has_the_opposite_coordinate(kind):
    def motion(first, second, value, speed):
        objects = {"world": world(), "link": Frame(feature=solid()), "j": kind(first, second, axis=(0.6, 0, 0.8))}
        forest = spanning_forest(build_graph(objects), Structure())
        assert forest.reversed_joints == ({"j"} if first == "link" else set())
        return kinematics(forest, np.array([value]), np.array([speed]))["link"]

    assert difference(motion("world", "link", 0.7, 0.2), motion("link", "world", -0.7, -0.2)) < 1e-15


def test_merged_inertia_is_the_sum_over_the_parts_about_one_point():
    objects = {"world": world(**ANYTHING)}
    for k, name in enumerate("abc"):
        objects |= box(name, (0.4 * k, 0.1 * k, -0.3), rotation=(0.2 * k, 0.1, 0.3))
    graph = build_graph(objects)
    motion = initial_motion(graph, {})
    structure = edits.attach(graph, Structure(), "a.Xpos", "b.Xneg", motion)
    structure = edits.attach(graph, structure, "c.Yneg", "b.Zpos", motion)
    forest = spanning_forest(graph, structure)
    assert forest.n == 1

    # Independent: sum over the boxes of the second moments of mass about the root, and from these the inertia.
    mass, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    root = motion("a.body")
    for name in "abc":
        body = motion(f"{name}.body")
        own = solid(10.0).inertia()
        J = inertia.symmetric(np.array([*own.moments, *own.products]))
        spread = 0.5 * np.trace(J) * np.eye(3) - J
        center = root.R_WF.T @ (body.p_WF + body.R_WF @ own.center_of_mass - root.p_WF)
        R = root.R_WF.T @ body.R_WF
        mass, first = mass + own.mass, first + own.mass * center
        second = second + R @ spread @ R.T + own.mass * np.outer(center, center)
    J = np.trace(second) * np.eye(3) - second
    assert forest.floats[0, 12] == pytest.approx(mass)
    assert np.allclose(forest.floats[0, 13:16], first, atol=1e-14)
    assert np.allclose(forest.floats[0, 16:22], J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], atol=1e-13)


def test_order_of_locks_does_not_matter():
    graph = build_graph({"world": world(**ANYTHING), **platform(), **box("a", (0, 0, 1)), **box("b", (1, 0, 0))})
    motion = initial_motion(graph, {})
    one, two = ("a.Zneg", "platform.X1Y1"), ("b.Xpos", "a.Zpos")
    first = edits.attach(graph, edits.attach(graph, Structure(), *one, motion), *two, motion)
    second = edits.attach(graph, edits.attach(graph, Structure(), *reversed(two), motion), *reversed(one), motion)
    assert first == second
    assert arrays(spanning_forest(graph, first)) == arrays(spanning_forest(graph, second))


def test_a_flipped_chain_has_the_kinetic_energy_of_the_same_arm_modelled_from_the_other_end():
    graph = build_graph({"world": world(**ANYTHING), **platform(), **arm("arm", 5, prismatic=(3,))})
    start = {f"arm.rev{k}": ((0.3 * k,), (0.0,)) for k in range(1, 6)}
    motion = initial_motion(graph, start)
    structure = edits.attach(graph, Structure(), "arm.tip", "platform.X1Y1", motion)
    flipped = spanning_forest(graph, structure)
    assert flipped.reversed.all()

    objects = {"world": world(), **arm("arm", 5, prismatic=(3,))}
    base = graph.frames[graph.index["arm.tip"]].frame
    pose = motion("platform.X1Y1"), motion("arm.tip")
    objects["arm.link0"] = Frame(feature=solid(2.0))
    for k in range(1, 6):
        joint = objects.pop(f"arm.rev{k}")
        cls = type(joint)
        objects[f"arm.rev{k}"] = cls(joint.obj2, joint.obj1, tuple(-a for a in joint.axis), with_flange=True)
    R_FW = pose[1].R_WF.T
    objects["arm.link5"] = Frame(parent="foot", translation=tuple(-np.array(base.translation)), feature=solid(1.5))
    objects["arm.foot"] = Frame(parent="world", translation=tuple(pose[1].p_WF), rotation=R_FW.T.tolist())
    other = spanning_forest(build_graph(objects), Structure())
    assert not other.reversed.any()
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, v = rng.normal(size=5), rng.normal(size=5)
        assert kinetic_energy(flipped, q, v) == pytest.approx(kinetic_energy(other, q, v), rel=1e-12)


def test_kernels_declarations_and_the_test_agree_on_the_motion_of_frames():
    from modia3d.dynamics.basics.layout import work_shape
    from modia3d.dynamics.kinematics import body_poses, body_velocities

    graph = build_graph({"world": world(), **arm("arm", 4, prismatic=(2,)), **box("box", (1, 2, 3), velocity=(1, 0, 0))})
    forest = spanning_forest(graph, Structure())
    start = {f"arm.rev{k}": ((0.2 * k,), (0.5 - k,)) for k in range(1, 5)}
    q, v = coordinates(forest, start, initial_state(graph, forest, start))
    R, p, velocity, w = np.empty((forest.n, 9)), np.empty((forest.n, 3)), np.empty((forest.n, 3)), np.empty((forest.n, 3))
    body_poses(forest.ints, forest.floats, q, R, p)
    body_velocities(forest.ints, forest.floats, q, v, R, p, velocity, w, np.zeros(work_shape(forest.n)))
    expected, declared = kinematics(forest, q, v), initial_motion(graph, start)
    for frame, node in enumerate(graph.frames):
        body, R_BF, p_BF = forest.frame_pose(frame)
        if body >= 0:
            moving = FrameMotion(R[body].reshape(3, 3), p[body], velocity[body], w[body]).carried(R_BF, p_BF)
            assert difference(moving, expected[node.name]) < 1e-14
    assert max(difference(motion, declared(name)) for name, motion in expected.items()) < 1e-13


@st.composite
def scenes(draw):
    """Some arms of up to three joints, driven or not, and a platform; everything mates."""
    objects = {"world": world(**ANYTHING), **platform(1, 3)}
    start = {}
    for k in range(draw(st.integers(1, 4))):
        n = draw(st.integers(0, 3))
        prismatic = draw(st.sets(st.integers(1, 3)))
        position = draw(st.tuples(*[st.floats(-2, 2)] * 3))
        objects |= arm(f"a{k}", n, with_flange=draw(st.booleans()), position=position, prismatic=prismatic)
        start |= {f"a{k}.rev{j}": ((draw(st.floats(-3, 3)),), (0.0,)) for j in range(1, n + 1)}
    return objects, start


ACTIONS = (edits.attach, edits.attach, edits.attach, edits.release, edits.release_and_attach, edits.flip_chain, edits.delete)


@given(scenes(), st.data())
@settings(max_examples=40)
def test_whatever_is_done_no_frame_moves_and_the_degrees_of_freedom_add_up(scene, data):
    objects, start = scene
    graph = build_graph(objects)
    lockable = [node.name for node in graph.frames if node.frame.lockable]
    structure, forest = Structure(), spanning_forest(graph, Structure())
    x = initial_state(graph, forest, start)
    motions = kinematics(forest, *coordinates(forest, start, x))
    for _ in range(data.draw(st.integers(1, 8))):
        function = data.draw(st.sampled_from(ACTIONS))
        names = data.draw(st.lists(st.sampled_from(lockable), min_size=2, max_size=2))
        args = names[:1] if function in (edits.release, edits.delete) else [*names, motions.__getitem__]
        try:
            structure = function(graph, structure, *args)
        except ModelError:
            continue
        new = spanning_forest(graph, structure)
        x = transfer_state(forest, x, motions.__getitem__, new)
        forest = new
        after = kinematics(forest, *coordinates(forest, start, x))
        assert max(difference(motions[name], after[name]) for name in after) < 1e-12
        motions = after

    alive = [k for k, assembly in enumerate(graph.assemblies) if assembly.name not in structure.deleted]
    tree = {k: k for k in alive}
    for lock in structure.locks:
        one, two = (tree[graph.assembly_of(graph.index[name])] for name in (lock.frame_a, lock.frame_b))
        tree = {k: one if t == two else t for k, t in tree.items()}
    cuts = (*forest.cuts, *forest.rigid_cuts)
    assert len(cuts) == len(structure.locks) - (len(alive) - len(set(tree.values())))
    joints = sum(len(graph.assemblies[k].tree) for k in alive) - sum(
        cut.name in graph.joint_number and cut.name not in forest.indices for cut in cuts
    )
    assert forest.dof == 6 * (len(set(tree.values())) - 1) + joints
    assert (forest.ints[:, 0] < np.arange(forest.n)).all()
    masses = sum(graph.group_inertia[g, 0] for k in alive if tree[k] != tree[0] for g in graph.assemblies[k].groups)
    free = [b for b in range(forest.n) if root_kind(forest, b) == 2]
    assert forest.floats[free, 12].sum() == pytest.approx(masses)
    assert arrays(forest) == arrays(spanning_forest(graph, structure))


def root_kind(forest, body):
    """Kind of the joint by which the tree of a body hangs on the world."""
    while forest.ints[body, 0] >= 0:
        body = forest.ints[body, 0]
    return forest.ints[body, 1]


@pytest.mark.parametrize("kind", [SphericalConstraint, RodConstraint])
@pytest.mark.parametrize("gone", [(), ("a",), ("b",), ("a", "b"), ("c",)])
def test_an_element_is_there_as_long_as_both_its_ends_are(kind, gone):
    objects = {name: Frame(parent="world", fixed_to_parent=False, feature=solid()) for name in "abc"}
    graph = build_graph({"world": world(), **objects, "one": kind("a", "b"), "two": kind("c", "a")})
    forest = spanning_forest(graph, Structure(deleted=frozenset(gone)))
    ends = {"one": {"a", "b"}, "two": {"a", "c"}}
    assert [cut.name for cut in forest.cuts] == [name for name in ("one", "two") if ends[name].isdisjoint(gone)]
    assert not forest.rigid_cuts
