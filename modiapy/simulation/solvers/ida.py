"""IDA (variable-order BDF in fixed-leading-coefficient form, Newton) by pointer, for ``F(t, x, der(x)) = 0``. See `sundials`.

At the start and at events the derivatives are computed by the model itself, so that the integrator begins with consistent
values: linear systems in the derivatives are constructed and solved there, and only there.
"""

from __future__ import annotations

import ctypes
from typing import ClassVar

import numpy as np

from .interface import IntegrationFailure, Problem
from .jacobian import ida_callback
from .libraries.sundials_library import D, I, P, libraries, not_null
from .sundials import COMMON_MESSAGES, SundialsSolver

__all__ = ["Ida", "consistent_derivatives", "libraries"]


@ctypes.CFUNCTYPE(I, D, P, P, P, P)
def _still(_t: float, _y: int, yp: int, r: int, _user: int) -> int:
    """Return the residual of the one state that replaces an empty state vector."""
    functions = libraries("ida")
    assert functions is not None
    D.from_address(functions.N_VGetArrayPointer(r)).value = D.from_address(functions.N_VGetArrayPointer(yp)).value
    return 0


def consistent_derivatives(problem: Problem, time: float, x: np.ndarray, out: np.ndarray) -> None:
    """Compute derivatives at a point by the explicit form of the model.

    Raises:
        IntegrationFailure: the model cannot be evaluated there.
    """
    if problem.n and (problem.rhs(time, x, out) != 0 or not np.isfinite(out).all()):
        raise IntegrationFailure(Ida.messages[-12], time)


class Ida(SundialsSolver):
    """See `SundialsSolver`."""

    name, prefix, root_failed = "ida", "IDA", -10
    convergence = 0.1
    differences_counter = "GetNumLinResEvals"
    jacobian_callback = staticmethod(ida_callback)
    messages: ClassVar[dict[int, str]] = COMMON_MESSAGES | {
        -9: "the model could not be evaluated, also with smaller step sizes",
        -10: "the event indicators could not be evaluated",
        -12: "the model could not be evaluated at the first point",
    }

    def _create(self, time: float) -> None:
        problem = self._problem
        self._memory = P(not_null(self._c.IDACreate(self._context)))
        self._xdot = np.zeros(self._size)
        self._yp = self._vector(self._xdot)
        consistent_derivatives(problem, time, self.x, self._xdot[: problem.n])
        residual = problem.residual_address if problem.n else ctypes.cast(_still, P).value
        self._call("Init", residual, time, self._y, self._yp)

    def _connect(self) -> None:
        super()._connect()
        root = self._problem.dae_root_address
        self._loop.connect(ida_solve=self._function_address("Solve"), dae_root=root, rates=self._yp)

    def _rates(self) -> np.ndarray:
        return self._xdot[: self._problem.n]

    def _begin_again(self, time: float) -> None:
        consistent_derivatives(self._problem, time, self.x, self._xdot[: self._problem.n])
        self._call("ReInit", time, self._y, self._yp)
