"""Contact points: where they lie, what they weigh, and that nothing jumps when a shape turns or slides over another one."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from modia3d.collision.kernels.manifold import contact_points
from modia3d.collision.tables import (
    DEPTH,
    DISTANCE,
    FACES,
    FOUND_COLUMNS,
    KIND,
    MOST_POINTS,
    N_POINTS,
    NORMAL,
    POINT_1,
    POINT_2,
    POINT_COLUMNS,
    POINTS,
    POSITION,
    WEIGHT,
    Kind,
)

from .shape_rows import SIZES, rotation, seeds, shape_row, surface

Contact = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Shapes, R, p and what is found about the two."""


def turned(axis: ArrayLike, angle: float) -> np.ndarray:
    """Rotation about an axis (Rodrigues)."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * skew + (1.0 - np.cos(angle)) * skew @ skew


def found_row(distance: float, normal: np.ndarray, point_1: np.ndarray) -> np.ndarray:
    found = np.zeros((1, FOUND_COLUMNS))
    found[0, DISTANCE], found[0, NORMAL : NORMAL + 3] = distance, normal
    found[0, POINT_1 : POINT_1 + 3], found[0, POINT_2 : POINT_2 + 3] = point_1, point_1 + distance * normal
    return found


def lowest_point(row: np.ndarray, R: np.ndarray) -> np.ndarray:
    if row[KIND] == Kind.HULL:
        points = CUBE @ R.T
        return points[np.argmin(points[:, 2])]
    return R @ surface(row, (R.T @ [0.0, 0.0, -1.0])[None])[0]


def on_plane(row: np.ndarray, R: np.ndarray, depth: float, first: bool = True) -> Contact:
    """A shape whose lowest point is below the plane z = 0 by a depth; the plane is the first shape, or the second one."""
    low = lowest_point(row, R)
    p = np.array([0.1, -0.2, -low[2] - depth])
    plane, up = shape_row(Kind.PLANE, body=-1), np.array([0.0, 0.0, 1.0])
    if first:
        witness = (low + p) * [1.0, 1.0, 0.0]
        return (np.array([plane, row]), np.array([np.eye(3).ravel(), R.ravel()]), np.array([np.zeros(3), p]),
                found_row(-depth, up, witness))  # fmt: skip
    return (np.array([row, plane]), np.array([R.ravel(), np.eye(3).ravel()]), np.array([p, np.zeros(3)]),
            found_row(-depth, -up, low + p))  # fmt: skip


def boxes(half: ArrayLike, R: ArrayLike, p: ArrayLike) -> Contact | None:
    """Two boxes with the least depth of the directions that can separate them; None if they are apart."""
    half, R, p = np.asarray(half, dtype=float), np.asarray(R, dtype=float).reshape(2, 3, 3), np.asarray(p, dtype=float)
    directions = [*R[0].T, *R[1].T, *(np.cross(a, b) for a in R[0].T for b in R[1].T)]
    least, normal = np.inf, np.zeros(3)
    for d in directions:
        if np.linalg.norm(d) < 1e-9:
            continue
        d = d / np.linalg.norm(d) * (1.0 if d @ (p[1] - p[0]) >= 0.0 else -1.0)
        depth = sum(np.abs(R[k].T @ d) @ half[k] for k in (0, 1)) - d @ (p[1] - p[0])
        if depth < least - 1e-12:
            least, normal = depth, d
    if least <= 0.0:
        return None
    corner = p[0] + R[0] @ (half[0] * np.sign(R[0].T @ normal))
    rows = np.array([shape_row(Kind.BOX, tuple(half[k])) for k in (0, 1)])
    return rows, R.reshape(2, 9), p, found_row(-least, normal, corner)


def points_of(contact: Contact, swapped: bool = False) -> np.ndarray:
    rows, R, p, found = contact
    points = np.full((MOST_POINTS, POINT_COLUMNS), np.nan)
    if swapped:
        distance, normal = found[0, DISTANCE], found[0, NORMAL : NORMAL + 3]
        n = contact_points(rows, R, p, 1, 0, found_row(distance, -normal, found[0, POINT_2 : POINT_2 + 3]), 0, points)
    else:
        n = contact_points(rows, R, p, 0, 1, found, 0, points)
    return points[:n]


def resultant(points: np.ndarray) -> np.ndarray:
    """Weighted depth of all points together, and its first moment about the world's origin."""
    force = points[:, WEIGHT] * points[:, DEPTH]
    return np.concatenate([[force.sum()], force @ points[:, POSITION : POSITION + 3]])


def assert_sound(points: np.ndarray, depth: float) -> None:
    assert np.isfinite(points).all()
    assert points[:, WEIGHT].sum() == pytest.approx(1.0, abs=1e-12)
    assert points[:, WEIGHT].min() > 0.0
    assert points[:, DEPTH].min() >= 0.0
    assert points[:, DEPTH].max() == pytest.approx(depth, rel=1e-6)


def assert_continuous(motion: Callable[[float], Contact | None], begin: float, end: float, steps: int = 700) -> None:
    """Where the resultant changes most, bisection finds what remains of the change in a step of 1e-6: a jump would."""

    def at(s: float) -> np.ndarray:
        contact = motion(s)
        assert contact is not None
        return resultant(points_of(contact))

    times = np.linspace(begin, end, steps + 1)
    values = np.array([at(s) for s in times])
    changes = np.abs(np.diff(values, axis=0)).max(axis=1)
    for k in np.argsort(changes)[-12:]:
        low, high, f_low, f_high = times[k], times[k + 1], values[k], values[k + 1]
        for _ in range(16):
            middle = 0.5 * (low + high)
            f_middle = at(middle)
            if np.abs(f_middle - f_low).max() > np.abs(f_high - f_middle).max():
                high, f_high = middle, f_middle
            else:
                low, f_low = middle, f_middle
        assert np.abs(f_high - f_low).max() < 0.02 * changes.max(), f"jump at {low}"


BOX = shape_row(Kind.BOX, (0.5, 0.3, 0.2))
CYLINDER = shape_row(Kind.CYLINDER, (0.3, 0.4))
CONE = shape_row(Kind.CONE, (0.4, 0.1, 0.5))
BEAM = shape_row(Kind.BEAM, (0.4, 0.2, 0.1))
CAPSULE = shape_row(Kind.LINE, (0.4,), 0.15)
ROUNDED = shape_row(Kind.BOX, (0.5, 0.3, 0.2), 0.05)
CUBE = np.array([[x, y, z] for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.3)])
CUBE_FACES = np.array([6, 8, 12, 16, 20, 24, 28, 32,
                       0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3])  # fmt: skip
CUBE_FACES[1:8] += 0


def hull_row() -> np.ndarray:
    row = shape_row(Kind.HULL, (0.3, 0.3, 0.3))
    row[N_POINTS], row[POINTS], row[FACES] = 8, CUBE.ctypes.data, CUBE_FACES.ctypes.data
    return row


FLAT = {
    "box": (BOX, np.eye(3), 4, [0.0, 0.0]),
    "box on its side": (BOX, turned([1, 0, 0], np.pi / 2), 4, [0.0, 0.0]),
    "rounded box": (ROUNDED, np.eye(3), 4, [0.0, 0.0]),
    "standing cylinder": (CYLINDER, np.eye(3), 12, [0.0, 0.0]),
    "lying cylinder": (CYLINDER, turned([1, 0, 0], np.pi / 2), 2, [0.0, 0.0]),
    "cone on its base": (CONE, np.eye(3), 12, [0.0, 0.0]),
    "cone on its top": (CONE, turned([1, 0, 0], np.pi), 12, [0.0, 0.0]),
    "lying cone": (CONE, turned([0, 1, 0], np.pi / 2 + np.arctan(0.6)), 2, None),
    "capsule": (CAPSULE, turned([1, 0, 0], np.pi / 2), 2, [0.0, 0.0]),
    "beam": (BEAM, np.eye(3), 14, [0.0, 0.0]),
    "beam on its side": (BEAM, turned([1, 0, 0], np.pi / 2), 4, [0.0, 0.0]),
    "hull": (hull_row(), np.eye(3), 4, [0.0, 0.0]),
}
ALL = {"box": BOX, "rounded": ROUNDED, "cylinder": CYLINDER, "cone": CONE, "beam": BEAM, "capsule": CAPSULE, "hull": hull_row()}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("name", FLAT)
def test_a_shape_at_rest_on_a_plane_is_supported_all_over_and_without_torque(name: str, first: bool) -> None:
    row, R, count, middle = FLAT[name]
    contact = on_plane(row, R, 1e-4, first)
    points = points_of(contact)
    assert len(points) == count
    assert points[:, DEPTH] == pytest.approx(1e-4, rel=1e-9)
    assert points[:, POSITION + 2] == pytest.approx(-0.5e-4, rel=1e-9)
    assert_sound(points, 1e-4)
    if middle is not None:
        assert points[:, WEIGHT] @ points[:, POSITION : POSITION + 2] == pytest.approx([0.1, -0.2], abs=1e-15)


def test_a_box_stands_on_its_four_corners() -> None:
    points = points_of(on_plane(BOX, turned([0, 0, 1], 0.7), 1e-5))
    assert points[:, WEIGHT] == pytest.approx(0.25, abs=1e-15)
    expected = {
        tuple(np.round(turned([0, 0, 1], 0.7)[:2, :2] @ [x, y] + [0.1, -0.2], 9)) for x in (-0.5, 0.5) for y in (-0.3, 0.3)
    }
    assert {tuple(np.round(point, 9)) for point in points[:, :2]} == expected


@pytest.mark.parametrize(
    ("row", "R", "count"),
    [
        (BOX, turned([1, 0, 0], 0.7), 2),
        (BOX, turned([1, 0, 0], 0.7) @ turned([0, 1, 0], 0.6), 1),
        (CYLINDER, turned([1, 2, 0], 0.6), 1),
        (CAPSULE, turned([1, 0, 0], 0.8), 1),
        (CONE, turned([1, 0, 0], 2.6), 1),
        (BEAM, turned([1, 2, 0], 0.6), 1),
    ],
)
def test_edges_and_corners_support_a_shape_with_their_whole_depth(row: np.ndarray, R: np.ndarray, count: int) -> None:
    points = points_of(on_plane(row, R, 1e-5))
    assert len(points) == count
    assert resultant(points)[0] == pytest.approx(1e-5, rel=1e-9)


def test_round_shapes_touch_in_one_point() -> None:
    for kind, size, radius in ((Kind.POINT, (), 0.3), (Kind.ELLIPSOID, (0.3, 0.2, 0.1), 0.0)):
        contact = on_plane(shape_row(kind, size, radius), rotation(np.random.default_rng(1)), 0.01)
        found = contact[3][0]
        (point,) = points_of(contact)
        assert point[POSITION : POSITION + 3] == pytest.approx(
            0.5 * (found[POINT_1 : POINT_1 + 3] + found[POINT_2 : POINT_2 + 3])
        )
        assert (point[DEPTH], point[WEIGHT]) == (0.01, 1.0)


def test_shapes_that_do_not_touch_have_one_point_without_depth() -> None:
    (point,) = points_of(on_plane(BOX, np.eye(3), -0.01))
    assert (point[DEPTH], point[WEIGHT]) == (0.0, 1.0)


@given(seeds, st.sampled_from(sorted(ALL)), st.floats(1e-6, 0.02), st.booleans())
def test_points_on_a_plane_are_sound_in_every_attitude(seed: int, name: str, depth: float, first: bool) -> None:
    row, R = ALL[name], rotation(np.random.default_rng(seed))
    points = points_of(on_plane(row, R, depth, first))
    assert_sound(points, depth)
    assert points[:, POSITION + 2] == pytest.approx(-0.5 * points[:, DEPTH], abs=1e-12)


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.3, 1.0, 0.0), (1.0, 0.9, 0.2)])
@pytest.mark.parametrize("name", ALL)
def test_nothing_jumps_when_a_shape_tilts_on_a_plane(name: str, axis: tuple[float, float, float]) -> None:
    """From flat over an edge to a corner and on to the next face."""
    attitude = turned([0, 0, 1], 0.4)
    assert_continuous(lambda s: on_plane(ALL[name], turned(axis, s) @ attitude, 0.03), -0.2, 1.8)


@pytest.mark.parametrize("name", ["box", "cylinder", "beam", "capsule"])
def test_nothing_jumps_when_a_shape_begins_to_tilt(name: str) -> None:
    row, R = (CAPSULE, turned([1, 0, 0], np.pi / 2)) if name == "capsule" else (ALL[name], np.eye(3))
    assert_continuous(lambda s: on_plane(row, turned([1.0, 0.4, 0.0], s) @ R, 1e-3), -0.01, 0.01)
    assert_continuous(lambda s: on_plane(row, turned([np.cos(s), np.sin(s), 0.0], 1e-3) @ R, 1e-3), 0.0, 6.3)


def test_a_disc_that_rolls_on_its_rim_feels_no_corners() -> None:
    """The outline of a circle is approximated; what a steep disc stands on is exact."""
    for angle in np.linspace(0.0, 0.6, 25):
        points = points_of(on_plane(CYLINDER, turned([1, 0, 0], 0.5) @ turned([0, 0, 1], angle), 1e-4))
        assert resultant(points)[0] == pytest.approx(1e-4, rel=1e-6)


def test_a_box_on_its_edge_is_supported_as_theory_says() -> None:
    """Rocking about an edge with small angles: half of the greatest depth, at the ends of that edge."""
    angle, depth = 0.02, 1e-4
    points = points_of(on_plane(BOX, turned([1, 0, 0], angle), depth))
    force = resultant(points)
    assert force[0] == pytest.approx(0.5 * depth, rel=0.02)
    deep = np.sort(points[points[:, DEPTH] > 0.99 * depth][:, 0] - 0.1)
    assert deep == pytest.approx([-0.5, 0.5], abs=1e-9)


LARGE, SMALL = (1.0, 1.0, 0.1), (0.2, 0.3, 0.1)


def stacked(
    x: float, y: float, angle: float, tilt: float = 0.0, halves: ArrayLike = (LARGE, SMALL), depth: float = 0.01
) -> Contact:
    """A box on another one, pressed into it by a depth."""
    half = np.asarray(halves, dtype=float)
    R = turned([1, 0, 0], tilt) @ turned([0, 0, 1], angle)
    height = half[0, 2] + np.abs(R[2]) @ half[1] - depth
    found = boxes(half, [np.eye(3), R], [[0.0, 0.0, 0.0], [x, y, height]])
    assert found is not None
    return found


def test_nothing_jumps_when_a_box_turns_on_a_box() -> None:
    assert_continuous(lambda s: stacked(0.05, 0.03, s, halves=((0.3, 0.3, 0.1), (0.3, 0.2, 0.1))), -0.1, 3.3)


def test_nothing_jumps_when_a_box_slides_over_an_edge() -> None:
    assert_continuous(lambda s: stacked(s, 0.1, 0.3), 0.5, 1.2)
    assert_continuous(lambda s: stacked(s, 0.0, 0.0), 0.5, 1.15)


def test_nothing_jumps_when_a_box_tilts_over_the_edge_of_a_box() -> None:
    assert_continuous(lambda s: stacked(0.3, 0.9, 0.2, s), 0.0, 0.5)


@pytest.mark.parametrize("tilt", [0.0, 1e-5, 1e-3])
def test_boxes_of_one_size_do_not_feel_the_slightest_turn(tilt: float) -> None:
    """Their edges cross anywhere between the corners."""
    halves = ((0.1, 0.1, 0.1), (0.1, 0.1, 0.1))
    expected = resultant(points_of(stacked(0.0, 0.0, 0.0, tilt, halves)))
    for turn in (1e-6, 1e-9, 1e-13):
        for shift in (-0.08, -0.01, 0.0, 0.02, 0.07):
            found = resultant(points_of(stacked(0.5 * shift * turn, shift * turn, turn, tilt, halves)))
            assert found == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_nothing_jumps_when_boxes_of_one_size_turn_past_each_other() -> None:
    """Along one normal, which can only be that of the one or of the other box."""

    def upright(x: float, turn: float) -> Contact:
        rows, R, p, _ = stacked(x, 0.002, turn, 0.01, ((0.1, 0.1, 0.1), (0.1, 0.1, 0.1)))
        return rows, R, p, found_row(-0.01, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.1]))

    assert_continuous(lambda s: upright(0.004, s), -0.3, 0.3)
    assert_continuous(lambda s: upright(s, 1e-3), -0.05, 0.05)


def test_work_of_a_rocking_box_around_a_circle_is_zero() -> None:
    """Height and tilt go around the point where an edge lifts off: a force proportional to the depth has a potential."""
    half, depth, angle = 0.3, 1e-3, 1.5e-3
    times = np.linspace(0.0, 2.0 * np.pi, 2001)
    heights, tilts = 0.2 - depth * (0.5 + 0.4 * np.cos(times)), angle * (1.0 + 0.9 * np.sin(times))
    forces = []
    for height, tilt in zip(heights, tilts, strict=True):
        R = turned([1, 0, 0], tilt)
        low = lowest_point(BOX, R)
        points = points_of(on_plane(BOX, R, -(height + low[2])))
        force = points[:, WEIGHT] * points[:, DEPTH]
        forces.append([force.sum(), force @ (points[:, POSITION + 1] + 0.2)])
    middle = 0.5 * (np.array(forces)[1:] + np.array(forces)[:-1])
    work = middle[:, 0] @ np.diff(heights) + middle[:, 1] @ np.diff(tilts)
    assert half * angle > 0.4 * depth  # the circle holds both states
    assert abs(work) < 2e-3 * depth**2


def test_a_box_that_overhangs_is_supported_to_the_edge() -> None:
    points = points_of(stacked(0.9, 0.0, 0.0))
    assert len(points) == 4
    assert points[:, 0].max() == pytest.approx(1.0, abs=1e-12)
    assert points[:, 0].min() == pytest.approx(0.7, abs=1e-12)
    assert points[:, WEIGHT] == pytest.approx(0.25, abs=1e-12)


def test_crossed_edges_touch_in_one_point() -> None:
    R = [turned([1, 0, 0], np.pi / 4), turned([0, 1, 0], np.pi / 4)]
    height = 2.0 * 0.1 * np.sqrt(2.0) - 1e-4
    contact = boxes([(1.0, 0.1, 0.1), (0.1, 1.0, 0.1)], R, [[0, 0, 0], [0.2, 0.1, height]])
    assert contact is not None
    (point,) = points_of(contact)
    assert point[:2] == pytest.approx([0.2, 0.0], abs=1e-9)
    assert (point[DEPTH], point[WEIGHT]) == pytest.approx((1e-4, 1.0))


@given(seeds, st.floats(-5.0, -1.0))
def test_points_of_two_boxes_are_sound_and_within_both(seed: int, exponent: float) -> None:
    rng = np.random.default_rng(seed)
    half, R = rng.uniform(0.1, 1.0, (2, 3)), np.array([rotation(rng), rotation(rng)])
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    low, high = 0.0, 4.0  # bring them to a small depth
    for _ in range(60):
        at = 0.5 * (low + high)
        low, high = (at, high) if boxes(half, R, [np.zeros(3), at * direction]) else (low, at)
    contact = boxes(half, R, [np.zeros(3), max(0.0, low - 10.0**exponent) * direction])
    assert contact is not None
    depth = -contact[3][0, DISTANCE]
    points = points_of(contact)
    assert_sound(points, depth)
    for k in (0, 1):
        local = (points[:, POSITION : POSITION + 3] - contact[2][k]) @ R[k]
        assert np.all(np.abs(local) <= half[k] + depth)
    assert resultant(points_of(contact, swapped=True)) == pytest.approx(resultant(points), abs=1e-6 * depth)


@given(seeds, st.sampled_from(sorted(ALL)))
def test_points_move_with_the_shapes(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    tilt = turned(rng.normal(size=3), rng.choice([0.0, 1e-3, 0.05, 1.0]))
    rows, R, p, found = on_plane(ALL[name], tilt, 0.01)
    Q, shift = rotation(rng), rng.normal(size=3) * 10.0
    moved = found_row(found[0, DISTANCE], Q @ found[0, NORMAL : NORMAL + 3], Q @ found[0, POINT_1 : POINT_1 + 3] + shift)
    R_moved = np.array([(Q @ one.reshape(3, 3)).ravel() for one in R])
    before, after = points_of((rows, R, p, found)), points_of((rows, R_moved, p @ Q.T + shift, moved))
    expected = resultant(before)
    expected[1:] = Q @ expected[1:] + expected[0] * shift
    assert resultant(after) == pytest.approx(expected, abs=1e-10)


def test_a_can_on_a_can_has_no_more_points_than_there_is_room_for() -> None:
    can = shape_row(Kind.CYLINDER, (0.3, 0.2))
    for angle in np.linspace(0.0, 1.0, 11):
        R = turned([0, 0, 1], angle)
        p = np.array([[0.0, 0.0, 0.0], [0.02, 0.01, 0.399]])
        found = found_row(-0.001, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.2]))
        points = points_of((np.array([can, can]), np.array([np.eye(3).ravel(), R.ravel()]), p, found))
        assert 12 <= len(points) <= MOST_POINTS
        assert_sound(points, 0.001)
        assert points[:, WEIGHT] @ points[:, :2] == pytest.approx([0.01, 0.005], abs=2e-3)


def test_parallel_capsules_touch_in_two_points_and_crossed_ones_near_one() -> None:
    capsule = shape_row(Kind.LINE, (0.5,), 0.1)

    def crossed(angle: float) -> Contact:
        R = np.array([turned([1, 0, 0], np.pi / 2).ravel(), (turned([0, 0, 1], angle) @ turned([1, 0, 0], np.pi / 2)).ravel()])
        p = np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.199]])
        return np.array([capsule, capsule]), R, p, found_row(-0.001, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.1]))

    points = points_of(crossed(0.0))
    assert sorted(points[:, 1]) == pytest.approx([-0.4, 0.5])
    assert points[:, WEIGHT] == pytest.approx(0.5)
    points = points_of(crossed(1.2))
    assert points[:, :2] == pytest.approx(np.array([[0.0, 0.1], [0.0, 0.1]]), abs=0.02)
    assert_continuous(lambda s: crossed(s), -0.3, 0.3)


def test_a_capsule_lies_on_a_box() -> None:
    capsule = shape_row(Kind.LINE, (0.5,), 0.1)
    box = shape_row(Kind.BOX, (0.3, 0.3, 0.3))

    def lying(x: float, tilt: float = 0.0, angle: float = 0.0) -> Contact:
        R = np.array([np.eye(3).ravel(), (turned([0, 0, 1], angle) @ turned([0, 1, 0], np.pi / 2 + tilt)).ravel()])
        p = np.array([[0.0, 0.0, 0.0], [x, 0.0, 0.3 + 0.1 - 0.001]])
        return np.array([box, capsule]), R, p, found_row(-0.001, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.3]))

    points = points_of(lying(0.2))
    assert sorted(points[:, 0]) == pytest.approx([-0.3, 0.3])
    assert points[:, DEPTH] == pytest.approx(0.001)
    assert_continuous(lambda s: lying(s), -0.7, 0.7)
    assert_continuous(lambda s: lying(0.1, angle=s), -0.5, 3.5)


def test_every_kind_of_feature_is_counted() -> None:
    assert set(SIZES) | {Kind.PLANE, Kind.HULL} == set(Kind)
