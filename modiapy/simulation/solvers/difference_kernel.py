"""Entries of a Jacobian by coloured differences in machine code. This module imports numba; see `jacobian.Differences`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from ...acausal.native import WITHOUT_OBJECTS, float64_array

_INDICES, _NUMBERS = types.int64[::1], types.float64[::1]


@intrinsic
def _call(typingctx: Any, function: Any, t: Any, y: Any, ydot: Any, user: Any) -> Any:
    """``int32 function(double t, void* y, void* ydot, void* user)`` at an address."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.IntType(32), [ir.DoubleType(), pointer, pointer, pointer])
        address, time, *others = args
        made = builder.inttoptr(address, kind.as_pointer())
        return builder.sext(builder.call(made, [time, *(builder.inttoptr(a, pointer) for a in others)]), ir.IntType(64))

    return types.int64(types.int64, types.float64, types.int64, types.int64, types.int64), generate


@njit(
    types.int64(
        *[types.int64] * 4, types.float64, *[types.int64] * 4, *[_INDICES] * 4, *[_NUMBERS] * 2, types.float64, _NUMBERS
    ),
    cache=True,
    nogil=True,
    **WITHOUT_OBJECTS,
)
def explicit_differences(  # type: ignore[no-untyped-def]
    rhs, user, y, ydot, t, x_at, f_at, shifted_at, out_at, order, ends, starts, rows, step, atol, rtol, values
):
    """As `jacobian.Differences.explicit`, to the last bit.

    Args:
        rhs, user: addresses of the right-hand side and of its last argument.
        y, ydot: vectors of SUNDIALS to evaluate with, whose elements are at ``shifted_at`` and ``out_at``.
        t: time [s]. x_at, f_at: addresses of the states and of their derivatives.
        order, ends: columns colour by colour, and where each colour ends.
        starts, rows: first entry of each column, rows of the entries.
        step: memory, shape (n,). atol, rtol: tolerances. values: the entries, shape (entries,).
    """
    n = step.size
    x, f = float64_array(x_at, n), float64_array(f_at, n)
    shifted, out = float64_array(shifted_at, n), float64_array(out_at, n)
    for i in range(n):
        shifted[i] = x[i]
        step[i] = (x[i] + (rtol * abs(x[i]) + atol[i])) - x[i]
    begin = 0
    for end in ends:
        for k in range(begin, end):
            shifted[order[k]] += step[order[k]]
        status: int = _call(rhs, t, y, ydot, user)  # type: ignore[call-arg]
        if status != 0:
            return status
        for k in range(begin, end):
            j = order[k]
            for e in range(starts[j], starts[j + 1]):
                values[e] = (out[rows[e]] - f[rows[e]]) / step[j]
            shifted[j] = x[j]
        begin = end
    return 0
