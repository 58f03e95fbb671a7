"""Maximum matching of equations and unknowns, and what is left over where there is no perfect one.

Equations are rows, unknowns are columns of a sparse incidence. Augmenting paths are searched breadth first, without
recursion. The rows and columns that alternating paths reach from a row (column) without partner are the overdetermined
(underdetermined) part of the decomposition of Dulmage and Mendelsohn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Columns = Callable[[int], Iterable[int]]
"""Gives the columns of a row that it may be matched with."""


@dataclass
class Matching:
    """``row_of[column]`` and ``column_of[row]``, -1 where there is no partner."""

    row_of: list[int] = field(default_factory=list)
    column_of: list[int] = field(default_factory=list)

    def augment(self, start: int, columns: Columns) -> tuple[list[int], list[int]] | None:
        """Find a partner for the row ``start``, if need be by giving other rows other partners.

        Returns:
            None if it was found; else the rows and columns that alternating paths reach from ``start``: more rows than columns.
        """
        reached_from: dict[int, int] = {}
        queue = [start]
        for row in queue:
            for column in columns(row):
                if column in reached_from:
                    continue
                reached_from[column] = row
                owner = self.row_of[column]
                if owner < 0:
                    self._flip(start, column, reached_from)
                    return None
                queue.append(owner)
        return queue, list(reached_from)

    def _flip(self, start: int, column: int, reached_from: dict[int, int]) -> None:
        while True:
            row = reached_from[column]
            previous = self.column_of[row]
            self.row_of[column], self.column_of[row] = row, column
            if row == start:
                return
            column = previous


def match(rows: Sequence[Sequence[int]], n_columns: int) -> Matching:
    """Return the maximum matching of rows, given by their columns, and ``n_columns`` columns."""
    matching = Matching([-1] * n_columns, [-1] * len(rows))
    # rows with one column first: they have no choice
    for row in sorted(range(len(rows)), key=lambda r: min(len(rows[r]), 3)):
        matching.augment(row, rows.__getitem__)
    return matching


def overdetermined(rows: Sequence[Sequence[int]], matching: Matching) -> tuple[list[int], list[int]]:
    """Return the rows and columns of the part with more rows than columns, empty if there is none."""
    return _reach(
        [r for r, c in enumerate(matching.column_of) if c < 0], rows.__getitem__, lambda column: [matching.row_of[column]]
    )


def underdetermined(rows: Sequence[Sequence[int]], matching: Matching) -> tuple[list[int], list[int]]:
    """Return the rows and columns of the part with more columns than rows, empty if there is none."""
    rows_of: list[list[int]] = [[] for _ in matching.row_of]
    for row, columns in enumerate(rows):
        for column in columns:
            rows_of[column].append(row)
    found, reached = _reach(
        [c for c, r in enumerate(matching.row_of) if r < 0], rows_of.__getitem__, lambda row: [matching.column_of[row]]
    )
    return reached, found


def _reach(start: list[int], neighbours: Columns, partner: Columns) -> tuple[list[int], list[int]]:
    """Return the nodes of the side of ``start`` and of the other side that alternating paths reach."""
    near, seen = list(start), set(start)
    far: dict[int, None] = {}
    for node in near:
        for other in neighbours(node):
            if other in far:
                continue
            far[other] = None
            for mate in partner(other):
                if mate >= 0 and mate not in seen:
                    seen.add(mate)
                    near.append(mate)
    return near, list(far)
