"""The rest of Modia3D's collisions (folder test/Collision): final states where its files require some, else physics."""

import numpy as np
import pytest

from modia3d import (
    Box,
    Cone,
    Ellipsoid,
    MassProperties,
    MassPropertiesFromShapeAndMass,
    Model3D,
    Object3D,
    Prismatic,
    Solid,
    Sphere,
)
from modia3d.scene.basics.rotations import rotation_matrix
from modiapy import ModelError, instantiate

from ..scenes import energy
from .test_modia3d_contacts import STEEL, billiard_ball, billiard_table, motion_of, run, world

pytestmark = pytest.mark.white_box

WOOD = "Modia3D.DryWood"


def plate(at, *size, material=STEEL):
    """A box that does not move, with rounded edges."""
    feature = Solid(Box(*size), material, smoothing_radius=min(0.001, 0.1 * min(size)), collision=True)
    return Object3D(parent="world", translation=at, feature=feature)


def free(feature, at, **fields):
    return Object3D(parent="world", fixed_to_parent=False, translation=at, feature=feature, **fields)


def test_a_sphere_comes_to_rest_on_a_box():
    """BouncingSphere2.jl: after 2.5 s it rests within the 1e-7 that are asked for there."""
    result = run(
        2.5,
        world=world((0, -1, 0)),
        ground=plate((0, -0.15, 0), 4.0, 0.1, 0.7),
        sphere=Object3D(feature=Solid(Sphere(0.2), STEEL, MassPropertiesFromShapeAndMass(0.001), collision=True)),
        prism=Prismatic("world", "sphere", "y", s=1.0),
    )
    assert (result["prism.s"][-1], result["prism.v"][-1]) == pytest.approx((0.0, 0.0), abs=1e-7)


def test_ten_tons_bounce_and_roll_on():
    """BouncingSphereContactResults.jl: so heavy a ball penetrates by a tenth of a millimetre, and rolls over the end."""
    sphere = Solid(Sphere(0.2), STEEL, MassPropertiesFromShapeAndMass(10000.0), collision=True)
    result = run(
        1.5,
        world=world((0, -1, 0)),
        ground=plate((0, -0.05, 0), 2.0, 0.1, 0.5),
        sphere=free(sphere, (-0.5, 0.3, 0), velocity=(1, 0, 0)),
    )
    expected = [0.6190964322303429, 0.09989803187140613, 0.0, 0.7018335184646917, -0.00011551585213889106, 0.0]
    np.testing.assert_allclose(motion_of(result, "sphere"), expected, atol=4e-4)
    np.testing.assert_allclose(result["sphere.w_abs"][-1], [0.0, 0.0, -7.0240720401621495], atol=2.5e-3)


def test_a_spinning_sphere_bounces_down_stairs():
    """BouncingSphereFree.jl, which asks for 0.2."""
    height = 0.05
    result = run(
        2.7,
        world=world((0, -1, 0)),
        ground=plate((0, -height / 2, 0), 0.8, height, 0.5),
        bottom=plate((0, -0.4 - height / 2, 0.5), 0.8, height, 0.5),
        wall=plate((0, -0.2, 0.75 + height / 2), 0.8, 0.4, height),
        sphere=free(Solid(Sphere(0.2), STEEL, collision=True), (0, 1, 0), angular_velocity=(10, 0, -5)),
    )
    place = [0.292862783655338, -1.2390369485250046, -0.13258270312197515]
    velocity = [0.11349011490811044, -4.416810256880555, -0.8737129049845306]
    np.testing.assert_allclose(motion_of(result, "sphere"), [*place, *velocity], atol=3e-3)
    turning = [-8.738616638760442, -0.8148444006512789, -1.1350943780421976]
    np.testing.assert_allclose(result["sphere.w_abs"][-1], turning, atol=2e-2)


def test_cones_bounce_on_tip_and_rim_alike_along_all_axes():
    """BouncingCones.jl, whose three cones differ by 6e-4."""
    right, lean, parts = np.pi / 2, -np.pi / 3, {}
    frames = {"x": (-right, 0, -right), "y": (right, right, 0), "z": (0, 0, 0)}
    leaning = {"x": (0, lean, 0), "y": (0, 0, lean), "z": (lean, 0, 0)}
    for k, axis in enumerate("xyz"):
        parts[f"frame_{axis}"] = Object3D(parent="world", translation=(k - 1, -0.5, 1), rotation=frames[axis])
        parts[axis] = Object3D(
            parent=f"frame_{axis}", fixed_to_parent=False, rotation=leaning[axis],
            velocity=tuple(np.roll([1.0, 0.0, 0.0], k + 1)),
            feature=Solid(Cone(0.4, 1.0, axis), WOOD, smoothing_radius=0.001, collision=True),
        )  # fmt: skip
    result = run(1.2, world=world((0, 0, -1)), ground=plate((0, 0, -0.05), 5.0, 3.0, 0.1, material=WOOD), **parts)
    place = np.array([1.0551437942348352, 0.8923793589673877, -0.8001535827544871])
    velocity = np.array([0.884868848392877, 0.4342007829869422, -0.1917344341104826])
    turning = np.array([-1.521254393123658, 4.516519345054235, -0.03229086240525738])
    for k, axis in enumerate("xyz"):
        np.testing.assert_allclose(result[f"{axis}.r_abs"][-1], place + [k - 1.0, -0.5, 1.0], atol=2.1e-3)
        np.testing.assert_allclose(result[f"{axis}.v_abs"][-1], velocity, atol=2.5e-3)
        np.testing.assert_allclose(result[f"{axis}.w_abs"][-1], turning, atol=1.6e-2)


def rattleback():
    inertia = np.diag([5.864306286700948e-7, 7.623598172711232e-6, 7.623598172711232e-6])
    turned = rotation_matrix((0.0, 0.0, np.radians(-5.0)))
    inertia = turned @ inertia @ turned.T
    moments = {"Ixx": inertia[0, 0], "Iyy": inertia[1, 1], "Izz": inertia[2, 2], "Ixy": inertia[0, 1]}
    properties = MassProperties(0.014660765716752368, **moments)
    return Solid(Ellipsoid(0.1, 0.02, 0.02), mass_properties=properties, contact_material=WOOD, collision=True)


def test_a_rattleback_reverses_and_spins_as_there():
    """Rattleback.jl: at the end it hardly rattles any more, so what is left of that is not the same."""
    result = run(
        6.0,
        world=world((0, 0, -1)),
        ground=plate((0, 0, -0.005), 0.2, 0.2, 0.01, material=WOOD),
        stone=free(rattleback(), (0, 0, 0.01), angular_velocity=(0, 0.1, 5)),
    )
    assert result["stone.w_abs"][0, 2] == 5.0
    assert result["stone.w_abs"][-1, 2] == pytest.approx(-2.294245213745764, rel=1e-3)
    place = [0.0006642916745069836, -0.0003421601373475422, 0.009999957179380127]
    np.testing.assert_allclose(result["stone.r_abs"][-1], place, atol=4e-4)
    total = energy(result)
    assert np.diff(total).max() < 1e-7 * total[0]


def test_sixteen_balls_on_a_table():
    """Billard16Balls.jl, the first 1.5 s."""
    diameter, gap = 0.06, 1e-4
    start, step = 2.24 / 6, np.sqrt(3) / 2 * diameter + gap
    places = [(-0.8, -0.1), (start, 0.0)]
    for row in range(1, 5):
        across = diameter + gap
        places += [(start + row * step, (row / 2 - k) * across) for k in range(row + 1)]
    balls = {f"ball{k}": billiard_ball(*at, (0, 0, 0) if k else (3.0, 0.1, 0)) for k, at in enumerate(places)}
    result = run(1.5, world=world((0, 0, -1)), **billiard_table(), **balls)
    found = motion_of(result, *balls).reshape(-1, 2, 3)[:, :, :2]
    place = [
        *((0.93324441, -0.18186376), (0.3251515, 0.02772732), (0.39298443, 0.31443359), (0.35264704, -0.1455215)),
        *((0.47670041, 0.3099021), (0.3784044, -0.01296198), (0.46337508, -0.09377923), (0.54311242, 0.29482608)),
        *((0.52803222, 0.02942766), (0.52984383, -0.03183878), (0.53819627, -0.09511643), (0.59270133, 0.36786372)),
        *((0.62461044, 0.06692602), (0.76440916, -0.10684072), (0.78732865, -0.17885345), (0.79769241, -0.2449408)),
    ]
    speed = [
        *((-0.70958444, 0.63688108), (-0.04538172, 0.02493898), (-0.02957787, 0.25850355), (-0.05701015, -0.09065225)),
        *((-0.00067717, 0.22299271), (-0.04484622, -0.01870847), (-0.00156458, -0.00365126), (-0.13738552, -0.18509962)),
        *((0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.15844415, -0.02131857)),
        *((-0.78272779, 0.00630414), (0.15888509, -0.09284812), (0.18240132, -0.10527761), (0.1931089, -0.11146281)),
    ]
    off = np.abs(found[:, 0] - place).max(axis=1)
    np.testing.assert_allclose(np.delete(found[:, 0], 12, axis=0), np.delete(place, 12, axis=0), atol=1.2e-3)
    np.testing.assert_allclose(np.delete(found[:, 1], 12, axis=0), np.delete(speed, 12, axis=0), atol=3.5e-3)
    assert off[12] < 1.2e-2  # the one that two others strike at once


def test_a_box_falls_on_the_edge_of_another_one_and_off_it():
    """TwoCollidingBoxes.jl, which asks for no final state: half of a cube meets a face; it tips, and misses what is below."""
    half = np.pi / 2

    def cube(size, **fields):
        feature = Solid(Box(*size), "Modia3D.Aluminium", contact_material=STEEL, smoothing_radius=0.001, collision=True)
        return Object3D(parent="world", feature=feature, **fields)

    result = run(
        3.0,
        world=world((-1, 0, 0)),
        base=cube((3.0, 2.0, 5.0), translation=(-3.0, 0.0, -2.5)),
        cube=cube((0.5, 0.5, 0.5), fixed_to_parent=False, rotation=(half, 0.0, 0.0)),
    )
    (contact,) = result.contacts
    assert contact["begin"] == pytest.approx(np.sqrt(2.0 * 1.25 / 9.81), abs=1e-9)
    total, after = energy(result), result.time > contact["end"]
    assert np.diff(total).max() < 1e-7 * np.abs(total).max()
    assert np.ptp(total[after]) < 1e-7 * np.abs(total).max()
    assert np.abs(result["cube.r_abs"][:, 1]).max() < 1e-9
    assert np.abs(result["cube.w_abs"][-1, [0, 2]]).max() < 1e-9
    assert result["cube.w_abs"][-1, 1] < 0.0
    assert result["cube.v_abs"][-1, 2] > 0.0


def test_an_ellipsoid_that_just_touches_sinks_in_without_trouble():
    """ZeroCrossingIssue.jl, whose penetration of 1e-11 m stops Modia3D with stiff wood: 10 ms, soft and stiff."""
    for factor in (1e-5, 1.0):
        result = run(
            0.01,
            world=world((0, 0, -1), elastic_contact_reduction_factor=factor, maximum_contact_damping=1e3),
            ground=plate((0, 0, -0.005), 0.2, 0.2, 0.01, material=WOOD),
            stone=free(Solid(Ellipsoid(0.1, 0.02, 0.02), WOOD, collision=True), (0.01, 0.01, 0.01)),
        )
        sunk = 0.01 - result["stone.r_abs"][-1, 2]
        assert 0.0 < sunk < 0.5 * 9.81 * 0.01**2
        assert result.statistics["steps"] < 1000


def test_a_pair_of_materials_without_a_law_is_named():
    """InValidCollisionPairingError.jl."""
    cone = Solid(Cone(0.4, 1.0, "x", 0.3), "Modia3D.BilliardTable", collision=True)
    with pytest.raises(ModelError, match=r"nothing is known of Modia3D\.DryWood and Modia3D\.BilliardTable in contact"):
        instantiate(
            Model3D(
                world=world((0, 0, -1)),
                ground=plate((0, 0, -0.05), 5.0, 3.0, 0.1, material=WOOD),
                cone=free(cone, (0, 0, 1)),
            )
        )


@pytest.mark.parametrize(
    ("shape", "sizes"), [(Box, (5.0, 0.0, 0.0)), (Box, (1.0, 0.7, 0.0)), (Sphere, (0.0,))], ids=["line", "rectangle", "point"]
)
def test_shapes_without_a_volume_are_refused_where_they_are_made(shape, sizes):
    """OrthogonalLinesError.jl, ParallelLinesError.jl, PlaneVsPlaneEdgesError.jl, PlaneVsPointError.jl: there portals fail."""
    with pytest.raises(ModelError, match=r"found 0\.0; expected a number greater than 0"):
        shape(*sizes)
