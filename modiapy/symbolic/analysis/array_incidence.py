"""Which states the derivatives of a model with arrays depend on, element by element, for the sizes of one simulation.

The dependence of an array is an array of its shape whose elements are sets of columns (the bits of integers, as in
`state_incidence`), so that subscripts, rows and concatenations are those of numpy. A matrix that depends on parameters only
passes on what stands beside its nonzero elements. A system of equations falls into parts that share no unknown.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...acausal.protocol import CallEquation
from ...model.expression import Apply, Const, Expr, Name, is_array_operator, names
from ...model.language import FILL, PART, SUBSCRIPT, entry_of
from ..codegen.array_layout import ArrayLayout
from ..flat.flat_model import FlatModel
from ..structure.sorted_model import Assignment, Call, LinearBlock, NonlinearBlock, SortedModel, expressions_of
from ..structure.state_incidence import CallIncidence, StateIncidence
from ..terms.arrays import Shape, evaluate_arrays, index_of, shape_at, shape_of, size

Bits = Any
"""A set of columns (int), or an array of them (dtype object)."""


def element_incidence(model: SortedModel, flat: FlatModel, layout: ArrayLayout) -> StateIncidence | None:
    """The incidence of derivatives for the values and sizes of ``flat``; None where the model keeps constraints."""
    return None if model.constraints else _Elements(model, flat, layout).run()


class _Elements:
    def __init__(self, model: SortedModel, flat: FlatModel, layout: ArrayLayout) -> None:
        self.model, self.shapes, self.n = model, flat.shapes, layout.n_states
        self.constants: dict[str, Any] = {**flat.parameters, **flat.arrays}
        self.known: dict[str, Bits] = {name: self._columns(name, first) for name, first in layout.states.items()}
        self.calls: list[CallIncidence] = []
        self.next = self.n

    def run(self) -> StateIncidence:
        for block in self.model.blocks:
            if isinstance(block, LinearBlock | NonlinearBlock):
                self._system(block)
            else:
                self._step(block)
        rows: list[int] = []
        for state, derivative in zip(self.model.states, self.model.derivatives, strict=True):
            rows += self._flat(self._named(derivative), shape_at(state, self.shapes))
        return StateIncidence([bits | 1 << k for k, bits in enumerate(rows)], self.calls)

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
