"""Bounding boxes, near pairs, smallest gap and longest step against slow and obvious versions of them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from modia3d.collision.filter import pair_filter
from modia3d.collision.kernels.broad import longest_step, near_pairs, smallest_gap
from modia3d.collision.kernels.extents import bound_shapes
from modia3d.collision.kernels.poses import shape_poses
from modia3d.collision.tables import BODY, DISTANCE, FOUND_COLUMNS, HALF, KIND, NORMAL, P_BS, R_BS, Kind
from modia3d.collision.tree import VISITS, search_memory

from .shape_rows import random_scene, rotation, seeds, shape_row, surface

pytestmark = pytest.mark.white_box

Pairs = list[tuple[int, int]]


@njit
def _boxes(shapes, R, p, boxes):
    bound_shapes(shapes, R, p, boxes)


def boxes_of(shapes: np.ndarray, R: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    boxes, _ = search_memory(len(shapes))
    _boxes(shapes, R, p, boxes)
    return boxes[: len(shapes), :3], boxes[: len(shapes), 3:6]


def slow_gaps(shapes: np.ndarray, R: np.ndarray, p: np.ndarray) -> dict[tuple[int, int], float]:
    """Distances of the boxes of all pairs of different bodies, the world being one."""
    low, high = boxes_of(shapes, R, p)
    plane = shapes[:, KIND] == Kind.PLANE
    gaps = {}
    for i, j in combinations(range(len(shapes)), 2):
        if max(shapes[i, BODY], -1) == max(shapes[j, BODY], -1) or (plane[i] and plane[j]):
            continue
        if plane[i] or plane[j]:
            a, b = (i, j) if plane[i] else (j, i)
            normal = R[a].reshape(3, 3)[:, 2]
            R_b = R[b].reshape(3, 3)
            lowest = R_b @ surface(shapes[b], -(R_b.T @ normal)[None])[0] + p[b]
            gaps[i, j] = normal @ (lowest - p[a])
        else:
            gaps[i, j] = float(np.max([low[i] - high[j], low[j] - high[i]]))
    return gaps


def found_pairs(shapes: np.ndarray, R: np.ndarray, p: np.ndarray, table: np.ndarray, skin: float) -> Pairs:
    boxes, tree = search_memory(len(shapes))
    count = near_pairs(shapes, R, p, table, skin, boxes, tree, np.empty((0, 2), np.int64))
    pairs = np.empty((count, 2), np.int64)
    assert near_pairs(shapes, R, p, table, skin, boxes, tree, pairs) == count
    return [(int(i), int(j)) for i, j in pairs]


def listed(pairs: Pairs) -> np.ndarray:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


@given(seeds)
def test_poses_of_shapes_follow_their_bodies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes, R_S, p_S = random_scene(rng, 6, 2.0)
    shapes[:, R_BS : R_BS + 9], shapes[:, P_BS : P_BS + 3] = R_S, p_S
    R_B, p_B = np.array([rotation(rng).ravel() for _ in range(6)]), rng.normal(size=(6, 3))
    R, p = np.zeros((6, 9)), np.zeros((6, 3))
    shape_poses(shapes, R_B, p_B, R, p)
    for i, body in enumerate(shapes[:, BODY].astype(int)):
        rotated, origin = (np.eye(3), np.zeros(3)) if body < 0 else (R_B[body].reshape(3, 3), p_B[body])
        assert R[i].reshape(3, 3) == pytest.approx(rotated @ R_S[i].reshape(3, 3), abs=1e-14)
        assert p[i] == pytest.approx(origin + rotated @ p_S[i], abs=1e-13)


@given(seeds)
def test_boxes_are_the_smallest_that_hold_the_shapes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes, R, p = random_scene(rng, 8, 3.0)
    low, high = boxes_of(shapes, R, p)
    around = rng.normal(size=(200, 3))
    around /= np.linalg.norm(around, axis=1, keepdims=True)
    for i, row in enumerate(shapes):
        rotated = R[i].reshape(3, 3)
        directions = np.concatenate([around, rotated, -rotated])
        points = surface(row, directions) @ rotated.T + p[i]
        scale = 1e-12 * (1.0 + np.max(row[HALF : HALF + 3]))
        assert np.all(points >= low[i] - scale)
        assert np.all(points <= high[i] + scale)
        assert points.min(axis=0) == pytest.approx(low[i], abs=scale)  # directions along the world's axes are among them
        assert points.max(axis=0) == pytest.approx(high[i], abs=scale)


@given(seeds, st.integers(1, 60), st.floats(0.0, 2.0), st.integers(0, 2))
def test_near_pairs_are_those_of_all_pairs(seed: int, count: int, skin: float, planes: int) -> None:
    shapes, R, p = random_scene(np.random.default_rng(seed), count, 10.0, planes)
    gaps = slow_gaps(shapes, R, p)
    found = found_pairs(shapes, R, p, pair_filter(shapes[:, BODY]), skin)
    assert found == sorted(found)
    assert len(set(found)) == len(found)
    assert {pair for pair, gap in gaps.items() if gap < skin - 1e-9} <= set(found)
    assert {pair for pair, gap in gaps.items() if gap < skin + 1e-9} >= set(found)


@given(seeds, st.integers(2, 60), st.integers(0, 2))
def test_smallest_gap_is_that_of_all_pairs_that_are_not_listed(seed: int, count: int, planes: int) -> None:
    rng = np.random.default_rng(seed)
    shapes, R, p = random_scene(rng, count, 20.0, planes)
    table = pair_filter(shapes[:, BODY])
    pairs = found_pairs(shapes, R, p, table, 1.0)
    boxes, tree = search_memory(count)
    near_pairs(shapes, R, p, table, 1.0, boxes, tree, listed(pairs))
    for _ in range(4):  # the tree is that of the first poses
        gaps = slow_gaps(shapes, R, p)
        least = min([gap for pair, gap in gaps.items() if pair not in pairs], default=np.inf)
        gap = smallest_gap(shapes, R, p, table, listed(pairs), len(pairs), 5.0, boxes, tree)
        assert gap == pytest.approx(min(least, 5.0), abs=1e-9)
        unused, fresh = search_memory(count)
        assert smallest_gap(shapes, R, p, table, listed(pairs), len(pairs), 5.0, unused, fresh) == gap
        p += rng.uniform(-3.0, 3.0, p.shape)


def test_a_new_list_leaves_a_gap_of_the_skin() -> None:
    shapes, R, p = random_scene(np.random.default_rng(3), 80, 15.0, 1)
    table = pair_filter(shapes[:, BODY])
    pairs = found_pairs(shapes, R, p, table, 0.5)
    assert pairs
    assert smallest_gap(shapes, R, p, table, listed(pairs), len(pairs), 9.0, *search_memory(80)) >= 0.5


def test_smallest_gap_changes_sign_steadily_while_boxes_begin_to_overlap() -> None:
    shapes = np.array([shape_row(Kind.BOX, (0.5, 0.5, 0.5), body=0), shape_row(Kind.ELLIPSOID, (0.3, 0.2, 0.1), body=1)])
    R, table, memory = np.tile(np.eye(3).ravel(), (2, 1)), pair_filter([0, 1]), search_memory(2)
    for x in np.linspace(0.5, 1.1, 13):
        p = np.array([[0.0, 0.0, 0.0], [x, 0.1, 0.0]])
        gap = smallest_gap(shapes, R, p, table, np.empty((0, 2), np.int64), 0, 10.0, *memory)
        assert gap == pytest.approx(x - 0.8, abs=1e-15)


def step(shapes: np.ndarray, R: np.ndarray, p: np.ndarray, v: np.ndarray, w: np.ndarray, pairs: Pairs = [],  # noqa: B006
         found: np.ndarray | None = None, acceleration: float = 0.0) -> float:  # fmt: skip
    """Longest step of shapes whose frames are those of their bodies."""
    known = np.zeros((len(pairs), FOUND_COLUMNS)) if found is None else found
    table = pair_filter(shapes[:, BODY])
    memory = search_memory(len(shapes))
    return longest_step(shapes, R, p, table, listed(pairs), len(pairs), known, p, v, w, acceleration, *memory)


def bullet_and_plate() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    shapes = np.array([shape_row(Kind.POINT, (), 0.01, body=0), shape_row(Kind.BOX, (1.0, 1.0, 0.001), body=1)])
    return shapes, np.tile(np.eye(3).ravel(), (2, 1)), np.array([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])


def test_a_bullet_is_stopped_before_it_is_behind_a_plate() -> None:
    shapes, R, p = bullet_and_plate()
    v, w = np.array([[0.0, 0.0, -300.0], [0.0, 0.0, 0.0]]), np.zeros((2, 3))
    gap = 3.0 - 0.01 - 0.001
    time = step(shapes, R, p, v, w)
    assert gap / 300.0 < time < (gap + 0.02 + 0.002) / 300.0
    found = np.zeros((1, FOUND_COLUMNS))
    found[0, DISTANCE], found[0, NORMAL + 2] = gap, -1.0
    assert step(shapes, R, p, v, w, [(0, 1)], found) == pytest.approx(time, rel=1e-12)


def test_what_recedes_passes_by_or_touches_is_no_bound() -> None:
    shapes, R, p = bullet_and_plate()
    w = np.zeros((2, 3))
    assert step(shapes, R, p, np.array([[0.0, 0.0, 300.0], [0.0, 0.0, 0.0]]), w) == np.inf
    assert step(shapes, R, p, np.array([[300.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), w) == np.inf
    sliding = np.zeros((1, FOUND_COLUMNS))
    sliding[0, DISTANCE], sliding[0, NORMAL + 2] = 1e-6, -1.0
    assert step(shapes, R, p, np.array([[300.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), w, [(0, 1)], sliding) == np.inf
    touching = np.zeros((1, FOUND_COLUMNS))
    touching[0, DISTANCE], touching[0, NORMAL + 2] = -1e-6, -1.0
    assert step(shapes, R, p, np.array([[0.0, 0.0, -300.0], [0.0, 0.0, 0.0]]), w, [(0, 1)], touching) == np.inf


def test_what_falls_from_rest_is_bound_by_its_acceleration() -> None:
    shapes, R, p = bullet_and_plate()
    rest = np.zeros((2, 3))
    assert step(shapes, R, p, rest, rest) == np.inf
    time = step(shapes, R, p, rest, rest, acceleration=9.81)
    assert 2.989 < 0.5 * 9.81 * time**2 < 2.989 + 0.022


@given(seeds, st.integers(2, 30))
def test_longest_step_ends_before_any_two_balls_have_passed_through_each_other(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.05, 0.5, count)
    shapes = np.array([shape_row(Kind.POINT, (), radii[i], body=i) for i in range(count)])
    R, p = np.tile(np.eye(3).ravel(), (count, 1)), rng.uniform(-5.0, 5.0, (count, 3))
    v = rng.normal(size=(count, 3)) * 10.0
    expected = np.inf
    for i, j in combinations(range(count), 2):
        d, u, r = p[j] - p[i], v[j] - v[i], radii[i] + radii[j]
        gap, closing = np.abs(d) - r, -np.sign(d) * u
        meet = [0.0 if g <= 0.0 else g / c if c > 0.0 else np.inf for g, c in zip(gap, closing, strict=True)]
        expected = min(expected, max(meet) + r / np.linalg.norm(u))
    assert step(shapes, R, p, v, np.zeros((count, 3))) == pytest.approx(expected, rel=1e-9)


@given(seeds, st.integers(2, 60), st.sampled_from([0.0, 9.81]))
def test_longest_step_does_not_depend_on_where_bodies_were(seed: int, count: int, acceleration: float) -> None:
    rng = np.random.default_rng(seed)
    shapes, R, p = random_scene(rng, count, 10.0)
    table, none, found = pair_filter(shapes[:, BODY]), np.empty((0, 2), np.int64), np.zeros((0, FOUND_COLUMNS))
    v, w, memory = rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), search_memory(count)
    near_pairs(shapes, R, rng.uniform(-10.0, 10.0, p.shape), table, 0.0, *memory, none)
    times = [
        longest_step(shapes, R, p, table, none, 0, found, p, v, w, acceleration, *m) for m in (memory, search_memory(count))
    ]
    assert times[0] == times[1]


def test_rotating_bars_are_bound_by_the_speed_of_their_ends() -> None:
    shapes = np.array([shape_row(Kind.BOX, (1.0, 0.01, 0.01), body=0), shape_row(Kind.POINT, (), 0.01, body=1)])
    R, p = np.tile(np.eye(3).ravel(), (2, 1)), np.array([[0.0, 0.0, 0.0], [0.0, 0.9, 0.0]])
    w = np.array([[0.0, 0.0, 100.0], [0.0, 0.0, 0.0]])
    time = step(shapes, R, p, np.zeros((2, 3)), w)
    assert 0.0 < time <= (0.88 + 0.02) / 100.0


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_a_hammer_moves_as_far_as_its_handle_is_long(turn: int) -> None:
    """The body's origin is at the end of the handle, 2 m from the head, which is 3 m above a cube."""
    shapes = np.array([shape_row(Kind.POINT, (), 0.01, body=0), shape_row(Kind.BOX, (0.5, 0.5, 0.5), body=1)])
    R, p = np.tile(np.eye(3).ravel(), (2, 1)), np.roll([[0.0, 0.0, 3.0], [0.0, 0.0, 0.0]], turn, axis=1)
    bodies = np.roll([[0.0, 2.0, 3.0], [0.0, 0.0, 0.0]], turn, axis=1)
    w = np.roll([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0]], turn, axis=1)
    none, found, rest = np.empty((0, 2), np.int64), np.zeros((0, FOUND_COLUMNS)), np.zeros((2, 3))
    memory = search_memory(2)
    time = longest_step(shapes, R, p, pair_filter([0, 1]), none, 0, found, bodies, rest, w, 0.0, *memory)
    assert 2.49 / 201.8 < time < 3.01 / 198.0
    assert longest_step(shapes, R, p, pair_filter([0, 1]), none, 0, found, bodies, rest, -w, 0.0, *memory) == np.inf


def test_broad_phase_costs_hardly_more_than_in_proportion() -> None:
    """Pairs of nodes that are looked at, for balls at one density in space; all pairs would give an exponent of 2."""
    counts = np.array([250, 1000, 4000])
    visits = []
    for count in counts:
        rng = np.random.default_rng(1)
        shapes = np.array([shape_row(Kind.POINT, (), 0.1, body=i) for i in range(count)])
        p = rng.uniform(0.0, 0.5 * count ** (1 / 3), (count, 3))
        boxes, tree = search_memory(count)
        R, pairs = np.tile(np.eye(3).ravel(), (count, 1)), np.empty((20 * count, 2), np.int64)
        assert near_pairs(shapes, R, p, pair_filter(shapes[:, BODY]), 0.05, boxes, tree, pairs) > count / 4
        visits.append(int(tree[VISITS]))
    assert np.polyfit(np.log(counts), np.log(visits), 1)[0] < 1.2


def test_gap_stays_cheap_when_bodies_have_long_left_their_places() -> None:
    count = 1000
    rng = np.random.default_rng(2)
    shapes = np.array([shape_row(Kind.POINT, (), 0.1, body=i) for i in range(count)])
    R, table, memory = np.tile(np.eye(3).ravel(), (count, 1)), pair_filter(shapes[:, BODY]), search_memory(count)
    p = rng.uniform(0.0, 10.0, (count, 3))
    none = np.empty((0, 2), np.int64)
    near_pairs(shapes, R, p, table, 0.0, *memory, none)
    fresh = int(memory[1][VISITS])
    p = rng.uniform(0.0, 10.0, (count, 3))
    visits = []
    for _ in range(3):
        smallest_gap(shapes, R, p + rng.normal(size=p.shape) * 1e-3, table, none, 0, 0.01, *memory)
        visits.append(int(memory[1][VISITS]))
    assert visits[0] > 10 * fresh  # the order of other places
    assert max(visits[1:]) < 3 * fresh


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_poses_that_are_no_numbers_end_the_search(value: float) -> None:
    shapes, R, p = random_scene(np.random.default_rng(5), 40, 5.0, 1)
    p[::3] = value
    table, memory = pair_filter(shapes[:, BODY]), search_memory(40)
    count = near_pairs(shapes, R, p, table, 0.1, *memory, np.empty((0, 2), np.int64))
    assert 0 <= count <= 40 * 39 // 2
    assert not smallest_gap(shapes, R, p, table, np.empty((0, 2), np.int64), 0, 1.0, *memory) > 1.0
