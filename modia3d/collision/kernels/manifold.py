"""Contact points of two shapes: one where they are round, several where faces or edges lie on each other.

Seen along the normal, each pair of a face of the one shape and a face of the other one overlaps in a polygon, above which the
depth is linear. What remains of it where the depth is positive is a *cell*. Cells count by their areas, and the corners of a
cell by half of the edges that meet in them in relation to its perimeter, which integrates the depth along the perimeter by the
trapezoidal rule (see `weights`). So nothing jumps when a corner is cut off, an edge is left, or one face takes the place of
another one: a new corner is born where one is, and a new cell has no area. A box that rocks on an edge with the depth D along
it gets ``D/2`` together, which is what remains of ``(D_1 + D_2)/2`` at ``D_2 = 0``. How strong a contact is on the whole, and
where it pushes, follows from the same cells (see `penetration`); its points say where it is damped and rubs.
Straight lines of round surfaces (a capsule, the side of a cylinder) are cells of two corners; for comparison with faces they
have the width ``sqrt(2 r D)`` in which a surface of radius r gets D deep. Two lines that cross at a large angle touch at one
point: a line that ends on another one may lie exactly along the end of its width.
"""

from __future__ import annotations

from math import inf, sqrt

from modia3d.dynamics.basics.spatial import (
    MATRIX,
    OPTIONS,
    add,
    apply,
    apply_transposed,
    cross,
    kernel,
    load3,
    load9,
    multiply,
    scale,
    store3,
    subtract,
)
from modiapy.acausal.native import float64_array, njit, types

from ..tables import DEPTH as POINT_DEPTH
from ..tables import (
    DISTANCE,
    KIND,
    MEAN_DEPTH,
    MOST_POINTS,
    NORMAL,
    POINT_1,
    POINT_2,
    POSITION,
    PUSH,
    REACH,
    ROUND,
    WEIGHT,
    Kind,
)
from .clipping import CUTTER, DEPTH, area, cut_depth, cut_polygon
from .features import (
    ABOUT,
    BASE,
    BENT,
    CORNER_COLUMNS,
    CORNERS,
    FADE,
    OUTLINE,
    RADIUS,
    SLOPE_U,
    SLOPE_V,
    H,
    U,
    V,
    feature,
    feature_count,
)
from .penetration import CUBE, CUBE_TURN, FOURTH, FOURTH_TURN, LIFT, SUMS, VARIED, WHOLE, add_face, add_line
from .stack import stack_block
from .weights import SHARE, flatness, join_corners, share

_PLANE, _POINT, _ELLIPSOID, _LINE = int(Kind.PLANE), int(Kind.POINT), int(Kind.ELLIPSOID), int(Kind.LINE)
_BOX, _HULL = int(Kind.BOX), int(Kind.HULL)
_MOST_FEATURES = 64
"""Faces of a hull that are looked at, of those that have a part in the contact."""
_polygons = stack_block(4 * CORNERS * CORNER_COLUMNS)
_numbers = stack_block(2 * _MOST_FEATURES)
_sums = stack_block(SUMS)
_TIP = 8.0 / 11.0
"""Mean depth by largest depth of the end of a line that stands obliquely; a capsule ends in a sphere, which has one point."""
_LITTLE = 1e-10
"""What is less in relation to the rest is left out."""
_ALONG, _ACROSS = 0.25, 0.75
"""Squares of the sine of the angle between two lines up to which they are alike, and from which on they cross."""
_PARALLEL = 1e-12
"""Square of the slope of a face below which the normal is its own."""
_TOGETHER = 1e-12
"""Distance of corners in relation to the smaller shape within which they are one: what rounding makes of one point."""


@kernel
def _frame(normal):
    """Return the matrix whose rows are two directions in the plane of contact and its normal."""
    x, y, z = normal
    if abs(z) < 0.7:
        length = sqrt(x * x + y * y)
        first = -y / length, x / length, 0.0
    else:
        length = sqrt(y * y + z * z)
        first = 0.0, -z / length, y / length
    s = cross(normal, first)
    return first[0], first[1], first[2], s[0], s[1], s[2], x, y, z


@kernel
def _pose(R, p, i, E, origin):
    """Return the pose of a shape in the frame of the contact."""
    return multiply(E, load9(R, i, 0)), apply(E, subtract(load3(p, i, 0), origin))


@kernel
def _halve(points):
    """Merge neighbours in a full list; the sums of weights, of depths and of moments stay the same."""
    for k in range(MOST_POINTS // 2):
        a, b = 2 * k, 2 * k + 1
        x, y = points[a, WEIGHT], points[b, WEIGHT]
        u, v = x * points[a, POINT_DEPTH], y * points[b, POINT_DEPTH]
        part = v / (u + v) if u + v > 0.0 else 0.5
        for j in range(3):
            points[k, POSITION + j] = points[a, POSITION + j] + part * (points[b, POSITION + j] - points[a, POSITION + j])
        points[k, POINT_DEPTH], points[k, WEIGHT] = (u + v) / (x + y), x + y
    return MOST_POINTS // 2


@kernel
def _place(points, n, x, y, z, together):
    """Find the point that is nearer to x, y, z than ``together``; return its number, or that of a new one."""
    for k in range(n):
        if (
            abs(points[k, POSITION] - x) <= together
            and abs(points[k, POSITION + 1] - y) <= together
            and abs(points[k, POSITION + 2] - z) <= together
        ):
            return k
    return n


@kernel
def _append(cell, count, side, size, E, origin, together, points, n):
    """Add the corners of a cell to the points, their shares multiplied by ``size``; return the new number of points."""
    for k in range(count):
        weight = size * cell[k, SHARE]
        if not weight > 0.0:
            continue
        u, v, h = cell[k, U], cell[k, V], cell[k, H] - 0.5 * side * cell[k, DEPTH]
        x = origin[0] + u * E[0] + v * E[3] + h * E[6]
        y = origin[1] + u * E[1] + v * E[4] + h * E[7]
        z = origin[2] + u * E[2] + v * E[5] + h * E[8]
        at = _place(points, n, x, y, z, together)
        if at == MOST_POINTS:
            at = n = _halve(points)
        if at == n:
            points[n, POSITION], points[n, POSITION + 1], points[n, POSITION + 2] = x, y, z
            points[n, POINT_DEPTH], points[n, WEIGHT] = cell[k, DEPTH], weight
            n += 1
        else:
            points[at, WEIGHT] += weight
    return n


@kernel
def _length(cell, count):
    """Return the length of a clipped line, whose corners run forth and back."""
    longest = 0.0
    for k in range(1, count):
        du, dv = cell[k, U] - cell[0, U], cell[k, V] - cell[0, V]
        longest = max(longest, sqrt(du * du + dv * dv))
    return longest


@kernel
def _strip(line, width):
    """Make a polygon of a line, with this width to both sides."""
    u, v, du, dv = line[0, U], line[0, V], line[1, U] - line[0, U], line[1, V] - line[0, V]
    length = sqrt(du * du + dv * dv)
    a, b = -dv / length * width, du / length * width
    line[0, U], line[0, V], line[1, U], line[1, V] = u + a, v + b, u - a, v - b
    line[2, U], line[2, V], line[3, U], line[3, V] = u + du - a, v + dv - b, u + du + a, v + dv + b
    return 4


@kernel
def _alike(A, B):
    """Return 1 for lines of about the same direction, 0 for those that cross at a large angle."""
    u, v, s, t = A[1, U] - A[0, U], A[1, V] - A[0, V], B[1, U] - B[0, U], B[1, V] - B[0, V]
    square = (u * u + v * v) * (s * s + t * t)
    cross_square = (u * t - v * s) ** 2
    x = min(1.0, max(0.0, (_ACROSS * square - cross_square) / ((_ACROSS - _ALONG) * square))) if square > 0.0 else 1.0
    return x * x * (3.0 - 2.0 * x)


@kernel
def _shrink(cell, count, part, side, depth):
    """Move the corners of a cell towards the deepest point, so that this fraction of their distance remains."""
    for k in range(count):
        cell[k, U], cell[k, V] = part * cell[k, U], part * cell[k, V]
        cell[k, H] = part * cell[k, H] + (1.0 - part) * 0.5 * side * depth
        cell[k, DEPTH] = part * cell[k, DEPTH] + (1.0 - part) * depth


@kernel
def _begin_cell(polygon, count, side, slope_u, slope_v, base, cell):
    """Write the part of a polygon of the first (side 1) or second shape (side -1) beyond a plane, with its depth."""
    for k in range(count):
        height = base + slope_u * polygon[k, U] + slope_v * polygon[k, V]
        polygon[k, DEPTH] = side * (polygon[k, H] - height)
    return cut_depth(polygon, count, cell)


@kernel
def _add_cell(cell, count, side, flat, bent, extent, E, origin, together, points, n, total):
    """Add a cell, weighted by its extent; return the number of points, and the extent of all cells."""
    if count < 2 or not extent > _LITTLE * total:
        return n, total
    count = join_corners(cell, count, together)
    shares = share(cell, count, flat, flat if bent else 1.0)
    if not shares > 0.0:
        return n, total
    return _append(cell, count, side, extent / shares, E, origin, together, points, n), total + extent


@kernel
def _add_on_plane(polygon, count, side, depth, cell, E, origin, together, points, n, total, sums):
    """Add the cell of a face or line on an unbounded plane."""
    radius, fade = polygon[ABOUT, RADIUS], polygon[ABOUT, FADE]
    slope_u, slope_v = polygon[ABOUT, SLOPE_U], polygon[ABOUT, SLOPE_V]
    count = _begin_cell(polygon, count, side, 0.0, 0.0, -0.5 * side * depth, cell)
    if radius < 0.0:
        add_face(cell, count, OUTLINE, polygon, fade, sums)
        flat, extent = flatness(sqrt(slope_u * slope_u + slope_v * slope_v)), fade * abs(area(cell, count))
    else:
        add_line(cell, count, polygon, True, radius, polygon, fade, sums)
        flat, extent = 1.0, _length(cell, count) * fade * sqrt(2.0 * radius * depth)
    return _add_cell(cell, count, side, flat, radius == BENT, extent, E, origin, together, points, n, total)


@kernel
def _add_faces(A, count_a, B, count_b, depth, cell, spare, E, origin, together, points, n, total, sums):
    """Add the cell of a face or line of the first shape and one of the second shape."""
    mover = A if sums[VARIED] > 0.0 else B
    du, dv = A[ABOUT, SLOPE_U] - B[ABOUT, SLOPE_U], A[ABOUT, SLOPE_V] - B[ABOUT, SLOPE_V]
    r_a, r_b = A[ABOUT, RADIUS], B[ABOUT, RADIUS]
    fade, radius, alike = A[ABOUT, FADE] * B[ABOUT, FADE], max(r_a, r_b), 1.0
    if r_a >= 0.0 and r_b >= 0.0:
        alike = _alike(A, B)
        radius = r_a * r_b / (r_a + r_b) if r_a + r_b > 0.0 else 0.0
        count_b = _strip(B, sqrt(2.0 * radius * depth))
    side = 1.0
    if r_a < 0.0 and r_b >= 0.0:  # a line is cut by a face, never the other way round
        A, count_a, B, count_b, side = B, count_b, A, count_a, -1.0
    count = _begin_cell(A, count_a, side, B[ABOUT, SLOPE_U], B[ABOUT, SLOPE_V], B[ABOUT, BASE], cell)
    count = cut_polygon(cell, count, B, count_b, spare)
    owned = side == sums[VARIED]
    if radius < 0.0:
        add_face(cell, count, OUTLINE if owned else CUTTER, mover, fade, sums)
        flat, extent = flatness(sqrt(du * du + dv * dv)), fade * abs(area(cell, count))
    else:
        add_line(cell, count, A, owned, radius, mover, fade, sums)
        flat, extent = 1.0, _length(cell, count) * fade * sqrt(2.0 * radius * depth)
    if alike < 1.0:
        _shrink(cell, count, alike, side, depth)
    return _add_cell(cell, count, side, flat, min(r_a, r_b) == BENT, extent, E, origin, together, points, n, total)


@kernel
def _is_sharp(shapes, i):
    """Return whether a shape has edges that are not rounded."""
    kind = int(shapes[i, KIND])
    return kind in (_BOX, _HULL) and shapes[i, ROUND] == 0.0


@kernel
def _candidates(shapes, i, side, M, t, depth, polygon, row, numbers):
    """Write the numbers of the faces and lines that take part in the contact; return how many there are.

    The second result is the square of the smallest slope of a face: it is zero for the shape that the normal belongs to.
    """
    count, least = 0, inf
    for f in range(feature_count(shapes, i)):
        if count < _MOST_FEATURES and feature(shapes, i, f, side, M, t, depth, polygon) > 0:
            numbers[row, count] = float(f)
            count += 1
            if polygon[ABOUT, RADIUS] < 0.0:
                least = min(least, polygon[ABOUT, SLOPE_U] ** 2 + polygon[ABOUT, SLOPE_V] ** 2)
    return count, least


@kernel
def _one_point(found, k, points):
    """Return the middle of the witness points."""
    for j in range(3):
        points[0, POSITION + j] = 0.5 * (found[k, POINT_1 + j] + found[k, POINT_2 + j])
    points[0, POINT_DEPTH], points[0, WEIGHT] = max(0.0, -found[k, DISTANCE]), 1.0
    found[k, MEAN_DEPTH] = points[0, POINT_DEPTH]
    for j in range(3):
        found[k, PUSH + j], found[k, PUSH + 3 + j] = found[k, NORMAL + j], 0.0
    return 1


@kernel
def _is_flat(shapes, i):
    """Return whether the whole surface of a shape is flat; its edges may be rounded."""
    kind = int(shapes[i, KIND])
    return kind in (_PLANE, _BOX, _HULL)


@kernel
def _push_of_points(points, n, middle, found, k):
    """Add the push of points for two shapes with round surfaces, where their weights are the only data."""
    normal, energy, total, turn = load3(found, k, NORMAL), 0.0, 0.0, (0.0, 0.0, 0.0)
    for i in range(n):
        depth = max(points[i, POINT_DEPTH], 0.0)
        part = points[i, WEIGHT] * depth * sqrt(depth)
        energy, total = energy + part * depth, total + part
        turn = add(turn, scale(part, cross(subtract(load3(points, i, POSITION), middle), normal)))
    found[k, MEAN_DEPTH] = energy**0.4
    factor = 1.0 / energy**0.6 if energy > 0.0 else 0.0
    store3(found, k, PUSH, scale(factor * total, normal))
    store3(found, k, PUSH + 3, scale(factor, turn))


@kernel
def _push_of_area(sums, tip, E, found, k):
    """Add the push of areas and lines: the gradient of the mean depth, in world."""
    mean = sums[FOURTH] / sums[CUBE]
    for at in range(0, 6, 3):
        x = (sums[FOURTH_TURN + at] - mean * sums[CUBE_TURN + at]) / sums[CUBE]
        y = (sums[FOURTH_TURN + at + 1] - mean * sums[CUBE_TURN + at + 1]) / sums[CUBE]
        z = (sums[FOURTH_TURN + at + 2] - mean * sums[CUBE_TURN + at + 2]) / sums[CUBE]
        store3(found, k, PUSH + at, scale(sums[VARIED] / tip, apply_transposed(E, (x, y, z))))
    found[k, MEAN_DEPTH] = mean / tip


@kernel
def _is_round(shapes, i):
    """Return whether a shape has neither faces nor lines."""
    kind = int(shapes[i, KIND])
    return kind in (_POINT, _ELLIPSOID)


@kernel
def _all_cells(shapes, R, p, i, j, depth, E, origin, points, sums):
    """Add the points of all pairs of faces and lines; return their number. Their moments are added to ``sums``."""
    memory = _polygons()
    words, size = CORNERS * CORNER_COLUMNS, (CORNERS, CORNER_COLUMNS)
    A, B = float64_array(memory, size), float64_array(memory + 8 * words, size)
    cell, spare = float64_array(memory + 16 * words, size), float64_array(memory + 24 * words, size)
    numbers = float64_array(_numbers(), (2, _MOST_FEATURES))
    n, total, together = 0, 0.0, _TOGETHER * min(shapes[i, REACH], shapes[j, REACH])
    M_i, t_i = _pose(R, p, i, E, origin)
    M_j, t_j = _pose(R, p, j, E, origin)
    if int(shapes[i, KIND]) == _PLANE or int(shapes[j, KIND]) == _PLANE:
        other, side, M, t = (j, -1.0, M_j, t_j) if int(shapes[i, KIND]) == _PLANE else (i, 1.0, M_i, t_i)
        sums[VARIED], sums[LIFT], sums[WHOLE] = side, side * shapes[other, ROUND], 1.0
        for f in range(feature_count(shapes, other)):
            count = feature(shapes, other, f, side, M, t, depth, A)
            n, total = _add_on_plane(A, count, side, depth, cell, E, origin, together, points, n, total, sums)
        return n
    n_i, least_i = _candidates(shapes, i, 1.0, M_i, t_i, depth, A, 0, numbers)
    n_j, least_j = _candidates(shapes, j, -1.0, M_j, t_j, depth, B, 1, numbers)
    sums[VARIED], sums[LIFT] = (1.0, shapes[i, ROUND]) if least_i >= least_j else (-1.0, -shapes[j, ROUND])
    whole = min(least_i, least_j) < _PARALLEL or (_is_sharp(shapes, i) and _is_sharp(shapes, j))
    sums[WHOLE] = 1.0 if whole else 0.0
    for f in range(n_i):
        for g in range(n_j):
            count_a = feature(shapes, i, int(numbers[0, f]), 1.0, M_i, t_i, depth, A)
            count_b = feature(shapes, j, int(numbers[1, g]), -1.0, M_j, t_j, depth, B)
            n, total = _add_faces(A, count_a, B, count_b, depth, cell, spare, E, origin, together, points, n, total, sums)
    return n


@njit(types.int64(MATRIX, MATRIX, MATRIX, types.int64, types.int64, MATRIX, types.int64, MATRIX), **OPTIONS)
def contact_points(shapes, R, p, i, j, found, k, points):
    """Compute the contact points of shapes ``i`` and ``j`` that penetrate each other; return their number, at least one.

    Args:
        shapes, R, p: shapes and their poses in world.
        found, k: table and row of what `signed_distance` found about the pair, see `tables`; the mean depth and what it
            pushes are added.
        points: gets the points, shape (MOST_POINTS, POINT_COLUMNS).
    """
    depth = -found[k, DISTANCE]
    if not depth > 0.0 or _is_round(shapes, i) or _is_round(shapes, j):
        return _one_point(found, k, points)
    origin = scale(0.5, add(load3(found, k, POINT_1), load3(found, k, POINT_2)))
    E, sums = _frame(load3(found, k, NORMAL)), float64_array(_sums(), SUMS)
    for at in range(SUMS):
        sums[at] = 0.0
    n = _all_cells(shapes, R, p, i, j, depth, E, origin, points, sums)
    if n == 0:
        return _one_point(found, k, points)
    total = 0.0
    for at in range(n):
        total += points[at, WEIGHT]
    for at in range(n):
        points[at, WEIGHT] /= total
    if sums[CUBE] > 0.0 and (_is_flat(shapes, i) or _is_flat(shapes, j)):
        tip = _TIP if int(shapes[i, KIND]) == _LINE or int(shapes[j, KIND]) == _LINE else 1.0
        _push_of_area(sums, tip, E, found, k)
    else:
        _push_of_points(points, n, origin, found, k)
    return n
