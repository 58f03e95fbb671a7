"""Structural actions in a simulation: what becomes of states, frames and degrees of freedom; what is refused."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionRelease,
    ActionReleaseAndAttach,
    ActionWait,
    Box,
    EventAfterPeriod,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
)
from modia3d.scene.basics.rotations import cardan_matrix
from modiapy import Model, ModelError, SimulationError, Var, instantiate
from tests.modia3d.scenes import causes, dofs

pytestmark = pytest.mark.white_box

UPSIDE_DOWN = (math.pi, 0.0, 0.0)
TOLERANCE = 1e-9


def solid(mass=2.0):
    properties = MassProperties(mass=mass, Ixx=0.1 * mass, Iyy=0.11 * mass, Izz=0.09 * mass)
    return Solid(shape=Box(1.0, 0.2, 0.2), mass_properties=properties)


def lock(parent, x, z=0.0, upside_down=True):
    return Object3D(
        parent=parent, translation=(x, 0.0, z), rotation=UPSIDE_DOWN if upside_down else (0.0, 0.0, 0.0), lockable=True
    )


WORLD = {
    "world": Object3D(feature=Scene(gravity=NoGravity())),
    "dock0": lock("world", 0.0, upside_down=False),
    "dock2": lock("world", 2.0, upside_down=False),
}
TORQUE = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)), amplitude=0.4, equations=["flange.tau = -amplitude*sin(3*time)"]
)


def arm(program, joint=None, **more):
    """Two links on the x axis from dock0 to dock2, an elbow about y in the middle; both ends can be docked."""
    elbow = RevoluteWithFlange(obj1="left_elbow", obj2="right_elbow", axis="y") if joint is None else joint
    drive = {"torque": TORQUE, "connect": [("torque.flange", "elbow.flange")]} if joint is None else {}
    entries = WORLD | {
        "left": Object3D(feature=solid(), translation=(0.5, 0.0, 0.0)),
        "right": Object3D(feature=solid(3.0)),
        "left_elbow": Object3D(parent="left", translation=(0.5, 0.0, 0.0)),
        "right_elbow": Object3D(parent="right", translation=(-0.5, 0.0, 0.0)),
        "blue": lock("left", -0.5),
        "green": lock("right", 0.5),
        "elbow": elbow,
    }
    return Model3D(**(entries | drive | more), actions=ModelActions(program))


def simulate(model, stop_time=1.0, **options):
    simulation = instantiate(model)
    result = simulation.simulate(stop_time, tolerance=TOLERANCE, **options)
    return simulation, result


FRAMES = ("left", "right", "blue", "green", "left_elbow", "right_elbow")


def assert_frames_continuous(result, frames, change):
    """Pose and velocity of frames on both sides of the change after segment number ``change``."""
    before, after = result.segment(change), result.segment(change + 1)
    assert before.time[-1] == after.time[0]
    for frame in frames:
        for quantity in ("r_abs", "R_abs", "v_abs", "w_abs"):
            signal = f"{frame}.{quantity}"
            assert after[signal][0] == pytest.approx(before[signal][-1], abs=1e-9), signal


def test_arm_is_attached_flipped_and_released():
    def program(actions):
        ActionAttach(actions, "blue", "dock0")
        ActionFlipChain(actions, "green", "dock2")
        EventAfterPeriod(actions, 0.4)
        ActionRelease(actions, "green")

    _, result = simulate(arm(program))
    assert causes(result) == [
        "initialization",
        "ActionAttach blue -> dock0",
        "ActionFlipChain green -> dock2",
        "ActionRelease green",
    ]
    assert dofs(result) == [7, 1, 1, 7]
    assert [record.start for record in result.segments] == [0.0, 0.0, 0.0, 0.4]
    assert [record.states_variant for record in result.segments] == [13, 0, 0, 13]
    for change in (1, 2, 3):
        before, after = result.segment(change), result.segment(change + 1)
        for state in ("elbow.phi", "elbow.w"):
            assert after[state][0] == before[state][-1]
        assert_frames_continuous(result, FRAMES, change)
    held = result.segment(3)
    assert held["green.r_abs"] == pytest.approx(np.tile([2.0, 0.0, 0.0], (len(held.time), 1)), abs=1e-12)
    assert np.abs(held["blue.v_abs"]).max() > 1e-3
    free = result.segment(4)
    assert free["mechanics.momentum"] == pytest.approx(np.tile(free["mechanics.momentum"][0], (len(free.time), 1)), abs=1e-6)
    assert free["mechanics.momentum_rate"] == pytest.approx(np.zeros((len(free.time), 3)), abs=1e-12)


def test_flipping_twice_gives_the_first_structure_back():
    def once(actions):
        ActionAttach(actions, "blue", "dock0")

    def flipped_twice(actions):
        once(actions)
        ActionFlipChain(actions, "green", "dock2")
        ActionFlipChain(actions, "blue", "dock0", release="green")

    (first, plain), (second, flipped) = simulate(arm(once)), simulate(arm(flipped_twice))
    forests = [simulation.last.components[""].forest for simulation in (first, second)]
    assert [str(forest.structure) for forest in forests] == ["blue - dock0"] * 2
    assert str(forests[0]) == str(forests[1])
    assert forests[0].floats == pytest.approx(forests[1].floats, abs=1e-12)
    assert flipped["elbow.phi"][-1] == pytest.approx(plain["elbow.phi"][-1], abs=1e-9)


def test_flipped_arm_accelerates_like_the_same_arm_modelled_from_the_other_end():
    def flip(actions):
        ActionAttach(actions, "blue", "dock0")
        ActionFlipChain(actions, "green", "dock2")

    def direct(actions):
        ActionAttach(actions, "green", "dock2")

    from_the_end = RevoluteWithFlange(obj1="right_elbow", obj2="left_elbow", axis="-y")
    mirrored = arm(
        direct,
        joint=from_the_end,
        left=Object3D(feature=solid()),
        right=Object3D(feature=solid(3.0), translation=(1.5, 0.0, 0.0)),
        torque=TORQUE,
        connect=[("torque.flange", "elbow.flange")],
    )
    (_, one), (_, two) = simulate(arm(flip), 0.8), simulate(mirrored, 0.8)
    assert one["der(elbow.w)"][-1] == pytest.approx(two["der(elbow.w)"][-1], abs=1e-8)
    a, b = one.segment(3), two.segment(2)
    assert a["der(elbow.w)"][:2] == pytest.approx(b["der(elbow.w)"][:2], abs=1e-10)
    assert a["left.r_abs"][-1] == pytest.approx(b["left.r_abs"][-1], abs=1e-8)


def test_cargo_is_carried_away_and_left_behind_with_its_velocity():
    """The box stands between the docks on the joint axis, so that its pose does not depend on the elbow's motion."""

    def program(actions):
        ActionAttach(actions, "blue", "dock0")
        ActionAttach(actions, "box.foot", "dock2")
        ActionReleaseAndAttach(actions, "box.top", "green")
        ActionWait(actions, 0.5)
        ActionRelease(actions, "box.top")

    box = Model(
        body=Object3D(feature=solid(1.0), translation=(2.0, 0.0, -0.3)),
        foot=Object3D(parent="body", translation=(0.0, 0.0, 0.0), lockable=True),
        top=Object3D(parent="body", translation=(0.0, 0.0, 0.3), lockable=True),
    )
    # the dock for the box faces down, its foot up; its top mates with the green end from below
    model = arm(
        program, box=box, dock2=Object3D(parent="world", translation=(2.0, 0.0, -0.3), rotation=UPSIDE_DOWN, lockable=True)
    )
    _, result = simulate(model)
    assert dofs(result) == [13, 7, 1, 1, 7]
    assert causes(result)[3] == "ActionReleaseAndAttach box.top -> green"
    for change in range(1, 5):
        assert_frames_continuous(result, (*FRAMES, "box.body", "box.foot"), change)
    released = result.segment(5)
    straight = released["box.body.r_abs"][0] + np.outer(released.time - released.time[0], released["box.body.v_abs"][0])
    assert np.linalg.norm(released["box.body.v_abs"][0]) > 1e-3
    assert released["box.body.r_abs"] == pytest.approx(straight, abs=1e-7)


def test_passive_joint_keeps_its_states_to_the_last_bit_and_momentum_survives_the_release():
    def program(actions):
        ActionAttach(actions, "blue", "dock0")
        ActionWait(actions, 0.3)
        ActionRelease(actions, "blue", "dock0")

    passive = Revolute(obj1="left_elbow", obj2="right_elbow", axis="y", w=-1.0)
    model = arm(program, joint=passive)
    _, result = simulate(model)
    assert dofs(result) == [7, 1, 7]
    for change in (1, 2):
        before, after = result.segment(change), result.segment(change + 1)
        assert (after["elbow.phi"][0], after["elbow.w"][0]) == (before["elbow.phi"][-1], before["elbow.w"][-1])
    assert_frames_continuous(result, FRAMES, 2)
    free = result.segment(3)
    for momentum in ("momentum", "angular_momentum"):
        values = free[f"mechanics.{momentum}"]
        assert values == pytest.approx(np.tile(values[0], (len(values), 1)), abs=1e-7)


def test_deleted_assembly_is_gone_and_its_signals_end():
    def program(actions):
        ActionWait(actions, 0.5)
        ActionDelete(actions, "stone")

    model = Model3D(
        **WORLD,
        stone=Object3D(feature=solid(), translation=(0.0, 5.0, 0.0)),
        cap=Object3D(parent="stone", feature=solid()),
        other=Object3D(feature=solid(), translation=(0.0, 9.0, 0.0), angular_velocity=(0.0, 1.0, 0.0)),
        actions=ModelActions(program),
    )
    _, result = simulate(model)
    assert dofs(result) == [12, 6]
    after = result.segment(2)
    assert "stone.r_abs" not in after
    assert np.isfinite(result.segment(1)["cap.cut_force"]).all()
    assert "cap.cut_force" not in after
    assert np.isnan(result["cap.cut_force"][-1]).all()
    assert np.isnan(result["stone.r_abs"][-1]).all()
    assert np.isfinite(result["other.r_abs"]).all()
    before = result.segment(1)
    assert [after[f"other.q[{i}]"][0] for i in range(4)] == [before[f"other.q[{i}]"][-1] for i in range(4)]


def test_simulating_again_begins_again():
    def program(actions):
        ActionAttach(actions, "blue", "dock0")

    simulation, first = simulate(arm(program))
    second = simulation.simulate(1.0, tolerance=TOLERANCE)
    assert dofs(second) == dofs(first)
    assert np.array_equal(first["elbow.phi"], second["elbow.phi"])


def test_program_inside_of_a_submodel_finds_its_own_frames_first():
    def program(actions):
        ActionAttach(actions, "foot", "dock0")

    unit = Model(
        body=Object3D(feature=solid()),
        foot=lock("body", 0.0),
        actions=ModelActions(program),
    )
    _, result = simulate(Model3D(**WORLD, foot=lock("world", 7.0), unit=unit))
    assert dofs(result) == [6, 0]


# -- refused ------------------------------------------------------------------------------------------------------------


def too_far(actions):
    ActionWait(actions, 0.25)
    ActionAttach(actions, "blue", "dock2")


def driven(actions):
    ActionDelete(actions, "right")


def nothing_to_release(actions):
    ActionRelease(actions, "blue")


@pytest.mark.parametrize(
    ("program", "time", "message"),
    [
        (too_far, 0.25, r"action 2 \(ActionAttach blue -> dock2\).*blue and dock2 do not mate.*mm"),
        (driven, 0.0, "action 1 .*equations drive its joints.*elbow"),
        (nothing_to_release, 0.0, "action 1 .*not attached"),
    ],
)
def test_refused_action_is_named_and_results_are_kept(program, time, message):
    with pytest.raises(SimulationError, match=message) as caught:
        simulate(arm(program))
    assert caught.value.time == time
    assert caught.value.result.status == "failed"
    if time > 0.0:
        assert caught.value.result.time[-1] == time
        assert np.isfinite(caught.value.result["elbow.phi"]).all()


def test_unknown_frame_is_found_when_the_model_is_loaded():
    with pytest.raises(ModelError, match=r"action 1 \(ActionAttach blu -> dock0\).*Did you mean 'blue'"):
        instantiate(arm(lambda actions: ActionAttach(actions, "blu", "dock0")))


def test_two_programs_are_refused():
    with pytest.raises(ModelError, match=r"at most one action program.*more, actions"):
        instantiate(arm(lambda actions: None, more=ModelActions([])))


def test_a_chain_that_grows_by_many_locks_stays_where_it_is():
    """More states than dense matrices have, segments without length, and measured poses whose errors must not add up."""
    n, R = 45, cardan_matrix(0.7, -0.4, 0.2)
    box = Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel")
    bodies = {
        f"box{k}": Object3D(fixed_to_parent=False, translation=R @ (0.0, 0.0, 0.1 * k), rotation=R, feature=box)
        for k in range(n)
    }
    tops = {f"top{k}": Object3D(parent=f"box{k}", translation=(0, 0, 0.05), lockable=True) for k in range(n)}
    lower = {
        f"foot{k}": Object3D(parent=f"box{k}", translation=(0, 0, -0.05), rotation=UPSIDE_DOWN, lockable=True) for k in range(n)
    }

    def program(actions):
        for k in range(1, n):
            ActionAttach(actions, f"foot{k}", f"top{k - 1}")

    world = Object3D(feature=Scene(gravity=NoGravity()))
    result = instantiate(Model3D(world=world, **bodies, **tops, **lower, actions=ModelActions(program))).simulate(0.1)
    assert dofs(result) == list(range(6 * n, 0, -6))
    np.testing.assert_allclose(result[f"box{n - 1}.r_abs"][-1], R @ (0.0, 0.0, 0.1 * (n - 1)), atol=1e-12)
    np.testing.assert_allclose(result[f"box{n - 1}.R_abs"][-1], R, atol=1e-12)
