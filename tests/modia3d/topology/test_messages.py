"""What is refused, word for word: the object by its full path, what was found, what is expected, and the remedy."""

import pytest

from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, PrismaticJoint, RevoluteJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.scene.shapes.rounded import SphereShape
from modia3d.scene.solid import SolidFeature
from modia3d.topology import edits
from modia3d.topology.build import build_graph
from modia3d.topology.mating import Anywhere
from modia3d.topology.neighbours import touching_frames
from modia3d.topology.placement import Placement
from modia3d.topology.states import initial_structure
from modiapy import ModelError

from .scenes import arm, box, platform, solid, world

pytestmark = pytest.mark.white_box

LOOSE = {"position": 1e9, "z_angle": 4.0, "symmetry": 0, "velocity": 1e9, "angular_velocity": 1e9}


def scene():
    objects = {"world": world(**LOOSE), **platform(3, 1)}
    objects |= arm("driven", 2, position=(0.0, 1.0, 0.0)) | arm("loose", 2, with_flange=False)
    objects |= box("red", (1, 0, 0)) | box("blue", (2, 0, 0)) | box("spare", (3, 0, 0), parked=True)
    objects["driven.cap"] = Frame()
    objects["driven.glue"] = FixedJoint("link2", "cap")
    return build_graph(objects)


REST = (0.0,), (0.0,)
TOUCH = SolidFeature(shape=SphereShape(0.1), solid_material="Steel", collision=True)
GRAPH = scene()
TOUCHING = build_graph(
    {
        "world": world(),
        "ball": Frame(parent="world", fixed_to_parent=False, feature=TOUCH),
        "horn": Frame(parent="ball", translation=(0.2, 0.0, 0.0), feature=TOUCH),
        "mark": Frame(parent="ball"),
        "link": Frame(feature=TOUCH),
        "hinge": RevoluteJoint("ball", "link"),
        "ghost": Frame(feature=solid()),
        "pin": RevoluteJoint("link", "ghost"),
        "far": Frame(parent="world", fixed_to_parent=False, translation=(3.0, 0.0, 0.0), feature=TOUCH),
    }
)
STRICT = build_graph(
    {
        "world": world(),
        "cart": Frame(feature=solid()),
        "slide": PrismaticJoint("world", "cart", v=2.0),
        "bob": Frame(feature=solid()),
        "ball": SphericalJoint("cart", "bob", orientation="auto", angular_velocity=(1.0, 2.0, 3.0)),
        "ship": Frame(parent="world", fixed_to_parent=False, feature=solid()),
        "rotor": Frame(feature=solid()),
        "shaft": RevoluteJoint("ship", "rotor", w=3.0, with_flange=True),
    }
)
PRESENT = Anywhere(GRAPH)
START = initial_structure(GRAPH, dict.fromkeys(("driven.rev1", "driven.rev2"), REST))


def attached(*pairs, structure=START):
    for pair in pairs:
        structure = edits.attach(GRAPH, structure, *pair, PRESENT.motion_of)
    return structure


STACK = attached(("red.Zneg", "platform.X1Y1"), ("blue.Zneg", "red.Zpos"), ("loose.base", "blue.Zpos"))
RING = attached(("blue.Xpos", "platform.X2Y1"), structure=STACK)
GONE = edits.delete(GRAPH, STACK, "loose.base")
HELD = edits.lock_joint(GRAPH, edits.lock_joint(GRAPH, START, "loose.rev1", REST), "driven.rev2", REST)


def at(function, structure, *names, **options):
    motion = [PRESENT.motion_of] if function in (edits.attach, edits.release_and_attach, edits.flip_chain) else []
    return lambda: function(GRAPH, structure, *names, *motion, **options)


REFUSED = {
    "not lockable": (
        at(edits.attach, START, "driven.cap", "platform.X1Y1"),
        "driven.cap: this Object3D is not lockable; expected a frame with lockable=True, in its assembly: driven.base, "
        "driven.tip. Did you mean 'driven.tip'?",
    ),
    "unknown": (
        at(edits.attach, START, "red.Xpso", "platform.X1Y1"),
        "there is no Object3D 'red.Xpso'; expected the name of an Object3D, looked up in 'the Model3D'. Did you mean "
        "'red.Xpos'?",
    ),
    "unknown in a scope": (
        at(edits.attach, START, "Xpso", "platform.X1Y1", scope="red"),
        "there is no Object3D 'Xpso'; expected the name of an Object3D, looked up in 'red' and outwards. Did you mean "
        "'red.Xpos'?",
    ),
    "parked": (
        at(edits.attach, START, "Zneg", "platform.X1Y1", scope="spare"),
        "spare.Zneg: this Object3D is not in the scene; found the parked assembly spare.body. ActionAdd lets it appear.",
    ),
    "deleted": (
        at(edits.attach, GONE, "red.Zneg", "loose.tip"),
        "loose.tip: this Object3D was deleted; found the deleted assembly loose.link0. ActionAdd lets it appear.",
    ),
    "a joint that was deleted": (
        at(edits.lock_joint, GONE, "rev1", REST, scope="loose"),
        "loose.rev1: this joint was deleted; found the deleted assembly loose.link0. ActionAdd lets it appear.",
    ),
    "a joint that is rigid": (
        at(edits.lock_joint, START, "driven.glue", ((), ())),
        "driven.glue: a Fix cannot be locked or unlocked: it is always rigid; expected a joint that can move",
    ),
    "itself": (
        at(edits.attach, START, "red.Zneg", "red.Zneg"),
        "red.Zneg: an Object3D cannot be attached to itself; expected two frames",
    ),
    "attached already": (
        at(edits.attach, STACK, "platform.X2Y1", "red.Zpos"),
        "red.Zpos: this Object3D is attached already; found the lock blue.Zneg - red.Zpos. Release it before; "
        "ActionReleaseAndAttach does both.",
    ),
    "not attached": (
        at(edits.release, STACK, "red.Xpos"),
        "red.Xpos: this Object3D is not attached; expected a frame of a lock: blue.Zneg - red.Zpos, blue.Zpos - "
        "loose.base, platform.X1Y1 - red.Zneg",
    ),
    "nothing attached": (
        at(edits.release, START, "red.Xpos"),
        "red.Xpos: this Object3D is not attached; expected a frame of a lock: there is none",
    ),
    "attached to another": (
        at(edits.release, STACK, "Zpos", "platform.X1Y1", scope="red"),
        "red.Zpos: the frame is attached to another frame; found the lock blue.Zneg - red.Zpos; expected platform.X1Y1",
    ),
    "attached to what is not there": (
        at(edits.release, STACK, "red.Zneg", "spare.Zneg"),
        "spare.Zneg: this Object3D is not in the scene; found the parked assembly spare.body. ActionAdd lets it appear.",
    ),
    "no lock to release": (
        at(edits.release_and_attach, START, "red.Zpos", "platform.X1Y1"),
        "red.Zpos: no lock holds the frame's assembly on the way to the root; found the assembly red.body is the root of its "
        "tree. Use ActionAttach, or name a frame of the lock as release=.",
    ),
    "several ways": (
        at(edits.release_and_attach, RING, "blue.Ypos", "platform.X3Y1"),
        "blue.Ypos: several ways lead from the frame's assembly to the root of its tree; found one over the lock blue.Xpos - "
        "platform.X2Y1, one over blue.Zneg - red.Zpos, platform.X1Y1 - red.Zneg; expected one way, on which the lock to "
        "be released is the first one. Name a frame of the lock as release=.",
    ),
    "no free end": (
        at(edits.flip_chain, STACK, "blue.Ypos", "platform.X3Y1"),
        "blue.Ypos: the frame is not the free end of a chain whose other end is attached; found no lock behind a joint on the "
        "way to the root of its tree. Use ActionAttach or ActionReleaseAndAttach, or name a frame of the lock as "
        "release=.",
    ),
    "the world": (at(edits.delete, START, "platform.X1Y1"), "platform.X1Y1: the assembly of the world cannot be deleted"),
    "driven": (
        at(edits.delete, START, "driven.tip"),
        "driven.tip: the assembly driven.link0 cannot be deleted, because equations drive its joints; found joints with a"
        " flange: driven.rev1, driven.rev2; expected an assembly without joints, or with joints without flange. With "
        "park=True its joints are locked, and their equations go on.",
    ),
    "there already": (
        at(edits.add, START, "red.Xpos", PRESENT, Placement()),
        "red.Xpos: the assembly is in the scene already; "
        "found the assembly red.body in the scene; expected a frame of an assembly that is"
        " parked or deleted",
    ),
    "in motion": (
        lambda: edits.lock_joint(STRICT, START, "slide", ((0.0,), (2.0,))),
        "slide: the joint moves, it cannot be locked without a jump; found v = 2; expected at most 0.001 m/s and "
        '0.001 rad/s. Lock it at rest, by an impact (on_contact="impulse"), or change Scene(mating=MatingTolerance(...)).',
    ),
    "locked already": (
        at(edits.lock_joint, HELD, "loose.rev1", REST),
        "loose.rev1: the joint is locked already. Unlock it before.",
    ),
    "locked already, with a flange": (
        at(edits.lock_joint, HELD, "driven.rev2", REST),
        "driven.rev2: the joint is locked already. Unlock it before.",
    ),
    "not locked": (
        at(edits.unlock_joint, HELD, "loose.rev2"),
        "loose.rev2: the joint is not locked; found locked joints: loose.rev1, driven.rev2",
    ),
    "none locked": (
        at(edits.unlock_joint, START, "loose.rev2"),
        "loose.rev2: the joint is not locked; found locked joints: none",
    ),
    "two places": (
        lambda: Placement(attach_to="red.Xpos", translation=(1, 0, 0), relative_to="world"),
        "ActionAdd has both attach_to and a placement; found attach_to, and translation, relative_to; expected one of both",
    ),
    "a turn without a place": (
        lambda: Placement(turn=1.0),
        "ActionAdd has turn without attach_to; found no attach_to. Use rotation.",
    ),
    "contact without collision": (
        lambda: touching_frames(TOUCHING, ("ghost", "ball"), user="sensor"),
        "sensor: the Object3D 'ghost' takes part in no contact; found a Solid without collision; expected a solid that "
        "can touch others. Write collision=True in its Solid, and a contact_material where it has no solid_material.",
    ),
    "contact without solid": (
        lambda: touching_frames(TOUCHING, ("ball", "mark"), user="sensor"),
        "sensor: the Object3D 'mark' takes part in no contact; found no Solid; expected a solid that can touch others. "
        "Write collision=True in its Solid, and a contact_material where it has no solid_material.",
    ),
    "contact of neighbours": (
        lambda: touching_frames(TOUCHING, ("link", "ball"), user="sensor"),
        "sensor: 'ball' and 'link' never touch each other; found a joint between them; expected solids that may collide. "
        "Write can_collide=True in the joint.",
    ),
    "contact within a body": (
        lambda: touching_frames(TOUCHING, ("ball", "horn"), user="sensor"),
        "sensor: 'ball' and 'horn' never touch each other; found one rigid body; expected solids that may collide",
    ),
}


REFUSED |= {
    f"placed {how} what is not there": (
        at(edits.add, START, "spare.Zneg", PRESENT, Placement(**{field: name}), scope="m.loose"),
        text,
    )
    for how, field, name, text in (
        (
            "beside", "relative_to", "spare.Zneg",
            "spare.Zneg: this Object3D is not in the scene; found the parked assembly spare.body. ActionAdd lets it appear.",
        ),
        (
            "on", "attach_to", "red.Zopos",
            "there is no Object3D 'red.Zopos'; expected the name of an Object3D, looked up in 'm.loose' and outwards. Did you "
            "mean 'red.Zpos'?",
        ),
    )
}  # fmt: skip
REFUSED |= {
    f"{field} that is none": (
        lambda field=field, value=value: Placement(**{field: value}),
        f"{field} of ActionAdd is wrong; found {found!r}; expected {expected}",
    )
    for field, value, found, expected in (
        ("relative_to", None, None, "a name"),
        ("attach_to", 3, 3, "a name"),
        ("translation", (1.0, 2.0), (1.0, 2.0), "three numbers"),
        ("rotation", (0.0, "x", 0.0), "x", "a number"),
        ("velocity", 5.0, 5.0, "three numbers"),
        ("angular_velocity", (1.0, None, 0.0), None, "a number"),
        ("turn", "half", "half", "a number"),
    )
}
REFUSED |= {
    f"on a frame with {field}": (
        lambda field=field: Placement(attach_to="red.Xpos", **{field: (0.0, 0.0, 1.0)}),
        f"ActionAdd has both attach_to and a placement; found attach_to, and {field}; expected one of both",
    )
    for field in ("translation", "rotation", "velocity", "angular_velocity")
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_says_all_that_is_needed(case):
    refused, text = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        refused()
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("edit", "frame", "release", "model"),
    [(edits.release_and_attach, "blue.Ypos", "blue.Zneg", "blue"), (edits.flip_chain, "loose.tip", "loose.base", "loose")],
)
def test_what_is_to_be_released_is_named_as_the_other_frames_are(edit, frame, release, model):
    wanted = at(edit, STACK, frame, "platform.X3Y1", release=release)()
    short = [name.removeprefix(f"{model}.") for name in (frame, release)]
    assert at(edit, STACK, short[0], "platform.X3Y1", release=short[1], scope=model)() == wanted
    assert wanted.lock_at(release) is None


def test_frames_that_may_touch_are_named_in_the_order_of_their_declaration():
    assert touching_frames(TOUCHING, ("far", "ball")) == touching_frames(TOUCHING, ("ball", "far")) == ("ball", "far")


def test_where_only_the_structure_matters_joints_are_at_rest():
    """Whatever speeds they are declared with: they may be locked, and parked with what they belong to."""
    present = Anywhere(STRICT)
    for name in ("slide", "ball"):
        q, v = present.state_of(name)
        assert not any(v)
        assert edits.lock_joint(STRICT, START, name, (q, v)).welded_state(name) == (q, v)
    assert edits.delete(STRICT, START, "rotor", present, park=True).deleted > START.deleted
