"""A snapshot at any time of a model with all that has a state: two engines and a rod, each with a structure of its own."""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionLock,
    ActionUnlock,
    ActionWait,
    Box,
    IfElse,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Parallel,
    Pool,
    Read,
    Repeat,
    Retry,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Set,
    Solid,
    Spherical,
    Together,
    Try,
    WaitUntil,
    addReferencePath,
    ptpJointSpace,
)
from modia3d.engine.engine_state import structure_data
from modia3d.engine.multibody_run import MultibodyRun
from modia3d.topology.structure import Structure
from modiapy import Map, Model, instantiate, read_result
from modiapy.library.heat_transfer import FixedTemperature
from modiapy.library.insulated_rod import InsulatedRod
from modiapy.library.rotational import Position, SpringDamper

pytestmark = pytest.mark.white_box

STOP, INTERVAL = 1.6, 0.05


def decides(actions):
    """Waits for conditions and times in parallel, repeats, retries what is refused, adds and deletes."""
    yield addReferencePath(actions, ["a"], [0.0], v_max=[2], a_max=[8], j_max=[80])
    yield WaitUntil("ball.r_abs[1] < -0.3", timeout=3.0)
    yield Read("mechanics.kinetic_energy")

    def mover():
        for target in (0.2, 0.0):
            yield ptpJointSpace(actions, [target])
            yield WaitUntil("ball.v_abs[1] < -8 or flags.go", timeout=0.2)

    def structural():
        yield Together(
            [
                ActionAdd(actions, "pool.m0.near", translation=(1, 1, 1), velocity=(0.1, 0, 0)),
                ActionLock(actions, "elbow", on_contact="impulse"),
            ]
        )
        yield Repeat([ActionWait(actions, 0.03), Read("time")], times=4)
        retried = Retry([ActionWait(actions, 0.01), ActionAttach(actions, "pool.m0.near", "port")], times=3, pause=0.07)
        yield Try([retried], [Set(failed=True)])
        yield ActionUnlock(actions, "elbow")
        yield ActionDelete(actions, "pool.m0.near")
        again = ActionAdd(actions, "pool.m0.near", translation=(2, 1, 1), angular_velocity=(0.3, 0.1, 2))
        yield IfElse("flags.failed > 0", [again])

    yield Parallel(mover, structural)
    yield WaitUntil("flags.never", timeout=100)


def moves(actions):
    """The program of the other engine: its own path."""
    yield addReferencePath(actions, ["a"], [0.0], v_max=[2], a_max=[8])
    for target in (0.2, 0.1):
        yield WaitUntil("shoulder.w > 0.3 or elbow.phi < -0.1", timeout=0.3)
        yield ptpJointSpace(actions, [target])


def solid(mass):
    properties = MassProperties(mass, (0.02, 0.01, -0.03), 0.1 * mass, 0.12 * mass, 0.15 * mass, 0.0, 0.01, 0.0)
    return Solid(shape=Box(0.3, 0.1, 0.2), mass_properties=properties)


def port(parent):
    return Object3D(parent=parent, translation=(0.4, 0, 0), rotation=(0, math.pi / 2, 0), lockable=True)


def engine(program):
    """A free body and a driven arm with limits, whose orientations are Cardan angles that change their sequence."""
    return Model3D(
        world=Object3D(feature=Scene()),
        ball=Object3D(
            parent="world", fixed_to_parent=False, angular_velocity=(1, 2, 3), orientation="auto", feature=solid(1.0)
        ),
        port=port("ball"),
        pool=Pool(Model(body=Object3D(feature=solid(2.0), parked=True, orientation="auto"), near=port("body")), size=1),
        upper=Object3D(feature=solid(1.0)),
        lower=Object3D(feature=solid(0.5)),
        last=Object3D(feature=solid(0.3)),
        middle=Object3D(parent="upper", translation=(0.4, 0, 0)),
        tip=Object3D(parent="lower", translation=(0.4, 0, 0)),
        shoulder=RevoluteWithFlange("world", "upper", "z"),
        elbow=Revolute("middle", "lower", "y", phi=0.2, w=0.4, limits=(-0.5, 0.5)),
        wrist=Spherical("tip", "last", angular_velocity=(0, 3, 1), orientation="auto"),
        position=Position,
        drive=SpringDamper | Map(c=500.0, d=5.0),
        actions=ModelActions(program),
        connect=[
            ("actions.a.position", "position.phi_ref"),
            ("position.flange", "drive.flange_a"),
            ("drive.flange_b", "shoulder.flange"),
        ],
    )


MODEL = Model(
    one=engine(decides),
    two=engine(moves),
    rod=InsulatedRod | Map(n=8, max_level=3, refine_above=4.0, length=0.2),
    hot=FixedTemperature | Map(T=360.0),
    cold=FixedTemperature | Map(T=290.0),
    connect=[("hot.port", "rod.port_a"), ("cold.port", "rod.port_b")],
)
SIGNALS = ("time", "one.ball.r_abs", "one.wrist.phi[0]", "one.actions.a.position", "one.pool.m0.body.r_abs", "two.elbow.phi")


TAKEN: list[tuple[Callable[[], dict[str, Any]], dict[str, Any]]] = []
"""What the engines gave as their state after each event, and what that was then."""


@pytest.fixture(scope="module")
def runs():
    """The translated model, and the uninterrupted results by mode."""
    simulation, snapshot = instantiate(MODEL), MultibodyRun.snapshot

    def watched(run):
        TAKEN.append((state := snapshot(run), copy.deepcopy(state())))
        return state

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MultibodyRun, "snapshot", watched)
        return simulation, {mode: simulation.simulate(STOP, interval=INTERVAL, mode=mode) for mode in ("ode", "dae")}


def test_a_state_that_is_written_later_is_that_when_it_was_taken(runs):
    """Whatever has happened since: a run that fails at an event leaves the state after the one before."""
    assert len(TAKEN) > 40
    for state, then in TAKEN:
        np.testing.assert_equal(state(), then)


def test_much_happens(runs):
    result = runs[1]["ode"]
    causes = " ".join(record.cause for record in result.segments)
    for part in ("ActionAdd", "ActionLock", "ActionDelete", "Cardan angles", "volumes", "limit phi", "J lost"):
        assert part in causes
    assert result.statistics["compilations_after_start"] == 0


@pytest.mark.parametrize("mode", ["ode", "dae"])
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stop=st.floats(1e-3, STOP))
def test_the_same_bits_at_any_time(runs, tmp_path, mode, stop):
    simulation, full = runs[0], runs[1][mode]
    simulation.simulate(stop, interval=INTERVAL, mode=mode, save=tmp_path / "snapshot.npz")
    simulation.restore(tmp_path / "snapshot.npz")
    rest = simulation.simulate(STOP)
    for name in SIGNALS:
        np.testing.assert_array_equal(full[name][-rest.time.size :], rest[name], err_msg=name)
    last = full.segments[-1].index
    np.testing.assert_array_equal(full.segment(last).x[-1], rest.segment(last).x[-1], strict=True)
    same = full.segments[rest.segments[0].index - 1 :]
    assert [(r.start, r.cause, r.steps) for r in same] == [(r.start, r.cause, r.steps) for r in rest.segments]
    assert full.program_log == rest.program_log


def test_frames_of_all_engines_are_in_the_file_also_without_the_model(runs, tmp_path):
    """In all segments: while something is parked, and while two bodies are locked."""
    simulation, full = runs[0], runs[1]["ode"]
    simulation.simulate(STOP, interval=INTERVAL, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5")
    frames = [f"{engine}.{frame}" for engine in ("one", "two") for frame in ("ball", "port", "tip", "last")]
    for name in [f"{frame}.{quantity}" for frame in (*frames, "one.pool.m0.near") for quantity in ("r_abs", "R_abs")]:
        np.testing.assert_allclose(opened[name], full[name], rtol=0.0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("feature", [{}, {"shape": Box(0.1, 0.1, 0.1)}])
@pytest.mark.parametrize("lockable", [False, True])
def test_the_file_has_what_is_seen_and_what_may_be_attached(lockable, feature, tmp_path):
    """Wherever that moves: a frame on a body, a frame of the world; nothing else is needed without the model."""
    solid = Solid(**feature, mass_properties=MassProperties(1.0, (0.0, 0.0, 0.0), 1.0, 1.0, 1.0))
    parts = {
        "world": Object3D(feature=Scene()),
        "stone": Object3D(parent="world", fixed_to_parent=False, feature=solid),
        "top": Object3D(parent="stone", translation=(0.1, 0.2, 0.3), lockable=lockable),
        "post": Object3D(parent="world", translation=(1.0, 0.0, 0.0), lockable=lockable),
    }
    full = instantiate(Model3D(**parts)).simulate(0.3, interval=0.1, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5")
    if lockable or feature:
        for name in ("stone.r_abs", "top.r_abs", "top.R_abs"):
            np.testing.assert_allclose(opened[name], full[name], rtol=0.0, atol=1e-12, err_msg=name)
    else:
        assert "top.r_abs" not in opened
    np.testing.assert_array_equal(opened["post.r_abs"], full["post.r_abs"])


def test_what_was_deleted_is_saved_in_order():
    """Not in that of a set, which is another one in each process."""
    names = [f"part{k}.body" for k in (3, 1, 4, 0, 5, 9, 2, 6)]
    assert structure_data(Structure(deleted=frozenset(names)))["deleted"] == sorted(names)


def test_each_engine_is_told_its_own_states_where_it_goes_on(runs, tmp_path, monkeypatch):
    simulation, told, begin = runs[0], [], MultibodyRun.init_segment
    simulation.simulate(0.7, interval=INTERVAL, save=tmp_path / "snapshot.npz")
    simulation.restore(tmp_path / "snapshot.npz")

    def watched(run, start):
        told.append(start.x.copy())
        return begin(run, start)

    monkeypatch.setattr(MultibodyRun, "init_segment", watched)
    rest = simulation.simulate(0.71)
    record, first = rest.segments[0], rest.segments[0].states_invariant
    states = rest.segment(record.index).x[0]
    for x in told[:2]:
        np.testing.assert_array_equal(x, states[first : first + x.size])
        first += x.size
