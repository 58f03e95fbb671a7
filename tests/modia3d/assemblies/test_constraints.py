"""Constraint elements in simulations: the examples of the Modelica library, which compare each with the joint it is like."""

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    EventAfterPeriod,
    FreeMotion,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    PrismaticConstraint,
    Revolute,
    RevoluteConstraint,
    RodConstraint,
    Spherical,
    SphericalConstraint,
    SpringDamperPtP,
    UniformGravity,
    Universal,
    UniversalConstraint,
)
from modia3d.files import read_scenario
from modiapy import ModelError, instantiate

from ..scenes import assert_constant, body, energy, free, run, world

pytestmark = pytest.mark.white_box

PLACE = {"translation": (0.2, -0.3, 0.2), "rotation": (0.17, 0.96, 1.19)}
JOINTS = {
    "revolute": (Revolute("base", "part", "y"), RevoluteConstraint("base", "part", "y"), 1),
    "oblique revolute": (Revolute("base", "part", (1, 2, 3)), RevoluteConstraint("base", "part", (1, 2, 3)), 1),
    "universal": (Universal("base", "part", "z", "x"), UniversalConstraint("base", "part", "z", "x"), 2),
    "spherical": (Spherical("base", "part"), SphericalConstraint("base", "part"), 3),
    "prismatic": (Prismatic("base", "part", "x"), PrismaticConstraint("base", "part", x_locked=False), 1),
}


def sprung(*how, **fields):
    """A body at a turned frame, with a spring between a corner of it and the world, and how it is held."""
    return run(
        1.0,
        1e-9,
        20,
        world=world(UniformGravity(9.81, "-y")),
        base=Object3D(parent="world", **PLACE),
        part=body(1.0, (1.0, 0.9, 0.8), (0.2, 0.0, 0.0), **fields),
        corner=Object3D(parent="part", translation=(0.5, 0.15, 0.2)),
        wall=Object3D(parent="world", translation=(0.8, 0.0, 0.3)),
        spring=SpringDamperPtP("wall", "corner", stiffness=20.0),
        **{f"how{k}": one for k, one in enumerate(how)},
    )


@pytest.mark.parametrize("name", JOINTS)
def test_a_constraint_does_what_the_joint_does(name):
    joint, constraint, freedom = JOINTS[name]
    expected = sprung(joint)
    result = sprung(FreeMotion("base", "part"), constraint)
    assert result.segments[0].info["dof"] == expected.segments[0].info["dof"] == freedom
    for signal in ("corner.r_abs", "part.w_abs"):
        assert result[signal] == pytest.approx(expected[signal], abs=2e-6)
    force, torque = (result[f"how1.cut_{what}"] for what in ("force", "torque"))
    assert force == pytest.approx(expected["how0.cut_force"], abs=1e-4)
    assert torque == pytest.approx(expected["how0.cut_torque"], abs=1e-4)
    assert_constant(energy(result), 1e-6)


def test_a_released_direction_is_one_of_the_first_frame():
    """About an oblique axis, and free along z of the base."""
    held = RevoluteConstraint("base", "part", (1, 2, 3), z_locked=False)
    result = sprung(FreeMotion("base", "part"), held)
    assert result.segments[0].info["dof"] == 2
    assert_constant(energy(result), 1e-6)
    R = result["base.R_abs"][0].reshape(3, 3)
    seen = (result["part.r_abs"] - result["base.r_abs"]) @ R
    assert np.abs(seen[:, :2]).max() < 1e-9
    assert np.ptp(seen[:, 2]) > 0.01
    force = np.einsum("tij,tj->ti", result["part.R_abs"].reshape(-1, 3, 3), result["how1.cut_force"]) @ R
    assert np.abs(force[:, 2]).max() < 1e-9
    assert np.abs(force[:, 0]).max() > 1.0


def test_a_constraint_ends_where_a_body_is_deleted():
    """Two balls on a rod; the one flies on when the other is deleted."""

    def program(actions):
        EventAfterPeriod(actions, 0.5)
        ActionDelete(actions, "two")

    model = Model3D(
        world=world(),
        one=free(mass=1.0, velocity=(0.0, 1.0, 0.0)),
        two=free(mass=1.0, translation=(1.0, 0.0, 0.0), velocity=(0.0, -1.0, 0.0)),
        rod=RodConstraint("one", "two", 1.0),
        steps=ModelActions(program),
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.05)
    assert [segment.info["dof"] for segment in result.segments] == [11, 6]
    late = result["time"] > 0.55
    v = result["one.v_abs"][late]
    assert v == pytest.approx(np.tile(v[0], (len(v), 1)), abs=1e-9)
    assert np.linalg.norm(v[0]) == pytest.approx(1.0, abs=1e-6)


def test_frames_of_one_body_are_refused():
    with pytest.raises(ModelError, match="a constraint between two frames of one rigid body"):
        run(1.0, world=world(), a=body(), b=Object3D(parent="a"), rod=RodConstraint("a", "b"))


SCENARIO = """
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {UniformGravity: {g: 9.81, n: "-z"}}}}}}
  ball: {Object3D: {parent: world, fixed_to_parent: false, translation: [0.5, 0, 0], feature: {Solid: {
      shape: {Sphere: {diameter: 0.1}}, solid_material: Steel}}}}
  rod: {SphericalSpherical: {obj1: world, obj2: ball, rod_length: 0.5}}
  wheel: {RollingWheel: {obj1: world, radius: 0.3, m: 2.0, I_axis: 0.06, I_long: 0.12, x: 2.0, der_angles: [0, 5, 1]}}
simulation: {stop_time: 0.2}
"""


def test_scenarios_have_them_by_their_names(tmp_path):
    file = tmp_path / "rod.yaml"
    file.write_text(SCENARIO)
    result = instantiate(read_scenario(file).model).simulate(0.2, tolerance=1e-8)
    assert np.linalg.norm(result["ball.r_abs"], axis=1) == pytest.approx(0.5, abs=1e-9)
    assert result["wheel.frame_a.r_abs"][0] == pytest.approx((2.0, 0.0, 0.3))
