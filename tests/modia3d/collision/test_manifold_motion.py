"""Nothing jumps when a shape turns or slides over another one; what its contact points do is what theory says."""

import numpy as np
import pytest

from modia3d.collision.tables import DEPTH, POSITION, WEIGHT, Kind

from .contact_cases import (
    ALL,
    BEAM,
    BOX,
    CAPSULE,
    CYLINDER,
    Contact,
    assert_continuous,
    found_row,
    hull_row,
    lowest_point,
    on_plane,
    points_of,
    resultant,
    stacked,
    turned,
)
from .shape_rows import shape_row

pytestmark = pytest.mark.white_box


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


def test_nothing_jumps_when_a_beam_rocks_on_its_side_into_its_round_ends() -> None:
    side = turned([1, 0, 0], np.pi / 2)
    assert_continuous(lambda s: on_plane(BEAM, turned([0.1, 1.0, 0.0], s) @ side, 0.03), -0.3, 0.3)


def test_a_disc_that_rolls_on_its_rim_feels_no_corners() -> None:
    """The outline of a circle is approximated; what a steep disc stands on is exact."""
    for angle in np.linspace(0.0, 0.6, 25):
        points = points_of(on_plane(CYLINDER, turned([1, 0, 0], 0.5) @ turned([0, 0, 1], angle), 1e-4))
        assert resultant(points)[0] == pytest.approx(1e-4, rel=1e-6)


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


def test_nothing_jumps_when_an_edge_is_pushed_over_an_edge() -> None:
    """Where the lower box ends while the depth of the tilted one is not yet zero."""
    assert_continuous(lambda s: stacked(0.3, s, 0.0, 0.5), 1.15, 1.2)


def overhanging(tilt_x: float, tilt_y: float) -> Contact:
    """A can that stands over the edge of a box."""
    rows, R = np.array([shape_row(Kind.BOX, (0.5, 0.5, 0.1)), CYLINDER]), turned([1, 0, 0], tilt_x) @ turned([0, 1, 0], tilt_y)
    p = np.array([[0.0, 0.0, 0.0], [0.4, 0.3, 0.5]])
    p[1, 2] = 0.099 + (R @ [0.0, 0.0, 0.4])[2] + 0.3 * np.hypot(R[2, 0], R[2, 1])
    found = found_row(-1e-3, np.array([0.0, 0.0, 1.0]), np.array([0.4, 0.3, 0.1]))
    return rows, np.array([np.eye(3).ravel(), R.ravel()]), p, found


def test_a_can_that_overhangs_feels_no_rounding() -> None:
    expected = resultant(points_of(overhanging(0.0, 0.0)))
    for x, y in 1e-13 * np.random.default_rng(1).normal(size=(20, 2)):
        assert resultant(points_of(overhanging(x, y))) == pytest.approx(expected, abs=1e-11)


def test_nothing_jumps_when_a_can_that_overhangs_begins_to_tilt() -> None:
    assert_continuous(lambda s: overhanging(s, 0.4 * s), -0.01, 0.01)
    assert_continuous(lambda s: overhanging(1e-3 * np.cos(s), 1e-3 * np.sin(s)), 0.0, 6.3)


def test_nothing_jumps_when_a_hull_of_many_faces_rolls() -> None:
    """So deep that several faces take part."""
    directions = np.random.default_rng(3).normal(size=(60, 3))
    ball = hull_row(0.3 * directions / np.linalg.norm(directions, axis=1, keepdims=True))
    assert_continuous(lambda s: on_plane(ball, turned([1.0, 0.2, 0.1], s), 0.03), 0.0, 1.0)


def test_parallel_capsules_touch_in_two_points_and_crossed_ones_in_one() -> None:
    capsule = shape_row(Kind.LINE, (0.5,), 0.1)

    def crossed(angle: float) -> Contact:
        R = np.array([turned([1, 0, 0], np.pi / 2).ravel(), (turned([0, 0, 1], angle) @ turned([1, 0, 0], np.pi / 2)).ravel()])
        p = np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.199]])
        return np.array([capsule, capsule]), R, p, found_row(-0.001, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.1, 0.1]))

    points = points_of(crossed(0.0))
    assert sorted(points[:, 1]) == pytest.approx([-0.4, 0.5])
    assert points[:, WEIGHT] == pytest.approx(0.5)
    points = points_of(crossed(1.2))
    assert points[:, :2] == pytest.approx(np.array([[0.0, 0.1]]))
    assert_continuous(lambda s: crossed(s), -1.5, 1.5)


def test_a_line_that_ends_on_another_one_across_touches_at_its_end() -> None:
    """Whichever way rounding goes."""
    capsule = shape_row(Kind.LINE, (0.5,), 0.1)
    R = np.array([turned([1, 0, 0], np.pi / 2).ravel(), turned([0, 1, 0], np.pi / 2).ravel()])
    for angle in np.linspace(0.1, 1.0, 50):  # of all of it about the normal
        turn = turned([0, 0, 1], angle)
        poses = np.array([(turn @ matrix.reshape(3, 3)).ravel() for matrix in R])
        p = np.array([[0.0, 0.0, 0.0], turn @ np.array([0.5, 0.0, 0.199])])
        found = found_row(-0.001, np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.1]))
        points = points_of((np.array([capsule, capsule]), poses, p, found))
        assert points[:, WEIGHT] @ points[:, :2] == pytest.approx(np.zeros(2), abs=1e-12)


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
