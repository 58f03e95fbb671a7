"""What does not collide because joints or locks connect it."""

import numpy as np
import pytest

from modia3d.scene.constraint_elements.cut_joints import SphericalConstraint
from modia3d.scene.constraint_elements.rod import RodConstraint
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, FreeMotionJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.shapes import BoxShape
from modia3d.scene.solid import SolidFeature
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.forest import spanning_forest
from modia3d.topology.motion import FrameMotion
from modia3d.topology.neighbours import rigid_bodies, separate_groups
from modia3d.topology.structure import JointLock, Structure

from .scenes import world

pytestmark = pytest.mark.white_box


def solid(**fields):
    """A cube that may touch others."""
    feature = SolidFeature(
        BoxShape(0.1, 0.1, 0.1), "Steel", MassProperties(1.0, (0.0, 0.0, 0.0), 0.1, 0.1, 0.1), collision=True
    )
    return Frame(feature=feature, **fields)


def bare():
    """A frame without a solid."""
    return Frame()


def pairs(objects, structure=None):
    """Names of the frames whose groups are kept apart."""
    graph = build_graph({"world": world(), **objects})
    first = {node.group: node.name for node in reversed(graph.frames)}
    return {frozenset(first[group] for group in pair) for pair in separate_groups(graph, structure or Structure()).tolist()}


def named(*texts):
    """``"a-b"`` -> the pair of both names."""
    return {frozenset(text.split("-")) for text in texts}


FLOOR = {"floor": solid(parent="world")}


def test_joints_keep_neighbours_apart_unless_they_may_collide():
    links = {"a": solid(), "b": solid(), "c": solid()}
    joints = {"r1": RevoluteJoint("world", "a"), "r2": RevoluteJoint("a", "b", can_collide=True), "r3": RevoluteJoint("b", "c")}
    assert pairs({**FLOOR, **links, **joints}) == named("world-a", "b-c")


def test_free_motion_and_rods_join_nothing():
    objects = {**FLOOR, "a": solid(), "b": solid(), "free": FreeMotionJoint("world", "a"), "other": FreeMotionJoint("a", "b")}
    assert pairs({**objects, "rod": RodConstraint("a", "b")}) == set()
    assert pairs({**objects, "ball": SphericalConstraint("a", "b")}) == named("a-b")
    assert pairs({**objects, "ball": SphericalConstraint("a", "b", can_collide=True)}) == set()


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("blocked", [None, 0, 1, 2])
def test_frames_without_solid_between_two_joints_are_part_of_the_joint(blocked, halves):
    """Also a frame that is two, which a fixed joint holds together."""
    joints = [PrismaticJoint, RevoluteJoint, RevoluteJoint]
    names = ["world", "m1", "m2", "a"]
    starts = ["world", "other", "m2"] if halves else names
    chain = {
        f"j{k}": joint(starts[k], names[k + 1], can_collide=k == blocked, with_flange=True) for k, joint in enumerate(joints)
    }
    more = {"other": bare(), "fix": FixedJoint("m1", "other")} if halves else {}
    found = pairs({**FLOOR, "m1": bare(), "m2": bare(), "a": solid(), **more, **chain})
    assert found == (named("world-a") if blocked is None else set())


def test_bodies_that_hang_on_one_frame_without_solid_are_not_neighbours():
    """The pendulums of a cradle touch each other, on the world or on a carriage."""
    pendulums = {name: solid() for name in "abc"}
    for hook in ("world", "carriage"):
        joints = {f"r_{name}": RevoluteJoint(hook, name) for name in pendulums}
        carriage = {"carriage": bare(), "slide": PrismaticJoint("world", "carriage")} if hook == "carriage" else {}
        expected = named("world-a", "world-b", "world-c") if hook == "world" else set()
        assert pairs({**FLOOR, **pendulums, **carriage, **joints}) == expected


def test_what_is_fixed_to_a_neighbour_is_a_neighbour():
    objects = {"a": solid(), "tool": solid(), "b": solid(), "fix": FixedJoint("a", "tool"), "r": RevoluteJoint("a", "b")}
    objects["base"] = RevoluteJoint("world", "a")
    assert pairs(objects) == named("a-b", "tool-b")


GRIPPER = {
    "palm": solid(),
    "left": solid(),
    "right": solid(),
    "slide": PrismaticJoint("world", "palm"),
    "open1": PrismaticJoint("palm", "left"),
    "open2": PrismaticJoint("palm", "right"),
    "grip": Frame(parent="palm", lockable=True),
    "ball": solid(),
    "top": Frame(parent="ball", rotation=(np.pi, 0, 0), lockable=True),
}


def test_a_lock_without_contact_keeps_both_assemblies_apart_while_it_is_there():
    graph = build_graph({"world": world(), **GRIPPER})
    still = {"grip": np.eye(3), "top": np.diag([1.0, -1.0, -1.0])}

    def motion(name):
        return FrameMotion(still[name], np.zeros(3), np.zeros(3), np.zeros(3))

    fingers = named("palm-left", "palm-right")
    for contact, more in ((True, set()), (False, named("palm-ball", "left-ball", "right-ball"))):
        held = edits.attach(graph, Structure(), "top", "grip", motion, contact=contact)
        assert pairs(GRIPPER, held) == fingers | more
        assert pairs(GRIPPER, edits.release(graph, held, "top")) == fingers
        assert {body.tolist().count(0) for body in [rigid_bodies(spanning_forest(graph, held))]} == {1}
    with_and_without = [edits.attach(graph, Structure(), "top", "grip", motion, contact=contact) for contact in (True, False)]
    assert with_and_without[0] != with_and_without[1]


def test_locked_joints_with_a_flange_make_bodies_rigid():
    objects = {"a": solid(), "b": solid(), "c": solid()}
    objects |= {f"r{k}": RevoluteJoint(*ends, with_flange=True) for k, ends in enumerate([("world", "a"), "ab", "bc"])}
    graph = build_graph({"world": world(), **objects})
    for locked, expected in (([], [0, 1, 2]), (["r0"], [-1, 1, 2]), (["r1"], [0, 0, 2]), (["r0", "r1", "r2"], [-1, -1, -1])):
        structure = Structure(locked=tuple(JointLock(name, 0) for name in locked))
        assert rigid_bodies(spanning_forest(graph, structure)).tolist() == expected
    at_stop = Structure(locked=(JointLock("r1", 1),))
    assert rigid_bodies(spanning_forest(graph, at_stop)).tolist() == [0, 1, 2]


def test_rigid_connections_that_close_a_loop_make_bodies_rigid():
    """A ring of four links: two joints and a fixed joint between what turns; one of them is cut."""
    objects = {name: solid() for name in "abcd"}
    objects |= {
        f"r{k}": RevoluteJoint(*ends, with_flange=True) for k, ends in enumerate([("world", "a"), "ab", ("world", "d"), "dc"])
    }
    objects["weld"] = FixedJoint("b", "c")
    graph = build_graph({"world": world(), **objects})
    forest = spanning_forest(graph, Structure())
    assert [cut.name for cut in forest.cuts] == ["weld"]
    place = {name: int(forest.frame_body[graph.index[name]]) for name in "abcd"}
    first = rigid_bodies(forest)
    assert first[place["b"]] == first[place["c"]] == min(place["b"], place["c"])
    assert len(set(first.tolist())) == 3


def test_what_slides_on_something_fixed_in_the_world_may_touch_it():
    links = {**FLOOR, "a": solid(), "b": solid(), "c": solid()}
    joints = {"s": PrismaticJoint("world", "a"), "r": RevoluteJoint("world", "b"), "t": PrismaticJoint("a", "c")}
    assert pairs({**links, **joints}) == named("world-b", "a-c")
    assert pairs({**links, **joints, "s": PrismaticJoint("world", "a", can_collide=False)}) == named(
        "world-a", "world-b", "a-c"
    )
