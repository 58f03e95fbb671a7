"""`Machine`: a compiled model with the memory of one simulation, as the segment loop uses it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.protocol import CONTEXT_SLOTS, Mode, SegmentLayout, Slot, Sparsity
from ...model.expression import Expr
from ...symbolic.codegen.array_layout import array_values
from ...symbolic.codegen.compiled_model import CompiledModel
from ...symbolic.codegen.residual import ResidualFunction
from ...symbolic.flat.flat_model import FlatModel, Variable
from ...symbolic.hybrid.discrete import state_of
from ...symbolic.kernels.incidence import Incidence
from ...symbolic.kernels.newton_memory import Header, Part
from ...symbolic.structure.sorted_model import computed, inherit_initial_values, magnitude, nominal_values
from ...symbolic.structure.state_incidence import StateIncidence
from ...symbolic.terms.arrays import element_names, index_of
from ..files.schema import Damaged, record, vector
from ..results.signals import SignalTable, relative_name
from ..solvers import Problem
from ..solvers.beginning import moment_at
from ..solvers.cvode import libraries
from ..solvers.linear import SMALL
from ..solvers.pool import CAPACITY, IntegratorPool
from ..solvers.step_loop import functions
from .approach import approach
from .assertions import AssertionCheck
from .component_checks import ask_sparsity
from .projection import Projection

COMPONENT_STATES = 64
"""States, those of components included, from which on the sparsity of a segment is computed: below, it costs what it saves."""

_MEMORY = ("modes", "after", "flags", "pre", "time_events", "current")
"""Arrays of `Machine` that last beyond an evaluation."""

_SIZES, _DATA = slice(Slot.N_X, Slot.Z_OFFSET + 1), int(Slot.DATA)
"""Sizes and offsets of a component in its context, one after the other, and where its own slots begin."""

_SWITCHES = ("modes", "after", "flags", "solved")
"""Those of them that are false or true."""


@dataclass(frozen=True, eq=False)
class _Shape:
    """What integrators know of a segment: sizes, form, and what the components say of their states."""

    n: int
    n_z: int
    dae: bool
    projects: bool
    sparsities: Mapping[str, Sparsity | None]

    def equals(self, other: _Shape) -> bool:
        """Whether they are the same to an integrator."""
        mine, theirs = ((s.n, s.n_z, s.dae, s.projects, [*s.sparsities]) for s in (self, other))
        if mine != theirs:
            return False
        return all(map(_same, self.sparsities.values(), other.sparsities.values()))


def _same(one: Sparsity | None, other: Sparsity | None) -> bool:
    if one is None or other is None or one is other:
        return one is other
    return all(
        one_part.keys() == other_part.keys() and all(np.array_equal(one_part[key], other_part[key]) for key in one_part)
        for one_part, other_part in (
            ({"starts": one.starts, "columns": one.columns}, {"starts": other.starts, "columns": other.columns}),
            (one.inputs, other.inputs),
            (one.outputs, other.outputs),
        )
    )


class EvaluationFailure(Exception):
    """The model could not be evaluated at one point."""


class Machine:
    """Machine code, parameters, modes of relations and contexts of components.

    Args:
        compiled: the machine code.
        flat: parameters, initial values and components of this simulation; its structure is that of ``compiled``.
    """

    def __init__(self, compiled: CompiledModel, flat: FlatModel) -> None:
        self.compiled, self.flat = compiled, flat
        self.sorted = compiled.sorted
        self.n_relations = len(self.sorted.relations)
        self._use(compiled, [np.zeros(CONTEXT_SLOTS, dtype=np.int64) for _ in flat.components])
        self.layout = self._context.layout
        self._context.set_guesses(flat.variables)
        scalars = self.sorted.inputs[: self._context.inputs.size]
        self._context.inputs[:] = [flat.variables[name].start or 0.0 for name in scalars]
        self.inputs = dict(zip(scalars, self._context.inputs.tolist(), strict=True))
        self.arrays = array_values(flat)
        self.table = SignalTable(self.sorted, flat.parameters, self.inputs, self.layout, self.arrays)
        self.assertions = AssertionCheck(self.sorted.discrete, self.table)
        remembered = [m.name for m in self.sorted.discrete.memory] + [m.before for m in self.sorted.discrete.array_memory]
        self.remembered = element_names(remembered, self.layout.shapes)
        self._decided = np.full(self.n_relations, np.nan)
        self.state_index = self.layout.states
        self._der, self._z = np.zeros(0), np.zeros(0)
        self.layouts: Mapping[str, SegmentLayout] = {}
        self._element_incidence: dict[bool, StateIncidence] = {}
        self._problems: list[tuple[_Shape, Problem]] = []
        self.integrators = IntegratorPool()
        if libraries() is not None:
            functions()  # nothing is compiled after the start
        self.projection.load()
        self.nominal = self._nominal()
        self._evaluated: tuple[float, np.ndarray] | None = None  # where `outputs` were evaluated last
        self.not_finite = np.zeros(self.unknowns.size, dtype=bool)  # in a stored point, of the unknowns

    def _use(self, compiled: CompiledModel, contexts: list[np.ndarray]) -> None:
        """Work on new memory, with these contexts of components."""
        self._contexts, self._context = contexts, compiled.new_context(self.flat.parameters, contexts, self.flat)
        context = self._context
        self.modes, self.after, self.time_events, self.pre = context.modes, context.after, context.time_events, context.pre
        self.flags, self.current, self.unknowns = context.flags, context.current, context.unknowns
        self.reinits, self.array_reinits = context.reinits, context.array_reinits
        self.projection = Projection(compiled, context, self.flat.components, contexts)

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """The variables with the values of this simulation; what stands for aliases has their ``init``, ``start`` and so on."""
        return inherit_initial_values(self.flat.variables, self.sorted.aliases)

    def _nominal(self) -> np.ndarray | None:
        """Magnitudes of the states of the equations; None where the user gives none."""
        if not nominal_values(self.flat.variables):
            return None
        magnitudes = nominal_values(self.variables)
        sizes = [math.prod(self.layout.shape(name)) for name in self.sorted.states]
        return np.repeat([magnitude(name, magnitudes) for name in self.sorted.states], sizes)

    def begin_with(self, values: Mapping[str, float]) -> None:
        """Let nonlinear systems begin with these values of their unknowns."""
        if self._context.newton:
            elements = self.layout.by_element(values)
            for memory in self._context.newton:
                memory.set_last(elements)

    def solutions(self) -> list[np.ndarray]:
        """Last solutions of the nonlinear systems."""
        return [memory.part(Part.LAST).copy() for memory in self._context.newton]

    def begin_from(self, solutions: list[np.ndarray]) -> None:
        """Take what `solutions` returned as the last solutions: the next point is near the one where that was."""
        for memory, last in zip(self._context.newton, solutions, strict=True):
            memory.part(Part.LAST)[:] = last

    def factors(self) -> np.ndarray:
        """Matrices of systems of equations, with the pivots that the next ones are factorised with."""
        return self._context.workspace.copy()

    def go_on_with(self, factors: np.ndarray) -> None:
        """Take what `factors` returned: the next evaluation is that of one who has not seen what was evaluated since."""
        self._context.workspace[:] = factors

    def memory(self) -> dict[str, np.ndarray]:
        """What evaluations leave for later ones besides the states, copied, for `set_memory`."""
        arrays = {name: getattr(self, name).copy() for name in _MEMORY}
        newton = self._context.newton
        arrays["solved"] = np.array([memory.header[Header.SOLVED] for memory in newton], dtype=float)
        arrays["solutions"] = np.concatenate(self.solutions()) if newton else np.zeros(0)
        return arrays

    def set_memory(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take what `memory` returned. Raises Damaged where it does not fit."""
        newton = self._context.newton
        sizes = [len(memory.unknowns) for memory in newton]
        expected = {name: getattr(self, name).size for name in _MEMORY} | {"solved": len(newton), "solutions": sum(sizes)}
        record(**{name: vector(size) for name, size in expected.items()})(arrays, "memory")
        for name in _SWITCHES:
            if not np.isin(arrays[name], (0.0, 1.0)).all():
                raise Damaged(f"memory.{name}: expected zeros and ones")
        for name in _MEMORY:
            getattr(self, name)[:] = arrays[name]
        solved, solutions = arrays["solved"], arrays["solutions"]
        self.begin_from(np.split(solutions, np.cumsum(sizes)[:-1]) if newton else [])
        for memory, flag in zip(newton, solved, strict=True):
            memory.header[Header.SOLVED] = flag != 0.0

    @property
    def factorisations(self) -> int:
        """How often matrices of linear systems of more than one equation were factorised."""
        return self._context.factorisations

    def forget_factors(self) -> None:
        """Let the matrices of linear systems be factorised anew: their rounding errors and pivots have a history."""
        self._context.invalidate()

    def enter_segment(self, layouts: Mapping[str, SegmentLayout], n: int, n_z: int) -> None:
        """Rewrite the components' contexts in place for a segment with n states and n_z indicators in all."""
        x_offset = z_offset = 0
        for context, layout in zip(self._contexts, layouts.values(), strict=True):
            context[_SIZES] = layout.x.size, layout.n_z, x_offset, z_offset
            context[_DATA : _DATA + len(layout.data)] = layout.data
            context[_DATA + len(layout.data) :] = 0
            x_offset += layout.x.size
            z_offset += layout.n_z
        self.layouts = layouts
        self.projection.enter_segment(layouts, n)
        self._context.reserve(n)
        self._der, self._z = np.zeros(n), np.zeros(n_z)

    def kept(self, path: str) -> Any:
        """`SegmentLayout.keep` of a component in the present segment; None where there is none yet."""
        return self.layouts[path].keep if path in self.layouts else None

    def fork(self) -> Machine:
        """A machine in the state of this one, with a memory of its own: what it evaluates changes nothing here.

        It begins no integrators and is left when the next segment begins.
        """
        other = copy(self)
        other._use(self.compiled, [context.copy() for context in self._contexts])
        other._context.take(self._context)
        return other

    def problem(self, n: int, n_z: int, dae: bool = False) -> Problem:
        """The model as integrators see it; with ``dae`` its residual form too. Equal sizes and sparsity: the same object."""
        shape = _Shape(n, n_z, dae, self.projection.active, self._sparsities(n))
        for known, problem in self._problems:
            if known.equals(shape):
                return problem
        problem = self._new_problem(n, n_z, dae, self._incidence(n, dae))
        self._problems = [*self._problems[1 - CAPACITY :], (shape, problem)]
        return problem

    def _sparsities(self, n: int) -> dict[str, Sparsity | None]:
        """What the components say of their states in this segment; nothing where that would not pay."""
        if n < COMPONENT_STATES:
            return {}
        for path, layout in self.layouts.items():
            ask_sparsity(path, layout)
        given = {path: layout.sparsity for path, layout in self.layouts.items()}
        return {path: sparsity if isinstance(sparsity, Sparsity) else None for path, sparsity in given.items()}

    def _new_problem(self, n: int, n_z: int, dae: bool, incidence: Incidence | None) -> Problem:
        compiled, address = self.compiled, self._context.address
        model, scratch = compiled.model, np.zeros(n)

        def rhs(t: float, x: np.ndarray, out: np.ndarray) -> int:
            return int(model(t, x.ctypes.data, out.ctypes.data, None, int(Mode.DERIVATIVES), address))

        def root(t: float, x: np.ndarray, z: np.ndarray) -> int:
            return int(model(t, x.ctypes.data, scratch.ctypes.data, z.ctypes.data, int(Mode.INDICATORS), address))

        rhs_address = root_address = 0
        sundials = libraries()
        if sundials is not None:
            symbols = {"N_VGetArrayPointer": sundials.array_pointer_address}
            rhs_address, root_address = compiled.address_of("rhs", symbols), compiled.address_of("root", symbols)
        large = self.compiled.has_residuals_with(self.flat.shapes)
        problem = Problem(
            n,
            n_z,
            rhs_address,
            root_address,
            address,
            rhs,
            root,
            nominal=self.magnitudes(n),
            incidence=incidence,
            may_have_blocks=bool(self.flat.components),
            solves_large_systems=large,
        )
        problem = self._with_residuals(problem) if dae else problem
        return self.projection.of(problem) if self.projection.active else problem

    def _incidence(self, n: int, dae: bool) -> Incidence | None:
        """Sparsity of the Jacobian in this segment; None where it is not known, or dense anyway."""
        compiled = self.compiled
        known = self._elements(n, dae) if self.flat.shapes else compiled.residual_incidence if dae else compiled.incidence
        if known is None:
            return None
        if not self.flat.components:
            return known.alone
        if n < COMPONENT_STATES or not self.layouts:
            return None
        return known.in_segment(self.layouts)

    def _elements(self, n: int, dae: bool) -> StateIncidence | None:
        """Dependences of the elements of arrays, which depend on the sizes of this simulation."""
        if n >= SMALL and dae not in self._element_incidence:
            self._element_incidence[dae] = self.compiled.element_incidence(self.flat, dae)
        return self._element_incidence.get(dae)

    def residuals(self, time: float, x: np.ndarray) -> np.ndarray:
        """Residuals of the states for derivatives that are zero, shape (n,); those of multipliers are the constraints'."""
        function = ResidualFunction(self.compiled.address_of("residuals"))
        zero, out = np.zeros(x.size), np.zeros(x.size)
        if function(time, x.ctypes.data, zero.ctypes.data, out.ctypes.data, self._context.address) != 0:
            out[:] = np.nan
        return out

    def _with_residuals(self, problem: Problem) -> Problem:
        compiled, address = self.compiled, self._context.address
        residuals, indicators = (ResidualFunction(compiled.address_of(name)) for name in ("residuals", "indicators"))

        def residual(t: float, x: np.ndarray, xdot: np.ndarray, r: np.ndarray) -> int:
            return int(residuals(t, x.ctypes.data, xdot.ctypes.data, r.ctypes.data, address))

        def root(t: float, x: np.ndarray, xdot: np.ndarray, z: np.ndarray) -> int:
            return int(indicators(t, x.ctypes.data, xdot.ctypes.data, z.ctypes.data, address))

        residual_address = root_address = 0
        sundials = libraries("ida")
        if sundials is not None:
            symbols = {"N_VGetArrayPointer": sundials.array_pointer_address}
            residual_address, root_address = compiled.address_of("res", symbols), compiled.address_of("dae_root", symbols)
        return replace(
            problem, residual_address=residual_address, dae_root_address=root_address, residual=residual, dae_root=root
        )

    def evaluate(self, time: float, x: np.ndarray, mode: int) -> None:
        """Evaluate at one point; derivatives and indicators are kept, in OUTPUTS mode `unknowns` too.

        Raises:
            EvaluationFailure: the model failed, or a derivative or indicator is not a number.
        """
        self._der[self.layout.n_states :] = np.nan  # what a component forgets to write is found
        if mode & Mode.INDICATORS:
            self._z[self.n_relations :] = np.nan
        status = self.compiled.evaluate(self._context, time, x, self._der, self._z, mode)
        if status != 0:
            raise EvaluationFailure(self._failed_block(status))
        if not np.isfinite(self._der).all():
            raise EvaluationFailure(f"the derivative of {self._first_bad(self._der)} is not a number")
        if mode & Mode.INDICATORS and np.isnan(self._z).any():  # an infinite one decides its relation
            raise EvaluationFailure(f"{self._first_bad(self._z)} is not a number")

    def _first_bad(self, values: np.ndarray) -> str:
        """Name of the first derivative, or event indicator, that is not a number."""
        k = int(np.argmin(np.isfinite(values))) if values is self._der else int(np.argmax(np.isnan(values)))
        if values is self._der:
            return f"'{self.all_states()[k]}'"
        if k < self.n_relations:
            text, path = self.sorted.relation_texts[k]
            return f"what the relation '{text}'{path and f' of {path}'} compares"
        k -= self.n_relations
        for path, part in self.layouts.items():
            if k < part.n_z:
                return f"event indicator {k} of {path or 'the component'}"
            k -= part.n_z
        return "an event indicator"

    def all_states(self) -> list[str]:
        """Names of the states of the present segment."""
        own = element_names(self.sorted.states, self.layout.shapes)
        return [*own, *(relative_name(path, name) for path, part in self.layouts.items() for name in part.names)]

    @property
    def input_values(self) -> np.ndarray:
        """Present values of the scalar inputs, in the order of `inputs`; may be written to."""
        return self._context.inputs

    @property
    def n_indicators(self) -> int:
        """Number of event indicators in the present segment, those of components included."""
        return self._z.size

    @property
    def derivatives(self) -> np.ndarray:
        """Derivatives of all states that the last evaluation gave, shape (n,)."""
        return self._der

    def update_relations(
        self, time: float, x: np.ndarray, mode: int, *, near: bool = False, one_at_a_time: bool = False
    ) -> np.ndarray:
        """Evaluate at an event; relations and ``after`` take the values they have from now on.

        An indicator that is exactly zero decides by its value a moment later (`moment_at`), so that no event need follow when
        it leaves zero; that decision is kept until `forget_decisions`.

        Args:
            time, x, mode: of the evaluation.
            near: an indicator counts as zero, too, if it is smaller than its change in this moment: rounding errors
                decide nothing.
            one_at_a_time: only the first relation changes of those that want to.

        Returns:
            Numbers of the relations, then of the time events, that changed.
        """
        modes, after = self.modes.copy(), self.after.copy()
        self.evaluate(time, x, Mode.EVENT | Mode.INDICATORS | mode)
        zero = self._z[: self.n_relations] == 0.0
        if zero.any() or (near and self.n_relations):
            now, found = self._z[: self.n_relations].copy(), self.modes.copy()
            if near or np.isnan(self._decided[zero]).any():
                if near:
                    self.modes[:] = modes  # those that the indicators were computed with
                self._look_ahead(time, x, moment_at(time, x, self._der, self.magnitudes(x.size)))
                zero = zero | (near & (abs(now) <= abs(self._z[: self.n_relations] - now)))
                self._decided = np.where(zero & np.isnan(self._decided), self.modes, self._decided)
            self.modes[:] = np.where(zero, self._decided, found)
        if one_at_a_time:
            later = np.flatnonzero(self.modes != modes)[1:]
            self.modes[later] = modes[later]
        self.after[:] = time >= self.time_events
        return np.flatnonzero(np.concatenate([self.modes != modes, self.after != after]))

    def forget_decisions(self) -> bool:
        """Let indicators that are exactly zero be decided anew; True if there was any."""
        decided = not np.isnan(self._decided).all()
        self._decided = np.full(self.n_relations, np.nan)
        return decided

    def state_place(self, expr: Expr) -> tuple[slice, float]:
        """Where in the state vector the state ``x``, ``-x`` or ``x[0]`` of a re-initialisation lies, and its sign."""
        name, sign, index = state_of(expr)
        shape, first = self.layout.shape(str(name)), self.state_index[str(name)]
        if not index:
            return slice(first, first + math.prod(shape)), sign
        k = first + int(np.arange(math.prod(shape)).reshape(shape)[index_of(index)])
        return slice(k, k + 1), sign

    def magnitudes(self, n: int) -> np.ndarray | None:
        """Of all states of a segment, shape (n,); None where all are 1."""
        return None if self.nominal is None else np.append(self.nominal, np.ones(n))[:n]

    def _look_ahead(self, time: float, x: np.ndarray, step: float) -> None:
        kept = [(array, array.copy()) for array in (self.time_events, self.current, self.reinits, self.array_reinits)]
        self.evaluate(time + step, x + step * self._der, Mode.EVENT | Mode.INDICATORS)
        for array, values in kept:
            array[:] = values

    def keep_left_limits(self, time: float, x: np.ndarray) -> None:
        """The values that variables have now, before anything changes, are those before the event."""
        modes = self.modes.copy()
        self.evaluate(time, x, Mode.EVENT)
        self.modes[:] = modes
        self.pre[:] = self.current

    def outputs(self, times: np.ndarray, states: np.ndarray) -> tuple[np.ndarray, int]:
        """All unknowns at the given points, shape (nt, n_unknowns), and the index of the point that failed (-1: none)."""
        status, unknowns = self.compiled.evaluate_outputs(self._context, times, states)
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
            self._evaluated = float(times[last]), states[last]
        return unknowns, failed

    def _evaluate_outputs(self, time: float, x: np.ndarray) -> bool:
        """Whether all variables can be computed at a point; nonlinear systems begin there from now on."""
        try:
            self.evaluate(time, x, Mode.OUTPUTS)
        except EvaluationFailure:
            return False
        return True

    def component_context(self, k: int) -> np.ndarray:
        """Context of component k, see `modiapy.acausal.protocol.Slot`."""
        return self._contexts[k]

    def newton_values(self) -> Mapping[str, float]:
        """Last solutions of the nonlinear systems, by name."""
        return self._context.newton_values()

    def _failed_block(self, status: int) -> str:
        k = self._context.failed_block
        if not 0 <= k < len(self.sorted.blocks):
            return f"status {status}"
        return (
            f"the equations for {', '.join(computed(self.sorted.blocks[k : k + 1])[:12])} could not be solved (status {status})"
        )
