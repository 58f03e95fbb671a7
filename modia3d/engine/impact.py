"""Plastic impacts: speeds that constraints demand at once, through everything that the equations couple to the bodies.

Accelerations are affine in applied forces, so that the differences of two evaluations of the whole model are the change of all
speeds for a unit impulse: of the bodies, and of rotors, gears and whatever else the equations know. With the rows G of the
constraints and these responses, ``A = G M^-1 G^T`` and the impulses p solve ``w + A p = 0``; at limits, which can only push,
the linear complementarity problem ``w + A p >= 0, p >= 0, p (w + A p) = 0`` (Glocker 2001, Set-Valued Force Laws), by Murty's
least-index method (1974).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from modiapy.model.errors import ModelError

_AFFINE = 1e-6
_PUSH = 1e-12


@dataclass(frozen=True, eq=False)
class Impact:
    """The outcome.

    Attributes:
        impulses: of each constraint [N.s or N.m.s], shape (m,).
        v: speeds of the bodies afterwards, shape (nv,).
        jump: changes of the states of the equations, shape (n_inv,).
        energy_lost: kinetic energy that is lost [J], that of rotors included.
    """

    impulses: np.ndarray
    v: np.ndarray
    jump: np.ndarray
    energy_lost: float


def impact(
    rows: np.ndarray,
    one_sided: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    a: np.ndarray,
    rates: Callable[[], np.ndarray],
    name_of: Callable[[int], str] = str,
) -> Impact:
    """Bring the speeds ``rows @ v`` of constraints to zero.

    Args:
        rows: constraints, shape (m, nv).
        one_sided: shape (m,), true where the speed may be positive afterwards, too, and the impulse must not be negative.
        v: speeds of the bodies before, shape (nv,).
        tau, a: applied generalized forces and accelerations in the engine's memory, shape (nv,); ``tau`` is zero afterwards.
        rates: evaluates the model at the present state; derivatives of the states of the equations, shape (n_inv,).
        name_of: name of the joint that a speed belongs to, for messages.

    Raises:
        ModelError: the accelerations are not affine in the forces, the impulses are not determined, or the speeds that would
            have to jump are prescribed.
    """
    responses, jumps = _responses(rows, tau, a, rates)
    A, w = rows @ responses, rows @ v
    impulses = _impulses(A, w, one_sided)
    after = w + A @ impulses
    if np.abs(after[~one_sided]).max(initial=0.0) > 1e-8 * (1.0 + np.abs(w).max()):
        raise ModelError(
            "the bodies cannot be stopped by an impact",
            found=f"relative speeds of {', '.join(f'{s:.3g}' for s in after[~one_sided])} left"
            + _prescribed(rows, responses, name_of),
            expected="speeds that the masses and the equations leave free",
            remedy="A drive that prescribes the motion takes no impulse; bring both to the same speed before.",
        )
    energy = -0.5 * float(impulses @ (w + after))
    return Impact(impulses, v + responses @ impulses, jumps @ impulses, energy)


def _prescribed(rows: np.ndarray, responses: np.ndarray, name_of: Callable[[int], str]) -> str:
    """Which of the speeds that constraints concern answer to no impulse, as a text."""
    size = np.abs(responses).max(axis=1, initial=0.0)
    names = dict.fromkeys(name_of(int(k)) for k in np.flatnonzero(rows.any(axis=0) & (size <= _PUSH * size.max(initial=0.0))))
    return f"; the motion of {', '.join(names)} is prescribed" if names else ""


def _responses(
    rows: np.ndarray, tau: np.ndarray, a: np.ndarray, rates: Callable[[], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Changes of the speeds (nv, m) and of the states of the equations (n_inv, m) for a unit impulse of each constraint."""

    def evaluate(force: np.ndarray) -> np.ndarray:
        tau[:] = force
        derivatives = rates()
        return np.concatenate([a, derivatives])

    try:
        start = evaluate(np.zeros_like(tau))
        columns = [_response(row, start, evaluate) for row in rows]
    finally:
        tau[:] = 0.0
        rates()
    both = np.array(columns).reshape(len(rows), start.size).T
    return both[: a.size], both[a.size :]


def _response(row: np.ndarray, start: np.ndarray, evaluate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The forces are so large that rounding of the accelerations there are does not matter; two of them must agree."""
    first = evaluate(row) - start
    largest = float(np.abs(first).max(initial=0.0))
    if largest == 0.0:
        return first
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


def _impulses(A: np.ndarray, w: np.ndarray, one_sided: np.ndarray) -> np.ndarray:
    """Least-index principal pivoting; constraints that depend on each other share the impulse."""
    active = ~one_sided | (w < 0.0)
    for _ in range(100 + 2 ** min(len(w), 12)):
        p = np.zeros(len(w))
        if active.any():
            p[active] = np.linalg.lstsq(A[np.ix_(active, active)], -w[active], rcond=1e-12)[0]
        speed = w + A @ p
        wrong = one_sided & np.where(active, p < 0.0, speed < -_PUSH * (1.0 + np.abs(w).max()))
        if not wrong.any():
            return p
        k = int(np.argmax(wrong))
        active[k] = not active[k]
    raise ModelError("the impulses of an impact are not determined", found=f"{len(w)} constraints that depend on each other")
