"""Machine code that computes the entries of a Jacobian by coloured differences. See `jacobian.Differences`."""

from __future__ import annotations

from typing import Any

from ...acausal.native import WITHOUT_OBJECTS, float64_array, int64_array, intrinsic, njit, types
from ...acausal.native_layout import record
from .matrix_layout import MATRIX

matrix_at = record(MATRIX)
_EVALUATIONS = MATRIX.offset("evaluations")


@intrinsic
def _call(typingctx: Any, function: Any, t: Any, y: Any, ydot: Any, user: Any) -> Any:
    """Return ``int32 function(double t, void* y, void* ydot, void* user)`` at an address."""
    from llvmlite import ir
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.IntType(32), [ir.DoubleType(), pointer, pointer, pointer])
        address, time, *others = args
        made = builder.inttoptr(address, kind.as_pointer())
        return builder.sext(builder.call(made, [time, *(builder.inttoptr(a, pointer) for a in others)]), ir.IntType(64))

    return types.int64(types.int64, types.float64, types.int64, types.int64, types.int64), generate


@njit(types.int64(*[types.int64] * 3, types.float64, *[types.int64] * 4), cache=True, nogil=True, **WITHOUT_OBJECTS)
def explicit_differences(matrix, y, ydot, t, x_at, f_at, shifted_at, out_at):  # type: ignore[no-untyped-def]
    """Compute the same as `jacobian.Differences.explicit`, to the last bit.

    Args:
        matrix: address of `matrix_layout.MATRIX`.
        y, ydot: vectors of SUNDIALS to evaluate with, whose elements are at ``shifted_at`` and ``out_at``.
        t: time [s]. x_at, f_at: addresses of the states and of their derivatives.
    """
    m = matrix_at(matrix)
    n, step, atol, rtol, values = m.n, m.step, m.atol, m.rtol[0], m.values
    order, starts, rows = m.by_colour, m.starts, m.rows
    int64_array(matrix, _EVALUATIONS + 1)[_EVALUATIONS] += m.n_colours
    x, f = float64_array(x_at, n), float64_array(f_at, n)
    shifted, out = float64_array(shifted_at, n), float64_array(out_at, n)
    for i in range(n):
        shifted[i] = x[i]
        step[i] = (x[i] + (rtol * abs(x[i]) + atol[i])) - x[i]
    begin = 0
    for end in m.colour_ends:
        for k in range(begin, end):
            shifted[order[k]] += step[order[k]]
        status: int = _call(m.rhs, t, y, ydot, m.user)  # type: ignore[call-arg]
        if status != 0:
            return status
        for k in range(begin, end):
            j = order[k]
            for e in range(starts[j], starts[j + 1]):
                values[e] = (out[rows[e]] - f[rows[e]]) / step[j]
            shifted[j] = x[j]
        begin = end
    return 0
