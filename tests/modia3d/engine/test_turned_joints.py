"""A joint bears the same, written from either of its ends."""

import numpy as np
import pytest

from modia3d import Box, CutForceAndTorque, Model3D, Object3D, Revolute, Scene, Solid
from modiapy import instantiate

JOINTS, AXES, ANGLES = ("shoulder", "elbow", "wrist"), "zyx", (0.4, -0.7, 0.9)


def arm(turned):
    """Three links that fall; the joints in ``turned`` are written from their link to what carries it."""
    parts = {}
    for k, joint in enumerate(JOINTS):
        ends, angle = (f"tip{k - 1}" if k else "world", f"link{k}"), ANGLES[k]
        if joint in turned:
            ends, angle = ends[::-1], -angle
        parts[f"link{k}"] = Object3D(feature=Solid(Box(1.0, 0.2, 0.1), "Steel"))
        parts[f"tip{k}"] = Object3D(parent=f"link{k}", translation=(0.8, 0.1 * k, 0.2))
        parts[joint] = Revolute(*ends, axis=AXES[k], phi=angle)
        parts[f"meter{k}"] = CutForceAndTorque(joint, resolved_in="world")
    parts["bench"] = Object3D(parent="world", translation=(0.0, 2.0, 0.0))
    return instantiate(Model3D(world=Object3D(feature=Scene()), **parts)).simulate(0.3, tolerance=1e-10)


def measured(result, k):
    return np.column_stack([result[f"meter{k}.{what}.{axis}"] for what in ("force", "torque") for axis in "xyz"])


@pytest.fixture(scope="module")
def straight():
    return arm(())


@pytest.mark.parametrize("turned", [*[(joint,) for joint in JOINTS], JOINTS], ids="-".join)
def test_a_joint_written_from_its_other_end_bears_the_opposite(straight, turned):
    result = arm(turned)
    for k, joint in enumerate(JOINTS):
        sign, expected = -1.0 if joint in turned else 1.0, measured(straight, k)
        assert np.abs(expected[:, 2]).max() > 100.0
        scale = np.abs(expected).max()
        assert measured(result, k)[[0, -1]] == pytest.approx(sign * expected[[0, -1]], abs=1e-5 * scale)
