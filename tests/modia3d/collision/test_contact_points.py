"""Contact points: where they lie and what they weigh."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modia3d.collision.tables import DEPTH, DISTANCE, MOST_POINTS, NORMAL, POINT_1, POINT_2, POSITION, WEIGHT, Kind

from .contact_cases import (
    ALL,
    BEAM,
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    ROUNDED,
    assert_sound,
    boxes,
    found_row,
    hull_row,
    on_plane,
    points_of,
    resultant,
    stacked,
    turned,
)
from .shape_rows import SIZES, rotation, seeds, shape_row

pytestmark = pytest.mark.white_box

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


def test_a_box_on_its_edge_is_supported_as_theory_says() -> None:
    """Rocking about an edge with small angles: half of the greatest depth, at the ends of that edge."""
    angle, depth = 0.02, 1e-4
    points = points_of(on_plane(BOX, turned([1, 0, 0], angle), depth))
    force = resultant(points)
    assert force[0] == pytest.approx(0.5 * depth, rel=0.02)
    deep = np.sort(points[points[:, DEPTH] > 0.99 * depth][:, 0] - 0.1)
    assert deep == pytest.approx([-0.5, 0.5], abs=1e-9)


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


def test_every_kind_of_feature_is_counted() -> None:
    assert set(SIZES) | {Kind.PLANE, Kind.HULL} == set(Kind)
