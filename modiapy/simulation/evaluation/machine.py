"""`Machine`: a compiled model that is evaluated at one point, with the memory of one run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import cached_property
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...acausal.memory import data_address
from ...acausal.protocol import Mode
from ...acausal.segment import SegmentLayout
from ...model.expression import Expr
from ...symbolic.codegen.array_layout import array_values
from ...symbolic.codegen.compiled_model import CompiledModel
from ...symbolic.codegen.model_context import ModelContext
from ...symbolic.codegen.residual import ResidualFunction
from ...symbolic.flat.flat_model import FlatModel, Variable
from ...symbolic.hybrid.discrete import state_of
from ...symbolic.sorted.initial_values import inherit_initial_values, magnitude, nominal_values
from ...symbolic.terms.arrays import element_names, index_of
from ..inputs.input_table import InputTable
from ..inputs.time_series import TimeSeries
from ..results.signals import SignalTable
from ..solvers import Problem, SolverStatistics
from ..solvers.cvode import libraries
from ..solvers.pool import IntegratorPool
from ..solvers.step_loop import functions
from .approach import approach
from .assertions import AssertionCheck
from .contexts import ComponentContexts, new_contexts
from .finite import all_finite
from .names import failed_block, indicator_value, state_names
from .problems import Problems
from .projection import Projection
from .run_memory import RunMemory

NO_SERIES: Mapping[str, TimeSeries] = MappingProxyType({})


class EvaluationFailure(Exception):
    """The model could not be evaluated at one point.

    Attributes:
        time, x: that point [s], and its states, shape (n,).
    """

    def __init__(self, message: str, time: float, x: np.ndarray) -> None:
        super().__init__(message)
        self.time, self.x = time, x.copy()


_last: WeakKeyDictionary[CompiledModel, tuple[FlatModel, SignalTable]] = WeakKeyDictionary()
"""Table of the last values of each model, which those who simulate them again need not wait for."""


class Machine:
    """A compiled model that is evaluated at one point, with the memory of one run.

    Args:
        compiled: the machine code.
        flat: parameters, initial values and components of this simulation; its structure is that of ``compiled``. Inputs have
            the values at the beginning as ``start``.
        series: inputs over time.

    Attributes:
        memory: what evaluations leave for later ones.
        contexts: of the components.
        projection: of their states.
        table: where each variable is found. inputs: values of scalar inputs at the beginning. arrays: of the parameters.
        over_time: the inputs over time.
        integrators: that wait for a segment like the one they were made for.
        relation_signs: of the indicators of relations that are true, shape (n_relations,).
        not_finite: which unknowns were not finite in a stored point, shape (n_unknowns,).
    """

    def __init__(self, compiled: CompiledModel, flat: FlatModel, series: Mapping[str, TimeSeries] = NO_SERIES) -> None:
        self.compiled, self.flat = compiled, flat
        self.sorted = compiled.sorted
        self.n_relations = len(self.sorted.relations)
        self._use(compiled, new_contexts(len(flat.components)))
        self._write_inputs(InputTable(series, self._context.input_values))
        self.layout = self._context.layout
        self._context.set_guesses(flat.variables)
        scalars = self.sorted.inputs[: self._context.inputs.size]
        self._context.inputs[:] = [flat.variables[name].start or 0.0 for name in scalars]
        self.inputs = dict(zip(scalars, self._context.inputs.tolist(), strict=True))
        self.arrays = array_values(flat)
        known = _last.get(compiled)
        if known is None or known[0] is not flat:
            known = flat, SignalTable(self.sorted, flat.parameters, self.layout, self.arrays, flat.components)
            _last[compiled] = known
        self.table = known[1]
        self.assertions = AssertionCheck(self.sorted.discrete, self.table)
        remembered = [m.name for m in self.sorted.discrete.memory] + [m.before for m in self.sorted.discrete.array_memory]
        self.remembered = element_names(remembered, self.layout.shapes)
        self.state_index = self.layout.states
        self._der, self._z = np.zeros(0), np.zeros(0)
        self._results = 0, 0
        self.integrators = IntegratorPool()
        if libraries() is not None:
            functions()  # nothing is compiled after the start
        self.projection.load()
        given, derived = nominal_values(self.flat.variables), self.sorted.scales.derived(self.variables, flat.parameters)
        self._magnitudes = self._of_states(nominal_values(self.variables)) if given else None
        self._scales = self._of_states(derived | nominal_values(self.variables)) if derived else self._magnitudes
        self.relation_signs = np.array([-1.0 if op in ("<", "<=") else 1.0 for op in self.sorted.relations])
        self._problems = Problems(
            compiled,
            flat,
            self._context.address,
            self.projection,
            self.scales,
            self.contexts.limits,
            self.decided,
            self._bands,
            self.over_time.kinks,
        )
        self._evaluated: tuple[float, np.ndarray] | None = None  # the last point that was stored
        self.not_finite = np.zeros(self.memory.unknowns.size, dtype=bool)  # in a stored point, of the unknowns

    def _use(self, compiled: CompiledModel, contexts: ComponentContexts) -> None:
        """Work on new memory, with these contexts of components."""
        self.contexts, self._context = contexts, ModelContext(compiled, self.flat.parameters, contexts.all, self.flat)
        self.memory = RunMemory(self._context)
        self.projection = Projection(compiled, self._context, self.flat.components, contexts.all)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Variables with the values of this simulation.

        A variable that replaces aliases has their ``init``, ``start`` and so on.
        """
        return inherit_initial_values(self.flat.variables, self.sorted.aliases)

    def _of_states(self, magnitudes: Mapping[str, float]) -> np.ndarray:
        """Return the magnitudes of the states of the equations; 1 for states without a given magnitude."""
        sizes = [math.prod(self.layout.shape(name)) for name in self.sorted.states]
        return np.repeat([magnitude(name, magnitudes) for name in self.sorted.states], sizes)

    def decided(self) -> np.ndarray:
        """Return for each relation the sign of its indicator that corresponds to the present value of the relation."""
        return np.where(self.memory.modes > 0.5, self.relation_signs, -self.relation_signs)

    def _bands(self) -> np.ndarray:
        """Return the noise band within which each relation rests, with the sign by which the relation was decided."""
        return self.memory.bands * self.decided() if self.memory.bands.any() else self.memory.bands

    def enter_segment(self, layouts: Mapping[str, SegmentLayout], n: int, n_z: int) -> None:
        """Rewrite the components' contexts in place for a segment with n states and n_z indicators in all."""
        self.contexts.enter_segment(layouts)
        self.projection.enter_segment(layouts, n)
        self._context.reserve(n)
        self._der, self._z = np.zeros(n), np.zeros(n_z)
        self._results = data_address(self._der), data_address(self._z)

    @property
    def layouts(self) -> Mapping[str, SegmentLayout]:
        """Layouts of the components in the present segment, by path."""
        return self.contexts.layouts

    def fork(self) -> Machine:
        """Return a copy of this machine with a memory of its own: its evaluations change nothing in this one.

        The copy starts no integrators, and must not be used after the next segment has begun.
        """
        other = copy(self)
        other._use(self.compiled, ComponentContexts(self.contexts.all))
        other._context.take(self._context)
        other._write_inputs(self.over_time.moved(other._context.input_values))
        return other

    def begin_again(self, series: Mapping[str, TimeSeries]) -> None:
        """Forget what evaluations left for later ones; series of inputs are these from now on."""
        context = self._context
        context.inputs[:] = [self.inputs[name] for name in self.sorted.inputs[: context.inputs.size]]
        self._write_inputs(InputTable(series, context.input_values))
        for name, one in series.items():
            if len(one.times) == 1:
                self.over_time.fix(name, one)
        self._evaluated, self.not_finite[:] = None, False

    def _write_inputs(self, table: InputTable) -> None:
        self.over_time = table
        self._context.write_inputs_by(table.function, table.words.ctypes.data)

    def present_inputs(self) -> dict[str, Any]:
        """Return the values of the inputs at the last evaluation, by name."""
        values = {name: (self._context.input_values(name), self.layout.shape(name)) for name in self.sorted.inputs}
        return {name: value.reshape(shape).copy() if shape else float(value[0]) for name, (value, shape) in values.items()}

    def hold_input(self, name: str, value: float) -> None:
        """Set another value of a scalar input that has no time series."""
        self.memory.inputs[self.sorted.inputs.index(name)] = value

    @property
    def input_elements(self) -> list[str]:
        """Names of all inputs, elements of arrays one by one, in the order of a vector of their values."""
        return element_names(self.sorted.inputs, self.layout.shapes)

    def input_vector(self) -> np.ndarray:
        """Return the values of all inputs at the last evaluation, in the order of `input_elements`."""
        return np.concatenate([np.zeros(0), *map(self._context.input_values, self.sorted.inputs)])

    @contextmanager
    def inputs_held(self) -> Iterator[Callable[[np.ndarray], None]]:
        """Hold the inputs within the block at their present values, or at those of a vector given to the function it yields."""
        places = [self._context.input_values(name) for name in self.sorted.inputs]
        ends = np.cumsum([place.size for place in places])[:-1]

        def hold(values: np.ndarray) -> None:
            for place, part in zip(places, np.split(values, ends) if places else (), strict=True):
                place[:] = part

        held = self.input_vector()
        self._context.write_inputs_by(0, 0)
        try:
            yield hold
        finally:
            hold(held)
            self._write_inputs(self.over_time)

    def problem(self, n: int, n_z: int, dae: bool = False, *, jacobian: bool = True) -> Problem:
        """Return the present segment as a problem for integrators.

        Args:
            n, n_z: number of states and of indicators. dae: with the residual form.
            jacobian: with the sparsity of the Jacobian, where it is worth computing.
        """
        return self._problems.of(self.layouts if jacobian else {}, n, n_z, dae)

    def residuals(self, time: float, x: np.ndarray) -> np.ndarray:
        """Return the residuals of the states for zero derivatives, shape (n,).

        Those of multipliers are the residuals of constraints.
        """
        function = ResidualFunction(self.compiled.address_of("residuals"))
        zero, out = np.zeros(x.size), np.zeros(x.size)
        if function(time, x.ctypes.data, zero.ctypes.data, out.ctypes.data, self._context.address) != 0:
            out[:] = np.nan
        return out

    def evaluate(self, time: float, x: np.ndarray, mode: int) -> None:
        """Evaluate at one point; derivatives and indicators are kept, in OUTPUTS mode `unknowns` too.

        Raises:
            EvaluationFailure: the model failed, or a derivative or indicator is not a number.
        """
        self._der[self.layout.n_states :] = np.nan  # what a component forgets to write is found
        if mode & Mode.INDICATORS:
            self._z[self.n_relations :] = np.nan
        status = self.compiled.model(time, data_address(x), *self._results, int(mode), self._context.address)
        if status != 0:
            raise EvaluationFailure(failed_block(self.sorted, self._context.failed_block, status), time, x)
        if not all_finite(self._der):
            state = self.all_states()[int(np.argmin(np.isfinite(self._der)))]
            raise EvaluationFailure(f"the derivative of '{state}' is not a number", time, x)
        if mode & Mode.INDICATORS and self._z.size and np.isnan(self._z).any():  # an infinite one decides its relation
            value = indicator_value(self.sorted, self.layouts, int(np.argmax(np.isnan(self._z))))
            raise EvaluationFailure(f"{value} is not a number", time, x)

    def work_with(self, work: SolverStatistics) -> dict[str, int]:
        """Add the work of this run to that of the integrators; return the sum as plain data."""
        factorisations, projections = work.factorisations + self.memory.factorisations, work.projections + self.projection.done
        acting = max(work.impulses, self.memory.acting)
        return {**vars(work), "factorisations": factorisations, "projections": projections, "impulses": acting}

    def all_states(self) -> list[str]:
        """Return the names of the states of the present segment."""
        return state_names(self.sorted, self.layout, self.layouts)

    @property
    def n_indicators(self) -> int:
        """Number of event indicators in the present segment, those of components included."""
        return self._z.size

    @property
    def indicators(self) -> np.ndarray:
        """Event indicators of the last evaluation, relations first, shape (n_indicators,)."""
        return self._z

    @property
    def derivatives(self) -> np.ndarray:
        """Derivatives of all states at the last evaluation, shape (n,)."""
        return self._der

    def state_elements(self, expr: Expr) -> tuple[slice, float]:
        """Return the slice of the state vector of ``x``, ``-x`` or ``x[0]`` in a re-initialisation, and its sign."""
        name, sign, index = state_of(expr)
        shape, first = self.layout.shape(str(name)), self.state_index[str(name)]
        if not index:
            return slice(first, first + math.prod(shape)), sign
        k = first + int(np.arange(math.prod(shape)).reshape(shape)[index_of(index)])
        return slice(k, k + 1), sign

    def magnitudes(self, n: int) -> np.ndarray | None:
        """Return the magnitudes of all states of a segment as the user gave them, shape (n,); None where all are 1."""
        return None if self._magnitudes is None else np.append(self._magnitudes, np.ones(n))[:n]

    def scales(self, n: int) -> np.ndarray | None:
        """Return the magnitudes of all states for tolerances, shape (n,); smaller than 1 if known; None if all are 1."""
        return None if self._scales is None else np.append(self._scales, np.ones(n))[:n]

    def stands_at(self, time: float, x: np.ndarray) -> None:
        """Store the point of a successful evaluation; later points are approached from there, see `approach`.

        Args:
            time: [s]. x: states, shape (n,), not to be changed any more.
        """
        self._evaluated = time, x

    def outputs(self, times: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, int]:
        """Return all unknowns at the given points, shape (nt, n_unknowns), and the index of the point that failed (-1:
        none).
        """
        status, unknowns = self._context.evaluate_outputs(times, states)
        failed = -1
        if status != 0:
            missing = np.isnan(unknowns).all(axis=1)
            failed = int(np.argmax(missing)) if unknowns.shape[1] else 0
            before = (float(times[failed - 1]), states[failed - 1]) if failed else self._evaluated
            if self._context.newton and approach(self._evaluate_outputs, before, (float(times[failed]), states[failed])):
                unknowns[failed:], again = self.outputs(times[failed:], states[failed:])
                return unknowns, again if again < 0 else failed + again
        last = times.size - 1 if failed < 0 else failed - 1
        if last >= 0:
            self.stands_at(float(times[last]), states[last])
        return unknowns, failed

    def _evaluate_outputs(self, time: float, x: np.ndarray) -> bool:
        """Evaluate all variables at a point; return whether this succeeds. Nonlinear systems then begin with this solution."""
        try:
            self.evaluate(time, x, Mode.OUTPUTS)
        except EvaluationFailure:
            return False
        return True
