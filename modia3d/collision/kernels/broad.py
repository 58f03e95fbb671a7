"""Pairs of shapes that are near each other, a bound on the distance of all others, and a bound on the length of a step.

The distance of two boxes is here the largest of their distances along x, y and z. It never exceeds the distance of the shapes,
is negative where the boxes overlap, and so is a continuous function of time that changes its sign. For a plane and a shape it
is the height of the shape's lowest point, see `extents`. Two planes are no pair.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import INTS, MATRIX, OPTIONS, apply, dot, kernel, load3, load9, negate, subtract
from modiapy.acausal.native import njit, types

from ..tables import DISTANCE, NORMAL, ROUND
from ..tree import EMPTY, HIGH, HIGH_RATE, LEAVES, LOW, LOW_RATE, ORDER, SORTED, VISITS, VISITS_AT_FIRST
from .allowed import is_listed, may_collide, sort_pairs
from .box_tree import bound_nodes, leaf_begin, sort_shapes
from .extents import bound_rates, bound_shapes, is_plane, motion, thickness, world_height

_FAR = float("inf")
_FOREVER = 1e12
"""A time that is taken for infinite [s]."""
_COLLECT, _GAP, _TIME = 0, 1, 2
"""What a search is for: the pairs nearer than a limit, the least distance, the least time."""
_NUMBERS = types.int64[::1]


@kernel
def _gap(boxes, a, b):
    """Return the distance of the boxes in two rows."""
    gap = -_FAR
    for k in range(3):
        gap = max(gap, max(boxes[b, LOW + k] - boxes[a, HIGH + k], boxes[a, LOW + k] - boxes[b, HIGH + k]))
    return gap


@kernel
def _time_to_close(gap, speed, acceleration):
    """Return the time in which a gap closes at a growing speed; infinite if it does not."""
    if gap <= 0.0:
        return 0.0
    return 2.0 * gap / (speed + sqrt(speed * speed + 2.0 * acceleration * gap))


@kernel
def _time_to_meet(boxes, a, b, acceleration):
    """Return the least time after which the boxes in two rows can overlap."""
    time = 0.0
    for k in range(3):
        above = _time_to_close(
            boxes[b, LOW + k] - boxes[a, HIGH + k], boxes[a, HIGH_RATE + k] - boxes[b, LOW_RATE + k], acceleration
        )
        below = _time_to_close(
            boxes[a, LOW + k] - boxes[b, HIGH + k], boxes[b, HIGH_RATE + k] - boxes[a, LOW_RATE + k], acceleration
        )
        time = max(time, max(above, below))
    return time


@kernel
def _time_to_pass(shapes, boxes, i, j, acceleration):
    """Return the time in which two shapes cannot pass through each other: until their boxes meet, then through half of both."""
    time, square = _time_to_meet(boxes, i, j, acceleration), 0.0
    for k in range(3):
        speed = max(boxes[i, HIGH_RATE + k] - boxes[j, LOW_RATE + k], boxes[j, HIGH_RATE + k] - boxes[i, LOW_RATE + k])
        square += speed * speed
    if time == _FAR:
        return time
    return time + _time_to_close(thickness(shapes, i) + thickness(shapes, j), sqrt(square) + acceleration * time, acceleration)


@kernel
def _reaches(gap, speed, travel, limit):
    """Return whether a gap closes within a time at a given speed, plus a distance due to accelerations."""
    return gap <= 0.0 or gap < speed * limit + travel


@kernel
def _can_meet(boxes, a, b, limit, travel):
    """Return whether the boxes in two rows can overlap before a time, including a distance due to accelerations."""
    for k in range(3):
        above, below = boxes[b, LOW + k] - boxes[a, HIGH + k], boxes[a, LOW + k] - boxes[b, HIGH + k]
        if not _reaches(above, boxes[a, HIGH_RATE + k] - boxes[b, LOW_RATE + k], travel, limit):
            return False
        if not _reaches(below, boxes[b, HIGH_RATE + k] - boxes[a, LOW_RATE + k], travel, limit):
            return False
    return True


@kernel
def _is_near(mode, boxes, a, b, limit, travel):
    """Return whether the boxes in two rows are below the limit of a search."""
    if mode == _TIME:
        return _can_meet(boxes, a, b, limit, travel)
    return _gap(boxes, a, b) < limit


@kernel
def _bounds(mode, limit, acceleration):
    """Return limit and distance for `_can_meet`.

    Times are slightly enlarged, so that rounding leaves out no pair that sets the limit.
    """
    if mode != _TIME:
        return limit, 0.0
    more = limit * (1.0 + 1e-9)
    return more, 0.5 * acceleration * more * more


@kernel
def _take(mode, shapes, filter, i, j, value, limit, boxes, acceleration, pairs, count):
    """Process a near pair at the distance ``value``: return the new limit, and the new number of pairs."""
    if j < i:
        i, j = j, i
    if not may_collide(filter, i, j):
        return limit, count
    if mode == _COLLECT:
        if count < pairs.shape[0]:
            pairs[count, 0], pairs[count, 1] = i, j
        return limit, count + 1
    if is_listed(pairs, count, i, j):
        return limit, count
    return min(limit, _time_to_pass(shapes, boxes, i, j, acceleration) if mode == _TIME else value), count


@kernel
def _compare_leaves(mode, shapes, filter, limit, boxes, tree, a, b, acceleration, pairs, count):
    """Process all pairs of shapes of two leaves, which may be one: return the new limit, and the new number of pairs."""
    reach, travel = _bounds(mode, limit, acceleration)
    for at in range(leaf_begin(tree, a), leaf_begin(tree, a + 1)):
        i = tree[ORDER + at]
        for other in range(at + 1 if a == b else leaf_begin(tree, b), leaf_begin(tree, b + 1)):
            j = tree[ORDER + other]
            value = 0.0 if mode == _TIME else _gap(boxes, i, j)
            if _can_meet(boxes, i, j, reach, travel) if mode == _TIME else value < limit:
                limit, count = _take(mode, shapes, filter, i, j, value, limit, boxes, acceleration, pairs, count)
                reach, travel = _bounds(mode, limit, acceleration)
    return limit, count


@kernel
def _push(tree, top, a, b):
    tree[top], tree[top + 1] = a, b
    return top + 2


@kernel
def _search(mode, shapes, filter, limit, boxes, tree, acceleration, pairs, count):
    """Process all pairs of shapes whose value is below the limit: return the last limit, and the number of pairs."""
    n_shapes, leaves = shapes.shape[0], tree[LEAVES]
    bodies, bottom = ORDER + n_shapes, ORDER + n_shapes + 2 * leaves
    top, visits = _push(tree, bottom, 1, 1), 0
    while top > bottom:
        top -= 2
        a, b = tree[top], tree[top + 1]
        visits += 1
        body = tree[bodies + a]
        if (body >= 0 and body == tree[bodies + b]) or body == EMPTY:
            continue
        reach, travel = _bounds(mode, limit, acceleration)
        if a != b and not _is_near(mode, boxes, n_shapes + a, n_shapes + b, reach, travel):
            continue
        if a >= leaves and b >= leaves:
            limit, count = _compare_leaves(mode, shapes, filter, limit, boxes, tree, a, b, acceleration, pairs, count)
        elif a == b:
            top = _push(tree, top, 2 * a, 2 * a + 1)
            top = _push(tree, top, 2 * a, 2 * a)
            top = _push(tree, top, 2 * a + 1, 2 * a + 1)
        elif a < b:  # the larger of the two is the one nearer to the root
            top = _push(tree, top, 2 * a, b)
            top = _push(tree, top, 2 * a + 1, b)
        else:
            top = _push(tree, top, a, 2 * b)
            top = _push(tree, top, a, 2 * b + 1)
    tree[VISITS] = visits
    return limit, count


@kernel
def _search_planes(mode, shapes, R, p, filter, limit, boxes, pairs, count):
    """Do the same for the pairs of a plane and a shape."""
    for plane in range(shapes.shape[0]):
        if is_plane(shapes, plane):
            normal = apply(load9(R, plane, 0), (0.0, 0.0, 1.0))
            level = dot(normal, load3(p, plane, 0)) + shapes[plane, ROUND]
            for i in range(shapes.shape[0]):
                if not is_plane(shapes, i):
                    value = -world_height(shapes, R, p, i, negate(normal)) - level
                    if value < limit:
                        limit, count = _take(mode, shapes, filter, plane, i, value, limit, boxes, 0.0, pairs, count)
    return limit, count


@kernel
def _refresh(shapes, filter, boxes, tree):
    """Compute the boxes of the nodes.

    Shapes are sorted if they are not yet, or if the order has become bad. The order affects the time, but no result.
    """
    unsorted = tree[SORTED] == 0 or tree[VISITS] > 2 * tree[VISITS_AT_FIRST] + 64
    if unsorted:
        sort_shapes(shapes, boxes, tree)
    bound_nodes(boxes, tree, filter, shapes.shape[0])
    return unsorted


@njit(types.int64(MATRIX, MATRIX, MATRIX, _NUMBERS, types.float64, MATRIX, _NUMBERS, INTS), **OPTIONS)
def near_pairs(shapes, R, p, filter, skin, boxes, tree, pairs):
    """Find the pairs of shapes that may collide and whose boxes are nearer to each other than ``skin``.

    Args:
        shapes, R, p: shapes and their poses in world.
        filter: see `filter.pair_filter`. skin: [m].
        boxes, tree: memory, see `tree.search_memory`.
        pairs: gets the pairs, shape (capacity, 2): the smaller number first, in ascending order.

    Returns:
        The number of pairs. If it exceeds the capacity what is in ``pairs`` means nothing.
    """
    bound_shapes(shapes, R, p, boxes)
    sort_shapes(shapes, boxes, tree)
    bound_nodes(boxes, tree, filter, shapes.shape[0])
    _, count = _search(_COLLECT, shapes, filter, skin, boxes, tree, 0.0, pairs, 0)
    tree[VISITS_AT_FIRST] = tree[VISITS]
    _, count = _search_planes(_COLLECT, shapes, R, p, filter, skin, boxes, pairs, count)
    if count <= pairs.shape[0]:
        sort_pairs(pairs, count)
    return count


@njit(types.float64(MATRIX, MATRIX, MATRIX, _NUMBERS, INTS, types.int64, types.float64, MATRIX, _NUMBERS), **OPTIONS)
def smallest_gap(shapes, R, p, filter, pairs, count, horizon, boxes, tree):
    """Return the least distance of the boxes of pairs that may collide and are not among the first ``count`` rows of ``pairs``
    [m].

    It is continuous in time, negative where boxes overlap, and at most ``horizon``. Arguments are those of `near_pairs`.
    """
    bound_shapes(shapes, R, p, boxes)
    unsorted = _refresh(shapes, filter, boxes, tree)
    gap, _ = _search(_GAP, shapes, filter, horizon, boxes, tree, 0.0, pairs, count)
    if unsorted:
        tree[VISITS_AT_FIRST] = tree[VISITS]
    gap, _ = _search_planes(_GAP, shapes, R, p, filter, gap, boxes, pairs, count)
    return gap


@kernel
def _listed_time(shapes, R, p, i, j, found, k, p_bodies, v_W, w_W, acceleration):
    """Return the time in which the shapes of row ``k`` cannot pass through each other; infinite while they touch."""
    distance = found[k, DISTANCE]
    if is_plane(shapes, i) or is_plane(shapes, j) or not distance > 0.0:
        return _FAR
    v_1, turning_1 = motion(shapes, R, p, i, p_bodies, v_W, w_W)
    v_2, turning_2 = motion(shapes, R, p, j, p_bodies, v_W, w_W)
    v, turning = subtract(v_1, v_2), turning_1 + turning_2
    time = _time_to_close(distance, dot(v, load3(found, k, NORMAL)) + turning, acceleration)
    if time == _FAR:
        return time
    speed = sqrt(dot(v, v)) + turning + acceleration * time
    return time + _time_to_close(thickness(shapes, i) + thickness(shapes, j), speed, acceleration)


@kernel
def longest_step_of(shapes, R, p, filter, pairs, count, found, p_bodies, v_W, w_W, acceleration, boxes, tree):
    """Return `longest_step` where `smallest_gap` has just bounded the shapes."""
    bound_rates(shapes, R, p, p_bodies, v_W, w_W, boxes)
    time = _FOREVER
    for k in range(count):
        time = min(time, _listed_time(shapes, R, p, pairs[k, 0], pairs[k, 1], found, k, p_bodies, v_W, w_W, acceleration))
    if tree[SORTED] == 0:
        sort_shapes(shapes, boxes, tree)
        tree[VISITS_AT_FIRST] = 0
    bound_nodes(boxes, tree, filter, shapes.shape[0])
    visits = tree[VISITS]
    time, _ = _search(_TIME, shapes, filter, time, boxes, tree, acceleration, pairs, count)
    tree[VISITS] = visits
    return time if time < _FOREVER else _FAR


@njit(
    types.float64(
        MATRIX, MATRIX, MATRIX, _NUMBERS, INTS, types.int64, MATRIX, MATRIX, MATRIX, MATRIX, types.float64, MATRIX, _NUMBERS
    ),
    **OPTIONS,
)
def longest_step(shapes, R, p, filter, pairs, count, found, p_bodies, v_W, w_W, acceleration, boxes, tree):
    """Return the time in which no pair of shapes that may collide can pass through each other unnoticed [s].

    A step that is not longer ends before two shapes meet, or while they penetrate each other, as long as they move with their
    present velocities, or these change by no more than ``acceleration``. Pairs that touch, and planes, which nothing passes
    through, set no bound; infinite if nothing approaches.

    Args:
        found: what is known of the first ``count`` rows of ``pairs`` at these poses, see `tables`.
        p_bodies, v_W, w_W: origins of the bodies in world, their velocities, and their angular velocities, shape (n_bodies, 3).
        acceleration: upper bound for that of two bodies relative to each other [m/s2]; 0: velocities stay what they are.
        shapes, R, p, filter, pairs, count, boxes, tree: as for `smallest_gap`.
    """
    bound_shapes(shapes, R, p, boxes)
    return longest_step_of(shapes, R, p, filter, pairs, count, found, p_bodies, v_W, w_W, acceleration, boxes, tree)
