"""Balls that roll, at the tolerances that users take: steps that are projected leave the norm of quaternions alone."""

import numpy as np
import pytest

from modia3d import Box, Model3D, Object3D, Solid, Sphere
from modiapy import instantiate
from tests.modia3d.engine.test_rigid_contacts import body, floor, free, world

pytestmark = pytest.mark.white_box

FLOORS = {
    "plane": floor(),
    "block": Object3D(
        parent="world",
        translation=(0.0, 0.0, -1.0),
        feature=Solid(Box(90.0, 90.0, 2.0), contact_material="Steel", collision=True),
    ),
}


@pytest.mark.parametrize("ground", list(FLOORS))
def test_a_ball_rolls_on_and_on(ground):
    ball = free(Sphere(0.2), (0.0, 0.0, 0.1), velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 10.0, 0.0))
    model = instantiate(Model3D(world=world(0.3, 0.4), floor=FLOORS[ground], ball=ball))
    for tolerance in (1e-4, 1e-5, 3e-6, 1e-6, 1e-8):
        result = model.simulate(10.0, tolerance=tolerance, interval=0.1)
        assert len(result.segments) <= 2
        t = result.time
        error = 30.0 * tolerance
        assert result["ball.r_abs"] == pytest.approx(np.stack([t, 0.0 * t, 0.0 * t + 0.1], axis=1), abs=error)
        up = result["ball.R_abs"][:, 0, :]  # the first row of a turn about y
        assert up == pytest.approx(np.stack([np.cos(10.0 * t), 0.0 * t, np.sin(10.0 * t)], axis=1), abs=200.0 * error)
        assert result.statistics["steps"] < 2000


@pytest.mark.parametrize("seed", range(4))
def test_a_ball_that_slides_and_spins_rolls_in_the_end(seed):
    """With J = 2/5 m r^2 the contact's angular momentum is kept: v ends at (5 v + 2 r w x n)/7, whatever its orientation."""
    rng = np.random.default_rng(seed)
    v, w, rotation = np.append(rng.uniform(-1.0, 1.0, 2), 0.0), rng.uniform(-10.0, 10.0, 3), rng.uniform(-2.0, 2.0, 3)
    ball = body(
        Sphere(0.2),
        2.0,
        0.4 * 2.0 * 0.01,
        parent="world",
        fixed_to_parent=False,
        translation=(0.0, 0.0, 0.1),
        velocity=tuple(v),
        angular_velocity=tuple(w),
        rotation=tuple(rotation),
    )
    result = instantiate(Model3D(world=world(0.3, 0.4), floor=floor(), ball=ball)).simulate(10.0, interval=0.1)
    rolling = (5.0 * v + 2.0 * 0.1 * np.array([w[1], -w[0], 0.0])) / 7.0
    assert result["ball.v_abs"][-1] == pytest.approx(rolling, abs=1e-4)
