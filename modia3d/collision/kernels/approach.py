"""Distance of cores that are apart: the algorithm of Gilbert, Johnson and Keerthi (1988), completed by Newton's method.

The point of ``A - B`` that is nearest to the origin is searched among simplices of its points. With flat shapes the search ends
after a few steps. With round shapes each step makes only partial progress, but shows early which features are nearest, see
`refine`.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import dot, kernel, scale

from ..tables import KIND, Kind
from .least import is_least
from .nearest import ENCLOSED, copy_corner, reduce
from .refine import CONVERGED, FAILED, FITS, refine, settle_features
from .scratch import FEATURE_A, FEATURE_B, FIRST, KEPT, TRIED
from .support import corner

_ELLIPSOID, _BEAM = int(Kind.ELLIPSOID), int(Kind.BEAM)
_ITERATIONS = 100
TOUCHING = 1e-11
"""Distance, in relation to the size, below which the direction between the nearest points says nothing."""

APART, NEAR, OPEN = 0, 1, 2
"""What `approach` returns: an answer; the shapes touch or penetrate each other; no end within the iterations."""


@kernel
def is_round(shapes, i):
    """Return whether a core has features other than corners."""
    kind = int(shapes[i, KIND])
    return kind >= _ELLIPSOID and kind <= _BEAM


@kernel
def keep(S, first, m):
    """Store corners as the answer."""
    for k in range(m):
        copy_corner(S, first + k, KEPT + k)


@kernel
def _known(S, m):
    """Return whether the corner of row ``m`` equals one of those before."""
    known = False
    for k in range(m):
        known = known or (S[k, FEATURE_A] == S[m, FEATURE_A] and S[k, FEATURE_B] == S[m, FEATURE_B])
    return known


@kernel
def _adopt(S, m, square):
    """Replace the simplex by the refined corners and the one beyond them, if they are nearer to the origin than ``square``.

    Returns:
        The number of its corners, 0 if it is not.
    """
    keep(S, TRIED, m)
    copy_corner(S, TRIED + 3, KEPT + m)
    kept, v = reduce(S, KEPT, m + 1)
    if kept == ENCLOSED:
        kept = 4
    elif dot(v, v) >= square:
        return 0
    for k in range(kept):
        copy_corner(S, KEPT + k, FIRST + k)
    return kept


@kernel
def features_key(S, first, m):
    """Return a number for the set of features of corners."""
    key = 0.0
    for k in range(first, first + m):
        own, new = 64.0 * S[k, FEATURE_A] + S[k, FEATURE_B] + 1.0, 1.0
        for l in range(first, k):
            if S[k, FEATURE_A] == S[l, FEATURE_A] and S[k, FEATURE_B] == S[l, FEATURE_B]:
                new = 0.0
        key += new * own * own * own
    return key


@kernel
def approach(shapes, i, j, R, p, n, size, S):
    """Search from the direction ``n`` (unit, from A to B, in A).

    Returns:
        APART, NEAR or OPEN; how many corners the answer has, from row KEPT on; normal; distance.
    """
    rounded = is_round(shapes, i) or is_round(shapes, j)
    S[FIRST, FEATURE_A], S[FIRST, FEATURE_B] = 0.0, 0.0
    corner(shapes, i, j, R, p, n, S, FIRST, FIRST)
    m, best, d, before = 1, 1e300, 0.0, -1.0
    for _ in range(_ITERATIONS):
        m, v = reduce(S, FIRST, m)
        square = dot(v, v)
        if m == ENCLOSED or square <= TOUCHING * TOUCHING * size * size:
            return NEAR, m, n, d
        d = sqrt(square)
        n = scale(-1.0 / d, v)
        w = corner(shapes, i, j, R, p, n, S, FIRST + m, FIRST)
        gap = dot(n, w) + d
        ended = gap <= 1e-15 * size or square >= best or (not rounded and _known(S, m))
        best = square
        same = False
        if rounded:
            key = features_key(S, FIRST, m)
            same = key == before
            before = key
        if ended or same:
            found, tried = FAILED, 0
            for discs in range(1, -1 if ended else 0, -1):
                for k in range(m):
                    copy_corner(S, FIRST + k, TRIED + k)
                tried = settle_features(shapes, i, j, S, TRIED, m, discs)
                found, normal, distance = refine(shapes, i, j, R, p, n, d, size, S, TRIED, tried)
                if found == FITS and (distance > 0.0 or is_least(shapes, i, j, R, p, size, S, tried, normal, distance)):
                    keep(S, TRIED, tried)
                    return APART, tried, normal, distance
            adopted = _adopt(S, tried, square) if found == CONVERGED and not ended else 0
            if adopted > 0:
                m = adopted
                continue
        if ended:
            keep(S, FIRST, m)
            return (APART if gap <= 1e-10 * size else OPEN), m, n, d
        m += 1
    return OPEN, 0, n, d
