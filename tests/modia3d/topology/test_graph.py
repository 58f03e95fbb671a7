"""The user's graph: names, rigid groups, assemblies, start poses, and every mistake that it can contain."""

import dataclasses
import math

import numpy as np
import pytest

from modia3d.scene.basics.rotations import rotation_matrix
from modia3d.scene.constraint_elements.rod import RodConstraint
from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.mass_properties import MassProperties
from modia3d.scene.solid import SolidFeature
from modia3d.topology import edits
from modia3d.topology.build import build_graph, compose, inverse
from modia3d.topology.forest import spanning_forest
from modia3d.topology.mating import Anywhere
from modia3d.topology.motion import WORLD_AT_REST, FrameMotion
from modia3d.topology.states import initial_motion, initial_state, initial_structure
from modia3d.topology.structure import JointLock, Structure
from modiapy import ModelError

from .scenes import arm, box, difference, platform, solid, world

pytestmark = pytest.mark.white_box


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


def test_any_frame_of_an_assembly_says_that_it_is_parked_or_which_frame_its_root_is():
    """A frame that is fixed to a body; the body is where it would be without it."""
    objects = {"world": world(), "one": LINK, "two": LINK, "knee": RevoluteJoint("one", "two", "z", phi=0.5, with_flange=True)}
    objects |= {"tip": Frame(parent="two", translation=(0.0, 2.0, 0.0), rotation=(0.0, 0.3, 0.0), parked=True)}
    objects |= {"b": Frame(feature=solid()), "eye": Frame(parent="b", translation=(1.0, 2.0, 3.0), assembly_root=True)}
    graph = build_graph(objects)
    structure = initial_structure(graph, {"knee": ((0.5,), (0.0,))})
    assert structure == Structure(deleted=frozenset({"one"}), locked=(JointLock("knee", 0),))
    assert [assembly.name for assembly in graph.assemblies] == ["world", "one", "eye"]
    motion, forest = initial_motion(graph, {}), spanning_forest(graph, structure)
    assert difference(motion("b"), WORLD_AT_REST) == 0.0
    assert motion("eye").p_WF.tolist() == [1.0, 2.0, 3.0]
    assert forest.free_roots == ("eye",)
    assert initial_state(graph, forest, {})[:3].tolist() == [1.0, 2.0, 3.0]
    assert forest.frame_pose(graph.index["b"])[2].tolist() == [-1.0, -2.0, -3.0]


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


MASS = "Give a Solid of it a material or mass_properties, or the Object3D a parent or a joint."
LOOKED_UP = "expected the name of an Object3D, looked up in"
CIRCLE = "expected a chain of parents that ends at the world or at a frame without parent"
JOINED = (
    "an Object3D with fixed_to_parent=False is connected to its parent or the world by joints; expected the joint alone; its "
    "coordinates say how it starts. Leave parent and fixed_to_parent out."
)
TWICE = (
    "the pose of an Object3D is given twice: by joints, and by its own translation, rotation or velocity; found connected by"
)
JOINT_SAYS = (
    "expected no translation, rotation or velocity where a joint says how it starts. Put a frame fixed to it at the joint, and "
    "give that frame the translation and rotation."
)
MOVABLE = "expected frames that can move relative to each other"
ORIENTATION = "'orientation' is given for an Object3D that is not the root of a free assembly; found"
ROOT_ONLY = "expected orientation given for the root of a free assembly only"
LINK = Frame(feature=solid())
POINT = SolidFeature(mass_properties=MassProperties(1.0))
MISTAKES = {
    "no world": (
        {"world": free()},
        "a Model3D needs exactly one world; found Object3D with feature=Scene(): none; expected one. Add world = "
        "Object3D(feature=Scene()).",
    ),
    "two worlds": (
        {"a": world(), "b": world()},
        "b: a Model3D needs exactly one world; found Object3D with feature=Scene(): a, b; expected one",
    ),
    "unknown parent": (
        {"m.a": Frame(parent="wrold")},
        f"m.a: there is no Object3D 'wrold'; {LOOKED_UP} 'm' and outwards. Did you mean 'world'?",
    ),
    "unknown first frame of a joint": (
        {"m.link": LINK, "m.rev": RevoluteJoint("lnk", "world")},
        f"m.rev: there is no Object3D 'lnk'; {LOOKED_UP} 'm' and outwards. Did you mean 'm.link'?",
    ),
    "unknown second frame of a joint": (
        {"m.link": LINK, "m.rev": RevoluteJoint("world", "lnk")},
        f"m.rev: there is no Object3D 'lnk'; {LOOKED_UP} 'm' and outwards. Did you mean 'm.link'?",
    ),
    "unknown where a model beside it has the same names": (
        {"lift.link": LINK, "left.link": LINK, "right.link": LINK, "right.rev": RevoluteJoint("lnik", "world")},
        f"right.rev: there is no Object3D 'lnik'; {LOOKED_UP} 'right' and outwards. Did you mean 'right.link'?",
    ),
    "unknown frame of a constraint": (
        {"link": LINK, "rod": RodConstraint("link", "m.wrold")},
        f"rod: there is no Object3D 'm.wrold'; {LOOKED_UP} 'the Model3D'",
    ),
    "parents in a circle": (
        {"a": Frame(parent="b"), "b": Frame(parent="c"), "c": Frame(parent="a")},
        f"a: frames are each other's parents; found a -> b -> c -> a; {CIRCLE}",
    ),
    "parents that lead into a circle": (
        {"x": Frame(parent="a"), "a": Frame(parent="b"), "b": Frame(parent="a")},
        f"a: frames are each other's parents; found a -> b -> a; {CIRCLE}",
    ),
    "joint within the world": (
        {"a": Frame(parent="world"), "rev": RevoluteJoint("world", "a")},
        f"rev: a joint between two frames of one rigid body; found world and a, both fixed to world; {MOVABLE}",
    ),
    "constraint within a rigid body": (
        {"a": free(), "b": Frame(parent="a"), "c": Frame(parent="b"), "m.rod": RodConstraint("c", "b")},
        f"m.rod: a constraint between two frames of one rigid body; found c and b, both fixed to a; {MOVABLE}",
    ),
    "three assembly roots": (
        {
            "a": free(assembly_root=True),
            "b": Frame(feature=solid(), assembly_root=True),
            "c": Frame(parent="b", assembly_root=True),
            "rev": RevoluteJoint("a", "b"),
        },
        "b: two frames of one assembly have assembly_root=True; found a, b, c; expected at most one",
    ),
    "free frame and a joint to the world": ({"a": free(), "rev": RevoluteJoint("world", "a")}, f"a: {JOINED}"),
    "free frame and a joint to its parent": (
        {"b": free(), "a": Frame(parent="b", fixed_to_parent=False, feature=solid()), "rev": RevoluteJoint("b", "a")},
        f"a: {JOINED}",
    ),
    "free frame that starts relative to another assembly and a joint to the world": (
        {"b": free(), "a": Frame(parent="b", fixed_to_parent=False, feature=solid()), "rev": RevoluteJoint("world", "a")},
        f"a: {JOINED}",
    ),
    "two free frames in one assembly": (
        {"a": free(), "b": free(translation=(1, 0, 0)), "rev": RevoluteJoint("a", "b")},
        f"b: {TWICE} joints to a; {JOINT_SAYS}",
    ),
    "the initial poses of assemblies depend on each other in a circle": (
        {
            "a": Frame(parent="d", fixed_to_parent=False, feature=solid()),
            "b": LINK,
            "j": RevoluteJoint("a", "b"),
            "c": Frame(parent="b", fixed_to_parent=False, feature=solid()),
            "d": LINK,
            "k": RevoluteJoint("c", "d"),
        },
        "a: the initial poses of assemblies depend on each other in a circle; found a -> c -> a",
    ),
    "parked in the world": (
        {"a": LINK, "rev": RevoluteJoint("world", "a"), "b": Frame(parent="a", parked=True)},
        "b: an assembly that joints or parents connect to the world cannot be parked; "
        "expected an assembly that can move freely",
    ),
    "orientation in the assembly of the world": (
        {"a": LINK, "rev": RevoluteJoint("world", "a"), "b": Frame(parent="a", orientation="xyz")},
        f"b: {ORIENTATION} the assembly of the world; {ROOT_ONLY}",
    ),
    "orientation of the world": (
        {"world": dataclasses.replace(world(), orientation="auto")},
        f"world: {ORIENTATION} the assembly of the world; {ROOT_ONLY}",
    ),
    "orientation of what is no root": (
        {"m.a": free(), "b": Frame(parent="m.a", orientation="auto")},
        f"b: {ORIENTATION} the root of the assembly is m.a; {ROOT_ONLY}. Give orientation there, or set "
        "assembly_root=True here.",
    ),
    "no mass": (
        {"m.a": Frame(parent="world", fixed_to_parent=False)},
        f"m.a: an assembly that can move freely has no mass. {MASS}",
    ),
    "a point mass": (
        {"a": Frame(parent="world", fixed_to_parent=False, feature=POINT)},
        f"a: an assembly that can move freely has no moment of inertia about some axis. {MASS} A point mass on which no torque "
        "acts moves with any inertia as it does without.",
    ),
    "a passive joint that moves nothing": (
        {"a": Frame(), "slide": PrismaticJoint("world", "a")},
        f"slide: the joint moves an assembly without mass. {MASS}",
    ),
}
MISTAKES |= {
    f"{field} and a joint to {other}": (
        {"first": free(), "a": Frame(feature=solid(), **{field: (0, 0, 1)}), "rev": RevoluteJoint("a", other)},
        f"a: {TWICE} joints to {other}; {JOINT_SAYS}",
    )
    for field in ("translation", "rotation", "velocity", "angular_velocity")
    for other in ("world", "first")
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refused_word_for_word(mistake):
    objects, text = MISTAKES[mistake]
    with pytest.raises(ModelError) as caught:
        build_graph(objects if mistake == "two worlds" else {"world": world(), **objects})
    assert str(caught.value) == text


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


@pytest.mark.parametrize("on_line", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_whether_points_of_mass_are_on_one_line_is_seen_through_turned_frames(seed, on_line):
    """Four points in a random tree; each connection is between frames in random places of both, at the coordinate zero."""
    rng = np.random.default_rng(seed)

    def random_pose():
        return rotation_matrix(tuple(rng.normal(size=3))), rng.normal(size=3)

    way, begin = rng.normal(size=(2, 3))
    places = [(random_pose()[0], begin + rng.normal() * way if on_line else rng.normal(size=3)) for _ in range(4)]
    objects = {"world": world()}
    objects |= {f"p{k}": Frame(feature=SolidFeature(mass_properties=MassProperties(1.0 + k))) for k in range(4)}
    for k in range(1, 4):
        i, fixed = int(rng.integers(k)), bool(rng.integers(2))
        at, between = random_pose(), random_pose() if fixed else (np.eye(3), np.zeros(3))
        behind = compose(inverse(places[k]), compose(compose(places[i], at), between))
        for end, parent, (R, p) in (("a", i, at), ("b", k, behind)):
            objects[f"{end}{k}"] = Frame(parent=f"p{parent}", translation=tuple(p), rotation=R.tolist())
        ends = (f"a{k}", f"b{k}")
        if rng.integers(2):
            ends, between = ends[::-1], inverse(between)
        R, p = between
        objects[f"j{k}"] = FixedJoint(*ends, translation=tuple(p), rotation=R.tolist()) if fixed else RevoluteJoint(*ends)
    if not on_line:
        build_graph(objects)
        return
    with pytest.raises(ModelError, match=r"p0: .*no moment of inertia about some axis"):
        build_graph(objects)


def test_a_massless_link_is_allowed_where_equations_drive_it():
    graph = build_graph({"world": world(), "a": Frame(), "rev": RevoluteJoint("world", "a", with_flange=True)})
    assert graph.n_equation == 1


def printed():
    """A ring on the world, and a free arm whose root is its last link; joints in both directions, locks."""
    objects = {"world": world(), "left": LINK, "right": LINK, "mark": Frame(parent="left", lockable=True)}
    objects |= {
        "j1": RevoluteJoint("world", "left"),
        "j2": RevoluteJoint("right", "left"),
        "j3": PrismaticJoint("world", "right"),
    }
    objects |= {"m.base": free(), "m.eye": Frame(parent="base", lockable=True), "m.arm": Frame(feature=solid(2.5))}
    objects |= {"m.hand": Frame(feature=solid(1e-3), assembly_root=True)}
    objects |= {"m.up": RevoluteJoint("base", "arm", with_flange=True), "m.on": FixedJoint("hand", "arm")}
    return build_graph(objects)


def test_the_graph_prints_what_it_is():
    text = """\
assembly world (world)
           0 kg  world
           1 kg  left, mark
           1 kg  right
  j1: world -> left
  j2: right -> left (reversed)
  j3: world -> right (closes a loop)
assembly m.hand
           1 kg  m.base, m.eye
         2.5 kg  m.arm
       0.001 kg  m.hand
  m.up: m.base -> m.arm
  m.on: m.hand -> m.arm (reversed)"""
    assert str(printed()) == text


def test_the_forest_prints_what_it_is():
    graph = printed()
    still = FrameMotion(np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3))
    turned = still._replace(R_WF=np.diag([1.0, -1.0, -1.0]))
    locked = edits.attach(graph, Structure(), "m.eye", "mark", {"m.eye": still, "mark": turned}.__getitem__)
    limited = locked.with_limits({"j2": -1, "m.up": 1})
    loose = """\
4 bodies, 9 degrees of freedom
   0 j1 <- world: revolute, passive, 1 kg
   1 j2 <- j1: revolute, passive, reversed, 1 kg
   2 m.hand <- world: free, passive, 2.501 kg
   3 m.up <- m.hand: revolute, prescribed, reversed, 1 kg
cut  j3: world - right, prismatic"""
    held = """\
3 bodies, 1 degrees of freedom
   0 j1 <- world: revolute, passive, 2 kg
   1 j2 <- j1: revolute, locked, reversed, 1 kg
   2 m.up <- j1: revolute, prescribed, 2.501 kg
cut  j3: world - right, prismatic"""
    assert str(spanning_forest(graph, Structure())) == loose
    assert str(spanning_forest(graph, limited)) == held
    assert str(limited) == "m.eye - mark\nlower limit of j2\nupper limit of m.up"
    deleted = edits.lock_joint(graph, edits.delete(graph, limited, "m.arm", Anywhere(graph), park=True), "j1", ((0.1,), (0.0,)))
    assert str(deleted) == "deleted m.hand\nlocked j1\nlower limit of j2\nlocked m.up"
    assert str(Structure()) == "no locks"
