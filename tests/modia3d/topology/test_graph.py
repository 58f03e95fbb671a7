"""The user's graph: names, rigid groups, assemblies, start poses, and every mistake that it can contain."""

import math

import numpy as np
import pytest

from modia3d.scene.basics.rotations import rotation_matrix
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.solid import SolidFeature
from modia3d.topology.build import build_graph
from modia3d.topology.states import initial_motion
from modiapy.model.errors import ModelError

from .scenes import arm, box, platform, solid, world


def test_names_are_looked_up_where_they_stand_and_then_outwards():
    graph = build_graph(
        {
            "world": world(),
            "base": Frame(parent="world", translation=(1, 0, 0)),
            "a.base": Frame(parent="world", translation=(2, 0, 0)),
            "a.b.x": Frame(parent="base", translation=(0.5, 0, 0)),
            "c.b.x": Frame(parent="base", translation=(0.5, 0, 0)),
        }
    )
    motion = initial_motion(graph, {})
    assert motion("a.b.x").p_WF.tolist() == [2.5, 0, 0]
    assert motion("c.b.x").p_WF.tolist() == [1.5, 0, 0]
    assert graph.frames[graph.frame_index("base", "a.b")].name == "a.base"
    assert graph.frames[graph.frame_index("b.x", "c")].name == "c.b.x"


def test_frames_fixed_to_each_other_share_a_group_and_joints_make_an_assembly():
    graph = build_graph({"world": world(), **platform(2, 2), **box("box", (0, 0, 1)), **arm("arm", 3)})
    groups = {node.name: node.group for node in graph.frames}
    assert groups["platform.X2Y2"] == groups["world"]
    assert groups["box.Xpos"] == groups["box.body"]
    assert len(set(groups.values())) == 1 + 1 + 4
    assert [a.name for a in graph.assemblies] == ["world", "box.body", "arm.link0"]
    assert graph.assemblies[2].prescribed_joints == ("arm.rev1", "arm.rev2", "arm.rev3")


def test_parents_may_be_declared_after_their_children():
    graph = build_graph({"tip": Frame(parent="base", translation=(0, 1, 0)), "base": Frame(parent="world"), "world": world()})
    assert initial_motion(graph, {})("tip").p_WF.tolist() == [0, 1, 0]
    assert graph.frames[graph.world].name == "world"


def test_start_velocity_is_relative_to_the_parent_and_resolved_in_it():
    turn = (0, 0, math.pi / 2)
    graph = build_graph(
        {
            "world": world(),
            "ship": Frame(
                parent="world",
                fixed_to_parent=False,
                rotation=turn,
                velocity=(1, 0, 0),
                angular_velocity=(0, 0, 2),
                feature=solid(),
            ),
            "ball": Frame(
                parent="ship",
                fixed_to_parent=False,
                translation=(3, 0, 0),
                velocity=(0.5, 0, 0),
                angular_velocity=(1, 0, 0),
                feature=solid(),
            ),
        }
    )
    ball = initial_motion(graph, {})("ball")
    assert np.allclose(ball.p_WF, [0, 3, 0])
    assert np.allclose(ball.v_WF_W, [1 - 6, 0.5, 0])
    assert np.allclose(ball.w_WF_W, [0, 1, 2])


def test_an_assembly_starts_from_its_free_frame_through_its_joints():
    graph = build_graph(
        {
            "world": world(),
            "hand": Frame(feature=solid(), assembly_root=True),
            "arm": Frame(parent="world", fixed_to_parent=False, translation=(1, 0, 0), feature=solid()),
            "tip": Frame(parent="arm", translation=(0, 2, 0)),
            "wrist": RevoluteJoint("tip", "hand", "z", phi=math.pi / 2, w=3.0),
        }
    )
    hand = initial_motion(graph, {})("hand")
    assert np.allclose(hand.p_WF, [1, 2, 0])
    assert np.allclose(hand.R_WF[:, 0], [0, 1, 0])
    assert np.allclose(hand.w_WF_W, [0, 0, 3])
    assert graph.assemblies[1].name == "hand"


@pytest.mark.parametrize("order", ["hand first", "cart first"])
def test_what_starts_relative_to_another_assembly_is_placed_after_it(order):
    """The hand is the root of its assembly, but its arm is what starts on the cart."""
    arm = {
        "hand": Frame(feature=solid(), assembly_root=True),
        "arm": Frame(parent="deck", fixed_to_parent=False, translation=(1, 0, 0), feature=solid()),
        "wrist": RevoluteJoint("arm", "hand", "z"),
    }
    cart = {
        "cart": Frame(parent="world", fixed_to_parent=False, translation=(0, 5, 0), velocity=(3, 0, 0), feature=solid()),
        "deck": Frame(parent="cart", translation=(0, 0, 2)),
    }
    objects = arm | cart if order == "hand first" else cart | arm
    hand = initial_motion(build_graph({"world": world(), **objects}), {})("hand")
    assert np.allclose(hand.p_WF, [1, 5, 2])
    assert np.allclose(hand.v_WF_W, [3, 0, 0])


def free(**fields):
    return Frame(parent="world", fixed_to_parent=False, feature=solid(), **fields)


MISTAKES = {
    "no world": ({"a": free()}, ["exactly one world", "none", "Scene()"]),
    "two worlds": ({"a": world(), "b": world()}, ["b:", "a, b", "one"]),
    "unknown parent": (
        {"world": world(), "m.a": Frame(parent="wrold")},
        ["m.a:", "no Object3D 'wrold'", "Did you mean 'world'"],
    ),
    "unknown frame of a joint": (
        {"world": world(), "m.link": Frame(feature=solid()), "m.rev": RevoluteJoint("world", "lnk")},
        ["m.rev:", "'lnk'", "Did you mean 'm.link'"],
    ),
    "parents in a circle": (
        {"world": world(), "a": Frame(parent="b"), "b": Frame(parent="c"), "c": Frame(parent="a")},
        ["each other's parents", "a -> b -> c -> a"],
    ),
    "parents that lead into a circle": (
        {"world": world(), "x": Frame(parent="a"), "a": Frame(parent="b"), "b": Frame(parent="a")},
        ["found a -> b -> a"],
    ),
    "joint within a rigid body": (
        {"world": world(), "a": Frame(parent="world"), "rev": RevoluteJoint("world", "a")},
        ["rev:", "one rigid body", "world and a"],
    ),
    "two assembly roots": (
        {
            "world": world(),
            "a": free(assembly_root=True),
            "b": Frame(feature=solid(), assembly_root=True),
            "rev": RevoluteJoint("a", "b"),
        },
        ["b:", "assembly_root", "a, b", "at most one"],
    ),
    "free frame and a joint to the world": (
        {"world": world(), "a": free(), "rev": RevoluteJoint("world", "a")},
        ["a:", "fixed_to_parent=False", "joint"],
    ),
    "free frame that starts relative to another assembly and a joint to the world": (
        {
            "world": world(),
            "b": free(),
            "a": Frame(parent="b", fixed_to_parent=False, feature=solid()),
            "rev": RevoluteJoint("world", "a"),
        },
        ["a:", "fixed_to_parent=False", "joint"],
    ),
    "translation and a joint to the world": (
        {"world": world(), "a": Frame(translation=(1, 0, 0), feature=solid()), "rev": RevoluteJoint("world", "a")},
        ["a:", "given twice"],
    ),
    "two free frames in one assembly": (
        {"world": world(), "a": free(), "b": free(translation=(1, 0, 0)), "rev": RevoluteJoint("a", "b")},
        ["b:", "given twice", "a"],
    ),
    "assemblies that start relative to each other": (
        {
            "world": world(),
            "a": Frame(parent="d", fixed_to_parent=False, feature=solid()),
            "b": Frame(feature=solid()),
            "j": RevoluteJoint("a", "b"),
            "c": Frame(parent="b", fixed_to_parent=False, feature=solid()),
            "d": Frame(feature=solid()),
            "k": RevoluteJoint("c", "d"),
        },
        ["start relative to each other", "a -> c -> a"],
    ),
    "no mass": (
        {"world": world(), "m.a": Frame(parent="world", fixed_to_parent=False)},
        ["m.a:", "no mass", "mass_properties"],
    ),
    "a point mass": (
        {
            "world": world(),
            "a": Frame(parent="world", fixed_to_parent=False, feature=SolidFeature(mass_properties=MassProperties(1.0))),
        },
        ["a:", "moment of inertia"],
    ),
    "a passive joint that moves nothing": (
        {"world": world(), "a": Frame(), "slide": PrismaticJoint("world", "a")},
        ["slide:", "without mass"],
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_by_name(mistake):
    objects, words = MISTAKES[mistake]
    with pytest.raises(ModelError) as caught:
        build_graph(objects)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("root", ["heavy", "light"])
@pytest.mark.parametrize("ends", [("heavy", "light"), ("light", "heavy")])
def test_both_sides_of_a_joint_in_a_free_assembly_need_mass(root, ends):
    """Whichever side is the root of the assembly, and from whichever side the joint is declared."""
    bodies = {"heavy": Frame(feature=solid(), assembly_root=root == "heavy"), "light": Frame(assembly_root=root == "light")}
    with pytest.raises(ModelError, match=r"slide: .*without mass"):
        build_graph({"world": world(), **bodies, "slide": PrismaticJoint(*ends)})


@pytest.mark.parametrize("on_line", [False, True])
@pytest.mark.parametrize("ways", ["forth", "back"])
def test_points_of_mass_have_moments_of_inertia_if_they_are_not_on_one_line(ways, on_line):
    """Three that are fixed to each other, whichever way the joints are declared, a quarter of a turn between."""
    turn, first = rotation_matrix((0.0, 0.0, math.pi / 2)), np.array((1.0, 0.0, 0.0))
    steps = {("a", "b"): (turn, first), ("b", "c"): (np.eye(3), turn.T @ first if on_line else first)}
    joints = {}
    for (one, two), (R, p) in steps.items():
        if ways == "forth":
            joints[f"{one}{two}"] = FixedJoint(one, two, translation=p, rotation=R)
        else:
            joints[f"{one}{two}"] = FixedJoint(two, one, translation=-R.T @ p, rotation=R.T)
    point = Frame(feature=SolidFeature(mass_properties=MassProperties(1.0)))
    objects = {"world": world(), **dict.fromkeys("abc", point), **joints}
    if not on_line:
        build_graph(objects)
        return
    with pytest.raises(ModelError, match=r"a: .*no moment of inertia about some axis"):
        build_graph(objects)


def test_a_massless_link_is_allowed_where_equations_drive_it():
    graph = build_graph({"world": world(), "a": Frame(), "rev": RevoluteJoint("world", "a", with_flange=True)})
    assert graph.n_equation == 1


def test_the_graph_prints_what_it_is():
    shown = str(build_graph({"world": world(), **arm("arm", 2)}))
    assert "assembly arm.link0" in shown
    assert "arm.rev2: arm.end1 -> arm.begin2" in shown
