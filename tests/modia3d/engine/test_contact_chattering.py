"""Piles of rigid boxes, and other contacts that change faster and faster: where rigid ones have no rest they yield."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from modia3d import (
    Box,
    Capsule,
    ContactPair,
    MassPropertiesFromShapeAndMass,
    Mesh,
    Model3D,
    Object3D,
    Plane,
    PrismaticWithFlange,
    RevoluteWithFlange,
    Scene,
    Solid,
    UniformGravity,
)
from modia3d.constraints.contact_impulse import PARTING
from modia3d.engine.contact.contact_chattering import ContactChattering
from modiapy import Model, Var, instantiate

pytestmark = pytest.mark.white_box


def scene(restitution, friction, **entries):
    """A scene with rigid contacts of steel."""
    law = {"Steel, Steel": ContactPair(restitution=restitution, sliding_friction=friction)}
    feature = Scene(gravity=UniformGravity(9.81, "-z"), contact_response="rigid", contact_pairs=law)
    return instantiate(Model3D(world=Object3D(feature=feature), **entries))


def falls(shape, translation, **fields):
    """A body of steel that is free."""
    solid = Solid(shape, "Steel", collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=translation, feature=solid, **fields)


FLOOR = Object3D(parent="world", feature=Solid(Plane("z"), contact_material="Steel", collision=True))


def pile(seed, count=3):
    """Boxes at random above each other, and their sizes."""
    rng, sizes, boxes = np.random.default_rng(seed), [], {}
    for k in range(count):
        sizes.append(rng.uniform(0.1, 0.3, 3))
        place = (*rng.uniform(-0.05, 0.05, 2), 0.3 + 0.45 * k)
        boxes[f"b{k}"] = falls(Box(*sizes[-1]), place, rotation=tuple(rng.uniform(-1.0, 1.0, 3)))
    return scene(0.2, 0.4, floor=FLOOR, **boxes), sizes


def lowest(result, sizes):
    """Of all corners of all boxes [m]."""
    signs = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3), axis=-1).reshape(-1, 3)
    found = []
    for k, size in enumerate(sizes):
        R = result[f"b{k}.R_abs"].reshape(-1, 3, 3)
        found.append((result[f"b{k}.r_abs"][:, None] + np.einsum("nij,cj->nci", R, signs * size))[:, :, 2].min())
    return min(found)


@pytest.mark.parametrize("seed", [25, 27])
def test_a_pile_of_boxes_comes_to_rest(seed):
    """Slip and stick follow each other without end there, or faster and faster, where nothing yields."""
    model, sizes = pile(seed)
    result = model.simulate(3.0)
    yielding = [record for record in result.segments if "yield" in record.cause]
    assert 0 < len(yielding) < 10
    assert len(result.segments) < 400
    for k in range(len(sizes)):
        assert np.abs(result[f"b{k}.v_abs"][-1]).max() < 1e-6
    E = result["mechanics.kinetic_energy"] + result["mechanics.potential_energy"]
    assert np.diff(E).max() < 1e-5 * (E[0] - E[-1])
    assert lowest(result, sizes) > -1e-3


def test_what_yields_goes_on_alike_after_it_was_saved(tmp_path):
    model, _ = pile(25)
    whole = model.simulate(0.6)
    first = next(record.start for record in whole.segments if "yield" in record.cause)
    assert first < 0.45
    model.simulate(0.45)
    model.save(tmp_path / "half")
    model.restore(tmp_path / "half")
    again = model.simulate(0.6)
    for name in ("b0.r_abs", "b1.r_abs", "b2.v_abs"):
        assert np.array_equal(again[name][-1], whole[name][-1])
    assert [s.cause for s in again.segments if s.start > 0.45] == [s.cause for s in whole.segments if s.start > 0.45]


@pytest.mark.parametrize("motion", ["slide", "tilt"])
def test_a_box_stays_on_a_plate_that_is_driven(motion):
    """Elastic forces hold it there: each time it comes back from a bounce, however small."""
    joint = PrismaticWithFlange("base", "moving", "x") if motion == "slide" else RevoluteWithFlange("base", "moving", "y")
    law, effort = ("flange.s = 0.74*time", {"s": Var(potential=True), "f": Var(flow=True)})
    if motion == "tilt":
        law, effort = ("flange.phi = 0.25*(1 - cos(2.6*time))", {"phi": Var(potential=True), "tau": Var(flow=True)})
    plate = Solid(Box(40.0, 40.0, 4.0), "Steel", collision=True)
    model = scene(
        0.8 if motion == "slide" else 0.4,
        0.8 if motion == "slide" else 0.0,
        base=Object3D(parent="world"),
        moving=Object3D(),
        plate=Object3D(parent="moving", translation=(0.0, 0.0, -2.0), feature=plate),
        hinge=joint,
        drive=Model(flange=Model(**effort), equations=[law]),
        connect=[("drive.flange", "hinge.flange")],
        box=falls(
            Box(5.0, 3.9, 6.2), (-0.46, -0.43, 4.98), rotation=(0.47, -0.19, 0.43), velocity=(2.7, 7.7, -6.5),
            angular_velocity=(-0.45, -1.0, -0.67),
        )
        if motion == "slide"
        else falls(Box(4.7, 1.4, 1.6), (-0.1, 0.1, 2.9), rotation=(-1.3, 1.27, 0.08)),
    )  # fmt: skip
    result = model.simulate(4.2 if motion == "slide" else 2.5)
    r, R = result["box.r_abs"] - result["moving.r_abs"], result["moving.R_abs"].reshape(-1, 3, 3)
    assert np.einsum("ni,ni->n", R[:, :, 2], r).min() > 0.5
    assert len(result.segments) < 300


def test_a_mesh_of_many_corners_rests(tmp_path):
    """Elastic forces of several points hold it: their mean depth may grow while the body parts, which is no impact."""
    import trimesh

    trimesh.creation.icosphere(3).export(tmp_path / "ball.obj")
    ball = falls(Mesh(str(tmp_path / "ball.obj")), (0.0, 0.0, 2.3), rotation=(0.1, 0.2, 0.0))
    result = scene(0.3, 0.4, floor=FLOOR, ball=ball).simulate(2.0)
    assert 0.99 < result["ball.r_abs"][-1, 2] < 1.0
    assert len(result.segments) < 150


CAPSULES = [  # diameter, length, mass, place, rotation vector, velocity
    (0.0586197864257984, 0.12573121220207778, 4.44782884993362,
     (0.014310367567723775, 0.0005258436234195908, 0.10401900930021685),
     (0.0, 0.0, 0.0),
     (0.0, 0.0, 0.0)),
    (0.08386385776370142, 0.12364632856805646, 3.1760944571161396,
     (-0.012830397808446867, 0.010018583063899023, 0.31386821362963024),
     (0.0, 0.0, 0.0),
     (0.0, 0.0, 0.0)),
    (0.09652032387259946, 0.15596623626297543, 1.2567199131575941,
     (0.011719128795354325, 0.002153156203642346, 0.55846655432797),
     (0.8805564614187338, 0.24553352607350343, 0.17891734166432016),
     (0.36440372837661333, -0.739599672715806, -1.3285160143457504)),
    (0.07387394503404691, 0.07057358042927853, 2.4682822362063668,
     (0.012869530113670025, 0.00443475380667791, 0.7709029379834091),
     (1.749664964785402, 0.7778711965843437, -0.40928855434315103),
     (0.0, 0.0, 0.0)),
]  # fmt: skip


def test_what_leaves_by_a_tiny_bounce_comes_down_again():
    """A capsule that elastic forces hold on a box parts slower than its distance is known: it must not fall through."""
    bodies = {}
    for k, (diameter, length, mass, place, turn, velocity) in enumerate(CAPSULES):
        properties = MassPropertiesFromShapeAndMass(mass)
        solid = Solid(Capsule(diameter, length), contact_material="Steel", collision=True, mass_properties=properties)
        bodies[f"b{k}"] = Object3D(
            parent="world", fixed_to_parent=False, translation=place, rotation=Rotation.from_rotvec(turn).as_matrix().tolist(),
            velocity=velocity, feature=solid,
        )  # fmt: skip
    slab = Solid(Box(4.0, 4.0, 0.4), contact_material="Steel", collision=True)
    floor = Object3D(parent="world", translation=(0.0, 0.0, -0.2), feature=slab)
    result = scene(0.2, 0.4, floor=floor, **bodies).simulate(1.43, interval=1.43 / 400)
    for k, capsule in enumerate(CAPSULES):
        assert result[f"b{k}.r_abs"][:, 2].min() > 0.49 * capsule[0]


@pytest.mark.parametrize(("part", "enough"), [(0.09, 3), (1.9, 11)])
def test_a_pair_yields_at_once_when_its_changes_weigh_enough(part, enough):
    """Of equal distances, in parts of the time in which gravity makes the speed below which nothing parts."""
    contact_chattering, near = ContactChattering(9.81), SimpleNamespace(near=np.array([[0, 1], [2, 5]]))
    found = [contact_chattering.note(near, [1], k * part * PARTING / 9.81) for k in range(enough + 1)]
    assert found == [*([[]] * enough), [1]]


def test_what_comes_again_after_it_was_away_is_rigid():
    """A pair yields after many changes at short times, and as long as both are near each other."""
    contact_chattering, near = ContactChattering(9.81), np.array([[0, 1], [2, 5]])
    times, counts = iter(np.arange(1000) * 1e-9), []
    for _ in range(2):
        counts.append(0)
        while not contact_chattering.note(SimpleNamespace(near=near), [1], next(times)):
            counts[-1] += 1
        contact_chattering.yielding |= {(2, 5)}
        contact_chattering.keep(near)
        assert contact_chattering.yielding == {(2, 5)}
        contact_chattering.keep(near[:1])
        assert contact_chattering.yielding == set()
    assert counts[0] == counts[1] > 0
