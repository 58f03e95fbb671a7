"""Impulses that bring the speeds of constraints to zero.

With the rows G of the constraints, ``A = G M^-1 G^T`` and their speeds w before, the impulses p solve ``w + A p = 0``; those of
unilateral constraints, which can only push, the linear complementarity problem ``w + A p >= 0, p >= 0, p (w + A p) = 0``
(Glocker 2001, Set-Valued Force Laws). Rows are scaled to ``A[i, i] = 1``: units cancel. Bilateral constraints are eliminated;
what they leave of A is solved by Murty's least-index method (1974), which ends for the P-matrix that is made of it by a small
addition to the diagonal. So constraints that depend on each other share their impulse: it is the one of least norm.
"""

from __future__ import annotations

import numpy as np

from modiapy.model.errors import ModelError

_DEPENDENT = 1e-12
"""Part of the largest singular value of A below which rows depend on each other."""
_LEFT = 1e-9
"""Part of ``A[i, i]`` that bilateral constraints must leave a unilateral one to act."""
_SHARING = 1e-10
"""What is added to the diagonal."""
_REFINED = 3
"""So often impulses are corrected for what rounding leaves of the speeds."""
_ROUNDING = 1e-14
"""Part of the largest impulse or speed that is rounding."""


def solve_impulses(A: np.ndarray, w: np.ndarray, unilateral: np.ndarray) -> np.ndarray:
    """Return the impulses, shape (m,) [N.s or N.m.s]. Unilateral constraints that follow from bilateral ones get none.

    Args:
        A: answer of the speeds of constraints to unit impulses, shape (m, m); where an answer is nothing, nothing can be done.
        w: speeds of the constraints before, shape (m,).
        unilateral: shape (m,).

    Raises:
        ModelError: the impulses are not determined (A is not that of masses).
    """
    size = np.sqrt(np.abs(np.diag(A)))
    size[size == 0.0] = 1.0
    scaled, speeds, two_sided = A / np.outer(size, size), w / size, ~unilateral
    inverse = np.linalg.pinv(scaled[np.ix_(two_sided, two_sided)], rcond=_DEPENDENT)
    coupling = scaled[np.ix_(two_sided, unilateral)]
    carried = scaled[np.ix_(unilateral, two_sided)] @ inverse
    left = scaled[np.ix_(unilateral, unilateral)] - carried @ coupling
    p = np.zeros(len(w))
    p[unilateral] = _pushes(left, speeds[unilateral] - carried @ speeds[two_sided])
    p[two_sided] = -inverse @ (speeds[two_sided] + coupling @ p[unilateral])
    return np.asarray(p / size)


def holding_impulses(A: np.ndarray, speed: np.ndarray, kept: np.ndarray, unilateral: np.ndarray) -> np.ndarray:
    """Return the impulses (m,) that end the motion of some rows at once, without an approach of others: these are held with
    them.

    Args:
        A: see `solve_impulses`.
        speed: of the rows, shape (m,).
        kept: those that are not to move, mask; what cannot be moved stays as it is.
        unilateral: shape (m,).
    """
    p, kept = np.zeros(len(speed)), kept.copy()
    for _ in range(len(speed)):
        p[:] = 0.0
        inverse = np.linalg.pinv(A[np.ix_(kept, kept)], rcond=_DEPENDENT, hermitian=True)
        for _ in range(_REFINED):
            p[kept] -= inverse @ (speed + A @ p)[kept]
        more = unilateral & ~kept & (speed + A @ p < 0.0)
        if not more.any():
            break
        kept |= more
    return p


def _pushes(A: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the impulses p of least norm with ``w + A p >= 0, p >= 0, p (w + A p) = 0``, shape (m,)."""
    able = np.diag(A) > _LEFT
    regular, active = A + _SHARING * np.eye(len(w)), able & (w < 0.0)
    for _ in range(100 + 2 ** min(len(w), 12)):
        p = np.zeros(len(w))
        among = np.ix_(active, active)
        p[active] = np.linalg.solve(regular[among], -w[active])
        speed = w + regular @ p
        small_p, small_w = (-_ROUNDING * np.abs(values).max(initial=0.0) for values in (p, w))
        wrong = able & np.where(active, p < small_p, speed < small_w)
        if not wrong.any():
            rounding = _DEPENDENT / max(
                np.abs(A[among]).max(initial=0.0), _LEFT
            )  # that of the rows, of which A is what is left
            p[active] = np.linalg.lstsq(A[among], -w[active], rcond=rounding)[0]
            return np.asarray(np.fmax(p, 0.0))
        k = int(np.argmax(wrong))
        active[k] = not active[k]
    raise ModelError("the impulses of an impact are not determined", found=f"{len(w)} constraints that depend on each other")
