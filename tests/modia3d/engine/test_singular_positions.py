"""Positions where the constraints of a closed mechanism lose rank: what is noted where it passes, begins or stays there."""

import numpy as np
import pytest

from modia3d import Model3D, NoGravity, Object3D, Prismatic, Revolute, Scene, Spherical, WorldTorque
from modia3d.cli.table import segment_table
from modiapy import Map, instantiate
from tests.modia3d.constraints.test_mechanisms import bar
from tests.modia3d.engine.test_closed_loops import angle_of_rockers, closed, four_bars, gravity
from tests.modia3d.scenes import body

pytestmark = pytest.mark.white_box


def notes(result, segment=0):
    """Of a segment."""
    return result.segments[segment].info.get("notes", [])


def times_in_line(n, until):
    """When the rockers of a row of four-bars lie along its line."""
    times = np.linspace(0.0, until, 20001)
    heights = np.sin(angle_of_rockers(n, times))
    return [float(times[k]) for k in np.flatnonzero(heights[1:] * heights[:-1] < 0.0)]


@pytest.mark.parametrize(
    ("n", "solver", "tolerance"), [(1, "cvode", 1e-8), (4, "cvode", 3e-4), (1, "scipy", 1e-5), (4, "adams", 1e-6)]
)
def test_each_passage_of_a_row_of_four_bars_is_noted_at_its_time(n, solver, tolerance, capsys):
    """Also where the steps of the integrator lead across the neighbourhood, and without events that begin a new one."""
    result = instantiate(four_bars(n)).simulate(4.0, tolerance=tolerance, solver=solver, interval=0.5, log=True)
    found, expected = notes(result), times_in_line(n, 4.0)
    assert [note["time"] for note in found] == pytest.approx(expected, abs=max(100.0 * tolerance, 3e-4))
    assert len(expected) == 4
    for note in found:
        assert note["begin"] < note["time"] < note["end"]
        assert set(note["loops"]) == {f"right{k}" for k in range(1, n + 1)}
        assert (note["rank"], note["dof"]) == (2 * n, 1)
        assert note["smallest"] < 1e-2
        assert "branch kept" in note["text"]
    said = capsys.readouterr().err
    assert said.count(f"passes a singular position ({found[0]['smallest']:.2g} of a row is new): rank counted as {2 * n}") >= 1
    assert said.count("passes a singular position") == 4
    assert result.statistics["events_by_kind"] == {"singular position": 4}
    assert result.statistics["events"] == result.segments[0].events == 4
    assert result.notes == found


def test_what_is_noted_does_not_depend_on_output_points():
    simulation = instantiate(four_bars(1))
    few, many = (notes(simulation.simulate(4.0, tolerance=1e-6, interval=interval)) for interval in (2.0, 0.003))
    assert few == many != []


def slider_crank(rod):
    """A crank of 0.5 m that turns, a rod, and a slider along x."""
    x = np.sqrt(rod**2 - (0.5 * np.sin(1.0)) ** 2)
    return Model3D(
        world=gravity(),
        crank=bar(0.5),
        crank_tip=Object3D(parent="crank", translation=(0.5, 0.0, 0.0)),
        rod=bar(rod),
        rod_tip=Object3D(parent="rod", translation=(rod, 0.0, 0.0)),
        slider=body(1.0, 0.1),
        turn=Revolute("world", "crank", "z", phi=1.0, w=8.0, fixed=True),
        wrist=Revolute("crank_tip", "rod", "z", phi=-1.0 - np.arcsin(0.5 * np.sin(1.0) / rod)),
        guide=Prismatic("world", "slider", "x", s=0.5 * np.cos(1.0) + x),
        pin=Revolute("rod_tip", "slider", "z"),
    )


def test_dead_centres_of_a_slider_crank_are_no_singular_positions():
    """The crank passes them whatever the slider does; with a rod as long as the crank there is one half-way."""
    result = instantiate(slider_crank(1.2)).simulate(2.0, tolerance=1e-7)
    assert np.ptp(result["turn.phi"]) > 4.0 * np.pi
    assert notes(result) == []
    result = instantiate(slider_crank(0.5)).simulate(2.0, tolerance=1e-7)
    crossings = np.sum(np.diff(np.sign(np.cos(result["turn.phi"]))) != 0)
    assert len(notes(result)) == crossings > 4
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert np.ptp(energy) < 1e-3


def parallelogram(angle, speed, **options):
    """Rods of 1 m and 2 m at an angle, in gravity along -y."""
    turning = {"motor": speed, "knee": -speed, "pivot": speed}
    angles = {"motor": angle, "knee": -angle, "pivot": angle}
    frames = {"motor": ("world", "crank"), "knee": ("crank_tip", "coupler"), "pivot": ("far", "rocker")}
    joints = {name: Revolute(*frames[name], "z", phi=angles[name], w=turning[name], **options) for name in frames}
    return closed(()) | Map(**joints, pin=Revolute("coupler_tip", "rocker_tip", "z"))


ANTI = -3.0
"""Of the other branch: the speed of the rocker in line is so many times that of the crank."""


def opening(crank, rocker):
    """By how much the ends of a crank and a rocker of 1 m, 2 m away from each other, are not 2 m apart [m]."""
    return np.hypot(2.0 + np.cos(rocker) - np.cos(crank), np.sin(rocker) - np.sin(crank)) - 2.0


@pytest.mark.parametrize("solver", ["cvode", "adams"])
@pytest.mark.parametrize("ratio", [1.0, ANTI])
def test_speeds_in_line_decide_about_the_branch(ratio, solver):
    """In line the parallelogram can become an antiparallelogram; either is told, and kept at the next passage."""
    speeds = {"motor": 2.0, "pivot": 2.0 * ratio, "knee": (ratio - 1.0) - 2.0}
    joints = {name: Map(w=w) for name, w in speeds.items()}
    result = instantiate(parallelogram(0.0, 0.0) | Map(**joints)).simulate(0.5, tolerance=1e-8, solver=solver)
    assert notes(result)[0]["text"].startswith("pin: leaves a singular position: rank counted as 2, dof 1")
    crank, rocker = result["motor.phi"], result["pivot.phi"]
    assert opening(crank, rocker) == pytest.approx(0.0, abs=1e-9)
    assert rocker[1] / crank[1] == pytest.approx(ratio, rel=0.01)
    away = np.abs(crank) > 0.05
    assert away.sum() > 100
    assert (np.abs(rocker - crank)[away] > 0.1).all() == (ratio == ANTI)


@pytest.mark.parametrize("solver", ["cvode", "adams"])
def test_no_force_changes_the_branch_of_a_mechanism_that_moves(solver):
    """A hundred times the weight pulls crank and rocker into opposite directions, where the mechanism passes its line.

    While rank is full such forces only load the rods, and in line they would have to act for a time.
    """
    push = {f"{name}_push": WorldTorque(name, torque=(0.0, 0.0, sign)) for name, sign in (("crank", 1e3), ("rocker", -1e3))}
    result = instantiate(parallelogram(0.3, -2.0) | Map(**push)).simulate(0.5, tolerance=1e-8, solver=solver)
    assert result["motor.phi"][-1] < -0.5
    assert result["pivot.phi"] == pytest.approx(result["motor.phi"], abs=1e-9)
    (note,) = notes(result)
    assert "branch kept" in note["text"]


def test_a_mechanism_that_begins_in_line_has_one_freedom_less_behind():
    result = instantiate(parallelogram(0.0, 3.0)).simulate(0.3, tolerance=1e-8)
    assert result.segments[0].info["dof"] == 2
    (note,) = notes(result)
    assert note["text"].startswith("pin: leaves a singular position: rank counted as 2, dof 1")
    assert note["begin"] <= note["end"] < 0.05
    assert result["pivot.phi"] == pytest.approx(result["motor.phi"], abs=1e-9)


def test_a_mechanism_that_stays_in_line_is_said_to_have_more_freedoms():
    """At rest, without gravity."""
    model = parallelogram(0.004, 0.0) | Map(world=Object3D(feature=Scene(gravity=NoGravity())))
    result = instantiate(model).simulate(0.3)
    (note,) = notes(result)
    assert note["end"] is None
    assert note["text"].startswith("pin: remains in a singular position since 0 s")
    assert (note["rank"], note["dof"]) == (2, 1)


def test_a_mechanism_that_turns_back_near_its_line_is_said_to():
    """Thrown up so that its height ends 5 mm above the line."""
    inertia, moment = 5.0 / 3.0, 2.0 * 9.81
    speed = np.sqrt(2.0 * moment / inertia * (np.sin(0.3) + 0.005))
    result = instantiate(parallelogram(-0.3, speed)).simulate(1.0, tolerance=1e-9)
    (note,) = notes(result)
    assert "turned back on its branch" in note["text"]
    assert note["turned"] == pytest.approx(np.pi, abs=0.01)
    assert note["begin"] < result.time[np.argmax(result["motor.phi"])] < note["end"]
    assert result["motor.phi"].max() == pytest.approx(0.005, abs=1e-5)


def test_rows_in_an_unlucky_order_are_no_singular_position():
    """The plane of the mechanism is nearly perpendicular to the first axis of the cut: of its first row little is new."""
    turned = {"rotation": (0.0, np.pi / 2.0 - 0.005, 0.0)}
    model = parallelogram(1.0, 1.0) | Map(
        pin=Spherical("coupler_pin", "rocker_pin"),
        coupler_pin=Object3D(parent="coupler_tip", **turned),
        rocker_pin=Object3D(parent="rocker_tip", **turned),
    )
    result = instantiate(model).simulate(0.2, tolerance=1e-8)
    assert result.segments[0].info["dof"] == 1
    assert notes(result) == []


def test_the_table_of_segments_has_the_notes():
    result = instantiate(four_bars(1)).simulate(2.0, tolerance=1e-6)
    first, second = notes(result)
    figures = {"segments": [record.to_json() for record in result.segments], "stop_time": 2.0, **result.statistics}
    lines = segment_table(figures).splitlines()
    assert lines[3].strip() == f"{first['time']:.9g} s  {first['text']}"
    assert lines[4].strip() == f"{second['time']:.9g} s  {second['text']}"
    assert lines[1] == "-" * max(map(len, lines[:5]))
