"""What a search leaves for the next one of the same pair: the normal, and the features that were nearest.

From there Newton's method needs a step or two. Apart, its answer proves itself: no shape reaches beyond its plane. A depth is
only taken if it is the least one as a search without a hint would have found it: a pyramid in ``A - B`` about the answer
shows that no other side is nearer. So what is found does not depend on what was found before.
"""

from __future__ import annotations

from math import atan2, cos, sin

from modia3d.dynamics.basics.spatial import add, apply, apply_transposed, dot, kernel, load3, negate, subtract

from ..tables import KIND, SIZE, Kind
from .least import is_least
from .refine import FITS, refine
from .scratch import FEATURE_A, FEATURE_B, FIXED_A, FIXED_B, KEPT, ON_A, PART, TRIED
from .support import on_feature, radius_of

COUNT = 0
"""Columns of a hint: number of corners, 0: none."""
DIRECTION = 1
"""The normal in the frame of shape A (3)."""
OF_A = 4
OF_B = 7
"""Features of the corners on A, on B (3 each)."""
ANGLE_A = 10
ANGLE_B = 13
"""Of points of circles that do not move, 3 each; `MOVES`: it does, or it is a corner."""
MOVES = 9.0

_BEAM = int(Kind.BEAM)


@kernel
def _angle(shapes, i, number, point):
    """Where a point is on its circle."""
    middle = 0.0
    if shapes[i, KIND] == _BEAM:
        middle = shapes[i, SIZE] if number & 1 else -shapes[i, SIZE]
    return atan2(point[1], point[0] - middle)


@kernel
def remember(shapes, i, j, R, p, S, m, n, hint, k):
    """Write a hint about the refined corners from row KEPT on."""
    hint[k, COUNT] = m
    hint[k, DIRECTION], hint[k, DIRECTION + 1], hint[k, DIRECTION + 2] = n
    for l in range(m):
        row = KEPT + l
        a, b = int(S[row, FEATURE_A]), int(S[row, FEATURE_B])
        hint[k, OF_A + l], hint[k, OF_B + l], hint[k, ANGLE_A + l], hint[k, ANGLE_B + l] = a, b, MOVES, MOVES
        if S[row, FIXED_A] != 0.0 and radius_of(shapes, i, a) > 0.0:
            hint[k, ANGLE_A + l] = _angle(shapes, i, a, load3(S, row, ON_A))
        if S[row, FIXED_B] != 0.0 and radius_of(shapes, j, b) > 0.0:
            hint[k, ANGLE_B + l] = _angle(shapes, j, b, apply_transposed(R, subtract(load3(S, row, 6), p)))


@kernel
def _recall(shapes, i, j, R, p, n, S, hint, k):
    """Write the corners of a hint from row TRIED on; the distance of the first one."""
    m, d, from_b = int(hint[k, COUNT]), 0.0, negate(apply_transposed(R, n))
    for l in range(m):
        row, number_a, number_b = TRIED + l, int(hint[k, OF_A + l]), int(hint[k, OF_B + l])
        u, v, turn_a, turn_b = n, from_b, hint[k, ANGLE_A + l], hint[k, ANGLE_B + l]
        if turn_a != MOVES:
            u = (cos(turn_a), sin(turn_a), 0.0)
        if turn_b != MOVES:
            v = (cos(turn_b), sin(turn_b), 0.0)
        a, b = on_feature(shapes, i, number_a, u), add(p, apply(R, on_feature(shapes, j, number_b, v)))
        S[row, 0], S[row, 1], S[row, 2] = subtract(a, b)
        S[row, 3], S[row, 4], S[row, 5] = a
        S[row, 6], S[row, 7], S[row, 8] = b
        S[row, FEATURE_A], S[row, FEATURE_B], S[row, PART] = number_a, number_b, 1.0 / m
        S[row, FIXED_A] = 1.0 if turn_a != MOVES or radius_of(shapes, i, number_a) == 0.0 else 0.0
        S[row, FIXED_B] = 1.0 if turn_b != MOVES or radius_of(shapes, j, number_b) == 0.0 else 0.0
        if l == 0:
            d = -dot(n, subtract(a, b))
    return d


@kernel
def resume(shapes, i, j, R, p, size, S, hint, k):
    """Search from a hint.

    Returns:
        Whether there is an answer; how many corners it has, from row TRIED on; normal; distance.
    """
    m, n = int(hint[k, COUNT]), (hint[k, DIRECTION], hint[k, DIRECTION + 1], hint[k, DIRECTION + 2])
    d = _recall(shapes, i, j, R, p, n, S, hint, k)
    found, n, d = refine(shapes, i, j, R, p, n, d, size, S, TRIED, m)
    return found == FITS and (d > 0.0 or is_least(shapes, i, j, R, p, size, S, m, n, d)), m, n, d
