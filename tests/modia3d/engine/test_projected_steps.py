"""What the projection of a step takes part in: estimates of errors, and rows that restrict speeds alone."""

import numpy as np
import pytest

from benchmarks import loop_mechanisms as mechanisms
from benchmarks.loop_model import model
from modia3d import (
    Model3D,
    NoGravity,
    Object3D,
    Planar,
    Revolute,
    RodConstraint,
    RollingConstraint,
    Scene,
    WorldForce,
)
from modiapy import instantiate
from tests.modia3d.scenes import body

pytestmark = pytest.mark.white_box


def test_errors_that_the_projection_takes_away_make_no_steps_shorter():
    """Andrews' squeezer takes 183 steps; with errors as they are before the projection it would be 269."""
    mechanism = mechanisms.squeezer()
    result = instantiate(model(mechanism)).simulate(mechanism.stop_time, tolerance=1e-4, interval=mechanism.stop_time)
    assert result.statistics["steps"] < 225


def test_a_wheel_that_must_not_slip_does_not_keep_rods_from_being_closed():
    """A cart on a circle: two rods hold it, and its wheel must not slip across the track, which says the same of speeds."""
    length = float(np.hypot(1.8, 0.3))
    cart = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        floor=Object3D(parent="world", translation=(0.0, 0.0, -0.3)),
        cart=body(2.0, 0.1),
        wheel=body(1.0, (0.04, 0.02, 0.02)),
        front=Object3D(parent="cart", translation=(-0.2, 0.3, 0.0)),
        rear=Object3D(parent="cart", translation=(-0.2, -0.3, 0.0)),
        slide=Planar("world", "cart", "z", s_x=2.0, v_y=2.0, w=1.0),
        turn=Revolute("cart", "wheel", "x", w=-2.0 / 0.3),
        rolls=RollingConstraint("floor", "wheel", 0.3, axis="x", upright=True),
        first=RodConstraint("world", "front", length),
        second=RodConstraint("world", "rear", length),
        push=WorldForce("cart", force=(0.0, 3.0, 0.0)),
    )
    result = instantiate(cart).simulate(6.0, tolerance=1e-3, interval=0.05)
    info = result.segments[0].info
    assert (info["dof"], info["redundant"]) == (1, ["second (distance)"])
    assert result["mechanics.constraint_residual"].max() < 1e-12
    assert np.linalg.norm(result["cart.r_abs"], axis=1) == pytest.approx(2.0, abs=1e-12)
    assert np.ptp(result["slide.phi"]) > 2.0
