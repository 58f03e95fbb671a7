"""Rows of constraints: linear conditions on the generalized speeds of a forest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Row:
    """One condition ``G v = 0``; of a unilateral constraint ``G v >= 0``.

    Attributes:
        owner: what the constraint is of, for messages: a joint, or two frames.
        direction: which of its directions this is, for messages.
        G: shape (nv,).
        unilateral: the speed may be positive, and the multiplier must not be negative.
        active: of unilateral ones: it holds at present.
        residual: by how much its position is violated, ``G v`` is its derivative; zero where there is none.
        holonomic: it restricts positions, too; a wheel that rolls restricts speeds alone.
        rate: what `project` makes of ``G v``; None: that may be anything.
        unit: of the residual.
        gamma: ``dG/dt v`` at present speeds; NaN of constraints that are for a moment only.
        reference: rows (k, nv) of the same unit whose difference or part it is, by which its size is judged: what is left of
            them may be rounding. None: itself.
    """

    owner: str
    direction: str
    G: np.ndarray
    unilateral: bool = False
    active: bool = False
    residual: float = 0.0
    rate: float | None = 0.0
    unit: str = ""
    holonomic: bool = True
    gamma: float = 0.0
    reference: np.ndarray | None = None

    def __str__(self) -> str:
        return f"{self.owner} ({self.direction})"


class Rows(Sequence[Row]):
    """Rows of one forest, and their parts as arrays."""

    def __init__(self, rows: Iterable[Row], nv: int) -> None:
        self._rows, self._nv = tuple(rows), nv

    @cached_property
    def G(self) -> np.ndarray:
        """Matrix of the rows, shape (m, nv)."""
        return np.array([row.G for row in self._rows]).reshape(len(self._rows), self._nv)

    @cached_property
    def unilateral(self) -> np.ndarray:
        """True for unilateral rows, shape (m,)."""
        return np.array([row.unilateral for row in self._rows], dtype=bool)

    @cached_property
    def residual(self) -> np.ndarray:
        """Residuals of the positions, shape (m,)."""
        return np.array([row.residual for row in self._rows], dtype=float)

    @cached_property
    def gamma(self) -> np.ndarray:
        """Values of ``dG/dt v`` at present speeds, shape (m,)."""
        return np.array([row.gamma for row in self._rows], dtype=float)

    @cached_property
    def rate(self) -> np.ndarray:
        """Shape (m,); NaN where it may be anything."""
        return np.array([np.nan if row.rate is None else row.rate for row in self._rows], dtype=float)

    def of_rates(self) -> Rows:
        """Return the rows that restrict speeds."""
        return Rows((row for row in self._rows if row.rate is not None), self._nv)

    def of_positions(self) -> Rows:
        """Return the rows that restrict positions."""
        return (
            self if all(row.holonomic for row in self._rows) else Rows((row for row in self._rows if row.holonomic), self._nv)
        )

    def of_speeds(self, places: np.ndarray) -> Rows:
        """Return the same for some of the speeds, whose indices are given; the others do not change."""
        parts = {id(row.reference): row.reference[:, places] for row in self._rows if row.reference is not None}
        return Rows((replace(row, G=row.G[places], reference=parts.get(id(row.reference))) for row in self._rows), len(places))

    def move(self, v: np.ndarray) -> bool:
        """Return whether the speeds v (nv,) move what is to be at rest."""
        return bool(self._rows) and bool((self.G @ v).any())

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self._rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)
