"""Joints come to their stops one after the other and stay there: what happens to one is nothing to those that lie already."""

import re

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from modia3d import (
    ActionLock,
    ActionUnlock,
    ActionWait,
    Box,
    MassProperties,
    Model3D,
    ModelActions,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
    UniformGravity,
)
from modiapy import Map, Var, instantiate

STOPS = {"a": 0.7, "b": 0.5, "c": 0.9}


def flap(name, joint, **fields):
    """A rod on a hinge of its own, which falls, and its stop below."""
    solid = Solid(Box(0.4, 0.1, 0.1), mass_properties=MassProperties(1.0, (0.3, 0.0, 0.0), 0.01, 0.1, 0.1))
    return {name: Object3D(feature=solid), f"hinge_{name}": joint("world", name, "y", limits=(-1.0, STOPS[name]), **fields)}


def program(actions):
    """One lies on its stop, locked; later nothing but the stop holds it."""
    yield ActionLock(actions, "hinge_c")
    yield ActionWait(actions, 0.6)
    yield ActionUnlock(actions, "hinge_c")


@pytest.fixture(scope="module")
def sim():
    return instantiate(
        Model3D(
            world=Object3D(feature=Scene(gravity=UniformGravity(9.81, "-z"))),
            **flap("a", RevoluteWithFlange, phi=Var(init=0.0), w=Var(init=0.0)),
            **flap("b", Revolute, phi=0.1),
            **flap("c", Revolute, phi=STOPS["c"]),
            actions=ModelActions(program),
        )
    )


@settings(max_examples=4, phases=[Phase.generate])
@given(phi=st.floats(-0.4, 0.6), w=st.floats(-1.0, 1.0))
def test_each_one_stops_once(sim, phi, w):
    result = sim.simulate(1.5, tolerance=1e-8, interval=0.05, merge=Map(hinge_a=Map(phi=Var(init=phi), w=Var(init=w))))
    causes = [re.sub(r";.*", "", record.cause) for record in result.segments]
    stops = {name: f"hinge_{name} stops at its upper limit phi = {stop}" for name, stop in STOPS.items()}
    assert causes[:3] == ["initialization", stops["c"], "ActionLock hinge_c"]
    assert sorted(causes[3:5]) == [stops["a"], stops["b"]]
    assert causes[5:] == ["ActionUnlock hinge_c", stops["c"]]
    assert [record.info["dof"] for record in result.segments] == [3, 2, 2, 1, 0, 1, 0]
    for name, stop in STOPS.items():
        after = result.time > result.segments[causes.index(stops[name])].start
        assert result[f"hinge_{name}.phi"][after] == pytest.approx(np.full(after.sum(), stop), abs=1e-7), name
        assert not result[f"hinge_{name}.w"][after].any(), name
    for name, stop in STOPS.items():
        torque = result[f"hinge_{name}.constraint_torque"][-1]
        assert abs(torque) == pytest.approx(9.81 * 0.3 * np.cos(stop), rel=1e-9)
