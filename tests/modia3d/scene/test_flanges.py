"""Joints with several flanges against those without, under the same forces; power balance; motion that is prescribed."""

import math

import numpy as np
import pytest

from modia3d import (
    Box,
    Cylindrical,
    CylindricalWithFlanges,
    MassProperties,
    Model3D,
    Object3D,
    Planar,
    PlanarWithFlanges,
    Revolute,
    Scene,
    Solid,
    UniformGravity,
    Universal,
    UniversalWithFlanges,
)
from modia3d.files.reader import read_scenario
from modia3d.files.writer import scenario_text
from modiapy import Map, Model, Var, instantiate
from modiapy.library import blocks, rotational, translational
from modiapy.model.errors import ModelError

BODY = Solid(mass_properties=MassProperties(mass=2.0, Ixx=0.3, Iyy=0.2, Izz=0.4, center_of_mass=(0.2, 0.1, -0.1)))
AXIS = (1.0, 2.0, 2.0)
STARTS = {
    "cylindrical": {"s": 0.2, "phi": 0.3, "v": -0.4, "w": 1.5},
    "universal": {"phi_a": 0.2, "phi_b": 0.3, "w_a": -0.4, "w_b": 1.5},
    "planar": {"s_x": 0.2, "s_y": 0.1, "phi": 0.3, "v_x": -0.4, "v_y": 0.7, "w": 1.5},
}
WITHOUT = {
    "cylindrical": Cylindrical("arm", "body", AXIS, **STARTS["cylindrical"]),
    "universal": Universal("arm", "body", "y", "z", **STARTS["universal"]),
    "planar": Planar("arm", "body", AXIS, "x", **STARTS["planar"]),
}
WITH = {
    "cylindrical": CylindricalWithFlanges("arm", "body", AXIS, **STARTS["cylindrical"]),
    "universal": UniversalWithFlanges("arm", "body", "y", "z", **STARTS["universal"]),
    "planar": PlanarWithFlanges("arm", "body", AXIS, "x", **STARTS["planar"]),
}


def scene(**entries):
    """A joint on an arm that turns itself."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(n=(0, 0, -1)))),
        arm=Object3D(feature=Solid(Box(0.5, 0.1, 0.1), "Aluminium")),
        hinge=Revolute("world", "arm", "x", w=0.5),
        body=Object3D(feature=BODY),
        **entries,
    )


def left_open(kind):
    """Flanges on which nothing acts."""
    return scene(joint=WITH[kind])


@pytest.mark.parametrize("kind", WITH)
def test_with_free_flanges_a_joint_moves_as_without(kind):
    one = instantiate(left_open(kind)).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(scene(joint=WITHOUT[kind])).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert one["body.r_abs"] == pytest.approx(other["body.r_abs"], abs=1e-7)
    assert one["body.R_abs"] == pytest.approx(other["body.R_abs"], abs=1e-7)
    for name in STARTS[kind]:
        assert one[f"joint.{name}"] == pytest.approx(other[f"joint.{name}"], abs=1e-7)


def driven():
    """A cylindrical joint with a spring along its axis and a damper about it, and a torque that varies."""
    return scene(
        joint=WITH["cylindrical"],
        spring=translational.Spring | Map(c=40.0, s_rel0=0.1),
        wall=translational.Fixed,
        damper=rotational.Damper | Map(d=0.3),
        ground=rotational.Fixed,
        motor=rotational.Torque,
        wave=blocks.Sine | Map(amplitude=2.0, f=1.0),
        connect=[
            ("wall.flange", "spring.flange_a"), ("spring.flange_b", "joint.flange_s"),
            ("ground.flange", "damper.flange_a"), ("damper.flange_b", "joint.flange_phi"),
            ("wave.y", "motor.tau"), ("motor.flange", "joint.flange_phi"),
        ],
    )  # fmt: skip


def loaded():
    """The same joint as the engine's, with the same forces along and about its axis between its bodies."""
    from modia3d import Force, RelativeSensor, Torque

    e = np.array(AXIS) / 3.0
    along = " + ".join(f"({float(x)!r})*sensor.r.{c}" for x, c in zip(e, "xyz", strict=True))
    about = " + ".join(f"({float(x)!r})*sensor.w.{c}" for x, c in zip(e, "xyz", strict=True))
    return scene(
        joint=WITHOUT["cylindrical"],
        sensor=RelativeSensor("arm", "body", quantities=("r", "w")),
        push=Force("arm", "body", "arm", tuple(f"({float(x)!r})*(-40*(s - 0.1))" for x in e)),
        turn=Torque("arm", "body", "arm", tuple(f"({float(x)!r})*(2*sin(2*pi*time) - 0.3*rate)" for x in e)),
        s=Var(along),
        rate=Var(about),
    )


def test_forces_at_both_flanges_move_it_as_the_same_forces_between_its_bodies():
    one = instantiate(driven()).simulate(1.0, interval=0.05, tolerance=1e-10)
    other = instantiate(loaded()).simulate(1.0, interval=0.05, tolerance=1e-10)
    assert np.ptp(one["joint.s"]) > 0.1
    assert np.ptp(one["joint.phi"]) > 0.5
    for name in ("joint.s", "joint.phi", "joint.v", "joint.w", "hinge.phi"):
        assert one[name] == pytest.approx(other[name], abs=1e-6)


def test_what_both_flanges_feed_is_what_the_bodies_gain():
    result = instantiate(driven()).simulate(1.0, interval=1.0 / 4000, tolerance=1e-10)
    power = result["joint.flange_s.f"] * result["joint.v"] + result["joint.flange_phi.tau"] * result["joint.w"]
    assert result["mechanics.drive_power"] == pytest.approx(power, abs=1e-9)
    fed = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.time))])
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert energy - energy[0] == pytest.approx(fed, abs=1e-5)
    assert np.abs(result["joint.flange_s.f"] * result["joint.v"]).max() > 1.0
    assert np.abs(result["joint.flange_phi.tau"] * result["joint.w"]).max() > 0.5


def test_one_flange_may_be_prescribed_while_the_other_is_free():
    model = scene(
        joint=CylindricalWithFlanges("arm", "body", "x", s=Var(start=0.0), v=Var(start=0.0)),
        position=translational.Position,
        wave=blocks.Sine | Map(amplitude=0.1, f=1.0),
        connect=[("wave.y", "position.s_ref"), ("position.flange", "joint.flange_s")],
    )
    result = instantiate(model).simulate(1.0, interval=0.01, tolerance=1e-8)
    assert result["joint.s"] == pytest.approx(0.1 * np.sin(2 * math.pi * result.time), abs=1e-12)
    assert np.ptp(result["joint.phi"]) > 0.1


def test_a_limit_of_one_coordinate_holds():
    model = scene(joint=CylindricalWithFlanges("arm", "body", "x", v=1.0, limits={"s": (-1.0, 0.2)}))
    result = instantiate(model).simulate(0.5, interval=0.01)
    assert result["joint.s"].max() == pytest.approx(0.2, abs=1e-6)
    assert len(result.segments) > 1
    with pytest.raises(ModelError, match=r"limits of CylindricalWithFlanges.*'x'.*expected some of s, phi"):
        CylindricalWithFlanges("arm", "body", limits={"x": (0, 1)})


def test_names_of_its_own_parts_are_refused():
    with pytest.raises(ModelError, match=r"obj1 of CylindricalWithFlanges.*'revolute'"):
        CylindricalWithFlanges("revolute", "body")


def test_initial_values_are_expressions_of_the_model_where_the_joint_stands():
    part = Model(
        height=0.25,
        joint=CylindricalWithFlanges("arm", "body", "x", s="height", phi=Var(init="2*height")),
    )
    result = instantiate(scene(part=part)).simulate(0.01)
    assert result["part.joint.s"][0] == 0.25
    assert result["part.joint.phi"][0] == 0.5


TEXT = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  body: {Object3D: {feature: {Solid: {mass_properties: {MassProperties: {mass: 2, Ixx: 1, Iyy: 1, Izz: 0.5}}}}}}
  joint: {CylindricalWithFlanges: {obj1: world, obj2: body, axis: z, s: 0.1}}
  push: {translational.ConstantForce: {f_constant: 3.0}}
  turn: {rotational.ConstantTorque: {tau_constant: 2.0}}
  connect:
    - [push.flange, joint.flange_s]
    - [turn.flange, joint.flange_phi]
simulation: {stop_time: 1.0}
"""


def test_in_a_scenario_both_flanges_drive_it(tmp_path):
    file = tmp_path / "scene.yaml"
    file.write_text(TEXT)
    scenario = read_scenario(file)
    result = instantiate(scenario.model).simulate(1.0, tolerance=1e-9)
    t = result.time
    assert result["joint.s"] == pytest.approx(0.1 + 3.0 / 2.0 * t**2 / 2, abs=1e-8)
    assert result["joint.phi"] == pytest.approx(2.0 / 0.5 * t**2 / 2, abs=1e-8)
    file.write_text(scenario_text(scenario.model))
    assert "CylindricalWithFlanges" in file.read_text()
    assert read_scenario(file).model == scenario.model
