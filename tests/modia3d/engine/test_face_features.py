"""Features of solids with flat faces that lie on each other: where they are found, and how long they hold."""

from __future__ import annotations

import numpy as np
import pytest

from modia3d.constraints.tables import cut_table
from modia3d.engine.contact.faces import FacePair, Polyhedron

pytestmark = pytest.mark.white_box

FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
NORMALS = np.array([[-1.0, 0, 0], [1.0, 0, 0], [0, -1.0, 0], [0, 1.0, 0], [0, 0, -1.0], [0, 0, 1.0]])


def rounded(body: int, halves: tuple[float, float, float], radius: float) -> Polyhedron:
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    return Polyhedron(body, radius, signs * halves, FACES, NORMALS)


@pytest.mark.parametrize("radius", [0.0, 0.05])
@pytest.mark.parametrize("angle", [0.0, 0.3])
@pytest.mark.parametrize(("below", "above"), [((0.2, 0.3, 0.1), (0.6, 0.7, 0.2)), ((0.6, 0.7, 0.1), (0.2, 0.3, 0.2))])
def test_corners_of_the_smaller_box_are_at_their_feet_on_the_core_of_the_upper_one(below, above, angle, radius):
    one, two = rounded(0, below, radius), rounded(1, above, radius)
    R = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    p = np.array([0.05, -0.03, below[2] + above[2] + 2.0 * radius])
    pair = FacePair(one, two, 0.2)
    found = pair.find((R, p), np.array([0.0, 0.0, 1.0]))
    smaller_is_below = below[0] < above[0]
    kinds = {feature.kind for number in found if (feature := pair.feature(number)) is not None}
    assert kinds == {cut_table.FACE if smaller_is_below else cut_table.POINT}
    corners = one.corners[one.corners[:, 2] > 0] - p if smaller_is_below else two.corners[two.corners[:, 2] < 0]
    feet = (corners @ R if smaller_is_below else corners) * [1.0, 1.0, 0.0] - [0.0, 0.0, above[2]]
    places = pair.places(found, (R, p))
    apart = np.linalg.norm(places[:, None] - feet[None], axis=2)
    assert places.shape == feet.shape
    assert apart.min(axis=0) == pytest.approx(0.0, abs=1e-12)  # each foot is one of the places


def prism(body, corners, height):
    """A prism over a convex polygon (n, 2), counter-clockwise, between -height and height."""
    n = len(corners)
    sides = tuple((k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n))
    faces = (tuple(reversed(range(n))), tuple(range(n, 2 * n)), *sides)
    points = np.vstack([np.column_stack([corners, np.full(n, z)]) for z in (-height, height)])
    normals = [np.cross(points[f[1]] - points[f[0]], points[f[2]] - points[f[1]]) for f in faces]
    return Polyhedron(body, 0.0, points, faces, np.array([x / np.linalg.norm(x) for x in normals]))


def drawn(rng):
    """A convex polygon with corners on an ellipse, counter-clockwise."""
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, rng.integers(3, 7)))
    return np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.5, 1.5, 2)


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def overlap(one, other):
    """What two convex polygons have in common: the one is cut by each side of the other one."""
    for a, b in zip(other, np.roll(other, -1, axis=0), strict=True):
        inside = (b[0] - a[0]) * (one[:, 1] - a[1]) - (b[1] - a[1]) * (one[:, 0] - a[0])
        kept = []
        for k in range(len(one)):
            p, q, s, t = one[k - 1], one[k], inside[k - 1], inside[k]
            kept += [p + s / (s - t) * (q - p)] * bool(s * t < 0.0) + [q] * bool(t >= 0.0)
        one = np.array(kept).reshape(-1, 2)
    return one


def lies_on(seed):
    """Two prisms of which one lies on the other, anyhow turned about the normal; poses of the second one in the first one's
    body, those behind the first one near to it; and the polygon in which they touch, seen from above."""
    rng = np.random.default_rng(seed)
    while True:
        below, above, heights = drawn(rng), drawn(rng), rng.uniform(0.1, 0.5, 2)
        turn, shift = turned(rng.uniform(0.0, 2.0 * np.pi)), rng.uniform(-0.7, 0.7, 2)
        common = overlap(below, above @ turn.T + shift)
        if len(common):
            break
    pair = FacePair(prism(0, below, heights[0]), prism(1, above, heights[1]), 1.0)
    near = ((turn @ turned(rng.uniform(-0.05, 0.05)), shift + rng.uniform(-0.2, 0.2, 2)) for _ in range(6))
    return pair, [pose(*there, heights) for there in ((turn, shift), *near)], common


def pose(turn, shift, heights):
    R = np.eye(3)
    R[:2, :2] = turn
    return R, np.array([*shift, heights.sum()])


UP = np.array([0.0, 0.0, 1.0])


def is_rotation(row, at):
    R = row[at : at + 9].reshape(3, 3)
    return pytest.approx(np.eye(3), abs=1e-12) == R @ R.T and np.linalg.det(R) == pytest.approx(1.0)


def check(pair, pose, expected, up):
    """Whether both touch at these places, in the frame of the first body, and stick in the middle of these."""
    R, p = pose
    found = pair.find(pose, up)
    assert [pair.number(pair.feature(k)) for k in found] == list(found)
    places = p + pair.places(found, pose) @ R.T
    apart = np.linalg.norm(places[:, None] - expected[None], axis=2)
    assert apart.shape[0] == apart.shape[1]
    assert apart.min(axis=1) == pytest.approx(0.0, abs=1e-9)
    row, middle = pair.patch(found, pose), places.mean(axis=0)
    assert row[cut_table.FRAME_2 + 9 : cut_table.FRAME_2 + 12] == pytest.approx(R.T @ (middle - p), abs=1e-9)
    assert row[cut_table.FRAME_1 + 9 : cut_table.FRAME_1 + 12] == pytest.approx(middle, abs=1e-9)
    assert row[cut_table.SPAN] == pytest.approx(np.linalg.norm(places - middle, axis=1).mean())
    assert all(is_rotation(one, at) for one in (row, *pair.rows(found)) for at in (cut_table.FRAME_1, cut_table.FRAME_2))
    z_1, z_2 = (row[at + 2 : at + 9 : 3] for at in (cut_table.FRAME_1, cut_table.FRAME_2))
    assert (-R @ z_2 if row[cut_table.FEATURE] == cut_table.FACE else z_1) == pytest.approx(up, abs=1e-12)
    return row[cut_table.FEATURE]


@pytest.mark.parametrize("seed", range(24))
def test_prisms_touch_at_the_corners_of_what_their_faces_have_in_common(seed):
    pair, (there, *_), common = lies_on(seed)
    height = pair.one.corners[:, 2].max()
    check(pair, there, np.column_stack([common, np.full(len(common), height)]), UP)


@pytest.mark.parametrize("seed", range(12))
def test_features_hold_as_long_as_the_same_ones_are_found(seed):
    """In all ways along the plane."""
    pair, (there, *near), _ = lies_on(seed)
    found = pair.find(there, UP)
    for then in near:
        now = pair.find(then, UP)
        assert pair.holds(found, then, there) == (set(now) == set(found))
        assert not any(pair.holds((number,), then, there) for number in set(found) - set(now))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("first", ["plate", "ridge"])
def test_a_ridge_across_a_plate_touches_where_it_crosses_its_ends(first, seed):
    """The face of contact is that of the plate, whichever is the first one."""
    rng = np.random.default_rng(seed)
    angle, turn, at = rng.uniform(0.0, np.pi), rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-0.2, 0.2, 2)
    along, across = turned(angle).T
    ends = np.array([at - 3.0 * along, at + 3.0 * along])
    corners = np.array([[*ends[0], 0.2], [*ends[1], 0.2], [*(at + across), 1.0], [*(at - across), 1.0]])
    faces, normals = [], []
    for missing in range(4):
        face = [k for k in range(4) if k != missing]
        normal = np.cross(corners[face[1]] - corners[face[0]], corners[face[2]] - corners[face[0]])
        outward = np.sign(normal @ (corners[face[0]] - corners.mean(axis=0)))
        faces.append(tuple(face if outward > 0.0 else face[::-1]))
        normals.append(outward * normal / np.linalg.norm(normal))
    R = np.eye(3)
    R[:2, :2] = turned(turn)
    polygon = drawn(rng)
    plate = prism(0, polygon, 0.2)
    ridge = Polyhedron(1, 0.0, corners @ R, tuple(faces), np.array(normals) @ R)
    side = (polygon - at) @ across
    expected = [
        [*(a + s / (s - t) * (b - a)), 0.2]
        for a, b, s, t in zip(polygon, np.roll(polygon, -1, axis=0), side, np.roll(side, -1), strict=True)
        if s * t < 0.0
    ]
    assert len(expected) in (0, 2)
    if not expected:
        return
    if first == "plate":
        assert check(FacePair(plate, ridge, 1.0), (R, np.zeros(3)), np.array(expected), UP) == cut_table.POINT
    else:
        in_ridge = np.array(expected) @ R
        assert check(FacePair(ridge, plate, 1.0), (R.T, np.zeros(3)), in_ridge, -UP) == cut_table.FACE
