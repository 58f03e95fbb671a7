"""What does not collide and what is rigid, in random scenes, against a slow search over all chains of joints."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.constraint_elements.cut_joints import SphericalConstraint
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.shapes import BoxShape
from modia3d.scene.solid import SolidFeature
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.neighbours import rigid_bodies, separate_groups, touching_frames
from modia3d.topology.structure import JointLock, Lock, Structure
from modiapy import ModelError

from .scenes import world
from .test_cuts import graphs, linkage

pytestmark = pytest.mark.white_box

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
MASS = MassProperties(1.0, (0.0, 0.0, 0.0), 0.1, 0.1, 0.1)
FEATURES = {
    "touch": SolidFeature(BoxShape(0.1, 0.1, 0.1), "Steel", MASS, collision=True),
    "ghost": SolidFeature(BoxShape(0.1, 0.1, 0.1), "Steel", MASS),
    "bare": None,
}
JOINTS = {
    "revolute": lambda one, two, may: RevoluteJoint(one, two, with_flange=True, can_collide=may),
    "prismatic": lambda one, two, may: PrismaticJoint(one, two, with_flange=True, can_collide=may),
    "fixed": lambda one, two, may: FixedJoint(one, two, can_collide=may),
    "element": lambda one, two, may: SphericalConstraint(one, two, can_collide=bool(may)),
}


@st.composite
def scenes(draw):
    """Features of bodies (0 is the world), whether each has one more solid, and joints: a tree, and some more elements."""
    n = draw(st.integers(2, 6))
    bodies = [(draw(st.sampled_from(["touch", *FEATURES])), draw(st.booleans())) for _ in range(n)]
    kind, may = st.sampled_from(["revolute", *JOINTS]), st.sampled_from([None, None, True, False])
    tree = [(draw(st.integers(max(0, k - 2), k - 1)), k, draw(kind.filter("element".__ne__)), draw(may)) for k in range(1, n)]
    turned = [(b, a, *more) if draw(st.booleans()) else (a, b, *more) for a, b, *more in tree]
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    return bodies, turned + [(*draw(pair), "element", draw(may)) for _ in range(draw(st.integers(0, 1)))]


def build(bodies, joints):
    """The graph, and the names of the frames with a solid that may touch others, of each body."""
    objects, touching = {"world": world()}, {}
    for k, (feature, more) in enumerate(bodies):
        name = f"b{k}" if k else "world"
        if k:
            objects[name] = Frame(feature=FEATURES[feature])
        touching[k] = [name] if feature == "touch" and k else []
        if more and feature != "bare":
            objects[f"c{k}"] = Frame(parent=name, translation=(1.0, 0, 0), feature=FEATURES[feature])
            touching[k] += [f"c{k}"] if feature == "touch" else []
        objects[f"d{k}"] = Frame(parent=name, lockable=True)
    for i, (a, b, kind, may) in enumerate(joints):
        objects[f"j{i}"] = JOINTS[kind](f"d{a}", f"d{b}", may)
    return objects, touching


def parts_of(bodies, joints):
    """The set of bodies that fixed joints hold together, of each body."""
    part = {k: {k} for k in range(len(bodies))}
    for a, b, kind, _ in joints:
        if kind == "fixed":
            merged = part[a] | part[b]
            part |= dict.fromkeys(merged, merged)
    return {k: frozenset(members) for k, members in part.items()}


def kept_apart(bodies, joints):
    """Pairs of parts that joints keep apart: directly, or by a chain of parts without solids, each between two joints only."""
    part = parts_of(bodies, joints)
    solid = {part[k] for k, (feature, more) in enumerate(bodies) if feature != "bare" and (k or more)} | {part[0]}
    edges = []
    for a, b, kind, may in joints:
        grounded = part[0] in (part[a], part[b])
        may = (grounded and kind == "prismatic" if kind != "element" else False) if may is None else may
        if part[a] != part[b]:
            edges.append((part[a], part[b], may))
    pairs = set()
    for length in range(1, len(edges) + 1):
        for chain in itertools.permutations(range(len(edges)), length):
            for start in edges[chain[0]][:2]:
                here = start
                for place, k in enumerate(chain):
                    a, b, may = edges[k]
                    between = [one for one in edges if here in one[:2]]
                    if may or here not in (a, b) or (place and (here in solid or len(between) != 2)):
                        break
                    here = b if here == a else a
                else:
                    pairs.add(frozenset((start, here)))
    return {pair for pair in pairs if len(pair) == 2}, part


@settings(max_examples=60)
@given(scenes(), st.data())
def test_joints_and_locks_keep_apart_what_the_guide_says(scene, data):
    bodies, joints = scene
    objects, touching = build(bodies, joints)
    graph = build_graph(dict(data.draw(st.permutations([*objects.items()]))))
    parted, part = kept_apart(bodies, joints)
    body_of = {graph.frames[graph.index[f"d{k}"]].group: k for k in range(len(bodies))}

    def found(structure):
        pairs = separate_groups(graph, structure).tolist()
        assert pairs == sorted(pairs)
        assert all(i < j for i, j in pairs)
        assert len({tuple(pair) for pair in pairs}) == len(pairs)
        return {frozenset((body_of[i], body_of[j])) for i, j in pairs}

    both = [
        frozenset(pair) for pair in itertools.combinations(range(len(bodies)), 2) if touching[pair[0]] and touching[pair[1]]
    ]
    expected = {pair for pair in both if frozenset(part[k] for k in pair) in parted}
    assert found(Structure()) == expected
    a, b = (data.draw(st.integers(0, len(bodies) - 1)) for _ in range(2))
    for contact in (True, False) if a != b else ():
        lock = Lock(*sorted((f"d{a}", f"d{b}")), UNIT, (0.0, 0.0, 0.0), contact)
        # one assembly on both sides: a lock without contact keeps all of it apart from itself
        assert found(Structure(locks=(lock,))) == (expected if contact else set(both))

    names = [name for k in touching for name in touching[k]] + [f"d{k}" for k in range(len(bodies))]
    for one, two in itertools.combinations(names, 2):
        k, m = (int(name[1:]) for name in (one, two))
        if "d" in (one[0], two[0]):
            refused = "takes part in no contact"
        elif frozenset((part[k], part[m])) in parted:
            refused = "a joint between them"
        else:
            refused = "one rigid body" if part[k] == part[m] else ""
        if refused:
            with pytest.raises(ModelError, match=refused):
                touching_frames(graph, (two, one))
        else:
            assert list(touching_frames(graph, (two, one))) == sorted((one, two), key=graph.index.__getitem__)


@settings(max_examples=60)
@given(graphs(), st.data())
def test_what_is_rigidly_connected_has_one_number(made, data):
    """Fixed joints, locks, and joints with a flange that actions locked; those at a limit move away from it."""
    n, edges = made
    objects, structure = linkage(edges, [1.0 + k for k in range(1, n)])
    driven = [i for i, (_, _, kind) in enumerate(edges) if kind == "driven"]
    sides = {i: data.draw(st.sampled_from([None, 0, 1])) for i in driven}
    locked = tuple(JointLock(f"j{i}", side) for i, side in sides.items() if side is not None)
    graph = build_graph(objects)
    forest = spanning_forest(graph, Structure(locks=structure.locks, locked=locked))
    together = {k: {k} for k in range(n)}
    for i, (a, b, kind) in enumerate(edges):
        if kind in ("lock", "fixed", "cut fixed") or sides.get(i) == 0:
            merged = together[a] | together[b]
            together |= dict.fromkeys(merged, merged)
    place = {k: int(forest.frame_body[graph.index[f"body{k}" if k else "world"]]) for k in range(n)}
    first = dict(enumerate(rigid_bodies(forest).tolist())) | {-1: -1}
    for k in range(n):
        for m in range(n):
            assert (first[place[k]] == first[place[m]]) == (m in together[k]), (k, m)
    for cut in forest.cuts:
        if cut.frame_2 >= len(graph.frames):  # a body cut in two
            assert first[forest.frame_pose(cut.frame_1)[0]] == first[forest.frame_pose(cut.frame_2)[0]]
    members = {number: [body for body in first if first[body] == number] for number in first.values()}
    assert all(number == min(bodies) for number, bodies in members.items())
