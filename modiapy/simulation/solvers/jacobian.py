"""Jacobians for CVODE and IDA by coloured differences, with increments that suit large systems of equations.

CVODE's own increments are about the square root of the machine's precision, relative to a state. Where derivatives come out of
a large linear system they carry the rounding errors of its solution, amplified by its condition; such an increment drowns in
them. Here the increment is at least what the tolerance allows as an error of the state, as in IDA.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ...acausal.memory import data_address
from ...symbolic.kernels.incidence import Incidence
from .interface import Problem
from .matrix_layout import MATRIX, matrix_record

P, D, I = ctypes.c_void_p, ctypes.c_double, ctypes.c_int
CvodeFunction = ctypes.CFUNCTYPE(I, D, P, P, P, P, P, P, P)
"""``int jac(t, y, fy, J, user, tmp1, tmp2, tmp3)``."""

IdaFunction = ctypes.CFUNCTYPE(I, D, D, P, P, P, P, P, P, P, P)
"""``int jac(t, cj, y, yp, r, J, user, tmp1, tmp2, tmp3)``."""

_RHS, _USER = MATRIX.offset("rhs"), MATRIX.offset("user")

Store = Callable[[int, np.ndarray], None]
"""``store(matrix, values)``: writes the entries, in the order of the incidence, to a SUNMatrix."""


_kernel: Callable[..., int] | None = None


def prepare_differences() -> None:
    """Load the machine code for coloured differences; without it they are computed more slowly.

    Call it when a model is created whose matrices may become large, so that nothing is compiled during a simulation.
    """
    global _kernel
    from .difference_kernel import explicit_differences

    _kernel = explicit_differences


class Differences:
    """Entries of df/dx, or of ``dF/dx + cj*dF/dxdot``, by one evaluation for each colour.

    Attributes:
        evaluations: of the model so far.
        filled: whether there has been a matrix.
        interrupted: whether an interrupt has come meanwhile that nobody has seen.

    Args:
        problem: the model.
        incidence: the entries that are wanted.
        rtol, atol: tolerances, the latter a number or shape (n,).
    """

    def __init__(self, problem: Problem, incidence: Incidence, rtol: float, atol: float | np.ndarray) -> None:
        self._problem, self._rtol, self._atol, self._incidence = problem, rtol, atol, incidence
        self.evaluations = 0
        self.filled = self.interrupted = False

    @cached_property
    def _groups(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Return the columns of each colour, with the places, rows and columns of its entries."""
        incidence = self._incidence
        order, ends = incidence.by_colour
        entries = _classes(incidence.colours[incidence.columns], incidence.n_colours)
        columns = np.split(order, ends[:-1])
        return [(group, e, incidence.rows[e], incidence.columns[e]) for group, e in zip(columns, entries, strict=True)]

    @cached_property
    def _record(self) -> np.ndarray:
        """The record `MATRIX`; its tables are the incidence's."""
        incidence = self._incidence
        order, ends = incidence.by_colour
        sizes = {"n": incidence.n, "n_entries": incidence.rows.size, "n_colours": ends.size}
        tables = {"starts": incidence.starts, "rows": incidence.rows, "by_colour": order, "colour_ends": ends}
        return matrix_record(sizes, tables, self._rtol, self._atol)

    @cached_property
    def values(self) -> np.ndarray:
        """The entries that `by_address` computes, shape (entries,)."""
        return MATRIX.view(self._record, "values", n=self._incidence.n, n_entries=self._incidence.rows.size)

    def by_address(self, kernel: Callable[..., int], t: float, vectors: tuple[int, ...], data: tuple[int, ...]) -> int:
        """Compute the same as `explicit` by machine code -> ``values``; return the status.

        Args:
            kernel: `difference_kernel.explicit_differences`.
            vectors: of SUNDIALS, to evaluate with: states, derivatives.
            data: addresses of the elements of: states, their derivatives, and both ``vectors``.
        """
        problem, record = self._problem, self._record
        self.evaluations += self._incidence.n_colours
        record[_RHS], record[_USER] = problem.rhs_address, problem.user_address
        status = kernel(data_address(record), *vectors, t, *data)
        self.filled = self.filled or status == 0
        return int(status)

    def explicit(self, t: float, x: np.ndarray, f: np.ndarray, values: np.ndarray) -> int:
        """Return the entries of df/dx at a point where ``f`` is der(x), shape (entries,) -> ``values``; the status."""
        return self._fill(lambda shifted, _, out: self._problem.rhs(t, shifted, out), x, f, values)

    def implicit(self, t: float, cj: float, x: np.ndarray, xdot: np.ndarray, r: np.ndarray, values: np.ndarray) -> int:
        """Return the entries of ``dF/dx + cj*dF/dxdot`` at a point with residuals ``r``, shape (entries,) -> ``values``; the
        status.
        """
        residual = self._problem.residual
        assert residual is not None
        return self._fill(lambda shifted, by, out: residual(t, shifted, xdot + cj * by, out), x, r, values)

    def _fill(
        self, evaluate: Callable[[np.ndarray, np.ndarray, np.ndarray], int], x: np.ndarray, f: np.ndarray, values: np.ndarray
    ) -> int:
        step = self._rtol * np.abs(x) + self._atol
        shifted, by, out = x.copy(), np.zeros(x.size), np.empty(x.size)
        step = (shifted + step) - shifted  # exactly what is added
        for group, entries, rows, columns in self._groups:
            by[group] = step[group]
            shifted[group] += step[group]
            self.evaluations += 1
            status = evaluate(shifted, by, out)
            if status != 0:
                return status
            values[entries] = (out[rows] - f[rows]) / step[columns]
            shifted[group], by[group] = x[group], 0.0
        self.filled = True
        return 0


def _classes(colours: np.ndarray, count: int) -> list[np.ndarray]:
    """Return the positions of each colour."""
    order = np.argsort(colours, kind="stable")
    return np.split(order, np.searchsorted(colours[order], np.arange(1, count)))


def full_incidence(n: int) -> Incidence:
    """Return the incidence of a full matrix."""
    columns, rows = np.indices((n, n)).reshape(2, -1)
    return Incidence(n, rows, columns)


def _uninterrupted(evaluate: Callable[..., int], differences: Differences) -> Callable[..., int]:
    """Wrap a function so that it is called once more if an interrupt from the keyboard ends it.

    No exception may pass through SUNDIALS, which calls the function. ``differences`` remembers that an interrupt has come.
    """

    def evaluated(*args: Any) -> int:
        try:
            return evaluate(*args)
        except KeyboardInterrupt:
            differences.interrupted = True
            return evaluate(*args)

    return evaluated


def cvode_callback(differences: Differences, n: int, store: Store, entries: int, array: Any) -> Any:
    """Return the Jacobian function for CVODE; it must live as long as the integrator. ``array``: N_VGetArrayPointer."""
    kernel = _kernel
    values = np.zeros(entries) if kernel is None else differences.values

    def evaluate(t: float, y: int, fy: int, matrix: int, user: int, shifted: int, out: int, *_: int) -> int:
        if kernel is not None:
            data = array(y), array(fy), array(shifted), array(out)
            status = differences.by_address(kernel, t, (shifted, out), data)
        else:
            status = differences.explicit(t, _vector(array, y, n), _vector(array, fy, n), values)
        store(matrix, values)
        return status

    return CvodeFunction(_uninterrupted(evaluate, differences))


def ida_callback(differences: Differences, n: int, store: Store, entries: int, array: Any) -> Any:
    """Return the Jacobian function for IDA; it must live as long as the integrator. ``array``: N_VGetArrayPointer."""
    values = np.zeros(entries)

    def evaluate(t: float, cj: float, y: int, yp: int, r: int, matrix: int, *_: int) -> int:
        x, xdot, residuals = (_vector(array, v, n) for v in (y, yp, r))
        status = differences.implicit(t, cj, x, xdot, residuals, values)
        store(matrix, values)
        return status

    return IdaFunction(_uninterrupted(evaluate, differences))


def dense_store(incidence: Incidence, data: Any) -> Store:
    """Return the store of a dense matrix; ``data``: SUNDenseMatrix_Data."""
    n = incidence.n

    def store(matrix: int, values: np.ndarray) -> None:
        elements = np.ctypeslib.as_array((ctypes.c_double * (n * n)).from_address(data(matrix)))
        elements[incidence.columns * n + incidence.rows] = values

    return store


def sparse_store(incidence: Incidence, library: Any) -> Store:
    """Return the store of a sparse matrix in compressed columns, whose structure is written too; ``library``:
    sunmatrixsparse.
    """
    starts, rows = incidence.starts.astype(np.int32), incidence.rows.astype(np.int32)

    def store(matrix: int, values: np.ndarray) -> None:
        ctypes.memmove(library.SUNSparseMatrix_IndexPointers(matrix), starts.ctypes.data, starts.nbytes)
        ctypes.memmove(library.SUNSparseMatrix_IndexValues(matrix), rows.ctypes.data, rows.nbytes)
        ctypes.memmove(library.SUNSparseMatrix_Data(matrix), values.ctypes.data, values.nbytes)

    return store


def _vector(array: Any, vector: int, n: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_double * n).from_address(array(vector)))
