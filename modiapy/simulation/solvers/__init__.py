"""Integrators behind one thin interface: CVODE by pointer, CVODE through scikit-sundae, scipy."""

from .factories import check_dae_solver, create_solver, solver_names
from .interface import (
    Advance,
    IntegrationFailure,
    ModelFailure,
    Problem,
    Solver,
    SolverStatistics,
)
from .watch import Watch

__all__ = [
    "Advance",
    "IntegrationFailure",
    "ModelFailure",
    "Problem",
    "Solver",
    "SolverStatistics",
    "Watch",
    "check_dae_solver",
    "create_solver",
    "solver_names",
]
