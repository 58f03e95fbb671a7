"""Rolling wheels: against the Modelica library, against independent solutions, energy, what the ground exerts."""

import math

import numpy as np
import pytest

from modia3d import Object3D, RollingWheel, RollingWheelSet, UniformGravity
from modiapy import Map, ModelError
from modiapy.library import rotational

from ..scenes import assert_constant, body, energy, run, world

pytestmark = pytest.mark.white_box

G = 9.80665
WHEEL = {"radius": 0.3, "m": 2.0, "I_axis": 0.06, "I_long": 0.12}
RANGE = (9.01023, 2.90536, 5.91843, 2.21296, 2.43778)
"""Of the three angles and of x and y in four seconds."""
LIBRARY = {
    1.0: (4.798310434, 0.92493879, 1.779171194, 0.700568891, -0.70936222),
    2.0: (2.340367437, 0.65340193, 5.247924472, -0.83945281, -0.432778275),
}
"""Example RollingWheel of the Modelica library, from its published results (tolerance 1e-6, whose error grows behind)."""
SOLVED = {
    1.0: (4.7982843, 0.92492224, 1.77914948, 0.70057939, -0.70935887),
    2.0: (2.34045224, 0.65340464, 5.24831585, -0.83939068, -0.43261898),
    3.0: (-3.18560921, 0.57021895, 3.06877698, -0.14489878, -1.34182945),
    4.0: (0.66912555, -0.96499595, 2.09153656, 0.1630035, -2.23761434),
}
"""The same by Newton and Euler in the three angles, with DOP853 and rtol=1e-11."""


def earth():
    return world(UniformGravity(G, "-z"))


def rolled(stop_time, tolerance, orientation="zyx", points=100):
    """The example RollingWheel of the Modelica library."""
    wheel = RollingWheel("world", **WHEEL, x=0.2, y=0.2, der_angles=(0.0, 5.0, 1.0), orientation=orientation)
    return run(stop_time, tolerance, points, world=earth(), wheel=wheel)


def at(result, time):
    """Angles and place at a time."""
    k = int(np.argmin(np.abs(result["time"] - time)))
    x, y, _ = result["wheel.frame_a.r_abs"][k]
    return [*(result[f"wheel.frame_a.phi[{i}]"][k] for i in range(3)), x, y]


def test_the_wheel_of_the_modelica_library():
    result = rolled(2.0, 1e-8)
    assert result.segments[0].info["dof"] == 3
    for time in (1.0, 2.0):
        assert np.abs(np.subtract(at(result, time), LIBRARY[time]) / RANGE).max() < 1e-4


def test_a_wheel_that_nearly_falls_over_and_rises_again():
    result = rolled(4.0, 1e-10)
    for time, expected in SOLVED.items():
        assert at(result, time) == pytest.approx(expected, abs=2e-6)
    assert_constant(energy(result), 1e-7)


@pytest.mark.parametrize("orientation", ["quaternion", "auto"])
def test_the_description_of_the_orientation_does_not_matter(orientation):
    """Positions, which are of these and none of the rows, are projected without them."""
    result = rolled(2.0, 1e-8, orientation)
    for time in (1.0, 2.0):
        k = int(np.argmin(np.abs(result["time"] - time)))
        assert result["wheel.frame_a.r_abs"][k][:2] == pytest.approx(SOLVED[time][3:], abs=1e-5)
    assert_constant(energy(result), 1e-6)


def test_the_wheel_neither_slips_nor_leaves_the_ground():
    result = rolled(2.0, 1e-8)
    for R, p, v, w in zip(*(result[f"wheel.frame_a.{name}"] for name in ("R_abs", "r_abs", "v_abs", "w_abs")), strict=True):
        axis = R.reshape(3, 3)[:, 1]
        down = axis[2] * axis - (0.0, 0.0, 1.0)
        arm = 0.3 * down / np.linalg.norm(down)
        assert (p + arm)[2] == pytest.approx(0.0, abs=1e-10)
        assert v + np.cross(w, arm) == pytest.approx(np.zeros(3), abs=1e-9)


def test_the_ground_carries_and_turns_the_wheel():
    """Newton's law: the force of the ground and the weight accelerate the centre; the torque is that of the contact point."""
    result = rolled(1.0, 1e-9, points=10)
    R = result["wheel.frame_a.R_abs"].reshape(-1, 3, 3)
    force, torque = (np.einsum("tij,tj->ti", R, result[f"wheel.rolling.cut_{name}"]) for name in ("force", "torque"))
    assert force == pytest.approx(2.0 * (result["wheel.frame_a.a_abs"] + (0.0, 0.0, G)), abs=1e-9)
    axis = R[:, :, 1]
    down = axis[:, 2:] * axis - (0.0, 0.0, 1.0)
    arm = 0.3 * down / np.linalg.norm(down, axis=1)[:, None]
    assert torque == pytest.approx(np.cross(arm, force), abs=1e-9)
    slip = result["wheel.frame_a.v_abs"] + np.cross(result["wheel.frame_a.w_abs"], arm)
    assert np.einsum("ti,ti->t", force, slip) == pytest.approx(np.zeros(len(force)), abs=1e-7)  # no work


def test_a_wheel_rolls_down_a_slope():
    """Straight down: the acceleration is that of a rolling disc, on a plane that is turned about an oblique axis, too."""
    tilt, turned = 0.2, (0.0, 0.2, 0.0)
    result = run(
        1.0,
        world=earth(),
        slope=Object3D(parent="world", rotation=turned, translation=(1.0, 2.0, 3.0)),
        wheel=RollingWheel("slope", **WHEEL, x=0.1),
    )
    a = G * math.sin(tilt) / (1.0 + 0.06 / (2.0 * 0.3**2))
    gone = result["wheel.frame_a.r_abs"] - result["wheel.frame_a.r_abs"][0]
    along = np.array((math.cos(tilt), 0.0, -math.sin(tilt)))
    assert gone @ along == pytest.approx(0.5 * a * result["time"] ** 2, abs=1e-8)


SET = {"R_wheel": 0.1, "m_wheel": 0.5, "I_axis": 0.01, "I_long": 0.02, "track": 0.5}


def test_a_wheel_set_that_is_driven_evenly_runs_straight():
    result = run(
        1.0,
        world=earth(),
        axle=RollingWheelSet("world", **SET, x=0.1, y=0.2, phi=0.5),
        left=rotational.ConstantTorque | Map(tau_constant=0.3),
        right=rotational.ConstantTorque | Map(tau_constant=0.3),
        connect=[("left.flange", "axle.axis1"), ("right.flange", "axle.axis2")],
    )
    assert result.segments[0].info["dof"] == 2
    a = 0.6 / 0.1 / (1.0 + 2.0 * 0.01 / 0.1**2)
    place = result["axle.frame_middle.r_abs"] - (0.1, 0.2, 0.1)
    distance = 0.5 * a * result["time"] ** 2
    assert place[:, 0] == pytest.approx(distance * math.cos(0.5), abs=1e-8)
    assert place[:, 1] == pytest.approx(distance * math.sin(0.5), abs=1e-8)
    assert result["axle.theta1"] == pytest.approx(distance / 0.1, abs=1e-7)


def test_a_wheel_set_with_different_speeds_runs_in_a_circle():
    result = run(2.0, world=earth(), axle=RollingWheelSet("world", **SET, der_theta1=4.0, der_theta2=6.0))
    turned = 0.1 * 2.0 / 0.5 * result["time"]
    radius = 0.5 * 0.1 * (4.0 + 6.0) / 0.4
    place = result["axle.frame_middle.r_abs"]
    assert place[:, 0] == pytest.approx(radius * np.sin(turned), abs=1e-7)
    assert place[:, 1] == pytest.approx(radius * (1.0 - np.cos(turned)), abs=1e-7)
    assert result["axle.theta2"] == pytest.approx(6.0 * result["time"], abs=1e-7)


def test_a_cart_with_a_load_beside_its_axle_keeps_its_energy():
    load = body(0.7, (0.01, 0.02, 0.03), (0.25, 0.1, 0.0), parent="axle.frame_middle")
    result = run(2.0, world=earth(), axle=RollingWheelSet("world", **SET, der_theta1=4.0, der_theta2=6.0), load=load)
    assert np.ptp(result["axle.theta1"] - 4.0 * result["time"]) > 0.1
    assert_constant(energy(result), 1e-8)


def test_what_cannot_be_is_refused():
    with pytest.raises(ModelError, match="radius of RollingWheel"):
        RollingWheel("world", 0.0, 1.0, 0.1, 0.1)
    with pytest.raises(ModelError, match="track of RollingWheelSet"):
        RollingWheelSet("world", **SET | {"track": -1.0})
