"""CVODE (BDF, Newton) by pointer, for ``der(x) = f(t, x)``. See `sundials`."""

from __future__ import annotations

import ctypes
from typing import ClassVar

from .jacobian import cvode_callback, dense_store, full_incidence
from .linear import SMALL, coloured
from .step_code import Word
from .sundials import COMMON_MESSAGES, SundialsSolver, not_null
from .sundials_library import D, I, P, libraries

__all__ = ["Cvode", "libraries"]

_BDF = 2


@ctypes.CFUNCTYPE(I, D, P, P, P)
def _still(_t: float, _y: int, ydot: int, _user: int) -> int:
    """Right-hand side of the one state that stands in where the model has none."""
    functions = libraries()
    assert functions is not None
    D.from_address(functions.N_VGetArrayPointer(ydot)).value = 0.0
    return 0


class Cvode(SundialsSolver):
    """See `SundialsSolver`."""

    name, prefix, step_function, root_failed = "cvode", "CVode", "", -12
    convergence = 0.03
    jacobian_callback = staticmethod(cvode_callback)
    messages: ClassVar[dict[int, str]] = COMMON_MESSAGES | {
        -9: "the model could not be evaluated at the first point",
        -10: "the model could not be evaluated, also with smaller step sizes",
        -11: "the model could not be evaluated, and the integrator could not recover",
        -12: "the event indicators could not be evaluated",
    }

    def _create(self, time: float) -> None:
        problem = self._problem
        self._memory = P(not_null(self._c.CVodeCreate(_BDF, self._context)))
        right_hand_side = problem.rhs_address if problem.n else ctypes.cast(_still, P).value
        self._call("Init", right_hand_side, time, self._y)
        self._call("SetMaxHnilWarns", -1)
        self._call("SetStabLimDet", 1)

    def _set_dense_jacobian(self, rtol: float, atol: float) -> None:
        problem = self._problem
        entries = coloured(problem)
        if entries is None and problem.n >= SMALL and problem.solves_large_systems:
            entries = problem.incidence or full_incidence(problem.n)
        if entries is not None:
            self._set_jacobian(entries, dense_store(entries, self._c.SUNDenseMatrix_Data), rtol, atol)

    def _connect(self) -> None:
        super()._connect()
        self._loop.words[Word.ROOT] = self._problem.root_address

    def _begin_again(self, time: float) -> None:
        self._call("ReInit", time, self._y)

    def _evaluations(self) -> int:
        return self._count("GetNumRhsEvals") + self._count("GetNumLinRhsEvals") + self._differenced()
