"""The robot r3 with paths, controllers, motors, gears and friction, against the results published with the Modelica library.

Those were computed by Dymola with DASSL and a tolerance of 1e-6 (`modelica/MAP-LIB_ReferenceResults`). They differ from ours by
2e-4 of a signal's range at most, whatever our tolerance is. Gears begin at rest with friction that is stuck: infinitely many
currents and torques keep them so, and both programs take those that leave the friction without load.
"""

import numpy as np
import pytest

from modia3d.files import read_scenario, write_scenario
from modiapy import Model, Var, instantiate
from modiapy.library.paths import ptp_trajectory

from .robot_r3 import AXES, END, LIMITS, START, full_robot, one_axis

ONE_AXIS = ("controller.PI.x", "gear.spring.phi_rel", "gear.spring.w_rel", "flange.phi", "motor.C.v", "motor.La.i")
ONE_AXIS_POINTS = {
    0.016: (1.57527117708851, -0.129536659697904, -12.4847208175068, 0.000300928720914161, -195.305120865507, 3.76228789401043),
    0.032: (3.4529807669699, -0.180830333421991, 6.6277712259028, 0.00349533952693701, -226.480419203434, 4.24329188582867),
    1.488: (0.838218298297511, 1.24100886266499e-05, -0.0035705821049, 2.0941702351031, -21.5378219893865, 0.429754701004465),
}
LAST_OF_ONE_AXIS = 1.49813170079773

ELASTIC = ("controller.PI.x", "gear.spring.phi_rel", "gear.spring.w_rel", "motor.C.v", "motor.La.i")
RIGID = ("controller.PI.x", "motor.C.v", "motor.La.i")
SIGNALS = [f"axis{k}.{name}" for k in (1, 2, 3) for name in ELASTIC]
SIGNALS += [f"axis{k}.{name}" for k in (4, 5, 6) for name in RIGID]
SIGNALS += ["r2.w", "r1.phi", "r1.w", "r2.phi"]
SIGNALS += [f"r{k}.{name}" for k in (3, 4, 5, 6) for name in ("phi", "w")]

# fmt: off
POINTS = {
    0.0: (
        0.0, 0.0, 0.0, 0.0, 0.0, -5.14693697666933, 0.274150861706671, 0.0, 94.404566703399, -1.88809133406798,
        -7.72606044750748, 0.0736781805449948, 0.0, 183.941738619564, -3.67883477239127, -1.20084878639352, 30.0212196598381,
        -0.600424393196762, -1.44855863078639, 36.2139657696598, -0.724279315393196, 0.0, 0.0, 0.0, 0.0, -1.0471975511966, 0.0,
        0.349065850398866, 1.5707963267949, 0.0, 0.0, 0.0, -1.91986217719376, 0.0, 0.0, 0.0,
    ),
    0.0032: (
        -0.126205316647816, 0.00146364041036659, 1.61843629063372, 83.6850132686181, -1.61503784616333, -5.24365136163446,
        0.276519516922477, 2.45558489050772, 214.198494144681, -4.21392309918725, -7.78956100515596, 0.073939706115593,
        0.435861580834793, 245.626556678014, -4.8733086962606, -1.2558837900174, 74.0593207793815, -1.43934862930325,
        -1.23930045490841, -121.892185646666, 2.32205601854753, -0.0550350036238796, 47.0411774652704, -0.868571882944567,
        -0.000635415931669589, -1.04719751259642, 7.65287367647476e-05, 0.349065493372337, 1.57079605050569,
        -0.000652497152135642, 0.0, 0.0, -1.91985840263543, 0.00743764023991861, 0.0, 0.0,
    ),
    0.988: (
        -3.01776486318037, 0.0253279022079504, -0.108699263647866, 111.71328522259, -1.40788449695325, 4.99583854223396,
        -0.490718026209233, -0.678345195309606, -77.2075081524378, 2.77991750945812, 5.87649557195924, -0.079521342802553,
        -0.0682783164633602, -137.288330480057, 3.23409932298785, 2.95088403451676, -92.9090320815702, 1.91652598848846,
        4.72869551148826, -153.345217524901, 2.80972222634896, 0.0550713161345726, -16.2802035686092, 0.345295296954087,
        -1.27043853685716, 0.523402202487797, 1.69638999481271, -0.83251066298698, -0.0708961162790209, -1.75462181370315,
        0.590884021132542, 0.634873771165619, 0.959192215420474, 3.0974045221687, 0.59030612157444, 0.635253439912201,
    ),
    1.852: (
        -0.677001445475033, -7.50648421748613e-05, 6.23824733034592e-05, 17.0805658321852, -0.340695470449896, 5.30645166590148,
        -0.446841054397834, -0.0151933458839053, -132.335402732004, 2.64769293730482, 4.24803666439093, -0.0544227780352793,
        -0.00234283879626501, -105.707614232258, 2.11528392169843, 3.15114892255112, -71.1844274385625, 1.42413066879368,
        -2.84856601255766, 71.2455750940893, -1.42475945134624, -2.55900431935353, 63.9282885402912, -1.27856024168623,
        -0.00109737167194906, 1.04681489697934, 0.00187443879275369, -1.22364279135225, -0.610891325061367,
        -0.00415347657918984, 0.784784107810745, 0.0, 1.92024216707498, -0.00188804310402991, 0.785337838697597,
        0.00032068240637466,
    ),
}
# fmt: on
MODES = {0.0032: (-1, -1, -1, 0, 1, 0), 0.988: (-1, -1, -1, 1, 1, 1), 1.852: (-1, -1, -1, 0, -1, 1)}
"""Friction slides backward, is stuck, or slides forward."""

MOVED = "+".join(f"axis{k}.motor.emf.v*axis{k}.motor.emf.i" for k in range(1, 7))
LOST = "+".join(
    [f"axis{k}.gear.bearing.loss_power" for k in range(1, 7)] + [f"axis{k}.gear.spring.loss_power" for k in (1, 2, 3)]
)
BALANCE = Model(work=Var(init=0.0), heat=Var(init=0.0), equations=[f"der(work) = {MOVED}", f"der(heat) = {LOST}"])


@pytest.fixture(scope="module")
def robot():
    """The result for the whole path, with the work of the motors and the heat of friction and springs."""
    return instantiate(full_robot() | BALANCE).simulate(2.0, tolerance=1e-7, interval=0.0008)


def at(result, time):
    """The index of the last point at a time."""
    return np.flatnonzero(np.abs(result.time - time) < 1e-9)[-1]


def test_one_axis():
    result = instantiate(one_axis()).simulate(1.6, tolerance=1e-8, interval=0.016)
    assert result.time[-1] == pytest.approx(LAST_OF_ONE_AXIS, abs=1e-12)
    assert result.terminated == "end condition reached"
    for time, values in ONE_AXIS_POINTS.items():
        for name, value in zip(ONE_AXIS, values, strict=True):
            signal = result[f"axis.{name}"]
            assert signal[at(result, time)] == pytest.approx(value, abs=2e-5 * np.ptp(signal)), name
    assert set(result["axis.gear.bearing.mode"]) == {-1, 0, 1}
    stuck = result["axis.gear.bearing.mode"] == 0
    assert np.all(np.abs(result["axis.gear.bearing.tau"][stuck]) <= 0.5 + 1e-6)


def test_states_of_the_robot_are_the_published_ones(robot):
    assert robot.time[-1] == pytest.approx(1.85604500190409, abs=1e-11)
    for time, values in POINTS.items():
        now = at(robot, time)
        for name, value in zip(SIGNALS, values, strict=True):
            signal = robot[name]
            assert signal[now] == pytest.approx(value, abs=3e-4 * np.ptp(signal)), (time, name)
    for time, modes in MODES.items():
        assert tuple(robot[f"axis{k}.gear.bearing.mode"][at(robot, time)] for k in range(1, 7)) == modes


def test_the_arm_follows_its_path(robot):
    """Errors [rad] of each joint while it moves and in the end: those of the published angles from the same path."""
    trajectory = ptp_trajectory(0.0, START, END, *LIMITS)
    wanted = np.array([trajectory.evaluate(t)[0] for t in robot.time])
    error = np.abs(np.transpose([robot[f"r{k}.phi"] for k in range(1, 7)]) - wanted)
    assert error.max(axis=0) == pytest.approx((0.011127, 0.010117, 0.016517, 0.003496, 0.004464, 0.005547), abs=5e-6)
    assert error[-1] == pytest.approx((0.000375, 0.001917, 0.000043, 0.000614, 0.000372, 0.000059), abs=5e-6)
    assert all(np.abs(robot[f"axis{k}.motor.Jmotor.w"]).max() < 315.0 for k in range(1, 7))  # the largest speed of a motor
    assert robot.time[-1] == trajectory.duration + 0.5


def test_the_robot_as_a_scenario_gives_the_same_bits(robot, tmp_path):
    """Circuits, tables of the path, initial equations and `When` are written as YAML, and read again."""
    scenario = read_scenario(write_scenario(full_robot() | BALANCE, tmp_path / "robot.yaml"))
    result = instantiate(scenario.model).simulate(2.0, tolerance=1e-7, interval=0.0008)
    for name in SIGNALS:
        assert np.array_equal(result[name], robot[name]), name


def test_energy_of_the_robot(robot):
    arm = robot["mechanics.kinetic_energy"] + robot["mechanics.potential_energy"]
    rotors = sum(0.5 * AXES[k - 1]["motor"]["J"] * robot[f"axis{k}.motor.Jmotor.w"] ** 2 for k in range(1, 7))
    springs = sum(0.5 * AXES[k - 1]["gear"]["c"] * robot[f"axis{k}.gear.spring.phi_rel"] ** 2 for k in (1, 2, 3))
    balance = arm + rotors + springs + robot["heat"] - robot["work"]
    assert np.ptp(balance) < 1e-7 * np.ptp(arm)
    assert np.all(np.diff(robot["heat"]) >= -1e-9)
    assert robot["heat"][-1] > 0.1 * np.ptp(arm)  # else the balance would say nothing of friction
