"""What a change gives up takes no part in its impact: it is the same as giving it up first, at the same time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionDelete,
    ActionLock,
    ActionWait,
    Box,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    Scene,
    Solid,
    Together,
)
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.delete import Delete
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.values import PtpJointSpace, Wait
from modia3d.topology.placement import Placement
from modiapy import Map, instantiate
from tests.modia3d.engine import test_changes_in_motion as motion
from tests.modia3d.engine.moving_scene import moving_scene

pytestmark = pytest.mark.white_box

BODY = Object3D(feature=Solid(shape=Box(0.3, 0.1, 0.1), solid_material="Steel"))
SIGNALS = [f"{body}.{name}" for body in motion.BODIES for name in ("r_abs", "v_abs", "w_abs")] + motion.STATES
JOINTS = st.sampled_from(["shoulder", "wrist", "pool.m0.rev"])
FRAMES = st.sampled_from(["left", "foot", "claw", "pool.m0.plug", "grip", "hand"])
HIT = st.one_of(
    st.builds(Attach, FRAMES, FRAMES, st.just("impulse")),
    st.builds(ReleaseAndAttach, FRAMES, FRAMES, st.none(), st.just("impulse")),
    st.builds(LockJoint, JOINTS, st.just("impulse")),
)
GIVE_UP = st.one_of(
    st.builds(Delete, FRAMES, st.booleans()), st.builds(Delete, FRAMES, st.just(True)), st.builds(Release, FRAMES)
)
ADD = Add("pool.m0.plug", Placement(attach_to="right"))
BEGIN = st.sampled_from(
    [
        [],
        [Attach("left", "claw", "impulse")],
        [Attach("left", "claw", "impulse"), Attach("foot", "knob", "impulse")],
        [LockJoint("shoulder", "impulse"), Attach("grip", "claw", "impulse")],
        [ADD, Attach("left", "grip", "impulse")],
        [ADD, LockJoint("pool.m0.rev", "impulse"), Attach("left", "hand", "impulse")],
        [LockJoint("wrist", "impulse"), ADD, Attach("left", "foot", "impulse")],
    ]
)


@pytest.fixture(scope="module")
def simulation():
    return instantiate(moving_scene(motion.parallel))


def after(simulation, begin, changes):
    """The first point after ``changes``, which follow one another without time between them; None where one is refused."""
    bend = [PtpJointSpace([0.05], ("bend",))]
    result = motion.simulate(simulation, bend, [*begin, Wait(0.05), *changes], stop_time=0.4)
    if motion.SAID:
        return None
    segment = result.segment(len(result.segments))
    return {name: motion.value(segment, name, 0) for name in SIGNALS} | {"info": result.segments[-1].info}


@settings(max_examples=60, **motion.PATIENT)
@given(BEGIN, st.lists(GIVE_UP, min_size=1, max_size=2), HIT)
def test_what_a_change_gives_up_takes_no_part_in_its_impact(simulation, begin, given_up, hit):
    at_once = after(simulation, begin, [Together((*given_up, hit))])
    in_turn = after(simulation, begin, [*given_up, hit])
    assert (at_once is None) == (in_turn is None)
    if at_once is None:
        return
    for name in SIGNALS:
        assert at_once[name] == pytest.approx(in_turn[name], abs=1e-9, nan_ok=True), name
    for name in ("energy_lost", "impulse_from_outside", "angular_impulse_from_outside"):
        one, other = (np.asarray(found["info"].get(name, 0.0)) for found in (at_once, in_turn))
        assert np.abs(one - other).max() < 1e-8, name


def test_a_joint_at_its_stop_may_be_deleted_where_something_else_is_struck():
    """The lid rests on its stop; it is deleted while the arm is locked by an impact, and takes no part in it."""

    def program(actions):
        ActionWait(actions, 0.1)
        with actions.together():
            ActionDelete(actions, "lid")
            ActionLock(actions, "shoulder", on_contact="impulse")

    def simulated(*, with_lid):
        lid = {
            "cart": BODY | Map(parent="world", fixed_to_parent=False, translation=(0, 3, 0)),
            "lid": BODY,
            "hinge": Revolute("cart", "lid", "y", phi=0.5, w=0.2, limits=(-0.5, 0.5)),
        }
        arm = {
            "upper": BODY,
            "seat": Object3D(parent="upper", translation=(1, 0, 0)),
            "lower": BODY,
            "shoulder": Revolute("world", "upper", "y", w=1.0),
            "elbow": Revolute("seat", "lower", "y", phi=0.4),
        }
        scene = {"world": Object3D(feature=Scene(gravity=NoGravity())), **arm, **(lid if with_lid else {})}
        lock = lambda actions: (ActionWait(actions, 0.1), ActionLock(actions, "shoulder", on_contact="impulse"))  # noqa: E731
        return instantiate(Model3D(**scene, actions=ModelActions(program if with_lid else lock))).simulate(0.2, tolerance=1e-9)

    whole, alone = simulated(with_lid=True), simulated(with_lid=False)
    assert "lid" in str(whole.segments[-1].cause)
    assert whole["elbow.w"][-1] == pytest.approx(alone["elbow.w"][-1], abs=1e-8)
    assert whole.segments[-1].info["energy_lost"] == pytest.approx(alone.segments[-1].info["energy_lost"], rel=1e-8)
