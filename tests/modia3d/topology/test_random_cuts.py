"""What is cut in random linkages, driven loops and frames without mass among them, against the list of `cuts`, read slowly."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.structure import JointWeld, Structure
from modiapy import ModelError

from .test_cuts import KINDS, linkage

pytestmark = pytest.mark.white_box

FREEDOMS = {"revolute": 1, "universal": 2, "spherical": 3}
RIGID = {"lock", "fixed", "cut fixed"}
KEPT = {"driven", "limited"}


@st.composite
def linkages(draw):
    """Masses of bodies 1, 2, ..., and edges between all of them and the world 0: a tree, and up to four more."""
    n = draw(st.integers(2, 6))
    masses = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 4.0]), min_size=n - 1, max_size=n - 1))
    kinds = st.sampled_from(draw(st.sampled_from([["driven"], ["driven", "fixed"], ["driven", "limited", "lock", *KINDS]])))
    edges = [(draw(st.integers(0, k - 1)), k, draw(kinds)) for k in range(1, n)]
    for _ in range(draw(st.integers(1, 4))):
        a, b = draw(st.permutations(range(n)))[:2]
        edges.append((a, b, draw(kinds)))
    return masses, draw(st.permutations(edges))


def made_graph(masses, edges):
    """Graph, locks, and edges with their names, as they are taken: joints as declared, locks by the names of their frames."""
    objects, structure = linkage(edges, masses)
    try:
        graph = build_graph(objects)
    except ModelError as error:
        told = str(error)
        assume("without mass" not in told)
        assume("has no mass" not in told)
        assume("both frames of the joint are fixed to the world" not in told)
        raise
    named = [(f"j{i}", *edge) for i, edge in enumerate(edges) if edge[2] != "lock"]
    named += sorted((f"a{i} - b{i}", *edge) for i, edge in enumerate(edges) if edge[2] == "lock")
    return graph, structure, named


class Parts:
    """Sets of bodies that are joined, as plain sets."""

    def __init__(self, n):
        self.of = {k: frozenset({k}) for k in range(n)}

    def join(self, a, b):
        """Whether they were apart."""
        if self.of[a] == self.of[b]:
            return False
        both = self.of[a] | self.of[b]
        self.of |= dict.fromkeys(both, both)
        return True


def expected(masses, named):
    """Names of the edges that are cut, and how many loops have none to cut."""
    n = len(masses) + 1
    solid = {0, *(k for k, mass in enumerate(masses, 1) if mass)}
    rigid = Parts(n)
    light = set()
    for name, a, b, kind in named:
        both_solid = all(rigid.of[k] & solid for k in (a, b))
        if kind in ("lock", "fixed") and not both_solid and rigid.join(a, b):
            light.add(name)

    def rank(edge):
        name, a, b, kind = edge
        if name in light:
            return 1, 0, 0
        if kind in KEPT:
            return 2, 0, 0
        if kind.startswith("cut"):
            return 5, 0, 0
        if kind in RIGID:
            return 3, 0, 0
        return 4, all(rigid.of[k] & solid for k in (a, b)), FREEDOMS[kind]

    joined, cut, loops = Parts(n), set(), 0
    for name, a, b, kind in sorted(named, key=rank):  # stable
        if not joined.join(a, b):
            loops += kind in KEPT
            cut |= set() if kind in KEPT else {name}
    return cut, loops


@settings(max_examples=100)
@given(linkages(), st.sets(st.integers(0, 9)))
def test_what_is_cut_is_what_the_list_says(made, held):
    """Some joints are locked: those are rigid connections, too."""
    masses, edges = made
    graph, structure, named = made_graph(masses, edges)
    held = {f"j{i}" for i in held} & {name for name, *_, kind in named if kind not in {"driven", *RIGID}}
    coordinates = {edge.name: edge.joint.start("quaternion")[0] for edge in graph.joints}
    structure = replace(structure, welded=tuple(JointWeld(name, coordinates[name]) for name in held))
    named = [(name, a, b, f"{'cut ' if kind == 'cut' else ''}fixed" if name in held else kind) for name, a, b, kind in named]
    cut, loops = expected(masses, named)
    try:
        forest = spanning_forest(graph, structure)
    except ModelError as error:
        assume("both frames of the joint are fixed to the world" not in str(error))
        raise
    n = len(graph.frames)
    cuts = (*forest.cuts, *forest.rigid_cuts)
    welds = [one for one in cuts if one.frame_2 >= n]
    assert {one.name for one in cuts if one not in welds} == cut
    assert len(cuts) == len(cut) + loops
    order = {name: place for place, (name, *_) in enumerate(named)}
    for some in (forest.cuts, forest.rigid_cuts):
        assert [one.name for one in some] == sorted((one.name for one in some), key=order.__getitem__)
    assert len(welds) == loops
    assert {name for name, *_, kind in named if kind in KEPT} <= set(forest.indices)
    moving = {int(forest.frame_body[graph.index[f"body{k}"]]) for k in range(1, len(masses) + 1)} - {-1}
    total = sum(mass for k, mass in enumerate(masses, 1) if forest.frame_body[graph.index[f"body{k}"]] >= 0)
    fixed = [one for one in welds if -1 in (forest.frame_pose(one.frame_1)[0], forest.frame_pose(one.frame_2)[0])]
    assert forest.floats[:, 12].sum() == pytest.approx(total) or fixed
    assert moving <= set(range(forest.n))
    for one in welds:
        frame = graph.frames[one.frame_1].name
        assert (one.joint.obj1, one.joint.obj2) == (frame, frame)
        joint = graph.joints[graph.joint_index(one.name)]
        assert frame in {graph.frames[k].name for k in joint.frames}
        (a, R_1, p_1), (b, R_2, p_2) = forest.frame_pose(one.frame_1), forest.frame_pose(one.frame_2)
        assert (a == b) == (one in forest.rigid_cuts)
        assert np.abs(R_1 @ R_1.T - np.eye(3)).max() < 1e-12
        assert np.isfinite([*R_2.ravel(), *p_1, *p_2]).all()


@settings(max_examples=60)
@given(linkages())
def test_joints_of_no_tree_are_those_that_the_first_forest_cuts(made):
    masses, edges = made
    graph, _, _ = made_graph(masses, [(a, b, "fixed" if kind == "lock" else kind) for a, b, kind in edges])
    forest = spanning_forest(graph, Structure())
    closing = {graph.joints[j].name for assembly in graph.assemblies for j in assembly.loops}
    there = {one.name for one in (*forest.cuts, *forest.rigid_cuts)}
    assert closing == there


@st.composite
def rings(draw):
    """Masses, all different, and driven joints: a tree, and one more."""
    n = draw(st.integers(2, 6))
    tree = [(draw(st.integers(0, k - 1)), k) for k in range(1, n)]
    pairs = draw(st.permutations([*tree, tuple(draw(st.permutations(range(n)))[:2])]))
    return draw(st.permutations([1.0, 2.0, 4.0, 8.0, 16.0]))[: n - 1], [(*pair, "driven") for pair in pairs]


@settings(max_examples=60)
@given(rings())
def test_of_one_driven_loop_the_heaviest_body_is_cut(made):
    masses, edges = made
    inside = list(edges)
    while True:  # what ends nowhere is in no loop
        ends = [k for a, b, _ in inside for k in (a, b)]
        left = [edge for edge in inside if ends.count(edge[0]) > 1 and ends.count(edge[1]) > 1]
        if left == inside:
            break
        inside = left
    bodies = {k for a, b, _ in inside for k in (a, b)} - {0}
    graph, structure, _ = made_graph(masses, edges)
    forest = spanning_forest(graph, structure)
    (weld,) = forest.cuts
    group = graph.frames[weld.frame_1].group
    assert graph.group_inertia[group, 0] == max(masses[k - 1] for k in bodies)
    both = [forest.frame_pose(frame)[0] for frame in (weld.frame_1, weld.frame_2)]
    halves = [body for body in both if body >= 0]
    assert [forest.floats[body, 12] for body in halves] == pytest.approx([0.5 * graph.group_inertia[group, 0]] * len(halves))


@pytest.mark.parametrize("seed", range(4))
def test_driven_joints_stay_in_the_forest_however_many_loops_they_form(seed):
    random = Random(seed)
    for _ in range(60):
        n = random.randint(4, 8)
        masses = [random.choice([1.0, 2.0, 4.0, 8.0]) for _ in range(n - 1)]
        pairs = [(random.randint(0, k - 1), k) for k in range(1, n)]
        pairs += [tuple(random.sample(range(n), 2)) for _ in range(random.randint(2, 4))]
        random.shuffle(pairs)
        graph, structure, _ = made_graph(masses, [(*pair, "driven") for pair in pairs])
        forest = spanning_forest(graph, structure)
        assert sorted(forest.body_names) == sorted(f"j{i}" for i in range(len(pairs)))
        assert len((*forest.cuts, *forest.rigid_cuts)) == len(pairs) - (n - 1)
