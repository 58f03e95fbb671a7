"""Solids that collide while a simulation runs, by the public API."""

import warnings

import numpy as np
import pytest

from modia3d import (
    ActionAttach,
    ActionDelete,
    ActionRelease,
    ActionWait,
    Beam,
    Box,
    Cone,
    ContactPair,
    Cylinder,
    End,
    EventAfterPeriod,
    Model3D,
    ModelActions,
    Object3D,
    Plane,
    Prismatic,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
    WaitUntil,
    in_contact,
    not_in_contact,
)
from modiapy import ModelError, instantiate

SOFT = {"Steel, Steel": ContactPair(restitution=0.5, sliding_friction=0.4, static_friction=0.5)}
DOWN = UniformGravity(9.81, (0.0, 0.0, -1.0))


def scene(**fields):
    """A scene with gravity along -z and soft steel."""
    fields = {"gravity": DOWN, "contact_pairs": SOFT, "elastic_contact_reduction_factor": 1e-4} | fields
    return Object3D(feature=Scene(**fields))


def solid(shape, **fields):
    """A solid of steel that collides."""
    return Solid(shape=shape, solid_material="Steel", collision=True, **fields)


def free(shape, at, velocity=(0.0, 0.0, 0.0), **fields):
    """A free body."""
    return Object3D(parent="world", fixed_to_parent=False, translation=at, velocity=velocity, feature=solid(shape), **fields)


def fixed(shape, at=(0.0, 0.0, 0.0)):
    """Something that does not move."""
    return Object3D(parent="world", translation=at, feature=Solid(shape=shape, contact_material="Steel", collision=True))


def bouncing(**fields):
    """A ball that falls onto a plane."""
    return Model3D(world=scene(), floor=fixed(Plane()), ball=free(Sphere(0.1), (0.0, 0.0, 0.3)), **fields)


@pytest.mark.parametrize("speed", [5.0, 100.0])
@pytest.mark.parametrize("solver", ["cvode", "ida", "scipy"])
def test_nothing_flies_through_a_thin_plate_however_fast(speed, solver):
    """Without a bound the steps of free flight are as long as the output interval allows, and the plate is never seen."""
    model = Model3D(
        world=scene(gravity=UniformGravity(0.0), elastic_contact_reduction_factor=1.0),
        plate=fixed(Box(0.002, 1.0, 1.0)),
        ball=free(Sphere(0.01), (-3.0, 0.0, 0.0), (speed, 0.0, 0.0)),
    )
    options = {"mode": "dae"} if solver == "ida" else {"solver": solver}
    result = instantiate(model).simulate(6.0 / speed, tolerance=1e-8, interval=3.0 / speed, **options)
    assert result["ball.r_abs"][-1, 0] < 0.0
    assert result["ball.v_abs"][-1, 0] == pytest.approx(-0.5 * speed, rel=0.02)


def test_output_points_do_not_matter():
    model = instantiate(bouncing())
    coarse, fine = (model.simulate(1.0, tolerance=1e-6, interval=h) for h in (0.5, 0.003))
    assert np.array_equal(coarse["ball.r_abs"][-1], fine["ball.r_abs"][-1])
    assert coarse.statistics["steps"] == fine.statistics["steps"]


def test_nothing_is_compiled_after_the_start():
    assert instantiate(bouncing()).simulate(0.5).statistics["compilations_after_start"] == 0


def test_saved_in_a_contact_the_future_is_the_same(tmp_path):
    model = instantiate(bouncing())
    whole = model.simulate(1.0, tolerance=1e-6)
    for stop in (0.2, 0.2265, 0.6):  # in flight, in the first contact, later
        file = tmp_path / f"{stop}"
        other = instantiate(bouncing())
        other.simulate(stop, tolerance=1e-6, save=file)
        other.restore(file)
        resumed = other.simulate(1.0)
        assert np.array_equal(resumed["ball.r_abs"][-1], whole["ball.r_abs"][-1])


def test_what_is_saved_of_a_contact_is_as_it_was_before_the_event_that_ends_the_simulation(tmp_path):
    """The ball leaves the floor then; where the simulation goes on, at the event before, it has just touched it."""
    ends = ModelActions([WaitUntil(in_contact("ball", "floor")), WaitUntil(not_in_contact("ball", "floor")), End("up")])
    sim, file = instantiate(bouncing() | Model3D(actions=ends)), tmp_path / "snapshot"
    whole = sim.simulate(1.0, tolerance=1e-6, save=file)
    assert sim.restore(file) == whole.contacts[0]["begin"]
    again = sim.simulate(1.0)
    for result in (whole, again):
        assert result.verdict == "up"
    assert (again.time[-1], again.contacts) == (whole.time[-1], whole.contacts)
    assert np.array_equal(again["ball.v_abs"][-1], whole["ball.v_abs"][-1])


def test_what_overlaps_where_a_simulation_goes_on_is_told_no_more(tmp_path):
    """It was told where the simulation began; the program makes an event behind the snapshot, where it still overlaps."""
    actions = ModelActions(lambda actions: [ActionWait(actions, 1e-4) for _ in range(2)] and None)
    model = Model3D(world=scene(), floor=fixed(Plane()), ball=free(Sphere(0.1), (0.0, 0.0, 0.02)), actions=actions)
    sim = instantiate(model)
    with pytest.warns(UserWarning, match="penetrate each other at the start") as told:
        sim.simulate(1.5e-4, save=tmp_path / "snapshot")
    assert len(told) == 1
    sim.restore(tmp_path / "snapshot")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sim.simulate(3e-4)
    assert result.statistics["events_by_kind"] == {"deep penetration": 1, "time": 2}
    assert result["ball.r_abs"][-1, 2] < 0.1


def test_contacts_outlast_changes_of_structure_elsewhere():
    """A box lies on the floor; two other bodies are attached and released again. Neither its place nor its force jumps."""
    parts = {
        "world": scene(),
        "floor": fixed(Plane()),
        "box": free(Box(0.2, 0.2, 0.1), (0.0, 0.0, 0.05)),
        "one": free(Sphere(0.1), (1.0, 0.0, 1.0)),
        "grip": Object3D(parent="one", lockable=True),
        "hook": Object3D(parent="world", translation=(1.0, 0.0, 1.0), rotation=(np.pi, 0.0, 0.0), lockable=True),
    }

    def program(actions):
        ActionAttach(actions, "grip", "hook")
        EventAfterPeriod(actions, 0.3)
        ActionRelease(actions, "grip")

    alone = instantiate(Model3D(**{name: parts[name] for name in ("world", "floor", "box")})).simulate(0.5, tolerance=1e-8)
    result = instantiate(Model3D(**parts, actions=ModelActions(program))).simulate(0.5, tolerance=1e-8)
    assert len(result.segments) >= 3
    assert result["box.r_abs"][-1] == pytest.approx(alone["box.r_abs"][-1], abs=1e-7)
    assert np.abs(np.diff(result["box.v_abs"][result.time > 0.25, 2])).max() < 1e-4  # it still creeps into the floor


def test_what_is_deleted_carries_nothing_any_more():
    def program(actions):
        EventAfterPeriod(actions, 0.2)
        ActionDelete(actions, "table")

    table = Object3D(parent="world", fixed_to_parent=False, feature=solid(Box(1.0, 1.0, 0.1)))
    model = Model3D(
        world=scene(), floor=fixed(Box(2.0, 2.0, 0.2), (0.0, 0.0, -0.15)), table=table, ball=free(Sphere(0.1), (0.0, 0.0, 0.1)),
        actions=ModelActions(program),
    )  # fmt: skip
    result = instantiate(model).simulate(0.24, tolerance=1e-7)
    before, after = result.time < 0.2, result.time > 0.2
    assert result["ball.r_abs"][before, 2].min() > 0.095
    t = result.time[after][-1] - 0.2
    z, v = result["ball.r_abs"][before][-1, 2], result["ball.v_abs"][before][-1, 2]
    assert result["ball.r_abs"][-1, 2] == pytest.approx(z + v * t - 0.5 * 9.81 * t**2, abs=2e-5)


def test_pushed_through_a_joint():
    """A slider that a falling ball hits: total momentum across the slide is that of the ball."""
    model = Model3D(
        world=scene(gravity=UniformGravity(0.0)),
        slider=Object3D(feature=solid(Box(0.1, 0.1, 0.1))),
        slide=Prismatic(obj1="world", obj2="slider", axis="x"),
        ball=free(Sphere(0.1), (-0.2, 0.0, 0.0), (1.0, 0.0, 0.0)),
    )
    result = instantiate(model).simulate(0.5, tolerance=1e-8)
    m, M = 7850.0 * np.pi / 6.0 * 0.1**3, 7850.0 * 0.1**3
    v, w = result["ball.v_abs"][-1, 0], result["slide.v"][-1]
    assert m * v + M * w == pytest.approx(m, rel=1e-7)
    assert w - v == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(("extra", "message"), [
    ({"ball": free(Sphere(0.1), (0.0, 0.0, 1.0)), "cube": Object3D(parent="world", feature=Solid(
        shape=Box(), contact_material="Platinum", collision=True))}, "Platinum"),
    ({"world": Object3D(feature=Scene(no_contact=[("bal", "floor")])), "ball": free(Sphere(0.1), (0.0, 0.0, 1.0))}, "bal"),
])  # fmt: skip
def test_mistakes_are_refused_by_name(extra, message):
    with pytest.raises(ModelError, match=message):
        instantiate(Model3D(**{"world": scene(), "floor": fixed(Plane())} | extra))


def test_solids_that_penetrate_each_other_at_the_start_are_told():
    model = Model3D(world=scene(), floor=fixed(Plane()), ball=free(Sphere(0.1), (0.0, 0.0, 0.02)))
    with pytest.warns(UserWarning, match="'floor' and 'ball' by 0.03 m.*no_contact"):
        instantiate(model).simulate(0.001)
    balls = {f"ball{k}": free(Sphere(0.1), (1.0 * k, 0.0, 0.02)) for k in range(7)}
    with pytest.warns(UserWarning, match="'floor' and 'ball4' by 0.03 m and 2 pairs more"):
        instantiate(Model3D(world=scene(), floor=fixed(Plane()), **balls)).simulate(0.001)


def test_a_heap_that_settles_is_no_end_of_the_solution():
    """Many short contacts make many steps look wrong that are right when they are made again."""
    boxes = {f"box{k}": free(Box(0.1, 0.08, 0.06), (0.02 * k, 0.01 * k, 0.05 + 0.09 * k)) for k in range(4)}
    result = instantiate(Model3D(world=scene(elastic_contact_reduction_factor=1e-3), floor=fixed(Plane()), **boxes)).simulate(
        0.6, tolerance=1e-6
    )
    energy = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-8 * (energy[0] - energy[-1])


@pytest.mark.parametrize("rotation", [(0.3, 0.2, 0.1), (0.8, 0.0, 0.3), (0.05, 0.02, 0.0)])
def test_a_box_that_falls_on_a_corner_comes_to_rest_on_the_floor(rotation):
    hard = scene(elastic_contact_reduction_factor=1.0, contact_pairs={"Steel, Steel": ContactPair(0.3, 0.3)})
    model = Model3D(world=hard, floor=fixed(Plane()), box=free(Box(0.2, 0.1, 0.05), (0.0, 0.0, 0.2), rotation=rotation))
    result = instantiate(model).simulate(1.0, tolerance=1e-6)
    assert result["box.r_abs"][-1, 2] == pytest.approx(0.025, abs=1e-5)
    assert np.abs(result["box.v_abs"][-1]).max() < 1e-5


FLAT = {
    "beam": (Beam(0.3, 0.1, 0.05), 0.025),
    "cylinder": (Cylinder(0.2, 0.06), 0.03),
    "frustum": (Cone(0.2, 0.06, "z", 0.1), 0.0),
}


@pytest.mark.parametrize("name", FLAT)
@pytest.mark.parametrize(
    "ground", [Box(4.0, 4.0, 0.2), Cylinder(4.0, 0.2), Beam(3.0, 2.0, 0.2)], ids=["box", "cylinder", "beam"]
)
def test_what_falls_nearly_flat_comes_to_rest_on_its_face(name, ground):
    """In both orders of the two: the one's outline is cut by the other one's."""
    shape, height = FLAT[name]
    hard = scene(elastic_contact_reduction_factor=1.0, contact_pairs={"Steel, Steel": ContactPair(0.3, 0.3)})
    falling, floor = free(shape, (0.01, 0.02, height + 0.05), rotation=(0.2, 0.1, 0.3)), fixed(ground, (0.0, 0.0, -0.1))
    for solids in ({"floor": floor, "falling": falling}, {"falling": falling, "floor": floor}):
        result = instantiate(Model3D(world=hard, **solids)).simulate(1.0, tolerance=1e-6)
        assert result["falling.r_abs"][-1, 2] == pytest.approx(height, abs=3e-5)
        assert np.abs(result["falling.v_abs"][-1]).max() < 1e-5


def test_the_last_solid_that_moves_may_be_deleted():
    """What is left collides with nothing: no pair is near, so that nothing asks for another segment."""

    def program(actions):
        ActionWait(actions, 0.005)
        ActionDelete(actions, "stone")

    cube = Solid(shape=Box(0.1, 0.1, 0.1), solid_material="Steel", collision=True)
    floor = Object3D(parent="world", translation=[0, 0, -0.5], feature=Solid(Box(3, 3, 1), "Steel", collision=True))
    stone = Object3D(fixed_to_parent=False, translation=[0, 0, 0.3], feature=cube)
    other = Object3D(fixed_to_parent=False, translation=[5, 0, 2], feature=Solid(Box(0.1, 0.1, 0.1), "Steel"))
    model = Model3D(world=Object3D(feature=Scene()), floor=floor, stone=stone, other=other, actions=ModelActions(program))
    result = instantiate(model).simulate(0.02)
    assert [segment.cause for segment in result.segments] == ["initialization", "ActionDelete stone"]


def test_a_segment_that_begins_as_solids_come_near_names_those_that_were_not_near_before():
    """Balls fall on the floor one after the other, and stay there."""
    balls = {name: free(Sphere(0.1), (x, 0.0, 0.08 + z)) for name, x, z in (("a", 0.0, 0.0), ("b", 1.0, 0.1), ("c", 2.0, 0.3))}
    soft = scene(contact_pairs={"Steel, Steel": ContactPair(restitution=0.0, sliding_friction=0.1)})
    result = instantiate(Model3D(world=soft, a=balls["a"], floor=fixed(Plane()), b=balls["b"], c=balls["c"])).simulate(0.4)
    near = [record.cause for record in result.segments[1:]]
    assert near == [f"near each other: {pair}" for pair in ("a and floor", "floor and b", "floor and c")]
