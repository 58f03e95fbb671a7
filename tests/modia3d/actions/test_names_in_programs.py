"""Names in programs: of frames, joints, paths and signals; each is looked up before the start where it can be."""

import re
from dataclasses import replace

import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionLock,
    ActionRelease,
    ActionReleaseAndAttach,
    ActionUnlock,
    ActionWait,
    Model3D,
    ModelActions,
    Object3D,
    Pose,
    Read,
    Revolute,
    RevoluteWithFlange,
    Set,
    WaitUntil,
)
from modia3d.actions.changes import apply
from modia3d.actions.moves import Moves
from modia3d.actions.paths_values import AddPath, MoveLinear
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.delete import Delete
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.structural.unlock_joint import UnlockJoint
from modia3d.scene.frame import Frame
from modia3d.topology.build import build_graph
from modia3d.topology.mating import Anywhere, where_all_mates
from modia3d.topology.placement import Placement
from modia3d.topology.structure import Structure
from modiapy import Model, ModelError, ModiaError, Var, instantiate
from tests.modia3d.engine.test_add import solid
from tests.modia3d.scenes import world
from tests.modia3d.topology import scenes

pytestmark = pytest.mark.white_box

FRAMES, JOINT = ("foot", "wall", "shelf"), "hinge"
OF_FRAMES = {
    ActionAdd: [("relative_to",), ("attach_to",)],
    ActionAttach: [("target",)],
    ActionDelete: [()],
    ActionFlipChain: [("target",), ("target", "release")],
    ActionRelease: [(), ("target",)],
    ActionReleaseAndAttach: [("target",), ("target", "release")],
}
CASES = [(action, ("frame", *fields)) for action, ways in OF_FRAMES.items() for fields in ways]
CASES += [(action, ("joint",)) for action in (ActionLock, ActionUnlock)]


def made(action, names, together=False):
    def program(actions):
        ActionWait(actions, 0.1)
        if together:
            with actions.together():
                ActionDelete(actions, "foot")
                action(actions, **names)
        else:
            action(actions, **names)

    return Model3D(
        world=world(),
        wall=Object3D(parent="world", lockable=True),
        shelf=Object3D(parent="world", translation=(1.0, 0.0, 0.0), lockable=True),
        foot=Object3D(parent="world", fixed_to_parent=False, feature=solid(), lockable=True),
        leg=Object3D(feature=solid()),
        hinge=Revolute("foot", "leg"),
        actions=ModelActions(program),
    )


@pytest.mark.parametrize(("action", "fields"), CASES, ids=lambda x: x.__name__ if callable(x) else "-".join(x))
def test_a_name_that_nothing_has_is_refused_before_the_start(action, fields):
    names = {"joint": JOINT} if fields == ("joint",) else dict(zip(fields, FRAMES, strict=False))
    instantiate(made(action, names))
    for field, name in names.items():
        with pytest.raises(ModelError, match=rf"action 2 .*'{name}x'.*Did you mean '{name}'") as caught:
            instantiate(made(action, names | {field: f"{name}x"}))
        assert caught.value.entry == 2
        with pytest.raises(ModelError, match=rf"'{name}x'.*Did you mean '{name}'"):
            instantiate(made(action, names | {field: f"{name}x"}, together=True))


MISSPELLED = {"hinge.ww": "hinge.w", "der(hinge.v)": "der(hinge.w)", "lg.w_abs[2]": "leg.w_abs", "flags.flg": "flags.flag"}


@pytest.mark.parametrize("around", [(), ("cell",), ("plant", "cell")], ids=len)
@pytest.mark.parametrize("name", MISSPELLED)
def test_the_signal_that_was_meant_is_told_as_the_program_may_write_it(name, around):
    programs = [[Set(flag=1.0), WaitUntil(f"{name} > 1")], lambda: [(yield Set(flag=1.0)), (yield Read(name))]]
    for program in programs[:1] if name.startswith("flags.") else programs:
        hinge = RevoluteWithFlange("foot", "leg", phi=Var(init=0.0), w=Var(init=0.0))
        parts = {"foot": Object3D(parent="world"), "leg": Object3D(feature=solid()), "hinge": hinge}
        model = Model3D(world=world(), actions=ModelActions(program), **parts)
        for outer in reversed(around):
            model = Model(**{outer: model})
        with pytest.raises(ModiaError) as caught:
            instantiate(model).simulate(0.1)
        assert caught.value.path == ".".join((*around, "actions"))
        assert re.search(f"'{re.escape(name)}'.* Did you mean '{re.escape(MISSPELLED[name])}'", str(caught.value))


NO_NAMES = (None, "", 3, ["foot"])
NAMED = {
    "frame of ActionAdd": lambda x: Add(x, Placement()),
    "frame of ActionAttach": lambda x: Attach(x, "wall"),
    "target of ActionAttach": lambda x: Attach("foot", x),
    "frame of ActionDelete": Delete,
    "frame of ActionFlipChain": lambda x: FlipChain(x, "wall"),
    "target of ActionFlipChain": lambda x: FlipChain("foot", x),
    "frame of ActionRelease": Release,
    "frame of ActionReleaseAndAttach": lambda x: ReleaseAndAttach(x, "wall"),
    "target of ActionReleaseAndAttach": lambda x: ReleaseAndAttach("foot", x),
    "joint of ActionLock": LockJoint,
    "joint of ActionUnlock": UnlockJoint,
    "frame of Pose": lambda x: Pose(x, (0.0, 0.0, 0.0)),
    "frame of moveLinear": lambda x: MoveLinear(x, (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("field", NAMED)
def test_what_is_no_text_names_nothing(field):
    NAMED[field]("foot")
    for value in NO_NAMES:
        with pytest.raises(ModelError, match=field):
            NAMED[field](value)


@pytest.mark.parametrize("made", [lambda **more: Pose("foot", **more), lambda **more: MoveLinear("foot", **more)])
def test_where_a_frame_is_to_be_is_said_relative_to_a_frame(made):
    made(translation=(0.0, 0.0, 0.0), relative_to="")
    made(rotation=(0.0, 0.0, 0.0), relative_to="wall")
    made(translation=(0.0, 0.0, 0.0), rotation="free")
    with pytest.raises(ModelError, match=r"relative_to of (Pose|moveLinear)"):
        made(translation=(0.0, 0.0, 0.0), relative_to=None)
    for nothing in ({}, {"rotation": "free"}):
        with pytest.raises(ModelError, match="has no target"):
            made(**nothing)


def path(names, position=None):
    n = len(names)
    return AddPath(names, (0.0,) * n if position is None else position, (1.0,) * n, (1.0,) * n)


def test_names_of_a_path_are_names_of_signals_and_differ():
    for names in (("a",), ("arm.a", "arm.b"), ("ab", "a"), ["a"]):
        assert path(names).names == tuple(names)
    for names in ("ab", (), ("a", ""), ("a", 1), ("a", "a"), ("a b",), ("1a",), ("a.",), ("a", "a.b"), ("a.b.c", "a.b")):
        with pytest.raises(ModelError, match="addReferencePath"):
            path(names)


def test_a_path_is_found_by_its_names_in_their_order():
    declared = [path(names) for names in (("a", "b"), ("c",), ("b2", "a2"))]
    moves = Moves(declared)
    assert moves.names == ("a", "b", "c", "b2", "a2")
    for k, one in enumerate(declared):
        assert moves.find(one.names) is moves.all[k]
    assert Moves(declared[:1]).find(None).declared is declared[0]
    with pytest.raises(ModelError, match=r"the path to be moved is not named, and there are several; found 3 reference paths"):
        moves.find(None)
    for names in (("b", "a"), ("a",), ("a", "b", "c"), ("C",)):
        with pytest.raises(ModelError, match="no reference path of these names"):
            moves.find(names)
    for names in (("a", "x"), ("c",), ("a2",)):
        with pytest.raises(ModelError, match=f"'{names[0]}' exists already"):
            Moves([*declared, path(names)])


def station(name):
    """An arm of two joints and two docks in the model ``name``; joints are where the name says."""
    made = scenes.arm("arm", 2, with_flange=False) | {dock: Frame(parent="world", lockable=True) for dock in ("dock", "post")}
    made = {f"{name}{key}": value for key, value in made.items()}
    angle = 0.25 if name else -0.5
    return {key: replace(made[key], phi=angle) if key.endswith(("rev1", "rev2")) else made[key] for key in made}


def test_in_a_model_actions_mean_what_they_mean_by_full_names_outside():
    """Although outside there is the same once more, in other states."""
    graph = where_all_mates(build_graph({"world": scenes.world()} | station("") | station("m.")))
    present, structure = Anywhere(graph), Structure()
    steps = [
        (Attach, "arm.base", "dock"),
        (ReleaseAndAttach, "arm.base", "post"),
        (FlipChain, "arm.tip", "dock"),
        (FlipChain, "arm.base", "post", "dock"),
        (LockJoint, "arm.rev1"),
        (LockJoint, "arm.rev2"),
        (UnlockJoint, "arm.rev1"),
        (Release, "arm.base", "post"),
        (Delete, "arm.tip"),
        (Add, "arm.tip", Placement(attach_to="dock")),
        (Release, "arm.tip"),
        (Delete, "arm.base"),
        (Add, "arm.base", Placement(relative_to="post")),
    ]
    for action, *names in steps:
        full = [f"m.{x}" if isinstance(x, str) else x for x in names]
        if isinstance(full[-1], Placement):
            full[-1] = replace(full[-1], **{f: f"m.{x}" for f in ("attach_to", "relative_to") if (x := getattr(full[-1], f))})
        inside, outside = action(*names), action(*full)
        made = apply([inside], graph, structure, present, "m").structure
        assert made == apply([outside], graph, structure, present, "").structure != structure, action
        assert [*inside.locked_joints(graph, "m")] == [*outside.locked_joints(graph, "")]
        assert {field: f"m.{name}" for field, name in inside.names().items()} == outside.names()
        structure = made
    assert structure == Structure()
    begin = apply([Attach("arm.base", "dock")], graph, structure, present, "m").structure
    for moved in (ReleaseAndAttach, FlipChain):
        for contact in (True, False):
            action = moved("arm.base" if moved is ReleaseAndAttach else "arm.tip", "post", enable_contact_detection=contact)
            (lock,) = apply([action], graph, begin, present, "m").structure.locks
            assert lock.contact is contact
            assert {lock.frame_a, lock.frame_b} == {f"m.{action.frame}", "m.post"}
