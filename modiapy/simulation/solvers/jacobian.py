"""Jacobian df/dx for CVODE by coloured differences, with increments that suit large systems of equations.

CVODE's own increments are about the square root of the machine's precision, relative to a state. Where derivatives come out of
a large linear system they carry the rounding errors of its solution, amplified by its condition; such an increment drowns in
them. Here the increment is at least what the tolerance allows as an error of the state, as in IDA.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .interface import Problem
from .sundials import D, I, P

JacobianFunction = ctypes.CFUNCTYPE(I, D, P, P, P, P, P, P, P)


class DenseJacobian:
    """The callback for a dense matrix of CVODE; it must live as long as the integrator.

    Args:
        problem: the model.
        columns: see `groups`.
        rtol, atol: tolerances, the latter a number or shape (n,).
        data: gives the address of a matrix's elements, column by column (``SUNDenseMatrix_Data``).
        array: gives the address of a vector's elements.
    """

    def __init__(
        self, problem: Problem, columns: list[np.ndarray], rtol: float, atol: float | np.ndarray, data: Any, array: Any
    ) -> None:
        self._problem, self._rtol, self._atol, self._data, self._array = problem, rtol, atol, data, array
        self.evaluations = 0
        self.callback = JacobianFunction(self._evaluate)
        incidence, n = problem.incidence, problem.n
        colour = np.empty(n, dtype=np.int64)
        for c, group in enumerate(columns):
            colour[group] = c
        self._groups = columns
        rows, cols = np.indices((n, n)).reshape(2, -1) if incidence is None else (incidence.rows, incidence.columns)
        self._entries = []
        for c in range(len(columns)):
            here = colour[cols] == c
            self._entries.append((rows[here], cols[here]))

    def _evaluate(self, t: float, y: int, fy: int, matrix: int, _user: int, _1: int, _2: int, _3: int) -> int:
        n = self._problem.n
        x, f = (np.ctypeslib.as_array((ctypes.c_double * n).from_address(self._array(v))) for v in (y, fy))
        columns = np.ctypeslib.as_array((ctypes.c_double * (n * n)).from_address(self._data(matrix))).reshape(n, n)
        return self.fill(t, x, f, columns)

    def fill(self, t: float, x: np.ndarray, f: np.ndarray, columns: np.ndarray) -> int:
        """Write the entries that are not zero to ``columns``, shape (n, n), one row for each column of df/dx."""
        step = self._rtol * np.abs(x) + self._atol
        shifted, out = x.copy(), np.empty(x.size)
        step = (shifted + step) - shifted  # exactly what is added
        for group, (rows, cols) in zip(self._groups, self._entries, strict=True):
            shifted[group] += step[group]
            self.evaluations += 1
            status = self._problem.rhs(t, shifted, out)
            if status != 0:
                return status
            columns[cols, rows] = (out[rows] - f[rows]) / step[cols]
            shifted[group] = x[group]
        return 0
