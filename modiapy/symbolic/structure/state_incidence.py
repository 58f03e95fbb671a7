"""Which states the derivative (or residual) of each state depends on, and which torn unknowns each residual of a linear system.

Dependences are sets of columns, kept as the bits of an integer. A component's states enter through the outputs of its
functions and its derivatives depend on their inputs; which ones, it says for each segment (`acausal.protocol.Sparsity`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...acausal.protocol import CallEquation, SegmentLayout
from ...model.expression import Expr, names
from ..kernels.incidence import Incidence, incidence_of
from .segment_incidence import CallIncidence, SegmentIncidence, members
from .sorted_model import Assignment, Block, Call, LinearBlock, SortedModel, defined_by, expressions_of


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
        """The incidence of all states in a segment, those of the components behind those of the equations."""
        return self._composed.within(layouts)


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
    return _of_sets(len(block.unknowns), [dependence([residual]) for residual in block.residuals])


def _of_sets(n: int, sets: Sequence[int]) -> Incidence:
    """The columns of each row given as a set."""
    of_each = [list(members(bits)) for bits in sets]
    rows = np.repeat(np.arange(len(of_each)), [len(row) for row in of_each])
    return incidence_of(n, rows, np.array([column for row in of_each for column in row], dtype=np.int64))


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
