"""Common part of CVODE and IDA of the SUNDIALS libraries, driven through ctypes.

The model is given by address: nothing of Python runs between integrator and model. The integrator makes single steps
(`step_loop`) that depend on where it began and on the next time event, and on nothing else. References: Hindmarsh et al.,
"SUNDIALS", ACM TOMS 31 (2005); user documentation of SUNDIALS 7.
"""

from __future__ import annotations

import ctypes
import functools
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.kernels.incidence import Incidence
from .block_matrix import OwnMatrix
from .interface import IntegrationFailure, Problem, SolverStatistics
from .iteration_matrix import IterationMatrix, Kind
from .jacobian import Differences, Store
from .libraries.sundials_library import D, I, L, P, libraries, not_null
from .step_loop import StepLoop
from .stepping import SteppingSolver
from .steps import GROWTH, LONGEST_FIRST
from .watching.progress import AHEAD

MAX_ERROR_TESTS = 50
"""Failures of the local error test in one step before the integrator gives up. Its own 7 shorten a step to 1e-5 of its length,
which is not enough where states that have left a slow solution return to it 1e9 times faster than it changes."""

COMMON_MESSAGES = {
    -2: "the tolerance is too small for the precision of the machine",
    -3: "the local error test failed repeatedly, or with the smallest step size",
    -4: "Newton's method did not converge repeatedly, or with the smallest step size",
    -5: "the linear solver could not be set up",
    -6: "the linear solver failed: the iteration matrix is singular",
    -7: "the linear solver failed",
    -8: "the model could not be evaluated",
    -27: "the next time point is too close to the present one",
}
"""What flags of CVODE and IDA mean, where it is the same."""


_NOTHING = SolverStatistics()
"""No work done."""


@functools.cache
def _address_of(library: str, function: str) -> int | None:
    return ctypes.cast(getattr(libraries(library), function), P).value


class SundialsSolver(SteppingSolver[StepLoop]):
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    name: str
    """Of the library: "cvode" or "ida"."""
    prefix: str
    """Of its functions."""
    messages: ClassVar[dict[int, str]]
    """What its return flags mean to a user."""
    convergence: float
    """Part of the tolerance that an iteration for the states may leave. What is left looks like an error of the step, however
    short that is: with the defaults 14 of 102 runs of a bipolar transistor on a slow ramp failed, and took twice the steps."""
    differences_counter: str
    """The function that tells the number of evaluations for the integrator's own differences, without the prefix."""
    projects: ClassVar[bool] = False
    """Whether it can project states itself."""
    jacobian_callback: ClassVar[Callable[..., Any]]
    """Makes its Jacobian function, see `jacobian`."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        functions = libraries(self.name)
        assert functions is not None
        self._c = functions
        super().__init__(problem, time)
        self._loop = StepLoop(problem.n, problem.n_z)
        self._loop.watch(problem, self._bands, self.largest)
        self._rows = self._loop.rows
        self._last_order = self._function("GetLastOrder")
        self._number, self._small_number = L(), I()
        self._counts, self._orders, times = (L * 5)(), (I * 2)(), (D * 4)()
        groups = (self._counts, 4), (self._orders, 2), (times, 4)
        self._told = [ctypes.byref(array, k * ctypes.sizeof(array._type_)) for array, n in groups for k in range(n)]
        self._tell, self._tell_jacobians = self._function("GetIntegratorStats"), self._function("GetNumJacEvals")
        self._tell_failures = self._function("GetNumStepSolveFails")
        self._tell_differences = self._function(self.differences_counter)
        self._differences_told, self._number_told = ctypes.byref(self._counts, 4 * ctypes.sizeof(L)), ctypes.byref(self._number)
        self._size = max(problem.n, 1)
        self._x = np.zeros(self._size)
        self.x = self._x[: problem.n]
        self.x[:] = x
        self._done = _NOTHING
        self._vectors: list[int] = []
        self._context, self._memory = P(), P()
        self._iteration: IterationMatrix | OwnMatrix | None = None
        self._differences: Differences | OwnMatrix | None = None
        self._counted = 0  # evaluations for Jacobians before the last restart
        try:
            if self._c.SUNContext_Create(0, ctypes.byref(self._context)) != 0:
                raise MemoryError("SUNContext_Create failed")
            self._c.SUNContext_ClearErrHandlers(self._context)
            self._y = self._vector(self._x)
            self._create(time)
            self._set_up(rtol, atol)
            self._connect()
            self._stand_at(time)
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _create(self, time: float) -> None:
        """Create and initialise the integrator's memory."""

    def _connect(self) -> None:
        """Pass the memory and functions of the integrator to the loop over the steps."""
        self._loop.connect(
            get_dky=self._function_address("GetDky"),
            set_min_step=self._function_address("SetMinStep"),
            set_max_step=self._function_address("SetMaxStep"),
            set_stop_time=self._function_address("SetStopTime"),
            memory=self._memory.value,
            y=self._y,
            x=self._x.ctypes.data,
            user=self._problem.user_address,
        )

    def _function(self, name: str) -> Any:
        return getattr(self._c, self.prefix + name)

    def _function_address(self, name: str) -> int | None:
        return _address_of(self.name, self.prefix + name)

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
        self._call("SetNonlinConvCoef", self.convergence)
        self._call("SetMaxErrTestFails", MAX_ERROR_TESTS)

    def _create_linear_solver(self, rtol: float, atol: float) -> None:
        made = self._iteration = IterationMatrix(self._c, self._problem, self._size, self._y, self._context)
        self._call("SetLinearSolver", made.linear, made.matrix)
        if made.entries is not None and made.store is not None:
            self._set_jacobian(made.entries, made.store, rtol, atol)
        elif made.kind is Kind.DENSE:
            self._set_dense_jacobian(rtol, atol)

    def _set_dense_jacobian(self, rtol: float, atol: float) -> None:
        """Set another Jacobian than the integrator's own differences, if that is better."""

    def _set_jacobian(self, incidence: Incidence, store: Store, rtol: float, atol: float) -> None:
        """Set coloured differences as Jacobian."""
        self._differences = Differences(self._problem, incidence, rtol, self._problem.absolute(atol))
        array = self._c.N_VGetArrayPointer
        self._callback = self.jacobian_callback(self._differences, incidence.n, store, incidence.rows.size, array)
        self._call("SetJacFn", ctypes.cast(self._callback, P))

    def _vector(self, array: np.ndarray) -> int:
        vector = not_null(self._c.N_VMake_Serial(array.size, array.ctypes.data, self._context))
        self._vectors.append(vector)
        return vector

    def _give_arrays(self, grid: np.ndarray, x_out: np.ndarray) -> None:
        loop = self._loop
        loop.grid, loop.x_out = data_address(grid), data_address(x_out)  # type: ignore[assignment]

    def _set_stop(self, stop: float) -> None:
        self._call("SetStopTime", stop)

    def _reach(self, begin: float, now: float) -> float:
        return now + (max(GROWTH * (now - begin), LONGEST_FIRST) if now > begin else AHEAD)

    def take(self, problem: Problem, rtol: float, atol: float) -> None:
        """Integrate another problem of the same model, with the same numbers of states and of indicators, from `begin` on."""
        assert (problem.n, problem.n_z) == (self._problem.n, self._problem.n_z)
        problem = problem if self.projects else problem.without_projection()
        self._problem, before, was_filled = problem, self._iteration, self._has_factors()
        self._differences = None
        self._create_linear_solver(rtol, atol)
        if before is not None and before is not self._iteration:
            before.close(was_filled)

    def _see_interrupt(self) -> None:
        differences = self._differences
        if isinstance(differences, Differences) and differences.interrupted:
            differences.interrupted = False
            raise KeyboardInterrupt

    def _has_factors(self) -> bool:
        return self._differences is not None and self._differences.filled

    def begin(self, time: float, x: np.ndarray) -> None:
        """Begin another segment of the same size as a new integrator would, with all counters zero."""
        self._done = _NOTHING
        self.largest[:] = 0.0
        self._progress.begin(time)
        self._begin_at(time, x)

    def restart_with(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        """Restart as `restart` does, for another problem, see `take`."""
        self._note_work()
        self.take(problem, rtol, atol)
        self._progress.begin(time)
        self._begin_at(time, x)

    def _begin_at(self, time: float, x: np.ndarray) -> None:
        self._counted = 0 if self._differences is None else self._differences.evaluations
        super()._begin_at(time, x)

    def _note_work(self) -> None:
        self._done = self.statistics()

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        memory = self._memory
        self._tell(memory, *self._told)
        self._tell_differences(memory, self._differences_told)
        self._tell_jacobians(memory, self._number_told)
        (steps, evaluations, _, _, differenced), done = self._counts, self._done
        evaluations += differenced + done.rhs_evaluations
        if self._differences is not None:  # coloured ones since the last restart
            evaluations += self._differences.evaluations - self._counted
        jacobians, order = self._number.value + done.jacobian_evaluations, max(self._orders[0], done.order)
        return SolverStatistics(steps + done.steps, evaluations, jacobians, order)

    def _order(self) -> int:
        """Return the order of the last step."""
        self._last_order(self._memory, ctypes.byref(self._small_number))
        return self._small_number.value

    def _failed_steps(self) -> int:
        self._tell_failures(self._memory, self._number_told)
        return self._number.value

    def _failure(self, flag: int, message: str = "") -> IntegrationFailure:
        message = message or self.messages.get(flag, f"{self.name.upper()} returned {flag}")
        now = D(self._loop.end)
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

    def __del__(self) -> None:
        if self.__dict__.get("_context"):
            with suppress(Exception):  # where Python ends
                self.close()

    def close(self) -> None:
        """See `interface.Solver`."""
        c = self._c
        if self._memory:
            self._function("Free")(ctypes.byref(self._memory))
        if self._iteration is not None:
            self._iteration.close(self._has_factors())
        for vector in self._vectors:
            c.N_VDestroy(vector)
        if self._context:
            c.SUNContext_Free(ctypes.byref(self._context))
        self._vectors, self._iteration = [], None
        self._memory, self._context = P(), P()
