"""Mechanisms with held torques: limits, contacts, programs and loops between samples, beside the segment loop without it."""

from typing import Any

import numpy as np
import pytest

from modia3d import (
    ActionLock,
    ActionUnlock,
    Model3D,
    ModelActions,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
    WaitUntil,
)
from modiapy import ModelError, SimulationError, SimulationModel, Var, instantiate
from modiapy.library.rotational import Torque
from tests.modia3d import scenes

pytestmark = pytest.mark.white_box

OTHER = "scipy"
"""A solver with which nothing goes on between samples but the segment loop."""


def arm(**more: Any) -> SimulationModel:
    """A rod on a hinge with a torque as input."""
    return instantiate(
        Model3D(
            world=scenes.world(UniformGravity(n="-z")),
            rod=scenes.body(2.0, (0.1, 0.2, 0.25), (0.5, 0.0, 0.0)),
            **{"hinge": RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0)), **more},
            drive=Torque,
            tau=Var(input=True, unit="N.m"),
            connect=[("drive.flange", "hinge.flange"), ("tau", "drive.tau")],
        ),
        "arm",
    )


def four_bar() -> SimulationModel:
    """A four bar linkage with a torque at its crank as input."""
    bars: dict[str, Any] = {"world": Object3D(feature=Scene(gravity=UniformGravity(n="-z")))}
    for name, length in (("crank", 0.2), ("coupler", 0.5), ("rocker", 0.4)):
        bars[name] = scenes.body(length, (1e-3, 0.02 * length, 0.02 * length), (0.5 * length, 0.0, 0.0))
        bars[f"{name}_end"] = Object3D(parent=name, translation=(length, 0.0, 0.0))
    bars["ground"] = Object3D(parent="world", translation=(0.5, 0.0, 0.0))
    return instantiate(
        Model3D(
            **bars,
            a=RevoluteWithFlange("world", "crank", "y", phi=Var(init=-1.2)),
            b=Revolute("crank_end", "coupler", "y"),
            c=Revolute("coupler_end", "rocker_end", "y"),
            d=Revolute("ground", "rocker", "y"),
            drive=Torque,
            tau=Var(input=True),
            connect=[("drive.flange", "a.flange"), ("tau", "drive.tau")],
        ),
        "four_bar",
    )


def motion(sim: SimulationModel, torques: Any, dt: float, names: Any, **options: Any) -> tuple[np.ndarray, Any]:
    rows = []
    with sim.stepper(100.0, tolerance=1e-8, **options) as stepper:
        for torque in torques:
            stepper.inputs["tau"] = float(torque)
            stepper.step(dt)
            rows.append([float(stepper[name]) for name in names])
    return np.array(rows), stepper.result


def test_a_joint_stops_at_its_limit_and_is_pulled_off_by_a_sample() -> None:
    sim = arm(hinge=RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), limits=(-1.0, 0.3)))
    torques = [-4.0] * 30 + [-30.0 + k for k in range(20)] + [10.0] * 30
    ours, result = motion(sim, torques, 0.02, ("hinge.phi", "hinge.w"))
    other, slow = motion(sim, torques, 0.02, ("hinge.phi", "hinge.w"), solver=OTHER)
    assert ours == pytest.approx(other, abs=1e-5)
    causes = [segment.cause.partition(";")[0] for segment in result.segments]
    assert causes == [segment.cause.partition(";")[0] for segment in slow.segments]
    assert any("leaves" in cause for cause in causes)
    assert [s.start for s in result.segments] == pytest.approx([s.start for s in slow.segments], abs=1e-7)


def test_a_program_waits_for_an_input() -> None:
    """What the agent sets is seen at the sample; what the motion brings about is located between samples."""

    def program(actions: Any) -> None:
        yield WaitUntil("tau > 5")
        yield ActionLock(actions, "hinge", on_contact="impulse")
        yield WaitUntil("tau < -5")
        yield ActionUnlock(actions, "hinge")
        yield WaitUntil("hinge.phi < -0.2")
        yield ActionLock(actions, "hinge", on_contact="impulse")

    hinge = RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), lockable=True)
    sim = arm(actions=ModelActions(program), hinge=hinge)
    torques = [1.0 + 0.01 * k for k in range(20)] + [6.0] * 10 + [-6.0 - 0.5 * k for k in range(70)]
    ours, result = motion(sim, torques, 0.01, ("hinge.phi", "hinge.w"))
    other, slow = motion(sim, torques, 0.01, ("hinge.phi", "hinge.w"), solver=OTHER)
    assert ours == pytest.approx(other, abs=1e-5)
    starts = [segment.start for segment in result.segments]
    assert starts == pytest.approx([segment.start for segment in slow.segments], abs=1e-6)
    assert starts[1:3] == pytest.approx([0.2, 0.3], abs=1e-12)
    assert len(starts) == 4
    assert result["hinge.phi"][-1] == pytest.approx(-0.2, abs=1e-7)


def test_a_condition_that_holds_only_at_a_sample_is_seen() -> None:
    """The rod is balanced; the torque that the program waits for makes it too fast within a step."""

    def program(actions: Any) -> None:
        yield WaitUntil("tau > 5 and hinge.w < 0.05")
        yield ActionLock(actions, "hinge", on_contact="impulse")

    hinge = RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), lockable=True)
    sim = arm(actions=ModelActions(program), hinge=hinge)
    torques = [-9.81] * 20 + [20.0] * 10  # 2 kg at 0.5 m
    for solver in ("cvode", OTHER):
        ours, result = motion(sim, torques, 0.01, ("hinge.phi", "hinge.w"), solver=solver)
        assert [segment.start for segment in result.segments] == pytest.approx([0.0, 0.2], abs=1e-12)
        assert ours == pytest.approx(0.0, abs=1e-9)


def test_a_closed_loop_stays_closed() -> None:
    """A four bar linkage with a held torque: its cut stays closed over many samples, and it moves as it should."""
    sim = four_bar()
    torques = 0.5 * np.sin(0.05 * np.arange(400))
    names = ("a.phi", "a.w")
    ours, result = motion(sim, torques, 0.005, names)
    other, _ = motion(sim, torques, 0.005, names, solver=OTHER)
    assert ours == pytest.approx(other, abs=1e-4)
    gap = result["coupler_end.r_abs"] - result["rocker_end.r_abs"]
    assert np.abs(gap).max() < 1e-7


def test_a_contact_between_samples() -> None:
    """An arm strikes a falling ball elastically: the segment loop without samples finds the same motion."""
    ball = Solid(Sphere(0.2), solid_material="DryWood", collision=True)
    sim = arm(
        tip=Object3D(parent="rod", translation=(1.0, 0.0, 0.0), feature=ball),
        ball=Object3D(
            parent="world", translation=(0.9, 0.0, -0.6), velocity=(0.0, 0.0, 2.5), fixed_to_parent=False, feature=ball
        ),
    )
    torques = 2.0 * np.cos(0.3 * np.arange(60))
    ours, result = motion(sim, torques, 0.01, ("hinge.phi", "ball.r_abs[2]"))
    other, slow = motion(sim, torques, 0.01, ("hinge.phi", "ball.r_abs[2]"), solver=OTHER)
    assert len(result.contacts) == len(slow.contacts) > 0
    assert ours == pytest.approx(other, abs=1e-4)
    times = [name for name, value in result.contacts[0].items() if isinstance(value, float)]
    assert [result.contacts[0][name] for name in times] == pytest.approx([slow.contacts[0][name] for name in times], rel=1e-3)


def test_states_of_a_closed_loop_follow_those_that_are_set() -> None:
    sim, names = four_bar(), ("b.phi", "c.phi", "d.phi")
    with sim.stepper(10.0) as stepper:
        stepper.step(0.01)
        for phi in (-1.1, -0.6, -0.4):
            stepper.set_state({"a.phi": phi, "a.w": 0.5})
            assert stepper["a.phi"] == pytest.approx(phi, abs=1e-9)
            assert stepper["a.w"] == pytest.approx(0.5, abs=1e-9)
            assert stepper["coupler_end.r_abs"] == pytest.approx(stepper["rocker_end.r_abs"], abs=1e-9)
        before = [stepper[name] for name in names]
        with pytest.raises(ModelError, match="these states cannot be set"):
            stepper.set_state({"a.phi": -0.4, "b.phi": 3.0, "d.phi" if "d.phi" in sim.states else "c.phi": 3.0})
        assert [stepper[name] for name in names] == before
        stepper.step(0.1)


def test_a_joint_that_is_set_off_its_stop_falls() -> None:
    sim = arm(hinge=RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), limits=(-0.5, 0.5)))
    with sim.stepper(5.0, tolerance=1e-8) as stepper:
        stepper.step(1.0)
        assert (stepper["hinge.phi"], stepper["hinge.w"]) == pytest.approx((0.5, 0.0), abs=1e-9)
        stepper.set_state({"hinge.phi": 0.0})
        stepper.step(0.1)
        fallen = stepper["hinge.phi"]
        stepper.reset()
        stepper.step(0.1)
        assert fallen == pytest.approx(stepper["hinge.phi"], abs=1e-6)
        stepper.set_state({"hinge.phi": 0.5, "hinge.w": 0.0})
        stepper.step(0.1)
        assert stepper["hinge.phi"] == pytest.approx(0.5, abs=1e-9)
        with pytest.raises(SimulationError, match="outside of its limits"):
            stepper.set_state({"hinge.phi": 2.0})


def test_a_locked_joint_has_no_states_to_be_set() -> None:
    def program(actions: Any) -> None:
        yield ActionLock(actions, "hinge", on_contact="impulse")

    hinge = RevoluteWithFlange("world", "rod", "y", phi=Var(init=0.0), lockable=True)
    with arm(hinge=hinge, actions=ModelActions(program)).stepper(5.0) as stepper:
        stepper.step(0.1)
        with pytest.raises(ModelError, match="a locked joint has no states"):
            stepper.set_state({"hinge.w": 1.0})
        stepper.step(0.1)
        assert stepper["hinge.phi"] == 0.0
