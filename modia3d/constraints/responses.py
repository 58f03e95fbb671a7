"""Responses of speeds to impulses, through everything that the equations couple to the bodies.

Accelerations are affine in applied forces, so that the differences of two evaluations of the whole model are the change of all
speeds for a unit impulse: of the bodies, and of rotors, gears and whatever else the equations know.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modiapy.model.errors import ModelError

from ..dynamics.basics.layout import work_shape
from .kinds.constraint import Present

_AFFINE = 1e-6
_NO_ANSWER = 1e-9
"""An answer to a unit impulse below this part of the largest one, or of that without constraints, is rounding: constraints that
there are take all of it."""


def responses(
    present: Present, G: np.ndarray, tau: np.ndarray, a: np.ndarray, rates: Callable[[], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the changes of the speeds (nv, m) and of the states of the equations (n_inv, m) for a unit impulse of each row of
    G (m, nv).

    Args:
        present: the forest.
        tau, a: applied generalized forces and accelerations in the engine's memory, shape (nv,); ``tau`` is zero afterwards.
        rates: evaluates the model at the present state; derivatives of the states of the equations, shape (n_inv,).

    Raises:
        ModelError: the accelerations are not affine in the forces.
    """

    def evaluate(force: np.ndarray) -> np.ndarray:
        tau[:] = force
        derivatives = rates()
        return np.concatenate([a, derivatives])

    try:
        start = evaluate(np.zeros_like(tau))
        first = [evaluate(row) - start for row in G]
        largest = max((float(np.abs(answer).max(initial=0.0)) for answer in first), default=0.0)
        least = _NO_ANSWER * largest
        columns = [_response(present, row, answer, least, start, evaluate) for row, answer in zip(G, first, strict=True)]
    finally:
        tau[:] = 0.0
        rates()
    both = np.array(columns).reshape(len(G), start.size).T
    return both[: a.size], both[a.size :]


def _is_rounding(present: Present, row: np.ndarray, largest: float) -> bool:
    """Return whether an answer is nothing beside that of the bodies if only the tree's joints held them: something holds
    them all.
    """
    from ..dynamics.mass_matrix import mass_matrix

    forest = present.forest
    M = np.zeros((forest.nv, forest.nv))
    mass_matrix(forest.ints, forest.floats, present.q, M, np.zeros(work_shape(forest.n)))
    return largest <= _NO_ANSWER * float(np.abs(np.linalg.lstsq(M, row, rcond=None)[0]).max(initial=0.0))


def _response(
    present: Present,
    row: np.ndarray,
    first: np.ndarray,
    least: float,
    start: np.ndarray,
    evaluate: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Return the response to forces so large that rounding of the accelerations does not matter; two of them must agree."""
    largest = float(np.abs(first).max(initial=0.0))
    if largest <= least:
        return np.zeros_like(first)
    factor = 1e3 * (1.0 + float(np.abs(start).max())) / largest
    one, two = ((evaluate(k * factor * row) - start) / (k * factor) for k in (1.0, -2.0))
    if not np.abs(one - two).max() <= _AFFINE * np.abs(one).max():
        if _is_rounding(present, row, largest):
            return np.zeros_like(first)
        raise ModelError(
            "an impact cannot be computed: the accelerations are not affine in the forces",
            found=f"responses to two impulses that differ by {np.abs(one - two).max() / np.abs(one).max():.3g} (relative)",
            remedy="Lock or attach at rest, or write the force that saturates with a relation that is an event.",
        )
    result: np.ndarray = 0.5 * (one + two)
    return result
