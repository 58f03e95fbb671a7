"""Common normal of two shapes to rounding, by Newton's method, after the nearest features are known.

With the corners ``c_i(n)`` of ``A - B`` on known features, the normal n (unit, out of A), the signed distance d and weights
``w_i`` (sum 1) fulfil ``sum w_i c_i(n) + d n = 0`` and ``n (c_i - c_1) = 0``. The equations are the same for separation and
penetration, so nothing happens when d passes through zero. For a corner of a circle or an ellipsoid, the second derivatives of
the support function give its motion with n.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import add, apply, apply_transposed, cross, dot, kernel, load3, negate, scale, subtract

from .nearest import copy_corner
from .scratch import FEATURE_A, FEATURE_B, FIXED_A, FIXED_B, ON_A, ON_B, PART
from .support import corner, on_feature, radius_of, turning

FITS, CONVERGED, FAILED = 0, 1, 2
"""What `refine` returns."""

_STEPS = 12
_SPREAD = 0.2
"""Points of one circle that are farther apart than this, in radii, stand for the disc; others are one point that moves."""
_TOLERANCE = 1e-13
"""By how much the shapes may reach beyond the planes found, in relation to their size."""
_LEAST_PART = -1e-10
_ROUGH = 0.1
"""With steps less than this and a part below its negative the features are seen to be wrong before Newton's method ends."""


@kernel
def unit(a):
    """Return a vector of length 1."""
    return scale(1.0 / sqrt(dot(a, a)), a)


@kernel
def across(n):
    """Return two unit vectors normal to ``n`` and to each other."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    axis = (1.0 if x <= y and x <= z else 0.0, 1.0 if y < x and y <= z else 0.0, 1.0 if z < x and z < y else 0.0)
    s = unit(cross(n, axis))
    return s, cross(n, s)


@kernel
def _spread(S, first, m, number, point, radius):
    """Return whether corners on the same circle as row ``first`` are far apart from it."""
    for k in range(first + 1, m):
        if S[k, number] == S[first, number]:
            r = subtract(load3(S, k, point), load3(S, first, point))
            if dot(r, r) > _SPREAD * _SPREAD * radius * radius:
                return True
    return False


@kernel
def _fix(shapes, i, S, first, m, number, point, fixed, discs):
    """Mark the corners on one shape that do not move."""
    for k in range(first, first + m):
        S[k, fixed] = 1.0 if radius_of(shapes, i, int(S[k, number])) == 0.0 else 0.0
    for k in range(first, first + m):
        radius = radius_of(shapes, i, int(S[k, number]))
        if discs and radius > 0.0 and _spread(S, k, first + m, number, point, radius):
            for l in range(first, first + m):
                if S[l, number] == S[k, number]:
                    S[l, fixed] = 1.0


@kernel
def settle_features(shapes, i, j, S, first, m, discs):
    """Mark corners that do not move, and merge corners on the same moving features. Returns the number of remaining corners.

    Args:
        discs: whether points of one circle that are far apart stay where they are; 0: a disc that lies almost flat on a face.
    """
    _fix(shapes, i, S, first, m, FEATURE_A, ON_A, FIXED_A, discs)
    _fix(shapes, j, S, first, m, FEATURE_B, ON_B, FIXED_B, discs)
    kept = 0
    for k in range(first, first + m):
        same = -1
        for l in range(first, first + kept):
            if S[k, FEATURE_A] == S[l, FEATURE_A] and S[k, FEATURE_B] == S[l, FEATURE_B]:
                a, b = subtract(load3(S, k, ON_A), load3(S, l, ON_A)), subtract(load3(S, k, ON_B), load3(S, l, ON_B))
                if (S[k, FIXED_A] == 0.0 or dot(a, a) == 0.0) and (S[k, FIXED_B] == 0.0 or dot(b, b) == 0.0):
                    same = l
        if same >= 0:
            S[same, PART] += S[k, PART]
        else:
            copy_corner(S, k, first + kept)
            kept += 1
    return kept


@kernel
def _place(shapes, i, j, R, p, n, S, k):
    """Move the corner of row ``k`` to its place for the direction ``n``."""
    if S[k, FIXED_A] == 0.0:
        a = on_feature(shapes, i, int(S[k, FEATURE_A]), n)
        S[k, 3], S[k, 4], S[k, 5] = a
    if S[k, FIXED_B] == 0.0:
        b = add(p, apply(R, on_feature(shapes, j, int(S[k, FEATURE_B]), negate(apply_transposed(R, n)))))
        S[k, 6], S[k, 7], S[k, 8] = b
    for l in range(3):
        S[k, l] = S[k, 3 + l] - S[k, 6 + l]


@kernel
def _stiffness(shapes, i, j, R, n, s, t, d, S, first, m):
    """``sum w_i H_i + d`` in the directions s and t: three numbers."""
    ss, st, tt = d, 0.0, d
    direction, s_B, t_B = negate(apply_transposed(R, n)), apply_transposed(R, s), apply_transposed(R, t)
    for k in range(first, first + m):
        part = S[k, PART]
        if S[k, FIXED_A] == 0.0:
            a, b, c = turning(shapes, i, int(S[k, FEATURE_A]), n, s, t)
            ss, st, tt = ss + part * a, st + part * b, tt + part * c
        if S[k, FIXED_B] == 0.0:
            a, b, c = turning(shapes, j, int(S[k, FEATURE_B]), direction, s_B, t_B)
            ss, st, tt = ss + part * a, st + part * b, tt + part * c
    return ss, st, tt


@kernel
def _step(S, first, m, n, s, t, ss, st, tt):
    """Return the change of the normal along s and t; write the weights. NaN if there is no solution."""
    c = load3(S, first, 0)
    r_s, r_t = -dot(c, s), -dot(c, t)
    if m == 1:
        S[first, PART] = 1.0
        det = ss * tt - st * st
        if not (det > 0.0 and ss > 0.0):
            return 0.0, 0.0, False
        return (r_s * tt - r_t * st) / det, (r_t * ss - r_s * st) / det, True
    e = subtract(load3(S, first + 1, 0), c)
    e_s, e_t, e_n = dot(e, s), dot(e, t), dot(e, n)
    if m == 2:
        square = e_s * e_s + e_t * e_t
        along = -e_n / square
        # Across the edge: (-e_t, e_s).
        bend = ss * e_t * e_t - 2.0 * st * e_s * e_t + tt * e_s * e_s
        if not bend > 0.0:
            return 0.0, 0.0, False
        load_s, load_t = r_s - along * (ss * e_s + st * e_t), r_t - along * (st * e_s + tt * e_t)
        beside = (e_s * load_t - e_t * load_s) / bend
        x, y = along * e_s - beside * e_t, along * e_t + beside * e_s
        part = ((r_s - ss * x - st * y) * e_s + (r_t - st * x - tt * y) * e_t) / square
        S[first, PART], S[first + 1, PART] = 1.0 - part, part
        return x, y, True
    f = subtract(load3(S, first + 2, 0), c)
    f_s, f_t, f_n = dot(f, s), dot(f, t), dot(f, n)
    det = e_s * f_t - e_t * f_s
    if det == 0.0:
        return 0.0, 0.0, False
    x, y = (-e_n * f_t + f_n * e_t) / det, (-f_n * e_s + e_n * f_s) / det
    load_s, load_t = r_s - ss * x - st * y, r_t - st * x - tt * y
    u, v = (load_s * f_t - load_t * f_s) / det, (load_t * e_s - load_s * e_t) / det
    S[first, PART], S[first + 1, PART], S[first + 2, PART] = 1.0 - u - v, u, v
    return x, y, True


@kernel
def _sum(S, first, m):
    """Return the weighted sum of corners, ``sum w_i c_i``."""
    v = (0.0, 0.0, 0.0)
    for k in range(first, first + m):
        v = add(v, scale(S[k, PART], load3(S, k, 0)))
    return v


@kernel
def _apart(S, first, m, n, d):
    """Return the largest distance of corners from their common plane."""
    most = 0.0
    for k in range(first, first + m):
        most = max(most, abs(dot(n, load3(S, k, 0)) + d))
    return most


@kernel
def _least_part(S, first, m):
    least = 1.0
    for k in range(first, first + m):
        least = min(least, S[k, PART])
    return least


@kernel
def refine(shapes, i, j, R, p, n, d, size, S, first, m):
    """Apply Newton's method from the normal ``n`` and the distance ``d``.

    Args:
        size: of both shapes and of what is between them [m].
        S, first, m: corners with features, flags of what is fixed and first parts; they are moved. Row ``first + 3`` is used.

    Returns:
        FITS, CONVERGED if the features are not those of the answer, or FAILED; the normal; the distance. The corner of the
        whole shapes that is farthest along the normal is in row ``first + 3`` unless it failed.
    """
    if m > 3:
        return FAILED, n, d
    rest, rough = 0.0, False
    for step in range(_STEPS):
        for k in range(first, first + m):
            _place(shapes, i, j, R, p, n, S, k)
        if step > 0:
            v = _sum(S, first, m)
            d = -dot(n, v)
            v = add(v, scale(d, n))
            rest = dot(v, v)
            if rough or (rest <= 1e-24 * size * size and _apart(S, first, m, n, d) <= 1e-15 * size):
                break
        s, t = across(n)
        ss, st, tt = _stiffness(shapes, i, j, R, n, s, t, d, S, first, m)
        x, y, found = _step(S, first, m, n, s, t, ss, st, tt)
        length = sqrt(x * x + y * y)
        if not (found and length < 0.5):
            return FAILED, n, d
        n = unit(add(n, add(scale(x, s), scale(y, t))))
        rough = length < _ROUGH and _least_part(S, first, m) < -_ROUGH
    w = corner(shapes, i, j, R, p, n, S, first + 3, first)
    fits = _least_part(S, first, m) >= _LEAST_PART and dot(n, w) + d <= _TOLERANCE * size and rest <= 1e-22 * size * size
    return (FITS if fits else CONVERGED), n, d
