"""Machine code behind whole-array operators: products of matrices and vectors.

It is imported when a model that needs it is loaded. Memory is given by its address, sizes are data:
the same code serves arrays of all sizes.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ...acausal.native import cfunc, float64_array, types


@cfunc(types.void(types.int64, types.int64, types.int64, types.int64, types.int64, types.int64), cache=True)
def array_product(result, a, b, m, k, n):  # type: ignore[no-untyped-def]
    """Compute ``result = a @ b`` with matrices row by row of the shapes (m, n) = (m, k) @ (k, n); a vector is a row or a
    column.
    """
    p, q, r = float64_array(a, m * k), float64_array(b, k * n), float64_array(result, m * n)
    for i in range(m):
        if n == 1:
            s = 0.0
            for j in range(k):
                s += p[i * k + j] * q[j]
            r[i] = s
        else:
            for c in range(n):
                r[i * n + c] = 0.0
            for j in range(k):
                factor = p[i * k + j]
                for c in range(n):
                    r[i * n + c] += factor * q[j * n + c]


@functools.cache
def writer_of_results(n: int) -> Any:
    """Return a function that writes a tuple of n numbers and arrays to a tuple of n arrays; a wrong shape is an error."""
    from numba import njit

    if n == 0:

        @njit
        def nothing(places, values):  # type: ignore[no-untyped-def]
            return

        return nothing
    before, k = writer_of_results(n - 1), n - 1

    @njit
    def put(places, values):  # type: ignore[no-untyped-def]
        before(places, values)
        if places[k].shape != np.shape(values[k]):
            raise ValueError("a result does not have the shape that was declared")
        places[k][...] = values[k]

    return put
