"""Sparsity of a square matrix, and the groups of columns that one difference quotient gives together."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ...acausal.memory import data_address
from ...acausal.once import once

LONG = 1e6
"""Sum of the squares of the numbers of entries in rows, up to which machine code colours; beyond, and where rows are long, sets
of colours as bits are quicker."""


@cache
def _divide() -> Callable[..., Any]:
    from .block_kernel import divide

    return divide  # type: ignore[no-any-return]


_kernels: tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]] | None = None
"""`colour_kernel.greedy_colours`, `in_order` and `are_rows`, where they are loaded."""


def prepare_colouring() -> None:
    """Load the machine code that sorts and colours large matrices (20 times as fast), and divides them into blocks.

    Without it they are sorted and coloured all the same. To be called when a model is made whose components may become large,
    so that nothing is compiled during a simulation.
    """
    global _kernels
    from . import block_kernel, composition  # noqa: F401
    from .colour_kernel import are_rows, greedy_colours, in_order

    _kernels = greedy_colours, in_order, are_rows


class Incidence:
    """Sparsity of a square matrix: df/dx, the diagonal included, or the matrix of a linear system.

    Not to be changed once it is made.

    Args:
        n: number of states or unknowns.
        rows, columns: of the entries that are not zero, sorted by column, then by row.
        starts: first entry of each column, shape (n + 1,); one of both tells the other.

    Attributes:
        n, rows: as above.
    """

    def __init__(self, n: int, rows: np.ndarray, columns: np.ndarray | None = None, starts: np.ndarray | None = None) -> None:
        self.n, self.rows = n, rows
        known = {"columns": columns, "starts": starts}
        self.__dict__ |= {name: array for name, array in known.items() if array is not None}  # else they are computed once

    @once
    def columns(self) -> np.ndarray:
        """Return the columns of the entries."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    @once
    def bandwidths(self) -> tuple[int, int]:
        """Return the diagonals above and below the main one."""
        distance = self.columns - self.rows
        return int(distance.max(initial=0)), int(-distance.min(initial=0))

    @once
    def starts(self) -> np.ndarray:
        """Return the first entry of each column, shape (n + 1,)."""
        return np.searchsorted(self.columns, np.arange(self.n + 1))

    @property
    def n_colours(self) -> int:
        """Number of colours, see `colours`."""
        return self.by_colour[1].size

    @property
    def colours(self) -> np.ndarray:
        """Colour of each column, shape (n,): columns of one colour have no row in common, so that one difference serves all.

        Greedy, in the order of the columns. Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, On the estimation of sparse
        Jacobian matrices, IMA J. Appl. Math. 13 (1974).
        """
        return self._colouring[0]

    @property
    def by_colour(self) -> tuple[np.ndarray, np.ndarray]:
        """The columns colour by colour, shape (n,), and where each colour ends there."""
        return self._colouring[1:]

    @once
    def _colouring(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `colour_kernel.greedy_colours`."""
        if _kernels is not None:
            found, order, ends = np.empty((3, self.n), np.int64)
            n_colours = _kernels[0](self.starts, self.rows, max(100.0 * self.rows.size, LONG), found, order, ends)
            if n_colours >= 0:
                return found, order, ends[:n_colours]
        colours = self._colours_as_bits()
        count = int(colours.max(initial=-1)) + 1
        small = colours.astype(np.uint16 if count < 65536 else np.int64)  # these numpy sorts by their digits
        return colours, np.argsort(small, kind="stable"), np.cumsum(np.bincount(colours, minlength=count))

    @once
    def blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """Return the matrix as block triangular: states, ends, places and the number of elements, see `block_kernel.divide`."""
        states, ends = np.empty((2, self.n), np.int64)
        places = np.empty(self.rows.size + self.n, np.int64)
        n_blocks, n_elements = _divide()(self.starts, self.rows, states, ends, places)
        return states, ends[:n_blocks], places, n_elements

    @once
    def block_elements(self) -> int:
        """Number of elements of all `blocks`."""
        return self.blocks[3]

    def sizes(self, *, blocks: bool) -> dict[str, int]:
        """Return the numbers of rows, entries and colours, by their names in records; those of blocks, too, or that there are
        none.
        """
        sizes = {"n": self.n, "n_entries": self.rows.size, "n_colours": self.n_colours}
        return sizes | ({"n_blocks": self.blocks[1].size, "n_factors": self.blocks[3]} if blocks else {"n_blocks": 0})

    def tables(self, *, blocks: bool) -> dict[str, np.ndarray | int]:
        """Return the entries and colours, with ``blocks`` these, too, by their names in records; arrays, or addresses of what
        is kept.
        """
        by_colour, colour_ends = self.by_colour
        tables: dict[str, np.ndarray | int]
        tables = {"starts": self.starts, "rows": self.rows, "by_colour": by_colour, "colour_ends": colour_ends}
        if blocks:
            tables["states"], tables["block_ends"], tables["places"], _ = self.blocks
        return tables

    def _colours_as_bits(self) -> np.ndarray:
        first, leaders = self.starts.tolist(), self._leaders.tolist()
        used = [0] * self.n  # colours of the columns in each row, as bits
        colours: list[int] = []
        for j, following in zip(leaders, [*leaders[1:], self.n], strict=False):
            own = self.rows[first[j] : first[j + 1]].tolist()
            taken = new = 0
            for i in own:
                taken |= used[i]
            for _ in range(j, following):
                colour = (~taken & (taken + 1)).bit_length() - 1
                colours.append(colour)
                taken |= 1 << colour
                new |= 1 << colour
            for i in own:
                used[i] |= new
        return np.array(colours, dtype=np.int64)

    @once
    def _leaders(self) -> np.ndarray:
        """Return the first column of each run of columns with the same rows."""
        size = np.diff(self.starts)
        alike = np.zeros(self.n, dtype=bool)  # whether a column is as the one before
        alike[1:] = (size[1:] == size[:-1]) & (size[1:] > 0)
        entries = np.flatnonzero(np.repeat(alike, size))
        column = self.columns[entries]
        different = self.rows[entries] != self.rows[entries - size[column]]
        alike[column[different]] = False
        return np.flatnonzero(~alike)


def words_in_order(n: int, n_entries: int) -> int:
    """Return the room for results of `composition.compose_in_order`."""
    return 7 * n + 4 + 2 * n_entries


class OrderedIncidence(Incidence):
    """One with colours and blocks, as `composition.compose_in_order` makes it.

    It is made at events, most often for one integrator, which needs the addresses of its arrays: they are made where somebody
    else asks for them.

    Args:
        n: number of states.
        memory: results of `composition.compose_in_order`. n_entries: of the matrix.
    """

    def __init__(self, n: int, memory: np.ndarray, n_entries: int) -> None:
        self.n, self._memory, self._n_entries = n, memory, n_entries
        self._behind = 6 * n + 4
        self._n_colours, self._n_blocks, self.block_elements = memory[self._behind - 3 : self._behind].tolist()

    @once
    def rows(self) -> np.ndarray:  # type: ignore[override]
        """See `Incidence`."""
        return self._memory[self._behind : self._behind + self._n_entries]

    @once
    def starts(self) -> np.ndarray:
        """See `Incidence`."""
        return self._memory[: self.n + 1]

    @once
    def _tables(self) -> np.ndarray:
        """Return the colours, columns by colour, ends of colours, states by block, ends of blocks, shape (5, n)."""
        return self._memory[self.n + 1 : self._behind - 3].reshape(5, self.n)

    @once
    def _colouring(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `Incidence`."""
        if self._n_colours < 0:
            return super()._colouring
        colours, order, ends = self._tables[:3]
        return colours, order, ends[: self._n_colours]

    @once
    def blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
        """See `Incidence`."""
        first = self._behind + self._n_entries
        places = self._memory[first : first + self._n_entries + self.n]
        return self._tables[3], self._tables[4][: self._n_blocks], places, self.block_elements

    def sizes(self, *, blocks: bool) -> dict[str, int]:
        """See `Incidence`."""
        if self._n_colours < 0:
            return super().sizes(blocks=blocks)
        sizes = {"n": self.n, "n_entries": self._n_entries, "n_colours": self._n_colours}
        return sizes | ({"n_blocks": self._n_blocks, "n_factors": self.block_elements} if blocks else {"n_blocks": 0})

    def tables(self, *, blocks: bool) -> dict[str, np.ndarray | int]:
        """See `Incidence`."""
        if self._n_colours < 0:
            return super().tables(blocks=blocks)
        first, row = data_address(self._memory), 8 * self.n
        rows, found = first + 8 * self._behind, first + row + 8
        tables: dict[str, np.ndarray | int]
        tables = {"starts": first, "rows": rows, "by_colour": found + row, "colour_ends": found + 2 * row}
        if blocks:
            places = rows + 8 * self._n_entries
            tables |= {"states": found + 3 * row, "block_ends": found + 4 * row, "places": places}
        return tables


def are_compressed_rows(starts: np.ndarray, columns: np.ndarray, n: int) -> bool:
    """Return whether these are compressed rows of a matrix with n rows and columns: where each row begins, (n + 1,), and
    columns.
    """
    if starts.shape != (n + 1,):
        return False
    if _kernels is not None and n > 0 and starts.dtype == columns.dtype == np.int64:
        return bool(_kernels[2](np.ascontiguousarray(starts), np.ascontiguousarray(columns)))
    ascending = starts[0] == 0 and starts[-1] == columns.size and not (starts[1:] < starts[:-1]).any()
    return bool(ascending and (not columns.size or (columns.min() >= 0 and columns.max() < n)))


def incidence_of(n: int, rows: np.ndarray, columns: np.ndarray) -> Incidence:
    """Return the incidence of entries in any order, which may occur several times."""
    if _kernels is not None:
        starts, rows, columns = _kernels[1](n, *(np.ascontiguousarray(e, dtype=np.int64) for e in (rows, columns)))
        return Incidence(n, rows, columns, starts)
    entries = np.sort(np.asarray(columns, dtype=np.int64) * max(n, 1) + np.asarray(rows, dtype=np.int64))
    entries = entries[np.diff(entries, prepend=-1) > 0]  # np.unique would take twenty times as long
    column = entries // max(n, 1)
    return Incidence(n, entries - max(n, 1) * column, column)
