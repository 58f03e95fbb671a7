"""Which states the derivatives or residuals of a model with arrays depend on, and which unknowns the equations of its linear
systems, element by element, for the sizes of one simulation.

The dependence of an array is an array of its shape whose elements are sets of columns (the bits of integers, as in
`state_incidence`), so that subscripts, rows and concatenations are those of numpy. A matrix that depends on parameters only
passes on what stands beside its nonzero elements. A system of equations falls into parts that share no unknown. Models of
scalars have the same in `state_incidence`, where a name is one column.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.expression import Apply, Const, Expr, Name, is_array_operator, names
from ...model.language import FILL, PART, SUBSCRIPT, entry_of
from ..flat.flat_model import FlatModel
from ..kernels.incidence import Incidence, incidence_of
from ..terms.arrays import Shape, evaluate_arrays, index_of, offsets, shape_at, shape_of, size
from .segment_incidence import CallIncidence
from .sorted_model import Assignment, Call, LinearBlock, NonlinearBlock, SortedModel, expressions_of
from .state_incidence import StateIncidence

Bits = Any
"""A set of columns (int), or an array of them (dtype object)."""


def element_incidence(model: SortedModel, flat: FlatModel, given: Collection[int] | None = None) -> StateIncidence:
    """The incidence of derivatives, or of residuals, for the values and sizes of ``flat``.

    Args:
        model: sorted.
        flat: of one simulation.
        given: for residuals ``F(t, x, der(x))`` with regard to x or der(x): numbers of the linear blocks whose unknowns, all of
            them derivatives of states, the integrator supplies.
    """
    return _Elements(model, flat).run(given)


def system_incidence(model: SortedModel, flat: FlatModel, block: LinearBlock) -> Incidence:
    """Which unknowns of a torn linear system each of its equations depends on, for the values and sizes of ``flat``."""
    return _Elements(model, flat).system(block)


class _Elements:
    def __init__(self, model: SortedModel, flat: FlatModel) -> None:
        self.model, self.shapes = model, flat.shapes
        self.places, self.n = offsets(model.states, flat.shapes)
        self.constants: dict[str, Any] = {**flat.parameters, **flat.arrays}
        self.known: dict[str, Bits] = {}
        self.calls: list[CallIncidence] = []
        self.next = self.n

    def run(self, given: Collection[int] | None) -> StateIncidence:
        self.known = {name: self._columns(name, first) for name, first in self.places.items()}
        rows = [0] * self.n
        supplied: set[str] = set()
        for index, block in enumerate(self.model.blocks):
            if given is not None and index in given:
                assert isinstance(block, LinearBlock)
                supplied.update(block.unknowns)
                self._given(block, rows)
            elif isinstance(block, LinearBlock | NonlinearBlock):
                self._system(block)
            else:
                self._step(block)
        for state, derivative in zip(self.model.states, self.model.derivatives, strict=True):
            if derivative not in supplied:
                self._set_row(rows, state, self._named(derivative))
        if given is not None:
            self._add_constraints(rows)
        return StateIncidence([bits | 1 << k for k, bits in enumerate(rows)], self.calls)

    def system(self, block: LinearBlock) -> Incidence:
        places, n = offsets(block.unknowns, self.shapes)
        self.known = {name: self._columns(name, first) for name, first in places.items()}
        for step in block.body:
            self._step(step)
        residuals: list[int] = []
        for name, residual in zip(block.unknowns, block.residuals, strict=True):
            residuals += self._flat(self._of(residual), shape_at(name, self.shapes))
        width = n // 8 + 1
        below = (1 << n) - 1  # outputs of functions have columns of their own
        rows = np.array([np.frombuffer((bits & below).to_bytes(width, "little"), np.uint8) for bits in residuals])
        entries = np.nonzero(np.unpackbits(rows, axis=1, bitorder="little"))
        return incidence_of(n, *entries)

    def _set_row(self, rows: list[int], state: str, bits: Bits) -> None:
        first, shape = self.places[state], shape_at(state, self.shapes)
        rows[first : first + size(shape)] = self._flat(bits, shape)

    def _given(self, block: LinearBlock, rows: list[int]) -> None:
        """The residuals of a block whose unknowns are derivatives that the integrator supplies are those of their states."""
        state_of = dict(zip(self.model.derivatives, self.model.states, strict=True))
        for name in block.unknowns:
            self.known[name] = self._columns(name, self.places[state_of[name]])
        for step in block.body:
            self._step(step)
        for name, residual in zip(block.unknowns, block.residuals, strict=True):
            self._set_row(rows, state_of[name], self._of(residual))

    def _add_constraints(self, rows: list[int]) -> None:
        """As `state_incidence` does."""
        for constraint in self.model.constraints:
            multiplier = self.places[constraint.multiplier]
            rows[multiplier] |= _union(self._flat(self._of(constraint.residual), ()))
            for state, slope in constraint.directions.items():
                for k, bits in enumerate(self._flat(self._of(slope), shape_at(state, self.shapes)), self.places[state]):
                    rows[k] |= bits | 1 << multiplier

    def _columns(self, name: str, first: int) -> Bits:
        """The variable itself: each element is a column."""
        shape = shape_at(name, self.shapes)
        if not shape:
            return 1 << first
        bits = np.empty(size(shape), dtype=object)
        bits[:] = [1 << k for k in range(first, first + bits.size)]
        return bits.reshape(shape)

    def _named(self, name: str) -> Bits:
        while (alias := self.model.aliases.get(name)) is not None and alias.of:
            name = alias.of
        return self.known.get(name, 0)

    def _flat(self, bits: Bits, shape: Shape) -> list[int]:
        return np.broadcast_to(np.asarray(bits, dtype=object), shape).reshape(-1).tolist()  # type: ignore[no-any-return]

    # -- blocks -----------------------------------------------------------------------------------------------------------

    def _step(self, step: Assignment | Call) -> None:
        if isinstance(step, Assignment):
            shape = shape_at(step.variable, self.shapes)
            bits = self._of(step.expr)
            self.known[step.variable] = np.broadcast_to(np.asarray(bits, dtype=object), shape) if shape else bits
        else:
            self._call(step.call)

    def _call(self, call: CallEquation) -> None:
        inputs = tuple(self._of(e) for e in call.inputs)
        columns = tuple(range(self.next, self.next + len(call.outputs)))
        self.next += len(columns)
        self.calls.append(CallIncidence(call.component, call.function.name, inputs, columns))
        for column, output in zip(columns, call.outputs, strict=True):
            self.known[output.name] = _union(inputs) | 1 << column

    def _system(self, block: LinearBlock | NonlinearBlock) -> None:
        """The unknowns of each part of a system depend on all that its equations contain."""
        if any(isinstance(step, Call) for step in block.body):
            self._coupled(block)
            return
        first, places = self.next, {}
        top = first
        for name in block.unknowns:
            self.known[name] = self._columns(name, top)
            places[name] = top
            top += size(shape_at(name, self.shapes))
        for step in block.body:
            self._step(step)
        residuals: list[int] = []
        for name, residual in zip(block.unknowns, block.residuals, strict=True):
            residuals += self._flat(self._of(residual), shape_at(name, self.shapes))
        behind = _parts(residuals, first)
        resolved = functools.partial(_resolved, first=first, behind=behind)
        for name in [*block.unknowns, *(s.variable for s in block.body if isinstance(s, Assignment))]:
            bits, shape = self.known[name], shape_at(name, self.shapes)
            values = [resolved(b) for b in self._flat(bits, shape)]
            self.known[name] = _array(values, shape) if shape else values[0]

    def _coupled(self, block: LinearBlock | NonlinearBlock) -> None:
        """Functions of components inside: everything depends on everything."""
        for step in block.body:
            if isinstance(step, Call):
                self._call(step.call)
        everything = _union(self._everything(e) for e in expressions_of(block))
        everything |= _union(1 << c for call in self.calls for c in call.outputs)
        for name in [*block.unknowns, *(s.variable for s in block.body if isinstance(s, Assignment))]:
            shape = shape_at(name, self.shapes)
            self.known[name] = np.full(shape, everything, dtype=object) if shape else everything

    def _everything(self, expr: Expr) -> int:
        return _union(_union(np.ravel(np.asarray(self._named(name), dtype=object))) for name in names(expr))

    # -- expressions ------------------------------------------------------------------------------------------------------

    def _of(self, expr: Expr) -> Bits:
        """What an expression depends on: a set, or an array of sets."""
        if type(expr) is Const:
            return 0
        if type(expr) is Name:
            return self._named(expr.name)
        assert type(expr) is Apply
        args = [self._of(a) for a in expr.args]
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
            bits = _union(_union(np.ravel(np.asarray(a, dtype=object))) for a in args)
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
        """Which elements of a factor may be other than zero."""
        if names(factor) <= self.constants.keys():
            value = np.asarray(evaluate_arrays(factor, self.constants, self.shapes), dtype=float)
            return np.broadcast_to(value.reshape(shape) if value.size > 1 else value, shape) != 0.0
        return np.ones(shape, dtype=bool)


def _matrix_shape(shape: Shape, first: bool) -> tuple[int, int]:
    """A vector as a row where it is the first factor, as a column where it is the second."""
    if len(shape) == 1:
        return (1, shape[0]) if first else (shape[0], 1)
    return shape[0], shape[1]


def _parts(residuals: Sequence[int], first: int) -> dict[int, int]:
    """For each unknown (column from ``first`` on) what the part of the system that it belongs to depends on besides."""
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
    behind: dict[int, int] = {}
    for unknowns, depends in parts:
        while unknowns:
            low = unknowns & -unknowns
            behind[low.bit_length() - 1] = depends
            unknowns ^= low
    return behind


def _resolved(bits: int, first: int, behind: Mapping[int, int]) -> int:
    """A set with what stands behind the unknowns of a system in place of these."""
    unknowns, result = bits >> first, bits & ((1 << first) - 1)
    while unknowns:
        low = unknowns & -unknowns
        result |= behind[low.bit_length() - 1]
        unknowns ^= low
    return result


def _array(values: Sequence[int], shape: Shape) -> np.ndarray:
    bits = np.empty(len(values), dtype=object)
    bits[:] = values
    return bits.reshape(shape)


def _union(sets: Any) -> int:
    return functools.reduce(operator.or_, sets, 0)
