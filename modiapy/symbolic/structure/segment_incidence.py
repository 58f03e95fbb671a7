"""Incidence of the states of one segment: those of the equations and those of the components in one matrix.

A component's states enter the equations through the outputs of its functions, and its derivatives depend on their inputs; which
ones, it says for each segment (`acausal.segment.Sparsity`). What the equations pass on from outputs to inputs stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np

from ...acausal.segment import SegmentLayout, Sparsity
from ...model.errors import ModelError
from ..kernels.incidence import LONG, Incidence, OrderedIncidence, words_in_order

Compressed = tuple[np.ndarray, np.ndarray]
"""Where each row begins, and the members of the rows one after the other."""


@dataclass(frozen=True)
class CallIncidence:
    """A call of a component's function: what each input depends on (sets), and the column that stands for each output."""

    component: str
    function: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class SegmentIncidence:
    """The dependences of the equations' states and of the inputs of calls, made ready to be composed with any segment.

    Args:
        rows, calls: see `StateIncidence`.
    """

    def __init__(self, rows: Sequence[int], calls: Sequence[CallIncidence]) -> None:
        n = self._n_states = len(rows)
        inputs = [bits for call in calls for bits in call.inputs]
        number = {column: k for k, column in enumerate(column for call in calls for column in call.outputs)}
        self._n_outputs = len(number)
        before = ([0, *accumulate(len(call.inputs) for call in calls)], [0, *accumulate(len(call.outputs) for call in calls)])
        self._calls = [*zip(calls, *before, strict=False)]  # with the numbers of inputs and outputs of those before
        self._arrays = _divided((*rows, *inputs), n, number)

    def within(self, layouts: Mapping[str, SegmentLayout]) -> Incidence:
        """Return the incidence of all states in a segment, those of the components behind those of the equations."""
        var, first = _own(layouts)
        driven: list[np.ndarray] = []
        shown: list[np.ndarray] = []
        for call, n_inputs, n_outputs in self._calls:
            layout = layouts[call.component]
            inputs, outputs = _of_call(layout.sparsity, call.function)
            if (inputs is None or len(inputs)) and call.inputs:
                driven.append(_checked(inputs, 1, call, layout) + (first[call.component], n_inputs))
            if (outputs is None or len(outputs)) and call.outputs:
                shown.append(_checked(outputs, 0, call, layout) + (n_outputs, first[call.component]))
        n = self._n_states + var[0].size - 1
        arrays = (*self._arrays, *var, _joined(driven), _joined(shown))
        size = self._arrays[1].size + var[1].size + n  # of all entries most often
        memory = np.empty(words_in_order(n, size), np.int64)
        found: int = _compose()(n, self._n_outputs, *arrays, LONG, memory)  # type: ignore[call-arg]
        if found > size:
            memory = np.empty(words_in_order(n, found), np.int64)
            _compose()(n, self._n_outputs, *arrays, LONG, memory)  # type: ignore[call-arg]
        return OrderedIncidence(n, memory, found)


@cache
def _compose() -> Callable[..., Any]:
    from ..kernels.composition import compose_in_order

    return compose_in_order.call  # type: ignore[no-any-return]


_NO_PAIRS = np.zeros((2, 0), np.int64)


def _joined(pieces: list[np.ndarray]) -> np.ndarray:
    """Return the rows of two numbers, piece by piece, as one array (2, m)."""
    return np.ascontiguousarray(np.concatenate(pieces).T) if pieces else _NO_PAIRS


def _own(layouts: Mapping[str, SegmentLayout]) -> tuple[Compressed, dict[str, int]]:
    """Return the dependences of the components' states among themselves, and the positions where those of each begin."""
    if len(layouts) == 1:
        ((path, layout),) = layouts.items()
        sparsity = sparsity_of(layout)
        if sparsity is not None:
            return (np.asarray(sparsity.starts, np.int64), np.asarray(sparsity.columns, np.int64)), {path: 0}
    starts, columns, first = [np.zeros(1, dtype=np.int64)], [], {}
    states = entries = 0
    for path, layout in layouts.items():
        n, own = layout.x.size, sparsity_of(layout)
        if own is None:
            of_each, members = np.arange(1, n + 1) * n, np.tile(np.arange(n), n)
        else:
            of_each, members = np.asarray(own.starts, np.int64)[1:], np.asarray(own.columns, np.int64)
        first[path] = states
        starts.append(of_each + entries)
        columns.append(members + states)
        states, entries = states + n, entries + members.size
    return (np.concatenate(starts), np.concatenate([np.zeros(0, dtype=np.int64), *columns])), first


def sparsity_of(layout: SegmentLayout) -> Sparsity | None:
    """Return the sparsity that a component gives for its states; None if it gives none, or has not been asked."""
    return layout.sparsity if isinstance(layout.sparsity, Sparsity) else None


def _of_call(sparsity: Any, function: str) -> tuple[Any, Any]:
    """Return the pairs of the inputs and of the outputs of a function; None where nothing is said."""
    return (sparsity.inputs.get(function), sparsity.outputs.get(function)) if isinstance(sparsity, Sparsity) else (None, None)


def _checked(pairs: Any, column: int, call: CallIncidence, layout: SegmentLayout) -> np.ndarray:
    """Return the pairs of a component's sparsity, whose ``column`` has positions of outputs (0) or inputs (1); all if there are
    none.
    """
    size = len(call.inputs if column else call.outputs)
    if pairs is None:
        all_of = np.indices((layout.x.size, size) if column else (size, layout.x.size), dtype=np.int64)
        return all_of.reshape(2, -1).T
    pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    wrong = pairs[(pairs[:, column] < 0) | (pairs[:, column] >= size), column]
    if wrong.size:
        raise ModelError(
            "the sparsity of the component's states is inconsistent",
            path=call.component,
            found=f"{('output', 'input')[column]} {wrong[0]} of '{call.function}'",
            expected=f"a number below {size}",
        )
    return pairs


def _divided(sets: Iterable[int], n: int, number: Mapping[int, int]) -> list[np.ndarray]:
    """Return the members of each set that are states, and those that are outputs, by their numbers: both in compressed rows."""
    limit, states, outputs = 1 << n, [], []
    for bits in sets:
        states.append(list(members(bits & (limit - 1))))
        outputs.append([number[column] for column in members(bits & -limit)])
    return [*_compressed(states), *_compressed(outputs)]


def _compressed(rows: Sequence[Sequence[int]]) -> Compressed:
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return starts, np.array([member for row in rows for member in row], dtype=np.int64)


def members(bits: int) -> Iterator[int]:
    """Generate the members of a set that is given as the bits of an integer."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
