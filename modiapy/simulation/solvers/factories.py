"""Integrators by name; each is imported when it is first needed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence

import numpy as np

from ...model.errors import ModelError, nearest
from .interface import Problem, Solver

SolverFactory = Callable[[Problem, float, np.ndarray, float, float], Solver]


def _cvode(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .cvode import Cvode, libraries

    if libraries() is None:
        installed = importlib.util.find_spec("sksundae") is not None
        return (_sundae if installed else _scipy)(problem, time, x, rtol, atol)
    return Cvode(problem, time, x, rtol, atol)


def _adams(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .adams import Adams, libraries

    if libraries() is None:
        return _scipy(problem, time, x, rtol, atol)
    return Adams(problem.without_projection(), time, x, rtol, atol)


def _chebyshev(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .chebyshev import Chebyshev, libraries

    if libraries() is None:
        return _scipy(problem, time, x, rtol, atol)
    return Chebyshev(problem.without_projection(), time, x, rtol, atol)


def _sundae(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .sundae import SundaeCvode

    return SundaeCvode(problem.without_projection(), time, x, rtol, atol)


def _scipy(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .scipy_solver import ScipySolver

    return ScipySolver(problem.without_projection(), time, x, rtol, atol)


def _ida(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .ida import Ida, libraries

    if libraries("ida") is None:
        return _sundae_ida(problem, time, x, rtol, atol)
    return Ida(problem.without_projection(), time, x, rtol, atol)


def _sundae_ida(problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> Solver:
    from .sundae import SundaeIda

    return SundaeIda(problem.without_projection(), time, x, rtol, atol)


_FACTORIES: dict[str, SolverFactory] = {
    "cvode": _cvode,
    "adams": _adams,
    "chebyshev": _chebyshev,
    "sundae": _sundae,
    "scipy": _scipy,
}
_DAE_FACTORIES: dict[str, SolverFactory] = {"cvode": _ida, "sundae": _sundae_ida}
"""Of the same families, for ``F(t, x, der(x)) = 0``."""

_EXPLICIT = frozenset(("adams", "chebyshev"))
"""Integrators without a Jacobian: the sparsity of a segment is nothing to them."""


def check_dae_solver(name: str) -> None:
    """Refuse a solver that cannot integrate the residual form. Raises ModelError."""
    if name in _FACTORIES and name not in _DAE_FACTORIES:
        raise ModelError(
            f"the solver '{name}' cannot integrate residuals (DAE mode)",
            expected=f"one of {', '.join(_DAE_FACTORIES)}",
            remedy="Use solver='cvode', which takes IDA of the same libraries for this.",
        )


def has_jacobian(name: str) -> bool:
    """Return whether the integrator of this name solves systems with a Jacobian."""
    return name not in _EXPLICIT


def solver_names() -> Sequence[str]:
    """Return the names that `create_solver` knows."""
    return tuple(_FACTORIES)


def create_solver(
    name: str, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float, dae: bool = False
) -> Solver:
    """Create an integrator at ``time`` [s] with states ``x``.

    Args:
        name: "cvode" (BDF, machine code called by pointer; through scikit-sundae where its libraries are not found, scipy
            where that is not installed), "adams" (CVODE's formulas for what is not stiff, see `adams`), "chebyshev"
            (explicit, for what damping makes stiff, see `chebyshev`; both are scipy's where the libraries are not found),
            "sundae" (CVODE through scikit-sundae's callbacks) or "scipy" (LSODA).
        rtol, atol: the local error of state i is kept below ``rtol*|x_i| + atol*nominal_i``.
        dae: solve ``F(t, x, der(x)) = 0`` by IDA in place of CVODE.

    Raises:
        ModelError: there is no such solver, or it cannot solve the residual form.
    """
    factory = _FACTORIES.get(name)
    if factory is None:
        raise ModelError(
            f"unknown solver '{name}'", expected=f"one of {', '.join(_FACTORIES)}", remedy=nearest(name, _FACTORIES)
        )
    if dae:
        check_dae_solver(name)
    return (_DAE_FACTORIES[name] if dae else factory)(problem, time, x, rtol, atol)
