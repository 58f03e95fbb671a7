"""A Modelica drive moves a joint of a multibody system whose structure changes while the drive runs."""

from typing import Any

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    Box,
    EventAfterPeriod,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    PrismaticWithFlange,
    RevoluteWithFlange,
    Scene,
    Solid,
    UniformGravity,
)
from modiapy import Map, Model, Result, Var, instantiate
from modiapy.modelica.reader.component import LoadedModel

from .conftest import Loaded
from .servo import Written

pytestmark = pytest.mark.white_box

TOLERANCE = 1e-10


def _solid(mass: float) -> Any:
    return Solid(
        shape=Box(0.5, 0.1, 0.1), mass_properties=MassProperties(mass=mass, Ixx=0.01, Iyy=0.04 * mass, Izz=0.04 * mass)
    )


def _program(actions: Any) -> None:
    """The arm carries its cargo, lets it fly, is braked, goes on, and grips another one that waits."""
    EventAfterPeriod(actions, 0.5)
    ActionRelease(actions, "cargo_lock")
    EventAfterPeriod(actions, 0.3)
    ActionLock(actions, "joint", on_contact="impulse")
    EventAfterPeriod(actions, 0.2)
    ActionUnlock(actions, "joint")


def _begin(actions: Any) -> None:
    ActionAttach(actions, "cargo_lock", "hand")
    _program(actions)


def arm(drive: Model | LoadedModel, **more: Any) -> Model:
    """An arm that turns about z, without gravity; a body at its end; ``work`` is what the drive has done to the joint."""
    entries: dict[str, Any] = {
        "world": Object3D(feature=Scene(gravity=NoGravity())),
        "link": Object3D(feature=_solid(3.0)),
        "axis": Object3D(parent="link", translation=(-0.25, 0.0, 0.0)),
        "hand": Object3D(parent="link", translation=(0.25, 0.0, 0.0), lockable=True),
        "cargo": Object3D(feature=_solid(2.0), translation=(0.75, 0.0, 0.0)),
        "cargo_lock": Object3D(parent="cargo", translation=(-0.25, 0.0, 0.0), rotation=(np.pi, 0.0, 0.0), lockable=True),
        "joint": RevoluteWithFlange(obj1="world", obj2="axis", axis="z", phi=Var(init=0.0), w=Var(init=0.0)),
        "drive": drive,
        "work": Var(init=0.0),
        "speed": Var("der(drive.flange.phi)"),
        "acceleration": Var("der(speed)"),
        "equations": ["drive.w_ref = 1.5 + sin(4*time)", "der(work) = -drive.flange.tau*speed"],
        "connect": [("drive.flange", "joint.flange")],
        "actions": ModelActions(_begin),
    }
    return Model3D(**(entries | more))


def run(model: Model, stop_time: float = 1.6) -> Result:
    return instantiate(model).simulate(stop_time, tolerance=TOLERANCE)


def test_it_does_what_the_drive_in_python_does_through_all_changes(drive: LoadedModel) -> None:
    ours, theirs = run(arm(Written)), run(arm(drive))
    assert [record.cause.partition(";")[0] for record in theirs.segments] == [
        "initialization",
        "ActionAttach cargo_lock -> hand",
        "ActionRelease cargo_lock",
        "ActionLock joint",
        "ActionUnlock joint",
    ]
    assert theirs.statistics["compilations_after_start"] == 0
    for k in range(1, 6):
        one, other = ours.segment(k), theirs.segment(k)
        assert other.time == pytest.approx(one.time)
        for name in ("joint.phi", "joint.w", "drive.rotor.w", "drive.controller.command", "drive.flange.tau"):
            scale = max(np.abs(one[name]).max(), 1.0)
            assert other[name] == pytest.approx(one[name], abs=2e-5 * scale), (k, name)
    carrying, free = theirs.segment(2), theirs.segment(3)
    assert np.ptp(carrying["joint.phi"]) > 0.3
    assert free["cargo.v_abs"][-1] == pytest.approx(carrying["cargo.v_abs"][-1], abs=1e-9)
    assert np.ptp(theirs.segment(4)["joint.phi"]) == 0.0
    assert np.ptp(theirs.segment(4)["drive.rotor.w"]) > 1.0  # the rotor works against the spring of its gear
    assert theirs.segment(5)["joint.w"].max() > 0.5


def test_what_the_drive_gives_is_the_energy_of_the_arm(drive: LoadedModel) -> None:
    result = run(arm(drive), 0.8)
    for k in (2, 3):
        segment = result.segment(k)
        energy = segment["mechanics.kinetic_energy"]
        assert energy - energy[0] == pytest.approx(segment["work"] - segment["work"][0], abs=1e-7)
        assert np.ptp(energy) > 0.1
    carrying = result.segment(2)
    inertia = 3.0 * (0.04 + 0.25**2) + 2.0 * (0.04 + 0.75**2)
    torque = -np.asarray(carrying["drive.flange.tau"])
    assert torque == pytest.approx(inertia * carrying["acceleration"], abs=1e-7)


def test_two_drives_of_one_class_on_two_joints(drive: LoadedModel) -> None:
    """Each moves a joint of its own, with its own gear; together they do what they do alone."""
    second: dict[str, Any] = {
        "link2": Object3D(feature=_solid(1.0)),
        "axis2": Object3D(parent="link2", translation=(-0.25, 0.0, 0.0)),
        "joint2": RevoluteWithFlange(obj1="world", obj2="axis2", axis="y", phi=Var(init=0.0), w=Var(init=0.0)),
        "drive2": drive | Map(ratio=40.0, rotor=Map(w=Var(init=8.0))),
        "equations": [
            "drive.w_ref = 1.5 + sin(4*time)",
            "drive2.w_ref = 0.5",
            "der(work) = -drive.flange.tau*speed",
        ],
        "connect": [("drive.flange", "joint.flange"), ("drive2.flange", "joint2.flange")],
    }
    both, alone = run(arm(drive, **second)), run(arm(drive))
    assert both["joint.phi"] == pytest.approx(alone["joint.phi"], abs=1e-5)
    assert both["drive2.rotor.w"][0] == 8.0
    assert both["joint2.w"][-1] == pytest.approx(0.5, abs=0.1)
    assert both["drive2.rotor.phi"] / 40.0 == pytest.approx(both["joint2.phi"], abs=0.01)


LIFT = """
package Lift
  connector Flange
    Real s(unit = "m");
    flow Real f(unit = "N");
  end Flange;
  model Drive "A position controller that pushes a slide"
    parameter Real k(unit = "N/m") = 2000;
    parameter Real d(unit = "N.s/m") = 400;
    parameter Real weight(unit = "N") = 0 "that it carries anyway";
    input Real s_ref(unit = "m");
    Flange flange;
    Real v(unit = "m/s") = der(flange.s);
  equation
    flange.f = -(k*(s_ref - flange.s) - d*v + weight);
  end Drive;
end Lift;
"""


def test_a_lift_sags_by_what_is_put_on_it(loaded: Loaded) -> None:
    def program(actions: Any) -> None:
        EventAfterPeriod(actions, 3.0)
        ActionRelease(actions, "foot")

    platform = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=10.0, n="-z"))),
        slide=Object3D(feature=_solid(4.0)),
        top=Object3D(parent="slide", lockable=True),
        load=Object3D(feature=_solid(6.0)),
        foot=Object3D(parent="load", rotation=(np.pi, 0.0, 0.0), lockable=True),
        rail=PrismaticWithFlange(obj1="world", obj2="slide", axis="z", s=Var(init=0.0), v=Var(init=0.0)),
        drive=loaded(LIFT, "Lift.Drive") | Map(weight="4*10.0"),
        equations=["drive.s_ref = 0.0"],
        connect=[("drive.flange", "rail.flange")],
        actions=ModelActions(lambda actions: (ActionAttach(actions, "foot", "top"), program(actions))),
    )
    result = run(platform, 6.0)
    loaded_segment = result.segment(2)
    assert loaded_segment["rail.s"][-1] == pytest.approx(-60.0 / 2000.0, abs=1e-5)
    assert result["rail.s"][-1] == pytest.approx(0.0, abs=1e-5)
    assert -result.segment(2)["drive.flange.f"][-1] == pytest.approx(100.0, abs=0.05)
