"""What CVODE and IDA of the SUNDIALS libraries have in common, driven through ctypes.

The libraries are those that the scikit-sundae wheel bundles. The model is given by address: nothing of Python runs between
integrator and model. References: Hindmarsh et al., "SUNDIALS", ACM TOMS 31 (2005); user documentation of SUNDIALS 7.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from ...symbolic.state_incidence import Incidence
from .interface import Advance, IntegrationFailure, Problem, SolverStatistics
from .jacobian import D, Differences, I, P, Store, sparse_store
from .linear import band, sparse
from .watch import Watch, begins_to_hold

NORMAL, ONE_STEP = 1, 2
ROOT_RETURN = 2
MAX_STEPS_PER_POINT = 200_000
FAR = 1.0
"""What the first step size is computed from where no event is ahead [s]."""
_VERSION = 7
_COLUMNS = 0  # a sparse matrix in compressed columns

L = ctypes.c_long
_INDEX = ctypes.c_int64  # passed by value in a register: right for 32-bit sunindextype too
Prototypes = dict[str, dict[str, tuple[Any, ...]]]
"""library: function: (result, *arguments)"""

_COMMON: Prototypes = {
    "core": {
        "SUNDIALSGetVersionNumber": (I, P, P, P, ctypes.c_char_p, I),
        "SUNContext_Create": (I, I, P),
        "SUNContext_Free": (I, P),
        "SUNContext_ClearErrHandlers": (I, P),
        "SUNLinSolInitialize": (I, P),
        "SUNLinSolSetup": (I, P, P),
        "SUNLinSolFree": (I, P),
        "SUNMatDestroy": (None, P),
        "N_VDestroy": (None, P),
        "N_VGetArrayPointer": (P, P),
    },
    "nvecserial": {"N_VMake_Serial": (P, _INDEX, P, P)},
    "sunmatrixdense": {"SUNDenseMatrix": (P, _INDEX, _INDEX, P), "SUNDenseMatrix_Data": (P, P)},
    "sunlinsoldense": {"SUNLinSol_Dense": (P, P, P, P)},
}


def _integrator(prefix: str, special: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    """Prototypes of the functions that both integrators have, with their prefix, and of ``special`` ones."""
    common: dict[str, tuple[Any, ...]] = {
        "SStolerances": (I, P, D, D),
        "SVtolerances": (I, P, D, P),
        "SetLinearSolver": (I, P, P, P),
        "SetUserData": (I, P, P),
        "SetMaxNumSteps": (I, P, L),
        "SetNoInactiveRootWarn": (I, P),
        "SetMinStep": (I, P, D),
        "SetStopTime": (I, P, D),
        "SetJacFn": (I, P, P),
        "RootInit": (I, P, I, P),
        "GetRootInfo": (I, P, P),
        "GetNumSteps": (I, P, P),
        "GetNumJacEvals": (I, P, P),
        "GetLastOrder": (I, P, P),
        "GetEstLocalErrors": (I, P, P),
        "GetErrWeights": (I, P, P),
        "GetCurrentTime": (I, P, P),
        "GetDky": (I, P, D, I, P),
        "Free": (None, P),
    }
    return {f"{prefix}{name}": prototype for name, prototype in (common | special).items()}


_INTEGRATORS: Prototypes = {
    "cvode": _integrator(
        "CVode",
        {
            "Create": (P, I, P),
            "Init": (I, P, P, D, P),
            "ReInit": (I, P, D, P),
            "SetStabLimDet": (I, P, I),
            "SetMaxHnilWarns": (I, P, I),
            "GetNumRhsEvals": (I, P, P),
            "GetNumLinRhsEvals": (I, P, P),
            "": (I, P, D, P, P, I),
        },
    ),
    "ida": _integrator(
        "IDA",
        {
            "Create": (P, P),
            "Init": (I, P, P, D, P, P),
            "ReInit": (I, P, D, P, P),
            "GetNumResEvals": (I, P, P),
            "GetNumLinResEvals": (I, P, P),
            "Solve": (I, P, D, P, P, P, I),
        },
    ),
}

_OPTIONAL = {"openblas_set_num_threads"}  # of the BLAS that the library depends on

_LINEAR: Prototypes = {
    "sunmatrixsparse": {
        "SUNSparseMatrix": (P, _INDEX, _INDEX, _INDEX, I, P),
        "SUNSparseMatrix_Data": (P, P),
        "SUNSparseMatrix_IndexPointers": (P, P),
        "SUNSparseMatrix_IndexValues": (P, P),
    },
    "sunlinsolsuperlumt": {"SUNLinSol_SuperLUMT": (P, P, P, I, P), "openblas_set_num_threads": (None, I)},
    "sunmatrixband": {"SUNBandMatrix": (P, _INDEX, _INDEX, _INDEX, P)},
    "sunlinsolband": {"SUNLinSol_Band": (P, P, P, P)},
}


@functools.cache
def libraries(integrator: str = "cvode") -> SimpleNamespace | None:
    """Functions with their prototypes, and the address of ``N_VGetArrayPointer`` as ``array_pointer_address``.

    None where the libraries are not found or have another version.

    Args:
        integrator: "cvode" or "ida".
    """
    functions = SimpleNamespace()
    if not _load({**_COMMON, integrator: _INTEGRATORS[integrator]}, functions):
        return None
    numbers = [ctypes.c_int() for _ in range(3)]
    functions.array_pointer_address = ctypes.cast(functions.N_VGetArrayPointer, P).value
    functions.SUNDIALSGetVersionNumber(*map(ctypes.byref, numbers), ctypes.create_string_buffer(64), 64)
    return functions if numbers[0].value == _VERSION else None


@functools.cache
def linear_library(name: str) -> SimpleNamespace | None:
    """Functions of a library of matrices or linear solvers, e.g. "sunlinsolband"; None where it is not found."""
    functions = SimpleNamespace()
    if not _load({name: _LINEAR[name]}, functions):
        return None
    if hasattr(functions, "openblas_set_num_threads"):
        functions.openblas_set_num_threads(1)  # its blocks are small: with threads it took 10 times as long
    return functions


def _load(prototypes: Prototypes, functions: SimpleNamespace) -> bool:
    folder = _library_folder()
    if folder is None:
        return False
    try:
        for name, contents in prototypes.items():
            mode = ctypes.RTLD_LOCAL if name in _LINEAR else ctypes.RTLD_GLOBAL  # SuperLU brings a BLAS of its own
            library = ctypes.CDLL(str(_library_file(folder, name)), mode=mode)
            for function, (result, *arguments) in contents.items():
                if function in _OPTIONAL and not hasattr(library, function):
                    continue
                pointer = getattr(library, function)
                pointer.restype, pointer.argtypes = result, arguments
                setattr(functions, function, pointer)
    except (OSError, AttributeError):
        return False
    return True


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


class SundialsSolver(ABC):
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    name: str
    """Of the library: "cvode" or "ida"."""
    prefix: str
    """Of its functions."""
    messages: ClassVar[dict[int, str]]
    """What its return flags mean to a user."""
    jacobian_callback: ClassVar[Callable[..., Any]]
    """Makes its Jacobian function, see `jacobian`."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        functions = libraries(self.name)
        assert functions is not None
        self._c = functions
        self._states_at = self._function("GetDky")
        self._size = max(problem.n, 1)
        self._x = np.zeros(self._size)
        self.x = self._x[: problem.n]
        self.x[:] = x
        self.count = 0
        self.horizon = -math.inf
        self._fresh = True
        self._problem = problem
        self._done = SolverStatistics()
        self._time = D(time)
        self._reached = time  # by single steps
        self._vectors: list[int] = []
        self._context, self._memory = P(), P()
        self._matrix: int | None = None
        self._linear: int | None = None
        self._differences: Differences | None = None
        self._sparse: tuple[Incidence, Store] | None = None
        self._counted = 0  # evaluations for Jacobians before the last restart
        try:
            if self._c.SUNContext_Create(0, ctypes.byref(self._context)) != 0:
                raise MemoryError("SUNContext_Create failed")
            self._c.SUNContext_ClearErrHandlers(self._context)
            self._y = self._vector(self._x)
            self._create(time)
            self._set_up(rtol, atol)
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _create(self, time: float) -> None:
        """Create and initialise the integrator's memory."""

    @abstractmethod
    def _step(self, target: float, task: int) -> int:
        """Call the integrator; its flag."""

    @abstractmethod
    def _evaluations(self) -> int:
        """Number of evaluations so far, those for the Jacobian included."""

    @abstractmethod
    def _root_address(self) -> int:
        """Address of the function that computes the event indicators."""

    def _function(self, name: str) -> Any:
        return getattr(self._c, self.prefix + name)

    def _call(self, name: str, *arguments: Any) -> None:
        flag = self._function(name)(self._memory, *arguments)
        if flag < 0:
            raise self._failure(flag)

    def _set_up(self, rtol: float, atol: float) -> None:
        problem = self._problem
        absolute = problem.absolute(atol)
        if isinstance(absolute, np.ndarray):
            self._absolute = absolute
            self._call("SVtolerances", rtol, self._vector(absolute))
        else:
            self._call("SStolerances", rtol, absolute)
        self._create_linear_solver(rtol, atol)
        self._call("SetUserData", problem.user_address)
        self._call("SetMaxNumSteps", MAX_STEPS_PER_POINT)
        if problem.n_z:
            self._call("RootInit", problem.n_z, self._root_address())
            self._call("SetNoInactiveRootWarn")

    def _create_linear_solver(self, rtol: float, atol: float) -> None:
        c = self._c
        width = band(self._problem)
        matrices, solvers = linear_library("sunmatrixband"), linear_library("sunlinsolband")
        if width is not None and matrices is not None and solvers is not None:
            self._matrix = not_null(matrices.SUNBandMatrix(self._size, *width, self._context))
            self._linear = not_null(solvers.SUNLinSol_Band(self._y, self._matrix, self._context))
            self._call("SetLinearSolver", self._linear, self._matrix)
            return
        entries = sparse(self._problem)
        matrices, solvers = (linear_library(name) if entries else None for name in ("sunmatrixsparse", "sunlinsolsuperlumt"))
        if entries is not None and matrices is not None and solvers is not None:
            size = entries.rows.size
            self._matrix = not_null(matrices.SUNSparseMatrix(self._size, self._size, size, _COLUMNS, self._context))
            self._linear = not_null(solvers.SUNLinSol_SuperLUMT(self._y, self._matrix, 1, self._context))
            self._call("SetLinearSolver", self._linear, self._matrix)
            store = sparse_store(entries, matrices)
            self._set_jacobian(entries, store, rtol, atol)
            self._sparse = entries, store
            return
        self._matrix = not_null(c.SUNDenseMatrix(self._size, self._size, self._context))
        self._linear = not_null(c.SUNLinSol_Dense(self._y, self._matrix, self._context))
        self._call("SetLinearSolver", self._linear, self._matrix)
        self._set_dense_jacobian(rtol, atol)

    def _factorise_once(self) -> None:
        """SuperLU_MT frees what a first factorisation allocates, also where there has been none: there must be one."""
        if self._sparse is None or self._differences is None or self._differences.filled:
            return
        incidence, store = self._sparse
        store(self._matrix or 0, (incidence.rows == incidence.columns).astype(float))
        self._c.SUNLinSolInitialize(self._linear)
        self._c.SUNLinSolSetup(self._linear, self._matrix)

    def _set_dense_jacobian(self, rtol: float, atol: float) -> None:  # noqa: B027
        """Take another Jacobian than the integrator's own differences, where that is better."""

    def _set_jacobian(self, incidence: Incidence, store: Store, rtol: float, atol: float) -> None:
        """Take coloured differences."""
        self._differences = Differences(self._problem, incidence, rtol, self._problem.absolute(atol))
        array = self._c.N_VGetArrayPointer
        self._callback = self.jacobian_callback(self._differences, incidence.n, store, incidence.rows.size, array)
        self._call("SetJacFn", ctypes.cast(self._callback, P))

    def _differenced(self) -> int:
        """Evaluations for coloured differences since the last restart."""
        return 0 if self._differences is None else self._differences.evaluations - self._counted

    def _vector(self, array: np.ndarray) -> int:
        vector = not_null(self._c.N_VMake_Serial(array.size, array.ctypes.data, self._context))
        self._vectors.append(vector)
        return vector

    def advance(self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch | None = None) -> Advance:
        """See `interface.Solver`."""
        self.count = 0
        smallest = 2.0 * sys.float_info.epsilon * max(abs(self._time.value), abs(stop))  # below, time would not advance
        self._call("SetMinStep", smallest)
        self._call("SetStopTime", stop)
        if watch is not None:
            return self._advance_watching(grid, stop, x_out, watch)
        if self._fresh:
            advance = self._first_step(grid, stop, x_out)
            if advance is not None:
                return advance
        step, x = self._step, self.x
        for i, target in enumerate(grid.tolist()):
            flag = step(target, NORMAL)
            if flag == ROOT_RETURN:
                return self._at_root(i)
            if flag < 0:
                raise self._failure(flag)
            x_out[i] = x
            self.count = i + 1
        return Advance(float(grid[-1]), len(grid))

    def _advance_watching(self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch) -> Advance:
        """Single steps, and output points between them by interpolation: ``watch`` is asked at the end of each step."""
        time = self._time
        for i, target in enumerate(grid.tolist()):
            steps = 0
            while self._reached < target:
                steps += 1
                before = self._reached
                step = self._step_from_start(stop) if self._fresh else self._step(stop, ONE_STEP)
                flag = step if steps <= MAX_STEPS_PER_POINT else -1
                if flag < 0:
                    raise self._failure(flag)
                self._fresh = False
                if time.value > stop:
                    self._reached, flag = stop, 0
                else:
                    self._reached = time.value
                end = self._x.copy()
                holds_from = begins_to_hold(watch, before, self._reached, self._states)
                if holds_from is not None and (flag != ROOT_RETURN or holds_from < self._reached):
                    self._interpolate(grid[i:], holds_from, x_out[i:], i)
                    self.x[:] = self._states(holds_from)
                    return Advance(holds_from, self.count, watched=True)
                if flag == ROOT_RETURN:
                    self._interpolate(grid[i:], self._reached, x_out[i:], i)
                    self._x[:] = end
                    return self._at_root(self.count)
            x_out[i] = self._states(target)
            self.count = i + 1
        return Advance(float(grid[-1]), len(grid))

    def _step_from_start(self, stop: float) -> int:
        """The first step; its flag. Its size depends on the next event, not on a ``stop`` [s] before that; it may go beyond."""
        ahead = self._ahead(stop)
        if ahead > stop:
            self._call("SetStopTime", ahead)
        flag = self._step(ahead, ONE_STEP)
        if stop < ahead and self._time.value < stop:
            self._call("SetStopTime", stop)
        return flag

    def _ahead(self, stop: float) -> float:
        """The end that the first step size is computed from: the next event, but not the stop time of the simulation."""
        return stop if stop >= self.horizon else min(self.horizon, self._time.value + FAR)

    def is_at(self, stop: float) -> bool:
        """Whether the last step ended at ``stop`` [s], which may have made it shorter than it would have been."""
        now = D()
        self._function("GetCurrentTime")(self._memory, ctypes.byref(now))
        return stop - now.value <= 100.0 * sys.float_info.epsilon * max(abs(stop), abs(now.value))

    def _states(self, time: float) -> np.ndarray:
        """States at ``time`` [s] in the last step, shape (n,): the integrator's vector, to be copied."""
        flag = self._states_at(self._memory, time, 0, self._y)
        if flag < 0:
            raise self._failure(flag)
        return self.x

    def _interpolate(self, grid: np.ndarray, end: float, x_out: np.ndarray, count: int) -> None:
        """States at the points of ``grid`` before ``end`` [s], behind ``count`` points that are there."""
        before = grid[grid < end].tolist()
        for i, target in enumerate(before):
            x_out[i] = self._states(target)
        self.count = count + len(before)

    def _first_step(self, grid: np.ndarray, stop: float, x_out: np.ndarray) -> Advance | None:
        """One step from the start, so that the initial step size does not depend on the output points.

        Returns:
            Where a root was found in this step; None if there was none.
        """
        flag = self._step_from_start(stop)
        if flag < 0:
            raise self._failure(flag)
        self._fresh = False
        if self._time.value > stop:
            for i, target in enumerate(grid.tolist()):
                self.x[:] = x_out[i] = self._states(target)
            self.count = len(grid)
            return Advance(float(grid[-1]), len(grid))
        if flag != ROOT_RETURN:
            return None
        root = self._x.copy()
        before = grid[grid < self._time.value].tolist()
        for i, target in enumerate(before):
            self._call("GetDky", target, 0, self._y)
            x_out[i] = self.x
        self.count = len(before)
        self._x[:] = root
        return self._at_root(len(before))

    def _at_root(self, count: int) -> Advance:
        roots = np.zeros(self._problem.n_z, dtype=np.intc)
        self._call("GetRootInfo", roots.ctypes.data)
        return Advance(self._time.value, count, tuple(np.flatnonzero(roots).tolist()), tuple((roots[roots != 0] > 0).tolist()))

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of states and of event indicators."""
        return self._problem.n, self._problem.n_z

    @property
    def is_dense(self) -> bool:
        """Whether its matrix is that of any problem of this size."""
        return self._problem.incidence is None

    @abstractmethod
    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""

    def begin(self, time: float, x: np.ndarray) -> None:
        """Begin another segment of the same size as a new integrator would, with no work done yet."""
        self.restart(time, x)
        self._done = SolverStatistics()

    def _begin_again(self, time: float, x: np.ndarray) -> None:
        """What a restart does before the integrator is told: it goes on as a new one would."""
        if self._problem.n_z:
            self._call("RootInit", 0, None)  # a new memory, where no indicator is asleep
            self._call("RootInit", self._problem.n_z, self._root_address())
        self._done = self.statistics()
        self._counted = 0 if self._differences is None else self._differences.evaluations
        self.x[:] = x
        self._time.value = self._reached = time
        self._fresh = True

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        now = SolverStatistics(
            steps=self._count("GetNumSteps"),
            rhs_evaluations=self._evaluations(),
            jacobian_evaluations=self._count("GetNumJacEvals"),
        )
        order = I()
        self._function("GetLastOrder")(self._memory, ctypes.byref(order))
        now.order = order.value
        now.add(self._done)
        return now

    def _count(self, name: str) -> int:
        value = L()
        self._function(name)(self._memory, ctypes.byref(value))
        return value.value

    def _failure(self, flag: int) -> IntegrationFailure:
        message = self.messages.get(flag, f"{self.name.upper()} returned {flag}")
        now = D(self._time.value)
        if self._memory:
            self._function("GetCurrentTime")(self._memory, ctypes.byref(now))
        if flag not in (-1, -3, -4) or not self._problem.n:
            return IntegrationFailure(message, now.value)
        worst, error = self._worst_state(now.value)
        return IntegrationFailure(message, now.value, worst, error)

    def _worst_state(self, time: float) -> tuple[int, float]:
        """State with the largest local error relative to the tolerance; if no error is known, the one that changes fastest."""
        weights, values = np.zeros(self._size), np.zeros(self._size)
        vector = self._vector(values)
        self._function("GetErrWeights")(self._memory, self._vector(weights))
        self._function("GetEstLocalErrors")(self._memory, vector)
        error = np.abs(values * weights)
        if not error.any():
            self._function("GetDky")(self._memory, time, 1, vector)
            error = np.abs(values * weights)
        worst = int(np.argmax(np.where(np.isfinite(error), error, np.inf)))
        return worst, float(error[worst])

    def close(self) -> None:
        """See `interface.Solver`."""
        c = self._c
        if self._memory:
            self._function("Free")(ctypes.byref(self._memory))
        if self._linear is not None:
            self._factorise_once()
            c.SUNLinSolFree(self._linear)
        if self._matrix is not None:
            c.SUNMatDestroy(self._matrix)
        for vector in self._vectors:
            c.N_VDestroy(vector)
        if self._context:
            c.SUNContext_Free(ctypes.byref(self._context))
        self._vectors, self._linear, self._matrix = [], None, None
        self._memory, self._context = P(), P()


def not_null(pointer: int | None) -> int:
    """The pointer. Raises MemoryError where it is null."""
    if not pointer:
        raise MemoryError("SUNDIALS could not allocate memory")
    return pointer
