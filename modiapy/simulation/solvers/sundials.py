"""What CVODE and IDA of the SUNDIALS libraries have in common, driven through ctypes.

The model is given by address: nothing of Python runs between integrator and model. The integrator makes single steps
(`step_loop`) that depend on where it began and on the next time event, and on nothing else. References: Hindmarsh et al.,
"SUNDIALS", ACM TOMS 31 (2005); user documentation of SUNDIALS 7.
"""

from __future__ import annotations

import ctypes
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.kernels.incidence import Incidence
from .beginning import indicators_at_begin
from .crossings import Crossing, first_crossing, precision, still_asleep
from .interface import Advance, IntegrationFailure, Problem, SolverStatistics
from .iteration_matrix import IterationMatrix, Kind
from .jacobian import Differences, Store
from .progress import AHEAD, Progress
from .step_code import GROWTH, LONGEST_FIRST, Number, Outcome, Word
from .step_loop import StepLoop
from .sundials_library import D, I, L, P, libraries, not_null
from .watch import Watch, begins_to_hold

STEPS_AT_ONCE = 100
"""Steps after which an interrupt from the keyboard is seen."""

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


class SundialsSolver(ABC):
    """See `interface.Solver`. A model without states is integrated with one state that stands still."""

    name: str
    """Of the library: "cvode" or "ida"."""
    prefix: str
    """Of its functions."""
    messages: ClassVar[dict[int, str]]
    """What its return flags mean to a user."""
    step_function: str
    """The function that makes a step, without the prefix."""
    root_failed: int
    """Flag where the event indicators could not be evaluated."""
    convergence: float
    """Part of the tolerance that an iteration for the states may leave. What is left looks like an error of the step, however
    short that is: with the defaults 14 of 102 runs of a bipolar transistor on a slow ramp failed, and took twice the steps."""
    jacobian_callback: ClassVar[Callable[..., Any]]
    """Makes its Jacobian function, see `jacobian`."""

    def __init__(self, problem: Problem, time: float, x: np.ndarray, rtol: float, atol: float) -> None:
        functions = libraries(self.name)
        assert functions is not None
        self._c = functions
        self._loop = StepLoop(problem.n, problem.n_z)
        self._last_order = self._function("GetLastOrder")
        self._number, self._small_number = L(), I()
        self._size = max(problem.n, 1)
        self._x = np.zeros(self._size)
        self.x = self._x[: problem.n]
        self.x[:] = x
        self.count = 0
        self._problem = problem
        self._done = SolverStatistics()
        self._vectors: list[int] = []
        self._context, self._memory = P(), P()
        self._iteration: IterationMatrix | None = None
        self._differences: Differences | None = None
        self._progress = Progress(time)
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

    @abstractmethod
    def _evaluations(self) -> int:
        """Number of evaluations so far, those for the Jacobian included."""

    def _rates(self) -> np.ndarray | None:
        """Derivatives where the integrator begins, shape (n,); None where it is not given any."""
        return None

    def _connect(self) -> None:
        """Tell the loop over the steps what it works with."""
        words, problem = self._loop.words, self._problem
        addresses = {Word.STEP: self.step_function, Word.DENSE: "GetDky", Word.SET_MIN_STEP: "SetMinStep"}
        addresses[Word.SET_MAX_STEP] = "SetMaxStep"
        for word, name in addresses.items():
            words[word] = ctypes.cast(self._function(name), P).value or 0
        words[Word.MEMORY], words[Word.Y], words[Word.X] = self._memory.value or 0, self._y, self._x.ctypes.data
        words[Word.USER] = problem.user_address

    def _stand_at(self, time: float) -> None:
        """The integrator begins at ``time`` [s]."""
        self._loop.begin(time)
        self._fresh, self._stop = True, math.nan
        self._crossing: Crossing | None = None
        self._beyond: IntegrationFailure | None = None  # where a step beyond the end of the simulation failed
        self._failed_at = time

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
        self._call("SetNonlinConvCoef", self.convergence)
        self._call("SetMaxErrTestFails", MAX_ERROR_TESTS)

    def _create_linear_solver(self, rtol: float, atol: float) -> None:
        made = self._iteration = IterationMatrix(self._c, self._problem, self._size, self._y, self._context)
        self._call("SetLinearSolver", made.linear, made.matrix)
        if made.entries is not None and made.store is not None:
            self._set_jacobian(made.entries, made.store, rtol, atol)
        elif made.kind is Kind.DENSE:
            self._set_dense_jacobian(rtol, atol)

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

    def advance(
        self, grid: np.ndarray, stop: float, x_out: np.ndarray, watch: Watch | None = None, end: float | None = None
    ) -> Advance:
        """See `interface.Solver`."""
        loop, words = self._loop, self._loop.words
        self.count = 0
        grid = np.ascontiguousarray(grid)
        words[Word.GRID], words[Word.N_GRID], words[Word.COUNT] = data_address(grid), grid.size, 0
        words[Word.X_OUT] = data_address(x_out)
        at_once = 1 if watch is not None else STEPS_AT_ONCE
        while True:
            try:
                self._prepare(stop if self._beyond is None or end is None else end)
                words[Word.STEPS] = at_once
                outcome = loop.advance()
                self.count = int(words[Word.COUNT])
                if outcome == Outcome.FINISHED and self._stops_at(float(grid[-1])):
                    return self._stopped()
                if outcome == Outcome.FINISHED:
                    return Advance(float(grid[-1]), grid.size)
                if outcome == Outcome.STOPPED:
                    return self._stopped()
                recovers, words[Word.RECOVERS] = words[Word.RECOVERS], 0
                if recovers and outcome != Outcome.FAILED and not self._is_solved():
                    self._go_back(float(loop.numbers[Number.BEGIN]))
                    stuck = self._progress.goes_back()
                else:
                    self._look_at_step(outcome, watch)
                    stuck = self._progress_failure(at_once - int(words[Word.STEPS]), end)
            except IntegrationFailure as failure:
                if end is None or self._beyond is not None or not self._was_beyond(stop, end):
                    raise self._beyond or failure from None
                begin, now = loop.numbers[[Number.BEGIN, Number.END]].tolist()
                if end - now <= precision(begin, now):
                    loop.numbers[Number.END] = end  # the two cannot be told apart
                    continue
                self._go_back(now)
                self._beyond = failure
                continue
            if stuck:
                raise self._failure(-1, stuck)

    def _prepare(self, stop: float) -> None:
        """Tell the integrator where it must not go beyond [s], and evaluate the indicators where it begins."""
        numbers = self._loop.numbers
        if stop != self._stop:
            self._call("SetStopTime", stop)
            self._stop = stop
        if self._fresh:
            time = float(numbers[Number.END])
            numbers[Number.TARGET] = min(stop, time + AHEAD)
            if self._problem.n_z:
                z = indicators_at_begin(self._problem, time, self.x, self._rates())
                if z is None:
                    raise self._failure(self.root_failed)
                self._loop.z[0] = z
            self._fresh = False

    def _look_at_step(self, outcome: Outcome, watch: Watch | None) -> None:
        """After a step, or several: zero crossings, and whether what is watched holds. Raises IntegrationFailure."""
        numbers, z = self._loop.numbers, self._loop.z
        if outcome == Outcome.FAILED:
            flag = int(self._loop.words[Word.FLAG])
            self._loop.dense(numbers[Number.END])
            raise self._failure(flag)
        begin, end = float(numbers[Number.BEGIN]), float(numbers[Number.END])
        if outcome == Outcome.ROOT_FAILED:
            raise self._indicators_failed()
        if outcome == Outcome.NEAR:
            middle = float(numbers[Number.INSIDE]), z[1].copy()
            found = first_crossing(self._indicators, (begin, z[0].copy()), middle, (end, z[2].copy()))
            z[1], z[2] = middle[1], still_asleep(z[0], z[2])
            self._loop.go_on()
            if found is not None:
                numbers[Number.STOP], self._crossing = found.time, found
        if watch is not None:
            holds_from = begins_to_hold(watch, begin, end, min(end, numbers[Number.STOP]), self._states)
            if holds_from is not None and holds_from < numbers[Number.STOP]:
                numbers[Number.STOP], self._crossing = holds_from, None

    def _stops_at(self, time: float) -> bool:
        """Whether an event found in the last step is at a time [s], but for rounding; the states are then those there."""
        numbers = self._loop.numbers.tolist()
        begin, end, stop = numbers[Number.BEGIN], numbers[Number.END], numbers[Number.STOP]
        return stop - time <= precision(begin, end) and self._loop.dense(stop) == 0

    def _stopped(self) -> Advance:
        time, crossing = float(self._loop.numbers[Number.STOP]), self._crossing
        if crossing is None:
            return Advance(time, self.count, watched=True)
        return Advance(time, self.count, crossing.roots, crossing.rising)

    def _progress_failure(self, steps: int, end: float | None) -> str:
        time = float(self._loop.numbers[Number.END])
        return self._progress.failure(steps, time, self._order(), time if end is None else end)

    def _is_solved(self) -> bool:
        """Whether the last step, one that is longer again than the one before, solves the equations of the method."""
        return True

    def _go_back(self, time: float) -> None:
        """Begin again in the last step [s], with a new Jacobian."""
        longest = float(self._loop.numbers[Number.LONGEST])
        self._loop.dense(time)
        self._done = self.statistics()
        self._begin_at(time, self.x.copy())
        self._loop.numbers[Number.LONGEST] = longest

    def _was_beyond(self, stop: float, end: float) -> bool:
        """Whether the step that failed may have gone beyond the end of the simulation."""
        begin, now = self._loop.numbers[[Number.BEGIN, Number.END]].tolist()
        reach = max(self._failed_at, now + (max(GROWTH * (now - begin), LONGEST_FIRST) if now > begin else AHEAD))
        return now < end <= reach and end < stop

    def _indicators(self, time: float) -> np.ndarray:
        if self._loop.indicators(time, 1) != 0:
            raise self._indicators_failed()
        return self._loop.z[1].copy()

    def _indicators_failed(self) -> IntegrationFailure:
        """The error; the integrator stands where the last step began."""
        numbers = self._loop.numbers
        self._failed_at = float(numbers[Number.END])
        numbers[Number.END] = numbers[Number.BEGIN]
        self._loop.dense(numbers[Number.END])
        return self._failure(self.root_failed)

    def _states(self, time: float) -> np.ndarray:
        """States at ``time`` [s] in the last step, shape (n,): the integrator's vector, to be copied."""
        flag = self._loop.dense(time)
        if flag != 0:
            raise self._failure(flag)
        return self.x

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of states and of event indicators."""
        return self._problem.n, self._problem.n_z

    def restart(self, time: float, x: np.ndarray) -> None:
        """See `interface.Solver`."""
        self._done = self.statistics()
        self._progress.begin(time)
        self._begin_at(time, x)

    def begin(self, time: float, x: np.ndarray) -> None:
        """Begin another segment of the same size as a new integrator would, with no work done yet."""
        self._done = SolverStatistics()
        self._progress.begin(time)
        self._begin_at(time, x)

    def _begin_at(self, time: float, x: np.ndarray) -> None:
        self._counted = 0 if self._differences is None else self._differences.evaluations
        self.x[:] = x
        self._stand_at(time)
        self._begin_again(time)

    @abstractmethod
    def _begin_again(self, time: float) -> None:
        """Tell the integrator to begin at ``time`` [s] with the states `x`, as a new one would."""

    def statistics(self) -> SolverStatistics:
        """See `interface.Solver`."""
        now = SolverStatistics(
            steps=self._count("GetNumSteps"),
            rhs_evaluations=self._evaluations(),
            jacobian_evaluations=self._count("GetNumJacEvals"),
        )
        now.order = self._order()
        now.add(self._done)
        return now

    def _order(self) -> int:
        """Of the last step."""
        self._last_order(self._memory, ctypes.byref(self._small_number))
        return self._small_number.value

    def _count(self, name: str) -> int:
        self._function(name)(self._memory, ctypes.byref(self._number))
        return self._number.value

    def _failure(self, flag: int, message: str = "") -> IntegrationFailure:
        message = message or self.messages.get(flag, f"{self.name.upper()} returned {flag}")
        now = D(self._loop.numbers[Number.END])
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
        if self._iteration is not None:
            self._iteration.close(is_factorised=self._differences is not None and self._differences.filled)
        for vector in self._vectors:
            c.N_VDestroy(vector)
        if self._context:
            c.SUNContext_Free(ctypes.byref(self._context))
        self._vectors, self._iteration = [], None
        self._memory, self._context = P(), P()
