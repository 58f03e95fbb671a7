"""A structure that was read from a file is one that edits can lead to, or it is refused by the name of what cannot be."""

import dataclasses
import math

import numpy as np
import pytest

from modia3d.scene.frame import Frame
from modia3d.scene.joints import FixedJoint, RevoluteJoint
from modia3d.scene.joints.spherical import SphericalJoint
from modia3d.topology.build import build_graph
from modia3d.topology.check_structure import check_structure
from modia3d.topology.states import initial_structure
from modia3d.topology.structure import JointLock, JointWeld, Lock, Structure
from modiapy import ModelError

from .scenes import arm, box, platform, solid, world

pytestmark = pytest.mark.white_box

UNIT, AT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.1, 0.2, 0.3)


def scene():
    objects = {"world": world(), **platform(3, 1), **arm("driven", 2), **arm("loose", 2, with_flange=False)}
    objects |= box("red", (1, 0, 0), orientation="auto") | box("blue", (2, 0, 0), orientation="zyx") | box("grey", (3, 0, 0))
    objects |= {"bob": Frame(feature=solid()), "ball": SphericalJoint("loose.link2", "bob", orientation="auto")}
    objects |= {"door": Frame(feature=solid()), "hinge": RevoluteJoint("world", "door", with_flange=True)}
    return build_graph(objects | {"cap": Frame(), "glue": FixedJoint("bob", "cap")})


GRAPH = scene()
START = initial_structure(GRAPH, {})


def lock(a="platform.X1Y1", b="red.Zneg", R=UNIT, p=AT):
    return Lock(a, b, R, p)


def gone(*names):
    return {"deleted": frozenset(names)}


def cannot(what, name, found, expected):
    return f"{name}: {what} of the saved structure cannot be; found {found}; expected {expected}"


def unknown(what, name, *near):
    meant = f". Did you mean {', '.join(map(repr, near))}?" if near else ""
    return f"{name}: {what} of the saved structure does not exist{meant}"


ASSEMBLY, LOCK, JOINT, SEQUENCE = "a deleted assembly", "a lock", "a locked joint", "a Cardan sequence"
THERE, NOT_DRIVEN, ONE, STATES = "a joint that is there", "no joint that equations move", "one", "a joint with states"
SIDE, AUTO = "a joint that moves, and -1 or 1, with a flange also 0", "a sequence of an orientation that is 'auto'"
BOLT = "a frame that cannot be locked", "a lockable frame that is there"
FINITE = "9 and 3 finite numbers"
MIRROR, LONG = (-1.0, *UNIT[1:]), (1.001, *UNIT[1:])
PARKED = (JointLock("driven.rev1", 0), JointLock("driven.rev2", 0))
REFUSED = {
    "an unknown assembly": (gone("red.bdoy"), unknown(ASSEMBLY, "red.bdoy", "red.body")),
    "the assembly of the world": (gone("world"), unknown(ASSEMBLY, "world")),
    "a frame that is no root": (gone("red.Xpos"), unknown(ASSEMBLY, "red.Xpos", "red.body")),
    "a weld in a deleted assembly": (
        {**gone("loose.link0"), "welded": (JointWeld("loose.rev1", (0.0,)),)},
        cannot(JOINT, "loose.rev1", "a joint of a deleted assembly", THERE),
    ),
    "driven joints in a deleted assembly": (
        gone("driven.link0"),
        cannot(ASSEMBLY, "driven.link0", "driven.rev1, driven.rev2 not locked", NOT_DRIVEN),
    ),
    "one of them locked": (
        {**gone("driven.link0"), "locked": (JointLock("driven.rev1", 0),)},
        cannot(ASSEMBLY, "driven.link0", "driven.rev2 not locked", NOT_DRIVEN),
    ),
    "one of them at its limit": (
        {**gone("driven.link0"), "locked": (JointLock("driven.rev1", 0), JointLock("driven.rev2", 1))},
        cannot(JOINT, "driven.rev2", "a joint of a deleted assembly", THERE),
    ),
    "a frame that is locked twice": (
        {"locks": (lock(), lock("blue.Zneg", "red.Zneg"))},
        cannot(LOCK, "red.Zneg", "2 of them", ONE),
    ),
    "a joint that is locked twice": (
        {"locked": (JointLock("hinge", 0), JointLock("hinge", 1))},
        cannot(JOINT, "hinge", "2 of them", ONE),
    ),
    "a joint that is welded and locked": (
        {"welded": (JointWeld("loose.rev1", (0.0,)),), "locked": (JointLock("loose.rev1", -1),)},
        cannot(JOINT, "loose.rev1", "2 of them", ONE),
    ),
    "an unknown locked joint": (
        {"locked": (JointLock("loose.rev3", 1),)},
        unknown(JOINT, "loose.rev3", "loose.rev2"),
    ),
    "an unknown welded joint": (
        {"welded": (JointWeld("hnige", (0.0,)),)},
        unknown(JOINT, "hnige", "hinge"),
    ),
    "a side that is none": (
        {"locked": (JointLock("hinge", 2),)},
        cannot(JOINT, "hinge", "side 2", SIDE),
    ),
    "a fixed joint that is locked": (
        {"locked": (JointLock("glue", 0),)},
        cannot(JOINT, "glue", "side 0", SIDE),
    ),
    "a joint without a flange that is not welded": (
        {"locked": (JointLock("ball", 0),)},
        cannot(JOINT, "ball", "side 0", SIDE),
    ),
    "a fixed joint that is welded": (
        {"welded": (JointWeld("glue", ()),)},
        cannot(JOINT, "glue", "a joint with a flange, or one that is fixed", STATES),
    ),
    "an unknown Cardan sequence": (
        {"sequences": (("red.body", "xxy"),)},
        cannot(SEQUENCE, "red.body", "'xxy'", AUTO),
    ),
    "a quaternion where angles are": (
        {"sequences": (("red.body", "quaternion"),)},
        cannot(SEQUENCE, "red.body", "'quaternion'", AUTO),
    ),
    "a limit in a deleted assembly": (
        {**gone("loose.link0"), "locked": (JointLock("loose.rev2", -1),)},
        cannot(JOINT, "loose.rev2", "a joint of a deleted assembly", THERE),
    ),
    "two sequences of one": (
        {"sequences": (("red.body", "xyz"), ("red.body", "zyx"))},
        cannot(SEQUENCE, "red.body", "2 of them", ONE),
    ),
    "a sequence of what does not exist": (
        {"sequences": (("bal", "xyz"),)},
        unknown(SEQUENCE, "bal", "ball"),
    ),
}
REFUSED |= {
    f"a sequence of {name}": (
        {"sequences": ((name, "zxy"),)},
        cannot(SEQUENCE, name, "'zxy'", AUTO),
    )
    for name in ("blue.body", "grey.body", "loose.rev1", "world")
}
REFUSED |= {
    f"a driven joint that is welded, {name}": (
        {"welded": (JointWeld(name, (0.0,)),)},
        cannot(JOINT, name, "a joint with a flange, or one that is fixed", STATES),
    )
    for name in ("driven.rev1", "driven.rev2", "hinge")
}
REFUSED |= {
    f"coordinates {q}": (
        {"welded": (JointWeld("loose.rev1", q),)},
        cannot(JOINT, "loose.rev1", f"the coordinates {q}", "1 finite numbers"),
    )
    for q in ((), (0.0, 0.0), (math.nan,), (math.inf,))
}
REFUSED |= {
    f"{what} as a lock's {side}": (
        {"locks": (lock("blue.Zneg", "grey.Zneg"), lock(**{side: name})), **more},
        text,
    )
    for side in "ab"
    for what, name, more, text in (
        ("a bolt", "red.body", {}, cannot(LOCK, "red.body", *BOLT)),
        ("what was deleted", "loose.tip", gone("loose.link0"), cannot(LOCK, "loose.tip", *BOLT)),
        ("what does not exist", "loose.tpi", {}, unknown(LOCK, "loose.tpi", "loose.tip")),
    )
}
REFUSED |= {
    f"a lock at {R}, {p}": (
        {"locks": (lock("blue.Zneg", "grey.Zneg"), lock(R=R, p=p))},
        cannot(LOCK, "platform.X1Y1 - red.Zneg", *text),
    )
    for R, p, text in (
        (UNIT[1:], AT, ("8 and 3 numbers", FINITE)),
        (UNIT, AT[1:], ("9 and 2 numbers", FINITE)),
        ((math.nan, *UNIT[1:]), AT, ("9 and 3 numbers", FINITE)),
        (UNIT, (0.0, 0.0, math.inf), ("9 and 3 numbers", FINITE)),
        *((R, AT, (f"the matrix {np.array(R).reshape(3, 3).tolist()}", "a rotation")) for R in (MIRROR, LONG)),
    )
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_word_for_word(case):
    fields, text = REFUSED[case]
    with pytest.raises(ModelError) as caught:
        check_structure(GRAPH, dataclasses.replace(START, **fields))
    assert str(caught.value) == text


@pytest.mark.parametrize("joint", ["j0", "j1", "j2"])
def test_all_joints_of_a_deleted_ring_are_gone(joint):
    objects = {"world": world()} | {name: Frame(feature=solid()) for name in "abc"}
    objects |= {f"j{k}": RevoluteJoint(*ends) for k, ends in enumerate(("ab", "bc", "ca"))}
    graph = build_graph(objects)
    for held in ({"welded": (JointWeld(joint, (0.0,)),)}, {"locked": (JointLock(joint, 1),)}):
        check_structure(graph, Structure(**held))
        with pytest.raises(ModelError, match=f"{joint}: .*found a joint of a deleted assembly"):
            check_structure(graph, Structure(deleted=frozenset("a"), **held))


@pytest.mark.parametrize("case", ["an unknown assembly", "an unknown locked joint", "an unknown welded joint", "locks"])
def test_where_nothing_is_declared_no_name_is_known(case):
    fields = (REFUSED.get(case) or (TAKEN[case],))[0]
    with pytest.raises(ModelError, match="does not exist"):
        check_structure(build_graph({"world": world()}), Structure(**fields))


TAKEN = {
    "the first one": {},
    "driven joints locked before their assembly is deleted": {**gone("driven.link0"), "locked": PARKED},
    "a driven joint of the world": {"locked": (JointLock("hinge", 0),)},
    "joints at their limits": {"locked": (JointLock("loose.rev1", -1), JointLock("loose.rev2", 1))},
    "a weld": {"welded": (JointWeld("loose.rev1", (0.0,)), JointWeld("loose.rev2", (9.0,)))},
    "a welded orientation": {"welded": (JointWeld("ball", (0.1, 0.2, 0.3)),)},
    "locks": {"locks": (lock(), lock("blue.Zneg", "red.Zpos", R=(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)))},
    "sequences": {"sequences": (("red.body", "yzx"), ("ball", "zyx"))},
}


@pytest.mark.parametrize("case", TAKEN)
def test_what_can_be_is_taken(case):
    check_structure(GRAPH, dataclasses.replace(START, **TAKEN[case]))
