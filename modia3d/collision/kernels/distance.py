"""The signed distance of two shapes."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from modia3d.dynamics.basics.spatial import (
    MATRIX,
    OPTIONS,
    add,
    apply,
    apply_transposed,
    dot,
    kernel,
    load3,
    load9,
    multiply,
    scale,
    store3,
    subtract,
    transpose,
)
from modiapy.acausal.native import cfunc, external_function, float64_array, intrinsic, njit, types

from ..tables import (
    DISTANCE,
    FOUND,
    FOUND_COLUMNS,
    INNER,
    KIND,
    MIDDLE,
    NORMAL,
    POINT_1,
    POINT_2,
    REACH,
    ROUND,
    SHAPE_COLUMNS,
    UNSETTLED,
    Kind,
)
from .approach import APART, approach
from .closed_forms import any_and_plane, box_and_point, lines, plane_and_any, prism_and_point
from .depth import depth
from .refine import unit
from .scratch import (
    CORNER_COLUMNS,
    CORNERS,
    EDGE_COLUMNS,
    FACE_COLUMNS,
    KEPT,
    MOST_FACES,
    ON_A,
    PART,
    corner_memory,
    edge_memory,
    face_memory,
)

_CYLINDER, _BEAM = int(Kind.CYLINDER), int(Kind.BEAM)
_PLANE, _POINT, _LINE, _BOX = int(Kind.PLANE), int(Kind.POINT), int(Kind.LINE), int(Kind.BOX)


@kernel
def _size(shapes, i):
    """Return how far the shape reaches from the origin of its frame, at most [m]."""
    m = load3(shapes, i, MIDDLE)
    return shapes[i, REACH] + sqrt(dot(m, m))


@kernel
def _write(R_A, p_A, d, n, a, round_a, round_b, found, k):
    """Write the result, rounded and in world."""
    normal = apply(R_A, n)
    first = add(p_A, apply(R_A, add(a, scale(round_a, n))))
    distance = d - round_a - round_b
    found[k, DISTANCE] = distance
    store3(found, k, NORMAL, normal)
    store3(found, k, POINT_1, first)
    store3(found, k, POINT_2, add(first, scale(distance, normal)))


@kernel
def _point(S, m):
    """Return the point of the answer on A."""
    a = (0.0, 0.0, 0.0)
    for k in range(KEPT, KEPT + m):
        a = add(a, scale(S[k, PART], load3(S, k, ON_A)))
    return a


@kernel
def _search(shapes, i, j, R, p, size):
    """Return the status, distance of the cores, normal out of A and point on A, in A."""
    S = float64_array(corner_memory(), (CORNERS, CORNER_COLUMNS))
    c = subtract(add(p, apply(R, load3(shapes, j, INNER))), load3(shapes, i, INNER))
    n = unit(c) if dot(c, c) > 1e-24 * size * size else (0.0, 0.0, 1.0)
    state, m, n, d = approach(shapes, i, j, R, p, n, size, S)
    if state == APART:
        return FOUND, d, n, _point(S, m)
    F = float64_array(face_memory(), (MOST_FACES, FACE_COLUMNS))
    E = float64_array(edge_memory(), (MOST_FACES, EDGE_COLUMNS))
    settled, m, n, d = depth(shapes, i, j, R, p, size, m, S, F, E)
    return (FOUND if settled else UNSETTLED), d, n, _point(S, m)


@kernel
def _distance(shapes, R, p, i, j, k, found):
    """See `signed_distance`."""
    R_A, p_A = load9(R, i, 0), load3(p, i, 0)
    R_AB, p_AB = multiply(transpose(R_A), load9(R, j, 0)), apply_transposed(R_A, subtract(load3(p, j, 0), p_A))
    round_a, round_b = shapes[i, ROUND], shapes[j, ROUND]
    first, second, status = int(shapes[i, KIND]), int(shapes[j, KIND]), FOUND
    if first == _PLANE or second == _PLANE:
        if first == second:
            found[k, DISTANCE] = inf
            store3(found, k, NORMAL, apply(R_A, (0.0, 0.0, 1.0)))
            store3(found, k, POINT_1, p_A)
            store3(found, k, POINT_2, load3(p, j, 0))
            return FOUND
        if first == _PLANE:
            d, n, a, _ = plane_and_any(shapes, i, j, R_AB, p_AB)
        else:
            d, n, a, _ = any_and_plane(shapes, i, j, R_AB, p_AB)
        _write(R_A, p_A, d, n, a, round_a, round_b, found, k)
        return FOUND
    size = _size(shapes, i) + _size(shapes, j) + sqrt(dot(p_AB, p_AB))
    if first in (_POINT, _LINE) and second in (_POINT, _LINE):
        d, n, a, _ = lines(shapes, i, j, R_AB, p_AB, size)
    elif (first == _BOX and second == _POINT) or (first == _POINT and second == _BOX):
        d, n, a, _ = box_and_point(shapes, i, j, R_AB, p_AB)
    elif (first in (_CYLINDER, _BEAM) and second == _POINT) or (first == _POINT and second in (_CYLINDER, _BEAM)):
        d, n, a, _ = prism_and_point(shapes, i, j, R_AB, p_AB)
    else:
        status, d, n, a = _search(shapes, i, j, R_AB, p_AB, size)
    _write(R_A, p_A, d, n, a, round_a, round_b, found, k)
    return status


_WORDS = types.int64(*[types.int64] * 7)


@cfunc(_WORDS, **OPTIONS)
def _at_addresses(shapes, R, p, i, j, k, found):
    """Compute the same with addresses in place of arrays."""
    n = max(i, j) + 1
    return _distance(
        float64_array(shapes, (n, SHAPE_COLUMNS)),
        float64_array(R, (n, 9)),
        float64_array(p, (n, 3)),
        i,
        j,
        k,
        float64_array(found, (k + 1, FOUND_COLUMNS)),
    )


def _address_of(typingctx, array):
    """Return the address of an array's elements."""
    from llvmlite import ir
    from numba import types

    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, value=args[0]).data
        return builder.ptrtoint(data, ir.IntType(64))

    return types.int64(array), generate


_address: Any = intrinsic(_address_of)


# Kernels call it by its symbol: linked into each of them, its code would be compiled once more for each, 3 to 5 s.
_compiled = external_function("modia3d_signed_distance", _WORDS, _at_addresses)


@njit(types.int64(MATRIX, MATRIX, MATRIX, types.int64, types.int64, types.int64, MATRIX), **OPTIONS)
def signed_distance(shapes, R, p, i, j, k, found):
    """Compute the distance or penetration of two shapes, with the normal and the nearest points.

    Nothing is kept from call to call: the result depends only on the poses. So a run that continues from a snapshot finds the
    same, bit for bit.

    Args:
        shapes: shape (n, SHAPE_COLUMNS), see `modia3d.collision.tables`.
        R, p: their poses in world, shapes (n, 9) and (n, 3).
        i, j: numbers of both shapes, the first and the second one.
        k, found: row and table of results, shape (m, FOUND_COLUMNS). Penetrating shapes: the least depth, negative.

    Returns:
        FOUND or UNSETTLED. Two planes have an infinite distance.
    """
    return _compiled(_address(shapes), _address(R), _address(p), i, j, k, _address(found))
