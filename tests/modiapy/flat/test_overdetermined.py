"""Overdetermined connectors: the virtual connection graph by itself, and in models with loops."""

from __future__ import annotations

import random

import numpy as np
import pytest

from modiapy import If, Map, Model, ModelError, Var, connection_trees, instantiate
from modiapy.symbolic.flattening.overdetermined import ConnectionGraph, Edge, spanning_forest

pytestmark = pytest.mark.white_box


def edges(*pairs):
    return [Edge(a, b) for a, b in pairs]


def test_loop_of_connections_and_branches_is_cut_once():
    graph = ConnectionGraph(
        branches=edges(("a1", "a2"), ("b1", "b2"), ("c1", "c2")),
        connections=edges(("w", "a1"), ("a2", "b1"), ("b2", "c1"), ("c2", "w")),
        roots=["w"],
    )
    forest = spanning_forest(graph)
    assert forest.roots == {"w"}
    assert forest.cut == (Edge("c2", "w"),)
    assert [forest.parent[n] for n in ("a1", "a2", "b1", "b2", "c1", "c2")] == ["w", "a1", "a2", "b1", "b2", "c1"]


def test_path_between_two_roots_is_cut():
    forest = spanning_forest(
        ConnectionGraph(branches=edges(("a", "b"), ("c", "d")), connections=edges(("b", "c")), roots=["a", "d"])
    )
    assert forest.cut == (Edge("b", "c"),)
    assert forest.parent == {"b": "a", "c": "d"}


def test_potential_root_of_the_lowest_priority_is_chosen_where_there_is_no_root():
    graph = ConnectionGraph(
        branches=edges(("a", "b"), ("c", "d")),
        connections=edges(("b", "c")),
        potential_roots={"a": 2.0, "d": 1.0, "alone": 5.0},
    )
    assert spanning_forest(graph).roots == {"d", "alone"}
    graph.roots = ["b"]
    assert spanning_forest(graph).roots == {"b", "alone"}


def test_connection_of_what_is_connected_already_is_not_cut():
    forest = spanning_forest(ConnectionGraph(connections=edges(("a", "b"), ("b", "c"), ("a", "c")), roots=["a"]))
    assert forest.cut == ()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (
            ConnectionGraph(branches=edges(("a", "b"), ("b", "a")), roots=["a"]),
            "form a loop; found branch.b, a., beside branches along b, a",
        ),
        (
            ConnectionGraph(branches=edges(("a", "b")), roots=["a", "b"]),
            r"branch\(a, b\), between Connections.root\(a\) and Connections.root\(b\)",
        ),
        (ConnectionGraph(connections=edges(("a", "b"))), "a: overdetermined connectors have no root; found a, b"),
    ],
)
def test_impossible_graphs_are_refused(graph, message):
    with pytest.raises(ModelError, match=message):
        spanning_forest(graph)


def test_random_graphs_become_trees_with_one_root_each():
    """Every tree has one root, every node has a path to it, and as few edges are cut as possible."""
    for seed in range(200):
        rng = random.Random(seed)
        bodies = rng.randint(1, 8)
        branches = edges(*((f"{k}a", f"{k}b") for k in range(bodies)))
        nodes = [f"{k}{side}" for k in range(bodies) for side in "ab"]
        connections = edges(*(tuple(rng.sample(nodes, 2)) for _ in range(rng.randint(0, 10))))
        connections = [e for e in connections if {e.a[:-1], e.b[:-1]} != {e.a[:-1]}]
        roots = [f"{k}a" for k in range(bodies) if rng.random() < 0.3]
        graph = ConnectionGraph(branches, connections, roots, {n: rng.random() for n in nodes})
        forest = spanning_forest(graph)
        assert set(forest.parent) | forest.roots == set(nodes)
        assert not set(forest.parent) & forest.roots
        for node in nodes:
            steps = 0
            while node not in forest.roots:
                node, steps = forest.parent[node], steps + 1
                assert steps <= len(nodes)
        assert set(roots) <= forest.roots
        kept = {frozenset((node, up)) for node, up in forest.parent.items()}
        assert {frozenset((e.a, e.b)) for e in branches} <= kept
        assert kept <= {frozenset((e.a, e.b)) for e in [*branches, *connections]}


# -- a planar mechanism with redundant coordinates ---

Direction = Model(c=Var(potential=True), s=Var(potential=True), equality_constraint=["a.c*b.s - a.s*b.c"])
Frame = Model(R=Direction, t=Var(flow=True))
World = Model(frame=Frame, equations=["Connections.root(frame.R)", "frame.R.c = 1", "frame.R.s = 0"])
Joint = Model(
    a=Frame,
    b=Frame,
    phi=Var(),
    equations=[
        "Connections.branch(a.R, b.R)",
        "a.t + b.t = 0",
        If(
            "Connections.rooted(a.R)",
            ["b.R.c = cos(phi)*a.R.c - sin(phi)*a.R.s", "b.R.s = sin(phi)*a.R.c + cos(phi)*a.R.s"],
            otherwise=["a.R.c = cos(phi)*b.R.c + sin(phi)*b.R.s", "a.R.s = cos(phi)*b.R.s - sin(phi)*b.R.c"],
        ),
    ],
)
Tree = Model(
    w=World,
    j1=Joint,
    j2=Joint,
    equations=["j1.phi = time", "connect(w.frame, j1.a)", "connect(j1.b, j2.b)"],
)


def test_tree_needs_no_constraint_and_follows_the_branches():
    model = Tree | Model(
        equations=["j2.phi = 0.25*time", "root = Connections.is_root(w.frame.R) - Connections.is_root(j1.a.R)"], root=Var()
    )
    sim = instantiate(model)
    assert not any("equality constraint" in str(e) for e in sim.flat.equations)
    result = sim.simulate(1.0)
    np.testing.assert_allclose(np.arctan2(result["j2.a.R.s"], result["j2.a.R.c"]), 0.75 * result.time, atol=1e-12)
    assert result["root"][-1] == 1.0


def test_loop_is_closed_by_the_equality_constraint():
    """Two joints in a loop: the second turns back what the first one turned; two coordinates, but one equation."""
    model = Tree | Model(equations=["connect(j2.a, w.frame)", "j1.a.t = 0"])
    sim = instantiate(model)
    assert sum("equality constraint" in str(e) for e in sim.flat.equations) == 1
    result = sim.simulate(1.0)
    np.testing.assert_allclose(result["j2.phi"], result.time, atol=1e-6)
    np.testing.assert_allclose(result["j2.a.R.c"], 1.0, atol=1e-6)


def test_constraint_without_equations_removes_the_redundancy():
    """A ring of lines that share a reference angle, as in three-phase networks: no residual is needed at the cut."""
    Angle = Model(theta=Var(potential=True), equality_constraint=[])
    Plug = Model(ref=Angle, v=Var(potential=True), i=Var(flow=True))
    Generator = Model(p=Plug, equations=["Connections.root(p.ref)", "p.v = 10", "p.ref.theta = 314*time"])
    Line = Model(
        R=1.0,
        a=Plug,
        b=Plug,
        equations=["Connections.branch(a.ref, b.ref)", "a.ref.theta = b.ref.theta", "a.i + b.i = 0", "R*a.i = a.v - b.v"],
    )
    Load = Model(p=Plug, equations=["Connections.potential_root(p.ref, 2)", "p.i = 4"])
    ring = Model(
        g=Generator,
        l0=Line,
        l1=Line,
        l2=Line,
        load=Load,
        equations=["connect(g.p, l0.a, l2.b)", "connect(l0.b, l1.a)", "connect(l1.b, l2.a, load.p)"],
    )
    sim = instantiate(ring)
    assert sim.report()["redundant equations"] == 0
    result = sim.simulate(0.1)
    assert result["load.p.v"][-1] == pytest.approx(10 - 4 * (1 * 2) / 3)
    np.testing.assert_allclose(result["load.p.ref.theta"], 314 * result.time)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (Model(x=Var("Connections.isRoot(w.frame.R)")), "'Connections.isRoot' in .*expected Connections.is_root"),
        (Model(x=Var("Connections.is_root(w.frame.RR)")), "is not an overdetermined record.*Did you mean 'w.frame.R'"),
        (Model(x=Var("Connections.rooted(w.frame.R)")), "belongs to 0 branches"),
        (Model(equations=["Connections.branch(j1.a.R, j1.b.R)"]), "form a loop; found .* along j1.a.R, j1.b.R"),
        (Map(j2=Map(a=Map(R=Map(equality_constraint=["a.q"])))), "'a.q' in 'a.q' is no variable of the record"),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Tree | Model(equations=["connect(j2.a, w.frame)"]) | change)


@pytest.mark.parametrize("text", ["world.kind == 'uniform'", "2*world.g"])
def test_missing_world_is_asked_for(text):
    with pytest.raises(ModelError, match=r"unknown name 'world.* Give an enclosing model an entry 'world'"):
        instantiate(Model(body=Model(x=Var(f"1 if {text} else 0" if "==" in text else text))))


def test_wrong_path_is_told_before_the_root_that_it_leaves_out():
    with pytest.raises(ModelError, match=r"'j1.aa' in connect.w.frame, j1.aa. leads nowhere.*Did you mean 'a'"):
        instantiate(Model(w=World, j1=Joint, equations=["connect(w.frame, j1.aa)"]))
    with pytest.raises(ModelError, match="is no priority"):
        connection_trees(Model(f=Frame, equations=["Connections.potential_root(f.R, 'high')"]))
