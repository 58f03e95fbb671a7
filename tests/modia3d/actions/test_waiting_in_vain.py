"""A program that waits for what never comes is not there: each step, each event and each bit is that of the model alone."""

import numpy as np
import pytest

from modia3d import Model3D, ModelActions, Object3D, Prismatic, Revolute, RevoluteWithFlange, UniformGravity, WaitUntil
from modiapy import Map, Var, instantiate
from modiapy.library import rotational
from tests.modia3d.scenes import body, world

pytestmark = pytest.mark.white_box

SIGNALS = ("hinge.phi", "hinge.w", "elbow.phi", "elbow.w", "sled.s", "sled.v", "rotor.w", "mechanics.kinetic_energy")
IN_VAIN = {
    "a coordinate": "hinge.phi > 100",
    "a speed that comes near": "abs(hinge.w) > 1e3 and elbow.phi < 1",
    "a computed signal": "mechanics.kinetic_energy < -1",
    "an equation": "rotor.w > 1e6",
    "at the value of the start": "sled.s < -0.5",
    "never": "1 < 0",
}


def model(**actions):
    """A double pendulum whose first joint a rotor drives, and a sled that strikes its stops."""
    return Model3D(
        world=world(UniformGravity(9.81, "-z")),
        upper=body(1.0, 0.1, (0.5, 0.0, 0.0)),
        lower=body(0.7, 0.05, (0.3, 0.0, 0.0)),
        end=Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        hinge=RevoluteWithFlange("world", "upper", "y", phi=Var(init=0.3), w=Var(init=0.0), limits=(-2.0, 1.2)),
        elbow=Revolute("end", "lower", "y", phi=0.5, w=-0.4),
        block=body(0.5),
        sled=Prismatic("upper", "block", "x", s=0.1, v=0.8, limits=(-0.3, 0.3)),
        rotor=rotational.Inertia | Map(J=0.02),
        gear=rotational.IdealGear | Map(ratio=3.0),
        connect=[("rotor.flange_b", "gear.flange_a"), ("gear.flange_b", "hinge.flange")],
        **actions,
    )


@pytest.fixture(scope="module", params=["ode", "dae"])
def alone(request):
    return request.param, instantiate(model()).simulate(1.0, interval=0.01, mode=request.param)


@pytest.mark.parametrize("condition", IN_VAIN.values(), ids=IN_VAIN)
def test_waiting_for_what_never_comes_leaves_all_bits(alone, condition):
    mode, expected = alone
    program = ModelActions([WaitUntil(condition)])
    result = instantiate(model(actions=program)).simulate(1.0, interval=0.01, mode=mode)
    assert len(expected.segments) > 3
    assert np.array_equal(result.time, expected.time)
    for name in SIGNALS:
        assert np.array_equal(result[name], expected[name]), name
    assert [record.cause for record in result.segments] == [record.cause for record in expected.segments]
    assert result.statistics["events_by_kind"] == expected.statistics["events_by_kind"]
    assert result.statistics["steps"] == expected.statistics["steps"]
