"""Rank of rows of constraints: which of them are needed, and which follow from others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .tables.tolerances import AS_LARGE, TOLERANCE


@dataclass(frozen=True, eq=False)
class Rank:
    """The outcome of `find_rank` for m rows.

    Attributes:
        rows: shape (m, n), as they were compared.
        needed: indices of rows that are independent and from which all others follow, ascending, shape (r,).
        redundant: indices of the others, ascending, shape (m - r,).
        scales: by what the rows are multiplied elsewhere, shape (m,).
        combination: the redundant rows as sums of the needed ones, both multiplied by their scales, shape (m - r, r).
        unique: whether the multiplier of a row is unique, shape (m,): no row that could do without it shares its work.
    """

    rows: np.ndarray
    needed: np.ndarray
    redundant: np.ndarray
    scales: np.ndarray

    @cached_property
    def _parts(self) -> np.ndarray:
        """`combination` of the rows themselves."""
        found = np.linalg.lstsq(self.rows[self.needed].T, self.rows[self.redundant].T, rcond=None)[0]
        return np.asarray(found.T)

    @cached_property
    def combination(self) -> np.ndarray:
        """See the class."""
        return self.scales[self.redundant, None] * self._parts / self.scales[self.needed]

    @cached_property
    def unique(self) -> np.ndarray:
        """See the class."""
        unique = np.ones(len(self.rows), dtype=bool)
        unique[self.redundant] = False
        unique[self.needed] = (np.abs(self._parts) <= TOLERANCE).all(axis=0)
        return unique

    def __len__(self) -> int:
        return len(self.needed)

    def mismatch(self, values: np.ndarray) -> np.ndarray:
        """Return by how much values (m,) of the redundant rows contradict those of the needed ones, shape (m - r,)."""
        difference: np.ndarray = values[self.redundant] - self.combination @ values[self.needed]
        return difference

    def partners(self, k: int) -> list[int]:
        """Return the needed rows from which ``redundant[k]`` follows."""
        found: list[int] = self.needed[np.abs(self._parts[k]) > TOLERANCE].tolist()
        return found


def find_rank(Y: np.ndarray, tolerance: float = TOLERANCE, scales: np.ndarray | None = None) -> Rank:
    """Return the rank-revealing orthogonalisation (modified Gram-Schmidt, the row with the largest new part next, twice
    orthogonalised).

    Args:
        Y: rows divided by their sizes, for speeds in units in which these are alike, shape (m, n).
        tolerance: the new part of a row below which it is none.
        scales: see `Rank`; None: all are 1.
    """
    m, n = Y.shape
    rest, basis = Y.copy(), np.zeros((0, n))
    chosen: list[int] = []
    while len(chosen) < min(m, n):
        new = np.linalg.norm(rest, axis=1)
        new[chosen] = 0.0
        if not new.max() > tolerance:
            break
        k = int(np.argmax(new >= (1.0 - AS_LARGE) * new.max()))
        direction = rest[k] / new[k]
        direction -= basis.T @ (basis @ direction)
        direction /= np.linalg.norm(direction)
        basis = np.vstack([basis, direction])
        rest -= np.outer(rest @ direction, direction)
        chosen.append(k)
    needed = np.array(sorted(chosen), dtype=np.int64)
    redundant = np.setdiff1d(np.arange(m), needed)
    return Rank(Y, needed, redundant, np.ones(m) if scales is None else scales)
