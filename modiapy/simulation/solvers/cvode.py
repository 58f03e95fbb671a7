"""CVODE (BDF, Newton, dense) of the SUNDIALS libraries that the scikit-sundae wheel bundles, driven through ctypes.

The right-hand side and the root function are given by address: nothing of Python runs between integrator and model. References:
Hindmarsh et al., "SUNDIALS", ACM TOMS 31 (2005); SUNDIALS 7 user documentation of CVODE.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .interface import Advance, IntegrationFailure, Problem, SolverStatistics

_BDF, _NORMAL, _ONE_STEP = 2, 1, 2
_ROOT_RETURN = 2
_MAX_STEPS_PER_POINT = 200_000
_VERSION = 7

_P, _D, _I, _L = ctypes.c_void_p, ctypes.c_double, ctypes.c_int, ctypes.c_long
_INDEX = ctypes.c_int64  # passed by value in a register: right for 32-bit sunindextype too
_LIBRARIES = ("core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "cvode")
_PROTOTYPES: dict[str, dict[str, tuple[Any, ...]]] = {  # library: function: (result, *arguments)
    "core": {
        "SUNDIALSGetVersionNumber": (_I, _P, _P, _P, ctypes.c_char_p, _I),
        "SUNContext_Create": (_I, _I, _P),
        "SUNContext_Free": (_I, _P),
        "SUNContext_ClearErrHandlers": (_I, _P),
        "SUNLinSolFree": (_I, _P),
        "SUNMatDestroy": (None, _P),
        "N_VDestroy": (None, _P),
        "N_VGetArrayPointer": (_P, _P),
    },
    "nvecserial": {"N_VMake_Serial": (_P, _INDEX, _P, _P)},
    "sunmatrixdense": {"SUNDenseMatrix": (_P, _INDEX, _INDEX, _P)},
    "sunlinsoldense": {"SUNLinSol_Dense": (_P, _P, _P, _P)},
    "cvode": {
        "CVodeCreate": (_P, _I, _P),
        "CVodeInit": (_I, _P, _P, _D, _P),
        "CVodeReInit": (_I, _P, _D, _P),
        "CVodeSStolerances": (_I, _P, _D, _D),
        "CVodeSetLinearSolver": (_I, _P, _P, _P),
        "CVodeSetUserData": (_I, _P, _P),
        "CVodeSetMaxNumSteps": (_I, _P, _L),
        "CVodeSetStabLimDet": (_I, _P, _I),
        "CVodeSetNoInactiveRootWarn": (_I, _P),
        "CVodeSetMaxHnilWarns": (_I, _P, _I),
        "CVodeSetMinStep": (_I, _P, _D),
        "CVodeSetStopTime": (_I, _P, _D),
        "CVodeRootInit": (_I, _P, _I, _P),
        "CVode": (_I, _P, _D, _P, _P, _I),
        "CVodeGetRootInfo": (_I, _P, _P),
        "CVodeGetNumSteps": (_I, _P, _P),
        "CVodeGetNumRhsEvals": (_I, _P, _P),
        "CVodeGetNumLinRhsEvals": (_I, _P, _P),
        "CVodeGetNumJacEvals": (_I, _P, _P),
        "CVodeGetLastOrder": (_I, _P, _P),
        "CVodeGetEstLocalErrors": (_I, _P, _P),
        "CVodeGetErrWeights": (_I, _P, _P),
        "CVodeGetCurrentTime": (_I, _P, _P),
        "CVodeGetDky": (_I, _P, _D, _I, _P),
        "CVodeFree": (None, _P),
    },
}

_MESSAGES = {
    -1: f"more than {_MAX_STEPS_PER_POINT} steps were needed to the next output point: the step size became very small",
    -2: "the tolerance is too small for the precision of the machine",
    -3: "the local error test failed repeatedly, or with the smallest step size",
    -4: "Newton's method did not converge repeatedly, or with the smallest step size",
    -5: "the linear solver could not be set up",
    -6: "the linear solver failed: the iteration matrix is singular",
    -7: "the linear solver failed",
    -8: "the model could not be evaluated",
    -9: "the model could not be evaluated at the first point",
    -10: "the model could not be evaluated, also with smaller step sizes",
    -11: "the model could not be evaluated, and the integrator could not recover",
    -12: "the event indicators could not be evaluated",
    -27: "the next time point is too close to the present one",
}
"""What CVODE's return flags mean to a user."""


@functools.cache
def libraries() -> SimpleNamespace | None:
    """CVODE's functions with their prototypes, and the address of ``N_VGetArrayPointer`` as ``array_pointer_address``.

    None where the libraries are not found or have another version.
    """
    folder = _library_folder()
    if folder is None:
        return None
    functions = SimpleNamespace()
    try:
        for name in _LIBRARIES:
            library = ctypes.CDLL(str(_library_file(folder, name)), mode=ctypes.RTLD_GLOBAL)
            for function, (result, *arguments) in _PROTOTYPES[name].items():
                pointer = getattr(library, function)
                pointer.restype, pointer.argtypes = result, arguments
                setattr(functions, function, pointer)
    except (OSError, AttributeError):
        return None
    numbers = [ctypes.c_int() for _ in range(3)]
    functions.array_pointer_address = ctypes.cast(functions.N_VGetArrayPointer, _P).value
    functions.SUNDIALSGetVersionNumber(*map(ctypes.byref, numbers), ctypes.create_string_buffer(64), 64)
    return functions if numbers[0].value == _VERSION else None


def _library_folder() -> Path | None:
    spec = importlib.util.find_spec("sksundae")  # finds, does not import: that would load OpenBLAS
    if spec is None or spec.origin is None:
        return None
    package = Path(spec.origin).parent
    folders = [package.parent / "scikit_sundae.libs", package / ".dylibs"]
    found = next((f for f in folders if any(f.glob("*sundials_core*"))), None)
    if found is not None and sys.platform == "win32":
        import os

        os.add_dll_directory(str(found))
    return found


def _library_file(folder: Path, name: str) -> Path:
    for pattern in (f"*sundials_{name}-*", f"*sundials_{name}.*"):
        for path in sorted(folder.glob(pattern)):
            return path
    raise OSError(f"no library sundials_{name} in {folder}")


@ctypes.CFUNCTYPE(_I, _D, _P, _P, _P)
def _still(_t: float, _y: int, ydot: int, _user: int) -> int:
    """Right-hand side of the one state that stands in where the model has none."""
    functions = libraries()
    assert functions is not None
    _D.from_address(functions.N_VGetArrayPointer(ydot)).value = 0.0
    return 0


class Cvode:
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        functions = libraries()
        assert functions is not None
        self._c = functions
        self._size = max(problem.n, 1)
        self._x = np.zeros(self._size)
        self.x = self._x[: problem.n]
        self.x[:] = x
        self.count = 0
        self._fresh = True
        self._n_z = problem.n_z
        self._problem = problem
        self._done = SolverStatistics()
        self._order = 0
        self._time = _D(time)
        self._vectors: list[int] = []
        self._context, self._memory = _P(), _P()
        self._matrix: int | None = None
        self._linear: int | None = None
        try:
            self._create(problem, time, rtol, atol)
        except BaseException:
            self.close()
            raise

    def _create(self, problem: Problem, time: float, rtol: float, atol: float) -> None:
        c, check = self._c, self._check
        if c.SUNContext_Create(0, ctypes.byref(self._context)) != 0:
            raise MemoryError("SUNContext_Create failed")
        c.SUNContext_ClearErrHandlers(self._context)
        self._y = self._vector(self._x)
        self._memory = _P(_not_null(c.CVodeCreate(_BDF, self._context)))
        right_hand_side = problem.rhs_address if problem.n else ctypes.cast(_still, _P).value
        check(c.CVodeInit(self._memory, right_hand_side, time, self._y))
        check(c.CVodeSStolerances(self._memory, rtol, atol))
        self._matrix = _not_null(c.SUNDenseMatrix(self._size, self._size, self._context))
        self._linear = _not_null(c.SUNLinSol_Dense(self._y, self._matrix, self._context))
        check(c.CVodeSetLinearSolver(self._memory, self._linear, self._matrix))
        check(c.CVodeSetUserData(self._memory, problem.user_address))
        check(c.CVodeSetMaxNumSteps(self._memory, _MAX_STEPS_PER_POINT))
        check(c.CVodeSetMaxHnilWarns(self._memory, -1))
        check(c.CVodeSetStabLimDet(self._memory, 1))
        if problem.n_z:
            check(c.CVodeRootInit(self._memory, problem.n_z, problem.root_address))
            check(c.CVodeSetNoInactiveRootWarn(self._memory))

    def _vector(self, array: np.ndarray) -> int:
        vector = _not_null(self._c.N_VMake_Serial(array.size, array.ctypes.data, self._context))
        self._vectors.append(vector)
        return vector

    def advance(self, grid: np.ndarray, stop: float, x_out: np.ndarray) -> Advance:
        """See `interface.Solver`."""
        self.count = 0
        memory, y, x = self._memory, _P(self._y), self.x
        time, time_pointer, step = self._time, ctypes.byref(self._time), self._c.CVode
        smallest = 2.0 * sys.float_info.epsilon * max(abs(time.value), abs(stop))  # below, time would not advance
        self._check(self._c.CVodeSetMinStep(memory, smallest))
        self._check(self._c.CVodeSetStopTime(memory, stop))
        if self._fresh:
            advance = self._first_step(grid, stop, x_out)
            if advance is not None:
                return advance
        for i, target in enumerate(grid.tolist()):
            flag = step(memory, target, y, time_pointer, _NORMAL)
            if flag == _ROOT_RETURN:
                return self._at_root(i)
            if flag < 0:
                raise self._failure(flag)
            x_out[i] = x
            self.count = i + 1
        return Advance(float(grid[-1]), len(grid))

    def _first_step(self, grid: np.ndarray, stop: float, x_out: np.ndarray) -> Advance | None:
        """One step from the start, so that the initial step size does not depend on the output points.

        Returns:
            Where a root was found in this step; None if there was none.
        """
        flag = self._c.CVode(self._memory, stop, self._y, ctypes.byref(self._time), _ONE_STEP)
        if flag < 0:
            raise self._failure(flag)
        self._fresh = False
        if flag != _ROOT_RETURN:
            return None
        root = self._x.copy()
        before = grid[grid < self._time.value].tolist()
        for i, target in enumerate(before):
            self._check(self._c.CVodeGetDky(self._memory, target, 0, self._y))
            x_out[i] = self.x
        self.count = len(before)
        self._x[:] = root
        return self._at_root(len(before))

    def _at_root(self, count: int) -> Advance:
        roots = self._roots()
        return Advance(self._time.value, count, tuple(np.flatnonzero(roots).tolist()), tuple((roots[roots != 0] > 0).tolist()))

    def _roots(self) -> np.ndarray:
        found = np.zeros(self._n_z, dtype=np.intc)
        self._check(self._c.CVodeGetRootInfo(self._memory, found.ctypes.data))
        return found

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self._done = self.statistics()
        self.x[:] = x
        self._time.value = time
        self._fresh = True
        self._check(self._c.CVodeReInit(self._memory, time, self._y))

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        c = self._c
        now = SolverStatistics(
            steps=self._count(c.CVodeGetNumSteps),
            rhs_evaluations=self._count(c.CVodeGetNumRhsEvals) + self._count(c.CVodeGetNumLinRhsEvals),
            jacobian_evaluations=self._count(c.CVodeGetNumJacEvals),
        )
        order = _I()
        c.CVodeGetLastOrder(self._memory, ctypes.byref(order))
        now.order = order.value
        now.add(self._done)
        return now

    def _count(self, function: Any) -> int:
        value = _L()
        function(self._memory, ctypes.byref(value))
        return value.value

    def _check(self, flag: int) -> None:
        if flag < 0:
            raise self._failure(flag)

    def _failure(self, flag: int) -> IntegrationFailure:
        message = _MESSAGES.get(flag, f"CVODE returned {flag}")
        now = _D(self._time.value)
        if self._memory:
            self._c.CVodeGetCurrentTime(self._memory, ctypes.byref(now))
        if flag not in (-1, -3, -4) or not self._problem.n:
            return IntegrationFailure(message, now.value)
        worst, error = self._worst_state(now.value)
        return IntegrationFailure(message, now.value, worst, error)

    def _worst_state(self, time: float) -> tuple[int, float]:
        """State with the largest local error relative to the tolerance; if no error is known, the one that changes fastest."""
        weights, values = np.zeros(self._size), np.zeros(self._size)
        vector = self._vector(values)
        self._c.CVodeGetErrWeights(self._memory, self._vector(weights))
        self._c.CVodeGetEstLocalErrors(self._memory, vector)
        error = np.abs(values * weights)
        if not error.any():
            self._c.CVodeGetDky(self._memory, time, 1, vector)
            error = np.abs(values * weights)
        worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
        return worst, float(error[worst])

    def close(self) -> None:
        """See `interface.Solver`."""
        c = self._c
        if self._memory:
            c.CVodeFree(ctypes.byref(self._memory))
        if self._linear is not None:
            c.SUNLinSolFree(self._linear)
        if self._matrix is not None:
            c.SUNMatDestroy(self._matrix)
        for vector in self._vectors:
            c.N_VDestroy(vector)
        if self._context:
            c.SUNContext_Free(ctypes.byref(self._context))
        self._vectors, self._linear, self._matrix = [], None, None
        self._memory, self._context = _P(), _P()


def _not_null(pointer: int | None) -> int:
    if not pointer:
        raise MemoryError("SUNDIALS could not allocate memory")
    return pointer
