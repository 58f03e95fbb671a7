"""Integrators that wait for the next segment with the same problem: a restart takes a tenth of the time of creating one."""

from __future__ import annotations

import numpy as np

from .factories import create_solver
from .interface import Problem, Solver
from .sundials import SundialsSolver

CAPACITY = 8
"""Number of integrators that wait at most."""


class IntegratorPool:
    """Integrators of one simulation: one model, one kind of integrator, the same tolerances.

    Problems are distinguished by identity: `Machine.problem` returns the same object for segments with the same sizes and
    sparsity. A new problem takes over a waiting integrator of its sizes: setting another sparsity also takes a tenth of the
    time of creating one, and few structures occur again. A structure that occurs again has an integrator of its own.
    """

    def __init__(self) -> None:
        self._problems: dict[int, Problem] = {}  # of the integrators that are at work
        self._waiting: dict[int, tuple[Problem, SundialsSolver]] = {}
        self._met: dict[int, Problem] = {}  # the last ones, kept so that their identities are theirs

    def take(self, name: str, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float, dae: bool) -> Solver:
        """Return an integrator that computes the same as a new one of `create_solver`, to the last bit.

        Arguments and errors as there.
        """
        waiting = self._waiting.pop(id(problem), None) or self._of_same_size(problem)
        if waiting is not None:
            known, solver = waiting
            try:
                if known is not problem:
                    solver.take(problem, rtol, atol)
                solver.begin(time, x)
            except BaseException:
                solver.close()
                raise
        else:
            made = create_solver(name, problem, time, x, rtol, atol, dae)
            if not isinstance(made, SundialsSolver):
                return made
            solver = made
        self._problems[id(solver)] = problem
        return solver

    def _of_same_size(self, problem: Problem) -> tuple[Problem, SundialsSolver] | None:
        """Return the longest waiting integrator with the sizes of a problem, if that is new or one must be closed."""
        if len(self._waiting) < CAPACITY and self._met.get(id(problem)) is problem:
            return None
        self._met[id(problem)] = problem
        if len(self._met) > 2 * CAPACITY:
            del self._met[next(iter(self._met))]
        n, n_z, projection = problem.n, problem.n_z, problem.projection_address
        for key, (known, _) in self._waiting.items():
            if known.n == n and known.n_z == n_z and known.projection_address == projection:
                return self._waiting.pop(key)
        return None

    def restart(self, solver: Solver, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        """Restart an integrator after an event, for another problem of the same sizes if it has changed."""
        if isinstance(solver, SundialsSolver) and self._problems[id(solver)] is not problem:
            solver.restart_with(problem, time, x, rtol, atol)
            self._problems[id(solver)] = problem
        else:
            solver.restart(time, x)

    def give(self, solver: Solver) -> None:
        """Keep an integrator for a later segment, or close it."""
        problem = self._problems.pop(id(solver), None)
        if not isinstance(solver, SundialsSolver) or problem is None or id(problem) in self._waiting:
            solver.close()
            return
        self._waiting[id(problem)] = problem, solver
        if len(self._waiting) > CAPACITY:
            self._waiting.pop(next(iter(self._waiting)))[1].close()

    def close(self) -> None:
        """Close all waiting integrators."""
        while self._waiting:
            self._waiting.popitem()[1][1].close()
