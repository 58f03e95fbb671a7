"""Rings that cannot move: what closes one bears nothing of its own that anything determines, and is not counted twice."""

import math

import numpy as np
import pytest

from modia3d import ActionAttach, CutForceAndTorque, Fix, Model3D, ModelActions, Object3D, Revolute, UniformGravity
from modiapy import instantiate
from tests.modia3d.scenes import body, world

G, MASS, CENTER = 9.81, 2.0, np.array([0.3, 0.1, 0.2])


def ring(**entries):
    """An arm that swings, and a hand at its end; each has two places beside each other."""
    parts = {
        "world": world(UniformGravity(G, "-z")),
        "arm": body(1.0, center=(0.5, 0.0, 0.0)),
        "hinge": Revolute("world", "arm", "y", w=1.0),
    }
    turn = (0.0, math.pi, 0.0)  # z axes are opposite
    for k, y in enumerate((-0.2, 0.2)):
        parts[f"of_arm{k}"] = Object3D(parent="arm", translation=(1.0, y, 0.0), lockable=True)
        parts[f"of_hand{k}"] = Object3D(parent="hand", translation=(0.0, y, 0.0), rotation=turn, lockable=True)
    return instantiate(Model3D(**parts, **entries))


def needed(result):
    """Force that moves the hand as it moves and bears its weight, in world."""
    w, r = result["hand.w_abs"], result["hand.R_abs"] @ CENTER
    a = result["hand.a_abs"] + np.cross(result["hand.z_abs"], r) + np.cross(w, np.cross(w, r))
    return MASS * (a + [0.0, 0.0, G])


def exerted(result, name, frame):
    return np.einsum("tij,tj->ti", result[f"{frame}.R_abs"], result[f"{name}.cut_force"])


def test_two_attachments_of_a_hand_bear_it_together():
    def program(actions):
        for k in (0, 1):
            yield ActionAttach(actions, f"of_hand{k}", f"of_arm{k}")

    hand = body(MASS, center=CENTER, parent="of_arm0", fixed_to_parent=False, translation=(0.0, 0.2, 0.0))
    result = ring(hand=hand, actions=ModelActions(program, closes_loops=True)).simulate(0.2)
    attached = result.time > 0.0
    assert result.segments[-1].info["dof"] == 1
    total = sum(exerted(result, f"of_arm{k}", f"of_arm{k}") for k in (0, 1))
    assert total[attached] == pytest.approx(needed(result)[attached], abs=1e-8)
    assert np.isfinite(exerted(result, "hinge", "arm")).all()


@pytest.mark.parametrize("cut", [0, 1])
def test_nothing_determines_what_the_second_of_two_fixed_joints_bears(cut):
    """Neither results nor equations have a number for it; the other one is said to bear all."""
    joints = {f"fix{k}": Fix(f"of_arm{k}", f"of_hand{k}", rotation=(0.0, math.pi, 0.0), cut=k == cut) for k in (0, 1)}
    sensors = {f"through{k}": CutForceAndTorque(f"fix{k}") for k in (0, 1)}
    result = ring(hand=body(MASS, center=CENTER), **joints, **sensors).simulate(0.2)
    assert result.segments[0].info["dof"] == 1
    for quantity in ("force", "torque"):
        assert np.isnan(result[f"fix{cut}.cut_{quantity}"]).all()
        assert not result[f"fix{cut}.cut_{quantity}_unique"].any()
        assert np.isnan(result[f"through{cut}.{quantity}.x"]).all()
    bears = f"fix{1 - cut}"
    assert exerted(result, bears, f"of_hand{1 - cut}") == pytest.approx(needed(result), abs=1e-8)
    measured = np.stack([result[f"through{1 - cut}.force.{axis}"] for axis in "xyz"], axis=1)
    assert measured == pytest.approx(result[f"{bears}.cut_force"], abs=1e-8)
