"""Structural edits: what they do to locks, degrees of freedom and states, and what they refuse."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d.scene.frame import Frame
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.motion import FrameMotion
from modia3d.topology.states import initial_motion, initial_state, transfer_state
from modia3d.topology.structure import JointLock, JointWeld, Lock, Structure
from modiapy import ModelError

from .scenes import arm, arrays, box, coordinates, difference, kinematics, platform, solid, world

pytestmark = pytest.mark.white_box


class Scenario:
    """A scene on which edits are made one after the other, with the states carried along."""

    def __init__(self, objects, joint_start=None):
        self.graph = build_graph(objects)
        self.joint_start = joint_start or {}
        self.structure = Structure()
        self.forest = spanning_forest(self.graph, self.structure)
        self.x = initial_state(self.graph, self.forest, self.joint_start)

    @property
    def motions(self):
        return kinematics(self.forest, *coordinates(self.forest, self.joint_start, self.x))

    def motion(self, name):
        return self.motions[name]

    def edit(self, function, *names, **options):
        needs_motion = function not in (edits.release, edits.delete)
        args = [*names, self.motion] if needs_motion else names
        structure = function(self.graph, self.structure, *args, **options)
        forest = spanning_forest(self.graph, structure)
        self.x = transfer_state(self.forest, self.x, self.motion, forest)
        self.structure, self.forest = structure, forest


def station(**tolerances):
    """A platform, an arm whose base stands on X2Y2, two boxes on each other, one box at the arm's tip."""
    objects = {"world": world(**tolerances), **platform(), **arm("arm", 3, position=(0.8, 0.8, 0.0))}
    objects |= box("low", (0.4, 0.4, 0.2)) | box("high", (0.4, 0.4, 0.6))
    return objects


ANGLES = {"arm.rev1": ((0.3,), (0.0,)), "arm.rev2": ((-0.5,), (0.0,)), "arm.rev3": ((0.9,), (0.0,))}
LOOSE = {"position": 10.0, "z_angle": 4.0, "symmetry": 0, "velocity": 1.0}


LOCKED = st.dictionaries(st.sampled_from("abcd"), st.sampled_from([-1, 0, 1]))
LIMITS = st.dictionaries(st.sampled_from("efg"), st.sampled_from([-1, 1]))
WELDED = st.sets(st.sampled_from("hijk"))


def locked_structure(locked, welded=()):
    return Structure(
        welded=tuple(JointWeld(name, (0.5,)) for name in welded), locked=tuple(JointLock(*one) for one in locked.items())
    )


@given(LOCKED, LIMITS)
def test_joints_that_actions_lock_stay_locked_whatever_limits_hold(locked, limits):
    after = {joint.name: joint.side for joint in locked_structure(locked).with_limits(limits).locked}
    assert after == {name: 0 for name, side in locked.items() if side == 0} | limits


@given(LOCKED, WELDED, LOCKED, WELDED)
def test_what_is_between_two_structures_holds_what_both_hold(locked, welded, locked_before, welded_before):
    """Neither what is given up, nor what is new; a joint of an assembly that is not there is locked."""
    after, before = locked_structure(locked, welded), locked_structure(locked_before, welded_before)
    between = after.without_new(before, {})
    assert {joint.name: joint.side for joint in between.locked} == {
        name: side for name, side in locked_before.items() if name in locked
    }
    assert {joint.name for joint in between.welded} == welded & welded_before
    arm, driven = frozenset({"arm"}), {"arm": ["a", "b"], "other": ["c"]}
    for one, other in ((arm, frozenset()), (frozenset(), arm), (arm, arm)):  # it goes, comes, stays away
        gone = replace(after, deleted=one).without_new(replace(before, deleted=other), driven)
        assert gone.deleted == arm
        assert {joint.name: joint.side for joint in gone.locked} == {
            name: side for name, side in locked_before.items() if name in locked
        } | {"a": 0, "b": 0}


@given(*[st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["xyz", "zyx", "yzx"]))] * 2)
def test_sequences_stay_until_they_are_changed(first, second):
    made = Structure(deleted=frozenset("x")).with_sequences(first).with_sequences(second)
    assert made == Structure(deleted=frozenset("x"), sequences=tuple(sorted((first | second).items())))


def test_a_structure_says_what_holds_each_joint():
    text = str(locked_structure({"a": -1, "b": 1, "c": 0}, "h")).splitlines()
    assert text == ["locked h", "lower limit of a", "upper limit of b", "locked c"]


@given(st.randoms(use_true_random=False))
def test_a_structure_is_the_same_in_whatever_order_its_parts_are_given(rng):
    pose = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
    parts = {
        "locks": [Lock(*names, *pose) for names in ("ab", "cf", "de", "gh")],
        "welded": [JointWeld(name, (0.5,)) for name in "jklm"],
        "locked": [JointLock(name, side) for name, side in zip("nopq", (1, -1, 0, 1), strict=True)],
        "sequences": [(name, "xyz") for name in "rstu"],
    }
    shuffled = {name: tuple(rng.sample(entries, len(entries))) for name, entries in parts.items()}
    one, other = (Structure(deleted=frozenset("vwxyz"), **some) for some in (parts, shuffled))
    assert one == other
    assert hash(one) == hash(other)
    listed = [f"deleted {name}" for name in "vwxyz"] + [f"locked {name}" for name in "jklm"]
    listed += ["upper limit of n", "lower limit of o", "locked p", "upper limit of q"]
    assert str(one).splitlines() == str(other).splitlines() == ["a - b", "c - f", "d - e", "g - h", *listed]


def test_degrees_of_freedom_from_free_to_fixed():
    scenario = Scenario(station(), ANGLES)
    seen = [scenario.forest.dof]
    for frame, target in (("arm.base", "platform.X2Y2"), ("low.Zneg", "platform.X1Y1"), ("high.Zneg", "low.Zpos")):
        scenario.edit(edits.attach, frame, target)
        seen.append(scenario.forest.dof)
    assert seen == [21, 15, 9, 3]


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (edits.release_and_attach, ("high.Xpos", "arm.tip")),
        (edits.release_and_attach, ("high.Zpos", "platform.X3Y3")),
        (edits.flip_chain, ("arm.tip", "platform.X3Y1")),
        (edits.release, ("low.Zneg",)),
        (edits.delete, ("low.Zneg",)),
    ],
)
def test_across_an_edit_no_frame_moves(function, names):
    scenario = Scenario(station(**LOOSE), ANGLES)
    for frame, target in (("arm.base", "platform.X2Y2"), ("low.Zneg", "platform.X1Y1"), ("high.Zneg", "low.Zpos")):
        scenario.edit(edits.attach, frame, target)
    before = scenario.motions
    scenario.edit(function, *names)
    after = scenario.motions
    assert max(difference(before[name], after[name]) for name in after) < 1e-13


def test_flipping_twice_gives_the_first_structure_back_bit_by_bit():
    scenario = Scenario(station(**LOOSE), ANGLES)
    motion = initial_motion(scenario.graph, ANGLES)
    graph = scenario.graph
    first = edits.attach(graph, Structure(), "arm.base", "platform.X2Y2", motion)
    flipped = edits.flip_chain(graph, first, "arm.tip", "platform.X3Y1", motion)
    back = edits.flip_chain(graph, flipped, "arm.base", "platform.X2Y2", motion)
    assert back == first
    assert arrays(spanning_forest(graph, back)) == arrays(spanning_forest(graph, first))
    assert spanning_forest(graph, first).reversed_joints == frozenset()
    assert spanning_forest(graph, flipped).reversed_joints == {"arm.rev1", "arm.rev2", "arm.rev3"}


def test_flip_releases_the_lock_behind_the_joints_not_what_the_arm_carries_nor_what_it_stands_on():
    scenario = Scenario(station(**LOOSE), ANGLES)
    scenario.edit(edits.attach, "low.Zneg", "platform.X1Y1")
    scenario.edit(edits.attach, "arm.base", "low.Zpos")
    scenario.edit(edits.attach, "high.Zneg", "arm.tip")
    scenario.edit(edits.flip_chain, "high.Zpos", "platform.X3Y1")
    locks = {frozenset((k.frame_a, k.frame_b)) for k in scenario.structure.locks}
    assert locks == {
        frozenset(("low.Zneg", "platform.X1Y1")),
        frozenset(("high.Zneg", "arm.tip")),
        frozenset(("high.Zpos", "platform.X3Y1")),
    }


def test_flip_looks_for_a_joint_behind_all_that_the_arm_carries():
    """Bodies of several frames, one locked to the other, have no joint between their frames."""
    scenario = Scenario(station(**LOOSE), ANGLES)
    scenario.edit(edits.attach, "arm.base", "platform.X2Y2")
    scenario.edit(edits.attach, "low.Zneg", "arm.tip")
    scenario.edit(edits.attach, "high.Zneg", "low.Zpos")
    scenario.edit(edits.flip_chain, "high.Zpos", "platform.X3Y1")
    locks = {frozenset((k.frame_a, k.frame_b)) for k in scenario.structure.locks}
    assert locks == {
        frozenset(("low.Zneg", "arm.tip")),
        frozenset(("high.Zneg", "low.Zpos")),
        frozenset(("high.Zpos", "platform.X3Y1")),
    }


def test_release_and_attach_releases_the_nearest_lock_towards_the_root():
    scenario = Scenario(station(**LOOSE), ANGLES)
    for frame, target in (("low.Zneg", "platform.X1Y1"), ("arm.base", "platform.X2Y2"), ("high.Zneg", "low.Zpos")):
        scenario.edit(edits.attach, frame, target)
    scenario.edit(edits.release_and_attach, "high.Xpos", "arm.tip")
    assert scenario.structure.lock_at("high.Zneg") is None
    assert scenario.structure.lock_at("low.Zneg") is not None
    scenario.edit(edits.release_and_attach, "high.Zpos", "low.Zpos", release="arm.tip")
    assert scenario.structure.lock_at("arm.tip") is None


CLOSING = (("high.Zneg", "low.Zpos"), ("high.Xpos", "platform.X3Y3"))
APART = (("arm.base", "platform.X2Y2"), ("zone.Zneg", "platform.X1Y3"))


@pytest.mark.parametrize("order", [CLOSING + APART, APART + CLOSING, APART[:1] + CLOSING[::-1] + APART[1:]])
def test_a_loop_is_found_whichever_of_several_locks_closes_it(order):
    scenario = Scenario(station(**LOOSE) | box("zone", (0.4, 1.2, 0.2)), ANGLES)
    scenario.edit(edits.attach, "low.Zneg", "platform.X1Y1")
    after = scenario.structure
    for frame, target in order:
        after = edits.attach(scenario.graph, after, frame, target, scenario.motion)
    with pytest.raises(ModelError, match="close a loop"):
        edits.check_loops(scenario.graph, scenario.structure, after)
    edits.check_loops(scenario.graph, scenario.structure, edits.release(scenario.graph, after, "high.Zneg", "low.Zpos"))


def test_what_closes_a_loop_is_a_lock_that_was_not_there():
    """One that was released meanwhile and is there again as it was does not count, though its name comes first."""
    scenario = Scenario(station(**LOOSE), ANGLES)
    scenario.edit(edits.attach, "high.Xpos", "low.Zpos")
    graph, motion = scenario.graph, scenario.motion
    after = edits.release(graph, scenario.structure, "high.Xpos")
    after = edits.attach(graph, after, "high.Xpos", "low.Zpos", motion)
    assert after == scenario.structure
    edits.check_loops(graph, scenario.structure, after)
    after = edits.attach(graph, after, "low.Xpos", "high.Zneg", motion)
    with pytest.raises(ModelError, match=r"attaching high\.Zneg to low\.Xpos would close a loop") as caught:
        edits.check_loops(graph, scenario.structure, after)
    assert caught.value.found == "they are connected already: high.Zneg ... high.Xpos = low.Zpos ... low.Xpos"
    assert caught.value.path == "high.Zneg"


@pytest.mark.parametrize("names", [*itertools.permutations("abz")])
@pytest.mark.parametrize("last", range(4))
def test_a_loop_is_found_whatever_the_names_of_its_parts(names, last):
    """Three boxes in a ring with the platform; each of the four locks may be the one that closes it."""
    objects = {"world": world(**LOOSE), **platform()}
    for k, name in enumerate(names):
        objects |= box(name, (k, 0.0, 0.0))
    scenario = Scenario(objects)
    graph, motion = scenario.graph, scenario.motion
    one, two, three = names
    ring = [
        ("platform.X1Y1", f"{one}.Xneg"),
        (f"{one}.Xpos", f"{two}.Xneg"),
        (f"{two}.Xpos", f"{three}.Xneg"),
        (f"{three}.Xpos", "platform.X2Y1"),
    ]
    opened = scenario.structure
    for frame, target in ring[last + 1 :] + ring[:last]:
        opened = edits.attach(graph, opened, frame, target, motion)
    edits.check_loops(graph, scenario.structure, opened)
    closed = edits.attach(graph, opened, *ring[last], motion)
    with pytest.raises(ModelError, match="would close a loop") as caught:
        edits.check_loops(graph, opened, closed)
    assert caught.value.path == min(ring[last])
    with pytest.raises(ModelError, match="several ways lead from the frame's assembly"):
        edits.release_and_attach(graph, closed, f"{two}.Ypos", "platform.X3Y3", motion)


@pytest.mark.parametrize("pair", [("high.Zneg", "low.Zpos"), ("arm.base", "platform.X2Y2"), ("platform.X1Y1", "low.Zneg")])
def test_a_lock_is_released_from_either_side_and_no_other_one(pair):
    scenario = Scenario(station(**LOOSE), ANGLES)
    for frame, target in (("low.Zneg", "platform.X1Y1"), ("high.Zneg", "low.Zpos"), ("arm.base", "platform.X2Y2")):
        scenario.edit(edits.attach, frame, target)
    left = set(scenario.structure.locks) - {scenario.structure.lock_at(pair[0])}
    for frame, target in (pair, pair[::-1]):
        assert set(edits.release(scenario.graph, scenario.structure, frame, target).locks) == left
        with pytest.raises(ModelError, match="attached to another frame"):
            edits.release(scenario.graph, scenario.structure, frame, "high.Xpos")


def test_a_released_assembly_keeps_the_velocity_it_had_and_others_keep_their_bits():
    speeds = {"arm.rev1": ((0.3,), (0.7,)), "arm.rev2": ((-0.5,), (-0.4,)), "arm.rev3": ((0.9,), (1.3,))}
    objects = station(**LOOSE, angular_velocity=10.0) | box("free", (3, 0, 0), velocity=(0.1, 0.2, 0.3))
    scenario = Scenario(objects, speeds)
    scenario.edit(edits.attach, "arm.base", "platform.X2Y2")
    scenario.edit(edits.attach, "high.Xpos", "arm.tip")
    before, states = scenario.motions, dict(zip(scenario.forest.x_names, scenario.x.tolist(), strict=True))
    scenario.edit(edits.release, "arm.tip", "high.Xpos")
    after = dict(zip(scenario.forest.x_names, scenario.x.tolist(), strict=True))
    assert np.linalg.norm(before["high.body"].v_WF_W) > 0.1
    assert difference(before["high.body"], scenario.motion("high.body")) < 1e-13
    kept = [name for name in states if name in after]
    assert {name.split(".")[0] for name in kept} == {"free", "low"}
    assert all(states[name] == after[name] for name in kept)


def test_passive_joints_keep_their_bits():
    objects = {"world": world(**LOOSE), **platform(), **arm("arm", 3, with_flange=False, prismatic=(2,))}
    scenario = Scenario(
        objects, {"arm.rev1": ((1 / 3,), (0.0,)), "arm.rev2": ((0.1,), (0.0,)), "arm.rev3": ((math.e,), (0.0,))}
    )
    scenario.edit(edits.attach, "arm.base", "platform.X2Y2")
    scenario.edit(edits.flip_chain, "arm.tip", "platform.X1Y3")
    scenario.edit(edits.release, "arm.tip")
    states = dict(zip(scenario.forest.x_names, scenario.x.tolist(), strict=True))
    assert (states["arm.rev1.phi"], states["arm.rev2.s"], states["arm.rev3.phi"]) == (1 / 3, 0.1, math.e)
    assert scenario.forest.dof == 9


def test_two_free_assemblies_locked_together_move_as_one_body_with_the_first_as_root():
    scenario = Scenario({"world": world(), **box("one", (0, 0, 0)), **box("two", (0, 0, 0.4))})
    scenario.edit(edits.attach, "two.Zneg", "one.Zpos")
    assert scenario.forest.free_roots == ("one.body",)
    assert scenario.forest.floats[0, 12] == 20.0
    scenario.edit(edits.release, "two.Zneg")
    assert scenario.forest.free_roots == ("one.body", "two.body")


def test_a_deleted_assembly_takes_its_locks_and_states_with_it():
    scenario = Scenario({"world": world(), **platform(), **box("one", (0.4, 0.4, 0.2)), **box("two", (0.4, 0.4, 0.6))})
    scenario.edit(edits.attach, "one.Zneg", "platform.X1Y1")
    scenario.edit(edits.attach, "two.Zneg", "one.Zpos")
    scenario.edit(edits.delete, "one.Xpos")
    assert scenario.structure.locks == ()
    assert scenario.forest.free_roots == ("two.body",)
    assert scenario.forest.frame_body[scenario.graph.index["one.Xpos"]] == -2
    for function, names in (
        (edits.attach, ("two.Zneg", "one.Zpos")),
        (edits.delete, ("one.body",)),
        (edits.release, ("one.Xneg",)),
    ):
        with pytest.raises(ModelError, match="was deleted"):
            scenario.edit(function, *names)


def test_names_in_a_program_are_looked_up_from_its_model_outwards():
    scenario = Scenario(
        {"world": world(), "cell.world2": Frame(parent="world"), **box("cell.box", (0.4, 0.4, 0.2)), **platform()}
    )
    scenario.edit(edits.attach, "box.Zneg", "platform.X1Y1", scope="cell.actions")
    assert scenario.structure.lock_at("cell.box.Zneg") is not None


REFUSED = {
    "unknown frame": (edits.attach, ("arm.bse", "platform.X2Y2"), ["'arm.bse'", "Did you mean 'arm.base'"]),
    "not lockable": (edits.attach, ("arm.link0", "platform.X2Y2"), ["arm.link0:", "not lockable", "arm.base, arm.tip"]),
    "attached to itself": (edits.attach, ("high.Zpos", "high.Zpos"), ["high.Zpos:", "itself"]),
    "locked already": (edits.attach, ("arm.base", "high.Zpos"), ["arm.base:", "attached already", "arm.base - platform.X2Y2"]),
    "release what is not locked": (edits.release, ("high.Zpos",), ["high.Zpos:", "not attached", "arm.base - platform.X2Y2"]),
    "release from another": (edits.release, ("arm.base", "platform.X1Y1"), ["arm.base - platform.X2Y2", "platform.X1Y1"]),
    "nothing holds it": (edits.release_and_attach, ("high.Zpos", "arm.tip"), ["no lock holds", "high.body"]),
    "no chain": (edits.flip_chain, ("high.Zpos", "arm.tip"), ["not the free end of a chain"]),
    "the other end itself": (edits.flip_chain, ("arm.base", "platform.X3Y3"), ["not the free end of a chain"]),
    "does not mate": (edits.attach, ("high.Zneg", "low.Zpos"), ["high.Zneg and low.Zpos do not mate"]),
    "delete what is driven": (edits.delete, ("arm.tip",), ["arm.link0", "equations", "arm.rev1, arm.rev2, arm.rev3"]),
    "delete the world": (edits.delete, ("platform.X1Y1",), ["platform.X1Y1:", "world cannot be deleted"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mistake_is_refused_by_name(case):
    function, names, words = REFUSED[case]
    objects = station()
    objects["high.body"] = Frame(parent="world", fixed_to_parent=False, translation=(0.4, 0.4, 0.7), feature=solid())
    scenario = Scenario(objects, ANGLES)
    scenario.edit(edits.attach, "arm.base", "platform.X2Y2")
    structure = scenario.structure
    with pytest.raises(ModelError) as caught:
        scenario.edit(function, *names)
    for word in words:
        assert word in str(caught.value)
    assert scenario.structure is structure


def pair(**changes):
    """A mating pair of frames: A with its z axis up, B facing it; ``changes`` disturb B."""
    turn, tilt = changes.get("twist", 0.0), changes.get("tilt", 0.0)
    c, s, ct, st = math.cos(turn), math.sin(turn), math.cos(tilt), math.sin(tilt)
    flip = np.diag([1.0, -1.0, -1.0])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]]) @ flip
    still = FrameMotion(np.eye(3), np.array([1.0, 2.0, 3.0]), np.zeros(3), np.zeros(3))
    shift, v, w = (np.array(changes.get(name, (0, 0, 0)), dtype=float) for name in ("shift", "v", "w"))
    return still, FrameMotion(R, still.p_WF + shift, v, w)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shift": (0, 0, 0.0032)}, ["3.2 mm (more than 1)"]),
        ({"tilt": 0.002}, ["2 mrad (more than 1)"]),
        ({"tilt": math.pi}, ["3142 mrad (more than 1)"]),
        ({"twist": math.pi / 2 + 0.005}, ["twist about z 5 mrad (more than 1)"]),
        ({"v": (0, 0.004, 0)}, ["4 mm/s (more than 1)"]),
        ({"w": (0, 0, 0.006)}, ["6 mrad/s (more than 1)"]),
    ],
)
def test_frames_out_of_tolerance_are_refused_with_the_measured_differences(changes, words):
    graph = build_graph({"world": world(), **box("a", (0, 0, 0)), **box("b", (0, 0, 1))})
    motions = dict(zip(("a.Zpos", "b.Zneg"), pair(**changes), strict=True))
    for names in (("a.Zpos", "b.Zneg"), ("b.Zneg", "a.Zpos")):
        with pytest.raises(ModelError) as caught:
            edits.attach(graph, Structure(), *names, motions.__getitem__)
        for word in ["a.Zpos", "b.Zneg", *words]:
            assert word in str(caught.value)


@pytest.mark.parametrize("quarter", [0, 1, 2, 3, -1])
def test_every_quarter_turn_mates_and_the_measured_pose_is_stored(quarter):
    graph = build_graph({"world": world(), **box("a", (0, 0, 0)), **box("b", (0, 0, 1))})
    a, b = pair(twist=quarter * math.pi / 2 + 5e-4, tilt=5e-4, shift=(0, 5e-4, 0), v=(5e-4, 0, 0), w=(0, 0, 5e-4))
    structure = edits.attach(graph, Structure(), "b.Zneg", "a.Zpos", {"a.Zpos": a, "b.Zneg": b}.__getitem__)
    lock = structure.lock_at("a.Zpos")
    assert np.allclose(np.reshape(lock.R_AB, (3, 3)), a.R_WF.T @ b.R_WF, atol=1e-15)
    assert np.allclose(lock.p_AB_A, [0, 5e-4, 0], atol=1e-15)


@pytest.mark.parametrize(("symmetry", "twist", "mates"), [(0, 1.234, True), (1, math.pi, False), (3, 2 * math.pi / 3, True)])
def test_symmetry_says_which_angles_mate(symmetry, twist, mates):
    graph = build_graph({"world": world(symmetry=symmetry), **box("a", (0, 0, 0)), **box("b", (0, 0, 1))})
    motions = dict(zip(("a.Zpos", "b.Zneg"), pair(twist=twist), strict=True))
    if mates:
        edits.attach(graph, Structure(), "a.Zpos", "b.Zneg", motions.__getitem__)
    else:
        with pytest.raises(ModelError, match="twist about z 3142 mrad"):
            edits.attach(graph, Structure(), "a.Zpos", "b.Zneg", motions.__getitem__)
