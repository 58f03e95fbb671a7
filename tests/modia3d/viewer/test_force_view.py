"""Forces of joints and rigid connections in animations: needles in the direction of the force, at what it acts on."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d import Box, Model3D, Object3D, RevoluteWithFlange, Scene, Solid, UniformGravity
from modia3d.viewer.contacts import LONGEST
from modiapy import ModelError, Result, Var, instantiate

pytestmark = pytest.mark.white_box


@pytest.fixture(scope="module")
def result() -> Result:
    """A pendulum that starts at rest, at an angle, with a load fixed to it that weighs nothing."""
    pendulum = Model3D(
        world=Object3D(feature=Scene(gravity=UniformGravity(g=10.0, n="-z"))),
        pivot=Object3D(parent="rod", translation=[-0.5, 0.0, 0.0]),
        rod=Object3D(feature=Solid(Box(1.0, 0.05, 0.05), "Steel")),
        tip=Object3D(parent="rod", translation=[0.5, 0.0, 0.0], feature=Solid(Box(0.1, 0.1, 0.1), "Steel")),
        hinge=RevoluteWithFlange("world", "pivot", axis="y", phi=Var(init=0.5)),
        equations=["hinge.flange.tau = 0"],
    )
    return instantiate(pendulum).simulate(1.0)


def test_a_needle_is_along_the_force_on_what_hangs_there(result: Result) -> None:
    animation = result.animate(forces=["hinge", "t?p"])
    shown = {body.frames[0].name: body for body in animation.bodies}
    mass = 7700.0 * np.array([1.0 * 0.05**2, 0.1**3])
    pick = np.searchsorted(result.time, animation.time)
    gravity = np.array([0.0, 0.0, -10.0])
    accelerations = np.stack([result["rod.a_abs"], result["tip.a_abs"]])[:, pick] - gravity
    on_tip = mass[1] * accelerations[1]
    on_rod = mass[0] * accelerations[0] + on_tip
    largest = np.linalg.norm(on_rod, axis=1).max()
    for name, force, frame in (("hinge", on_rod, "pivot"), ("tip", on_tip, "tip")):
        needle, strength = shown[f"{name}.cut_force"], np.linalg.norm(force, axis=1)
        np.testing.assert_allclose(needle.position, result[f"{frame}.r_abs"][pick], atol=1e-12)
        direction = Rotation.from_quat(needle.quaternion).apply([0.0, 0.0, 1.0])
        np.testing.assert_allclose(direction, force / strength[:, None], atol=1e-6)
        assert needle.scale is not None
        np.testing.assert_allclose(needle.scale[:, 2], LONGEST * animation.view.size * np.sqrt(strength / largest), rtol=1e-6)


def test_what_has_no_force_is_named(result: Result) -> None:
    with pytest.raises(
        ModelError,
        match=r"the argument 'forces' of the animation is wrong; found 'hing'; expected a joint.*Did you mean 'hinge'",
    ):
        result.animate(forces=["hing"])
