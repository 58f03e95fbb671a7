"""What a structural change does not touch: clocks, time events, limits, forces between frames that are there."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionDelete,
    ActionRelease,
    ActionWait,
    Box,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    Scene,
    Solid,
    SpringDamperPtP,
    UniformGravity,
)
from modiapy import Clock, Var, instantiate

DOWN = (math.pi, 0.0, 0.0)


def solid(mass=2.0):
    return Solid(shape=Box(0.1, 0.2, 0.3), mass_properties=MassProperties(mass, (0, 0, 0), 0.1, 0.2, 0.25, 0.0, 0.0, 0.0))


def run(program, stop_time=1.0, tolerance=1e-10, gravity=None, **entries):
    world = Object3D(feature=Scene(gravity=gravity or NoGravity()))
    model = Model3D(world=world, **entries, actions=ModelActions(program))
    return instantiate(model).simulate(stop_time, tolerance=tolerance, interval=stop_time / 50)


DOCKED = {
    "dock": Object3D(parent="world", rotation=DOWN, lockable=True),
    "body": Object3D(parent="world", fixed_to_parent=False, translation=(0.0, 0.0, -0.5), feature=solid()),
    "top": Object3D(parent="body", translation=(0.0, 0.0, 0.5), lockable=True),
}


def test_clocks_and_time_events_do_not_notice_a_change():
    """A sampled counter and a switch in time are the same with many changes, some at the very times of ticks, and with none."""

    def busy(actions):
        for _ in range(5):
            ActionAttach(actions, "top", "dock")
            ActionWait(actions, 0.1)
            ActionRelease(actions, "top")
            ActionWait(actions, 0.05)

    equations = ["n = previous(n) + sample(1, clock)", "ticks = hold(n)", "late = after(0.43)", "der(x) = 1 - x"]
    entries = {"clock": Clock(0.1), "n": Var(init=0.0), "ticks": Var(), "late": Var(), "x": Var(init=0.0), **DOCKED}
    entries["equations"] = equations
    changed, plain = run(busy, **entries), run(lambda actions: None, **entries)
    assert len(changed.segments) > len(plain.segments) + 8
    assert changed["ticks"][-1] == plain["ticks"][-1]
    for time in (0.05, 0.15, 0.42, 0.44, 0.95):
        for signal in ("ticks", "late"):
            one, two = (r[signal][np.searchsorted(r.time, time)] for r in (changed, plain))
            assert one == two, (signal, time)
    assert changed["x"][-1] == pytest.approx(1.0 - math.exp(-1.0), abs=1e-8)


def test_a_spring_acts_when_both_of_its_ends_are_there():
    def program(actions):
        ActionWait(actions, 0.2)
        ActionAdd(actions, "ball", translation=(2.0, 0.0, 0.0))
        ActionWait(actions, 0.2)
        ActionDelete(actions, "ball")

    result = run(
        program,
        0.6,
        body=Object3D(parent="world", fixed_to_parent=False, feature=solid()),
        ball=Object3D(feature=solid(), parked=True),
        spring=SpringDamperPtP("body", "ball", stiffness=10.0, nominal_length=1.0),
    )
    alone, pulled, left = (result.segment(k) for k in (1, 2, 3))
    assert np.all(alone["body.v_abs"] == 0.0)
    assert pulled["body.a_abs"][0] == pytest.approx([5.0, 0.0, 0.0], rel=1e-12)
    speed = 0.5 * math.sqrt(10.0) * math.sin(math.sqrt(10.0) * 0.2)
    assert pulled["body.v_abs"][-1][0] == pytest.approx(speed, rel=1e-7)
    assert np.ptp(left["body.v_abs"][:, 0]) < 1e-12
    assert pulled["mechanics.momentum"][-1] == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_joint_at_its_limit_stays_there_across_a_change():
    """A rod lies on its end stop; docking a body elsewhere neither lifts it nor lets it fall."""

    def program(actions):
        ActionWait(actions, 1.0)
        ActionAdd(actions, "top", attach_to="dock")
        ActionDelete(actions, "top")

    result = run(
        program,
        1.5,
        gravity=UniformGravity(n="-z"),
        rod=Object3D(feature=Solid(mass_properties=MassProperties(1.0, (0.5, 0, 0), 0.1, 0.2, 0.25, 0.0, 0.0, 0.0))),
        hinge=Revolute("world", "rod", "y", limits=(-0.3, 0.3)),
        **DOCKED | {"body": Object3D(feature=solid(), parked=True)},
    )
    stop = next(k for k, record in enumerate(result.segments, start=1) if "hinge stops at" in record.cause)
    assert not any("leaves" in record.cause for record in result.segments)
    held = [result.segment(k)["hinge.phi"] for k in range(stop, len(result.segments) + 1)]
    assert len(held) == 3
    assert np.ptp(np.concatenate(held)) == 0.0
    weight = result.segment(len(result.segments))["hinge.constraint_torque"]
    assert abs(weight[-1]) == pytest.approx(9.81 * 0.5 * math.cos(0.3), rel=1e-9)
