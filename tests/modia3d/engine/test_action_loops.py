"""Loops that actions close and open while a simulation runs: a chain of seven joints whose free end grips a second dock."""

import numpy as np
import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    ActionWait,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    UniformGravity,
)
from modia3d.actions.changes import close_loops
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.scene.basics.rotations import axis_rotation, rotation_matrix
from modia3d.scene.frame import Frame
from modia3d.topology.build import build_graph
from modiapy import Map, Model, SimulationError, Var, instantiate
from modiapy.library.rotational import Fixed, Flange, SpringDamper
from tests.modia3d.scenes import body, energy
from tests.modia3d.topology import scenes

pytestmark = pytest.mark.white_box

AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0))
ANGLES = (0.3, -0.9, 0.4, 1.1, -0.5, 0.6, 0.7)
LENGTH = 0.5


def end_of_the_chain():
    """Pose of the frame ``hand`` at the start."""
    R, p = np.eye(3), np.zeros(3)
    for axis, angle in zip(AXES, ANGLES, strict=True):
        R = R @ axis_rotation(axis, angle)
        p = p + R @ (0.0, 0.0, LENGTH)
    return R, p


def chain(program, speeds=(0.0,) * 7, gravity=True, flanges=(), offset=(0.0, 0.0, 0.0), **more):
    """The chain from the world to its hand, which mates with ``dock``; joints with ``flanges`` have springs behind them."""
    R, p = end_of_the_chain()
    dock = R @ rotation_matrix((np.pi, 0.0, 0.0))
    field = UniformGravity(9.81, "-z") if gravity else NoGravity()
    entries = {
        "world": Object3D(feature=Scene(gravity=field)),
        "dock": Object3D(parent="world", translation=tuple(p + offset), rotation=dock.tolist(), lockable=True),
        "foot": Object3D(parent="world"),
        "connect": [],
    }
    for k, (axis, angle, speed) in enumerate(zip(AXES, ANGLES, speeds, strict=True), 1):
        before = f"tip{k - 1}" if k > 1 else "foot"
        entries |= {
            f"link{k}": body(1.0 + 0.1 * k, (0.05, 0.06, 0.02 + 0.01 * k), (0.01, 0.02, LENGTH / 2)),
            f"tip{k}": Object3D(parent=f"link{k}", translation=(0.0, 0.0, LENGTH)),
        }
        if k in flanges:
            entries[f"j{k}"] = RevoluteWithFlange(before, f"link{k}", axis, phi=Var(init=angle), w=Var(init=speed))
            entries |= {f"spring{k}": SpringDamper | Map(c=5.0, d=0.0, phi_rel0=0.0), f"ground{k}": Fixed | Map(phi0=0.0)}
            entries["connect"] += [(f"ground{k}.flange", f"spring{k}.flange_a"), (f"spring{k}.flange_b", f"j{k}.flange")]
        else:
            entries[f"j{k}"] = Revolute(before, f"link{k}", axis, phi=angle, w=speed)
    entries["hand"] = Object3D(parent="tip7", lockable=True)
    return Model3D(**entries, actions=ModelActions(program, **more))


def grip_and_open(actions):
    ActionAttach(actions, "hand", "dock")
    ActionWait(actions, 0.5)
    ActionRelease(actions, "hand")


def parts(result):
    """Slices of the points of all segments."""
    (last,) = np.nonzero(np.diff(result.time) == 0.0)
    return [slice(a, b) for a, b in zip([0, *(last + 1)], [*(last + 1), len(result.time)], strict=True)]


def test_a_chain_grips_a_second_dock_and_lets_it_go():
    """Seven degrees of freedom, one, seven; what it has of energy stays, nothing jumps, the hand does not leave the dock."""
    result = instantiate(chain(grip_and_open)).simulate(1.0, tolerance=1e-9, interval=0.005)
    assert [record.info["dof"] for record in result.segments] == [7, 1, 7]
    _, closed, opened = parts(result)
    _, p = end_of_the_chain()
    assert np.abs(result["hand.r_abs"][closed] - p).max() < 1e-9
    assert np.ptp(result["j3.phi"][closed]) > 0.05  # it moves in its null space
    for part in (closed, opened):
        assert np.ptp(energy(result)[part]) < 1e-5
    for k in range(1, 8):
        for name in (f"j{k}.phi", f"j{k}.w"):
            assert result[name][closed][-1] == pytest.approx(result[name][opened][0], abs=1e-7)


def kinetic(speeds):
    """Kinetic energy of the chain at the start."""
    return instantiate(chain(lambda actions: None, speeds, gravity=False)).simulate(0.0)["mechanics.kinetic_energy"][0]


@pytest.mark.parametrize("flanges", [(), (2, 5), (1, 2, 3, 4, 5, 6, 7)])
def test_an_impact_stops_the_hand_and_takes_the_least_energy(flanges):
    """Carnot: what is lost is the energy of the speeds that are lost, and the remaining motion is orthogonal to it."""
    speeds = (0.5, -0.3, 0.8, 0.2, -0.6, 0.4, 0.9)

    def grip(actions):
        ActionAttach(actions, "hand", "dock", on_contact="impulse")

    result = instantiate(chain(grip, speeds, gravity=False, flanges=flanges)).simulate(0.2, tolerance=1e-9)
    assert [record.info["dof"] for record in result.segments] == [7, 1]
    after = tuple(float(result[f"j{k}.w"][1]) for k in range(1, 8))
    before, rest, lost = (kinetic(v) for v in (speeds, after, np.subtract(speeds, after)))
    assert rest > 1e-4
    assert before == pytest.approx(rest + lost, rel=1e-6)
    assert result.segments[1].info["energy_lost"] == pytest.approx(lost, rel=1e-6)
    assert np.abs(result["hand.v_abs"][1:]).max() < 1e-9


@pytest.mark.parametrize("flanges", [(), (2, 5)])
def test_a_small_speed_is_taken_away_and_told(flanges):
    """Within the tolerance of mating nothing has to stop before; what changes is in the record."""
    speeds = (4e-4, 0.0, -3e-4, 2e-4, 0.0, 3e-4, -2e-4)

    def grip(actions):
        ActionAttach(actions, "hand", "dock")

    result = instantiate(chain(grip, speeds, gravity=False, flanges=flanges)).simulate(0.2, tolerance=1e-9)
    assert np.abs(result["hand.v_abs"][0]).max() > 1e-5
    assert np.abs(result["hand.v_abs"][1:]).max() < 1e-10
    after = tuple(float(result[f"j{k}.w"][1]) for k in range(1, 8))
    before, rest, lost = (kinetic(v) for v in (speeds, after, np.subtract(speeds, after)))
    assert before == pytest.approx(rest + lost, rel=1e-6)
    told = result.segments[1].info["speeds_changed"]
    for k in range(1, 8):
        assert told.get(f"j{k}", [0.0]) == pytest.approx([after[k - 1] - speeds[k - 1]], abs=1e-12)


def test_a_joint_that_is_locked_does_not_give_way_to_a_loop():
    """The others take the small speeds; the energy that is lost is that of the change, which is least (Carnot)."""
    speeds = (4e-4, 0.0, -3e-4, 2e-4, 0.0, 3e-4, -2e-4)

    def grip(actions):
        ActionLock(actions, "j2")
        ActionAttach(actions, "hand", "dock")

    model = chain(grip, speeds, gravity=False, flanges=(2, 5)) | Map(j2=Map(lockable=True))
    result = instantiate(model).simulate(0.1, tolerance=1e-9)
    closed = result.segment(result.segments[-1].index)
    told = closed.record.info["speeds_changed"]
    assert "j2" not in told
    assert told["j4"] != [0.0]
    after = tuple(float(closed[f"j{k}.w"][0]) for k in range(1, 8))
    assert after[1] == 0.0
    assert after == pytest.approx([w + told.get(f"j{k}", [0.0])[0] for k, w in enumerate(speeds, 1)], abs=1e-12)
    assert np.abs(closed["hand.v_abs"]).max() < 1e-10
    before, rest, lost = (kinetic(v) for v in (speeds, after, np.subtract(speeds, after)))
    assert before == pytest.approx(rest + lost, rel=1e-6)


def test_a_hand_that_does_not_mate_is_refused():
    with pytest.raises(SimulationError, match=r"do not mate.*distance of the origins 2 mm"):
        instantiate(chain(grip_and_open, offset=(0.002, 0.0, 0.0))).simulate(0.1)


def test_a_program_that_decides_while_it_runs_says_that_it_closes_loops():
    def decided():
        yield Attach("hand", "dock")

    with pytest.raises(SimulationError, match=r"would close a loop.*ModelActions\(program, closes_loops=True\)"):
        instantiate(chain(decided)).simulate(0.1)
    result = instantiate(chain(decided, closes_loops=True)).simulate(0.01)
    assert result.segments[-1].info["dof"] == 1


@pytest.mark.parametrize(("says", "closes"), [(None, True), (True, True), (False, False)])
def test_what_the_program_says_about_loops_holds_whatever_its_steps_do(says, closes):
    model = instantiate(chain(grip_and_open, closes_loops=says))
    if closes:
        assert model.simulate(0.01).segments[-1].info["dof"] == 1
    else:
        with pytest.raises(SimulationError, match=r"would close a loop.*ModelActions\(program, closes_loops=True\)"):
            model.simulate(0.01)


A, R, M = Attach, Release, ReleaseAndAttach


@pytest.mark.parametrize(
    ("steps", "closes"),
    [
        ([A("one.Zneg", "dock"), R("dock"), A("one.Zpos", "dock")], False),
        ([A("one.Zneg", "dock"), A("one.Zpos", "post")], True),
        ([A("one.Zneg", "dock"), M("one.Zpos", "post"), A("one.Zneg", "dock")], True),
        ([A("one.Zneg", "dock"), M("one.Zpos", "post"), M("one.Zneg", "dock")], False),
        ([A("one.Zneg", "dock"), R("one.Xpos"), A("two.Zpos", "one.Zpos")], False),  # one of them is refused
        ([(A("one.Zneg", "dock"), A("one.Zpos", "post"), R("dock"))], False),  # one change
        ([A("one.Zneg", "one.Zpos")], True),
    ],
)
def test_whether_a_program_closes_loops_is_found_from_its_steps(steps, closes):
    objects = {"world": scenes.world()} | scenes.box("one", (0, 0, 1)) | scenes.box("two", (0, 0, 2))
    objects |= {name: Frame(parent="world", lockable=True) for name in ("dock", "post")}
    changes = [step if isinstance(step, tuple) else (step,) for step in steps]
    assert close_loops(changes, build_graph(objects), "") is closes


@pytest.mark.parametrize("flanges", [(), (1, 2, 3, 4, 5, 6, 7)])
def test_brakes_in_a_closed_loop_stop_it_wherever_the_cut_is(flanges):
    """Each joint in turn, the one that is cut included: the loop loses all its energy, and no joint moves any more."""
    for name in ("j3", "j7"):

        def brake(actions, name=name):
            ActionAttach(actions, "hand", "dock", on_contact="impulse")
            ActionLock(actions, name, on_contact="impulse")
            ActionWait(actions, 0.1)
            ActionUnlock(actions, name)
            ActionRelease(actions, "hand")

        model = chain(brake, (0.5, -0.3, 0.8, 0.2, -0.6, 0.4, 0.9), gravity=False, flanges=flanges)
        for k in flanges:
            model[f"j{k}"] |= Map(lockable=True)
            model[f"spring{k}"] |= Map(c=0.0)
        result = instantiate(model).simulate(0.2, tolerance=1e-9)
        records = [record.info for record in result.segments]
        assert [record["dof"] for record in records] == [7, 1, 0, 1, 7]
        assert records[2]["energy_lost"] > 1e-3
        moving = result["mechanics.kinetic_energy"]
        assert moving[1] - records[2]["energy_lost"] == pytest.approx(0.0, abs=1e-9)
        assert np.abs(moving[2:]).max() < 1e-12


@pytest.mark.parametrize("stop", [0.3, 0.8])
def test_saved_in_a_closed_loop_and_after_it_the_future_is_the_same(tmp_path, stop):
    sim, file = instantiate(chain(grip_and_open)), tmp_path / "snapshot.npz"
    full = sim.simulate(1.0, tolerance=1e-8, interval=0.05)
    sim.simulate(stop, tolerance=1e-8, interval=0.05, save=file)
    assert sim.restore(file) <= stop
    rest = sim.simulate(1.0)
    n = rest.time.size
    for k in range(1, 8):
        for name in (f"j{k}.phi", f"j{k}.w"):
            np.testing.assert_array_equal(full[name][-n:], rest[name])
    assert [record.info["dof"] for record in rest.segments] == [1, 7][-len(rest.segments) :]


@pytest.mark.parametrize("driven", [False, True])
def test_a_mechanism_that_appears_closes_its_loop_by_its_own_joints(driven):
    """A four-bar on a plate, with guessed angles: the fixed crank keeps its own, and nothing else in the scene moves.

    So does a crank with a flange, whose angle the equations know.
    """
    motor = Revolute("plate", "crank", phi=0.7, fixed=True)
    if driven:
        motor = RevoluteWithFlange("plate", "crank", phi=Var(init=0.7))

    def appears(actions):
        ActionWait(actions, 0.1)
        ActionAdd(actions, "plate", translation=(1.0, 2.0, 0.0))

    rods = (("crank", 0.5), ("rod", 2.0), ("rocker", 1.5))
    made = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        plate=body(5.0, parked=True),
        far=Object3D(parent="plate", translation=(2.0, 0.0, 0.0)),
        **{name: body(1.0, center=(length / 2, 0, 0)) for name, length in rods},
        **{f"{name}_tip": Object3D(parent=name, translation=(length, 0, 0)) for name, length in rods},
        motor=motor,
        knee=Revolute("crank_tip", "rod"),
        pivot=Revolute("far", "rocker", phi=1.8),
        pin=Revolute("rod_tip", "rocker_tip"),
        other=Revolute("world", "arm", w=1.0),
        arm=body(1.0),
        actions=ModelActions(appears),
    )
    result = instantiate(made).simulate(0.2, tolerance=1e-9)
    assert [record.info["dof"] for record in result.segments] == [1, 8]
    here = result.time >= 0.1
    gap = np.abs(result["rod_tip.r_abs"] - result["rocker_tip.r_abs"])[here][1:]
    assert gap.max() < 1e-9
    assert result["motor.phi"][here][-1] == pytest.approx(0.7, abs=1e-9)
    assert set(result.segments[1].info["moved"]) == {"knee", "pivot"}
    assert result["other.w"] == pytest.approx(1.0, abs=1e-9)


def test_a_joint_whose_motion_is_prescribed_takes_no_part_when_a_loop_is_closed():
    """Equations move the second joint slowly; the others give way to it, before and after the hand grips."""

    def grip(actions):
        ActionAttach(actions, "hand", "dock")

    made = chain(grip, gravity=False)
    drive = Model(flange=Flange, equations=[f"flange.phi = {ANGLES[1]} + 3e-4*time"])
    made["j2"], made["drive"] = RevoluteWithFlange("tip1", "link2", AXES[1]), drive
    made["connect"] = [("drive.flange", "j2.flange")]
    result = instantiate(made).simulate(0.2, tolerance=1e-9)
    changed = result.segments[1].info["speeds_changed"]
    assert "j2" not in changed
    assert max(abs(speed) for (speed,) in changed.values()) > 1e-5
    assert result["j2.w"] == pytest.approx(3e-4, abs=1e-12)
    assert np.abs(result["hand.v_abs"][1:]).max() < 1e-9


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize(("first", "second"), [("knee", "motor"), ("motor", "knee"), ("knee", "pin")])
@pytest.mark.parametrize("flanges", [("knee",), ("motor", "knee", "pin")])
def test_a_loop_that_is_locked_already_is_locked_once_more(mode, first, second, flanges):
    """Four rods have one degree of freedom: the second brake has nothing to stop, and nothing moves until both are open."""

    def brakes(actions):
        ActionWait(actions, 0.1)
        ActionLock(actions, first, on_contact="impulse")
        ActionLock(actions, second, on_contact="impulse")
        ActionWait(actions, 0.1)
        ActionUnlock(actions, first)
        ActionWait(actions, 0.1)
        ActionUnlock(actions, second)

    rods = {"crank": 0.5, "rod": 2.0, "rocker": 1.5}
    joints = {
        "motor": ("world", "crank"),
        "knee": ("crank_tip", "rod"),
        "pivot": ("far", "rocker"),
        "pin": ("rod_tip", "rocker_tip"),
    }
    given = {"motor": (0.7, 2.0)}
    made = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-y"))),
        far=Object3D(parent="world", translation=(2.0, 0.0, 0.0)),
        **{name: body(1.0, center=(length / 2, 0, 0)) for name, length in rods.items()},
        **{f"{name}_tip": Object3D(parent=name, translation=(length, 0, 0)) for name, length in rods.items()},
        actions=ModelActions(brakes),
    )
    for name, ends in joints.items():
        phi, w = given.get(name, (0.0, 0.0))
        if name in flanges:
            start = {"phi": Var(init=phi), "w": Var(init=w)} if name in given else {}
            made[name] = RevoluteWithFlange(*ends, lockable=True, **start)
        else:
            made[name] = Revolute(*ends, phi=phi, w=w, fixed=name in given)
    made["pivot"] = Revolute("far", "rocker", phi=1.8)
    result = instantiate(made).simulate(0.4, tolerance=1e-6, interval=0.01, mode=mode)
    assert [record.info["dof"] for record in result.segments] == [1, 0, 0, 0, 1]
    assert result.segments[2].info.get("energy_lost", 0.0) == pytest.approx(0.0, abs=1e-12)
    still = (result.time > 0.1) & (result.time < 0.3)
    assert np.ptp(result["rod_tip.r_abs"][still], axis=0) == pytest.approx(np.zeros(3), abs=1e-9)
    assert np.ptp(result["rod_tip.r_abs"][result.time > 0.3], axis=0).max() > 1e-3
    assert np.abs(result["mechanics.constraint_residual"]).max() < 1e-9


@pytest.mark.parametrize("flanges", [(), (1, 4), (1, 2, 3, 4, 5, 6, 7)])
def test_about_its_axis_a_joint_of_a_spatial_loop_bears_what_its_drive_exerts(flanges):
    """Whatever closes the loop: a joint without drive, or a body between two with drives, which is cut in two."""
    R, p = end_of_the_chain()
    rest = Object3D(parent="world", translation=tuple(p), rotation=R.tolist())
    kind = RevoluteWithFlange if len(flanges) == len(AXES) else Revolute
    last = (1.0, 2.0, -1.0)
    made = chain(lambda actions: None, flanges=flanges) | Model3D(rest=rest, j8=kind("rest", "hand", last))
    result = instantiate(made).simulate(0.4, tolerance=1e-9)
    assert result.segments[0].info["dof"] == 2
    for k, axis in enumerate((*AXES, last), 1):
        e = np.array(axis) / np.linalg.norm(axis)
        assert (result[f"j{k}.cut_torque_unique"] == 1.0).all()
        torque, drive = result[f"j{k}.cut_torque"], f"j{k}.flange.tau"
        expected = result[drive] if drive in result else np.zeros(len(result.time))
        assert torque @ e == pytest.approx(expected, abs=1e-7 * np.abs(torque).max()), k
    w = result["link4.w_abs"]
    assert np.abs(w).max() > 0.5
