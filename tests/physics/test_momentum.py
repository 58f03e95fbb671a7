"""Arm and modules of the walking robot in free flight, drives at work: nothing from outside acts on them."""

import numpy as np
import pytest

from modia3d.actions.structural.attach import Attach
from modia3d.actions.values import PtpJointSpace, Wait
from modiapy import Map, instantiate

from . import mosar

pytestmark = pytest.mark.white_box

STOP = 10.0
AT_REST = 3.0
"""Time at which the references have reached their targets, so that a simulation may end [s]."""
INTERVAL = 0.02
MODULE_MASS, MODULE_EDGE = 10.0, 0.4


def thrown(seed):
    """Modification: velocities and angular velocities of the arm, of its joints and of every module."""
    rng = np.random.default_rng(seed)
    phi = [mosar.scenario().model[joint]["phi"]["init"] for joint in mosar.JOINTS]

    def body():
        return Map(body=Map(velocity=rng.uniform(-0.2, 0.2, 3).tolist(), angular_velocity=rng.uniform(-0.5, 0.5, 3).tolist()))

    bodies = {name: body() for name in ("link0", *mosar.MODULES)}
    return mosar.starting_at(phi, rng.uniform(-0.3, 0.3, 7).tolist()) | Map(**bodies)


def moves():
    return [next(action for action in mosar.actions() if isinstance(action, PtpJointSpace)), Wait(STOP)]


@pytest.fixture(scope="module")
def simulation():
    return instantiate(mosar.with_actions(mosar.scenario().model, moves()))


@pytest.fixture(scope="module")
def result(simulation):
    return simulation.simulate(STOP, tolerance=1e-10, interval=INTERVAL, merge=thrown(0))


def at_output_points(result):
    """Rows of the result on the grid of output points, each once: events lie in between and appear twice."""
    grid = np.arange(1, round(result.stop_time / INTERVAL)) * INTERVAL
    return np.abs(result.time[:, None] - grid).argmin(axis=0)


def inertial_forces(result, rows):
    """Scale of force and moment: the sum over the links of m |a| and of |r x m a|, shape (nt,) each.

    The accelerations a of the centres of mass are differences of the velocities: good enough for a scale, and independent of
    the accelerations under test. The modules fly straight, and add nothing.
    """
    force = moment = 0.0
    for link in mosar.LINKS:
        mass = mosar.scenario().model[link]["solid"]["feature"]["mass_properties"]["mass"]
        a = np.gradient(result[f"{link}.solid.v_abs"][rows], INTERVAL, axis=0)
        force = force + mass * np.linalg.norm(a, axis=1)
        moment = moment + mass * np.linalg.norm(np.cross(result[f"{link}.solid.r_abs"][rows], a), axis=1)
    return force, moment


def drift(values):
    """Largest deviation from the first value in units of its magnitude."""
    return mosar.relative(values - values[0], float(np.linalg.norm(values[0])))


def momenta_of_the_arm(result):
    """Momentum and angular momentum without those of the modules: cubes, seen from their centres of mass."""
    p, L = result["mechanics.momentum"], result["mechanics.angular_momentum"]
    for module in mosar.MODULES:
        r, v, w = (result[f"{module}.body.{quantity}"] for quantity in ("r_abs", "v_abs", "w_abs"))
        p, L = p - MODULE_MASS * v, L - MODULE_MASS * np.cross(r, v) - MODULE_MASS * MODULE_EDGE**2 / 6.0 * w
    return p, L


def test_everything_moves_and_the_drives_work(result):
    assert [record.info["dof"] for record in result.segments] == [49]
    for frame in ("link0.body", *(f"{module}.body" for module in mosar.MODULES)):
        assert np.linalg.norm(result[f"{frame}.v_abs"][0]) > 0.01
        assert np.linalg.norm(result[f"{frame}.w_abs"][0]) > 0.01
    for joint, drive in zip(mosar.JOINTS, mosar.DRIVES, strict=True):
        assert np.ptp(result[f"{joint}.phi"]) > 0.01
        assert np.abs(result[f"{drive}.torque.tau"]).max() > 0.01


def test_rates_of_the_momenta_computed_from_the_accelerations_are_zero(result):
    rows = at_output_points(result)
    force, moment = inertial_forces(result, rows)
    assert force.min() > 1.0
    assert mosar.relative(result["mechanics.momentum_rate"][rows], force) <= 1e-12
    assert mosar.relative(result["mechanics.angular_momentum_rate"][rows], moment) <= 1e-12


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_rates_are_zero_however_the_bodies_are_thrown(simulation, seed):
    thrown_anew = simulation.simulate(AT_REST, tolerance=1e-6, interval=INTERVAL, merge=thrown(seed))
    rows = at_output_points(thrown_anew)
    force, moment = inertial_forces(thrown_anew, rows)
    assert mosar.relative(thrown_anew["mechanics.momentum_rate"][rows], force) <= 1e-12
    assert mosar.relative(thrown_anew["mechanics.angular_momentum_rate"][rows], moment) <= 1e-12


def test_momenta_drift_by_no_more_than_the_error_of_integration(simulation, result):
    results = [simulation.simulate(STOP, tolerance=tol, interval=INTERVAL, merge=thrown(0)) for tol in (1e-5, 1e-7)] + [result]
    for signal in ("momentum", "angular_momentum"):
        coarse, medium, fine = (drift(each[f"mechanics.{signal}"]) for each in results)
        assert fine <= 1e-7
        assert coarse > 10.0 * medium > 100.0 * fine


def test_the_arm_alone_keeps_its_momenta_too(result):
    """The modules are much heavier: in the sum they would hide an error of the arm."""
    for momentum in momenta_of_the_arm(result):
        assert drift(momentum) <= 1e-7


def test_where_the_arm_is_attached_the_rates_are_the_derivatives_of_the_momenta():
    """The signals are not zero by construction: on the platform there are forces from outside."""
    model = mosar.with_actions(mosar.scenario().model, [Attach("blueEnd", "platform.X2Y2"), *moves()])
    segment = instantiate(model).simulate(AT_REST, tolerance=1e-10, interval=1e-3).segment(2)
    grid = np.arange(5, round(1e3 * AT_REST) - 5) * 1e-3
    rows = np.abs(segment.time[:, None] - grid).argmin(axis=0)
    calm = np.abs(segment.time[rows][:, None] - segment.time[1:][np.diff(segment.time) == 0.0]).min(axis=1) > 0.01
    for signal in ("momentum", "angular_momentum"):
        rate, value = segment[f"mechanics.{signal}_rate"][rows], segment[f"mechanics.{signal}"][rows]
        assert np.abs(rate).max() > 1.0
        differences = np.gradient(value, 1e-3, axis=0)
        assert np.abs(rate - differences)[calm][5:-5].max() <= 1e-3 * np.abs(rate).max()
