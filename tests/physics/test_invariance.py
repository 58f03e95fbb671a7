"""Physics does not know about our choices: root of the tree, place and motion of the frame of reference."""

import math

import numpy as np
import pytest

from modia3d import Object3D
from modia3d.actions.values import PtpJointSpace, Wait
from modiapy import Map, instantiate

from . import mosar

pytestmark = pytest.mark.white_box

STOP = 4.0
VELOCITY, ANGULAR_VELOCITY = np.array([0.1, -0.05, 0.08]), np.array([0.2, 0.3, -0.25])
FRAMES = ("blueEnd", "greenEnd", "link0.solid", "link4.body", "link7.end")
JOINT_STATES = [f"{joint}.{c}" for joint in mosar.JOINTS for c in ("phi", "w")]
ACCELERATIONS = [f"der({joint}.w)" for joint in mosar.JOINTS]


def configuration():
    phi = [mosar.scenario().model[joint]["phi"]["init"] for joint in mosar.JOINTS]
    return mosar.starting_at(phi, [0.2, -0.3, 0.1, 0.3, -0.2, 0.4, -0.5])


def flying_arm(root, R, r, v, w):
    """The scenario's arm in free flight with the link ``root`` as assembly root, its drives at work; without the modules."""
    path = next(action for action in mosar.actions() if isinstance(action, PtpJointSpace))
    model = mosar.with_actions(mosar.scenario().model, [path, Wait(STOP)])
    start = {"translation": r.tolist(), "rotation": R.tolist(), "velocity": v.tolist(), "angular_velocity": w.tolist()}
    links = {link: Map(body=Object3D()) for link in mosar.LINKS}
    links[root] = Map(body=Object3D(fixed_to_parent=False, assembly_root=True, **start))
    return model | configuration() | Map(**links) | Map(dict.fromkeys(mosar.MODULES))


def fly(root, *start):
    return instantiate(flying_arm(root, *start)).simulate(STOP, tolerance=1e-10, interval=0.1)


@pytest.fixture(scope="module")
def flight():
    return fly("link0", np.eye(3), np.array([0.8, 0.8, 0.0]), VELOCITY, ANGULAR_VELOCITY)


def test_the_arm_moves(flight):
    assert [record.info["dof"] for record in flight.segments] == [13]
    assert np.ptp(flight["greenEnd.r_abs"], axis=0).max() > 0.1
    assert np.ptp(flight["joint2.phi"]) > 0.1


@pytest.mark.parametrize("root", ["link3", "link7"])
def test_another_root_gives_the_same_motion(flight, root):
    start = (flight[f"{root}.body.{quantity}"][0] for quantity in ("R_abs", "r_abs", "v_abs", "w_abs"))
    other = fly(root, *start)
    assert f"{root}.body.r[0]" in other
    assert f"{root}.body.r[0]" not in flight
    np.testing.assert_array_equal(other.time, flight.time)
    for signal in ACCELERATIONS:
        scale = max(np.abs(flight[name][0]) for name in ACCELERATIONS)
        assert abs(other[signal][0] - flight[signal][0]) <= 1e-10 * scale
    for signal in JOINT_STATES:
        np.testing.assert_allclose(other[signal], flight[signal], rtol=0.0, atol=1e-7, err_msg=signal)
    for frame in FRAMES:
        for quantity in ("r_abs", "R_abs", "v_abs", "w_abs"):
            signal = f"{frame}.{quantity}"
            np.testing.assert_allclose(other[signal][0], flight[signal][0], rtol=0.0, atol=1e-12, err_msg=signal)
            np.testing.assert_allclose(other[signal], flight[signal], rtol=0.0, atol=1e-7, err_msg=signal)
    for signal in ("kinetic_energy", "momentum", "angular_momentum"):
        name = f"mechanics.{signal}"
        np.testing.assert_allclose(other[name], flight[name], rtol=0.0, atol=1e-6 * np.abs(flight[name]).max(), err_msg=name)


def rotation(axis, angle):
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


@pytest.mark.parametrize(("angle", "shift", "boost"), [(2.1, 3.0, 0.0), (0.0, 0.0, 1.5), (-3.0, -1.0, 0.7)])
def test_moved_turned_and_in_uniform_motion_it_is_the_same(flight, angle, shift, boost):
    """Seen from a frame of reference that is turned by Q, shifted by s and flies with the velocity u."""
    Q, s, u = rotation((1.0, -2.0, 0.5), angle), shift * np.array([1.0, 2.0, -0.5]), boost * np.array([-0.3, 0.4, 1.0])
    R, r, v, w = (flight[f"link0.body.{quantity}"][0] for quantity in ("R_abs", "r_abs", "v_abs", "w_abs"))
    other = fly("link0", Q @ R, Q @ r + s, Q @ v + u, Q @ w)
    np.testing.assert_array_equal(other.time, flight.time)
    for signal in JOINT_STATES:
        np.testing.assert_allclose(other[signal], flight[signal], rtol=0.0, atol=1e-7, err_msg=signal)
    for frame in FRAMES:
        expected = flight[f"{frame}.r_abs"] @ Q.T + s + np.outer(flight.time, u)
        np.testing.assert_allclose(other[f"{frame}.r_abs"], expected, rtol=0.0, atol=1e-7, err_msg=frame)
        np.testing.assert_allclose(other[f"{frame}.R_abs"], Q @ flight[f"{frame}.R_abs"], rtol=0.0, atol=1e-7, err_msg=frame)
        np.testing.assert_allclose(other[f"{frame}.v_abs"], flight[f"{frame}.v_abs"] @ Q.T + u, rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(other[f"{frame}.w_abs"], flight[f"{frame}.w_abs"] @ Q.T, rtol=0.0, atol=1e-7)


def test_the_centre_of_mass_flies_straight(flight):
    masses = [mosar.scenario().model[link]["solid"]["feature"]["mass_properties"]["mass"] for link in mosar.LINKS]
    positions = [flight[f"{link}.solid.r_abs"] for link in mosar.LINKS]
    centre = sum(m * r for m, r in zip(masses, positions, strict=True)) / sum(masses)
    velocity = flight["mechanics.momentum"][0] / sum(masses)
    np.testing.assert_allclose(centre, centre[0] + np.outer(flight.time, velocity), rtol=0.0, atol=1e-7)
