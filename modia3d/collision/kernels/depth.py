"""The least depth of cores that penetrate each other: the face of ``A - B`` nearest to the origin.

A polytope in ``A - B`` grows from the portal (`portal`) where it is nearest to the origin (van den Bergen 2001); its faces
bound the depth from below, answers of Newton's method (`refine`) from above. So round shapes need a few corners, and flat ones
end with a face of ``A - B``. The origin may also lie a little outside.
"""

from __future__ import annotations

from math import sqrt

from modia3d.dynamics.basics.spatial import cross, dot, kernel, load3, scale, subtract

from .approach import is_round, keep
from .nearest import copy_corner, on_triangle
from .portal import INTERIOR, portal
from .refine import refine, settle_features
from .scratch import CLOSED, HEIGHT, HULL, MOST_CORNERS, MOST_EDGES, MOST_FACES, PART, TRIED
from .support import corner

_EXACT = 1e-13
"""Height of ``A - B`` above a face, in relation to the size, that is none."""
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
def _add_edge(E, count, a, b):
    """Add an edge of a face that goes, or cancel it with that of its neighbour."""
    for k in range(count):
        if E[k, 0] == b and E[k, 1] == a:
            E[k, 0], E[k, 1] = E[count - 1, 0], E[count - 1, 1]
            return count - 1
    if count < MOST_EDGES:
        E[count, 0], E[count, 1] = a, b
        return count + 1
    return count


@kernel
def _insert(S, F, E, faces, row, size):
    """Make the corner of a row one of the polytope. Returns the number of faces then."""
    w, edges, k = load3(S, row, 0), 0, 0
    while k < faces:
        if dot(load3(F, k, 3), w) - F[k, HEIGHT] > 1e-15 * size:
            a, b, c = int(F[k, 0]), int(F[k, 1]), int(F[k, 2])
            edges = _add_edge(E, edges, a, b)
            edges = _add_edge(E, edges, b, c)
            edges = _add_edge(E, edges, c, a)
            faces -= 1
            for l in range(8):
                F[k, l] = F[faces, l]
        else:
            k += 1
    for k in range(edges):
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
def depth(shapes, i, j, R, p, size, S, F, E):
    """Grow the polytope until no face can be nearer than the answer.

    Returns:
        Whether there is an answer; how many corners it has, from row KEPT on; normal; distance.
    """
    rounded = is_round(shapes, i) or is_round(shapes, j)
    answer, normal, m, settled = 1e300, (0.0, 0.0, 1.0), 0, False
    if not portal(shapes, i, j, R, p, size, S):
        return False, 0, normal, 0.0
    faces = _add_face(S, F, 0, HULL + 1, HULL + 2, HULL + 3)
    faces = _add_face(S, F, faces, HULL, HULL + 2, HULL + 1)
    faces = _add_face(S, F, faces, HULL, HULL + 3, HULL + 2)
    faces = _add_face(S, F, faces, HULL, HULL + 1, HULL + 3)
    for row in range(HULL + 4, HULL + MOST_CORNERS):
        f = _nearest_face(F, faces)
        while f >= 0 and F[f, HEIGHT] < answer - _EXACT * size:
            n, height = load3(F, f, 3), F[f, HEIGHT]
            w = corner(shapes, i, j, R, p, n, S, row, int(F[f, 0]))
            S[row, INTERIOR] = 0.0
            reach = dot(n, w)
            exact = reach - height <= _EXACT * size
            if not (exact or rounded):
                break
            if _try_face(S, F, f):
                tried = settle_features(shapes, i, j, S, TRIED, 3)
                found, other, distance = refine(shapes, i, j, R, p, n, -reach, size, S, TRIED, tried)
                if found and -distance < answer:
                    keep(S, TRIED, tried)
                    answer, normal, m = -distance, other, tried
                if found and dot(n, other) > _BASIN:
                    F[f, CLOSED] = 1.0
                elif not exact:
                    break
            if exact and F[f, CLOSED] == 0.0:
                F[f, CLOSED] = 1.0
                if reach < answer:
                    _try_face(S, F, f)
                    keep(S, TRIED, 3)
                    answer, normal, m = reach, n, 3
            elif F[f, CLOSED] == 0.0:
                break
            f = _nearest_face(F, faces)
        if f < 0 or F[f, HEIGHT] >= answer - _EXACT * size:
            settled = m > 0
            break
        faces = _insert(S, F, E, faces, row, size)
    if m == 0:
        f = _nearest_face(F, faces)
        if f >= 0:
            _try_face(S, F, f)
            keep(S, TRIED, 3)
            answer, normal, m = F[f, HEIGHT], load3(F, f, 3), 3
    return settled, m, normal, -answer
