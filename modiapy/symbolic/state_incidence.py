"""Which states the derivative of each state depends on, from the incidence of the sorted blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .codegen_expr import references
from .codegen_linear import defined_by, expressions_of
from .sorted_model import SortedModel


@dataclass(frozen=True)
class Incidence:
    """Sparsity of df/dx, the diagonal included.

    Attributes:
        n: number of states.
        rows, columns: of the entries that are not zero, sorted by column.
    """

    n: int
    rows: np.ndarray
    columns: np.ndarray

    @cached_property
    def bandwidths(self) -> tuple[int, int]:
        """Diagonals above and below the main one."""
        distance = self.columns - self.rows
        return int(distance.max(initial=0)), int(-distance.min(initial=0))

    @cached_property
    def colours(self) -> np.ndarray:
        """Colour of each column, shape (n,): columns of one colour have no row in common, so that one difference serves all.

        Greedy, in the order of the columns. Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, On the estimation of sparse
        Jacobian matrices, IMA J. Appl. Math. 13 (1974).
        """
        first = np.searchsorted(self.columns, np.arange(self.n + 1))
        rows, used = self.rows.tolist(), [0] * self.n  # used: colours of the columns in each row, as bits
        colours = np.zeros(self.n, dtype=np.int64)
        for j in range(self.n):
            own = rows[first[j] : first[j + 1]]
            taken = 0
            for i in own:
                taken |= used[i]
            colour = (~taken & (taken + 1)).bit_length() - 1
            colours[j] = colour
            for i in own:
                used[i] |= 1 << colour
        return colours


def state_incidence(model: SortedModel) -> Incidence | None:
    """The incidence; None where it is not known: with arrays, whose states are not scalars."""
    if model.flat.shapes:
        return None
    n = len(model.states)
    known = {name: 1 << k for k, name in enumerate(model.states)}

    def dependence(name: str) -> int:
        while (alias := model.aliases.get(name)) is not None and alias.of:
            name = alias.of
        return known.get(name, 0)

    for block in model.blocks:
        bits = 0
        for expr in expressions_of(block):
            for name in references(expr):
                bits |= dependence(name)
        for name in defined_by(block):
            known[name] = bits
    rows, columns = [], []
    for i, name in enumerate(model.derivatives):
        bits = dependence(name) | 1 << i
        while bits:
            low = bits & -bits
            rows.append(i)
            columns.append(low.bit_length() - 1)
            bits ^= low
    order = np.lexsort((rows, columns))
    return Incidence(n, np.array(rows, dtype=np.int64)[order], np.array(columns, dtype=np.int64)[order])
