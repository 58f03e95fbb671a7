"""Assemblies that appear at run time, pools, parked drives; impacts with a release; what an impact gets from outside."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionFlipChain,
    ActionRelease,
    ActionReleaseAndAttach,
    ActionWait,
    Box,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Pool,
    Revolute,
    RevoluteWithFlange,
    RodConstraint,
    Solid,
    Spherical,
    UniformGravity,
)
from modia3d.scene.basics.rotations import rotation_matrix
from modiapy import Map, Model, ModelError, SimulationError, Var, instantiate
from modiapy.library.rotational import Fixed, Inertia, Position, SpringDamper
from modiapy.symbolic.codegen import systems
from tests.modia3d.scenes import dofs, free, world

pytestmark = pytest.mark.white_box

DOWN, TURNED, BACK = (math.pi, 0.0, 0.0), (0.0, math.pi / 2, 0.0), (0.0, -math.pi / 2, 0.0)


def solid(mass=2.0):
    return Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=MassProperties(mass, (0, 0, 0), 0.1, 0.2, 0.25, 0.0, 0.0, 0.0))


MODULE = Model(
    body=Object3D(feature=solid(), parked=True),
    left=Object3D(parent="body", translation=(-0.5, 0.0, 0.0), rotation=BACK, lockable=True),
    right=Object3D(parent="body", translation=(0.5, 0.0, 0.0), rotation=TURNED, lockable=True),
)


def run(program, stop_time=1.0, tolerance=1e-10, closes_loops=None, **entries):
    model = Model3D(**entries, actions=ModelActions(program, closes_loops=closes_loops))
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=stop_time / 20)


def test_modules_of_a_pool_appear_fly_join_vanish_and_appear_again():
    def program(actions):
        ActionAdd(actions, "pool.m0.body", velocity=(0.1, 0.0, 0.0), angular_velocity=(0.0, 0.0, 0.4))
        ActionWait(actions, 0.5)
        ActionAdd(actions, "pool.m1.left", attach_to="pool.m0.right")
        ActionWait(actions, 0.1)
        ActionDelete(actions, "pool.m0.body")
        ActionWait(actions, 0.1)
        ActionAdd(actions, "pool.m0.right", translation=(5.0, 0.0, 0.0))

    result = run(program, world=world(), pool=Pool(MODULE, size=3))
    assert dofs(result) == [0, 6, 6, 6, 12]
    assert [record.states_variant for record in result.segments] == [0, 13, 13, 13, 26]
    one, two, three, four = (result.segment(k) for k in (2, 3, 4, 5))
    assert one["pool.m0.body.r_abs"][-1] == pytest.approx([0.05, 0.0, 0.0], abs=1e-9)
    assert two["pool.m1.left.r_abs"][0] == pytest.approx(one["pool.m0.right.r_abs"][-1], abs=1e-12)
    assert two["pool.m1.left.v_abs"][0] == pytest.approx(one["pool.m0.right.v_abs"][-1], abs=1e-12)
    assert two["pool.m0.body.r_abs"][0].tobytes() == one["pool.m0.body.r_abs"][-1].tobytes()
    assert three["pool.m1.body.v_abs"][0] == pytest.approx(two["pool.m1.body.v_abs"][-1], abs=1e-12)
    assert four["pool.m0.right.r_abs"][0] == pytest.approx([5.0, 0.0, 0.0], abs=1e-12)
    assert four["pool.m0.right.R_abs"][0] == pytest.approx(np.eye(3), abs=1e-15)
    assert np.isnan(result["pool.m1.body.r_abs"][result.time < 0.5]).all()
    assert "pool.m2.body.r_abs" not in result
    assert result.statistics["compilations_after_start"] == 0


def test_what_appears_moves_relative_to_a_frame_and_its_passive_joints_start_as_declared():
    def program(actions):
        ActionWait(actions, 0.3)
        ActionAdd(actions, "tip", relative_to="carrier", translation=(0.0, 1.0, 0.0), velocity=(0.0, 0.5, 0.0))

    result = run(
        program,
        world=world(),
        carrier=Object3D(parent="world", fixed_to_parent=False, feature=solid(), angular_velocity=(0.0, 0.0, 2.0)),
        base=Object3D(feature=solid(), parked=True),
        link=Object3D(feature=solid(1.0)),
        hinge=Revolute("base", "link", "z", phi=0.3, w=0.7),
        tip=Object3D(parent="link", translation=(1.0, 0.0, 0.0)),
    )
    assert dofs(result) == [6, 13]
    before, after = result.segment(1), result.segment(2)
    R, w = before["carrier.R_abs"][-1], np.array([0.0, 0.0, 2.0])
    arm = R @ np.array([0.0, 1.0, 0.0])
    assert after["tip.r_abs"][0] == pytest.approx(arm, abs=1e-12)
    assert after["tip.v_abs"][0] == pytest.approx(np.cross(w, arm) + R @ np.array([0.0, 0.5, 0.0]), abs=1e-9)
    assert after["hinge.phi"][0] == 0.3
    assert after["hinge.w"][0] == 0.7
    assert after["base.w_abs"][0] == pytest.approx([0.0, 0.0, 2.0 - 0.7], abs=1e-9)


SERVO = Model(
    base=Object3D(feature=solid(), parked=True),
    foot=Object3D(parent="base", rotation=DOWN, lockable=True),
    link=Object3D(feature=solid(1.0)),
    hinge=RevoluteWithFlange("base", "link", "x", phi=Var(init=0.5)),
    spring=SpringDamper | Map(c=20.0, d=2.0),
    rotor=Inertia | Map(J=0.01),
    wall=Fixed,
    clock=Var(init=0.0),
    equations=["der(clock) = 1"],
    connect=[("wall.flange", "spring.flange_a"), ("spring.flange_b", "hinge.flange", "rotor.flange_a")],
)
DOCK = Object3D(parent="world", lockable=True)


@pytest.mark.parametrize("closes_loops", [None, True])
def test_drives_of_a_pool_go_on_while_their_joints_are_parked(closes_loops):
    """Also where there may be closed loops: other equations hold a joint there."""

    def program(actions):
        ActionWait(actions, 0.2)
        ActionAdd(actions, "pool.m0.foot", attach_to="dock")
        ActionWait(actions, 8.0)
        ActionDelete(actions, "pool.m0.base", park=True)
        ActionWait(actions, 0.5)
        ActionAdd(actions, "pool.m0.foot", attach_to="dock")

    result = run(program, 9.0, closes_loops=closes_loops, world=world(), pool=Pool(SERVO, size=1), dock=DOCK)
    assert dofs(result) == [0, 1, 0, 1]
    parked, moving, again, last = (result.segment(k) for k in (1, 2, 3, 4))
    assert np.all(parked["pool.m0.hinge.phi"] == 0.5)
    assert parked["pool.m0.hinge.constraint_torque"] == pytest.approx(20.0 * 0.5, rel=1e-9)
    assert np.isnan(result["pool.m0.base.r_abs"][0]).all()
    assert np.ptp(moving["pool.m0.hinge.phi"]) > 0.5
    assert np.ptp(again["pool.m0.hinge.phi"]) < 1e-12
    assert last["pool.m0.hinge.phi"][0] == again["pool.m0.hinge.phi"][-1]
    assert result["pool.m0.clock"][-1] == pytest.approx(9.0, rel=1e-9)
    assert parked["mechanics.kinetic_energy"][-1] == 0.0


@pytest.mark.parametrize("loops", [False, True])
def test_parked_joints_are_held_by_the_same_torque_in_residual_form(loops, monkeypatch):
    """Its integral is a state, so that the integrator sees the torque in either form."""
    monkeypatch.setattr(systems, "DAE_SIZE", 2)
    hinge = RevoluteWithFlange("world", "arm", axis="x", phi=Var(init=0.3))
    parts = {
        "world": world(UniformGravity(n="-z")),
        "arm": Object3D(feature=solid()),
        "hinge": hinge,
        "pool": Pool(SERVO, size=2),
    }
    parts |= {"sum": Var(init=0.0), "equations": ["der(sum) = pool.m0.hinge.constraint_torque"]}
    if loops:
        parts |= {"stone": free(translation=(1.0, 0.0, 0.0)), "leash": RodConstraint("world", "stone")}
    simulation = instantiate(Model3D(**parts))
    assert simulation.compiled.has_residuals
    for mode in ("ode", "dae"):
        result = simulation.simulate(2.0, mode=mode, tolerance=1e-8)
        assert result["sum"][-1] == pytest.approx(2.0 * 20.0 * 0.5, rel=1e-6)


def driven(motion, **options):
    """Two bodies whose joint moves as prescribed; what its flange exerts is used."""
    return Model(
        base=Object3D(feature=solid(), **options),
        link=Object3D(feature=solid(1.0)),
        hinge=RevoluteWithFlange("base", "link", "x", phi=Var(), w=Var(), lockable=True),
        drive=Position,
        work=Var(init=0.0),
        equations=[f"drive.phi_ref = {motion}", "der(work) = hinge.flange.tau*hinge.w"],
        connect=[("drive.flange", "hinge.flange")],
    )


@pytest.mark.filterwarnings("error")
def test_a_joint_whose_motion_is_prescribed_follows_it_while_it_is_parked():
    """There it exerts nothing, whatever accelerates; and it takes the torque that its inertia needs when it is there."""

    def program(actions):
        ActionWait(actions, 0.2)
        ActionAdd(actions, "pool.m0.base", relative_to="world", translation=(0.0, 0.0, 1.0))

    result = run(program, 0.4, world=world(), pool=Pool(driven("0.3*sin(4*time)", parked=True), size=2))
    assert dofs(result) == [0, 7]
    for module in ("m0", "m1"):
        assert result[f"pool.{module}.hinge.phi"][-1] == pytest.approx(0.3 * math.sin(1.6))
        assert np.all(result[f"pool.{module}.hinge.constraint_torque"] == 0.0)
    parked, there = result.segment(1), result.segment(2)
    assert np.all(parked["pool.m0.hinge.flange.tau"] == 0.0)
    assert parked["pool.m0.work"][-1] == 0.0
    assert np.all(result["pool.m1.work"] == 0.0)
    # two equal inertias about x, free in space
    needed = 0.1 / 2.0 * -0.3 * 16.0 * np.sin(4.0 * there.time)
    assert there["pool.m0.hinge.flange.tau"] == pytest.approx(needed, rel=1e-6)


def test_a_joint_whose_motion_is_prescribed_can_be_parked_at_rest():
    def program(actions):
        ActionWait(actions, 0.2)
        ActionDelete(actions, "module.base", park=True)
        ActionWait(actions, 0.2)
        ActionAdd(actions, "module.base", relative_to="world")

    result = run(program, 0.6, world=world(), module=driven("0.3"))
    assert dofs(result) == [7, 0, 7]
    assert np.all(result["module.hinge.phi"] == 0.3)
    assert np.all(result["module.hinge.flange.tau"] == 0.0)


def test_a_joint_that_moves_cannot_be_parked():
    def program(actions):
        ActionAdd(actions, "pool.m0.foot", attach_to="dock")
        ActionWait(actions, 0.2)
        ActionDelete(actions, "pool.m0.base", park=True)

    with pytest.raises(SimulationError, match=r"pool.m0.hinge: .*the joint moves"):
        run(program, world=world(), pool=Pool(SERVO, size=1), dock=DOCK)


def attach_world(actions):
    ActionAttach(actions, "right", "wall", on_contact="impulse")


def test_the_impulse_of_the_world_is_reported():
    """A body that flies against a lock frame of the world stops there; the world takes both momenta."""
    result = run(
        attach_world,
        0.2,
        world=world(),
        wall=Object3D(parent="world", translation=(0.5, 0.3, 0.0), rotation=BACK, lockable=True),
        body=Object3D(
            parent="world", fixed_to_parent=False, translation=(0.0, 0.3, 0.0), feature=solid(), velocity=(1.0, 2.0, 0.0)
        ),
        right=Object3D(parent="body", translation=(0.5, 0.0, 0.0), rotation=TURNED, lockable=True),
    )
    info = result.segments[1].info
    assert info["impulse_from_outside"] == pytest.approx([-2.0, -4.0, 0.0], abs=1e-12)
    assert info["angular_impulse_from_outside"] == pytest.approx([0.0, 0.0, -(0.0 * 4.0 - 0.3 * 2.0)], abs=1e-12)
    assert info["energy_lost"] == pytest.approx(5.0, rel=1e-12)


def test_what_is_released_takes_no_part_in_the_impact():
    """A box is taken over in flight: the tray that held it flies on, box and hand share their momentum."""

    def program(actions):
        ActionAttach(actions, "left", "tray_lock")
        ActionWait(actions, 0.1)
        ActionReleaseAndAttach(actions, "right", "hand_lock", on_contact="impulse")

    def flying(x, mass, velocity=(0.0, 0.0, 0.0)):
        return Object3D(parent="world", fixed_to_parent=False, translation=(x, 0, 0), feature=solid(mass), velocity=velocity)

    result = run(
        program,
        0.5,
        world=world(),
        tray=flying(-1.0, 5.0),
        tray_lock=Object3D(parent="tray", translation=(0.5, 0, 0), rotation=TURNED, lockable=True),
        box=flying(0.0, 1.0),
        left=Object3D(parent="box", translation=(-0.5, 0, 0), rotation=BACK, lockable=True),
        right=Object3D(parent="box", translation=(0.5, 0, 0), rotation=TURNED, lockable=True),
        hand=flying(1.1, 3.0, (-1.0, 0.0, 0.0)),
        hand_lock=Object3D(parent="hand", translation=(-0.5, 0, 0), rotation=BACK, lockable=True),
    )
    assert [record.cause.partition(";")[0] for record in result.segments][2:] == ["ActionReleaseAndAttach right -> hand_lock"]
    last = result.segment(3)
    assert last["tray.v_abs"][-1] == pytest.approx(np.zeros(3), abs=1e-12)
    assert last["box.v_abs"][-1] == pytest.approx([-0.75, 0.0, 0.0], abs=1e-12)
    assert last["hand.v_abs"][-1] == pytest.approx([-0.75, 0.0, 0.0], abs=1e-12)
    info = result.segments[2].info
    assert info["impulse_from_outside"] == pytest.approx(np.zeros(3), abs=1e-12)
    assert info["angular_impulse_from_outside"] == pytest.approx(np.zeros(3), abs=1e-12)
    assert info["energy_lost"] == pytest.approx(0.5 * 3.0 - 0.5 * 4.0 * 0.75**2, rel=1e-12)


def swinging(program, **docks):
    return run(
        program,
        0.6,
        world=world(UniformGravity(n="-z")),
        dock0=Object3D(parent="world", rotation=DOWN, lockable=True),
        left=Object3D(feature=solid(), translation=(0.0, 0.0, -0.5), parent="world", fixed_to_parent=False),
        top=Object3D(parent="left", translation=(0.0, 0.0, 0.5), lockable=True),
        elbow_left=Object3D(parent="left", translation=(0.0, 0.0, -0.5)),
        right=Object3D(feature=solid(1.0)),
        elbow_right=Object3D(parent="right", translation=(0.0, 0.0, 0.5)),
        hinge=Revolute("elbow_left", "elbow_right", "y", w=1.5),
        tip=Object3D(parent="right", translation=(0.0, 0.0, -0.5), rotation=DOWN, lockable=True),
        **docks,
    )


def test_a_chain_flips_while_its_end_moves():
    """The base lets go, then the tip stops at the dock; about the dock the released chain keeps its angular momentum."""

    def program(actions):
        ActionAttach(actions, "top", "dock0")
        ActionFlipChain(actions, "tip", "dock1", on_contact="impulse")

    result = swinging(program, dock1=Object3D(parent="world", translation=(0.0, 0.0, -2.0), lockable=True))
    before, after = result.segment(2), result.segment(3)
    assert dofs(result) == [7, 1, 1]
    assert after["tip.v_abs"][0] == pytest.approx(np.zeros(3), abs=1e-12)
    assert after["tip.w_abs"][0] == pytest.approx(np.zeros(3), abs=1e-12)
    assert after["hinge.phi"][0] == before["hinge.phi"][-1]
    # the link that is still free keeps its angular momentum about the hinge, which carries no moment about y
    spin = 0.2 + 2.0 * 0.5**2
    moved = before["left.v_abs"][-1][0] * 2.0 * 0.5 + 0.2 * before["left.w_abs"][-1][1]
    assert after["left.w_abs"][0][1] * spin == pytest.approx(moved, abs=1e-9)
    lost = before["mechanics.kinetic_energy"][-1] - after["mechanics.kinetic_energy"][0]
    assert result.segments[2].info["energy_lost"] == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("how", ["release and attach", "release-and-attach", "at a joint's expense"])
def test_a_change_that_changes_nothing_leaves_the_trajectory(how):
    def change(actions):
        ActionAttach(actions, "top", "dock0")
        ActionWait(actions, 0.3)
        if how == "release and attach":
            ActionRelease(actions, "top")
            ActionAttach(actions, "top", "dock0")
        elif how == "release-and-attach":
            ActionReleaseAndAttach(actions, "top", "dock0")
        else:
            ActionReleaseAndAttach(actions, "top", "dock0", on_contact="impulse")

    def plain(actions):
        ActionAttach(actions, "top", "dock0")

    one, two = swinging(change), swinging(plain)
    for signal in ("hinge.phi", "hinge.w"):
        assert one[signal][-1] == pytest.approx(two[signal][-1], abs=1e-8)
    assert one["tip.r_abs"][-1] == pytest.approx(two["tip.r_abs"][-1], abs=1e-8)


def test_given_together_an_assembly_appears_and_is_attached_in_one_segment():
    def program(actions):
        ActionAdd(actions, "pool.m0.body", velocity=(0.5, 0.0, 0.0))
        ActionWait(actions, 0.2)
        with actions.together():
            ActionAdd(actions, "pool.m1.left", relative_to="pool.m0.right", rotation=DOWN)
            ActionAttach(actions, "pool.m1.left", "pool.m0.right")
            ActionRelease(actions, "pool.m0.right")
            ActionDelete(actions, "pool.m0.left")

    result = run(program, 0.4, world=world(), pool=Pool(MODULE, size=2))
    assert dofs(result) == [0, 6, 6]
    last = result.segment(3)
    assert last["pool.m1.left.r_abs"][-1] == pytest.approx([0.5 + 0.5 * 0.4, 0.0, 0.0], abs=1e-9)
    assert last["pool.m1.body.v_abs"][0] == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)


def test_what_appears_takes_part_in_no_impact_of_its_change():
    """The frame to which it would be attached is moved by an impact: as two changes that is an impact of its own."""
    entries = {
        "world": world(),
        "wall": Object3D(parent="world", translation=(0.5, 0.0, 0.0), rotation=BACK, lockable=True),
        "ship": Object3D(parent="world", fixed_to_parent=False, feature=solid(), velocity=(1.0, 0.0, 0.0)),
        "bow": Object3D(parent="ship", translation=(0.5, 0.0, 0.0), rotation=TURNED, lockable=True),
        "stern": Object3D(parent="ship", translation=(-0.5, 0.0, 0.0), rotation=BACK, lockable=True),
        "pool": Pool(MODULE),
    }

    def at_once(actions):
        with actions.together():
            ActionAdd(actions, "pool.m0.right", attach_to="stern")
            ActionAttach(actions, "bow", "wall", on_contact="impulse")

    with pytest.raises(SimulationError, match=r"do not mate.*relative velocity 1000 mm/s"):
        run(at_once, 0.2, **entries)

    def one_by_one(actions):
        ActionAdd(actions, "pool.m0.right", attach_to="stern")
        ActionAttach(actions, "bow", "wall", on_contact="impulse")

    result = run(one_by_one, 0.2, **entries)
    assert dofs(result) == [6, 6, 0]
    assert result.segments[2].info["impulse_from_outside"] == pytest.approx([-4.0, 0.0, 0.0], abs=1e-12)


def test_what_is_refused():
    def apart(actions):
        ActionAttach(actions, "bow", "wall", on_contact="impulse")

    with pytest.raises(SimulationError, match=r"bow and wall do not mate; found distance of the origins 100 mm"):
        run(
            apart,
            world=world(),
            wall=Object3D(parent="world", translation=(0.6, 0.0, 0.0), rotation=BACK, lockable=True),
            ship=Object3D(parent="world", fixed_to_parent=False, feature=solid(), velocity=(1.0, 0.0, 0.0)),
            bow=Object3D(parent="ship", translation=(0.5, 0.0, 0.0), rotation=TURNED, lockable=True),
        )

    def unparked(actions):
        ActionAdd(actions, "body")

    with pytest.raises(SimulationError, match=r"the assembly is in the scene already; found the assembly body in the scene"):
        run(unparked, world=world(), body=Object3D(feature=solid()))

    def both(actions):
        ActionAdd(actions, "pool.m0.left", attach_to="dock", translation=(1.0, 0.0, 0.0))

    with pytest.raises(ModelError, match=r"ActionAdd has both attach_to and a placement; found attach_to, and translation"):
        run(both, world=world(), pool=Pool(MODULE), dock=DOCK)

    def occupied(actions):
        ActionAdd(actions, "pool.m0.left", attach_to="dock")
        ActionAdd(actions, "pool.m1.left", attach_to="dock")

    with pytest.raises(SimulationError, match=r"dock: .*attached already"):
        run(occupied, world=world(), pool=Pool(MODULE, size=2), dock=DOCK)

    def parked(actions):
        ActionAttach(actions, "pool.m0.left", "dock")

    with pytest.raises(SimulationError, match=r"not in the scene.*ActionAdd lets it appear"):
        run(parked, world=world(), pool=Pool(MODULE), dock=DOCK)
    with pytest.raises(ModelError, match="nothing in the template of the Pool is parked"):
        Pool(Model(body=Object3D(feature=solid())))
    with pytest.raises(ModelError, match="size of Pool is wrong; found 0"):
        Pool(MODULE, size=0)
    with pytest.raises(ModelError, match=r"fixed: .*connect to the world cannot be parked"):
        run(parked, world=world(), pool=Pool(MODULE), dock=DOCK, fixed=Object3D(parent="world", parked=True))


@pytest.mark.parametrize("turn", [0.0, math.pi / 2])
def test_what_appears_begins_with_suitable_cardan_sequences(turn):
    """Joints and roots alike: no change of angles follows at once, and the angles describe what was declared."""
    result = run(
        lambda actions: ActionAdd(actions, "base", rotation=(0.0, turn, 0.0), angular_velocity=(0.0, 0.0, 0.1)),
        world=world(),
        base=Object3D(feature=solid(), parked=True, parent="world", fixed_to_parent=False, orientation="auto"),
        link=Object3D(feature=solid(1.0)),
        ball=Spherical("base", "link", rotation=(0.0, turn, 0.0), orientation="auto"),
    )
    assert dofs(result) == [0, 9]
    after = result.segment(2)
    R = rotation_matrix((0.0, turn, 0.0))
    assert after["base.R_abs"][0] == pytest.approx(R, abs=1e-12)
    assert after["link.R_abs"][0] == pytest.approx(R @ R, abs=1e-12)
    turned = rotation_matrix((0.0, 0.0, 0.1))  # about principal axes of both, so that they turn on
    assert after["base.R_abs"][-1] == pytest.approx(turned @ R, abs=1e-8)
    assert after["link.R_abs"][-1] == pytest.approx(turned @ R @ R, abs=1e-8)


def test_what_appears_moves_as_an_object_that_is_declared_so():
    """The same placement relative to a body that turns, at the start and while the simulation runs."""
    motion = {
        "translation": (0.3, 1.0, -0.2),
        "rotation": (0.4, -0.7, 1.1),
        "velocity": (0.1, 0.5, 0.2),
        "angular_velocity": (0.3, -0.2, 0.6),
    }
    result = run(
        lambda actions: ActionAdd(actions, "two", relative_to="carrier", **motion),
        world=world(),
        carrier=Object3D(
            parent="world", fixed_to_parent=False, feature=solid(), rotation=(0.5, 0.2, 0.1), angular_velocity=(0.0, 0.0, 2.0)
        ),
        one=Object3D(parent="carrier", fixed_to_parent=False, feature=solid(), **motion),
        two=Object3D(feature=solid(), parked=True),
    )
    after = result.segment(2)
    for quantity in ("r_abs", "R_abs", "v_abs", "w_abs"):
        assert after[f"two.{quantity}"][0] == pytest.approx(after[f"one.{quantity}"][0], abs=1e-12)


def test_two_that_appear_at_once_both_begin_anew():
    """Deleted and added in one change: their joints are where they were declared, whichever comes first."""

    def program(actions):
        ActionWait(actions, 0.5)
        with actions.together():
            for name in ("left", "right"):
                ActionDelete(actions, f"{name}.base")
                ActionAdd(actions, f"{name}.base", translation=(1.0, 0.0, 0.0))

    swing = Model(
        base=Object3D(feature=solid(), parent="world", fixed_to_parent=False),
        link=Object3D(feature=solid(1.0)),
        hinge=Revolute("base", "link", "x", phi=0.2, w=0.7),
    )
    result = run(program, world=world(), left=swing, right=swing)
    assert dofs(result) == [14, 14]
    for name in ("left", "right"):
        assert result.segment(1)[f"{name}.hinge.phi"][-1] > 0.4
        assert result.segment(2)[f"{name}.hinge.phi"][0] == 0.2
        assert result.segment(2)[f"{name}.hinge.w"][0] == 0.7
        assert result.segment(2)[f"{name}.base.r_abs"][0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
