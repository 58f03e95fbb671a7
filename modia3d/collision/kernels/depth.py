"""The least depth of cores that penetrate each other: the face of ``A - B`` nearest to the origin.

A polytope in ``A - B`` grows from the portal (`portal`) where it is nearest to the origin (van den Bergen 2001); its faces
bound the depth from below, answers of Newton's method (`refine`) from above. So round shapes need a few corners, and flat ones
end with a face of ``A - B``. The origin may also lie a little outside.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import cross, dot, kernel, load3, scale, subtract

from .approach import is_round, keep
from .nearest import ENCLOSED, copy_corner, on_triangle
from .portal import INTERIOR, portal
from .refine import CONVERGED, FITS, refine, settle_features
from .scratch import CLOSED, CORNERS, FACE_COLUMNS, HEIGHT, HULL, MOST_EDGES, MOST_FACES, PART, TRIED
from .support import corner

_EXACT = 1e-13
"""Height of ``A - B`` above a face, in relation to the size, that is none."""
_NEARLY = 0.9
"""Part of the depth found that no face may be below when the memory is used up: where the origin is about as far from all sides
of round shapes, in the middle of a cylinder for example, faces approach it slowly."""
_LOOKS = 400
_SAME = 0.95
_BASIN = 0.9
"""Cosine of the angle between a face and an answer of Newton's method from there, below which the face is looked at again."""


@kernel
def _add_face(S, F, count, a, b, c):
    """Returns the number of faces then."""
    if count >= MOST_FACES:
        return count
    p, q, r = load3(S, a, 0), load3(S, b, 0), load3(S, c, 0)
    n = cross(subtract(q, p), subtract(r, p))
    length = sqrt(dot(n, n))
    flat = not length > 0.0
    n = scale(0.0 if flat else 1.0 / length, n)
    F[count, 0], F[count, 1], F[count, 2] = a, b, c
    F[count, 3], F[count, 4], F[count, 5] = n
    F[count, HEIGHT] = 1e300 if flat else (dot(n, p) + dot(n, q) + dot(n, r)) / 3.0
    F[count, CLOSED] = 1.0 if flat else 0.0
    return count + 1


@kernel
def _beyond(F, faces, a, b):
    """The face on the other side of the edge from a to b; -1 if it has gone."""
    for k in range(faces):
        p, q, r = F[k, 0], F[k, 1], F[k, 2]
        if (p == b and q == a) or (q == b and r == a) or (r == b and p == a):
            return k
    return -1


@kernel
def _remove(F, E, faces, edges, f):
    """Remove a face; its edges are to be looked at. Returns the numbers of faces and of edges then."""
    if edges + 3 <= MOST_EDGES:
        for k in range(3):
            E[edges + k, 0], E[edges + k, 1] = F[f, k], F[f, (k + 1) % 3]
        edges += 3
    for l in range(FACE_COLUMNS):
        F[f, l] = F[faces - 1, l]
    return faces - 1, edges


@kernel
def _insert(S, F, E, faces, f, row, size):
    """Make the corner of a row, which is above face ``f``, one of the polytope. Returns the number of faces then.

    What it sees is walked over from face to face, so that no rounding cuts it in two.
    """
    w = load3(S, row, 0)
    faces, edges = _remove(F, E, faces, 0, f)
    at, kept = 0, 0
    while at < edges:
        a, b = E[at, 0], E[at, 1]
        g = _beyond(F, faces, a, b)
        if g >= 0 and dot(load3(F, g, 3), w) - F[g, HEIGHT] > 1e-15 * size:
            faces, edges = _remove(F, E, faces, edges, g)
        elif g >= 0:
            E[kept, 0], E[kept, 1] = a, b
            kept += 1
        at += 1
    for k in range(kept):
        faces = _add_face(S, F, faces, int(E[k, 0]), int(E[k, 1]), row)
    return faces


@kernel
def _nearest_face(F, faces):
    """The lowest face that is not closed; -1 if there is none."""
    best, height = -1, 1e300
    for k in range(faces):
        if F[k, CLOSED] == 0.0 and F[k, HEIGHT] < height:
            best, height = k, F[k, HEIGHT]
    return best


@kernel
def _try_face(S, F, f):
    """Copy the corners of a face to where they are refined, with the parts of the point of it nearest to the origin."""
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
    """Make the tetrahedron of the simplex that of the polytope, if it holds the origin and is no needle."""
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
def _look(shapes, i, j, R, p, size, rounded, S, F, f, row, answer, normal, m):
    """Whether nothing less deep than the answer remains to be found at a face; the answer then. Otherwise the corner with which
    the polytope grows there is in the row."""
    n, height = load3(F, f, 3), F[f, HEIGHT]
    w = corner(shapes, i, j, R, p, n, S, row, int(F[f, 0]))
    S[row, INTERIOR], reach = 0.0, dot(n, w)
    exact = reach - height <= _EXACT * size
    for k in range(3):
        r = subtract(w, load3(S, int(F[f, k]), 0))
        exact = exact or dot(r, r) == 0.0
    if rounded and m > 0 and dot(n, normal) > _SAME:
        return True, answer, normal, m
    if (exact or rounded) and _try_face(S, F, f):
        tried = settle_features(shapes, i, j, S, TRIED, 3, 1)
        found, other, distance = refine(shapes, i, j, R, p, n, -reach, size, S, TRIED, tried)
        if found == FITS:
            if -distance < answer:
                keep(S, TRIED, tried)
                answer, normal, m = -distance, other, tried
            if dot(n, other) > _BASIN:
                return True, answer, normal, m
        elif found == CONVERGED and dot(n, load3(S, TRIED + 3, 0)) - height > 0.5 * (reach - height):
            copy_corner(S, TRIED + 3, row)
            S[row, INTERIOR] = 0.0
    if exact and reach < answer:
        _try_face(S, F, f)
        keep(S, TRIED, 3)
        answer, normal, m = reach, n, 3
    return exact, answer, normal, m


@kernel
def depth(shapes, i, j, R, p, size, corners, S, F, E):
    """Grow the polytope until no face can be nearer than the answer.

    Args:
        corners: of the simplex with which `approach` ended.

    Returns:
        Whether there is an answer; how many corners it has, from row KEPT on; normal; distance.
    """
    rounded = is_round(shapes, i) or is_round(shapes, j)
    answer, normal, m, row = 1e300, (0.0, 0.0, 1.0), 0, HULL + 4
    if not _seed(S, corners, size) and not portal(shapes, i, j, R, p, size, S):
        return False, 0, normal, 0.0
    faces = _add_face(S, F, 0, HULL + 1, HULL + 2, HULL + 3)
    faces = _add_face(S, F, faces, HULL, HULL + 2, HULL + 1)
    faces = _add_face(S, F, faces, HULL, HULL + 3, HULL + 2)
    faces = _add_face(S, F, faces, HULL, HULL + 1, HULL + 3)
    for _ in range(_LOOKS):
        f = _nearest_face(F, faces)
        if f < 0 or F[f, HEIGHT] >= answer - _EXACT * size:
            return m > 0, m, normal, -answer
        closed, answer, normal, m = _look(shapes, i, j, R, p, size, rounded, S, F, f, row, answer, normal, m)
        if closed:
            F[f, CLOSED] = 1.0
        else:
            faces = _insert(S, F, E, faces, f, row, size)
            row += 1
            if row == CORNERS:
                break
    f = _nearest_face(F, faces)
    if m > 0:
        return f < 0 or F[f, HEIGHT] >= _NEARLY * answer, m, normal, -answer
    if f >= 0:
        _try_face(S, F, f)
        keep(S, TRIED, 3)
        return False, 3, load3(F, f, 3), -F[f, HEIGHT]
    return False, 0, normal, 0.0
