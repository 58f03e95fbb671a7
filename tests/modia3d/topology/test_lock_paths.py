"""Which lock an action releases where none is named: random locks against a search over all simple ways."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from modia3d.engine.engine_state import structure_data
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, RevoluteJoint
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.lock_paths import form_loops
from modia3d.topology.mating import Anywhere, where_all_mates
from modia3d.topology.structure import JointLock, JointWeld, Lock, Structure
from modiapy import ModelError

from .scenes import solid, world

pytestmark = pytest.mark.white_box

UNIT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ORDER = "wabcde"
"""Assemblies as they are declared; w is the world."""


def scene():
    """Assemblies of two groups with three ports: 0 and 1 on the first group, 2 on the other one; w has them on the ground."""
    objects = {"world": world(), **{f"w{k}": Frame(parent="world", lockable=True) for k in range(3)}}
    for name in ORDER[1:]:
        objects[f"{name}.near"], objects[f"{name}.far"] = Frame(feature=solid()), Frame(feature=solid())
        objects |= {f"{name}{k}": Frame(parent=f"{name}.{'far' if k == 2 else 'near'}", lockable=True) for k in range(3)}
        joint = FixedJoint if name == "c" else RevoluteJoint
        objects[f"{name}.j"] = joint(f"{name}.near", f"{name}.far")
    return build_graph(objects)


GRAPH = where_all_mates(scene())
PRESENT = Anywhere(GRAPH)
PORTS = [f"{name}{k}" for name in ORDER for k in range(3)]


def structure_of(pairs):
    return Structure(locks=tuple(Lock(*sorted(pair), UNIT, (0.0, 0.0, 0.0)) for pair in pairs))


@settings(max_examples=20)
@given(st.permutations(PORTS), st.integers(1, 6), st.randoms(use_true_random=False))
def test_locks_that_come_and_go_leave_the_structure_that_is_made_of_them(ports, n, rng):
    """Equal in all that is known of it and in what is written of it, whatever was asked before."""
    pairs = [*zip(ports[::2], ports[1::2], strict=False)][:n]
    locks, present = {pair: structure_of([pair]).locks[0] for pair in pairs}, []
    made = Structure(
        deleted=frozenset("f"), welded=(JointWeld("b.j", (0.5,)), JointWeld("a.j", (0.1,))), locked=(JointLock("e.j", 1),)
    )
    for pair in [*pairs, *rng.sample(pairs, n)]:
        hash(made), structure_data(made), made.side_of("e.j"), made.welded_state("a.j"), made.lock_at(pair[0])
        made = made.without_lock(locks[pair]) if pair in present else made.with_lock(locks[pair])
        present = [*present, pair] if pair not in present else [other for other in present if other != pair]
        anew = replace(made, locks=tuple(locks[pair] for pair in present))
        assert made == anew
        assert hash(made) == hash(anew)
        assert structure_data(made) == structure_data(anew)
        assert all(made.lock_at(port) is anew.lock_at(port) for port in PORTS)
        assert (made.side_of("e.j"), made.welded_state("a.j")) == (1, ((0.1,), (0.0,)))


def ways(pairs, start, end):
    """All simple ways of locks from one assembly to another, each a list of (port left, port reached)."""
    if start == end:
        return [[]]
    found = []
    for pair in pairs:
        for near, far in (pair, pair[::-1]):
            if near[0] == start:
                rest = [other for other in pairs if start not in (other[0][0], other[1][0])]
                found += [[(near, far), *way] for way in ways(rest, far[0], end)]
    return found


def together(pairs, name):
    return [other for other in ORDER if ways(pairs, name, other)]


@st.composite
def locked(draw):
    """Pairs of ports, each used once, and two more ports: one to be moved, of an assembly, and a target."""
    ports = draw(st.permutations(PORTS))
    n = draw(st.integers(0, 5))
    pairs = [(ports[2 * k], ports[2 * k + 1]) for k in range(n) if ports[2 * k][0] != ports[2 * k + 1][0]]
    left = ports[2 * n :]
    moved = next(port for port in left if port[0] != "w")
    return pairs, moved, next(port for port in left if port != moved)


def jointed(way, start):
    """Of the locks of a way, the first one behind a joint; None: there is none."""
    here = start
    for near, far in way:
        if (here[1] == "2") != (near[1] == "2"):
            return near, far
        here = far
    return None


@settings(max_examples=100)
@given(locked(), st.booleans())
@example(([("c1", "d0"), ("c2", "d1"), ("b2", "d2")], "c0", "w2"), True)
def test_the_lock_that_is_released_is_the_first_one_on_the_only_way_to_the_root(made, flip):
    pairs, moved, target = made
    structure = structure_of(pairs)
    root = together(pairs, moved[0])[0]
    edit = edits.flip_chain if flip else edits.release_and_attach

    def firsts(some):
        found = [jointed(way, moved) if flip else way[0] for way in ways(some, moved[0], root) if way]
        return {frozenset(pair) for pair in found if pair}

    candidates = firsts(pairs)
    if not candidates:
        words = "no lock holds the frame's assembly" if not flip else "the frame is not the free end of a chain"
        with pytest.raises(ModelError, match=words) as caught:
            edit(GRAPH, structure, moved, target, PRESENT.motion_of)
        assert caught.value.path == moved
        return
    only = [pair for pair in pairs if not ways([other for other in pairs if other != pair], moved[0], root)]
    on_all_ways = {pair for pair in candidates if pair in map(frozenset, only)}
    if candidates != on_all_ways:
        words = "several ways lead from the frame's assembly to the root of its tree|the frame is not the free end of a chain"
        after = refusal = None
        try:
            after = edit(GRAPH, structure, moved, target, PRESENT.motion_of)
        except ModelError as error:
            refusal = error
        if after is not None:  # a loop at the free end: the lock that alone holds it is the other end of the chain
            (gone,) = set(structure.locks) - set(after.locks)
            assert flip
            assert frozenset((gone.frame_a, gone.frame_b)) in on_all_ways
            return
        assert refusal is not None
        assert re.search(words if flip else words.partition("|")[0], str(refusal))
        assert refusal.path == moved
        return
    after = edit(GRAPH, structure, moved, target, PRESENT.motion_of)
    (gone,) = set(structure.locks) - set(after.locks)
    assert {frozenset((gone.frame_a, gone.frame_b))} == candidates
    (new,) = set(after.locks) - set(structure.locks)
    assert (new.frame_a, new.frame_b) == tuple(sorted((moved, target)))


@settings(max_examples=100)
@given(locked())
def test_locks_form_loops_where_there_are_two_ways(made):
    pairs, moved, target = made
    structure = structure_of(pairs)
    looped = any(len(ways(pairs, a, b)) > 1 for a, b in itertools.combinations(ORDER, 2))
    assert form_loops(GRAPH, structure) == looped
    after = edits.attach(GRAPH, structure, moved, target, PRESENT.motion_of)
    before = ways(pairs, moved[0], target[0])
    if not before:
        edits.check_loops(GRAPH, structure, after)
        return
    first, second = sorted((moved, target))
    with pytest.raises(ModelError) as caught:
        edits.check_loops(GRAPH, structure, after)
    told = caught.value
    assert (told.path, told.message) == (
        first,
        f"attaching {first} to {second} would close a loop, for which nothing is prepared",
    )
    chains = [" ... ".join([first, *(" = ".join(step) for step in way), second]) for way in ways(pairs, first[0], second[0])]
    assert told.found.removeprefix("they are connected already: ") in chains
