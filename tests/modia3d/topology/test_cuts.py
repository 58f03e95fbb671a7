"""Loops: which joints and locks are cut, what the forest is then, and how states go on when loops are closed and opened."""

import itertools
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.constraints.kinds.constraint import rows_of
from modia3d.constraints.kinds.cut_joint import CutJoint
from modia3d.constraints.loops import Loops
from modia3d.constraints.projection import project
from modia3d.dynamics import Dynamics
from modia3d.engine.motion.configuration import Configuration
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.joints.cylindrical import CylindricalJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.scene.joints.universal import UniversalJoint
from modia3d.topology import edits, inertia
from modia3d.topology.build import build_graph
from modia3d.topology.forest import WORLD, spanning_forest
from modia3d.topology.mating import relative_pose
from modia3d.topology.motion import FrameMotion, relative_motion
from modia3d.topology.states import cut_state, initial_motion, initial_state, initial_structure, transfer_state
from modia3d.topology.structure import JointWeld, Lock, Structure
from modiapy import ModelError

from .scenes import arrays, box, difference, platform, solid, world
from .test_joints import MAKERS, by_kernels

pytestmark = pytest.mark.white_box

KINDS = {
    "revolute": lambda a, b: RevoluteJoint(a, b),
    "driven": lambda a, b: RevoluteJoint(a, b, with_flange=True),
    "limited": lambda a, b: PrismaticJoint(a, b, limits=(-1.0, 1.0)),
    "universal": lambda a, b: UniversalJoint(a, b),
    "spherical": lambda a, b: SphericalJoint(a, b),
    "cut": lambda a, b: RevoluteJoint(a, b, cut=True),
    "fixed": lambda a, b: FixedJoint(a, b),
    "cut fixed": lambda a, b: FixedJoint(a, b, cut=True),
}
WEIGHT = {
    "driven": 1,
    "limited": 1,
    "fixed": 2,
    "lock": 2,
    "revolute": 3,
    "universal": 4,
    "spherical": 5,
    "cut": 6,
    "cut fixed": 6,
}
"""The order in which edges are taken, where everything has mass."""


def linkage(edges, masses):
    """Bodies 0 (the world), 1, ... with masses, and between pairs of them joints j0, j1, ... or locks, in the order given."""
    objects = {"world": world()} | {f"body{k}": Frame(feature=solid(m)) if m else Frame() for k, m in enumerate(masses, 1)}
    locks = []
    for i, (a, b, kind) in enumerate(edges):
        for end, body in (("a", a), ("b", b)):
            objects[f"{end}{i}"] = Frame(
                parent=f"body{body}" if body else "world", translation=(0.1 * i, 0.2, 0.3), lockable=True
            )
        if kind == "lock":
            locks.append(Lock(f"a{i}", f"b{i}", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)))
        else:
            objects[f"j{i}"] = KINDS[kind](f"a{i}", f"b{i}")
    return objects, Structure(locks=tuple(locks))


@st.composite
def graphs(draw, without=()):
    """Number of bodies, and edges between them: connected, so that everything hangs on the world."""
    n = draw(st.integers(2, 6))
    kinds = st.sampled_from([kind for kind in ("lock", *KINDS) if kind not in without])
    edges = [(draw(st.integers(0, k - 1)), k, draw(kinds)) for k in range(1, n)]
    for _ in range(draw(st.integers(0, 4))):
        a = draw(st.integers(0, n - 1))
        edges.append((a, draw(st.integers(0, n - 1).filter(lambda b, a=a: b != a)), draw(kinds)))
    return n, draw(st.permutations(edges))


def least_cost(n, edges):
    """The least sum of costs of a spanning tree, found by trying all; a cost outweighs all those below it."""
    best = math.inf
    for chosen in itertools.combinations(edges, n - 1):
        reached, before = {0}, -1
        while before != len(reached):
            before = len(reached)
            for a, b, _ in chosen:
                if {a, b} & reached:
                    reached |= {a, b}
        if len(reached) == n:
            best = min(best, sum(100 ** WEIGHT[kind] for _, _, kind in chosen))
    return best


@given(graphs())
@settings(deadline=None, max_examples=60)
def test_forest_and_cuts_have_all_edges_and_the_forest_is_a_minimal_one(made):
    n, edges = made
    objects, structure = linkage(edges, [1.0 + k for k in range(1, n)])
    forest = spanning_forest(build_graph(objects), structure)
    cuts = (*forest.cuts, *forest.rigid_cuts)
    assert len(cuts) == len(edges) - (n - 1)
    name = {i: f"j{i}" if kind != "lock" else f"a{i} - b{i}" for i, (_, _, kind) in enumerate(edges)}
    welded = {cut.name for cut in forest.cuts if cut.frame_2 >= len(forest.frame_body)}
    left_out = {cut.name for cut in cuts} - welded
    moving = [
        i for i, (_, _, kind) in enumerate(edges) if kind not in ("lock", "fixed", "cut fixed") and name[i] not in left_out
    ]
    assert sorted(forest.body_names) == sorted(name[i] for i in moving)
    for cut in cuts:
        bodies = [forest.frame_pose(k)[0] for k in (cut.frame_1, cut.frame_2)]
        assert min(bodies) >= -1  # all hang on the world
        assert (bodies[0] == bodies[1]) == (cut in forest.rigid_cuts)
    for i, (_, _, kind) in enumerate(edges):
        if kind in ("driven", "limited"):
            assert name[i] in forest.indices
    kinds = {name[i]: kind for i, (_, _, kind) in enumerate(edges)}
    cost = sum(100 ** WEIGHT[kind] for _, _, kind in edges) - sum(100 ** WEIGHT[kinds[cut.name]] for cut in cuts)
    assert cost == least_cost(n, edges)


@given(graphs(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_structures_that_were_there_before_have_no_influence(made, rng):
    """Structures of one graph, one after the other, that differ in locks, in joints that are rigid and in what was deleted."""
    n, edges = made
    objects, whole = linkage(edges, [1.0 + k for k in range(1, n)])
    graph = build_graph(objects)
    for _ in range(8):
        gone = rng.choice([None, *graph.assemblies])
        deleted = frozenset() if gone is None or gone.is_world else frozenset({gone.name})
        there = [lock for lock in whole.locks if rng.random() < 0.7]
        if deleted:
            parts = {k for k, assembly in enumerate(graph.assemblies) if assembly.name in deleted}
            ends = [{graph.assembly_of(graph.index[frame]) for frame in (lock.frame_a, lock.frame_b)} for lock in there]
            there = [lock for lock, pair in zip(there, ends, strict=True) if not pair & parts]
        rigid = [i for i, (*_, kind) in enumerate(edges) if kind in ("revolute", "cut") and rng.random() < 0.4]
        own = set() if not deleted else {graph.joints[j].name for j in gone.joints}
        welded = tuple(JointWeld(f"j{i}", (0.0,)) for i in rigid if f"j{i}" not in own)
        structure = Structure(locks=tuple(there), deleted=deleted, welded=welded)
        forest, alone = spanning_forest(graph, structure), spanning_forest(build_graph(objects), structure)
        assert arrays(forest) == arrays(alone)
        for one, two in ((forest.cuts, alone.cuts), (forest.rigid_cuts, alone.rigid_cuts)):
            assert [(c.name, c.frame_1, c.frame_2, c.joint.kind) for c in one] == [
                (c.name, c.frame_1, c.frame_2, c.joint.kind) for c in two
            ]
        if forest.cuts:
            assert_ways(forest)


def assert_ways(forest):
    """The memory of closed loops says for each cut which bodies are on its ways to the root, and how many rows it has."""
    loops = Loops(forest, (), 0, ())
    view = loops.views
    first, rows = view["path_start"], np.diff(view["row_start"])
    for k, cut in enumerate(loops.cuts):
        bodies, index = set(), forest.graph.index
        for frame in (index[cut.frame_1], index[cut.frame_2] if cut.copy < 0 else cut.copy):
            body = forest.frame_pose(frame)[0]
            while body >= 0:
                bodies.add(body)
                body = int(forest.ints[body, 0])
        assert view["path"][first[k] : first[k + 1]].tolist() == sorted(bodies)
        assert rows[k] == len(cut.joint.directions)
        joints = [int(forest.body_joint[body]) for body in bodies]
        assert view["path_length"][k] == sum(len(forest.graph.state_names[j][1]) if j >= 0 else 6 for j in joints)


@given(graphs(without=["cut fixed"]), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_what_is_cut_costs_the_same_in_any_order_of_declaration(made, rng):
    n, edges = made
    costs = set()
    for _ in range(3):
        objects, structure = linkage(edges, [1.0 + k for k in range(1, n)])
        forest = spanning_forest(build_graph(objects), structure)
        directions = sum(len(cut.joint.directions) for cut in (*forest.cuts, *forest.rigid_cuts))
        costs.add((len(forest.cuts) + len(forest.rigid_cuts), directions, forest.nv))
        rng.shuffle(edges)
    assert len(costs) == 1


def test_equal_structures_give_equal_forests_and_a_lock_more_within_a_body_changes_nothing():
    edges = [(0, 1, "revolute"), (1, 2, "lock"), (2, 1, "lock"), (2, 3, "spherical"), (3, 0, "universal")]
    objects, structure = linkage(edges, [1.0, 2.0, 3.0])
    graph = build_graph(objects)
    forest, again = spanning_forest(graph, structure), spanning_forest(graph, Structure(locks=structure.locks[::-1]))
    assert arrays(forest) == arrays(again)
    once = spanning_forest(graph, replace(structure, locks=structure.locks[:1]))
    assert arrays(forest) == arrays(once)
    assert [cut.name for cut in forest.cuts] == [cut.name for cut in once.cuts] == ["j3"]
    assert [cut.name for cut in forest.rigid_cuts] == ["a2 - b2"]
    assert not once.rigid_cuts


def test_the_user_may_choose_what_is_cut():
    def named(**cut):
        objects = {"world": world(), "crank": Frame(feature=solid()), "rod": Frame(feature=solid())}
        objects |= {f"{body}.end": Frame(parent=body, translation=(1, 0, 0)) for body in ("crank", "rod")}
        objects |= {"r1": RevoluteJoint("world", "crank", cut=cut.get("r1", False))}
        objects |= {"r2": RevoluteJoint("crank.end", "rod", cut=cut.get("r2", False))}
        objects |= {"r3": CylindricalJoint("rod.end", "world", "x", cut=cut.get("r3", False))}
        return [made.name for made in spanning_forest(build_graph(objects), Structure()).cuts]

    assert named() == ["r3"]  # the cylindrical joint is less to constrain
    assert named(r1=True) == ["r1"]
    assert named(r2=True) == ["r2"]


@pytest.mark.parametrize("mass", [0.0, 1.0])
@pytest.mark.parametrize("first", ["weld", "pin"])
def test_the_user_may_choose_a_rigid_connection_of_a_frame_without_mass(mass, first):
    """The foot has another one, which then holds it."""
    fixed = {"weld": FixedJoint("rod", "foot", cut=True), "pin": FixedJoint("foot", "link")}
    objects = {"world": world(), "foot": Frame(feature=solid(mass)) if mass else Frame()}
    objects |= {name: Frame(feature=solid()) for name in ("crank", "rod", "link")}
    objects |= {first: fixed[first], **fixed}
    for name, a, b in (("r1", "world", "crank"), ("r2", "crank", "rod"), ("r3", "link", "world")):
        objects[name] = RevoluteJoint(a, b)
    assert [cut.name for cut in spanning_forest(build_graph(objects), Structure()).cuts] == ["weld"]


@pytest.mark.parametrize(
    "made",
    [lambda: RevoluteJoint("a", "b", cut=True, with_flange=True), lambda: PrismaticJoint("a", "b", limits=(0, 1), cut=True)],
)
def test_a_joint_with_a_flange_or_limits_cannot_be_chosen(made):
    with pytest.raises(ModelError, match=r"(Revolute|Prismatic) cannot have cut=True.*(a flange|limits).*never cut"):
        made()


def test_a_frame_without_mass_is_not_left_alone():
    """A universal joint made of two revolute ones: neither of them is cut, though they are declared last."""
    edges = [(0, 1, "revolute"), (1, 2, "revolute"), (2, 3, "revolute"), (3, 0, "revolute")]
    objects, structure = linkage(edges, [1.0, 1.0, 0.0])
    forest = spanning_forest(build_graph(objects), structure)
    assert [cut.name for cut in forest.cuts] == ["j1"]
    behind = forest.floats[:, 12].copy()
    for body in range(forest.n - 1, 0, -1):
        if forest.ints[body, 0] >= 0:
            behind[forest.ints[body, 0]] += behind[body]
    assert (behind > 0.0).all()


@pytest.mark.parametrize("foot", [None, ("rod.end", "foot"), ("foot", "rod.end")])
def test_of_a_loop_of_driven_joints_the_heaviest_body_is_cut_in_two(foot):
    """All joints are in the forest; both halves in the same motion have the energy of the whole; ``foot``: massless parts."""
    objects = {"world": world(), "pin": Frame(parent="world", translation=(1, 0, 0))}
    objects |= {name: Frame(feature=solid(m)) for name, m in (("crank", 1.0), ("rod", 5.0), ("rocker", 2.0))}
    objects |= {
        f"{name}.end": Frame(parent=name, translation=(1, 0, 0), rotation=(0, 0.2, 0)) for name in ("crank", "rod", "rocker")
    }
    if foot:
        objects |= {"foot": Frame(), "weld": FixedJoint(*foot, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))}
        objects |= {"cap": Frame(), "glue": FixedJoint("crank", "cap")}
    objects |= {
        "r1": RevoluteJoint("world", "crank", with_flange=True),
        "r2": RevoluteJoint("crank.end", "rod", with_flange=True),
        "r3": RevoluteJoint("rocker.end", "foot" if foot else "rod.end", with_flange=True),
        "r4": RevoluteJoint("pin", "rocker", with_flange=True),
    }
    graph = build_graph(objects)
    forest = spanning_forest(graph, initial_structure(graph, {f"r{k}": ((0.0,), (0.0,)) for k in range(1, 5)}))
    assert set(forest.body_names) == {"r1", "r2", "r3", "r4"}
    assert forest.nv == 4
    (cut,) = forest.cuts
    assert isinstance(cut.joint, FixedJoint)
    assert cut.joint.obj1 == cut.joint.obj2 == ("foot" if foot else "rod.end")
    rod, other = (forest.frame_pose(k)[0] for k in (cut.frame_1, cut.frame_2))
    assert {forest.body_names[rod], forest.body_names[other]} == {"r2", "r3"}
    assert forest.floats[rod, 12] == forest.floats[other, 12] == 2.5
    assert forest.floats[:, 12].sum() == pytest.approx(8.0)
    halves = []
    for k in (cut.frame_1, cut.frame_2):
        body, R_BF, p_BF = forest.frame_pose(k)
        halves.append(inertia.moved_to(R_BF.T, -R_BF.T @ p_BF, forest.floats[body, 12:22]))
    np.testing.assert_allclose(*halves, rtol=1e-12, atol=1e-14)  # about the frame that is in both
    whole = spanning_forest(build_graph({name: made for name, made in objects.items() if name != "r3"}), Structure())
    body, R_BF, p_BF = whole.frame_pose(whole.graph.index[cut.joint.obj1])
    total = inertia.moved_to(R_BF.T, -R_BF.T @ p_BF, whole.floats[body, 12:22])
    np.testing.assert_allclose(2.0 * halves[0], total, rtol=1e-12, atol=1e-14)


def test_driven_joints_between_the_world_and_itself_are_refused():
    objects = {
        "world": world(),
        "a": Frame(),
        "fix": FixedJoint("world", "a"),
        "rev": RevoluteJoint("a", "world", with_flange=True),
    }
    with pytest.raises(ModelError, match=r"rev: .*fixed to the world.*a and world"):
        build_graph(objects)


def all_motions(forest, x):
    """Motion of all frames, those of the world, too."""
    still = {}
    for k, node in enumerate(forest.graph.frames):
        body, R, p = forest.frame_pose(k)
        if body == WORLD:
            still[node.name] = FrameMotion(R, p, np.zeros(3), np.zeros(3))
    return still | by_kernels(forest, x)


def locked(motions, one, two):
    """A lock of two frames as they are."""
    return Lock(one, two, *relative_pose(motions[one], motions[two]))


def assert_same(before, after, atol=1e-12):
    for name, motion in before.items():
        assert difference(motion, after[name]) < atol, name


def ring(seed, kinds, last):
    """World - b0 - b1 - b2 - world by joints j0, j1, j2 of given kinds and j3, which is ``last``; with lockable frames."""
    rng = np.random.default_rng(seed)
    objects = {"world": world()}
    for k in range(3):
        objects[f"b{k}"] = Frame(feature=solid(1.0 + k))
    for k in range(4):
        for end, body in (("a", k - 1), ("c", k)):
            pose = {"translation": tuple(rng.normal(size=3)), "rotation": tuple(rng.normal(size=3))}
            objects[f"{end}{k}"] = Frame(parent=f"b{body}" if 0 <= body < 3 else "world", lockable=True, **pose)
        ends = (f"a{k}", f"c{k}") if rng.random() < 0.5 else (f"c{k}", f"a{k}")
        objects[f"j{k}"] = MAKERS[last if k == 3 else str(rng.choice(kinds))](*ends)
    for k in range(3):
        objects[f"l{k}"] = Frame(parent=f"b{k}", translation=tuple(rng.normal(size=3)), lockable=True)
    objects["dock"] = Frame(parent="world", lockable=True)
    return build_graph(objects)


MOVING = [kind for kind in MAKERS if kind != "fixed" and not kind.startswith("free")]


@given(st.integers(0, 10**6), st.sampled_from(["free", "free yxz"]))
@settings(deadline=None, max_examples=60)
def test_the_state_of_a_cut_joint_is_the_motion_of_its_frames(seed, last):
    """A joint that allows everything is cut; its states follow from the motion of its frames."""
    graph = ring(seed, MOVING, last)
    start = initial_structure(graph, {})
    first = spanning_forest(graph, start)
    assert [cut.name for cut in first.cuts] == ["j3"]
    x = initial_state(graph, first, {})
    motions = all_motions(first, x)
    j = graph.joint_number["j3"]
    sequence = first.graph.orientation_of(j)
    q, v = cut_state(graph, graph.joints[j], motions.__getitem__, sequence)
    made = graph.joints[j].joint.motion(q, v, sequence)
    wanted = relative_motion(*(motions[graph.frames[k].name] for k in graph.joints[j].frames))
    for field in ("R_12", "p_12_1", "v_12_1", "w_12_1"):
        np.testing.assert_allclose(getattr(made, field), getattr(wanted, field), atol=1e-12)


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_nothing_moves_when_a_lock_closes_loops_and_when_it_opens_them(seed):
    """At rest; the lock may be in the tree or be cut, and other joints may be cut for it."""
    rng = np.random.default_rng(seed)
    graph = ring(seed, MOVING, "free")
    start = initial_structure(graph, {})
    first = spanning_forest(graph, start)
    x = initial_state(graph, first, {})
    x[first.nq :] = 0.0
    before = all_motions(first, x)
    k = int(rng.integers(3))
    other = f"c{k + 1}" if rng.random() < 0.5 else "dock"
    second = spanning_forest(graph, replace(start, locks=(locked(before, *sorted((f"l{k}", other))),)))
    assert len(second.cuts) + len(second.rigid_cuts) == 2
    closed = transfer_state(first, x, before.__getitem__, second)
    motions = all_motions(second, closed)
    assert_same(before, motions)
    third = spanning_forest(graph, start)
    opened = transfer_state(second, closed, motions.__getitem__, third)
    assert arrays(third) == arrays(first)
    assert third.free_roots == ()
    assert_same(before, all_motions(third, opened), 1e-11)
    kept = set(first.indices) & set(second.indices)
    for name in kept:  # to the last bit
        for i, state in enumerate(first.x_names):
            if state.startswith(f"{name}."):
                assert opened[i] == x[i] == closed[second.x_names.index(state)]


# -- edits --------------------------------------------------------------------------------------------------------------------

OBJECTS = {"world": world()} | box("one", (0, 0, 0.2)) | box("two", (0, 0, 0.6)) | platform()
OBJECTS |= {"base": Frame(parent="world", translation=(1, 0, 0)), "link": Frame(feature=solid())}
OBJECTS |= {"rev": RevoluteJoint("base", "link", "y"), "hand": Frame(parent="link", translation=(0, 0, 1), lockable=True)}


def scene(with_flange):
    """Boxes, a platform, and an arm of one joint; its motion, and locks as they are."""
    graph = build_graph(OBJECTS | {"rev": RevoluteJoint("base", "link", "y", with_flange=with_flange)})
    motion = initial_motion(graph, {"rev": ((0.0,), (0.0,))})
    motions = {node.name: motion(node.name) for node in graph.frames}
    return graph, motion, lambda one, other: locked(motions, *sorted((one, other)))


def test_a_lock_is_released_by_name_where_several_ways_lead_to_the_root():
    graph, motion, lock = scene(with_flange=True)
    locks = lock("one.Zneg", "platform.X1Y1"), lock("hand", "one.Xpos"), lock("one.Zpos", "two.Zneg")
    structure = Structure(locks=locks)
    ways = r"one\.Ypos: several ways .*hand - one\.Xpos.*one\.Zneg - platform\.X1Y1.*release="
    with pytest.raises(ModelError, match=ways):
        edits.release_and_attach(graph, structure, "one.Ypos", "platform.X3Y3", motion)
    with pytest.raises(ModelError, match="do not mate"):  # only the way up to the lock matters
        edits.release_and_attach(graph, structure, "two.Ypos", "platform.X3Y3", motion)
    with pytest.raises(ModelError, match="do not mate"):  # it is known which one
        edits.release_and_attach(graph, structure, "two.Ypos", "platform.X3Y3", motion, release="two.Zneg")


def test_a_cut_lock_is_released_and_nothing_else_changes():
    graph, _, lock = scene(with_flange=True)
    both = Structure(locks=(lock("one.Zneg", "platform.X1Y1"), lock("one.Xpos", "hand")))
    forest = spanning_forest(graph, both)
    assert [cut.name for cut in forest.cuts] == ["one.Zneg - platform.X1Y1"]
    released = spanning_forest(graph, edits.release(graph, both, "one.Zneg"))
    assert arrays(released) == arrays(forest)
    assert released.cuts == ()


def test_a_joint_between_parts_that_are_locked_together_is_no_constraint():
    graph, _, lock = scene(with_flange=False)
    forest = spanning_forest(graph, Structure(locks=(lock("one.Zneg", "platform.X1Y1"), lock("one.Xpos", "hand"))))
    assert forest.cuts == ()
    assert [cut.name for cut in forest.rigid_cuts] == ["rev"]


@pytest.mark.parametrize("name", ["r1", "r2", "r3", "r4"])
def test_a_joint_of_a_loop_is_locked_and_unlocked_wherever_the_cut_is(name):
    """A parallelogram: its four coordinates follow from one, also that of the joint that is cut."""
    objects = {"world": world(), "pin": Frame(parent="world", translation=(2, 0, 0))}
    objects |= {body: Frame(feature=solid(k)) for k, body in enumerate(("crank", "rod", "rocker"), 1)}
    objects |= {f"{body}.end": Frame(parent=body, translation=(length, 0, 0)) for body, length in LENGTHS.items()}
    angle, speed = 0.7, 1.3
    ends = {"r1": ("world", "crank"), "r2": ("crank.end", "rod"), "r3": ("rocker.end", "rod.end"), "r4": ("pin", "rocker")}
    sign = {"r1": 1.0, "r2": -1.0, "r3": -1.0, "r4": 1.0}
    turns = {"r1": 0, "r2": 3, "r3": -2, "r4": 0}
    state = {joint: (sign[joint] * angle + 2.0 * math.pi * turns[joint], sign[joint] * speed) for joint in ends}
    for joint, (one, other) in ends.items():
        phi, w = state[joint]
        objects[joint] = RevoluteJoint(one, other, phi=phi, w=w, cut=joint == name)
    graph = build_graph(objects)
    start = initial_structure(graph, {})
    forest = spanning_forest(graph, start)
    present = Configuration(forest, *np.split(initial_state(graph, forest, {}), 2))
    assert [cut.name for cut in forest.cuts] == [name]
    for joint in ends:
        (q,), (v,) = present.state_of(joint)
        assert (q, v) == pytest.approx(state[joint], abs=1e-12)  # the turns are those of the declared angle
    closed = edits.lock_joint(graph, start, name, present.state_of(name), moving=True)
    rigid = spanning_forest(graph, closed)
    assert len(rigid.cuts) == 1
    assert rigid.cuts[0].name in ends
    there = Configuration(rigid, *np.split(transfer_state(forest, present.x, present.motion_of, rigid), 2))
    for frame in graph.frames:
        assert np.abs(there.motion_of(frame.name).p_WF - present.motion_of(frame.name).p_WF).max() < 1e-12
    opened = edits.unlock_joint(graph, closed, name)
    assert opened == start
    x = transfer_state(rigid, there.x, there.motion_of, forest)
    assert x[: forest.nq] == pytest.approx(present.q, abs=1e-12)


LENGTHS = {"crank": 1.0, "rod": 2.0, "rocker": 1.0}


# -- halves -------------------------------------------------------------------------------------------------------------------


def test_a_body_that_is_cut_in_two_moves_as_the_whole_one():
    """A four-bar with one joint that may be cut, and with driven joints only, where the coupler is cut in two."""

    def made(with_flange):
        ends = {"motor": ("world", "crank"), "knee": ("crank_tip", "coupler"), "pivot": ("far", "rocker")}
        objects = {"world": world(), "far": Frame(parent="world", translation=(2, 0, 0))}
        for k, (name, length) in enumerate((("crank", 0.5), ("coupler", 2.0), ("rocker", 1.5)), 1):
            objects |= {name: Frame(feature=solid(k)), f"{name}_tip": Frame(parent=name, translation=(length, 0, 0))}
        objects |= {name: RevoluteJoint(*both, with_flange=True) for name, both in ends.items()}
        graph = build_graph(objects | {"pin": RevoluteJoint("rocker_tip", "coupler_tip", with_flange=with_flange)})
        return spanning_forest(graph, Structure())

    whole, halved = made(False), made(True)
    assert (whole.body_names, halved.nv) == (("motor", "pivot", "knee"), 4)
    cuts = [CutJoint.of(whole.graph, cut) for cut in whole.cuts]
    closed = project(partial(Configuration, whole), cuts, np.array([1.0, 0.3, 1.9]), np.array([1.0, 0.2, 0.3]))
    one = Configuration(whole, closed.q, closed.v)
    (phi,), (w,) = one.state_of("pin")
    q, v = np.zeros(4), np.zeros(4)
    for name in ("motor", "knee", "pivot"):
        (_, i, _), (_, j, _) = whole.indices[name], halved.indices[name]
        q[j], v[j] = one.q[i], one.v[i]
    q[halved.indices["pin"][1]], v[halved.indices["pin"][1]] = phi, w
    two = Configuration(halved, q, v)
    (weld,) = (CutJoint.of(halved.graph, cut) for cut in halved.cuts)
    rows = rows_of([weld], two)
    assert np.abs(rows.residual).max() < 1e-12
    assert np.abs(rows.G @ v).max() < 1e-12
    moved = Configuration(halved, q + (0.1, 0.0, 0.0, 0.0), v)
    assert np.abs(rows_of([weld], moved).residual).max() > 0.01
    energies = []
    for there in (one, two):
        dynamics = Dynamics(there.forest.ints, there.forest.floats, there.forest.gravity)
        dynamics.q[:], dynamics.v[:] = there.q, there.v
        dynamics.kinematics()
        energies.append((dynamics.kinetic_energy(), dynamics.potential_energy()))
    np.testing.assert_allclose(*energies, rtol=1e-12)
