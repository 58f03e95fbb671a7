"""Random legal changes of random scenes against a slow model of the contract (docs/structural_change.md).

The reference knows assemblies and locks as sets, nothing of graphs and forests: who is together, which root is free, which
states a change keeps, what becomes of motion, momentum and energy.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d.scene.joints import JointState
from modia3d.topology import edits
from modia3d.topology.appearance import Appearance, Edited
from modia3d.topology.build import build_graph
from modia3d.topology.check_structure import check_structure
from modia3d.topology.forest import spanning_forest
from modia3d.topology.placement import Placement
from modia3d.topology.states import initial_state, initial_structure, transfer_state
from modiapy import ModelError

from .scenes import arm, arrays, box, coordinates, difference, kinematics, platform, world

pytestmark = pytest.mark.white_box

LOOSE = {"position": 1e9, "z_angle": 4.0, "symmetry": 0, "velocity": 1e9, "angular_velocity": 1e9}
ARMS = {"driven": True, "loose": False, "spare_arm": True}
BOXES = ("red", "blue", "spare1", "spare2")
PARKED = {"spare_arm", "spare1", "spare2"}
ROOTS = {name: f"{name}.link0" for name in ARMS} | {name: f"{name}.body" for name in BOXES}
JOINTS = {name: [f"{name}.rev{k}" for k in (1, 2)] for name in ARMS}
PORTS = {name: [f"{name}.base", f"{name}.tip"] for name in ARMS}
PORTS |= {name: [f"{name}.{face}" for face in ("Xpos", "Zneg", "Ypos")] for name in BOXES}
PORTS["world"] = [f"platform.X{i}Y1" for i in (1, 2, 3)]
OWNER = {port: name for name, ports in PORTS.items() for port in ports}


def scene_objects():
    objects = {"world": world(**LOOSE), **platform(3, 1)}
    for k, (name, with_flange) in enumerate(ARMS.items()):
        objects |= arm(name, 2, with_flange=with_flange, position=(0.0, 1.0 * k, 0.5), prismatic=(2,))
    for k, name in enumerate(BOXES):
        objects |= box(name, (1.0 * k, -1.0, 0.3 * k), parked=name in PARKED)
    objects["spare_arm.link0"] = dataclasses.replace(objects["spare_arm.link0"], parked=True)
    return objects


GRAPH = build_graph(scene_objects())
ORDER = [assembly.name for assembly in GRAPH.assemblies]


class Run:
    """The package at work: structure, forest and states, with random motion between changes."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.joints: dict[str, tuple[float, float]] = {}
        self.structure = initial_structure(GRAPH, {})
        self.forest = spanning_forest(GRAPH, self.structure)
        self.x = initial_state(GRAPH, self.forest, {})
        self.time_passes()

    def time_passes(self) -> None:
        """All coordinates and speeds change; joints that are held do not."""
        held = {joint.name: joint for joint in self.structure.locked}
        for name in (joint for arm_name, flange in ARMS.items() if flange for joint in JOINTS[arm_name]):
            q, v = self.random.normal(size=2).tolist()
            self.joints[name] = (self.joints.get(name, (0.0, 0.0))[0], 0.0) if name in held else (q, v)
        self.x = self.random.normal(size=self.x.size)
        for root in self.forest.free_roots:
            at = [self.forest.x_names.index(f"{root}.q[{i}]") for i in range(4)]
            self.x[at] /= np.linalg.norm(self.x[at])

    def motion_of(self, name: str):
        return self.motions()[name]

    def motions(self):
        joints = {name: ((q,), (v,)) for name, (q, v) in self.joints.items()}
        return kinematics(self.forest, *coordinates(self.forest, joints, self.x))

    def state_of(self, name: str) -> JointState:
        if name in self.joints:
            q, v = self.joints[name]
            return (q,), (v,)
        index = self.states()
        letter = ("s", "v") if f"{name}.s" in index else ("phi", "w")
        return (index[f"{name}.{letter[0]}"],), (index[f"{name}.{letter[1]}"],)

    def states(self) -> dict[str, float]:
        return dict(zip(self.forest.x_names, self.x.tolist(), strict=True))

    def become(self, edited: Edited) -> None:
        present = edited.present
        fresh = present.fresh if isinstance(present, Appearance) else frozenset()
        motions = self.motions()
        seen = motions | dict(present.motions) if isinstance(present, Appearance) else motions
        forest = spanning_forest(GRAPH, edited.structure)
        self.x = transfer_state(self.forest, self.x, seen.__getitem__, forest, fresh)
        self.structure, self.forest = edited.structure, forest


class Reference:
    """Who is there, who is locked to whom, which joints are locked."""

    def __init__(self) -> None:
        self.there = {name for name in ROOTS if name not in PARKED}
        self.locks: set[frozenset[str]] = set()
        self.locked: set[str] = set()

    def together(self, name: str) -> set[str]:
        """All assemblies of a tree; "world" is one of them."""
        group, grown = {name}, True
        while grown:
            pairs = [{OWNER[port] for port in lock} for lock in self.locks]
            new = set().union(group, *(pair for pair in pairs if pair & group))
            grown, group = new != group, new
        return group

    def roots(self) -> set[str]:
        """Root frames of the free trees: the first declared of each."""
        trees = [self.together(name) for name in self.there]
        free = [tree for tree in trees if "world" not in tree]
        return {min((ROOTS[name] for name in tree), key=ORDER.index) for tree in free}

    def passive_joints(self) -> set[str]:
        return {j for name, flange in ARMS.items() if not flange and name in self.there for j in JOINTS[name]} - self.locked

    def owners(self) -> set[str]:
        return self.roots() | self.passive_joints()

    def free_ports(self) -> list[str]:
        used = {port for lock in self.locks for port in lock}
        return [p for p in OWNER if p not in used and (OWNER[p] in self.there or OWNER[p] == "world")]

    def pairs(self) -> list[tuple[str, str]]:
        ports = self.free_ports()
        return [(a, b) for a in ports for b in ports if OWNER[a] != "world" and OWNER[b] not in self.together(OWNER[a])]


def choose(options: list, k: int):
    return options[k % len(options)]


def legal(reference: Reference, kind: str, k: int):
    """An action of a kind that the contract allows: function of the run, change of the reference; None if there is none."""
    r = reference
    if kind == "attach" and r.pairs():
        a, b = choose(r.pairs(), k)
        return lambda run: edits.attach(GRAPH, run.structure, a, b, run.motion_of), lambda: r.locks.add(frozenset((a, b)))
    if kind == "release" and r.locks:
        lock = choose(sorted(map(sorted, r.locks)), k)
        return lambda run: edits.release(GRAPH, run.structure, lock[k % 2]), lambda: r.locks.remove(frozenset(lock))
    if kind == "move" and r.locks:
        lock = choose(sorted(map(sorted, r.locks)), k)
        r.locks.remove(frozenset(lock))
        pairs = [pair for pair in r.pairs() if set(pair) & set(lock)]
        r.locks.add(frozenset(lock))
        if not pairs:
            return None
        a, b = choose(pairs, k // 7)
        return (
            lambda run: edits.release_and_attach(GRAPH, run.structure, a, b, run.motion_of, release=lock[0]),
            lambda: (r.locks.remove(frozenset(lock)), r.locks.add(frozenset((a, b)))),
        )
    if kind == "delete" and r.there:
        name = choose(sorted(r.there), k)

        def gone():
            r.there.remove(name)
            r.locks = {lock for lock in r.locks if name not in {OWNER[port] for port in lock}}
            r.locked -= set(JOINTS.get(name, ()))

        return lambda run: edits.delete(GRAPH, run.structure, PORTS[name][0], run, park=True), gone
    if kind == "add" and set(ROOTS) - r.there:
        name = choose(sorted(set(ROOTS) - r.there), k)
        return (
            lambda run: edits.add(
                GRAPH, run.structure, PORTS[name][-1], run,
                Placement("", (0.001 * k, 2.0, 1.0), (0.3, 0.01 * k, 1.0), (1.0, 0.0, 0.2), (0.0, 0.3, 0.1)),
            ),
            lambda: r.there.add(name),
        )  # fmt: skip
    if kind == "lock" and r.passive_joints():
        joint = choose(sorted(r.passive_joints()), k)
        return lambda run: edits.lock_joint(GRAPH, run.structure, joint, run.state_of(joint)), lambda: r.locked.add(joint)
    if kind == "unlock" and r.locked:
        joint = choose(sorted(r.locked), k)
        return lambda run: edits.unlock_joint(GRAPH, run.structure, joint), lambda: r.locked.remove(joint)
    return None


def figures(motions) -> tuple[np.ndarray, float]:
    """Linear and angular momentum (6,) and kinetic energy of all solids, frame by frame."""
    momentum, energy = np.zeros(6), 0.0
    for name, motion in motions.items():
        feature = GRAPH.frames[GRAPH.index[name]].frame.feature
        properties = getattr(feature, "mass_properties", None)
        if properties is None:
            continue
        p = properties
        I_C = np.array([[p.Ixx, p.Ixy, p.Ixz], [p.Ixy, p.Iyy, p.Iyz], [p.Ixz, p.Iyz, p.Izz]])
        arm_W = motion.R_WF @ np.array(p.center_of_mass)
        v = motion.v_WF_W + np.cross(motion.w_WF_W, arm_W)
        spin = motion.R_WF @ I_C @ motion.R_WF.T @ motion.w_WF_W
        momentum += np.concatenate([p.mass * v, spin + np.cross(motion.p_WF + arm_W, p.mass * v)])
        energy += 0.5 * (p.mass * v @ v + spin @ motion.w_WF_W)
    return momentum, energy


def at_rest(run: Run, kind: str) -> None:
    """Before a joint is locked or parked it must be at rest."""
    if kind in ("lock", "delete"):
        run.joints = {name: (q, 0.0) for name, (q, _) in run.joints.items()}
        for i, name in enumerate(run.forest.x_names):
            if name.endswith((".w", ".v")) and ".rev" in name:
                run.x[i] = 0.0


KINDS = ("attach", "attach", "release", "move", "delete", "add", "lock", "unlock")
PROGRAM = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 10**6)), min_size=1, max_size=12)


@settings(max_examples=40)
@given(PROGRAM, st.integers(0, 10**6))
def test_random_changes_keep_the_contract(program, seed):
    run, reference = Run(seed), Reference()
    for kind, k in program:
        action = legal(reference, kind, k)
        if action is None:
            continue
        run.time_passes()
        at_rest(run, kind)
        edit, note = action
        joints_before, states, motions, owners = dict(run.joints), run.states(), run.motions(), reference.owners()
        made = edit(run)
        edited = made if isinstance(made, Edited) else Edited(made, run)
        run.become(edited)
        note()
        check_structure(GRAPH, run.structure)
        after, moved = run.states(), run.motions()

        assert set(run.forest.free_roots) == reference.roots()
        assert {name.rpartition(".")[0] for name in after} == reference.owners()
        assert run.joints == joints_before
        assert run.forest.dof == 6 * len(reference.roots()) + len(reference.passive_joints()) + sum(
            2 for name, flange in ARMS.items() if flange and name in reference.there
        )
        present = edited.present.motions if isinstance(edited.present, Appearance) else {}
        fresh = {name.partition(".")[0] for name in present}
        for name, value in after.items():
            owner = name.rpartition(".")[0]
            if owner in owners and owner.partition(".")[0] not in fresh:
                assert value == states[name], (kind, name)
        check_motion(kind, motions | dict(present), moved, {ROOTS[n] for n in reference.there})


def check_motion(kind, before, after, there):
    names = [name for name in after if name in before]
    assert len(names) == len(after)
    for name in names:
        one, other = before[name], after[name]
        assert np.abs(one.p_WF - other.p_WF).max() < 1e-11, (kind, name)
        assert np.abs(one.R_WF - other.R_WF).max() < 1e-12, (kind, name)
    if kind in ("attach", "move"):
        return  # with these tolerances of mating the tree that joins loses its own velocity
    assert max(difference(before[name], after[name]) for name in names) < 1e-10, kind
    p_before, e_before = figures({name: before[name] for name in names})
    p_after, e_after = figures({name: after[name] for name in names})
    assert p_after == pytest.approx(p_before, rel=1e-11, abs=1e-10)
    assert e_after == pytest.approx(e_before, rel=1e-11, abs=1e-10)


@settings(max_examples=40)
@given(PROGRAM, st.integers(0, 10**6))
def test_what_the_reference_does_not_allow_is_refused_and_changes_nothing(program, seed):
    run, reference = Run(seed), Reference()
    for kind, k in program:
        ports = list(OWNER)
        a, b = choose(ports, k), choose(ports, k // len(ports))
        allowed = (a, b) in reference.pairs() or (b, a) in reference.pairs()
        before = run.structure, arrays(run.forest)
        try:
            made = edits.attach(GRAPH, run.structure, a, b, run.motion_of)
            edits.check_loops(GRAPH, run.structure, made)
        except ModelError:
            assert not allowed, (a, b)
        else:
            assert allowed, (a, b)
            assert made.lock_at(a) == made.lock_at(b)
        assert (run.structure, arrays(run.forest)) == before
        action = legal(reference, kind, k)
        if action is not None:
            at_rest(run, kind)
            made = action[0](run)
            run.become(made if isinstance(made, Edited) else Edited(made, run))
            action[1]()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(["driven", "loose"]), st.sampled_from(PORTS["world"]))
def test_flipping_twice_gives_the_same_integers(seed, name, target):
    run = Run(seed)
    motion = run.motions().__getitem__
    base, tip = PORTS[name]
    home = "platform.X1Y1" if target != "platform.X1Y1" else "platform.X2Y1"
    first = edits.attach(GRAPH, run.structure, base, home, motion)
    there = edits.flip_chain(GRAPH, first, tip, target, motion)
    back = edits.flip_chain(GRAPH, there, base, home, motion)
    one, two = spanning_forest(GRAPH, first), spanning_forest(GRAPH, back)
    assert back == first
    assert arrays(one) == arrays(two)
    assert spanning_forest(GRAPH, there).reversed_joints == set(JOINTS[name])


def test_where_there_must_be_no_loops_changes_may_pass_through_one_but_not_end_in_one():
    run = Run(1)
    motion = run.motions().__getitem__
    first = edits.attach(GRAPH, run.structure, "driven.base", "platform.X1Y1", motion)
    closed = edits.attach(GRAPH, first, "driven.tip", "platform.X2Y1", motion)
    with pytest.raises(ModelError, match="close a loop"):
        edits.check_loops(GRAPH, first, closed)
    opened = edits.release(GRAPH, closed, "driven.base")
    edits.check_loops(GRAPH, first, opened)
    flipped = edits.flip_chain(GRAPH, first, "driven.tip", "platform.X2Y1", motion)
    assert opened == flipped


def test_what_appears_attached_mates_with_a_turn():
    run = Run(2)
    made = edits.add(GRAPH, run.structure, "spare1.Zneg", run, Placement(attach_to="platform.X2Y1", turn=math.pi / 2))
    run.become(made)
    lock = run.structure.lock_at("spare1.Zneg")
    frame, dock = run.motion_of("spare1.Zneg"), run.motion_of("platform.X2Y1")
    assert lock is not None
    assert frame.p_WF == pytest.approx(dock.p_WF, abs=1e-15)
    assert frame.R_WF[:, 2] == pytest.approx(-dock.R_WF[:, 2], abs=1e-15)
    assert frame.R_WF[:, 0] == pytest.approx(dock.R_WF[:, 1], abs=1e-15)
    with pytest.raises(ModelError, match="the assembly is in the scene already"):
        edits.add(GRAPH, run.structure, "spare1.body", run, Placement())
    with pytest.raises(ModelError, match=r"not in the scene.*parked assembly spare2.body"):
        edits.attach(GRAPH, run.structure, "spare2.Zneg", "platform.X1Y1", run.motion_of)


def test_deleting_with_drives_is_refused_unless_they_are_parked():
    run = Run(3)
    with pytest.raises(ModelError, match=r"equations drive its joints.*driven.rev1, driven.rev2.*park=True"):
        edits.delete(GRAPH, run.structure, "driven.base", run)
    run.joints = {name: (q, 0.0) for name, (q, _) in run.joints.items()}
    structure = edits.delete(GRAPH, run.structure, "driven.base", run, park=True)
    assert {(joint.name, joint.side) for joint in structure.locked} >= {("driven.rev1", 0), ("driven.rev2", 0)}


@pytest.mark.parametrize("locked", [False, True])
def test_deleted_and_added_at_once_an_assembly_begins_anew(locked):
    run = Run(4)
    at_rest(run, "lock")
    structure = run.structure
    if locked:
        run.become(Edited(edits.lock_joint(GRAPH, structure, "loose.rev1", run.state_of("loose.rev1")), run))
    structure = edits.delete(GRAPH, run.structure, "loose.base", run)
    made = edits.add(GRAPH, structure, "loose.tip", run, Placement(translation=(1.0, 2.0, 3.0)))
    run.become(made)
    states = run.states()
    assert [states[f"loose.rev1.{name}"] for name in ("phi", "w")] == [0.0, 0.0]
    assert [states[f"loose.rev2.{name}"] for name in ("s", "v")] == [0.0, 0.0]
    moved = run.motion_of("loose.tip")
    assert moved.p_WF == pytest.approx([1.0, 2.0, 3.0], abs=1e-14)
    assert np.abs(moved.R_WF - np.eye(3)).max() < 1e-14
    assert moved.v_WF_W == pytest.approx(np.zeros(3), abs=1e-14)
