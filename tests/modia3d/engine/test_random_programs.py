"""Random programs in a simulation: what conservation laws and the contract say at every change, and after a restore.

One model is compiled; each example is another program for it. Mating tolerances are wide, so that an impact joins any two
frames wherever they are, while they move. What a change may not do is refused, and the program goes on.
"""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionRefused,
    MatingTolerance,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Pool,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Together,
)
from modia3d.actions.structural.add import Add
from modia3d.actions.structural.attach import Attach
from modia3d.actions.structural.delete import Delete
from modia3d.actions.structural.flip_chain import FlipChain
from modia3d.actions.structural.lock_joint import LockJoint
from modia3d.actions.structural.release import Release
from modia3d.actions.structural.release_and_attach import ReleaseAndAttach
from modia3d.actions.structural.unlock_joint import UnlockJoint
from modia3d.actions.values import Wait
from modia3d.topology.placement import Placement
from modiapy import Map, Model, Var, instantiate
from modiapy.library.rotational import Fixed, SpringDamper
from tests.modia3d.engine.moving_scene import solid
from tests.modia3d.scenes import value

pytestmark = pytest.mark.white_box

PERIOD = 0.05
SCRIPT: list[object] = []
REFUSED: list[str] = []


def ports(parent):
    return {
        "near": Object3D(parent=parent, translation=(-0.4, 0.0, 0.0), rotation=(0.0, -math.pi / 2, 0.0), lockable=True),
        "far": Object3D(parent=parent, translation=(0.4, 0.1, 0.0), rotation=(0.0, math.pi / 2, 0.0), lockable=True),
    }


def free(mass, position, velocity, angular_velocity, **more):
    return Object3D(
        parent="world", fixed_to_parent=False, translation=position, velocity=velocity,
        angular_velocity=angular_velocity, feature=solid(mass), **more,
    )  # fmt: skip


def arm(joint, drive=None, **more):
    driven = (
        {}
        if drive is None
        else {"drive": drive, "wall": Fixed, "connect": [("wall.flange", "drive.flange_a"), ("drive.flange_b", "hinge.flange")]}
    )
    return Model(
        upper=free(2.0, (0.0, 2.0, 0.0), (0.1, 0.0, 0.0), (0.0, 0.0, 0.3), **more),
        lower=Object3D(feature=solid(1.0)),
        base=Object3D(parent="upper", translation=(-0.4, 0.0, 0.0), rotation=(0.0, -math.pi / 2, 0.0), lockable=True),
        elbow=Object3D(parent="upper", translation=(0.4, 0.0, 0.0)),
        begin=Object3D(parent="lower", translation=(-0.4, 0.0, 0.0)),
        tip=Object3D(parent="lower", translation=(0.4, 0.0, 0.0), rotation=(0.0, math.pi / 2, 0.0), lockable=True),
        hinge=joint,
        **driven,
    )


def program():
    for action in SCRIPT:
        yield Wait(PERIOD)
        try:
            yield action
        except ActionRefused as error:
            REFUSED.append(str(error))


SPRING = SpringDamper | Map(c=3.0, d=0.2)
MODEL = Model3D(
    world=Object3D(feature=Scene(gravity=NoGravity(), mating=MatingTolerance(position=1e9, z_angle=4.0, symmetry=0))),
    dock=Object3D(parent="world", translation=(0.0, 0.0, 1.0), lockable=True),
    one=Model(body=free(1.0, (1.0, 0.0, 0.0), (0.2, 0.1, 0.0), (0.1, 0.5, 0.0)), **ports("body")),
    two=Model(body=free(3.0, (0.0, -1.0, 0.5), (0.0, 0.3, -0.1), (0.0, 0.0, 0.7)), **ports("body")),
    pool=Pool(Model(body=Object3D(feature=solid(2.0), parked=True), **ports("body")), size=1),
    servo=arm(RevoluteWithFlange("elbow", "begin", "y", phi=Var(init=0.4), lockable=True), SPRING),
    loose=arm(Revolute("elbow", "begin", "y", phi=-0.3, w=0.8)),
    actions=ModelActions(program),
)
PORTS = ["dock", "one.near", "one.far", "two.near", "two.far", "pool.m0.near", "pool.m0.far",
         "servo.base", "servo.tip", "loose.base", "loose.tip"]  # fmt: skip
BODIES = ["one.body", "two.body", "pool.m0.body", "servo.upper", "servo.lower", "loose.upper", "loose.lower"]
PASSIVE = ["loose.hinge.phi", "loose.hinge.w"]
EQUATIONS = ["servo.hinge.phi", "servo.hinge.w"]


@pytest.fixture(scope="module")
def simulation():
    return instantiate(MODEL)


PORT, JOINT = st.sampled_from(PORTS), st.sampled_from(["servo.hinge", "loose.hinge"])
CONTACT = st.sampled_from(["impulse", "impulse", "impulse", "refuse"])
SINGLE = st.one_of(
    st.builds(Attach, PORT, PORT, CONTACT),
    st.builds(Attach, PORT, PORT, st.just("impulse")),
    st.builds(Release, PORT),
    st.builds(ReleaseAndAttach, PORT, PORT, st.none() | PORT, CONTACT),
    st.builds(
        FlipChain, st.sampled_from(["servo.tip", "loose.tip", "servo.base", "loose.base"]), PORT, st.none(), st.just("impulse")
    ),
    st.builds(Delete, PORT, st.booleans()),
    st.builds(lambda port: Add("pool.m0.far", Placement(attach_to=port)), PORT),
    st.builds(lambda port: Add("servo.base", Placement(attach_to=port, turn=0.3)), PORT),
    st.just(Add("pool.m0.near", Placement("", (0.0, 0.0, 3.0), (0.0, 0.3, 0.0), (0.3, 0.0, 0.0)))),
    st.builds(LockJoint, JOINT, CONTACT),
    st.builds(UnlockJoint, JOINT),
)
BEGIN = st.sampled_from(
    [
        [],
        [Attach("servo.base", "dock", "impulse"), Attach("two.near", "servo.tip", "impulse")],
        [Attach("loose.base", "dock", "impulse"), Attach("one.near", "two.far", "impulse")],
        [
            Attach("one.near", "two.far", "impulse"),
            Attach("loose.tip", "two.near", "impulse"),
            LockJoint("servo.hinge", "impulse"),
        ],
        [Together((Attach("servo.base", "loose.tip", "impulse"), Attach("one.far", "servo.tip", "impulse")))],
        [LockJoint("servo.hinge", "impulse"), Delete("servo.tip", True)],
    ]
)
MORE = st.lists(SINGLE | st.builds(Together, st.tuples(SINGLE, SINGLE)), min_size=1, max_size=5)
ACTIONS = st.builds(lambda begin, more: [*begin, *more], BEGIN, MORE)


PATIENT = {"suppress_health_check": [HealthCheck.too_slow], "phases": (Phase.explicit, Phase.generate)}


def simulate(simulation, script, stop_time=None):
    SCRIPT[:], REFUSED[:] = script, []
    stop_time = PERIOD * (len(script) + 1) if stop_time is None else stop_time
    return simulation.simulate(stop_time, tolerance=1e-9, interval=PERIOD / 2)


@settings(max_examples=40, **PATIENT)
@given(ACTIONS)
def test_momentum_energy_and_motion_at_every_change(simulation, script):
    result = simulate(simulation, script)
    assert result.statistics["compilations_after_start"] == 0
    n = len(result.segments)
    assert n == 1 + len(script) - len(REFUSED)  # each change is one segment, and what is refused none
    for k in range(1, n):
        before, after, record = result.segment(k), result.segment(k + 1), result.segments[k]
        assert after.time[0] == before.time[-1]
        check_equations(before, after, record)
        if "ActionDelete" in record.cause or "ActionAdd" in record.cause:
            continue
        check_change(before, after, record)


def check_equations(before, after, record):
    assert after["servo.hinge.phi"][0] == before["servo.hinge.phi"][-1]
    if "energy_lost" not in record.info:
        assert after["servo.hinge.w"][0] == before["servo.hinge.w"][-1]


def check_change(before, after, record):
    impact = "energy_lost" in record.info
    for body in BODIES:
        there = np.isfinite(value(before, f"{body}.r_abs", -1)).all()
        assert np.isfinite(value(after, f"{body}.r_abs", 0)).all() == there
        for signal in ("r_abs", "R_abs", *(() if impact else ("v_abs", "w_abs"))):
            if there:
                name = f"{body}.{signal}"
                assert value(after, name, 0) == pytest.approx(value(before, name, -1), abs=1e-11), (record.cause, name)
    for name, key in (("momentum", "impulse_from_outside"), ("angular_momentum", "angular_impulse_from_outside")):
        jump = after[f"mechanics.{name}"][0] - before[f"mechanics.{name}"][-1]
        assert jump == pytest.approx(record.info.get(key, (0.0, 0.0, 0.0)), abs=1e-9), record.cause
    still = [
        body for body in BODIES if not value(after, f"{body}.v_abs", 0).any() and not value(after, f"{body}.w_abs", 0).any()
    ]
    if not still:  # nothing hangs on the world
        for key in ("impulse_from_outside", "angular_impulse_from_outside"):
            assert np.abs(record.info.get(key, 0.0)).max() < 1e-9, record.cause
    lost = before["mechanics.kinetic_energy"][-1] - after["mechanics.kinetic_energy"][0]
    assert lost == pytest.approx(record.info.get("energy_lost", 0.0), abs=1e-9), record.cause
    assert lost > -1e-9
    passive = [name for name in PASSIVE if not impact or name.endswith("phi")]
    if np.isfinite(value(before, "loose.upper.r_abs", -1)).all():
        for name in passive:
            assert value(after, name, 0) == value(before, name, -1), (record.cause, name)


@settings(max_examples=15, **PATIENT)
@given(ACTIONS, st.floats(0.1, 0.9))
def test_a_restored_simulation_has_the_same_future(simulation, tmp_path_factory, script, fraction):
    whole = simulate(simulation, script)
    stop = PERIOD * (len(script) + 1)
    file = tmp_path_factory.mktemp("saved") / "snapshot"
    simulate(simulation, script, fraction * stop)
    simulation.save(file)
    simulation.restore(file)
    rest = simulation.simulate(stop)
    assert rest.segments[-1].cause == whole.segments[-1].cause
    last, same = (r.segment(r.segments[-1].index) for r in (whole, rest))
    for name in [f"{body}.{signal}" for body in BODIES for signal in ("r_abs", "v_abs")] + EQUATIONS:
        one, two = value(last, name, -1), value(same, name, -1)
        assert one.tobytes() == two.tobytes(), name
    assert last.time[-1] == same.time[-1]
