"""Integrators that wait for the next segment of their size: to begin again with one takes a tenth of making one."""

from __future__ import annotations

import numpy as np

from .interface import Problem, Solver, create_solver
from .sundials import SundialsSolver

CAPACITY = 8
"""Number of integrators that wait at most."""


class IntegratorPool:
    """The integrators of one simulation: one model, one kind of integrator, the same tolerances."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[int, int], SundialsSolver] = {}

    def take(self, name: str, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float, dae: bool) -> Solver:
        """An integrator as `create_solver` makes it, to the last bit of what it computes. Arguments and errors as there."""
        waiting = self._waiting.pop((problem.n, problem.n_z), None) if problem.incidence is None else None
        if waiting is None:
            return create_solver(name, problem, time, x, rtol, atol, dae)
        try:
            waiting.begin(time, x)
        except BaseException:
            waiting.close()
            raise
        return waiting

    def give(self, solver: Solver) -> None:
        """Keep an integrator for a later segment, or close it where its matrix has a structure of its own."""
        if not isinstance(solver, SundialsSolver) or solver.size in self._waiting or not solver.is_dense:
            solver.close()
            return
        self._waiting[solver.size] = solver
        if len(self._waiting) > CAPACITY:
            self._waiting.pop(next(iter(self._waiting))).close()

    def close(self) -> None:
        """Close all that wait."""
        while self._waiting:
            self._waiting.popitem()[1].close()
