"""What speeds answer to impulses, through everything that the equations couple to the bodies.

Accelerations are affine in applied forces, so that the differences of two evaluations of the whole model are the change of all
speeds for a unit impulse: of the bodies, and of rotors, gears and whatever else the equations know.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from modiapy.model.errors import ModelError

_AFFINE = 1e-6
_NO_ANSWER = 1e-9
"""An answer to a unit impulse below this part of the largest one is rounding: constraints that there are take all of it."""


def responses(G: np.ndarray, tau: np.ndarray, a: np.ndarray, rates: Callable[[], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Changes of the speeds (nv, m) and of the states of the equations (n_inv, m) for a unit impulse of each row of G (m, nv).

    Args:
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
        least = _NO_ANSWER * max((float(np.abs(answer).max(initial=0.0)) for answer in first), default=0.0)
        columns = [_response(row, answer, least, start, evaluate) for row, answer in zip(G, first, strict=True)]
    finally:
        tau[:] = 0.0
        rates()
    both = np.array(columns).reshape(len(G), start.size).T
    return both[: a.size], both[a.size :]


def _response(
    row: np.ndarray, first: np.ndarray, least: float, start: np.ndarray, evaluate: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The forces are so large that rounding of the accelerations there are does not matter; two of them must agree."""
    largest = float(np.abs(first).max(initial=0.0))
    if largest <= least:
        return np.zeros_like(first)
    factor = 1e3 * (1.0 + float(np.abs(start).max())) / largest
    one, two = ((evaluate(k * factor * row) - start) / (k * factor) for k in (1.0, -2.0))
    if not np.abs(one - two).max() <= _AFFINE * np.abs(one).max():
        raise ModelError(
            "an impact cannot be computed: the accelerations are not affine in the forces",
            found=f"responses to two impulses that differ by {np.abs(one - two).max() / np.abs(one).max():.3g} (relative)",
            remedy="Lock or attach at rest, or write the force that saturates with a relation that is an event.",
        )
    result: np.ndarray = 0.5 * (one + two)
    return result
