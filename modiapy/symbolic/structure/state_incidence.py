"""Incidence of the states' derivatives (or residuals) on the states, and of the residuals of linear systems on unknowns.

Dependences are sets of columns, kept as the bits of an integer; that of an array is an array of its shape whose elements are
such sets, so that subscripts, rows and concatenations are those of numpy. A scalar has one set. A matrix that depends on
parameters only passes on what stands beside its nonzero elements. A system of equations falls into parts that share no unknown.
A component's states enter through the outputs of its functions and its derivatives depend on their inputs; which ones, it says
for each segment (`acausal.segment.Sparsity`).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...acausal.segment import SegmentLayout
from ...model.expression import Apply, Const, Expr, Name, is_array_operator, names
from ...model.language import FILL, PART, SUBSCRIPT, entry_of
from ..flat.flat_model import FlatModel
from ..kernels.incidence import Incidence, incidence_of
from ..sorted.parts import Assignment, Call, LinearBlock, NonlinearBlock, defined_by, expressions_of
from ..sorted.sorted_model import SortedModel, derivatives_in_body
from ..terms.arrays import Shape, evaluate_arrays, index_of, offsets, shape_at, shape_of, size
from .segment_incidence import CallIncidence, SegmentIncidence, members

Bits = Any
"""A set of columns (int), or an array of them (dtype object)."""


@dataclass(frozen=True)
class StateIncidence:
    """Dependences of the derivatives, or residuals, of the equations' states, components' states not yet resolved.

    Attributes:
        rows: for each state the set of columns: states first, then one for each output of a component's function.
        calls: of components' functions.
    """

    rows: Sequence[int]
    calls: Sequence[CallIncidence]

    @cached_property
    def alone(self) -> Incidence:
        """The incidence of a model without components."""
        return _of_sets(len(self.rows), self.rows)

    @cached_property
    def _composed(self) -> SegmentIncidence:
        return SegmentIncidence(self.rows, self.calls)

    def in_segment(self, layouts: Mapping[str, SegmentLayout]) -> Incidence:
        """Return the incidence of all states in a segment, those of the components behind those of the equations."""
        return self._composed.within(layouts)


def state_incidence(model: SortedModel, flat: FlatModel, given: Mapping[int, tuple[int, ...]] | None = None) -> StateIncidence:
    """Return the incidence of derivatives, or of residuals, for the values and sizes of ``flat``.

    Args:
        model: sorted.
        flat: of one simulation.
        given: for the incidence of residuals ``F(t, x, der(x))`` with regard to x or der(x): the blocks whose unknowns the
            integrator supplies, and for each residual the state it stands for (`codegen.residual.integrator_blocks`); it
            supplies the derivatives that their bodies compute, too.
    """
    places, n = offsets(model.states, flat.shapes)
    dependences, rows = _Dependences(model, flat, places, n), _Rows(model, flat.shapes, places, n)
    supplied = set[int]()
    for index, block in enumerate(model.blocks):
        if given is not None and index in given:
            assert isinstance(block, LinearBlock)
            supplied.update(given[index])
            states = [model.states[k] for k in given[index]]
            for name, state in zip(block.unknowns, states, strict=True):
                dependences.begin(name, places[state])
            inside = derivatives_in_body(model, block)
            supplied.update(inside.values())
            for step in block.body:
                dependences.step(step)
                for name in {*defined_by(step)} & inside.keys():
                    state = model.states[inside[name]]
                    rows.set(state, dependences.known[name])
                    rows.add_diagonal(state)
                    dependences.begin(name, places[state])
            for state, residual in zip(states, block.residuals, strict=True):
                rows.set(state, dependences.of(residual))
        elif isinstance(block, LinearBlock | NonlinearBlock):
            dependences.system(block)
        else:
            dependences.step(block)
    for k, (state, derivative) in enumerate(zip(model.states, model.derivatives, strict=True)):
        if k not in supplied:
            rows.set(state, dependences.named(derivative))
            rows.add_diagonal(state)
    if given is not None:
        rows.add_constraints(dependences)
    return StateIncidence(rows.sets, dependences.calls)


def block_incidence(model: SortedModel, flat: FlatModel, block: LinearBlock) -> Incidence:
    """Return the unknowns on which each residual of a torn linear system depends, for the values and sizes of ``flat``."""
    places, n = offsets(block.unknowns, flat.shapes)
    dependences, below = _Dependences(model, flat, places, n), (1 << n) - 1  # outputs of functions have columns of their own
    dependences.steps(block)
    return _of_sets(n, [bits & below for bits in dependences.residuals(block)])


class _Rows:
    """The set of each state, or element of a state."""

    def __init__(self, model: SortedModel, shapes: Mapping[str, Shape], places: Mapping[str, int], n: int) -> None:
        self._model, self._shapes, self._places = model, shapes, places
        self.sets = [0] * n

    def set(self, state: str, bits: Bits) -> None:
        first, shape = self._places[state], shape_at(state, self._shapes)
        self.sets[first : first + size(shape)] = _flat(bits, shape)

    def add_diagonal(self, state: str) -> None:
        """Add the diagonal: ``der(x) - f`` depends on the state's own derivative, the residual of a system not always."""
        first = self._places[state]
        for k in range(first, first + size(shape_at(state, self._shapes))):
            self.sets[k] |= 1 << k

    def add_constraints(self, dependences: _Dependences) -> None:
        """Add the multipliers of the index-1 form: their residuals are constraints, their derivatives move other states."""
        for constraint in self._model.constraints:
            multiplier = self._places[constraint.multiplier]
            self.sets[multiplier] |= _all_of(dependences.of(constraint.residual))
            for state, slope in constraint.directions.items():
                moved = _flat(dependences.of(slope), shape_at(state, self._shapes))
                for k, bits in enumerate(moved, self._places[state]):
                    self.sets[k] |= bits | 1 << multiplier


class _Dependences:
    """Dependences of the variables, block by block.

    Args:
        model, flat: of a simulation.
        places: columns of the variables that the others depend on; ``n`` is their number.
    """

    def __init__(self, model: SortedModel, flat: FlatModel, places: Mapping[str, int], n: int) -> None:
        self._aliases, self.shapes = model.aliases, flat.shapes
        self.constants: dict[str, Any] = {**flat.parameters, **flat.arrays}
        self.known: dict[str, Bits] = {}
        self.calls: list[CallIncidence] = []
        self._next = n
        for name, first in places.items():
            self.begin(name, first)

    def begin(self, name: str, first: int) -> None:
        """Begin with a variable on which others depend: each element is a column."""
        shape = shape_at(name, self.shapes)
        self.known[name] = _array([1 << k for k in range(first, first + size(shape))], shape) if shape else 1 << first

    def named(self, name: str) -> Bits:
        """Return the dependences of a variable."""
        while (alias := self._aliases.get(name)) is not None and alias.of:
            name = alias.of
        return self.known.get(name, 0)

    # -- blocks -----------------------------------------------------------------------------------------------------------

    def step(self, step: Assignment | Call) -> None:
        """Follow an assignment or a call."""
        if isinstance(step, Assignment):
            shape = shape_at(step.variable, self.shapes)
            bits = self.of(step.expr)
            self.known[step.variable] = np.broadcast_to(np.asarray(bits, dtype=object), shape) if shape else bits
        else:
            self._call(step.call, _union(map(self.of, step.call.inputs)), self._columns_of(step.call))

    def steps(self, block: LinearBlock | NonlinearBlock) -> None:
        """Follow the body of a system."""
        for step in block.body:
            self.step(step)

    def residuals(self, block: LinearBlock | NonlinearBlock) -> list[int]:
        """Return the dependences of all residuals of a system, those of arrays element by element."""
        pairs = zip(block.unknowns, block.residuals, strict=True)
        return [bits for name, residual in pairs for bits in _flat(self.of(residual), shape_at(name, self.shapes))]

    def system(self, block: LinearBlock | NonlinearBlock) -> None:
        """Make the unknowns of each part of a system depend on everything that its equations contain."""
        if any(isinstance(step, Call) for step in block.body):
            self._coupled(block)
            return
        first = top = self._next
        for name in block.unknowns:
            self.begin(name, top)
            top += size(shape_at(name, self.shapes))
        self.steps(block)
        parts, below = _parts(self.residuals(block), first), (1 << first) - 1

        def resolved(bits: int) -> int:
            return bits & below | _union(depends for unknowns, depends in parts if unknowns & bits >> first)

        for name in defined_by(block):
            bits, shape = self.known[name], shape_at(name, self.shapes)
            self.known[name] = _array([resolved(b) for b in _flat(bits, shape)], shape) if shape else resolved(bits)

    def _coupled(self, block: LinearBlock | NonlinearBlock) -> None:
        """Make everything depend on everything: there are functions of components inside."""
        calls = [(step.call, self._columns_of(step.call)) for step in block.body if isinstance(step, Call)]
        everything = _union(_all_of(self.named(name)) for expr in expressions_of(block) for name in names(expr))
        everything |= _union(1 << column for _, columns in calls for column in columns)
        for name in defined_by(block):
            shape = shape_at(name, self.shapes)
            self.known[name] = np.full(shape, everything, dtype=object) if shape else everything
        for call, columns in calls:
            self._call(call, everything, columns)

    def _columns_of(self, call: CallEquation) -> tuple[int, ...]:
        columns = tuple(range(self._next, self._next + len(call.outputs)))
        self._next += len(columns)
        return columns

    def _call(self, call: CallEquation, bits: int, columns: tuple[int, ...]) -> None:
        """Follow a call whose outputs depend on ``bits``; the dependences of its inputs have to be known."""
        self.calls.append(CallIncidence(call.component, call.function.name, tuple(map(self.of, call.inputs)), columns))
        for column, output in zip(columns, call.outputs, strict=True):
            self.known[output.name] = bits | 1 << column

    # -- expressions ------------------------------------------------------------------------------------------------------

    def of(self, expr: Expr) -> Bits:
        """Return the dependences of an expression: a set, or an array of sets."""
        if not self.shapes:
            return _union(map(self.named, names(expr)))
        if type(expr) is Const:
            return 0
        if type(expr) is Name:
            return self.named(expr.name)
        assert type(expr) is Apply
        args = [self.of(a) for a in expr.args]
        if not is_array_operator(expr.op):
            return functools.reduce(operator.or_, args, 0)
        return self._of_array_operator(expr, args)

    def _of_array_operator(self, expr: Apply, args: Sequence[Bits]) -> Bits:
        op = expr.op
        shape = shape_of(expr, self.shapes)
        entry = entry_of(op)
        if op == "@":
            return self._product(expr, args, shape)
        if entry is FILL or entry is PART:
            return np.broadcast_to(np.asarray(args[0], dtype=object), shape)
        if not entry.moves:
            bits = _union(map(_all_of, args))
            return np.full(shape, bits, dtype=object) if shape else bits
        whole = [
            np.broadcast_to(np.asarray(a, dtype=object), shape_of(e, self.shapes)) for e, a in zip(expr.args, args, strict=True)
        ]
        return whole[0][index_of(op)] if entry is SUBSCRIPT else entry.value_of_arrays(*whole)

    def _product(self, expr: Apply, args: Sequence[Bits], shape: Shape) -> Bits:
        (m, k), (_, n) = (
            _matrix_shape(shape_of(a, self.shapes), first) for a, first in zip(expr.args, (True, False), strict=True)
        )
        flat = [np.broadcast_to(np.asarray(x, dtype=object), s).reshape(-1) for x, s in self._factors(expr, args)]
        a, b = flat[0].reshape(m, k), flat[1].reshape(k, n)
        used, passed = (self._nonzero(e, s) for e, s in zip(expr.args, ((m, k), (k, n)), strict=True))
        result = np.zeros((m, n), dtype=object)
        columns = [_union(b[:, j]) for j in range(n)]
        for i in range(m):
            if used[i].all() and passed.all():
                result[i] = [_union(a[i]) | c for c in columns]
                continue
            for l in np.flatnonzero(used[i]):
                result[i] |= np.where(passed[l], b[l] | a[i, l], 0)
        return result.reshape(shape) if shape else result[0, 0]

    def _factors(self, expr: Apply, args: Sequence[Bits]) -> list[tuple[Bits, Shape]]:
        return [(bits, shape_of(e, self.shapes)) for bits, e in zip(args, expr.args, strict=True)]

    def _nonzero(self, factor: Expr, shape: tuple[int, int]) -> np.ndarray:
        """Return which elements of a factor may be other than zero."""
        if names(factor) <= self.constants.keys():
            value = np.asarray(evaluate_arrays(factor, self.constants, self.shapes), dtype=float)
            return np.broadcast_to(value.reshape(shape) if value.size > 1 else value, shape) != 0.0
        return np.ones(shape, dtype=bool)


def _matrix_shape(shape: Shape, first: bool) -> tuple[int, int]:
    """Return a vector as a row where it is the first factor, as a column where it is the second."""
    if len(shape) == 1:
        return (1, shape[0]) if first else (shape[0], 1)
    return shape[0], shape[1]


def _parts(residuals: Sequence[int], first: int) -> list[tuple[int, int]]:
    """Return the parts of a system: their unknowns (columns from ``first`` on), and what their residuals depend on besides."""
    below = (1 << first) - 1
    parts: list[tuple[int, int]] = []
    for bits in residuals:
        unknowns, depends, rest = bits >> first, bits & below, []
        for part in parts:
            if part[0] & unknowns:
                unknowns, depends = unknowns | part[0], depends | part[1]
            else:
                rest.append(part)
        parts = [*rest, (unknowns, depends)]
    return parts


def _of_sets(n: int, sets: Sequence[int]) -> Incidence:
    """Return the columns of each row given as a set."""
    of_each = [list(members(bits)) for bits in sets]
    rows = np.repeat(np.arange(len(of_each)), [len(row) for row in of_each])
    return incidence_of(n, rows, np.array([column for row in of_each for column in row], dtype=np.int64))


def _flat(bits: Bits, shape: Shape) -> list[int]:
    return np.broadcast_to(np.asarray(bits, dtype=object), shape).reshape(-1).tolist() if shape else [bits]


def _array(values: Sequence[int], shape: Shape) -> np.ndarray:
    bits = np.empty(len(values), dtype=object)
    bits[:] = values
    return bits.reshape(shape)


def _all_of(bits: Bits) -> int:
    """Return the union over all elements."""
    return _union(np.ravel(np.asarray(bits, dtype=object)).tolist())


def _union(sets: Any) -> int:
    return functools.reduce(operator.or_, sets, 0)
