"""`GravitySensor`: what equations know of gravity where it is the same everywhere, and the refusal where it is not."""

import pytest

from modia3d import GravityPool, GravitySensor, Model3D, NoGravity, Object3D, PointGravity, Scene, UniformGravity, UserGravity
from modiapy import Model, ModelError, instantiate

from ..scenes import free

pytestmark = pytest.mark.white_box


def falling(gravity):
    world = Object3D(feature=Scene() if gravity is None else Scene(gravity=gravity))
    return Model(robot=Model3D(world=world, ball=free(), sensor=GravitySensor()))


@pytest.mark.parametrize(
    ("gravity", "g"),
    [
        (None, (0.0, -9.81, 0.0)),
        (NoGravity(), (0.0, 0.0, 0.0)),
        (UniformGravity(3.0, (0.0, 3.0, -4.0)), (0.0, 1.8, -2.4)),
    ],
)
def test_gravity_is_the_acceleration_of_what_falls(gravity, g):
    result = instantiate(falling(gravity)).simulate(0.5)
    for k, axis in enumerate("xyz"):
        assert result[f"robot.sensor.g.{axis}"][-1] == pytest.approx(g[k])
        assert result["robot.ball.a_abs"][-1, k] == pytest.approx(g[k], abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "gravity"),
    [
        ("PointGravity", PointGravity(mu=4.0, position=(0, 0, 2))),
        ("GravityPool", GravityPool(G=2.0)),
        ("UserGravity", UserGravity(("-x", "0", "0"), "x*x/2")),
    ],
)
def test_gravity_that_is_not_the_same_everywhere_is_refused(kind, gravity):
    with pytest.raises(ModelError, match="same everywhere") as caught:
        instantiate(falling(gravity))
    assert caught.value.path == "robot.sensor"
    assert caught.value.found == kind
