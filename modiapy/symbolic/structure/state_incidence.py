"""Which states the derivative (or residual) of each state depends on, and which torn unknowns each residual of a linear system.

Dependences are sets of columns, kept as the bits of an integer. A component's states enter through the outputs of its
functions and its derivatives depend on their inputs; which ones, it says for each segment (`acausal.protocol.Sparsity`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...acausal.protocol import CallEquation, SegmentLayout, Sparsity
from ...model.errors import ModelError
from ...model.expression import Expr, names
from ..kernels.incidence import Incidence, incidence_of
from .sorted_model import Assignment, Block, Call, LinearBlock, SortedModel, defined_by, expressions_of


@dataclass(frozen=True)
class CallIncidence:
    """A call of a component's function: what each input depends on (sets), and the column that stands for each output."""

    component: str
    function: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


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
    def _equations(self) -> tuple[list[np.ndarray], list[np.ndarray], list[tuple[int, int]]]:
        """Rows and columns of states that depend on states of the equations only, and (row, set) of all others."""
        limit = 1 << len(self.rows)
        plain = [(i, k) for i, bits in enumerate(self.rows) if bits < limit for k in _members(bits)]
        rows, columns = np.array(plain, dtype=np.int64).reshape(-1, 2).T
        return [rows], [columns], [(i, bits) for i, bits in enumerate(self.rows) if bits >= limit]

    @cached_property
    def alone(self) -> Incidence:
        """The incidence of a model without components."""
        return self.in_segment({})

    def in_segment(self, layouts: Mapping[str, SegmentLayout]) -> Incidence:
        """The incidence of all states in a segment, those of the components behind those of the equations."""
        n = len(self.rows)
        first, places = n, {}
        for path, layout in layouts.items():
            places[path] = first
            first += layout.x.size
        behind = self._states_behind(layouts, places)
        rows, columns, others = self._equations
        rows, columns = [*rows, np.arange(first)], [*columns, np.arange(first)]

        def depend(dependent: np.ndarray, bits: int) -> None:
            on = [b if b < n else behind[b] for b in _members(bits)]
            if on and dependent.size:
                targets = np.concatenate([np.atleast_1d(k) for k in on])
                rows.append(np.repeat(dependent, targets.size))
                columns.append(np.tile(targets, dependent.size))

        for i, bits in others:
            depend(np.array([i]), bits)
        for path, layout in layouts.items():
            own, everything = _sparsity(layout), np.arange(layout.x.size)
            if own is None:
                rows.append(places[path] + np.repeat(everything, everything.size))
                columns.append(places[path] + np.tile(everything, everything.size))
            else:
                rows.append(places[path] + np.repeat(everything, np.diff(own.starts)))
                columns.append(places[path] + np.asarray(own.columns, dtype=np.int64))
        for call in self.calls:
            layout = layouts[call.component]
            everything, sparsity = np.arange(layout.x.size), _sparsity(layout)
            pairs = None if sparsity is None else sparsity.inputs.get(call.function)
            if pairs is None:
                depend(places[call.component] + everything, _union(call.inputs))
            elif len(pairs):
                pairs = _checked(pairs, 1, call)
                for k in np.unique(pairs[:, 1]).tolist():
                    depend(places[call.component] + pairs[pairs[:, 1] == k, 0], call.inputs[k])
        return incidence_of(first, np.concatenate(rows), np.concatenate(columns))

    def _states_behind(self, layouts: Mapping[str, SegmentLayout], places: Mapping[str, int]) -> dict[int, np.ndarray]:
        """States that each column of an output stands for."""
        result = {}
        for call in self.calls:
            layout = layouts[call.component]
            sparsity = _sparsity(layout)
            pairs = None if sparsity is None else sparsity.outputs.get(call.function)
            if pairs is not None and len(pairs):
                pairs = _checked(pairs, 0, call)
            for k, column in enumerate(call.outputs):
                own = np.arange(layout.x.size) if pairs is None else pairs[pairs[:, 0] == k, 1]
                result[column] = places[call.component] + own
        return result


def _sparsity(layout: SegmentLayout) -> Sparsity | None:
    """What a component says of its states; None where it says nothing, or has not been asked."""
    return layout.sparsity if isinstance(layout.sparsity, Sparsity) else None


def _checked(pairs: np.ndarray, column: int, call: CallIncidence) -> np.ndarray:
    """Pairs of a component's sparsity, whose ``column`` has positions of outputs (0) or inputs (1) of a function."""
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    what, size = (("output", len(call.outputs)), ("input", len(call.inputs)))[column]
    wrong = pairs[(pairs[:, column] < 0) | (pairs[:, column] >= size), column]
    if wrong.size:
        raise ModelError(
            "the sparsity of the component's states is inconsistent",
            path=call.component,
            found=f"{what} {wrong[0]} of '{call.function}'",
            expected=f"a number below {size}",
        )
    return pairs


def state_incidence(model: SortedModel, given: Mapping[int, tuple[int, ...]] | None = None) -> StateIncidence | None:
    """The incidence of derivatives; None where it is not known: with arrays, whose states are not scalars.

    Args:
        model: sorted.
        given: for the incidence of residuals ``F(t, x, der(x))`` with regard to x or der(x): the blocks whose unknowns the
            integrator supplies, and for each residual the state it stands for (`codegen_residual.integrator_blocks`).
    """
    if model.flat.shapes:
        return None
    n = len(model.states)
    known = {name: 1 << k for k, name in enumerate(model.states)}
    resolve = _resolver(model)

    def dependence(exprs: Iterable[Expr]) -> int:
        return _union(known.get(resolve(name), 0) for expr in exprs for name in names(expr))

    calls = [(index, call) for index, block in enumerate(model.blocks) for call in _calls(block)]
    columns, column = {}, n
    for _, call in calls:
        columns[id(call)] = range(column, column + len(call.outputs))
        column += len(call.outputs)
    rows = [0] * n
    for index, block in enumerate(model.blocks):
        if given is not None and index in given:
            assert isinstance(block, LinearBlock)
            known.update((name, 1 << state) for name, state in zip(block.unknowns, given[index], strict=True))
            for step in block.body:
                _step(step, known, dependence, columns)
            for state, residual in zip(given[index], block.residuals, strict=True):
                rows[state] = dependence([residual])
        elif isinstance(block, Assignment | Call):
            _step(block, known, dependence, columns)
        else:
            own = (1 << c for call in _calls(block) for c in columns[id(call)])
            bits = dependence(expressions_of(block)) | _union(own)
            known.update((name, bits) for name in defined_by(block))
    supplied = set() if given is None else {state for states in given.values() for state in states}
    for k, name in enumerate(model.derivatives):
        if k not in supplied:
            rows[k] = known.get(resolve(name), 0)
    if given is not None:
        _add_constraints(model, rows, dependence)
    found = [
        CallIncidence(call.component, call.function.name, tuple(dependence([e]) for e in call.inputs), tuple(columns[id(call)]))
        for _, call in calls
    ]
    return StateIncidence([bits | 1 << k for k, bits in enumerate(rows)], found)


def _add_constraints(model: SortedModel, rows: list[int], dependence: Callable[[Iterable[Expr]], int]) -> None:
    """The multipliers of the index-1 form: their residuals are constraints, their derivatives move other states."""
    index = {name: k for k, name in enumerate(model.states)}
    for constraint in model.constraints:
        multiplier = index[constraint.multiplier]
        rows[multiplier] |= dependence([constraint.residual])
        for state, slope in constraint.directions.items():
            rows[index[state]] |= dependence([slope]) | 1 << multiplier


def block_incidence(model: SortedModel, block: LinearBlock) -> Incidence:
    """Which unknowns of a torn linear system of scalars each of its residuals depends on."""
    known = {name: 1 << k for k, name in enumerate(block.unknowns)}
    resolve = _resolver(model)

    def dependence(exprs: Iterable[Expr]) -> int:
        return _union(known.get(resolve(name), 0) for expr in exprs for name in names(expr))

    for step in block.body:
        _step(step, known, dependence, {})
    members = [list(_members(dependence([residual]))) for residual in block.residuals]
    rows = np.repeat(np.arange(len(members)), [len(m) for m in members])
    columns = np.array([k for m in members for k in m], dtype=np.int64)
    return incidence_of(len(block.unknowns), rows, columns)


def _step(
    step: Assignment | Call,
    known: dict[str, int],
    dependence: Callable[[Iterable[Expr]], int],
    columns: Mapping[int, Sequence[int]],
) -> None:
    """What the variables that an assignment or a call computes depend on."""
    bits = dependence(expressions_of(step))
    if isinstance(step, Assignment):
        known[step.variable] = bits
        return
    own = columns.get(id(step.call))
    for k, name in enumerate(step.call.outputs):
        known[name.name] = bits if own is None else bits | 1 << own[k]


def _calls(block: Block) -> list[CallEquation]:
    steps = (block,) if isinstance(block, Assignment | Call) else block.body
    return [step.call for step in steps if isinstance(step, Call)]


def _resolver(model: SortedModel) -> Callable[[str], str]:
    aliases = model.aliases

    def resolve(name: str) -> str:
        while (alias := aliases.get(name)) is not None and alias.of:
            name = alias.of
        return name

    return resolve


def _union(sets: Iterable[int]) -> int:
    result = 0
    for bits in sets:
        result |= bits
    return result


def _members(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
