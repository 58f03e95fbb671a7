"""Automatic Cardan sequences: the last angle turns about the axis of the fastest rotation, whatever begins anew."""

import math
import re

import numpy as np
import pytest

from modia3d import (
    ActionAdd,
    ActionAttach,
    ActionLock,
    ActionRelease,
    ActionUnlock,
    ActionWait,
    EventAfterPeriod,
    ModelActions,
    Object3D,
    Revolute,
    Spherical,
)
from modia3d.scene.basics.rotations import rotation_matrix
from tests.modia3d.scenes import body, dofs, free, run, world

pytestmark = pytest.mark.white_box

SPIN = 3.0
"""Angular velocity about one axis of the body [rad/s]."""


def turned(how, rotation, axis):
    """A body that begins with this rotation and spins about one of its axes: its name, and the entries of the model."""
    spin = {"rotation": rotation, "angular_velocity": tuple((SPIN * rotation_matrix(rotation)[:, axis]).tolist())}
    if how == "free":
        return "ball", {"ball": free(orientation="auto", **spin)}
    if how == "free, appears":
        add = ModelActions(lambda actions: ActionAdd(actions, "ball", **spin))
        return "ball", {"ball": free(orientation="auto", parked=True), "actions": add}
    if how == "joint":
        stand = Object3D(parent="world", rotation=(0.4, 0.8, -0.3))
        return "joint", {"stand": stand, "ball": body(), "joint": Spherical("stand", "ball", orientation="auto", **spin)}
    add = ModelActions(lambda actions: ActionAdd(actions, "base", rotation=(0.4, 0.8, -0.3)))
    joint = Spherical("base", "ball", orientation="auto", **spin)
    return "joint", {"base": free(mass=1e6, inertia=1e6, parked=True), "ball": body(), "joint": joint, "actions": add}


@pytest.mark.parametrize("how", ["free", "free, appears", "joint", "joint, appears"])
@pytest.mark.parametrize("rotation", [(0.0, 1.4, 0.3), (0.9, -1.5, 2.0), (1.5, 0.2, 1.3)])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_last_angle_turns_with_the_spin(how, rotation, axis):
    """Two angles stay where they are, away from the singularity, the third one grows evenly, and no change follows."""
    name, entries = turned(how, rotation, axis)
    result = run(0.5, world=world(), **entries)
    assert len(result.segments) == (2 if "appears" in how else 1)
    last = result.segment(len(result.segments))
    first, second, third = (last[f"{name}.phi[{i}]"] for i in range(3))
    small = 1e-5 if "joint, " in how else 1e-8  # of the heavy body that the joint is on
    assert first == pytest.approx(np.full_like(first, first[0]), abs=small)
    assert second == pytest.approx(np.full_like(second, second[0]), abs=small)
    assert abs(math.sin(second[0])) < 0.71
    assert abs(third[-1] - third[0]) == pytest.approx(SPIN * 0.5, abs=small)


def test_near_the_singularity_the_sequence_follows_the_rotation_in_the_body():
    """The body flies sideways much faster than it turns, which says nothing about its orientation."""
    result = run(
        3.0,
        world=world(),
        ball=free(velocity=(20.0, -3.0, 7.0), angular_velocity=(1.0, 1.05, 1.0), orientation="auto"),
        still=free(translation=(1.0, 0.0, 0.0)),
    )
    causes = [record.cause for record in result.segments][1:]
    assert causes
    assert all(re.fullmatch("Cardan angles ..y of ball", cause) for cause in causes)
    assert max(np.abs(np.sin(result["ball.phi[1]"]))) < 0.91
    turn = np.linalg.norm((1.0, 1.05, 1.0)) * 3.0
    assert np.trace(result["ball.R_abs"][-1]) == pytest.approx(1.0 + 2.0 * math.cos(turn), abs=1e-7)


def test_what_is_released_or_unlocked_near_a_singularity_goes_on_from_there():
    """No motion is lost between the body on an arm, the free body, and its joint; the angles stay where they can be solved."""

    def program(actions):
        ActionAttach(actions, "plug", "socket")
        EventAfterPeriod(actions, 0.2)
        ActionRelease(actions, "plug")
        EventAfterPeriod(actions, 0.2)
        ActionLock(actions, "joint", on_contact="impulse")
        EventAfterPeriod(actions, 0.2)
        ActionUnlock(actions, "joint")

    at, speed = rotation_matrix((0.0, 1.2, 0.0)) @ (0.5, 0.0, 0.0), np.array((0.0, 1.5, 0.0))
    result = run(
        1.0,
        world=world(),
        arm=body(),
        hinge=Revolute("world", "arm", "y", phi=1.2, w=1.5),
        socket=Object3D(parent="arm", translation=(0.5, 0.0, 0.0), lockable=True),
        base=free(
            orientation="auto",
            assembly_root=True,
            rotation=(0.0, 1.2, 0.0),
            angular_velocity=speed.tolist(),
            translation=at.tolist(),
            velocity=np.cross(speed, at).tolist(),
        ),
        plug=Object3D(parent="base", rotation=(math.pi, 0.0, 0.0), lockable=True),
        ball=body(),
        joint=Spherical("base", "ball", rotation=(0.0, 1.45, 0.0), angular_velocity=(0.3, 0.0, 0.0), orientation="auto"),
        actions=ModelActions(program),
    )
    assert dofs(result) == [10, 4, 10, 7, 10]
    for before, after in ((k, k + 1) for k in range(1, len(result.segments))):
        for name in ("base", "ball"):
            quantities = ["r_abs", "R_abs"] + ([] if "lost" in result.segments[after - 1].cause else ["v_abs", "w_abs"])
            for quantity in quantities:
                left, right = result.segment(before)[f"{name}.{quantity}"][-1], result.segment(after)[f"{name}.{quantity}"][0]
                assert right == pytest.approx(left, abs=1e-12)
    for name in ("base", "joint"):
        second = result[f"{name}.phi[1]"]
        assert np.nanmax(np.abs(np.sin(second))) < 0.91


def test_what_is_released_has_the_orientation_that_it_was_declared_with():
    """A quaternion, beside a free tree of Cardan angles; it goes on from where it was held."""

    def hold(actions):
        ActionAttach(actions, "plug", "socket")
        ActionWait(actions, 0.1)
        ActionRelease(actions, "plug")

    result = run(
        0.2,
        world=world(),
        socket=Object3D(parent="world", translation=(1.0, 0.0, 0.0), rotation=(0.0, 0.3, 0.5), lockable=True),
        one=free(orientation="xyz", angular_velocity=(0.1, 0.2, 0.3)),
        two=free(orientation="quaternion", translation=(1.0, 0.0, 0.0), rotation=(0.0, 0.3, 0.5)),
        plug=Object3D(parent="two", rotation=(np.pi, 0.0, 0.0), lockable=True),
        actions=ModelActions(hold),
    )
    assert [segment.states_variant for segment in result.segments] == [25, 12, 25]
    np.testing.assert_allclose(result["two.R_abs"] - result["two.R_abs"][0], 0.0, atol=1e-12)
    assert np.ptp(result["one.R_abs"], axis=0).max() > 0.01
