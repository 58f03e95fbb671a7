"""Contacts in results: signals, the table, and that both are the same wherever a result comes from."""

import functools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modia3d import (
    ActionDelete,
    ActionWait,
    Box,
    CutForceAndTorque,
    Model3D,
    ModelActions,
    Object3D,
    Plane,
    Scene,
    Solid,
    Sphere,
    contact_pair,
)
from modia3d.scene.solid_materials import solid_material
from modiapy import ModelError, Result, SimulationInterrupted, instantiate, read_result
from modiapy.simulation.files.archive import unpacked_text
from tests.modiapy.simulation.result_files import lines, taken_apart

pytestmark = pytest.mark.white_box

G = 9.81
RADIUS = 0.1
FLOOR = Object3D(parent="world", feature=Solid(shape=Plane(axis="y"), collision=True, contact_material="Steel"))


def ball(height: float, x: float = 0.3) -> Any:
    """A ball whose lowest point is so far above the floor."""
    solid = Solid(shape=Sphere(2.0 * RADIUS), solid_material="Steel", collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=[x, RADIUS + height, 0.0], feature=solid)


@functools.cache
def bouncing() -> Any:
    """A ball bounces on the floor, another one elsewhere later."""
    return instantiate(Model3D(world=Object3D(feature=Scene()), floor=FLOOR, ball=ball(0.2), late=ball(0.9, x=2.0)))


PAIR = "mechanics.contact[floor,ball]"
BY_PAIR = [f"{PAIR}.{quantity}" for quantity in ("force", "normal", "point", "distance", "touching", "phase")]
SIGNALS = ["mechanics.contacts", "ball.contact_force", "floor.contact_force", "ball.contacts", *BY_PAIR]


VOLUME = 4.0 / 3.0 * np.pi * RADIUS**3
MASS = VOLUME * solid_material("Steel").density
STOP = 0.7


@functools.cache
def bounces() -> Result:
    return bouncing().simulate(STOP, tolerance=1e-8, interval=0.01)


def first_bounce(result: Result) -> tuple[dict[str, Any], float, float]:
    """The row of the table, and the speeds before and after."""
    row = next(row for row in result.contacts if row["pair"] == ["floor", "ball"])
    v = result["ball.v_abs"][:, 1]
    return row, *(float(v[np.flatnonzero(result.time == row[when])[-1]]) for when in ("begin", "end"))


def test_the_impulse_of_a_bounce_is_that_of_the_speeds() -> None:
    row, before, after = first_bounce(bounces())
    assert before == pytest.approx(-np.sqrt(2.0 * G * 0.2), rel=1e-6)
    weight = MASS * G * (row["end"] - row["begin"])
    assert row["impulse"] == pytest.approx(MASS * (after - before) + weight, rel=1e-3)
    restitution = contact_pair("Steel", "Steel").restitution
    assert row["impulse"] == pytest.approx(-MASS * (1.0 + restitution) * before, rel=1e-2)
    assert row["largest_force"] > 2.0 * row["impulse"] / (row["end"] - row["begin"]) * 0.7


def test_rigid_solids_have_an_impulse_and_no_force() -> None:
    """Their speeds are changed at one instant, which is begin and end of the contact."""
    scene = Object3D(feature=Scene(contact_response="rigid"))
    result = instantiate(Model3D(world=scene, floor=FLOOR, ball=ball(0.2))).simulate(0.3, tolerance=1e-8)
    (row,) = result.contacts
    _, after = np.flatnonzero(result.time == row["begin"])[[0, -1]]
    v = float(result["ball.v_abs"][after, 1])
    restitution = contact_pair("Steel", "Steel").restitution
    assert (row["pair"], row["end"], row["largest_force"]) == (["floor", "ball"], row["begin"], 0.0)
    assert row["impulse"] == pytest.approx(MASS * (v + v / restitution), rel=1e-6)
    assert row["impulse"] == pytest.approx(MASS * (1.0 + restitution) * np.sqrt(2.0 * G * 0.2), rel=1e-6)


def test_the_table_does_not_depend_on_output_points() -> None:
    assert bouncing().simulate(STOP, tolerance=1e-8, interval=0.5).contacts == bounces().contacts


def test_forces_on_both_solids_are_opposite_and_at_the_point_of_contact() -> None:
    sim, row = bouncing(), first_bounce(bounces())[0]
    result = sim.simulate(row["end"] + 1e-4, tolerance=1e-8, interval=2e-5)
    force, touching = result["ball.contact_force"], result[f"{PAIR}.touching"] > 0.0
    assert force[:, 1].max() == pytest.approx(row["largest_force"], rel=5e-3)
    np.testing.assert_array_equal(result["floor.contact_force"], -force)
    np.testing.assert_array_equal(result[f"{PAIR}.force"], force)
    np.testing.assert_array_equal(result["mechanics.contacts"], touching)
    np.testing.assert_array_equal(result["floor.contacts"], touching)
    assert not result["late.contacts"].any()
    assert touching.sum() > 20
    assert np.array_equal(touching, result[f"{PAIR}.phase"] > 0.0)
    assert (force[touching][1:-1, 1] > 0.0).all()
    assert not force[~touching].any()
    np.testing.assert_allclose(result[f"{PAIR}.distance"], result["ball.r_abs"][:, 1] - RADIUS, atol=1e-14)
    np.testing.assert_allclose(result[f"{PAIR}.normal"], np.tile([0.0, 1.0, 0.0], (len(force), 1)), atol=1e-15)
    point = result[f"{PAIR}.point"]
    assert np.isnan(point[~touching]).all()
    np.testing.assert_allclose(point[touching][:, [0, 2]], np.tile([0.3, 0.0], (touching.sum(), 1)), atol=1e-12)
    np.testing.assert_allclose(point[touching][:, 1], 0.5 * result[f"{PAIR}.distance"][touching], atol=1e-12)


def between_events(result: Result) -> np.ndarray:
    """Whether a point stands alone at its time."""
    return np.array([np.count_nonzero(result.time == t) == 1 for t in result.time])


def test_accelerations_and_energies_of_the_past_know_the_contacts_of_their_time() -> None:
    sim, row = bouncing(), first_bounce(bounces())[0]
    result = sim.simulate(row["end"] + 1e-4, tolerance=1e-8, interval=2e-5)
    alone, weight = between_events(result), np.array([0.0, -MASS * G, 0.0])
    for _ in range(2):  # what is asked for first must not matter
        force = result["ball.contact_force"] + weight
        np.testing.assert_allclose(MASS * result["ball.a_abs"][alone], force[alone], rtol=1e-9, atol=1e-6)
        energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
        assert np.diff(energy).max() < 1e-5 * np.ptp(energy)
    loss = np.trapezoid(result["mechanics.dissipated_power"], result.time)
    assert energy[0] - energy[-1] == pytest.approx(loss, rel=1e-2)


def test_what_goes_through_a_cut_knows_contacts() -> None:
    """A foot strikes the floor: what the body exerts on it is a result, and measured by a sensor."""
    size, solid = 0.1, Solid(shape=Sphere(0.1), solid_material="Steel", collision=True)
    body = Object3D(fixed_to_parent=False, translation=[0.0, 0.26, 0.0], feature=Solid(shape=Box(), solid_material="DryWood"))
    model = Model3D(
        world=Object3D(feature=Scene()),
        floor=FLOOR,
        body=body,
        foot=Object3D(parent="body", translation=[0.0, -0.2, 0.0], feature=solid),
        sensor=CutForceAndTorque("foot"),
    )
    result = instantiate(model).simulate(0.06, tolerance=1e-8, interval=1e-4)
    mass = np.pi / 6.0 * size**3 * solid_material("Steel").density
    alone = between_events(result)
    needed = mass * (result["foot.a_abs"] + [0.0, G, 0.0]) - result["foot.contact_force"]
    assert np.abs(result["foot.contact_force"]).max() > 1e3
    np.testing.assert_allclose(result["foot.cut_force"][alone], needed[alone], rtol=1e-6, atol=1e-3)
    measured = np.column_stack([result[f"sensor.force.{axis}"] for axis in "xyz"])
    np.testing.assert_allclose(measured, result["foot.cut_force"], rtol=1e-6, atol=1e-3)


def test_before_and_after_the_events_of_a_contact() -> None:
    """At the same time the first point does not touch yet, and the last one does not touch any more."""
    result, row = bounces(), first_bounce(bounces())[0]
    touching = result[f"{PAIR}.touching"]
    for when, values in (("begin", [0.0, 1.0]), ("end", [1.0, 0.0])):
        assert touching[result.time == row[when]].tolist() == values


def test_a_box_at_rest_is_carried() -> None:
    box = Solid(shape=Box(0.2, 0.1, 0.3), solid_material="Steel", collision=True)
    frame = Object3D(parent="world", fixed_to_parent=False, translation=[0.0, 0.05 + 1e-6, 0.0], feature=box)
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), floor=FLOOR, box=frame))
    result = sim.simulate(1.0, tolerance=1e-8)
    weight = 0.2 * 0.1 * 0.3 * solid_material("Steel").density * G
    np.testing.assert_allclose(result["box.contact_force"][-1], [0.0, weight, 0.0], atol=1e-3 * weight)
    np.testing.assert_array_equal(result["floor.contact_force"], -result["box.contact_force"])
    assert result["mechanics.contacts"][-1] == 1.0
    assert sum(row["impulse"] for row in result.contacts) == pytest.approx(weight * 1.0, rel=1e-3)
    assert result.contacts[-1]["end"] is None


def assert_same(one: Result, other: Result) -> None:
    assert one.contacts == other.contacts
    for name in SIGNALS:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_the_same_on_disk_and_pickled(tmp_path: Path) -> None:
    sim = bouncing()
    stored = sim.simulate(STOP, tolerance=1e-8, interval=0.01, output=tmp_path / "result.h5")
    opened = read_result(tmp_path / "result.h5", sim)
    for result in (stored, opened, pickle.loads(pickle.dumps(bounces())), pickle.loads(pickle.dumps(opened))):
        assert_same(result, bounces())
    assert read_result(tmp_path / "result.h5").contacts == bounces().contacts


@pytest.mark.parametrize("when", ["begin", "end"])
def test_a_simulation_that_goes_on_from_within_a_contact(tmp_path: Path, when: str) -> None:
    """Interrupted while a ball touches, or just after: the table has it as lasting or over; resumed it is what it would
    have been."""
    sim, row = bouncing(), first_bounce(bounces())[0]
    within = row[when] + 1e-5

    def interrupt(now: float) -> None:
        if now >= within:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as caught:
        sim.simulate(STOP, tolerance=1e-8, interval=1e-5, progress=interrupt, output=tmp_path / "result.h5")
    broken = caught.value.result
    assert read_result(tmp_path / "result.h5").contacts == broken.contacts
    assert broken.time[-1] > row[when]
    sim.save(tmp_path / "snapshot")
    sim.restore(tmp_path / "snapshot")
    rest = sim.simulate(STOP, output=tmp_path / "result.h5")
    assert rest.contacts == bounces().contacts
    full = sim.simulate(STOP, tolerance=1e-8, interval=1e-5)
    assert_same(rest, full)


def test_what_is_deleted_touches_nothing() -> None:
    def program(actions: Any) -> Any:
        ActionWait(actions, 0.5)
        ActionDelete(actions, "ball")

    frames = {"floor": FLOOR, "other": ball(1.0, x=2.0)}
    solid = Solid(shape=Sphere(2.0 * RADIUS), solid_material="Steel", collision=True)
    frames["ball"] = Object3D(fixed_to_parent=False, assembly_root=True, translation=[0.0, RADIUS, 0.0], feature=solid)
    sim = instantiate(Model3D(world=Object3D(feature=Scene()), **frames, actions=ModelActions(program)))
    result = sim.simulate(0.6)
    of_ball = [row["end"] for row in result.contacts if "ball" in row["pair"]]
    assert of_ball[-1] == 0.5
    assert None not in of_ball
    after = np.arange(len(result.time)) > np.flatnonzero(result.time == 0.5)[0]
    for name in ("ball.contacts", f"{PAIR}.distance"):
        assert np.isnan(result[name][after]).all()
        assert np.isfinite(result[name][~after]).all()
    assert not result["mechanics.contacts"][after].any()


def test_a_pair_that_was_never_near_has_signals() -> None:
    result = bounces()
    gap = np.linalg.norm(result["late.r_abs"] - result["ball.r_abs"], axis=1) - 2.0 * RADIUS
    np.testing.assert_allclose(result["mechanics.contact[ball,late].distance"], gap, atol=1e-12)
    assert not result["mechanics.contact[ball,late].force"].any()


def test_a_pair_the_other_way_round() -> None:
    """Force is on the second one, the normal leads to it."""
    result, other = bounces(), "mechanics.contact[ball,floor]"
    for quantity, sign in (("force", -1.0), ("normal", -1.0), ("point", 1.0), ("distance", 1.0), ("touching", 1.0)):
        np.testing.assert_array_equal(result[f"{other}.{quantity}"], sign * result[f"{PAIR}.{quantity}"])


def test_an_unknown_pair_is_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"no signal .* Did you mean '.*contact\[floor,ball\]\.force"):
        bounces()["mechanics.contact[floor,bal].force"]
    for name in ("mechanics.contact[ball,ball].distance", "mechanics.contact[floor,ball].forces", "world.contact_force"):
        with pytest.raises(ModelError, match="no signal"):
            bounces()[name]


@pytest.mark.parametrize("near", [[[0, 3]], [[-1, 0]], [[1, 0]], [[0, 0]], [[0.5, "a"]], [[0, 1, 2]]])
def test_pairs_of_a_file_are_checked_before_they_are_trusted(tmp_path: Path, near: Any) -> None:
    """They are indices of memory for machine code."""
    sim = bouncing()
    result = sim.simulate(0.25, output=tmp_path / "result.h5")
    described = {"near": near}
    for line in lines(taken_apart(tmp_path / "result.h5")):
        if b'"near"' in line:
            described = unpacked_text(line.decode())["components"][""] | described
    assert len(described) > 1
    (component,) = sim.flat.components.values()
    assert len(result.segments) > 1
    with pytest.raises((ModelError, ValueError, TypeError)):
        component.stored_signals(described)
