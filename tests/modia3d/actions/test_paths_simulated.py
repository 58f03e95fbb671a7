"""Paths in simulations: jerk limits, corners and straight lines move joints as planned; derivatives as far as they exist."""

import numpy as np
import pytest

from modia3d import (
    ActionWait,
    EventAfterPeriod,
    MassProperties,
    Model3D,
    ModelActions,
    NoGravity,
    Object3D,
    Parallel,
    Pose,
    RevoluteWithFlange,
    Scene,
    Set,
    Solid,
    Sphere,
    StopPath,
    WaitUntil,
    addReferencePath,
    moveLinear,
    ptpJointSpace,
)
from modia3d.actions.paths_values import PtpJointSpace
from modia3d.actions.values import Wait
from modia3d.files import read_scenario
from modiapy import Model, ModelError, SimulationError, Var, instantiate

pytestmark = pytest.mark.white_box

INERTIA = 0.2
MASS = MassProperties(mass=1.0, Ixx=0.1, Iyy=0.1, Izz=INERTIA)
DRIVE = Model(
    flange=Model(phi=Var(potential=True), tau=Var(flow=True)),
    phi_ref=Var(input=True),
    equations=["flange.phi = phi_ref"],
)


def body():
    return Object3D(feature=Solid(Sphere(0.1), mass_properties=MASS))


def arm(program):
    """Two links of 1 m and 0.7 m about the world's z axis, moved (not driven) by the references shoulder and elbow."""
    return Model3D(
        world=Object3D(feature=Scene(gravity=NoGravity())),
        upper=body(),
        hinge=Object3D(parent="upper", translation=(1.0, 0.0, 0.0)),
        lower=body(),
        tool=Object3D(parent="lower", translation=(0.7, 0.0, 0.0)),
        shoulder=RevoluteWithFlange(obj1="world", obj2="upper", axis="z", phi=Var(), w=Var()),
        elbow=RevoluteWithFlange(obj1="hinge", obj2="lower", axis="z", phi=Var(), w=Var()),
        drive1=DRIVE,
        drive2=DRIVE,
        actions=ModelActions(program),
        equations=["drive1.phi_ref = actions.shoulder.position", "drive2.phi_ref = actions.elbow.position"],
        connect=[("drive1.flange", "shoulder.flange"), ("drive2.flange", "elbow.flange")],
    )


def declare(actions, **more):
    limits = {"v_max": [2.0, 2.0], "a_max": [4.0, 4.0], "j_max": [40.0, 40.0]}
    return addReferencePath(actions, ["shoulder", "elbow"], position=[0.4, 1.3], **(limits | more))


def line(actions):
    declare(actions)
    ActionWait(actions, 0.25)
    moveLinear(actions, "tool", (0.2, 1.1, 0.0), "free", v_max=0.5, a_max=2.0)
    moveLinear(actions, "tool", (0.0, -0.2, 0.0), "free", relative_to="hinge", v_max=0.5)


def distance(points, a, b):
    u = (b - a) / np.linalg.norm(b - a)
    return np.linalg.norm(np.cross(points - a, u), axis=1)


def test_a_frame_moves_on_straight_lines():
    simulation = instantiate(arm(line))
    result = simulation.simulate(5.0)
    assert result.statistics["compilations_after_start"] == 0
    time, tool = result.time, result["tool.r_abs"]
    goal = np.array([0.2, 1.1, 0.0])
    arrived = int(np.argmin(np.linalg.norm(tool - goal, axis=1)))
    assert tool[arrived] == pytest.approx(goal, abs=1e-8)
    assert distance(tool[: arrived + 1], tool[0], goal).max() < 1.2e-5
    hinge = result["hinge.r_abs"][arrived], result["hinge.R_abs"][arrived]
    end = hinge[0] + hinge[1] @ np.array([0.0, -0.2, 0.0])
    assert tool[-1] == pytest.approx(end, abs=1e-8)
    assert distance(tool[arrived:], goal, end).max() < 1.2e-5
    speed = np.linalg.norm(result["tool.v_abs"], axis=1)
    assert speed.max() <= 0.5 + 1e-4
    assert np.diff(speed).max() / np.diff(time).max() < 10.0
    for joint, reference in (("shoulder.phi", "shoulder"), ("elbow.phi", "elbow")):
        assert result[joint] == pytest.approx(result[f"actions.{reference}.position"], abs=1e-9)


@pytest.mark.parametrize("blend", [None, 0.3])
@pytest.mark.parametrize("j_max", [None, [40.0, 40.0]])
def test_signals_are_each_others_derivatives_and_torques_follow_the_acceleration(blend, j_max):
    def program(actions):
        declare(actions, j_max=j_max)
        ptpJointSpace(actions, [[1.0, 1.3], [1.0, 0.3], [0.4, 1.3]], blend=blend)

    result = instantiate(arm(program)).simulate(4.0, interval=1e-3)
    time = result.time
    inside = np.flatnonzero(np.diff(time) > 1e-6)
    for name in ("shoulder", "elbow"):
        q, v, a = (result[f"actions.{name}.{quantity}"] for quantity in ("position", "velocity", "acceleration"))
        step = np.diff(time)[inside]
        assert np.diff(q)[inside] / step == pytest.approx(0.5 * (v[1:] + v[:-1])[inside], abs=1e-4)
        even = np.abs(np.diff(a)[inside]) < 0.1  # no jump of the acceleration in between
        assert (np.diff(v)[inside] / step)[even] == pytest.approx(0.5 * (a[1:] + a[:-1])[inside][even], abs=2e-2)
        assert (~even).sum() <= (0 if j_max is not None else 10)
        assert np.abs(v).max() <= 2.0 * (1.0 + 1e-7)
        assert np.abs(a).max() <= 4.0 * (1.0 + 1e-7)
        if j_max is not None:
            assert np.abs(np.diff(a)[inside] / step).max() <= 40.0 * (1.0 + 1e-4)
    elbow = result["actions.elbow.acceleration"] + result["actions.shoulder.acceleration"]
    assert result["elbow.flange.tau"] == pytest.approx(INERTIA * elbow, abs=1e-8)  # the lower link turns about its center


@pytest.mark.parametrize("move", ["joints", "line"])
def test_a_path_that_a_condition_interrupts_brakes_smoothly_where_it_was_going(move):
    goal = np.array([0.2, 1.1, 0.0])

    def mover(actions):
        if move == "joints":
            ptpJointSpace(actions, [[1.4, 1.3], [1.4, 0.3]], blend=0.2)
        else:
            moveLinear(actions, "tool", goal, "free", v_max=0.5, a_max=2.0)

    def watcher(actions):
        yield WaitUntil("shoulder.phi > 0.6", timeout=2.0)
        yield StopPath()

    def program(actions):
        yield declare(actions)
        yield Parallel(mover, watcher)

    result = instantiate(arm(program)).simulate(4.0, interval=1e-3)
    time = result.time
    stopped = int(np.argmax(result["shoulder.phi"] > 0.6))
    w, a = result["actions.shoulder.velocity"], result["actions.shoulder.acceleration"]
    assert np.abs(w[stopped]) > 0.2
    assert np.abs(np.diff(w)).max() <= 4.0 * np.diff(time).max() * (1.0 + 1e-6)
    assert np.abs(np.diff(a)).max() <= 40.0 * np.diff(time).max() * (1.0 + 1e-6)
    assert np.abs(a).max() <= 4.0 * (1.0 + 1e-6)
    resting = np.abs(result["shoulder.w"]) + np.abs(result["elbow.w"]) < 1e-9
    assert resting[time > time[stopped] + 1.2].all()
    assert result["shoulder.phi"][-1] < 1.3
    if move == "line":
        tool = result["tool.r_abs"]
        assert distance(tool, tool[0], goal).max() < 1.2e-5
        assert np.linalg.norm(tool[-1] - goal) > 0.05


THIRD = Model(
    u=Var(input=True), v=Var(), a=Var(), j=Var(), equations=["v = der(u)", "a = der(v)", "j = der(a)"]
)  # fmt: skip


def test_a_jerk_limited_path_has_a_third_derivative_and_a_trapezoidal_one_has_none():
    def program(j_max, beside=None):
        def record(actions):
            addReferencePath(actions, ["x"], [0.0], [2.0], [1.0], j_max)
            if beside is not None:
                addReferencePath(actions, ["y"], [0.0], [2.0], [1.0], beside)
            ptpJointSpace(actions, [10.0], ["x"])

        return record

    def model(*limits):
        return Model3D(
            world=Object3D(feature=Scene()),
            actions=ModelActions(program(*limits)),
            third=THIRD,
            equations=["third.u = actions.x.position"],
        )

    result = instantiate(model([2.0])).simulate(8.0, interval=0.01)
    for time, jerk in ((0.2, 2.0), (0.9, 0.0), (2.2, -2.0), (3.0, 0.0), (5.2, -2.0), (7.2, 2.0), (7.9, 0.0)):
        k = int(np.argmin(np.abs(result.time - time)))
        assert result["third.j"][k] == pytest.approx(jerk, abs=1e-9)
        assert result["third.a"][k] == pytest.approx(result["actions.x.acceleration"][k], abs=1e-12)
    with pytest.raises(ModelError, match="reference"):
        instantiate(model(None))
    with pytest.raises(ModelError, match="reference"):
        instantiate(model(None, [2.0]))  # another one is limited


def test_an_unreachable_line_is_refused_before_the_arm_moves():
    def program(actions):
        declare(actions)
        ActionWait(actions, 0.5)
        moveLinear(actions, "tool", (2.5, 0.0, 0.0), "free")

    with pytest.raises((ModelError, SimulationError), match=r"action 3 .*moveLinear tool.*(out of reach|singular)"):
        instantiate(arm(program)).simulate(2.0)


def test_names_mean_what_stands_beside_the_program_first():
    """An arm with its program as a part of a larger model, which has a tool and a hinge of its own."""

    def program(actions):
        line(actions)
        ptpJointSpace(actions, [Pose("tool", (0.3, -0.4, 0.0), "free", relative_to="hinge")])

    alone = instantiate(arm(program)).simulate(8.0, interval=0.1)
    parts = {name: part for name, part in arm(program).items() if name not in Model3D()}
    parts.pop("world")
    place = Object3D(parent="world", translation=(0.1, 0.1, 0.0))
    whole = Model3D(world=Object3D(feature=Scene(gravity=NoGravity())), tool=place, hinge=place, cell=Model(**parts))
    result = instantiate(whole).simulate(8.0, interval=0.1)
    assert result["cell.tool.r_abs"] == pytest.approx(alone["tool.r_abs"], abs=1e-9)
    assert np.ptp(result["cell.tool.r_abs"], axis=0).max() > 0.5


def test_wrong_names_are_refused_when_the_model_is_loaded():
    def program(actions):
        declare(actions)
        moveLinear(actions, "tol", (0.5, 0.5, 0.0), "free")

    with pytest.raises(ModelError, match=r"action 2.*tol.*tool"):
        instantiate(arm(program))

    def other_joints(actions):
        declare(actions, joints=["shoulder", "elbo"])
        moveLinear(actions, "tool", (0.5, 0.5, 0.0), "free")

    with pytest.raises(ModelError, match=r"action 2.*elbo.*elbow"):
        instantiate(arm(other_joints))


SCENARIO = """\
modia3d: 1
model:
  world: {Object3D: {feature: {Scene: {gravity: {NoGravity: {}}}}}}
  body: {Object3D: {feature: {Solid: {shape: {Box: [0.1, 0.1, 0.1]}, solid_material: Steel}}}}
  slide: {Prismatic: {obj1: world, obj2: body, axis: x}}
actions:
  - addReferencePath: {names: [x], position: [0], v_max: [1], a_max: [2], j_max: [8], joints: [slide]}
  - ptpJointSpace: {positions: [[1], [3]], blend: 0.2}
  - moveLinear: {frame: body, translation: [0.5, 0, 0], rotation: free, v_max: 0.5, a_max: 1}
simulation: {stop_time: 12.0, interval: 0.05}
"""


def test_everything_is_there_in_yaml(tmp_path):
    file = tmp_path / "paths.yaml"
    file.write_text(SCENARIO)
    result = instantiate(read_scenario(file).model).simulate(12.0, interval=0.05)
    x = result["actions.x.position"]
    assert x.max() == pytest.approx(3.0, abs=1e-12)
    assert x[-1] == pytest.approx(0.5, abs=1e-9)
    there = np.flatnonzero(np.abs(x - 1.0) < 0.03)[0]
    assert result["actions.x.velocity"][there] > 0.9  # it passes the first row without stopping
    assert np.abs(result["actions.x.velocity"][x.argmax() :]).max() == pytest.approx(0.5, abs=1e-6)
    file.write_text(SCENARIO.replace("blend: 0.2", "blend: -1"))
    with pytest.raises(ModelError, match=r"paths\.yaml.*blend of ptpJointSpace") as caught:
        read_scenario(file)
    assert "paths.yaml:8:" in str(caught.value)


def test_a_path_that_ends_at_the_stop_time_has_ended():
    def program(actions):
        yield declare(actions)
        yield ptpJointSpace(actions, [1.0, 0.2])
        yield Set(done=True)

    sim = instantiate(arm(program))
    end = next(entry["time"] for entry in sim.simulate(5.0).program_log if entry["kind"] == "set")
    for stop in (np.nextafter(end, 0.0), end, np.nextafter(end, 9.0)):
        result = sim.simulate(float(stop))
        assert result.program_log[-1]["kind"] == "set"
        assert result["actions.shoulder.position"][-1] == pytest.approx(1.0, abs=1e-14)
        assert result.notes == []


def test_a_stop_time_within_a_path_ends_the_path_with_a_notice():
    """The path is left as it was planned: until then the motion is that of a longer simulation."""

    def program(actions):
        yield declare(actions)
        yield ptpJointSpace(actions, [1.0, 0.2])
        yield Set(done=True)

    sim = instantiate(arm(program))
    whole = sim.simulate(5.0, interval=0.125)
    end = next(entry["time"] for entry in whole.program_log if entry["kind"] == "set")
    for stop in (0.125, end - 1e-6):
        result = sim.simulate(stop, interval=0.125)
        assert (result.status, result.time[-1]) == ("finished", stop)
        (note,) = result.notes
        assert (note["kind"], note["time"], note["begin"], note["end"]) == ("unfinished path", stop, 0.0, pytest.approx(end))
        assert f"which it reaches at {end:.9g} s" in note["text"]
        planned = whole["actions.shoulder.position"][whole.time == 0.125][0] if stop == 0.125 else 1.0
        assert result["actions.shoulder.position"][-1] == pytest.approx(planned, abs=1e-12)
    assert whole.notes == []


@pytest.mark.parametrize("start", [-2.0, 4.0])
def test_a_program_does_the_same_whenever_the_simulation_begins(start):
    """Paths, waits and periods count from its beginning."""

    def program(actions):
        declare(actions)
        ptpJointSpace(actions, [0.8, 1.0])
        EventAfterPeriod(actions, 1.5)
        actions.record(Parallel([PtpJointSpace([0.2, 1.5])], [Wait(0.25), StopPath()]))
        moveLinear(actions, "tool", (0.2, 1.1, 0.0), "free", v_max=0.5, a_max=2.0)

    sim = instantiate(arm(program))
    usual, other = (sim.simulate(begin + 4.0, start_time=begin, interval=0.125) for begin in (0.0, start))
    runs = (usual, 0.0), (other, start)
    logs = [[(e["time"] - begin, e["kind"], type(e["outcome"])) for e in run.program_log] for run, begin in runs]
    assert [entry[1:] for entry in logs[1]] == [entry[1:] for entry in logs[0]]
    assert [entry[0] for entry in logs[1]] == pytest.approx([entry[0] for entry in logs[0]], abs=1e-12)
    assert [entry[1] for entry in logs[0]] == ["path", "wait", "wait", "path", "stop_path", "parallel", "route", "path"]
    assert other.statistics["events_by_kind"] == usual.statistics["events_by_kind"]
    for name in ("actions.shoulder.position", "actions.elbow.velocity", "tool.r_abs"):
        one, two = (run[name][np.isin(run.time, begin + np.arange(0.0, 4.0, 0.125))] for run, begin in runs)
        assert len(one) >= 32
        assert two == pytest.approx(one, abs=1e-9)
