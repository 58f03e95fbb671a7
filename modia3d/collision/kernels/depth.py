"""Smallest depth of cores that penetrate each other: the face of ``A - B`` nearest to the origin.

A polytope in ``A - B`` grows from the portal (`portal`) at the place that is nearest to the origin (van den Bergen 2001). Its
faces bound the depth from below, answers of Newton's method (`refine`) from above. So round shapes need a few corners, and flat
ones end with a face of ``A - B``. The origin may also lie slightly outside.
"""

from __future__ import annotations

from math import inf, sqrt

from modia3d.dynamics.basics.spatial import cross, dot, kernel, load3, scale, subtract

from .approach import features_key, is_round, keep
from .nearest import ENCLOSED, copy_corner, on_triangle
from .portal import INTERIOR, portal
from .refine import CONVERGED, FITS, refine, settle_features
from .scratch import ACROSS, CLOSED, CORNERS, GONE, HEIGHT, HULL, MOST_FACES, NEW, PART, TRIED
from .support import corner

_EXACT = 1e-13
"""Height of ``A - B`` above a face, in relation to the size, that is none."""
_NEARLY = 0.8
"""Part of the depth found that no face may be below when the memory is used up: where the origin is about as far from all sides
of round shapes, in the middle of a cylinder for example, faces approach it slowly."""
_LOOKS = 400
_CROWDED = HULL + 24
"""Row from which on every face is refined: of a shape that is almost a ball about the origin all sides are as deep."""
_SAME = 0.95
"""Cosine of the angle between a face of round shapes and the answer, above which it leads to the same answer."""
_BASIN = 0.9
"""Cosine of the angle between a face and an answer of Newton's method from there, below which the face is looked at again."""


@kernel
def _set_face(S, F, f, a, b, c, x, y, z):
    """Write face ``f`` with its corners and the faces across its edges."""
    p, q, r = load3(S, a, 0), load3(S, b, 0), load3(S, c, 0)
    n = cross(subtract(q, p), subtract(r, p))
    length = sqrt(dot(n, n))
    flat = not length > 0.0
    n = scale(0.0 if flat else 1.0 / length, n)
    F[f, 0], F[f, 1], F[f, 2] = a, b, c
    F[f, 3], F[f, 4], F[f, 5] = n
    F[f, HEIGHT] = inf if flat else (dot(n, p) + dot(n, q) + dot(n, r)) / 3.0
    F[f, CLOSED], F[f, GONE] = 1.0 if flat else 0.0, 0.0
    F[f, ACROSS], F[f, ACROSS + 1], F[f, ACROSS + 2] = x, y, z


@kernel
def _seen(F, E, f, w, size):
    """Find the faces that are visible from a point above face ``f``, and the edges around them. Return their numbers.

    The search goes over from face to face, so that no rounding cuts the faces in two.
    """
    faces, edges, at = 1, 0, 0
    E[0, 0], F[f, GONE] = f, 1.0
    while at < faces:
        g = int(E[at, 0])
        for k in range(3):
            h = int(F[g, ACROSS + k])
            if F[h, GONE] == 0.0:
                if dot(load3(F, h, 3), w) - F[h, HEIGHT] > 1e-15 * size:
                    E[faces, 0], F[h, GONE] = h, 1.0
                    faces += 1
                elif edges < MOST_FACES:
                    E[edges, 1], E[edges, 2], E[edges, 3] = F[g, k], F[g, (k + 1) % 3], h
                    edges += 1
        at += 1
    return faces, edges


@kernel
def _insert(S, F, E, faces, f, row, size):
    """Add the corner of a row, which is above face ``f``, to the polytope. Returns the new number of faces."""
    seen, edges = _seen(F, E, f, load3(S, row, 0), size)
    if faces + max(edges - seen, 0) > MOST_FACES:
        return MOST_FACES + 1
    for k in range(edges, seen):
        F[int(E[k, 0]), HEIGHT], F[int(E[k, 0]), CLOSED] = inf, 1.0
    for k in range(edges):
        if k >= seen:
            E[k, 0] = faces
            faces += 1
        new, a, b, g = int(E[k, 0]), int(E[k, 1]), int(E[k, 2]), int(E[k, 3])
        _set_face(S, F, new, a, b, row, g, new, new)
        for l in range(3):
            if F[g, l] == b:
                F[g, ACROSS + l] = new
        S[a, NEW] = new
    for k in range(edges):
        new, other = int(E[k, 0]), int(S[int(E[k, 2]), NEW])
        F[new, ACROSS + 1], F[other, ACROSS + 2] = other, new
    return faces


@kernel
def _nearest_face(F, faces):
    """Return the open face that is nearest to the origin; -1 if there is none."""
    best, height = -1, 1e300
    for k in range(faces):
        if F[k, CLOSED] == 0.0 and F[k, HEIGHT] < height:
            best, height = k, F[k, HEIGHT]
    return best


@kernel
def _try_face(S, F, f):
    """Copy the corners of a face to the place of refinement, with the weights of its point nearest to the origin."""
    inner = 0.0
    for k in range(3):
        copy_corner(S, int(F[f, k]), TRIED + k)
        inner += S[int(F[f, k]), INTERIOR]
    n, height = load3(F, f, 3), F[f, HEIGHT]
    foot = scale(height, n)
    a, b, c = subtract(load3(S, TRIED, 0), foot), subtract(load3(S, TRIED + 1, 0), foot), subtract(load3(S, TRIED + 2, 0), foot)
    u, v, w, _ = on_triangle(a, b, c)
    S[TRIED, PART], S[TRIED + 1, PART], S[TRIED + 2, PART] = u, v, w
    return inner == 0.0


@kernel
def _seed(S, m, size):
    """Make the tetrahedron of the simplex the first polytope, if it contains the origin and is not too thin."""
    a, b, c, d = load3(S, 0, 0), load3(S, 1, 0), load3(S, 2, 0), load3(S, 3, 0)
    volume = dot(cross(subtract(b, a), subtract(c, a)), subtract(d, a))
    if m != ENCLOSED or not abs(volume) > 1e-6 * size * size * size:
        return False
    copy_corner(S, 0, HULL)
    copy_corner(S, 1, HULL + (1 if volume < 0.0 else 2))
    copy_corner(S, 2, HULL + (2 if volume < 0.0 else 1))
    copy_corner(S, 3, HULL + 3)
    for k in range(HULL, HULL + 4):
        S[k, INTERIOR] = 0.0
    return True


@kernel
def _look(shapes, i, j, R, p, size, rounded, S, F, f, row, before, best):
    """Search for an answer at face ``f``.

    Args:
        row: gets the corner with which the polytope grows there.
        before: features of the face that was looked at before.
        best: depth, normal and number of corners of the answer until now; the number is negative if its foot is outside of the
            face it comes from: that belongs to another triangle of the same plane.

    Returns:
        Whether nothing less deep remains there; the features of the face; the answer.
    """
    n, height, (answer, normal, m) = load3(F, f, 3), F[f, HEIGHT], best
    w = corner(shapes, i, j, R, p, n, S, row, int(F[f, 0]))
    S[row, INTERIOR], reach = 0.0, dot(n, w)
    exact = reach - height <= _EXACT * size
    for k in range(3):
        r = subtract(w, load3(S, int(F[f, k]), 0))
        exact = exact or dot(r, r) == 0.0
    if rounded and m > 0 and dot(n, normal) > _SAME:
        return True, before, best
    whole = _try_face(S, F, f)
    key = features_key(S, TRIED, 3)
    if whole and (exact or (rounded and (key == before or row >= _CROWDED))):
        tried = settle_features(shapes, i, j, S, TRIED, 3, 1)
        found, other, distance = refine(shapes, i, j, R, p, n, -reach, size, S, TRIED, tried)
        if found == FITS:
            if -distance < answer + (2.0 * _EXACT * size if m < 0 else 0.0):
                keep(S, TRIED, tried)
                answer, normal, m = -distance, other, tried
            if dot(n, other) > _BASIN:
                return True, key, (answer, normal, m)
        elif found == CONVERGED and dot(n, load3(S, TRIED + 3, 0)) - height > 0.5 * (reach - height):
            copy_corner(S, TRIED + 3, row)
            S[row, INTERIOR] = 0.0
    if exact and reach < answer:
        _try_face(S, F, f)
        keep(S, TRIED, 3)
        answer, normal, m = reach, n, -3
    return exact, key, (answer, normal, m)


@kernel
def depth(shapes, i, j, R, p, size, corners, S, F, E):
    """Enlarge the polytope until no face can be nearer than the answer.

    Args:
        corners: of the simplex with which `approach` ended.

    Returns:
        Whether there is an answer; how many corners it has, from row KEPT on; normal; distance.
    """
    rounded = is_round(shapes, i) or is_round(shapes, j)
    answer, normal, m, row, key = 1e300, (0.0, 0.0, 1.0), 0, HULL + 4, -1.0
    if not _seed(S, corners, size) and not portal(shapes, i, j, R, p, size, S):
        return False, 0, normal, 0.0
    _set_face(S, F, 0, HULL + 1, HULL + 2, HULL + 3, 1, 2, 3)
    _set_face(S, F, 1, HULL, HULL + 2, HULL + 1, 2, 0, 3)
    _set_face(S, F, 2, HULL, HULL + 3, HULL + 2, 3, 0, 1)
    _set_face(S, F, 3, HULL, HULL + 1, HULL + 3, 1, 0, 2)
    faces = 4
    for _ in range(_LOOKS):
        f = _nearest_face(F, faces)
        if f < 0 or F[f, HEIGHT] >= answer + (_EXACT if m < 0 else -_EXACT) * size:
            return m != 0, abs(m), normal, -answer
        closed, key, best = _look(shapes, i, j, R, p, size, rounded, S, F, f, row, key, (answer, normal, m))
        answer, normal, m = best
        if closed:
            F[f, CLOSED] = 1.0
        else:
            more = _insert(S, F, E, faces, f, row, size)
            row += 1
            if row == CORNERS or more > MOST_FACES:
                break
            faces = more
    f = _nearest_face(F, faces)
    if m != 0:
        return f < 0 or F[f, HEIGHT] >= _NEARLY * answer, abs(m), normal, -answer
    if f >= 0:
        _try_face(S, F, f)
        keep(S, TRIED, 3)
        return False, 3, load3(F, f, 3), -F[f, HEIGHT]
    return False, 0, normal, 0.0
