"""Every name in a program is looked up before the simulation starts."""

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
    Revolute,
)
from modiapy import ModelError, instantiate
from tests.modia3d.engine.test_add import solid
from tests.modia3d.scenes import world

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
