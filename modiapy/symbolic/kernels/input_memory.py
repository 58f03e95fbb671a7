"""Words of the memory that `input_kernel` reads: the number of rows, then rows of `COLUMNS` words, one for each input."""

from __future__ import annotations

COUNT, TIMES, COEFFICIENTS, SIZE, TARGET, LOWEST, HIGHEST, LAST = range(8)
"""Of a row: how many times there are, addresses of them and of the polynomials, shape (count + 1, size, 4), how many numbers
the input has, the address where they go, the first and the last polynomial that may be taken now, and the one taken last."""

COLUMNS = 8
