"""Impacts where an input multiplies accelerations: the mass matrix is the one of that moment."""

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionLock,
    ActionRelease,
    ActionWait,
    Box,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    Scene,
    Solid,
)
from modiapy import Map, Model, Var, instantiate

LINK = Object3D(feature=Solid(shape=Box(0.3, 0.1, 0.1), solid_material="Steel"))
FLY = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
    J=Var(input=True),
    w=Var(),
    equations=["w = der(flange.phi)", "J*der(w) = flange.tau"],
)
"""A wheel whose moment of inertia is an input: masses move outwards on it while angular momentum is not kept."""


def arm(phi, w):
    """Two links; the shoulder comes to a stop, the wheel is between the links."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        upper=LINK,
        lower=LINK,
        middle=Object3D(parent="upper", translation=(1, 0, 0)),
        shoulder=Revolute("world", "upper", "y", phi=phi[0], w=w[0], limits=(-1.0, 0.9)),
        elbow=RevoluteWithFlange("middle", "lower", "y", phi=Var(init=phi[1]), w=Var(init=w[1])),
        fly=FLY,
        J=Var(input=True),
        connect=[("fly.flange", "elbow.flange"), ("J", "fly.J")],
    )


@pytest.mark.parametrize("before", [0.5, 5.0, 300.0])
def test_an_impact_after_a_jump_of_an_inertia_takes_the_present_one(before):
    """The same as in a simulation that begins after the jump with the constant inertia."""
    joints = ("shoulder", "elbow")
    steps = ([0.0, 0.3, 0.3, 2.0], [before, before, 40.0, 40.0])
    whole = instantiate(arm((0.2, 0.3), (1.0, -0.4))).simulate(1.2, tolerance=1e-9, inputs={"J": steps})
    k = int(np.searchsorted(whole.time, 0.5))
    there = [[whole[f"{joint}.{name}"][k] for joint in joints] for name in ("phi", "w")]
    rest = instantiate(arm(*there)).simulate(1.2 - whole.time[k], tolerance=1e-9, inputs={"J": 40.0})
    assert len(whole.segments) == len(rest.segments) == 2  # the shoulder stops
    assert whole["elbow.w"][-1] == pytest.approx(rest["elbow.w"][-1], abs=1e-9)
    lost = [result.segments[1].info["energy_lost"] for result in (whole, rest)]
    assert lost[0] == pytest.approx(lost[1], rel=1e-8)
    assert abs(whole["elbow.w"][-1] - there[1][1]) > 1e-3  # the impact turns the elbow, too


def letting_go(actions):
    ActionAttach(actions, "foot", "floor")
    ActionWait(actions, 0.2)
    with actions.together():
        ActionRelease(actions, "foot")
        ActionLock(actions, "shoulder", on_contact="impulse")


def test_an_impact_after_something_was_given_up_takes_the_present_inertia():
    """The arm flies off and its shoulder is locked at the same time; the inertia jumped before the simulation began."""
    flying = arm((0.2, 0.3), (1.0, -0.4)) | Model3D(
        floor=Object3D(parent="world", lockable=True),
        base=LINK | Map(parent="world", fixed_to_parent=False),
        foot=Object3D(parent="base", rotation=(np.pi, 0, 0), lockable=True),
        shoulder=Revolute("base", "upper", "y", phi=0.2, w=1.0),
        actions=ModelActions(letting_go),
    )
    found = []
    for inertia in (40.0, ([-1.0, -0.5, -0.5, 2.0], [0.1, 0.1, 40.0, 40.0])):
        result = instantiate(flying).simulate(0.4, tolerance=1e-9, inputs={"J": inertia})
        info = result.segments[-1].info
        found.append([result["elbow.w"][-1], info["energy_lost"], *result["base.v_abs"][-1]])
        assert np.ptp(result["J"]) == 0.0
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    assert found[0][1] > 0.01  # J
