"""States that satisfy the constraints of the index-1 form: at the beginning, and after events that changed states.

Positions are corrected first, then velocities. Newton's method with the pseudoinverse finds the smallest change of the states
that makes the residuals of the constraints zero. At the beginning, states with ``init`` keep their values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...model.errors import SimulationError
from ...symbolic.sorted.parts import Constraint

if TYPE_CHECKING:
    from .machine import Machine

_MAX_ITERATIONS = 60
_CONVERGED = 1e-13
_SATISFIED = 1e-7
"""Residuals relative to what the states, taken for no smaller than `LEAST`, contribute to them."""
LEAST = 0.1
"""Part of its nominal value, for which the integrator's tolerance of a state is no smaller either."""


def meet_constraints(machine: Machine, time: float, x: np.ndarray, tolerated: float = 0.0) -> None:
    """Change ``x`` such that the constraints hold.

    Args:
        machine: the model.
        time: [s].
        x: states, shape (n_x,), changed in place, but not where it is refused.
        tolerated: relative residual up to which nothing is done; 0: at the beginning, where states with ``init`` are kept.

    Raises:
        SimulationError: the constraints cannot be satisfied; names those that cannot.
    """
    model = machine.sorted
    variables = machine.variables
    for level in sorted({c.level for c in model.constraints}, reverse=True):
        constraints = [c for c in model.constraints if c.level == level]
        names = list(dict.fromkeys(name for c in constraints for name in c.directions))
        if not tolerated:
            names = [name for name in names if name not in variables or variables[name].init is None]
        states = np.array([list(model.states).index(name) for name in names], dtype=int)
        _newton(machine, time, x, constraints, states, tolerated)


def _newton(
    machine: Machine, time: float, x: np.ndarray, constraints: list[Constraint], states: np.ndarray, tolerated: float
) -> None:
    index = {name: k for k, name in enumerate(machine.sorted.states)}
    rows = np.array([index[c.multiplier] for c in constraints])
    everything = np.array([index[name] for name in dict.fromkeys(n for c in constraints for n in c.directions)])
    size, nominal, before = np.zeros(len(rows)), _nominal(machine, x), x.copy()
    for iteration in range(_MAX_ITERATIONS):
        value = machine.residuals(time, x)[rows]
        if iteration == 0:
            size = np.abs(_jacobian(machine, time, x, rows, everything)) @ np.fmax(np.abs(x), LEAST * nominal)[everything]
        relative = np.abs(value) / np.maximum(size, 1e-3)
        if not np.isfinite(value).all() or relative.max() <= max(_CONVERGED, tolerated) or not states.size:
            break
        slopes = _jacobian(machine, time, x, rows, states)
        if not np.isfinite(slopes).all():  # equations between the states have no solution beside it
            break
        step = -np.linalg.lstsq(slopes, value, rcond=1e-10)[0]
        x[states] += step
        if np.abs(step).max() <= 1e-15 * np.abs(x[states]).max():
            break
    relative = np.abs(machine.residuals(time, x)[rows]) / np.maximum(size, 1e-3)
    if not relative.max() <= max(_SATISFIED, tolerated):
        x[:] = before
        raise _refusal(machine, time, x, constraints[int(np.argmax(relative))], everything, states)


def _nominal(machine: Machine, x: np.ndarray) -> np.ndarray:
    magnitudes = machine.magnitudes(x.size)
    return np.ones(x.size) if magnitudes is None else magnitudes


def _jacobian(machine: Machine, time: float, x: np.ndarray, rows: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Return the central differences of the constraints' residuals, shape (len(rows), len(states))."""
    matrix, nominal = np.empty((len(rows), len(states))), _nominal(machine, x)
    for j, k in enumerate(states):
        step = 6e-6 * max(abs(x[k]), nominal[k])
        shifted = x.copy()
        shifted[k] = x[k] + step
        above = machine.residuals(time, shifted)[rows]
        shifted[k] = x[k] - step
        matrix[:, j] = (above - machine.residuals(time, shifted)[rows]) / (2.0 * step)
    return matrix


def _refusal(
    machine: Machine, time: float, x: np.ndarray, constraint: Constraint, used: np.ndarray, free: np.ndarray
) -> SimulationError:
    names, kept = machine.sorted.states, sorted(set(used.tolist()) - set(free.tolist()))
    return SimulationError(
        f"the initial values contradict the constraint '{constraint.equation}'"
        if kept
        else f"no values of the states satisfy the constraint '{constraint.equation}'",
        time=time,
        path=constraint.equation.path,
        found=", ".join(f"{names[k]} = {x[k]:.6g}" for k in used),
        expected=f"values that satisfy '{constraint.residual} = 0'",
        remedy=f"Write start in place of init for one of {', '.join(names[k] for k in kept[:6])}." if kept else "",
    )
