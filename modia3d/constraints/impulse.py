"""Impulses that bring the speeds of constraints to zero.

With the rows G of the constraints, ``A = G M^-1 G^T`` and their speeds w before, the impulses p solve ``w + A p = 0``; those of
unilateral constraints, which can only push, the linear complementarity problem ``w + A p >= 0, p >= 0, p (w + A p) = 0``
(Glocker 2001, Set-Valued Force Laws), by Murty's least-index method (1974).
"""

from __future__ import annotations

import numpy as np

from modiapy.model.errors import ModelError

_PUSH = 1e-12


def solve_impulses(A: np.ndarray, w: np.ndarray, unilateral: np.ndarray) -> np.ndarray:
    """The impulses, shape (m,) [N.s or N.m.s]; constraints that depend on each other share theirs.

    Args:
        A: answer of the speeds of constraints to unit impulses, shape (m, m).
        w: speeds of the constraints before, shape (m,).
        unilateral: shape (m,).

    Raises:
        ModelError: the impulses are not determined.
    """
    active = ~unilateral | (w < 0.0)
    for _ in range(100 + 2 ** min(len(w), 12)):
        p = np.zeros(len(w))
        if active.any():
            p[active] = np.linalg.lstsq(A[np.ix_(active, active)], -w[active], rcond=1e-12)[0]
        speed = w + A @ p
        wrong = unilateral & np.where(active, p < 0.0, speed < -_PUSH * (1.0 + np.abs(w).max()))
        if not wrong.any():
            return p
        k = int(np.argmax(wrong))
        active[k] = not active[k]
    raise ModelError("the impulses of an impact are not determined", found=f"{len(w)} constraints that depend on each other")
