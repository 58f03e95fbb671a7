"""Bodies without mass in closed loops: built where each joint of some tree moves an inertia, refused by name elsewhere."""

import numpy as np
import pytest

from modia3d import Object3D, Revolute, Spherical, Universal
from modiapy import ModelError, instantiate
from tests.modia3d.engine.test_closed_loops import closed

pytestmark = pytest.mark.white_box


def light(model, *bodies):
    """The model with bodies that have no mass."""
    for name in bodies:
        model[name] = Object3D()
    return model


@pytest.fixture(scope="module")
def alone():
    """The crank alone: of any number of equal rods in parallel each moves as one would."""
    model = closed(())
    for name in ("knee", "pin", "pivot", "coupler", "coupler_tip", "rocker", "rocker_tip", "far"):
        del model[name]
    return instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.01)


@pytest.mark.parametrize("flanges", [(), ("motor",), ("pivot",)])
def test_a_massless_coupler_makes_two_rods_move_as_one(flanges, alone):
    result = instantiate(light(closed(flanges), "coupler")).simulate(1.0, tolerance=1e-9, interval=0.01)
    assert result.segments[0].info["dof"] == 1
    assert np.ptp(alone["motor.phi"]) > 1.0
    for name in ("motor", "pivot"):
        assert result[f"{name}.phi"] == pytest.approx(alone["motor.phi"], abs=1e-7)
    assert result["mechanics.constraint_residual"].max() < 1e-9


def test_a_massless_rocker_and_coupler_follow_the_crank(alone):
    result = instantiate(light(closed(()), "coupler", "rocker")).simulate(1.0, tolerance=1e-9, interval=0.01)
    for name in ("motor", "pivot"):
        assert result[f"{name}.phi"] == pytest.approx(alone["motor.phi"], abs=1e-7)


def test_a_massless_rod_between_a_universal_and_a_spherical_joint(alone):
    """Its axes do not turn in the plane of the mechanism, so it moves as the coupler between hinges does."""
    model = light(closed(()), "coupler")
    model["motor"] = Revolute("world", "crank", "z", phi=1.0, w=1.0, fixed=True)
    model["knee"] = Universal("crank_tip", "coupler", "z", "y", phi_a=-1.0, w_a=-1.0)
    model["pin"] = Spherical("coupler_tip", "rocker_tip")
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.01)
    assert result["motor.phi"] == pytest.approx(alone["motor.phi"], abs=1e-7)


def test_a_massless_rod_that_may_turn_about_itself_is_refused():
    model = light(closed(()), "coupler")
    model["knee"], model["pin"] = Spherical("crank_tip", "coupler"), Spherical("coupler_tip", "rocker_tip")
    with pytest.raises(
        ModelError, match=r"a joint in constraints moves no mass; found none behind knee, pin.*SphericalSpherical"
    ):
        instantiate(model).simulate(0.1)


@pytest.mark.parametrize(
    ("flanges", "bodies", "named"), [(("motor", "pivot"), ("coupler",), "knee"), (("motor",), ("coupler", "rocker"), "pivot")]
)
def test_joints_with_flanges_that_leave_no_such_tree_are_refused_by_name(flanges, bodies, named):
    """They are in the tree whatever hangs on them, which leaves bodies without mass at its ends."""
    with pytest.raises(ModelError, match=f"{named}: the joint moves an assembly without mass"):
        instantiate(light(closed(flanges), *bodies)).simulate(0.1)
