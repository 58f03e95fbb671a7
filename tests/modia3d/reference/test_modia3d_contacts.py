"""Collisions as Modia3D computes them: its materials, its damping, its final states (folder test/Collision there). Edges of
boxes, cones and cylinders are rounded by 1 mm there unless a file says otherwise."""

import numpy as np

from modia3d import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    MassPropertiesFromShapeAndMass,
    Model3D,
    Object3D,
    Prismatic,
    Revolute,
    Scene,
    Solid,
    Sphere,
    UniformGravity,
)
from modiapy import instantiate

STEEL = "Modia3D.Steel"


def world(down, **fields):
    return Object3D(feature=Scene(gravity=UniformGravity(9.81, down), contact_damping="flores", **fields))


def run(stop_time, **entries):
    return instantiate(Model3D(**entries)).simulate(stop_time, tolerance=1e-8, interval=0.01)


def test_a_sphere_bounces_on_a_box():
    """BouncingSphere.jl: one gram of steel falls 1 m, and comes to rest."""
    ground = Solid(Box(4.0, 0.1, 0.7), STEEL, collision=True)
    result = run(
        2.2,
        world=world((0, -1, 0)),
        ground=Object3D(parent="world", translation=(0, -0.15, 0), feature=ground),
        sphere=Object3D(feature=Solid(Sphere(0.2), STEEL, MassPropertiesFromShapeAndMass(0.001), collision=True)),
        prism=Prismatic("world", "sphere", "y", s=1.0),
    )
    found = [result["prism.v"][-1], result["prism.s"][-1]]
    np.testing.assert_allclose(found, [-0.4417983315849275, 0.0003869217525311367], atol=1e-3)


def test_balls_of_a_cradle_hit_each_other_in_turn():
    """NewtonsCradle.jl: five balls, a hundredth of a diameter apart, for 5 s."""
    diameter, length, parts = 0.02, 0.15, {}
    ball = Solid(Sphere(diameter), STEEL, contact_material="Modia3D.BilliardBall", collision=True)
    for k in range(5):
        parts |= {
            f"hook{k}": Object3D(parent="world", translation=(0, 1.01 * (k - 2) * diameter, 0)),
            f"wire{k}": Object3D(),
            f"top{k}": Object3D(parent=f"wire{k}", translation=(0, 0, length / 2)),
            f"ball{k}": Object3D(parent=f"wire{k}", translation=(0, 0, -length / 2), feature=ball),
            f"rev{k}": Revolute(f"hook{k}", f"top{k}", "x", phi=0.0 if k else -np.pi / 3),
        }
    result = run(5.0, world=world((0, 0, -1)), **parts)
    found = [result[f"rev{k}.{name}"][-1] for k in range(5) for name in ("w", "phi")]
    expected = [-1.180791527568564, -1.033934458288708, 0.04982982739055273, 0.018466029517559813, 0.049844032881367094]
    expected += [0.018471344490359712, 0.04986127142907837, 0.018476465719447804, 0.04987561416137295, 0.018481494292598495]
    np.testing.assert_allclose(found, expected, atol=1e-3)


def billiard_ball(x, y, velocity=(0, 0, 0)):
    feature = Solid(Sphere(0.06), "Modia3D.BilliardBall", collision=True)
    return Object3D(parent="world", fixed_to_parent=False, translation=(x, y, 0.03), velocity=velocity, feature=feature)


def billiard_table():
    length, width, edge, thickness = 2.24, 1.12, 0.05, 0.014

    def cushion(x, y, *size):
        feature = Solid(Box(*size, thickness), "Modia3D.BilliardCushion", smoothing_radius=0.001, collision=True)
        return Object3D(parent="world", translation=(x, y, 3.5 * thickness), feature=feature)

    table = Solid(Box(length, width, 0.05), "Modia3D.BilliardTable", smoothing_radius=0.001, collision=True)
    x, y = (0.5 * size - 0.75 * edge for size in (length, width))
    return {
        "table": Object3D(parent="world", translation=(0, 0, -0.025), feature=table),
        "right": cushion(x, 0, 1.5 * edge, width),
        "left": cushion(-x, 0, 1.5 * edge, width),
        "far": cushion(0, y, length, 1.5 * edge),
        "near": cushion(0, -y, length, 1.5 * edge),
    }


def motion_of(result, *names):
    return np.concatenate([result[f"{name}.{quantity}"][-1] for name in names for quantity in ("r_abs", "v_abs")])


def test_a_ball_slides_rolls_and_hits_another_one():
    """TwoCollidingBalls.jl, there computed with a tolerance of 1e-6."""
    table = Solid(Box(3.0, 0.5, 0.02), "Modia3D.DryWood", contact_material="Modia3D.BilliardTable", collision=True)
    result = run(
        1.5,
        world=world((0, 0, -1)),
        table=Object3D(parent="world", translation=(0, 0, -0.01), feature=table),
        first=billiard_ball(-1.3, 0.0, (3, 0, 0)),
        second=billiard_ball(0.0, 0.0),
    )
    first = [0.4489974852019629, 4.971482124288075e-6, 0.029996861274764766, 0.5336096206429409, 4.775435383850775e-6, 0.0]
    second = [1.4032405177409832, -4.464837913922324e-6, 0.029997744288682248, 1.4383823207541608, -4.57429323252e-6, 0.0]
    np.testing.assert_allclose(motion_of(result, "first", "second"), [*first, *second], atol=1e-3)


def test_four_balls_on_a_table_with_cushions():
    """Billard4Balls.jl: seven impacts in 2.5 s, two of them at once, each of which multiplies what differs before."""
    radius, gap = 0.03, 1e-4
    start, triangle = 2.24 / 6, 2.24 / 6 + np.sqrt(3) * radius + gap
    result = run(
        2.5,
        world=world((0, 0, -1)),
        **billiard_table(),
        cue=billiard_ball(-0.8, -0.1, (3.0, 0.1, 0)),
        one=billiard_ball(start, 0),
        two=billiard_ball(triangle, radius + gap / 2),
        three=billiard_ball(triangle, -radius - gap / 2),
    )
    cue = [-0.07460364471173221, 0.2469233096172712, 0.02999808173004779, -0.8140655302596929, 0.5084317411521541, 0.0]
    one = [-0.16442543215744446, 0.18417112667173485, 0.029997936572327664, -0.5830364755926802, 0.19967781792799022, 0.0]
    two = [0.4157205359423622, -0.26151248132958926, 0.02999752999578585, -0.004227558410584902, -0.5010189719266817, 0.0]
    three = [0.14732605173091393, -0.19152425557632252, 0.029997960148676502, -0.3029387840817542, -0.18019916669264857, 0.0]
    np.testing.assert_allclose(motion_of(result, "cue", "one", "two", "three"), [*cue, *one, *two, *three], atol=1e-2)
    assert len(result.contacts) == 4 + 7


def test_cylinders_along_different_axes_are_alike():
    """CollidingCylinders.jl: crossed cylinders bounce off each other, three times the same with other axes of the shape. There
    one of them ends 1.3 m from the others; here they do the same."""
    parts, right = {}, np.pi / 2
    turned = {"x": (0, -right, np.radians(-80)), "y": (np.radians(-10), 0, 0), "z": (np.radians(80), 0, 0)}
    for k, (axis, rotation) in enumerate(turned.items()):
        tube = Solid(Cylinder(0.1, 0.5, axis=axis, inner_diameter=0.08), "Modia3D.BilliardBall", collision=True)
        pose = {"translation": (0.3 * (k - 1), -0.1, 0.5), "rotation": rotation}
        parts[axis] = Object3D(parent="world", fixed_to_parent=False, **pose, feature=tube)
    bar = Solid(Cylinder(0.1, 1.0, axis="x"), "Modia3D.BilliardBall", collision=True)
    result = run(
        0.7,
        world=world((0, 0, -1)),
        upper=Object3D(parent="world", translation=(0, 0.1, 0.2), feature=bar),
        lower=Object3D(parent="world", translation=(0, -0.1, 0), feature=bar),
        **parts,
    )
    assert len(result.contacts) == 9
    for quantity in ("r_abs", "v_abs", "w_abs"):
        x, y, z = (result[f"{axis}.{quantity}"] for axis in "xyz")
        apart = np.array([0.3, 0.0, 0.0]) if quantity == "r_abs" else np.zeros(3)
        np.testing.assert_allclose(x + apart, y, atol=1e-7)
        np.testing.assert_allclose(z - apart, y, atol=1e-7)


def test_an_ellipsoid_bounces_on_a_sphere_and_flies_off():
    """BouncingEllipsoidOnSphere.jl: ten bounces, then it rolls off. The normal of its portals is where the ray through both
    middles leaves, not the least distance: an independent integration with either differs by 2e-3 after these bounces."""
    result = run(
        2.0,
        world=world((0, -1, 0)),
        ground=Object3D(parent="world", translation=(0, -0.05, 0), feature=Solid(Sphere(1.5), STEEL, collision=True)),
        ellipsoid=Object3D(
            parent="world", fixed_to_parent=False, translation=(0, 1, 0), angular_velocity=(5, 0, -2),
            feature=Solid(Ellipsoid(0.1, 0.2, 0.3), STEEL, collision=True),
        ),
    )  # fmt: skip
    found = np.concatenate([result["ellipsoid.r_abs"][-1], result["ellipsoid.v_abs"][-1]])
    place = [1.8699989130901813, -5.222327808647324, -0.6154343686911469]
    velocity = [1.3616434929142358, -10.68139650349135, -0.33484894334316573]
    np.testing.assert_allclose(found, [*place, *velocity], atol=5e-3)


def test_a_capsule_bounces_on_its_ends_and_alike_along_all_axes():
    """BouncingCapsules.jl. Its plate of 5 m divides distances by 2.5, so its contacts have 2.5**-1.5 of our stiffness. Its
    three capsules should do the same; they differ by 4e-3 m/s, and ours from them by hardly more."""
    plate, right, lean = Solid(Box(5.0, 3.0, 0.1), STEEL, collision=True), np.pi / 2, -np.pi / 3
    frames = {"x": (-right, 0, -right), "y": (right, right, 0), "z": (0, 0, 0)}
    leaning = {"x": (0, lean, 0), "y": (0, 0, lean), "z": (lean, 0, 0)}
    parts = {}
    for k, axis in enumerate("xyz"):
        velocity = np.roll([1.0, 0.0, 0.0], k + 1)
        parts[f"frame_{axis}"] = Object3D(parent="world", translation=(k - 1, 0, 1), rotation=frames[axis])
        parts[axis] = Object3D(
            parent=f"frame_{axis}", fixed_to_parent=False, rotation=leaning[axis], velocity=tuple(velocity),
            feature=Solid(Capsule(0.4, 1.0, axis), STEEL, collision=True),
        )  # fmt: skip
    scene = Scene(gravity=UniformGravity(9.81, "-z"), contact_damping="flores", elastic_contact_reduction_factor=2.5**-1.5)
    ground = Object3D(parent="world", translation=(0, 0, -0.05), feature=plate)
    result = run(1.4, world=Object3D(feature=scene), ground=ground, **parts)
    place = np.array([0.9516460922089696, 0.24961032780512585, -0.7679007020906763]) + [1.0, 0.0, 1.0]
    np.testing.assert_allclose(result["z.r_abs"][-1], place, atol=1e-3)
    speed = [0.503176747722619, -0.18568702124334946, 0.017287192617502473]
    np.testing.assert_allclose(result["z.v_abs"][-1], speed, atol=1e-2)
    for k, axis in enumerate("xy"):
        np.testing.assert_allclose(result[f"{axis}.r_abs"][-1] + [2.0 - k, 0.0, 0.0], result["z.r_abs"][-1], atol=1e-5)
