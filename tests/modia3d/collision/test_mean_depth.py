"""The mean depth of a contact is what theory says, and a force along its gradient has a potential."""

import numpy as np
import pytest

from modia3d.collision.kernels.distance import signed_distance
from modia3d.collision.kernels.manifold import contact_points
from modia3d.collision.tables import (
    DISTANCE,
    FOUND_COLUMNS,
    MEAN_DEPTH,
    MOST_POINTS,
    NORMAL,
    POINT_1,
    POINT_2,
    POINT_COLUMNS,
    POSITION,
    PUSH,
    WEIGHT,
    Kind,
)

from .contact_cases import ALL, BOX, hull_row, turned
from .shape_rows import shape_row

pytestmark = pytest.mark.white_box

PLANE, BLOCK = shape_row(Kind.PLANE, ()), shape_row(Kind.BOX, (0.5, 0.4, 0.3))
DEEP = 0.02


def found_of(rows: list, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is found about two shapes at their poses, and their points."""
    found, points = np.zeros((1, FOUND_COLUMNS)), np.zeros((MOST_POINTS, POINT_COLUMNS))
    shapes = np.array(rows)
    signed_distance(shapes, R.reshape(2, 9), p, 0, 1, 0, found)
    n = contact_points(shapes, R.reshape(2, 9), p, 0, 1, found, 0, points)
    return found[0], points[:n]


def placed(rows: list, R: np.ndarray, direction: np.ndarray, depth: float) -> np.ndarray:
    """Positions of two shapes so that the second one, moved along a direction, is so deep in the first one."""
    low, high = -1.0, 5.0
    for _ in range(70):
        p = np.array([[0.0, 0.0, 0.0], 0.5 * (low + high) * np.asarray(direction)])
        found = np.zeros((1, FOUND_COLUMNS))
        signed_distance(np.array(rows), R.reshape(2, 9), p, 0, 1, 0, found)
        low, high = (0.5 * (low + high), high) if found[0, DISTANCE] < -depth else (low, 0.5 * (low + high))
    return p


def gradient(rows: list, R: np.ndarray, p: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Of the mean depth, by small motions of the second shape, with the sign of what pushes it away."""
    found, _ = found_of(rows, R, p)
    middle = 0.5 * (found[POINT_1 : POINT_1 + 3] + found[POINT_2 : POINT_2 + 3])
    result = np.zeros(6)
    for k in range(6):
        for sign in (1.0, -1.0):
            at, attitude = p.copy(), R.copy()
            if k < 3:
                at[1, k] += sign * step
            else:
                T = turned(np.eye(3)[k - 3], sign * step)
                attitude[1], at[1] = T @ R[1], middle + T @ (p[1] - middle)
            result[k] -= sign * found_of(rows, attitude, at)[0][MEAN_DEPTH] / (2.0 * step)
    return result


@pytest.mark.parametrize("angle", [0.0, 1e-3, 0.1, 0.7, 1.3, 2.0])
@pytest.mark.parametrize("name", [name for name in ALL if name != "beam"])
@pytest.mark.parametrize("first", [True, False])
def test_on_a_plane_the_push_is_the_gradient_of_the_mean_depth(name: str, angle: float, first: bool) -> None:
    """Not of beams, whose round ends are approximated by polygons that turn."""
    axis = np.random.default_rng(len(name)).normal(size=3)
    R = np.array([np.eye(3), turned(axis, angle)])
    rows = [PLANE, ALL[name]]
    p = placed(rows, R, np.array([0.0, 0.0, 1.0]), DEEP)
    if not first:
        rows, R, p = rows[::-1], R[::-1].copy(), p[::-1].copy()
    found, _ = found_of(rows, R, p)
    assert found[DISTANCE] == pytest.approx(-DEEP)
    np.testing.assert_allclose(found[PUSH : PUSH + 6], gradient(rows, R, p), atol=2e-8)


@pytest.mark.parametrize("seed", range(30))
def test_of_boxes_the_push_is_the_gradient_of_the_mean_depth(seed: int) -> None:
    """Corners, edges and faces on faces and on edges."""
    rng = np.random.default_rng(seed)
    R = np.array([np.eye(3), turned(rng.normal(size=3), rng.uniform(0.02, 3.0))])
    direction = rng.normal(size=3)
    rows = [BLOCK, BOX if seed % 2 else hull_row(0.3 * rng.normal(size=(12, 3)))]
    p = placed(rows, R, direction / np.linalg.norm(direction), 0.005)
    found, _ = found_of(rows, R, p)
    np.testing.assert_allclose(found[PUSH : PUSH + 6], gradient(rows, R, p, 1e-7), atol=3e-4)


@pytest.mark.parametrize(
    ("row", "R", "part"),
    [
        (BOX, np.eye(3), 1.0),
        (BOX, turned([1, 0, 0], np.pi / 4), 4 / 5),
        (BOX, turned([0, 0, 1], 0.3) @ turned([1, 0, 0], 0.7) @ turned([0, 1, 0], 0.6), 2 / 3),
        (shape_row(Kind.CYLINDER, (0.3, 0.4)), turned([1, 0, 0], np.pi / 2), 8 / 9),
        (shape_row(Kind.POINT, (), 0.1), np.eye(3), 1.0),
        (shape_row(Kind.LINE, (0.5,), 0.1), turned([1, 0, 0], np.pi / 4), 1.0),
        (shape_row(Kind.LINE, (0.5,), 0.1), turned([1, 0, 0], np.pi / 2), 11 / 9),
    ],
    ids=["face", "edge", "corner", "line of a cylinder", "sphere", "end of a capsule", "capsule"],
)
def test_the_mean_depth_of_faces_edges_and_corners(row: np.ndarray, R: np.ndarray, part: float) -> None:
    """The integrals of the powers of the depth over each are closed."""
    R = np.array([np.eye(3), R])
    p = placed([PLANE, row], R, np.array([0.0, 0.0, 1.0]), 1e-3)
    found, _ = found_of([PLANE, row], R, p)
    assert found[MEAN_DEPTH] == pytest.approx(part * 1e-3, rel=1e-6)
    assert found[PUSH : PUSH + 3] @ found[NORMAL : NORMAL + 3] == pytest.approx(part, rel=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_push_acts_within_the_points_of_contact(seed: int) -> None:
    """So what stands on an edge tips over it, and not earlier."""
    rng = np.random.default_rng(seed)
    R = np.array([np.eye(3), turned(rng.normal(size=3), 10.0 ** rng.uniform(-4, -1))])
    p = placed([PLANE, BOX], R, np.array([0.0, 0.0, 1.0]), 1e-3)
    found, points = found_of([PLANE, BOX], R, p)
    middle = 0.5 * (found[POINT_1 : POINT_1 + 3] + found[POINT_2 : POINT_2 + 3])
    force, torque = found[PUSH : PUSH + 3], found[PUSH + 3 : PUSH + 6]
    at = middle + np.cross([0.0, 0.0, 1.0], torque) / force[2]
    assert points[:, WEIGHT].sum() == pytest.approx(1.0)
    low, high = points[:, POSITION : POSITION + 2].min(axis=0), points[:, POSITION : POSITION + 2].max(axis=0)
    assert np.all(at[:2] > low - 1e-9)
    assert np.all(at[:2] < high + 1e-9)
    assert np.abs(force[:2]).max() < 1e-9
