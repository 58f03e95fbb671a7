"""Rings of rigid connections, or of one shaft and two hinges: what connects it bears together what it takes."""

import math

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    CutForceAndTorque,
    Fix,
    Model3D,
    ModelActions,
    Object3D,
    Prismatic,
    Revolute,
    RevoluteWithFlange,
    Spherical,
    UniformGravity,
)
from modiapy import Map, Var, instantiate
from tests.modia3d.scenes import body, world

pytestmark = pytest.mark.white_box

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
    for k in (0, 1):
        assert not result[f"of_arm{k}.cut_force_unique"][attached].any()
    assert result["hinge.cut_force_unique"].all()


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


HINGES = {
    "passive": Revolute("post1", "end1", "z"),
    "with limits": Revolute("post1", "end1", "z", limits=(-9.0, 9.0)),
    "with a flange": RevoluteWithFlange("post1", "end1", "z", phi=Var(init=0.0), w=Var(init=5.0)),
}


@pytest.mark.parametrize("second", HINGES)
@pytest.mark.parametrize("first", ["passive", "with limits", "with a flange"])
def test_both_hinges_of_a_shaft_that_is_out_of_balance_bear_what_its_spin_takes(first, second):
    """Together, about any point; whichever of them is cut, or the shaft where none of them may be."""
    inertia = np.array([[0.5, 0.02, 0.1], [0.02, 0.6, -0.07], [0.1, -0.07, 0.3]])
    turning = {name: hinge if "flange" in name else hinge | Map(w=5.0) for name, hinge in HINGES.items()}
    parts = {
        "world": world(UniformGravity(G, "-x")),
        "shaft": body(MASS, (0.5, 0.6, 0.3, 0.02, 0.1, -0.07), CENTER),
        "hinge0": turning[first] | Map(obj1="post0", obj2="end0"),
        "hinge1": turning[second],
    }
    for k, z in enumerate((-0.4, 0.7)):
        parts[f"post{k}"] = Object3D(parent="world", translation=(0.0, 0.0, z))
        parts[f"end{k}"] = Object3D(parent="shaft", translation=(0.0, 0.0, z))
    result = instantiate(Model3D(**parts)).simulate(0.3, tolerance=1e-9)
    assert result.segments[0].info["dof"] == 1
    R, w, z = (result[f"shaft.{quantity}_abs"] for quantity in "Rwz")
    J, c = R @ inertia @ R.transpose(0, 2, 1), R @ CENTER
    force = MASS * (np.cross(z, c) + np.cross(w, np.cross(w, c)) + [G, 0.0, 0.0])
    spin = np.einsum("tij,tj->ti", J, w)
    torque = np.einsum("tij,tj->ti", J, z) + np.cross(w, spin) + np.cross(c, force)
    exerted_on = [exerted(result, f"hinge{k}", f"end{k}") for k in (0, 1)]
    moments = [np.einsum("tij,tj->ti", result[f"end{k}.R_abs"], result[f"hinge{k}.cut_torque"]) for k in (0, 1)]
    moments = [m + np.cross(result[f"end{k}.r_abs"], exerted_on[k]) for k, m in enumerate(moments)]
    assert sum(exerted_on) == pytest.approx(force, abs=1e-6)
    assert sum(moments) == pytest.approx(torque, abs=1e-6)
    assert np.abs(np.cross(w, spin)).max() > 1.0


SUPPORTS = {
    "fixed": (Fix("post2", "of_c"), (0, 0, 0, 0, 0, 0)),
    "a hinge": (Revolute("post2", "of_c", "z"), (0, 0, 0, 0, 0, 1)),
    "a slide": (Prismatic("post2", "of_c", "z"), (0, 0, 1, 0, 0, 0)),
    "a ball": (Spherical("post2", "of_c"), (0, 0, 0, 0, 0, 1)),
}


@pytest.mark.parametrize("kind", SUPPORTS)
def test_what_a_connection_beside_rigid_ones_could_bear_is_not_unique_in_its_ring(kind):
    """Three bodies on a turntable, one fixed to the next; besides, the last one is held where the first one is. Their origins,
    about which torques are, lie on the axis of what holds it. What is beyond the ring, and before it, is determined."""
    support, expected = SUPPORTS[kind]
    parts = {
        "world": world(UniformGravity(G, "-y")),
        "table": body(1.0, center=(0.2, 0.0, 0.0)),
        "hinge": Revolute("world", "table", "x", w=2.0),
        "post2": Object3D(parent="table", translation=(0.3, 0.0, 0.6)),
        "of_c": Object3D(parent="c", translation=(0.0, 0.0, 0.2)),
        "held": support | Map(cut=True),
        "tip": body(0.5),
        "rod": Fix("c", "tip", translation=(0.1, 0.2, 0.0)),
    }
    before = "table"
    for k, name in enumerate("abc"):
        place = (0.3, 0.0, 0.0) if name == "a" else (0.0, 0.0, 0.2)
        parts |= {name: body(1.0 + k, center=(0.1, 0.0, 0.0)), f"to_{name}": Fix(before, name, translation=place)}
        before = name
    result = instantiate(Model3D(**parts)).simulate(0.1)
    assert result.segments[0].info["dof"] == 1
    for name, unique in {"to_a": expected, "to_b": expected, "to_c": expected, "rod": (1,) * 6, "hinge": (1,) * 6}.items():
        found = np.hstack([result[f"{name}.cut_{quantity}_unique"] for quantity in ("force", "torque")])
        assert (found == unique).all(), name
