"""Closed mechanisms in a simulation: motion, degrees of freedom, residuals, work of constraint forces."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from modia3d import (
    AbsoluteSensor,
    ActionAttach,
    CutForce,
    CutForceAndTorque,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Revolute,
    RevoluteWithFlange,
    RodConstraint,
    Scene,
    UniformGravity,
    WorldForce,
)
from modiapy import Map, Model, Var, instantiate
from modiapy.library.rotational import Torque
from tests.modia3d.constraints.test_mechanisms import bar
from tests.modia3d.scenes import free

pytestmark = pytest.mark.white_box

GRAVITY = 9.81


def gravity():
    """The world, with gravity along -y."""
    return Object3D(feature=Scene(gravity=UniformGravity(GRAVITY, "-y")))


def four_bars(n):
    """``n`` windows of rods of 1 m and 1 kg, the rockers upright at first: a parallelogram with one degree of freedom."""
    entries = {"world": gravity()}
    for k in range(n + 1):
        entries |= {
            f"foot{k}": Object3D(parent="world", translation=(float(k), 0.0, 0.0)),
            f"rod{k}": bar(1.0),
            f"tip{k}": Object3D(parent=f"rod{k}", translation=(1.0, 0.0, 0.0)),
            f"rocker{k}": Revolute(f"foot{k}", f"rod{k}", "z", phi=np.pi / 2.0, w=-1.0),
        }
        if k:
            entries |= {
                f"bar{k}": bar(1.0),
                f"end{k}": Object3D(parent=f"bar{k}", translation=(1.0, 0.0, 0.0)),
                f"left{k}": Revolute(f"tip{k - 1}", f"bar{k}", "z", phi=-np.pi / 2.0, w=1.0),
                f"right{k}": Revolute(f"end{k}", f"tip{k}", "z"),
            }
    return Model3D(**entries)


def angle_of_rockers(n, times):
    """Their angle, from the equation of motion in that one coordinate."""
    inertia, moment = (n + 1) / 3.0 + n, ((n + 1) / 2.0 + n) * GRAVITY
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "t_eval": times}
    solved = solve_ivp(lambda _, y: [y[1], -moment / inertia * np.cos(y[0])], (0.0, times[-1]), [np.pi / 2.0, -1.0], **options)
    return solved.y[0]


@pytest.mark.parametrize("n", [1, 4])
def test_a_row_of_four_bars_passes_the_positions_in_line(n):
    """In line the mechanism could go on as an antiparallelogram: it keeps its branch, and one degree of freedom."""
    result = instantiate(four_bars(n)).simulate(4.0, tolerance=1e-8, interval=0.01)
    assert result.segments[0].info["dof"] == 1
    angles = np.array([result[f"rocker{k}.phi"] for k in range(n + 1)])
    assert np.abs(angles - angles[0]).max() < 1e-9
    assert np.abs(angles[0] - angle_of_rockers(n, result.time)).max() < 1e-5
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert np.ptp(energy) < 1e-4
    tips = np.abs(result[f"end{n}.r_abs"] - result[f"tip{n}.r_abs"]).max()
    assert tips < 1e-12


PASSIVE = {"motor": (1.0, 1.0), "knee": (-1.0, -1.0), "pivot": (1.0, 1.0), "pin": (1.0, 1.0)}


def closed(flanges):
    """A parallelogram, whose joints that are named have a flange that nothing is connected to."""

    def joint(name, one, two):
        phi, w = PASSIVE[name]
        if name in flanges:
            return RevoluteWithFlange(one, two, "z", phi=Var(init=phi), w=Var(init=w))
        return Revolute(one, two, "z", phi=phi, w=w)

    return Model3D(
        world=gravity(),
        far=Object3D(parent="world", translation=(2.0, 0.0, 0.0)),
        crank=bar(1.0),
        crank_tip=Object3D(parent="crank", translation=(1.0, 0.0, 0.0)),
        coupler=bar(2.0),
        coupler_tip=Object3D(parent="coupler", translation=(2.0, 0.0, 0.0)),
        rocker=bar(1.0),
        rocker_tip=Object3D(parent="rocker", translation=(1.0, 0.0, 0.0)),
        motor=joint("motor", "world", "crank"),
        knee=joint("knee", "crank_tip", "coupler"),
        pivot=joint("pivot", "far", "rocker"),
        pin=joint("pin", "coupler_tip", "rocker_tip"),
    )


@pytest.fixture(scope="module")
def passive():
    """Angles of the mechanism without flanges."""
    return instantiate(closed(())).simulate(1.5, tolerance=1e-9, interval=0.01)


@pytest.mark.parametrize("flanges", [found for k in (1, 2, 3, 4) for found in itertools.combinations(PASSIVE, k)])
def test_flanges_that_nothing_drives_change_nothing(flanges, passive):
    """Whichever joints are in the equations, and whichever of them are cut, or the body between them."""
    result = instantiate(closed(flanges)).simulate(1.5, tolerance=1e-9, interval=0.01)
    assert result.segments[0].info["dof"] == 1
    for body in ("crank", "coupler", "rocker"):
        assert result[f"{body}.r_abs"] == pytest.approx(passive[f"{body}.r_abs"], abs=1e-7)
        assert result[f"{body}.w_abs"] == pytest.approx(passive[f"{body}.w_abs"], abs=1e-6)


OPTIONS = {"stop_time": 0.8, "tolerance": 1e-9, "interval": 0.02}


@pytest.fixture(scope="module")
def pushed():
    """The mechanism without flanges, with a force of the engine on it."""
    return instantiate(closed(()) | Model(push=WorldForce("coupler_tip", force=(15.0, -30.0, 0.0)))).simulate(**OPTIONS)


@pytest.mark.parametrize("mode", ["ode", "dae"])
@pytest.mark.parametrize("flanges", [(), ("motor",), ("knee", "pivot"), ("motor", "knee", "pivot"), tuple(PASSIVE)])
def test_a_force_from_equations_does_what_one_of_the_engine_does(flanges, mode, pushed):
    """What equations push is shared among loops, passive joints and those with flanges."""
    outside = Model(push=WorldForce("coupler_tip", force=("15.0 + 0.0*time", "-30.0 + 0.0*time", 0.0)))
    result = instantiate(closed(flanges) | outside).simulate(**OPTIONS, mode=mode)
    for body in ("crank", "coupler", "rocker"):
        assert result[f"{body}.r_abs"] == pytest.approx(pushed[f"{body}.r_abs"], abs=2e-6)
        assert result[f"{body}.a_abs"] == pytest.approx(pushed[f"{body}.a_abs"], abs=2e-4)


def in_world(result, joint, frame):
    """The cut force of a joint, which is given in the axes of its second frame."""
    return np.einsum("tij,tj->ti", result[f"{frame}.R_abs"], result[f"{joint}.cut_force"])


def acceleration_of_centre(result, rod):
    """Of a slender rod of 1 m."""
    arm = np.einsum("tij,j->ti", result[f"{rod}.R_abs"], np.array([0.5, 0.0, 0.0]))
    w, z = result[f"{rod}.w_abs"], result[f"{rod}.z_abs"]
    return result[f"{rod}.a_abs"] + np.cross(z, arm) + np.cross(w, np.cross(w, arm))


def test_forces_in_cuts_move_each_body():
    """Newton's law for each rod, with the forces in the joints of the tree and in those that are cut."""
    result = instantiate(four_bars(2)).simulate(1.0, tolerance=1e-9, interval=0.01)
    weight = np.array([0.0, -GRAVITY, 0.0])
    foot = [in_world(result, f"rocker{k}", f"rod{k}") for k in range(3)]
    left = [in_world(result, f"left{k}", f"bar{k}") for k in (1, 2)]
    right = [in_world(result, f"right{k}", f"tip{k}") for k in (1, 2)]
    sums = {
        "rod0": foot[0] - left[0],
        "rod1": foot[1] + right[0] - left[1],
        "rod2": foot[2] + right[1],
        "bar1": left[0] - right[0],
        "bar2": left[1] - right[1],
    }
    for rod, force in sums.items():
        assert force + weight == pytest.approx(acceleration_of_centre(result, rod), abs=1e-9)
    assert np.abs(foot[0]).max() > 10.0
    t, v = result.time, result["bar2.v_abs"]
    assert result["bar2.a_abs"][1:-1] == pytest.approx((v[2:] - v[:-2]) / (t[2:] - t[:-2])[:, None], abs=0.2)


IN_PLANE = {"cut_force": (0, 1), "cut_torque": (2,)}


@pytest.mark.parametrize("flanges", [("motor",), ("motor", "knee", "pivot"), tuple(PASSIVE)])
def test_forces_in_cuts_are_the_same_whatever_closes_the_loop(flanges, passive):
    """A joint, or a body that is cut in two where all joints have a flange; also within that body, by a force on it."""
    push = Model(push=WorldForce("coupler_tip", force=(15.0, -30.0, 0.0)))
    # near the position in line forces differ by the error of integration: 8e-4 of 450 N at the tolerance 1e-9, 1e-5 at this one
    options = {"stop_time": 0.8, "tolerance": 1e-11, "interval": 0.02}
    expected, result = (instantiate(closed(some) | push).simulate(**options) for some in ((), flanges))
    for place in (*PASSIVE, "coupler_tip", "crank_tip"):
        for quantity, axes in IN_PLANE.items():
            name = f"{place}.{quantity}"
            assert result[name][:, axes] == pytest.approx(expected[name][:, axes], rel=1e-7, abs=1e-5), name
    assert np.abs(result["pivot.cut_force"]).max() > 10.0


def test_a_sensor_knows_the_accelerations_of_a_closed_loop():
    """In the equations, with a torque on the crank that comes from them."""
    model = closed(("motor",)) | Model(
        sensor=AbsoluteSensor("coupler_tip", quantities=("r", "a")),
        drive=Torque,
        equations=["drive.tau = 20.0*sin(3.0*time)"],
        connect=[("drive.flange", "motor.flange")],
    )
    result = instantiate(model).simulate(1.0, tolerance=1e-9, interval=0.005)
    sensed = np.stack([result[f"sensor.a.{axis}"] for axis in "xyz"], axis=1)
    assert sensed == pytest.approx(result["coupler_tip.a_abs"], abs=1e-6)
    assert np.abs(sensed).max() > 1.0


def test_residuals_rank_and_condition_are_results():
    result = instantiate(four_bars(1)).simulate(1.0, tolerance=1e-8)
    info = result.segments[0].info
    assert info["constraints"] == 2
    assert len(info["redundant"]) == 3
    assert all(row.startswith("right1 (") for row in info["redundant"])
    assert 1.0 <= info["condition"] < 10.0
    assert 0.0 < result["mechanics.constraint_residual"].max() < 1e-12
    assert 0.0 < result["mechanics.constraint_speed"].max() < 1e-11


@pytest.mark.parametrize("size", [1e4, 1e-4])
def test_a_residual_is_a_distance_and_beside_it_is_its_rate(size):
    """Both are rounding: that of lengths, in a large mechanism, and that of speeds, in a small one that moves as fast."""
    tips = {f"{name}_tip": Object3D(parent=name, translation=(size, 0.0, 0.0)) for name in ("crank", "coupler", "rocker")}
    turn = {"phi": 1.0, "w": 1.0 / size}
    made = Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        far=Object3D(parent="world", translation=(size, 0.0, 0.0)),
        **{name: bar(size) for name in ("crank", "coupler", "rocker")},
        **tips,
        motor=Revolute("world", "crank", "z", **turn),
        knee=Revolute("crank_tip", "coupler", "z", phi=-1.0, w=-1.0 / size),
        pivot=Revolute("far", "rocker", "z", **turn),
        pin=Revolute("coupler_tip", "rocker_tip", "z"),
    )
    result = instantiate(made).simulate(size, tolerance=1e-6, interval=0.05 * size)
    apart, parting = (np.abs(result[f"mechanics.constraint_{name}"]).max() for name in ("residual", "speed"))
    assert (apart > parting) == (size > 1.0)
    assert apart < 1e-11 * size
    assert parting < 1e-11


@pytest.mark.parametrize("flanges", [(), ("motor",), ("knee", "pivot"), ("motor", "knee", "pivot"), tuple(PASSIVE)])
def test_equations_know_what_goes_through_cuts_of_a_closed_loop(flanges):
    """What the results say: in the tree, in the joint that is cut, within a body; a force of the equations acts, too."""
    places = (*PASSIVE, "coupler_tip", "crank_tip")
    model = closed(flanges) | Model(
        push=WorldForce("coupler_tip", force=("15.0*cos(time)", "-30.0", "0.0")),
        **{f"meter_{place}": CutForceAndTorque(place) for place in places},
    )
    result = instantiate(model).simulate(0.8, tolerance=1e-9, interval=0.02)
    for place in places:
        for quantity, axes in IN_PLANE.items():
            sensed = np.stack([result[f"meter_{place}.{quantity[4:]}.{axis}"] for axis in "xyz"], axis=1)
            assert sensed[:, axes] == pytest.approx(result[f"{place}.{quantity}"][:, axes], abs=1e-6), place
    assert np.abs(result["pivot.cut_force"]).max() > 10.0


def test_equations_know_cut_forces_before_and_after_a_loop_is_closed():
    """Two rods hang; the tip of the second one is held at the first instant, then a force pulls at the knee."""

    def program(actions):
        EventAfterPeriod(actions, 0.3)
        ActionAttach(actions, "tip", "hook")

    model = Model3D(
        world=gravity(),
        hook=Object3D(parent="world", translation=(0.0, -2.0, 0.0), rotation=(np.pi, 0.0, 0.0), lockable=True),
        upper=bar(1.0),
        knee=Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        lower=bar(1.0),
        tip=Object3D(parent="lower", translation=(1.0, 0.0, 0.0), lockable=True),
        shoulder=RevoluteWithFlange("world", "upper", "z", phi=Var(init=-np.pi / 2.0), w=Var(init=0.0)),
        elbow=Revolute("knee", "lower", "z"),
        pull=WorldForce("knee", force=("10.0*time if time > 0.3 else 0.0", "0", "0")),
        meter=CutForce("elbow"),
        steps=ModelActions(program),
    )
    result = instantiate(model).simulate(0.6, tolerance=1e-9, interval=0.02)
    assert [segment.info["dof"] for segment in result.segments] == [2, 0]
    sensed = np.stack([result[f"meter.force.{axis}"] for axis in "xyz"], axis=1)
    assert sensed[:, :2] == pytest.approx(result["elbow.cut_force"][:, :2], abs=1e-7)
    assert sensed[0] == pytest.approx((-GRAVITY, 0.0, 0.0), abs=1e-6)
    held = result.time > 0.31
    assert np.abs(sensed[held, 1]).max() > 1.0


def test_a_force_may_depend_on_what_a_rod_bears():
    """A governor of the tension in a constraint, in the same instant: the force takes half of it."""

    def ball(force):
        return Model3D(
            world=gravity(),
            ball=free(translation=(1.0, 0.0, 0.0)),
            rod=RodConstraint("world", "ball", 1.0),
            pull=WorldForce("ball", force=force, resolved_in="ball"),
            meter=CutForce("rod"),
        )

    alone = instantiate(ball(("0", "0", "0"))).simulate(0.5, tolerance=1e-10, interval=0.05)
    halved = instantiate(ball(tuple(f"meter.force.{axis}" for axis in "xyz"))).simulate(0.5, tolerance=1e-10, interval=0.05)
    assert halved["ball.r_abs"] == pytest.approx(alone["ball.r_abs"], abs=1e-7)
    assert halved["meter.force.x"] == pytest.approx(0.5 * alone["meter.force.x"], abs=1e-6)
    assert np.abs(alone["meter.force.x"]).max() > 5.0
    assert alone["rod.cut_force"][:, 0] == pytest.approx(alone["meter.force.x"], abs=1e-9)


@pytest.mark.parametrize("flange", [False, True])
def test_a_limit_stops_a_closed_loop_and_holds_it(flange):
    """A parallelogram falls on the end stop of its crank, which then carries what hangs on it (virtual work)."""
    stop = {"limits": (0.5, 2.0), "at_limit": "stop"}
    crank = (
        RevoluteWithFlange("world", "crank", "z", phi=Var(init=1.0), w=Var(init=0.0), **stop)
        if flange
        else Revolute("world", "crank", "z", phi=1.0, **stop)
    )
    still = {
        "motor": crank,
        "knee": Revolute("crank_tip", "coupler", "z", phi=-1.0),
        "pivot": Revolute("far", "rocker", "z", phi=1.0),
        "pin": Revolute("coupler_tip", "rocker_tip", "z"),
    }
    result = instantiate(closed(()) | Map(**still)).simulate(3.0, tolerance=1e-8, interval=0.01)
    assert result["motor.phi"][-1] == pytest.approx(0.5, abs=1e-8)
    assert np.abs(result["coupler.v_abs"][-1]).max() < 1e-9
    assert [record.info["dof"] for record in result.segments] == [1, 0]
    weight = (0.5 + 1.0 + 0.5) * GRAVITY * np.cos(0.5)
    assert result["motor.constraint_torque"][-1] == pytest.approx(weight, rel=1e-7)
    assert result.segments[1].info["energy_lost"] == pytest.approx(2.0 * GRAVITY * (np.sin(1.0) - np.sin(0.5)), rel=1e-5)
