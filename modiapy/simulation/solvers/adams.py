"""CVODE with the formulas of Adams and Moulton, orders 1 to 12, by pointer: for models that are not stiff. See `cvode`.

Each step iterates a corrector without a matrix. A smooth motion that conserves its energy needs half of the evaluations of BDF,
with a tenth of the error. A stiff model takes steps as short as its fastest motion. CVODE projects states only with BDF: here
the right-hand side draws them to their constraints.
"""

from __future__ import annotations

from .cvode import Cvode, libraries
from .libraries.sundials_library import not_null

__all__ = ["Adams", "libraries"]

_NO_ACCELERATION = 0


class Adams(Cvode):
    """See `Cvode`."""

    formulas = 1
    convergence = 0.1
    projects = False
    _corrector = 0

    def _create_linear_solver(self, rtol: float, atol: float) -> None:
        """Create a corrector that needs no matrix, in place of a linear solver."""
        if not self._corrector:
            self._corrector = not_null(self._c.SUNNonlinSol_FixedPoint(self._y, _NO_ACCELERATION, self._context))
            self._call("SetNonlinearSolver", self._corrector)

    def _is_solved(self) -> bool:
        """Return True: without convergence of the corrector there would be no step."""
        return True

    def close(self) -> None:
        """See `interface.Solver`."""
        super().close()
        if self._corrector:
            self._c.SUNNonlinSolFree_FixedPoint(self._corrector)
            self._corrector = 0
