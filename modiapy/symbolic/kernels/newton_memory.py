"""Memory of a nonlinear block, shared by the machine code, the kernel `newton` and the interpreter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from ...acausal.memory import data_address
from ...acausal.memory_layout import FLOAT64, INT64, Field, Layout, size


class Header(IntEnum):
    """Eight-byte integers at the beginning of a block's memory."""

    SIZE = 0  # unknowns of the present iteration: TORN, or ALL where opened variables of the body are unknowns too
    PHASE = 1  # 0 at the beginning of a solution; the rest is the kernel's
    FREE = 2  # whether the solution may be searched far from the last one (at events)
    SOLVED = 3  # whether there is a last solution
    ITERATION = 4
    ATTEMPT = 5
    REASON = 6  # of a failure, see Reason
    SOLUTIONS = 7  # counters
    RESIDUALS = 8
    JACOBIANS = 9
    TORN = 10
    ALL = 11
    STAGE = 12  # what is tried, see `newton`
    COUNT = 13  # of steps in it
    DAMPED = 14  # whether a step was made shorter
    LENGTH = 15


class Reason(IntEnum):
    """Reason why no solution was found."""

    NOT_A_NUMBER = 1
    SINGULAR = 2
    NO_CONVERGENCE = 3


class Request(IntEnum):
    """Request of `newton`: residuals, a last evaluation with the solution, residuals and Jacobian; or it gives up."""

    RESIDUALS = 0
    SOLVED = 1
    JACOBIAN = 2
    FAILED = 102


class Part(IntEnum):
    """Vectors of n numbers and one more after the header, in this order; then `SCALARS` numbers, then the Jacobian row by row.

    The number more is the parameter of a path (see `homotopy`), which makes the matrix one row and column larger.
    """

    UNKNOWNS = 0
    RESIDUALS = 1
    LAST = 2
    START = 3
    NOMINAL = 4
    BASE = 5
    STEP = 6
    TRIAL = 7
    ROWS = 8
    COLUMNS = 9
    NOISE = 10
    PIVOTS = 11
    ORIGIN = 12
    SCALES = 13


SCALARS = 4


PRESENT = size("present")
"""Number of unknowns of the present iteration."""

_m = size("all") + 1
NEWTON = Layout(
    Field("header", int(Header.LENGTH), INT64),
    *(Field(part.name.lower(), _m, INT64 if part is Part.PIVOTS else FLOAT64) for part in Part),
    Field("scalars", SCALARS),
    Field("jacobian", _m * _m),
    stored={"all": int(Header.ALL), "present": int(Header.SIZE)},
)
"""A block with so many unknowns, opened ones included, of which the present iteration may have fewer."""


class NewtonMemory:
    """The memory of one block as arrays.

    Args:
        unknowns: names of the unknowns, then of the opened variables.
        words: the memory, shape (NEWTON.words(all=n),) int64; new if None.
        opened: number of opened variables.

    Attributes:
        header: see `Header`; address: of the memory, for `newton.newton`.
    """

    def __init__(self, unknowns: Sequence[str], words: np.ndarray | None = None, opened: int = 0) -> None:
        self.unknowns, n = tuple(unknowns), len(unknowns)
        words = np.zeros(NEWTON.words(all=n), dtype=np.int64) if words is None else words
        self._words = words
        self.header = words[: Header.LENGTH]
        self.address = data_address(words)
        self.header[Header.SIZE] = self.header[Header.TORN] = n - opened
        self.header[Header.ALL] = n
        self.part(Part.NOMINAL)[:] = 1.0

    @property
    def jacobian(self) -> np.ndarray:
        """Return the Jacobian of the present iteration, shape (SIZE, SIZE)."""
        n = int(self.header[Header.SIZE])
        return NEWTON.view(self._words, "jacobian", all=len(self.unknowns))[: n * n].reshape(n, n)

    def part(self, part: Part) -> np.ndarray:
        """Return one of the vectors, shape (n,)."""
        return NEWTON.view(self._words, part.name.lower(), all=len(self.unknowns))[:-1]

    def set_last(self, values: Mapping[str, float]) -> None:
        """Take these values as the last solution."""
        starts = dict(zip(self.unknowns, self.part(Part.START).tolist(), strict=True))
        self.part(Part.LAST)[:] = [values.get(name, start) for name, start in starts.items()]
        self.header[Header.SOLVED] = 1

    def set_guesses(self, start: Mapping[str, float], nominal: Mapping[str, float]) -> None:
        """Start values (0 where there is none) and nominal values (1 where there is none); the last solution is forgotten."""
        self.part(Part.START)[:] = [start.get(name, 0.0) for name in self.unknowns]
        self.part(Part.NOMINAL)[:] = [nominal.get(name, 1.0) for name in self.unknowns]
        self.header[Header.SOLVED] = 0
